//! What can go wrong with files of runs. All of it is said with the name of the file.

use std::{fmt, io, path::PathBuf};

/// A record or a store that can not be written or read.
#[derive(Debug)]
pub enum StoreError {
    /// The operating system refused.
    Io {
        /// What was tried: `write`, `create`.
        action: &'static str,
        /// With which file or folder.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// A line is not one of a record.
    Line {
        /// The record.
        path: PathBuf,
        /// The line, counted from 1.
        line: u64,
        /// What is wrong with it.
        message: String,
    },
    /// The record does not begin with a header, or with one of another version.
    Header {
        /// The record.
        path: PathBuf,
        /// What was found instead.
        message: String,
    },
    /// There is no run with this name.
    NoRun {
        /// The store.
        path: PathBuf,
        /// The name.
        name: String,
    },
    /// A table of a suite, or an automaton of a platform, has the name of another file.
    SameName {
        /// The name.
        name: String,
    },
}

impl StoreError {
    pub(super) fn io(
        action: &'static str,
        path: impl Into<PathBuf>,
    ) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |error| Self::Io { action, path, error }
    }
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io { action, path, error } => {
                write!(f, "can not {action} {}: {error}", path.display())?;
                match error.kind() {
                    io::ErrorKind::StorageFull => {
                        write!(f, "; what was recorded before is safe")
                    }
                    io::ErrorKind::PermissionDenied => write!(f, "; choose another folder"),
                    _ => Ok(()),
                }
            }
            Self::Line { path, line, message } => write!(f, "{}:{line}: {message}", path.display()),
            Self::Header { path, message } => {
                write!(f, "{} is not a record of a run: {message}", path.display())
            }
            Self::NoRun { path, name } => {
                write!(f, "there is no run `{name}` in {}", path.display())
            }
            Self::SameName { name } => {
                write!(f, "two files of a run are called `{name}`; rename one of them")
            }
        }
    }
}

impl std::error::Error for StoreError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io { error, .. } => Some(error),
            _ => None,
        }
    }
}
