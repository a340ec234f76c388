//! Expressions of a program as a graph.

use punctual_model::lustre::{BinaryOp, Expr, Program, Type, UnaryOp, Value};
use punctual_model::{ExprId, Id, VarId};

use super::graph::Graph;
use super::node::{Binary, Node, NodeId, Unary};
use crate::lustre::asked::Asked;
use crate::lustre::machine::cell;
use crate::lustre::real::Reals;

/// What is asked for, in the order of [`Asked`].
#[derive(Debug)]
pub(super) struct Roots {
    pub(super) vars: Vec<NodeId>,
    pub(super) exprs: Vec<NodeId>,
    pub(super) memory: Vec<NodeId>,
}

/// The graph of the first step, in which all that is remembered is constant, or of any other one.
pub(super) fn lower(
    program: &Program,
    asked: &Asked,
    reals: Reals,
    is_first: bool,
) -> (Graph, Roots) {
    let known = vec![None; program.exprs.len()];
    let graph = Graph::new();
    let mut lower = Lower { program, asked, reals, is_first, graph, known, stack: Vec::new() };
    let var = |var: &VarId| match asked.defined[var.index()] {
        Some(expr) => lower.expr(expr),
        None => lower.var(*var).node,
    };
    let vars = asked.vars.iter().map(var).collect();
    let exprs = asked.exprs.iter().map(|expr| lower.expr(*expr)).collect();
    let next = |memory| lower.expr(program.memory[memory].next);
    let memory = asked.memory.iter().copied().map(next).collect();
    (lower.graph, Roots { vars, exprs, memory })
}

struct Lower<'p> {
    program: &'p Program,
    asked: &'p Asked,
    reals: Reals,
    is_first: bool,
    graph: Graph,
    known: Vec<Option<Typed>>,
    /// What is being lowered; each needs the one after it.
    stack: Vec<ExprId>,
}

/// A node, and whether it is a real number: nodes of doubles look like those of integers.
#[derive(Clone, Copy)]
struct Typed {
    node: NodeId,
    is_real: bool,
}

