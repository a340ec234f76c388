//! How scenarios and automata belong together, and how much was drawn by hand.

use punctual_lang::convert::Printer;
use punctual_model::{
    LocationId, Network, Process, ScenarioId,
    usecases::{AttributeType, Dispatch, EventEdge, Keeper, NotLinked, UseCases},
};
use punctual_testgen::usecases::Derived;

use crate::view::scenarios::{Count, Drawing, Event};

/// The edges that wait for a scenario. `network` has the automata that were drawn.
pub(super) fn events(all: &UseCases, derived: &Derived, network: &Network) -> Vec<Event> {
    derived.links.events.iter().map(|it| event(all, derived, network, it)).collect()
}

fn event(all: &UseCases, derived: &Derived, network: &Network, it: &EventEdge) -> Event {
    let name = |id: ScenarioId| derived.scenarios.scenarios[id].name.clone();
    let process = &network.processes[it.process];
    let edge = &process.edges[it.edge];
    let at = |id: LocationId| process.locations[id].name.as_str();
    let target = edge.branches.first().map_or("", |it| at(it.target));
    let updates = it.updates.iter().map(|update| {
        let kept = update.state.and_then(|it| derived.links.state.get(it as usize));
        let ty = kept.map(|it| all.domain.attributes[it.attribute].ty);
        let value = match (ty, update.to.as_int()) {
            (Some(AttributeType::Boolean), Some(value)) => (value != 0).to_string(),
            (Some(AttributeType::Enumeration(id)), Some(value)) => {
                let names = &all.domain.enumerations[id].values;
                let at = usize::try_from(value).ok().and_then(|at| names.get(at));
                at.cloned().unwrap_or_else(|| value.to_string())
            }
            _ => Printer::within(network, it.process).for_edge(edge).expr(&update.to),
        };
        format!("{} = {value}", update.name)
    });
    let (scenarios, why) = match &it.by {
        Dispatch::Scenarios(by) => (by.iter().map(|id| name(*id)).collect(), String::new()),
        Dispatch::Nobody { why, nearest } => {
            let near = nearest.as_ref().map(|near| {
                let updates = near.missing.iter().filter_map(|at| it.updates.get(*at as usize));
                let missing: Vec<&str> = updates.map(|it| it.name.as_str()).collect();
                format!("; nearest is {}, without {}", name(near.scenario), missing.join(", "))
            });
            (Vec::new(), format!("{}{}", reason(*why), near.unwrap_or_default()))
        }
    };
    Event {
        event: network.channels[it.channel].name.clone(),
        edge: format!("{}: {} -> {target}", process.name, at(edge.source)),
        updates: updates.collect(),
        scenarios,
        why,
    }
}

fn reason(why: NotLinked) -> &'static str {
    match why {
        NotLinked::NoUpdate => "it sets nothing but clocks",
        NotLinked::NotComparable => {
            "what it sets can not be compared: a function, chance, or twice the same"
        }
        NotLinked::SeveralChannels => "its channel is chosen while the model runs",
        NotLinked::NoAttribute => "it sets what is no attribute",
        NotLinked::NoScenario => "no scenario sets what it sets",
    }
}

/// State that nobody draws, what was left out, and where time may stop, a line each.
pub(super) fn notes(derived: &Derived) -> Vec<String> {
    let mut lines = Vec::new();
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

/// How much people drew, template by template, and how much the derived model has, process by process.
pub(super) fn drawing(derived: &Derived, network: &Network) -> Drawing {
    let mut templates: Vec<&str> = Vec::new();
    let drawn = network.processes.iter().filter(|it| {
        let is_new = !templates.contains(&it.template.as_str());
        if is_new {
            templates.push(&it.template);
        }
        is_new
    });
    let by_hand = count(drawn);
    Drawing { by_hand, derived: count(derived.network.processes.iter()) }
}

fn count<'p>(processes: impl Iterator<Item = &'p Process>) -> Count {
    let mut count = Count::default();
    for process in processes {
        count.automata += 1;
        count.locations += process.locations.len();
        count.edges += process.edges.len();
        let is_guarded =
            |it: &&punctual_model::Edge| !it.guard.data.is_empty() || !it.guard.clocks.is_empty();
        count.guards += process.edges.iter().filter(is_guarded).count();
    }
    count
}
