//! Follows all runs of a component through a script.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::rc::Rc;

use num_traits::{One, Zero};
use punctual_model::SignalId;
use punctual_semantics::estimate::{Constraint, Estimator, Possible, Stay, Steps, Unlisted};

use super::density::{Density, Ratio, whole};
use super::instant::Instant;
use super::piece::{Measure, Piece, Stop};
use super::window::{deadline, holds, window};
use super::{Event, Inexact, Phase, Share};

/// More pieces than this are not followed.
const PIECES_MAX: usize = 4_000;

/// Sums of more delays than this are not computed.
const DEGREE_MAX: usize = 8;

/// Follows a script, whose instants are points of the grid in order, from the start of the component. For each mark, the states
/// that runs are in and how probable they are.
///
/// # Errors
/// If it can not be computed.
pub fn follow(
    estimator: &Estimator,
    script: &[(i64, Event)],
    phase: Phase,
) -> Result<Vec<Vec<Share>>, Inexact> {
    let mut steps = Steps::new(estimator).map_err(unlisted)?;
    let (state, clocks) = steps.start().ok_or(Inexact::Start)?;
    let n_processes = steps.stay(&state).map_err(unlisted)?.invariants.len();
    let measure = match phase {
        Phase::None => Measure::Weight(Ratio::one()),
        Phase::OfScript(period) | Phase::OfLoop(period) => {
            Measure::Over(Density::even(0, period, &Ratio::one()))
        }
    };
    let awaited = Awaited::of(script);
    let start = Piece {
        state,
        set_at: clocks.iter().map(|value| Instant::fixed(-i64::from(*value))).collect(),
        lost: vec![false; clocks.len()],
        now: Instant::fixed(0),
        measure,
        plans: vec![None; n_processes],
        done: 0,
        came: vec![false; awaited.len()],
        n_drawn: 0,
        n_chosen: 0,
    };
    let mut follower = Follower { steps, script, awaited, phase, known: BTreeMap::new() };
    follower.run(start)
}

fn unlisted(why: Unlisted) -> Inexact {
    match why {
        Unlisted::Construct(what) => Inexact::Construct(what),
        Unlisted::Error => Inexact::Error,
    }
}

/// What is known of a state: the steps of the component, and what holds while it stays.
struct Listed {
    own: Vec<Possible>,
    stay: Stay,
}

/// An output that the script expects.
struct Awaited<'f> {
    /// Where the script has it.
    at: usize,
    from: i64,
    to: i64,
    signal: SignalId,
    values: &'f [i32],
}

impl<'f> Awaited<'f> {
    /// All of a script, those first that end first: an output is that which ends first of all that it could be, so that as many as possible
    /// come.
    fn of(script: &'f [(i64, Event)]) -> Vec<Awaited<'f>> {
        let outputs = script.iter().enumerate().filter_map(|(at, (to, event))| match event {
            Event::Output { from, signal, values } => {
                Some(Awaited { at, from: *from, to: *to, signal: *signal, values })
            }
            _ => None,
        });
        outputs.collect()
    }
}

struct Follower<'f, 'e> {
    steps: Steps<'e>,
    script: &'f [(i64, Event)],
    /// The outputs that the script expects.
    awaited: Vec<Awaited<'f>>,
    phase: Phase,
    known: BTreeMap<Vec<i32>, Rc<Listed>>,
}

/// What pieces that are alike have in common: a state, the instants of its clocks, perhaps lost, and which outputs came.
type Alike = (Vec<i32>, Vec<(Instant, bool)>, Vec<bool>);

/// Pieces that come of one.
type Pieces = Vec<Piece>;

impl Follower<'_, '_> {
    fn run(&mut self, start: Piece) -> Result<Vec<Vec<Share>>, Inexact> {
        let mut marks = Vec::new();
        let mut pieces = vec![start];
        for (at, (_, event)) in self.script.iter().enumerate() {
            let mut reached = Vec::new();
            let mut n_looked = 0;
            while let Some(piece) = pieces.pop() {
                n_looked += 1;
                if n_looked + pieces.len() > PIECES_MAX {
                    return Err(Inexact::TooMany);
                }
                if piece.done > at {
                    reached.push(piece);
                    continue;
                }
                match self.advance(&piece, at) {
                    Ok(next) => pieces.extend(next),
                    Err(Stop::Split(value)) => {
                        let (below, above) = piece.split(value).ok_or(Inexact::Internal)?;
                        pieces.extend([below, above]);
                    }
                    Err(Stop::Inexact(why)) => return Err(why),
                }
            }
            pieces = self.merged(reached)?;
            if *event == Event::Mark {
                marks.push(shares(&pieces));
            }
        }
        Ok(marks)
    }

