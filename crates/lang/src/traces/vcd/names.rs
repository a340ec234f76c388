//! Which variables of a dump are which signals and ports.

use punctual_model::{Interface, PortId, SignalId};
use rustc_hash::FxHashMap;

/// What a variable of a dump is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Target {
    /// A signal.
    Signal(SignalId),
    /// A value that a signal carries, by its position.
    Carried(SignalId, usize),
    /// A port.
    Port(PortId),
    /// Resets of the system.
    Restart,
    /// The number of the test.
    Test,
}

/// Names of the interface, also as viewers can show them.
pub(super) struct Names {
    /// None for a name that could be several things.
    targets: FxHashMap<String, Option<Target>>,
}

impl Names {
    pub(super) fn new(interface: &Interface) -> Self {
        let mut all: Vec<(String, Target)> = Vec::new();
        for (id, signal) in interface.signals.enumerate() {
            all.push((signal.name.clone(), Target::Signal(id)));
            for (at, value) in signal.values.iter().enumerate() {
                let name = format!("{}.{}", signal.name, value.name);
                all.push((name, Target::Carried(id, at)));
            }
        }
        for (id, port) in interface.ports.enumerate() {
            all.push((port.name.clone(), Target::Port(id)));
        }
        let mut targets = FxHashMap::default();
        for (name, target) in &all {
            targets.insert(name.clone(), Some(*target));
        }
        for (name, target) in &all {
            let plain = plain(name);
            match targets.get(&plain) {
                // A name that is written as it is goes before one that had to be changed.
                Some(Some(other)) if other == target || all.iter().any(|(it, _)| *it == plain) => {}
                Some(_) => _ = targets.insert(plain, None),
                None => _ = targets.insert(plain, Some(*target)),
            }
        }
        targets.entry("restart".to_owned()).or_insert(Some(Target::Restart));
        targets.entry("test".to_owned()).or_insert(Some(Target::Test));
        Self { targets }
    }

    /// What a variable in these scopes is about: the longest end of its path that is a name decides.
    ///
    /// # Errors
    /// The name, if it could be several things.
    pub(super) fn find(&self, scopes: &[String], name: &str) -> Result<Option<Target>, String> {
        for from in 0..=scopes.len() {
            let mut path = scopes[from..].join(".");
            if from < scopes.len() {
                path.push('.');
            }
            path.push_str(name);
            match self.targets.get(&path) {
                Some(Some(Target::Restart | Target::Test)) if from < scopes.len() => {}
                Some(Some(target)) => return Ok(Some(*target)),
                Some(None) => return Err(path),
                None => {}
            }
        }
        Ok(None)
    }
}

/// A name as wave viewers can show it: `stop[3].x` becomes `stop_3.x`.
#[must_use]
pub fn plain(name: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || "_.$".contains(c) { c } else { '_' };
    let mut name: String = name.chars().map(plain).collect();
    while name.contains("_.") {
        name = name.replace("_.", ".");
    }
    while name.ends_with('_') && name.len() > 1 {
        name.pop();
    }
    // A dollar sign would begin a keyword.
    if !name.starts_with(|c: char| c.is_ascii_alphabetic()) {
        name.insert(0, '_');
    }
    name
}
