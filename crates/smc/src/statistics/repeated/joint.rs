//! What a system makes of a case that is judged by one or two sequences, and at once by what is illegal; exactly.
//!
//! The second sequence is the first and more: it is only seen where the first is. So an execution shows
//! both, the first alone, or neither, and the counts of both follow by going through all pairs of counts.
//! Test: `it::repeated::case` enumerates all orders.

use super::{
    Chances, Judgement, Rule, Step,
    case::{both, keeps},
};

/// What a [`Case`](super::Case) with two rules says of a system that shows the first sequence with probability
/// `first`, and both with probability `second`.
///
/// # Panics
/// If the second sequence is more likely than the first.
#[must_use]
pub fn nested(rules: [&Rule; 2], first: f64, second: f64) -> Chances {
    nested_beside(rules, first, second, 0.0)
}

/// The same of a system that shows something illegal with this probability, which fails the case at once.
///
/// # Panics
/// If the second sequence is more likely than the first, or the first and what is illegal are more than certain.
#[must_use]
pub fn nested_beside(rules: [&Rule; 2], first: f64, second: f64, illegal: f64) -> Chances {
    assert!(second <= first && first + illegal <= 1.0 + 1e-9, "{second} of {first}, {illegal}");
    let limits = rules.map(Rule::limit);
    let limit = limits[0].max(limits[1]) as usize;
    let width = limit + 2;
    let mut chances = Chances::default();
    // Both go on: by the counts of the first, then of the second.
    let mut pairs = vec![0.0; width * width];
    pairs[0] = 1.0;
    // Only this one goes on, the other passed (reliably, not reliably).
    let mut alone = [(); 2].map(|()| [(); 2].map(|()| vec![0.0; width]));
    let mut steps = [(); 2].map(|()| vec![Step::Continue; width]);
    for n in 1..=limit {
        if illegal > 0.0 {
            let open = pairs.iter().chain(alone.iter().flatten().flatten()).sum::<f64>();
            chances.add(Judgement::FAIL, n as u64, open * illegal);
        }
        for (rule, steps) in rules.iter().zip(&mut steps) {
            if n as u64 <= rule.limit() {
                (0..=n).for_each(|k| steps[k] = rule.step(n as u64, k as u64));
            }
        }
        for (side, q) in [first, second].into_iter().enumerate() {
            for (reliable, counts) in [true, false].into_iter().zip(&mut alone[side]) {
                forward(counts, n, q, illegal);
                let other = Step::Stop(Judgement { passes: true, reliable });
                for (k, chance) in counts.iter_mut().enumerate().take(n + 1) {
                    if let Step::Stop(judgement) = both([steps[side][k], other]) {
                        chances.add(judgement, n as u64, std::mem::take(chance));
                    }
                }
            }
        }
        for k in (0..=n).rev() {
            for l in (0..=k).rev() {
                let here = pairs[k * width + l] * (1.0 - first - illegal).max(0.0);
                let with_first =
                    if k > 0 { pairs[(k - 1) * width + l] * (first - second) } else { 0.0 };
                let with_both =
                    if k > 0 && l > 0 { pairs[(k - 1) * width + l - 1] * second } else { 0.0 };
                pairs[k * width + l] = here + with_first + with_both;
            }
        }
        for k in 0..=n {
            for l in 0..=k {
                let chance = &mut pairs[k * width + l];
                if *chance == 0.0 {
                    continue;
                }
                let now = [steps[0][k], steps[1][l]];
                if let Step::Stop(judgement) = both(now) {
                    chances.add(judgement, n as u64, std::mem::take(chance));
                    continue;
                }
                for (side, count) in [(0, l), (1, k)] {
                    if let Step::Stop(Judgement { reliable, .. }) = now[side]
                        && keeps(rules[side], now[side], n as u64)
                    {
                        alone[1 - side][usize::from(!reliable)][count] += std::mem::take(chance);
                    }
                }
            }
        }
    }
    chances
}

/// What a case with one rule says of a system that shows its sequence with probability `q`, and something illegal with this
/// probability.
#[must_use]
pub fn single_beside(rule: &Rule, q: f64, illegal: f64) -> Chances {
    let limit = rule.limit() as usize;
    let mut chances = Chances::default();
    let mut counts = vec![0.0; limit + 2];
    counts[0] = 1.0;
    for n in 1..=limit {
        if illegal > 0.0 {
            let open = counts.iter().sum::<f64>();
            chances.add(Judgement::FAIL, n as u64, open * illegal);
        }
        forward(&mut counts, n, q, illegal);
        for (k, chance) in counts.iter_mut().enumerate().take(n + 1) {
            if *chance > 0.0
                && let Step::Stop(judgement) = rule.step(n as u64, k as u64)
            {
                chances.add(judgement, n as u64, std::mem::take(chance));
            }
        }
    }
    chances
}

/// One more execution, the `n`th, of a sequence that is seen with probability `q`, and nothing illegal beside it.
fn forward(chances: &mut [f64], n: usize, q: f64, illegal: f64) {
    let not = (1.0 - q - illegal).max(0.0);
    for k in (1..=n).rev() {
        chances[k] = chances[k] * not + chances[k - 1] * q;
    }
    chances[0] *= not;
}
