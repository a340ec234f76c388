//! The cheapest path that covers something and that values can take.
//!
//! Paths are looked at by the least that they cost (A*, with distances in the graph of control), those that cover more first. Only paths that are complete are asked about: if no values can take one, its
//! shortest begin that none can take is found by halving, and of that the shortest end. No path with that part is looked at any more, for any objective.

use std::{cmp::Reverse, collections::BinaryHeap, rc::Rc};

use punctual_model::{
    UseCaseId,
    usecases::{Objective, Path, PathStep, UseCases},
};

use super::{
    Cursor, Event, Feasible, Happening, Limits, Machine, Possible,
    distances::{Distances, FAR, Points},
    graph::{Graph, cost},
    nogoods::{Element, Nogoods},
    objectives::covered_by,
};

/// What came of a search.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Found {
    /// A path that values can take.
    Path(Path),
    /// No values take any path. This is the begin of a cheapest one, up to the step with which it becomes impossible.
    Contradiction(Path),
    /// There is no path at all.
    Nothing,
    /// So many paths or parts of paths were looked at that the search was ended.
    Limit(String),
    /// Nobody knows whether values take some path, and none takes any other.
    Unknown(String),
}

/// The begin of a path.
struct Node {
    parent: Option<u32>,
    /// The last step; none for the begin of all paths.
    element: Option<Element>,
    /// Taken out as soon as it is known what follows.
    cursor: Option<Cursor>,
    use_case: UseCaseId,
    n_steps: u32,
    cost: u32,
    /// Where it is in the graph.
    point: u32,
    n_happenings: usize,
    is_covered: bool,
    /// The first begin of a flow that ends whole by the last step and has postconditions, as the number of a happening.
    began: Option<usize>,
    /// True if no values take it.
    is_dead: bool,
    /// How many parts of paths were known to be impossible when this one was compared with them.
    n_compared: usize,
    /// How much it covers that nothing covers yet.
    gain: u32,
}

/// Searches one after the other, which learn from each other.
pub(super) struct Searcher<'a, 'v> {
    machine: Machine<'a>,
    graph: Rc<Graph>,
    nogoods: Nogoods,
    /// Those of them that the graph can tell wherever they are.
    words: Vec<Vec<u32>>,
    limits: Limits,
    feasible: &'v mut dyn Feasible,
}

/// Least cost, gain, rest, and number of a node that waits.
type Waiting = (Reverse<u32>, u32, Reverse<u32>, Reverse<u32>);

/// One search.
struct Search<'g> {
    nodes: Vec<Node>,
    waiting: BinaryHeap<Waiting>,
    points: Points<'g>,
    distances: Distances,
}

impl<'a, 'v> Searcher<'a, 'v> {
    pub(super) fn new(all: &'a UseCases, feasible: &'v mut dyn Feasible, limits: Limits) -> Self {
        let machine = Machine::new(all, Some(limits.visits.max(1)));
        let graph = Rc::new(Graph::new(all, limits.nodes));
        Self { machine, graph, nogoods: Nogoods::default(), words: Vec::new(), limits, feasible }
    }

