//! From answers of the checker to exit codes.

use punctual_report::view::answers as view;

use crate::{FAIL, INCONCLUSIVE, PASS, REJECTED};

/// What the answers of several queries amount to: rejected before not satisfied before
/// inconclusive before satisfied. A query that is merely skipped does not count.
pub(crate) fn code(answers: impl IntoIterator<Item = view::Answer>) -> u8 {
    worst(answers.into_iter().filter_map(code_of))
}

/// The same where the authors of queries say what they expect: what is expected is fine, whatever it
/// is, and another definite answer is not.
pub(crate) fn code_as_expected(answered: &[view::Answered]) -> u8 {
    worst(answered.iter().filter_map(|answered| match answered.expected {
        Some(expected) if expected == answered.answer => Some(PASS),
        Some(_) if answered.answer == view::Answer::Satisfied => Some(FAIL),
        _ => code_of(answered.answer),
    }))
}

fn worst(codes: impl Iterator<Item = u8>) -> u8 {
    let rank = |code: &u8| [PASS, INCONCLUSIVE, FAIL, REJECTED].iter().position(|c| c == code);
    codes.max_by_key(rank).unwrap_or(PASS)
}

fn code_of(answer: view::Answer) -> Option<u8> {
    match answer {
        view::Answer::Satisfied | view::Answer::Values => Some(PASS),
        view::Answer::NotSatisfied => Some(FAIL),
        view::Answer::MaySatisfy
        | view::Answer::MayNotSatisfy
        | view::Answer::MayValues
        | view::Answer::Undecided => Some(INCONCLUSIVE),
        view::Answer::Error => Some(REJECTED),
        view::Answer::Skipped => None,
    }
}

#[cfg(test)]
mod tests {
    use punctual_report::view::answers::{Answer, Answered};

    use super::code;

    #[test]
    fn the_most_serious_answer_counts() {
        use Answer::{Error, MaySatisfy, NotSatisfied, Satisfied, Skipped, Undecided, Values};
        for (answers, expected) in [
            (vec![Satisfied, Values, Skipped], 0),
            (vec![Satisfied, Undecided], 3),
            (vec![MaySatisfy, Satisfied], 3),
            (vec![NotSatisfied, Undecided, Satisfied], 1),
            (vec![NotSatisfied, Error, Undecided], 2),
        ] {
            assert_eq!(code(answers.clone()), expected, "{answers:?}");
        }
    }

    #[test]
    fn what_is_expected_is_fine() {
        let answered = |answer, expected| Answered { answer, expected, ..Answered::default() };
        use Answer::{NotSatisfied, Satisfied, Skipped, Undecided};
        for (answer, expected, code) in [
            (NotSatisfied, Some(NotSatisfied), 0),
            (Satisfied, Some(NotSatisfied), 1),
            (NotSatisfied, Some(Satisfied), 1),
            (NotSatisfied, None, 1),
            (Undecided, Some(NotSatisfied), 3),
            (Answer::Error, Some(Satisfied), 2),
            (Skipped, Some(Satisfied), 0),
        ] {
            let all = [answered(answer, expected), answered(Satisfied, None)];
            assert_eq!(super::code_as_expected(&all), code, "{answer}, expected {expected:?}");
        }
    }
}
