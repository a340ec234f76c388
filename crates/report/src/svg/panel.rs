//! One diagram as a panel: a heading, the drawing, and what has to be said below it.
//!
//! A panel is drawn in the diagram's own coordinates; the sheet moves it to its place.

use std::fmt::Write as _;

use crate::geometry::{Curve, Pt, Rect};
use crate::layout;
use crate::text;
use crate::view::{Diagram, Label, LabelKind, Location, Mark};

use super::frame::Frame;
use super::place::Occupied;
use super::route::{self, Disc};
use super::{Options, palette, write};

/// The radius of a location.
pub(crate) const LOCATION_RADIUS: f64 = 10.0;
/// The radius of a branchpoint.
pub(crate) const BRANCHPOINT_RADIUS: f64 = 4.0;

const HEAD_LENGTH: f64 = 10.0;
const HEAD_WIDTH: f64 = 7.0;
const PADDING: f64 = 14.0;
/// Beyond this many edges, labels no longer make way for lines.
const LINES_AVOIDED_MAX: usize = 4_000;

/// A drawn diagram.
pub(crate) struct Panel {
    pub(crate) width: f64,
    pub(crate) height: f64,
    /// The drawing; its top left corner is at `origin`.
    pub(crate) body: String,
    pub(crate) origin: Pt,
    /// The kinds of label that occur, and the marks.
    pub(crate) kinds: Vec<LabelKind>,
    pub(crate) marks: Vec<Mark>,
    /// Whether some edge is dashed.
    pub(crate) has_dashes: bool,
}

/// A text at its place.
struct Text {
    kind: LabelKind,
    corner: Pt,
    lines: Vec<String>,
}

impl Text {
    fn bounds(&self) -> Rect {
        block(self.corner, std::slice::from_ref(&self.lines))
    }
}

/// Draws `diagram`.
pub(crate) fn draw(diagram: &Diagram, options: &Options) -> Panel {
    let diagram = &*layout::completed(diagram);
    let discs = discs(diagram);
    let routes = route::routes(diagram, &discs, taken_by_labels(diagram, &discs));
    let texts = place_texts(diagram, &discs, &routes, options);

    let mut bounds: Option<Rect> = None;
    let mut include = |rect: Rect| bounds = Some(bounds.map_or(rect, |all| all.union(&rect)));
    discs.iter().for_each(|disc| include(Rect::around(disc.centre, disc.radius + 5.0)));
    routes.iter().flatten().for_each(|curve| include(curve.bounds()));
    texts.iter().for_each(|text| include(text.bounds()));
    let drawing = bounds.unwrap_or(Rect::at(Pt::default(), 120.0, 0.0));

    let mut body = String::new();
    body.push_str("<g class=\"edges\" fill=\"none\" stroke-width=\"1.3\">\n");
    for (i, curve) in routes.iter().enumerate() {
        if let Some(curve) = curve {
            draw_edge(&mut body, diagram, i, curve);
        }
    }
    body.push_str("</g>\n");
    draw_locations(&mut body, diagram, &discs);
    draw_texts(&mut body, &texts);

    let mut frame = Frame { rect: drawing, body };
    frame.heading(diagram);
    frame.footer(diagram, options);
    let Frame { rect, body } = frame;

    let marks = |mark: &Mark| {
        diagram.locations.iter().any(|location| location.mark == Some(*mark))
            || diagram.edges.iter().any(|edge| edge.mark == Some(*mark))
    };
    let is_dashed = |edge: &crate::view::Edge| !edge.controllable;
    Panel {
        width: rect.width() + 2.0 * PADDING,
        height: rect.height() + 2.0 * PADDING,
        origin: Pt::new(rect.left - PADDING, rect.top - PADDING),
        body,
        kinds: used(palette::KINDS, |kind| texts.iter().any(|text| text.kind == *kind)),
        marks: used(palette::MARKS, marks),
        has_dashes: diagram.edges.iter().any(is_dashed),
    }
}

fn used<T, const N: usize>(all: [T; N], is_used: impl Fn(&T) -> bool) -> Vec<T> {
    all.into_iter().filter(|one| is_used(one)).collect()
}

fn discs(diagram: &Diagram) -> Vec<Disc> {
    let centre = |position: Option<crate::view::Point>| position.map(Pt::from).unwrap_or_default();
    let locations = diagram
        .locations
        .iter()
        .map(|location| Disc { centre: centre(location.position), radius: LOCATION_RADIUS });
    let branchpoints = diagram.branchpoints.iter().map(|branchpoint| Disc {
        centre: centre(branchpoint.position),
        radius: BRANCHPOINT_RADIUS,
    });
    locations.chain(branchpoints).collect()
}

