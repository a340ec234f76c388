//! Probabilities that are computed lie in intervals that are sampled, for random automata and random cases.
//!
//! The two share no code: one follows pieces of all runs with exact fractions, the other simulates the case as a process
//! beside the system.

use punctual_lang::{Input, testing};
use punctual_model::testing::suite::{Check, Do, Expect};
use punctual_model::{Action, PortId, Value};
use punctual_semantics::program::Chance;
use punctual_semantics::specification::Specification;
use punctual_semantics::split::{Named, Side};
use punctual_smc::Stream;
use punctual_smc::exact::{Event, Phase, Ratio, follow};
use punctual_testgen::uio::{Sampling, Script, probability, sample};

const SEEN: &str = "[interface]\ninputs = [\"a\", \"b\"]\noutputs = []\nobserve = [\"v\", \"w\"]\ntime-unit = \"1ms\"\n";

fn below(chance: &mut Stream, n: u64) -> u64 {
    ((u128::from(chance.bits()) * u128::from(n)) >> 64) as u64
}

/// An automaton with delays and inputs, some of which take back what is pending.
fn automaton(name: &str, variable: &str, sends: &str, chance: &mut Stream) -> String {
    let n = 3 + below(chance, 3);
    let mut states = Vec::new();
    let mut edges = Vec::new();
    for at in 0..n {
        let is_timed = at > 0 && below(chance, 3) > 0;
        let (first, length) = (below(chance, 6), 2 + below(chance, 8));
        let (to, value) = (below(chance, n), below(chance, 4));
        if is_timed {
            let last = first + length;
            states.push(format!("s{at} {{ x <= {last} }}"));
            // A clock that is not set back makes stages under one clock; two edges make a choice.
            let reset = if below(chance, 4) > 0 { ", x = 0" } else { "" };
            edges.push(format!(
                "s{at} -> s{to} {{ guard x >= {first}; {sends}assign {variable} = {value}{reset}; }}"
            ));
            if below(chance, 4) == 0 {
                let (to, value, later) = (below(chance, n), below(chance, 4), below(chance, 2));
                let from = first + later;
                edges.push(format!(
                    "s{at} -> s{to} {{ guard x >= {from}; {sends}assign {variable} = {value}, x = 0; }}"
                ));
            }
        } else {
            states.push(format!("s{at}"));
        }
        for input in ["a", "b"] {
            let (to, value) = (below(chance, n), below(chance, 4));
            let reset = if below(chance, 5) > 0 { ", x = 0" } else { "" };
            edges.push(format!(
                "s{at} -> s{to} {{ sync {input}?; assign {variable} = {value}{reset}; }}"
            ));
        }
    }
    format!(
        "process {name}() {{ clock x; state {}; init s0; trans {}; }}",
        states.join(", "),
        edges.join(",\n    ")
    )
}

