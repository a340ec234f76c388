//! Folders of use cases as view types.

use punctual_lang::{
    diagnostic::Severity,
    usecases::{Folder, OpenKind},
};
use punctual_model::{
    SentenceId,
    usecases::{
        ActionKind, AttributeType, Constraint, Domain, FlowKind, Place, Purpose, Step, StepKind,
        StepRef, UseCase, UseCases,
    },
};

use crate::view::usecases as view;

/// A folder at a glance. `all` is what its files say.
#[must_use]
pub fn folder(name: &str, folder: &Folder, all: &UseCases) -> view::Folder {
    let flows = || all.use_cases.iter().flat_map(|it| &it.flows);
    let count = |is: fn(&FlowKind) -> bool| flows().filter(|flow| is(&flow.kind)).count();
    let domain = &all.domain;
    let totals = view::Totals {
        use_cases: all.use_cases.len(),
        basic: count(|it| matches!(it, FlowKind::Basic)),
        specific: count(|it| matches!(it, FlowKind::Specific(_))),
        bounded: count(|it| matches!(it, FlowKind::Bounded(_))),
        global: count(|it| matches!(it, FlowKind::Global(_))),
        steps: flows().map(|flow| flow.steps.len()).sum(),
        sentences: all.sentences.len(),
        classes: domain.classes.len(),
        enumerations: domain.enumerations.len(),
        attributes: domain.attributes.len(),
        associations: domain.associations.len(),
        constraints: all.constraints.len(),
        invariants: all.invariants().count(),
    };
    let open = folder.open.iter().map(|it| view::Open {
        kind: it.kind.word().to_owned(),
        text: match it.kind {
            OpenKind::Entity => without_article(&it.text).to_owned(),
            _ => it.text.clone(),
        },
        file: file(all, it.place),
        line: it.place.line,
        count: it.count,
    });
    let enumerations = domain.enumerations.iter();
    let enumerations = enumerations
        .map(|it| view::Enumeration { name: it.name.clone(), values: it.values.clone() });
    view::Folder {
        folder: name.to_owned(),
        files: all.files.clone(),
        totals,
        use_cases: all.use_cases.iter().map(|it| use_case(all, it)).collect(),
        classes: classes(domain),
        enumerations: enumerations.collect(),
        associations: associations(domain),
        constraints: all.constraints.iter().map(|it| constraint(all, it)).collect(),
        open: open.collect(),
        warnings: folder.count(Severity::Warning),
    }
}

/// A name as a list has it.
fn without_article(text: &str) -> &str {
    let (first, rest) = text.split_once(' ').unwrap_or(("", text));
    match ["the", "a", "an"].iter().any(|it| first.eq_ignore_ascii_case(it)) {
        true => rest,
        false => text,
    }
}

fn file(all: &UseCases, place: Place) -> String {
    all.files.get(place.file as usize).cloned().unwrap_or_default()
}

fn texts(all: &UseCases, ids: &[SentenceId]) -> Vec<String> {
    ids.iter().map(|id| all.sentences[*id].text.clone()).collect()
}

fn use_case(all: &UseCases, it: &UseCase) -> view::UseCase {
    let actions = it.flows.iter().flat_map(|flow| &flow.steps).flat_map(|step| match &step.kind {
        StepKind::Act(actions) => actions.as_slice(),
        _ => &[],
    });
    let mut includes: Vec<String> = Vec::new();
    for action in actions {
        if let ActionKind::Include(id) | ActionKind::ExtendedBy(id) = action.kind {
            let name = &all.use_cases[id].name;
            if !includes.contains(name) {
                includes.push(name.clone());
            }
        }
    }
    let actors = it.primary_actor.iter().chain(&it.secondary_actors);
    view::UseCase {
        name: it.name.clone(),
        file: file(all, it.place),
        line: it.place.line,
        description: it.description.clone(),
        preconditions: texts(all, &it.preconditions),
        actors: actors.map(|it| it.text.clone()).collect(),
        includes,
        flows: it.flows.iter().map(|flow| self::flow(all, it, flow)).collect(),
    }
}

