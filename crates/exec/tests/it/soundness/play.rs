//! Plays a network against a specification.

use std::sync::Arc;

use punctual_exec::online::{Budget, Options, Run, run};
use punctual_exec::{Limits, ModelOptions, Played, Policy, Refusal, Timekeeping};
use punctual_model::{Network, ProcessId, TimeScale, Trace};
use punctual_oracle::conformance::{Coverage, Session, Specification, Verdict, explain};
use punctual_semantics::split::{Named, Side};
use punctual_testgen::{Guided, Random, RandomOptions, Strategy, Timing};

use super::generate::{Draft, Features, draft};
use super::regions::{Sighting, instant};
use super::rng::Rng;

/// The seeds of the networks that a law looks at: the first `n`, or as many from the one on that the
/// environment names, as `cargo xtask soak` does.
pub(super) fn networks(n: u64) -> std::ops::Range<u64> {
    let first = std::env::var("PUNCTUAL_SEED").ok().and_then(|it| it.parse().ok()).unwrap_or(0);
    first..first + n
}

/// A draft that can be tested against, and a name of each process that is environment.
pub(super) fn specified(
    seed: u64,
    features: Features,
    time: TimeScale,
) -> Option<(Draft, Specification)> {
    let draft = draft(seed, features, time);
    let named = Named {
        environment: of_side(&draft, Side::Environment),
        system: of_side(&draft, Side::System),
    };
    let specification = Specification::new(draft.network.clone(), draft.interface.clone(), &named);
    match specification {
        Ok(specification) => Some((draft, specification)),
        Err(rejection) => {
            let text = rejection.to_string();
            assert!(text.contains("no signal shows it") || text.contains("both"), "{text}");
            None
        }
    }
}

pub(super) fn of_side(draft: &Draft, side: Side) -> Vec<ProcessId> {
    let them = draft.sides.enumerate().filter(|(_, other)| **other == side);
    them.map(|(id, _)| id).collect()
}

/// Runs a network, in place of the system, under the environment of a specification.
pub(super) fn play(
    seed: u64,
    draft: &Draft,
    specification: &Specification,
    played: &Network,
    budget: (u64, u64),
) -> Run {
    let mut rng = Rng::new(seed ^ 0x0a11);
    let unit_ns = draft.interface.time.unit_ns;
    let policy = match rng.below(6) {
        0 => Policy::Earliest,
        1 => Policy::Latest,
        2 => Policy::Fixed { delay_ns: rng.below(2 * unit_ns as usize + 1) as u64 },
        _ => Policy::Random { seed },
    };
    let environment = Some(of_side(draft, Side::Environment));
    let options = ModelOptions { policy, refusal: Refusal::Error, environment };
    let interface = Arc::new(draft.interface.clone());
    let mut sut =
        Played::new(played, interface, options, Timekeeping::Virtual, Limits::default()).unwrap();
    let timing = match rng.below(4) {
        0 => Timing::Eager,
        1 => Timing::Lazy,
        2 => Timing::Bounded { short: 1, long: 4 },
        _ => Timing::Random,
    };
    let random = RandomOptions { timing, wait: 0.3, restart: 0.0 };
    let mut strategy: Box<dyn Strategy> = match rng.percent(50) {
        true => Box::new(Random::new(seed, 0, random)),
        false => Box::new(Guided::new(seed, 0)),
    };
    let (units, events) = budget;
    let options = Options {
        budget: Budget { time_ns: units * unit_ns, events },
        horizon: specification.largest_constant(),
        lateness_ns: 0,
        windows: false,
    };
    let mut session = Session::new(specification, Coverage::new(false)).unwrap();
    run(&mut session, &mut sut, &mut *strategy, &options, &mut ())
}

/// What was seen, on the grid.
pub(super) fn sightings(draft: &Draft, trace: &Trace) -> Vec<Sighting> {
    let sighting = |event: &punctual_model::Event| Sighting {
        action: event.action.clone(),
        from: instant(&draft.interface, event.from_ns),
        to: instant(&draft.interface, event.to_ns),
    };
    trace.events.iter().map(sighting).collect()
}

/// A verdict and a trace, for people.
pub(super) fn tell(specification: &Specification, verdict: &Verdict, trace: &Trace) -> String {
    let mut text = match verdict {
        Verdict::Pass => "pass".to_owned(),
        Verdict::Inconclusive(it) => format!("inconclusive: {}", explain(specification, it)),
        Verdict::Fail(it) => format!("fail: {}", explain(specification, it)),
    };
    for event in &trace.events {
        let name = &specification.interface.signals[event.action.signal].name;
        text += &format!("\n  {name}{:?} {}..{}", event.action.values, event.from_ns, event.to_ns);
    }
    text += &format!("\n  end {}", trace.end_ns);
    let time = specification.interface.time;
    text + &format!(" (unit {} ns, resolution {})", time.unit_ns, time.resolution)
}
