//! Use cases of all files to the model.

use std::ops::Range;

use punctual_model::{
    ClassId, Id, IdVec, SentenceId, UseCaseId,
    usecases::{Domain, Phrase, Role, Sentence, UseCase},
};
use rustc_hash::FxHashMap;

use super::{
    super::{
        lints,
        names::{Lexicon, is_camel_case, normal},
        sources::{Context, Reader},
    },
    dependency::Reference,
    fields::Kind,
    lines::{RawFlow, RawUseCase},
    refs::{Target, Targets},
    sentence::{is_system, sentences, trimmed, words},
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
        references: vec![Vec::new(); raws.len()],
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
    builder.dependencies(raws);
    builder.built
}

pub(super) struct Builder<'b> {
    pub(super) readers: &'b mut [Reader],
    pub(super) context: &'b Context,
    lexicon: &'b Lexicon,
    domain: &'b Domain,
    /// The file that is looked at.
    pub(super) file: usize,
    /// Use cases by the normal form of their names.
    pub(super) names: FxHashMap<String, UseCaseId>,
    /// How names were written first, by their normal form.
    spellings: FxHashMap<String, String>,
    /// For each use case, those that its steps name.
    pub(super) references: Vec<Vec<Reference>>,
    built: Built,
}

impl Builder<'_> {
    pub(super) fn reader(&mut self) -> &mut Reader {
        &mut self.readers[self.file]
    }

    pub(super) fn error(
        &mut self,
        code: &'static str,
        span: Span,
        message: impl Into<String>,
        help: &str,
    ) {
        let wrong = Diagnostic::error(code, span, message).help(help);
        self.reader().diagnostics.push(wrong);
    }

    pub(super) fn lint(
        &mut self,
        lint: &lints::Lint,
        span: Span,
        message: impl Into<String>,
        help: &str,
    ) {
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
        let n_before = self.reader().diagnostics.iter().count();
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
            generalization: raw
                .generalization
                .as_ref()
                .map(|it| it.text.clone())
                .filter(|it| is_said(it)),
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
        } else {
            self.misplaced(&use_case, &flows, n_before);
        }
        self.reader().diagnostics.leave();
        use_case
    }

    /// The sentences of a text that has any number of them.
    pub(super) fn several(&mut self, text: &Text, role: Role) -> Vec<SentenceId> {
        let all = sentences(&text.text);
        let all = all.into_iter().filter(|range| is_said(&text.text[range.clone()]));
        all.map(|range| self.sentence(text, range, role)).collect()
    }

    pub(super) fn sentence(&mut self, text: &Text, range: Range<usize>, role: Role) -> SentenceId {
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
    pub(super) fn mention(&mut self, text: &str, span: Span, is_known: bool) {
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

    pub(super) fn phrase(
        &mut self,
        text: &Text,
        range: Range<usize>,
        owner: Option<ClassId>,
    ) -> Phrase {
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
            if is_said(&text.text[range.clone()]) {
                found.push(self.phrase(text, range, None));
            }
        }
        found
    }
}

/// Whether a text says something, and not that there is nothing to say.
pub(super) fn is_said(text: &str) -> bool {
    let text = text.trim();
    let nothing = ["none", "n/a", "na", "-", "–", "nothing"];
    !text.is_empty() && !nothing.iter().any(|it| text.eq_ignore_ascii_case(it))
}
