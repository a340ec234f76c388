//! Random inputs.

use std::collections::BTreeMap;

use punctual_lang::diagnostic::closest;
use punctual_model::{
    VarId,
    lustre::{Program, Rational, Role, Table, Test, Type, Value},
};
use punctual_semantics::lustre::random::Draw;

use crate::Stop;

/// Numbers without a range are drawn from here.
const RANGE: (i64, i64) = (0, 10);
/// Into how many parts the range of a real is cut.
const PARTS: i64 = 64;

/// The least and the greatest value of some inputs.
#[derive(Debug, Default)]
pub(crate) struct Ranges(BTreeMap<VarId, (Rational, Rational)>);

impl Ranges {
    /// Reads `x=0..10` for each of these.
    pub(crate) fn read(program: &Program, texts: &[String]) -> Result<Ranges, Stop> {
        let mut ranges = Ranges::default();
        for text in texts {
            let wrong = |why: &str| Stop::Message(format!("`--range {text}`: {why}"));
            let (name, range) =
                text.split_once('=').ok_or_else(|| wrong("write it as `x=0..10`"))?;
            let (least, greatest) =
                range.split_once("..").ok_or_else(|| wrong("write it as `x=0..10`"))?;
            let (Some(least), Some(greatest)) = (number(least), number(greatest)) else {
                return Err(wrong("the bounds are numbers"));
            };
            let Some(var) = program.var(name.trim()) else {
                let names = program.inputs().map(|var| program.vars[var].name.as_str());
                return Err(wrong(&match closest(name, names) {
                    Some(close) => format!("there is no `{name}`; did you mean `{close}`?"),
                    None => format!("there is no `{name}`"),
                }));
            };
            let declared = &program.vars[var];
            if declared.role != Role::Input || !matches!(declared.ty, Type::Int | Type::Real) {
                return Err(wrong("only inputs that are numbers have a range"));
            }
            if least > greatest {
                return Err(wrong("the range is empty"));
            }
            let is_whole = least.is_integer() && greatest.is_integer();
            let fits = |it: &Rational| i64::try_from(*it.numer()).is_ok();
            if declared.ty == Type::Int && !(is_whole && fits(&least) && fits(&greatest)) {
                return Err(wrong("the bounds are whole numbers of 64 bits"));
            }
            ranges.0.insert(var, (least, greatest));
        }
        Ok(ranges)
    }

    fn value(&self, draw: &mut Draw, program: &Program, var: VarId) -> Value {
        let declared = &program.vars[var];
        let stated = self.0.get(&var);
        match declared.ty {
            Type::Int => {
                let whole = |it: &Rational| i64::try_from(it.to_integer()).unwrap_or(0);
                let stated = stated.map(|(least, greatest)| (whole(least), whole(greatest)));
                let (least, greatest) = stated.or(declared.range).unwrap_or(RANGE);
                Value::Int(draw.between(least, greatest))
            }
            Type::Real => {
                let whole = |it: i64| Rational::from_integer(it.into());
                let (least, greatest) = stated.copied().unwrap_or((whole(RANGE.0), whole(RANGE.1)));
                let part = Rational::new(draw.between(0, PARTS).into(), PARTS.into());
                Value::Real(least + (greatest - least) * part)
            }
            Type::Bool | Type::Enum(_) => draw.value(program, declared.ty, None),
        }
    }
}

/// A number of at most nine digits before and after the point, so that nothing overflows.
fn number(text: &str) -> Option<Rational> {
    let text = text.trim();
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => (-1, digits),
        None => (1, text),
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let is_number = |it: &str| it.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || !is_number(whole) || !is_number(fraction) {
        return None;
    }
    if whole.len() > 19 || fraction.len() > 9 {
        return None;
    }
    let digits: i128 = format!("{whole}{fraction}").parse().ok()?;
    let scale = 10_i128.pow(u32::try_from(fraction.len()).ok()?);
    Some(Rational::new(sign * digits, scale))
}

/// Tests whose inputs are drawn, each step anew.
pub(crate) fn random(
    program: &Program,
    ranges: &Ranges,
    (n_tests, n_steps): (usize, usize),
    draw: &mut Draw,
) -> Table {
    let columns: Vec<VarId> = program.inputs().collect();
    let mut table = Table { columns, tests: Vec::new() };
    for _ in 0..n_tests {
        let mut test = Test::default();
        for _ in 0..n_steps {
            let values = table.columns.iter().map(|var| ranges.value(draw, program, *var));
            test.steps.push(values.collect());
        }
        table.tests.push(test);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_exactly() {
        assert_eq!(number("-0.25"), Some(Rational::new(-1, 4)));
        assert_eq!(number(" 12 "), Some(Rational::from_integer(12)));
        for text in ["", "-", ".5", "1e3", "0x1", "1.2.3", "99999999999999999999"] {
            assert_eq!(number(text), None, "{text}");
        }
    }
}
