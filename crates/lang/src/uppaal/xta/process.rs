//! Processes: their locations and edges.

use rustc_hash::FxHashMap;

use super::is_name;
use super::read::{Brackets, Reader};
use crate::diagnostic::{Diagnostic, closest};
use crate::document::{Branchpoint, Edge, Label, LabelKind, Location, Template};
use crate::uppaal::lexer::TokenKind;
use crate::{Span, Text, requirements};

/// The words that start the sections of a process.
const SECTIONS: [&str; 5] = ["state", "branchpoint", "commit", "init", "trans"];

/// The words that start the labels of an edge.
const LABELS: [(&str, LabelKind); 5] = [
    ("select", LabelKind::Select),
    ("guard", LabelKind::Guard),
    ("sync", LabelKind::Synchronisation),
    ("assign", LabelKind::Assignment),
    ("probability", LabelKind::Probability),
];

impl Reader<'_> {
    /// Reads a process, from its key word to behind its closing brace.
    pub(super) fn process(&mut self) -> Template {
        let start = self.span();
        self.at += 1;
        self.is_unclosed = false;
        let mut template = Template::default();
        if let Some(name) = self.name("behind `process`") {
            template.name = name;
        }
        self.diagnostics.enter(format!("process {}", template.name.text));
        if self.eat(TokenKind::LeftParen) {
            let from = self.end();
            self.skip_until(|kind| kind == TokenKind::LeftBrace);
            template.parameters = self.cut(from..self.start()).trimmed();
            self.expect(TokenKind::RightParen, "behind the parameters");
        }
        let opened = self.span();
        if self.expect(TokenKind::LeftBrace, "before the body of the process") {
            self.body(&mut template);
            if !self.eat(TokenKind::RightBrace) {
                self.unclosed("this process", opened, "its body starts here");
                while !self.is_end() && self.word() != "process" && self.word() != "system" {
                    self.at += 1;
                }
            }
        } else {
            self.skip_until(|kind| kind == TokenKind::Semicolon);
            self.at += usize::from(!self.is_end());
        }
        self.diagnostics.leave();
        template.span = start.to(self.text.locate(self.end()..self.end()));
        template
    }

    /// Reads the name of a process or a location.
    fn name(&mut self, place: &str) -> Option<Text> {
        let word = self.word();
        let is_listed = matches!(
            self.kind(1),
            TokenKind::Comma
                | TokenKind::Semicolon
                | TokenKind::LeftBrace
                | TokenKind::LeftParen
                | TokenKind::Arrow
                | TokenKind::UncontrollableArrow
        );
        // A foreign letter was reported by the lexer; the name is clear all the same.
        let is_keyword = word.is_ascii() && !is_name(word);
        if self.kind(0) != TokenKind::Word || (is_keyword && !is_listed) {
            self.expected("a name", place);
            return None;
        }
        if is_keyword {
            let message = format!("expected a name {place}, found the keyword `{word}`");
            self.report(
                Diagnostic::error("xta::keyword_as_name", self.span(), message)
                    .help(format!("choose another name, such as `{word}_`")),
            );
        }
        self.at += 1;
        Some(self.text.slice(self.end() - word.len()..self.end()))
    }

    /// Whether a section of a process starts here. `urgent` also starts declarations of channels.
    fn is_section(&self) -> bool {
        match self.word() {
            "urgent" => {
                let is_list = |kind| matches!(kind, TokenKind::Comma | TokenKind::Semicolon);
                self.kind(1) == TokenKind::Word && is_list(self.kind(2))
            }
            word => SECTIONS.contains(&word),
        }
    }

    fn body(&mut self, template: &mut Template) {
        let from = self.end();
        let mut brackets = Brackets::default();
        while !self.is_end() && !self.is_boundary() {
            if (brackets.is_empty() && self.is_section()) || !brackets.pass(self.kind(0)) {
                break;
            }
            self.at += 1;
        }
        template.declarations = self.cut(from..self.start()).trimmed();
        let mut flags = Vec::new();
        while !self.is_end() && self.kind(0) != TokenKind::RightBrace {
            let word = self.word();
            match word {
                "process" | "system" => break,
                "state" => self.list("state", |reader| reader.location(template)),
                "branchpoint" => self.list("branchpoint", |reader| {
                    let name = reader.name("in the list of branchpoints")?;
                    let (id, span) = (name.text, name.span);
                    template.branchpoints.push(Branchpoint { id, at: None, span });
                    Some(())
                }),
                "commit" | "urgent" => {
                    self.list(word, |reader| {
                        let name = reader.name(&format!("behind `{word}`"))?;
                        flags.push((name, word));
                        Some(())
                    });
                }
                "init" => self.list("init", |reader| {
                    let name = reader.name("behind `init`")?;
                    if template.init.is_some() {
                        reader.report(
                            Diagnostic::error(
                                "xta::second_init",
                                name.span,
                                "a process starts in one location only",
                            )
                            .help("keep one `init`"),
                        );
                    }
                    template.init = Some((name.text, name.span));
                    Some(())
                }),
                "trans" => {
                    let mut source = None;
                    self.list("trans", |reader| reader.edge(template, &mut source));
                }
                _ => self.no_section(word),
            }
        }
        self.flags(template, &flags);
    }

    /// Something that starts no section: it is reported and left out.
    fn no_section(&mut self, word: &str) {
        let known = SECTIONS.into_iter().chain(["urgent"]);
        let help = match closest(word, known) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "declarations stand before `state`; then come `branchpoint`, `commit`, \
                     `urgent`, `init` and `trans`"
                .to_owned(),
        };
        if self.kind(0) != TokenKind::Unknown {
            let span = self.span();
            self.report(
                Diagnostic::error("xta::no_section", span, "no section of a process starts here")
                    .help(help),
            );
        }
        self.at += 1;
        self.skip_until(|kind| kind == TokenKind::Semicolon);
        self.eat(TokenKind::Semicolon);
    }

    /// Reads a word, a list with commas, and a semicolon. What can not be read is skipped.
    fn list(&mut self, word: &str, mut entry: impl FnMut(&mut Self) -> Option<()>) {
        let is_stop = |kind| matches!(kind, TokenKind::Comma | TokenKind::Semicolon);
        self.at += 1;
        loop {
            let before = self.at;
            if entry(self).is_none() {
                self.skip_until(is_stop);
            }
            match self.kind(0) {
                TokenKind::Comma => self.at += 1,
                TokenKind::Semicolon => {
                    self.at += 1;
                    return;
                }
                // The next section, or the end: only the semicolon was forgotten.
                TokenKind::RightBrace | TokenKind::End => {
                    return self.expected("`;`", &format!("at the end of `{word}`"));
                }
                _ if self.is_section() || self.is_boundary() => {
                    return self.expected("`;`", &format!("at the end of `{word}`"));
                }
                _ => {
                    self.expected("`,` or `;`", &format!("in the list of `{word}`"));
                    self.skip_until(is_stop);
                    if self.at == before {
                        self.at += 1;
                    }
                    self.eat(TokenKind::Comma);
                    if self.eat(TokenKind::Semicolon) {
                        return;
                    }
                    let is_end = matches!(self.kind(0), TokenKind::RightBrace | TokenKind::End);
                    if is_end || self.is_boundary() {
                        return;
                    }
                }
            }
        }
    }

    /// `name`, `name { invariant }` or `name { invariant; rate }`.
    fn location(&mut self, template: &mut Template) -> Option<()> {
        let start = self.start();
        let name = self.name("in the list of locations")?;
        let mut labels = Vec::new();
        if self.eat(TokenKind::LeftBrace) {
            let opened = self.end() - 1;
            for kind in [LabelKind::Invariant, LabelKind::ExponentialRate] {
                let text = self.label_text();
                if !text.is_blank() {
                    labels.push(Label { kind, text, at: None });
                }
                if !self.eat(TokenKind::Semicolon) {
                    break;
                }
            }
            if !self.eat(TokenKind::RightBrace) {
                let opened = self.text.locate(opened..opened + 1);
                if self.is_end() || self.is_boundary() {
                    self.unclosed("this location", opened, "its invariant starts here");
                } else {
                    self.report(
                        Diagnostic::error("xta::not_closed", self.span(), "expected `}` here")
                            .also(opened, "to close this")
                            .help("a location looks like `name { invariant; rate }`"),
                    );
                    self.skip_until(|kind| kind == TokenKind::RightBrace);
                    self.eat(TokenKind::RightBrace);
                }
            }
        }
        let span = self.text.locate(start..self.end());
        let id = name.text.clone();
        template.locations.push(Location { id, name, labels, span, ..Location::default() });
        Some(())
    }

    /// The text up to the next semicolon or closing brace.
    fn label_text(&mut self) -> Text {
        let from = self.end();
        let mut brackets = Brackets::default();
        while !self.is_end() && !self.is_boundary() {
            let kind = self.kind(0);
            let ends = kind == TokenKind::Semicolon && brackets.no_braces();
            if ends || (!brackets.pass(kind) && kind == TokenKind::RightBrace) {
                break;
            }
            self.at += 1;
        }
        self.cut(from..self.start()).trimmed()
    }

    /// Marks the locations of the lists `commit` and `urgent`.
    fn flags(&mut self, template: &mut Template, flags: &[(Text, &str)]) {
        let locations = template.locations.iter().enumerate();
        let by_name: FxHashMap<String, usize> =
            locations.map(|(index, location)| (location.id.clone(), index)).collect();
        for (name, word) in flags {
            match by_name.get(&name.text) {
                Some(&index) if *word == "urgent" => template.locations[index].urgent = true,
                Some(&index) => template.locations[index].committed = true,
                None => {
                    let known = template.locations.iter().map(|location| location.id.as_str());
                    let near = closest(&name.text, known);
                    self.report(
                        Diagnostic::error(
                            "xta::unknown_location",
                            name.span,
                            format!("the location `{}` is not in this process", name.text),
                        )
                        .help(match near {
                            Some(near) => format!("did you mean `{near}`?"),
                            None => "list it in `state`".to_owned(),
                        }),
                    );
                }
            }
        }
    }

    /// `source -> target { labels }`; without a source it is that of the edge before.
    fn edge(
        &mut self,
        template: &mut Template,
        previous: &mut Option<(String, Span)>,
    ) -> Option<()> {
        let start = self.start();
        let is_arrow = |kind| matches!(kind, TokenKind::Arrow | TokenKind::UncontrollableArrow);
        if !is_arrow(self.kind(0)) {
            let name = self.name("as the source of an edge")?;
            *previous = Some((name.text, name.span));
        }
        if !is_arrow(self.kind(0)) {
            self.expected("`->`", "behind the source of an edge");
            return None;
        }
        let Some(source) = previous.clone() else {
            self.report(
                Diagnostic::error("xta::no_source", self.span(), "the first edge has no source")
                    .help("write `source -> target { … }`"),
            );
            return None;
        };
        let controllable = self.kind(0) == TokenKind::Arrow;
        self.at += 1;
        let target = self.name("as the target of an edge")?;
        let target = (target.text, target.span);
        self.diagnostics.enter(format!("edge {} → {}", source.0, target.0));
        let braces = self.start();
        let mut labels = self.labels();
        // Of the comments of an edge, the one that names a requirement means something.
        let inside = self.text.text.get(braces..self.end()).unwrap_or_default();
        if let Some(range) = requirements::naming(inside) {
            let text = self.text.slice(braces + range.start..braces + range.end).trimmed();
            labels.push(Label { kind: LabelKind::Comments, text, at: None });
        }
        self.diagnostics.leave();
        template.edges.push(Edge {
            source,
            target,
            controllable,
            colour: None,
            action: None,
            id: None,
            labels,
            nails: Vec::new(),
            span: self.text.locate(start..self.end()),
        });
        Some(())
    }

    fn labels(&mut self) -> Vec<Label> {
        let mut labels: Vec<Label> = Vec::new();
        let opened = self.span();
        if !self.expect(TokenKind::LeftBrace, "with the labels of an edge") {
            return labels;
        }
        while !self.is_end() && !self.is_boundary() && self.kind(0) != TokenKind::RightBrace {
            let word = self.word();
            let span = self.span();
            if let Some((_, kind)) = LABELS.iter().find(|(name, _)| *name == word) {
                self.at += 1;
                let text = self.label_text();
                if labels.iter().any(|label| label.kind == *kind) {
                    self.report(
                        Diagnostic::error(
                            "xta::second_label",
                            span,
                            format!("this edge has a second `{word}`"),
                        )
                        .help("make one of the two"),
                    );
                }
                labels.push(Label { kind: kind.clone(), text, at: None });
            } else {
                let near = match word {
                    "synchronisation" | "synchronization" => Some("sync"),
                    "assignment" | "update" => Some("assign"),
                    _ => closest(word, LABELS.iter().map(|(name, _)| *name)),
                };
                let help = match near {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => "an edge has `select`, `guard`, `sync`, `assign` and `probability`, \
                             each with a `;` behind it"
                        .to_owned(),
                };
                if self.kind(0) != TokenKind::Unknown {
                    self.report(
                        Diagnostic::error("xta::no_label", span, "no label starts here").help(help),
                    );
                }
                self.at += 1;
                self.skip_until(|kind| kind == TokenKind::Semicolon);
            }
            if self.is_boundary() || self.is_end() {
                break;
            }
            if !self.eat(TokenKind::Semicolon) {
                self.expected("`;`", "at the end of a label");
                self.at += usize::from(self.kind(0) != TokenKind::RightBrace);
            }
        }
        if !self.eat(TokenKind::RightBrace) {
            self.unclosed("this edge", opened, "its labels start here");
        }
        labels
    }
}
