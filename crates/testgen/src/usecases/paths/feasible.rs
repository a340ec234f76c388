//! What the search for paths asks about values.

use punctual_model::usecases::Path;

/// Whether there are values for something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Possible {
    /// There are, or it was not asked.
    Yes,
    /// There are none.
    No,
    /// Nobody knows; says why.
    Unknown(String),
}

/// Says which paths values can take.
pub trait Feasible {
    /// Whether values can take a path or the begin of one, from this happening on (see [`walk`](super::walk)). What happens before it does not count, and the values there are any
    /// that invariants and ranges allow; `from` 0 asks about all of it. No flow that ends whole behind `from` began before it.
    ///
    /// `No` must be right: a search that is told `No` everywhere reports a contradiction. If it is `No`, it is so for each longer path and for each earlier `from`. `Yes` for a `from` other than 0 is always right enough:
    /// it makes searches longer.
    fn possible(&mut self, path: &Path, from: usize) -> Possible;
}

/// Without values, each path is possible.
#[derive(Clone, Copy, Debug, Default)]
pub struct Anything;

impl Feasible for Anything {
    fn possible(&mut self, _: &Path, _: usize) -> Possible {
        Possible::Yes
    }
}
