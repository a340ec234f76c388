//! Tests of the infusion pump: thirty seconds with a nurse, a patient and what may go wrong.

use punctual_model::lustre::Value;

use super::draw::Draw;

const SECONDS: usize = 30;

/// The inputs of all steps, in the order of the model. A prescription is drawn for each test, what people
/// and sensors do for each second.
pub(super) fn test(draw: &mut Draw) -> Vec<Vec<Value>> {
    let rates =
        [draw.between(5, 20), draw.between(25, 45), draw.between(50, 90), draw.between(1, 3)];
    let durations = [
        draw.between(2, 5),
        draw.between(3, 7),
        draw.between(2, 7),
        if draw.percent(15) { 0 } else { draw.between(3, 8) },
        draw.between(14, 45),
    ];
    let boluses_max = draw.between(0, 4);
    let vtbi = draw.between(80, 400);
    // The self test and the prescription come first; then somebody confirms it, and starts.
    let confirms = draw.between(3, 4);
    let begins = confirms + draw.between(1, 2);
    let configured_at = if draw.percent(10) { draw.between(3, 6) } else { 0 };
    let (mut volume, mut alarm, mut alarm_ends, mut empty_until) = (0, 0, 0, 0);
    let mut steps = Vec::new();
    for second in 0..SECONDS as i64 {
        if second >= alarm_ends {
            alarm = 0;
        }
        if alarm == 0 && draw.percent(4) {
            alarm = if draw.percent(8) { 4 } else { draw.between(1, 3) };
            alarm_ends = second + draw.between(1, 4);
        }
        if draw.percent(1) {
            empty_until = second + draw.between(1, 3);
        }
        let initiate = second == confirms || second == begins || draw.percent(20);
        let mut step: Vec<Value> = Vec::new();
        let people =
            [!draw.percent(1), initiate, draw.percent(3), draw.percent(1), draw.percent(20)];
        step.extend(people.map(Value::Bool));
        step.extend(rates.map(Value::Int));
        step.extend(durations.map(Value::Int));
        step.extend([boluses_max, vtbi].map(Value::Int));
        step.push(Value::Bool(second >= configured_at && !draw.percent(1)));
        step.push(Value::Int(alarm));
        step.push(Value::Bool(second < empty_until));
        step.push(Value::Int(volume));
        steps.push(step);
        if second >= begins {
            volume += draw.between(2, 9);
        }
    }
    steps
}
