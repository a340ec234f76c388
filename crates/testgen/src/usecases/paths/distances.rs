//! How far it is from anywhere to what a path should cover, without parts that no values take.
//!
//! A point is a node of the graph of control together with the longest begin of a forbidden part that the path ends with (after Aho & Corasick 1975). So a part is passed over wherever it occurs, and a contradiction
//! that is local is found without looking at the paths that lead to it. Distances never exceed those of real paths.

use std::{
    cmp::Reverse,
    collections::{BinaryHeap, HashMap, VecDeque},
};

use punctual_model::usecases::{Objective, PathStep};

use super::{
    Cursor,
    graph::{END, Edge, Graph, Mark},
};

/// No way leads there.
pub(super) const FAR: u32 = u32::MAX;

/// Parts of paths that are forbidden, as an automaton that reads steps.
#[derive(Debug)]
pub(super) struct Forbidden {
    /// For each state: what follows a step.
    next: Vec<HashMap<u32, u32>>,
    /// For each state: the longest proper end of it that is a state, too.
    fail: Vec<u32>,
    /// True for states that end with a forbidden part.
    is_end: Vec<bool>,
}

impl Forbidden {
    /// An automaton for words that are not empty.
    pub(super) fn new(words: &[Vec<u32>]) -> Self {
        let mut next: Vec<HashMap<u32, u32>> = vec![HashMap::new()];
        let mut is_end = vec![false];
        for word in words {
            let mut state = 0;
            for letter in word {
                let new = next.len() as u32;
                state = *next[state as usize].entry(*letter).or_insert(new);
                if state == new {
                    next.push(HashMap::new());
                    is_end.push(false);
                }
            }
            is_end[state as usize] = state != 0;
        }
        let mut found = Self { fail: vec![0; next.len()], next, is_end };
        // States by their length: ends of a state are shorter.
        let mut waiting: VecDeque<u32> = found.next[0].values().copied().collect();
        while let Some(state) = waiting.pop_front() {
            let children: Vec<(u32, u32)> =
                found.next[state as usize].iter().map(|(letter, to)| (*letter, *to)).collect();
            for (letter, to) in children {
                let fail = found.after(found.fail[state as usize], letter);
                found.fail[to as usize] = fail;
                found.is_end[to as usize] |= found.is_end[fail as usize];
                waiting.push_back(to);
            }
        }
        found
    }

    fn after(&self, mut state: u32, letter: u32) -> u32 {
        loop {
            match self.next[state as usize].get(&letter) {
                Some(to) => return *to,
                None if state == 0 => return 0,
                None => state = self.fail[state as usize],
            }
        }
    }

    /// The state after a step; none if a forbidden part ends with it.
    fn read(&self, state: u32, class: Option<u32>) -> Option<u32> {
        let after = class.map_or(0, |class| self.after(state, class));
        (!self.is_end[after as usize]).then_some(after)
    }
}

/// A way from a point to another one.
struct Way {
    from: u32,
    to: u32,
    edge: u32,
}

/// All points of paths without forbidden parts.
pub(super) struct Points<'g> {
    graph: &'g Graph,
    forbidden: Forbidden,
    /// For each point: the node of the graph, and the state of the automaton.
    points: Vec<(u32, u32)>,
    ids: HashMap<(u32, u32), u32>,
    ways: Vec<Way>,
    /// For each point, the ways that lead to it.
    into: Vec<Vec<u32>>,
    to_end: Vec<u32>,
}

/// What the rest of a path costs at least, for paths that still have something to cover.
pub(super) struct Distances {
    pub(super) objective: Objective,
    /// If nothing is done yet.
    before: Vec<u32>,
    /// If a flow has begun that should be taken as a whole, and was not left.
    within: Vec<u32>,
}

impl<'g> Points<'g> {
    pub(super) fn new(graph: &'g Graph, words: &[Vec<u32>]) -> Self {
        let mut all = Self {
            graph,
            forbidden: Forbidden::new(words),
            points: Vec::new(),
            ids: HashMap::new(),
            ways: Vec::new(),
            into: Vec::new(),
            to_end: Vec::new(),
        };
        // The end is the first point, whatever came before.
        all.point(END, 0);
        for begin in &graph.begins {
            all.point(*begin, 0);
        }
        let mut from = 1;
        while let Some((node, state)) = all.points.get(from).copied() {
            for edge in &graph.out[node as usize] {
                let it = &graph.edges[*edge as usize];
                let Some(state) = all.forbidden.read(state, it.class) else { continue };
                let to = all.point(it.to, state);
                all.into[to as usize].push(all.ways.len() as u32);
                all.ways.push(Way { from: from as u32, to, edge: *edge });
            }
            from += 1;
        }
        all.to_end = all.distances(|way| (way.to == END).then_some(all.edge(way).cost), |_| true);
        all
    }

