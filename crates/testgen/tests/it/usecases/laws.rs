//! What holds of every derived model.

use punctual_model::{
    BinaryOp, Expr, Id, LocationKind, Network, Property, StateExpr, Value,
    testing::suite::Suite,
    usecases::{Ground, Scenarios, UseCases},
};
use punctual_semantics::{specification::Specification, split::Named};
use punctual_testgen::mutation::automata;
use punctual_testgen::timed::{Criterion, Limits, Options, Wait, World, beside, make};
use punctual_testgen::usecases::{As, Derived, derive::stops};

use super::{always, derived, holds, is_in, is_reachable, reaches, sample, written};

/// Whether time and actions go on for ever, by searching all states.
fn never_stops(network: &Network) -> bool {
    let deadlock = StateExpr {
        expr: Expr::Unary(
            punctual_model::UnaryOp::Not,
            punctual_model::Number::Int,
            Box::new(Expr::Deadlock),
        ),
        number: punctual_model::Number::Int,
        frame: Default::default(),
    };
    holds(network, &Property::AlwaysGlobally(deadlock))
}

fn binary(op: BinaryOp, left: Expr, right: Expr) -> Expr {
    let number = punctual_model::Number::Int;
    Expr::Binary(Box::new(punctual_model::Binary { op, number, size: 1, left, right }))
}

/// `process.Running` implies what the scenario sets.
fn effect(derived: &Derived, scenario: punctual_model::ScenarioId) -> Expr {
    let running = is_in(&derived.network, derived.automata[scenario], "Running");
    let it = &derived.scenarios.scenarios[scenario];
    let mut all = Expr::TRUE;
    for set in &it.sets {
        let Ground::Constant(value) = &set.to else { continue };
        let object = &it.diagram.objects[set.slot.object];
        let kept = derived.links.kept(object.class, 0, set.slot.attribute).expect("kept");
        let variable = &derived.network.variables[derived.state[kept].expect("a variable")];
        let place = punctual_model::Place {
            storage: variable.storage,
            number: punctual_model::Number::Int,
            base: variable.ints,
            indices: Vec::new(),
            size: 1,
            range: punctual_model::Range::ALL,
        };
        let value = Expr::Int(value.as_slot().expect("an integer"));
        all = binary(BinaryOp::And, all, binary(BinaryOp::Equal, Expr::Load(place), value));
    }
    binary(BinaryOp::Imply, running, all)
}

/// Mutants can be made of a model, and a suite whose cases hold on every run of it. Gives the suite.
pub(super) fn generates(network: Network, wired: punctual_model::Wired) -> Suite {
    let specification = Specification::new(network, wired, &Named::default()).expect("two sides");
    let (network, split) = (&specification.network, &specification.split);
    let operators = automata::Operator::ALL.to_vec();
    let options = automata::Options { operators, offset: 1, environment: false };
    assert!(automata::mutants(network, &split.sides, &options).len() > 20);
    let world = World::new(&specification).expect("a model of clocks and integers");
    let options = Options {
        criteria: vec![Criterion::Edges],
        purposes: Vec::new(),
        n_random: 2,
        limits: Limits { states: 20_000, length: 12 },
        wait: Wait::End,
        budget: None,
        iterations: 0,
        seed: 1,
    };
    let made = make(&world, &options, &|_, _| None, &mut |_| true).expect("a suite");
    assert!(made.suite.cases.len() > 1);
    for case in &made.suite.cases {
        let beside = beside(network, &specification.wired, split, case).expect("a timed case");
        let may_fail = holds(&beside.network, &beside.may_fail());
        assert!(!may_fail || case.about.is_uncertain, "{case:?}");
    }
    made.suite
}

/// All that must hold of an exact model.
fn obeys(all: &UseCases, scenarios: &Scenarios, network: &Network) {
    let derived = derived(all, scenarios, network, As::Exact);
    assert_eq!(derived.stops, [], "time goes on in each automaton");
    assert_eq!(derived.unreached, [], "all scenarios can happen");
    assert!(never_stops(&derived.network));
    for id in scenarios.scenarios.ids() {
        let running = is_in(&derived.network, derived.automata[id], "Running");
        assert!(reaches(&derived.network, running), "scenario {} runs", id.index());
        assert!(always(&derived.network, effect(&derived, id)), "its effect is that of its sets");
    }
    for (event, _) in derived.links.linked() {
        assert!(is_reachable(&derived.network, event.process, event.edge), "{event:?}");
    }
    // The sides are clear, so that somebody can be tested against it, and what is written means the same.
    let specification =
        Specification::new(derived.network.clone(), derived.wired.clone(), &Named::default());
    specification.unwrap_or_else(|refusal| panic!("{refusal:?}"));
    let again = written(&derived.network);
    assert!(never_stops(&again));
    let interface = crate::usecases::figures::interface(&derived.network, &derived);
    let input = punctual_lang::Input { name: "model.toml", bytes: interface.as_bytes() };
    let reading = punctual_lang::testing::read(&again, input);
    let config = reading.value.unwrap_or_else(|| panic!("{:?}", reading.diagnostics));
    assert_eq!(config.wired.interface, derived.wired.interface);
    generates(again.clone(), config.wired);
    let size = |it: &Network| (it.processes.len(), it.variables.len(), it.channels.len());
    assert_eq!(size(&again), size(&derived.network));
}

