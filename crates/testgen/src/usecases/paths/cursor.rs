//! Where a path is, and what it goes on with.

use std::collections::BTreeMap;

use punctual_model::{
    FlowId, UseCaseId,
    usecases::{Action, ActionKind, Next, Outcome, PathStep, StepKind, StepRef},
};

use super::{Event, Happening, Machine};

/// The point that a path has come to.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Cursor {
    /// The use cases that go on, each included by the one before. Empty at the end of the path.
    pub(super) frames: Vec<Frame>,
    /// How often steps happened, if that is limited.
    visits: BTreeMap<(u32, StepRef), u32>,
    n_steps: u32,
    pub(super) n_happenings: usize,
}

/// A use case that goes on.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Frame {
    /// The way of including it.
    pub(super) context: u32,
    pub(super) use_case: UseCaseId,
    /// The flow that was taken. While flows are tried, the step is of another one.
    pub(super) flow: FlowId,
    /// Which happening is the begin of the flow, if the path has never left it.
    pub(super) whole: Option<usize>,
    /// The step that comes next, or that includes the next use case.
    pub(super) at: StepRef,
    /// Which action of the step goes on or is asked; none before the step happens.
    pub(super) action: Option<usize>,
    /// The flows that are being tried, each before a step of the one before it.
    pub(super) tries: Vec<Try>,
}

/// A flow that is being tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Try {
    flow: FlowId,
    /// Where it is tried.
    reference: StepRef,
    /// True if it is tried because that step does not hold.
    is_specific: bool,
    /// Which of the flows that are tried there it is.
    index: usize,
}

/// Nothing may follow, though the path is not at its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stuck;

/// The step that comes next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ask {
    depth: u32,
    use_case: UseCaseId,
    at: StepRef,
    /// What may come of it. A [`Cursor`] may get [`Stuck`] with some of them.
    pub outcomes: &'static [Outcome],
}

impl Ask {
    /// The step with an outcome.
    #[must_use]
    pub fn with(&self, outcome: Outcome) -> PathStep {
        PathStep { depth: self.depth, use_case: self.use_case, at: self.at, outcome }
    }
}

/// What the innermost use case does next.
enum Go {
    /// Comes to a step; flows are tried before it.
    To(StepRef),
    /// Tries the flows of a step from this one on.
    Try { reference: StepRef, is_specific: bool, index: usize },
    /// Takes the flow that is being tried, or any other one, and goes on there.
    Next(Next),
    /// Goes on with the actions of the step, from this one on.
    Actions(usize),
    /// A flow is at its end, and so is the use case.
    End,
    /// Another use case begins.
    Begin { use_case: UseCaseId, context: u32, is_extension: bool },
}

/// A cursor that moves, and what happens meanwhile.
struct Moving<'c, 'm, 'a> {
    cursor: &'c mut Cursor,
    machine: &'c mut Machine<'a>,
    happenings: &'m mut Vec<Happening<'a>>,
}

