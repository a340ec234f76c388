//! Test code and requirements of models.

use punctual_lang::diagnostic::{Style, render};
use punctual_lang::testcode::{self, Code, Piece, TestCode, Value};
use punctual_lang::{Model, requirements};
use punctual_model::{EdgeId, Id, LocationId, ProcessId};

/// Two doors of one template, and somebody who chooses how far they open.
fn doors(enter: &str, edge: &str, system: &str) -> String {
    format!(
        "<nta><declaration>chan open[2]; int width; const int LIMIT = 9; double weight; clock age;
bool ajar[2]; int twice(int n) {{ return 2 * n; }}</declaration>
<template><name>Door</name><parameter>const int id</parameter>
<declaration>int count; clock x; // requirement: DOOR-9</declaration>
<location id=\"a\"><name>Closed</name><label kind=\"testcodeExit\">leave</label></location>
<location id=\"b\"><name>Open</name><label kind=\"testcodeEnter\">{enter}</label>
<label kind=\"comments\">requirement: DOOR-1</label></location>
<branchpoint id=\"p\"/><init ref=\"a\"/>
<transition><source ref=\"a\"/><target ref=\"p\"/><label kind=\"synchronisation\">open[id]?</label>
<label kind=\"testcode\">{edge}</label></transition>
<transition><source ref=\"p\"/><target ref=\"b\"/><label kind=\"assignment\">count++</label>
<label kind=\"testcode\">wide</label></transition>
<transition><source ref=\"p\"/><target ref=\"a\"/></transition>
<transition><source ref=\"a\"/><target ref=\"b\"/><label kind=\"comments\">Requirement: DOOR-2, by hand</label></transition>
<transition><source ref=\"b\"/><target ref=\"a\"/></transition>
<transition><source ref=\"a\"/><target ref=\"a\"/></transition>
</template>
<template><name>User</name><location id=\"u\"/><init ref=\"u\"/>
<transition><source ref=\"u\"/><target ref=\"u\"/><label kind=\"select\">d : int[0,1], w : int[1,5]</label>
<label kind=\"synchronisation\">open[d]!</label><label kind=\"assignment\">width = w</label>
<label kind=\"testcode\">open($(d), $(w))</label></transition></template>
<system>First = Door(0); Second = Door(1); system First, Second, User;
{system}</system></nta>"
    )
}

fn model(text: &str) -> Model {
    let reading = punctual_lang::read("doors.xml", text.as_bytes());
    reading.model.unwrap_or_else(|| panic!("{:?}", reading.diagnostics))
}

fn code(enter: &str, edge: &str, system: &str) -> TestCode {
    let read = testcode::read(&model(&doors(enter, edge, system)));
    read.unwrap_or_else(|wrong| panic!("{wrong:?}")).0
}

/// Code with its holes as words.
fn shown(code: &Code) -> String {
    let piece = |piece: &Piece| match piece {
        Piece::Text(text) => text.clone(),
        Piece::Value(Value::Int(expr)) => match expr.expr.as_int() {
            Some(value) => format!("«{value}»"),
            None => "«?»".to_owned(),
        },
        Piece::Value(Value::Clock(clock)) => format!("«clock {}»", clock.index()),
        Piece::Value(Value::Now) => "«now»".to_owned(),
        Piece::Value(Value::Delay) => "«delay»".to_owned(),
    };
    code.pieces.iter().map(piece).collect()
}

fn entered(enter: &str) -> String {
    let code = code(enter, "", "");
    shown(&code.processes[ProcessId::from_index(1)].enter[LocationId::from_index(1)])
}

#[test]
fn values_are_those_of_the_process() {
    assert_eq!(entered("is $(id) of $(LIMIT)"), "is «1» of «9»", "parameters and constants");
    assert_eq!(entered("$(count) $(width) $(ajar[id]) $(Second.count)"), "«?» «?» «?» «?»");
    assert_eq!(entered("$(x) $(First.x) $(age)"), "«clock 2» «clock 1» «clock 0»");
    assert_eq!(entered("$( now ) $(delay)"), "«now» «delay»");
    assert_eq!(entered("$(First.Open ? LIMIT : (id + 1) * 2)"), "«?»", "expressions");
}

#[test]
fn everything_else_is_text() {
    assert_eq!(entered(r"a \$(b) \\ \n $ $x end$"), r"a $(b) \ \n $ $x end$");
    assert_eq!(entered("\n\n    indented\n  less\n\n"), "    indented\n  less");
    let mut out = String::new();
    let code = Code { pieces: vec![Piece::Text("a".to_owned()), Piece::Value(Value::Now)] };
    code.write(&mut out, |_| Ok::<_, ()>("3".to_owned())).unwrap();
    Code::default().write(&mut out, |_| Err(())).unwrap();
    assert_eq!(out, "a3\n");
}

