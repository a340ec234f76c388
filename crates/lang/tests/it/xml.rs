//! UPPAAL's XML: what is read, where it stands, what is written back.

use proptest::prelude::*;
use punctual_lang::diagnostic::{Diagnostics, Style, render};
use punctual_lang::document::{Document, Label, LabelKind};
use punctual_lang::uppaal::{xml, xta};
use punctual_lang::{SourceFile, Span, Text};

/// One of everything that the format has.
pub(crate) const RICH: &str = r##"<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE nta PUBLIC '-//Uppaal Team//DTD Flat System 1.1//EN' 'http://example.org/flat-1_1.dtd' [
	<!ELEMENT nta ANY> <!-- > -->
]>
<nta>
	<!-- a comment -->
	<declaration>// Global &lt;declarations&gt;
chan go; int a = 1 &amp; 3;
<![CDATA[bool f(int x) { return x < 3 && x > 1; }]]></declaration>
	<template>
		<name x="5" y="-5"> Gate </name>
		<parameter>const int[0,3] id, chan &amp;c</parameter>
		<declaration>clock x;</declaration>
		<location id="id0" x="0" y="0" color="#ff0000">
			<name x="1" y="2">Free</name>
			<label kind="invariant" x="3" y="4">x &lt;= 5 // &quot;late&quot;</label>
			<label kind="exponentialrate">1:2</label>
			<label kind="comments">Grüße</label>
			<committed/>
		</location>
		<location id="id1"><label kind="testcodeEnter">enter();</label><urgent/></location>
		<branchpoint id="id2" x="7" y="8"></branchpoint>
		<init ref="id0"/>
		<transition id="e1" controllable="false" action="pass" color="#00ff00">
			<source ref="id0"/><target ref="id2"/>
			<label kind="select" x="1" y="1">i : int[0,3]</label>
			<label kind="guard">x &gt;= 2 &#38;&#x26; a &lt; size</label>
			<label kind="synchronisation">c?</label>
			<label kind="assignment">x = 0<!-- reset -->, a++</label>
			<nail x="10" y="-20"/><nail x="30" y="40"/>
		</transition>
		<transition><source ref="id2"/><target ref="id1"/><label kind="probability">3</label></transition>
		<transition><source ref="id2"/><target ref="id0"/><label kind="mood">odd</label></transition>
	</template>
	<lsc><name>Scenario</name><type>Universal</type></lsc>
	<instantiation>G = Gate(0, go);</instantiation>
	<system>system G;</system>
	<queries>
		<option key="--search-order" value="0"/>
		<query>
			<formula>E&lt;&gt; G.Free and
a &gt; 1</formula>
			<comment>Can it &quot;open&quot;?</comment>
			<option key="--diagnostic" value="&quot;0&quot;&#10;"/>
			<expect outcome="success" type="symbolic"/>
			<result outcome="failure" type="quality" value="3" timestamp="2024-10-29"><details>x</details></result>
		</query>
		<query><formula/><comment/></query>
	</queries>
</nta>
"##;

pub(crate) fn file(name: &str, text: &str) -> SourceFile {
    SourceFile { name: name.to_owned(), text: text.to_owned() }
}

fn read(text: &str) -> (Option<Document>, Diagnostics) {
    let mut diagnostics = Diagnostics::new();
    let document = xml::read(&file("model.xml", text), &mut diagnostics);
    (document, diagnostics)
}

/// The document of a text about which nothing is to be said.
fn sound(text: &str) -> Document {
    let (document, diagnostics) = read(text);
    let messages: Vec<_> = diagnostics.iter().map(|d| &d.message).collect();
    assert!(messages.is_empty(), "{messages:?}");
    document.expect("a document")
}

