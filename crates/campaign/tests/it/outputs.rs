//! Cases that expect outputs, by how often.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use punctual_campaign::load::Environment;
use punctual_campaign::prepare::{Prepared, Wishes, prepare as plan};
use punctual_campaign::repeated::{
    Options, Repeated, Shifts, Tolerance, campaigns, prepare, repeat,
};
use punctual_campaign::store::{Store, Verdict};
use punctual_campaign::suites::of_suite;
use punctual_campaign::summary::Summary;
use punctual_lang::testing::{Policy, UnderTest};
use punctual_smc::statistics::Interval;

use crate::sample::Folder;

/// An error that is told within this window.
fn model([first, last]: [u32; 2]) -> String {
    format!(
        "broadcast chan out, in, told; bool q;
process Error() {{ clock x; state Absent, Present {{ x <= {last} }}, Qualified; init Absent;
    trans Absent -> Present {{ sync out?; assign x = 0; }}, Present -> Absent {{ sync in?; }},
        Present -> Qualified {{ guard x >= {first}; sync told!; assign q = true; }}, Qualified -> Absent {{ sync in?; assign q = false; }}; }}
process User() {{ state u; init u; trans u -> u {{ sync out!; }}, u -> u {{ sync in!; }}, u -> u {{ sync told?; }}; }}
system Error, User;
"
    )
}

const INTERFACE: &str = "[interface]\ninputs = [\"out\", \"in\"]\noutputs = [\"told\"]\nobserve = [\"q\"]\ntime-unit = \"1ms\"\n";

const SUITE: &str = r#"
model = "model.xta"
interface = "punctual.toml"
[[case]]
name = "sure"
steps = [{ input = "out" }, { output = "told", within = ["0ms", "5100ms"] }]
probability = "1"
[[case]]
name = "half"
steps = [{ wait = "10ms" }, { input = "out" }, { output = "told", within = ["0ms", "4250ms"] }, { wait = "6000ms" }, { check = { q = true } }]
probability = "1/2"
"#;

/// The suite in a folder, played to a system with this window; `more` is written before the suite.
fn prepared(folder: &Path, window: [u32; 2], more: &str) -> Prepared {
    let write = |name: &str, text: &str| std::fs::write(folder.join(name), text).unwrap();
    write("model.xta", &model([3400, 5100]));
    write("system.xta", &model(window));
    write("punctual.toml", INTERFACE);
    write("suite.toml", &format!("{more}{SUITE}"));
    played(folder, "system.xta")
}

/// The suite of a folder, with a model there that is played.
fn played(folder: &Path, system: &str) -> Prepared {
    let suite = folder.join("suite.toml");
    let loaded = of_suite(&suite, None, Environment::Model).expect("a suite");
    let path = folder.join(system).to_str().unwrap().to_owned();
    let system = UnderTest::Model { path, policy: Policy::Stochastic };
    let wishes =
        Wishes { suite: Some(suite), system: Some(system), seed: Some(5), ..Wishes::default() };
    plan(loaded, &wishes).expect("a plan")
}

/// Repeats the suite; its records say the same.
fn made(name: &str, window: [u32; 2], more: &str, options: &Options) -> Vec<Repeated> {
    let files = Folder::new(name);
    let mut prepared = prepared(&files.0, window, more);
    prepared.repeats(options);
    let within = within(&prepared, options);
    let recording = prepared.recording(&files.0.join("runs"), Vec::new()).expect("a folder");
    let given = &prepared.plan.judges.suite.as_ref().expect("a suite").cases;
    let mut cases = prepare(given, options, within.as_deref()).expect("cases");
    let (known, never) = (BTreeMap::new(), AtomicBool::new(false));
    let done = (Some(&recording), &known);
    repeat(&prepared.plan, &mut cases, options, 2, done, &never, |_, _| {}).expect("it runs");
    let store = Store::open(files.0.join("runs")).unwrap();
    let found = campaigns(&Summary::of(&store.runs().unwrap()));
    let counts = |cases: &[Repeated]| -> Vec<(Verdict, u64, u64)> {
        cases.iter().map(|it| (it.verdict(), it.sequences[0].n, it.sequences[0].k)).collect()
    };
    assert_eq!(counts(&found[0].cases), counts(&cases));
    cases
}

fn within(prepared: &Prepared, options: &Options) -> Option<Vec<Vec<Interval>>> {
    let Tolerance::Time { ns } = options.tolerance else { return None };
    let mut shifts = Shifts::new(&prepared.plan.judges, |_| true).expect("shifts");
    Some(shifts.within(ns, |_| ()).expect("a tolerance"))
}

fn verdicts(cases: &[Repeated]) -> Vec<Verdict> {
    cases.iter().map(Repeated::verdict).collect()
}

