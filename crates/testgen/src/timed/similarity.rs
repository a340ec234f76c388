//! How similar two runs are (section VIII of the TAUC paper).
//!
//! A run is a sequence of symbols: the edges that are taken, the events that the tester sends with their parameters,
//! and the windows in which the system moves unseen. Two sequences are aligned; equal symbols count +3, different
//! ones -2, a gap -1, and events that differ in parameters only -1 minus the share of parameters that differ. The
//! similarity is the best sum over all alignments.

use std::collections::BTreeMap;

use punctual_model::{EdgeId, ProcessId, SignalId};

use super::walk::Run;
use super::world::{Kind, World};

/// What a symbol stands for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Name {
    /// A process takes an edge.
    Edge(ProcessId, EdgeId),
    /// The tester sends an input.
    Event(SignalId),
    /// The system waits for the window of an edge.
    Window(ProcessId, EdgeId),
}

/// A symbol of a sequence: what it stands for, by number, and where its parameters are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Symbol {
    name: u32,
    from: u32,
    n_params: u32,
}

/// A run as symbols.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Sequence {
    symbols: Vec<Symbol>,
    params: Vec<i32>,
}

/// Makes sequences of runs and compares them. Scores are integers: the numbers of the paper times [`Similarity::unit`].
#[derive(Clone, Debug)]
pub struct Similarity {
    names: BTreeMap<Name, u32>,
    unit: i32,
}

/// Memory for comparing, used again and again.
#[derive(Clone, Debug, Default)]
pub struct Workspace {
    row: Vec<i32>,
}

impl Similarity {
    /// Compares runs of a model.
    #[must_use]
    pub fn new(world: &World<'_>) -> Similarity {
        let signals = world.specification.interface().signals.iter();
        let counts = signals.map(|signal| signal.values.len().clamp(1, 16) as i32);
        Similarity { names: BTreeMap::new(), unit: counts.fold(1, lcm) }
    }

    /// What a gap costs: all scores are multiples of the paper's numbers by this.
    #[must_use]
    pub fn unit(&self) -> i32 {
        self.unit
    }

    /// A score in the numbers of the paper.
    #[must_use]
    pub fn score(&self, scaled: i64) -> f64 {
        scaled as f64 / f64::from(self.unit)
    }

    fn name(&mut self, name: Name) -> u32 {
        let next = self.names.len() as u32;
        *self.names.entry(name).or_insert(next)
    }

    /// The symbols of a run.
    pub fn sequence(&mut self, world: &World<'_>, run: &Run) -> Sequence {
        let mut sequence = Sequence::default();
        for step in &run.steps {
            let sends = matches!(step.kind, Kind::Input(_));
            if let Kind::Input(signal) = step.kind {
                let from = sequence.params.len() as u32;
                sequence.params.extend(world.carried(signal, &step.after.state));
                let n_params = sequence.params.len() as u32 - from;
                let name = self.name(Name::Event(signal));
                sequence.symbols.push(Symbol { name, from, n_params });
            }
            for taken in step.moves.iter().skip(usize::from(sends)) {
                let process = &world.network.processes[taken.process];
                let edge = &process.edges[taken.edge];
                let invariant = &process.locations[edge.source].invariant;
                let is_timed = !edge.guard.clocks.is_empty() || !invariant.clocks.is_empty();
                let mut push = |name: u32| {
                    sequence.symbols.push(Symbol { name, from: 0, n_params: 0 });
                };
                if is_timed && matches!(step.kind, Kind::System | Kind::Output(_)) {
                    push(self.name(Name::Window(taken.process, taken.edge)));
                }
                push(self.name(Name::Edge(taken.process, taken.edge)));
            }
        }
        sequence
    }

    /// The similarity of two sequences, times the unit.
    #[must_use]
    pub fn of(&self, left: &Sequence, right: &Sequence, work: &mut Workspace) -> i32 {
        let unit = self.unit;
        let row = &mut work.row;
        row.clear();
        row.extend((0..=right.symbols.len() as i32).map(|n| -n * unit));
        for symbol in &left.symbols {
            let mut diagonal = row[0];
            row[0] -= unit;
            let mut before = row[0];
            for (other, cell) in right.symbols.iter().zip(&mut row[1..]) {
                let fits = match symbol.name == other.name {
                    true if symbol.n_params == 0 => 3 * unit,
                    true => self.event(left, right, *symbol, *other),
                    false => -2 * unit,
                };
                let best = (diagonal + fits).max(cell.max(&mut before).wrapping_sub(unit));
                diagonal = *cell;
                *cell = best;
                before = best;
            }
        }
        row.last().copied().unwrap_or(0)
    }

    /// The score of two events of one name.
    fn event(&self, left: &Sequence, right: &Sequence, a: Symbol, b: Symbol) -> i32 {
        let n = a.n_params.min(b.n_params) as usize;
        let ours = &left.params[a.from as usize..][..n];
        let theirs = &right.params[b.from as usize..][..n];
        let n_other = ours.iter().zip(theirs).filter(|(a, b)| a != b).count() as i32;
        match n_other {
            0 => 3 * self.unit,
            _ => -self.unit - n_other * self.unit / n as i32,
        }
    }
}

fn lcm(a: i32, b: i32) -> i32 {
    fn gcd(a: i32, b: i32) -> i32 {
        if b == 0 { a } else { gcd(b, a % b) }
    }
    // Beyond this, shares of differing parameters are rounded.
    let both = a / gcd(a, b) * b;
    if both > 5040 { a } else { both }
}
