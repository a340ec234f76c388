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
/// An urgent channel does not wait: the receiver is ready after an exponential delay, and the
/// handshake is at that instant.
#[test]
fn urgent_channels_wait_for_nothing() {
    let sender = process("P").at("A").rate("0.001").at("B").go("A", "B").sync("c!");
    let receiver = process("Q").at("A").rate("2").at("Ready").at("B");
    let receiver = receiver.go("A", "Ready").assign("x = 0").go("Ready", "B").sync("c?");
    let handshake = model("clock x; urgent chan c;", [sender.clone(), receiver]);
    likely(&handshake, "Pr[<=0.5](<> P.B)", 1.0 - f64::exp(-1.0));
    likely(&handshake, "Pr[<=9](<> Q.Ready && x > 0)", 0.0);
    let alone = model("clock x; urgent broadcast chan c;", [sender]);
    likely(&alone, "Pr[<=0](<> P.B)", 1.0);
    // After a random start, with a strict guard and a clock that needs two additions.
    let sender = process("P").at("O").rate("3").at("A").rate("0.001").at("B");
    let sender = sender.go("O", "A").assign("x = 0").go("A", "B").guard("x > 1").sync("c!");
    let strict = model("clock x; urgent broadcast chan c;", [sender]);
    likely(&strict, "Pr[<=1.5](<> P.B)", 1.0 - f64::exp(-1.5));
    likely(&strict, "Pr[<=50](<> P.B && x > 1.001 && x < 40)", 1.0);
}
