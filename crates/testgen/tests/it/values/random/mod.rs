//! Small use cases at random: two or three classes, attributes of few values, any constraints.
//!
//! What constraints say is in `constraint.rs`.

mod constraint;

use punctual_model::{
    AttributeId, ClassId, ConstraintId, IdVec, SentenceId, StepId, Value,
    usecases::{
        Action, ActionKind, Association, Attribute, AttributeOf, AttributeSettings, AttributeType,
        Class, Constraint, End, EndRef, Enumeration, Feature, Flow, FlowKind, Multiplicity, Named,
        Next, Phrase, Place, Purpose, Role, Sentence, Step, StepKind, StepRef, UseCase, UseCases,
    },
};

use constraint::Constraining;

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
    let mut making =
        Making { dice: Dice(seed), cases: UseCases::default(), has_sets: seed.is_multiple_of(2) };
    making.cases.files.push("random".to_owned());
    making.domain();
    making.use_case();
    making.cases
}

struct Making {
    dice: Dice,
    cases: UseCases,
    /// False if each end has one object and no constraint is about sets. Then there are few values to enumerate.
    has_sets: bool,
}

impl Making {
    fn domain(&mut self) {
        let has_sets = self.has_sets;
        let dice = &mut self.dice;
        let domain = &mut self.cases.domain;
        let place = Place::default();
        let values = ["A", "B", "C"].iter().take(2 + dice.below(2)).map(|it| (*it).to_owned());
        let enumeration = domain.enumerations.push(Enumeration {
            name: "E".to_owned(),
            place,
            values: values.collect(),
        });
        let n_classes = 2 + usize::from(dice.often(35));
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
            for _ in 0..1 + usize::from(dice.often(35)) {
                let ty = match dice.below(8) {
                    0 | 1 => AttributeType::Boolean,
                    2..=4 => AttributeType::Integer,
                    5 | 6 => AttributeType::Real,
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
                let multiplicity =
                    if !has_sets || dice.often(40) { Multiplicity::ONE } else { dice.one(&many) };
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
        let mut making =
            Constraining::new(&mut self.dice, &self.cases.domain, context, self.has_sets);
        let root = if is_effect { making.effect(2) } else { making.truth(2) };
        let Constraining { nodes, binders, .. } = making;
        let (name, text, place) = (String::new(), String::new(), Place::default());
        let it = Constraint { purpose, name, context, nodes, binders, root, text, place };
        self.cases.constraints.push(it)
    }

    /// A constraint that sets what another one sets, to something else if that is simple.
    fn unlike(&mut self, other: ConstraintId, purpose: Purpose) -> ConstraintId {
        let mut it = Constraint { purpose, ..self.cases.constraints[other].clone() };
        constraint::oppose(&mut it, &mut self.dice);
        self.cases.constraints.push(it)
    }

    fn use_case(&mut self) {
        if self.dice.often(30) {
            self.constraint(Purpose::Invariant, false);
        }
        let preconditions = match self.dice.often(30) {
            true => vec![self.sentence(Role::Precondition)],
            false => Vec::new(),
        };
        let mut flows = IdVec::default();
        let mut steps: IdVec<StepId, Step> = IdVec::default();
        let n_steps = 3 + self.dice.below(2);
        let mut checks = Vec::new();
        for number in 0..n_steps {
            let kind = match self.dice.below(5) {
                // Something happens before anything is asked.
                0 | 1 if number > 0 => {
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
            let before: Vec<ConstraintId> = (flows[basic].steps.iter().take(check))
                .flat_map(|it: &Step| match &it.kind {
                    StepKind::Act(actions) => actions.iter().map(|it| it.sentence).collect(),
                    _ => Vec::new(),
                })
                .filter(|it| self.cases.sentences[*it].role == Role::Effect)
                .flat_map(|it| self.cases.sentences[it].constraints.clone())
                .collect();
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
            let postconditions = match self.dice.often(70) {
                true => self.postcondition_unlike(&before).into_iter().collect(),
                false => self.postconditions(),
            };
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

    /// A postcondition about what one of these effects sets. It is an effect, too, if they happen before its flow begins.
    fn postcondition_unlike(&mut self, effects: &[ConstraintId]) -> Option<SentenceId> {
        if effects.is_empty() {
            return None;
        }
        let n = self.cases.sentences.len();
        let id = self.cases.sentences.push(Sentence {
            text: format!("sentence {n}"),
            place: Place::default(),
            role: Role::Postcondition,
            constraints: Vec::new(),
            is_open: false,
        });
        let other = self.dice.one(effects);
        let constraint = self.unlike(other, Purpose::Sentences(vec![id]));
        self.cases.sentences[id].constraints.push(constraint);
        Some(id)
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
