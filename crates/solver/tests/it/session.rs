//! What a session is told, asked, and takes back.

use std::time::Duration;

use punctual_solver::{Answer, Error, Rational, Reason, Sort, Value};

use crate::session;

#[test]
fn values_satisfy_what_was_claimed() {
    let mut session = session();
    let terms = session.terms();
    let x = terms.symbol("x", Sort::Int);
    let r = terms.symbol("r", Sort::Real);
    let p = terms.symbol("p", Sort::Bool);
    let seven = terms.int(-7);
    let third = terms.real(Rational::new(-1, 3));
    let x_is_seven = terms.eq(x, seven);
    let r_is_third = terms.eq(r, third);
    let claim = terms.and(x_is_seven, r_is_third);
    let claim = terms.and(claim, p);
    let twice = terms.add(x, x);
    session.assert(claim);
    assert_eq!(session.check(), Ok(Answer::Sat));
    let values = session.values(&[x, r, p, twice]);
    let expected =
        vec![Value::Int(-7), Value::Real(Rational::new(-1, 3)), Value::Bool(true), Value::Int(-14)];
    assert_eq!(values, Ok(expected));
}

#[test]
fn pop_takes_back_claims_names_and_terms() {
    let mut session = session();
    let terms = session.terms();
    let x = terms.symbol("x", Sort::Int);
    let zero = terms.int(0);
    let positive = terms.lt(zero, x);
    let before = session.terms().len();
    for round in 0..3 {
        session.push();
        let terms = session.terms();
        let y = terms.symbol("y", Sort::Int);
        let sum = terms.add(x, y);
        let product = terms.mul(sum, sum);
        let limit = terms.int(round);
        let small = terms.lt(product, limit);
        session.define(sum);
        session.assert(small);
        session.assert(positive);
        // A square is less than `round` only if that is more than zero.
        let expected = if round == 0 { Answer::Unsat } else { Answer::Sat };
        assert_eq!(session.check(), Ok(expected));
        session.pop();
        assert_eq!(session.terms().len(), before);
        assert_eq!(session.values(&[x]), Err(Error::NoModel));
    }
    let not_positive = session.terms().not(positive);
    session.assert(not_positive);
    assert_eq!(session.check(), Ok(Answer::Sat));
    assert_eq!(session.check_assuming(&[positive]), Ok(Answer::Unsat));
    assert_eq!(session.check(), Ok(Answer::Sat));
}

/// Sharing is kept: written out as a tree, the term would have 2^200 leaves.
#[test]
fn shared_terms_do_not_explode() {
    let mut session = session();
    let terms = session.terms();
    let x = terms.symbol("x", Sort::Int);
    let mut sum = x;
    for _ in 0..100 {
        sum = terms.add(sum, sum);
    }
    let one = terms.int(1);
    let is_one = terms.eq(x, one);
    let wanted = terms.int(1 << 100);
    let is_wanted = terms.eq(sum, wanted);
    session.assert(is_one);
    session.assert(is_wanted);
    assert_eq!(session.check(), Ok(Answer::Sat));
    assert_eq!(session.values(&[sum]), Ok(vec![Value::Int(1 << 100)]));
}

/// A chain in which nothing is shared is written without a deep stack.
#[test]
fn long_chains_need_no_deep_stack() {
    let mut session = session();
    let terms = session.terms();
    let mut all = terms.bool(true);
    let zero = terms.int(0);
    let symbols: Vec<_> = (0..20_000).map(|_| terms.symbol("x", Sort::Int)).collect();
    for symbol in &symbols {
        let positive = terms.lt(zero, *symbol);
        all = terms.and(all, positive);
    }
    session.assert(all);
    assert_eq!(session.check(), Ok(Answer::Sat));
}

#[test]
fn numbers_beyond_128_bits_are_no_values() {
    let mut session = session();
    let terms = session.terms();
    let large = terms.int(i128::MAX);
    let x = terms.symbol("x", Sort::Int);
    let double = terms.add(large, large);
    let is_double = terms.eq(x, double);
    session.assert(is_double);
    assert_eq!(session.check(), Ok(Answer::Sat));
    assert!(matches!(session.values(&[x]), Err(Error::Lost(Reason::Number(_)))));
}

/// The factors of a product of two primes, which nobody finds in a moment.
#[test]
fn a_hard_question_ends_in_time_and_the_session_goes_on() {
    let mut session = session();
    session.set_timeout(Duration::from_millis(50));
    session.push();
    let terms = session.terms();
    let (x, y) = (terms.symbol("x", Sort::Int), terms.symbol("y", Sort::Int));
    let one = terms.int(1);
    let (x_large, y_large) = (terms.lt(one, x), terms.lt(one, y));
    let product = terms.mul(x, y);
    let wanted = terms.int(170_141_183_460_469_231_731_687_303_715_884_105_727 / 3 * 2 - 1);
    let same = terms.eq(product, wanted);
    for claim in [x_large, y_large, same] {
        session.assert(claim);
    }
    assert!(matches!(session.check(), Ok(Answer::Unknown(_))));
    session.pop();
    session.set_timeout(Duration::from_secs(60));
    assert_eq!(session.check(), Ok(Answer::Sat));
}
