//! `platform.toml`, or the table `[platform]` of a `punctual.toml`: what lies between a tester and a synchronous program.
//!
//! [`read`] resolves the file against the program ([`read_with`] also automata that it names), [`print()`] writes it, [`is_in`] says whether a `punctual.toml` has that table. A variable that has no table of its own is connected one to one, with
//! the delay that `[delays]` has for its side. All errors of a file are reported at once.
//!
//! Not here: what delays mean.

mod automaton;
mod delay;
mod form;
mod lines;
mod print;
mod requirement;

use punctual_model::lustre::{Program, Role};
use punctual_model::testing::platform::{Delay, Drift, Events, Line, Platform};
use punctual_model::{Network, Value, ValueType};
use toml::de::DeTable;

pub use print::print;

pub use crate::reading::Reading;

use crate::{
    Input, SourceFile,
    diagnostic::{Diagnostic, Diagnostics},
    testing::{
        SECTIONS, port_of,
        table::{self, Section, span},
    },
};

/// What is sent together if nothing is said, as in the paper: 10 ms.
const GROUPING_NS: u64 = 10_000_000;

/// The probability of a false alarm if nothing is said, for a whole suite.
const RISK: f64 = 0.01;

/// The table of a `punctual.toml`.
const TABLE: &str = "platform";

const KEYS: [&str; 13] = [
    "step",
    "signal",
    "arrived",
    "grouping",
    "risk",
    "pulses",
    "drift",
    "events",
    "software",
    "delays",
    "inputs",
    "outputs",
    "requirements",
];

/// Reads about the platform of a program: a file of its own, or the table `[platform]` of a `punctual.toml`, whose other tables are
/// left alone. A file that names automata is refused.
pub fn read(program: &Program, input: Input<'_>) -> Reading<Platform> {
    read_with(program, input, &mut |_| Err("other files are not read here".to_owned()))
}

/// The same; `models` reads the automata that the file names, or says why it can not.
pub fn read_with(
    program: &Program,
    input: Input<'_>,
    models: &mut dyn FnMut(&str) -> Result<Network, String>,
) -> Reading<Platform> {
    Reading::of(input, |file, diagnostics| {
        let parsed = table::parse(file, diagnostics)?;
        let parsed = parsed.get_ref();
        if !parsed.iter().any(|(key, _)| key.get_ref() == TABLE) {
            let top = Section::top(file, parsed, &KEYS, diagnostics);
            return Reader { file, program, above: "", models }.platform(&top, diagnostics);
        }
        let top = Section::top(file, parsed, &SECTIONS, diagnostics);
        let section = top.section(TABLE, &KEYS, diagnostics);
        let mut reader = Reader { file, program, above: "platform.", models };
        section.exists().then(|| reader.platform(&section, diagnostics))?
    })
}

/// Whether a `punctual.toml` has a table `[platform]`, be it right or wrong.
#[must_use]
pub fn is_in(bytes: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(bytes) else { return false };
    if text.len() > crate::testing::table::TEXT_MAX {
        return false;
    }
    let (table, errors) = DeTable::parse_recoverable(text);
    errors.is_empty() && table.get_ref().iter().any(|(key, _)| key.get_ref() == TABLE)
}

struct Reader<'r> {
    file: &'r SourceFile,
    program: &'r Program,
    /// What stands before the names of its tables in the file.
    above: &'static str,
    /// Reads an automaton that the file names.
    models: &'r mut dyn FnMut(&str) -> Result<Network, String>,
}

/// Which side of the program.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Inputs,
    Outputs,
}

impl Side {
    fn section(self) -> &'static str {
        match self {
            Side::Inputs => "inputs",
            Side::Outputs => "outputs",
        }
    }

    /// What a variable is called, and the variable outside.
    fn words(self) -> [&'static str; 2] {
        match self {
            Side::Inputs => ["input", "monitored"],
            Side::Outputs => ["output", "controlled"],
        }
    }

    fn role(self) -> Role {
        match self {
            Side::Inputs => Role::Input,
            Side::Outputs => Role::Output,
        }
    }
}

