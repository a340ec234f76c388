//! A case as a process: a sequential timed automaton with a clock of its own beside the system (section X of the TAUC
//! paper).
//!
//! Each input, and each check, is an edge that is taken at exactly its instant. A check has two: one to the next step if the
//! ports show something that is allowed, and one to `Failed` if they do not. So a checker of models says what a case does
//! to a model: it may fail if `Failed` can be reached, it must fail if `Passed` can not, and it ends in every run if all
//! runs get to one of the two. The environment of the model is left out; somebody accepts all outputs.
//!
//! What ports show of locations is kept in variables, since a guard of UPPAAL can not look into other processes.
//!
//! **Absent:** outputs that a case expects, and delays of inputs and readings.

use std::fmt;

use punctual_model::testing::Place as Shown;
use punctual_model::testing::suite::{Body, Case, Check, Do};
use punctual_model::{
    Action, Branch, Clock, ClockConstraint, ClockId, Condition, Direction, Edge, Expr, Frame, Id,
    IdVec, Indexed, Location, LocationId, LocationKind, Network, Number, Place, PortId, Process,
    ProcessId, Property, Range, Relation, StateExpr, Storage, Sync, Type, UnaryOp, Variable, Wired,
};
use punctual_semantics::estimate::scaled;
use punctual_semantics::split::{self, Side, Split};

use super::expr::{both, either, equals, set};

/// A case beside a system.
#[derive(Clone, PartialEq, Debug)]
pub struct Beside {
    /// The system, somebody who accepts its outputs, and the case.
    pub network: Network,
    /// The process that is the case; it is called `Test`.
    pub test: ProcessId,
    /// The location in which a check has shown what is not allowed.
    pub failed: LocationId,
    /// The location in which the case has ended without that.
    pub passed: LocationId,
    /// How many units of its clocks make one time unit of the model: 1 if all instants of the case are whole units.
    pub per_unit: u32,
}

impl Beside {
    /// Whether some run fails the case: `E<> Test.Failed`.
    #[must_use]
    pub fn may_fail(&self) -> Property {
        Property::ExistsFinally(self.is_in(&[self.failed]))
    }

    /// Whether some run passes the case: `E<> Test.Passed`.
    #[must_use]
    pub fn may_pass(&self) -> Property {
        Property::ExistsFinally(self.is_in(&[self.passed]))
    }

    /// Whether every run ends the case: `A<> Test.Failed || Test.Passed`.
    #[must_use]
    pub fn must_end(&self) -> Property {
        Property::AlwaysFinally(self.is_in(&[self.failed, self.passed]))
    }

    fn is_in(&self, locations: &[LocationId]) -> StateExpr {
        let each = locations.iter().map(|at| Expr::InLocation(self.test, *at));
        let expr = each.reduce(either).unwrap_or(Expr::FALSE);
        StateExpr { expr, number: Number::Int, frame: Frame::default() }
    }
}

/// Why a case can not be put beside a system.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Unfit {
    /// The case is a table of steps of a synchronous system.
    Steps,
    /// The environment of the model can not be left out.
    Environment(split::Refusal),
    /// A check reads a port that the model knows nothing of, or asks for a value that it can not have.
    Port(String),
    /// An input carries a value that the model has no place for.
    Input(String),
    /// An instant is too far away.
    Late,
}

impl fmt::Display for Unfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unfit::Steps => write!(f, "a table of steps is no timed automaton"),
            Unfit::Environment(refusal) => refusal.fmt(f),
            Unfit::Port(name) => write!(f, "the model does not say what `{name}` shows"),
            Unfit::Input(name) => write!(f, "the model has no place for the values of `{name}`"),
            Unfit::Late => write!(f, "the case takes longer than clocks can count"),
        }
    }
}

impl std::error::Error for Unfit {}

