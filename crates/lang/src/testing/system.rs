//! Where the system under test is, and how it is started.

use std::path::Path;

use toml::{Spanned, de::DeValue};

use super::{
    Policy, System, UnderTest,
    table::{Section, Word, kind, span},
    words,
};
use crate::diagnostic::{Diagnostic, Diagnostics};

const PLACES: [&str; 6] = ["command", "tcp", "listen", "library", "tron", "model"];
const KEYS: [&str; 12] = [
    "command", "tcp", "listen", "library", "tron", "model", "policy", "args", "env", "cwd",
    "restart", "timeout",
];

/// Reads `[system]`.
pub(super) fn read(top: &Section<'_>, diagnostics: &mut Diagnostics) -> Option<System> {
    let section = top.section("system", &KEYS, diagnostics);
    let policies = [
        ("random", Policy::Random),
        ("stochastic", Policy::Stochastic),
        ("earliest", Policy::Earliest),
        ("latest", Policy::Latest),
        ("fixed", Policy::Fixed),
    ];
    let policy = section.choice("policy", &policies, diagnostics);
    if let (Some(at), None) = (section.key("policy"), section.key("model")) {
        let message = "`policy` says how a model is played, and there is no `model`";
        diagnostics.push(Diagnostic::error("toml::policy", at, message));
    }
    let args = section.texts("args", diagnostics).into_iter().map(|word| word.text).collect();
    let env = environment(&section, diagnostics);
    let cwd = section.text("cwd", diagnostics);
    let cwd = cwd.and_then(|word| path("cwd", word, diagnostics));
    let restart = section.truth("restart", diagnostics).unwrap_or(false);
    let timeout_ns = section.duration("timeout", 1, diagnostics);
    let key = place(&section, diagnostics)?;
    for other in ["args", "env", "cwd", "restart", "timeout"] {
        let fits = matches!(key, "command" | "library") || (other == "timeout" && key != "model");
        if let Some(at) = section.key(other).filter(|_| !fits) {
            let message = match other {
                "timeout" => {
                    "`timeout` is for systems that answer, not for a played model".to_owned()
                }
                _ => format!("`{other}` is for systems that are started, not for `{key}`"),
            };
            diagnostics.push(Diagnostic::error("toml::system", at, message));
        }
    }
    let under_test = under_test(key, &section, policy.unwrap_or_default(), diagnostics)?;
    Some(System { under_test, args, env, cwd, restart, timeout_ns })
}

/// The one key that says where the system is.
fn place(section: &Section<'_>, diagnostics: &mut Diagnostics) -> Option<&'static str> {
    let places: Vec<_> = PLACES.iter().filter_map(|key| Some((*key, section.key(key)?))).collect();
    match places[..] {
        [(key, _)] => Some(key),
        [] => {
            if section.exists() {
                let message = "`[system]` does not say where the system is";
                let help = format!("one of {}", PLACES.join(", "));
                diagnostics
                    .push(Diagnostic::error("toml::missing", section.span, message).help(help));
            }
            None
        }
        [(first, place), (second, at), ..] => {
            let message = format!("the system can not be reached by `{first}` and by `{second}`");
            diagnostics
                .push(Diagnostic::error("toml::places", at, message).also(place, "first here"));
            None
        }
    }
}

fn under_test(
    key: &'static str,
    section: &Section<'_>,
    policy: Policy,
    diagnostics: &mut Diagnostics,
) -> Option<UnderTest> {
    if key == "command" {
        return command(section, diagnostics).map(UnderTest::Command);
    }
    let word = section.text(key, diagnostics)?;
    match key {
        "tcp" => Some(UnderTest::Tcp(address(&word, diagnostics)?)),
        "listen" => Some(UnderTest::Listen(address(&word, diagnostics)?)),
        "tron" => Some(UnderTest::Tron(address(&word, diagnostics)?)),
        "library" => Some(UnderTest::Library(path(key, word, diagnostics)?)),
        _ => Some(UnderTest::Model { path: path(key, word, diagnostics)?, policy }),
    }
}

/// A list of words, or a text that is split as a shell does.
fn command(section: &Section<'_>, diagnostics: &mut Diagnostics) -> Option<Vec<String>> {
    let found = match section.value("command").map(Spanned::get_ref) {
        Some(DeValue::String(_)) => {
            let word = section.text("command", diagnostics)?;
            match words(&word.text) {
                Ok(words) => words,
                Err(message) => {
                    diagnostics.push(Diagnostic::error("toml::command", word.span, message));
                    return None;
                }
            }
        }
        _ => section.texts("command", diagnostics).into_iter().map(|word| word.text).collect(),
    };
    if found.first().is_none_or(String::is_empty) {
        let message = "`command` must name a program and its arguments";
        diagnostics.push(
            Diagnostic::error("toml::command", section.key("command")?, message)
                .help("such as `command = [\"python3\", \"machine.py\"]`"),
        );
        return None;
    }
    Some(found)
}

/// Variables of the environment of a program, with texts.
fn environment(section: &Section<'_>, diagnostics: &mut Diagnostics) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for (key, value) in section.entries("env", diagnostics) {
        let name = key.get_ref().as_ref();
        match value.get_ref() {
            _ if name.is_empty() || name.contains(['=', '\0']) => {
                let message = format!("`{name}` is no name of a variable of the environment");
                diagnostics.push(Diagnostic::error("toml::env", span(key), message));
            }
            DeValue::String(text) if text.contains('\0') => {
                let message = format!("`{name}` can not contain the character 0");
                diagnostics.push(Diagnostic::error("toml::env", span(value), message));
            }
            DeValue::String(text) => found.push((name.to_owned(), text.to_string())),
            other => {
                let kind = kind(other);
                let message = format!("`{name}` must be in quotes: a text, not {kind}");
                diagnostics.push(Diagnostic::error("toml::type", span(value), message));
            }
        }
    }
    found
}

