//! Whether constraints hold of objects with links and values.
//!
//! The textbook reading of a constraint, expression by expression. It shares nothing with what builds expressions for a solver, since it is there to
//! check that: no solution is given to anybody before [`Run`](super::run::Run) has taken its path with it.
//!
//! A division by zero has no value, and the smallest condition around it is false. Numbers are exact; those that do not fit into 128 bits are [`Beyond`].

use std::collections::{BTreeMap, BTreeSet};

use num_traits::{CheckedAdd, CheckedDiv, CheckedMul, CheckedSub, Zero};
use punctual_model::{
    BinderId, ClassId, ConstraintId, ObjectId, OclId, Rational, SentenceId, Value,
    usecases::{
        AttributeType, Binary, Constraint, Diagram, EndRef, Expr, Ground, Iterator as Iterating,
        Slot, Unary, UseCases,
    },
};

/// What slots hold.
pub type Values = BTreeMap<Slot, Value>;

/// A number does not fit, or a slot has no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Beyond;

/// What an expression comes to.
#[derive(Clone, Debug, PartialEq)]
enum Thing {
    Truth(bool),
    Member(u32),
    Whole(i128),
    Real(Rational),
    /// A number that there is not.
    Nothing,
    Object(ObjectId),
    Set(BTreeSet<ObjectId>),
}

/// Objects that belong together.
#[derive(Clone, Copy, Debug)]
pub struct World<'a> {
    /// The classes and constraints.
    pub cases: &'a UseCases,
    /// The objects and links.
    pub diagram: &'a Diagram,
}

/// Which objects an expression speaks of.
#[derive(Clone, Debug)]
pub(super) struct Place<'a> {
    pub(super) constraint: &'a Constraint,
    pub(super) context: ObjectId,
    pub(super) bound: BTreeMap<BinderId, ObjectId>,
}

impl<'a> World<'a> {
    /// The objects of a class and of its subclasses.
    #[must_use]
    pub fn objects(&self, class: ClassId) -> Vec<ObjectId> {
        let domain = &self.cases.domain;
        let all = self.diagram.objects.enumerate();
        all.filter(|(_, it)| domain.conforms(it.class, class)).map(|(id, _)| id).collect()
    }

    /// All slots of all objects.
    #[must_use]
    pub fn slots(&self) -> Vec<Slot> {
        let domain = &self.cases.domain;
        let mut found = Vec::new();
        for (object, it) in self.diagram.objects.enumerate() {
            let own = domain.attributes.enumerate();
            let own = own.filter(|(_, attribute)| domain.conforms(it.class, attribute.class));
            found.extend(own.map(|(attribute, _)| Slot { object, attribute }));
        }
        found
    }

    /// The objects at an end, seen from an object.
    pub(super) fn across(&self, from: ObjectId, at: EndRef) -> BTreeSet<ObjectId> {
        let (here, there) = (1 - usize::from(at.end), usize::from(at.end));
        let links = self.diagram.links.iter();
        links
            .filter(|it| it.association == at.association && it.ends[here] == from)
            .map(|it| it.ends[there])
            .collect()
    }

    /// Whether the links are as many as multiplicities say.
    #[must_use]
    pub fn is_well_linked(&self) -> bool {
        let domain = &self.cases.domain;
        domain.associations.enumerate().all(|(association, it)| {
            [0_u8, 1].into_iter().all(|end| {
                let multiplicity = it.ends[usize::from(end)].multiplicity;
                self.objects(it.ends[1 - usize::from(end)].class).into_iter().all(|from| {
                    let n = self.across(from, EndRef { association, end }).len() as u64;
                    n >= u64::from(multiplicity.least)
                        && multiplicity.most.is_none_or(|most| n <= u64::from(most))
                })
            })
        })
    }

    /// Whether a constraint holds of all objects that it is about.
    ///
    /// # Errors
    /// If a number does not fit.
    pub fn holds(&self, id: ConstraintId, values: &Values) -> Result<bool, Beyond> {
        let constraint = &self.cases.constraints[id];
        let mut holds = true;
        for context in self.objects(constraint.context) {
            let place = Place { constraint, context, bound: BTreeMap::new() };
            holds &= self.is_true(&place, constraint.root, values)?;
        }
        Ok(holds)
    }

    /// Whether all that a sentence means holds.
    ///
    /// # Errors
    /// If a number does not fit.
    pub fn means(&self, id: SentenceId, values: &Values) -> Result<bool, Beyond> {
        let mut holds = true;
        for constraint in &self.cases.sentences[id].constraints {
            holds &= self.holds(*constraint, values)?;
        }
        Ok(holds)
    }

