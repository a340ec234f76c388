//! Breadth-first search on any number of threads, with the same result for each number.
//!
//! The states of one depth are explored in *chunks* of a fixed size. All threads expand the states
//! of a chunk, block by block, and put the successors into one outbox for each store; then each
//! store takes what is meant for it, in the order of the blocks. Whichever thread does what, every
//! store gets the same states in the same order, so everything is determined: what is stored, what
//! is counted, which goal is found.

use std::any::Any;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Barrier, Mutex, OnceLock, PoisonError, RwLock};

use punctual_semantics::symbolic::Active;
use punctual_zones::{Packing, Zone};

use crate::extremum::Extremes;
use crate::goal::Goal;
use crate::passed::{NodeRef, Passed, STORES, pack, store_of};
use crate::plan::Plan;
use crate::search::{End, Expander, Meter, Search, start};
use crate::store::{Arrival, Inserted, Store, hash};

/// States that are expanded before their successors are stored. More would mean fewer meetings of
/// the threads, but also more states that are expanded although a successor of another covers them.
const CHUNK: usize = 4096;
/// States of large models have many successors, each of which takes long: with so many numbers in
/// all states of a chunk, the observer is still asked every few seconds.
const CHUNK_NUMBERS: usize = 1 << 17;
/// How many successors of one state are computed between two counts of what they take.
const SENT: u64 = 1 << 12;
/// States that one thread expands at a time.
const BLOCK: usize = 32;

/// Searches breadth first.
pub(crate) fn breadth_first(
    plan: &Plan,
    goal: &Goal<'_>,
    threads: usize,
    mut meter: Meter<'_>,
) -> Search {
    let mut passed = Passed::new(plan);
    let mut extremes = Extremes::default();
    let first = start(plan, goal, &mut passed, &mut extremes);
    let stores = std::mem::take(&mut passed.stores);
    let shared = Shared::new(plan, goal, stores);
    let end = match first {
        Err(end) => end,
        Ok(first) if threads <= 1 => shared.lead(first, &mut meter, &mut extremes, &mut Alone),
        Ok(first) => {
            // Threads that the machine refuses are missing, and the others do their work. So the size of the team is known last.
            let barrier = OnceLock::new();
            std::thread::scope(|scope| {
                let follow = || shared.follow(barrier.wait());
                let helpers = (1..threads)
                    .map_while(|_| std::thread::Builder::new().spawn_scoped(scope, follow).ok());
                let n_helpers = helpers.count();
                let barrier = barrier.get_or_init(|| Barrier::new(n_helpers + 1));
                let mut team = Team { shared: &shared, barrier };
                shared.lead(first, &mut meter, &mut extremes, &mut team)
            })
        }
    };
    passed.stores = shared.into_stores();
    let statistics = meter.finish(passed.stored(), passed.bytes());
    Search { end, passed, statistics, extremes }
}

/// What all threads see. Locks are never waited for: phases keep readers and writers apart.
struct Shared<'p> {
    plan: &'p Plan,
    goal: &'p Goal<'p>,
    stores: Vec<RwLock<Store>>,
    chunk: RwLock<Vec<NodeRef>>,
    blocks: Vec<RwLock<Block>>,
    /// New nodes of each store.
    fresh: Vec<Mutex<Vec<NodeRef>>>,
    next_block: AtomicUsize,
    next_store: AtomicUsize,
    /// The first block that found an end; those behind it need not go on.
    last_block: AtomicUsize,
    phase: AtomicUsize,
    /// Bytes that all held at the last look.
    held: AtomicU64,
    /// The first panic of a thread.
    panic: Mutex<Option<Box<dyn Any + Send>>>,
}

const EXPAND: usize = 0;
const INSERT: usize = 1;
const QUIT: usize = 2;

/// What came of a block of states. Blocks of different threads share no line of a cache.
#[derive(Default)]
#[repr(align(128))]
struct Block {
    outboxes: Vec<Outbox>,
    explored: u64,
    transitions: u64,
    /// Nodes that were covered before they were expanded.
    covered: Vec<NodeRef>,
    end: Option<End>,
    extremes: Extremes,
}

/// Successors on their way to one store.
#[derive(Default)]
struct Outbox {
    letters: Vec<Letter>,
    bytes: Vec<u8>,
}

