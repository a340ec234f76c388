//! What the guide shows is what the tool prints.

use super::{output, root};

/// The commands of a document with what they print below them.
fn shown(document: &str) -> Vec<(String, String)> {
    let text = std::fs::read_to_string(root().join(document)).unwrap();
    let mut blocks = Vec::new();
    let mut rest = text.as_str();
    while let Some((_, block)) = rest.split_once("```console\n$ ") {
        let (block, after) = block.split_once("```\n").expect("a block ends");
        let (command, printed) = block.split_once('\n').expect("a command ends");
        blocks.push((command.to_owned(), printed.to_owned()));
        rest = after;
    }
    blocks
}

/// What a search costs depends on the machine, and changes when the engine gets better.
fn without_cost(text: &str) -> String {
    let costs = |line: &&str| {
        [" explored, ", ", seed ", " steps/s)", " steps tried, "].iter().any(|it| line.contains(it))
    };
    text.lines().filter(|line| !costs(line)).collect::<Vec<_>>().join("\n")
}

#[cfg(unix)]
#[test]
fn commands_of_the_chapter_on_checking() {
    print_what_is_shown("docs/guide/checking.md", 6);
}

#[cfg(unix)]
#[test]
fn commands_of_the_chapter_on_estimating() {
    print_what_is_shown("docs/guide/estimating.md", 4);
}

#[cfg(unix)]
#[test]
fn commands_of_the_chapter_on_generating() {
    print_what_is_shown("docs/guide/generating.md", 5);
}

#[cfg(unix)]
#[test]
fn commands_of_the_chapter_on_interfaces() {
    print_what_is_shown("docs/guide/interface.md", 2);
}

#[cfg(unix)]
#[test]
fn commands_of_the_chapter_on_json() {
    print_what_is_shown("docs/guide/json.md", 3);
}

#[cfg(unix)]
#[test]
fn commands_of_the_chapter_on_platforms() {
    print_what_is_shown("docs/guide/platform.md", 1);
    print_what_is_shown("examples/infusion/README.md", 4);
}

#[cfg(unix)]
#[test]
fn commands_of_the_chapter_on_suites() {
    print_what_is_shown("docs/guide/suites.md", 2);
}

#[cfg(unix)]
#[test]
fn commands_of_the_chapter_on_timed_suites() {
    print_what_is_shown("docs/guide/timed-suites.md", 5);
}

#[cfg(unix)]
#[test]
fn commands_of_the_chapter_on_chance() {
    print_what_is_shown("docs/guide/chance.md", 8);
}

#[cfg(unix)]
#[test]
fn commands_of_the_chapter_on_steering() {
    print_what_is_shown("docs/guide/steering.md", 1);
}

#[cfg(unix)]
#[test]
fn commands_of_the_chapter_on_testing() {
    print_what_is_shown("docs/guide/testing.md", 3);
}

#[cfg(unix)]
#[test]
fn commands_of_the_chapter_on_use_cases() {
    print_what_is_shown("docs/guide/usecases.md", 1);
}

#[cfg(unix)]
#[test]
fn commands_of_the_chapter_on_running() {
    print_what_is_shown("docs/guide/running.md", 2);
}

#[cfg(unix)]
fn print_what_is_shown(document: &str, at_least: usize) {
    let blocks = shown(document);
    assert!(blocks.len() >= at_least, "the commands were not found");
    for (command, printed) in blocks {
        let script = format!("punctual() {{ \"$PUNCTUAL\" \"$@\"; }}\n{command} 2>&1");
        let mut shell = assert_cmd::Command::new("sh");
        shell.args(["-c", &script]).current_dir(root());
        shell.env("NO_COLOR", "1").env("PUNCTUAL", env!("CARGO_BIN_EXE_punctual"));
        let (_, stdout, stderr) = output(&mut shell);
        assert_eq!(without_cost(&stdout), without_cost(&printed), "{command}: {stderr}");
    }
}
