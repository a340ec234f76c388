//! Bounds of clocks: small networks with known answers, and a law for the intervals.

use std::collections::BTreeSet;

use proptest::prelude::*;
use punctual_model::{
    AssignOp, AssignResult, Binary, BinaryOp, Branch, Channel, ChannelId, ChannelRef, Clock,
    ClockConstraint, ClockId, ClockRef, Condition, Edge, EventId, Expr, Frame, Function,
    FunctionBody, FunctionId, Id, Index, Indexed, Location, LocationId, LocationKind, Network,
    Number, Param, Place, Process, ProcessId, Quantifier, Range, Relation, ReturnType, Select,
    StateExpr, Statement, Storage, Sync,
};
use punctual_semantics::bounds::{Bounds, ClockBound, Directions, TooLarge, query_bounds};
use punctual_zones::{Bound, NO_BOUND};

const LT: Relation = Relation::Less;
const LE: Relation = Relation::LessEqual;
const EQ: Relation = Relation::Equal;
const GE: Relation = Relation::GreaterEqual;
const GT: Relation = Relation::Greater;

fn network(n_clocks: usize) -> Network {
    let clock = |i| Clock { name: format!("x{i}"), owner: None, hybrid: false, initial: 0.0 };
    Network { clocks: (0..n_clocks).map(clock).collect(), ..Network::default() }
}

fn add_process(network: &mut Network, n_locations: usize) -> usize {
    let location = |i| Location {
        name: format!("L{i}"),
        kind: LocationKind::Normal,
        invariant: Condition::default(),
        rates: Vec::new(),
        exponential_rate: None,
        labels: Vec::new(),
        frame: Frame::default(),
    };
    let name = format!("P{}", network.processes.len());
    let process = Process {
        template: name.clone(),
        name,
        locations: (0..n_locations).map(location).collect(),
        initial: vec![LocationId::from_index(0)],
        edges: std::iter::empty().collect(),
        priority: 0,
    };
    network.processes.push(process).index()
}

fn invariant(network: &mut Network, process: usize, location: usize, test: ClockConstraint) {
    let process = &mut network.processes[ProcessId::from_index(process)];
    process.locations[LocationId::from_index(location)].invariant.clocks.push(test);
}

/// An edge to build on.
fn edge(source: usize, target: usize) -> Edge {
    Edge {
        source: LocationId::from_index(source),
        selects: Vec::new(),
        guard: Condition::default(),
        sync: Sync::Internal,
        update: Vec::new(),
        branches: vec![Branch {
            weight: None,
            selects: Vec::new(),
            update: Vec::new(),
            target: LocationId::from_index(target),
        }],
        controllable: true,
        frame: Frame { ints: 2, doubles: 0 },
    }
}

fn add_edge(
    network: &mut Network,
    process: usize,
    (source, target): (usize, usize),
    tests: Vec<ClockConstraint>,
    update: Vec<Expr>,
) -> &mut Edge {
    let edges = &mut network.processes[ProcessId::from_index(process)].edges;
    let guard = Condition { data: Vec::new(), clocks: tests };
    let id = edges.push(Edge { guard, update, ..edge(source, target) });
    &mut edges[id]
}

fn clock(i: usize) -> ClockRef {
    Indexed::fixed(ClockId::from_index(i))
}

fn clock_at(base: usize, value: Expr, len: u32) -> ClockRef {
    let index = Index { value, lo: 0, len, stride: 1 };
    Indexed { base: ClockId::from_index(base), indices: vec![index] }
}

fn test_of(left: ClockRef, relation: Relation, bound: Expr) -> ClockConstraint {
    let left = Some(left);
    ClockConstraint { when: None, left, right: None, relation, number: Number::Int, bound }
}

fn test(x: usize, relation: Relation, bound: i32) -> ClockConstraint {
    test_of(clock(x), relation, Expr::Int(bound))
}

fn set(clock: ClockRef, value: Expr) -> Expr {
    Expr::SetClock { clock, value: Box::new(value) }
}

fn reset(x: usize) -> Expr {
    set(clock(x), Expr::Int(0))
}

/// `x := y + offset`
fn copy(x: usize, y: usize, offset: i32) -> Expr {
    let value = Expr::Binary(Box::new(Binary {
        op: BinaryOp::Add,
        number: Number::Double,
        size: 1,
        left: Expr::ToDouble(Box::new(Expr::Int(offset))),
        right: Expr::Clock(clock(y)),
    }));
    set(clock(x), value)
}

