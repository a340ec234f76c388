//! Models that tools write, or that somebody mistyped: bounded time and memory, never a crash.

use std::fmt::Write as _;

use punctual_lang::Reading;

/// Reads a model in the text format with these global declarations, process body and queries.
fn read(declarations: &str, body: &str, system: &str) -> Reading {
    let text = format!(
        "{declarations}\nprocess P() {{\n state A, B; init A;\n {body} }}\n{system}\nsystem P;\n"
    );
    punctual_lang::read("model.xta", text.as_bytes())
}

/// The codes of all errors.
fn errors(reading: &Reading) -> Vec<&'static str> {
    reading.diagnostics.iter().filter(|d| d.is_error()).map(|d| d.code).collect()
}

fn accepted(reading: &Reading) -> &punctual_model::Network {
    assert_eq!(errors(reading), [""; 0]);
    &reading.model.as_ref().expect("no error").network
}

#[test]
fn long_chains() {
    for operator in ["&&", "||", "+", "imply", "xor", "<?"] {
        let chain = vec!["n"; 10_000].join(&format!(" {operator} "));
        let sums = vec!["x <= n"; 5_000].join(" && ");
        let body = format!("trans A -> B {{ guard {chain}; }}, A -> B {{ guard m || ({sums}); }};");
        let reading = read("int n; bool m; clock x;", &body, "");
        // However deep the reader goes: it must say so or give the model.
        match errors(&reading).as_slice() {
            [] => drop(accepted(&reading)),
            codes => assert!(codes.iter().all(|code| *code == "parse::too_deep"), "{codes:?}"),
        }
    }
}

#[test]
fn long_sums_of_clocks() {
    let sum = vec!["1"; 2_000].join(" + ");
    let body = format!("trans A -> B {{ guard x < {sum} + y; }};");
    accepted(&read("clock x, y;", &body, ""));
}

#[test]
fn deep_nesting() {
    for depth in [50, 500, 5_000, 100_000] {
        let nested = format!("{}n{}", "(".repeat(depth), ")".repeat(depth));
        let negated = format!("{}n", "!".repeat(depth));
        let indexed = format!("{}0{}", "a[".repeat(depth), "]".repeat(depth));
        for expr in [nested, negated, indexed] {
            let body = format!("trans A -> B {{ guard {expr} == 0; }};");
            read("int n; int a[3];", &body, "");
        }
        let blocks = format!("void f() {{ {} {} }}", "{".repeat(depth), "}".repeat(depth));
        read(&blocks, "", "");
    }
}

#[test]
fn long_initialisers() {
    let list = vec!["7"; 100_000].join(", ");
    let network = read(&format!("int a[100000] = {{{list}}};"), "", "");
    assert_eq!(accepted(&network).initial.ints.len(), 100_000);
    let pairs = vec!["{y: 1, x: 2}"; 30_000].join(", ");
    let declarations =
        format!("const struct {{ int x; int y; }} a[30000] = {{{pairs}}}; int n = a[29999].x;");
    assert_eq!(accepted(&read(&declarations, "", "")).initial.ints, [2]);
}

#[test]
fn large_arrays() {
    let network = read("int a[1000][1000]; bool b[1000000]; clock x[1000];", "", "");
    assert_eq!(accepted(&network).initial.ints.len(), 2_000_000);
    // Together they are too many, and are refused before memory is spent on them.
    let many: String = (0..2_000).map(|i| format!("int a{i}[16000000];\n")).collect();
    let codes = errors(&read(&many, "", ""));
    assert!(codes.len() > 1_000 && codes.iter().all(|code| *code == "array::too_large"));
    for declaration in [
        "int a[2147483647];",
        "int a[65536][65536];",
        "int a[int[0, 2147483647]];",
        "int a[int[-2147483648, 2147483647]];",
        "chan c[10000000];",
        "scalar[2000000000] s;",
    ] {
        assert_eq!(errors(&read(declaration, "", "")).len(), 1, "{declaration}");
    }
    let locals = "void f() { int a[16000000]; int b[16000000]; a[0] = b[1]; }";
    assert_eq!(errors(&read(locals, "", "")), ["function::too_large"]);
}

