//! Cases that expect outputs, and cases with a phase, by how often.

use punctual_lang::{Input, testing};
use punctual_model::testing::suite::{About, Body, Case, Chance, Do, Expect, Probability};
use punctual_model::{Action, Value};
use punctual_semantics::specification::Specification;
use punctual_semantics::split::Named;
use punctual_smc::exact::Phase;
use punctual_testgen::uio::{
    Curve, Ground, Sampling, Trouble, chance, probability, sample, sampled_range,
};

use crate::uio::{ERROR, FIGURE_5, LOOP, case, options, specification as silent};

const SEEN: &str = "[interface]\ninputs = [\"out\", \"in\"]\noutputs = [\"qualified(qc)\", \"over\"]\n\
    observe = [\"isQualified\", \"qc\"]\ntime-unit = \"1ms\"\n";

/// Figure 2, which says when it qualifies, and a second later.
fn announced() -> String {
    let text = ERROR.replace("chan out, in;", "chan out, in, qualified, over;");
    let text = text.replace(
        "PresentQualified, AbsentQualified {",
        "PresentQualified, Said { x <= 1000 }, AbsentQualified {",
    );
    text.replace(
        "Present -> PresentQualified { guard x >= 3400; assign isQualified = true, qc = qc + 1; },",
        "Present -> Said { guard x >= 3400; sync qualified!; assign isQualified = true, qc = qc + 1, x = 0; },
            Said -> PresentQualified { guard x >= 1000; sync over!; },",
    )
    .replace("u -> u { sync in!; };", "u -> u { sync in!; }, u -> u { sync qualified?; }, u -> u { sync over?; };")
}

fn specification(model: &str) -> Specification {
    let network = crate::network("model.xta", model.as_bytes());
    let input = Input { name: "punctual.toml", bytes: SEEN.as_bytes() };
    let reading = testing::read(&network, input);
    let config = reading.value.unwrap_or_else(|| panic!("{:?}", reading.diagnostics));
    Specification::new(network, config.wired, &Named::default()).expect("it can be tested against")
}

fn send(specification: &Specification, name: &str) -> Do {
    let signal = specification.interface().signal(name).expect("a signal");
    Do::Send(Action { signal, values: Vec::new() })
}

/// An output, with its value if it has one, and its window in milliseconds.
fn output(specification: &Specification, name: &str, value: i64, window: (u64, u64)) -> Do {
    let signal = specification.interface().signal(name).expect("a signal");
    let values = if name == "qualified" { vec![Value::Int(value)] } else { Vec::new() };
    Do::Expect(Expect {
        action: Action { signal, values },
        from_ns: window.0 * 1_000_000,
        to_ns: window.1 * 1_000_000,
        requirement: None,
    })
}

fn exact(specification: &Specification, parts: &[Do]) -> String {
    probability(specification, parts, Phase::None).expect("computed").to_string()
}

/// A case of these parts that states a probability.
fn stating(parts: Vec<Do>, least: f64, greatest: f64, exact: Option<&str>) -> Case {
    let outputs = Probability { least, greatest, exact: exact.map(str::to_owned) };
    let chance = Chance { outputs, ending: None, note: String::new(), independent: 0 };
    let (name, body) = ("case".to_owned(), Body::Timed(parts));
    Case { name, body, about: About::default(), chance: Some(chance) }
}

/// The qualification is even between 3400 and 5100 ms.
#[test]
fn an_output_in_its_window() {
    let specification = specification(&announced());
    let p = |value: i64, window: (u64, u64)| {
        let parts = [
            send(&specification, "out"),
            output(&specification, "qualified", value, window),
            Do::Wait(9_000_000_000),
        ];
        exact(&specification, &parts)
    };
    assert_eq!(p(1, (0, 5100)), "1");
    assert_eq!(p(1, (0, 4250)), "1/2");
    assert_eq!(p(1, (3825, 4250)), "1/4");
    // It never comes so early, nor with this value.
    assert_eq!(p(1, (0, 3400)), "0");
    assert_eq!(p(2, (0, 5100)), "0");
    // It comes once.
    let twice = [
        send(&specification, "out"),
        output(&specification, "qualified", 1, (0, 5100)),
        output(&specification, "qualified", 1, (0, 5100)),
    ];
    assert_eq!(exact(&specification, &twice), "0");
}

