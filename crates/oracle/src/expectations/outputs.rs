//! Outputs that should come, each in a window.
//!
//! A window counts from the instant of the case at which it stands. A signal takes as long as the interface
//! says (`[uncertainty]`), so one that is seen later than its window ends may have been sent in time. As
//! everywhere, what may be right is not called wrong: an input may have reached the system late, so the
//! window ends late, too. If the clock of the system may drift, a window is wider at both ends by what that is since
//! the start of the case: a case does not say which of its instants counts from which.
//!
//! Of a case that is judged by how often, an output is seen if it comes as long after what was done last as the case says, and as
//! `[uncertainty]` says that outputs take; nothing more is allowed for. Windows are known when the run is over, since
//! a case may begin anywhere in a phase.
//!
//! An output satisfies one expectation: of those that are open, the one that ends first. No other choice
//! satisfies more of them.

use punctual_model::testing::suite::{Body, Case, Do, Expect};
use punctual_model::{Action, Cause, Interface};

use super::{Kind, Unexpected};

/// The outputs that a case expects, and those that came.
pub(super) struct Outputs<'c> {
    interface: &'c Interface,
    awaited: Vec<Awaited<'c>>,
    /// When each input is due.
    due_ns: Vec<u64>,
    /// How many inputs were sent.
    n_sent: usize,
    /// What is known of a case that is judged by how often; none of another one.
    counted: Option<Counted>,
    /// Everything may take so much longer than the interface says.
    late_ns: u64,
    /// What it is if one does not come.
    cause: Cause,
}

/// What is done in a case, and the outputs that came.
#[derive(Default)]
struct Counted {
    /// When each input and check is due.
    due_ns: Vec<u64>,
    /// How much later than the case says those were done that were done so far.
    lags_ns: Vec<u64>,
    /// The outputs, each between two instants.
    came: Vec<(Action, u64, u64)>,
    /// Whether the run is over.
    is_over: bool,
}

impl Counted {
    fn of(case: &Case) -> Counted {
        let (mut counted, mut now_ns) = (Counted::default(), 0u64);
        let Body::Timed(parts) = &case.body else { return counted };
        for part in parts {
            match part {
                Do::Send(_) | Do::Check(_) => counted.due_ns.push(now_ns),
                Do::Wait(ns) => now_ns = now_ns.saturating_add(*ns),
                Do::Expect(_) => {}
            }
        }
        counted
    }

    fn done(&mut self, at_ns: u64) {
        if let Some(due_ns) = self.due_ns.get(self.lags_ns.len()) {
            self.lags_ns.push(at_ns.saturating_sub(*due_ns));
        }
    }

    /// How much later than the case says something was done: what comes before an output, or else what comes first.
    fn lag_ns(&self, n_acts: usize) -> u64 {
        self.lags_ns.get(n_acts.saturating_sub(1)).copied().unwrap_or(0)
    }
}

struct Awaited<'c> {
    expect: &'c Expect,
    /// The instant of the case at which it stands.
    stands_ns: u64,
    /// How many inputs of the case are before it.
    n_inputs: usize,
    /// How many inputs and checks of the case are before it.
    n_acts: usize,
    /// How much later than the case says the last of them was handed over.
    lag_ns: u64,
    state: State,
    /// Something similar that came and did not satisfy it.
    similar: Option<(Action, u64)>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Open,
    Came,
    Missed,
}

