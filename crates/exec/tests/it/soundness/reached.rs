//! Whether the model checker finds what a suite should cover, on the whole network.

use punctual_mc::{Answer, Options, check};
use punctual_model::{
    AssignOp, AssignResult, Binary, BinaryOp, ClockConstraint, EdgeId, Expr, Frame, Id, Network,
    Number, Place, ProcessId, Property, Range, Relation, StateExpr, Storage, Type, Variable,
};
use punctual_testgen::timed::Goal;

/// Whether some run of a network covers a goal; nothing if the checker does not know.
pub(super) fn is_reachable(network: &Network, goal: Goal) -> Option<bool> {
    let mut network = network.clone();
    let wanted = match goal {
        Goal::Location(process, at) => Expr::InLocation(process, at),
        Goal::Edge(process, edge) => {
            let flag = variable(&mut network, "flag", 1);
            network.processes[process].edges[edge].update.push(set(&flag, 1));
            equals(&flag, 1)
        }
        Goal::Pair(process, first, second) => {
            let n = network.processes[process].edges.len() as i32;
            let last = variable(&mut network, "last", n);
            let flag = variable(&mut network, "flag", 1);
            let both = equals(&last, first.index() as i32 + 1);
            let both = Expr::Conditional(Box::new([both, Expr::Int(1), Expr::Load(flag.clone())]));
            let edges = &mut network.processes[process].edges;
            edges[second].update.push(assign(&flag, both));
            for (edge, number) in edges.iter_mut().zip(1..) {
                edge.update.push(set(&last, number));
            }
            equals(&flag, 1)
        }
        Goal::AtGuard(process, edge, number) => {
            let limit = network.processes[process].edges[edge].guard.clocks[number].clone();
            at_limit(&mut network, process, edge, limit)
        }
        Goal::AtInvariant(process, edge, number) => {
            let of = &network.processes[process];
            let limit = of.locations[of.edges[edge].source].invariant.clocks[number].clone();
            at_limit(&mut network, process, edge, limit)
        }
    };
    let wanted = StateExpr { expr: wanted, number: Number::Int, frame: Frame::default() };
    let outcome = check(&network, &Property::ExistsFinally(wanted), &Options::default(), &mut ());
    match outcome.expect("a network that can be checked").answer {
        Answer::Satisfied => Some(true),
        Answer::NotSatisfied => Some(false),
        _ => None,
    }
}

/// A copy of an edge that is only taken when a clock is at the limit of a constraint.
fn at_limit(
    network: &mut Network,
    process: ProcessId,
    edge: EdgeId,
    limit: ClockConstraint,
) -> Expr {
    let flag = variable(network, "flag", 1);
    let edges = &mut network.processes[process].edges;
    let mut copy = edges[edge].clone();
    copy.guard.clocks.push(ClockConstraint { relation: Relation::Equal, ..limit });
    copy.update.push(set(&flag, 1));
    edges.push(copy);
    equals(&flag, 1)
}

fn variable(network: &mut Network, name: &str, hi: i32) -> Place {
    let ints = network.initial.ints.len() as u32;
    let range = Range { lo: 0, hi };
    let (owner, ty, storage, name) = (None, Type::Int(range), Storage::State, name.to_owned());
    network.initial.ints.push(0);
    network.variables.push(Variable { name, owner, ty, storage, ints, doubles: 0 });
    Place { storage, number: Number::Int, base: ints, indices: Vec::new(), size: 1, range }
}

fn assign(place: &Place, value: Expr) -> Expr {
    let (target, value) = (Box::new(place.clone()), Box::new(value));
    Expr::Assign { target, op: AssignOp::Set, value, result: AssignResult::New }
}

fn set(place: &Place, value: i32) -> Expr {
    assign(place, Expr::Int(value))
}

fn equals(place: &Place, value: i32) -> Expr {
    let (op, number) = (BinaryOp::Equal, Number::Int);
    let (left, right) = (Expr::Load(place.clone()), Expr::Int(value));
    Expr::Binary(Box::new(Binary { op, number, size: 1, left, right }))
}
