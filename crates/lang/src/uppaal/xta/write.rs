//! From a [`Document`] to text.
//!
//! A label is written as it is, so it must not contain what ends it in the text format: such a
//! document is refused. A label that ends in a `//` comment gets a line end behind it.

use std::fmt;

use rustc_hash::{FxHashMap, FxHashSet};

use super::{
    is_name,
    read::{BOUNDARIES, Brackets},
};
use crate::diagnostic::Diagnostics;
use crate::document::{Document, Edge, LabelKind, Location, Query, Template, chart_name};
use crate::uppaal::lexer::{self, TokenKind};
use crate::{Span, Text};

/// A file, and in what it differs from the document.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Written {
    /// The text of the file.
    pub text: String,
    /// What the format has no place for, without repetitions.
    pub dropped: Vec<Dropped>,
    /// Locations whose names are not names of the language, or are not unique.
    pub renamed: Vec<Renamed>,
}

/// What the text format can not say.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Dropped {
    Coordinates,
    Colours,
    EdgeIds,
    Actions,
    Comments,
    TestCode,
    OtherLabels,
    Charts,
    QueryOptions,
    QueryResults,
    /// Queries that are not formulas.
    Queries,
}

impl fmt::Display for Dropped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Coordinates => "coordinates",
            Self::Colours => "colours",
            Self::EdgeIds => "ids of edges",
            Self::Actions => "actions of edges",
            Self::Comments => "comments of locations and edges",
            Self::TestCode => "test code",
            Self::OtherLabels => "labels of unknown kinds",
            Self::Charts => "live sequence charts",
            Self::QueryOptions => "options of queries",
            Self::QueryResults => "expected and earlier results of queries",
            Self::Queries => "queries that are not formulas",
        })
    }
}

/// A location that has another name in the file than in the document.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Renamed {
    /// Its template.
    pub template: String,
    /// Its name in the document, or its id if it has none.
    pub from: String,
    /// Its name in the file.
    pub to: String,
}

/// Why a document can not be written in this format.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Unwritable {
    /// A template has a name that is not one in this format.
    TemplateName {
        /// The name.
        name: String,
        /// Where it stands.
        span: Span,
    },
    /// A template does not say where it starts.
    NoInit {
        /// The template.
        template: String,
        /// Where it stands.
        span: Span,
    },
    /// An edge or `init` refers to nothing.
    UnknownLocation {
        /// The template.
        template: String,
        /// The id.
        id: String,
        /// Where it is said.
        span: Span,
    },
    /// A live sequence chart, which the format lacks, is instantiated.
    Chart {
        /// Its name.
        name: String,
        /// Where it stands.
        span: Span,
    },
    /// A text would end too early, or not at all: a bracket is not closed, say.
    Text {
        /// Which text.
        place: String,
        /// Where it stands.
        span: Span,
    },
}

impl fmt::Display for Unwritable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TemplateName { name, .. } => {
                write!(f, "`{name}` can not be the name of a process")
            }
            Self::NoInit { template, .. } => {
                write!(f, "template {template} has no initial location")
            }
            Self::UnknownLocation { template, id, .. } => {
                write!(f, "template {template} refers to the location `{id}`, which it lacks")
            }
            Self::Chart { name, .. } => {
                write!(
                    f,
                    "the live sequence chart `{name}`, which the system uses, can not be expressed"
                )
            }
            Self::Text { place, .. } => {
                write!(f, "{place} can not be read by itself, so it can not be written as text")
            }
        }
    }
}

impl std::error::Error for Unwritable {}

impl Unwritable {
    /// Where the reason stands in the file that the document was read from.
    pub fn span(&self) -> Span {
        match self {
            Self::TemplateName { span, .. }
            | Self::NoInit { span, .. }
            | Self::UnknownLocation { span, .. }
            | Self::Chart { span, .. }
            | Self::Text { span, .. } => *span,
        }
    }
}

