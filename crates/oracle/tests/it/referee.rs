//! Runs and their replays.

use proptest::prelude::*;
use punctual_model::{Event, Trace, Verdict};
use punctual_oracle::conformance::{Coverage, Session, Specification, judge};
use punctual_oracle::{All, Cause, Ending, Finding, Judged, Oracle, Referee};

use crate::load::{UNIT_NS, example, specification, trace};

fn machine() -> Specification {
    let network = example("coffee-machine/universal.xml");
    specification(network, &["coin", "req"], &["weakCoffee", "strongCoffee"])
}

/// What is told of a run.
#[derive(Clone, PartialEq, Debug)]
enum Call {
    Event(Event),
    Quiet(u64),
    Restart,
}

/// A coffee in half units: after how many there is a coin, a request, and a coffee.
type Coffee = (u64, u64, u64);

/// Parts of a run, between two restarts; what happens in each, and how long nothing happens after it.
#[derive(Clone, Debug)]
struct Story {
    parts: Vec<(Vec<Coffee>, u64)>,
    ending: Ending,
    late: Option<u64>,
    slack: u64,
}

fn arb_story() -> impl Strategy<Value = Story> {
    let coffee = (
        0..5_u64,
        prop_oneof![Just(20), Just(60), Just(90), Just(101), Just(120)],
        prop_oneof![4 => 20..=100_u64, 1 => 15..=115_u64],
    );
    let part = (prop::collection::vec(coffee, 0..3), 0..8_u64);
    let ending = prop_oneof![
        4 => Just(Ending::Complete),
        1 => Just(Ending::Stopped),
        1 => Just(Ending::Cut),
        1 => Just(Ending::Broken(Cause::Crash, "The system ended.".to_owned())),
    ];
    let late = prop_oneof![2 => Just(None), 2 => (1..8_u64).prop_map(Some), 1 => Just(Some(100))];
    (prop::collection::vec(part, 1..5), ending, late, prop_oneof![2 => Just(0), 1 => 0..6_u64])
        .prop_map(|(parts, ending, late, slack)| Story { parts, ending, late, slack })
}

const HALF_NS: u64 = UNIT_NS / 2;

/// The traces of a story, one for each part.
fn traces(specification: &Specification, story: &Story) -> Vec<Trace> {
    let part = |(coffees, after): &(Vec<Coffee>, u64)| {
        let mut text = String::new();
        for (coin, req, coffee) in coffees {
            let (coin, req, coffee) = (*coin as f64 / 2.0, *req as f64 / 2.0, *coffee as f64 / 2.0);
            let which = if coffee <= 30.0 && req < 50.0 { "weakCoffee" } else { "strongCoffee" };
            text += &format!(" {coin} coin {req} req {coffee} {which}");
        }
        trace(specification.interface(), &format!("{text} {}", *after as f64 / 2.0))
    };
    story.parts.iter().map(part).collect()
}

/// What a live run tells: events, restarts, and that time passes, as `ticks` says. A run that is decided
/// goes on only if `stubborn`.
fn live(
    session: &mut Session<'_>,
    story: &Story,
    traces: &[Trace],
    ticks: &[u64],
    stubborn: bool,
) -> (Vec<Call>, Judged, Trace) {
    let mut calls = Vec::new();
    let mut referee = Referee::new(session, story.slack * HALF_NS, true);
    let mut ticks = ticks.iter().copied().cycle();
    'run: for (i, part) in traces.iter().enumerate() {
        if i > 0 {
            calls.push(Call::Restart);
            if referee.close() && !stubborn {
                break;
            }
            referee.restart();
        }
        let mut now_ns = 0;
        for event in &part.events {
            while let Some(tick) = ticks.next().filter(|it| now_ns + it * HALF_NS < event.from_ns) {
                now_ns += (tick + 1) * HALF_NS;
                calls.push(Call::Quiet(now_ns));
                referee.quiet(now_ns);
            }
            calls.push(Call::Event(event.clone()));
            referee.approach(event);
            referee.event(event);
            referee.keep(event.clone());
            now_ns = event.to_ns;
            if referee.is_decided() && !stubborn {
                break 'run;
            }
        }
        calls.push(Call::Quiet(part.end_ns));
        referee.quiet(part.end_ns);
        if referee.is_decided() && !stubborn {
            break;
        }
    }
    let (judged, trace) = referee.finish(&story.ending, story.late.map(|it| it * HALF_NS));
    (calls, judged, trace)
}

