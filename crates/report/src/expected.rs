//! What is to be expected of a suite on a platform, as text.

use std::fmt::Write as _;

use crate::view::expected::Expected;

/// So many cases and variables are listed.
const LISTED: usize = 20;

/// How much happens, in how long, which cases need most, and whose delays cost most.
#[must_use]
pub fn text(expected: &Expected) -> String {
    let mut out = String::new();
    let Expected { steps, in_one_run, hours_once, hours, cases, costs } = expected;
    let _ = writeln!(
        out,
        "{in_one_run:.1} of {steps} steps happen as intended in one run of each case, in {}",
        time(*hours_once)
    );
    match hours {
        Some(hours) => {
            let _ = writeln!(out, "all of them do, as good as certainly, in {}", time(*hours));
        }
        None => {
            let _ = writeln!(out, "some never do: their values can not arrive in time");
        }
    }
    let mut wanting: Vec<_> =
        cases.iter().filter(|it| it.tries.is_none_or(|it| it > 1.0)).collect();
    wanting.sort_by(|a, b| {
        let key = |it: Option<f64>| it.unwrap_or(f64::INFINITY);
        key(b.tries).total_cmp(&key(a.tries)).then_with(|| a.name.cmp(&b.name))
    });
    for case in wanting.iter().take(LISTED) {
        let tries = case.tries.map_or("can not".to_owned(), |it| format!("{it:.0} runs"));
        let last = case.steps.last().copied().unwrap_or(1.0);
        let _ = writeln!(out, "  `{}`: {tries} (its last step: {last:.3} in one run)", case.name);
    }
    if wanting.len() > LISTED {
        let _ =
            writeln!(out, "  and {} further cases need more than one run", wanting.len() - LISTED);
    }
    for cost in costs.iter().take(LISTED) {
        let _ =
            writeln!(out, "the delays of `{}` cost {:.2} steps in a run", cost.name, cost.steps);
    }
    out
}

/// A time that is given in hours.
fn time(hours: f64) -> String {
    match hours {
        it if it < 1.0 / 60.0 => format!("{:.1} s", it * 3600.0),
        it if it < 2.0 => format!("{:.1} minutes", it * 60.0),
        it => format!("{it:.1} hours"),
    }
}
