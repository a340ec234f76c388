//! Suites with probabilities that are interrupted, go on, and are judged again from their records.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use punctual_campaign::load::Environment;
use punctual_campaign::prepare::{Prepared, Wishes, prepare as plan};
use punctual_campaign::repeated::{Options, Repeated, campaigns, prepare, recorded, repeat};
use punctual_campaign::store::Verdict;
use punctual_campaign::suites::of_suite;
use punctual_campaign::summary::Summary;
use punctual_lang::testing::{Policy, UnderTest};

use crate::sample::Folder;

/// Figure 2 of the STUIOS paper, with this window.
pub(crate) fn model([first, last]: [u32; 2]) -> String {
    format!(
        "broadcast chan out, in; bool q;
process Error() {{ clock x; state Absent, Present {{ x <= {last} }}, Qualified; init Absent;
    trans Absent -> Present {{ sync out?; assign x = 0; }}, Present -> Absent {{ sync in?; }},
        Present -> Qualified {{ guard x >= {first}; assign q = true; }}, Qualified -> Absent {{ sync in?; assign q = false; }}; }}
process User() {{ state u; init u; trans u -> u {{ sync out!; }}, u -> u {{ sync in!; }}; }}
system Error, User;
"
    )
}

const INTERFACE: &str = "[interface]\ninputs = [\"out\", \"in\"]\noutputs = []\nobserve = [\"q\"]\ntime-unit = \"1ms\"\n";

const SUITE: &str = r#"
model = "model.xta"
interface = "punctual.toml"
[[case]]
name = "long"
steps = [{ input = "out" }, { wait = "5200ms" }, { check = { q = true } }]
probability = "1"
[[case]]
name = "short"
steps = [{ input = "out" }, { wait = "4250ms" }, { check = { q = true }, allowed = [{ q = true }, { q = false }] }]
probability = "1/2"
[[case]]
name = "shorter"
steps = [{ input = "out" }, { wait = "3825ms" }, { check = { q = true }, allowed = [{ q = true }, { q = false }] }]
probability = "1/4"
"#;

/// A suite in a folder; inputs may be late by so many milliseconds, and the system has this window.
pub(crate) fn prepared(folder: &Path, late_ms: u64, window: [u32; 2]) -> Prepared {
    let write = |name: &str, text: &str| std::fs::write(folder.join(name), text).unwrap();
    write("model.xta", &model([3400, 5100]));
    write("system.xta", &model(window));
    write("punctual.toml", &format!("{INTERFACE}[uncertainty]\ninput = \"0..{late_ms}ms\"\n"));
    write("suite.toml", SUITE);
    let suite = folder.join("suite.toml");
    let loaded = of_suite(&suite, None, Environment::Model).expect("a suite");
    let path = folder.join("system.xta").to_str().unwrap().to_owned();
    let system = UnderTest::Model { path, policy: Policy::Stochastic };
    let wishes =
        Wishes { suite: Some(suite), system: Some(system), seed: Some(5), ..Wishes::default() };
    plan(loaded, &wishes).expect("a plan")
}

/// Repeats the suite until so many executions are known; those in the folder are taken up again.
fn made(
    folder: &Path,
    prepared: &Prepared,
    options: &Options,
    until: u64,
) -> (Vec<Repeated>, usize) {
    let mut recording = prepared.recording(folder, Vec::new()).expect("a folder");
    let known = recorded(&mut recording).expect("records");
    let given = &prepared.plan.judges.suite.as_ref().expect("a suite").cases;
    let mut cases = prepare(given, options, None).expect("cases");
    let stops = AtomicBool::new(false);
    let done = (Some(&recording), &known);
    repeat(&prepared.plan, &mut cases, options, 2, done, &stops, |runs, _| {
        stops.store(runs >= until, Ordering::Relaxed);
    })
    .expect("it runs");
    (cases, known.len())
}

/// Verdict, executions, counts and reasons of a case.
type Said = (Verdict, u64, Vec<(u64, u64)>, Vec<String>);

/// What is said of each case.
fn said(cases: &[Repeated]) -> Vec<Said> {
    let counts = |case: &Repeated| case.sequences.iter().map(|it| (it.n, it.k)).collect();
    let one = |case: &Repeated| (case.verdict(), case.executions, counts(case), case.reasons());
    cases.iter().map(one).collect()
}

