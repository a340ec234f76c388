//! The syntax of a whole model: every text of a document, parsed once.

use super::{ast, parse};
use crate::{
    BYTES_MAX, Span,
    diagnostic::{Diagnostic, Diagnostics},
    document::{self, Document, LabelKind, Outcome},
};

/// A model, parsed.
pub(crate) struct Syntax {
    pub(crate) declarations: Vec<ast::Declaration>,
    pub(crate) templates: Vec<Template>,
    /// The names of live sequence charts, which nothing analyses.
    pub(crate) charts: Vec<ast::Name>,
    pub(crate) system: ast::System,
    /// Where the system section is.
    pub(crate) system_span: Span,
    pub(crate) queries: Vec<Query>,
}

pub(crate) struct Template {
    pub(crate) name: ast::Name,
    pub(crate) params: Vec<ast::Param>,
    pub(crate) declarations: Vec<ast::Declaration>,
    pub(crate) locations: Vec<Location>,
    pub(crate) initial: Option<usize>,
    pub(crate) edges: Vec<Edge>,
    /// For each branchpoint, the edges that leave it.
    pub(crate) branches: Vec<Vec<usize>>,
}

pub(crate) struct Location {
    pub(crate) name: String,
    /// Where its name is; none if its author gave none.
    pub(crate) name_span: Option<Span>,
    pub(crate) committed: bool,
    pub(crate) urgent: bool,
    pub(crate) invariant: Option<ast::Expr>,
    pub(crate) rate: Option<ast::ExponentialRate>,
    pub(crate) span: Span,
}

/// What an edge leaves or enters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum End {
    Location(usize),
    Branchpoint(usize),
}

pub(crate) struct Edge {
    pub(crate) source: End,
    pub(crate) target: End,
    /// `Free → Occ`, for diagnostics.
    pub(crate) title: String,
    pub(crate) target_name: String,
    pub(crate) controllable: bool,
    pub(crate) select: Vec<ast::Binding>,
    pub(crate) guard: Option<ast::Expr>,
    pub(crate) sync: Option<ast::Sync>,
    pub(crate) update: Vec<ast::Expr>,
    pub(crate) probability: Option<ast::Expr>,
    pub(crate) span: Span,
}

/// A query with what is wrong about it.
pub(crate) struct Query {
    pub(crate) text: String,
    pub(crate) comment: String,
    pub(crate) span: Span,
    pub(crate) from_query_file: bool,
    pub(crate) expectation: Option<Outcome>,
    pub(crate) formula: Option<ast::Query>,
    pub(crate) diagnostics: Vec<Diagnostic>,
}

/// Parses all texts of a document, and queries of another file about it.
pub(crate) fn parse(
    document: &Document,
    queries: &[document::Query],
    diagnostics: &mut Diagnostics,
) -> Syntax {
    let declarations = diagnostics.within("global declarations", |diagnostics| {
        parse::declarations(&document.declarations, diagnostics)
    });
    let templates =
        document.templates.iter().map(|template| parse_template(template, diagnostics)).collect();
    let system = diagnostics.within("system declarations", |diagnostics| {
        parse::system(document.instantiation.as_ref(), &document.system, diagnostics)
    });
    let own = document.queries.iter().filter_map(|query| parse_query(query, false));
    let others = queries.iter().filter_map(|query| parse_query(query, true));
    let queries = own.chain(others).collect();
    let charts = document
        .charts
        .iter()
        .filter_map(document::chart_name)
        .map(|(text, span)| ast::Name { text, span })
        .collect();
    Syntax { declarations, templates, charts, system, system_span: document.system.span, queries }
}

/// Places in a file of queries start here while they are checked, behind those of any model: what
/// is said about such a query may speak of both files.
const QUERY_FILE_START: u32 = BYTES_MAX as u32 + 1;

/// Makes a complaint about a query of another file point into that file, and into nothing else.
pub(crate) fn in_query_file(mut diagnostic: Diagnostic, query: Span) -> Diagnostic {
    let place = |span: Span| {
        let start = span.start.checked_sub(QUERY_FILE_START)?;
        Some(Span { start, end: span.end - QUERY_FILE_START })
    };
    diagnostic.span = place(diagnostic.span).unwrap_or(query);
    diagnostic.related = std::mem::take(&mut diagnostic.related)
        .into_iter()
        .filter_map(|(span, label)| Some((place(span)?, label)))
        .collect();
    diagnostic
}

/// A query, unless it is blank.
fn parse_query(query: &document::Query, from_query_file: bool) -> Option<Query> {
    if query.formula.is_blank() {
        return None;
    }
    let mut diagnostics = Diagnostics::new();
    diagnostics.enter("query");
    let formula = match from_query_file {
        true => parse::query(&query.formula.behind(QUERY_FILE_START), &mut diagnostics),
        false => parse::query(&query.formula, &mut diagnostics),
    };
    if formula.is_none() && !diagnostics.has_errors() {
        // Nothing but comments.
        return None;
    }
    let words: Vec<&str> = query.formula.text.split_whitespace().collect();
    Some(Query {
        text: words.join(" "),
        comment: query.comment.text.trim().to_owned(),
        span: query.formula.span,
        from_query_file,
        expectation: query.expectation.clone(),
        formula,
        diagnostics: diagnostics.into_sorted(),
    })
}

