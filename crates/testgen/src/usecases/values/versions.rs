//! Values of slots along a path, as versions: each event that changes a slot gives it a new expression, and conditions read the one that counts where
//! they are asked.
//!
//! - An effect has conjuncts, taken apart at `and` and `forAll`. A conjunct `a = e`, `a` or `not a` whose left side is an attribute writes it; `e`, and which
//!   objects are meant, are read before the effect. Any other conjunct is read after the effect, and each slot that it mentions and no other conjunct
//!   writes gets a value from outside ([`Variable::Given`]). All conjuncts of one event happen at once; two that write one slot write the same.
//! - A postcondition is an effect on slots that nothing has given a value since its flow began and that no input of the path has given, and a claim on the others.
//! - A number of an effect that has no value: the effect can not happen.
//! - Invariants hold before the path and after it. Ranges hold of each value that a slot has.
//!
//! With [`Scene::is_loose`], effects are claims, too: what they write comes from outside and is claimed to be what they say. So an effect can
//! be left out of a contradiction.
//!
//! Not here: values.

use std::collections::{BTreeMap, BTreeSet};

use punctual_model::{
    AttributeId, ClassId, ConstraintId, ObjectId, SentenceId, Value,
    usecases::{
        ActionKind, AttributeOf, AttributeSettings, Binary, Claim, Claimed, Phrase, Slot, UseCases,
    },
};

use super::{
    effects::Conjuncts,
    form::{Form, Forms, Variable},
    ground::Grounding,
    objects::Objects,
};
use crate::usecases::paths::{Event, Happening};

/// What does not change along a path.
pub(super) struct Scene<'a, 's> {
    pub(super) cases: &'a UseCases,
    pub(super) objects: &'s Objects,
    /// The attributes that constraints mention.
    pub(super) mentioned: &'s BTreeSet<AttributeId>,
    /// Whether effects are claims that may be left out.
    pub(super) is_loose: bool,
}

/// What is claimed at a point of a path.
#[derive(Clone, Debug)]
pub(super) struct Stated {
    pub(super) claim: Claim,
    pub(super) form: Form,
    /// True if it holds of every state that a path may begin with: an invariant or a range before the path.
    pub(super) is_assumed: bool,
}

/// An input that a path gets.
#[derive(Clone, Debug)]
pub(super) struct Given<'a> {
    /// Which event it is.
    pub(super) event: u32,
    pub(super) slot: Slot,
    /// Whether links lead there.
    pub(super) when: Form,
    pub(super) sentence: SentenceId,
    pub(super) actor: &'a Phrase,
}

/// A slot that some sentence reads while it holds what it held before the path.
#[derive(Clone, Debug)]
pub(super) struct Read {
    pub(super) slot: Slot,
    pub(super) when: Form,
    pub(super) sentence: SentenceId,
}

/// A change of a slot.
#[derive(Clone, Debug)]
pub(super) struct Change {
    pub(super) event: u32,
    pub(super) slot: Slot,
    pub(super) when: Form,
}

/// What slots hold at a point of a path, and how that came about.
#[derive(Clone, Debug, Default)]
pub(super) struct Versions<'a> {
    pub(super) current: BTreeMap<Slot, Form>,
    pub(super) changes: Vec<Change>,
    pub(super) inputs: Vec<Given<'a>>,
    pub(super) reads: Vec<Read>,
    /// The sentences that changed slots, in order, with the condition under which they did.
    pub(super) causes: Vec<(Slot, SentenceId, Form)>,
    /// Slots whose value before the path matters, and is known to be within its range.
    bounded: BTreeSet<Slot>,
    pub(super) open: Vec<SentenceId>,
}

impl<'a> Versions<'a> {
    /// What a slot holds now.
    pub(super) fn slot(&self, forms: &mut Forms, slot: Slot) -> Form {
        match self.current.get(&slot) {
            Some(form) => *form,
            None => forms.variable(Variable::Before(slot)),
        }
    }

