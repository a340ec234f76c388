//! Values that ask little of the state.
//!
//! A path with "the voltage is out of range and no error is detected: does not hold" is taken if the voltage is in range, in any state, or else if an error is detected.
//! Of the values that are still open (what the tester sets up, and inputs) those are preferred with which a condition holds in any state. So a
//! scenario does not wait for a state that it has no use for.
//!
//! Numbers that are state are not looked at, nor conditions with more than [`STATES_MAX`] states.

use std::collections::HashMap;

use punctual_model::{Value, usecases::AttributeType};
use punctual_solver::Term;

use super::{
    choose::{Choosing, Failed},
    form::{Form, Node, Variable},
};

/// A condition is tried in so many states at most.
const STATES_MAX: usize = 16;
/// So many conditions are asked for one by one, if they are not possible together.
const CONDITIONS_MAX: usize = 16;

impl Choosing<'_, '_, '_> {
    /// Claims that conditions hold in any state, as far as that is possible. They hold in the state that was chosen.
    pub(super) fn weaken(&mut self, claims: &[Form]) -> Result<(), Failed> {
        let mut wishes: Vec<Term> = Vec::new();
        for claim in claims {
            let parts = match self.line.forms.node(*claim) {
                Node::All(parts) => parts.clone(),
                _ => vec![*claim],
            };
            for part in parts {
                if let Some(form) = self.anyway(part) {
                    let term = self.line.term(form);
                    wishes.extend((!wishes.contains(&term)).then_some(term));
                }
            }
        }
        if wishes.is_empty() {
            return Ok(());
        }
        if self.is_possible(&wishes)? {
            wishes.into_iter().for_each(|it| self.line.session.assert(it));
            return Ok(());
        }
        for wish in wishes.into_iter().take(CONDITIONS_MAX) {
            if self.is_possible(&[wish])? {
                self.line.session.assert(wish);
            }
        }
        Ok(())
    }

    /// That a condition holds in any state; none if it does not depend on the state and on something that is open, or if that can not be said.
    fn anyway(&mut self, part: Form) -> Option<Form> {
        let mut variables = Vec::new();
        self.line.forms.variables(part, &mut variables);
        let is_state =
            |it: &Variable| matches!(it, Variable::Before(slot) if !self.is_set_up(*slot));
        let (state, others): (Vec<Variable>, Vec<Variable>) =
            variables.into_iter().partition(is_state);
        if state.is_empty() || others.iter().all(|it| self.chosen.contains_key(it)) {
            return None;
        }
        let mut states: Vec<Vec<(Variable, Value)>> = vec![Vec::new()];
        for variable in state {
            let (_, ty) = self.slot(variable)?;
            let values: Vec<Value> = match ty {
                AttributeType::Boolean => vec![Value::Bool(false), Value::Bool(true)],
                AttributeType::Enumeration(_) => (0..self.members(ty)).map(Value::Enum).collect(),
                AttributeType::Integer | AttributeType::Real => return None,
            };
            if states.len() * values.len() > STATES_MAX {
                return None;
            }
            let with = |it: &Vec<(Variable, Value)>| {
                let longer = values.iter().map(|value| [&it[..], &[(variable, *value)]].concat());
                longer.collect::<Vec<_>>()
            };
            states = states.iter().flat_map(with).collect();
        }
        let forms = &mut self.line.forms;
        let mut all = Vec::new();
        for state in states {
            let value = |it: Variable| state.iter().find(|(of, _)| *of == it).map(|(_, it)| *it);
            all.push(forms.with(part, &value, &mut HashMap::new()));
        }
        let all = forms.all(all);
        forms.truth(all).is_none().then_some(all)
    }
}
