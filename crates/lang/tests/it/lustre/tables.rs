//! Tables of recorded steps.

use proptest::prelude::*;
use punctual_lang::{
    Input,
    lustre::traces::{
        Unknown, read_csv, read_csv_with, read_jsonl, read_jsonl_with, write_csv, write_jsonl,
    },
};
use punctual_model::lustre::{Program, Rational, Table, Test, Value};

use super::{messages, read};

fn program() -> Program {
    read(
        "type mode = enum { Off, On };
         node main(b: bool; n: int; r: real; m: mode) returns (y: int);
         let y = n; tel",
    )
}

fn input(text: &str) -> Input<'_> {
    Input { name: "table", bytes: text.as_bytes() }
}

fn csv(text: &str) -> Table {
    let reading = read_csv(input(text), &program());
    let messages = messages(&reading);
    reading.value.unwrap_or_else(|| panic!("{messages}"))
}

#[test]
fn values_of_all_types() {
    let table = csv("b,n,r,m\n0,-5,0.25,On\n true , 7.0 , 1/3 , 0\n\n\n1,+3,-1e2,1\r\n");
    let real = |a, b| Value::Real(Rational::new(a, b));
    let step = |b, n, r, m| vec![Value::Bool(b), Value::Int(n), r, Value::Enum(m)];
    let first = vec![step(false, -5, real(1, 4), 1), step(true, 7, real(1, 3), 0)];
    let second = vec![step(true, 3, real(-100, 1), 1)];
    assert_eq!(table.tests, [Test { steps: first }, Test { steps: second }]);
    let written = "b,n,r,m\n0,-5,0.25,On\n1,7,1/3,Off\n\n1,3,-100.0,On\n";
    assert_eq!(write_csv(&program(), &table), written);
    assert_eq!(csv(written), table);
    let lines = write_jsonl(&program(), &table);
    assert_eq!(
        lines.lines().next(),
        Some(r#"{"test":0,"step":0,"b":false,"n":-5,"r":"0.25","m":"On"}"#)
    );
    assert_eq!(read_jsonl(input(&lines), &program()).value, Some(table));
}

#[test]
fn other_separators_and_repeated_names() {
    let table = csv("n;b;m;r;y\n1;1;0;0.5;1\n\nn;b;m;r;y\n2;0;1;1.5;2\n");
    assert_eq!(table.tests.len(), 2);
    assert_eq!(table.columns.len(), 5);
}

#[test]
fn columns_of_others_can_be_ignored() {
    let text = "b,time,n,r,m\n1,0.1,2,0.5,On\n";
    assert!(read_csv(input(text), &program()).value.is_none());
    let table = read_csv_with(input(text), &program(), Unknown::Ignore).value.expect("a table");
    assert_eq!(write_csv(&program(), &table), "b,n,r,m\n1,2,0.5,On\n");
    let text = r#"{"b":true,"time":0.1,"n":2,"r":0.5,"m":"On"}"#;
    assert!(read_jsonl(input(text), &program()).value.is_none());
    let again = read_jsonl_with(input(text), &program(), Unknown::Ignore).value;
    assert_eq!(again, Some(table));
}

/// A new test begins where its number changes, or where steps begin again.
#[test]
fn tests_of_json_lines() {
    let line = |head: &str| format!("{{{head}\"b\":0,\"n\":1,\"r\":2,\"m\":1}}\n");
    let text = |heads: &[&str]| heads.iter().map(|head| line(head)).collect::<String>();
    let count = |heads: &[&str]| {
        let table = read_jsonl(input(&text(heads)), &program()).value.expect("a table");
        table.tests.iter().map(|test| test.steps.len()).collect::<Vec<_>>()
    };
    assert_eq!(count(&["", ""]), [2]);
    assert_eq!(count(&["\"test\":0,", "\"test\":0,", "\"test\":1,"]), [2, 1]);
    assert_eq!(count(&["\"step\":0,", "\"step\":1,", "\"step\":0,"]), [2, 1]);
    // Tests are paired by their order, so that other numbers than those of the order are refused.
    for (heads, said, line) in [
        (&["\"test\":1,", "\"test\":0,"][..], "this is test 1, and test 0 comes here", 1),
        (&["\"test\":0,", "\"test\":2,"], "this is test 2, and test 1 comes here", 2),
        (&["\"test\":0,", "\"test\":1,", "\"test\":0,"], "this is test 0, and test 2 comes", 3),
        (&["\"step\":1,"], "this is step 1, and step 0 comes here", 1),
        (&["\"step\":0,", "\"step\":2,"], "this is step 2, and step 1 comes here", 2),
        (&["\"test\":0,\"step\":0,"; 2], "this is step 0, and step 1 comes here", 2),
        (&["\"test\":0,\"step\":0,", "\"test\":1,\"step\":1,"], "this is step 1, and", 2),
        (&["\"test\":0,", ""], "`test` is in some steps, and not in others", 2),
        (&["\"test\":\"a\","], "`test` is a number from 0, not `\"a\"`", 1),
    ] {
        let text = text(heads);
        let reading = read_jsonl(input(&text), &program());
        assert!(reading.value.is_none(), "{said}");
        let told = &reading.diagnostics[0];
        assert!(told.message.contains(said), "{}", told.message);
        assert_eq!(text[..told.span.range().start].matches('\n').count() + 1, line, "{said}");
    }
}

/// A program may have variables of these names: then they are no numbers of tests.
#[test]
fn variables_that_are_called_like_numbers() {
    let text = "node m(step: int) returns (y: int); let y = step; tel";
    let program = punctual_lang::lustre::read(input(text), None).value.expect("a program");
    let table = read_jsonl(input("{\"step\":7}\n{\"step\":3}\n"), &program).value.expect("a table");
    assert_eq!(table.tests.iter().map(|it| it.steps.len()).collect::<Vec<_>>(), [2]);
}

#[test]
fn wrong_tables() {
    let say = |text: &str| messages(&read_csv(input(text), &program()));
    let say_lines = |text: &str| messages(&read_jsonl(input(text), &program()));
    let all = [
        say(""),
        say("b,n,r\n1,2,3\n"),
        say("b,n,r,m,modee\n"),
        say("b,n,r,m,n\n"),
        say("b,n,r,m\n1,2,3\n1,2,3,4,5\n"),
        say("b,n,r,m\n2,1.5,x,Onn\n1,99999999999999999999,1/0,2\n1,,0.5,On\n"),
        say_lines(""),
        say_lines("{\"b\":1,\n"),
        say_lines("[1]\n"),
        say_lines("{\"b\":1,\"n\":1,\"r\":[],\"m\":null}\n"),
        say_lines(
            "{\"b\":1,\"n\":1,\"r\":1,\"m\":1}\n{\"b\":1,\"n\":1,\"r\":1,\"m\":1,\"y\":1}\n{}",
        ),
    ];
    insta::assert_snapshot!(all.join("\n\n"));
}

/// What was said pointed between the bytes of a character.
#[test]
fn json_that_ends_behind_a_wide_character() {
    for text in ["{\"é ", "{\"é", "{é", "é"] {
        let reading = read_jsonl(input(text), &program());
        let span = reading.diagnostics[0].span;
        assert!(text.get(span.range()).is_some(), "{text}: {span:?}");
    }
}

proptest! {
    #[test]
    fn what_is_written_is_read_again(
        steps in proptest::collection::vec(
            (any::<bool>(), any::<i64>(), any::<i32>(), 1_i64..1000, 0_u32..2), 1..20,
        ),
        cut in 1_usize..20,
    ) {
        let steps: Vec<Vec<Value>> = steps
            .into_iter()
            .map(|(b, n, above, below, m)| {
                let real = Rational::new(i128::from(above), i128::from(below));
                vec![Value::Bool(b), Value::Int(n), Value::Real(real), Value::Enum(m)]
            })
            .collect();
        let program = program();
        let tests = steps.chunks(cut).map(|steps| Test { steps: steps.to_vec() }).collect();
        let table = Table { columns: program.inputs().collect(), tests };
        let written = write_csv(&program, &table);
        let again = read_csv(input(&written), &program).value;
        prop_assert_eq!(again.as_ref(), Some(&table));
        let written = write_jsonl(&program, &table);
        let again = read_jsonl(input(&written), &program).value;
        prop_assert_eq!(again.as_ref(), Some(&table));
    }
}
