//! Which class an automaton belongs to, and which attributes its variables keep.

use std::collections::BTreeMap;

use punctual_model::{
    ClassId, Network, Process, ProcessId, Range, Storage, Type, Variable,
    usecases::{AttributeType, AutomatonVariable as Kept, NoAttribute, Scenarios, UseCases},
};

use super::about;

/// What an automaton keeps.
pub(super) struct Owner {
    pub(super) process: ProcessId,
    pub(super) class: Option<ClassId>,
    /// Which object of the class it is; none if that is open.
    pub(super) number: Option<u32>,
    pub(super) variables: Vec<Kept>,
}

/// The automata, in the order of the network.
pub(super) fn owners(all: &UseCases, scenarios: &Scenarios, network: &Network) -> Vec<Owner> {
    let objects = about::objects(scenarios);
    let classes: BTreeMap<ProcessId, ClassId> = (network.processes.enumerate())
        .filter_map(|(id, process)| Some((id, class(all, process)?)))
        .collect();
    let owner = |(process, it): (ProcessId, &Process)| {
        let class = classes.get(&process).copied();
        let number = class.and_then(|class| {
            let names = objects.get(&class).map_or(&[][..], Vec::as_slice);
            let named = names.iter().position(|name| *name == it.name);
            let of_class = classes.values().filter(|it| **it == class).count();
            let only = (of_class == 1 && names.len() <= 1).then_some(0);
            named.or(only).map(|at| at as u32)
        });
        let own = network.variables.enumerate().filter(|(_, it)| it.owner == Some(process));
        let changing = own.filter(|(_, it)| it.storage == Storage::State);
        let variables = changing.map(|(variable, it)| {
            let attribute = match (class, number) {
                (None, _) => Err(NoAttribute::NoClass),
                (Some(class), number) => attribute(all, class, it, &network.processes[process])
                    .and_then(|found| number.map(|_| found).ok_or(NoAttribute::Several)),
            };
            Kept { variable, attribute }
        });
        Owner { process, class, number, variables: variables.collect() }
    };
    network.processes.enumerate().map(owner).collect()
}

/// The class with the name of a process, else of its template. Names of the settings count, too.
fn class(all: &UseCases, process: &Process) -> Option<ClassId> {
    [&process.name, &process.template].into_iter().find_map(|name| {
        let meant = all.settings.names.get(name).map(String::as_str);
        all.domain.class(name).or_else(|| all.domain.class(meant?))
    })
}

/// The attribute that a variable keeps.
fn attribute(
    all: &UseCases,
    class: ClassId,
    variable: &Variable,
    process: &Process,
) -> Result<punctual_model::AttributeId, NoAttribute> {
    let name = variable.name.strip_prefix(process.name.as_str());
    let name = name.and_then(|it| it.strip_prefix('.')).unwrap_or(&variable.name);
    let found = about::attribute(all, class, name).ok_or(NoAttribute::Name)?;
    let range = match &variable.ty {
        Type::Bool => Range::BOOL,
        Type::Int(range) => *range,
        _ => return Err(NoAttribute::Type),
    };
    let is_bool = variable.ty == Type::Bool;
    let fits = match all.domain.attributes[found].ty {
        AttributeType::Boolean => range == Range::BOOL,
        AttributeType::Integer => !is_bool,
        AttributeType::Enumeration(of) => {
            let n_values = all.domain.enumerations[of].values.len() as i64;
            !is_bool && range.lo == 0 && i64::from(range.hi) == n_values - 1
        }
        AttributeType::Real => {
            about::scale(all, class, found).ok_or(NoAttribute::Scale)?;
            !is_bool
        }
    };
    if fits { Ok(found) } else { Err(NoAttribute::Type) }
}
