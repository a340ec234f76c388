//! Records of runs that nobody made: a coffee machine that fails, trains that pass, odd names.
//!
//! The models are those of the examples, so the drawings are real. `examples/pages.rs` shares this
//! file to make pages for the browser test.

use std::path::Path;

use punctual_campaign::store::{
    Allowed, Cause, Changed, Clock, Cost, Coverage, CutOff, Delay, Diagnosis, Direction,
    EdgeCoverage, End, Ending, Event, File, Header, Judged, Line, LocationCoverage, Port, Reader,
    Record, Run, Said, Sets, Signal, State, Statistics, Steered, Tolerance, UseCoverage, VERSION,
    Verdict, What, Window, Writer, hash,
};
use punctual_campaign::summary::Digest;
use punctual_report::runs::Automaton;
use punctual_report::view::matrix::{self, Matrix, Outcome};
use punctual_report::view::{self, Diagram, LabelKind};
use serde_json::{Value, json};

pub(crate) struct Sample {
    pub(crate) run: Run,
    pub(crate) bytes: Vec<u8>,
    pub(crate) automata: Vec<Automaton>,
}

impl Sample {
    pub(crate) fn record(&self) -> Record {
        Record::collect(Reader::new(&self.bytes[..], Path::new("record.jsonl")).unwrap()).unwrap()
    }

    pub(crate) fn digest(&self) -> Digest {
        Digest::of(self.run.clone(), &self.record())
    }
}

/// A record that is being made up.
struct Author {
    header: Header,
    lines: Vec<Line>,
    unit_ns: u64,
    counts: (u64, u64),
}

impl Author {
    fn new(model: &str, unit_ns: u64, seed: u64, signals: Vec<Signal>) -> Self {
        let bytes = std::fs::read(example(model)).unwrap_or_default();
        let file = model.rsplit('/').next().unwrap_or(model).to_owned();
        let words = ["punctual", "test", model, "--system", "python3 device.py"];
        let header = Header {
            record: VERSION,
            tool: "punctual 0.1.0".into(),
            command: words.map(str::to_owned).to_vec(),
            model: File { file, hash: hash(&bytes), role: "model".into() },
            files: Vec::new(),
            seed,
            run: 1,
            clock: Clock::Virtual,
            unit_ns,
            resolution: 1,
            uncertainty: Default::default(),
            signals,
            ports: Vec::new(),
            strategy: "random".into(),
            started: "2026-03-01T12:00:00Z".into(),
            machine: "linux x86_64, 4 cores".into(),
            slack_ns: 0,
            period_ns: 0,
            case: String::new(),
            tolerances: Vec::new(),
            shrunk_from: String::new(),
        };
        Self { header, lines: Vec::new(), unit_ns, counts: (0, 0) }
    }

    /// Something is exchanged at an instant, in thousandths of a unit.
    fn event(&mut self, direction: Direction, signal: &str, values: &[i32], at: u64, system: u64) {
        match direction {
            Direction::Input => self.counts.0 += 1,
            Direction::Output => self.counts.1 += 1,
        }
        let at = at * self.unit_ns / 1_000;
        let sets = Sets { system, environment: 1 };
        let (name, values) = (signal.to_owned(), values.iter().map(|it| json!(it)).collect());
        let what = What::Signal { direction, name, values };
        self.happen(what, at, sets);
    }

    /// Anything is exchanged at an instant, in nanoseconds.
    fn happen(&mut self, what: What, at: u64, sets: Sets) {
        self.lines.push(Line::Event(Event { what, from_ns: at, to_ns: at, device_ns: None, sets }));
    }

    fn delay(&mut self, to: u64, system: u64) {
        let to_ns = to * self.unit_ns / 1_000;
        self.lines.push(Line::Delay(Delay { to_ns, sets: Sets { system, environment: 1 } }));
    }

    fn window(&mut self, signal: &str, from: u64, to: u64, as_of: u64) {
        let ns = |milli: u64| milli * self.unit_ns / 1_000;
        self.lines.push(Line::Window(Window {
            signal: signal.to_owned(),
            values: Some(Vec::new()),
            from_ns: ns(from),
            to_ns: Some(ns(to)),
            from_open: false,
            to_open: false,
            as_of_ns: ns(as_of),
        }));
    }

