//! Faulty versions of a system.

use std::ops::ControlFlow;

use punctual_model::ProcessId;
use punctual_semantics::specification::Specification;
use punctual_semantics::split::{Named, Side};
use punctual_smc::exact::Phase;
use punctual_smc::parallel::in_order;
use punctual_testgen::mutation::automata::{Mutant, Operator, Options, mutants};

use super::{Size, System};

/// A faulty version.
pub(super) struct Made {
    /// Its specification, in slices where the suites have a phase.
    pub(super) parts: Specification,
    /// Its specification as components, where `parts` are slices.
    components: Option<Specification>,
    /// The parts of the system that the fault concerns.
    pub(super) concerned: Vec<usize>,
}

impl Made {
    /// Its specification as components.
    pub(super) fn whole(&self) -> &Specification {
        self.components.as_ref().unwrap_or(&self.parts)
    }
}

/// All faulty versions with one offset.
pub(super) struct Versions {
    pub(super) mutants: Vec<Mutant>,
    /// None where nothing can be tested against a version.
    pub(super) specifications: Vec<Option<Made>>,
}

impl Versions {
    pub(super) fn new(
        given: &Specification,
        right: &Specification,
        offset: i32,
        system: &System,
        size: Size,
    ) -> Versions {
        let options = Options { operators: Operator::PAPER.to_vec(), offset, environment: false };
        let mut mutants = mutants(&given.network, &given.split.sides, &options);
        if let Some((_, every)) = size.small {
            mutants = mutants.into_iter().step_by(every).collect();
        }
        let side = |side| given.split.processes(side).collect::<Vec<ProcessId>>();
        let named = Named { system: side(Side::System), environment: side(Side::Environment) };
        let work = |(): &mut (), mutant: &Mutant| {
            let wired = given.wired.clone();
            let made = Specification::new(mutant.network.clone(), wired, &named).ok()?;
            let (made, components) = match system.phase {
                Phase::None => (made, None),
                _ => (made.in_slices()?, Some(made)),
            };
            // A mutant may change who influences whom. Then all parts are looked at.
            let is_alike = made.parts.len() == right.parts.len()
                && made.parts.iter().zip(&right.parts).all(|(a, b)| a.processes == b.processes);
            let is_concerned =
                |at: &usize| !is_alike || made.parts[*at].processes.contains(&mutant.process);
            let concerned = (0..made.parts.len()).filter(is_concerned).collect();
            Some(Made { parts: made, components, concerned })
        };
        let mut specifications = Vec::new();
        let take = |made| {
            specifications.push(made);
            ControlFlow::<()>::Continue(())
        };
        in_order(size.threads, mutants.iter(), || (), work, take);
        Versions { mutants, specifications }
    }
}
