//! A folder of requirements, read as a whole.

use std::path::Path;

use punctual_model::{
    Network,
    usecases::{Domain, Place, UseCases},
};

use super::{
    automata, link,
    names::Lexicon,
    ocl, puml, rucm, settings,
    sources::{Context, Reader, Source},
};
use crate::{
    Input, Span,
    diagnostic::{Diagnostic, Severity},
    stack::with_stack,
};

/// What was found in a folder. Warnings may come with a value; errors come without.
#[derive(Debug)]
pub struct Folder {
    /// The files, each with all that is wrong with it.
    pub sources: Vec<Source>,
    /// What they say, if there is no error.
    pub value: Option<UseCases>,
    /// The automata of the folder, if it has some and there is no error.
    pub network: Option<Network>,
    /// What is still to be written, in the order of files: names first, then sentences. This is no error.
    pub open: Vec<Open>,
}

impl Folder {
    /// How many errors and warnings there are.
    #[must_use]
    pub fn count(&self, severity: Severity) -> usize {
        let all = self.sources.iter().flat_map(|source| &source.diagnostics);
        all.filter(|it| it.severity == severity).count()
    }
}

/// Something that is still to be written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Open {
    /// What is missing.
    pub kind: OpenKind,
    /// The name or the sentence.
    pub text: String,
    /// Which of the files it stands in first.
    pub file: usize,
    /// Where it stands first.
    pub span: Span,
    /// The line that it stands in first.
    pub place: Place,
    /// How often it is there.
    pub count: usize,
}

/// What is missing.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum OpenKind {
    /// The domain model has nothing of this name.
    Entity,
    /// A precondition has no constraint.
    Precondition,
    /// A condition has no constraint.
    Condition,
    /// The effect of an internal step has no constraint.
    Effect,
    /// A postcondition has no constraint.
    Postcondition,
}

impl OpenKind {
    /// In a word, as reports have it.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            OpenKind::Entity => "entity",
            OpenKind::Precondition => "precondition",
            OpenKind::Condition => "condition",
            OpenKind::Effect => "effect",
            OpenKind::Postcondition => "postcondition",
        }
    }
}

impl Open {
    /// As an error, for those who need everything.
    #[must_use]
    pub fn diagnostic(&self) -> Diagnostic {
        match self.kind {
            OpenKind::Entity => {
                let message = format!("the domain model has nothing called `{}`", self.text);
                let help = "add a class or an attribute of this name, or a line to `[names]` of usecases.toml";
                Diagnostic::error("usecases::entity", self.span, message).help(help)
            }
            kind => {
                let message = format!("no constraint says what this {} means", kind.word());
                let help = format!("write `-- \"{}\"` above a constraint", self.text);
                Diagnostic::error("usecases::constraint", self.span, message).help(help)
            }
        }
    }
}

/// The names of files that a folder of use cases has.
const SUFFIXES: [&str; 3] = ["md", "puml", "ocl"];

/// The name of the file with settings.
const SETTINGS: &str = "usecases.toml";

/// The name of the file with automata.
const AUTOMATA: &str = "model.xml";

/// The files of a folder that [`read`] wants: names and contents, sorted by name. `README.md` is for people.
///
/// # Errors
/// If the folder or a file of it can not be read: says so.
pub fn load(folder: &Path) -> Result<Vec<(String, Vec<u8>)>, String> {
    let failed = |error: std::io::Error| {
        let reason = match error.kind() {
            std::io::ErrorKind::NotFound => "there is no such folder".to_owned(),
            std::io::ErrorKind::NotADirectory => "it is a file; name a folder".to_owned(),
            _ => error.to_string(),
        };
        format!("can not read `{}`: {reason}", folder.display())
    };
    let mut paths = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let suffix = path.extension().and_then(|it| it.to_str()).unwrap_or_default();
        let is_wanted = SUFFIXES.iter().any(|it| suffix.eq_ignore_ascii_case(it));
        let is_readme = name.eq_ignore_ascii_case("README.md");
        let is_wanted = is_wanted && !is_readme || [SETTINGS, AUTOMATA].contains(&name);
        if is_wanted && !path.is_dir() {
            // A device has no end, and a pipe may never have one.
            if !path.is_file() {
                return Err(format!("can not read `{}`: it is no file", path.display()));
            }
            paths.push(path);
        }
    }
    paths.sort();
    paths.iter().map(|path| crate::load(path)).collect()
}

/// Reads the files of a folder together. Their suffixes say what they are.
#[must_use]
pub fn read(inputs: &[Input<'_>]) -> Folder {
    with_stack(|| read_here(inputs))
}

fn read_here(inputs: &[Input<'_>]) -> Folder {
    let mut readers: Vec<Reader> =
        inputs.iter().enumerate().map(|(at, input)| Reader::new(at, *input)).collect();
    let mut context = Context::default();
    let of = |readers: &[Reader], suffix: &str| -> Vec<usize> {
        (0..readers.len())
            .filter(|at| readers[*at].is_text() && readers[*at].has_suffix(suffix))
            .collect()
    };
    let files = ["toml", "puml", "md", "ocl"].map(|suffix| of(&readers, suffix));
    let [settings_files, diagrams, texts, constraints] = files;
    let mut raw_settings = None;
    for at in settings_files {
        raw_settings = settings::parse(&mut readers[at], &mut context).map(|raw| (at, raw));
    }
    let statements: Vec<_> =
        diagrams.iter().map(|at| (*at, puml::read(&mut readers[*at]))).collect();
    let (domain, wrong): (Domain, _) = puml::build(&mut readers, &context, &statements);
    let mut lexicon = Lexicon::new(&domain, wrong);
    let mut settings = Default::default();
    if let Some((at, raw)) = raw_settings {
        settings = settings::resolve(&mut readers[at], &context, raw, (&mut lexicon, &domain));
    }
    let mut raws = Vec::new();
    for at in &texts {
        let found = rucm::read(&mut readers[*at], &context);
        if found.is_empty() {
            let span = Span::first_of(&readers[*at].file.text);
            let help = "a use case begins with `## Use Case: Name`";
            let wrong =
                Diagnostic::warning("rucm::none", span, "there is no use case in this file");
            readers[*at].diagnostics.push(wrong.help(help));
        }
        raws.extend(found.into_iter().map(|raw| (*at, raw)));
    }
    let mut built = rucm::build(&mut readers, &context, &raws, (&lexicon, &domain));
    let mut checked = Vec::new();
    for at in constraints {
        let raw = ocl::read(&mut readers[at]);
        checked.extend(ocl::check(&mut readers[at], &context, at, raw, (&lexicon, &domain)));
    }
    let mut network = None;
    for at in of(&readers, "xml") {
        network = automata::read(&mut readers[at], &context, (&lexicon, &domain));
    }
    let (constraints, open_sentences) = link::link(&mut readers, &context, &mut built, checked);
    let mut open = link::entities(&readers, &built);
    open.extend(open_sentences);
    let is_wrong = readers.iter().any(|reader| reader.diagnostics.has_errors());
    let value = (!is_wrong).then(|| UseCases {
        files: readers.iter().map(|reader| reader.file.name.clone()).collect(),
        use_cases: built.use_cases,
        sentences: built.sentences,
        domain,
        constraints,
        settings,
    });
    let sources = readers
        .into_iter()
        .map(|reader| Source { file: reader.file, diagnostics: reader.diagnostics.into_sorted() });
    let network = network.filter(|_| !is_wrong);
    Folder { sources: sources.collect(), value, network, open }
}