    pub(super) fn is_true(
        &self,
        place: &Place<'a>,
        id: OclId,
        values: &Values,
    ) -> Result<bool, Beyond> {
        match self.thing(place, id, values)? {
            Thing::Truth(it) => Ok(it),
            _ => Err(Beyond),
        }
    }

    /// The value of an expression for an attribute of a type; none if there is no value.
    pub(super) fn value(
        &self,
        place: &Place<'a>,
        id: OclId,
        values: &Values,
    ) -> Result<Option<Value>, Beyond> {
        Ok(Some(match self.thing(place, id, values)? {
            Thing::Truth(it) => Value::Bool(it),
            Thing::Member(it) => Value::Enum(it),
            Thing::Whole(it) => Value::Int(i64::try_from(it).map_err(|_| Beyond)?),
            Thing::Real(it) => Value::Real(it),
            _ => return Ok(None),
        }))
    }

    /// The object that an expression is.
    pub(super) fn object(
        &self,
        place: &Place<'a>,
        id: OclId,
        values: &Values,
    ) -> Result<ObjectId, Beyond> {
        match self.thing(place, id, values)? {
            Thing::Object(it) => Ok(it),
            _ => Err(Beyond),
        }
    }

    /// The objects of a set.
    pub(super) fn set(
        &self,
        place: &Place<'a>,
        id: OclId,
        values: &Values,
    ) -> Result<BTreeSet<ObjectId>, Beyond> {
        match self.thing(place, id, values)? {
            Thing::Set(it) => Ok(it),
            _ => Err(Beyond),
        }
    }

    fn thing(&self, place: &Place<'a>, id: OclId, values: &Values) -> Result<Thing, Beyond> {
        Ok(match place.constraint.expr(id) {
            Expr::Constant(value) => of_value(value),
            Expr::Context => Thing::Object(place.context),
            Expr::Binder(binder) => Thing::Object(*place.bound.get(&binder).ok_or(Beyond)?),
            Expr::Attribute(of, attribute) => {
                let object = self.object(place, of, values)?;
                of_value(*values.get(&Slot { object, attribute }).ok_or(Beyond)?)
            }
            Expr::Navigate(of, end) => {
                let there = self.across(self.object(place, of, values)?, end);
                match self.cases.domain.end(end).multiplicity.is_one() {
                    true => Thing::Object(*there.first().ok_or(Beyond)?),
                    false => Thing::Set(there),
                }
            }
            Expr::AllInstances(class) => Thing::Set(self.objects(class).into_iter().collect()),
            Expr::Unary(operator, of) => unary(operator, self.thing(place, of, values)?)?,
            Expr::Binary(operator, left, right) => {
                let (left, right) =
                    (self.thing(place, left, values)?, self.thing(place, right, values)?);
                binary(operator, &left, &right)?
            }
            Expr::Size(set) => Thing::Whole(self.set(place, set, values)?.len() as i128),
            Expr::Iterate { iterator, source, binder, body } => {
                let mut chosen = BTreeSet::new();
                let source = self.set(place, source, values)?;
                for &object in &source {
                    let mut inner = place.clone();
                    inner.bound.insert(binder, object);
                    if self.is_true(&inner, body, values)? {
                        chosen.insert(object);
                    }
                }
                match iterator {
                    Iterating::ForAll => Thing::Truth(chosen.len() == source.len()),
                    Iterating::Exists => Thing::Truth(!chosen.is_empty()),
                    Iterating::Select => Thing::Set(chosen),
                }
            }
        })
    }

    /// Whether a value is one of an attribute's type.
    #[must_use]
    pub fn is_of_type(&self, slot: Slot, value: Value) -> bool {
        match (self.cases.domain.attributes[slot.attribute].ty, value) {
            (AttributeType::Enumeration(id), Value::Enum(it)) => {
                (it as usize) < self.cases.domain.enumerations[id].values.len()
            }
            (AttributeType::Boolean, Value::Bool(_))
            | (AttributeType::Integer, Value::Int(_))
            | (AttributeType::Real, Value::Real(_)) => true,
            _ => false,
        }
    }
}

/// What a ground expression comes to; none if it has no value.
///
/// # Errors
/// If a number does not fit, or a slot has no value.
pub fn ground(it: &Ground, values: &Values) -> Result<Option<Value>, Beyond> {
    Ok(match of_ground(it, values)? {
        Thing::Truth(it) => Some(Value::Bool(it)),
        Thing::Member(it) => Some(Value::Enum(it)),
        Thing::Whole(it) => Some(Value::Int(i64::try_from(it).map_err(|_| Beyond)?)),
        Thing::Real(it) => Some(Value::Real(it)),
        _ => None,
    })
}

