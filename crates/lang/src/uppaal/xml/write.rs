//! From a [`Document`] to XML.

use std::borrow::Cow;
use std::fmt::Write;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::Text;
use crate::document::{Document, Edge, Label, Location, Outcome, Point, Query, Template};

const HEAD: &str = "\
<?xml version=\"1.0\" encoding=\"utf-8\"?>
<!DOCTYPE nta PUBLIC '-//Uppaal Team//DTD Flat System 1.6//EN' \
'http://www.it.uu.se/research/group/darts/uppaal/flat-1_6.dtd'>
";

/// Writes a file that UPPAAL opens, with everything that the document says.
pub fn write(document: &Document) -> String {
    let mut out = Writer { out: HEAD.to_owned(), used: FxHashSet::default() };
    out.raw("<nta>\n");
    out.element(1, "declaration", None, &document.declarations);
    for template in &document.templates {
        out.template(template);
    }
    for chart in &document.charts {
        out.raw("\t");
        out.raw(&chart.text);
        out.raw("\n");
    }
    if let Some(instantiation) = &document.instantiation {
        out.element(1, "instantiation", None, instantiation);
    }
    out.element(1, "system", None, &document.system);
    if !document.queries.is_empty() || !document.query_options.is_empty() {
        out.raw("\t<queries>\n");
        out.options(2, &document.query_options);
        for query in &document.queries {
            out.query(query);
        }
        out.raw("\t</queries>\n");
    }
    out.raw("</nta>\n");
    out.out
}

struct Writer<'a> {
    out: String,
    /// The ids of the templates so far.
    used: FxHashSet<Cow<'a, str>>,
}

/// The ids of a template that are written differently.
type Ids<'a> = FxHashMap<&'a str, String>;

fn id_of<'a>(ids: &'a Ids<'_>, id: &'a str) -> &'a str {
    if ids.is_empty() { id } else { ids.get(id).map_or(id, String::as_str) }
}

impl<'a> Writer<'a> {
    fn raw(&mut self, text: &str) {
        self.out.push_str(text);
    }

    fn open(&mut self, depth: usize, name: &str) {
        self.out.extend(std::iter::repeat_n('\t', depth));
        self.out.push('<');
        self.out.push_str(name);
    }

    fn attribute(&mut self, name: &str, value: &str) {
        self.out.push(' ');
        self.out.push_str(name);
        self.out.push_str("=\"");
        escape(&mut self.out, value, true);
        self.out.push('"');
    }

    fn maybe(&mut self, name: &str, value: Option<&String>) {
        if let Some(value) = value {
            self.attribute(name, value);
        }
    }

    fn point(&mut self, point: Option<Point>) {
        if let Some(Point { x, y }) = point {
            let _ = write!(self.out, " x=\"{x}\" y=\"{y}\"");
        }
    }

    fn close(&mut self, text: &str, name: &str) {
        self.out.push('>');
        escape(&mut self.out, text, false);
        self.out.push_str("</");
        self.out.push_str(name);
        self.out.push_str(">\n");
    }

    fn element(&mut self, depth: usize, name: &str, at: Option<Point>, text: &Text) {
        self.open(depth, name);
        self.point(at);
        self.close(&text.text, name);
    }

    fn empty(&mut self, depth: usize, name: &str, attributes: &[(&str, &str)]) {
        self.open(depth, name);
        for (name, value) in attributes {
            self.attribute(name, value);
        }
        self.raw("/>\n");
    }

    fn template(&mut self, template: &'a Template) {
        let ids = self.ids(template);
        self.raw("\t<template>\n");
        self.element(2, "name", template.name_at, &template.name);
        if !template.parameters.text.is_empty() {
            self.element(2, "parameter", None, &template.parameters);
        }
        if !template.declarations.text.is_empty() {
            self.element(2, "declaration", None, &template.declarations);
        }
        for location in &template.locations {
            self.location(location, &ids);
        }
        for branchpoint in &template.branchpoints {
            self.open(2, "branchpoint");
            self.attribute("id", id_of(&ids, &branchpoint.id));
            self.point(branchpoint.at);
            self.raw("/>\n");
        }
        if let Some((init, _)) = &template.init {
            self.empty(2, "init", &[("ref", id_of(&ids, init))]);
        }
        for edge in &template.edges {
            self.edge(edge, &ids);
        }
        self.raw("\t</template>\n");
    }

