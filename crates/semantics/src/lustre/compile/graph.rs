//! A program's expressions with what is equal shared, and simplified.
//!
//! A simplification never computes less often than the program asks for something that may have no
//! value: what is dropped is *total*. That, and only that, keeps failures where they are.

use rustc_hash::FxHashMap;

use super::node::{Binary, Node, NodeId, Unary};
use crate::lustre::real::Real;
use punctual_model::lustre::Rational;

/// Nodes, each once.
#[derive(Debug)]
pub(super) struct Graph {
    nodes: Vec<Node>,
    facts: Vec<Facts>,
    known: FxHashMap<Node, NodeId>,
    /// How many choices deep a comparison is being pushed.
    depth: u8,
}

/// What holds of a node.
#[derive(Clone, Copy, Debug)]
struct Facts {
    /// It has a value whatever happens.
    is_total: bool,
    /// It is an exact real.
    is_real: bool,
}

const FALSE: Node = Node::Cell(0);
const TRUE: Node = Node::Cell(1);

/// How far a comparison is pushed into choices.
const DEPTH: u8 = 16;

impl Graph {
    pub(super) fn new() -> Graph {
        let known = FxHashMap::default();
        let mut graph = Graph { nodes: Vec::new(), facts: Vec::new(), known, depth: 0 };
        // In the order of `truth`.
        graph.intern(FALSE);
        graph.intern(TRUE);
        graph
    }

    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    pub(super) fn node(&self, id: NodeId) -> Node {
        self.nodes[id as usize]
    }

    pub(super) fn is_real(&self, id: NodeId) -> bool {
        self.facts[id as usize].is_real
    }

    fn is_total(&self, id: NodeId) -> bool {
        self.facts[id as usize].is_total
    }

    /// Whether it is a constant, an input or memory.
    pub(super) fn is_leaf(&self, id: NodeId) -> bool {
        matches!(self.node(id), Node::Cell(_) | Node::Real(_) | Node::Input(_) | Node::Memory(_))
    }

    /// A constant, an input that is no exact real, or an operation, as it is.
    pub(super) fn intern(&mut self, node: Node) -> NodeId {
        if let Some(id) = self.known.get(&node) {
            return *id;
        }
        let facts = match node {
            Node::Cell(_) | Node::Input(_) | Node::Memory(_) => {
                Facts { is_total: true, is_real: false }
            }
            Node::Real(_) => Facts { is_total: true, is_real: true },
            Node::Unary(op, it) => {
                Facts { is_total: !op.may_fail() && self.is_total(it), is_real: op.is_real() }
            }
            Node::Binary(op, a, b) => Facts {
                is_total: !op.may_fail() && self.is_total(a) && self.is_total(b),
                is_real: op.is_real(),
            },
            Node::And(a, b) | Node::Or(a, b) => {
                Facts { is_total: self.is_total(a) && self.is_total(b), is_real: false }
            }
            Node::If(c, a, b) => Facts {
                is_total: [c, a, b].iter().all(|it| self.is_total(*it)),
                is_real: self.is_real(a),
            },
        };
        self.add(node, facts)
    }

    /// An input or memory that is an exact real.
    pub(super) fn real_leaf(&mut self, node: Node) -> NodeId {
        match self.known.get(&node) {
            Some(id) => *id,
            None => self.add(node, Facts { is_total: true, is_real: true }),
        }
    }

    fn add(&mut self, node: Node, facts: Facts) -> NodeId {
        let id = NodeId::try_from(self.nodes.len()).expect("fewer than 2^32 nodes");
        self.nodes.push(node);
        self.facts.push(facts);
        self.known.insert(node, id);
        id
    }

    pub(super) fn truth(&self, it: bool) -> NodeId {
        NodeId::from(it)
    }

    pub(super) fn not(&mut self, it: NodeId) -> NodeId {
        match self.node(it) {
            Node::Cell(it) => self.truth(it == 0),
            Node::Unary(Unary::Not, it) => it,
            Node::Binary(Binary::Eq, a, b) => self.intern(Node::Binary(Binary::Ne, a, b)),
            Node::Binary(Binary::Ne, a, b) => self.intern(Node::Binary(Binary::Eq, a, b)),
            Node::Binary(Binary::Lt, a, b) => self.intern(Node::Binary(Binary::Le, b, a)),
            Node::Binary(Binary::Le, a, b) => self.intern(Node::Binary(Binary::Lt, b, a)),
            _ => self.intern(Node::Unary(Unary::Not, it)),
        }
    }

    /// Whether one is the other one negated.
    fn are_opposite(&self, a: NodeId, b: NodeId) -> bool {
        let is_not = |a, b| match (self.node(a), self.node(b)) {
            (Node::Unary(Unary::Not, it), _) => it == b,
            (Node::Binary(Binary::Eq, x, y), Node::Binary(Binary::Ne, z, w)) => (x, y) == (z, w),
            (Node::Binary(Binary::Lt, x, y), Node::Binary(Binary::Le, z, w)) => (x, y) == (w, z),
            _ => false,
        };
        is_not(a, b) || is_not(b, a)
    }

