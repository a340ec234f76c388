//! Events of the environment. One that has the name of a class carries the attributes of that class (section VIII: `CarInfo`).
//!
//! A parameter is chosen by `select` on each edge that sends the event. If the network has a global variable of the attribute's name, the engineers have
//! chosen it themselves, and that is carried.

use std::collections::BTreeSet;

use punctual_model::{
    AttributeId, ChannelId, ClassId, Expr, Number, Place, Range, Select, Storage, Sync, Type,
    Value, ValueType,
    usecases::{AttributeType, AutomatonSide},
};

use super::build::{Maker, Var, place, set};
use super::given::decimal;
use crate::usecases::link::{about, received, sent};

/// More values than this are not chosen from while a model runs.
const VALUES_MAX: u64 = 256;

/// What crosses the border between environment and system.
pub(super) struct Events {
    /// What environment automata send to requirement automata, or to nobody; in the order of the network.
    pub(super) inputs: Vec<(ChannelId, Vec<Parameter>)>,
    /// What requirement automata send to environment automata, or to nobody.
    pub(super) outputs: Vec<ChannelId>,
}

/// A value that goes with an event.
#[derive(Clone)]
pub(super) struct Parameter {
    pub(super) name: String,
    pub(super) var: Var,
    pub(super) ty: ValueType,
}