impl Outbox {
    fn held(&self) -> usize {
        self.bytes.capacity() + self.letters.capacity() * size_of::<Letter>()
    }
}

struct Letter {
    hash: u64,
    parent: NodeRef,
    via: u32,
    dim: u32,
    packing: Packing,
    /// Where its key begins; the zone follows.
    start: usize,
}

/// How the leading thread gets help.
trait Help {
    /// Lets the others take part in a phase.
    fn begin(&mut self);
    /// Waits until all have done their part.
    fn end(&mut self);
    /// Sends them home.
    fn quit(&mut self);
}

struct Alone;

impl Help for Alone {
    fn begin(&mut self) {}
    fn end(&mut self) {}
    fn quit(&mut self) {}
}

struct Team<'t, 'p> {
    shared: &'t Shared<'p>,
    barrier: &'t Barrier,
}

impl Help for Team<'_, '_> {
    fn begin(&mut self) {
        self.barrier.wait();
    }

    fn end(&mut self) {
        self.barrier.wait();
    }

    fn quit(&mut self) {
        self.shared.phase.store(QUIT, Ordering::Release);
        self.barrier.wait();
    }
}

impl<'p> Shared<'p> {
    fn new(plan: &'p Plan, goal: &'p Goal<'p>, stores: Vec<Store>) -> Shared<'p> {
        let block = || {
            let outboxes = (0..STORES).map(|_| Outbox::default()).collect();
            RwLock::new(Block { outboxes, ..Block::default() })
        };
        Shared {
            plan,
            goal,
            stores: stores.into_iter().map(RwLock::new).collect(),
            chunk: RwLock::new(Vec::new()),
            blocks: (0..CHUNK / BLOCK).map(|_| block()).collect(),
            fresh: (0..STORES).map(|_| Mutex::default()).collect(),
            next_block: AtomicUsize::new(0),
            next_store: AtomicUsize::new(0),
            last_block: AtomicUsize::new(usize::MAX),
            phase: AtomicUsize::new(EXPAND),
            held: AtomicU64::new(0),
            panic: Mutex::new(None),
        }
    }

    fn into_stores(self) -> Vec<Store> {
        let open = |lock: RwLock<Store>| lock.into_inner().unwrap_or_else(PoisonError::into_inner);
        self.stores.into_iter().map(open).collect()
    }

    /// Leads the search from the initial nodes.
    fn lead(
        &self,
        first: Vec<NodeRef>,
        meter: &mut Meter<'_>,
        extremes: &mut Extremes,
        help: &mut dyn Help,
    ) -> End {
        let mut worker = Worker::new(self.plan);
        let chunk = (CHUNK_NUMBERS / self.plan.symbolic.state_len().max(1)).clamp(BLOCK, CHUNK);
        let mut level = first;
        let mut next = Vec::new();
        let end = 'search: loop {
            let n_level = level.len();
            for (i, nodes) in level.chunks(chunk).enumerate() {
                self.expand(nodes, &mut worker, help);
                if let Some(end) = self.collect(meter, extremes) {
                    break 'search end;
                }
                self.insert(&mut worker, help);
                for fresh in &self.fresh {
                    next.append(&mut lock(fresh));
                }
                let waiting = n_level - i * chunk - nodes.len() + next.len();
                let bytes = self.bytes() + (level.len() + next.len()) as u64 * 4;
                self.held.store(bytes, Ordering::Relaxed);
                let look = meter.look(self.stored(), waiting as u64, bytes);
                if let ControlFlow::Break(end) = look {
                    break 'search end;
                }
            }
            if next.is_empty() {
                break End::Exhausted;
            }
            level.clear();
            std::mem::swap(&mut level, &mut next);
        };
        help.quit();
        end
    }

    fn expand(&self, nodes: &[NodeRef], worker: &mut Worker<'_>, help: &mut dyn Help) {
        {
            let mut chunk = write(&self.chunk);
            chunk.clear();
            chunk.extend_from_slice(nodes);
        }
        self.next_block.store(0, Ordering::Relaxed);
        self.last_block.store(usize::MAX, Ordering::Relaxed);
        self.phase.store(EXPAND, Ordering::Release);
        help.begin();
        self.guarded(|| self.expand_blocks(worker));
        help.end();
        self.pass_on_panic(help);
    }

