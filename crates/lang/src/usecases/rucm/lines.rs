//! Lines to fields, flows and steps.

use std::collections::BTreeSet;

use super::{
    super::{
        lints,
        sources::{Context, Reader},
    },
    FLOWS_MAX, STEPS_MAX, UNKNOWN_MAX,
    fields::{FIELDS, Field, Head, Kind, head, section_number},
    markdown::{Line, add, lines, without_bullet},
};
use crate::{
    Span, Text,
    diagnostic::{Diagnostic, closest},
};

/// A use case as it is written.
pub(in super::super) struct RawUseCase {
    pub(in super::super) name: Text,
    pub(super) description: Text,
    pub(super) preconditions: Text,
    pub(super) primary_actor: Option<Text>,
    pub(super) secondary_actors: Option<Text>,
    pub(super) dependency: Option<Text>,
    pub(super) generalization: Option<Text>,
    pub(super) flows: Vec<RawFlow>,
}

/// A flow as it is written.
pub(super) struct RawFlow {
    pub(super) kind: Kind,
    /// The whole heading.
    pub(super) title: Text,
    /// What stands behind the kind in the heading; may be empty.
    pub(super) name: String,
    /// What follows `RFS`.
    pub(super) rfs: Option<Text>,
    pub(super) steps: Vec<RawStep>,
    pub(super) postcondition: Option<Text>,
    /// True if the postcondition is a list with numbers.
    is_list: bool,
}

/// A step as it is written.
pub(super) struct RawStep {
    pub(super) number: u32,
    pub(super) text: Text,
}

/// Where lines without a field of their own belong.
#[derive(Clone, Copy, PartialEq, Eq)]
enum At {
    /// Before the first use case, or behind the last.
    Outside,
    /// Behind the heading of a use case.
    Name,
    Description,
    Precondition,
    PrimaryActor,
    SecondaryActors,
    Dependency,
    Generalization,
    /// A section of another name.
    Unknown,
    Flow,
    Postcondition,
}

/// Reads the use cases of a file.
pub(in super::super) fn read(reader: &mut Reader, context: &Context) -> Vec<RawUseCase> {
    let lines = lines(reader, context);
    let mut scan = Scan {
        reader,
        context,
        found: Vec::new(),
        at: At::Outside,
        level: 0,
        unknown: 0,
        sections: BTreeSet::new(),
    };
    for line in lines {
        scan.line(line);
    }
    scan.found
}

struct Scan<'s> {
    reader: &'s mut Reader,
    context: &'s Context,
    found: Vec<RawUseCase>,
    at: At,
    /// The level of the heading of the present use case; 0 if it has none.
    level: usize,
    /// How many sections of the file are no fields.
    unknown: usize,
    /// The section numbers of the present use case.
    sections: BTreeSet<String>,
}

