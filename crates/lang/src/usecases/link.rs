//! Which constraints say what a sentence means.
//!
//! A constraint belongs to the sentences that stand in quotes above it. Capital letters, spaces, the full stop and `The system` at the begin do
//! not matter. A sentence that no key has whole is looked for in parts, which `and` joins.

use punctual_model::{
    ConstraintId, IdVec, SentenceId,
    usecases::{Constraint, Place, Purpose, Role},
};
use rustc_hash::{FxHashMap, FxHashSet};

use super::{
    folder::{Open, OpenKind},
    lints,
    ocl::Checked,
    rucm::Built,
    sources::{Context, Reader},
};

/// What sentences and keys are compared by.
fn normal(text: &str) -> String {
    let words = text.split_whitespace().map(str::to_lowercase);
    let all = words.collect::<Vec<_>>().join(" ");
    let all = all.trim_matches(|c: char| c.is_whitespace() || matches!(c, '.' | ',' | ';' | ':'));
    all.strip_prefix("the system ").unwrap_or(all).to_owned()
}

/// The parts of a sentence that `and` joins, as they are written.
fn parts(text: &str) -> Vec<String> {
    let mut found = vec![String::new()];
    for word in text.split_whitespace() {
        match word.eq_ignore_ascii_case("and") {
            true => found.push(String::new()),
            false => {
                let part = found.last_mut().expect("one is there from the begin");
                if !part.is_empty() {
                    part.push(' ');
                }
                part.push_str(word);
            }
        }
    }
    found
}

/// Links sentences and constraints; gives the constraints, and sentences that have none.
pub(super) fn link(
    readers: &mut [Reader],
    context: &Context,
    built: &mut Built,
    checked: Vec<Checked>,
) -> (IdVec<ConstraintId, Constraint>, Vec<Open>) {
    let mut constraints: IdVec<ConstraintId, Constraint> = IdVec::new();
    let mut by_key: FxHashMap<String, Vec<ConstraintId>> = FxHashMap::default();
    let mut keys = Vec::new();
    for it in checked {
        let id = constraints.push(it.constraint);
        for key in it.keys {
            by_key.entry(normal(&key.text)).or_default().push(id);
            keys.push((it.file, key));
        }
    }
    let mut used: FxHashSet<String> = FxHashSet::default();
    let mut open: Vec<Open> = Vec::new();
    let mut told: FxHashMap<(Role, String), usize> = FxHashMap::default();
    let ids: Vec<SentenceId> = built.sentences.ids().collect();
    for (id, (file, span)) in ids.into_iter().zip(&built.spans) {
        let sentence = &mut built.sentences[id];
        if !sentence.role.needs_constraint() {
            continue;
        }
        let whole = normal(&sentence.text);
        let wanted = match by_key.contains_key(&whole) {
            true => vec![sentence.text.clone()],
            false => {
                let parts = parts(&sentence.text);
                let is_partly = parts.iter().any(|part| by_key.contains_key(&normal(part)));
                if is_partly { parts } else { vec![sentence.text.clone()] }
            }
        };
        sentence.is_open = false;
        for part in wanted {
            let key = normal(&part);
            let Some(found) = by_key.get(&key) else {
                sentence.is_open = true;
                let at = *told.entry((sentence.role, key)).or_insert(open.len());
                match open.get_mut(at) {
                    Some(known) => known.count += 1,
                    None => open.push(Open {
                        kind: kind(sentence.role),
                        text: part,
                        file: *file,
                        span: *span,
                        place: sentence.place,
                        count: 1,
                    }),
                }
                continue;
            };
            for constraint in found {
                if !sentence.constraints.contains(constraint) {
                    sentence.constraints.push(*constraint);
                    if let Purpose::Sentences(of) = &mut constraints[*constraint].purpose {
                        of.push(id);
                    }
                }
            }
            used.insert(key);
        }
    }
    let texts: Vec<&str> = (built.sentences.iter())
        .filter(|it| it.role.needs_constraint())
        .map(|it| it.text.as_str())
        .collect();
    for (file, key) in keys {
        if used.contains(&normal(&key.text)) {
            continue;
        }
        let near = context.hints.closest(&key.text, texts.iter().copied());
        let help = match near {
            Some(near) => format!("did you mean `{near}`?"),
            None => "keys are conditions, internal steps, preconditions and postconditions, word by word".to_owned(),
        };
        let message = format!("no use case has the sentence `{}`", key.text);
        let diagnostics = &mut readers[file].diagnostics;
        context.lint(diagnostics, &lints::UNUSED, key.span, message, &help);
    }
    (constraints, open)
}

fn kind(role: Role) -> OpenKind {
    match role {
        Role::Precondition => OpenKind::Precondition,
        Role::Condition => OpenKind::Condition,
        Role::Postcondition => OpenKind::Postcondition,
        _ => OpenKind::Effect,
    }
}

/// Names that the domain model lacks, each once.
pub(super) fn entities(readers: &[Reader], built: &Built) -> Vec<Open> {
    let mut found: Vec<Open> = Vec::new();
    let mut told: FxHashMap<String, usize> = FxHashMap::default();
    for mention in &built.lacking {
        let at = *told.entry(super::names::normal(&mention.text)).or_insert(found.len());
        let place: Place = readers[mention.file].place(mention.span);
        match found.get_mut(at) {
            Some(known) => known.count += 1,
            None => found.push(Open {
                kind: OpenKind::Entity,
                text: mention.text.clone(),
                file: mention.file,
                span: mention.span,
                place,
                count: 1,
            }),
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::{normal, parts};

    #[test]
    fn keys_are_compared_by_their_words() {
        assert_eq!(normal("The system  sets X as detected."), normal("sets X AS detected"));
        assert_ne!(normal("the temperature is valid"), normal("temperature is valid"));
        assert_eq!(parts("a is on AND the band is off"), ["a is on", "the band is off"]);
    }
}
