//! What a transition touches: whose draws and deadlines may be different after it.
//!
//! A process keeps its draw as long as nothing is written that the draw was computed from: the
//! variables and clocks that the guards and channels of its outputs, its invariant and its
//! exponential rate read in its present location and, where an output is over an urgent channel, what
//! decides whether somebody receives. **Invariant:** what is read and written is never less than what
//! code can read and write: an index may be any, both sides of a condition count, and so do the
//! functions that are called. What is not followed ([`Uses::always`]: chance, the values of clocks
//! outside of constraints, meta variables) makes a process draw anew each time.
//!
//! A process sleeps if all it can do needs a partner and there is none: it would try in vain. Then it is
//! also touched by what decides whether there are partners.
//!
//! Not here: locations. Who moves draws anew anyway.

use std::collections::HashMap;

use punctual_model::{
    ClockRef, Condition, Expr, FunctionBody, FunctionId, Id, Index, Network, Number, Place,
    Statement, Storage,
};

/// If more than so many pairs of a slot and a location that reads it exist, nothing is followed.
const READERS_MAX: usize = 1 << 22;

/// A process, and the locations in which it is touched: a bit for each of the first 63, and one for
/// all others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Touched {
    pub(crate) process: u32,
    locations: u64,
    /// Those in which it is touched if it sleeps.
    asleep: u64,
}

impl Touched {
    #[inline]
    pub(crate) fn is_at(self, location: i32, sleeps: bool) -> bool {
        let locations = if sleeps { self.asleep } else { self.locations };
        locations >> location.min(63) & 1 != 0
    }
}

/// Slots that code reads or writes, as ranges.
#[derive(Clone, Default, Debug)]
pub(super) struct Uses {
    pub(super) reads: Vec<(u32, u32)>,
    pub(super) writes: Vec<(u32, u32)>,
    /// It may give something else each time.
    pub(super) always: bool,
}

impl Uses {
    pub(super) fn add(&mut self, other: &Uses) {
        self.reads.extend_from_slice(&other.reads);
        self.writes.extend_from_slice(&other.writes);
        self.always |= other.always;
        tidy(&mut self.reads);
        tidy(&mut self.writes);
    }

    /// Code that is evaluated again and again should change nothing.
    pub(super) fn is_volatile(&self) -> bool {
        self.always || !self.writes.is_empty()
    }
}

/// Sorted, without repetitions.
fn tidy(ranges: &mut Vec<(u32, u32)>) {
    ranges.sort_unstable();
    ranges.dedup();
}

pub(super) fn meet(left: &[(u32, u32)], right: &[(u32, u32)]) -> bool {
    left.iter().any(|a| right.iter().any(|b| a.0 < b.1 && b.0 < a.1))
}

/// Finds out what code uses. Slots are numbered: integers, doubles, clocks, then
/// [partners](Self::partner).
pub(super) struct Dependencies<'n> {
    network: &'n Network,
    functions: Vec<Uses>,
    first_double: u32,
    first_clock: u32,
    first_partner: u32,
    partners: HashMap<(u32, u32), u32>,
}

impl<'n> Dependencies<'n> {
    pub(super) fn new(network: &'n Network) -> Self {
        let first_double = network.initial.ints.len() as u32;
        let first_clock = first_double + network.initial.doubles.len() as u32;
        let first_partner = first_clock + network.clocks.len() as u32;
        let mut all = Self {
            network,
            functions: Vec::new(),
            first_double,
            first_clock,
            first_partner,
            partners: HashMap::new(),
        };
        all.follow_functions();
        all
    }

    fn follow_functions(&mut self) {
        let mut calls = Vec::new();
        let mut functions = Vec::new();
        for function in &self.network.functions {
            let mut found = (Uses::default(), Vec::new());
            match &function.body {
                FunctionBody::Statements(body) => self.statements(body, &mut found),
                FunctionBody::External { .. } => found.0.always = true,
            }
            functions.push(found.0);
            calls.push(found.1);
        }
        // Until nobody learns anything from whom it calls.
        let size = |functions: &[Uses]| -> usize {
            functions
                .iter()
                .map(|it| it.reads.len() + it.writes.len() + usize::from(it.always))
                .sum()
        };
        loop {
            let before = size(&functions);
            for (caller, calls) in calls.iter().enumerate() {
                for callee in calls {
                    let called = functions[callee.index()].clone();
                    functions[caller].add(&called);
                }
            }
            if size(&functions) == before {
                break;
            }
        }
        self.functions = functions;
    }

