//! The parser: which tree a text becomes, what is said about broken texts, and that no text at
//! all makes it panic, hang or overflow the stack.

mod bounds;
mod errors;
mod print;
mod soup;

use punctual_lang::diagnostic::Diagnostics;
use punctual_lang::uppaal::{parse, query_file};
use punctual_lang::{SourceFile, Text};

/// Each case and what became of it.
fn table(cases: &str, read: impl Fn(&Text, &mut Diagnostics) -> String) -> String {
    let mut table = String::new();
    for case in cases.lines().map(str::trim).filter(|case| !case.is_empty()) {
        let mut diagnostics = Diagnostics::new();
        let tree = read(&Text::verbatim(case, 0), &mut diagnostics);
        table += &format!("{case}\n    {}\n", tree.replace('\n', "\n    "));
        for diagnostic in diagnostics.iter() {
            table += &format!("    {}\n", diagnostic.message);
        }
    }
    table
}

fn expression(text: &Text, diagnostics: &mut Diagnostics) -> String {
    parse::expression(text, diagnostics).map_or("nothing".to_owned(), |expr| print::expr(&expr))
}

fn declarations(text: &Text, diagnostics: &mut Diagnostics) -> String {
    print::list(&parse::declarations(text, diagnostics), "\n", print::declaration)
}

fn query(text: &Text, diagnostics: &mut Diagnostics) -> String {
    parse::query(text, diagnostics).map_or("nothing".to_owned(), |query| print::query(&query))
}

#[test]
fn expressions() {
    let shown = table(
        r#"
        a || b && c | d ^ e & f == g < h <? i << j + k * l ** m
        a ** b * c + d << e >? f >= g != h & i ^ j | k and l or m
        a - b - c / d % e
        a ** b ** c
        -a ** b
        -a ** -b
        !a == b
        not a.b[1] and not c
        a imply b imply c
        a or b imply c || d xor e
        a && b or c && d
        a ? b : c ? d : e
        (a ? b : c) ? d : e
        a || b ? c && d : e = f
        a = b = c
        x := y += z -= 1
        a *= 1, b
        a <<= 2
        a[i] = b ? 1 : 2
        i++ + ++i - --j
        -i--
        - - -1
        -2147483648
        2147483647 - 1
        1.5 + 1e-3 * 2.5E+2
        x' == 0 && y' <= 2
        a[i][j + 1].f.g(1, h(2))[3]
        P(1, 2).loc && Q.location == 3
        forall (i : int[0, N - 1]) a[i] > 0 && b
        a || exists (i : id_t) b[i] or c
        (sum (i : id_t) a[i]) + 1
        !forall (i : T) exists (j : U) p(i, j) ? x : y
        spawn T(1, x), 2
        x = spawn T()
        exit()
        f("text")
        true && !false
        sup + inf * A[E] - U + W + R + M + bounds + simulation + Pr + control + under + deadlock
        numOf(T)
        x <= 5 && y - z > 3 // a comment
        /* nothing */
        "#,
        expression,
    );
    insta::assert_snapshot!(shown);
}

/// Parentheses are not part of an expression, but of what is around it.
#[test]
fn spans_of_expressions() {
    let source = "a + (b * (c)) - f( x )[1]'";
    let text = Text::verbatim(source, 0);
    let expr = parse::expression(&text, &mut Diagnostics::new()).expect("it is correct");
    let mut spans = Vec::new();
    print::for_each(&expr, &mut |expr| spans.push(&source[expr.span.range()]));
    assert_eq!(
        spans,
        [
            "a + (b * (c)) - f( x )[1]'",
            "a + (b * (c))",
            "a",
            "b * (c)",
            "b",
            "c",
            "f( x )[1]'",
            "f( x )[1]",
            "f( x )",
            "f",
            "x",
            "1",
        ]
    );
}

