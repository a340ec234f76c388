//! One transition: guards, updates in order, invariants of where it leads.

use std::ops::ControlFlow;

use punctual_zones::{Bound, Source, Zone};

use super::explorer::{Explorer, Halt, Successor};
use crate::budget::Spent;
use crate::select::{Select, next_selects, set_selects};
use crate::{Fault, FaultKind};

impl Explorer<'_> {
    /// Fires the transition of `party` from the whole source zone.
    pub(crate) fn fire(
        &mut self,
        visit: &mut impl FnMut(Successor<'_>) -> ControlFlow<()>,
    ) -> Result<(), Halt> {
        if self.ordinal < self.first {
            let ordinal = self.ordinal;
            self.skip_branches();
            if self.ordinal <= self.first {
                return Ok(());
            }
            self.ordinal = ordinal;
        }
        let holds = self.guard();
        if !self.forgiven(holds, false)? {
            self.skip_branches();
            return Ok(());
        }
        if self.refused.is_empty() {
            return self.each_branch(&mut |explorer| explorer.take_forgiving(visit));
        }
        let pieces = self.allowed_pieces();
        let pieces = self.forgiven(pieces, Vec::new())?;
        self.fire_pieces(pieces, visit)
    }

    /// Takes the transition, unless it is an error of the model that is left out.
    fn take_forgiving(
        &mut self,
        visit: &mut impl FnMut(Successor<'_>) -> ControlFlow<()>,
    ) -> Result<(), Halt> {
        let done = self.take(visit);
        self.forgiven(done, ())
    }

    /// Fires the transition of `party` from each of some parts of the source zone.
    pub(crate) fn fire_pieces(
        &mut self,
        pieces: Vec<Zone>,
        visit: &mut impl FnMut(Successor<'_>) -> ControlFlow<()>,
    ) -> Result<(), Halt> {
        let ordinal = self.ordinal;
        for piece in &pieces {
            self.ordinal = ordinal;
            self.guarded.assign(piece);
            self.is_guarded = true;
            self.each_branch(&mut |explorer| explorer.take_forgiving(visit))?;
        }
        self.ordinal = ordinal;
        self.skip_branches();
        Ok(())
    }

    /// Cuts the source zone to where all guards hold; false if that is nowhere.
    pub(crate) fn guard(&mut self) -> Result<bool, Halt> {
        let Self { symbolic, machine, source, offers, tests, .. } = self;
        tests.clear();
        for offer in &self.party {
            let edge = &symbolic.processes[offer.process as usize].edges[offer.edge as usize];
            if !edge.clocks.is_empty() {
                offers.load(offer, edge, machine);
                let done = edge.clocks.evaluate(&symbolic.program, source, machine, tests);
                if let Err(fault) = done {
                    self.branches.clear();
                    return Err(self.trouble(fault));
                }
            }
        }
        self.is_guarded = !tests.is_empty();
        if !self.is_guarded {
            return Ok(true);
        }
        let clocks = &self.source_clocks;
        for test in tests.iter_mut() {
            let (x, y) = (clocks.tested(test.x), clocks.tested(test.y));
            if !test.bound.meets(self.source_zone.bound(y, x)) {
                return Ok(false);
            }
            (test.x, test.y) = (x as u32, y as u32);
        }
        self.guarded.assign(&self.source_zone);
        Ok(self.guarded.constrain_all(tests.iter().copied()))
    }

    /// The parts of the guarded zone where no process that stays out could take part.
    pub(crate) fn allowed_pieces(&mut self) -> Result<Vec<Zone>, Halt> {
        let mut pieces = vec![self.guarded_zone().clone()];
        for i in 0..self.refused.len() {
            self.hold_zones(pieces.len())?;
            let offer = self.refused[i];
            let Self { symbolic, machine, source, offers, tests, .. } = self;
            let edge = &symbolic.processes[offer.process as usize].edges[offer.edge as usize];
            tests.clear();
            offers.load(&offer, edge, machine);
            let done = edge.clocks.evaluate(&symbolic.program, source, machine, tests);
            done.map_err(|fault| self.trouble(fault))?;
            let clocks = &self.source_clocks;
            for test in &mut self.tests {
                (test.x, test.y) = (clocks.tested(test.x) as u32, clocks.tested(test.y) as u32);
            }
            let mut outside = Vec::new();
            for mut rest in pieces {
                for test in &self.tests {
                    let no = test.complement().expect("a test is finite");
                    if no.bound.meets(rest.bound(no.y as usize, no.x as usize)) {
                        let mut piece = rest.clone();
                        assert!(piece.constrain_all([no]), "the two bounds meet");
                        outside.push(piece);
                    }
                    if !rest.constrain_all([*test]) {
                        break;
                    }
                }
            }
            pieces = outside;
        }
        Ok(pieces)
    }

    /// Counts zones that are held at a time.
    fn hold_zones(&self, n: usize) -> Result<(), Halt> {
        let dim = self.source_zone.dim() as u64;
        self.symbolic.budget.hold(n as u64 * dim * dim * size_of::<Bound>() as u64);
        self.look()
    }

    /// A state has more successors than can be numbered, and so than can be stored.
    #[cold]
    fn too_many(&self) -> Halt {
        self.symbolic.budget.spend(Spent::Memory);
        Halt::Spent
    }

    /// What of the source zone allows the transition.
    pub(crate) fn guarded_zone(&self) -> &Zone {
        if self.is_guarded { &self.guarded } else { &self.source_zone }
    }

    /// Counts the branches of a transition that is not possible.
    pub(crate) fn skip_branches(&mut self) {
        let mut count: u64 = 1;
        for offer in &self.party {
            let edge = &self.symbolic.processes[offer.process as usize].edges[offer.edge as usize];
            if !edge.is_plain {
                let ways = |branch: &super::compile::Branch| -> u64 {
                    let span = |it: &Select| {
                        (i64::from(it.hi) - i64::from(it.lo) + 1).max(0).unsigned_abs()
                    };
                    branch.selects.iter().map(span).product()
                };
                count = count.saturating_mul(edge.branches.iter().map(ways).sum());
            }
        }
        self.ordinal = self.ordinal.saturating_add(u32::try_from(count).unwrap_or(u32::MAX));
    }

    /// Calls `take` for each combination of branches and of the values selected on them.
    pub(crate) fn each_branch(
        &mut self,
        take: &mut impl FnMut(&mut Self) -> Result<(), Halt>,
    ) -> Result<(), Halt> {
        self.branches.clear();
        self.branch_values.clear();
        self.branch_of(0, take)
    }

    fn branch_of(
        &mut self,
        member: usize,
        take: &mut impl FnMut(&mut Self) -> Result<(), Halt>,
    ) -> Result<(), Halt> {
        let symbolic = self.symbolic;
        let mut plain = member;
        while let Some(offer) = self.party.get(plain) {
            let edge = &symbolic.processes[offer.process as usize].edges[offer.edge as usize];
            if !edge.is_plain {
                break;
            }
            self.branches.push((0, 0));
            plain += 1;
        }
        let Some(offer) = self.party.get(plain) else {
            take(self)?;
            self.ordinal = self.ordinal.checked_add(1).ok_or_else(|| self.too_many())?;
            self.branches.truncate(member);
            return Ok(());
        };
        let edge = &symbolic.processes[offer.process as usize].edges[offer.edge as usize];
        let start = self.branch_values.len();
        for (number, branch) in edge.branches.iter().enumerate() {
            if branch.selects.iter().any(|select| select.lo > select.hi) {
                continue;
            }
            self.branch_values.extend(branch.selects.iter().map(|select| select.lo));
            loop {
                self.look()?;
                self.branches.push((number as u32, start as u32));
                self.branch_of(plain + 1, take)?;
                self.branches.truncate(plain);
                let end = start + branch.selects.len();
                if !next_selects(&branch.selects, &mut self.branch_values[start..end]) {
                    break;
                }
            }
            self.branch_values.truncate(start);
        }
        self.branches.truncate(member);
        Ok(())
    }

    /// Takes the transition: updates, then the state that is entered.
    fn take(
        &mut self,
        visit: &mut impl FnMut(Successor<'_>) -> ControlFlow<()>,
    ) -> Result<(), Halt> {
        if !self.update()? || !self.survey()? {
            return Ok(());
        }
        self.sources.clear();
        for &clock in self.target_clocks.clocks() {
            let (from, offset) = self.machine.clock(clock);
            let from = self.source_clocks.tested(from) as u32;
            if from != 0 && offset < 0 {
                // Some valuations would make the clock negative.
                let guarded = if self.is_guarded { &self.guarded } else { &self.source_zone };
                if guarded.bound(0, from as usize) > Bound::le(offset) {
                    return Err(self.trouble(FaultKind::NegativeClock { value: offset }.into()));
                }
            }
            self.sources.push(Source { clock: from, offset });
        }
        let guarded = if self.is_guarded { &self.guarded } else { &self.source_zone };
        self.target_zone.set_image(guarded, &self.sources);
        self.enter(visit)
    }

    /// Evaluates the updates on `target` and in the machine. False if a value leaves its range and
    /// the network says that this makes the transition impossible.
    pub(crate) fn update(&mut self) -> Result<bool, Halt> {
        self.target.copy_from_slice(&self.source);
        self.machine.begin();
        match self.run_updates() {
            Ok(()) => Ok(true),
            Err(Fault { kind: FaultKind::Range { .. } }) if self.symbolic.disable_on_range => {
                Ok(false)
            }
            Err(fault) => Err(self.trouble(fault)),
        }
    }

    fn run_updates(&mut self) -> Result<(), Fault> {
        let Self { symbolic, machine, target, offers, .. } = self;
        let program = &symbolic.program;
        if symbolic.has_updates_around {
            program.run(symbolic.before_update, target, machine)?;
        }
        for &(slot, value) in &self.pokes {
            target[slot as usize] = value;
        }
        for (offer, &(branch, values)) in self.party.iter().zip(&self.branches) {
            let edge = &symbolic.processes[offer.process as usize].edges[offer.edge as usize];
            let branch = &edge.branches[branch as usize];
            offers.load(offer, edge, machine);
            set_selects(machine, &branch.selects, &self.branch_values[values as usize..]);
            program.run(edge.update, target, machine)?;
            program.run(branch.update, target, machine)?;
            target[offer.process as usize] = branch.target;
        }
        if symbolic.has_updates_around {
            program.run(symbolic.after_update, target, machine)?;
        }
        Ok(())
    }
}
