//! Which cases a change of the text touches.

use std::collections::{BTreeMap, BTreeSet};

use punctual_model::{
    SentenceId,
    usecases::{StepKind, UseCases},
};
use punctual_report::view::scenarios::Derived;

/// The sentences of an older version that are gone or mean something else now, with the scenarios and cases of that version that go through
/// them; then the sentences that are new.
pub(super) fn text(
    before: &UseCases,
    now: &UseCases,
    derived: &Derived,
    is_redrawn: bool,
) -> String {
    let (old, new) = (meanings(before), meanings(now));
    let known: BTreeSet<&(String, String, Vec<String>)> = new.values().collect();
    let gone: Vec<SentenceId> =
        old.iter().filter(|(_, it)| !known.contains(it)).map(|(id, _)| *id).collect();
    let known: BTreeSet<&(String, String, Vec<String>)> = old.values().collect();
    let added = new.values().filter(|it| !known.contains(it)).count();
    let mut cases: BTreeSet<&str> = BTreeSet::new();
    let mut lines = String::new();
    for id in &gone {
        let sentence = &before.sentences[*id];
        let rows = derived
            .chain
            .iter()
            .filter(|row| row.line == sentence.place.line && row.sentence == sentence.text);
        let mut touched: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for row in rows.filter(|row| !row.scenario.is_empty()) {
            let of = touched.entry(&row.scenario).or_default();
            of.extend(Some(row.case.as_str()).filter(|it| !it.is_empty()));
        }
        let scenarios: Vec<&str> = touched.keys().copied().collect();
        let of_sentence: BTreeSet<&str> = touched.values().flatten().copied().collect();
        let file = before.files.get(sentence.place.file as usize).map_or("", String::as_str);
        lines += &format!("  {file}:{}: {}\n", sentence.place.line, sentence.text);
        if !scenarios.is_empty() {
            lines += &format!("    scenarios: {}\n", scenarios.join(", "));
        }
        if !of_sentence.is_empty() {
            let names: Vec<&str> = of_sentence.iter().copied().collect();
            lines += &format!("    cases: {}\n", names.join(", "));
        }
        cases.extend(of_sentence);
    }
    let all = match (ground(before) == ground(now), is_redrawn) {
        (true, false) => "",
        (false, _) => {
            "  a class, an invariant or a setting has changed: all cases may be touched\n"
        }
        (true, true) => "  an automaton has changed: all cases may be touched\n",
    };
    format!(
        "since {}: {} gone or changed, {added} new; {} touched\n{lines}{all}",
        derived.folder,
        count(gone.len(), "sentence is", "sentences are"),
        count(cases.len(), "case is", "cases are"),
    )
}

fn count(n: usize, one: &str, many: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { many })
}

/// Where a sentence stands, what it says and what it means. Behind a step that was added, others have other numbers: they may take another part in their
/// flow, so they count as changed.
fn meanings(all: &UseCases) -> BTreeMap<SentenceId, (String, String, Vec<String>)> {
    let mut places: BTreeMap<SentenceId, String> = BTreeMap::new();
    for use_case in &all.use_cases {
        let name = &use_case.name;
        for id in &use_case.preconditions {
            places.insert(*id, format!("{name}: before"));
        }
        for flow in &use_case.flows {
            for id in &flow.postconditions {
                places.insert(*id, format!("{name}: after {}", flow.title));
            }
            for (number, step) in flow.steps.iter().enumerate() {
                let sentences = match &step.kind {
                    StepKind::Act(actions) => actions.iter().map(|it| it.sentence).collect(),
                    StepKind::Validate(id) => vec![*id],
                    StepKind::Branch(it) => vec![it.sentence],
                    StepKind::Mark | StepKind::Abort | StepKind::Resume(_) => Vec::new(),
                };
                for id in sentences {
                    places.insert(id, format!("{name}: {} {number}", flow.title));
                }
            }
        }
    }
    let meaning = |(id, it): (SentenceId, &punctual_model::usecases::Sentence)| {
        let constraints = it.constraints.iter().map(|id| {
            let constraint = &all.constraints[*id];
            format!("{}: {}", all.domain.classes[constraint.context].name, constraint.text)
        });
        let place = places.get(&id).cloned().unwrap_or_default();
        (id, (place, it.text.to_lowercase(), constraints.collect()))
    };
    all.sentences.enumerate().map(meaning).collect()
}

/// What all scenarios depend on: classes, invariants, settings.
fn ground(all: &UseCases) -> Vec<String> {
    let domain = &all.domain;
    let class = |id: punctual_model::ClassId| domain.classes[id].name.clone();
    let mut found: Vec<String> = Vec::new();
    found.extend(domain.classes.iter().map(|it| {
        let parents: Vec<String> = it.parents.iter().map(|id| class(*id)).collect();
        format!("{} {} {parents:?}", it.name, it.is_abstract)
    }));
    found.extend(domain.enumerations.iter().map(|it| format!("{} {:?}", it.name, it.values)));
    found.extend(
        domain.attributes.iter().map(|it| format!("{}.{} {:?}", class(it.class), it.name, it.ty)),
    );
    found.extend(domain.associations.iter().map(|it| format!("{:?}", it.ends)));
    found.extend(all.invariants().map(|(_, it)| format!("{}: {}", class(it.context), it.text)));
    found.push(format!("{:?}", all.settings));
    found.sort();
    found
}
