//! What nothing leads to.

use punctual_model::{
    FlowId, Id, StepId,
    usecases::{FlowKind, Next, StepKind, StepRef, UseCase},
};

/// What can happen in a use case.
pub(super) struct Reached {
    /// For each flow, for each step.
    pub(super) steps: Vec<Vec<bool>>,
    /// Flows whose end is reached without ABORT or RESUME.
    pub(super) ends: Vec<bool>,
}

impl Reached {
    /// Whether a flow ever begins.
    pub(super) fn begins(&self, flow: FlowId) -> bool {
        self.steps[flow.index()].first().copied().unwrap_or(false)
    }
}

/// Follows all ways through a use case from its basic flow, as if any condition could hold or not.
pub(super) fn reached(use_case: &UseCase) -> Reached {
    let steps = use_case.flows.iter().map(|flow| vec![false; flow.steps.len()]).collect();
    let mut found = Reached { steps, ends: vec![false; use_case.flows.len()] };
    // The flows that begin at a step.
    let mut begins: Vec<Vec<Vec<FlowId>>> =
        use_case.flows.iter().map(|flow| vec![Vec::new(); flow.steps.len()]).collect();
    let may_decline: Vec<bool> =
        use_case.flows.ids().map(|flow| may_decline(use_case, flow)).collect();
    let mut anywhere: Vec<Vec<FlowId>> = vec![Vec::new(); use_case.flows.len()];
    for (id, flow) in use_case.flows.enumerate() {
        match &flow.kind {
            FlowKind::Basic => {}
            FlowKind::Global(of) => anywhere[of.index()].push(id),
            FlowKind::Bounded(at) => {
                at.iter().for_each(|at| begins[at.flow.index()][at.step.index()].push(id));
            }
            FlowKind::Specific(at) => {
                let here = &mut begins[at.flow.index()][at.step.index()];
                let is_condition = match &use_case.step(*at).kind {
                    StepKind::Validate(_) => true,
                    StepKind::Branch(condition) => !condition.is_loop,
                    _ => false,
                };
                // Behind a flow that is always taken, no other one is tried.
                let last = here.iter().rev();
                let mut last =
                    last.filter(|it| matches!(use_case.flows[**it].kind, FlowKind::Specific(_)));
                let is_tried = last.next().is_none_or(|it| may_decline[it.index()]);
                if is_condition && is_tried {
                    here.push(id);
                }
            }
        }
    }
    let Some(first) = use_case.flows.ids().next() else { return found };
    let mut waiting = vec![StepRef { flow: first, step: StepId::from_index(0) }];
    while let Some(at) = waiting.pop() {
        let (flow, step) = (at.flow.index(), at.step.index());
        match found.steps[flow].get_mut(step) {
            Some(seen @ false) => *seen = true,
            _ => continue,
        }
        let entered = begins[flow][step].iter().chain(&anywhere[flow]);
        waiting.extend(entered.map(|flow| StepRef { flow: *flow, step: StepId::from_index(0) }));
        let here = use_case.step(at);
        let nexts = match &here.kind {
            StepKind::Abort => [None, None],
            StepKind::Resume(to) => {
                waiting.push(*to);
                [None, None]
            }
            StepKind::Branch(condition) => [Some(here.next), Some(condition.otherwise)],
            _ => [Some(here.next), None],
        };
        for next in nexts.into_iter().flatten() {
            match next {
                Next::Step(step) => waiting.push(StepRef { flow: at.flow, step }),
                Next::End => found.ends[flow] = true,
                Next::Declined => {}
            }
        }
    }
    found
}

/// Whether a flow may be tried and not taken.
fn may_decline(use_case: &UseCase, flow: FlowId) -> bool {
    use_case.flows[flow].steps.iter().any(|step| match &step.kind {
        StepKind::Branch(condition) => condition.otherwise == Next::Declined,
        _ => false,
    })
}
