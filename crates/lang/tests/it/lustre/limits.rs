//! Large and deep programs: bounded time, never a crash.

use std::fmt::Write as _;

use punctual_lang::{Input, lustre};

fn codes(text: &str) -> Vec<&'static str> {
    let reading = lustre::read(Input { name: "model.lus", bytes: text.as_bytes() }, None);
    if let Some(program) = &reading.value {
        lustre::write(program);
    }
    reading.diagnostics.iter().filter(|it| it.is_error()).map(|it| it.code).collect()
}

fn main_node(right: &str) -> String {
    format!("node main(x: bool; n: int) returns (y: bool);\nlet\n  y = {right};\ntel;\n")
}

#[test]
fn deep_expressions() {
    for depth in [1_000, 100_000] {
        let nested = [
            format!("{}x{}", "(".repeat(depth), ")".repeat(depth)),
            format!("{}x", "not ".repeat(depth)),
            format!("{}x", "pre ".repeat(depth)),
            vec!["x"; depth].join(" and "),
            vec!["x"; depth].join(" => "),
            vec!["x"; depth].join(" -> "),
            format!("{}x", "if x then x else ".repeat(depth)),
            format!("{}1 > 0", "- ".repeat(depth)),
            format!("{}0{} = 0", "[".repeat(depth), "][0]".repeat(depth)),
            "(".repeat(depth),
            "[".repeat(depth),
            "if ".repeat(depth),
            format!("x when {}", "(".repeat(depth)),
        ];
        for text in nested {
            let shown = &text[..20];
            // It is said, or it is read.
            let codes = codes(&main_node(&text));
            let fine = |code: &&str| {
                let expected = ["lustre::too_deep", "lustre::syntax", "lustre::uninitialised"];
                expected.contains(code)
            };
            assert!(codes.iter().all(fine), "{shown}: {codes:?}");
            assert!(depth < 10_000 || !codes.is_empty() || text.starts_with("[["), "{shown}");
        }
    }
}

#[test]
fn long_chains_of_variables() {
    let n = 20_000;
    let mut text = "node main(x: int) returns (y: int);\nvar\n".to_owned();
    (0..n).for_each(|i| writeln!(text, "  v{i}: int;").expect("text"));
    text += "let\n  y = v0;\n";
    (0..n - 1).for_each(|i| writeln!(text, "  v{i} = v{} + 1;", i + 1).expect("text"));
    assert_eq!(codes(&format!("{text}  v{} = x;\ntel;\n", n - 1)), [""; 0]);
    assert_eq!(codes(&format!("{text}  v{} = v7;\ntel;\n", n - 1)), ["lustre::cycle"]);
}

/// Each node calls the one before twice.
#[test]
fn calls_that_double() {
    let mut text = "node n0(x: int) returns (y: int); let y = x; tel\n".to_owned();
    for i in 1..40 {
        let before = i - 1;
        writeln!(
            text,
            "node n{i}(x: int) returns (y: int); let y = n{before}(x) + n{before}(x + 1); tel"
        )
        .expect("text");
    }
    assert_eq!(codes(&text), ["lustre::too_large"]);
}

#[test]
fn chains_of_calls() {
    let chain = |n: usize| {
        let mut text = "node n0(x: int) returns (y: int); let y = x; tel\n".to_owned();
        for i in 1..n {
            let before = i - 1;
            writeln!(text, "node n{i}(x: int) returns (y: int); let y = n{before}(x); tel")
                .expect("text");
        }
        text
    };
    assert_eq!(codes(&chain(300)), [""; 0]);
    assert_eq!(codes(&chain(5_000)), ["lustre::too_deep"]);
}

#[test]
fn large_arrays() {
    let text = "node main(i: int; a: int^4096) returns (y: int);
                let y = a[i] + a[a[i]] + (a[i := 1])[i]; tel";
    assert_eq!(codes(text), [""; 0]);
    assert_eq!(codes(&text.replace("4096", "4097")), ["lustre::array_size"]);
}

/// Types and constants that are made of each other, in the worst order.
#[test]
fn chains_of_declarations() {
    let n = 30_000;
    let mut text = String::new();
    (0..n).for_each(|i| writeln!(text, "const c{i} = c{} + 1;", i + 1).expect("text"));
    writeln!(text, "const c{n} = 0;").expect("text");
    let found = codes(&format!("{text}{}", main_node("x and c0 > 0")));
    assert!(!found.is_empty() && found.iter().all(|code| *code == "lustre::too_deep"), "{found:?}");
    let mut text = String::new();
    (0..n).for_each(|i| writeln!(text, "type t{i} = t{}^1;", i + 1).expect("text"));
    writeln!(text, "type t{n} = int;").expect("text");
    assert!(!codes(&format!("{text}{}", main_node("x"))).is_empty());
}

/// Nothing is declared: what may be meant is not looked for each time.
#[test]
fn many_unknown_names() {
    let mut text = "node main() returns ();\nlet\n".to_owned();
    (0..20_000).for_each(|i| writeln!(text, "  v{i} = w{i} + f{i}(0);").expect("text"));
    assert!(codes(&format!("{text}tel;\n")).len() >= 60_000);
}
