//! A shared library with the entry points of `sdk/c/punctual.h`, inside of the tester.
//!
//! This is the fastest way to reach a system that is not written in Rust, and the least safe: a
//! library that crashes or hangs takes the tester with it. Where that is to be feared, compile the
//! same file as a program and use `Process`, or let a program of its own serve what [`hosted`] gives.
//!
//! Libraries of version 1 have integers only, and are neither set, stepped nor read.

mod entries;

use std::{
    collections::VecDeque,
    ffi::{CStr, CString, c_char, c_void},
    io::{self, Write},
    path::{Path, PathBuf},
    ptr::NonNull,
    sync::Arc,
};

use punctual_model::{Interface, Signal, Value};
use punctual_sdk::{Can, Note, Output, System, Value as Datum};

use crate::{
    Limits, SutError, Timekeeping,
    direct::{Direct, Stepped, to_datum},
    error::shortened,
};
use entries::{Entries, PORTS_MAX, RawOutput, RawPort, RawValue, UNKNOWN, VALUES_MAX, name_of};

/// A system in a shared library.
pub struct Library {
    direct: Direct<Loaded>,
}

impl Library {
    /// Loads a library and makes a system of it.
    ///
    /// Code of the library runs inside of this program: whoever names the file vouches that it keeps
    /// to `punctual.h`.
    ///
    /// # Errors
    /// If the file can not be loaded, lacks an entry point, is of another version, or does not
    /// accept the arguments.
    pub fn open(
        path: &Path,
        arguments: &[String],
        interface: Arc<Interface>,
        timekeeping: Timekeeping,
        limits: Limits,
    ) -> Result<Self, SutError> {
        let loaded = Loaded::open(path, arguments)?;
        Ok(Self { direct: Direct::new(loaded, interface, timekeeping, limits) })
    }
}

crate::sut::sut_by!(direct, Library);

/// Loads a library as a system that can be served as a program of its own, so that a library that crashes
/// does not take the tester with it. As with [`Library::open`], whoever names the file vouches for it.
///
/// # Errors
/// If the file can not be loaded, lacks an entry point, is of another version, or does not accept the
/// arguments.
pub fn hosted(path: &Path, arguments: &[String]) -> Result<impl System + use<>, SutError> {
    Ok(Hosted { loaded: Loaded::open(path, arguments)?, problems: VecDeque::new() })
}

/// The standard output of this program, for the protocol alone: what anybody prints from now on, such as a
/// library, goes to standard error.
///
/// # Errors
/// If the operating system does not let that be.
#[cfg(unix)]
pub fn own_stdout() -> io::Result<impl Write + Send + use<>> {
    io::stdout().flush()?;
    let kept = nix::unistd::dup(io::stdout())?;
    nix::unistd::dup2_stdout(io::stderr())?;
    Ok(std::fs::File::from(kept))
}

/// The standard output of this program.
///
/// # Errors
/// None here.
#[cfg(not(unix))]
pub fn own_stdout() -> io::Result<impl Write + Send + use<>> {
    Ok(io::stdout())
}

/// A system that was made, and the library that its code is in.
struct Loaded {
    path: PathBuf,
    entries: Entries,
    system: NonNull<c_void>,
    /// Where a step writes its outputs.
    ports: Vec<RawPort>,
    /// Holds the code that the entries point to; dropped after the system is deleted.
    _library: libloading::Library,
}

// SAFETY: the header lets a system be used by any thread, by one at a time; `Loaded` is not `Sync`.
unsafe impl Send for Loaded {}

