//! The laws.

use punctual_model::{Action, Happening, Reading, TimeScale};
use punctual_oracle::conformance::{Part, Possible, Specification};
use punctual_oracle::{Finding, Judgement};
use punctual_semantics::estimate::{Interval, Role};
use punctual_semantics::split::Side;

use super::generate::{Draft, Features};
use super::mutate::mutated;
use super::play::{Game, networks, sightings, specified, tell};
use super::regions::{Instant, Regions, Sighting, instant};

/// Instants are often on the grid, or never, or always.
pub(super) const SCALES: [TimeScale; 7] = [
    TimeScale { unit_ns: 1000, resolution: 1 },
    TimeScale { unit_ns: 1000, resolution: 2 },
    TimeScale { unit_ns: 1000, resolution: 10 },
    TimeScale { unit_ns: 4, resolution: 1 },
    TimeScale { unit_ns: 4, resolution: 2 },
    TimeScale { unit_ns: 2, resolution: 2 },
    TimeScale { unit_ns: 20, resolution: 10 },
];

/// A system that does what its specification allows never fails.
#[test]
fn sampled_implementations_conform() {
    let (mut runs, mut lively, mut inconclusive, mut stuck, mut events) = (0, 0, 0, 0, 0);
    for seed in networks(500) {
        let scale = SCALES[seed as usize % SCALES.len()];
        let features = Features { endless: seed % 50 == 49, ..Features::ALL };
        let Some((draft, specification)) = specified(seed, features, scale) else { continue };
        runs += 1;
        let game = Game::new(seed, &draft, &specification, &draft.network, (30, 20));
        let run = game.run();
        stuck += u64::from(run.is_stuck);
        let text = || tell(&specification, &run.verdict, &run.trace);
        assert!(!run.verdict.is_fail(), "network {seed}: {}", text());
        lively += u64::from(run.trace.events.len() >= 3);
        events += run.trace.events.len();
        inconclusive += u64::from(matches!(run.verdict, Judgement::Inconclusive(_)));
    }
    println!(
        "{runs} runs, {lively} with three events or more, {events} events, \
         {inconclusive} inconclusive, {stuck} stuck"
    );
    assert!(lively * 10 >= runs * 6);
}

/// What fails can not be explained by any run of the specification, and what passes can.
#[test]
fn an_exhaustive_search_agrees_about_mutants() {
    let (mut fails, mut passes, mut unknown, mut runs) = (0, 0, 0, 0);
    for seed in networks(300) {
        let scale = [SCALES[3], SCALES[4], SCALES[5], SCALES[0]][seed as usize % 4];
        let Some((draft, specification)) = specified(seed, Features::ALL, scale) else { continue };
        let played = mutated(&draft, seed);
        runs += 1;
        let game = Game::new(seed, &draft, &specification, &played, (12, 10));
        let run = game.run();
        let verdict = &run.verdict;
        let seen = sightings(&draft, &run.trace);
        let end = instant(draft.interface(), run.trace.end_ns);
        let text = || format!("network {seed}: {}", tell(&specification, verdict, &run.trace));
        match verdict {
            Judgement::Fail(_) => {
                let whole = Regions::side(&draft, Side::System).explain(&seen, &[], end);
                assert_ne!(whole, Some(true), "{}", text());
                fails += 1;
                unknown += u64::from(whole.is_none());
            }
            Judgement::Pass => {
                let system = specification.parts.iter().filter(|it| it.side == Side::System);
                let system: Vec<_> = system.flat_map(|it| it.processes.clone()).collect();
                assert!(
                    system.is_empty() || Regions::open(&draft, &system).sends(&seen),
                    "{}",
                    text()
                );
                for part in &specification.parts {
                    let part = Regions::open(&draft, &part.processes).explain(&seen, &[], end);
                    assert_ne!(part, Some(false), "{}", text());
                    unknown += u64::from(part.is_none());
                }
                passes += 1;
            }
            Judgement::Inconclusive(_) => {}
        }
    }
    println!("{runs} runs, {fails} fails, {passes} passes, {unknown} not known");
    assert!(fails * 12 >= runs && unknown * 20 <= runs);
}

/// Something that was possible, as it would have been seen.
fn happening(what: &Possible) -> Option<Happening> {
    Some(match what {
        Possible::Signal(signal, values) => {
            Happening::Signal(Action { signal: *signal, values: values.clone()? })
        }
        Possible::Reading(values) => Happening::Reading(Reading { values: values.clone() }),
    })
}

