//! Deep and long texts: read or refused, but never with an overflow of the stack.

use punctual_lang::Text;
use punctual_lang::diagnostic::Diagnostics;
use punctual_lang::uppaal::parse;

/// What is said about a text, when it is read with the stack that tests and threads get.
fn codes(text: String, read: fn(&Text, &mut Diagnostics)) -> Vec<&'static str> {
    let reader = std::thread::Builder::new().stack_size(2 << 20).spawn(move || {
        let mut diagnostics = Diagnostics::new();
        read(&Text::verbatim(&text, 0), &mut diagnostics);
        diagnostics.iter().map(|diagnostic| diagnostic.code).collect()
    });
    reader.expect("a thread starts").join().expect("the parser does not panic")
}

fn expression(text: &Text, diagnostics: &mut Diagnostics) {
    parse::expression(text, diagnostics);
}

fn declarations(text: &Text, diagnostics: &mut Diagnostics) {
    parse::declarations(text, diagnostics);
}

fn query(text: &Text, diagnostics: &mut Diagnostics) {
    parse::query(text, diagnostics);
}

const REFUSED: [&str; 1] = ["parse::too_deep"];

#[test]
fn what_nests_is_read_up_to_a_bound() {
    let nested = |open: &str, close: &str, n| open.repeat(n) + "1" + &close.repeat(n);
    let forms = [
        ("(", ")"),
        ("a[", "]"),
        ("f(", ")"),
        ("f(2, a[", "])"),
        ("c ? (", ") : 2"),
        ("forall (i : T) ", ""),
        ("forall (i : int[0, ", "]) x"),
        ("c ? ", " : 2"),
        ("1 + 2 * -(3 || !a.b[", "])"),
    ];
    for (open, close) in forms {
        let none: [&str; 0] = [];
        assert_eq!(codes(nested(open, close, 60), expression), none, "{open}");
        assert_eq!(codes(nested(open, close, 10_000), expression), REFUSED, "{open}");
        let in_query = format!("E<> {}", nested(open, close, 10_000));
        assert_eq!(codes(in_query, query), REFUSED, "{open}");
        assert_eq!(codes(open.repeat(10_000), expression), REFUSED, "{open} alone");
    }
    for (open, close) in [
        ("{", "}"),
        ("if (x) ", ""),
        ("while (x) { ", "}"),
        ("if (x) {} else {", "}"),
        ("do ", " while (x);"),
        ("for (i : T) ", ""),
        ("for (i = 0; i < 3; i++) ", ""),
    ] {
        let body = |n| format!("void f() {{ {}; {} }}", open.repeat(n), close.repeat(n));
        assert!(codes(body(60), declarations).is_empty(), "{open}");
        assert_eq!(codes(body(10_000), declarations), REFUSED, "{open}");
    }
    let structs = |n| format!("{} int {} x;", "struct { ".repeat(n), " a; }".repeat(n));
    assert!(codes(structs(60), declarations).is_empty());
    assert_eq!(codes(structs(10_000), declarations), REFUSED);
    let list = |n| format!("int x = {}1{};", "{".repeat(n), "}".repeat(n));
    assert!(codes(list(60), declarations).is_empty());
    assert_eq!(codes(list(10_000), declarations), REFUSED);
}

#[test]
fn chains_are_read_up_to_a_bound() {
    for (link, end) in [
        ("a + ", "a"),
        ("a && ", "a"),
        ("a imply ", "a"),
        ("a = ", "a"),
        ("c ? a : ", "a"),
        ("!", "a"),
        ("- ", "1"),
        ("++", "a"),
    ] {
        let chain = |n| link.repeat(n) + end;
        assert!(codes(chain(4_000), expression).is_empty(), "{link}");
        assert_eq!(codes(chain(100_000), expression), REFUSED, "{link}");
        // A syntax error drops the whole tree.
        assert_eq!(codes(chain(4_000) + " )", expression), ["parse::trailing"], "{link}");
    }
    for link in ["[0]", "()", ".b", "'", "++", "(1, 2)"] {
        let chain = |n| format!("a{}", link.repeat(n));
        assert!(codes(chain(4_000), expression).is_empty(), "{link}");
        assert_eq!(codes(chain(100_000), expression), REFUSED, "{link}");
    }
}

/// Heights add up through quantifiers, arguments and types.
#[test]
fn chains_in_chains_are_counted_together() {
    let sum = " + 1".repeat(2_000);
    for form in ["f({})", "a[{}]", "({})", "(forall (i : int[0, {}]) 1)", "forall (i : T) {}"] {
        let mut text = "1".to_owned();
        for _ in 0..4 {
            text = form.replace("{}", &format!("{text}{sum}"));
        }
        assert_eq!(codes(text, expression), REFUSED, "{form}");
    }
}

#[test]
fn many_else_ifs_are_one_statement() {
    let chain = |n| format!("void f() {{ {} x = 2; }}", "if (a) x = 1; else ".repeat(n));
    assert!(codes(chain(1_500), declarations).is_empty());
    assert_eq!(codes(chain(100_000), declarations), REFUSED);
}

#[test]
fn long_lists_are_no_problem() {
    let numbers = "1, ".repeat(100_000);
    assert!(codes(format!("int a[100001] = {{{numbers} 1}};"), declarations).is_empty());
    assert!(codes("int a; ".repeat(50_000), declarations).is_empty());
    assert!(codes(format!("void f() {{ {} }}", "x = 1; ".repeat(50_000)), declarations).is_empty());
}

#[test]
fn errors_are_counted() {
    let many = codes("int x = ; ".repeat(10_000), declarations);
    assert_eq!(many.last(), Some(&"parse::too_many_errors"));
    assert!(many.len() <= 101, "{}", many.len());
    assert!(codes("; ".repeat(100_000), declarations).len() <= 101);
    assert!(codes("@ ".repeat(100_000), declarations).len() <= 101);
}
