//! Runs of a case, drawn one by one, and how many of them show what the case expects.
//!
//! A run follows the statistical semantics step by step: each process that can act draws an instant, even between the first at
//! which one of its edges is open and the last that its invariant allows, and the earliest acts; then all draw again. What an
//! action does comes from the concrete semantics ([`Lookup`]). Time is counted in nanoseconds. Nothing of `smc::exact`,
//! `semantics::estimate` or the slices of a specification is used. A component that the case does not read is left out: what it does is
//! not seen, and no other depends on it.
//!
//! A step that nothing decides about, and a delay without an end, are refused.

use std::collections::BTreeSet;

use punctual_model::testing::Place;
use punctual_model::{Network, ProcessId};
use punctual_semantics::program::Chance;
use punctual_semantics::specification::Specification;
use punctual_semantics::split::Side;
use punctual_smc::Stream;

use super::acts::{Act, Acts, shown};
use super::lookup::{By, Lookup, window};
use super::reduced::{receives, reduced};

/// How many runs showed what.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Counts {
    pub(super) runs: u64,
    /// All that is expected before the ending.
    pub(super) outputs: u64,
    /// All that is expected before the ending, and nothing that is not allowed.
    pub(super) clean: u64,
    /// All that is expected.
    pub(super) joint: u64,
    /// Something that is not allowed.
    pub(super) illegal: u64,
}

/// Runs a case many times. The tester begins at a random instant below the phase, in nanoseconds; at once, if it is 0.
pub(super) fn count(
    specification: &Specification,
    acts: &Acts,
    phase_ns: u64,
    (runs, seed): (u64, u64),
) -> Result<Counts, String> {
    let networks = networks(specification, acts);
    let mut parts = Vec::new();
    for (part, network) in &networks {
        parts.push(Played::new(specification, acts, *part, network)?);
    }
    let mut seen: Vec<Vec<i32>> = acts.readings.iter().map(|it| vec![0; it.ports.len()]).collect();
    let mut counts = Counts::default();
    for run in 0..runs {
        let mut chance = Stream::of_run(seed, run);
        let begin = below(&mut chance, phase_ns.max(1));
        for part in &mut parts {
            part.play(begin, &mut chance, &mut seen)?;
        }
        let mut said = [true; 3];
        for (number, (reading, seen)) in acts.readings.iter().zip(&seen).enumerate() {
            let is_expected = reading.is_expected(seen);
            said[0] &= is_expected || number >= acts.before.1;
            said[1] &= is_expected;
            said[2] &= is_expected || reading.is_allowed(seen);
        }
        counts.runs += 1;
        counts.outputs += u64::from(said[0]);
        counts.clean += u64::from(said[0] && said[2]);
        counts.joint += u64::from(said[1]);
        counts.illegal += u64::from(!said[2]);
    }
    Ok(counts)
}

/// For each part of the system that the case reads, the network that is left.
fn networks(specification: &Specification, acts: &Acts) -> Vec<(usize, Network)> {
    let ports = acts.readings.iter().flat_map(|reading| &reading.ports);
    let read: BTreeSet<usize> =
        ports.flat_map(|(port, _)| specification.readers(*port)).map(|(part, _)| *part).collect();
    let inputs = acts.inputs();
    let network = |part: usize| {
        let ours = inputs.iter().filter(|input| receives(specification, part, **input));
        (part, reduced(specification, part, &ours.copied().collect()))
    };
    read.into_iter().map(network).collect()
}

/// A number below another one, each as probable as any other.
fn below(chance: &mut Stream, end: u64) -> i64 {
    let product = u128::from(chance.bits()) * u128::from(end);
    (product >> 64) as i64
}

/// What a case does with a part: an instant in nanoseconds, the act, and for a reading the positions and places of the part's
/// ports.
type Ours = (i64, Act, Vec<(usize, Place)>);

/// A part of the system while a case is played to it.
struct Played<'n> {
    lookup: Lookup<'n>,
    acts: Vec<Ours>,
    start: (usize, Vec<i64>),
    state: usize,
    clocks: Vec<i64>,
}

