//! State estimates: all states that a component of a model may be in after what was observed.
//!
//! An [`Estimator`] is a component that somebody else completes: a network whose last process stands
//! for everything outside (see `split`). An [`Estimate`] follows one run of it: time passes
//! ([`Estimate::advance`]), signals are observed and locations and integers are read
//! ([`Estimate::observe`]), and hidden steps happen in between without anybody seeing them. It holds exactly the states that explain the observations,
//! up to what the component can not tell apart; there are none if nothing explains them.
//!
//! Instants are known on a grid ([`Interval`]): an observation happened at a point or somewhere between
//! two. One more clock tells the time since an origin that moves along. Zones are closed under
//! waiting, so what is known of the present is also what may still happen; nothing is computed twice
//! when time passes in small steps.
//!
//! When something may be observed is a *window*: [`Estimate::windows`] and [`Estimate::reading_windows`] from
//! the present on, through hidden steps; [`Hindsight`] since it was allowed first, whatever was observed
//! in between. What had to be observed before a deadline is *due* ([`Hindsight::due`]).
//!
//! Extrapolation spares the clock that tells the time, so it loses nothing: a coarser zone has the
//! same observations ahead, at the same instants.
//!
//! Follows Larsen, Mikucionis & Nielsen 2004 (T-UPPAAL). `DIFFERENCE(larsen04)`: the paper follows
//! system and environment together; components are followed apart here, which is the same as long as
//! they share nothing but observed signals, and much smaller. Test: `it::estimate`.
//!
//! States that refuse an input which others take are told apart: `refusals.rs`.
//!
//! [`Steps`] lists steps one by one, for whoever computes with their instants.
//!
//! [`Estimate::stands`] gives single points of the present, for whoever plans from there.
//!
//! [`Estimate::drift`] lets the component's clock be another than the observer's.
//!
//! [`Instants`] makes points of the grid of nanoseconds.
//!
//! Not here: what an empty estimate means (`oracle`), choices.

mod ahead;
mod displaced;
mod drift;
mod due;
mod estimator;
mod hindsight;
mod insert;
mod instants;
mod interval;
mod offers;
mod orders;
mod refusals;
mod scale;
mod set;
mod snapshot;
mod stands;
mod steps;
mod unseen;
mod windows;

pub use displaced::Clocks;
pub use due::{Due, Sent};
pub use estimator::{Estimator, Role};
pub use hindsight::{Hindsight, Queues, Windows};
pub use instants::Instants;
pub use interval::{End, Interval, united};
pub use offers::{Ahead, Offer, Shown};
pub use orders::Stuck;
pub use punctual_zones::Constraint;
pub use refusals::Refusing;
pub use scale::{divided, scaled};
pub use set::{Blocked, Estimate, Observation, Overflow, Told, What};
pub use snapshot::{Present, Snapshot};
pub use stands::Stand;
pub use steps::{Possible, Stay, Steps, Unlisted};
pub use windows::ValueWindows;
