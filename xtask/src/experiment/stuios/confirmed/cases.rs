//! The cases that are confirmed: the first suite of each system as question 2 has it, or a few that are made in a second.

use std::path::Path;

use punctual_lang::{Input, suite};
use punctual_model::testing::suite::Case;
use punctual_semantics::specification::Specification;
use punctual_smc::exact::{Phase, Ratio};
use punctual_testgen::timed::World;
use punctual_testgen::uio::{Ground, chance, outcomes};

use super::super::detection::{Size, System, make};

/// Cases with chances, and what should not be so.
pub(super) fn cases(
    folder: &Path,
    given: &Specification,
    system: &System,
    size: Size,
) -> Result<(Vec<Case>, Vec<String>), String> {
    let ground = Ground::with_phase(given, system.phase);
    let (cases, mut problems) = match (size.small, system.phase) {
        // A suite of BodySense takes minutes.
        (Some(_), Phase::OfScript(_)) => {
            let name = format!("rq1-{}.toml", system.model);
            (vec![first(&folder.join(name), &ground, system)?], Vec::new())
        }
        _ => {
            let world = World::new(given).map_err(|it| it.construct.to_owned())?;
            let suite = make(&world, &ground, system, size, 1)?;
            (suite.cases.into_iter().map(|it| it.case).collect(), suite.dropped)
        }
    };
    for case in &cases {
        if !agree(&ground, system, case)? {
            let name = &case.name;
            problems.push(format!("{}, {name}: two computations disagree", system.name));
        }
    }
    Ok((cases, problems))
}

/// The first case of a suite, with its chance.
fn first(path: &Path, ground: &Ground<'_>, system: &System) -> Result<Case, String> {
    let told = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
    let bytes = std::fs::read(path).map_err(|error| told(&error))?;
    let input = Input { name: system.model, bytes: &bytes };
    let mut none = |_: &str| Err("there are no tables".to_owned());
    let read = suite::read(input, ground.specification().interface(), None, &mut none).value;
    let case = read.and_then(|suite| suite.cases.into_iter().next());
    let case = case.ok_or_else(|| told(&"it has no cases"))?;
    chance(ground, &case, &system.options()).map(|made| made.case).map_err(|why| told(&why))
}

/// Whether what a case tells is what question 2 computes with.
fn agree(ground: &Ground<'_>, system: &System, case: &Case) -> Result<bool, String> {
    let right = outcomes(ground.specification(), case, system.phase);
    let right = right.map_err(|why| format!("{}, {}: {why}", system.name, case.name))?;
    let chance = case.chance.as_ref().ok_or("a case without a chance")?;
    let joint = chance.ending.as_ref().map_or(&chance.outputs, |ending| &ending.joint);
    let is_same = |told: &Option<String>, it: &Ratio| told.as_ref() == Some(&it.to_string());
    Ok(is_same(&chance.outputs.exact, &right.outputs)
        && is_same(&joint.exact, &right.joint)
        && right.illegal == Ratio::from_integer(0.into()))
}
