//! Ports and their steps, as the script draws them.

use punctual_campaign::store::{Line, Record};
use punctual_campaign::summary::number;
use serde_json::{Value, json};

use crate::runs::ports::{Kind, Ports, Wave};
use crate::runs::words;
use crate::text::one_line;

/// A port over time. Values are numbers: truth is 0 or 1, members are their places among `names`;
/// `null` is a value that is none of the port.
pub(super) fn port(wave: &Wave<'_>) -> Value {
    let mut names: Vec<String> = match &wave.kind {
        Kind::Member(names) => names.clone(),
        _ => Vec::new(),
    };
    let kind = match &wave.kind {
        Kind::Truth => "truth",
        Kind::Integer | Kind::Real => "number",
        Kind::Member(_) => "member",
    };
    let mut drawn = |value: &Value| match &wave.kind {
        Kind::Truth => json!(value.as_bool().map(u8::from)),
        Kind::Integer | Kind::Real if value.is_number() => value.clone(),
        Kind::Integer | Kind::Real => json!(number(value)),
        Kind::Member(_) => {
            let text = words::value(value);
            let known = names.iter().position(|name| *name == text);
            json!(known.unwrap_or_else(|| {
                names.push(text);
                names.len() - 1
            }))
        }
    };
    let mut list = |values: &[(u64, &Value)]| {
        let at: Vec<u64> = values.iter().map(|(at, _)| *at).collect();
        let value: Vec<Value> = values.iter().map(|(_, value)| drawn(value)).collect();
        json!({"at": at, "value": value})
    };
    let (values, readings) = (list(&wave.values), list(&wave.readings));
    let (mut from, mut to, mut value) = (vec![], vec![], vec![]);
    let (mut low, mut high) = (vec![], vec![]);
    for other in &wave.others {
        from.push(other.from_ns);
        to.push(other.to_ns);
        value.push(drawn(wave.in_model(other)));
        low.push(other.changed.low.as_ref().and_then(number));
        high.push(other.changed.high.as_ref().and_then(number));
    }
    let tolerances: Vec<(f64, f64)> = wave
        .tolerances
        .iter()
        .filter_map(|(low, high)| Some((number(low)?, number(high)?)))
        .collect();
    json!({
        "name": one_line(&wave.name),
        "role": one_line(&wave.role),
        "kind": kind,
        "names": names.iter().map(|name| one_line(name)).collect::<Vec<String>>(),
        "given": values,
        "read": readings,
        "other": {"from": from, "to": to, "value": value, "low": low, "high": high},
        "tolerances": tolerances,
    })
}

/// Single steps and checks that are not a pass.
pub(super) fn judged(record: &Record, ports: &Ports<'_>) -> Value {
    let (mut from, mut to, mut verdict, mut reason) = (vec![], vec![], vec![], vec![]);
    for line in &record.lines {
        let Line::Judged(judged) = line else { continue };
        let (start, end) = ports.judged(judged);
        from.push(start);
        to.push(end);
        verdict.push(judged.verdict.name());
        reason.push(one_line(&judged.reason));
    }
    json!({"from": from, "to": to, "verdict": verdict, "reason": reason})
}
