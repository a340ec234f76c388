//! Estimates against all runs.

use std::collections::BTreeSet;

use punctual_model::Id;
use punctual_semantics::concrete::{Concrete, State};
use punctual_semantics::estimate::{
    Blocked, End, Estimate, Estimator, Interval, Observation, Overflow, Shown, What,
};

use super::generate::{Draft, draft};
use super::hindsight::signals;
use super::regions::{Explained, Instant, Observed, Regions, Seen};
use super::walk::Walk;

/// How far estimates are asked about what may come, in instants.
const AHEAD: Instant = 4;

/// How many components a law looks at: so many, or as many times that as the environment says.
pub(super) fn components(n: u64) -> std::ops::Range<u64> {
    let times = std::env::var("PUNCTUAL_SOUNDNESS").ok().and_then(|it| it.parse().ok());
    0..n * times.unwrap_or(1)
}

pub(super) fn from(instant: Instant) -> End {
    End { at: instant.div_euclid(2), open: instant % 2 != 0 }
}

pub(super) fn to(instant: Instant) -> End {
    End { at: (instant + 1).div_euclid(2), open: instant % 2 != 0 }
}

/// What was seen, as an estimate is told.
pub(super) struct Told {
    seen: Seen,
    values: Vec<(u32, i32)>,
}

impl Told {
    pub(super) fn new(estimator: &Estimator, seen: Seen) -> Told {
        let values = match &seen.what {
            Observed::Signal(..) => Vec::new(),
            Observed::Reading(ports) => {
                ports.iter().map(|(port, it)| (port.position(estimator), *it)).collect()
            }
        };
        Told { seen, values }
    }

    pub(super) fn observation(&self) -> Observation<'_> {
        let what = match &self.seen.what {
            Observed::Signal(signal, values) => What::Signal { signal: *signal, values },
            Observed::Reading(_) => What::Reading(&self.values),
        };
        Observation { what, interval: Interval::new(from(self.seen.from), to(self.seen.to)) }
    }
}

/// What may be seen next: signals with their values, and the instants of each.
type Ahead = BTreeSet<(usize, Vec<i32>, Instant)>;

/// What is said of a point of the grid: the states there, what may be seen from there on, and the last
/// instant without seeing anything.
type Said = (BTreeSet<Vec<i32>>, Ahead, Instant);

/// What the search says of a point of the grid at or after all that was seen.
fn searched(regions: &Regions, states: &Explained, at: Instant) -> Said {
    let concrete = Concrete::new(&regions.network);
    let (mut now, mut ahead, mut last) = (BTreeSet::new(), Ahead::new(), -1);
    for (state, _) in states {
        let instant = regions.instant(state);
        last = last.max(instant);
        if instant == at {
            now.insert(regions.discrete(state));
        }
        if !(at..=at + AHEAD).contains(&instant) {
            continue;
        }
        for (action, _) in regions.steps(&concrete, state) {
            ahead.extend(action.map(|(signal, values)| (signal.index(), values, instant)));
        }
        for (signal, values) in signals(regions) {
            if regions.uses[signal.index()].0
                && !regions.given(&concrete, state, signal, &values).is_empty()
            {
                ahead.insert((signal.index(), values, instant));
            }
        }
    }
    (now, ahead, last.min(at + AHEAD))
}

/// The same of an estimate. If time can not pass until then, there are no states.
fn estimated(
    regions: &Regions,
    estimate: &mut Estimate<'_>,
    at: Instant,
) -> Result<Option<Said>, Overflow> {
    if estimate.advance(from(at))?.is_err() {
        return Ok(None);
    }
    estimate.look_ahead(at / 2)?;
    let now: BTreeSet<Vec<i32>> =
        estimate.states(to(at)).into_iter().map(|shown| shown.state).collect();
    if at % 2 == 0 {
        // Single points of the present are of states that are possible then, with clocks that can be so.
        for stand in estimate.stands(usize::MAX) {
            assert!(now.contains(&stand.state), "{stand:?} is none of {now:?}");
            let is_it = |shown: &Shown| {
                let same = |((a, value), (b, interval)): (&(_, i32), &(_, Interval))| {
                    a == b && !interval.meet(Interval::point(i64::from(*value))).is_empty()
                };
                shown.state == stand.state && stand.clocks.iter().zip(&shown.clocks).all(same)
            };
            let shown = estimate.states(to(at));
            assert!(shown.iter().any(is_it), "{stand:?} is none of {shown:?}");
        }
    }
    estimate.look_ahead((at + AHEAD) / 2)?;
    let mut ahead = Ahead::new();
    for (signal, values) in signals(regions) {
        for interval in estimate.intervals(signal, &values)? {
            for instant in at..=at + AHEAD {
                let here = Interval::new(from(instant), to(instant));
                if !interval.meet(here).is_empty() {
                    ahead.insert((signal.index(), values.clone(), instant));
                }
            }
        }
    }
    let latest = estimate.latest().map_or(Instant::MAX, |end| 2 * end.at - i64::from(end.open));
    Ok(Some((now, ahead, latest.min(at + AHEAD))))
}

