//! What a search needs to know about a network and a query before it starts.

use punctual_model::{Network, StateExpr};
use punctual_semantics::bounds::{Bounds, Directions, TooLarge, query_bounds};
use punctual_semantics::program::{Builder, Unsupported};
use punctual_semantics::symbolic::{self, Active, Symbolic, diagonals, difference_bounds};
use punctual_zones::{Bound, Zone};

use crate::layout::Layout;
use crate::{Approximation, Extrapolation, Options, Refusal};

/// A network, prepared for one query.
pub(crate) struct Plan {
    pub(crate) symbolic: Symbolic,
    pub(crate) layout: Layout,
    /// Whether the zones of a discrete state are united to their convex hull.
    pub(crate) unites: bool,
    extrapolation: Normalise,
}

/// How zones are made coarser.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Normalise {
    No,
    /// By lower and upper bounds; zones are compared by simulation.
    LowerUpper,
    /// In pieces, since differences of clocks are compared.
    Pieces,
}

impl Plan {
    /// Compiles a network, and what `also` compiles, for a query about some expressions.
    pub(crate) fn new<T>(
        network: &Network,
        directions: Directions,
        options: &Options,
        queries: &[&StateExpr],
        more_bounds: &[punctual_semantics::bounds::ClockBound],
        also: impl FnOnce(&mut Builder<'_>) -> Result<T, Unsupported>,
    ) -> Result<(Plan, T), Refusal> {
        let directions = match options.extrapolation {
            Extrapolation::Automatic => directions,
            Extrapolation::Maximum | Extrapolation::None => Directions::Joined,
        };
        let mut asked = more_bounds.to_vec();
        for query in queries {
            let (bounds, _) = query_bounds(network, query)?;
            asked.extend(bounds);
        }
        let diagonals = diagonals(network, queries)?;
        asked.extend(difference_bounds(network, &diagonals)?);
        let bounds = Bounds::new(network, directions, &asked)?;
        let extrapolation = match options.extrapolation {
            Extrapolation::None => Normalise::No,
            _ if !diagonals.is_empty() => Normalise::Pieces,
            _ => Normalise::LowerUpper,
        };
        let (mut symbolic, also) = Symbolic::new(network, bounds, diagonals, also)?;
        symbolic.grant(&options.budget);
        let unites = options.approximation == Approximation::ConvexHull;
        Ok((Plan { symbolic, layout: Layout::new(network), unites, extrapolation }, also))
    }

    /// Whether zones may be compared by simulation.
    pub(crate) fn simulates(&self) -> bool {
        self.extrapolation == Normalise::LowerUpper
    }

    /// Makes a zone coarser, and hands out what it becomes.
    #[inline]
    pub(crate) fn normalise(
        &self,
        zone: &mut Zone,
        clocks: &Active,
        mut give: impl FnMut(&mut Zone),
    ) {
        match self.extrapolation {
            Normalise::No => give(zone),
            Normalise::LowerUpper => {
                zone.extra_lu_plus(clocks.bounds());
                give(zone);
            }
            Normalise::Pieces => {
                self.symbolic.extrapolated_pieces(zone, clocks).iter_mut().for_each(give);
            }
        }
    }
}

impl From<symbolic::Refusal> for Refusal {
    fn from(refusal: symbolic::Refusal) -> Refusal {
        Refusal { construct: refusal.construct.to_owned(), place: refusal.place }
    }
}

impl From<TooLarge> for Refusal {
    fn from(error: TooLarge) -> Refusal {
        let limit = Bound::MAX_CONSTANT / 4;
        Refusal {
            construct: format!("a clock compared with {}: at most {limit}", error.value),
            place: Some(error.place),
        }
    }
}