    /// The slots that something gave a value to.
    pub(super) fn changed(&self) -> impl Iterator<Item = Slot> + '_ {
        self.current.keys().copied()
    }

    /// What invariants say now.
    pub(super) fn invariants(
        &self,
        scene: &Scene<'a, '_>,
        forms: &mut Forms,
    ) -> Vec<(ConstraintId, Form)> {
        let ids: Vec<_> = scene.cases.invariants().map(|(id, _)| id).collect();
        ids.into_iter().map(|id| (id, self.constraint(scene, forms, id))).collect()
    }

    /// Claims that invariants hold, apart from those that are known already; before a path nothing is known.
    pub(super) fn claim_invariants(
        &mut self,
        scene: &Scene<'a, '_>,
        forms: &mut Forms,
        at: u32,
        known: Option<&[(ConstraintId, Form)]>,
    ) -> Vec<Stated> {
        let mut stated = Vec::new();
        for (id, form) in self.invariants(scene, forms) {
            if known.is_none_or(|it| !it.contains(&(id, form))) {
                let claim = Claim { what: Claimed::Invariant(id), holds: true, at };
                stated.push(Stated { claim, form, is_assumed: known.is_none() });
            }
        }
        self.bound_before(scene, forms, &mut stated);
        stated
    }

    /// What a constraint says now, of all objects.
    fn constraint(&self, scene: &Scene<'_, '_>, forms: &mut Forms, id: ConstraintId) -> Form {
        let constraint = &scene.cases.constraints[id];
        let mut parts = Vec::new();
        for &context in scene.objects.of(constraint.context) {
            let grounding = scene.grounding(id, context);
            let mut reading = |forms: &mut Forms, slot| self.slot(forms, slot);
            parts.push(grounding.truth(forms, &mut reading, &mut Vec::new(), constraint.root));
        }
        forms.all(parts)
    }

    /// Something happens: what is claimed by it.
    pub(super) fn happen(
        &mut self,
        scene: &Scene<'a, '_>,
        forms: &mut Forms,
        number: u32,
        happening: &Happening<'a>,
    ) -> Vec<Stated> {
        let at = happening.at;
        let mut stated = match &happening.event {
            Event::FlowBegins { .. } | Event::FlowEnds { .. } => Vec::new(),
            Event::Preconditions(sentences) => self.ask(scene, forms, sentences, true, at),
            Event::Condition { sentences, holds } => self.ask(scene, forms, sentences, *holds, at),
            Event::Act(actions) => {
                let mut conjuncts = Conjuncts::default();
                for action in actions {
                    match &action.kind {
                        ActionKind::Internal => {
                            self.effect(scene, forms, action.sentence, &mut conjuncts);
                        }
                        ActionKind::Input { actor, data } => {
                            let data = data.as_ref();
                            let (sentence, input) = (action.sentence, (actor, data));
                            self.input(scene, forms, number, sentence, input, &mut conjuncts);
                        }
                        _ => {}
                    }
                }
                self.change(scene, forms, number, at, conjuncts, None)
            }
            Event::Postconditions { sentences, began } => {
                let mut conjuncts = Conjuncts::default();
                for sentence in *sentences {
                    self.effect(scene, forms, *sentence, &mut conjuncts);
                }
                let began = u32::try_from(*began).unwrap_or(u32::MAX);
                self.change(scene, forms, number, at, conjuncts, Some(began))
            }
        };
        self.bound_before(scene, forms, &mut stated);
        stated
    }

    /// Sentences hold together, or not.
    fn ask(
        &mut self,
        scene: &Scene<'a, '_>,
        forms: &mut Forms,
        sentences: &[SentenceId],
        holds: bool,
        at: u32,
    ) -> Vec<Stated> {
        let mut stated = Vec::new();
        let mut all = Vec::new();
        let mut is_open = false;
        for &id in sentences {
            let sentence = &scene.cases.sentences[id];
            is_open |= self.note_open(scene, id);
            for constraint in &sentence.constraints {
                self.note_reads(scene, forms, *constraint, id);
            }
            let parts: Vec<Form> =
                sentence.constraints.iter().map(|it| self.constraint(scene, forms, *it)).collect();
            let form = forms.all(parts);
            all.push(form);
            if holds {
                let claim = Claim { what: Claimed::Sentence(id), holds, at };
                stated.push(Stated { claim, form, is_assumed: false });
            }
        }
        // What is not written yet may be what does not hold.
        if !holds
            && !is_open
            && let Some(first) = sentences.first()
        {
            let form = forms.all(all);
            let claim = Claim { what: Claimed::Sentence(*first), holds, at };
            let form = forms.not(form);
            stated.push(Stated { claim, form, is_assumed: false });
        }
        stated
    }

    /// Whether a sentence lacks constraints, which is noted.
    pub(super) fn note_open(&mut self, scene: &Scene<'_, '_>, id: SentenceId) -> bool {
        let sentence = &scene.cases.sentences[id];
        let is_open = sentence.is_open || sentence.constraints.is_empty();
        if is_open && !self.open.contains(&id) {
            self.open.push(id);
        }
        is_open
    }

    /// Notes which slots a constraint reads that still hold what they held before the path.
    fn note_reads(
        &mut self,
        scene: &Scene<'a, '_>,
        forms: &mut Forms,
        constraint: ConstraintId,
        sentence: SentenceId,
    ) {
        let root = scene.cases.constraints[constraint].root;
        for &context in scene.objects.of(scene.cases.constraints[constraint].context) {
            let grounding = scene.grounding(constraint, context);
            let slots = grounding.mentioned(forms, &mut Vec::new(), root);
            self.note_slots(forms, slots, sentence);
        }
    }

    pub(super) fn note_slots(
        &mut self,
        forms: &mut Forms,
        slots: Vec<(Slot, Form)>,
        sentence: SentenceId,
    ) {
        for (slot, when) in slots {
            let changed = self.changed_since(forms, slot, 0);
            let unchanged = forms.not(changed);
            let when = forms.and(when, unchanged);
            if forms.truth(when) != Some(false) {
                self.reads.push(Read { slot, when, sentence });
            }
        }
    }

    /// Whether something has given a slot a value since an event.
    pub(super) fn changed_since(&self, forms: &mut Forms, slot: Slot, event: u32) -> Form {
        let own = self.changes.iter().filter(|it| it.slot == slot && it.event >= event);
        let whens: Vec<Form> = own.map(|it| it.when).collect();
        forms.any(whens)
    }

    /// Claims the ranges of values before the path that come up for the first time.
    fn bound_before(&mut self, scene: &Scene<'a, '_>, forms: &mut Forms, stated: &mut Vec<Stated>) {
        let mut variables = Vec::new();
        for it in stated.iter() {
            forms.variables(it.form, &mut variables);
        }
        for variable in variables {
            if let Variable::Before(slot) = variable
                && self.bounded.insert(slot)
            {
                let form = forms.variable(variable);
                stated.extend(scene.range(forms, slot, form, None));
            }
        }
    }
}

