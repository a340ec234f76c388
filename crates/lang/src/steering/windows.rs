//! Writes tolerances in the form of the thesis (Figures 3.6 and 6.1): one condition on each line.

use std::fmt::Write;

use punctual_model::{
    VarId,
    lustre::{Program, Rational, Type},
};

/// Conditions on all inputs: these may change by amounts in the given ranges (both ends included),
/// the others are locked. Amounts of truth are -1 and 1; a value of an enumeration with a range is
/// free.
#[must_use]
pub fn windows(program: &Program, ranges: &[(VarId, Vec<(Rational, Rational)>)]) -> String {
    let mut text = String::new();
    for var in program.inputs() {
        let name = &program.vars[var].name;
        let ranges: &[(Rational, Rational)] =
            ranges.iter().find(|(it, _)| *it == var).map_or(&[], |(_, ranges)| ranges);
        let line = match program.vars[var].ty {
            Type::Int => number(&format!("real({name})"), name, ranges),
            Type::Real => number(name, name, ranges),
            Type::Bool => truth(name, ranges),
            Type::Enum(_) if !ranges.is_empty() => format!("({name} = {name})"),
            Type::Enum(_) => format!("({name} = concrete_oracle_{name})"),
        };
        let _ = writeln!(text, "{line}");
    }
    text
}

fn number(new: &str, name: &str, ranges: &[(Rational, Rational)]) -> String {
    let original = format!("concrete_oracle_{name}");
    let zero = Rational::from_integer(0);
    let mut parts = Vec::new();
    if !ranges.iter().any(|(low, high)| *low <= zero && *high >= zero) {
        parts.push(format!("({new} = {original})"));
    }
    for (low, high) in ranges {
        let (low, high) = (plus(&original, *low), plus(&original, *high));
        parts.push(format!("(({new} >= {low}) and ({new} <= {high}))"));
    }
    match &parts[..] {
        [part] => part.clone(),
        parts => format!("({})", parts.join(" or ")),
    }
}

fn truth(name: &str, ranges: &[(Rational, Rational)]) -> String {
    let one = Rational::from_integer(1);
    let mut line = format!("({name} = concrete_oracle_{name})");
    if ranges.iter().any(|(_, high)| *high >= one) {
        line = format!("({line} or {name})");
    }
    if ranges.iter().any(|(low, _)| *low <= -one) {
        line = format!("({line} or (not {name}))");
    }
    line
}

/// `x + 2.0`.
fn plus(original: &str, by: Rational) -> String {
    let zero = Rational::from_integer(0);
    if by == zero {
        return original.to_owned();
    }
    let sign = if by < zero { '-' } else { '+' };
    let (numer, denom) = (by.numer().unsigned_abs(), by.denom());
    match denom {
        1 => format!("{original} {sign} {numer}.0"),
        denom => format!("{original} {sign} ({numer}.0 / {denom}.0)"),
    }
}