impl<'n> Played<'n> {
    fn new(
        specification: &Specification,
        acts: &Acts,
        part: usize,
        network: &'n Network,
    ) -> Result<Played<'n>, String> {
        let unit_ns = i64::try_from(specification.interface().time.unit_ns);
        let unit_ns = unit_ns.map_err(|_| "a unit of time that is too long")?;
        let is_system = |id: ProcessId| specification.split.sides[id] == Side::System;
        let mut lookup = Lookup::new(network, is_system, unit_ns)?;
        let start = lookup.start()?;
        let mut ours = Vec::new();
        for (ns, act) in &acts.acts {
            let at = i64::try_from(*ns).map_err(|_| "a case that is too long")?;
            match act {
                Act::Input(channel) if receives(specification, part, *channel) => {
                    ours.push((at, *act, Vec::new()));
                }
                Act::Input(_) => {}
                Act::Read(number) => {
                    let ports = acts.readings[*number].ports.iter().enumerate();
                    let is_ours = |port| specification.readers(port).iter().any(|it| it.0 == part);
                    let places = ports.filter(|(_, (port, _))| is_ours(*port));
                    let places: Vec<_> = places.map(|(at, (_, place))| (at, *place)).collect();
                    if !places.is_empty() {
                        ours.push((at, *act, places));
                    }
                }
            }
        }
        let (state, clocks) = start.clone();
        Ok(Played { lookup, acts: ours, start, state, clocks })
    }

    fn play(
        &mut self,
        begin: i64,
        chance: &mut Stream,
        seen: &mut [Vec<i32>],
    ) -> Result<(), String> {
        self.state = self.start.0;
        self.clocks.copy_from_slice(&self.start.1);
        let mut now = 0;
        for number in 0..self.acts.len() {
            let at = begin + self.acts[number].0;
            self.wait(at - now, chance)?;
            now = at;
            match self.acts[number].1 {
                Act::Input(channel) => self.take(0, |by| by == By::Input(channel))?,
                Act::Read(reading) => {
                    let known = self.lookup.known(self.state);
                    for (at, place) in &self.acts[number].2 {
                        seen[reading][*at] = shown(*place, &known.locations, &known.ints);
                    }
                }
            }
        }
        Ok(())
    }

    /// Lets time pass, and the processes act meanwhile.
    fn wait(&mut self, mut left: i64, chance: &mut Stream) -> Result<(), String> {
        loop {
            if self.lookup.known(self.state).stands {
                self.take(0, |by| matches!(by, By::Own(..)))?;
                continue;
            }
            let first = self.race(chance)?;
            let until = first.map_or(left, |(delay, _)| delay.min(left));
            let stay = self.lookup.known(self.state).stay(&self.clocks);
            if stay.is_some_and(|stay| stay < until) {
                return Err("time has to stop".to_owned());
            }
            match first {
                Some((delay, process)) if delay < left => {
                    left -= delay;
                    self.take(delay, |by| matches!(by, By::Own(it, _) if it == process))?;
                }
                _ => {
                    self.clocks.iter_mut().for_each(|clock| *clock += left);
                    return Ok(());
                }
            }
        }
    }

    /// Each process that can act draws a delay; the shortest.
    fn race(&mut self, chance: &mut Stream) -> Result<Option<(i64, ProcessId)>, String> {
        let mut first: Option<(i64, ProcessId)> = None;
        for number in 0..self.lookup.known(self.state).actors.len() {
            let Some((process, open)) = self.open(number)? else { continue };
            let actor = &self.lookup.known(self.state).actors[number];
            let stay = actor.stay(&self.clocks).ok_or("a delay without an end")?;
            if stay < open {
                continue;
            }
            let delay = open + below(chance, (stay - open).unsigned_abs() + 1);
            if first.is_none_or(|(least, _)| delay < least) {
                first = Some((delay, process));
            }
        }
        Ok(first)
    }

    /// A process, and the delay after which its first edge is open.
    fn open(&mut self, number: usize) -> Result<Option<(ProcessId, i64)>, String> {
        let mut first: Option<i64> = None;
        let actor = &self.lookup.known(self.state).actors[number];
        let process = actor.process;
        for at in 0..actor.edges.len() {
            let (edge, guard) = &self.lookup.known(self.state).actors[number].edges[at];
            let (edge, (from, to)) = (*edge, window(guard, &self.clocks));
            if to.is_some_and(|to| to < from) || first.is_some_and(|first| first <= from) {
                continue;
            }
            // Whether its data allow the edge.
            let answer = self.lookup.steps(self.state, &self.clocks, from)?;
            let mut steps = self.lookup.answer(answer).iter();
            if steps.any(|step| step.by == By::Own(process, edge)) {
                first = Some(from);
            }
        }
        Ok(first.map(|first| (process, first)))
    }

    /// After a delay, takes the only step of somebody.
    fn take(&mut self, delay: i64, is_it: impl Fn(By) -> bool) -> Result<(), String> {
        let answer = self.lookup.steps(self.state, &self.clocks, delay)?;
        let mut steps = self.lookup.answer(answer).iter().filter(|step| is_it(step.by));
        match (steps.next(), steps.next()) {
            (Some(step), None) => {
                self.clocks.iter_mut().for_each(|clock| *clock += delay);
                step.reset(&mut self.clocks);
                self.state = step.next;
                Ok(())
            }
            (None, _) => Err("nothing can be done, and something must".to_owned()),
            _ => Err("a choice that nothing decides about".to_owned()),
        }
    }
}
