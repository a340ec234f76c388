//! Runs of a campaign that learn from each other.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use punctual_campaign::drive::{Manner, drive};
use punctual_campaign::load::load;
use punctual_campaign::prepare::{Prepared, Wishes, prepare};
use punctual_campaign::run::{Finished, many};
use punctual_campaign::{plan::Guide, pool::Pool};
use punctual_lang::testing::{Policy, UnderTest};
use punctual_semantics::budget::Spent;
use punctual_testgen::Lessons;

fn prepared(runs: u64) -> Prepared {
    let example = |path: &str| {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/coffee-machine").join(path)
    };
    let path = example("implementation.xml").to_string_lossy().into_owned();
    let wishes = Wishes {
        system: Some(UnderTest::Model { path, policy: Policy::Random }),
        guided: Some(true),
        events: Some(25),
        runs: Some(runs),
        ..Wishes::default()
    };
    let loaded = load(&example("universal.xml"), None, wishes.environment);
    let prepared = loaded.and_then(|loaded| prepare(loaded, &wishes));
    prepared.unwrap_or_else(|problem| panic!("{problem}"))
}

/// The same seed gives the same runs on any number of threads, also where runs learn from earlier ones.
#[test]
fn guided_runs_do_not_depend_on_threads() {
    let shown = |threads| {
        let manner = Manner { threads: Some(threads), keep_going: true, shrinks: false };
        let drove = drive(&prepared(12), None, manner, &AtomicBool::new(false), |_, _| {});
        let digest = |it: &punctual_campaign::summary::Digest| {
            format!("{} {} {} {:?}", it.header.run, it.inputs, it.last_ns, it.tail)
        };
        drove.summary.runs.iter().map(digest).collect::<Vec<_>>()
    };
    let alone = shown(1);
    assert_eq!(alone.len(), 12);
    assert_eq!(alone, shown(2));
    assert_eq!(alone, shown(5));
}

/// What an earlier run covered is not aimed at again.
#[test]
fn a_run_knows_what_others_have_covered() {
    let prepared = prepared(1);
    let stops = AtomicBool::new(false);
    let aims = prepared.plan.aims();
    let made = |lessons: Option<&Lessons>| {
        let mut found: Option<Finished> = None;
        let minding = (&stops, &(|_| None) as _, Guide { aims: aims.as_ref(), lessons });
        let threads = (1, &Pool::default());
        let done = many(&prepared.plan, 0..1, threads, None, minding, |finished| {
            found = Some(finished);
            true
        });
        done.unwrap_or_else(|trouble| panic!("{trouble}"));
        found.unwrap()
    };
    let first = made(None);
    let mut all = Lessons::default();
    let network = &prepared.plan.judges.specification.as_ref().unwrap().network;
    for (process, it) in network.processes.enumerate() {
        all.learn(it.edges.ids().map(|edge| (process, edge)));
    }
    let second = made(Some(&all));
    assert!(aims.is_some());
    assert_eq!(first.trace, made(Some(&Lessons::default())).trace);
    assert_ne!(first.trace, second.trace);
    let covered = |it: &Finished| it.coverage.ratio(network).0;
    assert!(covered(&first) >= covered(&second), "{} {}", covered(&first), covered(&second));
}

/// A user who stops it just when a run begins: the model does not start any more, which is no trouble.
#[test]
fn a_run_that_is_stopped_when_it_begins_is_none() {
    let prepared = prepared(3);
    let stops = AtomicBool::new(false);
    let budget = prepared.plan.judges.specification.as_ref().unwrap().budget();
    let stop = |_| {
        budget.spend(Spent::Stopped);
        stops.store(true, Ordering::Relaxed);
        None
    };
    let mut n_runs = 0;
    let minding = (&stops, &stop as _, Guide::default());
    let done = many(&prepared.plan, 0..3, (1, &Pool::default()), None, minding, |_| {
        n_runs += 1;
        true
    });
    assert!(done.is_ok(), "{done:?}");
    assert_eq!(n_runs, 0);
}
