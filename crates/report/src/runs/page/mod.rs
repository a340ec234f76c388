//! One run as one HTML page that loads nothing: verdict and diagnosis in words, the timeline, the
//! automata, the events, the numbers.
//!
//! What matters most is plain HTML and can be read without a script. The script draws the timeline
//! and the table of events from data in the page, and only those parts that are visible, so that
//! a hundred thousand events are no burden.

mod automata;
mod data;
mod html;
mod sections;

use punctual_campaign::store::{Record, Run};
use punctual_campaign::summary::Digest;

pub use automata::Automaton;

use html::Html;

use super::words;

const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'";
const STYLE: &str = include_str!("../../../assets/run.css");
const SCRIPTS: [&str; 3] = [
    include_str!("../../../assets/timeline.js"),
    include_str!("../../../assets/drawing.js"),
    include_str!("../../../assets/events.js"),
];

/// The page. `automata` are those of the model that lies beside the record; they are coloured by
/// what the run covered.
#[must_use]
pub fn page(run: &Run, record: &Record, automata: &[Automaton]) -> String {
    let digest = Digest::of(run.clone(), record);
    let verdict = words::verdict(digest.verdict());
    let mut page = Html::default();
    page.raw("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
    page.raw("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n");
    page.raw(&format!("<meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n"));
    page.element("title", "", &format!("{verdict}: run {}", run.name));
    page.raw("<style>\n").raw(STYLE).raw("</style>\n</head>\n");
    page.raw(&format!("<body class=\"{verdict}\">\n"));
    page.raw("<a class=\"skip\" href=\"#timeline\">Skip to the timeline</a>\n");
    sections::verdict(&mut page, &digest);
    page.raw("<main>\n");
    sections::diagnosis(&mut page, &digest);
    sections::timeline(&mut page, &digest);
    automata::section(&mut page, &digest, automata);
    sections::events(&mut page, &digest);
    sections::statistics(&mut page, &digest);
    page.raw("</main>\n");
    sections::footer(&mut page, &digest);
    page.raw("<div id=\"tip\" role=\"presentation\" hidden></div>\n");
    page.raw("<script type=\"application/json\" id=\"data\">");
    page.raw(&data::json(record)).raw("</script>\n<script>\n\"use strict\";\n");
    for script in SCRIPTS {
        page.raw(script);
    }
    page.raw("</script>\n</body>\n</html>\n");
    page.finish()
}
