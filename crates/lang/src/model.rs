//! The front door: a file becomes a [`Model`], or diagnostics.

use punctual_model::{ClockId, IdVec, Network, ProcessId, Property};

use crate::{
    SourceFile, Span, decode,
    diagnostic::{Diagnostic, Diagnostics},
    document::{Document, Outcome, Query},
    format::{self, Format},
    json,
    stack::with_stack,
    tchecker,
    uppaal::{build, query_file, syntax, xml, xta},
};

/// What was found in a file. Warnings may come with a model; errors come without.
pub struct Reading {
    /// The file, for rendering diagnostics.
    pub file: SourceFile,
    /// The model, if there is no error.
    pub model: Option<Model>,
    /// Everything that is wrong, in the order of the file.
    pub diagnostics: Vec<Diagnostic>,
    /// The file of queries, if one was given.
    pub query_file: Option<SourceFile>,
    /// What is wrong with the file of queries as such.
    pub query_diagnostics: Vec<Diagnostic>,
}

/// A model that was read.
pub struct Model {
    /// The format of its file.
    pub format: Format,
    /// The file as its author laid it out; none for formats without templates.
    pub document: Option<Document>,
    /// What it means.
    pub network: Network,
    /// Where the parts of the network stand in the file.
    pub source_map: SourceMap,
    /// The queries of the file, also those that are wrong.
    pub queries: Vec<QueryEntry>,
}

/// Where processes, locations, edges and clocks stand in the file. Empty for formats that do not tell.
#[derive(Clone, Debug, Default)]
pub struct SourceMap {
    /// For each process of the network.
    pub processes: IdVec<ProcessId, ProcessSpans>,
    /// For each clock of the network, its name in the declaration.
    pub clocks: IdVec<ClockId, Span>,
}

/// The places of a process.
#[derive(Clone, Debug, Default)]
pub struct ProcessSpans {
    /// For each location.
    pub locations: Vec<Span>,
    /// For each edge.
    pub edges: Vec<Span>,
}

/// A query of a model file. A wrong query does not make the model wrong.
#[derive(Clone, Debug)]
pub struct QueryEntry {
    /// Its text, on one line.
    pub text: String,
    /// What its author says about it.
    pub comment: String,
    /// Where it stands.
    pub span: Span,
    /// Whether it comes from a file of queries, and not from the model.
    pub from_query_file: bool,
    /// What its author expects.
    pub expectation: Option<Outcome>,
    /// What it asks; none if it is wrong.
    pub property: Option<Property>,
    /// What is wrong with it.
    pub diagnostics: Vec<Diagnostic>,
}

/// A file that is not read yet: its name and its bytes.
#[derive(Clone, Copy, Debug)]
pub struct Input<'i> {
    /// What the user calls it.
    pub name: &'i str,
    /// Its content.
    pub bytes: &'i [u8],
}

/// Reads a model from the bytes of a file. The format is told by the content.
pub fn read(name: &str, bytes: &[u8]) -> Reading {
    read_with_queries(Input { name, bytes }, None)
}

/// Reads a model, and the queries of another file about it.
pub fn read_with_queries(model: Input<'_>, queries: Option<Input<'_>>) -> Reading {
    // Reading recurses over the structure of expressions; the parsers bound how deep that is.
    with_stack(|| read_here(model, queries))
}

fn read_here(model: Input<'_>, queries: Option<Input<'_>>) -> Reading {
    let mut query_diagnostics = Diagnostics::new();
    let query_file = queries.map(|queries| decoded(queries, &mut query_diagnostics));
    let split = match &query_file {
        Some(file) if !query_diagnostics.has_errors() => {
            query_file::split(file, &mut query_diagnostics)
        }
        _ => Vec::new(),
    };
    let mut diagnostics = Diagnostics::new();
    let file = decoded(model, &mut diagnostics);
    let model = match diagnostics.has_errors() {
        true => None,
        false => read_file(&file, &split, &mut diagnostics),
    };
    Reading {
        model: model.filter(|_| !diagnostics.has_errors()),
        file,
        diagnostics: diagnostics.into_sorted(),
        query_file,
        query_diagnostics: query_diagnostics.into_sorted(),
    }
}

/// The text of a file; what can not be decoded is shown as well as it can be.
pub(crate) fn decoded(input: Input<'_>, diagnostics: &mut Diagnostics) -> SourceFile {
    decode(input.name, input.bytes, diagnostics).unwrap_or_else(|| SourceFile {
        name: input.name.to_owned(),
        text: String::from_utf8_lossy(input.bytes).into_owned(),
    })
}

/// The model of a file that was decoded, with queries of another file.
pub(crate) fn read_file(
    file: &SourceFile,
    queries: &[Query],
    diagnostics: &mut Diagnostics,
) -> Option<Model> {
    let Some(format) = format::detect(&file.name, &file.text) else {
        diagnostics.push(
            Diagnostic::error("format::unknown", Span::first_of(&file.text), "this is not a model")
                .label("not UPPAAL XML, XTA, TChecker or JSON")
                .help("`punctual show --help` lists the formats"),
        );
        return None;
    };
    let document = match format {
        Format::UppaalXml => xml::read(file, diagnostics)?,
        Format::Xta => xta::read(file, diagnostics)?,
        Format::TChecker => return flat(format, tchecker::read(file, diagnostics)?, queries),
        Format::Json => return flat(format, json::read(file, diagnostics)?, queries),
        Format::Queries => {
            diagnostics.push(
                Diagnostic::error(
                    "format::queries",
                    Span::first_of(&file.text),
                    "this file holds queries, not a model",
                )
                .help("name the model that the queries are about"),
            );
            return None;
        }
    };
    from_document(format, document, queries, diagnostics)
}

/// The model of a document: parsed, checked, instantiated; with queries of another file.
pub fn from_document(
    format: Format,
    document: Document,
    queries: &[Query],
    diagnostics: &mut Diagnostics,
) -> Option<Model> {
    let syntax = syntax::parse(&document, queries, diagnostics);
    let built = build::build(&syntax, diagnostics)?;
    Some(Model {
        format,
        document: Some(document),
        network: built.network,
        source_map: built.source_map,
        queries: built.queries,
    })
}

/// A model without a document of UPPAAL.
fn flat(format: Format, mut network: Network, queries: &[Query]) -> Option<Model> {
    let queries = build::queries_about(&mut network, queries);
    let source_map = SourceMap::default();
    Some(Model { format, document: None, network, source_map, queries })
}