impl Maker<'_> {
    /// Gives events of the environment their parameters.
    pub(super) fn environment_events(&mut self) -> Events {
        let processes = |side: AutomatonSide| {
            let of = self.links.automata.iter().filter(move |it| it.side == side);
            of.map(|it| &self.network.processes[it.process])
        };
        let (environment, system) = (AutomatonSide::Environment, AutomatonSide::Requirement);
        let set_of = |all: Vec<ChannelId>| all.into_iter().collect::<BTreeSet<ChannelId>>();
        let by_environment = set_of(processes(environment).flat_map(sent).collect());
        let to_environment = set_of(processes(environment).flat_map(received).collect());
        let by_system = set_of(processes(system).flat_map(sent).collect());
        let to_system = set_of(processes(system).flat_map(received).collect());
        let crosses = |it: &ChannelId, to: &BTreeSet<ChannelId>, within: &BTreeSet<ChannelId>| {
            to.contains(it) || !within.contains(it)
        };
        let inputs: Vec<ChannelId> = (by_environment.iter())
            .filter(|it| !by_system.contains(it) && crosses(it, &to_system, &to_environment))
            .copied()
            .collect();
        let outputs = (by_system.iter())
            .filter(|it| !by_environment.contains(it) && crosses(it, &to_environment, &to_system))
            .copied()
            .collect();
        let mut found: Vec<(ChannelId, Vec<Parameter>)> = Vec::new();
        let mut known: Vec<(String, Vec<Parameter>)> = Vec::new();
        for channel in inputs {
            let name = &self.network.channels[channel].name;
            let name = name.split('[').next().unwrap_or_default().to_owned();
            let parameters = match known.iter().find(|(it, _)| *it == name) {
                Some((_, parameters)) => parameters.clone(),
                None => {
                    let parameters = self.parameters(&name);
                    known.push((name, parameters.clone()));
                    parameters
                }
            };
            found.push((channel, parameters));
        }
        Events { inputs: found, outputs }
    }

    /// The parameters of the event of this name, chosen on all edges that send it.
    fn parameters(&mut self, event: &str) -> Vec<Parameter> {
        let meant = self.all.settings.names.get(event).map(String::as_str);
        let domain = &self.all.domain;
        let Some(class) = domain.class(event).or_else(|| domain.class(meant?)) else {
            return Vec::new();
        };
        let lineage = domain.lineage(class);
        let attributes =
            domain.attributes.enumerate().filter(|(_, it)| lineage.contains(&it.class));
        let attributes: Vec<AttributeId> = attributes.map(|(id, _)| id).collect();
        let mut found = Vec::new();
        for attribute in attributes {
            let name = self.all.domain.attributes[attribute].name.clone();
            match self.choices(class, attribute) {
                Ok((range, ty)) => {
                    let own = self.global(&name, range);
                    let var = own.unwrap_or_else(|| self.chosen(event, &name, range, &ty));
                    found.push(Parameter { name, var, ty });
                }
                Err(why) => self.notes.push(format!("`{event}` does not carry `{name}`: {why}")),
            }
        }
        found
    }

    /// A global variable that engineers declared.
    fn global(&self, name: &str, range: Range) -> Option<Var> {
        let mut variables = self.network.variables.enumerate();
        let (variable, it) = variables.find(|(_, it)| it.name == name && it.owner.is_none())?;
        let own = match &it.ty {
            Type::Int(range) => *range,
            Type::Bool => Range::BOOL,
            _ => return None,
        };
        let fits = it.storage == Storage::State && own.lo >= range.lo && own.hi <= range.hi;
        let initial = *self.network.initial.ints.get(it.ints as usize)?;
        fits.then(|| Var { variable, place: place(it.ints, own), initial, scale: 1 })
    }

    /// A new variable that is chosen wherever the event is sent.
    fn chosen(&mut self, event: &str, name: &str, range: Range, ty: &ValueType) -> Var {
        let kind = if *ty == ValueType::Bool { Type::Bool } else { Type::Int(range) };
        let initial = if range.contains(0) { 0 } else { range.lo };
        let var = self.variable(&format!("{event}_{name}"), kind, initial, 1);
        let select = self.name(&format!("any_{name}"));
        let channels = &self.network.channels;
        let is_it = |sync: &Sync| match sync {
            Sync::Send(channel) => about::channels(channel).iter().any(|it| {
                let name = &channels[*it].name;
                name.split('[').next() == Some(event)
            }),
            _ => false,
        };
        for process in self.network.processes.iter_mut() {
            for edge in process.edges.iter_mut().filter(|it| is_it(&it.sync)) {
                let slot = edge.frame.ints;
                edge.frame.ints += 1;
                edge.selects.push(Select { name: select.clone(), slot, range });
                let local = Place {
                    storage: Storage::Local,
                    number: Number::Int,
                    base: slot,
                    indices: Vec::new(),
                    size: 1,
                    range,
                };
                edge.update.insert(0, set(&var.place, Expr::Load(local)));
            }
        }
        var
    }

    /// The values of a parameter, or why there are none.
    fn choices(
        &self,
        class: ClassId,
        attribute: AttributeId,
    ) -> Result<(Range, ValueType), &'static str> {
        let settings = about::settings(self.all, class, attribute);
        let range = settings.and_then(|it| it.range);
        let scale = about::scale(self.all, class, attribute);
        let (range, ty) = match (self.all.domain.attributes[attribute].ty, range) {
            (AttributeType::Boolean, _) => (Range::BOOL, ValueType::Bool),
            (AttributeType::Enumeration(of), _) => {
                let names = self.all.domain.enumerations[of].values.clone();
                (Range { lo: 0, hi: names.len() as i32 - 1 }, ValueType::Enum(names))
            }
            (_, None) => return Err("the settings give it no range"),
            (AttributeType::Integer, Some((least, greatest))) => {
                let range = least.as_slot().zip(greatest.as_slot());
                let (lo, hi) = range.ok_or("its range needs more than 32 bits")?;
                let ty = ValueType::Int { least: lo.into(), greatest: hi.into() };
                (Range { lo, hi }, ty)
            }
            (AttributeType::Real, Some((least, greatest))) => {
                let scale =
                    scale.ok_or("it is a real number, and the settings give it no scale")?;
                let ends = [least, greatest].map(|it: Value| about::integer(it, scale));
                let [Some(lo), Some(hi)] = ends else {
                    return Err("its range is no whole number of parts");
                };
                if (i64::from(hi) - i64::from(lo)) as u64 >= VALUES_MAX {
                    return Err("its range has more than 256 values");
                }
                let of = |it: i32| punctual_model::Rational::new(it.into(), scale.into());
                let names = (lo..=hi).map(|it| decimal(of(it))).collect();
                (Range { lo: 0, hi: hi - lo }, ValueType::Enum(names))
            }
        };
        match range.len() > VALUES_MAX {
            true => Err("its range has more than 256 values"),
            false => Ok((range, ty)),
        }
    }
}
