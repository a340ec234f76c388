//! The states that a query speaks of, as parts of zones.

use punctual_model::{BinaryOp, Expr, Network, Quantifier, Relation, StateExpr, UnaryOp};
use punctual_zones::{Constraint, Federation, Zone, ZoneRef};

use super::constraint::constraints;
use super::explorer::{Explorer, Halt};
use crate::Fault;
use crate::program::{Builder, Code, Unsupported};

/// A condition on states, in which negation stands only before data.
#[derive(Debug)]
pub struct Predicate {
    node: Node,
}

#[derive(Debug)]
enum Node {
    /// Data: whether the code gives a value other than zero is this.
    Data(Code, bool),
    Clocks(ClockTest),
    Deadlock(bool),
    All(Vec<Node>),
    Any(Vec<Node>),
    /// For each value of a local.
    Range {
        all: bool,
        slot: u32,
        lo: i32,
        hi: i32,
        body: Box<Node>,
    },
}

#[derive(Debug)]
struct ClockTest {
    when: Option<Code>,
    left: Option<Code>,
    right: Option<Code>,
    relation: Relation,
    bound: Code,
    /// Whether it must hold (and not: must not).
    holds: bool,
}

impl Predicate {
    /// Compiles a condition.
    ///
    /// # Errors
    /// If it has something that symbolic analysis can not treat.
    pub fn new(
        network: &Network,
        builder: &mut Builder<'_>,
        expr: &StateExpr,
    ) -> Result<Predicate, Unsupported> {
        Ok(Predicate { node: node(network, builder, &expr.expr, true)? })
    }

    /// Compiles the negation of a condition.
    ///
    /// # Errors
    /// If it has something that symbolic analysis can not treat.
    pub fn negated(
        network: &Network,
        builder: &mut Builder<'_>,
        expr: &StateExpr,
    ) -> Result<Predicate, Unsupported> {
        Ok(Predicate { node: node(network, builder, &expr.expr, false)? })
    }

    /// Whether data alone decide.
    #[must_use]
    pub fn is_data(&self) -> bool {
        self.node.is_data()
    }

    /// Whether it asks for deadlock.
    #[must_use]
    pub fn asks_for_deadlock(&self) -> bool {
        self.node.asks_for_deadlock()
    }

    /// The part of a state's zone where the condition holds.
    ///
    /// # Errors
    /// If the model is in error.
    pub fn part<'z>(
        &self,
        explorer: &mut Explorer<'_>,
        state: &[i32],
        zone: impl Into<ZoneRef<'z>>,
    ) -> Result<Federation, Halt> {
        explorer.machine.begin();
        explorer.target.copy_from_slice(state);
        explorer.target_clocks.set(explorer.symbolic, state);
        let zone = zone.into().to_zone();
        let mut live = None;
        if self.asks_for_deadlock() {
            // This uses the working memory, so it comes first.
            live = Some(explorer.live(state, &zone)?);
            explorer.machine.begin();
            explorer.target.copy_from_slice(state);
            explorer.target_clocks.set(explorer.symbolic, state);
        }
        explorer.party.clear();
        let mut judge = Judge { explorer, live };
        match judge.part(&self.node, zone) {
            Ok(part) => Ok(part),
            Err(fault) => Err(judge.explorer.trouble(fault)),
        }
    }

    /// Whether the condition holds, if data alone decide.
    ///
    /// # Errors
    /// If the model is in error.
    #[inline]
    pub fn holds(&self, explorer: &mut Explorer<'_>, state: &[i32]) -> Result<bool, Halt> {
        explorer.target.copy_from_slice(state);
        explorer.machine.begin();
        explorer.party.clear();
        let mut judge = Judge { explorer, live: None };
        match judge.holds(&self.node) {
            Ok(holds) => Ok(holds),
            Err(fault) => Err(judge.explorer.trouble(fault)),
        }
    }
}

impl Node {
    fn is_data(&self) -> bool {
        match self {
            Node::Data(..) => true,
            Node::Clocks(_) | Node::Deadlock(_) => false,
            Node::All(nodes) | Node::Any(nodes) => nodes.iter().all(Node::is_data),
            Node::Range { body, .. } => body.is_data(),
        }
    }

    fn asks_for_deadlock(&self) -> bool {
        match self {
            Node::Deadlock(_) => true,
            Node::Data(..) | Node::Clocks(_) => false,
            Node::All(nodes) | Node::Any(nodes) => nodes.iter().any(Node::asks_for_deadlock),
            Node::Range { body, .. } => body.asks_for_deadlock(),
        }
    }
}