impl Lower<'_> {
    fn expr(&mut self, id: ExprId) -> NodeId {
        let mut wanted = id;
        loop {
            let typed = match self.known[wanted.index()] {
                Some(typed) => typed,
                None => match self.attempt(wanted) {
                    Ok(typed) => typed,
                    Err(operand) => {
                        self.stack.push(wanted);
                        wanted = operand;
                        continue;
                    }
                },
            };
            self.known[wanted.index()] = Some(typed);
            match self.stack.pop() {
                Some(next) => wanted = next,
                None => return typed.node,
            }
        }
    }

    /// The node of an expression, or an operand that is needed for it and not known yet.
    fn attempt(&mut self, id: ExprId) -> Result<Typed, ExprId> {
        let known = |operand: ExprId| self.known[operand.index()].ok_or(operand);
        let truth = |node| Typed { node, is_real: false };
        Ok(match self.program.exprs[id] {
            Expr::Constant(value) => self.constant(value),
            Expr::Var(var) => match self.asked.defined[var.index()] {
                Some(expr) => known(expr)?,
                None => self.var(var),
            },
            Expr::Memory(memory) => {
                let it = &self.program.memory[memory];
                if self.is_first {
                    self.constant(it.initial.unwrap_or(Value::zero(it.ty)))
                } else {
                    let at = u32::try_from(memory.index()).expect("ids are of 32 bits");
                    self.leaf(Node::Memory(at), it.ty)
                }
            }
            Expr::First => truth(self.graph.truth(self.is_first)),
            Expr::Unary(op, operand) => {
                let operand = known(operand)?;
                self.unary(op, operand)
            }
            Expr::Binary(op, left, right) => {
                let a = known(left)?;
                match (op, self.graph.node(a.node)) {
                    (BinaryOp::And, Node::Cell(0)) | (BinaryOp::Or, Node::Cell(1)) => a,
                    (BinaryOp::Implies, Node::Cell(0)) => truth(self.graph.truth(true)),
                    _ => {
                        let b = known(right)?;
                        self.binary(op, a, b.node)
                    }
                }
            }
            Expr::If(condition, yes, no) => {
                let condition = known(condition)?.node;
                match self.graph.node(condition) {
                    Node::Cell(0) => known(no)?,
                    Node::Cell(_) => known(yes)?,
                    _ => {
                        let (yes, no) = (known(yes)?, known(no)?);
                        let node = self.graph.choose(condition, yes.node, no.node);
                        Typed { node, is_real: yes.is_real }
                    }
                }
            }
        })
    }

    fn constant(&mut self, value: Value) -> Typed {
        let node = self.graph.intern(match (value, self.reals) {
            (Value::Real(it), Reals::Exact) => Node::Real(it),
            _ => Node::Cell(cell(value)),
        });
        Typed { node, is_real: matches!(value, Value::Real(_)) }
    }

    fn var(&mut self, var: VarId) -> Typed {
        let at = u32::try_from(var.index()).expect("ids are of 32 bits");
        self.leaf(Node::Input(at), self.program.vars[var].ty)
    }

    fn leaf(&mut self, node: Node, ty: Type) -> Typed {
        let is_real = ty == Type::Real;
        let node = match self.reals {
            Reals::Exact if is_real => self.graph.real_leaf(node),
            _ => self.graph.intern(node),
        };
        Typed { node, is_real }
    }

    fn unary(&mut self, op: UnaryOp, it: Typed) -> Typed {
        let (op, is_real) = match (op, self.reals) {
            (UnaryOp::Not, _) => (Unary::Not, false),
            (UnaryOp::Neg, _) if !it.is_real => (Unary::Neg, false),
            (UnaryOp::Neg, Reals::Exact) => (Unary::RealNeg, true),
            (UnaryOp::Neg, Reals::Float) => (Unary::FloatNeg, true),
            (UnaryOp::ToReal, Reals::Exact) => (Unary::RealFromInt, true),
            (UnaryOp::ToReal, Reals::Float) => (Unary::FloatFromInt, true),
            (UnaryOp::Floor, Reals::Exact) => (Unary::RealFloor, false),
            (UnaryOp::Floor, Reals::Float) => (Unary::FloatFloor, false),
            (UnaryOp::Wrap { bits, signed }, _) => (Unary::Wrap { bits, signed }, false),
        };
        Typed { node: self.graph.unary(op, it.node), is_real }
    }

    fn binary(&mut self, op: BinaryOp, a: Typed, b: NodeId) -> Typed {
        let (a, is_real) = (a.node, a.is_real);
        // Of integers and the like, of doubles, of exact reals.
        let pick = |cell: Binary, float: Binary, real: Binary| match self.reals {
            _ if !is_real => cell,
            Reals::Float => float,
            Reals::Exact => real,
        };
        let eq = pick(Binary::Eq, Binary::Eq, Binary::RealEq);
        let ne = pick(Binary::Ne, Binary::Ne, Binary::RealNe);
        let lt = pick(Binary::Lt, Binary::FloatLt, Binary::RealLt);
        let le = pick(Binary::Le, Binary::FloatLe, Binary::RealLe);
        let number = match op {
            BinaryOp::Add => pick(Binary::Add, Binary::FloatAdd, Binary::RealAdd),
            BinaryOp::Sub => pick(Binary::Sub, Binary::FloatSub, Binary::RealSub),
            BinaryOp::Mul => pick(Binary::Mul, Binary::FloatMul, Binary::RealMul),
            BinaryOp::Div => pick(Binary::Div, Binary::FloatDiv, Binary::RealDiv),
            BinaryOp::IntDiv => Binary::Div,
            BinaryOp::Mod => Binary::Mod,
            _ => {
                let node = match op {
                    BinaryOp::And => self.graph.and(a, b),
                    BinaryOp::Or => self.graph.or(a, b),
                    BinaryOp::Implies => {
                        let not = self.graph.not(a);
                        self.graph.or(not, b)
                    }
                    BinaryOp::Eq => self.graph.binary(eq, a, b),
                    BinaryOp::Xor | BinaryOp::Ne => self.graph.binary(ne, a, b),
                    BinaryOp::Lt => self.graph.binary(lt, a, b),
                    BinaryOp::Le => self.graph.binary(le, a, b),
                    BinaryOp::Gt => self.graph.binary(lt, b, a),
                    _ => self.graph.binary(le, b, a),
                };
                return Typed { node, is_real: false };
            }
        };
        Typed { node: self.graph.binary(number, a, b), is_real }
    }
}
