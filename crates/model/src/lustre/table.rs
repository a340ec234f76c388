//! Recorded steps.

use super::Value;
use crate::VarId;

/// Tests with the same columns.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    /// Which variable each column is.
    pub columns: Vec<VarId>,
    /// The tests, in order.
    pub tests: Vec<Test>,
}

/// The steps of a test; each has a value for every column.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Test {
    /// In order.
    pub steps: Vec<Vec<Value>>,
}
