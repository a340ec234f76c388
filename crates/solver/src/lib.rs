//! A typed term language, and sessions with an SMT solver.
//!
//! - `term.rs` and `build.rs`: [`Terms`] has each term once, and folds constants while building.
//! - `print.rs`: terms as SMT-LIB text; what is used more than once is defined once.
//! - `find.rs`: where the solver is. `process.rs`: a solver that runs, and the lines it writes. `running.rs`: all of them,
//!   to be ended at once. `bound.rs`: a solver that ends with who started it.
//! - `session.rs`: a [`Session`] asserts, asks and takes back; `minimise.rs` looks for least values.
//!
//! A solver is a program that reads SMT-LIB text from its standard input. This is the only crate that
//! starts one.
//!
//! **Invariant:** a solver that is slow, dies, hangs or babbles gives [`Answer::Unknown`] in bounded
//! time and leaves no process behind; the session goes on with a new one. Only a solver that can not
//! be started at all is an [`Error`].
//! **Invariant:** terms that were made since a [`Session::push`] are forgotten by its
//! [`Session::pop`], so a session that lasts does not grow.
//!
//! Not here: what terms are about.

mod bound;
mod build;
mod clock;
mod error;
mod find;
mod minimise;
mod parse;
mod print;
mod process;
mod running;
mod session;
mod term;

pub use bound::become_solver;
pub use error::{Answer, Error, Missing, Reason};
pub use find::Solver;
pub use minimise::Objective;
pub use running::end_all;
pub use session::{Limits, Session};
pub use term::{Rational, Sort, Term, Terms, Value};