    fn insert(&self, worker: &mut Worker<'_>, help: &mut dyn Help) {
        self.next_store.store(0, Ordering::Relaxed);
        self.phase.store(INSERT, Ordering::Release);
        help.begin();
        self.guarded(|| self.fill_stores(worker));
        help.end();
        self.pass_on_panic(help);
    }

    /// A panic of one thread must not leave the others waiting for it.
    fn guarded(&self, work: impl FnOnce()) {
        if let Err(panic) = catch_unwind(AssertUnwindSafe(work)) {
            lock(&self.panic).get_or_insert(panic);
        }
    }

    /// Sends the others home and goes on with the panic of any thread.
    fn pass_on_panic(&self, help: &mut dyn Help) {
        if let Some(panic) = lock(&self.panic).take() {
            help.quit();
            resume_unwind(panic);
        }
    }

    /// Adds up what the blocks of a chunk found; the end that comes first, if any.
    fn collect(&self, meter: &mut Meter<'_>, extremes: &mut Extremes) -> Option<End> {
        let n_blocks = read(&self.chunk).len().div_ceil(BLOCK);
        for block in &self.blocks[..n_blocks] {
            let mut block = write(block);
            meter.statistics.explored += block.explored;
            meter.statistics.transitions += block.transitions;
            extremes.merge(&block.extremes);
            for node in block.covered.drain(..) {
                write(&self.stores[node.store()]).forget(node.node());
            }
            if let Some(end) = block.end.take() {
                return Some(end);
            }
        }
        None
    }

    fn stored(&self) -> u64 {
        self.stores.iter().map(|store| read(store).stored()).sum()
    }

    /// Counts what is held while one state has many successors. A thread knows what its own block holds, and what all held
    /// before.
    fn hold(&self, outboxes: &[Outbox]) {
        let own: usize = outboxes.iter().map(Outbox::held).sum();
        let held = self.held.load(Ordering::Relaxed) + own as u64;
        self.plan.symbolic.budget().hold(held);
    }

    fn bytes(&self) -> u64 {
        let block = |block: &RwLock<Block>| -> usize {
            read(block).outboxes.iter().map(Outbox::held).sum()
        };
        let blocks: usize = self.blocks.iter().map(block).sum();
        self.stores.iter().map(|store| read(store).bytes()).sum::<u64>() + blocks as u64
    }

    /// Takes part in phases until sent home.
    fn follow(&self, barrier: &Barrier) {
        let mut worker = Worker::new(self.plan);
        loop {
            barrier.wait();
            match self.phase.load(Ordering::Acquire) {
                EXPAND => self.guarded(|| self.expand_blocks(&mut worker)),
                INSERT => self.guarded(|| self.fill_stores(&mut worker)),
                _ => return,
            }
            barrier.wait();
        }
    }

    fn expand_blocks(&self, worker: &mut Worker<'_>) {
        let chunk = read(&self.chunk);
        let stores: Vec<_> = self.stores.iter().map(read).collect();
        loop {
            let number = self.next_block.fetch_add(1, Ordering::Relaxed);
            let Some(nodes) = chunk.chunks(BLOCK).nth(number) else { return };
            let mut block = write(&self.blocks[number]);
            block.clear();
            for &node in nodes {
                if self.last_block.load(Ordering::Relaxed) < number {
                    break;
                }
                let store = &stores[node.store()];
                if !store.is_alive(node.node()) {
                    block.covered.push(node);
                    continue;
                }
                let expander = &mut worker.expander;
                self.plan.layout.unpack(store.key(node.node()), &mut expander.state);
                store.zone(node.node(), &mut expander.zone);
                block.end = block.expand(self, &mut worker.expander, node);
                if block.end.is_some() {
                    self.last_block.fetch_min(number, Ordering::Relaxed);
                    break;
                }
            }
        }
    }

