//! The states that a search has seen: for each discrete state, an antichain of zones.
//!
//! A store is one of several parts (see `breadth`): a discrete state always belongs to the same one.
//! Discrete states are interned once. Below each hangs a list of *nodes*, one for each zone, none of
//! which includes (or simulates) another. A node that a larger one covers leaves the list and gives
//! its zone back, but is kept as long as it may be the parent of others: parents make traces.
//!
//! Zones are packed in one to four bytes for each bound, the same for all zones of a store; when one
//! does not fit, the store is packed anew, wider.

use std::hash::Hasher;

use hashbrown::HashTable;
use punctual_zones::{LuBounds, Packing, Relation, Zone};
use rustc_hash::FxHasher;

/// No node, no zone.
pub(crate) const NONE: u32 = u32::MAX;

/// A discrete state and a zone that was reached with it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Node {
    /// The discrete state.
    discrete: u32,
    /// Where its zone lies; [`NONE`] if a larger one covers it.
    zone: u32,
    /// The next node of the same discrete state.
    next: u32,
    /// The sum of all packed bounds: a zone that includes another has no smaller one.
    sum: i32,
    /// Where it comes from, and by which transition; any store.
    pub(crate) parent: u32,
    pub(crate) via: u32,
}

#[derive(Clone, Copy, Debug)]
struct Discrete {
    /// The first node.
    head: u32,
    dim: u32,
}

/// What became of a state that was handed to a store.
pub(crate) enum Inserted {
    /// It is new; this is its node.
    New(u32),
    /// A zone that was there before covers it.
    Covered,
}

/// A symbolic state on its way into a store.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arrival<'a> {
    pub(crate) hash: u64,
    pub(crate) key: &'a [u8],
    pub(crate) dim: usize,
    pub(crate) packing: Packing,
    pub(crate) zone: &'a [u8],
    pub(crate) parent: u32,
    pub(crate) via: u32,
}

/// Stores of different threads share no line of a cache.
#[repr(align(128))]
pub(crate) struct Store {
    key_len: usize,
    keys: Vec<u8>,
    discretes: Vec<Discrete>,
    table: HashTable<u32>,
    nodes: Vec<Node>,
    /// Nodes that nothing refers to.
    free_nodes: Vec<u32>,
    zones: Heap,
    packing: Packing,
    stored: u64,
    /// Whether the zones of a discrete state are united to one.
    unites: bool,
    simulation: Simulation,
    ours: Zone,
    theirs: Zone,
    spare: Vec<u8>,
}

/// Comparing by simulation costs more than inclusion, and on many models finds nothing that
/// inclusion does not. So it has to prove itself.
#[derive(Default)]
struct Simulation {
    tries: u64,
    hits: u64,
}

impl Simulation {
    const TRIAL: u64 = 1 << 14;

    fn is_worth_it(&self) -> bool {
        self.tries < Self::TRIAL || self.hits * 256 > self.tries
    }
}

pub(crate) fn hash(key: &[u8]) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(key);
    hasher.finish()
}

impl Store {
    pub(crate) fn new(key_len: usize, unites: bool) -> Store {
        Store {
            unites,
            key_len,
            keys: Vec::new(),
            discretes: Vec::new(),
            table: HashTable::new(),
            nodes: Vec::new(),
            free_nodes: Vec::new(),
            zones: Heap::default(),
            packing: Packing::Bytes,
            stored: 0,
            simulation: Simulation::default(),
            ours: Zone::zero(0),
            theirs: Zone::zero(0),
            spare: Vec::new(),
        }
    }

    /// How many states are stored.
    pub(crate) fn stored(&self) -> u64 {
        self.stored
    }

    /// About how many bytes the store holds.
    pub(crate) fn bytes(&self) -> u64 {
        let nodes = self.nodes.len() * size_of::<Node>() + self.free_nodes.len() * 4;
        let discretes = self.keys.len() + self.discretes.len() * size_of::<Discrete>();
        let table = self.table.capacity() * 5;
        (nodes + discretes + table + self.zones.bytes.len()) as u64
    }

    pub(crate) fn node(&self, node: u32) -> &Node {
        &self.nodes[node as usize]
    }

    /// Whether no larger zone covers the node's.
    pub(crate) fn is_alive(&self, node: u32) -> bool {
        self.nodes[node as usize].zone != NONE
    }

    /// A node that was covered before its successors were computed is no parent: forget it.
    pub(crate) fn forget(&mut self, node: u32) {
        debug_assert!(!self.is_alive(node));
        self.free_nodes.push(node);
    }

