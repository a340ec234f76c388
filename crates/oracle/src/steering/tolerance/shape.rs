//! What a condition says about one steerable variable, found once for all steps.
//!
//! A condition is understood if it compares linear expressions of one new value with expressions of
//! the original and system values, or combines such comparisons of the same variable by `and`, `or`,
//! `not`, `=>`, `xor` and `if` whose condition has no new value. What is not understood restricts
//! nothing here; it is evaluated for each candidate.

use num_traits::{CheckedAdd, CheckedDiv, CheckedMul, CheckedSub, One, Zero};
use punctual_model::lustre::{BinaryOp, Expr, Rational, Seen, Tolerances, UnaryOp, Value};
use punctual_model::{ExprId, Id, VarId};

use super::domain::Domain;

/// What a condition says about one variable.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Shape {
    /// A condition without new values: the fact of this number says whether it holds.
    Fact(usize),
    /// `scale * var + facts OP 0`.
    Compare(Linear, BinaryOp),
    /// The variable is true.
    Is(VarId),
    Not(Box<Shape>),
    And(Box<Shape>, Box<Shape>),
    Or(Box<Shape>, Box<Shape>),
    /// One of two conditions, chosen by the fact of this number.
    If(usize, Box<Shape>, Box<Shape>),
}

/// `scale * var + facts`; the facts have factors.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Linear {
    var: Option<VarId>,
    scale: Rational,
    facts: Vec<(Rational, usize)>,
}

/// Reads conditions.
pub(super) struct Reader<'t> {
    tolerances: &'t Tolerances,
    /// Whether each expression has a new value in it.
    is_new: Vec<bool>,
    /// Expressions without new values that somebody asks for.
    pub(super) facts: Vec<ExprId>,
}

