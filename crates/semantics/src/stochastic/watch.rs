//! What queries look at in the states of a run, and when a condition first holds while time passes.

use punctual_model::{Binary, BinaryOp, ClockConstraint, Expr, Number, Range, StateExpr, Storage};

use super::limit::{Crossing, Limit, TOLERANCE};
use super::simulator::{Context, Simulator};
use crate::Fault;
use crate::program::{Builder, Chance, Code, DoubleCode, Reals, Unsupported};
use crate::select::{Select, next_selects, set_selects};

/// A number that a state has.
#[derive(Debug)]
pub struct Value {
    code: Kind,
    /// Whether it may change while time passes.
    pub moves: bool,
}

#[derive(Debug)]
enum Kind {
    Int(Code),
    Double(DoubleCode),
}

impl Value {
    /// Compiles an expression.
    ///
    /// # Errors
    /// If it has something that runs by chance can not have.
    pub fn new(builder: &mut Builder<'_>, expr: &StateExpr) -> Result<Value, Unsupported> {
        let moves = expr.expr.reads_clock();
        let code = match expr.number {
            Number::Int => Kind::Int(builder.value(&expr.expr)?),
            Number::Double => Kind::Double(builder.double(&expr.expr)?),
        };
        Ok(Value { code, moves })
    }

    /// Whether it is an integer or a truth value.
    #[must_use]
    pub fn is_int(&self) -> bool {
        matches!(self.code, Kind::Int(_))
    }
}

/// A condition on states.
#[derive(Debug)]
pub struct Watch {
    code: Code,
    limits: Vec<Quantified>,
    computed: Vec<Computed>,
}

/// A comparison of clocks in a condition, perhaps below quantifiers.
#[derive(Debug)]
struct Quantified {
    limit: Limit,
    over: Vec<Select>,
}

/// A comparison of numbers that are computed from clocks, perhaps below quantifiers.
#[derive(Debug)]
pub(crate) struct Computed {
    pub(crate) left: DoubleCode,
    pub(crate) right: DoubleCode,
    pub(crate) over: Vec<Select>,
}

impl Watch {
    /// Compiles a condition.
    ///
    /// # Errors
    /// If it has something that runs by chance can not have, such as `deadlock`.
    pub fn new(builder: &mut Builder<'_>, expr: &StateExpr) -> Result<Watch, Unsupported> {
        let code = match expr.number {
            Number::Int => builder.value(&expr.expr)?,
            Number::Double => {
                return Err(Unsupported { construct: "a condition that is a double" });
            }
        };
        let mut ranges: Vec<(u32, Range)> = Vec::new();
        let mut constraints: Vec<&ClockConstraint> = Vec::new();
        let mut comparisons: Vec<&Binary> = Vec::new();
        expr.expr.walk(&mut |expr| match expr {
            Expr::Quantifier { slot, range, .. } => ranges.push((*slot, *range)),
            Expr::ClockConstraint(constraint) => constraints.push(constraint),
            Expr::Binary(it)
                if it.number == Number::Double
                    && it.size == 1
                    && is_comparison(it.op)
                    && (it.left.reads_clock() || it.right.reads_clock()) =>
            {
                comparisons.push(it);
            }
            _ => {}
        });
        let mut limits = Vec::new();
        for constraint in constraints {
            let mut over: Vec<Select> = Vec::new();
            constraint.walk(&mut |expr| bind(&ranges, expr, &mut over));
            limits.push(Quantified { limit: Limit::new(builder, constraint)?, over });
        }
        let mut computed = Vec::new();
        for comparison in comparisons {
            let mut over: Vec<Select> = Vec::new();
            comparison.left.walk(&mut |expr| bind(&ranges, expr, &mut over));
            comparison.right.walk(&mut |expr| bind(&ranges, expr, &mut over));
            let (left, right) = (&comparison.left, &comparison.right);
            computed.push(Computed {
                left: builder.double(left)?,
                right: builder.double(right)?,
                over,
            });
        }
        Ok(Watch { code, limits, computed })
    }
}

fn is_comparison(op: BinaryOp) -> bool {
    use BinaryOp::{Equal, Greater, GreaterEqual, Less, LessEqual, NotEqual};
    matches!(op, Less | LessEqual | Equal | NotEqual | GreaterEqual | Greater)
}

/// Notes the range of a variable of a quantifier, if that is what an expression reads.
fn bind(ranges: &[(u32, Range)], expr: &Expr, over: &mut Vec<Select>) {
    let Expr::Load(place) = expr else { return };
    if place.storage != Storage::Local {
        return;
    }
    for &(slot, range) in ranges.iter().filter(|(slot, _)| *slot == place.base) {
        match over.iter_mut().find(|select| select.slot == slot) {
            Some(select) => {
                select.lo = select.lo.min(range.lo);
                select.hi = select.hi.max(range.hi);
            }
            None => over.push(Select { slot, lo: range.lo, hi: range.hi }),
        }
    }
}

