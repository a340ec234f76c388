//! Use cases with their domain model and their constraints: what a folder of requirements is reduced to.
//!
//! - A [`UseCase`] has flows, a [`Flow`] has steps, and each [`Step`] says which step comes next: blocks (`IF`, `DO`) are
//!   resolved. References between flows and use cases are ids.
//! - A [`Domain`] has classes, attributes, enumerations and associations; a [`Constraint`] is a typed expression over them.
//! - A [`Sentence`] is what people wrote and refer to. It is the link between a step and its constraints.
//! - [`Settings`] say what neither the text nor the domain model can.
//! - [`Scenarios`] are what all of it comes to: paths with objects that take them.
//! - [`Links`] tie scenarios to automata: who keeps which state, and which events scenarios dispatch.
//!
//! The parts may be unfinished: a sentence without constraints or a name without a meaning is there, and says so. Whoever derives
//! something has to ask.
//!
//! Not here: how scenarios are found (`testgen`), and how any of it is written (`lang`).

mod domain;
mod flows;
mod links;
mod ocl;
mod scenario;
mod settings;

pub use domain::{
    Association, Attribute, AttributeType, Class, Domain, End, EndRef, Enumeration, Feature,
    Multiplicity,
};
pub use flows::{
    Action, ActionKind, Condition, Flow, FlowKind, Named, Next, Phrase, Step, StepKind, StepRef,
    UseCase,
};
pub use links::{
    Automaton, AutomatonSide, AutomatonVariable, Dispatch, EventEdge, Keeper, Kept, Links, Nearest,
    NoAttribute, NotLinked, Update,
};
pub use ocl::{Binary, Binder, Constraint, Expr, Iterator, Node, Purpose, Type, Unary};
pub use scenario::{
    Assignment, AssignmentKind, Claim, Claimed, Diagram, Ground, Link, Need, Object, Objective,
    Outcome, Path, PathStep, Scenario, Scenarios, Set, Slot, Uncovered, Why,
};
pub use settings::{AttributeOf, AttributeSettings, Settings};

use crate::{ConstraintId, IdVec, SentenceId, UseCaseId};

/// All use cases of a folder.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct UseCases {
    /// The names of the files that places speak of, as their user calls them.
    pub files: Vec<String>,
    /// The use cases, in the order of files and of the text.
    pub use_cases: IdVec<UseCaseId, UseCase>,
    /// All sentences that use cases have, in the order of files and of the text.
    pub sentences: IdVec<SentenceId, Sentence>,
    /// The classes that use cases speak of; empty if nobody wrote them yet.
    pub domain: Domain,
    /// Invariants, and what sentences mean.
    pub constraints: IdVec<ConstraintId, Constraint>,
    /// What is said beside the text.
    pub settings: Settings,
}

/// A line of a file, for people: it is told in reports, and never looked up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// Which of [`UseCases::files`].
    pub file: u32,
    /// The line, counted from 1.
    pub line: u32,
}

/// Words of a use case that mean one thing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sentence {
    /// The words on one line, without the full stop and without keywords around a condition.
    pub text: String,
    /// Where the sentence begins.
    pub place: Place,
    /// What the sentence is in its use case.
    pub role: Role,
    /// What the sentence means: all of these together, in the order of their files.
    pub constraints: Vec<ConstraintId>,
    /// True if parts of the meaning are still to be written; never for inputs, outputs and references.
    pub is_open: bool,
}

/// What a sentence is in its use case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// It holds before the use case begins.
    Precondition,
    /// `VALIDATES THAT`, `IF`, `ELSEIF` or `UNTIL` asks whether it holds.
    Condition,
    /// An internal step makes it so.
    Effect,
    /// It holds at the end of a flow.
    Postcondition,
    /// Data come to the system.
    Input,
    /// The system gives data away.
    Output,
    /// Another use case goes on from here.
    Reference,
}

impl Role {
    /// Whether a sentence of this role has a meaning that constraints say.
    #[must_use]
    pub fn needs_constraint(self) -> bool {
        matches!(self, Role::Precondition | Role::Condition | Role::Effect | Role::Postcondition)
    }
}

impl UseCases {
    /// The use case of this name.
    #[must_use]
    pub fn use_case(&self, name: &str) -> Option<UseCaseId> {
        self.use_cases.enumerate().find(|(_, it)| it.name == name).map(|(id, _)| id)
    }

    /// The sentences that still need a constraint, in order.
    pub fn open_sentences(&self) -> impl std::iter::Iterator<Item = (SentenceId, &Sentence)> {
        self.sentences.enumerate().filter(|(_, it)| it.is_open)
    }

    /// The constraints that always hold.
    pub fn invariants(&self) -> impl std::iter::Iterator<Item = (ConstraintId, &Constraint)> {
        self.constraints.enumerate().filter(|(_, it)| it.purpose == Purpose::Invariant)
    }
}
