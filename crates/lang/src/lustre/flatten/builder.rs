//! The program that is being built: the same expression is there once.

use punctual_model::{
    ExprId, IdVec, MemoryId, VarId,
    lustre::{BinaryOp, Expr, Memory, Type, UnaryOp, Value, Var},
};
use rustc_hash::FxHashMap;

use crate::Span;

/// How many expressions a program may have.
pub(in super::super) const EXPRS_MAX: usize = 1 << 23;

/// What makes an expression the same as another.
#[derive(PartialEq, Eq, Hash)]
enum Key {
    Constant(u8, i128, i128),
    Var(VarId),
    Memory(MemoryId),
    First,
    Unary(UnaryOp, ExprId),
    Binary(BinaryOp, ExprId, ExprId),
    If(ExprId, ExprId, ExprId),
}

fn key(expr: &Expr) -> Key {
    match *expr {
        Expr::Constant(Value::Bool(it)) => Key::Constant(0, i128::from(it), 0),
        Expr::Constant(Value::Int(it)) => Key::Constant(1, i128::from(it), 0),
        Expr::Constant(Value::Real(it)) => Key::Constant(2, *it.numer(), *it.denom()),
        Expr::Constant(Value::Enum(it)) => Key::Constant(3, i128::from(it), 0),
        Expr::Var(var) => Key::Var(var),
        Expr::Memory(memory) => Key::Memory(memory),
        Expr::First => Key::First,
        Expr::Unary(op, a) => Key::Unary(op, a),
        Expr::Binary(op, a, b) => Key::Binary(op, a, b),
        Expr::If(a, b, c) => Key::If(a, b, c),
    }
}

/// Where a memory comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in super::super) enum Origin {
    Pre,
    /// The value of something that does not take part in every step.
    Held,
}

#[derive(Default)]
pub(in super::super) struct Builder {
    pub(in super::super) exprs: IdVec<ExprId, Expr>,
    known: FxHashMap<Key, ExprId>,
    pub(in super::super) vars: IdVec<VarId, Var>,
    /// Where each is defined, or else declared.
    pub(in super::super) var_spans: IdVec<VarId, Span>,
    pub(in super::super) defined: IdVec<VarId, Option<ExprId>>,
    pub(in super::super) memory: IdVec<MemoryId, Memory>,
    pub(in super::super) memory_origins: IdVec<MemoryId, (Span, Origin)>,
    pub(in super::super) assertions: Vec<(ExprId, Span)>,
    pub(in super::super) properties: Vec<(String, ExprId, Span)>,
}

impl Builder {
    pub(in super::super) fn is_full(&self) -> bool {
        self.exprs.len() >= EXPRS_MAX
    }

    pub(in super::super) fn add(&mut self, expr: Expr) -> ExprId {
        *self.known.entry(key(&expr)).or_insert_with(|| self.exprs.push(expr))
    }

    pub(in super::super) fn constant(&mut self, value: Value) -> ExprId {
        self.add(Expr::Constant(value))
    }

    pub(in super::super) fn truth(&mut self, value: bool) -> ExprId {
        self.constant(Value::Bool(value))
    }

    pub(in super::super) fn unary(&mut self, op: UnaryOp, a: ExprId) -> ExprId {
        self.add(Expr::Unary(op, a))
    }

    pub(in super::super) fn binary(&mut self, op: BinaryOp, a: ExprId, b: ExprId) -> ExprId {
        self.add(Expr::Binary(op, a, b))
    }

    pub(in super::super) fn if_else(&mut self, condition: ExprId, a: ExprId, b: ExprId) -> ExprId {
        let truth = |id: ExprId| match self.exprs[id] {
            Expr::Constant(Value::Bool(it)) => Some(it),
            _ => None,
        };
        // `true -> false` is how the first step is told.
        if self.exprs[condition] == Expr::First && truth(a) == Some(true) && truth(b) == Some(false)
        {
            return condition;
        }
        self.add(Expr::If(condition, a, b))
    }

    /// As a real number.
    pub(in super::super) fn real(&mut self, a: ExprId) -> ExprId {
        match self.exprs[a] {
            Expr::Constant(it @ Value::Int(_)) => self.constant(Value::Real(it.as_rational())),
            _ => self.unary(UnaryOp::ToReal, a),
        }
    }

    pub(in super::super) fn var(&mut self, var: Var, span: Span) -> VarId {
        self.var_spans.push(span);
        self.defined.push(None);
        self.vars.push(var)
    }

    /// A memory whose next value is still to be said.
    pub(in super::super) fn memory(
        &mut self,
        name: String,
        ty: Type,
        initial: Option<Value>,
        origin: (Span, Origin),
    ) -> (MemoryId, ExprId) {
        let next = self.constant(Value::zero(ty));
        let memory = self.memory.push(Memory { name, ty, initial, next });
        self.memory_origins.push(origin);
        (memory, self.add(Expr::Memory(memory)))
    }
}
