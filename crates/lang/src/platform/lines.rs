//! `[inputs.NAME]` and `[outputs.NAME]`: what leads to a variable of the program, or from it.

use punctual_model::testing::platform::{Delay, Form, Line};
use punctual_model::{Value, ValueType, VarId};
use toml::de::DeValue;

use super::{Reader, Side, delay, form};
use crate::{
    Span,
    diagnostic::{Diagnostic, Diagnostics, closest},
    lustre::traces::value_type,
    testing::{
        port_of,
        table::{self, Entry, Section, span},
    },
    values,
};

impl Reader<'_> {
    /// The lines of a side: those of tables, and one to one for all other variables.
    pub(super) fn lines(
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

/// A variable that is connected one to one.
fn plain(variable: VarId, outside: String, delay: Delay) -> Line {
    let form = Form::Same;
    Line { variable, outside, form, delay, sampling_ns: None, is_latched: false }
}
