//! Ground expressions as expressions of a network: changes at once, scaled numbers, and what can not be expressed.

use punctual_lang::{Input, usecases};
use punctual_model::{
    BinaryOp, Expr, Network, Number, Place, Range, Rational, Value,
    usecases::{AssignmentKind, Binary, Ground, Scenario, Unary, UseCases},
};
use punctual_testgen::usecases::{As, Derived, derive};

use super::{derived, is_in, reaches, sample::Draft, sample::scenarios};

const DOMAIN: &str = "@startuml
enum Mode { Off, Low, High }
class Tank { level: Integer
  other: Integer
  mode: Mode
  volume: Real
  height: Real
  open: Boolean }
class Valve
@enduml
";
const SETTINGS: &str = "period = 10\n[attributes.\"Tank.level\"]\nrange = [0, 9]\npreferred = [3]\n[attributes.\"Tank.volume\"]\nrange = [0, 24]\nscale = 10\n";

fn use_cases() -> UseCases {
    let text = "## Use Case: Fill\n### Basic Flow\n1. The system fills the tank.\nPostcondition: The tank is full.\n";
    let files = [("a.md", text), ("a.puml", DOMAIN), ("usecases.toml", SETTINGS)];
    let inputs: Vec<Input<'_>> =
        files.iter().map(|(name, text)| Input { name, bytes: text.as_bytes() }).collect();
    let folder = usecases::read(&inputs);
    folder.value.unwrap_or_else(|| panic!("{:?}", folder.sources))
}

fn nothing() -> Network {
    crate::network("model.xta", b"process P() { state A; init A; } system P;")
}

fn constant(value: Value) -> Ground {
    Ground::Constant(value)
}

fn int(value: i64) -> Ground {
    constant(Value::Int(value))
}

fn real(n: i128, d: i128) -> Ground {
    constant(Value::Real(Rational::new(n, d)))
}

fn op(op: Binary, left: Ground, right: Ground) -> Ground {
    Ground::Binary(op, Box::new(left), Box::new(right))
}

fn model(all: &UseCases, scenario: Scenario) -> Derived {
    derived(all, &scenarios(vec![scenario]), &nothing(), As::Exact)
}