#[test]
fn declaration_forms() {
    let shown = table(
        r#"
        int a, b[2] = {1, 2}, c = 3;
        const int N = 5; const int[0, N] m[N][int[1, 3]] = {{1, 2}, {3}};
        bool b = true; clock x, y[N]; hybrid clock h = 10.0; double d = 1.5; meta int[0,7] k;
        chan a; urgent chan b; broadcast chan c[id_t]; urgent broadcast chan d[2][3];
        typedef int[0, N - 1] id_t; typedef scalar[3] s_t; typedef id_t list_t[id_t], other_t;
        struct { int a; bool b[2], c; } s = {1, b: {true, c ? 1 : 2}, c: false};
        typedef struct { id_t id; struct { int x; } inner; } pair_t; const pair_t p = {1, {2}};
        const string name = "path";
        id_t i = 0; pair_t pairs[2];
        chan priority a, d[0] < default < b, c[1][2];
        before_update { x = 1, f() } after_update { y++ }
        dynamic T(int a, chan &c);
        import "lib.so" { int f(int a); g = double h(double x, int &a[3]); };
        import "lib" void init_all();
        int A, U, W, R, E, M, sup, inf, bounds, simulation, control, under, strategy, simulate, Pr, deadlock, sat, numOf, foreach, X;
        IO P { a?, b! } int x;
        int x;; int y;
        "#,
        declarations,
    );
    insta::assert_snapshot!(shown);
}

#[test]
fn functions_and_statements() {
    let shown = table(
        r#"
        void f() { }
        int[0, 3] g(int a, const bool &b[2], id_t c) { int d = a; typedef int t; t e; return d; }
        void f() { ; x = 1; f(); { int y; y++; } return; }
        void f() { if (a) x = 1; else if (b) { x = 2; } else x = 3; }
        void f() { if (a) if (b) x = 1; else x = 2; }
        void f() { while (i < 3) i++; do { i--; } while (i > 0); }
        void f() { for (i = 0; i < 3; i++) { x += i; } for (i : int[0, 2]) x += i; for (t : id_t) { } }
        void f() { for (i = 0, j = 1; i < 3; i++, j--) x = i; }
        bool f() { assert x > 0; assert(y); return forall (i : id_t) a[i] == 0; }
        "#,
        declarations,
    );
    insta::assert_snapshot!(shown);
}

#[test]
fn labels() {
    let parameters = table(
        r#"
        int a, const int[0, 3] b, bool &c, chan &d[2], clock x, id_t id, const id_t &e[3][id_t]

        // none
        "#,
        |text, diagnostics| print::list(&parse::parameters(text, diagnostics), ", ", print::param),
    );
    let select = table("i : int[0, 3], j : id_t", |text, diagnostics| {
        print::list(&parse::select(text, diagnostics), ", ", print::binding)
    });
    let update = table("x = 0, y := f(1), z++, a[i] = b ? 1 : 2", |text, diagnostics| {
        print::list(&parse::update(text, diagnostics), ", ", print::expr)
    });
    let sync = table(
        "c!\n c[i][j + 1]?\n a.b ! \n c\n (x ? a : b)!\n c[x ? 1 : 2]?",
        |text, diagnostics| {
            parse::sync(text, diagnostics).map_or("nothing".to_owned(), |sync| {
                format!("{:?} {}", sync.direction, print::expr(&sync.channel))
            })
        },
    );
    let rate = table("1\n 1 : 2\n a ? b : c : d\n 0.5 * N", |text, diagnostics| {
        parse::exponential_rate(text, diagnostics).map_or("nothing".to_owned(), |rate| {
            let divisor =
                rate.divisor.as_ref().map(|divisor| format!(" : {}", print::expr(divisor)));
            print::expr(&rate.value) + &divisor.unwrap_or_default()
        })
    });
    let shown = [parameters, select, update, sync, rate].join("\n");
    insta::assert_snapshot!(shown);
}

