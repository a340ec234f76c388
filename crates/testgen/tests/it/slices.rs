//! Cases with a phase are followed slice by slice. What comes of that is what the whole system does, phase by phase.

use punctual_lang::{Input, testing};
use punctual_model::testing::suite::{About, Body, Case, Check, Do};
use punctual_model::{Action, PortId, ProcessId, Value};
use punctual_semantics::estimate::Role;
use punctual_semantics::program::Chance;
use punctual_semantics::specification::Specification;
use punctual_semantics::split::{Named, Side};
use punctual_smc::Stream;
use punctual_smc::exact::{Event, Phase, Ratio, follow};
use punctual_testgen::mutation::automata::{Operator, Options as Mutating, mutants};
use punctual_testgen::uio::{
    Act, Ground, Limits, Options, Sampling, Script, Trouble, chance, outcomes, probability,
};

/// A handler notes which of three errors is there, and a loop polls them every 10; an error that two polls have seen is qualified.
const POLLED: &str = "broadcast chan comes[3], goes[3], note, poll; bool isThere[3]; bool isQualified[3]; bool isNoted;
    process Handler() { state h; init h;
        trans h -> h { select e : int[0,2]; sync comes[e]?; assign isThere[e] = true; },
            h -> h { select e : int[0,2]; sync goes[e]?; assign isThere[e] = false; },
            h -> h { sync note?; assign isNoted = !isNoted; }; }
    process Loop() { clock x; state Idle { x <= 10 }, Poll; commit Poll; init Idle;
        trans Idle -> Poll { guard x >= 10; assign x = 0; }, Poll -> Idle { sync poll!; }; }
    process Error(const int[0,2] id) { clock y; state Absent, Seen, Qualified; init Absent;
        trans Absent -> Seen { guard isThere[id]; sync poll?; assign y = 0; },
            Seen -> Absent { guard !isThere[id]; sync poll?; },
            Seen -> Qualified { guard isThere[id] && y >= 10; sync poll?; assign isQualified[id] = true; },
            Qualified -> Absent { guard !isThere[id]; sync poll?; assign isQualified[id] = false; }; }
    A = Error(0); B = Error(1); C = Error(2);
    process User() { state u; init u; trans u -> u { select e : int[0,2]; sync comes[e]!; },
            u -> u { select e : int[0,2]; sync goes[e]!; }, u -> u { sync note!; }; }
    system Handler, Loop, A, B, C, User;";

/// Two points of the grid are one unit, so that odd points lie between all instants of a case and of the loop.
const SEEN: &str = "[interface]\ninputs = [\"comes\", \"goes\", \"note\"]\noutputs = []\n\
    observe = [\"isQualified[0]\", \"isQualified[1]\", \"isQualified[2]\", \"isNoted\"]\n\
    time-unit = \"1ms\"\nresolution = 2\n";

const PERIOD: i64 = 20;
const PHASE: Phase = Phase::OfScript(PERIOD);

fn specification() -> Specification {
    read(POLLED, SEEN)
}

fn read(model: &str, seen: &str) -> Specification {
    let network = crate::network("model.xta", model.as_bytes());
    let input = Input { name: "punctual.toml", bytes: seen.as_bytes() };
    let reading = testing::read(&network, input);
    let config = reading.value.unwrap_or_else(|| panic!("{:?}", reading.diagnostics));
    Specification::new(network, config.wired, &Named::default()).expect("it can be tested against")
}

fn below(chance: &mut Stream, n: u64) -> u64 {
    ((u128::from(chance.bits()) * u128::from(n)) >> 64) as u64
}

/// Inputs and waits by chance, without checks.
fn steps(specification: &Specification, chance: &mut Stream) -> Vec<Do> {
    let interface = specification.interface();
    let mut steps = Vec::new();
    for _ in 0..3 + below(chance, 5) {
        let name = match below(chance, 7) {
            6 => "note".to_owned(),
            n => format!("{}[{}]", if n < 4 { "comes" } else { "goes" }, below(chance, 3)),
        };
        let signal = interface.signal(&name).expect("a signal");
        steps.push(Do::Send(Action { signal, values: Vec::new() }));
        steps.push(Do::Wait((1 + below(chance, 25)) * 1_000_000));
    }
    steps
}

