//! UPPAAL's text format: what is read, where it stands, what is written back.

use proptest::prelude::*;
use punctual_lang::diagnostic::Diagnostics;
use punctual_lang::document::{Document, Label, LabelKind, Query, Template};
use punctual_lang::uppaal::xml;
use punctual_lang::uppaal::xta::{self, Dropped, Unwritable};
use punctual_lang::{Span, Text};

use crate::xml::{RICH, file, placeless};

const RICH_XTA: &str = "\
// Global { declarations
const int N = 3; struct { int a; } s = { 1 };
int f(int x) { if (x > 1) { return x; } return s.a; }
process Gate(const int[0,N] id, chan &c) {
    clock x; // local
    urgent chan hurry;
    int g() { return 1; }
    state
        Free { x <= 5 && forall (i : int[0,2]) i < 3 },
        Slow { ; 1:2 }, Both { x < f(3) /* } */; 4 },
        Plain;
    branchpoint p, q;
    commit Plain;
    urgent Both, Slow;
    init Free;
    trans
        Free -> p { select i : int[0,N], j : int[1,2]; guard x >= 2 && f(i) < j; sync c?; assign x = 0, s.a = 1; },
        -> Slow { guard x == 1; },
        p -u-> Slow { probability 3; },
        p -> Both { probability f(2); };
}
G1 = Gate(1, go);
chan go; // between
process Idle() { state Free; init Free; trans Free -> Free { }; }
G2(int i) = Gate(i, go);
system G1, G2 < Idle;
progress { f(2); }
gantt { G: G1.Free -> 1; }
// the end
query { /* Can it
   open? */ E<> G1.Free }
query { simulate [<=10; 3] { G1.x, f(1) } // plot
}
query { }
";

fn read(text: &str) -> (Option<Document>, Diagnostics) {
    let mut diagnostics = Diagnostics::new();
    let document = xta::read(&file("model.xta", text), &mut diagnostics);
    (document, diagnostics)
}

/// The document of a text about which nothing is to be said.
fn sound(text: &str) -> Document {
    let (document, diagnostics) = read(text);
    let messages: Vec<_> = diagnostics.iter().map(|d| &d.message).collect();
    assert!(messages.is_empty(), "{messages:?}\n{text}");
    document.expect("a document")
}

/// What a document says of what both formats can say: locations go by their names.
fn essence(document: &Document) -> Document {
    let mut document = placeless(document);
    let trim = |text: &mut Text| text.text = text.text.trim().to_owned();
    trim(&mut document.declarations);
    if let Some(instantiation) = document.instantiation.take() {
        document.system.text = format!("{}\n\n{}", instantiation.text.trim(), document.system.text);
    }
    trim(&mut document.system);
    document.charts.clear();
    document.query_options.clear();
    for query in &mut document.queries {
        trim(&mut query.formula);
        trim(&mut query.comment);
        let (formula, comment) = (query.formula.clone(), query.comment.clone());
        *query = Query { formula, comment, ..Query::default() };
    }
    document.templates.iter_mut().for_each(essence_of_template);
    document
}

fn essence_of_template(template: &mut Template) {
    let trim = |text: &mut Text| text.text = text.text.trim().to_owned();
    let labels = |labels: &mut Vec<Label>| {
        labels.retain(|label| {
            let kinds = ["comments", "testcode", "testcodeEnter", "testcodeExit"];
            let is_other = matches!(label.kind, LabelKind::Other(_));
            !label.text.is_blank() && !is_other && !kinds.contains(&label.kind.name())
        });
        for label in labels {
            label.at = None;
            trim(&mut label.text);
        }
    };
    trim(&mut template.parameters);
    trim(&mut template.declarations);
    template.name_at = None;
    let unnamed = |id: &str| {
        let location = template.locations.iter().find(|location| location.id == id);
        location.map_or("", |location| &location.name.text).is_empty()
    };
    let rename: Vec<(String, String)> = template
        .locations
        .iter()
        .filter(|location| !unnamed(&location.id))
        .map(|location| (location.id.clone(), location.name.text.clone()))
        .collect();
    let rename = |id: &mut String| {
        if let Some((_, name)) = rename.iter().find(|(known, _)| known == id) {
            id.clone_from(name);
        }
    };
    for location in &mut template.locations {
        rename(&mut location.id);
        location.name.text.clone_from(&location.id);
        (location.at, location.name_at, location.colour) = (None, None, None);
        labels(&mut location.labels);
    }
    template.branchpoints.iter_mut().for_each(|branchpoint| branchpoint.at = None);
    template.init.iter_mut().for_each(|(id, _)| rename(id));
    for edge in &mut template.edges {
        rename(&mut edge.source.0);
        rename(&mut edge.target.0);
        (edge.id, edge.action, edge.colour) = (None, None, None);
        edge.nails.clear();
        labels(&mut edge.labels);
    }
}

