//! From a run of the checker to the view of it: ids become names.

use std::{cell::RefCell, collections::BTreeMap};

use punctual_lang::convert::Printer;
use punctual_mc as mc;
use punctual_model::{ChannelId, EdgeId, Id, LocationId, Network, ProcessId, Storage, Sync, Type};
use punctual_semantics::Rational;
use punctual_smc as smc;

use crate::view::trace as view;

/// The names of everything that a state is made of.
pub struct Names<'n> {
    network: &'n Network,
    /// For each integer of the state, the variable or the element of a variable that it is.
    slots: Vec<Option<Slot>>,
    /// The guards and updates of the edges that were shown: a long run repeats them.
    labels: RefCell<BTreeMap<(ProcessId, EdgeId, usize), Labels>>,
}

/// The guard and the update of an edge.
type Labels = (String, String);

struct Slot {
    name: String,
    truth: bool,
}

impl<'n> Names<'n> {
    /// The names of a network.
    #[must_use]
    pub fn new(network: &'n Network) -> Self {
        let mut slots: Vec<Option<Slot>> = network.initial.ints.iter().map(|_| None).collect();
        for variable in network.variables.iter().filter(|v| v.storage == Storage::State) {
            let mut next = variable.ints as usize;
            name_slots(&variable.ty, variable.name.clone(), &mut next, &mut slots);
        }
        Self { network, slots, labels: RefCell::default() }
    }

    /// A run; `ending` replaces how the run says that it ends.
    #[must_use]
    pub fn trace(&self, trace: &mc::Trace, ending: Option<view::Ending>) -> view::Trace {
        let mut time = Some(Rational::ZERO);
        let mut before = &trace.start;
        let mut steps = Vec::with_capacity(trace.steps.len());
        for step in &trace.steps {
            time = time.zip(step.delay).map(|(time, delay)| time + delay);
            steps.push(view::Step {
                delay: step.delay.map(number),
                time: time.map(number),
                moves: self.moves(&step.moves, step.channel),
                changes: self.changes(before, &step.state),
                state: self.state(&step.state),
            });
            before = &step.state;
        }
        let own = match trace.ending {
            mc::Ending::Goal => view::Ending::Goal,
            mc::Ending::Deadlock => view::Ending::Deadlock,
            mc::Ending::Divergence => view::Ending::Divergence,
            mc::Ending::Cycle { from } => view::Ending::Cycle { from },
        };
        view::Trace {
            start: self.state(&trace.start),
            steps,
            rest: trace.rest.map(number),
            duration: time.map(|time| number(time + trace.rest.unwrap_or(Rational::ZERO))),
            ending: ending.unwrap_or(own),
        }
    }

    /// A state.
    #[must_use]
    pub fn state(&self, state: &mc::State) -> view::State {
        let processes = self.network.processes.enumerate().zip(&state.locations);
        let slots = self.slots.iter().zip(&state.ints);
        view::State {
            locations: processes
                .map(|((id, process), location)| view::Located {
                    process: process.name.clone(),
                    location: self.location(id, *location),
                })
                .collect(),
            variables: slots
                .filter_map(|(slot, value)| slot.as_ref().map(|slot| (slot, *value)))
                .map(|(slot, value)| view::Variable {
                    name: slot.name.clone(),
                    value: slot.value(value),
                })
                .collect(),
            clocks: self
                .network
                .clocks
                .iter()
                .zip(&state.clocks)
                .map(|(clock, value)| view::Clock {
                    name: clock.name.clone(),
                    value: number(*value),
                })
                .collect(),
        }
    }

    /// A run by chance that can not go on.
    #[must_use]
    pub fn run(&self, error: &smc::RunError) -> view::Trace {
        let mut before = self.discrete(&error.start);
        let mut time = error.start.time;
        let mut steps = Vec::with_capacity(error.steps.len());
        for step in &error.steps {
            let after = self.discrete(&step.state);
            steps.push(view::Step {
                delay: Some(nearly(step.time - time)),
                time: Some(nearly(step.time)),
                moves: self.moves(&step.moves, step.channel),
                changes: self.changes(&before, &after),
                state: self.real_state(&step.state),
            });
            (before, time) = (after, step.time);
        }
        view::Trace {
            start: self.real_state(&error.start),
            steps,
            rest: Some(nearly(error.state.time - time)),
            duration: Some(nearly(error.state.time)),
            ending: view::Ending::Error,
        }
    }

    /// A state of a run by chance.
    #[must_use]
    pub fn real_state(&self, state: &smc::State) -> view::State {
        let clocks = self.network.clocks.iter().zip(&state.clocks);
        let clock = |(clock, value): (&punctual_model::Clock, &f64)| view::Clock {
            name: clock.name.clone(),
            value: nearly(*value),
        };
        view::State { clocks: clocks.map(clock).collect(), ..self.state(&self.discrete(state)) }
    }