#[test]
fn large_ranges() {
    let body = "trans A -> B { select i : int[0, 2147483647]; \
                guard forall (j : int[-2147483647, 2147483647]) j + i > n; assign n = i; };";
    accepted(&read("int n;", body, ""));
    let clocks = "trans A -> B { guard forall (j : int[0, 2147483647]) x > j; };";
    assert_eq!(errors(&read("clock x;", clocks, "")), ["range::too_many_cases"]);
    let constant = "const int N = sum (i : int[0, 2147483647]) 0;";
    assert_eq!(errors(&read(constant, "", "")), ["constant::failed"]);
    let copies = "int f() { int a[1000000]; int b[1000000]; int i = 0; \
                  while (i < 30000) { a = b; i++; } return 1; } const int N = f();";
    assert_eq!(errors(&read(copies, "", "")), ["constant::failed"]);
}

/// All constants of a model together have a budget.
#[test]
fn slow_constants() {
    let mut declarations = "int f(int n) { int i; int[0, 2000000] s = 0; \
                            for (i = 0; i < 30000; i++) s += 1; return n; }\n"
        .to_owned();
    for i in 0..2_000 {
        writeln!(declarations, "const int N{i} = f({i});").expect("text");
    }
    assert!(errors(&read(&declarations, "", "")).contains(&"constant::failed"));
}

/// What was faulty once is not looked at again: this would take 2 to the power of 100 steps.
#[test]
fn faulty_functions_are_built_once() {
    let mut declarations = "int f0() { return nothing; }\n".to_owned();
    for i in 1..100 {
        let below = i - 1;
        writeln!(declarations, "int f{i}() {{ return f{below}() + f{below}(); }}").expect("text");
    }
    let body = "trans A -> B { guard f99() > 1; };";
    assert_eq!(errors(&read(&declarations, body, "")), ["name::unknown"]);
}

#[test]
fn long_chains_of_calls() {
    let mut declarations = "int f0() { return 1; }\n".to_owned();
    for i in 1..1_000 {
        writeln!(declarations, "int f{i}() {{ return f{}(); }}", i - 1).expect("text");
    }
    assert!(errors(&read(&declarations, "", "")).contains(&"function::too_deep"));
}

#[test]
fn large_systems() {
    let model = "int[0, 5] n[2000]; chan go[2000]; clock x;\n\
        process P(int[0, 1999] id) { clock y; int own; void f() { own = n[id]; }\n\
        state A { y <= 5 }, B, C; init A;\n\
        trans A -> B { guard y > 2 && n[id] < 5; sync go[id]!; assign f(), y = 0; },\n\
              B -> C { select i : int[0, 1999]; guard i != id; sync go[i]?; assign n[i] = 1; },\n\
              C -> A { }; }\nsystem P;\n";
    let reading = punctual_lang::read("model.xta", model.as_bytes());
    let network = accepted(&reading);
    assert_eq!((network.processes.len(), network.clocks.len()), (2_000, 2_001));
    let huge = model.replace("int[0, 1999] id", "int[0, 1999] id, int[0, 1999] other");
    let reading = punctual_lang::read("model.xta", huge.as_bytes());
    assert_eq!(errors(&reading), ["system::too_many_processes"]);
}

/// Instances of instances of instances.
#[test]
fn long_chains_of_instances() {
    let mut system = "I0 = P();\n".to_owned();
    for i in 1..3_000 {
        writeln!(system, "I{i}() = I{}();", i - 1).expect("text");
    }
    let text = format!("process P() {{ state A; init A; }}\n{system}system I2999;\n");
    let reading = punctual_lang::read("model.xta", text.as_bytes());
    assert_eq!(accepted(&reading).processes.len(), 1);
}

/// A quantifier over processes inside a quantifier over processes inside …
#[test]
fn large_queries() {
    let mut query = String::new();
    for i in 0..8 {
        write!(query, "forall (i{i} : int[0, 99]) ").expect("text");
    }
    let xml = format!(
        "<nta><template><name>P</name><parameter>int[0, 99] id</parameter><location id=\"a\">\
         <name>A</name></location><init ref=\"a\"/></template><system>system P;</system>\
         <queries><query><formula>A[] {query} P(i0).A</formula></query></queries></nta>"
    );
    let reading = punctual_lang::read("model.xml", xml.as_bytes());
    let model = reading.model.expect("the model is fine");
    let codes: Vec<_> = model.queries[0].diagnostics.iter().map(|d| d.code).collect();
    assert_eq!(codes, ["range::too_many_cases"]);
}
