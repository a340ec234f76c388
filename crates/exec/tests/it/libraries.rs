//! Shared libraries: with typed values and ports, of version 1, hosted by a program, and such that break
//! the rules.

use std::{
    net::{TcpListener, TcpStream},
    path::{Path, PathBuf},
    sync::{Arc, OnceLock},
    thread,
};

use punctual_exec::{Endpoint, Library, Limits, Seen, Sut, SutError, Tcp, Timekeeping, hosted};
use punctual_model::{
    Action, Carried, Direction, Interface, PortRole, Rational, Reading, Signal, Value, ValueType,
};
use punctual_sdk::serve;

use crate::{
    coffee::check,
    inside::{error_of, lamp},
    support::*,
};

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

/// A library with everything that the header has.
fn typed() -> &'static Path {
    static TYPED: OnceLock<PathBuf> = OnceLock::new();
    TYPED.get_or_init(|| {
        let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("libtyped.so");
        let options = ["-shared", "-fPIC", "-DPUNCTUAL_LIBRARY"];
        compile(&["crates/sdk/test_data/typed.c"], &options, &target);
        target
    })
}

fn mode() -> ValueType {
    ValueType::Enum(vec!["Idle".into(), "Busy".into()])
}

fn typed_interface() -> Arc<Interface> {
    let mut interface = with_ports(
        &[("break", Direction::Input, &[]), ("other", Direction::Input, &[])],
        &[
            ("x", PortRole::Input, ValueType::Real),
            ("on", PortRole::Input, ValueType::Bool),
            ("mode", PortRole::Input, mode()),
            ("sum", PortRole::Output, ValueType::Real),
            ("big", PortRole::Output, ValueType::Bool),
            ("whole", PortRole::Observed, ValueType::INT),
            ("nothing", PortRole::Observed, ValueType::Real),
            ("missing", PortRole::Observed, ValueType::Real),
        ],
    );
    for (name, direction) in [("say", Direction::Input), ("said", Direction::Output)] {
        let types = [ValueType::Bool, ValueType::INT, ValueType::Real, mode()];
        let values = types.map(|ty| Carried { name: "v".into(), ty }).to_vec();
        interface.signals.push(Signal { name: name.into(), direction, values });
    }
    Arc::new(interface)
}

fn real(above: i128, below: i128) -> Value {
    Value::Real(Rational::new(above, below))
}

/// What the typed library does, however it is reached. Its errors end in these words.
fn check_typed(mut sut: impl Sut) {
    let interface = typed_interface();
    let port = |name: &str| interface.port(name).unwrap();
    for _ in 0..2 {
        sut.reset().unwrap();
        let values = vec![Value::Bool(true), Value::Int(1 << 40), real(1, 10), Value::Enum(1)];
        let say = Action { signal: interface.signal("say").unwrap(), values };
        sut.input(&say).unwrap();
        let Seen::Output { action, at_ns: 5, .. } = sut.wait(9).unwrap() else {
            panic!("nothing was said")
        };
        assert_eq!(action.values, say.values);
        assert_eq!(sut.wait(9), Ok(Seen::Quiet));
        // An exact fraction is a text, and a number all the same.
        let inputs = [real(1, 4), Value::Bool(true), Value::Enum(1)];
        assert_eq!(sut.step(&inputs).unwrap().0, [real(1, 4), Value::Bool(false)]);
        let inputs = [real(20, 1), Value::Bool(true), Value::Enum(0)];
        assert_eq!(sut.step(&inputs).unwrap().0, [real(81, 4), Value::Bool(true)]);
        let set = Reading { values: vec![(port("x"), real(1, 3))] };
        sut.set(&set).unwrap();
        assert_eq!(sut.read(&[port("x")]).unwrap().0, set);
        let whole = sut.read(&[port("whole")]).unwrap().0;
        assert_eq!(whole.values, [(port("whole"), Value::Int(0))]);
    }
    let mut error = |act: &mut dyn FnMut(&mut dyn Sut) -> Option<SutError>| {
        sut.reset().unwrap();
        let error = act(&mut sut).unwrap().to_string();
        assert_eq!(sut.wait(5), Err(SutError::NotReset));
        error
    };
    // An input and its answer are on their way while the tester goes on.
    let input = |sut: &mut dyn Sut, name: &str| {
        sut.input(&action(&interface, name, &[])).and_then(|_| sut.settle()).err()
    };
    let broken = error(&mut |sut| input(sut, "break"));
    assert!(broken.contains("failed to take an input: no \"beans\""), "{broken}");
    let unknown = error(&mut |sut| input(sut, "other"));
    assert!(unknown.ends_with("has no input `other`"), "{unknown}");
    let missing = error(&mut |sut| sut.read(&[port("missing")]).err());
    assert!(missing.contains("`missing`"), "{missing}");
    let infinite = error(&mut |sut| sut.read(&[port("nothing")]).err());
    assert!(infinite.contains("inf"), "{infinite}");
}

#[test]
fn typed_libraries() {
    let open = |arguments: &[String]| {
        let (clock, limits) = (Timekeeping::Virtual, Limits::default());
        Library::open(typed(), arguments, typed_interface(), clock, limits)
    };
    check_typed(open(&[]).unwrap());
    let refused = open(&["argument".into()]).err().unwrap().to_string();
    assert!(refused.ends_with("could not be started: no \"beans\""), "{refused}");
}

