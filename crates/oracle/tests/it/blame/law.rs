//! Diagnoses against all runs.

use std::collections::{BTreeMap, BTreeSet};

use punctual_model::{
    Action, AssignOp, AssignResult, Branch, Condition, Edge, Event, Expr, Frame, Happening, Id,
    IdVec, Indexed, Location, LocationId, LocationKind, Network, Number, Place, Process, Select,
    Storage, Sync, Value,
};
use punctual_oracle::conformance::{
    Coverage, Diagnosis, Judgement, Possible, Session, Specification, explain,
};
use punctual_oracle::{Cause, Oracle};
use punctual_semantics::estimate::{End, Interval};
use punctual_semantics::split::{Named, Side};

use super::generate::{Draft, draft};
use super::hindsight::{Signalled, Windows};
use super::regions::{Instant, Observed, Regions, Seen};
use super::rng::Rng;
use super::search::{Fault, Said, Search, number};
use super::walk::Walk;

/// How many systems the law looks at: so many, or as many times that as the environment says.
pub(super) fn systems(n: u64) -> std::ops::Range<u64> {
    let times = std::env::var("PUNCTUAL_SOUNDNESS").ok().and_then(|it| it.parse().ok());
    0..n * times.unwrap_or(1)
}

/// A random system, and somebody who sends and takes everything.
pub(super) fn complete(draft: &Draft) -> Option<Specification> {
    let mut network: Network = draft.network.clone();
    let mut edges = IdVec::new();
    for (number, wire) in draft.wired.wires.iter().enumerate() {
        let channel = Indexed::fixed(wire.channel);
        let is_input = number < 2;
        let mut edge = Edge {
            source: LocationId::from_index(0),
            selects: Vec::new(),
            guard: Condition::default(),
            sync: if is_input { Sync::Send(channel) } else { Sync::Receive(channel) },
            update: Vec::new(),
            branches: vec![Branch {
                weight: None,
                selects: Vec::new(),
                update: Vec::new(),
                target: LocationId::from_index(0),
            }],
            controllable: true,
            frame: Frame::default(),
        };
        for at in wire.values.iter().filter(|_| is_input) {
            let place = |storage, base| Place {
                storage,
                number: Number::Int,
                base,
                indices: Vec::new(),
                size: 1,
                range: at.range,
            };
            edge.selects.push(Select { name: "v".to_owned(), slot: 0, range: at.range });
            edge.update.push(Expr::Assign {
                target: Box::new(place(Storage::State, at.slot)),
                op: AssignOp::Set,
                value: Box::new(Expr::Load(place(Storage::Local, 0))),
                result: AssignResult::New,
            });
            edge.frame = Frame { ints: 1, doubles: 0 };
        }
        edges.push(edge);
    }
    let mut locations = IdVec::new();
    locations.push(Location {
        name: "Any".to_owned(),
        kind: LocationKind::Normal,
        invariant: Condition::default(),
        rates: Vec::new(),
        exponential_rate: None,
        labels: Vec::new(),
        frame: Frame::default(),
    });
    let (name, template) = ("Env".to_owned(), "Env".to_owned());
    let initial = vec![LocationId::from_index(0)];
    network.processes.push(Process { name, template, locations, initial, edges, priority: 0 });
    Specification::new(network, draft.wired.clone(), &Named::default()).ok()
}

