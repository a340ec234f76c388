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

/// Everyone who can receive does, and chooses among its own edges: three receivers with 1, 2 and 4
/// possible edges. All in their `Z` with 1 * 1/2 * 1/4.
#[test]
fn receivers_of_a_broadcast_choose_each_for_itself() {
    let sender = process("P").at("A").at("B").go("A", "B").sync("c!");
    let receiver = |name: &str, edges: u32| {
        let mut it = process(name).at("A").at("Y").at("Z").go("A", "Z").sync("c?");
        for _ in 1..edges {
            it = it.go("A", "Y").sync("c?");
        }
        it.go("A", "Y").guard("x < 0 || x > 100").sync("c?")
    };
    let deaf = process("S").at("A").at("Z").go("A", "Z").guard("n > 0").sync("c?");
    let selects = process("T").at("A").at("Z").go("A", "Z").select("i : int[0,3]").sync("c?");
    let parties = [
        sender,
        receiver("Q", 1),
        receiver("R", 2),
        receiver("U", 4),
        deaf,
        selects.assign("m = i"),
    ];
    let model = model("broadcast chan c; int x; int n; int m = -1;", parties);
    likely(&model, "Pr[#<=1](<> Q.Z && R.Z && U.Z)", 0.125);
    likely(&model, "Pr[#<=1](<> Q.Z && !R.A && !U.A && T.Z && S.A)", 1.0);
    likely(&model, "Pr[#<=1](<> U.Z && m == 3)", 0.0625);
}

/// Partners of a handshake, each possible edge with the same chance: Q has one, R two.
#[test]
fn partners_of_a_handshake_are_equally_likely() {
    let sender = process("P").at("A").at("B").go("A", "B").sync("c!");
    let one = process("Q").at("A").at("B").go("A", "B").sync("c?");
    let two = process("R").at("A").at("B").at("C").go("A", "B").sync("c?");
    let two = two.go("A", "C").sync("c?").go("A", "C").guard("n > 0").sync("c?");
    let model = model("chan c; int n;", [sender, one, two]);
    likely(&model, "Pr[#<=1](<> Q.B)", 1.0 / 3.0);
    likely(&model, "Pr[#<=1](<> R.C)", 1.0 / 3.0);
    likely(&model, "Pr[#<=1](<> (Q.B && !R.A) || !P.B && !(Q.A && R.A))", 0.0);
}

/// A partner whose target forbids it is none: the other one is taken.
#[test]
fn a_partner_that_can_not_enter_its_target_is_none() {
    let sender = process("P").at("A").invariant("x <= 1").at("B").go("A", "B").sync("c!");
    let no = process("Q").at("A").at("B").invariant("n > 0").go("A", "B").sync("c?");
    let yes = process("R").at("A").at("B").go("A", "B").sync("c?");
    let model = model("clock x; chan c; int n;", [sender, no, yes]);
    likely(&model, "Pr[<=1](<> P.B && R.B)", 1.0);
    likely(&model, "Pr[<=0.5](<> P.B)", 0.5);
}

/// An edge whose target forbids it is none: of three one is left.
#[test]
fn an_edge_that_can_not_enter_its_target_is_none() {
    let it = process("P").at("A").invariant("x <= 1").at("B").at("C").invariant("x <= n");
    let it = it.go("A", "B").go("A", "C").guard("x > 0").go("A", "B").assign("n = n - 1");
    let it = it.at("D").invariant("n > 0").go("A", "D");
    let model = model("clock x; int n = 0;", [it]);
    likely(&model, "Pr[<=0.5](<> P.B)", 0.5);
    likely(&model, "Pr[<=1](<> P.B && n == 0)", 0.5);
    likely(&model, "Pr[<=1](<> P.C || P.D)", 0.0);
}

