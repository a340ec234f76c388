//! Who moves together.

use super::explorer::{Explorer, Halt};
use super::offers::{Group, Offer};
use super::scope::Scope;

impl Explorer<'_> {
    /// Calls `fire` for each transition that the data of the source allow, with `party` (and
    /// `refused`) set.
    pub(crate) fn each_transition(
        &mut self,
        fire: &mut impl FnMut(&mut Self) -> Result<(), Halt>,
    ) -> Result<(), Halt> {
        let symbolic = self.symbolic;
        let location = |(p, process): (usize, &super::compile::Process)| {
            process.locations[self.source[p] as usize].committed
        };
        self.committed = symbolic.processes.iter().enumerate().any(location);
        self.collect()?;
        self.refused.clear();
        for i in 0..self.offers.internal.len() {
            let offer = self.offers.internal[i];
            self.party.clear();
            self.party.push(offer);
            self.fire_if_committed(fire)?;
        }
        for i in 0..self.offers.sends.len() {
            let send = self.offers.sends[i];
            match symbolic.channels[send.channel as usize].broadcast {
                true => self.broadcast(send, fire)?,
                false => self.handshake(send, fire)?,
            }
        }
        if !symbolic.vectors.is_empty() {
            self.vectors(fire)?;
        }
        if symbolic.csp_members.iter().any(|&n| n > 0) {
            self.csp(fire)?;
        }
        Ok(())
    }

    fn collect(&mut self) -> Result<(), Halt> {
        let Self { symbolic, offers, source, machine, scope, observed, sent, .. } = self;
        let observed = if matches!(scope, Scope::Sent) { sent } else { observed };
        machine.begin();
        offers.collect(symbolic, source, machine, false, (*scope, observed)).map_err(
            |(offer, fault)| {
                self.party.clear();
                self.party.push(offer);
                self.branches.clear();
                self.trouble(fault)
            },
        )
    }

    /// While some process is in a committed location, one of those must move.
    #[inline]
    fn fire_if_committed(
        &mut self,
        fire: &mut impl FnMut(&mut Self) -> Result<(), Halt>,
    ) -> Result<(), Halt> {
        self.look()?;
        if self.committed {
            let symbolic = self.symbolic;
            let moves = self.party.iter().any(|offer| {
                symbolic.processes[offer.process as usize].edges[offer.edge as usize].from_committed
            });
            if !moves {
                return Ok(());
            }
        }
        fire(self)
    }

    /// A sender and one receiver of another process.
    fn handshake(
        &mut self,
        send: Offer,
        fire: &mut impl FnMut(&mut Self) -> Result<(), Halt>,
    ) -> Result<(), Halt> {
        let channel = send.channel as usize;
        for i in 0..self.offers.receives[channel].len() {
            let receive = self.offers.receives[channel][i];
            if receive.process != send.process {
                self.party.clear();
                self.party.push(send);
                self.party.push(receive);
                self.fire_if_committed(fire)?;
            }
        }
        Ok(())
    }

    /// A sender and every process that can receive. A process can stay out only where the clocks
    /// allow none of its offers.
    fn broadcast(
        &mut self,
        send: Offer,
        fire: &mut impl FnMut(&mut Self) -> Result<(), Halt>,
    ) -> Result<(), Halt> {
        let symbolic = self.symbolic;
        let offers = &mut self.offers;
        offers.pool.clear();
        offers.groups.clear();
        for &receive in &offers.receives[send.channel as usize] {
            if receive.process == send.process {
                continue;
            }
            let edge = &symbolic.processes[receive.process as usize].edges[receive.edge as usize];
            let start = offers.pool.len();
            let depends = !edge.clocks.is_empty();
            match offers.groups.last_mut() {
                Some(group) if offers.pool[group.start].process == receive.process => {
                    group.end += 1;
                    group.may_stay_out &= depends;
                }
                _ => offers.groups.push(Group {
                    start,
                    end: start + 1,
                    may_stay_out: depends,
                    chosen: start,
                }),
            }
            offers.pool.push(receive);
        }
        loop {
            self.party.clear();
            self.party.push(send);
            self.refused.clear();
            for group in &self.offers.groups {
                match self.offers.pool.get(group.chosen).filter(|_| group.chosen < group.end) {
                    Some(receive) => self.party.push(*receive),
                    None => self.refused.extend(&self.offers.pool[group.start..group.end]),
                }
            }
            self.fire_if_committed(fire)?;
            if !next_choice(&mut self.offers.groups) {
                self.refused.clear();
                return Ok(());
            }
        }
    }

    /// Processes that move together because a vector says so.
    fn vectors(
        &mut self,
        fire: &mut impl FnMut(&mut Self) -> Result<(), Halt>,
    ) -> Result<(), Halt> {
        let symbolic = self.symbolic;
        for (p, process) in symbolic.processes.iter().enumerate() {
            for &vector in &process.locations[self.source[p] as usize].vectors {
                self.vector(vector, fire)?;
            }
        }
        for &vector in &symbolic.weak_vectors {
            self.vector(vector, fire)?;
        }
        Ok(())
    }

    fn vector(
        &mut self,
        vector: u32,
        fire: &mut impl FnMut(&mut Self) -> Result<(), Halt>,
    ) -> Result<(), Halt> {
        let symbolic = self.symbolic;
        self.offers.pool.clear();
        self.offers.groups.clear();
        for participant in &symbolic.vectors[vector as usize].participants {
            let process = participant.process as usize;
            let location = &symbolic.processes[process].locations[self.source[process] as usize];
            let edges = location.edges_of_event(participant.event);
            if edges.is_empty() {
                match participant.weak {
                    true => continue,
                    false => return Ok(()),
                }
            }
            let start = self.offers.pool.len();
            self.instances(process, edges)?;
            let end = self.offers.pool.len();
            if start == end {
                return Ok(());
            }
            self.offers.groups.push(Group { start, end, may_stay_out: false, chosen: start });
        }
        self.products(fire)
    }

    /// All processes that know a channel move together.
    fn csp(&mut self, fire: &mut impl FnMut(&mut Self) -> Result<(), Halt>) -> Result<(), Halt> {
        let symbolic = self.symbolic;
        let mut found: Vec<Offer> = Vec::new();
        for (p, process) in symbolic.processes.iter().enumerate() {
            self.offers.pool.clear();
            self.instances(p, &process.locations[self.source[p] as usize].csp)?;
            found.append(&mut self.offers.pool);
        }
        for (channel, &members) in symbolic.csp_members.iter().enumerate() {
            self.offers.pool.clear();
            self.offers.groups.clear();
            for offer in found.iter().filter(|offer| offer.channel as usize == channel) {
                let start = self.offers.pool.len();
                match self.offers.groups.last_mut() {
                    Some(group) if self.offers.pool[group.start].process == offer.process => {
                        group.end += 1;
                    }
                    _ => self.offers.groups.push(Group {
                        start,
                        end: start + 1,
                        may_stay_out: false,
                        chosen: start,
                    }),
                }
                self.offers.pool.push(*offer);
            }
            if members > 0 && self.offers.groups.len() == members as usize {
                self.products(fire)?;
            }
        }
        Ok(())
    }

    /// Appends the offers of some edges to the pool.
    fn instances(&mut self, process: usize, edges: &[u32]) -> Result<(), Halt> {
        let Self { symbolic, offers, source, machine, .. } = self;
        let mut pool = std::mem::take(&mut offers.pool);
        let done = offers.instances(symbolic, source, machine, process, edges, &mut pool);
        offers.pool = pool;
        done.map_err(|(offer, fault)| {
            self.party.clear();
            self.party.push(offer);
            self.branches.clear();
            self.trouble(fault)
        })
    }

    /// Fires every combination of one offer from each group.
    fn products(
        &mut self,
        fire: &mut impl FnMut(&mut Self) -> Result<(), Halt>,
    ) -> Result<(), Halt> {
        if self.offers.groups.is_empty() {
            return Ok(());
        }
        loop {
            self.party.clear();
            for group in &self.offers.groups {
                self.party.push(self.offers.pool[group.chosen]);
            }
            self.fire_if_committed(fire)?;
            if !next_choice(&mut self.offers.groups) {
                return Ok(());
            }
        }
    }
}

/// The next combination of choices; false after the last.
fn next_choice(groups: &mut [Group]) -> bool {
    for group in groups {
        let last = if group.may_stay_out { group.end } else { group.end - 1 };
        if group.chosen < last {
            group.chosen += 1;
            return true;
        }
        group.chosen = group.start;
    }
    false
}
