//! What is asked of a run: bounds, formulas, and instants in the middle of a delay.

use super::*;

/// What happens at the very end of a run counts, however many transitions it takes.
#[test]
fn the_end_of_a_run_belongs_to_it() {
    let it = process("P").at("A").invariant("x <= 5").at("C").committed().at("D").urgent().at("B");
    let it = it.go("A", "C").guard("x >= 5").go("C", "D").go("D", "B");
    let exact = model("clock x;", [it]);
    likely(&exact, "Pr[<=5](<> P.B)", 1.0);
    likely(&exact, "Pr[x<=5](<> P.B)", 1.0);
    likely(&exact, "Pr[<=4.999](<> P.B)", 0.0);
    // Here 5 is the sum of many random delays.
    let it = process("P").at("A").invariant("x <= 5").at("B").go("A", "B").guard("x >= 5");
    let busy = process("Q").at("A").rate("7").go("A", "A");
    likely(&model("clock x;", [it, busy]), "Pr[<=5](<> P.B)", 1.0);
}
