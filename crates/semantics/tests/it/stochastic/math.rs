//! The functions of the language have the values of C's.

use std::f64::consts::{E, FRAC_PI_2, FRAC_PI_4, LN_2, PI};

use punctual_model::{Builtin, Expr};
use punctual_semantics::FaultKind;

use super::build::{double, truth, value};

fn apply(builtin: Builtin, arguments: &[f64]) -> Expr {
    Expr::Builtin(builtin, arguments.iter().map(|value| double(*value)).collect())
}

#[test]
fn functions_of_doubles() {
    use Builtin::*;
    let known: &[(Builtin, &[f64], f64)] = &[
        (Fabs, &[-1.5], 1.5),
        (Fmod, &[7.5, 2.0], 1.5),
        (Fma, &[2.0, 3.0, 4.0], 10.0),
        (Fmax, &[1.0, 2.0], 2.0),
        (Fmax, &[f64::NAN, 2.0], 2.0),
        (Fmin, &[1.0, 2.0], 1.0),
        (Fdim, &[5.0, 3.0], 2.0),
        (Fdim, &[3.0, 5.0], 0.0),
        (Exp, &[1.0], E),
        (Exp2, &[3.0], 8.0),
        (Expm1, &[1e-10], 1.000_000_000_05e-10),
        (Ln, &[E], 1.0),
        (Log, &[1000.0], 3.0),
        (Log10, &[0.01], -2.0),
        (Log2, &[8.0], 3.0),
        (Log1p, &[1e-10], 9.999_999_999_5e-11),
        (Pow, &[2.0, 10.0], 1024.0),
        (Sqrt, &[2.25], 1.5),
        (Cbrt, &[27.0], 3.0),
        (Hypot, &[3.0, 4.0], 5.0),
        (Sin, &[FRAC_PI_2], 1.0),
        (Cos, &[PI], -1.0),
        (Tan, &[FRAC_PI_4], 1.0),
        (Asin, &[1.0], FRAC_PI_2),
        (Acos, &[-1.0], PI),
        (Atan, &[1.0], FRAC_PI_4),
        (Atan2, &[1.0, -1.0], 3.0 * FRAC_PI_4),
        (Sinh, &[LN_2], 0.75),
        (Cosh, &[LN_2], 1.25),
        (Tanh, &[LN_2], 0.6),
        (Asinh, &[0.75], LN_2),
        (Acosh, &[1.25], LN_2),
        (Atanh, &[0.6], LN_2),
        (Erf, &[1.0], 0.842_700_792_949_714_9),
        (Erfc, &[1.0], 0.157_299_207_050_285_13),
        (Tgamma, &[5.0], 24.0),
        (Tgamma, &[0.5], 1.772_453_850_905_516),
        (Lgamma, &[10.0], 12.801_827_480_081_469),
        (Ceil, &[1.2], 2.0),
        (Floor, &[-1.2], -2.0),
        (Trunc, &[-1.7], -1.0),
        (Round, &[-2.5], -3.0),
        (Logb, &[10.0], 3.0),
        (Logb, &[0.0], f64::NEG_INFINITY),
        (Logb, &[f64::NEG_INFINITY], f64::INFINITY),
        (NextAfter, &[1.0, 2.0], 1.0 + f64::EPSILON),
        (CopySign, &[3.0, -0.5], -3.0),
        (Ldexp, &[1.5, 4.0], 24.0),
        (Ldexp, &[1.5, 1e300], f64::INFINITY),
    ];
    for (builtin, arguments, expected) in known {
        let value = value(&apply(*builtin, arguments)).unwrap();
        let close = value == *expected || (value - expected).abs() <= 1e-14 * expected.abs();
        assert!(close, "{builtin:?} of {arguments:?} is {value}, not {expected}");
    }
    assert!(value(&apply(Sqrt, &[-1.0])).unwrap().is_nan());
    assert!(value(&apply(Ln, &[-1.0])).unwrap().is_nan());
}

#[test]
fn functions_that_give_integers() {
    use Builtin::*;
    let known: &[(Builtin, &[f64], i32)] = &[
        (Fint, &[2.9], 2),
        (Fint, &[-2.9], -2),
        (Fint, &[2_147_483_647.9], i32::MAX),
        (Fint, &[-2_147_483_648.9], i32::MIN),
        (IsFinite, &[1.0], 1),
        (IsFinite, &[f64::INFINITY], 0),
        (IsInf, &[f64::NEG_INFINITY], 1),
        (IsInf, &[1.0], 0),
        (IsNan, &[f64::NAN], 1),
        (IsNan, &[1.0], 0),
        (IsNormal, &[1.0], 1),
        (IsNormal, &[1e-310], 0),
        (SignBit, &[-0.0], 1),
        (SignBit, &[0.0], 0),
        (IsUnordered, &[1.0, f64::NAN], 1),
        (IsUnordered, &[1.0, 2.0], 0),
        (Ilogb, &[10.0], 3),
        (Ilogb, &[0.3], -2),
    ];
    for (builtin, arguments, expected) in known {
        let value = truth(&apply(*builtin, arguments));
        assert_eq!(value, Ok(*expected), "{builtin:?} of {arguments:?}");
    }
    for outside in [2_147_483_648.0, -2_147_483_649.0, f64::NAN, f64::INFINITY] {
        assert_eq!(truth(&apply(Fint, &[outside])), Err(FaultKind::Overflow), "{outside}");
    }
    // They are doubles where doubles are wanted, and conditions.
    assert_eq!(value(&Expr::ToDouble(Box::new(apply(Fint, &[2.9])))), Ok(2.0));
    let parts = [apply(IsNan, &[0.0]), double(1.0), double(2.0)];
    assert_eq!(value(&Expr::Conditional(Box::new(parts))), Ok(2.0));
}
