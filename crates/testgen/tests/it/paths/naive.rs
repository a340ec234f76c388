//! All paths, by the rules and nothing else: each rule is a function that calls the next, and each way is followed to its end.
//!
//! It shares no code with the machine. It is slow, and gives up if there are too many paths.

use std::{
    cell::{Cell, RefCell},
    collections::BTreeMap,
};

use punctual_model::{
    FlowId, Id, StepId, UseCaseId,
    usecases::{
        ActionKind, FlowKind, Next, Objective, Outcome, Path, PathStep, StepKind, StepRef, UseCases,
    },
};

/// A complete path and what it covers, sorted, each once.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Complete {
    pub(super) path: Path,
    pub(super) covers: Vec<Objective>,
    /// Alternative flows that it takes count first, then its steps.
    pub(super) cost: usize,
}

/// A way that goes on.
#[derive(Clone)]
struct Way {
    steps: Vec<PathStep>,
    covers: Vec<Objective>,
    /// How often a step happened, by the way of including its use case.
    visits: BTreeMap<(Vec<(StepRef, usize)>, StepRef), u32>,
    /// The use cases that go on: the flow, whether it is whole, and how the use case was included.
    frames: Vec<(UseCaseId, FlowId, bool)>,
    stack: Vec<(StepRef, usize)>,
    n_taken: usize,
}

type Then<'k> = &'k dyn Fn(Way);

struct Naive<'a> {
    all: &'a UseCases,
    visits_max: u32,
    found: RefCell<Vec<Complete>>,
    left: Cell<u32>,
}

/// All paths of all top use cases; none if they are too many.
pub(super) fn paths(
    all: &UseCases,
    tops: &[UseCaseId],
    visits_max: u32,
    work_max: u32,
) -> Option<Vec<Complete>> {
    // Each step of a path is a call inside of the one before.
    let run = || within(all, tops, visits_max, work_max);
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(256 << 20).spawn_scoped(scope, run);
        thread.expect("a thread").join().expect("no panic")
    })
}

fn within(
    all: &UseCases,
    tops: &[UseCaseId],
    visits_max: u32,
    work_max: u32,
) -> Option<Vec<Complete>> {
    let naive =
        Naive { all, visits_max, found: RefCell::new(Vec::new()), left: Cell::new(work_max) };
    for top in tops {
        let way = Way {
            steps: Vec::new(),
            covers: Vec::new(),
            visits: BTreeMap::new(),
            frames: Vec::new(),
            stack: Vec::new(),
            n_taken: 0,
        };
        naive.begin(*top, way, &|way| naive.complete(*top, way));
    }
    (naive.left.get() > 0).then(|| naive.found.into_inner())
}