fn place(storage: Storage, base: u32, range: (i32, i32)) -> Place {
    let range = Range { lo: range.0, hi: range.1 };
    Place { storage, number: Number::Int, base, indices: Vec::new(), size: 1, range }
}

fn state(base: u32) -> Expr {
    Expr::Load(place(Storage::State, base, (-32768, 32767)))
}

fn local(base: u32) -> Expr {
    Expr::Load(place(Storage::Local, base, (-32768, 32767)))
}

fn binary(op: BinaryOp, left: Expr, right: Expr) -> Expr {
    Expr::Binary(Box::new(Binary { op, number: Number::Int, size: 1, left, right }))
}

fn assign(target: Place, op: AssignOp, value: Expr) -> Expr {
    let result = AssignResult::New;
    Expr::Assign { target: Box::new(target), op, value: Box::new(value), result }
}

fn add_function(network: &mut Network, body: Vec<Statement>) -> Expr {
    let function = network.functions.push(Function {
        name: "f".to_owned(),
        params: Vec::new(),
        returns: ReturnType::Void,
        frame: Frame { ints: 2, doubles: 0 },
        shares_frame: false,
        body: FunctionBody::Statements(body),
    });
    Expr::Call { function, arguments: Vec::new() }
}

fn add_channel(network: &mut Network, broadcast: bool, urgent: bool) -> ChannelRef {
    let channel = Channel { name: "c".to_owned(), broadcast, urgent, priority: 0 };
    Indexed::fixed(network.channels.push(channel))
}

/// The bounds of a location as `clock lower..upper`, `-` for none.
fn show(bounds: &[ClockBound]) -> String {
    let number = |bound| if bound == NO_BOUND { "-".to_owned() } else { format!("{bound}") };
    let show = |b: &ClockBound| format!("x{} {}..{}", b.clock, number(b.lower), number(b.upper));
    bounds.iter().map(show).collect::<Vec<_>>().join(", ")
}

fn apart(network: &Network) -> Bounds {
    Bounds::new(network, Directions::Apart, &[]).expect("constants are small")
}

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

/// A plain interpreter for what [`arb_expr`] and [`arb_statement`] make, to compare with.
struct Machine<'n> {
    network: &'n Network,
    ints: Vec<i32>,
    fuel: u32,
}

/// Errors of the model: the transition does not happen.
struct Fault;

/// Whether a function goes on or returns.
enum Next {
    Statement,
    Return(i32),
}

