//! What steering changed, how often and by how much.
//!
//! Amounts keep three significant digits, so that the memory does not grow with the number of steps.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::store::{Changed, Steered};

/// What steering did in a run, or in many.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Steering {
    /// Steps in which an input of the model was changed.
    pub steered: u64,
    /// Steps whose outputs still differ.
    pub unexplained: u64,
    /// What was changed, by the name of the variable.
    pub variables: BTreeMap<String, Changes>,
}

/// How a variable was changed.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Changes {
    /// In how many steps.
    pub n: u64,
    /// Numbers: what was added, in ascending order, each with how often.
    pub amounts: Vec<(f64, u64)>,
    /// Truth and enumerations: the value before and after, with how often.
    pub pairs: BTreeMap<(String, String), u64>,
}

impl Steering {
    /// Adds a step.
    pub fn add(&mut self, step: &Steered) {
        self.steered += u64::from(!step.changes.is_empty());
        self.unexplained += u64::from(!step.differences.is_empty());
        for change in &step.changes {
            self.variables.entry(change.variable.clone()).or_default().add(change);
        }
    }

    /// Adds what was done in another run.
    pub fn merge(&mut self, other: &Steering) {
        self.steered += other.steered;
        self.unexplained += other.unexplained;
        for (name, changes) in &other.variables {
            let mine = self.variables.entry(name.clone()).or_default();
            mine.n += changes.n;
            changes.amounts.iter().for_each(|(amount, n)| mine.count(*amount, *n));
            for (pair, n) in &changes.pairs {
                *mine.pairs.entry(pair.clone()).or_default() += n;
            }
        }
    }

    /// Whether nothing was changed and nothing differs.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.steered == 0 && self.unexplained == 0
    }
}

impl Changes {
    fn add(&mut self, change: &Changed) {
        self.n += 1;
        match number(&change.from).zip(number(&change.to)) {
            Some((from, to)) => self.count(rounded(to - from), 1),
            None => {
                let pair = (text(&change.from), text(&change.to));
                *self.pairs.entry(pair).or_default() += 1;
            }
        }
    }

    fn count(&mut self, amount: f64, n: u64) {
        match self.amounts.binary_search_by(|(it, _)| it.total_cmp(&amount)) {
            Ok(at) => self.amounts[at].1 += n,
            Err(at) => self.amounts.insert(at, (amount, n)),
        }
    }
}

/// A number as JSON has it: also a decimal or a fraction as text.
#[must_use]
pub fn number(value: &Value) -> Option<f64> {
    let number = match value {
        Value::Number(number) => number.as_f64()?,
        Value::String(text) => match text.split_once('/') {
            Some((above, below)) => {
                above.trim().parse::<f64>().ok()? / below.trim().parse::<f64>().ok()?
            }
            // Names such as `inf` and `nan` are members of enumerations.
            None if text.contains(|c: char| c.is_ascii_alphabetic()) => return None,
            None => text.trim().parse().ok()?,
        },
        _ => return None,
    };
    number.is_finite().then_some(number)
}

/// A value as people write it: texts without quotes.
fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// Three significant digits of a number.
fn rounded(number: f64) -> f64 {
    format!("{number:.2e}").parse().unwrap_or(number)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn changes_are_counted_by_amount_or_by_pair() {
        let change = |variable: &str, from: Value, to: Value| Changed {
            variable: variable.into(),
            from,
            to,
            ..Changed::default()
        };
        let mut one = Steering::default();
        one.add(&Steered {
            steered: 3,
            changes: vec![
                change("t", json!(1.5), json!("7/4")),
                change("mode", json!("Off"), json!("On")),
            ],
            differences: vec![],
        });
        let mut all = one.clone();
        all.merge(&one);
        let differences = vec![change("y", json!(1), json!(2))];
        all.add(&Steered { steered: 4, changes: vec![], differences });
        assert_eq!((all.steered, all.unexplained), (2, 1));
        assert_eq!(all.variables["t"].amounts, [(0.25, 2)]);
        assert_eq!(all.variables["mode"].pairs[&("Off".into(), "On".into())], 2);
        assert_eq!(all.variables["mode"].n, 2);
        assert!(!all.variables.contains_key("y"), "only inputs are changed");
    }

    #[test]
    fn amounts_have_three_digits() {
        assert_eq!(rounded(0.1 + 0.2), 0.3);
        assert_eq!(rounded(-123_456.0), -123_000.0);
        assert_eq!(number(&json!("nan")), None);
        assert_eq!(number(&json!("1/0")), None);
    }
}