    fn end(&mut self, verdict: Verdict, at: u64, diagnosis: Option<Diagnosis>) {
        let at_ns = at * self.unit_ns / 1_000;
        let n = self.counts.0 + self.counts.1;
        let cost = |n| Cost { n, mean_states: 1.4, max_states: 3, mean_us: 2.1, max_us: 37.5 };
        let statistics = Statistics {
            inputs: self.counts.0,
            outputs: self.counts.1,
            duration_ns: at_ns,
            after_action: cost(n),
            after_delay: cost(n / 2),
            ..Statistics::default()
        };
        let (ending, late_ns) = (None, None);
        let end = End { verdict, at_ns, diagnosis, ending, late_ns, statistics, shows: Vec::new() };
        self.lines.push(Line::End(Box::new(end)));
    }

    fn finish(self, name: &str, automata: Vec<Automaton>) -> Sample {
        let path = Path::new("record.jsonl");
        let mut writer = Writer::begin(Vec::new(), path, &self.header).unwrap();
        self.lines.iter().for_each(|line| writer.line(line).unwrap());
        let run = Run::at(&Path::new("runs").join(name));
        Sample { run, bytes: writer.into_inner(), automata }
    }
}

fn signal(name: &str, direction: Direction, values: &[&str]) -> Signal {
    let values = values.iter().map(|name| (*name).to_owned()).collect();
    Signal { name: name.to_owned(), direction, values }
}

fn coffee_author(seed: u64) -> Author {
    let signals = vec![
        signal("coin", Direction::Input, &[]),
        signal("req", Direction::Input, &[]),
        signal("weakCoffee", Direction::Output, &[]),
        signal("strongCoffee", Direction::Output, &[]),
    ];
    Author::new("coffee-machine/universal.xml", 1_000_000_000, seed, signals)
}

/// Cups of strong coffee, as they should be. Gives the instant of the last one.
fn strong_cups(author: &mut Author, n_cups: u64) -> u64 {
    let mut now = 0;
    for cup in 0..n_cups {
        now += 9_000 + cup * 3_700 % 11_000;
        author.delay(now, 1);
        author.event(Direction::Input, "coin", &[], now, 1);
        if cup % 3 == 1 {
            author.event(Direction::Input, "coin", &[], now + 12_250, 1);
        }
        now += 41_000 + cup * 7_300 % 23_000;
        let both = now % 2_000 == 0;
        author.event(Direction::Input, "req", &[], now, if both { 2 } else { 1 });
        if both {
            author.window("weakCoffee", now + 10_000, now + 30_000, now);
        }
        author.window("strongCoffee", now + 30_000, now + 50_000, now);
        author.delay(now + 30_000, 1);
        now += 40_000;
        author.event(Direction::Output, "strongCoffee", &[], now, 1);
    }
    now
}

