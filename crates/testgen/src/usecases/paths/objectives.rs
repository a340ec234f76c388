//! What paths should cover.

use punctual_model::{
    FlowId, Id, UseCaseId,
    usecases::{
        ActionKind, FlowKind, Next, Objective, Outcome, PathStep, Step, StepKind, StepRef, UseCase,
    },
};

use super::{Event, Happening, Machine, control::references};

/// Everything that paths should cover, in the order of use cases and flows: that each flow is taken as a whole, then both outcomes of each of its conditions. A `VALIDATES THAT` without specific flows has
/// one outcome and is no objective, nor is that the last specific flow of a `VALIDATES THAT` is declined.
#[must_use]
pub fn objectives(machine: &Machine<'_>) -> Vec<Objective> {
    let mut found = Vec::new();
    let is_reached = reached(machine);
    for (id, use_case) in machine.all.use_cases.enumerate() {
        if !is_reached[id.index()] {
            continue;
        }
        for (flow, it) in use_case.flows.enumerate() {
            found.push(Objective::Flow(id, flow));
            for (step, it) in it.steps.enumerate() {
                let at = StepRef { flow, step };
                let outcomes = outcomes(machine, (id, use_case), at, it);
                found.extend(outcomes.iter().map(|outcome| Objective::Branch(id, at, *outcome)));
            }
        }
    }
    found
}

/// The outcomes of a step that paths should show.
fn outcomes(
    machine: &Machine<'_>,
    (id, use_case): (UseCaseId, &UseCase),
    at: StepRef,
    step: &Step,
) -> &'static [Outcome] {
    const BOTH: &[Outcome] = &[Outcome::Holds, Outcome::Fails];
    const ONE: &[Outcome] = &[Outcome::Holds];
    match &step.kind {
        StepKind::Validate(_) if machine.place(id, at).specific.is_empty() => &[],
        StepKind::Validate(_) => BOTH,
        StepKind::Branch(condition) => {
            let is_last = condition.otherwise == Next::Declined
                && is_last_resort(machine, (id, use_case), at.flow);
            if is_last { ONE } else { BOTH }
        }
        StepKind::Act(actions) => {
            let extension = actions.iter().filter_map(|action| match action.kind {
                ActionKind::ExtendedBy(to) => Some(machine.use_case(to)),
                _ => None,
            });
            let mut is_asked = extension.map(|it| !it.preconditions.is_empty());
            match is_asked.next() {
                None => &[],
                Some(first) if first || is_asked.any(|it| it) => BOTH,
                Some(_) => ONE,
            }
        }
        _ => &[],
    }
}

/// Whether a flow is the last one that may be taken if a `VALIDATES THAT` does not hold.
fn is_last_resort(
    machine: &Machine<'_>,
    (id, use_case): (UseCaseId, &UseCase),
    flow: FlowId,
) -> bool {
    let FlowKind::Specific(at) = use_case.flows[flow].kind else { return false };
    let is_validated = matches!(use_case.step(at).kind, StepKind::Validate(_));
    is_validated && machine.place(id, at).specific.last() == Some(&flow)
}

/// Which use cases a path may come to, one after the other.
fn reached(machine: &Machine<'_>) -> Vec<bool> {
    let mut found = vec![false; machine.all.use_cases.len()];
    let mut waiting = machine.tops();
    while let Some(id) = waiting.pop() {
        if !std::mem::replace(&mut found[id.index()], true) {
            let steps = machine.use_case(id).flows.iter().flat_map(|flow| &flow.steps);
            waiting.extend(steps.flat_map(references));
        }
    }
    found
}

/// What a step of a path shows, with what happens by it; also what is no objective, since it has no alternative.
pub(super) fn covered_by<'h>(
    step: Option<&PathStep>,
    happenings: &'h [Happening<'_>],
) -> impl Iterator<Item = Objective> + use<'h> {
    let asked = step.filter(|step| step.outcome != Outcome::Done);
    let branch = asked.map(|step| Objective::Branch(step.use_case, step.at, step.outcome));
    let flows = happenings.iter().filter_map(|it| match it.event {
        Event::FlowEnds { use_case, flow, whole: Some(_) } => Some(Objective::Flow(use_case, flow)),
        _ => None,
    });
    branch.into_iter().chain(flows)
}