#[derive(Default, Debug)]
struct Counts {
    components: u64,
    signals: u64,
    readings: u64,
    refused: u64,
    late: u64,
    compared: u64,
    /// States of all points of the grid that were compared.
    states: usize,
    unknown: u64,
}

pub(super) fn counted(seed: u64) -> (Draft, u64) {
    let resolution = [1, 1, 2][seed as usize % 3];
    (draft(seed, resolution), u64::from(resolution))
}

fn compare(
    what: &dyn Fn() -> String,
    regions: &Regions,
    states: &Explained,
    estimate: &mut Estimate<'_>,
    at: Instant,
    counts: &mut Counts,
) -> bool {
    let (now, ahead, latest) = searched(regions, states, at);
    match estimated(regions, estimate, at).unwrap() {
        None => assert!(now.is_empty(), "{}\nat {at}: {now:?}", what()),
        Some(said) => {
            assert_eq!((&said.0, said.2), (&now, latest), "states at {at}\n{}", what());
            assert_eq!(said.1, ahead, "ahead of {at}\n{}", what());
        }
    }
    counts.compared += 1;
    counts.states += now.len();
    !now.is_empty()
}

/// After any signals and readings in their order, an estimate has the states of all runs that explain
/// them, allows what these allow, and refuses what none has. What is refused changes nothing.
#[test]
fn observations_leave_the_states_of_the_runs_that_explain_them() {
    let mut counts = Counts::default();
    for seed in components(800) {
        let (draft, resolution) = counted(seed);
        let regions = Regions::new(&draft);
        let estimator = Estimator::new(&draft.opened(), &draft.wired).unwrap();
        let mut estimate = Estimate::new(&estimator).unwrap();
        let Some(mut walk) = Walk::new(&regions, seed ^ 0x5eed) else { continue };
        counts.components += 1;
        let mut states = regions.initial();
        let mut told: Vec<(Seen, bool)> = Vec::new();
        // The latest begin and end of what was told.
        let (mut begun, mut over): (Instant, Instant) = (0, 0);
        while told.len() < 8
            && let Some(seen) = walk.next(6 * resolution as Instant)
        {
            let all = regions.explore(&states, [std::slice::from_ref(&seen), &[], &[]], seen.to);
            let Some(all) = all else {
                counts.unknown += 1;
                break;
            };
            let (before, next): (Explained, Explained) =
                all.into_iter().partition(|(_, done)| *done == [0; 3]);
            let next: Explained = next.into_iter().map(|(state, _)| (state, [0; 3])).collect();
            (begun, over) = (begun.max(seen.from), over.max(seen.to));
            let can_wait = before.iter().any(|(state, _)| regions.instant(state) >= seen.from);
            let text = |told: &[(Seen, bool)]| {
                told.iter().fold(format!("component {seed}\n{draft}"), |text, it| {
                    format!("{text}\n{it:?}")
                })
            };
            let one = Told::new(&estimator, seen.clone());
            let said = estimate.observe(&one.observation()).unwrap();
            match seen.what {
                Observed::Signal(..) => counts.signals += 1,
                Observed::Reading(_) => counts.readings += 1,
            }
            told.push((seen, said.is_ok()));
            let expected = match (can_wait, next.is_empty()) {
                (false, _) => Err(Blocked::Time),
                (true, true) => Err(Blocked::Signal),
                (true, false) => Ok(()),
            };
            assert_eq!(said, expected, "{}", text(&told));
            match said {
                Ok(()) => states = next,
                Err(Blocked::Time) => {
                    counts.late += 1;
                    break;
                }
                // Time passed all the same, up to the first instant.
                Err(Blocked::Signal) => {
                    counts.refused += 1;
                    let passed = |it: &(State, [usize; 3])| regions.instant(&it.0) >= begun;
                    states = before.into_iter().filter(passed).collect();
                }
            }
            if walk.rng.percent(50) {
                // A point of the grid, mostly the one at hand.
                let at = 2 * ((over + 1) / 2) + 2 * i64::from(walk.rng.percent(30));
                let Some(all) = regions.explore(&states, [&[]; 3], at + AHEAD) else {
                    counts.unknown += 1;
                    break;
                };
                let text = || text(&told);
                if !compare(&text, &regions, &all, &mut estimate, at, &mut counts) {
                    break;
                }
                let until = |it: &(State, [usize; 3])| (at..).contains(&regions.instant(&it.0));
                states = all.into_iter().filter(until).collect();
                (begun, over) = (at, at);
            }
        }
    }
    println!("{counts:?}");
    assert!(counts.readings > counts.components && counts.signals > counts.components);
    assert!(counts.refused * 8 > counts.components && counts.unknown * 20 < counts.components);
    assert!(counts.compared > counts.components);
}

