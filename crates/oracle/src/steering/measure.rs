//! How good verdicts are, where somebody knows better (section 5.6).

/// What somebody says of a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Label {
    /// The test passes without steering.
    Pass,
    /// The system differs in its timing, acceptably.
    TimingWithinTolerance,
    /// The system differs in its timing too much.
    TimingNotInTolerance,
    /// The system is faulty.
    Fault,
}

impl Label {
    /// All labels, with their names in files.
    pub const ALL: [(&'static str, Label); 4] = [
        ("pass", Label::Pass),
        ("timing-within-tolerance", Label::TimingWithinTolerance),
        ("timing-not-in-tolerance", Label::TimingNotInTolerance),
        ("fault", Label::Fault),
    ];

    /// The label with this name in files.
    #[must_use]
    pub fn named(name: &str) -> Option<Label> {
        Label::ALL.iter().find(|(it, _)| *it == name).map(|(_, label)| *label)
    }

    /// The name of the label in files.
    #[must_use]
    pub fn name(self) -> &'static str {
        Label::ALL.iter().find(|(_, it)| *it == self).map_or("", |(name, _)| name)
    }

    /// Whether a test with this label should pass.
    #[must_use]
    pub fn should_pass(self) -> bool {
        matches!(self, Label::Pass | Label::TimingWithinTolerance)
    }
}

/// How often verdicts were right and wrong. A positive is a test that does not pass: somebody has to
/// look at it, also if it is inconclusive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Measure {
    /// Tests that should not pass and do not.
    pub true_positives: u64,
    /// Tests that should pass and do not.
    pub false_positives: u64,
    /// Tests that should not pass and do.
    pub false_negatives: u64,
    /// Tests that should pass and do.
    pub true_negatives: u64,
}

impl Measure {
    /// Counts a test.
    pub fn add(&mut self, label: Label, passes: bool) {
        let count = match (label.should_pass(), passes) {
            (true, true) => &mut self.true_negatives,
            (true, false) => &mut self.false_positives,
            (false, true) => &mut self.false_negatives,
            (false, false) => &mut self.true_positives,
        };
        *count += 1;
    }

    /// The counts of both together.
    #[must_use]
    pub fn plus(self, other: Measure) -> Measure {
        Measure {
            true_positives: self.true_positives + other.true_positives,
            false_positives: self.false_positives + other.false_positives,
            false_negatives: self.false_negatives + other.false_negatives,
            true_negatives: self.true_negatives + other.true_negatives,
        }
    }

    /// The share of positives that should not pass; 1 if there are no positives.
    #[must_use]
    pub fn precision(self) -> f64 {
        ratio(self.true_positives, self.true_positives + self.false_positives)
    }

    /// The share of tests that should not pass which do not; 1 if there are none.
    #[must_use]
    pub fn recall(self) -> f64 {
        ratio(self.true_positives, self.true_positives + self.false_negatives)
    }

    /// The harmonic mean of precision and recall.
    #[must_use]
    pub fn f_measure(self) -> f64 {
        let (precision, recall) = (self.precision(), self.recall());
        if precision + recall == 0.0 {
            return 0.0;
        }
        2.0 * precision * recall / (precision + recall)
    }
}

fn ratio(of: u64, all: u64) -> f64 {
    if all == 0 { 1.0 } else { of as f64 / all as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdicts_are_counted_as_in_table_5_2() {
        let mut measure = Measure::default();
        for (_, label) in Label::ALL {
            measure.add(label, true);
            measure.add(label, false);
        }
        measure.add(Label::Fault, false);
        let counts = Measure {
            true_positives: 3,
            false_positives: 2,
            false_negatives: 2,
            true_negatives: 2,
        };
        assert_eq!(measure, counts);
        assert!((measure.precision() - 0.6).abs() < 1e-12);
        assert!((measure.recall() - 0.6).abs() < 1e-12);
        assert!((measure.f_measure() - 0.6).abs() < 1e-12);
    }

    #[test]
    fn nothing_found_of_nothing_is_right() {
        let measure = Measure::default();
        assert_eq!((measure.precision(), measure.recall(), measure.f_measure()), (1.0, 1.0, 1.0));
        let blind = Measure { false_negatives: 3, ..measure };
        assert_eq!((blind.recall(), blind.f_measure()), (0.0, 0.0));
    }

    #[test]
    fn labels_have_names() {
        for (name, label) in Label::ALL {
            assert_eq!(Label::named(name), Some(label));
            assert_eq!(label.name(), name);
        }
        assert_eq!(Label::named("late"), None);
    }
}