#[test]
fn edges_and_branches_have_code_and_know_what_is_selected() {
    let code = code("", "open $(width)", "");
    let door = &code.processes[ProcessId::from_index(0)];
    let edge = &door.edges[EdgeId::from_index(0)];
    let branches: Vec<String> = edge.branches.iter().map(shown).collect();
    assert_eq!(
        (shown(&edge.edge), branches),
        ("open «?»".to_owned(), vec!["wide".to_owned(), String::new()])
    );
    assert_eq!(shown(&door.exit[LocationId::from_index(0)]), "leave");
    let user = &code.processes[ProcessId::from_index(2)].edges[EdgeId::from_index(0)];
    assert_eq!(shown(&user.edge), "open(«?», «?»)");
    let Piece::Value(Value::Int(width)) = &user.edge.pieces[3] else { panic!("a value") };
    assert_eq!(width.frame.ints, 2, "what is selected has the first slots");
}

#[test]
fn comments_of_the_system_say_what_stands_around() {
    let usual = code("", "", "// /** TEST_PREFIX no */\n/* TEST_PREFIX no */");
    let around =
        |it: &TestCode| [&it.prefix, &it.postfix, &it.file_name, &it.extension].map(String::clone);
    assert_eq!(around(&usual), ["", "", "testcase", ".code"]);
    let all = "/** TEST_PREFIX\n\nclass Test {\n  /x\n*/ /** TEST_POSTFIX\n}\n  */\n\
        /** TEST_FILENAME test- */ /** TEST_FILEEXT .java */";
    assert_eq!(around(&code("", "", all)), ["\nclass Test {\n  /x\n", "}\n", "test-", ".java"]);
    assert_eq!(code("", "", "/** TEST_PREFIX one line */").prefix, "one line\n");
    assert_eq!(code("", "", "/** TEST_PREFIX\nlast */").prefix, "last\n");
}

#[test]
fn what_is_wrong_is_said_at_its_place() {
    let text = doors(
        "$(cuont) $(weight == weight) $(twice(2)) $(open) $(Third.count) $(count = 3) $()",
        "$(id + ) and $(unclosed",
        "/** TEST_FILENAME ../out */ /** TEST_PREFX\n*/",
    );
    let reading = punctual_lang::read("doors.xml", text.as_bytes());
    let model = reading.model.expect("test code does not make a model wrong");
    let wrong = testcode::read(&model).expect_err("all of it is wrong");
    let rendered: Vec<String> =
        wrong.iter().map(|it| render(it, &reading.file, Style::Plain)).collect();
    insta::assert_snapshot!(rendered.join("\n\n"));
}

#[test]
fn formats_without_labels_have_no_code() {
    let text = "system:s\nevent:e\nprocess:P\nlocation:P:a{initial:}\n";
    let model = punctual_lang::read("m.tck", text.as_bytes()).model.unwrap();
    assert!(testcode::read(&model).unwrap().0.is_empty());
    assert!(requirements::requirements(&model).is_empty());
}

#[test]
fn an_edge_has_its_requirement_or_that_of_what_it_belongs_to() {
    let found = requirements::requirements(&model(&doors("", "", "")));
    let of = |edge: usize| {
        let at = (ProcessId::from_index(1), EdgeId::from_index(edge));
        found.get(&at).map(String::as_str)
    };
    // The one that branches, the one by hand, the one that leaves `Open`, the loop.
    assert_eq!(
        [0, 1, 2, 3].map(of),
        [Some("DOOR-9"), Some("DOOR-2"), Some("DOOR-1"), Some("DOOR-9")]
    );
    assert!(!found.keys().any(|(process, _)| process.index() == 2), "the user has none");
    let document = model(&doors("", "", "")).document.unwrap();
    assert_eq!(requirements::named(&document), ["DOOR-1", "DOOR-2", "DOOR-9"]);
}

#[test]
fn in_xta_the_comment_of_an_edge_stands_in_its_braces() {
    let text = "process P() { state a, b; init a; trans
        a -> b { guard true; // requirement: R1\n assign ; }, // requirement: no\n
        b -> a { /* goes back */ /* requirement: R2 */ }, b -> b { }; } system P;";
    let model = punctual_lang::read("m.xta", text.as_bytes()).model.expect("a model");
    let found: Vec<String> = requirements::requirements(&model).into_values().collect();
    assert_eq!(found, ["R1", "R2"]);
}
