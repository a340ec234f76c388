//! All stores of a search, and the ways through them.

use punctual_semantics::symbolic::Active;
use punctual_zones::{Packing, Zone};

use crate::plan::Plan;
use crate::store::{Arrival, Inserted, NONE, Store, hash};

/// How many stores there are: a fixed number, so that nothing depends on the number of threads.
pub(crate) const STORES: usize = 1 << STORE_BITS;
const STORE_BITS: u32 = 4;

/// A node of some store.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct NodeRef(u32);

impl NodeRef {
    pub(crate) const NONE: NodeRef = NodeRef(NONE);

    pub(crate) fn new(store: usize, node: u32) -> NodeRef {
        assert!(node < NONE >> STORE_BITS, "a store holds less than 2^28 states");
        NodeRef(node << STORE_BITS | store as u32)
    }

    pub(crate) fn store(self) -> usize {
        self.0 as usize % STORES
    }

    pub(crate) fn node(self) -> u32 {
        self.0 >> STORE_BITS
    }

    pub(crate) fn raw(self) -> u32 {
        self.0
    }
}

/// The store that a discrete state belongs to. Tables use other bits of the hash.
pub(crate) fn store_of(hash: u64) -> usize {
    (hash >> 20) as usize % STORES
}

/// A symbolic state, packed.
#[derive(Default)]
pub(crate) struct Packed {
    pub(crate) hash: u64,
    pub(crate) key: Vec<u8>,
    pub(crate) zone: Vec<u8>,
}

impl Packed {
    /// Packs a state; answers how its zone is packed.
    pub(crate) fn set(&mut self, plan: &Plan, state: &[i32], zone: &Zone) -> Packing {
        self.key.clear();
        plan.layout.pack(state, &mut self.key);
        self.hash = hash(&self.key);
        self.zone.clear();
        pack(zone, &mut self.zone)
    }
}

/// Appends a zone in as few bytes as it takes.
pub(crate) fn pack(zone: &Zone, out: &mut Vec<u8>) -> Packing {
    let mut packing = Packing::Bytes;
    while !packing.pack(zone, out) {
        packing = packing.wider();
    }
    packing
}

/// The stores of a search.
pub(crate) struct Passed {
    pub(crate) stores: Vec<Store>,
    pub(crate) packed: Packed,
    active: Active,
    state: Vec<i32>,
}

impl Passed {
    pub(crate) fn new(plan: &Plan) -> Passed {
        Passed {
            stores: (0..STORES).map(|_| Store::new(plan.layout.bytes(), plan.unites)).collect(),
            packed: Packed::default(),
            active: Active::new(plan.symbolic.n_clocks()),
            state: vec![0; plan.symbolic.state_len()],
        }
    }

    /// Adds a state unless it is covered.
    pub(crate) fn insert(
        &mut self,
        plan: &Plan,
        state: &[i32],
        zone: &Zone,
        parent: NodeRef,
        via: u32,
    ) -> Option<NodeRef> {
        let Passed { stores, packed, active, .. } = self;
        let packing = packed.set(plan, state, zone);
        let arrival = Arrival {
            hash: packed.hash,
            key: &packed.key,
            dim: zone.dim(),
            packing,
            zone: &packed.zone,
            parent: parent.raw(),
            via,
        };
        let store = store_of(packed.hash);
        let inserted = stores[store].insert(arrival, || {
            plan.simulates().then(|| {
                active.set(&plan.symbolic, state);
                active.bounds()
            })
        });
        match inserted {
            Inserted::New(node) => Some(NodeRef::new(store, node)),
            Inserted::Covered => None,
        }
    }

    /// Restores the state of a node; false if a larger one has covered it.
    pub(crate) fn load(
        &self,
        plan: &Plan,
        node: NodeRef,
        state: &mut [i32],
        zone: &mut Zone,
    ) -> bool {
        let store = &self.stores[node.store()];
        if !store.is_alive(node.node()) {
            return false;
        }
        plan.layout.unpack(store.key(node.node()), state);
        store.zone(node.node(), zone);
        true
    }

    /// The discrete state of a node, also of one that is covered.
    pub(crate) fn discrete(&mut self, plan: &Plan, node: NodeRef) -> &[i32] {
        let store = &self.stores[node.store()];
        plan.layout.unpack(store.key(node.node()), &mut self.state);
        &self.state
    }

    /// The numbers of the transitions that lead to a node; the first is that of the initial state.
    pub(crate) fn path(&self, node: NodeRef) -> Vec<u32> {
        let mut path = Vec::new();
        let mut at = node;
        while at != NodeRef::NONE {
            let node = self.stores[at.store()].node(at.node());
            path.push(node.via);
            at = NodeRef(node.parent);
        }
        path.reverse();
        path
    }

    pub(crate) fn stored(&self) -> u64 {
        self.stores.iter().map(Store::stored).sum()
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.stores.iter().map(Store::bytes).sum()
    }
}
