//! Constraints by chance: what is read, printed and read again is the same.

use proptest::prelude::*;
use punctual_model::usecases::UseCases;

use super::{accepted_text, print};

const FOLDER: &str = "\
=== a.md
## Use Case: A
### Basic Flow
1. The system sets x.
=== a.puml
enum Mode { Off, On, Broken }
abstract class Thing { on: Boolean }
class Room { level: Integer
 warmth: Real
 mode: Mode }
class Heater { power: Real
 spare: Boolean }
Thing <|-- Heater
Room \"room 1\" -- \"heaters 0..*\" Heater
Room --> \"main\" Heater
Room --> \"guest 0..1\" Room
";

/// Numbers, seen from the object `it`, a `Room`.
fn number(it: &'static str) -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just(format!("{it}.level")),
        Just(format!("{it}.warmth")),
        Just(format!("{it}.main.power")),
        Just(format!("{it}.heaters->size()")),
        (0..50_i64).prop_map(|n| n.to_string()),
        (0..50_i64).prop_map(|n| format!("{n}.25")),
    ];
    leaf.prop_recursive(2, 8, 2, |inner| {
        let sign = proptest::sample::select(vec!["+", "-", "*", "/"]);
        prop_oneof![
            (inner.clone(), sign, inner.clone()).prop_map(|(a, s, b)| format!("{a} {s} {b}")),
            inner.clone().prop_map(|a| format!("({a})")),
            inner.prop_map(|a| format!("-({a})")),
        ]
    })
}

fn truth() -> impl Strategy<Value = String> {
    let relation = proptest::sample::select(vec!["=", "<>", "<", "<=", ">", ">="]);
    let leaf = prop_oneof![
        (number("self"), relation, number("self")).prop_map(|(a, r, b)| format!("{a} {r} {b}")),
        Just("self.mode = Mode::Broken".to_owned()),
        Just("mode <> Mode.Off".to_owned()),
        Just("main.on".to_owned()),
        Just("self.guest->exists(level > 3)".to_owned()),
        Just("Heater.allInstances()->forAll(h : Heater | h.on implies h.room = self)".to_owned()),
        Just("heaters->select(h | h.spare)->size() < 2".to_owned()),
        number("r").prop_map(|n| format!("Room.allInstances()->exists(r | r.level < {n})")),
    ];
    leaf.prop_recursive(4, 32, 3, |inner| {
        let sign = proptest::sample::select(vec!["and", "or", "xor"]);
        prop_oneof![
            (inner.clone(), sign, inner.clone()).prop_map(|(a, s, b)| format!("{a} {s} {b}")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("(({a}) implies ({b}))")),
            inner.clone().prop_map(|a| format!("not ({a})")),
            inner.prop_map(|a| format!("({a})")),
        ]
    })
}

fn read(body: &str) -> UseCases {
    accepted_text(&format!("{FOLDER}=== a.ocl\ncontext Room inv: {body}\n"))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..Default::default() })]

    #[test]
    fn what_is_printed_is_read_again(body in truth()) {
        let printed = |all: &UseCases| {
            let constraint = all.constraints.iter().next().expect("one is there");
            print::ocl(&all.domain, constraint, constraint.root)
        };
        let first = printed(&read(&body));
        prop_assert_eq!(printed(&read(&first)), first, "{}", body);
    }
}

/// What binds stronger is closer together.
#[test]
fn operators_bind_as_in_ocl() {
    for (text, expected) in [
        (
            "main.on or mode = Mode::On and level > 1 + 2 * 3",
            "(self.main.on or ((self.mode = Mode::On) and (self.level > (1 + (2 * 3)))))",
        ),
        (
            "main.on xor main.spare or main.on",
            "(self.main.on xor (self.main.spare or self.main.on))",
        ),
        (
            "main.on and main.spare implies level - 1 - 2 = 0",
            "((self.main.on and self.main.spare) implies (((self.level - 1) - 2) = 0))",
        ),
        ("not main.on = main.spare", "((not self.main.on) = self.main.spare)"),
        ("level < 3 = true", "((self.level < 3) = true)"),
    ] {
        let all = read(text);
        let constraint = all.constraints.iter().next().expect("one is there");
        assert_eq!(print::ocl(&all.domain, constraint, constraint.root), expected, "{text}");
    }
}
