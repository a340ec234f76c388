//! Who uses a system, as an argument of commands.

use clap::ValueEnum;
use punctual_campaign::load;

/// Who uses the system.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, ValueEnum)]
pub(crate) enum Environment {
    /// The processes of the model that are environment
    #[default]
    Model,
    /// Anybody who does anything at any time
    Universal,
    /// Nobody: inputs are never sent, outputs always accepted
    Silent,
}

impl From<Environment> for load::Environment {
    fn from(it: Environment) -> load::Environment {
        match it {
            Environment::Model => load::Environment::Model,
            Environment::Universal => load::Environment::Universal,
            Environment::Silent => load::Environment::Silent,
        }
    }
}