    fn listed(&mut self, state: &[i32]) -> Result<Rc<Listed>, Inexact> {
        if let Some(found) = self.known.get(state) {
            return Ok(Rc::clone(found));
        }
        let own = self.steps.own(state).map_err(unlisted)?;
        let stay = self.steps.stay(state).map_err(unlisted)?;
        let listed = Rc::new(Listed { own, stay });
        self.known.insert(state.to_vec(), Rc::clone(&listed));
        Ok(listed)
    }

    /// Where an instant of the script is.
    fn instant(&self, at: i64) -> Instant {
        match self.phase {
            Phase::OfScript(_) => Instant::moving(at),
            _ => Instant::fixed(at),
        }
    }

    /// Follows a piece to its next step, or through the next event of the script.
    fn advance(&mut self, piece: &Piece, at: usize) -> Result<Pieces, Stop> {
        let listed = self.listed(&piece.state)?;
        if listed.stay.stands_still {
            return self.act(piece, &listed, None);
        }
        let next = self.instant(self.script[at].0);
        if piece.order(piece.now, next)?.is_eq() && !must_act(piece, &listed)? {
            return self.event(piece.clone(), at);
        }
        if let Some(planned) = self.plan(piece, &listed)? {
            return Ok(planned);
        }
        let mut first: Option<Instant> = None;
        for plan in piece.plans.iter().flatten() {
            first = Some(first.map_or(Ok(*plan), |it| piece.earlier(it, *plan))?);
        }
        let is_ours = match first {
            None => false,
            Some(first) => match piece.order(first, next)? {
                // What comes at the last instant is in time.
                Ordering::Equal if matches!(self.script[at].1, Event::Output { .. }) => true,
                Ordering::Equal => return Err(Inexact::Tie.into()),
                order => order.is_lt(),
            },
        };
        let until = if is_ours { first.unwrap_or(next) } else { next };
        // Who can do nothing must be able to stay.
        for (process, plan) in piece.plans.iter().enumerate() {
            if plan.is_none()
                && let Some(last) = deadline(piece, &listed.stay, process)?
                && piece.order(last, until)?.is_lt()
            {
                return Err(Inexact::Stop.into());
            }
        }
        let mut later = piece.clone();
        later.now = until;
        if !is_ours {
            return self.event(later, at);
        }
        let mut movers = Vec::new();
        for (process, plan) in piece.plans.iter().enumerate() {
            if let Some(plan) = plan
                && piece.order(*plan, until)?.is_eq()
            {
                movers.push(process);
            }
        }
        self.act(&later, &listed, Some(&movers))
    }

    /// Decides for the next process that has not decided when it acts, those first that leave nothing to chance; none if all
    /// have decided.
    fn plan(&mut self, piece: &Piece, listed: &Listed) -> Result<Option<Pieces>, Stop> {
        let mut random = Vec::new();
        for process in 0..piece.plans.len() {
            if piece.plans[process].is_some() {
                continue;
            }
            let Some(window) = window(piece, (&listed.own, &listed.stay), process)? else {
                continue;
            };
            match self.certain(piece, window)? {
                Some(at) => {
                    let mut next = piece.clone();
                    next.plans[process] = Some(at);
                    return Ok(Some(vec![next]));
                }
                None => random.push((process, window)),
            }
        }
        match random[..] {
            [] => Ok(None),
            [(process, window)] if self.phase == Phase::None => {
                self.draw(piece.clone(), process, window, &listed.stay).map(Some)
            }
            _ => Err(Inexact::TwoDelays.into()),
        }
    }

