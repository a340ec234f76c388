//! JUnit XML, JSON and VCD: what they look like, and that their readers would accept them.

use std::collections::BTreeMap;

use punctual_campaign::store::{Direction, Record};
use punctual_campaign::summary::Summary;
use punctual_report::runs;
use roxmltree::{Document, Node};

use super::sample::{coffee, missing, trains};
use super::summary;

#[test]
fn junit() {
    let xml = runs::junit(&summary(), "coffee & trains");
    check_junit(&xml);
    insta::assert_snapshot!(xml);
    check_junit(&runs::junit(&Summary::default(), ""));
}

#[test]
fn json() {
    let samples = [coffee(), trains("0001", 12), super::sample::heater("0007", 7, true)];
    let summary = Summary::from_digests(samples.iter().map(|sample| sample.digest()).collect());
    let json = runs::json(&summary);
    let _: serde_json::Value = serde_json::from_str(&json).unwrap();
    insta::assert_snapshot!(json);
}

#[test]
fn vcd_of_ports() {
    let sample = super::sample::heater("0007", 7, true);
    let dump = runs::vcd(&sample.record());
    check_vcd(&dump, &sample.record());
    // The beginning, and the steps around the first one that was steered.
    let (head, body) = dump.split_once("$enddefinitions $end\n").unwrap();
    let from = body.find("#1100000000").unwrap();
    let to = body.find("#1400000000").unwrap();
    insta::assert_snapshot!(format!("{head}…\n{}…", &body[from..to]));
}

#[test]
fn vcd() {
    let dump = runs::vcd(&coffee().record());
    check_vcd(&dump, &coffee().record());
    insta::assert_snapshot!(dump);
    let broken = super::sample::broken();
    for sample in [missing(), trains("0001", 300), super::cut(), super::sample::hostile(), broken] {
        check_vcd(&runs::vcd(&sample.record()), &sample.record());
    }
}

#[test]
fn junit_names_are_stable_and_unique() {
    let heater = |name: &str, case: &str, seed: u64, run: u64| {
        let mut digest = super::sample::heater(name, 1, false).digest();
        (digest.header.case, digest.header.seed, digest.header.run) = (case.into(), seed, run);
        digest
    };
    let summary = Summary::from_digests(vec![
        heater("0010", "", 1, 2),
        heater("0001", "cold", 1, 0),
        heater("0003", "warm", 1, 0),
        heater("0002", "cold", 2, 0),
        heater("0004", "hot", 2, 0),
        heater("0005", "hot", 2, 0),
    ]);
    let xml = runs::junit(&summary, "runs");
    check_junit(&xml);
    let document = Document::parse(&xml).unwrap();
    let cases = document.descendants().filter(|node| node.has_tag_name("testcase"));
    let names: Vec<&str> = cases.map(|node| node.attribute("name").unwrap()).collect();
    let expected = [
        "cold (seed 1 run 0)",
        "cold (seed 2 run 0)",
        "warm",
        "hot (seed 2 run 0), record 0004",
        "hot (seed 2 run 0), record 0005",
        "seed 1 run 2",
    ];
    assert_eq!(names, expected);
}

/// The rules of the schema of Ant's JUnit task (`JUnit.xsd`), the strictest in use.
pub(crate) fn check_junit(xml: &str) {
    let document = Document::parse(xml).expect("well-formed XML");
    let root = document.root_element();
    assert!(root.has_tag_name("testsuites") && root.attributes().len() == 0);
    for (id, suite) in elements(root).into_iter().enumerate() {
        assert!(suite.has_tag_name("testsuite"));
        let required = "package id name timestamp hostname tests failures errors time";
        check_attributes(suite, required, "skipped");
        assert_eq!(suite.attribute("id"), Some(id.to_string().as_str()));
        let timestamp = suite.attribute("timestamp").unwrap();
        assert!(timestamp.len() == 19 && timestamp.contains('T'), "{timestamp}");
        let children = elements(suite);
        let [properties, cases @ .., out, err] = &children[..] else { panic!("{children:?}") };
        assert!(properties.has_tag_name("properties"));
        assert!(out.has_tag_name("system-out") && err.has_tag_name("system-err"));
        for property in elements(*properties) {
            assert!(property.has_tag_name("property"));
            check_attributes(property, "name value", "");
        }
        let mut counts = BTreeMap::new();
        for case in cases {
            assert!(case.has_tag_name("testcase"));
            check_attributes(*case, "name classname time", "");
            let outcomes = elements(*case);
            assert!(outcomes.len() <= 1);
            for outcome in outcomes {
                let name = outcome.tag_name().name();
                assert!(["error", "failure"].contains(&name));
                check_attributes(outcome, "type", "message");
                assert!(elements(outcome).is_empty(), "its content is text");
                *counts.entry(name).or_insert(0) += 1;
            }
        }
        let stated = |name: &str| suite.attribute(name).unwrap().parse::<usize>().unwrap();
        assert_eq!(stated("tests"), cases.len());
        assert_eq!(stated("failures"), counts.get("failure").copied().unwrap_or(0));
        assert_eq!(stated("errors"), counts.get("error").copied().unwrap_or(0));
    }
}

