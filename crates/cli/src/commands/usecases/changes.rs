//! Which cases a change of the text touches.

use std::collections::{BTreeMap, BTreeSet};

use punctual_model::{
    SentenceId,
    usecases::{Role, UseCases},
};
use punctual_report::view::scenarios::Derived;

/// The sentences of an older version that are gone or mean something else now, with the scenarios and cases of that version that go through
/// them; then the sentences that are new.
pub(super) fn text(before: &UseCases, now: &UseCases, derived: &Derived) -> String {
    let (old, new) = (meanings(before), meanings(now));
    let gone: Vec<SentenceId> =
        before.sentences.ids().filter(|id| !new.contains(&meaning(before, *id))).collect();
    let added = now.sentences.ids().filter(|id| !old.contains(&meaning(now, *id))).count();
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
    format!(
        "since {}: {} gone or changed, {added} new; {} touched\n{lines}",
        derived.folder,
        count(gone.len(), "sentence is", "sentences are"),
        count(cases.len(), "case is", "cases are"),
    )
}

fn count(n: usize, one: &str, many: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { many })
}

/// What a sentence is, says and means. A sentence that only moved is the same.
fn meaning(all: &UseCases, id: SentenceId) -> (Role, String, Vec<String>) {
    let it = &all.sentences[id];
    let constraints = it.constraints.iter().map(|id| {
        let constraint = &all.constraints[*id];
        format!("{}: {}", all.domain.classes[constraint.context].name, constraint.text)
    });
    (it.role, it.text.to_lowercase(), constraints.collect())
}

fn meanings(all: &UseCases) -> Vec<(Role, String, Vec<String>)> {
    all.sentences.ids().map(|id| meaning(all, id)).collect()
}
