//! Test code along runs: one text for each run of a suite.

use punctual_lang::testcode::{Code, TestCode, Value};
use punctual_lang::values;
use punctual_model::{Id, LocationId, ProcessId};
use punctual_semantics::concrete::{Concrete, State};
use punctual_semantics::{Move, Rational};
use punctual_testgen::timed::{Criterion, Point, Run, Seen, World, covered, goals};

use crate::view::suite as view;

/// A file of test code.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct File {
    /// Its name, without a folder.
    pub name: String,
    /// What is in it.
    pub text: String,
}

/// The files of runs, numbered from 0: what stands before all code, the code of the locations that processes start in,
/// then for each step the code of locations that are left, of edges, and of locations that are entered, and what stands
/// behind all code. Of several processes that move together, the sender comes first.
///
/// # Errors
/// If a value can not be computed, since an index is out of its range or a number too large.
pub fn files(world: &World<'_>, code: &TestCode, runs: &[Run]) -> Result<Vec<File>, String> {
    let file = |(number, run): (usize, &Run)| {
        let name = format!("{}{number}{}", code.file_name, code.extension);
        let text = text(world, code, run).map_err(|why| format!("`{name}`: {why}"))?;
        Ok(File { name, text })
    };
    runs.iter().enumerate().map(file).collect()
}

fn text(world: &World<'_>, code: &TestCode, run: &Run) -> Result<String, String> {
    let concrete = Concrete::new(&world.specification.network);
    let mut writer = Writer { world, concrete, out: code.prefix.clone() };
    let start = Moment { at: 0, delay: 0, state: writer.state(&run.start, 0) };
    for (process, at) in world.network.processes.ids().zip(&start.state.locations) {
        let code = code.processes.get(process).and_then(|it| it.enter.get(*at));
        writer.write(code, &start, &[])?;
    }
    let (mut before, mut last) = (&run.start, 0);
    for step in &run.steps {
        let delay = step.at - last;
        let leaving = Moment { at: step.at, delay, state: writer.state(before, delay) };
        let entering = Moment { at: step.at, delay, state: writer.state(&step.after, 0) };
        for taken in &step.moves {
            let exit = code.processes.get(taken.process);
            let exit = exit.and_then(|it| it.exit.get(leaving.location(taken.process)));
            writer.write(exit, &leaving, &[])?;
        }
        for taken in &step.moves {
            writer.edge(code, taken, &leaving)?;
        }
        for taken in &step.moves {
            let enter = code.processes.get(taken.process);
            let enter = enter.and_then(|it| it.enter.get(entering.location(taken.process)));
            writer.write(enter, &entering, &[])?;
        }
        (before, last) = (&step.after, step.at);
    }
    Ok(writer.out + &code.postfix)
}

/// A state at an instant, in points of the grid.
struct Moment {
    at: i64,
    delay: i64,
    state: State,
}

impl Moment {
    fn location(&self, process: ProcessId) -> LocationId {
        self.state.locations[process.index()]
    }
}

struct Writer<'w> {
    world: &'w World<'w>,
    concrete: Concrete<'w>,
    out: String,
}

impl Writer<'_> {
    /// A point after some time, with clocks in time units of the model.
    fn state(&self, point: &Point, delay: i64) -> State {
        let n_processes = self.world.network.processes.len();
        let (locations, ints) = point.state.split_at(n_processes);
        let location = |at: &i32| LocationId::from_index(at.unsigned_abs() as usize);
        State {
            locations: locations.iter().map(location).collect(),
            ints: ints.to_vec(),
            clocks: point.clocks.iter().map(|it| self.units(i64::from(*it) + delay)).collect(),
        }
    }

    fn units(&self, points: i64) -> Rational {
        let resolution = self.world.specification.interface().time.resolution;
        Rational::new(points, i64::from(resolution))
    }

    /// The code of an edge, and of the branch that is taken.
    fn edge(&mut self, code: &TestCode, taken: &Move, leaving: &Moment) -> Result<(), String> {
        let edge = code.processes.get(taken.process).and_then(|it| it.edges.get(taken.edge));
        let Some(edge) = edge else { return Ok(()) };
        let process = &self.world.network.processes[taken.process];
        let n_edge = process.edges[taken.edge].selects.len().min(taken.selects.len());
        let (of_edge, of_branch) = taken.selects.split_at(n_edge);
        self.write(Some(&edge.edge), leaving, of_edge)?;
        self.write(edge.branches.get(taken.branch), leaving, of_branch)
    }

    fn write(
        &mut self,
        code: Option<&Code>,
        moment: &Moment,
        selects: &[i32],
    ) -> Result<(), String> {
        let Some(code) = code else { return Ok(()) };
        let mut out = std::mem::take(&mut self.out);
        let written = code.write(&mut out, |value| match value {
            Value::Int(expr) => {
                let value = self.concrete.value_with(&moment.state, expr, selects);
                value.map(|it| it.to_string()).map_err(|fault| fault.kind.to_string())
            }
            Value::Clock(clock) => Ok(decimal(moment.state.clocks[clock.index()])),
            Value::Now => Ok(decimal(self.units(moment.at))),
            Value::Delay => Ok(decimal(self.units(moment.delay))),
        });
        self.out = out;
        written
    }
}

/// A number of time units: whole, a decimal, or else a fraction.
fn decimal(value: Rational) -> String {
    let (above, below): (i128, i128) = (value.numerator().into(), value.denominator().into());
    match below {
        1 => above.to_string(),
        _ => values::real(punctual_model::Rational::new(above, below)),
    }
}

/// How much of the locations and edges of a model some runs cover together.
#[must_use]
pub fn covering<'r>(world: &World<'_>, runs: impl IntoIterator<Item = &'r Run>) -> view::Covered {
    let seen: Vec<Seen> = runs.into_iter().map(|run| covered(&world.network, run)).collect();
    let count = |criterion: Criterion| {
        let goals = goals(world.specification, &[criterion]);
        let is_seen = |goal| seen.iter().any(|it| it.has(goal));
        let covered = goals.iter().filter(|goal| is_seen(**goal)).count();
        view::Count { covered, of: goals.len() }
    };
    view::Covered { edges: count(Criterion::Edges), locations: count(Criterion::Locations) }
}

/// What was written, and what each file covers.
#[must_use]
pub fn written(world: &World<'_>, folder: &str, files: &[File], runs: &[Run]) -> view::TestCode {
    let file = |(file, run): (&File, &Run)| view::TestFile {
        covered: covering(world, [run]),
        file: file.name.clone(),
        steps: run.steps.len(),
    };
    let files = files.iter().zip(runs).map(file).collect();
    view::TestCode { files, folder: folder.to_owned() }
}
