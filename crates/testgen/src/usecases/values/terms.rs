//! Expressions as terms of a solver.
//!
//! A member of an enumeration is its position; a real number with a scale is a whole number of parts. What a type allows is claimed of each variable when it
//! comes up first: members of an enumeration, whole numbers of 64 bits.

use std::collections::{BTreeMap, HashMap};

use punctual_model::{
    Rational, Value,
    usecases::{AttributeType, Binary, Slot, Unary, UseCases},
};
use punctual_solver::{Session, Sort, Term, Value as Solved};

use super::{
    form::{Form, Forms, Node, Variable},
    objects::Objects,
    versions::nearest,
};

/// A variable as a solver has it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Symbol {
    /// What it is in other terms.
    pub(super) term: Term,
    /// The number that the solver chooses: the term itself, or how many parts it has.
    pub(super) chosen: Term,
    kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Truth,
    Whole,
    Real,
    Member,
}

/// Which terms stand for which expressions, as long as a session remembers them.
#[derive(Debug, Default)]
pub(super) struct Translation {
    terms: HashMap<Form, Term>,
    symbols: BTreeMap<Variable, Symbol>,
    /// What was added, in order.
    forms: Vec<Form>,
    variables: Vec<Variable>,
    marks: Vec<(usize, usize)>,
}

/// What a translation needs to know.
pub(super) struct Types<'s> {
    pub(super) cases: &'s UseCases,
    pub(super) objects: &'s Objects,
}

impl Types<'_> {
    fn of(&self, slot: Slot) -> (AttributeType, Option<u32>) {
        let class = self.objects.objects[slot.object].class;
        let scale = nearest(self.cases, class, slot.attribute, |it| it.scale);
        (self.cases.domain.attributes[slot.attribute].ty, scale.filter(|it| *it > 0))
    }
}

impl Translation {
    /// Goes with [`Session::push`].
    pub(super) fn push(&mut self, session: &mut Session) {
        session.push();
        self.marks.push((self.forms.len(), self.variables.len()));
    }

    /// Goes with [`Session::pop`].
    pub(super) fn pop(&mut self, session: &mut Session) {
        session.pop();
        if let Some((forms, variables)) = self.marks.pop() {
            for form in self.forms.split_off(forms) {
                self.terms.remove(&form);
            }
            for variable in self.variables.split_off(variables) {
                self.symbols.remove(&variable);
            }
        }
    }

    /// The variables that came up, in order.
    pub(super) fn variables(&self) -> &[Variable] {
        &self.variables
    }

    /// What a variable is to the solver, if it came up.
    pub(super) fn known(&self, variable: Variable) -> Option<Symbol> {
        self.symbols.get(&variable).copied()
    }

    /// What a variable is to the solver.
    pub(super) fn symbol(
        &mut self,
        session: &mut Session,
        types: &Types<'_>,
        variable: Variable,
    ) -> Symbol {
        if let Some(symbol) = self.symbols.get(&variable) {
            return *symbol;
        }
        let (ty, scale) = match variable {
            Variable::Link(_) => (AttributeType::Boolean, None),
            Variable::Before(slot) | Variable::Given(_, slot) => types.of(slot),
        };
        let (kind, sort) = match (ty, scale) {
            (AttributeType::Boolean, _) => (Kind::Truth, Sort::Bool),
            (AttributeType::Integer, _) => (Kind::Whole, Sort::Int),
            (AttributeType::Enumeration(_), _) => (Kind::Member, Sort::Int),
            (AttributeType::Real, Some(_)) => (Kind::Real, Sort::Int),
            (AttributeType::Real, None) => (Kind::Real, Sort::Real),
        };
        let terms = session.terms();
        let chosen = terms.symbol("", sort);
        let term = match (kind, scale) {
            (Kind::Real, Some(scale)) => {
                let whole = terms.to_real(chosen);
                let part = terms.real(Rational::new(1, scale.into()));
                terms.mul(whole, part)
            }
            _ => chosen,
        };
        let bounds = match ty {
            AttributeType::Integer => Some((i128::from(i64::MIN), i128::from(i64::MAX))),
            AttributeType::Enumeration(id) => {
                Some((0, types.cases.domain.enumerations[id].values.len() as i128 - 1))
            }
            _ => None,
        };
        if let Some((least, greatest)) = bounds {
            let (least, greatest) = (terms.int(least), terms.int(greatest));
            let (above, below) = (terms.le(least, chosen), terms.le(chosen, greatest));
            let within = terms.and(above, below);
            session.assert(within);
        }
        let symbol = Symbol { term, chosen, kind };
        self.symbols.insert(variable, symbol);
        self.variables.push(variable);
        symbol
    }

