//! Parts of networks: variables, clocks, channels, processes and expressions, with names that nothing else has.

use std::collections::BTreeSet;

use punctual_model::{
    AssignOp, AssignResult, Binary, BinaryOp, Branch, Channel, ChannelId, Clock, ClockConstraint,
    ClockId, Condition, Edge, Expr, Frame, IdVec, Indexed, Location, LocationId, LocationKind,
    Network, Number, Place, Process, ProcessId, Range, Relation, Storage, Sync, Type, Variable,
    VariableId,
    usecases::{Links, Scenarios, UseCases},
};

/// A variable of the derived network.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Var {
    pub(super) variable: VariableId,
    pub(super) place: Place,
    /// What it starts with.
    pub(super) initial: i32,
    /// How many parts a whole is.
    pub(super) scale: u32,
}

/// Makes the derived network.
pub(super) struct Maker<'a> {
    pub(super) all: &'a UseCases,
    pub(super) scenarios: &'a Scenarios,
    pub(super) links: &'a Links,
    pub(super) network: Network,
    /// The variable of each piece of state of the links.
    pub(super) state: Vec<Option<Var>>,
    pub(super) notes: Vec<String>,
    /// All names that the network has anywhere.
    taken: BTreeSet<String>,
}

impl<'a> Maker<'a> {
    pub(super) fn new(
        all: &'a UseCases,
        scenarios: &'a Scenarios,
        links: &'a Links,
        network: Network,
    ) -> Self {
        let base = |name: &str| name.split('[').next().unwrap_or_default().to_owned();
        let mut taken: BTreeSet<String> = BTreeSet::new();
        taken.extend(network.channels.iter().map(|it| base(&it.name)));
        taken.extend(network.clocks.iter().map(|it| base(&it.name)));
        taken.extend(network.variables.iter().map(|it| it.name.clone()));
        taken.extend(network.functions.iter().map(|it| it.name.clone()));
        taken
            .extend(network.processes.iter().flat_map(|it| [legal(&it.name), legal(&it.template)]));
        // A channel of a scenario has the scenario's name.
        taken.extend(scenarios.scenarios.iter().map(|it| it.name.clone()));
        let (state, notes) = (Vec::new(), Vec::new());
        Self { all, scenarios, links, network, state, notes, taken }
    }

    /// A legal name that nothing has.
    pub(super) fn name(&mut self, wanted: &str) -> String {
        let legal = legal(wanted);
        let numbered = (2..).map(|n: u32| format!("{legal}_{n}"));
        let mut names = std::iter::once(legal.clone()).chain(numbered);
        let name = names.find(|name| !self.taken.contains(name)).unwrap_or_default();
        self.taken.insert(name.clone());
        name
    }

    /// A new global variable.
    pub(super) fn variable(&mut self, wanted: &str, ty: Type, initial: i32, scale: u32) -> Var {
        let name = self.name(wanted);
        let base = self.network.initial.ints.len() as u32;
        self.network.initial.ints.push(initial);
        let range = match &ty {
            Type::Int(range) => *range,
            _ => Range::BOOL,
        };
        let doubles = self.network.initial.doubles.len() as u32;
        let storage = Storage::State;
        let it = Variable { name, owner: None, ty, storage, ints: base, doubles };
        let variable = self.network.variables.push(it);
        Var { variable, place: place(base, range), initial, scale }
    }

    /// A new channel.
    pub(super) fn channel(&mut self, name: String, broadcast: bool) -> ChannelId {
        let priority = self.network.default_priority;
        self.network.channels.push(Channel { name, broadcast, urgent: false, priority })
    }

    /// A new clock of a process.
    pub(super) fn clock(&mut self, process: ProcessId, name: &str, wanted: &str) -> ClockId {
        let name = format!("{name}.{wanted}");
        let owner = Some(process);
        self.network.clocks.push(Clock { name, owner, hybrid: false, initial: 0.0 })
    }

    /// A new process that starts in its first location.
    pub(super) fn process(
        &mut self,
        name: String,
        locations: &[(&str, LocationKind)],
    ) -> ProcessId {
        let location = |(name, kind): &(&str, LocationKind)| Location {
            name: (*name).to_owned(),
            kind: *kind,
            invariant: Condition::default(),
            rates: Vec::new(),
            exponential_rate: None,
            labels: Vec::new(),
            frame: Frame::default(),
        };
        let locations: IdVec<LocationId, Location> = locations.iter().map(location).collect();
        let initial = locations.ids().take(1).collect();
        let template = name.clone();
        let priority = self.network.processes.iter().next().map_or(0, |it| it.priority);
        let edges = IdVec::new();
        self.network.processes.push(Process { name, template, locations, initial, edges, priority })
    }
}

/// A name of letters, digits and underscores.
pub(super) fn legal(name: &str) -> String {
    let letter = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    let text: String = name.chars().map(letter).collect();
    match text.starts_with(|c: char| c.is_ascii_digit()) || text.is_empty() {
        true => format!("_{text}"),
        false => text,
    }
}

/// An integer of the state.
pub(super) fn place(base: u32, range: Range) -> Place {
    let (storage, number) = (Storage::State, Number::Int);
    Place { storage, number, base, indices: Vec::new(), size: 1, range }
}

/// An edge from one location to another that does nothing yet.
pub(super) fn edge(source: LocationId, target: LocationId, sync: Sync) -> Edge {
    let branch = Branch { weight: None, selects: Vec::new(), update: Vec::new(), target };
    Edge {
        source,
        selects: Vec::new(),
        guard: Condition::default(),
        sync,
        update: Vec::new(),
        branches: vec![branch],
        controllable: true,
        frame: Frame::default(),
    }
}

/// `clock >= bound`.
pub(super) fn at_least(clock: ClockId, bound: i32) -> ClockConstraint {
    ClockConstraint {
        when: None,
        left: Some(Indexed::fixed(clock)),
        right: None,
        relation: Relation::GreaterEqual,
        number: Number::Int,
        bound: Expr::Int(bound),
    }
}

/// `clock = 0`.
pub(super) fn reset(clock: ClockId) -> Expr {
    Expr::SetClock { clock: Indexed::fixed(clock), value: Box::new(Expr::Int(0)) }
}

/// A place gets a value.
pub(super) fn set(place: &Place, value: Expr) -> Expr {
    Expr::Assign {
        target: Box::new(place.clone()),
        op: AssignOp::Set,
        value: Box::new(value),
        result: AssignResult::New,
    }
}

/// Two integers and an operator.
pub(super) fn binary(op: BinaryOp, left: Expr, right: Expr) -> Expr {
    Expr::Binary(Box::new(Binary { op, number: Number::Int, size: 1, left, right }))
}

/// `place == value`.
pub(super) fn equals(place: &Place, value: i32) -> Expr {
    binary(BinaryOp::Equal, Expr::Load(place.clone()), Expr::Int(value))
}
