//! A path taken with values, event by event, as [`super`] says what events mean. Like `evaluate`, it shares nothing with what builds expressions.

use std::collections::{BTreeMap, BTreeSet};

use punctual_model::{
    ClassId, ObjectId, OclId, SentenceId, Value,
    usecases::{
        ActionKind, AttributeOf, AttributeType, Binary, Claim, Claimed, Expr, Feature,
        Iterator as Iterating, Named, Phrase, Slot, Type, Unary,
    },
};

use super::evaluate::{Beyond, Place, Values, World};
use crate::usecases::paths::{Event, Happening};

/// A path that is being taken.
#[derive(Clone, Debug)]
pub struct Run<'a> {
    world: World<'a>,
    /// What slots hold now.
    pub values: Values,
    /// Which event changed which slot.
    changes: Vec<(usize, Slot)>,
    /// What the tester has given. Postconditions do not set it.
    given: BTreeSet<Slot>,
    /// How many events there were.
    n_events: usize,
}

/// What is claimed, and whether it is so.
pub type Checked = Vec<(Claim, bool)>;

/// What an event does to slots.
#[derive(Debug, Default)]
struct Doing<'a> {
    /// Slots that get these values; none for a number that there is not. Inputs come from outside.
    writes: Vec<(Slot, Written, SentenceId)>,
    /// Conditions that are read afterwards.
    later: Vec<(Place<'a>, OclId, SentenceId)>,
    /// Slots that those mention.
    free: BTreeSet<Slot>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Written {
    Input,
    Value(Option<Value>),
}

impl<'a> Run<'a> {
    /// A run that begins with these values of all slots.
    #[must_use]
    pub fn new(world: World<'a>, values: Values) -> Run<'a> {
        Run { world, values, changes: Vec::new(), given: BTreeSet::new(), n_events: 0 }
    }

    /// Whether all values are of their types and within their ranges, and all invariants hold.
    ///
    /// # Errors
    /// If a number does not fit.
    pub fn is_sound(&self) -> Result<bool, Beyond> {
        let typed = self.values.iter().all(|(slot, value)| {
            self.world.is_of_type(*slot, *value) && self.is_within(*slot, *value)
        });
        Ok(typed && self.invariants(0)?.iter().all(|(_, holds)| *holds))
    }

    /// Which invariants hold.
    ///
    /// # Errors
    /// If a number does not fit.
    pub fn invariants(&self, at: u32) -> Result<Checked, Beyond> {
        let all = self.world.cases.invariants();
        all.map(|(id, _)| {
            let claim = Claim { what: Claimed::Invariant(id), holds: true, at };
            Ok((claim, self.world.holds(id, &self.values)?))
        })
        .collect()
    }

    /// Whether a value is within the range that settings give.
    #[must_use]
    pub fn is_within(&self, slot: Slot, value: Value) -> bool {
        let cases = self.world.cases;
        let class = self.world.diagram.objects[slot.object].class;
        let range = cases.domain.lineage(class).into_iter().find_map(|class| {
            let said =
                cases.settings.attributes.get(&AttributeOf { class, attribute: slot.attribute });
            said.and_then(|it| it.range)
        });
        match (range, value) {
            (Some((Value::Int(least), Value::Int(greatest))), Value::Int(it)) => {
                (least..=greatest).contains(&it)
            }
            (Some((Value::Real(least), Value::Real(greatest))), Value::Real(it)) => {
                least <= it && it <= greatest
            }
            _ => true,
        }
    }

    /// The slots that get a value from outside at an event. If it is loose, those are all that it changes.
    ///
    /// # Errors
    /// If a number does not fit.
    pub fn wanted(
        &self,
        happening: &Happening<'a>,
        is_loose: bool,
    ) -> Result<BTreeSet<Slot>, Beyond> {
        let (doing, began) = match self.doing(happening)? {
            Some(it) => it,
            None => return Ok(BTreeSet::new()),
        };
        let is_open = |slot: &Slot| !self.is_settled(*slot, began);
        let mut wanted: BTreeSet<Slot> = doing.free.iter().copied().filter(is_open).collect();
        let writes = || doing.writes.iter().filter(|(slot, ..)| is_open(slot));
        for (slot, ..) in writes() {
            wanted.remove(slot);
        }
        let outside = writes().filter(|(_, written, _)| is_loose || *written == Written::Input);
        wanted.extend(outside.map(|(slot, ..)| *slot));
        Ok(wanted)
    }

    fn is_settled(&self, slot: Slot, began: Option<usize>) -> bool {
        began.is_some_and(|began| {
            let mut changes = self.changes.iter();
            self.given.contains(&slot) || changes.any(|(event, it)| *it == slot && *event >= began)
        })
    }

    /// What an event does, and where the flow began whose postconditions these are.
    fn doing(
        &self,
        happening: &Happening<'a>,
    ) -> Result<Option<(Doing<'a>, Option<usize>)>, Beyond> {
        let mut doing = Doing::default();
        let began = match &happening.event {
            Event::Act(actions) => {
                for action in actions {
                    match &action.kind {
                        ActionKind::Internal => self.effect(action.sentence, &mut doing)?,
                        ActionKind::Input { actor, data } => {
                            for slot in self.inputs(actor, data.as_ref()) {
                                doing.writes.push((slot, Written::Input, action.sentence));
                            }
                        }
                        _ => {}
                    }
                }
                None
            }
            Event::Postconditions { sentences, began } => {
                for sentence in *sentences {
                    self.effect(*sentence, &mut doing)?;
                }
                Some(*began)
            }
            _ => return Ok(None),
        };
        Ok(Some((doing, began)))
    }

    /// Something happens, with these values from outside: what is claimed by it. If it is loose, all that it changes comes from outside, and its
    /// sentences are claims about that.
    ///
    /// # Errors
    /// If a number does not fit, or a value is missing.
    pub fn happen(
        &mut self,
        happening: &Happening<'a>,
        given: &BTreeMap<Slot, Value>,
        is_loose: bool,
    ) -> Result<Checked, Beyond> {
        let at = happening.at;
        let event = self.n_events;
        self.n_events += 1;
        let cases = self.world.cases;
        let claim = |sentence, holds| Claim { what: Claimed::Sentence(sentence), holds, at };
        let (sentences, holds) = match &happening.event {
            Event::Preconditions(sentences) => (*sentences, true),
            Event::Condition { sentences, holds } => (*sentences, *holds),
            _ => (&[][..], true),
        };
        let mut checked = Checked::new();
        let mut all = true;
        for sentence in sentences {
            let is_so = self.world.means(*sentence, &self.values)?;
            all &= is_so;
            if holds {
                checked.push((claim(*sentence, true), is_so));
            }
        }
        let is_open = |it: &SentenceId| {
            cases.sentences[*it].is_open || cases.sentences[*it].constraints.is_empty()
        };
        if let (false, Some(first)) = (holds, sentences.first()) {
            checked.push((claim(*first, false), !all || sentences.iter().any(is_open)));
        }
        let Some((doing, began)) = self.doing(happening)? else { return Ok(checked) };
        let wanted = self.wanted(happening, is_loose)?;
        let mut after = self.values.clone();
        let (mut changed, mut given_now) = (BTreeSet::new(), BTreeSet::new());
        for slot in wanted {
            after.insert(slot, *given.get(&slot).ok_or(Beyond)?);
            changed.insert(slot);
        }
        for (slot, written, sentence) in &doing.writes {
            let Written::Value(value) = written else {
                given_now.insert(*slot);
                continue;
            };
            if !self.is_settled(*slot, began)
                && changed.insert(*slot)
                && let Some(value) = value
            {
                after.insert(*slot, *value);
            }
            // What is settled, or what somebody else has written, is so already.
            let is_so = value.is_some() && after.get(slot) == value.as_ref();
            checked.push((claim(*sentence, true), is_so));
        }
        for (place, id, sentence) in &doing.later {
            checked.push((claim(*sentence, true), self.world.is_true(place, *id, &after)?));
        }
        for slot in changed {
            let claim = Claim { what: Claimed::Range(slot.attribute), holds: true, at };
            let value = after[&slot];
            checked
                .push((claim, self.is_within(slot, value) && self.world.is_of_type(slot, value)));
            self.changes.push((event, slot));
        }
        self.values = after;
        self.given.extend(given_now);
        Ok(checked)
    }

    fn effect(&self, sentence: SentenceId, doing: &mut Doing<'a>) -> Result<(), Beyond> {
        let cases = self.world.cases;
        for id in &cases.sentences[sentence].constraints {
            let constraint = &cases.constraints[*id];
            for context in self.world.objects(constraint.context) {
                let place = Place { constraint, context, bound: BTreeMap::new() };
                self.conjunct(&place, constraint.root, sentence, doing)?;
            }
        }
        Ok(())
    }

    fn conjunct(
        &self,
        place: &Place<'a>,
        id: OclId,
        sentence: SentenceId,
        doing: &mut Doing<'a>,
    ) -> Result<(), Beyond> {
        let nodes = &place.constraint.nodes;
        let slot_of = |id: OclId| match nodes[id].expr {
            Expr::Attribute(of, attribute) => {
                let object = self.world.object(place, of, &self.values)?;
                Ok(Some(Slot { object, attribute }))
            }
            _ => Ok(None),
        };
        let write = match nodes[id].expr {
            Expr::Binary(Binary::And, left, right) => {
                self.conjunct(place, left, sentence, doing)?;
                return self.conjunct(place, right, sentence, doing);
            }
            Expr::Iterate { iterator: Iterating::ForAll, source, binder, body } => {
                for object in self.world.set(place, source, &self.values)? {
                    let mut inner = place.clone();
                    inner.bound.insert(binder, object);
                    self.conjunct(&inner, body, sentence, doing)?;
                }
                return Ok(());
            }
            Expr::Attribute(..) if nodes[id].ty == Type::Boolean => {
                slot_of(id)?.map(|slot| (slot, Some(Value::Bool(true))))
            }
            Expr::Unary(Unary::Not, of) => slot_of(of)?.map(|it| (it, Some(Value::Bool(false)))),
            Expr::Binary(Binary::Eq, left, right) => match slot_of(left)? {
                Some(slot) => Some((slot, self.world.value(place, right, &self.values)?)),
                None => None,
            },
            _ => None,
        };
        match write {
            Some((slot, value)) => doing.writes.push((slot, Written::Value(value), sentence)),
            None => {
                self.mentioned(place, id, &mut doing.free)?;
                doing.later.push((place.clone(), id, sentence));
            }
        }
        Ok(())
    }

    /// The slots that an expression mentions; `select` does not matter.
    fn mentioned(
        &self,
        place: &Place<'a>,
        id: OclId,
        found: &mut BTreeSet<Slot>,
    ) -> Result<(), Beyond> {
        let nodes = &place.constraint.nodes;
        match nodes[id].expr {
            Expr::Attribute(of, attribute) => {
                let object = self.world.object(place, of, &self.values)?;
                found.insert(Slot { object, attribute });
                self.mentioned(place, of, found)
            }
            Expr::Navigate(of, _) | Expr::Unary(_, of) | Expr::Size(of) => {
                self.mentioned(place, of, found)
            }
            Expr::Binary(_, left, right) => {
                self.mentioned(place, left, found)?;
                self.mentioned(place, right, found)
            }
            Expr::Iterate { source, binder, body, .. } => {
                self.mentioned(place, source, found)?;
                let mut whole = source;
                while let Expr::Iterate { source, .. } = nodes[whole].expr {
                    whole = source;
                }
                for object in self.world.set(place, whole, &self.values)? {
                    let mut inner = place.clone();
                    inner.bound.insert(binder, object);
                    self.mentioned(&inner, body, found)?;
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// The slots that an input gives values to.
    fn inputs(&self, actor: &Phrase, data: Option<&Phrase>) -> BTreeSet<Slot> {
        let cases = self.world.cases;
        let domain = &cases.domain;
        let all = self.world.slots();
        let of = |objects: &[ObjectId]| -> BTreeSet<Slot> {
            all.iter().copied().filter(|it| objects.contains(&it.object)).collect()
        };
        let classes = actor.meanings.iter().filter_map(|it| match it {
            Named::Class(class) => Some(*class),
            Named::Feature(Feature::End(end)) => Some(domain.end(*end).class),
            _ => None,
        });
        let class: Option<ClassId> = classes.into_iter().next();
        let actors = class.map(|it| self.world.objects(it)).unwrap_or_default();
        let narrowed = |is_meant: &dyn Fn(&Slot) -> bool| -> BTreeSet<Slot> {
            let own: BTreeSet<Slot> = of(&actors).into_iter().filter(|it| is_meant(it)).collect();
            match own.is_empty() {
                true => all.iter().copied().filter(|it| is_meant(it)).collect(),
                false => own,
            }
        };
        let Some(data) = data.filter(|it| !it.meanings.is_empty()) else {
            let known = |slot: &Slot| {
                let mut nodes = cases.constraints.iter().flat_map(|it| &it.nodes);
                nodes.any(|it| matches!(it.expr, Expr::Attribute(_, a) if a == slot.attribute))
            };
            return of(&actors).into_iter().filter(known).collect();
        };
        for meaning in &data.meanings {
            let found = match *meaning {
                Named::Class(class) => of(&self.world.objects(class)),
                Named::Enumeration(id) => narrowed(&|slot| {
                    domain.attributes[slot.attribute].ty == AttributeType::Enumeration(id)
                }),
                Named::Feature(Feature::Attribute(id)) => narrowed(&|slot| slot.attribute == id),
                Named::Feature(Feature::End(end)) => {
                    let own = actors.iter().filter(|it| {
                        domain.conforms(self.world.diagram.objects[**it].class, domain.origin(end))
                    });
                    let own: Vec<ObjectId> = own.copied().collect();
                    let class = of(&self.world.objects(domain.end(end).class));
                    let there: Vec<ObjectId> =
                        own.iter().flat_map(|it| self.world.across(*it, end)).collect();
                    match own.is_empty() || class.is_empty() {
                        true => class,
                        // The end is what is meant, even if nothing is there.
                        false => return of(&there),
                    }
                }
            };
            if !found.is_empty() {
                return found;
            }
        }
        BTreeSet::new()
    }
}
