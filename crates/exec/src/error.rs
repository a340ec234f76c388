//! What can go wrong with a system, one variant for each thing that its tester can do about it.

use std::{error, fmt, time::Duration};

use punctual_model::Cause;

/// Why a system can not be tested any further. It says nothing of whether the system conforms.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SutError {
    /// The system could not be started or reached.
    NotStarted {
        /// What was started or reached.
        what: String,
        /// Why not.
        reason: String,
    },
    /// The system was started or reached, but never got ready. That is no verdict about it.
    NotReady(Box<SutError>),
    /// The system ended.
    Crashed {
        /// What it was expected to do.
        doing: String,
        /// How it ended.
        status: String,
        /// The last lines that it wrote to stderr.
        stderr: Vec<String>,
    },
    /// The system did not do what it had to, in time.
    Hung {
        /// What it was expected to do.
        doing: String,
        /// How long the tester waited.
        waited: Duration,
        /// The last lines that it wrote to stderr.
        stderr: Vec<String>,
    },
    /// The system closed the connection.
    Disconnected {
        /// What it was expected to do.
        doing: String,
        /// The last lines that it wrote to stderr.
        stderr: Vec<String>,
    },
    /// What the system sent can not be read.
    Malformed {
        /// What it sent, shortened.
        line: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The system sent something that the interface does not have.
    UnknownSignal {
        /// The name.
        name: String,
        /// A name that is similar.
        similar: Option<String>,
        /// All outputs of the interface.
        outputs: Vec<String>,
    },
    /// A signal went the wrong way.
    WrongDirection {
        /// Its name.
        name: String,
        /// Whether it was used as an output.
        as_output: bool,
    },
    /// A signal with too many or too few values.
    WrongValues {
        /// Its name.
        name: String,
        /// The names of the values that belong to it.
        expected: Vec<String>,
        /// How many there were.
        n_found: usize,
    },
    /// A value that the variable of the model can not have.
    OutOfRange {
        /// The signal.
        name: String,
        /// The variable.
        variable: String,
        /// The value, as it came.
        value: String,
        /// What the variable can be.
        expected: String,
    },
    /// More outputs than are tolerated.
    Flood {
        /// How many are.
        limit: u64,
        /// In what time.
        within: String,
    },
    /// The system broke a rule of the protocol.
    Protocol {
        /// What it did, shortened.
        found: String,
        /// What it had to do.
        expected: String,
    },
    /// The system itself said that something is wrong.
    Reported {
        /// In these words.
        text: String,
    },
    /// The system can not do what the test asks for.
    Unsupported {
        /// What.
        what: String,
        /// What to do about it.
        help: String,
    },
    /// The network that plays the implementation can not go on.
    Model {
        /// When, in nanoseconds since the reset.
        at_ns: u64,
        /// Why.
        reason: String,
    },
    /// The system was not reset since it was made or since the last error.
    NotReset,
    /// Reading or writing failed.
    Io {
        /// What was being done.
        doing: String,
        /// What the machine says.
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
            Self::WrongDirection { name, as_output: true } => {
                write!(f, "the system sent `{name}`, which is an input of the test interface")
            }
            Self::WrongDirection { name, as_output: false } => {
                write!(f, "`{name}` is an output: it can not be sent to the system")
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
            Self::Model { at_ns, reason } => {
                write!(f, "the network that plays the system can not go on at {at_ns} ns: {reason}")
            }
            Self::NotReset => write!(f, "the system must be reset first"),
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

    /// Why the system failed by breaking down; none if that says nothing about it, because it never ran
    /// or the tester is to blame.
    #[must_use]
    pub fn cause(&self) -> Option<Cause> {
        Some(match self {
            Self::NotStarted { .. }
            | Self::NotReady(_)
            | Self::Unsupported { .. }
            | Self::Model { .. }
            | Self::NotReset
            | Self::Io { .. } => return None,
            Self::Crashed { .. } | Self::Disconnected { .. } => Cause::Crash,
            Self::Hung { .. } => Cause::Hang,
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

/// The beginning of a text, in printable characters.
pub(crate) fn shortened(text: &str) -> String {
    const LENGTH: usize = 120;
    let mut short: String = text.chars().take(LENGTH).flat_map(printable).collect();
    if text.chars().nth(LENGTH).is_some() {
        short.push('…');
    }
    short
}

fn printable(c: char) -> Vec<char> {
    match c.is_control() {
        true => c.escape_default().collect(),
        false => vec![c],
    }
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
