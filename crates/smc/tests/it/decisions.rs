//! Sequential tests keep both of their risks.

use punctual_smc::statistics::{Claim, Comparison, Decision, RatioTest};

use crate::Random;

/// How many of 2000 tests of runs with probability `p` decide so, and how many runs they take.
fn decided(test: &RatioTest, p: f64, wanted: Decision) -> (usize, u64) {
    let mut random = Random(3);
    let mut runs = 0;
    let found = (0..2000).filter(|_| {
        let mut test = *test;
        while test.decision() == Decision::Undecided {
            test.observe(random.chance(p));
        }
        runs += test.runs();
        test.decision() == wanted
    });
    (found.count(), runs / 2000)
}

#[test]
fn ratio_tests_keep_both_risks() {
    for (alpha, beta) in [(0.05, 0.05), (0.01, 0.1), (0.1, 0.01)] {
        for threshold in [0.03, 0.3, 0.5, 0.95, 0.99] {
            for claim in [Claim::AtLeast, Claim::AtMost] {
                let test = RatioTest::new(claim, threshold, 0.04, alpha, beta).unwrap();
                let [low, high] = test.region();
                let (true_at, false_at) = match claim {
                    Claim::AtLeast => (high, low),
                    Claim::AtMost => (low, high),
                };
                let (fails, runs) = decided(&test, true_at, Decision::Fails);
                let (holds, _) = decided(&test, false_at, Decision::Holds);
                println!("{claim:?} {threshold} {alpha} {beta}: {fails} {holds} {runs} runs");
                // Three standard deviations of sampling: the true risk may be the whole of it.
                let most = |risk: f64| 2000.0 * risk + 3.0 * (2000.0 * risk * (1.0 - risk)).sqrt();
                assert!((fails as f64) < most(alpha), "{claim:?} {threshold}: {fails} of 2000");
                assert!((holds as f64) < most(beta), "{claim:?} {threshold}: {holds} of 2000");
                // And the risk is used, not avoided by endless runs.
                assert!(fails as f64 > 2000.0 * alpha / 8.0, "{claim:?} {threshold}: {fails}");
            }
        }
    }
}

/// A few decisions can be computed on paper: `n` failures say `((1 - low) / (1 - high))^n`.
#[test]
fn ratio_tests_of_runs_that_all_agree() {
    let mut test = RatioTest::new(Claim::AtLeast, 0.5, 0.1, 0.05, 0.01).unwrap();
    while test.decision() == Decision::Undecided {
        test.observe(false);
    }
    // 1.5^7 = 17, 1.5^8 = 26: first above 1 / 0.05.
    assert_eq!((test.decision(), test.runs()), (Decision::Fails, 8));
    let mut test = RatioTest::new(Claim::AtLeast, 0.5, 0.1, 0.05, 0.01).unwrap();
    while test.decision() == Decision::Undecided {
        test.observe(true);
    }
    // 1.5^11 = 86, 1.5^12 = 130: first above 1 / 0.01.
    assert_eq!((test.decision(), test.runs()), (Decision::Holds, 12));
}

#[test]
fn ratio_tests_at_the_ends_of_the_unit_interval() {
    let test = |claim, threshold| RatioTest::new(claim, threshold, 0.05, 0.05, 0.05).unwrap();
    assert_eq!(test(Claim::AtLeast, 0.0).decision(), Decision::Holds);
    assert_eq!(test(Claim::AtMost, 1.0).decision(), Decision::Holds);
    // One failure refutes certainty; 59 successes (0.95^59 < 0.05) support it.
    let mut certain = test(Claim::AtLeast, 1.0);
    certain.observe(false);
    assert_eq!(certain.decision(), Decision::Fails);
    let (always, runs) = decided(&test(Claim::AtLeast, 1.0), 1.0, Decision::Holds);
    assert_eq!((always, runs), (2000, 59));
    let (never, runs) = decided(&test(Claim::AtMost, 0.0), 0.0, Decision::Holds);
    assert_eq!((never, runs), (2000, 59));
    // The region stays inside.
    let [low, high] = test(Claim::AtLeast, 0.98).region();
    assert!((low - 0.93).abs() < 1e-12 && (high - 0.99).abs() < 1e-12, "{low} {high}");
    let [low, high] = test(Claim::AtLeast, 0.02).region();
    assert!((low - 0.01).abs() < 1e-12 && (high - 0.07).abs() < 1e-12, "{low} {high}");
}

