//! Networks as JSON, for other programs.
//!
//! The text is `{"format": "punctual-network", "version": 1, "network": …}`; the network itself
//! is laid out as in `punctual_model`, ids being positions in their tables. Infinities and NaN
//! are written as strings. Reading gives back an equal network.
//!
//! What is read is validated: all ids, slots and sizes lie within bounds and all expressions are
//! of the kind that their place asks for, so a network from a file needs no more care than one
//! that was built.

mod validate;

use punctual_model::Network;
use serde::{Deserialize, Serialize};

pub use validate::{Flaw, validate};

use crate::{
    SourceFile, Span,
    diagnostic::{Diagnostic, Diagnostics},
    stack::with_stack,
};

/// What the field `format` says.
pub const FORMAT: &str = "punctual-network";
/// The version of the layout that is written and read.
pub const VERSION: u32 = 1;
/// How deep brackets may nest in a file.
const DEPTH_MAX: usize = 10_000;

#[derive(Serialize)]
struct Written<'a> {
    format: &'a str,
    version: u32,
    network: &'a Network,
}

#[derive(Deserialize)]
struct Header {
    format: String,
    version: u32,
}

#[derive(Deserialize)]
struct Envelope {
    network: Network,
}

/// Writes a network.
pub fn write(network: &Network) -> String {
    let written = Written { format: FORMAT, version: VERSION, network };
    let text = with_stack(|| serde_json::to_string(&written));
    text.expect("a network has no maps whose keys are not strings") + "\n"
}

/// Reads a network; nothing if the text is not one.
pub fn read(file: &SourceFile, diagnostics: &mut Diagnostics) -> Option<Network> {
    if let Err(diagnostic) = check_depth(&file.text) {
        diagnostics.push(*diagnostic);
        return None;
    }
    match with_stack(|| parse(file)) {
        Ok(network) => Some(network),
        Err(diagnostic) => {
            diagnostics.push(*diagnostic);
            None
        }
    }
}

fn parse(file: &SourceFile) -> Result<Network, Box<Diagnostic>> {
    let header: Header = deserialize(file)?;
    let start = Span::first_of(&file.text);
    if header.format != FORMAT {
        return Err(Box::new(Diagnostic::error(
            "json::format",
            start,
            format!("expected the format `{FORMAT}`, found `{}`", header.format.escape_debug()),
        )));
    }
    if header.version != VERSION {
        return Err(Box::new(Diagnostic::error(
            "json::version",
            start,
            format!("expected version {VERSION} of the format, found version {}", header.version),
        )));
    }
    let network = deserialize::<Envelope>(file)?.network;
    match validate(&network) {
        Ok(()) => Ok(network),
        Err(flaw) => Err(Box::new(
            Diagnostic::error("json::invalid", start, flaw.problem.clone())
                .label(format!("at {}", flaw.path))
                .help("the file was not written by this program, or was changed afterwards"),
        )),
    }
}

fn deserialize<'a, T: Deserialize<'a>>(file: &'a SourceFile) -> Result<T, Box<Diagnostic>> {
    let mut deserializer = serde_json::Deserializer::from_str(&file.text);
    // The depth is checked already.
    deserializer.disable_recursion_limit();
    let value = T::deserialize(&mut deserializer).and_then(|value| {
        deserializer.end()?;
        Ok(value)
    });
    value.map_err(|error| {
        let text = error.to_string();
        // The place is shown, not said.
        let message = text.split(" at line ").next().unwrap_or(&text);
        let at = offset(&file.text, error.line(), error.column());
        Box::new(Diagnostic::error("json::syntax", Span::new(at, at), message))
    })
}

/// The offset of a line and a column, which count from 1 and in bytes.
fn offset(text: &str, line: usize, column: usize) -> usize {
    let start = match line {
        0 | 1 => 0,
        _ => text.match_indices('\n').nth(line - 2).map_or(text.len(), |(at, _)| at + 1),
    };
    text.floor_char_boundary((start + column.saturating_sub(1)).min(text.len()))
}

fn check_depth(text: &str) -> Result<(), Box<Diagnostic>> {
    let (mut depth, mut in_string, mut escaped) = (0_usize, false, false);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            b'[' | b'{' if !in_string => {
                depth += 1;
                if depth > DEPTH_MAX {
                    let diagnostic = Diagnostic::error(
                        "json::depth",
                        Span::new(at, at + 1),
                        "nested too deeply",
                    )
                    .help(format!("at most {DEPTH_MAX} levels are read"));
                    return Err(Box::new(diagnostic));
                }
            }
            b']' | b'}' if !in_string => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    Ok(())
}
