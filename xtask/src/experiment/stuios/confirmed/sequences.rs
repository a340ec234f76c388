//! Whether endings prove what they say, by brute force.
//!
//! The case is played on a grid of time with all that the system may do meanwhile, from all phases of the grid. That gives all
//! contexts in which it may have shown what it expects and be at the location that the ending proves. From one of them at least
//! the ending must be possible; what it shows may be left to chance. With the automaton at any other location, all else alike and its clock at each value of the grid
//! that the invariant allows, it must not be. Nothing of the symbolic search that found the ending is used.
//!
//! An ending without its last step must be possible from some other location, since shorter endings were
//! searched first. So a search by brute force that looks at nothing does not go unnoticed.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use punctual_model::testing::Place;
use punctual_model::testing::suite::Case;
use punctual_model::{ClockId, Id, Location, LocationId, Network, ProcessId};
use punctual_semantics::specification::Specification;
use punctual_semantics::split::Side;

use super::acts::{Act, Acts};
use super::grid::{Grid, Spot};
use super::lookup::Lookup;
use super::reduced::{receives, reduced};

/// How fine the grid is.
#[derive(Clone, Copy)]
pub(super) struct Fineness {
    /// Ticks of a unit of the model.
    pub(super) ticks: i64,
    /// The phases at which a case may begin: each multiple of the second that is below the first, in ticks. Only 0 if the first is 0.
    pub(super) phases: (i64, i64),
    /// For one of how many contexts all values of the clock are tried. For the others only those values are at which something
    /// may change while the ending is played, their neighbours and the middles between them.
    pub(super) complete: usize,
    /// The distance between two of all values of a clock, in ticks.
    pub(super) every: usize,
}

/// What came of an ending.
#[derive(Clone, Default, Debug)]
pub(super) struct Confirmed {
    pub(super) proves: String,
    /// Contexts that the case may end with.
    pub(super) n_contexts: usize,
    /// From how many of them the ending is possible.
    pub(super) n_possible: usize,
    /// States at other locations that the ending was tried from.
    pub(super) n_starts: usize,
    /// Other locations from which the ending is possible; none if it proves what it says.
    pub(super) rivals: BTreeSet<String>,
    /// Whether it is possible from one of them without its last step.
    pub(super) is_shortest: bool,
}

/// Tries the ending of a case; none if it has none.
pub(super) fn confirm(
    specification: &Specification,
    (case, acts): (&Case, &Acts),
    fineness: Fineness,
) -> Result<Option<Confirmed>, String> {
    let chance = case.chance.as_ref().ok_or("a case without a chance")?;
    let Some(ending) = &chance.ending else { return Ok(None) };
    let (process, location) = find(&specification.network, &ending.proves)
        .ok_or_else(|| format!("there is no {}", ending.proves))?;
    let is_its = |part: &usize| {
        let part = &specification.parts[*part];
        part.side == Side::System && part.processes.contains(&process)
    };
    let part = (0..specification.parts.len()).find(is_its).ok_or("a location of no part")?;
    let inputs: BTreeSet<_> = acts.inputs();
    let inputs = inputs.into_iter().filter(|it| receives(specification, part, *it)).collect();
    let network = reduced(specification, part, &inputs);
    let is_system = |id: ProcessId| specification.split.sides[id] == Side::System;
    let lookup = Lookup::new(&network, is_system, fineness.ticks)?;
    let tried = Tried {
        specification,
        acts,
        part,
        process,
        fineness,
        network: &network,
        grid: Grid::new(lookup),
    };
    tried.confirm(location, &ending.proves).map(Some)
}

struct Tried<'t, 'n> {
    specification: &'t Specification,
    acts: &'t Acts,
    part: usize,
    process: ProcessId,
    fineness: Fineness,
    network: &'n Network,
    grid: Grid<'n>,
}