impl Reader<'_> {
    fn platform(&mut self, top: &Section<'_>, diagnostics: &mut Diagnostics) -> Option<Platform> {
        let step_ns = top.duration("step", 1, diagnostics);
        if top.key("step").is_none() {
            let message = "`step` is missing: how long a step of the program takes";
            let help = "such as `step = \"500ms\"`";
            diagnostics.push(Diagnostic::error("platform::step", top.span, message).help(help));
        }
        let risk = top.value("risk").map_or(Some(RISK), |value| {
            let risk = delay::number(value).filter(|it| *it > 0.0 && *it < 1.0);
            if risk.is_none() {
                let message = "`risk` must be greater than 0 and less than 1";
                let help = "the probability that a right system fails, such as `risk = 0.01`";
                diagnostics
                    .push(Diagnostic::error("platform::risk", span(value), message).help(help));
            }
            risk
        });
        let pulses = top.number("pulses", 2, 1_000_000, diagnostics).unwrap_or(0);
        let choices = [("all", Events::All), ("changes", Events::Changes)];
        let events = top.choice("events", &choices, diagnostics).unwrap_or_default();
        let software = top.value("software").map_or(Some(Delay::NONE), |value| {
            delay::read("software", self.file, value, diagnostics)
        });
        let mut initial: Vec<Value> = (self.program.inputs())
            .map(|var| nearest_zero(&port_of(self.program, var, Side::Inputs.port()).ty))
            .collect();
        let inputs = self.lines(Side::Inputs, top, &mut initial, diagnostics);
        let outputs = self.lines(Side::Outputs, top, &mut initial, diagnostics);
        let signal = top.text("signal", diagnostics);
        if let Some(word) = &signal
            && outputs.iter().any(|line| line.outside == word.text)
        {
            let message = format!("`{}` is a controlled variable, too", word.text);
            diagnostics.push(Diagnostic::error("platform::twice", word.span, message));
        }
        let arrived = top.text("arrived", diagnostics);
        if let Some(word) = &arrived {
            let name = |line: &Line| format!("{}{}", word.text, line.outside);
            let is_taken = |name: &String| {
                outputs.iter().any(|it| it.outside == *name)
                    || signal.as_ref().is_some_and(|it| it.text == *name)
            };
            if let Some(name) = inputs.iter().map(name).find(is_taken) {
                let message = format!("`{name}` would tell two things");
                let help =
                    "`arrived` and the name of a monitored variable are the name of an output";
                diagnostics
                    .push(Diagnostic::error("platform::twice", word.span, message).help(help));
            }
        }
        let (requirements, automata) = self.requirements(top, (&inputs, &outputs), diagnostics);
        Some(Platform {
            step_ns: step_ns?,
            inputs,
            outputs,
            software: software?,
            signal: signal.map(|word| word.text),
            arrived: arrived.map(|word| word.text),
            grouping_ns: top.duration("grouping", 0, diagnostics).unwrap_or(GROUPING_NS),
            risk: risk?,
            pulses: pulses as u32,
            events,
            initial,
            drift: self.drift(top, diagnostics),
            requirements,
            automata,
        })
    }

    /// `{ by = 0.5, over = "60s" }`
    fn drift(&self, top: &Section<'_>, diagnostics: &mut Diagnostics) -> Option<Drift> {
        let value = top.value("drift")?;
        let table = top.section("drift", &["by", "over"], diagnostics);
        let over_ns = table.duration("over", 1, diagnostics);
        let by = table.value("by").and_then(delay::number).filter(|it| *it > -1.0 && *it <= 10.0);
        let (Some(by), Some(over_ns)) = (by, over_ns) else {
            let message = "`drift` needs by which share of the means delays change, more than -1 and at most 10, and over which time";
            let help =
                "such as `drift = { by = 0.5, over = \"60s\" }`: half as long again after a minute";
            let at = table.value("by").map_or_else(|| span(value), span);
            diagnostics.push(Diagnostic::error("platform::drift", at, message).help(help));
            return None;
        };
        let tells_steps = top.key("signal").is_some();
        if !tells_steps {
            let message = "delays that drift can not be followed if the platform does not tell when a step is done";
            let help = "`signal` names the output that tells it";
            diagnostics.push(Diagnostic::error("platform::drift", span(value), message).help(help));
            return None;
        }
        Some(Drift { by, over_ns })
    }
}

impl Side {
    fn port(self) -> punctual_model::PortRole {
        match self {
            Side::Inputs => punctual_model::PortRole::Input,
            Side::Outputs => punctual_model::PortRole::Output,
        }
    }
}

/// False, the first of an enumeration, or the number of a range that is nearest to 0.
fn nearest_zero(ty: &ValueType) -> Value {
    match ty {
        ValueType::Int { least, greatest } => Value::Int(0_i64.clamp(*least, *greatest)),
        ty => ty.of_int(0),
    }
}
