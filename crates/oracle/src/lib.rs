//! Judges what systems do.
//!
//! An [`Oracle`] watches a run, event by event, and says in the end what is to be said of the system
//! ([`Judgement`]), with a reason ([`Finding`]) whose [`Cause`] comes from one list. There are several, and
//! they can watch a run together ([`All`]: the worst verdict counts):
//!
//! - [`conformance`]: timed automata (rtioco). Follows all states that a network may be in.
//! - [`expectations`]: the checks of a case of a suite, or the outputs that its table of steps expects.
//! - [`synchronous`]: a Lustre model, step by step, exactly.
//! - [`adjusted`]: the same on a platform whose delays are taken out of what was seen.
//! - [`arrivals`]: the same by all that the delays of a platform allow; [`excuses`] says which of them are used too often.
//! - [`deadlines`]: requirements between what is set and what is seen outside of a platform; [`automaton`]: the same, as timed automata.
//! - [`steering`]: a Lustre model whose inputs may be changed, within tolerances, to explain a system.
//!
//! [`Referee`] is what every run goes through, live or recorded: the same calls in the same order, so
//! that a replay has the verdict of the live run.
//!
//! Always holds: what chooses the next stimulus never judges the response (`testgen` is not known here).
//! Not here: systems, files, wall time.

pub mod adjusted;
pub mod arrivals;
pub mod automaton;
pub mod conformance;
pub mod deadlines;
pub mod excuses;
pub mod expectations;
mod judge;
mod judgement;
mod referee;
pub mod steering;
pub mod synchronous;

pub use judge::{All, Cadence, Environment, Finding, Interaction, Oracle, Sets};
pub use judgement::{Cause, Judgement};
pub use referee::{Ending, Judged, Referee};