#[test]
fn everything_is_read() {
    insta::assert_snapshot!(xml::write(&sound(RICH_XTA)));
}

#[test]
fn what_is_written_is_read_back() {
    let document = sound(RICH_XTA);
    let written = xta::write(&document).expect("a text");
    assert!(written.dropped.is_empty() && written.renamed.is_empty());
    insta::assert_snapshot!(written.text);
    assert_eq!(essence(&sound(&written.text)), essence(&document));
    assert_eq!(xta::write(&sound(&written.text)).expect("a text").text, written.text);
}

#[test]
fn both_formats_say_the_same() {
    let document = sound(RICH_XTA);
    let mut diagnostics = Diagnostics::new();
    let drawn = xml::read(&file("m.xml", &xml::write(&document)), &mut diagnostics);
    assert_eq!(essence(&drawn.expect("a document")), essence(&document));

    let drawn = xml::read(&file("m.xml", RICH), &mut diagnostics).expect("a document");
    let written = xta::write(&drawn).expect("a text");
    assert_eq!(essence(&sound(&written.text)), essence(&drawn));
    let dropped: Vec<_> = written.dropped.iter().map(Dropped::to_string).collect();
    insta::assert_snapshot!(dropped.join("\n"));
    assert!(!diagnostics.has_errors());
}

#[test]
fn ids_are_unique_in_xml() {
    let body = "{ state a, b; branchpoint p; init b; trans a -> p { }, p -> b { }; }";
    let text = format!("process P() {body}\nprocess Q() {body}\nsystem P, Q;");
    let written = xml::write(&sound(&text));
    let mut ids: Vec<_> =
        written.split("id=\"").skip(1).map(|rest| rest.split('"').next()).collect();
    assert_eq!(ids.len(), 6);
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), 6);
    let mut diagnostics = Diagnostics::new();
    let read = xml::read(&file("m.xml", &written), &mut diagnostics).expect("a document");
    assert_eq!(read.templates[1].edges[1].source.0, "Q.p");
    assert_eq!(read.templates[1].edges[1].target.0, "Q.b");
    assert_eq!(read.templates[1].locations[1].name.text, "b");
    assert!(!diagnostics.has_errors());
}

#[test]
fn windows_line_ends_are_line_ends() {
    let windows = RICH_XTA.replace('\n', "\r\n");
    let document = sound(&windows);
    assert_eq!(placeless(&document), placeless(&sound(RICH_XTA)));
    let edge = &document.templates[0].edges[0];
    let guard = edge.label(&LabelKind::Guard).expect("a guard");
    assert_eq!(&windows[guard.locate(guard.text.len() - 1..guard.text.len()).range()], "j");
    let system = &document.system;
    let at = system.text.find("progress").expect("the word");
    assert_eq!(&windows[system.locate(at..at + 8).range()], "progress");
    let at = document.declarations.text.find("chan go").expect("the words");
    assert_eq!(&windows[document.declarations.locate(at..at + 7).range()], "chan go");
}

/// A model in XML with these locations, an edge between the first two, and a declaration.
fn drawn(locations: &str, declaration: &str, guard: &str) -> Document {
    let text = format!(
        "<nta><declaration>{declaration}</declaration><template><name>P</name>{locations}\
         <init ref=\"id0\"/><transition><source ref=\"id0\"/><target ref=\"id1\"/>\
         <label kind=\"guard\">{guard}</label></transition></template>\
         <system>system P;</system></nta>"
    );
    let mut diagnostics = Diagnostics::new();
    let document = xml::read(&file("m.xml", &text), &mut diagnostics).expect("a document");
    assert!(!diagnostics.has_errors());
    document
}

