//! Locations and edges: every choice of selected values, branch and channel is an edge of its
//! own.

use punctual_model::{
    BinaryOp, ChannelId, ChannelRef, ClockConstraint, Condition, Edge, Expr, Frame, Id, IdVec,
    Index, Location, LocationId, Number, Process, Select, Sync,
};

use super::{
    BUDGET, Lowerer, edge_place, location_place,
    statements::Effect,
    terms::{Binding, Env, Lowered, conjuncts, negate},
};
use crate::convert::{fold, names::Mangler};
use crate::tchecker::RESERVED;

/// More edges than this in one process are not made.
const EDGES_MAX: usize = 100_000;

/// An edge before it is known who takes part.
#[derive(Clone, Debug)]
pub(super) struct LoweredEdge {
    pub(super) source: LocationId,
    pub(super) target: LocationId,
    pub(super) guard: Condition,
    pub(super) role: Role,
    pub(super) effect: Effect,
}

/// How an edge synchronises.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Role {
    Internal,
    Send(ChannelId),
    Receive(ChannelId),
    All(ChannelId),
    Event(punctual_model::EventId),
}

impl Lowerer<'_> {
    pub(super) fn locations(&mut self, process: &Process) -> IdVec<LocationId, Location> {
        let mut names = Mangler::default().reserve(RESERVED);
        let mut locations = IdVec::new();
        for (id, location) in process.locations.enumerate() {
            let place = || location_place(process, id);
            let mut invariant = Condition::default();
            self.budget = BUDGET;
            match self.condition(&location.invariant, &mut Env::default()) {
                Err(what) => self.refuse(what, place()),
                Ok(mut variants) if variants.len() == 1 => invariant = variants.remove(0),
                Ok(variants) if variants.is_empty() => invariant.data.push(Expr::FALSE),
                Ok(_) => self.refuse("a disjunction with clocks", place()),
            }
            let moves = |rate: &&punctual_model::Rate| match rate.value {
                Expr::Int(1) => false,
                Expr::Double(value) => value != 1.0,
                _ => true,
            };
            if location.rates.iter().any(|rate| moves(&rate)) {
                self.refuse("the rate of a clock", place());
            }
            locations.push(Location {
                name: names.name(&location.name),
                kind: location.kind,
                invariant,
                rates: Vec::new(),
                exponential_rate: None,
                labels: location.labels.clone(),
                frame: Frame::default(),
            });
        }
        locations
    }

    /// A condition as a disjunction of conjunctions: one, unless clock constraints count only
    /// sometimes. What can not hold is left out.
    fn condition(&mut self, condition: &Condition, env: &mut Env) -> Lowered<Vec<Condition>> {
        let mut data = Vec::new();
        for expr in &condition.data {
            let formula = self.formula(expr, env)?;
            if formula.as_int() == Some(0) {
                return Ok(Vec::new());
            }
            conjuncts(formula, &mut data);
        }
        let mut variants = vec![Condition { data, clocks: Vec::new() }];
        for constraint in &condition.clocks {
            let (when, constraint) = self.constraint(constraint, env)?;
            match when.as_int() {
                Some(0) => {}
                Some(_) => {
                    variants.iter_mut().for_each(|v| v.clocks.push(constraint.clone()));
                }
                None => {
                    self.spend(variants.len() * 100)?;
                    let mut without = variants.clone();
                    for variant in &mut variants {
                        conjuncts(when.clone(), &mut variant.data);
                        variant.clocks.push(constraint.clone());
                    }
                    without.iter_mut().for_each(|v| conjuncts(negate(when.clone()), &mut v.data));
                    variants.append(&mut without);
                }
            }
        }
        let possible = |c: &Condition| !c.data.iter().any(|data| data.as_int() == Some(0));
        variants.retain(possible);
        Ok(variants)
    }

    pub(super) fn edges(&mut self, process: &Process) -> Vec<LoweredEdge> {
        let mut lowered = Vec::new();
        for edge in &process.edges {
            for branch in &edge.branches {
                let place = edge_place(process, edge.source, branch.target);
                let selects: Vec<&Select> = edge.selects.iter().chain(&branch.selects).collect();
                let count =
                    selects.iter().map(|select| select.range.len()).fold(1, u64::saturating_mul);
                if count > EDGES_MAX as u64 || lowered.len() > EDGES_MAX {
                    self.refuse(format!("a choice of {count} values"), place);
                    continue;
                }
                let update: Vec<Expr> = edge.update.iter().chain(&branch.update).cloned().collect();
                for n in 0..count {
                    let mut env = choice(&selects, n);
                    if let Err(what) =
                        self.edge(edge, branch.target, &update, &mut env, &mut lowered)
                    {
                        self.refuse(what, place.as_str());
                        break;
                    }
                }
            }
        }
        lowered
    }

    fn edge(
        &mut self,
        edge: &Edge,
        target: LocationId,
        update: &[Expr],
        env: &mut Env,
        into: &mut Vec<LoweredEdge>,
    ) -> Lowered<()> {
        self.budget = BUDGET;
        let guards = self.condition(&edge.guard, env)?;
        if guards.is_empty() {
            return Ok(());
        }
        let roles = match &edge.sync {
            Sync::Internal => vec![(Role::Internal, Vec::new())],
            Sync::Event(event) => vec![(Role::Event(*event), Vec::new())],
            Sync::Send(channel) => self.channels(channel, env, Role::Send)?,
            Sync::Receive(channel) => self.channels(channel, env, Role::Receive)?,
            Sync::Csp(channel) => self.channels(channel, env, Role::All)?,
        };
        let effect = self.update(update, env)?;
        for (role, tests) in &roles {
            for guard in &guards {
                let mut guard = guard.clone();
                guard.data.extend(tests.iter().cloned());
                if into.len() > EDGES_MAX {
                    return Err("more edges than can be made".to_owned());
                }
                into.push(LoweredEdge {
                    source: edge.source,
                    target,
                    guard,
                    role: *role,
                    effect: effect.clone(),
                });
            }
        }
        Ok(())
    }

    /// The channels that are meant, each with what must hold for it to be that one.
    fn channels(
        &mut self,
        channel: &ChannelRef,
        env: &mut Env,
        role: fn(ChannelId) -> Role,
    ) -> Lowered<Vec<(Role, Vec<Expr>)>> {
        let indices = self.indices(&channel.indices, env)?;
        let mut found = vec![(channel.base.index(), Vec::new())];
        for Index { value, lo, len, stride } in indices {
            let mut next = Vec::new();
            for k in 0..len {
                let index = i32::try_from(i64::from(lo) + i64::from(k)).map_err(|_| "an index")?;
                let test = fold::binary(BinaryOp::Equal, value.clone(), Expr::Int(index));
                if test.as_int() == Some(0) {
                    continue;
                }
                for (base, tests) in &found {
                    let mut tests: Vec<Expr> = Vec::clone(tests);
                    if test.as_int().is_none() {
                        tests.push(test.clone());
                    }
                    next.push((base + (k * stride) as usize, tests));
                }
                self.spend(next.len())?;
            }
            found = next;
        }
        let to_role = |(base, tests): (usize, _)| (role(ChannelId::from_index(base)), tests);
        Ok(found.into_iter().map(to_role).collect())
    }
}

