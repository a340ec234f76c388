//! Value change dumps: what this tool writes for wave viewers, and what simulators and logic analysers
//! write (IEEE 1364, four values).
//!
//! Variables are found by name: as the interface has it, as viewers can show it ([`plain`]), or as the end
//! of a path of scopes (`Error` and `location` are `Error.location`). Others are left out; but of the
//! signals, and of the ports of steps, a dump has all or none.
//!
//! - A signal is an `event` variable, with a variable `signal.value` for each value it carries. Or it is
//!   one variable: without values it happens when that becomes 1, with one value whenever that changes.
//! - A port is a variable. At every instant of the dump at which anything changes there is a step; if a
//!   period is given, a step at each multiple of it. Steps begin when all ports have values. Ports that can
//!   be read are read when one of them changes.
//! - An event variable `restart` is a reset of the system, and so is a change of a variable `test`.
//!
//! Wires, registers, integers, reals, texts and events of any kind are read, with `$dumpvars` and
//! `$dumpall`. Refused by name: pauses (`$dumpoff`), extended dumps (strengths), values of nine-valued
//! logic, and a value that becomes unknown (`x`, `z`) after it was known.

mod definitions;
mod names;

use std::io::BufRead;

use punctual_model::{
    Action, Happening, Id, PortId, PortRole, Reading, SignalId, Step, Value, ValueType,
};

use super::{
    error::{Fault, TraceError, excerpt},
    lines::Lines,
    timeline::{Timeline, Word, value},
    words::{Marks, Words},
};
use definitions::{Definitions, Variable};
use names::Target;

pub use names::plain;

/// Femtoseconds of a nanosecond.
const FS_PER_NS: u128 = 1_000_000;

/// A dump.
pub(super) struct Dump<R> {
    words: Words<R>,
    definitions: Definitions,
    /// The values of the ports, as far as they are known.
    ports: Vec<Option<Value>>,
    /// The values that each signal carries, as far as they are known; of a signal that is one variable
    /// without values, whether that is 1.
    carried: Vec<Vec<Option<Value>>>,
    steps: Steps,
    /// The present instant, in nanoseconds: between which it lies.
    now: (u64, u64),
    /// What happened at the present instant, in order.
    pending: Vec<Pending>,
    has_changed: bool,
    has_observed: bool,
    /// Whether values are listed that variables have already.
    is_listing: bool,
    /// The next instant, while steps before it are told.
    next: Option<(u64, u64)>,
    /// The number of the present test, if the dump counts them.
    test: Option<i128>,
}

/// When steps are.
struct Steps {
    /// None if a step is at every instant.
    period_ns: Option<u64>,
    next_ns: u64,
    exist: bool,
}

/// Something that happened at the present instant.
enum Pending {
    Signal(SignalId),
    /// The values are settled, since the signal came again.
    Settled(Action),
    Restart,
}

