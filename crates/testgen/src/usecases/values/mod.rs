//! Values for paths of use cases: objects that can take a path, or why there are none.
//!
//! What an event of a path does to values is said in `versions.rs`; what constraints mean, in `ground.rs`. [`Solving`] asks a solver, and hands out nothing that [`run`] has not taken step by step.
//!
//! - `objects.rs`, `counts.rs`: objects and possible links of a domain. `form.rs`: expressions over values that are not known.
//! - `ground.rs`: constraints over objects. `inputs.rs`: what an input step gives. `versions.rs`, `effects.rs`: values along a path.
//! - `terms.rs`, `line.rs`: a path in a dialogue with a solver. `choose.rs`, `weaken.rs`, `draw.rs`: which of the possible values are taken.
//! - `check.rs`, `assign.rs`: a solution is checked, and told as others see it. `contradiction.rs`: what can not hold together.
//! - [`evaluate`], [`run`]: constraints and paths on values that are there. They share nothing with the rest.
//!
//! Each concrete class has one object, or as many as multiplicities ask for. If a path is not possible with them, classes that constraints reach by ends to many or by
//! `allInstances` get up to three: each combination if these are up to two classes, otherwise all of them alike.
//!
//! Links are constant along a path. An association without a limit at either end links everything, so that the errors of a system are all errors, unless an invariant or a condition alone
//! would be impossible then (a queue that is empty). Other links are chosen.
//!
//! Not here: which paths there are.

mod assign;
mod check;
mod choose;
mod contradiction;
mod counts;
mod draw;
mod effects;
pub mod evaluate;
mod form;
mod ground;
mod inputs;
mod line;
mod objects;
pub mod run;
mod solve;
mod terms;
mod versions;
mod weaken;

use std::collections::BTreeMap;

use punctual_model::{AttributeId, ClassId, Value};
use punctual_solver::Limits;

pub use solve::{Solution, Solving};

/// How values are chosen.
#[derive(Clone, Debug)]
pub struct Options {
    /// Where random inputs begin.
    pub seed: u64,
    /// Whether inputs are the least or the greatest that are possible, in turn, and not random.
    pub boundaries: bool,
    /// What attributes of classes hold at first; subclasses have it, too, if nothing is said of them.
    pub initial: BTreeMap<(ClassId, AttributeId), Value>,
    /// What the solver may use.
    pub limits: Limits,
    /// How many objects of a class are tried at most, where nothing says how many there are.
    pub objects: u32,
}

/// So many objects of a class are tried if nothing is said.
pub(super) const OBJECTS: u32 = 3;

impl Default for Options {
    fn default() -> Options {
        Options {
            seed: 0,
            boundaries: false,
            initial: BTreeMap::new(),
            limits: Limits::default(),
            objects: OBJECTS,
        }
    }
}
