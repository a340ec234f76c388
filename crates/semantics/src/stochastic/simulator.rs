//! The state of a run, and how it changes.

use punctual_model::{EdgeId, Id, ProcessId};

use super::choice::{Choices, Member};
use super::compile::Stochastic;
use super::limit::{Crossing, window_of};
use super::problem::{Problem, ProblemKind};
use crate::program::{Chance, Code, DoubleCode, Machine, Program, Reals};
use crate::{Fault, Move};

/// So many transitions without any time passing are a Zeno run.
pub(crate) const STILL_MAX: u32 = 100_000;

/// After so many races without any transition nothing is expected to happen any more, although
/// processes would like to.
const WAITS_MAX: u32 = 1_000_000;

/// How often receivers of a broadcast choose again if they can not go where they chose to.
const REDRAWS_MAX: u32 = 100;

/// A state of a run.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct State {
    /// The location of each process, then the integers.
    pub ints: Vec<i32>,
    /// The doubles.
    pub doubles: Vec<f64>,
    /// The values of the clocks.
    pub clocks: Vec<f64>,
    /// The time since the start.
    pub time: f64,
    /// The transitions since the start.
    pub steps: u32,
}

impl State {
    fn copy_from(&mut self, other: &State) {
        self.ints.copy_from_slice(&other.ints);
        self.doubles.copy_from_slice(&other.doubles);
        self.clocks.copy_from_slice(&other.clocks);
        (self.time, self.steps) = (other.time, other.steps);
    }
}

/// What evaluating needs.
pub(crate) struct Context<'c> {
    pub(crate) program: &'c Program,
    pub(crate) machine: &'c mut Machine,
    pub(crate) ints: &'c mut [i32],
    pub(crate) reals: Reals<'c>,
}

