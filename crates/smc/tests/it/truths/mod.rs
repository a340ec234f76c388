//! Small models whose probabilities and expectations are known in closed form. The formula stands
//! in a comment next to each.
//!
//! An estimate from [`RUNS`] runs must be within [`DEVIATIONS`] standard deviations of the truth. The
//! seed is fixed, so a test that passes once passes always; with another seed one in 150 000 would
//! fail by chance.

mod allocation;
mod builder;
mod channels;
mod choices;
mod clocks;
mod coverage;
mod delays;
mod errors;
mod examples;
mod kept;
mod paths;
mod races;
mod replay;
mod spent;

use punctual_lang::{Input, Reading, read_with_queries};
use punctual_smc::{Answer, Options, Outcome, Refusal, check};

use builder::{Model, model, process};

const RUNS: u64 = 20_000;
const DEVIATIONS: f64 = 4.5;
const SEED: u64 = 20_240_229;

fn options() -> Options {
    Options { seed: SEED, runs: Some(RUNS), ..Options::default() }
}

/// The only caller of the checker here.
fn ask(xml: &str, query: &str, options: &Options) -> Result<Outcome, Refusal> {
    let file = Input { name: "model.xml", bytes: xml.as_bytes() };
    let queries = Input { name: "model.q", bytes: query.as_bytes() };
    let Reading { model, diagnostics, .. } = read_with_queries(file, Some(queries));
    let model = model.unwrap_or_else(|| panic!("{diagnostics:?}"));
    let entry = model.queries.iter().find(|entry| entry.from_query_file).expect("one query");
    let property = entry.property.as_ref().unwrap_or_else(|| panic!("{:?}", entry.diagnostics));
    check(&model.network, property, options, &mut ())
}

fn answer(model: &Model, query: &str, options: &Options) -> Answer {
    ask(&model.xml(), query, options).unwrap_or_else(|refusal| panic!("{refusal:?}")).answer
}

/// The share of runs that fulfil a formula.
fn share(xml: &str, query: &str) -> f64 {
    let outcome = ask(xml, query, &options()).unwrap_or_else(|refusal| panic!("{refusal:?}"));
    match outcome.answer {
        Answer::Probability(found) => found.satisfied as f64 / outcome.runs as f64,
        other => panic!("{query}: {other:?}"),
    }
}

/// A formula has this probability.
#[track_caller]
fn likely(model: &Model, query: &str, probability: f64) {
    likely_in(&model.xml(), query, probability);
}

#[track_caller]
fn likely_in(xml: &str, query: &str, probability: f64) {
    let share = share(xml, query);
    let deviation = (probability * (1.0 - probability) / RUNS as f64).sqrt();
    let off = (share - probability).abs();
    assert!(off <= DEVIATIONS * deviation, "{query}: {share}, and not {probability}");
}

/// An expectation has this mean, and a single run this deviation.
#[track_caller]
fn expected(model: &Model, query: &str, mean: f64, deviation: f64) {
    let Answer::Expectation(found) = answer(model, query, &options()) else { panic!("{query}") };
    let off = (found.mean.expect("runs") - mean).abs();
    let allowed = DEVIATIONS * deviation / (RUNS as f64).sqrt() + 1e-9;
    assert!(off <= allowed, "{query}: {:?}, and not {mean}", found.mean);
}
