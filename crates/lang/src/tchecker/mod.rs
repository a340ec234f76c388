//! TChecker's file format: reader and writer.
//!
//! The format describes a flat network directly: processes with locations and edges, clocks and
//! bounded integers (single or in arrays), events, and vectors of processes that move together.
//! [`read`] gives a [`Network`]; [`write`] prints a network that says nothing else. For other
//! networks there is [`to_vectors`](crate::convert::to_vectors).
//!
//! # What the format means
//!
//! Found in TChecker's documentation and its source; an engine has to follow these rules.
//!
//! - **Events and vectors.** An event of a process that occurs in some vector (of two or more)
//!   together with that process happens only in such vectors. Any other event of the process
//!   happens alone. The same event can be alone in one process and synchronised in another.
//! - **Strong and weak.** A vector can happen where every strong participant has an edge with
//!   its event from its present location. A weak participant takes part if and only if it has
//!   such an edge; what its guard says is not looked at for that. So an edge of a weak
//!   participant with a false guard would block the vector, it would not stay out. TChecker
//!   refuses guards (except constant ones) on edges of weakly synchronised events for this
//!   reason, and so does the reader. A vector of weak participants only needs at least one of
//!   them. Several edges of one participant give several transitions.
//! - **Order.** First all guards are checked in the state before the transition, then the
//!   statements of the participants are executed in the order in which the *vector* lists them,
//!   then the invariants of all locations are checked, those of processes that did not move
//!   included.
//! - **Committed and urgent.** Time stands still while any process is in a committed or urgent
//!   location. While any process is in a committed location, a transition needs at least one
//!   participant whose source location is committed. A weak participant that stays out does not
//!   count.
//! - **Ranges.** Each assignment checks its value at once, also of variables that are assigned
//!   again later in the same statement list; intermediate results of expressions are not
//!   checked. According to the documentation, a transition with a value out of range is not
//!   possible, and [`RangePolicy::Disable`](punctual_model::RangePolicy) says that. (The program
//!   itself, at the time of writing, stops with an error instead.) An index out of bounds is a
//!   fatal error in both.
//! - **Conjunctions** are evaluated from the left and stop at the first that is false.
//! - **Start.** All combinations of initial locations whose invariants hold, all clocks at 0.
//! - **Labels.** A state has the labels of all its locations.
//! - **Clocks** can be set to `e`, `y` or `e + y` for an integer `e` and a clock `y`. In a network
//!   these are [`SetClock`](punctual_model::Expr::SetClock) with an integer, with
//!   [`Clock`](punctual_model::Expr::Clock), or with the double sum of
//!   [`ToDouble`](punctual_model::Expr::ToDouble) and `Clock`, in this order.
//!
//! Not here: the name of the system, which a network has no place for.

mod build;
mod expr;
mod lines;
mod statements;
mod sync;
mod syntax;
mod write;

use punctual_model::Network;

pub(crate) use build::function_name;
pub use write::{write, write_named};

use crate::{SourceFile, Span, diagnostic::Diagnostics};

/// Words that are better no names: those of declarations and of statements.
pub(crate) const RESERVED: [&str; 16] = {
    let mut words = [""; 16];
    let mut i = 0;
    while i < 8 {
        words[i] = lines::KEYWORDS[i];
        words[i + 8] = syntax::WORDS[i];
        i += 1;
    }
    words
};

/// Reads a file. All errors are reported at once; the result is there if there are none.
pub fn read(file: &SourceFile, diagnostics: &mut Diagnostics) -> Option<Network> {
    let errors = diagnostics.error_count();
    let declarations = lines::declarations(file, diagnostics);
    let end = Span::new(file.text.len(), file.text.len());
    let network = build::build(&declarations, end, diagnostics);
    network.filter(|_| diagnostics.error_count() == errors)
}
