//! A network as tables that runs are made from.

use std::borrow::Cow;
use std::sync::Arc;

use punctual_model::{self as model, Condition, Id, LocationKind, Network, RangePolicy, Sync};

use super::depend::Touched;
use super::expand::{self, Copy};
use super::limit::Limit;
use super::link;
use crate::budget::Budget;
use crate::program::{Builder, Code, DoubleCode, Program, Unsupported};
use crate::select::{self, Select};
use crate::symbolic::{Refusal, has_priorities};

/// A network, compiled. Immutable, so threads share it.
pub struct Stochastic {
    pub(crate) program: Program,
    /// Where the locations of each process begin.
    pub(crate) first: Vec<u32>,
    pub(crate) locations: Vec<Location>,
    /// Those of each location together: first its outputs.
    pub(crate) edges: Vec<Edge>,
    pub(crate) channels: Vec<Channel>,
    /// Lists of who is touched, for the branches.
    pub(crate) touched: Vec<Touched>,
    pub(crate) before_update: Code,
    pub(crate) after_update: Code,
    pub(crate) has_updates_around: bool,
    pub(crate) has_rates: bool,
    /// Rates depend on what is not followed.
    pub(crate) has_volatile_rates: bool,
    /// Some location is volatile.
    pub(crate) has_volatile: bool,
    /// Some output may be over an urgent channel.
    pub(crate) has_urgent: bool,
    /// Some output may be possible now but not later, although nothing happens.
    pub(crate) has_closing: bool,
    pub(crate) disable_on_range: bool,
    /// The locations, then the integers.
    pub(crate) initial_ints: Vec<i32>,
    pub(crate) initial_doubles: Vec<f64>,
    pub(crate) initial_clocks: Vec<f64>,
}

pub(crate) struct Location {
    pub(crate) committed: bool,
    /// Urgent or committed.
    pub(crate) stops_time: bool,
    /// Draws are made from what is not followed, so none is kept.
    pub(crate) volatile: bool,
    /// All outputs need a partner, and it is known when to look for one again.
    pub(crate) sleeps: bool,
    /// The invariant says something.
    pub(crate) has_invariant: bool,
    /// Some output may be over an urgent channel.
    pub(crate) has_urgent: bool,
    pub(crate) has_receives: bool,
    pub(crate) data: Box<[Code]>,
    pub(crate) limits: Box<[Limit]>,
    /// Clocks and their rates.
    pub(crate) rates: Box<[(Code, DoubleCode)]>,
    pub(crate) exponential: Exponential,
    /// Internal and sending edges: the first and the end.
    pub(crate) outputs: (u32, u32),
}

/// The rate of an exponential delay.
pub(crate) enum Exponential {
    Fixed(f64),
    General(DoubleCode, Option<DoubleCode>),
}

/// An edge, perhaps with values for its selects.
pub(crate) struct Edge {
    pub(crate) process: u32,
    /// Which edge of the process it is.
    pub(crate) id: u32,
    /// The channel, [`INTERNAL`] or [`COMPUTED`].
    pub(crate) channel: u32,
    pub(crate) channel_code: Code,
    pub(crate) guard: Box<[Code]>,
    pub(crate) limits: Box<[Limit]>,
    pub(crate) update: Code,
    pub(crate) branches: Box<[Branch]>,
    /// What it selects while the model runs.
    pub(crate) selects: Box<[Select]>,
    /// The values that it was compiled with.
    pub(crate) values: Box<[i32]>,
}

/// No channel.
pub(crate) const INTERNAL: u32 = u32::MAX;
/// A channel that depends on the state or on selected values.
pub(crate) const COMPUTED: u32 = u32::MAX - 1;

pub(crate) struct Branch {
    pub(crate) weight: Option<DoubleCode>,
    pub(crate) selects: Box<[Select]>,
    pub(crate) update: Code,
    pub(crate) target: i32,
    /// Whom it touches: where the list begins and ends.
    pub(crate) touched: (u32, u32),
    /// Rates of clocks may be different after it.
    pub(crate) changes_rates: bool,
}

pub(crate) struct Channel {
    pub(crate) broadcast: bool,
    pub(crate) urgent: bool,
    /// Who may receive on it, in the order of processes.
    pub(crate) receivers: Box<[Receiver]>,
}

/// A process that may receive on a channel.
pub(crate) struct Receiver {
    pub(crate) process: u32,
    /// Locations and edges, in order.
    pub(crate) edges: Box<[(i32, u32)]>,
}

