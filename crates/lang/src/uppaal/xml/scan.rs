//! XML as a stream of tags and text, with repairs.
//!
//! What is not well formed becomes a diagnostic in [`Scanner::pending`], is repaired in the most
//! likely way, and scanning goes on: every opened element is closed by exactly one
//! [`Event::Close`], also at the end of a truncated file. Each repair is reported, and after
//! [`REPAIRS_MAX`] of them the rest of the file is skipped, so bad input costs linear time.

use std::ops::Range;

use crate::diagnostic::{Diagnostic, closest};
use crate::{Span, Text};

/// After so many places that are not XML, the file is not XML.
const REPAIRS_MAX: usize = 40;

/// Elements that hold text and nothing else.
const LEAVES: [&str; 9] = [
    "comment",
    "declaration",
    "details",
    "formula",
    "instantiation",
    "label",
    "name",
    "parameter",
    "system",
];

/// The elements of the format that may hold others.
const CONTAINERS: [&str; 20] = [
    "branchpoint",
    "committed",
    "expect",
    "init",
    "instance",
    "location",
    "lsc",
    "nail",
    "nta",
    "option",
    "plot",
    "project",
    "queries",
    "query",
    "result",
    "source",
    "target",
    "template",
    "transition",
    "urgent",
];

/// The elements that stand next to templates, never inside of one.
const SECTIONS: [&str; 5] = ["instantiation", "lsc", "queries", "system", "template"];

/// The entities that every XML file has.
const ENTITIES: [(&str, char); 5] =
    [("lt", '<'), ("gt", '>'), ("amp", '&'), ("quot", '"'), ("apos", '\'')];

/// A piece of XML.
pub(super) enum Event<'a> {
    /// An element starts.
    Open(Tag<'a>),
    /// The innermost open element ends.
    Close,
    /// Characters, entities not yet resolved.
    Characters(Range<usize>),
    /// Characters that are meant as they are.
    Verbatim(Range<usize>),
    /// The file ends; all elements were closed.
    End,
}

/// The start of an element.
pub(super) struct Tag<'a> {
    pub(super) name: &'a str,
    pub(super) attributes: Vec<Attribute<'a>>,
    pub(super) span: Span,
    empty: bool,
}

/// An attribute of an element.
pub(super) struct Attribute<'a> {
    name: &'a str,
    value: Range<usize>,
}

/// Reads a file from front to back.
pub(super) struct Scanner<'a> {
    source: &'a str,
    at: usize,
    /// The open elements: their names and start tags.
    open: Vec<(&'a str, Span)>,
    /// The level of the open template.
    template: Option<usize>,
    /// How many of them are already known to end here.
    closing: usize,
    n_repairs: usize,
    /// Whether the file ended before its elements did.
    pub(super) truncated: bool,
    /// What was wrong since somebody looked.
    pub(super) pending: Vec<Diagnostic>,
}

impl<'a> Scanner<'a> {
    pub(super) fn new(source: &'a str) -> Self {
        let pending = Vec::new();
        Self {
            source,
            at: 0,
            open: Vec::new(),
            template: None,
            closing: 0,
            n_repairs: 0,
            truncated: false,
            pending,
        }
    }

    /// Where the scanner is.
    pub(super) fn position(&self) -> usize {
        self.at
    }

    /// How many elements are open.
    pub(super) fn depth(&self) -> usize {
        self.open.len()
    }

