//! A replay has the verdict of the live run: who writes down what a watcher sees, and tells it to another
//! referee, gets the same verdict, for the same cause, in the same words.

use punctual_exec::online::{Run, Watcher};
use punctual_exec::{Clock, Handover, Played, Seen, Sut, SutError, Timekeeping};
use punctual_model::{Action, Event, PortId, Reading, TimeScale};
use punctual_oracle::conformance::{Coverage, Session, Specification};
use punctual_oracle::{Finding, Judged, Referee, Sets};

use super::generate::Features;
use super::laws::SCALES;
use super::mutate::mutated;
use super::play::{Game, networks, specified, tell};
use super::rng::Rng;

/// What a record has of a run.
enum Line {
    Event(Event),
    Delay(u64),
    Restart,
}

/// Writes down a run, and perhaps stops it.
struct Recorder {
    lines: Vec<Line>,
    rng: Rng,
    may_stop: bool,
}

impl Watcher for Recorder {
    fn event(&mut self, event: &Event, _: Sets) {
        self.lines.push(Line::Event(event.clone()));
    }

    fn delay(&mut self, now_ns: u64, _: Sets) {
        self.lines.push(Line::Delay(now_ns));
    }

    fn restart(&mut self, _: u64) {
        self.lines.push(Line::Restart);
    }

    fn stops(&mut self) -> bool {
        self.may_stop && self.rng.percent(2)
    }
}

/// Judges what was written down.
fn replayed(
    specification: &Specification,
    lines: Vec<Line>,
    run: &Run,
    (slack_ns, keeps): (u64, bool),
) -> Judged {
    let mut session = Session::new(specification, Coverage::new(false)).unwrap();
    let mut referee = Referee::new(&mut session, slack_ns, keeps);
    for line in lines {
        match line {
            Line::Event(event) => {
                referee.approach(&event);
                referee.event(&event);
                referee.keep(event);
            }
            Line::Delay(to_ns) => referee.quiet(to_ns),
            Line::Restart => {
                referee.close();
                referee.restart();
            }
        }
    }
    referee.finish(&run.ending, run.late_ns).0
}

/// A system that breaks down now and then, and on the real clock lets the tester wait.
struct Faulty {
    inner: Played,
    rng: Rng,
    /// How many calls of a thousand break down.
    faults: usize,
    n_resets: u64,
}

impl Faulty {
    fn fault(&mut self) -> Result<(), SutError> {
        if !self.inner.is_virtual() && self.rng.percent(20) {
            let mut clock = Clock::start(Timekeeping::Real);
            clock.sleep_until(self.rng.below(4_000_000) as u64);
        }
        if self.rng.below(1000) >= self.faults {
            return Ok(());
        }
        let (doing, text) = ("go on".to_owned(), "no beans".to_owned());
        Err(match self.rng.below(3) {
            0 => SutError::Crashed { doing, status: text, stderr: Vec::new() },
            1 => SutError::Reported { text },
            _ => SutError::Flood { limit: 7, within: text },
        })
    }
}

impl Sut for Faulty {
    fn reset(&mut self) -> Result<(), SutError> {
        self.n_resets += 1;
        if self.n_resets > 1 {
            self.fault()?;
        }
        self.inner.reset()
    }

    fn now_ns(&mut self) -> u64 {
        self.inner.now_ns()
    }

    fn input(&mut self, action: &Action) -> Result<Handover, SutError> {
        self.fault()?;
        let Handover { from_ns, .. } = self.inner.input(action)?;
        if !self.is_virtual() {
            self.fault()?;
        }
        Ok(Handover { from_ns, to_ns: self.inner.now_ns() })
    }

    fn wait(&mut self, until_ns: u64) -> Result<Seen, SutError> {
        self.fault()?;
        self.inner.wait(until_ns)
    }

    fn read(&mut self, ports: &[PortId]) -> Result<(Reading, Handover), SutError> {
        self.fault()?;
        self.inner.read(ports)
    }

    fn earlier(&mut self) -> Option<Seen> {
        self.inner.earlier()
    }

    fn is_virtual(&self) -> bool {
        self.inner.is_virtual()
    }

    fn stop(&mut self) {
        self.inner.stop();
    }
}

/// What came of many runs.
#[derive(Debug, Default)]
struct Counts {
    runs: u64,
    passes: u64,
    fails: u64,
    inconclusive: u64,
    broken: u64,
    restarted: u64,
    late: u64,
    excused: u64,
}