/// A document without places, so that only what it says is compared.
pub(crate) fn placeless(document: &Document) -> Document {
    let mut document = document.clone();
    let text = |text: &mut Text| {
        text.map.clear();
        text.span = Span::default();
    };
    let labels = |labels: &mut Vec<Label>| labels.iter_mut().for_each(|l| text(&mut l.text));
    text(&mut document.declarations);
    text(&mut document.system);
    document.instantiation.iter_mut().for_each(text);
    document.charts.iter_mut().for_each(text);
    for query in &mut document.queries {
        text(&mut query.formula);
        text(&mut query.comment);
    }
    for template in &mut document.templates {
        text(&mut template.name);
        text(&mut template.parameters);
        text(&mut template.declarations);
        template.span = Span::default();
        template.init.iter_mut().for_each(|(_, span)| *span = Span::default());
        for location in &mut template.locations {
            text(&mut location.name);
            labels(&mut location.labels);
            location.span = Span::default();
        }
        for branchpoint in &mut template.branchpoints {
            branchpoint.span = Span::default();
        }
        for edge in &mut template.edges {
            labels(&mut edge.labels);
            edge.source.1 = Span::default();
            edge.target.1 = Span::default();
            edge.span = Span::default();
        }
    }
    document
}

#[test]
fn what_is_written_is_read_back() {
    let document = sound(RICH);
    let written = xml::write(&document);
    insta::assert_snapshot!(written);
    assert_eq!(placeless(&sound(&written)), placeless(&document));
    assert_eq!(xml::write(&sound(&written)), written);
}

/// The bytes of the file that a word of a text stands for.
fn bytes_of<'a>(source: &'a str, text: &Text, word: &str) -> &'a str {
    let at = text.text.find(word).expect("the word");
    &source[text.locate(at..at + word.len()).range()]
}

#[test]
fn places_are_exact_behind_entities() {
    let document = sound(RICH);
    let edge = &document.templates[0].edges[0];
    let guard = edge.label(&LabelKind::Guard).expect("a guard");
    assert_eq!(guard.text, "x >= 2 && a < size");
    for (word, bytes) in [
        ("x", "x"),
        (">=", "&gt;="),
        ("2", "2"),
        ("&&", "&#38;&#x26;"),
        ("a", "a"),
        ("<", "&lt;"),
        ("< size", "&lt; size"),
        ("size", "size"),
    ] {
        assert_eq!(bytes_of(RICH, guard, word), bytes, "{word}");
    }
    let update = edge.label(&LabelKind::Assignment).expect("an update");
    assert_eq!(update.text, "x = 0, a++");
    assert_eq!(bytes_of(RICH, update, "0"), "0");
    assert_eq!(bytes_of(RICH, update, ", a"), ", a");
    assert_eq!(bytes_of(RICH, &document.declarations, "<declarations>"), "&lt;declarations&gt;");
    assert_eq!(bytes_of(RICH, &document.declarations, "x < 3 &&"), "x < 3 &&");
    assert_eq!(bytes_of(RICH, &document.templates[0].name, "Gate"), "Gate");
    let invariant = document.templates[0].locations[0].label(&LabelKind::Invariant);
    assert_eq!(bytes_of(RICH, invariant.expect("an invariant"), "late"), "late");
}

#[test]
fn windows_line_ends_are_line_ends() {
    let windows = RICH.replace('\n', "\r\n");
    let document = sound(&windows);
    let unix = sound(RICH);
    let charts = unix.charts.clone();
    assert_eq!(placeless(&Document { charts, ..document.clone() }), placeless(&unix));
    assert_eq!(bytes_of(&windows, &document.declarations, "\nchan"), "\r\nchan");
    assert_eq!(bytes_of(&windows, &document.declarations, "chan"), "chan");
    assert_eq!(bytes_of(&windows, &document.declarations, "bool f"), "bool f");
    assert_eq!(bytes_of(&windows, &document.queries[0].formula, "a >"), "a &gt;");
}

