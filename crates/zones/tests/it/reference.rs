//! A second implementation of matrices of bounds: slow, obvious, and without packed integers.

use punctual_zones::{Bound, Zone};

/// A constant and whether it is allowed; `None` if there is no bound.
pub(crate) type Weight = Option<(i64, bool)>;

/// A square matrix of bounds of differences.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Matrix(pub(crate) Vec<Vec<Weight>>);

pub(crate) fn tighter(a: Weight, b: Weight) -> bool {
    match (a, b) {
        (None, _) => false,
        (Some(_), None) => true,
        (Some((c, weak)), Some((d, other))) => c < d || (c == d && !weak && other),
    }
}

pub(crate) fn sum(a: Weight, b: Weight) -> Weight {
    let ((c, weak), (d, other)) = (a?, b?);
    Some((c + d, weak && other))
}

pub(crate) fn weight(bound: Bound) -> Weight {
    bound.constant().map(|constant| (i64::from(constant), bound.is_weak()))
}

impl Matrix {
    pub(crate) fn of(zone: &Zone) -> Matrix {
        let row = |x| (0..zone.dim()).map(|y| weight(zone.bound(x, y))).collect();
        Matrix((0..zone.dim()).map(row).collect())
    }

    pub(crate) fn universe(dim: usize) -> Matrix {
        let cell = |x, y| if x == 0 || x == y { Some((0, true)) } else { None };
        Matrix((0..dim).map(|x| (0..dim).map(|y| cell(x, y)).collect()).collect())
    }

    pub(crate) fn dim(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn constrain(&mut self, x: usize, y: usize, weight: Weight) {
        if tighter(weight, self.0[x][y]) {
            self.0[x][y] = weight;
        }
    }

    /// The shortest paths of Floyd and Warshall; `None` if there is a cycle below zero.
    pub(crate) fn closed(&self) -> Option<Matrix> {
        let mut closed = self.clone();
        let dim = self.dim();
        for k in 0..dim {
            for i in 0..dim {
                for j in 0..dim {
                    let through = sum(closed.0[i][k], closed.0[k][j]);
                    closed.constrain(i, j, through);
                }
            }
            if (0..dim).any(|i| tighter(closed.0[i][i], Some((0, true)))) {
                return None;
            }
        }
        Some(closed)
    }
}

/// Whether a zone is non-empty, canonical and without negative clocks.
pub(crate) fn is_canonical(zone: &Zone) -> Result<(), String> {
    let matrix = Matrix::of(zone);
    if (0..zone.dim()).any(|y| tighter(Some((0, true)), matrix.0[0][y])) {
        return Err(format!("{zone:?} has negative clocks"));
    }
    match matrix.closed() {
        None => Err("a zone is empty".to_owned()),
        Some(closed) if closed != matrix => Err(format!("not canonical: {matrix:?}")),
        Some(_) => Ok(()),
    }
}
