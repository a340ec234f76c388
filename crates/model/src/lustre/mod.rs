//! Synchronous programs as one flat node: what Lustre text is reduced to.
//!
//! Calls are inlined, records, arrays and tuples are split into scalars, clocks have become
//! conditions, and `pre` has become memory. What is left is a list of equations, each of which uses
//! only variables that were computed before it, and memory that is written at the end of a step.
//!
//! - A step is lazy: an expression is undefined (a division by zero, an overflow) only if something
//!   that is asked for needs it; `if` needs only the branch taken, `and`, `or` and `=>` need the
//!   right side only if the left one does not decide.
//! - Asked for are all outputs, assertions and properties, and the next value of all memory that
//!   these mention, directly or through other variables and memory.

mod expr;
mod table;
mod tolerance;
mod types;

pub use crate::value::{Rational, Value};
pub use expr::{BinaryOp, Expr, UnaryOp};
pub use table::{Table, Test};
pub use tolerance::{Seen, Tolerances};
pub use types::Type;

use crate::{EnumId, ExprId, IdVec, MemoryId, VarId};

/// A flat synchronous program.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Program {
    /// The name of the main node.
    pub name: String,
    /// The enumerations.
    pub enums: IdVec<EnumId, Enumeration>,
    /// Inputs first, then outputs, then locals.
    pub vars: IdVec<VarId, Var>,
    /// All expressions; each refers only to earlier ones.
    pub exprs: IdVec<ExprId, Expr>,
    /// What the outputs and locals are, in an order in which each uses only earlier ones.
    pub equations: Vec<Equation>,
    /// What is remembered from one step to the next.
    pub memory: IdVec<MemoryId, Memory>,
    /// What the environment is assumed to keep.
    pub assertions: Vec<ExprId>,
    /// What is claimed to hold always, with names.
    pub properties: Vec<(String, ExprId)>,
}

/// The names of an enumeration's values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Enumeration {
    /// Its own name.
    pub name: String,
    /// Those of its values, in order.
    pub values: Vec<String>,
}

/// A scalar of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Var {
    /// Its name; parts of composites are `a.b` and `a[2]`, locals of calls `call~1.x`.
    pub name: String,
    /// What it can be.
    pub ty: Type,
    /// The least and the greatest value of a subrange, or of a machine integer.
    pub range: Option<(i64, i64)>,
    /// Who gives it a value.
    pub role: Role,
}

/// Who gives a variable its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// The environment.
    Input,
    /// Nobody says: the result of an imported node or function. A program with one can not be run.
    Free,
    /// An equation; it is part of the interface.
    Output,
    /// An equation.
    Local,
}

/// What a variable is in every step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Equation {
    /// The variable.
    pub var: VarId,
    /// Its value.
    pub expr: ExprId,
}

/// A value that is remembered.
#[derive(Clone, Debug, PartialEq)]
pub struct Memory {
    /// The text of what is remembered, for people.
    pub name: String,
    /// What it can be.
    pub ty: Type,
    /// What it is before the first step; without one it is not looked at in the first step
    /// (initialisation was checked), and is taken to be false or zero.
    pub initial: Option<Value>,
    /// What it is in the next step.
    pub next: ExprId,
}

impl Program {
    /// The inputs, in order.
    pub fn inputs(&self) -> impl Iterator<Item = VarId> + '_ {
        self.with(Role::Input)
    }

    /// The outputs, in order.
    pub fn outputs(&self) -> impl Iterator<Item = VarId> + '_ {
        self.with(Role::Output)
    }

    fn with(&self, role: Role) -> impl Iterator<Item = VarId> + '_ {
        self.vars.enumerate().filter(move |(_, var)| var.role == role).map(|(id, _)| id)
    }

    /// A value of a variable, for people: members of enumerations by their names, fractions as `1/3`.
    #[must_use]
    pub fn value_text(&self, var: VarId, value: Value) -> String {
        match (self.vars[var].ty, value) {
            (Type::Enum(id), Value::Enum(at)) => match self.enums[id].values.get(at as usize) {
                Some(name) => name.clone(),
                None => at.to_string(),
            },
            (_, Value::Real(it)) => it.to_string(),
            _ => value.to_string(),
        }
    }

    /// The variable of this name.
    #[must_use]
    pub fn var(&self, name: &str) -> Option<VarId> {
        self.vars.enumerate().find(|(_, var)| var.name == name).map(|(id, _)| id)
    }
}