/// Writes a document as a text file.
pub fn write(document: &Document) -> Result<Written, Unwritable> {
    let mut writer =
        Writer { out: String::new(), dropped: FxHashSet::default(), renamed: Vec::new() };
    writer.section(&document.declarations, "the declarations")?;
    let mut words = FxHashSet::default();
    words_of(&document.declarations, &mut words);
    for template in &document.templates {
        writer.template(template, &words)?;
    }
    if let Some(instantiation) = &document.instantiation {
        writer.section(instantiation, "the instantiations")?;
    }
    writer.section(&document.system, "the system section")?;
    for query in &document.queries {
        writer.query(query);
    }
    let mut used = FxHashSet::default();
    words_of(&document.system, &mut used);
    document.instantiation.iter().for_each(|text| words_of(text, &mut used));
    for (name, span) in document.charts.iter().filter_map(chart_name) {
        if used.contains(name.as_str()) {
            return Err(Unwritable::Chart { name, span });
        }
    }
    writer.note(!document.charts.is_empty(), Dropped::Charts);
    writer.note(!document.query_options.is_empty(), Dropped::QueryOptions);
    let mut dropped: Vec<Dropped> = writer.dropped.into_iter().collect();
    dropped.sort_unstable();
    Ok(Written { text: writer.out, dropped, renamed: writer.renamed })
}

/// What ends a text in the format.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ends {
    AtSemicolon,
    AtBracket,
}

struct Writer {
    out: String,
    dropped: FxHashSet<Dropped>,
    renamed: Vec<Renamed>,
}

impl Writer {
    fn note(&mut self, is_lost: bool, what: Dropped) {
        if is_lost {
            self.dropped.insert(what);
        }
    }

    fn section(&mut self, text: &Text, place: &str) -> Result<(), Unwritable> {
        if !text.is_blank() {
            self.closed(text, Ends::AtBracket, || place.to_owned())?;
            self.out.push_str(text.text.trim());
            self.out.push_str("\n\n");
        }
        Ok(())
    }

    /// Checks that a text ends where it is meant to.
    fn closed(
        &self,
        text: &Text,
        ends: Ends,
        place: impl FnOnce() -> String,
    ) -> Result<(), Unwritable> {
        if is_closed(text, ends) {
            return Ok(());
        }
        Err(Unwritable::Text { place: place(), span: text.span })
    }

    fn template(
        &mut self,
        template: &Template,
        global: &FxHashSet<String>,
    ) -> Result<(), Unwritable> {
        let name = template.name.text.as_str();
        if !is_name(name) {
            let span = template.name.span;
            return Err(Unwritable::TemplateName { name: name.to_owned(), span });
        }
        let names = self.names(template, global);
        self.closed(&template.parameters, Ends::AtBracket, || {
            format!("template {name}, parameters")
        })?;
        self.closed(&template.declarations, Ends::AtBracket, || {
            format!("template {name}, declarations")
        })?;
        self.note(template.name_at.is_some(), Dropped::Coordinates);
        self.out.push_str(&format!("process {name}("));
        self.body(&template.parameters);
        self.out.push_str(") {\n");
        if !template.declarations.is_blank() {
            self.out.push_str(template.declarations.text.trim());
            self.out.push('\n');
        }
        if !template.locations.is_empty() {
            self.locations(template, &names)?;
            self.edges(template, &names)?;
        }
        self.out.push_str("}\n\n");
        Ok(())
    }