/// Makes a random system one that has deadlines which outputs keep; perhaps of processes that know nothing of each
/// other.
pub(super) fn enrich(draft: &mut Draft, rng: &mut Rng) {
    let wires: Vec<_> = draft.wired.wires.iter().map(|it| it.channel).collect();
    // Nobody outside is in a hurry.
    for channel in &wires[..2] {
        draft.network.channels[*channel].urgent = false;
    }
    let apart = rng.percent(40) && draft.network.processes.len() > 1;
    for (number, process) in draft.network.processes.iter_mut().enumerate() {
        let mut more = Vec::new();
        for (at, location) in process.locations.enumerate() {
            let Some(bound) = location.invariant.clocks.first().filter(|_| rng.percent(95)) else {
                continue;
            };
            let clock = bound.left.clone().expect("a clock");
            let reset = Expr::SetClock { clock, value: Box::new(Expr::Int(0)) };
            let target = LocationId::from_index(rng.below(process.locations.len()));
            let output = Indexed::fixed(wires[2 + rng.below(2)]);
            more.push(Edge {
                source: at,
                selects: Vec::new(),
                guard: Condition::default(),
                sync: Sync::Send(output),
                update: if rng.percent(80) { vec![reset] } else { Vec::new() },
                branches: vec![Branch {
                    weight: None,
                    selects: Vec::new(),
                    update: Vec::new(),
                    target,
                }],
                controllable: true,
                frame: Frame::default(),
            });
        }
        for edge in more {
            process.edges.push(edge);
        }
        // A committed location hinders also those that know nothing of it.
        for location in process.locations.iter_mut().filter(|_| apart) {
            if location.kind == LocationKind::Committed {
                location.kind = LocationKind::Urgent;
            }
        }
        for edge in process.edges.iter_mut().filter(|_| apart) {
            edge.guard.data.clear();
            edge.update.retain(|it| matches!(it, Expr::SetClock { .. }));
            edge.sync = match &edge.sync {
                Sync::Send(channel) if wires.contains(&channel.base) => {
                    Sync::Send(Indexed::fixed(wires[2 + number % 2]))
                }
                Sync::Receive(channel) if wires.contains(&channel.base) => {
                    Sync::Receive(Indexed::fixed(wires[number % 2]))
                }
                _ => Sync::Internal,
            };
        }
    }
}

/// A trace with faults: runs of the system of which outputs are left out, moved, or exchanged.
pub(super) fn trace(
    regions: &Regions,
    rng: &mut Rng,
    seed: u64,
    end: Instant,
) -> Option<Vec<Seen>> {
    let mut walk = Walk::new(regions, seed ^ 0xb1a3)?;
    (walk.blur, walk.lies) = (0, [0, 10, 40][rng.below(3)]);
    let drops = [10, 30, 60][rng.below(3)];
    let mut told: Vec<Seen> = Vec::new();
    // Where time stands still, the walk goes on for ever.
    for _ in 0..40 {
        let Some(seen) = walk.next(end).filter(|_| told.len() < 6) else { break };
        let Observed::Signal(signal, _) = &seen.what else { continue };
        let is_output = !regions.uses[number(*signal)].0;
        let before = told.last().map_or(0, |it| it.from);
        if seen.from >= before && !(is_output && rng.percent(drops)) {
            told.push(seen);
        }
    }
    Some(told)
}

/// The instants of windows.
fn instants(windows: &[Interval], until: Instant) -> BTreeSet<Instant> {
    let from = |at: Instant| End { at: at.div_euclid(2), open: at % 2 != 0 };
    let to = |at: Instant| End { at: (at + 1).div_euclid(2), open: at % 2 != 0 };
    let has = |at: &Instant| {
        windows.iter().any(|it| !it.meet(Interval::new(from(*at), to(*at))).is_empty())
    };
    (0..=until).filter(has).collect()
}

fn signalled(what: &Possible) -> Signalled {
    let Possible::Signal(signal, values) = what else { panic!("nothing is read") };
    let int = |value: &Value| value.as_slot().expect("an integer");
    (*signal, values.iter().flatten().map(int).collect())
}

/// What the diagnosis says, in the words of the search.
fn said(it: &Diagnosis, until: Instant) -> Fault {
    let mut windows: BTreeMap<Signalled, Vec<Interval>> = BTreeMap::new();
    for allowed in &it.allowed {
        windows.entry(signalled(&allowed.what)).or_default().push(allowed.interval);
    }
    let windows: Windows<Signalled> =
        windows.into_iter().map(|(key, them)| (key, instants(&them, until))).collect();
    let due = it.missing.iter().map(|set| {
        let mut set: Vec<Signalled> = set.iter().map(signalled).collect();
        set.sort_unstable();
        set
    });
    Fault {
        cause: it.cause,
        guilty: it.guilty().into_iter().map(number).collect(),
        due: due.collect(),
        is_hopeless: it.stops_time(),
        last: it.latest.map_or(Instant::MAX, |end| 2 * end.at - i64::from(end.open)),
        windows: windows.into_iter().filter(|(_, them)| !them.is_empty()).collect(),
    }
}

