//! Models that were derived from use cases, as files: a UPPAAL model that people can read, and its interface.

use punctual_lang::{
    convert::{Unsupported, to_document},
    testing::{self, Config, TestOptions},
    uppaal::xml,
};
use punctual_model::{
    LocationId, Network, ScenarioId,
    usecases::{Dispatch, Keeper, NotLinked},
};
use punctual_testgen::usecases::Derived;

use super::diagram;

/// A derived model as texts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Files {
    /// The model, in UPPAAL's XML, with a place for everything.
    pub model: String,
    /// Its interface, as a `punctual.toml`.
    pub interface: String,
}

/// Writes a derived model.
///
/// # Errors
/// What UPPAAL's format has no way to say.
pub fn files(derived: &Derived) -> Result<Files, Vec<Unsupported>> {
    let mut document = to_document(&derived.network)?;
    diagram::arrange(&mut document);
    let config = Config {
        wired: derived.wired.clone(),
        environment: Vec::new(),
        system: Vec::new(),
        under_test: None,
        steps: None,
        steering: None,
        test: TestOptions::default(),
    };
    let interface = testing::print(&derived.network, &config);
    Ok(Files { model: xml::write(&document), interface })
}

/// What links scenarios with automata, and what does not, a line each: first edges, then state that nobody draws, then what was left out and where time may
/// stop. `network` has the automata that were drawn.
#[must_use]
pub fn lines(derived: &Derived, network: &Network) -> Vec<String> {
    let name = |id: ScenarioId| derived.scenarios.scenarios[id].name.as_str();
    let mut lines = Vec::new();
    for event in &derived.links.events {
        let process = &network.processes[event.process];
        let edge = &process.edges[event.edge];
        let at = |id: LocationId| process.locations[id].name.as_str();
        let target = edge.branches.first().map_or("", |it| at(it.target));
        let channel = &network.channels[event.channel].name;
        let place = format!("{}: {} → {target} ({channel})", process.name, at(edge.source));
        lines.push(match &event.by {
            Dispatch::Scenarios(by) => {
                let names: Vec<&str> = by.iter().map(|id| name(*id)).collect();
                format!("{place}: by {}", names.join(", "))
            }
            Dispatch::Nobody { why, nearest } => {
                let near = nearest.as_ref().map(|near| {
                    let missing = near.missing.iter().filter_map(|at| {
                        event.updates.get(*at as usize).map(|it| it.name.as_str())
                    });
                    let missing: Vec<&str> = missing.collect();
                    format!("; nearest is {}, without {}", name(near.scenario), missing.join(", "))
                });
                format!("{place}: not linked, {}{}", reason(*why), near.unwrap_or_default())
            }
        });
    }
    for kept in &derived.links.state {
        match kept.keeper {
            Keeper::Automaton(..) => {}
            Keeper::Scenarios => lines.push(format!("{}: kept by scenarios", kept.name)),
            Keeper::Tester => lines.push(format!("{}: set up by the tester", kept.name)),
        }
    }
    lines.extend(derived.notes.iter().cloned());
    for stop in &derived.stops {
        let process = &derived.network.processes[stop.process];
        let location = &process.locations[stop.location].name;
        lines.push(format!("{}: time may stop in {location}", process.name));
    }
    lines
}

pub(super) fn reason(why: NotLinked) -> &'static str {
    match why {
        NotLinked::NoUpdate => "it sets nothing but clocks",
        NotLinked::NotConstant => "it sets something to more than a constant",
        NotLinked::SeveralChannels => "its channel is chosen while the model runs",
        NotLinked::NoAttribute => "it sets what is no attribute",
        NotLinked::NoScenario => "no scenario sets what it sets",
    }
}