    pub(super) fn next(&mut self) -> Event<'a> {
        loop {
            if self.closing > 0 {
                self.closing -= 1;
                self.open.pop();
                self.template = self.template.filter(|&level| level < self.open.len());
                return Event::Close;
            }
            if self.n_repairs >= REPAIRS_MAX {
                // It gave up, maybe in the middle of a tag that was then read to its end.
                self.at = self.source.len();
            }
            let rest = &self.source[self.at..];
            if rest.is_empty() {
                self.end();
                if self.closing == 0 {
                    return Event::End;
                }
                continue;
            }
            if !rest.starts_with('<') {
                let end = rest.find('<').map_or(self.source.len(), |length| self.at + length);
                let range = std::mem::replace(&mut self.at, end)..end;
                return Event::Characters(range);
            }
            let event = match rest.as_bytes().get(1) {
                Some(b'?') => self.skip_to("?>", "processing instruction `<?`", "?>"),
                Some(b'!') => self.declaration(),
                Some(b'/') => self.close_tag(),
                _ => self.open_tag(),
            };
            if let Some(event) = event {
                return event;
            }
        }
    }

    /// Closes what is open where the file ends.
    fn end(&mut self) {
        self.closing = self.open.len();
        if let Some(&(name, span)) = self.open.last()
            && !std::mem::replace(&mut self.truncated, true)
        {
            let end = self.source.trim_end().len();
            let end = Span::new(end, end);
            let mut diagnostic = Diagnostic::error(
                "xml::truncated",
                end,
                format!("the file ends before `<{name}>` is closed"),
            )
            .label("the file ends here")
            .also(span, format!("`<{name}>` is opened here"));
            diagnostic = match self.open.iter().any(|&(name, _)| name == "template") {
                true => diagnostic.help("was the file cut off? Restore it, or save it again"),
                false => diagnostic.help(format!("add `</{name}>`")),
            };
            self.report(diagnostic);
        }
    }

    fn report(&mut self, diagnostic: Diagnostic) {
        self.n_repairs += 1;
        if self.n_repairs <= REPAIRS_MAX {
            self.pending.push(diagnostic);
        }
        if self.n_repairs >= REPAIRS_MAX {
            // The rest would only be more of the same.
            self.at = self.source.len();
            self.truncated = true;
        }
    }

    /// Skips to behind `end`.
    fn skip_to(&mut self, end: &str, what: &str, close: &str) -> Option<Event<'a>> {
        match self.source[self.at..].find(end) {
            Some(length) => self.at += length + end.len(),
            None => {
                let span = Span::new(self.at, self.source.floor_char_boundary(self.at + 4));
                self.at = self.source.len();
                self.truncated = true;
                self.report(
                    Diagnostic::error("xml::unclosed", span, format!("this {what} never ends"))
                        .help(format!("close it with `{close}`")),
                );
            }
        }
        None
    }

    /// `<!--`, `<![CDATA[`, `<!DOCTYPE` or a stray `<!`.
    fn declaration(&mut self) -> Option<Event<'a>> {
        let rest = &self.source[self.at..];
        if rest.starts_with("<!--") {
            return self.skip_to("-->", "comment `<!--`", "-->");
        }
        if rest.starts_with("<![CDATA[") {
            let start = self.at + "<![CDATA[".len();
            self.skip_to("]]>", "section `<![CDATA[`", "]]>");
            let end = if self.source[start..self.at].ends_with("]]>") { 3 } else { 0 };
            return Some(Event::Verbatim(start..self.at.max(start + end) - end));
        }
        if self.open.is_empty() && rest.starts_with("<!DOCTYPE") {
            self.doctype();
            return None;
        }
        self.raw_less()
    }

    /// Skips a document type, with the declarations in its brackets.
    fn doctype(&mut self) {
        let start = self.at;
        let bytes = self.source.as_bytes();
        let (mut quote, mut brackets) = (None, 0_usize);
        while let Some(&byte) = bytes.get(self.at) {
            match (quote, byte) {
                (Some(open), _) if open == byte => quote = None,
                (Some(_), _) => {}
                (None, b'"' | b'\'') => quote = Some(byte),
                (None, b'[') => brackets += 1,
                (None, b']') => brackets = brackets.saturating_sub(1),
                (None, b'<') if self.source[self.at..].starts_with("<!ENTITY") => {
                    let span = Span::new(self.at, self.at + "<!ENTITY".len());
                    self.report(
                        Diagnostic::error(
                            "xml::entity_definition",
                            span,
                            "entities that a file defines itself are not expanded",
                        )
                        .help("write the text of the entity where it is used"),
                    );
                }
                (None, b'<') if self.source[self.at..].starts_with("<!--") => {
                    self.skip_to("-->", "comment `<!--`", "-->");
                    continue;
                }
                (None, b'>') if brackets == 0 => {
                    self.at += 1;
                    return;
                }
                _ => {}
            }
            self.at += 1;
        }
        self.at = self.source.len();
        let span = Span::new(start, start + "<!DOCTYPE".len());
        self.report(
            Diagnostic::error("xml::unclosed", span, "the document type never ends")
                .help("close it with `>`"),
        );
    }

    fn in_leaf(&self) -> bool {
        self.open.last().is_some_and(|(name, _)| LEAVES.contains(name))
    }

    /// A `<` that starts no tag: it is taken as a character.
    fn raw_less(&mut self) -> Option<Event<'a>> {
        let at = self.at;
        self.at += 1;
        self.report(
            Diagnostic::error("xml::raw_less", Span::new(at, at + 1), "this `<` starts no tag")
                .label("a raw `<`")
                .help("in XML, `<` must be written `&lt;`, and `<=` as `&lt;=`"),
        );
        (self.n_repairs < REPAIRS_MAX).then_some(Event::Characters(at..at + 1))
    }

    fn close_tag(&mut self) -> Option<Event<'a>> {
        let start = self.at;
        let name = name_at(self.source, start + 2);
        let behind = start + 2 + name.len();
        let spaces = self.source[behind..].len() - self.source[behind..].trim_start().len();
        let mut home = self.open.iter().rposition(|(open, _)| *open == name);
        if home.is_none()
            && self.source[behind + spaces..].starts_with('>')
            && let Some(&(open, opened)) = self.open.last()
            && closest(name, [open]).is_some()
        {
            home = Some(self.open.len() - 1);
            self.report(
                Diagnostic::error(
                    "xml::misspelt_close",
                    Span::new(start, behind + spaces + 1),
                    format!("`</{name}>` does not close `<{open}>`"),
                )
                .also(opened, "opened here")
                .help(format!("write `</{open}>`")),
            );
        }
        if home.is_none() && self.in_leaf() && !is_known(name) {
            return self.raw_less();
        }
        self.at = behind;
        if self.source[behind + spaces..].starts_with('>') {
            self.at += spaces + 1;
        } else if self.source.len() > behind + spaces {
            let span = Span::new(start, behind);
            self.report(
                Diagnostic::error("xml::bad_tag", span, format!("`</{name}` lacks its `>`"))
                    .help(format!("write `</{name}>`")),
            );
        } else {
            self.at = self.source.len();
            return None;
        }
        let span = Span::new(start, self.at);
        let Some(home) = home else {
            let mut diagnostic = Diagnostic::error(
                "xml::closes_nothing",
                span,
                format!("`</{name}>` closes an element that is not open"),
            );
            if let Some(&(open, opened)) = self.open.last() {
                diagnostic = diagnostic
                    .also(opened, format!("`<{open}>` is open here"))
                    .help(format!("remove it, or write `</{open}>`"));
            }
            self.report(diagnostic);
            return None;
        };
        self.closing = self.open.len() - home;
        self.not_closed(home + 1, span);
        None
    }

    /// Reports the open elements from a level on, which should have been closed before a place.
    fn not_closed(&mut self, first: usize, before: Span) {
        for inner in (first..self.open.len()).rev().take(8) {
            let (open, opened) = self.open[inner];
            self.report(
                Diagnostic::error("xml::not_closed", opened, format!("`<{open}>` is not closed"))
                    .label("opened here")
                    .also(before, format!("`</{open}>` must come before this"))
                    .help(format!("add `</{open}>`")),
            );
        }
    }

    fn open_tag(&mut self) -> Option<Event<'a>> {
        let start = self.at;
        let name = name_at(self.source, start + 1);
        if name.is_empty() {
            return self.raw_less();
        }
        let in_leaf = self.in_leaf();
        if in_leaf && !is_known(name) {
            return self.raw_less();
        }
        let tag = match attributes(self.source, start, name) {
            Ok(tag) => tag,
            Err(_) if in_leaf => return self.raw_less(),
            Err(Broken { at, message, help, attributes }) if at < self.source.len() => {
                let end = self.source[at..].find(['<', '>']).map_or(self.source.len(), |n| at + n);
                let closed = self.source[end..].starts_with('>');
                self.at = end + usize::from(closed);
                let place = self.source[at..].chars().next().map_or(0, char::len_utf8);
                self.report(
                    Diagnostic::error("xml::bad_tag", Span::new(at, at + place), message)
                        .also(Span::new(start, start + 1 + name.len()), "in this tag")
                        .help(help),
                );
                let empty = closed && self.source[..end].ends_with('/');
                Tag { name, attributes, span: Span::new(start, end), empty }
            }
            Err(_) => {
                self.at = self.source.len();
                self.truncated = true;
                let end = self.source.trim_end().len();
                self.report(
                    Diagnostic::error(
                        "xml::truncated",
                        Span::new(end, end),
                        "the file ends in the middle of a tag",
                    )
                    .label("the file ends here")
                    .also(Span::new(start, start + 1 + name.len()), "the tag")
                    .help("was the file cut off? Restore it, or save it again"),
                );
                return None;
            }
        };
        if self.n_repairs >= REPAIRS_MAX {
            return None;
        }
        let unclosed = match self.template {
            Some(template) if SECTIONS.contains(&name) => Some(template),
            _ => in_leaf.then(|| self.open.len() - 1),
        };
        if let Some(first) = unclosed {
            // Close what can not hold this tag, and look at the tag again.
            self.at = start;
            self.closing = self.open.len() - first;
            self.not_closed(first, tag.span);
            return None;
        }
        self.at = self.at.max(tag.span.end as usize);
        if name == "template" && self.template.is_none() {
            self.template = Some(self.open.len());
        }
        self.open.push((name, tag.span));
        self.closing = usize::from(tag.empty);
        Some(Event::Open(tag))
    }

    /// The value of an attribute and where it stands.
    pub(super) fn attribute(&mut self, tag: &Tag<'a>, name: &str) -> Option<(String, Span)> {
        let attribute = tag.attributes.iter().find(|attribute| attribute.name == name)?;
        let span = Span::new(attribute.value.start, attribute.value.end);
        let raw = &self.source[attribute.value.clone()];
        if !raw.contains(['&', '\n', '\r', '\t']) {
            return Some((raw.to_owned(), span));
        }
        let value = attribute.value.clone();
        let mut text = Text::default();
        // White space written as such becomes a space; written as an entity it stays.
        for (at, c) in raw.char_indices().map(|(at, c)| (value.start + at, c)) {
            match c {
                _ if at < text.span.end as usize => {}
                '&' => self.entity(at, value.end, &mut text),
                '\r' if self.source[at + 1..].starts_with('\n') => {}
                _ => {
                    let c = if matches!(c, '\n' | '\r' | '\t') { ' ' } else { c };
                    text.push_char(c, Span::new(at, at + c.len_utf8()));
                }
            }
        }
        Some((text.text, span))
    }

    /// Appends characters to a text, with entities resolved and line ends as `\n`.
    pub(super) fn decode(&mut self, range: Range<usize>, verbatim: bool, text: &mut Text) {
        let mut at = range.start;
        while at < range.end {
            let rest = &self.source[at..range.end];
            let plain = rest
                .bytes()
                .position(|byte| byte == b'\r' || (byte == b'&' && !verbatim))
                .unwrap_or(rest.len());
            if plain > 0 {
                text.push_run(&rest[..plain], at);
                at += plain;
            } else if rest.starts_with('\r') {
                let width = if rest.starts_with("\r\n") { 2 } else { 1 };
                text.push_char('\n', Span::new(at, at + width));
                at += width;
            } else {
                self.entity(at, range.end, text);
                at = (text.span.end as usize).max(at + 1);
            }
        }
    }

    /// Appends what the `&` at `at` stands for.
    fn entity(&mut self, at: usize, end: usize, text: &mut Text) {
        let rest = &self.source[at + 1..end];
        let name = rest
            .bytes()
            .take(16)
            .position(|byte| !(byte.is_ascii_alphanumeric() || byte == b'#'))
            .filter(|&length| length > 0 && rest[length..].starts_with(';'))
            .map(|length| &rest[..length]);
        let Some(name) = name else {
            text.push_char('&', Span::new(at, at + 1));
            let twice = rest.starts_with('&') || self.source[..at].ends_with('&');
            if self.source[..at].ends_with('&') {
                return; // The first of two speaks for both.
            }
            let width = if twice { 2 } else { 1 };
            let starts_with = |(entity, _): &&(&str, char)| rest.starts_with(entity);
            let help = match ENTITIES.iter().find(starts_with) {
                Some((entity, _)) => format!("is it `&{entity};` without its semicolon?"),
                None if twice => "write `&amp;&amp;`, or the word `and`".to_owned(),
                None => "write `&amp;`".to_owned(),
            };
            self.report(
                Diagnostic::error(
                    "xml::raw_ampersand",
                    Span::new(at, at + width),
                    "`&` must be written `&amp;` in XML",
                )
                .label("a raw `&`")
                .help(help),
            );
            return;
        };
        let span = Span::new(at, at + name.len() + 2);
        let c = match name.strip_prefix('#') {
            Some(digits) => match digits.strip_prefix(['x', 'X']) {
                Some(digits) => u32::from_str_radix(digits, 16).ok(),
                None => digits.parse().ok(),
            }
            .and_then(char::from_u32)
            .filter(|c| !c.is_control() || matches!(c, '\t' | '\n' | '\r' | '\u{7f}'..)),
            None => ENTITIES.iter().find(|(known, _)| *known == name).map(|(_, c)| *c),
        };
        if c.is_none() {
            let known = ENTITIES.iter().map(|(known, _)| *known);
            let help = match closest(name, known) {
                Some(near) => format!("did you mean `&{near};`?"),
                None => format!("write the character itself, or `&amp;{name};` for the text"),
            };
            self.report(
                Diagnostic::error(
                    "xml::unknown_entity",
                    span,
                    format!("`&{name};` stands for no character"),
                )
                .help(help),
            );
        }
        text.push_char(c.unwrap_or('\u{fffd}'), span);
    }
}

