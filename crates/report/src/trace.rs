//! A run as text: a block of lines for each step, which says when, who, and what changes.
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
    view::trace::{Ending, Move, State, Step, Trace, Value},
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
    for (index, step) in trace.steps.iter().enumerate() {
        let number = index + 1;
        block.heading(indent, &format!("{number:<number_width$}  {}", when(step)));
        self::step(&mut block, step);
    }
    block.heading(indent, &end(trace));
    block.list([ending(trace)], usize::MAX);
    block.out
}

/// The locations, variables and clocks of a state, each line indented by `indent`.
pub(crate) fn state_text(state: &State, indent: usize, width: Option<u16>) -> String {
    let mut block = Block::new(indent, width);
    self::state(&mut block, state);
    block.out
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
    clocks(block, state);
}

fn clocks(block: &mut Block, state: &State) {
    let texts = state.clocks.iter().map(|clock| format!("{} = {}", clock.name, clock.value.exact));
    block.list(texts, usize::MAX);
}

fn step(block: &mut Block, step: &Step) {
    for moved in &step.moves {
        block.list([movement(moved)], usize::MAX);
    }
    block.list(
        step.changes
            .iter()
            .map(|change| format!("{}: {} → {}", change.variable, change.before, change.after)),
        usize::MAX,
    );
    clocks(block, &step.state);
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

/// How the run ends.
fn ending(trace: &Trace) -> String {
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
