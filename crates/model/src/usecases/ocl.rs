//! Typed constraints over a domain model.
//!
//! An expression is a table of nodes, each of which refers only to earlier ones. Every expression has a value: there is no null, since an
//! end that may have no object gives a set.

use super::{Place, domain::EndRef};
use crate::{AttributeId, BinderId, ClassId, EnumerationId, IdVec, OclId, SentenceId, Value};

/// A condition on all objects of a class, those of its subclasses among them.
#[derive(Clone, Debug, PartialEq)]
pub struct Constraint {
    /// What the constraint is for.
    pub purpose: Purpose,
    /// What its author calls it; may be empty.
    pub name: String,
    /// The class of `self`.
    pub context: ClassId,
    /// The expressions; operands stand before what uses them.
    pub nodes: IdVec<OclId, Node>,
    /// The variables of iterators.
    pub binders: IdVec<BinderId, Binder>,
    /// What must be true.
    pub root: OclId,
    /// The condition as its author wrote it, on one line.
    pub text: String,
    /// Where the constraint stands.
    pub place: Place,
}

/// What a constraint is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// It holds always.
    Invariant,
    /// It is what these sentences mean. There may be none yet.
    Sentences(Vec<SentenceId>),
}

/// An expression and its type.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Node {
    /// The expression.
    pub expr: Expr,
    /// What its value is.
    pub ty: Type,
}

/// What a value of an expression is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    /// True or false.
    Boolean,
    /// A whole number.
    Integer,
    /// An exact real number.
    Real,
    /// A member of an enumeration.
    Enumeration(EnumerationId),
    /// One object of a class.
    Object(ClassId),
    /// A set of objects of a class.
    Set(ClassId),
}

/// A variable of an iterator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Binder {
    /// Its name; empty if the author gave none.
    pub name: String,
    /// The class of the objects that it goes through.
    pub class: ClassId,
}

/// An expression; operands are earlier nodes of the same constraint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Expr {
    /// A truth value, a number, or a member of an enumeration.
    Constant(Value),
    /// `self`.
    Context,
    /// The object that an iterator is at.
    Binder(BinderId),
    /// The attribute of an object.
    Attribute(OclId, AttributeId),
    /// The objects at an end: one object if the multiplicity of the end is one, a set otherwise.
    Navigate(OclId, EndRef),
    /// `C.allInstances()`.
    AllInstances(ClassId),
    /// An operator with one operand.
    Unary(Unary, OclId),
    /// An operator with two operands of one type. Objects may be of two classes.
    Binary(Binary, OclId, OclId),
    /// A set whose objects are looked at one by one.
    Iterate {
        /// What is asked of them.
        iterator: Iterator,
        /// The set.
        source: OclId,
        /// The object that is looked at.
        binder: BinderId,
        /// A truth value for each object.
        body: OclId,
    },
    /// How many objects a set has.
    Size(OclId),
}

/// What is asked of the objects of a set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Iterator {
    /// Whether it is true for all.
    ForAll,
    /// Whether it is true for at least one.
    Exists,
    /// The set of those for which it is true.
    Select,
}

/// Operators of one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Unary {
    /// `not`.
    Not,
    /// `-`, of an integer or a real number.
    Neg,
    /// An integer as a real number; it is not written.
    ToReal,
}

/// Operators of two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Binary {
    /// `and`.
    And,
    /// `or`.
    Or,
    /// `xor`.
    Xor,
    /// `implies`.
    Implies,
    /// `=`, of truth values, numbers, members of an enumeration, or objects.
    Eq,
    /// `<>`.
    Ne,
    /// `<`, of numbers.
    Lt,
    /// `<=`.
    Le,
    /// `>`.
    Gt,
    /// `>=`.
    Ge,
    /// `+`, of numbers.
    Add,
    /// `-`.
    Sub,
    /// `*`.
    Mul,
    /// `/` of real numbers. Division by zero has no value: a condition that needs one does not hold.
    Div,
}

impl Constraint {
    /// The expression of an id.
    #[must_use]
    pub fn expr(&self, id: OclId) -> Expr {
        self.nodes[id].expr
    }

    /// The attributes that the constraint mentions, each once, in the order of the text.
    #[must_use]
    pub fn attributes(&self) -> Vec<AttributeId> {
        let mut found = Vec::new();
        for node in &self.nodes {
            if let Expr::Attribute(_, attribute) = node.expr
                && !found.contains(&attribute)
            {
                found.push(attribute);
            }
        }
        found
    }
}
