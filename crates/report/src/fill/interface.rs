//! Fills the view of an interface from a configuration and the split that it gives.

use std::collections::BTreeSet;

use punctual_lang::testing::{Config, duration};
use punctual_model::{Direction, Network};
use punctual_semantics::split::{Item, Named, Refusal, Side, Split, split};

use crate::view::interface::{self as view, Component, Conflict, Link, Part, Signal};

/// How a network is split for tests. System and environment can be told apart if there are no
/// conflicts.
///
/// # Errors
/// If the network has something that can not be split.
pub fn interface(
    network: &Network,
    config: &Config,
    model: &str,
    file: &str,
) -> Result<view::Interface, Refusal> {
    let named = Named { environment: config.environment.clone(), system: config.system.clone() };
    let (split, conflicts) = match split(network, &config.wired, &named) {
        Ok(split) => (split, Vec::new()),
        Err(Refusal::Conflicts { conflicts, partial }) => (*partial, conflicts),
        Err(refusal @ Refusal::Unsupported { .. }) => return Err(refusal),
    };
    let both = conflicts.iter().map(|conflict| conflict.item).collect();
    let filler = Filler { network, config, split: &split, both };
    let mut view = filler.fill();
    view.model = model.to_owned();
    view.file = file.to_owned();
    if conflicts.is_empty() {
        view.components = filler.components();
    }
    view.conflicts = conflicts
        .into_iter()
        .map(|conflict| Conflict {
            name: conflict.name,
            system: conflict.system,
            environment: conflict.environment,
        })
        .collect();
    Ok(view)
}

struct Filler<'v> {
    network: &'v Network,
    config: &'v Config,
    split: &'v Split,
    /// What would be on both sides.
    both: BTreeSet<Item>,
}

impl Filler<'_> {
    fn fill(&self) -> view::Interface {
        let Self { network, split, .. } = self;
        let interface = &self.config.wired.interface;
        let internal = network.channels.ids().filter(|id| split.signals[*id].is_none());
        let variables = split.variables.ids().map(Item::Cell);
        let warnings = split.warnings.iter();
        view::Interface {
            time_unit: duration(interface.time.unit_ns),
            time_unit_ns: interface.time.unit_ns,
            resolution: interface.time.resolution,
            input_uncertainty: window(interface.uncertainty.input_ns),
            output_uncertainty: window(interface.uncertainty.output_ns),
            drift: match interface.uncertainty.drift_ppb {
                0 => String::new(),
                ppb => punctual_lang::testing::drift(ppb),
            },
            signals: self.signals(),
            processes: self.parts(network.processes.ids().map(Item::Process)),
            channels: self.parts(internal.map(Item::Channel)),
            variables: self.parts(variables),
            clocks: self.parts(network.clocks.ids().map(Item::Clock)),
            warnings: warnings.map(|warning| split.warning(network, interface, warning)).collect(),
            links: self.links(),
            ..view::Interface::default()
        }
    }

    fn signals(&self) -> Vec<Signal> {
        let signals = self.config.wired.interface.signals.iter();
        let signal = |signal: &punctual_model::Signal| Signal {
            name: signal.name.clone(),
            input: signal.direction == Direction::Input,
            carries: signal.values.iter().map(|value| value.name.clone()).collect(),
        };
        signals.map(signal).collect()
    }

    fn parts(&self, items: impl Iterator<Item = Item>) -> Vec<Part> {
        items.map(|item| self.part(item)).collect()
    }

    fn part(&self, item: Item) -> Part {
        let Self { network, split, .. } = self;
        let interface = &self.config.wired.interface;
        let chain = match split.reason(item) {
            Some(reason) => split.chain(network, interface, reason),
            None => Vec::new(),
        };
        let reason = match chain.last() {
            _ if self.both.contains(&item) => "see below".to_owned(),
            Some(sentence) => sentence.clone(),
            None => split.nobody(interface, item),
        };
        let side = match split.side(item) {
            _ if self.both.contains(&item) => view::Side::Both,
            Some(side) => shown(side),
            None => view::Side::Nobody,
        };
        Part { name: split.name(network, item), side, reason, chain }
    }

    fn components(&self) -> Vec<Component> {
        let names = |component: &punctual_semantics::split::Component| {
            let processes = component.processes.iter();
            processes.map(|id| self.network.processes[*id].name.clone()).collect()
        };
        let components = self.split.components();
        components
            .iter()
            .map(|component| Component { side: shown(component.side), processes: names(component) })
            .collect()
    }

    fn links(&self) -> Vec<Link> {
        let links = self.split.links().into_iter();
        let link = |(process, item, out)| Link {
            process: self.split.name(self.network, Item::Process(process)),
            item: self.split.name(self.network, item),
            out,
        };
        links.map(link).collect()
    }
}

fn shown(side: Side) -> view::Side {
    match side {
        Side::System => view::Side::System,
        Side::Environment => view::Side::Environment,
    }
}

/// Empty if instants are known exactly.
fn window((from, to): (u64, u64)) -> String {
    match (from, to) {
        (0, 0) => String::new(),
        _ => format!("{}..{}", duration(from), duration(to)),
    }
}
