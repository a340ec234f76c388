//! Processes that move together.

use super::*;

/// Attempts come at rate l, and none succeeds before the partner is ready at r:
/// P(T <= t) = 1 - e^(-l (t - r)).
#[test]
fn a_handshake_waits_for_its_partner() {
    let sender = process("P").at("A").rate("2").at("B").go("A", "B").sync("c!");
    let receiver = process("Q").at("A").go("A", "A").guard("x >= 4").sync("c?");
    let open = model("clock x; chan c;", [sender, receiver.clone()]);
    likely(&open, "Pr[<=4](<> P.B)", 0.0);
    likely(&open, "Pr[<=4.5](<> P.B)", 1.0 - f64::exp(-1.0));
    // Within a bound of 6, an attempt at u is followed by U[u,6]. The last attempt before 4 is followed
    // by one that is uniform on [4, 6], given that it is not before 4.
    let sender = process("P").at("A").invariant("x <= 6").at("B").go("A", "B").sync("c!");
    let bounded = model("clock x; chan c;", [sender, receiver]);
    likely(&bounded, "Pr[<=5](<> P.B)", 0.5);
    likely(&bounded, "Pr[<=6](<> P.B)", 1.0);
}
