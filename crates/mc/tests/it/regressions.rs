//! What was wrong once.

use punctual_lang::{Input, read_with_queries};
use punctual_mc::{
    Answer, Extrapolation, Extremum, Limit, Options, Order, Outcome, TraceKind, check,
};
use punctual_semantics::{FaultKind, Rational};

fn answer(model: &str, query: &str) -> Outcome {
    answer_by(model, query, &Options::default())
}

fn answer_by(model: &str, query: &str, options: &Options) -> Outcome {
    let model = Input { name: "model.xta", bytes: model.as_bytes() };
    let query = Input { name: "model.q", bytes: query.as_bytes() };
    let reading = read_with_queries(model, Some(query));
    let model = reading.model.unwrap_or_else(|| panic!("{:?}", reading.diagnostics));
    let query = model.queries.first().expect("one query");
    let property = query.property.as_ref().unwrap_or_else(|| panic!("{:?}", query.diagnostics));
    check(&model.network, property, options, &mut ()).expect("nothing unusual")
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

/// After `y = 5` a test of `x - y <= 3` is one of `x <= 8`.
#[test]
fn a_difference_with_a_clock_set_to_a_constant_was_extrapolated_too_far() {
    let set = "clock x, y; process P() { state A0 { x <= 10 }, A, B, C; init A0;
        trans A0 -> A { guard x >= 10; }, A -> B { assign y = 5; },
              B -> C { guard x - y <= 3; }; } system P;";
    assert_eq!(answer(set, "E<> P.C").answer, Answer::NotSatisfied);
    assert_eq!(answer(set, "A[] not P.C").answer, Answer::Satisfied);
    let copied = "clock x, y, z; process P() { state A0 { x <= 10 }, A, B, C; init A0;
        trans A0 -> A { guard x >= 10; assign z = 0; }, A -> B { guard z <= 0; assign y = z + 5; },
              B -> C { guard x - y <= 3; }; } system P;";
    assert_eq!(answer(copied, "E<> P.C").answer, Answer::NotSatisfied);
    let asked = "clock x, y; process P() { state A0 { x <= 10 }, A, B; init A0;
        trans A0 -> A { guard x >= 10; }, A -> B { assign y = 5; }; } system P;";
    assert_eq!(answer(asked, "E<> P.B and x - y <= 3").answer, Answer::NotSatisfied);
}

#[test]
fn the_supremum_of_a_clock_was_that_of_a_zone_made_coarser() {
    let greatest = |limit| {
        Answer::Values(vec![Extremum { reachable: true, least: None, greatest: Some(limit) }])
    };
    let model = "clock x, y;
        process P() { state A0 { x <= 18 }, A { y <= 4 }, B { y <= 20 }, C { x <= 1 };
            urgent B; init A0;
            trans A0 -> A { assign y = 0; }, A -> B { }, B -> C { assign x = 0; }; } system P;";
    assert_eq!(answer(model, "sup: x").answer, greatest(Limit::Attained(22)));
    let model = "clock x, y; process P() { state A0 { x <= 18 }, A { y <= 18 }, C; init A0;
        trans A0 -> A { assign y = 0; }, A -> C { assign y = 0; }; } system P;";
    assert_eq!(answer(model, "sup{P.C and y <= 5}: x").answer, greatest(Limit::Attained(41)));
    assert_eq!(answer(model, "sup{P.C and y >= 5}: x").answer, greatest(Limit::Infinite));
}

#[test]
fn a_query_was_evaluated_further_than_the_language_does() {
    let model =
        "clock x; int n = 0; process P() { state A, B; init A; trans A -> B { }; } system P;";
    let holds = |query: &str| {
        assert_eq!(answer(model, query).answer, Answer::Satisfied, "{query}");
    };
    holds("E<> P.B and (n == 0 or (10 / n > 2 and x > 3))");
    holds("E<> P.B and (n > 0 imply (10 / n > 2 and x > 3))");
    let guided = Options { order: Order::Guided, ..Options::default() };
    let outcome = answer_by(model, "E<> P.B and n != 0 and 10 / n > 2", &guided);
    assert_eq!(outcome.answer, Answer::NotSatisfied);
    // As for any other number that is not zero.
    assert_eq!(answer(model, "A[] not ((x >= 0) xor 7)").answer, Answer::Satisfied);
}

