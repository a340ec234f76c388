//! The state of a run, and how it changes.

use punctual_model::{ChannelId, EdgeId, Id, ProcessId};

use super::choice::{Choices, Member};
use super::compile::{COMPUTED, Edge, INTERNAL, Location, Stochastic};
use super::draw::Draws;
use super::limit::Crossing;
use super::problem::{Problem, ProblemKind};
use crate::budget::Budget;
use crate::program::{Chance, Code, DoubleCode, Machine, Program, Reals};
use crate::{Fault, FaultKind, Move};

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
    pub(crate) fn copy_from(&mut self, other: &State) {
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
    #[inline(always)]
    pub(crate) fn value(&mut self, code: Code) -> Result<i32, Fault> {
        self.program.run_real(code, self.ints, &mut self.reals, self.machine)
    }

    #[inline]
    pub(crate) fn real(&mut self, code: DoubleCode) -> Result<f64, Fault> {
        self.program.real(code, self.ints, &mut self.reals, self.machine)
    }

    /// Looks at the budget, with so many values held.
    pub(crate) fn look(&self, n_values: usize) -> Result<(), Fault> {
        let budget = &self.program.budget;
        budget.hold((n_values * size_of::<i32>()) as u64);
        if budget.is_spent() { Err(FaultKind::Spent.into()) } else { Ok(()) }
    }

    /// The value of a clock now.
    #[inline]
    pub(crate) fn clock(&self, clock: usize) -> (f64, f64) {
        (self.reals.clocks[clock], self.reals.rates[clock])
    }

    /// The channel of an edge with selected values that are set.
    #[inline]
    pub(crate) fn channel(&mut self, edge: &Edge) -> Result<u32, Fault> {
        match edge.channel {
            COMPUTED => self.value(edge.channel_code).map(i32::unsigned_abs),
            channel => Ok(channel),
        }
    }

    /// Whether all of some conditions hold.
    #[inline(always)]
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
    pub(crate) before: State,
    /// The rates of the clocks.
    pub(crate) rates: Vec<f64>,
    pub(crate) machine: Machine,
    /// For each process, how long its invariant lets time pass from now on.
    pub(crate) deadlines: Vec<f64>,
    pub(crate) draws: Draws,
    pub(crate) choices: Choices,
    /// The processes that move together.
    pub(crate) party: Vec<Member>,
    /// The channel of the party, or [`INTERNAL`].
    pub(crate) channel: u32,
    /// How many processes are in committed locations, and how many of these locations have edges
    /// that receive.
    pub(crate) n_committed: u32,
    pub(crate) n_receptive: u32,
    /// The processes in urgent or committed locations.
    pub(crate) stopping: Vec<u32>,
    /// Who may move in a race where no time passes.
    pub(crate) runners: Vec<u32>,
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
}

