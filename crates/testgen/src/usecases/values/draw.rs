//! Values of inputs: at random, or as far out as possible.

use std::collections::BTreeSet;

use num_traits::CheckedMul;
use punctual_model::{
    Rational, Value,
    usecases::{AttributeType, Slot},
};
use punctual_semantics::program::Chance;
use punctual_solver::{Answer, Objective, Term};

use super::{
    choose::{Choosing, Failed},
    form::Variable,
    versions::nearest,
};

/// How often a value is drawn before something else is tried.
const DRAWS: u32 = 8;
/// Where numbers without a range are looked for first.
const USUAL: (i64, i64) = (-1000, 1000);

impl Choosing<'_, '_, '_> {
    pub(super) fn range(&self, slot: Slot) -> Option<(Value, Value)> {
        let class = self.line.objects.objects[slot.object].class;
        nearest(self.line.cases, class, slot.attribute, |it| it.range)
    }

    /// The least or the greatest value that is possible. An end that is only approached is left open.
    pub(super) fn extreme(&mut self, variable: Variable, is_least: bool) -> Result<(), Failed> {
        let Some((slot, ty)) = self.slot(variable) else { return Ok(()) };
        let mut wishes: Vec<Value> = match ty {
            AttributeType::Boolean => vec![Value::Bool(false), Value::Bool(true)],
            AttributeType::Enumeration(_) => (0..self.members(ty)).map(Value::Enum).collect(),
            AttributeType::Integer | AttributeType::Real => {
                let range = self.range(slot).or(match ty {
                    AttributeType::Integer => Some((Value::Int(USUAL.0), Value::Int(USUAL.1))),
                    _ => None,
                });
                range.map(|(least, greatest)| vec![least, greatest]).unwrap_or_default()
            }
        };
        if !is_least {
            wishes.reverse();
        }
        if matches!(ty, AttributeType::Integer | AttributeType::Real) {
            wishes.truncate(1);
        }
        if self.settle(&[(variable, wishes)])?.is_empty() {
            return Ok(());
        }
        let Some(symbol) = self.line.translation.known(variable) else { return Ok(()) };
        for is_usual in [true, false] {
            self.line.translation.push(&mut self.line.session);
            if is_usual && ty == AttributeType::Integer {
                self.assume_usual(symbol.chosen);
            }
            let terms = self.line.session.terms();
            let aim = if is_least { symbol.chosen } else { terms.neg(symbol.chosen) };
            let found = self.line.session.minimise(&[Objective::new(aim)], &[symbol.term]);
            self.line.translation.pop(&mut self.line.session);
            let (answer, _, values) = found?;
            if answer == Answer::Sat
                && let Some(value) = values.first().and_then(|it| symbol.value(*it))
            {
                self.fix(variable, value);
                break;
            }
        }
        Ok(())
    }

    fn assume_usual(&mut self, chosen: Term) {
        let terms = self.line.session.terms();
        let (least, greatest) = (terms.int(USUAL.0.into()), terms.int(USUAL.1.into()));
        let (above, below) = (terms.le(least, chosen), terms.le(chosen, greatest));
        let both = terms.and(above, below);
        self.line.session.assert(both);
    }

    /// A value of a slot, at random.
    fn draw(&mut self, slot: Slot, ty: AttributeType) -> Value {
        let range = self.range(slot);
        let class = self.line.objects.objects[slot.object].class;
        let scale = nearest(self.line.cases, class, slot.attribute, |it| it.scale);
        let stream = &mut self.stream;
        let mut below = |n: u128| u128::from(stream.bits()) % n.max(1);
        match ty {
            AttributeType::Boolean => Value::Bool(below(2) == 1),
            AttributeType::Enumeration(id) => {
                let n = self.line.cases.domain.enumerations[id].values.len();
                Value::Enum(below(n as u128) as u32)
            }
            AttributeType::Integer => {
                let (least, greatest) = match range {
                    Some((Value::Int(least), Value::Int(greatest))) if least <= greatest => {
                        (least, greatest)
                    }
                    _ => USUAL,
                };
                let n = u128::try_from(i128::from(greatest) - i128::from(least) + 1).unwrap_or(1);
                let value = i128::from(least) + i128::try_from(below(n)).unwrap_or(0);
                Value::Int(i64::try_from(value).unwrap_or(least))
            }
            AttributeType::Real => {
                let usual = || {
                    (Rational::from_integer(USUAL.0.into()), Rational::from_integer(USUAL.1.into()))
                };
                let (least, greatest) = match range {
                    Some((Value::Real(least), Value::Real(greatest))) => (least, greatest),
                    _ => usual(),
                };
                // Without a scale, in tenths: people can read that.
                let scale = Rational::from_integer(scale.filter(|it| *it > 0).unwrap_or(10).into());
                let ends = least.checked_mul(&scale).zip(greatest.checked_mul(&scale));
                let whole = ends.map(|(a, b)| (a.ceil().to_integer(), b.floor().to_integer()));
                let Some((first, last)) = whole else { return Value::Real(least) };
                let n = last.checked_sub(first).and_then(|it| u128::try_from(it).ok());
                let more = i128::try_from(below(n.unwrap_or(0).saturating_add(1))).unwrap_or(0);
                Value::Real(Rational::from_integer(first + more) / scale)
            }
        }
    }

    /// Draws values for all at once, a few times: those that are left if that is not possible.
    pub(super) fn draw_together(&mut self, open: Vec<Variable>) -> Result<Vec<Variable>, Failed> {
        for _ in 0..3 {
            let mut drawn = Vec::new();
            let mut terms = Vec::new();
            for variable in &open {
                if let Some((slot, ty)) = self.slot(*variable) {
                    let value = self.draw(slot, ty);
                    terms.extend(self.equal(*variable, value));
                    drawn.push((*variable, value));
                }
            }
            if drawn.is_empty() || self.is_possible(&terms)? {
                for (variable, value) in drawn {
                    self.fix(variable, value);
                }
                return Ok(Vec::new());
            }
        }
        Ok(open)
    }

    /// Draws a value for one: first within its range, then between the least and the greatest that are possible.
    pub(super) fn draw_alone(&mut self, variable: Variable) -> Result<(), Failed> {
        let Some((slot, ty)) = self.slot(variable) else { return Ok(()) };
        let mut tried = BTreeSet::new();
        for _ in 0..DRAWS {
            let value = self.draw(slot, ty);
            if tried.insert(value)
                && let Some(equal) = self.equal(variable, value)
                && self.is_possible(&[equal])?
            {
                self.fix(variable, value);
                return Ok(());
            }
        }
        let Some(symbol) = self.line.translation.known(variable) else { return Ok(()) };
        if self.line.session.terms().sort(symbol.chosen) != punctual_solver::Sort::Int {
            return Ok(());
        }
        let Some((least, greatest)) = self.ends(slot, symbol.chosen)? else { return Ok(()) };
        for _ in 0..DRAWS {
            let n = u128::try_from(greatest.saturating_sub(least)).unwrap_or(0).saturating_add(1);
            let at = least + i128::try_from(u128::from(self.stream.bits()) % n).unwrap_or(0);
            let terms = self.line.session.terms();
            let value = terms.int(at);
            let equal = terms.eq(symbol.chosen, value);
            if self.is_possible(&[equal])? {
                let solved = self.line.session.values(&[symbol.term])?;
                if let Some(value) = solved.first().and_then(|it| symbol.value(*it)) {
                    self.fix(variable, value);
                }
                return Ok(());
            }
        }
        Ok(())
    }
    /// The least and the greatest possible value of a whole number; of one without a range, those from -1000 to 1000 if there are any. A search
    /// among all numbers of 64 bits takes a hundred questions.
    fn ends(&mut self, slot: Slot, chosen: Term) -> Result<Option<(i128, i128)>, Failed> {
        if self.range(slot).is_none() {
            self.line.translation.push(&mut self.line.session);
            self.assume_usual(chosen);
            let found = self.ends_within(chosen, Some(USUAL));
            self.line.translation.pop(&mut self.line.session);
            if let Some(found) = found? {
                return Ok(Some(found));
            }
        }
        self.ends_within(chosen, None)
    }

    fn ends_within(
        &mut self,
        chosen: Term,
        within: Option<(i64, i64)>,
    ) -> Result<Option<(i128, i128)>, Failed> {
        let mut ends = Vec::new();
        for is_least in [true, false] {
            let terms = self.line.session.terms();
            let aim = if is_least { chosen } else { terms.neg(chosen) };
            let mut objective = Objective::new(aim);
            if let Some((least, greatest)) = within {
                objective = objective.at_least(if is_least { least } else { -greatest }.into());
            }
            let found = self.line.session.minimise(&[objective], &[chosen])?;
            ends.extend(found.2.first().and_then(|it| it.as_int()));
        }
        Ok(if let [least, greatest] = ends[..] { Some((least, greatest)) } else { None })
    }
}
