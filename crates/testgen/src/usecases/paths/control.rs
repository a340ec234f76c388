//! What the control of use cases needs to know of each step, computed once.

use std::collections::HashMap;

use punctual_model::{
    FlowId, Id, IdVec, StepId, UseCaseId,
    usecases::{ActionKind, FlowKind, Next, Step, StepKind, StepRef, UseCase, UseCases},
};

/// Says which steps may follow a path. See [the rules](super).
#[derive(Debug)]
pub struct Machine<'a> {
    /// The use cases.
    pub(super) all: &'a UseCases,
    tables: IdVec<UseCaseId, Vec<Vec<Place>>>,
    /// How often a step may happen; none for any number.
    pub(super) visits_max: Option<u32>,
    /// The ways of including a use case that came up so far.
    contexts: HashMap<(u32, StepRef, usize), u32>,
}

/// What is known of a step.
#[derive(Clone, Debug, Default)]
pub(super) struct Place {
    /// The flows that are tried before the step.
    pub(super) before: Vec<FlowId>,
    /// The flows that are tried if it does not hold.
    pub(super) specific: Vec<FlowId>,
    /// True if the flow of this step is declined if this step does not hold, or the conditions that it goes on with then.
    pub(super) may_decline: bool,
}

impl<'a> Machine<'a> {
    /// A machine for paths on which a step happens at most so often; none for any number of times.
    #[must_use]
    pub fn new(all: &'a UseCases, visits_max: Option<u32>) -> Self {
        let mut tables = IdVec::new();
        for use_case in &all.use_cases {
            tables.push(places(use_case));
        }
        Self { all, tables, visits_max, contexts: HashMap::new() }
    }

    /// The use cases that a path may begin with, in order: no other includes them or is extended by them.
    #[must_use]
    pub fn tops(&self) -> Vec<UseCaseId> {
        let mut is_top = vec![true; self.all.use_cases.len()];
        for (id, use_case) in self.all.use_cases.enumerate() {
            let steps = use_case.flows.iter().flat_map(|flow| &flow.steps);
            for to in steps.flat_map(references).filter(|to| *to != id) {
                is_top[to.index()] = false;
            }
        }
        self.all.use_cases.ids().filter(|id| is_top[id.index()]).collect()
    }

    pub(super) fn use_case(&self, id: UseCaseId) -> &'a UseCase {
        &self.all.use_cases[id]
    }

    pub(super) fn step(&self, use_case: UseCaseId, at: StepRef) -> &'a Step {
        self.use_case(use_case).step(at)
    }

    pub(super) fn place(&self, use_case: UseCaseId, at: StepRef) -> &Place {
        &self.tables[use_case][at.flow.index()][at.step.index()]
    }

    /// The first step of a flow, unless it has none.
    pub(super) fn first(&self, use_case: UseCaseId, flow: FlowId) -> Option<StepRef> {
        let first = self.use_case(use_case).flows[flow].steps.ids().next();
        first.map(|step| StepRef { flow, step })
    }

    /// A number for a way of including a use case: the way of including the one that includes it, the step and the action.
    pub(super) fn context(&mut self, outer: u32, at: StepRef, action: usize) -> u32 {
        let next = self.contexts.len() as u32 + 1;
        *self.contexts.entry((outer, at, action)).or_insert(next)
    }
}

/// The use cases that a step includes or is extended by, in order.
pub(super) fn references(step: &Step) -> impl Iterator<Item = UseCaseId> {
    let actions = match &step.kind {
        StepKind::Act(actions) => actions.as_slice(),
        _ => &[],
    };
    actions.iter().filter_map(|action| match action.kind {
        ActionKind::Include(to) | ActionKind::ExtendedBy(to) => Some(to),
        _ => None,
    })
}

/// What is known of each step of each flow.
fn places(use_case: &UseCase) -> Vec<Vec<Place>> {
    let mut found: Vec<Vec<Place>> =
        use_case.flows.iter().map(|flow| vec![Place::default(); flow.steps.len()]).collect();
    // Global flows go before bounded ones.
    for (id, flow) in use_case.flows.enumerate() {
        if let FlowKind::Global(of) = flow.kind {
            found[of.index()].iter_mut().for_each(|place| place.before.push(id));
        }
    }
    for (id, flow) in use_case.flows.enumerate() {
        match &flow.kind {
            FlowKind::Bounded(steps) => {
                for at in steps {
                    let before = &mut at_mut(&mut found, *at).before;
                    if before.last() != Some(&id) {
                        before.push(id);
                    }
                }
            }
            FlowKind::Specific(at) if is_condition(use_case.step(*at)) => {
                at_mut(&mut found, *at).specific.push(id);
            }
            _ => {}
        }
    }
    for (id, flow) in use_case.flows.enumerate() {
        // A chain of conditions goes forwards, so that the later ones are known first.
        for (step, it) in flow.steps.enumerate().collect::<Vec<_>>().into_iter().rev() {
            let StepKind::Branch(condition) = &it.kind else { continue };
            let declines = match condition.otherwise {
                Next::Declined => true,
                Next::Step(to) => to > step && found[id.index()][to.index()].may_decline,
                Next::End => false,
            };
            found[id.index()][step.index()].may_decline = declines && !condition.is_loop;
        }
    }
    found
}

fn at_mut(places: &mut [Vec<Place>], at: StepRef) -> &mut Place {
    &mut places[at.flow.index()][at.step.index()]
}

/// Whether specific flows may begin at a step.
fn is_condition(step: &Step) -> bool {
    match &step.kind {
        StepKind::Validate(_) => true,
        StepKind::Branch(condition) => !condition.is_loop,
        _ => false,
    }
}

/// The first step of any flow that has steps.
pub(super) fn first_step() -> StepId {
    StepId::from_index(0)
}
