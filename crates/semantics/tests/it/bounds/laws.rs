//! Intervals contain what really happens.

use std::collections::BTreeSet;

use proptest::prelude::*;
use punctual_model::{BinaryOp, Edge, Expr, Id, Network, ProcessId, Range, Select, Sync};

use super::build::{LE, add_edge, add_process, apart, binary, clock, local, network, test_of};
use super::generate::{OPS, TRUTHS, arb_network};
use super::machine::{Machine, apply};

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
