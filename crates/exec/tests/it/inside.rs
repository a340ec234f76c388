//! Systems inside of the tester that break the rules: Rust and shared libraries.

use std::path::{Path, PathBuf};

use punctual_exec::{InProcess, Library, Limits, Seen, Sut, SutError, Timekeeping};
use punctual_model::Direction;
use punctual_sdk::{
    Output, System, Value,
    threads::{Kernel, Threads},
};

use crate::support::*;

fn lamp() -> std::sync::Arc<punctual_model::Interface> {
    interface(&[("touch", Direction::Input, &[]), ("level", Direction::Output, &["brightness"])])
}

/// Does what a function says.
struct Says<F>(F);

impl<F: FnMut(u64) -> Option<Output> + Send> System for Says<F> {
    fn reset(&mut self) {}

    fn input(&mut self, _: u64, _: &str, _: &[Value]) {
        panic!("touched");
    }

    fn advance(&mut self, until_ns: u64) -> Option<Output> {
        self.0(until_ns)
    }
}

fn in_process(system: impl System + 'static) -> InProcess {
    InProcess::new(Box::new(system), lamp(), Timekeeping::Virtual, Limits::default())
}

fn level(at_ns: u64, values: &[i32]) -> Option<Output> {
    Some(Output {
        at_ns,
        name: "level".into(),
        values: values.iter().map(|value| Value::from(*value)).collect(),
    })
}

/// The first error of a system that is waited for.
fn error_of(mut sut: impl Sut) -> String {
    sut.reset().unwrap();
    let error = (0..100_000).find_map(|_| sut.wait(50).err()).unwrap();
    assert_eq!(sut.wait(50), Err(SutError::NotReset));
    error.to_string()
}

#[test]
fn rust_systems() {
    for (system, expected) in [
        (
            Box::new(|_| level(51, &[1])) as Box<dyn FnMut(u64) -> Option<Output> + Send>,
            "`level` came at 51 ns; it had to be from 0 to 50 ns",
        ),
        (
            Box::new({
                let mut at_ns = 30;
                move |_| {
                    at_ns -= 10;
                    level(at_ns, &[1])
                }
            }),
            "`level` came at 10 ns; it had to be from 20 to 50 ns",
        ),
        (Box::new(|_| level(1, &[])), "`level` came with 0 values, but it has 1 (brightness)"),
        (
            Box::new(|_| level(1, &[-1])),
            "came with brightness = -1, but the test interface declares",
        ),
        (Box::new(|_| Some(Output::new(1, "levle"))), "did you mean `level`?"),
        (Box::new(|_| level(7, &[1])), "sent more than 1000 outputs at one instant"),
        (Box::new(|_| panic!("no beans")), "ended (it panicked: no beans) when it had to let time"),
    ] {
        let error = error_of(in_process(Says(system)));
        assert!(error.contains(expected), "{error}");
    }
    let threads = Threads::new(|kernel: &Kernel| {
        kernel.spawn("lamp", |kernel| {
            kernel.sleep(20);
            panic!("too hot");
        });
        Box::new(|_, _| {})
    });
    let error = error_of(in_process(threads));
    assert!(error.contains("it panicked: thread `lamp` panicked: too hot"), "{error}");
}

#[test]
fn a_system_that_panicked_can_be_reset() {
    let mut sut = in_process(Says(|_| None));
    for _ in 0..3 {
        sut.reset().unwrap();
        assert_eq!(sut.wait(10), Ok(Seen::Quiet));
        let touch = action(&lamp(), "touch", &[]);
        assert!(matches!(sut.input(&touch), Err(SutError::Crashed { .. })));
        assert_eq!(sut.input(&touch), Err(SutError::NotReset));
    }
}

/// What the tester itself may not send.
#[test]
fn wrong_inputs_are_refused_and_change_nothing() {
    let mut sut = in_process(Says(|_| None));
    sut.reset().unwrap();
    let output = sut.input(&action(&lamp(), "level", &[1])).unwrap_err().to_string();
    assert_eq!(output, "`level` is an output: it can not be sent to the system");
    let values = sut.input(&action(&lamp(), "touch", &[1])).unwrap_err().to_string();
    assert_eq!(values, "`touch` has 0 values, not 1");
    assert_eq!(sut.wait(10), Ok(Seen::Quiet));
}

const HEADER: &str = "#include \"punctual.h\"\n#include <string.h>\n";
const REST: &str = "
    static int it;
    void *punctual_new(int32_t argc, const char *const *argv) { (void)argc, (void)argv; return &it; }
    void punctual_delete(void *s) { (void)s; }
    int32_t punctual_reset(void *s) { (void)s; return 0; }
    int32_t punctual_input(void *s, uint64_t at, const char *n, const int32_t *v, int32_t k) {
        (void)s, (void)at, (void)n, (void)v, (void)k; return -1;
    }
    uint64_t punctual_next(void *s) { (void)s; return 0; }";

/// Compiles a library from its text.
fn library(name: &str, text: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let (source, target) = (folder.join(format!("{name}.c")), folder.join(format!("{name}.so")));
    std::fs::write(&source, text).unwrap();
    // A path from the root stays what it is.
    compile(&[source.to_str().unwrap()], &["-shared", "-fPIC"], &target);
    target
}

fn open(path: &Path) -> Result<Library, SutError> {
    Library::open(path, &[], lamp(), Timekeeping::Virtual, Limits::default())
}

#[test]
fn libraries_that_do_not_fit() {
    let error = |path: &Path| open(path).err().unwrap().to_string();
    assert!(error(Path::new("no-such-library.so")).contains("it can not be loaded"));
    let empty = library("empty", "int nothing;");
    assert!(error(&empty).ends_with("it has no function `punctual_protocol`"));
    let old = format!(
        "{HEADER}int32_t punctual_protocol(void) {{ return 7; }}{REST}
         int32_t punctual_advance(void *s, uint64_t u, punctual_output *o) {{
             (void)s, (void)u, (void)o; return 0; }}"
    );
    let error = error(&library("old", &old));
    assert!(error.ends_with("it was made for version 7 of punctual.h, not 1 or 2"), "{error}");
}

#[test]
fn libraries_that_break_the_rules() {
    let make = |name: &str, advance: &str| {
        let text = format!(
            "{HEADER}int32_t punctual_protocol(void) {{ return 1; }}{REST}
             int32_t punctual_advance(void *s, uint64_t u, punctual_output *o) {{
                 (void)s, (void)u, (void)o; {advance} }}"
        );
        open(&library(name, &text)).unwrap()
    };
    for (name, advance, expected) in [
        ("fails", "return -5;", "failed to let time pass: it does not say why"),
        ("many", "strcpy(o->name, \"level\"); o->n_values = 33; return 1;", "came with 33 values"),
        ("negative", "strcpy(o->name, \"level\"); o->n_values = -1; return 1;", "at most 32"),
        ("unnamed", "return 1;", "sent ``, which is not in the test interface"),
        ("endless", "memset(o->name, 'x', sizeof o->name); return 1;", "sent `xxxxxxxxxx"),
    ] {
        let error = error_of(make(name, advance));
        assert!(error.contains(expected), "{error}");
    }
    let mut sut = make("refuses", "return 0;");
    sut.reset().unwrap();
    let error = sut.input(&action(&lamp(), "touch", &[])).unwrap_err().to_string();
    assert!(error.contains("failed to take an input"), "{error}");
}