    fn statements(&self, body: &[Statement], found: &mut (Uses, Vec<FunctionId>)) {
        for statement in body {
            match statement {
                Statement::Expr(expr) | Statement::Assert(expr) => self.code(expr, found),
                Statement::Return(value) => {
                    value.iter().for_each(|value| self.code(value, found));
                }
                Statement::Clear { place, .. } => self.write(place, &mut found.0),
                Statement::If(condition, yes, no) => {
                    self.code(condition, found);
                    self.statements(yes, found);
                    self.statements(no, found);
                }
                Statement::While(condition, body) | Statement::DoWhile(body, condition) => {
                    self.code(condition, found);
                    self.statements(body, found);
                }
                Statement::For { body, .. } => self.statements(body, found),
            }
        }
    }

    /// What an expression uses itself, and what it calls.
    fn code(&self, expr: &Expr, found: &mut (Uses, Vec<FunctionId>)) {
        let (uses, calls) = found;
        expr.walk(&mut |expr| match expr {
            Expr::Load(place) => self.read(place, uses),
            Expr::Assign { target, .. } => self.write(target, uses),
            Expr::SetClock { clock, .. } => uses.writes.push(self.clock(clock)),
            Expr::Call { function, .. } => calls.push(*function),
            Expr::Builtin(builtin, _) => uses.always |= builtin.is_random(),
            Expr::Clock(_) | Expr::ClockRate(_) | Expr::ClockConstraint(_) => uses.always = true,
            Expr::InLocation(..) | Expr::Deadlock => uses.always = true,
            Expr::Int(_)
            | Expr::Double(_)
            | Expr::ToDouble(_)
            | Expr::Unary(..)
            | Expr::Binary(_)
            | Expr::Conditional(_)
            | Expr::Sequence(_)
            | Expr::Quantifier { .. } => {}
        });
    }

    fn slot(&self, place: &Place) -> (u32, u32) {
        let first = match place.number {
            Number::Int => 0,
            Number::Double => self.first_double,
        };
        span(first + place.base, &place.indices, place.size)
    }

    fn clock(&self, clock: &ClockRef) -> (u32, u32) {
        span(self.first_clock + clock.base.index() as u32, &clock.indices, 1)
    }

    fn read(&self, place: &Place, uses: &mut Uses) {
        match place.storage {
            Storage::State => uses.reads.push(self.slot(place)),
            Storage::Meta => uses.always = true,
            Storage::Constant | Storage::Local => {}
        }
    }

    fn write(&self, place: &Place, uses: &mut Uses) {
        if place.storage == Storage::State {
            uses.writes.push(self.slot(place));
        }
    }

    /// What expressions use, with all that they call.
    pub(super) fn of<'e>(&self, exprs: impl IntoIterator<Item = &'e Expr>) -> Uses {
        let mut found = (Uses::default(), Vec::new());
        for expr in exprs {
            self.code(expr, &mut found);
        }
        let (mut uses, calls) = found;
        for function in calls {
            uses.add(&self.functions[function.index()]);
        }
        tidy(&mut uses.reads);
        tidy(&mut uses.writes);
        uses
    }

    /// What a guard or an invariant uses. Its clocks are followed through time, so that their values
    /// matter only when they are set.
    pub(super) fn of_condition(&self, condition: &Condition) -> Uses {
        let mut uses = self.of(&condition.data);
        for constraint in &condition.clocks {
            uses.add(&self.of(constraint.when.iter().chain([&constraint.bound])));
            for clock in constraint.clocks() {
                uses.add(&self.of_indices(&clock.indices));
                uses.reads.push(self.clock(clock));
            }
        }
        uses
    }

    pub(super) fn of_indices(&self, indices: &[Index]) -> Uses {
        self.of(indices.iter().map(|index| &index.value))
    }

    /// A slot that stands for whether a process is in a location where it receives on a channel.
    pub(super) fn partner(&mut self, channel: u32, process: u32) -> (u32, u32) {
        let next = self.first_partner + self.partners.len() as u32;
        let slot = *self.partners.entry((channel, process)).or_insert(next);
        (slot, slot + 1)
    }

    pub(super) fn n_slots(&self) -> usize {
        self.first_partner as usize + self.partners.len()
    }
}

