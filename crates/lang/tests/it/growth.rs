//! Every reader takes time in proportion to what it reads: four times the input takes about four times as long, and far less
//! than sixteen times.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use punctual_lang::{
    Input, convert,
    format::Format,
    lints::lints,
    lustre, read, read_with_queries, suite, testing,
    traces::{Options, read_all},
};

/// A reader whose time grows with the square of the input takes sixteen times as long.
const MOST: f64 = 9.0;
/// How often a comparison may go wrong, less one.
const ROUNDS: usize = 6;
/// Shorter times say nothing.
const FLOOR: Duration = Duration::from_millis(3);

#[expect(clippy::disallowed_methods, reason = "measures how readers grow")]
fn now() -> Instant {
    Instant::now()
}

/// How long it takes at least, of some tries.
fn least(mut work: impl FnMut()) -> Duration {
    let once = |_| {
        let begun = now();
        work();
        begun.elapsed()
    };
    (0..3).map(once).min().unwrap_or_default()
}

#[track_caller]
fn grows(what: &str, n: usize, make: impl Fn(usize) -> String, mut work: impl FnMut(&str)) {
    let (small, large) = (make(n), make(4 * n));
    assert!(large.len() > 3 * small.len() && large.len() < 6 * small.len(), "{what}");
    // A busy machine may be slow at the wrong moment, but not each time.
    let (mut before, mut after) = (Duration::ZERO, Duration::MAX);
    for _ in 0..ROUNDS {
        before = least(|| work(&small)).max(FLOOR);
        after = least(|| work(&large));
        if after.as_secs_f64() < MOST * before.as_secs_f64() {
            return;
        }
    }
    panic!("{what}: {before:?} for {n}, {after:?} for {}", 4 * n);
}

fn edges(n: usize) -> String {
    let mut text = "clock x; int v; chan c; process P() { state A; init A; trans".to_owned();
    for i in 0..n {
        let comma = if i == 0 { "" } else { "," };
        let _ = write!(
            text,
            "{comma} A -> A {{ guard x >= {i} && v == {i}; sync c!; assign x = 0, v = {i}; }}"
        );
    }
    text + "; } system P;"
}

fn accept(name: &str, text: &str) {
    let reading = read(name, text.as_bytes());
    assert!(reading.model.is_some(), "{name}: {:?}", reading.diagnostics.first());
}

#[test]
fn models() {
    grows("edges", 500, edges, |text| accept("m.xta", text));
    let locations = |n: usize| {
        let names: Vec<String> = (0..n).map(|i| format!("L{i}")).collect();
        let trans: Vec<String> = (1..n).map(|i| format!("L{} -> L{i} {{ }}", i - 1)).collect();
        format!(
            "process P() {{ state {}; init L0; trans {}; }} system P;",
            names.join(","),
            trans.join(",")
        )
    };
    grows("locations", 800, locations, |text| accept("m.xta", text));
    let variables = |n: usize| {
        let all: String = (0..n).map(|i| format!("int v{i} = {i}; clock x{i};\n")).collect();
        all + "process P() { state A; init A; } system P;"
    };
    grows("variables", 1000, variables, |text| accept("m.xta", text));
    let processes = |n: usize| {
        let all: String = (0..n).map(|i| format!("P{i:06} = P({i:06});\n")).collect();
        let names: Vec<String> = (0..n).map(|i| format!("P{i:06}")).collect();
        format!("process P(int i) {{ state A; init A; }} {all} system {};", names.join(","))
    };
    grows("processes", 400, processes, |text| accept("m.xta", text));
    let tchecker = |n: usize| {
        let mut text = "system:s\nevent:e\nclock:1:x\nprocess:P\n".to_owned();
        (0..n).for_each(|i| text.push_str(&format!("location:P:l{i:06}{{initial:}}\n")));
        (1..n).for_each(|i| {
            text.push_str(&format!("edge:P:l{:06}:l{i:06}:e{{provided:x>={i}}}\n", i - 1))
        });
        text
    };
    grows("tchecker", 500, tchecker, |text| accept("m.tck", text));
}

