//! Expressions over values that are not known yet. Each is stored once, and constants are folded.
//!
//! A [`Form`] speaks of [`Variable`]s: values of slots before a path, values that come from outside along it, and links.
//! **Invariant:** what is folded has the value that the whole has for all values of variables. Numbers that do not fit stay unfolded.
//!
//! Not here: what happens at a division by zero. Whoever builds a division guards the condition around it.

use std::{cmp::Ordering, collections::HashMap};

use num_traits::{CheckedAdd, CheckedDiv, CheckedMul, CheckedSub, Zero};
use punctual_model::{
    Rational, Value,
    usecases::{Binary, Ground, Slot, Unary},
};

/// A value that somebody has to choose.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Variable {
    /// Whether two objects are linked: the number of the possible link.
    Link(u32),
    /// What a slot holds before the path.
    Before(Slot),
    /// What a slot gets from outside at an event of the path, by the number of the event: an input, or a result that is not determined.
    Given(u32, Slot),
}

/// An expression of some [`Forms`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Form(u32);

/// What an expression is made of.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Node {
    /// A value.
    Constant(Value),
    /// A value that is not known.
    Variable(Variable),
    /// An operator with one operand.
    Unary(Unary, Form),
    /// An operator with two operands: numbers, or two values that are compared.
    Binary(Binary, Form, Form),
    /// Whether all are true.
    All(Vec<Form>),
    /// Whether at least one is true.
    Any(Vec<Form>),
    /// The second if the first is true, otherwise the third.
    If(Form, Form, Form),
}

/// Expressions, each stored once.
#[derive(Debug, Default)]
pub(super) struct Forms {
    nodes: Vec<Node>,
    known: HashMap<Node, Form>,
}

impl Forms {
    pub(super) fn node(&self, form: Form) -> &Node {
        &self.nodes[form.0 as usize]
    }

    fn intern(&mut self, node: Node) -> Form {
        if let Some(form) = self.known.get(&node) {
            return *form;
        }
        let form = Form(u32::try_from(self.nodes.len()).expect("fewer than 2^32 expressions"));
        self.nodes.push(node.clone());
        self.known.insert(node, form);
        form
    }

    pub(super) fn constant(&self, form: Form) -> Option<Value> {
        match self.node(form) {
            Node::Constant(value) => Some(*value),
            _ => None,
        }
    }

    pub(super) fn truth(&self, form: Form) -> Option<bool> {
        match self.node(form) {
            Node::Constant(Value::Bool(it)) => Some(*it),
            _ => None,
        }
    }

    pub(super) fn value(&mut self, value: Value) -> Form {
        self.intern(Node::Constant(value))
    }

    pub(super) fn bool(&mut self, it: bool) -> Form {
        self.value(Value::Bool(it))
    }

    pub(super) fn variable(&mut self, variable: Variable) -> Form {
        self.intern(Node::Variable(variable))
    }

    pub(super) fn not(&mut self, form: Form) -> Form {
        match *self.node(form) {
            Node::Constant(Value::Bool(it)) => self.bool(!it),
            Node::Unary(Unary::Not, inner) => inner,
            _ => self.intern(Node::Unary(Unary::Not, form)),
        }
    }

    fn are_opposite(&self, a: Form, b: Form) -> bool {
        *self.node(a) == Node::Unary(Unary::Not, b) || *self.node(b) == Node::Unary(Unary::Not, a)
    }

    /// Whether all are true.
    pub(super) fn all(&mut self, parts: impl IntoIterator<Item = Form>) -> Form {
        self.joined(parts.into_iter().collect(), true)
    }

    /// Whether at least one is true.
    pub(super) fn any(&mut self, parts: impl IntoIterator<Item = Form>) -> Form {
        self.joined(parts.into_iter().collect(), false)
    }

    /// Parts joined by an operator whose neutral element is given. Parts that are joined the same way are taken apart.
    fn joined(&mut self, parts: Vec<Form>, neutral: bool) -> Form {
        let mut kept: Vec<Form> = Vec::with_capacity(parts.len());
        let mut rest: Vec<Form> = parts.into_iter().rev().collect();
        while let Some(part) = rest.pop() {
            match self.node(part) {
                Node::Constant(Value::Bool(it)) if *it == neutral => {}
                Node::Constant(_) => return self.bool(!neutral),
                Node::All(inner) if neutral => rest.extend(inner.iter().rev()),
                Node::Any(inner) if !neutral => rest.extend(inner.iter().rev()),
                _ if kept.contains(&part) => {}
                _ if kept.iter().any(|it| self.are_opposite(*it, part)) => {
                    return self.bool(!neutral);
                }
                _ => kept.push(part),
            }
        }
        match kept[..] {
            [] => self.bool(neutral),
            [one] => one,
            _ if neutral => self.intern(Node::All(kept)),
            _ => self.intern(Node::Any(kept)),
        }
    }

