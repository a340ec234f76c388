//! What can go wrong with a system, one variant for each thing that its tester can do about it.

use std::{error, fmt, time::Duration};

use punctual_model::{Cause, Interface};

/// Why a system can not be tested any further. It says nothing of whether the system conforms.
///
/// Texts that a system sent are shortened. In every variant, `stderr` has the last lines that the system
/// wrote to standard error.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SutError {
    /// The system could not be started or reached.
    NotStarted {
        /// The program, library or address.
        what: String,
        /// Why it could not be started or reached.
        reason: String,
    },
    /// The system was started or reached, but never got ready. That is no verdict about it.
    NotReady(Box<SutError>),
    /// The system ended.
    Crashed {
        /// What the system had to do, as an infinitive.
        doing: String,
        /// How the program ended: its exit code, the signal that killed it, or a panic.
        status: String,
        /// The end of the standard error of the system.
        stderr: Vec<String>,
    },
    /// The system did not do what it had to, in time.
    Hung {
        /// What the system had to do, as an infinitive.
        doing: String,
        /// How long the tester waited.
        waited: Duration,
        /// The end of the standard error of the system.
        stderr: Vec<String>,
    },
    /// The system closed the connection.
    Disconnected {
        /// What the system had to do, as an infinitive.
        doing: String,
        /// The end of the standard error of the system.
        stderr: Vec<String>,
    },
    /// The system sent a line that can not be read.
    Malformed {
        /// The line, shortened.
        line: String,
        /// What is wrong with the line.
        reason: String,
    },
    /// The system sent a signal, or told of a port, that the interface does not have.
    UnknownSignal {
        /// The name that the system used.
        name: String,
        /// The name in the interface that was probably meant.
        similar: Option<String>,
        /// The names of the interface that would have been right, at most twenty.
        outputs: Vec<String>,
    },
    /// The system sent an input of the interface as if it were an output.
    WrongDirection {
        /// The name of the signal.
        name: String,
    },
    /// The system sent a signal with too many or too few values.
    WrongValues {
        /// The name of the signal.
        name: String,
        /// The names of the values that belong to the signal.
        expected: Vec<String>,
        /// How many values the system sent.
        n_found: usize,
    },
    /// The system sent a value that is not of its type.
    OutOfRange {
        /// The signal or the answer that the value is part of.
        name: String,
        /// The name of the value.
        variable: String,
        /// The value as the system sent it, shortened.
        value: String,
        /// The values that are possible, in words.
        expected: String,
    },
    /// The system sent more outputs than are tolerated.
    Flood {
        /// The number of outputs that are tolerated.
        limit: u64,
        /// The time in which there may be so many, in words.
        within: String,
    },
    /// The system broke a rule of the protocol.
    Protocol {
        /// What the system did, shortened.
        found: String,
        /// The rule that it broke.
        expected: String,
    },
    /// The system itself said that something is wrong.
    Reported {
        /// The words of the system, shortened.
        text: String,
    },
    /// The system can not do what the test asks for. That is no verdict about it.
    Unsupported {
        /// What the system can not do.
        what: String,
        /// What to do about it.
        help: String,
    },
    /// The tester was about to send what the interface does not have. Nothing was sent, and it is no verdict
    /// about the system.
    NotSent {
        /// What is wrong with it.
        reason: String,
    },
    /// The network that plays the implementation can not go on.
    Model {
        /// The instant at which it stands, in nanoseconds since the reset.
        at_ns: u64,
        /// Why it can not go on.
        reason: String,
    },
    /// The system was not reset since it was made or since the last error.
    NotReset,
    /// The user wanted no more while the system had to do something. That says nothing about it.
    Stopped {
        /// What the system had to do, as an infinitive.
        doing: String,
    },
    /// Reading or writing failed.
    Io {
        /// What the tester was doing, as an infinitive.
        doing: String,
        /// The words of the operating system.
        reason: String,
    },
}