/// A value as the dump writes it.
enum Written<'t> {
    Bits(&'t str),
    Other(&'t str),
}

impl<R: BufRead> Dump<R> {
    /// Reads the definitions.
    pub(super) fn new(
        lines: Lines<R>,
        timeline: &Timeline<'_>,
        period_ns: Option<u64>,
    ) -> Result<Self, TraceError> {
        let mut words = Words::new(lines, Marks::Blanks);
        let definitions = match Definitions::read(&mut words, timeline.interface) {
            Ok(definitions) => definitions,
            Err(fault) => return Err(words.error(fault)),
        };
        let interface = timeline.interface;
        let n_values = interface.signals.iter().map(|it| it.values.len().max(1));
        let period_ns = period_ns.map(|it| it.max(1));
        let exist = definitions.has_steps;
        Ok(Self {
            words,
            definitions,
            ports: vec![None; interface.ports.len()],
            carried: n_values.map(|n| vec![None; n]).collect(),
            steps: Steps { period_ns, next_ns: 0, exist },
            now: (0, 0),
            pending: Vec::new(),
            has_changed: false,
            has_observed: false,
            is_listing: false,
            next: None,
            test: None,
        })
    }

    /// Reads the next change, or tells the next step; false at the end of the dump.
    pub(super) fn advance(&mut self, timeline: &mut Timeline<'_>) -> Result<bool, TraceError> {
        self.piece(timeline).map_err(|fault| self.words.error(fault))
    }

    fn piece(&mut self, timeline: &mut Timeline<'_>) -> Result<bool, Fault> {
        if let Some(next) = self.next {
            if self.step_before(next.0, timeline)? {
                return Ok(true);
            }
            (self.now, self.next) = (next, None);
        }
        if !self.words.advance()? {
            let had_changed = self.has_changed;
            self.settle(timeline)?;
            // A change at the last instant is a step; an instant without one only ends the dump.
            if had_changed {
                self.step_before(self.now.0.saturating_add(1), timeline)?;
            }
            timeline.quiet(self.now, self.words.span())?;
            return Ok(false);
        }
        let word = self.words.text();
        match word.as_bytes()[0] {
            b'#' => {
                let ticks = word[1..].parse::<u64>();
                let Ok(ticks) = ticks else {
                    let found = excerpt(word);
                    return self
                        .words
                        .wrong(format!("expected a time such as #10, found `{found}`"));
                };
                let next = self.instant(ticks)?;
                if next.1 < self.now.1 {
                    return self.words.wrong("time goes back");
                }
                self.settle(timeline)?;
                self.next = Some(next);
            }
            b'$' => self.command()?,
            b'0' | b'1' | b'x' | b'X' | b'z' | b'Z'
                if word.len() > 1 && word.is_char_boundary(1) =>
            {
                let (bits, id) = word.split_at(1);
                let (bits, id) = (bits.to_owned(), id.to_owned());
                self.change(&id, Written::Bits(&bits), timeline)?;
            }
            b'b' | b'B' => {
                let bits = word[1..].to_owned();
                if bits.is_empty() || !bits.bytes().all(|bit| b"01xXzZ".contains(&bit)) {
                    let found = excerpt(word);
                    return self
                        .words
                        .wrong(format!("expected bits such as b101, found `{found}`"));
                }
                let id = self.identifier()?;
                self.change(&id, Written::Bits(&bits), timeline)?;
            }
            b'r' | b'R' | b's' | b'S' => {
                let text = word[1..].to_owned();
                let id = self.identifier()?;
                self.change(&id, Written::Other(&text), timeline)?;
            }
            _ => {
                let message = format!(
                    "`{}` is no change of a value; known are 0, 1, x, z, b…, r… and s…",
                    excerpt(word)
                );
                return self.words.wrong(message);
            }
        }
        Ok(true)
    }

    fn instant(&self, ticks: u64) -> Result<(u64, u64), Fault> {
        let fs = u128::from(ticks) * self.definitions.scale_fs;
        let from = u64::try_from(fs / FS_PER_NS);
        let to = u64::try_from(fs.div_ceil(FS_PER_NS));
        match (from, to) {
            (Ok(from), Ok(to)) => Ok((from, to)),
            _ => self.words.wrong("this is beyond the 584 years that can be counted"),
        }
    }

    fn identifier(&mut self) -> Result<String, Fault> {
        self.words.expect("the identifier of a variable")?;
        Ok(self.words.text().to_owned())
    }

    fn command(&mut self) -> Result<(), Fault> {
        match self.words.text() {
            "$dumpvars" | "$dumpall" => self.is_listing = true,
            "$end" => self.is_listing = false,
            "$comment" => {
                while self.words.text() != "$end" {
                    self.words.expect("`$end`")?;
                }
            }
            found @ ("$dumpoff" | "$dumpon") => {
                let message = format!("`{found}`: a dump with pauses can not be read");
                return self.words.wrong(message);
            }
            found => {
                let message = format!("`{}` can not be read", excerpt(found));
                return self.words.wrong(message);
            }
        }
        Ok(())
    }

    /// A variable has a value.
    fn change(
        &mut self,
        id: &str,
        written: Written<'_>,
        timeline: &Timeline<'_>,
    ) -> Result<(), Fault> {
        let Some(variables) = self.definitions.variables.get_mut(id) else {
            let message = format!("no variable is declared as `{}`", excerpt(id));
            return self.words.wrong(message);
        };
        self.has_changed = true;
        let taken = std::mem::take(variables);
        let mut all = taken.iter();
        let done = all.try_for_each(|variable| self.assign(variable, &written, timeline));
        self.definitions.variables.insert(id.to_owned(), taken);
        done
    }

    fn assign(
        &mut self,
        variable: &Variable,
        written: &Written<'_>,
        timeline: &Timeline<'_>,
    ) -> Result<(), Fault> {
        match variable.target {
            Target::Restart => {
                if !self.is_listing && is_one(written) {
                    self.pending.push(Pending::Restart);
                }
            }
            Target::Test => {
                if let Some(number) = variable.number(written, &self.words)?
                    && self.test.replace(number).is_some_and(|before| before != number)
                {
                    self.pending.push(Pending::Restart);
                }
            }
            Target::Port(id) => {
                let port = &timeline.interface.ports[id];
                let new = variable.value(&port.name, &port.ty, written, &self.words)?;
                let old = std::mem::replace(&mut self.ports[id.index()], new);
                if new.is_none() && old.is_some() {
                    return self.words.wrong(format!("`{}` has no value any more", port.name));
                }
                self.has_observed |= port.role == PortRole::Observed && old != new;
            }
            Target::Carried(id, at) => {
                let carried = &timeline.interface.signals[id].values[at];
                let new = variable.value(&carried.name, &carried.ty, written, &self.words)?;
                self.carried[id.index()][at] = new;
            }
            Target::Signal(id) => self.signal(variable, id, written, timeline)?,
        }
        Ok(())
    }

    fn signal(
        &mut self,
        variable: &Variable,
        id: SignalId,
        written: &Written<'_>,
        timeline: &Timeline<'_>,
    ) -> Result<(), Fault> {
        let signal = &timeline.interface.signals[id];
        if variable.is_event {
            if self.is_listing {
                return Ok(());
            }
            // What it carried before it came again at the same instant is settled.
            let again =
                self.pending.iter().position(|it| matches!(it, Pending::Signal(it) if *it == id));
            if let Some(at) = again {
                self.pending[at] = Pending::Settled(self.action(id, timeline)?);
            }
            self.pending.push(Pending::Signal(id));
            return Ok(());
        }
        let ty = signal.values.first().map_or(&ValueType::Bool, |it| &it.ty);
        let new = variable.value(&signal.name, ty, written, &self.words)?;
        let old = std::mem::replace(&mut self.carried[id.index()][0], new);
        let happens = match signal.values.is_empty() {
            true => old == Some(Value::Bool(false)) && new == Some(Value::Bool(true)),
            false => old.is_some() && new.is_some() && old != new,
        };
        if happens && !self.is_listing {
            self.pending.push(Pending::Settled(self.action(id, timeline)?));
        }
        Ok(())
    }

    /// A signal with the values it carries now.
    fn action(&self, signal: SignalId, timeline: &Timeline<'_>) -> Result<Action, Fault> {
        let declared = &timeline.interface.signals[signal];
        let mut values = Vec::with_capacity(declared.values.len());
        for (carried, value) in declared.values.iter().zip(&self.carried[signal.index()]) {
            let Some(value) = value else {
                let (name, value) = (&declared.name, &carried.name);
                return self.words.wrong(format!("`{name}` happened, and `{value}` has no value"));
            };
            values.push(*value);
        }
        Ok(Action { signal, values })
    }

    /// The present instant is over: what happened at it is told.
    fn settle(&mut self, timeline: &mut Timeline<'_>) -> Result<(), Fault> {
        let (now, span) = (self.now, self.words.span());
        for pending in std::mem::take(&mut self.pending) {
            let action = match pending {
                Pending::Restart => {
                    timeline.restart(now, span)?;
                    self.steps.next_ns = now.1;
                    continue;
                }
                Pending::Signal(id) => self.action(id, timeline)?,
                Pending::Settled(action) => action,
            };
            timeline.event(Happening::Signal(action), now, None, span)?;
        }
        if self.has_changed && self.steps.period_ns.is_none() {
            self.step(now, timeline)?;
        }
        if self.has_observed {
            let observed = timeline.interface.ports_with(PortRole::Observed);
            let values = observed.filter_map(|id| Some((id, self.ports[id.index()]?)));
            let reading = Reading { values: values.collect() };
            timeline.event(Happening::Reading(reading), now, None, span)?;
        }
        (self.has_changed, self.has_observed) = (false, false);
        Ok(())
    }

    /// Tells the next step of the period, if it is before an instant.
    fn step_before(&mut self, end_ns: u64, timeline: &mut Timeline<'_>) -> Result<bool, Fault> {
        let Some(period_ns) = self.steps.period_ns.filter(|_| self.steps.exist) else {
            return Ok(false);
        };
        let at_ns = self.steps.next_ns;
        if at_ns >= end_ns {
            return Ok(false);
        }
        self.steps.next_ns = at_ns.saturating_add(period_ns);
        self.step((at_ns, at_ns), timeline)?;
        Ok(true)
    }

    /// A step with the values that the ports have now; none before all of them have values.
    fn step(&mut self, at: (u64, u64), timeline: &mut Timeline<'_>) -> Result<(), Fault> {
        if !self.steps.exist {
            return Ok(());
        }
        let values = |role| {
            let ports = timeline.interface.ports_with(role);
            ports.map(|id: PortId| self.ports[id.index()]).collect::<Option<Vec<Value>>>()
        };
        let (Some(inputs), Some(outputs)) = (values(PortRole::Input), values(PortRole::Output))
        else {
            return Ok(());
        };
        timeline.event(Happening::Step(Step { inputs, outputs }), at, None, self.words.span())
    }
}

fn is_one(written: &Written<'_>) -> bool {
    matches!(written, Written::Bits(bits) if bits.trim_start_matches('0') == "1")
}

impl Variable {
    /// The whole number that bits stand for; none if some of them are not known.
    fn number<R: BufRead>(
        &self,
        written: &Written<'_>,
        words: &Words<R>,
    ) -> Result<Option<i128>, Fault> {
        let Written::Bits(bits) = written else { return Ok(None) };
        if bits.bytes().any(|bit| !matches!(bit, b'0' | b'1')) {
            return Ok(None);
        }
        let digits = bits.trim_start_matches('0');
        if digits.len() > 64 {
            return words.wrong("a whole number of more than 64 bits can not be read");
        }
        let number = digits.bytes().fold(0_i128, |sum, bit| 2 * sum + i128::from(bit == b'1'));
        let is_negative = self.is_signed && digits.len() == self.n_bits as usize;
        Ok(Some(if is_negative { number - (1 << self.n_bits) } else { number }))
    }

    /// The value of a type that is written; none if it is not known.
    fn value<R: BufRead>(
        &self,
        name: &str,
        ty: &ValueType,
        written: &Written<'_>,
        words: &Words<R>,
    ) -> Result<Option<Value>, Fault> {
        let text = match written {
            Written::Bits(_) => match self.number(written, words)? {
                Some(number) => number.to_string(),
                None => return Ok(None),
            },
            Written::Other(text) => (*text).to_owned(),
        };
        value(name, ty, Word { text: &text, span: words.span() }).map(Some)
    }
}
