//! Figures and tables of the STUIOS paper: sequences that prove where a case has ended, and chances.

use punctual_lang::{Input, testing};
use punctual_model::testing::suite::{About, Body, Case, Chance, Check, Do};
use punctual_model::{Action, PortId, Value};
use punctual_semantics::estimate::Estimate;
use punctual_semantics::specification::Specification;
use punctual_semantics::split::Named;
use punctual_smc::exact::Phase;
use punctual_testgen::uio::{
    After, Done, Element, Ground, Limits, Made, Options, Question, Sampling, Script, Search,
    Trouble, chance, sample,
};

/// Figure 2.
pub(crate) const ERROR: &str = "broadcast chan out, in; bool isQualified; int[0,9] qc;
    process Error() { clock x;
        state Absent, Present { x <= 5100 }, PresentQualified, AbsentQualified { x <= 5100 };
        init Absent;
        trans Absent -> Present { sync out?; assign x = 0; },
            Present -> Absent { sync in?; },
            Present -> PresentQualified { guard x >= 3400; assign isQualified = true, qc = qc + 1; },
            PresentQualified -> AbsentQualified { sync in?; assign x = 0; },
            AbsentQualified -> PresentQualified { sync out?; },
            AbsentQualified -> Absent { guard x >= 3400; assign isQualified = false; };
    }
    process User() { state u; init u; trans u -> u { sync out!; }, u -> u { sync in!; }; }
    system Error, User;";

/// Figure 10; the qualification sets `q` back, as Table 2 needs it.
pub(crate) const LOOP: &str = "broadcast chan out, in, detect, qualify; bool isQualified; int[0,9] qc; bool te;
    process Loop() { clock x; state Detect, Qualify, Idle { x <= 1700 }; commit Detect, Qualify; init Idle;
        trans Detect -> Qualify { sync detect!; }, Qualify -> Idle { sync qualify!; },
            Idle -> Detect { guard x >= 1700; assign x = 0; }; }
    process Sensor() { state s; init s; trans s -> s { sync out?; assign te = true; },
            s -> s { sync in?; assign te = false; }; }
    process Error() { int[0,2] q;
        state NotDetectedNotQualified, DetectedNotQualified, DetectedQualified, NotDetectedQualified;
        init NotDetectedNotQualified;
        trans NotDetectedNotQualified -> DetectedNotQualified { guard te; sync detect?; assign q = 0; },
            DetectedNotQualified -> NotDetectedNotQualified { guard !te; sync detect?; },
            DetectedNotQualified -> DetectedNotQualified { guard te && q < 2; sync detect?; assign q = q + 1; },
            DetectedNotQualified -> DetectedQualified
                { guard q == 2; sync qualify?; assign isQualified = true, qc = qc + 1, q = 0; },
            DetectedQualified -> NotDetectedQualified { guard !te; sync detect?; assign q = 0; },
            NotDetectedQualified -> DetectedQualified { guard te; sync detect?; },
            NotDetectedQualified -> NotDetectedQualified { guard !te && q < 2; sync detect?; assign q = q + 1; },
            NotDetectedQualified -> NotDetectedNotQualified
                { guard q == 2; sync qualify?; assign isQualified = false; }; }
    process User() { state u; init u; trans u -> u { sync out!; }, u -> u { sync in!; }; }
    system Loop, Sensor, Error, User;";

const SEEN: &str = "[interface]\ninputs = [\"out\", \"in\"]\noutputs = []\nobserve = [\"isQualified\", \"qc\"]\n\
    time-unit = \"1ms\"\n";

pub(crate) fn specification(model: &str) -> Specification {
    let network = crate::network("model.xta", model.as_bytes());
    let input = Input { name: "punctual.toml", bytes: SEEN.as_bytes() };
    let reading = testing::read(&network, input);
    let config = reading.value.unwrap_or_else(|| panic!("{:?}", reading.diagnostics));
    Specification::new(network, config.wired, &Named::default()).expect("it can be tested against")
}

