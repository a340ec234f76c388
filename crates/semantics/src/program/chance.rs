//! Random numbers of the distributions of the language.
//!
//! Parameters outside of the domain of a distribution are an error of the model.

use std::{convert::Infallible, f64::consts::FRAC_PI_2};

use punctual_model::Builtin;
use rand_core::TryRng;
use rand_distr::{Beta, Distribution, Gamma, Poisson, StandardNormal};

use super::real::Chance;
use crate::FaultKind;

/// Draws a random number.
#[inline(never)]
pub(super) fn draw(
    builtin: Builtin,
    parameters: &[f64],
    chance: &mut dyn Chance,
) -> Result<f64, FaultKind> {
    let refuse = |rule| Err(FaultKind::Distribution { rule });
    let a = parameters[0];
    let b = || parameters[1];
    let positive = |value: f64| value > 0.0 && value.is_finite();
    match builtin {
        Builtin::Random => match a >= 0.0 && a.is_finite() {
            true => Ok(chance.unit() * a),
            false => refuse("random(max) needs a finite max that is not negative"),
        },
        Builtin::RandomNormal => match a.is_finite() && b() >= 0.0 && b().is_finite() {
            true => {
                let normal: f64 = StandardNormal.sample(&mut Bits(chance));
                Ok(a + b() * normal)
            }
            false => refuse("random_normal(mean, sd) needs finite numbers, and sd not negative"),
        },
        Builtin::RandomPoisson if a == 0.0 => Ok(0.0),
        Builtin::RandomPoisson => match Poisson::new(a) {
            Ok(poisson) => Ok(poisson.sample(&mut Bits(chance))),
            Err(_) => refuse("random_poisson(lambda) needs a lambda from 0 to 1.8e19"),
        },
        Builtin::RandomArcsine => match a <= b() && (b() - a).is_finite() {
            true => {
                let sine = libm::sin(FRAC_PI_2 * chance.unit());
                Ok(a + (b() - a) * (sine * sine))
            }
            false => refuse("random_arcsine(from, till) needs finite numbers, and from <= till"),
        },
        Builtin::RandomBeta => match Beta::new(a, b()) {
            Ok(beta) if positive(a) && positive(b()) => Ok(beta.sample(&mut Bits(chance))),
            _ => refuse("random_beta(alpha, beta) needs positive, finite numbers"),
        },
        Builtin::RandomGamma => match Gamma::new(a, b()) {
            Ok(gamma) if positive(a) && positive(b()) => Ok(gamma.sample(&mut Bits(chance))),
            _ => refuse("random_gamma(shape, scale) needs positive, finite numbers"),
        },
        Builtin::RandomTri => {
            let (mode, till) = (b(), parameters[2]);
            match a <= mode && mode <= till && (till - a).is_finite() {
                true => Ok(triangular(a, mode, till, chance.unit())),
                false => refuse(
                    "random_tri(from, mode, till) needs finite numbers, and from <= mode <= till",
                ),
            }
        }
        Builtin::RandomWeibull => match positive(a) && positive(b()) {
            // The logarithm is that of 1 minus a number below 1.
            true => Ok(b() * libm::pow(-libm::log1p(-chance.unit()), 1.0 / a)),
            false => refuse("random_weibull(shape, scale) needs positive, finite numbers"),
        },
        builtin => unreachable!("{builtin:?} is not random"),
    }
}

/// Where a triangular distribution has gathered a probability.
fn triangular(from: f64, mode: f64, till: f64, probability: f64) -> f64 {
    let (rising, falling, width) = (mode - from, till - mode, till - from);
    match probability * width < rising {
        true => from + (probability * width * rising).sqrt(),
        false => till - ((1.0 - probability) * width * falling).sqrt(),
    }
}

/// Chance as the library of distributions knows it.
struct Bits<'c>(&'c mut dyn Chance);

impl TryRng for Bits<'_> {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        Ok((self.0.bits() >> 32) as u32)
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        Ok(self.0.bits())
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        for chunk in bytes.chunks_mut(8) {
            chunk.copy_from_slice(&self.0.bits().to_le_bytes()[..chunk.len()]);
        }
        Ok(())
    }
}
