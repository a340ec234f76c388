//! Reads plots back, and asserts what holds for each of them.

use roxmltree::{Document, Node};

use crate::sample::{number, of_class, points};

/// A cautious guess at how wide a text is, as a share of its height, for each character.
const CHAR: f64 = 0.5;

/// Asserts that `svg` is a document of a usable size in which nothing lies outside, and reads it.
pub(crate) fn check(svg: &str) -> Document<'_> {
    assert!(svg.len() < 1_000_000, "{} bytes", svg.len());
    let document = Document::parse(svg).expect("well-formed XML");
    let bounds = document.root_element().attribute("viewBox").expect("a viewBox");
    let sides: Vec<f64> = bounds.split(' ').map(|side| side.parse().expect("a number")).collect();
    let inside = |x: f64, y: f64| {
        assert!((0.0..=sides[2]).contains(&x) && (0.0..=sides[3]).contains(&y), "({x}, {y})");
    };
    for node in document.descendants().filter(Node::is_element) {
        match node.tag_name().name() {
            "path" => {
                points(node.attribute("d").expect("data")).iter().for_each(|p| inside(p.0, p.1))
            }
            "line" => {
                inside(number(node, "x1"), number(node, "y1"));
                inside(number(node, "x2"), number(node, "y2"));
            }
            "circle" => inside(number(node, "cx"), number(node, "cy")),
            "rect" if node.has_attribute("class") => {
                let (x, y) = (number(node, "x"), number(node, "y"));
                inside(x, y);
                inside(x + number(node, "width"), y + number(node, "height"));
            }
            "tspan" => {
                let [left, top, right, bottom] = text_box(node);
                inside(left, top);
                inside(right, bottom);
            }
            _ => {}
        }
    }
    assert_apart(&document);
    document
}

/// Where a line of text lies.
fn text_box(line: Node) -> [f64; 4] {
    let parent = line.parent().expect("a text");
    let size = parent.attribute("font-size").map_or(12.0, |size| size.parse().expect("a number"));
    let width = CHAR * size * line.text().unwrap_or_default().chars().count() as f64;
    let (x, y) = (number(line, "x"), number(line, "y"));
    let left = match parent.attribute("text-anchor") {
        Some("middle") => x - width / 2.0,
        Some("end") => x - width,
        _ => x,
    };
    [left, y - 0.7 * size, left + width, y]
}

/// Asserts that no text lies on another.
fn assert_apart(document: &Document) {
    let texts: Vec<_> = document.descendants().filter(|node| node.has_tag_name("tspan")).collect();
    for (i, a) in texts.iter().enumerate() {
        let one = text_box(*a);
        for b in &texts[i + 1..] {
            let other = text_box(*b);
            let apart = one[0] >= other[2] || other[0] >= one[2] || one[1] >= other[3];
            assert!(apart || other[1] >= one[3], "{:?} lies on {:?}", a.text(), b.text());
        }
    }
}

/// The text of all elements of a class, one line each.
pub(crate) fn words(document: &Document, class: &str) -> String {
    let text = |node: Node| {
        node.descendants().filter_map(|n| n.text()).next().unwrap_or_default().to_string()
    };
    of_class(document, class).map(text).collect::<Vec<_>>().join("\n")
}

/// A pane: where it is, and which values it shows from bottom to top.
pub(crate) struct Pane {
    bottom: f64,
    pub(crate) height: f64,
    pub(crate) range: (f64, f64),
}

impl Pane {
    pub(crate) fn nth(document: &Document, index: usize) -> Pane {
        let node = of_class(document, "pane").nth(index).expect("a pane");
        let height = number(node, "height");
        let ends = node.attribute("data-y").expect("a range").split_once(' ').expect("two ends");
        let range = (ends.0.parse().expect("a number"), ends.1.parse().expect("a number"));
        Pane { bottom: number(node, "y") + height, height, range }
    }

    /// The value at a height in the picture.
    pub(crate) fn value(&self, y: f64) -> f64 {
        self.range.0 + (self.bottom - y) / self.height * (self.range.1 - self.range.0)
    }

    /// How much a tenth of a pixel is, the resolution of coordinates.
    pub(crate) fn tenth(&self) -> f64 {
        0.1 / self.height * (self.range.1 - self.range.0)
    }
}
