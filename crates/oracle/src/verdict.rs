//! What an oracle says.

use std::fmt;

/// What an oracle says of a trace. Running out of time, or crashing, is never a pass.
#[must_use]
#[derive(Clone, PartialEq, Debug)]
pub enum Verdict<D> {
    /// Everything that was seen is allowed.
    Pass,
    /// Nothing can be said about the system.
    Inconclusive(D),
    /// The system did what it must not do.
    Fail(D),
}

/// Why a verdict is not a pass.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Cause {
    /// An output is allowed later.
    TooEarly,
    /// An output was allowed earlier.
    TooLate,
    /// An output had to come, and did not.
    Missing,
    /// An output is allowed with other values only.
    WrongValue,
    /// An output is not allowed, sooner or later.
    WrongOutput,
    /// The specification does not say what follows an input.
    NotSpecified,
    /// The environment may not send an input, or not then.
    OutsideEnvironment,
    /// The environment does not accept an output.
    NotAccepted,
    /// The environment had to do something, and did not in time.
    TesterLate,
    /// The model is in error.
    ModelError,
    /// The model may be in too many states to be followed.
    TooManyStates,
    /// More time passed at once than can be followed.
    TooLong,
    /// No change of inputs that tolerances allow explains the outputs.
    Unexplained,
    /// The outputs are explained only by changes of inputs beyond a budget.
    OverBudget,
    /// The outputs are explained only by changing an input in both directions.
    Unsteady,
    /// A limit ended a search before anything was found.
    SearchLimit,
    /// A solver did not decide, or is missing.
    Solver,
    /// The oracle contradicts itself.
    OracleError,
}

impl Cause {
    /// Whether the system is to blame.
    #[must_use]
    pub fn is_failure(self) -> bool {
        matches!(
            self,
            Cause::TooEarly
                | Cause::TooLate
                | Cause::Missing
                | Cause::WrongValue
                | Cause::WrongOutput
                | Cause::Unexplained
                | Cause::OverBudget
                | Cause::Unsteady
        )
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Cause::TooEarly => "too early",
            Cause::TooLate => "too late",
            Cause::Missing => "missing output",
            Cause::WrongValue => "wrong value",
            Cause::WrongOutput => "wrong output",
            Cause::NotSpecified => "input without specification",
            Cause::OutsideEnvironment => "input outside of the environment model",
            Cause::NotAccepted => "output that the environment model does not accept",
            Cause::TesterLate => "tester too late",
            Cause::ModelError => "error of the model",
            Cause::TooManyStates => "too many states",
            Cause::TooLong => "too long a time",
            Cause::Unexplained => "output without explanation",
            Cause::OverBudget => "explanation beyond the budget",
            Cause::Unsteady => "explanation in both directions",
            Cause::SearchLimit => "limit of the search",
            Cause::Solver => "solver without an answer",
            Cause::OracleError => "error of the oracle",
        })
    }
}

impl<D> Verdict<D> {
    /// Whether it is a pass.
    #[must_use]
    pub fn is_pass(&self) -> bool {
        matches!(self, Verdict::Pass)
    }

    /// Whether it is a fail.
    #[must_use]
    pub fn is_fail(&self) -> bool {
        matches!(self, Verdict::Fail(_))
    }
}
