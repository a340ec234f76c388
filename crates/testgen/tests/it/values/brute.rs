//! All values and links, one after the other.

use std::collections::{BTreeMap, BTreeSet};

use punctual_model::{
    AssociationId, AttributeId, IdVec, ObjectId, Value,
    usecases::{AttributeType, Claim, Claimed, Diagram, Expr, Link, Object, Path, Slot, UseCases},
};
use punctual_testgen::usecases::{
    paths::{Event, Walk, walk},
    values::{
        evaluate::{Values, World},
        run::Run,
    },
};

/// What is looked for: values that satisfy all claims of a path, or only these.
pub(super) struct Search<'c> {
    pub(super) cases: &'c UseCases,
    /// The claims that count; all if there are none. Then effects are claims, too.
    pub(super) only: Option<&'c [Claim]>,
    /// Whole numbers from here to there, for attributes that have any.
    pub(super) numbers: (i64, i64),
    /// How many steps are left.
    pub(super) left: usize,
}

/// Too many steps.
#[derive(Debug)]
pub(super) struct Many;

/// All ways to link objects as multiplicities say. None if there are too many.
pub(super) fn diagrams(
    cases: &UseCases,
    objects: &IdVec<ObjectId, Object>,
    is_free: &dyn Fn(AssociationId) -> bool,
) -> Option<Vec<Diagram>> {
    let mut forced = Vec::new();
    let domain = &cases.domain;
    let mut possible = Vec::new();
    for (association, it) in domain.associations.enumerate() {
        for (a, left) in objects.enumerate() {
            for (b, right) in objects.enumerate() {
                if domain.conforms(left.class, it.ends[0].class)
                    && domain.conforms(right.class, it.ends[1].class)
                {
                    let link = Link { association, ends: [a, b] };
                    let has_limit = it.ends.iter().any(|it| it.multiplicity.most.is_some());
                    if has_limit || is_free(association) {
                        possible.push(link);
                    } else {
                        forced.push(link);
                    }
                }
            }
        }
    }
    if possible.len() > 10 {
        return None;
    }
    let all = (0..1_u32 << possible.len()).map(|bits| {
        let links = possible.iter().enumerate().filter(|(n, _)| bits >> n & 1 == 1);
        Diagram {
            objects: objects.clone(),
            links: links.map(|(_, it)| *it).chain(forced.clone()).collect(),
        }
    });
    Some(all.filter(|diagram| World { cases, diagram }.is_well_linked()).collect())
}

/// The attributes that matter for a path. Others keep any value.
pub(super) fn mentioned(cases: &UseCases) -> BTreeSet<AttributeId> {
    let nodes = cases.constraints.iter().flat_map(|it| &it.nodes);
    nodes
        .filter_map(|it| match it.expr {
            Expr::Attribute(_, attribute) => Some(attribute),
            _ => None,
        })
        .collect()
}

/// What is done with values of slots.
type Act<'a, B, T> = dyn FnMut(&mut B, &BTreeMap<Slot, Value>) -> Result<Option<T>, Many> + 'a;

