//! The parts of a side that do not depend on each other.

use std::collections::{BTreeMap, BTreeSet};

use punctual_model::{Id, ProcessId, SignalId};

use super::{CellId, Item, Side, Split};

/// Processes of one side that belong together.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Component {
    /// The side.
    pub side: Side,
    /// The processes, in the order of the network.
    pub processes: Vec<ProcessId>,
}

/// What connects processes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Knot {
    Item(Item),
    /// An observable channel.
    Signal(SignalId),
}

impl Split {
    /// The components of both sides, those of the system first, in the order of their processes.
    ///
    /// Processes of one side are connected if they share an internal channel, a variable or clock
    /// that changes, or an observable channel. Who takes part in a signal is taken to know all
    /// variables that change with it and that the side looks at: otherwise another part of the
    /// side could miss a new value.
    ///
    /// Receivers of a broadcast from the other side are not connected by it: none of them can refuse it, so
    /// each does what it would do without the others.
    #[must_use]
    pub fn components(&self) -> Vec<Component> {
        let sent: BTreeSet<(Side, SignalId)> = (self.facts.uses.iter())
            .filter(|used| used.sends)
            .filter_map(|used| Some((self.sides[used.process], self.signals[used.channel]?)))
            .collect();
        let mut forest = Forest::new(self.sides.len());
        let mut knots: BTreeMap<(Side, Knot), ProcessId> = BTreeMap::new();
        let mut tie = |process: ProcessId, knot: Knot| {
            let first = *knots.entry((self.sides[process], knot)).or_insert(process);
            forest.join(first.index(), process.index());
        };
        let known: BTreeSet<(Side, Item)> = self
            .facts
            .accesses
            .iter()
            .map(|access| (self.sides[access.process], access.item))
            .collect();
        // What changes with a signal, and on which side; what it carries may change on both.
        let mut changed: BTreeMap<SignalId, BTreeSet<(CellId, Option<Side>)>> = BTreeMap::new();
        for (signal, cells) in self.facts.carried.enumerate() {
            changed.entry(signal).or_default().extend(cells.iter().map(|cell| (*cell, None)));
        }
        for access in self.facts.accesses.iter().filter(|access| access.touch.writes) {
            if let Item::Cell(cell) = access.item {
                let side = Some(self.sides[access.process]);
                for signal in &access.signals {
                    changed.entry(*signal).or_default().insert((cell, side));
                }
            }
        }
        for used in &self.facts.uses {
            match self.signals[used.channel] {
                None => tie(used.process, Knot::Item(Item::Channel(used.channel))),
                Some(signal) => {
                    let side = self.sides[used.process];
                    if !self.facts.broadcasts.contains(&used.channel)
                        || sent.contains(&(side, signal))
                    {
                        tie(used.process, Knot::Signal(signal));
                    }
                    for (cell, writer) in changed.get(&signal).into_iter().flatten() {
                        let item = Item::Cell(*cell);
                        // Who looks at what its own side writes is connected with the writer anyway.
                        if *writer != Some(side) && known.contains(&(side, item)) {
                            tie(used.process, Knot::Item(item));
                        }
                    }
                }
            }
        }
        for access in &self.facts.accesses {
            if self.facts.changes(access.item) {
                tie(access.process, Knot::Item(access.item));
            }
        }
        let mut components: BTreeMap<(Side, usize), Vec<ProcessId>> = BTreeMap::new();
        for (process, side) in self.sides.enumerate() {
            let root = forest.root(process.index());
            components.entry((*side, root)).or_default().push(process);
        }
        let component = |((side, _), processes)| Component { side, processes };
        components.into_iter().map(component).collect()
    }
}

/// Disjoint sets, each named by its smallest element.
struct Forest(Vec<usize>);

impl Forest {
    fn new(len: usize) -> Self {
        Self((0..len).collect())
    }

    fn root(&mut self, mut element: usize) -> usize {
        while self.0[element] != element {
            self.0[element] = self.0[self.0[element]];
            element = self.0[element];
        }
        element
    }

    fn join(&mut self, left: usize, right: usize) {
        let (left, right) = (self.root(left), self.root(right));
        let (small, large) = (left.min(right), left.max(right));
        self.0[large] = small;
    }
}
