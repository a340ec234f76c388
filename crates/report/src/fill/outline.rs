//! From a model to the view of what is in it.

use punctual_lang::{Model, convert::print::Printer, diagnostic::closest};
use punctual_model::{
    Analysis, LocationKind, Memory, Network, ProcessId, Range, Storage, Type, Variable,
};

use crate::view::outline as view;

/// How many elements of an array are shown.
const ELEMENTS_MAX: usize = 8;

/// The processes with these names, or of templates with these names.
///
/// # Errors
/// If there is none with one of the names.
pub fn processes(network: &Network, names: &[String]) -> Result<Vec<ProcessId>, String> {
    let mut found = Vec::new();
    for name in names {
        let wanted = name.replace(' ', "");
        let before = found.len();
        let all = network.processes.enumerate();
        let is_wanted = |it: &punctual_model::Process| it.name == wanted || it.template == wanted;
        found.extend(all.filter(|(_, process)| is_wanted(process)).map(|(id, _)| id));
        if found.len() == before {
            let all = network.processes.iter();
            let names = all.flat_map(|it| [it.name.as_str(), it.template.as_str()]);
            let hint = closest(&wanted, names)
                .map_or(String::new(), |name| format!("; did you mean `{name}`?"));
            return Err(format!("there is no process `{name}`{hint}"));
        }
    }
    Ok(found)
}

/// The outline of a model; processes named in `detailed` with their content.
#[must_use]
pub fn outline(file: &str, model: &Model, detailed: &[ProcessId]) -> view::Outline {
    let network = &model.network;
    // Constants are for expressions; a summary of what can change leaves them out.
    let variables =
        network.variables.iter().filter(|variable| variable.storage != Storage::Constant);
    let templates = model.document.as_ref().map_or(0, |document| document.templates.len());
    view::Outline {
        file: file.to_owned(),
        format: model.format.name().to_owned(),
        totals: view::Totals {
            templates,
            processes: network.processes.len(),
            locations: network.processes.iter().map(|process| process.locations.len()).sum(),
            edges: network.processes.iter().map(|process| process.edges.len()).sum(),
            clocks: network.clocks.len(),
            variables: variables.clone().count(),
            channels: network.channels.len(),
            functions: network.functions.len(),
            queries: model.queries.len(),
            integers: network.initial.ints.len(),
            doubles: network.initial.doubles.len(),
        },
        processes: network
            .processes
            .enumerate()
            .map(|(id, process)| view::Process {
                name: process.name.clone(),
                template: process.template.clone(),
                locations: process.locations.len(),
                edges: process.edges.len(),
                priority: process.priority,
                detail: detailed.contains(&id).then(|| detail(network, id)),
            })
            .collect(),
        clocks: network
            .clocks
            .iter()
            .map(|clock| view::Clock {
                name: clock.name.clone(),
                hybrid: clock.hybrid,
                initial: clock.initial,
            })
            .collect(),
        variables: variables.map(|variable| self::variable(network, variable)).collect(),
        channels: network
            .channels
            .iter()
            .map(|channel| view::Channel {
                name: channel.name.clone(),
                broadcast: channel.broadcast,
                urgent: channel.urgent,
                priority: channel.priority,
            })
            .collect(),
        sync_vectors: sync_vectors(network),
        functions: network.functions.iter().map(|function| function.name.clone()).collect(),
        queries: model
            .queries
            .iter()
            .map(|query| view::Query {
                text: query.text.clone(),
                comment: query.comment.clone(),
                problem: query
                    .diagnostics
                    .iter()
                    .find(|diagnostic| diagnostic.is_error())
                    .map(|diagnostic| diagnostic.message.clone()),
            })
            .collect(),
        obstacles: network
            .obstacles()
            .into_iter()
            .map(|obstacle| view::Obstacle {
                analysis: match obstacle.analysis {
                    Analysis::Symbolic => "symbolic".to_owned(),
                    Analysis::Statistical => "statistical".to_owned(),
                },
                construct: obstacle.construct.to_owned(),
                place: obstacle.place,
            })
            .collect(),
        stopwatches: network.has_stopwatches(),
    }
}

fn detail(network: &Network, id: ProcessId) -> view::Detail {
    let process = &network.processes[id];
    let printer = Printer::within(network, id);
    let name = |id| process.locations[id].name.clone();
    let locations = process
        .locations
        .enumerate()
        .map(|(id, location)| view::Location {
            name: location.name.clone(),
            initial: process.initial.contains(&id),
            kind: match location.kind {
                LocationKind::Normal => "normal",
                LocationKind::Urgent => "urgent",
                LocationKind::Committed => "committed",
            }
            .to_owned(),
            invariant: printer.invariant(location),
            rate: printer.exponential_rate(location),
            labels: location.labels.clone(),
        })
        .collect();
    let edges = process
        .edges
        .iter()
        .map(|edge| {
            let printer = printer.for_edge(edge);
            view::Edge {
                source: name(edge.source),
                select: printer.selects(edge),
                guard: printer.condition(&edge.guard),
                sync: printer.sync(&edge.sync),
                update: printer.update(&edge.update),
                branches: edge
                    .branches
                    .iter()
                    .map(|branch| view::Branch {
                        target: name(branch.target),
                        weight: branch
                            .weight
                            .as_ref()
                            .map_or_else(String::new, |weight| printer.expr(weight)),
                        update: printer.update(&branch.update),
                    })
                    .collect(),
            }
        })
        .collect();
    view::Detail { locations, edges }
}

