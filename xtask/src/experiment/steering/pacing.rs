//! Tests of the pacemaker: three seconds of a heart.

use std::collections::BTreeMap;
use std::ops::Range;

use punctual_model::lustre::Value;

use super::draw::Draw;

const DURATION_MS: i64 = 3000;
/// Polls are at least this far apart, so that no event is late beyond the next poll.
const GAP_MS: i64 = 12;

/// The inputs of all steps, in the order of the model. Devices are programmed for each test, and a few again
/// while they work.
pub(super) fn test(draw: &mut Draw) -> Vec<Vec<Value>> {
    let device = device(draw);
    let magnet_from = if draw.percent(6) { draw.between(500, 2500) } else { i64::MAX };
    let magnet = magnet_from..magnet_from.saturating_add(600);
    let again_from = if draw.percent(12) { draw.between(500, 2500) } else { i64::MAX };
    let again = mode(draw);
    let mut steps = Vec::new();
    for (time, (a_event, v_event)) in polls(&device, draw) {
        let mode = if time >= again_from { again } else { device.mode };
        let mut step = vec![Value::Bool(v_event), Value::Bool(a_event)];
        step.extend([time, mode].map(Value::Int));
        step.extend(device.others.iter().copied());
        step.push(Value::Bool(magnet.contains(&time)));
        steps.push(step);
    }
    steps
}

/// Times of polls, and whether the atrium or the ventricle is sensed then.
#[derive(Default)]
struct Polls(BTreeMap<i64, (bool, bool)>);

impl Polls {
    /// What happens at nearly the same time is seen in one poll.
    fn near(&self, time: i64) -> Option<i64> {
        self.0.range(time - GAP_MS + 1..time + GAP_MS).next().map(|(near, _)| *near)
    }

    fn sense(&mut self, time: i64, is_atrial: bool) {
        if time < DURATION_MS {
            let poll = self.0.entry(self.near(time).unwrap_or(time)).or_default();
            if is_atrial { poll.0 = true } else { poll.1 = true }
        }
    }
}

/// A heart: its atrium beats on its own, its ventricle follows or not, and sometimes something else is
/// sensed.
fn polls(device: &Device, draw: &mut Draw) -> BTreeMap<i64, (bool, bool)> {
    let mut polls = Polls::default();
    let conducts = draw.between(20, 100);
    let slow = Rhythm { interval: draw.between(550, 1400), varies: 10, conducts };
    match draw.between(0, 99) {
        0..66 => slow.beat(0..DURATION_MS, &mut polls, draw),
        // A tachycardia, which may end.
        66..84 => {
            let fast = Rhythm { interval: draw.between(220, 420), ..slow };
            let ends = draw.between(DURATION_MS / 3, DURATION_MS * 3 / 2);
            fast.beat(0..ends, &mut polls, draw);
            slow.beat(ends..DURATION_MS, &mut polls, draw);
        }
        // Nearly at the upper rate, as if each beat followed a pace; nothing is conducted.
        84..94 => {
            let interval = device.url - draw.between(5, 15);
            Rhythm { interval, varies: 1, conducts: 0 }.beat(0..DURATION_MS, &mut polls, draw);
        }
        // The atrium does not beat, and the ventricle senses how it is paced.
        _ => {
            for cycle in 1..=DURATION_MS / device.lrl {
                let pace = cycle * device.lrl - device.fixed_avd;
                polls.sense(pace + draw.between(1, 35), false);
            }
        }
    }
    for _ in 0..draw.between(0, 4) {
        let is_atrial = draw.percent(50);
        polls.sense(draw.between(50, DURATION_MS - 1), is_atrial);
    }
    // Polls in between; there is always one at the beginning.
    polls.0.entry(GAP_MS).or_default();
    let wanted = draw.between(30, 100);
    for _ in 0..4 * wanted {
        if polls.0.len() as i64 >= wanted {
            break;
        }
        let time = draw.between(GAP_MS, DURATION_MS);
        if polls.near(time).is_none() {
            polls.0.insert(time, (false, false));
        }
    }
    polls.0
}

/// How an atrium beats on its own.
struct Rhythm {
    interval: i64,
    /// By how much intervals differ, in percent.
    varies: i64,
    /// How many beats reach the ventricle, in percent.
    conducts: i64,
}

impl Rhythm {
    fn beat(&self, span: Range<i64>, polls: &mut Polls, draw: &mut Draw) {
        let most = self.interval * self.varies / 100;
        let mut beat = span.start + draw.between(50, self.interval);
        while beat < span.end {
            if !draw.percent(8) {
                polls.sense(beat, true);
            }
            if draw.percent(self.conducts) {
                polls.sense(beat + draw.between(90, 280), false);
            }
            beat += self.interval + draw.between(-most, most);
        }
    }
}

/// How a device is programmed.
struct Device {
    mode: i64,
    lrl: i64,
    url: i64,
    fixed_avd: i64,
    /// The inputs from the lower rate limit to the fallback time.
    others: Vec<Value>,
}

/// A mode, by its number: DDD is the most common one.
fn mode(draw: &mut Draw) -> i64 {
    match draw.between(0, 99) {
        0..50 => 3,
        50..58 => 1,
        58..66 => 4,
        66..75 => 5,
        75..80 => 2,
        rare => [0, 6, 7, 8, 9, 10][rare as usize % 6],
    }
}

fn device(draw: &mut Draw) -> Device {
    let (mode, lrl, url) = (mode(draw), draw.between(700, 1200), draw.between(400, 600));
    let fixed_avd = draw.between(110, 240);
    let numbers = |numbers: &[i64]| numbers.iter().copied().map(Value::Int).collect::<Vec<_>>();
    let mut others = numbers(&[
        lrl,
        url,
        if draw.percent(40) { lrl + draw.between(50, 200) } else { 0 },
        draw.between(200, 320),
        draw.between(200, 320),
        draw.between(180, 320),
        draw.between(0, 150),
        draw.between(20, 60),
        fixed_avd,
    ]);
    others.push(Value::Bool(draw.percent(40)));
    others.extend(numbers(&[draw.between(50, 100), draw.between(0, 40)]));
    others.push(Value::Bool(draw.percent(50)));
    others.extend(numbers(&[draw.between(2, 5), draw.between(400, 1500)]));
    Device { mode, lrl, url, fixed_avd, others }
}
