//! Drawings of timed automata: templates with the coordinates their author gave them.
//!
//! Coordinates are those of UPPAAL's XML files: pixels, x to the right and y downwards. The
//! position of a location, branchpoint or nail is its centre; that of a label is the top left
//! corner of its text.

/// A page of diagrams, usually all templates of one model file.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Sheet {
    /// What stands above the diagrams; nothing if empty.
    pub title: String,
    /// The diagrams, in reading order.
    pub diagrams: Vec<Diagram>,
}

/// One automaton.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Diagram {
    /// The template's name.
    pub name: String,
    /// Its parameters as text, without parentheses; empty if it has none.
    pub parameters: String,
    /// Its local declarations as text, shown below the drawing.
    pub declarations: Option<String>,
    /// The locations; edges refer to them by index.
    pub locations: Vec<Location>,
    /// The branchpoints of probabilistic edges; edges refer to them by index.
    pub branchpoints: Vec<Branchpoint>,
    /// The edges. One whose end does not exist is not drawn; see [`Diagram::dangling_edges`].
    pub edges: Vec<Edge>,
}

/// A place in a diagram.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Point {
    /// Pixels to the right.
    pub x: i32,
    /// Pixels downwards.
    pub y: i32,
}

/// A location of an automaton.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Location {
    /// Its name, if the author gave it one.
    pub name: Option<String>,
    /// Where the name's text begins.
    pub name_position: Option<Point>,
    /// Where the centre of its circle is.
    pub position: Option<Point>,
    /// Drawn as a double circle.
    pub initial: bool,
    /// Drawn with a C inside.
    pub committed: bool,
    /// Drawn with a U inside, unless also committed.
    pub urgent: bool,
    /// Invariant, rate and comments.
    pub labels: Vec<Label>,
    /// The author's colour for the circle.
    pub colour: Option<Colour>,
    /// How a report highlights it.
    pub mark: Option<Mark>,
    /// Shown when the pointer rests on it, for example how often it was visited.
    pub note: Option<String>,
}

/// A point where a probabilistic edge splits into its branches.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Branchpoint {
    /// Where its centre is.
    pub position: Option<Point>,
    /// The author's colour.
    pub colour: Option<Colour>,
    /// How a report highlights it.
    pub mark: Option<Mark>,
}

/// One end of an edge.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum End {
    /// An index into [`Diagram::locations`].
    Location(usize),
    /// An index into [`Diagram::branchpoints`].
    Branchpoint(usize),
}

/// An edge, or one branch of a probabilistic edge.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Edge {
    /// Where it leaves.
    pub source: End,
    /// Where its arrow points.
    pub target: End,
    /// The points it passes on the way, from source to target.
    pub nails: Vec<Point>,
    /// Selection, guard, synchronisation, update, probability and comments.
    pub labels: Vec<Label>,
    /// The author's colour for the line.
    pub colour: Option<Colour>,
    /// Uncontrollable edges are dashed.
    pub controllable: bool,
    /// How a report highlights it.
    pub mark: Option<Mark>,
    /// Shown when the pointer rests on it, for example how often it was taken.
    pub note: Option<String>,
}

/// A text that belongs to a location or an edge.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Label {
    /// What the text means; decides its colour.
    pub kind: LabelKind,
    /// The text; may have several lines.
    pub text: String,
    /// The top left corner of the text; placed automatically if missing.
    pub position: Option<Point>,
}

/// What a text in a diagram means.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum LabelKind {
    /// The name of a location.
    Name,
    /// The invariant of a location.
    Invariant,
    /// The rate of the exponential distribution of a location.
    Rate,
    /// The selections of an edge.
    Select,
    /// The guard of an edge.
    Guard,
    /// The synchronisation of an edge.
    Synchronisation,
    /// The update (assignment) of an edge.
    Update,
    /// The probability weight of a branch.
    Probability,
    /// A remark of the author.
    Comment,
}

/// How a report highlights a location or an edge.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Mark {
    /// Visited or taken.
    Covered,
    /// Never visited or taken.
    Uncovered,
    /// Where a run or path stands now.
    Current,
    /// Where something went wrong.
    Faulty,
}