/// The machine makes weak coffee after 5; it may do so from 10 on.
pub(crate) fn coffee() -> Sample {
    let mut author = coffee_author(7);
    let mut now = strong_cups(&mut author, 4) + 8_000;
    author.event(Direction::Input, "coin", &[], now, 1);
    now += 17_000;
    author.event(Direction::Input, "req", &[], now, 1);
    author.window("weakCoffee", now + 10_000, now + 30_000, now);
    now += 5_000;
    author.event(Direction::Output, "weakCoffee", &[], now, 0);
    let taken = [5, 1, 4, 0, 4, 0, 1, 0, 0, 0, 0];
    let visited = [true, true, true, true];
    let automata = automata("coffee-machine/universal.xml", &[("Machine", &["Machine"])]);
    author.lines.push(Line::Coverage(coverage(&automata, &[&taken], &[&visited])));
    let unit = |milli: u64| format!("{}", milli / 1_000);
    let diagnosis = Diagnosis {
        guilty: Vec::new(),
        kind: Cause::TooEarly,
        seen: "weakCoffee".into(),
        at: unit(now),
        allowed: vec![Allowed {
            signal: "weakCoffee".into(),
            values: None,
            from: unit(now + 5_000),
            to: Some(unit(now + 25_000)),
            from_open: false,
            to_open: false,
        }],
        states: vec![State {
            locations: vec!["Machine.Weak".into(), "User.Any".into()],
            variables: vec![],
            clocks: vec!["x = 5".into()],
        }],
        cut_off: vec![CutOff {
            process: "Machine".into(),
            source: "Weak".into(),
            target: "Idle".into(),
            label: "x >= 10, weakCoffee!".into(),
            why: "guard x >= 10, but x is 5".into(),
        }],
        explanation: "The machine was asked 17 after the coin, so it decided for weak coffee. That \
                      takes 10 to 30 from the request; it came after 5, when the only edge that makes \
                      weak coffee was not enabled yet."
            .into(),
    };
    author.end(Verdict::Fail, now, Some(diagnosis));
    author.finish("0042", automata)
}

/// Strong coffee does not come, not even after 50.
pub(crate) fn missing() -> Sample {
    let mut author = coffee_author(u64::MAX);
    let now = strong_cups(&mut author, 1);
    let asked = now + 70_000;
    author.event(Direction::Input, "coin", &[], now + 9_000, 1);
    author.event(Direction::Input, "req", &[], asked, 1);
    author.window("strongCoffee", asked + 30_000, asked + 50_000, asked);
    author.delay(asked + 50_000, 1);
    let unit = |milli: u64| format!("{}", milli / 1_000);
    let diagnosis = Diagnosis {
        kind: Cause::Missing,
        seen: "nothing".into(),
        at: unit(asked + 50_000),
        allowed: vec![Allowed {
            signal: "strongCoffee".into(),
            values: None,
            from: unit(asked + 30_000),
            to: Some(unit(asked + 50_000)),
            from_open: false,
            to_open: false,
        }],
        cut_off: vec![CutOff {
            process: "Machine".into(),
            source: "Strong".into(),
            why: "invariant x <= 50".into(),
            ..CutOff::default()
        }],
        explanation: "Strong coffee was due at most 50 after the request.".into(),
        ..Diagnosis::default()
    };
    author.end(Verdict::Fail, asked + 50_100, Some(diagnosis));
    author.finish("0043", Vec::new())
}

/// A controller of a bridge that does everything right, for about so many events.
pub(crate) fn trains(name: &str, n_events: usize) -> Sample {
    const N_TRAINS: usize = 4;
    let mut signals = Vec::new();
    for (name, direction) in [
        ("appr", Direction::Input),
        ("leave", Direction::Input),
        ("stop", Direction::Output),
        ("go", Direction::Output),
    ] {
        signals.extend((0..N_TRAINS).map(|id| signal(&format!("{name}[{id}]"), direction, &[])));
    }
    let mut author = Author::new("train-gate/model.xml", 1_000_000, 11, signals);
    let mut random = 0x9e37_79b9_7f4a_7c15_u64;
    let mut below = |end: u64| {
        random =
            random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (random >> 33) % end
    };
    let (mut now, mut queue, mut away) = (0, Vec::new(), (0..N_TRAINS).collect::<Vec<_>>());
    while author.counts.0 + author.counts.1 < n_events as u64 {
        now += 2_000 + below(9_000);
        author.delay(now, 1);
        if !away.is_empty() && (queue.is_empty() || below(3) > 0) {
            let id = away.remove(below(away.len() as u64) as usize);
            author.event(Direction::Input, &format!("appr[{id}]"), &[], now, 2);
            if !queue.is_empty() {
                let stop = format!("stop[{id}]");
                author.window(&stop, now, now + 5_000, now);
                now += 250 + below(4_700);
                author.event(Direction::Output, &stop, &[], now, 1);
            }
            queue.push(id);
        } else {
            let id = queue.remove(0);
            author.event(Direction::Input, &format!("leave[{id}]"), &[], now, 2 + below(3));
            away.push(id);
            if let Some(next) = queue.first() {
                let go = format!("go[{next}]");
                author.window(&go, now, now + 5_000, now);
                now += 120 + below(4_800);
                author.event(Direction::Output, &go, &[], now, 1);
            }
        }
    }
    let processes = ["Train(0)", "Train(1)", "Train(2)", "Train(3)"];
    let automata = automata(
        "train-gate/model.xml",
        &[("Train", &processes), ("Control", &["Control"]), ("Queue", &["Queue"])],
    );
    let taken: Vec<Vec<u64>> = automata
        .iter()
        .map(|it| {
            (0..it.diagram.edges.len() as u64)
                .map(|i| (i * 37 + 11) % 101 * (i % 6).min(1))
                .collect()
        })
        .collect();
    let visited: Vec<Vec<bool>> =
        automata.iter().map(|it| it.diagram.locations.iter().map(|_| true).collect()).collect();
    let taken: Vec<&[u64]> = taken.iter().map(Vec::as_slice).collect();
    let visited: Vec<&[bool]> = visited.iter().map(Vec::as_slice).collect();
    author.lines.push(Line::Coverage(coverage(&automata, &taken, &visited)));
    author.end(Verdict::Pass, now + 3_000, None);
    author.finish(name, automata)
}

