//! Walking through a network: steps that are possible at some instants, and the instants in the end.
//!
//! A [`Walk`] follows one path with exact zones and keeps what it asks of the clocks, so that the instants can be
//! chosen when the path is known: late where the system decides, so that a test waits until something must have
//! happened, and early where the tester decides.

use std::ops::ControlFlow;

use punctual_mc::{Timing, Wish};
use punctual_model::{ChannelId, ClockId, Id, SignalId};
use punctual_semantics::Move;
use punctual_semantics::symbolic::{Active, Explorer, Halt, Successor};
use punctual_smc::Stream;
use punctual_zones::{Bound, Constraint, Source, Zone};

use super::world::{Kind, Point, World};

/// How long a test waits for what the system decides about.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Wait {
    /// Until just behind the end of its window, when it must have happened.
    #[default]
    Behind,
    /// Until the end of its window, as in Figure 8 of the TAUC paper.
    End,
    /// Until the middle of its window.
    Middle,
    /// Until the start of its window.
    Start,
}

/// A step of a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Taken {
    /// The instant, in points of the grid since the start.
    pub at: i64,
    /// Who moves, the sender first.
    pub moves: Vec<Move>,
    /// The channel on which they synchronise, if they do.
    pub channel: Option<ChannelId>,
    /// Who decides about it.
    pub kind: Kind,
    /// What it leads to.
    pub after: Point,
}

/// A timed run of a network.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Run {
    /// Where it starts, at instant 0.
    pub start: Point,
    /// Its steps, in the order of time.
    pub steps: Vec<Taken>,
}

impl Run {
    /// A run without a step.
    #[must_use]
    pub fn new(start: Point) -> Run {
        Run { start, steps: Vec::new() }
    }

    /// The instant of the last step.
    #[must_use]
    pub fn end(&self) -> i64 {
        self.steps.last().map_or(0, |step| step.at)
    }

    /// The state after the last step, at its instant.
    #[must_use]
    pub fn last(&self) -> &Point {
        self.steps.last().map_or(&self.start, |step| &step.after)
    }
}

/// A step whose instant is not chosen yet.
struct Step {
    moves: Vec<Move>,
    channel: Option<ChannelId>,
    kind: Kind,
    state: Vec<i32>,
    /// The clocks that it sets, as a record of the symbolic semantics says.
    changes: Vec<(u32, (u32, i32))>,
}

/// A path from a point, while it grows.
pub struct Walk<'w> {
    world: &'w World<'w>,
    explorer: Explorer<'w>,
    start: Point,
    /// The instant at which it begins.
    begun: i64,
    state: Vec<i32>,
    zone: Zone,
    timing: Timing,
    /// Whether time stands still in the state.
    still: bool,
    steps: Vec<Step>,
    /// Takes turns with `state` and `zone`.
    next: (Vec<i32>, Zone),
}

