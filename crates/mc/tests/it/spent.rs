//! Searches end when their budget is spent, also inside of one state.

use std::sync::{Arc, mpsc};
use std::time::Duration;

use punctual_lang::{Input, read_with_queries};
use punctual_mc::{
    Answer, Approximation, Observer, Options, Order, Outcome, TraceKind, Undecided, check,
};
use punctual_semantics::budget::{Budget, Spent};

const QUERIES: [&str; 8] = [
    "E<> n == 7",
    "A[] n == 0",
    "A[] not deadlock",
    "E[] true",
    "A<> n == 7",
    "n == 0 --> n == 7",
    "sup: n",
    "bounds{n == 0}: n",
];

const ORDERS: [Order; 5] = [
    Order::BreadthFirst,
    Order::DepthFirst,
    Order::Guided,
    Order::RandomWalk { seed: 1 },
    Order::RandomDepthFirst { seed: 1 },
];

fn answer(model: &str, query: &str, options: &Options, observer: &mut dyn Observer) -> Outcome {
    let model = Input { name: "model.xta", bytes: model.as_bytes() };
    let query = Input { name: "model.q", bytes: query.as_bytes() };
    let reading = read_with_queries(model, Some(query));
    let model = reading.model.unwrap_or_else(|| panic!("{:?}", reading.diagnostics));
    let query = model.queries.first().expect("one query");
    let property = query.property.as_ref().unwrap_or_else(|| panic!("{:?}", query.diagnostics));
    check(&model.network, property, options, observer).expect("nothing unusual")
}

/// One state has 2^40 successors.
fn receivers() -> String {
    let mut model = "broadcast chan c; int n; clock x;
        process S() { state A { x <= 2 }; init A; trans A -> A { guard x >= 1; sync c!; assign x = 0; }; }
        process R() { state A, B, C; init A; trans A -> B { sync c?; }, A -> C { sync c?; }; }\n"
        .to_owned();
    let names: Vec<String> = (0..40).map(|i| format!("R{i}")).collect();
    names.iter().for_each(|name| model += &format!("{name} = R();\n"));
    model + &format!("system S, {};", names.join(", "))
}

/// One state has 2^31 successors, one after the other.
const SELECTED: &str = "int n; int m; process P() { state A; init A; \
    trans A -> A { select i : int[0,2147483647]; assign m = i; }; } system P;";

/// Nothing is found, and looking for it takes for ever.
const IN_VAIN: &str = "int n; process P() { state A; init A; \
    trans A -> A { select i : int[0,2147483647], j : int[0,2147483647]; guard i + 1 < i; }; } system P;";

#[test]
fn successors_of_one_state_count() {
    for model in [receivers().as_str(), SELECTED] {
        for (query, order) in QUERIES.into_iter().flat_map(|it| ORDERS.map(|order| (it, order))) {
            for threads in [1, 2] {
                if order != Order::BreadthFirst && threads == 2 {
                    continue;
                }
                let budget = Arc::new(Budget::new(1 << 20));
                let options = Options { order, threads, budget, ..Options::default() };
                // A search that stores nothing of a state has to be stopped.
                let found = stopped(model, query, &options, Spent::Time);
                let Answer::Undecided(why) = found.answer else {
                    // The first successor, or that time may pass without end, may say enough.
                    let is_known = model == SELECTED && !query.contains("E<>");
                    assert!(is_known && !query.contains(':'), "{query} {found:?}");
                    continue;
                };
                assert!(matches!(why, Undecided::Memory | Undecided::Time), "{query} {why:?}");
                assert!(found.statistics.memory_peak < 8 << 20, "{query}: {found:?}");
            }
        }
    }
}

/// Answers a query; after a while, somebody spends the budget.
fn stopped(model: &str, query: &str, options: &Options, why: Spent) -> Outcome {
    let (over, waits) = mpsc::channel::<()>();
    let budget = Arc::clone(&options.budget);
    std::thread::scope(|scope| {
        scope.spawn(move || {
            let _ = waits.recv_timeout(Duration::from_millis(60));
            budget.spend(why);
        });
        let outcome = answer(model, query, options, &mut ());
        drop(over);
        outcome
    })
}

#[test]
fn somebody_else_can_end_the_expansion_of_a_state() {
    for model in [receivers().as_str(), IN_VAIN] {
        for query in ["E<> n == 7", "E[] n == 0", "A[] not deadlock"] {
            for (why, told) in
                [(Spent::Stopped, Undecided::Stopped), (Spent::Time, Undecided::Time)]
            {
                let options = Options { trace: TraceKind::None, ..Options::default() };
                let found = stopped(model, query, &options, why);
                assert_eq!(found.answer, Answer::Undecided(told), "{query}");
            }
        }
    }
}

/// Zones of so many clocks do not fit; that is known before the first one is made.
#[test]
fn zones_that_do_not_fit_are_not_made() {
    let clocks: Vec<String> = (0..1500).map(|i| format!("x{i}")).collect();
    let edges: Vec<String> =
        clocks.iter().map(|it| format!("A -> A {{ guard {it} >= 1; }}")).collect();
    let model = format!(
        "clock {}; process P() {{ state A; init A; trans {}; }} system P;",
        clocks.join(", "),
        edges.join(", ")
    );
    for query in ["E<> false", "E[] true", "sup: x0"] {
        let options = Options { budget: Arc::new(Budget::new(64 << 20)), ..Options::default() };
        let found = answer(&model, query, &options, &mut ());
        assert_eq!(found.answer, Answer::Undecided(Undecided::Memory), "{query}");
    }
}

/// A goal that was found is an answer, although nothing is left to show the way to it.
#[test]
fn an_answer_does_not_need_its_trace() {
    /// Spends the budget once a state is stored.
    struct Late(Arc<Budget>);
    impl Observer for Late {
        fn elapsed(&mut self) -> Duration {
            Duration::ZERO
        }
        fn progress(&mut self, _: &punctual_mc::Progress) -> bool {
            self.0.spend(Spent::Time);
            true
        }
    }
    let model = "int n; process P() { state A; init A; trans A -> A { assign n = (n + 1) % 9; }; } system P;";
    for approximation in [Approximation::Exact, Approximation::ConvexHull] {
        let budget = Arc::new(Budget::default());
        let options = Options { approximation, budget: Arc::clone(&budget), ..Options::default() };
        let found = answer(model, "E<> n == 7", &options, &mut Late(budget));
        assert_eq!(found.answer, Answer::Undecided(Undecided::Time));
    }
}
