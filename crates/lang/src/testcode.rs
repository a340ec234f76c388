//! Test code: pieces of text that the author of a model writes to its locations and edges, for tests in any language
//! (UPPAAL's Yggdrasil).
//!
//! A location has code for when it is entered and code for when it is left, an edge has code for when it is taken. Inside
//! of it, `$(…)` stands for a value of the state: a variable of the process or of the model, a parameter, a value that
//! the edge selects, `Process.variable`, or an expression over those. `\$` and `\\` are a dollar and a backslash. Comments of
//! the system section say what stands before and behind the code of a test, and how files are called.
//!
//! `DIFFERENCE(yggdrasil)`: there is time. `$(now)` is the instant of a step and `$(delay)` the time since the step
//! before it, unless the model declares something of that name.
//!
//! Test code is read when somebody asks for it: what is wrong in it does not make a model wrong.
//! Not here: runs. Who walks along one says what the values are.

mod comments;
mod split;

use punctual_model::{ClockId, EdgeId, IdVec, LocationId, ProcessId, StateExpr};

use crate::{
    Model,
    diagnostic::{Diagnostic, Diagnostics},
    document::{Document, LabelKind, Template},
    stack::with_stack,
    uppaal::{build, syntax},
};

pub(crate) use split::{Parsed, Piece as ParsedPiece, TemplateCode};

/// All test code of a model.
#[derive(Clone, PartialEq, Debug)]
pub struct TestCode {
    /// The text before the code of each test; empty if the model has none.
    pub prefix: String,
    /// The text behind the code of each test; empty if the model has none.
    pub postfix: String,
    /// The name of a file, before its number.
    pub file_name: String,
    /// The name of a file, behind its number.
    pub extension: String,
    /// The code of each process; no process has any in formats without test code.
    pub processes: IdVec<ProcessId, ProcessCode>,
}

/// The code of the locations and edges of a process.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct ProcessCode {
    /// The code for when a location is entered, also at the start.
    pub enter: IdVec<LocationId, Code>,
    /// The code for when a location is left.
    pub exit: IdVec<LocationId, Code>,
    /// The code of the edges.
    pub edges: IdVec<EdgeId, EdgeCode>,
}

/// The code of an edge.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct EdgeCode {
    /// The code of the edge itself. Its local integers are what the edge selects.
    pub edge: Code,
    /// The code of each branch behind a branchpoint, or of none. Its local integers are what the branch selects.
    pub branches: Vec<Code>,
}

/// A text with holes for values.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Code {
    /// The pieces, one after the other.
    pub pieces: Vec<Piece>,
}

/// A piece of code.
#[derive(Clone, PartialEq, Debug)]
pub enum Piece {
    /// Text as it is.
    Text(String),
    /// A value in its place.
    Value(Value),
}

/// What a value in code is.
#[derive(Clone, PartialEq, Debug)]
pub enum Value {
    /// An integer or a truth value (0 or 1) of the state.
    Int(StateExpr),
    /// The value of a clock.
    Clock(ClockId),
    /// The instant of the step, in time units of the model.
    Now,
    /// The time since the step before, in time units of the model.
    Delay,
}

impl TestCode {
    /// Whether no location and no edge has code.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.processes.iter().all(|process| {
            let of_edge =
                |it: &EdgeCode| it.edge.is_empty() && it.branches.iter().all(Code::is_empty);
            process.enter.iter().chain(&process.exit).all(Code::is_empty)
                && process.edges.iter().all(of_edge)
        })
    }
}

impl Code {
    /// Whether there is no code.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    /// Appends the code to a text as lines of its own, with values in the place of holes.
    ///
    /// # Errors
    /// If a value can not be told.
    pub fn write<E>(
        &self,
        out: &mut String,
        mut value: impl FnMut(&Value) -> Result<String, E>,
    ) -> Result<(), E> {
        for piece in &self.pieces {
            match piece {
                Piece::Text(text) => out.push_str(text),
                Piece::Value(it) => out.push_str(&value(it)?),
            }
        }
        if !self.is_empty() {
            out.push('\n');
        }
        Ok(())
    }
}

/// The test code of a model, and what is suspicious about it. Formats without templates have none.
///
/// # Errors
/// If something in the code is wrong: all of it, in the order of the file.
pub fn read(model: &Model) -> Result<(TestCode, Vec<Diagnostic>), Vec<Diagnostic>> {
    let mut diagnostics = Diagnostics::new();
    let nothing = Document::default();
    let document = model.document.as_ref().unwrap_or(&nothing);
    let code = with_stack(|| {
        let mut code = comments::read(&document.system, &mut diagnostics);
        code.processes = processes(document, &mut diagnostics);
        code
    });
    let is_wrong = diagnostics.has_errors();
    let said = diagnostics.into_sorted();
    if is_wrong { Err(said) } else { Ok((code, said)) }
}

fn processes(document: &Document, diagnostics: &mut Diagnostics) -> IdVec<ProcessId, ProcessCode> {
    let templates: Vec<TemplateCode> =
        document.templates.iter().map(|template| of_template(template, diagnostics)).collect();
    // The model was read before: what was wrong or suspicious there was said then.
    let syntax = syntax::parse(document, &[], &mut Diagnostics::new());
    build::test_code(&syntax, &templates, diagnostics)
}

fn of_template(template: &Template, diagnostics: &mut Diagnostics) -> TemplateCode {
    diagnostics.enter(format!("template {}", template.name.text));
    let mut code = TemplateCode::default();
    for location in &template.locations {
        let mut of = |kind| match location.label(&kind) {
            Some(text) => split::split(text, diagnostics),
            None => Parsed::default(),
        };
        code.enter.push(of(LabelKind::TestCodeEnter));
        code.exit.push(of(LabelKind::TestCodeExit));
    }
    for edge in &template.edges {
        code.edges.push(match edge.label(&LabelKind::TestCode) {
            Some(text) => split::split(text, diagnostics),
            None => Parsed::default(),
        });
    }
    diagnostics.leave();
    code
}