#[test]
fn errors_and_lints() {
    let typos = |n: usize| {
        let mut text = "int alpha; process P() { state A; init A; trans".to_owned();
        for i in 0..n {
            let comma = if i == 0 { "" } else { "," };
            let _ = write!(text, "{comma} A -> A {{ guard alhpa{i:06} == 1; }}");
        }
        text + "; } system P;"
    };
    grows("typos", 500, typos, |text| assert!(read("m.xta", text.as_bytes()).model.is_none()));
    // Each of them could mean any of the names before it.
    let unknown = |n: usize| {
        let all: String = (0..n).map(|i| format!("int a{i:06} = b{i:06};\n")).collect();
        all + "process P() { state A; init A; } system P;"
    };
    grows("unknown names", 1000, unknown, |text| {
        assert!(read("m.xta", text.as_bytes()).model.is_none());
    });
    let node = b"node m(a: int) returns (b: int); let b = a; tel";
    let program = lustre::read(Input { name: "m.lus", bytes: node }, None).value;
    let program = program.expect("a program");
    let columns = |n: usize| (0..n).map(|i| format!("c{i:06},")).collect::<String>() + "a\n";
    grows("unknown columns", 3000, columns, |text| {
        let input = Input { name: "t.csv", bytes: text.as_bytes() };
        assert!(lustre::traces::read_csv(input, &program).value.is_none());
    });
    let noise = |n: usize| ",;)(}{]=".repeat(n);
    grows("noise", 4000, noise, |text| assert!(read("m.xta", text.as_bytes()).model.is_none()));
    grows("lints", 300, edges, |text| {
        let model = read("m.xta", text.as_bytes()).model.expect("a model");
        assert_eq!(lints(&model, &[]).len(), 1);
    });
}

#[test]
fn files_about_models() {
    let model =
        Input { name: "m.xta", bytes: b"int n; process P() { state A; init A; } system P;" };
    let queries = |n: usize| (0..n).map(|i| format!("E<> P.A and n == {i:06}\n")).collect();
    grows("queries", 500, queries, |text| {
        let queries = Input { name: "m.q", bytes: text.as_bytes() };
        assert!(read_with_queries(model, Some(queries)).query_diagnostics.is_empty());
    });
    let program = |n: usize| {
        let mut text = "node main(a: int) returns (b: int);\nvar\n".to_owned();
        (0..n).for_each(|i| text.push_str(&format!("v{i:06}: int;\n")));
        text += "let\nv000000 = a;\n";
        (1..n).for_each(|i| text.push_str(&format!("v{i:06} = v{:06} + {i};\n", i - 1)));
        let _ = write!(text, "b = v{:06};\ntel\n", n - 1);
        text
    };
    grows("lustre", 400, program, |text| {
        let reading = lustre::read(Input { name: "m.lus", bytes: text.as_bytes() }, None);
        assert!(reading.value.is_some(), "{:?}", reading.diagnostics.first());
    });
}

/// A model as another format has it.
fn written(text: &str, format: Format) -> String {
    let model = read("m.xta", text.as_bytes()).model.expect("a model");
    convert::write(&model, format).expect("it can be said").0
}

#[test]
fn models_of_other_formats() {
    grows("XML", 400, |n| written(&edges(n), Format::UppaalXml), |text| accept("m.xml", text));
    grows("JSON", 400, |n| written(&edges(n), Format::Json), |text| accept("m.json", text));
    let tags = |n: usize| "<template><name>".repeat(n);
    grows("open tags", 2000, tags, |text| {
        assert!(read("m.xml", text.as_bytes()).model.is_none());
    });
    let entities = |n: usize| format!("<nta><declaration>{}</declaration></nta>", "&lt;".repeat(n));
    grows("entities", 4000, entities, |text| {
        assert!(read("m.xml", text.as_bytes()).model.is_none());
    });
    let brackets = |n: usize| "[{\"a\":".repeat(n);
    grows("open brackets", 4000, brackets, |text| {
        assert!(read("m.json", text.as_bytes()).model.is_none());
    });
}

