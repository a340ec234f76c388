//! Several things whose order is not known, as one part of a side knows them.

use punctual_model::Happening;
use punctual_semantics::estimate::{Blocked, Observation, Role, Stuck, What};

use super::followed::{Glimpse, set_ints};
use super::monitor::{Pending, Way};
use super::{Instants, Specification};

/// What a part was given, what it sent, and what was read of it, each in its order.
pub(super) struct Known<'p>([Vec<Told<'p>>; 3]);

impl<'p> Known<'p> {
    /// What concerns a part, by its number in the specification.
    pub(super) fn of(
        specification: &Specification,
        part: usize,
        cluster: &'p [Pending],
    ) -> Known<'p> {
        Known([Way::Input, Way::Output, Way::Reading].map(|way| {
            let them = cluster.iter().filter(|it| it.way == way);
            them.filter_map(|it| Told::of(specification, part, it)).collect()
        }))
    }

    /// The same as a part observes it.
    pub(super) fn observations(&self, instants: Instants) -> [Vec<Observation<'_>>; 3] {
        self.0.each_ref().map(|them| them.iter().map(|it| it.observation(instants)).collect())
    }

    /// The first of each that a part could not explain, and what kept it; none if nothing is left, or if it comes later than another one.
    pub(super) fn next(&self, stuck: &Stuck) -> [Option<(&Told<'p>, Blocked)>; 3] {
        std::array::from_fn(|i| self.0[i].get(stuck.explained[i]).zip(stuck.blocked[i]))
    }

    /// The input about which the specification says nothing, where the part is stuck.
    pub(super) fn not_specified(&self, stuck: &Stuck) -> Option<(&Told<'p>, Blocked)> {
        let [input, ..] = self.next(stuck);
        input.filter(|(_, blocked)| *blocked == Blocked::Signal)
    }
}

/// Something that was seen, as one part knows it.
pub(super) struct Told<'p> {
    pub(super) pending: &'p Pending,
    ints: Vec<i32>,
    pub(super) glimpse: Glimpse,
}

impl<'p> Told<'p> {
    /// None if the part has nothing to do with it.
    fn of(specification: &Specification, part: usize, pending: &'p Pending) -> Option<Told<'p>> {
        let (mut ints, mut glimpse) = (Vec::new(), Glimpse::default());
        let concerns = match &pending.what {
            Happening::Signal(action) => {
                set_ints(&mut ints, action);
                specification.parts[part].estimator.role(action.signal) != Role::None
            }
            Happening::Reading(reading) => {
                glimpse = Glimpse::of(specification, part, reading);
                !glimpse.ports.is_empty()
            }
            Happening::Set(_) | Happening::Step(_) => false,
        };
        concerns.then_some(Told { pending, ints, glimpse })
    }

    fn observation(&self, instants: super::Instants) -> Observation<'_> {
        let what = match &self.pending.what {
            Happening::Signal(action) => What::Signal { signal: action.signal, values: &self.ints },
            _ => What::Reading(&self.glimpse.seen),
        };
        let interval = instants.interval(self.pending.from_ns, self.pending.to_ns);
        Observation { what, interval }
    }
}
