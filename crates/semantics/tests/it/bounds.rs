//! Bounds of clocks: small networks with known answers, and laws for the intervals.

mod build;
mod generate;
mod laws;
mod machine;

use punctual_model::{
    AssignOp, BinaryOp, Branch, ChannelId, ClockConstraint, ClockId, EventId, Expr, Frame, Id,
    Index, LocationId, Network, Number, Place, ProcessId, Quantifier, Range, Relation, Select,
    StateExpr, Statement, Storage, Sync,
};
use punctual_semantics::bounds::{Bounds, ClockBound, Directions, TooLarge, query_bounds};
use punctual_zones::{Bound, NO_BOUND};

use build::{
    EQ, GE, GT, LE, LT, add_channel, add_edge, add_function, add_process, apart, assign, binary,
    clock, clock_at, copy, edge, invariant, local, network, place, reset, set, show, state, test,
    test_of,
};

/// What every location of a process has, in their order.
fn check(network: &Network, process: usize, expected: &[&str]) {
    let bounds = apart(network);
    let shown: Vec<_> = (0..expected.len()).map(|l| show(bounds.at(process, l))).collect();
    assert_eq!(shown, expected);
}

/// Fischer's protocol: idle, trying (x <= 2), waiting (x > 3 to enter), critical.
#[test]
fn fischer() {
    let mut net = network(2);
    for x in 0..2 {
        let p = add_process(&mut net, 4);
        invariant(&mut net, p, 1, test(x, LE, 2));
        add_edge(&mut net, p, (0, 1), vec![], vec![reset(x)]);
        add_edge(&mut net, p, (1, 2), vec![test(x, LE, 2)], vec![reset(x)]);
        add_edge(&mut net, p, (2, 0), vec![], vec![reset(x)]);
        add_edge(&mut net, p, (2, 3), vec![test(x, GT, 3)], vec![]);
        add_edge(&mut net, p, (3, 0), vec![], vec![]);
    }
    check(&net, 0, &["", "x0 -..2", "x0 3..-", ""]);
    check(&net, 1, &["", "x1 -..2", "x1 3..-", ""]);
    let bounds = apart(&net);
    assert_eq!(bounds.largest(), 3);
    assert!(!bounds.has_diagonals() && bounds.everywhere().is_empty());
    let joined = Bounds::new(&net, Directions::Joined, &[]).unwrap();
    assert_eq!(show(joined.at(0, 2)), "x0 3..3");
}

#[test]
fn tests_pass_through_locations_until_a_reset() {
    let mut net = network(2);
    let p = add_process(&mut net, 5);
    add_edge(&mut net, p, (0, 1), vec![], vec![reset(0)]);
    add_edge(&mut net, p, (1, 2), vec![test(1, LT, 4)], vec![]);
    add_edge(&mut net, p, (2, 1), vec![], vec![]);
    add_edge(&mut net, p, (2, 3), vec![], vec![reset(1)]);
    add_edge(&mut net, p, (3, 4), vec![test(0, GE, 7), test(1, EQ, 9)], vec![]);
    let seen = ["x1 -..4", "x0 7..-, x1 -..4", "x0 7..-, x1 -..4", "x0 7..-, x1 9..9", ""];
    check(&net, 0, &seen);
}

#[test]
fn a_reset_on_one_branch_only_is_none_on_the_other() {
    let mut net = network(1);
    let p = add_process(&mut net, 3);
    let fork = add_edge(&mut net, p, (0, 1), vec![], vec![]);
    fork.branches[0].update.push(reset(0));
    let other = Branch { target: LocationId::from_index(2), ..edge(0, 2).branches[0].clone() };
    fork.branches.push(other);
    invariant(&mut net, p, 1, test(0, LE, 8));
    invariant(&mut net, p, 2, test(0, LE, 5));
    check(&net, 0, &["x0 -..5", "x0 -..8", "x0 -..5"]);
}

#[test]
fn negative_constants_are_tests_with_zero() {
    let mut net = network(2);
    let p = add_process(&mut net, 1);
    invariant(&mut net, p, 0, test(0, LT, -3));
    // 0 - x1 >= -6 is x1 <= 6.
    let mirrored = ClockConstraint { left: None, right: Some(clock(1)), ..test(0, GE, -6) };
    invariant(&mut net, p, 0, mirrored);
    check(&net, 0, &["x0 -..0, x1 -..6"]);
}

