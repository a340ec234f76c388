//! Use cases of all files to the model.

use std::ops::Range;

use punctual_model::{
    ClassId, FlowId, Id, IdVec, SentenceId, UseCaseId,
    usecases::{
        Action, ActionKind, Condition, Domain, Flow, FlowKind, Named, Next, Phrase, Role, Sentence,
        Step, StepKind, StepRef, UseCase,
    },
};
use rustc_hash::FxHashMap;

use super::{
    super::{
        lints,
        names::{Lexicon, is_camel_case, normal},
        sources::{Context, Reader},
    },
    blocks,
    lines::{Kind, RawFlow, RawUseCase},
    reach,
    refs::{Target, Targets},
    sentence::{Act, ActSaid, Classifier, Said, is_system, sentences, trimmed, words},
    style,
};
use crate::{Span, Text, diagnostic::Diagnostic};

/// What all files say.
pub(in super::super) struct Built {
    pub(in super::super) use_cases: IdVec<UseCaseId, UseCase>,
    pub(in super::super) sentences: IdVec<SentenceId, Sentence>,
    /// For each sentence, its file and its place.
    pub(in super::super) spans: Vec<(usize, Span)>,
    /// Names that the domain model lacks.
    pub(in super::super) lacking: Vec<Mention>,
}

/// A name in a text.
pub(in super::super) struct Mention {
    pub(in super::super) text: String,
    pub(in super::super) file: usize,
    pub(in super::super) span: Span,
}

/// Builds all use cases together; each comes with the file that it stands in.
pub(in super::super) fn build(
    readers: &mut [Reader],
    context: &Context,
    raws: &[(usize, RawUseCase)],
    (lexicon, domain): (&Lexicon, &Domain),
) -> Built {
    let mut builder = Builder {
        readers,
        context,
        lexicon,
        domain,
        file: 0,
        names: FxHashMap::default(),
        spellings: FxHashMap::default(),
        includes: vec![Vec::new(); raws.len()],
        built: Built {
            use_cases: IdVec::new(),
            sentences: IdVec::new(),
            spans: Vec::new(),
            lacking: Vec::new(),
        },
    };
    builder.names(raws);
    for (at, (file, raw)) in raws.iter().enumerate() {
        builder.file = *file;
        let use_case = builder.use_case(UseCaseId::from_index(at), raw, raws);
        builder.built.use_cases.push(use_case);
    }
    builder.circles(raws);
    builder.built
}

struct Builder<'b> {
    readers: &'b mut [Reader],
    context: &'b Context,
    lexicon: &'b Lexicon,
    domain: &'b Domain,
    /// The file that is looked at.
    file: usize,
    /// Use cases by the normal form of their names.
    names: FxHashMap<String, UseCaseId>,
    /// How names were written first, by their normal form.
    spellings: FxHashMap<String, String>,
    /// For each use case, those that it includes, and where.
    includes: Vec<Vec<(UseCaseId, Span)>>,
    built: Built,
}

