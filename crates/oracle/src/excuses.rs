//! Excuses: values that a right system would have read otherwise, had they arrived when they should.
//!
//! One late value explains much, and so does a fault that looks like one: a timer that is a step too slow, an input that is read a step too
//! late. One by one such runs pass. Over a suite, an excuse that is used more often than the delays of its variable allow is a
//! finding.
//!
//! Each time the model reads an input whose value is open, the delays say with which probability it is *not* the intended one. [`Excuse`] keeps
//! bets against that probability: if the odds of a miss really were so many times as large ([`ODDS`]), what was read would be so much more probable. For a right system
//! the expectation of that factor is 1 at most, whatever is read how often and whenever one stops; so the probability that it ever reaches `n` is
//! `1 / n` at most. Factors of different runs are multiplied, and the mean of all bets counts.
//!
//! That is exact as far as delays are independent of each other and as the platform says, and the search of a run was not cut.

use punctual_model::VarId;

/// How many times as large the odds of a miss are under each suspicion. Any numbers keep the error rate. Large ones find an excuse that is always used
/// after a handful of times, small ones find after many runs that one is used a little too often.
const ODDS: [f64; 5] = [1.5, 2.0, 4.0, 8.0, 20.0];

/// How an input was explained.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Excuse {
    /// The input of the model.
    pub input: VarId,
    /// How often it was read while its value was open.
    pub reads: f64,
    /// How often what was read was not what should have been there, by what is known in the end.
    pub missed: f64,
    /// How often that should be, by the delays.
    pub predicted: f64,
    /// By how much each suspicion explains better what was read, as natural logarithms.
    bets: [f64; ODDS.len()],
}

impl Excuse {
    /// Adds what another run says of the same input.
    pub fn add(&mut self, other: &Excuse) {
        self.reads += other.reads;
        self.missed += other.missed;
        self.predicted += other.predicted;
        self.bets.iter_mut().zip(other.bets).for_each(|(bet, other)| *bet += other);
    }

    /// By how much the suspicions explain better what was read, in the mean, as a natural logarithm.
    #[must_use]
    pub fn evidence(&self) -> f64 {
        evidence(&self.bets)
    }

    /// Whether it was used too often: a right system does that with a probability of at most `risk`, for all of `n_inputs` together.
    #[must_use]
    pub fn is_worn(&self, n_inputs: usize, risk: f64) -> bool {
        self.evidence() >= (n_inputs.max(1) as f64 / risk).ln()
    }
}

/// What was read of one input, in one of the ways that explain a run; averages where several ways became one.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Account {
    reads: f64,
    missed: f64,
    predicted: f64,
    /// Logarithms of the factors.
    bets: [f64; ODDS.len()],
}

impl Account {
    /// Nothing was read.
    pub(crate) const BLANK: Account =
        Account { reads: 0.0, missed: 0.0, predicted: 0.0, bets: [0.0; ODDS.len()] };

    /// The input was read, and missed what should have been there, or not; that has a probability.
    pub(crate) fn read(&mut self, is_missed: bool, probability: f64) {
        self.reads += 1.0;
        self.missed += f64::from(u8::from(is_missed));
        self.predicted += probability;
        for (bet, odds) in self.bets.iter_mut().zip(ODDS) {
            let factor = if is_missed { odds } else { 1.0 };
            *bet += (factor / (1.0 + probability * (odds - 1.0))).ln();
        }
    }

    /// A mean of two; the second one has a share.
    pub(crate) fn mixed(&self, other: &Account, share: f64) -> Account {
        let mean = |a: f64, b: f64| a + (b - a) * share;
        let mut bets = self.bets;
        for (bet, other) in bets.iter_mut().zip(other.bets) {
            // Factors are averaged, not their logarithms.
            *bet = match share {
                share if share <= 0.0 => *bet,
                share if share >= 1.0 => other,
                share => sum_of_logarithms(*bet + (1.0 - share).ln(), other + share.ln()),
            };
        }
        Account {
            reads: mean(self.reads, other.reads),
            missed: mean(self.missed, other.missed),
            predicted: mean(self.predicted, other.predicted),
            bets,
        }
    }

    /// By how much the suspicions explain better what was read, in the mean, as a natural logarithm.
    pub(crate) fn evidence(&self) -> f64 {
        evidence(&self.bets)
    }

