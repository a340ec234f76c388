//! The symbolic engine, one step at a time: for playing it against the concrete semantics.
//!
//! Each run of a test looks at the same few networks, beginning with the one of seed 0. `cargo xtask
//! soak` runs them again and again from other seeds (the environment variable `PUNCTUAL_SEED`);
//! `PUNCTUAL_NETWORKS` says how many networks each test looks at.

use std::{fmt::Write as _, ops::ControlFlow};

use punctual_lang::convert::Printer;
use punctual_model::{Channel, Expr, Frame, Id, LocationId, Network, Number, StateExpr, Sync};
use punctual_semantics::{
    Move, Rational,
    bounds::{Bounds, Directions, query_bounds},
    concrete::State,
    symbolic::{
        Active, Explorer, Halt, Predicate, Successor, Symbolic, Trouble, diagonals,
        difference_bounds,
    },
};
use punctual_zones::{Federation, Point, Source, Zone};

use crate::random::{Features, Rng};

/// The seeds of a test: this many, unless the environment says otherwise.
pub(crate) fn seeds(default: u64) -> std::ops::Range<u64> {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse().ok());
    let first = number("PUNCTUAL_SEED").unwrap_or(0);
    first..first + number("PUNCTUAL_NETWORKS").unwrap_or(default)
}

/// What networks are made of: all that there is, or some of it.
pub(crate) fn features(seed: u64) -> Features {
    let all = match seed % 8 {
        0 => Features::TCHECKER,
        1 => Features { stopwatches: true, ..Features::UPPAAL },
        _ => Features::UPPAAL,
    };
    if seed.is_multiple_of(5) { all } else { all.some(seed) }
}

/// Shows a network if a test fails while this is there.
pub(crate) struct Shown<'n>(pub(crate) u64, pub(crate) &'n Network);

impl Drop for Shown<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            println!("The network of seed {}:\n{}", self.0, text(self.1));
        }
    }
}

/// A network for people.
fn text(network: &Network) -> String {
    let mut text = format!("internal priority {}\n", network.default_priority);
    for channel in &network.channels {
        let Channel { name, broadcast, urgent, priority } = channel;
        let _ = writeln!(text, "{name}: broadcast {broadcast} urgent {urgent} priority {priority}");
    }
    for vector in &network.sync_vectors {
        let _ = writeln!(text, "{vector:?}");
    }
    for (id, process) in network.processes.enumerate() {
        let printer = Printer::within(network, id);
        let _ = writeln!(text, "{} priority {}", process.name, process.priority);
        for location in &process.locations {
            let invariant = printer.invariant(location);
            let _ = writeln!(text, "  {} {:?} {invariant}", location.name, location.kind);
        }
        for (id, edge) in process.edges.enumerate() {
            let printer = printer.for_edge(edge);
            let (guard, update) = (printer.condition(&edge.guard), printer.update(&edge.update));
            let sync = match &edge.sync {
                Sync::Event(event) => network.events[*event].clone(),
                sync => printer.sync(sync),
            };
            let (id, from, selects) = (id.index(), edge.source.index(), printer.selects(edge));
            let _ = writeln!(text, "  {id}: l{from} [{selects}] [{guard}] {sync} {update}");
            for branch in &edge.branches {
                let (to, update) = (branch.target.index(), printer.update(&branch.update));
                let _ = writeln!(text, "    l{to} [{}] {update}", printer.branch_selects(branch));
            }
        }
    }
    text
}

/// `deadlock`.
pub(crate) fn deadlock() -> StateExpr {
    StateExpr { expr: Expr::Deadlock, number: Number::Int, frame: Frame::default() }
}

/// A network, compiled for two queries.
pub(crate) struct Engine {
    pub(crate) symbolic: Symbolic,
    /// Any predicate.
    pub(crate) predicate: Predicate,
    /// `deadlock`.
    pub(crate) deadlock: Predicate,
}

impl Engine {
    pub(crate) fn new(network: &Network, predicate: &StateExpr, directions: Directions) -> Engine {
        Engine::of_any(network, predicate, directions).expect("small constants")
    }

    /// None if clocks can be set back again and again: then constants grow without limit.
    pub(crate) fn of_any(
        network: &Network,
        predicate: &StateExpr,
        directions: Directions,
    ) -> Option<Engine> {
        let (mut asked, _) = query_bounds(network, predicate).expect("small constants");
        // They matter for extrapolation only; what is refused there is walked without it.
        let diagonals = diagonals(network, &[predicate]).unwrap_or_default();
        asked.extend(difference_bounds(network, &diagonals).unwrap_or_default());
        let bounds = Bounds::new(network, directions, &asked).ok()?;
        let (symbolic, (predicate, deadlock)) =
            Symbolic::new(network, bounds, diagonals, |builder| {
                Ok((
                    Predicate::new(network, builder, predicate)?,
                    Predicate::new(network, builder, &deadlock())?,
                ))
            })
            .unwrap_or_else(|refusal| panic!("{refusal:?}"));
        Some(Engine { symbolic, predicate, deadlock })
    }

    /// The states that a network can start in, with time passing if `waits`.
    pub(crate) fn initial(&self, waits: bool) -> Result<Vec<Node>, Box<Trouble>> {
        let mut nodes = Vec::new();
        let done = self.explorer(waits).initial(&mut |successor| {
            nodes.push(Node::new(&successor));
            ControlFlow::Continue(())
        });
        done.map_err(trouble)?;
        Ok(nodes)
    }

