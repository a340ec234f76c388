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
    let failed = |error: std::io::Error| {
        let reason = match error.kind() {
            std::io::ErrorKind::NotFound => "there is no such file".to_owned(),
            std::io::ErrorKind::PermissionDenied => "no permission to read it".to_owned(),
            std::io::ErrorKind::IsADirectory => "it is a folder".to_owned(),
            _ => error.to_string(),
        };
        Problem::Message(format!("can not read `{}`: {reason}", path.display()))
    };
    let metadata = std::fs::metadata(path).map_err(failed)?;
    if metadata.is_dir() {
        return Err(failed(std::io::ErrorKind::IsADirectory.into()));
    }
    if metadata.len() > punctual_lang::BYTES_MAX as u64 {
        let limit = punctual_lang::BYTES_MAX >> 20;
        let message = format!("can not read `{}`: it is larger than {limit} MB", path.display());
        return Err(Problem::Message(message));
    }
    std::fs::read(path).map_err(failed)
}
