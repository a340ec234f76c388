//! Constants near the end of the range: right, or a panic, never wrapped.

use proptest::prelude::*;
use punctual_zones::{Bound, Zone};

use crate::reference::{Matrix, Weight, sum, tighter, weight};

const MAX: i32 = Bound::MAX_CONSTANT;

fn any_bound() -> impl Strategy<Value = Bound> {
    let constant = prop_oneof![-MAX..=MAX, MAX - 3..=MAX, -MAX..=-MAX + 3, -3..=3_i32];
    prop_oneof![
        9 => (constant, any::<bool>()).prop_map(|(c, weak)| Bound::new(c, weak).expect("in range")),
        1 => Just(Bound::INFINITY),
    ]
}

fn fits(weight: Weight) -> bool {
    weight.is_none_or(|(constant, _)| constant.abs() <= i64::from(MAX))
}

/// What an operation does, or `None` if it panics.
fn quietly<T>(operation: impl FnOnce() -> T) -> Option<T> {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(operation)).ok()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    /// The order of bounds is that of constraints, and raw values come back.
    #[test]
    fn order_is_tightness(a in any_bound(), b in any_bound()) {
        prop_assert_eq!(a < b, tighter(weight(a), weight(b)));
        prop_assert_eq!(Bound::from_raw(a.raw()), Some(a));
        prop_assert_eq!(a.complement().and_then(Bound::complement), a.constant().map(|_| a));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    /// A sum is right or refused.
    #[test]
    fn sums_do_not_wrap(a in any_bound(), b in any_bound()) {
        let expected = sum(weight(a), weight(b));
        let got = quietly(|| a + b);
        prop_assert_eq!(got.map(weight), fits(expected).then_some(expected));
    }

    /// Adding a constraint is right, or refused because some bound that follows does not fit.
    #[test]
    fn constraints_do_not_wrap(list in prop::collection::vec((0..5_usize, 1..5_usize, any_bound()), 1..6)) {
        let mut zone = Zone::universe(4);
        let mut matrix = Matrix::of(&zone);
        for (x, step, bound) in list {
            let y = (x + step) % 5;
            matrix.constrain(x, y, weight(bound));
            let Some(closed) = matrix.closed() else {
                // Emptiness is seen before anything is computed.
                prop_assert!(!zone.constrain(x, y, bound));
                return Ok(());
            };
            let fits = closed.0.iter().flatten().all(|it| fits(*it));
            let got = quietly(|| zone.constrain(x, y, bound).then(|| Matrix::of(&zone)));
            if !fits {
                prop_assert_eq!(got, None);
                return Ok(());
            }
            prop_assert_eq!(got, Some(Some(closed.clone())));
            matrix = closed;
        }
    }
}

#[test]
fn constants_out_of_range_are_refused() {
    assert_eq!(Bound::new(MAX + 1, true), None);
    assert_eq!(Bound::new(-MAX - 1, false), None);
    assert_eq!(Bound::new(i32::MIN, false), None);
    assert_eq!(Bound::from_raw(i32::MIN), None);
    assert_eq!(Bound::from_raw(i32::MAX), Some(Bound::INFINITY));
    assert_eq!(Bound::le(MAX).constant(), Some(MAX));
    assert_eq!(Bound::lt(-MAX).constant(), Some(-MAX));
    assert!(quietly(|| Bound::le(1 << 30)).is_none());
    assert!(quietly(|| Zone::zero(1).reset(1, -1)).is_none());
    assert!(quietly(|| Zone::zero(1).reset(1, MAX + 1)).is_none());
    assert!(quietly(|| Zone::zero(1).shift(1, i32::MIN)).is_none());
}

/// A sum that is out of range but would be no improvement is not needed.
#[test]
fn useless_sums_were_refused() {
    let mut zone = Zone::universe(4);
    assert!(zone.constrain(4, 3, Bound::le(MAX - 10)) && zone.constrain(4, 2, Bound::le(50)));
    assert!(zone.constrain(1, 2, Bound::le(100)));
    // Through clocks 3 and 1, clock 4 is bounded against clock 2 too, by far too much.
    assert!(zone.constrain(3, 1, Bound::le(1)));
    assert_eq!(zone.bound(4, 1), Bound::le(MAX - 9));
    assert_eq!(zone.bound(4, 2), Bound::le(50));
}

#[test]
fn a_clock_can_be_at_the_end_of_the_range() {
    let mut zone = Zone::zero(2);
    zone.reset(1, MAX);
    assert_eq!(zone.max(1).map(|limit| limit.value), Some(MAX));
    assert!(zone.shift(1, -MAX));
    assert_eq!(zone, Zone::zero(2));
    assert!(zone.shift(1, MAX));
    assert!(quietly(|| zone.shift(1, 1)).is_none());
}
