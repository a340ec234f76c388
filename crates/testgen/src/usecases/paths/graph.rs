//! The control of use cases as a graph, and how far it is from anywhere in it to what should be covered.
//!
//! A node is a point that a path may come to, whatever came before: how often steps happened, and which flows were left, is forgotten. So the graph has all
//! paths, and possibly more; its distances never exceed those of real paths.

use std::{
    cmp::Reverse,
    collections::{BinaryHeap, HashMap, VecDeque},
};

use punctual_model::{
    FlowId, UseCaseId,
    usecases::{Objective, PathStep, UseCases},
};

use super::{Cursor, Event, Machine, cursor::Frame};

/// No way leads there.
pub(super) const FAR: u32 = u32::MAX;

/// The node at which paths end.
pub(super) const END: u32 = 0;

/// A flow begins or ends.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mark {
    Begins(UseCaseId, FlowId),
    Ends(UseCaseId, FlowId),
}

struct Edge {
    from: u32,
    to: u32,
    step: PathStep,
    marks: Vec<Mark>,
}

/// All points of paths.
pub(super) struct Graph {
    nodes: HashMap<Vec<Frame>, u32>,
    /// For each node, the flow that each use case is in.
    flows: Vec<Vec<(UseCaseId, FlowId)>>,
    edges: Vec<Edge>,
    /// For each node, the edges that lead to it.
    into: Vec<Vec<u32>>,
    /// How many steps it is to the end, at least.
    to_end: Vec<u32>,
    /// True if there are more nodes than the limit allows. Those beyond are not in the graph.
    pub(super) is_cut: bool,
}

/// How many steps it is to the end at least, for paths that still have something to cover.
pub(super) struct Distances {
    pub(super) objective: Objective,
    /// If nothing is done yet.
    before: Vec<u32>,
    /// If a flow has begun that should be taken as a whole, and was not left.
    within: Vec<u32>,
}

impl Graph {
    /// The graph of all paths, of at most so many nodes.
    pub(super) fn new(all: &UseCases, nodes_max: usize) -> Self {
        let mut machine = Machine::new(all, None);
        let mut graph = Graph {
            nodes: HashMap::new(),
            flows: vec![Vec::new()],
            edges: Vec::new(),
            into: vec![Vec::new()],
            to_end: Vec::new(),
            is_cut: false,
        };
        let mut waiting = VecDeque::new();
        for top in machine.tops() {
            if let Ok(cursor) = Cursor::begin(&mut machine, top, &mut Vec::new()) {
                graph.node(cursor, nodes_max, &mut waiting);
            }
        }
        let mut happenings = Vec::new();
        while let Some((from, cursor)) = waiting.pop_front() {
            let Some(ask) = cursor.ask(&machine) else { continue };
            for outcome in ask.outcomes {
                let mut after = cursor.clone();
                happenings.clear();
                if after.advance(&mut machine, *outcome, &mut happenings).is_err() {
                    continue;
                }
                let marks = happenings.iter().filter_map(|it| match it.event {
                    Event::FlowBegins { use_case, flow } => Some(Mark::Begins(use_case, flow)),
                    Event::FlowEnds { use_case, flow, .. } => Some(Mark::Ends(use_case, flow)),
                    _ => None,
                });
                let marks = marks.collect();
                let Some(to) = graph.node(after, nodes_max, &mut waiting) else { continue };
                graph.into[to as usize].push(graph.edges.len() as u32);
                graph.edges.push(Edge { from, to, step: ask.with(*outcome), marks });
            }
        }
        graph.to_end = graph.distances(|edge| (edge.to == END).then_some(1), |_| true);
        graph
    }

    /// The node of a point, which is new or not. None beyond the limit.
    fn node(
        &mut self,
        cursor: Cursor,
        nodes_max: usize,
        waiting: &mut VecDeque<(u32, Cursor)>,
    ) -> Option<u32> {
        if cursor.has_ended() {
            return Some(END);
        }
        let key = cursor.forgetful();
        if let Some(id) = self.nodes.get(&key) {
            return Some(*id);
        }
        if self.flows.len() > nodes_max {
            self.is_cut = true;
            return None;
        }
        let id = self.flows.len() as u32;
        self.flows.push(key.iter().map(|frame| (frame.use_case, frame.flow)).collect());
        self.into.push(Vec::new());
        self.nodes.insert(key, id);
        waiting.push_back((id, cursor));
        Some(id)
    }

