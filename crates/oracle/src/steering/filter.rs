//! The baseline that steering is compared with: a filter (section 5.6).
//!
//! The model runs as it is. Where its outputs differ from the system's, conditions over both decide
//! whether the difference is acceptable; the state of the model is never changed, so differences
//! that grow are beyond a filter.

use punctual_model::lustre::{Program, Role, Tolerances, Value};
use punctual_model::{Id, VarId};
use punctual_semantics::lustre::{Failure, Machine, Reals};

use super::follow::Observation;
use super::oracle::SetupError;
use super::tolerance::{Bench, Rules, Views};
use crate::synchronous::Comparison;

/// A model, and the conditions under which a difference from it is acceptable.
#[derive(Debug)]
pub struct Filter {
    machine: Machine,
    rules: Rules,
    inputs: Vec<VarId>,
    /// Compared variables and their columns.
    compared: Vec<(VarId, usize)>,
    column_of: Vec<Option<usize>>,
}

impl Filter {
    /// Compiles the conditions under which a difference is acceptable. The values of the model are
    /// both the new and the original ones.
    ///
    /// # Errors
    /// If the model can not be run, or something is not observed.
    pub fn new(
        program: &Program,
        reals: Reals,
        columns: &[VarId],
        compared: &[VarId],
        conditions: &Tolerances,
    ) -> Result<Filter, SetupError> {
        let mut column_of = vec![None; program.vars.len()];
        for (column, var) in columns.iter().enumerate() {
            column_of[var.index()] = Some(column);
        }
        let column = |var: VarId| {
            let name = || program.vars[var].name.clone();
            column_of[var.index()].ok_or_else(|| SetupError::NotObserved(name()))
        };
        for seen in conditions.seen.iter() {
            if let punctual_model::lustre::Seen::System(var) = *seen {
                column(var)?;
            }
        }
        let with_column = |var: &VarId| column(*var).map(|column| (*var, column));
        let compared: Result<Vec<_>, _> = compared.iter().map(with_column).collect();
        let compared = compared?;
        let mut watched = Rules::watched(conditions);
        watched.extend(compared.iter().map(|(var, _)| *var));
        watched.retain(|var| program.vars[*var].role != Role::Input);
        let machine =
            Machine::watching(program, reals, &watched, &[]).map_err(SetupError::Model)?;
        let rules = Rules::new(program, conditions, &[]).map_err(SetupError::Model)?;
        Ok(Filter { machine, rules, inputs: program.inputs().collect(), compared, column_of })
    }

    /// The first step whose difference is not acceptable, from 0; None if the test passes.
    ///
    /// # Errors
    /// If the model has no step.
    pub fn first_failure(&self, test: &[Observation]) -> Result<Option<usize>, Failure> {
        let mut comparison = Comparison::new(&self.machine);
        let mut bench = Bench::new(&self.rules);
        for (step, Observation { inputs, system }) in test.iter().enumerate() {
            let inputs = self.inputs.iter().copied().zip(inputs.iter().copied());
            let seen = self.compared.iter().map(|(var, column)| (*var, system[*column]));
            if comparison.step(inputs, seen)?.differences.is_empty() {
                continue;
            }
            let model = |var: VarId| -> Value { comparison.value(var) };
            let system = |var: VarId| self.column_of[var.index()].map(|column| system[column]);
            if !bench.holds(Views { new: &model, original: &model, system: &system }) {
                return Ok(Some(step));
            }
        }
        Ok(None)
    }
}
