//! Stochastic code does what a walk over the tree does, for expressions made from choices.

use proptest::prelude::*;
use punctual_model::*;
use punctual_semantics::program::Builder;

use super::build::*;

/// Makes expressions. When there are no choices left, each is the first.
struct Generator(std::vec::IntoIter<u16>);

impl Generator {
    fn choose(&mut self, options: u32) -> u32 {
        u32::from(self.0.next().unwrap_or(0)) % options
    }

    fn place(&mut self, depth: u32) -> Place {
        match self.choose(4) {
            0 => place(Storage::State, self.choose(8), 1),
            1 => place(Storage::Local, self.choose(3), 1),
            2 => place(Storage::Meta, self.choose(2), 1),
            _ => {
                let mut element = place(Storage::State, 2, 1);
                element.indices.push(index(self.int(depth), 4));
                element
            }
        }
    }

    fn clock(&mut self) -> ClockRef {
        match self.choose(3) {
            0 => Indexed { indices: vec![index(self.int(0), 3)], ..clock(0) },
            chosen => clock(chosen as usize),
        }
    }

    fn double(&mut self, depth: u32) -> Expr {
        const EDGES: [f64; 6] = [0.0, -0.0, f64::NAN, f64::INFINITY, 0.1, -1e300];
        if depth == 0 {
            return match self.choose(5) {
                0 => double(f64::from(self.choose(9)) - 3.5),
                1 => double(EDGES[self.choose(6) as usize]),
                2 => Expr::Clock(self.clock()),
                3 => Expr::ClockRate(self.clock()),
                _ => Expr::Load(self.place(0)),
            };
        }
        let deeper = depth - 1;
        match self.choose(12) {
            0..4 => {
                const OPS: [BinaryOp; 8] = [
                    BinaryOp::Add,
                    BinaryOp::Subtract,
                    BinaryOp::Multiply,
                    BinaryOp::Divide,
                    BinaryOp::Remainder,
                    BinaryOp::Minimum,
                    BinaryOp::Maximum,
                    BinaryOp::Add,
                ];
                let op = OPS[self.choose(8) as usize];
                binary(op, self.double(deeper), self.double(deeper))
            }
            4 => Expr::Load(self.place(deeper)),
            5 => to_double(self.int(deeper)),
            6 => negate(self.double(deeper)),
            7 => {
                let parts = [self.int(deeper), self.double(deeper), self.double(deeper)];
                Expr::Conditional(Box::new(parts))
            }
            8 => {
                let op = match self.choose(3) {
                    0 => AssignOp::Set,
                    1 => AssignOp::Combine(BinaryOp::Add),
                    _ => AssignOp::Combine(BinaryOp::Multiply),
                };
                let result = [AssignResult::New, AssignResult::Old][self.choose(2) as usize];
                let (target, value) = (Box::new(self.place(deeper)), Box::new(self.double(deeper)));
                Expr::Assign { target, op, value, result }
            }
            9 => {
                let value = match self.choose(3) {
                    0 => self.int(deeper),
                    _ => self.double(deeper),
                };
                Expr::SetClock { clock: self.clock(), value: Box::new(value) }
            }
            10 => Expr::Sequence(Box::new([self.double(deeper), self.double(deeper)])),
            _ => call(0, vec![self.double(deeper), self.double(deeper)]),
        }
    }

    fn int(&mut self, depth: u32) -> Expr {
        if depth == 0 {
            return match self.choose(2) {
                0 => Expr::Int(self.choose(4) as i32),
                _ => int(self.choose(4)),
            };
        }
        let deeper = depth - 1;
        match self.choose(7) {
            0 | 1 => {
                const OPS: [BinaryOp; 6] = [
                    BinaryOp::Less,
                    BinaryOp::LessEqual,
                    BinaryOp::Equal,
                    BinaryOp::NotEqual,
                    BinaryOp::GreaterEqual,
                    BinaryOp::Greater,
                ];
                let op = OPS[self.choose(6) as usize];
                binary(op, self.double(deeper), self.double(deeper))
            }
            2 => {
                let op = [BinaryOp::And, BinaryOp::Or, BinaryOp::Imply][self.choose(3) as usize];
                int_binary(op, self.int(deeper), self.int(deeper))
            }
            3 => Expr::Unary(UnaryOp::Not, Number::Int, Box::new(self.int(deeper))),
            4 => Expr::Builtin(Builtin::SignBit, vec![self.double(deeper)]),
            5 => Expr::ClockConstraint(Box::new(ClockConstraint {
                when: (self.choose(2) == 1).then(|| self.int(deeper)),
                left: Some(self.clock()),
                right: (self.choose(2) == 1).then(|| self.clock()),
                relation: [Relation::Less, Relation::Equal][self.choose(2) as usize],
                number: Number::Double,
                bound: match self.choose(3) {
                    0 => Expr::Int(10 * self.choose(4) as i32),
                    _ => self.double(deeper),
                },
            })),
            _ => int(self.choose(4)),
        }
    }
}

