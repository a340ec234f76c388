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
    let suite = folder.join("suite.toml");
    let loaded = of_suite(&suite, None, Environment::Model).expect("a suite");
    let path = folder.join("system.xta").to_str().unwrap().to_owned();
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
