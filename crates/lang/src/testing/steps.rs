//! Synchronous programs as systems under test: their ports.

use punctual_model::{
    Interface, Port, PortRole, TimeScale, ValueType, VarId, Wired,
    lustre::{Program, Role},
};

use super::{Steps, table::Section};
use crate::{
    diagnostic::{Diagnostic, Diagnostics, closest},
    lustre::traces::value_type,
    steering::{Named, file_name, named},
};

/// Reads `[steps]`. The period is the time unit if it is not said.
pub(crate) fn steps(
    top: &Section<'_>,
    time: Option<TimeScale>,
    diagnostics: &mut Diagnostics,
) -> Option<Steps> {
    let known = ["model", "main", "period", "tests", "observe"];
    let section = top.section("steps", &known, diagnostics);
    if !section.exists() {
        return None;
    }
    let model = file_name(&section, "model", diagnostics);
    if section.key("model").is_none() {
        let message = "`model` is missing in `[steps]`";
        let help = "the Lustre file of the steps, such as `model = \"loop.lus\"`";
        diagnostics.push(Diagnostic::error("toml::missing", section.span, message).help(help));
    }
    let period_ns = section.duration("period", 1, diagnostics);
    Some(Steps {
        main: section.text("main", diagnostics).map(named),
        period_ns: period_ns.or(time.map(|time| time.unit_ns)).unwrap_or(1_000_000),
        tests: file_name(&section, "tests", diagnostics),
        observe: section.texts("observe", diagnostics).into_iter().map(named).collect(),
        model: model?,
    })
}

/// The interface of a synchronous program: a port for each input and output.
#[must_use]
pub fn interface_of(program: &Program, time: TimeScale) -> Interface {
    let mut interface = Interface::new(time);
    let inputs = program.inputs().map(|var| port_of(program, var, PortRole::Input));
    let outputs = program.outputs().map(|var| port_of(program, var, PortRole::Output));
    interface.ports = inputs.chain(outputs).collect();
    interface
}

/// A variable of a synchronous program as a port.
#[must_use]
pub fn port_of(program: &Program, var: VarId, role: PortRole) -> Port {
    let var = &program.vars[var];
    let ty = match (value_type(program, var.ty), var.range) {
        (ValueType::Int { .. }, Some((least, greatest))) => ValueType::Int { least, greatest },
        (ty, _) => ty,
    };
    Port { name: var.name.clone(), ty, role }
}

impl Steps {
    /// Adds the ports of the program to an interface: inputs, outputs, and what is observed beside them.
    /// Says what is wrong instead if names are not there, or stand for something else already.
    #[must_use]
    pub fn add_ports(&self, program: &Program, wired: &mut Wired) -> Vec<Diagnostic> {
        let mut diagnostics = Diagnostics::new();
        let time = wired.interface.time;
        let own = interface_of(program, time).ports;
        let mut found: Vec<(Port, &Named)> =
            own.iter().map(|port| (port.clone(), &self.model)).collect();
        for name in &self.observe {
            match program.var(&name.text) {
                None => {
                    let names = program.vars.iter().map(|var| var.name.as_str());
                    let help = closest(&name.text, names).map(|it| format!("did you mean `{it}`?"));
                    let message = format!("`{}` has no variable `{}`", program.name, name.text);
                    let unknown = Diagnostic::error("steps::unknown", name.span, message);
                    diagnostics.push(unknown.maybe_help(help));
                }
                Some(var) if program.vars[var].role == Role::Input => {
                    let message = format!("`{}` is an input of the program", name.text);
                    diagnostics.push(Diagnostic::error("steps::input", name.span, message));
                }
                Some(var) => found.push((port_of(program, var, PortRole::Observed), name)),
            }
        }
        for (at, (port, place)) in found.iter().enumerate() {
            let interface = &wired.interface;
            let message = if interface.port(&port.name).is_some() {
                format!("`{}` is a port of the timed model, too", port.name)
            } else if found[..at].iter().any(|(earlier, _)| earlier.name == port.name) {
                format!("`{}` is there twice", port.name)
            } else {
                continue;
            };
            diagnostics.push(Diagnostic::error("steps::twice", place.span, message));
        }
        if !diagnostics.has_errors() {
            for (port, _) in found {
                wired.interface.ports.push(port);
                wired.places.push(None);
            }
        }
        diagnostics.into_sorted()
    }
}
