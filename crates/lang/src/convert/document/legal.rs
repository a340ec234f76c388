//! Names that UPPAAL accepts, and arrays found by the names of their elements.

use punctual_model::{
    ClockRef, Expr, FunctionBody, FunctionId, Id, Network, Place, Process, ProcessId,
};

use crate::convert::{names::Mangler, print::places::Slots, vectors::walk};
use crate::uppaal::keywords::KEYWORDS;

/// Words that only queries or other versions reserve, and functions that the language
/// knows.
const WORDS: &[&str] = &[
    "abs", "break", "case", "ceil", "continue", "cos", "deadlock", "enum", "exp", "fint", "floor",
    "foreach", "inf", "ln", "log", "pow", "random", "rate", "round", "sin", "sqrt", "sup",
    "switch", "tan", "typename",
];

/// An array, or a single thing.
#[derive(Clone, Debug)]
pub(super) struct Array {
    /// The name without indices.
    pub(super) root: String,
    /// The position of its first element, and how many there are.
    pub(super) first: usize,
    pub(super) len: usize,
    /// The smallest index and the number of indices.
    pub(super) dimensions: Vec<(i64, i64)>,
}

/// Groups neighbours into arrays: those whose names differ only in their last indices, which
/// must be complete and in order. Everything else stands alone.
pub(super) fn arrays<'a>(names: impl Iterator<Item = (&'a str, Option<ProcessId>)>) -> Vec<Array> {
    let names: Vec<(&str, Option<ProcessId>)> = names.collect();
    let split: Vec<(&str, Vec<i64>)> = names.iter().map(|(name, _)| indices(name)).collect();
    let mut arrays = Vec::new();
    let mut at = 0;
    while at < names.len() {
        let (root, first) = &split[at];
        let same = |k: usize| {
            split[k].0 == *root && split[k].1.len() == first.len() && names[k].1 == names[at].1
        };
        let mut len = 1;
        while !first.is_empty() && at + len < names.len() && same(at + len) {
            len += 1;
        }
        let last = &split[at + len - 1].1;
        let dimensions: Vec<(i64, i64)> =
            first.iter().zip(last).map(|(lo, hi)| (*lo, hi - lo + 1)).collect();
        let complete = dimensions.iter().map(|(_, n)| *n.max(&0) as u128).product::<u128>()
            == len as u128
            && (0..len).all(|k| split[at + k].1 == position(&dimensions, k as i64));
        if complete {
            arrays.push(Array { root: (*root).to_owned(), first: at, len, dimensions });
            at += len;
        } else {
            let root = names[at].0.to_owned();
            arrays.push(Array { root, first: at, len: 1, dimensions: Vec::new() });
            at += 1;
        }
    }
    arrays
}

/// The indices of the `k`-th element.
fn position(dimensions: &[(i64, i64)], mut k: i64) -> Vec<i64> {
    let mut position = Vec::new();
    for (lo, len) in dimensions.iter().rev() {
        position.insert(0, lo + k % len);
        k /= len;
    }
    position
}

/// The name without the indices at its end, and these.
fn indices(name: &str) -> (&str, Vec<i64>) {
    let mut rest = name;
    let mut list = Vec::new();
    while let Some((before, index)) = rest.strip_suffix(']').and_then(|n| n.rsplit_once('[')) {
        let Ok(index) = index.parse() else { break };
        list.insert(0, index);
        rest = before;
    }
    (rest, list)
}

