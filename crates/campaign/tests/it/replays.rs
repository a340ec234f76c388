//! Runs that are made, recorded, and judged again: a replay has the verdict of the live run.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use punctual_campaign::load::{beside, load};
use punctual_campaign::plan::Guide;
use punctual_campaign::pool::Pool;
use punctual_campaign::prepare::{Prepared, Wishes, prepare};
use punctual_campaign::replay::{self, Rejudged};
use punctual_campaign::run::{Finished, many};
use punctual_campaign::store::{Cause, RECORD, Run, Verdict};
use punctual_lang::testing::{Policy, UnderTest};

use crate::sample::Folder;

fn example(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(path)
}

/// Another model in the place of the system.
fn played(path: &str, policy: Policy) -> Option<UnderTest> {
    Some(UnderTest::Model { path: example(path).to_string_lossy().into_owned(), policy })
}

fn prepared(model: &str, wishes: &Wishes) -> Prepared {
    let loaded = load(&example(model), None, wishes.environment);
    let prepared = loaded.and_then(|loaded| prepare(loaded, wishes));
    prepared.unwrap_or_else(|problem| panic!("{problem}"))
}

/// Makes and records all runs.
fn recorded(prepared: &Prepared, folder: &Path, stops: &AtomicBool) -> Vec<Finished> {
    let recording = prepared.recording(folder, vec!["test".to_owned()]);
    let recording = recording.unwrap_or_else(|problem| panic!("{problem}"));
    let mut found = Vec::new();
    let done = many(
        &prepared.plan,
        0..prepared.n_runs,
        (2, &Pool::default()),
        Some(&recording),
        (stops, &|_| None, Guide::default()),
        |finished| {
            found.push(finished);
            true
        },
    );
    done.unwrap_or_else(|trouble| panic!("{trouble}"));
    found
}

fn replayed(folder: &Path) -> Rejudged {
    let run = Run::at(folder);
    let reader = run.reader().unwrap();
    let judges = beside(&run, reader.header(), None, None);
    let judges = judges.unwrap_or_else(|problem| panic!("{problem}"));
    replay::record(&judges, reader, &AtomicBool::new(false)).unwrap()
}

/// What `judge` says of a record, which is told from traces of others by its content.
fn judged(prepared: &Prepared, path: &Path) -> Rejudged {
    let (judges, go) = (&prepared.plan.judges, AtomicBool::new(false));
    let found = replay::file(judges, path, replay::FileFormat::Detect, None, &go);
    let [found] = <[Rejudged; 1]>::try_from(found.unwrap_or_else(|it| panic!("{it}"))).unwrap();
    found
}

/// A record as another tool would write it: with its keys sorted.
fn sorted(path: &Path) -> String {
    let line = |line: &str| {
        let object: BTreeMap<String, serde_json::Value> = serde_json::from_str(line).unwrap();
        serde_json::to_string(&object).unwrap() + "\n"
    };
    fs::read_to_string(path).unwrap().lines().map(line).collect()
}

/// A replay says what the live run said, word by word, and so does who judges the record by the same model.
fn assert_same(prepared: &Prepared, finished: &Finished) {
    let folder = finished.folder.as_ref().unwrap();
    let again = replayed(folder);
    let why = |diagnosis: &Option<punctual_campaign::store::Diagnosis>| {
        diagnosis.as_ref().map(|it| (it.kind, it.explanation.clone()))
    };
    assert_eq!(again.verdict, finished.verdict, "{folder:?}");
    assert_eq!(again.recorded, Some(finished.verdict));
    assert_eq!(why(&again.diagnosis), why(&finished.diagnosis), "{folder:?}");
    assert_eq!(again.statistics.duration_ns, finished.statistics.duration_ns, "{folder:?}");
    let record = folder.join(RECORD);
    let beside = folder.join("sorted.jsonl");
    fs::write(&beside, sorted(&record)).unwrap();
    for path in [record, beside] {
        let judged = judged(prepared, &path);
        assert_eq!(judged.verdict, finished.verdict, "{path:?}");
        assert_eq!(why(&judged.diagnosis), why(&finished.diagnosis), "{path:?}");
        assert_eq!(judged.n_events(), again.n_events(), "{path:?}");
    }
}

