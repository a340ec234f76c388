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

use punctual_model::{Interface, Signal, Value};
use punctual_sdk::{Output, System, Value as Datum};

use crate::{
    Limits, Note, Source, SutError, Timekeeping,
    dialogue::NOTE_CHARS,
    direct::{Direct, Stepped, to_datum},
    error::{cut, shortened},
};

/// A [`System`] as a [`Sut`](crate::Sut).
///
/// ```
/// use std::sync::Arc;
/// use punctual_exec::{InProcess, Limits, Seen, Sut, Timekeeping};
/// use punctual_model::{Direction, Interface, Signal, TimeScale};
/// use punctual_sdk::{Output, System, Value};
///
/// /// Ticks every 10 ns.
/// struct Ticker(u64);
///
/// impl System for Ticker {
///     fn reset(&mut self) {
///         self.0 = 0;
///     }
///     fn input(&mut self, _: u64, _: &str, _: &[Value]) {}
///     fn advance(&mut self, until_ns: u64) -> Option<Output> {
///         (self.0 + 10 <= until_ns).then(|| {
///             self.0 += 10;
///             Output::new(self.0, "tick")
///         })
///     }
/// }
///
/// let mut interface = Interface::new(TimeScale { unit_ns: 1, resolution: 1 });
/// let (name, direction) = ("tick".into(), Direction::Output);
/// interface.signals.push(Signal { name, direction, values: Vec::new() });
/// let ticker = Box::new(Ticker(0));
/// let mut sut = InProcess::new(ticker, Arc::new(interface), Timekeeping::Virtual, Limits::default());
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
        let caught = Caught { system, notes: Vec::new() };
        Self { direct: Direct::new(caught, interface, timekeeping, limits) }
    }
}

crate::sut::sut_by!(direct, InProcess);

/// A system whose panics are errors.
struct Caught {
    system: Box<dyn System>,
    notes: Vec<Note>,
}

impl Caught {
    /// Calls the system, then hears what it has to say.
    fn call<T>(
        &mut self,
        doing: &str,
        act: impl FnOnce(&mut dyn System) -> T,
    ) -> Result<T, SutError> {
        let done = caught(doing, || act(&mut *self.system))?;
        while let Some(note) = caught(doing, || self.system.note())? {
            match note {
                punctual_sdk::Note::Log(text) => {
                    let text = cut(&text, NOTE_CHARS);
                    self.notes.push(Note { source: Source::Log, text });
                }
                punctual_sdk::Note::Error(text) => {
                    return Err(SutError::Reported { text: shortened(&text) });
                }
            }
        }
        Ok(done)
    }
}

impl Stepped for Caught {
    fn reset(&mut self) -> Result<(), SutError> {
        self.call("reset", |system| system.reset())
    }

    fn input(&mut self, at_ns: u64, signal: &Signal, values: &[Value]) -> Result<(), SutError> {
        let values = signal.values.iter().zip(values);
        let values: Vec<Datum> = values.map(|(carried, it)| to_datum(&carried.ty, *it)).collect();
        self.call("take an input", |system| system.input(at_ns, &signal.name, &values))
    }

    fn set(&mut self, at_ns: u64, name: &str, value: &Datum) -> Result<bool, SutError> {
        self.call("set a port", |system| system.set(at_ns, name, value))
    }

    fn step(&mut self, at_ns: u64) -> Result<Option<Vec<(String, Datum)>>, SutError> {
        self.call("take a step", |system| system.step(at_ns))
    }

    fn read(&mut self, at_ns: u64, name: &str) -> Result<Option<Datum>, SutError> {
        self.call("be read", |system| system.read(at_ns, name))
    }

    fn advance(&mut self, until_ns: u64) -> Result<Option<Output>, SutError> {
        self.call("let time pass", |system| system.advance(until_ns))
    }

    fn next_ns(&self) -> Option<u64> {
        self.system.next_ns()
    }

    fn take_notes(&mut self) -> Vec<Note> {
        std::mem::take(&mut self.notes)
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
