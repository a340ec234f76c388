//! Why files that a user named can not be used.

use std::fmt;
use std::path::Path;

use punctual_lang::SourceFile;
use punctual_lang::diagnostic::Diagnostic;

/// What is wrong with a file, or with what was asked for.
#[derive(Debug)]
pub enum Problem {
    /// A file is wrong, at these places.
    File(SourceFile, Vec<Diagnostic>),
    /// Something else is.
    Message(String),
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Problem::File(file, diagnostics) => {
                let first = diagnostics.first().map_or("it is wrong", |it| it.message.as_str());
                write!(f, "{}: {first}", file.name)
            }
            Problem::Message(message) => f.write_str(message),
        }
    }
}

/// The content of a file.
///
/// # Errors
/// If it can not be read, or is too large to be a file that people write.
pub fn bytes(path: &Path) -> Result<Vec<u8>, Problem> {
    punctual_lang::load(path).map(|(_, bytes)| bytes).map_err(Problem::Message)
}
