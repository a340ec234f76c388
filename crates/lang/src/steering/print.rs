//! How to steer, as the table `[steering]` of a `punctual.toml`.

use std::fmt::Write;

use punctual_model::lustre::Rational;

use super::{Config, LookAhead, Most, Named, Prices, Window};
use crate::{
    testing::table::{key, quoted},
    values::real,
};

/// Writes the table. Reading it gives the same configuration.
pub(crate) fn print(config: &Config, out: &mut String) {
    out.push_str("\n[steering]\n");
    let mut line = |key: &str, value: String| _ = writeln!(out, "{key} = {value}");
    let file = |it: &Named| quoted(&it.text);
    line("model", file(&config.model));
    let files = [
        ("main", &config.main),
        ("tests", &config.tests),
        ("labels", &config.labels),
        ("tolerances", &config.tolerances),
        ("filter", &config.filter),
    ];
    for (key, value) in files {
        value.iter().for_each(|it| line(key, file(it)));
    }
    if !config.traces.is_empty() {
        line("traces", list(&config.traces));
    }
    for (key, value) in [("steer", &config.steer), ("compare", &config.compare)] {
        value.iter().for_each(|it| line(key, list(it)));
    }
    match config.look_ahead {
        None => {}
        Some(LookAhead::All) => line("look-ahead", quoted("all")),
        Some(LookAhead::Steps(steps)) => line("look-ahead", steps.to_string()),
    }
    if config.float {
        line("reals", quoted("float"));
    }
    for (key, value) in [("timeout-ms", config.timeout_ms), ("seed", config.seed)] {
        value.iter().for_each(|it| line(key, it.to_string()));
    }
    let limits = [
        ("candidates", config.candidates),
        ("enumerate", config.enumerate),
        ("steps", config.steps),
        ("alternatives", config.alternatives),
    ];
    for (key, value) in limits {
        value.iter().for_each(|it| line(&format!("limits.{key}"), it.to_string()));
    }
    let within = &config.within;
    match (&within.others, within.named.is_empty()) {
        (Some(it), true) => line("within", number(*it)),
        (others, _) => others.iter().for_each(|it| line("within.\"*\"", number(*it))),
    }
    for (name, it) in &within.named {
        line(&format!("within.{}", key(&name.text)), number(*it));
    }
    if let Some(align) = &config.align {
        line("align.time", quoted(&align.time.text));
        align.tests.iter().for_each(|it| line("align.tests", quoted(&it.text)));
        line("align.within", number(align.within));
        line("align.lost", align.lost.to_string());
        line("align.extra", align.extra.to_string());
    }
    let metric = &config.metric;
    if metric.squared {
        line("metric.kind", quoted("squared-euclidean"));
    }
    for (name, (low, high)) in &metric.ranges {
        let range = format!("[{}, {}]", number(*low), number(*high));
        line(&format!("metric.range.{}", key(&name.text)), range);
    }
    for (name, weight) in &metric.weights {
        line(&format!("metric.weight.{}", key(&name.text)), number(*weight));
    }
    let policy = &config.policy;
    for (key, value) in [
        ("exact-only", policy.exact_only.then_some(true)),
        ("steady", policy.steady.then_some(true)),
        ("held", policy.held),
    ] {
        value.iter().for_each(|it| line(&format!("policy.{key}"), it.to_string()));
    }
    let steps = &policy.steered_steps;
    let most = |it: Most| match it {
        Most::Steps(steps) => steps.to_string(),
        Most::All => quoted("all"),
    };
    steps.together.iter().for_each(|it| line("policy.steered-steps", most(*it)));
    steps.others.iter().for_each(|it| line("policy.steered-steps.\"*\"", most(*it)));
    for (name, it) in &steps.named {
        line(&format!("policy.steered-steps.{}", key(&name.text)), most(*it));
    }
    for (key, value) in [("total-cost", policy.total_cost), ("step", policy.step)] {
        value.iter().for_each(|it| line(&format!("policy.{key}"), number(*it)));
    }
    if policy.goes_on {
        line("policy.after-failure", quoted("continue"));
    }
    let prices = [
        ("unit", &policy.unit),
        ("fixed", &policy.fixed),
        ("renewal", &policy.renewal),
        ("expected", &policy.expected),
    ];
    for (name, Prices { others, named }) in prices {
        match (others, named.is_empty()) {
            (Some(price), true) => line(&format!("policy.{name}"), number(*price)),
            (others, _) => {
                others.iter().for_each(|it| line(&format!("policy.{name}.\"*\""), number(*it)));
            }
        }
        for (var, price) in named {
            line(&format!("policy.{name}.{}", key(&var.text)), number(*price));
        }
    }
    for (name, window) in &config.windows {
        let window = match window {
            Window::Locked => quoted("locked"),
            Window::Free => quoted("free"),
            Window::Between(low, high) => format!("[{}, {}]", number(*low), number(*high)),
        };
        line(&format!("tolerance.{}", key(&name.text)), window);
    }
}

fn list(names: &[Named]) -> String {
    let names: Vec<String> = names.iter().map(|it| quoted(&it.text)).collect();
    format!("[{}]", names.join(", "))
}

fn number(it: Rational) -> String {
    match it.is_integer() {
        true => it.numer().to_string(),
        false => real(it),
    }
}
