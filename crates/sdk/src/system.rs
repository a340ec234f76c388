//! A system on virtual time.

use crate::Value;

/// Something that a system does.
#[derive(Clone, PartialEq, Debug)]
pub struct Output {
    /// When, in nanoseconds since the last reset.
    pub at_ns: u64,
    /// The name of the output, that of a channel of the model.
    pub name: String,
    /// The values that go with it.
    pub values: Vec<Value>,
}

impl Output {
    /// An output without values.
    pub fn new(at_ns: u64, name: impl Into<String>) -> Self {
        Self { at_ns, name: name.into(), values: Vec::new() }
    }
}

/// What a system can do beside taking inputs and giving outputs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Can {
    /// It takes a step when the tester says so.
    pub step: bool,
    /// Its input ports can be set without a step.
    pub set: bool,
    /// Its variables can be read.
    pub read: bool,
}

/// What a system has to say that is no output and no value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Note {
    /// A line for the record of the run.
    Log(String),
    /// Why the system can not go on. Nothing is asked of it after that, unless it is reset.
    Error(String),
}

/// A system to which the tester says how far time goes.
///
/// A system under test starts with [`reset`](Self::reset). After that, instants never decrease: an
/// input comes at the instant that the last [`advance`](Self::advance) came to, which is that of
/// the output it returned, or `until_ns` if there was none.
pub trait System: Send {
    /// What the system can do beside taking inputs and giving outputs. It is asked once, before the
    /// first reset.
    fn can(&self) -> Can {
        Can::default()
    }

    /// Starts anew, at instant 0. Nothing from before is left.
    fn reset(&mut self);

    /// Takes an input. What comes of it at the same instant is for the next
    /// [`advance`](Self::advance) to say.
    fn input(&mut self, at_ns: u64, name: &str, values: &[Value]);

    /// Lets time pass to `until_ns` at most, which may be now; the first output on the way, if
    /// any. Time then stands at that output.
    fn advance(&mut self, until_ns: u64) -> Option<Output>;

    /// The value of a variable, or of an output of the last step, now; none if it can not be read.
    fn read(&mut self, at_ns: u64, name: &str) -> Option<Value> {
        let _ = (at_ns, name);
        None
    }

    /// Sets an input that the next step sees; false if there is no such input.
    fn set(&mut self, at_ns: u64, name: &str, value: &Value) -> bool {
        let _ = (at_ns, name, value);
        false
    }

    /// Takes a step with the inputs that were set: the outputs with their names. None if the system does
    /// not take steps.
    fn step(&mut self, at_ns: u64) -> Option<Vec<(String, Value)>> {
        let _ = at_ns;
        None
    }

    /// An instant before which nothing happens unless an input comes; none if nothing ever does.
    ///
    /// Only the real clock asks. A system that does not know says 0, as this one does, and is
    /// asked to [`advance`](Self::advance) every half millisecond instead.
    fn next_ns(&self) -> Option<u64> {
        Some(0)
    }

    /// The next thing that the system has to say beside its outputs and values, in order; none if
    /// there is nothing more. It is asked after each of the other calls until there is none.
    fn note(&mut self) -> Option<Note> {
        None
    }
}

/// A system behind a pointer is a system.
macro_rules! system_behind {
    ($pointer:ty) => {
        impl<S: System + ?Sized> System for $pointer {
            fn can(&self) -> Can {
                (**self).can()
            }

            fn reset(&mut self) {
                (**self).reset();
            }

            fn input(&mut self, at_ns: u64, name: &str, values: &[Value]) {
                (**self).input(at_ns, name, values);
            }

            fn advance(&mut self, until_ns: u64) -> Option<Output> {
                (**self).advance(until_ns)
            }

            fn read(&mut self, at_ns: u64, name: &str) -> Option<Value> {
                (**self).read(at_ns, name)
            }

            fn set(&mut self, at_ns: u64, name: &str, value: &Value) -> bool {
                (**self).set(at_ns, name, value)
            }

            fn step(&mut self, at_ns: u64) -> Option<Vec<(String, Value)>> {
                (**self).step(at_ns)
            }

            fn next_ns(&self) -> Option<u64> {
                (**self).next_ns()
            }

            fn note(&mut self) -> Option<Note> {
                (**self).note()
            }
        }
    };
}

system_behind!(Box<S>);
system_behind!(&mut S);
