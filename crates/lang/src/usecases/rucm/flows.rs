//! Flows and their steps.

use punctual_model::{
    FlowId, Id, IdVec, SentenceId, UseCaseId,
    usecases::{Condition, Flow, FlowKind, Next, Role, Step, StepKind, StepRef},
};

use super::{
    super::lints,
    blocks,
    build::Builder,
    fields::Kind,
    lines::{RawFlow, RawUseCase},
    refs::Targets,
    sentence::{Classifier, Said},
    style,
};
use crate::Text;

impl Builder<'_> {
    pub(super) fn flow(
        &mut self,
        id: UseCaseId,
        raw: &RawFlow,
        targets: &Targets,
        actors: &[String],
        all: &[(usize, RawUseCase)],
    ) -> Flow {
        if raw.steps.is_empty() {
            let help = "write `1. The system …` below it";
            self.error("rucm::empty", raw.span(), "a flow without steps", help);
        }
        self.numbers(raw);
        let (kind, reference) = self.kind(raw, targets);
        let said: Vec<Said> = (raw.steps.iter())
            .map(|step| {
                let reader = &mut self.readers[self.file];
                Classifier { context: self.context, reader }.step(&step.text)
            })
            .collect();
        let is_alternative = raw.kind != Kind::Basic;
        let ways = blocks::resolve(&said, is_alternative);
        for (at, message, help) in &ways.wrong {
            self.error("rucm::block", raw.steps[*at].text.span, *message, help);
        }
        if ways.is_unended {
            let help = "write ENDIF as the last step";
            self.lint(&lints::R20, raw.span(), "IF without ENDIF", help);
        }
        let is_guarded = matches!(said.first(), Some(Said::If(_) | Said::Nothing) | None);
        if matches!(raw.kind, Kind::Bounded | Kind::Global) && !is_guarded {
            let help = "write `1. IF condition THEN` first: it says when the flow begins";
            let span = raw.steps[0].text.span;
            self.error("rucm::guard", span, "a bounded or global flow begins with IF", help);
        }
        if let (Kind::Basic, Some(at)) =
            (raw.kind, said.iter().position(|it| matches!(it, Said::If(_))))
        {
            let help = "use `VALIDATES THAT` and a specific alternative flow";
            let span = raw.steps[at].text.span;
            self.lint(&lints::R20, span, "IF in a basic flow", help);
        }
        let mut steps = IdVec::new();
        for (at, (step, said)) in raw.steps.iter().zip(said).enumerate() {
            let otherwise = ways.otherwise[at].unwrap_or(Next::End);
            let kind =
                self.step(id, &step.text, said, otherwise, (targets, reference), actors, all);
            let place = self.reader().place(step.text.span);
            steps.push(Step { number: step.number, place, kind, next: ways.next[at] });
        }
        let post = raw.postcondition.as_ref();
        if post.is_none_or(|post| post.text.trim().is_empty()) {
            let help = "write `Postcondition: …` below its steps";
            self.lint(&lints::R26, raw.span(), "a flow without a postcondition", help);
        }
        let postconditions =
            post.map(|it| self.several(it, Role::Postcondition)).unwrap_or_default();
        let place = self.reader().place(raw.span());
        Flow { title: raw.label(), kind, place, steps, postconditions }
    }

    /// Warns of numbers that are not in sequence.
    fn numbers(&mut self, raw: &RawFlow) {
        let mut expected = 1;
        for step in &raw.steps {
            if step.number != expected {
                let message = match step.number + 1 == expected {
                    true => format!("the number {} is used twice", step.number),
                    false => format!("step {} where {expected} is expected", step.number),
                };
                let help = "number steps in sequence from 1";
                self.lint(&lints::R2, step.text.span, message, help);
            }
            expected = step.number.saturating_add(1);
        }
    }

    /// Where a flow begins, and the flow that plain numbers in it speak of; none if there are several.
    fn kind(&mut self, raw: &RawFlow, targets: &Targets) -> (FlowKind, Option<FlowId>) {
        let basic = FlowId::from_index(0);
        // What stands for a flow that nobody knows the begin of.
        let unknown = (FlowKind::Global(basic), Some(basic));
        match (raw.kind, &raw.rfs) {
            (Kind::Basic, Some(rfs)) => {
                let help = "a use case begins with its basic flow: drop RFS";
                self.error("rucm::rfs", rfs.span, "RFS in a basic flow", help);
                (FlowKind::Basic, Some(basic))
            }
            (Kind::Basic, None) => (FlowKind::Basic, None),
            (Kind::Global, Some(rfs)) => {
                let help = "a global flow begins anywhere: drop RFS, or make it a bounded flow";
                self.error("rucm::rfs", rfs.span, "RFS in a global flow", help);
                unknown
            }
            (Kind::Global, None) => unknown,
            (_, None) => {
                let help = "write `RFS` and the step where it begins below the heading";
                self.error("rucm::rfs", raw.span(), "a flow without RFS", help);
                unknown
            }
            (kind, Some(rfs)) => {
                let steps = match targets.list(rfs, basic) {
                    Ok(steps) => steps,
                    Err(wrong) => {
                        self.reader().diagnostics.push(*wrong);
                        return unknown;
                    }
                };
                let flow = steps[0].flow;
                let reference = steps.iter().all(|it| it.flow == flow).then_some(flow);
                match (kind, steps.as_slice()) {
                    (Kind::Specific, [one]) => (FlowKind::Specific(*one), reference),
                    (Kind::Specific, _) => {
                        let help = "make it a bounded flow, or one flow for each step";
                        let message = "a specific flow with several steps";
                        self.error("rucm::rfs", rfs.span, message, help);
                        unknown
                    }
                    _ => (FlowKind::Bounded(steps), reference),
                }
            }
        }
    }

    #[expect(clippy::too_many_arguments, reason = "a step belongs to a flow and to a use case")]
    fn step(
        &mut self,
        id: UseCaseId,
        text: &Text,
        said: Said,
        otherwise: Next,
        (targets, reference): (&Targets, Option<FlowId>),
        actors: &[String],
        all: &[(usize, RawUseCase)],
    ) -> StepKind {
        let branch = |sentence: SentenceId, is_loop: bool| {
            StepKind::Branch(Condition { sentence, otherwise, is_loop })
        };
        match said {
            Said::Nothing | Said::Else | Said::EndIf | Said::Do => StepKind::Mark,
            Said::Abort => StepKind::Abort,
            Said::Validate(range) => {
                StepKind::Validate(self.sentence(text, range, Role::Condition))
            }
            Said::If(range) | Said::ElseIf(range) => {
                branch(self.sentence(text, range, Role::Condition), false)
            }
            Said::Until(range) => branch(self.sentence(text, range, Role::Condition), true),
            Said::Resume(range) => self
                .resume(&text.slice(range), targets, reference)
                .map_or(StepKind::Mark, StepKind::Resume),
            Said::Act(acts) => {
                for act in &acts {
                    let part = text.slice(act.range.clone());
                    style::action(self.context, &mut self.readers[self.file], &part);
                }
                let acts = acts.into_iter();
                StepKind::Act(acts.map(|act| self.act(id, text, act, actors, all)).collect())
            }
        }
    }

    fn resume(
        &mut self,
        text: &Text,
        targets: &Targets,
        reference: Option<FlowId>,
    ) -> Option<StepRef> {
        let is_plain = text.text.starts_with(|c: char| c.is_ascii_digit());
        let Some(usual) = reference.or((!is_plain).then_some(FlowId::from_index(0))) else {
            let help = "only an alternative flow returns to another one; it returns to the flow that RFS names, or to `SAFA-2` by name";
            let message = "there is no single flow that this number may belong to";
            self.error("rucm::reference", text.span, message, help);
            return None;
        };
        match targets.list(text, usual) {
            Ok(steps) if steps.len() == 1 => Some(steps[0]),
            Ok(_) => {
                let message = "RESUME goes on with one step";
                self.error("rucm::reference", text.span, message, "write `RESUME STEP 3`");
                None
            }
            Err(wrong) => {
                self.reader().diagnostics.push(*wrong);
                None
            }
        }
    }
}
