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
//! Not here: whether any values take a path.

mod control;
mod cursor;
mod walk;

pub use control::Machine;
pub use cursor::{Ask, Cursor, Stuck};
pub use walk::{Astray, Event, Happening, Walk, walk};

/// How far paths go, and how long they are looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// How often a step may happen on a path, for each way of including its use case; at least 1.
    pub visits: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self { visits: 2 }
    }
}
