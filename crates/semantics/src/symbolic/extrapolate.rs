//! Coarser zones that the network can not tell from the exact ones.
//!
//! Without differences of clocks, extrapolation by lower and upper bounds is sound. With them it is
//! not (Bouyer 2004): zones are first cut along every difference that something compares, and each
//! piece, once extrapolated, is cut back to the side of each difference it came from
//! (Bengtsson & Yi 2003, "On clock difference constraints and termination in reachability analysis
//! of timed automata").

use punctual_zones::{Constraint, Zone};

use super::{Active, Symbolic};

impl Symbolic {
    /// Whether something compares the difference of two clocks.
    #[must_use]
    pub fn has_diagonals(&self) -> bool {
        !self.diagonals.is_empty()
    }

    /// Extrapolates a zone of a network that compares differences of clocks; gives the pieces.
    #[must_use]
    pub fn extrapolated_pieces(&self, zone: &Zone, clocks: &Active) -> Vec<Zone> {
        let local = |it: &Constraint| {
            Some(Constraint::new(clocks.number(it.x)?, clocks.number(it.y)?, it.bound))
        };
        let diagonals: Vec<Constraint> = self.diagonals.iter().filter_map(local).collect();
        let mut pieces = vec![zone.clone()];
        for yes in &diagonals {
            let no = yes.complement().expect("a difference is compared with a number");
            pieces = pieces
                .into_iter()
                .flat_map(|piece| {
                    let side = |side: Constraint| {
                        piece.clone().constrained(side.x as usize, side.y as usize, side.bound)
                    };
                    [side(*yes), side(no)].into_iter().flatten().collect::<Vec<_>>()
                })
                .collect();
        }
        let mut maxima = clocks.maxima();
        for it in &diagonals {
            let constant = it.bound.constant().map_or(0, i32::abs);
            for clock in [it.x, it.y] {
                let maximum = &mut maxima[clock as usize];
                *maximum = constant.max(*maximum);
            }
        }
        for piece in &mut pieces {
            let exact = piece.clone();
            piece.extra_m(&maxima);
            for yes in &diagonals {
                let no = yes.complement().expect("a difference is compared with a number");
                let holds = exact.bound(yes.x as usize, yes.y as usize) <= yes.bound;
                let side = if holds { *yes } else { no };
                assert!(piece.constrain_all([side]), "the exact piece is still there");
            }
        }
        pieces
    }
}
