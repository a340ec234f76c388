//! Networks that are played as implementations.

use std::sync::Arc;

use punctual_exec::{
    Limits, ModelOptions, Played, Policy, Refusal, Seen, Sut, SutError, Timekeeping,
};
use punctual_model::{Direction, Interface, Network};

use crate::support::*;

pub(crate) fn network(name: &str, bytes: &[u8]) -> Network {
    let reading = punctual_lang::read(name, bytes);
    assert!(reading.diagnostics.is_empty(), "{:?}", reading.diagnostics);
    reading.model.unwrap().network
}

pub(crate) fn example(path: &str) -> Network {
    network(path, &std::fs::read(root().join("examples").join(path)).unwrap())
}

pub(crate) fn played(
    network: &Network,
    interface: Arc<Interface>,
    policy: Policy,
) -> Result<Played, SutError> {
    let options = ModelOptions { policy, refusal: Refusal::Error, environment: None };
    Played::new(network, interface, options, Timekeeping::Virtual, Limits::default())
}

pub(crate) const POLICIES: [Policy; 5] = [
    Policy::Random { seed: 7 },
    Policy::Stochastic { seed: 7 },
    Policy::Earliest,
    Policy::Latest,
    Policy::Fixed { delay_ns: 3 * MS },
];

#[test]
fn where_the_network_has_a_choice_the_policy_makes_it() {
    let universal = example("coffee-machine/universal.xml");
    let coffee = |policy: Policy, script: &str| {
        play(&mut played(&universal, coffee(), policy).unwrap(), &coffee(), script).unwrap()
    };
    let weak = "reset; coin; wait 5; req; wait 100";
    for (policy, at) in [
        (Policy::Earliest, 15),
        (Policy::Latest, 35),
        (Policy::Fixed { delay_ns: 7 * MS }, 22),
        (Policy::Fixed { delay_ns: 70 * MS }, 35),
    ] {
        let expected = format!("reset coin@0 quiet@5 req@5 weakCoffee@{at}");
        assert_eq!(coffee(policy, weak), expected);
    }
    // Asked in between, the machine may make either; the first in order is weak.
    let either = "reset; coin; wait 40; req; wait 100";
    assert_eq!(coffee(Policy::Earliest, either), "reset coin@0 quiet@40 req@40 weakCoffee@50");
    let seen = |seed| coffee(Policy::Random { seed }, either);
    let all: std::collections::BTreeSet<String> = (0..30).map(seen).collect();
    assert_eq!(all, (0..30).map(seen).collect());
    assert!(all.len() > 20, "{all:?}");
    assert!(all.iter().any(|trace| trace.contains("weakCoffee")));
    assert!(all.iter().any(|trace| trace.contains("strongCoffee")));
}

/// Inputs while coffee is made do not change what was decided.
#[test]
fn swallowed_inputs() {
    let universal = example("coffee-machine/universal.xml");
    for (policy, at) in
        [(Policy::Earliest, 10), (Policy::Latest, 30), (Policy::Fixed { delay_ns: 11 * MS }, 21)]
    {
        let mut sut = played(&universal, coffee(), policy).unwrap();
        let script = "reset; coin; req; wait 1; wait 4; coin; req; wait 5; wait 200; wait 200";
        assert_eq!(
            play(&mut sut, &coffee(), script).unwrap(),
            format!(
                "reset coin@0 req@0 quiet@1 quiet@4 coin@4 req@4 quiet@5 weakCoffee@{at} quiet@200"
            )
        );
    }
}

const LEVELS: &str = "
    chan set; urgent chan level; int[0,10] wanted; int[0,10] shown[2];
    process Lamp() {
        clock x;
        state Idle, Dimming { x <= 3 }, Ready, Stuck { x <= 9 };
        urgent Ready;
        init Idle;
        trans
            Idle -> Dimming { guard wanted < 9; sync set?; assign shown[1] = wanted, x = 0; },
            Idle -> Stuck { guard wanted >= 9; sync set?; assign x = 0; },
            Dimming -> Ready { guard x >= 2; assign shown[1] = shown[1] + 1; },
            Ready -> Idle { sync level!; };
    }
    system Lamp;";

