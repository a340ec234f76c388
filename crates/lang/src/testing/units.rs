//! Durations: `1ms`, `0..2ms`, `1.5s`.

use crate::number::Decimal;

/// Units of time and how many nanoseconds they have.
const UNITS: [(&str, u64); 7] = [
    ("ns", 1),
    ("us", 1_000),
    ("µs", 1_000),
    ("ms", 1_000_000),
    ("s", 1_000_000_000),
    ("min", 60_000_000_000),
    ("h", 3_600_000_000_000),
];

/// What can be written, for help lines.
pub(crate) const FORM: &str = "a number and ns, us, ms, s, min or h, such as `1ms` or `2.5s`";

/// A duration in nanoseconds.
pub(crate) fn duration(text: &str) -> Result<u64, String> {
    let (number, unit) = apart(text.trim());
    if number.is_empty() || unit.is_empty() {
        return Err(format!("`{text}` is not a duration"));
    }
    nanoseconds(number, unit)
}

/// A duration in nanoseconds: with a unit, as in `10s`, or as a number of time units of the model,
/// which have so many nanoseconds.
///
/// # Errors
/// If it is none, too long, or no whole number of nanoseconds: says what is wrong.
pub fn parse_duration(text: &str, unit_ns: u64) -> Result<u64, String> {
    let (number, unit) = apart(text.trim());
    match unit {
        "" => scaled(text.trim(), number, unit_ns),
        unit => nanoseconds(number, unit),
    }
}

/// The length of a phase in nanoseconds, in which a case may begin anywhere: a duration, or a range that begins with 0 and does not
/// have its end, as in `0..1700` (time units of the model) and `0ms..1700ms`.
///
/// # Errors
/// If it is none, or nothing: says what is wrong.
pub fn parse_phase(text: &str, unit_ns: u64) -> Result<u64, String> {
    let (from, to) = text.split_once("..").unwrap_or(("0", text));
    if parse_duration(from, unit_ns)? != 0 {
        return Err(format!(
            "`{text}` does not begin with 0: a case begins anywhere in a period; for a later begin, put a `wait` first"
        ));
    }
    match parse_duration(to, unit_ns)? {
        0 => Err(format!("`{text}` is empty")),
        ns => Ok(ns),
    }
}

/// Two durations, the first of which may borrow the unit of the second.
pub(super) fn window(text: &str) -> Result<(u64, u64), String> {
    let Some((from, to)) = text.split_once("..") else {
        return Err(format!("`{text}` is not a range of durations"));
    };
    let to_ns = duration(to)?;
    let (number, unit) = apart(from.trim());
    let unit = if unit.is_empty() { apart(to.trim()).1 } else { unit };
    let from_ns = nanoseconds(number, unit)?;
    match from_ns <= to_ns {
        true => Ok((from_ns, to_ns)),
        false => Err(format!("`{text}` is empty: it ends before it starts")),
    }
}

fn apart(text: &str) -> (&str, &str) {
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.' && c != '_');
    let (number, unit) = text.split_at(end.unwrap_or(text.len()));
    (number, unit.trim())
}

fn nanoseconds(number: &str, unit: &str) -> Result<u64, String> {
    let &(_, scale) = UNITS.iter().find(|(name, _)| *name == unit).ok_or_else(|| {
        format!("`{unit}` is not a unit of time; there are ns, us, ms, s, min and h")
    })?;
    scaled(&format!("{number}{unit}"), number, scale)
}

/// Exact: a fraction that does not fit into nanoseconds is refused.
fn scaled(text: &str, number: &str, unit_ns: u64) -> Result<u64, String> {
    let digits = number.replace('_', "");
    let decimal = Decimal::parse(&digits)
        .filter(|_| digits.starts_with(|c: char| c.is_ascii_digit()) && !digits.ends_with('.'))
        .ok_or_else(|| format!("`{text}` is not a duration"))?;
    let large = || format!("`{text}` is too long");
    let number = decimal.exact().ok_or_else(large)?;
    let above = number.numer().checked_mul(unit_ns.into()).ok_or_else(large)?;
    match above % number.denom() {
        0 => u64::try_from(above / number.denom()).map_err(|_| large()),
        _ => Err(format!("`{text}` is no whole number of nanoseconds")),
    }
}

/// A clock that is wrong by this much, in parts per billion, is no clock any more.
const DRIFT_END_PPB: u32 = 100_000_000;