/// A library that a program serves: one connection after the other.
fn hosts(library: &'static Path, arguments: &'static [&'static str]) -> Endpoint {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    thread::spawn(move || {
        let arguments: Vec<String> = arguments.iter().map(|it| (*it).to_owned()).collect();
        for stream in listener.incoming() {
            let stream: TcpStream = stream.unwrap();
            // What goes wrong is told to the tester.
            let _ = serve::tcp(hosted(library, &arguments).unwrap(), stream);
        }
    });
    Endpoint::Connect(address)
}

#[test]
fn hosted_libraries() {
    let clock = Timekeeping::Virtual;
    let endpoint = hosts(typed(), &[]);
    check_typed(Tcp::new(endpoint, typed_interface(), clock, Limits::default()));
    let endpoint = hosts(&compiled().1, &["40", "20"]);
    check(Tcp::new(endpoint, coffee(), clock, Limits::default()));
    let error = hosted(Path::new("no-such-library.so"), &[]).err().unwrap();
    assert!(matches!(error, SutError::NotStarted { .. }), "{error}");
}

/// Values that a library without types can not take, and ports that it has not.
#[test]
fn libraries_of_integers() {
    let text = format!(
        "{HEADER}int32_t punctual_protocol(void) {{ return 1; }}{REST}
         int32_t punctual_can(void) {{ return 15; }}
         int32_t punctual_advance(void *s, uint64_t u, punctual_output *o) {{
             (void)s, (void)u, (void)o; return 0; }}"
    );
    let (clock, limits) = (Timekeeping::Virtual, Limits::default());
    let path = library("integers", &text);
    let mut sut = Library::open(&path, &[], typed_interface(), clock, limits).unwrap();
    let interface = typed_interface();
    let values = vec![Value::Bool(true), Value::Int(1), real(1, 10), Value::Enum(1)];
    let say = Action { signal: interface.signal("say").unwrap(), values };
    sut.reset().unwrap();
    let error = sut.input(&say).unwrap_err();
    assert!(error.to_string().contains("a value is no integer of 32 bits"), "{error}");
    assert_eq!(error.cause(), None);
    sut.reset().unwrap();
    let error = sut.read(&[interface.port("whole").unwrap()]).unwrap_err();
    assert!(error.to_string().contains("this system can not be asked for `whole`"), "{error}");
}

/// Of version 2, almost everything may be left out; but what is promised must be there.
#[test]
fn small_libraries_of_version_two() {
    let small = "
        int32_t punctual_protocol(void) { return 2; }
        static int it;
        void *punctual_new(int32_t argc, const char *const *argv) { (void)argc, (void)argv; return &it; }
        void punctual_delete(void *s) { (void)s; }
        int32_t punctual_reset(void *s) { (void)s; return 0; }";
    let mut sut = open(&library("small", &format!("{HEADER}{small}"))).unwrap();
    sut.reset().unwrap();
    assert_eq!(sut.wait(10), Ok(Seen::Quiet));
    let error = sut.input(&action(&lamp(), "touch", &[])).unwrap_err().to_string();
    assert!(error.ends_with("has no input `touch`"), "{error}");
    for (can, name) in
        [(1, "step"), (2, "set"), (4, "read"), (8, "input_typed"), (15, "input_typed")]
    {
        let text = format!("{HEADER}{small}\nint32_t punctual_can(void) {{ return {can}; }}");
        let error = open(&library(&format!("promises_{can}"), &text)).err().unwrap().to_string();
        let expected =
            format!("it has no function `punctual_{name}`, although punctual_can says so");
        assert!(error.ends_with(&expected), "{error}");
    }
    let steps = "
        int32_t punctual_can(void) { return 1; }
        int32_t punctual_step(void *s, uint64_t at, punctual_port *o, int32_t n) {
            (void)s, (void)at; o[0] = punctual_named(\"sum\", punctual_real(1)); ANSWER }";
    for (i, (answer, expected)) in [
        ("return n + 1;", "a step gave 1025 outputs; a step has at most 1024"),
        ("(void)n; return -1;", "failed to take a step: it does not say why"),
        ("(void)n; return 1;", "a step gave no `big`; it had to give all outputs"),
        (
            "(void)n; o[0].value.kind = 9; return 1;",
            "a value of kind 9 came; kinds are from 1 to 4",
        ),
    ]
    .into_iter()
    .enumerate()
    {
        let text = format!("{HEADER}{small}{}", steps.replace("ANSWER", answer));
        let path = library(&format!("steps_{i}"), &text);
        let interface = with_ports(
            &[],
            &[("sum", PortRole::Output, ValueType::Real), ("big", PortRole::Output, SMALL)],
        );
        let (clock, limits) = (Timekeeping::Virtual, Limits::default());
        let mut sut = Library::open(&path, &[], Arc::new(interface), clock, limits).unwrap();
        sut.reset().unwrap();
        let error = sut.step(&[]).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
}

/// Set in a process of its own, whose stdout is not that of the tests.
#[cfg(unix)]
const PRINTS: &str = "PUNCTUAL_TEST_PRINTS";

#[cfg(unix)]
#[test]
fn what_is_printed_is_no_message() {
    use std::io::Write;
    if std::env::var_os(PRINTS).is_some() {
        let mut messages = punctual_exec::own_stdout().unwrap();
        println!("printed");
        writeln!(messages, "a message").unwrap();
        return;
    }
    let mut host = std::process::Command::new(std::env::current_exe().unwrap());
    host.args(["libraries::what_is_printed_is_no_message", "--exact", "--nocapture"]);
    let output = host.env(PRINTS, "1").output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
    assert!(stdout.contains("a message") && !stdout.contains("printed"), "{stdout}");
    assert!(stderr.contains("printed") && !stderr.contains("a message"), "{stderr}");
}
