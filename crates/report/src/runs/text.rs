//! A run as text, its verdict first.

use punctual_campaign::store::{CutOff, Diagnosis, Ending, Judged, State, Verdict};
use punctual_campaign::summary::{Digest, Last, Steering};

use crate::answers::{BOLD, DIM, Style};
use crate::table::wrapped;
use crate::text::one_line;

use super::words;

/// Where lines are broken if nothing else is said.
const WIDTH: usize = 96;
const INDENT: &str = "      ";
/// How many states and cut off edges are listed.
const LISTED_MAX: usize = 8;

/// All that people want to know of a run first.
#[must_use]
pub fn text(digest: &Digest, style: Style) -> String {
    text_with(digest, style, LISTED_MAX)
}

/// The text with so many single steps and checks that are not a pass.
pub(super) fn text_with(digest: &Digest, style: Style, judged_max: usize) -> String {
    let verdict = digest.verdict();
    let word = words::verdict(verdict).to_uppercase();
    let headline = words::headline(digest);
    let mut out = format!("{}  {headline}\n", style.paint(colour(verdict), &word));
    let (replay, origin) = words::replay(digest);
    out += &format!("{INDENT}replay: {replay}        {origin}\n");
    if digest.is_cut {
        out += &format!("{INDENT}the last line of the record is cut off: the tester was stopped\n");
    }
    let end = digest.end.as_ref();
    if let Some(ending) = end.and_then(|end| end.ending.as_ref())
        && !is_told(ending, &headline)
    {
        out += &format!("{INDENT}the run was over early: {}\n", words::ending(ending));
    }
    if let Some(diagnosis) = end.and_then(|end| end.diagnosis.as_ref()) {
        // What the first line says is not said again.
        let is_said = headline.contains(&words::sentence_part(&diagnosis.explanation));
        let explanation = if is_said { "" } else { &diagnosis.explanation };
        explain(&mut out, diagnosis, explanation, digest.header.unit_ns, style);
    }
    judged(&mut out, digest, style, judged_max);
    steering(&mut out, &digest.steering, style);
    if verdict != Some(Verdict::Pass) {
        tail(&mut out, digest, style);
    }
    numbers(&mut out, digest, style);
    out
}

/// Whether the first line says why the run was over.
fn is_told(ending: &Ending, headline: &str) -> bool {
    match ending.words.trim() {
        "" => headline.contains(&ending.cause.to_string()),
        words => headline.contains(&words::sentence_part(words)),
    }
}

fn colour(verdict: Option<Verdict>) -> &'static str {
    match verdict {
        Some(Verdict::Pass) => "1;32",
        Some(Verdict::Fail) => "1;31",
        Some(Verdict::Inconclusive) | None => "1;33",
    }
}

/// What would have been right, the last good states, and what forbids what was seen: all that the explanation does not say.
#[must_use]
pub fn details(diagnosis: &Diagnosis, unit_ns: u64, style: Style) -> String {
    let mut out = String::new();
    explain(&mut out, diagnosis, "", unit_ns, style);
    out
}

/// How many states a diagnosis has at most. There may be more than those.
pub(super) const STATES_KEPT: usize = 20;

/// What is said of so many states that are not shown, of those that a diagnosis has.
pub(super) fn more_states(more: usize, n_kept: usize) -> String {
    let least = if n_kept >= STATES_KEPT { "at least " } else { "" };
    format!("… and {least}{more} more")
}

/// The rows without those that say the same as another one.
fn distinct(rows: impl Iterator<Item = [String; 3]>) -> Vec<[String; 3]> {
    let mut all: Vec<[String; 3]> = Vec::new();
    for row in rows {
        if !all.contains(&row) {
            all.push(row);
        }
    }
    all
}

fn explain(out: &mut String, diagnosis: &Diagnosis, explanation: &str, unit_ns: u64, style: Style) {
    let width = style.width.map_or(WIDTH, usize::from).max(40) - INDENT.len();
    if !explanation.trim().is_empty() {
        out.push('\n');
        for line in wrapped(explanation, width) {
            *out += &format!("{INDENT}{line}\n");
        }
    }
    let allowed: Vec<[String; 3]> = diagnosis
        .allowed
        .iter()
        .map(|allowed| {
            let ns = |text: &String| words::nanoseconds(text, unit_ns).map(words::seconds);
            let to = allowed.to.as_ref().map_or(Some("for ever".to_owned()), ns);
            let real = match (ns(&allowed.from), to) {
                (Some(from), Some(to)) if from == to => from,
                (Some(from), Some(to)) => format!("{from} to {to}"),
                _ => String::new(),
            };
            [words::signal(allowed), format!("{} units", words::interval(allowed)), real]
        })
        .collect();
    section(out, "allowed instead", &allowed, style);
    let states = distinct(diagnosis.states.iter().map(state));
    section_of(out, "last good states", &states[..states.len().min(LISTED_MAX)], style, LISTED_MAX);
    if states.len() > LISTED_MAX {
        let more = more_states(states.len() - LISTED_MAX, diagnosis.states.len());
        *out += &format!("{INDENT}  {more}\n");
    }
    let cut_off = distinct(diagnosis.cut_off.iter().map(cut));
    section(out, "cut off", &cut_off, style);
}