/// By how much a clock is wrong: parts per million, or percent. Exact in parts per billion.
pub(super) fn drift(text: &str) -> Result<u32, String> {
    let (number, unit) = apart(text.trim());
    let ppb = match unit {
        _ if text.trim().starts_with('-') => {
            return Err(format!("`{text}` is negative; a clock may be wrong either way"));
        }
        _ if number.is_empty() => {
            return Err(format!("`{text}` does not say how wrong a clock is"));
        }
        "ppm" => 1_000,
        "%" => 10_000_000,
        "" => return Err(format!("`{text}` has no unit; there are ppm and %")),
        _ => return Err(format!("`{unit}` says nothing about a clock; there are ppm and %")),
    };
    let digits = number.replace('_', "");
    let exact = Decimal::parse(&digits)
        .filter(|_| digits.starts_with(|c: char| c.is_ascii_digit()) && !digits.ends_with('.'))
        .ok_or_else(|| format!("`{text}` does not say how wrong a clock is"))?
        .exact();
    let large = || format!("`{text}` is too much: a clock that is wrong by 10 % or more is none");
    let exact = exact.ok_or_else(large)?;
    let above = exact.numer().checked_mul(ppb).ok_or_else(large)?;
    if above % exact.denom() != 0 {
        return Err(format!("`{text}` is no whole number of parts per billion"));
    }
    let ppb = u32::try_from(above / exact.denom()).map_err(|_| large())?;
    if ppb < DRIFT_END_PPB { Ok(ppb) } else { Err(large()) }
}

/// The shortest way to write by how much a clock is wrong: `50ppm`.
#[must_use]
pub fn written_drift(ppb: u32) -> String {
    let (whole, rest) = (ppb / 1_000, ppb % 1_000);
    match rest {
        0 => format!("{whole}ppm"),
        _ => format!("{}ppm", format!("{whole}.{rest:03}").trim_end_matches('0')),
    }
}

/// The shortest way to write a duration of nanoseconds: `1ms`.
#[must_use]
pub fn written(ns: u64) -> String {
    let units = UNITS.iter().rev().filter(|(name, _)| *name != "µs");
    let fits = |(_, scale): &&(&str, u64)| ns != 0 && ns.is_multiple_of(*scale);
    match units.clone().find(fits) {
        Some((name, scale)) => format!("{}{name}", ns / scale),
        None => format!("{ns}ms"),
    }
}

#[cfg(test)]
mod tests {
    use super::{drift, duration, parse_duration, window, written, written_drift};

    #[test]
    fn durations_are_exact() {
        assert_eq!(duration("1ms"), Ok(1_000_000));
        assert_eq!(duration("2.5 s"), Ok(2_500_000_000));
        assert_eq!(duration("1_000us"), Ok(1_000_000));
        assert!(duration("0.5ns").is_err());
        assert!(duration("1.").is_err());
        assert!(duration("5").is_err());
        assert!(duration("99999999999h").is_err());
        assert_eq!(window("0..2ms"), Ok((0, 2_000_000)));
        assert_eq!(window("500us .. 2ms"), Ok((500_000, 2_000_000)));
        assert!(window("3..2ms").is_err());
    }

    #[test]
    fn numbers_without_a_unit_are_time_units() {
        assert_eq!(parse_duration("250", 1_000), Ok(250_000));
        assert_eq!(parse_duration(" 2.5 ", 1_000), Ok(2_500));
        assert_eq!(parse_duration("2.5s", 7), Ok(2_500_000_000));
        for wrong in ["", "-1", "nan", "1e3", ".5", "0.0001", "3 weeks", "99999999999999999999"] {
            assert!(parse_duration(wrong, 1_000).is_err(), "{wrong}");
        }
    }

    #[test]
    fn drifts_are_parts_of_a_billion() {
        assert_eq!(drift("50ppm"), Ok(50_000));
        assert_eq!(drift("0.5 ppm"), Ok(500));
        assert_eq!(drift("0.1%"), Ok(1_000_000));
        assert_eq!(drift("9.9999999%"), Ok(99_999_999));
        for wrong in
            ["", "50", "ppm", "-50ppm", "10%", "100000ppm", "0.0001ppm", "50ms", "1.ppm", "a%"]
        {
            assert!(drift(wrong).is_err(), "{wrong}");
        }
        for ppb in [0, 1, 500, 50_000, 50_500, 99_999_999] {
            assert_eq!(drift(&written_drift(ppb)), Ok(ppb));
        }
    }

    #[test]
    fn what_is_written_is_read_back() {
        for ns in [0, 1, 1_500, 1_000_000, 60_000_000_000, 7_200_000_000_000] {
            assert_eq!(duration(&written(ns)), Ok(ns));
        }
    }
}