/// The slots that a reference may lead to.
fn span(base: u32, indices: &[Index], size: u32) -> (u32, u32) {
    let (mut first, mut len) = (base, size);
    for index in indices {
        let steps = index.value.as_int().map(|value| i64::from(value) - i64::from(index.lo));
        match steps.and_then(|steps| u32::try_from(steps).ok()).filter(|steps| *steps < index.len) {
            Some(steps) => first += steps * index.stride,
            None => len += index.len.saturating_sub(1) * index.stride,
        }
    }
    (first, first + len)
}

/// What a location reads.
#[derive(Default, Debug)]
pub(super) struct Reads {
    pub(super) draw: Uses,
    /// What decides whether there are partners for outputs that need one.
    pub(super) partners: Uses,
}

/// A location that reads something: the process, the location, and whether it does so asleep only.
type Reader = (u32, u32, bool);

/// Who reads what.
pub(super) struct Readers {
    /// For each slot; none if there are too many to be followed.
    of_slot: Option<Vec<Vec<Reader>>>,
    n_processes: u32,
    lists: Vec<Touched>,
    known: HashMap<Vec<(u32, u32)>, (u32, u32)>,
}

impl Readers {
    /// From what each location of each process reads.
    pub(super) fn new(reads: &[Vec<Reads>], n_slots: usize) -> Self {
        let slots = |it: &Reads| -> usize {
            let all = it.draw.reads.iter().chain(&it.partners.reads);
            all.map(|(first, end)| (end - first) as usize).sum()
        };
        let total: usize = reads.iter().flatten().map(slots).sum();
        let of_slot = (total <= READERS_MAX).then(|| {
            let mut of_slot = vec![Vec::new(); n_slots];
            for (process, locations) in reads.iter().enumerate() {
                for (location, reads) in locations.iter().enumerate() {
                    for (uses, asleep) in [(&reads.draw, false), (&reads.partners, true)] {
                        for slot in uses.reads.iter().flat_map(|(first, end)| *first..*end) {
                            let reader = (process as u32, location as u32, asleep);
                            of_slot[slot as usize].push(reader);
                        }
                    }
                }
            }
            of_slot
        });
        let n_processes = reads.len() as u32;
        Self { of_slot, n_processes, lists: Vec::new(), known: HashMap::new() }
    }

    /// Where the list is of those who are touched when this is written.
    pub(super) fn touched(&mut self, writes: &[(u32, u32)]) -> (u32, u32) {
        if let Some(list) = self.known.get(writes) {
            return *list;
        }
        let start = self.lists.len();
        match &self.of_slot {
            None => {
                let all = |process| Touched { process, locations: !0, asleep: !0 };
                self.lists.extend((0..self.n_processes).map(all));
            }
            Some(of_slot) => {
                let slots = writes.iter().flat_map(|(first, end)| *first..*end);
                let mut readers: Vec<Reader> =
                    slots.flat_map(|slot| of_slot[slot as usize].iter().copied()).collect();
                readers.sort_unstable();
                for (process, location, asleep) in readers {
                    let bit = 1 << location.min(63);
                    let new = Touched { process, locations: 0, asleep: 0 };
                    if self.lists[start..].last().is_none_or(|last| last.process != process) {
                        self.lists.push(new);
                    }
                    if let Some(last) = self.lists.last_mut() {
                        last.asleep |= bit;
                        last.locations |= if asleep { 0 } else { bit };
                    }
                }
            }
        }
        let list = (start as u32, self.lists.len() as u32);
        self.known.insert(writes.to_vec(), list);
        list
    }

    /// All lists, one after the other.
    pub(super) fn finish(self) -> Vec<Touched> {
        self.lists
    }
}
