//! What steering may change: conditions over the values before and after it.

use super::expr::Expr;
use crate::{ExprId, IdVec, VarId};

/// Conditions that a steered step must satisfy, all of them.
///
/// They have their own table of expressions, in which a `VarId` is a position in `seen`, memory and
/// [`Expr::First`] do not occur, and whole numbers are made real where they meet reals.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tolerances {
    /// What the conditions speak of.
    pub seen: IdVec<VarId, Seen>,
    /// All expressions; each refers only to earlier ones.
    pub exprs: IdVec<ExprId, Expr>,
    /// The conditions.
    pub conditions: Vec<ExprId>,
}

/// A variable of the program, as somebody has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Seen {
    /// In the steered model.
    New(VarId),
    /// In the model before it was steered.
    Original(VarId),
    /// In the system.
    System(VarId),
}
