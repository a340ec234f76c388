//! What was wrong once.

use punctual_lang::{Input, read_with_queries};
use punctual_mc::{Answer, Options, Outcome, check};
use punctual_semantics::{FaultKind, Rational};

fn answer(model: &str, query: &str) -> Outcome {
    let model = Input { name: "model.xta", bytes: model.as_bytes() };
    let query = Input { name: "model.q", bytes: query.as_bytes() };
    let reading = read_with_queries(model, Some(query));
    let model = reading.model.unwrap_or_else(|| panic!("{:?}", reading.diagnostics));
    let query = model.queries.first().expect("one query");
    let property = query.property.as_ref().unwrap_or_else(|| panic!("{:?}", query.diagnostics));
    check(&model.network, property, &Options::default(), &mut ()).expect("nothing unusual")
}

/// A clock guard on an urgent channel can cut the time that passes into several zones. From the
/// first of them, nothing seemed possible.
#[test]
fn waiting_for_an_urgent_channel_was_called_a_deadlock() {
    let model = "
        clock x, y;
        urgent chan c;
        process P() {
            state A, B;
            init A;
            trans A -> B { guard x >= 2; sync c!; },
                  B -> A { guard y >= 1; assign x = 1, y = 0; };
        }
        process Q() { state A; init A; trans A -> A { sync c?; }; }
        system P, Q;
    ";
    assert_eq!(answer(model, "A[] not deadlock").answer, Answer::Satisfied);
}

#[test]
fn an_error_that_a_higher_priority_forbids_ended_the_search() {
    let model = "
        int[0,1] v = 1;
        process Low() { state A; init A; trans A -> A { assign v = v + 1; }; }
        process High() { state A, B; init A; trans A -> B { }; }
        system Low < High;
    ";
    assert_eq!(answer(model, "E<> High.B").answer, Answer::Satisfied);
}

#[test]
fn an_error_in_the_guard_of_an_urgent_channel_was_a_panic() {
    let model = "
        int a[2];
        int[0,5] v = 0;
        urgent broadcast chan c;
        process P() {
            state A, B;
            init A;
            trans A -> B { assign v = 5; },
                  B -> B { select s : int[0,1]; guard a[v] == s; sync c!; };
        }
        system P;
    ";
    let Answer::Error(error) = answer(model, "E<> v == 4").answer else { panic!("no error") };
    assert_eq!(error.kind, FaultKind::Index { value: 5, lo: 0, len: 2 });
}

#[test]
fn a_trace_waited_in_a_committed_location() {
    let model = "
        clock x;
        process P() {
            state A, B, C;
            commit B;
            init A;
            trans A -> B { }, B -> C { guard x >= 2; };
        }
        system P;
    ";
    let trace = answer(model, "E<> P.C").trace.expect("a witness");
    let delays: Vec<_> = trace.steps.iter().map(|step| step.delay).collect();
    assert_eq!(delays, [Some(Rational::from(2)), Some(Rational::ZERO)]);
}

#[test]
fn an_index_of_a_channel_was_an_error_behind_a_false_guard() {
    let model = "
        chan c[2];
        int[0,5] v = 2;
        process P() { state A; init A; trans A -> A { guard v < 2; sync c[v]!; }; }
        process Q() { state A; init A; trans A -> A { sync c[0]?; }; }
        system P, Q;
    ";
    assert_eq!(answer(model, "E<> deadlock").answer, Answer::Satisfied);
}