impl fmt::Display for SutError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotStarted { what, reason } => {
                write!(f, "{what} could not be started: {reason}")
            }
            Self::NotReady(error) => write!(f, "the system never got ready: {error}"),
            Self::Crashed { doing, status, stderr } => {
                write!(f, "the system ended ({status}) when it had to {doing}")?;
                quote(f, stderr)
            }
            Self::Hung { doing, waited, stderr } => {
                write!(f, "the system did not {doing} within {}", in_words(*waited))?;
                write!(f, "; find out where it waits, or allow it more time")?;
                quote(f, stderr)
            }
            Self::Disconnected { doing, stderr } => {
                write!(f, "the system closed the connection when it had to {doing}")?;
                write!(f, "; it must stay until it is told to stop")?;
                quote(f, stderr)
            }
            Self::Malformed { line, reason } => {
                write!(f, "the system sent a message that can not be read: {reason}: `{line}`")?;
                write!(f, " (stdout is for messages; write everything else to stderr)")
            }
            Self::UnknownSignal { name, similar, outputs } => {
                write!(f, "the system sent `{name}`, which is not in the test interface")?;
                match similar {
                    Some(similar) => write!(f, "; did you mean `{similar}`?"),
                    None if outputs.is_empty() => write!(f, "; it has no outputs"),
                    None => write!(f, "; its outputs are {}", outputs.join(", ")),
                }
            }
            Self::WrongDirection { name } => {
                write!(f, "the system sent `{name}`, which is an input of the test interface")
            }
            Self::WrongValues { name, expected, n_found } => {
                let n_expected = expected.len();
                write!(f, "`{name}` came with {n_found} values, but it has {n_expected}")?;
                match expected.is_empty() {
                    true => Ok(()),
                    false => write!(f, " ({})", expected.join(", ")),
                }
            }
            Self::OutOfRange { name, variable, value, expected } => {
                write!(f, "`{name}` came with {variable} = {value}, ")?;
                write!(f, "but the test interface declares {variable} as {expected}")
            }
            Self::Flood { limit, within } => {
                write!(f, "the system sent more than {limit} outputs {within}")
            }
            Self::Protocol { found, expected } => {
                write!(f, "the system broke the protocol: {found}; {expected}")
            }
            Self::Reported { text } => write!(f, "the system reported an error: {text}"),
            Self::Unsupported { what, help } => write!(f, "{what}; {help}"),
            Self::NotSent { reason } => f.write_str(reason),
            Self::Model { at_ns, reason } => {
                write!(f, "the network that plays the system can not go on at {at_ns} ns: {reason}")
            }
            Self::NotReset => write!(f, "the system must be reset first"),
            Self::Stopped { doing } => {
                write!(f, "the user stopped the test while the system had to {doing}")
            }
            Self::Io { doing, reason } => write!(f, "could not {doing}: {reason}"),
        }
    }
}

impl error::Error for SutError {}

impl SutError {
    /// The system can not do something that the test asks for.
    pub(crate) fn cannot(what: &str) -> SutError {
        SutError::Unsupported {
            what: format!("this system can not {what}"),
            help: "use an adapter that can: the kits for Python, C and Rust, lines of JSON, or a model"
                .into(),
        }
    }

    /// The error of a system that had to get ready: it never did, unless nobody waited for it.
    pub(crate) fn not_ready(self) -> Self {
        match self {
            stopped @ Self::Stopped { .. } => stopped,
            error => Self::NotReady(Box::new(error)),
        }
    }

    /// The name of the output that nobody understands; none if that is not the matter.
    #[must_use]
    pub fn output(&self, interface: &Interface) -> Option<&str> {
        let is_signal = |it: &&str| interface.signals.iter().any(|signal| signal.name == **it);
        match self {
            Self::UnknownSignal { name, .. } | Self::WrongDirection { name } => Some(name),
            Self::WrongValues { name, .. } => Some(name),
            // It may be a port.
            Self::OutOfRange { name, .. } => Some(&**name).filter(is_signal),
            _ => None,
        }
    }

    /// Why the system failed by breaking down, or what else ended the run; none if that says nothing about it, because it never ran
    /// or the tester is to blame.
    #[must_use]
    pub fn cause(&self) -> Option<Cause> {
        Some(match self {
            Self::NotStarted { .. }
            | Self::NotReady(_)
            | Self::Unsupported { .. }
            | Self::NotSent { .. }
            | Self::Model { .. }
            | Self::NotReset
            | Self::Io { .. } => return None,
            Self::Crashed { .. } | Self::Disconnected { .. } => Cause::Crash,
            Self::Hung { .. } => Cause::Hang,
            Self::Stopped { .. } => Cause::Stopped,
            Self::UnknownSignal { .. }
            | Self::WrongDirection { .. }
            | Self::WrongValues { .. }
            | Self::OutOfRange { .. } => Cause::UnknownOutput,
            Self::Flood { .. } => Cause::Flood,
            Self::Malformed { .. } | Self::Protocol { .. } => Cause::BrokenProtocol,
            Self::Reported { .. } => Cause::Reported,
        })
    }
}

fn quote(f: &mut fmt::Formatter<'_>, stderr: &[String]) -> fmt::Result {
    if stderr.is_empty() {
        return write!(f, "; it wrote nothing to stderr");
    }
    write!(f, "; the end of its stderr:")?;
    stderr.iter().try_for_each(|line| write!(f, "\n  {line}"))
}

fn in_words(duration: Duration) -> String {
    match duration.as_secs_f64() {
        seconds if seconds < 1.0 => format!("{:.0} ms", seconds * 1e3),
        seconds => format!("{seconds} s"),
    }
}

/// The beginning of a text for a message, in printable characters.
pub(crate) fn shortened(text: &str) -> String {
    cut(text, 120)
}

/// The beginning of a text, in printable characters.
pub(crate) fn cut(text: &str, n_chars: usize) -> String {
    let mut short = String::new();
    for (i, c) in text.chars().enumerate() {
        match c {
            _ if i == n_chars => {
                short.push('…');
                break;
            }
            c if c.is_control() => short.extend(c.escape_default()),
            c => short.push(c),
        }
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_and_strange_texts_can_be_shown() {
        assert_eq!(shortened("a\tb\u{1b}"), "a\\tb\\u{1b}");
        assert_eq!(shortened(&"é".repeat(500)), format!("{}…", "é".repeat(120)));
    }
}
