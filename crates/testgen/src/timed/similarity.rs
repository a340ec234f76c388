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

#[cfg(test)]
pub(super) mod tests {
    use punctual_smc::Stream;

    use super::*;
    use crate::random::below;

    impl Sequence {
        /// Symbols by the numbers of their names, with their parameters.
        pub(in crate::timed) fn of(symbols: &[(u16, &[i32])]) -> Sequence {
            let mut sequence = Sequence::default();
            for (name, params) in symbols {
                let (from, n_params) = (sequence.params.len() as u32, params.len() as u32);
                sequence.symbols.push(Symbol { name: *name, from, n_params });
                sequence.params.extend_from_slice(params);
            }
            sequence
        }
    }

    impl Similarity {
        /// Compares sequences whose symbols have up to four parameters.
        pub(in crate::timed) fn of_four() -> Similarity {
            Similarity { names: BTreeMap::new(), unit: 12 }
        }
    }

    /// A sequence by chance. A name has always as many parameters: 0 to 4.
    pub(in crate::timed) fn drawn(chance: &mut Stream, longest: usize) -> Sequence {
        let n_names = 1 + below(chance, 8);
        let symbols: Vec<(u16, Vec<i32>)> = (0..below(chance, longest + 1))
            .map(|_| {
                let name = below(chance, n_names);
                let params = (0..[0, 0, 2, 0, 1, 3, 0, 4][name]).map(|_| below(chance, 3) as i32);
                (name as u16, params.collect())
            })
            .collect();
        let symbols: Vec<(u16, &[i32])> =
            symbols.iter().map(|(name, params)| (*name, &params[..])).collect();
        Sequence::of(&symbols)
    }

    /// The best alignment by its definition: the last symbols face each other, or one of them a gap.
    fn best(left: &[(u16, &[i32])], right: &[(u16, &[i32])]) -> f64 {
        let gaps = |n: usize| -(n as f64);
        let (Some((a, left_before)), Some((b, right_before))) =
            (left.split_last(), right.split_last())
        else {
            return gaps(left.len() + right.len());
        };
        let differing = a.1.iter().zip(b.1).filter(|(a, b)| a != b).count();
        let fit = match (a.0 == b.0, differing) {
            (false, _) => -2.0,
            (true, 0) => 3.0,
            (true, n) => -1.0 - n as f64 / a.1.len() as f64,
        };
        let fitting = best(left_before, right_before) + fit;
        fitting.max(best(left_before, right) - 1.0).max(best(left, right_before) - 1.0)
    }

    fn symbols(sequence: &Sequence) -> Vec<(u16, &[i32])> {
        let of =
            |it: &Symbol| (it.name, &sequence.params[it.from as usize..][..it.n_params as usize]);
        sequence.symbols.iter().map(of).collect()
    }

    /// Figure 8-a of the TAUC paper: -2 + 3 - 1 + 3 - 1.5 + 3 + 3.
    #[test]
    fn the_scenarios_of_figure_8() {
        let (start_1, start_2, scenario, request, detected, info, window, qualified) =
            (0, 1, 2, 3, 4, 5, 6, 7);
        let first = Sequence::of(&[
            (start_1, &[]),
            (scenario, &[]),
            (request, &[9]),
            (detected, &[]),
            (info, &[1, 0]),
            (window, &[]),
            (qualified, &[]),
        ]);
        let second = Sequence::of(&[
            (start_2, &[]),
            (scenario, &[]),
            (detected, &[]),
            (info, &[1, 1]),
            (window, &[]),
            (qualified, &[]),
        ]);
        let similarity = Similarity::of_four();
        assert_eq!(similarity.score(similarity.of(&first, &second).into()), 7.5);
    }

    /// The table of alignments has the best of all of them.
    #[test]
    fn the_best_of_all_alignments() {
        let similarity = Similarity::of_four();
        let mut chance = Stream::of_run(8, 0);
        for _ in 0..2000 {
            let (left, right) = (drawn(&mut chance, 7), drawn(&mut chance, 7));
            let expected = best(&symbols(&left), &symbols(&right));
            let found = similarity.score(similarity.of(&left, &right).into());
            assert!((found - expected).abs() < 1e-9, "{found}, {expected}: {left:?} {right:?}");
            assert_eq!(similarity.of(&left, &right), similarity.of(&right, &left));
        }
    }
}
