//! A case with a probability beside a model: who says that a reading is illegal.

use punctual_campaign::judges::Judges;
use punctual_campaign::store::Verdict;
use punctual_model::testing::suite::{Body, Case, Check, Do};
use punctual_model::{Action, Event, Happening, PortId, Reading, Value};
use punctual_oracle::Referee;

use crate::repeated::prepared;
use crate::sample::Folder;

const MS: u64 = 1_000_000;

/// When the input was handed over and when the port was read, in milliseconds.
struct Instants {
    input: (u64, u64),
    read: (u64, u64),
}

/// The judges of Figure 2, which may be given inputs late by so many milliseconds.
fn judges(folder: &Folder, late_ms: u64) -> Judges {
    prepared(&folder.0, late_ms, [3400, 5100]).plan.judges
}

/// A case that reads `q` so many milliseconds after the error came, with all that the model allows there.
fn case(judges: &Judges, wait_ms: u64) -> Case {
    let mut case = judges.suite.as_ref().unwrap().cases[0].clone();
    let Body::Timed(parts) = &mut case.body else { unreachable!("cases are timed") };
    let port = port(judges);
    let value = |q: bool| vec![(port, Value::Bool(q))];
    parts[1] = Do::Wait(wait_ms * MS);
    parts[2] = Do::Check(Check {
        expected: value(wait_ms > 5100),
        allowed: [false, true].into_iter().filter(|q| is_listed(wait_ms, *q)).map(value).collect(),
        requirement: None,
    });
    case
}

/// What the model allows at an exact instant after the error came.
fn is_listed(at_ms: u64, q: bool) -> bool {
    if q { at_ms >= 3400 } else { at_ms <= 5100 }
}

fn port(judges: &Judges) -> PortId {
    judges.interface.ports.ids().next().expect("a port")
}

/// What is said of a run that reads `q`, and of its check.
fn judged(judges: &Judges, case: &Case, instants: &Instants, q: bool) -> (Verdict, Verdict) {
    let mut oracle = judges.oracle(Some(case)).expect("a model");
    let mut referee = Referee::new(&mut *oracle, 0, true);
    let action = Action { signal: judges.interface.signal("out").unwrap(), values: Vec::new() };
    let reading = Reading { values: vec![(port(judges), Value::Bool(q))] };
    let happenings =
        [(Happening::Signal(action), instants.input), (Happening::Reading(reading), instants.read)];
    for (what, (from_ms, to_ms)) in happenings {
        let (from_ns, to_ns) = (from_ms * MS, to_ms * MS);
        let event = Event { what, from_ns, to_ns, device_ns: None };
        referee.approach(&event);
        referee.event(&event);
        referee.keep(event);
    }
    let (run, _) = referee.finish(&punctual_oracle::Ending::Complete, None);
    let checks = oracle.interactions();
    assert_eq!(checks.len(), 1, "the check was made");
    (run.judgement.verdict(), checks[0].verdict)
}

/// At exact instants the lists have all that the model allows, so a reading fails at once if and only if it is not listed.
#[test]
fn at_exact_instants_the_model_forbids_what_the_lists_do_not_have() {
    let folder = Folder::new("counted-exact");
    let judges = judges(&folder, 0);
    for at_ms in (3300..5300).step_by(100).chain([3399, 3401, 5099, 5101]) {
        let case = case(&judges, at_ms);
        for q in [false, true] {
            let instants = Instants { input: (0, 0), read: (at_ms, at_ms) };
            let (run, _) = judged(&judges, &case, &instants, q);
            assert_eq!(run == Verdict::Fail, !is_listed(at_ms, q), "{q} after {at_ms} ms: {run:?}");
        }
    }
}

/// A reading that is not in the lists and that the model explains, because inputs and readings take time, is not what the case expects and no more.
#[test]
fn what_the_model_explains_is_not_seen() {
    let folder = Folder::new("counted-late");
    for late_ms in [0, 20] {
        let judges = judges(&folder, late_ms);
        let case = case(&judges, 5101);
        // The input is handed over within 8 ms, and a reading takes 30 ms.
        for read_ms in [5090, 5101, 5105, 5108, 5109, 5120, 5128, 5129, 5140] {
            let instants = Instants { input: (0, 8), read: (read_ms, read_ms + 30) };
            let (run, check) = judged(&judges, &case, &instants, false);
            let expected = match read_ms <= 5100 + 8 + late_ms {
                true => Verdict::Inconclusive,
                false => Verdict::Fail,
            };
            let text = format!("read after {read_ms} ms, late by {late_ms} ms");
            assert_eq!((run, check), (expected, expected), "{text}");
            assert_eq!(judged(&judges, &case, &instants, true).0, Verdict::Pass, "{text}");
        }
    }
}

/// Without a model, and without a probability, the lists say what is illegal.
#[test]
fn otherwise_the_lists_decide() {
    let folder = Folder::new("counted-lists");
    let mut judges = judges(&folder, 20);
    let instants = Instants { input: (0, 8), read: (5101, 5131) };
    let counted = case(&judges, 5101);
    let ordinary = Case { chance: None, ..counted.clone() };
    assert_eq!(judged(&judges, &counted, &instants, false).0, Verdict::Inconclusive);
    assert_eq!(judged(&judges, &ordinary, &instants, false).0, Verdict::Fail);
    judges.specification = None;
    assert_eq!(judged(&judges, &counted, &instants, false).0, Verdict::Fail);
}