    /// Makes ids unique in the file, as XML wants it. In the text format they are names, and only
    /// unique in their template. A location that has no other name keeps its id.
    fn ids(&mut self, template: &'a Template) -> Ids<'a> {
        let mut ids = Ids::default();
        let named = template.locations.iter().filter(|l| l.name.text == l.id).map(|l| &l.id);
        let branchpoints = template.branchpoints.iter().map(|point| &point.id);
        for id in named.chain(branchpoints).filter(|id| self.used.contains(id.as_str())) {
            let wanted = format!("{}.{id}", template.name.text);
            let numbered = (1..).map(|n| format!("{wanted}.{n}"));
            let mut candidates = std::iter::once(wanted.clone()).chain(numbered);
            let fresh = candidates.find(|new| !self.used.contains(new.as_str()));
            ids.insert(id, fresh.unwrap_or(wanted));
        }
        let all = template.locations.iter().map(|location| &location.id);
        let all = all.chain(template.branchpoints.iter().map(|point| &point.id));
        self.used.extend(all.map(|id| match ids.get(id.as_str()) {
            Some(new) => Cow::Owned(new.clone()),
            None => Cow::Borrowed(id.as_str()),
        }));
        ids
    }

    fn location(&mut self, location: &Location, ids: &Ids<'_>) {
        self.open(2, "location");
        self.attribute("id", id_of(ids, &location.id));
        self.point(location.at);
        self.maybe("color", location.colour.as_ref());
        self.raw(">\n");
        if !location.name.text.is_empty() || location.name_at.is_some() {
            self.element(3, "name", location.name_at, &location.name);
        }
        self.labels(&location.labels);
        if location.urgent {
            self.raw("\t\t\t<urgent/>\n");
        }
        if location.committed {
            self.raw("\t\t\t<committed/>\n");
        }
        self.raw("\t\t</location>\n");
    }

    fn labels(&mut self, labels: &[Label]) {
        for label in labels {
            self.open(3, "label");
            self.attribute("kind", label.kind.name());
            self.point(label.at);
            self.close(&label.text.text, "label");
        }
    }

    fn edge(&mut self, edge: &Edge, ids: &Ids<'_>) {
        self.open(2, "transition");
        self.maybe("id", edge.id.as_ref());
        if !edge.controllable {
            self.attribute("controllable", "false");
        }
        self.maybe("action", edge.action.as_ref());
        self.maybe("color", edge.colour.as_ref());
        self.raw(">\n");
        self.empty(3, "source", &[("ref", id_of(ids, &edge.source.0))]);
        self.empty(3, "target", &[("ref", id_of(ids, &edge.target.0))]);
        self.labels(&edge.labels);
        for nail in &edge.nails {
            self.open(3, "nail");
            self.point(Some(*nail));
            self.raw("/>\n");
        }
        self.raw("\t\t</transition>\n");
    }

    fn options(&mut self, depth: usize, options: &[(String, String)]) {
        for (key, value) in options {
            self.empty(depth, "option", &[("key", key), ("value", value)]);
        }
    }

    fn query(&mut self, query: &Query) {
        self.raw("\t\t<query>\n");
        self.element(3, "formula", None, &query.formula);
        self.element(3, "comment", None, &query.comment);
        self.options(3, &query.options);
        if let Some(expectation) = &query.expectation {
            self.outcome("expect", expectation);
        }
        for result in &query.results {
            self.outcome("result", result);
        }
        self.raw("\t\t</query>\n");
    }

    fn outcome(&mut self, name: &str, outcome: &Outcome) {
        self.open(3, name);
        self.maybe("outcome", outcome.outcome.as_ref());
        self.maybe("type", outcome.kind.as_ref());
        self.maybe("value", outcome.value.as_ref());
        self.maybe("timestamp", outcome.timestamp.as_ref());
        match &outcome.details {
            Some(details) => {
                self.raw(">\n");
                self.open(4, "details");
                self.close(details, "details");
                self.raw("\t\t\t</");
                self.raw(name);
                self.raw(">\n");
            }
            None => self.raw("/>\n"),
        }
    }
}

/// Appends text so that a reader finds the same characters. XML can not say control characters;
/// a space takes their place.
fn escape(out: &mut String, text: &str, attribute: bool) {
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' if attribute => out.push_str("&quot;"),
            '\n' if attribute => out.push_str("&#10;"),
            '\t' if attribute => out.push_str("&#9;"),
            '\r' => out.push_str("&#13;"),
            '\t' | '\n' => out.push(c),
            _ if c < ' ' || matches!(c, '\u{fffe}' | '\u{ffff}') => out.push(' '),
            _ => out.push(c),
        }
    }
}
