//! Least values.

use std::cell::RefCell;

use proptest::prelude::*;
use punctual_solver::{Answer, Objective, Rational, Reason, Sort, Value};

use crate::session;

/// Earlier objectives matter more; all pairs of a small square are the textbook's way to know.
#[test]
fn least_values_are_lexicographic() {
    let session = RefCell::new(session());
    proptest!(ProptestConfig::with_cases(40), |(
        a in -20_i128..20, b in -20_i128..20, c in -60_i128..60, bounded in any::<bool>()
    )| {
        let mut session = session.borrow_mut();
        session.push();
        let terms = session.terms();
        let (x, y) = (terms.symbol("x", Sort::Int), terms.symbol("y", Sort::Int));
        let (low, high) = (terms.int(-20), terms.int(20));
        let mut claims = vec![terms.le(low, x), terms.le(x, high)];
        claims.extend([terms.le(low, y), terms.le(y, high)]);
        let sum = terms.add(x, y);
        let limit = terms.int(c);
        claims.push(terms.le(limit, sum));
        let (a_term, b_term) = (terms.int(a), terms.int(b));
        let (dx, dy) = (terms.sub(x, a_term), terms.sub(y, b_term));
        let (dx, dy) = (terms.abs(dx), terms.abs(dy));
        let distance = terms.add(dx, dy);
        for claim in claims {
            session.assert(claim);
        }
        let first = Objective::new(distance);
        let first = if bounded { first.at_least(0) } else { first };
        let found = session.minimise(&[first, Objective::new(x)], &[y]);
        let satisfied = session.check();
        session.pop();
        let expected = (-20..=20)
            .flat_map(|x| (-20..=20).map(move |y: i128| (x, y)))
            .filter(|(x, y)| x + y >= c)
            .map(|(x, y)| ((x - a).abs() + (y - b).abs(), x, y))
            .min_by_key(|(distance, x, _)| (*distance, *x));
        let Some((distance, x, _)) = expected else {
            prop_assert_eq!(found, Ok((Answer::Unsat, vec![], vec![])));
            return Ok(());
        };
        let Ok((answer, least, wanted)) = found else { panic!("{found:?}") };
        prop_assert_eq!(answer, Answer::Sat);
        prop_assert_eq!(&least, &vec![Value::Int(distance), Value::Int(x)]);
        let y = wanted[0].as_int().unwrap();
        prop_assert_eq!((x - a).abs() + (y - b).abs(), distance);
        prop_assert!(x + y >= c);
        prop_assert_eq!(satisfied, Ok(Answer::Sat));
    });
}

#[test]
fn real_numbers_have_a_least_value_or_are_known_to_have_none() {
    for strict in [false, true] {
        let mut session = session();
        let terms = session.terms();
        let (x, half) = (terms.symbol("x", Sort::Real), terms.real(Rational::new(1, 2)));
        let above = if strict { terms.lt(half, x) } else { terms.le(half, x) };
        session.assert(above);
        let (answer, least, _) = session.minimise(&[Objective::new(x)], &[]).unwrap();
        if strict {
            assert!(matches!(answer, Answer::Unknown(_)), "{answer:?}");
        } else {
            assert_eq!(least, vec![Value::Real(Rational::new(1, 2))]);
        }
        assert_eq!(session.check(), Ok(Answer::Sat));
    }
}

#[test]
fn what_falls_for_ever_has_no_least_value() {
    let mut session = session();
    let x = session.terms().symbol("x", Sort::Int);
    let found = session.minimise(&[Objective::new(x)], &[]).unwrap();
    assert!(matches!(found.0, Answer::Unknown(Reason::NoLeast | Reason::Number(_))), "{found:?}");
}
