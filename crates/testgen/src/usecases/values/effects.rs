//! What events do to slots: effects, inputs and postconditions as `versions.rs` says.

use std::collections::{BTreeMap, BTreeSet};

use punctual_model::{
    OclId, SentenceId,
    usecases::{
        Binary, Claim, Claimed, Expr, Iterator as Iterating, Node, Phrase, Slot, Type, Unary,
    },
};

use super::{
    form::{Form, Forms, Variable},
    ground::{Bound, Grounding, Scalar},
    inputs,
    versions::{Change, Given, Scene, Stated, Versions},
};

/// A conjunct that writes a slot.
struct Write {
    slot: Slot,
    when: Form,
    value: Scalar,
    sentence: SentenceId,
}

/// A conjunct that is read after an effect.
struct Later<'s> {
    grounding: Grounding<'s>,
    bound: Bound,
    id: OclId,
    guard: Form,
    sentence: SentenceId,
}

/// The conjuncts of an event.
#[derive(Default)]
pub(super) struct Conjuncts<'s> {
    writes: Vec<Write>,
    later: Vec<Later<'s>>,
}

impl<'a> Versions<'a> {
    /// Takes the constraints of a sentence apart.
    pub(super) fn effect<'s>(
        &mut self,
        scene: &Scene<'a, 's>,
        forms: &mut Forms,
        sentence: SentenceId,
        conjuncts: &mut Conjuncts<'s>,
    ) where
        'a: 's,
    {
        self.note_open(scene, sentence);
        let always = forms.bool(true);
        for &id in &scene.cases.sentences[sentence].constraints {
            let constraint = &scene.cases.constraints[id];
            for &context in scene.objects.of(constraint.context) {
                let part = Later {
                    grounding: scene.grounding(id, context),
                    bound: Vec::new(),
                    id: constraint.root,
                    guard: always,
                    sentence,
                };
                self.take_apart(forms, part, conjuncts);
            }
        }
    }

    fn take_apart<'s>(
        &mut self,
        forms: &mut Forms,
        mut part: Later<'s>,
        conjuncts: &mut Conjuncts<'s>,
    ) {
        let constraint = part.grounding.constraint;
        let always = forms.bool(true);
        let of_truth =
            |forms: &mut Forms, it: bool| Scalar { form: forms.bool(it), is_defined: always };
        let (target, value) = match constraint.nodes[part.id] {
            Node { expr: Expr::Binary(Binary::And, left, right), .. } => {
                for id in [left, right] {
                    let bound = part.bound.clone();
                    let grounding = Grounding { ..part.grounding };
                    self.take_apart(forms, Later { grounding, bound, id, ..part }, conjuncts);
                }
                return;
            }
            Node {
                expr: Expr::Iterate { iterator: Iterating::ForAll, source, binder, body },
                ..
            } => {
                let members = {
                    let mut reading = |forms: &mut Forms, slot| self.slot(forms, slot);
                    part.grounding.candidates(forms, &mut reading, &mut part.bound, source)
                };
                for (object, is_in) in members {
                    let mut bound = part.bound.clone();
                    bound.push((binder, object));
                    let guard = forms.and(part.guard, is_in);
                    let grounding = Grounding { ..part.grounding };
                    let inner = Later { grounding, bound, id: body, guard, ..part };
                    self.take_apart(forms, inner, conjuncts);
                }
                return;
            }
            Node { expr: Expr::Attribute(..), ty: Type::Boolean } => {
                (part.id, of_truth(forms, true))
            }
            Node { expr: Expr::Unary(Unary::Not, of), .. }
                if matches!(constraint.expr(of), Expr::Attribute(..)) =>
            {
                (of, of_truth(forms, false))
            }
            Node { expr: Expr::Binary(Binary::Eq, left, right), .. }
                if matches!(constraint.expr(left), Expr::Attribute(..)) =>
            {
                let mentioned = part.grounding.mentioned(forms, &mut part.bound, right);
                self.note_slots(forms, mentioned, part.sentence);
                let mut reading = |forms: &mut Forms, slot| self.slot(forms, slot);
                (left, part.grounding.scalar(forms, &mut reading, &mut part.bound, right))
            }
            _ => return conjuncts.later.push(part),
        };
        let Expr::Attribute(of, attribute) = constraint.expr(target) else { return };
        let mut reading = |forms: &mut Forms, slot| self.slot(forms, slot);
        for (object, is_meant) in
            part.grounding.candidates(forms, &mut reading, &mut part.bound, of)
        {
            let when = forms.and(part.guard, is_meant);
            let slot = Slot { object, attribute };
            conjuncts.writes.push(Write { slot, when, value, sentence: part.sentence });
        }
    }

    pub(super) fn input(
        &mut self,
        scene: &Scene<'a, '_>,
        forms: &mut Forms,
        number: u32,
        sentence: SentenceId,
        (actor, data): (&'a Phrase, Option<&'a Phrase>),
        conjuncts: &mut Conjuncts<'_>,
    ) {
        let always = forms.bool(true);
        let slots = inputs::slots(scene.cases, scene.objects, forms, scene.mentioned, actor, data);
        for (slot, when) in slots {
            let form = forms.variable(Variable::Given(number, slot));
            let value = Scalar { form, is_defined: always };
            conjuncts.writes.push(Write { slot, when, value, sentence });
            self.inputs.push(Given { event: number, slot, when, sentence, actor });
        }
    }

    /// Whether a postcondition of a flow that began at an event claims what a slot holds, and does not set it: something has given it a value since, or the
    /// tester has given it at all.
    fn settled(&self, forms: &mut Forms, slot: Slot, began: u32) -> Form {
        let changed = self.changed_since(forms, slot, began);
        let given = self.inputs.iter().filter(|it| it.slot == slot).map(|it| it.when);
        let given: Vec<Form> = given.collect();
        let given = forms.any(given);
        forms.or(changed, given)
    }

    /// Slots change, all at once. With a begin, only those that are not settled.
    pub(super) fn change(
        &mut self,
        scene: &Scene<'a, '_>,
        forms: &mut Forms,
        number: u32,
        at: u32,
        mut conjuncts: Conjuncts<'_>,
        began: Option<u32>,
    ) -> Vec<Stated> {
        let mut demands: Vec<(SentenceId, Form)> = Vec::new();
        let sentences = conjuncts.writes.iter().map(|it| it.sentence);
        for sentence in sentences.chain(conjuncts.later.iter().map(|it| it.sentence)) {
            if demands.iter().all(|(it, _)| *it != sentence) {
                demands.push((sentence, forms.bool(true)));
            }
        }
        if let Some(began) = began {
            self.claim_settled(forms, &mut conjuncts, began, &mut demands);
        }
        let mut touched: BTreeMap<Slot, (Form, Vec<SentenceId>)> = BTreeMap::new();
        for later in &mut conjuncts.later {
            for (slot, reached) in later.grounding.mentioned(forms, &mut later.bound, later.id) {
                let mut when = forms.and(later.guard, reached);
                if let Some(began) = began {
                    let settled = self.settled(forms, slot, began);
                    let free = forms.not(settled);
                    when = forms.and(when, free);
                }
                let never = forms.bool(false);
                let entry = touched.entry(slot).or_insert((never, Vec::new()));
                entry.0 = forms.or(entry.0, when);
                entry.1.push(later.sentence);
            }
        }
        let slots: BTreeSet<Slot> =
            touched.keys().copied().chain(conjuncts.writes.iter().map(|it| it.slot)).collect();
        let mut changed = Vec::new();
        for slot in slots {
            let writes: Vec<&Write> =
                conjuncts.writes.iter().filter(|it| it.slot == slot).collect();
            let touch = touched.get(&slot);
            let (form, when) = self.version(
                scene,
                forms,
                number,
                slot,
                &writes,
                touch.map(|it| it.0),
                &mut demands,
            );
            if forms.truth(when) == Some(false) {
                continue;
            }
            for write in writes {
                self.causes.push((slot, write.sentence, write.when));
            }
            if let Some((free, sentences)) = touch {
                self.causes.extend(sentences.iter().map(|it| (slot, *it, *free)));
            }
            changed.push((slot, form, when));
        }
        for (slot, form, when) in &changed {
            self.current.insert(*slot, *form);
            self.changes.push(Change { event: number, slot: *slot, when: *when });
        }
        for later in &mut conjuncts.later {
            let mut reading = |forms: &mut Forms, slot| self.slot(forms, slot);
            let Later { grounding, bound, id, guard, sentence } = later;
            let truth = grounding.truth(forms, &mut reading, bound, *id);
            let demand = forms.implies(*guard, truth);
            require(forms, &mut demands, *sentence, demand);
        }
        let mut stated: Vec<Stated> = demands
            .into_iter()
            .map(|(sentence, form)| {
                let claim = Claim { what: Claimed::Sentence(sentence), holds: true, at };
                Stated { claim, form, is_assumed: false }
            })
            .collect();
        for (slot, form, _) in changed {
            stated.extend(scene.range(forms, slot, form, Some(at)));
        }
        stated
    }

    /// Takes from conjuncts of a postcondition what is settled already; that is claimed.
    fn claim_settled(
        &mut self,
        forms: &mut Forms,
        conjuncts: &mut Conjuncts<'_>,
        began: u32,
        demands: &mut [(SentenceId, Form)],
    ) {
        for write in &mut conjuncts.writes {
            let settled = self.settled(forms, write.slot, began);
            let now = self.slot(forms, write.slot);
            let same = forms.eq(now, write.value.form);
            let same = forms.and(write.value.is_defined, same);
            let asked = forms.and(write.when, settled);
            let demand = forms.implies(asked, same);
            require(forms, demands, write.sentence, demand);
            let free = forms.not(settled);
            write.when = forms.and(write.when, free);
        }
    }

    /// What a slot becomes, and when it changes.
    #[allow(clippy::too_many_arguments)]
    fn version(
        &self,
        scene: &Scene<'a, '_>,
        forms: &mut Forms,
        number: u32,
        slot: Slot,
        writes: &[&Write],
        touch: Option<Form>,
        demands: &mut [(SentenceId, Form)],
    ) -> (Form, Form) {
        let old = self.slot(forms, slot);
        let given = forms.variable(Variable::Given(number, slot));
        let whens: Vec<Form> = writes.iter().map(|it| it.when).chain(touch).collect();
        let when = forms.any(whens);
        for write in writes {
            let demand = forms.implies(write.when, write.value.is_defined);
            require(forms, demands, write.sentence, demand);
        }
        if scene.is_loose {
            for write in writes {
                let same = forms.eq(given, write.value.form);
                let demand = forms.implies(write.when, same);
                require(forms, demands, write.sentence, demand);
            }
            return (forms.choose(when, given, old), when);
        }
        let mut form = match touch {
            Some(touch) => forms.choose(touch, given, old),
            None => old,
        };
        for (index, write) in writes.iter().enumerate().rev() {
            form = forms.choose(write.when, write.value.form, form);
            for other in &writes[..index] {
                let both = forms.and(write.when, other.when);
                let same = forms.eq(write.value.form, other.value.form);
                let demand = forms.implies(both, same);
                require(forms, demands, write.sentence, demand);
            }
        }
        (form, when)
    }
}

/// Adds to what a sentence demands.
fn require(forms: &mut Forms, demands: &mut [(SentenceId, Form)], of: SentenceId, demand: Form) {
    if let Some((_, known)) = demands.iter_mut().find(|(it, _)| *it == of) {
        *known = forms.and(*known, demand);
    }
}