/// A system that is right, and one that is wrong now and then, with resets in between.
#[test]
fn a_replay_has_the_verdict_of_the_live_run() {
    let folder = Folder::new("replays");
    let go = AtomicBool::new(false);
    let mut verdicts = Vec::new();
    for (model, system, restart) in [
        ("coffee-machine/universal.xml", "coffee-machine/implementation.xml", 0.2),
        ("coffee-machine/model.xml", "coffee-machine/implementation.xml", 0.0),
        ("train-gate/model.xml", "train-gate/model.xml", 0.05),
        ("train-gate/model.xml", "train-gate/broken.xml", 0.05),
        ("hod/model.xml", "hod/model.xml", 0.0),
    ] {
        if !example(model).with_file_name("punctual.toml").is_file() {
            continue;
        }
        for policy in [Policy::Random, Policy::Latest] {
            let wishes = Wishes {
                system: played(system, policy),
                runs: Some(12),
                time: Some("400".to_owned()),
                restart,
                ..Wishes::default()
            };
            let prepared = prepared(model, &wishes);
            for finished in recorded(&prepared, &folder.0, &go) {
                assert_same(&prepared, &finished);
                verdicts.push(finished.verdict);
            }
        }
    }
    assert!(verdicts.contains(&Verdict::Pass) && verdicts.contains(&Verdict::Fail), "{verdicts:?}");
}

/// However much of a record is missing, it is not called a pass, by nobody.
#[test]
fn a_record_that_was_cut_is_no_pass() {
    let folder = Folder::new("cut");
    let wishes = Wishes {
        system: played("coffee-machine/implementation.xml", Policy::Random),
        time: Some("300".to_owned()),
        restart: 0.1,
        ..Wishes::default()
    };
    let prepared = prepared("coffee-machine/universal.xml", &wishes);
    let finished = recorded(&prepared, &folder.0, &AtomicBool::new(false));
    let whole = finished[0].folder.clone().unwrap();
    assert_eq!(finished[0].verdict, Verdict::Pass);
    let text = fs::read_to_string(whole.join(RECORD)).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    for n_lines in 1..lines.len() {
        fs::write(whole.join(RECORD), format!("{}\n", lines[..n_lines].join("\n"))).unwrap();
        let again = replayed(&whole);
        assert_eq!(again.verdict, Verdict::Inconclusive, "{n_lines} lines");
        assert_eq!(again.diagnosis.map(|it| it.kind), Some(Cause::Cut));
        assert_eq!(again.recorded, None);
        let judged = judged(&prepared, &whole.join(RECORD));
        assert_eq!((judged.verdict, judged.recorded), (Verdict::Inconclusive, None));
    }
    // The verdict is the last line: cut anywhere in it, it is not there.
    let last = text.trim_end().rfind('\n').unwrap();
    for n_bytes in last..text.trim_end().len() {
        fs::write(whole.join(RECORD), &text[..n_bytes]).unwrap();
        let (again, judged) = (replayed(&whole), judged(&prepared, &whole.join(RECORD)));
        assert_eq!(again.verdict, Verdict::Inconclusive, "{n_bytes} bytes");
        assert_eq!(judged.verdict, Verdict::Inconclusive, "{n_bytes} bytes");
    }
    fs::write(whole.join(RECORD), text.trim_end()).unwrap();
    assert_eq!(replayed(&whole).verdict, Verdict::Pass);
}

