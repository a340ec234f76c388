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
    direct::{Direct, Stepped, sut_by_direct},
};

/// A [`System`] as a [`Sut`](crate::Sut).
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

sut_by_direct!(InProcess);

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
