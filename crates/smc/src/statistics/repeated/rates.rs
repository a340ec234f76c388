//! Error rates of a suite, and their shares for its tests.

use super::super::{OutOfRange, inside_unit};

/// How often a test, or a whole suite, may be wrong.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Rates {
    /// The rate of false alarms: that something fails although all is as it should be.
    pub alpha: f64,
    /// The rate of misses: that something passes although it deviates as far as is stated.
    pub beta: f64,
}

impl Rates {
    /// The rates of each of `cases` independent cases so that a suite of them keeps these rates: that *any* right
    /// case fails, and that *any* case passes where all deviate. False alarms of a case are divided among its
    /// sequences that are judged apart, since these depend on each other.
    ///
    /// **Guarantee:** the rates of the suite are kept whatever the sequences of a case have to do with
    /// each other, as long as cases do not influence each other.
    ///
    /// # Errors
    /// If a rate is not strictly between 0 and 1.
    ///
    /// # Panics
    /// If there are no cases, or no sequences.
    pub fn divided(self, cases: u64, sequences: u64) -> Result<Self, OutOfRange> {
        assert!(cases > 0 && sequences > 0, "{cases} cases with {sequences} sequences");
        inside_unit("alpha", self.alpha)?;
        inside_unit("beta", self.beta)?;
        // `1 - (1 - rate)^(1 / cases)`, with all digits.
        let of_case = |rate: f64| -((-rate).ln_1p() / cases as f64).exp_m1();
        // To miss a case, each sequence that deviates must be missed. One may be the only one that
        // does, so it has the whole rate.
        Ok(Self { alpha: of_case(self.alpha) / sequences as f64, beta: of_case(self.beta) })
    }
}

/// The chance that any of several independent events happens.
#[must_use]
pub fn any(chances: impl IntoIterator<Item = f64>) -> f64 {
    let none: f64 = chances.into_iter().map(|chance| (-chance).ln_1p()).sum();
    -none.exp_m1()
}
