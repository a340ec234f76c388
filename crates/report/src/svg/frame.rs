//! What stands around a drawing in its panel: a heading above, remarks and declarations below.

use crate::geometry::{Pt, Rect};
use crate::text;
use crate::view::Diagram;

use super::{Options, palette, write};

const HEADING_LINE: f64 = 18.0;
const HEADING_SIZE: f64 = 14.0;
const CODE_LINE: f64 = 14.0;
const CODE_SIZE: f64 = 11.0;
/// The width of a character of a monospaced face, as a part of its size.
const CODE_ADVANCE: f64 = 0.61;

/// The box that grows while things are written above and below the drawing.
pub(crate) struct Frame {
    pub(crate) rect: Rect,
    pub(crate) body: String,
}

impl Frame {
    /// Writes the template's name and parameters above everything so far.
    pub(crate) fn heading(&mut self, diagram: &Diagram) {
        let name = text::lines_up_to(&text::one_line(&diagram.name), text::COLUMNS, 3);
        let parameters = text::one_line(&diagram.parameters);
        // A long list of parameters should not make a small automaton's panel wide.
        let columns = ((self.rect.width() / 7.0) as usize).clamp(52, 90);
        let parameters = text::lines_up_to(&parameters, columns, 8);
        if name.is_empty() && parameters.is_empty() {
            return;
        }
        let name_height = name.len() as f64 * HEADING_LINE;
        let height = name_height + parameters.len() as f64 * text::LINE + 12.0;
        let corner = Pt::new(self.rect.left, self.rect.top - height);
        let below = Pt::new(corner.x, corner.y + name_height);
        let bold = format!(
            " class=\"heading\" font-size=\"{HEADING_SIZE}\" font-weight=\"bold\" fill=\"#222222\""
        );
        let width = widest(&name, HEADING_SIZE * 1.1);
        self.write(&bold, corner, HEADING_LINE, width, &name);
        let quiet = format!(" class=\"parameters\" fill=\"{}\"", palette::QUIET);
        self.write(&quiet, below, text::LINE, text::widest(&parameters), &parameters);
    }

    /// Writes what stands below: what is missing from the drawing, and the declarations.
    pub(crate) fn footer(&mut self, diagram: &Diagram, options: &Options) {
        if diagram.locations.is_empty() {
            self.remark("no locations".to_string());
        }
        match diagram.dangling_edges().count() {
            0 => {}
            1 => self.remark("not drawn: an edge with an end that does not exist".to_string()),
            n => self.remark(format!("not drawn: {n} edges with an end that does not exist")),
        }
        if let (true, Some(code)) = (options.declarations, &diagram.declarations) {
            let lines = text::lines_up_to(code, 90, options.declaration_lines_max);
            let attributes = format!(
                " class=\"declarations\" font-family=\"{}\" font-size=\"{CODE_SIZE}\" \
                 fill=\"#444444\"",
                super::MONOSPACE
            );
            let n_columns = lines.iter().map(|line| line.chars().count()).max().unwrap_or(0);
            let width = n_columns as f64 * CODE_ADVANCE * CODE_SIZE;
            self.write(&attributes, self.below(), CODE_LINE, width, &lines);
        }
    }

    fn below(&self) -> Pt {
        Pt::new(self.rect.left, self.rect.bottom + 12.0)
    }

    fn remark(&mut self, remark: String) {
        let quiet = format!(" class=\"remark\" font-style=\"italic\" fill=\"{}\"", palette::QUIET);
        let lines = [remark];
        self.write(&quiet, self.below(), text::LINE, text::widest(&lines), &lines);
    }

    fn write(&mut self, attributes: &str, corner: Pt, height: f64, width: f64, lines: &[String]) {
        if lines.is_empty() {
            return;
        }
        write::text(&mut self.body, attributes, corner, height, lines);
        let rect = Rect::at(corner, width, height * lines.len() as f64);
        self.rect = self.rect.union(&rect);
    }
}

fn widest(lines: &[String], size: f64) -> f64 {
    lines.iter().map(|line| text::width(line, size)).fold(0.0, f64::max)
}