    /// What the locations and branchpoints of a template are called, by id: their names, or else
    /// their ids, as everywhere; another name only where that one is not possible.
    fn names<'a>(
        &mut self,
        template: &'a Template,
        global: &FxHashSet<String>,
    ) -> FxHashMap<&'a str, String> {
        let mut words = FxHashSet::default();
        if template.locations.iter().any(|location| location.name.is_blank()) {
            words_of(&template.parameters, &mut words);
            words_of(&template.declarations, &mut words);
            let of_locations = template.locations.iter().flat_map(|location| &location.labels);
            let of_edges = template.edges.iter().flat_map(|edge| &edge.labels);
            of_locations.chain(of_edges).for_each(|label| words_of(&label.text, &mut words));
        }
        let named = template.locations.iter().filter(|location| !location.name.is_blank());
        let mut taken: FxHashSet<String> =
            named.clone().map(|location| location.name.text.clone()).collect();
        let mut names = FxHashMap::default();
        let mut used: FxHashSet<String> = FxHashSet::default();
        for location in named {
            let name = &location.name.text;
            let to = if is_name(name) && used.insert(name.clone()) {
                name.clone()
            } else {
                let to =
                    fresh(name, used.len(), |name| taken.contains(name) || used.contains(name));
                used.insert(to.clone());
                taken.insert(to.clone());
                self.rename(template, name, &to);
                to
            };
            names.insert(location.id.as_str(), to);
        }
        let unnamed = template.locations.iter().filter(|location| location.name.is_blank());
        let ids = unnamed
            .map(|location| location.id.as_str())
            .chain(template.branchpoints.iter().map(|point| point.id.as_str()));
        for id in ids {
            let is_taken =
                |name: &str| taken.contains(name) || words.contains(name) || global.contains(name);
            let to = if is_name(id) && !is_taken(id) {
                id.to_owned()
            } else {
                fresh(id, names.len(), is_taken)
            };
            if to != id {
                self.rename(template, id, &to);
            }
            taken.insert(to.clone());
            names.insert(id, to);
        }
        names
    }

    fn rename(&mut self, template: &Template, from: &str, to: &str) {
        self.renamed.push(Renamed {
            template: template.name.text.clone(),
            from: from.to_owned(),
            to: to.to_owned(),
        });
    }

    /// Writes a text so that what follows it is not in a comment.
    fn body(&mut self, text: &Text) {
        let text = text.text.trim();
        self.out.push_str(text);
        if text.lines().last().is_some_and(|line| line.contains("//")) {
            self.out.push('\n');
        }
    }

    fn locations(
        &mut self,
        template: &Template,
        names: &FxHashMap<&str, String>,
    ) -> Result<(), Unwritable> {
        self.out.push_str("state");
        for (index, location) in template.locations.iter().enumerate() {
            self.out.push_str(if index == 0 { "\n    " } else { ",\n    " });
            self.out.push_str(&names[location.id.as_str()]);
            self.location_labels(template, location)?;
        }
        self.out.push_str(";\n");
        let points: Vec<_> = template.branchpoints.iter().map(|point| &point.id).collect();
        self.list("branchpoint", &points, names);
        let flagged = |flag: fn(&Location) -> bool| -> Vec<&String> {
            template.locations.iter().filter(|l| flag(l)).map(|l| &l.id).collect()
        };
        self.list("commit", &flagged(|location| location.committed), names);
        self.list("urgent", &flagged(|location| location.urgent), names);
        let Some((init, span)) = &template.init else {
            let (template, span) = (template.name.text.clone(), template.span);
            return Err(Unwritable::NoInit { template, span });
        };
        self.list("init", &[resolve(template, names, init, *span)?.0], names);
        self.note(template.branchpoints.iter().any(|p| p.at.is_some()), Dropped::Coordinates);
        Ok(())
    }

    fn list(&mut self, word: &str, ids: &[&String], names: &FxHashMap<&str, String>) {
        if !ids.is_empty() {
            let list: Vec<&str> = ids.iter().map(|id| names[id.as_str()].as_str()).collect();
            self.out.push_str(&format!("{word} {};\n", list.join(", ")));
        }
    }

    fn location_labels(
        &mut self,
        template: &Template,
        location: &Location,
    ) -> Result<(), Unwritable> {
        let invariant = location.label(&LabelKind::Invariant);
        let rate = location.label(&LabelKind::ExponentialRate);
        for (kind, text) in [("invariant", invariant), ("exponential rate", rate)] {
            if let Some(text) = text {
                self.closed(text, Ends::AtSemicolon, || {
                    let name = &template.name.text;
                    format!("template {name}, location {}, {kind}", location.id)
                })?;
            }
        }
        if invariant.is_some() || rate.is_some() {
            self.out.push_str(" { ");
            if let Some(invariant) = invariant {
                self.body(invariant);
            }
            if let Some(rate) = rate {
                self.out.push_str("; ");
                self.body(rate);
            }
            self.out.push_str(" }");
        }
        let has_place = location.at.is_some() || location.name_at.is_some();
        self.note(has_place, Dropped::Coordinates);
        self.note(location.colour.is_some(), Dropped::Colours);
        self.lost_labels(&location.labels);
        Ok(())
    }

    fn lost_labels(&mut self, labels: &[crate::document::Label]) {
        for label in labels {
            self.note(label.at.is_some(), Dropped::Coordinates);
            match label.kind {
                _ if label.text.is_blank() => {}
                LabelKind::Comments => self.note(true, Dropped::Comments),
                LabelKind::TestCode | LabelKind::TestCodeEnter | LabelKind::TestCodeExit => {
                    self.note(true, Dropped::TestCode);
                }
                LabelKind::Other(_) => self.note(true, Dropped::OtherLabels),
                _ => {}
            }
        }
    }

    fn edges(
        &mut self,
        template: &Template,
        names: &FxHashMap<&str, String>,
    ) -> Result<(), Unwritable> {
        for (index, edge) in template.edges.iter().enumerate() {
            self.out.push_str(if index == 0 { "trans\n    " } else { ",\n    " });
            self.edge(template, edge, names)?;
        }
        if !template.edges.is_empty() {
            self.out.push_str(";\n");
        }
        Ok(())
    }

    fn edge(
        &mut self,
        template: &Template,
        edge: &Edge,
        names: &FxHashMap<&str, String>,
    ) -> Result<(), Unwritable> {
        let source = resolve(template, names, &edge.source.0, edge.source.1)?.1;
        let target = resolve(template, names, &edge.target.0, edge.target.1)?.1;
        let arrow = if edge.controllable { "->" } else { "-u->" };
        self.out.push_str(&format!("{source} {arrow} {target} {{"));
        for (word, kind) in [
            ("select", LabelKind::Select),
            ("guard", LabelKind::Guard),
            ("sync", LabelKind::Synchronisation),
            ("assign", LabelKind::Assignment),
            ("probability", LabelKind::Probability),
        ] {
            if let Some(text) = edge.label(&kind) {
                self.closed(text, Ends::AtSemicolon, || {
                    format!("template {}, edge {source} → {target}, {word}", template.name.text)
                })?;
                self.out.push_str(&format!(" {word} "));
                self.body(text);
                self.out.push(';');
            }
        }
        self.out.push_str(" }");
        self.note(!edge.nails.is_empty(), Dropped::Coordinates);
        self.note(edge.colour.is_some(), Dropped::Colours);
        self.note(edge.action.is_some(), Dropped::Actions);
        self.note(edge.id.is_some(), Dropped::EdgeIds);
        self.lost_labels(&edge.labels);
        Ok(())
    }

    fn query(&mut self, query: &Query) {
        self.note(!query.options.is_empty(), Dropped::QueryOptions);
        let has_results = query.expectation.is_some() || !query.results.is_empty();
        self.note(has_results, Dropped::QueryResults);
        // A wrong query may have words in it that end it.
        let mut words = FxHashSet::default();
        words_of(&query.formula, &mut words);
        let is_ended = BOUNDARIES.iter().any(|it| words.contains(*it));
        if is_ended || !is_closed(&query.formula, Ends::AtBracket) {
            return self.note(true, Dropped::Queries);
        }
        self.out.push_str("query { ");
        if !query.comment.is_blank() {
            let comment = query.comment.text.trim().replace("*/", "* /");
            self.out.push_str(&format!("/* {comment} */\n"));
        }
        self.body(&query.formula);
        self.out.push_str(" }\n");
    }
}

