//! Trains, and what they are entitled to: an environment and a judge, written after the words of the
//! specification and not after the model or the controller.

use std::collections::VecDeque;

use punctual_sdk::System;

const UNIT_NS: u64 = 1_000_000;
const STOP_MAX: u64 = 5;
const GO_MAX: u64 = 5;

/// How a run ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Run {
    pub(crate) inputs: u64,
    pub(crate) outputs: u64,
    /// In time units.
    pub(crate) duration: u64,
    /// What the controller did wrong, if anything.
    pub(crate) wrong: Option<String>,
}

/// What a train is about to do by itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Train {
    /// Far away; comes at this time.
    Safe {
        comes: u64,
    },
    /// Can be stopped until 10 after its signal; in the station at this time.
    Near {
        since: u64,
        enters: u64,
    },
    Stopped,
    Starting {
        enters: u64,
    },
    /// In the station; leaves at this time.
    Crossing {
        leaves: u64,
    },
}

/// What the controller owes a train.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Owed {
    Nothing,
    StopUntil(u64),
    /// `go`, once the train is in front.
    Turn,
    GoUntil(u64),
}

struct Yard {
    trains: Vec<Train>,
    owed: Vec<Owed>,
    queue: VecDeque<usize>,
    chance: u64,
    /// How long trains stay away, at most.
    pause: u64,
}

/// Runs a controller among trains that come by chance, each at most `pause` after it left.
pub(crate) fn run(
    system: &mut dyn System,
    n_trains: usize,
    seed: u64,
    pause: u64,
    until: u64,
) -> Run {
    let mut yard = Yard {
        trains: vec![Train::Stopped; n_trains],
        owed: vec![Owed::Nothing; n_trains],
        queue: VecDeque::new(),
        chance: seed.wrapping_mul(2) | 1,
        pause,
    };
    for id in 0..n_trains {
        yard.trains[id] = Train::Safe { comes: yard.draw(0, pause) };
    }
    system.reset();
    let mut run = Run { inputs: 0, outputs: 0, duration: 0, wrong: None };
    loop {
        let (at, id) = yard.next();
        let end = at.min(until);
        if let Some(output) = system.advance(end * UNIT_NS) {
            assert_eq!(output.at_ns % UNIT_NS, 0, "delays are whole units");
            run.duration = output.at_ns / UNIT_NS;
            run.outputs += 1;
            run.wrong = yard.overdue(run.duration).or(yard.hear(run.duration, &output.name));
            if run.wrong.is_some() {
                return run;
            }
            // What was heard may have changed what happens next.
            continue;
        }
        run.duration = end;
        run.wrong = yard.overdue(end);
        if at > until || run.wrong.is_some() {
            return run;
        }
        if let Some(name) = yard.step(at, id) {
            run.inputs += 1;
            system.input(at * UNIT_NS, &name, &[]);
        }
    }
}

impl Yard {
    fn draw(&mut self, from: u64, to: u64) -> u64 {
        // A multiplicative generator; the high bits are good enough for timetables.
        self.chance = self.chance.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
        from + (self.chance >> 33) % (to - from + 1)
    }

    /// Who acts next, and when.
    fn next(&self) -> (u64, usize) {
        let times = self.trains.iter().map(|train| match *train {
            Train::Safe { comes } => comes,
            Train::Near { enters, .. } | Train::Starting { enters } => enters,
            Train::Crossing { leaves } => leaves,
            Train::Stopped => u64::MAX / UNIT_NS,
        });
        times.zip(0..).min().expect("there is a train")
    }

    /// A train moves; what it says.
    fn step(&mut self, now: u64, id: usize) -> Option<String> {
        match self.trains[id] {
            Train::Safe { .. } => {
                self.trains[id] = Train::Near { since: now, enters: now + self.draw(10, 20) };
                let taken = !self.queue.is_empty();
                self.owed[id] = if taken { Owed::StopUntil(now + STOP_MAX) } else { Owed::Nothing };
                self.queue.push_back(id);
                Some(format!("appr[{}]", id + 1))
            }
            Train::Near { .. } | Train::Starting { .. } => {
                self.trains[id] = Train::Crossing { leaves: now + self.draw(3, 5) };
                None
            }
            Train::Crossing { .. } => {
                self.trains[id] = Train::Safe { comes: now + self.draw(0, self.pause) };
                assert_eq!(self.queue.pop_front(), Some(id), "the one in front leaves");
                self.turn(now);
                Some(format!("leave[{}]", id + 1))
            }
            Train::Stopped => unreachable!("it waits for go"),
        }
    }

    fn turn(&mut self, now: u64) {
        if let Some(front) = self.queue.front()
            && self.owed[*front] == Owed::Turn
        {
            self.owed[*front] = Owed::GoUntil(now + GO_MAX);
        }
    }

    fn overdue(&self, now: u64) -> Option<String> {
        let late = |owed: &Owed| matches!(*owed, Owed::StopUntil(t) | Owed::GoUntil(t) if t < now);
        let id = self.owed.iter().position(late)?;
        Some(format!("nothing for train {} in time", id + 1))
    }

    /// The controller says something; what is wrong with it.
    fn hear(&mut self, now: u64, name: &str) -> Option<String> {
        let wrong = Some(format!("{name} at {now}"));
        let (kind, id) = name.trim_end_matches(']').split_once('[')?;
        let id = id.parse::<usize>().expect("a number") - 1;
        match (kind, self.owed[id], self.trains[id]) {
            ("stop", Owed::StopUntil(_), Train::Near { since, .. }) => {
                assert!(now <= since + 10, "a train can be stopped as long as stop is owed");
                self.owed[id] = Owed::Turn;
                self.trains[id] = Train::Stopped;
                self.turn(now);
                None
            }
            ("go", Owed::GoUntil(_), Train::Stopped) => {
                self.owed[id] = Owed::Nothing;
                self.trains[id] = Train::Starting { enters: now + self.draw(7, 15) };
                None
            }
            _ => wrong,
        }
    }
}
