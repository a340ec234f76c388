//! What was sent and seen on a platform, as a picture: M and C where variables outside were set and seen, I and O for the time in
//! which that was inside, and the steps of the software.
//!
//! A page stays small: of many variables those are drawn in which something happens, of long runs a part around the first step that did not
//! pass. What is left out is said below.

use std::fmt::Write as _;

use crate::plot::scale::Range;
use crate::svg::write::{attribute, escaped, number};
use crate::text::{clean, one_line, shortened, width};
use crate::view::matrix::Outcome;
use crate::view::timeline::{Lane, Mark, Step, Timeline};

use crate::runs::html::Html;

/// More variables than this are not drawn.
const LANES_MAX: usize = 60;
/// More marks and steps than this are not drawn.
const MARKS_MAX: usize = 1_500;
/// More strokes for values that stay the same are not drawn; about ten bytes each.
const STROKES_MAX: usize = 20_000;
/// Of variables that several lines lead to, so many windows are drawn.
const LINES_MAX: usize = 8;

/// The height of a lane, of what is above all lanes, and of what is below.
const LANE: f64 = 40.0;
const HEAD: f64 = 24.0;
const FOOT: f64 = 22.0;
/// The width of the names.
const NAMES: f64 = 140.0;
/// The width of the picture: so much for each step, but no less and no more than these.
const STEP: f64 = 46.0;
const NARROWEST: f64 = 980.0;
const WIDEST: f64 = 12_000.0;
const SIZE: f64 = 11.0;

/// The section with the picture, and words about it.
pub(in crate::runs) fn section(page: &mut Html, timeline: &Timeline) {
    let mut drawing = Drawing::new(timeline);
    let (names, picture) = (drawing.names(), drawing.picture());
    page.raw("<section id=\"platform\">\n").element("h2", "", "Platform");
    page.element("p", " class=\"hint\"", &timeline.manner);
    legend(page, timeline);
    page.raw(concat!(
        "<div class=\"drawing platform\" role=\"region\" tabindex=\"0\" ",
        "aria-label=\"Variables outside over time, and the steps of the software\">",
    ));
    page.raw(&names).raw(&picture).raw("</div>\n");
    for note in drawing.notes() {
        page.element("p", " class=\"hint\"", &note);
    }
    page.raw("</section>\n");
}

fn legend(page: &mut Html, timeline: &Timeline) {
    page.raw("<div class=\"legend\">");
    let mut key = |class: &str, text: &str| {
        page.raw(&format!("<span class=\"key {class}\">")).text(text).raw("</span>");
    };
    key("input", "M: set outside");
    key("reaches", "I: reaches the software");
    if timeline.lanes.iter().any(|lane| !lane.arrived_ns.is_empty()) {
        key("arrived", "I: the device told that a value arrived");
    }
    key("written", "O: written by the software");
    key("output", "C: seen outside");
    key("stepped", "a step is done; its number is that of the interaction");
    let has = |result: Outcome| timeline.steps.iter().any(|it| it.result == result);
    if has(Outcome::Failed) {
        key("stepped failed", "✕: it failed");
    }
    if has(Outcome::Inconclusive) {
        key("stepped unsure", "inconclusive");
    }
    if timeline.steps.iter().any(|it| is_missed(timeline, it)) {
        let sure = timeline.sure;
        key("stepped missed", &format!("happened as intended with a probability below {sure}"));
    }
    page.raw("</div>\n");
    let risk = timeline.risk;
    let words = match timeline.risk > 0.0 {
        true => format!(
            "A window has all delays but the rarest: one is shorter with a probability of {risk:.1e}, and longer with the same. The stroke in it is the mean delay."
        ),
        false => "A window has all delays; the stroke in it is the mean delay.".to_owned(),
    };
    page.element("p", " class=\"hint\"", &words);
}

/// True if a step may be right, and is not sure to have happened as the case intends.
fn is_missed(timeline: &Timeline, step: &Step) -> bool {
    step.result != Outcome::Failed && step.exercised.is_some_and(|it| it < timeline.sure)
}

struct Drawing<'t> {
    timeline: &'t Timeline,
    /// The lanes that are drawn, from top to bottom.
    lanes: Vec<&'t Lane>,
    /// The part of the run that is drawn, in nanoseconds.
    part: (u64, u64),
    width: f64,
    /// How many marks are drawn, and strokes for values that stay the same.
    n_marks: usize,
    n_strokes: usize,
}

