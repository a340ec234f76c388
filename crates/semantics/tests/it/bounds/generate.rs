//! Networks of integer code with functions, loops and synchronisation, at random.

use proptest::prelude::*;
use punctual_model::{
    AssignOp, AssignResult, BinaryOp, Expr, Frame, Function, FunctionBody, FunctionId, Id, Index,
    Network, Number, Param, Place, Quantifier, Range, ReturnType, Select, Statement, Storage, Sync,
};

use super::build::{
    LE, add_channel, add_edge, add_process, assign, binary, clock, invariant, local, network,
    place, state, test_of,
};

/// Operators that compute numbers.
pub(super) const OPS: [BinaryOp; 13] = [
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
/// Operators that compute truth values.
pub(super) const TRUTHS: [BinaryOp; 10] = [
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
/// How many integers a network has.
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

/// Two processes and a channel between them. Bounds of its clocks show the intervals.
pub(super) fn arb_network() -> impl Strategy<Value = Network> {
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