    pub(super) fn and(&mut self, a: NodeId, b: NodeId) -> NodeId {
        match (self.node(a), self.node(b)) {
            (FALSE, _) | (_, TRUE) => a,
            (TRUE, _) => b,
            (_, FALSE) if self.is_total(a) => b,
            _ if a == b => a,
            _ if self.are_opposite(a, b) && self.is_total(a) => self.truth(false),
            _ => self.intern(Node::And(a, b)),
        }
    }

    pub(super) fn or(&mut self, a: NodeId, b: NodeId) -> NodeId {
        match (self.node(a), self.node(b)) {
            (TRUE, _) | (_, FALSE) => a,
            (FALSE, _) => b,
            (_, TRUE) if self.is_total(a) => b,
            _ if a == b => a,
            _ if self.are_opposite(a, b) && self.is_total(a) => self.truth(true),
            _ => self.intern(Node::Or(a, b)),
        }
    }

    pub(super) fn choose(&mut self, condition: NodeId, yes: NodeId, no: NodeId) -> NodeId {
        let (condition, yes, no) = match self.node(condition) {
            Node::Cell(it) => return if it == 0 { no } else { yes },
            Node::Unary(Unary::Not, it) => (it, no, yes),
            Node::Binary(Binary::Ne, a, b) => {
                (self.intern(Node::Binary(Binary::Eq, a, b)), no, yes)
            }
            _ => (condition, yes, no),
        };
        // What is asked again was answered.
        let yes = match self.node(yes) {
            Node::If(again, yes, _) if again == condition => yes,
            _ => yes,
        };
        let no = match self.node(no) {
            Node::If(again, _, no) if again == condition => no,
            _ => no,
        };
        if yes == no && self.is_total(condition) {
            return yes;
        }
        match (self.node(yes), self.node(no)) {
            (TRUE, FALSE) => condition,
            (FALSE, TRUE) => self.not(condition),
            _ => self.intern(Node::If(condition, yes, no)),
        }
    }

    pub(super) fn unary(&mut self, op: Unary, it: NodeId) -> NodeId {
        let folded = match (op, self.node(it)) {
            (Unary::Not, _) => return self.not(it),
            (Unary::RealFromInt, Node::Cell(it)) => Some(Node::Real(Rational::from_int(it))),
            (Unary::RealNeg, Node::Real(it)) => Real::neg(it).map(Node::Real),
            (Unary::RealFloor, Node::Real(it)) => Real::floor(it).map(Node::Cell),
            (_, Node::Cell(it)) => op.cell(it).map(Node::Cell),
            _ => None,
        };
        self.intern(folded.unwrap_or(Node::Unary(op, it)))
    }

    pub(super) fn binary(&mut self, op: Binary, a: NodeId, b: NodeId) -> NodeId {
        let is_same = a == b && self.is_total(a);
        let folded = match (op, self.node(a), self.node(b)) {
            (_, Node::Cell(a), Node::Cell(b)) => op.cell(a, b).map(Node::Cell),
            (_, Node::Real(a), Node::Real(b)) if op.is_real() => op.real(a, b).map(Node::Real),
            (_, Node::Real(a), Node::Real(b)) => Some(Node::Cell(i64::from(op.compare(&a, &b)))),
            (Binary::Eq | Binary::Le | Binary::FloatLe, ..) if is_same => Some(TRUE),
            (Binary::RealEq | Binary::RealLe, ..) if is_same => Some(TRUE),
            (Binary::Ne | Binary::Lt | Binary::FloatLt, ..) if is_same => Some(FALSE),
            (Binary::RealNe | Binary::RealLt, ..) if is_same => Some(FALSE),
            (Binary::Add | Binary::Sub, _, Node::Cell(0)) => return a,
            (Binary::Add, Node::Cell(0), _) => return b,
            // A constant is on the right.
            (Binary::Eq | Binary::Ne | Binary::Add | Binary::Mul, Node::Cell(_), _) => {
                return self.binary(op, b, a);
            }
            (Binary::Eq, Node::If(condition, yes, no), Node::Cell(_)) => {
                return self.equals(condition, yes, no, b, Node::Binary(op, a, b));
            }
            (Binary::Ne, Node::If(..), Node::Cell(_)) => {
                let equal = self.binary(Binary::Eq, a, b);
                return self.not(equal);
            }
            _ => None,
        };
        self.intern(folded.unwrap_or(Node::Binary(op, a, b)))
    }

    /// Whether a choice is a constant: of constants, a question of the condition alone.
    fn equals(
        &mut self,
        condition: NodeId,
        yes: NodeId,
        no: NodeId,
        constant: NodeId,
        plain: Node,
    ) -> NodeId {
        let is_constant = |it: Node| matches!(it, Node::Cell(_));
        if self.depth < DEPTH && (is_constant(self.node(yes)) || is_constant(self.node(no))) {
            self.depth += 1;
            let yes = self.binary(Binary::Eq, yes, constant);
            let no = self.binary(Binary::Eq, no, constant);
            self.depth -= 1;
            match (self.node(yes), self.node(no)) {
                (TRUE, _) => return self.or(condition, no),
                (_, FALSE) => return self.and(condition, yes),
                (FALSE, _) => {
                    let not = self.not(condition);
                    return self.and(not, no);
                }
                (_, TRUE) => {
                    let not = self.not(condition);
                    return self.or(not, yes);
                }
                _ => {}
            }
        }
        self.intern(plain)
    }
}