    /// The packed discrete state of a node.
    pub(crate) fn key(&self, node: u32) -> &[u8] {
        self.key_of(self.nodes[node as usize].discrete)
    }

    fn key_of(&self, discrete: u32) -> &[u8] {
        &self.keys[discrete as usize * self.key_len..][..self.key_len]
    }

    /// Restores the zone of a node that is alive.
    pub(crate) fn zone(&self, node: u32, zone: &mut Zone) {
        let node = &self.nodes[node as usize];
        let dim = self.discretes[node.discrete as usize].dim as usize;
        let bytes = self.zones.get(node.zone, self.packing.size(dim));
        self.packing.unpack_into(dim, bytes, zone);
    }

    /// Adds a state unless it is covered. With `bounds`, zones are compared by simulation.
    pub(crate) fn insert<'b>(
        &mut self,
        arrival: Arrival<'_>,
        bounds: impl FnOnce() -> Option<LuBounds<'b>>,
    ) -> Inserted {
        while arrival.packing > self.packing {
            self.widen();
        }
        if arrival.packing < self.packing {
            return self.insert_repacked(arrival, bounds);
        }
        let discrete = self.intern(&arrival);
        if self.unites {
            return self.unite(discrete, arrival);
        }
        let size = self.packing.size(arrival.dim);
        let sum = sum(self.packing, arrival.zone);
        let head = self.discretes[discrete as usize].head;
        if head != NONE && self.covers(discrete, &arrival, size, sum, bounds) {
            return Inserted::Covered;
        }
        Inserted::New(self.add(discrete, &arrival, sum))
    }

    fn add(&mut self, discrete: u32, arrival: &Arrival<'_>, sum: i32) -> u32 {
        let node = Node {
            discrete,
            zone: self.zones.insert(arrival.zone),
            next: self.discretes[discrete as usize].head,
            sum,
            parent: arrival.parent,
            via: arrival.via,
        };
        let id = match self.free_nodes.pop() {
            Some(id) => {
                self.nodes[id as usize] = node;
                id
            }
            None => {
                self.nodes.push(node);
                u32::try_from(self.nodes.len() - 1).expect("nodes fit 32 bits")
            }
        };
        self.discretes[discrete as usize].head = id;
        self.stored += 1;
        id
    }

    /// Replaces the one zone of a discrete state by its convex hull with another.
    fn unite(&mut self, discrete: u32, arrival: Arrival<'_>) -> Inserted {
        let head = self.discretes[discrete as usize].head;
        if head == NONE {
            return Inserted::New(self.add(discrete, &arrival, 0));
        }
        let mut united = Zone::zero(0);
        self.zone(head, &mut united);
        self.packing.unpack_into(arrival.dim, arrival.zone, &mut self.ours);
        if self.ours.is_included_in(&united) {
            return Inserted::Covered;
        }
        united.hull(&self.ours);
        let mut zone = Vec::new();
        let fits = self.packing.pack(&united, &mut zone);
        assert!(fits, "each bound is one of either zone");
        self.zones.remove(self.nodes[head as usize].zone, zone.len());
        self.nodes[head as usize].zone = NONE;
        self.discretes[discrete as usize].head = NONE;
        self.stored -= 1;
        Inserted::New(self.add(discrete, &Arrival { zone: &zone, ..arrival }, 0))
    }

    fn insert_repacked<'b>(
        &mut self,
        arrival: Arrival<'_>,
        bounds: impl FnOnce() -> Option<LuBounds<'b>>,
    ) -> Inserted {
        let mut zone = std::mem::take(&mut self.spare);
        zone.clear();
        arrival.packing.unpack_into(arrival.dim, arrival.zone, &mut self.ours);
        let fits = self.packing.pack(&self.ours, &mut zone);
        assert!(fits, "wider bounds hold narrower ones");
        let arrival = Arrival { packing: self.packing, zone: &zone, ..arrival };
        let inserted = self.insert(arrival, bounds);
        self.spare = zone;
        inserted
    }

    /// The discrete state of an arrival.
    fn intern(&mut self, arrival: &Arrival<'_>) -> u32 {
        let Store { keys, key_len, table, discretes, .. } = self;
        let key_of = |discrete: u32| &keys[discrete as usize * *key_len..][..*key_len];
        if let Some(found) = table.find(arrival.hash, |&other| key_of(other) == arrival.key) {
            return *found;
        }
        let discrete = u32::try_from(discretes.len()).expect("discrete states fit 32 bits");
        table.insert_unique(arrival.hash, discrete, |&other| hash(key_of(other)));
        keys.extend_from_slice(arrival.key);
        discretes.push(Discrete { head: NONE, dim: arrival.dim as u32 });
        discrete
    }

    /// Whether a zone that is there covers the arrival. Drops those that the arrival covers.
    fn covers<'b>(
        &mut self,
        discrete: u32,
        arrival: &Arrival<'_>,
        size: usize,
        sum: i32,
        bounds: impl FnOnce() -> Option<LuBounds<'b>>,
    ) -> bool {
        let bounds = if self.simulation.is_worth_it() { bounds() } else { None };
        if bounds.is_some() {
            self.packing.unpack_into(arrival.dim, arrival.zone, &mut self.ours);
        }
        let (mut before, mut node) = (NONE, self.discretes[discrete as usize].head);
        while node != NONE {
            let Node { zone, next, sum: other, .. } = self.nodes[node as usize];
            let bytes = self.zones.get(zone, size);
            // The sums exclude one way; mostly the other one is excluded by the first bounds.
            let mut relation = match self.packing {
                Packing::Words => self.packing.relation(arrival.zone, bytes),
                packing if sum <= other => match packing.is_included(arrival.zone, bytes) {
                    true => Relation::Subset,
                    false => Relation::Different,
                },
                packing => match packing.is_included(bytes, arrival.zone) {
                    true => Relation::Superset,
                    false => Relation::Different,
                },
            };
            if relation == Relation::Different
                && let Some(bounds) = bounds
            {
                self.packing.unpack_into(arrival.dim, bytes, &mut self.theirs);
                self.simulation.tries += 1;
                if self.ours.is_simulated_by(&self.theirs, bounds) {
                    self.simulation.hits += 1;
                    relation = Relation::Subset;
                } else if self.theirs.is_simulated_by(&self.ours, bounds) {
                    self.simulation.hits += 1;
                    relation = Relation::Superset;
                }
            }
            match relation {
                Relation::Equal | Relation::Subset => return true,
                Relation::Different => before = node,
                Relation::Superset => {
                    match before {
                        NONE => self.discretes[discrete as usize].head = next,
                        before => self.nodes[before as usize].next = next,
                    }
                    self.zones.remove(zone, size);
                    self.nodes[node as usize].zone = NONE;
                    self.stored -= 1;
                }
            }
            node = next;
        }
        false
    }

    /// Packs all zones anew, wider.
    fn widen(&mut self) {
        let wider = self.packing.wider();
        let mut zones = Heap::default();
        let (mut zone, mut bytes) = (Zone::zero(0), Vec::new());
        for id in 0..self.nodes.len() as u32 {
            if self.is_alive(id) {
                self.zone(id, &mut zone);
                bytes.clear();
                let fits = wider.pack(&zone, &mut bytes);
                assert!(fits, "wider bounds hold narrower ones");
                let node = &mut self.nodes[id as usize];
                node.zone = zones.insert(&bytes);
                node.sum = sum(wider, &bytes);
            }
        }
        self.zones = zones;
        self.packing = wider;
    }
}

