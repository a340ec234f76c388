//! From use cases to scenarios, with values that somebody else finds.

use std::collections::BTreeSet;

use punctual_model::{
    FlowId, IdVec, UseCaseId,
    usecases::{FlowKind, Objective, Path, Scenario, Scenarios, Uncovered, UseCases, Why},
};

use super::{CoveringPath, Event, Feasible, Limits, Missed, cover, covered, walk};

/// Finds values for paths.
pub trait Values: Feasible {
    /// Values that take a whole path. The name of the scenario and what it covers are said by [`scenarios`].
    ///
    /// # Errors
    /// If there are none, or nobody knows.
    fn solve(&mut self, path: &Path) -> Result<Scenario, Why>;

    /// How many objects of a class are tried at most, where nothing says how many there are.
    fn objects(&self) -> u32 {
        super::super::values::OBJECTS
    }

    /// Says why no values take a begin of a path.
    fn explain(&mut self, begin: &Path) -> Why;
}

/// Looks for scenarios that cover every flow and every branch of use cases. Names are `S1`, `S2` and so on, in the order of what the scenarios were looked for, each followed by a word for each of the first three
/// alternative flows that the path takes: the name of the flow (`S4_Seat`), else its number in the text (`S2_F2_2`), else its position among the flows of its use case (`S3_F2`). Such names are legal
/// in UPPAAL, and no two are equal.
pub fn scenarios(all: &UseCases, values: &mut dyn Values, limits: Limits) -> Scenarios {
    let found = cover(all, values, limits);
    // What is covered first by a path without values may be covered by a later one.
    let mut left: BTreeSet<Objective> =
        found.paths.iter().flat_map(|it| it.covers.iter().copied()).collect();
    let mut uncovered: Vec<Uncovered> = Vec::new();
    let mut unsolved: Vec<(Vec<Objective>, Why)> = Vec::new();
    let mut scenarios = IdVec::new();
    for CoveringPath { path, .. } in found.paths {
        let mut covers = covered(all, &path);
        match values.solve(&path) {
            Ok(scenario) => {
                covers.retain(|it| left.remove(it));
                covers.sort_by_key(|it| order(*it));
                let name = name(all, &path, scenarios.len() + 1);
                scenarios.push(Scenario { name, path, covers, ..scenario });
            }
            Err(why) => unsolved.push((covers, why)),
        }
    }
    for (covers, why) in unsolved {
        let missed = covers.into_iter().filter(|it| left.remove(it));
        uncovered.extend(missed.map(|objective| Uncovered { objective, why: why.clone() }));
    }
    uncovered.extend(found.missed.into_iter().map(|(objective, missed)| {
        let why = match missed {
            Missed::Contradiction(begin) => values.explain(&begin),
            Missed::Limit(why) => Why::Limit(why),
            Missed::Unknown(why) => Why::Unknown(why),
        };
        Uncovered { objective, why }
    }));
    uncovered.sort_by_key(|it| order(it.objective));
    Scenarios { scenarios, uncovered, rounds: limits.visits, objects: values.objects() }
}

/// The order of use cases and flows; a flow before its branches.
fn order(objective: Objective) -> (UseCaseId, FlowId, Option<Objective>) {
    match objective {
        Objective::Flow(use_case, flow) => (use_case, flow, None),
        Objective::Branch(use_case, at, _) => (use_case, at.flow, Some(objective)),
    }
}

/// How many alternative flows the name of a scenario tells.
const TOLD_MAX: usize = 3;

/// The name of the scenario of a path.
fn name(all: &UseCases, path: &Path, number: usize) -> String {
    let mut told: Vec<(UseCaseId, FlowId)> = Vec::new();
    let happenings = walk(all, path).map(|walk| walk.happenings).unwrap_or_default();
    for it in happenings {
        if let Event::FlowBegins { use_case, flow } = it.event
            && all.use_cases[use_case].flows[flow].kind != FlowKind::Basic
            && !told.contains(&(use_case, flow))
        {
            told.push((use_case, flow));
        }
    }
    let words = told.iter().take(TOLD_MAX).map(|(use_case, flow)| word(all, *use_case, *flow));
    [format!("S{number}")].into_iter().chain(words).collect::<Vec<_>>().join("_")
}

/// A word for a flow.
fn word(all: &UseCases, use_case: UseCaseId, flow: FlowId) -> String {
    let title = &all.use_cases[use_case].flows[flow].title;
    let legal = |text: &str| -> String {
        let words = text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|it| !it.is_empty());
        words.collect::<Vec<_>>().join("_")
    };
    let name = title.split_once(" - ").map(|(_, name)| legal(name)).unwrap_or_default();
    let first = title.split_whitespace().next().unwrap_or_default();
    let number =
        if first.starts_with(|c: char| c.is_ascii_digit()) { legal(first) } else { String::new() };
    match (name.as_str(), number.as_str()) {
        ("", "") => format!("F{}", punctual_model::Id::index(flow) + 1),
        ("", number) => format!("F{number}"),
        (name, _) => name.to_owned(),
    }
}
