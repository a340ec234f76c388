//! View types filled from what front-ends and engines say: the only part of this crate that knows
//! them.
//!
//! - [`outline`], [`program`], [`diagram`], [`interface`]: what is in a model, a synchronous program,
//!   a drawing, a test interface.
//! - [`answers`], [`estimates`], [`trace`]: what the checker says of a query, what runs by chance say,
//!   and runs with the names of everything.
//! - [`stepping`]: tests of synchronous programs that were run or made, and mutants.
//! - [`mutants`]: networks of timed automata with seeded faults.
//! - [`evidence`], [`expected`], [`calibration`]: what happened on a platform, what is to be expected of it, and what its delays are.
//! - [`timeline`]: one run on a platform.
//! - [`usecases`], [`derived`]: a folder of use cases, and the files of a model that was derived from one.
//! - [`suites`], [`testcode`]: suites of timed cases that were made, and files of test code.
//!
//! Not here: how a view is shown. Whatever draws or prints takes [`view`](crate::view) types alone.

pub mod answers;
pub mod calibration;
pub mod derived;
pub mod diagram;
pub mod estimates;
pub mod evidence;
pub mod expected;
pub mod interface;
pub mod matrix;
pub mod mutants;
pub mod oracles;
pub mod outline;
pub mod program;
pub mod repeated;
pub mod runs;
pub mod scenarios;
pub mod score;
pub mod steering;
pub mod stepping;
pub mod suites;
pub mod testcode;
pub mod timeline;
pub mod trace;
pub mod usecases;
