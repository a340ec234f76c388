//! Constraints over objects that are there: quantifiers and navigation become expressions over slots and links.
//!
//! A number may have no value: then the smallest condition around it is false, also below `not`. Sets and objects that depend on links are
//! lists of candidates, each with the condition under which it is meant; candidates for one object exclude each other.
//!
//! Not here: which version of a slot is read ([`Reading`] says so), and what becomes of an effect.

use punctual_model::{
    AttributeId, BinderId, ObjectId, OclId, Value,
    usecases::{Binary, Constraint, Domain, Expr, Iterator as Iterating, Slot, Unary},
};

use super::{
    form::{Form, Forms},
    objects::Objects,
};

/// Objects that may be meant, and when they are.
pub(super) type Candidates = Vec<(ObjectId, Form)>;

/// The objects that iterators are at, innermost last.
pub(super) type Bound = Vec<(BinderId, ObjectId)>;

/// A number, a member of an enumeration or a truth, and when it has a value.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scalar {
    pub(super) form: Form,
    pub(super) is_defined: Form,
}

/// What slots hold where a constraint is read.
pub(super) trait Reading {
    /// What a slot holds.
    fn slot(&mut self, forms: &mut Forms, slot: Slot) -> Form;
}

impl<F: FnMut(&mut Forms, Slot) -> Form> Reading for F {
    fn slot(&mut self, forms: &mut Forms, slot: Slot) -> Form {
        self(forms, slot)
    }
}

/// A constraint for one object that is `self`.
pub(super) struct Grounding<'a> {
    pub(super) domain: &'a Domain,
    pub(super) objects: &'a Objects,
    pub(super) constraint: &'a Constraint,
    pub(super) context: ObjectId,
}