/// Signals and readings of two queues, whose order with respect to each other is not known, leave the
/// states of all runs that have them in some order.
#[test]
fn queues_leave_the_states_of_all_orders() {
    let mut counts = Counts::default();
    let mut stuck = 0;
    for seed in components(500) {
        let (draft, resolution) = counted(seed);
        let regions = Regions::new(&draft);
        let estimator = Estimator::new(&draft.opened(), &draft.wired).unwrap();
        let mut estimate = Estimate::new(&estimator).unwrap();
        let Some(mut walk) = Walk::new(&regions, seed ^ 0x0bde) else { continue };
        (walk.blur, walk.lies) = (4, 8);
        counts.components += 1;
        let mut states = regions.initial();
        let mut text = format!("component {seed}\n{draft}");
        'rounds: for _ in 0..3 {
            let mut queues: [Vec<Told>; 3] = Default::default();
            for _ in 0..walk.rng.within(2, 5) {
                let Some(seen) = walk.next(6 * resolution as Instant) else { break };
                let queue = match seen.what {
                    Observed::Signal(signal, _) => {
                        counts.signals += 1;
                        usize::from(signal.index() >= 2)
                    }
                    // What is read has a queue of its own, or comes with the outputs.
                    Observed::Reading(_) => {
                        counts.readings += 1;
                        1 + usize::from(walk.rng.percent(70))
                    }
                };
                queues[queue].push(Told::new(&estimator, seen));
            }
            let seen = queues.each_ref().map(|queue| queue.iter().map(|it| it.seen.clone()));
            let seen = seen.map(Iterator::collect::<Vec<Seen>>);
            let Some(end) = seen.iter().flatten().map(|it| it.to).max() else { break };
            text += &format!("\n{seen:?}");
            let Some(all) = regions.explore(&states, seen.each_ref().map(|it| &it[..]), end) else {
                counts.unknown += 1;
                break 'rounds;
            };
            let done = seen.each_ref().map(Vec::len);
            let explained = all.into_iter().filter(|it| it.1 == done);
            let explained: Explained = explained.map(|(state, _)| (state, [0; 3])).collect();
            let told = queues.each_ref().map(|queue| queue.iter().map(Told::observation));
            let told = told.map(Iterator::collect::<Vec<Observation<'_>>>);
            let said = estimate.observe_queues(told.each_ref().map(|it| &it[..])).unwrap();
            assert_eq!(said.is_ok(), !explained.is_empty(), "{said:?} {text}");
            if said.is_err() {
                stuck += 1;
                break;
            }
            let at = 2 * ((end + 1) / 2);
            let Some(later) = regions.explore(&explained, [&[]; 3], at + AHEAD) else {
                counts.unknown += 1;
                break;
            };
            if walk.rng.percent(50) {
                if !compare(&|| text.clone(), &regions, &later, &mut estimate, at, &mut counts) {
                    break;
                }
                states = later.into_iter().filter(|it| regions.instant(&it.0) >= at).collect();
            } else {
                states = explained;
            }
        }
    }
    println!("{counts:?}, {stuck} without an order");
    assert!(counts.compared * 2 > counts.components && stuck * 20 > counts.components);
    assert!(counts.unknown * 20 < counts.components && counts.readings > counts.components);
}