struct Judge<'e, 's> {
    explorer: &'e mut Explorer<'s>,
    /// Where something can still happen; asked for by `deadlock`.
    live: Option<Federation>,
}

impl Judge<'_, '_> {
    fn value(&mut self, code: Code) -> Result<i32, Fault> {
        let Explorer { symbolic, target, machine, .. } = &mut *self.explorer;
        symbolic.program.run(code, target, machine)
    }

    fn set(&mut self, slot: u32, value: i32) {
        self.explorer.machine.locals()[slot as usize] = value;
    }

    fn holds(&mut self, node: &Node) -> Result<bool, Fault> {
        match node {
            Node::Data(code, truth) => Ok((self.value(*code)? != 0) == *truth),
            Node::All(nodes) => {
                for node in nodes {
                    if !self.holds(node)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            Node::Any(nodes) => {
                for node in nodes {
                    if self.holds(node)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            Node::Range { all, slot, lo, hi, body } => {
                for value in *lo..=*hi {
                    self.set(*slot, value);
                    if self.holds(body)? != *all {
                        return Ok(!all);
                    }
                }
                Ok(*all)
            }
            Node::Clocks(_) | Node::Deadlock(_) => unreachable!("data alone decide"),
        }
    }

    fn part(&mut self, node: &Node, zone: Zone) -> Result<Federation, Fault> {
        let n_clocks = zone.dim() - 1;
        match node {
            Node::Data(code, truth) => Ok(match (self.value(*code)? != 0) == *truth {
                true => Federation::from(zone),
                false => Federation::empty(n_clocks),
            }),
            Node::Clocks(test) => self.clocks(test, &zone),
            Node::Deadlock(truth) => {
                let live = self.live.clone().expect("it was computed before");
                let mut part = Federation::from(zone);
                match truth {
                    true => part.subtract_all(&live),
                    false => part.intersect_all(&live),
                }
                Ok(part)
            }
            Node::All(nodes) => {
                let mut part = Federation::from(zone);
                for node in nodes {
                    part = self.part_of_each(node, &part)?;
                }
                Ok(part)
            }
            Node::Any(nodes) => {
                // Like the language, this looks no further than it must.
                let (mut part, mut rest) = (Federation::empty(n_clocks), Federation::from(zone));
                for node in nodes {
                    let more = self.part_of_each(node, &rest)?;
                    rest.subtract_all(&more);
                    part.union(&more);
                }
                Ok(part)
            }
            Node::Range { all, slot, lo, hi, body } => {
                let (mut part, mut rest) = (Federation::empty(n_clocks), Federation::from(zone));
                for value in *lo..=*hi {
                    self.set(*slot, value);
                    let more = self.part_of_each(body, &rest)?;
                    match all {
                        true => rest = more,
                        false => {
                            rest.subtract_all(&more);
                            part.union(&more);
                        }
                    }
                }
                Ok(if *all { rest } else { part })
            }
        }
    }

    fn part_of_each(&mut self, node: &Node, whole: &Federation) -> Result<Federation, Fault> {
        let mut part = Federation::empty(whole.dim() - 1);
        for zone in whole.zones() {
            part.union(&self.part(node, zone.clone())?);
        }
        Ok(part)
    }

    fn clocks(&mut self, test: &ClockTest, zone: &Zone) -> Result<Federation, Fault> {
        let whole = Federation::from(zone.clone());
        let nothing = Federation::empty(zone.dim() - 1);
        if let Some(when) = test.when
            && self.value(when)? == 0
        {
            return Ok(if test.holds { whole } else { nothing });
        }
        let mut number = |clock: Option<Code>| -> Result<u32, Fault> {
            match clock {
                None => Ok(0),
                Some(code) => {
                    let clock = self.value(code)?.unsigned_abs() + 1;
                    Ok(self.explorer.target_clocks.tested(clock) as u32)
                }
            }
        };
        let (left, right) = (number(test.left)?, number(test.right)?);
        let bound = self.value(test.bound)?;
        // `!=` is what `==` is not.
        let (relation, holds) = match test.relation {
            Relation::NotEqual => (Relation::Equal, !test.holds),
            relation => (relation, test.holds),
        };
        let tests: Vec<Constraint> =
            constraints(left, right, relation, bound)?.into_iter().flatten().collect();
        let mut inside = zone.clone();
        let meets = inside.constrain_all(tests);
        Ok(match (holds, meets) {
            (true, true) => Federation::from(inside),
            (true, false) => nothing,
            (false, true) => zone.subtract(&inside),
            (false, false) => whole,
        })
    }
}

fn node(
    network: &Network,
    builder: &mut Builder<'_>,
    expr: &Expr,
    truth: bool,
) -> Result<Node, Unsupported> {
    if !speaks_of_clocks(expr) {
        return Ok(Node::Data(builder.value(expr)?, truth));
    }
    let mut pair = |left: (&Expr, bool), right: (&Expr, bool), all: bool| {
        let nodes = vec![
            node(network, builder, left.0, left.1)?,
            node(network, builder, right.0, right.1)?,
        ];
        Ok(if all { Node::All(nodes) } else { Node::Any(nodes) })
    };
    match expr {
        Expr::Deadlock => Ok(Node::Deadlock(truth)),
        Expr::ClockConstraint(it) => {
            if it.clocks().any(|clock| network.clocks[clock.base].hybrid) {
                return Err(Unsupported { construct: "a hybrid clock in a query" });
            }
            if it.number == punctual_model::Number::Double {
                return Err(Unsupported { construct: "a clock compared with a double" });
            }
            Ok(Node::Clocks(ClockTest {
                when: it.when.as_ref().map(|when| builder.value(when)).transpose()?,
                left: it.left.as_ref().map(|clock| builder.element(clock)).transpose()?,
                right: it.right.as_ref().map(|clock| builder.element(clock)).transpose()?,
                relation: it.relation,
                bound: builder.value(&it.bound)?,
                holds: truth,
            }))
        }
        Expr::Unary(UnaryOp::Not, _, inner) => node(network, builder, inner, !truth),
        Expr::Binary(binary) => {
            let (left, right) = (&binary.left, &binary.right);
            match binary.op {
                BinaryOp::And => pair((left, truth), (right, truth), truth),
                BinaryOp::Or => pair((left, truth), (right, truth), !truth),
                BinaryOp::Imply => pair((left, !truth), (right, truth), !truth),
                BinaryOp::Xor | BinaryOp::NotEqual | BinaryOp::Equal => {
                    // A comparison with a constant keeps or turns the other side.
                    let same = (binary.op == BinaryOp::Equal) == truth;
                    match (left, right) {
                        (side, Expr::Int(value)) | (Expr::Int(value), side) => match value {
                            value if binary.op == BinaryOp::Xor => {
                                node(network, builder, side, (*value == 0) == truth)
                            }
                            0 => node(network, builder, side, !same),
                            1 => node(network, builder, side, same),
                            _ => Ok(Node::Data(builder.value(&Expr::FALSE)?, same)),
                        },
                        _ => {
                            let first = pair((left, true), (right, same), true)?;
                            let mut pair = |l: bool, r: bool| {
                                Ok(Node::All(vec![
                                    node(network, builder, left, l)?,
                                    node(network, builder, right, r)?,
                                ]))
                            };
                            Ok(Node::Any(vec![first, pair(false, !same)?]))
                        }
                    }
                }
                _ => Err(Unsupported { construct: "a clock constraint used as a number" }),
            }
        }
        Expr::Conditional(parts) => {
            let [condition, then, otherwise] = parts.as_ref();
            let first = pair((condition, true), (then, truth), true)?;
            let second = Node::All(vec![
                node(network, builder, condition, false)?,
                node(network, builder, otherwise, truth)?,
            ]);
            Ok(Node::Any(vec![first, second]))
        }
        Expr::Quantifier { quantifier, slot, range, body, .. } => {
            let all = match quantifier {
                Quantifier::Forall => truth,
                Quantifier::Exists => !truth,
                Quantifier::Sum => {
                    return Err(Unsupported { construct: "a sum over clock constraints" });
                }
            };
            let body = Box::new(node(network, builder, body, truth)?);
            Ok(Node::Range { all, slot: *slot, lo: range.lo, hi: range.hi, body })
        }
        _ => Err(Unsupported { construct: "a clock used as a number" }),
    }
}

fn speaks_of_clocks(expr: &Expr) -> bool {
    let mut found = false;
    expr.walk(&mut |expr| {
        found |= matches!(
            expr,
            Expr::Deadlock | Expr::ClockConstraint(_) | Expr::Clock(_) | Expr::ClockRate(_)
        );
    });
    found
}