/// Outputs that came too late for their window were not counted: each execution was seen.
#[test]
fn outputs_are_counted() {
    let options = Options { executions: 150, each: true, ..Options::default() };
    for (number, more) in ["", "phase = \"1700ms\"\n"].into_iter().enumerate() {
        let right = made(&format!("outputs-right-{number}"), [3400, 5100], more, &options);
        assert_eq!(verdicts(&right), [Verdict::Pass; 2], "{:?}", right[1].reasons());
        assert_eq!(right[0].sequences[0].k, right[0].sequences[0].n);
        let share = right[1].sequences[0].k as f64 / right[1].sequences[0].n as f64;
        assert!(share > 0.3 && share < 0.7, "{share}");
        // It does only what is allowed, and too late too often.
        let lazy = made(&format!("outputs-lazy-{number}"), [4000, 5100], more, &options);
        assert_eq!(verdicts(&lazy), [Verdict::Pass, Verdict::Fail], "{:?}", lazy[1].reasons());
        assert!(lazy[1].illegal.is_none(), "{:?}", lazy[1].reasons());
        // What no run of the model does.
        let wrong = made(&format!("outputs-wrong-{number}"), [5150, 5200], more, &options);
        assert_eq!(verdicts(&wrong), [Verdict::Fail; 2]);
        assert!(wrong[0].illegal.is_some(), "{:?}", wrong[0].reasons());
    }
}

/// A tolerance in time moves the probability, not the window.
#[test]
fn outputs_that_may_be_late() {
    let tolerance = Tolerance::Time { ns: 85_000_000 };
    let options = Options { tolerance, executions: 400, each: true, ..Options::default() };
    let right = made("outputs-late-right", [3485, 5185], "", &options);
    let tolerated = right[1].sequences[0].tolerated().expect("a tolerance");
    assert!((tolerated.low - 0.45).abs() < 1e-9 && (tolerated.high - 0.55).abs() < 1e-9);
    assert_ne!(right[1].verdict(), Verdict::Fail, "{:?}", right[1].reasons());
    // Within what is allowed, and much too seldom in the window of the case.
    let lazy = made("outputs-late-lazy", [4240, 5185], "", &options);
    assert_eq!(lazy[1].verdict(), Verdict::Fail, "{:?}", lazy[1].reasons());
    assert!(lazy[1].illegal.is_none(), "{:?}", lazy[1].reasons());
}

/// An error that a loop qualifies when it comes round for the third time, and something else of which the loop decides by chance.
const SLICED: &str = "broadcast chan out, poll; bool q; bool c; bool te;
process Loop() { clock x; state l { x <= 1700 }; init l;
    trans l -> l { guard x >= 1700; sync poll!; assign x = 0; }; }
process Sensor() { state s; init s; trans s -> s { sync out?; assign te = true; }; }
process Error() { int[0,3] n; state e; init e;
    trans e -> e { guard te && n < 2; sync poll?; assign n = n + 1; },
        e -> e { guard te && n >= 2; sync poll?; assign q = true; }; }
process Other() { state o; init o;
    trans o -> o { sync poll?; assign c = true; }, o -> o { sync poll?; assign c = false; }; }
process User() { state u; init u; trans u -> u { sync out!; }; }
system Loop, Sensor, Error, Other, User;
";

/// What a tolerance in time allows of the only case of a suite.
fn tolerated(name: &str, model: &str, probability: &str) -> Result<Interval, String> {
    let files = Folder::new(name);
    let write = |name: &str, text: &str| std::fs::write(files.0.join(name), text).unwrap();
    write("model.xta", model);
    let interface = INTERFACE.replace("\"out\", \"in\"", "\"out\"");
    write("punctual.toml", &interface.replace("\"told\"", ""));
    let suite = format!(
        "model = \"model.xta\"\ninterface = \"punctual.toml\"\nphase = \"1700ms\"\n[[case]]\nname = \"half\"\n\
         steps = [{{ input = \"out\" }}, {{ wait = \"4250ms\" }}, {{ check = {{ q = true }}, allowed = [{{ q = true }}, {{ q = false }}] }}]\n\
         probability = {probability}\n"
    );
    write("suite.toml", &suite);
    let prepared = played(&files.0, "model.xta");
    let mut shifts = Shifts::new(&prepared.plan.judges, |_| true).expect("shifts");
    Ok(shifts.within(85_000_000, |_| ())?[0][0])
}

/// The whole system can not be computed beside a phase, and the slice of the error can.
#[test]
fn a_tolerance_in_time_by_slices() {
    let Interval { low, high } = tolerated("sliced", SLICED, "\"1/2\"").expect("a tolerance");
    assert!((low - 0.45).abs() < 1e-9 && (high - 0.55).abs() < 1e-9, "{low} {high}");
}

/// Where a probability was sampled, so is what a tolerance changes.
#[test]
fn a_tolerance_in_time_by_runs() {
    let Interval { low, high } = tolerated("by-runs", SLICED, "[0.49, 0.51]").expect("a tolerance");
    assert!((low - 0.44).abs() < 0.02 && (high - 0.56).abs() < 0.02, "{low} {high}");
    // Time stops after the second poll, so no run comes to its end.
    let stops = SLICED.replace("{ x <= 1700 }", "{ x <= 1700 && !q }");
    let why = tolerated("by-no-runs", &stops, "[0.49, 0.51]");
    assert!(why.is_err_and(|why| why.contains("the model can not be run")), "{stops}");
}
