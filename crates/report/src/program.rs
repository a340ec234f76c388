//! A synchronous program as text: a summary that fits a screen.

use crate::{
    outline::{Rows, section},
    view::program::{Program, Variable},
};

/// The summary of a program. Lines are broken at `width` columns, if given.
pub fn text(program: &Program, width: Option<u16>) -> String {
    let totals = &program.totals;
    let count = |n: usize, one: &str, many: &str| match n {
        1 => format!("1 {one}"),
        n => format!("{n} {many}"),
    };
    let parts = [
        count(totals.inputs, "input", "inputs"),
        count(totals.outputs, "output", "outputs"),
        count(totals.locals, "local", "locals"),
        count(totals.equations, "equation", "equations"),
        count(totals.memory, "memory", "memories"),
        count(totals.assertions, "assertion", "assertions"),
        count(totals.properties, "property", "properties"),
    ];
    let mut out = format!(
        "{}: {}, node {}\n{}\n",
        program.file,
        program.format,
        program.node,
        parts.join(", ")
    );
    section(&mut out, "Inputs", &variables(&program.inputs), width);
    section(&mut out, "Outputs", &variables(&program.outputs), width);
    section(&mut out, "Imported, so nobody says what they are", &variables(&program.free), width);
    section(&mut out, "Memory", &variables(&program.memory), width);
    let enumerations = program.enumerations.iter();
    let enumerations = enumerations.map(|it| vec![it.name.clone(), it.values.join(", ")]).collect();
    section(&mut out, "Enumerations", &Rows::plain(enumerations), width);
    let properties = program.properties.iter().map(|it| vec![it.clone()]).collect();
    section(&mut out, "Properties", &Rows::plain(properties), width);
    out
}

fn variables(variables: &[Variable]) -> Rows {
    let rows = variables.iter().map(|variable| {
        let range = match variable.range {
            Some((low, high)) => format!("{low} … {high}"),
            None => String::new(),
        };
        vec![variable.name.clone(), variable.ty.clone(), range]
    });
    Rows::plain(rows.collect())
}
