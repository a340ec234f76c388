//! Runs that are recorded: for `simulate`, and to show how a run came to an error.

use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};

use punctual_model::{Network, RunBound, StateExpr};
use punctual_semantics::program::Chance;
use punctual_semantics::stochastic::{Problem, Simulator, State, Stochastic, Value, Watch};

use crate::chance::Stream;
use crate::check::{End, Meter, compile};
use crate::parallel::numbered;
use crate::run::{Bound, Witness, go};
use crate::{
    Answer, Observer, Options, Outcome, Refusal, RunError, Step, Trajectories, Trajectory,
};

/// The bytes of a value and where it was taken.
const POINT: usize = size_of::<(f64, f64)>();

/// About how many bytes an allocation needs beyond what it holds.
const ALLOCATION: usize = 16;

/// The last steps of a run with an error that are shown.
const STEPS: usize = 50;

/// Answers `simulate`.
pub(crate) fn record(
    network: &Network,
    (bound, of, filter): (&RunBound, &[StateExpr], Option<&StateExpr>),
    runs: u64,
    accepted: Option<u32>,
    options: &Options,
    observer: &mut dyn Observer,
) -> Result<Outcome, Refusal> {
    let (model, (bound, of, filter)) = compile(network, &options.budget, |builder| {
        let bound = Bound::new(builder, bound)?;
        let filter = filter.map(|filter| Watch::new(builder, filter)).transpose()?;
        let of: Result<Vec<Value>, _> = of.iter().map(|it| Value::new(builder, it)).collect();
        Ok((bound, of?, filter))
    })?;
    let mut meter = Meter::new(observer, Some(runs), &options.budget);
    let steps = of.iter().map(|value| !value.moves).collect();
    let mut trajectories = Trajectories { runs: Vec::new(), steps };
    let kept = AtomicU64::new(0);
    let recorder = || Recorder {
        of: &of,
        bound: &bound,
        filter: filter.as_ref(),
        accepted: filter.is_none(),
        values: vec![Vec::new(); of.len()],
        held: 0,
        kept: &kept,
    };
    let make = |run: &mut Simulator<'_>, number| {
        let stream = &mut Stream::of_run(options.seed, number);
        let mut recorder = recorder();
        go(run, &bound, &mut recorder, stream)?;
        Ok((recorder.accepted, recorder.values, run.state().steps))
    };
    let start = || Simulator::new(&model);
    let enough = accepted.map_or(usize::MAX, |accepted| accepted as usize);
    let end = numbered(options.threads, runs, start, make, |number, recorded: Recorded| {
        let (is_accepted, values, transitions) = match recorded {
            Ok(recorded) => recorded,
            Err(problem) => return ControlFlow::Break(End::of(number, problem, &options.budget)),
        };
        if is_accepted {
            let before = kept.fetch_add(bytes(&values), Ordering::Relaxed);
            options.budget.hold(before + bytes(&values));
            trajectories.runs.push(Trajectory { run: number, values });
        }
        meter.count(transitions, is_accepted)?;
        match trajectories.runs.len() >= enough {
            true => ControlFlow::Break(End::Enough),
            false => ControlFlow::Continue(()),
        }
    });
    let answer = Answer::Trajectories(trajectories);
    Ok(meter.finish(answer, end, |run, problem| {
        replay(&model, &bound, recorder(), options, run, problem)
    }))
}

/// About how many bytes are held for a run with these values. A list that grows has room for up to twice as many.
fn bytes(values: &[Vec<(f64, f64)>]) -> u64 {
    let points = |it: &Vec<(f64, f64)>| it.capacity() * POINT + size_of_val(it) + ALLOCATION;
    let own = 2 * size_of::<Trajectory>() + ALLOCATION;
    (own + values.iter().map(points).sum::<usize>()) as u64
}

/// Whether a run counts, its values, and the number of its transitions.
type Recorded = Result<(bool, Vec<Vec<(f64, f64)>>, u32), Problem>;

struct Recorder<'q> {
    of: &'q [Value],
    bound: &'q Bound,
    filter: Option<&'q Watch>,
    accepted: bool,
    values: Vec<Vec<(f64, f64)>>,
    /// Bytes of the values.
    held: u64,
    /// Bytes of the runs before.
    kept: &'q AtomicU64,
}

impl Witness for Recorder<'_> {
    fn delay(
        &mut self,
        run: &mut Simulator<'_>,
        delay: f64,
        chance: &mut dyn Chance,
    ) -> Result<Option<f64>, Problem> {
        if let Some(filter) = self.filter.filter(|_| !self.accepted) {
            self.accepted = run.first(filter, true, delay, chance)?.is_some();
        }
        Ok(None)
    }

    fn state(&mut self, run: &mut Simulator<'_>, chance: &mut dyn Chance) -> Result<(), Problem> {
        let place = self.bound.place(run, chance)?;
        for (value, points) in self.of.iter().zip(&mut self.values) {
            let point = (place, run.value(value, chance)?);
            if points.last() != Some(&point) {
                if points.len() == points.capacity() {
                    // For a moment there are the old ones and twice as many new ones.
                    self.held += (points.capacity().max(4) * POINT) as u64;
                    let kept = self.kept.load(Ordering::Relaxed);
                    run.budget().hold(kept + 2 * self.held);
                    run.look()?;
                }
                points.push(point);
            }
        }
        Ok(())
    }
}

/// Makes a run once more, to tell how it came to its error. The witness is the one that saw it, since
/// what it looks at may be the error.
pub(crate) fn replay(
    model: &Stochastic,
    bound: &Bound,
    witness: impl Witness,
    options: &Options,
    number: u64,
    problem: Problem,
) -> Answer {
    let mut run = Simulator::new(model);
    let mut log = Log {
        witness,
        start: State::default(),
        is_started: false,
        steps: VecDeque::new(),
        seen: 0,
    };
    // The same stream gives the same run, up to the same error.
    let _ = go(&mut run, bound, &mut log, &mut Stream::of_run(options.seed, number));
    let omitted = log.seen - log.steps.len() as u64;
    // A run that has no first state to look at ends before anything is noted: it starts where it ends.
    if !log.is_started {
        log.start.clone_from(run.state());
    }
    Answer::Error(Box::new(RunError {
        run: number,
        problem,
        start: log.start,
        steps: log.steps.into(),
        omitted,
        state: run.state().clone(),
    }))
}

/// Notes the last steps for another witness.
struct Log<W> {
    witness: W,
    /// The state before the steps.
    start: State,
    /// Whether the run has a first state.
    is_started: bool,
    steps: VecDeque<Step>,
    seen: u64,
}

impl<W: Witness> Witness for Log<W> {
    fn delay(
        &mut self,
        run: &mut Simulator<'_>,
        delay: f64,
        chance: &mut dyn Chance,
    ) -> Result<Option<f64>, Problem> {
        self.witness.delay(run, delay, chance)
    }

    fn state(&mut self, run: &mut Simulator<'_>, chance: &mut dyn Chance) -> Result<(), Problem> {
        if self.seen == 0 && run.state().time == 0.0 {
            self.start.clone_from(run.state());
            self.is_started = true;
        }
        self.witness.state(run, chance)
    }

    fn acted(&mut self, run: &mut Simulator<'_>) {
        self.seen += 1;
        if self.steps.len() == STEPS
            && let Some(first) = self.steps.pop_front()
        {
            self.start = first.state;
            self.is_started = true;
        }
        let state = run.state().clone();
        let (moves, channel) = (run.moves(), run.channel());
        self.steps.push_back(Step { time: state.time, moves, channel, state });
        self.witness.acted(run);
    }
}