impl<'t> Reader<'t> {
    pub(super) fn new(tolerances: &'t Tolerances) -> Reader<'t> {
        let mut is_new: Vec<bool> = Vec::with_capacity(tolerances.exprs.len());
        for expr in tolerances.exprs.iter() {
            let known = |id: ExprId| is_new[id.index()];
            let new = match *expr {
                Expr::Var(var) => matches!(tolerances.seen[var], Seen::New(_)),
                Expr::Unary(_, operand) => known(operand),
                Expr::Binary(_, left, right) => known(left) || known(right),
                Expr::If(condition, yes, no) => known(condition) || known(yes) || known(no),
                Expr::Constant(_) | Expr::Memory(_) | Expr::First => false,
            };
            is_new.push(new);
        }
        Reader { tolerances, is_new, facts: Vec::new() }
    }

    fn fact(&mut self, id: ExprId) -> usize {
        match self.facts.iter().position(|it| *it == id) {
            Some(fact) => fact,
            None => {
                self.facts.push(id);
                self.facts.len() - 1
            }
        }
    }

    /// The new values in an expression.
    pub(super) fn new_values(&self, id: ExprId) -> Vec<VarId> {
        let mut found = Vec::new();
        let (mut todo, mut seen) = (vec![id], vec![false; self.is_new.len()]);
        while let Some(id) = todo.pop() {
            if std::mem::replace(&mut seen[id.index()], true) {
                continue;
            }
            match self.tolerances.exprs[id] {
                Expr::Var(var) => {
                    if let Seen::New(var) = self.tolerances.seen[var] {
                        found.push(var);
                    }
                }
                Expr::Unary(_, operand) => todo.push(operand),
                Expr::Binary(_, left, right) => todo.extend([left, right]),
                Expr::If(condition, yes, no) => todo.extend([condition, yes, no]),
                Expr::Constant(_) | Expr::Memory(_) | Expr::First => {}
            }
        }
        found
    }

    /// The conditions that must all hold for one to hold.
    pub(super) fn conjuncts(&self, id: ExprId) -> Vec<ExprId> {
        let (mut found, mut todo) = (Vec::new(), vec![id]);
        while let Some(id) = todo.pop() {
            match self.tolerances.exprs[id] {
                Expr::Binary(BinaryOp::And, left, right) => todo.extend([right, left]),
                _ => found.push(id),
            }
        }
        found
    }

    /// What a condition says, if it is understood, and about which variable. Conditions are nested
    /// at most this deep.
    pub(super) fn shape(&mut self, id: ExprId, depth: usize) -> Option<Shape> {
        if !self.is_new[id.index()] {
            return Some(Shape::Fact(self.fact(id)));
        }
        let depth = depth.checked_sub(1)?;
        let not = |shape| Box::new(Shape::Not(Box::new(shape)));
        Some(match self.tolerances.exprs[id] {
            Expr::Var(var) => match self.tolerances.seen[var] {
                Seen::New(var) => Shape::Is(var),
                Seen::Original(_) | Seen::System(_) => return None,
            },
            Expr::Unary(UnaryOp::Not, operand) => Shape::Not(Box::new(self.shape(operand, depth)?)),
            Expr::Binary(op, left, right) => match op {
                BinaryOp::And => Shape::And(
                    Box::new(self.shape(left, depth)?),
                    Box::new(self.shape(right, depth)?),
                ),
                BinaryOp::Or => Shape::Or(
                    Box::new(self.shape(left, depth)?),
                    Box::new(self.shape(right, depth)?),
                ),
                BinaryOp::Implies => {
                    Shape::Or(not(self.shape(left, depth)?), Box::new(self.shape(right, depth)?))
                }
                BinaryOp::Eq
                | BinaryOp::Ne
                | BinaryOp::Lt
                | BinaryOp::Le
                | BinaryOp::Gt
                | BinaryOp::Ge => {
                    let left = self.linear(left, depth)?;
                    let right = self.linear(right, depth)?;
                    Shape::Compare(left.minus(&right)?, op)
                }
                _ => return None,
            },
            Expr::If(condition, yes, no) if !self.is_new[condition.index()] => Shape::If(
                self.fact(condition),
                Box::new(self.shape(yes, depth)?),
                Box::new(self.shape(no, depth)?),
            ),
            _ => return None,
        })
    }

    fn linear(&mut self, id: ExprId, depth: usize) -> Option<Linear> {
        if !self.is_new[id.index()] {
            let facts = vec![(Rational::one(), self.fact(id))];
            return Some(Linear { var: None, scale: Rational::zero(), facts });
        }
        let depth = depth.checked_sub(1)?;
        match self.tolerances.exprs[id] {
            Expr::Var(var) => match self.tolerances.seen[var] {
                Seen::New(var) => {
                    Some(Linear { var: Some(var), scale: Rational::one(), facts: Vec::new() })
                }
                Seen::Original(_) | Seen::System(_) => None,
            },
            Expr::Unary(UnaryOp::ToReal, operand) => self.linear(operand, depth),
            Expr::Unary(UnaryOp::Neg, operand) => {
                self.linear(operand, depth)?.times(-Rational::one())
            }
            Expr::Binary(BinaryOp::Add, left, right) => {
                let right = self.linear(right, depth)?.times(-Rational::one())?;
                self.linear(left, depth)?.minus(&right)
            }
            Expr::Binary(BinaryOp::Sub, left, right) => {
                let right = self.linear(right, depth)?;
                self.linear(left, depth)?.minus(&right)
            }
            Expr::Binary(BinaryOp::Mul, left, right) => {
                match (self.tolerances.exprs[left], self.tolerances.exprs[right]) {
                    (Expr::Constant(it), _) => self.linear(right, depth)?.times(it.as_rational()),
                    (_, Expr::Constant(it)) => self.linear(left, depth)?.times(it.as_rational()),
                    _ => None,
                }
            }
            _ => None,
        }
    }
}

impl Linear {
    fn times(self, by: Rational) -> Option<Linear> {
        let facts: Option<Vec<_>> =
            self.facts.iter().map(|(it, fact)| Some((it.checked_mul(&by)?, *fact))).collect();
        Some(Linear { var: self.var, scale: self.scale.checked_mul(&by)?, facts: facts? })
    }