/// Walks over the tree. An index outside of its array ends it.
struct Walk {
    memories: Memories,
    locals: Vec<f64>,
    meta: Vec<f64>,
}

impl Walk {
    fn at(&mut self, base: u32, indices: &[Index]) -> Option<usize> {
        indices.iter().try_fold(base as usize, |at, index| {
            let value = u32::try_from(self.int(&index.value)?).ok()?;
            (value < index.len).then_some(at + value as usize)
        })
    }

    fn slot(&mut self, place: &Place) -> Option<&mut f64> {
        let at = self.at(place.base, &place.indices)?;
        Some(match place.storage {
            Storage::State => &mut self.memories.doubles[at],
            Storage::Local => &mut self.locals[at],
            Storage::Meta => &mut self.meta[at],
            Storage::Constant => unreachable!(),
        })
    }

    fn clock(&mut self, clock: &ClockRef) -> Option<usize> {
        self.at(clock.base.index() as u32, &clock.indices)
    }

    fn double(&mut self, expr: &Expr) -> Option<f64> {
        Some(match expr {
            Expr::Double(value) => *value,
            Expr::Clock(clock) => {
                let clock = self.clock(clock)?;
                self.memories.clocks[clock]
            }
            Expr::ClockRate(clock) => RATES[self.clock(clock)?],
            Expr::Load(place) if place.number == Number::Double => *self.slot(place)?,
            Expr::ToDouble(inner) => self.int(inner)?.into(),
            Expr::Unary(UnaryOp::Negate, _, inner) => -self.double(inner)?,
            Expr::Binary(binary) if !binary.op.is_truth() => {
                let (left, right) = (self.double(&binary.left)?, self.double(&binary.right)?);
                operate(binary.op, left, right)
            }
            Expr::Conditional(parts) => {
                let chosen = if self.int(&parts[0])? != 0 { &parts[1] } else { &parts[2] };
                self.double(chosen)?
            }
            Expr::Assign { target, op, value, result } => {
                let value = self.double(value)?;
                let slot = self.slot(target)?;
                let old = *slot;
                *slot = match op {
                    AssignOp::Set => value,
                    AssignOp::Combine(op) => operate(*op, old, value),
                };
                if *result == AssignResult::New { *slot } else { old }
            }
            Expr::SetClock { clock, value } => {
                let value = self.double(value)?;
                let clock = self.clock(clock)?;
                self.memories.clocks[clock] = value;
                value
            }
            Expr::Sequence(parts) => {
                self.double(&parts[0])?;
                self.double(&parts[1])?
            }
            Expr::Call { arguments, .. } => {
                let (a, b) = (self.double(&arguments[0])?, self.double(&arguments[1])?);
                self.memories.doubles[0] += b;
                a - b
            }
            int => self.int(int)?.into(),
        })
    }