impl<'w> Walk<'w> {
    /// Begins at a point; none if the network can not be there.
    #[must_use]
    pub fn new(world: &'w World<'w>, start: &Point) -> Option<Walk<'w>> {
        let mut walk = Walk {
            world,
            explorer: Explorer::new(&world.symbolic),
            start: start.clone(),
            begun: 0,
            state: start.state.clone(),
            zone: Zone::zero(0),
            timing: Timing::new(&start.clocks),
            still: false,
            steps: Vec::new(),
            next: (Vec::new(), Zone::zero(0)),
        };
        walk.restart(start, 0).then_some(walk)
    }

    /// Begins anew at a point and an instant; false if the network can not be there.
    pub fn restart(&mut self, start: &Point, at: i64) -> bool {
        self.begun = at;
        self.start.clone_from(start);
        self.state.clone_from(&start.state);
        self.timing = Timing::new(&start.clocks);
        self.steps.clear();
        let mut active = Active::new(self.world.symbolic.n_clocks());
        active.set(&self.world.symbolic, &start.state);
        let sources: Vec<Source> = (active.clocks().iter())
            .map(|clock| Source::constant(start.clocks[*clock as usize]))
            .collect();
        let mut zone = Zone::zero(0);
        zone.set_image(&Zone::zero(0), &sources);
        let Self { explorer, state, zone: waited, timing, still, .. } = self;
        let mut found = false;
        let _ = explorer.wait(state, &zone, &mut |successor: Successor<'_>| {
            found = true;
            let record = successor.record();
            record.after.iter().for_each(|it| timing.require(*it));
            *still = record.stands_still;
            waited.assign(&*successor.zone);
            ControlFlow::Break(())
        });
        found
    }

    /// Where the path has led to.
    #[must_use]
    pub fn state(&self) -> &[i32] {
        &self.state
    }

    /// How many steps it has.
    #[must_use]
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    /// Whether it has no step.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// Takes the first step from a number on that is accepted; false if there is none.
    fn take(
        &mut self,
        first: u32,
        exactly: Option<Exactly>,
        mut accepts: impl FnMut(&Successor<'_>) -> Accepted,
    ) -> bool {
        let Self { world, explorer, state, zone, timing, still, steps, next, .. } = self;
        let mut found = false;
        let visit = &mut |successor: Successor<'_>| {
            match accepts(&successor) {
                Accepted::Yes => {}
                Accepted::No => return ControlFlow::Continue(()),
                Accepted::Never => return ControlFlow::Break(()),
            }
            found = true;
            let record = successor.record();
            timing.wait(*still);
            if let Some((clock, value)) = exactly {
                let clock = clock.index() + 1;
                timing.require(Constraint::new(clock, 0, Bound::le(value)));
                timing.require(Constraint::new(0, clock, Bound::le(-value)));
            }
            record.before.iter().for_each(|it| timing.require(*it));
            timing.assign(&record.changes);
            record.after.iter().for_each(|it| timing.require(*it));
            *still = record.stands_still;
            let moves = successor.moves();
            let channel = successor.channel().map(|at| ChannelId::from_index(at as usize));
            next.0.clear();
            next.0.extend_from_slice(successor.state);
            next.1.assign(&*successor.zone);
            let kind = world.kind(&moves, channel);
            let (state, changes) = (successor.state.to_vec(), record.changes);
            steps.push(Step { moves, channel, kind, state, changes });
            ControlFlow::Break(())
        };
        // A model in error has no further steps here.
        let _: Result<(), Halt> = explorer.successors_from(first, state, &*zone, visit);
        if found {
            std::mem::swap(state, &mut next.0);
            std::mem::swap(zone, &mut next.1);
        }
        found
    }

    /// Takes the first step that is wanted; false if none is possible. If it is to be taken when a clock has a value,
    /// instants are chosen so, or there are none.
    pub fn follow(
        &mut self,
        exactly: Option<Exactly>,
        mut wanted: impl FnMut(&[Move]) -> bool,
    ) -> bool {
        self.take(0, exactly, |successor| match wanted(&successor.moves()) {
            true => Accepted::Yes,
            false => Accepted::No,
        })
    }

    /// Takes one step of a run by chance, at once with its instant; none if nothing is possible.
    ///
    /// A step that the system takes unseen is only taken when it must be taken then, if there are others: a case that
    /// waits for it is sure of it.
    pub fn wander(&mut self, run: &Run, wait: Wait, chance: &mut Stream) -> Option<Taken> {
        let Ok(n) = self.explorer.count_transitions(&self.state, &self.zone) else { return None };
        let mut left: Vec<u32> = (0..n).collect();
        let mut unsure = None;
        while !left.is_empty() {
            let ordinal = left.swap_remove(crate::random::below(chance, left.len()));
            let this = |successor: &Successor<'_>| match successor.ordinal == ordinal {
                true => Accepted::Yes,
                false => Accepted::Never,
            };
            let Some(taken) = self.single(run, wait, (ordinal, None), this) else { continue };
            if taken.kind.is_ours() || self.is_forced(&taken) {
                return Some(taken);
            }
            unsure = unsure.or(Some(taken));
        }
        unsure
    }

    /// Takes the first single step that is wanted, with its instant, perhaps when a clock has a value; none if there is
    /// none.
    pub fn next(
        &mut self,
        run: &Run,
        wait: Wait,
        exactly: Option<Exactly>,
        mut wanted: impl FnMut(&[Move]) -> bool,
    ) -> Option<Taken> {
        self.single(run, wait, (0, exactly), |successor| match wanted(&successor.moves()) {
            true => Accepted::Yes,
            false => Accepted::No,
        })
    }

    /// Takes one step from where the walk began, and goes back there.
    fn single(
        &mut self,
        run: &Run,
        wait: Wait,
        (first, exactly): (u32, Option<Exactly>),
        accepts: impl FnMut(&Successor<'_>) -> Accepted,
    ) -> Option<Taken> {
        let behind = run.steps.last().is_some_and(|step| !step.kind.is_ours());
        self.tried((first, exactly), accepts, |walk| walk.timed(run.end(), wait, behind))
    }

    /// Takes an input at an instant; none if it is not possible then.
    pub fn input(&mut self, signal: SignalId, values: &[i32], at: i64) -> Option<Taken> {
        let world = self.world;
        let accepts = |successor: &Successor<'_>| {
            let channel = successor.channel().map(|at| ChannelId::from_index(at as usize));
            let is_it = world.kind(&successor.moves(), channel) == Kind::Input(signal)
                && world.carried(signal, successor.state) == values;
            if is_it { Accepted::Yes } else { Accepted::No }
        };
        let begun = self.begun;
        let wish = Wish::At(i32::try_from(at - begun).ok()?);
        self.tried((0, None), accepts, |walk| walk.wished(begun, &[wish]))
    }

    /// Takes the step of these moves at an instant; none if it is not possible then.
    pub fn again(&mut self, moves: &[Move], at: i64) -> Option<Taken> {
        let accepts = |successor: &Successor<'_>| match successor.moves() == moves {
            true => Accepted::Yes,
            false => Accepted::No,
        };
        let begun = self.begun;
        let wish = Wish::At(i32::try_from(at - begun).ok()?);
        self.tried((0, None), accepts, |walk| walk.wished(begun, &[wish]))
    }

    /// The step that the system has to take first, if time goes on; none if it need not take any.
    pub fn forced(&mut self, run: &Run) -> Option<Taken> {
        let Ok(n) = self.explorer.count_transitions(&self.state, &self.zone) else { return None };
        let mut first: Option<Taken> = None;
        for ordinal in 0..n {
            let this = |successor: &Successor<'_>| match successor.ordinal == ordinal {
                true => Accepted::Yes,
                false => Accepted::Never,
            };
            let Some(taken) = self.single(run, Wait::End, (ordinal, None), this) else { continue };
            let is_earlier = first.as_ref().is_none_or(|first| taken.at < first.at);
            if taken.kind == Kind::System && self.is_forced(&taken) && is_earlier {
                first = Some(taken);
            }
        }
        first
    }

    /// Takes one step from where the walk began, gives it an instant, and goes back there.
    fn tried(
        &mut self,
        (first, exactly): (u32, Option<Exactly>),
        accepts: impl FnMut(&Successor<'_>) -> Accepted,
        timed: impl FnOnce(&Self) -> Option<Vec<Taken>>,
    ) -> Option<Taken> {
        debug_assert!(self.steps.is_empty(), "a single step");
        let (state, zone, still) = (self.state.clone(), self.zone.clone(), self.still);
        let timing = self.timing.clone();
        let taken = if self.take(first, exactly, accepts) { timed(self) } else { None };
        (self.state, self.zone, self.still, self.timing) = (state, zone, still, timing);
        self.steps.clear();
        taken?.pop()
    }

    /// Whether the invariant of a process that moves does not let it stay any longer.
    #[must_use]
    pub fn is_forced(&self, taken: &Taken) -> bool {
        let waited = taken.at - self.begun;
        let network = &self.world.network;
        taken.moves.iter().any(|it| {
            let process = &network.processes[it.process];
            let location = &process.locations[process.edges[it.edge].source];
            let is_over = |constraint: &punctual_model::ClockConstraint| {
                super::goal::limit(constraint).is_some_and(|(clock, bound)| {
                    i64::from(self.start.clocks[clock.index()]) + waited >= i64::from(bound)
                })
            };
            location.kind != punctual_model::LocationKind::Normal
                || location.invariant.clocks.iter().any(is_over)
        })
    }

    /// The steps so far with their instants, counted from an instant at which the path begins. None if there are
    /// no whole instants for them.
    #[must_use]
    pub fn run(&self, begin: i64, wait: Wait) -> Option<Vec<Taken>> {
        self.timed(begin, wait, false)
    }

    /// The same; `waited` says whether the last step before was one of the system.
    fn timed(&self, begin: i64, wait: Wait, mut waited: bool) -> Option<Vec<Taken>> {
        let wish = |step: &Step| match (step.kind.is_ours(), wait) {
            (true, Wait::Behind) if std::mem::take(&mut waited) => Wish::Behind,
            (true, _) => Wish::Early,
            (false, wait) => {
                waited = true;
                match wait {
                    Wait::Behind | Wait::End => Wish::Late,
                    Wait::Middle => Wish::Middle,
                    Wait::Start => Wish::Early,
                }
            }
        };
        let wishes: Vec<Wish> = self.steps.iter().map(wish).collect();
        self.wished(begin, &wishes)
    }

    /// The same, with a wish for each step.
    fn wished(&self, begin: i64, wishes: &[Wish]) -> Option<Vec<Taken>> {
        let instants = self.timing.schedule(wishes)?;
        let mut clocks = self.start.clocks.clone();
        let mut taken = Vec::new();
        for (step, pair) in self.steps.iter().zip(instants.windows(2)) {
            let delay = i32::try_from(pair[1] - pair[0]).ok()?;
            for clock in &mut clocks {
                *clock = clock.checked_add(delay)?;
            }
            let before = clocks.clone();
            for &(clock, (from, offset)) in &step.changes {
                let from = if from == 0 { 0 } else { before[from as usize - 1] };
                clocks[clock as usize] = from + offset;
            }
            taken.push(Taken {
                at: begin + pair[1],
                moves: step.moves.clone(),
                channel: step.channel,
                kind: step.kind,
                after: Point { state: step.state.clone(), clocks: clocks.clone() },
            });
        }
        Some(taken)
    }
}

/// A clock, and the value that it has when a step is taken.
pub(super) type Exactly = (ClockId, i32);

/// Whether a step is taken.
enum Accepted {
    Yes,
    No,
    /// No, and none after it.
    Never,
}