impl Scan<'_> {
    fn error(&mut self, code: &'static str, span: Span, message: impl Into<String>, help: &str) {
        let wrong = Diagnostic::error(code, span, message);
        self.reader.diagnostics.push(wrong.help(help));
    }

    fn line(&mut self, line: Line) {
        if line.text.text.is_empty() {
            return;
        }
        if let Some(head) = head(&line.text.text) {
            let is_use_case = head.field == Field::UseCase;
            let is_inside = self.at != At::Outside || is_use_case;
            if is_inside && (line.level > 0 || head.is_marked) {
                return self.field(&head, line);
            }
        }
        if line.level > 0 {
            return self.other_heading(&line);
        }
        if self.at == At::Flow && self.rfs(&line) {
            return;
        }
        if matches!(self.at, At::Flow | At::Postcondition) && self.step(&line) {
            return;
        }
        self.text(line);
    }

    /// A heading that is no field.
    fn other_heading(&mut self, line: &Line) {
        if self.at == At::Outside {
            return;
        }
        // A use case that begins without `#` ends at the next chapter.
        if line.level <= if self.level == 0 { 2 } else { self.level } {
            self.at = At::Outside;
            return;
        }
        if self.unknown >= UNKNOWN_MAX {
            let message = format!("more than {UNKNOWN_MAX} sections are no fields of use cases");
            let help = "name the fields as RUCM does";
            if self.unknown == UNKNOWN_MAX {
                self.error("rucm::too_large", line.text.span, message, help);
            }
            self.unknown += 1;
            self.at = At::Unknown;
            return;
        }
        let (_, from) = section_number(&line.text.text);
        let name = &line.text.text[from..];
        // The name of a flow may follow behind its kind.
        let first: Vec<&str> = name.split_whitespace().take(3).collect();
        let names = FIELDS.iter().map(|(_, name, _)| *name);
        let near = [name.to_owned(), first.join(" "), first[..first.len().min(2)].join(" ")]
            .iter()
            .find_map(|name| closest(name, names.clone()));
        self.at = At::Unknown;
        self.unknown += 1;
        match near {
            Some(near) => {
                let help = format!("did you mean `{near}`?");
                self.error("rucm::field", line.text.span, "this is no field of a use case", &help);
            }
            None => {
                let help = "fields are those of RUCM; the guide has their names";
                let message = "this section of a use case is not read";
                let span = line.text.span;
                self.context.lint(
                    &mut self.reader.diagnostics,
                    &lints::IGNORED,
                    span,
                    message,
                    help,
                );
            }
        }
    }

    fn field(&mut self, head: &Head, line: Line) {
        let rest = line.text.slice(head.rest..line.text.text.len());
        if head.field == Field::UseCase {
            if rest.text.is_empty() {
                let help = "write `## Use Case: Name`";
                self.error("rucm::name", line.text.span, "a use case without a name", help);
            }
            self.level = line.level;
            self.sections.clear();
            self.at = At::Name;
            self.found.push(RawUseCase {
                name: if rest.text.is_empty() { line.text } else { rest },
                description: Text::default(),
                preconditions: Text::default(),
                primary_actor: None,
                secondary_actors: None,
                dependency: None,
                generalization: None,
                flows: Vec::new(),
            });
            return;
        }
        let Some(use_case) = self.found.last_mut() else { return };
        let mut twice = false;
        match head.field {
            Field::UseCase => {}
            Field::Description => {
                self.at = At::Description;
                add(&mut use_case.description, &rest);
            }
            Field::Precondition => {
                self.at = At::Precondition;
                add(&mut use_case.preconditions, &without_bullet(&rest));
            }
            Field::PrimaryActor => {
                twice = use_case.primary_actor.replace(rest).is_some();
                self.at = At::PrimaryActor;
            }
            Field::SecondaryActors => {
                twice = use_case.secondary_actors.replace(rest).is_some();
                self.at = At::SecondaryActors;
            }
            Field::Generalization => {
                twice = use_case.generalization.replace(rest).is_some();
                self.at = At::Generalization;
            }
            Field::Dependency => {
                self.at = At::Dependency;
                list(use_case.dependency.get_or_insert_default(), &without_bullet(&rest));
            }
            Field::Postcondition => match use_case.flows.last_mut() {
                Some(flow) => {
                    twice = flow.postcondition.replace(without_bullet(&rest)).is_some();
                    self.at = At::Postcondition;
                }
                None => {
                    let help = "write it below the steps of the flow that it belongs to";
                    let message = "this postcondition belongs to no flow";
                    self.error("rucm::field", line.text.span, message, help);
                    self.at = At::Unknown;
                }
            },
            Field::Flow(kind) => return self.flow(kind, head, line, &rest),
        }
        if twice {
            let help = "write it once";
            self.error("rucm::twice", line.text.span, "this field is there twice", help);
        }
    }

    fn flow(&mut self, kind: Kind, head: &Head, line: Line, rest: &Text) {
        self.at = At::Flow;
        if !head.section.is_empty() && !self.sections.insert(head.section.clone()) {
            let message = format!("the section number {} is used twice", head.section);
            let help = "flows are told apart by their order, and by names if they have some";
            let span = line.text.span;
            self.context.lint(&mut self.reader.diagnostics, &lints::SECTION, span, message, help);
        }
        let trim = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '“' | '”' | ':' | '.');
        let name = rest.text.trim_matches(trim).to_owned();
        let span = line.text.span;
        let flow = RawFlow {
            kind,
            title: line.text,
            name,
            rfs: None,
            steps: Vec::new(),
            postcondition: None,
            is_list: false,
        };
        let Some(use_case) = self.found.last_mut() else { return };
        if use_case.flows.len() == FLOWS_MAX {
            self.at = At::Unknown;
            let message = format!("a use case with more than {FLOWS_MAX} flows");
            self.error("rucm::too_large", span, message, "make two of it");
        } else if use_case.flows.len() < FLOWS_MAX {
            use_case.flows.push(flow);
        }
    }

    /// Whether the line says where a flow begins.
    fn rfs(&mut self, line: &Line) -> bool {
        let text = &line.text.text;
        let Some(word) = text.get(..3).filter(|word| word.eq_ignore_ascii_case("RFS")) else {
            return false;
        };
        if text[3..].starts_with(|c: char| c.is_alphanumeric()) {
            return false;
        }
        if word != "RFS" {
            let span = line.text.locate(0..3);
            lower_case(self.context, self.reader, &lints::R19, "RFS", span);
        }
        let rest = text[3..].trim_start().trim_start_matches(':').trim_start();
        let list = line.text.slice(text.len() - rest.len()..text.len());
        let Some(flow) = self.found.last_mut().and_then(|it| it.flows.last_mut()) else {
            return false;
        };
        if !flow.steps.is_empty() {
            let help = "write it directly below the heading of the flow";
            self.error("rucm::rfs", line.text.span, "RFS stands behind steps", help);
        } else if flow.rfs.is_none() {
            flow.rfs = Some(list);
        } else {
            let help = "write all steps into one line: `RFS 1-3, 5`";
            self.error("rucm::rfs", line.text.span, "a flow has two RFS", help);
        }
        true
    }

    /// Whether the line begins a step, or is a numbered item of a postcondition.
    fn step(&mut self, line: &Line) -> bool {
        let text = &line.text.text;
        let digits = text.bytes().take_while(u8::is_ascii_digit).count();
        if digits == 0 || !text[digits..].starts_with(['.', ')']) {
            return false;
        }
        let rest = text[digits + 1..].trim_start();
        let from = text.len() - rest.len();
        let span = line.text.locate(0..digits + 1);
        if rest.starts_with(|c: char| c.is_ascii_digit()) && from == digits + 1 {
            let help = "number the steps of a flow through: 1, 2, 3";
            self.error("rucm::step", span, "a step of a step can not be numbered", help);
            return true;
        }
        let Ok(number) = text[..digits].parse::<u32>() else {
            self.error("rucm::step", span, "this number is too large", "count steps from 1");
            return true;
        };
        let body = line.text.slice(from..text.len());
        let Some(flow) = self.found.last_mut().and_then(|it| it.flows.last_mut()) else {
            return false;
        };
        if self.at == At::Postcondition {
            let post = flow.postcondition.get_or_insert_default();
            flow.is_list |= post.text.is_empty();
            add(post, &body);
            // The items of a list are sentences.
            if !post.text.ends_with('.') {
                let end = post.span.end;
                post.push_char('.', Span { start: end, end });
            }
            if !flow.is_list {
                let help = "steps stand before the postcondition of their flow";
                self.error("rucm::step", span, "a step behind a postcondition", help);
            }
            return true;
        }
        if rest.is_empty() {
            self.error("rucm::step", span, "a step that says nothing", "write a sentence");
            return true;
        }
        match flow.steps.len() {
            STEPS_MAX => {
                let message = format!("a flow with more than {STEPS_MAX} steps");
                flow.steps.push(RawStep { number, text: body });
                self.error("rucm::too_large", span, message, "make use cases of its parts");
            }
            n if n > STEPS_MAX => {}
            _ => flow.steps.push(RawStep { number, text: body }),
        }
        true
    }

    /// A line that goes on with what was before it.
    fn text(&mut self, line: Line) {
        let is_apart = line.is_apart && !line.is_indented;
        let Some(use_case) = self.found.last_mut() else { return };
        let item = without_bullet(&line.text);
        match self.at {
            At::Outside | At::Unknown => {}
            At::Name => {
                let help = "text stands below a field, such as `### Brief Description`";
                let message = "this text of a use case is not read";
                let span = line.text.span;
                self.context.lint(
                    &mut self.reader.diagnostics,
                    &lints::IGNORED,
                    span,
                    message,
                    help,
                );
            }
            At::Description => add(&mut use_case.description, &line.text),
            At::Precondition => add(&mut use_case.preconditions, &item),
            At::PrimaryActor => add(use_case.primary_actor.get_or_insert_default(), &item),
            At::SecondaryActors => {
                list(use_case.secondary_actors.get_or_insert_default(), &item);
            }
            At::Dependency => list(use_case.dependency.get_or_insert_default(), &item),
            At::Generalization => add(use_case.generalization.get_or_insert_default(), &item),
            At::Postcondition => {
                let flow = use_case.flows.last_mut();
                let post = flow.map(|flow| flow.postcondition.get_or_insert_default());
                post.into_iter().for_each(|post| add(post, &item));
            }
            At::Flow => {
                let step = use_case.flows.last_mut().and_then(|flow| flow.steps.last_mut());
                match step {
                    Some(step) if !is_apart => add(&mut step.text, &line.text),
                    _ => {
                        let help = "steps begin with a number, as in `1. The system …`";
                        let message = "this line belongs to no step";
                        self.error("rucm::step", line.text.span, message, help);
                    }
                }
            }
        }
    }
}

/// Adds an item to a list: each line of one is an item.
fn list(items: &mut Text, item: &Text) {
    if !items.text.is_empty() {
        let end = items.span.end;
        items.push_char(',', Span { start: end, end });
    }
    add(items, item);
}

/// Warns of a keyword that is not written in capital letters.
pub(super) fn lower_case(
    context: &Context,
    reader: &mut Reader,
    lint: &lints::Lint,
    keyword: &str,
    span: Span,
) {
    let message = format!("the keyword `{keyword}` is not in capital letters");
    let help = format!("write `{keyword}`");
    context.lint(&mut reader.diagnostics, lint, span, message, &help);
}

impl RawFlow {
    /// How the text calls the flow, on one line.
    pub(super) fn label(&self) -> String {
        let title = self.title.text.trim_end_matches([':', ' ']);
        title.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    /// Where the number and the kind of the flow stand.
    pub(super) fn span(&self) -> Span {
        self.title.span
    }
}