/// Names that would break a page, and a record that was cut off.
pub(crate) fn hostile() -> Sample {
    let name = "</script><script>alert(1)</script>\"'&\u{202e}é\u{1f600}";
    let signals = vec![
        signal(name, Direction::Input, &["<b>", "v\"w"]),
        signal("]]><!--", Direction::Output, &["x"]),
    ];
    let mut author = Author::new("none/<i>model</i>.xml", 1_000, 0, signals);
    author.header.strategy = serde_json::json!({"kind": "<guided>", "weights": [1, 2]});
    author.event(Direction::Input, name, &[1, -2], 1_000, 1);
    // On a real clock it takes time to hand over an input.
    if let Some(Line::Event(event)) = author.lines.last_mut() {
        event.to_ns += 400;
    }
    for (values, from_ns, to_ns) in
        [(Some(vec![json!(1)]), 1_400, Some(2_000)), (None, 2_200, None)]
    {
        author.lines.push(Line::Window(Window {
            signal: "]]><!--".into(),
            values,
            from_ns,
            to_ns,
            from_open: true,
            to_open: true,
            as_of_ns: 1_400,
        }));
    }
    author.event(Direction::Output, "]]><!--", &[i32::MIN], 2_500, 3);
    author.event(Direction::Output, "un$known sign[0]", &[], 2_500, 1);
    author.lines.push(Line::Restart(3_000));
    author.lines.push(Line::Note("</title><!-- \u{0} note".into()));
    let diagnosis = Diagnosis {
        kind: Cause::UnknownOutput,
        seen: "un$known sign[0]<u>".into(),
        at: "5/2".into(),
        explanation: "<img src=x onerror=alert(1)> & more\u{b}".into(),
        cut_off: vec![CutOff { process: "<p>".into(), why: "</td>".into(), ..CutOff::default() }],
        ..Diagnosis::default()
    };
    author.lines.push(Line::Coverage(Coverage {
        edges: vec![EdgeCoverage {
            process: "<p>".into(),
            edge: 9,
            label: "</table>".into(),
            ..Default::default()
        }],
        locations: vec![LocationCoverage {
            process: "<p>".into(),
            location: 7,
            ..Default::default()
        }],
        uses: vec![UseCoverage { variable: "<b>".into(), used: 0, ..Default::default() }],
    }));
    author.end(Verdict::Inconclusive, 3_000, Some(diagnosis));
    let diagram = Diagram { name: "</svg><p>".into(), ..Diagram::default() };
    let automaton = Automaton { diagram, processes: vec!["<p>".into()], edges: vec![4, 5] };
    author.finish("</title>", vec![automaton])
}

