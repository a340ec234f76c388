//! Faults seeded into networks of timed automata: each mutant differs from the network in one place.
//!
//! An [`Operator`] is applied once to each place that it fits, in each process of the system under test,
//! and in those of its environment if [`Options::environment`] asks for it. Nothing is drawn by chance.
//!
//! | operator | what is changed | file |
//! |---|---|---|
//! | restrict, widen | one end of a clock constraint of a guard or an invariant moves | `ends.rs` |
//! | shift | all bounds of a window move together, earlier and later | `windows.rs` |
//! | constants | the constants of an invariant and a guard change places | `windows.rs` |
//! | self-loop, target, source | an edge leads, or starts, elsewhere | `edges.rs` |
//! | action | an edge synchronises over another channel | `edges.rs` |
//! | negate | one conjunct of a guard is negated | `guards.rs` |
//! | reset-added, reset-dropped | an edge sets one clock more, or less | `resets.rs` |
//!
//! The rules, where more than one is possible:
//!
//! - **Bounds** are those of integer constraints in guards and invariants, of clocks and of differences of
//!   two clocks. A bound that is computed (`x <= limit[i]`) is restricted, widened and shifted by an
//!   expression around it, which is not kept from getting negative. Constraints with doubles, and those
//!   inside of other expressions (`x < 3 || stop`), are left alone.
//! - An equality `x == 5` is a lower and an upper bound. It is never restricted: nothing would be left.
//! - A constant bound of one clock is at least 0: a lower bound stops there, and an upper bound that
//!   would be negative (or `x < 0`) is no mutant.
//! - **A window** is a clock with a lower bound in the guard of an edge: it has all bounds of the guard on that
//!   clock, and the upper bounds on it in the invariant of the source. An invariant whose clock is in no guard
//!   of an edge that leaves the location is a window of its own. A window without an upper bound is shifted as
//!   it is restricted or widened, so these mutants are equal, as are those of an invariant of its own.
//! - **A self loop** is made of each branch of an edge with clocks: the guard has a clock, the update (or a function
//!   that it calls) sets one, or the invariant of the source has one and the edge is no `c?`, so that it is the process
//!   itself that has to leave in time. The clocks with an upper bound in the invariant of the source are set
//!   to 0, or time would stop.
//! - **Another target or source** is the next location of the process, after the last one the first. If that is the source of
//!   the edge, and no clock stops time there, the mutant is equal to one of `self-loop`.
//! - **Another channel** is the next one (in the order of the network, after the last one the first) that the process uses in
//!   the same direction, and that is urgent and broadcast if the old one is. An index is kept if both are
//!   elements of arrays of the same size. An edge for which there is none stays as it is.
//! - **A negation** of a conjunction is not convex, so one conjunct is negated. Equalities of clocks are left out for
//!   the same reason.
//! - **A reset is added** for the first clock, in the order of the network, that the process owns or uses, that the edge
//!   does not set, and that some guard or invariant reads.
//! - **Resets** that a function makes are not dropped, since others may call it.
//!
//! **Invariant:** ids of processes, locations, edges, clocks, slots and channels are those of the network; only
//! contents differ. **Invariant:** names of mutants are unique, fit to name files, and do not depend on the
//! other operators. Not here: whether a mutant can be told from the network. It may be equivalent.
//!
//! Restrict, widen, shift and self-loop are the operators of the papers that test from timed automata with faults of
//! timing; another target, source or action, negation and changed resets are after Aichernig, Lorber & Nickovic 2013.

mod bounds;
mod clocks;
mod edges;
mod ends;
mod guards;
mod maker;
mod names;
mod resets;
mod text;
mod windows;

use punctual_model::{EdgeId, IdVec, LocationId, Network, ProcessId};
use punctual_semantics::split::Side;

use maker::Maker;
use names::Names;

/// What kind of fault a mutant has.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Operator {
    /// A clock bound is tighter.
    Restrict,
    /// A clock bound is looser.
    Widen,
    /// All bounds of a window are earlier, or later.
    Shift,
    /// An edge with clocks leads back to where it starts.
    SelfLoop,
    /// An edge leads to another location.
    Target,
    /// An edge starts at another location.
    Source,
    /// An edge synchronises over another channel.
    Action,
    /// A conjunct of a guard is negated.
    Negate,
    /// An edge sets one more clock to 0.
    ResetAdded,
    /// An edge does not set a clock any more.
    ResetDropped,
    /// The constants of an invariant and of a guard below it change places.
    Constants,
}

