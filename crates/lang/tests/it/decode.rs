//! Encodings and formats.

use proptest::prelude::*;
use punctual_lang::diagnostic::Diagnostics;
use punctual_lang::format::{Format, detect};
use punctual_lang::{decode, uppaal::xml};

/// The text of some bytes, or what is wrong with them.
fn check(bytes: &[u8]) -> Result<String, String> {
    let mut diagnostics = Diagnostics::new();
    let file = decode("model.xml", bytes, &mut diagnostics);
    let messages: Vec<_> = diagnostics
        .iter()
        .map(|d| format!("{}; {}", d.message, d.help.as_deref().unwrap_or_default()))
        .collect();
    assert_eq!(file.is_none(), diagnostics.has_errors());
    file.map(|file| file.text).ok_or_else(|| messages.join("\n"))
}

#[test]
fn encodings_are_told_apart() {
    let text = "<nta>größer ≤ 😀</nta>";
    let utf16 = |unit: fn(u16) -> [u8; 2]| text.encode_utf16().flat_map(unit).collect::<Vec<u8>>();
    let (le, be) = (utf16(u16::to_le_bytes), utf16(u16::to_be_bytes));
    for bytes in [
        text.as_bytes().to_vec(),
        [b"\xef\xbb\xbf", text.as_bytes()].concat(),
        [b"\xff\xfe", le.as_slice()].concat(),
        [b"\xfe\xff", be.as_slice()].concat(),
        le.clone(),
        be,
    ] {
        assert_eq!(check(&bytes).as_deref(), Ok(text));
    }
    let western = b"<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><nta>gr\xf6\xdfer \x80</nta>";
    assert!(check(western).expect("text").ends_with("<nta>größer €</nta>"));
    assert_eq!(check(b"").as_deref(), Ok(""));
}

#[test]
fn what_is_wrong_with_bytes_is_said() {
    let bad = [
        b"<nta>\n<declaration>// gr\xf6\xdfer".as_slice(),
        b"<?xml version='1.0' encoding='Shift_JIS'?>\n\x83\x5c",
        b"int a; // \xe4",
        b"\xff\xfe<\0\x00\xd8",
        b"\xfe\xff\0<\0",
        b"\xff\xfe\0\0<\0\0\0",
    ];
    let shown: Vec<_> = bad.iter().map(|bytes| check(bytes).expect_err("not text")).collect();
    insta::assert_snapshot!(shown.join("\n"));
}

#[test]
fn places_count_bytes_behind_the_mark() {
    let mut diagnostics = Diagnostics::new();
    let bytes = b"\xef\xbb\xbf<nta><system>system P;</system></nta>";
    let file = decode("model.xml", bytes, &mut diagnostics).expect("a file");
    let document = xml::read(&file, &mut diagnostics).expect("a document");
    assert_eq!(&file.text[document.system.span.range()], "system P;");
    assert!(!diagnostics.has_errors());
}

#[test]
fn content_decides_and_suffixes_break_ties() {
    for (name, text, format) in [
        ("a.txt", "\n <?xml version=\"1.0\"?><nta/>", Some(Format::UppaalXml)),
        ("a.xml", "# comment\n\nsystem:fischer\nclock:1:x\n", Some(Format::TChecker)),
        ("a.xta", "// process:\nint a;\nprocess P() {}\nsystem P;", Some(Format::Xta)),
        ("a.txt", "process P() {}\nsystem P;", Some(Format::Xta)),
        ("a", "/* system */ int a; system P;", Some(Format::Xta)),
        ("a.ta", "", Some(Format::Xta)),
        ("a.q", "// process\nE<> P.a", Some(Format::Queries)),
        ("a", "\n// all\nA[] not deadlock\n", Some(Format::Queries)),
        ("net.json", "{ \"name\": 3 }", Some(Format::Json)),
        ("net", "{}", Some(Format::Json)),
        ("a", "hello world", None),
        ("dir.xml/a", "hello // system", None),
    ] {
        assert_eq!(detect(name, text), format, "{name}: {text}");
    }
    for (name, format) in [
        ("a/b.XML", Some(Format::UppaalXml)),
        ("b.xta", Some(Format::Xta)),
        ("b.ta", Some(Format::Xta)),
        ("b.tck", Some(Format::TChecker)),
        ("b.txt", Some(Format::TChecker)),
        ("b.json", Some(Format::Json)),
        ("b.q", Some(Format::Queries)),
        ("b", None),
        ("x.json/b", None),
    ] {
        assert_eq!(Format::of_suffix(name), format, "{name}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_are_survived(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let mut diagnostics = Diagnostics::new();
        if let Some(file) = decode("x", &bytes, &mut diagnostics) {
            let _ = detect("x", &file.text);
        }
    }
}