    /// The only instant of a window at which a process can act; none if there are several.
    fn certain(
        &self,
        piece: &Piece,
        (first, last): (Instant, Instant),
    ) -> Result<Option<Instant>, Stop> {
        if first == last {
            return Ok(Some(first));
        }
        let Phase::OfLoop(period) = self.phase else { return Ok(None) };
        if first.moves != last.moves || last.at - first.at != period {
            return Ok(None);
        }
        // The loop comes round once in the window.
        let into = first.at.rem_euclid(period);
        if first.moves && into == 0 && first == piece.now {
            // It begins when the loop comes round: whether that round counts is not known.
            return Err(Inexact::TwoDelays.into());
        }
        let rounds = first.at - into;
        let is_over = match first.moves {
            true => into > 0,
            false => piece.order(Instant::moving(0), Instant::fixed(into))?.is_lt(),
        };
        Ok(Some(Instant::moving(if is_over { rounds + period } else { rounds })))
    }

    /// Draws the instant at which a process acts: it becomes the random variable.
    fn draw(
        &mut self,
        mut piece: Piece,
        process: usize,
        window: (Instant, Instant),
        stay: &Stay,
    ) -> Result<Pieces, Stop> {
        piece.n_drawn += 1;
        let (first, last) = window;
        let others = piece.plans.iter().flatten().any(|plan| plan.moves);
        match (&piece.measure, first.moves) {
            (Measure::Weight(weight), false) if !last.moves => {
                piece.measure = Measure::Over(Density::even(first.at, last.at, weight));
                piece.plans[process] = Some(Instant::moving(0));
                Ok(vec![piece])
            }
            // The old variable matters for this window alone: what is drawn is its sum with the delay.
            (Measure::Over(density), true) if density.degree() >= DEGREE_MAX => {
                Err(Inexact::TooMany.into())
            }
            (Measure::Over(density), true) if last.moves && !others => {
                let sums = density.plus_even(first.at, last.at);
                let mut pieces = Vec::new();
                for sum in sums {
                    let mut next = piece.clone();
                    for clock in &stay.clocks {
                        let at = *clock as usize;
                        next.lost[at] |= next.set_at[at].moves;
                    }
                    // The present is not known any more; nothing happens before the window.
                    next.now = Instant::fixed(i64::MIN / 4);
                    next.measure = Measure::Over(sum);
                    next.plans[process] = Some(Instant::moving(0));
                    pieces.push(next);
                }
                Ok(pieces)
            }
            _ => Err(Inexact::TwoDelays.into()),
        }
    }

    /// One of the steps that are possible now is taken: of these processes, or of any if time stands still.
    fn act(
        &mut self,
        piece: &Piece,
        listed: &Listed,
        movers: Option<&[usize]>,
    ) -> Result<Pieces, Stop> {
        if movers.is_none() && listed.stay.is_receptive {
            return Err(Inexact::Construct("a committed location that receives").into());
        }
        // Of each process, what it does, and who goes along with it.
        let mut possible: BTreeMap<usize, BTreeMap<_, Pieces>> = BTreeMap::new();
        for step in &listed.own {
            if movers.is_none_or(|movers| movers.contains(&step.process))
                && let Some(next) = self.taken(piece, step)?
            {
                let offers = possible.entry(step.process).or_default();
                offers.entry(step.offer.clone()).or_default().push(next);
            }
        }
        // Those that let no time pass go before the others.
        let stops = |process: &usize| listed.stay.stops[*process];
        if movers.is_none() && possible.keys().any(stops) {
            possible.retain(|process, _| stops(process));
        }
        if possible.is_empty() {
            let why = if movers.is_some() { Inexact::Gap } else { Inexact::Stop };
            return Err(why.into());
        }
        let n = possible.len() as i64;
        let mut pieces = Vec::new();
        for offers in possible.into_values() {
            let n_offers = offers.len() as i64;
            for steps in offers.into_values() {
                let share = Ratio::one() / whole(n * n_offers * steps.len() as i64);
                pieces.extend(self.shared(steps, &share)?);
            }
        }
        Ok(pieces)
    }

