//! The states that a hunt has met: those it is in the middle of, and those that lead to nothing.

use punctual_zones::{Packing, Zone};
use rustc_hash::FxHashMap;

use crate::passed::pack;

/// A packed zone.
#[derive(Debug)]
pub(crate) struct Kept {
    dim: u32,
    packing: Packing,
    bytes: Box<[u8]>,
}

impl Kept {
    pub(crate) fn new(zone: &Zone) -> Kept {
        let mut bytes = Vec::new();
        let packing = pack(zone, &mut bytes);
        Kept { dim: zone.dim() as u32, packing, bytes: bytes.into() }
    }

    pub(crate) fn unpack(&self, zone: &mut Zone) {
        self.packing.unpack_into(self.dim as usize, &self.bytes, zone);
    }

    /// Whether the zone lies in another.
    fn is_included_in(&self, other: &Kept) -> bool {
        if self.packing == other.packing {
            return self.packing.is_included(&self.bytes, &other.bytes);
        }
        let (mut ours, mut theirs) = (Zone::zero(0), Zone::zero(0));
        self.unpack(&mut ours);
        other.unpack(&mut theirs);
        ours.is_included_in(&theirs)
    }

    pub(crate) fn bytes(&self) -> u64 {
        (size_of::<Kept>() + self.bytes.len()) as u64
    }
}

/// What is known of the zones of a discrete state.
#[derive(Default)]
struct Discrete {
    /// Where on the path there are states of it.
    open: Vec<u32>,
    /// Zones from where there is no run; none lies in another.
    done: Vec<Kept>,
}

/// What is known of a state.
pub(crate) enum Knowledge {
    /// There is no run from here.
    Done,
    /// It goes on as at this place of the path, for ever.
    Repeats(usize),
    /// Nothing; this is the number of its discrete state.
    New(u32),
}

/// The states that were met.
#[derive(Default)]
pub(crate) struct Known {
    ids: FxHashMap<Box<[u8]>, u32>,
    discretes: Vec<Discrete>,
    stored: u64,
    bytes: u64,
}

impl Known {
    /// What is known of a state. `zone_at` gives the zones of the path.
    pub(crate) fn of<'k>(
        &mut self,
        key: &[u8],
        zone: &Kept,
        zone_at: impl Fn(usize) -> &'k Kept,
    ) -> Knowledge {
        let Some(&id) = self.ids.get(key) else {
            let id = u32::try_from(self.discretes.len()).expect("less than 2^32 states");
            self.ids.insert(key.into(), id);
            self.discretes.push(Discrete::default());
            self.bytes += (key.len() + size_of::<Discrete>() + 32) as u64;
            return Knowledge::New(id);
        };
        let Discrete { open, done } = &self.discretes[id as usize];
        // What the smaller zone of before led to, it leads to again from the larger one of now. The
        // other way round, nothing follows: some of the valuations may have been left behind.
        if let Some(&at) = open.iter().rev().find(|&&at| zone_at(at as usize).is_included_in(zone))
        {
            return Knowledge::Repeats(at as usize);
        }
        match done.iter().any(|done| zone.is_included_in(done)) {
            true => Knowledge::Done,
            false => Knowledge::New(id),
        }
    }

    /// A state of this number is now at this place of the path.
    pub(crate) fn open(&mut self, id: u32, at: usize) {
        self.discretes[id as usize].open.push(at as u32);
    }

    /// The last state that was opened leads to no run.
    pub(crate) fn close(&mut self, id: u32, zone: Kept) {
        let Discrete { open, done } = &mut self.discretes[id as usize];
        open.pop();
        let before = done.len();
        let mut freed = 0;
        done.retain(|old| {
            let covered = old.is_included_in(&zone);
            freed += if covered { old.bytes() } else { 0 };
            !covered
        });
        self.stored -= (before - done.len()) as u64;
        self.stored += 1;
        self.bytes += zone.bytes();
        self.bytes -= freed;
        done.push(zone);
    }

    /// How many zones lead to nothing.
    pub(crate) fn stored(&self) -> u64 {
        self.stored
    }

    /// About how many bytes this holds.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }
}
