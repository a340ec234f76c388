//! The chance of a case, and its ending.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};

use punctual_model::testing::suite::{Body, Case, Chance, Check, Do, Ending, Probability as Told};
use punctual_model::{Action, PortId, Value};
use punctual_semantics::estimate::{Estimate, Overflow};
use punctual_semantics::specification::Specification;
use punctual_smc::exact::{Inexact, Phase, Ratio};

use super::allowed::completed;
use super::ground::Ground;
use super::place::{Chosen, Place, everywhere, name, place};
use super::sample::{Sampling, sample};
use super::script::{Act, NoScript, Script};
use super::search::{After, Done, Element, Limits, Question, Search, Sequences};
use super::weigh::{Weighed, told, weigh};

/// No more sequences than this are weighed.
const WEIGHED_MAX: usize = 300;

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
    /// The environment of the model does not do what the case does.
    Environment,
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
                f.write_str("it expects outputs; only readings are counted")
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
    let weighed = match weigh(specification, &script, options.phase) {
        Ok(weighed) => weighed,
        Err(why) => return sampled(ground, case, &script, why, options),
    };
    if weighed.probability == Ratio::from_integer(0.into()) {
        return Err(Trouble::Impossible);
    }
    let mut warnings = Vec::new();
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
                chance.note = format!(
                    "nothing ever tells {name} from {rivals}: all that can be seen from {name} can be seen from there, too"
                );
            }
        }
    } else {
        "nothing of the system is random or has moved".clone_into(&mut chance.note);
    }
    made.chance = Some(chance);
    Ok(Made { case: made, warnings })
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
    if options.phase != Phase::None {
        return Err(Trouble::Inexact(why));
    }
    let weight = |parts: &[Do]| -> Result<Told, Trouble> {
        let found = sample(specification, parts, &options.sampling).ok_or(Trouble::Inexact(why))?;
        Ok(Told { least: found.low, greatest: found.high, exact: None })
    };
    let completed = completed(ground, parts, options.phase)?;
    let parts = &completed[..];
    let outputs = weight(parts)?;
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
    Ok(Made { case: made, warnings: Vec::new() })
}

/// What came of looking for an ending.
enum Found {
    /// The most probable of the shortest, and the probability of case and ending.
    Ending(Vec<Element>, Ratio),
    /// None; locations that nothing told apart.
    None(Vec<i32>),
    /// None; nothing ever tells these locations apart.
    Never(Vec<i32>),
    /// The system can not be anywhere else then.
    Only,
}

/// How probable a case with a sequence behind it is, by a few runs; none if no run showed it.
fn rough(
    ground: &Ground<'_>,
    parts: &[Do],
    script: &Script,
    place: Place,
    sequence: &[Element],
    options: &Options<'_>,
) -> Option<Ratio> {
    const RUNS: u64 = 500;
    let parts = ended(ground, parts, script, place, sequence, options.phase).ok()?;
    let sampling = Sampling { runs: RUNS, ..options.sampling };
    let found = sample(ground.specification(), &parts, &sampling)?;
    let middle = (f64::midpoint(found.low, found.high) * 1e6) as i64;
    // An interval that begins at 0 comes of no run.
    (found.low > 0.0).then(|| Ratio::new(middle.into(), 1_000_000.into()))
}

/// Looks for an ending in each part that has the automaton. Only what nothing tells in any of them is never told.
fn ending_anywhere(
    ground: &Ground<'_>,
    case: (&Script, &[Do]),
    place: Place,
    options: &Options<'_>,
    weighed: Option<&Weighed>,
) -> Result<(Place, Found), Trouble> {
    let mut best: Option<(Place, Found)> = None;
    for place in everywhere(ground.specification(), place) {
        let found = ending(ground, case, place, options, weighed)?;
        match (&found, &mut best) {
            (Found::Ending(..) | Found::Only, _) => return Ok((place, found)),
            (_, None) => best = Some((place, found)),
            (Found::None(ours) | Found::Never(ours), Some((_, best))) => {
                let both = |theirs: &[i32]| -> Vec<i32> {
                    theirs.iter().filter(|it| ours.contains(it)).copied().collect()
                };
                *best = match (&*best, &found) {
                    (Found::Never(theirs), Found::Never(_)) if !both(theirs).is_empty() => {
                        Found::Never(both(theirs))
                    }
                    (Found::None(theirs) | Found::Never(theirs), _) => Found::None(both(theirs)),
                    _ => Found::None(Vec::new()),
                };
            }
        }
    }
    best.ok_or_else(|| Trouble::Elsewhere(name(ground.specification(), place)))
}

