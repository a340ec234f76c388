//! Signals by name: what may be sent to a system, and what may come from it.

use std::{collections::HashMap, sync::Arc};

use punctual_model::{Action, Direction, Interface, Signal, SignalId};

use crate::{SutError, error::shortened};

/// The signals of an interface.
#[derive(Clone, Debug)]
pub(crate) struct Signals {
    interface: Arc<Interface>,
    by_name: HashMap<String, SignalId>,
}

impl Signals {
    pub(crate) fn new(interface: Arc<Interface>) -> Self {
        let by_name = interface.signals.enumerate().map(|(id, signal)| (signal.name.clone(), id));
        Self { by_name: by_name.collect(), interface }
    }

    pub(crate) fn interface(&self) -> &Interface {
        &self.interface
    }

    pub(crate) fn with(&self, direction: Direction) -> impl Iterator<Item = &Signal> {
        self.interface.signals.iter().filter(move |signal| signal.direction == direction)
    }

    /// The name of an input, if it may be sent like this.
    pub(crate) fn input(&self, action: &Action) -> Result<&str, SutError> {
        let signal = &self.interface.signals[action.signal];
        if signal.direction != Direction::Input {
            let name = signal.name.clone();
            return Err(SutError::WrongDirection { name, as_output: false });
        }
        check_values(signal, &action.values)?;
        Ok(&signal.name)
    }

    /// What a system means by a name with values.
    pub(crate) fn output(&self, name: &str, values: Vec<i32>) -> Result<Action, SutError> {
        let Some(&id) = self.by_name.get(name) else {
            let outputs = || self.with(Direction::Output).map(|signal| &*signal.name);
            return Err(SutError::UnknownSignal {
                name: shortened(name),
                similar: closest(name, outputs()).map(str::to_owned),
                outputs: outputs().take(20).map(str::to_owned).collect(),
            });
        };
        let signal = &self.interface.signals[id];
        if signal.direction != Direction::Output {
            return Err(SutError::WrongDirection { name: name.into(), as_output: true });
        }
        check_values(signal, &values)?;
        Ok(Action { signal: id, values })
    }
}

fn check_values(signal: &Signal, values: &[i32]) -> Result<(), SutError> {
    let name = || signal.name.clone();
    if values.len() != signal.values.len() {
        let expected = signal.values.iter().map(|carried| carried.name.clone()).collect();
        return Err(SutError::WrongValues { name: name(), expected, n_found: values.len() });
    }
    for (&value, carried) in values.iter().zip(&signal.values) {
        if !carried.range.contains(value) {
            let range = (carried.range.lo, carried.range.hi);
            let variable = carried.name.clone();
            return Err(SutError::OutOfRange { name: name(), variable, value, range });
        }
    }
    Ok(())
}

/// The name that differs least, if it is likely that it was meant.
fn closest<'n>(name: &str, names: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    let limit = name.chars().count().div_ceil(3).min(3);
    let near = names.map(|other| (distance(name, other), other));
    near.filter(|(distance, _)| *distance <= limit)
        .min_by_key(|(distance, _)| *distance)
        .map(|n| n.1)
}

/// How many characters have to be inserted, deleted or replaced; case does not count.
fn distance(left: &str, right: &str) -> usize {
    let letters =
        |text: &str| -> Vec<char> { text.chars().take(64).flat_map(char::to_lowercase).collect() };
    let (left, right) = (letters(left), letters(right));
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (i, a) in left.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, b) in right.iter().enumerate() {
            let replace = diagonal + usize::from(a != b);
            diagonal = row[j + 1];
            row[j + 1] = replace.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[right.len()]
}

#[cfg(test)]
mod tests {
    use super::closest;

    #[test]
    fn likely_names_are_suggested() {
        let names = || ["weakCoffee", "strongCoffee"].into_iter();
        assert_eq!(closest("weakcofee", names()), Some("weakCoffee"));
        assert_eq!(closest("tea", names()), None);
    }
}