/// Puts a case beside the system of a network: the network that was split, or a mutant of it.
///
/// # Errors
/// If the case has no meaning for the network.
pub fn beside(
    network: &Network,
    wired: &Wired,
    split: &Split,
    case: &Case,
) -> Result<Beside, Unfit> {
    beside_within(network, wired, split, case, 0)
}

/// The same for a case that begins anywhere below a phase, in nanoseconds; at once, if it is 0.
///
/// # Errors
/// If the case has no meaning for the network.
pub fn beside_within(
    network: &Network,
    wired: &Wired,
    split: &Split,
    case: &Case,
    phase_ns: u64,
) -> Result<Beside, Unfit> {
    let Body::Timed(parts) = &case.body else { return Err(Unfit::Steps) };
    let (instants, phase, per_unit) = instants(wired, parts, phase_ns)?;
    let mut system = split::silent(network, wired, split).map_err(Unfit::Environment)?;
    rename(&mut system, network);
    let mut network = scaled(&system, per_unit);
    let test = network.processes.next_id();
    let taken = |name: &str| network.processes.iter().any(|it| it.name == name);
    let name = (1..).map(|n| if n == 1 { "Test".to_owned() } else { format!("Test{n}") });
    let name = name.into_iter().find(|name| !taken(name)).unwrap_or_default();
    let clock = network.clocks.push(Clock {
        name: format!("{name}.t"),
        owner: Some(test),
        hybrid: false,
        initial: 0.0,
    });
    let mut maker = Maker {
        network,
        wired,
        system: split.processes(Side::System).collect(),
        shown: IdVec::new(),
        clock,
    };
    maker.shown = wired.places.iter().map(|_| None).collect();
    let mut locations: IdVec<LocationId, Location> = IdVec::new();
    let failed = locations.push(location("Failed", None));
    let mut edges: IdVec<punctual_model::EdgeId, Edge> = IdVec::new();
    for (number, (part, at)) in (1..).zip(&instants) {
        let here = locations.push(location(&format!("Step{number}"), Some((clock, *at))));
        let next = LocationId::from_index(here.index() + 1);
        match part {
            Do::Send(action) => {
                let (sync, update) = maker.input(action)?;
                edges.push(Edge { sync, update, ..maker.edge(here, next, *at, None) });
            }
            Do::Check(check) => {
                let is_allowed = maker.allowed(check)?;
                let is_not = Expr::Unary(UnaryOp::Not, Number::Int, Box::new(is_allowed.clone()));
                edges.push(maker.edge(here, next, *at, Some(is_allowed)));
                edges.push(maker.edge(here, failed, *at, Some(is_not)));
            }
            Do::Wait(_) | Do::Expect(_) => {
                edges.push(maker.edge(here, next, *at, None));
            }
        }
    }
    let passed = locations.push(location("Passed", None));
    let mut first = LocationId::from_index(1);
    if phase > 0 {
        let waits = locations.push(location("Waits", Some((clock, phase))));
        let begin = Expr::SetClock { clock: Indexed::fixed(clock), value: Box::new(Expr::Int(0)) };
        let edge = maker.edge(waits, first, 0, None);
        let guard = Condition { data: Vec::new(), clocks: Vec::new() };
        edges.push(Edge { guard, update: vec![begin], ..edge });
        first = waits;
    }
    let priority = maker.network.processes.iter().map(|it| it.priority).min().unwrap_or(0);
    maker.network.processes.push(Process {
        template: name.clone(),
        name,
        locations,
        initial: vec![first],
        edges,
        priority,
    });
    Ok(Beside { network: maker.network, test, failed, passed, per_unit })
}