#[test]
fn copies_pass_bounds_to_their_source() {
    let mut net = network(3);
    let p = add_process(&mut net, 3);
    add_edge(&mut net, p, (0, 1), vec![], vec![copy(0, 1, 2), reset(1)]);
    add_edge(&mut net, p, (1, 2), vec![test(0, LE, 7), test(1, GE, 1)], vec![copy(2, 0, 0)]);
    invariant(&mut net, p, 2, test(2, GE, 4));
    check(&net, 0, &["x1 2..5", "x0 4..7, x1 1..-", "x2 4..-"]);
}

#[test]
fn swapping_clocks_swaps_bounds() {
    let mut net = network(3);
    let p = add_process(&mut net, 2);
    add_edge(&mut net, p, (0, 1), vec![], vec![copy(2, 0, 0), copy(0, 1, 0), copy(1, 2, 0)]);
    invariant(&mut net, p, 1, test(0, LE, 7));
    invariant(&mut net, p, 1, test(1, GE, 3));
    check(&net, 0, &["x0 3..-, x1 -..7", "x0 -..7, x1 3..-"]);
}

#[test]
fn copies_serve_other_processes() {
    let mut net = network(2);
    let p = add_process(&mut net, 2);
    add_edge(&mut net, p, (0, 1), vec![], vec![copy(0, 1, 0)]);
    let q = add_process(&mut net, 1);
    invariant(&mut net, q, 0, test(0, LE, 6));
    check(&net, p, &["x1 -..6", ""]);
    check(&net, q, &["x0 -..6"]);

    // What the query compares is copied as well.
    let query = [ClockBound { clock: 0, lower: 9, upper: NO_BOUND }];
    let bounds = Bounds::new(&net, Directions::Apart, &query).unwrap();
    assert_eq!(show(bounds.at(p, 0)), "x1 9..6");
    assert_eq!(show(bounds.everywhere()), "x0 9..-");
}

#[test]
fn copies_in_every_transition_count_everywhere() {
    let mut net = network(2);
    let p = add_process(&mut net, 2);
    add_edge(&mut net, p, (0, 1), vec![], vec![reset(0)]);
    invariant(&mut net, p, 1, test(0, LE, 6));
    net.after_update = vec![copy(0, 1, 0)];
    let bounds = apart(&net);
    assert_eq!(show(bounds.everywhere()), "x1 -..6");
    net.after_update = vec![reset(0)];
    assert_eq!(show(apart(&net).everywhere()), "");
}

#[test]
fn subtracting_in_a_cycle_has_no_largest_constant() {
    let mut net = network(1);
    let p = add_process(&mut net, 1);
    add_edge(&mut net, p, (0, 0), vec![test(0, GE, 5)], vec![copy(0, 0, -3)]);
    assert!(Bounds::new(&net, Directions::Apart, &[]).is_err());

    let mut net = network(1);
    let p = add_process(&mut net, 2);
    add_edge(&mut net, p, (0, 1), vec![], vec![copy(0, 0, -3)]);
    invariant(&mut net, p, 1, test(0, LE, 5));
    check(&net, 0, &["x0 3..8", "x0 -..5"]);

    let mut net = network(1);
    let p = add_process(&mut net, 1);
    add_edge(&mut net, p, (0, 0), vec![test(0, LE, 5)], vec![copy(0, 0, 3)]);
    check(&net, 0, &["x0 -..5"]);
}