/// A heater that a steered model follows: three steps are explained by other inputs, and in a fourth
/// run of steps the outputs are those of no model.
pub(crate) fn heater(name: &str, number: u64, is_lost: bool) -> Sample {
    let mut author = Author::new("heater.lus", 100_000_000, 3, Vec::new());
    let port = |name: &str, role: &str, ty: &str| Port {
        name: name.to_owned(),
        role: role.to_owned(),
        ty: ty.to_owned(),
    };
    author.header.ports = vec![
        port("temperature", "input", "real"),
        port("door", "input", "bool"),
        port("mode", "input", "Off|Eco|Comfort"),
        port("heat", "output", "bool"),
        port("power", "output", "int"),
        port("state", "output", "Idle|Heating|Cooling"),
        port("valve", "observed", "int"),
    ];
    author.header.run = number;
    author.header.case = format!("cold start {number}");
    author.header.strategy = json!({"label": if number % 5 == 4 { "faulty" } else { "accepted" }});
    let tolerance = |variable: &str, by: f64| Tolerance {
        variable: variable.to_owned(),
        low: json!(-by),
        high: json!(by),
    };
    author.header.tolerances = vec![tolerance("temperature", 0.5)];
    author.lines.push(Line::Said(Said {
        said: "heater 1.4 is ready".into(),
        source: "log".into(),
        at_ns: 0,
    }));
    const N_STEPS: u64 = 60;
    let tenths = |value: f64| (value * 10.0).round() / 10.0;
    let given = |step: u64| {
        let temperature = tenths(18.0 + 4.0 * ((step as f64 + number as f64) / 7.0).sin());
        let mode = ["Off", "Eco", "Comfort"][((step / 15 + number) % 3) as usize];
        (temperature, (step + number) % 17 < 3, mode)
    };
    for step in 0..N_STEPS {
        let at = step * 100_000_000;
        let (temperature, door, mode) = given(step);
        let heat = temperature < 18.0 && !door && mode != "Off";
        let power = if heat { 4 + (step % 3) as i64 } else { 0 };
        let state = match (heat, temperature > 21.0) {
            (true, _) => "Heating",
            (_, true) => "Cooling",
            _ => "Idle",
        };
        let what = What::Step {
            inputs: vec![json!(temperature), json!(door), json!(mode)],
            outputs: vec![json!(heat), json!(power), json!(state)],
        };
        author.happen(what, at, Sets::default());
        if step % 12 == 5 {
            let ports = [("valve".to_owned(), json!(power * 10))].into_iter().collect();
            author.happen(What::Reading(ports), at + 50_000_000, Sets::default());
        }
    }
    author.lines.push(Line::Said(Said {
        said: "W (heater): sensor <3> is noisy".into(),
        source: "stderr".into(),
        at_ns: 2_150_000_000,
    }));
    let changed = |variable: &str, from: Value, to: Value| Changed {
        variable: variable.to_owned(),
        from,
        to,
        ..Changed::default()
    };
    let warmer = |step: u64, by: f64| {
        let (temperature, ..) = given(step);
        changed("temperature", json!(temperature), json!(tenths(temperature + by)))
    };
    let narrow = Changed {
        low: Some(json!(tenths(given(12).0 - 0.2))),
        high: Some(json!(format!("{}/10", (given(12).0 * 10.0).round() + 4.0))),
        ..warmer(12, 0.3)
    };
    let (_, door, mode) = given(41);
    let mut steps = vec![
        (12, vec![narrow]),
        (27, vec![warmer(27, -0.2)]),
        (
            41,
            vec![
                warmer(41, 0.1 * (number % 4) as f64 + 0.1),
                changed("door", json!(door), json!(!door)),
                changed("mode", json!(mode), json!(if mode == "Off" { "Eco" } else { "Off" })),
            ],
        ),
    ];
    steps.truncate(3 - (number % 4) as usize % 3);
    for (step, changes) in steps {
        let differences = Vec::new();
        author.lines.push(Line::Steered(Steered { steered: step, changes, differences }));
    }
    let mut diagnosis = None;
    if is_lost {
        let differences =
            vec![changed("power", json!(6), json!(0)), changed("heat", json!(true), json!(false))];
        author.lines.push(Line::Steered(Steered { steered: 52, changes: vec![], differences }));
        for step in [52, 53] {
            author.lines.push(Line::Judged(Judged {
                judged: step,
                kind: "step".into(),
                verdict: Verdict::Fail,
                at_ns: step * 100_000_000,
                reason: "power is 0, the model has 6".into(),
            }));
        }
        diagnosis = Some(Diagnosis {
            kind: Cause::Unexplained,
            at: "step 52".into(),
            explanation: "Step 52: no allowed change of inputs explains the outputs.".into(),
            ..Diagnosis::default()
        });
    }
    let verdict = if is_lost { Verdict::Fail } else { Verdict::Pass };
    author.end(verdict, N_STEPS * 1_000, diagnosis);
    author.finish(name, Vec::new())
}

