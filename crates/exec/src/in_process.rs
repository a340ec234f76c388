//! A system written in Rust, inside of the tester.
//!
//! A panic of the system is a [`SutError::Crashed`]; the next reset starts it again. A system that
//! loops for ever can not be interrupted, and hangs the tester: serve it as a program of its own
//! (`punctual_sdk::serve`) if that is to be feared.

use std::{
    any::Any,
    panic::{self, AssertUnwindSafe},
    sync::Arc,
};

use punctual_model::Interface;
use punctual_sdk::{Output, System};

use crate::{
    Limits, SutError, Timekeeping,
    direct::{Direct, Stepped},
};

/// A [`System`] as a [`Sut`](crate::Sut).
///
/// ```
/// use std::sync::Arc;
/// use punctual_exec::{InProcess, Limits, Seen, Sut, Timekeeping};
/// use punctual_model::{
///     ChannelId, Direction, Id, IdVec, Interface, Signal, TimeScale, Uncertainty,
/// };
/// use punctual_sdk::{Output, System};
///
/// /// Ticks every 10 ns.
/// struct Ticker(u64);
///
/// impl System for Ticker {
///     fn reset(&mut self) {
///         self.0 = 0;
///     }
///     fn input(&mut self, _: u64, _: &str, _: &[i32]) {}
///     fn advance(&mut self, until_ns: u64) -> Option<Output> {
///         (self.0 + 10 <= until_ns).then(|| {
///             self.0 += 10;
///             Output::new(self.0, "tick")
///         })
///     }
/// }
///
/// let mut signals = IdVec::new();
/// let channel = ChannelId::from_index(0);
/// let (name, direction) = ("tick".into(), Direction::Output);
/// signals.push(Signal { name, direction, channel, values: Vec::new() });
/// let time = TimeScale { unit_ns: 1, resolution: 1 };
/// let interface = Arc::new(Interface { signals, time, uncertainty: Uncertainty::default() });
/// let ticker = Box::new(Ticker(0));
/// let mut sut = InProcess::new(ticker, interface, Timekeeping::Virtual, Limits::default());
/// sut.reset()?;
/// assert!(matches!(sut.wait(25)?, Seen::Output { at_ns: 10, .. }));
/// assert!(matches!(sut.wait(25)?, Seen::Output { at_ns: 20, .. }));
/// assert_eq!(sut.wait(25)?, Seen::Quiet);
/// # Ok::<(), punctual_exec::SutError>(())
/// ```
pub struct InProcess {
    direct: Direct<Caught>,
}

impl InProcess {
    /// The system behind an interface, on a clock.
    #[must_use]
    pub fn new(
        system: Box<dyn System>,
        interface: Arc<Interface>,
        timekeeping: Timekeeping,
        limits: Limits,
    ) -> Self {
        Self { direct: Direct::new(Caught(system), interface, timekeeping, limits) }
    }
}

crate::sut::sut_by!(direct, InProcess);

/// A system whose panics are errors.
struct Caught(Box<dyn System>);

impl Stepped for Caught {
    fn reset(&mut self) -> Result<(), SutError> {
        caught("reset", || self.0.reset())
    }

    fn input(&mut self, at_ns: u64, name: &str, values: &[i32]) -> Result<(), SutError> {
        caught("take an input", || self.0.input(at_ns, name, values))
    }

    fn advance(&mut self, until_ns: u64) -> Result<Option<Output>, SutError> {
        caught("let time pass", || self.0.advance(until_ns))
    }

    fn next_ns(&self) -> Option<u64> {
        self.0.next_ns()
    }
}

fn caught<T>(doing: &str, act: impl FnOnce() -> T) -> Result<T, SutError> {
    panic::catch_unwind(AssertUnwindSafe(act)).map_err(|payload| SutError::Crashed {
        doing: doing.into(),
        status: format!("it panicked: {}", message(&*payload)),
        stderr: Vec::new(),
    })
}

fn message(payload: &(dyn Any + Send)) -> &str {
    let text = payload.downcast_ref::<String>().map(String::as_str);
    text.or(payload.downcast_ref::<&str>().copied()).unwrap_or("no message")
}
