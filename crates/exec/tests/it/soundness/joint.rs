//! Components apart against the whole network.

use punctual_model::TimeScale;
use punctual_semantics::split::Warning;

use super::generate::Features;
use super::mutate::mutated;
use super::play::{Game, networks, sightings, specified, tell};
use super::regions::{Regions, instant};

/// A trace is explained by the components apart just if the whole network has a run with it. All
/// instants are on the grid: in between, components could mean different ones.
///
/// Left out is what components do not know of each other by design: that another one is committed, and
/// whether somebody is ready for an urgent signal.
#[test]
fn components_apart_explain_what_the_whole_network_does() {
    let (mut passes, mut others, mut unknown) = (0, 0, 0);
    for seed in networks(300) {
        let resolution = [1, 2, 4][seed as usize % 3];
        let time = TimeScale { unit_ns: u64::from(resolution), resolution };
        let features =
            Features { committed: false, urgent_signals: false, system_max: 2, ..Features::ALL };
        let Some((draft, specification)) = specified(seed, features, time) else { continue };
        let lonely = |warning: &Warning| {
            matches!(warning, Warning::NobodySends(_) | Warning::NobodyReceives(_))
        };
        if specification.split.warnings.iter().any(lonely)
            || specification.parts.len() != specification.split.components().len()
        {
            continue;
        }
        let played = if seed % 2 == 0 { draft.network.clone() } else { mutated(&draft, seed) };
        let game = Game::new(seed, &draft, &specification, &played, (10, 8));
        let run = game.run();
        let verdict = &run.verdict;
        let seen = sightings(&draft, &run.trace);
        let end = instant(draft.interface(), run.trace.end_ns);
        let Some(whole) = Regions::closed(&draft).explain(&seen, &[], end) else {
            unknown += 1;
            continue;
        };
        let text = || format!("network {seed}: {}", tell(&specification, verdict, &run.trace));
        assert_eq!(verdict.is_pass(), whole, "{}", text());
        *(if whole { &mut passes } else { &mut others }) += 1;
    }
    println!("{passes} explained, {others} not, {unknown} not known");
    assert!(passes > 10 * unknown && others > unknown && unknown < passes);
}