    pub(super) fn and(&mut self, a: Form, b: Form) -> Form {
        self.all([a, b])
    }

    pub(super) fn or(&mut self, a: Form, b: Form) -> Form {
        self.any([a, b])
    }

    pub(super) fn implies(&mut self, a: Form, b: Form) -> Form {
        let not = self.not(a);
        self.or(not, b)
    }

    /// The second if the first is true, otherwise the third.
    pub(super) fn choose(&mut self, condition: Form, yes: Form, no: Form) -> Form {
        match (self.truth(condition), self.truth(yes), self.truth(no)) {
            (Some(it), _, _) => {
                if it {
                    yes
                } else {
                    no
                }
            }
            _ if yes == no => yes,
            (_, Some(true), _) => self.or(condition, no),
            (_, Some(false), _) => {
                let not = self.not(condition);
                self.and(not, no)
            }
            (_, _, Some(true)) => self.implies(condition, yes),
            (_, _, Some(false)) => self.and(condition, yes),
            _ => self.intern(Node::If(condition, yes, no)),
        }
    }

    pub(super) fn eq(&mut self, a: Form, b: Form) -> Form {
        self.binary(Binary::Eq, a, b)
    }

    pub(super) fn unary(&mut self, operator: Unary, form: Form) -> Form {
        let folded = match (operator, self.constant(form)) {
            (Unary::Not, _) => return self.not(form),
            (Unary::Neg, Some(Value::Int(it))) => it.checked_neg().map(Value::Int),
            (Unary::Neg, Some(Value::Real(it))) => {
                Rational::zero().checked_sub(&it).map(Value::Real)
            }
            (Unary::ToReal, Some(Value::Int(it))) => {
                Some(Value::Real(Rational::from_integer(it.into())))
            }
            _ => None,
        };
        match folded {
            Some(value) => self.value(value),
            None => self.intern(Node::Unary(operator, form)),
        }
    }

    pub(super) fn binary(&mut self, operator: Binary, a: Form, b: Form) -> Form {
        match operator {
            Binary::And => self.and(a, b),
            Binary::Or => self.or(a, b),
            Binary::Implies => self.implies(a, b),
            Binary::Ne | Binary::Xor => {
                let same = self.binary(Binary::Eq, a, b);
                self.not(same)
            }
            Binary::Eq => self.same(a, b),
            Binary::Lt | Binary::Le | Binary::Gt | Binary::Ge => self.order(operator, a, b),
            Binary::Add | Binary::Sub | Binary::Mul | Binary::Div => {
                match self.constant(a).zip(self.constant(b)).and_then(|(a, b)| fold(operator, a, b))
                {
                    Some(value) => self.value(value),
                    None => self.intern(Node::Binary(operator, a, b)),
                }
            }
        }
    }

    fn same(&mut self, a: Form, b: Form) -> Form {
        if a == b {
            return self.bool(true);
        }
        match (self.constant(a), self.constant(b)) {
            (Some(_), Some(_)) => self.bool(false),
            (Some(Value::Bool(true)), _) => b,
            (_, Some(Value::Bool(true))) => a,
            (Some(Value::Bool(false)), _) => self.not(b),
            (_, Some(Value::Bool(false))) => self.not(a),
            _ if self.are_opposite(a, b) => self.bool(false),
            _ => self.intern(Node::Binary(Binary::Eq, a, b)),
        }
    }

    fn order(&mut self, operator: Binary, a: Form, b: Form) -> Form {
        let order = match (self.constant(a), self.constant(b)) {
            (Some(Value::Int(a)), Some(Value::Int(b))) => Some(a.cmp(&b)),
            (Some(Value::Real(a)), Some(Value::Real(b))) => Some(a.cmp(&b)),
            _ if a == b => Some(Ordering::Equal),
            _ => None,
        };
        match order {
            Some(order) => {
                let holds = match operator {
                    Binary::Lt => order.is_lt(),
                    Binary::Le => order.is_le(),
                    Binary::Gt => order.is_gt(),
                    _ => order.is_ge(),
                };
                self.bool(holds)
            }
            None => self.intern(Node::Binary(operator, a, b)),
        }
    }