/// Elements of arrays of channels: the sender chooses i of 0, 1, 2; nobody listens to 2 (a broadcast
/// goes out all the same). While the receiver of 1 is committed only it may take part.
#[test]
fn arrays_of_channels_and_committed_receivers() {
    let sender = process("P").at("A").at("B").go("A", "B").select("i : int[0,2]").sync("c[i]!");
    let receiver = |name: &str, number: u32| {
        let it = process(name).at("A").at("B").declare("int k;");
        it.go("A", "B").sync(&format!("c[k + {number}]?"))
    };
    let open = [sender.clone(), receiver("Q", 0), receiver("R", 1)];
    let open = model("broadcast chan c[3];", open);
    likely(&open, "Pr[#<=1](<> Q.B)", 1.0 / 3.0);
    likely(&open, "Pr[#<=1](<> P.B && Q.A && R.A)", 1.0 / 3.0);
    let committed = process("R").at("A").committed().at("B").go("A", "B").sync("c[1]?");
    for kind in ["broadcast chan", "chan"] {
        let parties = [sender.clone(), receiver("Q", 0), committed.clone()];
        let model = model(&format!("{kind} c[3];"), parties);
        likely(&model, "Pr[<=0](<> P.B && R.B && Q.A)", 1.0);
    }
}

/// The partner is ready from 3 on, and an urgent channel does not wait then. Until then P may go alone,
/// after an exponential delay; at 3 either edge is chosen.
#[test]
fn an_urgent_channel_that_a_clock_opens() {
    let sender = process("P").at("A").rate("1").at("B").at("C").go("A", "B").sync("c!");
    let receiver = process("Q").at("A").go("A", "A").guard("x >= 3").sync("c?");
    let only = model("clock x; urgent chan c;", [sender.clone(), receiver.clone()]);
    likely(&only, "Pr[<=3](<> P.B)", 1.0);
    likely(&only, "Pr[<=2.999](<> P.B)", 0.0);
    let both = model("clock x; urgent chan c;", [sender.go("A", "C"), receiver.clone()]);
    likely(&both, "Pr[<=1](<> P.C)", 1.0 - f64::exp(-1.0));
    likely(&both, "Pr[<=3](<> P.B)", f64::exp(-3.0) / 2.0);
    likely(&both, "Pr[<=3](<> P.B || P.C)", 1.0);
    // With a bound of 6, U[0,6] up to 3.
    let sender = process("P").at("A").invariant("x <= 6").at("B").at("C").go("A", "B").sync("c!");
    let bounded = model("clock x; urgent chan c;", [sender.go("A", "C"), receiver]);
    likely(&bounded, "Pr[<=1.5](<> P.C)", 0.25);
    likely(&bounded, "Pr[<=3](<> P.B)", 0.25);
}

/// A receiver of a broadcast takes an edge whose target lets it in, if it has one: of three edges two
/// are left, equally likely. If it has none, nobody moves.
#[test]
fn a_receiver_that_can_not_enter_a_target_takes_another_edge() {
    let sender = process("P").at("A").invariant("x <= 1").at("B");
    let sender = sender.go("A", "B").guard("x >= 1").sync("c!").go("A", "A").assign("x = 0");
    let receiver = process("Q").at("A").at("X").invariant("n > 0").at("Y").at("Z");
    let receiver = receiver.go("A", "X").sync("c?");
    let none = model("clock x; broadcast chan c; int n;", [sender.clone(), receiver.clone()]);
    likely(&none, "Pr[<=9](<> P.B)", 0.0);
    let sender = process("P").at("A").invariant("x <= 1").at("B");
    let sender = sender.go("A", "B").guard("x >= 1").sync("c!");
    let receiver = receiver.go("A", "Y").sync("c?").go("A", "Z").sync("c?");
    let some = model("clock x; broadcast chan c; int n;", [sender, receiver]);
    likely(&some, "Pr[<=1](<> P.B && Q.Y)", 0.5);
    likely(&some, "Pr[<=1](<> P.B && Q.Z)", 0.5);
}
