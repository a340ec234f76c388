//! The chance of a case.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::AtomicBool;

use punctual_model::Direction;
use punctual_model::testing::suite::{Body, Case, Chance, Do, Ending, Probability as Told};
use punctual_semantics::estimate::Overflow;
use punctual_semantics::specification::Specification;
use punctual_smc::exact::{Inexact, Phase, Ratio};

use super::allowed::{completed, completed_by_states};
use super::ending::{Found, ended, ending, ending_anywhere};
use super::ground::Ground;
use super::place::{Chosen, Place, name, place};
use super::sample::{Sampling, sample};
use super::script::{NoScript, Script};
use super::search::Limits;
use super::weigh::{told, weigh};

/// How the chance of a case is found.
#[derive(Clone, Copy, Debug)]
pub struct Options<'o> {
    /// How far a search for an ending goes.
    pub limits: Limits,
    /// What is left to chance beside the delays of the model, in points of the grid.
    pub phase: Phase,
    /// The location that the case should end in: `Error.Qualified`. If not given, the one that the case names last, or else
    /// the most probable.
    pub location: Option<&'o str>,
    /// The clocks of the network if the system is somewhere else than it should be; any, if not given.
    pub clocks: Option<&'o [i32]>,
    /// How a probability is sampled that can not be computed.
    pub sampling: Sampling,
    /// Set by somebody who does not want to wait for the end of a search any longer.
    pub stops: Option<&'o AtomicBool>,
}

/// A case with its chance.
#[derive(Clone, PartialEq, Debug)]
pub struct Made {
    /// The case, with its ending.
    pub case: Case,
    /// The case with other endings, where only all of them together prove its location.
    pub more: Vec<Case>,
    /// What the user should know.
    pub warnings: Vec<String>,
}

/// Why a case has no chance.
#[derive(Debug)]
pub enum Trouble {
    /// The case has no timed steps.
    Steps,
    /// It can not be followed exactly.
    NoScript(NoScript),
    /// Its probability can not be computed.
    Inexact(Inexact),
    /// There is no such location.
    Unknown(String),
    /// No run that shows what the case expects ends there.
    Elsewhere(String),
    /// The model can not do what the case does.
    Impossible,
    /// None of this many runs of the model shows what the case expects.
    Unseen(u64),
    /// The environment of the model does not do what the case does.
    Environment,
    /// The case does nothing that a phase could come before.
    Idle,
    /// A check may show too many combinations of values.
    Values,
    /// The model is in error, or has too many states.
    Overflow(crate::timed::Trouble),
    /// Somebody stopped the search.
    Stopped,
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Trouble::Steps => f.write_str("it is a table of steps"),
            Trouble::NoScript(NoScript::Between) => {
                f.write_str("an instant is no point of the grid; a higher `resolution` helps")
            }
            Trouble::NoScript(NoScript::Outputs) => {
                f.write_str("it expects outputs, and only readings can be told here")
            }
            Trouble::NoScript(NoScript::Value) => {
                f.write_str("a value that the model can not have")
            }
            Trouble::Inexact(why) => write!(f, "its probability can not be computed: {why}"),
            Trouble::Unknown(name) => write!(f, "there is no location `{name}` in the system"),
            Trouble::Elsewhere(name) => {
                write!(f, "no run of the model that shows what it expects ends in `{name}`")
            }
            Trouble::Impossible => {
                f.write_str("the model never shows what it expects, or with probability 0")
            }
            Trouble::Idle => {
                f.write_str("it has no input and no check that could come after a phase")
            }
            Trouble::Unseen(runs) => {
                write!(f, "none of {runs} runs of the model shows what it expects")
            }
            Trouble::Values => f.write_str(
                "a check may show too many combinations of values; read fewer ports at once",
            ),
            Trouble::Environment => {
                f.write_str("the environment of the model does not send its inputs so")
            }
            Trouble::Overflow(why) => why.fmt(f),
            Trouble::Stopped => f.write_str("the search for its ending was stopped"),
        }
    }
}

impl std::error::Error for Trouble {}

impl From<Overflow> for Trouble {
    fn from(why: Overflow) -> Trouble {
        Trouble::Overflow(why.into())
    }
}

