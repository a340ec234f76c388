//! Which platform a suite is brought to, and how its delays are minded.

use std::path::PathBuf;

use punctual_lang::platform;

use punctual_testgen::lustre::Criterion;

use crate::load::{INTERFACE, Loaded};

/// Where a record says how delays were minded.
pub(crate) const MODE: &str = "platform";

/// Where a record says how often a case was run at most.
pub(crate) const TRIES: &str = "tries";

/// Where a record says which objectives are of interest.
pub(crate) const OBJECTIVES: &str = "objectives";

/// The role of the file in a record.
pub const ROLE: &str = "platform";

/// How delays are minded.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Mode {
    /// Only what makes a difference is sent, and what was seen is judged by all that may have happened.
    #[default]
    Explained,
    /// As in the paper: everything is sent for the middle of its step, and responses are brought back to the model's time.
    Scheduled,
    /// Not at all: inputs are sent in the middle between two steps, and responses are taken as they come.
    Direct,
}

impl Mode {
    /// Its word in records.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Mode::Explained => "explained",
            Mode::Scheduled => "scheduled",
            Mode::Direct => "direct",
        }
    }

    /// The mode of a word in a record.
    pub(crate) fn named(name: &str) -> Mode {
        let all = [Mode::Explained, Mode::Scheduled, Mode::Direct];
        all.into_iter().find(|it| it.name() == name).unwrap_or_default()
    }
}

/// Which platform lies between the tester and the system.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Between {
    /// What the table `[platform]` of the interface file says, if it has one and the model is a synchronous one; else nothing.
    #[default]
    Configured,
    /// Nothing, whatever the interface file says.
    Nothing,
    /// What this file says.
    File(PathBuf),
}

impl Between {
    /// The file that says it; none if there is nothing between.
    #[must_use]
    pub fn file(&self, loaded: &Loaded) -> Option<PathBuf> {
        match self {
            Between::Nothing => None,
            Between::File(path) => Some(path.clone()),
            Between::Configured => {
                let judges = &loaded.judges;
                let is_synchronous = judges.steps.is_some() && judges.specification.is_none();
                let mut files = loaded.files.iter().filter(|_| is_synchronous);
                let found = files.find(|it| it.role == INTERFACE && platform::is_in(&it.bytes));
                found.map(|it| it.path.clone())
            }
        }
    }
}

/// How a suite is brought to a platform.
#[derive(Clone, Debug, Default)]
pub struct Mounting {
    /// How delays are minded.
    pub mode: Mode,
    /// A platform that a played model is put on, if it is another one than that which the tester takes it for.
    pub simulated: Option<PathBuf>,
    /// How often a case is run at most; 0 counts as 1.
    pub tries: u64,
    /// Whether runs are made to their ends also when the steps that are still needed have become unlikely.
    pub stays: bool,
    /// What of the model is to be exercised, if that is of interest.
    pub objectives: Option<Criterion>,
}