    fn minus(mut self, other: &Linear) -> Option<Linear> {
        match (self.var, other.var) {
            (Some(a), Some(b)) if a != b => return None,
            (None, var) => self.var = var,
            _ => {}
        }
        self.scale = self.scale.checked_sub(&other.scale)?;
        for (factor, fact) in &other.facts {
            self.facts.push((Rational::zero().checked_sub(factor)?, *fact));
        }
        Some(self)
    }
}

impl Linear {
    /// The sum of the facts that is added to the variable.
    fn offset(&self, facts: &[Value]) -> Option<Rational> {
        let mut offset = Rational::zero();
        for (factor, fact) in &self.facts {
            let by = factor.checked_mul(&facts[*fact].as_rational())?;
            offset = offset.checked_add(&by)?;
        }
        Some(offset)
    }
}

impl Shape {
    /// The only variable that the condition speaks of; None if it speaks of none.
    pub(super) fn var(&self) -> Option<VarId> {
        let mut vars = Vec::new();
        self.collect(&mut vars);
        vars.sort_unstable();
        vars.dedup();
        match vars[..] {
            [var] => Some(var),
            _ => None,
        }
    }

    fn collect(&self, vars: &mut Vec<VarId>) {
        match self {
            Shape::Fact(_) => {}
            Shape::Compare(linear, _) => vars.extend(linear.var),
            Shape::Is(var) => vars.push(*var),
            Shape::Not(it) => it.collect(vars),
            Shape::And(left, right) | Shape::Or(left, right) | Shape::If(_, left, right) => {
                left.collect(vars);
                right.collect(vars);
            }
        }
    }

    /// The only number for which the condition holds; None if it is not an equation.
    pub(super) fn point(&self, facts: &[Value]) -> Option<Rational> {
        match self {
            Shape::Compare(linear, BinaryOp::Eq) if !linear.scale.is_zero() => {
                Rational::zero().checked_sub(&linear.offset(facts)?)?.checked_div(&linear.scale)
            }
            _ => None,
        }
    }

    /// The least and the greatest number for which the condition may hold; None where there is no bound
    /// that is understood.
    pub(super) fn hull(&self, facts: &[Value]) -> (Option<Rational>, Option<Rational>) {
        use BinaryOp::{Eq, Ge, Gt, Le, Lt};
        match self {
            Shape::Compare(linear, op) if !linear.scale.is_zero() => {
                let bound = linear
                    .offset(facts)
                    .and_then(|it| Rational::zero().checked_sub(&it)?.checked_div(&linear.scale));
                match (op, linear.scale > Rational::zero()) {
                    (Eq, _) => (bound, bound),
                    (Lt | Le, true) | (Gt | Ge, false) => (None, bound),
                    (Gt | Ge, true) | (Lt | Le, false) => (bound, None),
                    _ => (None, None),
                }
            }
            Shape::And(left, right) => {
                let (a, b) = (left.hull(facts), right.hull(facts));
                let least = |a: Option<Rational>, b: Option<Rational>| match (a, b) {
                    (Some(a), Some(b)) => Some(a.min(b)),
                    (a, b) => a.or(b),
                };
                (a.0.max(b.0), least(a.1, b.1))
            }
            Shape::Or(left, right) => {
                let (a, b) = (left.hull(facts), right.hull(facts));
                (a.0.zip(b.0).map(|(a, b)| a.min(b)), a.1.zip(b.1).map(|(a, b)| a.max(b)))
            }
            Shape::If(fact, yes, no) => {
                let holds = facts[*fact] == Value::Bool(true);
                if holds { yes.hull(facts) } else { no.hull(facts) }
            }
            Shape::Compare(..) | Shape::Fact(_) | Shape::Is(_) | Shape::Not(_) => (None, None),
        }
    }

    /// The values for which the condition holds; None if a number is too large to say.
    pub(super) fn domain(&self, facts: &[Value]) -> Option<Domain> {
        let truth = |fact: usize| facts[fact] == Value::Bool(true);
        Some(match self {
            Shape::Fact(fact) if truth(*fact) => Domain::all(),
            Shape::Fact(_) => Domain::none(),
            Shape::Is(_) => Domain::solve(Rational::one(), BinaryOp::Ne, Rational::zero())?,
            Shape::Not(it) => it.domain(facts)?.complement(),
            Shape::And(left, right) => left.domain(facts)?.meet(&right.domain(facts)?),
            Shape::Or(left, right) => left.domain(facts)?.join(&right.domain(facts)?),
            Shape::If(fact, yes, no) => {
                if truth(*fact) {
                    yes.domain(facts)?
                } else {
                    no.domain(facts)?
                }
            }
            Shape::Compare(linear, op) => Domain::solve(linear.scale, *op, linear.offset(facts)?)?,
        })
    }
}
