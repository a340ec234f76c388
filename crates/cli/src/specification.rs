//! Specifications for commands that test: a model, an interface file, and an environment.

use std::path::{Path, PathBuf};

use clap::ValueEnum;
use punctual_lang::testing::Config;
use punctual_model::Network;
use punctual_oracle::conformance::Specification;
use punctual_semantics::split::{self, Named, Refusal, Split};

use crate::{Stop, input};

/// The file beside a model that says how it is tested.
const BESIDE: &str = "punctual.toml";

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

/// A model to test against, and what it was read from.
pub(crate) struct Loaded {
    pub(crate) specification: Specification,
    pub(crate) config: Config,
    /// The files with what is in them: the model, and the interface.
    pub(crate) model: (PathBuf, Vec<u8>),
    pub(crate) interface: (PathBuf, Vec<u8>),
}

/// The interface file of a model: the one that was named, or the one beside it.
pub(crate) fn interface_path(model: &Path, named: Option<&Path>) -> Result<PathBuf, Stop> {
    if let Some(path) = named {
        return Ok(path.to_owned());
    }
    let beside = model.with_file_name(BESIDE);
    if beside.is_file() {
        return Ok(beside);
    }
    Err(Stop::Message(format!(
        "there is no `{}` beside the model: name a file that says what is exchanged with the system \
         (`--interface FILE`); `docs/guide/interface.md` says what it contains",
        beside.display()
    )))
}

/// Reads a model and its interface, and makes a specification of them.
pub(crate) fn load(
    model_path: &Path,
    interface: Option<&Path>,
    environment: Environment,
) -> Result<Loaded, Stop> {
    let source = input::read_model(model_path, input::Queries::None)?;
    let interface_path = interface_path(model_path, interface)?;
    let mut config = input::read_interface(&interface_path, &source.model.network)?;
    let network = source.model.network.clone();
    let named = Named { environment: config.environment.clone(), system: config.system.clone() };
    let (network, named) = replaced(network, &mut config, named, environment)?;
    let specification = Specification::new(network, config.interface.clone(), &named)
        .map_err(|rejection| Stop::Message(rejection.to_string()))?;
    let bytes = |path: &Path| input::named_bytes(path).map(|(_, bytes)| (path.to_owned(), bytes));
    Ok(Loaded {
        specification,
        config,
        model: bytes(model_path)?,
        interface: bytes(&interface_path)?,
    })
}

/// The network with the environment that is asked for.
fn replaced(
    network: Network,
    config: &mut Config,
    named: Named,
    environment: Environment,
) -> Result<(Network, Named), Stop> {
    let make: fn(&Network, &punctual_model::Interface, &Split) -> Result<Network, Refusal> =
        match environment {
            Environment::Model => return Ok((network, named)),
            Environment::Universal => split::universal,
            Environment::Silent => split::silent,
        };
    let refused = |refusal: Refusal| Stop::Message(refusal.to_string());
    let split = split::split(&network, &config.interface, &named).map_err(refused)?;
    let network = make(&network, &config.interface, &split).map_err(refused)?;
    // Processes have other numbers now, and the sides are clear.
    (config.environment, config.system) = (Vec::new(), Vec::new());
    Ok((network, Named::default()))
}
