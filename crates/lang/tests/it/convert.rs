//! Conversions between the ways to synchronise, and between formats.

use std::path::Path;

use proptest::prelude::*;
use punctual_lang::{
    SourceFile,
    convert::{self, Printer, Unsupported},
    diagnostic::{Diagnostics, Style, render},
    json, read, tchecker, uppaal,
};
use punctual_model::{
    Binary, BinaryOp, ClockConstraint, Expr, Frame, FunctionBody, Id, Network, Number, Relation,
    UnaryOp,
};

use crate::networks;

fn load(path: &Path) -> Network {
    let bytes = std::fs::read(path).expect("test data can be read");
    let name = path.file_name().expect("it is a file").to_string_lossy();
    parse(&name, &bytes)
}

fn parse(name: &str, bytes: &[u8]) -> Network {
    let reading = read(name, bytes);
    let messages =
        reading.diagnostics.iter().map(|d| render(d, &reading.file, Style::Plain) + "\n");
    let messages: String = messages.collect();
    reading.model.unwrap_or_else(|| panic!("{messages}")).network
}

fn list(errors: &[Unsupported]) -> String {
    errors.iter().map(|error| format!("{error}\n")).collect()
}

/// What UPPAAL's formats can say: labels are comments there. Functions are compared by their
/// text, as their locals get new names and places.
fn said_in_uppaal(mut network: Network) -> Network {
    for process in network.processes.iter_mut() {
        process.locations.iter_mut().for_each(|location| location.labels.clear());
    }
    for function in network.functions.iter_mut() {
        function.frame = Frame::default();
        function.body = FunctionBody::Statements(Vec::new());
    }
    network
}

/// Writes a network of vectors; what is read again must be the same.
fn as_tchecker(network: &Network) -> String {
    json::validate(network).expect("conversions give valid networks");
    let text = tchecker::write(network).expect("only what can be said is left");
    let file = SourceFile { name: "again.tck".to_owned(), text: text.clone() };
    let again = tchecker::read(&file, &mut Diagnostics::new());
    assert_eq!(again.as_ref(), Some(network), "{text}");
    text
}

/// Writes a network of channels as XML; what is read again must be the same.
fn as_uppaal(network: &Network) -> Result<String, Vec<Unsupported>> {
    json::validate(network).expect("conversions give valid networks");
    let document = convert::to_document(network)?;
    let text = uppaal::xta::write(&document).expect("it has no loose ends").text;
    let again = parse("again.xml", uppaal::xml::write(&document).as_bytes());
    let same = said_in_uppaal(again.clone()) == said_in_uppaal(network.clone());
    let document = convert::to_document(&again)?;
    let second = uppaal::xta::write(&document).expect("it has no loose ends").text;
    assert_eq!(second, text);
    assert!(same, "{text}");
    Ok(text)
}

#[test]
fn from_uppaal() {
    insta::glob!("../../test_data/tchecker", "from_uppaal/*.xta", |path| {
        let vectors = convert::to_vectors_with_notes(&load(path)).expect("all of it can be said");
        let notes: String = vectors.notes.iter().map(|note| format!("# {note}\n")).collect();
        insta::assert_snapshot!(notes + &as_tchecker(&vectors.network));
    });
}

#[test]
fn to_uppaal() {
    insta::glob!("../../test_data/tchecker", "{to_uppaal,accepted}/*.tck", |path| {
        let text = match convert::to_channels(&load(path)) {
            Ok(network) => as_uppaal(&network).expect("all of it can be said"),
            Err(errors) => list(&errors),
        };
        insta::assert_snapshot!(text);
    });
}

#[test]
fn refused() {
    insta::glob!("../../test_data/tchecker", "refused/*", |path| {
        let network = load(path);
        let errors = match path.extension().is_some_and(|suffix| suffix == "tck") {
            true => convert::to_channels(&network).expect_err("the folder says so"),
            false => convert::to_vectors(&network).expect_err("the folder says so"),
        };
        insta::assert_snapshot!(list(&errors));
    });
}

