//! Where the solver is.

use std::{
    env,
    path::{Path, PathBuf},
};

use crate::{
    error::{Error, Missing},
    session::{Limits, Session},
};

/// Names the program, for those who want another one.
const VARIABLE: &str = "PUNCTUAL_SOLVER";
/// The folder of the project into which a solver is brought.
const FOLDER: &str = ".solver";
const PROGRAM: &str = "z3";

/// A program that reads SMT-LIB text from its standard input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Solver {
    program: PathBuf,
    arguments: Vec<String>,
}

impl Solver {
    /// The solver of this machine: what `PUNCTUAL_SOLVER` names, else `.solver/z3` in or above the
    /// current folder or that of the running program, else `z3` on the path.
    ///
    /// # Errors
    /// If there is none.
    pub fn find() -> Result<Solver, Error> {
        if let Some(named) = env::var_os(VARIABLE).filter(|it| !it.is_empty()) {
            let named = PathBuf::from(named);
            let found = if named.components().count() == 1 && !named.is_file() {
                on_path(&named)
            } else {
                named.is_file().then(|| named.clone())
            };
            return match found {
                Some(program) => Ok(Solver::z3(program)),
                None => Err(Error::Missing(Missing::Named(named))),
            };
        }
        let here = env::current_dir().ok();
        let program = env::current_exe().ok();
        let brought = |start: Option<PathBuf>| start.and_then(|it| above(&it));
        brought(here)
            .or_else(|| brought(program))
            .or_else(|| on_path(Path::new(PROGRAM)))
            .map(Solver::z3)
            .ok_or(Error::Missing(Missing::NotFound))
    }

    /// A z3 at a place.
    #[must_use]
    pub fn z3(program: impl Into<PathBuf>) -> Solver {
        Solver { program: program.into(), arguments: vec!["-in".to_owned(), "-smt2".to_owned()] }
    }

    /// Another program, with its arguments.
    #[must_use]
    pub fn program(program: impl Into<PathBuf>, arguments: Vec<String>) -> Solver {
        Solver { program: program.into(), arguments }
    }

    /// The file of the program.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.program
    }

    pub(crate) fn arguments(&self) -> &[String] {
        &self.arguments
    }

    /// A session, with nothing asserted.
    ///
    /// # Errors
    /// If the program can not be started.
    pub fn start(&self, limits: Limits) -> Result<Session, Error> {
        Session::start(self.clone(), limits)
    }
}

/// The solver in the project's folder, for somebody in it.
fn above(start: &Path) -> Option<PathBuf> {
    start.ancestors().map(|it| it.join(FOLDER).join(PROGRAM)).find(|it| it.is_file())
}

fn on_path(name: &Path) -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    env::split_paths(&path).map(|it| it.join(name)).find(|it| it.is_file())
}
