//! What came of tests that a synchronous program ran, as text tells it.
//!
//! These types are also what `punctual run --json` prints: names of fields are a promise to scripts.

use serde::Serialize;

/// All that was found.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct Findings {
    /// Why it is no pass, as one word; null if it is one.
    pub cause: Option<String>,
    /// Variables that are not as the table of tests says.
    pub differences: Vec<Difference>,
    /// Steps without a result; they end their tests.
    pub failures: Vec<Failure>,
    /// The node that was run.
    pub node: String,
    /// What is claimed to hold always.
    pub properties: Vec<Property>,
    /// How long it took.
    pub seconds: f64,
    /// Steps that were taken.
    pub steps: usize,
    /// How many of them in a second.
    pub steps_per_second: f64,
    /// Tests that were run.
    pub tests: usize,
    /// Steps in which an assertion does not hold.
    pub unassumed: Count,
    /// `pass`, `fail`, or `inconclusive` if all that is wrong are the inputs of a test.
    pub verdict: String,
    /// Whether inputs were random, so that a broken assertion is nobody's fault and ends a test.
    #[serde(skip)]
    pub is_random: bool,
}

/// A variable that is not as the table says.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Difference {
    /// In which steps it differs.
    pub differs: Count,
    /// What the table says in the first of them.
    pub expected: String,
    /// What was computed instead.
    pub got: String,
    /// The variable.
    pub variable: String,
}

/// A step without a result.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Failure {
    /// Why there is none.
    pub reason: String,
    /// The step in its test, from zero.
    pub step: usize,
    /// The test, from zero.
    pub test: usize,
}

/// Something that is claimed to hold always.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Property {
    /// Its name.
    pub name: String,
    /// Steps in which it does not hold.
    pub violated: Count,
}

/// In how many steps something happened.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Count {
    /// The first of them; null if there is none.
    pub first: Option<Place>,
    /// How many.
    pub steps: usize,
}

/// A step of a test, both counted from zero.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Place {
    /// The step in its test.
    pub step: usize,
    /// The test.
    pub test: usize,
}