/// What comes later depends on what came first: `over` is a second behind `qualified`, at the last instant, too.
#[test]
fn outputs_that_depend_on_each_other() {
    let specification = specification(&announced());
    let both = |first: (u64, u64), second: (u64, u64)| {
        let parts = [
            send(&specification, "out"),
            output(&specification, "over", 0, second),
            output(&specification, "qualified", 1, first),
        ];
        exact(&specification, &parts)
    };
    assert_eq!(both((0, 5100), (0, 6100)), "1");
    assert_eq!(both((0, 4250), (5250, 6100)), "0");
    assert_eq!(both((0, 4250), (4825, 6100)), "1/4");
    assert_eq!(both((0, 4675), (0, 5250)), "1/2");
}

/// A step without chance at the last instant of a window is in time, and so is one at the first.
#[test]
fn windows_have_their_ends() {
    let text = announced().replace("guard x >= 3400; sync", "guard x >= 5100; sync");
    let specification = specification(&text);
    for (window, p) in
        [((0, 5100), "1"), ((5100, 5100), "1"), ((0, 5099), "0"), ((5101, 9000), "0")]
    {
        let parts = [send(&specification, "out"), output(&specification, "qualified", 1, window)];
        assert_eq!(exact(&specification, &parts), p, "{window:?}");
        let sampled = sample(&specification, &parts, Phase::None, &Sampling::default());
        let sampled = sampled.expect("an interval");
        assert_eq!(sampled.high > 0.5, p == "1", "{window:?} {sampled:?}");
    }
}

/// Such a case gets its chance and its ending.
#[test]
fn a_case_that_expects_an_output_was_refused() {
    let specification = specification(&announced());
    let parts = vec![
        send(&specification, "out"),
        output(&specification, "qualified", 1, (0, 4250)),
        Do::Wait(9_000_000_000),
        send(&specification, "in"),
    ];
    let case = Case { chance: None, ..stating(parts, 0.0, 1.0, None) };
    let made =
        chance(&Ground::new(&specification), &case, &options(Phase::None, "Error.AbsentQualified"));
    let found = made.expect("a chance").case.chance.expect("a chance");
    assert_eq!(found.outputs.exact.as_deref(), Some("1/2"));
    let ending = found.ending.unwrap_or_else(|| panic!("no ending: {}", found.note));
    assert!(ending.joint.least > 0.0 && ending.joint.least <= 0.5, "{ending:?}");
    let parts =
        vec![send(&specification, "out"), output(&specification, "qualified", 3, (0, 4250))];
    let never = Case { chance: None, ..stating(parts, 0.0, 1.0, None) };
    let made = chance(&Ground::new(&specification), &never, &options(Phase::None, "Error.Present"));
    assert!(matches!(made, Err(Trouble::Impossible)), "{made:?}");
}

