//! How far a state seems to be from satisfying a condition: a guess that leads searches.
//!
//! A location that a process should be in is as far as the fewest edges of that process to it. An
//! integer that should be larger is as far as what it lacks. Conjunctions add up, disjunctions take
//! the nearest. Clocks and the other processes are left out, so it is neither a lower nor an upper
//! bound; but zero wherever the condition holds.

use punctual_model::{
    BinaryOp, Expr, Id, LocationId, Network, Number, Process, Quantifier, StateExpr, UnaryOp,
};

use super::Explorer;
use crate::Fault;
use crate::program::{Builder, Code, Unsupported};

/// What is far away does not get farther.
const FAR: u32 = 1000;

/// A guess of distances to a condition.
#[derive(Debug)]
pub struct Guide {
    node: Node,
}

#[derive(Debug)]
enum Node {
    /// 0 or 1.
    Data(Code, bool),
    /// The number of edges to a location, from each location of a process.
    Location(usize, Vec<u32>),
    /// How much the first lacks to the second, plus a constant.
    Lack(Code, Code, u32),
    Sum(Vec<Node>),
    Least(Vec<Node>),
    Range {
        all: bool,
        slot: u32,
        lo: i32,
        hi: i32,
        body: Box<Node>,
    },
    /// Not known: as near as can be.
    Unknown,
}

impl Guide {
    /// A guide to where a condition holds, or with `truth` false, to where it does not.
    ///
    /// # Errors
    /// If it has something that symbolic analysis can not treat.
    pub fn new(
        network: &Network,
        builder: &mut Builder<'_>,
        expr: &StateExpr,
        truth: bool,
    ) -> Result<Guide, Unsupported> {
        Ok(Guide { node: node(network, builder, &expr.expr, truth)? })
    }

    /// How far a state seems to be. Parts of a condition that mean nothing in this state, because
    /// others do not hold, are far.
    pub fn distance(&self, judge: &mut Explorer<'_>, state: &[i32]) -> u32 {
        judge.target.copy_from_slice(state);
        judge.machine.begin();
        judge.party.clear();
        distance(judge, &self.node)
    }
}

fn value(judge: &mut Explorer<'_>, code: Code) -> Result<i32, Fault> {
    let Explorer { symbolic, target, machine, .. } = judge;
    symbolic.program.run(code, target, machine)
}

fn distance(judge: &mut Explorer<'_>, node: &Node) -> u32 {
    match node {
        Node::Data(code, truth) => match value(judge, *code) {
            Ok(value) => u32::from((value != 0) != *truth),
            Err(_) => FAR,
        },
        Node::Location(process, far) => far[judge.target[*process] as usize],
        Node::Lack(less, more, extra) => {
            let (Ok(more), Ok(less)) = (value(judge, *more), value(judge, *less)) else {
                return FAR;
            };
            let lack = i64::from(more) - i64::from(less);
            let lack = (lack + i64::from(*extra)).clamp(0, i64::from(FAR));
            lack.unsigned_abs() as u32
        }
        Node::Sum(nodes) => {
            let mut sum: u32 = 0;
            for node in nodes {
                sum = sum.saturating_add(distance(judge, node));
            }
            sum
        }
        Node::Least(nodes) => {
            let mut least = u32::MAX;
            for node in nodes {
                least = least.min(distance(judge, node));
            }
            least
        }
        Node::Range { all, slot, lo, hi, body } => {
            let mut total: Option<u32> = None;
            for value in *lo..=*hi {
                if let Some(local) = judge.machine.locals().get_mut(*slot as usize) {
                    *local = value;
                }
                let next = distance(judge, body);
                total = Some(match (total, all) {
                    (None, _) => next,
                    (Some(sum), true) => sum.saturating_add(next),
                    (Some(least), false) => least.min(next),
                });
            }
            total.unwrap_or(0)
        }
        Node::Unknown => 0,
    }
}

fn node(
    network: &Network,
    builder: &mut Builder<'_>,
    expr: &Expr,
    truth: bool,
) -> Result<Node, Unsupported> {
    let data = |builder: &mut Builder<'_>| match builder.value(expr) {
        Ok(code) => Node::Data(code, truth),
        Err(_) => Node::Unknown,
    };
    Ok(match expr {
        Expr::InLocation(process, location) if truth => {
            Node::Location(process.index(), edges_to(&network.processes[*process], *location))
        }
        Expr::Unary(UnaryOp::Not, _, inner) => node(network, builder, inner, !truth)?,
        Expr::Binary(binary) => {
            let (left, right) = (&binary.left, &binary.right);
            let (turned, all) = match binary.op {
                BinaryOp::And => (truth, truth),
                BinaryOp::Or => (truth, !truth),
                BinaryOp::Imply => (!truth, !truth),
                _ => return lack(builder, binary, truth).map(|it| it.unwrap_or(data(builder))),
            };
            let nodes =
                vec![node(network, builder, left, turned)?, node(network, builder, right, truth)?];
            if all { Node::Sum(nodes) } else { Node::Least(nodes) }
        }
        Expr::Quantifier { quantifier, slot, range, body, .. } => {
            let all = match quantifier {
                Quantifier::Forall => truth,
                Quantifier::Exists => !truth,
                Quantifier::Sum => return Ok(data(builder)),
            };
            let body = Box::new(node(network, builder, body, truth)?);
            Node::Range { all, slot: *slot, lo: range.lo, hi: range.hi, body }
        }
        _ => data(builder),
    })
}

/// A comparison of integers.
fn lack(
    builder: &mut Builder<'_>,
    binary: &punctual_model::Binary,
    truth: bool,
) -> Result<Option<Node>, Unsupported> {
    if binary.number != Number::Int || binary.size != 1 {
        return Ok(None);
    }
    let (Ok(left), Ok(right)) = (builder.value(&binary.left), builder.value(&binary.right)) else {
        return Ok(None);
    };
    Ok(Some(match (binary.op, truth) {
        (BinaryOp::GreaterEqual, true) | (BinaryOp::Less, false) => Node::Lack(left, right, 0),
        (BinaryOp::Greater, true) | (BinaryOp::LessEqual, false) => Node::Lack(left, right, 1),
        (BinaryOp::LessEqual, true) | (BinaryOp::Greater, false) => Node::Lack(right, left, 0),
        (BinaryOp::Less, true) | (BinaryOp::GreaterEqual, false) => Node::Lack(right, left, 1),
        (BinaryOp::Equal, true) | (BinaryOp::NotEqual, false) => {
            Node::Sum(vec![Node::Lack(left, right, 0), Node::Lack(right, left, 0)])
        }
        _ => return Ok(None),
    }))
}

/// The fewest edges of a process from each of its locations to one of them.
fn edges_to(process: &Process, location: LocationId) -> Vec<u32> {
    let mut far = vec![FAR; process.locations.len()];
    far[location.index()] = 0;
    // As many rounds as the longest way has edges; processes are small.
    loop {
        let mut changed = false;
        for edge in &process.edges {
            for branch in &edge.branches {
                let next = far[branch.target.index()].saturating_add(1).min(FAR);
                let here = &mut far[edge.source.index()];
                changed |= next < *here;
                *here = next.min(*here);
            }
        }
        if !changed {
            return far;
        }
    }
}