/// Gives what belonged to the processes that are left out names of global things.
fn rename(system: &mut Network, network: &Network) {
    let global = |name: &mut String, owner: Option<ProcessId>| {
        let owner = owner.map(|it| network.processes[it].name.as_str()).unwrap_or_default();
        if let Some(own) = name.strip_prefix(owner).and_then(|it| it.strip_prefix('.')) {
            let legal = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
            *name = format!("{}_{own}", owner.chars().map(legal).collect::<String>());
        }
    };
    for (now, before) in system.clocks.iter_mut().zip(&network.clocks) {
        if now.owner.is_none() {
            global(&mut now.name, before.owner);
        }
    }
    for (now, before) in system.variables.iter_mut().zip(&network.variables) {
        if now.owner.is_none() {
            global(&mut now.name, before.owner);
        }
    }
}

/// Parts of a case, each with its instant.
type Timed<'c> = Vec<(&'c Do, i32)>;

/// The inputs and checks of a case with their instants, the end of the case included, the phase, and how many units of these make
/// one time unit of the model.
fn instants<'c>(
    wired: &Wired,
    parts: &'c [Do],
    phase_ns: u64,
) -> Result<(Timed<'c>, i32, u32), Unfit> {
    let time = wired.interface.time;
    let point = |ns: u64| {
        let points = u128::from(ns) * u128::from(time.resolution) + u128::from(time.unit_ns / 2);
        u64::try_from(points / u128::from(time.unit_ns)).map_err(|_| Unfit::Late)
    };
    let mut found = Vec::new();
    let (mut now_ns, mut ends) = (0_u64, None);
    for part in parts {
        match part {
            Do::Wait(ns) => {
                now_ns = now_ns.checked_add(*ns).ok_or(Unfit::Late)?;
                ends = Some(part);
            }
            Do::Expect(_) => {}
            Do::Send(_) | Do::Check(_) => {
                found.push((part, point(now_ns)?));
                ends = None;
            }
        }
    }
    // A wait at the end is part of the case: nothing is sent in it.
    if let Some(part) = ends {
        found.push((part, point(now_ns)?));
    }
    let phase = point(phase_ns)?;
    let all = found.iter().map(|(_, at)| *at).chain([phase]);
    let common = all.fold(u64::from(time.resolution), gcd);
    let per_unit = u32::try_from(u64::from(time.resolution) / common).map_err(|_| Unfit::Late)?;
    let whole = |at: u64| match i32::try_from(at / common) {
        // Zones need some room above the largest constant.
        Ok(at) if at < 1 << 29 => Ok(at),
        _ => Err(Unfit::Late),
    };
    let found: Result<_, Unfit> =
        found.into_iter().map(|(part, at)| Ok((part, whole(at)?))).collect();
    Ok((found?, whole(phase)?, per_unit))
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

fn location(name: &str, until: Option<(ClockId, i32)>) -> Location {
    let clocks = until.map(|(clock, at)| constraint(clock, Relation::LessEqual, at));
    Location {
        name: name.to_owned(),
        kind: LocationKind::Normal,
        invariant: Condition { data: Vec::new(), clocks: clocks.into_iter().collect() },
        rates: Vec::new(),
        exponential_rate: None,
        labels: Vec::new(),
        frame: Frame::default(),
    }
}

fn constraint(clock: ClockId, relation: Relation, at: i32) -> ClockConstraint {
    let (left, bound) = (Some(Indexed::fixed(clock)), Expr::Int(at));
    ClockConstraint { when: None, left, right: None, relation, number: Number::Int, bound }
}

/// Makes the edges of a case, and variables for the locations that it looks at.
struct Maker<'m> {
    network: Network,
    wired: &'m Wired,
    /// The processes of the system, in the order in which the network has them now.
    system: Vec<ProcessId>,
    /// Where each port that was looked at is.
    shown: IdVec<PortId, Option<Place>>,
    clock: ClockId,
}

