//! What the checker says, as text and as JSON.

use punctual_report::{
    answers::{self, Style},
    trace,
    view::{
        answers::{Answer, Answered, Cost, Edge, Error, Extremum, Limit},
        trace::{
            Change, Clock, Ending, Located, Move, Number, Selected, State, Step, Trace, Value,
            Variable,
        },
    },
};

fn number(numerator: i32, denominator: i32) -> Number {
    let exact = match denominator {
        1 => numerator.to_string(),
        _ => format!("{numerator}/{denominator}"),
    };
    Number { exact, value: f64::from(numerator) / f64::from(denominator) }
}

/// A state with this many trains.
fn state(trains: usize, location: &str, clock: Number) -> State {
    let train = |index: usize| format!("Train({index})");
    State {
        locations: (0..trains)
            .map(|index| Located { process: train(index), location: location.into() })
            .collect(),
        variables: (0..trains)
            .map(|index| Variable {
                name: format!("Gate.list[{index}]"),
                value: Value::Int(index as i32),
            })
            .chain([Variable { name: "busy".into(), value: Value::Bool(false) }])
            .collect(),
        clocks: (0..trains)
            .map(|index| Clock { name: format!("{}.x", train(index)), value: clock.clone() })
            .collect(),
    }
}

fn movement(process: &str, sync: &str) -> Move {
    Move {
        process: process.into(),
        source: "Safe".into(),
        target: "Appr".into(),
        sync: sync.into(),
        ..Move::default()
    }
}

fn run(trains: usize) -> Trace {
    let receive = Move {
        selected: vec![Selected { name: "e".into(), value: 0 }],
        ..movement("Gate", "appr[0]?")
    };
    let first = Step {
        delay: Some(number(7, 2)),
        time: Some(number(7, 2)),
        moves: vec![movement("Train(0)", "appr[0]!"), receive],
        changes: vec![
            Change { variable: "Gate.len".into(), before: Value::Int(0), after: Value::Int(1) },
            Change {
                variable: "busy".into(),
                before: Value::Bool(false),
                after: Value::Bool(true),
            },
        ],
        state: state(trains, "Appr", number(7, 2)),
    };
    let second = Step {
        delay: Some(number(0, 1)),
        moves: vec![movement("Train(1)", "")],
        changes: Vec::new(),
        ..first.clone()
    };
    Trace {
        start: state(trains, "Safe", number(0, 1)),
        steps: vec![first, second],
        rest: Some(number(1, 2)),
        duration: Some(number(4, 1)),
        ending: Ending::Goal,
    }
}

fn answered() -> Answered {
    Answered {
        query: "A[] not deadlock".into(),
        comment: "Trains never\nget stuck.\nexpected: satisfied".into(),
        answer: Answer::NotSatisfied,
        expected: Some(Answer::Satisfied),
        cost: Some(Cost {
            stored: 1234,
            explored: 2_000_000,
            transitions: 1,
            seconds: 0.0123,
            peak_memory: 3 << 20,
        }),
        trace_steps: Some(2),
        ..Answered::default()
    }
}

fn text(answered: &Answered) -> String {
    answers::text(1, answered, Style::default())
}

#[test]
fn an_answer_that_was_not_expected() {
    insta::assert_snapshot!(text(&answered()));
}

#[test]
fn an_answer_with_its_run() {
    let trace = Some(run(2));
    insta::assert_snapshot!(text(&Answered { trace, ..answered() }));
}

#[test]
fn an_answer_as_json() {
    let trace = Some(run(1));
    let answered = Answered { trace, ..answered() };
    insta::assert_snapshot!(serde_json::to_string_pretty(&answered).unwrap());
}

#[test]
fn lines_of_a_run_are_broken() {
    let text = trace::text(&run(70), 3, None);
    let widest = text.lines().map(|line| line.chars().count()).max().unwrap();
    assert!(widest <= 100, "{widest} columns");
    assert!(text.contains("… and 11 more"), "{text}");
    let narrow = trace::text(&run(70), 3, Some(60));
    assert!(narrow.lines().all(|line| line.chars().count() <= 60), "{narrow}");
}

#[test]
fn a_run_as_uppaal_prints_it() {
    let mut run = run(1);
    let moved = &mut run.steps[0].moves[0];
    (moved.guard, moved.update) = ("x >= 3".into(), "x = 0".into());
    insta::assert_snapshot!(trace::uppaal(&run));
}

