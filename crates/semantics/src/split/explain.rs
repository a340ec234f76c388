//! Reasons as sentences.

use std::fmt;

use punctual_model::{Direction, EdgeId, Interface, LocationId, Network, ProcessId};

use super::{Conflict, Item, ReasonId, Rule, Split, Touch, Warning, Where};

impl Split {
    /// The name of something, as the model has it.
    #[must_use]
    pub fn name(&self, network: &Network, item: Item) -> String {
        match item {
            Item::Process(id) => network.processes[id].name.clone(),
            Item::Channel(id) => network.channels[id].name.clone(),
            Item::Cell(id) => self.variables[id].name.clone(),
            Item::Clock(id) => network.clocks[id].name.clone(),
        }
    }

    /// What leads to a conclusion: one sentence for each reason, from the interface on.
    #[must_use]
    pub fn chain(&self, network: &Network, interface: &Interface, last: ReasonId) -> Vec<String> {
        let mut sentences = Vec::new();
        let mut next = Some(last);
        while let Some(id) = next {
            sentences.push(self.sentence(network, interface, id));
            next = self.reasons[id].from;
        }
        sentences.reverse();
        sentences
    }

    /// One conclusion with its reason: "`Train(1)` sends the input `appr[1]`, so it is
    /// environment".
    #[must_use]
    pub fn sentence(&self, network: &Network, interface: &Interface, id: ReasonId) -> String {
        let reason = &self.reasons[id];
        let name = self.name(network, reason.item);
        let side = reason.side;
        let is = |subject: ProcessId| match reason.item {
            Item::Process(process) if process == subject => format!("so it is {side}"),
            _ => format!("so `{name}` is {side}"),
        };
        let process = |id: ProcessId| &network.processes[id].name;
        match &reason.rule {
            Rule::Named => format!("`{name}` is named as {side}"),
            Rule::Only { process: user } => {
                let user = process(*user);
                format!("`{user}` accesses `{name}`, and nobody of the other side, so it is {side}")
            }
            Rule::Undecided => format!("nothing decides about `{name}`, so it is taken for {side}"),
            Rule::Signal { signal, sends } => {
                let signal = &interface.signals[*signal];
                let direction = match signal.direction {
                    Direction::Input => "input",
                    Direction::Output => "output",
                };
                let verb = if *sends { "sends" } else { "receives" };
                format!("`{name}` {verb} the {direction} `{}`, so it is {side}", signal.name)
            }
            Rule::Uses { process: user, channel, sends } => {
                let verb = if *sends { "sends" } else { "receives" };
                let channel = &network.channels[*channel].name;
                let (user, is) = (process(*user), is(*user));
                format!("`{user}` {verb} the internal `{channel}`, {is}")
            }
            Rule::Accesses { process: user, item, touch } => {
                let verb = if touch.writes { "writes" } else { "reads" };
                let item = self.name(network, *item);
                let place = place(network, *user, *touch);
                format!("`{}` {verb} `{item}` ({place}), {}", process(*user), is(*user))
            }
        }
    }

    /// Why something belongs to nobody.
    #[must_use]
    pub fn nobody(&self, interface: &Interface, item: Item) -> String {
        let accessed = self.facts.accesses.iter().any(|access| access.item == item);
        let carriers = interface.signals.enumerate().filter(|(signal, _)| {
            matches!(item, Item::Cell(cell) if self.facts.carried[*signal].contains(&cell))
        });
        let carriers: Vec<_> = carriers.map(|(_, signal)| format!("`{}`", signal.name)).collect();
        match (accessed, self.facts.changes(item)) {
            _ if !carriers.is_empty() => format!("carried by {}", carriers.join(", ")),
            (false, _) => "nobody uses it".to_owned(),
            (true, false) => "nothing changes it".to_owned(),
            (true, true) => "accessed only during signals".to_owned(),
        }
    }

    /// Each process with each channel, variable or clock that it has to do with, and whether it
    /// sends or writes.
    #[must_use]
    pub fn links(&self) -> Vec<(ProcessId, Item, bool)> {
        let uses = self.facts.uses.iter();
        let uses = uses.map(|used| (used.process, Item::Channel(used.channel), used.sends));
        let accesses = self.facts.accesses.iter();
        let accesses = accesses.map(|access| (access.process, access.item, access.touch.writes));
        let links: std::collections::BTreeSet<_> = uses.chain(accesses).collect();
        links.into_iter().collect()
    }

    /// A warning as a sentence.
    #[must_use]
    pub fn warning(&self, network: &Network, interface: &Interface, warning: &Warning) -> String {
        let process = |id: ProcessId| &network.processes[id].name;
        match warning {
            Warning::NobodySends(signal) => {
                format!("nobody sends `{}`", interface.signals[*signal].name)
            }
            Warning::NobodyReceives(signal) => {
                format!("nobody receives `{}`", interface.signals[*signal].name)
            }
            Warning::Undecided(id) => {
                format!("nothing decides about `{}`, so it is taken for system", process(*id))
            }
            Warning::Overwritten { variable, receiver, signal } => {
                let variable = &self.variables[*variable].name;
                let (receiver, signal) = (process(*receiver), &interface.signals[*signal].name);
                format!(
                    "`{receiver}` receives `{signal}` and changes `{variable}`, which it carries; \
                     the value after that goes along"
                )
            }
            Warning::Unseen { variable, writer, reader } => {
                let variable = &self.variables[*variable].name;
                let (writer, reader) = (process(*writer), process(*reader));
                format!(
                    "`{variable}` passes from `{writer}` to `{reader}`, and no signal carries it"
                )
            }
        }
    }
}

/// The place of an access: "guard of Free → Occ, in `enqueue`".
fn place(network: &Network, process: ProcessId, touch: Touch) -> String {
    let process = &network.processes[process];
    let location = |id: LocationId| process.locations[id].name.as_str();
    let edge = |id: EdgeId| {
        let edge = &process.edges[id];
        let target = edge.branches.first().map_or("?", |branch| location(branch.target));
        format!("{} → {target}", location(edge.source))
    };
    let place = match touch.place {
        Where::Invariant(at) => format!("invariant of {}", location(at)),
        Where::Rate(at) => format!("rates of {}", location(at)),
        Where::Guard(id) => format!("guard of {}", edge(id)),
        Where::Update(id) => format!("update of {}", edge(id)),
    };
    match touch.function {
        Some(function) => format!("{place}, in `{}`", network.functions[function].name),
        None => place,
    }
}

impl fmt::Display for Conflict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` would be both system and environment", self.name)?;
        for (side, chain) in [("system", &self.system), ("environment", &self.environment)] {
            write!(f, "\n  {side}: {}", chain.join("; "))?;
        }
        Ok(())
    }
}
