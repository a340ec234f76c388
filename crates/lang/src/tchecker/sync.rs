//! Vectors of processes that move together.

use punctual_model::{EventId, Participant, ProcessId, Sync, SyncVector};
use rustc_hash::{FxHashMap, FxHashSet};

use super::{
    build::Builder,
    lines::{Declaration, Field, excerpt},
};
use crate::{Span, diagnostic::Diagnostic};

impl<'a> Builder<'a, '_> {
    pub(super) fn sync(&mut self, declaration: &'a Declaration<'a>) {
        let mut participants: Vec<Participant> = Vec::new();
        let mut known = FxHashSet::default();
        let mut good = true;
        for field in &declaration.fields {
            let Some((process, event)) = field.text.split_once('@') else {
                self.diagnostics.push(
                    Diagnostic::error(
                        "tchecker::syntax",
                        field.span,
                        match field.text {
                            "" => "expected `process@event`".to_owned(),
                            text => format!("expected `process@event`, found `{}`", excerpt(text)),
                        },
                    )
                    .help("a participant that may be missing is written `process@event?`"),
                );
                good = false;
                continue;
            };
            let (event, weak) = match event.trim_end().strip_suffix('?') {
                Some(event) => (event, true),
                None => (event, false),
            };
            let part = |text: &'a str| {
                let start = text.as_ptr() as usize - field.text.as_ptr() as usize;
                let start =
                    start + (text.len() - text.trim_start().len()) + field.span.start as usize;
                Field { text: text.trim(), span: Span::new(start, start + text.trim().len()) }
            };
            let (process, event) = (self.find_process(part(process)), self.find_event(part(event)));
            let (Some(process), Some(event)) = (process, event) else {
                good = false;
                continue;
            };
            if !known.insert(process) {
                self.diagnostics.push(Diagnostic::error(
                    "tchecker::sync",
                    field.span,
                    format!(
                        "process `{}` takes part twice in a synchronisation",
                        self.network.processes[process].name
                    ),
                ));
                good = false;
            }
            participants.push(Participant { process, event, weak });
        }
        if participants.is_empty() || !good {
            if declaration.fields.is_empty() {
                self.diagnostics.push(
                    Diagnostic::error("tchecker::syntax", declaration.span, "nobody synchronises")
                        .help("write `sync:process@event:process@event`"),
                );
            }
            return;
        }
        if participants.len() == 1 {
            self.diagnostics.push(
                Diagnostic::warning(
                    "tchecker::sync",
                    declaration.span,
                    "only one process takes part in this synchronisation",
                )
                .help("an event in no synchronisation already happens alone; leave this line out"),
            );
        }
        let mut key: Vec<_> = participants.iter().map(|p| (p.process, p.event, p.weak)).collect();
        key.sort_unstable();
        if let Some(first) = self.vector_spans.get(&key) {
            self.diagnostics.push(
                Diagnostic::error(
                    "tchecker::duplicate",
                    declaration.span,
                    "this synchronisation is declared already",
                )
                .also(*first, "first declared here"),
            );
            return;
        }
        self.network.sync_vectors.push(SyncVector { participants });
        self.vectors.push(declaration.span);
        self.vector_spans.insert(key, declaration.span);
    }

    /// Edges of events that synchronise weakly must not have guards, as in TChecker.
    pub(super) fn weak_guards(&mut self) {
        use punctual_model::Id as _;
        let mut weak: FxHashMap<(ProcessId, EventId), Span> = FxHashMap::default();
        for (vector, span) in self.network.sync_vectors.iter().zip(&self.vectors) {
            for participant in vector.participants.iter().filter(|p| p.weak) {
                weak.entry((participant.process, participant.event)).or_insert(*span);
            }
        }
        for (id, process) in self.network.processes.enumerate() {
            for edge in &process.edges {
                let constant = edge.guard.clocks.is_empty()
                    && edge.guard.data.iter().all(|data| data.as_int().is_some());
                let Sync::Event(event) = edge.sync else { continue };
                let Some(vector) = weak.get(&(id, event)).filter(|_| !constant) else { continue };
                let source = &process.locations[edge.source].name;
                let target = &process.locations[edge.branches[0].target].name;
                let locations = &self.locations[id.index()];
                let diagnostic = Diagnostic::error(
                    "tchecker::weak_guard",
                    *vector,
                    format!(
                        "event `{}` of process `{}` synchronises weakly, but its edge {source} → \
                         {target} has a guard",
                        self.network.events[event], process.name,
                    ),
                )
                .also(locations[source].1, "the edge leaves this location")
                .help("drop the guard, or make the participant strong (without `?`)");
                self.diagnostics.push(diagnostic);
            }
        }
    }
}