    fn fill_stores(&self, worker: &mut Worker<'_>) {
        let n_blocks = read(&self.chunk).len().div_ceil(BLOCK);
        loop {
            let number = self.next_store.fetch_add(1, Ordering::Relaxed);
            let Some(store) = self.stores.get(number) else { return };
            let mut store = write(store);
            worker.fresh.clear();
            for block in &self.blocks[..n_blocks] {
                let block = read(block);
                let outbox = &block.outboxes[number];
                for letter in &outbox.letters {
                    let inserted = worker.insert(self.plan, &mut store, outbox, letter);
                    if let Inserted::New(node) = inserted {
                        worker.fresh.push(NodeRef::new(number, node));
                    }
                }
            }
            lock(&self.fresh[number]).extend_from_slice(&worker.fresh);
        }
    }
}

impl Block {
    fn clear(&mut self) {
        for outbox in &mut self.outboxes {
            outbox.letters.clear();
            outbox.bytes.clear();
        }
        self.explored = 0;
        self.transitions = 0;
        self.extremes = Extremes::default();
    }

    fn expand(
        &mut self,
        shared: &Shared<'_>,
        expander: &mut Expander<'_>,
        node: NodeRef,
    ) -> Option<End> {
        self.explored += 1;
        let Block { outboxes, extremes, .. } = self;
        let mut transitions: u64 = 0;
        let give = &mut |via: u32, state: &[i32], zone: &Zone| {
            transitions += 1;
            send(shared.plan, outboxes, node, via, state, zone);
            if transitions.is_multiple_of(SENT) {
                shared.hold(outboxes);
            }
        };
        let end = expander.expand(shared.plan, shared.goal, node, extremes, give);
        self.transitions += transitions;
        end
    }
}

fn send(
    plan: &Plan,
    outboxes: &mut [Outbox],
    parent: NodeRef,
    via: u32,
    state: &[i32],
    zone: &Zone,
) {
    // The hash tells the outbox, but comes from the key: it is written to the first one, and moved
    // on if it belongs to another.
    let mut key = std::mem::take(&mut outboxes[0].bytes);
    let start = key.len();
    plan.layout.pack(state, &mut key);
    let hash = hash(&key[start..]);
    let to = store_of(hash);
    if to == 0 {
        let packing = pack(zone, &mut key);
        outboxes[0].bytes = key;
        let dim = zone.dim() as u32;
        outboxes[0].letters.push(Letter { hash, parent, via, dim, packing, start });
        return;
    }
    let outbox = &mut outboxes[to];
    let at = outbox.bytes.len();
    outbox.bytes.extend_from_slice(&key[start..]);
    let packing = pack(zone, &mut outbox.bytes);
    let dim = zone.dim() as u32;
    outbox.letters.push(Letter { hash, parent, via, dim, packing, start: at });
    key.truncate(start);
    outboxes[0].bytes = key;
}

/// The working memory of a thread.
struct Worker<'p> {
    expander: Expander<'p>,
    active: Active,
    state: Vec<i32>,
    /// New nodes of the store that is being filled.
    fresh: Vec<NodeRef>,
}

impl<'p> Worker<'p> {
    fn new(plan: &'p Plan) -> Worker<'p> {
        Worker {
            expander: Expander::new(plan),
            active: Active::new(plan.symbolic.n_clocks()),
            state: vec![0; plan.symbolic.state_len()],
            fresh: Vec::new(),
        }
    }

    fn insert(
        &mut self,
        plan: &Plan,
        store: &mut Store,
        outbox: &Outbox,
        letter: &Letter,
    ) -> Inserted {
        let dim = letter.dim as usize;
        let (key, rest) = outbox.bytes[letter.start..].split_at(plan.layout.bytes());
        let arrival = Arrival {
            hash: letter.hash,
            key,
            dim,
            packing: letter.packing,
            zone: &rest[..letter.packing.size(dim)],
            parent: letter.parent.raw(),
            via: letter.via,
        };
        let Worker { active, state, .. } = self;
        store.insert(arrival, || {
            plan.simulates().then(|| {
                plan.layout.unpack(key, state);
                active.set(&plan.symbolic, state);
                active.bounds()
            })
        })
    }
}

/// A panic is passed on before anybody looks at what it left.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn read<T>(lock: &RwLock<T>) -> std::sync::RwLockReadGuard<'_, T> {
    lock.read().unwrap_or_else(PoisonError::into_inner)
}

fn write<T>(lock: &RwLock<T>) -> std::sync::RwLockWriteGuard<'_, T> {
    lock.write().unwrap_or_else(PoisonError::into_inner)
}
