//! Variables for the state of a system.

use punctual_model::{
    AttributeId, ClassId, Range, Type, Value, Variable,
    usecases::{AttributeType, Keeper, Kept},
};

use super::{
    Problem,
    build::{Maker, Var, legal, place},
};
use crate::usecases::link::about;

impl Maker<'_> {
    /// Gives each piece of state its global variable.
    pub(super) fn keep_state(&mut self, problems: &mut Vec<Problem>) {
        let links = self.links;
        for kept in &links.state {
            let var = match kept.keeper {
                Keeper::Automaton(process, variable) => {
                    Some(self.made_global(process, variable, kept))
                }
                Keeper::Scenarios => self.new_state(kept, problems),
                Keeper::Tester => None,
            };
            self.state.push(var);
        }
    }

    /// A variable of an automaton as a global one.
    fn made_global(
        &mut self,
        process: punctual_model::ProcessId,
        variable: punctual_model::VariableId,
        kept: &Kept,
    ) -> Var {
        let process = self.network.processes[process].name.clone();
        let attribute = &self.all.domain.attributes[kept.attribute].name;
        let name = self.name(&format!("{}_{}", legal(&process), legal(attribute)));
        let it: &mut Variable = &mut self.network.variables[variable];
        (it.name, it.owner) = (name, None);
        let range = match &it.ty {
            Type::Int(range) => *range,
            _ => Range::BOOL,
        };
        let initial = self.network.initial.ints[it.ints as usize];
        let scale = about::scale(self.all, kept.class, kept.attribute).unwrap_or(1);
        Var { variable, place: place(it.ints, range), initial, scale }
    }

    /// A variable for state that only scenarios change.
    fn new_state(&mut self, kept: &Kept, problems: &mut Vec<Problem>) -> Option<Var> {
        let attribute = &self.all.domain.attributes[kept.attribute];
        let Some(scale) = about::scale(self.all, kept.class, kept.attribute) else {
            let message = format!(
                "`{}` is a real number that scenarios change, and it has no `scale`",
                kept.name
            );
            problems.push(Problem { message, place: Some(attribute.place) });
            return None;
        };
        match self.kind(kept.class, kept.attribute, scale) {
            Ok((ty, initial)) => Some(self.variable(&kept.name, ty, initial, scale)),
            Err(message) => {
                let message = format!("`{}`: {message}", kept.name);
                problems.push(Problem { message, place: Some(attribute.place) });
                None
            }
        }
    }

    /// The type of an attribute that is kept in a variable, and the value that it begins with: the first preferred one, else false, 0 or the first member, else
    /// the least one.
    fn kind(
        &self,
        class: ClassId,
        attribute: AttributeId,
        scale: u32,
    ) -> Result<(Type, i32), String> {
        let settings = about::settings(self.all, class, attribute);
        let preferred = settings.and_then(|it| it.preferred.first().copied());
        let integer = |value: Value| {
            about::integer(value, scale).ok_or_else(|| {
                "its range or its preferred value is no integer of 32 bits".to_owned()
            })
        };
        let range = match self.all.domain.attributes[attribute].ty {
            AttributeType::Boolean => Range::BOOL,
            AttributeType::Enumeration(of) => {
                let n_values = self.all.domain.enumerations[of].values.len() as i32;
                Range { lo: 0, hi: n_values - 1 }
            }
            AttributeType::Integer | AttributeType::Real => {
                match settings.and_then(|it| it.range) {
                    Some((least, greatest)) => {
                        Range { lo: integer(least)?, hi: integer(greatest)? }
                    }
                    None => Range::INT,
                }
            }
        };
        let initial = match preferred {
            Some(value) => integer(value)?,
            None => 0,
        };
        let initial = if range.contains(initial) { initial } else { range.lo };
        let is_bool = self.all.domain.attributes[attribute].ty == AttributeType::Boolean;
        Ok((if is_bool { Type::Bool } else { Type::Int(range) }, initial))
    }
}