    pub(crate) fn of(&self, input: VarId) -> Excuse {
        let Account { reads, missed, predicted, bets } = *self;
        Excuse { input, reads, missed, predicted, bets }
    }
}

/// The mean of factors whose logarithms are known, as a logarithm.
fn evidence(bets: &[f64; ODDS.len()]) -> f64 {
    let count = ODDS.len() as f64;
    bets.iter().map(|bet| bet - count.ln()).reduce(sum_of_logarithms).unwrap_or(0.0)
}

/// The logarithm of a sum, of which the logarithms of both parts are known.
fn sum_of_logarithms(a: f64, b: f64) -> f64 {
    let (high, low) = (a.max(b), a.min(b));
    high + (low - high).exp().ln_1p()
}

/// Accounts of several inputs: their positions, in order. One that is not here is blank.
pub(crate) type Accounts = Vec<(u32, Account)>;

/// The mean of two; the second one has a share.
pub(crate) fn mixed(one: &Accounts, other: &Accounts, share: f64) -> Accounts {
    let mut all: Vec<u32> = one.iter().chain(other).map(|(input, _)| *input).collect();
    all.sort_unstable();
    all.dedup();
    let of =
        |accounts: &Accounts, input: u32| match accounts.binary_search_by_key(&input, |it| it.0) {
            Ok(at) => accounts[at].1,
            Err(_) => Account::BLANK,
        };
    all.into_iter().map(|it| (it, of(one, it).mixed(&of(other, it), share))).collect()
}

/// The account of an input.
pub(crate) fn account(accounts: &mut Accounts, input: u32) -> &mut Account {
    let at = match accounts.binary_search_by_key(&input, |it| it.0) {
        Ok(at) => at,
        Err(at) => {
            accounts.insert(at, (input, Account::BLANK));
            at
        }
    };
    &mut accounts[at].1
}

#[cfg(test)]
mod tests {
    use punctual_model::Id;
    use punctual_semantics::program::Chance;
    use punctual_smc::Stream;

    use super::*;

    /// Reads an input so often, and misses it with a probability.
    fn evidence(stream: &mut Stream, n: usize, predicted: f64, real: f64) -> Excuse {
        let mut account = Account::BLANK;
        (0..n).for_each(|_| account.read(stream.unit() < real, predicted));
        account.of(VarId::from_index(0))
    }

    #[test]
    fn what_the_delays_allow_is_rarely_suspected() {
        let mut stream = Stream::of_run(7, 0);
        for predicted in [0.001, 0.05, 0.3] {
            let worn = (0..20_000)
                .filter(|_| evidence(&mut stream, 60, predicted, predicted).is_worn(1, 0.05));
            assert!(worn.count() <= 1_000 + 90, "{predicted}");
        }
    }

    /// The example of the guide: late in 11 of 11 tests, although it should be in one of a hundred.
    #[test]
    fn what_is_used_each_time_is_found() {
        let mut stream = Stream::of_run(7, 1);
        // However long a suite is: factors are never too large to be told.
        for (predicted, n) in [(0.01, 11), (0.2, 13), (0.4, 20), (0.02, 5_000)] {
            let found = evidence(&mut stream, n, predicted, 1.0);
            assert!(found.is_worn(76, 0.005), "{predicted}: {found:?}");
        }
        assert!(!evidence(&mut stream, 2, 0.2, 1.0).is_worn(76, 0.005));
    }

    /// Reads of which one in seven is missed instead of one in ten, among many that say little.
    #[test]
    fn what_is_used_a_little_too_often_is_found_in_time() {
        let mut stream = Stream::of_run(7, 2);
        let mut found = evidence(&mut stream, 3_000, 0.1, 1.0 / 7.0);
        found.add(&evidence(&mut stream, 200, 0.5, 0.5));
        assert!(found.is_worn(76, 0.005), "{found:?}");
    }

    #[test]
    fn means_keep_blank_accounts() {
        let mut one = Accounts::new();
        account(&mut one, 3).read(true, 0.5);
        let half = mixed(&one, &Accounts::new(), 0.5);
        // The mean of a factor of 20 / 10.5 and of 1.
        let bet = half[0].1.bets[4];
        assert!((bet - f64::midpoint(20.0 / 10.5, 1.0).ln()).abs() < 1e-12, "{bet}");
        assert_eq!(half.len(), 1);
        assert_eq!((half[0].0, half[0].1.reads, half[0].1.missed), (3, 0.5, 0.5));
    }
}
