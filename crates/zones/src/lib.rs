//! Sets of clock valuations: difference bound matrices, federations, extrapolation.
//!
//! Start at [`Zone`]: a non-empty set of valuations in canonical form, with the operations that a
//! step of a timed automaton needs. [`ZoneRef`] is a zone that lies somewhere else, such as in a
//! [`ZoneArena`], and has all the operations that only read. [`Federation`] is a finite union of
//! zones, [`MinimalZone`] a zone in few words, [`Point`] one exact valuation.
//!
//! Everything is exact: bounds are integers with "less" or "less or equal" ([`Bound`]), points are
//! rational, and no result is ever an approximation, except where extrapolation is asked for. Bounds
//! have constants below 2^29; an operation that would need a larger one panics and does not wrap.
//! Constants of a model should stay well below: a zone of n clocks whose constants are at most c can
//! get bounds up to n · c, and clocks that are never reset grow until they are extrapolated.
//!
//! Not here: what a clock means, and which bounds to extrapolate with. Those depend on the automaton.
//!
//! ```
//! use punctual_zones::{Bound, LuBounds, Zone};
//!
//! // From x = y = 0, wait, take an edge with guard `2 <= x < 5` that resets y, and wait again.
//! let mut zone = Zone::zero(2);
//! zone.up();
//! assert!(zone.constrain(1, 0, Bound::lt(5)) && zone.constrain(0, 1, Bound::le(-2)));
//! zone.reset(2, 0);
//! zone.up();
//! assert_eq!(zone.display(&["x", "y"]).to_string(), "x - y in [2, 5)");
//!
//! // Nothing compares x with more than 1, nor y with more than 3.
//! zone.extra_lu_plus(LuBounds::both(&[0, 1, 3]));
//! assert_eq!(zone.display(&["x", "y"]).to_string(), "x > 1");
//! ```

mod arena;
mod bound;
mod combine;
mod delay;
mod extrapolate;
mod federation;
mod image;
mod matrix;
mod minimal;
mod packed;
mod point;
mod print;
mod relation;
mod sample;
mod simulation;
mod subtract;
mod view;
mod zone;

pub use arena::{ZoneArena, ZoneId};
pub use bound::{Bound, Constraint};
pub use extrapolate::{LuBounds, NO_BOUND};
pub use federation::Federation;
pub use image::Source;
pub use minimal::MinimalZone;
pub use packed::Packing;
pub use point::Point;
pub use print::{FederationDisplay, ZoneDisplay};
pub use relation::Relation;
pub use view::{Limit, ZoneRef};
pub use zone::Zone;
