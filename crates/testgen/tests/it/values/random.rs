//! Small use cases at random: two or three classes, attributes of few values, any constraints.

use punctual_model::{
    AttributeId, BinderId, ClassId, ConstraintId, IdVec, OclId, SentenceId, StepId, Value,
    usecases::{
        Action, ActionKind, Association, Attribute, AttributeOf, AttributeSettings, AttributeType,
        Binary, Binder, Class, Constraint, Domain, End, EndRef, Enumeration, Expr, Feature, Flow,
        FlowKind, Iterator as Iterating, Multiplicity, Named, Next, Node, Phrase, Place, Purpose,
        Role, Sentence, Step, StepKind, StepRef, Type, Unary, UseCase, UseCases,
    },
};

/// SplitMix64.
pub(super) struct Dice(u64);

impl Dice {
    pub(super) fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) % n.max(1) as u64) as usize
    }

    fn one<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())]
    }

    /// True this many times in a hundred.
    fn often(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }
}

pub(super) fn use_cases(seed: u64) -> UseCases {
    let mut making = Making { dice: Dice(seed), cases: UseCases::default() };
    making.cases.files.push("random".to_owned());
    making.domain();
    making.use_case();
    making.cases
}

struct Making {
    dice: Dice,
    cases: UseCases,
}

/// A constraint that is being made.
struct Making1<'m> {
    dice: &'m mut Dice,
    domain: &'m Domain,
    context: ClassId,
    nodes: IdVec<OclId, Node>,
    binders: IdVec<BinderId, Binder>,
    scope: Vec<BinderId>,
}

impl Making {
    fn domain(&mut self) {
        let dice = &mut self.dice;
        let domain = &mut self.cases.domain;
        let place = Place::default();
        let values = ["A", "B", "C"].iter().take(2 + dice.below(2)).map(|it| (*it).to_owned());
        let enumeration = domain.enumerations.push(Enumeration {
            name: "E".to_owned(),
            place,
            values: values.collect(),
        });
        let n_classes = 2 + dice.below(2);
        for number in 0..n_classes {
            let first = domain.classes.ids().next();
            let parents: Vec<ClassId> =
                first.filter(|_| number == 2 && dice.often(60)).into_iter().collect();
            let name = format!("C{number}");
            let is_abstract = false;
            domain.classes.push(Class { name, place, is_abstract, parents });
        }
        let ids: Vec<ClassId> = domain.classes.ids().collect();
        if domain.classes.iter().any(|it| !it.parents.is_empty()) && dice.often(40) {
            domain.classes[ids[0]].is_abstract = true;
        }
        for class in &ids {
            for _ in 0..1 + dice.below(2) {
                let ty = match dice.below(8) {
                    0..=2 => AttributeType::Boolean,
                    3 | 4 => AttributeType::Integer,
                    5 => AttributeType::Real,
                    _ => AttributeType::Enumeration(enumeration),
                };
                let name = format!("a{}", domain.attributes.len());
                let attribute =
                    domain.attributes.push(Attribute { class: *class, name, ty, place });
                let range = match ty {
                    AttributeType::Integer => Some((Value::Int(0), Value::Int(2))),
                    AttributeType::Real => Some((Value::Real(0.into()), Value::Real(2.into()))),
                    _ => None,
                };
                let scale = (ty == AttributeType::Real).then_some(1);
                if range.is_some() {
                    let of = AttributeOf { class: *class, attribute };
                    let said = AttributeSettings { range, scale, ..AttributeSettings::default() };
                    self.cases.settings.attributes.insert(of, said);
                }
            }
        }
        let some = |least, most| Multiplicity { least, most };
        let many =
            [some(0, None), some(1, None), some(1, Some(2)), some(0, Some(1)), some(2, Some(2))];
        for number in 0..1 + dice.below(2) {
            let (a, b) = (dice.one(&ids), dice.one(&ids));
            let mut end = |class, name: String| {
                let multiplicity = if dice.often(40) { Multiplicity::ONE } else { dice.one(&many) };
                End { class, name, multiplicity, is_navigable: true }
            };
            let ends = [end(a, format!("l{number}")), end(b, format!("r{number}"))];
            domain.associations.push(Association { ends, place });
        }
    }

    fn sentence(&mut self, role: Role) -> SentenceId {
        let n = self.cases.sentences.len();
        let id = self.cases.sentences.push(Sentence {
            text: format!("sentence {n}"),
            place: Place::default(),
            role,
            constraints: Vec::new(),
            is_open: false,
        });
        if role.needs_constraint() {
            if self.dice.often(4) {
                self.cases.sentences[id].is_open = true;
                return id;
            }
            let is_effect = matches!(role, Role::Effect | Role::Postcondition);
            for _ in 0..1 + usize::from(self.dice.often(20)) {
                let constraint = self.constraint(Purpose::Sentences(vec![id]), is_effect);
                self.cases.sentences[id].constraints.push(constraint);
            }
        }
        id
    }

    fn constraint(&mut self, purpose: Purpose, is_effect: bool) -> ConstraintId {
        let ids: Vec<ClassId> = self.cases.domain.classes.ids().collect();
        let context = self.dice.one(&ids);
        let mut making = Making1 {
            dice: &mut self.dice,
            domain: &self.cases.domain,
            context,
            nodes: IdVec::default(),
            binders: IdVec::default(),
            scope: Vec::new(),
        };
        let root = if is_effect { making.effect(2) } else { making.truth(2) };
        let Making1 { nodes, binders, .. } = making;
        let (name, text, place) = (String::new(), String::new(), Place::default());
        let it = Constraint { purpose, name, context, nodes, binders, root, text, place };
        self.cases.constraints.push(it)
    }

