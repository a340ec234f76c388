//! Rates of suites.

use punctual_smc::statistics::repeated::{Rates, any};

#[test]
fn shares_add_up_to_the_rates_of_the_suite() {
    let suite = Rates { alpha: 0.05, beta: 0.1 };
    for cases in [1, 2, 55, 244] {
        let one = suite.divided(cases, 1).unwrap();
        assert!((any((0..cases).map(|_| one.alpha)) - 0.05).abs() < 1e-14);
        assert!((any((0..cases).map(|_| one.beta)) - 0.1).abs() < 1e-14);
        let two = suite.divided(cases, 2).unwrap();
        assert!((two.alpha * 2.0 - one.alpha).abs() < 1e-16 && two.beta == one.beta);
    }
    // 244 tests at 5 % would nearly always alarm.
    assert!(any((0..244).map(|_| 0.05)) > 0.999_99);
    assert_eq!(Rates { alpha: 0.0, beta: 0.1 }.divided(3, 1).unwrap_err().name, "alpha");
}