/// Makes a run and judges its record; none if the network got stuck.
fn check(game: &Game<'_>, may_stop: bool, counts: &mut Counts) {
    let seed = game.seed;
    let faults = if seed.is_multiple_of(3) { 15 } else { 0 };
    let mut sut = Faulty { inner: game.sut(), rng: Rng::new(seed ^ 0xfa), faults, n_resets: 0 };
    let mut recorder = Recorder { lines: Vec::new(), rng: Rng::new(seed ^ 0x5709), may_stop };
    let Ok(run) = game.watched(&mut sut, &mut recorder) else { return };
    let keeps = game.timekeeping == Timekeeping::Real;
    let slack_ns = if keeps { game.lateness_ns } else { 0 };
    let restarts = recorder.lines.iter().filter(|line| matches!(line, Line::Restart)).count();
    let judged = replayed(game.specification, recorder.lines, &run, (slack_ns, keeps));
    let text = |judged: &Judged| tell(game.specification, &judged.judgement, &run.trace);
    let (live, again) = (text(&run.judged), text(&judged));
    assert_eq!(again, live, "network {seed}, {:?}", run.ending);
    let cause = |judged: &Judged| judged.judgement.reason().map(Finding::cause);
    assert_eq!(cause(&judged), cause(&run.judged), "network {seed}: {live}");
    assert_eq!(judged.excused, run.judged.excused, "network {seed}: {live}");
    counts.runs += 1;
    counts.passes += u64::from(run.judged.judgement.is_pass());
    counts.fails += u64::from(run.judged.judgement.is_fail());
    let inconclusive = !run.judged.judgement.is_pass() && !run.judged.judgement.is_fail();
    counts.inconclusive += u64::from(inconclusive);
    counts.broken += u64::from(matches!(run.judged.judgement.reason(), Some(Finding::Ending(..))));
    counts.restarted += u64::from(restarts > 0);
    counts.late += u64::from(run.late_ns.is_some());
    counts.excused += u64::from(run.judged.excused);
}

#[test]
fn replay_equals_live_on_the_virtual_clock() {
    let mut counts = Counts::default();
    for seed in networks(3000) {
        let scale = SCALES[seed as usize % SCALES.len()];
        let features = Features { observed: seed % 2 == 0, system_max: 2, ..Features::ALL };
        let Some((draft, specification)) = specified(seed, features, scale) else { continue };
        let played = if seed % 4 == 0 { draft.network.clone() } else { mutated(&draft, seed) };
        let restart = [0.0, 0.1, 0.3][seed as usize % 3];
        let game = Game { restart, ..Game::new(seed, &draft, &specification, &played, (20, 16)) };
        check(&game, seed % 5 == 0, &mut counts);
    }
    println!("{counts:?}");
    let Counts { runs, passes, fails, inconclusive, broken, restarted, .. } = counts;
    for n in [passes, fails, inconclusive, restarted] {
        assert!(n * 20 >= runs, "{counts:?}");
    }
    assert!(broken * 50 >= runs, "{counts:?}");
}

/// The tester looks late, and so does the machine: what is excused live is excused again.
#[test]
fn replay_equals_live_on_the_real_clock() {
    let mut counts = Counts::default();
    for seed in networks(60) {
        let scale = TimeScale { unit_ns: 4_000_000, resolution: 4 };
        let features = Features { observed: seed % 2 == 0, system_max: 2, ..Features::ALL };
        let Some((draft, mut specification)) = specified(seed, features, scale) else { continue };
        let uncertainty = &mut specification.wired.interface.uncertainty;
        (uncertainty.input_ns.1, uncertainty.output_ns.1) = (300_000, 300_000);
        let played = if seed % 4 == 0 { draft.network.clone() } else { mutated(&draft, seed) };
        let game = Game {
            restart: [0.0, 0.1][seed as usize % 2],
            timekeeping: Timekeeping::Real,
            // Hardly any machine is never later than the first.
            lateness_ns: [30_000, 2_000_000][seed as usize / 2 % 2],
            ..Game::new(seed, &draft, &specification, &played, (25, 16))
        };
        check(&game, false, &mut counts);
    }
    println!("{counts:?}");
    assert!(counts.runs > 30 && counts.late > 5, "{counts:?}");
}
