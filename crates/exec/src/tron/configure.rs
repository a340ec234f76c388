//! The configuration phase: the adapter names what it wants to exchange, one request at a time.
//!
//! Each request has one answer. An error is a negative number of which the adapter can ask for the
//! text.

use std::io::{self, Read, Write};

use punctual_model::{Direction, Id, Interface, SignalId};

use super::TronSettings;

/// The first number of an error; -1 is for requests that are not known.
const FIRST_ERROR: i32 = -2;

/// So many wrong requests are answered. Their texts are kept, since the adapter may ask for each of them; an adapter that is not right by then is not meant to be.
const ERRORS_MAX: usize = 1_000;

/// What was agreed on.
#[derive(Debug, Default)]
pub(super) struct Configuration {
    /// For each signal of the interface, the values that the adapter bound, in its order.
    bound: Vec<Option<Vec<usize>>>,
    pub(super) settings: TronSettings,
    /// What went wrong, by number.
    errors: Vec<String>,
}

/// Why there is no agreement.
#[derive(Debug)]
pub(super) enum Disagreement {
    /// The adapter went away, or said nothing; what it was told last, if something was wrong.
    Io(io::Error, Option<String>),
    /// The adapter asked for something that is not known.
    Unknown(u8),
    /// The adapter wanted to start, but may not.
    Start(String),
    /// Too many requests were wrong: how many, and what the adapter was told last.
    Wrong(usize, String),
}

impl Configuration {
    /// Answers until the adapter wants to start.
    pub(super) fn agree(
        interface: &Interface,
        stream: &mut (impl Read + Write),
    ) -> Result<Self, Disagreement> {
        let mut this = Self { bound: vec![None; interface.signals.len()], ..Self::default() };
        loop {
            let answered = this.answer(interface, stream);
            match answered {
                Ok(None) if this.errors.len() > ERRORS_MAX => {
                    let told = this.errors.pop().unwrap_or_default();
                    return Err(Disagreement::Wrong(ERRORS_MAX, told));
                }
                Ok(None) => {}
                Ok(Some(Answer::Started)) => return Ok(this),
                Ok(Some(Answer::Refused(text))) => return Err(Disagreement::Start(text)),
                Ok(Some(Answer::Unknown(request))) => return Err(Disagreement::Unknown(request)),
                Err(error) => return Err(Disagreement::Io(error, this.errors.pop())),
            }
        }
    }

    /// The number by which a signal goes over the wire.
    pub(super) fn number(id: SignalId) -> i32 {
        id.index() as i32 + 1
    }

    /// The values of a signal in the order of the wire.
    pub(super) fn to_wire(&self, id: SignalId, values: &[i32]) -> Vec<i32> {
        let order = self.bound[id.index()].iter().flatten();
        order.map(|position| values[*position]).collect()
    }

    /// The values of a signal in the order of the interface; as they are if they are not as many
    /// as were bound.
    pub(super) fn to_interface(&self, id: SignalId, values: Vec<i32>) -> Vec<i32> {
        match &self.bound[id.index()] {
            Some(order) if order.len() == values.len() => {
                let mut sorted = vec![0; values.len()];
                order.iter().zip(values).for_each(|(position, value)| sorted[*position] = value);
                sorted
            }
            _ => values,
        }
    }

    fn answer(
        &mut self,
        interface: &Interface,
        stream: &mut (impl Read + Write),
    ) -> io::Result<Option<Answer>> {
        let [request] = bytes(stream)?;
        let code = match request {
            1 => self.channel(interface, &text(stream)?, Direction::Input),
            2 => self.channel(interface, &text(stream)?, Direction::Output),
            3 | 4 => {
                let number = integer(stream)?;
                let name = text(stream)?;
                let direction = if request == 3 { Direction::Input } else { Direction::Output };
                self.variable(interface, number, &name, direction)
            }
            5 => {
                let (high, low) = (integer(stream)?, integer(stream)?);
                self.time_unit(interface, high, low)
            }
            6 => {
                let units = integer(stream)?;
                self.settings.timeout_units = Some(units);
                if units > 0 { 0 } else { self.error("the time-out must be positive".into()) }
            }
            64 => {
                let refusal = self.refusal(interface);
                let text = refusal.as_deref().unwrap_or_default();
                stream.write_all(&counted(text))?;
                stream.flush()?;
                return Ok(Some(refusal.map_or(Answer::Started, Answer::Refused)));
            }
            127 => {
                let code = integer(stream)?;
                let number = usize::try_from(FIRST_ERROR - code).ok();
                let known = number.and_then(|number| self.errors.get(number));
                let text = known.map_or("no error has this number", String::as_str);
                stream.write_all(&counted(text))?;
                stream.flush()?;
                return Ok(None);
            }
            unknown => {
                let text = counted(&format!("request {unknown} is not known"));
                stream.write_all(&[&(-1_i32).to_be_bytes()[..], &text].concat())?;
                stream.flush()?;
                return Ok(Some(Answer::Unknown(unknown)));
            }
        };
        stream.write_all(&code.to_be_bytes())?;
        stream.flush()?;
        Ok(None)
    }

