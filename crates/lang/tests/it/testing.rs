//! Files about tests: what they say, and what is said about them.

use std::path::Path;

use punctual_lang::{
    Input,
    diagnostic::{Style, render},
    testing::{self, Config, Reading},
};
use punctual_model::Network;

use crate::random::mutate::{Random, mutate};

fn network() -> Network {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("test_data/testing/model.xta");
    let bytes = std::fs::read(path).expect("the model can be read");
    punctual_lang::read("model.xta", &bytes).model.expect("the model is accepted").network
}

fn read(network: &Network, path: &Path) -> Reading {
    let name = path.file_name().and_then(|name| name.to_str()).expect("a name");
    let bytes = std::fs::read(path).expect("the file can be read");
    testing::read(network, Input { name, bytes: &bytes })
}

/// What a file says, as it would be printed; reading that gives the same.
fn accepted(path: &Path) -> String {
    let network = network();
    let reading = read(&network, path);
    let rendered = reading.diagnostics.iter().map(|d| render(d, &reading.file, Style::Plain));
    assert_eq!(rendered.collect::<String>(), "");
    let config: Config = reading.config.expect("accepted");
    let printed = testing::print(&network, &config);
    let again = testing::read(&network, Input { name: "a.toml", bytes: printed.as_bytes() });
    assert_eq!(again.config, Some(config), "{printed}");
    printed
}

fn rejected(path: &Path) -> String {
    let reading = read(&network(), path);
    assert!(reading.config.is_none());
    assert!(!reading.diagnostics.is_empty());
    let rendered: Vec<String> = reading
        .diagnostics
        .iter()
        .map(|diagnostic| render(diagnostic, &reading.file, Style::Plain).trim_end().to_owned())
        .collect();
    rendered.join("\n\n")
}

#[test]
fn files_that_are_accepted() {
    insta::glob!("../../test_data/testing/accepted", "*.{toml,trn}", |path| {
        insta::assert_snapshot!(accepted(path));
    });
}

#[test]
fn files_that_are_rejected() {
    insta::glob!("../../test_data/testing/rejected", "*.{toml,trn}", |path| {
        insta::assert_snapshot!(rejected(path));
    });
}

/// Small faults by chance: no panic, a configuration or an error, and every span in the file.
#[test]
fn any_file_can_be_read() {
    let network = network();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("test_data/testing");
    let mut texts = Vec::new();
    for name in ["accepted/full.toml", "accepted/preamble.trn", "rejected/names.toml"] {
        texts.push((name, std::fs::read(folder.join(name)).expect("the file can be read")));
    }
    for case in 0..3000 {
        let mut random = Random::new(case);
        let (name, text) = &texts[random.below(texts.len())];
        let (_, other) = &texts[random.below(texts.len())];
        let mut bytes = text.clone();
        for _ in 0..=random.below(4) {
            mutate(&mut bytes, other, &mut random);
        }
        let reading = testing::read(&network, Input { name, bytes: &bytes });
        let errors = reading.diagnostics.iter().any(|diagnostic| diagnostic.is_error());
        assert_eq!(reading.config.is_none(), errors, "case {case}");
        for diagnostic in &reading.diagnostics {
            let span = diagnostic.span.range();
            assert!(reading.file.text.get(span.clone()).is_some(), "case {case}: {span:?}");
            assert!(!render(diagnostic, &reading.file, Style::Plain).is_empty());
        }
        if let Some(config) = reading.config {
            let printed = testing::print(&network, &config);
            let again = Input { name: "a.toml", bytes: printed.as_bytes() };
            assert_eq!(
                testing::read(&network, again).config,
                Some(config),
                "case {case}: {printed}"
            );
        }
    }
}

/// Without a telling name, a file is TRON's if it begins like one.
#[test]
fn the_content_tells_the_format() {
    let network = network();
    let unit = |text: &str| {
        let reading = testing::read(&network, Input { name: "-", bytes: text.as_bytes() });
        reading.config.map(|config| config.wired.interface.time.unit_ns)
    };
    assert_eq!(unit("// x\ninput; output; precision 7; timeout 1;"), Some(7_000));
    assert_eq!(unit("[interface]\ninputs=[]\noutputs=[]\ntime-unit=\"7us\""), Some(7_000));
    assert_eq!(unit("input = 3"), None);
    assert_eq!(unit(""), None);
}
