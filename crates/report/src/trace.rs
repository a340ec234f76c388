//! A run as text: a block of lines for each step, which says when, who, and what changes. A clock
//! is shown where it has another value than one step earlier.
//!
//! ```text
//! start
//!     Gate.Free, Train(0).Safe
//!     len = 0
//!     x = 0
//! 1   after 7/2, at time 7/2
//!     Train(0): Safe → Appr  (appr[0]!)
//!     Gate: Free → Occ  (appr[0]?, e = 0)
//!     len: 0 → 1
//!     x = 7/2
//! ```

use std::fmt;

use crate::{
    text::clean,
    view::answers::FiledTrace,
    view::trace::{Clock, Ending, Move, Number, State, Step, Trace, Value},
};

/// Lines are broken here where the width is not known.
const COLUMNS: usize = 100;
/// More variables of a state than this are counted, not shown.
const VARIABLES_MAX: usize = 60;

/// The run, each line indented by `indent`, broken at `width` columns.
pub fn text(trace: &Trace, indent: usize, width: Option<u16>) -> String {
    let number_width = trace.steps.len().to_string().len().max(2);
    let mut block = Block::new(indent + number_width + 2, width);
    block.heading(indent, "start");
    state(&mut block, &trace.start);
    let mut before = &trace.start;
    for (index, step) in trace.steps.iter().enumerate() {
        let number = index + 1;
        block.heading(indent, &format!("{number:<number_width$}  {}", when(step)));
        self::step(&mut block, before, step);
        before = &step.state;
    }
    block.heading(indent, &end(trace));
    block.list([ending(trace)], usize::MAX);
    block.out
}

/// Runs with the queries that they are about, as a file.
#[must_use]
pub fn file(filed: &[FiledTrace]) -> String {
    let text =
        |it: &FiledTrace| format!("{}: {}\n\n{}", it.answer, it.query, text(&it.trace, 0, None));
    filed.iter().map(text).collect::<Vec<_>>().join("\n")
}

/// Runs with the queries that they are about, as UPPAAL's tools would print them to a file.
#[must_use]
pub fn uppaal_file(filed: &[FiledTrace]) -> String {
    let text = |it: &FiledTrace| {
        let (run, ending) = (uppaal(&it.trace), ending(&it.trace));
        format!("# {}: {}\n\n{run}\n# {ending}\n", it.answer, it.query)
    };
    filed.iter().map(text).collect::<Vec<_>>().join("\n")
}

/// The locations, variables and clocks of a state, each line indented by `indent`.
pub(crate) fn state_text(state: &State, indent: usize, width: Option<u16>) -> String {
    let mut block = Block::new(indent, width);
    self::state(&mut block, state);
    block.out
}

/// The run in the form in which UPPAAL's tools print traces: a line for each state (locations,
/// variables, bounds of clocks) and for each transition (`P.a -> P.b {guard; sync; update;}`).
///
/// DIFFERENCE(tracer): its states are zones after time has passed; these are single states before
/// it passes, with lines that tell the delays, and bounds may be fractions. Test: `it::answers`.
pub fn uppaal(trace: &Trace) -> String {
    let mut out = uppaal_state(&trace.start);
    let delay = |out: &mut String, delay: &Option<Number>| {
        if let Some(delay) = delay.as_ref().filter(|delay| delay.exact != "0") {
            *out += &format!("\nDelay: {}\n", delay.exact);
        }
    };
    for step in &trace.steps {
        delay(&mut out, &step.delay);
        out += "\nTransition:";
        for moved in &step.moves {
            let Move { process, source, target, guard, sync, update, .. } = moved;
            let or = |text: &str, none: &str| match text {
                "" => none.to_owned(),
                text => on_one_line(text),
            };
            let names = on_one_line(&format!("{process}.{source} -> {process}.{target}"));
            let (guard, sync, update) = (or(guard, "1"), or(sync, "0"), or(update, "1"));
            out += &format!(" {names} {{{guard}; {sync}; {update};}}");
        }
        out += "\n\n";
        out += &uppaal_state(&step.state);
    }
    delay(&mut out, &trace.rest);
    out
}

/// `State: P.a n=1 #t(0)-x<=-3 x-#t(0)<=3`
fn uppaal_state(state: &State) -> String {
    let mut out = "State:".to_owned();
    for place in &state.locations {
        out += &on_one_line(&format!(" {}.{}", place.process, place.location));
    }
    for variable in &state.variables {
        let value = match variable.value {
            Value::Bool(value) => i32::from(value),
            Value::Int(value) => value,
        };
        out += &on_one_line(&format!(" {}={value}", variable.name));
    }
    for clock in &state.clocks {
        let (name, value) = (on_one_line(&clock.name), &clock.value.exact);
        let minus = if value == "0" { "" } else { "-" };
        out += &format!(" #t(0)-{name}<={minus}{value} {name}-#t(0)<={value}");
    }
    out + "\n"
}

