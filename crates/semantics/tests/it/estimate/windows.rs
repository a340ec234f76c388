//! Windows against all runs.

use std::collections::{BTreeMap, BTreeSet};

use punctual_model::Id;
use punctual_semantics::concrete::State;
use punctual_semantics::estimate::{End, Estimate, Estimator, Hindsight, Interval, What, united};

use super::generate::draft;
use super::hindsight::{
    Signalled, Windows, carried, extended, signal_windows, signals, without_empty,
};
use super::laws::{Told, components, counted, from, to};
use super::regions::{Explained, Instant, Observed, Port, Regions, Seen};
use super::walk::Walk;

/// How far windows are asked for, in instants.
const HORIZON: Instant = 14;

/// The instants of windows, which are disjoint and in their order.
fn instants(windows: &[Interval], within: (Instant, Instant)) -> BTreeSet<Instant> {
    for pair in windows.windows(2) {
        assert!(!pair[0].touches(pair[1]) && pair[0].from.begins_before(pair[1].from));
    }
    let has = |at: &Instant| {
        windows.iter().any(|it| !it.meet(Interval::new(from(*at), to(*at))).is_empty())
    };
    (within.0..=within.1).filter(has).collect()
}

/// When ports have some values, by the states of all runs.
fn reading_windows(regions: &Regions, states: &Explained, ports: &[Port]) -> Windows<Vec<i32>> {
    let mut windows: Windows<Vec<i32>> = Windows::new();
    for (state, _) in states {
        let values = ports.iter().map(|port| port.of(state)).collect();
        windows.entry(values).or_default().insert(regions.instant(state));
    }
    windows
}

/// From the present on, windows have exactly the instants at which some run shows the signal or the values,
/// through any hidden steps.
#[test]
fn windows_have_the_instants_of_all_runs() {
    let (mut n_components, mut compared, mut unknown) = (0, 0, 0);
    let (mut n_windows, mut gaps, mut behind) = (0, 0, 0);
    for seed in components(2000) {
        let (draft, resolution) = counted(seed);
        let regions = Regions::new(&draft);
        let estimator = Estimator::new(&draft.opened(), &draft.wired).unwrap();
        let mut estimate = Estimate::new(&estimator).unwrap();
        let Some(mut walk) = Walk::new(&regions, seed ^ 0x71de) else { continue };
        walk.lies = 0;
        n_components += 1;
        let mut states = regions.initial();
        let mut told: Vec<Seen> = Vec::new();
        for _ in 0..walk.rng.within(0, 3) {
            let Some(seen) = walk.next(4 * resolution as Instant) else { break };
            let one = Told::new(&estimator, seen.clone());
            let Some(all) =
                regions.explore(&states, [std::slice::from_ref(&seen), &[], &[]], seen.to)
            else {
                break;
            };
            if estimate.observe(&one.observation()).unwrap().is_err() {
                break;
            }
            told.push(seen);
            let next = all.into_iter().filter(|(_, done)| *done != [0; 3]);
            states = next.map(|(state, _)| (state, [0; 3])).collect::<Explained>();
        }
        let begun = told.iter().map(|it| it.from).max().unwrap_or(0);
        let until = 2 * (begun / 2) + HORIZON;
        let Some(all) = regions.explore(&states, [&[]; 3], until) else {
            unknown += 1;
            continue;
        };
        let late = |it: &(State, [usize; 3])| (begun..=until).contains(&regions.instant(&it.0));
        let all: Explained = all.into_iter().filter(late).collect();
        let text = || format!("component {seed}\n{draft}\n{told:?}");
        let n_states = estimate.len();
        let expected = signal_windows(&regions, &all);
        for (signal, values) in signals(&regions) {
            let what = What::Signal { signal, values: &values };
            let windows = estimate.windows(what, until / 2).unwrap();
            let said = instants(&windows, (0, until));
            let at_once = estimate.intervals(signal, &values).unwrap();
            let at_once = (0..=until).filter(|at| {
                at_once.iter().any(|it| !it.meet(Interval::new(from(*at), to(*at))).is_empty())
            });
            behind += usize::from(at_once.count() < said.len());
            let expected = expected.get(&(signal, values)).cloned().unwrap_or_default();
            assert_eq!(said, expected, "{signal:?} {}", text());
            (n_windows, gaps) = (n_windows + windows.len(), gaps + windows.len().saturating_sub(1));
        }
        let n_processes = draft.network.processes.len();
        let ports = (0..n_processes).map(Port::Location).chain((0..3).map(Port::Variable));
        let ports: Vec<Port> = ports.filter(|_| walk.rng.percent(50)).collect();
        let expected = reading_windows(&regions, &all, &ports);
        let positions: Vec<u32> = ports.iter().map(|port| port.position(&estimator)).collect();
        let said = estimate.reading_windows(&positions, until / 2).unwrap();
        for (values, windows) in &said {
            let seen: Vec<(u32, i32)> =
                positions.iter().copied().zip(values.iter().copied()).collect();
            let same = estimate.windows(What::Reading(&seen), until / 2).unwrap();
            assert_eq!(&same, windows, "{}", text());
            (n_windows, gaps) = (n_windows + windows.len(), gaps + windows.len().saturating_sub(1));
        }
        let said: Windows<Vec<i32>> = said
            .into_iter()
            .map(|(values, windows)| (values, instants(&windows, (0, until))))
            .collect();
        assert_eq!(said, expected, "{ports:?} {}", text());
        assert_eq!(estimate.len(), n_states);
        compared += 1;
    }
    println!(
        "{n_components} components, {compared} compared, {n_windows} windows, {gaps} gaps, {behind} \
         signals behind hidden steps, {unknown} not known"
    );
    assert!(compared * 10 > n_components * 9 && gaps * 80 > compared && behind * 5 > compared);
}