#[test]
fn functions_reset_if_they_surely_do() {
    let condition = || binary(BinaryOp::Greater, state(0), Expr::Int(3));
    let leave = Statement::Return(None);
    let bodies = [
        (vec![Statement::Expr(reset(0))], true),
        (vec![Statement::If(condition(), vec![Statement::Expr(reset(0))], vec![])], false),
        (
            vec![Statement::If(
                condition(),
                vec![Statement::Expr(reset(0))],
                vec![Statement::Expr(reset(0))],
            )],
            true,
        ),
        (
            vec![
                Statement::If(condition(), vec![leave.clone()], vec![]),
                Statement::Expr(reset(0)),
            ],
            false,
        ),
        (vec![Statement::Expr(reset(0)), leave], true),
        (vec![Statement::While(condition(), vec![Statement::Expr(reset(0))])], false),
        (vec![Statement::DoWhile(vec![Statement::Expr(reset(0))], condition())], true),
        (
            vec![Statement::For {
                slot: 0,
                range: Range { lo: 0, hi: 1 },
                body: vec![Statement::Expr(set(clock_at(0, local(0), 2), Expr::Int(0)))],
            }],
            true,
        ),
        (vec![Statement::Expr(set(clock_at(0, state(0), 2), Expr::Int(0)))], false),
    ];
    for (i, (body, surely)) in bodies.into_iter().enumerate() {
        let mut net = network(2);
        net.initial.ints = vec![0];
        let p = add_process(&mut net, 2);
        let call = add_function(&mut net, body);
        let change = assign(place(Storage::State, 0, (0, 9)), AssignOp::Set, local(0));
        let selected = add_edge(&mut net, p, (0, 0), vec![], vec![change]);
        let range = Range { lo: 0, hi: 9 };
        selected.selects = vec![Select { name: "i".to_owned(), slot: 0, range }];
        add_edge(&mut net, p, (0, 1), vec![], vec![call]);
        invariant(&mut net, p, 1, test(0, LE, 5));
        let expected = if surely { "" } else { "x0 -..5" };
        assert_eq!(show(apart(&net).at(0, 0)), expected, "body {i}");
    }
}

/// `x <= d[i]` and `x <= n + 1`, with `n < 10` guarding `n++`.
#[test]
fn constants_that_depend_on_variables() {
    let mut net = network(2);
    net.initial.ints = vec![0, 3, 2, 7];
    let p = add_process(&mut net, 2);
    let n = || place(Storage::State, 0, (-32768, 32767));
    let up = assign(n(), AssignOp::Combine(BinaryOp::Add), Expr::Int(1));
    let down = assign(n(), AssignOp::Combine(BinaryOp::Subtract), Expr::Int(1));
    let guard = |op, bound| binary(op, state(0), Expr::Int(bound));
    add_edge(&mut net, p, (0, 0), vec![], vec![up]).guard.data = vec![guard(BinaryOp::Less, 10)];
    add_edge(&mut net, p, (0, 0), vec![], vec![down]).guard.data =
        vec![guard(BinaryOp::Greater, 0)];
    let index = Index { value: state(0), lo: 0, len: 3, stride: 1 };
    let d = Place { base: 1, indices: vec![index], ..n() };
    invariant(&mut net, p, 0, test_of(clock(0), LE, Expr::Load(d.clone())));
    let more = binary(BinaryOp::Add, state(0), Expr::Int(1));
    invariant(&mut net, p, 1, test_of(clock(1), LE, more));
    check(&net, 0, &["x0 -..7", "x1 -..11"]);

    // A guard makes the index smaller.
    let late = add_edge(&mut net, p, (1, 1), vec![], vec![]);
    late.guard.clocks = vec![test_of(clock(0), GE, Expr::Load(d))];
    late.guard.data = vec![guard(BinaryOp::Less, 2)];
    check(&net, 0, &["x0 -..7", "x0 3..-, x1 -..11"]);
}

/// The sender changes what the receiver's guard has tested.
#[test]
fn a_receivers_guard_is_no_fact_for_its_update() {
    let mut net = network(1);
    net.initial.ints = vec![0, 0];
    let channel = add_channel(&mut net, false, false);
    let (i, j) = (place(Storage::State, 0, (0, 99)), place(Storage::State, 1, (0, 99)));
    let p = add_process(&mut net, 1);
    let send = vec![assign(i, AssignOp::Set, Expr::Int(50))];
    add_edge(&mut net, p, (0, 0), vec![], send).sync = Sync::Send(channel.clone());
    let q = add_process(&mut net, 1);
    let receive = add_edge(&mut net, q, (0, 0), vec![], vec![assign(j, AssignOp::Set, state(0))]);
    receive.sync = Sync::Receive(channel);
    receive.guard.data = vec![binary(BinaryOp::Less, state(0), Expr::Int(10))];
    invariant(&mut net, q, 0, test_of(clock(0), LE, state(1)));
    check(&net, q, &["x0 -..50"]);
}