impl Builder<'_> {
    fn reader(&mut self) -> &mut Reader {
        &mut self.readers[self.file]
    }

    fn error(&mut self, code: &'static str, span: Span, message: impl Into<String>, help: &str) {
        let wrong = Diagnostic::error(code, span, message).help(help);
        self.reader().diagnostics.push(wrong);
    }

    fn lint(&mut self, lint: &lints::Lint, span: Span, message: impl Into<String>, help: &str) {
        let context = self.context;
        context.lint(&mut self.reader().diagnostics, lint, span, message, help);
    }

    fn names(&mut self, raws: &[(usize, RawUseCase)]) {
        for (at, (file, raw)) in raws.iter().enumerate() {
            self.file = *file;
            let id = UseCaseId::from_index(at);
            if let Some(first) = self.names.get(&normal(&raw.name.text)).copied() {
                let (file, earlier) = &raws[first.index()];
                let place = self.readers[*file].place(earlier.name.span);
                let name = &self.readers[*file].file.name;
                let help = format!("the other one is in line {} of {name}", place.line);
                let message = format!("there are two use cases `{}`", raw.name.text);
                self.error("rucm::twice", raw.name.span, message, &help);
            } else {
                self.names.insert(normal(&raw.name.text), id);
            }
        }
    }

    fn use_case(
        &mut self,
        id: UseCaseId,
        raw: &RawUseCase,
        all: &[(usize, RawUseCase)],
    ) -> UseCase {
        self.reader().diagnostics.enter(format!("use case {}", raw.name.text));
        let n_errors = self.reader().diagnostics.error_count();
        let preconditions = self.several(&raw.preconditions, Role::Precondition);
        let primary_actor = raw.primary_actor.as_ref().and_then(|it| self.actors(it).pop());
        let secondary = raw.secondary_actors.as_ref();
        let secondary_actors = secondary.map(|it| self.actors(it)).unwrap_or_default();
        let mut flows: Vec<&RawFlow> = raw.flows.iter().collect();
        flows.sort_by_key(|flow| flow.kind != Kind::Basic);
        let n_basic = flows.iter().filter(|flow| flow.kind == Kind::Basic).count();
        if n_basic == 0 {
            let help = "write `### Basic Flow` and its steps";
            let message = format!("the use case `{}` has no basic flow", raw.name.text);
            self.error("rucm::basic", raw.name.span, message, help);
        } else if n_basic > 1 {
            let help = "all other flows are specific, bounded or global alternative flows";
            self.error("rucm::basic", flows[1].span(), "a second basic flow", help);
        }
        let targets = Targets { flows: flows.iter().map(|flow| Target::new(flow)).collect() };
        let mut actors: Vec<String> = secondary_actors.iter().map(|it| normal(&it.text)).collect();
        actors.extend(primary_actor.iter().map(|it| normal(&it.text)));
        let place = self.reader().place(raw.name.span);
        let mut use_case = UseCase {
            name: raw.name.text.trim_end_matches('.').to_owned(),
            place,
            description: raw.description.text.clone(),
            preconditions,
            primary_actor,
            secondary_actors,
            generalization: raw.generalization.as_ref().map(|it| it.text.clone()).filter(is_said),
            flows: IdVec::new(),
        };
        for flow in &flows {
            self.reader().diagnostics.enter(flow.label());
            let flow = self.flow(id, flow, &targets, &actors, all);
            use_case.flows.push(flow);
            self.reader().diagnostics.leave();
        }
        if self.reader().diagnostics.error_count() == n_errors {
            self.reach(&use_case, &flows);
        }
        self.reader().diagnostics.leave();
        use_case
    }

    /// The sentences of a text that has any number of them.
    fn several(&mut self, text: &Text, role: Role) -> Vec<SentenceId> {
        let all = sentences(&text.text);
        let all = all.into_iter().filter(|range| is_said(&text.text[range.clone()].to_owned()));
        all.map(|range| self.sentence(text, range, role)).collect()
    }

    fn sentence(&mut self, text: &Text, range: Range<usize>, role: Role) -> SentenceId {
        let part = text.slice(range.clone());
        style::sentence(self.context, &mut self.readers[self.file], &part);
        if role.needs_constraint() {
            for word in words(&part.text, 0..part.text.len()) {
                if is_camel_case(word.text) {
                    let span = part.locate(word.range.clone());
                    self.mention(word.text, span, self.lexicon.knows(word.text));
                }
            }
        }
        let said = part.text.split_whitespace().collect::<Vec<_>>().join(" ");
        let place = self.reader().place(part.span);
        self.built.spans.push((self.file, part.span));
        self.built.sentences.push(Sentence {
            text: said,
            place,
            role,
            constraints: Vec::new(),
            is_open: role.needs_constraint(),
        })
    }

    /// A name that the text has.
    fn mention(&mut self, text: &str, span: Span, is_known: bool) {
        let spelling = words(text, 0..text.len());
        let articles = ["the", "a", "an", "each", "every", "all"];
        let spelling = spelling.iter().skip_while(|word| word.is_any(&articles));
        let spelling = spelling.map(|word| word.text.to_lowercase()).collect::<Vec<_>>().join(" ");
        let first = self.spellings.entry(normal(text)).or_insert_with(|| spelling.clone()).clone();
        if first != spelling {
            let message = format!("`{text}` is written in another way than before");
            let help = "write the name of a thing always the same, best as the domain model has it";
            self.lint(&lints::R9, span, message, help);
        }
        if !is_known {
            let (text, file) = (text.to_owned(), self.file);
            self.built.lacking.push(Mention { text, file, span });
        }
    }

    fn phrase(&mut self, text: &Text, range: Range<usize>, owner: Option<ClassId>) -> Phrase {
        let said = &text.text[range.clone()];
        let meanings = self.lexicon.meanings(said, owner, self.domain);
        if !is_system(said) {
            let is_known = !meanings.is_empty() || self.lexicon.knows(said);
            self.mention(said, text.locate(range.clone()), is_known);
        }
        Phrase { text: said.split_whitespace().collect::<Vec<_>>().join(" "), meanings }
    }

    /// The actors of a list.
    fn actors(&mut self, text: &Text) -> Vec<Phrase> {
        let mut found = Vec::new();
        let mut start = 0;
        for item in text.text.split_inclusive([',', ';']) {
            let range = trimmed(&text.text, start..start + item.len());
            start += item.len();
            if is_said(&text.text[range.clone()].to_owned()) {
                found.push(self.phrase(text, range, None));
            }
        }
        found
    }

    fn flow(
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
                        self.reader().diagnostics.push(wrong);
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
                style::action(self.context, &mut self.readers[self.file], text);
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
                self.reader().diagnostics.push(wrong);
                None
            }
        }
    }

    fn act(
        &mut self,
        id: UseCaseId,
        text: &Text,
        act: Act,
        actors: &[String],
        all: &[(usize, RawUseCase)],
    ) -> Action {
        let (kind, role) = match act.kind {
            ActSaid::Include(name) => (self.include(id, text, name, all), Role::Reference),
            ActSaid::ExtendedBy(name) => match self.include(id, text, name, all) {
                ActionKind::Include(to) => (ActionKind::ExtendedBy(to), Role::Reference),
                other => (other, Role::Reference),
            },
            ActSaid::Exchange { giver, data, taker } => self.exchange(text, giver, data, taker),
            ActSaid::Plain => self.plain(text, act.range.clone(), actors),
        };
        Action { sentence: self.sentence(text, act.range, role), kind }
    }

    fn include(
        &mut self,
        id: UseCaseId,
        text: &Text,
        name: Range<usize>,
        all: &[(usize, RawUseCase)],
    ) -> ActionKind {
        let said = &text.text[name.clone()];
        let span = text.locate(name.clone());
        match self.names.get(&normal(said)).copied() {
            Some(to) => {
                self.includes[id.index()].push((to, span));
                ActionKind::Include(to)
            }
            None => {
                let names = all.iter().map(|(_, raw)| raw.name.text.as_str());
                let help = self.context.hints.help(said, names);
                let help = help.unwrap_or_else(|| "no file of the folder has it".to_owned());
                let message = format!("there is no use case `{said}`");
                self.error("rucm::include", span, message, &help);
                ActionKind::Internal
            }
        }
    }

    fn exchange(
        &mut self,
        text: &Text,
        giver: Range<usize>,
        data: Range<usize>,
        taker: Range<usize>,
    ) -> (ActionKind, Role) {
        let ours = [&giver, &taker].map(|it| is_system(&text.text[(*it).clone()]));
        let owner = |phrase: &Phrase| match phrase.meanings.first() {
            Some(Named::Class(class)) => Some(*class),
            _ => None,
        };
        match ours {
            [false, true] => {
                let actor = self.phrase(text, giver, None);
                let data = self.phrase(text, data, owner(&actor));
                (ActionKind::Input { actor, data: Some(data) }, Role::Input)
            }
            [true, false] => {
                let actor = self.phrase(text, taker, None);
                let data = self.phrase(text, data, owner(&actor));
                (ActionKind::Output { actor, data }, Role::Output)
            }
            [true, true] => (ActionKind::Internal, Role::Effect),
            [false, false] => {
                let help = "the system takes part in each step";
                self.lint(&lints::R3, text.span, "an actor acts on another actor", help);
                (ActionKind::Internal, Role::Effect)
            }
        }
    }

    /// A sentence without a keyword.
    fn plain(&mut self, text: &Text, range: Range<usize>, actors: &[String]) -> (ActionKind, Role) {
        let all = words(&text.text, range.clone());
        let is_ours = |n: usize| {
            all.get(n - 1).is_some_and(|it| is_system(&text.text[range.start..it.range.end]))
        };
        if is_ours(1) || is_ours(2) {
            return (ActionKind::Internal, Role::Effect);
        }
        // An actor may have a name of several words.
        let actor = (1..=all.len().min(6)).find_map(|n| {
            let subject = range.start..all[n - 1].range.end;
            actors.contains(&normal(&text.text[subject.clone()])).then_some(subject)
        });
        let span = text.locate(range);
        match actor {
            Some(subject) => {
                let help = "write `X SENDS data TO the system`";
                let message = "an actor acts, and what the system receives is not named";
                self.lint(&lints::R7, span, message, help);
                let actor = self.phrase(text, subject, None);
                (ActionKind::Input { actor, data: None }, Role::Input)
            }
            None => {
                let help = "begin with `The system`, or with an actor that the use case names";
                let message = "the subject is neither the system nor an actor";
                self.lint(&lints::R1, span, message, help);
                (ActionKind::Internal, Role::Effect)
            }
        }
    }

    /// Says what nothing leads to, and which flows do not say how they end.
    fn reach(&mut self, use_case: &UseCase, raws: &[&RawFlow]) {
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
                        _ => {
                            "a specific flow begins where `VALIDATES THAT` does not hold; a bounded one begins with IF at any step"
                        }
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

    /// Says which use cases include themselves.
    fn circles(&mut self, raws: &[(usize, RawUseCase)]) {
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
                let Some((to, span)) = self.includes[here].get(*next).copied() else {
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
                        let help = format!("{}", names.join(" → "));
                        self.error("rucm::include", span, message, &help);
                    }
                    _ => {}
                }
            }
        }
    }
}

/// Whether a text says something, and not that there is nothing to say.
fn is_said(text: &String) -> bool {
    let text = text.trim();
    let nothing = ["none", "n/a", "na", "-", "–", "nothing"];
    !text.is_empty() && !nothing.iter().any(|it| text.eq_ignore_ascii_case(it))
}
