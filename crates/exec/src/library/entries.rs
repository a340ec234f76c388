//! The entry points of a library, and what goes over them, laid out as in `punctual.h`.

use std::ffi::{CString, c_char, c_void};

use libloading::Symbol;
use punctual_sdk::Value as Datum;

use crate::SutError;

/// The versions of the header that are understood.
const PROTOCOLS: [i32; 2] = [1, 2];
const NAME_SIZE: usize = 128;
const TEXT_SIZE: usize = 64;
pub(super) const VALUES_MAX: usize = 32;
pub(super) const PORTS_MAX: usize = 1024;
pub(super) const NEVER: u64 = u64::MAX;
/// What a function returns that does not know a name.
pub(super) const UNKNOWN: i32 = -404;

const CAN_STEP: i32 = 1;
const CAN_SET: i32 = 2;
const CAN_READ: i32 = 4;
const CAN_TYPED: i32 = 8;

const BOOL: i32 = 1;
const INT: i32 = 2;
const REAL: i32 = 3;
const TEXT: i32 = 4;

/// `punctual_value` of the header.
#[repr(C)]
#[derive(Clone, Copy)]
pub(super) struct RawValue {
    kind: i32,
    integer: i64,
    real: f64,
    text: [c_char; TEXT_SIZE],
}

impl RawValue {
    pub(super) const EMPTY: RawValue =
        RawValue { kind: 0, integer: 0, real: 0.0, text: [0; TEXT_SIZE] };

    /// A value for a library, with all fields that it may look at; none if its text is too long.
    pub(super) fn of(value: &Datum) -> Option<RawValue> {
        let mut raw = RawValue::EMPTY;
        (raw.kind, raw.integer) = match value {
            Datum::Bool(it) => (BOOL, (*it).into()),
            Datum::Int(it) => (INT, *it),
            Datum::Real(_) => (REAL, 0),
            Datum::Text(_) => (TEXT, 0),
        };
        raw.real = value.as_real().unwrap_or(0.0);
        if let Datum::Text(text) = value {
            let text = CString::new(text.as_str()).ok()?;
            let bytes = text.as_bytes_with_nul();
            let places = raw.text.get_mut(..bytes.len())?;
            places.iter_mut().zip(bytes).for_each(|(place, byte)| *place = byte.cast_signed());
        }
        Some(raw)
    }

    /// The value that a library wrote.
    pub(super) fn datum(&self) -> Result<Datum, SutError> {
        Ok(match self.kind {
            BOOL => Datum::Bool(self.integer != 0),
            INT => Datum::Int(self.integer),
            REAL => Datum::Real(self.real),
            TEXT => Datum::Text(name_of(&self.text)),
            kind => {
                return Err(SutError::Protocol {
                    found: format!("a value of kind {kind} came"),
                    expected: format!("kinds are from {BOOL} to {TEXT}"),
                });
            }
        })
    }
}

/// `punctual_port` of the header.
#[repr(C)]
#[derive(Clone, Copy)]
pub(super) struct RawPort {
    pub(super) name: [c_char; NAME_SIZE],
    pub(super) value: RawValue,
}

impl RawPort {
    pub(super) const EMPTY: RawPort = RawPort { name: [0; NAME_SIZE], value: RawValue::EMPTY };
}

/// `punctual_output` of the header, and `punctual_typed_output`.
#[repr(C)]
pub(super) struct RawOutput<V> {
    pub(super) at_ns: u64,
    pub(super) name: [c_char; NAME_SIZE],
    pub(super) n_values: i32,
    pub(super) values: [V; VALUES_MAX],
}

impl<V: Copy> RawOutput<V> {
    pub(super) fn new(value: V) -> RawOutput<V> {
        RawOutput { at_ns: 0, name: [0; NAME_SIZE], n_values: 0, values: [value; VALUES_MAX] }
    }
}

/// A text up to its zero, or all of it.
pub(super) fn name_of(text: &[c_char]) -> String {
    let bytes: Vec<u8> =
        text.iter().map(|c| c.cast_unsigned()).take_while(|byte| *byte != 0).collect();
    String::from_utf8_lossy(&bytes).into_owned()
}

type System = *mut c_void;
type Name = *const c_char;