#[test]
fn spans_cover_elements_and_references() {
    let document = sound(RICH);
    let template = &document.templates[0];
    assert!(RICH[template.span.range()].starts_with("<template>"));
    assert!(RICH[template.span.range()].ends_with("</template>"));
    assert!(RICH[template.edges[1].span.range()].ends_with("</transition>"));
    assert_eq!(&RICH[template.edges[0].target.1.range()], "id2");
    assert_eq!(&RICH[template.init.as_ref().expect("an init").1.range()], "id0");
    assert_eq!(&RICH[template.locations[1].span.range()].lines().count(), &1);
}

#[test]
fn old_and_small_files_are_read() {
    let small = "<project><system>system P;</system></project>";
    assert_eq!(sound(small).system.text, "system P;");
    let empty = sound(
        "<nta><template><name>P</name><location id='a'/><init ref='a'/></template><system/></nta>",
    );
    assert_eq!(empty.templates[0].locations[0].id, "a");
    assert_eq!(empty.templates[0].locations[0].at, None);
}

/// The diagnostics of a broken file, as its author sees them.
fn check(path: &std::path::Path) -> String {
    let name = path.file_name().expect("a name").to_string_lossy();
    let file = file(&name, &std::fs::read_to_string(path).expect("a file"));
    let mut diagnostics = Diagnostics::new();
    match name.ends_with(".xml") {
        true => xml::read(&file, &mut diagnostics),
        false => xta::read(&file, &mut diagnostics),
    };
    let list = diagnostics.into_sorted();
    assert!(!list.is_empty());
    let shown: Vec<_> = list.iter().map(|d| render(d, &file, Style::Plain)).collect();
    shown.join("\n\n")
}

#[test]
fn broken_containers() {
    insta::glob!("../../test_data/container", "*.x*", |path| {
        insta::assert_snapshot!(check(path));
    });
}

#[test]
fn nesting_does_not_cost_stack() {
    let n = 100_000;
    let nested = format!("<nta>{}{}<system/></nta>", "<a>".repeat(n), "</a>".repeat(n));
    let (document, diagnostics) = read(&nested);
    assert!(document.is_some());
    assert_eq!(diagnostics.iter().count(), 1);
    let (_, diagnostics) = read(&"<nta><template>".repeat(n));
    assert!(diagnostics.has_errors());
}

#[test]
fn many_mistakes_are_not_all_told() {
    let raw =
        format!("<nta><declaration>{}</declaration><system/></nta>", "a & b ".repeat(100_000));
    let (_, diagnostics) = read(&raw);
    assert!(diagnostics.iter().count() <= 41);
    let closing = format!("<nta>{}<system/></nta>", "</b>".repeat(100_000));
    assert!(read(&closing).1.iter().count() <= 41);
}

/// A file with pieces cut out, doubled or replaced.
fn mutated() -> impl Strategy<Value = String> {
    let pieces = prop::sample::select(vec![
        "<",
        ">",
        "&",
        "\"",
        "</",
        "/>",
        "<!--",
        "<![CDATA[",
        "]]>",
        "<template>",
        "</nta>",
        "é",
        "\r",
        "&#0;",
        "<!DOCTYPE",
        "<label kind=\"",
        "]",
        "<?",
    ]);
    let edit = (any::<prop::sample::Index>(), 0..40_usize, pieces);
    prop::collection::vec(edit, 1..6).prop_map(|edits| {
        let mut text = RICH.to_owned();
        for (at, length, piece) in edits {
            let start = text.floor_char_boundary(at.index(text.len()));
            let end = text.floor_char_boundary((start + length).min(text.len())).max(start);
            text.replace_range(start..end, piece);
        }
        text
    })
}

/// The texts of all labels outside of charts, as another reader of XML finds them.
fn labels_of_another_reader(text: &str) -> Option<Vec<String>> {
    let options = roxmltree::ParsingOptions { allow_dtd: true, ..Default::default() };
    let tree = roxmltree::Document::parse_with_options(text, options).ok()?;
    let is_label = |node: &roxmltree::Node<'_, '_>| {
        node.has_tag_name("label") && !node.ancestors().any(|above| above.has_tag_name("lsc"))
    };
    let text = |node: roxmltree::Node<'_, '_>| {
        node.children().filter(|child| child.is_text()).filter_map(|child| child.text()).collect()
    };
    Some(tree.descendants().filter(is_label).map(text).collect())
}