impl<'a: 's, 's> Scene<'a, 's> {
    pub(super) fn grounding(&self, constraint: ConstraintId, context: ObjectId) -> Grounding<'s> {
        Grounding {
            domain: &self.cases.domain,
            objects: self.objects,
            constraint: &self.cases.constraints[constraint],
            context,
        }
    }

    /// The claim that a value is within the range that settings give; without a point of the path, before it.
    pub(super) fn range(
        &self,
        forms: &mut Forms,
        slot: Slot,
        form: Form,
        at: Option<u32>,
    ) -> Option<Stated> {
        let class = self.objects.objects[slot.object].class;
        let (least, greatest) = nearest(self.cases, class, slot.attribute, |it| it.range)?;
        let bound = |forms: &mut Forms, operator, value: Value| {
            let value = forms.value(value);
            forms.binary(operator, form, value)
        };
        let above = bound(forms, Binary::Ge, least);
        let below = bound(forms, Binary::Le, greatest);
        let (at, is_assumed) = (at.unwrap_or(0), at.is_none());
        let claim = Claim { what: Claimed::Range(slot.attribute), holds: true, at };
        Some(Stated { claim, form: forms.and(above, below), is_assumed })
    }
}

/// What settings say of an attribute of objects of a class: of the nearest class that they say it of.
pub(super) fn nearest<T>(
    cases: &UseCases,
    class: ClassId,
    attribute: AttributeId,
    say: impl Fn(&AttributeSettings) -> Option<T>,
) -> Option<T> {
    let lineage = cases.domain.lineage(class);
    lineage.into_iter().find_map(|class| {
        let said = cases.settings.attributes.get(&AttributeOf { class, attribute });
        said.and_then(&say)
    })
}
