//! `[requirements.NAME]`: what has to be seen outside after something was set outside, and how soon.

use punctual_model::testing::platform::{Line, Requirement};
use punctual_model::{Value, VarId};
use toml::de::DeValue;

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
        &self,
        top: &Section<'_>,
        (inputs, outputs): (&[Line], &[Line]),
        diagnostics: &mut Diagnostics,
    ) -> Vec<Requirement> {
        let mut found = Vec::new();
        for (key, value) in top.entries("requirements", diagnostics) {
            let name = key.get_ref().to_string();
            let DeValue::Table(table) = value.get_ref() else {
                let kind = table::kind(value.get_ref());
                let message = format!("`{name}` must be a table, not {kind}");
                diagnostics.push(Diagnostic::error("toml::type", span(value), message));
                continue;
            };
            let known = ["when", "while", "then", "within"];
            let place = span(key);
            let section = Section::of("requirements", self.file, table, place, &known, diagnostics);
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
            let when = self.holds(&section, "when", (Side::Inputs, inputs), diagnostics);
            let given = self.holds(&section, "while", (Side::Outputs, outputs), diagnostics);
            let then = self.holds(&section, "then", (Side::Outputs, outputs), diagnostics);
            let within_ns = section.duration("within", 1, diagnostics);
            let (Some(when), Some(then), Some(within_ns)) = (when, then, within_ns) else {
                continue;
            };
            found.push(Requirement { name, when, given, then, within_ns });
        }
        found
    }

    /// A variable outside and its value.
    fn holds(
        &self,
        section: &Section<'_>,
        key: &str,
        (side, lines): (Side, &[Line]),
        diagnostics: &mut Diagnostics,
    ) -> Option<(usize, Value)> {
        let value = section.value(key)?;
        let DeValue::Table(table) = value.get_ref() else {
            let message = format!("`{key}` must be a table, not {}", table::kind(value.get_ref()));
            diagnostics.push(Diagnostic::error("toml::type", span(value), message).help(HELP));
            return None;
        };
        let mut entries = table.iter();
        let (Some((name, said)), None) = (entries.next(), entries.next()) else {
            let message = format!("`{key}` must name one variable and its value");
            let wrong = Diagnostic::error("platform::requirement", span(value), message);
            diagnostics.push(wrong.help(HELP));
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