impl<'t> Drawing<'t> {
    fn new(timeline: &'t Timeline) -> Drawing<'t> {
        let lanes = lively(&timeline.lanes);
        let part = part(timeline, &lanes);
        let n_steps = timeline.steps.iter().filter(|it| is_in(part, it.at_ns)).count();
        let width = (n_steps as f64 * STEP).clamp(NARROWEST, WIDEST);
        Drawing { timeline, lanes, part, width, n_marks: 0, n_strokes: 0 }
    }

    fn height(&self) -> f64 {
        HEAD + self.lanes.len() as f64 * LANE + FOOT
    }

    /// The place of an instant. What lies outside of the part that is drawn is at its border.
    fn x(&self, ns: f64) -> f64 {
        let (from, to) = (self.part.0 as f64, self.part.1 as f64);
        4.0 + ((ns - from) / (to - from).max(1.0)).clamp(0.0, 1.0) * (self.width - 8.0)
    }

    /// The names of the lanes, in a picture of their own that stays where it is when the other one is moved.
    fn names(&self) -> String {
        let mut out = begin("names", NAMES, self.height());
        for (i, lane) in self.lanes.iter().enumerate() {
            let top = HEAD + i as f64 * LANE;
            let name = one_line(&lane.name);
            out.push_str("<g>");
            title(&mut out, &format!("{}: {name}", side(lane)));
            words(&mut out, "name", (6.0, top + 16.0), &shortened(&name, 13.5, NAMES - 10.0));
            words(&mut out, "side", (6.0, top + 31.0), side(lane));
            out.push_str("</g>\n");
        }
        out + "</svg>"
    }

    fn picture(&mut self) -> String {
        let mut out = begin("lanes", self.width, self.height());
        for i in (0..self.lanes.len()).step_by(2) {
            out.push_str("<rect class=\"lane\"");
            for (name, value) in
                [("y", HEAD + i as f64 * LANE), ("width", self.width), ("height", LANE)]
            {
                attribute(&mut out, name, value);
            }
            out.push_str("/>\n");
        }
        self.axis(&mut out);
        self.steps(&mut out);
        for (i, lane) in self.lanes.clone().into_iter().enumerate() {
            self.lane(&mut out, lane, HEAD + i as f64 * LANE);
        }
        out + "</svg>"
    }

    fn axis(&self, out: &mut String) {
        let (from, to) = (self.part.0 as f64 / 1e9, self.part.1 as f64 / 1e9);
        let ticks = Range::new(from, to).ticks((self.width / 90.0) as usize);
        for (value, label) in ticks.values.iter().zip(ticks.labels()) {
            let x = self.x(value * 1e9);
            out.push_str("<path class=\"tick\" d=\"M");
            pair(out, x, self.height() - FOOT);
            out.push_str("v5\"/>");
            // A label at a border would be cut.
            if x > 16.0 && x < self.width - 26.0 {
                words(out, "time", (x, self.height() - 6.0), &format!("{label} s"));
            }
        }
        out.push('\n');
    }

    fn steps(&self, out: &mut String) {
        let mut free = 0.0;
        let shown = self.timeline.steps.iter().filter(|it| is_in(self.part, it.at_ns));
        for step in shown.take(MARKS_MAX) {
            let x = self.x(step.at_ns as f64);
            let class = match step.result {
                Outcome::Failed => " failed",
                Outcome::Inconclusive => " unsure",
                _ if step.interaction.is_none() || step.is_behind => " aside",
                _ => "",
            };
            let missed = if is_missed(self.timeline, step) { " missed" } else { "" };
            let _ = write!(out, "<g class=\"step{class}{missed}\">");
            title(out, &self.step_in_words(step));
            out.push_str("<path d=\"M");
            pair(out, x, HEAD - 4.0);
            out.push('V');
            number(out, self.height() - FOOT);
            out.push_str("\"/>");
            let label = step.interaction.map(|it| it.to_string()).unwrap_or_default();
            let label = if class == " failed" { format!("✕{label}") } else { label };
            let half = width(&label, SIZE) / 2.0;
            if !label.is_empty() && x - half >= free {
                words(out, "number", (x, HEAD - 8.0), &label);
                free = x + half + 3.0;
            }
            out.push_str("</g>\n");
        }
    }

    fn step_in_words(&self, step: &Step) -> String {
        let mut text = match (step.interaction, step.is_behind) {
            (None, _) => format!("step {} of the software, before the case", step.number),
            (Some(it), true) => format!("interaction {it}, behind the last one of the case"),
            (Some(it), false) => format!("interaction {it}"),
        };
        let _ = write!(text, ": done at {}", ms(step.at_ns as f64));
        if self.timeline.software_ns > 0.0 {
            let read = step.at_ns as f64 - self.timeline.software_ns;
            let _ = write!(text, ", inputs read at about {}", ms(read));
        }
        if let Some(it) = step.exercised {
            let _ = write!(text, "\nhappened as intended with a probability of {it:.4}");
        }
        match step.result {
            Outcome::Failed => text.push_str("\nfail"),
            Outcome::Inconclusive => text.push_str("\ninconclusive"),
            _ => {}
        }
        if !step.reason.is_empty() {
            let _ = write!(text, ": {}", one_line(&step.reason));
        }
        text
    }

    fn lane(&mut self, out: &mut String, lane: &Lane, top: f64) {
        let part = self.part;
        let shown: Vec<&Mark> = lane.marks.iter().filter(|it| is_in(part, it.at_ns)).collect();
        for (i, mark) in shown.iter().enumerate() {
            if self.n_marks >= 2 * MARKS_MAX {
                return;
            }
            self.n_marks += 1;
            let end = shown.get(i + 1).map_or(self.width, |it| self.x(it.at_ns as f64) - 5.0);
            self.mark(out, lane, mark, (top, end));
        }
        let mut free = 0.0;
        for at in lane.arrived_ns.iter().filter(|at| is_in(part, **at)) {
            let x = self.x(*at as f64);
            if x >= free && self.n_strokes < STROKES_MAX {
                self.n_strokes += 1;
                free = x + 2.0;
                out.push_str("<path class=\"arrived\" d=\"M");
                pair(out, x, top + 22.0);
                out.push_str("l4 5l-4 5l-4 -5z\">");
                title(
                    out,
                    &format!("{}: a value arrived at {}", one_line(&lane.name), ms(*at as f64)),
                );
                out.push_str("</path>\n");
            }
        }
    }

    /// A value, with the time in which it was inside. There is room for its label up to `end`.
    fn mark(&mut self, out: &mut String, lane: &Lane, mark: &Mark, (top, end): (f64, f64)) {
        let x = self.x(mark.at_ns as f64);
        let (class, outer, inner) = match lane.is_monitored {
            true => ("m", "M", "I"),
            false => ("c", "C", "O"),
        };
        let _ = write!(out, "<g class=\"event {class}\">");
        title(out, &in_words(lane, mark));
        let lines = &lane.lines[..lane.lines.len().min(LINES_MAX)];
        let height = 10.0 / lines.len().max(1) as f64;
        for (i, line) in lines.iter().enumerate() {
            let y = top + 23.0 + i as f64 * height;
            let [from, mean, to] = lane.window(line, mark.at_ns).map(|ns| self.x(ns));
            out.push_str("<path class=\"way\" d=\"M");
            pair(out, x, top + 15.0);
            out.push('L');
            pair(out, if lane.is_monitored { from } else { to }, y + height / 2.0);
            out.push_str("\"/><rect class=\"window\"");
            for (name, value) in
                [("x", from), ("y", y), ("width", (to - from).max(1.0)), ("height", height)]
            {
                attribute(out, name, value);
            }
            out.push_str("/><path class=\"mean\" d=\"M");
            pair(out, mean, y - 2.0);
            out.push('v');
            number(out, height + 4.0);
            out.push_str("\"/>");
            if i == 0 && to - from >= 14.0 {
                words(out, "kind", (from + 2.0, top + 32.0), inner);
            }
        }
        out.push_str("<path class=\"mark\" d=\"M");
        match lane.is_monitored {
            true => {
                pair(out, x - 4.0, top + 7.0);
                out.push_str("h8l-4 8z\"/>");
            }
            false => {
                pair(out, x - 4.0, top + 11.0);
                out.push_str("a4 4 0 1 0 8 0a4 4 0 1 0 -8 0z\"/>");
            }
        }
        self.again(out, mark, top);
        let room = end - x - 6.0;
        if room >= width(outer, SIZE) {
            let label = format!("{outer} {}", one_line(&mark.value));
            words(out, "value", (x + 6.0, top + 15.0), &shortened(&label, SIZE, room));
        }
        out.push_str("</g>\n");
    }

    /// Small strokes where a value was set or seen again.
    fn again(&mut self, out: &mut String, mark: &Mark, top: f64) {
        let mut path = String::new();
        let mut free = self.x(mark.at_ns as f64) + 2.0;
        for at in mark.again_ns.iter().filter(|at| is_in(self.part, **at)) {
            let x = self.x(*at as f64);
            if x >= free && self.n_strokes < STROKES_MAX {
                self.n_strokes += 1;
                free = x + 2.0;
                path.push('M');
                pair(&mut path, x, top + 1.0);
                path.push_str("v4");
            }
        }
        if !path.is_empty() {
            let _ = write!(out, "<path class=\"again\" d=\"{path}\"/>");
        }
    }

    /// What is not drawn.
    fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        let n_lanes = self.timeline.lanes.len();
        if self.lanes.len() < n_lanes {
            let hidden = n_lanes - self.lanes.len();
            notes.push(format!(
                "Drawn are {} of {n_lanes} variables; {hidden} in which least happens are left out.",
                self.lanes.len()
            ));
        }
        let n_marks: usize = self.lanes.iter().map(|lane| lane.marks.len()).sum();
        let steps = &self.timeline.steps;
        let n_steps = steps.iter().filter(|it| is_in(self.part, it.at_ns)).take(MARKS_MAX).count();
        if self.n_marks < n_marks || n_steps < steps.len() {
            notes.push(format!(
                "Drawn is the time from {} to {}; {} values and {} steps are left out.",
                ms(self.part.0 as f64),
                ms(self.part.1 as f64),
                n_marks - self.n_marks,
                steps.len() - n_steps
            ));
        }
        notes.push(
            "A small stroke at the top of a lane: the same value was set or seen again.".to_owned(),
        );
        notes
    }
}

