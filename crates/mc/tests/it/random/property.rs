//! Random predicates over states.

use punctual_model::{
    BinaryOp, ClockConstraint, ClockId, Expr, Frame, Id, Indexed, LocationId, Network, Number,
    ProcessId, Range, Relation, StateExpr, Storage, Type,
};

use super::{
    Rng,
    generate::{binary, scalar},
    has_diagonals, is_closed,
};

/// A predicate: a conjunction of locations, conditions on variables and clock constraints, or
/// two of those. Its constraints are strict, or on differences, only if the network has such.
pub(crate) fn property(seed: u64, network: &Network) -> StateExpr {
    let mut rng = Rng::new(seed ^ 0x00f0_0f00);
    let mut generator = Generator {
        network,
        strict: !is_closed(network),
        diagonals: has_diagonals(network),
        rng: &mut rng,
    };
    let mut expr = generator.conjunction();
    if generator.rng.percent(20) {
        expr = binary(BinaryOp::Or, expr, generator.conjunction());
    }
    StateExpr { expr, number: Number::Int, frame: Frame::default() }
}

struct Generator<'a> {
    network: &'a Network,
    strict: bool,
    diagonals: bool,
    rng: &'a mut Rng,
}

impl Generator<'_> {
    fn conjunction(&mut self) -> Expr {
        let mut expr = self.atom();
        for _ in 0..self.rng.below(3) {
            expr = binary(BinaryOp::And, expr, self.atom());
        }
        expr
    }

    fn atom(&mut self) -> Expr {
        match self.rng.below(10) {
            0..5 => self.location(),
            5..7 if !self.network.variables.is_empty() => self.variable(),
            _ => self.constraint(),
        }
    }

    fn location(&mut self) -> Expr {
        let process = ProcessId::from_index(self.rng.below(self.network.processes.len()));
        let n_locations = self.network.processes[process].locations.len();
        Expr::InLocation(process, LocationId::from_index(self.rng.below(n_locations)))
    }

    fn variable(&mut self) -> Expr {
        let variables: Vec<_> = self.network.variables.iter().collect();
        let variable = self.rng.pick(&variables);
        let (range, len) = match &variable.ty {
            Type::Int(range) => (*range, 1),
            Type::Array { len, element, .. } => match **element {
                Type::Int(range) => (range, *len),
                _ => (Range::INT, *len),
            },
            _ => (Range::INT, 1),
        };
        let slot = variable.ints + self.rng.below(len as usize) as u32;
        let op = self.rng.pick(&[BinaryOp::Equal, BinaryOp::NotEqual, BinaryOp::LessEqual]);
        let value = Expr::Int(self.rng.within(range.lo, range.hi));
        binary(op, Expr::Load(scalar(Storage::State, slot, range)), value)
    }

    fn constraint(&mut self) -> Expr {
        let n_clocks = self.network.clocks.len();
        let (left, right) = (self.rng.below(n_clocks), self.rng.below(n_clocks));
        let mut relations = vec![Relation::LessEqual, Relation::GreaterEqual, Relation::Equal];
        if self.strict {
            relations.extend([Relation::Less, Relation::Greater]);
        }
        let diagonal = self.diagonals && left != right && self.rng.percent(30);
        let clock = |clock| Indexed::fixed(ClockId::from_index(clock));
        Expr::ClockConstraint(Box::new(ClockConstraint {
            when: None,
            left: Some(clock(left)),
            right: diagonal.then(|| clock(right)),
            relation: self.rng.pick(&relations),
            number: Number::Int,
            bound: Expr::Int(self.rng.within(if diagonal { -2 } else { 0 }, 5)),
        }))
    }
}
