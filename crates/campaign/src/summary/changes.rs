//! What steering changed, how often and by how much.
//!
//! Amounts keep three significant digits, so that the memory does not grow with the number of steps.

use std::cmp::Ordering;
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
    /// Which share of what the tolerance allows in its direction the largest change takes; None if that has no
    /// bound, or none that is known.
    pub share: Option<f64>,
    /// Whether a tolerance of it goes in both directions.
    pub is_two_sided: bool,
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
            self.variables.entry(name.clone()).or_default().merge(changes);
        }
    }

    /// Whether nothing was changed and nothing differs.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.steered == 0 && self.unexplained == 0
    }
}

impl Changes {
    /// Adds other changes of the same variable.
    pub fn merge(&mut self, other: &Changes) {
        self.n += other.n;
        other.amounts.iter().for_each(|(amount, n)| self.count(*amount, *n));
        for (pair, n) in &other.pairs {
            *self.pairs.entry(pair.clone()).or_default() += n;
        }
        self.share = self.share.max_of(other.share);
        self.is_two_sided |= other.is_two_sided;
    }

    fn add(&mut self, change: &Changed) {
        self.n += 1;
        match number(&change.from).zip(number(&change.to)) {
            Some((from, to)) => {
                self.count(rounded(to - from), 1);
                let bound = |bound: &Option<Value>| bound.as_ref().and_then(number);
                let (low, high) = (bound(&change.low), bound(&change.high));
                self.is_two_sided |=
                    low.is_none_or(|it| it < from) && high.is_none_or(|it| it > from);
                let end = if to > from { high } else { low };
                // A local that stays as it was takes none of it; a sum with 0 has no sign then.
                let share = |end: f64| (to - from) / (end - from) + 0.0;
                let share = end.filter(|end| *end != from).map(share);
                self.share = self.share.max_of(share);
            }
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

/// The larger of two numbers that may be unknown.
trait MaxOf {
    fn max_of(self, other: Self) -> Self;
}

impl MaxOf for Option<f64> {
    fn max_of(self, other: Self) -> Self {
        match (self, other) {
            (Some(a), Some(b)) => Some(a.max(b)),
            (a, b) => a.or(b),
        }
    }
}

impl Changes {
    /// The least, the middle and the greatest change of a number, each step counted; None if it is no number.
    #[must_use]
    pub fn spread(&self) -> Option<[f64; 3]> {
        let (first, last) = (self.amounts.first()?.0, self.amounts.last()?.0);
        let all: u64 = self.amounts.iter().map(|(_, n)| n).sum();
        let mut before = 0;
        let middle = self.amounts.iter().find(|(_, n)| {
            before += n;
            2 * before >= all
        });
        Some([first, middle.map_or(last, |it| it.0), last])
    }

    /// The direction of all changes of a number; None if there are none, or both.
    #[must_use]
    pub fn direction(&self) -> Option<Ordering> {
        let (first, last) = (self.amounts.first()?.0, self.amounts.last()?.0);
        match (first > 0.0, last < 0.0) {
            (true, _) => Some(Ordering::Greater),
            (_, true) => Some(Ordering::Less),
            _ => None,
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
    fn what_stays_as_it_was_takes_none_of_its_tolerance() {
        let (low, high) = (Some(json!(3)), Some(json!(7)));
        let change = Changed { variable: "w".into(), from: json!(5), to: json!(5), low, high };
        let mut steering = Steering::default();
        steering.add(&Steered { steered: 0, changes: vec![change], differences: vec![] });
        let share = steering.variables["w"].share.expect("it has a tolerance");
        assert!(share == 0.0 && share.is_sign_positive(), "{share}");
    }

    #[test]
    fn amounts_have_three_digits() {
        assert_eq!(rounded(0.1 + 0.2), 0.3);
        assert_eq!(rounded(-123_456.0), -123_000.0);
        assert_eq!(number(&json!("nan")), None);
        assert_eq!(number(&json!("1/0")), None);
    }
}
