//! Diagrams as SVG: one self-contained document, without scripts, style sheets or outside fonts.
//!
//! Authors' coordinates are kept, and the conventions are those of UPPAAL's editor: initial
//! locations are double circles, C and U mean committed and urgent, uncontrollable edges are
//! dashed, and the colour of a text says what it is. A diagram without coordinates is laid out
//! first (see [`layout`](crate::layout)); labels without a place get one that is free.
//!
//! Every location, branchpoint and edge is a group with `data-index`, its index in the view, and
//! its mark as a class, so that a page around the picture can react to it.
//!
//! Not here: deciding what is marked. That is the caller's knowledge of a run.

mod frame;
pub(crate) mod palette;
mod panel;
mod place;
mod route;
mod sheet;
pub(crate) mod write;

use crate::geometry::Pt;
use crate::view::{Diagram, Sheet};

pub(crate) use panel::{BRANCHPOINT_RADIUS, LOCATION_RADIUS};
pub(crate) use sheet::document;

const SANS: &str = "Arial, Helvetica, 'Liberation Sans', 'DejaVu Sans', sans-serif";
const MONOSPACE: &str = "'DejaVu Sans Mono', Menlo, Consolas, monospace";

/// What to show besides the automata.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Options {
    /// Explain the colours that occur, below everything.
    pub legend: bool,
    /// Show the declarations of a template below its drawing.
    pub declarations: bool,
    /// Cut declarations after this many lines.
    pub declaration_lines_max: usize,
    /// Show comments of locations and edges.
    pub comments: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options { legend: true, declarations: true, declaration_lines_max: 40, comments: true }
    }
}

/// Draws all diagrams of `sheet`, each in a panel of its own.
pub fn render(sheet: &Sheet, options: &Options) -> String {
    let panels: Vec<_> =
        sheet.diagrams.iter().map(|diagram| panel::draw(diagram, options)).collect();
    sheet::draw(&sheet.title, &panels, options)
}

/// Draws one diagram without a frame or legend, for a page that has its own.
pub fn render_diagram(diagram: &Diagram, options: &Options) -> String {
    let panel = panel::draw(diagram, options);
    let mut body = String::with_capacity(panel.body.len() + 64);
    sheet::placed(&mut body, &panel, Pt::default());
    sheet::document(panel.width, panel.height, &body)
}
