//! Scenarios of use cases as view types.

mod chain;
mod links;
mod taken;
mod words;

use punctual_model::{
    Interface, Network, SentenceId,
    testing::suite::Suite,
    usecases::{
        AssignmentKind, Objective, Outcome, PathStep, Scenario, Scenarios, Step, StepKind,
        UseCases, Why,
    },
};

use punctual_testgen::usecases::Derived;

use crate::view::scenarios as view;
pub use chain::chain;
use words::Words;

/// What was derived of a folder, with the automata that were drawn and the cases of a suite, where there are such.
#[must_use]
pub fn derived(
    folder: &str,
    all: &UseCases,
    model: &Derived,
    network: &Network,
    suite: Option<(&Interface, &Suite)>,
) -> view::Derived {
    let events = links::events(all, model, network);
    let chain = chain(all, &model.scenarios, Some(model), &events, suite);
    let (drawing, notes) = (Some(links::drawing(model, network)), links::notes(model));
    let unreached = model.unreached.iter();
    let unreached = unreached.map(|it| model.scenarios.scenarios[*it].name.clone()).collect();
    let scenarios = scenarios(folder, all, &model.scenarios);
    view::Derived { events, unreached, notes, chain, drawing, ..scenarios }
}

/// What was found out about the paths of a folder.
#[must_use]
pub fn scenarios(folder: &str, all: &UseCases, found: &Scenarios) -> view::Derived {
    let words = Words { all };
    view::Derived {
        folder: folder.to_owned(),
        scenarios: found.scenarios.iter().map(|it| scenario(&words, it)).collect(),
        uncovered: (found.uncovered.iter())
            .map(|it| uncovered(&words, (found.rounds, found.objects), it.objective, &it.why))
            .collect(),
        ..view::Derived::default()
    }
}

fn scenario(words: &Words<'_>, it: &Scenario) -> view::Scenario {
    let all = words.all;
    let assigned = |kinds: &[AssignmentKind]| {
        let of = it.assignments.iter().filter(|it| kinds.contains(&it.kind));
        of.map(|it| view::Assigned {
            name: it.name.clone(),
            value: words.value(it.slot.attribute, it.value),
            kind: kind(it.kind).to_owned(),
            because: words.sentences(&it.because),
        })
        .collect()
    };
    let needs = it.needs.iter().map(|need| view::Need {
        condition: words.ground(&it.diagram, &need.condition),
        because: words.claim(&need.claim).text,
    });
    let sets = it.sets.iter().map(|set| view::Assigned {
        name: words.slot(&it.diagram, set.slot),
        value: match &set.to {
            punctual_model::usecases::Ground::Constant(value) => {
                words.value(set.slot.attribute, *value)
            }
            other => words.ground(&it.diagram, other),
        },
        kind: "output".to_owned(),
        because: words.sentences(&set.because),
    });
    view::Scenario {
        name: it.name.clone(),
        use_case: all.use_cases[it.path.use_case].name.clone(),
        flows: (it.flows().iter())
            .map(|(of, flow)| all.use_cases[*of].flows[*flow].title.clone())
            .collect(),
        covers: it.covers.iter().map(|it| objective(words, *it).0).collect(),
        steps: it.path.steps.iter().map(|it| step(words, it)).collect(),
        inputs: assigned(&[AssignmentKind::Setup, AssignmentKind::Input]),
        state: assigned(&[AssignmentKind::State]),
        outputs: assigned(&[AssignmentKind::Output]),
        needs: needs.collect(),
        sets: sets.collect(),
        objects: objects(words, it),
        links: links(words, it),
        open: words.sentences(&it.open),
    }
}

fn kind(kind: AssignmentKind) -> &'static str {
    match kind {
        AssignmentKind::Setup => "setup",
        AssignmentKind::Input => "input",
        AssignmentKind::State => "state",
        AssignmentKind::Output => "output",
    }
}

