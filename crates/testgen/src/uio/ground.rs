//! The parts of a specification for somebody who reads ports and does not look at outputs.

use punctual_semantics::estimate::Estimator;
use punctual_semantics::specification::Specification;
use punctual_semantics::split::Side;

/// A specification whose outputs are hidden.
pub struct Ground<'s> {
    /// The specification.
    pub specification: &'s Specification,
    /// For each part of the system that sends something: who follows it without looking at that.
    blind: Vec<Option<Estimator>>,
}

impl<'s> Ground<'s> {
    /// Of a specification.
    #[must_use]
    pub fn new(specification: &'s Specification) -> Ground<'s> {
        let blind = |number: usize| match specification.parts[number].side {
            Side::System => specification.without_outputs(number),
            Side::Environment => None,
        };
        Ground { specification, blind: (0..specification.parts.len()).map(blind).collect() }
    }

    /// Who follows a part.
    #[must_use]
    pub fn estimator(&self, number: usize) -> &Estimator {
        self.blind[number].as_ref().unwrap_or(&self.specification.parts[number].estimator)
    }
}