fn sum(packing: Packing, zone: &[u8]) -> i32 {
    match packing {
        Packing::Bytes => zone.iter().map(|byte| i32::from(byte.cast_signed())).sum(),
        Packing::Halves => {
            zone.as_chunks::<2>().0.iter().map(|&it| i32::from(i16::from_ne_bytes(it))).sum()
        }
        Packing::Words => 0,
    }
}

/// Pieces of memory of any size, in units of four bytes.
#[derive(Default)]
struct Heap {
    bytes: Vec<u8>,
    /// Free pieces by their number of units.
    free: Vec<Vec<u32>>,
}

impl Heap {
    const UNIT: usize = 4;

    fn insert(&mut self, content: &[u8]) -> u32 {
        let units = content.len().div_ceil(Self::UNIT);
        if let Some(place) = self.free.get_mut(units).and_then(Vec::pop) {
            self.bytes[place as usize * Self::UNIT..][..content.len()].copy_from_slice(content);
            return place;
        }
        let place = u32::try_from(self.bytes.len() / Self::UNIT).expect("zones fit 16 GB");
        self.bytes.extend_from_slice(content);
        self.bytes.resize((place as usize + units) * Self::UNIT, 0);
        place
    }

    #[inline]
    fn get(&self, place: u32, size: usize) -> &[u8] {
        &self.bytes[place as usize * Self::UNIT..][..size]
    }

    fn remove(&mut self, place: u32, size: usize) {
        let units = size.div_ceil(Self::UNIT);
        if self.free.len() <= units {
            self.free.resize_with(units + 1, Vec::new);
        }
        self.free[units].push(place);
    }
}