#[test]
fn interfaces_and_suites() {
    let model = |n: usize| {
        let channels: String = (0..n).map(|i| format!("chan c{i:06};\n")).collect();
        channels + "process P() { state A; init A; } system P;"
    };
    let network = read("m.xta", model(4000).as_bytes()).model.expect("a model").network;
    let interface = |n: usize| {
        let names: Vec<String> = (0..n).map(|i| format!("\"c{i:06}\"")).collect();
        format!("[interface]\ninputs = [{}]\noutputs = []\ntime-unit = \"1ms\"\n", names.join(", "))
    };
    grows("interface", 1000, interface, |text| {
        let input = Input { name: "punctual.toml", bytes: text.as_bytes() };
        let reading = testing::read(&network, input);
        assert!(reading.value.is_some(), "{:?}", reading.diagnostics.first());
    });
    let lamp = crate::traces::lamp();
    let cases = |n: usize| {
        let case = |i| {
            format!(
                "[[case]]\nname = \"case {i:06}\"\nsteps = [{{ input = \"grasp\" }}, {{ wait = {i} }}]\n"
            )
        };
        (0..n).map(case).collect()
    };
    let steps = |n: usize| {
        let steps = "    { input = \"grasp\" },\n    { wait = 1 },\n".repeat(n);
        format!("[[case]]\nname = \"long\"\nsteps = [\n{steps}]\n")
    };
    let accept = |text: &str| {
        let input = Input { name: "suite.toml", bytes: text.as_bytes() };
        let reading = suite::read(input, &lamp, None, &mut |_| Err("there is none".to_owned()));
        assert!(reading.value.is_some(), "{:?}", reading.diagnostics.first());
    };
    grows("cases", 2000, cases, accept);
    grows("steps of a case", 1000, steps, accept);
}

#[test]
fn traces() {
    let lamp = crate::traces::lamp();
    let grown = |name: &'static str, head: &'static str, line: fn(usize) -> String| {
        let make = |n: usize| (0..n).fold(head.to_owned(), |text, i| text + &line(i));
        grows(name, 2000, make, |text| {
            let traces = read_all(name, text.as_bytes(), &lamp, Options::default());
            assert!(traces.is_ok(), "{:?}", traces.err());
        });
    };
    grown("t.jsonl", "{\"unit\":\"ms\"}\n", |i| {
        format!("{{\"at\":{}.5,\"input\":\"grasp\"}}\n", 100_000 + i)
    });
    grown("t.csv", "time_ms,signal,values\n", |i| format!("{i:06},level,3\n"));
    grown("t.log", "input grasp(), release();\noutput level(adapLevel);\n", |_| {
        "delay 5\ngrasp()\n".to_owned()
    });
    grown(
        "t.vcd",
        "$timescale 1 us $end\n$var event 1 ! grasp $end\n$var event 1 \" release $end\n$var wire 4 # level $end\n$var event 1 & say__hi $end\n$var integer 32 % say__hi.x $end\n$var integer 32 * say__hi.y $end\n$enddefinitions $end\n",
        |i| format!("#{:07}\n1!\n", i + 1),
    );
}

#[test]
fn use_cases() {
    const BASIC: &str = "### Basic Flow\n1. The system VALIDATES THAT the scale is ready.\nPostcondition: The scale is ready.\n";
    const DIAGRAM: &str = "class Scale {\n  load: Integer\n  isReady: Boolean\n}\n";
    const CONSTRAINT: &str = "-- \"the scale is ready\"\ncontext Scale inv: isReady\n";
    let accept = |files: [&str; 3]| {
        let names = ["a.md", "a.puml", "a.ocl"];
        let inputs = names.iter().zip(files);
        let inputs: Vec<Input<'_>> =
            inputs.map(|(name, text)| Input { name, bytes: text.as_bytes() }).collect();
        let folder = punctual_lang::usecases::read(&inputs);
        let wrong = folder.sources.iter().find_map(|it| it.diagnostics.first());
        assert!(folder.value.is_some(), "{wrong:?}");
    };
    let text = |n: usize| (0..n).map(|i| format!("## Use Case: Weigh {i:06}\n{BASIC}")).collect();
    grows("use cases", 200, text, |text| accept([text, DIAGRAM, CONSTRAINT]));
    let classes = |n: usize| {
        let class = |i| format!("class C{i:06} {{\n  load: Integer\n}}\n");
        DIAGRAM.to_owned() + &(0..n).map(class).collect::<String>()
    };
    let one = format!("## Use Case: Weigh\n{BASIC}");
    grows("classes", 500, classes, |text| accept([&one, text, CONSTRAINT]));
    let constraints = |n: usize| {
        let invariant = |i| format!("context Scale inv: load <> {i:06} or isReady\n");
        CONSTRAINT.to_owned() + &(0..n).map(invariant).collect::<String>()
    };
    grows("constraints", 500, constraints, |text| accept([&one, DIAGRAM, text]));
}
