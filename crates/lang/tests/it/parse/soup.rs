//! No text makes the parser panic, loop, or point outside of the text.

use proptest::prelude::*;
use punctual_lang::diagnostic::Diagnostics;
use punctual_lang::uppaal::{lexer, parse, query_file};
use punctual_lang::{SourceFile, Text};

use super::print;

/// Pieces of which texts are made: every token, and some that are none.
const PIECES: &[&str] = &[
    "int",
    "bool",
    "clock",
    "chan",
    "void",
    "double",
    "scalar",
    "struct",
    "typedef",
    "const",
    "urgent",
    "broadcast",
    "meta",
    "hybrid",
    "if",
    "else",
    "while",
    "do",
    "for",
    "return",
    "assert",
    "system",
    "progress",
    "gantt",
    "IO",
    "import",
    "dynamic",
    "spawn",
    "exit",
    "before_update",
    "after_update",
    "priority",
    "default",
    "forall",
    "exists",
    "sum",
    "and",
    "or",
    "not",
    "xor",
    "imply",
    "true",
    "false",
    "deadlock",
    "E",
    "A",
    "U",
    "Pr",
    "sup",
    "inf",
    "bounds",
    "simulate",
    "control",
    "strategy",
    "under",
    "minE",
    "sat",
    "max",
    "foreach",
    "numOf",
    "break",
    "switch",
    "case",
    "x",
    "y",
    "P",
    "T",
    "0",
    "5",
    "2147483648",
    "99999999999",
    "1.5",
    "\"s\"",
    "\"",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ".",
    ",",
    ";",
    ":",
    "?",
    "'",
    "#",
    "!",
    "->",
    "-u->",
    "-->",
    "<>",
    "=",
    ":=",
    "+=",
    "+",
    "-",
    "*",
    "/",
    "%",
    "**",
    "++",
    "--",
    "<?",
    ">?",
    "<<",
    ">>",
    "&",
    "|",
    "^",
    "&&",
    "||",
    "<",
    "<=",
    "==",
    "!=",
    ">=",
    ">",
    "=<",
    "=>",
    "\n",
    "\\\n",
    "\\",
    "//",
    "/*",
    "*/",
    "≤",
    "ä",
    "@",
    "\u{a0}",
    "\u{0}",
    "＆",
    "/\\",
];

/// Correct texts of all kinds, to be broken.
const CORRECT: &[&str] = &[
    "const int N = 5; int[0, N] a[N] = {1, 2}; clock x; struct { int a; bool b[2]; } s = {a: 1};",
    "void f(int &a, const bool b) { int i = 0; while (i < 3) { i++; } if (b) a = i; else return; }",
    "chan priority a, d[0] < default < b; before_update { x = 1 } dynamic T(int a);",
    "import \"lib\" { g = int f(int a); }; typedef struct { int x; } t; t y[int[0, 3]];",
    "x <= 5 && (y > 3 || forall (i : int[0, 3]) a[i].b(1) == c ? 1 : -2) imply x' == 0",
    "x = 0, a[i] := f(2), z += 1, i++",
    "Q(const int i) = P(1, i); system Q, R < S; progress { a : b; } gantt { G(i : T) : x -> 1; }",
    "simulate [<=100; 5] { x, y + 1 } : 3 : p && q",
    "Pr[#<=10](<> p) >= Pr[x<=5]([] q)",
    "A[] forall (i : T) P(i).a imply not deadlock",
    "sup{p}: x, y // comment\n/* more */",
];

/// Feeds a text to everything that reads texts, and checks where the results point.
fn feed(source: &str) -> Result<(), TestCaseError> {
    let start = 7;
    let text = Text::verbatim(source, start);
    let inside = |span: punctual_lang::Span| {
        span.start <= span.end
            && span.start as usize >= start
            && span.end as usize <= start + source.len()
    };
    let mut diagnostics = Diagnostics::new();
    for token in lexer::tokens(&text, &mut diagnostics) {
        prop_assert!(inside(token.span) && source.get(token.range.clone()).is_some());
    }
    let mut exprs = Vec::new();
    parse::declarations(&text, &mut diagnostics);
    parse::parameters(&text, &mut diagnostics);
    exprs.extend(parse::expression(&text, &mut diagnostics));
    exprs.extend(parse::update(&text, &mut diagnostics));
    parse::select(&text, &mut diagnostics);
    exprs.extend(parse::sync(&text, &mut diagnostics).map(|sync| sync.channel));
    exprs.extend(parse::exponential_rate(&text, &mut diagnostics).map(|rate| rate.value));
    parse::system(Some(&text), &text, &mut diagnostics);
    if let Some(query) = parse::query(&text, &mut diagnostics) {
        print::query(&query);
    }
    let file = SourceFile { name: "soup".to_owned(), text: source.to_owned() };
    for query in query_file::split(&file, &mut Diagnostics::new()) {
        prop_assert_eq!(&source[query.formula.span.range()], &query.formula.text);
        prop_assert!(query.comment.text.is_empty() || !query.comment.span.range().is_empty());
    }
    for expr in &exprs {
        let mut outside = Vec::new();
        print::for_each(expr, &mut |expr| {
            if !inside(expr.span) {
                outside.push(expr.span);
            }
        });
        prop_assert!(outside.is_empty(), "{outside:?}");
    }
    for diagnostic in diagnostics.iter() {
        prop_assert!(inside(diagnostic.span), "{diagnostic:?}");
        for (span, _) in &diagnostic.related {
            prop_assert!(inside(*span), "{diagnostic:?}");
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(400) })]

    #[test]
    fn of_tokens(pieces in prop::collection::vec((prop::sample::select(PIECES), any::<bool>()), 0..60)) {
        let text: String =
            pieces.iter().flat_map(|(piece, space)| [*piece, if *space { " " } else { "" }]).collect();
        feed(&text)?;
    }

    #[test]
    fn of_broken_texts(
        correct in prop::sample::select(CORRECT),
        edits in prop::collection::vec(
            (any::<prop::sample::Index>(), prop::sample::select(PIECES), 0..3_usize),
            1..5,
        ),
    ) {
        let mut text = correct.to_owned();
        for (at, piece, kind) in edits {
            let at = text.floor_char_boundary(at.index(text.len() + 1));
            let width = text[at..].chars().next().map_or(0, char::len_utf8);
            match kind {
                0 => text.insert_str(at, piece),
                1 => text.replace_range(at..at + width, piece),
                _ => text.replace_range(at..at + width, ""),
            }
        }
        feed(&text)?;
    }

    #[test]
    fn of_characters(text in "\\PC{0,80}") {
        feed(&text)?;
    }
}

/// The texts that are broken above are correct before: by what they are, nothing is said.
#[test]
fn the_texts_are_correct() {
    let errors = |read: &dyn Fn(&Text, &mut Diagnostics), text: &str| {
        let mut diagnostics = Diagnostics::new();
        read(&Text::verbatim(text, 0), &mut diagnostics);
        diagnostics.error_count()
    };
    for text in CORRECT {
        let least = [
            errors(&|text, diagnostics| drop(parse::declarations(text, diagnostics)), text),
            errors(&|text, diagnostics| drop(parse::update(text, diagnostics)), text),
            errors(&|text, diagnostics| drop(parse::system(None, text, diagnostics)), text),
            errors(&|text, diagnostics| drop(parse::query(text, diagnostics)), text),
        ];
        assert!(least.contains(&0), "{text}");
    }
}
