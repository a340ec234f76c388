//! How many objects there may be, and which associations do not link everything.

use std::collections::BTreeSet;

use punctual_model::{
    AssociationId, ClassId, ConstraintId,
    usecases::{Expr, UseCases},
};

use super::objects::{Counts, is_full};

/// Of so many classes, each combination of numbers is tried.
const CLASSES_COMBINED: usize = 2;

/// How many objects there may be, the fewest first; no more than so many of a class, where nothing says how many there are.
pub(super) fn choices(cases: &UseCases, most: u32) -> Vec<Counts> {
    let classes: Vec<ClassId> = reached(cases).into_iter().collect();
    let mut choices = vec![Counts::new()];
    if classes.len() <= CLASSES_COMBINED {
        for class in classes {
            let known = choices.clone();
            for n in 2..=most {
                for it in &known {
                    let mut more = it.clone();
                    more.insert(class, n);
                    choices.push(more);
                }
            }
        }
    } else {
        for n in 2..=most {
            choices.push(classes.iter().map(|it| (*it, n)).collect());
        }
    }
    choices.sort_by_key(|it| it.values().sum::<u32>() - it.len() as u32);
    choices
}

/// The classes whose objects any constraints reach as members of sets. They are the same for all paths, so that what is impossible stays so on a longer path.
fn reached(cases: &UseCases) -> BTreeSet<ClassId> {
    let mut found = BTreeSet::new();
    for constraint in &cases.constraints {
        for node in &constraint.nodes {
            let class = match node.expr {
                Expr::AllInstances(class) => class,
                Expr::Navigate(_, end) if cases.domain.end(end).multiplicity.most != Some(1) => {
                    cases.domain.end(end).class
                }
                _ => continue,
            };
            found.extend(cases.domain.concrete(class));
        }
    }
    found
}

/// The associations without limits that a constraint navigates.
pub(super) fn navigated(cases: &UseCases, constraint: ConstraintId) -> BTreeSet<AssociationId> {
    let nodes = &cases.constraints[constraint].nodes;
    let navigated = nodes.iter().filter_map(|it| match it.expr {
        Expr::Navigate(_, end) => Some(end.association),
        _ => None,
    });
    navigated.filter(|it| is_full(&cases.domain.associations[*it])).collect()
}
