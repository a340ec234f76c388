//! Cases that are repeated, as text.

use std::fmt::Write as _;

use crate::view::oracles::{Oracle, Oracles, Probability};

/// A line for each case, and how many of them are left to chance.
#[must_use]
pub fn text(oracles: &Oracles) -> String {
    let mut out = String::new();
    let width = oracles.cases.iter().map(|it| it.name.chars().count()).max().unwrap_or(0);
    for Oracle { ending, joint, name, note, probability, proves, warnings } in &oracles.cases {
        let _ = write!(out, "{name:<width$}  {}", self::probability(probability));
        if let (Some(proves), Some(joint)) = (proves, joint) {
            let steps = if *ending == 1 { "step proves" } else { "steps prove" };
            let joint = self::probability(joint);
            let _ = write!(out, "; {ending} {steps} {proves}, together {joint}");
        }
        if !note.is_empty() {
            let _ = write!(out, "; {note}");
        }
        out.push('\n');
        for warning in warnings {
            let _ = writeln!(out, "{:<width$}  warning: {warning}", "");
        }
    }
    let n = oracles.cases.len();
    let n_random = oracles.cases.iter().filter(|it| it.probability.least < 1.0).count();
    let n_proved = oracles.cases.iter().filter(|it| it.proves.is_some()).count();
    let cases = if n == 1 { "case" } else { "cases" };
    let prove = if n_proved == 1 { "proves where it ends" } else { "prove where they end" };
    let _ = writeln!(out, "{n} {cases}: {n_random} left to chance, {n_proved} {prove}");
    out
}

/// `1/2 = 0.5000`, or `0.46 to 0.56` if it was sampled.
fn probability(it: &Probability) -> String {
    match &it.exact {
        Some(exact) if exact.len() <= 20 && exact.contains('/') => {
            format!("{exact} = {:.4}", it.least)
        }
        Some(exact) if exact.len() <= 20 => exact.clone(),
        Some(_) => format!("{:.6}", it.least),
        None => format!("{:.4} to {:.4}", it.least, it.greatest),
    }
}