/// What all ports show at the end of each wait if the case begins at a phase: the whole system is followed.
fn shown(specification: &Specification, steps: &[Do], phase: i64) -> Vec<Vec<(PortId, i32)>> {
    let script = Script::new(specification, steps).expect("a script");
    let (number, part) = specification.side(Side::System).next().expect("a component");
    let mut events = Vec::new();
    for (at, act) in &script.acts {
        let Act::Input(signal, values) = act else { unreachable!("there are no checks") };
        // A wait ends where the next input comes.
        if *at > 0 {
            events.push((at + phase, Event::Mark));
        }
        // A faulty version may not listen to it.
        if part.estimator.role(*signal) == Role::Receives {
            events.push((at + phase, Event::Input(*signal, values.clone())));
        }
    }
    events.push((script.end + phase, Event::Mark));
    let marks = follow(&part.estimator, &events, Phase::None).expect("it is exact");
    let ports = specification.interface().ports.ids();
    let place = |port: PortId| {
        let readers = specification.readers(port);
        (port, readers.iter().find(|(it, _)| *it == number).expect("a place").1)
    };
    let places: Vec<(PortId, u32)> = ports.map(place).collect();
    let read = |shares: &Vec<punctual_smc::exact::Share>| {
        assert_eq!(shares.len(), 1, "nothing is left to chance at a phase");
        places.iter().map(|(port, at)| (*port, shares[0].state[*at as usize])).collect()
    };
    marks.iter().map(read).collect()
}

/// The case that expects what is shown at a phase.
fn case(specification: &Specification, steps: &[Do], phase: i64) -> Case {
    let ports = &specification.interface().ports;
    let mut shown = shown(specification, steps, phase).into_iter();
    let mut parts = Vec::new();
    for step in steps {
        parts.push(step.clone());
        if matches!(step, Do::Wait(_)) {
            let value = |(port, it): (PortId, i32)| (port, ports[port].ty.of_int(it));
            let expected = shown.next().expect("a check").into_iter().map(value).collect();
            parts.push(Do::Check(Check { expected, ..Check::default() }));
        }
    }
    let (name, body) = ("case".to_owned(), Body::Timed(parts));
    Case { name, body, about: About::default(), chance: None }
}

fn options() -> Options<'static> {
    let limits = Limits { length: 2, width: 20 };
    Options {
        limits,
        phase: PHASE,
        location: None,
        clocks: None,
        sampling: Sampling::default(),
        stops: None,
    }
}

/// Odd phases for which something holds, of all.
fn share(mut holds: impl FnMut(i64) -> bool) -> Ratio {
    let n = (0..PERIOD / 2).filter(|half| holds(2 * half + 1)).count();
    Ratio::new((n as i64).into(), (PERIOD / 2).into())
}

/// Checks with the values of all ports as slots.
fn checks(case: &Case) -> Vec<&Check> {
    let Body::Timed(parts) = &case.body else { unreachable!("it is timed") };
    let mut checks = Vec::new();
    for part in parts {
        if let Do::Check(check) = part {
            checks.push(check);
        }
    }
    checks
}

fn slots(values: &[(PortId, Value)]) -> Vec<(PortId, i32)> {
    values.iter().map(|(port, value)| (*port, value.as_slot().expect("a slot"))).collect()
}

#[test]
fn a_slice_has_one_error_and_hears_of_no_other() {
    let specification = specification();
    let sliced = specification.in_slices().expect("slices");
    let parts: Vec<_> = sliced.side(Side::System).collect();
    assert_eq!((specification.side(Side::System).count(), parts.len()), (1, 3));
    let comes = |n: usize| sliced.interface().signal(&format!("comes[{n}]")).expect("a signal");
    for (at, (_, part)) in parts.iter().enumerate() {
        assert_eq!(part.processes.len(), 3, "the handler, the loop and an error");
        for n in 0..3 {
            let hears = part.estimator.role(comes(n)) != Role::None;
            assert_eq!(hears, n == at, "slice {at}, error {n}");
        }
    }
}

