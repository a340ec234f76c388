//! Suites of timed cases, made of a model before anything runs.
//!
//! ```text
//! Specification ─▶ World ─▶ goals ─ cover (reach, in slices) ─▶ Runs ─ Diverse ─▶ Runs ─ Deriver ─▶ Cases
//! ```
//! - `world.rs`: the whole network, compiled, and who decides about each of its steps. `walk.rs`: paths through it, step by step,
//!   with whole instants in the end: late where the system decides, early where the tester does.
//! - `goal.rs`: what is to be covered. `reach.rs`: the shortest path to a goal, searched in the processes that can influence it and
//!   taken by the whole network (`slice.rs`); `hush.rs`: an environment without what nobody listens to. `cover.rs`: runs that cover all goals.
//! - `refused.rs`: inputs that a right system may refuse; runs avoid them, and nothing is covered or checked behind one.
//! - `similarity.rs` (a pair of runs), `lanes.rs` (one with many), `diverse.rs` (a suite that gets more diverse), `order.rs`: section VIII of
//!   the TAUC paper (Wang, Pastore & Briand 2017).
//! - `first.rs`: scenarios before messages of the same instant. `derive.rs`: a run to a case, by what the specification allows after its inputs (section IX). `automaton.rs`: a case as a process
//!   beside the system (section X). `suite.rs`: all of it, from options to a suite.
//!
//! **Invariant:** a system that the specification allows never fails a case, whatever it chooses. **Invariant:** the same seed gives the
//! same suite.
//! Not here: text of suites, running them, judging.

mod automaton;
mod changes;
mod cover;
mod derive;
mod diverse;
mod expr;
mod first;
mod goal;
mod hush;
mod lanes;
mod order;
mod outputs;
mod pieces;
mod reach;
mod refused;
mod similarity;
mod slice;
mod suite;
mod walk;
mod world;
pub use automaton::{Beside, Unfit, beside, beside_within};
pub use changes::only_changes;
pub use cover::{Covering, Progress, Status, cover};
pub use derive::{Deriver, Requirements};
pub use diverse::{Diverse, Room, random};
pub use goal::{Criterion, Goal, Seen, covered, goals};
pub use reach::{Found, Limits, Target, extend};
pub use refused::known_parts;
pub use similarity::{Sequence, Similarity};
pub use suite::{Budget, DIVERSE_MAX, Made, Options, Phase, Trouble, make};
pub use walk::{Run, Taken, Wait, Walk};
pub use world::{Kind, Point, World};