impl Simulator<'_> {
    /// What a value is now.
    ///
    /// # Errors
    /// If it can not be evaluated.
    pub fn value(&mut self, value: &Value, chance: &mut dyn Chance) -> Result<f64, Fault> {
        let mut context = self.context(chance);
        match value.code {
            Kind::Int(code) => context.value(code).map(f64::from),
            Kind::Double(code) => context.real(code),
        }
    }

    /// Whether a condition holds now.
    ///
    /// # Errors
    /// If it can not be evaluated.
    pub fn holds(&mut self, watch: &Watch, chance: &mut dyn Chance) -> Result<bool, Fault> {
        Ok(self.context(chance).value(watch.code)? != 0)
    }

    /// After which delay, at most this one, a condition is first as wanted: at an instant or, if it
    /// is so from then on, just after it.
    ///
    /// # Errors
    /// If it can not be evaluated.
    pub fn first(
        &mut self,
        watch: &Watch,
        wanted: bool,
        delay: f64,
        chance: &mut dyn Chance,
    ) -> Result<Option<f64>, Fault> {
        if watch.limits.is_empty() && watch.computed.is_empty() {
            return Ok((self.holds(watch, chance)? == wanted).then_some(0.0));
        }
        // Instants that are closer than this differ by rounding only.
        let rounding = TOLERANCE * self.state.time.max(1.0);
        self.find_instants(watch, delay, rounding, chance)?;
        let instants = std::mem::take(&mut self.instants);
        let first = self.search(watch, wanted, &instants, delay, rounding, chance);
        self.instants = instants;
        first
    }

    fn search(
        &mut self,
        watch: &Watch,
        wanted: bool,
        mut ahead: &[Crossing],
        delay: f64,
        rounding: f64,
        chance: &mut dyn Chance,
    ) -> Result<Option<f64>, Fault> {
        let mut now = 0.0;
        loop {
            let here = ahead.iter().take_while(|it| it.delay <= now + rounding).count();
            let (same, rest) = ahead.split_at(here);
            if self.holds_after(watch, now, same, chance)? == wanted {
                return Ok(Some(now));
            }
            let next = rest.first().map_or(delay, |it| it.delay.min(delay));
            // Comparisons do not change before the next instant.
            let between = now + ((next - now) / 2.0).min(now.max(1.0));
            if !same.is_empty()
                && next > now + rounding
                && self.holds_after(watch, between, &[], chance)? == wanted
            {
                return Ok(Some(now));
            }
            if rest.is_empty() {
                return Ok(None);
            }
            (now, ahead) = (next, rest);
        }
    }

    /// The instants at which a comparison of clocks may change, in order.
    fn find_instants(
        &mut self,
        watch: &Watch,
        delay: f64,
        rounding: f64,
        chance: &mut dyn Chance,
    ) -> Result<(), Fault> {
        let mut instants = std::mem::take(&mut self.instants);
        let mut values = std::mem::take(&mut self.scratch_values);
        instants.clear();
        let mut context = self.context(chance);
        for Quantified { limit, over } in &watch.limits {
            if over.iter().any(|select| select.lo > select.hi) {
                continue;
            }
            values.clear();
            values.extend(over.iter().map(|select| select.lo));
            loop {
                set_selects(context.machine, over, &values);
                // What can not be evaluated here is not evaluated in the condition either, or is
                // an error there.
                if let Ok(Some(instant)) = limit.crossing(&mut context)
                    && instant.delay >= -rounding
                    && instant.delay <= delay + rounding
                {
                    instants.push(instant);
                }
                if !next_selects(over, &mut values) {
                    break;
                }
            }
        }
        for computed in &watch.computed {
            self.find_roots(computed, delay, &mut values, &mut instants, chance);
        }
        instants.sort_by(|a, b| a.delay.total_cmp(&b.delay));
        self.instants = instants;
        self.scratch_values = values;
        Ok(())
    }

    /// How fast a value grows while time passes, if it is linear in the clocks.
    ///
    /// # Errors
    /// If it can not be evaluated.
    pub fn growth(&mut self, value: &Value, chance: &mut dyn Chance) -> Result<f64, Fault> {
        if !value.moves {
            return Ok(0.0);
        }
        let now = self.value(value, chance)?;
        let mut context = self.context_after(1.0, chance);
        let later = match value.code {
            Kind::Int(code) => f64::from(context.value(code)?),
            Kind::Double(code) => context.real(code)?,
        };
        Ok(later - now)
    }

    /// Whether a condition holds after a delay, where some comparisons are of equal sides.
    fn holds_after(
        &mut self,
        watch: &Watch,
        delay: f64,
        equal: &[Crossing],
        chance: &mut dyn Chance,
    ) -> Result<bool, Fault> {
        let mut context = self.context_after(delay, chance);
        for &(clock, value) in equal.iter().filter_map(|it| it.clock.as_ref()) {
            context.reals.clocks[clock as usize] = value;
        }
        Ok(context.value(watch.code)? != 0)
    }

    /// The state as it will be after a delay.
    pub(crate) fn context_after<'c>(
        &'c mut self,
        delay: f64,
        chance: &'c mut dyn Chance,
    ) -> Context<'c> {
        let now = self.state.clocks.iter().zip(&self.rates);
        for (later, (clock, rate)) in self.scratch.iter_mut().zip(now) {
            *later = clock + rate * delay;
        }
        Context {
            program: &self.model.program,
            machine: &mut self.machine,
            ints: &mut self.state.ints,
            reals: Reals {
                doubles: &mut self.state.doubles,
                clocks: &mut self.scratch,
                rates: &self.rates,
                chance,
            },
        }
    }
}
