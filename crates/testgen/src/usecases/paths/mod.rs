//! The ways through use cases.
//!
//! A path begins with a *top* use case: one that no other includes or is extended by. What follows is said by a [`Machine`]:
//!
//! - Before each step of a flow, its global flows are tried, then its bounded ones, each in the order of the text; then the step happens. `ELSE`, `ENDIF` and `DO` are
//!   steps, too. To try a flow is to ask the `IF` that it begins with; a flow that is declined costs one step of the path, with the outcome Fails.
//! - A `VALIDATES THAT` that does not hold: one of its specific flows is taken, in the order of the text. Without specific flows it must hold, and if each of them begins with an `IF`,
//!   one of these holds. An `IF` that does not hold: the same, but if all are declined, it goes on as it would without them.
//! - A flow that is already being tried is not tried again before its own first step.
//! - `RESUME STEP` goes on with a step as if the path had come there by itself: the flows of that step are tried again. A flow that is resumed at the `IF` that it begins with, and declined,
//!   is at its end.
//! - A step with several actions happens once. Use cases that it includes follow one after the other, then the next step. An extension is asked by a step of its own: Holds if all preconditions
//!   of the extension hold, and Fails otherwise; without preconditions it always happens. A step that has nothing but extensions has no other step on the path.
//! - `ABORT` ends the path.
//!
//! Each step happens at most [`Limits::visits`] times on a path, counted for each way of including its use case. Declined flows do not count, since they are asked before each step.
//!
//! [`walk`] turns a path into [`Happening`]s: what a path claims and changes, in order. Whoever gives values to a path starts there and need not know the rules above.
//!
//! [`cover`] looks for few and short paths that cover every flow and every branch ([`objectives`]), and asks [`Feasible`] which of them values can take. A flow is covered by a path that takes it from its begin to
//! its end and does not leave it for an alternative flow, since only then its postconditions count. Of all paths to an objective, one is taken
//! that takes the fewest alternative flows, and of these one with the fewest steps. What no path covers is told with the reason. [`scenarios`] does all of it with [`Values`].
//!
//! Not here: whether any values take a path.

mod control;
mod cover;
mod cursor;
mod distances;
mod feasible;
mod graph;
mod nogoods;
mod objectives;
mod scenarios;
mod search;
mod walk;

pub use control::Machine;
pub use cover::{Cover, CoveringPath, Missed, cover, covered};
pub use cursor::{Ask, Cursor, Stuck};
pub use feasible::{Anything, Feasible, Possible};
pub use objectives::objectives;
pub use scenarios::{Values, scenarios};
pub use walk::{Astray, Event, Happening, Walk, walk};

/// How far paths go, and how long they are looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// How often a step may happen on a path, for each way of including its use case; at least 1.
    pub visits: u32,
    /// How many begins of paths are looked at for each objective.
    pub expanded: u32,
    /// How many questions about values are asked for each objective, about; no further path is asked about then.
    pub asked: u32,
    /// How many points the use cases may have, counted for each way of including them.
    pub nodes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { visits: 2, expanded: 10_000, asked: 500, nodes: 200_000 }
    }
}
