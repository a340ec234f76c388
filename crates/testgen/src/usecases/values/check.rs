//! A solution takes its path before anybody sees it.

use punctual_model::usecases::{Claim, Diagram, UseCases};

use super::{
    choose::Chosen,
    evaluate::{Beyond, World},
    form::Variable,
    run::Run,
};
use crate::usecases::paths::Walk;

/// What is wrong with a solution.
pub(super) enum Wrong {
    Claim(Option<Claim>),
    Beyond,
}

impl From<Beyond> for Wrong {
    fn from(_: Beyond) -> Wrong {
        Wrong::Beyond
    }
}

/// Takes a path with a solution.
pub(super) fn check(
    cases: &UseCases,
    diagram: &Diagram,
    chosen: &Chosen,
    walk: &Walk<'_>,
) -> Result<(), Wrong> {
    let world = World { cases, diagram };
    let before = chosen.iter().filter_map(|(variable, value)| match variable {
        Variable::Before(slot) => Some((*slot, *value)),
        _ => None,
    });
    let mut run = Run::new(world, before.collect());
    if !world.is_well_linked() || !run.is_sound()? {
        return Err(Wrong::Claim(None));
    }
    for (number, happening) in walk.happenings.iter().enumerate() {
        let given = chosen.iter().filter_map(|(variable, value)| match variable {
            Variable::Given(event, slot) if *event as usize == number => Some((*slot, *value)),
            _ => None,
        });
        let checked = run.happen(happening, &given.collect(), false)?;
        if let Some((claim, _)) = checked.into_iter().find(|(_, holds)| !holds) {
            return Err(Wrong::Claim(Some(claim)));
        }
    }
    if walk.has_ended
        && let Some((claim, _)) = run.invariants(0)?.into_iter().find(|it| !it.1)
    {
        return Err(Wrong::Claim(Some(claim)));
    }
    Ok(())
}
