//! What all fuzz targets check, and how they change texts.

#[path = "../../crates/lang/tests/it/random/mutate.rs"]
mod mutate;

use libfuzzer_sys::Corpus;
use punctual_lang::{
    Input, Model, Reading, SourceFile, Span, convert,
    diagnostic::{Diagnostic, Style, render},
    format::{self, Format},
    json, lustre, suite, tchecker, testing, traces,
    uppaal::{xml, xta},
    usecases,
};
use punctual_model::{
    Carried, Direction, Interface, Network, Port, PortRole, Process, Signal, TimeScale, ValueType,
};

use mutate::{Random, mutate};

/// Reads a file that looks like one of `format`; others are left to their own target.
pub fn read_as(format: Format, name: &str, bytes: &[u8]) -> Corpus {
    if format::detect(name, &String::from_utf8_lossy(bytes)) != Some(format) {
        return Corpus::Reject;
    }
    check(&punctual_lang::read(name, bytes));
    Corpus::Keep
}

/// Asserts what holds of every reading, whatever the file.
pub fn check(reading: &Reading) {
    let has_errors = reading.diagnostics.iter().any(Diagnostic::is_error);
    assert_eq!(reading.model.is_none(), has_errors, "either a model or an error");
    check_diagnostics(&reading.diagnostics, &reading.file);
    if let Some(file) = &reading.query_file {
        check_diagnostics(&reading.query_diagnostics, file);
    }
    let Some(model) = &reading.model else { return };
    for query in &model.queries {
        let file = match query.from_query_file {
            true => reading.query_file.as_ref().expect("a query comes from some file"),
            false => &reading.file,
        };
        check_span(query.span, file);
        check_diagnostics(&query.diagnostics, file);
        let has_errors = query.diagnostics.iter().any(Diagnostic::is_error);
        assert_eq!(query.property.is_none(), has_errors, "either a property or an error");
    }
    for process in model.source_map.processes.iter() {
        for &span in process.locations.iter().chain(&process.edges) {
            check_span(span, &reading.file);
        }
    }
}

/// Something of everything that an interface can speak of.
const TESTED: &str = "\
const int N = 3; typedef int[1,N] id_t; chan coin, req, cup, ask[id_t], grid[2][2];
int[0,5] amount; bool big; double weight; meta int scratch; clock t;
int[0,9] level[id_t]; struct { int[0,3] a; int b[2]; } pair; const int table[2] = {1, 2};
process User(const id_t id) { int own; state U; init U;
    trans U -> U { sync coin!; assign amount = table[0], own = level[id], big = pair.a == 1; },
        U -> U { sync ask[id]!; assign weight = 1.0, scratch = 1, t = 0, pair.b[0] = 1; }; }
process Machine() { state M; init M; trans M -> M { sync coin?; }, M -> M { sync req?; },
        M -> M { sync cup!; }, M -> M { select i : id_t; sync ask[i]?; }; }
system User, Machine;
";

/// Reads a file about tests of a small model; what is read can be written and read again.
pub fn read_interface(name: &str, bytes: &[u8]) {
    static NETWORK: std::sync::LazyLock<Network> = std::sync::LazyLock::new(|| {
        let reading = punctual_lang::read("model.xta", TESTED.as_bytes());
        reading.model.expect("the model is accepted").network
    });
    let reading = testing::read(&NETWORK, Input { name, bytes });
    let has_errors = reading.diagnostics.iter().any(Diagnostic::is_error);
    assert_eq!(reading.value.is_none(), has_errors, "either a configuration or an error");
    check_diagnostics(&reading.diagnostics, &reading.file);
    let Some(config) = reading.value else { return };
    let printed = testing::print(&NETWORK, &config);
    let again = testing::read(&NETWORK, Input { name: "a.toml", bytes: printed.as_bytes() });
    assert_eq!(again.value, Some(config), "{printed}");
}

/// Reads a Lustre program; what is read can be written and read again.
pub fn read_lustre(bytes: &[u8]) {
    let reading = lustre::read(Input { name: "model.lus", bytes }, None);
    check_reading(&reading);
    let Some(program) = reading.value else { return };
    let written = lustre::write(&program);
    let again = lustre::read(Input { name: "again.lus", bytes: written.as_bytes() }, None);
    let program = again.value.unwrap_or_else(|| panic!("{:?}\n{written}", again.diagnostics));
    assert!(lustre::write(&program).len() <= 2 * written.len() + 1000, "{written}");
}