fn levels() -> Arc<Interface> {
    interface(&[
        ("set", Direction::Input, &["wanted"]),
        ("level", Direction::Output, &["shown[1]"]),
    ])
}

#[test]
fn values_go_with_signals() {
    let lamp = network("lamp.xta", LEVELS.as_bytes());
    for policy in POLICIES {
        let mut sut = played(&lamp, levels(), policy).unwrap();
        sut.reset().unwrap();
        for round in 0..4 {
            let now_ns = sut.now_ns();
            sut.input(&action(&levels(), "set", &[round])).unwrap();
            let Seen::Output { action, at_ns, .. } = sut.wait(now_ns + 10 * MS).unwrap() else {
                panic!("no light with {policy:?}")
            };
            assert_eq!(action.values, ints(&[round + 1]));
            let delay_ns = at_ns - now_ns;
            match policy {
                Policy::Earliest => assert_eq!(delay_ns, 2 * MS),
                Policy::Latest | Policy::Fixed { .. } => assert_eq!(delay_ns, 3 * MS),
                Policy::Random { .. } | Policy::Stochastic { .. } => {
                    assert!((2 * MS..=3 * MS).contains(&delay_ns));
                }
            }
        }
    }
}

/// A guard is decided before the sender changes anything, so the values of an input are not seen
/// by the guard that takes it.
#[test]
fn guards_see_the_values_before() {
    let lamp = network("lamp.xta", LEVELS.as_bytes());
    let mut sut = played(&lamp, levels(), Policy::Earliest).unwrap();
    sut.reset().unwrap();
    sut.input(&action(&levels(), "set", &[9])).unwrap();
    assert!(matches!(sut.wait(5 * MS), Ok(Seen::Output { .. })));
    sut.input(&action(&levels(), "set", &[0])).unwrap();
    let error = sut.wait(20 * MS).unwrap_err().to_string();
    assert_eq!(
        error,
        "the network that plays the system can not go on at 2000000 ns: time has to stop before \
         20000000 ns, and no step is possible by then"
    );
}

#[test]
fn inputs_that_are_not_taken() {
    let lamp = network("lamp.xta", LEVELS.as_bytes());
    let play = |refusal| {
        let options = ModelOptions { policy: Policy::Latest, refusal, environment: None };
        let limits = Limits::default();
        let mut sut = Played::new(&lamp, levels(), options, Timekeeping::Virtual, limits).unwrap();
        sut.reset()?;
        sut.input(&action(&levels(), "set", &[1]))?;
        sut.wait(MS)?;
        sut.input(&action(&levels(), "set", &[5]))?;
        sut.wait(10 * MS)
    };
    let Ok(Seen::Output { action, at_ns, .. }) = play(Refusal::Ignore) else { panic!("no light") };
    assert_eq!((action.values, at_ns), (ints(&[2]), 3 * MS));
    let error = play(Refusal::Error).unwrap_err().to_string();
    assert!(error.ends_with("can not go on at 1000000 ns: it can not take `set`"), "{error}");
}

#[test]
fn networks_that_do_not_fit() {
    let lamp = network("lamp.xta", LEVELS.as_bytes());
    let error = played(&lamp, coffee(), Policy::Earliest).err().unwrap().to_string();
    assert_eq!(
        error,
        "the network that plays the system has no channel `coin`; name it like in the test interface"
    );
    let both = [("set", Direction::Input, &["wanted"][..]), ("level", Direction::Input, &[])];
    let error = played(&lamp, interface(&both), Policy::Earliest).err().unwrap().to_string();
    assert_eq!(
        error,
        "process Lamp is environment on `level` and system on `set`; say which processes are the \
         environment"
    );
    let zeno = "chan a; process P() { state S; init S; trans S -> S { }; } system P;";
    let zeno = network("zeno.xta", zeno.as_bytes());
    let interface = interface(&[("a", Direction::Output, &[])]);
    let mut sut = played(&zeno, interface, Policy::Earliest).unwrap();
    sut.reset().unwrap();
    let error = sut.wait(MS).unwrap_err().to_string();
    assert!(error.ends_with("it takes steps without end at one instant"), "{error}");
}

