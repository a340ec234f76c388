//! Constraints at random, over any classes.

use punctual_model::{
    BinderId, ClassId, IdVec, OclId, Value,
    usecases::{
        AttributeType, Binary, Binder, Constraint, Domain, EndRef, Expr, Feature,
        Iterator as Iterating, Node, Type, Unary,
    },
};

use super::Dice;

/// A constraint that is being made.
pub(super) struct Constraining<'m> {
    dice: &'m mut Dice,
    domain: &'m Domain,
    context: ClassId,
    pub(super) nodes: IdVec<OclId, Node>,
    pub(super) binders: IdVec<BinderId, Binder>,
    scope: Vec<BinderId>,
    has_sets: bool,
}

/// Makes a constraint that sets one attribute set it to something else. Others stay as they are.
pub(super) fn oppose(it: &mut Constraint, dice: &mut Dice) {
    let root = it.root;
    it.root = match it.nodes[root].expr {
        Expr::Attribute(..) => {
            it.nodes.push(Node { expr: Expr::Unary(Unary::Not, root), ty: Type::Boolean })
        }
        Expr::Unary(Unary::Not, of) => of,
        Expr::Binary(Binary::Eq, left, _) => {
            let ty = it.nodes[left].ty;
            let value = match ty {
                Type::Boolean => Value::Bool(dice.often(50)),
                Type::Integer => Value::Int(dice.below(3) as i64),
                Type::Real => Value::Real((dice.below(3) as i128).into()),
                Type::Enumeration(_) => Value::Enum(dice.below(2) as u32),
                _ => return,
            };
            let right = it.nodes.push(Node { expr: Expr::Constant(value), ty });
            it.nodes.push(Node { expr: Expr::Binary(Binary::Eq, left, right), ty: Type::Boolean })
        }
        _ => root,
    };
}

impl<'m> Constraining<'m> {
    pub(super) fn new(
        dice: &'m mut Dice,
        domain: &'m Domain,
        context: ClassId,
        has_sets: bool,
    ) -> Self {
        let (nodes, binders, scope) = (IdVec::default(), IdVec::default(), Vec::new());
        Constraining { dice, domain, context, nodes, binders, scope, has_sets }
    }
}

