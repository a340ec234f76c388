//! Inputs and outputs that take their time.

use punctual_model::{Direction, Event, Happening, Interface, TimeScale, Trace, Uncertainty};
use punctual_oracle::Cause;
use punctual_oracle::conformance::{Coverage, Diagnosis, Monitor, Specification};
use punctual_semantics::split::Side;

use super::generate::{Draft, Features};
use super::play::{Game, networks, specified};
use super::regions::{Regions, Sighting, instant, queues};
use super::rng::Rng;

/// How the tester sees a run: inputs are sent earlier than they arrive, outputs seen later than they
/// were sent, each way in its order, with up to `extra_ns` beyond what is stated.
pub(super) fn delayed(
    trace: &Trace,
    specification: &Specification,
    extra_ns: u64,
    rng: &mut Rng,
) -> Option<Trace> {
    let Uncertainty { input_ns, output_ns, .. } = specification.interface().uncertainty;
    let mut within = |(least, most): (u64, u64), extra_ns: u64| {
        least + rng.below((most + extra_ns - least + 1) as usize) as u64
    };
    let mut last_ns = [0, 0];
    let mut seen = Vec::new();
    for event in &trace.events {
        let (at_ns, way) = match direction(specification.interface(), event) {
            Direction::Input => {
                let latest_ns = event.from_ns.checked_sub(input_ns.0)?;
                (event.from_ns.saturating_sub(within(input_ns, 0)).min(latest_ns), 0)
            }
            Direction::Output => (event.from_ns + within(output_ns, extra_ns), 1),
        };
        last_ns[way] = at_ns.max(last_ns[way]);
        let (from_ns, to_ns) = (last_ns[way], last_ns[way]);
        seen.push((way, Event { from_ns, to_ns, ..event.clone() }));
    }
    // What is sent and seen at one instant: sent first, if anything takes time.
    let blurred = input_ns.1 + output_ns.1 + extra_ns > 0 && rng.percent(50);
    seen.sort_by_key(|(way, event)| (event.from_ns, if blurred { *way } else { 0 }));
    let events: Vec<Event> = seen.into_iter().map(|(_, event)| event).collect();
    let end_ns = events.last().map_or(0, |event| event.to_ns).max(trace.end_ns);
    Some(Trace { events, end_ns })
}

/// Which way a signal or a reading went.
fn direction(interface: &Interface, event: &Event) -> Direction {
    event.action().map_or(Direction::Output, |action| interface.signals[action.signal].direction)
}

/// What the system's side says of a trace.
pub(super) fn monitored(
    specification: &Specification,
    trace: &Trace,
) -> Result<(), Box<Diagnosis>> {
    let mut coverage = Coverage::new(false);
    let mut monitor = Monitor::new(specification)?;
    for event in &trace.events {
        monitor.event(event, &mut coverage)?;
    }
    monitor.finish(trace.end_ns, &mut coverage)
}

/// What an exhaustive search of all orders says of it.
fn searched(draft: &Draft, specification: &Specification, trace: &Trace) -> Option<bool> {
    let Uncertainty { input_ns, output_ns, .. } = specification.interface().uncertainty;
    let interface = draft.interface();
    let sighting = |event: &Event| {
        let (from_ns, to_ns) = match direction(interface, event) {
            Direction::Input => (event.from_ns + input_ns.0, event.to_ns + input_ns.1),
            Direction::Output => {
                (event.from_ns.saturating_sub(output_ns.1), event.to_ns.saturating_sub(output_ns.0))
            }
        };
        let (from, to) = (instant(interface, from_ns), instant(interface, to_ns));
        Sighting { what: event.what.clone(), from, to }
    };
    let seen: Vec<Sighting> = trace.events.iter().map(sighting).collect();
    let (inputs, outputs) = match input_ns.1 + output_ns.1 {
        0 => (seen, Vec::new()),
        _ => queues(interface, &seen),
    };
    let end = instant(interface, trace.end_ns.saturating_sub(output_ns.1));
    let mut all = Some(true);
    for part in specification.parts.iter().filter(|part| part.side == Side::System) {
        match Regions::open(draft, &part.processes).explain(&inputs, &outputs, end) {
            Some(true) => {}
            Some(false) => return Some(false),
            None => all = None,
        }
    }
    all
}

pub(super) fn uncertainty(rng: &mut Rng, unit_ns: u64) -> Uncertainty {
    let mut range = || {
        let steps = [0, unit_ns / 2, unit_ns, 2 * unit_ns];
        let (a, b) = (rng.pick(&steps), rng.pick(&steps));
        let (a, b) = match rng.percent(50) {
            true => (a, b),
            false => (rng.below(unit_ns as usize) as u64, a),
        };
        (a.min(b), a.max(b))
    };
    Uncertainty { input_ns: range(), output_ns: range(), drift_ppb: 0 }
}

