//! What is said of a run, and why: one list for all oracles, records and exit codes.

use std::fmt;

/// What is said of a run. The worse one is the greater one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Verdict {
    /// Everything that was seen is allowed.
    Pass,
    /// Nothing can be said about the system.
    Inconclusive,
    /// The system did what it must not do.
    Fail,
}

impl Verdict {
    /// Its word in records and JSON: `pass`, `inconclusive`, `fail`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Pass => "pass",
            Verdict::Inconclusive => "inconclusive",
            Verdict::Fail => "fail",
        }
    }

    /// The verdict of a word in a record.
    #[must_use]
    pub fn named(name: &str) -> Option<Verdict> {
        [Verdict::Pass, Verdict::Inconclusive, Verdict::Fail]
            .into_iter()
            .find(|it| it.name() == name)
    }

    /// Its word for people: `PASS`, `INCONCLUSIVE`, `FAIL`.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Verdict::Pass => "PASS",
            Verdict::Inconclusive => "INCONCLUSIVE",
            Verdict::Fail => "FAIL",
        }
    }
}

/// Declares the causes: the variant, its word in records, its words for people, and whether the system
/// is to blame.
macro_rules! causes {
    ($($(#[$doc:meta])* $name:ident, $code:literal, $words:literal, $fails:literal;)*) => {
        /// Why a verdict is not a pass.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum Cause {
            $($(#[$doc])* $name,)*
        }

        impl Cause {
            /// All causes.
            pub const ALL: &'static [Cause] = &[$(Cause::$name,)*];

            /// Its word in records and JSON: `too_early`.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self {
                    $(Cause::$name => $code,)*
                }
            }

            /// Whether the system is to blame.
            #[must_use]
            pub fn is_failure(self) -> bool {
                match self {
                    $(Cause::$name => $fails,)*
                }
            }
        }

        impl fmt::Display for Cause {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(match self {
                    $(Cause::$name => $words,)*
                })
            }
        }
    };
}

causes! {
    /// An output is allowed later.
    TooEarly, "too_early", "too early", true;
    /// An output was allowed earlier.
    TooLate, "too_late", "too late", true;
    /// An output had to come, and did not.
    Missing, "missing", "missing output", true;
    /// An output, or a variable that was read, is allowed with other values only.
    WrongValue, "wrong_value", "wrong value", true;
    /// An output is not allowed, sooner or later.
    WrongOutput, "wrong_output", "wrong output", true;
    /// A property that a program claims does not hold.
    Violated, "violated", "violated property", true;
    /// The outputs of a step are none that the synchronous model can have, within the tolerances.
    Unexplained, "unexplained", "outputs that the model can not have", true;
    /// The outputs of a step are explained only by changes that cost more than the policy allows.
    OverBudget, "over_budget", "explained only beyond the budget", true;
    /// The outputs of a step are explained only if an input is changed in both directions.
    Unsteady, "unsteady", "explained only by unsteady changes", true;
    /// The outputs of a step are explained only by changes that are not held until they show, and nobody said what these are worth.
    NotHeld, "not_held", "explained only by changes that are not held until they show", false;
    /// The system sent what its interface does not have.
    UnknownOutput, "unknown_output", "unknown output", true;
    /// The system ended, or closed its connection.
    Crash, "crash", "crash", true;
    /// The system stopped answering.
    Hang, "hang", "hang", true;
    /// The system sent more than anybody can follow.
    Flood, "flood", "flood of outputs", true;
    /// The system sent what can not be read, or broke the rules of the protocol.
    BrokenProtocol, "broken_protocol", "broken protocol", true;
    /// The system itself said that something is wrong.
    Reported, "reported", "error that the system reported", true;
    /// The specification does not say what follows an input.
    NotSpecified, "not_specified", "input without specification", false;
    /// Some states that the system may have been in refuse an input, and only a system that was in one of them could
    /// have done what was seen later.
    Refused, "refused", "input that may not have been taken", false;
    /// Something was seen that is allowed, but not what a case expects: the test did not go where it should.
    NotExpected, "not_expected", "allowed, but not expected", false;
    /// The environment may not send an input, or not then.
    OutsideEnvironment, "outside_environment", "input outside of the environment model", false;
    /// The environment does not accept an output.
    NotAccepted, "not_accepted", "output that the environment model does not accept", false;
    /// The environment had to do something, and did not in time; or the machine was too late to tell.
    TesterLate, "tester_late", "tester too late", false;
    /// The model is in error, or has no step.
    ModelError, "model_error", "error of the model", false;
    /// The model may be in too many states to be followed.
    TooManyStates, "too_many_states", "too many states", false;
    /// Following the model took so long that the tester could not keep up with the system.
    TooSlow, "too_slow", "model that takes too long to follow", false;
    /// More time passed at once than can be followed.
    TooLong, "too_long", "too long a time", false;
    /// A search for an explanation was ended by its limits.
    SearchLimit, "search_limit", "search ended by its limits", false;
    /// A solver did not decide, or there is none.
    Solver, "solver", "solver without an answer", false;
    /// An oracle contradicts itself: an error of this tool.
    OracleError, "oracle_error", "error of the oracle", false;
    /// The user ended the run.
    Stopped, "stopped", "stopped", false;
    /// What a run was made for could not be expected any more. It is why a run ended, and no verdict.
    Left, "left", "left early", false;
    /// The record of the run ends before its verdict.
    Cut, "cut", "record that was cut", false;
    /// Anything else; also what another version of the tool wrote.
    Other, "other", "other reasons", false;
}

impl Cause {
    /// The cause of a word in a record; [`Cause::Other`] if it is not known.
    #[must_use]
    pub fn named(name: &str) -> Cause {
        Cause::ALL.iter().copied().find(|it| it.name() == name).unwrap_or(Cause::Other)
    }

    /// The verdict that follows from it.
    #[must_use]
    pub fn verdict(self) -> Verdict {
        if self.is_failure() { Verdict::Fail } else { Verdict::Inconclusive }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_records_are_read_back() {
        for cause in Cause::ALL {
            assert_eq!(Cause::named(cause.name()), *cause);
        }
        assert_eq!(Cause::named("something new"), Cause::Other);
        for verdict in [Verdict::Pass, Verdict::Inconclusive, Verdict::Fail] {
            assert_eq!(Verdict::named(verdict.name()), Some(verdict));
        }
        assert!(Verdict::Pass < Verdict::Inconclusive && Verdict::Inconclusive < Verdict::Fail);
    }
}