fn flow(all: &UseCases, of: &UseCase, flow: &punctual_model::usecases::Flow) -> view::Flow {
    let number = |at: &StepRef| match at.flow == of.basic() {
        true => of.step(*at).number.to_string(),
        false => format!("{} of {}", of.step(*at).number, of.flows[at.flow].title),
    };
    let (kind, at) = match &flow.kind {
        FlowKind::Basic => ("basic", Vec::new()),
        FlowKind::Specific(at) => ("specific", vec![number(at)]),
        FlowKind::Bounded(at) => ("bounded", at.iter().map(number).collect()),
        FlowKind::Global(_) => ("global", Vec::new()),
    };
    view::Flow {
        title: flow.title.clone(),
        kind: kind.to_owned(),
        at,
        line: flow.place.line,
        steps: flow.steps.iter().map(|step| self::step(all, step)).collect(),
        postconditions: texts(all, &flow.postconditions),
    }
}

fn step(all: &UseCases, step: &Step) -> view::Step {
    let (kind, sentences) = match &step.kind {
        StepKind::Act(actions) => {
            let kinds = actions.iter().map(|action| match action.kind {
                ActionKind::Input { .. } => "input",
                ActionKind::Output { .. } => "output",
                ActionKind::Internal => "internal",
                ActionKind::Include(_) => "include",
                ActionKind::ExtendedBy(_) => "extended by",
            });
            let kind = kinds.collect::<Vec<_>>().join(", ");
            (kind, actions.iter().map(|action| action.sentence).collect())
        }
        StepKind::Validate(id) => ("validate".to_owned(), vec![*id]),
        StepKind::Branch(it) if it.is_loop => ("until".to_owned(), vec![it.sentence]),
        StepKind::Branch(it) => ("if".to_owned(), vec![it.sentence]),
        StepKind::Mark => ("mark".to_owned(), Vec::new()),
        StepKind::Abort => ("abort".to_owned(), Vec::new()),
        StepKind::Resume(_) => ("resume".to_owned(), Vec::new()),
    };
    let sentences = texts(all, &sentences);
    view::Step { number: step.number, kind, sentences, line: step.place.line }
}

fn classes(domain: &Domain) -> Vec<view::Class> {
    let mut classes: Vec<view::Class> = (domain.classes.iter())
        .map(|it| view::Class {
            name: it.name.clone(),
            is_abstract: it.is_abstract,
            parents: it.parents.iter().map(|id| domain.classes[*id].name.clone()).collect(),
            attributes: Vec::new(),
        })
        .collect();
    for attribute in &domain.attributes {
        let ty = match attribute.ty {
            AttributeType::Boolean => "Boolean",
            AttributeType::Integer => "Integer",
            AttributeType::Real => "Real",
            AttributeType::Enumeration(id) => &domain.enumerations[id].name,
        };
        use punctual_model::Id;
        let text = format!("{}: {ty}", attribute.name);
        classes[attribute.class.index()].attributes.push(text);
    }
    classes
}

/// Associations as `A.role: B [1..*]`, with the way back if there is one.
fn associations(domain: &Domain) -> Vec<String> {
    let ways = domain.associations.iter().map(|it| {
        let way = |to: usize| {
            let (end, origin) = (&it.ends[to], &it.ends[1 - to]);
            let most = end.multiplicity.most.map_or("*".to_owned(), |it| it.to_string());
            let number = match end.multiplicity.is_one() {
                true => "1".to_owned(),
                false => format!("{}..{most}", end.multiplicity.least),
            };
            let class = |id| domain.classes[id].name.as_str();
            format!("{}.{}: {} [{number}]", class(origin.class), end.name, class(end.class))
        };
        let ways = [1, 0].into_iter().filter(|to| it.ends[*to].is_navigable).map(way);
        ways.collect::<Vec<_>>().join(", ")
    });
    ways.filter(|text| !text.is_empty()).collect()
}

fn constraint(all: &UseCases, it: &Constraint) -> view::Constraint {
    let mut sentences: Vec<String> = Vec::new();
    if let Purpose::Sentences(ids) = &it.purpose {
        for text in texts(all, ids) {
            if !sentences.iter().any(|known| known.eq_ignore_ascii_case(&text)) {
                sentences.push(text);
            }
        }
    }
    view::Constraint {
        class: all.domain.classes[it.context].name.clone(),
        name: it.name.clone(),
        text: it.text.clone(),
        invariant: it.purpose == Purpose::Invariant,
        sentences,
        file: file(all, it.place),
        line: it.place.line,
    }
}
