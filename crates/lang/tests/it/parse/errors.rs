//! What is said about broken texts.

use punctual_lang::diagnostic::{Diagnostics, Style, render};
use punctual_lang::uppaal::{parse, query_file};
use punctual_lang::{SourceFile, Text};

/// Everything that is said about the texts, which are separated by lines of dashes.
fn complaints(texts: &str, read: impl Fn(&Text, &mut Diagnostics)) -> String {
    let mut said = String::new();
    for text in texts.split("\n----\n") {
        let text = text.trim_matches('\n');
        let file = SourceFile { name: "model".to_owned(), text: text.to_owned() };
        let mut diagnostics = Diagnostics::new();
        read(&Text::verbatim(text, 0), &mut diagnostics);
        assert!(diagnostics.iter().count() > 0, "nothing is said about {text}");
        for diagnostic in diagnostics.into_sorted() {
            said += render(&diagnostic, &file, Style::Plain).trim_end();
            said += "\n";
        }
        said += "\n";
    }
    said
}

#[test]
fn in_expressions() {
    let texts = r"
x =< 5 && y => 3
----
x ≤ 5 ∧ größe – 1 > 2
----
a AND b
----
a implies b
----
a & & b
----
a <> b
----
(a + b * (c - d) && e
----
a[1 + (2]
----
f(1, 2 3) + g(4 5)
----
if (x > 1) y else z
----
x > 1, y < 2
----
x > 1;
----
x > .5
----
x ==
----
x > 2147483648 || y > 99999999999
----
forall (i : 0..3) a[i]
----
forall (int i) a[i]
----
(int) x > 3
----
x @ y
----
c ? a
----
0x10 + 3rd
----
state == 1
----
a = = b
";
    let shown = complaints(texts, |text, diagnostics| {
        parse::expression(text, diagnostics);
    });
    insta::assert_snapshot!(shown);
}

#[test]
fn in_declarations() {
    let texts = r#"
int a
int b;
bool c = true d = false;
----
const N 5;
const M = 3, K[2] = {1, 2};
int x = N;
----
broadcast a, b;
----
int int = 3; int if; int for[3];
----
int[5] a;
----
int a[];
int b[3;
----
int a[2] = {1, 2;
int b;
----
struct S { int a; };
----
typdef int[0, 3] T;
----
itn[0, 3] x;
----
x = 5;
P1 = P(3);
----
if (x) y = 1;
----
#define N 5
int y;
----
int f();
----
int f(void) { return 1; }
int g(a, int b; bool c) { }
----
system P;
----
void f() { } }
int x = ;
int y = 1 +;
int z;
----
int a = /* never
closed
----
typedef struct { int a b; int c } s; int d;
----
const const int x = 1;
----
int x = 3 4;
"#;
    let shown = complaints(texts, |text, diagnostics| {
        parse::declarations(text, diagnostics);
    });
    insta::assert_snapshot!(shown);
}

#[test]
fn in_functions() {
    let texts = r"
void f() {
    x = 1
    y = 2;
    z = 3
}
----
void f() {
    while (x) {
        if (y) { break; } else continue;
        switch (x) { case 1: y = 2; break; default: z = 3; }
    }
}
----
void f() {
    if (a) x = 1; y = 2;
    else z = 3;
}
----
void f() {
    x = 1;
    int y = 2;
    y = 3;
}
----
void f() {
    whlie (x) { y = 1; }
    for (int i = 0; i < 3; i++) { z = 1 }
    for (i = 0; i < 3, j < 2; i++) z = ;
    if (a b) c = 1; else d = 2;
    if (a { e = 1; }
    if (x, y) z = 1;
}
----
void f() {
    if (x) {
        y = 1;
void g() { }
----
void f() {
    int g() { return 1; }
    a = 1, b = 2;
    a b;
    while (n --> 0) { }
}
----
void f() { if (x) int y = 3; }
";
    let shown = complaints(texts, |text, diagnostics| {
        parse::declarations(text, diagnostics);
    });
    insta::assert_snapshot!(shown);
}

#[test]
fn in_labels() {
    let mut said = complaints(
        "x = 1; y = 2;\n----\nx = 1,\n----\nif (a) x = 1\n----\nx = , y = )\n----\nx = 1 y = 2",
        |text, diagnostics| {
            parse::update(text, diagnostics);
        },
    );
    said += &complaints(
        "int[0, 3] i\n----\ni : int[0, 3], j\n----\nid_t i\n----\ni = 3, j : T",
        |text, diagnostics| {
            parse::select(text, diagnostics);
        },
    );
    said += &complaints("!c\n----\nc! d?\n----\nc!!\n----\nc[1!", |text, diagnostics| {
        parse::sync(text, diagnostics);
    });
    said += &complaints(
        "int a int b\n----\na, b\n----\nint a = 3\n----\nint a, ",
        |text, diagnostics| {
            parse::parameters(text, diagnostics);
        },
    );
    said += &complaints("1 : : 2\n----\n1 ; 2", |text, diagnostics| {
        parse::exponential_rate(text, diagnostics);
    });
    insta::assert_snapshot!(said);
}

#[test]
fn in_systems() {
    let texts = r"
P1 = P(1;
system P1;
----
P1 = P;
P2 P(1);
P3(1) = P(2);
system P1 P2;
----
system ;
----
system A, B
----
system A;
system B;
int x;
----
system A; progress { x y; z; } gantt { G: a - > 1; H: a -> 2; }
----
int system = 3;
system A;
";
    let shown = complaints(texts, |text, diagnostics| {
        parse::system(None, text, diagnostics);
    });
    insta::assert_snapshot!(shown);
}

#[test]
fn in_queries() {
    let texts = r"
P.a && x > 3
----
A[] (p && A<> q)
----
E<> p q
----
E<>
----
Pr[<100](<> p)
----
Pr[100](<> p)
----
Pr[<=100](p)
----
Pr[<=100](<> p) > 0.5
----
E[<=10](average: x)
----
simulate 5 [<=10; 3] {x}
----
simulate [<=10] x
----
sup{p} x
----
E<> p -> q
----
A[] p;
----
A[] x = < 3
";
    let shown = complaints(texts, |text, diagnostics| {
        parse::query(text, diagnostics);
    });
    insta::assert_snapshot!(shown);
}

#[test]
fn in_files_of_queries() {
    let text = "E<> p\n/* never closed\nA[] q\n";
    let file = SourceFile { name: "model.q".to_owned(), text: text.to_owned() };
    let mut diagnostics = Diagnostics::new();
    assert_eq!(query_file::split(&file, &mut diagnostics).len(), 1);
    let said: Vec<_> = diagnostics.iter().map(|diagnostic| &diagnostic.message).collect();
    assert_eq!(said, ["this comment is never closed"]);
}
