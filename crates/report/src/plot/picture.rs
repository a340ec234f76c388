//! The sheet a plot is drawn on: a title, a legend and notes around panes that lie below each
//! other. Its width is fixed; its height is what the parts need.

use std::fmt::Write as _;

use crate::geometry::{Pt, Rect};
use crate::svg::{document, palette, write};
use crate::text;

pub(crate) const WIDTH: f64 = 760.0;
pub(crate) const MARGIN: f64 = 16.0;
const TITLE_SIZE: f64 = 16.0;
const SWATCH: f64 = 22.0;
/// Texts and curves that are not quiet.
pub(crate) const INK: &str = "#222222";

/// Colours that people with any colour vision tell apart (Okabe & Ito 2008).
///
/// DIFFERENCE(okabe08): without yellow, which nobody sees as a thin line on white.
const INKS: [&str; 7] =
    ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000"];
const DASHES: [&str; 3] = ["", "7 3", "2 2"];

/// How a curve is told from others.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Pen {
    pub(crate) ink: &'static str,
    /// Dashes as SVG wants them; empty for a solid line.
    pub(crate) dashes: &'static str,
}

impl Pen {
    /// How many pens differ.
    pub(crate) const N: usize = INKS.len() * DASHES.len();

    /// The pen of the curve with this index: colours first, then dashes.
    pub(crate) fn of(index: usize) -> Pen {
        Pen { ink: INKS[index % INKS.len()], dashes: DASHES[index / INKS.len() % DASHES.len()] }
    }

    /// The attributes of a line, each with a space before it.
    pub(crate) fn stroke(self) -> String {
        match self.dashes {
            "" => format!(" stroke=\"{}\"", self.ink),
            dashes => format!(" stroke=\"{}\" stroke-dasharray=\"{dashes}\"", self.ink),
        }
    }
}

/// One explanation in the legend.
pub(crate) struct Entry {
    pub(crate) text: String,
    pub(crate) pen: Pen,
    /// A shaded area behind the line.
    pub(crate) shaded: bool,
    pub(crate) line: bool,
}

/// A plot that is being drawn, from top to bottom.
pub(crate) struct Picture {
    pub(crate) body: String,
    /// Where the next part begins.
    pub(crate) bottom: f64,
    notes: Vec<String>,
}

impl Picture {
    /// With a title, and what the plot says in one line.
    pub(crate) fn new(title: &str, summary: &str) -> Picture {
        let mut picture = Picture { body: String::new(), bottom: MARGIN, notes: Vec::new() };
        let bold = format!(
            " class=\"title\" font-size=\"{TITLE_SIZE}\" font-weight=\"bold\" fill=\"{INK}\""
        );
        let limit = WIDTH - 2.0 * MARGIN;
        // Bold letters are wider.
        for line in text::filled(&text::one_line(title), TITLE_SIZE * 1.08, limit, 3) {
            picture.line(&bold, TITLE_SIZE * 1.3, line);
        }
        if !summary.is_empty() {
            let quiet = format!(" class=\"summary\" fill=\"{}\"", palette::QUIET);
            let line = text::shortened(summary, text::SIZE, limit);
            picture.line(&quiet, text::LINE + 2.0, line);
        }
        picture.bottom += 6.0;
        picture
    }

    /// Says something below the plot, such as what could not be drawn.
    pub(crate) fn note(&mut self, note: impl Into<String>) {
        self.notes.push(note.into());
    }

    fn line(&mut self, attributes: &str, height: f64, line: String) {
        let corner = Pt::new(MARGIN, self.bottom);
        write::text(&mut self.body, attributes, corner, height, &[line]);
        self.bottom += height;
    }

    /// Explains curves and areas, in rows.
    pub(crate) fn legend(&mut self, entries: &[Entry]) {
        if entries.is_empty() {
            return;
        }
        self.body.push_str("<g class=\"legend\">\n");
        let mut x = MARGIN;
        for entry in entries {
            let name = text::shortened(&text::one_line(&entry.text), text::SIZE, 220.0);
            let width = SWATCH + 6.0 + text::width(&name, text::SIZE);
            if x > MARGIN && x + width > WIDTH - MARGIN {
                (x, self.bottom) = (MARGIN, self.bottom + 18.0);
            }
            self.swatch(entry, Pt::new(x, self.bottom));
            let corner = Pt::new(x + SWATCH + 6.0, self.bottom + 1.0);
            let fill = format!(" fill=\"{INK}\"");
            write::text(&mut self.body, &fill, corner, text::LINE, &[name]);
            x += width + 18.0;
        }
        self.body.push_str("</g>\n");
        self.bottom += 24.0;
    }