/// Something of everything that tolerances and tables can speak of.
const STEPPED: &str = "\
type mode = enum { Off, On }; type pair = struct { a: int; b: real^2 };
node inner(x: int) returns (y: int); let y = x + 1; tel
node main(x: int; t: real; b: bool; m: mode; p: pair) returns (y: int);
let y = inner(x + 1); tel";

/// Reads files about a small Lustre program: tolerances, tables, one expression, and a platform.
pub fn read_about_lustre(bytes: &[u8]) {
    static PROGRAM: std::sync::LazyLock<punctual_model::lustre::Program> =
        std::sync::LazyLock::new(|| {
            let input = Input { name: "model.lus", bytes: STEPPED.as_bytes() };
            lustre::read(input, None).value.expect("the program is accepted")
        });
    let Some((kind, bytes)) = bytes.split_first() else { return };
    let input = Input { name: "file", bytes };
    match kind % 5 {
        0 => check_reading(&lustre::expression(input, &mut PROGRAM.clone())),
        1 => {
            let reading = lustre::traces::read_csv(input, &PROGRAM);
            check_reading(&reading);
            let Some(table) = reading.value else { return };
            let text = lustre::traces::write_csv(&PROGRAM, &table);
            let input = Input { name: "again", bytes: text.as_bytes() };
            assert_eq!(lustre::traces::read_csv(input, &PROGRAM).value, Some(table), "{text}");
        }
        2 => {
            let reading = lustre::traces::read_jsonl(input, &PROGRAM);
            check_reading(&reading);
            let Some(table) = reading.value else { return };
            let text = lustre::traces::write_jsonl(&PROGRAM, &table);
            let input = Input { name: "again", bytes: text.as_bytes() };
            assert_eq!(lustre::traces::read_jsonl(input, &PROGRAM).value, Some(table), "{text}");
        }
        3 => check_reading(&lustre::tolerances(input, &PROGRAM)),
        _ => check_reading(&punctual_lang::platform::read(&PROGRAM, input)),
    }
}

/// A folder with something of everything; a fuzzed file takes the place of one of its files.
const REQUIREMENTS: [(&str, &str); 3] = [
    (
        "a.md",
        "## Use Case: A\n### Basic Flow\n1. The system REQUESTS level FROM the room.\n\
         2. The system VALIDATES THAT the room is warm.\nPostcondition: The lamp is on.\n\
         ### Specific Alternative Flow - X\nRFS 2\n1. The system sets Lamp as on.\n2. RESUME STEP 1.\n\
         Postcondition: The lamp is on.\n",
    ),
    (
        "a.puml",
        "enum Mode { Off, On }\nabstract class Thing { on: Boolean }\nclass Lamp extends Thing { mode: Mode }\n\
         class Room { level: Integer\n warmth: Real }\nRoom \"room\" -- \"lamps 0..*\" Lamp\n",
    ),
    ("a.ocl", "-- \"the room is warm\"\ncontext Room inv: level > 3\n-- \"the lamp is on\"\ncontext Lamp inv: on\n"),
];

/// Reads a folder of use cases in which one file, told by its suffix, is replaced.
pub fn read_requirements(suffix: &str, bytes: &[u8]) {
    let mut inputs: Vec<Input<'_>> =
        REQUIREMENTS.iter().map(|(name, text)| Input { name, bytes: text.as_bytes() }).collect();
    let input = inputs.iter_mut().find(|input| input.name.ends_with(suffix)).expect("a known suffix");
    input.bytes = bytes;
    let folder = usecases::read(&inputs);
    let mut has_errors = false;
    for source in &folder.sources {
        has_errors |= source.diagnostics.iter().any(Diagnostic::is_error);
        check_diagnostics(&source.diagnostics, &source.file);
    }
    assert_eq!(folder.value.is_none(), has_errors, "either a value or an error");
    for open in &folder.open {
        check_span(open.span, &folder.sources[open.file].file);
    }
}