fn path(key: &str, word: Word, diagnostics: &mut Diagnostics) -> Option<String> {
    if word.text.trim().is_empty() {
        let message = match key {
            "cwd" => "`cwd` must name a folder".to_owned(),
            key => format!("`{key}` must name a file"),
        };
        diagnostics.push(Diagnostic::error("toml::path", word.span, message));
        return None;
    }
    Some(word.text)
}

/// `host:port`.
fn address(word: &Word, diagnostics: &mut Diagnostics) -> Option<String> {
    let parts = word.text.rsplit_once(':');
    let is_address =
        parts.is_some_and(|(host, port)| !host.is_empty() && port.parse::<u16>().is_ok());
    if !is_address {
        let message = format!("`{}` is not an address", word.text);
        diagnostics.push(
            Diagnostic::error("toml::address", word.span, message)
                .help("write a host and a port, such as `127.0.0.1:9999`"),
        );
    }
    is_address.then(|| word.text.clone())
}

impl System {
    /// A system that is started without anything special.
    #[must_use]
    pub fn new(under_test: UnderTest) -> System {
        let (args, env, cwd) = (Vec::new(), Vec::new(), None);
        System { under_test, args, env, cwd, restart: false, timeout_ns: None }
    }

    /// The same system, with paths that were relative to a folder: the working directory, libraries,
    /// models, and programs that are named with a slash.
    #[must_use]
    pub fn relative_to(mut self, folder: &Path) -> System {
        let join = |path: &mut String| *path = folder.join(&*path).to_string_lossy().into_owned();
        match &mut self.under_test {
            UnderTest::Command(words) => {
                words.iter_mut().take(1).filter(|word| word.contains('/')).for_each(join);
            }
            UnderTest::Library(path) | UnderTest::Model { path, .. } => join(path),
            UnderTest::Tcp(_) | UnderTest::Listen(_) | UnderTest::Tron(_) => {}
        }
        self.cwd.iter_mut().for_each(join);
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_relative_to_the_file_that_names_them() {
        let words = |words: &[&str]| {
            UnderTest::Command(words.iter().map(|&word| word.to_owned()).collect())
        };
        let moved = |under_test| System::new(under_test).relative_to(Path::new("a/b")).under_test;
        assert_eq!(moved(words(&["./x", "./y"])), words(&["a/b/./x", "./y"]));
        assert_eq!(moved(words(&["python3", "y/z"])), words(&["python3", "y/z"]));
        assert_eq!(moved(words(&["/bin/x"])), words(&["/bin/x"]));
        assert_eq!(moved(UnderTest::Library("l.so".into())), UnderTest::Library("a/b/l.so".into()));
        let mut system = System::new(UnderTest::Tcp("h:1".into()));
        system.cwd = Some("c".into());
        assert_eq!(system.relative_to(Path::new("a")).cwd.as_deref(), Some("a/c"));
    }
}