/// The lanes in which most happens, in their order. Where there are too many, both sides have equal shares.
fn lively(lanes: &[Lane]) -> Vec<&Lane> {
    let mut n_before = [0; 2];
    let mut chosen: Vec<(usize, usize, &Lane)> = Vec::new();
    for (at, lane) in lanes.iter().enumerate() {
        let side = &mut n_before[usize::from(lane.is_monitored)];
        chosen.push((*side, at, lane));
        *side += 1;
    }
    // What changes comes before what was only told once, and that before nothing.
    chosen.sort_by_key(|(place, _, lane)| (std::cmp::Reverse(lane.marks.len().min(2)), *place));
    chosen.truncate(LANES_MAX);
    chosen.sort_by_key(|(_, at, _)| *at);
    chosen.into_iter().map(|(.., lane)| lane).collect()
}

/// The part of a run that is drawn, in nanoseconds: all of it, or as much as there is room for around the first step that did not pass.
fn part(timeline: &Timeline, lanes: &[&Lane]) -> (u64, u64) {
    let marks = lanes.iter().flat_map(|lane| &lane.marks).map(|mark| mark.at_ns);
    let mut instants: Vec<u64> = marks.chain(timeline.steps.iter().map(|it| it.at_ns)).collect();
    instants.sort_unstable();
    if instants.len() <= MARKS_MAX {
        return (0, instants.last().copied().unwrap_or(0).max(timeline.end_ns));
    }
    let is_bad = |it: &&Step| matches!(it.result, Outcome::Failed | Outcome::Inconclusive);
    let bad = timeline.steps.iter().find(is_bad).map_or(0, |it| it.at_ns);
    let before = instants.partition_point(|at| *at < bad);
    let start = before.saturating_sub(MARKS_MAX / 2).min(instants.len() - MARKS_MAX);
    (instants[start], instants[start + MARKS_MAX - 1])
}

