//! `platform.toml`, or the table `[platform]` of a `punctual.toml`: what lies between a tester and a synchronous program.
//!
//! [`read`] resolves the file against the program, [`print()`] writes it, [`is_in`] says whether a `punctual.toml` has that table. A variable that has no table of its own is connected one to one, with
//! the delay that `[delays]` has for its side. All errors of a file are reported at once.
//!
//! Not here: what delays mean.

mod delay;
mod form;
mod print;
mod requirement;

use punctual_model::lustre::{Program, Role};
use punctual_model::testing::platform::{Delay, Drift, Events, Line, Platform};
use punctual_model::{Value, ValueType, VarId};
use toml::de::{DeTable, DeValue};

pub use print::print;

pub use crate::reading::Reading;

use crate::{
    Input, SourceFile, Span,
    diagnostic::{Diagnostic, Diagnostics, closest},
    lustre::traces::value_type,
    testing::{
        SECTIONS, port_of,
        table::{self, Entry, Section, span},
    },
    values,
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
/// left alone.
pub fn read(program: &Program, input: Input<'_>) -> Reading<Platform> {
    Reading::of(input, |file, diagnostics| {
        let parsed = table::parse(file, diagnostics)?;
        let parsed = parsed.get_ref();
        if !parsed.iter().any(|(key, _)| key.get_ref() == TABLE) {
            let top = Section::top(file, parsed, &KEYS, diagnostics);
            return Reader { file, program, above: "" }.platform(&top, diagnostics);
        }
        let top = Section::top(file, parsed, &SECTIONS, diagnostics);
        let section = top.section(TABLE, &KEYS, diagnostics);
        let reader = Reader { file, program, above: "platform." };
        section.exists().then(|| reader.platform(&section, diagnostics))?
    })
}

/// Whether a `punctual.toml` has a table `[platform]`, be it right or wrong.
#[must_use]
pub fn is_in(bytes: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(bytes) else { return false };
    let (table, errors) = DeTable::parse_recoverable(text);
    errors.is_empty() && table.get_ref().iter().any(|(key, _)| key.get_ref() == TABLE)
}

struct Reader<'r> {
    file: &'r SourceFile,
    program: &'r Program,
    /// What stands before the names of its tables in the file.
    above: &'static str,
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
    fn platform(&self, top: &Section<'_>, diagnostics: &mut Diagnostics) -> Option<Platform> {
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
        let requirements = self.requirements(top, (&inputs, &outputs), diagnostics);
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

    fn lines(
        &self,
        side: Side,
        top: &Section<'_>,
        initial: &mut [Value],
        diagnostics: &mut Diagnostics,
    ) -> Vec<Line> {
        let delays = top.section("delays", &["inputs", "outputs"], diagnostics);
        let usual = delays.value(side.section());
        let usual =
            usual.and_then(|value| delay::read(side.section(), self.file, value, diagnostics));
        let mut tables: Vec<(VarId, Entry<'_>)> = Vec::new();
        for entry in top.entries(side.section(), diagnostics) {
            if let Some(var) = self.variable(side, entry, diagnostics) {
                tables.push((var, entry));
            }
        }
        let mut lines: Vec<Line> = Vec::new();
        let mut unconnected: Vec<String> = Vec::new();
        let mut places: Vec<(String, Span, ValueType)> = Vec::new();
        for var in self.program.vars.ids() {
            if self.program.vars[var].role != side.role() {
                continue;
            }
            let name = &self.program.vars[var].name;
            let Some((_, entry)) = tables.iter().find(|(it, _)| *it == var) else {
                let Some(delay) = usual.clone() else {
                    unconnected.push(format!("`{name}`"));
                    continue;
                };
                lines.push(plain(var, name.clone(), delay));
                continue;
            };
            let Some(line) = self.line(side, (var, *entry), usual.as_ref(), initial, diagnostics)
            else {
                continue;
            };
            for (outside, place, delay) in line.outside {
                let ty = line.line.form.ty(&value_type(self.program, self.program.vars[var].ty));
                let twice = places.iter().find(|(it, ..)| *it == outside);
                match twice {
                    Some((_, earlier, _)) if side == Side::Outputs => {
                        let message = format!("`{outside}` shows two outputs");
                        let wrong = Diagnostic::error("platform::twice", place, message);
                        diagnostics.push(wrong.also(*earlier, "first here"));
                    }
                    Some((_, earlier, other)) if *other != ty => {
                        let message = format!("`{outside}` is something else for another input");
                        let wrong = Diagnostic::error("platform::types", place, message);
                        diagnostics.push(wrong.also(*earlier, "here"));
                    }
                    _ => places.push((outside.clone(), place, ty)),
                }
                lines.push(Line { outside, delay, ..line.line.clone() });
            }
        }
        if !unconnected.is_empty() && delays.value(side.section()).is_none() {
            const NAMED_MAX: usize = 5;
            let [word, _] = side.words();
            let more = unconnected.len().saturating_sub(NAMED_MAX);
            unconnected.truncate(NAMED_MAX);
            let names = unconnected.join(", ");
            let message = match (more, unconnected.len()) {
                (0, 1) => format!("nothing is said of the {word} {names}"),
                (0, _) => format!("nothing is said of the {word}s {names}"),
                (more, _) => format!("nothing is said of the {word}s {names} and {more} more"),
            };
            let help = format!(
                "write `[{1}{0}.NAME]` with its `delay`, or `{0} = \"…\"` in `[{1}delays]` for all that are not told",
                side.section(),
                self.above
            );
            let wrong = Diagnostic::error("platform::unconnected", top.span, message);
            diagnostics.push(wrong.help(help));
        }
        lines
    }

    /// The variable that a table is about.
    fn variable(
        &self,
        side: Side,
        (key, value): Entry<'_>,
        diagnostics: &mut Diagnostics,
    ) -> Option<VarId> {
        let name = key.get_ref().as_ref();
        let [word, _] = side.words();
        let names = || {
            let of = self.program.vars.iter().filter(|var| var.role == side.role());
            of.map(|var| var.name.as_str())
        };
        let found = self.program.var(name);
        let found = found.filter(|var| self.program.vars[*var].role == side.role());
        if found.is_none() {
            let message = format!("`{}` has no {word} `{name}`", self.program.name);
            let help = closest(name, names()).map(|it| format!("did you mean `{it}`?"));
            let wrong = Diagnostic::error("platform::unknown", span(key), message);
            diagnostics.push(wrong.maybe_help(help));
            return None;
        }
        if !matches!(value.get_ref(), DeValue::Table(_)) {
            let message = format!("`{name}` must be a table, not {}", table::kind(value.get_ref()));
            let help =
                format!("write `[{}{}.{name}]` and its keys below", self.above, side.section());
            diagnostics.push(Diagnostic::error("toml::type", span(value), message).help(help));
            return None;
        }
        found
    }

    fn line(
        &self,
        side: Side,
        (var, (key, value)): (VarId, Entry<'_>),
        usual: Option<&Delay>,
        initial: &mut [Value],
        diagnostics: &mut Diagnostics,
    ) -> Option<Connected> {
        let DeValue::Table(table) = value.get_ref() else { return None };
        let [word, outside] = side.words();
        let forms = ["scale", "offset", "whole", "coding"];
        let own: &[&str] = match side {
            Side::Inputs => &["sampling", "latched", "initial"],
            Side::Outputs => &[],
        };
        let known = [&[outside, "delay"][..], &forms, own].concat();
        let place = span(key);
        let section = Section::of(side.section(), self.file, table, place, &known, diagnostics);
        let name = self.program.vars[var].name.clone();
        let ty = port_of(self.program, var, side.port()).ty;
        let delays = match section.value("delay") {
            Some(value) => delay::read_all("delay", self.file, value, diagnostics),
            None if usual.is_none() => {
                let message = format!("the {word} `{name}` has no `delay`");
                let help = "such as `delay = { mean = \"120ms\", deviation = \"25ms\" }`";
                diagnostics.push(Diagnostic::error("platform::delay", place, message).help(help));
                None
            }
            None => usual.cloned().map(|it| vec![it]),
        };
        let names = match section.value(outside).map(|it| it.get_ref()) {
            Some(DeValue::Array(_)) => section.texts(outside, diagnostics),
            _ => section.text(outside, diagnostics).into_iter().collect(),
        };
        let names = match section.key(outside) {
            Some(_) => names.into_iter().map(|word| (word.text, word.span)).collect(),
            None => vec![(name, place)],
        };
        let delays = delays.and_then(|delays| spread(&names, delays, &section, diagnostics));
        if let (Some(value), Side::Inputs) = (section.value("initial"), side) {
            let text = delay::text(value);
            match text.and_then(|text| values::read(&ty, &text)) {
                Some(value) => {
                    let at = self.program.inputs().position(|it| it == var);
                    at.into_iter().for_each(|at| initial[at] = value);
                }
                None => {
                    let message = "it is no value of the input";
                    diagnostics.push(Diagnostic::error("platform::initial", span(value), message));
                }
            }
        }
        let form = form::read(&section, &ty, diagnostics);
        let sampling_ns = section.duration("sampling", 1, diagnostics);
        let is_latched = section.truth("latched", diagnostics).unwrap_or(false);
        let line = Line {
            variable: var,
            outside: String::new(),
            form: form?,
            delay: Delay::NONE,
            sampling_ns,
            is_latched,
        };
        let outside = names.into_iter().zip(delays?);
        Some(Connected { line, outside: outside.map(|((name, at), it)| (name, at, it)).collect() })
    }
}

/// A variable with all that it is connected to, and the delay of each.
struct Connected {
    line: Line,
    outside: Vec<(String, Span, Delay)>,
}

/// A delay for each variable outside: one is that of all.
fn spread(
    names: &[(String, Span)],
    delays: Vec<Delay>,
    section: &Section<'_>,
    diagnostics: &mut Diagnostics,
) -> Option<Vec<Delay>> {
    match (names.len(), &delays[..]) {
        (n, [one]) => Some(vec![one.clone(); n]),
        (n, all) if n == all.len() => Some(delays),
        (n, all) => {
            let message = format!("there are {} delays for {n} variables outside", all.len());
            let place = section.key("delay").unwrap_or(section.span);
            let help = "one delay is that of all of them; a list has one for each, in their order";
            diagnostics.push(Diagnostic::error("platform::delay", place, message).help(help));
            None
        }
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

/// A variable that is connected one to one.
fn plain(variable: VarId, outside: String, delay: Delay) -> Line {
    let form = punctual_model::testing::platform::Form::Same;
    Line { variable, outside, form, delay, sampling_ns: None, is_latched: false }
}

/// False, the first of an enumeration, or the number of a range that is nearest to 0.
fn nearest_zero(ty: &ValueType) -> Value {
    match ty {
        ValueType::Int { least, greatest } => Value::Int(0_i64.clamp(*least, *greatest)),
        ty => ty.of_int(0),
    }
}
