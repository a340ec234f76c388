//! A path with its values, as others see it: assignments, what the path needs, what it sets.
//!
//! - An input is called by the object of the actor whom the step names, and its attribute: `TemperatureSensor.value`, also if the attribute belongs to another object
//!   that links lead to. If two slots would get one name, the way is told in full: `TemperatureSensor.temperature.value`. All other slots are called by
//!   their own object.
//! - A state assignment is told of each slot that a sentence of the path reads before anything changes it, even if its value makes no difference.
//! - What a path needs is what it claims, with the values of links, inputs and undetermined results put in. What holds of every state is left out:
//!   invariants and ranges before the path.
//! - What a path sets has the values of its inputs, too: they stay.

use std::collections::{BTreeMap, HashMap};

use punctual_model::{
    ObjectId, SentenceId, Value,
    usecases::{
        Assignment, AssignmentKind, Diagram, EndRef, Feature, Ground, Need, Set, Slot, UseCases,
    },
};

use super::{
    choose::Chosen,
    form::{Form, Forms, Node, Variable},
    versions::{Given, Stated, Versions},
};

/// What a path needs and sets is told if it has no more parts than this.
const PARTS_MAX: usize = 20_000;

/// What a solution says of values.
pub(super) struct Told {
    pub(super) assignments: Vec<Assignment>,
    pub(super) needs: Vec<Need>,
    pub(super) sets: Vec<Set>,
}

/// Tells a solution. None if its expressions have too many parts.
pub(super) fn tell(
    cases: &UseCases,
    forms: &mut Forms,
    diagram: &Diagram,
    versions: &Versions<'_>,
    stated: &[Stated],
    chosen: &Chosen,
) -> Option<Told> {
    let mut telling = Telling {
        cases,
        forms,
        diagram,
        versions,
        chosen,
        put: HashMap::new(),
        all: HashMap::new(),
    };
    let (sets, outputs) = telling.sets()?;
    let needs = telling.needs(stated)?;
    let mut assignments = telling.inputs();
    assignments.extend(telling.state());
    assignments.extend(outputs);
    Some(Told { assignments, needs, sets })
}

struct Telling<'t, 'a> {
    cases: &'t UseCases,
    forms: &'t mut Forms,
    diagram: &'t Diagram,
    versions: &'t Versions<'a>,
    chosen: &'t Chosen,
    /// Expressions with values of all but what is before the path, and with all values.
    put: HashMap<Form, Form>,
    all: HashMap<Form, Form>,
}

impl Telling<'_, '_> {
    /// Whether something may be so, with these links, inputs and results, in some state before the path.
    fn may_be(&mut self, form: Form) -> bool {
        let put = self.before(form);
        self.forms.truth(put) != Some(false)
    }

    /// An expression over values before the path.
    fn before(&mut self, form: Form) -> Form {
        let chosen = self.chosen;
        let value = |it| match it {
            Variable::Before(_) => None,
            _ => chosen.get(&it).copied(),
        };
        self.forms.with(form, &value, &mut self.put)
    }

    fn value(&mut self, form: Form) -> Option<Value> {
        let chosen = self.chosen;
        let value = |it| chosen.get(&it).copied();
        let put = self.forms.with(form, &value, &mut self.all);
        self.forms.constant(put)
    }

    fn own_name(&self, slot: Slot) -> String {
        let attribute = &self.cases.domain.attributes[slot.attribute].name;
        format!("{}.{attribute}", self.diagram.objects[slot.object].name)
    }

    fn inputs(&mut self) -> Vec<Assignment> {
        let versions = self.versions;
        let given: Vec<&Given<'_>> =
            versions.inputs.iter().filter(|it| self.may_be(it.when)).collect();
        // Which slots have which short name.
        let mut owners: BTreeMap<String, Vec<Slot>> = BTreeMap::new();
        let mut ways = Vec::new();
        for it in &given {
            let way = self.way(it);
            let attribute = &self.cases.domain.attributes[it.slot.attribute].name;
            let short = match way.first() {
                Some(actor) => format!("{actor}.{attribute}"),
                None => self.own_name(it.slot),
            };
            let slots = owners.entry(short.clone()).or_default();
            if !slots.contains(&it.slot) {
                slots.push(it.slot);
            }
            let long = match way.is_empty() {
                true => short.clone(),
                false => format!("{}.{attribute}", way.join(".")),
            };
            ways.push((short, long));
        }
        let mut told = Vec::new();
        for (it, (short, long)) in given.iter().zip(ways) {
            let name = if owners[&short].len() > 1 { long } else { short };
            if let Some(&value) = self.chosen.get(&Variable::Given(it.event, it.slot)) {
                let because = vec![it.sentence];
                let kind = AssignmentKind::Input;
                told.push(Assignment { slot: it.slot, name, value, kind, because });
            }
        }
        told
    }