impl Search<'_> {
    /// The values that an attribute may have.
    pub(super) fn domain(&self, slot: Slot) -> Vec<Value> {
        let (mut least, mut greatest) = self.numbers;
        let ranges = &self.cases.settings.attributes;
        let own = ranges.iter().filter(|(it, _)| it.attribute == slot.attribute);
        for (_, said) in own.filter(|_| self.only.is_none()) {
            // No claim can be left out: what is out of range is not worth a try.
            match said.range {
                Some((Value::Int(from), Value::Int(to))) => (least, greatest) = (from, to),
                Some((Value::Real(from), Value::Real(to))) => {
                    (least, greatest) = (from.to_integer() as i64, to.to_integer() as i64);
                }
                _ => {}
            }
        }
        match self.cases.domain.attributes[slot.attribute].ty {
            AttributeType::Boolean => vec![Value::Bool(false), Value::Bool(true)],
            AttributeType::Integer => (least..=greatest).map(Value::Int).collect(),
            AttributeType::Real => {
                (least..=greatest).map(|it| Value::Real(i128::from(it).into())).collect()
            }
            AttributeType::Enumeration(id) => (0..self.cases.domain.enumerations[id].values.len()
                as u32)
                .map(Value::Enum)
                .collect(),
        }
    }

    /// All values of some slots, as long as something is not found.
    pub(super) fn each<T>(
        &mut self,
        slots: &[Slot],
        act: &mut Act<'_, Self, T>,
    ) -> Result<Option<T>, Many> {
        let domains: Vec<Vec<Value>> = slots.iter().map(|it| self.domain(*it)).collect();
        let mut at = vec![0; slots.len()];
        loop {
            self.left = self.left.checked_sub(1).ok_or(Many)?;
            let values =
                slots.iter().zip(&domains).zip(&at).map(|((slot, all), n)| (*slot, all[*n]));
            if let Some(found) = act(self, &values.collect())? {
                return Ok(Some(found));
            }
            let mut position = 0;
            loop {
                if position == at.len() {
                    return Ok(None);
                }
                at[position] += 1;
                if at[position] < domains[position].len() {
                    break;
                }
                at[position] = 0;
                position += 1;
            }
        }
    }

    fn counts(&self, claim: &Claim) -> bool {
        self.only.is_none_or(|it| it.contains(claim))
    }

    /// Whether some values take a path with these objects and links, from a happening on. Invariants need not hold there, if it is not the first.
    pub(super) fn is_possible(
        &mut self,
        diagram: &Diagram,
        path: &Path,
        from: usize,
    ) -> Result<bool, Many> {
        let mut walk = walk(self.cases, path).expect("a path");
        walk.happenings.drain(..from);
        for happening in &mut walk.happenings {
            if let Event::Postconditions { began, .. } = &mut happening.event {
                *began = began.checked_sub(from).expect("the flow began behind the cut");
            }
        }
        let world = World { cases: self.cases, diagram };
        let known = mentioned(self.cases);
        let (told, quiet): (Vec<Slot>, Vec<Slot>) =
            world.slots().into_iter().partition(|it| known.contains(&it.attribute));
        let rest: Values = quiet.iter().map(|it| (*it, self.domain(*it).swap_remove(0))).collect();
        let end = path.steps.len() as u32;
        let found = self.each(&told, &mut |search, values| {
            let mut all = rest.clone();
            all.extend(values);
            let run = Run::new(world, all);
            let is_sound = run.values.iter().all(|(slot, value)| {
                let claim = Claim { what: Claimed::Range(slot.attribute), holds: true, at: 0 };
                !search.counts(&claim) || run.is_within(*slot, *value)
            });
            let mut invariants = run.invariants(0).expect("numbers fit");
            invariants.retain(|_| from == 0);
            if !is_sound || invariants.iter().any(|(it, holds)| search.counts(it) && !holds) {
                return Ok(None);
            }
            Ok(search.follow(&run, &walk, 0, end)?.then_some(()))
        })?;
        Ok(found.is_some())
    }

    fn follow(
        &mut self,
        run: &Run<'_>,
        walk: &Walk<'_>,
        at: usize,
        end: u32,
    ) -> Result<bool, Many> {
        let Some(happening) = walk.happenings.get(at) else {
            let mut invariants = run.invariants(end).expect("numbers fit");
            invariants.retain(|(it, _)| walk.has_ended && self.counts(it));
            return Ok(invariants.iter().all(|(_, holds)| *holds));
        };
        let is_loose = self.only.is_some();
        // A number that does not fit an attribute is no way.
        let Ok(wanted) = run.wanted(happening, is_loose) else { return Ok(false) };
        let wanted: Vec<Slot> = wanted.into_iter().collect();
        let found = self.each(&wanted, &mut |search, given| {
            let mut next = run.clone();
            let Ok(checked) = next.happen(happening, given, is_loose) else { return Ok(None) };
            if checked.iter().any(|(it, holds)| search.counts(it) && !holds) {
                return Ok(None);
            }
            Ok(search.follow(&next, walk, at + 1, end)?.then_some(()))
        })?;
        Ok(found.is_some())
    }
}
