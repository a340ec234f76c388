//! The ending of a case: a sequence that proves where it ended.

use std::sync::atomic::Ordering;

use punctual_model::testing::suite::{Check, Do};
use punctual_model::{Action, PortId, Value};
use punctual_semantics::estimate::{Estimate, Overflow};
use punctual_smc::exact::{Phase, Ratio};

use super::chance::{Options, Trouble};
use super::ground::Ground;
use super::place::{Place, everywhere, name};
use super::sample::{Sampling, sample};
use super::script::{Act, Script};
use super::search::{After, Done, Element, Question, Search};
use super::unique::{Sequences, Watch};
use super::weigh::Weighed;

/// No more sequences than this are weighed.
const WEIGHED_MAX: usize = 300;

/// What came of looking for an ending.
pub(super) enum Found {
    /// The most probable of the shortest, and the probability of case and ending.
    Ending(Vec<Element>, Ratio),
    /// No sequence tells the location from all others, but these together do: each with the locations that it tells apart, and the
    /// probability of case and ending.
    Each(Vec<(Vec<i32>, Vec<Element>, Ratio)>),
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
    let found = sample(ground.specification(), &parts, options.phase, &sampling)?;
    let middle = (f64::midpoint(found.low, found.high) * 1e6) as i64;
    // An interval that begins at 0 comes of no run.
    (found.low > 0.0).then(|| Ratio::new(middle.into(), 1_000_000.into()))
}

/// Looks for an ending in each part that has the automaton. Only what nothing tells in any of them is never told.
pub(super) fn ending_anywhere(
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
            (Found::Ending(..) | Found::Each(_) | Found::Only, _) => return Ok((place, found)),
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
pub(super) fn ending(
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
    let clocks = options.clocks;
    let question = Question { part, process, location, clocks, against: None };
    // Of equally probable ones, that which leaves least open, and then the shortest.
    let cost = |sequence: &[Element]| {
        let waits = sequence.iter().map(|it| match it.what {
            Done::Wait(points) => points,
            Done::Input(..) => 0,
        });
        (sequence.iter().map(|it| it.n_possible).sum::<usize>(), waits.sum::<i64>())
    };
    let stops = || options.stops.is_some_and(|it| it.load(Ordering::Relaxed));
    let look = |search: &mut Search<'_>, question: Question<'_>| {
        let mut best: Option<(Ratio, Vec<Element>)> = None;
        let mut n_weighed = 0;
        let mut accepts = |sequence: &[Element]| {
            n_weighed += 1;
            if n_weighed > WEIGHED_MAX {
                return best.is_some();
            }
            let weight = match weighed {
                Some(weighed) => {
                    let longer = longer(script, sequence);
                    let joint = weighed.longer(specification, part, &longer, options.phase);
                    joint.ok().filter(|joint| *joint > Ratio::from_integer(0.into()))
                }
                None => rough(ground, parts, script, place, sequence, options),
            };
            let Some(weight) = weight else { return false };
            let is_better = best.as_ref().is_none_or(|(most, found)| {
                let order = weight.cmp(most);
                order.is_gt()
                    || (order.is_eq() && weighed.is_some() && cost(sequence) < cost(found))
            });
            if is_better {
                best = Some((weight, sequence.to_vec()));
            }
            true
        };
        let mut watch = Watch { stops: &stops, accepts: &mut accepts };
        let found = search.unique(&from, question, options.limits, &mut watch)?;
        Ok::<_, Trouble>((found, best))
    };
    let (found, best) = look(&mut search, question)?;
    match (found, best) {
        (Some(Sequences::Unique(all)), _) if all == [Vec::new()] => Ok(Found::Only),
        (None, _) => Err(Trouble::Elsewhere(name(specification, place))),
        (Some(Sequences::Unique(_)), Some((joint, elements))) => Ok(Found::Ending(elements, joint)),
        (Some(Sequences::Never(rivals)), _) => Ok(Found::Never(rivals)),
        (Some(Sequences::Stopped), _) => Err(Trouble::Stopped),
        (Some(Sequences::Unique(_)), None) => Ok(Found::None(Vec::new())),
        (Some(Sequences::None(rivals)), _) => {
            // Not one sequence for all others, but some that each leave out none of them together.
            let process = specification.parts[part].processes[process];
            let n_locations = specification.network.processes[process].locations.len();
            let mut each: Vec<(Vec<i32>, Vec<Element>, Ratio)> = Vec::new();
            for other in (0..n_locations as i32).filter(|it| *it != location) {
                if each.iter().any(|(told, ..)| told.contains(&other)) {
                    continue;
                }
                let (found, best) =
                    look(&mut search, Question { against: Some(other), ..question })?;
                match (found, best) {
                    (Some(Sequences::Unique(all)), _) if all == [Vec::new()] => {}
                    (Some(Sequences::Unique(_)), Some((joint, elements))) => {
                        let left = search.rivals(&from, question, &elements)?.unwrap_or_default();
                        let told = (0..n_locations as i32).filter(|it| *it != location);
                        let told = told.filter(|it| !left.contains(it)).collect();
                        each.push((told, elements, joint));
                    }
                    (Some(Sequences::Stopped), _) => return Err(Trouble::Stopped),
                    _ => return Ok(Found::None(rivals)),
                }
            }
            Ok(Found::Each(each))
        }
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
pub(super) fn ended(
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