    /// Pieces that each have a share of what they come from.
    fn shared(&self, mut pieces: Pieces, share: &Ratio) -> Result<Pieces, Stop> {
        if share.is_one() {
            return Ok(pieces);
        }
        // The values of a phase are counted, so each must be as probable as any other.
        if self.phase != Phase::None {
            return Err(Inexact::Choice.into());
        }
        for piece in &mut pieces {
            piece.measure = piece.measure.times(share);
            piece.n_chosen += 1;
        }
        Ok(pieces)
    }

    /// What comes of a step now; none if the clocks do not allow it.
    fn taken(&mut self, piece: &Piece, step: &Possible) -> Result<Option<Piece>, Stop> {
        for constraint in &step.guard {
            if !holds(piece, constraint, piece.now)? {
                return Ok(None);
            }
        }
        let mut next = piece.clone();
        next.state.clone_from(&step.state);
        for &(clock, (from, offset)) in &step.changes {
            let clock = clock as usize;
            let origin = if from == 0 { piece.now } else { piece.origin(from)? };
            next.set_at[clock] = origin.plus(-i64::from(offset));
            next.lost[clock] = false;
        }
        let listed = self.listed(&next.state)?;
        for constraint in listed.stay.invariants.iter().flatten() {
            if !holds(&next, constraint, next.now)? {
                return Ok(None);
            }
        }
        if let Some(signal) = step.sends
            && let Some(at) = self.meant(piece, signal, &step.values)?
        {
            next.came[at] = true;
        }
        // Who moves decides anew, and so does who is asked something else now.
        let before = self.listed(&piece.state)?;
        for process in 0..next.plans.len() {
            let has_moved = step.edges.iter().any(|(it, _)| *it as usize == process);
            if has_moved || !is_asked_the_same(&before, &listed, process, step) {
                next.plans[process] = None;
            }
        }
        self.settle(&mut next, &listed.stay);
        Ok(Some(next))
    }

    /// Which of the expected outputs one is that comes now; none if it is none of them.
    fn meant(
        &self,
        piece: &Piece,
        signal: SignalId,
        values: &[i32],
    ) -> Result<Option<usize>, Stop> {
        for (at, awaited) in self.awaited.iter().enumerate() {
            let is_it = awaited.signal == signal && awaited.values == values;
            if is_it
                && !piece.came[at]
                && piece.order(self.instant(awaited.from), piece.now)?.is_le()
                && piece.order(piece.now, self.instant(awaited.to))?.is_le()
            {
                return Ok(Some(at));
            }
        }
        Ok(None)
    }

    /// The next event of the script.
    fn event(&mut self, mut piece: Piece, at: usize) -> Result<Pieces, Stop> {
        piece.done = at + 1;
        let script = self.script;
        match &script[at].1 {
            Event::Mark => Ok(vec![piece]),
            Event::Output { .. } => {
                let awaited = self.awaited.iter().position(|it| it.at == at);
                let came = awaited.is_some_and(|at| piece.came[at]);
                Ok(if came { vec![piece] } else { Vec::new() })
            }
            Event::Read(combinations) => {
                let is_so = |(at, value): &(u32, i32)| piece.state[*at as usize] == *value;
                let is_read = combinations.iter().any(|values| values.iter().all(is_so));
                Ok(if is_read { vec![piece] } else { Vec::new() })
            }
            Event::Input(signal, values) => {
                let steps = self.steps.input(&piece.state, *signal, values).map_err(unlisted)?;
                let mut found = Vec::new();
                for step in &steps {
                    found.extend(self.taken(&piece, step)?);
                }
                if found.is_empty() {
                    return Err(Inexact::Refused.into());
                }
                let share = Ratio::one() / whole(found.len() as i64);
                self.shared(found, &share)
            }
        }
    }

