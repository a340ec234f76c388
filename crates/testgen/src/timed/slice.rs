//! A part of a network that starts at a point of a run, and is told what is looked for.

use std::collections::BTreeSet;

use punctual_mc::Trace;
use punctual_model::{
    Binary, ClockConstraint, EdgeId, Expr, Frame, Id, Network, Number, Place, ProcessId, Range,
    Relation, StateExpr, Storage, Type, Variable,
};
use punctual_semantics::Move;
use punctual_semantics::split::Cone;

use super::expr::{either, equals, set};
use super::goal::{Goal, limit};
use super::refused::Refused;
use super::walk::{Exactly, Run, Taken, Wait, Walk};
use super::world::{Kind, Point, World};

/// A slice of a network that starts at a point, with a variable that says whether a goal is reached.
pub(super) struct Slice<'c> {
    cone: &'c Cone,
    pub(super) network: Network,
    /// How many edges each process had; those behind are copies of others.
    n_edges: Vec<usize>,
    /// The edge that each copy was made of, and when it is taken, by process and number.
    copies: Vec<Vec<(EdgeId, Exactly)>>,
}

/// A step of a path: who moves, and the value of a clock then, if that is what the path is about.
type Wanted = (Vec<Move>, Option<Exactly>);

impl<'c> Slice<'c> {
    /// A slice that starts where a point is.
    pub(super) fn new(world: &World<'_>, cone: &'c Cone, from: &Point) -> Slice<'c> {
        let mut network = cone.slice(&world.network);
        for (process, id) in network.processes.iter_mut().zip(&cone.processes) {
            process.initial = vec![Id::from_index(from.state[id.index()].unsigned_abs() as usize)];
        }
        network.initial.ints = from.state[world.network.processes.len()..].to_vec();
        for (clock, value) in network.clocks.iter_mut().zip(&from.clocks) {
            clock.initial = f64::from(*value);
        }
        let n_edges = network.processes.iter().map(|it| it.edges.len()).collect();
        let copies = network.processes.iter().map(|_| Vec::new()).collect();
        Slice { cone, network, n_edges, copies }
    }

    /// Forgets what nobody in the slice reads.
    pub(super) fn forget(&mut self, world: &World<'_>) {
        let split = &world.specification.split;
        split.forget(&mut self.network, &self.cone.processes, &BTreeSet::new());
    }

    /// A new integer of the state.
    fn variable(&mut self, name: &str, range: Range, value: i32) -> Place {
        let ints = self.network.initial.ints.len() as u32;
        self.network.initial.ints.push(value);
        self.network.variables.push(Variable {
            name: name.to_owned(),
            owner: None,
            ty: Type::Int(range),
            storage: Storage::State,
            ints,
            doubles: 0,
        });
        let (storage, number) = (Storage::State, Number::Int);
        Place { storage, number, base: ints, indices: Vec::new(), size: 1, range }
    }

    /// Lets edges say that a goal is reached, and gives the condition that one of them did.
    pub(super) fn flag(&mut self, run: &Run, goals: &[Goal]) -> StateExpr {
        let flag = self.variable("a goal is reached", Range { lo: 0, hi: 1 }, 0);
        let mut reached = equals(Expr::Load(flag.clone()), 1);
        let mut last: Option<Place> = None;
        for goal in goals {
            let Some(process) = self.cone.number(goal.process()) else { continue };
            match *goal {
                Goal::Location(_, at) => {
                    reached = either(reached, Expr::InLocation(process, at));
                }
                Goal::Edge(_, edge) => {
                    let edges = &mut self.network.processes[process].edges;
                    edges[edge].update.push(set(&flag, Expr::Int(1)));
                }
                Goal::Pair(_, first, second) => {
                    let last = last.get_or_insert_with(|| self.remember(run, *goal, process));
                    let is_it = equals(Expr::Load(last.clone()), first.index() as i32 + 1);
                    let now = Expr::Conditional(Box::new([
                        is_it,
                        Expr::Int(1),
                        Expr::Load(flag.clone()),
                    ]));
                    let edges = &mut self.network.processes[process].edges;
                    edges[second].update.insert(0, set(&flag, now));
                }
                Goal::AtGuard(_, edge, number) => {
                    let constraint =
                        self.network.processes[process].edges[edge].guard.clocks.get(number);
                    let constraint = constraint.cloned();
                    self.copy(process, edge, constraint, &flag);
                }
                Goal::AtInvariant(_, edge, number) => {
                    let of = &self.network.processes[process];
                    let invariant = &of.locations[of.edges[edge].source].invariant.clocks;
                    let constraint = invariant.get(number).cloned();
                    self.copy(process, edge, constraint, &flag);
                }
            }
        }
        StateExpr { expr: reached, number: Number::Int, frame: Frame::default() }
    }

    /// A variable that says which edge a process took last.
    fn remember(&mut self, run: &Run, goal: Goal, process: ProcessId) -> Place {
        let taken = run.steps.iter().rev().flat_map(|step| &step.moves);
        let last = taken.filter(|it| it.process == goal.process()).map(|it| it.edge.index() + 1);
        let last = last.take(1).next().unwrap_or(0) as i32;
        let n = self.network.processes[process].edges.len() as i32;
        let place = self.variable("the last edge", Range { lo: 0, hi: n }, last);
        for (edge, number) in self.network.processes[process].edges.iter_mut().zip(1..) {
            edge.update.push(set(&place, Expr::Int(number)));
        }
        place
    }

    /// A copy of an edge that is taken when a clock is exactly at the limit of a constraint, and says so.
    fn copy(
        &mut self,
        process: ProcessId,
        edge: EdgeId,
        constraint: Option<ClockConstraint>,
        flag: &Place,
    ) {
        let Some(constraint) = constraint else { return };
        let Some(exactly) = limit(&constraint) else { return };
        let edges = &mut self.network.processes[process].edges;
        let mut copy = edges[edge].clone();
        copy.guard.clocks.push(ClockConstraint { relation: Relation::Equal, ..constraint });
        copy.update.push(set(flag, Expr::Int(1)));
        edges.push(copy);
        self.copies[process.index()].push((edge, exactly));
    }

    /// An expression about the network as one about the slice.
    pub(super) fn renumbered(&self, expr: &StateExpr) -> StateExpr {
        StateExpr { expr: renumbered(&expr.expr, self.cone), ..expr.clone() }
    }

    /// A step of the slice, in the network.
    fn wanted(&self, moves: &[Move]) -> Wanted {
        let mut when = None;
        let of = |it: &Move| {
            let number = it.process.index();
            let edge = match it.edge.index().checked_sub(self.n_edges[number]) {
                Some(copy) => {
                    let (edge, exactly) = self.copies[number][copy];
                    when = Some(exactly);
                    edge
                }
                None => it.edge,
            };
            Move { process: self.cone.processes[number], edge, ..it.clone() }
        };
        (moves.iter().map(of).collect(), when)
    }

    /// The run, continued in the whole network by a path of the slice: step by step, with time enough for the system to
    /// have done what it must, or all at once if the path has no time for that.
    pub(super) fn taken(
        &self,
        world: &World<'_>,
        run: &Run,
        trace: &Trace,
        wait: Wait,
    ) -> Option<Run> {
        let path: Vec<Wanted> = trace.steps.iter().map(|it| self.wanted(&it.moves)).collect();
        self.in_turn(world, run, &path, wait).or_else(|| self.at_once(world, run, &path, wait))
    }

    fn is_inside(&self, it: &Move) -> bool {
        self.cone.number(it.process).is_some()
    }

    fn in_turn(&self, world: &World<'_>, run: &Run, path: &[Wanted], wait: Wait) -> Option<Run> {
        let mut run = run.clone();
        let mut walk = Walk::new(world, run.last())?;
        let mut refused = Refused::new(world).ok()?;
        for (wanted, when) in path {
            let mut patience = 4 * world.network.processes.len();
            loop {
                if !walk.restart(run.last(), run.end()) {
                    return None;
                }
                let is_wanted =
                    |moves: &[Move]| moves.iter().filter(|it| self.is_inside(it)).eq(wanted.iter());
                let taken = walk.next(&run, wait, *when, is_wanted);
                let taken = taken.map(|taken| match when {
                    None => self.certain(&mut refused, &mut walk, &run, taken),
                    Some(_) => taken,
                });
                if let Some(taken) = &taken
                    && (taken.kind.is_ours() || walk.is_forced(taken))
                {
                    run.steps.push(taken.clone());
                    break;
                }
                // Somebody outside has to move before time can pass.
                let is_outside = |moves: &[Move]| !moves.iter().any(|it| self.is_inside(it));
                let other = walk.next(&run, wait, None, is_outside).filter(|it| walk.is_forced(it));
                let is_last = other.is_none();
                run.steps.push(other.or(taken)?);
                if is_last {
                    break;
                }
                patience = patience.checked_sub(1)?;
            }
        }
        Some(run)
    }

    /// The same step at the first instant at which no state that the system may be in refuses its input, if it is possible then.
    fn certain(
        &self,
        refused: &mut Refused<'_>,
        walk: &mut Walk<'_>,
        run: &Run,
        taken: Taken,
    ) -> Taken {
        let (Kind::Input(signal), Ok(Some(at))) = (taken.kind, refused.certain(run, &taken)) else {
            return taken;
        };
        if at == taken.at {
            return taken;
        }
        let values = refused.world().carried(signal, &taken.after.state);
        let later = walk.input(signal, &values, at);
        later.filter(|it| it.moves == taken.moves).unwrap_or(taken)
    }

    fn at_once(&self, world: &World<'_>, run: &Run, path: &[Wanted], wait: Wait) -> Option<Run> {
        let mut walk = Walk::new(world, run.last())?;
        for (wanted, when) in path {
            let mut patience = 4 * world.network.processes.len();
            let is_wanted =
                |moves: &[Move]| moves.iter().filter(|it| self.is_inside(it)).eq(wanted.iter());
            while !walk.follow(*when, is_wanted) {
                // Somebody outside has to move before time can pass.
                let is_outside = |moves: &[Move]| !moves.iter().any(|it| self.is_inside(it));
                patience = patience.checked_sub(1)?;
                if !walk.follow(None, is_outside) {
                    return None;
                }
            }
        }
        let mut longer = run.clone();
        longer.steps.extend(walk.run(run.end(), wait)?);
        Some(longer)
    }
}

fn renumbered(expr: &Expr, cone: &Cone) -> Expr {
    let again = |expr: &Expr| renumbered(expr, cone);
    match expr {
        Expr::InLocation(process, at) => match cone.number(*process) {
            Some(process) => Expr::InLocation(process, *at),
            None => Expr::FALSE,
        },
        Expr::Unary(op, number, it) => Expr::Unary(*op, *number, Box::new(again(it))),
        Expr::Binary(it) => Expr::Binary(Box::new(Binary {
            left: again(&it.left),
            right: again(&it.right),
            ..(**it).clone()
        })),
        Expr::Conditional(parts) => {
            Expr::Conditional(Box::new([again(&parts[0]), again(&parts[1]), again(&parts[2])]))
        }
        other => other.clone(),
    }
}
