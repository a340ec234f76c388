//! What broke once, with the smallest input that broke it.

use punctual_lang::{Input, Reading, convert, diagnostic::Diagnostic, read, read_with_queries};

fn codes(reading: &Reading) -> Vec<&'static str> {
    reading.diagnostics.iter().filter(|it| it.is_error()).map(|it| it.code).collect()
}

fn is_inside(reading: &Reading) -> bool {
    let inside = |it: &Diagnostic| reading.file.text.get(it.span.range()).is_some();
    reading.diagnostics.iter().all(inside)
}

/// Found by fuzzing `read_xml`: a complaint about the whole file points at its first character.
#[test]
fn span_ended_inside_the_first_character() {
    for (name, text) in [
        ("model.xml", "\u{1f600}?xml"),
        ("model.xml", "<?x\u{1f600}"),
        ("model", "\u{1f600}"),
        ("model.q", "\u{e9}"),
        ("model.json", "\u{1f600}{"),
    ] {
        let reading = read(name, text.as_bytes());
        assert!(is_inside(&reading), "{name}: {:?}", reading.diagnostics);
        assert!(reading.model.is_none());
    }
}

/// Found by fuzzing `convert`: such a process starts nowhere, and its network was written as JSON
/// that no one could read.
#[test]
fn template_without_locations_became_a_process() {
    let xml = "<nta><template><name>P</name></template><system>system P;</system></nta>";
    assert_eq!(codes(&read("model.xml", xml.as_bytes())), ["system::empty_process"]);
    let xta = "process P() { } Q = P(); system Q;";
    assert_eq!(codes(&read("model.xta", xta.as_bytes())), ["system::empty_process"]);
    let unused = "process P() { } process Q() { state A; init A; } system Q;";
    assert!(read("model.xta", unused.as_bytes()).model.is_some());
}

/// Found by fuzzing `read_queries`: what was said about a query of another file pointed at
/// declarations of the model, as if they stood in the file of queries.
#[test]
fn query_of_another_file_pointed_into_the_model() {
    let model = "int declared; void update() { declared = 1; }\n\
        process T() { state A; init A; } P = T(); system P;";
    let queries = "E<> T.A\nE<> update()\nE<> declared[1]\nE<> declared = 2 && declared(3)";
    let reading = read_with_queries(
        Input { name: "model.xta", bytes: model.as_bytes() },
        Some(Input { name: "queries.q", bytes: queries.as_bytes() }),
    );
    let entries = reading.model.expect("the model is sound").queries;
    assert_eq!(entries.len(), 4);
    for entry in entries {
        assert!(!entry.diagnostics.is_empty(), "{}", entry.text);
        for diagnostic in entry.diagnostics {
            let related = diagnostic.related.iter().map(|&(span, _)| span);
            for span in related.chain([diagnostic.span]) {
                let inside = entry.span.start <= span.start && span.end <= entry.span.end;
                assert!(inside, "{span:?} of {}: {}", entry.text, diagnostic.message);
            }
        }
    }
}

/// Found by fuzzing `read_any`: the reader gave up inside of a closing tag, went on behind it, and
/// then looked at the next tag for ever.
#[test]
fn reading_did_not_end_after_the_last_repair() {
    for n_faults in [1, 39, 40, 41, 80] {
        let faults = "<declaration></declaratio>".repeat(n_faults);
        let reading = read("model.xml", format!("<nta>{faults}<system>").as_bytes());
        assert!(reading.model.is_none());
    }
}

/// Found by fuzzing `convert`: the structure declared its clocks once more, and an index into them
/// could not be read back.
#[test]
fn clock_in_a_structure_was_written_twice() {
    let xta = "struct { clock c; int n; } timer[2]; int i;\n\
        process P() { state A { timer[i].c <= 3 }; init A; } system P;";
    let network = read("model.xta", xta.as_bytes()).model.expect("a model").network;
    let refused = convert::to_document(&network).expect_err("no way to declare them");
    assert!(refused[0].construct.contains("structure"), "{refused:?}");
}

/// A structure of nothing but clocks was taken for an array, under a name that is none.
#[test]
fn clock_in_a_structure_of_clocks_was_indexed_by_a_made_up_name() {
    let xta = "struct { clock c; } timer[2]; int[0,1] i;\n\
        process P() { state A { timer[i].c <= 3 }; init A; } system P;";
    let network = read("model.xta", xta.as_bytes()).model.expect("a model").network;
    let refused = convert::to_document(&network).expect_err("no way to declare them");
    assert!(refused[0].construct.contains("structure"), "{refused:?}");
}

/// Locals of a made file were declared for all integers, so a value that left its range in the
/// model did not in the file.
#[test]
fn local_lost_its_range() {
    let xta = "int[0,7] n;\nint f(int a) { int i; int[2,9] j = 3; i = a; j = i; return j; }\n\
        process P() { state A; init A; trans A -> A { assign n = f(n); }; } system P;";
    let network = read("model.xta", xta.as_bytes()).model.expect("a model").network;
    let document = convert::to_document(&network).expect("a document");
    let declarations = &document.declarations.text;
    assert!(declarations.contains("int v1;"), "{declarations}");
    assert!(declarations.contains("int[2,9] v2;"), "{declarations}");
}

/// A wrong query has any words, also those that end a query in a file of text.
#[test]
fn a_wrong_query_ended_the_file_that_it_was_written_to() {
    let xml = "<nta><template><name>P</name><location id=\"id0\"/><init ref=\"id0\"/></template><system>system P;</system>\
        <queries><query><formula>E&lt;&gt; the system.</formula></query><query><formula>E&lt;&gt; true</formula></query></queries></nta>";
    let document = read("model.xml", xml.as_bytes()).model.expect("a model").document;
    let written = punctual_lang::uppaal::xta::write(&document.expect("a document"));
    let text = written.expect("it can be written").text;
    let again = read("model.xta", text.as_bytes()).model.expect("what is written is read");
    assert_eq!(again.queries.len(), 1, "{text}");
}

/// Each query takes more memory than its text: a file of 15 MB with three million of them took 7.6 GB.
#[test]
fn very_many_queries() {
    let model = "process T() { state A; init A; } P = T(); system P;";
    let queries = "E<>x\n".repeat(100_001);
    let reading = read_with_queries(
        Input { name: "model.xta", bytes: model.as_bytes() },
        Some(Input { name: "queries.q", bytes: queries.as_bytes() }),
    );
    let codes: Vec<&str> = reading.query_diagnostics.iter().map(|it| it.code).collect();
    assert_eq!(codes, ["decode::too_long"]);
}