/// A step of a case or of a sequence: what is done, and what is seen then.
pub(crate) type Row = (&'static str, i64, bool, i64);

fn ports(specification: &Specification) -> [PortId; 2] {
    let mut ids = specification.interface().ports.ids();
    [ids.next().expect("a port"), ids.next().expect("two")]
}

pub(crate) fn case(specification: &Specification, rows: &[Row]) -> Case {
    let [first, second] = ports(specification);
    let mut parts = Vec::new();
    for (what, ms, qualified, count) in rows {
        match *what {
            "wait" => parts.push(Do::Wait(ms.unsigned_abs() * 1_000_000)),
            name => {
                let signal = specification.interface().signal(name).expect("a signal");
                parts.push(Do::Send(Action { signal, values: Vec::new() }));
            }
        }
        let expected = vec![(first, Value::Bool(*qualified)), (second, Value::Int(*count))];
        parts.push(Do::Check(Check { expected, ..Check::default() }));
    }
    let name = "case".to_owned();
    Case { name, body: Body::Timed(parts), about: About::default(), chance: None }
}

fn done(specification: &Specification, what: &str, ms: i64) -> Done {
    match what {
        "wait" => Done::Wait(ms),
        name => {
            let signal = specification.interface().signal(name).expect("a signal");
            Done::Input(signal, Vec::new())
        }
    }
}

fn elements(specification: &Specification, rows: &[Row]) -> Vec<Element> {
    let [first, second] = ports(specification);
    let element = |(what, ms, qualified, count): &Row| Element {
        what: done(specification, what, *ms),
        expected: vec![(first, i32::from(*qualified)), (second, *count as i32)],
        n_possible: 1,
    };
    rows.iter().map(element).collect()
}

pub(crate) const FIGURE_3: [Row; 2] = [("out", 0, false, 0), ("wait", 5100, true, 1)];
pub(crate) const FIGURE_4: [Row; 3] =
    [("wait", 5100, true, 1), ("in", 0, true, 1), ("wait", 5100, false, 1)];
pub(crate) const FIGURE_5: [Row; 3] =
    [("out", 0, false, 0), ("wait", 4250, true, 1), ("in", 0, true, 1)];

pub(crate) fn options(phase: Phase, location: &str) -> Options<'_> {
    Options {
        limits: Limits::default(),
        phase,
        location: Some(location),
        clocks: None,
        sampling: Sampling::default(),
        stops: None,
    }
}

/// The states after a case, the instant, and the part and number of the automaton called `Error`.
fn after(specification: &Specification, rows: &[Row], phase: i64) -> (After, usize, usize) {
    let case = case(specification, rows);
    let Body::Timed(parts) = &case.body else { unreachable!("it is timed") };
    let script = Script::new(specification, parts).expect("a script");
    let mut found = specification.parts.iter().enumerate().filter_map(|(part, it)| {
        let is_it = |id: &_| specification.network.processes[*id].name == "Error";
        it.processes.iter().position(is_it).map(|process| (part, process))
    });
    let (part, process) = found.next().expect("an automaton");
    let mut estimate = Estimate::new(&specification.parts[part].estimator).expect("a start");
    if phase > 0 {
        estimate.begin_within(phase).expect("a start");
    }
    script.follow(specification, part, &mut estimate, true).expect("no error").expect("followed");
    let ground = Ground::new(specification);
    let search = Search::new(&ground, part).expect("a search");
    let environment = search.environment().map(|number| {
        let mut estimate = Estimate::new(&specification.parts[number].estimator).expect("a start");
        let done = script.follow(specification, number, &mut estimate, false);
        done.expect("no error").expect("followed");
        estimate.save()
    });
    let environment = environment.collect();
    (After { ours: estimate.save(), environment, at: script.end }, part, process)
}