    fn point(&mut self, node: u32, state: u32) -> u32 {
        let key = (node, if node == END { 0 } else { state });
        let next = self.points.len() as u32;
        let id = *self.ids.entry(key).or_insert(next);
        if id == next {
            self.points.push(key);
            self.into.push(Vec::new());
        }
        id
    }

    fn edge(&self, way: &Way) -> &'g Edge {
        &self.graph.edges[way.edge as usize]
    }

    /// Where paths of a use case begin.
    pub(super) fn begin(&self, cursor: &Cursor) -> Option<u32> {
        self.ids.get(&(self.graph.find(cursor)?, 0)).copied()
    }

    /// The point after a step; none if no path that is allowed goes there.
    pub(super) fn after(&self, from: u32, step: &PathStep) -> Option<u32> {
        let (node, state) = self.points[from as usize];
        let edge = self.graph.edge(node, step)?;
        let state = self.forbidden.read(state, edge.class)?;
        self.ids.get(&(edge.to, if edge.to == END { 0 } else { state })).copied()
    }

    /// The least cost for each point: of a way that `last` gives one, after ways that may be passed.
    fn distances(
        &self,
        last: impl Fn(&Way) -> Option<u32>,
        may_pass: impl Fn(&Way) -> bool,
    ) -> Vec<u32> {
        let mut found = vec![FAR; self.points.len()];
        let mut waiting = BinaryHeap::new();
        for way in &self.ways {
            if let Some(cost) = last(way).filter(|cost| *cost < found[way.from as usize]) {
                found[way.from as usize] = cost;
                waiting.push(Reverse((cost, way.from)));
            }
        }
        while let Some(Reverse((cost, point))) = waiting.pop() {
            if cost > found[point as usize] {
                continue;
            }
            for way in self.into[point as usize].iter().map(|way| &self.ways[*way as usize]) {
                let cost = cost.saturating_add(self.edge(way).cost);
                if cost < found[way.from as usize] && may_pass(way) {
                    found[way.from as usize] = cost;
                    waiting.push(Reverse((cost, way.from)));
                }
            }
        }
        found
    }

    /// The distances of paths that should cover something.
    pub(super) fn to(&self, objective: Objective) -> Distances {
        let behind = |way: &Way| match way.to {
            END => Some(self.edge(way).cost),
            to => self.to_end[to as usize].checked_add(self.edge(way).cost),
        };
        match objective {
            Objective::Branch(use_case, at, outcome) => {
                let is_it = |way: &Way| {
                    let step = &self.edge(way).step;
                    (step.use_case, step.at, step.outcome) == (use_case, at, outcome)
                };
                let before = self.distances(|way| behind(way).filter(|_| is_it(way)), |_| true);
                Distances { objective, before, within: Vec::new() }
            }
            Objective::Flow(use_case, flow) => {
                let [begins, ends] = [Mark::Begins(use_case, flow), Mark::Ends(use_case, flow)];
                let is_in = |point: u32| {
                    let (node, _) = self.points[point as usize];
                    self.graph.flows[node as usize].contains(&(use_case, flow))
                };
                let is_begin = |mark: &Mark| matches!(mark, Mark::Begins(of, _) if *of == use_case);
                // The flow ends here, and is the one that was gone through so far.
                let closes = |way: &Way| {
                    let mut marks = self.edge(way).marks.iter();
                    let first = marks.find(|mark| is_begin(mark) || **mark == ends);
                    first == Some(&ends) && is_in(way.from)
                };
                let stays = |way: &Way| {
                    is_in(way.from) && is_in(way.to) && !self.edge(way).marks.iter().any(is_begin)
                };
                let within = self.distances(|way| behind(way).filter(|_| closes(way)), stays);
                let opens = |way: &Way| {
                    let edge = self.edge(way);
                    let begun = edge.marks.iter().position(|mark| *mark == begins)?;
                    match edge.marks[begun..].contains(&ends) {
                        true => behind(way),
                        false => within[way.to as usize].checked_add(edge.cost),
                    }
                };
                let before = self.distances(opens, |_| true);
                Distances { objective, before, within }
            }
        }
    }

    /// What the rest of a path costs at least. [`FAR`] if it can not cover the objective and end.
    pub(super) fn rest(
        &self,
        distances: &Distances,
        cursor: &Cursor,
        point: u32,
        is_covered: bool,
    ) -> u32 {
        let at = point as usize;
        match (is_covered, distances.objective) {
            (true, _) if point == END => 0,
            (false, _) if point == END => FAR,
            (true, _) => self.to_end[at],
            (false, Objective::Flow(use_case, flow)) if cursor.is_whole(use_case, flow) => {
                distances.within[at].min(distances.before[at])
            }
            (false, _) => distances.before[at],
        }
    }
}
