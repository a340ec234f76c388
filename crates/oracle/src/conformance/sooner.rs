//! What was wrong before an input that excuses what comes after it.
//!
//! A part may refuse an input, or its specification may say nothing about it: nobody is blamed for what came after that. Among things whose
//! order is not known, what another part has done may have come before. It has for sure if that part can not wait until the input can have come,
//! whatever it has done by then of what was seen.

use punctual_semantics::estimate::{End, Interval};

use super::coverage::Coverage;
use super::diagnosis::Diagnosis;
use super::known::Known;
use super::monitor::{Monitor, Pending, Way, known_until, refused_of};
use super::unseen::Before;

impl Monitor<'_> {
    /// Why some part can not wait until the first input of a cluster that excuses what comes after it; none if all can.
    pub(super) fn wrong_sooner(
        &mut self,
        cluster: &[Pending],
        before: &Before,
        unseen: Option<End>,
        coverage: &mut Coverage,
    ) -> Option<Box<Diagnosis>> {
        let after = self.before(coverage);
        let wrong = self.sooner(cluster, before, unseen, coverage);
        if wrong.is_none() {
            self.go_back(after, coverage);
        }
        wrong
    }

    /// The same; if all can, the states are of no use afterwards.
    fn sooner(
        &mut self,
        cluster: &[Pending],
        before: &Before,
        unseen: Option<End>,
        coverage: &mut Coverage,
    ) -> Option<Box<Diagnosis>> {
        let instants = self.specification.instants;
        self.go_back(before.clone(), coverage);
        let excuse = self.first_excuse(cluster)?;
        let interval = instants.interval(excuse.from_ns, excuse.to_ns);
        self.go_back(before.clone(), coverage);
        let n_parts = self.followed.parts.len();
        let guilty = (0..n_parts).find(|at| !self.waits(*at, cluster, interval.from))?;
        // What may have come before the input, or after it, is told as what came before if that explains it.
        let all = sooner_than(cluster, excuse);
        let sure = before_for_sure(cluster, |it| {
            let to = instants.interval(it.from_ns, it.to_ns).to;
            Interval { from: interval.from, to }.is_empty()
        });
        let mut done = Ok(());
        for cluster in [&all, &sure] {
            self.go_back(before.clone(), coverage);
            done = self.explain_part(guilty, cluster, unseen, coverage);
            if done.is_ok() {
                break;
            }
        }
        let seen = (Some(&excuse.what), interval);
        if done.is_ok()
            && let Err(stuck) = self.followed.wait(guilty, interval.from, seen)
        {
            let until = known_until(cluster, unseen, instants).unwrap_or(interval.from);
            done = Err(self.followed.first(stuck, seen, until));
        }
        done.err().filter(|it| it.cause.is_failure())
    }

    /// The input of a cluster that some part refuses, or that it does not know, and that may have come first of these; none if there is none, or if
    /// not all can be followed.
    fn first_excuse<'p>(&mut self, cluster: &'p [Pending]) -> Option<&'p Pending> {
        let (specification, instants) = (self.specification, self.specification.instants);
        let mut excuses: Vec<&Pending> = Vec::new();
        for at in 0..self.followed.parts.len() {
            let known = Known::of(specification, self.followed.number(at), cluster);
            let observed = known.observations(instants);
            let estimate = &mut self.followed.estimates[at];
            let done = estimate.observe_queues(observed.each_ref().map(|it| &it[..])).ok()?;
            excuses.extend(refused_of(cluster, &estimate.take_refusing(), instants));
            let stuck = done.as_ref().err();
            let unknown = stuck.and_then(|stuck| known.not_specified(stuck));
            excuses.extend(unknown.map(|(told, _)| told.pending));
        }
        excuses.into_iter().min_by_key(|it| it.from_ns)
    }

    /// Whether a part can wait until an instant, whatever it does by then of what was seen.
    fn waits(&mut self, at: usize, cluster: &[Pending], until: End) -> bool {
        let known = Known::of(self.specification, self.followed.number(at), cluster);
        let observed = known.observations(self.specification.instants);
        let queues = observed.each_ref().map(|it| &it[..]);
        // Nobody is blamed for what can not be followed.
        self.followed.estimates[at].reaches(queues, until).unwrap_or(true)
    }
}

/// What of a cluster may have come before an input, as if it had.
fn sooner_than(cluster: &[Pending], input: &Pending) -> Vec<Pending> {
    let mut sooner: Vec<Pending> =
        cluster.iter().filter(|it| it.from_ns < input.from_ns).cloned().collect();
    sooner.iter_mut().for_each(|it| it.to_ns = it.to_ns.min(input.from_ns));
    sooner
}

/// What of a cluster is over for sure: what comes later on the same way is no sooner, whatever is known of it.
fn before_for_sure(cluster: &[Pending], is_over: impl Fn(&Pending) -> bool) -> Vec<Pending> {
    let last = |way: Way| cluster.iter().rposition(|it| it.way == way && is_over(it));
    let is_sure = |(at, it): &(usize, &Pending)| last(it.way).is_some_and(|last| *at <= last);
    cluster.iter().enumerate().filter(is_sure).map(|(_, it)| it.clone()).collect()
}
