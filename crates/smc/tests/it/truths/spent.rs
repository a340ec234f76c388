//! Estimations end when their budget is spent, also inside of one run and one step.

use std::sync::{Arc, mpsc};
use std::time::Duration;

use punctual_semantics::budget::{Budget, Spent};

use super::*;

/// Something happens each time unit.
fn endless() -> Model {
    let it = process("P").at("A").invariant("x <= 1").go("A", "A").guard("x >= 1");
    model("clock x; int n;", [it.assign("x = 0, n = 1 - n")])
}

/// Answers a query; after a while, somebody spends the budget.
fn stopped(xml: &str, query: &str, options: &Options, why: Spent) -> Outcome {
    let (over, waits) = mpsc::channel::<()>();
    let budget = Arc::clone(&options.budget);
    std::thread::scope(|scope| {
        scope.spawn(move || {
            let _ = waits.recv_timeout(Duration::from_millis(150));
            budget.spend(why);
        });
        let outcome = ask(xml, query, options).unwrap_or_else(|refusal| panic!("{refusal:?}"));
        drop(over);
        outcome
    })
}

#[test]
fn a_run_without_end_is_stopped() {
    for query in [
        "Pr[<=2000000000](<> n == 2)",
        "Pr[#<=2000000000](<> n == 2)",
        "Pr[<=2000000000](<> n == 2) >= 0.5",
        "Pr[<=2000000000](<> n == 2) >= Pr[<=2000000000](<> n == 3)",
        "E[<=2000000000; 3](max: n)",
    ] {
        for threads in [1, 3] {
            let options = Options { threads, ..Options::default() };
            let found = stopped(&endless().xml(), query, &options, Spent::Time);
            assert_eq!((found.spent, found.runs), (Some(Spent::Time), 0), "{query}");
        }
    }
}

#[test]
fn what_a_run_records_counts() {
    let options = Options { budget: Arc::new(Budget::new(1 << 20)), ..Options::default() };
    let found = stopped(&endless().xml(), "simulate[<=2000000000; 1]{n}", &options, Spent::Time);
    assert_eq!(found.spent, Some(Spent::Memory));
}

#[test]
fn selecting_in_one_step_is_stopped() {
    let it = process("P").at("A").go("A", "A").select("i : int[0, 2147483647]").assign("n = i");
    let xml = model("int n;", [it]).xml();
    let found = stopped(&xml, "Pr[<=10](<> n == -1)", &Options::default(), Spent::Stopped);
    assert_eq!((found.spent, found.runs), (Some(Spent::Stopped), 0));
}
