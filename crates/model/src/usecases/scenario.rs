//! What use cases come to: paths, objects, and what a tester has to give and may expect.
//!
//! A [`Path`] is a way through one use case and those that it includes. A [`Scenario`] is a path that some objects can take: its
//! [`Diagram`] has the objects, [`Scenario::assignments`] their values, [`Scenario::needs`] when it can be taken, and [`Scenario::sets`] what
//! it changes.
//!
//! Everything that a scenario says of values is *ground*: it speaks of single [`Slot`]s, not of classes.

use super::{Binary, StepRef, Unary};
use crate::{
    AssociationId, AttributeId, ClassId, ConstraintId, FlowId, IdVec, ObjectId, ScenarioId,
    SentenceId, UseCaseId, Value,
};

/// What was found out about the paths of a folder.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scenarios {
    /// The scenarios, in the order of use cases and flows that they were found for.
    pub scenarios: IdVec<ScenarioId, Scenario>,
    /// What no scenario covers, and why.
    pub uncovered: Vec<Uncovered>,
    /// How often a step may happen on a path: a loop has at most so many rounds.
    pub rounds: u32,
    /// How many objects of a class are tried at most, where nothing says how many there are.
    pub objects: u32,
}

/// A way through a use case, from its precondition to its end.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Path {
    /// The use case that it begins with; no other includes it.
    pub use_case: UseCaseId,
    /// What happens, in order. A condition that was asked and did not hold is a step, too, also that of a flow that was not taken.
    pub steps: Vec<PathStep>,
}

/// A step of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PathStep {
    /// How many use cases include the one of this step, on this path; 0 in the use case that the path begins with.
    pub depth: u32,
    /// The use case of the step.
    pub use_case: UseCaseId,
    /// The step itself.
    pub at: StepRef,
    /// What came of the step.
    pub outcome: Outcome,
}

/// What came of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Outcome {
    /// It is no condition.
    Done,
    /// Its condition holds. For a use case that extends this one: its precondition holds, and it follows.
    Holds,
    /// Its condition does not hold. For a use case that extends this one: it does not happen.
    Fails,
}

/// Something that paths should cover.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Objective {
    /// The flow is taken to its end.
    Flow(UseCaseId, FlowId),
    /// A condition comes out so.
    Branch(UseCaseId, StepRef, Outcome),
}

/// Something that no scenario covers.
#[derive(Clone, Debug, PartialEq)]
pub struct Uncovered {
    /// What should be covered.
    pub objective: Objective,
    /// Why it is not.
    pub why: Why,
}

/// Why something is not covered.
#[derive(Clone, Debug, PartialEq)]
pub enum Why {
    /// Each path to it contradicts itself. This is what contradicts on the shortest one: without any of these claims, the others can hold.
    Contradiction {
        /// The shortest path.
        path: Path,
        /// What can not hold together.
        claims: Vec<Claim>,
    },
    /// A limit ended the search.
    Limit(String),
    /// The solver did not know.
    Unknown(String),
}

/// Something that is claimed to hold or not to hold at a point of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Claim {
    /// What is claimed.
    pub what: Claimed,
    /// Whether it holds.
    pub holds: bool,
    /// After how many steps of the path it is claimed.
    pub at: u32,
}

/// What can be claimed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Claimed {
    /// A sentence of the text.
    Sentence(SentenceId),
    /// An invariant of the domain model.
    Invariant(ConstraintId),
    /// The attribute is within the range that the settings or its type give it.
    Range(AttributeId),
}

/// A path with objects and values that take it.
#[derive(Clone, Debug, PartialEq)]
pub struct Scenario {
    /// Its name, a legal identifier of the modelling language that no other scenario has.
    pub name: String,
    /// The way.
    pub path: Path,
    /// What it covers that no earlier one does.
    pub covers: Vec<Objective>,
    /// The objects.
    pub diagram: Diagram,
    /// Values of attributes that matter: inputs in the order in which they are given, then state, then outputs.
    pub assignments: Vec<Assignment>,
    /// When it can be taken, with the inputs that it has: all of these. They speak of values before it begins, and of no input.
    pub needs: Vec<Need>,
    /// What it changes, each slot once. The right sides speak of values before it begins, and of no input.
    pub sets: Vec<Set>,
    /// Sentences on the path that have no constraint yet: nobody knows whether they hold.
    pub open: Vec<SentenceId>,
}