/// The names of locations from which what a sequence expects can be seen as well.
fn rivals(model: &str, rows: &[Row], sequence: &[Row], clocks: Option<&[i32]>) -> Vec<String> {
    let specification = specification(model);
    let (from, part, process) = after(&specification, rows, 0);
    let ground = Ground::new(&specification);
    let mut search = Search::new(&ground, part).expect("a search");
    let question = Question { part, process, location: 2, clocks, against: None };
    let sequence = elements(&specification, sequence);
    let found = search.rivals(&from, question, &sequence).expect("no error");
    let id = specification.parts[part].processes[process];
    let locations = &specification.network.processes[id].locations;
    let name = |at: i32| locations.iter().nth(at as usize).expect("it is there").name.clone();
    found.expect("the sequence is possible").into_iter().map(name).collect()
}

/// Figure 4 is unique for the clock of the trace that ends Figure 3 (5100), not for all clocks: an error that is gone since the end
/// of the case may be disqualified exactly 5100 later, behind the first check.
#[test]
fn figure_4_is_unique_for_the_clocks_of_its_trace() {
    assert_eq!(rivals(ERROR, &FIGURE_3, &FIGURE_4, Some(&[5100])), Vec::<String>::new());
    // DIFFERENCE(stuios)
    assert_eq!(rivals(ERROR, &FIGURE_3, &FIGURE_4, None), ["AbsentQualified"]);
    // The first wait alone leaves `Absent` with the clocks of the trace.
    assert_eq!(rivals(ERROR, &FIGURE_3, &FIGURE_4[..1], Some(&[5100])), ["Absent"]);
    // A moment longer, and it is unique for all clocks.
    let longer = [("wait", 5101, true, 1), FIGURE_4[1], ("wait", 5101, false, 1)];
    assert_eq!(rivals(ERROR, &FIGURE_3, &longer, None), Vec::<String>::new());
}

/// Table 1, entry by entry.
#[test]
fn table_1() {
    let specification = specification(ERROR);
    let (from, part, process) = after(&specification, &FIGURE_3, 0);
    let ground = Ground::new(&specification);
    let mut search = Search::new(&ground, part).expect("a search");
    let question = Question { part, process, location: 2, clocks: Some(&[5100]), against: None };
    let steps: Vec<Done> =
        FIGURE_4.iter().map(|(what, ms, ..)| done(&specification, what, *ms)).collect();
    let shown = search.shown(&from, question, &steps).expect("no error");
    let values = |location: i32, row: usize| -> Vec<Vec<i32>> {
        let of = |it: &Vec<(PortId, i32)>| it.iter().map(|(_, value)| *value).collect();
        shown[&location][row].iter().map(of).collect()
    };
    let (absent, present, ours, absent_qualified) = (0, 1, 2, 3);
    for row in 0..3 {
        assert_eq!(values(absent, row), [[1, 1]], "row {row}");
    }
    assert_eq!(values(present, 0), [[1, 2]]);
    assert_eq!(values(absent_qualified, 0), [[0, 1]]);
    assert_eq!(values(ours, 0), [[1, 1]]);
    assert_eq!(values(ours, 1), [[1, 1]]);
    // At the very end of the window either is right; a moment before it is over with probability 1.
    assert_eq!(values(ours, 2), [[0, 1], [1, 1]]);
}

fn made(model: &str, rows: &[Row], options: &Options<'_>) -> Result<Made, Trouble> {
    let specification = specification(model);
    let case = case(&specification, rows);
    chance(&Ground::new(&specification), &case, options)
}

/// The chance of a case, and the steps of its ending.
fn found(model: &str, rows: &[Row], options: &Options<'_>) -> (Chance, Vec<Do>) {
    let made = made(model, rows, options).unwrap_or_else(|trouble| panic!("{trouble}"));
    let chance = made.case.chance.expect("a chance");
    let from = chance.ending.as_ref().map(|it| it.from);
    let Body::Timed(parts) = made.case.body else { unreachable!("it is timed") };
    let ending = from.map_or(Vec::new(), |from| parts[from..].to_vec());
    (chance, ending)
}

