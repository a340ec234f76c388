//! Variables and locations that the tester reads.

use punctual_model::Happening;
use punctual_oracle::{Cause, Judgement};
use punctual_semantics::split::Side;

use super::generate::Features;
use super::laws::SCALES;
use super::mutate::mutated;
use super::play::{Game, networks, sightings, specified, tell};
use super::regions::{Regions, instant};

const OBSERVED: Features = Features { observed: true, ..Features::ALL };

fn n_readings(trace: &punctual_model::Trace) -> usize {
    trace.events.iter().filter(|event| matches!(event.what, Happening::Reading(_))).count()
}

/// A system that shows what its specification allows never fails.
#[test]
fn what_conforming_systems_show_never_fails() {
    let (mut runs, mut stuck, mut inconclusive, mut readings) = (0, 0, 0, 0);
    for seed in networks(2000) {
        let scale = SCALES[seed as usize % SCALES.len()];
        let Some((draft, specification)) = specified(seed, OBSERVED, scale) else { continue };
        runs += 1;
        let game = Game::new(seed, &draft, &specification, &draft.network, (30, 20));
        let run = game.run();
        stuck += u64::from(run.is_stuck);
        let text = || tell(&specification, &run.verdict, &run.trace);
        assert!(!run.verdict.is_fail(), "network {seed}: {}", text());
        inconclusive += u64::from(!run.verdict.is_pass());
        readings += n_readings(&run.trace);
    }
    println!("{runs} runs, {readings} readings, {inconclusive} inconclusive, {stuck} stuck");
    assert!(readings > 2 * runs);
}

/// What fails can not be explained by any run of the specification, and what passes can.
#[test]
fn an_exhaustive_search_agrees_about_what_mutants_show() {
    let (mut fails, mut shown, mut passes, mut unknown, mut runs) = (0, 0, 0, 0, 0);
    for seed in networks(600) {
        let scale = [SCALES[3], SCALES[4], SCALES[5], SCALES[0]][seed as usize % 4];
        let Some((draft, specification)) = specified(seed, OBSERVED, scale) else { continue };
        let played = mutated(&draft, seed);
        runs += 1;
        let game = Game::new(seed, &draft, &specification, &played, (12, 10));
        let run = game.run();
        let verdict = &run.verdict;
        let seen = sightings(&draft, &run.trace);
        let end = instant(draft.interface(), run.trace.end_ns);
        let text = || format!("network {seed}: {}", tell(&specification, verdict, &run.trace));
        match verdict {
            Judgement::Fail(finding) => {
                let whole = Regions::side(&draft, Side::System).explain(&seen, &[], end);
                assert_ne!(whole, Some(true), "{}", text());
                fails += 1;
                let last = run.trace.events.last().map(|event| &event.what);
                let by_reading = matches!(last, Some(Happening::Reading(_)));
                shown += u64::from(by_reading && finding.cause() == Cause::WrongValue);
                unknown += u64::from(whole.is_none());
            }
            Judgement::Pass => {
                let system = specification.parts.iter().filter(|part| part.side == Side::System);
                for part in system {
                    let part = Regions::open(&draft, &part.processes).explain(&seen, &[], end);
                    assert_ne!(part, Some(false), "{}", text());
                    unknown += u64::from(part.is_none());
                }
                passes += 1;
            }
            Judgement::Inconclusive(_) => {}
        }
    }
    println!(
        "{runs} runs, {fails} fails, {shown} by what was read, {passes} passes, {unknown} not known"
    );
    assert!(fails * 12 >= runs && shown * 12 >= fails && unknown * 20 <= runs);
}