/// A guard says `a < 5`, but the update changes `a` before `b` gets its value, in several ways.
#[test]
fn a_guard_is_no_fact_after_an_assignment() {
    let var = |slot| place(Storage::State, slot, (0, 99));
    let change = || assign(var(0), AssignOp::Set, Expr::Int(50));
    let take = || assign(var(1), AssignOp::Set, state(0));
    let statement = |expr| Statement::Expr(expr);
    let unknown = || binary(BinaryOp::Less, state(2), Expr::Int(3));
    let small = || binary(BinaryOp::Less, state(0), Expr::Int(5));
    let bodies = [
        vec![statement(change()), statement(take())],
        vec![Statement::If(unknown(), vec![statement(change())], vec![]), statement(take())],
        vec![Statement::If(unknown(), vec![], vec![statement(change())]), statement(take())],
        vec![Statement::While(unknown(), vec![statement(take()), statement(change())])],
    ];
    for (i, body) in bodies.into_iter().enumerate() {
        for own in [false, true] {
            let mut net = network(1);
            net.initial.ints = vec![0, 0, 0];
            let p = add_process(&mut net, 1);
            let update = if own {
                // The function tests and takes; the edge knows nothing.
                let body = vec![Statement::If(small(), body.clone(), vec![])];
                vec![add_function(&mut net, body)]
            } else {
                // Another function changes what the edge knows.
                vec![add_function(&mut net, vec![statement(change())]), take()]
            };
            add_edge(&mut net, p, (0, 0), vec![], update).guard.data = vec![small()];
            let any = assign(var(2), AssignOp::Set, local(0));
            let selected = add_edge(&mut net, p, (0, 0), vec![], vec![any]);
            let range = Range { lo: 0, hi: 9 };
            selected.selects = vec![Select { name: "i".to_owned(), slot: 0, range }];
            invariant(&mut net, p, 0, test_of(clock(0), LE, state(1)));
            assert_eq!(show(apart(&net).at(0, 0)), "x0 -..50", "body {i}, {own}");
        }
    }
    // And where it is a fact, it is used.
    let mut net = network(1);
    net.initial.ints = vec![0, 0];
    let p = add_process(&mut net, 1);
    add_edge(&mut net, p, (0, 0), vec![], vec![take(), change()]).guard.data = vec![small()];
    invariant(&mut net, p, 0, test_of(clock(0), LE, state(1)));
    check(&net, 0, &["x0 -..4"]);
}

#[test]
fn clocks_of_arrays_and_of_other_processes() {
    let mut net = network(4);
    let p = add_process(&mut net, 1);
    let q = add_process(&mut net, 2);
    let tested = add_edge(&mut net, p, (0, 0), vec![], vec![]);
    let range = Range { lo: 1, hi: 2 };
    tested.selects = vec![Select { name: "i".to_owned(), slot: 0, range }];
    tested.guard.clocks = vec![test_of(clock_at(0, local(0), 4), GE, Expr::Int(5))];
    add_edge(&mut net, q, (0, 1), vec![test(1, LE, 3)], vec![]);
    check(&net, p, &["x1 5..-, x2 5..-"]);
    check(&net, q, &["x1 -..3", ""]);
}

#[test]
fn what_may_be_negated_is_joined() {
    for (broadcast, urgent, sends, joined) in [
        (true, false, false, true),
        (true, false, true, false),
        (false, false, false, false),
        (false, true, false, true),
        (false, true, true, true),
    ] {
        let mut net = network(1);
        let channel = add_channel(&mut net, broadcast, urgent);
        let p = add_process(&mut net, 2);
        let synced = add_edge(&mut net, p, (0, 1), vec![test(0, GE, 5)], vec![]);
        synced.sync = if sends { Sync::Send(channel) } else { Sync::Receive(channel) };
        check(&net, 0, &[if joined { "x0 5..5" } else { "x0 5..-" }, ""]);
        net.channels[ChannelId::from_index(0)].priority = 1;
        check(&net, 0, &["x0 5..5", ""]);
    }
    let mut net = network(1);
    for priority in 0..2 {
        let p = add_process(&mut net, 1);
        net.processes[ProcessId::from_index(p)].priority = priority;
    }
    invariant(&mut net, 0, 0, test(0, LE, 4));
    check(&net, 0, &["x0 4..4"]);
    net.processes[ProcessId::from_index(0)].priority = 1;
    check(&net, 0, &["x0 -..4"]);
}

#[test]
fn events_are_edges_like_others() {
    let mut net = network(1);
    net.events.push("a".to_owned());
    let p = add_process(&mut net, 2);
    let synced = add_edge(&mut net, p, (0, 1), vec![test(0, GE, 5)], vec![reset(0)]);
    synced.sync = Sync::Event(EventId::from_index(0));
    invariant(&mut net, p, 1, test(0, LE, 9));
    check(&net, 0, &["x0 5..-", "x0 -..9"]);
}

