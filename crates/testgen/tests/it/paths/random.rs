//! Random small sets of use cases, the same for the same seed. Their sentences are numbers; what they mean is a matter of the test.

use punctual_model::{
    FlowId, Id, IdVec, SentenceId, StepId, UseCaseId,
    usecases::{
        Action, ActionKind, Condition, Flow, FlowKind, Next, Phrase, Place, Role, Sentence, Step,
        StepKind, StepRef, UseCase, UseCases,
    },
};

/// Numbers by chance (SplitMix64).
pub(super) struct Dice(u64);

impl Dice {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(super) fn any(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    pub(super) fn below(&mut self, n: usize) -> usize {
        (self.any() % n as u64) as usize
    }

    pub(super) fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }
}

struct Maker<'d> {
    dice: &'d mut Dice,
    sentences: IdVec<SentenceId, Sentence>,
    n_use_cases: usize,
}

/// A few use cases. Each includes only later ones.
pub(super) fn use_cases(dice: &mut Dice) -> UseCases {
    let n_use_cases = 1 + dice.below(3);
    let mut maker = Maker { dice, sentences: IdVec::new(), n_use_cases };
    let mut all = UseCases::default();
    for index in 0..n_use_cases {
        let use_case = maker.use_case(index);
        all.use_cases.push(use_case);
    }
    all.sentences = maker.sentences;
    all
}

impl Maker<'_> {
    fn sentence(&mut self, role: Role) -> SentenceId {
        let text = format!("sentence {}", self.sentences.len());
        let constraints = Vec::new();
        self.sentences.push(Sentence {
            text,
            place: Place::default(),
            role,
            constraints,
            is_open: true,
        })
    }

    fn sentences(&mut self, role: Role, percent: usize) -> Vec<SentenceId> {
        let mut found = Vec::new();
        while found.len() < 2 && self.dice.chance(percent) {
            found.push(self.sentence(role));
        }
        found
    }

    fn use_case(&mut self, index: usize) -> UseCase {
        let n_steps: Vec<usize> =
            (0..1 + self.dice.below(4)).map(|_| 1 + self.dice.below(4)).collect();
        let preconditions = self.sentences(Role::Precondition, 40);
        let mut flows = IdVec::new();
        for (flow, n) in n_steps.iter().enumerate() {
            let kind = self.kind(flow, &n_steps);
            let is_tried = matches!(kind, FlowKind::Bounded(_) | FlowKind::Global(_))
                || flow > 0 && self.dice.chance(50);
            let mut steps = IdVec::new();
            for step in 0..*n {
                let made = self.step(index, (flow, step), &n_steps, is_tried);
                steps.push(made);
            }
            let postconditions = self.sentences(Role::Postcondition, 40);
            let title = format!("{}.{} Flow", index + 1, flow + 1);
            flows.push(Flow { title, kind, place: Place::default(), steps, postconditions });
        }
        // Specific flows begin at conditions.
        let conditions: Vec<StepRef> = flows
            .enumerate()
            .flat_map(|(flow, it)| it.steps.enumerate().map(move |(step, it)| (flow, step, it)))
            .filter(|(_, _, it)| matches!(it.kind, StepKind::Validate(_) | StepKind::Branch(_)))
            .map(|(flow, step, _)| StepRef { flow, step })
            .collect();
        for flow in flows.iter_mut() {
            if let FlowKind::Specific(at) = &mut flow.kind
                && !conditions.is_empty()
            {
                *at = conditions[self.dice.below(conditions.len())];
            }
        }
        UseCase {
            name: format!("U{index}"),
            place: Place::default(),
            description: String::new(),
            preconditions,
            primary_actor: None,
            secondary_actors: Vec::new(),
            generalization: None,
            flows,
        }
    }

    fn anywhere(&mut self, n_steps: &[usize]) -> StepRef {
        let flow = if self.dice.chance(60) { 0 } else { self.dice.below(n_steps.len()) };
        let step = self.dice.below(n_steps[flow]);
        StepRef { flow: FlowId::from_index(flow), step: StepId::from_index(step) }
    }

    fn kind(&mut self, flow: usize, n_steps: &[usize]) -> FlowKind {
        match (flow, self.dice.below(6)) {
            (0, _) => FlowKind::Basic,
            (_, 0) => FlowKind::Global(self.anywhere(n_steps).flow),
            (_, 1 | 2) => {
                let n = 1 + self.dice.below(3);
                let mut steps: Vec<StepRef> = (0..n).map(|_| self.anywhere(n_steps)).collect();
                steps.sort();
                steps.dedup();
                FlowKind::Bounded(steps)
            }
            _ => FlowKind::Specific(self.anywhere(n_steps)),
        }
    }

    fn step(
        &mut self,
        use_case: usize,
        (flow, step): (usize, usize),
        n_steps: &[usize],
        is_tried: bool,
    ) -> Step {
        let n = n_steps[flow];
        let to = |at: usize| match at < n {
            true => Next::Step(StepId::from_index(at)),
            false => Next::End,
        };
        let skip = if self.dice.chance(10) { 1 } else { 0 };
        let next = to(step + 1 + skip);
        let sentence = self.sentence(Role::Condition);
        let branch =
            |otherwise, is_loop| StepKind::Branch(Condition { sentence, otherwise, is_loop });
        let kind = if step == 0 && is_tried {
            // Now and then an ELSEIF follows, which may be declined or not.
            branch(if n > 1 && self.dice.chance(25) { to(1) } else { Next::Declined }, false)
        } else {
            match self.dice.below(12) {
                0 | 1 => StepKind::Validate(sentence),
                2 if step == 1 && is_tried => branch(Next::Declined, false),
                2 | 3 => branch(to(step + 1 + self.dice.below(2)), false),
                4 if step > 0 => branch(to(self.dice.below(step)), true),
                5 if flow > 0 => StepKind::Resume(self.anywhere(n_steps)),
                6 if flow > 0 => StepKind::Abort,
                7 => StepKind::Mark,
                _ => StepKind::Act(
                    (0..1 + self.dice.below(2)).map(|_| self.action(use_case)).collect(),
                ),
            }
        };
        Step { number: step as u32 + 1, place: Place::default(), kind, next }
    }

    fn action(&mut self, use_case: usize) -> Action {
        let phrase = || Phrase { text: String::new(), meanings: Vec::new() };
        let later = self.n_use_cases - use_case - 1;
        let (kind, role) = match self.dice.below(6) {
            0 => (ActionKind::Input { actor: phrase(), data: None }, Role::Input),
            1 => (ActionKind::Output { actor: phrase(), data: phrase() }, Role::Output),
            2 | 3 if later > 0 => {
                let to = UseCaseId::from_index(use_case + 1 + self.dice.below(later));
                let kind = match self.dice.chance(50) {
                    true => ActionKind::Include(to),
                    false => ActionKind::ExtendedBy(to),
                };
                (kind, Role::Reference)
            }
            _ => (ActionKind::Internal, Role::Effect),
        };
        Action { sentence: self.sentence(role), kind }
    }
}