#[test]
fn one_error() {
    let all = sample::use_cases();
    let network = sample::automata(&["TemperatureError"], "Interrupts, Messages");
    let mut scenarios = sample::temperature(&all);
    scenarios.scenarios.push(sample::again(&all, "TemperatureError"));
    obeys(&all, &scenarios, &network);
}

#[test]
fn two_errors_without_interrupts() {
    let all = sample::use_cases();
    let network = sample::automata(&["TemperatureError", "SeatError"], "");
    let both = ["TemperatureError", "SeatError"];
    let of = |error: &&str| {
        let again = sample::again(&all, error);
        [sample::found(&all, error, 76), sample::gone(&all, error, 20), again]
    };
    obeys(&all, &sample::scenarios(both.iter().flat_map(of).collect()), &network);
}

/// An output that was set earlier fires the paper's edge when another scenario ends, and not the exact one: the scenario that sets it never ends here.
#[test]
fn an_output_that_was_set_earlier_fires_nothing() {
    let all = sample::use_cases();
    let network = sample::automata(&["TemperatureError", "SeatError"], "");
    let both = ["TemperatureError", "SeatError"].map(|it| sample::found(&all, it, 76));
    let scenarios = sample::scenarios(both.to_vec());
    for (form, fires) in [(As::Paper, true), (As::Exact, false)] {
        let mut model = derived(&all, &scenarios, &network, form);
        let (event, by) = model.links.linked().next().expect("`detected` is linked");
        let process = model.automata[by[0]];
        let last = model.network.processes[process].edges.ids().last().expect("two edges");
        let (of, edge) = (event.process, event.edge);
        assert!(is_reachable(&model.network, of, edge));
        // The scenario starts and is never over.
        let it = &mut model.network.processes[process];
        it.edges[last].guard.data.push(Expr::FALSE);
        it.locations.iter_mut().for_each(|at| at.kind = LocationKind::Normal);
        assert_eq!(is_reachable(&model.network, of, edge), fires, "{form:?}");
    }
}

/// The function that looks at single automata sees an invariant that nothing ends, and one that only others end.
#[test]
fn locations_that_stop_time_are_told() {
    let stopping = |edges: &str| {
        let text = format!(
            "chan c; broadcast chan b; process P() {{ clock x; bool v; state A {{ x <= 3 }}, B, C {{ x <= 2 }}; init A; trans {edges}; }}
             process Q() {{ state A; init A; trans A -> A {{ sync c?; }}, A -> A {{ sync c!; }}; }} system P, Q;"
        );
        let network = crate::network("model.xta", text.as_bytes());
        let name = |it: &punctual_testgen::usecases::derive::Stop| {
            network.processes[it.process].locations[it.location].name.clone()
        };
        stops(&network).iter().map(name).collect::<String>()
    };
    let out = "C -> B { }";
    let cases = [
        ("A -> B { guard x >= 1; }", ""),
        ("A -> B { guard x >= 3; }", ""),
        ("A -> B { guard x >= 4; }", "A"),
        ("A -> B { guard x < 3; }", "A"),
        ("A -> B { sync c!; }", "A"),
        ("A -> B { sync b!; }", ""),
        ("A -> B { guard v; }", "A"),
        ("A -> C { }", "A"),
        ("A -> C { assign x = 0; }", ""),
    ];
    for (edge, stuck) in cases {
        assert_eq!(stopping(&format!("{edge}, {out}")), stuck, "{edge}");
    }
    assert_eq!(stopping("A -> B { }"), "C");
}

/// What the tester sets up is an input, and no state.
#[test]
fn what_nobody_keeps_is_set_up() {
    use punctual_model::usecases::{AssignmentKind, Keeper};
    let all = sample::use_cases();
    let network = sample::automata(&["TemperatureError"], "");
    let model = derived(&all, &sample::temperature(&all), &network, As::Exact);
    let scenario = model.scenarios.scenarios.iter().next().expect("one");
    let of = |kind| scenario.assigned(kind).map(|it| it.name.as_str()).collect::<Vec<_>>();
    assert_eq!(of(AssignmentKind::Setup), ["BodySenseSystem.initialized"]);
    assert_eq!(of(AssignmentKind::State), ["TemperatureError.isQualified"]);
    assert_eq!(scenario.assignments[0].value, Value::Bool(true));
    assert_eq!(scenario.needs.len(), 1);
    let keeper =
        |name: &str| model.links.state.iter().find(|it| it.name == name).map(|it| it.keeper);
    assert_eq!(keeper("BodySenseSystem.initialized"), Some(Keeper::Tester));
    assert!(matches!(keeper("TemperatureError.isQualified"), Some(Keeper::Automaton(..))));
}