/// The entry points, by the names of their fields. Those that a library need not have are there if it has
/// them and says so.
pub(super) struct Entries {
    pub(super) new: unsafe extern "C" fn(i32, *const *const c_char) -> System,
    pub(super) delete: unsafe extern "C" fn(System),
    pub(super) reset: unsafe extern "C" fn(System) -> i32,
    pub(super) input: Option<unsafe extern "C" fn(System, u64, Name, *const i32, i32) -> i32>,
    pub(super) advance: Option<unsafe extern "C" fn(System, u64, *mut RawOutput<i32>) -> i32>,
    pub(super) next: Option<unsafe extern "C" fn(System) -> u64>,
    pub(super) input_typed:
        Option<unsafe extern "C" fn(System, u64, Name, *const RawValue, i32) -> i32>,
    pub(super) advance_typed:
        Option<unsafe extern "C" fn(System, u64, *mut RawOutput<RawValue>) -> i32>,
    pub(super) set: Option<unsafe extern "C" fn(System, u64, Name, *const RawValue) -> i32>,
    pub(super) step: Option<unsafe extern "C" fn(System, u64, *mut RawPort, i32) -> i32>,
    pub(super) read: Option<unsafe extern "C" fn(System, u64, Name, *mut RawValue) -> i32>,
    pub(super) problem: Option<unsafe extern "C" fn() -> Name>,
}

impl Entries {
    /// The entry points of a library, or why it can not be used.
    pub(super) fn find(library: &libloading::Library) -> Result<Self, String> {
        // SAFETY: the functions have the types that the header gives them; these two need no system.
        let (version, can) = unsafe {
            let protocol: unsafe extern "C" fn() -> i32 = entry(library, "punctual_protocol")?;
            let version = protocol();
            let can = match optional::<unsafe extern "C" fn() -> i32>(library, "punctual_can") {
                Some(can) if version > 1 => can(),
                _ => 0,
            };
            (version, can)
        };
        if !PROTOCOLS.contains(&version) {
            let [first, last] = PROTOCOLS;
            return Err(format!(
                "it was made for version {version} of punctual.h, not {first} or {last}"
            ));
        }
        let (is_first, can) = (version == 1, |what: i32| can & what != 0);
        // SAFETY: the types are those of the header.
        unsafe {
            Ok(Self {
                new: entry(library, "punctual_new")?,
                delete: entry(library, "punctual_delete")?,
                reset: entry(library, "punctual_reset")?,
                input: either(library, "punctual_input", is_first)?,
                advance: either(library, "punctual_advance", is_first)?,
                next: either(library, "punctual_next", is_first)?,
                input_typed: said(library, "punctual_input_typed", can(CAN_TYPED))?,
                advance_typed: said(library, "punctual_advance_typed", can(CAN_TYPED))?,
                set: said(library, "punctual_set", can(CAN_SET))?,
                step: said(library, "punctual_step", can(CAN_STEP))?,
                read: said(library, "punctual_read", can(CAN_READ))?,
                problem: optional(library, "punctual_problem"),
            })
        }
    }
}

/// An entry point of a library.
///
/// # Safety
/// `F` must be the type of that function, and the library must outlive what is returned.
unsafe fn entry<F: Copy>(library: &libloading::Library, name: &str) -> Result<F, String> {
    // SAFETY: see above.
    let found = unsafe { optional(library, name) };
    found.ok_or_else(|| format!("it has no function `{name}`"))
}

/// An entry point that may be missing.
///
/// # Safety
/// As with [`entry`].
unsafe fn optional<F: Copy>(library: &libloading::Library, name: &str) -> Option<F> {
    // SAFETY: see above.
    let symbol: Result<Symbol<'_, F>, _> = unsafe { library.get(name) };
    symbol.map(|symbol| *symbol).ok()
}

/// An entry point that may be missing, unless it is needed.
///
/// # Safety
/// As with [`entry`].
unsafe fn either<F: Copy>(
    library: &libloading::Library,
    name: &str,
    is_needed: bool,
) -> Result<Option<F>, String> {
    // SAFETY: see above.
    match unsafe { optional(library, name) } {
        None if is_needed => Err(format!("it has no function `{name}`")),
        found => Ok(found),
    }
}

/// An entry point that is looked for only if the library says that it has it.
///
/// # Safety
/// As with [`entry`].
unsafe fn said<F: Copy>(
    library: &libloading::Library,
    name: &str,
    is_said: bool,
) -> Result<Option<F>, String> {
    if !is_said {
        return Ok(None);
    }
    // SAFETY: see above.
    match unsafe { optional(library, name) } {
        None => Err(format!("it has no function `{name}`, although punctual_can says so")),
        found => Ok(found),
    }
}
