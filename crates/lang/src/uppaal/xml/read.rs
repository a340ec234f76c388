//! From XML to a [`Document`].

use rustc_hash::FxHashMap;

use super::check;
use super::scan::{Event, Scanner, Tag};
use crate::diagnostic::{Diagnostic, Diagnostics, Severity, closest};
use crate::document::{
    Branchpoint, Document, Edge, Label, LabelKind, Location, Outcome, Point, Query, Template,
};
use crate::{SourceFile, Span, Text};

/// Reads a file. There is a document if the file is UPPAAL's at all; whether it can be used, the
/// diagnostics say.
pub fn read(file: &SourceFile, diagnostics: &mut Diagnostics) -> Option<Document> {
    let mut reader = Reader {
        source: &file.text,
        scan: Scanner::new(&file.text),
        diagnostics,
        template: String::new(),
        n_reported: [0; 2],
    };
    reader.forbidden_characters();
    let document = reader.file();
    reader.flush(String::new);
    document
}

/// More warnings, or errors, about how a file is built are not reported.
const REPORTS_MAX: usize = 200;

/// Where an id of a template is defined.
pub(super) struct Definition {
    /// The attribute.
    pub(super) span: Span,
    /// The index of the location; none for a branchpoint.
    pub(super) location: Option<usize>,
}

/// What is defined in a template, by id.
pub(super) type Ids = FxHashMap<String, Definition>;

pub(super) struct Reader<'a, 'd> {
    source: &'a str,
    scan: Scanner<'a>,
    pub(super) diagnostics: &'d mut Diagnostics,
    /// The context of what is read: the template, if its name is known.
    template: String,
    /// How many warnings and errors were reported.
    n_reported: [usize; 2],
}