impl Maker<'_> {
    fn edge(&self, source: LocationId, target: LocationId, at: i32, when: Option<Expr>) -> Edge {
        let clocks = vec![constraint(self.clock, Relation::Equal, at)];
        let (selects, update) = (Vec::new(), Vec::new());
        Edge {
            source,
            selects,
            guard: Condition { data: when.into_iter().collect(), clocks },
            sync: Sync::Internal,
            update: Vec::new(),
            branches: vec![Branch { weight: None, selects: Vec::new(), update, target }],
            controllable: true,
            frame: Frame::default(),
        }
    }

    /// How an input is sent.
    fn input(&self, action: &Action) -> Result<(Sync, Vec<Expr>), Unfit> {
        let signal = &self.wired.interface.signals[action.signal];
        let wire = &self.wired.wires[action.signal];
        let unfit = || Unfit::Input(signal.name.clone());
        if signal.direction != Direction::Input || wire.values.len() != action.values.len() {
            return Err(unfit());
        }
        let carry = |(slot, value): (&punctual_model::testing::Slot, &punctual_model::Value)| {
            let value = value.as_slot().filter(|it| slot.range.contains(*it));
            Ok(set(&place(slot.slot, slot.range), Expr::Int(value.ok_or_else(unfit)?)))
        };
        let update: Result<_, Unfit> = wire.values.iter().zip(&action.values).map(carry).collect();
        Ok((Sync::Send(Indexed::fixed(wire.channel)), update?))
    }

    /// Whether the ports of a check show something that is allowed.
    fn allowed(&mut self, check: &Check) -> Result<Expr, Unfit> {
        let only = std::slice::from_ref(&check.expected);
        let all = if check.allowed.is_empty() { only } else { &check.allowed[..] };
        let mut allowed: Option<Expr> = None;
        for values in all {
            let mut shown: Option<Expr> = None;
            for (port, value) in values {
                let (port, value) = (*port, value.as_slot());
                let unfit = || Unfit::Port(self.wired.interface.ports[port].name.clone());
                let value = value.ok_or_else(unfit)?;
                let is_it = equals(Expr::Load(self.port(port)?), value);
                shown = Some(shown.map_or(is_it.clone(), |other| both(other, is_it)));
            }
            let shown = shown.unwrap_or(Expr::TRUE);
            allowed = Some(allowed.map_or(shown.clone(), |other| either(other, shown)));
        }
        Ok(allowed.unwrap_or(Expr::TRUE))
    }

    /// Where the value of a port is.
    fn port(&mut self, port: PortId) -> Result<Place, Unfit> {
        if let Some(place) = &self.shown[port] {
            return Ok(place.clone());
        }
        let name = || self.wired.interface.ports[port].name.clone();
        let found = match self.wired.places[port] {
            Some(Shown::Variable(slot)) => place(slot.slot, slot.range),
            Some(Shown::Location(process)) => {
                let now = self.system.iter().position(|it| *it == process);
                self.location(ProcessId::from_index(now.ok_or_else(|| Unfit::Port(name()))?))
            }
            None => return Err(Unfit::Port(name())),
        };
        self.shown[port] = Some(found.clone());
        Ok(found)
    }

    /// A variable that is the location that a process is in.
    fn location(&mut self, process: ProcessId) -> Place {
        let of = &mut self.network.processes[process];
        let range = Range { lo: 0, hi: of.locations.len() as i32 - 1 };
        let ints = self.network.initial.ints.len() as u32;
        let place = place(ints, range);
        for edge in of.edges.iter_mut() {
            for branch in &mut edge.branches {
                branch.update.push(set(&place, Expr::Int(branch.target.index() as i32)));
            }
        }
        self.network.initial.ints.push(of.initial.first().map_or(0, |at| at.index() as i32));
        self.network.variables.push(Variable {
            name: format!("location_of_{}", of.name),
            owner: None,
            ty: Type::Int(range),
            storage: Storage::State,
            ints,
            doubles: 0,
        });
        place
    }
}

fn place(base: u32, range: Range) -> Place {
    let (storage, number) = (Storage::State, Number::Int);
    Place { storage, number, base, indices: Vec::new(), size: 1, range }
}
