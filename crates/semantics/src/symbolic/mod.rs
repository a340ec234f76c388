//! Successors of sets of states: locations, variables, and a zone of clocks.
//!
//! [`Symbolic`] is a network compiled to tables; an [`Explorer`] has the working memory of one
//! thread and computes successors without allocating (rare rules excepted, see below). A symbolic
//! state is given and taken as a slice (the location of each process, then the integers) and a
//! [`Zone`](punctual_zones::Zone) over the [`Active`] clocks of its locations, after time has passed.
//!
//! The rules, one file each:
//! - `offers.rs`: which edges a process offers, with all values of its selects.
//! - `transitions.rs`: who moves together: internal edges, handshake, broadcast, sync vectors, CSP;
//!   committed locations.
//! - `fire.rs`: guards, updates in order, target invariants.
//! - `delay.rs`: whether and how far time passes: invariants, urgent locations and channels,
//!   stopped clocks.
//! - `avoid.rs`: waiting with obstacles, and what comes of it if nothing else happens.
//! - `enabled.rs`: where in a zone something can happen: priorities and deadlock.
//! - `predicate.rs`: the states that a query speaks of.
//! - `scope.rs`: looking at some of the transitions only, as an observer tells them apart.
//! - `extrapolate.rs`: coarser zones, of which there are finitely many, also with differences.
//!
//! Broadcast receivers with clock guards, priorities and clock guards on urgent channels cut zones
//! into pieces; these do allocate.
//!
//! Not here: storing and searching.

mod active;
mod avoid;
mod compile;
mod constraint;
mod delay;
mod diagonal;
mod enabled;
mod explorer;
mod extrapolate;
mod fire;
mod guide;
mod offers;
mod predicate;
mod record;
mod refuse;
mod scope;
mod transitions;

pub use active::Active;
pub use avoid::Wait;
pub use compile::Symbolic;
pub(crate) use compile::has_priorities;
pub use constraint::has_grown;
pub use diagonal::{diagonals, difference_bounds};
pub use explorer::{Explorer, Halt, Successor, Trouble};
pub use guide::Guide;
pub use predicate::Predicate;
pub use record::{Record, constraints};

/// Something that symbolic analysis can not treat.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refusal {
    /// The construct of the language, in words.
    pub construct: &'static str,
    /// Where the construct is, if it is at one place: `process Gate, location Free`.
    pub place: Option<String>,
}