/// Two automata with ports, which say what they send when a delay is over.
fn specification(seed: u64, sends: [&str; 2]) -> Specification {
    let mut chance = Stream::of_run(seed, 0);
    let text = format!(
        "broadcast chan a, b, p, q; int[0,3] v; int[0,3] w;
        {}
        {}
        process User() {{ state u; init u; trans u -> u {{ sync a!; }}, u -> u {{ sync b!; }},
            u -> u {{ sync p?; }}, u -> u {{ sync q?; }}; }}
        system P, Q, User;",
        automaton("P", "v", sends[0], &mut chance),
        automaton("Q", "w", sends[1], &mut chance)
    );
    let network = crate::network("model.xta", text.as_bytes());
    let outputs = if sends[0].is_empty() { "" } else { r#""p(v)", "q""# };
    let seen = SEEN.replace("outputs = []", &format!("outputs = [{outputs}]"));
    let input = Input { name: "punctual.toml", bytes: seen.as_bytes() };
    let reading = testing::read(&network, input);
    let config = reading.value.unwrap_or_else(|| panic!("{:?}", reading.diagnostics));
    Specification::new(network, config.wired, &Named::default()).expect("it can be tested against")
}

/// What a part shows at the end of a script, and with which probability.
type Shown = Vec<(PortId, i32, Ratio)>;

/// The probability of a script, and what each part shows at its end with which probability.
fn weigh(specification: &Specification, parts: &[Do]) -> Option<(Ratio, Vec<Shown>)> {
    let script = Script::new(specification, parts).expect("a script");
    let mut all = Ratio::from_integer(1.into());
    let mut shown = Vec::new();
    for (number, part) in specification.side(Side::System) {
        let mut events = script.events(specification, number);
        let last = events.last().map_or(0, |(at, _)| *at);
        events.push((script.end.max(last), Event::Mark));
        let marks = follow(&part.estimator, &events, Phase::None).ok()?;
        let shares = marks.last().expect("a mark");
        let sum: Ratio = shares.iter().map(|share| share.probability.clone()).sum();
        all *= &sum;
        let mut of = Vec::new();
        for port in specification.interface().ports.ids() {
            let readers = specification.readers(port);
            let Some((_, at)) = readers.iter().find(|(it, _)| *it == number) else { continue };
            for share in shares {
                of.push((port, share.state[*at as usize], share.probability.clone()));
            }
        }
        shown.push(of);
    }
    Some((all, shown))
}

/// A case by chance: inputs and waits, and readings of values that are possible then. None if something can not be computed.
fn case(specification: &Specification, chance: &mut Stream) -> Option<Vec<Do>> {
    let interface = specification.interface();
    let mut parts: Vec<Do> = Vec::new();
    for _ in 0..2 + below(chance, 5) {
        let name = if below(chance, 2) == 0 { "a" } else { "b" };
        let signal = interface.signal(name).expect("a signal");
        parts.push(Do::Send(Action { signal, values: Vec::new() }));
        parts.push(Do::Wait((1 + below(chance, 9)) * 1_000_000));
        if below(chance, 4) > 0 {
            let (_, shown) = weigh(specification, &parts)?;
            let of = &shown[below(chance, shown.len() as u64) as usize];
            if of.is_empty() {
                continue;
            }
            let (port, value, _) = &of[below(chance, of.len() as u64) as usize];
            let expected = vec![(*port, Value::Int(i64::from(*value)))];
            parts.push(Do::Check(Check { expected, ..Check::default() }));
        }
    }
    Some(parts)
}

/// Asserts that what is computed of a case is what is sampled; none if it can not be computed, or not be run.
fn compare(specification: &Specification, parts: &[Do], seed: u64) -> Option<f64> {
    let exact = probability(specification, parts, Phase::None).ok()?;
    let sampling = Sampling { runs: 3_000, seed, threads: 1, alpha: 1e-6 };
    let sampled = sample(specification, parts, Phase::None, &sampling)?;
    let number = |it: &Ratio| -> f64 {
        let digits = |it: String| it.parse::<f64>().expect("a number");
        digits(it.numer().to_string()) / digits(it.denom().to_string())
    };
    let exact = number(&exact);
    assert!(
        sampled.low - 1e-9 <= exact && exact <= sampled.high + 1e-9,
        "seed {seed}: {exact} is not in {sampled:?}: {parts:?}"
    );
    Some(exact)
}

/// The first of the seeds that are tried.
fn first_seed() -> u64 {
    std::env::var("PUNCTUAL_SEED").ok().and_then(|it| it.parse().ok()).unwrap_or(0)
}

#[test]
fn what_is_computed_is_what_is_sampled() {
    let (mut n_compared, mut n_random) = (0, 0);
    for seed in first_seed()..first_seed() + 300 {
        let specification = specification(seed, ["", ""]);
        let mut chance = Stream::of_run(seed, 1);
        let Some(parts) = case(&specification, &mut chance) else { continue };
        let Some(exact) = compare(&specification, &parts, seed) else { continue };
        n_compared += 1;
        n_random += usize::from(exact > 0.01 && exact < 0.99);
    }
    assert!(n_compared >= 80 && n_random >= 30, "{n_compared} compared, {n_random} of them random");
}

/// An output that should come in a window, which may end behind the case.
fn output(specification: &Specification, chance: &mut Stream) -> Do {
    let name = if below(chance, 2) == 0 { "p" } else { "q" };
    let signal = specification.interface().signal(name).expect("a signal");
    let value = Value::Int(below(chance, 4) as i64);
    let values = if name == "p" { vec![value] } else { Vec::new() };
    let from_ns = below(chance, 8) * 1_000_000;
    let to_ns = from_ns + below(chance, 20) * 1_000_000;
    Do::Expect(Expect { action: Action { signal, values }, from_ns, to_ns, requirement: None })
}

/// The same with outputs. Those with a value come with another one, too, and several windows may be open for the same output. Of many
/// random windows, those are taken that leave something to chance.
#[test]
fn outputs_are_computed_as_they_are_sampled() {
    let (mut n_compared, mut n_random, mut n_several) = (0, 0, 0);
    for seed in first_seed()..first_seed() + 300 {
        let specification = specification(seed, ["sync p!; ", "sync q!; "]);
        let mut chance = Stream::of_run(seed, 1);
        let Some(mut parts) = case(&specification, &mut chance) else { continue };
        let mut n_outputs = 0;
        for _ in 0..40 {
            let mut longer = parts.clone();
            let at = below(&mut chance, parts.len() as u64 + 1) as usize;
            longer.insert(at, output(&specification, &mut chance));
            let p = probability(&specification, &longer, Phase::None);
            if p.is_ok_and(|it| it != Ratio::from_integer(0.into())) && n_outputs < 3 {
                (parts, n_outputs) = (longer, n_outputs + 1);
            }
        }
        if n_outputs == 0 {
            parts.insert(0, output(&specification, &mut chance));
        }
        let Some(exact) = compare(&specification, &parts, seed) else { continue };
        n_compared += 1;
        let is_random = exact > 0.01 && exact < 0.99;
        n_random += usize::from(is_random);
        n_several += usize::from(is_random && n_outputs > 1);
    }
    let counts =
        format!("{n_compared} compared, {n_random} random, {n_several} of several outputs");
    assert!(n_compared >= 80 && n_random >= 40 && n_several >= 20, "{counts}");
}
