//! References to steps: `RFS 5-7, 10`, `RFS SAFA-2`, `RESUME STEP SAFA-2`.

use punctual_model::{FlowId, Id, StepId, usecases::StepRef};

use super::{fields::Kind, lines::RawFlow};
use crate::{Span, Text, diagnostic::Diagnostic};

/// A flow of a use case, for those who refer to it.
pub(super) struct Target {
    /// The letters of its kind and its name, in capital letters without spaces: `SAFA`.
    key: String,
    /// The numbers of its steps with the steps, sorted.
    numbers: Vec<(u32, StepId)>,
}

impl Target {
    pub(super) fn new(flow: &RawFlow) -> Self {
        let mut numbers: Vec<(u32, StepId)> = (flow.steps.iter().enumerate())
            .map(|(at, step)| (step.number, StepId::from_index(at)))
            .collect();
        numbers.sort();
        let key = match flow.kind {
            Kind::Basic => Kind::Basic.letters().to_owned(),
            kind => format!("{}{}", kind.letters(), squeezed(&flow.name)),
        };
        Self { key, numbers }
    }

    /// The step of a number.
    fn step(&self, number: u32) -> Result<StepId, Missing> {
        let from = self.numbers.partition_point(|(it, _)| *it < number);
        match &self.numbers[from..] {
            [(it, _), (other, _), ..] if *it == number && *other == number => Err(Missing::Twice),
            [(it, step), ..] if *it == number => Ok(*step),
            _ => Err(Missing::Absent),
        }
    }

    /// The numbers of all steps, for help lines.
    fn known(&self) -> String {
        match (self.numbers.first(), self.numbers.last()) {
            (Some((first, _)), Some((last, _))) => {
                format!("its steps are numbered from {first} to {last}")
            }
            _ => "it has no steps".to_owned(),
        }
    }
}

enum Missing {
    Absent,
    Twice,
}

/// A name in capital letters, without spaces and without what separates words.
fn squeezed(text: &str) -> String {
    text.chars()
        .filter(|c| !c.is_whitespace() && !matches!(c, '–' | '—'))
        .flat_map(char::to_uppercase)
        .collect()
}

/// The flows of a use case.
pub(super) struct Targets {
    pub(super) flows: Vec<Target>,
}

impl Targets {
    fn flow(&self, flow: FlowId) -> &Target {
        &self.flows[flow.index()]
    }

    /// All steps of a list such as `5-7, 10, SAFA-2`. Numbers alone are those of the flow `usual`.
    ///
    /// # Errors
    /// The first thing that is wrong with the list.
    pub(super) fn list(&self, text: &Text, usual: FlowId) -> Found<Vec<StepRef>> {
        let mut found: Vec<StepRef> = Vec::new();
        let mut start = 0;
        for item in text.text.split_inclusive([',', ';']) {
            let from = start;
            start += item.len();
            let core = item.trim_end_matches([',', ';']).trim().trim_end_matches('.').trim_end();
            let lead = item.len() - item.trim_start().len();
            let span = text.locate(from + lead..from + lead + core.len());
            if core.is_empty() {
                let span = if span.start == span.end { text.span } else { span };
                return wrong(span, "a step is missing here", "");
            }
            found.extend(self.item(core, span, usual)?);
        }
        if found.is_empty() {
            return wrong(text.span, "it names no step", "");
        }
        found.sort();
        found.dedup();
        Ok(found)
    }

    /// The steps of an item such as `5`, `5-7` or `SAFA-2`.
    fn item(&self, item: &str, span: Span, usual: FlowId) -> Found<Vec<StepRef>> {
        let words = item.split_once(char::is_whitespace);
        let item = match words {
            Some((word, rest))
                if ["step", "steps"].iter().any(|it| word.eq_ignore_ascii_case(it)) =>
            {
                rest
            }
            _ => item,
        };
        let squeezed = squeezed(&item.replace(['–', '—'], "-"));
        let (flow, numbers) = match squeezed.starts_with(|c: char| c.is_ascii_digit()) {
            true => (usual, squeezed.as_str()),
            false => {
                // The longest name counts: `SAFA-1-2` is a step of `A-1` if there is such a flow.
                let named = self.flows.iter().enumerate().filter_map(|(at, target)| {
                    let rest = squeezed.strip_prefix(target.key.as_str())?.strip_prefix('-')?;
                    Some((target.key.len(), at, rest))
                });
                let named: Vec<_> = named.collect();
                let Some((length, at, rest)) = named.iter().max_by_key(|it| it.0).copied() else {
                    let help = "a step of an alternative flow is SAF, BAF or GAF, the name of the flow, a hyphen and a number: `SAFA-2`";
                    return wrong(span, format!("`{item}` is no step of a flow"), help);
                };
                if named.iter().filter(|it| it.0 == length).count() > 1 {
                    let message = format!("there are two flows that `{item}` may mean");
                    return wrong(span, message, "give each flow a name of its own");
                }
                (FlowId::from_index(at), rest)
            }
        };
        let (first, last) = match numbers.split_once('-') {
            Some((first, last)) => (first, Some(last)),
            None => (numbers, None),
        };
        let step = |number: &str| -> Found<(u32, StepId)> {
            let Ok(value) = number.parse::<u32>() else {
                let help = "write numbers of steps: `5`, `5-7`, `SAFA-2`";
                return wrong(span, format!("`{item}` is no step"), help);
            };
            match self.flow(flow).step(value) {
                Ok(step) => Ok((value, step)),
                Err(Missing::Absent) => {
                    let known = self.flow(flow).known();
                    wrong(span, format!("there is no step {value}"), &known)
                }
                Err(Missing::Twice) => {
                    let message = format!("there are two steps with the number {value}");
                    wrong(span, message, "number steps in sequence")
                }
            }
        };
        let (first, step_of_first) = step(first)?;
        let Some(last) = last else { return Ok(vec![StepRef { flow, step: step_of_first }]) };
        let (last, _) = step(last)?;
        if last < first {
            let message = format!("the range {first}-{last} is empty");
            return wrong(span, message, "write the smaller number first");
        }
        let within = self.flow(flow).numbers.iter();
        let within = within.filter(|(number, _)| (first..=last).contains(number));
        Ok(within.map(|(_, step)| StepRef { flow, step: *step }).collect())
    }
}

/// What a reference leads to, or what is wrong with it.
type Found<T> = Result<T, Box<Diagnostic>>;

fn wrong<T>(span: Span, message: impl Into<String>, help: &str) -> Found<T> {
    let wrong = Diagnostic::error("rucm::reference", span, message);
    Err(Box::new(if help.is_empty() { wrong } else { wrong.help(help) }))
}
