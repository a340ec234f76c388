//! Networks as JSON: equal after reading, and nothing harmful gets in.

use proptest::prelude::*;
use punctual_lang::{
    SourceFile,
    diagnostic::{Diagnostics, Style, render},
    json,
};
use punctual_model::{Clock, Expr, Network, Number, UnaryOp};

use crate::networks;

fn read(text: &str) -> Result<Network, String> {
    let file = SourceFile { name: "model.json".to_owned(), text: text.to_owned() };
    let mut diagnostics = Diagnostics::new();
    let network = json::read(&file, &mut diagnostics);
    let rendered =
        diagnostics.into_sorted().into_iter().map(|d| render(&d, &file, Style::Plain) + "\n");
    network.ok_or_else(|| rendered.collect())
}

/// A network with something in every table.
fn sample() -> Network {
    networks::network(&(0..200).map(|i| (i * 37 % 251) as u8).collect::<Vec<_>>())
}

#[test]
fn rejected_files_are_explained() {
    let good = json::write(&sample());
    let wrong = [
        String::new(),
        "[1, 2".to_owned(),
        "{\"format\": \"other\", \"version\": 1}".to_owned(),
        good.replacen("\"version\":1", "\"version\":2", 1),
        good.replacen("\"network\":{", "\"network\":{\"processes\":7,", 1),
        good.replacen("\"base\":0", "\"base\":4000000000", 1),
        good.replacen("\"source\":0", "\"source\":99", 1),
        "[".repeat(20_000),
    ];
    let messages: Vec<String> = wrong
        .iter()
        .map(|text| read(text).expect_err("it is wrong"))
        // The file is one long line; what is shown of it depends on the generator.
        .map(|text| {
            text.lines().filter(|line| !line.starts_with("1 |")).collect::<Vec<_>>().join("\n")
        })
        .collect();
    insta::assert_snapshot!(messages.join("\n---\n"));
}

#[test]
fn infinities_and_tiny_differences_survive() {
    let mut network = sample();
    let values = [f64::INFINITY, f64::NEG_INFINITY, 0.1 + 0.2, f64::MIN_POSITIVE, -0.0, 1e300];
    for initial in values {
        network.clocks.push(Clock { name: "c".into(), owner: None, hybrid: true, initial });
    }
    network.initial.doubles.extend(values);
    network.before_update.push(Expr::Double(f64::NEG_INFINITY));
    assert_eq!(read(&json::write(&network)), Ok(network.clone()));
    network.initial.doubles.push(f64::NAN);
    let again = read(&json::write(&network)).expect("it is valid");
    assert!(again.initial.doubles.last().is_some_and(|value| value.is_nan()));
}

#[test]
fn deep_expressions_are_read() {
    let mut network = sample();
    let mut expr = Expr::Int(1);
    for _ in 0..2000 {
        expr = Expr::Unary(UnaryOp::Negate, Number::Int, Box::new(expr));
    }
    network.before_update.push(expr);
    assert_eq!(read(&json::write(&network)), Ok(network));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    /// Reading what was written gives the same network.
    #[test]
    fn written_networks_are_read_again(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let network = networks::network(&bytes);
        prop_assert_eq!(read(&json::write(&network)), Ok(network));
    }

    /// Numbers in a file may be anything: either it is refused or it is valid.
    #[test]
    fn damaged_files_are_survived(
        bytes in prop::collection::vec(any::<u8>(), 0..200),
        damage in prop::collection::vec((any::<prop::sample::Index>(), prop_oneof!["-?[0-9]{1,11}", "[\\[\\]{},:\"a-z]{0,4}"]), 1..4),
    ) {
        let mut text = json::write(&networks::network(&bytes));
        for (at, piece) in damage {
            let digits: Vec<usize> = text.match_indices(|c: char| c.is_ascii_digit()).map(|(at, _)| at).collect();
            let at = digits[at.index(digits.len())];
            text.replace_range(at..=at, &piece);
            if !text.contains(|c: char| c.is_ascii_digit()) {
                break;
            }
        }
        if let Ok(network) = read(&text) {
            prop_assert!(json::validate(&network).is_ok());
        }
    }
}