    fn int(&mut self, expr: &Expr) -> Option<i32> {
        Some(match expr {
            Expr::Int(value) => *value,
            Expr::Load(place) => self.memories.state[2 + place.base as usize],
            Expr::Unary(_, _, inner) => (self.int(inner)? == 0).into(),
            Expr::Builtin(_, arguments) => self.double(&arguments[0])?.is_sign_negative().into(),
            Expr::Binary(binary) if binary.number == Number::Double => {
                let (left, right) = (self.double(&binary.left)?, self.double(&binary.right)?);
                let holds = match binary.op {
                    BinaryOp::Less => left < right,
                    BinaryOp::LessEqual => left <= right,
                    BinaryOp::Equal => left == right,
                    BinaryOp::NotEqual => left != right,
                    BinaryOp::GreaterEqual => left >= right,
                    _ => left > right,
                };
                holds.into()
            }
            Expr::Binary(binary) => {
                let left = self.int(&binary.left)? != 0;
                let holds = match binary.op {
                    BinaryOp::And => left && self.int(&binary.right)? != 0,
                    BinaryOp::Or => left || self.int(&binary.right)? != 0,
                    _ => !left || self.int(&binary.right)? != 0,
                };
                holds.into()
            }
            Expr::ClockConstraint(constraint) => {
                if let Some(when) = &constraint.when
                    && self.int(when)? == 0
                {
                    return Some(1);
                }
                let mut difference = 0.0;
                if let Some(left) = &constraint.left {
                    difference = self.double(&Expr::Clock(left.clone()))?;
                }
                if let Some(right) = &constraint.right {
                    difference -= self.double(&Expr::Clock(right.clone()))?;
                }
                let bound = self.double(&constraint.bound)?;
                match constraint.relation {
                    Relation::Less => (difference < bound).into(),
                    _ => (difference == bound).into(),
                }
            }
            expr => unreachable!("{expr:?}"),
        })
    }
}

fn operate(op: BinaryOp, left: f64, right: f64) -> f64 {
    match op {
        BinaryOp::Add => left + right,
        BinaryOp::Subtract => left - right,
        BinaryOp::Multiply => left * right,
        BinaryOp::Divide => left / right,
        BinaryOp::Remainder => left % right,
        BinaryOp::Minimum => left.min(right),
        _ => left.max(right),
    }
}

/// What numbers are, with only one that is none.
fn bits(values: &[f64]) -> Vec<Option<u64>> {
    values.iter().map(|value| (!value.is_nan()).then(|| value.to_bits())).collect()
}

/// `double f(double a, double b) { double l = a; d0 += b; l -= b; return l; }`
fn subtract() -> Function {
    let local = |slot| place(Storage::Local, slot, 1);
    let combine = |target, op, value| {
        let (target, op) = (Box::new(target), AssignOp::Combine(op));
        let value = Box::new(Expr::Load(value));
        Statement::Expr(Expr::Assign { target, op, value, result: AssignResult::New })
    };
    let mut f = function(
        ReturnType::Double,
        vec![
            Statement::Expr(assign(local(2), Expr::Load(local(0)))),
            combine(place(Storage::State, 0, 1), BinaryOp::Add, local(1)),
            combine(local(2), BinaryOp::Subtract, local(1)),
            Statement::Return(Some(Expr::Load(local(2)))),
        ],
    );
    f.params = [0, 1].map(|slot| Param { name: String::new(), place: local(slot) }).to_vec();
    f.frame = Frame { ints: 0, doubles: 3 };
    f
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn doubles_are_those_of_the_tree(choices in prop::collection::vec(any::<u16>(), 0..200)) {
        let expr = Generator(choices.into_iter()).double(5);
        let mut network = network(vec![subtract()]);
        network.meta.doubles = vec![0.25, -2.0];
        let mut walk =
            Walk { memories: Memories::new(&network), locals: vec![0.0; 3], meta: vec![0.25, -2.0] };
        let expected = walk.double(&expr);

        let mut builder = Builder::stochastic(&network);
        let code = builder.double(&expr).unwrap();
        let effects = builder.effects(std::slice::from_ref(&expr)).unwrap();
        let program = builder.finish();
        let mut memories = Memories::new(&network);
        let (state, mut reals) = memories.parts();
        let value = program.real(code, state, &mut reals, &mut program.machine());
        prop_assert_eq!(value.is_ok(), expected.is_some());
        if let (Ok(value), Some(expected)) = (value, expected) {
            prop_assert_eq!(bits(&[value]), bits(&[expected]), "{} {}", value, expected);
        }
        prop_assert_eq!(bits(&memories.doubles), bits(&walk.memories.doubles));
        prop_assert_eq!(bits(&memories.clocks), bits(&walk.memories.clocks));
        // For its effects alone.
        let mut memories = Memories::new(&network);
        let (state, mut reals) = memories.parts();
        let outcome = program.run_real(effects, state, &mut reals, &mut program.machine());
        prop_assert_eq!(outcome.is_ok(), expected.is_some());
        prop_assert_eq!(bits(&memories.doubles), bits(&walk.memories.doubles));
        prop_assert_eq!(bits(&memories.clocks), bits(&walk.memories.clocks));
    }
}