fn of_ground(it: &Ground, values: &Values) -> Result<Thing, Beyond> {
    let truth = |it: &Ground| Ok(of_ground(it, values)? == Thing::Truth(true));
    Ok(match it {
        Ground::Constant(value) => of_value(*value),
        Ground::Slot(slot) => of_value(*values.get(slot).ok_or(Beyond)?),
        Ground::Unary(operator, of) => unary(*operator, of_ground(of, values)?)?,
        Ground::Binary(operator, left, right) => {
            binary(*operator, &of_ground(left, values)?, &of_ground(right, values)?)?
        }
        Ground::All(parts) => {
            let all: Result<Vec<bool>, Beyond> = parts.iter().map(truth).collect();
            Thing::Truth(all?.into_iter().all(|it| it))
        }
        Ground::Any(parts) => {
            let all: Result<Vec<bool>, Beyond> = parts.iter().map(truth).collect();
            Thing::Truth(all?.into_iter().any(|it| it))
        }
        Ground::If(parts) => of_ground(&parts[if truth(&parts[0])? { 1 } else { 2 }], values)?,
    })
}

fn of_value(value: Value) -> Thing {
    match value {
        Value::Bool(it) => Thing::Truth(it),
        Value::Int(it) => Thing::Whole(it.into()),
        Value::Real(it) => Thing::Real(it),
        Value::Enum(it) => Thing::Member(it),
    }
}

fn unary(operator: Unary, of: Thing) -> Result<Thing, Beyond> {
    Ok(match (operator, of) {
        (Unary::Not, Thing::Truth(it)) => Thing::Truth(!it),
        (_, Thing::Nothing) => Thing::Nothing,
        (Unary::Neg, Thing::Whole(it)) => Thing::Whole(it.checked_neg().ok_or(Beyond)?),
        (Unary::Neg, Thing::Real(it)) => {
            Thing::Real(Rational::zero().checked_sub(&it).ok_or(Beyond)?)
        }
        (Unary::ToReal, Thing::Whole(it)) => Thing::Real(Rational::from_integer(it)),
        _ => return Err(Beyond),
    })
}

fn binary(operator: Binary, left: &Thing, right: &Thing) -> Result<Thing, Beyond> {
    use Binary::{Add, And, Div, Eq, Ge, Gt, Implies, Le, Lt, Mul, Ne, Or, Sub, Xor};
    let is_number = matches!(operator, Add | Sub | Mul | Div);
    Ok(match (left, right) {
        (Thing::Nothing, _) | (_, Thing::Nothing) if is_number => Thing::Nothing,
        (Thing::Nothing, _) | (_, Thing::Nothing) => Thing::Truth(false),
        (Thing::Truth(a), Thing::Truth(b)) => Thing::Truth(match operator {
            And => *a && *b,
            Or => *a || *b,
            Xor | Ne => a != b,
            Implies => !a || *b,
            Eq => a == b,
            _ => return Err(Beyond),
        }),
        (Thing::Whole(a), Thing::Whole(b)) if is_number => Thing::Whole(
            match operator {
                Add => i128::checked_add(*a, *b),
                Sub => i128::checked_sub(*a, *b),
                Mul => i128::checked_mul(*a, *b),
                _ => None,
            }
            .ok_or(Beyond)?,
        ),
        (Thing::Real(_), Thing::Real(b)) if operator == Div && b.is_zero() => Thing::Nothing,
        (Thing::Real(a), Thing::Real(b)) if is_number => Thing::Real(
            match operator {
                Add => a.checked_add(b),
                Sub => a.checked_sub(b),
                Mul => a.checked_mul(b),
                _ => a.checked_div(b),
            }
            .ok_or(Beyond)?,
        ),
        (a, b) if operator == Eq => Thing::Truth(a == b),
        (a, b) if operator == Ne => Thing::Truth(a != b),
        (a, b) => {
            let order = match (a, b) {
                (Thing::Whole(a), Thing::Whole(b)) => a.cmp(b),
                (Thing::Real(a), Thing::Real(b)) => a.cmp(b),
                _ => return Err(Beyond),
            };
            Thing::Truth(match operator {
                Lt => order.is_lt(),
                Le => order.is_le(),
                Gt => order.is_gt(),
                Ge => order.is_ge(),
                _ => return Err(Beyond),
            })
        }
    })
}
