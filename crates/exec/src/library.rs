//! A shared library with the entry points of `sdk/c/punctual.h`, inside of the tester.
//!
//! This is the fastest way to reach a system that is not written in Rust, and the least safe: a
//! library that crashes or hangs takes the tester with it. Where that is to be feared, compile the
//! same file as a program and use `Process`.

use std::{
    ffi::{CStr, CString, c_char, c_void},
    path::{Path, PathBuf},
    ptr::NonNull,
    sync::Arc,
};

use libloading::Symbol;
use punctual_model::{Interface, Signal, Value};
use punctual_sdk::Output;

use crate::{
    Limits, SutError, Timekeeping,
    direct::{Direct, Stepped},
    error::shortened,
};

/// The version of the interface.
const PROTOCOL: i32 = 1;
const NAME_SIZE: usize = 128;
const VALUES_MAX: usize = 32;
const NEVER: u64 = u64::MAX;

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

/// `punctual_output` of the header.
#[repr(C)]
struct RawOutput {
    at_ns: u64,
    name: [c_char; NAME_SIZE],
    n_values: i32,
    values: [i32; VALUES_MAX],
}

type System = *mut c_void;

/// The entry points, by the names of their fields.
struct Entries {
    protocol: unsafe extern "C" fn() -> i32,
    new: unsafe extern "C" fn(i32, *const *const c_char) -> System,
    delete: unsafe extern "C" fn(System),
    reset: unsafe extern "C" fn(System) -> i32,
    input: unsafe extern "C" fn(System, u64, *const c_char, *const i32, i32) -> i32,
    advance: unsafe extern "C" fn(System, u64, *mut RawOutput) -> i32,
    next: unsafe extern "C" fn(System) -> u64,
    problem: Option<unsafe extern "C" fn() -> *const c_char>,
}

/// A system that was made, and the library that its code is in.
struct Loaded {
    path: PathBuf,
    entries: Entries,
    system: NonNull<c_void>,
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
        // SAFETY: the function has the type that the header gives it.
        let protocol = unsafe { (entries.protocol)() };
        if protocol != PROTOCOL {
            let reason =
                format!("it was made for version {protocol} of punctual.h, not {PROTOCOL}");
            return Err(not_started(reason));
        }
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
            let reason = entries.problem().unwrap_or("punctual_new returned NULL".into());
            return Err(not_started(reason));
        };
        Ok(Self { path: path.to_owned(), entries, system, _library: library })
    }

    /// An error, if a function returned a negative number.
    fn checked(&self, returned: i32, doing: &str) -> Result<i32, SutError> {
        if returned >= 0 {
            return Ok(returned);
        }
        let why = self.entries.problem().unwrap_or_else(|| "it does not say why".into());
        let path = self.path.display();
        Err(SutError::Reported { text: format!("{path} failed to {doing}: {why}") })
    }
}

impl Entries {
    fn find(library: &libloading::Library) -> Result<Self, String> {
        // SAFETY: the types are those of the header.
        unsafe {
            Ok(Self {
                protocol: entry(library, "punctual_protocol")?,
                new: entry(library, "punctual_new")?,
                delete: entry(library, "punctual_delete")?,
                reset: entry(library, "punctual_reset")?,
                input: entry(library, "punctual_input")?,
                advance: entry(library, "punctual_advance")?,
                next: entry(library, "punctual_next")?,
                problem: entry(library, "punctual_problem").ok(),
            })
        }
    }

    /// What the library says is wrong.
    fn problem(&self) -> Option<String> {
        let problem = self.problem?;
        // SAFETY: the function has the type that the header gives it; it returns NULL or a text
        // that ends with a zero, which is copied before anything else is called.
        unsafe {
            let text = problem();
            (!text.is_null()).then(|| shortened(&CStr::from_ptr(text).to_string_lossy()))
        }
    }
}

/// An entry point of a library.
///
/// # Safety
/// `F` must be the type of that function, and the library must outlive what is returned.
unsafe fn entry<F: Copy>(library: &libloading::Library, name: &str) -> Result<F, String> {
    // SAFETY: see above.
    let symbol: Result<Symbol<'_, F>, _> = unsafe { library.get(name) };
    symbol.map(|symbol| *symbol).map_err(|_| format!("it has no function `{name}`"))
}

impl Stepped for Loaded {
    fn reset(&mut self) -> Result<(), SutError> {
        // SAFETY: the system was made by this library and is not deleted.
        let returned = unsafe { (self.entries.reset)(self.system.as_ptr()) };
        self.checked(returned, "reset").map(|_| ())
    }

    fn input(&mut self, at_ns: u64, signal: &Signal, values: &[Value]) -> Result<(), SutError> {
        let name = signal.name.as_str();
        let unfit = |what: &str| SutError::Unsupported {
            what: format!("`{name}` can not be passed to a library: {what}"),
            help: "use another name or fewer values".into(),
        };
        let text = CString::new(name).map_err(|_| unfit("its name contains a zero byte"))?;
        let values: Option<Vec<i32>> = values.iter().map(|value| value.as_slot()).collect();
        let values = values.ok_or_else(|| unfit("a value is no integer of 32 bits"))?;
        let n_values = i32::try_from(values.len()).map_err(|_| unfit("too many values"))?;
        // SAFETY: the system is alive; a text that ends with a zero, and as many values as said.
        let returned = unsafe {
            let system = self.system.as_ptr();
            (self.entries.input)(system, at_ns, text.as_ptr(), values.as_ptr(), n_values)
        };
        self.checked(returned, "take an input").map(|_| ())
    }

    fn advance(&mut self, until_ns: u64) -> Result<Option<Output>, SutError> {
        let mut raw =
            RawOutput { at_ns: 0, name: [0; NAME_SIZE], n_values: 0, values: [0; VALUES_MAX] };
        // SAFETY: the system is alive; the output is initialised and laid out as in the header.
        let returned =
            unsafe { (self.entries.advance)(self.system.as_ptr(), until_ns, &raw mut raw) };
        if self.checked(returned, "let time pass")? == 0 {
            return Ok(None);
        }
        let name: Vec<u8> =
            raw.name.iter().map(|c| c.cast_unsigned()).take_while(|byte| *byte != 0).collect();
        let name = String::from_utf8_lossy(&name).into_owned();
        let values = usize::try_from(raw.n_values).ok().and_then(|n| raw.values.get(..n));
        match values {
            Some(values) => {
                let values = values.iter().map(|value| (*value).into()).collect();
                Ok(Some(Output { at_ns: raw.at_ns, name, values }))
            }
            None => Err(SutError::Protocol {
                found: format!("`{}` came with {} values", shortened(&name), raw.n_values),
                expected: format!("an output has at most {VALUES_MAX}"),
            }),
        }
    }

    fn next_ns(&self) -> Option<u64> {
        // SAFETY: the system was made by this library and is not deleted.
        let next_ns = unsafe { (self.entries.next)(self.system.as_ptr()) };
        (next_ns != NEVER).then_some(next_ns)
    }
}

impl Drop for Loaded {
    fn drop(&mut self) {
        // SAFETY: the system was made by this library, and nobody uses it after this.
        unsafe { (self.entries.delete)(self.system.as_ptr()) }
    }
}