#[test]
fn unnamed_locations_go_by_their_ids() {
    let unnamed = "<location id=\"id0\"/><location id=\"id1\"/>";
    let written = xta::write(&drawn(unnamed, "", "1")).expect("a text");
    assert!(written.text.contains("id0 -> id1 {"), "{}", written.text);
    assert!(written.renamed.is_empty());

    let clashing = "<location id=\"id0\"/><location id=\"id1\"><name>id0</name></location>";
    let written = xta::write(&drawn(clashing, "int id1;", "1")).expect("a text");
    assert!(written.text.contains("id0_1 -> id0 {"), "{}", written.text);

    let used = xta::write(&drawn(unnamed, "int id1;", "id1 == 0")).expect("a text");
    assert!(used.text.contains("id0 -> id1_1 {"), "{}", used.text);
    sound(&used.text);
}

#[test]
fn impossible_names_are_replaced() {
    let odd = "<location id=\"id0\"><name>state</name></location>\
               <location id=\"id1\"><name>my loc</name></location>\
               <location id=\"id2\"><name>my_loc</name></location>\
               <location id=\"3\"/>";
    let written = xta::write(&drawn(odd, "", "1")).expect("a text");
    let renamed: Vec<_> =
        written.renamed.iter().map(|r| format!("{} → {}", r.from, r.to)).collect();
    insta::assert_snapshot!(renamed.join("\n"));
    sound(&written.text);
}

#[test]
fn comments_do_not_swallow_what_follows() {
    let locations = "<location id=\"id0\"><label kind=\"invariant\">1 // always</label>\
                     <label kind=\"exponentialrate\">2 // slow</label></location><location id=\"id1\"/>";
    let mut document = drawn(locations, "int n; // global", "n == 1\n// really");
    document.templates[0].parameters = Text::verbatim("int i // index", 0);
    document.templates[0].declarations = Text::verbatim("int j; // local", 0);
    document.system = Text::verbatim("system P; // all", 0);
    document
        .queries
        .push(Query { formula: Text::verbatim("E<> P.id1 // soon", 0), ..Query::default() });
    let written = xta::write(&document).expect("a text").text;
    assert_eq!(essence(&sound(&written)), essence(&document));
}

#[test]
fn what_can_not_be_written_is_refused() {
    let locations = "<location id=\"id0\"/><location id=\"id1\"/>";
    for text in ["a; } evil -> b {", "(a", "a)", "/* a", "{", "a }"] {
        let document = drawn(locations, "", text);
        assert!(matches!(xta::write(&document), Err(Unwritable::Text { .. })), "{text}");
    }
    let mut document = drawn(locations, "", "1");
    document.templates[0].init = None;
    assert!(matches!(xta::write(&document), Err(Unwritable::NoInit { .. })));
    document.templates[0].init = Some(("nowhere".to_owned(), Span::default()));
    let error = xta::write(&document).expect_err("refused");
    assert_eq!(error.to_string(), "template P refers to the location `nowhere`, which it lacks");
    document.templates[0].name = Text::verbatim("two words", 0);
    assert!(matches!(xta::write(&document), Err(Unwritable::TemplateName { .. })));
}

/// A file with pieces cut out, doubled or replaced.
fn mutated() -> impl Strategy<Value = String> {
    let pieces = prop::sample::select(vec![
        "{", "}", "(", ")", ";", ",", "->", "process", "system", "trans", "init", "query {", "/*",
        "\"", "é", "\r", "state", "1x",
    ]);
    let edit = (any::<prop::sample::Index>(), 0..40_usize, pieces);
    prop::collection::vec(edit, 1..6).prop_map(|edits| {
        let mut text = RICH_XTA.to_owned();
        for (at, length, piece) in edits {
            let start = text.floor_char_boundary(at.index(text.len()));
            let end = text.floor_char_boundary((start + length).min(text.len())).max(start);
            text.replace_range(start..end, piece);
        }
        text
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_survived(text in "\\PC{0,200}|((process|state|init|trans|system|[a-c{}();,]|->| ){0,60})") {
        let (document, diagnostics) = read(&text);
        prop_assert!(document.is_some() || diagnostics.has_errors());
    }

    #[test]
    fn broken_files_are_survived(text in mutated()) {
        let (document, diagnostics) = read(&text);
        prop_assert!(diagnostics.iter().all(|d| d.span.end as usize <= text.len()));
        // What can be written again is at least whole.
        if let Some(Ok(written)) = document.as_ref().map(xta::write) {
            prop_assert!(read(&written.text).0.is_some());
        }
    }

    #[test]
    fn truncated_files_are_survived(at in 0..RICH_XTA.len()) {
        read(&RICH_XTA[..RICH_XTA.floor_char_boundary(at)]);
    }
}
