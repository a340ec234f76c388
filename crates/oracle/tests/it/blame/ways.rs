//! Coverage against all ways that explain a run.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use punctual_model::{Action, Event, Happening, Id, Value};
use punctual_oracle::Oracle;
use punctual_oracle::conformance::{Coverage, Session};
use punctual_semantics::Move;
use punctual_semantics::concrete::{Concrete, State};
use punctual_semantics::split::Side;

use super::generate::draft;
use super::law::{complete, enrich, systems, trace};
use super::regions::{Instant, Observed, Regions, Seen};
use super::rng::Rng;

/// Runs that can be explained in more ways are not looked at.
const WAYS_MAX: usize = 20_000;
/// Where there are more ways to locations and integers, an estimate may not keep them all. (It keeps zones, of which one state may have several.)
const FEW: usize = 8;

/// A process and one of its edges, by their numbers.
type Taken = (usize, usize);
type Ways = HashSet<(State, BTreeSet<Taken>)>;

/// All runs of a system, with the edges that each has taken since the last observation.
struct AllWays<'r> {
    regions: &'r Regions,
    ways: Ways,
    /// How often each edge may have been taken, and how often it must have been.
    counts: BTreeMap<Taken, (u64, u64)>,
    /// Whether there were so many ways that an estimate might not keep them all.
    are_many: bool,
}

impl<'r> AllWays<'r> {
    fn new(regions: &'r Regions) -> Self {
        let initial = regions.initial().into_iter();
        let ways = initial.map(|(state, _)| (state, BTreeSet::new())).collect();
        Self { regions, ways, counts: BTreeMap::new(), are_many: false }
    }

    /// Everything that nobody sees happens, up to an instant. None if that is too much.
    fn wait(&mut self, until: Instant) -> Option<()> {
        let concrete = Concrete::new(&self.regions.network);
        let mut todo: Vec<_> = self.ways.iter().cloned().collect();
        while let Some((state, way)) = todo.pop() {
            let mut found = Vec::new();
            for (action, moves, after) in self.regions.steps_by(&concrete, &state) {
                if action.is_none() {
                    found.push((after, self.longer(&way, &moves)));
                }
            }
            if let Some(later) = self.regions.later(&concrete, &state)
                && self.regions.instant(&later) <= until
            {
                found.push((later, way));
            }
            for (state, way) in found {
                let found = (self.regions.canonical(state), way);
                if self.ways.insert(found.clone()) {
                    todo.push(found);
                }
            }
            if self.ways.len() > WAYS_MAX {
                return None;
            }
        }
        let places = self.ways.iter().map(|(state, way)| (&state.locations, &state.ints, way));
        self.are_many |= places.collect::<HashSet<_>>().len() > FEW;
        Some(())
    }

    fn longer(&self, way: &BTreeSet<Taken>, moves: &[Move]) -> BTreeSet<Taken> {
        let outside = self.regions.network.processes.len() - 1;
        let moves = moves.iter().map(|it| (it.process.index(), it.edge.index()));
        way.iter().copied().chain(moves.filter(|it| it.0 != outside)).collect()
    }

    /// A signal is seen. None if no run explains it, or there are too many.
    fn observe(&mut self, seen: &Seen) -> Option<()> {
        let Observed::Signal(signal, values) = &seen.what else { return None };
        self.wait(seen.to)?;
        let concrete = Concrete::new(&self.regions.network);
        let mut next = Ways::new();
        for (state, way) in &self.ways {
            if self.regions.instant(state) != seen.from {
                continue;
            }
            let mut taken = Vec::new();
            if self.regions.uses[signal.index()].0 {
                taken = self.regions.given_by(&concrete, state, *signal, values);
            } else {
                for (action, moves, after) in self.regions.steps_by(&concrete, state) {
                    if action.as_ref().is_some_and(|it| (it.0, &it.1) == (*signal, values)) {
                        taken.push((moves, after));
                    }
                }
            }
            for (moves, after) in taken {
                next.insert((self.regions.canonical(after), self.longer(way, &moves)));
            }
        }
        if next.is_empty() {
            return None;
        }
        self.count(next.iter().map(|it| &it.1));
        self.ways = next.into_iter().map(|(state, _)| (state, BTreeSet::new())).collect();
        Some(())
    }