    fn discrete(&self, state: &smc::State) -> mc::State {
        let (locations, ints) = state.ints.split_at(self.network.processes.len());
        let location = |&at: &i32| LocationId::from_index(at.unsigned_abs() as usize);
        mc::State {
            locations: locations.iter().map(location).collect(),
            ints: ints.to_vec(),
            clocks: Vec::new(),
        }
    }

    fn changes(&self, before: &mc::State, after: &mc::State) -> Vec<view::Change> {
        let values = before.ints.iter().zip(&after.ints);
        self.slots
            .iter()
            .zip(values)
            .filter(|(_, (before, after))| before != after)
            .filter_map(|(slot, values)| slot.as_ref().map(|slot| (slot, values)))
            .map(|(slot, (before, after))| view::Change {
                variable: slot.name.clone(),
                before: slot.value(*before),
                after: slot.value(*after),
            })
            .collect()
    }

    /// Who moves, together on a channel if they are several.
    fn moves(&self, moves: &[mc::Move], channel: Option<ChannelId>) -> Vec<view::Move> {
        moves.iter().map(|moved| self.movement(moved, channel)).collect()
    }

    fn movement(&self, moved: &mc::Move, channel: Option<ChannelId>) -> view::Move {
        let process = &self.network.processes[moved.process];
        let edge = &process.edges[moved.edge];
        let branch = edge.branches.get(moved.branch);
        let selects = edge.selects.iter().chain(branch.into_iter().flat_map(|b| &b.selects));
        let selected = selects
            .zip(&moved.selects)
            .map(|(select, value)| view::Selected { name: select.name.clone(), value: *value });
        let (guard, update) = self.labels(moved);
        view::Move {
            process: process.name.clone(),
            source: self.location(moved.process, edge.source),
            target: branch.map_or("?".into(), |b| self.location(moved.process, b.target)),
            sync: self.sync(&edge.sync, channel),
            guard,
            update,
            selected: selected.collect(),
        }
    }

    /// The guard and the update of an edge.
    fn labels(&self, moved: &mc::Move) -> Labels {
        let key = (moved.process, moved.edge, moved.branch);
        let mut labels = self.labels.borrow_mut();
        let made = labels.entry(key).or_insert_with(|| {
            let edge = &self.network.processes[moved.process].edges[moved.edge];
            let printer = Printer::within(self.network, moved.process).for_edge(edge);
            let branch = edge.branches.get(moved.branch);
            let updates = [Some(&edge.update), branch.map(|branch| &branch.update)];
            let updates = updates.into_iter().flatten().map(|update| printer.update(update));
            let updates: Vec<String> = updates.filter(|text| !text.is_empty()).collect();
            (printer.condition(&edge.guard), updates.join(", "))
        });
        made.clone()
    }

    /// How an edge synchronises on the channel of its step: `go[2]!`.
    fn sync(&self, sync: &Sync, channel: Option<ChannelId>) -> String {
        let mark = match sync {
            Sync::Internal => return String::new(),
            Sync::Event(event) => return self.network.events[*event].clone(),
            Sync::Send(_) => "!",
            Sync::Receive(_) => "?",
            Sync::Csp(_) => "",
        };
        let channel = channel.and_then(|id| self.network.channels.get(id));
        format!("{}{mark}", channel.map_or("?", |channel| &channel.name))
    }

    /// The name of a location.
    #[must_use]
    pub fn location(&self, process: ProcessId, location: LocationId) -> String {
        let location = self.network.processes[process].locations.get(location);
        location.map_or("?", |location| location.name.as_str()).to_owned()
    }
}

impl Slot {
    fn value(&self, value: i32) -> view::Value {
        match self.truth {
            true => view::Value::Bool(value != 0),
            false => view::Value::Int(value),
        }
    }
}

/// Names the slots of a variable: `list[0]`, `car.speed`.
fn name_slots(ty: &Type, name: String, next: &mut usize, slots: &mut [Option<Slot>]) {
    match ty {
        Type::Double | Type::Clock => {}
        Type::Int(_) | Type::Bool | Type::Scalar { .. } => {
            if let Some(slot) = slots.get_mut(*next) {
                *slot = Some(Slot { name, truth: *ty == Type::Bool });
            }
            *next += 1;
        }
        Type::Array { lo, len, element } => {
            for index in 0..i64::from(*len) {
                let name = format!("{name}[{}]", i64::from(*lo) + index);
                name_slots(element, name, next, slots);
            }
        }
        Type::Struct(fields) => {
            for field in fields {
                name_slots(&field.ty, format!("{name}.{}", field.name), next, slots);
            }
        }
    }
}

/// A number that is not exact.
fn nearly(value: f64) -> view::Number {
    let text = format!("{value:.6}");
    let exact = text.trim_end_matches('0').trim_end_matches('.').to_owned();
    view::Number { exact, value }
}

