//! Expressions to terms, each with a condition under which it has a value.

use num_traits::Zero;
use punctual_model::lustre::{BinaryOp, Expr, Rational, UnaryOp};
use punctual_model::{ExprId, Id, IdVec};
use punctual_solver::{Sort, Term, Terms, Value};

use super::{State, constant};

/// What a variable is.
#[derive(Clone, Copy, Debug)]
pub(super) enum Binding {
    Term(Term),
    Expr(ExprId),
}

/// An expression as terms.
#[derive(Clone, Copy, Debug)]
pub(super) struct Coded {
    pub(super) value: Term,
    pub(super) defined: Term,
}

/// One table of expressions in one step.
pub(super) struct Walk<'a> {
    exprs: &'a IdVec<ExprId, Expr>,
    bindings: &'a [Binding],
    state: Option<&'a State>,
    known: Vec<Option<Coded>>,
    /// Whether operands are built that do not matter.
    pub(super) is_eager: bool,
    /// Whether whole numbers must fit, also where they are no constants.
    pub(super) minds_overflow: bool,
}

/// The next thing to do for an expression.
enum Next {
    /// Another one first.
    Need(ExprId),
    Done(Coded),
}

impl<'a> Walk<'a> {
    pub(super) fn new(
        exprs: &'a IdVec<ExprId, Expr>,
        bindings: &'a [Binding],
        state: Option<&'a State>,
    ) -> Walk<'a> {
        let known = vec![None; exprs.len()];
        Walk { exprs, bindings, state, known, is_eager: false, minds_overflow: false }
    }

    pub(super) fn finish(self) -> Vec<Option<Coded>> {
        self.known
    }

    /// An expression, after all that it needs. Expressions nest as deep as programs are long, so this
    /// does not recurse.
    pub(super) fn expr(&mut self, terms: &mut Terms, id: ExprId) -> Coded {
        let mut stack = vec![id];
        loop {
            let at = stack[stack.len() - 1];
            let next = match self.known[at.index()] {
                Some(coded) => Next::Done(coded),
                None => self.next(terms, at),
            };
            match next {
                Next::Need(other) => stack.push(other),
                Next::Done(coded) => {
                    self.known[at.index()] = Some(coded);
                    stack.pop();
                    if stack.is_empty() {
                        return coded;
                    }
                }
            }
        }
    }

    fn next(&self, terms: &mut Terms, id: ExprId) -> Next {
        let always = |terms: &mut Terms, value| Coded { value, defined: terms.bool(true) };
        Next::Done(match self.exprs[id] {
            Expr::Constant(value) => {
                let value = constant(terms, value);
                always(terms, value)
            }
            Expr::Var(var) => match self.bindings[var.index()] {
                Binding::Term(term) => always(terms, term),
                Binding::Expr(expr) => match self.known[expr.index()] {
                    Some(coded) => coded,
                    None => return Next::Need(expr),
                },
            },
            Expr::Memory(memory) => match self.state {
                Some(state) => always(terms, state.memory[memory]),
                None => unreachable!("only programs have memory"),
            },
            Expr::First => match self.state {
                Some(state) => always(terms, state.first),
                None => unreachable!("only programs have a first step"),
            },
            Expr::Unary(op, operand) => match self.known[operand.index()] {
                Some(operand) => self.unary(terms, op, operand),
                None => return Next::Need(operand),
            },
            Expr::Binary(op, left, right) => {
                let Some(left) = self.known[left.index()] else { return Next::Need(left) };
                match (self.known[right.index()], decided(terms, op, left.value)) {
                    (Some(right), _) => self.binary(terms, op, left, right),
                    (None, Some(value)) if !self.is_eager => {
                        Coded { value: terms.bool(value), defined: left.defined }
                    }
                    _ => return Next::Need(right),
                }
            }
            Expr::If(condition, yes, no) => {
                let Some(test) = self.known[condition.index()] else {
                    return Next::Need(condition);
                };
                let (a, b) = (self.known[yes.index()], self.known[no.index()]);
                let taken = terms.constant(test.value).and_then(Value::as_bool);
                let needs = |branch: bool| self.is_eager || taken != Some(!branch);
                match (a, b) {
                    (None, _) if needs(true) => return Next::Need(yes),
                    (_, None) if needs(false) => return Next::Need(no),
                    (Some(a), Some(b)) => choice(terms, test, a, b),
                    (Some(branch), None) | (None, Some(branch)) => both(terms, test, branch),
                    (None, None) => unreachable!("a branch is needed"),
                }
            }
        })
    }

    fn unary(&self, terms: &mut Terms, op: UnaryOp, operand: Coded) -> Coded {
        let it = operand.value;
        let value = match op {
            UnaryOp::Not => terms.not(it),
            UnaryOp::Neg => terms.neg(it),
            UnaryOp::ToReal => terms.to_real(it),
            UnaryOp::Floor => terms.floor(it),
            UnaryOp::Wrap { bits, signed } => wrap(terms, it, bits, signed),
        };
        let minds = self.minds_overflow && matches!(op, UnaryOp::Neg | UnaryOp::Floor);
        // All other machine integers fit.
        let is_widest = op == UnaryOp::Wrap { bits: 64, signed: false };
        self.checked(terms, value, operand.defined, &[it], minds || is_widest)
    }

    fn binary(&self, terms: &mut Terms, op: BinaryOp, left: Coded, right: Coded) -> Coded {
        let (a, b) = (left.value, right.value);
        let mut defined = match op {
            // The right side is needed only if the left one does not decide.
            BinaryOp::And | BinaryOp::Or | BinaryOp::Implies => {
                let decides = terms.literal(a, op == BinaryOp::Or);
                let needed = terms.or(decides, right.defined);
                terms.and(left.defined, needed)
            }
            _ => terms.and(left.defined, right.defined),
        };
        let (x, y) = (number(terms, a), number(terms, b));
        let value = match op {
            BinaryOp::And => terms.and(a, b),
            BinaryOp::Or => terms.or(a, b),
            BinaryOp::Xor => terms.ne(a, b),
            BinaryOp::Implies => terms.implies(a, b),
            BinaryOp::Eq => terms.eq(a, b),
            BinaryOp::Ne => terms.ne(a, b),
            BinaryOp::Lt => terms.lt(x, y),
            BinaryOp::Le => terms.le(x, y),
            BinaryOp::Gt => terms.lt(y, x),
            BinaryOp::Ge => terms.le(y, x),
            BinaryOp::Add => terms.add(x, y),
            BinaryOp::Sub => terms.sub(x, y),
            BinaryOp::Mul => terms.mul(x, y),
            BinaryOp::Div => {
                let zero = terms.real(Rational::zero());
                let nonzero = terms.ne(y, zero);
                defined = terms.and(defined, nonzero);
                terms.div(x, y)
            }
            BinaryOp::IntDiv | BinaryOp::Mod => {
                let zero = terms.int(0);
                let nonzero = terms.ne(y, zero);
                defined = terms.and(defined, nonzero);
                if op == BinaryOp::IntDiv {
                    terms.int_div(x, y)
                } else {
                    let fits = self.remainder_fits(terms, x, y);
                    defined = terms.and(defined, fits);
                    terms.modulo(x, y)
                }
            }
        };
        self.checked(terms, value, defined, &[x, y], self.minds_overflow)
    }

    /// A remainder always fits, but that of the least number by -1 is an overflow to a machine.
    fn remainder_fits(&self, terms: &mut Terms, x: Term, y: Term) -> Term {
        if !self.minds_overflow && (terms.constant(x).is_none() || terms.constant(y).is_none()) {
            return terms.bool(true);
        }
        let (least, minus_one) = (terms.int(i64::MIN.into()), terms.int(-1));
        let (x_fits, y_fits) = (terms.ne(x, least), terms.ne(y, minus_one));
        terms.or(x_fits, y_fits)
    }

    /// An operation with its condition, after numbers that do not fit were looked for.
    fn checked(
        &self,
        terms: &mut Terms,
        value: Term,
        defined: Term,
        operands: &[Term],
        minds_overflow: bool,
    ) -> Coded {
        let folded = operands.iter().all(|it| terms.constant(*it).is_some());
        let fits = match (terms.constant(value), terms.sort(value)) {
            (_, Sort::Bool) | (Some(Value::Real(_)), _) => terms.bool(true),
            (Some(Value::Int(it)), _) => terms.bool(i64::try_from(it).is_ok()),
            // An operation on constants that is no constant does not even fit into 128 bits.
            (None, _) if folded => terms.bool(false),
            (None, Sort::Int) if minds_overflow => {
                let (low, high) = (terms.int(i64::MIN.into()), terms.int(i64::MAX.into()));
                let (above, below) = (terms.le(low, value), terms.le(value, high));
                terms.and(above, below)
            }
            _ => terms.bool(true),
        };
        Coded { value, defined: terms.and(defined, fits) }
    }
}

