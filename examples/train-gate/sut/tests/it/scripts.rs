//! What the controller does in situations that are written down.

use punctual_sdk::System;
use train_gate_controller::{Controller, Mutant, Settings, system};

const UNIT_NS: u64 = 1_000_000;

/// Runs a controller of four tracks by a script of times and inputs, and says what it answered by
/// `until`.
fn play(mutant: Mutant, seed: u64, script: &[(u64, &str)], until: u64) -> Vec<(u64, String)> {
    let mut system = system(mutant, 4, seed);
    system.reset();
    answers(&mut system, script, until)
}

fn answers(system: &mut dyn System, script: &[(u64, &str)], until: u64) -> Vec<(u64, String)> {
    let mut found = Vec::new();
    let end = (until, "");
    for (at, name) in script.iter().chain([&end]) {
        while let Some(output) = system.advance(at * UNIT_NS) {
            found.push((output.at_ns / UNIT_NS, output.name));
        }
        if !name.is_empty() {
            system.input(at * UNIT_NS, name, &[]);
        }
    }
    found
}

/// The names in order, whatever the times.
fn names(answers: &[(u64, String)]) -> Vec<&str> {
    answers.iter().map(|(_, name)| name.as_str()).collect()
}

/// Trains 1, 3, 2 and 4 come while the station is taken by the first, which leaves at 30.
const FULL: [(u64, &str); 5] =
    [(0, "appr[1]"), (10, "appr[3]"), (16, "appr[2]"), (22, "appr[4]"), (30, "leave[1]")];

#[test]
fn the_first_train_is_not_stopped() {
    for seed in 0..20 {
        assert!(play(Mutant::M0, seed, &[(3, "appr[2]")], 100).is_empty());
        assert!(play(Mutant::M0, seed, &[(3, "appr[2]"), (20, "leave[2]")], 100).is_empty());
    }
}

#[test]
fn trains_are_stopped_and_sent_in_order_within_5() {
    for seed in 0..50 {
        let answers = play(Mutant::M0, seed, &FULL, 100);
        assert_eq!(names(&answers), ["stop[3]", "stop[2]", "stop[4]", "go[3]"]);
        for ((at, name), from) in answers.iter().zip([10, 16, 22, 30]) {
            assert!((from..=from + 5).contains(at), "{name} at {at}");
        }
    }
}

#[test]
fn all_delays_are_used() {
    let mut stops: Vec<u64> =
        (0..100).map(|seed| play(Mutant::M0, seed, &FULL, 100)[0].0).collect();
    stops.sort_unstable();
    stops.dedup();
    assert_eq!(stops, [10, 11, 12, 13, 14, 15]);
}

#[test]
fn delays_can_be_finer_than_a_unit() {
    let settings = Settings { steps_per_unit: 4, ..Settings::new(Mutant::M0, 4, 3) };
    let mut controller = Controller::new(settings);
    controller.reset();
    let mut seen = Vec::new();
    for i in 0..50 {
        let start_ns = i * 100 * UNIT_NS;
        assert!(controller.advance(start_ns).is_none());
        controller.input(start_ns, "appr[1]", &[]);
        controller.input(start_ns, "appr[2]", &[]);
        let stop = controller.advance(start_ns + 10 * UNIT_NS).expect("a stop");
        assert_eq!(stop.at_ns % (UNIT_NS / 4), 0);
        seen.push(!(stop.at_ns - start_ns).is_multiple_of(UNIT_NS));
        controller.input(stop.at_ns, "leave[1]", &[]);
        assert!(controller.advance(start_ns + 50 * UNIT_NS).is_some());
        controller.input(start_ns + 50 * UNIT_NS, "leave[2]", &[]);
    }
    assert!(seen.contains(&true) && seen.contains(&false));
}

/// The station becomes free between an approach and its stop: stop comes all the same, then go.
#[test]
fn a_stop_that_is_owed_comes() {
    for seed in 0..50 {
        let script = [(0, "appr[1]"), (15, "appr[2]"), (15, "leave[1]")];
        let answers = play(Mutant::M0, seed, &script, 100);
        assert_eq!(names(&answers), ["stop[2]", "go[2]"]);
        let (stop, go) = (answers[0].0, answers[1].0);
        assert!((15..=20).contains(&stop) && (stop..=stop + 5).contains(&go), "{answers:?}");
    }
}