/// An output that is late leaves its window at the end, one that is early at the beginning.
#[test]
fn outputs_that_come_later() {
    let specification = specification(&announced());
    let parts =
        vec![send(&specification, "out"), output(&specification, "qualified", 1, (0, 4250))];
    let case = stating(parts.clone(), 0.5, 0.5, Some("1/2"));
    let mut curve = Curve::new(&specification, &case, Phase::None).expect("a curve");
    for shift in [-850, -85, 0, 85, 849] {
        let wanted = (850.0 - shift as f64) / 1700.0;
        let found = curve.at(shift).expect("a probability")[0];
        assert!((found - wanted).abs() < 1e-9, "{shift} ms: {found} and {wanted}");
    }
    assert_eq!(curve.at(4251), Some(&[0.0][..]));
    // The same by runs.
    let sampling = Sampling { runs: 4_000, ..Sampling::default() };
    let sampled = sampled_range(&specification, &case, Phase::None, 85, &sampling);
    let (low, high) = sampled.expect("a range")[0];
    assert!((low - 0.45).abs() < 0.02 && (high - 0.55).abs() < 0.02, "{low} {high}");
    // It may not come sooner, either.
    let parts =
        vec![send(&specification, "out"), output(&specification, "qualified", 1, (3825, 4250))];
    let case = stating(parts, 0.25, 0.25, Some("1/4"));
    let mut curve = Curve::new(&specification, &case, Phase::None).expect("a curve");
    for (shift, p) in [(0, 0.25), (425, 0.25), (510, 0.2), (-850, 0.25), (-935, 0.2)] {
        let found = curve.at(shift).expect("a probability")[0];
        assert!((found - p).abs() < 1e-9, "{shift} ms: {found} and {p}");
    }
}

/// Where delays are left to chance beside the phase, the case was refused.
#[test]
fn a_phase_beside_a_random_delay() {
    let specification = silent(ERROR);
    let phase = Phase::OfScript(1700);
    let ground = Ground::with_phase(&specification, phase);
    let made =
        chance(&ground, &case(&specification, &FIGURE_5), &options(phase, "Error.AbsentQualified"));
    let found = made.expect("a chance").case.chance.expect("a chance");
    assert!(found.outputs.exact.is_none() && found.note.starts_with("sampled: "), "{found:?}");
    // Where a case begins changes nothing of a system that waits for it.
    assert!(found.outputs.least < 0.5 && 0.5 < found.outputs.greatest, "{found:?}");
    assert!(found.outputs.greatest - found.outputs.least < 0.03, "{found:?}");
    // One loop that ends all windows is none of the model, and can not be run.
    let parts = case(&specification, &FIGURE_5);
    let Body::Timed(parts) = &parts.body else { unreachable!("it is timed") };
    assert_eq!(sample(&specification, parts, Phase::OfLoop(1700), &Sampling::default()), None);
}

/// What is computed with a phase is what is sampled with it.
#[test]
fn phases_that_are_sampled() {
    let specification = silent(LOOP);
    for ms in [3500, 4250, 5000] {
        let rows = [("out", 0, false, 0), ("wait", ms, true, 1)];
        let case = case(&specification, &rows);
        let Body::Timed(parts) = &case.body else { unreachable!("it is timed") };
        let phase = Phase::OfScript(1700);
        let exact = (ms - 3400) as f64 / 1700.0;
        let computed = probability(&specification, parts, phase).expect("computed").to_string();
        let sampled = sample(&specification, parts, phase, &Sampling::default());
        let sampled = sampled.expect("an interval");
        assert!(sampled.low <= exact && exact <= sampled.high, "{ms}: {computed} {sampled:?}");
        assert!(sampled.high - sampled.low < 0.03, "{ms}: {sampled:?}");
        // Without a phase nothing is left to chance.
        let certain = sample(&specification, parts, Phase::None, &Sampling::default());
        let certain = certain.expect("an interval");
        assert!(certain.high < 0.01 || certain.low > 0.99, "{ms}: {certain:?}");
        let stated = stating(parts.clone(), exact, exact, None);
        let sampling = Sampling { runs: 4_000, ..Sampling::default() };
        let range = sampled_range(&specification, &stated, phase, 85, &sampling);
        let (low, high) = range.expect("a range")[0];
        let close = |found: f64, wanted: f64| (found - wanted.clamp(0.0, 1.0)).abs() < 0.02;
        assert!(close(low, exact - 0.05) && close(high, exact + 0.05), "{ms}: {low} {high}");
    }
}