    /// The expression with these values for variables; those without one stay.
    pub(super) fn with(
        &mut self,
        form: Form,
        value: &impl Fn(Variable) -> Option<Value>,
        done: &mut HashMap<Form, Form>,
    ) -> Form {
        if let Some(known) = done.get(&form) {
            return *known;
        }
        let put = match self.node(form).clone() {
            Node::Constant(_) => form,
            Node::Variable(it) => match value(it) {
                Some(value) => self.value(value),
                None => form,
            },
            Node::Unary(operator, of) => {
                let of = self.with(of, value, done);
                self.unary(operator, of)
            }
            Node::Binary(operator, a, b) => {
                let (a, b) = (self.with(a, value, done), self.with(b, value, done));
                self.binary(operator, a, b)
            }
            Node::All(parts) => {
                let parts: Vec<_> = parts.iter().map(|it| self.with(*it, value, done)).collect();
                self.all(parts)
            }
            Node::Any(parts) => {
                let parts: Vec<_> = parts.iter().map(|it| self.with(*it, value, done)).collect();
                self.any(parts)
            }
            Node::If(condition, yes, no) => {
                let condition = self.with(condition, value, done);
                match self.truth(condition) {
                    Some(true) => self.with(yes, value, done),
                    Some(false) => self.with(no, value, done),
                    None => {
                        let yes = self.with(yes, value, done);
                        let no = self.with(no, value, done);
                        self.choose(condition, yes, no)
                    }
                }
            }
        };
        done.insert(form, put);
        put
    }

    /// The variables of an expression, each once, added to those that are there.
    pub(super) fn variables(&self, form: Form, found: &mut Vec<Variable>) {
        let mut seen = std::collections::HashSet::new();
        let mut rest = vec![form];
        while let Some(form) = rest.pop() {
            if !seen.insert(form) {
                continue;
            }
            match self.node(form) {
                Node::Constant(_) => {}
                Node::Variable(it) if found.contains(it) => {}
                Node::Variable(it) => found.push(*it),
                Node::Unary(_, of) => rest.push(*of),
                Node::Binary(_, a, b) => rest.extend([*b, *a]),
                Node::All(parts) | Node::Any(parts) => rest.extend(parts.iter().rev()),
                Node::If(a, b, c) => rest.extend([*c, *b, *a]),
            }
        }
    }

    /// The expression as others see it, if all its variables are values before the path and it has at most so many parts.
    pub(super) fn ground(&self, form: Form, left: &mut usize) -> Option<Ground> {
        *left = left.checked_sub(1)?;
        let mut of = |form: Form| self.ground(form, left);
        Some(match self.node(form) {
            Node::Constant(value) => Ground::Constant(*value),
            Node::Variable(Variable::Before(slot)) => Ground::Slot(*slot),
            Node::Variable(_) => return None,
            Node::Unary(operator, a) => Ground::Unary(*operator, Box::new(of(*a)?)),
            Node::Binary(operator, a, b) => {
                Ground::Binary(*operator, Box::new(of(*a)?), Box::new(of(*b)?))
            }
            Node::All(parts) => Ground::All(parts.iter().map(|it| of(*it)).collect::<Option<_>>()?),
            Node::Any(parts) => Ground::Any(parts.iter().map(|it| of(*it)).collect::<Option<_>>()?),
            Node::If(a, b, c) => Ground::If(Box::new([of(*a)?, of(*b)?, of(*c)?])),
        })
    }
}

/// The value of an operation on numbers, if it fits.
fn fold(operator: Binary, a: Value, b: Value) -> Option<Value> {
    match (a, b) {
        (Value::Int(a), Value::Int(b)) => match operator {
            Binary::Add => a.checked_add(b),
            Binary::Sub => a.checked_sub(b),
            Binary::Mul => a.checked_mul(b),
            _ => None,
        }
        .map(Value::Int),
        (Value::Real(a), Value::Real(b)) => match operator {
            Binary::Add => a.checked_add(&b),
            Binary::Sub => a.checked_sub(&b),
            Binary::Mul => a.checked_mul(&b),
            Binary::Div if !b.is_zero() => a.checked_div(&b),
            _ => None,
        }
        .map(Value::Real),
        _ => None,
    }
}
