//! Value change dumps as text.

use std::{collections::BTreeMap, fmt::Write as _};

/// Changes, to be put in the order of their instants.
#[derive(Default)]
pub(crate) struct Dump {
    n_variables: usize,
    names: Vec<String>,
    changes: Vec<(u64, String)>,
}

impl Dump {
    /// Declares a variable, and gives its identifier.
    pub(crate) fn variable(
        &mut self,
        out: &mut String,
        kind: &str,
        n_bits: u32,
        name: &str,
    ) -> String {
        let plain = |c: char| if c.is_ascii_alphanumeric() || "_.$".contains(c) { c } else { '_' };
        let mut name: String = name.chars().map(plain).collect();
        // `stop[3].allowed` becomes `stop_3.allowed`.
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
        while self.names.contains(&name) {
            name.push('x');
        }
        self.names.push(name.clone());
        let mut id = String::new();
        let mut number = self.n_variables;
        loop {
            // Identifiers are of the printable characters `!` to `~`.
            id.push(char::from(b'!' + (number % 94) as u8));
            number /= 94;
            if number == 0 {
                break;
            }
        }
        self.n_variables += 1;
        let _ = writeln!(out, "$var {kind} {n_bits} {id} {name} $end");
        id
    }

    pub(crate) fn add(&mut self, at_ns: u64, change: String) {
        self.changes.push((at_ns, change));
    }

    pub(crate) fn interval(&mut self, interval: Option<(u64, Option<u64>)>, id: &str) {
        let Some((from, to)) = interval else { return };
        self.add(from, format!("1{id}"));
        if let Some(to) = to {
            // An instant is an interval too, and must be seen.
            self.add(to.max(from.saturating_add(1)), format!("0{id}"));
        }
    }

    pub(crate) fn finish(mut self, out: &mut String, last_ns: u64) {
        self.changes.sort_by_key(|(at, _)| *at);
        let mut now = None;
        // A number that stays the same is not written again; an event is.
        let mut numbers: BTreeMap<&str, &str> = BTreeMap::new();
        for (at, change) in &self.changes {
            if let Some((value, id)) = change.split_once(' ')
                && numbers.insert(id, value) == Some(value)
            {
                continue;
            }
            if now != Some(*at) {
                let _ = writeln!(out, "#{at}");
                now = Some(*at);
            }
            out.push_str(change);
            out.push('\n');
        }
        if now.is_none_or(|now| now < last_ns) {
            let _ = writeln!(out, "#{last_ns}");
        }
    }
}