/// A finer grid makes a look ahead of many parts, and the same windows.
#[test]
fn windows_do_not_depend_on_the_grid() {
    const FINE: i64 = 1000;
    let mut n_windows = 0;
    for seed in components(400) {
        let windows = |resolution: i64| {
            let draft = draft(seed, resolution as u32);
            let estimator = Estimator::new(&draft.opened(), &draft.wired).unwrap();
            let mut estimate = Estimate::new(&estimator).unwrap();
            let positions: Vec<u32> = (0..2).map(|slot| estimator.position_of_slot(slot)).collect();
            let mut all = Vec::new();
            for (signal, values) in signals(&Regions::new(&draft)) {
                let what = What::Signal { signal, values: &values };
                all.push(estimate.windows(what, 7 * resolution).unwrap());
            }
            let read = estimate.reading_windows(&positions, 7 * resolution).unwrap();
            all.extend(read.into_iter().map(|(_, windows)| windows));
            (draft, all)
        };
        let (draft, coarse) = windows(1);
        let end = |end: End| End { at: end.at * FINE, ..end };
        let scaled = |it: &Interval| Interval { from: end(it.from), to: it.to.map(end) };
        let scaled = |it: &Vec<Interval>| it.iter().map(scaled).collect::<Vec<_>>();
        let coarse: Vec<Vec<Interval>> = coarse.iter().map(scaled).collect();
        assert_eq!(windows(FINE).1, coarse, "component {seed}\n{draft}");
        n_windows += coarse.iter().map(Vec::len).sum::<usize>();
    }
    println!("{n_windows} windows");
}

