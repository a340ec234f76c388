//! What the texts of `answers.csv` mean.
//!
//! People wrote them for people. What follows a rule is read by [`interpret`]; what needs knowledge
//! about one model stands in [`SPECIAL`], with the reason. A text that is neither is not guessed
//! at: the query is skipped, and the text is the reason.

use super::{Judgement, no_answer};
use crate::ask::{Said, Value};

/// An answer that is expected.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Expected {
    Satisfied,
    NotSatisfied,
    MaybeSatisfied,
    /// Extreme values, one for each expression. Texts do not tell whether they are attained.
    Values(Vec<i32>),
    /// The query is wrong and must be rejected.
    Rejected,
    /// The query is right, whatever it asks.
    Accepted,
    /// A number, and how far the true one may be from it.
    Near(f64, f64),
    /// So close to a threshold that either decision is right.
    Either,
    /// Something that is not understood.
    Other,
}

/// A text that only its model explains.
struct Special {
    model: &'static str,
    text: &'static str,
    /// Which models it is about: all of them must have the values.
    variants: &'static [Variant],
}

/// A model with other parameters than those it is shipped with.
#[derive(Clone, Debug)]
pub(crate) struct Variant {
    /// What is replaced by what in the text of the model.
    pub(crate) changes: &'static [(&'static str, &'static str)],
    pub(crate) values: &'static [i32],
    /// The interval of a number that others estimated.
    pub(crate) between: Option<[f64; 2]>,
}

impl Variant {
    pub(crate) fn expected(&self) -> Expected {
        match self.between {
            Some([low, high]) => Expected::Near((low + high) / 2.0, (high - low) / 2.0),
            None => Expected::Values(self.values.to_vec()),
        }
    }
}

/// With another share of the shortest in the longest computation time.
const fn with_share(
    changes: &'static [(&'static str, &'static str)],
    between: [f64; 2],
) -> Variant {
    Variant { changes, values: &[], between: Some(between) }
}

/// The authors measured with `f` of at least 84, or with the first deadline of below 84. As shipped
/// (`f` is 83, the deadlines are those of 84) the over-approximation reaches `Error`, where the
/// processor is never released and response times grow for ever.
const F_84: Variant = Variant {
    changes: &[("const int f = 83;", "const int f = 84;")],
    values: &[20, 40, 70],
    between: None,
};
const F_83: Variant = Variant {
    changes: &[("Deadline[task_t] = { 20, 40", "Deadline[task_t] = { 55, 40")],
    values: &[55, 40, 70],
    between: None,
};

const SPECIAL: [Special; 4] = [
    // `N` is 5 in this model, and its unit is a microsecond: the period of `Pulse` is 1,000,000.
    Special {
        model: "heartcell-composition-micro.xml",
        text: "N ms",
        variants: &[Variant { changes: &[], values: &[5000], between: None }],
    },
    Special {
        model: "schedulability4.xml",
        text: "20,40,70 for f>=84; 55,40,70 for f<84",
        variants: &[F_84, F_83],
    },
    Special {
        model: "schedulability4.xml",
        text: "1600",
        variants: &[Variant { values: &[1600], ..F_84 }, Variant { values: &[1600], ..F_83 }],
    },
    // Published intervals of 99 %, for other shares `f` than the one it is shipped with.
    Special {
        model: "schedulability4.xml",
        text: "f=83: ~0 ; f=50 [0.847,0.858]; f=70 [0.604,0.615]; f=79 [0.301,0.312]; f=80 [0,0.005] \
               (99% CI)",
        variants: &[
            with_share(&[], [0.0, 0.005]),
            with_share(&[("const int f = 83;", "const int f = 50;")], [0.847, 0.858]),
            with_share(&[("const int f = 83;", "const int f = 70;")], [0.604, 0.615]),
            with_share(&[("const int f = 83;", "const int f = 79;")], [0.301, 0.312]),
            with_share(&[("const int f = 83;", "const int f = 80;")], [0.0, 0.005]),
        ],
    },
];