/// The objects that values are told of, and those that are linked to them.
fn objects(words: &Words<'_>, it: &Scenario) -> Vec<view::Object> {
    let domain = &words.all.domain;
    let objects = it.diagram.objects.enumerate().map(|(id, object)| {
        let mut values: Vec<String> = Vec::new();
        for assignment in it.assignments.iter().filter(|it| it.slot.object == id) {
            let attribute = &domain.attributes[assignment.slot.attribute].name;
            let value = words.value(assignment.slot.attribute, assignment.value);
            let text = format!("{attribute} = {value}");
            if !values.contains(&text) {
                values.push(text);
            }
        }
        view::Object {
            name: object.name.clone(),
            class: domain.classes[object.class].name.clone(),
            values,
        }
    });
    objects.filter(|it| !it.values.is_empty()).collect()
}

fn links(words: &Words<'_>, it: &Scenario) -> Vec<String> {
    let associations = &words.all.domain.associations;
    let texts = it.diagram.links.iter().filter_map(|link| {
        let ends = &associations[link.association].ends;
        let to = [1, 0].into_iter().find(|to| ends[*to].is_navigable)?;
        let name = |at: usize| it.diagram.objects[link.ends[at]].name.as_str();
        Some(format!("{}.{}: {}", name(1 - to), ends[to].name, name(to)))
    });
    texts.collect()
}

fn step(words: &Words<'_>, it: &PathStep) -> view::Step {
    let of = &words.all.use_cases[it.use_case];
    let step = of.step(it.at);
    view::Step {
        depth: it.depth,
        flow: of.flows[it.at.flow].title.clone(),
        number: step.number,
        text: what(words, step, it),
        outcome: outcome(it.outcome).to_owned(),
        file: words.file(step.place),
        line: step.place.line,
    }
}

fn outcome(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Done => "done",
        Outcome::Holds => "holds",
        Outcome::Fails => "fails",
    }
}

/// What happens in a step, on one line.
fn what(words: &Words<'_>, step: &Step, at: &PathStep) -> String {
    match &step.kind {
        StepKind::Act(actions) => {
            let sentences: Vec<SentenceId> = actions.iter().map(|it| it.sentence).collect();
            words.sentences(&sentences).join(" MEANWHILE ")
        }
        StepKind::Validate(id) => format!("VALIDATES THAT {}", words.sentence(*id)),
        StepKind::Branch(it) if it.is_loop => format!("UNTIL {}", words.sentence(it.sentence)),
        StepKind::Branch(it) => format!("IF {}", words.sentence(it.sentence)),
        StepKind::Mark => "(goes on)".to_owned(),
        StepKind::Abort => "ABORT".to_owned(),
        StepKind::Resume(to) => {
            let of = &words.all.use_cases[at.use_case];
            format!("RESUME STEP {} of {}", of.step(*to).number, of.flows[to.flow].title)
        }
    }
}

/// What should be covered, and where it stands.
fn objective(words: &Words<'_>, it: Objective) -> (String, punctual_model::usecases::Place) {
    match it {
        Objective::Flow(of, flow) => {
            let of = &words.all.use_cases[of];
            let flow = &of.flows[flow];
            (format!("{}: {}", of.name, flow.title), flow.place)
        }
        Objective::Branch(of, at, came) => {
            let step = words.all.use_cases[of].step(at);
            let path_step = PathStep { depth: 0, use_case: of, at, outcome: came };
            let text = what(words, step, &path_step);
            (format!("step {} ({text}) {}", step.number, outcome(came)), step.place)
        }
    }
}

fn uncovered(words: &Words<'_>, within: (u32, u32), what: Objective, why: &Why) -> view::Uncovered {
    let (what, place) = objective(words, what);
    let (why, contradiction) = match why {
        Why::Contradiction { claims, .. } => (
            format!(
                "what its sentences say can not hold together, within {} rounds of a loop and {} objects of a class (`--rounds` and `--objects` allow more)",
                within.0, within.1
            ),
            claims.iter().map(|it| words.claim(it)).collect(),
        ),
        Why::Limit(what) => (format!("the search was ended: {what}"), Vec::new()),
        Why::Unknown(what) => (format!("the solver does not know: {what}"), Vec::new()),
    };
    view::Uncovered { what, why, contradiction, file: words.file(place), line: place.line }
}
