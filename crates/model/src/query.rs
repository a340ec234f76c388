//! Queries about a network.

use crate::{Expr, Frame, Number};

/// An expression over states, with its local memory.
#[derive(Clone, PartialEq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct StateExpr {
    /// The expression; a truth value where a predicate is asked for.
    pub expr: Expr,
    /// Its kind.
    pub number: Number,
    /// Its local memory.
    pub frame: Frame,
}

/// What a query asks.
#[derive(Clone, PartialEq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Property {
    /// `E<> p`
    ExistsFinally(StateExpr),
    /// `E[] p`
    ExistsGlobally(StateExpr),
    /// `A<> p`
    AlwaysFinally(StateExpr),
    /// `A[] p`
    AlwaysGlobally(StateExpr),
    /// `p --> q`
    LeadsTo(StateExpr, StateExpr),
    /// `sup{p}: e, f`
    Supremum {
        /// Where to look; everywhere if none.
        within: Option<StateExpr>,
        /// What to maximise: integers or clocks.
        of: Vec<StateExpr>,
    },
    /// `inf{p}: e, f`
    Infimum {
        /// Where to look; everywhere if none.
        within: Option<StateExpr>,
        /// What to minimise.
        of: Vec<StateExpr>,
    },
    /// `bounds{p}: e, f`
    Bounds {
        /// Where to look; everywhere if none.
        within: Option<StateExpr>,
        /// What to bound.
        of: Vec<StateExpr>,
    },
    /// `Pr[bound](path)`
    Probability {
        /// How far runs go.
        bound: RunBound,
        /// How many runs; the estimator decides if none.
        runs: Option<u32>,
        /// What a run must do.
        path: PathFormula,
    },
    /// `Pr[bound](path) >= p`
    Hypothesis {
        /// How far runs go.
        bound: RunBound,
        /// What a run must do.
        path: PathFormula,
        /// Whether the probability is at least or at most the threshold.
        comparison: Comparison,
        /// The threshold.
        threshold: f64,
    },
    /// `Pr[bound](path) >= Pr[bound](path)`
    Compare {
        /// The left side.
        left: (RunBound, PathFormula),
        /// Whether the left is at least or at most the right.
        comparison: Comparison,
        /// The right side.
        right: (RunBound, PathFormula),
    },
    /// `E[bound; runs](max: e)`
    Expectation {
        /// How far runs go.
        bound: RunBound,
        /// How many runs.
        runs: Option<u32>,
        /// The greatest value of each run counts, not the smallest.
        maximum: bool,
        /// What is measured.
        of: StateExpr,
    },
    /// `simulate[bound; runs]{e, f} : accepted : p`
    Simulate {
        /// How far runs go.
        bound: RunBound,
        /// How many runs.
        runs: u32,
        /// What is recorded.
        of: Vec<StateExpr>,
        /// Only runs that reach this state count.
        filter: Option<StateExpr>,
        /// Stop after this many runs that count.
        accepted: Option<u32>,
    },
    /// A form that is understood but not analysed, such as strategies.
    Unsupported {
        /// What it is, in the words of a user.
        construct: String,
    },
}

impl Property {
    /// Whether it is a matter of chance: answered by runs, not by a search.
    #[must_use]
    pub fn is_statistical(&self) -> bool {
        matches!(
            self,
            Property::Probability { .. }
                | Property::Hypothesis { .. }
                | Property::Compare { .. }
                | Property::Expectation { .. }
                | Property::Simulate { .. }
        )
    }
}

/// At least or at most.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[expect(missing_docs, reason = "the names say it")]
pub enum Comparison {
    AtLeast,
    AtMost,
}

/// How far a run goes.
#[derive(Clone, PartialEq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum RunBound {
    /// `[<=T]`: time.
    Time(f64),
    /// `[#<=N]`: transitions.
    Steps(u32),
    /// `[x<=T]`: until an expression (a clock, mostly) exceeds the value.
    Cost(StateExpr, f64),
}

/// What a run must do within its bound.
#[derive(Clone, PartialEq, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum PathFormula {
    /// `<> p`
    Finally(StateExpr),
    /// `[] p`
    Globally(StateExpr),
    /// `p U q`
    Until(StateExpr, StateExpr),
}