fn sync_vectors(network: &Network) -> Vec<String> {
    network
        .sync_vectors
        .iter()
        .map(|vector| {
            let participants: Vec<String> = vector
                .participants
                .iter()
                .map(|participant| {
                    let process = &network.processes[participant.process].name;
                    let event = &network.events[participant.event];
                    let weak = if participant.weak { "?" } else { "" };
                    format!("{process}@{event}{weak}")
                })
                .collect();
            participants.join(" : ")
        })
        .collect()
}

fn variable(network: &Network, variable: &Variable) -> view::Variable {
    let memory = match variable.storage {
        Storage::Meta => &network.meta,
        Storage::Constant => &network.constants,
        _ => &network.initial,
    };
    let mut slots =
        Slots { memory, int: variable.ints as usize, double: variable.doubles as usize };
    let size = size(&variable.ty);
    view::Variable {
        name: variable.name.clone(),
        ty: type_text(&variable.ty),
        size,
        meta: variable.storage == Storage::Meta,
        initial: slots.value(&variable.ty),
    }
}

fn size(ty: &Type) -> usize {
    match ty {
        Type::Array { len, element, .. } => *len as usize * size(element),
        Type::Struct(fields) => fields.iter().map(|field| size(&field.ty)).sum(),
        _ => 1,
    }
}

fn type_text(ty: &Type) -> String {
    let mut sizes = String::new();
    let mut element = ty;
    while let Type::Array { lo, len, element: inner } = element {
        let last = i64::from(*lo) + i64::from(*len) - 1;
        sizes += &if *lo == 0 { format!("[{len}]") } else { format!("[int[{lo},{last}]]") };
        element = inner;
    }
    let element = match element {
        Type::Int(range) if *range == Range::INT => "int".to_owned(),
        Type::Int(range) => format!("int[{},{}]", range.lo, range.hi),
        Type::Bool => "bool".to_owned(),
        Type::Double => "double".to_owned(),
        Type::Clock => "clock".to_owned(),
        Type::Scalar { size } => format!("scalar[{size}]"),
        Type::Struct(fields) => {
            let fields: Vec<String> = fields
                .iter()
                .map(|field| format!("{} {};", type_text(&field.ty), field.name))
                .collect();
            format!("struct {{ {} }}", fields.join(" "))
        }
        Type::Array { .. } => String::new(),
    };
    element + &sizes
}

/// Walks over the slots of a variable.
struct Slots<'n> {
    memory: &'n Memory,
    int: usize,
    double: usize,
}

impl Slots<'_> {
    fn value(&mut self, ty: &Type) -> String {
        match ty {
            Type::Double => {
                self.double += 1;
                self.memory.doubles.get(self.double - 1).map_or("?".into(), f64::to_string)
            }
            Type::Clock => "0".to_owned(),
            Type::Array { len, element, .. } => {
                let shown: Vec<String> =
                    (0..(*len as usize).min(ELEMENTS_MAX)).map(|_| self.value(element)).collect();
                let more = if *len as usize > ELEMENTS_MAX { ", …" } else { "" };
                // What is not shown is still walked over.
                let hidden = (*len as usize).saturating_sub(ELEMENTS_MAX);
                self.skip(element, hidden);
                format!("{{{}{more}}}", shown.join(", "))
            }
            Type::Struct(fields) => {
                let shown: Vec<String> = fields.iter().map(|field| self.value(&field.ty)).collect();
                format!("{{{}}}", shown.join(", "))
            }
            Type::Bool => {
                self.int += 1;
                let value = self.memory.ints.get(self.int - 1);
                value.map_or("?", |value| if *value == 0 { "false" } else { "true" }).to_owned()
            }
            Type::Int(_) | Type::Scalar { .. } => {
                self.int += 1;
                self.memory.ints.get(self.int - 1).map_or("?".into(), i32::to_string)
            }
        }
    }

    fn skip(&mut self, ty: &Type, count: usize) {
        match ty {
            Type::Double => self.double += count,
            Type::Clock => {}
            Type::Array { len, element, .. } => self.skip(element, count * *len as usize),
            Type::Struct(fields) => fields.iter().for_each(|field| self.skip(&field.ty, count)),
            Type::Int(_) | Type::Bool | Type::Scalar { .. } => self.int += count,
        }
    }
}
