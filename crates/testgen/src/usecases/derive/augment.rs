//! Edges of requirement automata that ask which scenario has just ended.
//!
//! When `scenario!` is sent, the scenario has made its changes already. An edge was drawn as if it came before them, so:
//! - A constant that a scenario sets needs no comparison. A value that the scenario or the edge computes is compared: the edge fires if the variable has become
//!   what the edge would have made of it. Neither is set again: the variable has the value, and an automaton that writes nothing which others read can
//!   be left out where the others are looked at.
//! - Guards and computed values read what variables held before the scenario. The scenario remembers that in a variable of its own.
//!
//! What can not be put so is an error: a function that may read what has changed, and an invariant of a location that does.

use std::collections::BTreeMap;

use punctual_model::{
    BinaryOp, ChannelId, Condition, Edge, EdgeId, Expr, IdVec, Indexed, ProcessId, ScenarioId,
    Sync, VariableId,
    usecases::{EventEdge, Ground, Update},
};

use super::{
    Problem,
    build::{Maker, Var, binary, equals, set},
    exact::number,
    order::{is_same, reads, replace},
    settle::place_of_sentence,
};
use crate::usecases::link::{
    about,
    events::{is_plain, parts},
};

/// The variables that remember values from before a scenario.
type Olds = BTreeMap<VariableId, Var>;

impl Maker<'_> {
    /// Lets linked edges wait for the end of their scenarios.
    pub(super) fn augment(
        &mut self,
        ended: &Var,
        over: ChannelId,
        automata: &IdVec<ScenarioId, ProcessId>,
        problems: &mut Vec<Problem>,
    ) {
        let links = self.links;
        let mut olds = Olds::new();
        for (event, by) in links.linked() {
            let before = self.edge_before(event, by, automata, &mut olds, problems);
            let computed = event.updates.iter().filter(|it| it.to.as_int().is_none());
            let same: Vec<Expr> =
                computed.filter_map(|it| self.compared(event, it, &before)).collect();
            let is_it = |id: &ScenarioId| {
                let is_last = equals(&ended.place, number(*id));
                let values = self.computed_by(*id, event).into_iter();
                values.fold(is_last, |all, it| binary(BinaryOp::And, all, it))
            };
            let any = by.iter().map(is_it).reduce(|a, b| binary(BinaryOp::Or, a, b));
            let vars: Vec<Var> =
                event.updates.iter().filter_map(|it| self.updated(it).cloned()).collect();
            let edge = &mut self.network.processes[event.process].edges[event.edge];
            let old = |expr: &mut Expr| {
                before.iter().for_each(|(var, old)| replace(expr, &var.place, &old.place));
            };
            edge.guard.data.iter_mut().for_each(old);
            for it in &mut edge.guard.clocks {
                old(&mut it.bound);
                it.when.iter_mut().for_each(old);
            }
            edge.sync = Sync::Receive(Indexed::fixed(over));
            edge.guard.data.extend(any);
            edge.guard.data.extend(same);
            if !vars.is_empty() {
                without(edge, &vars);
            }
        }
        self.refuse_invariants(problems);
    }

    /// The variable that an update sets.
    fn updated(&self, update: &Update) -> Option<&Var> {
        self.state.get(update.state? as usize)?.as_ref()
    }

    /// The variables that a scenario changes.
    fn changed_by(&self, id: ScenarioId) -> Vec<(Var, Option<punctual_model::SentenceId>)> {
        let scenario = &self.scenarios.scenarios[id];
        let var = |it: &punctual_model::usecases::Set| {
            Some((self.var(scenario, it.slot).ok()?, it.because.first().copied()))
        };
        scenario.sets.iter().filter_map(var).collect()
    }

    /// Whether a scenario has made a constant of an edge, where the scenario computes the value.
    fn computed_by(&self, id: ScenarioId, event: &EventEdge) -> Vec<Expr> {
        let scenario = &self.scenarios.scenarios[id];
        let is_computed = |update: &Update| {
            let kept = update.state.and_then(|at| self.links.state.get(at as usize));
            scenario.sets.iter().any(|it| {
                let key = about::key(scenario, it.slot);
                let is_it = kept.is_some_and(|it| (it.class, it.number, it.attribute) == key);
                is_it && !matches!(it.to, Ground::Constant(_))
            })
        };
        let updates = event.updates.iter().filter(|it| is_computed(it));
        updates.filter_map(|it| Some(equals(&self.updated(it)?.place, it.to.as_int()?))).collect()
    }

    /// Whether a variable has become what an edge computes.
    fn compared(&self, event: &EventEdge, update: &Update, before: &[(Var, Var)]) -> Option<Expr> {
        let var = self.updated(update)?;
        let mut to = update.to.clone();
        // What an earlier update of the edge has set has that value already.
        let earlier = event.updates.iter().take_while(|it| it.name != update.name);
        let earlier: Vec<&Var> = earlier.filter_map(|it| self.updated(it)).collect();
        for (of, old) in before {
            if !earlier.iter().any(|it| is_same(&it.place, &of.place)) {
                replace(&mut to, &of.place, &old.place);
            }
        }
        Some(binary(BinaryOp::Equal, Expr::Load(var.place.clone()), to))
    }

    /// The variables that an edge reads and one of its scenarios changes, with those that hold what was before.
    fn edge_before(
        &mut self,
        event: &EventEdge,
        by: &[ScenarioId],
        automata: &IdVec<ScenarioId, ProcessId>,
        olds: &mut Olds,
        problems: &mut Vec<Problem>,
    ) -> Vec<(Var, Var)> {
        let edge = self.network.processes[event.process].edges[event.edge].clone();
        let mut before: Vec<(Var, Var)> = Vec::new();
        for &id in by {
            for (var, sentence) in self.changed_by(id) {
                let is_read = match reading(&edge, event, &var) {
                    Reading::No => false,
                    Reading::Plain => true,
                    Reading::Unclear => {
                        let process = &self.network.processes[event.process].name;
                        let name = &self.network.variables[var.variable].name;
                        let message = format!(
                            "scenario `{}` changes `{name}`, and an edge of `{process}` that it fires may read it in a function, a sum or a new value of a clock",
                            self.scenarios.scenarios[id].name
                        );
                        let place = place_of_sentence(self.all, sentence);
                        problems.push(Problem { message, place });
                        false
                    }
                };
                if is_read && !before.iter().any(|(it, _)| is_same(&it.place, &var.place)) {
                    let old = match olds.get(&var.variable) {
                        Some(old) => old.clone(),
                        None => self.old(&var),
                    };
                    olds.insert(var.variable, old.clone());
                    before.push((var, old));
                }
            }
        }
        // All scenarios of the edge remember, also those that change something else.
        for id in by {
            let edges = &mut self.network.processes[automata[*id]].edges;
            for (var, old) in &before {
                let save = set(&old.place, Expr::Load(var.place.clone()));
                let forget = set(&old.place, Expr::Int(old.initial));
                let ids: Vec<EdgeId> = edges.ids().collect();
                if let [first, last] = ids[..]
                    && !edges[first].update.contains(&save)
                {
                    edges[first].update.insert(0, save);
                    edges[last].update.push(forget);
                }
            }
        }
        before
    }

    /// An invariant of a location holds while a scenario runs, too, though its automaton has not followed yet.
    fn refuse_invariants(&self, problems: &mut Vec<Problem>) {
        for (id, scenario) in self.scenarios.scenarios.enumerate() {
            for (var, sentence) in self.changed_by(id) {
                for process in &self.network.processes {
                    let mut locations = process.locations.iter();
                    let at = locations.find(|it| asks(&it.invariant, &|it| reads(it, &var.place)));
                    let Some(at) = at else { continue };
                    let name = &self.network.variables[var.variable].name;
                    let message = format!(
                        "scenario `{}` changes `{name}`, which the invariant of `{}.{}` reads",
                        scenario.name, process.name, at.name
                    );
                    let place = place_of_sentence(self.all, sentence);
                    problems.push(Problem { message, place });
                }
            }
        }
    }
}

