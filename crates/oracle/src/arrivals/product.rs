//! All that is possible, where that is too much to be followed one by one: products of sets.
//!
//! Where a step stores the values of many inputs and nothing shows them, the states after it are as many as combinations of these values. A
//! [`Product`] has them all: a set of values for each thing that the program remembers, and for each input what is possible. What a step reads of that to write its outputs is decided, in all
//! ways; what else it remembers is computed for each thing by itself, with all values that are possible. So a product allows what it stands for, and
//! more: what is remembered is not tied to the input that it came from. If nothing of it explains a step, nothing does.
//!
//! Not here: whether what is explained by a product really may have happened.

use std::rc::Rc;

use punctual_model::Value;
use punctual_semantics::lustre::{Asking, Look, Open};
use rustc_hash::FxHashMap;

use super::Arrivals;
use super::explain::Times;
use super::inputs::{Input, Next};
use super::merge::{grouped, mark, mark_of};

/// How far the search goes.
#[derive(Clone, Copy)]
pub(super) struct Extent {
    /// If a step leads to no more products than this, inputs that are only remembered are decided, too: that keeps what is remembered tied to its input.
    pub(super) apart: usize,
    /// So many products are followed after a step; if there are more, those that explain the outputs in the same way become one.
    pub(super) products: usize,
    /// So many decisions are tried for all steps of a run together.
    pub(super) tried: usize,
}

impl Extent {
    pub(super) const SMALL: Extent = Extent { apart: 400, products: 200, tried: 200_000 };
    pub(super) const LARGE: Extent = Extent { apart: 2_000, products: 2_000, tried: 500_000 };
}

/// Something that is remembered may have so many values.
const VALUES_MAX: usize = 64;

/// States and what is known of inputs, in all combinations.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Product {
    /// For each thing that is remembered, the number of the set of its values; then for each input, the number of what is known of it.
    parts: Vec<u32>,
    /// The number of what is known of all lines of outputs.
    outputs: u32,
}

/// Sets of values, each of them once.
#[derive(Default)]
struct Sets {
    all: Vec<Rc<[Value]>>,
    numbers: FxHashMap<Rc<[Value]>, u32>,
}

impl Sets {
    fn number(&mut self, mut values: Vec<Value>) -> u32 {
        values.sort();
        values.dedup();
        let values: Rc<[Value]> = values.into();
        let number = self.all.len() as u32;
        *self.numbers.entry(Rc::clone(&values)).or_insert_with(|| {
            self.all.push(values);
            number
        })
    }
}

/// The search.
struct Search<'m> {
    open: Open<'m>,
    sets: Sets,
    n_memory: usize,
    n_outputs: usize,
    extent: Extent,
    n_tried: usize,
    /// Whether not all that is possible was followed.
    is_too_large: bool,
    /// Whether products have had only what is possible so far, and nothing more.
    is_exact: bool,
    /// What was looked at for what is remembered after a step: for each thing, its position, in order.
    looked_at: Vec<(Look, usize)>,
}

/// A step from a product.
struct Stepping<'s> {
    from: &'s Product,
    next: Vec<Rc<Next>>,
    times: Times,
    /// Whether inputs that are only remembered are decided.
    splits: bool,
    found: Vec<Product>,
    /// What does not fit what was seen, before the first interaction.
    strange: Vec<Product>,
}

/// What products say of a run.
pub(super) enum Said {
    /// Nothing explains the step with this number. Before that, steps before the first interaction that nothing explains.
    Fault(Vec<usize>, usize),
    /// Something explains all steps, but for these before the first interaction.
    Explanation(Vec<usize>),
    /// All may be explained, or it was too large.
    Nothing,
}