/// The chance of a case: how probable its outputs are, and an ending that proves its location.
///
/// # Errors
/// If the case can not be followed by the model, or its location is not there.
pub fn chance(ground: &Ground<'_>, case: &Case, options: &Options<'_>) -> Result<Made, Trouble> {
    let specification = ground.specification();
    let Body::Timed(parts) = &case.body else { return Err(Trouble::Steps) };
    let script = Script::new(specification, parts).map_err(Trouble::NoScript)?;
    if options.phase != Phase::None && script.acts.is_empty() {
        return Err(Trouble::Idle);
    }
    let weighed = match weigh(specification, &script, options.phase) {
        Ok(weighed) => weighed,
        Err(why) => return sampled(ground, case, &script, why, options),
    };
    if weighed.probability == Ratio::from_integer(0.into()) {
        return Err(Trouble::Impossible);
    }
    let (mut warnings, mut more) = (Vec::new(), Vec::new());
    let is_one = weighed.probability == Ratio::from_integer(1.into());
    let is_warned = options.phase == Phase::None && !is_one && weighed.n_random > 1;
    let independent = if is_warned { weighed.n_random } else { 0 };
    if is_warned {
        warnings.push(format!(
            "its {independent} random delays are drawn independently; if one loop of the system ends them, say so with `--loop`"
        ));
    }
    if !is_one && weighed.n_chosen > 0 {
        warnings.push(format!(
            "{} between steps that nothing in the model decides about: each step is taken to be as likely as any other",
            if weighed.n_chosen == 1 { "it has a choice".to_owned() } else { format!("it has {} choices", weighed.n_chosen) }
        ));
    }
    let place = place(specification, case, options, &weighed.ends)?;
    let mut chance = Chance {
        outputs: told(&weighed.probability),
        ending: None,
        note: String::new(),
        independent,
    };
    let mut made = case.clone();
    let completed = match is_one {
        true => parts.clone(),
        false => completed(ground, parts, options.phase)?,
    };
    let parts = &completed;
    made.body = Body::Timed(completed.clone());
    if let Some(Chosen { place, instead_of }) = place {
        let name = name(specification, place);
        if let Some(named) = instead_of {
            warnings.push(format!("no run of it ends in {named}, so {name} is proved instead"));
        }
        let (place, found) =
            ending_anywhere(ground, (&script, parts), place, options, Some(&weighed))?;
        match found {
            Found::Ending(elements, joint) => {
                let from = parts.len();
                let parts = ended(ground, parts, &script, place, &elements, options.phase)?;
                made.body = Body::Timed(parts);
                chance.ending = Some(Ending { from, proves: name, joint: told(&joint) });
            }
            Found::Each(each) => {
                for (number, (others, elements, joint)) in each.iter().enumerate() {
                    let from = parts.len();
                    let longer = ended(ground, parts, &script, place, elements, options.phase)?;
                    let rival = names(specification, place, others);
                    let proves = format!("{name} rather than {rival}");
                    let ending = Some(Ending { from, proves, joint: told(joint) });
                    if number == 0 {
                        made.body = Body::Timed(longer);
                        chance.ending = ending;
                        continue;
                    }
                    more.push(Case {
                        name: format!("{}, not {rival}", case.name),
                        body: Body::Timed(longer),
                        about: case.about.clone(),
                        chance: Some(Chance { ending, ..chance.clone() }),
                    });
                }
                warnings.push(format!(
                    "no sequence tells {name} from all other locations; {} cases together do",
                    each.len()
                ));
            }
            Found::Only => chance.note = format!("its automaton can only be in {name} then"),
            Found::None(rivals) => {
                let length = options.limits.length;
                let rivals = match &rivals[..] {
                    [] => "all others".to_owned(),
                    rivals => names(specification, place, rivals),
                };
                chance.note =
                    format!("no sequence up to length {length} tells {name} from {rivals}");
            }
            Found::Never(rivals) => {
                let rivals = names(specification, place, &rivals);
                // Endings do not look at outputs, which could still tell.
                let mut signals = specification.interface().signals.iter();
                let (nothing, seen) =
                    match signals.any(|signal| signal.direction == Direction::Output) {
                        true => ("no port", "read"),
                        false => ("nothing", "seen"),
                    };
                chance.note = format!(
                    "{nothing} ever tells {name} from {rivals}: all that can be {seen} from {name} can be {seen} from there, too"
                );
            }
        }
    } else {
        "nothing of the system is random or has moved".clone_into(&mut chance.note);
    }
    made.chance = Some(chance);
    Ok(Made { case: made, more, warnings })
}

/// The names of other locations of the automaton.
fn names(specification: &Specification, place: Place, locations: &[i32]) -> String {
    let of = |location: &i32| name(specification, Place { location: *location, ..place });
    locations.iter().map(of).collect::<Vec<_>>().join(", ")
}

/// The chance of a case whose probability can not be computed, by runs.
fn sampled(
    ground: &Ground<'_>,
    case: &Case,
    script: &Script,
    why: Inexact,
    options: &Options<'_>,
) -> Result<Made, Trouble> {
    let specification = ground.specification();
    let Body::Timed(parts) = &case.body else { return Err(Trouble::Steps) };
    let weight = |parts: &[Do]| -> Result<Told, Trouble> {
        let found = sample(specification, parts, options.phase, &options.sampling);
        let found = found.ok_or(Trouble::Inexact(why))?;
        Ok(Told { least: found.low, greatest: found.high, exact: None })
    };
    let completed = completed_by_states(ground, parts, options.phase)?;
    let parts = &completed[..];
    let outputs = weight(parts)?;
    // An interval that begins at 0 comes of no run.
    if outputs.least <= 0.0 {
        return Err(Trouble::Unseen(options.sampling.runs));
    }
    let mut chance =
        Chance { outputs, ending: None, note: format!("sampled: {why}"), independent: 0 };
    let mut made = case.clone();
    made.body = Body::Timed(completed.clone());
    if let Some(Chosen { place, .. }) = place(specification, case, options, &BTreeMap::new())?
        && let Found::Ending(elements, _) = ending(ground, (script, parts), place, options, None)?
    {
        let from = parts.len();
        let parts = ended(ground, parts, script, place, &elements, options.phase)?;
        let joint = weight(&parts)?;
        made.body = Body::Timed(parts);
        chance.ending = Some(Ending { from, proves: name(specification, place), joint });
    }
    made.chance = Some(chance);
    Ok(Made { case: made, more: Vec::new(), warnings: Vec::new() })
}