#[test]
fn systems() {
    let old = Text::verbatim("P1 := P(1); P2(const int i) := P(i);", 100);
    let text = Text::verbatim(
        "int x; Q(const int i, chan &c) = P(x, data[i].a);\n R = Q(1, d); S() = R();\n\
         IO P { a!, b? }\n\
         system P1, P2 < Q(3) < R, S;\n\
         progress { x; y > 1 : z; }\n\
         gantt { A : x -> 1, y -> 2 + 3; B(i : id_t, j : int[0, 1]) : for (k : id_t) a[k] -> k; }",
        0,
    );
    let mut diagnostics = Diagnostics::new();
    let system = parse::system(Some(&old), &text, &mut diagnostics);
    let said: Vec<_> = diagnostics.iter().map(|diagnostic| &diagnostic.message).collect();
    let shown = format!("{}\n{said:#?}", print::system(&system));
    insta::assert_snapshot!(shown);
}

#[test]
fn queries() {
    let shown = table(
        r#"
        E<> P.a && x > 3
        A[] not deadlock
        A[] forall (i : id_t) P(i).cs imply x <= 3
        E[] p
        A<> p
        p --> q && r
        forall (i : T) p --> q
        sup: x, y + 1
        sup{P.a}: x
        inf{p} : x
        bounds{P.a and b}: x, y
        Pr[<=100](<> p)
        Pr[<=100;1000]([] p && q)
        Pr[#<=N] (<> p) ?
        Pr[x<=2*N](p U q)
        Pr[<=100](<> p) >= 0.9
        Pr[<=100]([] p) <= 0.9
        Pr[<=100](<> p) >= Pr[#<=20](<> q)
        E[<=100; 50](max: x + 1)
        E[x<=5](min: f(2))
        simulate [<=100; 5] {x, y}
        simulate[#<=10]{x} : p
        simulate[<=10; 100]{x} : 3 : p && q
        simulate 10 [<=100] { x, P.a ? 1 : 2 }
        simulate N [<=100] {x} : 1 : p
        numOf(T) > 2 --> exists (t : T) (t.a)
        E<> A + E[1] > U // names of the model
        E<> init.state == P.init
        /* only a comment */
        "#,
        query,
    );
    insta::assert_snapshot!(shown);
}

#[test]
fn queries_that_nothing_answers() {
    let shown = table(
        r#"
        control: A<> p
        control_t*(2, 3): A<> p
        E<> control: A[] p
        { x, y } control: A[] p
        strategy S = control: A<> p
        strategy S = minE(cost) [<=100] {x} -> {y} : <> p
        minE (cost) [<=100] : <> p
        maxPr[<=100]: <> p
        A[] p under S
        Pr[<=100](<> p) under S
        simulate [<=100] { x } under S
        saveStrategy("file", S)
        strategy S = loadStrategy{x}->{y}("file")
        sat: Chart
        Pr (<>[0,4] p)
        Pr(p U[1,2] (q \/ r))
        A[p U q]
        A[p W q]
        simulate [<=10] { foreach (t : T) t.x }
        "#,
        query,
    );
    insta::assert_snapshot!(shown);
}

/// Lines of a formula are joined by the reader of XML or stand here as they are.
#[test]
fn a_formula_may_have_lines() {
    let text = "E<>\n  p &&  // why\n  /* because */ q\n";
    insta::assert_snapshot!(query(&Text::verbatim(text, 0), &mut Diagnostics::new()), @"(E<> (And p q))");
}

#[test]
fn files_of_queries() {
    let text = r#"//This file was generated from UPPAAL 4.1

/*
The first one,
  on two lines.
*/
E<> p /* inside */ && q
A[] not \
   deadlock // EXPECT:F

// next
/* EXPECT:T */ sup: x
//NO_QUERY

"#;
    let file = SourceFile { name: "model.q".to_owned(), text: text.to_owned() };
    let mut diagnostics = Diagnostics::new();
    let queries = query_file::split(&file, &mut diagnostics);
    assert_eq!(diagnostics.iter().count(), 0);
    let shown = print::list(&queries, "\n", |found| {
        let outcome = found.expectation.as_ref().and_then(|outcome| outcome.outcome.clone());
        let tree = query(&found.formula, &mut Diagnostics::new());
        assert_eq!(&text[found.formula.span.range()], found.formula.text);
        format!("{tree}\n  says {:?}\n  expects {outcome:?}", found.comment.text)
    });
    insta::assert_snapshot!(shown);
}