impl Naive<'_> {
    fn complete(&self, use_case: UseCaseId, way: Way) {
        let mut covers = way.covers;
        covers.sort();
        covers.dedup();
        let cost = way.steps.len() + 100_000 * way.n_taken;
        let path = Path { use_case, steps: way.steps };
        self.found.borrow_mut().push(Complete { path, covers, cost });
    }

    fn begin(&self, id: UseCaseId, mut way: Way, then: Then<'_>) {
        let basic = FlowId::from_index(0);
        way.frames.push((id, basic, true));
        let done = |mut way: Way| {
            end_flow(&mut way);
            way.frames.pop();
            then(way);
        };
        self.come(first(basic), &[], way, &done, &done);
    }

    /// Comes to a step: flows go first. `declined` is what follows if the flow of the step is tried and not taken, `end` what follows the use case.
    fn come(&self, at: StepRef, tried: &[FlowId], way: Way, declined: Then<'_>, end: Then<'_>) {
        if self.left.get() == 0 {
            return;
        }
        self.left.set(self.left.get() - 1);
        let use_case = &self.all.use_cases[way.frames.last().unwrap().0];
        let mut flows = use_case.flows_at(at);
        flows.retain(|it| !matches!(use_case.flows[*it].kind, FlowKind::Specific(_)));
        self.attempt(&flows, tried, way, &|way| self.happen(at, tried, way, declined, end), end);
    }

    fn attempt(&self, flows: &[FlowId], tried: &[FlowId], way: Way, none: Then<'_>, end: Then<'_>) {
        let Some((flow, others)) = flows.split_first() else { return none(way) };
        if tried.contains(flow) {
            return self.attempt(others, tried, way, none, end);
        }
        let mut trying = tried.to_vec();
        trying.push(*flow);
        let declined = |way| self.attempt(others, tried, way, none, end);
        self.enter(first(*flow), &trying, way, &declined, end);
    }

    /// Comes to a step of the flow that is tried last. It is taken if it can not be declined any more.
    fn enter(
        &self,
        at: StepRef,
        trying: &[FlowId],
        mut way: Way,
        declined: Then<'_>,
        end: Then<'_>,
    ) {
        match trying.last() {
            Some(flow) if !self.can_decline(&way, at) => {
                take(&mut way, *flow);
                self.come(at, &[], way, end, end);
            }
            _ => self.come(at, trying, way, declined, end),
        }
    }

    fn can_decline(&self, way: &Way, at: StepRef) -> bool {
        let use_case = &self.all.use_cases[way.frames.last().unwrap().0];
        match &use_case.step(at).kind {
            StepKind::Branch(condition) if !condition.is_loop => match condition.otherwise {
                Next::Declined => true,
                Next::End => false,
                Next::Step(step) => {
                    step > at.step && self.can_decline(way, StepRef { flow: at.flow, step })
                }
            },
            _ => false,
        }
    }

    fn happen(&self, at: StepRef, tried: &[FlowId], way: Way, declined: Then<'_>, end: Then<'_>) {
        let id = way.frames.last().unwrap().0;
        let use_case = &self.all.use_cases[id];
        let step = use_case.step(at);
        let specific: Vec<FlowId> = (use_case.flows_at(at).into_iter())
            .filter(|it| matches!(use_case.flows[*it].kind, FlowKind::Specific(_)))
            .collect();
        match &step.kind {
            StepKind::Branch(condition) => {
                if let Some(mut way) = self.visit(at, &way) {
                    say(&mut way, at, Outcome::Holds);
                    if let Some(flow) = tried.last() {
                        take(&mut way, *flow);
                    }
                    self.go(at.flow, step.next, &[], way, end, end);
                }
                let way = if tried.is_empty() { self.visit(at, &way) } else { Some(way) };
                if let Some(mut way) = way {
                    say(&mut way, at, Outcome::Fails);
                    let specific = if condition.is_loop { Vec::new() } else { specific };
                    let otherwise = |way| {
                        self.go(at.flow, condition.otherwise, tried, way, declined, end);
                    };
                    self.attempt(&specific, tried, way, &otherwise, end);
                }
            }
            StepKind::Validate(_) => {
                let Some(way) = self.visit(at, &way) else { return };
                let mut holds = way.clone();
                say(&mut holds, at, Outcome::Holds);
                self.go(at.flow, step.next, &[], holds, end, end);
                if !specific.is_empty() {
                    let mut fails = way;
                    say(&mut fails, at, Outcome::Fails);
                    self.attempt(&specific, &[], fails, &|_| (), end);
                }
            }
            StepKind::Act(actions) => {
                let Some(mut way) = self.visit(at, &way) else { return };
                if !actions.iter().all(|it| matches!(it.kind, ActionKind::ExtendedBy(_))) {
                    say(&mut way, at, Outcome::Done);
                }
                self.actions(at, 0, way, end);
            }
            StepKind::Mark => {
                let Some(mut way) = self.visit(at, &way) else { return };
                say(&mut way, at, Outcome::Done);
                self.go(at.flow, step.next, &[], way, end, end);
            }
            StepKind::Abort => {
                let Some(mut way) = self.visit(at, &way) else { return };
                say(&mut way, at, Outcome::Done);
                end_flow(&mut way);
                self.complete(way.frames[0].0, way);
            }
            StepKind::Resume(to) => {
                let Some(mut way) = self.visit(at, &way) else { return };
                say(&mut way, at, Outcome::Done);
                end_flow(&mut way);
                let frame = way.frames.last_mut().unwrap();
                (frame.1, frame.2) = (to.flow, false);
                self.come(*to, &[], way, end, end);
            }
        }
    }

    fn go(
        &self,
        flow: FlowId,
        next: Next,
        tried: &[FlowId],
        way: Way,
        declined: Then<'_>,
        end: Then<'_>,
    ) {
        match next {
            Next::Step(step) => self.enter(StepRef { flow, step }, tried, way, declined, end),
            Next::End => end(way),
            Next::Declined => declined(way),
        }
    }

    fn actions(&self, at: StepRef, index: usize, way: Way, end: Then<'_>) {
        let id = way.frames.last().unwrap().0;
        let step = self.all.use_cases[id].step(at);
        let StepKind::Act(actions) = &step.kind else { unreachable!() };
        let Some(action) = actions.get(index) else {
            return self.go(at.flow, step.next, &[], way, end, end);
        };
        let follow = |mut way: Way, to: UseCaseId| {
            way.stack.push((at, index));
            self.begin(to, way, &|mut way: Way| {
                way.stack.pop();
                self.actions(at, index + 1, way, end);
            });
        };
        match action.kind {
            ActionKind::Include(to) => follow(way, to),
            ActionKind::ExtendedBy(to) => {
                let mut holds = way.clone();
                say(&mut holds, at, Outcome::Holds);
                follow(holds, to);
                if !self.all.use_cases[to].preconditions.is_empty() {
                    let mut fails = way;
                    say(&mut fails, at, Outcome::Fails);
                    self.actions(at, index + 1, fails, end);
                }
            }
            _ => self.actions(at, index + 1, way, end),
        }
    }

    /// A step happens, unless it did so too often.
    fn visit(&self, at: StepRef, way: &Way) -> Option<Way> {
        let mut way = way.clone();
        let count = way.visits.entry((way.stack.clone(), at)).or_default();
        *count += 1;
        (*count <= self.visits_max).then_some(way)
    }
}

fn first(flow: FlowId) -> StepRef {
    StepRef { flow, step: StepId::from_index(0) }
}

fn say(way: &mut Way, at: StepRef, outcome: Outcome) {
    let use_case = way.frames.last().unwrap().0;
    way.steps.push(PathStep { depth: way.frames.len() as u32 - 1, use_case, at, outcome });
    if outcome != Outcome::Done {
        way.covers.push(Objective::Branch(use_case, at, outcome));
    }
}

fn take(way: &mut Way, flow: FlowId) {
    let frame = way.frames.last_mut().unwrap();
    (frame.1, frame.2) = (flow, true);
    way.n_taken += 1;
}

fn end_flow(way: &mut Way) {
    let (use_case, flow, is_whole) = *way.frames.last().unwrap();
    if is_whole {
        way.covers.push(Objective::Flow(use_case, flow));
    }
}