/// A system whose signals take no longer than stated never fails; one whose signals do, may. In both
/// cases an exhaustive search of all orders says the same.
#[test]
fn delays_within_the_stated_ones_never_fail() {
    let (mut runs, mut swapped, mut late, mut unknown) = (0, 0, 0, 0);
    for seed in networks(300) {
        // Instants are on the grid: in between, a search of regions knows less of their order.
        let resolution = [1, 2, 4][seed as usize % 3];
        let scale = TimeScale { unit_ns: u64::from(resolution), resolution };
        let features = Features { system_max: 2, ..Features::ALL };
        let Some((draft, mut specification)) = specified(seed, features, scale) else { continue };
        let game = Game::new(seed, &draft, &specification, &draft.network, (10, 8));
        let run = game.run();
        if !run.verdict.is_pass() {
            continue;
        }
        let mut rng = Rng::new(seed ^ 0xde1a);
        specification.wired.interface.uncertainty = uncertainty(&mut rng, scale.unit_ns);
        for extra_ns in [0, 2 * scale.unit_ns] {
            let Some(seen) = delayed(&run.trace, &specification, extra_ns, &mut rng) else {
                continue;
            };
            let text = |said: &Result<(), Box<Diagnosis>>| {
                let uncertainty = specification.interface().uncertainty;
                let cause = said.as_ref().err().map(|it| it.cause);
                format!("network {seed}: {cause:?} {uncertainty:?}\n{:?}\n{seen:?}", run.trace)
            };
            let said = monitored(&specification, &seen);
            if said.as_ref().is_err_and(|it| it.cause == Cause::TooManyStates) {
                continue;
            }
            assert!(said.is_ok() || extra_ns > 0, "{}", text(&said));
            runs += 1;
            late += u64::from(said.is_err());
            let order = |trace: &Trace| -> Vec<Happening> {
                trace.events.iter().map(|event| event.what.clone()).collect()
            };
            swapped += u64::from(order(&seen) != order(&run.trace));
            match searched(&draft, &specification, &seen) {
                Some(searched) => assert_eq!(said.is_ok(), searched, "{}", text(&said)),
                None => unknown += 1,
            }
        }
    }
    println!("{runs} traces, {swapped} in another order, {late} too late, {unknown} not known");
    assert!(swapped * 20 >= runs && late * 20 >= runs && unknown * 10 <= runs);
}

/// How a tester sees a run of a system whose clock runs faster and slower by `ppb` at most: both clocks start together, and differ between two
/// events by as much as they may, or by less.
pub(super) fn warped(trace: &Trace, ppb: u64, way: Option<bool>, rng: &mut Rng) -> Trace {
    let (mut before_ns, mut now_ns) = (0, 0);
    let mut later = |at_ns: u64| {
        // While the tester's clock goes on by `t`, the other one goes on by `t` and at most `ppb` of it more or less.
        let system_ns = at_ns - before_ns;
        let (slow_ns, fast_ns) =
            (system_ns * ppb / (1_000_000_000 - ppb), system_ns * ppb / (1_000_000_000 + ppb));
        let off_ns = match way {
            Some(true) => fast_ns,
            Some(false) => 0,
            None => rng.below((slow_ns + fast_ns + 1) as usize) as u64,
        };
        let tester_ns = match way {
            Some(false) => system_ns + slow_ns,
            _ => system_ns + slow_ns * u64::from(way.is_none()) - off_ns,
        };
        (before_ns, now_ns) = (at_ns, now_ns + tester_ns);
        now_ns
    };
    let events = trace.events.iter().map(|event| {
        let at_ns = later(event.from_ns);
        Event { from_ns: at_ns, to_ns: at_ns, ..event.clone() }
    });
    let events = events.collect();
    Trace { events, end_ns: later(trace.end_ns) }
}

/// A system whose clock is wrong by no more than stated never fails; one whose clock is wrong by more may.
#[test]
fn clocks_within_the_stated_drift_never_fail() {
    let (mut runs, mut moved, mut wrong, mut wrong_found) = (0, 0, 0, 0);
    for seed in networks(400) {
        let resolution = [1, 4, 50][seed as usize % 3];
        let scale = TimeScale { unit_ns: 1_000_000, resolution };
        let features = Features { system_max: 2, ..Features::ALL };
        let Some((draft, mut specification)) = specified(seed, features, scale) else { continue };
        let run = Game::new(seed, &draft, &specification, &draft.network, (10, 8)).run();
        if !run.verdict.is_pass() {
            continue;
        }
        let mut rng = Rng::new(seed ^ 0xd41f7);
        let ppb = rng.pick(&[50_000, 1_000_000, 30_000_000, 99_000_000]);
        specification.wired.interface.uncertainty = match rng.percent(50) {
            true => uncertainty(&mut rng, scale.unit_ns),
            false => Uncertainty::default(),
        };
        for (way, factor) in [(None, 1), (Some(true), 1), (Some(false), 1), (None, 5)] {
            // What the system does is warped first, and then delayed.
            specification.wired.interface.uncertainty.drift_ppb = ppb;
            let off_ppb = (u64::from(ppb) * factor).min(900_000_000);
            let warped = warped(&run.trace, off_ppb, way, &mut rng);
            let Some(seen) = delayed(&warped, &specification, 0, &mut rng) else { continue };
            let said = monitored(&specification, &seen);
            if said.as_ref().is_err_and(|it| it.cause == Cause::TooManyStates) {
                continue;
            }
            if factor > 1 {
                wrong += 1;
                wrong_found += u64::from(said.is_err());
                continue;
            }
            let cause = said.as_ref().err().map(|it| it.cause);
            let uncertainty = specification.interface().uncertainty;
            let trace = &run.trace;
            assert!(said.is_ok(), "network {seed}: {cause:?} {uncertainty:?}\n{trace:?}\n{seen:?}");
            runs += 1;
            specification.wired.interface.uncertainty.drift_ppb = 0;
            moved += u64::from(monitored(&specification, &seen).is_err());
        }
    }
    println!(
        "{runs} traces, {moved} of them fail if clocks may not drift; {wrong_found} of {wrong} wrong ones"
    );
    assert!(moved * 20 >= runs && wrong_found * 20 >= wrong);
}
