//! A network, played as if it were the implementation.
//!
//! The environment of the network is taken out, and the tester put in its place (`open`). Time is
//! exact: a multiple of a nanosecond, as a rational number of time units. Where the network leaves
//! a choice of when to act, a [`Policy`] makes it (`when`); where several steps are possible at
//! that instant, the random policies draw one, the others take the first. The stochastic policy lets each
//! process decide for itself (`chance`).
//!
//! Built on the textbook semantics (`punctual_semantics::concrete`): plain, and not fast. Doubles
//! and hybrid clocks are left out, as there. Not here: probabilities of branches.

mod chance;
mod open;
mod program;
mod when;

use std::{collections::VecDeque, sync::Arc};

use punctual_model::{Interface, Network, ProcessId, Signal, Value};
use punctual_sdk::{Output, Value as Datum};
use punctual_semantics::{
    Move, Rational,
    concrete::{Concrete, State},
    program::Chance,
};
use punctual_smc::Stream;

use crate::{
    Limits, SutError, Timekeeping,
    direct::{Direct, Stepped},
};
use open::Open;
pub use program::PlayedProgram;

/// How many steps may be taken at one instant. Beyond that they never end.
const STEPS_AT_ONE_INSTANT: u32 = 10_000;

/// When a network acts, where it has a choice.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Policy {
    /// The network acts at any instant at which it can, each as probable as any other. Where nothing forces it ever,
    /// within ten time units of the first.
    Random {
        /// Run `n` (counted by resets) draws from the stream of this seed and `n`.
        seed: u64,
    },
    /// Each process acts at an instant of its own, as the statistical semantics says: each instant between the first at which
    /// one of its steps is possible and the last that its invariant allows is as probable as any other.
    Stochastic {
        /// Run `n` (counted by resets) draws from the stream of this seed and `n`.
        seed: u64,
    },
    /// The network acts as soon as it can.
    Earliest,
    /// The network acts as late as it can; never, where nothing forces it.
    Latest,
    /// The network acts so long after it could for the first time, or at the nearest instant at which it
    /// can.
    Fixed {
        /// The time between the first possible instant and the one that is chosen.
        delay_ns: u64,
    },
}

/// What comes of an input that a network can not take.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// The input is swallowed.
    Ignore,
    /// The input is an error of the network.
    Error,
}

/// How a network is played.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ModelOptions {
    /// When the network acts, where it has a choice.
    pub policy: Policy,
    /// What comes of inputs that the network can not take.
    pub refusal: Refusal,
    /// The processes that are not part of the implementation. If not said: those that send an
    /// input or receive an output.
    pub environment: Option<Vec<ProcessId>>,
}

/// A network as a [`Sut`](crate::Sut).
pub struct Played {
    direct: Direct<Player>,
}

impl Played {
    /// The network behind an interface, on a clock. Channels and variables are those with the names
    /// that the interface gives; it need not have been made for this network.
    ///
    /// # Errors
    /// If the network lacks a channel or a variable of the interface, or if a process would be part
    /// of the environment and of the implementation.
    pub fn new(
        network: &Network,
        interface: Arc<Interface>,
        options: ModelOptions,
        timekeeping: Timekeeping,
        limits: Limits,
    ) -> Result<Self, SutError> {
        let open = Open::new(network, &interface, options.environment.as_deref())?;
        let unit_ns = i64::try_from(interface.time.unit_ns).ok().filter(|unit_ns| *unit_ns > 0);
        let unit_ns = unit_ns.ok_or_else(|| SutError::Unsupported {
            what: "a time unit of no length can not be played".into(),
            help: "set the time unit of the test interface".into(),
        })?;
        let state = State { locations: Vec::new(), ints: Vec::new(), clocks: Vec::new() };
        let player = Player {
            open,
            options,
            unit_ns,
            chance: Stream::of_run(0, 0),
            n_resets: 0,
            state,
            now_ns: 0,
            plan: None,
            winner: None,
            alone: chance::Alone::default(),
            pending: VecDeque::new(),
            n_steps_now: 0,
        };
        Ok(Self { direct: Direct::new(player, interface, timekeeping, limits) })
    }
}

crate::sut::sut_by!(direct, Played);

/// A step that is possible at an instant.
type Step = (Vec<Move>, State);

struct Player {
    open: Open,
    options: ModelOptions,
    unit_ns: i64,
    chance: Stream,
    n_resets: u64,
    state: State,
    now_ns: u64,
    /// When the next step is taken (none: never), once that was decided.
    plan: Option<Option<u64>>,
    /// The process that takes it, if processes decide for themselves.
    winner: Option<ProcessId>,
    alone: chance::Alone,
    /// Outputs that had to come before an input could be taken.
    pending: VecDeque<Output>,
    n_steps_now: u32,
}

impl Player {
    fn error(&self, reason: impl ToString) -> SutError {
        SutError::Model { at_ns: self.now_ns, reason: reason.to_string() }
    }

    /// One of several, by the policy.
    fn pick(&mut self, n: usize) -> usize {
        match self.options.policy {
            Policy::Random { .. } | Policy::Stochastic { .. } => self.below(n as u64) as usize,
            _ => 0,
        }
    }

    /// A number below another one, each as probable as any other.
    fn below(&mut self, n: u64) -> u64 {
        ((u128::from(self.chance.bits()) * u128::from(n)) >> 64) as u64
    }

    /// The steps that the network can take now by itself, or with this input.
    fn steps(&self, state: &State) -> Result<Vec<Step>, SutError> {
        let concrete = Concrete::new(&self.open.network);
        concrete.transitions(state).map_err(|failure| self.error(failure))
    }