/// Whether an element is part of the format.
fn is_known(name: &str) -> bool {
    LEAVES.contains(&name) || CONTAINERS.contains(&name)
}

/// The name that starts at a place; empty if none does.
fn name_at(source: &str, at: usize) -> &str {
    let rest = source.get(at..).unwrap_or("");
    // Nearly all names are in the letters of the format, which are quick to tell.
    let ascii = rest.bytes().position(|byte| !byte.is_ascii_alphabetic()).unwrap_or(rest.len());
    if ascii > 0 && matches!(rest.as_bytes().get(ascii), Some(b' ' | b'>' | b'/' | b'=')) {
        return &rest[..ascii];
    }
    let is_start = |c: char| c.is_alphabetic() || c == '_' || c == ':';
    if !rest.starts_with(is_start) {
        return "";
    }
    let is_part = |c: char| is_start(c) || c.is_alphanumeric() || matches!(c, '-' | '.');
    &rest[..rest.find(|c| !is_part(c)).unwrap_or(rest.len())]
}

/// Why a tag can not be read.
struct Broken<'a> {
    at: usize,
    message: String,
    help: String,
    /// What could be read of it.
    attributes: Vec<Attribute<'a>>,
}

/// Reads the rest of a start tag.
fn attributes<'a>(source: &'a str, start: usize, name: &'a str) -> Result<Tag<'a>, Broken<'a>> {
    let mut at = start + 1 + name.len();
    let mut attributes: Vec<Attribute<'_>> = Vec::new();
    let broken = |at: usize, message: String, help: String, attributes: Vec<Attribute<'a>>| {
        Err(Broken { at, message, help, attributes })
    };
    loop {
        let rest = &source[at..];
        let spaces = rest.len() - rest.trim_start().len();
        at += spaces;
        let rest = &source[at..];
        let width = match rest.as_bytes() {
            [b'>', ..] => 1,
            [b'/', b'>', ..] => 2,
            _ => 0,
        };
        if width > 0 {
            let span = Span::new(start, at + width);
            return Ok(Tag { name, attributes, span, empty: width == 2 });
        }
        let key = name_at(source, at);
        if key.is_empty() || spaces == 0 {
            let help = format!("a tag looks like `<{name} attribute=\"value\">`");
            return broken(at, format!("the tag `<{name}` is not well formed"), help, attributes);
        }
        if attributes.iter().any(|attribute| attribute.name == key) {
            let help = "keep one of the two".to_owned();
            return broken(at, format!("`{key}` is given twice in one tag"), help, attributes);
        }
        let rest = source[at + key.len()..].trim_start();
        let value = rest.strip_prefix('=').map(str::trim_start);
        let quote =
            value.and_then(|value| value.chars().next()).filter(|c| matches!(c, '"' | '\''));
        let (Some(value), Some(quote)) = (value, quote) else {
            let help = format!("write `{key}=\"…\"`");
            let at = if rest.is_empty() || value == Some("") { source.len() } else { at };
            return broken(at, format!("the value of `{key}` is not in quotes"), help, attributes);
        };
        let from = source.len() - value.len() + 1;
        match source[from..].find([quote, '<']) {
            Some(length) if source[from + length..].starts_with(quote) => {
                attributes.push(Attribute { name: key, value: from..from + length });
                at = from + length + 1;
            }
            Some(_) => {
                let help = format!("end the value with `{quote}`; a `<` in it is written `&lt;`");
                return broken(at, format!("the value of `{key}` does not end"), help, attributes);
            }
            None => return broken(source.len(), String::new(), String::new(), attributes),
        }
    }
}
