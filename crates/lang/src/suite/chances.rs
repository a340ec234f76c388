//! How often a case should show what it expects, in TOML.

use punctual_model::testing::suite::{Chance, Do, Ending, Probability};
use toml::{Spanned, de::DeValue};

use super::read::Suites;
use crate::{
    Span,
    testing::table::{Section, kind, span},
};

/// The keys of a case that is repeated.
pub(super) const KEYS: [&str; 6] =
    ["probability", "proves", "ending", "joint", "note", "independent"];

impl Suites<'_, '_> {
    /// The chance of a timed case. Adds the steps of its ending to those of the case.
    pub(super) fn chance(
        &mut self,
        section: &Section<'_>,
        steps: &mut Vec<Do>,
        places: &mut Vec<Span>,
    ) -> Option<Chance> {
        let from = steps.len();
        for (place, step) in self.tables_of(section, "ending") {
            if let Some(step) = self.step(place, step) {
                steps.push(step);
                places.push(place);
            }
        }
        let Some(value) = section.value("probability") else {
            for key in &KEYS[1..] {
                if let Some(at) = section.key(key) {
                    let message = format!("`{key}` belongs to a case with a `probability`");
                    self.wrong("suite::chance", at, message);
                }
            }
            return None;
        };
        let outputs = self.probability("probability", value)?;
        let proves = section.text("proves", self.diagnostics);
        let joint = section.value("joint");
        let ending = match (section.key("ending"), proves, joint) {
            (None, None, None) => None,
            (Some(_), Some(proves), Some(value)) => {
                let joint = self.probability("joint", value)?;
                if joint.least > outputs.greatest {
                    let message = "the case with its ending can not be more probable than the case";
                    self.wrong("suite::chance", span(value), message);
                }
                Some(Ending { from, proves: proves.text, joint })
            }
            _ => {
                let message = "`ending`, `proves` and `joint` go together";
                self.wrong("suite::chance", section.span, message);
                None
            }
        };
        let note = section.text("note", self.diagnostics).map(|it| it.text).unwrap_or_default();
        let independent = section.value("independent").map_or(0, |value| self.independent(value));
        Some(Chance { outputs, ending, note, independent })
    }

    fn independent(&mut self, value: &Spanned<DeValue<'_>>) -> usize {
        let number = match value.get_ref() {
            DeValue::Integer(number) => number.as_str().parse::<usize>().ok(),
            _ => None,
        };
        if number.is_none() {
            let message = "`independent` says how many random delays were drawn independently";
            self.wrong("suite::chance", span(value), message);
        }
        number.unwrap_or(0)
    }

    /// A fraction or a number in quotes, or the two ends of an interval.
    fn probability(&mut self, key: &str, value: &Spanned<DeValue<'_>>) -> Option<Probability> {
        let found = match value.get_ref() {
            DeValue::String(text) => fraction(text).map(|it| Probability {
                least: it,
                greatest: it,
                exact: Some(text.to_string()),
            }),
            DeValue::Array(ends) => match &ends[..] {
                [least, greatest] => ends_of(least, greatest),
                _ => None,
            },
            other => {
                let message = format!(
                    "`{key}` must be a fraction such as \"1/2\", or an interval such as [0.46, 0.56], not {}",
                    kind(other)
                );
                self.wrong("toml::type", span(value), message);
                return None;
            }
        };
        let is_right = |it: &Probability| 0.0 <= it.least && it.least <= it.greatest;
        let found = found.filter(|it| is_right(it) && it.greatest <= 1.0);
        if found.is_none() {
            let message = format!("`{key}` must lie between 0 and 1, such as \"1/2\"");
            self.wrong("suite::chance", span(value), message);
        }
        found
    }
}

fn ends_of(least: &Spanned<DeValue<'_>>, greatest: &Spanned<DeValue<'_>>) -> Option<Probability> {
    let number = |value: &Spanned<DeValue<'_>>| match value.get_ref() {
        DeValue::Float(it) => it.as_str().parse::<f64>().ok(),
        DeValue::Integer(it) => it.as_str().parse::<f64>().ok(),
        _ => None,
    };
    Some(Probability { least: number(least)?, greatest: number(greatest)?, exact: None })
}

/// The value of `117/1700` or `0.5`, however long the numbers are.
fn fraction(text: &str) -> Option<f64> {
    let Some((above, below)) = text.split_once('/') else {
        return text.trim().parse().ok();
    };
    let (above, below) = (above.trim(), below.trim());
    let is_number = |it: &str| !it.is_empty() && it.bytes().all(|byte| byte.is_ascii_digit());
    if !is_number(above) || !is_number(below) {
        return None;
    }
    // What a 64-bit number can not hold is cut from both.
    let cut = below.len().saturating_sub(300);
    let above = above.get(..above.len().saturating_sub(cut)).unwrap_or_default();
    let above: f64 = if above.is_empty() { 0.0 } else { above.parse().ok()? };
    let below: f64 = below[..below.len() - cut].parse().ok()?;
    Some(above / below).filter(|it| it.is_finite())
}

#[cfg(test)]
mod tests {
    use super::fraction;

    #[test]
    fn fractions() {
        assert_eq!(fraction("1/2"), Some(0.5));
        assert_eq!(fraction("0.25"), Some(0.25));
        assert_eq!(fraction("1/0"), None);
        assert_eq!(fraction("-1/2"), None);
        assert_eq!(fraction("half"), None);
        let long = format!("1{}/2{}", "0".repeat(400), "0".repeat(400));
        assert_eq!(fraction(&long), Some(0.5));
    }
}
