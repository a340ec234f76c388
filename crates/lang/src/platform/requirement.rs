//! `[requirements.NAME]`: what has to be seen outside after something was set outside, and how soon; or an automaton that says it (`automaton.rs`).

use punctual_model::testing::platform::{Automaton, Line, Requirement};
use punctual_model::{Value, VarId};
use toml::{Spanned, de::DeValue};

use super::{Reader, Side, delay};
use crate::{
    diagnostic::{Diagnostic, Diagnostics, closest},
    testing::{
        port_of,
        table::{self, Section, span},
    },
    values,
};

const HELP: &str = "such as `when = { \"air in line\" = true }`";

impl Reader<'_> {
    pub(super) fn requirements(
        &mut self,
        top: &Section<'_>,
        (inputs, outputs): (&[Line], &[Line]),
        diagnostics: &mut Diagnostics,
    ) -> (Vec<Requirement>, Vec<Automaton>) {
        let (mut found, mut automata) = (Vec::new(), Vec::new());
        for (key, value) in top.entries("requirements", diagnostics) {
            let name = key.get_ref().to_string();
            let DeValue::Table(table) = value.get_ref() else {
                let kind = table::kind(value.get_ref());
                let message = format!("`{name}` must be a table, not {kind}");
                diagnostics.push(Diagnostic::error("toml::type", span(value), message));
                continue;
            };
            let known = ["when", "while", "then", "within", "automaton", "events", "time-unit"];
            let place = span(key);
            let section = Section::of("requirements", self.file, table, place, &known, diagnostics);
            if section.key("automaton").is_some() {
                let lines = (inputs, outputs);
                automata.extend(self.automaton((name, &section), lines, diagnostics));
                continue;
            }
            for other in ["events", "time-unit"] {
                if let Some(place) = section.key(other) {
                    let message = format!("`{other}` is for requirements with an `automaton`");
                    diagnostics.push(Diagnostic::error("platform::requirement", place, message));
                }
            }
            let examples = [
                ("when", HELP),
                ("then", "such as `then = { siren = true }`"),
                ("within", "such as `within = \"200ms\"`"),
            ];
            for (wanted, help) in examples {
                if section.value(wanted).is_none() {
                    let message = format!("the requirement `{name}` has no `{wanted}`");
                    diagnostics.push(
                        Diagnostic::error("platform::requirement", place, message).help(help),
                    );
                }
            }
            let mut holds = |key: &str, side: (Side, &[Line])| {
                let value = section.value(key)?;
                self.holds((key, value, HELP), side, diagnostics)
            };
            let when = holds("when", (Side::Inputs, inputs));
            let given = holds("while", (Side::Outputs, outputs));
            let then = holds("then", (Side::Outputs, outputs));
            let within_ns = section.duration("within", 1, diagnostics);
            let (Some(when), Some(then), Some(within_ns)) = (when, then, within_ns) else {
                continue;
            };
            found.push(Requirement { name, when, given, then, within_ns });
        }
        (found, automata)
    }

    /// A variable outside and its value.
    pub(super) fn holds(
        &self,
        (key, value, help): (&str, &Spanned<DeValue<'_>>, &str),
        (side, lines): (Side, &[Line]),
        diagnostics: &mut Diagnostics,
    ) -> Option<(usize, Value)> {
        let DeValue::Table(table) = value.get_ref() else {
            let message = format!("`{key}` must be a table, not {}", table::kind(value.get_ref()));
            diagnostics.push(Diagnostic::error("toml::type", span(value), message).help(help));
            return None;
        };
        let mut entries = table.iter();
        let (Some((name, said)), None) = (entries.next(), entries.next()) else {
            let message = format!("`{key}` must name one variable and its value");
            let wrong = Diagnostic::error("platform::requirement", span(value), message);
            diagnostics.push(wrong.help(help));
            return None;
        };
        let word = name.get_ref().as_ref();
        let Some(at) = lines.iter().position(|line| line.outside == word) else {
            let [_, outside] = side.words();
            let message = format!("there is no {outside} variable `{word}`");
            let names = lines.iter().map(|line| line.outside.as_str());
            let help = closest(word, names).map(|it| format!("did you mean `{it}`?"));
            let wrong = Diagnostic::error("platform::unknown", span(name), message);
            diagnostics.push(wrong.maybe_help(help));
            return None;
        };
        let of = |var: VarId| port_of(self.program, var, side.port()).ty;
        let ty = lines[at].form.ty(&of(lines[at].variable));
        let value = delay::text(said).and_then(|text| values::read(&ty, &text));
        if value.is_none() {
            let message = format!("it is no value of `{word}`");
            diagnostics.push(Diagnostic::error("platform::requirement", span(said), message));
        }
        value.map(|value| (at, value))
    }
}
