//! What a transition is made of.

use punctual_model::{EdgeId, ProcessId};

/// A process that takes an edge.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Move {
    /// The process.
    pub process: ProcessId,
    /// Its edge.
    pub edge: EdgeId,
    /// The branch of the edge.
    pub branch: usize,
    /// The values selected on the edge, then on the branch, in their order.
    pub selects: Vec<i32>,
}