    /// Forgets the random variable where nothing depends on it.
    fn settle(&self, piece: &mut Piece, stay: &Stay) {
        if self.phase == Phase::None && !piece.depends(&stay.clocks) {
            piece.measure = Measure::Weight(piece.measure.weight());
            for clock in 0..piece.set_at.len() {
                // It is not looked at before it is set again.
                if piece.set_at[clock].moves {
                    piece.set_at[clock] = Instant::fixed(0);
                }
            }
        }
    }

    /// The pieces, those that are alike as one.
    fn merged(&mut self, pieces: Pieces) -> Result<Pieces, Inexact> {
        let mut merged: Pieces = Vec::new();
        let mut places: BTreeMap<Alike, usize> = BTreeMap::new();
        for mut piece in pieces {
            let listed = self.listed(&piece.state)?;
            self.settle(&mut piece, &listed.stay);
            let is_plain = matches!(piece.measure, Measure::Weight(_));
            if !is_plain || piece.plans.iter().any(Option::is_some) {
                merged.push(piece);
                continue;
            }
            let clock = |at: &u32| (piece.set_at[*at as usize], piece.lost[*at as usize]);
            let clocks = listed.stay.clocks.iter().map(clock).collect();
            match places.entry((piece.state.clone(), clocks, piece.came.clone())) {
                std::collections::btree_map::Entry::Vacant(place) => {
                    place.insert(merged.len());
                    merged.push(piece);
                }
                std::collections::btree_map::Entry::Occupied(place) => {
                    let other = &mut merged[*place.get()];
                    other.n_drawn = other.n_drawn.max(piece.n_drawn);
                    other.n_chosen = other.n_chosen.max(piece.n_chosen);
                    let sum = other.measure.weight() + piece.measure.weight();
                    other.measure = Measure::Weight(sum);
                }
            }
        }
        Ok(merged)
    }
}

/// Whether a process can not stay any longer. Others do not act at this very instant, but for a chance of 0.
fn must_act(piece: &Piece, listed: &Listed) -> Result<bool, Stop> {
    if piece.plans.contains(&Some(piece.now)) {
        return Ok(true);
    }
    for process in 0..piece.plans.len() {
        if let Some(last) = deadline(piece, &listed.stay, process)?
            && piece.order(last, piece.now)?.is_le()
        {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Whether a process that does not move has the same window as before a step.
fn is_asked_the_same(before: &Listed, after: &Listed, process: usize, step: &Possible) -> bool {
    let of = |it: &Listed| {
        let own = it.own.iter().filter(|step| step.process == process);
        let guards: Vec<Vec<Constraint>> = own.map(|step| step.guard.clone()).collect();
        (guards, it.stay.invariants[process].clone())
    };
    let (guards, invariant) = of(before);
    let is_set = |clock: u32| step.changes.iter().any(|(set, _)| set + 1 == clock);
    let mut asked = guards.iter().flatten().chain(&invariant);
    of(after) == (guards.clone(), invariant.clone())
        && !asked.any(|constraint| is_set(constraint.x) || is_set(constraint.y))
}

/// How probable each state of some pieces is.
fn shares(pieces: &[Piece]) -> Vec<Share> {
    let mut found: BTreeMap<&[i32], Share> = BTreeMap::new();
    for piece in pieces {
        let share = found.entry(&piece.state).or_insert_with(|| Share {
            state: piece.state.clone(),
            probability: Ratio::zero(),
            phases: Vec::new(),
            n_drawn: 0,
            n_chosen: 0,
        });
        share.n_drawn = share.n_drawn.max(piece.n_drawn);
        share.n_chosen = share.n_chosen.max(piece.n_chosen);
        share.probability += piece.measure.weight();
        if let Measure::Over(density) = &piece.measure {
            share.phases.push((density.from, density.to));
        }
    }
    found.into_values().collect()
}