/// What evaluating needs, from the fields of a simulator: the others are left to whoever evaluates.
macro_rules! context {
    ($simulator:expr, $chance:expr) => {
        $crate::stochastic::simulator::Context {
            program: &$simulator.model.program,
            machine: &mut $simulator.machine,
            ints: &mut $simulator.state.ints,
            reals: $crate::program::Reals {
                doubles: &mut $simulator.state.doubles,
                clocks: &mut $simulator.state.clocks,
                rates: &$simulator.rates,
                chance: &mut *$chance,
            },
        }
    };
}
pub(crate) use context;

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
        let n_processes = model.first.len();
        Simulator {
            before: state.clone(),
            rates: vec![1.0; state.clocks.len()],
            machine: model.program.machine(),
            deadlines: vec![0.0; n_processes],
            draws: Draws::new(n_processes),
            choices: Choices::default(),
            party: Vec::with_capacity(n_processes),
            channel: INTERNAL,
            n_committed: 0,
            n_receptive: 0,
            stopping: Vec::with_capacity(n_processes),
            runners: Vec::with_capacity(n_processes),
            blocked: vec![false; n_processes],
            any_blocked: false,
            still: 0,
            waits: 0,
            instants: Vec::new(),
            scratch: state.clocks.clone(),
            scratch_values: Vec::new(),
            scratch_partner: Vec::new(),
            model,
            state,
        }
    }

    /// Whether every process draws anew after each transition, as the definition of the race says,
    /// instead of keeping what is not touched. The distribution of runs is the same; for tests.
    #[doc(hidden)]
    pub fn draw_always_anew(&mut self, always: bool) {
        self.draws.always_anew = always;
    }

    /// Where the run is.
    #[must_use]
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Looks at the budget.
    ///
    /// # Errors
    /// If it is spent.
    #[inline]
    pub fn look(&self) -> Result<(), Problem> {
        if self.model.program.budget.is_spent() { Err(Problem::spent()) } else { Ok(()) }
    }

    /// What runs may use.
    #[must_use]
    pub fn budget(&self) -> &'s Budget {
        &self.model.program.budget
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
        self.draws.forget();
        self.choices.forget();
        match self.settle_all(chance)? {
            true => Ok(()),
            false => Err(ProblemKind::NoStart.into()),
        }
    }

    /// Lets time pass; not more than the race said.
    pub fn pass(&mut self, delay: f64) {
        if delay == 0.0 {
            return;
        }
        let time = self.state.time + delay;
        if time > self.state.time {
            self.still = 0;
            self.unblock();
        }
        self.state.time = time;
        self.choices.forget();
        match self.model.has_rates {
            true => {
                for (clock, rate) in self.state.clocks.iter_mut().zip(&self.rates) {
                    *clock += rate * delay;
                }
            }
            false => self.state.clocks.iter_mut().for_each(|clock| *clock += delay),
        }
        for deadline in &mut self.deadlines {
            let left = *deadline - delay;
            *deadline = if left > 0.0 { left } else { 0.0 };
        }
        self.draws.pass(delay, self.model);
    }

    fn unblock(&mut self) {
        if self.any_blocked {
            self.blocked.fill(false);
            self.any_blocked = false;
        }
    }

    pub(crate) fn context<'c>(&'c mut self, chance: &'c mut dyn Chance) -> Context<'c> {
        context!(self, chance)
    }

    /// The location of a process.
    #[inline]
    pub(crate) fn location(&self, process: usize) -> &'s Location {
        let at = self.model.first[process] as usize + self.state.ints[process] as usize;
        &self.model.locations[at]
    }

    /// The winner of a race takes one of its outputs; false if it can do nothing now.
    ///
    /// # Errors
    /// If the model is in error.
    pub fn act(&mut self, winner: usize, chance: &mut dyn Chance) -> Result<bool, Problem> {
        if !self.choices.is_prepared(winner) {
            self.prepare(winner, chance)?;
        }
        while let Some(choice) = self.choices.take() {
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
            self.prepare_next(winner, chance)?;
        }
        self.blocked[winner] = true;
        self.any_blocked = true;
        self.draws.drop_late(winner);
        self.waits = self.waits.saturating_add(1);
        Ok(false)
    }

    /// Whether processes tried so often to do something, without any success, that it will hardly
    /// ever happen. Only time ends such a run.
    #[must_use]
    pub fn tries_in_vain(&self) -> bool {
        self.waits > WAITS_MAX
    }

    pub(crate) fn disables(&self, problem: &Problem) -> bool {
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

    /// Who moved in the last transition, or tried to.
    #[must_use]
    pub fn moves(&self) -> Vec<Move> {
        let one = |member: &Member| {
            let edge = &self.model.edges[member.edge as usize];
            let branch = &edge.branches[member.branch as usize];
            let edge_values = self.choices.values(member.values, edge.selects.len());
            let edge_values = edge.values.iter().chain(edge_values);
            let branch_values = self.choices.values(member.branch_values, branch.selects.len());
            Move {
                process: ProcessId::from_index(edge.process as usize),
                edge: EdgeId::from_index(edge.id as usize),
                branch: member.branch as usize,
                selects: edge_values.chain(branch_values).copied().collect(),
            }
        };
        self.party.iter().map(one).collect()
    }

    /// The channel of the last transition; none if one process moved alone.
    #[must_use]
    pub fn channel(&self) -> Option<ChannelId> {
        (self.channel != INTERNAL).then(|| ChannelId::from_index(self.channel as usize))
    }

    pub(crate) fn blame(&self, fault: Fault) -> Problem {
        Problem { kind: ProblemKind::Fault(fault), moves: self.moves() }
    }
}