fn problem(all: &UseCases, scenario: Scenario) -> String {
    let found = derive(all, &scenarios(vec![scenario]), &nothing(), As::Exact);
    let problems = found.expect_err("it can not be expressed");
    problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

/// Whether variables can have these values.
fn can_be(model: &Derived, values: &[(&str, i32)]) -> bool {
    let mut all = is_in(&model.network, *model.automata.iter().next().expect("one"), "Start");
    for (name, value) in values {
        let of = model.network.variables.iter().find(|it| it.name == *name);
        let base = of.unwrap_or_else(|| panic!("`{name}`")).ints;
        let (storage, number, range) = (punctual_model::Storage::State, Number::Int, Range::ALL);
        let place = Place { storage, number, base, indices: Vec::new(), size: 1, range };
        let both = |op, left, right| {
            Expr::Binary(Box::new(punctual_model::Binary { op, number, size: 1, left, right }))
        };
        let is_it = both(BinaryOp::Equal, Expr::Load(place), Expr::Int(*value));
        all = both(BinaryOp::And, all, is_it);
    }
    reaches(&model.network, all)
}

/// `level, other := other, level` exchanges them.
#[test]
fn all_changes_happen_at_once() {
    let all = use_cases();
    let draft = Draft::new(&all, "S", &["Tank"]);
    let (level, other) = (draft.slot("Tank.level"), draft.slot("Tank.other"));
    let below = op(Binary::Sub, Ground::Slot(level), int(1));
    let scenario = draft.sets_to("Tank.level", Ground::Slot(other)).sets_to("Tank.other", below);
    let model = model(&all, scenario.scenario);
    let at = |level, other| can_be(&model, &[("Tank_level", level), ("Tank_other", other)]);
    // From (3, 0), by preference and by default: (0, 2), then (2, -1), and then the range of the level ends it.
    assert!(at(3, 0) && at(0, 2) && at(2, -1));
    assert!(!at(0, 0) && !at(0, -1) && !at(-1, 1) && !at(3, 2) && !at(2, 2));
    let old: Vec<&str> = model.network.variables.iter().map(|it| it.name.as_str()).collect();
    assert!(old.contains(&"old_Tank_level") && can_be(&model, &[("old_Tank_level", 3)]));
    assert!(!can_be(&model, &[("old_Tank_level", 0)]), "what is kept is forgotten");
}

/// A counter counts to the end of its range, and the model does not break there.
#[test]
fn a_range_is_not_left() {
    let all = use_cases();
    let draft = Draft::new(&all, "S", &["Tank"]);
    let more = op(Binary::Add, Ground::Slot(draft.slot("Tank.level")), int(2));
    let model = model(&all, draft.sets_to("Tank.level", more).scenario);
    let seen = (0..=9).filter(|it| can_be(&model, &[("Tank_level", *it)])).collect::<Vec<i32>>();
    assert_eq!(seen, [3, 5, 7, 9]);
}

#[test]
fn real_numbers_are_parts() {
    let all = use_cases();
    let draft = Draft::new(&all, "S", &["Tank"]);
    let volume = || Ground::Slot(draft.slot("Tank.volume"));
    let level = Ground::Slot(draft.slot("Tank.level"));
    // volume + level / 2 < 12.25, and volume := volume + 0.5: up to 11.
    let half = op(Binary::Div, Ground::Unary(Unary::ToReal, Box::new(level)), real(2, 1));
    let needs = op(Binary::Lt, op(Binary::Add, volume(), half), real(49, 4));
    let more = op(Binary::Add, volume(), real(1, 2));
    let scenario = Draft::new(&all, "S", &["Tank"])
        .needs_that(needs)
        .sets_to("Tank.volume", more)
        .sets("Tank.level", Value::Int(3));
    let model = model(&all, scenario.scenario);
    assert!(can_be(&model, &[("Tank_volume", 110)]) && !can_be(&model, &[("Tank_volume", 115)]));
    assert!(can_be(&model, &[("Tank_volume", 5)]) && !can_be(&model, &[("Tank_volume", 7)]));
}

#[test]
fn members_and_inputs() {
    let all = use_cases();
    let (kind, height) = (AssignmentKind::Input, "Tank.height");
    let [first, second] = [(19, 2), (1, 4)].map(|(n, d)| Value::Real(Rational::new(n, d)));
    let draft = Draft::new(&all, "S", &["Tank"]).assign(kind, height, height, first);
    let draft = draft.assign(kind, height, height, second);
    let scenario =
        draft.needs("Tank.mode", Value::Enum(0)).sets("Tank.mode", Value::Enum(2)).scenario;
    let model = model(&all, scenario);
    assert!(can_be(&model, &[("Tank_mode", 2)]) && !can_be(&model, &[("Tank_mode", 1)]));
    let signal = model.wired.interface.signals.iter().next().expect("the scenario");
    let told: Vec<String> = signal
        .values
        .iter()
        .map(|it| format!("{}: {}", it.name, it.ty.text(Value::Enum(0))))
        .collect();
    // The step is there twice, and each has a value of its own.
    assert_eq!(told, ["Tank.height: 9.5", "Tank.height: 0.25"]);
}

#[test]
fn what_can_not_be_expressed_is_told() {
    let all = use_cases();
    let draft = || Draft::new(&all, "S", &["Tank"]);
    let slot = |name: &str| Ground::Slot(draft().slot(name));
    let volume = slot("Tank.volume");
    let half = draft().sets_to("Tank.volume", real(1, 20));
    let unscaled = draft().sets_to("Tank.height", real(1, 1));
    let by_state = op(Binary::Lt, op(Binary::Div, real(1, 1), volume.clone()), real(1, 1));
    let by_state =
        draft().sets("Tank.volume", Value::Real(Rational::from_integer(1))).needs_that(by_state);
    let square = (0..4).fold(volume.clone(), |it, _| op(Binary::Mul, it, volume.clone()));
    let large = draft().sets("Tank.volume", Value::Real(Rational::from_integer(1)));
    let large = large.needs_that(op(Binary::Lt, square, real(1, 1)));
    let outside = draft().sets("Tank.level", Value::Int(10));
    let all_of = [half, unscaled, by_state, large, outside];
    let told: Vec<String> = all_of.into_iter().map(|it| problem(&all, it.scenario)).collect();
    insta::assert_snapshot!(told.join("\n"), @r"
    a change of scenario `S`: its value is no whole number of parts; a `scale` of 20 would do
    `Tank.height` is a real number that scenarios change, and it has no `scale`
    a condition of scenario `S`: it divides by something that may change
    a condition of scenario `S`: its numbers need more than 32 bits
    a change of scenario `S`: `Tank_level` has no room for the value
    ");
}
