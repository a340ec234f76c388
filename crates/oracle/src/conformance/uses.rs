//! Which definitions of variables a run has used.
//!
//! A state set stands for several explanations, whose variables may have their values from different edges. So each variable has
//! a *set* of edges that its value may come from. Explanations that are ruled out later leave their edges in these sets until
//! the variable is written again: a use is *certain* only where the set has one edge.
//!
//! A way has each edge once. Where hidden steps may have gone round, nobody knows what was written last: all that the way writes
//! may be read on it, and nothing is certain.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use punctual_model::{ChannelId, LocationId};
use punctual_semantics::split::{CellId, Flow, Pair, Split, Taken};

/// How often a definition was used.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct UseCoverage {
    /// Observations that some state explains by a way on which the value is used.
    pub possible: u64,
    /// Observations that all states explain so, where the value can come from nowhere else.
    pub certain: u64,
}

/// Where a value may come from; none is the initial value.
type Origins = BTreeSet<Option<Taken>>;

/// The uses of definitions in a run.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct Uses {
    flow: Arc<Flow>,
    /// The channels of signals: they are taken once between two observations.
    signals: BTreeSet<ChannelId>,
    /// Where the values of variables come from that were written since the run began.
    origins: BTreeMap<CellId, Origins>,
    pairs: BTreeMap<Pair, UseCoverage>,
}

/// What the ways of one observation do to the variables.
#[derive(Default)]
struct Change {
    /// On how many ways the variable is surely written.
    overwritten: usize,
    /// Where its value may come from on the ways that write it.
    origins: Origins,
}

impl Uses {
    pub(super) fn new(split: &Split) -> Uses {
        let signals = split.signals.enumerate().filter(|(_, signal)| signal.is_some());
        let signals = signals.map(|(channel, _)| channel).collect();
        Uses { flow: Arc::clone(split.flow()), signals, ..Uses::default() }
    }

    /// Whether hidden edges of a way may have been taken several times.
    fn repeats(&self, way: &[Taken]) -> bool {
        let is_hidden = |edge: &&Taken| {
            !self.flow.edge(**edge).channels.iter().any(|it| self.signals.contains(it))
        };
        let hidden: Vec<Taken> = way.iter().filter(is_hidden).copied().collect();
        hidden.iter().any(|first| {
            let mut reached: BTreeSet<LocationId> =
                self.flow.edge(*first).targets.iter().copied().collect();
            let mut n_reached = 0;
            while reached.len() > n_reached {
                n_reached = reached.len();
                for other in hidden.iter().filter(|it| it.0 == first.0) {
                    let other = self.flow.edge(*other);
                    if other.source.is_some_and(|it| reached.contains(&it)) {
                        reached.extend(&other.targets);
                    }
                }
            }
            self.flow.edge(*first).source.is_some_and(|it| reached.contains(&it))
        })
    }

    /// All variables have their initial values again.
    pub(super) fn restart(&mut self) {
        self.origins.clear();
    }

    pub(super) fn pair(&self, pair: &Pair) -> UseCoverage {
        self.pairs.get(pair).copied().unwrap_or_default()
    }

    pub(super) fn add(&mut self, other: &Uses) {
        for (pair, more) in &other.pairs {
            let mine = self.pairs.entry(*pair).or_default();
            mine.possible += more.possible;
            mine.certain += more.certain;
        }
    }

    /// Notes the ways to the states of an estimate, each with its edges in the order in which they were first taken. An edge that is
    /// taken several times between two observations stands on a way once. `is_open` says that edges may have been taken in another order, too, or
    /// again between several signals. Where ways are missing (`are_all`), nothing is certain.
    pub(super) fn note<'w>(
        &mut self,
        ways: impl ExactSizeIterator<Item = &'w [Taken]>,
        is_open: bool,
        are_all: bool,
    ) {
        if self.flow.pairs().is_empty() {
            return;
        }
        let n = ways.len();
        let mut changes: BTreeMap<CellId, Change> = BTreeMap::new();
        // For each use, on how many ways it is, and on how many of them nothing else can be used.
        let mut used: BTreeMap<Pair, (usize, usize)> = BTreeMap::new();
        for way in ways {
            self.walk(way, is_open, &mut changes, &mut used);
        }
        for (cell, change) in changes {
            let before = self.origins.remove(&cell).unwrap_or_else(|| [None].into());
            let mut origins = change.origins;
            if change.overwritten < n || !are_all {
                origins.extend(before);
            }
            self.origins.insert(cell, origins);
        }
        for (pair, (ways, alone)) in used {
            let coverage = self.pairs.entry(pair).or_default();
            coverage.possible += 1;
            coverage.certain += u64::from(are_all && ways == n && alone == n);
        }
    }

    fn walk(
        &self,
        way: &[Taken],
        is_open: bool,
        changes: &mut BTreeMap<CellId, Change>,
        used: &mut BTreeMap<Pair, (usize, usize)>,
    ) {
        // What this way has written, and whether what was there before is gone.
        let mut own: BTreeMap<CellId, (Origins, bool)> = BTreeMap::new();
        let mut found: BTreeMap<Pair, bool> = BTreeMap::new();
        let repeats = is_open || self.repeats(way);
        if repeats {
            for &edge in way {
                for written in &self.flow.edge(edge).writes {
                    own.entry(written.cell).or_default().0.insert(Some(edge));
                }
            }
        }
        let mut at = 0;
        while at < way.len() {
            let joined = way[at..].windows(2).take_while(|it| self.flow.is_one_step(it[0], it[1]));
            let step = &way[at..=at + joined.count()];
            for &edge in step {
                for &cell in &self.flow.edge(edge).decides {
                    self.read(cell, edge, &own, &mut found);
                }
            }
            for &edge in step {
                let accessed = self.flow.edge(edge);
                for &cell in &accessed.computes {
                    self.read(cell, edge, &own, &mut found);
                }
                for written in &accessed.writes {
                    let (origins, is_over) = own.entry(written.cell).or_default();
                    if written.always && !repeats {
                        origins.clear();
                        *is_over = true;
                    }
                    origins.insert(Some(edge));
                }
            }
            at += step.len();
        }
        for (cell, (origins, is_over)) in own {
            let change = changes.entry(cell).or_default();
            change.overwritten += usize::from(is_over);
            change.origins.extend(origins);
        }
        for (pair, is_alone) in found {
            let (ways, alone) = used.entry(pair).or_default();
            *ways += 1;
            *alone += usize::from(is_alone && !repeats);
        }
    }

    fn read(
        &self,
        cell: CellId,
        edge: Taken,
        own: &BTreeMap<CellId, (Origins, bool)>,
        found: &mut BTreeMap<Pair, bool>,
    ) {
        let initial: Origins = [None].into();
        let before = self.origins.get(&cell).unwrap_or(&initial);
        let (written, is_over) = match own.get(&cell) {
            Some((origins, is_over)) => (Some(origins), *is_over),
            None => (None, false),
        };
        let before = before.iter().filter(|_| !is_over);
        let all: Origins = written.into_iter().flatten().chain(before).copied().collect();
        let is_alone = all.len() == 1;
        for definition in all {
            let pair = Pair { cell, definition, used: edge };
            let alone = found.entry(pair).or_insert(is_alone);
            *alone |= is_alone;
        }
    }
}