impl Cursor {
    /// The begin of all paths of a top use case.
    ///
    /// # Errors
    /// If there is no such path.
    pub fn begin<'a>(
        machine: &mut Machine<'a>,
        use_case: UseCaseId,
        happenings: &mut Vec<Happening<'a>>,
    ) -> Result<Self, Stuck> {
        let mut cursor =
            Cursor { frames: Vec::new(), visits: BTreeMap::new(), n_steps: 0, n_happenings: 0 };
        let go = Go::Begin { use_case, context: 0, is_extension: false };
        Moving { cursor: &mut cursor, machine, happenings }.go(go)?;
        Ok(cursor)
    }

    /// True if the path is at its end.
    #[must_use]
    pub fn has_ended(&self) -> bool {
        self.frames.is_empty()
    }

    /// The step that comes next; none at the end.
    #[must_use]
    pub fn ask(&self, machine: &Machine<'_>) -> Option<Ask> {
        let frame = self.frames.last()?;
        let step = machine.step(frame.use_case, frame.at);
        let outcomes: &[Outcome] = match (&step.kind, frame.action) {
            (StepKind::Act(actions), Some(index)) => match actions[index].kind {
                ActionKind::ExtendedBy(to) if !machine.use_case(to).preconditions.is_empty() => {
                    &[Outcome::Holds, Outcome::Fails]
                }
                _ => &[Outcome::Holds],
            },
            (StepKind::Validate(_), _) => {
                match machine.place(frame.use_case, frame.at).specific.is_empty() {
                    true => &[Outcome::Holds],
                    false => &[Outcome::Holds, Outcome::Fails],
                }
            }
            // A flow that may not begin once more can still be declined.
            (StepKind::Branch(_), _) => match self.may_happen(machine) {
                true => &[Outcome::Holds, Outcome::Fails],
                false => &[Outcome::Fails],
            },
            _ => &[Outcome::Done],
        };
        let depth = self.frames.len() as u32 - 1;
        Some(Ask { depth, use_case: frame.use_case, at: frame.at, outcomes })
    }

    /// Whether the step that comes next may happen once more.
    fn may_happen(&self, machine: &Machine<'_>) -> bool {
        let (Some(frame), Some(max)) = (self.frames.last(), machine.visits_max) else {
            return true;
        };
        self.visits.get(&(frame.context, frame.at)).copied().unwrap_or(0) < max
    }

    /// Goes on with an outcome of the step that comes next, and adds what happens by it.
    ///
    /// # Errors
    /// If nothing may follow. The cursor must not be used any more.
    ///
    /// # Panics
    /// If the path is at its end.
    pub fn advance<'a>(
        &mut self,
        machine: &mut Machine<'a>,
        outcome: Outcome,
        happenings: &mut Vec<Happening<'a>>,
    ) -> Result<(), Stuck> {
        Moving { cursor: self, machine, happenings }.advance(outcome)
    }
}

impl<'a> Moving<'_, '_, 'a> {
    fn frame(&mut self) -> &mut Frame {
        self.cursor.frames.last_mut().expect("a use case goes on")
    }

    fn tell(&mut self, event: Event<'a>) {
        self.happenings.push(Happening { at: self.cursor.n_steps, event });
        self.cursor.n_happenings += 1;
    }

    fn advance(mut self, outcome: Outcome) -> Result<(), Stuck> {
        let holds = outcome == Outcome::Holds;
        let Frame { use_case, at, action, context, .. } = *self.frame();
        let is_tried = !self.frame().tries.is_empty();
        let step = self.machine.step(use_case, at);
        let is_first = match (&step.kind, action) {
            (StepKind::Act(actions), Some(index)) => index == 0 && is_extension_alone(actions),
            _ => holds || !is_tried,
        };
        if is_first && self.machine.visits_max.is_some() {
            *self.cursor.visits.entry((context, at)).or_default() += 1;
        }
        // What is told of the step itself comes before it, what follows from it comes after.
        let go = match &step.kind {
            StepKind::Act(actions) => match action {
                Some(index) => {
                    let ActionKind::ExtendedBy(to) = actions[index].kind else {
                        unreachable!("only extensions are asked")
                    };
                    let sentences = self.machine.use_case(to).preconditions.as_slice();
                    if !sentences.is_empty() {
                        self.tell(Event::Condition { sentences, holds });
                    }
                    match holds {
                        true => {
                            let context = self.machine.context(context, at, index);
                            Go::Begin { use_case: to, context, is_extension: true }
                        }
                        false => Go::Actions(index + 1),
                    }
                }
                None => {
                    let here = actions.iter().filter(|action| {
                        !matches!(action.kind, ActionKind::Include(_) | ActionKind::ExtendedBy(_))
                    });
                    let here: Vec<_> = here.collect();
                    if !here.is_empty() {
                        self.tell(Event::Act(here));
                    }
                    Go::Actions(0)
                }
            },
            StepKind::Validate(sentence) => {
                self.tell(Event::Condition { sentences: std::slice::from_ref(sentence), holds });
                match holds {
                    true => Go::Next(step.next),
                    false => Go::Try { reference: at, is_specific: true, index: 0 },
                }
            }
            StepKind::Branch(condition) => {
                let sentences = std::slice::from_ref(&condition.sentence);
                self.tell(Event::Condition { sentences, holds });
                match holds {
                    true => Go::Next(step.next),
                    false => Go::Try { reference: at, is_specific: true, index: 0 },
                }
            }
            StepKind::Mark => Go::Next(step.next),
            StepKind::Abort | StepKind::Resume(_) => Go::End,
        };
        self.cursor.n_steps += 1;
        if holds && is_tried {
            self.take();
        }
        match step.kind {
            StepKind::Abort => {
                self.flow_ends();
                self.cursor.frames.clear();
                Ok(())
            }
            StepKind::Resume(to) => {
                self.flow_ends();
                let frame = self.frame();
                (frame.flow, frame.whole) = (to.flow, None);
                self.go(Go::To(to))
            }
            _ => self.go(go),
        }
    }

