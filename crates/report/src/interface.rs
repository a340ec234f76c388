//! An interface as text: what is exchanged, and who is system and who environment.

mod picture;

pub use picture::picture;

use crate::{
    outline::{Rows, section},
    view::interface::{Component, Conflict, Interface, Part, Side},
};

/// The interface and the split. Lines are broken at `width` columns, if given.
pub fn text(interface: &Interface, width: Option<u16>) -> String {
    let mut out = format!("{} with {}\n", interface.model, interface.file);
    out += &time(interface);
    for (title, input) in [("Inputs", true), ("Outputs", false)] {
        let of = interface.signals.iter().filter(|signal| signal.input == input);
        let row = of.map(|signal| {
            let carries = match signal.carries.is_empty() {
                true => String::new(),
                false => format!("carries {}", signal.carries.join(", ")),
            };
            vec![signal.name.clone(), carries]
        });
        section(&mut out, title, &Rows::similar(row.collect()), width);
    }
    for (title, parts) in [
        ("Processes", &interface.processes),
        ("Internal channels", &interface.channels),
        ("Variables", &interface.variables),
        ("Clocks", &interface.clocks),
    ] {
        section(&mut out, title, &rows(parts), width);
    }
    section(&mut out, "Components", &components(&interface.components), width);
    conflicts(&mut out, &interface.conflicts);
    let warnings = interface.warnings.iter().map(|warning| vec![warning.clone()]).collect();
    section(&mut out, "Warnings", &Rows::similar(warnings), width);
    out
}

fn time(interface: &Interface) -> String {
    let mut out = format!("1 time unit takes {}", interface.time_unit);
    if interface.resolution != 1 {
        out += &format!(", seen in {} parts", interface.resolution);
    }
    let late =
        [("inputs", &interface.input_uncertainty), ("outputs", &interface.output_uncertainty)];
    for (what, window) in late.into_iter().filter(|(_, window)| !window.is_empty()) {
        out += &format!("; {what} are {window} late");
    }
    if !interface.drift.is_empty() {
        out += &format!("; the clock of the system may be wrong by {}", interface.drift);
    }
    out + "\n"
}

fn word(side: Side) -> &'static str {
    match side {
        Side::System => "system",
        Side::Environment => "environment",
        Side::Both => "both!",
        Side::Nobody => "–",
    }
}

fn rows(parts: &[Part]) -> Rows {
    let row = |part: &Part| vec![part.name.clone(), word(part.side).into(), part.reason.clone()];
    Rows::similar(parts.iter().map(row).collect())
}

fn components(components: &[Component]) -> Rows {
    let row = |component: &Component| {
        vec![component.processes.join(", "), word(component.side).to_owned()]
    };
    Rows::similar(components.iter().map(row).collect())
}

fn conflicts(out: &mut String, conflicts: &[Conflict]) {
    if conflicts.is_empty() {
        return;
    }
    out.push_str("\nConflicts\n");
    for conflict in conflicts {
        out.push_str(&format!("  `{}` would be both system and environment\n", conflict.name));
        for (side, chain) in [("system", &conflict.system), ("environment", &conflict.environment)]
        {
            out.push_str(&format!("    {side}:\n"));
            for sentence in chain {
                out.push_str(&format!("      {sentence}\n"));
            }
        }
    }
}