/// The variants of a model that a text is about; none if it is about the model as it is.
pub(crate) fn variants(model: &str, text: &str) -> &'static [Variant] {
    let special =
        SPECIAL.iter().find(|special| model.ends_with(special.model) && special.text == text);
    special.map_or(&[], |special| special.variants)
}

/// What a text means, for the model as it is.
pub(crate) fn interpret(text: &str) -> Expected {
    // A condition in parentheses is about the model as it is shipped; what follows a semicolon is
    // about other parameters.
    let shipped = text.split(';').next().unwrap_or(text);
    let plain = shipped.split(" (").next().unwrap_or(shipped).trim();
    match plain {
        "satisfied" => Expected::Satisfied,
        "NOT satisfied" => Expected::NotSatisfied,
        "MAY be satisfied" => Expected::MaybeSatisfied,
        "must be reported as an error" => Expected::Rejected,
        "parses" => Expected::Accepted,
        "accepted" => Expected::Satisfied,
        _ if text.contains("inside indifference region") => Expected::Either,
        "0 accepting runs / p ~ 0" => Expected::Near(0.0, 0.01),
        _ => match text.split(',').map(|part| part.trim().parse()).collect() {
            Ok(values) => Expected::Values(values),
            Err(_) => number(plain),
        },
    }
}