    fn error(&mut self, text: String) -> i32 {
        self.errors.push(text);
        FIRST_ERROR + 1 - i32::try_from(self.errors.len()).unwrap_or(i32::MAX)
    }

    fn channel(&mut self, interface: &Interface, name: &str, direction: Direction) -> i32 {
        match interface.signal(name) {
            None => self.error(format!("the test interface has no signal `{name}`")),
            Some(id) if interface.signals[id].direction != direction => {
                let is = if direction == Direction::Input { "an output" } else { "an input" };
                self.error(format!("in the test interface, `{name}` is {is}"))
            }
            Some(id) => {
                self.bound[id.index()].get_or_insert_default();
                Self::number(id)
            }
        }
    }

    fn variable(
        &mut self,
        interface: &Interface,
        number: i32,
        name: &str,
        direction: Direction,
    ) -> i32 {
        let index = usize::try_from(number).ok().and_then(|number| number.checked_sub(1));
        let known = index.filter(|index| self.bound.get(*index).is_some_and(Option::is_some));
        let Some(index) = known else {
            return self.error(format!("no channel has the number {number}"));
        };
        let signal = &interface.signals[SignalId::from_index(index)];
        if signal.direction != direction {
            return self.error(format!("`{}` goes the other way", signal.name));
        }
        let position = signal.values.iter().position(|carried| carried.name == name);
        let Some(position) = position else {
            let signal = &signal.name;
            return self.error(format!("in the test interface, `{signal}` has no value `{name}`"));
        };
        let bound = self.bound[index].get_or_insert_default();
        if bound.contains(&position) {
            return self.error(format!("`{name}` is bound to `{}` already", signal.name));
        }
        bound.push(position);
        0
    }

    /// The manual says seconds and microseconds, adapters send microseconds in 64 bits: the same
    /// below 2^32 microseconds, which is more than an hour.
    fn time_unit(&mut self, interface: &Interface, high: i32, low: i32) -> i32 {
        let unit_us = if high == 0 {
            u64::from(low.cast_unsigned())
        } else {
            u64::from(high.cast_unsigned()) * 1_000_000 + u64::from(low.cast_unsigned())
        };
        let unit_ns = interface.time.unit_ns;
        if unit_us.saturating_mul(1000) != unit_ns {
            return self.error(format!(
                "the test interface says that a time unit has {unit_ns} ns, not {unit_us} us"
            ));
        }
        self.settings.unit_us = Some(unit_us);
        0
    }

    /// Why the test may not start.
    fn refusal(&self, interface: &Interface) -> Option<String> {
        for (id, signal) in interface.signals.enumerate() {
            match &self.bound[id.index()] {
                None if signal.direction == Direction::Input => {
                    return Some(format!("the adapter did not ask for input `{}`", signal.name));
                }
                Some(bound) if bound.len() < signal.values.len() => {
                    let missing = (0..signal.values.len()).find(|i| !bound.contains(i))?;
                    let value = &signal.values[missing].name;
                    let signal = &signal.name;
                    return Some(format!("the adapter did not bind `{value}` to `{signal}`"));
                }
                _ => {}
            }
        }
        None
    }
}

enum Answer {
    Started,
    Refused(String),
    Unknown(u8),
}

fn bytes<const N: usize>(stream: &mut impl Read) -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    stream.read_exact(&mut bytes)?;
    Ok(bytes)
}

pub(super) fn integer(stream: &mut impl Read) -> io::Result<i32> {
    bytes(stream).map(i32::from_be_bytes)
}

/// A text with its length before it, in one byte.
pub(super) fn text(stream: &mut impl Read) -> io::Result<String> {
    let [length] = bytes(stream)?;
    let mut text = vec![0; usize::from(length)];
    stream.read_exact(&mut text)?;
    // Some adapters send the zero at the end.
    Ok(String::from_utf8_lossy(&text).trim_end_matches('\0').to_owned())
}

fn counted(text: &str) -> Vec<u8> {
    let length = text.len().min(255);
    let mut counted = vec![length as u8];
    counted.extend_from_slice(&text.as_bytes()[..length]);
    counted
}
