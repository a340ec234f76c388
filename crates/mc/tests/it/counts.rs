//! How many symbolic states whole searches store and explore: a weaker extrapolation, inclusion or
//! analysis of bounds gives the right answers, only later, and shows here alone.
//!
//! The classics are those of `xtask bench`, whose counts TChecker has too; the others have arrays,
//! bounded integers, functions, and constants of clocks that depend on them.

use punctual_mc::{Answer, Extrapolation, Options, Order, check};
use punctual_model::{Expr, Frame, Number, Property, StateExpr};

#[path = "../../../../xtask/src/bench/models.rs"]
mod models;

/// A line for each way to search: states stored, states explored, transitions.
fn counts(name: &str, text: &str) -> String {
    let reading = punctual_lang::read(name, text.as_bytes());
    let network = reading.model.expect("the model is right").network;
    // All states must be seen before it is known that none is like this.
    let (expr, number) = (Expr::FALSE, Number::Int);
    let property = Property::ExistsFinally(StateExpr { expr, number, frame: Frame::default() });
    let mut out = String::new();
    for (extrapolation, order) in [
        (Extrapolation::Automatic, Order::BreadthFirst),
        (Extrapolation::Automatic, Order::DepthFirst),
        (Extrapolation::Maximum, Order::BreadthFirst),
    ] {
        let options = Options { extrapolation, order, ..Options::default() };
        let outcome = check(&network, &property, &options, &mut ()).expect("no refusal");
        assert_eq!(outcome.answer, Answer::NotSatisfied, "{name}");
        let of = outcome.statistics;
        let ways = format!("{extrapolation:?}, {order:?}");
        out += &format!(
            "{name:<16} {ways:<25} {:>7} {:>8} {:>11}\n",
            of.stored, of.explored, of.transitions
        );
    }
    out
}

#[test]
fn searches_see_as_few_states_as_ever() {
    let mut table =
        format!("{:<42} {:>7} {:>8} {:>11}\n", "model", "stored", "explored", "transitions");
    for (name, size) in [("fischer", 5), ("csmacd", 5), ("train_gate", 3)] {
        let text = models::generate(name, &[size]).expect("a model of this name");
        table += &counts(&format!("{name}-{size}.tck"), &text);
    }
    table += &counts("parcels.xta", include_str!("../../test_data/counts/parcels.xta"));
    table += &counts("tasks.xta", include_str!("../../test_data/counts/tasks.xta"));
    insta::assert_snapshot!(table);
}