impl Machine<'_> {
    fn slot<'m>(&'m mut self, place: &Place, frame: &'m mut [i32]) -> Result<&'m mut i32, Fault> {
        let mut at = place.base as usize;
        for index in &place.indices {
            let value = self.eval(&index.value, frame)? - index.lo;
            if !(0..index.len as i32).contains(&value) {
                return Err(Fault);
            }
            at += value as usize * index.stride as usize;
        }
        Ok(if place.storage == Storage::Local { &mut frame[at] } else { &mut self.ints[at] })
    }

    fn eval(&mut self, expr: &Expr, frame: &mut [i32]) -> Result<i32, Fault> {
        self.fuel = self.fuel.checked_sub(1).ok_or(Fault)?;
        Ok(match expr {
            Expr::Int(value) => *value,
            Expr::Load(place) => *self.slot(place, frame)?,
            Expr::Binary(binary) => {
                let left = self.eval(&binary.left, frame)?;
                match binary.op {
                    BinaryOp::And if left == 0 => return Ok(0),
                    BinaryOp::Or if left != 0 => return Ok(1),
                    BinaryOp::Imply if left == 0 => return Ok(1),
                    _ => {}
                }
                let right = self.eval(&binary.right, frame)?;
                apply(binary.op, left, right).ok_or(Fault)?
            }
            Expr::Conditional(parts) => {
                let part = if self.eval(&parts[0], frame)? != 0 { 1 } else { 2 };
                self.eval(&parts[part], frame)?
            }
            Expr::Assign { target, op, value, result } => {
                let operand = self.eval(value, frame)?;
                let slot = self.slot(target, frame)?;
                let old = *slot;
                let new = match op {
                    AssignOp::Set => operand,
                    AssignOp::Combine(op) => apply(*op, old, operand).ok_or(Fault)?,
                };
                if !target.range.contains(new) {
                    return Err(Fault);
                }
                *slot = new;
                if *result == AssignResult::New { new } else { old }
            }
            Expr::Quantifier { slot, range, body, .. } => {
                let mut sum = 0;
                for value in range.lo..=range.hi {
                    frame[*slot as usize] = value;
                    sum += self.eval(body, frame)?;
                }
                sum
            }
            Expr::Call { function, arguments } => {
                let function = &self.network.functions[*function];
                let FunctionBody::Statements(body) = &function.body else { unreachable!() };
                let mut own = [0; 2];
                for (slot, argument) in own.iter_mut().zip(arguments) {
                    *slot = self.eval(argument, frame)?;
                    if !function.params[0].place.range.contains(*slot) {
                        return Err(Fault);
                    }
                }
                let own = if function.shares_frame { frame } else { &mut own };
                match (self.run(body, own)?, &function.returns) {
                    (Next::Return(value), ReturnType::Int(range)) if range.contains(value) => value,
                    _ => return Err(Fault),
                }
            }
            _ => unreachable!("not generated"),
        })
    }

    fn run(&mut self, body: &[Statement], frame: &mut [i32]) -> Result<Next, Fault> {
        for statement in body {
            let next = match statement {
                Statement::Expr(expr) => {
                    self.eval(expr, frame)?;
                    Next::Statement
                }
                Statement::If(condition, yes, no) => {
                    let part = if self.eval(condition, frame)? != 0 { yes } else { no };
                    self.run(part, frame)?
                }
                Statement::While(condition, body) => {
                    let mut next = Next::Statement;
                    while matches!(next, Next::Statement) && self.eval(condition, frame)? != 0 {
                        next = self.run(body, frame)?;
                    }
                    next
                }
                Statement::For { slot, range, body } => {
                    let mut next = Next::Statement;
                    for value in range.lo..=range.hi {
                        frame[*slot as usize] = value;
                        next = self.run(body, frame)?;
                        if matches!(next, Next::Return(_)) {
                            break;
                        }
                    }
                    next
                }
                Statement::Return(Some(value)) => Next::Return(self.eval(value, frame)?),
                _ => unreachable!("not generated"),
            };
            if matches!(next, Next::Return(_)) {
                return Ok(next);
            }
        }
        Ok(Next::Statement)
    }
}

fn apply(op: BinaryOp, left: i32, right: i32) -> Option<i32> {
    Some(match op {
        BinaryOp::Add => left.checked_add(right)?,
        BinaryOp::Subtract => left.checked_sub(right)?,
        BinaryOp::Multiply => left.checked_mul(right)?,
        BinaryOp::Divide => left.checked_div(right)?,
        BinaryOp::Remainder => left.checked_rem(right)?,
        BinaryOp::Power => left.checked_pow(right.try_into().ok()?)?,
        BinaryOp::Minimum => left.min(right),
        BinaryOp::Maximum => left.max(right),
        BinaryOp::BitAnd => left & right,
        BinaryOp::BitOr => left | right,
        BinaryOp::BitXor => left ^ right,
        BinaryOp::ShiftLeft => left.checked_shl(right.try_into().ok()?)?,
        BinaryOp::ShiftRight => left.checked_shr(right.try_into().ok()?)?,
        BinaryOp::Less => (left < right).into(),
        BinaryOp::LessEqual => (left <= right).into(),
        BinaryOp::Equal => (left == right).into(),
        BinaryOp::NotEqual => (left != right).into(),
        BinaryOp::GreaterEqual => (left >= right).into(),
        BinaryOp::Greater => (left > right).into(),
        BinaryOp::And => (left != 0 && right != 0).into(),
        BinaryOp::Or => (left != 0 || right != 0).into(),
        BinaryOp::Xor => ((left != 0) != (right != 0)).into(),
        BinaryOp::Imply => (left == 0 || right != 0).into(),
    })
}

