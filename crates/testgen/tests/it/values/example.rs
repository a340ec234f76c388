//! A seat after the TAUC paper: what a tester gives, what must be so before, what comes of it.

use std::collections::BTreeMap;

use punctual_lang::{Input, usecases};
use punctual_model::{
    Value,
    usecases::{Binary, Claimed, Expr, Node, Outcome, Path, Scenario, Type, UseCases, Why},
};
use punctual_solver::Solver;
use punctual_testgen::usecases::{
    paths::Machine,
    values::{Options, Solving},
};

use super::paths;

const TEXT: &str = "
## Use Case: Identify Occupancy
### Precondition
The system is initialized.
### 1.1 Basic Flow
1. INCLUDE USE CASE Self Diagnosis.
2. The system VALIDATES THAT no error is detected and no error is qualified.
3. The system counts.
Postcondition: The count is positive.
### 1.2 Specific Alternative Flow
RFS 2
1. The system counts.
2. ABORT.
Postcondition: The count is positive.

## Use Case: Self Diagnosis
### 2.1 Basic Flow
1. The system REQUESTS temperature FROM the temperature sensor.
2. The system VALIDATES THAT the temperature is valid.
Postcondition: No error is detected.
### 2.2 Specific Alternative Flow
RFS 2
1. The system sets TemperatureError as detected.
Postcondition: TemperatureError is detected.
";

const DOMAIN: &str = "@startuml
class Seat {
  initialized: Boolean
  count: Integer
}
class TemperatureSensor
class Temperature {
  value: Integer
}
abstract class Error {
  isDetected: Boolean
  isQualified: Boolean
}
class TemperatureError extends Error
class SeatError extends Error
TemperatureSensor --> \"temperature 1\" Temperature
Seat --> \"errors 1..*\" Error
@enduml
";

const CONSTRAINTS: &str = "
-- \"the system is initialized\"
context Seat inv: self.initialized
-- \"no error is detected\"
context Seat inv: self.errors->forAll(e | not e.isDetected)
-- \"no error is qualified\"
context Error inv: self.isQualified = false
-- \"the temperature is valid\"
context TemperatureSensor inv: self.temperature.value > 0 and self.temperature.value < 40
-- \"the system sets TemperatureError as detected\"
-- \"TemperatureError is detected\"
context TemperatureError inv: self.isDetected = true
-- \"the system counts\"
context Seat inv: self.count = self.count + 1
-- \"the count is positive\"
context Seat inv: self.count > 0
";

