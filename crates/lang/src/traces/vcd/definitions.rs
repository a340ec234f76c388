//! The head of a dump: its scale of time and its variables.

use std::io::BufRead;

use punctual_model::{Interface, PortRole};
use rustc_hash::FxHashMap;

use super::{
    super::{
        error::{Fault, excerpt},
        words::Words,
    },
    names::{Names, Target},
};

/// What a dump declares.
pub(super) struct Definitions {
    /// Femtoseconds of one tick.
    pub(super) scale_fs: u128,
    /// The variables by their identifiers; those that the interface does not have are nothing.
    pub(super) variables: FxHashMap<String, Vec<Variable>>,
    /// Whether the ports of steps are there.
    pub(super) has_steps: bool,
}

/// A variable that the interface has.
#[derive(Clone, Debug)]
pub(super) struct Variable {
    pub(super) target: Target,
    pub(super) is_event: bool,
    pub(super) is_signed: bool,
    pub(super) n_bits: u32,
    /// Its path, for messages.
    path: String,
}

/// Units of time and how many femtoseconds they have.
const UNITS: [(&str, u128); 6] = [
    ("fs", 1),
    ("ps", 1_000),
    ("ns", 1_000_000),
    ("us", 1_000_000_000),
    ("ms", 1_000_000_000_000),
    ("s", 1_000_000_000_000_000),
];

impl Definitions {
    /// Reads up to `$enddefinitions $end`.
    pub(super) fn read<R: BufRead>(
        words: &mut Words<R>,
        interface: &Interface,
    ) -> Result<Self, Fault> {
        let names = Names::new(interface);
        let mut found =
            Self { scale_fs: 1_000_000, variables: FxHashMap::default(), has_steps: false };
        let mut scopes: Vec<String> = Vec::new();
        loop {
            words.expect("`$enddefinitions`")?;
            match words.text() {
                "$date" | "$version" | "$comment" => _ = body(words)?,
                "$timescale" => {
                    let text = body(words)?.concat();
                    let Some(scale) = scale(&text) else {
                        let text = excerpt(&text);
                        return words
                            .wrong(format!("`{text}` is no scale of time such as `10 ns`"));
                    };
                    found.scale_fs = scale;
                }
                "$scope" => {
                    let text = body(words)?;
                    scopes.push(text.last().cloned().unwrap_or_default());
                }
                "$upscope" => {
                    body(words)?;
                    if scopes.pop().is_none() {
                        return words.wrong("no scope is open here");
                    }
                }
                "$var" => found.variable(words, &scopes, &names, interface)?,
                "$enddefinitions" => {
                    body(words)?;
                    break;
                }
                word => {
                    let message =
                        format!("`{}` can not be read in the head of a dump", excerpt(word));
                    return words.wrong(message);
                }
            }
        }
        found.check(words, interface)?;
        Ok(found)
    }

