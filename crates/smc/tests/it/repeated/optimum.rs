//! No rule beats the bound, and the best rule reaches it.

use punctual_smc::statistics::repeated::{Bound, Chart, Judgement, Optimum, Step};

use super::sequential;

const WRONG: [f64; 4] = [0.1, 0.3, 0.7, 0.9];

fn problem(executions: u64, price: f64) -> Optimum<'static> {
    Optimum { right: &[0.5], wrong: &WRONG, kept_at: &[0.5], alpha: 0.1, price, executions }
}

fn cost(chart: &Chart, price: f64) -> f64 {
    let right = chart.at(0.5);
    let wrong = WRONG.map(|q| chart.at(q));
    right.fail
        + price * right.executions
        + wrong.iter().map(|it| it.pass + price * it.executions).sum::<f64>()
}

/// Of all rules with three executions at most, tried one by one.
#[test]
fn all_small_rules_cost_more() {
    let price = 0.01;
    let Bound { mistakes, executions, at_least } = problem(3, price).bound();
    let steps = [Step::Continue, Step::Stop(Judgement::PASS), Step::Stop(Judgement::FAIL)];
    let mut least = f64::MAX;
    for rule in 0..3u32.pow(5) * 2u32.pow(4) {
        let step = |n: u64, k: u64| {
            if n == 3 {
                let last = rule / 3u32.pow(5);
                return steps[1 + (last >> k & 1) as usize];
            }
            let at = [0, 2][n as usize - 1] + k as u32;
            steps[(rule / 3u32.pow(at) % 3) as usize]
        };
        let chart = Chart::new(3, step);
        if chart.at(0.5).fail <= 0.1 {
            least = least.min(cost(&chart, price));
        }
    }
    assert!(at_least <= least + 1e-12, "{at_least} {least}");
    let best = mistakes + price * executions;
    assert!(best >= least - 1e-12 && best >= at_least, "{best} {least}");
}

/// With more executions, the best rule is close to the bound; a rule that does not know the scenarios is not
/// much farther.
#[test]
fn the_best_rule_is_close_to_the_bound() {
    let price = 0.001;
    let Bound { mistakes, executions, at_least } = problem(60, price).bound();
    let best = mistakes + price * executions;
    assert!(at_least <= best && best < at_least * 1.1, "{best} {at_least}");
    let ours = cost(&sequential(0.5, 0.0, 0.1, 60).chart(), price);
    assert!(ours >= at_least && ours < 1.35 * at_least, "{ours} {at_least}");
}