/// The directions in which a location's own placed texts lie.
fn taken_by_labels(diagram: &Diagram, discs: &[Disc]) -> Vec<Vec<Pt>> {
    let mut taken: Vec<Vec<Pt>> = vec![Vec::new(); discs.len()];
    for (i, location) in diagram.locations.iter().enumerate() {
        for label in location_labels(location) {
            let Some(position) = label.position else { continue };
            let lines = text::lines(&label.text, text::COLUMNS_PLACED);
            let rect = block(Pt::from(position), &[lines]);
            let middle = Pt::new((rect.left + rect.right) / 2.0, (rect.top + rect.bottom) / 2.0);
            taken[i].extend(middle.minus(discs[i].centre).unit());
        }
    }
    taken
}

/// The labels of a location, its name first.
fn location_labels(location: &Location) -> Vec<Label> {
    let name = location.name.iter().map(|name| Label {
        kind: LabelKind::Name,
        text: name.clone(),
        position: location.name_position,
    });
    name.chain(location.labels.iter().cloned()).collect()
}

fn block(corner: Pt, texts: &[Vec<String>]) -> Rect {
    let width = texts.iter().map(|lines| text::widest(lines)).fold(0.0, f64::max);
    let n_lines: usize = texts.iter().map(Vec::len).sum();
    Rect::at(corner, width, n_lines as f64 * text::LINE)
}

/// Finds a place for every label: the author's, or a free one.
fn place_texts(
    diagram: &Diagram,
    discs: &[Disc],
    routes: &[Option<Curve>],
    options: &Options,
) -> Vec<Text> {
    let mut occupied = Occupied::default();
    let mut texts: Vec<Text> = Vec::new();
    discs.iter().for_each(|disc| occupied.add(Rect::around(disc.centre, disc.radius + 1.0)));
    if routes.len() <= LINES_AVOIDED_MAX {
        routes.iter().flatten().for_each(|curve| occupied.add_line(curve));
    }
    // The author's places come first: what has no place yet makes way for them.
    let mut sort = |labels: &[Label]| -> Vec<(LabelKind, Vec<String>)> {
        let mut homeless = Vec::new();
        for label in labels {
            if label.kind == LabelKind::Comment && !options.comments {
                continue;
            }
            let is_placed = label.position.is_some();
            let columns = if is_placed { text::COLUMNS_PLACED } else { text::COLUMNS };
            let lines = text::lines(&label.text, columns);
            match label.position {
                _ if lines.is_empty() => {}
                None => homeless.push((label.kind, lines)),
                Some(position) => {
                    let text = Text { kind: label.kind, corner: Pt::from(position), lines };
                    occupied.add(text.bounds());
                    texts.push(text);
                }
            }
        }
        homeless.sort_by_key(|(kind, _)| *kind);
        homeless
    };
    let locations: Vec<_> = diagram.locations.iter().map(|l| sort(&location_labels(l))).collect();
    let edges: Vec<_> = diagram.edges.iter().map(|edge| sort(&edge.labels)).collect();

    for (disc, homeless) in discs.iter().zip(locations) {
        place_block(homeless, &mut texts, |width, height| {
            occupied.beside_disc(disc, width, height)
        });
    }
    for (curve, homeless) in routes.iter().zip(edges) {
        let Some(curve) = curve else { continue };
        place_block(homeless, &mut texts, |width, height| {
            occupied.beside_curve(curve, width, height)
        });
    }
    texts
}

/// Stacks `labels` where `find` says there is room for all of them.
fn place_block(
    labels: Vec<(LabelKind, Vec<String>)>,
    texts: &mut Vec<Text>,
    find: impl FnOnce(f64, f64) -> Pt,
) {
    if labels.is_empty() {
        return;
    }
    let (kinds, lines): (Vec<_>, Vec<_>) = labels.into_iter().unzip();
    let size = block(Pt::default(), &lines);
    let mut corner = find(size.width(), size.height());
    for (kind, lines) in kinds.into_iter().zip(lines) {
        let height = lines.len() as f64 * text::LINE;
        texts.push(Text { kind, corner, lines });
        corner.y += height;
    }
}

fn open_group(out: &mut String, class: &str, index: usize, mark: Option<Mark>, note: Option<&str>) {
    let _ = write!(out, "<g class=\"{class}");
    if let Some(mark) = mark {
        let _ = write!(out, " {}", palette::mark_word(mark));
    }
    let _ = write!(out, "\" data-index=\"{index}\">");
    if let Some(note) = note {
        out.push_str("<title>");
        write::escaped(out, &text::clean(note));
        out.push_str("</title>");
    }
}