fn exact(told: &punctual_model::testing::suite::Probability) -> &str {
    told.exact.as_deref().expect("it is exact")
}

/// Figure 3 is certain, and what proves its end is no longer than Figure 4; Figure 5 is a half, and a single wait proves its end.
#[test]
fn figures_3_to_5() {
    let (chance, ending) = found(ERROR, &FIGURE_3, &options(Phase::None, "Error.PresentQualified"));
    assert_eq!(exact(&chance.outputs), "1");
    let n_done = ending.iter().filter(|it| !matches!(it, Do::Check(_))).count();
    assert!((1..=3).contains(&n_done), "{ending:?}");
    let (chance, ending) = found(ERROR, &FIGURE_5, &options(Phase::None, "Error.AbsentQualified"));
    assert_eq!(exact(&chance.outputs), "1/2");
    let ended = chance.ending.expect("an ending");
    assert_eq!((ended.proves.as_str(), exact(&ended.joint)), ("Error.AbsentQualified", "1/2"));
    assert!(
        matches!(ending[..], [Do::Wait(5_100_000_000 | 5_101_000_000), Do::Check(_)]),
        "{ending:?}"
    );
}

/// Figure 11 on the loop itself, which is random by its phase alone.
#[test]
fn figure_11() {
    let rows = [("out", 0, false, 0), ("wait", 4250, true, 1), ("in", 0, true, 1)];
    let phase = Phase::OfScript(1700);
    let (chance, ending) = found(LOOP, &rows, &options(phase, "Error.DetectedQualified"));
    assert_eq!(exact(&chance.outputs), "1/2");
    let ended = chance.ending.expect("an ending");
    assert!(ended.joint.least > 0.0, "{ending:?}");
    let n_done = ending.iter().filter(|it| !matches!(it, Do::Check(_))).count();
    assert!((1..=3).contains(&n_done), "{ending:?}");
}

/// What is not there is refused.
#[test]
fn locations_that_no_run_ends_in() {
    let elsewhere = made(ERROR, &FIGURE_3, &options(Phase::None, "Error.Absent"));
    assert!(matches!(elsewhere, Err(Trouble::Elsewhere(_))), "{elsewhere:?}");
    let unknown = made(ERROR, &FIGURE_3, &options(Phase::None, "Error.Nowhere"));
    assert!(matches!(unknown, Err(Trouble::Unknown(_))), "{unknown:?}");
    let impossible = [("out", 0, false, 0), ("wait", 3000, true, 1)];
    let impossible = made(ERROR, &impossible, &options(Phase::None, "Error.PresentQualified"));
    assert!(matches!(impossible, Err(Trouble::Impossible)), "{impossible:?}");
}