#[derive(Default, Debug)]
struct Counts {
    systems: u64,
    parts: u64,
    pass: u64,
    unspecified: u64,
    doubts: u64,
    doubtful: u64,
    unsure: u64,
    causes: BTreeMap<String, u64>,
    together: u64,
    hopeless: u64,
    windows: u64,
    unknown: u64,
}

/// Verdict, cause, guilty signals, what was due, the deadline and all windows of a trace are those of all runs.
#[test]
fn diagnoses_say_what_all_runs_say() {
    let mut counts = Counts::default();
    for seed in systems(1500) {
        let resolution = [1, 1, 2][seed as usize % 3];
        let mut draft = draft(seed, resolution);
        let mut rng = Rng::new(seed ^ 0xfa17);
        enrich(&mut draft, &mut rng);
        let regions = Regions::new(&draft);
        let Some(specification) = complete(&draft) else { continue };
        let of_system = || specification.parts.iter().filter(|it| it.side == Side::System);
        // Processes that nobody can observe are not followed, also where they stop time.
        if of_system().map(|it| it.processes.len()).sum::<usize>() < draft.network.processes.len() {
            continue;
        }
        let n_parts = of_system().count();
        let end = 5 * Instant::from(resolution);
        let Some(told) = trace(&regions, &mut rng, seed, end) else { continue };
        counts.systems += 1;
        counts.parts += u64::from(n_parts > 1);
        let over = told.last().map_or(0, |it| it.from) + i64::from(rng.within(0, 6));
        let ns = |at: Instant| at.unsigned_abs() * 500 / u64::from(resolution);
        let mut session =
            Session::new(&specification, Coverage::new(true)).map_err(|_| ()).unwrap();
        let mut search = Search::new(&regions);
        let ahead = 2 * specification.ahead();
        let horizon = |at: Instant| 2 * ((at + 1).div_euclid(2) + ahead);
        let looks = rng.percent(50);
        let mut expected = Some(Said::Pass);
        let mut at = 0;
        for seen in &told {
            at = seen.from;
            expected = search.observe(seen, horizon(at));
            let Observed::Signal(signal, values) = &seen.what else { continue };
            let values = values.iter().map(|it| Value::Int(i64::from(*it))).collect();
            let what = Happening::Signal(Action { signal: *signal, values });
            let event = Event::at(what, ns(at));
            if looks {
                session.approach(ns(at), ns(at));
            }
            session.event(&event);
            if expected != Some(Said::Pass) {
                break;
            }
        }
        if expected == Some(Said::Pass) {
            at = over;
            expected = search.end(over);
        }
        let Some(expected) = expected else {
            counts.unknown += 1;
            continue;
        };
        let judged = session.conclude(ns(over));
        let text = |it: &dyn std::fmt::Debug| {
            let trace: Vec<String> =
                told.iter().map(|it| format!("{:?} at {}", it.what, it.from)).collect();
            format!("system {seed}, {n_parts} parts\n{draft}\n{trace:#?}, over at {over}\n{it:?}")
        };
        let (fault, diagnosis) = match (&expected, &judged) {
            (Said::Pass, Judgement::Pass) => {
                let has_doubt = session.monitor.refused().is_some();
                assert!(has_doubt || !search.has_doubt, "{}", text(&judged));
                assert!(search.has_doubt || !has_doubt || n_parts > 1, "{}", text(&judged));
                counts.pass += 1;
                counts.doubts += u64::from(search.has_doubt);
                continue;
            }
            (Said::Unspecified, Judgement::Inconclusive(it)) => {
                assert_eq!(it.cause, Cause::NotSpecified, "{}", text(&judged));
                counts.unspecified += 1;
                continue;
            }
            // A system that stops time by itself is an error of the model, whatever was sent.
            (Said::Fail(fault) | Said::Doubtful(fault), Judgement::Inconclusive(it))
                if it.cause == Cause::ModelError =>
            {
                // Of several parts, others may go on sending for ever.
                let is_hopeless = fault.is_hopeless || (n_parts > 1 && fault.due.is_empty());
                assert!(is_hopeless && it.stops_time(), "{fault:?} {}", text(&judged));
                let last = it.latest.map_or(Instant::MAX, |end| 2 * end.at - i64::from(end.open));
                assert_eq!(fault.last, last, "{}", text(&judged));
                counts.hopeless += 1;
                continue;
            }
            (Said::Fail(fault), Judgement::Fail(it)) => {
                // The search of one part may have too many sets to look at, and of several parts each is looked at from what it observed last.
                let n_sets = it.allowed.len();
                assert!(
                    !fault.is_hopeless || n_sets > 2 || n_parts > 1,
                    "{fault:?} {}",
                    text(&judged)
                );
                (fault, it)
            }
            (Said::Doubtful(fault), Judgement::Inconclusive(it)) if n_parts == 1 => {
                let refused = it.refused.as_ref().expect("an input");
                assert_eq!(
                    (it.cause, refused.otherwise),
                    (Cause::Refused, fault.cause),
                    "{}",
                    text(&judged)
                );
                assert!(!refused.states.is_empty());
                counts.doubtful += 1;
                continue;
            }
            (Said::Doubtful(_), Judgement::Inconclusive(it)) => {
                assert!(
                    matches!(it.cause, Cause::Refused | Cause::NotSpecified),
                    "{}",
                    text(&judged)
                );
                counts.doubtful += 1;
                continue;
            }
            // Several parts: another one stands still at that instant, which the one that refuses does not know.
            (Said::Fail(_), Judgement::Inconclusive(it))
                if n_parts > 1 && it.cause == Cause::Refused =>
            {
                counts.unsure += 1;
                continue;
            }
            // Several parts: one says nothing about the input, another was late, and nobody looked.
            (Said::Fail(_), Judgement::Inconclusive(it)) if n_parts > 1 => {
                assert_eq!(it.cause, Cause::NotSpecified, "{}", text(&judged));
                continue;
            }
            _ => panic!("{expected:?} {}", text(&judged)),
        };
        *counts.causes.entry(fault.cause.to_string()).or_default() += 1;
        counts.together += u64::from(fault.due.iter().any(|set| set.len() > 1));
        let is_overdue = matches!(fault.cause, Cause::Missing) || !fault.due.is_empty();
        let until = fault.last.min(horizon(at));
        // Parts that do not know of each other have windows of their own, longer than those of all together.
        if n_parts > 1 && !is_overdue && fault.last < horizon(at) {
            continue;
        }
        let mut found = said(diagnosis, until);
        let mut fault = fault.clone();
        if !is_overdue || fault.due.is_empty() {
            (found.last, found.due) = (fault.last, fault.due.clone());
            found.is_hopeless = fault.is_hopeless;
            found.guilty = if is_overdue { fault.guilty.clone() } else { found.guilty };
            // Where no signals let time pass, but there are very many sets of them, not all were looked at.
            if is_overdue && found.cause == Cause::TooLate {
                found.cause = fault.cause;
            }
        }
        if n_parts > 1 {
            // Each part tells its own windows, and what it might have sent since it was observed itself.
            found.windows.clone_from(&fault.windows);
            assert!(
                fault.due.is_subset(&found.due),
                "{found:?} {fault:?} {}",
                text(&diagnosis.missing)
            );
            if found.due.len() > fault.due.len() {
                continue;
            }
        }
        if matches!(fault.cause, Cause::TooEarly | Cause::TooLate) {
            // Of what was seen, the windows on the other side are left out.
            let is_seen = |key: &Signalled| fault.guilty.contains(&number(key.0));
            let kept = found.windows.clone();
            for (key, them) in fault.windows.iter_mut().filter(|(key, _)| is_seen(key)) {
                them.retain(|at| kept.get(key).is_some_and(|it| it.contains(at)));
            }
        }
        assert_eq!(
            found,
            fault,
            "{}\n{}",
            text(&diagnosis.allowed),
            explain(&specification, diagnosis)
        );
        counts.windows += fault.windows.len() as u64;
    }
    println!("{counts:?}");
    assert!(counts.unknown * 20 < counts.systems, "{counts:?}");
    assert!(counts.doubtful > 3 && counts.doubts > 40, "{counts:?}");
    assert!(counts.unsure * 100 < counts.systems, "{counts:?}");
    let n_faults: u64 = counts.causes.values().sum();
    assert!(n_faults * 10 > counts.systems && counts.causes.len() == 5, "{counts:?}");
    assert!(counts.parts * 10 > counts.systems && counts.together > 0, "{counts:?}");
}