    /// The node of a point, unless it lies beyond the limit.
    pub(super) fn find(&self, cursor: &Cursor) -> Option<u32> {
        match cursor.has_ended() {
            true => Some(END),
            false => self.nodes.get(&cursor.forgetful()).copied(),
        }
    }

    /// The least cost for each node: of an edge that `last` gives one, after edges that may be passed and cost 1 each.
    fn distances(
        &self,
        last: impl Fn(&Edge) -> Option<u32>,
        may_pass: impl Fn(&Edge) -> bool,
    ) -> Vec<u32> {
        let mut found = vec![FAR; self.flows.len()];
        let mut waiting = BinaryHeap::new();
        for edge in &self.edges {
            if let Some(cost) = last(edge).filter(|cost| *cost < found[edge.from as usize]) {
                found[edge.from as usize] = cost;
                waiting.push(Reverse((cost, edge.from)));
            }
        }
        while let Some(Reverse((cost, node))) = waiting.pop() {
            if cost > found[node as usize] {
                continue;
            }
            for edge in self.into[node as usize].iter().map(|edge| &self.edges[*edge as usize]) {
                if cost + 1 < found[edge.from as usize] && may_pass(edge) {
                    found[edge.from as usize] = cost + 1;
                    waiting.push(Reverse((cost + 1, edge.from)));
                }
            }
        }
        found
    }

    /// The distances of paths that should cover something.
    pub(super) fn to(&self, objective: Objective) -> Distances {
        let behind = |edge: &Edge| match edge.to {
            END => Some(1),
            to => self.to_end[to as usize].checked_add(1),
        };
        match objective {
            Objective::Branch(use_case, at, outcome) => {
                let is_it = |step: &PathStep| {
                    (step.use_case, step.at, step.outcome) == (use_case, at, outcome)
                };
                let before =
                    self.distances(|edge| behind(edge).filter(|_| is_it(&edge.step)), |_| true);
                Distances { objective, before, within: Vec::new() }
            }
            Objective::Flow(use_case, flow) => {
                let [begins, ends] = [Mark::Begins(use_case, flow), Mark::Ends(use_case, flow)];
                let is_in = |node: u32| self.flows[node as usize].contains(&(use_case, flow));
                let is_begin = |mark: &Mark| matches!(mark, Mark::Begins(of, _) if *of == use_case);
                // The flow ends here, and is the one that was gone through so far.
                let closes = |edge: &Edge| {
                    let first = edge.marks.iter().find(|mark| is_begin(mark) || **mark == ends);
                    first == Some(&ends) && is_in(edge.from)
                };
                let stays = |edge: &Edge| {
                    is_in(edge.from) && is_in(edge.to) && !edge.marks.iter().any(is_begin)
                };
                let within = self.distances(|edge| behind(edge).filter(|_| closes(edge)), stays);
                let opens = |edge: &Edge| {
                    let begun = edge.marks.iter().position(|mark| *mark == begins)?;
                    match edge.marks[begun..].contains(&ends) {
                        true => behind(edge),
                        false => within[edge.to as usize].checked_add(1),
                    }
                };
                let before = self.distances(opens, |_| true);
                Distances { objective, before, within }
            }
        }
    }

    /// How many more steps a path has at least. [`FAR`] if it can not cover the objective and end.
    pub(super) fn rest(
        &self,
        distances: &Distances,
        cursor: &Cursor,
        node: u32,
        is_covered: bool,
    ) -> u32 {
        let node = node as usize;
        match (is_covered, distances.objective) {
            (true, _) if node == END as usize => 0,
            (true, _) => self.to_end[node],
            (false, Objective::Flow(use_case, flow)) if cursor.is_whole(use_case, flow) => {
                distances.within[node].min(distances.before[node])
            }
            (false, _) => distances.before[node],
        }
    }
}

impl Cursor {
    /// The point without what came before. Which way each use case was included is told by the frames around it.
    fn forgetful(&self) -> Vec<Frame> {
        let frames = self.frames.iter().cloned();
        frames.map(|frame| Frame { whole: None, context: 0, ..frame }).collect()
    }

    /// Whether the path is in a flow that it took from its begin, and has not left it.
    fn is_whole(&self, use_case: UseCaseId, flow: FlowId) -> bool {
        let mut frames = self.frames.iter();
        frames
            .any(|frame| frame.use_case == use_case && frame.flow == flow && frame.whole.is_some())
    }
}
