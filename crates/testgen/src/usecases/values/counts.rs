//! How many objects there may be.

use std::collections::BTreeSet;

use punctual_model::{
    ClassId,
    usecases::{Expr, UseCases},
};

use super::objects::Counts;
use crate::usecases::paths::{Event, Happening};

/// More objects of a class than this are not tried.
const OBJECTS_TRIED: u32 = 3;
/// Of so many classes, each combination of numbers is tried.
const CLASSES_COMBINED: usize = 2;

/// How many objects there may be, the fewest first.
pub(super) fn choices(cases: &UseCases, happenings: &[Happening<'_>]) -> Vec<Counts> {
    let classes: Vec<ClassId> = reached(cases, happenings).into_iter().collect();
    let mut choices = vec![Counts::new()];
    if classes.len() <= CLASSES_COMBINED {
        for class in classes {
            let known = choices.clone();
            for n in 2..=OBJECTS_TRIED {
                for it in &known {
                    let mut more = it.clone();
                    more.insert(class, n);
                    choices.push(more);
                }
            }
        }
    } else {
        for n in 2..=OBJECTS_TRIED {
            choices.push(classes.iter().map(|it| (*it, n)).collect());
        }
    }
    choices.sort_by_key(|it| it.values().sum::<u32>() - it.len() as u32);
    choices
}

/// The classes whose objects constraints on a path reach as members of sets.
fn reached(cases: &UseCases, happenings: &[Happening<'_>]) -> BTreeSet<ClassId> {
    let mut constraints: BTreeSet<_> = cases.invariants().map(|(id, _)| id).collect();
    for happening in happenings {
        let sentences: Vec<_> = match &happening.event {
            Event::Preconditions(all) => all.to_vec(),
            Event::Condition { sentences, .. } | Event::Postconditions { sentences, .. } => {
                sentences.to_vec()
            }
            Event::Act(actions) => actions.iter().map(|it| it.sentence).collect(),
            _ => Vec::new(),
        };
        for sentence in sentences {
            constraints.extend(&cases.sentences[sentence].constraints);
        }
    }
    let mut found = BTreeSet::new();
    for id in constraints {
        for node in &cases.constraints[id].nodes {
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