fn is_in((from, to): (u64, u64), at_ns: u64) -> bool {
    (from..=to).contains(&at_ns)
}

fn side(lane: &Lane) -> &'static str {
    if lane.is_monitored { "monitored" } else { "controlled" }
}

fn in_words(lane: &Lane, mark: &Mark) -> String {
    let verb = if lane.is_monitored { "set" } else { "seen" };
    let at = ms(mark.at_ns as f64);
    let mut text = format!("{} = {}: {verb} at {at}", one_line(&lane.name), one_line(&mark.value));
    for line in lane.lines.iter().take(LINES_MAX) {
        let [from, mean, to] = lane.window(line, mark.at_ns).map(ms);
        let variable = one_line(&line.variable);
        let inside = match lane.is_monitored {
            true => format!("reaches {variable}"),
            false => format!("{variable} written"),
        };
        let _ = write!(text, "\n{inside} from {from} to {to}, on average at {mean}");
    }
    if let Some(last) = mark.again_ns.last() {
        let n = mark.again_ns.len();
        let times = if n == 1 { "once".to_owned() } else { format!("{n} times") };
        let _ = write!(text, "\n{verb} again {times}, the last at {}", ms(*last as f64));
    }
    text
}

/// Nanoseconds as milliseconds, to the microsecond.
fn ms(ns: f64) -> String {
    format!("{:.3} ms", ns / 1e6)
}

fn begin(class: &str, width: f64, height: f64) -> String {
    let mut out = format!("<svg class=\"{class}\"");
    attribute(&mut out, "width", width);
    attribute(&mut out, "height", height);
    out.push_str(">\n");
    out
}

fn pair(out: &mut String, x: f64, y: f64) {
    number(out, x);
    out.push(' ');
    number(out, y);
}

fn title(out: &mut String, text: &str) {
    out.push_str("<title>");
    escaped(out, &clean(text));
    out.push_str("</title>");
}

/// A line of text whose base line begins there; the style sheet says where it stands.
fn words(out: &mut String, class: &str, (x, y): (f64, f64), text: &str) {
    let _ = write!(out, "<text class=\"{class}\"");
    attribute(out, "x", x);
    attribute(out, "y", y);
    out.push('>');
    escaped(out, &clean(text));
    out.push_str("</text>");
}
