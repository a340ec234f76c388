//! The parts of a specification for somebody who reads ports and does not look at outputs.

use punctual_semantics::estimate::Estimator;
use punctual_semantics::specification::Specification;
use punctual_semantics::split::Side;
use punctual_smc::exact::Phase;

/// A specification whose outputs are hidden.
pub struct Ground<'s> {
    given: &'s Specification,
    /// The specification in slices, if it can be followed slice by slice.
    sliced: Option<Specification>,
    /// For each part of the system that sends something: who follows it without looking at that.
    blind: Vec<Option<Estimator>>,
}

impl<'s> Ground<'s> {
    /// Of a specification, as components.
    #[must_use]
    pub fn new(specification: &'s Specification) -> Ground<'s> {
        Ground::of(specification, None)
    }

    /// The same for cases with a phase. All of chance is that phase then, so a component is followed slice by slice, which is
    /// much less work.
    #[must_use]
    pub fn with_phase(specification: &'s Specification, phase: Phase) -> Ground<'s> {
        match phase {
            Phase::None => Ground::new(specification),
            _ => Ground::of(specification, specification.in_slices()),
        }
    }

    fn of(given: &'s Specification, sliced: Option<Specification>) -> Ground<'s> {
        let specification = sliced.as_ref().unwrap_or(given);
        let blind = |number: usize| match specification.parts[number].side {
            Side::System => specification.without_outputs(number),
            Side::Environment => None,
        };
        let blind = (0..specification.parts.len()).map(blind).collect();
        Ground { given, sliced, blind }
    }

    /// The specification, perhaps in slices.
    #[must_use]
    pub fn specification(&self) -> &Specification {
        self.sliced.as_ref().unwrap_or(self.given)
    }

    /// Who follows a part.
    #[must_use]
    pub fn estimator(&self, number: usize) -> &Estimator {
        self.blind[number].as_ref().unwrap_or(&self.specification().parts[number].estimator)
    }
}