/// The same calls again.
fn replayed(
    oracle: &mut dyn Oracle,
    story: &Story,
    calls: &[Call],
    keeps: bool,
) -> (Judged, Trace) {
    let mut referee = Referee::new(oracle, story.slack * HALF_NS, keeps);
    for call in calls {
        match call {
            Call::Event(event) => {
                referee.approach(event);
                referee.event(event);
                referee.keep(event.clone());
            }
            Call::Quiet(now_ns) => referee.quiet(*now_ns),
            Call::Restart => {
                referee.close();
                referee.restart();
            }
        }
    }
    referee.finish(&story.ending, story.late.map(|it| it * HALF_NS))
}

/// The verdict by definition: that of the first part that is not a pass, each judged alone; a fail counts
/// only if it is one with all delays of the tester; what ended the run counts if it is worse.
fn defined(specification: &Specification, story: &Story, traces: &[Trace]) -> (Verdict, bool) {
    let mut late = machine();
    if let Some(late_ns) = story.late.map(|it| it * HALF_NS) {
        late.wired.interface.uncertainty.input_ns.1 += late_ns;
        late.wired.interface.uncertainty.output_ns.1 += late_ns;
    }
    let judged = |specification: &Specification, part: &Trace| {
        let last_ns = part.events.last().map_or(0, |event| event.to_ns);
        let end_ns = part.end_ns.saturating_sub(story.slack * HALF_NS).max(last_ns);
        let part = Trace { events: part.events.clone(), end_ns };
        judge(specification, &part, &mut Coverage::new(false)).verdict()
    };
    let mut said = (Verdict::Pass, false);
    for part in traces {
        let word = judged(specification, part);
        if word != Verdict::Pass {
            let excused = word == Verdict::Fail && judged(&late, part) != Verdict::Fail;
            said = (if excused { Verdict::Inconclusive } else { word }, excused);
            break;
        }
    }
    let ended = match &story.ending {
        Ending::Complete | Ending::Left => Verdict::Pass,
        Ending::Stopped | Ending::Cut => Verdict::Inconclusive,
        Ending::Broken(cause, _) => cause.verdict(),
    };
    if ended > said.0 { (ended, false) } else { said }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// A replay of what a live run told gives its verdict, and that is the one by definition: with
    /// restarts, however time passes, whether the run ends when it is decided or not.
    #[test]
    fn replays_have_the_verdict_of_the_live_run(
        story in arb_story(),
        ticks in prop::collection::vec(0..40_u64, 1..6),
        stubborn in any::<bool>(),
    ) {
        let specification = machine();
        let traces = traces(&specification, &story);
        let mut session = Session::new(&specification, Coverage::new(false)).unwrap();
        let (calls, judged, trace) = live(&mut session, &story, &traces, &ticks, stubborn);
        let mut again = Session::new(&specification, Coverage::new(false)).unwrap();
        let replay = replayed(&mut again, &story, &calls, true);
        prop_assert_eq!(&replay, &(judged.clone(), trace));
        prop_assert_eq!(&session.coverage, &again.coverage);
        prop_assert_eq!((judged.judgement.verdict(), judged.excused), defined(&specification, &story, &traces));
        prop_assert_eq!(judged.cause().is_none(), judged.judgement.is_pass());
        if let Some(cause) = judged.cause() {
            prop_assert_eq!(cause.verdict(), judged.judgement.verdict());
        }
        // Together with another oracle that has nothing to say, nothing changes.
        let session = Session::new(&specification, Coverage::new(false)).unwrap();
        let mut all = All(vec![Box::new(session)]);
        prop_assert_eq!(&replayed(&mut all, &story, &calls, true), &replay);
        // Without the events nothing is excused, and nothing else changes. What excuses a fail may be worse itself: a crash.
        again = Session::new(&specification, Coverage::new(false)).unwrap();
        let (forgetful, _) = replayed(&mut again, &story, &calls, false);
        let is_excused = replay.0.excused
            || (story.late.is_some()
                && replay.0.judgement.is_fail()
                && matches!(replay.0.judgement.reason(), Some(Finding::Ending(..))));
        match is_excused {
            true => prop_assert!(forgetful.judgement.is_fail()),
            false => prop_assert_eq!(forgetful, replay.0),
        }
    }
}

