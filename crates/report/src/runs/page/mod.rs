//! One run as one HTML page that loads nothing: verdict and diagnosis in words, the timeline, the
//! automata, the events, the numbers.
//!
//! What matters most is plain HTML and can be read without a script. The script draws the timeline
//! and the table of events from data in the page, and only those parts that are visible, so that
//! a hundred thousand events are no burden.

mod automata;
mod data;
mod objectives;
mod platform;
mod sections;
mod steps;
mod thin;
mod waves;

use punctual_campaign::store::{Record, Run};
use punctual_campaign::summary::Digest;

pub use automata::Automaton;
pub(super) use automata::section as coverage;

use super::html::Html;
use super::ports::Ports;
use super::words;
use crate::view::timeline::Timeline;

const SCRIPTS: [&str; 4] = [
    include_str!("../../../assets/timeline.js"),
    include_str!("../../../assets/waves.js"),
    include_str!("../../../assets/drawing.js"),
    include_str!("../../../assets/events.js"),
];

/// The page. `automata` are those of the model that lies beside the record; they are coloured by
/// what the run covered.
#[must_use]
pub fn page(run: &Run, record: &Record, automata: &[Automaton]) -> String {
    page_on(run, record, automata, None)
}

/// The page of a run on a platform, which also shows what was sent and seen outside, and when that can have been inside.
#[must_use]
pub fn page_on(
    run: &Run,
    record: &Record,
    automata: &[Automaton],
    platform: Option<&Timeline>,
) -> String {
    let digest = Digest::of(run.clone(), record);
    let thinned = thin::thinned(record);
    let (record, left_out) = match &thinned {
        Some((thin, left_out)) => (thin, Some(*left_out)),
        None => (record, None),
    };
    let ports = Ports::of(record);
    let verdict = words::verdict(digest.verdict());
    let mut page = Html::default();
    page.begin(&format!("{verdict}: run {}", run.name), verdict);
    page.raw("<a class=\"skip\" href=\"#timeline\">Skip to the timeline</a>\n");
    sections::verdict(&mut page, &digest);
    page.raw("<main>\n");
    sections::diagnosis(&mut page, &digest);
    sections::timeline(&mut page, &digest, &ports, left_out);
    if let Some(timeline) = platform {
        platform::section(&mut page, timeline);
        if let Some(objectives) = &timeline.objectives {
            objectives::section(&mut page, objectives);
        }
    }
    steps::steered(&mut page, &ports, record.header.unit_ns);
    steps::judged(&mut page, record, &ports);
    steps::said(&mut page, record);
    let diagnosis = digest.end.as_ref().and_then(|end| end.diagnosis.as_ref());
    automata::section(
        &mut page,
        ("coverage", "Coverage of the model"),
        digest.coverage.as_ref(),
        diagnosis,
        automata,
    );
    sections::events(&mut page, &digest);
    sections::statistics(&mut page, &digest);
    page.raw("</main>\n");
    page.raw("<div id=\"tip\" role=\"presentation\" hidden></div>\n");
    page.raw("<script type=\"application/json\" id=\"data\">");
    page.raw(&data::json(record, &ports)).raw("</script>\n");
    page.finish(&SCRIPTS)
}
