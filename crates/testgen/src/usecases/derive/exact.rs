//! Scenarios that the tester starts, one after the other.

use punctual_model::{
    BinaryOp, ChannelId, Expr, Id, IdVec, Indexed, LocationId, LocationKind, ProcessId, Range,
    ScenarioId, Sync, Type,
    usecases::{Keeper, Scenario, Slot},
};

use super::{
    Problem,
    build::{Maker, Var, at_least, binary, edge, reset, set},
    given::Given,
    order::Change,
    settle::{place_of, place_of_sentence},
    terms::Terms,
};
use crate::usecases::link::about;

/// What starts each scenario, and its automaton.
pub(super) type Automata = (IdVec<ScenarioId, ProcessId>, IdVec<ScenarioId, Option<ChannelId>>);

const START: usize = 0;
const RUNNING: usize = 1;

impl Maker<'_> {
    /// The automata of scenarios, the one that starts them, and edges that ask which scenario has ended.
    pub(super) fn exact(&mut self, given: &Given, problems: &mut Vec<Problem>) -> Automata {
        let scenarios = self.scenarios;
        let n_scenarios = scenarios.scenarios.len() as i32;
        let ended = Type::Int(Range { lo: 0, hi: n_scenarios });
        let ended = self.variable("ended", ended, 0, 1);
        let scenario_name = self.name("scenario");
        let over = self.channel(scenario_name, true);
        let (mut automata, mut starts) = (IdVec::new(), IdVec::new());
        for (id, scenario) in scenarios.scenarios.enumerate() {
            // Nobody else has the name of a scenario, unless the network had it before.
            let taken = self.network.channels.iter().any(|it| it.name == scenario.name)
                || self.network.variables.iter().any(|it| it.name == scenario.name)
                || self.network.processes.iter().any(|it| it.name == scenario.name);
            let name = if taken { self.name(&scenario.name) } else { scenario.name.clone() };
            let start = self.channel(name, false);
            let process = self.automaton_name(scenario);
            let locations = [("Start", LocationKind::Normal), ("Running", LocationKind::Committed)];
            let process = self.process(process, &locations);
            let [from, to] = [START, RUNNING].map(LocationId::from_index);
            let mut first = edge(from, to, Sync::Receive(Indexed::fixed(start)));
            let (guard, changes) = self.meaning(scenario, problems);
            first.guard.data = guard;
            first.update = self.at_once(changes);
            first.update.push(set(&ended.place, Expr::Int(number(id))));
            let mut last = edge(to, from, Sync::Send(Indexed::fixed(over)));
            last.update.push(set(&ended.place, Expr::Int(0)));
            for gift in &given.of[id] {
                last.update.push(set(&gift.var.place, Expr::Int(gift.var.initial)));
            }
            let edges = &mut self.network.processes[process].edges;
            edges.push(first);
            edges.push(last);
            automata.push(process);
            starts.push(Some(start));
        }
        self.tester(given, &starts);
        self.augment(&ended, over, &automata, problems);
        (automata, starts)
    }

    /// The name of a scenario's automaton.
    pub(super) fn automaton_name(&mut self, scenario: &Scenario) -> String {
        self.name(&format!("Scenario_{}", scenario.name))
    }

    /// The variable of a slot; nothing is said of one that could not be made, which was told before.
    pub(super) fn var(&self, scenario: &Scenario, slot: Slot) -> Result<Var, String> {
        let (class, number, attribute) = about::key(scenario, slot);
        let at = self.links.kept(class, number, attribute);
        let var = at.and_then(|at| self.state.get(at)?.clone());
        var.ok_or_else(|| {
            let was_told = at.is_some_and(|at| self.links.state[at].keeper != Keeper::Tester);
            let object = &scenario.diagram.objects[slot.object].name;
            let attribute = &self.all.domain.attributes[attribute].name;
            if was_told { String::new() } else { format!("nobody keeps `{object}.{attribute}`") }
        })
    }

    /// When a scenario can be taken, and what it changes.
    fn meaning(
        &self,
        scenario: &Scenario,
        problems: &mut Vec<Problem>,
    ) -> (Vec<Expr>, Vec<Change>) {
        let var = |slot: Slot| self.var(scenario, slot);
        let terms = Terms { var: &var };
        let mut wrong = |what: &str, why: String, place| {
            if why.is_empty() {
                return;
            }
            let message = format!("{what} of scenario `{}`: {why}", scenario.name);
            problems.push(Problem { message, place });
        };
        let (mut guard, mut changes) = (Vec::new(), Vec::new());
        for need in &scenario.needs {
            match terms.truth(&need.condition) {
                Ok(expr) => guard.push(expr),
                Err(why) => wrong("a condition", why, place_of(self.all, need)),
            }
        }
        // An input that nobody asks for later is not kept.
        let is_kept = |slot: Slot| {
            let (class, number, attribute) = about::key(scenario, slot);
            self.links.kept(class, number, attribute).is_some()
        };
        for it in scenario.sets.iter().filter(|it| is_kept(it.slot)) {
            let place = place_of_sentence(self.all, it.because.first().copied());
            let target = match var(it.slot) {
                Ok(target) => target,
                Err(why) => {
                    wrong("a change", why, place);
                    continue;
                }
            };
            let to = match terms.number(&it.to).and_then(|to| to.in_parts(target.scale)) {
                Ok(to) => to,
                Err(why) => {
                    wrong("a change", why, place);
                    continue;
                }
            };
            let Range { lo, hi } = target.place.range;
            let (is_below, is_above) = (to.least < lo.into(), to.greatest > hi.into());
            if to.expr.as_int().is_some() && (is_below || is_above) {
                let name = &self.network.variables[target.variable].name;
                wrong("a change", format!("`{name}` has no room for the value"), place);
                continue;
            }
            // A scenario that would leave the range of a variable can not be taken.
            if is_below {
                guard.push(binary(BinaryOp::GreaterEqual, to.expr.clone(), Expr::Int(lo)));
            }
            if is_above {
                guard.push(binary(BinaryOp::LessEqual, to.expr.clone(), Expr::Int(hi)));
            }
            changes.push(Change { var: target, to: to.expr });
        }
        (guard, changes)
    }

    /// The process that starts scenarios: any of them at first, and any of them a period later.
    fn tester(&mut self, given: &Given, starts: &IdVec<ScenarioId, Option<ChannelId>>) {
        let name = self.name("Scenarios");
        let period = self.all.settings.period.map(|it| i32::try_from(it).unwrap_or(i32::MAX));
        let normal = LocationKind::Normal;
        let process = match period {
            Some(_) => self.process(name.clone(), &[("First", normal), ("Later", normal)]),
            None => self.process(name.clone(), &[("Any", normal)]),
        };
        let since = period.map(|period| (self.clock(process, &name, "since"), period));
        let (first, later) = (LocationId::from_index(0), LocationId::from_index(1));
        let ways = match since {
            Some(_) => vec![(first, later), (later, later)],
            None => vec![(first, first)],
        };
        let edges = &mut self.network.processes[process].edges;
        for (source, target) in ways {
            for (id, start) in starts.enumerate() {
                let Some(start) = start else { continue };
                let mut edge = edge(source, target, Sync::Send(Indexed::fixed(*start)));
                for gift in &given.of[id] {
                    edge.update.push(set(&gift.var.place, Expr::Int(gift.value)));
                }
                if let Some((since, period)) = since {
                    if source == later {
                        edge.guard.clocks.push(at_least(since, period));
                    }
                    edge.update.push(reset(since));
                }
                edges.push(edge);
            }
        }
    }
}

/// The number that says which scenario has ended; 0 is none.
pub(super) fn number(id: ScenarioId) -> i32 {
    id.index() as i32 + 1
}