/// Where another reader sees XML, so do we, and with the same texts.
fn agree(text: &str) {
    let Some(expected) = labels_of_another_reader(text) else { return };
    let (document, diagnostics) = read(text);
    if diagnostics.iter().next().is_some() {
        // A tag in a label is XML, but not UPPAAL's; nothing is comparable behind its repair.
        let repairs = ["xml::raw_less", "xml::not_closed", "xml::not_uppaal"];
        let codes: Vec<_> = diagnostics.iter().map(|d| d.code).collect();
        let is_repaired = codes.iter().any(|code| repairs.contains(code));
        let wrong = ["bad_tag", "truncated", "unclosed", "raw_ampersand", "unknown_entity"];
        let is_wrong = codes.iter().any(|code| wrong.contains(&code.trim_start_matches("xml::")));
        assert!(is_repaired || !is_wrong, "{codes:?}\n{text}");
        return;
    }
    let document = document.expect("a document");
    let mut found = Vec::new();
    for template in &document.templates {
        let locations = template.locations.iter().flat_map(|location| &location.labels);
        let edges = template.edges.iter().flat_map(|edge| &edge.labels);
        found.extend(locations.chain(edges).map(|label| label.text.text.clone()));
    }
    assert_eq!(found, expected, "{text}");
}

#[test]
fn another_reader_agrees() {
    agree(RICH);
    agree(&RICH.replace('\n', "\r\n"));
    insta::glob!("../../test_data/container", "*.xml", |path| {
        agree(&std::fs::read_to_string(path).expect("a file"));
    });
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_survived(text in "\\PC{0,200}|[<>/a-c&;!\\[\\]\"'= -]{0,200}") {
        let (document, diagnostics) = read(&text);
        prop_assert!(document.is_some() || diagnostics.has_errors());
    }

    /// Whatever is repaired can be written, and is then sound XML.
    #[test]
    fn broken_files_are_repaired(text in mutated()) {
        let (document, diagnostics) = read(&text);
        for diagnostic in diagnostics.iter() {
            prop_assert!(diagnostic.span.end as usize <= text.len());
            render(diagnostic, &file("m", &text), Style::Plain);
        }
        if let Some(document) = document.filter(|document| document.charts.is_empty()) {
            let (again, diagnostics) = read(&xml::write(&document));
            let is_broken = diagnostics.iter().any(|d| d.code == "xml::raw_less" || d.code == "xml::truncated");
            prop_assert!(!is_broken);
            prop_assert!(again.is_some());
        }
    }

    #[test]
    fn another_reader_agrees_about_broken_files(text in mutated()) {
        agree(&text);
    }

    #[test]
    fn truncated_files_are_survived(at in 0..RICH.len()) {
        let text = &RICH[..RICH.floor_char_boundary(at)];
        let (document, diagnostics) = read(text);
        prop_assert!(document.is_none() || diagnostics.has_errors() || text.trim_end().ends_with("</nta>"));
    }

    /// Any characters that XML can say survive in every kind of text.
    #[test]
    fn texts_survive(text in "[\\PC\n\t<>&\"'\r]{0,40}", value in "[\\PC\n\t<>&\"'\r]{0,20}") {
        let mut document = sound(RICH);
        document.declarations = Text::verbatim(&text, 0);
        document.templates[0].edges[0].labels[0].text = Text::verbatim(&text, 0);
        document.templates[0].edges[0].colour = Some(value.clone());
        document.query_options.push((value.clone(), value));
        prop_assert_eq!(placeless(&sound(&xml::write(&document))), placeless(&document));
    }
}
