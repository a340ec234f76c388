//! What a path claims and changes, in order: the ground that values stand on.
//!
//! What holds of the happenings of a path:
//!
//! - [`Happening::at`] counts the steps of the path that come before it, as [`Claim::at`](punctual_model::usecases::Claim::at) does. It never falls. What belongs to a step has the index of that step; what
//!   follows from it (an included use case begins, a flow ends) has the next one.
//! - The first happenings are [`Event::Preconditions`] of the top use case, if it has any, and the begin of its basic flow. An included use case begins in the same way. An extension that
//!   happens has no such event: its preconditions are a [`Event::Condition`].
//! - A flow that begins with an `IF` begins behind this condition. Only conditions lie between.
//! - Each [`Event::FlowEnds`] is where the postconditions of that flow count, if it is whole: [`Event::Postconditions`] follows at once, if there are any.
//! - A prefix of a path has a prefix of its happenings.

use std::fmt;

use punctual_model::{
    FlowId, SentenceId, UseCaseId,
    usecases::{Action, Path, UseCases},
};

use super::{Cursor, Machine};

/// Something that happens on a path.
#[derive(Clone, Debug, PartialEq)]
pub struct Happening<'a> {
    /// After how many steps of the path it happens.
    pub at: u32,
    /// What happens.
    pub event: Event<'a>,
}

/// What may happen on a path.
#[derive(Clone, Debug, PartialEq)]
pub enum Event<'a> {
    /// A use case begins, and all of these hold. There is at least one.
    Preconditions(&'a [SentenceId]),
    /// A flow begins.
    FlowBegins {
        /// Its use case.
        use_case: UseCaseId,
        /// The flow.
        flow: FlowId,
    },
    /// It is asked whether all of these hold. There is at least one; several are preconditions of an extension.
    Condition {
        /// What is asked.
        sentences: &'a [SentenceId],
        /// True if all of them hold, false if at least one does not.
        holds: bool,
    },
    /// All of these happen at the same time: inputs, outputs and changes of the system (their sentences are effects), but no other use case. There is at least one.
    Act(Vec<&'a Action>),
    /// A flow ends: with its last step, with `ABORT`, or with `RESUME STEP`. Flows that were left do not end, nor do those that include a use case which aborts.
    FlowEnds {
        /// Its use case.
        use_case: UseCaseId,
        /// The flow.
        flow: FlowId,
        /// Which happening is its begin, if the path took it from there and never left it for an alternative flow. None if it was left or resumed.
        whole: Option<usize>,
    },
    /// What holds at the end of a flow that was taken as a whole: all of these. There is at least one.
    Postconditions {
        /// What holds.
        sentences: &'a [SentenceId],
        /// Which happening is the begin of the flow.
        began: usize,
    },
}

/// What happens on a path, or on the begin of one.
#[derive(Clone, Debug, PartialEq)]
pub struct Walk<'a> {
    /// What happens, in order.
    pub happenings: Vec<Happening<'a>>,
    /// True if the path is at its end: nothing may follow.
    pub has_ended: bool,
}

/// A step can not follow those before it, in these use cases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Astray {
    /// Which step of the path it is.
    pub step: usize,
}

impl fmt::Display for Astray {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "step {} of the path can not follow those before it", self.step + 1)
    }
}

impl std::error::Error for Astray {}

/// Says what happens on a path, or on the begin of one. Steps may happen any number of times.
///
/// # Errors
/// The first step that can not follow, if the path is not one of these use cases.
pub fn walk<'a>(all: &'a UseCases, path: &Path) -> Result<Walk<'a>, Astray> {
    let mut machine = Machine::new(all, None);
    let mut happenings = Vec::new();
    let astray = |step: usize| move |_| Astray { step };
    let mut cursor =
        Cursor::begin(&mut machine, path.use_case, &mut happenings).map_err(astray(0))?;
    for (index, step) in path.steps.iter().enumerate() {
        let ask = cursor.ask(&machine).ok_or(Astray { step: index })?;
        if ask.with(step.outcome) != *step || !ask.outcomes.contains(&step.outcome) {
            return Err(Astray { step: index });
        }
        cursor.advance(&mut machine, step.outcome, &mut happenings).map_err(astray(index))?;
    }
    Ok(Walk { happenings, has_ended: cursor.has_ended() })
}
