//! A page of panels: rows of about equal width, with a title above and a legend below.

use std::fmt::Write as _;

use crate::geometry::Pt;
use crate::text;
use crate::view::{LabelKind, Mark};

use super::panel::Panel;
use super::{Options, palette, write};

const MARGIN: f64 = 16.0;
const GAP: f64 = 16.0;
const TITLE_SIZE: f64 = 20.0;
const LEGEND_LINE: f64 = 18.0;
/// A larger picture is shown scaled down; its viewBox keeps its own coordinates.
const SIDE_MAX: f64 = 16_000.0;

/// Writes the document.
pub(crate) fn draw(title: &str, panels: &[Panel], options: &Options) -> String {
    let title = text::lines_up_to(&text::one_line(title), 100, 4);
    let title_height = match title.len() {
        0 => 0.0,
        n => n as f64 * TITLE_SIZE * 1.4 + 8.0,
    };
    let title_width =
        title.iter().map(|line| text::width(line, TITLE_SIZE * 1.1)).fold(0.0, f64::max);

    let places = arrange(panels, row_width(panels));
    let mut width = title_width.max(160.0);
    let mut height: f64 = 0.0;
    for (panel, place) in panels.iter().zip(&places) {
        width = width.max(place.x + panel.width);
        height = height.max(place.y + panel.height);
    }

    let mut body = String::new();
    let head = Pt::new(MARGIN, MARGIN);
    if !title.is_empty() {
        let attributes = format!(
            " class=\"title\" font-size=\"{TITLE_SIZE}\" font-weight=\"bold\" fill=\"#111111\""
        );
        write::text(&mut body, &attributes, head, TITLE_SIZE * 1.4, &title);
    }
    for (i, (panel, place)) in panels.iter().zip(&places).enumerate() {
        let corner = Pt::new(MARGIN + place.x, MARGIN + title_height + place.y);
        draw_panel(&mut body, i, panel, corner);
    }
    let mut bottom = MARGIN + title_height + height;
    if options.legend {
        bottom = legend(&mut body, panels, width, bottom);
    }
    document(width + 2.0 * MARGIN, bottom + MARGIN, &body)
}

/// The document around `body`, which is drawn in (0, 0) to (`width`, `height`).
pub(crate) fn document(width: f64, height: f64, body: &str) -> String {
    let scale = (SIDE_MAX / width.max(height)).min(1.0);
    let mut out = String::with_capacity(body.len() + 512);
    out.push_str("<svg xmlns=\"http://www.w3.org/2000/svg\"");
    write::attribute(&mut out, "width", (width * scale).max(1.0));
    write::attribute(&mut out, "height", (height * scale).max(1.0));
    out.push_str(" viewBox=\"0 0 ");
    write::pairs(&mut out, &[Pt::new(width, height)]);
    let _ = writeln!(
        out,
        "\" font-family=\"{}\" font-size=\"{}\" xml:space=\"preserve\">",
        super::SANS,
        text::SIZE
    );
    out.push_str("<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n");
    out.push_str(body);
    out.push_str("</svg>\n");
    out
}

fn draw_panel(out: &mut String, index: usize, panel: &Panel, corner: Pt) {
    let _ = write!(out, "<g class=\"panel\" data-index=\"{index}\"><rect class=\"frame\"");
    write::attribute(out, "x", corner.x);
    write::attribute(out, "y", corner.y);
    write::attribute(out, "width", panel.width);
    write::attribute(out, "height", panel.height);
    let _ = writeln!(out, " rx=\"5\" fill=\"#ffffff\" stroke=\"{}\"/>", palette::FRAME);
    placed(out, panel, corner);
    out.push_str("</g>\n");
}

/// Writes the drawing of `panel` with its top left corner at `corner`.
pub(crate) fn placed(out: &mut String, panel: &Panel, corner: Pt) {
    let by = corner.minus(panel.origin);
    out.push_str("<g transform=\"translate(");
    write::pairs(out, &[by]);
    out.push_str(")\">\n");
    out.push_str(&panel.body);
    out.push_str("</g>\n");
}

/// A width for rows that makes the page a little wider than high.
fn row_width(panels: &[Panel]) -> f64 {
    let area: f64 = panels.iter().map(|p| (p.width + GAP) * (p.height + GAP)).sum();
    let widest = panels.iter().map(|panel| panel.width).fold(0.0, f64::max);
    widest.max((1.5 * area).sqrt())
}

/// Fills rows from left to right, in order, so that a reader finds templates as in the file.
fn arrange(panels: &[Panel], row_width: f64) -> Vec<Pt> {
    let (mut x, mut y, mut row_height) = (0.0, 0.0, 0.0_f64);
    let mut places = Vec::with_capacity(panels.len());
    for panel in panels {
        if x > 0.0 && x + panel.width > row_width {
            (x, y, row_height) = (0.0, y + row_height + GAP, 0.0);
        }
        places.push(Pt::new(x, y));
        x += panel.width + GAP;
        row_height = row_height.max(panel.height);
    }
    places
}

/// One word of the legend.
struct Entry {
    word: &'static str,
    ink: &'static str,
    mark: Option<Mark>,
}

/// Explains the colours that occur; returns the new bottom of the page.
fn legend(out: &mut String, panels: &[Panel], width: f64, bottom: f64) -> f64 {
    let kinds = palette::KINDS.into_iter().filter(|k| panels.iter().any(|p| p.kinds.contains(k)));
    let of_kind =
        |kind: LabelKind| Entry { word: palette::word(kind), ink: palette::ink(kind), mark: None };
    let marks = palette::MARKS.into_iter().filter(|m| panels.iter().any(|p| p.marks.contains(m)));
    let of_mark =
        |mark: Mark| Entry { word: palette::mark_word(mark), ink: "#222222", mark: Some(mark) };
    let mut entries: Vec<Entry> = kinds.map(of_kind).chain(marks.map(of_mark)).collect();
    if panels.iter().any(|panel| panel.has_dashes) {
        entries.push(Entry { word: "dashed: uncontrollable", ink: palette::LINE, mark: None });
    }
    if entries.is_empty() {
        return bottom;
    }
    out.push_str("<g class=\"legend\">\n");
    let (mut x, mut y) = (0.0, bottom + 10.0);
    for entry in entries {
        let swatch = if entry.mark.is_some() { 16.0 } else { 0.0 };
        let size = text::width(entry.word, text::SIZE) + swatch;
        if x > 0.0 && x + size > width {
            (x, y) = (0.0, y + LEGEND_LINE);
        }
        if let Some(mark) = entry.mark {
            out.push_str("<rect");
            write::attribute(out, "x", MARGIN + x);
            write::attribute(out, "y", y + 4.0);
            let ink = palette::mark_ink(mark);
            let _ =
                write!(out, " width=\"12\" height=\"10\" fill=\"{ink}\" fill-opacity=\"0.55\"/>");
        }
        let corner = Pt::new(MARGIN + x + swatch, y);
        let attributes = format!(" fill=\"{}\"", entry.ink);
        write::text(out, &attributes, corner, LEGEND_LINE, &[entry.word.to_string()]);
        x += size + 14.0;
    }
    out.push_str("</g>\n");
    y + LEGEND_LINE
}
