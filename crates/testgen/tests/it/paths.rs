//! Ways through use cases: what may follow, what happens on the way, and which few ways show everything.

mod laws;
mod naive;
mod random;

use std::path::Path as File;

use punctual_lang::{
    Input,
    diagnostic::{Style, render},
    usecases,
};
use punctual_model::{
    SentenceId,
    usecases::{ActionKind, Diagram, Objective, Outcome, Path, PathStep, Scenario, UseCases, Why},
};
use punctual_testgen::usecases::paths::{
    Anything, Cover, Cursor, Event, Feasible, Limits, Machine, Missed, Possible, Values, cover,
    scenarios, walk,
};

/// The use cases of a text.
fn read(text: &str) -> UseCases {
    let folder = usecases::read(&[Input { name: "usecases.md", bytes: text.as_bytes() }]);
    let said = folder.sources.iter().flat_map(|source| {
        source.diagnostics.iter().map(|it| render(it, &source.file, Style::Plain))
    });
    let said: String = said.collect();
    folder.value.unwrap_or_else(|| panic!("{said}"))
}

fn bodysense() -> UseCases {
    let file = File::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/bodysense/usecases.md");
    read(&std::fs::read_to_string(file).expect("the example can be read"))
}

/// A step as people call it: the flow by its number, the step by its number, and the outcome.
fn step(all: &UseCases, step: &PathStep) -> String {
    let use_case = &all.use_cases[step.use_case];
    let flow = &use_case.flows[step.at.flow];
    let number = flow.title.split(' ').next().unwrap_or_default();
    let outcome = match step.outcome {
        Outcome::Done => "",
        Outcome::Holds => "+",
        Outcome::Fails => "-",
    };
    format!("{number}:{}{outcome}", use_case.step(step.at).number)
}

fn steps(all: &UseCases, path: &Path) -> String {
    path.steps.iter().map(|it| step(all, it)).collect::<Vec<_>>().join(" ")
}

/// What happens on a path, a line each.
fn happenings(all: &UseCases, path: &Path) -> String {
    let walk = walk(all, path).expect("a path");
    let text = |ids: &[SentenceId]| {
        let texts = ids.iter().map(|id| all.sentences[*id].text.as_str());
        texts.collect::<Vec<_>>().join(" & ")
    };
    let mut lines = String::new();
    for (index, it) in walk.happenings.iter().enumerate() {
        let said = match &it.event {
            Event::Preconditions(sentences) => format!("before: {}", text(sentences)),
            Event::FlowBegins { use_case, flow } => {
                format!("begins: {}", all.use_cases[*use_case].flows[*flow].title)
            }
            Event::Condition { sentences, holds } => format!("{holds}: {}", text(sentences)),
            Event::Act(actions) => {
                let all = actions.iter().map(|action| {
                    let kind = match action.kind {
                        ActionKind::Input { .. } => "input",
                        ActionKind::Output { .. } => "output",
                        _ => "effect",
                    };
                    format!("{kind}: {}", text(&[action.sentence]))
                });
                all.collect::<Vec<_>>().join(" | ")
            }
            Event::FlowEnds { use_case, flow, whole } => {
                let title = &all.use_cases[*use_case].flows[*flow].title;
                match whole {
                    Some(began) => format!("ends: {title}, whole since {began}"),
                    None => format!("ends: {title}"),
                }
            }
            Event::Postconditions { sentences, began } => {
                format!("after: {} (since {began})", text(sentences))
            }
        };
        lines += &format!("{index:3} @{:<3} {said}\n", it.at);
    }
    lines + if walk.has_ended { "ended" } else { "goes on" }
}

/// The path that takes these outcomes where there is a choice.
fn chosen(all: &UseCases, choices: &str) -> Path {
    let mut machine = Machine::new(all, None);
    let use_case = machine.tops()[0];
    let mut cursor = Cursor::begin(&mut machine, use_case, &mut Vec::new()).expect("a begin");
    let mut path = Path { use_case, steps: Vec::new() };
    let mut choices = choices.chars();
    while let Some(ask) = cursor.ask(&machine) {
        let outcome = match ask.outcomes {
            [one] => *one,
            _ => match choices.next() {
                Some('+') => Outcome::Holds,
                Some(_) => Outcome::Fails,
                None => panic!("a choice is missing behind {}", steps(all, &path)),
            },
        };
        cursor.advance(&mut machine, outcome, &mut Vec::new()).expect("a way on");
        path.steps.push(ask.with(outcome));
    }
    path
}

