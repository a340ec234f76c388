//! A network as tables that runs are made from.

use punctual_model::{self as model, Condition, Id, LocationKind, Network, RangePolicy, Sync};

use super::limit::Limit;
use crate::program::{Builder, Code, DoubleCode, Program, Unsupported};
use crate::select::{self, Select};
use crate::symbolic::{Refusal, has_priorities};

/// A network, compiled. Immutable, so threads share it.
pub struct Stochastic {
    pub(crate) program: Program,
    pub(crate) processes: Vec<Process>,
    pub(crate) channels: Vec<Channel>,
    pub(crate) before_update: Code,
    pub(crate) after_update: Code,
    pub(crate) has_updates_around: bool,
    pub(crate) has_rates: bool,
    pub(crate) disable_on_range: bool,
    /// The locations, then the integers.
    pub(crate) initial_ints: Vec<i32>,
    pub(crate) initial_doubles: Vec<f64>,
    pub(crate) initial_clocks: Vec<f64>,
}

pub(crate) struct Process {
    pub(crate) locations: Vec<Location>,
    pub(crate) edges: Vec<Edge>,
}

pub(crate) struct Location {
    pub(crate) committed: bool,
    /// Urgent or committed.
    pub(crate) stops_time: bool,
    pub(crate) data: Vec<Code>,
    pub(crate) limits: Vec<Limit>,
    /// Clocks and their rates.
    pub(crate) rates: Vec<(Code, DoubleCode)>,
    pub(crate) exponential: Exponential,
    /// Internal and sending edges.
    pub(crate) outputs: Vec<u32>,
    pub(crate) receives: Vec<u32>,
    /// Some output may be over an urgent channel.
    pub(crate) has_urgent: bool,
}

/// The rate of an exponential delay.
pub(crate) enum Exponential {
    Fixed(f64),
    General(DoubleCode, Option<DoubleCode>),
}

pub(crate) struct Edge {
    pub(crate) selects: Vec<Select>,
    pub(crate) guard: Vec<Code>,
    pub(crate) limits: Vec<Limit>,
    /// The channel, for edges that send or receive.
    pub(crate) channel: Option<Code>,
    pub(crate) update: Code,
    pub(crate) branches: Vec<Branch>,
}

pub(crate) struct Branch {
    pub(crate) weight: Option<DoubleCode>,
    pub(crate) selects: Vec<Select>,
    pub(crate) update: Code,
    pub(crate) target: i32,
}

pub(crate) struct Channel {
    pub(crate) broadcast: bool,
    pub(crate) urgent: bool,
    /// The processes that may receive on it, in their order.
    pub(crate) receivers: Vec<u32>,
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
        let mut channels: Vec<Channel> = Vec::new();
        for channel in &network.channels {
            let (broadcast, urgent) = (channel.broadcast, channel.urgent);
            channels.push(Channel { broadcast, urgent, receivers: Vec::new() });
        }
        let mut processes = Vec::new();
        let mut initial_ints = Vec::new();
        for (number, process) in network.processes.iter().enumerate() {
            let compiled = Process::new(&mut builder, process, &channels)?;
            link_receivers(process, number as u32, &mut channels);
            processes.push(compiled);
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
        let mut locations = processes.iter().flat_map(|process| &process.locations);
        let stochastic = Stochastic {
            has_rates: locations.any(|location| !location.rates.is_empty()),
            channels,
            before_update,
            after_update,
            has_updates_around: !(before_update.is_nothing() && after_update.is_nothing()),
            disable_on_range: network.range_policy == RangePolicy::Disable,
            initial_ints,
            initial_doubles: network.initial.doubles.clone(),
            initial_clocks: network.clocks.iter().map(|clock| clock.initial).collect(),
            processes,
            program: builder.finish(),
        };
        Ok((stochastic, also))
    }
}