/// A colour by its red, green and blue parts.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Colour {
    /// Red.
    pub red: u8,
    /// Green.
    pub green: u8,
    /// Blue.
    pub blue: u8,
}

impl Sheet {
    /// An empty sheet.
    pub fn new(title: impl Into<String>) -> Sheet {
        Sheet { title: title.into(), diagrams: Vec::new() }
    }
}

impl Diagram {
    /// Whether `end` refers to something that exists.
    pub fn has(&self, end: End) -> bool {
        match end {
            End::Location(index) => index < self.locations.len(),
            End::Branchpoint(index) => index < self.branchpoints.len(),
        }
    }

    /// The indices of the edges that cannot be drawn because an end does not exist.
    pub fn dangling_edges(&self) -> impl Iterator<Item = usize> + '_ {
        let is_dangling = |edge: &Edge| !self.has(edge.source) || !self.has(edge.target);
        self.edges.iter().enumerate().filter(move |(_, edge)| is_dangling(edge)).map(|(i, _)| i)
    }
}

impl Point {
    /// The point (`x`, `y`).
    pub const fn new(x: i32, y: i32) -> Point {
        Point { x, y }
    }
}

impl Location {
    /// A plain location with a name and no position.
    pub fn named(name: impl Into<String>) -> Location {
        Location { name: Some(name.into()), ..Location::default() }
    }

    /// The same location at (`x`, `y`).
    pub fn at(mut self, x: i32, y: i32) -> Location {
        self.position = Some(Point::new(x, y));
        self
    }

    /// The same location with one more label, placed automatically.
    pub fn with(mut self, kind: LabelKind, text: impl Into<String>) -> Location {
        self.labels.push(Label::new(kind, text));
        self
    }
}

impl Branchpoint {
    /// A branchpoint at (`x`, `y`).
    pub fn at(x: i32, y: i32) -> Branchpoint {
        Branchpoint { position: Some(Point::new(x, y)), ..Branchpoint::default() }
    }
}

impl Edge {
    /// A controllable edge without nails and labels.
    pub fn new(source: End, target: End) -> Edge {
        Edge {
            source,
            target,
            nails: Vec::new(),
            labels: Vec::new(),
            colour: None,
            controllable: true,
            mark: None,
            note: None,
        }
    }

    /// The same edge with one more nail.
    pub fn via(mut self, x: i32, y: i32) -> Edge {
        self.nails.push(Point::new(x, y));
        self
    }

    /// The same edge with one more label, placed automatically.
    pub fn with(mut self, kind: LabelKind, text: impl Into<String>) -> Edge {
        self.labels.push(Label::new(kind, text));
        self
    }
}

impl Label {
    /// A label that is placed automatically.
    pub fn new(kind: LabelKind, text: impl Into<String>) -> Label {
        Label { kind, text: text.into(), position: None }
    }

    /// The same label with the top left corner of its text at (`x`, `y`).
    pub fn at(mut self, x: i32, y: i32) -> Label {
        self.position = Some(Point::new(x, y));
        self
    }
}

impl Colour {
    /// Reads `#rrggbb` or `#rgb`, as model files write colours.
    ///
    /// ```
    /// # use punctual_report::view::Colour;
    /// assert_eq!(Colour::parse("#ff8000"), Some(Colour { red: 255, green: 128, blue: 0 }));
    /// assert_eq!(Colour::parse("url(evil)"), None);
    /// ```
    pub fn parse(text: &str) -> Option<Colour> {
        let digits = text.trim().strip_prefix('#')?;
        let values: Option<Vec<u8>> =
            digits.chars().map(|c| c.to_digit(16).and_then(|d| u8::try_from(d).ok())).collect();
        match *values?.as_slice() {
            [r1, r0, g1, g0, b1, b0] => {
                Some(Colour { red: r1 * 16 + r0, green: g1 * 16 + g0, blue: b1 * 16 + b0 })
            }
            [r, g, b] => Some(Colour { red: r * 17, green: g * 17, blue: b * 17 }),
            _ => None,
        }
    }
}