    pub(super) fn machine(&self) -> &Machine<'a> {
        &self.machine
    }

    /// Looks for a path. Of paths of one cost, those are looked at first that cover more of what is wanted.
    pub(super) fn search(
        &mut self,
        objective: Objective,
        is_wanted: &dyn Fn(Objective) -> bool,
    ) -> Found {
        let (mut n_asked, mut n_expanded) = (0, 0);
        loop {
            let n_words = self.words.len();
            let budget = (&mut n_asked, &mut n_expanded);
            match self.run(objective, is_wanted, true, budget) {
                // With what was learnt, the graph is smaller: it is searched anew.
                None => assert!(self.words.len() > n_words, "something was learnt"),
                // Nothing is left. Whether that is due to values is told by a search that does not ask for them.
                Some(Found::Nothing) => {
                    let found = self.run(objective, is_wanted, false, (&mut 0, &mut 0));
                    return match found {
                        Some(Found::Path(path)) => Found::Contradiction(self.impossible(path)),
                        Some(other) => other,
                        None => unreachable!("nothing is learnt without asking"),
                    };
                }
                Some(other) => return other,
            }
        }
    }

    /// Searches, with or without asking about values.
    fn run(
        &mut self,
        objective: Objective,
        is_wanted: &dyn Fn(Objective) -> bool,
        asks: bool,
        (n_asked, n_expanded): (&mut u32, &mut u32),
    ) -> Option<Found> {
        let graph = Rc::clone(&self.graph);
        let points = Points::new(&graph, if asks { &self.words } else { &[] });
        let distances = points.to(objective);
        let mut search =
            Search { nodes: Vec::new(), waiting: BinaryHeap::new(), points, distances };
        for use_case in self.machine.tops() {
            self.begin(&mut search, use_case);
        }
        let mut unknown: Option<String> = None;
        while let Some((_, _, _, Reverse(id))) = search.waiting.pop() {
            if asks && self.is_pruned(&mut search, id) {
                continue;
            }
            let Some(cursor) = search.nodes[id as usize].cursor.take() else { continue };
            if cursor.has_ended() {
                if *n_asked >= self.limits.asked {
                    let why = format!("{n_asked} questions about values were asked");
                    return Some(Found::Limit(why));
                }
                *n_asked += 1;
                let path = search.path(id);
                let possible = if asks { self.feasible.possible(&path, 0) } else { Possible::Yes };
                match possible {
                    Possible::Yes => return Some(Found::Path(path)),
                    Possible::Unknown(why) => unknown = unknown.or(Some(why)),
                    Possible::No => {
                        if self.learn(&mut search, id, &path, n_asked) && unknown.is_none() {
                            return None;
                        }
                    }
                }
                continue;
            }
            if *n_expanded >= self.limits.expanded {
                let why = format!("{n_expanded} begins of paths were looked at");
                return Some(Found::Limit(why));
            }
            *n_expanded += 1;
            self.expand(&mut search, is_wanted, id, &cursor);
        }
        Some(match unknown {
            Some(why) => Found::Unknown(why),
            None if self.graph.is_cut => {
                Found::Limit(format!("there are more than {} points of paths", self.limits.nodes))
            }
            None => Found::Nothing,
        })
    }

    /// Adds the begin of all paths of a use case.
    fn begin(&mut self, search: &mut Search<'_>, use_case: UseCaseId) {
        let mut happenings = Vec::new();
        let begun = Cursor::begin(&mut self.machine, use_case, &mut happenings);
        let Ok(cursor) = begun else { return };
        let Some(point) = search.points.begin(&cursor) else { return };
        let objective = search.distances.objective;
        let node = Node {
            parent: None,
            element: None,
            use_case,
            n_steps: 0,
            cost: 0,
            point,
            n_happenings: cursor.n_happenings,
            is_covered: covered_by(None, &happenings).any(|it| it == objective),
            began: None,
            is_dead: false,
            n_compared: 0,
            gain: 0,
            cursor: Some(cursor),
        };
        search.wait(node);
    }

    /// Adds what may follow a node.
    fn expand(
        &mut self,
        search: &mut Search<'_>,
        is_wanted: &dyn Fn(Objective) -> bool,
        id: u32,
        cursor: &Cursor,
    ) {
        let Some(ask) = cursor.ask(&self.machine) else { return };
        let mut happenings = Vec::new();
        for outcome in ask.outcomes {
            let mut after = cursor.clone();
            happenings.clear();
            if after.advance(&mut self.machine, *outcome, &mut happenings).is_err() {
                continue;
            }
            let step = ask.with(*outcome);
            let parent = &search.nodes[id as usize];
            let Some(point) = search.points.after(parent.point, &step) else { continue };
            let objective = search.distances.objective;
            let covers = || covered_by(Some(&step), &happenings);
            let node = Node {
                parent: Some(id),
                element: Some(Element::new(step, &happenings, parent.n_happenings)),
                use_case: parent.use_case,
                n_steps: parent.n_steps + 1,
                point,
                cost: parent.cost.saturating_add(cost(self.machine.all, &happenings)),
                n_happenings: after.n_happenings,
                is_covered: parent.is_covered || covers().any(|it| it == objective),
                began: began(&happenings),
                is_dead: false,
                n_compared: 0,
                gain: parent.gain + covers().filter(|it| is_wanted(*it)).count() as u32,
                cursor: Some(after),
            };
            search.wait(node);
        }
    }

    /// Whether it is known that no values take a begin of a path.
    fn is_pruned(&self, search: &mut Search<'_>, id: u32) -> bool {
        let use_case = search.nodes[id as usize].use_case;
        let mut at = Some(id);
        let mut is_dead = false;
        while let Some(here) = at {
            let node = &search.nodes[here as usize];
            is_dead |= node.is_dead;
            if node.n_compared < self.nogoods.n {
                is_dead |= self.nogoods.is_end_of(use_case, search.elements(here));
            }
            let node = &mut search.nodes[here as usize];
            node.n_compared = self.nogoods.n;
            // What follows an impossible begin is impossible.
            node.is_dead |= is_dead;
            at = node.parent.filter(|_| !is_dead);
        }
        search.nodes[id as usize].is_dead |= is_dead;
        is_dead
    }

    /// The shortest begin of a path that no values take, if none take the path.
    fn impossible(&mut self, mut path: Path) -> Path {
        let n = self.n_possible(&path, path.steps.len(), &mut 0);
        path.steps.truncate(n);
        path
    }

    /// How many steps of a path there are at least in a begin that no values take; none take the first `n_steps` ones.
    fn n_possible(&mut self, path: &Path, n_steps: usize, n_asked: &mut u32) -> usize {
        let (mut least, mut most) = (0, n_steps);
        while least < most {
            let middle = usize::midpoint(least, most);
            let begin = Path { steps: path.steps[..middle].to_vec(), ..*path };
            *n_asked += 1;
            match self.feasible.possible(&begin, 0) {
                Possible::No => most = middle,
                _ => least = middle + 1,
            }
        }
        most
    }

    /// Learns from a path that no values take. True if the graph can tell it.
    fn learn(&mut self, search: &mut Search<'_>, id: u32, path: &Path, n_asked: &mut u32) -> bool {
        let n = self.n_possible(path, path.steps.len(), n_asked);
        let begin = Path { steps: path.steps[..n].to_vec(), ..*path };
        let dead = search.ancestor(id, n);
        search.nodes[dead as usize].is_dead = true;
        let mut elements: Vec<Element> = search.elements(dead).cloned().collect();
        elements.reverse();
        // How much happened before each step.
        let mut n_happenings: Vec<usize> =
            search.chain(dead).map(|node| node.n_happenings).collect();
        n_happenings.reverse();
        // Where a part may begin: postconditions in it look back to the begin of their flow.
        let mut starts = Vec::new();
        let mut looks_back = usize::MAX;
        for (at, node) in (0..n).rev().zip(search.chain(dead)) {
            looks_back = looks_back.min(node.began.unwrap_or(usize::MAX));
            if at == 0 || n_happenings[at] <= looks_back {
                starts.push(at);
            }
        }
        starts.reverse();
        // The part from `starts[least]` on is impossible, those behind `starts[most]` are possible.
        let (mut least, mut most) = (0, starts.len().saturating_sub(1));
        while least < most {
            let middle = least + (most - least).div_ceil(2);
            *n_asked += 1;
            match self.feasible.possible(&begin, n_happenings[starts[middle]]) {
                Possible::No => least = middle,
                _ => most = middle - 1,
            }
        }
        let from = starts.get(least).copied().unwrap_or(0);
        let begins = (from == 0).then_some(path.use_case);
        let part = elements.split_off(from);
        let word = if begins.is_some() { None } else { self.graph.word(&part) };
        self.nogoods.add(part, begins);
        let is_word = word.is_some();
        self.words.extend(word);
        is_word
    }
}