/// Two errors with windows from 34 to 51: each is over by 43 with 9/17, and they do not depend on each other, as the statistical
/// semantics says. (One instant for both would be another distribution.) The delay of a third one has no end: it is exponential.
#[test]
fn processes_that_decide_for_themselves() {
    let text = "broadcast chan go, qa, qb, qc;
        process A() { clock x; state I, P { x <= 51 }, D; init I;
            trans I -> P { sync go?; assign x = 0; }, P -> D { guard x >= 34; sync qa!; }; }
        process B() { clock x; state I, P { x <= 51 }, D; init I;
            trans I -> P { sync go?; assign x = 0; }, P -> D { guard x >= 34; sync qb!; }; }
        process C() { clock x; state I, P, D; init I;
            trans I -> P { sync go?; assign x = 0; }, P -> D { guard x >= 10; sync qc!; }; }
        process User() { state u; init u; trans u -> u { sync go!; }; }
        system A, B, C, User;";
    let model = network("errors.xta", text.as_bytes());
    let signals = [("go", Direction::Input), ("qa", Direction::Output), ("qb", Direction::Output)];
    let mut signals: Vec<_> = signals.map(|(name, direction)| (name, direction, &[][..])).to_vec();
    signals.push(("qc", Direction::Output, &[]));
    let interface = interface(&signals);
    let n = 2_000_u64;
    let (mut a, mut both, mut third, mut all) = (0, 0, 0.0, std::collections::BTreeSet::new());
    for seed in 0..n {
        let policy = Policy::Stochastic { seed };
        let mut sut = played(&model, interface.clone(), policy).unwrap();
        let seen = play(&mut sut, &interface, "reset; go; wait 100; wait 100; wait 100").unwrap();
        let at = |name: &str| -> f64 {
            let word = seen.split(' ').find(|word| word.starts_with(name)).expect("it came");
            word.rsplit_once('@').expect("an instant").1.parse().expect("a number")
        };
        assert!((34.0..=51.0).contains(&at("qa")), "{seen}");
        a += u64::from(at("qa") < 43.0);
        both += u64::from(at("qa") < 43.0 && at("qb") < 43.0);
        third += at("qc") - 10.0;
        all.insert(seen);
    }
    // Four standard deviations.
    let near = |count: u64, p: f64| {
        let share = count as f64 / n as f64;
        (share - p).abs() < 4.0 * (p * (1.0 - p) / n as f64).sqrt()
    };
    assert!(near(a, 9.0 / 17.0) && near(both, 81.0 / 289.0), "{a} and {both} of {n}");
    // Whole units of an exponential delay with rate 1.
    let mean = 1.0 / (std::f64::consts::E - 1.0);
    assert!((third / n as f64 - mean).abs() < 4.0 / (n as f64).sqrt(), "{third}");
    assert!(all.len() > 300, "{}", all.len());
}

/// A loop that is possible right behind an instant was taken every nanosecond, and commands did not come to an end.
#[test]
fn what_has_no_first_instant_is_not_taken_every_nanosecond() {
    let text = "
        chan go, tick;
        process Env() { state A; init A; trans A -> A { sync go!; }, A -> A { sync tick?; }; }
        process Sys() {
            clock x; state A; init A;
            trans A -> A { guard x > 0; sync tick!; assign x = 0; }, A -> A { sync go?; };
        }
        system Env, Sys;";
    let network = network("open.xta", text.as_bytes());
    let signals = || interface(&[("go", Direction::Input, &[]), ("tick", Direction::Output, &[])]);
    for policy in [Policy::Earliest, Policy::Fixed { delay_ns: 0 }] {
        let mut sut = played(&network, signals(), policy).unwrap();
        sut.reset().unwrap();
        let mut n_ticks = 0;
        while let Seen::Output { .. } = sut.wait(100 * MS).unwrap() {
            n_ticks += 1;
            assert!(n_ticks <= 200, "{policy:?}: {} ns", sut.now_ns());
        }
        assert_eq!(n_ticks, 200, "{policy:?}");
    }
}