/// The probability of a case is its share of phases, whether the system is followed as a whole or in slices, and what its
/// checks allow is what they show in all phases.
#[test]
fn slices_do_what_the_whole_does() {
    let specification = specification();
    let sliced = specification.in_slices().expect("slices");
    let ground = Ground::with_phase(&specification, PHASE);
    for number in 0..60 {
        let mut random = Stream::of_run(7, number);
        let steps = steps(&specification, &mut random);
        let phase = 2 * below(&mut random, PERIOD as u64 / 2) as i64 + 1;
        let case = case(&specification, &steps, phase);
        let wanted = shown(&specification, &steps, phase);
        let expected = share(|phase| shown(&specification, &steps, phase) == wanted);
        let Body::Timed(parts) = &case.body else { unreachable!("it is timed") };
        for of in [&specification, &sliced] {
            let found = probability(of, parts, PHASE).expect("it is exact");
            assert_eq!(found, expected, "{number}: {parts:?}");
        }
        let made = chance(&ground, &case, &options()).expect("a chance").case;
        for half in 0..PERIOD / 2 {
            let shown = shown(&specification, &steps, 2 * half + 1);
            for (check, shown) in checks(&made).into_iter().zip(shown) {
                let mut allowed = check.allowed.iter().chain([&check.expected]);
                assert!(allowed.any(|values| slots(values) == shown), "{number}: {shown:?}");
            }
        }
    }
}

/// Whether a check is as it should be if the ports show this.
type Shows<'s> = &'s dyn Fn(&Check, &[(PortId, i32)]) -> bool;

/// What a case shows in a faulty version is what it shows in each phase of it.
#[test]
fn outcomes_are_shares_of_phases() {
    let specification = specification();
    let ground = Ground::with_phase(&specification, PHASE);
    let side = |side| specification.split.processes(side).collect::<Vec<ProcessId>>();
    let named = Named { system: side(Side::System), environment: side(Side::Environment) };
    let options_ = Mutating { operators: Operator::ALL.to_vec(), offset: 6, environment: false };
    let mutants = mutants(&specification.network, &specification.split.sides, &options_);
    let (mut n_compared, mut n_illegal, mut n_else) = (0, 0, 0);
    for (number, mutant) in mutants.iter().enumerate() {
        let mut random = Stream::of_run(8, number as u64);
        let steps = steps(&specification, &mut random);
        let phase = 2 * below(&mut random, PERIOD as u64 / 2) as i64 + 1;
        let case = case(&specification, &steps, phase);
        let mut made = chance(&ground, &case, &options()).expect("a chance").case;
        let right = outcomes(ground.specification(), &made, PHASE).expect("it is exact");
        assert_eq!(right.illegal, Ratio::from_integer(0.into()), "{number}");
        // Without the ending, which the brute force below does not play.
        if let (Some(chance), Body::Timed(parts)) = (&mut made.chance, &mut made.body)
            && let Some(ending) = chance.ending.take()
        {
            parts.truncate(ending.from);
        }
        let wired = specification.wired.clone();
        let Ok(faulty) = Specification::new(mutant.network.clone(), wired, &named) else {
            continue;
        };
        let Some(sliced) = faulty.in_slices() else { continue };
        let Ok(found) = outcomes(&sliced, &made, PHASE) else { continue };
        if faulty.side(Side::System).count() > 1 {
            continue;
        }
        let said = |phase: i64, what: Shows<'_>| {
            let shown = shown(&faulty, &steps, phase);
            checks(&made).into_iter().zip(&shown).all(|(check, shown)| what(check, shown))
        };
        let is_expected = |check: &Check, shown: &[(PortId, i32)]| slots(&check.expected) == shown;
        let is_allowed = |check: &Check, shown: &[(PortId, i32)]| {
            is_expected(check, shown) || check.allowed.iter().any(|it| slots(it) == shown)
        };
        let one = Ratio::from_integer(1.into());
        assert_eq!(found.outputs, share(|phase| said(phase, &is_expected)), "{}", mutant.name);
        assert_eq!(found.illegal, one - share(|phase| said(phase, &is_allowed)), "{}", mutant.name);
        n_compared += 1;
        n_illegal += u32::from(found.illegal != Ratio::from_integer(0.into()));
        n_else += u32::from(found.outputs != right.outputs);
    }
    assert!(n_compared > 20 && n_illegal > 5 && n_else > 5, "{n_compared} {n_illegal} {n_else}");
}

const TWO_PORTS: &str = "[interface]\ninputs = [\"go\", \"ask\"]\noutputs = []\nobserve = [\"a\", \"b\"]\n\
    time-unit = \"1ms\"\n";

