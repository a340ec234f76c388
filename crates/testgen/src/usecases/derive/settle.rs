//! What the tester sets up, put into what scenarios need and change.

use punctual_model::{
    SentenceId, Value,
    usecases::{
        Assignment, AssignmentKind, Claimed, Keeper, Links, Need, Scenario, Scenarios, Set, Slot,
        UseCases,
    },
};

use super::{Problem, fold::put_in};
use crate::usecases::link::about;

/// The scenarios with a value for everything that nobody keeps.
pub(super) fn settle(
    all: &UseCases,
    scenarios: &Scenarios,
    links: &Links,
) -> Result<Scenarios, Vec<Problem>> {
    let mut settled = scenarios.clone();
    let mut problems = Vec::new();
    for scenario in settled.scenarios.iter_mut() {
        let set_up = |slot: Slot| {
            let (class, number, attribute) = about::key(scenario, slot);
            let at = links.kept(class, number, attribute)?;
            (links.state[at].keeper == Keeper::Tester).then_some(at)
        };
        let is_state =
            |it: &Assignment| matches!(it.kind, AssignmentKind::State | AssignmentKind::Setup);
        let value = |slot: Slot| -> Option<Value> {
            set_up(slot)?;
            let mut states = scenario.assignments.iter().filter(|it| is_state(it));
            states.find(|it| it.slot == slot).map(|it| it.value)
        };
        let mut needs = Vec::new();
        for need in &scenario.needs {
            let condition = put_in(&need.condition, &value);
            let left = condition.slots().into_iter().find_map(set_up);
            if condition.truth() == Some(false) || left.is_some() {
                let message = match left {
                    Some(at) => format!(
                        "scenario `{}` has no value for `{}`, which the tester sets up",
                        scenario.name, links.state[at].name
                    ),
                    None => format!(
                        "scenario `{}` can not be taken with what the tester sets up",
                        scenario.name
                    ),
                };
                problems.push(Problem { message, place: place_of(all, need) });
            }
            if condition.truth() != Some(true) {
                needs.push(Need { claim: need.claim, condition });
            }
        }
        let sets = scenario.sets.iter().map(|it| Set { to: put_in(&it.to, &value), ..it.clone() });
        let sets: Vec<Set> = sets.collect();
        let kind = |it: &Assignment| match (is_state(it), set_up(it.slot)) {
            (false, _) => it.kind,
            (true, None) => AssignmentKind::State,
            (true, Some(_)) => AssignmentKind::Setup,
        };
        let kinds: Vec<AssignmentKind> = scenario.assignments.iter().map(kind).collect();
        for (assignment, kind) in scenario.assignments.iter_mut().zip(kinds) {
            assignment.kind = kind;
        }
        sort(scenario);
        (scenario.needs, scenario.sets) = (needs, sets);
    }
    if problems.is_empty() { Ok(settled) } else { Err(problems) }
}

/// What the tester sets up comes first; the order within a kind stays.
fn sort(scenario: &mut Scenario) {
    scenario.assignments.sort_by_key(|it| it.kind);
}

/// Where the sentence of a need stands.
pub(super) fn place_of(all: &UseCases, need: &Need) -> Option<punctual_model::usecases::Place> {
    match need.claim.what {
        Claimed::Sentence(id) => place_of_sentence(all, Some(id)),
        Claimed::Invariant(id) => all.constraints.get(id).map(|it| it.place),
        Claimed::Range(id) => all.domain.attributes.get(id).map(|it| it.place),
    }
}

/// Where a sentence stands.
pub(super) fn place_of_sentence(
    all: &UseCases,
    sentence: Option<SentenceId>,
) -> Option<punctual_model::usecases::Place> {
    all.sentences.get(sentence?).map(|it| it.place)
}