/// What an operation is, if its left side decides.
fn decided(terms: &Terms, op: BinaryOp, left: Term) -> Option<bool> {
    match (op, terms.constant(left)?.as_bool()?) {
        (BinaryOp::And, false) => Some(false),
        (BinaryOp::Or, true) | (BinaryOp::Implies, false) => Some(true),
        _ => None,
    }
}

/// A choice needs the branch that is taken.
fn choice(terms: &mut Terms, test: Coded, a: Coded, b: Coded) -> Coded {
    let branch = terms.ite(test.value, a.defined, b.defined);
    Coded {
        value: terms.ite(test.value, a.value, b.value),
        defined: terms.and(test.defined, branch),
    }
}

fn both(terms: &mut Terms, test: Coded, branch: Coded) -> Coded {
    Coded { value: branch.value, defined: terms.and(test.defined, branch.defined) }
}

/// Truth as 0 or 1, numbers as they are.
fn number(terms: &mut Terms, term: Term) -> Term {
    if terms.sort(term) != Sort::Bool {
        return term;
    }
    let (one, zero) = (terms.int(1), terms.int(0));
    terms.ite(term, one, zero)
}

/// A whole number modulo 2^bits.
fn wrap(terms: &mut Terms, it: Term, bits: u8, signed: bool) -> Term {
    let modulus = terms.int(1_i128 << bits);
    if !signed {
        return terms.modulo(it, modulus);
    }
    let half = terms.int(1_i128 << (bits - 1));
    let shifted = terms.add(it, half);
    let low = terms.modulo(shifted, modulus);
    terms.sub(low, half)
}
