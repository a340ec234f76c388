//! What a solver writes: expressions in parentheses, and values in them.

use num_traits::CheckedMul;

use crate::term::{Rational, Sort, Value};

/// A piece of a reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Piece {
    Atom(String),
    List(Vec<Piece>),
}

/// A reply nests no deeper than this.
const DEPTH_MAX: usize = 1000;

/// All pieces of a text; none if parentheses do not match.
pub(crate) fn pieces(text: &str) -> Option<Vec<Piece>> {
    let mut open: Vec<Vec<Piece>> = vec![Vec::new()];
    let mut rest = text.char_indices().peekable();
    while let Some((at, c)) = rest.next() {
        match c {
            '(' if open.len() < DEPTH_MAX => open.push(Vec::new()),
            '(' => return None,
            ')' => {
                let list = open.pop()?;
                open.last_mut()?.push(Piece::List(list));
            }
            c if c.is_whitespace() => {}
            quote @ ('"' | '|') => {
                let start = at + 1;
                let (end, _) = rest.find(|(_, c)| *c == quote)?;
                open.last_mut()?.push(Piece::Atom(text[start..end].to_owned()));
            }
            _ => {
                let mut end = at + c.len_utf8();
                while let Some((next, c)) =
                    rest.next_if(|(_, c)| !c.is_whitespace() && *c != '(' && *c != ')')
                {
                    end = next + c.len_utf8();
                }
                open.last_mut()?.push(Piece::Atom(text[at..end].to_owned()));
            }
        }
    }
    let all = open.pop()?;
    open.is_empty().then_some(all)
}

/// The value of a sort that a piece says.
pub(crate) fn value(piece: &Piece, sort: Sort) -> Option<Value> {
    match (sort, piece) {
        (Sort::Bool, Piece::Atom(it)) => it.parse().ok().map(Value::Bool),
        (Sort::Bool, Piece::List(_)) => None,
        (Sort::Int, _) => {
            let number = number(piece)?;
            number.is_integer().then(|| Value::Int(*number.numer()))
        }
        (Sort::Real, _) => number(piece).map(Value::Real),
    }
}

fn number(piece: &Piece) -> Option<Rational> {
    match piece {
        Piece::Atom(it) => decimal(it),
        Piece::List(list) => match list.as_slice() {
            [Piece::Atom(minus), it] if minus == "-" => {
                let number = number(it)?;
                Rational::from_integer(-1).checked_mul(&number)
            }
            [Piece::Atom(over), a, b] if over == "/" => {
                use num_traits::CheckedDiv;
                number(a)?.checked_div(&number(b)?)
            }
            _ => None,
        },
    }
}

/// `12`, `1.5`; not `1.4142?`, which is not the number but near it.
fn decimal(text: &str) -> Option<Rational> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let fraction = fraction.trim_end_matches('0');
    let digits = format!("{whole}{fraction}");
    if whole.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let scale = 10_i128.checked_pow(u32::try_from(fraction.len()).ok()?)?;
    Some(Rational::new(digits.parse().ok()?, scale))
}

#[cfg(test)]
mod tests {
    use super::{Piece, pieces, value};
    use crate::term::{Rational, Sort, Value};

    fn read(text: &str, sort: Sort) -> Option<Value> {
        match pieces(text)?.as_slice() {
            [piece] => value(piece, sort),
            _ => None,
        }
    }

    #[test]
    fn values_are_read_exactly_or_not_at_all() {
        assert_eq!(read("true", Sort::Bool), Some(Value::Bool(true)));
        assert_eq!(read("(- 5)", Sort::Int), Some(Value::Int(-5)));
        assert_eq!(read("(- (/ 7.0 3.0))", Sort::Real), Some(Value::Real(Rational::new(-7, 3))));
        assert_eq!(read("2.50", Sort::Real), Some(Value::Real(Rational::new(5, 2))));
        assert_eq!(read("(/ 1.0 0.0)", Sort::Real), None);
        assert_eq!(read("1.4142?", Sort::Real), None);
        assert_eq!(read("(root-obj (+ (^ x 2) (- 2)) 2)", Sort::Real), None);
        assert_eq!(read(&"9".repeat(50), Sort::Int), None);
        assert_eq!(read("1.5", Sort::Int), None);
        assert_eq!(read("sat", Sort::Bool), None);
    }

    #[test]
    fn pieces_need_their_parentheses() {
        assert_eq!(pieces("(a"), None);
        assert_eq!(pieces("a)"), None);
        assert_eq!(pieces("(\"a"), None);
        assert_eq!(pieces(&"(".repeat(100_000)), None);
        let list = Piece::List(vec![Piece::Atom("é ü".to_owned()), Piece::List(vec![])]);
        assert_eq!(pieces("(\"é ü\" ())"), Some(vec![list]));
    }
}
