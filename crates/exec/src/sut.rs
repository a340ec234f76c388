//! The seam between who drives a system and what the system is.

use punctual_model::Action;

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

    /// Lets time pass until an instant, or until the first output.
    ///
    /// On the real clock, an output may be told that came a little later than the instant; and one
    /// that came just before an input was handed over is told after that, with the instant at which it
    /// came. Apart from that, instants never decrease.
    ///
    /// # Errors
    /// If the system breaks the rules, or is gone.
    fn wait(&mut self, until_ns: u64) -> Result<Seen, SutError>;

    /// Whether time passes only when the tester lets it.
    fn is_virtual(&self) -> bool;

    /// Ends the system. Dropping does that, too.
    fn stop(&mut self);
}

impl<S: Sut + ?Sized> Sut for Box<S> {
    fn reset(&mut self) -> Result<(), SutError> {
        (**self).reset()
    }

    fn now_ns(&mut self) -> u64 {
        (**self).now_ns()
    }

    fn input(&mut self, action: &Action) -> Result<Handover, SutError> {
        (**self).input(action)
    }

    fn wait(&mut self, until_ns: u64) -> Result<Seen, SutError> {
        (**self).wait(until_ns)
    }

    fn is_virtual(&self) -> bool {
        (**self).is_virtual()
    }

    fn stop(&mut self) {
        (**self).stop();
    }
}

/// When an input was handed over: between these instants, which are equal on the virtual clock.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Handover {
    /// Before it was sent.
    pub from_ns: u64,
    /// After it was sent.
    pub to_ns: u64,
}

/// What came of waiting.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Seen {
    /// Time passed to the end, and nothing came.
    Quiet,
    /// The system did something.
    Output {
        /// What.
        action: Action,
        /// When it arrived (virtual clock: when it happened).
        at_ns: u64,
    },
}

/// Makes a [`Sut`] of a type that leaves everything to one of its fields.
macro_rules! sut_by {
    ($field:ident, $name:ty) => {
        impl crate::Sut for $name {
            fn reset(&mut self) -> Result<(), crate::SutError> {
                self.$field.reset()
            }

            fn now_ns(&mut self) -> u64 {
                self.$field.now_ns()
            }

            fn input(
                &mut self,
                action: &punctual_model::Action,
            ) -> Result<crate::Handover, crate::SutError> {
                self.$field.input(action)
            }

            fn wait(&mut self, until_ns: u64) -> Result<crate::Seen, crate::SutError> {
                self.$field.wait(until_ns)
            }

            fn is_virtual(&self) -> bool {
                self.$field.is_virtual()
            }

            fn stop(&mut self) {
                self.$field.stop();
            }
        }
    };
}
pub(crate) use sut_by;