const OPS: [BinaryOp; 13] = [
    BinaryOp::Add,
    BinaryOp::Subtract,
    BinaryOp::Multiply,
    BinaryOp::Divide,
    BinaryOp::Remainder,
    BinaryOp::Power,
    BinaryOp::Minimum,
    BinaryOp::Maximum,
    BinaryOp::BitAnd,
    BinaryOp::BitOr,
    BinaryOp::BitXor,
    BinaryOp::ShiftLeft,
    BinaryOp::ShiftRight,
];
const TRUTHS: [BinaryOp; 10] = [
    BinaryOp::Less,
    BinaryOp::LessEqual,
    BinaryOp::Equal,
    BinaryOp::NotEqual,
    BinaryOp::GreaterEqual,
    BinaryOp::Greater,
    BinaryOp::And,
    BinaryOp::Or,
    BinaryOp::Xor,
    BinaryOp::Imply,
];
const N_SLOTS: usize = 5;

/// Three integers, one of them often, an array of two, the local slot 0.
fn arb_place() -> impl Strategy<Value = Place> {
    let array = (0u32..3).prop_map(|i| {
        let index = Index { value: state(i), lo: 0, len: 2, stride: 1 };
        Place { indices: vec![index], ..place(Storage::State, 3, (-300, 300)) }
    });
    prop_oneof![
        4 => Just(place(Storage::State, 0, (-300, 300))),
        3 => (0u32..3).prop_map(|i| place(Storage::State, i, (-300, 300))),
        1 => array,
        1 => Just(place(Storage::Local, 0, (-40, 60))),
    ]
}

fn arb_expr() -> impl Strategy<Value = Expr> {
    let leaf = prop_oneof![(-3i32..8).prop_map(Expr::Int), arb_place().prop_map(Expr::Load)];
    leaf.prop_recursive(3, 12, 3, |inner| {
        let sum = |(lo, len, body): (i32, i32, Expr)| Expr::Quantifier {
            quantifier: Quantifier::Sum,
            slot: 1,
            range: Range { lo, hi: lo + len },
            number: Number::Int,
            body: Box::new(binary(BinaryOp::Add, body, local(1))),
        };
        let parts = (inner.clone(), inner.clone(), inner.clone());
        prop_oneof![
            (prop::sample::select(&OPS[..]), inner.clone(), inner.clone())
                .prop_map(|(op, left, right)| binary(op, left, right)),
            (prop::sample::select(&TRUTHS[..]), inner.clone(), inner.clone())
                .prop_map(|(op, left, right)| binary(op, left, right)),
            parts.prop_map(|(a, b, c)| Expr::Conditional(Box::new([a, b, c]))),
            (-1i32..2, -1i32..3, inner.clone()).prop_map(sum),
            arb_assign(inner),
        ]
    })
}

/// Simple things mostly, so that intervals stay small and being wrong about them shows.
fn arb_value() -> impl Strategy<Value = Expr> {
    let shifted = (arb_place(), -2i32..3)
        .prop_map(|(place, by)| binary(BinaryOp::Add, Expr::Load(place), Expr::Int(by)));
    prop_oneof![
        4 => (-3i32..30).prop_map(Expr::Int),
        4 => arb_place().prop_map(Expr::Load),
        2 => shifted,
        1 => arb_expr(),
    ]
}

fn arb_assign(value: impl Strategy<Value = Expr>) -> impl Strategy<Value = Expr> {
    let op = prop_oneof![
        8 => Just(AssignOp::Set),
        1 => Just(AssignOp::Combine(BinaryOp::Add)),
        1 => Just(AssignOp::Combine(BinaryOp::Subtract)),
    ];
    let result = prop_oneof![Just(AssignResult::New), Just(AssignResult::Old)];
    (arb_place(), op, value, result).prop_map(|(target, op, value, result)| Expr::Assign {
        target: Box::new(target),
        op,
        value: Box::new(value),
        result,
    })
}

/// A guard such as guards are: comparisons of variables, and sometimes something odd.
fn arb_guard() -> impl Strategy<Value = Vec<Expr>> {
    let slot = || prop_oneof![Just(state(0)), (0u32..3).prop_map(state)];
    let right = prop_oneof![slot(), (-5i32..8).prop_map(Expr::Int)];
    let compare = (prop::sample::select(&TRUTHS[..]), slot(), right)
        .prop_map(|(op, left, right)| binary(op, left, right));
    prop::collection::vec(compare, 0..3)
}

/// Calls `f(value)`, which has a frame of its own, or `g()`, which shares that of its caller.
fn arb_update() -> impl Strategy<Value = Expr> {
    let call = |value| Expr::Call { function: FunctionId::from_index(1), arguments: vec![value] };
    let shared = Expr::Call { function: FunctionId::from_index(0), arguments: Vec::new() };
    let value = prop_oneof![4 => arb_value(), 1 => arb_value().prop_map(call), 1 => Just(shared)];
    arb_assign(value)
}