    /// Lets time pass; nothing happens meanwhile.
    fn pass_to(&mut self, at_ns: u64) -> Result<(), SutError> {
        if at_ns <= self.now_ns {
            return Ok(());
        }
        let units = |ns: u64| i64::try_from(ns).map(|ns| Rational::new(ns, self.unit_ns));
        let delay = units(at_ns - self.now_ns).map_err(|_| self.error("too long a delay"))?;
        let concrete = Concrete::new(&self.open.network);
        if !concrete.may_wait(&self.state, delay).map_err(|fault| self.error(fault))? {
            return Err(self.error(format!(
                "time has to stop before {at_ns} ns, and no step is possible by then"
            )));
        }
        self.state = concrete.waited(&self.state, delay);
        self.now_ns = at_ns;
        self.n_steps_now = 0;
        Ok(())
    }

    /// Takes one of the steps that are possible now; the output that it makes, if it does.
    fn step(&mut self, mut steps: Vec<Step>) -> Result<Option<Output>, SutError> {
        self.n_steps_now += 1;
        if self.n_steps_now > STEPS_AT_ONE_INSTANT {
            return Err(self.error("it takes steps without end at one instant"));
        }
        if let Policy::Stochastic { .. } = self.options.policy {
            self.choose_offer(&mut steps);
        }
        let (moves, state) = steps.swap_remove(self.pick(steps.len()));
        self.state = state;
        self.plan = None;
        let output = self.open.output(&moves, &self.state);
        let at_ns = self.now_ns;
        Ok(output.map(|(name, values)| {
            let values = values.into_iter().map(Into::into).collect();
            Output { at_ns, name, values }
        }))
    }

    fn take_input(&mut self, name: &str, values: &[i32]) -> Result<bool, SutError> {
        let offered = self.open.offer(&self.state, name, values);
        let mut steps = self.steps(&offered)?;
        steps.retain(|(moves, _)| self.open.takes_input(moves));
        if steps.is_empty() {
            return Ok(false);
        }
        let (before, plan) = (self.state.clone(), self.plan);
        self.step(steps)?;
        self.open.withdraw(&mut self.state);
        // An input that changes nothing does not change what was decided, either.
        if self.state == before {
            self.plan = plan;
        }
        Ok(true)
    }
}

impl Stepped for Player {
    fn reset(&mut self) -> Result<(), SutError> {
        self.n_resets += 1;
        if let Policy::Random { seed } | Policy::Stochastic { seed } = self.options.policy {
            self.chance = Stream::of_run(seed, self.n_resets);
        }
        self.now_ns = 0;
        let states = Concrete::new(&self.open.network).initial();
        let mut states = states.map_err(|fault| self.error(fault))?;
        if states.is_empty() {
            return Err(self.error("it has no initial state"));
        }
        self.state = states.swap_remove(self.pick(states.len()));
        self.plan = None;
        self.pending.clear();
        self.n_steps_now = 0;
        Ok(())
    }

    fn input(&mut self, at_ns: u64, signal: &Signal, values: &[Value]) -> Result<(), SutError> {
        let name = signal.name.as_str();
        let ints: Option<Vec<i32>> = values.iter().map(|value| value.as_slot()).collect();
        let ints = ints.ok_or_else(|| self.error("a value is no integer of 32 bits"))?;
        self.pass_to(at_ns)?;
        loop {
            if self.take_input(name, &ints)? {
                return Ok(());
            }
            // What is urgent or committed comes first.
            let concrete = Concrete::new(&self.open.network);
            let limit = concrete.wait_limit(&self.state).map_err(|fault| self.error(fault))?;
            let steps = match limit.0 == Some(Rational::ZERO) {
                true => self.steps(&self.state)?,
                false => Vec::new(),
            };
            if steps.is_empty() {
                return match self.options.refusal {
                    Refusal::Ignore => Ok(()),
                    Refusal::Error => Err(self.error(format!("it can not take `{name}`"))),
                };
            }
            let output = self.step(steps)?;
            self.pending.extend(output);
        }
    }

    fn advance(&mut self, until_ns: u64) -> Result<Option<Output>, SutError> {
        if let Some(output) = self.pending.pop_front() {
            return Ok(Some(output));
        }
        loop {
            let plan = match self.plan {
                Some(plan) => plan,
                None => self.decide()?,
            };
            self.plan = Some(plan);
            match plan {
                Some(at_ns) if at_ns <= until_ns => {
                    self.pass_to(at_ns)?;
                    let mut steps = self.steps(&self.state)?;
                    if let Some(winner) = self.winner {
                        steps.retain(|(moves, _)| {
                            moves.first().is_some_and(|it| it.process == winner)
                        });
                        if steps.is_empty() {
                            // Nothing of it is possible at this instant: it tries again.
                            self.plan = None;
                            self.n_steps_now += 1;
                            continue;
                        }
                    }
                    if steps.is_empty() {
                        return Err(self.error("a step that was planned is not possible"));
                    }
                    if let Some(output) = self.step(steps)? {
                        return Ok(Some(output));
                    }
                }
                _ => {
                    self.pass_to(until_ns)?;
                    return Ok(None);
                }
            }
        }
    }

    fn read(&mut self, at_ns: u64, name: &str) -> Result<Option<Datum>, SutError> {
        self.pass_to(at_ns)?;
        Ok(self.open.read(&self.state, name).map(Datum::from))
    }

    fn next_ns(&self) -> Option<u64> {
        match (self.pending.front(), self.plan) {
            (Some(output), _) => Some(output.at_ns),
            (None, Some(plan)) => plan,
            // Not decided yet.
            (None, None) => Some(0),
        }
    }
}