/// How an edge reads a variable.
enum Reading {
    No,
    /// Within operators.
    Plain,
    /// Perhaps, in a way that nothing can be put into.
    Unclear,
}

fn reading(edge: &Edge, event: &EventEdge, var: &Var) -> Reading {
    let may_read = |expr: &Expr| {
        let mut found = reads(expr, &var.place);
        expr.walk(&mut |it| found |= matches!(it, Expr::Call { .. }));
        found
    };
    let of_clocks = parts(edge).into_iter().any(|it| match it {
        Expr::SetClock { value, .. } => may_read(value),
        _ => false,
    });
    let is_unclear = of_clocks || asks(&edge.guard, &|it| may_read(it) && !is_plain(it));
    let is_read =
        asks(&edge.guard, &may_read) || event.updates.iter().any(|it| reads(&it.to, &var.place));
    match (is_unclear, is_read) {
        (true, _) => Reading::Unclear,
        (false, true) => Reading::Plain,
        (false, false) => Reading::No,
    }
}

/// Whether a condition has an expression of some kind.
fn asks(condition: &Condition, is_it: &dyn Fn(&Expr) -> bool) -> bool {
    let of_clocks = condition.clocks.iter().any(|it| {
        let indices = it.clocks().flat_map(|it| it.indices.iter().map(|it| &it.value));
        is_it(&it.bound) || it.when.iter().any(is_it) || indices.into_iter().any(is_it)
    });
    of_clocks || condition.data.iter().any(is_it)
}

/// An edge does not set variables that its scenario has set.
fn without(edge: &mut Edge, vars: &[Var]) {
    let kept: Vec<Expr> = parts(edge)
        .into_iter()
        .filter(|it| match it {
            Expr::Assign { target, .. } => !vars.iter().any(|var| is_same(target, &var.place)),
            _ => true,
        })
        .cloned()
        .collect();
    edge.branches.iter_mut().for_each(|it| it.update.clear());
    edge.update = kept;
}
