//! What playing mutants has shown, as text, JSON and a table.

use punctual_report::score::{table, text};
use punctual_report::view;
use punctual_report::view::score::{Confirmed, Contradiction, Played, Plays, Score, Scored};

/// Four pairs that were played, of which two contradict.
fn contradicted() -> Score {
    let contradiction = |outcome: &str, policy: &str| Contradiction {
        case: "edges 002".to_owned(),
        mutant: "widen-Gate-x".to_owned(),
        outcome: outcome.to_owned(),
        policy: policy.to_owned(),
    };
    let must =
        Confirmed { failed: 7, failed_always: 1, failed_once: 2, pairs: 2, passed: 1, stuck: 0 };
    let cannot =
        Confirmed { failed: 1, failed_always: 0, failed_once: 1, pairs: 2, passed: 5, stuck: 2 };
    let plays =
        |case, failed, passed| Plays { case, failed, outcome: "must".to_owned(), passed, stuck: 2 };
    let mutant = Scored {
        change: "x <= 5 becomes x <= 6".to_owned(),
        decision: "wrong".to_owned(),
        name: "widen-Gate-x".to_owned(),
        operator: "widen".to_owned(),
        outcome: "must".to_owned(),
        cases: vec![2],
        plays: Some(vec![plays(1, 3, 1), plays(2, 4, 0)]),
        ..Scored::default()
    };
    let played = Played {
        must,
        cannot,
        contradictions: vec![
            contradiction("must", "earliest"),
            contradiction("can not", "random, seed 3"),
        ],
        open: 3,
        random: 2,
        seed: 1,
        unreached: 4,
        ..Played::default()
    };
    Score {
        cases: vec!["edges 001".to_owned(), "edges 002".to_owned()],
        mutants: vec![mutant],
        played: Some(played),
        ..Score::default()
    }
}

/// A contradiction names the mutant, the case, and how it was played.
#[test]
fn contradictions_are_told() {
    let shown = text(&contradicted());
    let (_, shown) = shown.split_once("played: ").expect("a paragraph");
    insta::assert_snapshot!(shown);
    let json: serde_json::Value = serde_json::from_str(&view::json(&contradicted())).unwrap();
    let told = &json["played"]["contradictions"][1];
    assert_eq!(told["mutant"], "widen-Gate-x");
    assert_eq!(told["case"], "edges 002");
    assert_eq!(told["outcome"], "can not");
    assert_eq!(told["policy"], "random, seed 3");
}

/// Runs are counted in the table if there were any.
#[test]
fn tables_count_runs() {
    let mut score = contradicted();
    let row = "widen-Gate-x;widen;wrong;must;2;x <= 5 becomes x <= 6";
    let head = "name;operator;decision;outcome;cases;change";
    assert_eq!(table(&score), format!("{head};failed;passed;stuck\n{row};7;1;4\n"));
    score.played = None;
    score.mutants[0].plays = None;
    assert_eq!(table(&score), format!("{head}\n{row}\n"));
}
