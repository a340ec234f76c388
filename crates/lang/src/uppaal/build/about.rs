//! Queries about a network that has no declarations: it was read from a format of another tool.
//!
//! Names are those of the network: variables, clocks and processes. Where these have indices (`x[2]`, `Train(3)`) and all indices of a
//! range are there, queries see an array, or processes with an argument.

use std::{collections::BTreeMap, rc::Rc};

use punctual_model::{self as model, Id, Network, ProcessId, Range, Storage};

use super::{
    Builder,
    place::Place,
    scope::{Entity, ProcessSet, ScopeId},
    types::{ArrayType, Layout, ScalarSet, StructType, Type},
};
use crate::{
    Span,
    diagnostic::Diagnostics,
    document::{Document, Query},
    model::QueryEntry,
    uppaal::syntax,
};

/// Reads queries about a network.
pub(crate) fn queries_about(network: &mut Network, queries: &[Query]) -> Vec<QueryEntry> {
    if queries.is_empty() {
        return Vec::new();
    }
    // That an empty document has no system is no fault of the queries.
    let syntax = syntax::parse(&Document::default(), queries, &mut Diagnostics::new());
    let names = Names::new(network);
    let mut builder = Builder::new(&syntax, Diagnostics::new());
    builder.network = std::mem::take(network);
    let global = builder.global;
    builder.process_scopes =
        builder.network.processes.iter().map(|_| builder.scopes.open(Some(global))).collect();
    for (owner, name, place) in &names.places {
        let scope = owner.map_or(global, |owner| builder.process_scopes[owner]);
        builder.scopes.bind(scope, name, Entity::Place(Rc::new(place.clone())), NOWHERE);
    }
    let system: ScopeId = builder.scopes.open(Some(global));
    for (name, first, params) in &names.processes {
        let set = ProcessSet { first: *first, params: params.clone(), anonymous: false };
        builder.scopes.bind(system, name, Entity::Processes(Rc::new(set)), NOWHERE);
    }
    let entries = builder.queries(system);
    *network = builder.network;
    entries
}

/// Declarations that are in no text.
const NOWHERE: Span = Span { start: 0, end: 0 };

/// What queries can name.
struct Names {
    /// Who declares it, its name there, and where it is.
    places: Vec<(Option<ProcessId>, String, Place)>,
    /// Processes that share a name: the first, and the ranges of their arguments.
    processes: Vec<(String, ProcessId, Vec<Range>)>,
}

impl Names {
    fn new(network: &Network) -> Names {
        let mut places = Vec::new();
        let own = |owner: Option<ProcessId>, name: &str| {
            let process = owner.map(|owner| format!("{}.", network.processes[owner].name));
            process.and_then(|it| name.strip_prefix(&it)).unwrap_or(name).to_owned()
        };
        for variable in &network.variables {
            let Some(ty) = typed(&variable.ty) else { continue };
            let base =
                Layout { ints: variable.ints, doubles: variable.doubles, ..Layout::default() };
            let place = stored(ty, variable.storage, base);
            places.push((variable.owner, own(variable.owner, &variable.name), place));
        }
        let clocks = network.clocks.iter().map(|clock| {
            let (name, indices) = split(&clock.name, '[', "][", ']');
            (clock.owner, own(clock.owner, name), indices, clock.hybrid)
        });
        for (at, group) in
            groups(clocks.map(|(owner, name, indices, hybrid)| ((owner, name, hybrid), indices)))
        {
            let ((owner, name, hybrid), ranges) = group;
            let clock = Type::Clock { hybrid };
            let ty = ranges
                .iter()
                .rev()
                .fold(clock, |ty, range| array(range.lo, range.len() as u32, ty));
            let base = Layout { clocks: at as u32, ..Layout::default() };
            places.push((owner, name, stored(ty, Storage::State, base)));
        }
        let processes = network.processes.iter().map(|it| {
            let (name, indices) = split(&it.name, '(', ",", ')');
            (name.to_owned(), indices)
        });
        let processes = groups(processes);
        let processes = processes
            .into_iter()
            .map(|(at, (name, ranges))| (name, ProcessId::from_index(at), ranges))
            .collect();
        Names { places, processes }
    }
}

fn stored(ty: Type, storage: Storage, base: Layout) -> Place {
    Place { ty, storage, base, indices: Vec::new(), constant: None }
}

/// A name and its indices: `x[1][2]`, `Train(3)`. What is not written so is a name as a whole.
fn split<'n>(name: &'n str, open: char, between: &str, close: char) -> (&'n str, Vec<i32>) {
    let indices = name.strip_suffix(close).and_then(|rest| {
        let (name, indices) = rest.split_once(open)?;
        let numbers: Result<Vec<i32>, _> =
            indices.split(between).map(|index| index.trim().parse()).collect();
        Some((name, numbers.ok()?))
    });
    indices.unwrap_or((name, Vec::new()))
}

/// Neighbours that share a name and have all indices of some ranges, the last index fastest, with the position of the first. Others are left out if they have indices.
fn groups<K: PartialEq + Ord + Clone>(
    all: impl Iterator<Item = (K, Vec<i32>)>,
) -> Vec<(usize, (K, Vec<Range>))> {
    // A name that comes again later is another group, and the last one counts.
    let mut found: BTreeMap<K, (usize, Vec<Vec<i32>>)> = BTreeMap::new();
    for (at, (name, indices)) in all.enumerate() {
        let group = found.entry(name).or_insert((at, Vec::new()));
        if group.0 + group.1.len() != at {
            *group = (at, Vec::new());
        }
        group.1.push(indices);
    }
    let mut groups = Vec::new();
    for (name, (at, members)) in found {
        let (Some(first), Some(last)) = (members.first(), members.last()) else { continue };
        if first.len() != last.len() || first.iter().zip(last).any(|(lo, hi)| lo > hi) {
            continue;
        }
        let ranges: Vec<Range> =
            first.iter().zip(last).map(|(lo, hi)| Range { lo: *lo, hi: *hi }).collect();
        let n: u64 = ranges.iter().map(|it| it.len()).product();
        let mut expected = first.clone();
        let is_whole = n == members.len() as u64
            && members.iter().all(|member| {
                let fits = *member == expected;
                for (value, range) in expected.iter_mut().zip(&ranges).rev() {
                    if *value < range.hi {
                        *value += 1;
                        break;
                    }
                    *value = range.lo;
                }
                fits
            });
        if is_whole {
            groups.push((at, (name, ranges)));
        }
    }
    groups
}

fn array(lo: i32, len: u32, element: Type) -> Type {
    let stride = element.layout();
    Type::Array(Rc::new(ArrayType { lo, len, scalar: None, element, stride }))
}

/// The type of a variable, as declarations have it.
fn typed(ty: &model::Type) -> Option<Type> {
    Some(match ty {
        model::Type::Int(range) => Type::Int(*range),
        model::Type::Bool => Type::Bool,
        model::Type::Double => Type::Double,
        model::Type::Clock => return None,
        model::Type::Scalar { size } => Type::Scalar(ScalarSet { id: u32::MAX, size: *size }),
        model::Type::Array { lo, len, element } => array(*lo, *len, typed(element)?),
        model::Type::Struct(fields) => {
            let fields: Option<Vec<_>> =
                fields.iter().map(|it| Some((it.name.clone(), typed(&it.ty)?))).collect();
            let fields = fields?;
            let parts = fields.len() as u32;
            Type::Struct(Rc::new(StructType { fields, parts }))
        }
    })
}