impl Receiver {
    /// The edges from a location.
    #[inline]
    pub(crate) fn at(&self, location: i32) -> impl Iterator<Item = u32> {
        let from = match self.edges.len() > 8 {
            true => self.edges.partition_point(|it| it.0 < location),
            false => 0,
        };
        let rest = self.edges[from..].iter().take_while(move |it| it.0 <= location);
        rest.filter(move |it| it.0 == location).map(|it| it.1)
    }
}

impl Stochastic {
    /// Compiles a network, and hands the builder to `also` so that queries are compiled with it.
    ///
    /// # Errors
    /// If the network has something that runs by chance can not have.
    pub fn new<T>(
        network: &Network,
        also: impl FnOnce(&mut Builder<'_>) -> Result<T, Unsupported>,
    ) -> Result<(Stochastic, T), Refusal> {
        let mut builder = Builder::stochastic(network);
        let nowhere = |error: Unsupported| Refusal { construct: error.construct, place: None };
        if has_priorities(network) {
            return Err(nowhere(Unsupported { construct: "a priority" }));
        }
        let before_update = builder.effects(&network.before_update).map_err(nowhere)?;
        let after_update = builder.effects(&network.after_update).map_err(nowhere)?;
        let mut tables = Tables::default();
        let mut initial_ints = Vec::new();
        for process in &network.processes {
            tables.process(&mut builder, network, process)?;
            match process.initial[..] {
                [initial] => initial_ints.push(initial.index() as i32),
                _ => {
                    let construct = "a process with several initial locations";
                    return Err(nowhere(Unsupported { construct }));
                }
            }
        }
        initial_ints.extend_from_slice(&network.initial.ints);
        let also = also(&mut builder).map_err(nowhere)?;
        let mut stochastic = Stochastic {
            program: builder.finish(),
            has_rates: tables.locations.iter().any(|location| !location.rates.is_empty()),
            has_volatile_rates: false,
            has_volatile: false,
            has_urgent: false,
            has_closing: false,
            channels: link::channels(network, &tables.edges, &tables.models),
            first: tables.first,
            locations: tables.locations,
            edges: tables.edges,
            touched: Vec::new(),
            before_update,
            after_update,
            has_updates_around: !(before_update.is_nothing() && after_update.is_nothing()),
            disable_on_range: network.range_policy == RangePolicy::Disable,
            initial_ints,
            initial_doubles: network.initial.doubles.clone(),
            initial_clocks: network.clocks.iter().map(|clock| clock.initial).collect(),
        };
        link::follow(network, &tables.models, &mut stochastic);
        Ok((stochastic, also))
    }

    /// Whoever makes runs of the network looks at this budget.
    #[must_use]
    pub fn within(mut self, budget: &Arc<Budget>) -> Stochastic {
        self.program.budget = Arc::clone(budget);
        self
    }

    /// What runs of the network may use.
    #[must_use]
    pub fn budget(&self) -> &Budget {
        &self.program.budget
    }
}

/// What is being compiled.
#[derive(Default)]
struct Tables<'n> {
    first: Vec<u32>,
    locations: Vec<Location>,
    edges: Vec<Edge>,
    /// What each edge was compiled from.
    models: Vec<Cow<'n, model::Edge>>,
}

impl<'n> Tables<'n> {
    fn process(
        &mut self,
        builder: &mut Builder<'_>,
        network: &Network,
        process: &'n model::Process,
    ) -> Result<(), Refusal> {
        let number = self.first.len() as u32;
        let first = self.locations.len();
        self.first.push(first as u32);
        for location in &process.locations {
            let refused = |error: Unsupported| Refusal {
                construct: error.construct,
                place: Some(format!("process {}, location {}", process.name, location.name)),
            };
            self.locations.push(Location::new(builder, location).map_err(refused)?);
        }
        // By location, those that receive last.
        let mut order: Vec<_> = process.edges.enumerate().collect();
        order.sort_by_key(|(_, edge)| (edge.source, matches!(edge.sync, Sync::Receive(_))));
        for (id, edge) in order {
            let refused = |error: Unsupported| {
                let name = |id| process.locations.get(id).map_or("?", |location| &location.name);
                let target = edge.branches.first().map_or("?", |branch| name(branch.target));
                let source = name(edge.source);
                let place = format!("process {}, edge {source} → {target}", process.name);
                Refusal { construct: error.construct, place: Some(place) }
            };
            let construct = match &edge.sync {
                Sync::Internal | Sync::Send(_) | Sync::Receive(_) => None,
                Sync::Csp(_) => Some("a synchronisation without direction"),
                Sync::Event(_) => Some("a synchronisation vector"),
            };
            if let Some(construct) = construct {
                return Err(refused(Unsupported { construct }));
            }
            let copies = match edge.selects.is_empty() || self.edges.len() > expand::ALL_MAX {
                true => None,
                false => expand::copies(network, edge),
            };
            let begin = self.edges.len() as u32;
            let key = (number, id.index() as u32);
            match copies {
                None => {
                    self.edges.push(Edge::new(builder, key, edge, &[]).map_err(refused)?);
                    self.models.push(Cow::Borrowed(edge));
                }
                Some(copies) => {
                    for Copy { values, edge } in copies {
                        self.edges.push(Edge::new(builder, key, &edge, &values).map_err(refused)?);
                        self.models.push(Cow::Owned(edge));
                    }
                }
            }
            let source = &mut self.locations[first + edge.source.index()];
            let end = self.edges.len() as u32;
            match &edge.sync {
                Sync::Receive(_) => source.has_receives |= begin < end,
                _ if source.outputs == (0, 0) => source.outputs = (begin, end),
                _ => source.outputs.1 = end,
            }
        }
        Ok(())
    }
}

