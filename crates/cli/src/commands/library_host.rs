//! `punctual library-host`: a shared library as a program of its own.
//!
//! A library that crashes or calls `exit` takes with it whoever loaded it. `punctual test --library` starts
//! this command, so that the tester stays to tell about it.

use std::io::BufReader;
use std::path::PathBuf;

use clap::Args;

use crate::{PASS, Stop};

/// Serves a shared library to a tester on standard input and output; `punctual test --library` uses it.
#[derive(Args)]
#[command(hide = true)]
pub(crate) struct LibraryHost {
    /// The library
    library: PathBuf,
    /// Arguments for the library
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<String>,
}

/// The command that hosts a library; the path of the library and its arguments follow.
pub(crate) fn command() -> Option<Vec<String>> {
    let program = std::env::current_exe().ok()?;
    Some(vec![program.to_string_lossy().into_owned(), "library-host".to_owned()])
}

impl LibraryHost {
    pub(crate) fn run(self) -> Result<u8, Stop> {
        let failed = |error: String| Stop::Message(error);
        let system = punctual_exec::hosted(&self.library, &self.arguments)
            .map_err(|error| failed(error.to_string()))?;
        // What the library prints must not get between the messages.
        let stdout = punctual_exec::own_stdout().map_err(|error| failed(error.to_string()))?;
        let stdin = BufReader::new(std::io::stdin());
        punctual_sdk::serve::run(system, stdin, stdout)
            .map_err(|error| failed(error.to_string()))?;
        Ok(PASS)
    }
}
