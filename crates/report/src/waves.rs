//! Steps of a synchronous program as a value change dump, for wave viewers.
//!
//! A step takes one unit of time. Tests follow each other; `test` and `step` count them.

use std::fmt::Write as _;

use crate::{dump::Dump, text::one_line};

/// A variable, and what it was in each step of each test.
#[derive(Clone, Debug)]
pub struct Wave {
    /// Its name; what viewers can not show is replaced.
    pub name: String,
    /// The group it is shown in.
    pub scope: Scope,
    /// What it can be.
    pub kind: Kind,
}

/// Where a variable is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// With what the environment gives.
    Inputs,
    /// With what the program gives.
    Outputs,
    /// With what is inside.
    Locals,
}

/// What a variable can be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Truth.
    Truth,
    /// A whole number of 64 bits.
    Integer,
    /// A real number.
    Real,
    /// A word.
    Text,
}

/// A value of a variable.
#[derive(Clone, Debug, PartialEq)]
pub enum Sample {
    /// Truth.
    Truth(bool),
    /// A whole number.
    Integer(i64),
    /// A real number.
    Real(f64),
    /// A word.
    Text(String),
}

/// The dump of tests, each a list of steps, each with a sample for every wave.
#[must_use]
pub fn vcd(title: &str, waves: &[Wave], tests: &[Vec<Vec<Sample>>]) -> String {
    let mut dump = Dump::default();
    let mut out = String::new();
    let title = one_line(title).replace('$', "");
    let _ = writeln!(out, "$comment {title} $end\n$timescale 1 ns $end");
    let _ = writeln!(out, "$scope module program $end");
    let test_id = dump.variable(&mut out, "integer", 64, "test");
    let step_id = dump.variable(&mut out, "integer", 64, "step");
    let mut ids = vec![String::new(); waves.len()];
    let scopes =
        [("inputs", Scope::Inputs), ("outputs", Scope::Outputs), ("locals", Scope::Locals)];
    for (name, scope) in scopes {
        if !waves.iter().any(|wave| wave.scope == scope) {
            continue;
        }
        let _ = writeln!(out, "$scope module {name} $end");
        for (wave, id) in waves.iter().zip(&mut ids).filter(|(wave, _)| wave.scope == scope) {
            let (kind, n_bits) = wave.kind.declared();
            *id = dump.variable(&mut out, kind, n_bits, &wave.name);
        }
        let _ = writeln!(out, "$upscope $end");
    }
    let _ = writeln!(out, "$upscope $end\n$enddefinitions $end");
    let mut at = 0;
    for (test_index, test) in tests.iter().enumerate() {
        for (step_index, step) in test.iter().enumerate() {
            dump.add(at, format!("b{test_index:b} {test_id}"));
            dump.add(at, format!("b{step_index:b} {step_id}"));
            for (sample, id) in step.iter().zip(&ids) {
                dump.add(at, change(sample, id));
            }
            at += 1;
        }
    }
    dump.finish(&mut out, at);
    out
}

impl Kind {
    /// The type and the number of bits of a variable of a dump.
    pub(crate) fn declared(self) -> (&'static str, u32) {
        match self {
            Kind::Truth => ("wire", 1),
            Kind::Integer => ("integer", 64),
            Kind::Real => ("real", 64),
            Kind::Text => ("string", 1),
        }
    }
}

/// A change; the space makes values that stay the same be left out.
pub(crate) fn change(sample: &Sample, id: &str) -> String {
    match sample {
        // As a vector of one bit.
        Sample::Truth(it) => format!("b{} {id}", u8::from(*it)),
        Sample::Integer(it) => format!("b{it:b} {id}"),
        Sample::Real(it) => format!("r{it:?} {id}"),
        Sample::Text(it) => format!("s{} {id}", one_line(it).replace(' ', "_")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_changes_are_written() {
        let wave = |name: &str, scope, kind| Wave { name: name.to_owned(), scope, kind };
        let waves = [
            wave("go", Scope::Inputs, Kind::Truth),
            wave("call~1.x", Scope::Locals, Kind::Integer),
            wave("mode", Scope::Outputs, Kind::Text),
        ];
        let step = |go, x, mode: &str| {
            vec![Sample::Truth(go), Sample::Integer(x), Sample::Text(mode.to_owned())]
        };
        let test = vec![step(true, -1, "Idle"), step(true, 5, "Idle")];
        let dump = vcd("a $title", &waves, &[test]);
        let expected = "$comment a title $end\n$timescale 1 ns $end\n\
            $scope module program $end\n\
            $var integer 64 ! test $end\n$var integer 64 \" step $end\n\
            $scope module inputs $end\n$var wire 1 # go $end\n$upscope $end\n\
            $scope module outputs $end\n$var string 1 $ mode $end\n$upscope $end\n\
            $scope module locals $end\n$var integer 64 % call_1.x $end\n$upscope $end\n\
            $upscope $end\n$enddefinitions $end\n";
        let changes = dump.strip_prefix(expected).expect("the header");
        let minus_one = "1".repeat(64);
        let first = format!("#0\nb0 !\nb0 \"\nb1 #\nb{minus_one} %\nsIdle $\n");
        assert_eq!(changes, format!("{first}#1\nb1 \"\nb101 %\n#2\n"));
    }
}
