//! From a run to a case: inputs, waits and checks (section IX of the TAUC paper).
//!
//! Inputs are sent when the run says. What may be read then, and when, follows from the specification alone: all
//! states of each part that explain the inputs, whatever it has sent meanwhile. Around each change of what may be read
//! there is a check just before it is possible, since too early is a fault, too, and one just behind the last instant
//! at which it may not have happened; and one behind an input that writes what is read. Each says what is expected (what the run shows) and all that is allowed.
//!
//! Outputs are expected where every right system sends them (`outputs.rs`).
//!
//! Inputs arrive late and readings are old by the interface's uncertainty; checks make way for both.
//!
//! **Invariant:** a system that does what the specification allows never fails a case, whatever it chooses.

use std::collections::BTreeMap;

use punctual_model::testing::suite::{About, Check, Do, Expect};
use punctual_model::{Action, EdgeId, Id, PortId, ProcessId, Value};
use punctual_semantics::estimate::{
    End, Estimate, Interval, Observation, Overflow, Role, ValueWindows, What,
};
use punctual_semantics::split::Side;

use super::outputs::{Certain, certain};
use super::pieces::Piece;
use super::refused::Refused;
use super::walk::{Run, Taken, Wait};
use super::world::{Kind, World};

/// Says which requirement an edge stands for.
pub type Requirements<'r> = dyn Fn(ProcessId, EdgeId) -> Option<String> + 'r;

/// Makes cases of runs.
pub struct Deriver<'w> {
    world: &'w World<'w>,
    wait: Wait,
    parts: Vec<Observed<'w>>,
    refused: Refused<'w>,
    /// The least and the greatest delay of an input, and the greatest age of a reading, in points of the grid.
    input: (i64, i64),
    age: i64,
}

/// A piece of the system that can be read.
struct Observed<'w> {
    estimate: Estimate<'w>,
    piece: &'w Piece,
}

/// A check, and when it is made.
struct Timed {
    at: i64,
    /// Its place among the steps of the run that happen at the same instant: twice the position of the step that it
    /// stands before.
    place: usize,
    check: Check,
}

