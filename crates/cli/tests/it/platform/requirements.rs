//! What has to be seen outside after something was set outside.

use std::path::Path;

use super::{PLATFORM, PUMP, TESTS, folder, json, output, punctual, read, write};

/// What has to be seen outside in time is judged beside the steps.
#[test]
fn requirements_between_outside_and_outside() {
    let place = folder("platform-requirements");
    let text = read(PLATFORM);
    let short = place.join("short.toml");
    let text = text.replace("within = \"1s\"", "within = \"500ms\"");
    std::fs::write(&short, text).expect("it can be written");
    let short = short.to_str().expect("a name");
    for (platform, code) in [(PLATFORM, 0), (short, 1)] {
        let on = ["test", TESTS, "--platform", platform, "--play", PUMP, "--no-record"];
        let (found, printed, errors) = output(&mut punctual(&on));
        assert_eq!(found, Some(code), "{platform}: {printed}{errors}");
        let says = "`stops`: after `stop button` was set at";
        assert_eq!(printed.contains(says), code == 1, "{printed}");
    }
}

/// A run goes on until it is known whether what has to follow does, also if all steps are over long before.
#[test]
fn deadlines_are_waited_for() {
    let place = folder("platform-requirements-late");
    let text = read(PLATFORM).replace("within = \"1s\"", "within = \"30s\"");
    let kept = write(&place, "kept.toml", &text);
    let broken = write(
        &place,
        "broken.toml",
        &text.replace("then = { motor = false }", "then = { display = 99 }"),
    );
    for (platform, code) in [(kept, 0), (broken, 1)] {
        let on = ["test", TESTS, "--platform", &platform, "--play", PUMP, "--no-record"];
        let (found, printed, errors) = output(&mut punctual(&on));
        assert_eq!(found, Some(code), "{platform}: {printed}{errors}");
        assert_eq!(
            printed.contains("`stops`: after `stop button` was set at"),
            code == 1,
            "{printed}"
        );
    }
}

/// A lamp that follows its button, on a platform whose delays are always the same: what is set is seen after 330 ms. `within` is what the automaton allows.
fn lamp(place: &Path, within: u64, more: &str) -> String {
    let model = "node lamp(button: bool) returns (light: bool);\nlet light = button; tel\n";
    write(place, "lamp.lus", model);
    let rows = "rows = \"\"\"\nbutton\n1\n1\n0\n0\n\"\"\"\n";
    let suite = format!("model = \"lamp.lus\"\n[[case]]\nname = \"on\"\n{rows}");
    let automaton = format!(
        "clock x;\nchan press, on, off;\nprocess Lamp() {{\nstate Dark, Due {{ x <= {within} }}, Bright;\n\
         init Dark;\ntrans\n Dark -> Due {{ sync press?; assign x = 0; }},\n Due -> Due {{ sync off!; }},\n\
         Dark -> Dark {{ sync off!; }},\n Due -> Bright {{ sync on!; }},\n Bright -> Dark {{ sync off!; }};\n}}\n\
         system Lamp;\n"
    );
    write(place, "lamp.xta", &automaton);
    let platform = format!(
        "[system]\nmodel = \"lamp.lus\"\n[platform]\nstep = \"100ms\"\nsignal = \"stepped\"\n\
         delays = {{ inputs = \"40ms\", outputs = \"20ms\" }}\n[platform.requirements.soon]\n\
         automaton = \"lamp.xta\"\ntime-unit = \"1ms\"\n[platform.requirements.soon.events]\n\
         press = {{ button = true }}\non = {{ light = true }}\noff = {{ light = false }}\n{more}"
    );
    write(place, "punctual.toml", &platform);
    write(place, "tests.toml", &suite)
}

/// An automaton that is kept, and one that is broken by 20 ms: in text, JSON, the record, its replay and its page, in each way to mind delays.
#[test]
fn automata_between_outside_and_outside() {
    let place = folder("platform-automaton");
    for option in [&[][..], &["--scheduled"]] {
        // How long it takes: the least that is enough.
        let passes = |within: u64| {
            let suite = lamp(&place, within, "");
            let on = [&["test", &suite, "--no-record"], option].concat();
            let (code, found) = json(&on);
            assert!(matches!(code, Some(0 | 1)), "{found}");
            (code == Some(0), found)
        };
        let takes = (0..30).map(|it| it * 10).find(|within| passes(*within).0).expect("a time");
        assert!(takes > 40, "{takes}");
        let (is_passed, found) = passes(takes - 20);
        assert!(!is_passed, "{found}");
        let said = found["runs"][0]["judged"].to_string();
        assert!(said.contains("`soon`"), "{found}");
        let suite = lamp(&place, takes - 20, "");
        let runs = place.join("runs").to_str().expect("a name").to_owned();
        let _ = std::fs::remove_dir_all(&runs);
        let (code, printed, errors) =
            output(&mut punctual(&[&["test", &suite, "--record", &runs], option].concat()));
        assert_eq!(code, Some(1), "{printed}{errors}");
        assert!(printed.starts_with("FAIL  `soon`: "), "{printed}");
        let run = format!("{runs}/0001");
        // The automaton lies beside its record.
        std::fs::remove_file(place.join("lamp.xta")).expect("it was there");
        let (code, printed, errors) = output(&mut punctual(&["replay", &run]));
        assert_eq!(code, Some(1), "{printed}{errors}");
        assert!(printed.contains("`soon`: "), "{printed}");
        let page = place.join("page.html").to_str().expect("a name").to_owned();
        let (code, printed, errors) = output(&mut punctual(&["report", &run, "--html", &page]));
        assert_eq!(code, Some(1), "{printed}{errors}");
        let page = std::fs::read_to_string(page).expect("a page");
        assert!(page.contains("`soon`: "), "the page says which requirement is broken");
    }
}

/// What is wrong with an automaton is said at its place, in its own file or in that of the platform.
#[test]
fn wrong_automata_are_refused() {
    let place = folder("platform-automaton-wrong");
    let refused = |suite: &str, why: &str| {
        let (code, printed, errors) = output(&mut punctual(&["test", suite, "--no-record"]));
        assert_eq!(code, Some(2), "{printed}");
        assert!(errors.contains(why), "{errors}");
    };
    let suite = lamp(&place, 100, "pres = { button = false }\n");
    refused(&suite, "the automaton has no channel `pres`");
    let suite = lamp(&place, 100, "");
    let text = std::fs::read_to_string(place.join("lamp.xta")).expect("an automaton");
    write(&place, "lamp.xta", &text.replace("x <=", "y <="));
    refused(&suite, "lamp.xta:4:");
    std::fs::remove_file(place.join("lamp.xta")).expect("it was there");
    refused(&suite, "punctual.toml:");
}
