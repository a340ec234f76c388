//! Where the solver is.

use std::{
    env,
    path::{Path, PathBuf},
    sync::OnceLock,
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
/// What the user chose on the command line.
static CHOSEN: OnceLock<PathBuf> = OnceLock::new();

/// A program that reads SMT-LIB text from its standard input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Solver {
    program: PathBuf,
    arguments: Vec<String>,
}

impl Solver {
    /// From now on, [`find`](Self::find) gives this program. Only the first choice counts.
    pub fn choose(program: impl Into<PathBuf>) {
        let _ = CHOSEN.set(program.into());
    }

    /// The solver of this machine: the one that was chosen, else what `PUNCTUAL_SOLVER` names, else the one that the running program
    /// came with, else `z3` on the path.
    ///
    /// Nothing is taken from where the user stands: a folder from elsewhere could bring a program of its own.
    ///
    /// # Errors
    /// If there is none.
    pub fn find() -> Result<Solver, Error> {
        let variable = || env::var_os(VARIABLE).filter(|it| !it.is_empty()).map(PathBuf::from);
        if let Some(named) = CHOSEN.get().cloned().or_else(variable) {
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
        let program = env::current_exe().ok();
        program
            .and_then(|it| brought_with(&it))
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

/// The solver beside a program, or in the project's folder if cargo built the program there (`target/PROFILE/…`).
fn brought_with(program: &Path) -> Option<PathBuf> {
    let beside = program.parent();
    let target = program.ancestors().find(|it| it.file_name().is_some_and(|it| it == "target"));
    let project = target.and_then(Path::parent);
    let places = [beside, project].into_iter().flatten();
    places.map(|it| it.join(FOLDER).join(PROGRAM)).find(|it| it.is_file())
}

fn on_path(name: &Path) -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    env::split_paths(&path).map(|it| it.join(name)).find(|it| it.is_file())
}
