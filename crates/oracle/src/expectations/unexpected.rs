//! What is not as a case says.

use punctual_model::Cause;

/// What of a case is not as it says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A check of a timed case.
    Check,
    /// A step of a table.
    Step,
    /// An output that a timed case expects.
    Output,
}

impl Kind {
    /// Its word for people: `check`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Kind::Check => "check",
            Kind::Step => "step",
            Kind::Output => "output",
        }
    }
}

/// A check, a step or an output that is not as the case says.
#[derive(Clone, PartialEq, Debug)]
pub struct Unexpected {
    /// The number among the checks, steps or outputs of the case, from 0.
    pub number: usize,
    /// What it is.
    pub kind: Kind,
    /// The instant at which it was made, or known to be missing.
    pub at_ns: u64,
    /// What was seen, for people; nothing if the check was never made, or nothing similar came.
    pub seen: Option<String>,
    /// What was expected, for people; of an output also when.
    pub expected: String,
    /// What else was allowed, for people.
    pub allowed: Vec<String>,
    /// The requirement that it is about, if the case names one.
    pub requirement: Option<String>,
    /// The cause, from the list that all oracles share.
    pub cause: Cause,
    /// The input before it that the system may not have taken, for people; if that is why nobody is blamed.
    pub refused: Option<String>,
}

impl Unexpected {
    /// A step of a table that was not taken.
    pub(super) fn not_taken(number: usize, at_ns: u64) -> Unexpected {
        Unexpected {
            number,
            kind: Kind::Step,
            at_ns,
            seen: None,
            expected: String::new(),
            allowed: Vec::new(),
            requirement: None,
            cause: Cause::Stopped,
            refused: None,
        }
    }

    /// What is wrong, as a sentence.
    #[must_use]
    pub fn explain(&self) -> String {
        let Unexpected { number, expected, allowed, .. } = self;
        let about = self.requirement.as_ref().map_or(String::new(), |name| format!(" ({name})"));
        let alternatives = allowed.iter().map(|it| format!("`{it}`"));
        let or = match expected.is_empty() {
            true => alternatives.collect::<Vec<_>>().join(" or "),
            false => alternatives.fold(format!("`{expected}`"), |all, it| all + " or " + &it),
        };
        match (self.kind, self.cause, &self.seen) {
            (Kind::Output, Cause::Stopped, _) => format!(
                "Output {number}{about}: the run ended before it was clear whether {expected} comes."
            ),
            (Kind::Output, _, None) => {
                format!("Output {number}{about}: {expected} was expected, and did not come.")
            }
            (Kind::Output, _, Some(seen)) => {
                format!(
                    "Output {number}{about}: {expected} was expected, and did not come; {seen} did."
                )
            }
            (Kind::Check, Cause::NotExpected, Some(seen)) => format!(
                "Check {number}{about}: `{expected}` was expected; `{seen}` was seen, which is allowed."
            ),
            (Kind::Check, Cause::Refused, Some(seen)) => {
                let input = self.refused.as_deref().unwrap_or("an input");
                format!(
                    "Check {number}{about}: {or} was expected, `{seen}` was seen; the specification may not take \
                     `{input}`, which was sent before, and does not say what follows then."
                )
            }
            (Kind::Check, _, Some(seen)) => {
                format!("Check {number}{about}: {or} was expected, `{seen}` was seen.")
            }
            (Kind::Step, _, Some(seen)) => {
                format!("Step {number}: {or} was expected, `{seen}` was seen.")
            }
            (Kind::Step, _, None) => format!("Step {number} was not taken."),
            (Kind::Check, _, None) => {
                format!("Check {number}{about} was not made: {or} was expected.")
            }
        }
    }
}