/// A run with signals and readings that broke down: what was said last is there.
pub(crate) fn broken() -> Sample {
    let mut author = coffee_author(5);
    let now = strong_cups(&mut author, 2) + 9_000;
    author.event(Direction::Input, "coin", &[], now, 1);
    let at_ns = (now + 500) * 1_000_000;
    let ports = [("qc".to_owned(), json!(3))].into_iter().collect();
    author.happen(What::Reading(ports), at_ns, Sets { system: 1, environment: 1 });
    author.lines.push(Line::Said(Said {
        said: "panicked at 'index out of bounds'".into(),
        source: "stderr".into(),
        at_ns,
    }));
    let words = "the process ended with code 101";
    let diagnosis = Diagnosis {
        kind: Cause::Crash,
        seen: "the system broke down".into(),
        explanation: words.into(),
        ..Diagnosis::default()
    };
    author.end(Verdict::Fail, now + 600, Some(diagnosis));
    if let Some(Line::End(end)) = author.lines.last_mut() {
        end.ending = Some(Ending::new(Cause::Crash, words));
    }
    author.finish("0044", Vec::new())
}

fn coverage(automata: &[Automaton], taken: &[&[u64]], visited: &[&[bool]]) -> Coverage {
    let mut coverage = Coverage::default();
    for ((automaton, taken), visited) in automata.iter().zip(taken).zip(visited) {
        let diagram = &automaton.diagram;
        let name = |end: view::End| match end {
            view::End::Location(index) => diagram.locations[index].name.clone().unwrap_or_default(),
            view::End::Branchpoint(_) => String::new(),
        };
        for process in &automaton.processes {
            for (index, (edge, n)) in diagram.edges.iter().zip(*taken).enumerate() {
                let labels: Vec<&str> =
                    edge.labels.iter().map(|label| label.text.as_str()).collect();
                coverage.edges.push(EdgeCoverage {
                    process: process.clone(),
                    edge: index as u32,
                    source: name(edge.source),
                    target: name(edge.target),
                    label: labels.join(", "),
                    side: None,
                    certain: index % 5 != 3,
                    impossible: false,
                    early: n / 3,
                    middle: n - n / 3 - n / 4,
                    late: n / 4,
                });
            }
            for (index, (location, visited)) in diagram.locations.iter().zip(*visited).enumerate() {
                coverage.locations.push(LocationCoverage {
                    process: process.clone(),
                    location: index as u32,
                    name: location.name.clone().unwrap_or_default(),
                    visited: *visited,
                });
            }
        }
    }
    coverage
}

fn example(model: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(model)
}

/// The templates of an example, as the command line would draw them.
fn automata(model: &str, of: &[(&str, &[&str])]) -> Vec<Automaton> {
    let text = std::fs::read_to_string(example(model)).unwrap();
    let options = roxmltree::ParsingOptions { allow_dtd: true, ..Default::default() };
    let document = roxmltree::Document::parse_with_options(&text, options).unwrap();
    let templates = document.descendants().filter(|node| node.has_tag_name("template"));
    let diagrams: Vec<Diagram> = templates.map(diagram).collect();
    of.iter()
        .map(|(name, processes)| Automaton {
            diagram: diagrams.iter().find(|diagram| diagram.name == *name).unwrap().clone(),
            processes: processes.iter().map(|name| (*name).to_owned()).collect(),
            edges: Vec::new(),
        })
        .collect()
}