    /// The successors of a node.
    pub(crate) fn successors(&self, node: &Node, waits: bool) -> Result<Vec<Edge>, Box<Trouble>> {
        let mut edges = Vec::new();
        let visit = &mut |successor: Successor<'_>| {
            let (ordinal, moves) = (successor.ordinal, successor.moves());
            edges.push(Edge { ordinal, moves, node: Node::new(&successor) });
            ControlFlow::Continue(())
        };
        self.explorer(waits).successors(&node.state, &node.zone, visit).map_err(trouble)?;
        Ok(edges)
    }

    /// The successors of a node by transitions of this number.
    pub(crate) fn follow(&self, node: &Node, ordinal: u32) -> Vec<Node> {
        let mut found = Vec::new();
        let done = self.explorer(true).successors(&node.state, &node.zone, &mut |successor| {
            if successor.ordinal == ordinal {
                found.push(Node::new(&successor));
            }
            ControlFlow::Continue(())
        });
        done.map_err(trouble).expect("a network without faults");
        found
    }

    /// Where in a node a predicate holds.
    pub(crate) fn part(
        &self,
        node: &Node,
        predicate: &Predicate,
    ) -> Result<Federation, Box<Trouble>> {
        predicate.part(&mut self.explorer(true), &node.state, &node.zone).map_err(trouble)
    }

    fn explorer(&self, waits: bool) -> Explorer<'_> {
        match waits {
            true => Explorer::new(&self.symbolic),
            false => Explorer::without_waiting(&self.symbolic),
        }
    }

    /// The node that has just this state, whose clocks have whole values.
    pub(crate) fn at(&self, state: &State) -> Node {
        let discrete = discrete(state);
        let mut active = Active::new(self.symbolic.n_clocks());
        active.set(&self.symbolic, &discrete);
        let clocks = active.clocks().to_vec();
        let whole = |clock: &u32| {
            let value = state.clocks[*clock as usize];
            assert_eq!(value.denominator(), 1);
            Source::constant(i32::try_from(value.numerator()).expect("small"))
        };
        let sources: Vec<Source> = clocks.iter().map(whole).collect();
        let mut zone = Zone::zero(0);
        zone.set_image(&Zone::zero(0), &sources);
        Node { state: discrete, zone, clocks }
    }
}

fn trouble(halt: Halt) -> Box<Trouble> {
    match halt {
        Halt::Trouble(trouble) => trouble,
        Halt::Stop | Halt::Spent => unreachable!("no visitor stops, and there is no limit"),
    }
}

/// A symbolic state.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Node {
    /// Locations, then integers.
    pub(crate) state: Vec<i32>,
    pub(crate) zone: Zone,
    /// The clocks of the zone.
    pub(crate) clocks: Vec<u32>,
}

/// A successor of a node.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Edge {
    pub(crate) ordinal: u32,
    pub(crate) moves: Vec<Move>,
    pub(crate) node: Node,
}

impl Node {
    fn new(successor: &Successor<'_>) -> Node {
        Node {
            state: successor.state.to_vec(),
            zone: successor.zone.clone(),
            clocks: successor.clocks.clocks().to_vec(),
        }
    }

    /// Whether a concrete state is one of these.
    pub(crate) fn contains(&self, state: &State) -> bool {
        self.state == discrete(state) && self.zone.contains(&self.point(&state.clocks))
    }

    /// The values of the clocks that matter.
    pub(crate) fn point(&self, clocks: &[Rational]) -> Point {
        let values: Vec<Rational> = self.clocks.iter().map(|&c| clocks[c as usize]).collect();
        let denominator = values.iter().fold(1, |all, value| lcm(all, value.denominator()));
        let numerator = |value: &Rational| value.numerator() * (denominator / value.denominator());
        Point::new(values.iter().map(numerator).collect(), denominator)
    }

    /// A state of these, by chance; clocks that do not matter are zero.
    pub(crate) fn sample(&self, network: &Network, zone: &Zone, rng: &mut Rng) -> State {
        let point = zone.sample(2, 3, || rng.below(1 << 30) as u64);
        let mut clocks = vec![Rational::ZERO; network.clocks.len()];
        for (&clock, &numerator) in self.clocks.iter().zip(point.numerators()) {
            clocks[clock as usize] = Rational::new(numerator, point.denominator());
        }
        self.with(network, clocks)
    }

    /// A state with these locations and integers.
    pub(crate) fn with(&self, network: &Network, clocks: Vec<Rational>) -> State {
        let (locations, ints) = self.state.split_at(network.processes.len());
        let location = |&at: &i32| LocationId::from_index(at as usize);
        State { locations: locations.iter().map(location).collect(), ints: ints.to_vec(), clocks }
    }
}

/// Locations, then integers.
pub(crate) fn discrete(state: &State) -> Vec<i32> {
    let locations = state.locations.iter().map(|at| at.index() as i32);
    locations.chain(state.ints.iter().copied()).collect()
}

fn lcm(a: i64, b: i64) -> i64 {
    let (mut x, mut y) = (a, b);
    while y != 0 {
        (x, y) = (y, x % y);
    }
    a / x * b
}
