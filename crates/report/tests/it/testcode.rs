//! Test code along runs.

use punctual_lang::{Input, testcode, testing};
use punctual_report::fill;
use punctual_semantics::specification::Specification;
use punctual_semantics::split::Named;
use punctual_testgen::timed::{Limits, Options, Wait, World, make};

/// A valve that somebody sets to a width, and that closes within a second and a half.
const VALVE: &str = r#"<nta><declaration>chan set; int[0,9] width, asked;</declaration>
<template><name>Valve</name><declaration>clock x;</declaration>
<location id="c"><name>Closed</name><label kind="testcodeExit">was $(width), now asked for $(asked)</label></location>
<location id="o"><name>Open</name><label kind="invariant">x &lt;= 3</label>
<label kind="testcodeEnter">open by $(width), asked for $(asked)</label></location>
<init ref="c"/>
<transition><source ref="c"/><target ref="o"/><label kind="synchronisation">set?</label>
<label kind="assignment">width = asked, x = 0</label><label kind="testcode">receive</label></transition>
<transition><source ref="o"/><target ref="c"/><label kind="guard">x &gt; 2</label>
<label kind="assignment">width = 0</label>
<label kind="testcode">close $(width) after $(x), $(delay) later, at $(now)</label></transition></template>
<template><name>User</name><location id="u"/><init ref="u"/>
<transition><source ref="u"/><target ref="u"/><label kind="select">w : int[1,7]</label>
<label kind="guard">w == 7</label><label kind="synchronisation">set!</label><label kind="assignment">asked = w</label>
<label kind="testcode">send $(w) at $(now)</label></transition></template>
<system>system Valve, User;</system></nta>"#;

fn written(wait: Wait) -> String {
    let interface = "[interface]\ninputs = [\"set(asked)\"]\noutputs = []\nobserve = [\"width\"]\n\
        time-unit = \"1s\"\nresolution = 4\n";
    let queries =
        Input { name: "--purpose", bytes: b"E<> Valve.Closed and asked == 7 and width == 0\n" };
    let file = Input { name: "valve.xml", bytes: VALVE.as_bytes() };
    let model = punctual_lang::read_with_queries(file, Some(queries)).model.expect("a model");
    let Some(punctual_model::Property::ExistsFinally(goal)) = &model.queries[0].property else {
        panic!("a state")
    };
    let (code, _) = testcode::read(&model).expect("code without errors");
    let input = Input { name: "punctual.toml", bytes: interface.as_bytes() };
    let config = testing::read(&model.network, input).value.expect("an interface");
    let specification = Specification::new(model.network.clone(), config.wired, &Named::default())
        .expect("testable");
    let world = World::new(&specification).expect("a model of clocks and integers");
    let options = Options {
        criteria: Vec::new(),
        purposes: vec![("closed again".to_owned(), goal.clone())],
        n_random: 0,
        limits: Limits::default(),
        wait,
        budget: None,
        iterations: 0,
        seed: 1,
    };
    let made = make(&world, &options, &|_, _| None, &mut |_| true).expect("a suite");
    let files = fill::testcode::files(&world, &code, &made.runs).expect("all values are known");
    assert_eq!(files[0].name, "testcase0.code");
    files[0].text.clone()
}

/// Code for leaving and of edges has the values before a step, code for entering those after it; what an edge selects
/// is known, and time has parts of a unit.
#[test]
fn values_before_and_after_a_step() {
    let before = "was 0, now asked for 0\nsend 7 at 0\nreceive\nopen by 7, asked for 7\n";
    let early = format!("{before}close 7 after 2.25, 2.25 later, at 2.25\n");
    assert_eq!(written(Wait::Start), early);
    let late = format!("{before}close 7 after 3, 3 later, at 3\n");
    assert_eq!(written(Wait::End), late);
}
