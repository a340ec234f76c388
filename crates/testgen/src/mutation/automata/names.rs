//! Names of mutants: short, unique, and fit to name files on any system.

use std::collections::BTreeSet;

use punctual_model::{IdVec, LocationId, Network, ProcessId};

/// The names of processes and locations inside of names of mutants.
pub(super) struct Names {
    pub(super) processes: IdVec<ProcessId, String>,
    pub(super) locations: IdVec<ProcessId, IdVec<LocationId, String>>,
}

impl Names {
    pub(super) fn of(network: &Network) -> Names {
        let mut taken = BTreeSet::new();
        let processes = network.processes.iter();
        let processes = processes.map(|it| unique(&mut taken, word(&it.name), "_")).collect();
        let locations = network.processes.iter().map(|process| {
            let mut taken = BTreeSet::new();
            let names = process.locations.iter();
            names.map(|it| unique(&mut taken, word(&it.name), "_")).collect()
        });
        Names { processes, locations: locations.collect() }
    }
}

/// A name with letters, digits and underscores alone: `Train(3)` is `Train_3`.
pub(super) fn word(name: &str) -> String {
    let mut word = String::new();
    for letter in name.chars() {
        match letter {
            'a'..='z' | 'A'..='Z' | '0'..='9' => word.push(letter),
            _ if word.ends_with('_') => {}
            _ => word.push('_'),
        }
    }
    let word = word.trim_matches('_');
    if word.is_empty() { "unnamed".to_owned() } else { word.to_owned() }
}

/// The name, or the name with the first number from 2 on that makes it unique. Names that differ in case
/// alone are the same file on some systems.
pub(super) fn unique(taken: &mut BTreeSet<String>, name: String, before: &str) -> String {
    if taken.insert(name.to_lowercase()) {
        return name;
    }
    let mut number = 2_u32;
    loop {
        let numbered = format!("{name}{before}{number}");
        if taken.insert(numbered.to_lowercase()) {
            return numbered;
        }
        number += 1;
    }
}