fn draw_edge(out: &mut String, diagram: &Diagram, index: usize, curve: &Curve) {
    let edge = &diagram.edges[index];
    open_group(out, "edge", index, edge.mark, edge.note.as_deref());
    if let Some(mark) = edge.mark {
        out.push_str("<path class=\"mark\" d=\"");
        write::path(out, curve, 0.0);
        let ink = palette::mark_ink(mark);
        let _ = write!(out, "\" stroke=\"{ink}\" stroke-width=\"7\" stroke-opacity=\"0.55\"/>");
    }
    let stroke = edge.colour.map_or(palette::LINE.to_string(), palette::hex);
    out.push_str("<path class=\"line\" d=\"");
    write::path(out, curve, HEAD_LENGTH - 2.0);
    let _ = write!(out, "\" stroke=\"{stroke}\"");
    if !edge.controllable {
        out.push_str(" stroke-dasharray=\"6 4\"");
    }
    out.push_str("/>");

    let (tip, heading) = (curve.end(), curve.heading());
    let back = tip.minus(heading.times(HEAD_LENGTH));
    let side = heading.turned().times(HEAD_WIDTH / 2.0);
    out.push_str("<path class=\"head\" d=\"");
    write::move_to(out, tip);
    out.push('L');
    write::pairs(out, &[back.plus(side), back.minus(side)]);
    let _ = writeln!(out, "Z\" fill=\"{stroke}\"/></g>");
}

fn circle(out: &mut String, disc: &Disc, radius: f64, rest: &str) {
    out.push_str("<circle");
    write::attribute(out, "cx", disc.centre.x);
    write::attribute(out, "cy", disc.centre.y);
    write::attribute(out, "r", radius);
    out.push_str(rest);
    out.push_str("/>");
}

fn mark_circle(out: &mut String, disc: &Disc, mark: Option<Mark>) {
    if let Some(mark) = mark {
        let fill = palette::mark_ink(mark);
        let rest = format!(" class=\"mark\" fill=\"{fill}\" fill-opacity=\"0.55\" stroke=\"none\"");
        circle(out, disc, disc.radius + 5.0, &rest);
    }
}

fn draw_locations(out: &mut String, diagram: &Diagram, discs: &[Disc]) {
    let _ = writeln!(
        out,
        "<g class=\"locations\" stroke=\"{}\" stroke-width=\"1.3\" text-anchor=\"middle\" \
         font-size=\"11\" font-weight=\"bold\">",
        palette::LINE
    );
    for (i, (location, disc)) in diagram.locations.iter().zip(discs).enumerate() {
        open_group(out, "location", i, location.mark, location.note.as_deref());
        mark_circle(out, disc, location.mark);
        let colour = location.colour.unwrap_or(palette::LOCATION);
        circle(out, disc, disc.radius, &format!(" fill=\"{}\"", palette::hex(colour)));
        if location.initial {
            circle(out, disc, disc.radius - 3.0, " fill=\"none\"");
        }
        let letter = match (location.committed, location.urgent) {
            (true, _) => "C",
            (false, true) => "U",
            (false, false) => "",
        };
        if !letter.is_empty() {
            let ink = if palette::is_dark(colour) { "#ffffff" } else { "#111111" };
            let _ = write!(out, "<text fill=\"{ink}\" stroke=\"none\"");
            write::attribute(out, "x", disc.centre.x);
            write::attribute(out, "y", disc.centre.y + 4.0);
            let _ = write!(out, ">{letter}</text>");
        }
        out.push_str("</g>\n");
    }
    let branchpoints = discs.iter().skip(diagram.locations.len());
    for (i, (branchpoint, disc)) in diagram.branchpoints.iter().zip(branchpoints).enumerate() {
        open_group(out, "branchpoint", i, branchpoint.mark, None);
        mark_circle(out, disc, branchpoint.mark);
        let fill = branchpoint.colour.map_or("#ffffff".to_string(), palette::hex);
        circle(out, disc, disc.radius, &format!(" fill=\"{fill}\""));
        out.push_str("</g>\n");
    }
    out.push_str("</g>\n");
}

fn draw_texts(out: &mut String, texts: &[Text]) {
    out.push_str(
        "<g class=\"labels\" stroke=\"#ffffff\" stroke-width=\"3\" stroke-opacity=\"0.85\" \
         stroke-linejoin=\"round\" paint-order=\"stroke\">\n",
    );
    for text in texts {
        let (class, ink) = (palette::class(text.kind), palette::ink(text.kind));
        let style = match text.kind {
            LabelKind::Name => " font-weight=\"bold\"",
            LabelKind::Comment => " font-style=\"italic\"",
            _ => "",
        };
        let attributes = format!(" class=\"{class}\" fill=\"{ink}\"{style}");
        write::text(out, &attributes, text.corner, text::LINE, &text.lines);
    }
    out.push_str("</g>\n");
}