/// A case that sends `go`, waits for 12 ms, and expects these values.
fn of_go(specification: &Specification, values: &[(&str, bool)], location: &str) -> Case {
    let interface = specification.interface();
    let signal = interface.signal("go").expect("a signal");
    let value =
        |(name, it): &(&str, bool)| (interface.port(name).expect("a port"), Value::Bool(*it));
    let expected = values.iter().map(value).collect();
    let check = Do::Check(Check { expected, ..Check::default() });
    let send = Do::Send(Action { signal, values: Vec::new() });
    let body = Body::Timed(vec![send, Do::Wait(12_000_000), check]);
    let about = About { ends_in: vec![location.to_owned()], ..About::default() };
    Case { name: "case".to_owned(), body, about, chance: None }
}

/// A value that is chosen freely, and not by the signal, stays a choice in each slice: beside a phase it can not be computed, and is
/// sampled.
#[test]
fn a_free_choice_is_not_taken_away() {
    let model = "broadcast chan go, ask, poll; bool a, b; bool seen[2];
        process Handler() { state h; init h;
            trans h -> h { select i : int[0,1]; sync go?; assign seen[i] = true; }; }
        process Loop() { clock x; state l { x <= 10 }; init l;
            trans l -> l { guard x >= 10; sync poll!; assign x = 0; }; }
        process A() { state n, y; init n; trans n -> y { guard seen[0]; sync poll?; assign a = true; }; }
        process B() { state n, y; init n; trans n -> y { guard seen[1]; sync poll?; assign b = true; }; }
        process User() { state u; init u; trans u -> u { sync go!; }, u -> u { sync ask!; }; }
        system Handler, Loop, A, B, User;";
    let specification = read(model, TWO_PORTS);
    // Without a phase it can be computed, and whoever asks is told.
    let case = of_go(&specification, &[("a", true)], "A.y");
    let alone = Options { phase: Phase::None, ..options() };
    let made = chance(&Ground::new(&specification), &case, &alone).expect("a chance");
    let outputs = made.case.chance.expect("a chance").outputs;
    assert_eq!(outputs.exact.as_deref(), Some("1/2"));
    assert!(made.warnings.iter().any(|it| it.starts_with("it has a choice between steps")));
    let ground = Ground::with_phase(&specification, Phase::OfScript(10));
    let options = Options { phase: Phase::OfScript(10), ..options() };
    let made = chance(&ground, &case, &options).expect("a chance");
    let outputs = made.case.chance.expect("a chance").outputs;
    assert!(outputs.exact.is_none(), "{outputs:?}");
    assert!(outputs.least > 0.48 && outputs.greatest < 0.52, "{outputs:?}");
    // Slice by slice, each of the two could be.
    let case = of_go(&specification, &[("a", true), ("b", true)], "A.y");
    let never = chance(&ground, &case, &options);
    assert!(matches!(never, Err(Trouble::Unseen(_))), "{never:?}");
}

/// A process that several slices share is told apart by whichever of them shows it, whatever their order is.
#[test]
fn a_shared_process_is_looked_for_in_all_its_slices() {
    for order in ["A, B", "B, A"] {
        let model = format!(
            "broadcast chan go, ask, poll; bool a, b; bool mode;
            process P() {{ clock x; state L0 {{ x <= 10 }}, L1 {{ x <= 10 }}; init L0;
                trans L0 -> L0 {{ guard x >= 10; sync poll!; assign x = 0; }},
                    L1 -> L1 {{ guard x >= 10; sync poll!; assign x = 0; }},
                    L0 -> L1 {{ sync go?; assign mode = true; }},
                    L1 -> L0 {{ sync ask?; assign mode = !mode; }}; }}
            process A() {{ state s, t; init s; trans s -> t {{ sync poll?; assign a = !a; }},
                t -> s {{ sync poll?; assign a = !a; }}; }}
            process B() {{ state s; init s; trans s -> s {{ sync poll?; assign b = mode; }}; }}
            process User() {{ state u; init u; trans u -> u {{ sync go!; }}, u -> u {{ sync ask!; }}; }}
            system P, {order}, User;"
        );
        let specification = read(&model, TWO_PORTS);
        let ground = Ground::with_phase(&specification, Phase::OfScript(10));
        assert_eq!(ground.specification().side(Side::System).count(), 2);
        let case = of_go(&specification, &[("b", true)], "P.L1");
        let options = Options { phase: Phase::OfScript(10), ..options() };
        let made = chance(&ground, &case, &options).expect("a chance");
        let chance = made.case.chance.expect("a chance");
        assert!(chance.ending.is_some(), "{order}: {}", chance.note);
    }
}