/// What a run of these parts comes to.
fn run(parts: &[&str], ending: &Ending, late_ns: Option<u64>) -> (Judged, Coverage) {
    let specification = machine();
    let mut session = Session::new(&specification, Coverage::new(false)).unwrap();
    let mut referee = Referee::new(&mut session, 0, true);
    for (i, text) in parts.iter().enumerate() {
        if i > 0 {
            referee.close();
            referee.restart();
        }
        let trace = trace(specification.interface(), text);
        for event in trace.events {
            referee.approach(&event);
            referee.event(&event);
            referee.keep(event);
        }
        referee.quiet(trace.end_ns);
    }
    let (judged, _) = referee.finish(ending, late_ns);
    (judged, session.coverage)
}

#[test]
fn a_fail_before_a_restart_is_not_lost() {
    let (bad, good) = ("coin 30 req 5 weakCoffee", "coin 30 req 20 weakCoffee");
    for parts in [[bad, good, good], [good, bad, good], [good, good, bad], [bad, bad, bad]] {
        let (judged, _) = run(&parts, &Ending::Complete, None);
        assert_eq!(judged.cause(), Some(Cause::TooEarly), "{parts:?}");
    }
    assert!(run(&[good, good, good], &Ending::Complete, None).0.judgement.is_pass());
}

#[test]
fn what_only_a_late_tester_explains_is_inconclusive() {
    let late = ["coin 30 req 32 strongCoffee 1 coin 10 req 32"];
    let judged = |late_ns| run(&late, &Ending::Complete, late_ns).0;
    assert_eq!(judged(None).cause(), Some(Cause::Missing));
    // Inputs and outputs may both have been late by that much.
    assert_eq!(judged(Some(UNIT_NS - 1)).judgement.verdict(), Verdict::Fail);
    let excused = judged(Some(UNIT_NS));
    assert!(excused.excused && excused.judgement.verdict() == Verdict::Inconclusive);
    assert_eq!(excused.cause(), Some(Cause::TesterLate));
    // What is told is still the fail that it would have been.
    assert_eq!(excused.judgement.reason().map(Finding::cause), Some(Cause::Missing));
    // Too early is too early: nobody who looks late sees things before they happen.
    let (early, _) = run(&["coin 30 req 5 weakCoffee"], &Ending::Complete, Some(3 * UNIT_NS));
    assert_eq!((early.judgement.verdict(), early.excused), (Verdict::Fail, false));
    // Judging it again covers nothing new.
    let covered = |late_ns| run(&late, &Ending::Complete, late_ns).1;
    assert_eq!(covered(None), covered(Some(2 * UNIT_NS)));
}

#[test]
fn endings_count_unless_the_verdict_is_as_bad() {
    let (good, late) = ("coin 30 req 20 weakCoffee", "coin 10 req 32");
    let crash = Ending::Broken(Cause::Crash, "The system ended.".to_owned());
    let said = |text: &str, ending: &Ending, late_ns| {
        let (judged, _) = run(&[text], ending, late_ns);
        (judged.judgement.verdict(), judged.cause(), judged.excused)
    };
    let (fail, unknown) = (Verdict::Fail, Verdict::Inconclusive);
    assert_eq!(said(good, &Ending::Stopped, None), (unknown, Some(Cause::Stopped), false));
    assert_eq!(said(good, &Ending::Cut, None), (unknown, Some(Cause::Cut), false));
    assert_eq!(said(good, &crash, None), (fail, Some(Cause::Crash), false));
    for ending in [&Ending::Stopped, &Ending::Cut, &crash] {
        assert_eq!(said(late, ending, None), (fail, Some(Cause::Missing), false));
    }
    // A crash is not excused by a tester that was late, and says so.
    assert_eq!(said(late, &crash, Some(9 * UNIT_NS)), (fail, Some(Cause::Crash), false));
    assert_eq!(
        said(late, &Ending::Cut, Some(9 * UNIT_NS)),
        (unknown, Some(Cause::TesterLate), true)
    );
}
