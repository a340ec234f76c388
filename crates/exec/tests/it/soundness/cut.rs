//! Traces that end while something is on its way.

use punctual_model::{TimeScale, Trace};
use punctual_oracle::conformance::{Coverage, judge};

use super::delays::{delayed, monitored, uncertainty, warped};
use super::generate::Features;
use super::live::followed;
use super::mutate::mutated;
use super::play::{Game, networks, specified};
use super::rng::Rng;

/// What a tester that ends at an instant has seen.
fn until(trace: &Trace, end_ns: u64) -> Trace {
    let events = trace.events.iter().filter(|it| it.to_ns <= end_ns).cloned().collect();
    Trace { events, end_ns }
}

/// Where a trace is cut: at its events, just before them, and anywhere.
fn ends(trace: &Trace, rng: &mut Rng) -> Vec<u64> {
    let at = trace.events.iter().map(|it| it.to_ns);
    let mut ends: Vec<u64> = at.clone().chain(at.map(|it| it.saturating_sub(1))).collect();
    ends.extend((0..6).map(|_| rng.below(trace.end_ns as usize + 1) as u64));
    ends.sort_unstable();
    ends.dedup();
    ends
}

/// A right system never fails, wherever its run is cut.
#[test]
fn right_systems_do_not_fail_at_any_end() {
    let (mut traces, mut cut_short) = (0, 0);
    for seed in networks(100) {
        let drifts = seed % 2 == 1;
        let resolution = [1, 2, 4][seed as usize % 3];
        let unit_ns = if drifts { 1_000_000 } else { u64::from(resolution) };
        let scale = TimeScale { unit_ns, resolution };
        let features = Features { observed: seed % 3 == 0, ..Features::ALL };
        let Some((draft, mut specification)) = specified(seed, features, scale) else { continue };
        let run = Game::new(seed, &draft, &specification, &draft.network, (12, 10)).run();
        if !run.verdict.is_pass() {
            continue;
        }
        let mut rng = Rng::new(seed ^ 0xc07);
        let ppb = if drifts { rng.pick(&[0, 1_000_000, 30_000_000, 99_000_000]) } else { 0 };
        let stated = &mut specification.wired.interface.uncertainty;
        *stated = uncertainty(&mut rng, scale.unit_ns);
        stated.drift_ppb = ppb;
        let own = if ppb > 0 {
            warped(&run.trace, u64::from(ppb), None, &mut rng)
        } else {
            run.trace.clone()
        };
        let Some(seen) = delayed(&own, &specification, 0, &mut rng) else { continue };
        for end_ns in ends(&seen, &mut rng) {
            let cut = until(&seen, end_ns);
            let said = monitored(&specification, &cut);
            let fails = said.as_ref().is_err_and(|it| it.cause.is_failure());
            let fails = fails || judge(&specification, &cut, &mut Coverage::new(true)).is_fail();
            let uncertainty = specification.interface().uncertainty;
            assert!(!fails, "network {seed}: {uncertainty:?} {said:?}\n{own:?}\n{cut:?}");
            traces += 1;
            cut_short += u64::from(cut.events.len() < seen.events.len());
        }
    }
    println!("{traces} traces, {cut_short} of them end before something is seen");
    assert!(traces > 500 && cut_short * 2 > traces);
}

/// Who looks often is told the same as who looks at the end, also where things take time and the clock of the system drifts.
#[test]
fn live_and_recorded_agree_at_any_end() {
    let mut traces = 0;
    for seed in networks(100) {
        let drifts = seed % 4 == 1;
        let unit_ns = if drifts { 1_000_000 } else { 4 };
        let scale = TimeScale { unit_ns, resolution: [1, 2, 4][seed as usize % 3] };
        let features = Features { observed: seed % 3 == 0, ..Features::ALL };
        let Some((draft, mut specification)) = specified(seed, features, scale) else { continue };
        let mut rng = Rng::new(seed ^ 0xc0de5);
        let played = if seed % 2 == 0 { draft.network.clone() } else { mutated(&draft, seed) };
        let run = Game::new(seed, &draft, &specification, &played, (10, 8)).run();
        let stated = &mut specification.wired.interface.uncertainty;
        *stated = uncertainty(&mut rng, unit_ns);
        stated.drift_ppb = if drifts { 30_000_000 } else { 0 };
        let extra_ns = if rng.percent(50) { 0 } else { 2 * unit_ns };
        let Some(seen) = delayed(&run.trace, &specification, extra_ns, &mut rng) else { continue };
        let all = ends(&seen, &mut rng);
        for _ in 0..3 {
            let cut = until(&seen, rng.pick(&all));
            let recorded = judge(&specification, &cut, &mut Coverage::new(false)).verdict();
            for step_ns in [unit_ns / 4, unit_ns, 7 * unit_ns] {
                let live = followed(&specification, &cut, step_ns).verdict();
                let uncertainty = specification.interface().uncertainty;
                assert_eq!(live, recorded, "network {seed}: {step_ns} {uncertainty:?} {cut:?}");
                traces += 1;
            }
        }
    }
    assert!(traces > 300, "{traces}");
}
