//! Use cases, their flows and steps.

use super::{Place, domain::Feature};
use crate::{ClassId, EnumerationId, FlowId, IdVec, SentenceId, StepId, UseCaseId};

/// A use case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UseCase {
    /// Its name, as its heading has it.
    pub name: String,
    /// Where its heading stands.
    pub place: Place,
    /// What it is about, for people; may be empty.
    pub description: String,
    /// What holds before it begins: all of these.
    pub preconditions: Vec<SentenceId>,
    /// Who starts it, if the text says so.
    pub primary_actor: Option<Phrase>,
    /// Who else takes part.
    pub secondary_actors: Vec<Phrase>,
    /// The use case that it specialises, by name; nothing is inherited from it.
    pub generalization: Option<String>,
    /// The basic flow, then the alternative flows in the order in which they are written. Flows of one kind are tried in this order.
    pub flows: IdVec<FlowId, Flow>,
}

impl UseCase {
    /// The basic flow.
    #[must_use]
    pub fn basic(&self) -> FlowId {
        self.flows.ids().next().expect("a use case has a basic flow")
    }

    /// The flow of which a step is a part, and the step.
    #[must_use]
    pub fn step(&self, at: StepRef) -> &Step {
        &self.flows[at.flow].steps[at.step]
    }

    /// The alternative flows that may begin at a step, in the order in which they are tried: global ones and bounded ones before the step itself,
    /// specific ones if the step is a condition that does not hold.
    #[must_use]
    pub fn flows_at(&self, at: StepRef) -> Vec<FlowId> {
        let of = |rank: u8| {
            self.flows.enumerate().filter(move |(_, flow)| match &flow.kind {
                FlowKind::Basic => false,
                FlowKind::Global(of) => rank == 0 && *of == at.flow,
                FlowKind::Bounded(steps) => rank == 1 && steps.contains(&at),
                FlowKind::Specific(step) => rank == 2 && *step == at,
            })
        };
        (0..3).flat_map(of).map(|(id, _)| id).collect()
    }
}

/// A step of some flow of the same use case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StepRef {
    /// The flow.
    pub flow: FlowId,
    /// A step of that flow.
    pub step: StepId,
}

/// A sequence of steps that a use case may take.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flow {
    /// How the text calls the flow: `2.1 Basic Flow`.
    pub title: String,
    /// Where the flow begins, and when.
    pub kind: FlowKind,
    /// Where its heading stands.
    pub place: Place,
    /// The steps, in the order of the text. A flow begins with the first one.
    pub steps: IdVec<StepId, Step>,
    /// What holds at its end, for paths that never left it: all of these.
    pub postconditions: Vec<SentenceId>,
}

/// Where a flow begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FlowKind {
    /// Where the use case begins.
    Basic,
    /// At a condition that does not hold. The flow is tried after those before it that begin at the same step.
    Specific(StepRef),
    /// Before any of these steps; the first step of the flow is an `IF`.
    Bounded(Vec<StepRef>),
    /// Before any step of another flow; the first step of this one is an `IF`.
    Global(FlowId),
}

/// What a flow goes on with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Next {
    /// Another step of the same flow.
    Step(StepId),
    /// The flow is at its end, and so is the use case. A use case that includes it goes on.
    End,
    /// No condition that the flow begins with holds: it is not taken, and the next one is tried.
    Declined,
}

/// A step of a flow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// Its number in the text. Numbers may have gaps, and one may be there twice.
    pub number: u32,
    /// Where the step stands.
    pub place: Place,
    /// What happens.
    pub kind: StepKind,
    /// What comes afterwards, if a condition holds or there is none. Nothing comes after `Abort` and `Resume`, whatever is written here.
    pub next: Next,
}

/// What happens in a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StepKind {
    /// Somebody acts. Several actions happen at the same time (`MEANWHILE`); there is at least one.
    Act(Vec<Action>),
    /// `VALIDATES THAT`: if the condition does not hold, specific flows of this step are tried. If there are none, it must hold.
    Validate(SentenceId),
    /// `IF` and `ELSEIF`, and `UNTIL`, which goes back if its condition does not hold. If an `IF` does not hold, its specific flows go first.
    Branch(Condition),
    /// `ELSE`, `ENDIF`, `DO`: a place in the text where nothing happens.
    Mark,
    /// `ABORT`: everything ends here, also use cases that include this one.
    Abort,
    /// `RESUME STEP`: another flow goes on with that step.
    Resume(StepRef),
}

/// A condition that chooses between two ways.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Condition {
    /// The condition.
    pub sentence: SentenceId,
    /// What comes next if the condition does not hold.
    pub otherwise: Next,
    /// True for `UNTIL`: `otherwise` leads back.
    pub is_loop: bool,
}

/// What somebody does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Action {
    /// The sentence of the action.
    pub sentence: SentenceId,
    /// The action itself.
    pub kind: ActionKind,
}

/// What is done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ActionKind {
    /// An actor gives data to the system, asked for or not. Without data, the sentence does not tell them.
    Input {
        /// Who gives them.
        actor: Phrase,
        /// What is given.
        data: Option<Phrase>,
    },
    /// The system gives data to an actor, asked for or not.
    Output {
        /// Who gets them.
        actor: Phrase,
        /// What is given.
        data: Phrase,
    },
    /// The system changes itself.
    Internal,
    /// Another use case happens here.
    Include(UseCaseId),
    /// Another use case happens here if its precondition holds.
    ExtendedBy(UseCaseId),
}

/// Words that name something of the domain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Phrase {
    /// The words, as they are written.
    pub text: String,
    /// What they may name in the domain model, the most likely first; empty if it has nothing of that name.
    pub meanings: Vec<Named>,
}

/// Something that has a name in a domain model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Named {
    /// A class.
    Class(ClassId),
    /// An enumeration.
    Enumeration(EnumerationId),
    /// An attribute, or an end of an association.
    Feature(Feature),
}
