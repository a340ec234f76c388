//! The same errors from use cases: whether one suite finds the same mutants of the derived model as of the finished one.
//!
//! The suite that covers the edges of the finished model is told in the words of the derived one: a scenario takes the place of the event
//! that it dispatches, and ports have the names of objects. Both are scored alike, and mutants are compared by name.

use std::collections::BTreeMap;
use std::path::Path;

use punctual_campaign::score;
use punctual_lang::{Input, usecases};
use punctual_model::testing::suite::{Body, Case, Do, Suite};
use punctual_model::testing::{Action, Interface};
use punctual_model::usecases::{AssignmentKind, Dispatch};
use punctual_model::{PortId, Value};
use punctual_report::fill;
use punctual_semantics::specification::Specification;
use punctual_solver::Solver;
use punctual_testgen::mutation::automata::{Operator, Options, mutants};
use punctual_testgen::mutation::decide::Outcome;
use punctual_testgen::timed::World;
use punctual_testgen::usecases::{self as deriving, As, Derived, paths, values};

use super::{subject, suites};

/// How far bounds are moved, in milliseconds.
const OFFSET: i32 = 100;

/// Compares both models. Gives what is not as it should be.
pub(super) fn compare(folder: &Path, threads: usize) -> Result<Vec<String>, String> {
    let finished = subject::specification(folder, "punctual.toml")?;
    let world = World::new(&finished).map_err(|it| it.construct.to_owned())?;
    let cases = suites::edges(&world)?;
    let (model, derived) = derive(&folder.join("usecases"))?;
    let words = Words::new(finished.interface(), derived.interface(), &model)?;
    let told = cases.iter().map(|case| words.tell(case)).collect::<Result<Vec<_>, _>>()?;
    eprintln!("scoring {} cases on the finished model", cases.len());
    let of_finished = outcomes(&finished, cases, threads);
    eprintln!("scoring the same cases on the derived model");
    let of_derived = outcomes(&derived, told, threads);
    Ok(say(&of_finished, &of_derived))
}

/// Derives the model, and reads what is written of it as users do.
fn derive(folder: &Path) -> Result<(Derived, Specification), String> {
    let files = usecases::load(folder)?;
    let inputs: Vec<Input<'_>> = files.iter().map(|(name, bytes)| Input { name, bytes }).collect();
    let found = usecases::read(&inputs);
    let (Some(all), Some(network)) = (&found.value, &found.network) else {
        return Err("the use cases are wrong".to_owned());
    };
    let solver = Solver::find().map_err(|it| it.to_string())?;
    let initial = deriving::initial(all, network);
    let options = values::Options { initial, ..values::Options::default() };
    let solving = values::Solving::new(all, &solver, options);
    let mut solving = solving.map_err(|it| it.to_string())?;
    let scenarios = paths::scenarios(all, &mut solving, paths::Limits::default());
    let derived = deriving::derive(all, &scenarios, network, As::Exact)
        .map_err(|problems| problems.iter().map(ToString::to_string).collect::<String>())?;
    let files = fill::derived::files(&derived)
        .map_err(|problems| problems.iter().map(ToString::to_string).collect::<String>())?;
    let specification = subject::of_texts(files.model.as_bytes(), files.interface.as_bytes())?;
    Ok((derived, specification))
}

/// How the finished model's interface is called in the derived one.
struct Words<'w> {
    from: &'w Interface,
    to: &'w Interface,
    /// By the name of an event, with the number of its error: the scenario, and what the tester gives.
    scenarios: BTreeMap<String, (String, Vec<Value>)>,
}

impl<'w> Words<'w> {
    fn new(from: &'w Interface, to: &'w Interface, derived: &Derived) -> Result<Self, String> {
        let mut scenarios = BTreeMap::new();
        for event in &derived.links.events {
            let process = &derived.network.processes[event.process].name;
            let channel = &derived.network.channels[event.channel].name;
            let Dispatch::Scenarios(by) = &event.by else {
                return Err(format!("`{channel}` of `{process}` is not linked"));
            };
            let number = process.trim_start_matches("Error");
            for id in by {
                let scenario = &derived.scenarios.scenarios[*id];
                let given = scenario.assignments.iter();
                let given = given.filter(|it| it.kind == AssignmentKind::Input);
                let values = given.map(|it| it.value).collect();
                let meant = (scenario.name.clone(), values);
                let event = format!("{channel}[{number}]");
                let before = scenarios.insert(event.clone(), meant.clone());
                if before.is_some_and(|it| it != meant) {
                    return Err(format!("several scenarios dispatch `{event}`"));
                }
            }
        }
        Ok(Words { from, to, scenarios })
    }

