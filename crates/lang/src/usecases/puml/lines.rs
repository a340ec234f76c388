//! Lines of a class diagram to statements.

use super::{
    super::sources::Reader,
    arrow::{self, Relation},
};
use crate::{Span, diagnostic::Diagnostic};

/// A name with its place.
#[derive(Clone, Debug)]
pub(in super::super) struct Name {
    pub(super) text: String,
    pub(super) span: Span,
}

/// What a diagram says.
pub(in super::super) enum Statement {
    Class {
        name: Name,
        is_abstract: bool,
        parents: Vec<Name>,
    },
    Enumeration {
        name: Name,
    },
    /// `name: Type [1..*]` of a class.
    Attribute {
        class: Name,
        name: Name,
        ty: Name,
        multiplicity: Option<Name>,
    },
    /// A value of an enumeration.
    Value {
        of: Name,
        name: Name,
    },
    Relation(Relation),
}

/// What the present lines are inside of.
enum Block {
    Class(Name),
    Enumeration(Name),
    /// A package and the like: what is inside counts.
    Group,
    /// Nothing inside is read until this word.
    Skipped(&'static str),
}

/// A line with its place.
#[derive(Clone, Copy)]
pub(super) struct Line<'t> {
    pub(super) text: &'t str,
    pub(super) start: usize,
}

impl<'t> Line<'t> {
    pub(super) fn span(self) -> Span {
        Span::new(self.start, self.start + self.text.len())
    }

    /// A part of the line, without spaces around it.
    pub(super) fn part(self, from: usize, to: usize) -> Line<'t> {
        let part = &self.text[from..to];
        let lead = part.len() - part.trim_start().len();
        Line { text: part.trim(), start: self.start + from + lead }
    }

    pub(super) fn name(self) -> Name {
        Name { text: self.text.to_owned(), span: self.span() }
    }
}

/// Whether a text can be the name of a class or of a feature.
pub(super) fn is_identifier(text: &str) -> bool {
    let mut chars = text.chars();
    chars.next().is_some_and(|c| c.is_alphabetic() || c == '_')
        && chars.all(|c| c.is_alphanumeric() || c == '_')
}

/// Words that begin lines about looks.
const LOOKS: &[&str] = &[
    "@startuml",
    "@enduml",
    "hide",
    "show",
    "remove",
    "title",
    "left",
    "top",
    "scale",
    "header",
    "footer",
    "caption",
    "skinparam",
    "newpage",
    "page",
    "mainframe",
    "!theme",
    "!pragma",
    "set",
    "url",
    "allowmixing",
    "allow_mixing",
    "center",
    "right",
];

/// Words that begin groups of classes.
const GROUPS: &[&str] = &[
    "package",
    "namespace",
    "together",
    "rectangle",
    "folder",
    "frame",
    "node",
    "cloud",
    "database",
];

/// Reads a diagram.
pub(in super::super) fn read(reader: &mut Reader) -> Vec<Statement> {
    let text = std::mem::take(&mut reader.file.text);
    let mut scan = Scan { reader, found: Vec::new(), blocks: Vec::new() };
    let mut start = 0;
    let mut is_comment = false;
    for whole in text.split_inclusive('\n') {
        let line = Line { text: whole, start }.part(0, whole.len());
        start += whole.len();
        if is_comment || line.text.starts_with("/'") {
            is_comment = !line.text.contains("'/");
            continue;
        }
        if line.text.is_empty() || line.text.starts_with('\'') {
            continue;
        }
        scan.line(line);
    }
    let unended = scan.blocks.iter().rev().find_map(|block| match block {
        Block::Class(name) | Block::Enumeration(name) => Some(name.clone()),
        _ => None,
    });
    if let Some(name) = unended {
        let message = format!("`{}` does not end", name.text);
        scan.error("puml::syntax", name.span, message, "write `}` behind its members");
    }
    let found = scan.found;
    reader.file.text = text;
    found
}

struct Scan<'s> {
    reader: &'s mut Reader,
    found: Vec<Statement>,
    blocks: Vec<Block>,
}

