//! What the tester gives to a scenario: variables that go with its channel.
//!
//! A value that one step of a scenario gives has one variable in all scenarios. If a scenario gives it twice, since it is in a loop, the second has another one.
//! A real number is told as one of the numbers that scenarios give, so that nothing is rounded.

use std::collections::{BTreeMap, BTreeSet};

use punctual_model::{
    AttributeId, IdVec, Range, Rational, ScenarioId, Type, Value, ValueType,
    usecases::{Assignment, AssignmentKind, AttributeType, Scenario, Scenarios},
};

use super::{
    Problem,
    build::{Maker, Var},
};
use crate::usecases::link::about;

/// What goes with the channels of scenarios.
pub(super) struct Given {
    /// In the order in which it is given.
    pub(super) of: IdVec<ScenarioId, Vec<Gift>>,
}

/// A value that goes with the channel of a scenario.
#[derive(Clone)]
pub(super) struct Gift {
    /// How people call it.
    pub(super) name: String,
    pub(super) var: Var,
    pub(super) ty: ValueType,
    /// The integer that stands for the value.
    pub(super) value: i32,
}

impl Given {
    /// Nothing is given.
    pub(super) fn nothing(scenarios: &Scenarios) -> Self {
        Given { of: scenarios.scenarios.iter().map(|_| Vec::new()).collect() }
    }
}

/// Which variable: its name, its attribute, and how often it was given before.
type Key = (String, AttributeId, usize);

/// What the tester gives to a scenario, in order.
fn gifts(scenario: &Scenario) -> Vec<(Key, &Assignment)> {
    let is_given =
        |it: &&Assignment| matches!(it.kind, AssignmentKind::Setup | AssignmentKind::Input);
    let mut found: Vec<(Key, &Assignment)> = Vec::new();
    for it in scenario.assignments.iter().filter(is_given) {
        let is_same = |((name, attribute, _), _): &&(Key, &Assignment)| {
            *name == it.name && *attribute == it.slot.attribute
        };
        let before = found.iter().filter(is_same).count();
        found.push(((it.name.clone(), it.slot.attribute, before), it));
    }
    found
}

impl Maker<'_> {
    /// The variables that scenarios are given, and their values.
    pub(super) fn given(&mut self, problems: &mut Vec<Problem>) -> Given {
        let scenarios = self.scenarios;
        let mut values: BTreeMap<Key, BTreeSet<Value>> = BTreeMap::new();
        let mut order: Vec<(Key, &Scenario, &Assignment)> = Vec::new();
        for scenario in &scenarios.scenarios {
            for (key, it) in gifts(scenario) {
                values.entry(key.clone()).or_default().insert(it.value);
                if !order.iter().any(|(known, ..)| *known == key) {
                    order.push((key, scenario, it));
                }
            }
        }
        let mut vars: BTreeMap<Key, (Var, ValueType, Vec<Value>)> = BTreeMap::new();
        for (key, scenario, it) in order {
            let all: Vec<Value> = values[&key].iter().copied().collect();
            let (class, _) = about::object(scenario, it.slot.object);
            let settings = about::settings(self.all, class, it.slot.attribute);
            let range = settings.and_then(|it| it.range);
            match self.kind_of(it.slot.attribute, range, &all) {
                Ok((range, ty)) => {
                    let kind = if ty == ValueType::Bool { Type::Bool } else { Type::Int(range) };
                    let initial = if range.contains(0) { 0 } else { range.lo };
                    vars.insert(key, (self.variable(&it.name, kind, initial, 1), ty, all));
                }
                Err(message) => {
                    let place = self.all.domain.attributes[it.slot.attribute].place;
                    let message = format!("`{}`: {message}", it.name);
                    problems.push(Problem { message, place: Some(place) });
                }
            }
        }
        let of = scenarios.scenarios.iter().map(|scenario| {
            let gift = |(key, it): (Key, &Assignment)| {
                let (var, ty, all) = vars.get(&key)?;
                let value = match it.value {
                    Value::Real(_) => {
                        i32::try_from(all.iter().position(|of| *of == it.value)?).ok()?
                    }
                    value => value.as_slot()?,
                };
                Some(Gift { name: it.name.clone(), var: var.clone(), ty: ty.clone(), value })
            };
            gifts(scenario).into_iter().filter_map(gift).collect()
        });
        Given { of: of.collect() }
    }

    /// The range of a variable for these values, and what they are called.
    fn kind_of(
        &self,
        attribute: AttributeId,
        range: Option<(Value, Value)>,
        values: &[Value],
    ) -> Result<(Range, ValueType), String> {
        let first = |n: usize| Range { lo: 0, hi: n as i32 - 1 };
        Ok(match self.all.domain.attributes[attribute].ty {
            AttributeType::Boolean => (Range::BOOL, ValueType::Bool),
            AttributeType::Enumeration(of) => {
                let names = self.all.domain.enumerations[of].values.clone();
                (first(names.len()), ValueType::Enum(names))
            }
            AttributeType::Real => {
                let names = values.iter().map(|it| decimal(it.as_rational()));
                (first(values.len()), ValueType::Enum(names.collect()))
            }
            AttributeType::Integer => {
                let ends = range.map(|(least, greatest)| [least, greatest]);
                let mut all: Vec<i32> = Vec::new();
                for value in ends.iter().flatten().chain(values) {
                    let value = value.as_slot();
                    all.push(value.ok_or("a value is no integer of 32 bits")?);
                }
                let (lo, hi) = (all.iter().min(), all.iter().max());
                let range = Range { lo: *lo.unwrap_or(&0), hi: *hi.unwrap_or(&0) };
                (range, ValueType::Int { least: range.lo.into(), greatest: range.hi.into() })
            }
        })
    }
}

/// A number as people write it: `9.5`, or `1/3` if it has no end.
pub(super) fn decimal(number: Rational) -> String {
    let mut rest = *number.denom();
    let mut digits = 0;
    while rest > 1 && digits < 18 {
        let by = [10, 5, 2].into_iter().find(|by| rest % by == 0);
        let Some(by) = by else { return number.to_string() };
        rest /= by;
        digits += 1;
    }
    let power = 10i128.checked_pow(digits).filter(|_| rest == 1);
    let whole = power.and_then(|power| number.numer().checked_mul(power / number.denom()));
    match (whole, digits) {
        (None, _) => number.to_string(),
        (Some(whole), 0) => whole.to_string(),
        (Some(whole), digits) => {
            let sign = if whole < 0 { "-" } else { "" };
            let digits = digits as usize;
            let text = format!("{:0>width$}", whole.unsigned_abs(), width = digits + 1);
            let (before, after) = text.split_at(text.len() - digits);
            format!("{sign}{before}.{after}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_told_as_decimals() {
        let text = |n: i128, d: i128| decimal(Rational::new(n, d));
        assert_eq!([text(19, 2), text(-1, 20), text(17, 1)], ["9.5", "-0.05", "17"]);
        assert_eq!([text(1, 3), text(1, 8), text(-7, 4)], ["1/3", "0.125", "-1.75"]);
    }
}
