//! Random numbers have the distributions that their names say. Seeds are fixed, so a test that
//! passes once passes always; the parameters are such that a wrong order would show.

use std::f64::consts::{FRAC_2_PI, SQRT_2};

use punctual_model::{Builtin, Expr};
use punctual_semantics::{Fault, FaultKind, program::Builder};

use super::build::*;

const N: usize = 40_000;

fn draw(builtin: Builtin, parameters: &[f64]) -> Expr {
    Expr::Builtin(builtin, parameters.iter().map(|value| double(*value)).collect())
}

/// Sorted draws.
fn sample(builtin: Builtin, parameters: &[f64]) -> Vec<f64> {
    let network = network(Vec::new());
    let mut builder = Builder::stochastic(&network);
    let code = builder.double(&draw(builtin, parameters)).unwrap();
    let program = builder.finish();
    let mut machine = program.machine();
    let mut memory = Memories::new(&network);
    memory.chance = SplitMix(2024);
    let (state, mut reals) = memory.parts();
    let mut one = |_| program.real(code, state, &mut reals, &mut machine).unwrap();
    let mut draws: Vec<f64> = (0..N).map(&mut one).collect();
    draws.sort_by(f64::total_cmp);
    draws
}

fn moments(draws: &[f64]) -> (f64, f64) {
    let n = draws.len() as f64;
    let mean = draws.iter().sum::<f64>() / n;
    (mean, draws.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / n)
}

/// Compares draws with the mean, the variance and the distribution function (Kolmogorov and
/// Smirnov's distance, of which one in a thousand correct samples would exceed this).
fn check(
    builtin: Builtin,
    parameters: &[f64],
    (mean, variance): (f64, f64),
    below: impl Fn(f64) -> f64,
) {
    let draws = sample(builtin, parameters);
    let n = N as f64;
    let distance = draws.iter().enumerate().map(|(i, value)| {
        let expected = below(*value);
        (expected - i as f64 / n).abs().max((expected - (i + 1) as f64 / n).abs())
    });
    let distance = distance.fold(0.0, f64::max);
    assert!(distance * n.sqrt() < 1.95, "{builtin:?} of {parameters:?}: distance {distance}");
    let (sample_mean, sample_variance) = moments(&draws);
    let mean_off = (sample_mean - mean).abs() / (variance / n).sqrt();
    assert!(mean_off < 4.0, "{builtin:?} of {parameters:?}: mean {sample_mean}, not {mean}");
    let variance_off = (sample_variance / variance - 1.0).abs();
    assert!(variance_off < 0.05, "{builtin:?} of {parameters:?}: variance {sample_variance}");
}

#[test]
fn continuous_distributions() {
    use libm::{erf, erfc, exp, tgamma};
    check(Builtin::Random, &[3.0], (1.5, 0.75), |x| x / 3.0);
    check(Builtin::RandomNormal, &[2.0, 3.0], (2.0, 9.0), |x| {
        0.5 * erfc((2.0 - x) / (3.0 * SQRT_2))
    });
    check(Builtin::RandomArcsine, &[1.0, 3.0], (2.0, 0.5), |x| {
        FRAC_2_PI * ((x - 1.0) / 2.0).sqrt().asin()
    });
    let beta = |a: f64, b: f64| (a / (a + b), a * b / ((a + b).powi(2) * (a + b + 1.0)));
    check(Builtin::RandomBeta, &[3.0, 1.0], beta(3.0, 1.0), |x| x.powi(3));
    check(Builtin::RandomBeta, &[0.5, 0.5], beta(0.5, 0.5), |x| FRAC_2_PI * x.sqrt().asin());
    check(Builtin::RandomBeta, &[2.0, 3.0], beta(2.0, 3.0), |x| {
        x * x * (6.0 - 8.0 * x + 3.0 * x * x)
    });
    check(Builtin::RandomGamma, &[2.0, 3.0], (6.0, 18.0), |x| {
        1.0 - exp(-x / 3.0) * (1.0 + x / 3.0)
    });
    check(Builtin::RandomGamma, &[1.0, 2.0], (2.0, 4.0), |x| 1.0 - exp(-x / 2.0));
    check(Builtin::RandomGamma, &[0.5, 2.0], (1.0, 2.0), |x| erf((x / 2.0).sqrt()));
    let (from, mode, till) = (1.0, 2.0, 5.0);
    check(Builtin::RandomTri, &[from, mode, till], (8.0 / 3.0, 13.0 / 18.0), |x| match x < mode {
        true => (x - from).powi(2) / ((till - from) * (mode - from)),
        false => 1.0 - (till - x).powi(2) / ((till - from) * (till - mode)),
    });
    let mean = 3.0 * tgamma(1.5);
    check(Builtin::RandomWeibull, &[2.0, 3.0], (mean, 9.0 - mean * mean), |x| {
        1.0 - exp(-(x / 3.0).powi(2))
    });
}