/// An input is set by its scenario, too. It is kept only if somebody asks for it later.
#[test]
fn inputs_are_kept_only_for_those_who_ask() {
    use punctual_model::usecases::{AssignmentKind, Keeper};
    let all = sample::use_cases();
    let network = sample::automata(&["TemperatureError"], "");
    let given = sample::Draft::new(&all, "Given", &["Temperature", "TemperatureError"]);
    let (slot, value) = ("Temperature.value", Value::Int(76));
    let given = given.assign(AssignmentKind::Input, slot, "TemperatureSensor.value", value);
    let given = given.sets_to(slot, Ground::Constant(value));
    let given = given.sets("TemperatureError.isDetected", Value::Bool(true)).scenario;
    let asks = sample::Draft::new(&all, "Asks", &["Temperature"]).needs(slot, value).scenario;
    let keeper = |scenarios: Scenarios| {
        let model = derived(&all, &scenarios, &network, As::Exact);
        model.links.state.iter().find(|it| it.name == slot).map(|it| it.keeper)
    };
    assert_eq!(keeper(sample::scenarios(vec![given.clone()])), None);
    let both = sample::scenarios(vec![given, asks]);
    assert_eq!(keeper(both.clone()), Some(Keeper::Scenarios));
    // The second can run only after the first.
    let model = derived(&all, &both, &network, As::Exact);
    let last = *model.automata.iter().last().expect("two");
    assert!(reaches(&model.network, is_in(&model.network, last, "Running")));
    let without = sample::scenarios(vec![both.scenarios.iter().last().expect("two").clone()]);
    let model = derived(&all, &without, &network, As::Exact);
    assert!(reaches(
        &model.network,
        is_in(&model.network, model.automata[Id::from_index(0)], "Running")
    ));
    let set_up = model.links.state.iter().find(|it| it.name == slot).map(|it| it.keeper);
    assert_eq!(set_up, Some(Keeper::Tester));
}

/// A scenario is told to be impossible if nothing makes so what it needs, and then a search of all states does not find it, either.
#[test]
fn scenarios_that_no_state_leads_to_are_told() {
    let all = sample::use_cases();
    let network = sample::automata(&["TemperatureError"], "");
    let [found, again, gone] = [
        sample::found(&all, "TemperatureError", 76),
        sample::again(&all, "TemperatureError"),
        sample::gone(&all, "TemperatureError", 20),
    ];
    for (drafts, lost) in [
        (vec![again.clone()], vec![0]),
        (vec![again.clone(), gone.clone()], vec![0]),
        (vec![again.clone(), found.clone()], vec![]),
        (vec![found, gone, again], vec![]),
    ] {
        let scenarios = sample::scenarios(drafts);
        for form in [As::Exact, As::Paper] {
            let model = derived(&all, &scenarios, &network, form);
            let told: Vec<usize> = model.unreached.iter().map(|it| it.index()).collect();
            assert_eq!(told, lost, "{form:?}");
            for id in scenarios.scenarios.ids() {
                let running = is_in(&model.network, model.automata[id], "Running");
                let happens = reaches(&model.network, running);
                assert_eq!(happens, !lost.contains(&id.index()), "{form:?}");
            }
        }
    }
}

/// Time may keep an automaton from receiving a broadcast, so that a scenario happens which could not if it always received.
#[test]
fn automata_may_miss_what_time_keeps_them_from() {
    let all = sample::use_cases();
    let text =
        "broadcast chan on; process TemperatureError() { clock x; bool isDetected, isQualified;
        state Idle, Late, Stuck; init Idle; commit Late;
        trans Idle -> Late { guard x >= 5000; sync on?; assign isDetected = true; },
            Late -> Stuck { assign isQualified = true; }; } system TemperatureError;";
    let network = crate::network("model.xta", text.as_bytes());
    let [no, yes] = [false, true].map(Value::Bool);
    let [detected, qualified] = ["TemperatureError.isDetected", "TemperatureError.isQualified"];
    let found = sample::Draft::new(&all, "Found", &["TemperatureError"]).sets(detected, yes);
    let later = sample::Draft::new(&all, "Later", &["TemperatureError"]);
    let later = later.needs(detected, yes).needs(qualified, no).sets(detected, no);
    let scenarios = sample::scenarios(vec![found.scenario, later.scenario]);
    let model = derived(&all, &scenarios, &network, As::Exact);
    let last = scenarios.scenarios.ids().last().expect("two");
    assert!(reaches(&model.network, is_in(&model.network, model.automata[last], "Running")));
    assert_eq!(model.unreached, []);
}
