//! TChecker's format: what is read, what is refused, and that what is written is read again.

use std::path::Path;

use proptest::prelude::*;
use punctual_lang::{
    SourceFile,
    diagnostic::{Diagnostics, Style, render},
    json, tchecker,
};
use punctual_model::Network;

use crate::networks;

fn read(text: &str) -> (Option<Network>, String) {
    let file = SourceFile { name: "model.tck".to_owned(), text: text.to_owned() };
    let mut diagnostics = Diagnostics::new();
    let network = tchecker::read(&file, &mut diagnostics);
    assert_eq!(network.is_none(), diagnostics.has_errors());
    let rendered =
        diagnostics.into_sorted().into_iter().map(|d| render(&d, &file, Style::Plain) + "\n\n");
    (network, rendered.collect())
}

fn check(path: &Path) -> String {
    let text = std::fs::read_to_string(path).expect("test data can be read");
    let (network, messages) = read(&text);
    let network = network.expect("the folder says that it is accepted");
    let written = tchecker::write(&network).expect("what was read can be written");
    let (again, warnings) = read(&written);
    assert_eq!(again, Some(network.clone()), "{written}");
    assert_eq!(tchecker::write(&network), Ok(written.clone()));
    json::validate(&network).expect("the reader builds valid networks");
    assert!(!warnings.contains("error"), "{warnings}");
    format!("{messages}{written}")
}

#[test]
fn accepted() {
    insta::glob!("../../test_data/tchecker", "accepted/*.tck", |path| {
        insta::assert_snapshot!(check(path))
    });
}

#[test]
fn rejected() {
    insta::glob!("../../test_data/tchecker", "rejected/*.tck", |path| {
        let text = std::fs::read_to_string(path).expect("test data can be read");
        let (network, messages) = read(&text);
        assert!(network.is_none(), "the folder says that it is rejected");
        insta::assert_snapshot!(messages);
    });
}

/// `!` binds weaker than a comparison.
#[test]
fn not_reaches_over_a_comparison() {
    let guard = |text: &str| {
        let head = "system:s\nevent:e\nint:1:0:9:0:i\nprocess:P\nlocation:P:l{initial:}\n";
        let (network, messages) = read(&format!("{head}edge:P:l:l:e{{provided: {text}}}\n"));
        let network = network.unwrap_or_else(|| panic!("{messages}"));
        let process = network.processes.iter().next().expect("there is one");
        process.edges.iter().next().expect("there is one").guard.clone()
    };
    assert_eq!(guard("!i == 2"), guard("!(i == 2)"));
    assert_ne!(guard("!i == 2"), guard("(if !i then 1 else 0) == 2"));
    assert_eq!(guard("1 <= i < 5"), guard("1 <= i && i < 5"));
    assert_eq!(guard("(i > 1 && i < 5) && i != 3"), guard("i > 1 && i < 5 && i != 3"));
    assert_eq!(guard("2 * 3 - -1 == i && 1"), guard("7 == i"));
}

/// Attributes of the same name add up.
#[test]
fn attributes_can_be_repeated() {
    let head = "system:s\nevent:e\nint:1:0:9:0:i\nprocess:P\nlocation:P:l{initial:}\n";
    let two = "edge:P:l:l:e{provided: i>0 : do: i=1 : provided: i<3 : do: i=2}";
    let one = "edge:P:l:l:e{provided: i>0 && i<3 : do: i=1; i=2}";
    assert_eq!(read(&format!("{head}{two}")).0, read(&format!("{head}{one}\n")).0);
}

/// A file may use the line ends of another system, and need not end with one.
#[test]
fn line_ends_do_not_matter() {
    let text = include_str!("../../test_data/tchecker/accepted/gate.tck");
    let other = text.replace('\n', "\r\n");
    assert_eq!(read(text).0, read(other.trim_end()).0);
}

const SAMPLES: [&str; 3] = [
    include_str!("../../test_data/tchecker/accepted/gate.tck"),
    include_str!("../../test_data/tchecker/accepted/queue.tck"),
    include_str!("../../test_data/tchecker/rejected/unclosed.tck"),
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    /// What is written reads back as the same network.
    #[test]
    fn written_networks_are_read_again(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let network = networks::network(&bytes);
        let text = tchecker::write(&network).expect("the format can say all of it");
        let (again, messages) = read(&text);
        prop_assert!(again.is_some(), "{text}\n{messages}");
        prop_assert_eq!(again, Some(network), "{}", text);
    }

    /// Whatever a file says, it gets an answer, and every diagnostic can be shown.
    #[test]
    fn damaged_files_are_survived(
        sample in 0..SAMPLES.len(),
        damage in prop::collection::vec((any::<prop::sample::Index>(), 0..4, "[a-zäß0-9:@?{}()\\[\\]!&|<=>+*/%; \n#.-]{0,5}"), 1..6),
    ) {
        let mut text: Vec<char> = SAMPLES[sample].chars().collect();
        for (at, kind, piece) in damage {
            if text.is_empty() {
                break;
            }
            let at = at.index(text.len());
            match kind {
                0 => drop(text.splice(at..at, piece.chars())),
                1 => drop(text.drain(at..(at + piece.len()).min(text.len()))),
                2 => text.truncate(at),
                _ => drop(text.splice(at..(at + 1).min(text.len()), piece.chars())),
            }
        }
        let text: String = text.into_iter().collect();
        let (network, _) = read(&text);
        if let Some(network) = network {
            json::validate(&network).map_err(|flaw| TestCaseError::fail(flaw.to_string()))?;
            let written = tchecker::write(&network).map_err(|e| TestCaseError::fail(e.to_string()))?;
            prop_assert_eq!(read(&written).0, Some(network));
        }
    }
}
