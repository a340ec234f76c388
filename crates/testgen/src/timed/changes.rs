//! Checks as Figure 8 of the TAUC paper has them: only of what has changed, and only the value that is expected.
//!
//! DIFFERENCE(tauc): a check at the end of a window asks for the value behind it, though both are right at that instant, and nothing is
//! checked before a window opens. So a right system may fail such a case, and one that is too early may pass.

use std::collections::BTreeMap;

use punctual_model::{
    PortId, Value,
    testing::suite::{Body, Case, Do},
};

/// Leaves of each check the ports whose expected values are others than in the check before; a check of none is left out.
pub fn only_changes(case: &mut Case, initial: &BTreeMap<PortId, Value>) {
    let Body::Timed(parts) = &mut case.body else { return };
    let mut known = initial.clone();
    let mut kept = Vec::with_capacity(parts.len());
    for mut part in parts.drain(..) {
        if let Do::Check(check) = &mut part {
            check.expected.retain(|(port, value)| known.insert(*port, *value) != Some(*value));
            check.allowed.clear();
            if check.expected.is_empty() {
                continue;
            }
        }
        // Two waits with nothing between them are one.
        match (kept.last_mut(), part) {
            (Some(Do::Wait(before)), Do::Wait(more)) => *before += more,
            (_, part) => kept.push(part),
        }
    }
    while matches!(kept.last(), Some(Do::Wait(_))) {
        kept.pop();
    }
    *parts = kept;
    case.about.is_uncertain = false;
}

#[cfg(test)]
mod tests {
    use super::*;
    use punctual_model::{
        Id,
        testing::suite::{About, Check},
    };

    #[test]
    fn what_stays_is_not_checked_again() {
        let port = PortId::from_index(0);
        let check = |value: bool| {
            let expected = vec![(port, Value::Bool(value))];
            let allowed = vec![expected.clone(), vec![(port, Value::Bool(!value))]];
            Do::Check(Check { expected, allowed, requirement: None })
        };
        let parts =
            vec![check(false), Do::Wait(2), check(false), Do::Wait(3), check(true), Do::Wait(4)];
        let (name, about) = ("a".to_owned(), About { is_uncertain: true, ..About::default() });
        let mut case = Case { name, body: Body::Timed(parts), about, chance: None };
        only_changes(&mut case, &BTreeMap::from([(port, Value::Bool(false))]));
        let expected = vec![(port, Value::Bool(true))];
        let left = Do::Check(Check { expected, allowed: Vec::new(), requirement: None });
        assert_eq!(case.body, Body::Timed(vec![Do::Wait(5), left]));
    }
}