fn arb_statements(update: BoxedStrategy<Expr>) -> impl Strategy<Value = Vec<Statement>> {
    let leaf = prop_oneof![
        4 => update.clone().prop_map(Statement::Expr),
        1 => arb_value().prop_map(|value| Statement::Return(Some(value))),
    ];
    let statement = leaf.prop_recursive(2, 8, 2, |inner| {
        let block = prop::collection::vec(inner, 1..3);
        let guard = || arb_guard().prop_map(|mut guard| guard.pop().unwrap_or(Expr::TRUE));
        prop_oneof![
            (guard(), block.clone(), block.clone()).prop_map(|(c, y, n)| Statement::If(c, y, n)),
            (guard(), block.clone()).prop_map(|(c, body)| Statement::While(c, body)),
            (-1i32..2, -1i32..3, block).prop_map(|(lo, len, body)| Statement::For {
                slot: 1,
                range: Range { lo, hi: lo + len },
                body,
            }),
        ]
    });
    let last = arb_value().prop_map(|value| Statement::Return(Some(value)));
    (prop::collection::vec(statement, 1..3), last).prop_map(|(mut body, last)| {
        body.push(last);
        body
    })
}

fn arb_network() -> impl Strategy<Value = Network> {
    let sync = 0..3;
    let edge = (sync, arb_guard(), prop::collection::vec(arb_update(), 1..4));
    let edges = prop::collection::vec(edge, 1..3).boxed();
    let shared = arb_statements(arb_assign(arb_value()).boxed());
    let own = arb_statements(arb_update_without_recursion().boxed());
    let hook =
        prop_oneof![3 => Just(Vec::new()), 1 => prop::collection::vec(arb_assign(arb_value()), 1)];
    let initial = prop::collection::vec(-1i32..2, N_SLOTS);
    (edges.clone(), edges, shared, own, hook, initial).prop_map(
        |(first, second, shared, own, hook, initial)| {
            let mut net = network(2 * N_SLOTS);
            net.initial.ints = initial;
            let returns = ReturnType::Int(Range { lo: -99, hi: 99 });
            let param = place(Storage::Local, 0, (-40, 60));
            for (body, params, shares_frame) in [
                (shared, vec![], true),
                (own, vec![Param { name: "a".to_owned(), place: param }], false),
            ] {
                net.functions.push(Function {
                    name: "f".to_owned(),
                    params,
                    returns: returns.clone(),
                    frame: Frame { ints: if shares_frame { 0 } else { 2 }, doubles: 0 },
                    shares_frame,
                    body: FunctionBody::Statements(body),
                });
            }
            // Locals are never read before they are written.
            if !hook.is_empty() {
                let local = place(Storage::Local, 0, (-40, 60));
                net.before_update = vec![assign(local, AssignOp::Set, Expr::Int(0))];
                net.before_update.extend(hook);
            }
            net.update_frame = Frame { ints: 2, doubles: 0 };
            let channel = add_channel(&mut net, false, false);
            for edges in [first, second] {
                let p = add_process(&mut net, 1);
                for (sync, data, update) in edges {
                    let new = add_edge(&mut net, p, (0, 0), vec![], update);
                    new.guard.data = data;
                    let range = Range { lo: 0, hi: 1 };
                    new.selects = vec![Select { name: "s".to_owned(), slot: 0, range }];
                    new.sync = match sync {
                        0 => Sync::Internal,
                        1 => Sync::Send(channel.clone()),
                        _ => Sync::Receive(channel.clone()),
                    };
                }
            }
            // The bounds show the intervals: x <= slot + 1000 and x <= 1000 - slot.
            for slot in 0..N_SLOTS {
                for (x, op) in [(2 * slot, BinaryOp::Add), (2 * slot + 1, BinaryOp::Subtract)] {
                    let bound = binary(op, Expr::Int(1000), state(slot as u32));
                    invariant(&mut net, 0, 0, test_of(clock(x), LE, bound));
                }
            }
            net
        },
    )
}

/// As [`arb_update`] for the function itself: it may call the other one only.
fn arb_update_without_recursion() -> impl Strategy<Value = Expr> {
    let shared = Expr::Call { function: FunctionId::from_index(0), arguments: Vec::new() };
    arb_assign(prop_oneof![3 => arb_value(), 1 => Just(shared)])
}