/// Neither the temperature nor what the seat says is right: the second flow of the diagnosis resumes into the first, whose postcondition does not count then.
#[test]
fn what_happens() {
    let all = bodysense();
    let path = chosen(&all, "---+-++--");
    insta::assert_snapshot!(format!("{}\n\n{}", steps(&all, &path), happenings(&all, &path)));
}

/// An objective as people call it: a flow by its number, an outcome as on a path.
fn objective(all: &UseCases, objective: &Objective) -> String {
    match objective {
        Objective::Flow(use_case, flow) => {
            let title = &all.use_cases[*use_case].flows[*flow].title;
            title.split(' ').next().unwrap_or_default().to_owned()
        }
        Objective::Branch(use_case, at, outcome) => {
            step(all, &PathStep { depth: 0, use_case: *use_case, at: *at, outcome: *outcome })
        }
    }
}

/// The paths of a cover, each with what it covers first, and what is missed.
fn told(all: &UseCases, found: &Cover) -> String {
    let mut lines = String::new();
    for it in &found.paths {
        let covers: Vec<String> = it.covers.iter().map(|it| objective(all, it)).collect();
        lines += &format!("{}\n    covers {}\n", steps(all, &it.path), covers.join(" "));
    }
    for (missed, why) in &found.missed {
        let why = match why {
            Missed::Contradiction(path) => format!("contradiction: {}", steps(all, path)),
            Missed::Limit(why) => format!("limit: {why}"),
            Missed::Unknown(why) => format!("unknown: {why}"),
        };
        lines += &format!("missed {}: {why}\n", objective(all, missed));
    }
    lines
}

/// Each flow of the example, and both ways of each condition.
#[test]
fn the_example_is_covered() {
    let all = bodysense();
    let found = cover(&all, &mut Anything, Limits::default());
    insta::assert_snapshot!(told(&all, &found));
}

/// Global, bounded and specific flows with ELSEIF, a loop, MEANWHILE, an extension, an ABORT of an included use case, and a flow of a flow.
const MIXED: &str = "
## Use Case: Brew
### Precondition
The machine is on.
### 1.1 Basic Flow
1. The user SENDS order TO the system.
2. INCLUDE USE CASE Grind.
3. DO
4. The system heats the water MEANWHILE EXTENDED BY USE CASE Descale.
5. UNTIL the water is hot
6. The system VALIDATES THAT the cup is there.
7. The system SENDS coffee TO the user.
### 1.2 Specific Alternative Flow - Wait
RFS 6
1. IF the user is near THEN
2. The system waits.
3. RESUME STEP 6.
4. ELSEIF the cup is far THEN
5. ABORT.
6. ENDIF
### 1.3 Specific Alternative Flow - Give up
RFS 6
1. The system VALIDATES THAT the tray is empty.
2. ABORT.
### 1.4 Specific Alternative Flow
RFS SAFGive up-1
1. The system empties the tray.
2. RESUME STEP SAFGive up-2.
### 1.5 Global Alternative Flow
1. IF the user cancels THEN
2. ABORT.
3. ENDIF
## Use Case: Grind
### Precondition
There are beans.
### 2.1 Basic Flow
1. The system grinds beans.
### 2.2 Bounded Alternative Flow
RFS 1
1. IF the mill is blocked THEN
2. ABORT.
3. ENDIF
## Use Case: Descale
### Precondition
The machine is chalky. The tank is full.
### 3.1 Basic Flow
1. The system removes chalk.
";

#[test]
fn mixed_flows_are_covered() {
    let all = read(MIXED);
    let found = cover(&all, &mut Anything, Limits::default());
    insta::assert_snapshot!(told(&all, &found));
}

/// Values that allow everything, but not that the mill is blocked, and of which nobody knows whether the tray is empty.
struct Pretended<'a>(&'a UseCases);

impl Pretended<'_> {
    fn has(&self, path: &Path, words: &str, outcome: bool) -> bool {
        let walk = walk(self.0, path).expect("a path");
        walk.happenings.iter().any(|it| match it.event {
            Event::Condition { sentences, holds } => {
                holds == outcome && self.0.sentences[sentences[0]].text == words
            }
            _ => false,
        })
    }
}

impl Feasible for Pretended<'_> {
    fn possible(&mut self, path: &Path, from: usize) -> Possible {
        match self.has(path, "the mill is blocked", true) && from == 0 {
            true => Possible::No,
            false if self.has(path, "the tray is empty", true) => {
                Possible::Unknown("too hard".into())
            }
            false => Possible::Yes,
        }
    }
}

