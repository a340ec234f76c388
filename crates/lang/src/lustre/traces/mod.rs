//! Tables of recorded steps of a program, whole: CSV and JSON lines.
//!
//! - CSV: one row of names, then a row per step; a blank line ends a test.
//! - JSON lines: an object per step, `{"test": 0, "step": 0, "x": 1}`. `test` and `step` are numbers, and are no variables
//!   unless the program has them. Both may be left out; otherwise tests are numbered 0, 1, 2 … in their order, and steps 0, 1,
//!   2 … in each. A new test begins where `test` changes, or, without that, where `step` is 0.
//!
//! Truth is `0`, `1`, `false` or `true`; a value of an enumeration is its name or its position; a
//! real number is a decimal or a fraction of two numbers (`1/3`), and is read exactly. Every step has a
//! value for every column, and every input of the program is a column.

mod csv;
mod jsonl;
mod values;

use punctual_model::{
    ValueType, VarId,
    lustre::{Program, Table, Type},
};
use rustc_hash::FxHashMap;

use super::Reading;
use crate::{
    Input, Span,
    diagnostic::{Diagnostic, Diagnostics, closest},
};

pub use csv::write_csv;
pub use jsonl::write_jsonl;

/// What to do with columns that the program does not have.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Unknown {
    /// Say that there is no such variable.
    #[default]
    Refuse,
    /// Leave them out.
    Ignore,
    /// Leave them out, and do not ask for columns of all inputs: what a system showed.
    Partial,
}

/// How many mistakes of a table are told.
const ERRORS_MAX: usize = 20;

/// Reads a table of a program from CSV.
pub fn read_csv(input: Input<'_>, program: &Program) -> Reading<Table> {
    read_csv_with(input, program, Unknown::Refuse)
}

/// Reads a table of a program from CSV, which may have other columns.
pub fn read_csv_with(input: Input<'_>, program: &Program, unknown: Unknown) -> Reading<Table> {
    Reading::deep(input, |text, diagnostics| {
        csv::read(text, &Names::new(program, unknown), diagnostics)
    })
}

/// Reads a table of a program from JSON lines.
pub fn read_jsonl(input: Input<'_>, program: &Program) -> Reading<Table> {
    read_jsonl_with(input, program, Unknown::Refuse)
}

/// Reads a table of a program from JSON lines, which may have other keys.
pub fn read_jsonl_with(input: Input<'_>, program: &Program, unknown: Unknown) -> Reading<Table> {
    Reading::deep(input, |text, diagnostics| {
        jsonl::read(text, &Names::new(program, unknown), diagnostics)
    })
}

/// What a variable of a type can be, whatever its range.
pub(crate) fn value_type(program: &Program, ty: Type) -> ValueType {
    match ty {
        Type::Bool => ValueType::Bool,
        Type::Int => ValueType::INT,
        Type::Real => ValueType::Real,
        Type::Enum(id) => ValueType::Enum(program.enums[id].values.clone()),
    }
}

/// The variables of a program by name.
struct Names<'p> {
    program: &'p Program,
    vars: FxHashMap<&'p str, VarId>,
    unknown: Unknown,
}

impl<'p> Names<'p> {
    fn new(program: &'p Program, unknown: Unknown) -> Self {
        let vars = program.vars.enumerate().map(|(id, var)| (var.name.as_str(), id)).collect();
        Self { program, vars, unknown }
    }

    /// The variable of a column. Reports it if there must be one.
    fn column(&self, name: &str, span: Span, diagnostics: &mut Diagnostics) -> Option<VarId> {
        let found = self.vars.get(name).copied();
        if found.is_none() && self.unknown == Unknown::Refuse {
            // Looking for what is meant takes long: only for the first few.
            let looked = diagnostics.error_count() < ERRORS_MAX;
            let mut names: Vec<&str> = self.vars.keys().copied().filter(|_| looked).collect();
            names.sort_unstable();
            let help = closest(name, names).map(|name| format!("did you mean `{name}`?"));
            let message = format!("`{}` has no variable `{name}`", self.program.name);
            diagnostics.push(Diagnostic::error("table::unknown", span, message).maybe_help(help));
        }
        found
    }

    /// The names of variables, and what they can be. Whether a value is in the range of its variable is
    /// not for a table to say.
    fn types(&self, vars: &[VarId]) -> Vec<(String, ValueType)> {
        let of = |var: &VarId| {
            let var = &self.program.vars[*var];
            (var.name.clone(), value_type(self.program, var.ty))
        };
        vars.iter().map(of).collect()
    }

    /// Reports inputs without a column.
    fn complete(&self, columns: &[VarId], span: Span, diagnostics: &mut Diagnostics) {
        let missing: Vec<_> = (self.program.inputs())
            .filter(|input| !columns.contains(input))
            .map(|input| format!("`{}`", self.program.vars[input].name))
            .collect();
        if missing.is_empty() || self.unknown == Unknown::Partial {
            return;
        }
        const SHOWN_MAX: usize = 5;
        let more = match missing.len().saturating_sub(SHOWN_MAX) {
            0 => String::new(),
            n => format!(" and {n} more"),
        };
        let shown = missing[..missing.len().min(SHOWN_MAX)].join(", ");
        let message = format!("there is no column for {shown}{more}");
        diagnostics.push(
            Diagnostic::error("table::missing", span, message)
                .help("a table has a column for every input of the program"),
        );
    }
}
