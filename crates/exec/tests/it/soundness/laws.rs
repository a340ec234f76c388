//! The laws.

use punctual_model::TimeScale;
use punctual_oracle::Judgement;
use punctual_semantics::split::Side;

use super::generate::Features;
use super::mutate::mutated;
use super::play::{Game, networks, sightings, specified, tell};
use super::regions::{Regions, instant};

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
