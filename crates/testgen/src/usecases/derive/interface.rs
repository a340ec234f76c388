//! What a tester exchanges with a system of a derived model.

use punctual_model::{
    Carried, ChannelId, Direction, IdVec, Interface, Port, PortRole, ScenarioId, Signal, TimeScale,
    ValueType, Wired,
    testing::{Place, Slot, Wire},
    usecases::{AttributeType, Keeper, Kept},
};

use super::{
    build::{Maker, Var},
    events::Events,
    given::Given,
};
use crate::usecases::link::about;

/// How long a time unit takes, unless the settings say it.
const UNIT_NS: u64 = 1_000_000;

impl Maker<'_> {
    /// The interface: scenarios with what they carry, events of the environment, what is sent back, and what can be read.
    pub(super) fn interface(
        &self,
        starts: &IdVec<ScenarioId, Option<ChannelId>>,
        given: &Given,
        events: &Events,
    ) -> Wired {
        let mut interface = Interface::new(TimeScale {
            unit_ns: self.all.settings.unit_ns.unwrap_or(UNIT_NS),
            resolution: 1,
        });
        let mut wires: IdVec<punctual_model::SignalId, Wire> = IdVec::new();
        let mut add = |channel: ChannelId, direction, values: Vec<(String, &ValueType, &Var)>| {
            let name = self.network.channels[channel].name.clone();
            let carried = values.iter().map(|(name, ty, _)| {
                let name = name.clone();
                Carried { name, ty: (*ty).clone() }
            });
            let signal = Signal { name, direction, values: carried.collect() };
            let of = |var: &Var| self.network.variables[var.variable].name.clone();
            let variables: Vec<String> = values.iter().map(|(.., var)| of(var)).collect();
            let is_same = signal.values.iter().map(|it| &it.name).eq(&variables);
            let id = interface.signals.push(signal);
            if !is_same {
                interface.variables.signals.insert(id, variables);
            }
            wires
                .push(Wire { channel, values: values.iter().map(|(.., var)| slot(var)).collect() });
            id
        };
        let mut assignments = Vec::new();
        for (id, start) in starts.enumerate() {
            let Some(start) = start else { continue };
            let gifts = given.of[id].iter().map(|it| (it.name.clone(), &it.ty, &it.var));
            assignments.push(add(*start, Direction::Input, gifts.collect()));
        }
        for (channel, parameters) in &events.inputs {
            let values = parameters.iter().map(|it| (it.name.clone(), &it.ty, &it.var));
            add(*channel, Direction::Input, values.collect());
        }
        for channel in &events.outputs {
            add(*channel, Direction::Output, Vec::new());
        }
        let is_given = |name: &String| {
            let carried = assignments.iter().flat_map(|id| &interface.signals[*id].values);
            carried.into_iter().any(|it| it.name == *name)
        };
        let set_up = self.links.state.iter().filter(|it| it.keeper == Keeper::Tester);
        let setup = set_up.map(|it| it.name.clone()).filter(is_given).collect();
        interface.setup = setup;
        interface.assignments = assignments;
        let mut places = IdVec::new();
        for (kept, var) in self.links.state.iter().zip(&self.state) {
            let Some(var) = var.as_ref().filter(|_| self.is_observed(kept)) else { continue };
            let (name, ty) = self.shown(kept, var);
            let variable = &self.network.variables[var.variable].name;
            let is_same = *variable == name;
            let id = interface.ports.push(Port { name, ty, role: PortRole::Observed });
            if !is_same {
                interface.variables.ports.insert(id, variable.clone());
            }
            places.push(Some(Place::Variable(slot(var))));
        }
        Wired { interface, wires, places }
    }

    /// What automata keep can be read if the settings say nothing; other state only if they name it.
    fn is_observed(&self, kept: &Kept) -> bool {
        let is_own = matches!(kept.keeper, Keeper::Automaton(..));
        about::is_observable(self.all, kept.class, kept.attribute).unwrap_or(is_own)
    }

    /// The name and the type of what can be read. A real number is read in parts, and its name says so.
    fn shown(&self, kept: &Kept, var: &Var) -> (String, ValueType) {
        let range = var.place.range;
        let whole = ValueType::Int { least: range.lo.into(), greatest: range.hi.into() };
        match self.all.domain.attributes[kept.attribute].ty {
            AttributeType::Boolean => {
                let is_bool = self.network.variables[var.variable].ty == punctual_model::Type::Bool;
                (kept.name.clone(), if is_bool { ValueType::Bool } else { whole })
            }
            AttributeType::Integer => (kept.name.clone(), whole),
            AttributeType::Enumeration(of) => {
                let names = self.all.domain.enumerations[of].values.clone();
                (kept.name.clone(), ValueType::Enum(names))
            }
            AttributeType::Real if var.scale == 1 => (kept.name.clone(), whole),
            AttributeType::Real => (format!("{}*{}", kept.name, var.scale), whole),
        }
    }
}

fn slot(var: &Var) -> Slot {
    Slot { slot: var.place.base, range: var.place.range }
}
