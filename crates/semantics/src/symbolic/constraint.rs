//! Clock constraints of guards and invariants, compiled.

use punctual_model::{ClockConstraint, Network, Relation};
use punctual_zones::{Bound, Constraint, ZoneRef};

use crate::program::{Builder, Code, Machine, Program, Unsupported};
use crate::{Fault, FaultKind};

/// The largest constant a clock may be compared with or set to. Zones hold more, since differences
/// of clocks add up.
pub(crate) const LARGEST: i32 = Bound::MAX_CONSTANT / 4;

/// Whether a clock of a zone has a bound beyond the largest constant. Never after extrapolation.
#[must_use]
pub fn has_grown(zone: ZoneRef<'_>) -> bool {
    let large =
        |bound: Bound| bound.constant().is_some_and(|it| !(-LARGEST..=LARGEST).contains(&it));
    (1..zone.dim()).any(|clock| large(zone.bound(0, clock)) || large(zone.bound(clock, 0)))
}

/// Clock constraints, all of which must hold. Clocks are numbered from 1; 0 is the reference.
#[derive(Debug, Default)]
pub(crate) struct Tests {
    /// Constraints whose constants are the same in all states.
    fixed: Box<[Constraint]>,
    /// Constraints whose constants depend on variables.
    dynamic: Box<[Test]>,
}

#[derive(Debug)]
struct Test {
    when: Option<Code>,
    left: Option<Code>,
    right: Option<Code>,
    relation: Relation,
    bound: Code,
}

impl Tests {
    pub(crate) fn new(
        network: &Network,
        builder: &mut Builder<'_>,
        constraints: &[ClockConstraint],
    ) -> Result<Tests, Unsupported> {
        let (mut fixed, mut dynamic) = (Vec::new(), Vec::new());
        for constraint in constraints {
            if constraint.clocks().any(|clock| network.clocks[clock.base].hybrid) {
                continue;
            }
            let test = Test::new(builder, constraint)?;
            match test.constant() {
                Some(constraints) => fixed.extend(constraints.into_iter().flatten()),
                None => dynamic.push(test),
            }
        }
        Ok(Tests { fixed: fixed.into(), dynamic: dynamic.into() })
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.fixed.is_empty() && self.dynamic.is_empty()
    }

    /// Appends the constraints as they are in a state.
    #[inline]
    pub(crate) fn evaluate(
        &self,
        program: &Program,
        state: &mut [i32],
        machine: &mut Machine,
        out: &mut Vec<Constraint>,
    ) -> Result<(), Fault> {
        out.extend_from_slice(&self.fixed);
        for test in &self.dynamic {
            test.evaluate(program, state, machine, out)?;
        }
        Ok(())
    }
}

impl Test {
    fn new(builder: &mut Builder<'_>, constraint: &ClockConstraint) -> Result<Test, Unsupported> {
        if constraint.number == punctual_model::Number::Double {
            return Err(Unsupported { construct: "a clock compared with a double" });
        }
        if constraint.relation == Relation::NotEqual {
            return Err(Unsupported { construct: "`!=` between clocks in a guard or invariant" });
        }
        let when = constraint.when.as_ref().map(|when| builder.value(when)).transpose()?;
        let left = constraint.left.as_ref().map(|clock| builder.element(clock)).transpose()?;
        let right = constraint.right.as_ref().map(|clock| builder.element(clock)).transpose()?;
        let bound = builder.value(&constraint.bound)?;
        Ok(Test { when, left, right, relation: constraint.relation, bound })
    }

    /// The constraints, if they do not depend on the state.
    fn constant(&self) -> Option<[Option<Constraint>; 2]> {
        if let Some(when) = self.when
            && when.constant()? == 0
        {
            return Some([None, None]);
        }
        let index = |clock: Option<Code>| match clock {
            None => Some(0),
            Some(code) => code.constant().map(|clock| clock.unsigned_abs() + 1),
        };
        let (left, right) = (index(self.left)?, index(self.right)?);
        constraints(left, right, self.relation, self.bound.constant()?).ok()
    }

    fn evaluate(
        &self,
        program: &Program,
        state: &mut [i32],
        machine: &mut Machine,
        out: &mut Vec<Constraint>,
    ) -> Result<(), Fault> {
        if let Some(when) = self.when
            && program.run(when, state, machine)? == 0
        {
            return Ok(());
        }
        let mut index = |clock: Option<Code>| match clock {
            None => Ok(0),
            Some(code) => program.run(code, state, machine).map(|clock| clock.unsigned_abs() + 1),
        };
        let (left, right) = (index(self.left)?, index(self.right)?);
        let bound = program.run(self.bound, state, machine)?;
        out.extend(constraints(left, right, self.relation, bound)?.into_iter().flatten());
        Ok(())
    }
}

/// `left - right relation bound`.
pub(crate) fn constraints(
    left: u32,
    right: u32,
    relation: Relation,
    bound: i32,
) -> Result<[Option<Constraint>; 2], Fault> {
    if !(-LARGEST..=LARGEST).contains(&bound) {
        return Err(FaultKind::ClockConstant { value: bound }.into());
    }
    let upper = |bound| Constraint { x: left, y: right, bound };
    let lower = |bound| Constraint { x: right, y: left, bound };
    Ok(match relation {
        Relation::Less => [Some(upper(Bound::lt(bound))), None],
        Relation::LessEqual => [Some(upper(Bound::le(bound))), None],
        Relation::Equal => [Some(upper(Bound::le(bound))), Some(lower(Bound::le(-bound)))],
        Relation::GreaterEqual => [Some(lower(Bound::le(-bound))), None],
        Relation::Greater => [Some(lower(Bound::lt(-bound))), None],
        Relation::NotEqual => unreachable!("only queries compare clocks with `!=`"),
    })
}