impl Scan<'_> {
    fn error(&mut self, code: &'static str, span: Span, message: impl Into<String>, help: &str) {
        self.reader.diagnostics.push(Diagnostic::error(code, span, message).help(help));
    }

    fn line(&mut self, line: Line<'_>) {
        match self.blocks.last() {
            Some(Block::Skipped(end)) => {
                let said: String = line.text.to_ascii_lowercase().split_whitespace().collect();
                if said == *end {
                    self.blocks.pop();
                }
                return;
            }
            Some(Block::Class(_) | Block::Enumeration(_)) if line.text == "}" => {
                self.blocks.pop();
                return;
            }
            Some(Block::Class(name)) => {
                let name = name.clone();
                // A member and the end of the class in one line.
                let is_last = line.text.ends_with('}') && !line.text.contains('{');
                let to = line.text.len() - usize::from(is_last);
                self.member(&name, line.part(0, to));
                if is_last {
                    self.blocks.pop();
                }
                return;
            }
            Some(Block::Enumeration(name)) => {
                let name = name.clone();
                let is_last = line.text.ends_with('}');
                let to = line.text.len() - usize::from(is_last);
                self.values(&name, line.part(0, to));
                if is_last {
                    self.blocks.pop();
                }
                return;
            }
            _ => {}
        }
        self.statement(line);
    }

    fn statement(&mut self, line: Line<'_>) {
        let first = line.text.split_whitespace().next().unwrap_or_default().to_ascii_lowercase();
        let rest = line.part(first.len().min(line.text.len()), line.text.len());
        match first.as_str() {
            "}" => {
                if self.blocks.pop().is_none() {
                    let help = "drop it, or write what it ends";
                    self.error("puml::syntax", line.span(), "`}` ends nothing", help);
                }
            }
            "class" => self.class(rest, false),
            "interface" => self.class(rest, true),
            "abstract" => {
                let is_class = rest.text.split_whitespace().next() == Some("class");
                let rest = if is_class { rest.part(5, rest.text.len()) } else { rest };
                self.class(rest, true);
            }
            "enum" => self.enumeration(rest),
            "note" if !line.text.contains(':') && !line.text.contains('"') => {
                self.blocks.push(Block::Skipped("endnote"));
            }
            "note" => {}
            "legend" => self.blocks.push(Block::Skipped("endlegend")),
            "skinparam" if line.text.ends_with('{') => self.blocks.push(Block::Skipped("}")),
            "<style>" => self.blocks.push(Block::Skipped("</style>")),
            word if LOOKS.contains(&word) => {}
            word if GROUPS.contains(&word) => {
                if line.text.ends_with('{') {
                    self.blocks.push(Block::Group);
                }
            }
            word if word.starts_with('!') => {
                let help = "write what it stands for; files of the folder are read together";
                let message = "the preprocessor of PlantUML is not supported";
                self.error("puml::unsupported", line.span(), message, help);
            }
            _ => self.relation_or_member(line),
        }
    }

    /// The name of a class, and where what follows begins.
    fn declared<'t>(&mut self, line: Line<'t>) -> Option<(Name, Line<'t>)> {
        if line.text.starts_with('"') {
            // `class "Seat sensor" as SeatSensor`: the alias is the name.
            let alias = line.text.find(" as ").map(|at| line.part(at + 4, line.text.len()));
            let Some(alias) = alias else {
                let help = "write `class Name`, or `class \"Any words\" as Name`";
                self.error("puml::name", line.span(), "a class without a name", help);
                return None;
            };
            return self.declared(alias);
        }
        let end = line.text.find(|c: char| !c.is_alphanumeric() && c != '_');
        let end = end.unwrap_or(line.text.len());
        let name = line.part(0, end);
        if !is_identifier(name.text) {
            let help = "a name has letters, digits and `_`";
            self.error("puml::name", line.span(), "a class needs a name", help);
            return None;
        }
        let mut rest = line.part(end, line.text.len());
        if rest.text.starts_with('<') && !rest.text.starts_with("<<") {
            let help = "write a class for each type";
            self.error("puml::unsupported", rest.span(), "templates are not supported", help);
            return None;
        }
        while let Some(at) = rest.text.strip_prefix("<<").and_then(|it| it.find(">>")) {
            rest = rest.part(at + 4, rest.text.len());
        }
        // Colours.
        if rest.text.starts_with('#') {
            let end = rest.text.find(char::is_whitespace).unwrap_or(rest.text.len());
            rest = rest.part(end, rest.text.len());
        }
        Some((name.name(), rest))
    }

    fn class(&mut self, line: Line<'_>, is_abstract: bool) {
        let Some((name, mut rest)) = self.declared(line) else {
            if line.text.ends_with('{') {
                self.blocks.push(Block::Skipped("}"));
            }
            return;
        };
        let (before, body) = match rest.text.split_once('{') {
            Some((before, body)) => (before.len(), Some(body)),
            None => (rest.text.len(), None),
        };
        let heads = rest.part(0, before);
        let mut parents = Vec::new();
        let mut start = 0;
        for word in heads.text.split_inclusive([' ', '\t', ',']) {
            let at = start;
            start += word.len();
            let word = heads.part(at, at + word.trim_end_matches([' ', '\t', ',']).len());
            match word.text {
                "" | "extends" | "implements" => {}
                text if is_identifier(text) => parents.push(word.name()),
                _ => {
                    let help = "write `class A extends B {`";
                    self.error("puml::syntax", word.span(), "this is not understood", help);
                }
            }
        }
        self.found.push(Statement::Class { name: name.clone(), is_abstract, parents });
        let Some(body) = body else { return };
        rest = rest.part(before + 1, rest.text.len());
        match body.trim_end().strip_suffix('}') {
            Some(members) => {
                if !members.trim().is_empty() {
                    self.member(&name, rest.part(0, rest.text.len() - 1));
                }
            }
            None => {
                self.blocks.push(Block::Class(name.clone()));
                if !rest.text.is_empty() {
                    self.member(&name, rest);
                }
            }
        }
    }

    fn enumeration(&mut self, line: Line<'_>) {
        let Some((name, rest)) = self.declared(line) else {
            if line.text.ends_with('{') {
                self.blocks.push(Block::Skipped("}"));
            }
            return;
        };
        self.found.push(Statement::Enumeration { name: name.clone() });
        let Some(body) = rest.text.strip_prefix('{') else {
            if !rest.text.is_empty() {
                let help = "write `enum Name { A, B }`";
                self.error("puml::syntax", rest.span(), "this is not understood", help);
            }
            return;
        };
        match body.strip_suffix('}') {
            Some(_) => self.values(&name, rest.part(1, rest.text.len() - 1)),
            None => {
                self.blocks.push(Block::Enumeration(name.clone()));
                self.values(&name, rest.part(1, rest.text.len()));
            }
        }
    }

    /// Values of an enumeration: one in a line, or several with commas between them.
    fn values(&mut self, of: &Name, line: Line<'_>) {
        if is_separator(line.text) {
            return;
        }
        let mut start = 0;
        for item in line.text.split_inclusive([',', ';']) {
            let at = start;
            start += item.len();
            let value = line.part(at, at + item.trim_end_matches([',', ';']).len());
            if value.text.is_empty() {
                continue;
            }
            if is_identifier(value.text) {
                self.found.push(Statement::Value { of: of.clone(), name: value.name() });
            } else {
                let help = "a value is a name: letters, digits and `_`";
                let message = format!("`{}` is no value of an enumeration", value.text);
                self.error("puml::value", value.span(), message, help);
            }
        }
    }

    /// A line inside of a class.
    fn member(&mut self, class: &Name, line: Line<'_>) {
        let mut line = line;
        loop {
            let text = line.text;
            if text.starts_with(['+', '-', '#', '~']) && !is_separator(text) {
                line = line.part(1, text.len());
            } else if let Some(end) = text.starts_with('{').then(|| text.find('}')).flatten() {
                line = line.part(end + 1, text.len());
            } else {
                break;
            }
        }
        // Methods are passed over, and lines that only divide.
        if is_separator(line.text) || line.text.contains('(') && !line.text.contains("Set(") {
            return;
        }
        let line = match line.text.find('=') {
            Some(at) => line.part(0, at),
            None => line,
        };
        let Some(colon) = line.text.find(':') else {
            let help = "write `name: Type`";
            let message = "an attribute without a type";
            self.error("puml::attribute", line.span(), message, help);
            return;
        };
        let name = line.part(0, colon);
        let ty = line.part(colon + 1, line.text.len());
        if !is_identifier(name.text) {
            let help = "write `name: Type`";
            let message = format!("`{}` is no name of an attribute", name.text);
            self.error("puml::attribute", line.span(), message, help);
            return;
        }
        let (ty, multiplicity) = match ty.text.find('[') {
            Some(at) => {
                let end = ty.text.find(']').unwrap_or(ty.text.len()).max(at + 1);
                (ty.part(0, at), Some(ty.part(at + 1, end).name()))
            }
            None => (ty, None),
        };
        if ty.text.is_empty() {
            self.error("puml::attribute", line.span(), "the type is missing", "write `name: Type`");
            return;
        }
        let (class, name, ty) = (class.clone(), name.name(), ty.name());
        self.found.push(Statement::Attribute { class, name, ty, multiplicity });
    }

    fn relation_or_member(&mut self, line: Line<'_>) {
        match arrow::read(line) {
            Ok(Some(relation)) => self.found.push(Statement::Relation(relation)),
            // A dependency.
            Ok(None) => {}
            Err(Some(wrong)) => self.reader.diagnostics.push(*wrong),
            Err(None) => {
                // `Class : name : Type` adds an attribute.
                let class = line.text.find(':').map(|at| (line.part(0, at), at));
                match class.filter(|(class, _)| is_identifier(class.text)) {
                    Some((class, at)) => {
                        self.member(&class.name(), line.part(at + 1, line.text.len()));
                    }
                    None => {
                        let help = "classes, enumerations, relations and attributes are read";
                        self.error("puml::syntax", line.span(), "this is not understood", help);
                    }
                }
            }
        }
    }
}

/// Whether a line only divides others.
fn is_separator(text: &str) -> bool {
    text.is_empty() || ["--", "..", "==", "__"].iter().any(|it| text.starts_with(it))
}