#[test]
fn a_decision_stays() {
    let mut test = RatioTest::new(Claim::AtLeast, 0.5, 0.1, 0.05, 0.05).unwrap();
    for _ in 0..8 {
        test.observe(false);
    }
    assert_eq!(test.decision(), Decision::Fails);
    for _ in 0..1000 {
        test.observe(true);
    }
    assert_eq!((test.decision(), test.runs(), test.successes()), (Decision::Fails, 8, 0));
}

#[test]
fn comparisons_keep_both_risks() {
    let comparison = Comparison::new(Comparison::RATIOS, 0.05, 0.05).unwrap();
    for second in [0.05, 0.3, 0.6] {
        for (ratio, wrong) in [(0.9, Decision::Holds), (1.1, Decision::Fails)] {
            let odds = ratio * second / (1.0 - second);
            let first = odds / (1.0 + odds);
            let mut random = Random(5);
            let found = (0..1000).filter(|_| {
                let mut comparison = comparison;
                while comparison.decision() == Decision::Undecided {
                    comparison.observe(random.chance(first), random.chance(second));
                }
                comparison.decision() == wrong
            });
            let found = found.count();
            println!("{first:.4} against {second}: {found} of 1000 wrong");
            assert!((15..=70).contains(&found), "{first} against {second}: {found} of 1000");
        }
    }
}

#[test]
fn pairs_that_agree_say_nothing() {
    let mut comparison = Comparison::new([0.5, 2.0], 0.05, 0.05).unwrap();
    for _ in 0..100 {
        comparison.observe(true, true);
        comparison.observe(false, false);
    }
    assert_eq!(comparison.decision(), Decision::Undecided);
    // Each says 2 to 1: 2^4 < 1 / 0.05 < 2^5.
    for _ in 0..9 {
        comparison.observe(true, false);
    }
    assert_eq!(comparison.decision(), Decision::Holds);
    assert_eq!((comparison.pairs(), comparison.differing()), (205, 5));
}

#[test]
fn parameters_out_of_range_are_named() {
    let name = |test: Result<RatioTest, _>| match test {
        Ok(test) => panic!("{test:?}"),
        Err(punctual_smc::statistics::OutOfRange { name, .. }) => name,
    };
    let at_least = Claim::AtLeast;
    assert_eq!(name(RatioTest::new(at_least, 1.5, 0.1, 0.1, 0.1)), "the probability");
    assert_eq!(name(RatioTest::new(at_least, 0.5, 0.0, 0.1, 0.1)), "delta");
    assert_eq!(name(RatioTest::new(at_least, 0.5, 0.1, 1.0, 0.1)), "alpha");
    assert_eq!(name(RatioTest::new(at_least, 0.5, 0.1, 0.1, f64::NAN)), "beta");
    for ratios in [[0.0, 1.1], [1.0, 1.1], [0.9, 1.0], [0.9, f64::INFINITY]] {
        assert!(Comparison::new(ratios, 0.05, 0.05).is_err());
    }
}

#[test]
fn guarantees_are_sentences() {
    let guarantee = RatioTest::new(Claim::AtLeast, 0.5, 0.25, 0.05, 0.01).unwrap().guarantee();
    assert_eq!(
        guarantee,
        "Sequential test of Pr >= 0.5: wrong with at most 5 % risk if Pr >= 0.75, and at most 1 % if \
         Pr <= 0.25; in between, either answer may come."
    );
    let guarantee = Comparison::new(Comparison::RATIOS, 0.05, 0.01).unwrap().guarantee();
    assert!(guarantee.contains("5 % risk") && guarantee.contains("1.1 times"), "{guarantee}");
}
