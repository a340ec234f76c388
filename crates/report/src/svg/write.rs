//! Writing XML: numbers, escaped text and path data.

use crate::geometry::{Curve, Pt};

/// How far from a nail a line begins to turn.
const JOINT: f64 = 9.0;

/// Writes `value` with at most one decimal.
pub(crate) fn number(out: &mut String, value: f64) {
    // A cast saturates, so a value out of range is only drawn in the wrong place.
    let tenths = (value * 10.0).round() as i64;
    let (whole, rest) = (tenths.unsigned_abs() / 10, tenths.unsigned_abs() % 10);
    if tenths < 0 {
        out.push('-');
    }
    out.push_str(&whole.to_string());
    if rest > 0 {
        out.push('.');
        out.push(char::from(b'0' + rest as u8));
    }
}

/// Writes ` name="value"`.
pub(crate) fn attribute(out: &mut String, name: &str, value: f64) {
    out.push(' ');
    out.push_str(name);
    out.push_str("=\"");
    number(out, value);
    out.push('"');
}

/// Writes `text`, which must have been cleaned, so that XML reads it back unchanged.
pub(crate) fn escaped(out: &mut String, text: &str) {
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
}

/// Writes one `<text>` whose first line has its top at `corner`, one `<tspan>` per line.
///
/// `attributes` are written as they are and begin with a space.
pub(crate) fn text(out: &mut String, attributes: &str, corner: Pt, height: f64, lines: &[String]) {
    out.push_str("<text");
    out.push_str(attributes);
    out.push('>');
    for (i, line) in lines.iter().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        out.push_str("<tspan");
        attribute(out, "x", corner.x);
        attribute(out, "y", corner.y + height * (i as f64 + 0.8));
        out.push('>');
        escaped(out, line);
        out.push_str("</tspan>");
    }
    out.push_str("</text>\n");
}

/// Writes the path data of `curve`, whose last `cut` pixels are left to the arrow head.
pub(crate) fn path(out: &mut String, curve: &Curve, cut: f64) {
    let heading = curve.heading();
    let end = |from: Pt, to: Pt| to.minus(heading.times(cut.min(from.distance(to) * 0.9)));
    match curve {
        Curve::Bezier([a, b, c, d]) => {
            move_to(out, *a);
            out.push('C');
            pairs(out, &[*b, *c, end(*c, *d)]);
        }
        Curve::Pieces(points) => {
            let Some((first, rest)) = points.split_first() else { return };
            move_to(out, *first);
            let mut previous = *first;
            for (i, point) in rest.iter().enumerate() {
                match rest.get(i + 1) {
                    Some(next) => joint(out, previous, *point, *next),
                    None => {
                        out.push('L');
                        pairs(out, &[end(previous, *point)]);
                    }
                }
                previous = *point;
            }
        }
    }
}

/// A turn at `nail`, slightly rounded.
fn joint(out: &mut String, previous: Pt, nail: Pt, next: Pt) {
    let before = previous.distance(nail);
    let after = nail.distance(next);
    let size = JOINT.min(before / 2.0).min(after / 2.0);
    out.push('L');
    if size < 0.5 {
        pairs(out, &[nail]);
        return;
    }
    pairs(out, &[nail.towards(previous, size / before)]);
    out.push('Q');
    pairs(out, &[nail, nail.towards(next, size / after)]);
}

/// Writes `M` and a point.
pub(crate) fn move_to(out: &mut String, point: Pt) {
    out.push('M');
    pairs(out, &[point]);
}

/// Writes points as path data.
pub(crate) fn pairs(out: &mut String, points: &[Pt]) {
    for (i, point) in points.iter().enumerate() {
        if i > 0 {
            out.push(' ');
        }
        number(out, point.x);
        out.push(' ');
        number(out, point.y);
    }
}