    /// A case in the words of the derived model.
    fn tell(&self, case: &Case) -> Result<Case, String> {
        let Body::Timed(parts) = &case.body else { return Ok(case.clone()) };
        let part = |part: &Do| {
            Ok(match part {
                Do::Send(action) => Do::Send(self.action(action)?),
                Do::Check(check) => {
                    let mut check = check.clone();
                    let all = check.allowed.iter_mut().flatten().chain(&mut check.expected);
                    for (port, _) in all {
                        *port = self.port(*port)?;
                    }
                    Do::Check(check)
                }
                Do::Wait(_) | Do::Expect(_) => part.clone(),
            })
        };
        let parts = parts.iter().map(part).collect::<Result<_, String>>()?;
        Ok(Case { body: Body::Timed(parts), ..case.clone() })
    }

    fn action(&self, action: &Action) -> Result<Action, String> {
        let name = &self.from.signals[action.signal].name;
        let (name, values) = match self.scenarios.get(name) {
            Some((scenario, values)) => (scenario, values),
            None => (name, &action.values),
        };
        let signal = self.to.signal(name).ok_or_else(|| format!("there is no input `{name}`"))?;
        Ok(Action { signal, values: values.clone() })
    }

    /// `isDetected[7]` is `Error7.isDetected`.
    fn port(&self, port: PortId) -> Result<PortId, String> {
        let name = &self.from.ports[port].name;
        let told = name.trim_end_matches(']').split_once('[');
        let told = told.map(|(what, number)| format!("Error{number}.{what}"));
        let found = told.and_then(|it| self.to.port(&it));
        found.ok_or_else(|| format!("there is no port for `{name}`"))
    }
}

/// What the cases say of each mutant, by its name.
fn outcomes(of: &Specification, cases: Vec<Case>, threads: usize) -> BTreeMap<String, Outcome> {
    let options =
        Options { operators: Operator::PAPER.to_vec(), offset: OFFSET, environment: false };
    let mutants = mutants(&of.network, &of.split.sides, &options);
    let benches = score::benches(of, &mutants);
    let suite = Suite { cases, ..Suite::default() };
    let found = score::score(&benches, &mutants, &suite, threads, &mut |_| true);
    let best = |of: Vec<Outcome>| of.into_iter().max().unwrap_or(Outcome::Unknown);
    mutants.into_iter().map(|it| it.name).zip(found.into_iter().map(best)).collect()
}

/// Prints both side by side, and gives what is not as it should be.
fn say(finished: &BTreeMap<String, Outcome>, derived: &BTreeMap<String, Outcome>) -> Vec<String> {
    let at_least = |of: &BTreeMap<String, Outcome>, least: Outcome| {
        of.values().filter(|it| **it >= least).count()
    };
    println!("| model | mutants | may fail | must fail |\n|---|---:|---:|---:|");
    for (name, of) in [("finished", finished), ("from use cases", derived)] {
        let (may, must) = (at_least(of, Outcome::May), at_least(of, Outcome::Must));
        println!("| {name} | {} | {may} | {must} |", of.len());
    }
    let mut problems = Vec::new();
    if !finished.keys().eq(derived.keys()) {
        problems.push("the models have different mutants".to_owned());
    }
    let differing = finished.iter().filter(|(name, outcome)| derived.get(*name) != Some(outcome));
    let differing: Vec<&str> = differing.map(|(name, _)| name.as_str()).collect();
    println!("\nDifferent outcomes: {}: {}.", differing.len(), differing.join(", "));
    let is_found = |of: &BTreeMap<String, Outcome>, name: &str| of.get(name) >= Some(&Outcome::May);
    for name in finished.keys().filter(|it| is_found(finished, it) != is_found(derived, it)) {
        problems.push(format!("the suite finds `{name}` of one model only"));
    }
    // The README says why these may differ.
    let is_explained = |it: &&&str| it.starts_with("self-loop-") && it.ends_with("-e1");
    for name in differing.iter().filter(|it| !is_explained(it)) {
        problems.push(format!("`{name}` has other outcomes, which nothing explains"));
    }
    problems
}