    /// Takes the flow that is being tried.
    fn take(&mut self) {
        let index = self.cursor.n_happenings;
        let frame = self.frame();
        let Some(tried) = frame.tries.last().copied() else { return };
        frame.tries.clear();
        (frame.flow, frame.whole) = (tried.flow, Some(index));
        let use_case = frame.use_case;
        self.tell(Event::FlowBegins { use_case, flow: tried.flow });
    }

    fn flow_ends(&mut self) {
        let Frame { use_case, flow, whole, .. } = *self.frame();
        self.tell(Event::FlowEnds { use_case, flow, whole });
        let sentences = self.machine.use_case(use_case).flows[flow].postconditions.as_slice();
        if let (Some(began), false) = (whole, sentences.is_empty()) {
            self.tell(Event::Postconditions { sentences, began });
        }
    }

    /// Goes on until a step comes next, or the path ends.
    fn go(mut self, mut go: Go) -> Result<(), Stuck> {
        loop {
            let next = match go {
                Go::To(at) => {
                    let frame = self.frame();
                    (frame.at, frame.action) = (at, None);
                    Go::Try { reference: at, is_specific: false, index: 0 }
                }
                Go::Try { reference, is_specific, index } => {
                    match self.try_from(reference, is_specific, index) {
                        Some(next) => next,
                        None if is_specific => self.untaken(reference)?,
                        None => match self.happens(reference)? {
                            Some(next) => next,
                            None => return Ok(()),
                        },
                    }
                }
                Go::Next(Next::Step(step)) => {
                    let frame = self.frame();
                    let flow = frame.at.flow;
                    let (use_case, at) = (frame.use_case, StepRef { flow, step });
                    if !self.machine.place(use_case, at).may_decline {
                        self.take();
                    }
                    Go::To(at)
                }
                Go::Next(Next::Declined) => match self.frame().tries.pop() {
                    Some(Try { reference, is_specific, index, .. }) => {
                        Go::Try { reference, is_specific, index: index + 1 }
                    }
                    None => Go::End,
                },
                Go::Next(Next::End) => {
                    self.take();
                    Go::End
                }
                Go::End => {
                    self.flow_ends();
                    self.cursor.frames.pop();
                    let Some(outer) = self.cursor.frames.last() else { return Ok(()) };
                    Go::Actions(outer.action.map_or(0, |action| action + 1))
                }
                Go::Actions(from) => match self.actions(from)? {
                    Some(next) => next,
                    None => return Ok(()),
                },
                Go::Begin { use_case, context, is_extension } => {
                    self.begin(use_case, context, is_extension)?
                }
            };
            go = next;
        }
    }

