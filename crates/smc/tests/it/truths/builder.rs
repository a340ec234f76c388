//! Models in a few words, written out as UPPAAL XML (where rates, branchpoints and weights are).

use std::fmt::Write as _;

/// A model: declarations and processes.
#[derive(Clone)]
pub(crate) struct Model {
    declarations: String,
    processes: Vec<Process>,
}

/// Declarations, then processes.
pub(crate) fn model<const N: usize>(declarations: &str, processes: [Process; N]) -> Model {
    Model { declarations: declarations.to_owned(), processes: processes.into() }
}

impl Model {
    /// The model as a file.
    pub(crate) fn xml(&self) -> String {
        let mut xml = format!("<nta>{}", tag("declaration", &self.declarations));
        let mut names = Vec::new();
        for process in &self.processes {
            process.write(&mut xml);
            names.push(process.name.as_str());
        }
        xml + &tag("system", &format!("system {};", names.join(", "))) + "</nta>"
    }
}

/// A process: the first location is where it starts. What comes after [`Process::at`] is said of that
/// location, what comes after [`Process::go`], [`Process::fork`] and [`Process::way`] of that edge.
#[derive(Clone)]
pub(crate) struct Process {
    name: String,
    declarations: String,
    locations: Vec<(String, String)>,
    points: Vec<String>,
    edges: Vec<(String, String, String)>,
}

/// A process without locations.
pub(crate) fn process(name: &str) -> Process {
    Process {
        name: name.to_owned(),
        declarations: String::new(),
        locations: Vec::new(),
        points: Vec::new(),
        edges: Vec::new(),
    }
}

impl Process {
    pub(crate) fn declare(mut self, declarations: &str) -> Self {
        self.declarations += declarations;
        self
    }

    pub(crate) fn at(mut self, location: &str) -> Self {
        self.locations.push((location.to_owned(), String::new()));
        self
    }

    pub(crate) fn invariant(self, invariant: &str) -> Self {
        self.of_location(&label("invariant", invariant))
    }

    pub(crate) fn rate(self, rate: &str) -> Self {
        self.of_location(&label("exponentialrate", rate))
    }

    pub(crate) fn urgent(self) -> Self {
        self.of_location("<urgent/>")
    }

    pub(crate) fn committed(self) -> Self {
        self.of_location("<committed/>")
    }

    fn of_location(mut self, xml: &str) -> Self {
        self.locations.last_mut().expect("a location").1 += xml;
        self
    }

    /// An edge.
    pub(crate) fn go(mut self, from: &str, to: &str) -> Self {
        self.edges.push((from.to_owned(), to.to_owned(), String::new()));
        self
    }

    /// An edge to a new branchpoint.
    pub(crate) fn fork(mut self, from: &str, point: &str) -> Self {
        self.points.push(point.to_owned());
        self.go(from, point)
    }

    /// A branch.
    pub(crate) fn way(self, point: &str, to: &str, weight: &str) -> Self {
        self.go(point, to).of_edge(&label("probability", weight))
    }

    pub(crate) fn select(self, select: &str) -> Self {
        self.of_edge(&label("select", select))
    }

    pub(crate) fn guard(self, guard: &str) -> Self {
        self.of_edge(&label("guard", guard))
    }

    pub(crate) fn sync(self, sync: &str) -> Self {
        self.of_edge(&label("synchronisation", sync))
    }

    pub(crate) fn assign(self, update: &str) -> Self {
        self.of_edge(&label("assignment", update))
    }

    fn of_edge(mut self, xml: &str) -> Self {
        self.edges.last_mut().expect("an edge").2 += xml;
        self
    }

    fn write(&self, xml: &mut String) {
        let id = |name: &str| format!("{}.{name}", self.name);
        *xml += "<template>";
        *xml += &tag("name", &self.name);
        *xml += &tag("declaration", &self.declarations);
        for (name, labels) in &self.locations {
            // The mark of urgency comes after the labels.
            let _ = write!(xml, "<location id=\"{}\">{}", id(name), tag("name", name));
            let _ = write!(xml, "{labels}</location>");
        }
        for point in &self.points {
            let _ = write!(xml, "<branchpoint id=\"{}\"/>", id(point));
        }
        let _ = write!(xml, "<init ref=\"{}\"/>", id(&self.locations[0].0));
        for (from, to, labels) in &self.edges {
            let (from, to) = (id(from), id(to));
            let _ = write!(xml, "<transition><source ref=\"{from}\"/><target ref=\"{to}\"/>");
            let _ = write!(xml, "{labels}</transition>");
        }
        *xml += "</template>";
    }
}

fn label(kind: &str, text: &str) -> String {
    format!("<label kind=\"{kind}\">{}</label>", escape(text))
}

fn tag(name: &str, text: &str) -> String {
    format!("<{name}>{}</{name}>", escape(text))
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