#[test]
fn differences_count_for_both_clocks() {
    let mut net = network(2);
    let p = add_process(&mut net, 1);
    invariant(&mut net, p, 0, ClockConstraint { right: Some(clock(1)), ..test(0, GE, -4) });
    check(&net, 0, &["x0 4..4, x1 4..4"]);
    assert!(apart(&net).has_diagonals());
}

#[test]
fn hybrid_clocks_and_tests_that_never_count_are_left_out() {
    let mut net = network(2);
    net.clocks[ClockId::from_index(0)].hybrid = true;
    net.initial.ints = vec![0];
    let p = add_process(&mut net, 1);
    invariant(&mut net, p, 0, test(0, LE, 4));
    let never = ClockConstraint { when: Some(Expr::FALSE), ..test(1, LE, 4) };
    invariant(&mut net, p, 0, never);
    check(&net, 0, &[""]);
}

#[test]
fn too_large() {
    let most = Bound::MAX_CONSTANT / 4;
    let mut net = network(1);
    let p = add_process(&mut net, 2);
    invariant(&mut net, p, 1, test(0, LE, most));
    assert_eq!(apart(&net).largest(), most);
    add_edge(&mut net, p, (1, 0), vec![test(0, GE, most + 1)], vec![]);
    let error = Bounds::new(&net, Directions::Apart, &[]).unwrap_err();
    let place = "process P0, edge L1 → L0".to_owned();
    assert_eq!(error, TooLarge { value: i64::from(most) + 1, place });
    assert_eq!(
        error.to_string(),
        "process P0, edge L1 → L0: a clock may be compared with 134217728; the largest is 134217727"
    );
}

#[test]
fn queries() {
    let mut net = network(4);
    net.constants.ints = vec![5, 6, 7];
    add_process(&mut net, 1);
    let index = Index { value: local(0), lo: 0, len: 3, stride: 1 };
    let d = Place { indices: vec![index], ..place(Storage::Constant, 0, (0, 9)) };
    let each = test_of(clock_at(0, local(0), 3), GT, Expr::Load(d));
    let forall = Expr::Quantifier {
        quantifier: Quantifier::Forall,
        slot: 0,
        range: Range { lo: 0, hi: 2 },
        number: Number::Int,
        body: Box::new(Expr::ClockConstraint(Box::new(each))),
    };
    let last = Expr::ClockConstraint(Box::new(test(3, Relation::NotEqual, 2)));
    let frame = Frame { ints: 1, doubles: 0 };
    let expr = binary(BinaryOp::Imply, forall, last);
    let query = StateExpr { expr, number: Number::Int, frame };
    let (bounds, differences) = query_bounds(&net, &query).unwrap();
    assert_eq!(show(&bounds), "x0 5..5, x1 6..6, x2 7..7, x3 2..2");
    assert!(!differences);
    let difference = ClockConstraint { right: Some(clock(1)), ..test(0, GE, 4) };
    let expr = Expr::ClockConstraint(Box::new(difference));
    let (_, differences) = query_bounds(&net, &StateExpr { expr, ..query }).unwrap();
    assert!(differences);
}

/// Only what exists is stored, and the work is in proportion.
#[test]
fn two_thousand_processes() {
    let n = 2000;
    let mut net = network(n);
    net.initial.ints = vec![0; n];
    for x in 0..n {
        let p = add_process(&mut net, 3);
        let slot = place(Storage::State, x as u32, (0, 100));
        let up = assign(slot, AssignOp::Combine(BinaryOp::Add), Expr::Int(1));
        let busy = add_edge(&mut net, p, (0, 1), vec![], vec![reset(x), up]);
        busy.guard.data = vec![binary(BinaryOp::Less, state(x as u32), Expr::Int(20))];
        invariant(&mut net, p, 1, test_of(clock(x), LE, state(x as u32)));
        add_edge(&mut net, p, (1, 2), vec![test(x, GE, 2)], vec![]);
        add_edge(&mut net, p, (2, 0), vec![test((x + 1) % n, GE, 4)], vec![]);
    }
    let bounds = apart(&net);
    assert_eq!(show(bounds.at(7, 1)), "x7 2..20, x8 4..-");
    assert_eq!(bounds.len(), 4 * n);
}
