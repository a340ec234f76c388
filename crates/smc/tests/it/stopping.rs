//! When estimators have seen enough.

use punctual_smc::statistics::{Estimator, Method, Stop, okamoto_runs};

use crate::by_default;

/// How many runs an estimator draws if all fail, and the most it can draw at all.
fn fewest_and_most(method: Method) -> (u64, u64) {
    let estimator = by_default(method);
    let fewest = (0..).find(|&n| !estimator.wants_more(n, 0)).unwrap();
    let limit = estimator.most_runs().unwrap_or(1500);
    let most = (0..limit).rev().find(|&n| (0..=n).any(|k| estimator.wants_more(n, k))).unwrap();
    (fewest, most + 1)
}

#[test]
fn numbers_of_runs() {
    assert_eq!(fewest_and_most(Method::ClopperPearson), (72, 404));
    assert_eq!(fewest_and_most(Method::Wilson), (73, 385));
    assert_eq!(fewest_and_most(Method::Anytime), (158, 1269));
    assert_eq!(fewest_and_most(Method::Okamoto), (738, 738));
}

/// The cheap rule says the same as the bounds themselves.
#[test]
fn runs_end_when_both_bounds_are_within_epsilon() {
    for method in [Method::ClopperPearson, Method::Wilson, Method::Anytime] {
        for epsilon in [0.02, 0.05, 0.2] {
            let estimator = Estimator::new(method, 0.05, Stop::Within(epsilon)).unwrap();
            for n in (1..700).step_by(23) {
                for k in (0..=n).step_by(1 + n as usize / 40) {
                    let interval = estimator.interval(n, k);
                    let share = k as f64 / n as f64;
                    let reach = (interval.high - share).max(share - interval.low);
                    let place = format!("{method:?} {epsilon}: {k} of {n} reaches {reach}");
                    assert_eq!(estimator.wants_more(n, k), reach > epsilon, "{place}");
                }
            }
        }
    }
}

#[test]
fn most_runs_is_a_bound() {
    for (alpha, epsilon) in [(0.05, 0.05), (0.2, 0.1), (0.001, 0.3)] {
        let estimator =
            Estimator::new(Method::ClopperPearson, alpha, Stop::Within(epsilon)).unwrap();
        let most = estimator.most_runs().unwrap();
        assert_eq!(most, okamoto_runs(alpha, epsilon));
        assert!((0..=most).all(|k| !estimator.wants_more(most, k)));
    }
}

#[test]
fn a_given_number_of_runs_is_drawn() {
    for method in Method::ALL {
        let estimator = Estimator::new(method, 0.05, Stop::After(17)).unwrap();
        assert_eq!((0..).find(|&n| !estimator.wants_more(n, n / 2)), Some(17));
        assert_eq!(estimator.most_runs(), Some(17));
    }
}

#[test]
fn methods_have_names() {
    for method in Method::ALL {
        assert_eq!(method.name().parse(), Ok(method));
    }
    let error = "gauss".parse::<Method>().unwrap_err();
    assert_eq!(
        error.to_string(),
        "no estimator is called `gauss`; there are clopper-pearson, okamoto, wilson, anytime"
    );
}

#[test]
fn parameters_out_of_range_are_named() {
    for alpha in [0.0, 1.0, -0.1, f64::NAN] {
        let error = Estimator::new(Method::Wilson, alpha, Stop::After(1)).unwrap_err();
        assert_eq!(error.name, "alpha");
    }
    let error = Estimator::new(Method::Wilson, 0.05, Stop::Within(0.0)).unwrap_err();
    assert_eq!(error.to_string(), "epsilon is 0, and must be between 0 and 1");
}

/// Each sentence names what it depends on, without digits of rounding.
#[test]
fn guarantees_are_sentences() {
    for method in Method::ALL {
        for stop in [Stop::Within(0.02), Stop::After(500)] {
            let guarantee = Estimator::new(method, 0.001, stop).unwrap().guarantee();
            assert!(guarantee.contains("99.9 %") && guarantee.ends_with('.'), "{guarantee}");
            let parameter = if let Stop::After(_) = stop { "500" } else { "0.02" };
            let mentioned = guarantee.contains(parameter) || method == Method::Anytime;
            assert!(mentioned, "{guarantee}");
        }
    }
}
