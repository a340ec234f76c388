//! Building terms. Constants are folded and the plainest laws applied, so that a term whose symbols
//! do not matter is a constant.
//!
//! Numbers beyond 128 bits stay terms: folding is never wrong. Divisions by a constant zero stay too,
//! since SMT-LIB leaves their value open.

use num_traits::{CheckedAdd, CheckedDiv, CheckedMul, CheckedSub, One, Zero};

use crate::term::{Node, Rational, Sort, Term, Terms, Value};

impl Terms {
    /// A constant.
    pub fn value(&mut self, value: Value) -> Term {
        self.intern(Node::Constant(value), value.sort())
    }

    /// A constant truth value.
    pub fn bool(&mut self, it: bool) -> Term {
        self.value(Value::Bool(it))
    }

    /// A whole number.
    pub fn int(&mut self, it: i128) -> Term {
        self.value(Value::Int(it))
    }

    /// A real number.
    pub fn real(&mut self, it: Rational) -> Term {
        self.value(Value::Real(it))
    }

    /// Whether a term is this constant.
    #[must_use]
    pub fn is(&self, term: Term, value: Value) -> bool {
        self.constant(term) == Some(value)
    }

    fn expect_sort(&self, term: Term, sort: Sort) {
        assert_eq!(self.sort(term), sort, "the sort of {term:?}");
    }

    /// The sort of two numbers.
    fn expect_numbers(&self, a: Term, b: Term) -> Sort {
        let sort = self.sort(a);
        assert!(sort != Sort::Bool && sort == self.sort(b), "sorts of {a:?} and {b:?}");
        sort
    }

    /// `not a`.
    pub fn not(&mut self, a: Term) -> Term {
        self.expect_sort(a, Sort::Bool);
        match self.node(a) {
            Node::Constant(Value::Bool(it)) => self.bool(!it),
            Node::Not(inner) => inner,
            _ => self.intern(Node::Not(a), Sort::Bool),
        }
    }

    /// Whether one is the negation of the other.
    fn are_opposite(&self, a: Term, b: Term) -> bool {
        self.node(a) == Node::Not(b) || self.node(b) == Node::Not(a)
    }

    /// `a and b`.
    pub fn and(&mut self, a: Term, b: Term) -> Term {
        self.expect_sort(a, Sort::Bool);
        self.expect_sort(b, Sort::Bool);
        match (self.constant(a), self.constant(b)) {
            (Some(Value::Bool(false)), _) | (_, Some(Value::Bool(true))) => a,
            (Some(_), _) | (_, Some(_)) => b,
            _ if a == b => a,
            _ if self.are_opposite(a, b) => self.bool(false),
            _ => self.intern(Node::And(a.min(b), a.max(b)), Sort::Bool),
        }
    }

    /// `a or b`.
    pub fn or(&mut self, a: Term, b: Term) -> Term {
        self.expect_sort(a, Sort::Bool);
        self.expect_sort(b, Sort::Bool);
        match (self.constant(a), self.constant(b)) {
            (Some(Value::Bool(true)), _) | (_, Some(Value::Bool(false))) => a,
            (Some(_), _) | (_, Some(_)) => b,
            _ if a == b => a,
            _ if self.are_opposite(a, b) => self.bool(true),
            _ => self.intern(Node::Or(a.min(b), a.max(b)), Sort::Bool),
        }
    }

    /// `a implies b`.
    pub fn implies(&mut self, a: Term, b: Term) -> Term {
        let not = self.not(a);
        self.or(not, b)
    }

    /// The conjunction of terms; true for none.
    pub fn all(&mut self, terms: impl IntoIterator<Item = Term>) -> Term {
        let start = self.bool(true);
        terms.into_iter().fold(start, |all, term| self.and(all, term))
    }

    /// The disjunction of terms; false for none.
    pub fn any(&mut self, terms: impl IntoIterator<Item = Term>) -> Term {
        let start = self.bool(false);
        terms.into_iter().fold(start, |any, term| self.or(any, term))
    }

    /// Whether `a` and `b`, of one sort, are the same.
    pub fn eq(&mut self, a: Term, b: Term) -> Term {
        assert_eq!(self.sort(a), self.sort(b), "sorts of {a:?} and {b:?}");
        if a == b {
            return self.bool(true);
        }
        match (self.constant(a), self.constant(b)) {
            (Some(_), Some(_)) => self.bool(false),
            (Some(Value::Bool(it)), None) => self.literal(b, it),
            (None, Some(Value::Bool(it))) => self.literal(a, it),
            _ if self.sort(a) == Sort::Bool && self.are_opposite(a, b) => self.bool(false),
            (Some(value), None) => self.eq_constant(b, value),
            (None, Some(value)) => self.eq_constant(a, value),
            (None, None) => self.intern(Node::Eq(a.min(b), a.max(b)), Sort::Bool),
        }
    }