/// With hindsight, windows have exactly the instants at which some run that explains what was observed
/// before shows the signal or the values: those since the last observation, and before it as far as they are
/// one with those and the signal itself was not seen.
#[test]
fn hindsight_has_the_instants_of_all_runs() {
    let (mut n_components, mut compared, mut earlier, mut unknown) = (0, 0, 0, 0);
    for seed in components(2000) {
        let (draft, resolution) = counted(seed);
        let regions = Regions::new(&draft);
        let estimator = Estimator::new(&draft.opened(), &draft.wired).unwrap();
        let mut estimate = Estimate::new(&estimator).unwrap();
        let mut hindsight = Hindsight::new(&estimate);
        let Some(mut walk) = Walk::new(&regions, seed ^ 0x41de) else { continue };
        (walk.lies, walk.blur) = (0, [0, 0, 2][seed as usize % 3]);
        n_components += 1;
        let sends = |(signal, _): &Signalled| !regions.uses[signal.index()].0;
        let n_processes = draft.network.processes.len();
        let ports = (0..n_processes).map(Port::Location).chain((0..3).map(Port::Variable));
        let ports: Vec<Port> = ports.filter(|_| walk.rng.percent(50)).collect();
        let positions: Vec<u32> = ports.iter().map(|port| port.position(&estimator)).collect();
        let mut states = regions.initial();
        let (mut signals, mut readings) = (Windows::new(), Windows::new());
        let mut told: Vec<Seen> = Vec::new();
        loop {
            let text = || format!("component {seed}\n{draft}\n{told:?}");
            // The instants of what was told, and what comes of waiting.
            let begun = told.iter().map(|it| it.from).max().unwrap_or(0);
            let until = 2 * (begun / 2) + 8;
            let Some(all) = regions.explore(&states, [&[]; 3], until) else {
                unknown += 1;
                break;
            };
            let mut found = signal_windows(&regions, &all);
            found.retain(|key, _| sends(key));
            let whole = without_empty(extended(&found, &signals));
            let windows =
                hindsight.windows(&mut estimate, [&[]; 3], &positions, (until / 2, None)).unwrap();
            let ahead = until / 2 - estimate.now().at;
            let live = hindsight.live(&mut estimate, ahead).unwrap();
            let mut lists: [BTreeMap<Signalled, Vec<Interval>>; 2] = Default::default();
            for (list, offers) in lists.iter_mut().zip([&windows.offers[..], live]) {
                for offer in offers {
                    let key = (offer.signal, offer.values.clone());
                    list.entry(key).or_default().push(offer.interval);
                }
            }
            for list in lists {
                let said = list
                    .into_iter()
                    .map(|(key, windows)| (key, instants(&united(windows), (0, until))));
                assert_eq!(without_empty(said.collect()), whole, "{}", text());
            }
            let read = reading_windows(&regions, &all, &ports);
            let read_whole = without_empty(extended(&read, &readings));
            let mut said: BTreeMap<Vec<i32>, Vec<Interval>> = BTreeMap::new();
            for (values, interval) in windows.readings {
                said.entry(values).or_default().push(interval);
            }
            let said = said.into_iter().map(|(key, it)| (key, instants(&it, (0, until))));
            if !ports.is_empty() {
                assert_eq!(without_empty(said.collect()), read_whole, "{ports:?} {}", text());
            }
            compared += 1;
            let first = |windows: &Windows<_>| windows.values().flatten().min().copied();
            earlier += usize::from(first(&whole).is_some_and(|first| first < begun));
            if told.len() == 5 {
                break;
            }
            let Some(seen) = walk.next(5 * resolution as Instant) else { break };
            if seen.from < begun {
                break;
            }
            let one = Told::new(&estimator, seen.clone());
            let queue = std::slice::from_ref(&seen);
            let Some(all) = regions.explore(&states, [queue, &[], &[]], seen.to) else { break };
            let (before, next): (Explained, Explained) =
                all.into_iter().partition(|(_, done)| *done == [0; 3]);
            if estimate.observe(&one.observation()).unwrap().is_err() {
                break;
            }
            hindsight.note(&estimate, &one.observation());
            // It happened by its end, whatever happens later instead.
            let by_its_end = |it: &(State, [usize; 3])| regions.instant(&it.0) <= seen.to;
            let before: Explained = before.into_iter().filter(by_its_end).collect();
            let mut found = signal_windows(&regions, &before);
            found.retain(|key, _| sends(key));
            signals = carried(&found, &signals, seen.from);
            if let Observed::Signal(signal, values) = &seen.what {
                signals.remove(&(*signal, values.clone()));
            }
            let found = reading_windows(&regions, &before, &ports);
            readings = carried(&found, &readings, seen.from);
            states = next.into_iter().map(|(state, _)| (state, [0; 3])).collect();
            told.push(seen);
        }
    }
    println!(
        "{n_components} components, {compared} compared, {earlier} with windows from before the last \
         observation, {unknown} not known"
    );
    assert!(compared > 2 * n_components && earlier * 20 > compared && unknown * 20 < n_components);
}