impl Tried<'_, '_> {
    fn confirm(mut self, location: LocationId, proves: &str) -> Result<Confirmed, String> {
        let mut confirmed = Confirmed { proves: proves.to_owned(), ..Confirmed::default() };
        let contexts = self.contexts(location)?;
        confirmed.n_contexts = contexts.len();
        let n_acts = self.acts.acts.len();
        let shorter = self.without_last();
        let mut instants: Vec<BTreeSet<i64>> = Vec::new();
        for context in &contexts {
            self.grid.watch();
            let left = self.after_ending(HashSet::from([context.clone()]), n_acts)?;
            confirmed.n_possible += usize::from(!left.is_empty());
            instants.push(self.grid.watched());
        }
        let locations = &self.network.processes[self.process].locations;
        for (other, Location { name, .. }) in locations.enumerate() {
            if other == location {
                continue;
            }
            let mut tried: HashSet<Spot> = HashSet::new();
            for ((state, clocks), instants) in self.starts(&contexts, &instants) {
                let state = self.grid.lookup.displaced(state, self.process, other)?;
                let values = self.values(state, &clocks, instants.as_ref());
                let mut from: HashSet<Spot> = values.into_iter().map(|it| (state, it)).collect();
                from.retain(|spot| !tried.contains(spot));
                confirmed.n_starts += from.len();
                if !self.after_ending(from.clone(), n_acts)?.is_empty() {
                    confirmed.rivals.insert(name.clone());
                }
                // Once it is known it need not be asked again.
                confirmed.is_shortest =
                    confirmed.is_shortest || !self.after_ending(from.clone(), shorter)?.is_empty();
                tried.extend(from);
            }
        }
        Ok(confirmed)
    }

    /// The contexts that other locations are tried with. The clocks of the automaton go over all of the grid where no instants are
    /// given; otherwise something may change at these.
    fn starts(
        &self,
        contexts: &[Spot],
        instants: &[BTreeSet<i64>],
    ) -> Vec<(Spot, Option<BTreeSet<i64>>)> {
        // Without the clocks of the automaton, contexts may be alike.
        let mut alike: BTreeMap<Spot, BTreeSet<i64>> = BTreeMap::new();
        for ((state, clocks), instants) in contexts.iter().zip(instants) {
            let mut clocks = clocks.clone();
            self.own().for_each(|clock| clocks[clock] = 0);
            alike.entry((*state, clocks)).or_default().extend(instants);
        }
        let all = alike.into_iter().enumerate();
        all.map(|(number, (spot, instants))| {
            let is_complete = number.is_multiple_of(self.fineness.complete);
            (spot, (!is_complete).then_some(instants))
        })
        .collect()
    }

    /// The clocks of the automaton that something looks at.
    fn own(&self) -> impl Iterator<Item = usize> {
        let clocks = self.grid.lookup.clocks.iter().enumerate();
        let owner = |clock: ClockId| self.network.clocks[clock].owner;
        clocks.filter(move |(_, it)| owner(**it) == Some(self.process)).map(|(at, _)| at)
    }

    /// The values of the clocks at another location: those of the automaton are any that its invariant allows.
    fn values(
        &self,
        state: usize,
        clocks: &[i64],
        instants: Option<&BTreeSet<i64>>,
    ) -> Vec<Vec<i64>> {
        let mut all = vec![clocks.to_vec()];
        for clock in self.own() {
            let last = self.grid.lookup.bounds[clock].last().map_or(0, |it| it + 1);
            let values: Vec<i64> = match instants {
                None => (0..=last).step_by(self.fineness.every).chain([last]).collect(),
                Some(instants) => self.near(clock, last, instants).into_iter().collect(),
            };
            let with = |clocks: &Vec<i64>| {
                let mut clocks = clocks.clone();
                values.clone().into_iter().map(move |value| {
                    clocks[clock] = value;
                    clocks.clone()
                })
            };
            all = all.iter().flat_map(with).collect();
        }
        let known = self.grid.lookup.known(state);
        all.retain(|clocks| known.stay(clocks).is_none_or(|stay| stay >= 0));
        all
    }

    /// The values of a clock that is compared otherwise at one of these instants, their neighbours and the middles between them.
    fn near(&self, clock: usize, last: i64, instants: &BTreeSet<i64>) -> BTreeSet<i64> {
        let mut values = BTreeSet::from([0, last]);
        for bound in &self.grid.lookup.bounds[clock] {
            let at = instants.iter().map(|instant| bound - instant);
            values.extend(at.flat_map(|at| [at - 1, at, at + 1]));
        }
        let values: BTreeSet<i64> =
            values.into_iter().filter(|it| (0..=last).contains(it)).collect();
        let middles = values.iter().zip(values.iter().skip(1)).map(|(a, b)| i64::midpoint(*a, *b));
        middles.chain(values.iter().copied()).collect()
    }