impl Arrivals<'_> {
    /// Follows products from the beginning, up to the first step that nothing explains.
    pub(super) fn follow_products(&mut self, extent: Extent, end: f64) -> Said {
        let machine = self.grounds.machine;
        let Some(open) = Open::new(machine) else { return Said::Nothing };
        let start = open.start();
        let mut search = Search {
            open,
            sets: Sets::default(),
            n_memory: start.len(),
            n_outputs: machine.program().outputs().count(),
            extent,
            n_tried: 0,
            is_too_large: false,
            is_exact: true,
            looked_at: Vec::new(),
        };
        let mut parts: Vec<u32> = start.iter().map(|it| search.sets.number(vec![*it])).collect();
        parts.extend(self.inputs.iter().map(|_| 0));
        let mut strange = Vec::new();
        let mut all = vec![Product { parts, outputs: self.lines.nothing() }];
        for step in 0..self.n_there(end) {
            let times = self.times(step);
            let (mut after, mut fits) = self.products(&mut search, &all, times, true);
            if after.len() > search.extent.apart {
                search.is_exact = false;
                (after, fits) = self.products(&mut search, &all, times, false);
            }
            let has_left_out =
                self.inputs.iter().any(Input::has_left_out) || self.lines.has_left_out();
            if search.is_too_large || has_left_out || self.stops() {
                return Said::Nothing;
            }
            match (after.is_empty(), times.is_checked) {
                (true, true) => return Said::Fault(strange, step),
                (true, false) => return Said::Nothing,
                (false, _) => all = self.fewer(&mut search, after),
            }
            strange.extend((!fits).then_some(step));
        }
        if search.is_exact { Said::Explanation(strange) } else { Said::Nothing }
    }

    /// What may be after a step, and whether that fits what was seen.
    fn products(
        &mut self,
        search: &mut Search<'_>,
        all: &[Product],
        times: Times,
        splits: bool,
    ) -> (Vec<Product>, bool) {
        let (mut found, mut strange) = (Vec::new(), Vec::new());
        for from in all {
            let known = &from.parts[search.n_memory..];
            let inputs = self.inputs.iter_mut().zip(known);
            let next =
                inputs.map(|(it, known)| it.next(*known, times.step, times.read, &self.ways));
            let next: Vec<Rc<Next>> = next.collect();
            let sets = &search.sets;
            let remembered = from.parts[..search.n_memory].iter();
            let remembered = remembered.map(|set| Rc::clone(&sets.all[*set as usize]));
            let given = next.iter().map(|it| it.values.iter().map(|it| it.value).collect());
            search.open.begin(times.step == 0, remembered, given);
            let mut stepping = Stepping { from, next, times, splits, found, strange };
            self.write(search, &mut stepping, &mut Vec::new(), 0);
            (found, strange) = (stepping.found, stepping.strange);
            if search.is_too_large || (splits && found.len() > search.extent.apart) {
                break;
            }
            found = unique(found);
        }
        // What is seen before the first interaction may be left over from before the system was reset: the model goes on as it would have done.
        if found.is_empty() && !times.is_checked { (strange, false) } else { (found, true) }
    }

    /// Decides what outputs depend on, from one on, in all ways.
    fn write(
        &mut self,
        search: &mut Search<'_>,
        stepping: &mut Stepping<'_>,
        decided: &mut Vec<(Look, usize)>,
        first: usize,
    ) {
        let Times { step, end, .. } = stepping.times;
        for output in first..search.n_outputs {
            match search.open.output(output) {
                Asking::Stuck => return,
                Asking::Looks(look) => {
                    self.decide(search, stepping, decided, look, Phase::Outputs(output));
                    return;
                }
                Asking::Value(value) => {
                    let lines = &self.vars.lines_of[output];
                    let belief = stepping.from.outputs;
                    let lines_all = &mut self.lines;
                    let mut fits =
                        |line: &usize| lines_all.may_write(belief, (*line, value), step, end);
                    if stepping.times.is_checked && !lines.iter().all(&mut fits) {
                        return;
                    }
                }
            }
        }
        self.remember(search, stepping, decided, 0);
    }

    /// Decides what is open in all ways, and goes on.
    fn decide(
        &mut self,
        search: &mut Search<'_>,
        stepping: &mut Stepping<'_>,
        decided: &mut Vec<(Look, usize)>,
        look: Look,
        phase: Phase,
    ) {
        let mark = search.open.mark();
        for (number, value) in search.open.values(look).iter().copied().enumerate() {
            search.n_tried += 1;
            let is_enough = stepping.splits && stepping.found.len() > search.extent.apart;
            search.is_too_large |= search.n_tried > search.extent.tried;
            if search.is_too_large || is_enough {
                return;
            }
            search.open.decide(look, value);
            decided.push((look, number));
            match phase {
                Phase::Outputs(output) => self.write(search, stepping, decided, output),
                Phase::Memory(memory) => self.remember(search, stepping, decided, memory),
            }
            decided.pop();
            search.open.undo(mark);
        }
    }

    /// All outputs fit: decides the inputs that are remembered, if they are to be decided, and adds what may be then.
    fn remember(
        &mut self,
        search: &mut Search<'_>,
        stepping: &mut Stepping<'_>,
        decided: &mut Vec<(Look, usize)>,
        first: usize,
    ) {
        if stepping.splits {
            for memory in first..search.n_memory {
                if let Asking::Looks(look @ Look::Input(_)) = search.open.next(memory) {
                    self.decide(search, stepping, decided, look, Phase::Memory(memory));
                    return;
                }
            }
        }
        let Times { step, end, .. } = stepping.times;
        let written = (0..search.n_outputs).map(|it| match search.open.output(it) {
            Asking::Value(value) => value,
            Asking::Looks(_) | Asking::Stuck => unreachable!("all outputs are known"),
        });
        let written = Rc::new(written.collect());
        let belief = stepping.from.outputs;
        let fits = self.lines.wrote(belief, step, (&written, &self.vars.places), end);
        let outputs = match fits {
            Ok((outputs, _)) => outputs,
            Err(_) if stepping.times.is_checked => return,
            Err(_) => self.lines.gone(step, end.1),
        };
        let mut parts = Vec::with_capacity(stepping.from.parts.len());
        search.looked_at.clear();
        for memory in 0..search.n_memory {
            let mut values = Vec::new();
            search.enumerate(memory, &mut values);
            if values.is_empty() || search.is_too_large {
                return;
            }
            parts.push(search.sets.number(values));
        }
        search.is_exact &= search.is_apart();
        parts.extend(stepping.next.iter().map(|it| it.unread));
        for (look, number) in decided.iter() {
            if let Look::Input(input) = look {
                let possible = &stepping.next[*input].values[*number];
                parts[search.n_memory + input] = possible.belief;
            }
        }
        match fits {
            Ok(_) => stepping.found.push(Product { parts, outputs }),
            Err(_) => stepping.strange.push(Product { parts, outputs }),
        }
    }

    /// Products that differ in one part only become one, which is exact; and if there are still too many, all that explain the outputs in the same way.
    fn fewer(&mut self, search: &mut Search<'_>, all: Vec<Product>) -> Vec<Product> {
        let mut found = Vec::new();
        for mut group in grouped(unique(all), |it| it.outputs) {
            let mut marks: Vec<u128> = group.iter().map(|it| mark_of(&it.parts)).collect();
            for part in 0..group[0].parts.len() {
                let first = group[0].parts[part];
                if group.iter().all(|it| it.parts[part] == first) {
                    continue;
                }
                // Without the mark of this part, those that differ in it only have the same.
                let marked = group.into_iter().zip(marks);
                let marked = marked.map(|(it, all)| (all ^ mark(part, it.parts[part]), it));
                let groups = grouped(marked.collect(), |(mark, _)| *mark);
                let groups = groups.into_iter().map(|it| it.into_iter().map(|it| it.1).collect());
                group = groups.map(|it: Vec<Product>| self.union(search, &it)).collect();
                marks = group.iter().map(|it| mark_of(&it.parts)).collect();
            }
            found.push(group);
        }
        let n_all: usize = found.iter().map(Vec::len).sum();
        if n_all <= search.extent.products {
            return found.into_iter().flatten().collect();
        }
        search.is_exact &= found.iter().all(|it| it.len() == 1);
        found.iter().map(|it| self.union(search, it)).collect()
    }

    /// A product that has all that some have.
    fn union(&mut self, search: &mut Search<'_>, group: &[Product]) -> Product {
        let mut one = group[0].clone();
        for (at, part) in one.parts.iter_mut().enumerate() {
            if group.iter().all(|it| it.parts[at] == *part) {
                continue;
            }
            let numbers = group.iter().map(|it| it.parts[at]);
            *part = match at.checked_sub(search.n_memory) {
                None => {
                    let sets = &search.sets;
                    let values = numbers.flat_map(|it| sets.all[it as usize].iter().copied());
                    let values = values.collect();
                    search.sets.number(values)
                }
                Some(input) => {
                    let beliefs: Vec<(u32, f64)> = numbers.map(|it| (it, 1.0)).collect();
                    self.inputs[input].mixed(&beliefs)
                }
            };
            search.is_too_large |=
                at < search.n_memory && search.sets.all[*part as usize].len() > VALUES_MAX;
        }
        one
    }
}

