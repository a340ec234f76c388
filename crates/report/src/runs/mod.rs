//! Runs: what their records say, as text, JUnit XML, JSON, VCD and HTML pages.
//!
//! Everything here is made of a record and of nothing else. What needs the gist only ([`text`],
//! [`table`], [`junit`], [`json`], [`index()`]) takes a [`Digest`](punctual_campaign::summary::Digest)
//! or many of them; what shows each event ([`vcd`], [`page()`]) a whole
//! [`Record`](punctual_campaign::store::Record). Pages also draw automata; the caller draws them from
//! the copy of the model that lies beside the record.
//!
//! Inputs are written `coin?` and outputs `coffee!`, as the specification of the system writes them.
//! Names and texts may be anything: all documents stay well-formed.
//!
//! Not here: judging. A verdict and its diagnosis are shown as they were recorded.

pub(crate) mod html;
mod index;
mod junit;
mod listing;
mod merged;
mod page;
mod ports;
mod repeated;
mod requirements;
mod shades;
mod steered;
mod summary;
mod text;
mod vcd;
mod words;

pub use crate::answers::Style;
pub use index::{Campaign, index};
pub use junit::{junit, junit_with};
pub use listing::{json, json_with};
pub use page::{Automaton, page, page_on};
pub use repeated::{rest, worst};
pub use steered::steered_text;
pub use summary::{outcome, table};
pub use text::{details, text};
pub use vcd::vcd;
pub use words::{headline, quoted};