    fn swatch(&mut self, entry: &Entry, corner: Pt) {
        if entry.shaded {
            let area = Rect::at(corner.plus(Pt::new(0.0, 3.0)), SWATCH, 11.0);
            self.rect(area, "swatch", &format!(" fill=\"{}\" fill-opacity=\"0.2\"", entry.pen.ink));
            self.body.push_str("/>\n");
        }
        if entry.line {
            let y = corner.y + 8.5;
            let stroke = format!("{} stroke-width=\"2\"", entry.pen.stroke());
            self.segment(Pt::new(corner.x, y), Pt::new(corner.x + SWATCH, y), "swatch", &stroke);
        }
    }

    /// Writes a `<rect` that the caller closes, with or without content.
    pub(crate) fn rect(&mut self, area: Rect, class: &str, attributes: &str) {
        let _ = write!(self.body, "<rect class=\"{class}\"");
        write::attribute(&mut self.body, "x", area.left);
        write::attribute(&mut self.body, "y", area.top);
        write::attribute(&mut self.body, "width", area.width());
        write::attribute(&mut self.body, "height", area.height());
        self.body.push_str(attributes);
    }

    /// A straight line.
    pub(crate) fn segment(&mut self, from: Pt, to: Pt, class: &str, attributes: &str) {
        let _ = write!(self.body, "<line class=\"{class}\"");
        for (name, value) in [("x1", from.x), ("y1", from.y), ("x2", to.x), ("y2", to.y)] {
            write::attribute(&mut self.body, name, value);
        }
        self.body.push_str(attributes);
        self.body.push_str("/>\n");
    }

    /// Writes a `<path` through `points` that the caller closes.
    pub(crate) fn path(&mut self, points: &[Pt], class: &str, attributes: &str) {
        let _ = write!(self.body, "<path class=\"{class}\"{attributes} d=\"");
        if let Some((first, rest)) = points.split_first() {
            write::move_to(&mut self.body, *first);
            if !rest.is_empty() {
                self.body.push('L');
                write::pairs(&mut self.body, rest);
            }
        }
        self.body.push('"');
    }

    /// Writes a `<circle` that the caller closes.
    pub(crate) fn dot(&mut self, centre: Pt, class: &str, attributes: &str) {
        let _ = write!(self.body, "<circle class=\"{class}\"");
        write::attribute(&mut self.body, "cx", centre.x);
        write::attribute(&mut self.body, "cy", centre.y);
        self.body.push_str(attributes);
    }

    /// Closes the start tag before it, says `text` on hover, and ends `element`.
    pub(crate) fn hover(&mut self, text: &str, element: &str) {
        self.body.push_str("><title>");
        write::escaped(&mut self.body, text);
        let _ = writeln!(self.body, "</title></{element}>");
    }

    /// One line of text at label size, whose top lies at `corner`; `anchor` is SVG's word for the
    /// side that `corner` is on.
    pub(crate) fn words(&mut self, corner: Pt, class: &str, anchor: &str, words: String) {
        let quiet = palette::QUIET;
        let attributes = format!(" class=\"{class}\" text-anchor=\"{anchor}\" fill=\"{quiet}\"");
        write::text(&mut self.body, &attributes, corner, text::LINE, &[words]);
    }

    /// The document.
    pub(crate) fn finish(mut self) -> String {
        let attributes = format!(" class=\"note\" fill=\"{}\"", palette::QUIET);
        for note in std::mem::take(&mut self.notes) {
            let line = text::shortened(&note, text::SIZE, WIDTH - 2.0 * MARGIN);
            self.line(&attributes, text::LINE + 1.0, line);
        }
        document(WIDTH, self.bottom + MARGIN, &self.body)
    }
}

/// `1 run`, `2 runs`.
pub(crate) fn counted(n: u64, word: &str) -> String {
    if n == 1 { format!("1 {word}") } else { format!("{n} {word}s") }
}

/// The note for values that cannot be drawn; none if there are none.
pub(crate) fn left_out(n: usize) -> Option<String> {
    let what = counted(n as u64, "value");
    let verb = if n == 1 { "is" } else { "are" };
    (n > 0).then(|| format!("not drawn: {what} that {verb} infinite, too large or no number"))
}