impl Grounding<'_> {
    /// Whether a condition is true.
    pub(super) fn truth(
        &self,
        forms: &mut Forms,
        reading: &mut impl Reading,
        bound: &mut Bound,
        id: OclId,
    ) -> Form {
        match self.constraint.expr(id) {
            Expr::Unary(Unary::Not, of) => {
                let of = self.truth(forms, reading, bound, of);
                forms.not(of)
            }
            Expr::Binary(operator, left, right) => match operator {
                Binary::And | Binary::Or | Binary::Xor | Binary::Implies => {
                    let left = self.truth(forms, reading, bound, left);
                    let right = self.truth(forms, reading, bound, right);
                    forms.binary(operator, left, right)
                }
                _ if self.is_object(left) => {
                    let left = self.candidates(forms, reading, bound, left);
                    let right = self.candidates(forms, reading, bound, right);
                    let same = same_object(forms, &left, &right);
                    if operator == Binary::Ne { forms.not(same) } else { same }
                }
                _ => {
                    let left = self.scalar(forms, reading, bound, left);
                    let right = self.scalar(forms, reading, bound, right);
                    let compared = forms.binary(operator, left.form, right.form);
                    forms.all([left.is_defined, right.is_defined, compared])
                }
            },
            Expr::Iterate { iterator, source, binder, body } => {
                let mut parts = Vec::new();
                for (object, is_in) in self.candidates(forms, reading, bound, source) {
                    bound.push((binder, object));
                    let body = self.truth(forms, reading, bound, body);
                    bound.pop();
                    parts.push(match iterator {
                        Iterating::Exists => forms.and(is_in, body),
                        _ => forms.implies(is_in, body),
                    });
                }
                match iterator {
                    Iterating::Exists => forms.any(parts),
                    _ => forms.all(parts),
                }
            }
            // A constant or an attribute always has a value.
            _ => self.scalar(forms, reading, bound, id).form,
        }
    }

    /// A number, a member or a truth.
    pub(super) fn scalar(
        &self,
        forms: &mut Forms,
        reading: &mut impl Reading,
        bound: &mut Bound,
        id: OclId,
    ) -> Scalar {
        let always = forms.bool(true);
        let defined = |form| Scalar { form, is_defined: always };
        match self.constraint.expr(id) {
            Expr::Constant(value) => defined(forms.value(value)),
            Expr::Attribute(of, attribute) => {
                let of = self.candidates(forms, reading, bound, of);
                defined(self.attribute(forms, reading, &of, attribute))
            }
            Expr::Unary(operator @ (Unary::Neg | Unary::ToReal), of) => {
                let of = self.scalar(forms, reading, bound, of);
                Scalar { form: forms.unary(operator, of.form), ..of }
            }
            Expr::Binary(
                operator @ (Binary::Add | Binary::Sub | Binary::Mul | Binary::Div),
                left,
                right,
            ) => {
                let left = self.scalar(forms, reading, bound, left);
                let right = self.scalar(forms, reading, bound, right);
                let mut is_defined = forms.and(left.is_defined, right.is_defined);
                if operator == Binary::Div {
                    let zero = forms.value(Value::Real(0.into()));
                    let there = forms.binary(Binary::Ne, right.form, zero);
                    is_defined = forms.and(is_defined, there);
                }
                Scalar { form: forms.binary(operator, left.form, right.form), is_defined }
            }
            Expr::Size(set) => {
                let mut sum = forms.value(Value::Int(0));
                let one = forms.value(Value::Int(1));
                let zero = sum;
                for (_, is_in) in self.candidates(forms, reading, bound, set) {
                    let counted = forms.choose(is_in, one, zero);
                    sum = forms.binary(Binary::Add, sum, counted);
                }
                defined(sum)
            }
            _ => defined(self.truth(forms, reading, bound, id)),
        }
    }

    /// The attribute of one of these objects.
    fn attribute(
        &self,
        forms: &mut Forms,
        reading: &mut impl Reading,
        of: &[(ObjectId, Form)],
        attribute: AttributeId,
    ) -> Form {
        let mut chosen = None;
        for &(object, is_meant) in of.iter().rev() {
            let here = reading.slot(forms, Slot { object, attribute });
            chosen = Some(match chosen {
                None => here,
                Some(other) => forms.choose(is_meant, here, other),
            });
        }
        // Multiplicities see to it that there is an object; without any, no solution is looked for.
        chosen.unwrap_or_else(|| forms.value(default(self.domain, attribute)))
    }

    fn is_object(&self, id: OclId) -> bool {
        matches!(self.constraint.expr(id), Expr::Context | Expr::Binder(_) | Expr::Navigate(..))
    }

    /// One object or a set of objects.
    pub(super) fn candidates(
        &self,
        forms: &mut Forms,
        reading: &mut impl Reading,
        bound: &mut Bound,
        id: OclId,
    ) -> Candidates {
        let always = forms.bool(true);
        match self.constraint.expr(id) {
            Expr::Binder(binder) => {
                let at = bound.iter().rev().find(|(it, _)| *it == binder);
                at.map(|(_, object)| (*object, always)).into_iter().collect()
            }
            Expr::AllInstances(class) => {
                self.objects.of(class).iter().map(|object| (*object, always)).collect()
            }
            Expr::Navigate(of, end) => {
                let mut found: Candidates = Vec::new();
                for (object, is_meant) in self.candidates(forms, reading, bound, of) {
                    for (there, is_linked) in self.objects.at(self.domain, forms, end, object) {
                        let both = forms.and(is_meant, is_linked);
                        match found.iter_mut().find(|(it, _)| *it == there) {
                            Some((_, when)) => *when = forms.or(*when, both),
                            None => found.push((there, both)),
                        }
                    }
                }
                found
            }
            Expr::Iterate { iterator: Iterating::Select, source, binder, body } => {
                let mut found = Vec::new();
                for (object, is_in) in self.candidates(forms, reading, bound, source) {
                    bound.push((binder, object));
                    let body = self.truth(forms, reading, bound, body);
                    bound.pop();
                    found.push((object, forms.and(is_in, body)));
                }
                found
            }
            // Only `self` is left: the types of expressions allow nothing else.
            _ => vec![(self.context, always)],
        }
    }

    /// The slots that an expression may read, and when links lead there. What `select` asks does not matter: all objects that it goes through count.
    pub(super) fn mentioned(
        &self,
        forms: &mut Forms,
        bound: &mut Bound,
        id: OclId,
    ) -> Vec<(Slot, Form)> {
        let mut found = Vec::new();
        self.mention(forms, bound, id, &mut found);
        found
    }

    fn mention(
        &self,
        forms: &mut Forms,
        bound: &mut Bound,
        id: OclId,
        found: &mut Vec<(Slot, Form)>,
    ) {
        match self.constraint.expr(id) {
            Expr::Constant(_) | Expr::Context | Expr::Binder(_) | Expr::AllInstances(_) => {}
            Expr::Attribute(of, attribute) => {
                self.mention(forms, bound, of, found);
                for (object, when) in self.through(forms, bound, of) {
                    found.push((Slot { object, attribute }, when));
                }
            }
            Expr::Navigate(of, _) | Expr::Unary(_, of) | Expr::Size(of) => {
                self.mention(forms, bound, of, found);
            }
            Expr::Binary(_, left, right) => {
                self.mention(forms, bound, left, found);
                self.mention(forms, bound, right, found);
            }
            Expr::Iterate { source, binder, body, .. } => {
                self.mention(forms, bound, source, found);
                for (object, when) in self.through(forms, bound, source) {
                    bound.push((binder, object));
                    for (slot, inside) in self.mentioned(forms, bound, body) {
                        let both = forms.and(when, inside);
                        found.push((slot, both));
                    }
                    bound.pop();
                }
            }
        }
    }

    /// The objects of a set or an object, whatever `select` says of them.
    fn through(&self, forms: &mut Forms, bound: &mut Bound, id: OclId) -> Candidates {
        match self.constraint.expr(id) {
            Expr::Iterate { iterator: Iterating::Select, source, .. } => {
                self.through(forms, bound, source)
            }
            _ => {
                // Objects are reached by links alone: no slot is read.
                let mut unread = |forms: &mut Forms, _: Slot| forms.bool(true);
                self.candidates(forms, &mut unread, bound, id)
            }
        }
    }
}

fn same_object(forms: &mut Forms, left: &Candidates, right: &Candidates) -> Form {
    let mut parts = Vec::new();
    for (a, is_left) in left {
        for (b, is_right) in right.iter().filter(|(b, _)| a == b) {
            let _ = b;
            parts.push(forms.and(*is_left, *is_right));
        }
    }
    forms.any(parts)
}

/// A value of an attribute's type, for what nobody says anything about.
pub(super) fn default(domain: &Domain, attribute: AttributeId) -> Value {
    use punctual_model::usecases::AttributeType;
    match domain.attributes[attribute].ty {
        AttributeType::Boolean => Value::Bool(false),
        AttributeType::Integer => Value::Int(0),
        AttributeType::Real => Value::Real(0.into()),
        AttributeType::Enumeration(_) => Value::Enum(0),
    }
}
