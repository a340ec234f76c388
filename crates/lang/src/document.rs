//! A model file as its author laid it out: sections of text, templates with coordinates.
//!
//! Readers of UPPAAL's formats produce a [`Document`] and writers print one, so what was written
//! (comments, coordinates, names, queries) survives a conversion. Nothing in it is parsed yet:
//! each [`Text`] remembers where it stands in the file.

use crate::{Span, Text};

/// A point of a drawing; y grows downwards.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Point {
    /// The coordinate to the right.
    pub x: i32,
    /// The coordinate downwards.
    pub y: i32,
}

/// A model file.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Document {
    /// Global declarations.
    pub declarations: Text,
    /// The templates.
    pub templates: Vec<Template>,
    /// Live sequence charts, kept as they are: nothing analyses them.
    pub charts: Vec<Text>,
    /// The section of old files that instantiates templates.
    pub instantiation: Option<Text>,
    /// The system section: declarations, instantiations, the system line and what follows it.
    pub system: Text,
    /// The queries of the file.
    pub queries: Vec<Query>,
    /// Options of all queries: keys and values.
    pub query_options: Vec<(String, String)>,
}

/// A template.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Template {
    /// Its name.
    pub name: Text,
    /// Where its name is drawn.
    pub name_at: Option<Point>,
    /// Its parameters, as written between the parentheses.
    pub parameters: Text,
    /// Its declarations.
    pub declarations: Text,
    /// Its locations.
    pub locations: Vec<Location>,
    /// Its branchpoints.
    pub branchpoints: Vec<Branchpoint>,
    /// The location it starts in, by its id in the file, and where that is said.
    pub init: Option<(String, Span)>,
    /// Its edges.
    pub edges: Vec<Edge>,
    /// The whole template.
    pub span: Span,
}

/// A location of a template.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Location {
    /// What edges call it: the `id` of XML, the name of XTA.
    pub id: String,
    /// Its name; blank if the author gave none.
    pub name: Text,
    /// Where its name is drawn.
    pub name_at: Option<Point>,
    /// Where it is drawn.
    pub at: Option<Point>,
    /// The colour the author gave it.
    pub colour: Option<String>,
    /// Whether time stands still in it.
    pub urgent: bool,
    /// Whether it must be left at once.
    pub committed: bool,
    /// Its labels.
    pub labels: Vec<Label>,
    /// The whole location.
    pub span: Span,
}

/// A point where an edge branches by chance.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Branchpoint {
    /// What edges call it.
    pub id: String,
    /// Where it is drawn.
    pub at: Option<Point>,
    /// The whole branchpoint.
    pub span: Span,
}

/// An edge of a template.
#[derive(Clone, PartialEq, Debug)]
pub struct Edge {
    /// The id of the location or branchpoint it leaves, and where that is said.
    pub source: (String, Span),
    /// The id of the location or branchpoint it enters, and where that is said.
    pub target: (String, Span),
    /// Whether the controller decides about it in a game.
    pub controllable: bool,
    /// The colour the author gave it.
    pub colour: Option<String>,
    /// The action name of a game, kept as it is.
    pub action: Option<String>,
    /// The id of the edge itself, kept as it is.
    pub id: Option<String>,
    /// Its labels.
    pub labels: Vec<Label>,
    /// The bends of its line.
    pub nails: Vec<Point>,
    /// The whole edge.
    pub span: Span,
}

/// A label of a location or an edge.
#[derive(Clone, PartialEq, Debug)]
pub struct Label {
    /// What it says.
    pub kind: LabelKind,
    /// Its text.
    pub text: Text,
    /// Where it is drawn.
    pub at: Option<Point>,
}

/// Kinds of labels.
#[derive(Clone, PartialEq, Eq, Debug)]
#[expect(missing_docs, reason = "the names say it")]
pub enum LabelKind {
    Invariant,
    ExponentialRate,
    Select,
    Guard,
    Synchronisation,
    Assignment,
    Probability,
    Comments,
    TestCode,
    TestCodeEnter,
    TestCodeExit,
    /// Another kind, kept and ignored.
    Other(String),
}

impl LabelKind {
    /// The kind that UPPAAL's XML calls by this name.
    pub fn from_name(name: &str) -> Self {
        match name {
            "invariant" => Self::Invariant,
            "exponentialrate" => Self::ExponentialRate,
            "select" => Self::Select,
            "guard" => Self::Guard,
            "synchronisation" => Self::Synchronisation,
            "assignment" => Self::Assignment,
            "probability" => Self::Probability,
            "comments" => Self::Comments,
            "testcode" => Self::TestCode,
            "testcodeEnter" => Self::TestCodeEnter,
            "testcodeExit" => Self::TestCodeExit,
            other => Self::Other(other.to_owned()),
        }
    }

    /// The name in UPPAAL's XML.
    pub fn name(&self) -> &str {
        match self {
            Self::Invariant => "invariant",
            Self::ExponentialRate => "exponentialrate",
            Self::Select => "select",
            Self::Guard => "guard",
            Self::Synchronisation => "synchronisation",
            Self::Assignment => "assignment",
            Self::Probability => "probability",
            Self::Comments => "comments",
            Self::TestCode => "testcode",
            Self::TestCodeEnter => "testcodeEnter",
            Self::TestCodeExit => "testcodeExit",
            Self::Other(name) => name,
        }
    }
}

/// A query of a file.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Query {
    /// The formula.
    pub formula: Text,
    /// What the author says about it.
    pub comment: Text,
    /// Options: keys and values.
    pub options: Vec<(String, String)>,
    /// What the author expects.
    pub expectation: Option<Outcome>,
    /// What an earlier check said.
    pub results: Vec<Outcome>,
}

/// An answer that a file states, as attributes of XML.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Outcome {
    /// `success`, `failure`, `maybe_true`, `maybe_false`, `error`.
    pub outcome: Option<String>,
    /// `symbolic`, `quality`, `quantity`, `probability`, `interval`.
    pub kind: Option<String>,
    /// The value.
    pub value: Option<String>,
    /// When it was found.
    pub timestamp: Option<String>,
    /// Further text.
    pub details: Option<String>,
}

impl Location {
    /// The text of the label of a kind, if it says anything.
    pub fn label(&self, kind: &LabelKind) -> Option<&Text> {
        find(&self.labels, kind)
    }
}

impl Edge {
    /// The text of the label of a kind, if it says anything.
    pub fn label(&self, kind: &LabelKind) -> Option<&Text> {
        find(&self.labels, kind)
    }
}

fn find<'a>(labels: &'a [Label], kind: &LabelKind) -> Option<&'a Text> {
    labels
        .iter()
        .find(|label| label.kind == *kind && !label.text.is_blank())
        .map(|label| &label.text)
}

/// The name of a live sequence chart and where it stands, from the raw XML of the chart.
pub(crate) fn chart_name(chart: &Text) -> Option<(String, Span)> {
    let tag = chart.text.find("<name")?;
    let start = tag + chart.text[tag..].find('>')? + 1;
    let end = start + chart.text[start..].find('<')?;
    let name = chart.text[start..end].trim();
    let start = start + (chart.text[start..end].len() - chart.text[start..end].trim_start().len());
    Some((name.to_owned(), chart.locate(start..start + name.len())))
}