impl Loaded {
    fn open(path: &Path, arguments: &[String]) -> Result<Self, SutError> {
        let not_started =
            |reason: String| SutError::NotStarted { what: format!("`{}`", path.display()), reason };
        // SAFETY: what runs while the library is loaded is the library's; who names the file
        // vouches for it, as `Library::open` says.
        let library = unsafe { libloading::Library::new(path) }
            .map_err(|error| not_started(format!("it can not be loaded ({error})")))?;
        let entries = Entries::find(&library).map_err(not_started)?;
        let arguments: Result<Vec<CString>, _> =
            arguments.iter().map(|argument| CString::new(argument.as_str())).collect();
        let arguments =
            arguments.map_err(|_| not_started("an argument contains a zero byte".into()))?;
        let pointers: Vec<*const c_char> = arguments.iter().map(|text| text.as_ptr()).collect();
        let argc = i32::try_from(pointers.len())
            .map_err(|_| not_started("it has too many arguments".into()))?;
        // SAFETY: `argc` pointers to texts that end with a zero and outlive the call.
        let system = unsafe { (entries.new)(argc, pointers.as_ptr()) };
        let Some(system) = NonNull::new(system) else {
            let reason = problem(&entries).unwrap_or("punctual_new returned NULL".into());
            return Err(not_started(reason));
        };
        let ports = match entries.step {
            Some(_) => vec![RawPort::EMPTY; PORTS_MAX],
            None => Vec::new(),
        };
        Ok(Self { path: path.to_owned(), entries, system, ports, _library: library })
    }

    /// An error, if a function returned a negative number.
    fn checked(&self, returned: i32, doing: &str) -> Result<i32, SutError> {
        if returned >= 0 {
            return Ok(returned);
        }
        let why = problem(&self.entries).unwrap_or_else(|| "it does not say why".into());
        let path = self.path.display();
        Err(SutError::Reported { text: format!("{path} failed to {doing}: {why}") })
    }

    fn start_anew(&mut self) -> Result<(), SutError> {
        // SAFETY: the system was made by this library and is not deleted.
        let returned = unsafe { (self.entries.reset)(self.system.as_ptr()) };
        self.checked(returned, "reset").map(|_| ())
    }

    fn take(&mut self, at_ns: u64, name: &str, values: &[Datum]) -> Result<(), SutError> {
        let text = text(name)?;
        let n_values = i32::try_from(values.len()).map_err(|_| unfit(name, "too many values"))?;
        let system = self.system.as_ptr();
        let returned = match (self.entries.input_typed, self.entries.input) {
            (Some(input), _) => {
                let values: Result<Vec<RawValue>, SutError> =
                    values.iter().map(|value| raw(name, value)).collect();
                let values = values?;
                // SAFETY: the system is alive; a text that ends with a zero, and as many values as said.
                unsafe { input(system, at_ns, text.as_ptr(), values.as_ptr(), n_values) }
            }
            (None, Some(input)) => {
                let values: Option<Vec<i32>> = values.iter().map(small).collect();
                let values =
                    values.ok_or_else(|| unfit(name, "a value is no integer of 32 bits"))?;
                // SAFETY: the system is alive; a text that ends with a zero, and as many values as said.
                unsafe { input(system, at_ns, text.as_ptr(), values.as_ptr(), n_values) }
            }
            (None, None) => UNKNOWN,
        };
        match returned {
            UNKNOWN => {
                let path = self.path.display();
                Err(SutError::Reported { text: format!("{path} has no input `{name}`") })
            }
            returned => self.checked(returned, "take an input").map(|_| ()),
        }
    }

    fn come_to(&mut self, until_ns: u64) -> Result<Option<Output>, SutError> {
        let system = self.system.as_ptr();
        match (self.entries.advance_typed, self.entries.advance) {
            (Some(advance), _) => {
                let mut raw = RawOutput::new(RawValue::EMPTY);
                // SAFETY: the system is alive; the output is initialised and laid out as in the header.
                let returned = unsafe { advance(system, until_ns, &raw mut raw) };
                self.output(returned, &raw, RawValue::datum)
            }
            (None, Some(advance)) => {
                let mut raw = RawOutput::new(0);
                // SAFETY: the system is alive; the output is initialised and laid out as in the header.
                let returned = unsafe { advance(system, until_ns, &raw mut raw) };
                self.output(returned, &raw, |value| Ok((*value).into()))
            }
            (None, None) => Ok(None),
        }
    }