    /// Whether a number that is no constant is this one.
    fn eq_constant(&mut self, term: Term, value: Value) -> Term {
        // Modes of a state machine are choices between constants.
        if let Node::Ite(condition, yes, no) = self.node(term)
            && let (Some(yes), Some(no)) = (self.constant(yes), self.constant(no))
        {
            return match (yes == value, no == value) {
                (true, false) => condition,
                (false, true) => self.not(condition),
                (same, _) => self.bool(same),
            };
        }
        let constant = self.value(value);
        self.intern(Node::Eq(term.min(constant), term.max(constant)), Sort::Bool)
    }

    /// A truth, or its negation.
    pub fn literal(&mut self, a: Term, positive: bool) -> Term {
        if positive { a } else { self.not(a) }
    }

    /// Whether `a` and `b` differ.
    pub fn ne(&mut self, a: Term, b: Term) -> Term {
        let same = self.eq(a, b);
        self.not(same)
    }

    /// `if condition then a else b`.
    pub fn ite(&mut self, condition: Term, a: Term, b: Term) -> Term {
        self.expect_sort(condition, Sort::Bool);
        let sort = self.sort(a);
        assert_eq!(sort, self.sort(b), "sorts of {a:?} and {b:?}");
        match self.node(condition) {
            Node::Constant(value) => return if value == Value::Bool(true) { a } else { b },
            Node::Not(inner) => return self.ite(inner, b, a),
            _ => {}
        }
        if a == b {
            return a;
        }
        if sort == Sort::Bool {
            match (self.constant(a), self.constant(b)) {
                (Some(Value::Bool(true)), _) => return self.or(condition, b),
                (Some(_), _) => {
                    let not = self.not(condition);
                    return self.and(not, b);
                }
                (_, Some(Value::Bool(true))) => return self.implies(condition, a),
                (_, Some(_)) => return self.and(condition, a),
                _ => {}
            }
        }
        // What is inside of a branch knows the condition.
        let a = self.branch(condition, a, true);
        let b = self.branch(condition, b, false);
        if a == b {
            return a;
        }
        self.intern(Node::Ite(condition, a, b), sort)
    }

    /// A branch, where the condition is known.
    fn branch(&self, condition: Term, term: Term, truth: bool) -> Term {
        match self.node(term) {
            Node::Ite(same, yes, no) if same == condition => {
                if truth {
                    yes
                } else {
                    no
                }
            }
            _ => term,
        }
    }

    /// `a < b`.
    pub fn lt(&mut self, a: Term, b: Term) -> Term {
        self.compare(a, b, true)
    }

    /// `a <= b`.
    pub fn le(&mut self, a: Term, b: Term) -> Term {
        self.compare(a, b, false)
    }

    fn compare(&mut self, a: Term, b: Term, strict: bool) -> Term {
        self.expect_numbers(a, b);
        if a == b {
            return self.bool(!strict);
        }
        let holds = |a: Value, b: Value| {
            Value::Bool(match (a, b) {
                (Value::Int(a), Value::Int(b)) => a < b,
                (Value::Real(a), Value::Real(b)) => a < b,
                // Equal ones are the same term.
                _ => false,
            })
        };
        if let (Some(a), Some(b)) = (self.constant(a), self.constant(b)) {
            return self.value(holds(a, b));
        }
        let node = if strict { Node::Lt(a, b) } else { Node::Le(a, b) };
        self.intern(node, Sort::Bool)
    }

    /// `-a`.
    pub fn neg(&mut self, a: Term) -> Term {
        let sort = self.expect_numbers(a, a);
        let folded = match self.node(a) {
            Node::Constant(Value::Int(it)) => it.checked_neg().map(Value::Int),
            Node::Constant(Value::Real(it)) => Rational::zero().checked_sub(&it).map(Value::Real),
            Node::Neg(inner) => return inner,
            _ => None,
        };
        match folded {
            Some(value) => self.value(value),
            None => self.intern(Node::Neg(a), sort),
        }
    }

    /// `a + b`.
    pub fn add(&mut self, a: Term, b: Term) -> Term {
        let sort = self.expect_numbers(a, b);
        match (self.constant(a), self.constant(b)) {
            (Some(value), _) if is_zero(value) => return b,
            (_, Some(value)) if is_zero(value) => return a,
            (Some(x), Some(y)) => {
                if let Some(value) = fold(x, y, i128::checked_add, Rational::checked_add) {
                    return self.value(value);
                }
            }
            _ => {}
        }
        self.intern(Node::Add(a.min(b), a.max(b)), sort)
    }

    /// The sum of numbers of a sort.
    pub fn sum(&mut self, sort: Sort, terms: impl IntoIterator<Item = Term>) -> Term {
        let start = match sort {
            Sort::Real => self.real(Rational::zero()),
            _ => self.int(0),
        };
        terms.into_iter().fold(start, |sum, term| self.add(sum, term))
    }