fn parse_template(template: &document::Template, diagnostics: &mut Diagnostics) -> Template {
    let name = ast::Name {
        text: template.name.text.trim().to_owned(),
        span: template.name.locate(trimmed(&template.name.text)),
    };
    diagnostics.within(format!("template {}", name.text), |diagnostics| {
        let params = diagnostics.within("parameters", |diagnostics| {
            parse::parameters(&template.parameters, diagnostics)
        });
        let declarations = diagnostics.within("declarations", |diagnostics| {
            parse::declarations(&template.declarations, diagnostics)
        });
        let locations: Vec<Location> = template
            .locations
            .iter()
            .map(|location| parse_location(location, diagnostics))
            .collect();
        refuse_duplicates(template, &locations, diagnostics);
        let ends = Ends::of(template);
        let edges: Vec<Edge> = template
            .edges
            .iter()
            .filter_map(|edge| parse_edge(edge, &ends, &locations, diagnostics))
            .collect();
        let mut branches = vec![Vec::new(); template.branchpoints.len()];
        for (index, edge) in edges.iter().enumerate() {
            if let End::Branchpoint(branchpoint) = edge.source {
                branches[branchpoint].push(index);
            }
        }
        let initial = template.init.as_ref().and_then(|(id, _)| match ends.find(id) {
            Some(End::Location(index)) => Some(index),
            _ => None,
        });
        Template { name, params, declarations, locations, initial, edges, branches }
    })
}

fn parse_location(location: &document::Location, diagnostics: &mut Diagnostics) -> Location {
    // Edges and people need a name: without one, the id of the file serves.
    let name = match location.name.text.trim() {
        "" => location.id.clone(),
        name => name.to_owned(),
    };
    diagnostics.within(format!("location {name}"), |diagnostics| {
        let invariant = location.label(&LabelKind::Invariant).and_then(|text| {
            diagnostics.within("invariant", |diagnostics| parse::expression(text, diagnostics))
        });
        let rate = location.label(&LabelKind::ExponentialRate).and_then(|text| {
            diagnostics.within("exponential rate", |diagnostics| {
                parse::exponential_rate(text, diagnostics)
            })
        });
        Location {
            name: name.clone(),
            name_span: (!location.name.is_blank())
                .then(|| location.name.locate(trimmed(&location.name.text))),
            committed: location.committed,
            urgent: location.urgent,
            invariant,
            rate,
            span: location.span,
        }
    })
}

fn refuse_duplicates(
    template: &document::Template,
    locations: &[Location],
    diagnostics: &mut Diagnostics,
) {
    let mut seen = rustc_hash::FxHashMap::default();
    for (location, parsed) in template.locations.iter().zip(locations) {
        let span = parsed.name_span.unwrap_or(location.span);
        if let Some(earlier) = seen.insert(parsed.name.as_str(), span) {
            diagnostics.push(
                Diagnostic::error(
                    "name::duplicate_location",
                    span,
                    format!("two locations are called `{}`", parsed.name),
                )
                .label("again here")
                .also(earlier, "first here")
                .help("give one of them another name"),
            );
        }
    }
}

fn parse_edge(
    edge: &document::Edge,
    ends: &Ends<'_>,
    locations: &[Location],
    diagnostics: &mut Diagnostics,
) -> Option<Edge> {
    // Ends that do not exist were reported by the reader of the file.
    let (source, target) = (ends.find(&edge.source.0)?, ends.find(&edge.target.0)?);
    let name = |end: End| match end {
        End::Location(index) => locations[index].name.as_str(),
        End::Branchpoint(_) => "branchpoint",
    };
    let title = format!("{} → {}", name(source), name(target));
    diagnostics.enter(format!("edge {title}"));
    let select = match edge.label(&LabelKind::Select) {
        Some(text) => diagnostics.within("select", |diagnostics| parse::select(text, diagnostics)),
        None => Vec::new(),
    };
    let guard = edge.label(&LabelKind::Guard).and_then(|text| {
        diagnostics.within("guard", |diagnostics| parse::expression(text, diagnostics))
    });
    let sync = edge.label(&LabelKind::Synchronisation).and_then(|text| {
        diagnostics.within("synchronisation", |diagnostics| parse::sync(text, diagnostics))
    });
    let update = match edge.label(&LabelKind::Assignment) {
        Some(text) => diagnostics.within("update", |diagnostics| parse::update(text, diagnostics)),
        None => Vec::new(),
    };
    let probability = edge.label(&LabelKind::Probability).and_then(|text| {
        diagnostics.within("weight", |diagnostics| parse::expression(text, diagnostics))
    });
    diagnostics.leave();
    let target_name = name(target).to_owned();
    let controllable = edge.controllable;
    let span = edge.span;
    Some(Edge {
        source,
        target,
        title,
        target_name,
        controllable,
        select,
        guard,
        sync,
        update,
        probability,
        span,
    })
}

/// The locations and branchpoints of a template, by their ids.
struct Ends<'d> {
    ends: rustc_hash::FxHashMap<&'d str, End>,
}

impl<'d> Ends<'d> {
    fn of(template: &'d document::Template) -> Self {
        let locations = template.locations.iter().enumerate();
        let branchpoints = template.branchpoints.iter().enumerate();
        let mut ends = rustc_hash::FxHashMap::default();
        for (index, location) in locations {
            ends.entry(location.id.as_str()).or_insert(End::Location(index));
        }
        for (index, branchpoint) in branchpoints {
            ends.entry(branchpoint.id.as_str()).or_insert(End::Branchpoint(index));
        }
        Self { ends }
    }

    fn find(&self, id: &str) -> Option<End> {
        self.ends.get(id).copied()
    }
}

/// The range of a text without white space around it.
fn trimmed(text: &str) -> std::ops::Range<usize> {
    let start = text.len() - text.trim_start().len();
    start..start + text.trim().len()
}