/// Gives everything a name that UPPAAL accepts. Names that are legal and different stay.
pub(crate) fn legal_names(network: &mut Network) {
    let mut global = Mangler::default().reserve(WORDS.iter().chain(&KEYWORDS).copied());
    let old: Vec<String> = network.processes.iter().map(|p| p.name.clone()).collect();
    let local = |name: &str, owner: Option<ProcessId>| -> String {
        let prefix = owner.map(|id| &old[id.index()]);
        let rest = prefix.and_then(|p| name.strip_prefix(p.as_str())?.strip_prefix('.'));
        rest.unwrap_or(name).to_owned()
    };
    let clocks = arrays(network.clocks.iter().map(|c| (c.name.as_str(), c.owner)));
    let channels = arrays(network.channels.iter().map(|c| (c.name.as_str(), None)));
    let owners = function_owners(network);
    for variable in network.variables.iter_mut().filter(|v| v.owner.is_none()) {
        variable.name = global.name(&variable.name);
    }
    name_clocks(network, &clocks, None, &mut global, &local, "");
    for array in &channels {
        let name = global.name(&array.root);
        for k in 0..array.len {
            let id = Id::from_index(array.first + k);
            network.channels[id].name = format!("{name}{}", suffix(array, k));
        }
    }
    for process in network.processes.iter_mut() {
        process.name = global.name(&process.name);
        process.template = process.name.clone();
    }
    for (function, _) in
        network.functions.iter_mut().zip(&owners).filter(|(_, owner)| owner.is_none())
    {
        function.name = global.name(&function.name);
    }
    for i in 0..old.len() {
        let id = ProcessId::from_index(i);
        let mut names = global.clone();
        let prefix = format!("{}.", network.processes[id].name);
        for variable in network.variables.iter_mut().filter(|v| v.owner == Some(id)) {
            let name = names.name(&local(&variable.name, variable.owner));
            variable.name = format!("{prefix}{name}");
        }
        name_clocks(network, &clocks, Some(id), &mut names, &local, &prefix);
        for (function, owner) in
            network.functions.iter_mut().zip(&owners).filter(|(_, owner)| **owner == Some(id))
        {
            function.name = format!("{prefix}{}", names.name(&local(&function.name, *owner)));
        }
        let process = &mut network.processes[id];
        for location in process.locations.iter_mut() {
            location.name = names.name(&location.name);
        }
        for edge in process.edges.iter_mut() {
            let mut names = names.clone();
            let branches = edge.branches.iter_mut().flat_map(|branch| &mut branch.selects);
            for select in edge.selects.iter_mut().chain(branches) {
                select.name = names.name(&select.name);
            }
        }
    }
    for function in network.functions.iter_mut() {
        let mut names = global.clone();
        for param in &mut function.params {
            param.name = names.name(&param.name);
        }
    }
}

/// The process that each function belongs to: by its name, or because it uses something of that
/// process, itself or through what it calls. (A global function that was given a reference to a
/// local variable is specialised for that variable.)
fn function_owners(network: &Network) -> Vec<Option<ProcessId>> {
    let slots = Slots::new(network);
    let by_name = |name: &str| {
        let owns = |process: &Process| {
            name.strip_prefix(process.name.as_str()).is_some_and(|rest| rest.starts_with('.'))
        };
        network.processes.enumerate().find(|(_, process)| owns(process)).map(|(id, _)| id)
    };
    let mut owners: Vec<Option<ProcessId>> = Vec::new();
    let mut calls: Vec<Vec<FunctionId>> = Vec::new();
    for function in &network.functions {
        let mut owner = by_name(&function.name);
        let mut called = Vec::new();
        let mut visit = |expr: &Expr| {
            let place_owner = |place: &Place| {
                let found = slots.find(place.storage, place.number, place.base);
                found.and_then(|(id, _)| network.variables[id].owner)
            };
            let clock_owner = |clock: &ClockRef| network.clocks[clock.base].owner;
            let found = match expr {
                Expr::Load(place) => place_owner(place),
                Expr::Assign { target, .. } => place_owner(target),
                Expr::SetClock { clock, .. } | Expr::Clock(clock) | Expr::ClockRate(clock) => {
                    clock_owner(clock)
                }
                Expr::ClockConstraint(constraint) => constraint.clocks().find_map(clock_owner),
                Expr::Call { function, .. } => {
                    called.push(*function);
                    None
                }
                _ => None,
            };
            owner = owner.or(found);
        };
        if let FunctionBody::Statements(body) = &function.body {
            walk(body, &mut visit);
        }
        owners.push(owner);
        calls.push(called);
    }
    // A caller belongs where what it calls belongs; chains of calls are as long as there are
    // functions at most.
    for _ in 0..owners.len() {
        let mut changed = false;
        for (i, called) in calls.iter().enumerate() {
            let inherited = called.iter().find_map(|call| owners[call.index()]);
            if owners[i].is_none() && inherited.is_some() {
                owners[i] = inherited;
                changed = true;
            }
        }
        if !changed {
            break;
        }
    }
    owners
}

fn suffix(array: &Array, k: usize) -> String {
    let position = position(&array.dimensions, k as i64);
    position.iter().map(|index| format!("[{index}]")).collect()
}

fn name_clocks(
    network: &mut Network,
    clocks: &[Array],
    owner: Option<ProcessId>,
    names: &mut Mangler,
    local: &dyn Fn(&str, Option<ProcessId>) -> String,
    prefix: &str,
) {
    for array in clocks {
        if network.clocks[Id::from_index(array.first)].owner != owner {
            continue;
        }
        let name = names.name(&local(&array.root, owner));
        for k in 0..array.len {
            let id = Id::from_index(array.first + k);
            network.clocks[id].name = format!("{prefix}{name}{}", suffix(array, k));
        }
    }
}