impl Operator {
    /// All operators, in the order of lists.
    pub const ALL: [Operator; 11] = [
        Operator::Restrict,
        Operator::Widen,
        Operator::Shift,
        Operator::SelfLoop,
        Operator::Target,
        Operator::Source,
        Operator::Action,
        Operator::Negate,
        Operator::ResetAdded,
        Operator::ResetDropped,
        Operator::Constants,
    ];

    /// The operators of the papers: faults of timing.
    pub const PAPER: [Operator; 4] =
        [Operator::Restrict, Operator::Widen, Operator::Shift, Operator::SelfLoop];

    /// The name of the operator in lists and on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Operator::Restrict => "restrict",
            Operator::Widen => "widen",
            Operator::Shift => "shift",
            Operator::SelfLoop => "self-loop",
            Operator::Target => "target",
            Operator::Source => "source",
            Operator::Action => "action",
            Operator::Negate => "negate",
            Operator::ResetAdded => "reset-added",
            Operator::ResetDropped => "reset-dropped",
            Operator::Constants => "constants",
        }
    }

    /// The operator of a name; none if there is no such operator.
    #[must_use]
    pub fn named(name: &str) -> Option<Operator> {
        Operator::ALL.into_iter().find(|it| it.name() == name)
    }
}

/// A part of a process that a mutant changes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Place {
    /// A location; its invariant is changed.
    Location(LocationId),
    /// An edge; what a window takes along from the invariant of its source is changed, too.
    Edge(EdgeId),
}

/// A network with one fault.
#[derive(Clone, PartialEq, Debug)]
pub struct Mutant {
    /// A name that no other mutant of the network has, such as `restrict-Gate-e2-x-lower`.
    pub name: String,
    /// The kind of the fault.
    pub operator: Operator,
    /// The process that has the fault.
    pub process: ProcessId,
    /// The side of that process: a fault of the environment is none of the system.
    pub side: Side,
    /// The place in the process.
    pub place: Place,
    /// The change, for people: `x >= 3100 becomes x >= 3200`.
    pub change: String,
    /// The network with the fault.
    pub network: Network,
}

/// Which mutants are wanted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Options {
    /// The kinds of faults; their order does not matter.
    pub operators: Vec<Operator>,
    /// How far bounds are moved, in time units of the model; above 0.
    pub offset: i32,
    /// Whether processes of the environment are changed, too.
    pub environment: bool,
}

impl Default for Options {
    /// All operators, on the system alone, with bounds that move by one time unit.
    fn default() -> Options {
        Options { operators: Operator::ALL.to_vec(), offset: 1, environment: false }
    }
}

/// All mutants of a network, in the order of their operators, processes and places. A process without a
/// side counts as system.
#[must_use]
pub fn mutants(
    network: &Network,
    sides: &IdVec<ProcessId, Side>,
    options: &Options,
) -> Vec<Mutant> {
    let names = Names::of(network);
    let mut found = Vec::new();
    for operator in Operator::ALL.into_iter().filter(|it| options.operators.contains(it)) {
        for process in network.processes.ids() {
            let side = sides.get(process).copied().unwrap_or(Side::System);
            if side == Side::Environment && !options.environment {
                continue;
            }
            let mut maker = Maker::new(network, &names, operator, process, side, options.offset);
            apply(operator, &mut maker);
            found.append(&mut maker.found);
        }
    }
    found
}

fn apply(operator: Operator, maker: &mut Maker<'_>) {
    match operator {
        Operator::Restrict => ends::restrict(maker),
        Operator::Widen => ends::widen(maker),
        Operator::Shift => windows::shift(maker),
        Operator::SelfLoop => edges::self_loop(maker),
        Operator::Target => edges::target(maker),
        Operator::Source => edges::source(maker),
        Operator::Action => edges::action(maker),
        Operator::Negate => guards::negate(maker),
        Operator::ResetAdded => resets::added(maker),
        Operator::ResetDropped => resets::dropped(maker),
        Operator::Constants => windows::constants(maker),
    }
}