impl Location {
    fn new(builder: &mut Builder<'_>, location: &model::Location) -> Result<Location, Unsupported> {
        let mut rates = Vec::new();
        for rate in &location.rates {
            let mut reads_clock = false;
            rate.value.walk(&mut |expr| reads_clock |= matches!(expr, model::Expr::Clock(_)));
            if reads_clock {
                let construct = "a differential equation (a clock rate that depends on a clock)";
                return Err(Unsupported { construct });
            }
            let value = match rate.number {
                model::Number::Double => builder.double(&rate.value)?,
                model::Number::Int => {
                    builder.double(&model::Expr::ToDouble(Box::new(rate.value.clone())))?
                }
            };
            rates.push((builder.element(&rate.clock)?, value));
        }
        let exponential = match &location.exponential_rate {
            None => Exponential::Fixed(1.0),
            Some(rate) => {
                let value = builder.double(&rate.value)?;
                let divisor = rate.divisor.as_ref().map(|it| builder.double(it)).transpose()?;
                match (value.constant(), divisor.map(DoubleCode::constant)) {
                    (Some(value), None) => Exponential::Fixed(value),
                    (Some(value), Some(Some(divisor))) => Exponential::Fixed(value / divisor),
                    _ => Exponential::General(value, divisor),
                }
            }
        };
        Ok(Location {
            committed: location.kind == LocationKind::Committed,
            stops_time: location.kind != LocationKind::Normal,
            volatile: false,
            sleeps: false,
            has_invariant: !location.invariant.is_true(),
            has_urgent: false,
            has_receives: false,
            data: data(builder, &location.invariant)?,
            limits: limits(builder, &location.invariant)?,
            rates: rates.into(),
            exponential,
            outputs: (0, 0),
        })
    }
}

impl Edge {
    fn new(
        builder: &mut Builder<'_>,
        (process, id): (u32, u32),
        edge: &model::Edge,
        values: &[i32],
    ) -> Result<Edge, Unsupported> {
        let mut branches = Vec::new();
        for branch in &edge.branches {
            branches.push(Branch {
                weight: branch.weight.as_ref().map(|it| builder.double(it)).transpose()?,
                selects: select::compile(&branch.selects).into(),
                update: builder.effects(&branch.update)?,
                target: branch.target.index() as i32,
                touched: (0, 0),
                changes_rates: false,
            });
        }
        let channel = edge.sync.channel().map(|it| builder.element(it)).transpose()?;
        Ok(Edge {
            process,
            id,
            channel: channel
                .map_or(INTERNAL, |code| code.constant().map_or(COMPUTED, i32::unsigned_abs)),
            channel_code: channel.unwrap_or(Code::NOTHING),
            guard: data(builder, &edge.guard)?,
            limits: limits(builder, &edge.guard)?,
            update: builder.effects(&edge.update)?,
            branches: branches.into(),
            selects: select::compile(&edge.selects).into(),
            values: values.into(),
        })
    }
}

/// The data part of a condition: all of it must hold.
fn data(builder: &mut Builder<'_>, condition: &Condition) -> Result<Box<[Code]>, Unsupported> {
    let mut codes = Vec::new();
    for expr in &condition.data {
        let code = builder.value(expr)?;
        if code.constant().is_none_or(|value| value == 0) {
            codes.push(code);
        }
    }
    Ok(codes.into())
}

fn limits(builder: &mut Builder<'_>, condition: &Condition) -> Result<Box<[Limit]>, Unsupported> {
    condition.clocks.iter().map(|constraint| Limit::new(builder, constraint)).collect()
}