    /// `a - b`.
    pub fn sub(&mut self, a: Term, b: Term) -> Term {
        let sort = self.expect_numbers(a, b);
        match (self.constant(a), self.constant(b)) {
            (_, Some(value)) if is_zero(value) => return a,
            (Some(x), Some(y)) => {
                if let Some(value) = fold(x, y, i128::checked_sub, Rational::checked_sub) {
                    return self.value(value);
                }
            }
            _ if a == b => return self.sum(sort, []),
            _ => {}
        }
        self.intern(Node::Sub(a, b), sort)
    }

    /// `a * b`.
    pub fn mul(&mut self, a: Term, b: Term) -> Term {
        let sort = self.expect_numbers(a, b);
        match (self.constant(a), self.constant(b)) {
            (Some(value), _) if is_zero(value) => return a,
            (_, Some(value)) if is_zero(value) => return b,
            (Some(value), _) if is_one(value) => return b,
            (_, Some(value)) if is_one(value) => return a,
            (Some(x), Some(y)) => {
                if let Some(value) = fold(x, y, i128::checked_mul, Rational::checked_mul) {
                    return self.value(value);
                }
            }
            _ => {}
        }
        self.intern(Node::Mul(a.min(b), a.max(b)), sort)
    }

    /// `a / b` of reals.
    pub fn div(&mut self, a: Term, b: Term) -> Term {
        self.expect_sort(a, Sort::Real);
        self.expect_sort(b, Sort::Real);
        if let (Some(Value::Real(x)), Some(Value::Real(y))) = (self.constant(a), self.constant(b))
            && let Some(value) = x.checked_div(&y)
        {
            return self.real(value);
        }
        self.intern(Node::Div(a, b), Sort::Real)
    }

    /// `a div b` of whole numbers: rounded so that the remainder is not negative.
    pub fn int_div(&mut self, a: Term, b: Term) -> Term {
        self.whole(a, b, Node::IntDiv, i128::checked_div_euclid)
    }

    /// `a mod b` of whole numbers: from zero up to the absolute value of `b`.
    pub fn modulo(&mut self, a: Term, b: Term) -> Term {
        self.whole(a, b, Node::Mod, i128::checked_rem_euclid)
    }

    fn whole(
        &mut self,
        a: Term,
        b: Term,
        node: fn(Term, Term) -> Node,
        fold: fn(i128, i128) -> Option<i128>,
    ) -> Term {
        self.expect_sort(a, Sort::Int);
        self.expect_sort(b, Sort::Int);
        if let (Some(Value::Int(x)), Some(Value::Int(y))) = (self.constant(a), self.constant(b))
            && let Some(value) = fold(x, y)
        {
            return self.int(value);
        }
        self.intern(node(a, b), Sort::Int)
    }

    /// The absolute value.
    pub fn abs(&mut self, a: Term) -> Term {
        let sort = self.expect_numbers(a, a);
        let zero = self.sum(sort, []);
        let negative = self.lt(a, zero);
        let negated = self.neg(a);
        self.ite(negative, negated, a)
    }

    /// A whole number as a real one.
    pub fn to_real(&mut self, a: Term) -> Term {
        self.expect_sort(a, Sort::Int);
        match self.node(a) {
            Node::Constant(Value::Int(it)) => self.real(Rational::from_integer(it)),
            _ => self.intern(Node::ToReal(a), Sort::Real),
        }
    }

    /// The greatest whole number that is not greater than a real one.
    pub fn floor(&mut self, a: Term) -> Term {
        self.expect_sort(a, Sort::Real);
        match self.node(a) {
            Node::Constant(Value::Real(it)) => self.int(it.numer().div_euclid(*it.denom())),
            Node::ToReal(inner) => inner,
            _ => self.intern(Node::Floor(a), Sort::Int),
        }
    }
}

fn is_zero(value: Value) -> bool {
    match value {
        Value::Bool(_) => false,
        Value::Int(it) => it == 0,
        Value::Real(it) => it.is_zero(),
    }
}

fn is_one(value: Value) -> bool {
    match value {
        Value::Bool(_) => false,
        Value::Int(it) => it == 1,
        Value::Real(it) => it.is_one(),
    }
}

/// The value of an operation, if it fits.
fn fold(
    a: Value,
    b: Value,
    int: fn(i128, i128) -> Option<i128>,
    real: fn(&Rational, &Rational) -> Option<Rational>,
) -> Option<Value> {
    match (a, b) {
        (Value::Int(a), Value::Int(b)) => int(a, b).map(Value::Int),
        (Value::Real(a), Value::Real(b)) => real(&a, &b).map(Value::Real),
        _ => None,
    }
}