fn elements<'a>(node: Node<'a, 'a>) -> Vec<Node<'a, 'a>> {
    node.children().filter(Node::is_element).collect()
}

fn check_attributes(node: Node, required: &str, optional: &str) {
    let names: Vec<&str> = node.attributes().map(|attribute| attribute.name()).collect();
    for name in required.split(' ') {
        let value = node.attribute(name).unwrap_or_else(|| panic!("no {name} in {node:?}"));
        match name {
            "time" => assert!(value.parse::<f64>().is_ok_and(f64::is_finite), "{value}"),
            "tests" | "failures" | "errors" | "id" => assert!(value.parse::<i32>().is_ok()),
            _ => assert!(!value.is_empty(), "{name} is empty"),
        }
    }
    for name in names {
        assert!(required.split(' ').chain(optional.split(' ')).any(|it| it == name), "{name}");
    }
}

/// Reads a value change dump as a wave viewer does: declarations, then changes in order of time.
pub(crate) fn check_vcd(dump: &str, record: &Record) {
    let (head, body) = dump.split_once("$enddefinitions $end\n").expect("definitions");
    let mut words = head.split_whitespace();
    let mut variables: BTreeMap<&str, (&str, u32)> = BTreeMap::new();
    let (mut depth, mut names) = (0, Vec::new());
    while let Some(word) = words.next() {
        let section: Vec<&str> = words.by_ref().take_while(|word| *word != "$end").collect();
        match (word, &section[..]) {
            ("$scope", ["module", _]) => depth += 1,
            ("$upscope", []) => depth -= 1,
            ("$var", [kind, bits, id, name]) => {
                assert!(["event", "integer", "wire", "string", "real"].contains(kind));
                assert!(id.bytes().all(|byte| (b'!'..=b'~').contains(&byte)));
                assert!(!names.contains(name) && !name.starts_with('$'), "{name}");
                names.push(name);
                assert!(variables.insert(id, (kind, bits.parse().unwrap())).is_none());
            }
            ("$date" | "$version", _) => {}
            ("$timescale", ["1", "ns"]) => {}
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(depth, 0, "scopes are closed");
    let (mut now, mut n_events) = (None, 0);
    for line in body.lines() {
        let mut chars = line.chars();
        let first = chars.next().expect("no empty line");
        let (kind, rest) = (first, chars.as_str());
        if kind == '#' {
            let at: u64 = rest.parse().expect("an instant");
            assert!(now.is_none_or(|now| at > now), "time goes on");
            now = Some(at);
            continue;
        }
        assert!(now.is_some(), "an instant comes first");
        let (value, id) = match kind {
            '0' | '1' => (line.get(..1).unwrap(), rest),
            _ => rest.split_once(' ').expect("a value and an identifier"),
        };
        let (declared, bits) = variables[id];
        match declared {
            "event" => n_events += usize::from(kind == '1'),
            "wire" => assert!("01".contains(kind) || (kind == 'b' && "01".contains(value))),
            "real" => assert!(kind == 'r' && value.parse::<f64>().is_ok_and(f64::is_finite)),
            "string" => assert!(kind == 's' && !value.is_empty()),
            _ => {
                assert!(kind == 'b' && value.len() <= bits as usize);
                assert!(value == "x" || value.bytes().all(|byte| byte == b'0' || byte == b'1'));
            }
        }
    }
    let restart = |line: &&punctual_campaign::store::Line| {
        matches!(line, punctual_campaign::store::Line::Restart(_))
    };
    let n_restarts = record.lines.iter().filter(restart).count();
    assert_eq!(n_events, record.events().count() + n_restarts, "each event is in the dump");
    let inputs = record.header.signals.iter().filter(|it| it.direction == Direction::Input);
    assert!(variables.len() >= inputs.count() + 4);
}
