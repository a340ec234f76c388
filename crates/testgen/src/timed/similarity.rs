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
    name: u16,
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
    names: BTreeMap<Name, u16>,
    unit: i32,
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

    fn name(&mut self, name: Name) -> u16 {
        // A model with more edges than this has some that are taken for one another.
        let next = u16::try_from(self.names.len()).unwrap_or(u16::MAX);
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
                let mut push = |name: u16| {
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
    pub fn of(&self, left: &Sequence, right: &Sequence) -> i32 {
        let unit = self.unit;
        let mut row: Vec<i32> = (0..=right.len() as i32).map(|n| -n * unit).collect();
        for at in 0..left.len() {
            let mut diagonal = row[0];
            row[0] -= unit;
            for other in 0..right.len() {
                let gap = row[other].max(row[other + 1]) - unit;
                let best = gap.max(diagonal + self.fit(left, at, right, other));
                diagonal = std::mem::replace(&mut row[other + 1], best);
            }
        }
        row.last().copied().unwrap_or(0)
    }

    /// How well a symbol fits another one, times the unit.
    pub(super) fn fit(&self, left: &Sequence, at: usize, right: &Sequence, other: usize) -> i32 {
        let (a, b) = (left.symbols[at], right.symbols[other]);
        if a.name != b.name {
            return -2 * self.unit;
        }
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

impl Sequence {
    /// How many symbols it has.
    #[must_use]
    pub fn len(&self) -> usize {
        self.symbols.len()
    }

    /// Whether it has no symbol.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.symbols.is_empty()
    }

    /// The numbers of what its symbols stand for.
    pub(super) fn names(&self) -> impl Iterator<Item = u16> + '_ {
        self.symbols.iter().map(|symbol| symbol.name)
    }

    /// Whether a symbol has parameters.
    pub(super) fn has_parameters(&self, at: usize) -> bool {
        self.symbols[at].n_params > 0
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