/// Whichever thread would come first, trains are served as they were heard, also at one instant.
#[test]
fn inputs_of_one_instant_keep_their_order() {
    let script = [
        (0, "appr[1]"),
        (20, "leave[1]"),
        (20, "appr[2]"),
        (20, "appr[1]"),
        (20, "appr[3]"),
        (40, "leave[2]"),
        (60, "leave[1]"),
    ];
    for seed in 0..20 {
        let answers = play(Mutant::M0, seed, &script, 100);
        let names = names(&answers);
        let mut stops = names[..2].to_vec();
        stops.sort_unstable();
        assert_eq!(stops, ["stop[1]", "stop[3]"]);
        assert_eq!(names[2..], ["go[1]", "go[3]"]);
    }
}

#[test]
fn nonsense_is_ignored() {
    let script = [
        (0, "leave[2]"),
        (0, "appr"),
        (0, "appr[0]"),
        (0, "appr[5]"),
        (0, "appr[99999999999999999999]"),
        (0, "coin"),
        (0, "appr[1]"),
        (1, "appr[1]"),
        (2, "leave[3]"),
    ];
    assert!(play(Mutant::M0, 1, &script, 100).is_empty());
}

#[test]
fn m1_stops_train_3_after_6() {
    for seed in 0..20 {
        let answers = play(Mutant::M1, seed, &FULL, 100);
        assert!(answers.contains(&(16, "stop[3]".into())), "{answers:?}");
    }
}

#[test]
fn m2_stops_train_1_instead_of_3() {
    let answers = play(Mutant::M2, 1, &FULL, 100);
    assert_eq!(names(&answers), ["stop[1]", "stop[2]", "stop[4]", "go[3]"]);
}

#[test]
fn m3_never_stops_train_3() {
    let answers = play(Mutant::M3, 1, &FULL, 100);
    assert_eq!(names(&answers), ["stop[2]", "stop[4]", "go[3]"]);
}

#[test]
fn m4_forgets_the_third_of_four() {
    let script: Vec<_> = FULL.into_iter().chain([(60, "leave[3]")]).collect();
    for seed in 0..20 {
        let right = play(Mutant::M0, seed, &script, 100);
        assert_eq!(names(&right), ["stop[3]", "stop[2]", "stop[4]", "go[3]", "go[2]"]);
        let wrong = play(Mutant::M4, seed, &script, 100);
        assert_eq!(names(&wrong), ["stop[3]", "stop[2]", "stop[4]", "go[3]", "go[4]"]);
    }
}

#[test]
fn m5_sends_the_last_first() {
    let answers = play(Mutant::M5, 1, &FULL, 100);
    assert_eq!(names(&answers), ["stop[3]", "stop[2]", "stop[4]", "go[4]"]);
}

#[test]
fn m6_does_not_hear_train_3_at_first() {
    let script = |at| [(0, "appr[1]"), (at, "appr[3]")];
    assert!(play(Mutant::M6, 1, &script(0), 100).is_empty());
    assert!(play(Mutant::M6, 1, &script(1), 100).is_empty());
    assert_eq!(names(&play(Mutant::M6, 1, &script(2), 100)), ["stop[3]"]);
    let again = |at| [(5, "appr[3]"), (20, "leave[3]"), (20, "appr[1]"), (at, "appr[3]")];
    assert!(play(Mutant::M6, 1, &again(21), 100).is_empty());
    assert_eq!(names(&play(Mutant::M6, 1, &again(22), 100)), ["stop[3]"]);
}

#[test]
fn mutants_have_names() {
    for mutant in Mutant::ALL {
        assert_eq!(mutant.to_string().parse(), Ok(mutant));
    }
    assert_eq!("6".parse(), Ok(Mutant::M6));
    assert!("M7".parse::<Mutant>().is_err() && "".parse::<Mutant>().is_err());
}
