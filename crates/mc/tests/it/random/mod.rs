//! Small random networks and predicates, for playing implementations against each other.
//!
//! Everything follows from a seed. Networks have 2 or 3 processes of 2 to 4 locations and at most
//! 5 edges, 1 to 3 clocks and constants from 0 to 4, so that they can be explored by brute force
//! and still have room for surprises. What they may contain is chosen by [`Features`].

mod generate;
mod property;
mod rng;

use punctual_model::{Expr, Network, Relation};

pub(crate) use generate::{binary, network};
pub(crate) use property::property;
pub(crate) use rng::Rng;

/// What random networks may contain. With everything off: handshakes, guards `x <= c`, `x >= c`
/// and `x == c`, and resets.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Features {
    /// Some channels are broadcast channels.
    pub(crate) broadcast: bool,
    /// Receivers of broadcasts may have clock guards.
    pub(crate) broadcast_clock_guards: bool,
    /// Some channels are urgent.
    pub(crate) urgent_channels: bool,
    /// Edges over urgent channels may have clock guards.
    pub(crate) urgent_clock_guards: bool,
    /// Some locations are urgent.
    pub(crate) urgent_locations: bool,
    /// Some locations are committed.
    pub(crate) committed: bool,
    /// Channels and internal edges have different priorities.
    pub(crate) channel_priorities: bool,
    /// Processes have different priorities.
    pub(crate) process_priorities: bool,
    /// Edges may select values, for guards, channels and updates.
    pub(crate) select: bool,
    /// Integer variables and an array, in guards and updates.
    pub(crate) variables: bool,
    /// Guards may compare differences of clocks.
    pub(crate) diagonals: bool,
    /// Constraints may be strict; not if `closed`.
    pub(crate) strict: bool,
    /// Locations may have invariants; with `variables`, bounds may depend on them.
    pub(crate) invariants: bool,
    /// Clocks may be set to 1, 2 or 3.
    pub(crate) clock_constants: bool,
    /// Clocks may be set to others, also plus a constant.
    pub(crate) clock_copies: bool,
    /// Edges may have several branches.
    pub(crate) branches: bool,
    /// No strict constraints, so that discrete time is enough.
    pub(crate) closed: bool,
    /// Events and vectors instead of channels; only what TChecker's format can say. Leaves out
    /// priorities, `select`, `branches` and `stopwatches`.
    pub(crate) tchecker: bool,
    /// With `tchecker`: vectors may have weak participants.
    pub(crate) weak: bool,
    /// Clocks may stand still in some locations.
    pub(crate) stopwatches: bool,
    /// Updates may leave ranges, indices their arrays, and clocks may be set below zero.
    pub(crate) faults: bool,
}

impl Features {
    /// All of UPPAAL's that symbolic analysis treats exactly, and no faults.
    pub(crate) const UPPAAL: Self = Self {
        broadcast: true,
        broadcast_clock_guards: true,
        urgent_channels: true,
        urgent_clock_guards: true,
        urgent_locations: true,
        committed: true,
        channel_priorities: true,
        process_priorities: true,
        select: true,
        variables: true,
        diagonals: true,
        strict: true,
        invariants: true,
        clock_constants: true,
        clock_copies: true,
        branches: true,
        closed: false,
        tchecker: false,
        weak: false,
        stopwatches: false,
        faults: false,
    };

    /// All of TChecker's, and no faults.
    pub(crate) const TCHECKER: Self = Self { tchecker: true, weak: true, ..Self::UPPAAL };

    /// Some of these, each as likely as not; those that leave out something else stay.
    pub(crate) fn some(self, seed: u64) -> Self {
        let mut rng = Rng::new(seed ^ 0x5eed);
        let mut keep = |feature: bool| feature && rng.percent(50);
        Self {
            broadcast: keep(self.broadcast),
            broadcast_clock_guards: keep(self.broadcast_clock_guards),
            urgent_channels: keep(self.urgent_channels),
            urgent_clock_guards: keep(self.urgent_clock_guards),
            urgent_locations: keep(self.urgent_locations),
            committed: keep(self.committed),
            channel_priorities: keep(self.channel_priorities),
            process_priorities: keep(self.process_priorities),
            select: keep(self.select),
            variables: keep(self.variables),
            diagonals: keep(self.diagonals),
            strict: keep(self.strict),
            invariants: keep(self.invariants),
            clock_constants: keep(self.clock_constants),
            clock_copies: keep(self.clock_copies),
            branches: keep(self.branches),
            weak: keep(self.weak),
            stopwatches: keep(self.stopwatches),
            ..self
        }
    }

    /// These, as far as discrete time (see `discrete`) finds all reachable discrete states: only
    /// constraints that are not strict, and nothing that depends on one being false.
    pub(crate) fn digital(self) -> Self {
        Self {
            closed: true,
            diagonals: false,
            broadcast_clock_guards: false,
            urgent_clock_guards: false,
            channel_priorities: false,
            process_priorities: false,
            stopwatches: false,
            ..self
        }
    }
}

/// Whether no guard and no invariant is strict.
pub(crate) fn is_closed(network: &Network) -> bool {
    let strict = |relation| matches!(relation, Relation::Less | Relation::Greater);
    !constraints(network).any(|constraint| strict(constraint.relation))
}

/// Whether a guard or an invariant compares two clocks.
pub(crate) fn has_diagonals(network: &Network) -> bool {
    constraints(network).any(|constraint| constraint.left.is_some() && constraint.right.is_some())
}

/// All clock constraints of guards and invariants.
pub(crate) fn constraints(
    network: &Network,
) -> impl Iterator<Item = &punctual_model::ClockConstraint> {
    network.processes.iter().flat_map(|process| {
        let guards = process.edges.iter().map(|edge| &edge.guard);
        let invariants = process.locations.iter().map(|location| &location.invariant);
        guards.chain(invariants).flat_map(|condition| &condition.clocks)
    })
}

/// At least as large as any absolute value that a bound of random networks can have.
pub(crate) fn magnitude(expr: &Expr) -> i32 {
    match expr {
        Expr::Int(value) => value.abs(),
        Expr::Load(place) => place.range.lo.abs().max(place.range.hi.abs()),
        Expr::Binary(binary) => magnitude(&binary.left) + magnitude(&binary.right),
        expr => panic!("random bounds are sums, not {expr:?}"),
    }
}