/// What a staying receiver tests is exactly what no receiving edge tests.
#[test]
fn broadcast_loops_are_the_opposite_of_guards() {
    let model = "broadcast chan b; int[0,9] n; clock x;\n\
        process S() { state A; init A; trans A -> A { sync b!; }; }\n\
        process R() { state A, B; init A; trans \
          A -> B { guard n > 2 && x < 3; sync b?; }, A -> A { guard x == 5; sync b?; }; }\n\
        system S, R;";
    let network = convert::to_vectors(&parse("model.xta", model.as_bytes())).expect("it can");
    let text = as_tchecker(&network);
    let loops: Vec<&str> = text.lines().filter(|line| line.starts_with("edge:R")).skip(2).collect();
    // From A: one way to miss each guard, for each way to miss the other. From B: always.
    let expected = [
        "edge:R:A:A:b_recv{provided: n <= 2 && x < 5}",
        "edge:R:A:A:b_recv{provided: n <= 2 && x > 5}",
        "edge:R:A:A:b_recv{provided: x >= 3 && x < 5}",
        "edge:R:A:A:b_recv{provided: x >= 3 && x > 5}",
        "edge:R:B:B:b_recv",
    ];
    assert_eq!(loops, expected);
}

/// Parentheses stand where they are needed and nowhere else.
#[test]
fn parentheses_are_minimal() {
    let network = networks::network(&[]);
    let printer = Printer::new(&network);
    let binary = |op, left, right| {
        Expr::Binary(Box::new(Binary { op, number: Number::Int, size: 1, left, right }))
    };
    let (a, b) = (|| Expr::Int(1), || Expr::Int(-2));
    let cases = [
        (binary(BinaryOp::Add, binary(BinaryOp::Add, a(), b()), a()), "1 + -2 + 1"),
        (binary(BinaryOp::Subtract, a(), binary(BinaryOp::Subtract, a(), b())), "1 - (1 - -2)"),
        (binary(BinaryOp::Multiply, binary(BinaryOp::Add, a(), a()), a()), "(1 + 1) * 1"),
        (binary(BinaryOp::Or, binary(BinaryOp::And, a(), a()), a()), "1 && 1 || 1"),
        (binary(BinaryOp::Imply, a(), binary(BinaryOp::Or, a(), a())), "1 imply (1 || 1)"),
        (Expr::Unary(UnaryOp::Negate, Number::Int, Box::new(b())), "-(-2)"),
        (
            Expr::Conditional(Box::new([binary(BinaryOp::Less, a(), a()), a(), b()])),
            "1 < 1 ? 1 : -2",
        ),
        (binary(BinaryOp::Equal, binary(BinaryOp::Minimum, a(), a()), a()), "1 <? 1 == 1"),
    ];
    for (expr, expected) in cases {
        assert_eq!(printer.expr(&expr), expected);
    }
    let constraint = ClockConstraint {
        when: Some(binary(BinaryOp::Or, a(), a())),
        left: None,
        right: Some(punctual_model::ClockRef::fixed(Id::from_index(0))),
        relation: Relation::Less,
        number: Number::Int,
        bound: Expr::Int(-3),
    };
    assert_eq!(printer.constraint(&constraint), "(1 || 1) imply x0 > 3");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    /// A network of vectors can be said with channels, or it is said why not; if it can, the
    /// UPPAAL file reads back as the same network, and vectors can be made of it again.
    #[test]
    fn vectors_to_channels_and_back(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let network = networks::network(&bytes);
        if let Ok(channels) = convert::to_channels(&network)
            && as_uppaal(&channels).is_ok()
        {
            let vectors = convert::to_vectors(&channels).expect("nothing new came in");
            as_tchecker(&vectors);
        }
    }

    /// A network of vectors is lowered to itself but for names and what can be folded.
    #[test]
    fn vectors_stay_vectors(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let network = networks::network(&bytes);
        let again = convert::to_vectors(&network).expect("all of it can be said");
        prop_assert_eq!(&again.sync_vectors, &network.sync_vectors);
        prop_assert_eq!(&again.events, &network.events);
        as_tchecker(&again);
    }
}
