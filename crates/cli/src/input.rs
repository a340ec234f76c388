//! Reading models for any command, and showing what is wrong with them.

use std::{
    collections::BTreeMap,
    io::IsTerminal,
    path::{Path, PathBuf},
};

use punctual_lang::{
    Input, Model, QueryEntry, Reading, SourceFile,
    diagnostic::{Diagnostic, Severity, Style, render},
    lustre, testing,
};
use punctual_model::{
    Network, VarId,
    lustre::{Program, Rational},
};

use crate::Stop;

/// More than this many diagnostics of one file are counted, not shown.
const SHOWN_MAX: usize = 50;

/// A model that was read, and the files it was read from.
#[derive(Clone, Copy)]
pub(crate) struct Source {
    /// The file of the model.
    pub(crate) file: &'static SourceFile,
    /// The file of queries, if one was given.
    pub(crate) query_file: Option<&'static SourceFile>,
    /// The model.
    pub(crate) model: &'static Model,
}

impl Source {
    /// The file that a query stands in.
    pub(crate) fn file_of(&self, query: &QueryEntry) -> &'static SourceFile {
        self.query_file.filter(|_| query.from_query_file).unwrap_or(self.file)
    }
}

/// Queries beside those of the model.
#[derive(Clone, Copy)]
pub(crate) enum Queries<'q> {
    None,
    /// Those of a file.
    File(&'q Path),
    /// Those that an argument of the command line holds, one per line.
    Text {
        argument: &'q str,
        text: &'q str,
    },
}

/// Reads a model (`-` is standard input), with further queries if some are given, and shows what
/// is wrong. Stops at errors; a wrong query is none.
///
/// A command reads one model and ends. Freeing a large one would take a fifth of the time of
/// `show`, so it is never freed.
pub(crate) fn read_model(path: &Path, queries: Queries<'_>) -> Result<Source, Stop> {
    read_model_of(&named_bytes(path)?, queries)
}

/// The same for a file that was loaded already: its name and its content.
pub(crate) fn read_model_of(
    (name, bytes): &(String, Vec<u8>),
    queries: Queries<'_>,
) -> Result<Source, Stop> {
    let queries = match queries {
        Queries::None => None,
        Queries::File(path) => Some(named_bytes(path)?),
        Queries::Text { argument, text } => Some((argument.to_owned(), text.as_bytes().to_vec())),
    };
    let reading = punctual_lang::read_with_queries(
        Input { name, bytes },
        queries.as_ref().map(|(name, bytes)| Input { name, bytes }),
    );
    let Reading { file, model, diagnostics, query_file, query_diagnostics } = reading;
    show(&diagnostics, &file);
    if let Some(query_file) = &query_file {
        show(&query_diagnostics, query_file);
        if query_diagnostics.iter().any(Diagnostic::is_error) {
            return Err(Stop::Reported);
        }
    }
    match model {
        Some(model) => Ok(Source {
            file: Box::leak(Box::new(file)),
            query_file: query_file.map(|file| &*Box::leak(Box::new(file))),
            model: Box::leak(Box::new(model)),
        }),
        None => Err(Stop::Reported),
    }
}

/// Whether a file is a Lustre program: its name says so.
pub(crate) fn is_lustre(path: &Path) -> bool {
    path.extension().is_some_and(|suffix| suffix.eq_ignore_ascii_case("lus"))
}

/// Reads a Lustre program, and shows what is wrong. Stops at errors.
pub(crate) fn read_lustre(path: &Path, main: Option<&str>) -> Result<(String, Program), Stop> {
    let file = named_bytes(path)?;
    let program = read_program_of(&file, main)?;
    Ok((file.0, program))
}

/// Reads a file about tests of a network, and shows what is wrong. Stops at errors.
pub(crate) fn read_interface(path: &Path, network: &Network) -> Result<testing::Config, Stop> {
    let (name, bytes) = named_bytes(path)?;
    let reading = testing::read(network, Input { name: &name, bytes: &bytes });
    show(&reading.diagnostics, &reading.file);
    reading.value.ok_or(Stop::Reported)
}

/// The name and the content of a file, or of standard input.
pub(crate) fn named_bytes(path: &Path) -> Result<(String, Vec<u8>), Stop> {
    punctual_lang::load(path).map_err(Stop::Message)
}

/// Colours on a terminal, unless the user wants none.
pub(crate) fn style(stream: &impl IsTerminal) -> Style {
    match stream.is_terminal() && std::env::var_os("NO_COLOR").is_none() {
        true => Style::Colour,
        false => Style::Plain,
    }
}

/// How runs are shown on standard output.
pub(crate) fn run_style() -> punctual_report::runs::Style {
    let colour = style(&std::io::stdout()) == Style::Colour;
    punctual_report::runs::Style { colour, width: crate::terminal_width() }
}

/// Shows diagnostics on standard error, in the order of the file.
pub(crate) fn show(diagnostics: &[Diagnostic], file: &SourceFile) {
    let style = style(&std::io::stderr());
    for diagnostic in diagnostics.iter().take(SHOWN_MAX) {
        crate::tell::painted(&format!("{}\n", render(diagnostic, file, style)));
    }
    let count = |severity| diagnostics.iter().filter(|d| d.severity == severity).count();
    let hidden = diagnostics.len().saturating_sub(SHOWN_MAX);
    if hidden > 0 {
        tell!("… and {hidden} more\n");
    }
    let (errors, warnings) = (count(Severity::Error), count(Severity::Warning));
    if errors > 0 {
        let plural = |n: usize, word: &str| match n {
            1 => format!("1 {word}"),
            n => format!("{n} {word}s"),
        };
        let warnings = match warnings {
            0 => String::new(),
            n => format!(" and {}", plural(n, "warning")),
        };
        tell!("{}: {}{warnings}", file.name, plural(errors, "error"));
    }
}

/// What inputs can be, as `--range` says.
pub(crate) fn ranges(
    program: &Program,
    texts: &[String],
) -> Result<BTreeMap<VarId, (Rational, Rational)>, Stop> {
    let wrong = |text: &str, why: String| Stop::Message(format!("`--range {text}`: {why}"));
    let range = |text: &String| lustre::range(program, text).map_err(|why| wrong(text, why));
    texts.iter().map(range).collect()
}

/// Reads a synchronous program (`-` is standard input), and shows what is wrong. Stops at errors.
pub(crate) fn read_program(path: &Path, main: Option<&str>) -> Result<Program, Stop> {
    read_program_of(&named_bytes(path)?, main)
}

/// The same for a file that was loaded already: its name and its content.
pub(crate) fn read_program_of(
    (name, bytes): &(String, Vec<u8>),
    main: Option<&str>,
) -> Result<Program, Stop> {
    let reading = lustre::read(Input { name, bytes }, main);
    show(&reading.diagnostics, &reading.file);
    reading.value.ok_or(Stop::Reported)
}

/// A file as another file names it: relative to the folder of that one, or from the root if they have nothing in common.
pub(crate) fn relative(from: Option<&Path>, path: &Path) -> String {
    let folder = from.and_then(Path::parent).unwrap_or(Path::new(""));
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let (Ok(folder), Ok(file)) = (std::fs::canonicalize(folder), std::fs::canonicalize(path))
    else {
        return path.display().to_string();
    };
    let common = folder.components().zip(file.components()).take_while(|(a, b)| a == b).count();
    let up = folder.components().count() - common;
    let named: PathBuf = match common > 1 {
        true => (0..up)
            .map(|_| std::path::Component::ParentDir)
            .chain(file.components().skip(common))
            .collect(),
        false => file,
    };
    named.display().to_string()
}