    /// The run is over.
    fn end(&mut self, at: Instant) -> Option<()> {
        self.wait(at)?;
        let regions = self.regions;
        let ways: HashSet<_> =
            self.ways.iter().filter(|it| regions.instant(&it.0) >= at).cloned().collect();
        (!ways.is_empty()).then(|| self.count(ways.iter().map(|it| &it.1)))
    }

    fn count<'w>(&mut self, ways: impl Iterator<Item = &'w BTreeSet<Taken>>) {
        let (mut n, mut times) = (0, BTreeMap::<Taken, u64>::new());
        for way in ways {
            n += 1;
            way.iter().for_each(|it| *times.entry(*it).or_default() += 1);
        }
        for (edge, times) in times {
            let counts = self.counts.entry(edge).or_default();
            *counts = (counts.0 + 1, counts.1 + u64::from(times == n));
        }
    }
}

/// Edges that may have been taken, and those that must have been, are those of all ways that explain a run. Where there are few ways, nearly
/// always none is missing.
#[test]
fn coverage_says_what_all_ways_say() {
    let (mut n_runs, mut n_open, mut n_hidden, mut n_many, mut n_whole) = (0, 0, 0, 0, 0);
    for seed in systems(500) {
        let resolution = [1, 1, 2][seed as usize % 3];
        let mut draft = draft(seed, resolution);
        let mut rng = Rng::new(seed ^ 0x3a95);
        enrich(&mut draft, &mut rng);
        let regions = Regions::new(&draft);
        let Some(specification) = complete(&draft) else { continue };
        let mut of_system = specification.parts.iter().filter(|it| it.side == Side::System);
        let n_processes = draft.network.processes.len();
        if of_system.next().is_none_or(|it| it.processes.len() != n_processes) {
            continue;
        }
        let end = 5 * Instant::from(resolution);
        let Some(told) = trace(&regions, &mut rng, seed, end) else { continue };
        let over = told.last().map_or(0, |it| it.from) + i64::from(rng.within(0, 6));
        let ns = |at: Instant| at.unsigned_abs() * 500 / u64::from(resolution);
        let mut all = AllWays::new(&regions);
        let mut explain = || {
            told.iter().try_for_each(|seen| all.observe(seen))?;
            all.end(over)
        };
        if explain().is_none() {
            continue;
        }
        let mut session =
            Session::new(&specification, Coverage::new(true)).map_err(|_| ()).unwrap();
        for seen in &told {
            let Observed::Signal(signal, values) = &seen.what else { continue };
            let values = values.iter().map(|it| Value::Int(i64::from(*it))).collect();
            let what = Happening::Signal(Action { signal: *signal, values });
            if rng.percent(30) {
                session.approach(ns(seen.from), ns(seen.from));
            }
            session.event(&Event::at(what, ns(seen.from)));
        }
        if !session.conclude(ns(over)).is_pass() {
            continue;
        }
        let edges = session.coverage.edges();
        let of_system =
            edges.filter(|(process, _, it)| process.index() < n_processes && it.possible > 0);
        let found: BTreeMap<Taken, (u64, u64)> = of_system
            .map(|(process, edge, it)| ((process.index(), edge.index()), (it.possible, it.certain)))
            .collect();
        // What is claimed is true.
        for (edge, (possible, certain)) in &found {
            let expected = all.counts.get(edge).copied().unwrap_or_default();
            let is_true = *possible <= expected.0 && *certain <= expected.1;
            assert!(is_true, "system {seed}\n{draft}\n{told:#?}, over at {over}");
        }
        if all.are_many {
            n_many += 1;
            continue;
        }
        n_runs += 1;
        n_open += u64::from(all.counts.values().any(|it| it.0 != it.1));
        n_hidden += u64::from(all.counts.values().any(|it| it.0 > told.len() as u64));
        n_whole += u64::from(found == all.counts);
    }
    println!(
        "{n_runs} runs, {n_open} with edges that are not certain, {n_hidden} with hidden steps, {n_whole} whole, \
         {n_many} of many ways"
    );
    assert!(n_runs > 100 && n_open > 30, "{n_runs} {n_open}");
    assert!(n_whole * 20 > n_runs * 19, "{n_whole} of {n_runs}");
}
