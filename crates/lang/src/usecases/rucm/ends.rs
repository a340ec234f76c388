//! What is told of a use case as a whole: what nothing leads to, how flows end, who includes itself.

use std::collections::BTreeSet;

use punctual_model::{
    FlowId, Id,
    usecases::{FlowKind, StepKind, StepRef, UseCase},
};

use super::{
    super::lints,
    build::Builder,
    dependency::Reference,
    fields::Kind,
    lines::{RawFlow, RawUseCase},
    reach,
};

const NO_CONDITION: &str = "a specific flow begins where `VALIDATES THAT` does not hold; a bounded one begins with IF at any step";

impl Builder<'_> {
    /// Says what nothing leads to, and which flows do not say how they end.
    pub(super) fn reach(&mut self, use_case: &UseCase, raws: &[&RawFlow]) {
        let reached = reach::reached(use_case);
        for (id, flow) in use_case.flows.enumerate() {
            let raw = raws[id.index()];
            self.reader().diagnostics.enter(raw.label());
            if !reached.begins(id) {
                let happens = |at: &StepRef| reached.steps[at.flow.index()][at.step.index()];
                let help = match &flow.kind {
                    FlowKind::Specific(at) if happens(at) => match &use_case.step(*at).kind {
                        StepKind::Validate(_) | StepKind::Branch(_) => {
                            "an earlier flow of the same step is always taken; let that one begin with IF"
                        }
                        _ => NO_CONDITION,
                    },
                    _ => "the steps that it refers to never happen",
                };
                self.error("rucm::unreachable", raw.span(), "nothing leads to this flow", help);
            } else {
                let mut was_reached = true;
                for (step, is_reached) in flow.steps.ids().zip(&reached.steps[id.index()]) {
                    let is_mark = matches!(flow.steps[step].kind, StepKind::Mark);
                    if !is_reached && was_reached && !is_mark {
                        let help =
                            "nothing follows ABORT and RESUME; a branch ends with ELSE or ENDIF";
                        let span = raw.steps[step.index()].text.span;
                        self.error("rucm::unreachable", span, "nothing leads to this step", help);
                    }
                    was_reached = *is_reached || (is_mark && was_reached);
                }
                if raw.kind != Kind::Basic && reached.ends[id.index()] {
                    let help = "write ABORT, or RESUME STEP and the step to go on with; without them, the use case ends";
                    let message = "an alternative flow does not say how it ends";
                    self.lint(&lints::R24, raw.span(), message, help);
                }
            }
            self.reader().diagnostics.leave();
        }
        let mut tried: Vec<StepRef> = Vec::new();
        tried.extend(use_case.flows.iter().filter_map(|flow| match flow.kind {
            FlowKind::Specific(at) => Some(at),
            _ => None,
        }));
        tried.sort();
        for (flow, it) in use_case.flows.enumerate() {
            for (step, at) in it.steps.enumerate() {
                let is_validated = matches!(at.kind, StepKind::Validate(_));
                if is_validated && tried.binary_search(&StepRef { flow, step }).is_err() {
                    let span = raws[flow.index()].steps[step.index()].text.span;
                    let help =
                        "write a specific alternative flow for the case that it does not hold";
                    let message = "VALIDATES THAT without an alternative flow";
                    self.lint(&lints::R22, span, message, help);
                }
            }
        }
    }

    /// Says which flows nothing leads to, whatever is meant by what is wrong elsewhere: specific flows of steps that are no condition.
    /// What was told before the use case was looked at does not count.
    pub(super) fn misplaced(&mut self, use_case: &UseCase, raws: &[&RawFlow], n_before: usize) {
        let steps = use_case.flows.iter().flat_map(|flow| &flow.steps);
        let resumed: BTreeSet<FlowId> = steps
            .filter_map(|step| match step.kind {
                StepKind::Resume(to) => Some(to.flow),
                _ => None,
            })
            .collect();
        let diagnostics = self.reader().diagnostics.iter().skip(n_before);
        let mut wrong: Vec<u32> =
            diagnostics.filter(|it| it.is_error()).map(|it| it.span.start).collect();
        wrong.sort_unstable();
        for (id, flow) in use_case.flows.enumerate() {
            let FlowKind::Specific(at) = flow.kind else { continue };
            // A step that is not understood may be meant as a condition.
            let span = raws[at.flow.index()].steps[at.step.index()].text.span;
            let first = wrong.partition_point(|it| *it < span.start);
            let is_wrong = wrong.get(first).is_some_and(|it| *it < span.end);
            let is_other = matches!(use_case.step(at).kind, StepKind::Act(_) | StepKind::Abort);
            let is_resumed = resumed.contains(&id);
            if is_other && !is_wrong && !is_resumed {
                let raw = raws[id.index()];
                self.reader().diagnostics.enter(raw.label());
                let message = "nothing leads to this flow";
                self.error("rucm::unreachable", raw.span(), message, NO_CONDITION);
                self.reader().diagnostics.leave();
            }
        }
    }

    /// Says which use cases include themselves.
    pub(super) fn circles(&mut self, raws: &[(usize, RawUseCase)]) {
        // 0: not seen, 1: on the way, 2: done.
        let mut seen = vec![0_u8; raws.len()];
        for root in 0..raws.len() {
            if seen[root] != 0 {
                continue;
            }
            seen[root] = 1;
            let mut way = vec![(root, 0)];
            while let Some((at, next)) = way.last_mut() {
                let here = *at;
                let Some(Reference { to, span, .. }) = self.references[here].get(*next).copied()
                else {
                    seen[here] = 2;
                    way.pop();
                    continue;
                };
                *next += 1;
                match seen[to.index()] {
                    0 => {
                        seen[to.index()] = 1;
                        way.push((to.index(), 0));
                    }
                    1 => {
                        self.file = raws[here].0;
                        let name = &raws[to.index()].1.name.text;
                        let message = format!("the use case `{name}` includes itself");
                        let from = way.iter().position(|(it, _)| *it == to.index()).unwrap_or(0);
                        let names =
                            way[from..].iter().map(|(it, _)| raws[*it].1.name.text.as_str());
                        let names: Vec<&str> = names.chain([name.as_str()]).take(8).collect();
                        let help = names.join(" → ");
                        self.error("rucm::include", span, message, &help);
                    }
                    _ => {}
                }
            }
        }
    }
}
