//! Folders of runs, and summaries over them.

use std::fs;
use std::path::Path;

use punctual_campaign::store::{Direction, End, Given, Line, Run, Store, TABLE, Verdict, hash};
use punctual_campaign::summary::Summary;
use punctual_model as model;

use crate::sample::{Folder, end, event, header, lamp};

const MODEL: &[u8] = b"<nta/>";

fn given<'g>() -> Given<'g> {
    Given { role: "model", path: Path::new("models/lamp.xml"), bytes: MODEL }
}

/// Makes a run with this verdict, or without one.
fn run(store: &Store, verdict: Option<Verdict>, n_events: u64) -> Run {
    let (run, mut writer) = store.begin(&header(), given(), &[]).unwrap();
    for i in 0..n_events {
        writer.line(&event(Direction::Input, "grasp", &[], i * 1_000)).unwrap();
    }
    if let Some(verdict) = verdict {
        let mut statistics = end().statistics;
        statistics.duration_ns = n_events * 1_000;
        let end = End {
            verdict,
            at_ns: n_events * 1_000,
            diagnosis: None,
            ending: None,
            late_ns: None,
            statistics,
            shows: Vec::new(),
        };
        writer.line(&Line::End(Box::new(end))).unwrap();
    }
    run
}

#[test]
fn hashes_are_sha_256() {
    let expected = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    assert_eq!(hash(b"abc"), expected);
}

#[test]
fn runs_are_numbered_and_keep_what_they_were_given() {
    let folder = Folder::new("numbers");
    let store = Store::create(folder.0.join("runs")).unwrap();
    let toml = Given { role: "model", path: Path::new("punctual.toml"), bytes: b"unit = \"1 ms\"" };
    let (first, writer) = store.begin(&header(), given(), &[toml]).unwrap();
    drop(writer);
    assert_eq!(first.name, "0001");
    assert_eq!(fs::read(first.path.join("lamp.xml")).unwrap(), MODEL);
    let record = first.record().unwrap();
    assert_eq!(record.header.model.hash, hash(MODEL));
    assert_eq!(record.header.files[0].file, "punctual.toml");
    assert_eq!(first.file_path(&record.header.model), Some(first.path.join("lamp.xml")));
    // Another process has made a run meanwhile, and a store that is opened later goes on.
    fs::create_dir(store.path().join("0002")).unwrap();
    assert_eq!(run(&store, None, 0).name, "0003");
    fs::create_dir(store.path().join("0041")).unwrap();
    let store = Store::open(store.path()).unwrap();
    assert_eq!(run(&store, None, 0).name, "0042");
    let names: Vec<String> = store.runs().unwrap().into_iter().map(|run| run.name).collect();
    assert_eq!(names, ["0001", "0003", "0042"], "folders without a record are no runs");
    assert_eq!(store.run("3").unwrap().name, "0003");
    let missing = store.run("7").unwrap_err().to_string();
    assert!(missing.starts_with("there is no run `7` in "), "{missing}");
    assert_eq!(Run::at(&first.record_path()), first);
}

#[test]
fn threads_never_share_a_run() {
    let folder = Folder::new("threads");
    let store = Store::create(&folder.0).unwrap();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| (0..25).for_each(|_| drop(run(&store, None, 1))));
        }
    });
    assert_eq!(store.runs().unwrap().len(), 100);
}

#[test]
fn what_can_not_be_written_is_said() {
    let folder = Folder::new("unwritable");
    let file = folder.0.join("file");
    fs::write(&file, "").unwrap();
    let error = Store::create(file.join("runs")).unwrap_err().to_string();
    assert!(error.starts_with("can not create ") && error.contains("file/runs"), "{error}");
    let store = Store::create(folder.0.join("runs")).unwrap();
    let table = Given { role: TABLE, path: Path::new("other/lamp.xml"), bytes: b"" };
    let error = store.begin(&header(), given(), &[table]).unwrap_err().to_string();
    assert_eq!(error, "two files of a run are called `lamp.xml`; rename one of them");
    fs::remove_dir_all(store.path()).unwrap();
    let error = store.begin(&header(), given(), &[]).unwrap_err().to_string();
    assert!(error.starts_with("can not create "), "{error}");
    let error = Run::at(&folder.0).record().unwrap_err().to_string();
    assert!(error.starts_with("can not read ") && error.contains("record.jsonl"), "{error}");
}