/// What went wrong before a restart counts, whatever came after it.
#[test]
fn a_fail_before_a_restart_is_the_verdict() {
    let folder = Folder::new("before_a_restart");
    let wishes = Wishes {
        system: played("coffee-machine/implementation.xml", Policy::Random),
        time: Some("2000".to_owned()),
        restart: 0.1,
        ..Wishes::default()
    };
    let prepared = prepared("coffee-machine/universal.xml", &wishes);
    let finished = recorded(&prepared, &folder.0, &AtomicBool::new(false));
    let whole = finished[0].folder.clone().unwrap();
    assert_eq!(finished[0].verdict, Verdict::Pass);
    let text = fs::read_to_string(whole.join(RECORD)).unwrap();
    let restarts: Vec<usize> = text.match_indices("{\"restart\":").map(|(at, _)| at).collect();
    assert!(restarts.len() > 2, "{}", restarts.len());
    for at in restarts {
        let (before, after) = text.split_at(at);
        let ns: u64 = after["{\"restart\":".len()..].split('}').next().unwrap().parse().unwrap();
        // Two coffees at once are at least one too many.
        let coffee =
            format!("{{\"output\":\"weakCoffee\",\"values\":[],\"from\":{ns},\"to\":{ns}}}\n");
        fs::write(whole.join(RECORD), format!("{before}{coffee}{coffee}{after}")).unwrap();
        for again in [replayed(&whole), judged(&prepared, &whole.join(RECORD))] {
            assert_eq!((again.verdict, again.recorded), (Verdict::Fail, Some(Verdict::Pass)));
        }
    }
}

/// A script sends again what was sent in all parts of a run, and resets the system where it was reset.
#[test]
fn a_script_has_the_restarts_of_a_record() {
    let folder = Folder::new("script");
    let system = played("coffee-machine/implementation.xml", Policy::Earliest);
    let wishes = Wishes { time: Some("2000".to_owned()), restart: 0.1, ..Wishes::default() };
    let wishes = Wishes { system, ..wishes };
    let prepared_first = prepared("coffee-machine/model.xml", &wishes);
    let first = recorded(&prepared_first, &folder.0, &AtomicBool::new(false)).remove(0);
    assert!(first.statistics.restarts > 2, "{}", first.statistics.restarts);
    let script = Some(first.folder.clone().unwrap().join(RECORD));
    let wishes = Wishes { script, time: None, restart: 0.0, ..wishes };
    let prepared = prepared("coffee-machine/model.xml", &wishes);
    let again = recorded(&prepared, &folder.0, &AtomicBool::new(false)).remove(0);
    assert_same(&prepared, &again);
    let figures = |it: &Finished| {
        let figures = &it.statistics;
        (it.verdict, figures.inputs, figures.outputs, figures.restarts, figures.duration_ns)
    };
    assert_eq!(figures(&again), figures(&first));
    assert_eq!(again.trace, first.trace);
}

/// A user who stops a run learns nothing of the system.
#[test]
fn a_stopped_run_is_inconclusive() {
    let folder = Folder::new("stopped");
    let wishes = Wishes {
        system: played("coffee-machine/implementation.xml", Policy::Random),
        ..Wishes::default()
    };
    let prepared = prepared("coffee-machine/universal.xml", &wishes);
    let stops = AtomicBool::new(false);
    let mut sut = prepared.plan.connect(0).unwrap();
    let recording = prepared.recording(&folder.0, Vec::new()).unwrap_or_else(|it| panic!("{it}"));
    stops.store(true, Ordering::Relaxed);
    let mut strategy = prepared.plan.strategy(0, Guide::default());
    let finished = punctual_campaign::run::one(
        &prepared.plan,
        0,
        &mut *sut,
        &mut *strategy,
        Some(&recording),
        &stops,
        None,
    );
    let finished = finished.unwrap_or_else(|trouble| panic!("{trouble}"));
    assert_eq!(finished.verdict, Verdict::Inconclusive);
    assert_eq!(finished.diagnosis.as_ref().map(|it| it.kind), Some(Cause::Stopped));
    assert_same(&prepared, &finished);
}