    /// The term of an expression.
    pub(super) fn term(
        &mut self,
        session: &mut Session,
        types: &Types<'_>,
        forms: &Forms,
        form: Form,
    ) -> Term {
        if let Some(term) = self.terms.get(&form) {
            return *term;
        }
        let mut of = |session: &mut Session, form| self.term(session, types, forms, form);
        let term = match forms.node(form) {
            Node::Constant(value) => session.terms().value(constant(*value)),
            Node::Variable(variable) => self.symbol(session, types, *variable).term,
            Node::Unary(operator, a) => {
                let a = of(session, *a);
                match operator {
                    Unary::Not => session.terms().not(a),
                    Unary::Neg => session.terms().neg(a),
                    Unary::ToReal => session.terms().to_real(a),
                }
            }
            Node::Binary(operator, a, b) => {
                let (a, b) = (of(session, *a), of(session, *b));
                binary(session, *operator, a, b)
            }
            Node::All(parts) => {
                let parts: Vec<Term> = parts.iter().map(|it| of(session, *it)).collect();
                session.terms().all(parts)
            }
            Node::Any(parts) => {
                let parts: Vec<Term> = parts.iter().map(|it| of(session, *it)).collect();
                session.terms().any(parts)
            }
            Node::If(a, b, c) => {
                let (a, b, c) = (of(session, *a), of(session, *b), of(session, *c));
                session.terms().ite(a, b, c)
            }
        };
        self.terms.insert(form, term);
        self.forms.push(form);
        term
    }
}

fn binary(session: &mut Session, operator: Binary, a: Term, b: Term) -> Term {
    let terms = session.terms();
    match operator {
        Binary::And => terms.and(a, b),
        Binary::Or => terms.or(a, b),
        Binary::Xor | Binary::Ne => terms.ne(a, b),
        Binary::Implies => terms.implies(a, b),
        Binary::Eq => terms.eq(a, b),
        Binary::Lt => terms.lt(a, b),
        Binary::Le => terms.le(a, b),
        Binary::Gt => terms.lt(b, a),
        Binary::Ge => terms.le(b, a),
        Binary::Add => terms.add(a, b),
        Binary::Sub => terms.sub(a, b),
        Binary::Mul => terms.mul(a, b),
        Binary::Div => terms.div(a, b),
    }
}

/// A value as solvers have it.
pub(super) fn constant(value: Value) -> Solved {
    match value {
        Value::Bool(it) => Solved::Bool(it),
        Value::Int(it) => Solved::Int(it.into()),
        Value::Real(it) => Solved::Real(it),
        Value::Enum(it) => Solved::Int(it.into()),
    }
}

impl Symbol {
    /// A value of a solver as the attribute has it, if it fits.
    pub(super) fn value(&self, solved: Solved) -> Option<Value> {
        Some(match (self.kind, solved) {
            (Kind::Truth, Solved::Bool(it)) => Value::Bool(it),
            (Kind::Whole, Solved::Int(it)) => Value::Int(i64::try_from(it).ok()?),
            (Kind::Member, Solved::Int(it)) => Value::Enum(u32::try_from(it).ok()?),
            (Kind::Real, Solved::Real(it)) => Value::Real(it),
            _ => return None,
        })
    }
}
