//! Tests of the pacemaker: three seconds of a heart.

use std::collections::BTreeMap;

use punctual_model::lustre::Value;

use super::draw::Draw;

const DURATION_MS: i64 = 3000;
/// Polls are at least this far apart, so that no event is late beyond the next poll.
const GAP_MS: i64 = 12;

/// The inputs of all steps, in the order of the model. Devices are programmed for each test; the atrium
/// beats on its own, the ventricle follows it or not, and sometimes something else is sensed.
pub(super) fn test(draw: &mut Draw) -> Vec<Vec<Value>> {
    let device = device(draw);
    let magnet_from = if draw.percent(5) { draw.between(500, 2500) } else { i64::MAX };
    let mut steps = Vec::new();
    for (time, (a_event, v_event)) in polls(draw) {
        let mut step = vec![Value::Bool(v_event), Value::Bool(a_event), Value::Int(time)];
        step.extend(device.iter().copied());
        step.push(Value::Bool((magnet_from..magnet_from.saturating_add(600)).contains(&time)));
        steps.push(step);
    }
    steps
}

/// Times of polls, and whether the atrium or the ventricle is sensed then.
fn polls(draw: &mut Draw) -> BTreeMap<i64, (bool, bool)> {
    let mut polls: BTreeMap<i64, (bool, bool)> = BTreeMap::new();
    let mut sense = |time: i64, is_atrial: bool| {
        if time >= DURATION_MS {
            return;
        }
        // What happens at nearly the same time is seen in one poll.
        let near = polls.range(time - GAP_MS + 1..time + GAP_MS).next().map(|(near, _)| *near);
        let poll = polls.entry(near.unwrap_or(time)).or_default();
        if is_atrial { poll.0 = true } else { poll.1 = true }
    };
    let fast = draw.percent(15);
    let interval = if fast { draw.between(220, 420) } else { draw.between(550, 1400) };
    let conducts = draw.between(20, 100);
    let mut beat = draw.between(50, interval);
    while beat < DURATION_MS {
        if !draw.percent(8) {
            sense(beat, true);
        }
        if draw.percent(conducts) {
            sense(beat + draw.between(90, 280), false);
        }
        beat += interval + draw.between(-interval / 10, interval / 10);
    }
    for _ in 0..draw.between(0, 4) {
        let is_atrial = draw.percent(50);
        sense(draw.between(50, DURATION_MS - 1), is_atrial);
    }
    // Polls in between; there is always one at the beginning.
    polls.entry(GAP_MS).or_default();
    let wanted = draw.between(30, 100);
    for _ in 0..4 * wanted {
        if polls.len() as i64 >= wanted {
            break;
        }
        let time = draw.between(GAP_MS, DURATION_MS);
        if polls.range(time - GAP_MS + 1..time + GAP_MS).next().is_none() {
            polls.insert(time, (false, false));
        }
    }
    polls
}

/// How the device is programmed, from the mode to the fallback time.
fn device(draw: &mut Draw) -> Vec<Value> {
    let mode = match draw.between(0, 99) {
        0..65 => 3,
        65..77 => 1,
        77..85 => 4,
        85..92 => 5,
        92..97 => 2,
        97 => 0,
        _ => 6,
    };
    let lrl = draw.between(700, 1200);
    let fixed_avd = draw.between(110, 240);
    let numbers = |numbers: &[i64]| numbers.iter().copied().map(Value::Int).collect::<Vec<_>>();
    let mut device = numbers(&[
        mode,
        lrl,
        draw.between(400, 600),
        if draw.percent(40) { lrl + draw.between(50, 200) } else { 0 },
        draw.between(200, 320),
        draw.between(200, 320),
        draw.between(180, 320),
        draw.between(0, 150),
        draw.between(20, 60),
        fixed_avd,
    ]);
    device.push(Value::Bool(draw.percent(40)));
    device.extend(numbers(&[draw.between(50, 100), draw.between(0, 40)]));
    device.push(Value::Bool(draw.percent(50)));
    device.extend(numbers(&[draw.between(2, 5), draw.between(400, 1500)]));
    device
}