fn number(value: Rational) -> view::Number {
    view::Number { exact: value.to_string(), value: value.to_f64() }
}

#[cfg(test)]
mod tests {
    use punctual_mc as mc;
    use punctual_model::{ChannelId, EdgeId, Id, LocationId, ProcessId};
    use punctual_semantics::Rational;
    use punctual_smc as smc;

    use super::Names;
    use crate::trace;

    const MODEL: &str = "chan go[3]; struct { int a; bool b[2]; } s; int[1,3] n = 1; clock x;
        process P(const int id) { state A, B; init A;
            trans A -> B { select e : int[0,1]; guard x > 1; sync go[e + n]!; assign s.b[e] = true, n++; }; }
        process Q() { state C; init C; trans C -> C { select k : int[0,2]; sync go[k]?; }; }
        P1 = P(1); Q1 = Q(); system P1, Q1;";

    /// A run as the checker would give it, for a model with everything that has to be named.
    #[test]
    fn a_run_with_names() {
        let model = punctual_lang::read("m.xta", MODEL.as_bytes()).model.expect("a model");
        let network = &model.network;
        let start = mc::State {
            locations: vec![LocationId::from_index(0); 2],
            ints: network.initial.ints.clone(),
            clocks: vec![Rational::ZERO],
        };
        let mut after = start.clone();
        after.locations[0] = LocationId::from_index(1);
        let slot = |name: &str, offset: usize| {
            let found = network.variables.iter().find(|variable| variable.name == name);
            found.expect("a variable").ints as usize + offset
        };
        after.ints[slot("s", 2)] = 1;
        after.ints[slot("n", 0)] = 2;
        after.clocks[0] = Rational::new(3, 2);
        let moved = |process: usize, value: i32| mc::Move {
            process: ProcessId::from_index(process),
            edge: EdgeId::from_index(0),
            branch: 0,
            selects: vec![value],
        };
        let step = mc::Step {
            delay: Some(Rational::new(3, 2)),
            moves: vec![moved(0, 1), moved(1, 2)],
            channel: Some(ChannelId::from_index(2)),
            state: after,
        };
        let run = mc::Trace {
            start,
            steps: vec![step],
            rest: Some(Rational::from(2)),
            ending: mc::Ending::Goal,
        };
        let view = Names::new(network).trace(&run, None);
        insta::assert_snapshot!(trace::text(&view, 0, None), @r"
        start
            P1.A, Q1.C
            s.a = 0, s.b[0] = false, s.b[1] = false, n = 1
            x = 0
        1   after 3/2, at time 3/2
            P1: A → B  (go[2]!, e = 1)
            Q1: C → C  (go[2]?, k = 2)
            s.b[1]: false → true, n: 1 → 2
            x = 3/2
        end after another 2, at time 7/2
            this state decides the query
        ");
    }

    /// The index calls a function and depends on what the step before did: whoever makes the run
    /// resolves it, in a search and by chance.
    #[test]
    fn channels_have_their_indices() {
        let text = "broadcast chan go[4]; clock x; int[0,3] n = 1;
            int front() { return n + 1; }
            process P() { state A { x <= 1 }, B { x <= 1 }, C { x <= 1 }; init A;
                trans A -> B { assign n = 2, x = 0; }, B -> C { sync go[front()]!; assign x = 0; },
                    C -> C { assign n = n + 2, x = 0; }; }
            process Q() { state D; init D; trans D -> D { select k : int[0,3]; sync go[k]?; }; }
            system P, Q;";
        let queries = "E<> P.C\nsimulate[<=10; 1]{n}\n";
        let input =
            |name, text: &'static str| punctual_lang::Input { name, bytes: text.as_bytes() };
        let reading =
            punctual_lang::read_with_queries(input("m.xta", text), Some(input("m.q", queries)));
        let model = reading.model.expect("a model");
        let property = |at: usize| model.queries[at].property.as_ref().expect("a query");
        let names = Names::new(&model.network);
        let options = mc::Options { trace: mc::TraceKind::Any, ..mc::Options::default() };
        let found = mc::check(&model.network, property(0), &options, &mut ()).expect("an answer");
        let run = names.trace(&found.trace.expect("a trace"), None);
        let options = smc::Options::default();
        let found = smc::check(&model.network, property(1), &options, &mut ()).expect("an answer");
        let smc::Answer::Error(error) = &found.answer else { panic!("n leaves its range") };
        let by_chance = names.run(error);
        for steps in [&run.steps[..2], &by_chance.steps[..2]] {
            let syncs = |at: usize| -> Vec<&str> {
                steps[at].moves.iter().map(|moved| moved.sync.as_str()).collect()
            };
            assert_eq!(syncs(0), [""]);
            assert_eq!(syncs(1), ["go[3]!", "go[3]?"]);
        }
    }
}