impl<'c> Outputs<'c> {
    /// What a case expects; `cause` is what it is if one does not come.
    pub(super) fn of(interface: &'c Interface, case: &'c Case, cause: Cause) -> Outputs<'c> {
        let (mut awaited, mut due_ns, mut now_ns) = (Vec::new(), Vec::new(), 0u64);
        let mut n_acts = 0;
        let parts: &[Do] = match &case.body {
            Body::Timed(parts) => parts,
            Body::Steps(_) => &[],
        };
        for part in parts {
            n_acts += usize::from(matches!(part, Do::Send(_) | Do::Check(_)));
            match part {
                Do::Send(_) => due_ns.push(now_ns),
                Do::Wait(ns) => now_ns = now_ns.saturating_add(*ns),
                Do::Check(_) => {}
                Do::Expect(expect) => awaited.push(Awaited {
                    expect,
                    stands_ns: now_ns,
                    n_inputs: due_ns.len(),
                    n_acts,
                    lag_ns: 0,
                    state: State::Open,
                    similar: None,
                }),
            }
        }
        Outputs { interface, awaited, due_ns, n_sent: 0, counted: None, late_ns: 0, cause }
    }

    /// The case is judged by how often.
    pub(super) fn counted(mut self, case: &Case) -> Outputs<'c> {
        self.counted = Some(Counted::of(case));
        self
    }

    pub(super) fn restart(&mut self) {
        self.n_sent = 0;
        if let Some(counted) = &mut self.counted {
            (counted.lags_ns, counted.came, counted.is_over) = (Vec::new(), Vec::new(), false);
        }
        for it in &mut self.awaited {
            (it.lag_ns, it.state, it.similar) = (0, State::Open, None);
        }
    }

    pub(super) fn widen(&mut self, by_ns: u64) {
        self.late_ns = self.late_ns.max(by_ns);
    }

    /// When one may be seen: the first and the last instant.
    fn window(&self, it: &Awaited<'_>) -> (u64, u64) {
        let delays = self.interface.uncertainty;
        let (input, output) = (delays.input_ns, delays.output_ns);
        // A case says when what comes, since its start: so long the clock of the system may have gone off.
        let drifted = |(from_ns, to_ns): (u64, u64)| {
            (
                from_ns.saturating_sub(delays.drift_ns(from_ns)),
                to_ns.saturating_add(delays.late_ns(to_ns)),
            )
        };
        if let Some(counted) = &self.counted {
            let begins_ns = it.stands_ns.saturating_add(counted.lag_ns(it.n_acts));
            let after =
                |ns: u64, takes_ns: u64| begins_ns.saturating_add(ns).saturating_add(takes_ns);
            return drifted((after(it.expect.from_ns, output.0), after(it.expect.to_ns, output.1)));
        }
        let from = [it.expect.from_ns, output.0];
        let to = [it.expect.to_ns, it.lag_ns, input.1, output.1, self.late_ns];
        let after = |parts: &[u64]| parts.iter().fold(it.stands_ns, |a, b| a.saturating_add(*b));
        drifted((after(&from), after(&to)))
    }

    /// Ports were read.
    pub(super) fn reading(&mut self, at_ns: u64) {
        if let Some(counted) = &mut self.counted {
            counted.done(at_ns);
        }
    }

    /// A signal was exchanged between two instants.
    pub(super) fn signal(&mut self, action: &Action, from_ns: u64, to_ns: u64) {
        let is_input =
            self.interface.signals[action.signal].direction == punctual_model::Direction::Input;
        match &mut self.counted {
            Some(counted) if is_input => counted.done(to_ns),
            Some(counted) => counted.came.push((action.clone(), from_ns, to_ns)),
            None => self.exchanged(action, from_ns, to_ns),
        }
    }

    /// A signal counts for what is awaited.
    fn exchanged(&mut self, action: &Action, from_ns: u64, to_ns: u64) {
        if self.interface.signals[action.signal].direction == punctual_model::Direction::Input {
            let due_ns = self.due_ns.get(self.n_sent).copied().unwrap_or(to_ns);
            self.n_sent += 1;
            for it in self.awaited.iter_mut().filter(|it| it.n_inputs == self.n_sent) {
                it.lag_ns = to_ns.saturating_sub(due_ns);
            }
            return;
        }
        let fits = |it: &Awaited<'_>| {
            let (first_ns, last_ns) = self.window(it);
            it.state == State::Open
                && it.expect.action == *action
                && first_ns <= to_ns
                && from_ns <= last_ns
        };
        let fitting = self.awaited.iter().enumerate().filter(|(_, it)| fits(it));
        let first = fitting.min_by_key(|(_, it)| self.window(it).1).map(|(at, _)| at);
        if let Some(at) = first {
            self.awaited[at].state = State::Came;
            return;
        }
        for it in &mut self.awaited {
            let says_more = match it.state {
                State::Open => true,
                State::Missed => it.similar.is_none(),
                State::Came => false,
            };
            if says_more && it.expect.action.signal == action.signal {
                it.similar = Some((action.clone(), from_ns));
            }
        }
    }

    /// What is known in the end of one that did not come: it may have come too late.
    pub(super) fn told(&self, missed: Unexpected) -> Unexpected {
        match missed.kind {
            Kind::Output => self.unexpected(missed.number, missed.at_ns, missed.cause),
            Kind::Check | Kind::Step => missed,
        }
    }

    /// The run is over: nothing more is known of windows.
    pub(super) fn finish(&mut self) {
        let Some(counted) = &mut self.counted else { return };
        counted.is_over = true;
        for (action, from_ns, to_ns) in std::mem::take(&mut counted.came) {
            self.exchanged(&action, from_ns, to_ns);
        }
    }

    /// Those whose window is over before an instant, each told once.
    pub(super) fn over(&mut self, seen_ns: u64) -> Vec<Unexpected> {
        if self.counted.as_ref().is_some_and(|it| !it.is_over) {
            return Vec::new();
        }
        let mut missed = Vec::new();
        for at in 0..self.awaited.len() {
            let (_, last_ns) = self.window(&self.awaited[at]);
            if self.awaited[at].state == State::Open && last_ns < seen_ns {
                self.awaited[at].state = State::Missed;
                missed.push(self.unexpected(at, last_ns, self.cause));
            }
        }
        missed
    }

    /// The first whose window is not over yet.
    pub(super) fn open(&self, end_ns: u64) -> Option<Unexpected> {
        let at = self.awaited.iter().position(|it| it.state == State::Open)?;
        Some(self.unexpected(at, end_ns, Cause::Stopped))
    }

    fn unexpected(&self, at: usize, at_ns: u64, cause: Cause) -> Unexpected {
        let it = &self.awaited[at];
        let text = |action: &Action| self.interface.signal_text(action.signal, &action.values);
        let from = ms(it.stands_ns.saturating_add(it.expect.from_ns));
        let to = ms(it.stands_ns.saturating_add(it.expect.to_ns));
        let seen = it.similar.as_ref();
        Unexpected {
            number: at,
            kind: Kind::Output,
            at_ns,
            seen: seen.map(|(action, at_ns)| format!("`{}` at {} ms", text(action), ms(*at_ns))),
            expected: format!("`{}` from {from} to {to} ms", text(&it.expect.action)),
            allowed: Vec::new(),
            requirement: it.expect.requirement.clone(),
            cause,
            refused: None,
        }
    }
}

/// An instant in milliseconds, exactly.
fn ms(ns: u64) -> String {
    let text = format!("{}.{:06}", ns / 1_000_000, ns % 1_000_000);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}
