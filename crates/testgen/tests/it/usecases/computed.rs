//! Scenarios and edges that compute values: the automaton follows the variable.

use punctual_model::{
    BinaryOp, Expr, Network, Value,
    usecases::{Binary, Ground, Scenario, Unary, UseCases},
};
use punctual_testgen::usecases::{As, Derived, derive};

use super::{always, derived, is_in, is_reachable, reaches, sample, written};

/// Whether scenarios are not running, and a location is taken exactly when an expression holds.
fn follows(model: &Derived, process: &str, location: &str, expr: Expr) -> bool {
    let network = &model.network;
    let found = network.processes.enumerate().find(|(_, it)| it.name == process);
    let there = is_in(network, found.expect("a process").0, location);
    let same = op(BinaryOp::Equal, there, expr);
    let running = model.automata.iter().map(|it| is_in(network, *it, "Running"));
    let running = running.reduce(|a, b| op(BinaryOp::Or, a, b)).expect("a scenario");
    always(network, op(BinaryOp::Or, running, same))
}

fn op(op: BinaryOp, left: Expr, right: Expr) -> Expr {
    let number = punctual_model::Number::Int;
    Expr::Binary(Box::new(punctual_model::Binary { op, number, size: 1, left, right }))
}

fn load(network: &Network, name: &str) -> Expr {
    let found = network.variables.iter().find(|it| it.name == name).expect("a variable");
    Expr::Load(punctual_model::Place {
        storage: found.storage,
        number: punctual_model::Number::Int,
        base: found.ints,
        indices: Vec::new(),
        size: 1,
        range: punctual_model::Range::ALL,
    })
}

/// `isDetected = not isDetected`.
fn toggle(all: &UseCases) -> Scenario {
    let draft = sample::Draft::new(all, "Toggle", &["TemperatureError"]);
    let slot = Ground::Slot(draft.slot("TemperatureError.isDetected"));
    draft.sets_to("TemperatureError.isDetected", Ground::Unary(Unary::Not, Box::new(slot))).scenario
}

const SWITCH: &str = "broadcast chan on, off; process TemperatureError() { clock x; bool isDetected; state Off, On; init Off;
    trans Off -> On { sync on?; assign isDetected = true, x = 0; }, On -> Off { sync off?; assign isDetected = false; }; }
    system TemperatureError;";

/// A scenario that computes a value is linked to all edges that might set it, and fires the one that does.
#[test]
fn a_scenario_computes() {
    let all = sample::use_cases();
    let network = crate::network("model.xta", SWITCH.as_bytes());
    let scenarios = sample::scenarios(vec![toggle(&all)]);
    let model = derived(&all, &scenarios, &network, As::Exact);
    assert_eq!(model.links.linked().count(), 2);
    let on = load(&model.network, "TemperatureError_isDetected");
    assert!(follows(&model, "TemperatureError", "On", on));
    for (event, _) in model.links.linked() {
        assert!(is_reachable(&model.network, event.process, event.edge));
        assert!(is_reachable(&written(&model.network), event.process, event.edge));
    }
}

/// `value = value + 1`, by the scenario and by the edge: it counts once, and the automaton follows.
#[test]
fn an_edge_computes() {
    let all = sample::use_cases();
    let text = "broadcast chan tick; process Temperature() { clock x; int[0,3] value; state None, One, Two; init None;
        trans None -> One { guard value == 0; sync tick?; assign value++, x = 0; },
            One -> Two { sync tick?; assign value = 1 + value; }; } system Temperature;";
    let network = crate::network("model.xta", text.as_bytes());
    let draft = sample::Draft::new(&all, "Tick", &["Temperature"]);
    let slot = Ground::Slot(draft.slot("Temperature.value"));
    let one = Ground::Constant(Value::Int(1));
    let next = Ground::Binary(Binary::Add, Box::new(slot), Box::new(one));
    let tick = draft.sets_to("Temperature.value", next).scenario;
    let model = derived(&all, &sample::scenarios(vec![tick]), &network, As::Exact);
    assert_eq!(model.links.linked().count(), 2);
    let value = load(&model.network, "Temperature_value");
    for (location, n) in [("None", 0), ("One", 1)] {
        let is_it = op(BinaryOp::Equal, value.clone(), Expr::Int(n));
        assert!(follows(&model, "Temperature", location, is_it), "{location}");
    }
    assert!(reaches(&model.network, op(BinaryOp::Equal, value, Expr::Int(3))));
    // What the paper compares with are constants.
    let paper = derive(&all, &model.scenarios, &network, As::Paper);
    assert!(paper.unwrap_err()[0].message.contains("the paper has constants only"));
}

/// Guards were drawn as if they were asked before the scenario changes anything.
#[test]
fn guards_ask_for_what_was_before() {
    let all = sample::use_cases();
    let [no, yes] = [false, true].map(Value::Bool);
    let slot = "TemperatureError.isDetected";
    let draft = sample::Draft::new(&all, "Found", &["TemperatureError"]).needs(slot, no);
    let scenarios = sample::scenarios(vec![draft.sets(slot, yes).scenario]);
    for (guard, fires) in
        [("!isDetected", true), ("isDetected", false), ("x >= 1 - isDetected", true)]
    {
        let text = SWITCH.replace("sync on?", &format!("guard {guard}; sync on?"));
        let network = crate::network("model.xta", text.as_bytes());
        let model = derived(&all, &scenarios, &network, As::Exact);
        let (event, _) = model.links.linked().next().expect("`on`");
        assert_eq!(is_reachable(&model.network, event.process, event.edge), fires, "{guard}");
    }
}

/// What nothing can be put into is an error at the sentence of the change.
#[test]
fn what_can_not_be_followed_is_refused() {
    let all = sample::use_cases();
    let scenarios = sample::scenarios(vec![sample::found(&all, "TemperatureError", 76)]);
    let refused = |from: &str, to: &str| {
        let text = SWITCH.replace(from, to);
        let network = crate::network("model.xta", text.as_bytes());
        let problems = derive(&all, &scenarios, &network, As::Exact).expect_err(to);
        assert!(problems.iter().all(|it| it.place.is_some()));
        problems.into_iter().map(|it| it.message).collect::<Vec<_>>().join("\n")
    };
    let invariant = refused("state Off, On", "state Off { isDetected == false }, On");
    assert!(
        invariant.contains("which the invariant of `TemperatureError.Off` reads"),
        "{invariant}"
    );
    let function = "bool isDetected; bool seen() { return isDetected; } state Off, On; init Off; trans Off -> On { guard !seen();";
    let drawn = "bool isDetected; state Off, On; init Off;\n    trans Off -> On {";
    let text = refused(drawn, function);
    assert!(text.contains("in a function"), "{text}");
}
