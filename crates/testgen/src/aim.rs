//! Aiming through the model: from where it may stand now to an edge that nobody went through.
//!
//! [`Aims`] is a model as a whole, compiled once and shared by all runs of a campaign. A search of the zone graph says
//! which inputs lead to an edge, with which values and after which waits. What the system decides about in between may
//! turn out otherwise: then the [`Plan`] is void, and another one is made from there.
//!
//! Not here: when to aim (`guided.rs`).

use std::collections::VecDeque;

use punctual_model::{Id, ProcessId, SignalId, Storage};
use punctual_semantics::estimate::Stand;
use punctual_semantics::specification::Specification;
use punctual_semantics::split::Item;
use punctual_smc::Stream;

use crate::random::below;
use crate::timed::{Found, Goal, Kind, Limits, Point, Run, Target, Wait, World, extend};

/// A search stores no more symbolic states than this: a few milliseconds.
const STATES_MAX: u64 = 10_000;

/// A model, as guided choice needs it.
pub struct Aims<'s> {
    world: World<'s>,
    /// The integers that each part of the specification has to do with.
    slots: Vec<Vec<u32>>,
}

/// A way to an edge.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Plan {
    /// The process whose edge it leads to.
    pub(crate) process: ProcessId,
    /// What is exchanged on the way, in the order of time.
    pub(crate) steps: VecDeque<Step>,
    /// When it is over, in points of the grid since the start of the run: its last steps may be unseen.
    pub(crate) until: i64,
}

/// Something that is exchanged on the way.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Step {
    /// When, in points of the grid since the start of the run.
    pub(crate) at: i64,
    /// The signal.
    pub(crate) signal: SignalId,
    /// The values that go with an input; none for outputs, about which the system decides.
    pub(crate) values: Option<Vec<i32>>,
}

impl<'s> Aims<'s> {
    /// A model to aim through. None if it has something that a search of the whole can not treat.
    #[must_use]
    pub fn new(specification: &'s Specification) -> Option<Aims<'s>> {
        let world = World::new(specification).ok()?;
        let mut slots = vec![Vec::new(); specification.parts.len()];
        for (process, item, _) in specification.split.links() {
            let Item::Cell(cell) = item else { continue };
            let cell = &specification.split.variables[cell];
            if cell.storage != Storage::State {
                continue;
            }
            let has =
                |part: &&punctual_semantics::specification::Part| part.processes.contains(&process);
            if let Some(at) = specification.parts.iter().position(|part| has(&part)) {
                slots[at].extend(cell.ints.clone());
            }
        }
        for (at, part) in slots.iter_mut().enumerate() {
            // What a signal carries is known to all who take part in it.
            for (signal, wire) in specification.wired.wires.enumerate() {
                let role = specification.parts[at].estimator.role(signal);
                if role != punctual_semantics::estimate::Role::None {
                    part.extend(wire.values.iter().map(|it| it.slot));
                }
            }
            part.sort_unstable();
            part.dedup();
        }
        Some(Aims { world, slots })
    }

    /// The model.
    pub(crate) fn specification(&self) -> &'s Specification {
        self.world.specification
    }

    /// A point of the whole model that may be the present, one of several by chance. None if some part has none.
    fn point(&self, stands: &[(usize, Vec<Stand>)], chance: &mut Stream) -> Option<Point> {
        let mut point = self.world.start();
        let n_processes = self.world.network.processes.len();
        for (number, stands) in stands {
            if stands.is_empty() {
                return None;
            }
            let part = &self.specification().parts[*number];
            let stand = &stands[below(chance, stands.len())];
            for (process, location) in part.processes.iter().zip(&stand.state) {
                point.state[process.index()] = *location;
            }
            for slot in &self.slots[*number] {
                let position = part.estimator.position_of_slot(*slot) as usize;
                point.state[n_processes + *slot as usize] = stand.state[position];
            }
            for (clock, value) in &stand.clocks {
                *point.clocks.get_mut(clock.index())? = *value;
            }
        }
        Some(point)
    }

    /// The way from the present to the nearest of some goals of a process. None if there is none, or it is too far.
    pub(crate) fn plan(
        &self,
        (stands, now): (&[(usize, Vec<Stand>)], i64),
        (process, goals): (ProcessId, &[Goal]),
        chance: &mut Stream,
    ) -> Option<Plan> {
        let start = Run::new(self.point(stands, chance)?);
        let limits = Limits { states: STATES_MAX, ..Limits::default() };
        let target = Target::Goals(goals);
        let Found::Run(run) =
            extend(&self.world, &start, target, limits, Wait::Start, &mut || false)
        else {
            return None;
        };
        let step = |taken: &crate::timed::Taken| {
            let (signal, values) = match taken.kind {
                Kind::Input(signal) => {
                    (signal, Some(self.world.carried(signal, &taken.after.state)))
                }
                Kind::Output(signal) => (signal, None),
                Kind::System | Kind::Environment => return None,
            };
            Some(Step { at: now + taken.at, signal, values })
        };
        let steps: VecDeque<Step> = run.steps.iter().filter_map(step).collect();
        Some(Plan { process, steps, until: now + run.end() })
    }
}