const SETTINGS: &str = "
[attributes.\"Temperature.value\"]
range = [-40, 120]
[attributes.\"Seat.count\"]
range = [0, 9]
";

fn read(settings: &str) -> UseCases {
    read_text(TEXT, settings)
}

fn read_text(text: &str, settings: &str) -> UseCases {
    let files =
        [("a.md", text), ("a.puml", DOMAIN), ("a.ocl", CONSTRAINTS), ("usecases.toml", settings)];
    let inputs = files.map(|(name, text)| Input { name, bytes: text.as_bytes() });
    let folder = usecases::read(&inputs);
    let told: Vec<_> = folder.sources.iter().flat_map(|it| &it.diagnostics).collect();
    folder.value.unwrap_or_else(|| panic!("{told:?}"))
}

fn options() -> Options {
    Options { seed: 7, ..Options::default() }
}

/// The path on which conditions come out so, in order.
fn path(cases: &UseCases, outcomes: &str) -> Path {
    let top = Machine::new(cases, None).tops()[0];
    let told = |path: &Path| -> String {
        let asked = path.steps.iter().filter_map(|it| match it.outcome {
            Outcome::Done => None,
            Outcome::Holds => Some('+'),
            Outcome::Fails => Some('-'),
        });
        asked.collect()
    };
    let all = paths(cases, top, 1, 100);
    all.into_iter().find(|it| told(it) == outcomes).expect("such a path")
}

fn solve(cases: &UseCases, options: Options, outcomes: &str) -> Scenario {
    let solver = Solver::find().expect("a solver");
    let mut values = Solving::new(cases, &solver, options).expect("a solver");
    values.solve(&path(cases, outcomes)).expect("a solver").expect("a solution")
}

fn told(scenario: &Scenario) -> Vec<String> {
    let all = scenario.assignments.iter();
    all.map(|it| format!("{:?} {} = {}", it.kind, it.name, it.value)).collect()
}

/// Figure 6: the temperature is an input, `isDetected` an output, `isQualified` state, though it makes no difference.
#[test]
fn the_assignments_of_the_paper_have_their_kinds() {
    let preferred = "range = [-40, 120]\npreferred = [20, 76]";
    let cases = read(&SETTINGS.replace("range = [-40, 120]", preferred));
    let scenario = solve(&cases, options(), "--");
    assert_eq!(
        told(&scenario),
        [
            "Input TemperatureSensor.value = 76",
            "State Seat.initialized = true",
            "State SeatError.isDetected = false",
            "State TemperatureError.isQualified = false",
            "State SeatError.isQualified = false",
            "State Seat.count = 0",
            "Output Seat.count = 1",
            "Output TemperatureError.isDetected = true",
        ]
    );
    // The system is initialized; the count is within its range afterwards, and positive.
    assert_eq!(scenario.needs.len(), 3, "{:?}", scenario.needs);
}

/// A path that leaves no flow has the postcondition of each: it sets what nothing has set.
#[test]
fn a_postcondition_sets_what_nothing_has_set() {
    let cases = read(SETTINGS);
    let scenario = solve(&cases, options(), "++");
    let told = told(&scenario);
    assert!(told.contains(&"Output TemperatureError.isDetected = false".to_owned()), "{told:?}");
    assert!(told.contains(&"Output SeatError.isDetected = false".to_owned()), "{told:?}");
    let state = |name: &str| told.iter().any(|it| it.starts_with(&format!("State {name}")));
    assert!(!state("SeatError.isDetected") && state("SeatError.isQualified"), "{told:?}");
}

/// A postcondition about an input says which inputs there may be. The system does not set what the tester gives.
#[test]
fn a_postcondition_claims_what_was_given() {
    let inside = TEXT.replace(
        "1. INCLUDE",
        "1. The system REQUESTS temperature FROM the temperature sensor.\n2. INCLUDE",
    );
    let inside =
        inside.replace("2. The system VALIDATES THAT no", "3. The system VALIDATES THAT no");
    let inside = inside
        .replace("3. The system counts", "4. The system counts")
        .replace("RFS 2\n1. The system counts", "RFS 3\n1. The system counts");
    let (caller, _) = inside.split_once("### 2.1").expect("two use cases");
    let diagnosis =
        "### 2.1 Basic Flow\n1. The system counts.\nPostcondition: The temperature is valid.\n";
    let cases = read_text(&format!("{caller}{diagnosis}"), SETTINGS);
    let scenario = solve(&cases, options(), "+");
    let told = told(&scenario);
    assert!(!told.iter().any(|it| it.starts_with("Output Temperature")), "{told:?}");
    let is_valid =
        |it: &punctual_model::usecases::Assignment| (1..40).map(Value::Int).any(|n| n == it.value);
    assert!(
        scenario.assignments.iter().any(|it| it.name == "TemperatureSensor.value" && is_valid(it)),
        "{told:?}"
    );
}

#[test]
fn a_contradiction_is_told_by_its_sentences() {
    let cases = read(SETTINGS);
    let solver = Solver::find().expect("a solver");
    let mut values = Solving::new(&cases, &solver, options()).expect("a solver");
    let path = path(&cases, "-+");
    let Err(Why::Contradiction { claims, .. }) = values.solve(&path).expect("a solver") else {
        panic!("it is possible");
    };
    let told: Vec<String> = (claims.iter())
        .map(|it| match it.what {
            Claimed::Sentence(id) => format!("{} {}", cases.sentences[id].text, it.holds),
            other => format!("{other:?}"),
        })
        .collect();
    assert_eq!(
        told,
        [
            "The system sets TemperatureError as detected true",
            "no error is detected and no error is qualified true"
        ]
    );
}

/// The same seed gives the same values, another one others; extreme values are the ends of what is possible.
#[test]
fn inputs_follow_the_seed_or_the_ends_of_ranges() {
    let cases = read(SETTINGS);
    let input = |options: Options| match solve(&cases, options, "++").assignments[0].value {
        Value::Int(it) => it,
        other => panic!("{other:?}"),
    };
    assert_eq!(input(options()), input(options()));
    let drawn: std::collections::BTreeSet<i64> =
        (0..20).map(|seed| input(Options { seed, ..options() })).collect();
    assert!(drawn.len() > 5 && drawn.iter().all(|it| (1..40).contains(it)), "{drawn:?}");
    let extreme = |seed| input(Options { seed, boundaries: true, ..options() });
    assert_eq!([extreme(0), extreme(1)], [1, 39]);
}

/// State is what the caller says, if that is possible.
#[test]
fn state_is_what_the_caller_says() {
    let cases = read(SETTINGS);
    let class = cases.domain.class("Error").expect("a class");
    let count = cases.domain.class("Seat").expect("a class");
    let attribute = |name: &str| {
        let all = cases.domain.attributes.enumerate();
        all.into_iter().find(|(_, it)| it.name == name).expect("an attribute").0
    };
    let initial = BTreeMap::from([
        ((class, attribute("isQualified")), Value::Bool(true)),
        ((count, attribute("count")), Value::Int(4)),
        ((count, attribute("initialized")), Value::Bool(false)),
    ]);
    let told = told(&solve(&cases, Options { initial, ..options() }, "--"));
    for expected in [
        "State Seat.initialized = true",
        "State TemperatureError.isQualified = true",
        "State Seat.count = 4",
        "Output Seat.count = 5",
    ] {
        assert!(told.contains(&expected.to_owned()), "{expected} in {told:?}");
    }
}

#[test]
fn without_a_solver_there_are_no_values() {
    let cases = read(SETTINGS);
    let missing = Solver::z3("/nowhere/z3");
    assert!(Solving::new(&cases, &missing, options()).is_err());
}

/// A condition that would be impossible if everything were linked frees the links.
#[test]
fn a_condition_may_ask_for_fewer_links() {
    let mut cases = read(SETTINGS);
    let find = |cases: &UseCases| {
        let solver = Solver::find().expect("a solver");
        let values = Solving::new(cases, &solver, options()).expect("a solver");
        let all = cases.domain.associations.ids();
        all.filter(|it| values.is_free(*it)).count()
    };
    assert_eq!(find(&cases), 0);
    // "No error is detected" asks for a seat with one error now.
    let (id, it) = (cases.constraints.enumerate())
        .find(|(_, it)| it.text.contains("forAll"))
        .map(|(id, it)| (id, it.clone()))
        .expect("a constraint");
    let mut it = it;
    let Expr::Iterate { source, .. } = it.expr(it.root) else { panic!("no iterator") };
    let size = it.nodes.push(Node { expr: Expr::Size(source), ty: Type::Integer });
    let one = it.nodes.push(Node { expr: Expr::Constant(Value::Int(1)), ty: Type::Integer });
    it.root = it.nodes.push(Node { expr: Expr::Binary(Binary::Eq, size, one), ty: Type::Boolean });
    cases.constraints[id] = it;
    assert_eq!(find(&cases), 1);
}
