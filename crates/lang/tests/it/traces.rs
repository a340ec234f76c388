//! Traces of others: what is read, and what is said about what is not.

mod laws;

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use punctual_lang::{
    diagnostic::Style,
    traces::{Format, Item, Options, Reader, TraceError, Unit, read_all},
};
use punctual_model::{
    Carried, Direction, Event, Happening, IdVec, Interface, Port, PortRole, Signal, TimeScale,
    Trace, ValueType,
};

/// A lamp that is touched and shines, and of which two things can be read.
pub(crate) fn lamp() -> Interface {
    let mut signals = IdVec::new();
    let mut signal = |name: &str, direction, values: &[&str]| {
        let ty = ValueType::Int { least: 0, greatest: 10 };
        let carried = |name: &&str| Carried { name: (*name).to_owned(), ty: ty.clone() };
        let values = values.iter().map(carried).collect();
        signals.push(Signal { name: name.to_owned(), direction, values });
    };
    signal("grasp", Direction::Input, &[]);
    signal("release", Direction::Input, &[]);
    signal("level", Direction::Output, &["adapLevel"]);
    signal("say \"hi\"", Direction::Output, &["x", "y"]);
    let names = ["Off", "On"].map(str::to_owned).to_vec();
    let ports = [("qc", ValueType::INT), ("Lamp.location", ValueType::Enum(names))];
    let observed = |(name, ty): (&str, ValueType)| Port {
        name: name.to_owned(),
        ty,
        role: PortRole::Observed,
    };
    Interface {
        signals,
        ports: ports.into_iter().map(observed).collect(),
        ..Interface::new(TimeScale { unit_ns: 1_000_000, resolution: 1 })
    }
}

/// A system that takes steps, with a value of each type.
fn plant() -> Interface {
    let small = ValueType::Int { least: 0, greatest: 9 };
    let names = ["Off", "On"].map(str::to_owned).to_vec();
    let ports = [
        ("go", ValueType::Bool, PortRole::Input),
        ("n", small.clone(), PortRole::Input),
        ("y", ValueType::Real, PortRole::Output),
        ("mode", ValueType::Enum(names), PortRole::Output),
        ("memory", small, PortRole::Observed),
    ];
    let port = |(name, ty, role): (&str, _, _)| Port { name: name.to_owned(), ty, role };
    let mut interface = Interface::new(TimeScale { unit_ns: 1_000, resolution: 1 });
    interface.ports = ports.into_iter().map(port).collect();
    interface
}

/// The only caller of the readers here: reading piece by piece gives what reading at once does.
fn read(
    name: &str,
    bytes: &[u8],
    interface: &Interface,
    options: Options,
) -> Result<Vec<Trace>, TraceError> {
    let whole = read_all(name, bytes, interface, options);
    // A source that gives one byte at a time.
    let slow = std::io::BufReader::with_capacity(1, bytes);
    let items = Reader::new(name, slow, interface, options);
    let items = items.and_then(|reader| reader.collect::<Result<Vec<Item>, _>>());
    match (&whole, &items) {
        (Ok(traces), Ok(items)) => {
            let n_events = traces.iter().map(|trace| trace.events.len()).sum::<usize>();
            let is_event = |item: &&Item| matches!(item, Item::Event(_));
            assert_eq!(items.iter().filter(is_event).count(), n_events);
            let end_ns = traces.last().map(|trace| trace.end_ns);
            assert_eq!(items.last(), end_ns.map(Item::End).as_ref());
        }
        (Err(one), Err(other)) => assert_eq!(one.to_string(), other.to_string()),
        _ => panic!("{whole:?} is not {items:?}"),
    }
    whole
}