/// The states that a transition of these edges, with these selected values, leads to.
fn fire(net: &Network, ints: &[i32], edges: &[(&Edge, i32)]) -> Option<Vec<i32>> {
    let mut machine = Machine { network: net, ints: ints.to_vec(), fuel: 2000 };
    for (edge, selected) in edges {
        for guard in &edge.guard.data {
            if machine.eval(guard, &mut [*selected, 0]).ok()? == 0 {
                return None;
            }
        }
    }
    let mut frame = [0; 2];
    for expr in &net.before_update {
        machine.eval(expr, &mut frame).ok()?;
    }
    for (edge, selected) in edges {
        let mut frame = [*selected, 0];
        for expr in &edge.update {
            machine.eval(expr, &mut frame).ok()?;
        }
    }
    Some(machine.ints)
}

fn reachable(net: &Network) -> BTreeSet<Vec<i32>> {
    let with = |p: usize, sync: fn(&Sync) -> bool| {
        let edges = net.processes[ProcessId::from_index(p)].edges.iter();
        edges.filter(move |edge| sync(&edge.sync)).flat_map(|edge| [(edge, 0), (edge, 1)])
    };
    let mut moves = Vec::new();
    for p in 0..2 {
        moves.extend(with(p, |sync| matches!(sync, Sync::Internal)).map(|edge| vec![edge]));
        for sender in with(p, |sync| matches!(sync, Sync::Send(_))) {
            let receivers = with(1 - p, |sync| matches!(sync, Sync::Receive(_)));
            moves.extend(receivers.map(|receiver| vec![sender, receiver]));
        }
    }
    let mut seen = BTreeSet::from([net.initial.ints.clone()]);
    let mut todo = vec![net.initial.ints.clone()];
    while let Some(ints) = todo.pop() {
        for next in moves.iter().filter_map(|edges| fire(net, &ints, edges)) {
            if seen.len() < 400 && seen.insert(next.clone()) {
                todo.push(next);
            }
        }
    }
    seen
}

proptest! {
    /// What an operator makes of two numbers is in what it makes of their intervals.
    #[test]
    fn operators_contain_every_result(a in -9i32..9, b in -9i32..9, n in 0i32..7, m in 0i32..7) {
        for op in OPS.into_iter().chain(TRUTHS) {
            let mut net = network(2);
            let p = add_process(&mut net, 1);
            let new = add_edge(&mut net, p, (0, 0), vec![], vec![]);
            for (slot, range) in [(0, (a, a + n)), (1, (b, b + m))] {
                let range = Range { lo: range.0, hi: range.1 };
                new.selects.push(Select { name: "s".to_owned(), slot, range });
            }
            for (x, sign) in [(0, BinaryOp::Add), (1, BinaryOp::Subtract)] {
                let bound = binary(op, local(0), local(1));
                // Intervals of large numbers would need large constants.
                let bound = binary(BinaryOp::Minimum, bound, Expr::Int(10000));
                let bound = binary(BinaryOp::Maximum, bound, Expr::Int(-10000));
                let bound = binary(sign, Expr::Int(20000), bound);
                new.guard.clocks.push(test_of(clock(x), LE, bound));
            }
            let bounds = apart(&net);
            for left in a..=a + n {
                for right in b..=b + m {
                    let Some(value) = apply(op, left, right) else { continue };
                    let value = value.clamp(-10000, 10000);
                    let [hi, lo] = bounds.at(0, 0) else { panic!("some result is possible") };
                    let all = 20000 - lo.upper..=hi.upper - 20000;
                    prop_assert!(all.contains(&value), "{left} {op:?} {right}: not in {all:?}");
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    /// No variable ever has a value outside of its interval.
    #[test]
    fn intervals_contain_every_value(net in arb_network()) {
        let bounds = apart(&net);
        let bounds = bounds.at(0, 0);
        for ints in reachable(&net) {
            for (slot, value) in ints.iter().enumerate() {
                let (hi, lo) = (bounds[2 * slot].upper - 1000, 1000 - bounds[2 * slot + 1].upper);
                prop_assert!((lo..=hi).contains(value), "slot {slot}: {value} not in {lo}..={hi}");
            }
        }
    }
}