    /// The output that a library wrote, if it did.
    fn output<V>(
        &self,
        returned: i32,
        raw: &RawOutput<V>,
        value: impl Fn(&V) -> Result<Datum, SutError>,
    ) -> Result<Option<Output>, SutError> {
        if self.checked(returned, "let time pass")? == 0 {
            return Ok(None);
        }
        let name = name_of(&raw.name);
        let values = usize::try_from(raw.n_values).ok().and_then(|n| raw.values.get(..n));
        let values = values.ok_or_else(|| SutError::Protocol {
            found: format!("`{}` came with {} values", shortened(&name), raw.n_values),
            expected: format!("an output has at most {VALUES_MAX}"),
        })?;
        let values: Result<Vec<Datum>, SutError> = values.iter().map(value).collect();
        Ok(Some(Output { at_ns: raw.at_ns, name, values: values? }))
    }

    /// Sets an input port; false if there is none of this name.
    fn put(&mut self, at_ns: u64, name: &str, value: &Datum) -> Result<bool, SutError> {
        let Some(set) = self.entries.set else { return Ok(false) };
        let (text, raw) = (text(name)?, raw(name, value)?);
        // SAFETY: the system is alive; a text that ends with a zero, and a value as in the header.
        let returned = unsafe { set(self.system.as_ptr(), at_ns, text.as_ptr(), &raw const raw) };
        match returned {
            UNKNOWN => Ok(false),
            returned => self.checked(returned, "set a port").map(|_| true),
        }
    }

    fn take_step(&mut self, at_ns: u64) -> Result<Option<Vec<(String, Datum)>>, SutError> {
        let Some(step) = self.entries.step else { return Ok(None) };
        // SAFETY: the system is alive; there is room for as many ports as said.
        let returned =
            unsafe { step(self.system.as_ptr(), at_ns, self.ports.as_mut_ptr(), PORTS_MAX as i32) };
        let n_ports = self.checked(returned, "take a step")?;
        let ports = usize::try_from(n_ports).ok().and_then(|n| self.ports.get(..n));
        let ports = ports.ok_or_else(|| SutError::Protocol {
            found: format!("a step gave {n_ports} outputs"),
            expected: format!("a step has at most {PORTS_MAX}"),
        })?;
        let named = |port: &RawPort| Ok((name_of(&port.name), port.value.datum()?));
        ports.iter().map(named).collect::<Result<Vec<_>, SutError>>().map(Some)
    }

    /// The value of a variable; none if there is none of this name.
    fn look(&mut self, at_ns: u64, name: &str) -> Result<Option<Datum>, SutError> {
        let Some(read) = self.entries.read else { return Ok(None) };
        let (text, mut raw) = (text(name)?, RawValue::EMPTY);
        // SAFETY: the system is alive; a text that ends with a zero, and a value as in the header.
        let returned = unsafe { read(self.system.as_ptr(), at_ns, text.as_ptr(), &raw mut raw) };
        match returned {
            UNKNOWN => Ok(None),
            returned => {
                self.checked(returned, "be read")?;
                raw.datum().map(Some)
            }
        }
    }

    fn due_ns(&self) -> Option<u64> {
        let next = self.entries.next?;
        // SAFETY: the system was made by this library and is not deleted.
        let next_ns = unsafe { next(self.system.as_ptr()) };
        (next_ns != entries::NEVER).then_some(next_ns)
    }
}

impl Drop for Loaded {
    fn drop(&mut self) {
        // SAFETY: the system was made by this library, and nobody uses it after this.
        unsafe { (self.entries.delete)(self.system.as_ptr()) }
    }
}

/// What a library says went wrong.
fn problem(entries: &Entries) -> Option<String> {
    let problem = entries.problem?;
    // SAFETY: the function has the type that the header gives it; it returns NULL or a text that
    // ends with a zero, which is copied before anything else is called.
    unsafe {
        let text = problem();
        (!text.is_null()).then(|| shortened(&CStr::from_ptr(text).to_string_lossy()))
    }
}

