//! Live and recorded.

use punctual_model::{Event, Trace};
use punctual_oracle::conformance::{Coverage, Session, Specification, judge};
use punctual_oracle::{Finding, Judgement, Oracle};

use super::generate::Features;
use super::laws::SCALES;
use super::mutate::mutated;
use super::play::{Game, networks, specified, tell};
use super::rng::Rng;

/// Follows a trace live: time passes in steps, and nobody knows what comes.
pub(super) fn followed(
    specification: &Specification,
    trace: &Trace,
    step_ns: u64,
) -> Judgement<Finding> {
    let mut session = Session::new(specification, Coverage::new(false)).unwrap();
    let mut now_ns = 0;
    for event in &trace.events {
        while now_ns + step_ns < event.from_ns {
            now_ns += step_ns;
            session.quiet(now_ns, now_ns);
        }
        session.approach(event.from_ns, event.from_ns);
        session.event(event);
        now_ns = event.to_ns;
    }
    while now_ns + step_ns < trace.end_ns {
        now_ns += step_ns;
        session.quiet(now_ns, now_ns);
    }
    session.finish(trace.end_ns)
}

/// Judges a trace afterwards.
fn judged(specification: &Specification, trace: &Trace) -> Judgement<Finding> {
    judge(specification, trace, &mut Coverage::new(false)).map(Finding::Conformance)
}

/// The trace with something changed, so that either side may be wrong.
fn changed(trace: &Trace, unit_ns: u64, rng: &mut Rng) -> Trace {
    let mut trace = trace.clone();
    if trace.events.is_empty() || rng.percent(25) {
        return trace;
    }
    let i = rng.below(trace.events.len());
    match rng.below(3) {
        0 => drop(trace.events.remove(i)),
        1 => {
            let later_ns = rng.below(3 * unit_ns as usize) as u64;
            for event in &mut trace.events[i..] {
                (event.from_ns, event.to_ns) = (event.from_ns + later_ns, event.to_ns + later_ns);
            }
            trace.end_ns += later_ns;
        }
        _ => {
            let last_ns = if i == 0 { 0 } else { trace.events[i - 1].to_ns };
            let Event { from_ns, to_ns, .. } = &mut trace.events[i];
            *from_ns = last_ns + rng.below((*from_ns - last_ns + 1) as usize) as u64;
            *to_ns = *from_ns;
        }
    }
    trace
}

/// A trace gets the same verdict whether it is followed live, in small steps or large ones, or judged
/// afterwards.
#[test]
fn live_and_recorded_get_the_same_verdict() {
    let mut kinds = std::collections::BTreeMap::new();
    for seed in networks(300) {
        let scale = SCALES[seed as usize % SCALES.len()];
        let features = Features { system_max: 2, ..Features::ALL };
        let Some((draft, specification)) = specified(seed, features, scale) else { continue };
        let mut rng = Rng::new(seed ^ 0x11fe);
        let played = if seed % 2 == 0 { draft.network.clone() } else { mutated(&draft, seed) };
        let game = Game::new(seed, &draft, &specification, &played, (12, 10));
        let run = game.run();
        let mut trace = changed(&run.trace, scale.unit_ns, &mut rng);
        let recorded = judged(&specification, &trace);
        for step_ns in [1, scale.unit_ns / 2, scale.unit_ns, 7 * scale.unit_ns] {
            let step_ns = step_ns.max(scale.unit_ns / 4).max(1);
            let live = followed(&specification, &trace, step_ns);
            let text = || {
                let live = tell(&specification, &live, &trace);
                format!("network {seed}, steps of {step_ns}: {live}")
            };
            let told = tell(&specification, &recorded, &trace);
            assert_eq!(live.verdict(), recorded.verdict(), "{}\n{told}", text());
        }
        *kinds.entry(recorded.verdict()).or_insert(0) += 1;
        if seed % 20 == 0 {
            // Very long delays are followed in parts.
            trace.end_ns += (20_000 / u64::from(scale.resolution)) * scale.unit_ns;
            let recorded = judged(&specification, &trace);
            let live = followed(&specification, &trace, 97 * scale.unit_ns);
            assert_eq!(live.verdict(), recorded.verdict(), "network {seed}, long delays");
        }
    }
    println!("{kinds:?}");
    assert!(kinds.len() == 3 && kinds.values().all(|n| *n > 30), "{kinds:?}");
}