impl Process {
    fn new(
        builder: &mut Builder<'_>,
        process: &model::Process,
        channels: &[Channel],
    ) -> Result<Process, Refusal> {
        let mut locations = Vec::new();
        for location in &process.locations {
            let refused = |error: Unsupported| Refusal {
                construct: error.construct,
                place: Some(format!("process {}, location {}", process.name, location.name)),
            };
            locations.push(Location::new(builder, location).map_err(refused)?);
        }
        let mut edges = Vec::new();
        for (id, edge) in process.edges.enumerate() {
            let refused = |error: Unsupported| {
                let name = |id| process.locations.get(id).map_or("?", |location| &location.name);
                let target = edge.branches.first().map_or("?", |branch| name(branch.target));
                let source = name(edge.source);
                let place = format!("process {}, edge {source} → {target}", process.name);
                Refusal { construct: error.construct, place: Some(place) }
            };
            let source = &mut locations[edge.source.index()];
            match &edge.sync {
                Sync::Internal => source.outputs.push(id.index() as u32),
                Sync::Send(channel) => {
                    source.outputs.push(id.index() as u32);
                    source.has_urgent |=
                        reach(channel, channels.len()).any(|channel| channels[channel].urgent);
                }
                Sync::Receive(_) => source.receives.push(id.index() as u32),
                Sync::Csp(_) => {
                    let construct = "a synchronisation without direction";
                    return Err(refused(Unsupported { construct }));
                }
                Sync::Event(_) => {
                    return Err(refused(Unsupported { construct: "a synchronisation vector" }));
                }
            }
            edges.push(Edge::new(builder, edge).map_err(refused)?);
        }
        Ok(Process { locations, edges })
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
            data: data(builder, &location.invariant)?,
            limits: limits(builder, &location.invariant)?,
            rates,
            exponential,
            outputs: Vec::new(),
            receives: Vec::new(),
            has_urgent: false,
        })
    }
}

impl Edge {
    fn new(builder: &mut Builder<'_>, edge: &model::Edge) -> Result<Edge, Unsupported> {
        let mut branches = Vec::new();
        for branch in &edge.branches {
            branches.push(Branch {
                weight: branch.weight.as_ref().map(|it| builder.double(it)).transpose()?,
                selects: select::compile(&branch.selects),
                update: builder.effects(&branch.update)?,
                target: branch.target.index() as i32,
            });
        }
        Ok(Edge {
            selects: select::compile(&edge.selects),
            guard: data(builder, &edge.guard)?,
            limits: limits(builder, &edge.guard)?,
            channel: edge.sync.channel().map(|it| builder.element(it)).transpose()?,
            update: builder.effects(&edge.update)?,
            branches,
        })
    }
}

/// The data part of a condition: all of it must hold.
fn data(builder: &mut Builder<'_>, condition: &Condition) -> Result<Vec<Code>, Unsupported> {
    let mut codes = Vec::new();
    for expr in &condition.data {
        let code = builder.value(expr)?;
        if code.constant().is_none_or(|value| value == 0) {
            codes.push(code);
        }
    }
    Ok(codes)
}

fn limits(builder: &mut Builder<'_>, condition: &Condition) -> Result<Vec<Limit>, Unsupported> {
    condition.clocks.iter().map(|constraint| Limit::new(builder, constraint)).collect()
}

/// The channels that a reference may lead to.
fn reach(channel: &model::ChannelRef, n_channels: usize) -> std::ops::Range<usize> {
    let span: usize = channel
        .indices
        .iter()
        .map(|it| (it.len as usize).saturating_sub(1) * it.stride as usize)
        .sum();
    let base = channel.base.index();
    base..(base + span + 1).min(n_channels)
}

/// Notes a process with all channels on which it may receive.
fn link_receivers(process: &model::Process, number: u32, channels: &mut [Channel]) {
    for edge in &process.edges {
        if let Sync::Receive(channel) = &edge.sync {
            for channel in reach(channel, channels.len()) {
                let receivers = &mut channels[channel].receivers;
                if receivers.last() != Some(&number) {
                    receivers.push(number);
                }
            }
        }
    }
}