/// Objects and what belongs together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Diagram {
    /// The objects.
    pub objects: IdVec<ObjectId, Object>,
    /// Which of them are linked.
    pub links: Vec<Link>,
}

/// An object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Object {
    /// Its class, which is not abstract.
    pub class: ClassId,
    /// The name of its class, with a number if the class has several objects: `Filter2`.
    pub name: String,
}

/// Two objects that an association links.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Link {
    /// The association.
    pub association: AssociationId,
    /// The objects at its ends.
    pub ends: [ObjectId; 2],
}

/// The attribute of one object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Slot {
    /// The object.
    pub object: ObjectId,
    /// One of the attributes of its class.
    pub attribute: AttributeId,
}

/// A value that a scenario gives to an attribute, needs, or leaves behind.
#[derive(Clone, Debug, PartialEq)]
pub struct Assignment {
    /// Whose value it is.
    pub slot: Slot,
    /// How people call it: `TemperatureSensor.value`.
    pub name: String,
    /// The value.
    pub value: Value,
    /// Who sees to it.
    pub kind: AssignmentKind,
    /// The sentences that it is there for: of the input step, of conditions that read it, or of effects that write it.
    pub because: Vec<SentenceId>,
}

/// Who sees to a value (section VI-A of the TAUC paper).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AssignmentKind {
    /// The tester gives it before the scenario begins, since no automaton keeps it and no scenario changes it.
    Setup,
    /// The tester gives it in an input step.
    Input,
    /// It is so before the scenario begins.
    State,
    /// The scenario makes it so.
    Output,
}

/// A condition on the state before a scenario.
#[derive(Clone, Debug, PartialEq)]
pub struct Need {
    /// The claim that it comes from.
    pub claim: Claim,
    /// What must be true.
    pub condition: Ground,
}

/// What a scenario does to a slot.
#[derive(Clone, Debug, PartialEq)]
pub struct Set {
    /// What is changed.
    pub slot: Slot,
    /// What it becomes.
    pub to: Ground,
    /// The sentences that say so.
    pub because: Vec<SentenceId>,
}

/// An expression over slots.
#[derive(Clone, Debug, PartialEq)]
pub enum Ground {
    /// A value.
    Constant(Value),
    /// What a slot holds.
    Slot(Slot),
    /// An operator with one operand.
    Unary(Unary, Box<Ground>),
    /// An operator with two operands.
    Binary(Binary, Box<Ground>, Box<Ground>),
    /// Whether all are true; true if there is none.
    All(Vec<Ground>),
    /// Whether at least one is true; false if there is none.
    Any(Vec<Ground>),
    /// The second if the first is true, otherwise the third.
    If(Box<[Ground; 3]>),
}

impl Ground {
    /// The truth value that it is, if it is a constant one.
    #[must_use]
    pub fn truth(&self) -> Option<bool> {
        match self {
            Ground::Constant(Value::Bool(it)) => Some(*it),
            _ => None,
        }
    }

    /// The slots that it reads, each once, in order.
    #[must_use]
    pub fn slots(&self) -> Vec<Slot> {
        let mut found = Vec::new();
        self.visit(&mut |slot| {
            if !found.contains(&slot) {
                found.push(slot);
            }
        });
        found
    }

    fn visit(&self, see: &mut impl FnMut(Slot)) {
        match self {
            Ground::Constant(_) => {}
            Ground::Slot(slot) => see(*slot),
            Ground::Unary(_, of) => of.visit(see),
            Ground::Binary(_, left, right) => {
                left.visit(see);
                right.visit(see);
            }
            Ground::All(parts) | Ground::Any(parts) => {
                parts.iter().for_each(|part| part.visit(see));
            }
            Ground::If(parts) => parts.iter().for_each(|part| part.visit(see)),
        }
    }
}

impl Scenario {
    /// The flows that it goes through, each once, in the order in which they begin.
    #[must_use]
    pub fn flows(&self) -> Vec<(UseCaseId, FlowId)> {
        let mut found = Vec::new();
        for step in &self.path.steps {
            // The condition of a flow that was not taken is not part of the way.
            let flow = (step.use_case, step.at.flow);
            if step.outcome != Outcome::Fails && !found.contains(&flow) {
                found.push(flow);
            }
        }
        found
    }

    /// The assignments of a kind, in order.
    pub fn assigned(&self, kind: AssignmentKind) -> impl std::iter::Iterator<Item = &Assignment> {
        self.assignments.iter().filter(move |it| it.kind == kind)
    }
}
