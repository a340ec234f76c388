//! The weights of a design: as small as its rate of false alarms permits.
//!
//! Each step of a bisection makes boundaries by backward induction and sums their false alarms at both ends of what
//! is tolerated. Weights that keep the rate are kept, so what is found keeps it whether or not false alarms fall
//! steadily with weights.

use super::{
    super::Interval,
    Design,
    boundaries::Boundaries,
    certain::Shown,
    induction::{Tables, shows},
};

/// The search for the weights of a design.
pub(super) struct Search<'a> {
    design: &'a Design,
    shown: Option<&'a Shown>,
    tables: Tables,
    values: Vec<f64>,
    pub(super) scratch: Vec<f64>,
    boundaries: Boundaries,
}

/// The logarithm of the smallest weight.
const LN_WEIGHT_MIN: f64 = -3.0;

impl<'a> Search<'a> {
    pub(super) fn new(design: &'a Design, shown: Option<&'a Shown>) -> Self {
        let tables = Tables::new(design.tolerated, design.executions as usize);
        let boundaries = Boundaries(Vec::new());
        Self { design, shown, tables, values: Vec::new(), scratch: Vec::new(), boundaries }
    }

    /// Makes the boundaries for the logarithms of weights, and says how often either end fails.
    fn alarms(&mut self, ln_weights: [f64; 2]) -> [f64; 2] {
        let Interval { low, high } = self.design.tolerated;
        let mut weights = ln_weights.map(f64::exp);
        // Where everything beyond is tolerated, an end needs no weight. One point has one weight.
        if low == 0.0 {
            weights[0] = 0.0;
        }
        if high == 1.0 {
            weights[1] = 0.0;
        }
        if low == high {
            weights = [ln_weights[0].exp(), 0.0];
        }
        let price = self.design.thrift / self.design.executions as f64;
        let of_success = self.design.certain().is_some_and(|(of_success, _)| of_success);
        let shown = self.shown.map(|shown| shows(shown, of_success));
        self.tables.best(weights, price, shown.as_ref(), &mut self.values, &mut self.boundaries);
        [low, high].map(|q| self.boundaries.fails(q, &mut self.scratch).iter().sum())
    }

    /// The boundaries with weights that are as small as the rate permits.
    pub(super) fn calibrated(&mut self, rate: f64) -> Boundaries {
        let most = ((1.0 + self.design.thrift) / rate).ln();
        let mut weights = [most; 2];
        let Interval { low, high } = self.design.tolerated;
        self.lower(&mut weights, &[0, 1], 18, rate);
        if low > 0.0 && high < 1.0 && low < high {
            for side in [0, 1, 0, 1] {
                self.lower(&mut weights, &[side], 14, rate);
            }
        }
        let alarms = self.alarms(weights);
        assert!(alarms.iter().all(|&alarm| alarm <= rate), "{alarms:?} above {rate}");
        self.boundaries.clone()
    }

    /// Lowers the weights of these sides together, as far as the rate permits.
    fn lower(&mut self, weights: &mut [f64; 2], sides: &[usize], steps: usize, rate: f64) {
        let top = *weights;
        let span = sides.iter().map(|&side| top[side]).fold(f64::MAX, f64::min) - LN_WEIGHT_MIN;
        let (mut good, mut bad) = (0.0, span);
        for _ in 0..steps {
            let by = f64::midpoint(good, bad);
            let mut tried = top;
            sides.iter().for_each(|&side| tried[side] -= by);
            if self.alarms(tried).iter().all(|&alarm| alarm <= rate) {
                (good, *weights) = (by, tried);
            } else {
                bad = by;
            }
        }
    }

    /// See [`Sequential::found`]. Failures of one side only, whose chance is monotone.
    pub(super) fn found(&mut self, boundaries: &Boundaries) -> [Option<f64>; 2] {
        let Interval { low, high } = self.design.tolerated;
        [(0, low, 0.0), (1, high, 1.0)].map(|(side, inner, outer)| {
            let mut fails =
                |q| boundaries.fails(q, &mut self.scratch)[side] >= 1.0 - self.design.beta;
            if inner == outer || !fails(outer) {
                return None;
            }
            let (mut near, mut far) = (inner, outer);
            for _ in 0..30 {
                let middle = f64::midpoint(near, far);
                *(if fails(middle) { &mut far } else { &mut near }) = middle;
            }
            Some(far)
        })
    }
}