/// The `n`-th choice of selected values.
fn choice(selects: &[&Select], mut n: u64) -> Env {
    let mut env = Env::default();
    for select in selects.iter().rev() {
        let len = select.range.len();
        let value = i64::from(select.range.lo) + (n % len) as i64;
        n /= len;
        env.insert(select.slot, Binding::Value(Expr::Int(value as i32)));
    }
    env
}

/// What must hold for none of the conditions to hold, as a disjunction of conjunctions.
/// Nothing if that would be more than `limit`.
pub(super) fn complement(conditions: &[&Condition], limit: usize) -> Option<Vec<Condition>> {
    let mut result = vec![Condition::default()];
    for condition in conditions {
        let mut ways: Vec<Result<Expr, ClockConstraint>> = Vec::new();
        if !condition.data.is_empty() {
            let all = super::terms::conjunction(condition.data.clone());
            ways.push(Ok(negate(all)));
        }
        for constraint in &condition.clocks {
            debug_assert_eq!(constraint.number, Number::Int);
            ways.extend(super::terms::opposite(constraint).into_iter().map(Err));
        }
        if result.len().saturating_mul(ways.len()) > limit {
            return None;
        }
        result = result
            .iter()
            .flat_map(|so_far| {
                ways.iter().map(|way| {
                    let mut next = so_far.clone();
                    match way {
                        Ok(data) => conjuncts(data.clone(), &mut next.data),
                        Err(constraint) => next.clocks.push(constraint.clone()),
                    }
                    next
                })
            })
            .filter(|c| !c.data.iter().any(|data| data.as_int() == Some(0)))
            .collect();
    }
    Some(result)
}