impl<'w> Deriver<'w> {
    /// Cases of a model.
    ///
    /// # Errors
    /// If the model is in error from the start.
    pub fn new(world: &'w World<'w>, wait: Wait) -> Result<Deriver<'w>, Overflow> {
        let mut parts = Vec::new();
        for piece in world.pieces.iter().filter(|it| !it.ports.is_empty()) {
            parts.push(Observed { estimate: Estimate::new(&piece.estimator)?, piece });
        }
        let input = world.input_delay();
        let age = world.points(world.specification.interface().uncertainty.output_ns.1, true);
        Ok(Deriver { world, wait, parts, refused: Refused::new(world)?, input, age })
    }

    /// What the ports show at the start of the model.
    #[must_use]
    pub fn initial(&self) -> BTreeMap<PortId, Value> {
        let start = self.world.start();
        let interface = self.world.specification.interface();
        let of = |part: &Observed<'_>| -> Vec<(PortId, Value)> {
            let value = |(port, at): (&PortId, &usize)| {
                (*port, interface.ports[*port].ty.of_int(start.state[*at]))
            };
            part.piece.ports.iter().zip(&part.piece.whole).map(value).collect()
        };
        self.parts.iter().flat_map(of).collect()
    }

    /// The case of a run: what it does, and what it is about.
    ///
    /// # Errors
    /// If the model is in error, or may be in too many states.
    pub fn case(
        &mut self,
        run: &Run,
        requirements: &Requirements<'_>,
    ) -> Result<(Vec<Do>, About), Overflow> {
        self.case_reading(run, &[], requirements)
    }

    /// The same, with further checks: instants, and the processes whose parts are read then.
    ///
    /// # Errors
    /// If the model is in error, or may be in too many states.
    pub fn case_reading(
        &mut self,
        run: &Run,
        also: &[(i64, ProcessId)],
        requirements: &Requirements<'_>,
    ) -> Result<(Vec<Do>, About), Overflow> {
        let mut checks = Vec::new();
        // By how much the clock of the system may be off in the end; that is more than it is before.
        let last = also.iter().map(|(at, _)| *at).fold(run.end(), i64::max);
        let last = last + self.input.1 + self.age + 1;
        let drift = self.world.drift(last);
        let (input, age) = ((self.input.0 - drift, self.input.1 + drift), self.age + drift);
        for part in &mut self.parts {
            let reader = Reader {
                world: self.world,
                wait: self.wait,
                input,
                age,
                drift,
                run,
                also,
                requirements,
            };
            reader.checks(part, &mut checks)?;
        }
        // Nothing is known of a system that may not have taken an input.
        let known = self.refused.known(run)?;
        checks.retain(|it| it.place <= 2 * known);
        let is_uncertain = checks.iter().any(|it| it.check.allowed.len() > 1);
        let about = About { is_uncertain, ..about(self.world, run) };
        let specification = self.world.specification;
        let mut outputs = Vec::new();
        for (_, part) in specification.side(Side::System) {
            outputs.extend(certain(self.world, part, run, input)?);
        }
        if let Some(refused) = run.steps.get(known) {
            outputs.retain(|it| it.step < known && it.window.1 < refused.at);
        }
        Ok((self.parts_of(run, checks, &outputs, input.1 + age, requirements), about))
    }

    /// Inputs, expected outputs and checks, in the order of time. What happens may be seen `late` by so many points.
    fn parts_of(
        &self,
        run: &Run,
        checks: Vec<Timed>,
        outputs: &[Certain],
        late: i64,
        requirements: &Requirements<'_>,
    ) -> Vec<Do> {
        let instants = self.world.specification.instants;
        let mut all: Vec<(i64, usize, Do)> = Vec::new();
        for Timed { at, place, check } in checks {
            all.push((at, place, Do::Check(check)));
        }
        for (number, step) in run.steps.iter().enumerate() {
            if let Kind::Input(_) = step.kind {
                all.push((step.at, 2 * number + 1, Do::Send(action(self.world, step))));
            }
        }
        for Certain { step: number, window: (from, to) } in outputs {
            let step = &run.steps[*number];
            let requirement = step.moves.iter().find_map(|it| requirements(it.process, it.edge));
            let (from_ns, to_ns) = (0, instants.ns(*to) - instants.ns(*from));
            let action = action(self.world, step);
            let expect = Expect { action, from_ns, to_ns, requirement };
            all.push((*from, 2 * number, Do::Expect(expect)));
        }
        all.sort_by_key(|(at, place, _)| (*at, *place));
        let mut parts = Vec::new();
        let mut now_ns = 0;
        for (at, _, part) in all {
            let at_ns = instants.ns(at);
            if at_ns > now_ns {
                parts.push(Do::Wait(at_ns - now_ns));
                now_ns = at_ns;
            }
            parts.push(part);
        }
        // What the system does last must have been seen when the case is over.
        let is_ours = run.steps.last().is_none_or(|step| step.kind.is_ours());
        let patience = match self.wait == Wait::Behind && !is_ours {
            true => late + 1,
            false => 0,
        };
        let end_ns = instants.ns(run.end() + patience);
        if end_ns > now_ns {
            parts.push(Do::Wait(end_ns - now_ns));
        }
        parts
    }
}

/// When an input that is sent at an instant reaches the system, by the clock of the system.
pub(super) fn arrival(at: i64, (least, most): (i64, i64)) -> Interval {
    Interval::new(End::at((at + least).max(0)), End::at(at + most))
}

/// The signal of a step, with its values.
pub(super) fn action(world: &World<'_>, step: &Taken) -> Action {
    let (Kind::Input(signal) | Kind::Output(signal)) = step.kind else {
        unreachable!("only signals are actions")
    };
    let carried = &world.specification.interface().signals[signal].values;
    let ints = world.carried(signal, &step.after.state);
    let values = carried.iter().zip(ints).map(|(carried, int)| carried.ty.of_int(int)).collect();
    Action { signal, values }
}

/// The path of a run, and where the processes of the system that moved end.
fn about(world: &World<'_>, run: &Run) -> About {
    let interface = world.specification.interface();
    let path = run.steps.iter().map(|step| match step.kind {
        Kind::Input(signal) | Kind::Output(signal) => {
            interface.signal_text(signal, &action(world, step).values)
        }
        Kind::System | Kind::Environment => {
            let moves = step.moves.iter().map(|it| world.edge_name(it.process, it.edge));
            moves.collect::<Vec<_>>().join(", ")
        }
    });
    let path = path.collect();
    let moved = |process: ProcessId| {
        run.steps.iter().any(|step| step.moves.iter().any(|it| it.process == process))
    };
    let ends = world.specification.split.processes(Side::System).filter(|it| moved(*it));
    let ends_in = ends.map(|process| {
        let at = run.last().state[process.index()].unsigned_abs() as usize;
        let process = &world.network.processes[process];
        let location = process.locations.get(Id::from_index(at)).map_or("?", |it| &it.name);
        format!("{}.{location}", process.name)
    });
    About { path, ends_in: ends_in.collect(), is_uncertain: false }
}