fn judged(out: &mut String, digest: &Digest, style: Style, most: usize) {
    let row = |it: &Judged| {
        let verdict = words::verdict(Some(it.verdict)).to_owned();
        [it.judged.to_string(), verdict, one_line(&it.reason)]
    };
    let rows: Vec<[String; 3]> = digest.judged.iter().map(row).collect();
    let n_judged = usize::try_from(digest.n_judged).unwrap_or(usize::MAX);
    listed(out, "steps and checks that did not pass", &rows, style, most, n_judged);
}

fn steering(out: &mut String, steering: &Steering, style: Style) {
    if steering.is_empty() {
        return;
    }
    let rows: Vec<[String; 3]> = steering
        .variables
        .iter()
        .map(|(name, changes)| [one_line(name), words::changes(changes), String::new()])
        .collect();
    let mut title = format!("steered in {}", words::count(steering.steered, "step", "steps"));
    if steering.unexplained > 0 {
        let steps = words::count(steering.unexplained, "step differs", "steps differ");
        title += &format!("; {steps} from the model all the same");
    }
    *out += &format!("\n{INDENT}{}\n", style.paint(BOLD, &title));
    rows_of(out, &rows, LISTED_MAX, rows.len());
}

pub(super) fn state(state: &State) -> [String; 3] {
    let variables: Vec<String> =
        state.variables.iter().map(|(name, value)| format!("{name} = {value}")).collect();
    let join = |texts: &[String]| one_line(&texts.join(", "));
    [join(&state.locations), join(&state.clocks), join(&variables)]
}

pub(super) fn cut(cut: &CutOff) -> [String; 3] {
    let source = match (cut.process.as_str(), cut.source.as_str()) {
        ("", name) | (name, "") => name.to_owned(),
        (process, source) => format!("{process}.{source}"),
    };
    let path = match cut.target.is_empty() {
        true => source,
        false => format!("{source} → {}", cut.target),
    };
    [one_line(&path), one_line(&cut.label), one_line(&cut.why)]
}

fn tail(out: &mut String, digest: &Digest, style: Style) {
    let rows: Vec<[String; 3]> = digest
        .tail
        .iter()
        .map(|last| {
            let (at_ns, what) = match last {
                Last::Event(event) => (event.from_ns, words::event(event)),
                Last::Reset { at_ns } => (*at_ns, "reset; time begins anew".to_owned()),
            };
            [words::units(at_ns, digest.header.unit_ns), what, words::seconds(at_ns)]
        })
        .collect();
    section_of(out, "last events, in units of the model", &rows, style, rows.len());
}

fn numbers(out: &mut String, digest: &Digest, style: Style) {
    let mut lines = Vec::new();
    if let Some(coverage) = &digest.coverage {
        let ((taken, edges), (visited, locations)) = coverage.totals();
        let edges = words::count(edges as u64, "edge", "edges");
        let locations = words::count(locations as u64, "location", "locations");
        lines.push(format!("covered {taken} of {edges}, {visited} of {locations}"));
    }
    if let Some(end) = &digest.end {
        for (name, cost) in
            [("action", end.statistics.after_action), ("delay", end.statistics.after_delay)]
        {
            if cost.n > 0 {
                lines.push(format!(
                    "after {}: {:.1} states on average, {} at most; {:.1} µs, {:.1} µs at most",
                    words::count(cost.n, name, &format!("{name}s")),
                    cost.mean_states,
                    words::grouped(cost.max_states),
                    cost.mean_us,
                    cost.max_us,
                ));
            }
        }
    }
    if !lines.is_empty() {
        out.push('\n');
    }
    for line in lines {
        *out += &format!("{INDENT}{}\n", style.paint(DIM, &line));
    }
}

fn section(out: &mut String, title: &str, rows: &[[String; 3]], style: Style) {
    section_of(out, title, rows, style, LISTED_MAX);
}

fn section_of(out: &mut String, title: &str, rows: &[[String; 3]], style: Style, most: usize) {
    listed(out, title, rows, style, most, rows.len());
}

/// A section of some of `n_all` rows.
fn listed(
    out: &mut String,
    title: &str,
    rows: &[[String; 3]],
    style: Style,
    most: usize,
    n_all: usize,
) {
    if rows.is_empty() {
        return;
    }
    *out += &format!("\n{INDENT}{}\n", style.paint(BOLD, title));
    rows_of(out, rows, most, n_all);
}

fn rows_of(out: &mut String, rows: &[[String; 3]], most: usize, n_all: usize) {
    let width = |column: usize| {
        rows.iter().take(most).map(|row| row[column].chars().count()).max().unwrap_or(0).min(48)
    };
    let (first, second) = (width(0), width(1));
    for [one, two, three] in rows.iter().take(most) {
        let line = format!("{INDENT}  {one:<first$}  {two:<second$}  {three}");
        *out += line.trim_end();
        out.push('\n');
    }
    let n_shown = rows.len().min(most);
    if n_all > n_shown {
        *out += &format!("{INDENT}  … and {} more\n", n_all - n_shown);
    }
}