impl Values for Pretended<'_> {
    fn solve(&mut self, path: &Path) -> Result<Scenario, Why> {
        if self.has(path, "the user cancels", true) {
            return Err(Why::Unknown("no values were found".into()));
        }
        Ok(Scenario {
            name: String::new(),
            path: path.clone(),
            covers: Vec::new(),
            diagram: Diagram::default(),
            assignments: Vec::new(),
            needs: Vec::new(),
            sets: Vec::new(),
            open: Vec::new(),
        })
    }

    fn explain(&mut self, begin: &Path) -> Why {
        Why::Contradiction { path: begin.clone(), claims: Vec::new() }
    }
}

/// Scenarios have names that tell their flows. What is not covered is told with the reason, also if values are missing at the very end.
#[test]
fn scenarios_are_named() {
    let all = read(MIXED);
    let found = scenarios(&all, &mut Pretended(&all), Limits::default());
    let mut lines = String::new();
    for it in &found.scenarios {
        let covers: Vec<String> = it.covers.iter().map(|it| objective(&all, it)).collect();
        lines += &format!("{}: {}\n", it.name, covers.join(" "));
    }
    for it in &found.uncovered {
        let why = match &it.why {
            Why::Contradiction { path, .. } => format!("contradiction: {}", steps(&all, path)),
            Why::Limit(why) | Why::Unknown(why) => why.clone(),
        };
        lines += &format!("not {}: {why}\n", objective(&all, &it.objective));
    }
    insta::assert_snapshot!(lines);
}

/// Ten use cases of ten flows each, which one includes.
fn hundred() -> UseCases {
    let mut text = String::from("## Use Case: All\n### 1.1 Basic Flow\n");
    for part in 1..=10 {
        text += &format!("{part}. INCLUDE USE CASE Part {part}.\n");
    }
    for part in 1..=10 {
        text += &format!(
            "## Use Case: Part {part}\n### Precondition\nPart {part} is on.\n### Basic Flow\n"
        );
        text += "1. The user SENDS order TO the system.\n";
        for n in 2..=8 {
            text += &format!("{n}. The system VALIDATES THAT value {n} of {part} is right.\n");
        }
        text += &format!(
            "9. The system stores order {part}.\nPostcondition: Order {part} is stored.\n"
        );
        for n in 2..=8 {
            let end = if n % 3 == 0 { "ABORT" } else { "RESUME STEP 9" };
            text += &format!(
                "### Specific Alternative Flow - {part} {n}\nRFS {n}\n1. The system stores fault {n} of {part}.\n2. {end}.\n"
            );
        }
        text += &format!(
            "### Bounded Alternative Flow\nRFS 2-4\n1. IF part {part} is hot THEN\n2. The system cools part {part}.\n3. RESUME STEP 1.\n4. ENDIF\n"
        );
        text += &format!(
            "### Global Alternative Flow\n1. IF part {part} is off THEN\n2. ABORT.\n3. ENDIF\n"
        );
    }
    read(&text)
}

/// Each path is asked about once if values allow it, and a contradiction is found with few questions: what follows it does not matter.
#[test]
fn a_hundred_flows_need_few_questions() {
    struct Counted<'a>(&'a UseCases, u32);
    impl Feasible for Counted<'_> {
        fn possible(&mut self, path: &Path, from: usize) -> Possible {
            self.1 += 1;
            // The fifth value of each part is right, and no part is off if it was on before.
            let walk = walk(self.0, path).expect("a path");
            let is_wrong = walk.happenings[from.min(walk.happenings.len())..].iter().any(|it| {
                match it.event {
                    Event::Condition { sentences, holds } => {
                        let text = &self.0.sentences[sentences[0]].text;
                        text.starts_with("value 5") && !holds || text.ends_with("off") && holds
                    }
                    _ => false,
                }
            });
            if is_wrong { Possible::No } else { Possible::Yes }
        }
    }
    let all = hundred();
    let mut counted = Counted(&all, 0);
    let found = cover(&all, &mut counted, Limits::default());
    let n_contradictions =
        found.missed.iter().filter(|it| matches!(it.1, Missed::Contradiction(_))).count();
    // The basic flows, and of each part six specific flows and the bounded one.
    assert_eq!((found.paths.len(), n_contradictions, found.missed.len()), (71, 40, 40));
    println!("{} questions", counted.1);
    assert!(counted.1 < 1_000, "{} questions", counted.1);
}
