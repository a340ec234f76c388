//! Ways to choose inputs, compared: the mutants of the paper, and small models of several kinds.

use std::fmt::Write as _;

use punctual_oracle::conformance::Specification;

use super::models::{self, Count};
use super::runs::{self, Choice, Row, Task};

/// Runs of each small model, at most.
const RUNS_MAX: u64 = 50;
/// The seed of models that are kept apart is another one.
const APART: u64 = 1000;

/// The means of ways to choose, in the order of [`Choice::ALL`].
pub(super) struct Compared {
    /// Inputs until each mutant dies.
    mutants: Vec<(usize, [f64; 3])>,
    /// Inputs until M6 dies, with another seed.
    apart: [f64; 3],
    /// Steps until all edges are covered.
    steps: [f64; 3],
    /// Small models: name, whether it was kept apart, and counts.
    models: Vec<(String, bool, [Count; 3])>,
}

pub(super) fn compared(
    specification: &Specification,
    task: &Task,
    rows: &[(usize, Row)],
    folder: Option<&std::path::Path>,
) -> Result<Compared, String> {
    let mean = |task: &Task, of: fn(&Row) -> f64| {
        Choice::ALL.map(|choice| of(&runs::many(specification, &Task { choice, ..*task })))
    };
    let mut mutants = Vec::new();
    for mutant in 1..=6 {
        let known = rows.iter().find(|(number, _)| *number == mutant);
        let of = |choice: Choice| match (choice, known) {
            (Choice::Chance, Some((_, row))) => row.inputs.mean(),
            _ => runs::many(specification, &Task { mutant, choice, ..*task }).inputs.mean(),
        };
        let means = Choice::ALL.map(of);
        eprintln!("M{mutant}: {means:.1?} inputs");
        mutants.push((mutant, means));
    }
    let apart = Task { mutant: 6, seed: task.seed + APART, ..*task };
    let apart = mean(&apart, |row| row.inputs.mean());
    let cover = Task { mutant: 0, until_covered: true, runs: task.runs.min(200), ..*task };
    let steps = mean(&cover, |row| row.steps.mean());
    let mut small = Vec::new();
    let folders = folder.map(|it| [(false, it.to_owned()), (true, it.join("apart"))]);
    for (is_apart, folder) in folders.into_iter().flatten() {
        let seed = task.seed + if is_apart { APART } else { 0 };
        for model in models::read(&folder)? {
            let runs = task.runs.min(RUNS_MAX);
            let of = |choice| model.count(choice, seed, runs, task.n_threads);
            let counts = Choice::ALL.map(of);
            eprintln!("{}: {:.1?} inputs", model.name, counts.map(Count::mean));
            small.push((model.name.clone(), is_apart, counts));
        }
    }
    Ok(Compared { mutants, apart, steps, models: small })
}

impl Compared {
    /// What is not as it should be.
    pub(super) fn problems(&self) -> Vec<String> {
        let mut problems = Vec::new();
        for (name, _, [_, chance, guided]) in &self.models {
            if guided.is_worse_than(*chance) {
                let (chance, guided) = (chance.mean(), guided.mean());
                problems.push(format!("{name}: {guided:.1} inputs guided, {chance:.1} by chance"));
            }
        }
        for (mutant, [anywhere, chance, guided]) in &self.mutants {
            // Other mutants must not die later than by the choice that M6 outlived for so long.
            let most = if *mutant == 6 { (14.0, 8.0) } else { (*anywhere, *anywhere) };
            if *chance > most.0 || *guided > most.1 {
                problems.push(format!(
                    "M{mutant}: {guided:.1} inputs guided, {chance:.1} by chance, {anywhere:.1} at random instants"
                ));
            }
        }
        problems
    }

    pub(super) fn tables(&self) -> String {
        let mut text = "\nWays to choose inputs, mean inputs until a mutant dies:\n\n\
             | | at random instants | default | guided |\n|---|---:|---:|---:|\n"
            .to_owned();
        let mut line = |name: &str, means: &[f64; 3]| {
            let [anywhere, chance, guided] = means;
            let _ = writeln!(text, "| {name} | {anywhere:.1} | {chance:.1} | {guided:.1} |");
        };
        for (mutant, means) in &self.mutants {
            line(&format!("M{mutant}"), means);
        }
        line("M6, other seeds", &self.apart);
        line("M0: steps until all edges are covered", &self.steps);
        text += "\nSmall models with one fault each, mean inputs until it is found; in brackets how many of the runs found it, if \
             not all. Those below were kept apart until the rules were fixed, and have other seeds:\n\n\
             | model | at random instants | default | guided |\n|---|---:|---:|---:|\n";
        let mut was_apart = false;
        for (name, is_apart, counts) in &self.models {
            if *is_apart && !was_apart {
                text.push_str("| *kept apart* | | | |\n");
            }
            was_apart = *is_apart;
            let _ = write!(text, "| {name} |");
            for count in counts {
                let _ = write!(text, " {:.1}", count.mean());
                if count.found < count.runs {
                    let _ = write!(text, " ({} of {})", count.found, count.runs);
                }
                text.push_str(" |");
            }
            text.push('\n');
        }
        text
    }
}