    fn variable<R: BufRead>(
        &mut self,
        words: &mut Words<R>,
        scopes: &[String],
        names: &Names,
        interface: &Interface,
    ) -> Result<(), Fault> {
        let parts = body(words)?;
        let [kind, n_bits, id, name, rest @ ..] = &parts[..] else {
            return words.wrong("expected a type, a size, an identifier and a name before `$end`");
        };
        let Ok(n_bits) = n_bits.parse::<u32>() else {
            let found = excerpt(n_bits);
            return words.wrong(format!("expected the size of a variable, found `{found}`"));
        };
        // `data [7:0]` is all of `data`, `stop [3]` is one of several.
        let index = rest.concat();
        let name = match index.contains(':') {
            true => name.clone(),
            false => format!("{name}{index}"),
        };
        let variables = self.variables.entry(id.clone()).or_default();
        let target = match names.find(scopes, &name) {
            Ok(Some(target)) => target,
            Ok(None) => return Ok(()),
            Err(path) => {
                let message = format!("`{path}` could be several names of the interface");
                return words.wrong(message);
            }
        };
        let is_signed =
            matches!(kind.as_str(), "integer" | "int" | "shortint" | "longint" | "byte");
        let path = scopes.iter().map(String::as_str).chain([name.as_str()]);
        let variable = Variable {
            target,
            is_event: kind == "event",
            is_signed,
            n_bits,
            path: path.collect::<Vec<_>>().join("."),
        };
        let is_wrong = match target {
            Target::Restart => !variable.is_event,
            Target::Signal(signal) => {
                !variable.is_event && interface.signals[signal].values.len() > 1
            }
            _ => variable.is_event,
        };
        if is_wrong && matches!(target, Target::Restart | Target::Test) {
            return Ok(());
        }
        if is_wrong {
            let message = format!("`{name}` can not be a variable of type `{}`", excerpt(kind));
            return words.wrong(message);
        }
        if variables.iter().any(|it| it.target == target) {
            return Ok(());
        }
        variables.push(variable);
        let mut all = self.variables.iter();
        let other = all.find(|(it, of)| *it != id && of.iter().any(|it| it.target == target));
        if let Some((_, other)) = other {
            let path = other.iter().find(|it| it.target == target).map_or("", |it| &it.path);
            return words.wrong(format!("`{name}` is declared twice, also as `{path}`"));
        }
        Ok(())
    }

    /// Of the signals, and of the ports of steps, all or none are there.
    fn check<R: BufRead>(&mut self, words: &Words<R>, interface: &Interface) -> Result<(), Fault> {
        let of =
            |target: Target| self.variables.values().flatten().find(move |it| it.target == target);
        let (mut there, mut missing) = (0, Vec::new());
        for (id, signal) in interface.signals.enumerate() {
            let Some(variable) = of(Target::Signal(id)) else {
                missing.push(signal.name.clone());
                continue;
            };
            there += 1;
            for (at, value) in signal.values.iter().enumerate().filter(|_| variable.is_event) {
                if of(Target::Carried(id, at)).is_none() {
                    missing.push(format!("{}.{}", signal.name, value.name));
                }
            }
        }
        if there > 0 && !missing.is_empty() {
            return words.wrong(format!("the dump has no variable `{}`", missing[0]));
        }
        let (mut ports_there, mut ports_missing) = (0, Vec::new());
        let ports = interface.ports.enumerate();
        for (id, port) in ports.filter(|(_, port)| port.role != PortRole::Observed) {
            match of(Target::Port(id)) {
                Some(_) => ports_there += 1,
                None => ports_missing.push(port.name.clone()),
            }
        }
        if ports_there > 0 && !ports_missing.is_empty() {
            return words.wrong(format!("the dump has no variable `{}`", ports_missing[0]));
        }
        if there == 0 && ports_there == 0 {
            return words.wrong("the dump has nothing that the interface has");
        }
        self.has_steps = ports_there > 0;
        Ok(())
    }
}

/// The words up to `$end`, which becomes the present one.
fn body<R: BufRead>(words: &mut Words<R>) -> Result<Vec<String>, Fault> {
    /// More words than any declaration has; a comment may have more.
    const WORDS_MAX: usize = 64;
    let mut found = Vec::new();
    loop {
        words.expect("`$end`")?;
        if words.text() == "$end" {
            return Ok(found);
        }
        if found.len() < WORDS_MAX {
            found.push(words.text().to_owned());
        }
    }
}

/// `10ns` in femtoseconds.
fn scale(text: &str) -> Option<u128> {
    let end = text.find(|c: char| !c.is_ascii_digit())?;
    let (number, unit) = text.split_at(end);
    let number = ["1", "10", "100"].iter().find(|it| **it == number)?;
    let (_, fs) = UNITS.iter().find(|(name, _)| *name == unit)?;
    Some(number.parse::<u128>().ok()? * fs)
}
