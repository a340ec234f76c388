//! The seam between who drives a system and what the system is.

use punctual_model::{Action, PortId, Reading, Step, Value};

use crate::SutError;

/// A system under test.
///
/// [`reset`](Self::reset) comes first; when it returns, the system's time is 0. After an error, the
/// system has to be reset; that starts it anew if it has ended.
pub trait Sut: Send {
    /// Brings the system to its initial state, and starts it if it does not run.
    ///
    /// # Errors
    /// If it can not be started, or does not answer in time.
    fn reset(&mut self) -> Result<(), SutError>;

    /// The time since the last reset.
    fn now_ns(&mut self) -> u64;

    /// Hands over an input, now.
    ///
    /// # Errors
    /// If the system does not take it, or is gone.
    fn input(&mut self, action: &Action) -> Result<Handover, SutError>;

    /// Lets time pass until an instant, or until the system does something.
    ///
    /// On the real clock, an output may be told that came a little later than the instant; and one
    /// that came just before an input was handed over is told after that, with the instant at which it
    /// came. Apart from that, instants never decrease.
    ///
    /// # Errors
    /// If the system breaks the rules, or is gone.
    fn wait(&mut self, until_ns: u64) -> Result<Seen, SutError>;

    /// Sets input ports, now, without a step.
    ///
    /// # Errors
    /// If the system can not do that, or is gone.
    fn set(&mut self, ports: &Reading) -> Result<Handover, SutError> {
        let _ = ports;
        Err(SutError::cannot("set ports without a step"))
    }

    /// Lets the system take a step, now, with these values of its input ports, in their order. Gives the
    /// values of its output ports, in their order.
    ///
    /// # Errors
    /// If the system can not do that, or is gone.
    fn step(&mut self, inputs: &[Value]) -> Result<(Vec<Value>, Handover), SutError> {
        let _ = inputs;
        Err(SutError::cannot("be stepped"))
    }

    /// Reads ports, now.
    ///
    /// # Errors
    /// If the system can not do that, or is gone.
    fn read(&mut self, ports: &[PortId]) -> Result<(Reading, Handover), SutError> {
        let _ = ports;
        Err(SutError::cannot("be read"))
    }

    /// The next thing that the system did before it answered the last question, which is a
    /// [`step`](Self::step) or a [`read`](Self::read); none if there is nothing more. Only on the real clock
    /// there is something. Whoever tells an oracle of the answer has to tell it of this before. It is there
    /// after an error, too; what is not taken, the next [`wait`](Self::wait) tells.
    fn earlier(&mut self) -> Option<Seen> {
        None
    }

    /// Sees to it that the system took all that was handed over: on the virtual clock, an input and the wait after it may be on their way
    /// together, and what goes wrong with the input is told by the wait. Called when nothing more is waited for.
    ///
    /// # Errors
    /// If the system did not take it.
    fn settle(&mut self) -> Result<(), SutError> {
        Ok(())
    }

    /// What the system said for people since the last call.
    fn take_notes(&mut self) -> Vec<Note> {
        Vec::new()
    }

    /// The process that the system is, if it is one of this machine and runs.
    fn process_id(&self) -> Option<u32> {
        None
    }

    /// Whether time passes only when the tester lets it.
    fn is_virtual(&self) -> bool;

    /// Ends the system. Dropping does that, too.
    fn stop(&mut self);
}

/// When something was handed over: between these instants, which are equal on the virtual clock.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Handover {
    /// Before it was sent.
    pub from_ns: u64,
    /// After it was sent, or answered.
    pub to_ns: u64,
}

/// What came of waiting.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Seen {
    /// Time passed to the end, and nothing came.
    Quiet,
    /// The system sent an output.
    Output {
        /// The output with its values.
        action: Action,
        /// When it arrived (virtual clock: when it happened).
        at_ns: u64,
        /// When it happened by the system's own clock, if it says so (real clock only).
        device_ns: Option<u64>,
    },
    /// The system took a step by itself.
    Step {
        /// Its inputs, as it saw them, and its outputs.
        step: Step,
        /// When the tester heard of it (virtual clock: when it happened).
        at_ns: u64,
        /// When it happened by the system's own clock, if it says so (real clock only).
        device_ns: Option<u64>,
    },
}

/// Something that a system said for people.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Note {
    /// The channel over which the line came.
    pub source: Source,
    /// The line, without its end; long ones are cut.
    pub text: String,
}

/// Where a system says something for people.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Source {
    /// A `log` message of the protocol.
    Log,
    /// A line on standard error.
    Stderr,
}

/// Calls a macro with the methods of [`Sut`] that leave everything to something else.
macro_rules! sut_methods {
    ($self:ident, $inner:expr) => {
        fn reset(&mut $self) -> Result<(), $crate::SutError> {
            $inner.reset()
        }

        fn now_ns(&mut $self) -> u64 {
            $inner.now_ns()
        }

        fn input(
            &mut $self,
            action: &punctual_model::Action,
        ) -> Result<$crate::Handover, $crate::SutError> {
            $inner.input(action)
        }

        fn wait(&mut $self, until_ns: u64) -> Result<$crate::Seen, $crate::SutError> {
            $inner.wait(until_ns)
        }

        fn set(
            &mut $self,
            ports: &punctual_model::Reading,
        ) -> Result<$crate::Handover, $crate::SutError> {
            $inner.set(ports)
        }

        fn step(
            &mut $self,
            inputs: &[punctual_model::Value],
        ) -> Result<(Vec<punctual_model::Value>, $crate::Handover), $crate::SutError> {
            $inner.step(inputs)
        }

        fn read(
            &mut $self,
            ports: &[punctual_model::PortId],
        ) -> Result<(punctual_model::Reading, $crate::Handover), $crate::SutError> {
            $inner.read(ports)
        }

        fn earlier(&mut $self) -> Option<$crate::Seen> {
            $inner.earlier()
        }

        fn settle(&mut $self) -> Result<(), $crate::SutError> {
            $inner.settle()
        }

        fn take_notes(&mut $self) -> Vec<$crate::Note> {
            $inner.take_notes()
        }

        fn process_id(&$self) -> Option<u32> {
            $inner.process_id()
        }

        fn is_virtual(&$self) -> bool {
            $inner.is_virtual()
        }

        fn stop(&mut $self) {
            $inner.stop();
        }
    };
}

impl<S: Sut + ?Sized> Sut for Box<S> {
    sut_methods!(self, (**self));
}

/// Makes a [`Sut`] of a type that leaves everything to one of its fields.
macro_rules! sut_by {
    ($field:ident, $name:ty) => {
        impl $crate::Sut for $name {
            $crate::sut::sut_methods!(self, self.$field);
        }
    };
}
pub(crate) use {sut_by, sut_methods};