#[test]
fn poisson_distributions() {
    for lambda in [0.3, 3.5, 40.0] {
        let draws = sample(Builtin::RandomPoisson, &[lambda]);
        let (mean, variance) = moments(&draws);
        assert!((mean - lambda).abs() < 4.0 * (lambda / N as f64).sqrt(), "mean {mean}");
        assert!((variance / lambda - 1.0).abs() < 0.05, "variance {variance}");
        let (mut probability, mut below) = ((-lambda).exp(), 0.0);
        for k in 0..100 {
            below += probability;
            probability *= lambda / f64::from(k + 1);
            let seen = draws.partition_point(|value| *value <= f64::from(k)) as f64 / N as f64;
            assert!((seen - below).abs() < 1.95 / (N as f64).sqrt(), "up to {k}: {seen}, {below}");
        }
        assert!(draws.iter().all(|value| value.fract() == 0.0));
    }
}

#[test]
fn draws_stay_where_they_may_be() {
    use Builtin::*;
    let odd: &[(Builtin, &[f64], f64, f64)] = &[
        (Random, &[0.0], 0.0, 0.0),
        (Random, &[1.0], 0.0, 1.0 - f64::EPSILON / 2.0),
        (RandomNormal, &[7.0, 0.0], 7.0, 7.0),
        (RandomPoisson, &[0.0], 0.0, 0.0),
        (RandomPoisson, &[1e-300], 0.0, 0.0),
        (RandomPoisson, &[1e18], 0.9e18, 1.1e18),
        (RandomArcsine, &[2.0, 2.0], 2.0, 2.0),
        (RandomArcsine, &[-1.0, 1.0], -1.0, 1.0),
        (RandomBeta, &[1e-300, 1e-300], 0.0, 1.0),
        (RandomBeta, &[1e300, 1e300], 0.0, 1.0),
        (RandomBeta, &[1e-3, 1e6], 0.0, 1.0),
        (RandomGamma, &[1e-300, 1.0], 0.0, 1.0),
        (RandomGamma, &[1e10, 1.0], 0.9e10, 1.1e10),
        (RandomTri, &[1.0, 1.0, 1.0], 1.0, 1.0),
        (RandomTri, &[1.0, 1.0, 2.0], 1.0, 2.0),
        (RandomTri, &[1.0, 2.0, 2.0], 1.0, 2.0),
        (RandomWeibull, &[1e-3, 1.0], 0.0, f64::INFINITY),
    ];
    for (builtin, parameters, lo, hi) in odd {
        let draws = sample(*builtin, parameters);
        let (first, last) = (draws[0], draws[N - 1]);
        assert!(*lo <= first && last <= *hi, "{builtin:?} of {parameters:?}: {first} to {last}");
    }
}

#[test]
fn parameters_outside_of_a_domain_are_faults() {
    use Builtin::*;
    let illegal: &[(Builtin, &[f64])] = &[
        (Random, &[-1.0]),
        (Random, &[f64::NAN]),
        (Random, &[f64::INFINITY]),
        (RandomNormal, &[0.0, -1.0]),
        (RandomNormal, &[f64::NAN, 1.0]),
        (RandomPoisson, &[-1.0]),
        (RandomPoisson, &[f64::NAN]),
        (RandomPoisson, &[1e20]),
        (RandomArcsine, &[2.0, 1.0]),
        (RandomArcsine, &[f64::NEG_INFINITY, 1.0]),
        (RandomBeta, &[0.0, 1.0]),
        (RandomBeta, &[1.0, f64::INFINITY]),
        (RandomGamma, &[1.0, 0.0]),
        (RandomGamma, &[f64::NAN, 1.0]),
        (RandomGamma, &[f64::INFINITY, 1.0]),
        (RandomTri, &[2.0, 1.0, 3.0]),
        (RandomTri, &[0.0, 4.0, 3.0]),
        (RandomTri, &[0.0, f64::NAN, 3.0]),
        (RandomWeibull, &[-1.0, 1.0]),
        (RandomWeibull, &[1.0, f64::NAN]),
    ];
    for (builtin, parameters) in illegal {
        let outcome = value(&draw(*builtin, parameters));
        let Err(kind @ FaultKind::Distribution { .. }) = outcome else {
            panic!("{builtin:?} of {parameters:?} gives {outcome:?}");
        };
        assert!(Fault { kind }.to_string().starts_with("random"), "{kind}");
    }
}

#[test]
fn a_seed_gives_the_same_draws_and_another_seed_others() {
    let network = network(Vec::new());
    let mut builder = Builder::stochastic(&network);
    let code = builder.double(&draw(Builtin::Random, &[1.0])).unwrap();
    let program = builder.finish();
    let run = |seed| {
        let mut memory = Memories::new(&network);
        memory.chance = SplitMix(seed);
        let (state, mut reals) = memory.parts();
        let mut machine = program.machine();
        [(); 8].map(|()| program.real(code, state, &mut reals, &mut machine).unwrap())
    };
    assert_eq!(run(7), run(7));
    assert_ne!(run(7), run(8));
}