fn check_reading<T>(reading: &lustre::Reading<T>) {
    let has_errors = reading.diagnostics.iter().any(Diagnostic::is_error);
    assert_eq!(reading.value.is_none(), has_errors, "either a value or an error");
    check_diagnostics(&reading.diagnostics, &reading.file);
}

/// A lamp that is touched and shines, with ports of all types.
fn lamp() -> Interface {
    let names = ValueType::Enum(vec!["Off".to_owned(), "On".to_owned()]);
    let mut lamp = Interface::new(TimeScale { unit_ns: 1_000_000, resolution: 1 });
    for (name, direction, types) in [
        ("grasp", Direction::Input, vec![]),
        ("dim", Direction::Input, vec![ValueType::Bool, ValueType::Real, names.clone()]),
        ("level", Direction::Output, vec![ValueType::Int { least: 0, greatest: 10 }]),
    ] {
        let carried = |(at, ty)| Carried { name: format!("v{at}"), ty };
        let values = types.into_iter().enumerate().map(carried).collect();
        lamp.signals.push(Signal { name: name.to_owned(), direction, values });
    }
    for (name, ty, role) in [
        ("go", ValueType::Bool, PortRole::Input),
        ("n", ValueType::INT, PortRole::Input),
        ("y", ValueType::Real, PortRole::Output),
        ("mode", names, PortRole::Observed),
        ("Lamp.location", ValueType::INT, PortRole::Observed),
    ] {
        lamp.ports.push(Port { name: name.to_owned(), ty, role });
    }
    lamp
}

/// Reads a trace of a lamp; the first byte chooses the format and what the file leaves open. What is read
/// can be written and read again.
pub fn read_trace(bytes: &[u8]) {
    static LAMP: std::sync::LazyLock<Interface> = std::sync::LazyLock::new(lamp);
    let Some((first, bytes)) = bytes.split_first() else { return };
    let formats = traces::Format::ALL.map(|(_, format)| Some(format));
    let options = traces::Options {
        format: formats.get(usize::from(first % 5)).copied().flatten(),
        unit: (first & 0x40 != 0).then_some(traces::Unit::Milliseconds),
        period_ns: (first & 0x80 != 0).then_some(1_000_000_000),
        outputs_may_be_missing: false,
    };
    // The many steps of a dump with a period are not all needed.
    const ITEMS_MAX: usize = 10_000;
    let mut items = Vec::new();
    let reader = traces::Reader::new("trace", bytes, &LAMP, options);
    let found = reader.and_then(|reader| {
        reader.take(ITEMS_MAX).try_for_each(|item| item.map(|item| items.push(item)))
    });
    if let Err(error) = found {
        let n_lines = bytes.split(|byte| *byte == b'\n').count() as u64;
        assert!((1..=n_lines).contains(&error.line()), "{error}");
        check_span(error.diagnostic.span, &error.excerpt);
        assert!(!error.render(Style::Plain).is_empty());
        return;
    }
    if items.len() == ITEMS_MAX {
        return;
    }
    let mut text = Vec::new();
    let mut writer = traces::Writer::new(&LAMP, &mut text).expect("it is written to memory");
    items.iter().for_each(|item| writer.write(item).expect("it is written to memory"));
    let again = traces::Reader::new("again.jsonl", &text[..], &LAMP, traces::Options::default());
    let again = again.and_then(Iterator::collect::<Result<Vec<_>, _>>);
    let events = |items: &[traces::Item]| {
        let is_event = |item: &&traces::Item| !matches!(item, traces::Item::Quiet(_));
        items.iter().filter(is_event).cloned().collect::<Vec<_>>()
    };
    match again {
        Ok(again) => assert_eq!(events(&again), events(&items)),
        // The sum of several traces may be more than can be counted.
        Err(error) => assert!(items.iter().any(|it| matches!(it, traces::Item::Restart(_))), "{error}"),
    }
}

/// Reads a suite for a lamp; what is read can be written and read again.
pub fn read_suite(bytes: &[u8]) {
    static LAMP: std::sync::LazyLock<Interface> = std::sync::LazyLock::new(lamp);
    let read = |name: &str, bytes: &[u8]| {
        let mut load = |path: &str| match path {
            "tests.csv" => Ok(b"go,n\n1,2\n\n0,3\n".to_vec()),
            _ => Err("there is no such file".to_owned()),
        };
        suite::read(Input { name, bytes }, &LAMP, None, &mut load)
    };
    let reading = read("suite.toml", bytes);
    check_reading(&reading);
    let Some(suite) = reading.value else { return };
    let written = suite::write(&LAMP, &suite);
    assert_eq!(read("again.toml", written.as_bytes()).value, Some(suite), "{written}");
}