/// Looks at one part along a run.
struct Reader<'r> {
    world: &'r World<'r>,
    wait: Wait,
    input: (i64, i64),
    age: i64,
    /// By how much the clock of the system may be off; that is in `input` and `age`, too.
    drift: i64,
    run: &'r Run,
    /// Further checks: instants, and processes.
    also: &'r [(i64, ProcessId)],
    requirements: &'r Requirements<'r>,
}

/// A stretch of time in which a part receives nothing.
struct Stretch {
    /// The position of the step that begins it, if one does.
    begins: Option<usize>,
    /// The first instant at which what was sent has arrived.
    from: i64,
    /// The last instant before the next input is sent.
    to: i64,
    /// The position of the step that ends it.
    ends: usize,
}

impl Reader<'_> {
    fn checks(&self, part: &mut Observed<'_>, checks: &mut Vec<Timed>) -> Result<(), Overflow> {
        part.estimate.restart()?;
        let estimator = part.estimate.estimator();
        let concerns = |step: &Taken| matches!(step.kind, Kind::Input(signal) if estimator.role(signal) != Role::None);
        let steps = &self.run.steps;
        let mut begins = None;
        loop {
            let next = begins.map_or(0, |at: usize| at + 1);
            let ends = (next..steps.len()).find(|at| concerns(&steps[*at]));
            let sent = begins.map_or(0, |at: usize| steps[at].at);
            // What is read at the instant at which an input arrives late may have been there before it.
            let is_exact = self.input.1 + self.age == 0;
            let arrived = begins.map_or(0, |_| sent + self.input.1 + i64::from(!is_exact));
            let to = match ends {
                Some(at) => steps[at].at,
                None => self.end() + self.input.1 + self.age + 1,
            };
            let stretch = Stretch { begins, from: arrived, to, ends: ends.unwrap_or(steps.len()) };
            if stretch.from <= stretch.to {
                self.stretch(part, &stretch, checks)?;
            }
            let Some(at) = ends else { return Ok(()) };
            let step = &steps[at];
            let Kind::Input(signal) = step.kind else { unreachable!("inputs were looked for") };
            let values = self.world.carried(signal, &step.after.state);
            let interval = arrival(step.at, self.input);
            let what = What::Signal { signal, values: &values };
            if part.estimate.observe(&Observation { what, interval })?.is_err() {
                // The part does not say what it does then; nothing can be said of it any more.
                return Ok(());
            }
            begins = Some(at);
        }
    }

    /// The last instant that something is known of.
    fn end(&self) -> i64 {
        self.also.iter().map(|(at, _)| *at).fold(self.run.end(), i64::max)
    }

    /// The checks of a stretch.
    fn stretch(
        &self,
        part: &mut Observed<'_>,
        stretch: &Stretch,
        checks: &mut Vec<Timed>,
    ) -> Result<(), Overflow> {
        let windows =
            part.estimate.reading_windows(&part.piece.positions, stretch.to + self.drift)?;
        let mut instants = Vec::new();
        match self.wait {
            Wait::Behind => {
                for interval in windows.iter().flat_map(|(_, intervals)| intervals) {
                    // What is possible from the start on does not open.
                    if interval.from.at > stretch.from {
                        instants.push(interval.from.at - i64::from(!interval.from.open));
                    }
                    if let Some(to) = interval.to.filter(|to| to.at < stretch.to) {
                        instants.push(to.at + i64::from(!to.open) + self.age);
                    }
                }
            }
            Wait::End | Wait::Middle | Wait::Start => {
                for (at, step) in self.hidden(part, stretch) {
                    if self.shown(part, at) != self.shown(part, at + 1) {
                        instants.push(step.at);
                    }
                }
            }
        }
        if let Some(at) = stretch.begins
            && (self.shown(part, at) != self.shown(part, at + 1) || self.sets(part, at))
        {
            instants.push(stretch.from + self.age);
        }
        let also = self.also.iter().filter(|(_, process)| part.piece.processes.contains(process));
        instants.extend(also.map(|(at, _)| *at));
        instants.retain(|at| (stretch.from + self.age..=stretch.to).contains(at));
        instants.sort_unstable();
        instants.dedup();
        for at in instants {
            // Right behind the input that begins the stretch, or before the one that ends it.
            let place = match stretch.begins {
                Some(step) if self.run.steps[step].at == at => 2 * step + 2,
                _ => 2 * stretch.ends,
            };
            if let Some(check) = self.check(part, stretch, &windows, at) {
                checks.push(Timed { at, place, check });
            }
        }
        Ok(())
    }

    /// Whether a step writes what is read of a part, be it the same as before: a system that writes something else is wrong, too.
    fn sets(&self, part: &Observed<'_>, step: usize) -> bool {
        let split = &self.world.specification.split;
        let n_processes = self.world.network.processes.len();
        let slots = part.piece.whole.iter().filter_map(|at| at.checked_sub(n_processes));
        let slots: Vec<u32> = slots.map(|slot| slot as u32).collect();
        self.run.steps[step]
            .moves
            .iter()
            .any(|it| slots.iter().any(|slot| split.edge_writes((it.process, it.edge), *slot)))
    }

    /// The steps of a stretch that the part takes unseen, with their positions.
    fn hidden<'s>(
        &'s self,
        part: &'s Observed<'_>,
        stretch: &Stretch,
    ) -> impl Iterator<Item = (usize, &'s Taken)> + use<'s> {
        let begin = stretch.begins.map_or(0, |at| at + 1);
        let steps = self.run.steps[..stretch.ends].iter().enumerate().skip(begin);
        let ours =
            |step: &Taken| step.moves.iter().any(|it| part.piece.processes.contains(&it.process));
        steps.filter(move |(_, step)| ours(step))
    }

    /// What the ports of a part show after so many steps of the run.
    fn shown(&self, part: &Observed<'_>, n_steps: usize) -> Vec<i32> {
        let point = match n_steps.checked_sub(1) {
            Some(last) => &self.run.steps[last].after,
            None => &self.run.start,
        };
        part.piece.whole.iter().map(|at| point.state[*at]).collect()
    }

    /// A check at an instant; none if the part can not be there, or was not followed so far.
    fn check(
        &self,
        part: &Observed<'_>,
        stretch: &Stretch,
        windows: &[ValueWindows],
        at: i64,
    ) -> Option<Check> {
        let sampled = Interval::new(End::at(at - self.age), End::at(at + self.drift));
        let is_allowed = |(_, intervals): &&ValueWindows| {
            intervals.iter().any(|it| !it.meet(sampled).is_empty())
        };
        let mut allowed: Vec<&Vec<i32>> =
            windows.iter().filter(is_allowed).map(|(values, _)| values).collect();
        let n_steps = (0..stretch.ends).rev().find(|step| self.run.steps[*step].at <= at);
        let shown = self.shown(part, n_steps.map_or(0, |step| step + 1));
        let interface = self.world.specification.interface();
        let ports = |values: &[i32]| -> Vec<(PortId, Value)> {
            let value =
                |(port, int): (&PortId, &i32)| (*port, interface.ports[*port].ty.of_int(*int));
            part.piece.ports.iter().zip(values).map(value).collect()
        };
        // What delays keep the run from showing is not expected; then something else is.
        if allowed.is_empty() {
            return None;
        }
        let expected = allowed.iter().position(|it| **it == shown).unwrap_or(0);
        let expected = allowed.remove(expected);
        let others = allowed.iter().map(|it| ports(it));
        let all: Vec<_> = std::iter::once(ports(expected)).chain(others).collect();
        let requirement = self.requirement(part, stretch, at);
        let allowed = if all.len() > 1 { all } else { Vec::new() };
        Some(Check { expected: ports(expected), allowed, requirement })
    }

    /// The requirement of the last edge of the part that the run takes up to an instant of a stretch, or of the first
    /// after it.
    fn requirement(&self, part: &Observed<'_>, stretch: &Stretch, at: i64) -> Option<String> {
        let of = |step: &Taken| {
            let ours = step.moves.iter().filter(|it| part.piece.processes.contains(&it.process));
            ours.clone().find_map(|it| (self.requirements)(it.process, it.edge))
        };
        // The input that ends the stretch may come at the instant of its last check, and comes after it.
        let until = self.run.steps.partition_point(|step| step.at <= at).min(stretch.ends);
        let (before, after) = self.run.steps.split_at(until);
        before.iter().rev().find_map(of).or_else(|| after.iter().find_map(of))
    }
}