fn when(step: &Step) -> String {
    match (&step.delay, &step.time) {
        (Some(delay), Some(time)) if delay.exact == "0" => {
            format!("at once, at time {}", time.exact)
        }
        (Some(delay), Some(time)) => format!("after {}, at time {}", delay.exact, time.exact),
        (Some(delay), None) => format!("after {}", delay.exact),
        (None, _) => "then".to_owned(),
    }
}

fn state(block: &mut Block, state: &State) {
    block.list(
        state.locations.iter().map(|place| format!("{}.{}", place.process, place.location)),
        usize::MAX,
    );
    block.list(
        state.variables.iter().map(|variable| format!("{} = {}", variable.name, variable.value)),
        VARIABLES_MAX,
    );
    clocks(block, &state.clocks);
}

fn clocks<'c>(block: &mut Block, clocks: impl IntoIterator<Item = &'c Clock>) {
    let text = |clock: &Clock| format!("{} = {}", clock.name, clock.value.exact);
    block.list(clocks.into_iter().map(text), usize::MAX);
}

/// Who moves, and what is not as it was before.
fn step(block: &mut Block, before: &State, step: &Step) {
    for moved in &step.moves {
        block.list([movement(moved)], usize::MAX);
    }
    block.list(
        step.changes
            .iter()
            .map(|change| format!("{}: {} → {}", change.variable, change.before, change.after)),
        usize::MAX,
    );
    let after = &step.state.clocks;
    let changed =
        after.iter().enumerate().filter(|(index, clock)| before.clocks.get(*index) != Some(clock));
    clocks(block, changed.map(|(_, clock)| clock));
}

/// `Gate: Free → Occ  (appr[0]?, e = 0)`
fn movement(moved: &Move) -> String {
    let mut notes: Vec<String> =
        Some(moved.sync.clone()).filter(|sync| !sync.is_empty()).into_iter().collect();
    notes.extend(moved.selected.iter().map(|select| format!("{} = {}", select.name, select.value)));
    let notes = if notes.is_empty() { String::new() } else { format!("  ({})", notes.join(", ")) };
    format!("{}: {} → {}{notes}", moved.process, moved.source, moved.target)
}

/// When the run ends.
fn end(trace: &Trace) -> String {
    match trace.rest.as_ref().filter(|rest| rest.exact != "0") {
        Some(rest) => {
            let duration = trace.duration.as_ref();
            let at = duration.map_or(String::new(), |time| format!(", at time {}", time.exact));
            format!("end after another {}{at}", rest.exact)
        }
        None => "end".to_owned(),
    }
}

/// How the run ends, in a sentence.
pub fn ending(trace: &Trace) -> String {
    match trace.ending {
        Ending::Goal => "this state decides the query".to_owned(),
        Ending::Deadlock => "nothing more can happen: a deadlock".to_owned(),
        Ending::Divergence => "from here on only time passes, for ever".to_owned(),
        Ending::Cycle { from: 0 } => "as at the start; all over again, for ever".to_owned(),
        Ending::Cycle { from } => {
            format!("as after step {from}; from there all over again, for ever")
        }
        Ending::Error => "here the error happens".to_owned(),
    }
}

/// Lines that are indented and broken between their parts.
struct Block {
    out: String,
    indent: usize,
    columns: usize,
}

impl Block {
    fn new(indent: usize, width: Option<u16>) -> Self {
        let columns = width.map_or(COLUMNS, |width| usize::from(width).max(40));
        Self { out: String::new(), indent, columns }
    }

    fn heading(&mut self, indent: usize, text: &str) {
        self.out += &" ".repeat(indent);
        self.out += &on_one_line(text);
        self.out.push('\n');
    }

    /// Parts with commas between them; at most `most` are shown.
    fn list(&mut self, parts: impl IntoIterator<Item = String>, most: usize) {
        let mut column = 0;
        let mut hidden = 0;
        let mut shown = 0;
        for part in parts {
            if shown == most {
                hidden += 1;
                continue;
            }
            shown += 1;
            self.part(&on_one_line(&part), &mut column);
        }
        if hidden > 0 {
            self.part(&format!("… and {hidden} more (`--json` lists all)"), &mut column);
        }
        if column > 0 {
            self.out.push('\n');
        }
    }

    fn part(&mut self, part: &str, column: &mut usize) {
        let width = part.chars().count();
        if *column > 0 && *column + 2 + width < self.columns {
            self.out += ", ";
            *column += 2;
        } else {
            if *column > 0 {
                self.out += ",\n";
            }
            self.out += &" ".repeat(self.indent);
            *column = self.indent;
        }
        self.out += part;
        *column += width;
    }
}

/// Names of models may hold anything; what is shown stays on its line.
fn on_one_line(text: &str) -> String {
    clean(text).replace('\n', " ")
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bool(value) => value.fmt(f),
            Self::Int(value) => value.fmt(f),
        }
    }
}