impl<'a> Reader<'a, '_> {
    /// Hands over what the scanner found, in the context of a place inside the template.
    fn flush(&mut self, place: impl FnOnce() -> String) {
        if self.scan.pending.is_empty() {
            return;
        }
        let place = place();
        for mut diagnostic in std::mem::take(&mut self.scan.pending) {
            diagnostic.context = self.context(&place);
            self.diagnostics.push(diagnostic);
        }
    }

    fn context(&self, place: &str) -> String {
        match (self.template.as_str(), place) {
            ("", place) => place.to_owned(),
            (template, "") => format!("template {template}"),
            (template, place) => format!("template {template}, {place}"),
        }
    }

    /// Reports in the context of the template. Many of a kind are the fault of a tool that wrote
    /// the file: the first ones show it.
    pub(super) fn report(&mut self, mut diagnostic: Diagnostic) {
        let n_reported = &mut self.n_reported[usize::from(diagnostic.severity == Severity::Error)];
        *n_reported += 1;
        if *n_reported > REPORTS_MAX {
            return;
        }
        if diagnostic.context.is_empty() {
            diagnostic.context = self.context("");
        }
        self.diagnostics.push(diagnostic);
    }

    /// XML has no place for control characters, not even as entities.
    fn forbidden_characters(&mut self) {
        let forbidden = |byte: u8| byte < 0x20 && !matches!(byte, b'\t' | b'\n' | b'\r');
        if let Some(at) = self.source.bytes().position(forbidden) {
            let byte = self.source.as_bytes()[at];
            self.report(
                Diagnostic::error(
                    "xml::control_character",
                    Span::new(at, at + 1),
                    format!("the control character {byte:#04x} is not allowed in XML"),
                )
                .help("delete it"),
            );
        }
    }

    fn file(&mut self) -> Option<Document> {
        let mut document = None;
        loop {
            match self.scan.next() {
                Event::Open(tag) if document.is_some() => {
                    let span = tag.span;
                    self.skip();
                    self.report(
                        Diagnostic::error(
                            "xml::second_root",
                            span,
                            format!("`<{}>` stands behind the end of the model", tag.name),
                        )
                        .help("a file holds one `<nta>`"),
                    );
                }
                Event::Open(tag) if matches!(tag.name, "nta" | "project") => {
                    self.flush(String::new);
                    document = Some(self.nta(&tag));
                }
                Event::Open(tag) => {
                    self.report(not_uppaal(&tag));
                    self.scan.pending.clear();
                    return None;
                }
                Event::Characters(range) | Event::Verbatim(range) => {
                    self.stray(range, "");
                }
                Event::Close => {}
                Event::End => break,
            }
        }
        if document.is_none() && !self.diagnostics.has_errors() && self.scan.pending.is_empty() {
            let start = Span::first_of(self.source);
            self.report(
                Diagnostic::error("xml::empty", start, "the file holds no model")
                    .help("a model starts with `<nta>`"),
            );
        }
        document
    }

    /// Runs `each` for the elements inside the one that was just opened, up to its end. It must
    /// read each of them to its end.
    fn children(&mut self, parent: &str, mut each: impl FnMut(&mut Self, Tag<'a>)) {
        loop {
            match self.scan.next() {
                Event::Open(tag) => each(self, tag),
                Event::Close | Event::End => return,
                Event::Characters(range) | Event::Verbatim(range) => {
                    self.stray(range, parent);
                }
            }
        }
    }

    /// Reads over the element that was just opened.
    fn skip(&mut self) {
        let depth = self.scan.depth();
        while self.scan.depth() >= depth {
            if let Event::End = self.scan.next() {
                return;
            }
        }
    }

    /// Text where no text belongs: directly inside an element, or outside of all.
    fn stray(&mut self, range: std::ops::Range<usize>, parent: &str) {
        let raw = &self.source[range.clone()];
        // After a repair, pieces of text stand everywhere: the repair was already reported.
        if !raw.trim().is_empty() && self.scan.pending.is_empty() {
            let start = range.start + raw.len() - raw.trim_start().len();
            let span = Span::new(start, start + raw.trim().len());
            let place = match parent {
                "" => "outside of `<nta>`".to_owned(),
                _ => format!("directly inside `<{parent}>`"),
            };
            self.report(
                Diagnostic::warning(
                    "xml::stray_text",
                    span,
                    format!("text {place} has no meaning and is ignored"),
                )
                .help("delete it, or move it into a `<declaration>` or a `<label>`"),
            );
        }
    }

    fn unknown(&mut self, tag: &Tag<'a>, parent: &str, known: &[&str]) {
        let near = closest(tag.name, known.iter().copied());
        self.report(
            Diagnostic::warning(
                "xml::unknown_element",
                tag.span,
                format!("`<{}>` means nothing inside `<{parent}>` and is ignored", tag.name),
            )
            .maybe_help(near.map(|near| format!("did you mean `<{near}>`?"))),
        );
        self.skip();
    }

    /// The text of the element that was just opened.
    fn text(&mut self, tag: &Tag<'a>) -> Text {
        let start = tag.span.end;
        let mut text = Text { span: Span { start, end: start }, ..Text::default() };
        let mut end = start;
        loop {
            match self.scan.next() {
                Event::Characters(range) => {
                    end = range.end as u32;
                    self.scan.decode(range, false, &mut text);
                }
                Event::Verbatim(range) => {
                    end = range.end as u32;
                    self.scan.decode(range, true, &mut text);
                }
                Event::Open(_) => self.skip(),
                Event::Close | Event::End => break,
            }
        }
        text.span.end = end.max(text.span.end);
        text
    }

    fn point(&mut self, tag: &Tag<'a>) -> Option<Point> {
        let x = self.coordinate(tag, "x");
        let y = self.coordinate(tag, "y");
        match (x, y) {
            (None, None) => None,
            (x, y) => Some(Point { x: x.unwrap_or(0), y: y.unwrap_or(0) }),
        }
    }

    fn coordinate(&mut self, tag: &Tag<'a>, name: &str) -> Option<i32> {
        let (value, span) = self.scan.attribute(tag, name)?;
        let number = value.trim().parse().ok().or_else(|| {
            let number: f64 = value.trim().parse().ok()?;
            (number.abs() < 1e9).then(|| number.round() as i32)
        });
        if number.is_none() {
            self.report(
                Diagnostic::warning(
                    "xml::bad_coordinate",
                    span,
                    format!("`{value}` is not a coordinate and is ignored"),
                )
                .help("coordinates are whole numbers"),
            );
        }
        number
    }

    fn nta(&mut self, root: &Tag<'a>) -> Document {
        let mut document = Document::default();
        let (mut declaration, mut system) = (None, None);
        let known = ["declaration", "template", "lsc", "instantiation", "system", "queries"];
        self.children(root.name, |reader, tag| match tag.name {
            "declaration" => {
                let text = reader.text(&tag);
                reader.flush(|| "declarations".to_owned());
                reader.once(&mut declaration, &tag);
                document.declarations.append(&text);
            }
            "template" => {
                let template = reader.template(&tag);
                document.templates.push(template);
            }
            "lsc" => {
                let start = tag.span.start as usize;
                reader.skip();
                let raw = &reader.source[start..reader.scan.position()];
                document.charts.push(Text::verbatim(raw, start));
            }
            "instantiation" => {
                let text = reader.text(&tag);
                reader.flush(|| "instantiations".to_owned());
                document.instantiation.get_or_insert_with(Text::default).append(&text);
            }
            "system" => {
                let text = reader.text(&tag);
                reader.flush(|| "system".to_owned());
                reader.once(&mut system, &tag);
                document.system.append(&text);
            }
            "queries" => reader.queries(&mut document),
            "imports" => reader.skip(),
            _ => reader.unknown(&tag, root.name, &known),
        });
        if system.is_none() && !self.scan.truncated {
            let end = self.scan.position();
            let start = self.source[..end].rfind("</").unwrap_or(end);
            self.report(
                Diagnostic::error(
                    "xml::no_system",
                    Span::new(start, end),
                    "the model has no `<system>` section",
                )
                .help("add `<system>system …;</system>` with the processes, before the queries"),
            );
        }
        document
    }

    /// Complains about a second section of a kind.
    fn once(&mut self, first: &mut Option<Span>, tag: &Tag<'a>) {
        match *first {
            None => *first = Some(tag.span),
            Some(first) => self.report(
                Diagnostic::error(
                    "xml::second_section",
                    tag.span,
                    format!("there is a second `<{}>` here", tag.name),
                )
                .also(first, "the first is here")
                .help("make one of the two"),
            ),
        }
    }

    fn template(&mut self, tag: &Tag<'a>) -> Template {
        let start = tag.span;
        let mut template = Template::default();
        let mut ids = Ids::default();
        let mut init = None;
        let known =
            ["name", "parameter", "declaration", "location", "branchpoint", "init", "transition"];
        self.flush(String::new);
        self.children("template", |reader, tag| match tag.name {
            "name" => {
                template.name_at = reader.point(&tag);
                template.name = reader.text(&tag).trimmed();
                reader.template.clone_from(&template.name.text);
            }
            "parameter" => {
                template.parameters = reader.text(&tag);
                reader.flush(|| "parameters".to_owned());
            }
            "declaration" => {
                template.declarations = reader.text(&tag);
                reader.flush(|| "declarations".to_owned());
            }
            "location" => {
                let location = reader.location(&tag, &mut ids, template.locations.len());
                template.locations.push(location);
            }
            "branchpoint" => {
                let id = reader.define(&tag, &mut ids, None);
                let at = reader.point(&tag);
                reader.skip();
                let span = Span::new(tag.span.start as usize, reader.scan.position());
                template.branchpoints.push(Branchpoint { id, at, span });
            }
            "init" => {
                reader.once(&mut init, &tag);
                template.init = reader.reference(&tag);
                reader.skip();
            }
            "transition" => {
                let edge = reader.edge(&tag, &template.locations, &ids);
                template.edges.push(edge);
            }
            _ => reader.unknown(&tag, "template", &known),
        });
        template.span = Span::new(start.start as usize, self.scan.position());
        let truncated = self.scan.truncated;
        check::template(self, &template, &ids, start, truncated);
        self.flush(String::new);
        self.template.clear();
        template
    }

    /// Reads the id of a location or a branchpoint.
    fn define(&mut self, tag: &Tag<'a>, ids: &mut Ids, location: Option<usize>) -> String {
        let Some((id, span)) = self.scan.attribute(tag, "id") else {
            self.report(check::no_id(tag.name, tag.span));
            return String::new();
        };
        if let Some(first) = ids.get(&id) {
            let diagnostic = check::same_id(tag.name, &id, span, first.span);
            self.report(diagnostic);
        } else {
            ids.insert(id.clone(), Definition { span, location });
        }
        id
    }

    fn location(&mut self, tag: &Tag<'a>, ids: &mut Ids, index: usize) -> Location {
        let id = self.define(tag, ids, Some(index));
        let at = self.point(tag);
        let colour = self.scan.attribute(tag, "color").map(|(colour, _)| colour);
        let mut location = Location { id, at, colour, ..Location::default() };
        let (mut urgent, mut committed) = (None, None);
        let known = ["name", "label", "urgent", "committed"];
        self.children("location", |reader, tag| match tag.name {
            "name" => {
                location.name_at = reader.point(&tag);
                location.name = reader.text(&tag).trimmed();
            }
            "label" => {
                let label = reader.label(&tag);
                reader.flush(|| format!("location {}, {}", title(&location), label.kind.name()));
                check::location_label(reader, &location, &label, tag.span);
                location.labels.push(label);
            }
            "urgent" => {
                urgent = Some(tag.span);
                reader.skip();
            }
            "committed" => {
                committed = Some(tag.span);
                reader.skip();
            }
            _ => reader.unknown(&tag, "location", &known),
        });
        (location.urgent, location.committed) = (urgent.is_some(), committed.is_some());
        if let (Some(urgent), Some(committed)) = (urgent, committed) {
            self.report(check::urgent_and_committed(&location, urgent, committed));
        }
        self.flush(|| format!("location {}", title(&location)));
        location.span = Span::new(tag.span.start as usize, self.scan.position());
        location
    }

    fn label(&mut self, tag: &Tag<'a>) -> Label {
        let kind = match self.scan.attribute(tag, "kind") {
            Some((kind, span)) => {
                let known = LabelKind::from_name(&kind);
                if let LabelKind::Other(name) = &known {
                    check::label_kind(self, name, span);
                }
                known
            }
            None => {
                self.report(
                    Diagnostic::warning(
                        "xml::no_kind",
                        tag.span,
                        "this label has no kind and is ignored",
                    )
                    .help("say what it is, such as `<label kind=\"guard\">`"),
                );
                LabelKind::Other(String::new())
            }
        };
        let at = self.point(tag);
        Label { kind, text: self.text(tag), at }
    }

    fn edge(&mut self, tag: &Tag<'a>, locations: &[Location], ids: &Ids) -> Edge {
        let mut attribute = |name| self.scan.attribute(tag, name).map(|(value, _)| value);
        let controllable = attribute("controllable").is_none_or(|value| value.trim() != "false");
        let (id, action) = (attribute("id"), attribute("action"));
        let colour = attribute("color");
        let (mut source, mut target) = (None, None);
        let (mut labels, mut nails) = (Vec::new(), Vec::new());
        let known = ["source", "target", "label", "nail"];
        let named = |end: &Option<(String, Span)>| match end {
            Some((id, _)) => match ids.get(id).and_then(|definition| definition.location) {
                Some(index) => title(&locations[index]).to_owned(),
                None => id.clone(),
            },
            None => "?".to_owned(),
        };
        self.children("transition", |reader, tag| match tag.name {
            "source" => {
                source = reader.reference(&tag);
                reader.skip();
            }
            "target" => {
                target = reader.reference(&tag);
                reader.skip();
            }
            "label" => {
                let label = reader.label(&tag);
                let place = || format!("edge {} → {}", named(&source), named(&target));
                reader.flush(|| format!("{}, {}", place(), label.kind.name()));
                check::edge_label(reader, &labels, &label, tag.span, place);
                labels.push(label);
            }
            "nail" => {
                nails.extend(reader.point(&tag));
                reader.skip();
            }
            _ => reader.unknown(&tag, "transition", &known),
        });
        self.flush(|| format!("edge {} → {}", named(&source), named(&target)));
        let span = Span::new(tag.span.start as usize, self.scan.position());
        let truncated = self.scan.truncated;
        let mut end = |what: &str, end: Option<(String, Span)>| {
            end.unwrap_or_else(|| {
                if !truncated {
                    self.report(check::no_end(what, tag.span));
                }
                (String::new(), tag.span)
            })
        };
        let (source, target) = (end("source", source), end("target", target));
        // A large model has many edges with few labels each.
        labels.shrink_to_fit();
        nails.shrink_to_fit();
        Edge { source, target, controllable, colour, action, id, labels, nails, span }
    }

    /// The `ref` of an element.
    fn reference(&mut self, tag: &Tag<'a>) -> Option<(String, Span)> {
        let reference = self.scan.attribute(tag, "ref");
        if reference.is_none() {
            self.report(
                Diagnostic::error(
                    "xml::no_reference",
                    tag.span,
                    format!("`<{}>` does not say which location it means", tag.name),
                )
                .help(format!("write `<{} ref=\"…\"/>` with the id of a location", tag.name)),
            );
            return Some((String::new(), tag.span));
        }
        reference
    }

    fn queries(&mut self, document: &mut Document) {
        self.children("queries", |reader, tag| match tag.name {
            "query" => {
                let query = reader.query();
                document.queries.push(query);
            }
            "option" => {
                let option = reader.option(&tag);
                document.query_options.extend(option);
            }
            _ => reader.unknown(&tag, "queries", &["query", "option"]),
        });
        self.flush(|| "queries".to_owned());
    }

    fn option(&mut self, tag: &Tag<'a>) -> Option<(String, String)> {
        let key = self.scan.attribute(tag, "key").map(|(key, _)| key);
        let value = self.scan.attribute(tag, "value").map(|(value, _)| value);
        self.skip();
        Some((key?, value.unwrap_or_default()))
    }

    fn query(&mut self) -> Query {
        let mut query = Query::default();
        let known = ["formula", "comment", "option", "expect", "result"];
        self.children("query", |reader, tag| match tag.name {
            "formula" => {
                query.formula = reader.text(&tag);
                reader.flush(|| "query".to_owned());
            }
            "comment" => {
                query.comment = reader.text(&tag);
                reader.flush(|| "comment of a query".to_owned());
            }
            "option" => query.options.extend(reader.option(&tag)),
            "expect" => query.expectation = Some(reader.outcome(&tag)),
            "result" => query.results.push(reader.outcome(&tag)),
            _ => reader.unknown(&tag, "query", &known),
        });
        query
    }

    fn outcome(&mut self, tag: &Tag<'a>) -> Outcome {
        let mut attribute = |name| self.scan.attribute(tag, name).map(|(value, _)| value);
        let mut outcome = Outcome {
            outcome: attribute("outcome"),
            kind: attribute("type"),
            value: attribute("value"),
            timestamp: attribute("timestamp"),
            details: None,
        };
        self.children(tag.name, |reader, tag| match tag.name {
            "details" => outcome.details = Some(reader.text(&tag).text),
            _ => reader.skip(),
        });
        outcome
    }
}

/// What people call a location.
pub(super) fn title(location: &Location) -> &str {
    if location.name.text.is_empty() { &location.id } else { &location.name.text }
}

fn not_uppaal(tag: &Tag<'_>) -> Diagnostic {
    let what = match tag.name {
        "sspaceex" => ", which is SpaceEx's",
        "html" | "HTML" => ", which is a web page",
        "pnml" => ", which is a Petri net",
        "scxml" => ", which is a state chart",
        _ => "",
    };
    let near = closest(tag.name, ["nta", "project"]);
    Diagnostic::error(
        "xml::not_uppaal",
        tag.span,
        format!("this is not a model of UPPAAL: it starts with `<{}>`{what}", tag.name),
    )
    .help(match near {
        Some(near) => format!("did you mean `<{near}>`?"),
        None => "a model of UPPAAL starts with `<nta>`".to_owned(),
    })
}
