//! Files about tests: what they say, and what is said about them.

use std::path::Path;

use punctual_lang::{
    Input,
    diagnostic::{Style, render},
    lustre, steering,
    testing::{self, Config, Reading, System, UnderTest, interface_of},
    values,
};
use punctual_model::{Network, TimeScale};

use crate::random::mutate::{Random, mutate};

fn network() -> Network {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("test_data/testing/model.xta");
    let bytes = std::fs::read(path).expect("the model can be read");
    punctual_lang::read("model.xta", &bytes).model.expect("the model is accepted").network
}

fn read(network: &Network, path: &Path) -> Reading<Config> {
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
    let config: Config = reading.value.expect("accepted");
    let printed = testing::print(&network, &config);
    let again = testing::read(&network, Input { name: "a.toml", bytes: printed.as_bytes() });
    assert_eq!(again.value, Some(config), "{printed}");
    printed
}

fn rejected(path: &Path) -> String {
    let reading = read(&network(), path);
    assert!(reading.value.is_none());
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
    let names = [
        "accepted/full.toml",
        "accepted/preamble.trn",
        "accepted/started.toml",
        "accepted/steered.toml",
        "rejected/names.toml",
    ];
    for name in names {
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
        assert_eq!(reading.value.is_none(), errors, "case {case}");
        for diagnostic in &reading.diagnostics {
            let span = diagnostic.span.range();
            assert!(reading.file.text.get(span.clone()).is_some(), "case {case}: {span:?}");
            assert!(!render(diagnostic, &reading.file, Style::Plain).is_empty());
        }
        if let Some(config) = reading.value {
            let printed = testing::print(&network, &config);
            let again = Input { name: "a.toml", bytes: printed.as_bytes() };
            assert_eq!(
                testing::read(&network, again).value,
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
        reading.value.map(|config| config.wired.interface.time.unit_ns)
    };
    assert_eq!(unit("// x\ninput; output; precision 7; timeout 1;"), Some(7_000));
    assert_eq!(unit("[interface]\ninputs=[]\noutputs=[]\ntime-unit=\"7us\""), Some(7_000));
    assert_eq!(unit("input = 3"), None);
    assert_eq!(unit(""), None);
}

/// What `read_alone` gives for a text without errors.
fn alone(text: &str) -> Config {
    let reading = testing::read_alone(Input { name: "punctual.toml", bytes: text.as_bytes() });
    let rendered = reading.diagnostics.iter().map(|d| render(d, &reading.file, Style::Plain));
    let rendered = rendered.collect::<String>();
    reading.value.unwrap_or_else(|| panic!("{rendered}"))
}

/// A system that only takes steps needs no network and no `[interface]`.
#[test]
fn systems_without_a_timed_model() {
    let config = alone("steps.model = 'loop.lus'\nsystem.command = \"./loop 'a b'\"\n");
    let system = config.under_test.clone().expect("a system");
    let words = ["./loop", "a b"].map(str::to_owned).to_vec();
    assert_eq!(system, System::new(UnderTest::Command(words)));
    let steps = config.steps.clone().expect("steps");
    assert_eq!((steps.model.text.as_str(), steps.period_ns), ("loop.lus", 1_000_000));
    let printed = testing::print(&Network::default(), &config);
    assert_eq!(alone(&printed), config);
}

/// `[steering]` of a `punctual.toml` is what a file of its own says; its model is that of the steps.
#[test]
fn steering_in_its_own_file_or_not() {
    let read = |text: &str| steering::read(Input { name: "s.toml", bytes: text.as_bytes() });
    let own = "model = 'pump.lus'\nsteer = ['a.b', 'x[1]']\nmain = 'top'\n[tolerance]\n'x[1]' = [-1, 0.25]\n";
    let table = "[steps]\nmodel = 'pump.lus'\nmain = 'top'\n[steering]\nsteer = ['a.b', 'x[1]']\n\
                 [steering.tolerance]\n'x[1]' = [-1, 0.25]\n[test]\nanything = 1\n";
    let expected = read(own).value.expect("accepted");
    assert_eq!(read(table).value.as_ref(), Some(&expected));
    let mut config = alone(&table.replace("anything", "seed"));
    assert_eq!(config.steering.take(), Some(expected));
    let wrong = read("[steering]\nmodle = 'x'\n[systm]\n");
    let messages: Vec<&str> = wrong.diagnostics.iter().map(|it| it.message.as_str()).collect();
    assert_eq!(
        messages,
        [
            "`model` is missing",
            "there is no key `modle` in `[steering]`",
            "there is no key `systm`"
        ]
    );
}

#[test]
fn ports_of_a_program() {
    let text = "type mode = enum { Off, On };
        node main(b: bool; n: subrange [0, 9] of int; r: real) returns (m: mode; y: int);
        var k: int; let k = n; y = k; m = if b then On else Off; tel";
    let reading = lustre::read(Input { name: "m.lus", bytes: text.as_bytes() }, None);
    let program = reading.value.expect("accepted");
    let time = TimeScale { unit_ns: 7, resolution: 1 };
    let interface = interface_of(&program, time);
    let shown: Vec<String> = (interface.ports.iter())
        .map(|port| format!("{:?} {}: {}", port.role, port.name, values::expected(&port.ty)))
        .collect();
    insta::assert_snapshot!(shown.join("\n"));
    let steps = |observe: &str| {
        let text = format!("steps.model = 'm.lus'\nsteps.observe = [{observe}]\n");
        let config = alone(&text);
        let mut wired = config.wired;
        let steps = config.steps.expect("steps");
        let wrong = steps.add_ports(&program, &mut wired);
        let wrong: Vec<String> = wrong.into_iter().map(|it| it.message).collect();
        assert_eq!(wired.places.len(), wired.interface.ports.len());
        (wired.interface.ports.len(), wrong.join("; "))
    };
    assert_eq!(steps("'k'"), (6, String::new()));
    assert_eq!(steps("'kk'"), (0, "`main` has no variable `kk`".to_owned()));
    assert_eq!(steps("'n'"), (0, "`n` is an input of the program".to_owned()));
    assert_eq!(steps("'y', 'k'"), (0, "`y` is there twice".to_owned()));
}
