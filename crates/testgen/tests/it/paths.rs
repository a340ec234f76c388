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
    usecases::{ActionKind, Outcome, Path, PathStep, UseCases},
};
use punctual_testgen::usecases::paths::{Cursor, Event, Machine, walk};

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

/// The voltage is right, the temperature is not: the second flow of the diagnosis resumes into the first, whose postcondition does not count then.
#[test]
fn what_happens() {
    let all = bodysense();
    let path = chosen(&all, "---+-++--");
    insta::assert_snapshot!(format!("{}\n\n{}", steps(&all, &path), happenings(&all, &path)));
}