/// What is decided, and from where it goes on.
#[derive(Clone, Copy)]
enum Phase {
    Outputs(usize),
    Memory(usize),
}

impl Search<'_> {
    /// Whether all that was looked at for what is remembered was looked at for one thing only, and is no input: then the sets of values say all.
    fn is_apart(&mut self) -> bool {
        self.looked_at.sort_unstable();
        self.looked_at.dedup();
        let is_shared = self.looked_at.windows(2).any(|it| it[0].0 == it[1].0);
        !is_shared && !self.looked_at.iter().any(|(look, _)| matches!(look, Look::Input(_)))
    }

    /// All values that something remembered may have after the step.
    fn enumerate(&mut self, memory: usize, found: &mut Vec<Value>) {
        match self.open.next(memory) {
            Asking::Stuck => {}
            Asking::Value(value) => {
                if !found.contains(&value) {
                    found.push(value);
                }
                self.is_too_large |= found.len() > VALUES_MAX;
            }
            Asking::Looks(look) => {
                let mark = self.open.mark();
                self.looked_at.push((look, memory));
                for value in self.open.values(look).iter().copied() {
                    self.n_tried += 1;
                    self.is_too_large |= self.n_tried > self.extent.tried;
                    if self.is_too_large {
                        return;
                    }
                    self.open.decide(look, value);
                    self.enumerate(memory, found);
                    self.open.undo(mark);
                }
            }
        }
    }
}

/// Products, each of them once.
fn unique(all: Vec<Product>) -> Vec<Product> {
    let mut seen = rustc_hash::FxHashSet::default();
    all.into_iter().filter(|it| seen.insert(it.clone())).collect()
}