    fn use_case(&mut self) {
        if self.dice.often(40) {
            self.constraint(Purpose::Invariant, false);
        }
        let preconditions = match self.dice.often(40) {
            true => vec![self.sentence(Role::Precondition)],
            false => Vec::new(),
        };
        let mut flows = IdVec::default();
        let mut steps: IdVec<StepId, Step> = IdVec::default();
        let n_steps = 3 + self.dice.below(2);
        let mut checks = Vec::new();
        for number in 0..n_steps {
            let kind = match self.dice.below(5) {
                0 | 1 => {
                    checks.push(number);
                    StepKind::Validate(self.sentence(Role::Condition))
                }
                _ => self.act(),
            };
            steps.push(step(number, kind, number + 1 < n_steps));
        }
        let postconditions = self.postconditions();
        let basic = flows.push(Flow {
            title: "basic".to_owned(),
            kind: FlowKind::Basic,
            place: Place::default(),
            steps,
            postconditions,
        });
        for check in checks {
            let at = StepRef { flow: basic, step: nth(check) };
            let mut steps = IdVec::default();
            let kind = self.act();
            let last = self.dice.below(3);
            steps.push(step(0, kind, last > 0));
            match last {
                1 => {
                    steps.push(step(1, StepKind::Abort, false));
                }
                2 => {
                    let to = StepRef { flow: basic, step: nth(self.dice.below(n_steps)) };
                    steps.push(step(1, StepKind::Resume(to), false));
                }
                _ => {}
            }
            let postconditions = self.postconditions();
            flows.push(Flow {
                title: "alternative".to_owned(),
                kind: FlowKind::Specific(at),
                place: Place::default(),
                steps,
                postconditions,
            });
        }
        self.cases.use_cases.push(UseCase {
            name: "U".to_owned(),
            place: Place::default(),
            description: String::new(),
            preconditions,
            primary_actor: None,
            secondary_actors: Vec::new(),
            generalization: None,
            flows,
        });
    }

    fn postconditions(&mut self) -> Vec<SentenceId> {
        match self.dice.often(50) {
            true => vec![self.sentence(Role::Postcondition)],
            false => Vec::new(),
        }
    }

    fn act(&mut self) -> StepKind {
        let n = 1 + usize::from(self.dice.often(15));
        StepKind::Act((0..n).map(|_| self.action()).collect())
    }

    fn action(&mut self) -> Action {
        if self.dice.often(60) {
            let sentence = self.sentence(Role::Effect);
            return Action { sentence, kind: ActionKind::Internal };
        }
        let sentence = self.sentence(Role::Input);
        let classes: Vec<ClassId> = self.cases.domain.classes.ids().collect();
        let attributes: Vec<AttributeId> = self.cases.domain.attributes.ids().collect();
        let phrase = |meanings| Phrase { text: String::new(), meanings };
        let actor = phrase(vec![Named::Class(self.dice.one(&classes))]);
        let data = match self.dice.below(5) {
            0 => None,
            1 => Some(Named::Class(self.dice.one(&classes))),
            2 => {
                let association =
                    self.cases.domain.associations.ids().next().expect("there is one");
                let end = self.dice.below(2) as u8;
                Some(Named::Feature(Feature::End(EndRef { association, end })))
            }
            _ => Some(Named::Feature(Feature::Attribute(self.dice.one(&attributes)))),
        };
        let data = data.map(|it| phrase(vec![it]));
        Action { sentence, kind: ActionKind::Input { actor, data } }
    }
}

fn nth(number: usize) -> StepId {
    use punctual_model::Id;
    StepId::from_index(number)
}

fn step(number: usize, kind: StepKind, goes_on: bool) -> Step {
    let next = if goes_on { Next::Step(nth(number + 1)) } else { Next::End };
    Step { number: number as u32 + 1, place: Place::default(), kind, next }
}

impl Making1<'_> {
    fn push(&mut self, expr: Expr, ty: Type) -> OclId {
        self.nodes.push(Node { expr, ty })
    }

    /// Mostly attributes that are set; sometimes anything.
    fn effect(&mut self, depth: u32) -> OclId {
        let sets = self.sets();
        match self.dice.below(10) {
            0 | 1 if depth > 0 => {
                let (a, b) = (self.effect(depth - 1), self.effect(depth - 1));
                self.push(Expr::Binary(Binary::And, a, b), Type::Boolean)
            }
            2 if depth > 0 && sets => {
                let (source, class) = self.set(1);
                self.iterate(Iterating::ForAll, source, class, |it| it.effect(depth - 1))
            }
            3 => self.truth(1),
            _ => self.assign(),
        }
    }

    fn sets(&self) -> bool {
        self.scope.len() < 2
    }

    fn assign(&mut self) -> OclId {
        let Some((left, ty)) = self.attribute(None) else { return self.truth(0) };
        if ty == Type::Boolean && self.dice.often(60) {
            return match self.dice.often(50) {
                true => left,
                false => self.push(Expr::Unary(Unary::Not, left), Type::Boolean),
            };
        }
        let right = self.of(ty, 1);
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

    fn truth(&mut self, depth: u32) -> OclId {
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
            2 | 3 => (self.whole(1), self.whole(0), self.dice.one(&compare)),
            4 | 5 => (self.real(1), self.real(0), self.dice.one(&compare)),
            6 => {
                let (a, class) = self.object(1);
                let (b, other) = self.object(1);
                if !self.domain.conforms(class, other) && !self.domain.conforms(other, class) {
                    return self.truth(0);
                }
                (a, b, self.dice.one(&[Binary::Eq, Binary::Ne]))
            }
            _ => (self.member(), self.member(), self.dice.one(&[Binary::Eq, Binary::Ne])),
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
        if depth > 0 && self.dice.often(30) {
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