/// However often a suite is interrupted, it says what it says without, and its records say the same.
#[test]
fn an_interrupted_suite_goes_on() {
    // Rules for fewer executions are made faster.
    let options = Options { executions: 150, each: true, ..Options::default() };
    for (first, verdict) in [(3400, Verdict::Pass), (4000, Verdict::Fail)] {
        let files = Folder::new(&format!("repeated-{first}"));
        let mut prepared = prepared(&files.0, 0, [first, 5100]);
        prepared.repeats(&options);
        let (whole, _) = made(&files.0.join("whole"), &prepared, &options, u64::MAX);
        let folder = files.0.join("parts");
        let (mut n_known, mut until) = (0, 20);
        let cases = loop {
            let (cases, known) = made(&folder, &prepared, &options, until);
            assert!(known >= n_known, "{known} of {n_known} executions are known");
            (n_known, until) = (known, until + 71);
            if cases.iter().all(Repeated::is_over) {
                break cases;
            }
        };
        assert!(n_known > 20, "it was interrupted");
        assert_eq!(said(&cases), said(&whole));
        assert_eq!(whole.iter().map(Repeated::verdict).max(), Some(verdict));
        // The records alone.
        for folder in ["whole", "parts"] {
            let store = punctual_campaign::store::Store::open(files.0.join(folder)).unwrap();
            let found = campaigns(&Summary::of(&store.runs().unwrap()));
            assert_eq!(found.len(), 1);
            assert_eq!(said(&found[0].cases), said(&whole), "{folder}");
            assert_eq!(found[0].options, options);
        }
        // Other options, and other seeds, have no part in it.
        let other = Options { alpha: 0.01, ..options };
        prepared.repeats(&other);
        let mut recording = prepared.recording(&folder, Vec::new()).expect("a folder");
        assert_eq!(recorded(&mut recording).expect("records"), BTreeMap::new());
    }
}

/// Two campaigns in one folder are two, although nothing but the system that is played has changed.
#[test]
fn campaigns_of_one_folder_are_told_apart() {
    let options = Options { executions: 60, each: true, ..Options::default() };
    let files = Folder::new("repeated-twice");
    let mut said_ = Vec::new();
    for first in [3400, 4600, 4600] {
        let mut prepared = prepared(&files.0, 0, [first, 5100]);
        prepared.repeats(&options);
        let recording = prepared.recording(&files.0.join("runs"), Vec::new()).expect("a folder");
        let given = &prepared.plan.judges.suite.as_ref().expect("a suite").cases;
        let mut cases = prepare(given, &options, None).expect("cases");
        let (known, never) = (BTreeMap::new(), AtomicBool::new(false));
        let done = (Some(&recording), &known);
        repeat(&prepared.plan, &mut cases, &options, 2, done, &never, |_, _| {}).expect("it runs");
        said_.push(said(&cases));
    }
    let store = punctual_campaign::store::Store::open(files.0.join("runs")).unwrap();
    let mut found: Vec<_> = campaigns(&Summary::of(&store.runs().unwrap()))
        .iter()
        .map(|campaign| (campaign.runs[0].name.clone(), said(&campaign.cases)))
        .collect();
    found.sort_by_key(|(name, _)| name.clone());
    let found: Vec<_> = found.into_iter().map(|(_, said)| said).collect();
    assert_eq!(found, said_);
    assert_ne!(said_[0], said_[1]);
}

/// What is late within the uncertainty is not seen; what is late beyond it is illegal at once. Records say the same.
#[test]
fn late_within_the_uncertainty_is_not_illegal() {
    let options = Options { executions: 150, each: true, ..Options::default() };
    for late_ms in [0, 300] {
        let files = Folder::new(&format!("repeated-late-{late_ms}"));
        let mut prepared = prepared(&files.0, late_ms, [5250, 5400]);
        prepared.repeats(&options);
        let folder = files.0.join("runs");
        let (cases, _) = made(&folder, &prepared, &options, u64::MAX);
        let long = &cases[0];
        assert_eq!(long.illegal.is_some(), late_ms == 0, "{:?}", long.reasons());
        if late_ms > 0 {
            assert_eq!(long.sequences[0].k, 0, "it is never seen after 5200 ms");
            assert!(long.executions > 1, "and that is counted");
        }
        let store = punctual_campaign::store::Store::open(folder).unwrap();
        let found = campaigns(&Summary::of(&store.runs().unwrap()));
        assert_eq!(said(&found[0].cases), said(&cases));
    }
}