    /// Where the system may be after the case, if it has shown what it expects and the automaton is at its location.
    fn contexts(&mut self, location: LocationId) -> Result<Vec<Spot>, String> {
        let (end, every) = self.fineness.phases;
        let start = self.grid.lookup.start()?;
        let mut found: BTreeSet<Spot> = BTreeSet::new();
        let mut phase = 0;
        while phase == 0 || phase < end {
            let begun = self.grid.wait(&HashSet::from([start.clone()]), phase)?;
            found.extend(self.after_case(begun)?);
            phase += every;
        }
        let is_there = |(state, _): &Spot| {
            self.grid.lookup.known(*state).locations[self.process.index()] == location
        };
        Ok(found.into_iter().filter(is_there).collect())
    }

    /// How many acts are left without those of the last step of the ending. A step is an input or a wait, and a reading.
    fn without_last(&self) -> usize {
        let last = self.acts.acts.len().saturating_sub(1).max(self.acts.before.0);
        let ending = &self.acts.acts[self.acts.before.0..last];
        match ending.last() {
            Some((_, Act::Input(_))) => last - 1,
            _ => last,
        }
    }

    /// Where the system may be after the case, if it has shown what it expects.
    fn after_case(&mut self, spots: HashSet<Spot>) -> Result<HashSet<Spot>, String> {
        let n_before = self.acts.before.0;
        let (spots, now) = self.play(spots, (0, n_before), 0)?;
        self.grid.wait(&spots, self.ticks(self.acts.ending_ns - now)?)
    }

    /// Where it may be after so many acts, if it was at these spots when the ending began and has shown what that expects.
    fn after_ending(
        &mut self,
        spots: HashSet<Spot>,
        n_acts: usize,
    ) -> Result<HashSet<Spot>, String> {
        let played = self.play(spots, (self.acts.before.0, n_acts), self.acts.ending_ns)?;
        Ok(played.0)
    }

    /// Plays acts from some number to another one, and keeps the spots that show what is expected; and the instant at the end.
    fn play(
        &mut self,
        mut spots: HashSet<Spot>,
        (from, to): (usize, usize),
        mut now: u64,
    ) -> Result<(HashSet<Spot>, u64), String> {
        for (at, act) in &self.acts.acts[from..to] {
            spots = self.grid.wait(&spots, self.ticks(at - now)?)?;
            now = *at;
            match act {
                Act::Input(channel) if receives(self.specification, self.part, *channel) => {
                    spots = self.grid.input(&spots, *channel)?;
                }
                Act::Input(_) => {}
                Act::Read(number) => {
                    let shows = self.shows(*number);
                    spots = self.grid.read(spots, &shows);
                }
            }
        }
        Ok((spots, now))
    }

    /// What a reading expects of the part.
    fn shows(&self, number: usize) -> Vec<(Place, i32)> {
        let reading = &self.acts.readings[number];
        let ports = reading.ports.iter().zip(&reading.expected);
        let readers = |port| self.specification.readers(port).iter();
        let ours = ports.filter(|((port, _), _)| readers(*port).any(|(it, _)| *it == self.part));
        ours.map(|((_, place), value)| (*place, *value)).collect()
    }

    fn ticks(&self, ns: u64) -> Result<i64, String> {
        let unit_ns = self.specification.interface().time.unit_ns;
        let ticks = u128::from(ns) * u128::from(self.fineness.ticks.unsigned_abs());
        match ticks.is_multiple_of(u128::from(unit_ns)) {
            true => i64::try_from(ticks / u128::from(unit_ns)).map_err(|it| it.to_string()),
            false => Err("an instant between two points of the grid".to_owned()),
        }
    }
}

/// The automaton and the location of a name such as `Error.Qualified`.
fn find(network: &Network, name: &str) -> Option<(ProcessId, LocationId)> {
    let (process, location) = name.rsplit_once('.')?;
    let (id, process) = network.processes.enumerate().find(|(_, it)| it.name == process)?;
    let mut locations = process.locations.enumerate();
    let (location, _) = locations.find(|(_, it)| it.name == location)?;
    Some((id, location))
}