/// The id and the name of a location or a branchpoint.
fn resolve<'a>(
    template: &Template,
    names: &'a FxHashMap<&str, String>,
    id: &'a String,
    span: Span,
) -> Result<(&'a String, &'a String), Unwritable> {
    names.get(id.as_str()).map(|name| (id, name)).ok_or_else(|| Unwritable::UnknownLocation {
        template: template.name.text.clone(),
        id: id.clone(),
        span,
    })
}

/// Whether a text closes its brackets and comments, and is not ended by what it contains.
fn is_closed(text: &Text, ends: Ends) -> bool {
    let mut diagnostics = Diagnostics::new();
    let tokens = lexer::tokens(text, &mut diagnostics);
    let mut brackets = Brackets::default();
    let is_inside = tokens.iter().all(|token| {
        let ends_here =
            token.kind == TokenKind::Semicolon && ends == Ends::AtSemicolon && brackets.no_braces();
        brackets.pass(token.kind) && !ends_here
    });
    // Whatever else the lexer dislikes is the model's, and stays.
    let is_open = diagnostics.iter().any(|diagnostic| diagnostic.code.contains("unterminated"));
    is_inside && brackets.is_empty() && !is_open
}

/// Adds the words of a text.
fn words_of(text: &Text, words: &mut FxHashSet<String>) {
    let tokens = lexer::tokens(text, &mut Diagnostics::new());
    let of_kind = tokens.iter().filter(|token| token.kind == TokenKind::Word);
    words.extend(of_kind.map(|token| token.text(text).to_owned()));
}

/// A name like `wanted` that is possible and not taken, numbered from `n` if need be.
fn fresh(wanted: &str, n: usize, is_taken: impl Fn(&str) -> bool) -> String {
    let mut name: String =
        wanted.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    if !name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
        name.insert(0, '_');
    }
    if is_name(&name) && !is_taken(&name) {
        return name;
    }
    let mut numbered = (n..).map(|n| format!("{name}_{n}"));
    numbered.find(|name| !is_taken(name)).unwrap_or(name)
}
