//! Windows against all runs.

use std::collections::{BTreeMap, BTreeSet};

use punctual_model::{Id, SignalId};
use punctual_semantics::concrete::{Concrete, State};
use punctual_semantics::estimate::{End, Estimate, Estimator, Interval, What};

use super::generate::draft;
use super::laws::{Told, components, counted, from, signals, to};
use super::regions::{Explained, Instant, Port, Regions, Seen};
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

type Windows<K> = BTreeMap<K, BTreeSet<Instant>>;

/// When each signal may be seen, by the states of all runs.
fn signal_windows(regions: &Regions, states: &Explained) -> Windows<(SignalId, Vec<i32>)> {
    let concrete = Concrete::new(&regions.network);
    let mut windows: Windows<(SignalId, Vec<i32>)> = Windows::new();
    for (state, _) in states {
        let instant = regions.instant(state);
        for (action, _) in regions.steps(&concrete, state) {
            if let Some(action) = action {
                windows.entry(action).or_default().insert(instant);
            }
        }
        for (signal, values) in signals(regions) {
            if regions.uses[signal.index()].0
                && !regions.given(&concrete, state, signal, &values).is_empty()
            {
                windows.entry((signal, values)).or_default().insert(instant);
            }
        }
    }
    windows
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