fn shown(traces: &[Trace], interface: &Interface) -> String {
    let mut out = String::new();
    for trace in traces {
        for Event { what, from_ns, to_ns, device_ns } in &trace.events {
            let _ = match from_ns == to_ns {
                true => write!(out, "{from_ns:>12} ns             "),
                false => write!(out, "{from_ns:>12} to {to_ns:>9} ns"),
            };
            let kind = match what {
                Happening::Signal(_) => "",
                Happening::Set(_) => "set ",
                Happening::Reading(_) => "read ",
                Happening::Step(_) => "step ",
            };
            let _ = write!(out, "  {kind}{}", interface.happening_text(what));
            if let Happening::Step(step) = what {
                let _ = write!(out, " from {:?}", step.inputs);
            }
            if let Some(device_ns) = device_ns {
                let _ = write!(out, " (at {device_ns} ns by its own clock)");
            }
            out.push('\n');
        }
        let _ = writeln!(out, "{:>12} ns  end", trace.end_ns);
    }
    out
}

fn check(path: &Path) -> String {
    let name = path.file_name().unwrap().to_str().unwrap();
    let folder = path.parent().unwrap();
    let folder = folder.file_name().unwrap().to_str().unwrap();
    let interface = if folder.starts_with("steps") { plant() } else { lamp() };
    let result = read(name, &fs::read(path).unwrap(), &interface, Options::default());
    assert_eq!(result.is_ok(), folder.ends_with("accepted"), "{name}: {result:?}");
    match result {
        Ok(traces) => shown(&traces, &interface),
        Err(error) => error.render(Style::Plain).trim_end().to_owned(),
    }
}

#[test]
fn accepted() {
    insta::glob!("../../test_data/traces", "*accepted/*.*", |path| {
        insta::assert_snapshot!(check(path));
    });
}

#[test]
fn rejected() {
    let mut all = Vec::new();
    for folder in ["rejected", "steps_rejected"] {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("test_data/traces").join(folder);
        let mut paths: Vec<_> =
            fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        paths.sort();
        all.extend(paths.iter().map(|path| check(path)));
    }
    insta::assert_snapshot!(all.join("\n\n"));
}

#[test]
fn an_output_may_be_seen_while_an_input_is_handed_over() {
    let text = b"{\"from\":10,\"to\":20,\"input\":\"grasp\"}\n{\"at\":15,\"output\":\"level\",\"values\":[1]}\n";
    let options = Options { unit: Some(Unit::Nanoseconds), ..Options::default() };
    let traces = read("t.jsonl", text, &lamp(), options).unwrap();
    assert_eq!((traces[0].events[1].to_ns, traces[0].end_ns), (15, 20));
}

#[test]
fn the_caller_may_say_format_and_unit() {
    let options =
        Options { format: Some(Format::Csv), unit: Some(Unit::Model), ..Options::default() };
    let traces = read("measured.txt", b"time,signal\n3,grasp\n", &lamp(), options).unwrap();
    assert_eq!(traces[0].end_ns, 3_000_000);
}

/// With a period, steps without changes are there, too.
#[test]
fn steps_of_a_dump_by_a_period() {
    let text =
        b"$timescale 1us $end $var wire 1 # go $end $var wire 4 $ n $end $var real 64 % y $end \
        $var string 1 & mode $end $enddefinitions $end\n#2 0# b1 $ r1 % sOff &\n#25 1#\n#30\n";
    let options = Options { period_ns: Some(10_000), ..Options::default() };
    let traces = read("t.vcd", text, &plant(), options).unwrap();
    let instants: Vec<u64> = traces[0].events.iter().map(|event| event.from_ns).collect();
    // None at 0, where nothing has a value, and none at the end.
    assert_eq!(instants, [10_000, 20_000]);
    let all = read("t.vcd", text, &plant(), Options::default()).unwrap();
    assert_eq!(all[0].events.len(), 2);
}

/// Tables of tests may leave the outputs out.
#[test]
fn steps_without_outputs() {
    let options =
        Options { outputs_may_be_missing: true, period_ns: Some(5), ..Options::default() };
    let traces = read("t.csv", b"go,n\n1,2\n0,3\n\n1,4\n", &plant(), options).unwrap();
    assert_eq!(traces.len(), 2);
    assert_eq!((traces[0].end_ns, traces[1].end_ns), (10, 5));
    assert!(read("t.csv", b"go,n,y\n1,2,3\n", &plant(), options).is_err(), "all or none");
    assert!(read("t.csv", b"go,n\n1,2\n", &plant(), Options::default()).is_err());
}
