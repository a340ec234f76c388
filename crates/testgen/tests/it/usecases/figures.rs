//! The figures of the TAUC paper, exactly and as the paper has them.

use punctual_lang::suite::export::{Format, export};
use punctual_lang::testing::{self, Config};
use punctual_model::Network;
use punctual_testgen::usecases::{As, Derived};

use super::{derived, sample, shown};

fn model(form: As) -> Derived {
    let all = sample::use_cases();
    let network = sample::automata(&["TemperatureError"], "Interrupts, Messages");
    derived(&all, &sample::temperature(&all), &network, form)
}

/// Figure 7: the guard is the state that the scenario needs, the updates are its outputs, and it takes a period.
#[test]
fn the_scenario_automaton_of_the_paper() {
    let paper = shown(&model(As::Paper).network, "Scenario_TemperatureErrorFound");
    insta::assert_snapshot!(paper, @r"
    Start -> Running
        guard TemperatureError_isQualified == false
        update TemperatureError_isDetected = true, x = 0
    Running -> Start
        guard x >= 1700
        sync scenario!
    ");
}

/// Figure 3-b: the edge asks for the value of the output.
#[test]
fn the_augmented_edge_of_the_paper() {
    let paper = shown(&model(As::Paper).network, "TemperatureError");
    let first: Vec<&str> = paper.lines().take(4).collect();
    insta::assert_snapshot!(first.join("\n"), @r"
    NotDetectedNotQualified -> DetectedNotQualified
        guard TemperatureError_isDetected == true
        sync scenario?
        update TemperatureError_isDetected = true, x = 0
    ");
}

#[test]
fn the_exact_scenario_automaton() {
    let exact = model(As::Exact).network;
    insta::assert_snapshot!(shown(&exact, "Scenario_TemperatureErrorFound"), @r"
    Start -> Running
        guard TemperatureError_isQualified == false
        sync TemperatureErrorFound?
        update TemperatureError_isDetected = true, ended = 1
    Running -> Start
        sync scenario!
        update ended = 0, BodySenseSystem_initialized = false, TemperatureSensor_value = 0
    ");
    insta::assert_snapshot!(shown(&exact, "Scenarios"), @r"
    First -> Later
        sync TemperatureErrorFound!
        update BodySenseSystem_initialized = true, TemperatureSensor_value = 76, since = 0
    First -> Later
        sync TemperatureErrorGone!
        update BodySenseSystem_initialized = true, TemperatureSensor_value = 20, since = 0
    Later -> Later
        guard since >= 1700
        sync TemperatureErrorFound!
        update BodySenseSystem_initialized = true, TemperatureSensor_value = 76, since = 0
    Later -> Later
        guard since >= 1700
        sync TemperatureErrorGone!
        update BodySenseSystem_initialized = true, TemperatureSensor_value = 20, since = 0
    ");
}

#[test]
fn the_exact_requirement_automaton_and_the_message() {
    let exact = model(As::Exact).network;
    insta::assert_snapshot!(shown(&exact, "TemperatureError"), @r"
    NotDetectedNotQualified -> DetectedNotQualified
        guard ended == 1
        sync scenario?
        update x = 0
    DetectedNotQualified -> NotDetectedNotQualified
        guard ended == 2
        sync scenario?
        update x = 0
    DetectedNotQualified -> DetectedQualified
        guard x >= 3100
        update TemperatureError_isQualified = true, x = 0
    DetectedQualified -> NotDetectedQualified
        guard ended == 2
        sync scenario?
        update x = 0
    NotDetectedQualified -> DetectedQualified
        guard ended == 1
        sync scenario?
        update x = 0
    NotDetectedQualified -> NotDetectedNotQualified
        guard x >= 3100
        update TemperatureError_isQualified = false, x = 0
    DetectedNotQualified -> DetectedNotQualified
        sync DMA?
        update x = 0
    ");
    insta::assert_snapshot!(shown(&exact, "Messages"), @r"
    Any -> Any
        select any_velocity : int[0,2], any_beltSensor : int[0,2]
        sync CarInfo!
        update CarInfo_beltSensor = any_beltSensor, CarInfo_velocity = any_velocity
    ");
}

/// What `model.toml` says, and reading it gives the same.
pub(super) fn interface(network: &Network, derived: &Derived) -> String {
    let config = Config {
        wired: derived.wired.clone(),
        environment: Vec::new(),
        system: Vec::new(),
        under_test: None,
        steps: None,
        steering: None,
        test: Default::default(),
    };
    let text = testing::print(network, &config);
    let input = punctual_lang::Input { name: "model.toml", bytes: text.as_bytes() };
    let again = testing::read(network, input);
    assert_eq!(again.value.map(|it| it.wired), Some(config.wired), "{text}");
    text
}

#[test]
fn the_interface() {
    let exact = model(As::Exact);
    insta::assert_snapshot!(interface(&exact.network, &exact).replace("\", \"", "\",\n    \""), @r#"
    [interface]
    inputs = ["TemperatureErrorFound(BodySenseSystem.initialized = BodySenseSystem_initialized, TemperatureSensor.value = TemperatureSensor_value)",
        "TemperatureErrorGone(BodySenseSystem.initialized = BodySenseSystem_initialized, TemperatureSensor.value = TemperatureSensor_value)",
        "DMA",
        "CarInfo(velocity: Standing | Driving | Undefined = CarInfo_velocity, beltSensor: Init | Buckled | UnBuckled = CarInfo_beltSensor)"]
    outputs = []
    observe = ["TemperatureError.isDetected = TemperatureError_isDetected",
        "TemperatureError.isQualified = TemperatureError_isQualified"]
    assignments = ["TemperatureErrorFound",
        "TemperatureErrorGone"]
    setup = ["BodySenseSystem.initialized"]
    time-unit = "1ms"
    "#);
    let paper = model(As::Paper);
    let text = interface(&paper.network, &paper);
    assert!(!text.contains("Found") && text.contains("DMA"), "{text}");
}

/// Figure 8-b: what is set up, what is given, the wait, and what is checked.
#[test]
fn the_abstract_test() {
    let exact = model(As::Exact);
    let suite = super::laws::generates(exact.network.clone(), exact.wired.clone());
    let interface = &exact.wired.interface;
    let files = export(interface, &suite, Format::Text, &Default::default()).expect("no mapping");
    let case = files[0].1.split("\n\n").find(|it| it.contains("isQualified = true"));
    let lines: Vec<&str> = case.expect("a case of the qualification").lines().skip(1).collect();
    insta::assert_snapshot!(lines.join("\n"), @r"
    Input BodySenseSystem.initialized = true
    Input TemperatureSensor.value = 76
    Check TemperatureError.isDetected = true
    Check TemperatureError.isQualified = false
    Wait 4800
    CheckAny TemperatureError.isDetected = true, TemperatureError.isQualified = true | TemperatureError.isDetected = true, TemperatureError.isQualified = false
    Input TemperatureSensor.value = 20
    CheckAny TemperatureError.isDetected = false, TemperatureError.isQualified = true | TemperatureError.isDetected = false, TemperatureError.isQualified = false
    Wait 4800
    CheckAny TemperatureError.isDetected = false, TemperatureError.isQualified = false | TemperatureError.isDetected = false, TemperatureError.isQualified = true
    Wait 1
    Input TemperatureSensor.value = 76
    Check TemperatureError.isDetected = true
    Check TemperatureError.isQualified = false
    Input DMA
    Wait 1700
    Input TemperatureSensor.value = 20
    Check TemperatureError.isDetected = false
    Check TemperatureError.isQualified = false
    ");
}
