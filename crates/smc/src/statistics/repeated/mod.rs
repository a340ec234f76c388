//! The verdict of a case that is repeated because its outcome is random.
//!
//! Each execution either shows what the case expects (a success) or does not. The model says how
//! often it should: a probability, or an interval where it was sampled. A [`Rule`] reads the counts
//! after each execution and says whether to go on, and otherwise whether the case passes.
//!
//! | question | type |
//! |---|---|
//! | go on, pass or fail? | [`Rule`]: [`Sequential`] (the default) or [`Paper`] |
//! | what of a case that is judged twice, by its outputs and with its unique sequence? | [`Case`] |
//! | which rates hold for a whole suite? | [`Rates`] |
//! | what will a rule say of a given system, and how soon? | [`Chart`], [`nested`]; beside something illegal [`nested_beside`], [`single_beside`] |
//! | how many executions does it take? | [`least_limit`], [`Chart::fails_within`] |
//! | does the system take turns? | [`dependence`]; by executions of any case [`dependence_together`] |
//! | how good could any rule be? | [`Optimum`] |
//!
//! A rule is a function of two counts: no clock, no randomness, no memory. Therefore all chances are
//! exact: [`Chart`] sums over the ways to reach each end.
//!
//! Not here: illegal outputs, which fail a case at once whatever the counts are; executions; where
//! the model's probability comes from.
//!
//! Follows Wang, Pastore & Briand 2018 (STUIOS), section 5.4, where it is [`Paper`]. The default rule is ours.

mod boundaries;
mod case;
mod certain;
mod chart;
mod dependence;
mod induction;
mod joint;
mod optimum;
mod paper;
mod plan;
mod rates;
mod search;
mod sequential;
mod together;

pub use case::Case;
pub use chart::{Chances, Chart};
pub use dependence::{Dependence, Pattern, dependence};
pub use joint::{nested, nested_beside, single_beside};
pub use optimum::{Bound, Optimum};
pub use paper::Paper;
pub use plan::{least_limit, runs_without_contrary};
pub use rates::{Rates, any};
pub use sequential::{Design, Sequential};
pub use together::{Executed, dependence_together};

/// The executions of a case at most, unless the user says otherwise.
pub const EXECUTIONS: u64 = 100;

/// The executions that a rule can be made for at most: its tables grow with the square.
pub const EXECUTIONS_MAX: u64 = 2000;

/// What a rule says of a case when it has seen enough.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Judgement {
    /// Whether the case passes; otherwise it fails.
    pub passes: bool,
    /// False if the executions ended before the evidence sufficed.
    pub reliable: bool,
}

impl Judgement {
    /// A pass that the evidence suffices for.
    pub const PASS: Self = Self { passes: true, reliable: true };

    /// A failure that the evidence suffices for.
    pub const FAIL: Self = Self { passes: false, reliable: true };
}

/// What a rule says after some executions.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Step {
    /// Execute the case again.
    Continue,
    /// The case is judged.
    Stop(Judgement),
}

/// When to stop repeating a case, and what to say then.
#[derive(Clone, PartialEq, Debug)]
pub enum Rule {
    /// The rule of the STUIOS paper.
    Paper(Paper),
    /// The sequential test with exact error rates.
    Sequential(Sequential),
}

impl Rule {
    /// What to do after `n` executions of which `k` succeeded.
    ///
    /// # Panics
    /// If there are more successes than executions, or more executions than the limit.
    #[must_use]
    pub fn step(&self, n: u64, k: u64) -> Step {
        match self {
            Self::Paper(rule) => rule.step(n, k),
            Self::Sequential(rule) => rule.step(n, k),
        }
    }

    /// The number of executions after which the rule always stops.
    #[must_use]
    pub fn limit(&self) -> u64 {
        match self {
            Self::Paper(rule) => rule.limit(),
            Self::Sequential(rule) => rule.limit(),
        }
    }

    /// Why the rule says what it says after `n` executions of which `k` succeeded, in one sentence.
    ///
    /// # Panics
    /// As [`Rule::step`].
    #[must_use]
    pub fn reason(&self, n: u64, k: u64) -> String {
        match self {
            Self::Paper(rule) => rule.reason(n, k),
            Self::Sequential(rule) => rule.reason(n, k),
        }
    }

    /// What a judgement is worth, in one sentence.
    #[must_use]
    pub fn guarantee(&self) -> String {
        match self {
            Self::Paper(rule) => rule.guarantee(),
            Self::Sequential(rule) => rule.guarantee(),
        }
    }

    /// The exact chances of all that this rule can say.
    #[must_use]
    pub fn chart(&self) -> Chart {
        Chart::new(self.limit(), |n, k| self.step(n, k))
    }
}

impl From<Paper> for Rule {
    fn from(rule: Paper) -> Self {
        Self::Paper(rule)
    }
}

impl From<Sequential> for Rule {
    fn from(rule: Sequential) -> Self {
        Self::Sequential(rule)
    }
}
