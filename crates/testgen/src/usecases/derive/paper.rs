//! Scenarios as the TAUC paper draws them: Figures 7 and 3-b.

use punctual_model::{
    Expr, Id, IdVec, Indexed, LocationId, LocationKind, Sync,
    usecases::{AssignmentKind, Scenario},
};

use super::{
    Problem,
    build::{Maker, at_least, edge, equals, reset, set},
    exact::Automata,
    settle::place_of_sentence,
};
use crate::usecases::link::about;

impl Maker<'_> {
    /// The automata of scenarios, and edges that ask whether an output has its value.
    pub(super) fn paper(&mut self, problems: &mut Vec<Problem>) -> Automata {
        let scenarios = self.scenarios;
        let scenario_name = self.name("scenario");
        let over = self.channel(scenario_name, true);
        let (mut automata, mut starts) = (IdVec::new(), IdVec::new());
        let period = self.all.settings.period.map_or(0, |it| i32::try_from(it).unwrap_or(i32::MAX));
        for scenario in &scenarios.scenarios {
            let name = self.automaton_name(scenario);
            let kind = LocationKind::Normal;
            let process = self.process(name.clone(), &[("Start", kind), ("Running", kind)]);
            let clock = self.clock(process, &name, "x");
            let [from, to] = [0, 1].map(LocationId::from_index);
            let mut first = edge(from, to, Sync::Internal);
            let states = self.assigned(scenario, AssignmentKind::State, problems);
            first.guard.data =
                states.iter().map(|(var, value)| equals(&var.place, *value)).collect();
            let outputs = self.assigned(scenario, AssignmentKind::Output, problems);
            let output =
                |(var, value): &(super::build::Var, i32)| set(&var.place, Expr::Int(*value));
            first.update = outputs.iter().map(output).collect();
            first.update.push(reset(clock));
            let mut last = edge(to, from, Sync::Send(Indexed::fixed(over)));
            last.guard.clocks.push(at_least(clock, period));
            let edges = &mut self.network.processes[process].edges;
            edges.push(first);
            edges.push(last);
            automata.push(process);
            starts.push(None);
        }
        for (event, _) in self.links.linked() {
            if event.updates.iter().any(|it| it.to.as_int().is_none()) {
                let process = &self.network.processes[event.process].name;
                let message = format!(
                    "an edge of `{process}` computes what it sets: the paper has constants only"
                );
                problems.push(Problem { message, place: None });
            }
            let updates = event.updates.iter().filter_map(|update| {
                let var = self.state.get(update.state? as usize)?.as_ref()?;
                Some(equals(&var.place, update.to.as_int()?))
            });
            let updates: Vec<Expr> = updates.collect();
            let edge = &mut self.network.processes[event.process].edges[event.edge];
            edge.sync = Sync::Receive(Indexed::fixed(over));
            edge.guard.data.extend(updates);
        }
        (automata, starts)
    }

    /// The variables and integers of assignments of a kind.
    fn assigned(
        &self,
        scenario: &Scenario,
        kind: AssignmentKind,
        problems: &mut Vec<Problem>,
    ) -> Vec<(super::build::Var, i32)> {
        let mut found = Vec::new();
        for it in scenario.assigned(kind) {
            let var = self.var(scenario, it.slot).and_then(|var| {
                let value = about::integer(it.value, var.scale);
                let value = value.filter(|value| var.place.range.contains(*value));
                let value = value.ok_or_else(|| format!("`{}` has no room for its value", it.name));
                Ok((var, value?))
            });
            match var {
                Ok(it) => found.push(it),
                Err(why) if why.is_empty() => {}
                Err(why) => {
                    let place = place_of_sentence(self.all, it.because.first().copied());
                    let message = format!("an assignment of scenario `{}`: {why}", scenario.name);
                    problems.push(Problem { message, place });
                }
            }
        }
        found
    }
}
