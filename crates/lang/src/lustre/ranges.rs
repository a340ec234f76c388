//! What inputs can be, as arguments say: `NAME=LEAST..GREATEST`.

use punctual_model::{
    VarId,
    lustre::{Program, Rational, Role, Type},
};

use crate::{diagnostic::closest, number::decimal};

/// An input with its least and its greatest value, both included: `NAME=LEAST..GREATEST`.
///
/// # Errors
/// If it is no range of an input that is a number: what is wrong with it.
pub fn range(program: &Program, text: &str) -> Result<(VarId, (Rational, Rational)), String> {
    let (name, least, greatest) = parts(text)?;
    let Some(var) = program.var(name) else {
        let names = program.inputs().map(|var| program.vars[var].name.as_str());
        let hint = closest(name, names)
            .map_or(String::new(), |close| format!("; did you mean `{close}`?"));
        return Err(format!("there is no `{name}`{hint}"));
    };
    let declared = &program.vars[var];
    if declared.role != Role::Input || !matches!(declared.ty, Type::Int | Type::Real) {
        return Err("only inputs that are numbers have a range".to_owned());
    }
    if declared.ty == Type::Int && !(least.is_integer() && greatest.is_integer()) {
        return Err("the bounds are whole numbers of 64 bits".to_owned());
    }
    Ok((var, (least, greatest)))
}

/// The name and the bounds.
fn parts(text: &str) -> Result<(&str, Rational, Rational), String> {
    let form = || "write it as `x=0..10`".to_owned();
    let (name, bounds) = text.split_once('=').ok_or_else(form)?;
    let (least, greatest) = bounds.split_once("..").ok_or_else(form)?;
    // Room for sums and products of bounds.
    let fits = |it: &Rational| i64::try_from(*it.numer()).is_ok() && *it.denom() <= 1_000_000_000;
    let bound = |text: &str| decimal(text.trim()).filter(fits);
    let (Some(least), Some(greatest)) = (bound(least), bound(greatest)) else {
        return Err("the bounds are numbers".to_owned());
    };
    match least <= greatest {
        true => Ok((name.trim(), least, greatest)),
        false => Err("the range is empty".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_name_their_input() {
        let (low, high) = (Rational::new(-3, 2), Rational::from_integer(10));
        assert_eq!(parts("level = -1.5 .. 10"), Ok(("level", low, high)));
        for (text, why) in [
            ("level", "write it as"),
            ("level=1", "write it as"),
            ("level=1..x", "numbers"),
            ("level=1..99999999999999999999", "numbers"),
            ("level=2..1", "empty"),
        ] {
            assert!(parts(text).is_err_and(|it| it.contains(why)), "{text}");
        }
    }
}