/// The first begin of a flow that ends whole and has postconditions, as the number of a happening.
fn began(happenings: &[Happening<'_>]) -> Option<usize> {
    let began = happenings.iter().filter_map(|it| match it.event {
        Event::Postconditions { began, .. } => Some(began),
        _ => None,
    });
    began.min()
}

impl Search<'_> {
    /// Adds a node, unless it leads nowhere.
    fn wait(&mut self, node: Node) {
        let Some(cursor) = &node.cursor else { return };
        let rest = self.points.rest(&self.distances, cursor, node.point, node.is_covered);
        if rest == FAR {
            return;
        }
        let id = self.nodes.len() as u32;
        let cost = Reverse(node.cost.saturating_add(rest));
        self.waiting.push((cost, node.gain, Reverse(rest), Reverse(id)));
        self.nodes.push(node);
    }

    /// A node and those before it, the first one last.
    fn chain(&self, id: u32) -> impl Iterator<Item = &Node> + Clone {
        let next = |node: &&Node| node.parent.map(|parent| &self.nodes[parent as usize]);
        std::iter::successors(Some(&self.nodes[id as usize]), next)
    }

    /// The steps of a node, the first one last.
    fn elements(&self, id: u32) -> impl Iterator<Item = &Element> + Clone {
        self.chain(id).filter_map(|node| node.element.as_ref())
    }

    fn path(&self, id: u32) -> Path {
        let mut steps: Vec<PathStep> = self.elements(id).map(|element| element.step).collect();
        steps.reverse();
        Path { use_case: self.nodes[id as usize].use_case, steps }
    }

    /// The node of so many steps on the way to another one.
    fn ancestor(&self, mut id: u32, n_steps: usize) -> u32 {
        while self.nodes[id as usize].n_steps as usize > n_steps {
            id = self.nodes[id as usize].parent.expect("a node with steps has a parent");
        }
        id
    }
}
