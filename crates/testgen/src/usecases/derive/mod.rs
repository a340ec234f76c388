//! The timeliness test model: scenario automata, environment automata and augmented requirement automata (section VII of the TAUC paper).
//!
//! For each scenario the derived network has a channel of its name, over which the tester starts it, and an automaton of two edges: the first asks whether the
//! scenario can be taken and makes its changes, the second says `scenario!`. An edge that waited for a scenario event waits for `scenario` instead, and asks
//! which scenario has just ended. A process `Scenarios` lets the tester start one scenario after the other, with the period of the settings between them.
//!
//! - An attribute that an automaton keeps is a global variable, called by its process and its own name (`TemperatureError_isDetected`). What is
//!   no letter, digit or underscore becomes an underscore; a name that is taken gets a number.
//! - Truth is `bool`, integers are integers, members of an enumeration are counted from 0, and real numbers are whole numbers of parts (`scale`).
//! - An edge whose values, or those of its scenario, are computed (`n = n + 1`) fires if the scenario has made of each variable what the edge makes of it.
//! - All changes of a scenario happen at once: each right side is read before anything is changed.
//! - What the tester gives goes with the channel, in variables that `Scenarios` sets and the scenario automaton resets.
//!
//! DIFFERENCE(tauc): the paper's edge asks whether the output has the right value, which one that was set earlier has, too; we ask which scenario has
//! ended. The paper's scenarios run at once and on their own, and end a period after their inputs; ours are inputs of the tester, one at a time, end at
//! once and begin a period after each other. [`As::Paper`] derives the paper's. Test: `it::usecases::laws`.

mod augment;
mod build;
mod events;
mod exact;
mod fold;
mod given;
mod interface;
mod order;
mod paper;
mod reached;
mod settle;
mod state;
mod terms;
mod time;

use std::fmt;

use punctual_model::{
    ChannelId, IdVec, Network, ProcessId, ScenarioId, VariableId, Wired,
    usecases::{Links, Place, Scenarios, UseCases},
};

pub use time::{Stop, hinders_nobody, stops};

use super::link::link;

/// Which model is derived.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum As {
    /// The tester starts scenarios, and an edge knows which one has ended.
    #[default]
    Exact,
    /// As Figures 3-b and 7 of the paper have it.
    Paper,
}

/// A timeliness test model, and how it came about.
#[derive(Clone, Debug, PartialEq)]
pub struct Derived {
    /// The model. Processes of the network that engineers drew keep their ids, and so do their edges and variables.
    pub network: Network,
    /// What is exchanged with the system, tied to the derived model.
    pub wired: Wired,
    /// Which automata keep which state, and which scenarios dispatch which events.
    pub links: Links,
    /// The scenarios, with what the tester sets up put in.
    pub scenarios: Scenarios,
    /// The automaton of each scenario.
    pub automata: IdVec<ScenarioId, ProcessId>,
    /// The channel that starts each scenario; none as the paper has it.
    pub starts: IdVec<ScenarioId, Option<ChannelId>>,
    /// The variable of each piece of state of the links; none for what the tester sets up.
    pub state: Vec<Option<VariableId>>,
    /// What was left out, in words.
    pub notes: Vec<String>,
    /// Locations in which time may come to an end.
    pub stops: Vec<Stop>,
    /// Scenarios that can not happen, since no state leads to what they need. Others may be impossible because of time.
    pub unreached: Vec<ScenarioId>,
}

/// Something that a timed model can not express.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// What it is, in words.
    pub message: String,
    /// Where the sentence or the attribute stands that asks for it.
    pub place: Option<Place>,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Problem {}

/// Scenarios without automata: what no scenario changes is set up by the tester, as it is with them. They stay as they are if that contradicts.
#[must_use]
pub fn settled(all: &UseCases, scenarios: &Scenarios) -> Scenarios {
    let links = link(all, scenarios, &Network::default());
    settle::settle(all, scenarios, &links).unwrap_or_else(|_| scenarios.clone())
}

/// Derives the timeliness test model of scenarios and of the automata that engineers drew.
///
/// # Errors
/// Everything that a timed model can not express.
pub fn derive(
    all: &UseCases,
    scenarios: &Scenarios,
    network: &Network,
    form: As,
) -> Result<Derived, Vec<Problem>> {
    let links = link(all, scenarios, network);
    let scenarios = settle::settle(all, scenarios, &links)?;
    let mut problems = Vec::new();
    let mut maker = build::Maker::new(all, &scenarios, &links, network.clone());
    maker.keep_state(&mut problems);
    let given = match form {
        As::Exact => maker.given(&mut problems),
        As::Paper => given::Given::nothing(&scenarios),
    };
    let events = maker.environment_events();
    let (automata, starts) = match form {
        As::Exact => maker.exact(&given, &mut problems),
        As::Paper => maker.paper(&mut problems),
    };
    if !problems.is_empty() {
        return Err(problems);
    }
    let wired = maker.interface(&starts, &given, &events);
    let build::Maker { network, state, notes, .. } = maker;
    let state = state.iter().map(|it| it.as_ref().map(|it| it.variable)).collect();
    let stops = stops(&network);
    let unreached = reached::unreached(&network, &wired, &automata);
    Ok(Derived {
        network,
        wired,
        links,
        scenarios,
        automata,
        starts,
        state,
        notes,
        stops,
        unreached,
    })
}