#[test]
fn files_with_the_same_name_are_all_kept() {
    let folder = Folder::new("same-name");
    let store = Store::create(&folder.0).unwrap();
    let suite = |bytes| Given { role: "suite", path: Path::new("other/lamp.xml"), bytes };
    let table = Given { role: TABLE, path: Path::new("lamp.csv"), bytes: b"1" };
    let files = [suite(b"suite"), suite(given().bytes), suite(b"third"), table, table];
    let (run, _) = store.begin(&header(), given(), &files).unwrap();
    let kept = run.record().unwrap().header;
    let names: Vec<&str> = kept.files.iter().map(|file| file.file.as_str()).collect();
    assert_eq!(names, ["2-lamp.xml", "lamp.xml", "3-lamp.xml", "lamp.csv", "lamp.csv"]);
    for (file, given) in kept.files.iter().zip(&files) {
        assert_eq!(fs::read(run.file_path(file).unwrap()).unwrap(), given.bytes);
    }
}

#[test]
fn a_recorded_name_does_not_lead_out_of_its_folder() {
    let run = Run::at(Path::new("runs/0001"));
    let file = |name: &str| punctual_campaign::store::File {
        file: name.into(),
        hash: String::new(),
        role: String::new(),
    };
    assert!(run.file_path(&file("../../secret")).is_none());
    assert!(run.file_path(&file("/etc/hosts")).is_none());
    assert!(run.file_path(&file("..")).is_none());
    assert!(run.file_path(&file("")).is_none());
    assert!(run.file_path(&file("model.xml")).is_some());
}

#[test]
fn the_worst_comes_first() {
    let folder = Folder::new("summary");
    let store = Store::create(&folder.0).unwrap();
    run(&store, Some(Verdict::Pass), 5);
    run(&store, Some(Verdict::Fail), 9);
    run(&store, Some(Verdict::Inconclusive), 2);
    run(&store, None, 3);
    run(&store, Some(Verdict::Fail), 4);
    run(&store, Some(Verdict::Pass), 1);
    fs::create_dir(folder.0.join("0007")).unwrap();
    fs::write(folder.0.join("0007/record.jsonl"), "nonsense\n").unwrap();
    let summary = Summary::of(&store.runs().unwrap());
    let names: Vec<&str> = summary.runs.iter().map(|digest| digest.run.name.as_str()).collect();
    assert_eq!(names, ["0005", "0002", "0004", "0003", "0001", "0006"]);
    let totals = summary.totals();
    assert_eq!((totals.passed, totals.failed, totals.inconclusive), (2, 2, 1));
    assert_eq!((totals.unfinished, totals.unreadable, totals.inputs), (1, 1, 24));
    assert_eq!(summary.worst(), Some(Verdict::Fail));
    assert_eq!(summary.runs[1].tail.len(), 9);
    assert!(summary.unreadable[0].1.contains("is not a record of a run"));
}

#[test]
fn no_verdict_is_no_pass() {
    let folder = Folder::new("worst");
    let store = Store::create(&folder.0).unwrap();
    run(&store, Some(Verdict::Pass), 1);
    assert_eq!(Summary::of(&store.runs().unwrap()).worst(), Some(Verdict::Pass));
    run(&store, None, 1);
    assert_eq!(Summary::of(&store.runs().unwrap()).worst(), Some(Verdict::Inconclusive));
    assert_eq!(Summary::default().worst(), None);
}

#[test]
fn a_header_tells_the_interface() {
    let interface = lamp();
    let header = header();
    assert_eq!(header.unit_ns, interface.time.unit_ns);
    let first = interface.signals.iter().next().unwrap();
    assert_eq!(first.direction, model::Direction::Input);
    assert_eq!(header.signals[0].direction, Direction::Input);
    assert_eq!(header.signals[2].values, ["adapLevel"]);
}