/// `0.24995`, as exact as its digits; `answer is about 28`, as exact as an estimate by default.
fn number(text: &str) -> Expected {
    let (rough, digits) = match text.strip_prefix("answer is about ") {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    match digits.trim().parse::<f64>() {
        Ok(value) if rough => Expected::Near(value, 0.05 * value.abs().max(1.0)),
        Ok(value) => Expected::Near(value, 1e-5),
        Err(_) => Expected::Other,
    }
}

/// Whether what was said is what was expected.
pub(crate) fn compare(expected: &Expected, said: &Said) -> Judgement {
    let same = match (expected, said) {
        (Expected::Rejected, Said::QueryRejected(_)) => true,
        (Expected::Rejected, Said::Crashed(_) | Said::ModelRejected(_)) => false,
        (Expected::Rejected, _) => return differs("a query that is wrong was accepted"),
        (Expected::Accepted, said) => {
            !matches!(said, Said::QueryRejected(_) | Said::Crashed(_) | Said::ModelRejected(_))
        }
        (expected, said) => {
            if let Some(judgement) = no_answer(said) {
                return judgement;
            }
            match (expected, said) {
                (Expected::Satisfied, Said::Satisfied)
                | (Expected::NotSatisfied, Said::NotSatisfied)
                | (Expected::MaybeSatisfied, Said::MaybeSatisfied) => true,
                (Expected::Values(numbers), Said::Values(values)) => {
                    numbers.len() == values.len()
                        && numbers.iter().zip(values).all(|(number, value)| is(*value, *number))
                }
                (Expected::Near(value, slack), Said::Between(low, high)) => {
                    *low <= value + slack && value - slack <= *high
                }
                (Expected::Values(numbers), Said::Between(low, high)) => match numbers[..] {
                    [number] => *low <= f64::from(number) && f64::from(number) <= *high,
                    _ => false,
                },
                // No run was accepted.
                (Expected::Near(value, _), Said::Recorded(runs)) => *value == 0.0 && *runs == 0,
                (Expected::Either, Said::Satisfied | Said::NotSatisfied) => true,
                (_, Said::Crashed(_)) => return differs("the checker crashed"),
                (_, Said::Refused(_)) => return differs("the checker does not treat this"),
                (Expected::Other, _) => {
                    return Judgement::Skipped("the expectation is not understood".into());
                }
                _ => false,
            }
        }
    };
    if same { Judgement::Same } else { differs("another answer") }
}

fn is(value: Value, number: i32) -> bool {
    matches!(value, Value::Attained(n) | Value::Approached(n) if n == number)
}

fn differs(why: &str) -> Judgement {
    Judgement::Differs(why.to_owned())
}

#[cfg(test)]
mod tests {
    use super::{Expected, Judgement, compare, interpret, variants};
    use crate::ask::{Said, Value};

    #[test]
    fn texts_mean_what_they_say() {
        let cases = [
            ("satisfied", Expected::Satisfied),
            ("NOT satisfied", Expected::NotSatisfied),
            (
                "MAY be satisfied (f=83 as shipped); NOT satisfied for f>=84",
                Expected::MaybeSatisfied,
            ),
            ("1600", Expected::Values(vec![1600])),
            ("20, 40,70", Expected::Values(vec![20, 40, 70])),
            ("must be reported as an error", Expected::Rejected),
            ("parses", Expected::Accepted),
            ("accepted (p=0.24995)", Expected::Satisfied),
            ("p=0.25, inside indifference region", Expected::Either),
            ("0.25", Expected::Near(0.25, 1e-5)),
            ("0 (exact)", Expected::Near(0.0, 1e-5)),
            ("answer is about 28", Expected::Near(28.0, 0.05 * 28.0)),
            ("0 accepting runs / p ~ 0", Expected::Near(0.0, 0.01)),
        ];
        for (text, expected) in cases {
            assert_eq!(interpret(text), expected, "{text}");
        }
    }

    #[test]
    fn what_is_not_understood_is_not_guessed_at() {
        for text in ["answer: about 28 minutes", "N ms", "range in comment", "not satisfied at all"]
        {
            assert_eq!(interpret(text), Expected::Other, "{text}");
        }
    }

    #[test]
    fn special_texts_belong_to_their_models() {
        let f = "20,40,70 for f>=84; 55,40,70 for f<84";
        let values = |model| variants(model, f).iter().map(|variant| variant.values);
        assert!(values("x/schedulability4.xml").eq([[20, 40, 70], [55, 40, 70]]));
        assert_eq!(values("x/other.xml").count(), 0);
        assert_eq!(interpret(f), Expected::Other);
    }

    #[test]
    fn an_unknown_answer_is_never_the_same() {
        let values = Expected::Values(vec![5, 7]);
        let said = |a, b| Said::Values(vec![a, b]);
        let (five, seven) = (Value::Attained(5), Value::Approached(7));
        assert_eq!(compare(&values, &said(five, seven)), Judgement::Same);
        for other in [said(five, five), said(five, Value::Infinite), Said::Values(vec![five])] {
            assert!(matches!(compare(&values, &other), Judgement::Differs(_)));
        }
        let all = [Expected::Satisfied, Expected::MaybeSatisfied, Expected::Other];
        for expected in all {
            assert_eq!(compare(&expected, &Said::OutOfTime), Judgement::Undecided);
            let crashed = compare(&expected, &Said::Crashed("panic".into()));
            assert!(matches!(crashed, Judgement::Differs(_)));
        }
        let maybe = compare(&Expected::NotSatisfied, &Said::MaybeNotSatisfied);
        assert!(matches!(maybe, Judgement::Differs(_)));
        let statistical = compare(&Expected::Other, &Said::Between(0.1, 0.2));
        assert_eq!(statistical, Judgement::Skipped("the expectation is not understood".into()));
        assert_eq!(compare(&Expected::Rejected, &Said::QueryRejected("x".into())), Judgement::Same);
        assert!(matches!(
            compare(&Expected::Rejected, &Said::Between(0.1, 0.2)),
            Judgement::Differs(_)
        ));
        assert_eq!(compare(&Expected::Accepted, &Said::Between(0.1, 0.2)), Judgement::Same);
    }

    #[test]
    fn intervals_must_meet_what_is_expected() {
        let near = |low, high| compare(&Expected::Near(0.25, 0.01), &Said::Between(low, high));
        for (low, high) in [(0.2, 0.3), (0.255, 0.27), (0.2, 0.245)] {
            assert_eq!(near(low, high), Judgement::Same);
        }
        for (low, high) in [(0.27, 0.3), (0.0, 0.23)] {
            assert!(matches!(near(low, high), Judgement::Differs(_)));
        }
        assert_eq!(compare(&Expected::Either, &Said::NotSatisfied), Judgement::Same);
        let recorded = |runs| compare(&Expected::Near(0.0, 0.01), &Said::Recorded(runs));
        assert_eq!(recorded(0), Judgement::Same);
        assert!(matches!(recorded(1), Judgement::Differs(_)));
    }
}
