//! Checks of cases know which requirement they are about.

use std::collections::BTreeSet;

use punctual_lang::{Input, requirements, testing};
use punctual_model::testing::suite::{Body, Do};
use punctual_semantics::specification::Specification;
use punctual_semantics::split::Named;
use punctual_testgen::timed::{Criterion, Limits, Options, Wait, World, make};

/// A lamp that gets dark by itself.
const LAMP: &str = "chan press; int[0,1] light;
    process Lamp() { clock x; state off, on { x <= 9 }; init off;
        trans off -> on { sync press?; assign light = 1, x = 0; /* requirement: R1 */ },
            on -> on { sync press?; assign x = 0; },
            on -> off { guard x == 9; assign light = 0; /* requirement: R2 */ }; }
    process User() { clock g; state any; init any;
        trans any -> any { guard g >= 3; sync press!; assign g = 0; }; }
    system Lamp, User;";

const SEEN: &str =
    "[interface]\ninputs = [\"press\"]\noutputs = []\nobserve = [\"light\"]\ntime-unit = \"1ms\"\n";

#[test]
fn a_check_is_about_the_requirement_of_the_last_edge() {
    let model = punctual_lang::read("lamp.xta", LAMP.as_bytes()).model.expect("a model");
    let named = requirements::requirements(&model);
    let input = Input { name: "punctual.toml", bytes: SEEN.as_bytes() };
    let config = testing::read(&model.network, input).value.expect("an interface");
    let specification =
        Specification::new(model.network, config.wired, &Named::default()).expect("testable");
    let world = World::new(&specification).expect("a model of clocks and integers");
    let options = Options {
        criteria: vec![Criterion::Edges],
        purposes: Vec::new(),
        n_random: 0,
        limits: Limits::default(),
        wait: Wait::Behind,
        budget: None,
        iterations: 0,
        seed: 1,
    };
    let requirements = |process, edge| named.get(&(process, edge)).cloned();
    let made = make(&world, &options, &requirements, &mut |_| true).expect("a suite");
    let parts = made.suite.cases.iter().flat_map(|case| match &case.body {
        Body::Timed(parts) => &parts[..],
        Body::Steps(_) => &[],
    });
    let found: BTreeSet<(String, String)> = parts
        .filter_map(|part| match part {
            Do::Check(check) => {
                let shown = specification.interface().ports_text(&check.expected);
                Some((check.requirement.clone().unwrap_or_default(), shown))
            }
            _ => None,
        })
        .collect();
    let found: Vec<String> =
        found.into_iter().map(|(name, shown)| format!("{name}: {shown}")).collect();
    assert_eq!(found, ["R1: light = 1", "R2: light = 0"]);
}
