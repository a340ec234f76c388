//! Folding while building never changes what a term is.

use std::cell::RefCell;

use proptest::prelude::*;
use punctual_solver::{Answer, Sort, Term, Terms, Value};

use crate::session;

/// How a term is built, from choices.
fn number(terms: &mut Terms, leaves: &[Term], choices: &mut &[u8]) -> Term {
    let Some((choice, rest)) = choices.split_first() else { return leaves[0] };
    *choices = rest;
    let choice = *choice as usize;
    match choice % 12 {
        0..4 => leaves[choice / 12 % leaves.len()],
        4 => {
            let a = number(terms, leaves, choices);
            terms.neg(a)
        }
        5 => {
            let (a, b) = (number(terms, leaves, choices), number(terms, leaves, choices));
            terms.add(a, b)
        }
        6 => {
            let (a, b) = (number(terms, leaves, choices), number(terms, leaves, choices));
            terms.sub(a, b)
        }
        7 => {
            let (a, b) = (number(terms, leaves, choices), number(terms, leaves, choices));
            terms.mul(a, b)
        }
        8 | 9 => {
            let a = number(terms, leaves, choices);
            let b = terms.int(choice as i128 / 12 + 1);
            if choice % 12 == 8 { terms.int_div(a, b) } else { terms.modulo(a, b) }
        }
        _ => {
            let condition = truth(terms, leaves, choices);
            let (a, b) = (number(terms, leaves, choices), number(terms, leaves, choices));
            terms.ite(condition, a, b)
        }
    }
}

fn truth(terms: &mut Terms, leaves: &[Term], choices: &mut &[u8]) -> Term {
    let Some((choice, rest)) = choices.split_first() else { return terms.bool(true) };
    *choices = rest;
    match choice % 8 {
        0..3 => {
            let (a, b) = (number(terms, leaves, choices), number(terms, leaves, choices));
            match choice % 8 {
                0 => terms.lt(a, b),
                1 => terms.le(a, b),
                _ => terms.eq(a, b),
            }
        }
        3 => {
            let a = truth(terms, leaves, choices);
            terms.not(a)
        }
        4 => {
            let (a, b) = (truth(terms, leaves, choices), truth(terms, leaves, choices));
            terms.and(a, b)
        }
        5 => {
            let (a, b) = (truth(terms, leaves, choices), truth(terms, leaves, choices));
            terms.or(a, b)
        }
        6 => {
            let (a, b) = (truth(terms, leaves, choices), truth(terms, leaves, choices));
            terms.eq(a, b)
        }
        _ => {
            let c = truth(terms, leaves, choices);
            let (a, b) = (truth(terms, leaves, choices), truth(terms, leaves, choices));
            terms.ite(c, a, b)
        }
    }
}

/// The term over constants folds to what the solver says of the same term over symbols.
#[test]
fn folding_agrees_with_the_solver() {
    let session = RefCell::new(session());
    proptest!(ProptestConfig::with_cases(400), |(
        choices in prop::collection::vec(any::<u8>(), 1..40), values in prop::array::uniform3(-3_i128..4)
    )| {
        let mut session = session.borrow_mut();
        session.push();
        let terms = session.terms();
        let constants = values.map(|it| terms.int(it));
        let symbols = [0, 1, 2].map(|_| terms.symbol("x", Sort::Int));
        let folded = number(terms, &constants, &mut choices.as_slice());
        let open = number(terms, &symbols, &mut choices.as_slice());
        let folded = terms.constant(folded);
        for (symbol, constant) in symbols.into_iter().zip(constants) {
            let same = session.terms().eq(symbol, constant);
            session.assert(same);
        }
        let answer = session.check();
        let said = session.values(&[open]);
        session.pop();
        prop_assert_eq!(answer, Ok(Answer::Sat));
        let said: Result<Option<Value>, _> = said.map(|it| it.first().copied());
        prop_assert_eq!(said, Ok(folded));
    });
}
