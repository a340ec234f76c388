//! Expressions of a flat program.

use super::Value;
use crate::{ExprId, MemoryId, VarId};

/// An expression; operands are earlier entries of the same table.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Expr {
    /// A constant.
    Constant(Value),
    /// A variable in this step.
    Var(VarId),
    /// What was remembered in the step before.
    Memory(MemoryId),
    /// Whether this is the first step.
    First,
    /// One operand.
    Unary(UnaryOp, ExprId),
    /// Two operands of the same type.
    Binary(BinaryOp, ExprId, ExprId),
    /// `if a then b else c`.
    If(ExprId, ExprId, ExprId),
}

/// Operators of one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnaryOp {
    /// `not`.
    Not,
    /// `-`, of `int` or `real`.
    Neg,
    /// `real(..)` of an `int`.
    ToReal,
    /// `int(..)` or `floor(..)` of a `real`: the greatest integer that is not greater.
    Floor,
    /// An `int` as a machine integer of so many bits, modulo 2^bits.
    Wrap {
        /// 8, 16, 32 or 64.
        bits: u8,
        /// Whether negative numbers are among them.
        signed: bool,
    },
}

/// Operators of two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BinaryOp {
    /// `and`.
    And,
    /// `or`.
    Or,
    /// `xor`.
    Xor,
    /// `=>`.
    Implies,
    /// `=`, of operands of any one type.
    Eq,
    /// `<>`.
    Ne,
    /// `<`.
    Lt,
    /// `<=`.
    Le,
    /// `>`.
    Gt,
    /// `>=`.
    Ge,
    /// `+`.
    Add,
    /// `-`.
    Sub,
    /// `*`.
    Mul,
    /// `/` of reals.
    Div,
    /// `div` of integers: rounded so that the remainder is not negative, as SMT-LIB does.
    IntDiv,
    /// `mod` of integers: from zero up to the absolute value of the divisor.
    Mod,
}