    /// Tries the flows of a step from this one on. None if there is no further one.
    fn try_from(&mut self, reference: StepRef, is_specific: bool, index: usize) -> Option<Go> {
        let use_case = self.frame().use_case;
        let place = self.machine.place(use_case, reference);
        let flows = if is_specific { &place.specific } else { &place.before };
        let tries = &self.cursor.frames.last()?.tries;
        let mut flows = flows.iter().copied().enumerate().skip(index);
        let (index, flow) =
            flows.find(|(_, flow)| tries.iter().all(|tried| tried.flow != *flow))?;
        self.frame().tries.push(Try { flow, reference, is_specific, index });
        let Some(first) = self.machine.first(use_case, flow) else {
            self.take();
            return Some(Go::End);
        };
        if !self.machine.place(use_case, first).may_decline {
            self.take();
        }
        Some(Go::To(first))
    }

    /// What a condition goes on with if it does not hold and none of its specific flows was taken.
    fn untaken(&mut self, reference: StepRef) -> Result<Go, Stuck> {
        let frame = self.frame();
        frame.at = reference;
        let use_case = frame.use_case;
        match &self.machine.step(use_case, reference).kind {
            StepKind::Branch(condition) => Ok(Go::Next(condition.otherwise)),
            _ => Err(Stuck),
        }
    }

    /// A step comes next, after all flows before it were declined. None if it is asked.
    fn happens(&mut self, at: StepRef) -> Result<Option<Go>, Stuck> {
        let frame = self.frame();
        (frame.at, frame.action) = (at, None);
        let (use_case, is_tried) = (frame.use_case, !frame.tries.is_empty());
        if !is_tried && !self.cursor.may_happen(self.machine) {
            return Err(Stuck);
        }
        match &self.machine.step(use_case, at).kind {
            StepKind::Act(actions) if is_extension_alone(actions) => Ok(Some(Go::Actions(0))),
            _ => Ok(None),
        }
    }

    /// Goes on with the actions of a step, from this one on. None if one is asked.
    fn actions(&mut self, from: usize) -> Result<Option<Go>, Stuck> {
        let Frame { use_case, at, context, .. } = *self.frame();
        let step = self.machine.step(use_case, at);
        let StepKind::Act(actions) = &step.kind else { return Err(Stuck) };
        for (index, action) in actions.iter().enumerate().skip(from) {
            self.frame().action = Some(index);
            match action.kind {
                ActionKind::Include(to) => {
                    let context = self.machine.context(context, at, index);
                    return Ok(Some(Go::Begin { use_case: to, context, is_extension: false }));
                }
                ActionKind::ExtendedBy(_) => return Ok(None),
                _ => {}
            }
        }
        self.frame().action = None;
        Ok(Some(Go::Next(step.next)))
    }

    fn begin(
        &mut self,
        use_case: UseCaseId,
        context: u32,
        is_extension: bool,
    ) -> Result<Go, Stuck> {
        if self.cursor.frames.iter().any(|frame| frame.use_case == use_case) {
            return Err(Stuck);
        }
        let it = self.machine.use_case(use_case);
        if !is_extension && !it.preconditions.is_empty() {
            self.tell(Event::Preconditions(&it.preconditions));
        }
        let flow = it.basic();
        let whole = Some(self.cursor.n_happenings);
        self.tell(Event::FlowBegins { use_case, flow });
        let first = self.machine.first(use_case, flow);
        let at = first.unwrap_or(StepRef { flow, step: super::control::first_step() });
        let tries = Vec::new();
        let frame = Frame { context, use_case, flow, whole, at, action: None, tries };
        self.cursor.frames.push(frame);
        Ok(first.map_or(Go::End, Go::To))
    }
}

/// Whether a step has nothing but extensions. Then it does not happen by itself.
fn is_extension_alone(actions: &[Action]) -> bool {
    !actions.is_empty()
        && actions.iter().all(|action| matches!(action.kind, ActionKind::ExtendedBy(_)))
}
