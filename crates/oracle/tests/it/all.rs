//! Several oracles of one run.

use punctual_model::{Event, Happening, Verdict};
use punctual_oracle::{All, Cause, Finding, Judgement, Oracle};

/// Says after so many events that it has decided, and in the end what it was told to say.
struct Scripted {
    name: &'static str,
    decides_after: Option<usize>,
    says: Verdict,
    n_events: usize,
}

fn scripted<'o>(
    name: &'static str,
    decides_after: Option<usize>,
    says: Verdict,
) -> Box<dyn Oracle + 'o> {
    Box::new(Scripted { name, decides_after, says, n_events: 0 })
}

impl Oracle for Scripted {
    fn restart(&mut self) {
        self.n_events = 0;
    }

    fn event(&mut self, _: &Event) {
        self.n_events += 1;
    }

    fn decided(&self) -> Option<Verdict> {
        self.decides_after.filter(|it| self.n_events >= *it).map(|_| self.says)
    }

    fn finish(&mut self, _: u64) -> Judgement<Finding> {
        let cause = match self.says {
            Verdict::Pass => return Judgement::Pass,
            Verdict::Inconclusive => Cause::NotSpecified,
            Verdict::Fail => Cause::WrongValue,
        };
        Finding::Ending(cause, self.name.to_owned()).judged()
    }
}

fn who(verdict: &Judgement<Finding>) -> &str {
    match verdict.reason() {
        Some(Finding::Ending(_, name)) => name,
        _ => "nobody",
    }
}

#[test]
fn the_worst_verdict_counts_and_then_the_first() {
    let words = [Verdict::Pass, Verdict::Inconclusive, Verdict::Fail];
    for a in words {
        for b in words {
            for c in words {
                let oracles = [("a", a), ("b", b), ("c", c)];
                let all = oracles.map(|(name, word)| scripted(name, None, word));
                let verdict = All(all.into()).finish(0);
                let worst = a.max(b).max(c);
                assert_eq!(verdict.verdict(), worst);
                let first =
                    oracles.iter().find(|(_, word)| *word == worst && worst != Verdict::Pass);
                assert_eq!(who(&verdict), first.map_or("nobody", |(name, _)| name));
            }
        }
    }
    assert!(All(Vec::new()).finish(0).is_pass() && All(Vec::new()).decided().is_none());
}

#[test]
fn a_fail_of_one_ends_the_run_and_less_must_be_said_by_all() {
    let event = Event::at(Happening::Step(punctual_model::Step::default()), 0);
    let decisions = |oracles: Vec<Box<dyn Oracle>>| {
        let mut all = All(oracles);
        let mut decisions = vec![all.decided()];
        for _ in 0..3 {
            all.event(&event);
            decisions.push(all.decided());
        }
        all.restart();
        assert_eq!(all.decided(), decisions[0]);
        decisions
    };
    let (fail, unknown) = (Some(Verdict::Fail), Some(Verdict::Inconclusive));
    let failing = || scripted("f", Some(2), Verdict::Fail);
    let stuck = |after| scripted("i", Some(after), Verdict::Inconclusive);
    let open = || scripted("p", None, Verdict::Pass);
    assert_eq!(decisions(vec![open(), failing()]), [None, None, fail, fail]);
    assert_eq!(decisions(vec![open(), stuck(1)]), [None; 4]);
    assert_eq!(decisions(vec![stuck(3), stuck(1)]), [None, None, None, unknown]);
    assert_eq!(decisions(vec![stuck(1), failing()]), [None, None, fail, fail]);
}
