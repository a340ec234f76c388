//! Folders that nobody wrote for a good reason: bounded time and memory, never a crash.

use std::fmt::Write;

use super::read;

const DOMAIN: &str = "=== a.puml\nclass S { b: Boolean\n n: Integer }\n";

fn codes(text: &str) -> Vec<&'static str> {
    let folder = read(text);
    let all = folder.sources.iter().flat_map(|source| &source.diagnostics);
    all.filter(|it| it.is_error()).map(|it| it.code).collect()
}

fn ocl(body: &str) -> Vec<&'static str> {
    codes(&format!("{DOMAIN}=== a.ocl\ncontext S inv: {body}\n"))
}

#[test]
fn deep_expressions_are_refused() {
    for depth in [50, 5_000, 100_000] {
        let nested = format!("{}b{}", "(".repeat(depth), ")".repeat(depth));
        let negated = format!("{}b", "not ".repeat(depth));
        let iterated =
            format!("{}b{}", "S.allInstances()->exists(".repeat(depth), ")".repeat(depth));
        for body in [nested, negated, iterated] {
            let expected: &[&str] = if depth > 200 { &["ocl::too_deep"] } else { &[] };
            assert_eq!(ocl(&body), expected, "{depth}");
        }
    }
}

#[test]
fn long_chains_are_balanced() {
    for operator in ["and", "or"] {
        let chain = vec!["b"; 50_000].join(&format!(" {operator} "));
        assert_eq!(ocl(&chain), [""; 0]);
        let closed = vec!["(n > 1)"; 20_000].join(&format!(" {operator} "));
        assert_eq!(ocl(&closed), [""; 0]);
    }
    assert_eq!(ocl(&format!("n > {}", vec!["n"; 10_000].join(" + "))), ["ocl::too_deep"]);
}

#[test]
fn many_mistakes_take_no_time() {
    let mut text = DOMAIN.to_owned();
    for i in 0..3_000 {
        writeln!(text, "class Class{i} {{ value{i}: Integer }}").expect("a text");
    }
    text += "=== a.ocl\n";
    for i in 0..20_000 {
        writeln!(text, "-- \"the sentence {i}\"\ncontext Clas{i} inv: valu{i} > 1")
            .expect("a text");
    }
    assert_eq!(codes(&text).len(), 20_000);
}

#[test]
fn long_flows_and_many_flows() {
    let steps = |n: usize| -> String {
        (1..=n).map(|i| format!("{i}. The system VALIDATES THAT x is {i}.\n")).collect()
    };
    let text = |n: usize, flows: usize| {
        let mut text = format!("=== a.md\n## Use Case: A\n### Basic Flow\n{}", steps(n));
        for i in 1..=flows {
            let of = format!("RFS 1-{n}\n1. IF y is {i} THEN\n2. ABORT.\n3. ENDIF\n");
            text += &format!("### Bounded Alternative Flow - {i}\n{of}");
        }
        text
    };
    assert_eq!(codes(&text(1_000, 900)), [""; 0]);
    assert_eq!(codes(&text(1_001, 0)), ["rucm::too_large"]);
    assert_eq!(codes(&text(1, 1_000)), ["rucm::too_large"]);
}

#[test]
fn nested_blocks_are_refused() {
    let nested = |n: usize| {
        let mut text = "=== a.md\n## Use Case: A\n### Basic Flow\n".to_owned();
        (1..=n).for_each(|i| text += &format!("{i}. IF x is {i} THEN\n"));
        text += &format!("{}. The system sets x.\n", n + 1);
        (n + 2..=2 * n + 1).for_each(|i| text += &format!("{i}. ENDIF\n"));
        text
    };
    assert_eq!(codes(&nested(100)), [""; 0]);
    assert_eq!(codes(&nested(300)), ["rucm::block"]);
}

#[test]
fn long_lineages_are_refused() {
    for is_upwards in [false, true] {
        let arrow = |i: usize| format!("C{i} <|-- C{}\n", i + 1);
        let mut lines: Vec<String> = (0..3_000).map(arrow).collect();
        if is_upwards {
            lines.reverse();
        }
        let classes: String = (0..=3_000).map(|i| format!("class C{i}\n")).collect();
        let codes = codes(&format!("=== a.puml\n{classes}{}", lines.concat()));
        assert!(!codes.is_empty() && codes.iter().all(|it| *it == "puml::too_large"), "{codes:?}");
    }
}

#[test]
fn many_classes_and_sections_are_refused() {
    let arrows: String = (0..20_000).map(|i| format!("A{i} -- B{i}\n")).collect();
    assert_eq!(codes(&format!("=== a.puml\n{arrows}")), ["puml::too_large"]);
    let classes: String = (0..20_000).map(|i| format!("class A{i}\n")).collect();
    assert_eq!(codes(&format!("=== a.puml\n{classes}")), ["puml::too_large"]);
    let sections: String = (0..20_000).map(|i| format!("### Extra {i}\n")).collect();
    let text =
        format!("=== a.md\n## Use Case: A\n{sections}### Basic Flow\n1. The system sets x.\n");
    assert_eq!(codes(&text), ["rucm::too_large"]);
}

#[test]
fn large_files_are_refused() {
    let text = format!("=== a.md\n{}", "x".repeat(punctual_lang::usecases::BYTES_MAX + 1));
    assert_eq!(codes(&text), ["usecases::size"]);
}

/// A use case that includes the next, a thousand times.
#[test]
fn long_chains_of_includes() {
    let mut text = "=== a.md\n".to_owned();
    for i in 0..5_000 {
        let next = (i + 1) % 5_000;
        write!(text, "## Use Case: U{i}\n### Basic Flow\n1. INCLUDE USE CASE U{next}.\n")
            .expect("a text");
    }
    assert_eq!(codes(&text), ["rucm::include"]);
}