impl Context<'_> {
    #[inline]
    pub(crate) fn value(&mut self, code: Code) -> Result<i32, Fault> {
        self.program.run_real(code, self.ints, &mut self.reals, self.machine)
    }

    #[inline]
    pub(crate) fn real(&mut self, code: DoubleCode) -> Result<f64, Fault> {
        self.program.real(code, self.ints, &mut self.reals, self.machine)
    }

    /// The value of a clock now.
    #[inline]
    pub(crate) fn clock(&self, clock: usize) -> (f64, f64) {
        (self.reals.clocks[clock], self.reals.rates[clock])
    }

    /// Whether all of some conditions hold.
    #[inline]
    pub(crate) fn all_hold(&mut self, codes: &[Code]) -> Result<bool, Fault> {
        for &code in codes {
            if self.value(code)? == 0 {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// Makes runs, one after the other. Allocates nothing once it has made a few steps.
pub struct Simulator<'s> {
    pub(crate) model: &'s Stochastic,
    pub(crate) state: State,
    /// The state before the transition that is being tried.
    before: State,
    /// The rates of the clocks.
    pub(crate) rates: Vec<f64>,
    pub(crate) machine: Machine,
    /// For each process, how long its invariant lets time pass from now on.
    pub(crate) deadlines: Vec<f64>,
    pub(crate) choices: Choices,
    /// The processes that move together.
    pub(crate) party: Vec<Member>,
    /// How many processes are in committed locations; in urgent or committed ones.
    pub(crate) n_committed: u32,
    pub(crate) n_stopping: u32,
    /// Processes that won at this instant and could do nothing.
    pub(crate) blocked: Vec<bool>,
    pub(crate) any_blocked: bool,
    /// Transitions since time passed last.
    still: u32,
    /// Races since the last transition.
    waits: u32,
    /// Instants, for `watch`.
    pub(crate) instants: Vec<Crossing>,
    pub(crate) scratch: Vec<f64>,
    pub(crate) scratch_values: Vec<i32>,
    pub(crate) scratch_partner: Vec<i32>,
    pub(crate) scratch_locations: Vec<i32>,
}

impl<'s> Simulator<'s> {
    /// A simulator that has not started.
    #[must_use]
    pub fn new(model: &'s Stochastic) -> Simulator<'s> {
        let state = State {
            ints: model.initial_ints.clone(),
            doubles: model.initial_doubles.clone(),
            clocks: model.initial_clocks.clone(),
            time: 0.0,
            steps: 0,
        };
        Simulator {
            before: state.clone(),
            rates: vec![1.0; state.clocks.len()],
            machine: model.program.machine(),
            deadlines: vec![0.0; model.processes.len()],
            choices: Choices::default(),
            party: Vec::new(),
            n_committed: 0,
            n_stopping: 0,
            blocked: vec![false; model.processes.len()],
            any_blocked: false,
            still: 0,
            waits: 0,
            instants: Vec::new(),
            scratch: state.clocks.clone(),
            scratch_values: Vec::new(),
            scratch_partner: Vec::new(),
            scratch_locations: Vec::new(),
            model,
            state,
        }
    }

    /// Where the run is.
    #[must_use]
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Starts a run.
    ///
    /// # Errors
    /// If the invariants do not hold, or can not be evaluated.
    pub fn start(&mut self, chance: &mut dyn Chance) -> Result<(), Problem> {
        let model = self.model;
        self.state.ints.copy_from_slice(&model.initial_ints);
        self.state.doubles.copy_from_slice(&model.initial_doubles);
        self.state.clocks.copy_from_slice(&model.initial_clocks);
        (self.state.time, self.state.steps) = (0.0, 0);
        (self.still, self.waits) = (0, 0);
        self.machine.begin();
        self.unblock();
        match self.settle(chance)? {
            true => Ok(()),
            false => Err(ProblemKind::NoStart.into()),
        }
    }

    /// Lets time pass; not more than the race said.
    pub fn pass(&mut self, delay: f64) {
        let time = self.state.time + delay;
        if time > self.state.time {
            self.still = 0;
            self.unblock();
        }
        self.state.time = time;
        for (clock, rate) in self.state.clocks.iter_mut().zip(&self.rates) {
            *clock += rate * delay;
        }
        for deadline in &mut self.deadlines {
            *deadline = (*deadline - delay).max(0.0);
        }
    }

    fn unblock(&mut self) {
        if self.any_blocked {
            self.blocked.fill(false);
            self.any_blocked = false;
        }
    }

    pub(crate) fn context<'c>(&'c mut self, chance: &'c mut dyn Chance) -> Context<'c> {
        Context {
            program: &self.model.program,
            machine: &mut self.machine,
            ints: &mut self.state.ints,
            reals: Reals {
                doubles: &mut self.state.doubles,
                clocks: &mut self.state.clocks,
                rates: &self.rates,
                chance,
            },
        }
    }

    /// The winner of a race takes one of its outputs; false if it can do nothing now.
    ///
    /// # Errors
    /// If the model is in error.
    pub fn act(&mut self, winner: usize, chance: &mut dyn Chance) -> Result<bool, Problem> {
        self.collect(winner, chance)?;
        while let Some(choice) = self.choices.draw(chance) {
            self.gather(choice, chance)?;
            // Who can not enter a target is no partner: the others are asked. Likewise receivers of a
            // broadcast choose again, so that what is possible keeps its share.
            let mut again = REDRAWS_MAX;
            while self.assemble(choice, chance)? {
                if self.fire(chance)? {
                    return self.count_step();
                }
                if !self.is_handshake(choice) {
                    if again == 0 || !self.has_alternatives(choice) {
                        break;
                    }
                    again -= 1;
                }
            }
        }
        self.blocked[winner] = true;
        self.any_blocked = true;
        self.waits = self.waits.saturating_add(1);
        Ok(false)
    }

    /// Whether processes tried so often to do something, without any success, that it will hardly
    /// ever happen. Only time ends such a run.
    #[must_use]
    pub fn tries_in_vain(&self) -> bool {
        self.waits > WAITS_MAX
    }

    /// The party moves; false, and nothing has changed, if an invariant forbids it.
    fn fire(&mut self, chance: &mut dyn Chance) -> Result<bool, Problem> {
        self.before.copy_from(&self.state);
        let done = match self.update(chance) {
            Ok(()) => self.settle(chance).map_err(|fault| self.blame(fault)),
            Err(problem) if self.disables(&problem) => Ok(false),
            Err(problem) => Err(problem),
        };
        if !matches!(done, Ok(true)) {
            let before = std::mem::take(&mut self.before);
            self.state.copy_from(&before);
            self.before = before;
            let back = self.settle(chance)?;
            debug_assert!(back, "the invariants held before");
        }
        done
    }

    fn disables(&self, problem: &Problem) -> bool {
        let range = matches!(
            problem.kind,
            ProblemKind::Fault(Fault { kind: crate::FaultKind::Range { .. } })
        );
        range && self.model.disable_on_range
    }

    fn count_step(&mut self) -> Result<bool, Problem> {
        self.state.steps = self.state.steps.saturating_add(1);
        self.unblock();
        self.waits = 0;
        self.still += 1;
        match self.still > STILL_MAX {
            true => {
                let problem = ProblemKind::Zeno { transitions: self.still };
                Err(Problem { kind: problem, moves: self.moves() })
            }
            false => Ok(true),
        }
    }

    /// Finds the rates and deadlines of the state; false if an invariant does not hold.
    fn settle(&mut self, chance: &mut dyn Chance) -> Result<bool, Fault> {
        let model = self.model;
        if model.has_rates {
            self.rates.fill(1.0);
            for (p, process) in model.processes.iter().enumerate() {
                for &(clock, rate) in &process.locations[self.state.ints[p] as usize].rates {
                    let mut context = self.context(chance);
                    let clock = context.value(clock)?.unsigned_abs();
                    let rate = context.real(rate)?;
                    self.rates[clock as usize] = rate;
                }
            }
        }
        (self.n_committed, self.n_stopping) = (0, 0);
        for (p, process) in model.processes.iter().enumerate() {
            let location = &process.locations[self.state.ints[p] as usize];
            self.n_committed += u32::from(location.committed);
            self.n_stopping += u32::from(location.stops_time);
            if location.limits.is_empty() && location.data.is_empty() {
                self.deadlines[p] = f64::INFINITY;
                continue;
            }
            let mut context = self.context(chance);
            if !context.all_hold(&location.data)? {
                return Ok(false);
            }
            let window = window_of(&location.limits, &mut context)?;
            if window.from > 0.0 {
                return Ok(false);
            }
            self.deadlines[p] = window.to;
        }
        Ok(true)
    }

    /// Who moved in the last transition, or tried to.
    #[must_use]
    pub fn moves(&self) -> Vec<Move> {
        let one = |member: &Member| {
            let edge = &self.model.processes[member.process as usize].edges[member.edge as usize];
            let branch = &edge.branches[member.branch as usize];
            let edge_values = self.choices.values(member.values, edge.selects.len());
            let branch_values = self.choices.values(member.branch_values, branch.selects.len());
            Move {
                process: ProcessId::from_index(member.process as usize),
                edge: EdgeId::from_index(member.edge as usize),
                branch: member.branch as usize,
                selects: edge_values.iter().chain(branch_values).copied().collect(),
            }
        };
        self.party.iter().map(one).collect()
    }

    pub(crate) fn blame(&self, fault: Fault) -> Problem {
        Problem { kind: ProblemKind::Fault(fault), moves: self.moves() }
    }
}
