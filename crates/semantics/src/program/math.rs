//! The functions of the language on doubles.
//!
//! They are those of C, computed in software wherever machines may differ in the last bit, so that
//! a seed gives the same run everywhere.

use punctual_model::Builtin;

use crate::FaultKind;

/// How many doubles a function takes.
pub(super) fn arity(builtin: Builtin) -> usize {
    match builtin {
        Builtin::Fma | Builtin::RandomTri => 3,
        Builtin::IsUnordered
        | Builtin::Fmod
        | Builtin::Fmax
        | Builtin::Fmin
        | Builtin::Fdim
        | Builtin::Pow
        | Builtin::Hypot
        | Builtin::Atan2
        | Builtin::NextAfter
        | Builtin::CopySign
        | Builtin::Ldexp
        | Builtin::RandomArcsine
        | Builtin::RandomBeta
        | Builtin::RandomGamma
        | Builtin::RandomNormal
        | Builtin::RandomWeibull => 2,
        _ => 1,
    }
}

/// A function of doubles that gives an integer.
pub(super) fn int(builtin: Builtin, arguments: &[f64]) -> Result<i32, FaultKind> {
    let a = arguments[0];
    Ok(match builtin {
        Builtin::Fint => {
            let whole = a.trunc();
            // Fails also for what is not a number.
            if !(f64::from(i32::MIN)..=f64::from(i32::MAX)).contains(&whole) {
                return Err(FaultKind::Overflow);
            }
            whole as i32
        }
        Builtin::IsFinite => a.is_finite().into(),
        Builtin::IsInf => a.is_infinite().into(),
        Builtin::IsNan => a.is_nan().into(),
        Builtin::IsNormal => a.is_normal().into(),
        Builtin::SignBit => a.is_sign_negative().into(),
        Builtin::IsUnordered => (a.is_nan() || arguments[1].is_nan()).into(),
        Builtin::Ilogb => libm::ilogb(a),
        builtin => unreachable!("{builtin:?} does not give an integer"),
    })
}

/// A function of doubles that gives a double.
#[inline(never)]
pub(super) fn double(builtin: Builtin, arguments: &[f64]) -> f64 {
    let a = arguments[0];
    let b = || arguments[1];
    match builtin {
        Builtin::Fabs => a.abs(),
        Builtin::Fmod => a % b(),
        Builtin::Fma => a.mul_add(b(), arguments[2]),
        Builtin::Fmax => a.max(b()),
        Builtin::Fmin => a.min(b()),
        Builtin::Fdim => libm::fdim(a, b()),
        Builtin::Exp => libm::exp(a),
        Builtin::Exp2 => libm::exp2(a),
        Builtin::Expm1 => libm::expm1(a),
        Builtin::Ln => libm::log(a),
        Builtin::Log | Builtin::Log10 => libm::log10(a),
        Builtin::Log2 => libm::log2(a),
        Builtin::Log1p => libm::log1p(a),
        Builtin::Pow => libm::pow(a, b()),
        Builtin::Sqrt => a.sqrt(),
        Builtin::Cbrt => libm::cbrt(a),
        Builtin::Hypot => libm::hypot(a, b()),
        Builtin::Sin => libm::sin(a),
        Builtin::Cos => libm::cos(a),
        Builtin::Tan => libm::tan(a),
        Builtin::Asin => libm::asin(a),
        Builtin::Acos => libm::acos(a),
        Builtin::Atan => libm::atan(a),
        Builtin::Atan2 => libm::atan2(a, b()),
        Builtin::Sinh => libm::sinh(a),
        Builtin::Cosh => libm::cosh(a),
        Builtin::Tanh => libm::tanh(a),
        Builtin::Asinh => libm::asinh(a),
        Builtin::Acosh => libm::acosh(a),
        Builtin::Atanh => libm::atanh(a),
        Builtin::Erf => libm::erf(a),
        Builtin::Erfc => libm::erfc(a),
        Builtin::Tgamma => libm::tgamma(a),
        Builtin::Lgamma => libm::lgamma(a),
        Builtin::Ceil => a.ceil(),
        Builtin::Floor => a.floor(),
        Builtin::Trunc => a.trunc(),
        Builtin::Round => a.round(),
        Builtin::Logb => logb(a),
        Builtin::NextAfter => libm::nextafter(a, b()),
        Builtin::CopySign => a.copysign(b()),
        // The exponent is a double here; further away than this makes no difference.
        Builtin::Ldexp => libm::ldexp(a, b().clamp(-1e5, 1e5) as i32),
        builtin => unreachable!("{builtin:?} does not give a double of doubles"),
    }
}

/// The exponent of a double.
fn logb(value: f64) -> f64 {
    if value == 0.0 {
        f64::NEG_INFINITY
    } else if value.is_finite() {
        libm::ilogb(value).into()
    } else {
        value * value
    }
}