impl Constraining<'_> {
    fn push(&mut self, expr: Expr, ty: Type) -> OclId {
        self.nodes.push(Node { expr, ty })
    }

    /// Mostly attributes that are set; sometimes anything.
    pub(super) fn effect(&mut self, depth: u32) -> OclId {
        let sets = self.sets();
        match self.dice.below(10) {
            0 | 1 if depth > 0 => {
                let (a, b) = (self.effect(depth - 1), self.effect(depth - 1));
                self.push(Expr::Binary(Binary::And, a, b), Type::Boolean)
            }
            2..=4 if depth > 0 && sets => {
                let (mut source, class) = self.set(1);
                // Which objects change depends on the state before.
                if self.dice.often(60) {
                    source = self.iterate(Iterating::Select, source, class, |it| it.truth(0));
                }
                self.iterate(Iterating::ForAll, source, class, |it| it.effect(depth - 1))
            }
            5 => self.truth(1),
            _ => self.assign(),
        }
    }

    fn sets(&self) -> bool {
        self.has_sets && self.scope.len() < 2
    }

    fn assign(&mut self) -> OclId {
        let Some((left, ty)) = self.attribute(None) else { return self.truth(0) };
        if ty == Type::Boolean && self.dice.often(60) {
            return match self.dice.often(50) {
                true => left,
                false => self.push(Expr::Unary(Unary::Not, left), Type::Boolean),
            };
        }
        // A counter, or anything.
        let right = match ty == Type::Integer && self.dice.often(40) {
            true => {
                let one = self.push(Expr::Constant(Value::Int(1)), Type::Integer);
                let operator = self.dice.one(&[Binary::Add, Binary::Sub]);
                self.push(Expr::Binary(operator, left, one), Type::Integer)
            }
            false => self.of(ty, 1),
        };
        self.push(Expr::Binary(Binary::Eq, left, right), Type::Boolean)
    }

    fn of(&mut self, ty: Type, depth: u32) -> OclId {
        match ty {
            Type::Boolean => self.truth(depth),
            Type::Integer => self.whole(depth),
            Type::Real => self.real(depth),
            _ => self.member(),
        }
    }

    fn iterate(
        &mut self,
        iterator: Iterating,
        source: OclId,
        class: ClassId,
        body: impl FnOnce(&mut Self) -> OclId,
    ) -> OclId {
        let binder = self.binders.push(Binder { name: "x".to_owned(), class });
        self.scope.push(binder);
        let body = body(self);
        self.scope.pop();
        let ty = match iterator {
            Iterating::Select => Type::Set(class),
            _ => Type::Boolean,
        };
        self.push(Expr::Iterate { iterator, source, binder, body }, ty)
    }

    pub(super) fn truth(&mut self, depth: u32) -> OclId {
        if depth > 0 && self.dice.often(45) {
            if self.sets() && self.dice.often(35) {
                let (source, class) = self.set(1);
                let iterator = self.dice.one(&[Iterating::ForAll, Iterating::Exists]);
                return self.iterate(iterator, source, class, |it| it.truth(depth - 1));
            }
            if self.dice.often(25) {
                let of = self.truth(depth - 1);
                return self.push(Expr::Unary(Unary::Not, of), Type::Boolean);
            }
            let (a, b) = (self.truth(depth - 1), self.truth(depth - 1));
            let operator =
                self.dice.one(&[Binary::And, Binary::Or, Binary::Xor, Binary::Implies, Binary::Eq]);
            return self.push(Expr::Binary(operator, a, b), Type::Boolean);
        }
        let compare = [Binary::Eq, Binary::Ne, Binary::Lt, Binary::Le, Binary::Gt, Binary::Ge];
        let (a, b, operator) = match self.dice.below(8) {
            0 | 1 => match self.attribute(Some(Type::Boolean)) {
                Some((it, _)) => return it,
                None => (self.whole(1), self.whole(1), self.dice.one(&compare)),
            },
            2 | 3 => {
                let left = match self.attribute(Some(Type::Integer)) {
                    Some((it, _)) if self.dice.often(70) => it,
                    _ => self.whole(1),
                };
                (left, self.whole(1), self.dice.one(&compare))
            }
            4 | 5 => {
                let left = match self.attribute(Some(Type::Real)) {
                    Some((below, _)) if self.dice.often(60) => {
                        let above = self.real(0);
                        self.push(Expr::Binary(Binary::Div, above, below), Type::Real)
                    }
                    Some((it, _)) => it,
                    None => self.real(1),
                };
                (left, self.real(1), self.dice.one(&compare))
            }
            6 => {
                let (a, class) = self.object(1);
                let (b, other) = self.object(1);
                if !self.domain.conforms(class, other) && !self.domain.conforms(other, class) {
                    return self.truth(0);
                }
                (a, b, self.dice.one(&[Binary::Eq, Binary::Ne]))
            }
            _ => match self.attribute(None) {
                Some((left, ty)) => {
                    (left, self.of(ty, 1), self.dice.one(&[Binary::Eq, Binary::Ne]))
                }
                None => (self.member(), self.member(), Binary::Eq),
            },
        };
        self.push(Expr::Binary(operator, a, b), Type::Boolean)
    }

    fn whole(&mut self, depth: u32) -> OclId {
        match self.dice.below(6) {
            0 | 1 => {
                if let Some((it, _)) = self.attribute(Some(Type::Integer)) {
                    return it;
                }
            }
            2 if self.sets() => {
                let (set, _) = self.set(1);
                return self.push(Expr::Size(set), Type::Integer);
            }
            3 if depth > 0 => {
                let (a, b) = (self.whole(depth - 1), self.whole(depth - 1));
                let operator = self.dice.one(&[Binary::Add, Binary::Sub, Binary::Mul]);
                return self.push(Expr::Binary(operator, a, b), Type::Integer);
            }
            4 if depth > 0 => {
                let of = self.whole(depth - 1);
                return self.push(Expr::Unary(Unary::Neg, of), Type::Integer);
            }
            _ => {}
        }
        let value = Value::Int(self.dice.below(3) as i64);
        self.push(Expr::Constant(value), Type::Integer)
    }

    fn real(&mut self, depth: u32) -> OclId {
        match self.dice.below(6) {
            0 | 1 => {
                if let Some((it, _)) = self.attribute(Some(Type::Real)) {
                    return it;
                }
            }
            2 => {
                let of = self.whole(depth);
                return self.push(Expr::Unary(Unary::ToReal, of), Type::Real);
            }
            3 | 4 if depth > 0 => {
                let (a, b) = (self.real(depth - 1), self.real(depth - 1));
                let operator = self.dice.one(&[Binary::Div, Binary::Div, Binary::Sub]);
                return self.push(Expr::Binary(operator, a, b), Type::Real);
            }
            _ => {}
        }
        let value = Value::Real((self.dice.below(3) as i128).into());
        self.push(Expr::Constant(value), Type::Real)
    }

    fn member(&mut self) -> OclId {
        let (id, it) = self.domain.enumerations.enumerate().next().expect("there is one");
        let ty = Type::Enumeration(id);
        if self.dice.often(60)
            && let Some((it, _)) = self.attribute(Some(ty))
        {
            return it;
        }
        let value = Value::Enum(self.dice.below(it.values.len()) as u32);
        self.push(Expr::Constant(value), ty)
    }

    /// An attribute of an object, of a type if one is asked for.
    fn attribute(&mut self, wanted: Option<Type>) -> Option<(OclId, Type)> {
        for _ in 0..4 {
            let (object, class) = self.object(1);
            let mut own = Vec::new();
            for (id, it) in self.domain.attributes.enumerate() {
                let ty = match it.ty {
                    AttributeType::Boolean => Type::Boolean,
                    AttributeType::Integer => Type::Integer,
                    AttributeType::Real => Type::Real,
                    AttributeType::Enumeration(id) => Type::Enumeration(id),
                };
                let is_wanted = wanted.is_none_or(|it| it == ty);
                if is_wanted && self.domain.conforms(class, it.class) {
                    own.push((id, ty));
                }
            }
            if !own.is_empty() {
                let (attribute, ty) = self.dice.one(&own);
                return Some((self.push(Expr::Attribute(object, attribute), ty), ty));
            }
        }
        None
    }

    fn ends(&self, class: ClassId, is_one: bool) -> Vec<EndRef> {
        let lineage = self.domain.lineage(class);
        let all = lineage.iter().flat_map(|it| self.domain.own_features(*it));
        let ends = all.filter_map(|(_, it)| match it {
            Feature::End(end) => Some(end),
            Feature::Attribute(_) => None,
        });
        ends.filter(|it| self.domain.end(*it).multiplicity.is_one() == is_one).collect()
    }

    fn object(&mut self, depth: u32) -> (OclId, ClassId) {
        let (object, class) = match self.scope.last() {
            Some(&binder) if self.dice.often(70) => {
                let class = self.binders[binder].class;
                (self.push(Expr::Binder(binder), Type::Object(class)), class)
            }
            _ => (self.push(Expr::Context, Type::Object(self.context)), self.context),
        };
        let ends = self.ends(class, true);
        if depth > 0 && !ends.is_empty() && self.dice.often(50) {
            let end = self.dice.one(&ends);
            let class = self.domain.end(end).class;
            return (self.push(Expr::Navigate(object, end), Type::Object(class)), class);
        }
        (object, class)
    }

    fn set(&mut self, depth: u32) -> (OclId, ClassId) {
        if depth > 0 && self.dice.often(35) {
            let (source, class) = self.set(depth - 1);
            let selected = self.iterate(Iterating::Select, source, class, |it| it.truth(0));
            return (selected, class);
        }
        let (object, class) = self.object(1);
        let ends = self.ends(class, false);
        if !ends.is_empty() && self.dice.often(75) {
            let end = self.dice.one(&ends);
            let class = self.domain.end(end).class;
            return (self.push(Expr::Navigate(object, end), Type::Set(class)), class);
        }
        let ids: Vec<ClassId> = self.domain.classes.ids().collect();
        let class = self.dice.one(&ids);
        (self.push(Expr::AllInstances(class), Type::Set(class)), class)
    }
}