/// Whether a part of the system can show something at an instant, after what was seen before.
fn is_possible(
    (draft, specification): (&Draft, &Specification),
    before: &[Sighting],
    what: &Possible,
    at: Instant,
) -> Option<bool> {
    let mut seen: Vec<Sighting> = before.to_vec();
    seen.push(Sighting { what: happening(what)?, from: at, to: at });
    let sends = |part: &&Part| match what {
        Possible::Signal(signal, _) => part.estimator.role(*signal) == Role::Sends,
        Possible::Reading(_) => true,
    };
    let mut parts = specification.parts.iter().filter(|it| it.side == Side::System).filter(sends);
    let (part, None) = (parts.next()?, parts.next()) else { return None };
    Regions::open(draft, &part.processes).explain(&seen, &[], at)
}

/// The windows that a diagnosis tells begin and end where an exhaustive search says: inside, what is
/// allowed could have come after all that was seen before, and outside not.
#[test]
fn an_exhaustive_search_agrees_about_windows() {
    let (mut fails, mut windows, mut ends, mut past, mut unknown) = (0, 0, 0, 0, 0);
    for seed in networks(1200) {
        let scale = [SCALES[3], SCALES[4], SCALES[5], SCALES[0]][seed as usize % 4];
        let features = Features { observed: seed % 2 == 0, ..Features::ALL };
        let Some((draft, specification)) = specified(seed, features, scale) else { continue };
        let played = mutated(&draft, seed);
        let game = Game::new(seed, &draft, &specification, &played, (12, 10));
        let run = game.run();
        let Judgement::Fail(Finding::Conformance(diagnosis)) = &run.verdict else { continue };
        fails += 1;
        let mut seen = sightings(&draft, &run.trace);
        if diagnosis.seen.is_some() {
            seen.pop();
        }
        let last = seen.last().map_or(0, |it| it.to);
        for allowed in &diagnosis.allowed {
            let Interval { from, to } = allowed.interval;
            let first = 2 * from.at + i64::from(from.open);
            let end = to.map(|to| 2 * to.at - i64::from(to.open));
            let inside = [first, end.unwrap_or(first + 1)];
            // What a look ahead did not reach may go on.
            let after = end.filter(|_| diagnosis.horizon.is_none()).map(|end| end + 1);
            let before = Some(first - 1).filter(|it| *it >= 0);
            let known = (&draft, &specification);
            let text = || {
                let text = tell(&specification, &run.verdict, &run.trace);
                format!("network {seed}: {allowed:?} {text}")
            };
            // Nothing in between two instants was seen, so that there is one history of each.
            let history = |at: Instant| &seen[..seen.partition_point(|it| it.to < at)];
            let is_seen = |at: Instant| seen.iter().any(|it| it.from <= at && at <= it.to);
            let mut checks: Vec<(Instant, bool)> = Vec::new();
            checks.extend(inside.into_iter().filter(|at| !is_seen(*at)).map(|at| (at, true)));
            checks.extend(after.filter(|at| !is_seen(*at)).map(|at| (at, false)));
            if !is_seen(first) {
                checks.extend(before.filter(|at| !is_seen(*at)).map(|at| (at, false)));
            } else if let Some(before) = before.filter(|at| !is_seen(*at)) {
                // It begins with an observation. If it was allowed just before, something of that
                // instant closed the window: itself, or what made it impossible.
                let here = history(first).len()..seen.partition_point(|it| it.from <= first);
                let itself = seen[here.clone()]
                    .iter()
                    .any(|it| Some(&it.what) == happening(&allowed.what).as_ref());
                let closed = (here.start + 1..here.end)
                    .any(|n| is_possible(known, &seen[..n], &allowed.what, first) != Some(true));
                if !itself && !closed {
                    checks.push((before, false));
                }
            }
            for (at, expected) in checks {
                match is_possible(known, history(at), &allowed.what, at) {
                    None => unknown += 1,
                    Some(possible) => {
                        assert_eq!(possible, expected, "{at}: {}", text());
                        ends += 1;
                    }
                }
            }
            windows += 1;
            past += u64::from(first < last);
        }
    }
    println!(
        "{fails} fails, {windows} windows, {past} from before the last observation, {ends} instants, \
         {unknown} not known"
    );
    assert!(windows > fails && past * 20 > windows && unknown * 4 < ends);
}