fn unfit(name: &str, what: &str) -> SutError {
    SutError::Unsupported {
        what: format!("`{name}` can not be passed to a library: {what}"),
        help: "use another name, fewer values, or values that the library takes".into(),
    }
}

fn text(name: &str) -> Result<CString, SutError> {
    CString::new(name).map_err(|_| unfit(name, "its name contains a zero byte"))
}

fn raw(name: &str, value: &Datum) -> Result<RawValue, SutError> {
    RawValue::of(value).ok_or_else(|| unfit(name, "a value is too long a text"))
}

/// The integer that a library without typed values gets.
fn small(value: &Datum) -> Option<i32> {
    match value {
        Datum::Bool(it) => Some((*it).into()),
        Datum::Int(it) => i32::try_from(*it).ok(),
        Datum::Real(_) | Datum::Text(_) => None,
    }
}

impl Stepped for Loaded {
    fn reset(&mut self) -> Result<(), SutError> {
        self.start_anew()
    }

    fn input(&mut self, at_ns: u64, signal: &Signal, values: &[Value]) -> Result<(), SutError> {
        let values = signal.values.iter().zip(values);
        let values: Vec<Datum> = values.map(|(carried, it)| to_datum(&carried.ty, *it)).collect();
        self.take(at_ns, &signal.name, &values)
    }

    fn advance(&mut self, until_ns: u64) -> Result<Option<Output>, SutError> {
        self.come_to(until_ns)
    }

    fn next_ns(&self) -> Option<u64> {
        self.due_ns()
    }

    fn set(&mut self, at_ns: u64, name: &str, value: &Datum) -> Result<bool, SutError> {
        self.put(at_ns, name, value)
    }

    fn step(&mut self, at_ns: u64) -> Result<Option<Vec<(String, Datum)>>, SutError> {
        self.take_step(at_ns)
    }

    fn read(&mut self, at_ns: u64, name: &str) -> Result<Option<Datum>, SutError> {
        self.look(at_ns, name)
    }
}

/// A library as a system of the kit. What goes wrong is told as a note.
struct Hosted {
    loaded: Loaded,
    problems: VecDeque<String>,
}

impl Hosted {
    /// What a call gave; nothing, and a note, if it went wrong.
    fn told<T: Default>(&mut self, outcome: Result<T, SutError>) -> T {
        outcome.unwrap_or_else(|error| {
            self.problems.push_back(match error {
                SutError::Reported { text } => text,
                error => error.to_string(),
            });
            T::default()
        })
    }
}

impl System for Hosted {
    fn can(&self) -> Can {
        let Entries { step, set, read, .. } = &self.loaded.entries;
        Can { step: step.is_some(), set: set.is_some(), read: read.is_some() }
    }

    fn reset(&mut self) {
        let done = self.loaded.start_anew();
        self.told(done);
    }

    fn input(&mut self, at_ns: u64, name: &str, values: &[Datum]) {
        let done = self.loaded.take(at_ns, name, values);
        self.told(done);
    }

    fn advance(&mut self, until_ns: u64) -> Option<Output> {
        let done = self.loaded.come_to(until_ns);
        self.told(done)
    }

    fn read(&mut self, at_ns: u64, name: &str) -> Option<Datum> {
        let done = self.loaded.look(at_ns, name);
        self.told(done)
    }

    fn set(&mut self, at_ns: u64, name: &str, value: &Datum) -> bool {
        let done = self.loaded.put(at_ns, name, value);
        self.told(done)
    }

    fn step(&mut self, at_ns: u64) -> Option<Vec<(String, Datum)>> {
        let done = self.loaded.take_step(at_ns);
        self.told(done)
    }

    fn next_ns(&self) -> Option<u64> {
        self.loaded.due_ns()
    }

    fn note(&mut self) -> Option<Note> {
        self.problems.pop_front().map(Note::Error)
    }
}