#[test]
fn the_fastest_trace_went_to_the_first_part_of_the_goal() {
    let model =
        "clock x; process P() { state A, B; init A; trans A -> B { assign x = 0; }; } system P;";
    let options = Options { trace: TraceKind::Fastest, ..Options::default() };
    let time = |query: &str| {
        let trace = answer_by(model, query, &options).trace.expect("a trace");
        let delays = trace.steps.iter().filter_map(|step| step.delay).chain(trace.rest);
        delays.fold(Rational::ZERO, |sum, delay| sum + delay)
    };
    assert_eq!(time("E<> P.B and (x >= 5 or x == 3)"), Rational::from(3));
    assert_eq!(time("E<> P.B and (x > 7 or (x >= 2 and x <= 3))"), Rational::from(2));
}

/// One thread panicked over a zone out of range, and the other waited for it for ever.
#[test]
fn a_clock_that_grows_without_extrapolation_never_ended() {
    let model = "clock x, y; process P() { state A { y <= 100000000 }, B; init A;
        trans A -> A { guard y >= 100000000; assign y = 0; },
              A -> B { guard x >= 5 && y == 1; }; } system P;";
    for threads in [1, 2] {
        let extrapolation = Extrapolation::None;
        let options = Options { threads, extrapolation, ..Options::default() };
        match answer_by(model, "E<> false", &options).answer {
            Answer::Error(fault) => {
                assert!(matches!(fault.kind, FaultKind::ClockGrown { .. }), "{fault:?}");
            }
            answer => panic!("{answer:?}"),
        }
    }
}

/// The trace is replayed without extrapolation.
#[test]
fn a_long_trace_with_large_constants_was_a_panic() {
    let model = "clock x, y; int[0,9] n = 0; process P() { state A { y <= 100000000 }, B; init A;
        trans A -> A { guard y >= 100000000 && n < 9; assign y = 0, n = n + 1; },
              A -> B { guard x >= 5 && n == 9; }; } system P;";
    let outcome = answer(model, "E<> P.B");
    assert_eq!(outcome.answer, Answer::Satisfied);
    let trace = outcome.trace.expect("a trace");
    let time = trace.steps.iter().filter_map(|step| step.delay);
    assert_eq!(time.fold(Rational::ZERO, |sum, delay| sum + delay), Rational::from(900_000_000));
}

/// Arrays and structures whose elements have other ranges could not be assigned as a whole.
#[test]
fn elements_of_other_ranges_are_assigned_one_by_one() {
    let model = |n: i32| {
        format!(
            "typedef struct {{ int[0,5] a[2]; bool b; }} Small; typedef struct {{ int a[2]; int b; }} Large;
             Small s, t[3]; Large l = {{ {{ 1, {n} }}, 1 }}; int head = 2; int[0,9] m[2][2]; int v[2] = {{ 7, 8 }};
             process P() {{ state A, B; init A;
                 trans A -> B {{ assign s = l, t[head] = l, m[1] = v, head = 0; }}; }}
             system P;"
        )
    };
    let all = "A[] P.B imply (s.a[1] == 3 and s.b and t[2].a[0] == 1 and t[2].a[1] == 3 and t[0].a[0] == 0 and m[1][1] == 8 and m[0][1] == 0)";
    assert_eq!(answer(&model(3), all).answer, Answer::Satisfied);
    assert_eq!(answer(&model(3), "E<> P.B").answer, Answer::Satisfied);
    // What does not fit is found when it runs.
    let Answer::Error(fault) = answer(&model(6), "E<> P.B").answer else {
        panic!("it does not fit")
    };
    assert_eq!(fault.kind, FaultKind::Range { value: 6, lo: 0, hi: 5 });
}