/// What is computed lies in what is sampled, and what can not be computed is sampled: here by a delay without an end.
#[test]
fn what_is_computed_lies_in_what_is_sampled() {
    let rows: [&[Row]; 4] = [
        &FIGURE_3,
        &FIGURE_5,
        &[
            ("out", 0, false, 0),
            ("wait", 3740, true, 1),
            ("in", 0, true, 1),
            ("wait", 4590, false, 1),
        ],
        &[
            ("out", 0, false, 0),
            ("wait", 4000, false, 0),
            ("in", 0, false, 0),
            ("wait", 9000, false, 0),
        ],
    ];
    let specification_ = specification(ERROR);
    for rows in rows {
        let case = case(&specification_, rows);
        let Body::Timed(parts) = &case.body else { unreachable!("it is timed") };
        let options = Options { location: None, ..options(Phase::None, "") };
        let made = chance(&Ground::new(&specification_), &case, &options).expect("a chance");
        let exact = made.case.chance.expect("a chance").outputs;
        let sampled =
            sample(&specification_, parts, Phase::None, &Sampling::default()).expect("an interval");
        assert!(sampled.high - sampled.low < 0.03);
        assert!(
            sampled.low <= exact.least && exact.least <= sampled.high,
            "{exact:?} {sampled:?} {rows:?}"
        );
    }
    let endless = ERROR.replace("AbsentQualified { x <= 5100 }", "AbsentQualified");
    let (chance, _) = found(&endless, &FIGURE_5, &options(Phase::None, "Error.AbsentQualified"));
    assert_eq!(exact(&chance.outputs), "1/2");
    let endless = ERROR.replace("Present { x <= 5100 }", "Present");
    let (chance, _) = found(&endless, &FIGURE_5, &options(Phase::None, "Error.AbsentQualified"));
    assert!(
        chance.outputs.exact.is_none() && chance.note.contains("no last instant"),
        "{chance:?}"
    );
    // An exponential delay of rate 1 from 3400 on is over by 4250.
    assert!(chance.outputs.least > 0.99, "{chance:?}");
}

/// Table 2, entry by entry: three periods after Figure 11, from each location of the loop's automaton.
#[test]
fn table_2() {
    let specification = specification(LOOP);
    let rows = [("out", 0, false, 0), ("wait", 4250, true, 1), ("in", 0, true, 1)];
    let (from, part, process) = after(&specification, &rows, 1700);
    let ground = Ground::new(&specification);
    let mut search = Search::new(&ground, part).expect("a search");
    let question = Question { part, process, location: 2, clocks: None, against: None };
    // A poll at the very instant of a reading may come before or after it, so the readings are a moment late.
    let steps = [Done::Wait(1701), Done::Wait(1700), Done::Wait(1700)];
    let shown = search.shown(&from, question, &steps).expect("no error");
    let values = |location: i32| -> Vec<Vec<Vec<i32>>> {
        let of = |it: &Vec<(PortId, i32)>| it.iter().map(|(_, value)| *value).collect();
        shown[&location].iter().map(|row| row.iter().map(of).collect()).collect()
    };
    let (same, gone) = (vec![vec![1, 1]], vec![vec![0, 1]]);
    assert_eq!(values(2), [same.clone(), same.clone(), gone.clone()], "DetectedQualified");
    assert_eq!(values(0), [same.clone(), same.clone(), same.clone()], "NotDetectedNotQualified");
    assert_eq!(values(1), [same.clone(), same.clone(), same.clone()], "DetectedNotQualified");
    assert_eq!(values(3)[..2], [same, gone], "NotDetectedQualified");
}

/// Whoever is in `AbsentQualified` may be disqualified at once, and be in `Absent` then: that is proved, not searched for.
#[test]
fn what_can_become_the_location_at_once_is_never_told_apart() {
    let case = [("out", 0, false, 0), ("wait", 3400, false, 0), ("in", 0, false, 0)];
    let specification_ = specification(ERROR);
    let case = self::case(&specification_, &case);
    let options = options(Phase::None, "Error.Absent");
    let made = chance(&Ground::new(&specification_), &case, &options).expect("a chance");
    let note = made.case.chance.expect("a chance").note;
    assert!(
        note.starts_with("nothing ever tells Error.Absent from Error.AbsentQualified"),
        "{note}"
    );
}

/// Whoever stops a search gets no answer, and not that there is no sequence.
#[test]
fn a_search_that_is_stopped_says_nothing() {
    let specification_ = specification(ERROR);
    let case = self::case(&specification_, &FIGURE_3);
    let stopped = std::sync::atomic::AtomicBool::new(true);
    let options =
        Options { stops: Some(&stopped), ..options(Phase::None, "Error.PresentQualified") };
    let found = chance(&Ground::new(&specification_), &case, &options);
    assert!(matches!(found, Err(Trouble::Stopped)), "{found:?}");
}
