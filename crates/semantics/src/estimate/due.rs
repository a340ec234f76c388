//! What had to be observed, when time could not pass without it.
//!
//! A component that may wait no longer than up to a *deadline* has to do something that is observed. What keeps the
//! deadline is what lets time pass beyond it: signals that it might have sent since the last observation, after which
//! it may wait for longer. A signal that is possible in the same time, but leaves the deadline where it is, keeps
//! nothing. Sometimes several signals have to come, all of them. So what is due are sets of signals, as small as
//! possible: one of these sets had to come.

use punctual_model::SignalId;

use super::hindsight::{Carried, Hindsight, Queues};
use super::interval::{End, Interval};
use super::set::{Estimate, Observation, Overflow, What};
use super::snapshot::Snapshot;

/// A signal that is sent, with its values.
pub type Sent = (SignalId, Vec<i32>);

/// What lets time pass beyond a deadline.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Due {
    /// The smallest sets of signals that do, if one of them is sent: each set in its order, the sets in theirs.
    pub sets: Vec<Vec<Sent>>,
    /// Whether nothing that the component may send does: the model stops time by itself.
    pub is_hopeless: bool,
}

/// Larger sets of signals are not looked for.
const TOGETHER_MAX: usize = 16;

/// More sets of signals than this are not looked at.
const SETS_MAX: usize = 256;

/// A search that needs more states than this at once is given up.
const STATES_MAX: usize = 4_000;

impl Hindsight {
    /// The smallest sets of signals, with their values, that let time pass beyond a deadline, if the component had
    /// sent one of them since the last observation. `stuck` is as in [`windows`](Self::windows); `deadline` is the last instant up to which
    /// nothing need have been observed ([`Estimate::latest`]).
    ///
    /// # Errors
    /// If the model is in error, or there are too many states or sets of signals.
    pub fn due(
        &self,
        estimate: &mut Estimate<'_>,
        stuck: Queues<'_>,
        deadline: End,
    ) -> Result<Due, Overflow> {
        estimate.apart(|estimate| {
            self.recall(estimate, stuck, &[], &mut Carried::new())?;
            estimate.states_max = STATES_MAX.max(4 * estimate.entries.len());
            search(estimate, deadline)
        })
    }
}

/// Looks for the smallest sets from the present states on.
fn search(estimate: &mut Estimate<'_>, deadline: End) -> Result<Due, Overflow> {
    let mut found: Vec<Vec<Sent>> = Vec::new();
    let mut open: Vec<(Vec<Sent>, Snapshot)> = vec![(Vec::new(), estimate.save())];
    let mut n_looked = 0;
    // States that fewer signals lead to: whatever keeps the deadline from there is a smaller set.
    let mut known = vec![estimate.states_now()];
    for _ in 0..TOGETHER_MAX {
        let mut next: Vec<(Vec<Sent>, Snapshot)> = Vec::new();
        let mut reached = Vec::new();
        for (before, states) in &open {
            estimate.restore(states);
            let within = Interval { from: estimate.now(), to: Some(deadline) };
            for (signal, values) in sent(estimate, within)? {
                n_looked += 1;
                if n_looked > SETS_MAX {
                    return match found.is_empty() {
                        true => Err(Overflow::States(SETS_MAX)),
                        false => Ok(Due { sets: tidy(found), is_hopeless: false }),
                    };
                }
                estimate.restore(states);
                let what = What::Signal { signal, values: &values };
                let observed = estimate.observe(&Observation { what, interval: within })?;
                if observed.is_err() {
                    continue;
                }
                estimate.follow(End::at(deadline.at))?;
                let mut set = before.clone();
                set.push((signal, values));
                set.sort_unstable();
                match estimate.latest() {
                    Some(latest) if !deadline.ends_before(latest) => {
                        let states = estimate.states_now();
                        if !known.contains(&states) {
                            reached.push(states);
                            next.push((set, estimate.save()));
                        }
                    }
                    _ => found.push(set),
                }
            }
        }
        known.append(&mut reached);
        open = next;
        if !found.is_empty() || open.is_empty() {
            // Where nothing new can be reached, larger sets do not help, either.
            let is_hopeless = found.is_empty();
            return Ok(Due { sets: tidy(found), is_hopeless });
        }
    }
    Err(Overflow::States(SETS_MAX))
}

/// What may be sent in an interval that begins now, each once.
fn sent(estimate: &mut Estimate<'_>, within: Interval) -> Result<Vec<Sent>, Overflow> {
    if let Some(to) = within.to {
        estimate.mind_span(to)?;
        estimate.follow(to)?;
    }
    let mut sent: Vec<Sent> = Vec::new();
    for offer in estimate.offers()? {
        if !offer.interval.meet(within).is_empty() {
            sent.push((offer.signal, offer.values));
        }
    }
    sent.sort_unstable();
    sent.dedup();
    Ok(sent)
}

fn tidy(mut sets: Vec<Vec<Sent>>) -> Vec<Vec<Sent>> {
    sets.sort_unstable();
    sets.dedup();
    sets
}
