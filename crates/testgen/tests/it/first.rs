//! Scenarios before messages of the same instant.

use punctual_lang::{Input, testing};
use punctual_model::Property;
use punctual_model::testing::suite::{Body, Do};
use punctual_semantics::specification::Specification;
use punctual_semantics::split::Named;
use punctual_testgen::timed::{Limits, Options, Wait, World, make};

/// Nobody listens to `m`. A system that is ready hears `n`, and no one else does.
const MODEL: &str = "broadcast chan m, n, s; bool isReady, isHeard;
    process System() { state Off, Ready; init Off;
        trans Off -> Ready { sync s?; assign isReady = true; },
            Ready -> Ready { sync n?; assign isHeard = true; }; }
    process M() { state None, Sent; init None; trans None -> Sent { sync m!; }; }
    process N() { state None, Sent; init None; trans None -> Sent { sync n!; }; }
    process S() { state None, Sent; init None; trans None -> Sent { sync s!; }; }
    system M, N, S, System;";

/// The inputs of a case that reaches a state, in order.
fn inputs(assignments: &str, purpose: &str) -> Vec<String> {
    let text = format!("E<> {purpose}\n");
    let queries = Some(Input { name: "model.q", bytes: text.as_bytes() });
    let input = Input { name: "model.xta", bytes: MODEL.as_bytes() };
    let model = punctual_lang::read_with_queries(input, queries).model.expect("a model");
    let Some(Property::ExistsFinally(state)) = &model.queries[0].property else {
        panic!("a purpose")
    };
    let (network, state) = (model.network.clone(), state.clone());
    let interface = format!(
        "[interface]\noutputs = []\ninputs = [\"m\", \"n\", \"s\"]\nobserve = [\"isReady\"]\ntime-unit = \"1ms\"\nassignments = {assignments}\n"
    );
    let input = Input { name: "punctual.toml", bytes: interface.as_bytes() };
    let reading = testing::read(&network, input);
    let wired = reading.value.unwrap_or_else(|| panic!("{:?}", reading.diagnostics)).wired;
    let specification = Specification::new(network, wired, &Named::default()).expect("testable");
    let world = World::new(&specification).expect("a model of clocks and integers");
    let options = Options {
        criteria: Vec::new(),
        purposes: vec![("it".to_owned(), state)],
        n_random: 0,
        limits: Limits::default(),
        wait: Wait::Behind,
        budget: None,
        iterations: 0,
        seed: 1,
    };
    let made = make(&world, &options, &|_, _| None, &mut |_| true).expect("a suite");
    let Body::Timed(parts) = &made.suite.cases[0].body else { panic!("a timed case") };
    let sent = parts.iter().filter_map(|part| match part {
        Do::Send(action) => Some(specification.interface().signals[action.signal].name.clone()),
        _ => None,
    });
    sent.collect()
}

#[test]
fn a_scenario_comes_before_a_message_that_makes_no_difference() {
    let purpose = "M.Sent && System.Ready";
    assert_eq!(inputs("[]", purpose), ["m", "s"]);
    assert_eq!(inputs("[\"s\"]", purpose), ["s", "m"]);
}

/// The other way round, the system would have heard the message.
#[test]
fn a_message_that_must_come_first_does() {
    let purpose = "N.Sent && System.Ready && !isHeard";
    assert_eq!(inputs("[\"s\"]", purpose), ["n", "s"]);
    let purpose = "M.Sent && N.Sent && System.Ready && !isHeard";
    assert_eq!(inputs("[\"s\"]", purpose), ["m", "n", "s"]);
}