fn check_diagnostics(diagnostics: &[Diagnostic], file: &SourceFile) {
    for diagnostic in diagnostics {
        check_span(diagnostic.span, file);
        diagnostic.related.iter().for_each(|&(span, _)| check_span(span, file));
        assert!(!render(diagnostic, file, Style::Plain).is_empty());
    }
}

fn check_span(span: Span, file: &SourceFile) {
    assert!(file.text.get(span.range()).is_some(), "{span:?} is no part of the file");
}

/// Writes a model in each format that can say it; what is read back must be the same network.
pub fn round_trips(model: &Model) {
    let network = &model.network;
    json::validate(network).expect("what is read is valid");
    same(network, &json::write(network), "again.json");
    if let Ok(lowered) = convert::to_vectors(network) {
        json::validate(&lowered).expect("what is converted is valid");
        if let Ok(text) = tchecker::write(&lowered) {
            same(&lowered, &text, "again.tck");
        }
    }
    if let Some(document) = &model.document {
        same(network, &xml::write(document), "again.xml");
        if let Ok(written) = xta::write(document) {
            same(network, &written.text, "again.xta");
        }
        return;
    }
    let Ok(mut lowered) = convert::to_channels(network) else { return };
    json::validate(&lowered).expect("what is converted is valid");
    // Labels become comments, which are not read back.
    for process in lowered.processes.iter_mut() {
        process.locations.iter_mut().for_each(|location| location.labels.clear());
    }
    let Ok(document) = convert::to_document(&lowered) else { return };
    let text = xml::write(&document);
    let again = read_back(&text, "again.xml");
    let shape = |network: &Network| -> Vec<_> {
        let sizes = |process: &Process| (process.locations.len(), process.edges.len());
        network.processes.iter().map(sizes).collect()
    };
    assert_eq!(shape(&again), shape(&lowered), "another network is read back:\n{text}");
    // Names may have changed, since all scopes of a network share one; but they change once.
    // Functions are left out: one that only a query calls is not read back, and their locals may
    // be written with other ranges.
    if lowered.functions.is_empty() {
        let second = convert::to_document(&again).expect("it could be written before");
        assert_eq!(xml::write(&second), text, "a second conversion gives another file");
    }
}

fn same(expected: &Network, text: &str, name: &str) {
    assert!(read_back(text, name) == *expected, "{name} is another network:\n{text}");
}

fn read_back(text: &str, name: &str) -> Network {
    let reading = punctual_lang::read(name, text.as_bytes());
    let errors = reading.diagnostics.iter().filter(|diagnostic| diagnostic.is_error());
    let errors: Vec<_> = errors.map(|it| render(it, &reading.file, Style::Plain)).collect();
    match reading.model {
        Some(model) => model.network,
        None => panic!("what was written is not read:\n{}\n{text}", errors.join("\n")),
    }
}

/// Changes a text: half of the time token by token, half of the time byte by byte, with the words
/// of the dictionary.
pub fn mutate_text(data: &mut [u8], size: usize, max_size: usize, seed: u32) -> usize {
    let mut random = Random::new(seed);
    if random.below(2) == 0 {
        return libfuzzer_sys::fuzzer_mutate(data, size, max_size);
    }
    let mut bytes = data[..size].to_vec();
    mutate(&mut bytes, &data[..size], &mut random);
    let size = bytes.len().min(max_size);
    data[..size].copy_from_slice(&bytes[..size]);
    size
}

/// Puts pieces of one text into another.
pub fn cross_texts(one: &[u8], other: &[u8], out: &mut [u8], seed: u32) -> usize {
    let mut random = Random::new(seed);
    let mut bytes = one.to_vec();
    mutate(&mut bytes, other, &mut random);
    let size = bytes.len().min(out.len());
    out[..size].copy_from_slice(&bytes[..size]);
    size
}