/// Looks for an ending: the most probable of the shortest, where the case itself was weighed; otherwise by a few runs.
fn ending(
    ground: &Ground<'_>,
    (script, parts): (&Script, &[Do]),
    place: Place,
    options: &Options<'_>,
    weighed: Option<&Weighed>,
) -> Result<Found, Trouble> {
    let specification = ground.specification();
    let mut estimate = started(ground, place.part, options.phase)?;
    if script.follow(specification, place.part, &mut estimate, true)?.is_err() {
        return Err(Trouble::Impossible);
    }
    let mut search = Search::new(ground, place.part)?;
    let mut environment = Vec::new();
    for number in search.environment() {
        let mut estimate = started(ground, number, options.phase)?;
        if script.follow(specification, number, &mut estimate, false)?.is_err() {
            // What the environment never does can be done all the same; nothing is known of it then.
            return Err(Trouble::Environment);
        }
        environment.push(estimate.save());
    }
    let from = After { ours: estimate.save(), environment, at: script.end };
    let Place { part, process, location } = place;
    let question = Question { part, process, location, clocks: options.clocks };
    // Of equally probable ones, that which leaves least open, and then the shortest.
    let cost = |sequence: &[Element]| {
        let waits = sequence.iter().map(|it| match it.what {
            Done::Wait(points) => points,
            Done::Input(..) => 0,
        });
        (sequence.iter().map(|it| it.n_possible).sum::<usize>(), waits.sum::<i64>())
    };
    let mut best: Option<(Ratio, Vec<Element>)> = None;
    let mut n_weighed = 0;
    let mut weigh_it = |sequence: &[Element]| {
        n_weighed += 1;
        if n_weighed > WEIGHED_MAX {
            return best.is_some();
        }
        let Some(weighed) = weighed else {
            let Some(probability) = rough(ground, parts, script, place, sequence, options) else {
                return false;
            };
            if best.as_ref().is_none_or(|(most, _)| probability > *most) {
                best = Some((probability, sequence.to_vec()));
            }
            return true;
        };
        let longer = longer(script, sequence);
        let Ok(joint) = weighed.longer(specification, place.part, &longer, options.phase) else {
            return false;
        };
        let is_possible = joint > Ratio::from_integer(0.into());
        let is_better = best.as_ref().is_none_or(|(most, found)| {
            let order = joint.cmp(most);
            order.is_gt() || (order.is_eq() && cost(sequence) < cost(found))
        });
        if is_possible && is_better {
            best = Some((joint, sequence.to_vec()));
        }
        is_possible
    };
    let stops = || options.stops.is_some_and(|it| it.load(Ordering::Relaxed));
    let found = search.unique(&from, question, options.limits, &stops, &mut weigh_it)?;
    match (found, best) {
        (Some(Sequences::Unique(all)), _) if all == [Vec::new()] => Ok(Found::Only),
        (None, _) => Err(Trouble::Elsewhere(name(specification, place))),
        (Some(Sequences::Unique(_)), Some((joint, elements))) => Ok(Found::Ending(elements, joint)),
        (Some(Sequences::None(rivals)), _) => Ok(Found::None(rivals)),
        (Some(Sequences::Never(rivals)), _) => Ok(Found::Never(rivals)),
        (Some(Sequences::Stopped), _) => Err(Trouble::Stopped),
        (Some(Sequences::Unique(_)), None) => Ok(Found::None(Vec::new())),
    }
}

pub(super) fn started<'s>(
    ground: &'s Ground<'_>,
    part: usize,
    phase: Phase,
) -> Result<Estimate<'s>, Overflow> {
    let mut estimate = Estimate::new(ground.estimator(part))?;
    if let Phase::OfScript(period) = phase {
        estimate.begin_within(period)?;
    }
    Ok(estimate)
}

/// A script with a sequence behind it.
fn longer(script: &Script, sequence: &[Element]) -> Script {
    let mut longer = script.clone();
    for element in sequence {
        match &element.what {
            Done::Input(signal, values) => {
                longer.acts.push((longer.end, Act::Input(*signal, values.clone())));
            }
            Done::Wait(points) => longer.end += points,
        }
        longer.acts.push((longer.end, Act::Read(vec![element.expected.clone()])));
    }
    longer
}

/// The parts of a case with its ending. Each check of the ending lists all that the model allows after the inputs, whatever was
/// seen before.
fn ended(
    ground: &Ground<'_>,
    parts: &[Do],
    script: &Script,
    place: Place,
    sequence: &[Element],
    phase: Phase,
) -> Result<Vec<Do>, Trouble> {
    let specification = ground.specification();
    let interface = specification.interface();
    let mut parts = parts.to_vec();
    let values = |values: &[(PortId, i32)]| -> Vec<(PortId, Value)> {
        values.iter().map(|(port, it)| (*port, interface.ports[*port].ty.of_int(*it))).collect()
    };
    for (number, element) in sequence.iter().enumerate() {
        match &element.what {
            Done::Input(signal, sent) => {
                let carried = interface.signals[*signal].values.iter().zip(sent);
                let values = carried.map(|(carried, it)| carried.ty.of_int(*it)).collect();
                parts.push(Do::Send(Action { signal: *signal, values }));
            }
            Done::Wait(points) => {
                let until = longer(script, &sequence[..=number]).end;
                let instants = specification.instants;
                parts.push(Do::Wait(instants.ns(until) - instants.ns(until - points)));
            }
        }
        let so_far = longer(script, &sequence[..=number]);
        let mut estimate = started(ground, place.part, phase)?;
        if so_far.follow(specification, place.part, &mut estimate, false)?.is_err() {
            return Err(Trouble::Impossible);
        }
        let mut allowed: Vec<Vec<(PortId, Value)>> = vec![values(&element.expected)];
        for (state, _) in estimate.present()? {
            let shown = element.expected.iter().map(|(port, _)| {
                let readers = specification.readers(*port);
                let at = readers.iter().find(|(part, _)| *part == place.part);
                (*port, at.map_or(0, |(_, at)| state[*at as usize]))
            });
            let shown = values(&shown.collect::<Vec<_>>());
            if !allowed.contains(&shown) {
                allowed.push(shown);
            }
        }
        if allowed.len() == 1 {
            allowed.clear();
        }
        let expected = values(&element.expected);
        parts.push(Do::Check(Check { expected, allowed, requirement: None }));
    }
    Ok(parts)
}