    /// The shortest way from an object of the actor to that of a slot: the object, then the names of ends. Empty if there is none.
    fn way(&self, given: &Given<'_>) -> Vec<String> {
        let domain = &self.cases.domain;
        let class = given.actor.meanings.iter().find_map(|it| match *it {
            punctual_model::usecases::Named::Class(class) => Some(class),
            punctual_model::usecases::Named::Feature(Feature::End(end)) => {
                Some(domain.end(end).class)
            }
            _ => None,
        });
        let Some(class) = class else { return Vec::new() };
        let mut ways: Vec<(ObjectId, Vec<String>)> = (self.diagram.objects.enumerate())
            .filter(|(_, it)| domain.conforms(it.class, class))
            .map(|(id, it)| (id, vec![it.name.clone()]))
            .collect();
        let mut at = 0;
        while let Some((object, way)) = ways.get(at).cloned() {
            if object == given.slot.object {
                return way;
            }
            for link in &self.diagram.links {
                for end in [0_u8, 1] {
                    let there = domain.end(EndRef { association: link.association, end });
                    let [from, to] = [link.ends[1 - usize::from(end)], link.ends[usize::from(end)]];
                    let is_new = ways.iter().all(|(it, _)| *it != to);
                    if from == object && there.is_navigable && is_new {
                        let mut longer = way.clone();
                        longer.push(there.name.clone());
                        ways.push((to, longer));
                    }
                }
            }
            at += 1;
        }
        Vec::new()
    }

    fn state(&mut self) -> Vec<Assignment> {
        let versions = self.versions;
        let mut told: Vec<Assignment> = Vec::new();
        for read in &versions.reads {
            if !self.may_be(read.when) {
                continue;
            }
            let Some(&value) = self.chosen.get(&Variable::Before(read.slot)) else { continue };
            match told.iter_mut().find(|it| it.slot == read.slot) {
                Some(known) => note(&mut known.because, read.sentence),
                None => told.push(Assignment {
                    slot: read.slot,
                    name: self.own_name(read.slot),
                    value,
                    kind: AssignmentKind::State,
                    because: vec![read.sentence],
                }),
            }
        }
        told
    }

    fn sets(&mut self) -> Option<(Vec<Set>, Vec<Assignment>)> {
        let versions = self.versions;
        let mut left = PARTS_MAX;
        let (mut sets, mut outputs) = (Vec::new(), Vec::new());
        for slot in versions.changed().collect::<Vec<_>>() {
            let mut because = Vec::new();
            let mut last = None;
            for (_, sentence, when) in versions.causes.iter().filter(|it| it.0 == slot) {
                if self.may_be(*when) {
                    note(&mut because, *sentence);
                    last = Some(*sentence);
                }
            }
            let Some(last) = last else { continue };
            let form = versions.slot(self.forms, slot);
            let to = self.before(form);
            let to = self.forms.ground(to, &mut left)?;
            let value = self.value(form);
            let is_input = versions.inputs.iter().any(|it| it.slot == slot && it.sentence == last);
            if let (Some(value), false) = (value, is_input) {
                outputs.push(Assignment {
                    slot,
                    name: self.own_name(slot),
                    value,
                    kind: AssignmentKind::Output,
                    because: because.clone(),
                });
            }
            if to != Ground::Slot(slot) {
                sets.push(Set { slot, to, because });
            }
        }
        Some((sets, outputs))
    }

    fn needs(&mut self, stated: &[Stated]) -> Option<Vec<Need>> {
        let mut left = PARTS_MAX;
        let mut known: Vec<Form> = Vec::new();
        for it in stated.iter().filter(|it| it.is_assumed) {
            let form = self.before(it.form);
            known.extend(self.parts(form));
        }
        let mut needs = Vec::new();
        for it in stated.iter().filter(|it| !it.is_assumed) {
            let form = self.before(it.form);
            let parts: Vec<Form> =
                self.parts(form).into_iter().filter(|it| !known.contains(it)).collect();
            let form = self.forms.all(parts.iter().copied());
            if self.forms.truth(form) == Some(true) {
                continue;
            }
            known.extend(parts);
            let condition = self.forms.ground(form, &mut left)?;
            needs.push(Need { claim: it.claim, condition });
        }
        Some(needs)
    }

    /// What is claimed together.
    fn parts(&self, form: Form) -> Vec<Form> {
        match self.forms.node(form) {
            Node::All(parts) => parts.clone(),
            _ => vec![form],
        }
    }
}

fn note(because: &mut Vec<SentenceId>, sentence: SentenceId) {
    if !because.contains(&sentence) {
        because.push(sentence);
    }
}