#[test]
fn how_runs_end() {
    let endings = [
        Ending::Goal,
        Ending::Deadlock,
        Ending::Divergence,
        Ending::Cycle { from: 0 },
        Ending::Cycle { from: 1 },
        Ending::Error,
    ];
    let last = |ending| {
        let text = trace::text(&Trace { ending, rest: None, ..run(1) }, 0, None);
        text.lines().last().unwrap_or_default().to_owned() + "\n"
    };
    insta::assert_snapshot!(endings.map(last).concat());
}

/// A path without times, as of a model with stopwatches.
#[test]
fn a_run_without_times() {
    let mut trace = run(1);
    trace.start.clocks.clear();
    for step in &mut trace.steps {
        (step.delay, step.time) = (None, None);
        step.state.clocks.clear();
    }
    insta::assert_snapshot!(trace::text(&Trace { rest: None, ..trace }, 0, None));
}

#[test]
fn values() {
    let limit = |value, attained| Some(Limit { value, attained });
    let of =
        |least, greatest| Extremum { expression: "x".into(), reachable: true, least, greatest };
    let values = vec![
        of(None, limit(Some(20), true)),
        of(None, limit(Some(20), false)),
        of(None, limit(None, false)),
        of(limit(Some(-3), true), None),
        of(limit(Some(-3), false), None),
        of(limit(None, false), None),
        of(limit(Some(1), true), limit(Some(5), false)),
        of(limit(Some(1), false), limit(None, false)),
        Extremum { reachable: false, ..of(None, None) },
    ];
    let answered = Answered {
        query: "bounds: x".into(),
        answer: Answer::Values,
        values,
        ..Answered::default()
    };
    insta::assert_snapshot!(text(&answered));
}

#[test]
fn an_error_of_the_model() {
    let error = Error {
        message: "division by zero".into(),
        edges: vec![Edge {
            process: "Gate".into(),
            source: "Free".into(),
            target: "Occ".into(),
            text: "when len > 0; do n = 1 / len".into(),
            ..Edge::default()
        }],
        state: state(2, "Safe", number(1, 3)),
        excerpt: "error: division by zero\n --> gate.xml:3:4\n".into(),
    };
    let reason = Some(format!("the model is wrong: {}", error.message));
    let answer = Answer::Error;
    insta::assert_snapshot!(text(&Answered { answer, reason, error: Some(error), ..answered() }));
}

#[test]
fn several_answers_are_summed_up() {
    let of = |answer| Answered { answer, ..Answered::default() };
    let all = [
        Answer::Satisfied,
        Answer::Skipped,
        Answer::Error,
        Answer::NotSatisfied,
        Answer::Satisfied,
        Answer::Values,
        Answer::Undecided,
    ]
    .map(of);
    assert_eq!(
        answers::summary(&all),
        "7 queries: 2 satisfied, 1 not satisfied, 1 undecided, 1 answered by values, 1 error, \
         1 skipped\n"
    );
    assert_eq!(answers::summary(&all[..1]), "");
}

#[test]
fn short_answers() {
    assert_eq!(answers::line(&answered(), Style::default()), "not satisfied: A[] not deadlock\n");
    let colour = answers::line(&answered(), Style { colour: true, width: None });
    assert_eq!(colour, "\u{1b}[31mnot satisfied\u{1b}[0m: A[] not deadlock\n");
}

/// Texts of a model can not move the cursor or break lines.
#[test]
fn hostile_names() {
    let evil = "a\u{1b}[2J\nb\u{202e}".to_owned();
    let answered = Answered { query: evil.clone(), comment: evil.clone(), ..Answered::default() };
    let mut shown = text(&answered);
    let mut trace = run(1);
    trace.start.locations[0].location = evil.clone();
    trace.steps[0].moves[0].process = evil.clone();
    trace.steps[0].changes[0].variable = evil;
    let lines = trace::text(&run(1), 0, None).lines().count();
    let hostile = trace::text(&trace, 0, None);
    assert_eq!(hostile.lines().count(), lines);
    shown += &hostile;
    assert!(!shown.contains(['\u{1b}', '\u{202e}']), "{shown}");
}

#[test]
fn numbers_for_people() {
    assert_eq!(answers::grouped(0), "0");
    assert_eq!(answers::grouped(123_456), "123,456");
    assert_eq!(answers::seconds(12.34), "12.3 s");
    assert_eq!(answers::seconds(1234.5), "1234 s");
    assert_eq!(answers::bytes(1), "1 kB");
    assert_eq!(answers::bytes(31 << 20), "31 MB");
    assert_eq!(answers::bytes(3 << 29), "1.5 GB");
}
