//! What is said of an input, beside what happens to values whose delays are drawn.

use punctual_model::Value;
use punctual_model::testing::platform::Delay;
use punctual_semantics::program::Chance;
use punctual_smc::{Stream, delays};

use super::{FLOOR, Input, Sent, Way};

const MS: f64 = 1e6;
const STEP: f64 = 500.0 * MS;
/// Instants at which steps read vary by so much.
const VARIES: f64 = MS;

/// A line as the oracle makes one of a delay.
fn way(mean: f64, deviation: f64) -> Way {
    let slack = 7.0 * MS;
    let blurred = Delay::Normal { mean: mean + slack, deviation: deviation.hypot(VARIES) };
    let reach = 7.0 * deviation;
    let (least, most) = ((mean - reach).max(0.0) - slack, mean + reach + slack);
    Way { delay: blurred, sampling: 0.0, shift: slack, varies: VARIES, slack, least, most }
}

/// Values of one input: copies of 1 for the second step, of 2 for the third, of 1 for the fifth.
fn sent(mean: f64) -> Vec<(f64, i64)> {
    let of = |end: f64, value: i64, copies: u32| {
        (0..copies).map(move |it| (end - 330.0 * MS - mean + f64::from(it) * 11.0 * MS, value))
    };
    let first = of(4.0 * STEP, 1, 4).chain(of(5.0 * STEP, 2, 3));
    first.chain(of(7.0 * STEP, 1, 1)).collect()
}

/// The probabilities of 0, 1 and 2 at each step, without knowing what any step before it read.
fn said(mean: f64, deviation: f64) -> Vec<[f64; 3]> {
    let mut input = Input::new((Value::Int(0), false), FLOOR, STEP as u64, 0);
    for (at, value) in sent(mean) {
        input.sent(Sent { at, value: Value::Int(value), line: 0, drifted: 0.0 });
    }
    let ways = [way(mean, deviation)];
    let mut belief = 0;
    let step = |number: usize| {
        let now = (number + 1) as f64 * STEP;
        let next = input.next(belief, number, (now - STEP, now), &ways);
        belief = next.unread;
        let mut found = [0.0; 3];
        for it in &next.values {
            let Value::Int(value) = it.value else { unreachable!("a number") };
            found[value as usize] += it.probability;
        }
        found
    };
    (0..10).map(step).collect()
}

#[test]
fn probabilities_are_those_of_drawn_delays() {
    const DRAWS: u32 = 20_000;
    // Delays with small means are often cut at 0, and values are sent just after a step has read.
    for (mean, deviation) in [(900.0, 200.0), (30.0, 100.0), (170.0, 200.0), (165.0, 20.0)] {
        let (mean, deviation) = (mean * MS, deviation * MS);
        let delay = Delay::Normal { mean, deviation };
        let mut stream = Stream::of_run(3, 1);
        let mut counts = [[0_u32; 3]; 10];
        for _ in 0..DRAWS {
            let mut arrived: Vec<(f64, i64)> = sent(mean)
                .into_iter()
                .map(|(at, value)| (at + delays::draw(&delay, &mut stream), value))
                .collect();
            arrived.sort_by(|a, b| a.0.total_cmp(&b.0));
            for (number, counts) in counts.iter_mut().enumerate() {
                // As good as normal.
                let noise: f64 = (0..12).map(|_| stream.unit()).sum::<f64>() - 6.0;
                let now = (number + 1) as f64 * STEP + VARIES * noise;
                let held = arrived.iter().rfind(|(at, _)| *at <= now).map_or(0, |it| it.1);
                counts[held as usize] += 1;
            }
        }
        for (number, (said, counts)) in said(mean, deviation).iter().zip(counts).enumerate() {
            for (said, count) in said.iter().zip(counts) {
                let seen = f64::from(count) / f64::from(DRAWS);
                assert!(
                    (said - seen).abs() < 0.02,
                    "{mean} {deviation}, step {number}: {said} instead of {seen}"
                );
            }
        }
    }
}

/// A device that tells when values arrive leaves no doubt, though all of them may have come.
#[test]
fn what_the_device_tells_decides() {
    let mut input = Input::new((Value::Int(0), false), FLOOR, STEP as u64, 0);
    input.is_told();
    let ways = [way(400.0 * MS, 200.0 * MS)];
    let at = 4.8 * STEP - 400.0 * MS;
    input.sent(Sent { at, value: Value::Int(1), line: 0, drifted: 0.0 });
    input.arrived(5.3 * STEP);
    let mut belief = 0;
    for (number, value) in [(4, 0), (5, 1)] {
        let now = (number + 1) as f64 * STEP;
        let next = input.next(belief, number, (now - STEP, now), &ways);
        assert_eq!(next.values.len(), 1, "{:?}", next.values);
        assert_eq!(next.values[0].value, Value::Int(value));
        belief = next.unread;
    }
}