fn diagram(template: roxmltree::Node) -> Diagram {
    let child = |name: &str| template.children().find(|node| node.has_tag_name(name)).unwrap();
    let initial = child("init").attribute("ref");
    let mut ids = Vec::new();
    let mut diagram = Diagram { name: child("name").text().unwrap().into(), ..Diagram::default() };
    for node in template.children().filter(|node| node.has_tag_name("location")) {
        ids.push(node.attribute("id"));
        let name = node.children().find(|node| node.has_tag_name("name"));
        diagram.locations.push(view::Location {
            name: name.and_then(|node| node.text()).map(str::to_owned),
            name_position: name.and_then(point),
            position: point(node),
            initial: node.attribute("id") == initial,
            committed: node.children().any(|node| node.has_tag_name("committed")),
            labels: labels(node),
            ..view::Location::default()
        });
    }
    for node in template.children().filter(|node| node.has_tag_name("transition")) {
        let end = |name: &str| {
            let end = node.children().find(|node| node.has_tag_name(name)).unwrap();
            view::End::Location(ids.iter().position(|id| *id == end.attribute("ref")).unwrap())
        };
        let nails = node.children().filter(|node| node.has_tag_name("nail")).filter_map(point);
        diagram.edges.push(view::Edge {
            nails: nails.collect(),
            labels: labels(node),
            ..view::Edge::new(end("source"), end("target"))
        });
    }
    diagram
}

fn point(node: roxmltree::Node) -> Option<view::Point> {
    let number = |name: &str| node.attribute(name)?.parse().ok();
    Some(view::Point::new(number("x")?, number("y")?))
}

fn labels(node: roxmltree::Node) -> Vec<view::Label> {
    let labels = node.children().filter(|node| node.has_tag_name("label"));
    labels
        .filter_map(|node| {
            let kind = match node.attribute("kind")? {
                "invariant" => LabelKind::Invariant,
                "guard" => LabelKind::Guard,
                "select" => LabelKind::Select,
                "synchronisation" => LabelKind::Synchronisation,
                "assignment" => LabelKind::Update,
                _ => return None,
            };
            let text = node.text()?.trim().to_owned();
            Some(view::Label { kind, text, position: point(node) })
        })
        .collect()
}

/// The requirements of a suite: each kind of result, and names that mean something in HTML.
pub(crate) fn requirements() -> Matrix {
    let check = |name: &str, at_ns, result, reason: &str| matrix::Check {
        name: name.to_owned(),
        at_ns,
        result,
        reason: reason.to_owned(),
    };
    let link = |name: &str| Some((name.to_owned(), Some(format!("{name}.html"))));
    let row = |case: &str, run, checks| matrix::Row { case: case.to_owned(), run, checks };
    let late = "Output 0 (<late>): `alarm` was expected, and did not come.";
    let first = vec![
        row(
            "alarm & light",
            link("0001"),
            vec![
                check("output 0", 35_000_000, Outcome::Failed, late),
                check("check 0", 40_500_000, Outcome::Passed, ""),
            ],
        ),
        row(
            "alarm & light",
            link("0004"),
            vec![
                check("output 0", 35_000_000, Outcome::Inconclusive, "It may have come."),
                check("check 0", 40_500_000, Outcome::NotReached, ""),
            ],
        ),
    ];
    let others = vec![
        row(
            "short",
            Some(("0002".to_owned(), None)),
            vec![check("check 0", 0, Outcome::NotKnown, "")],
        ),
        row("never", None, vec![check("check 0", 5_000_000, Outcome::NotReached, "")]),
    ];
    let requirement = |name: &str, rows| matrix::Requirement { name: name.to_owned(), rows };
    Matrix {
        suite: "oven.toml".to_owned(),
        unit_ns: 1_000_000,
        requirements: vec![requirement("<late>", first), requirement("", others)],
    }
}
