//! `model.xml`: requirement and environment automata.
//!
//! An automaton that waits for scenarios should belong to a class, and its variables to attributes of that class; what does not is told. Environment automata need no
//! class.

use punctual_model::{ChannelRef, Id, Network, Process, Storage, Sync, usecases::Domain};

use super::{
    lints,
    names::Lexicon,
    sources::{Context, Reader},
};
use crate::{Span, diagnostic::Diagnostics, document::Document, model::read_file};

/// The automata of a file.
pub(super) fn read(
    reader: &mut Reader,
    context: &Context,
    (lexicon, domain): (&Lexicon, &Domain),
) -> Option<Network> {
    let model = read_file(&reader.file, &[], &mut reader.diagnostics)?;
    let (network, diagnostics) = (model.network, &mut reader.diagnostics);
    let is_sent = sent(&network);
    for (id, process) in network.processes.enumerate() {
        let waits = process.edges.iter().any(|edge| match &edge.sync {
            Sync::Receive(channel) => !elements(channel).any(|at| is_sent[at]),
            _ => false,
        });
        if !waits {
            continue;
        }
        let span = template(model.document.as_ref(), process);
        let names = [process.name.as_str(), process.template.as_str()];
        let class = names.iter().find_map(|name| lexicon.class_meant(name, domain));
        let Some(class) = class else {
            let message = match names[0] == names[1] {
                true => format!("no class is called `{}`", names[0]),
                false => format!("no class is called `{}` or `{}`", names[0], names[1]),
            };
            let near = context.hints.closest(names[0], lexicon.class_names());
            let help = near.map(|it| format!("did you mean `{it}`?"));
            let help = help.unwrap_or_else(|| {
                "an automaton that waits for scenarios has the name of a class of the domain model"
                    .to_owned()
            });
            context.lint(diagnostics, &lints::AUTOMATON, span, message, &help);
            continue;
        };
        let own = network.variables.iter().filter(|it| it.owner == Some(id));
        for variable in own.filter(|it| it.storage == Storage::State) {
            let name = variable.name.strip_prefix(process.name.as_str());
            let name = name.and_then(|it| it.strip_prefix('.')).unwrap_or(&variable.name);
            if lexicon.feature(class, name).is_none() {
                let class = &domain.classes[class].name;
                let message = format!("the class `{class}` has no attribute `{name}`");
                let help = "scenarios can not speak of it";
                lint(context, diagnostics, span, message, help);
            }
        }
    }
    Some(network)
}

fn lint(context: &Context, to: &mut Diagnostics, span: Span, message: String, help: &str) {
    context.lint(to, &lints::AUTOMATON, span, message, help);
}

/// Which channels some edge sends.
fn sent(network: &Network) -> Vec<bool> {
    let mut sent = vec![false; network.channels.len()];
    for edge in network.processes.iter().flat_map(|it| it.edges.iter()) {
        if let Sync::Send(channel) | Sync::Csp(channel) = &edge.sync {
            elements(channel).for_each(|at| sent[at] = true);
        }
    }
    sent
}

/// The positions of the channels that a reference may mean.
fn elements(channel: &ChannelRef) -> impl Iterator<Item = usize> + use<> {
    let mut found = vec![channel.base.index()];
    for index in &channel.indices {
        let steps = (0..index.len).map(|it| it as usize * index.stride as usize);
        let steps: Vec<usize> = steps.collect();
        found = found.iter().flat_map(|base| steps.iter().map(move |it| base + it)).collect();
    }
    found.into_iter()
}

/// Where the name of a process's template stands.
fn template(document: Option<&Document>, process: &Process) -> Span {
    let templates = document.map_or(&[][..], |it| &it.templates);
    let found = templates.iter().find(|it| it.name.text.trim() == process.template);
    found.map(|it| it.name.span).unwrap_or_default()
}
