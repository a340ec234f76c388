//! Values that ask little of the state.

use std::collections::BTreeSet;

use punctual_lang::{Input, usecases};
use punctual_model::{
    Value,
    usecases::{Scenario, UseCases},
};
use punctual_solver::Solver;
use punctual_testgen::usecases::{
    paths::{Limits, scenarios},
    values::{Options, Solving},
};

const TEXT: &str = "
## Use Case: Watch
### Basic Flow
1. The system VALIDATES THAT the supply is good.
2. The system REQUESTS level FROM the gauge.
3. The system VALIDATES THAT the level is bearable.
Postcondition: None
### Specific Alternative Flow
RFS 1
1. The system sets Fault as found.
2. ABORT.
Postcondition: Fault is found.
### Specific Alternative Flow
RFS 3
1. ABORT.
Postcondition: None
";

const DOMAIN: &str = "class Plant { voltage: Real }
class Gauge { level: Integer }
class Fault { isFound: Boolean }
Plant --> \"fault 1\" Fault
Gauge --> \"fault 1\" Fault
";

const CONSTRAINTS: &str = "
-- \"the supply is good\"
context Plant inv: (voltage >= 9.5 and voltage <= 16.0) or fault.isFound
-- \"the level is bearable\"
context Gauge inv: level > 5 or not fault.isFound
-- \"the system sets Fault as found\"
-- \"Fault is found\"
context Fault inv: isFound = true
";

const SETTINGS: &str = "[attributes.\"Plant.voltage\"]\nrange = [0, 24]\n[attributes.\"Gauge.level\"]\nrange = [0, 9]\n";

fn read() -> UseCases {
    let files =
        [("a.md", TEXT), ("a.puml", DOMAIN), ("a.ocl", CONSTRAINTS), ("usecases.toml", SETTINGS)];
    let inputs = files.map(|(name, text)| Input { name, bytes: text.as_bytes() });
    usecases::read(&inputs).value.expect("a folder without an error")
}

fn found(cases: &UseCases, seed: u64) -> Vec<Scenario> {
    let solver = Solver::find().expect("a solver");
    let options = Options { seed, ..Options::default() };
    let mut values = Solving::new(cases, &solver, options).expect("a solver");
    let found = scenarios(cases, &mut values, Limits::default());
    assert!(found.uncovered.is_empty(), "{:?}", found.uncovered);
    found.scenarios.iter().cloned().collect()
}

fn value(scenario: &Scenario, name: &str) -> Value {
    let told = scenario.assignments.iter().find(|it| it.name == name);
    told.unwrap_or_else(|| panic!("{name} in {:?}", scenario.assignments)).value
}

/// With a bad supply, the first scenario would wait for a fault that was found; with a low level, for one that was not.
#[test]
fn a_scenario_does_not_wait_for_a_state_that_it_has_no_use_for() {
    let cases = read();
    let mut voltages = BTreeSet::new();
    for seed in 0..6 {
        let all = found(&cases, seed);
        let [good, bad, high] = &all[..] else { panic!("{} scenarios", all.len()) };
        assert_eq!(value(good, "Fault.isFound"), Value::Bool(false));
        let names: BTreeSet<&str> = (good.needs.iter())
            .flat_map(|it| it.condition.slots())
            .map(|it| cases.domain.attributes[it.attribute].name.as_str())
            .collect();
        // What is needed of the supply is put in when it is known that the tester sets it up.
        assert_eq!(names, BTreeSet::from(["isFound", "voltage"]));
        assert_eq!(good.needs.len(), 1, "{:?}", good.needs);
        let voltage = value(good, "Plant.voltage").as_rational();
        assert!((19..=32).contains(&(voltage * 2).to_integer()), "{voltage}");
        assert!(matches!(value(good, "Gauge.level"), Value::Int(6..=9)));
        voltages.insert(voltage);
        // What must be so of the state stays.
        assert!(bad.needs.iter().any(|it| !it.condition.slots().is_empty()));
        assert_eq!(value(high, "Fault.isFound"), Value::Bool(true));
    }
    assert!(voltages.len() > 2, "{voltages:?}");
}
