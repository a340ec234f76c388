//! Expressions, in the grammar of the format: numbers, comparisons and conjunctions are three
//! different things there.
//!
//! Errors say which construct there is no word for.

use punctual_model::{
    BinaryOp, ClockConstraint, ClockId, ClockRef, Condition, Expr, Id, Index, Network, Number,
    Place, Relation, Storage, Type, UnaryOp,
};

use crate::convert::{Unsupported, print::places::Slots};

/// An array of clocks, or a single one.
#[derive(Clone, Debug)]
pub(super) struct ClockArray {
    pub(super) name: String,
    pub(super) first: usize,
    pub(super) len: usize,
}

/// A local variable that is visible.
#[derive(Clone, Debug)]
pub(super) struct Local {
    pub(super) name: String,
    pub(super) first: u32,
    pub(super) len: u32,
}

/// Prints expressions.
#[derive(Clone, Debug)]
pub(super) struct Terms<'a> {
    pub(super) network: &'a Network,
    pub(super) clocks: Vec<ClockArray>,
    slots: Slots,
    pub(super) locals: Vec<Local>,
}

/// What there is no word for.
pub(super) type Text = Result<String, String>;

const SUM: u8 = 0;
const PRODUCT: u8 = 1;
const UNARY: u8 = 2;
const PRIMARY: u8 = 3;

impl<'a> Terms<'a> {
    pub(super) fn new(network: &'a Network) -> Result<Self, Unsupported> {
        let slots = Slots::new(network);
        Ok(Self { network, clocks: clock_arrays(network)?, slots, locals: Vec::new() })
    }

    pub(super) fn condition(&self, condition: &Condition) -> Text {
        let data = condition.data.iter().map(|data| self.formula(data));
        let clocks = condition.clocks.iter().map(|constraint| self.constraint(constraint));
        Ok(data.chain(clocks).collect::<Result<Vec<_>, _>>()?.join(" && "))
    }

    /// A truth value.
    pub(super) fn formula(&self, expr: &Expr) -> Text {
        match expr {
            Expr::Binary(binary) if binary.op == BinaryOp::And => {
                Ok(format!("{} && {}", self.formula(&binary.left)?, self.formula(&binary.right)?))
            }
            _ => self.atom(expr),
        }
    }

    fn atom(&self, expr: &Expr) -> Text {
        match expr {
            Expr::Unary(UnaryOp::Not, _, inner) => match &**inner {
                Expr::Unary(UnaryOp::Not, ..) => Ok(format!("!{}", self.atom(inner)?)),
                Expr::Binary(binary) if comparison(binary.op).is_some() => {
                    Ok(format!("!({})", self.atom(inner)?))
                }
                _ => Ok(format!("!{}", self.term(inner, PRIMARY)?)),
            },
            Expr::Binary(binary) if binary.number == Number::Int && binary.size == 1 => {
                match comparison(binary.op) {
                    Some(sign) => {
                        let left = self.term(&binary.left, SUM)?;
                        Ok(format!("{left} {sign} {}", self.term(&binary.right, SUM)?))
                    }
                    None => self.term(expr, SUM),
                }
            }
            _ => self.term(expr, SUM),
        }
    }

    /// An integer.
    pub(super) fn int(&self, expr: &Expr) -> Text {
        self.term(expr, SUM)
    }

    fn term(&self, expr: &Expr, level: u8) -> Text {
        let (text, own) = match expr {
            // TChecker reads the sign apart from the number, which is then too large.
            Expr::Int(i32::MIN) => ("(-2147483647 - 1)".to_owned(), PRIMARY),
            Expr::Int(value) => (value.to_string(), if *value < 0 { UNARY } else { PRIMARY }),
            Expr::Load(place) => (self.place(place)?, PRIMARY),
            Expr::Unary(UnaryOp::Negate, Number::Int, inner) => {
                (format!("-{}", self.term(inner, PRIMARY)?), UNARY)
            }
            Expr::Binary(binary) if binary.number == Number::Int => {
                let (sign, own) = match binary.op {
                    BinaryOp::Add => ('+', SUM),
                    BinaryOp::Subtract => ('-', SUM),
                    BinaryOp::Multiply => ('*', PRODUCT),
                    BinaryOp::Divide => ('/', PRODUCT),
                    BinaryOp::Remainder => ('%', PRODUCT),
                    other => return Err(format!("the operator {other:?} in a number")),
                };
                let left = self.term(&binary.left, own)?;
                (format!("{left} {sign} {}", self.term(&binary.right, own + 1)?), own)
            }
            Expr::Conditional(parts) => {
                let condition = self.formula(&parts[0])?;
                let (yes, no) = (self.term(&parts[1], SUM)?, self.term(&parts[2], SUM)?);
                (format!("(if {condition} then {yes} else {no})"), PRIMARY)
            }
            _ => return Err(construct(expr)),
        };
        Ok(if own < level { format!("({text})") } else { text })
    }

    pub(super) fn place(&self, place: &Place) -> Text {
        if place.number != Number::Int || place.size != 1 {
            return Err("a whole array or a floating-point number".to_owned());
        }
        let (name, first, len) = match place.storage {
            Storage::Local => {
                let holds = |l: &&Local| l.first <= place.base && place.base - l.first < l.len;
                match self.locals.iter().rev().find(holds) {
                    Some(local) => (local.name.as_str(), local.first, local.len),
                    None => return Err("a local value".to_owned()),
                }
            }
            Storage::State => {
                let found = self.slots.find(place.storage, place.number, place.base);
                let Some((id, _)) = found else { return Err("memory without a name".to_owned()) };
                let variable = &self.network.variables[id];
                let len = match variable.ty {
                    Type::Array { len, .. } => len,
                    _ => 1,
                };
                (variable.name.as_str(), variable.ints, len)
            }
            Storage::Constant => return Err("a constant table".to_owned()),
            Storage::Meta => return Err("a meta variable".to_owned()),
        };
        self.element(name, place.base - first, len, &place.indices)
    }

    fn element(&self, name: &str, offset: u32, len: u32, indices: &[Index]) -> Text {
        match indices {
            [] if len == 1 => Ok(name.to_owned()),
            [] => Ok(format!("{name}[{offset}]")),
            [index] if index.lo == 0 && index.len == len && index.stride == 1 && offset == 0 => {
                Ok(format!("{name}[{}]", self.int(&index.value)?))
            }
            _ => Err("an array of arrays".to_owned()),
        }
    }

    pub(super) fn clock(&self, clock: &ClockRef) -> Text {
        let base = clock.base.index();
        let at = self.clocks.partition_point(|array| array.first <= base);
        let array = &self.clocks[at - 1];
        self.element(&array.name, (base - array.first) as u32, array.len as u32, &clock.indices)
    }

    fn constraint(&self, constraint: &ClockConstraint) -> Text {
        if constraint.when.is_some() {
            return Err("a clock constraint under a condition".to_owned());
        }
        if constraint.number != Number::Int {
            return Err("a floating-point bound of a clock".to_owned());
        }
        let left = match (&constraint.left, &constraint.right) {
            (Some(x), None) => self.clock(x)?,
            (Some(x), Some(y)) => format!("{} - {}", self.clock(x)?, self.clock(y)?),
            _ => return Err("a clock constraint without a clock on its left".to_owned()),
        };
        let sign = match constraint.relation {
            Relation::Less => "<",
            Relation::LessEqual => "<=",
            Relation::Equal => "==",
            Relation::GreaterEqual => ">=",
            Relation::Greater => ">",
            Relation::NotEqual => return Err("`!=` between a clock and a number".to_owned()),
        };
        Ok(format!("{left} {sign} {}", self.int(&constraint.bound)?))
    }

    /// `x = e`, `x = y` or `x = e + y`.
    pub(super) fn set_clock(&self, clock: &ClockRef, value: &Expr) -> Text {
        let value = match value {
            Expr::Clock(from) => self.clock(from)?,
            Expr::Binary(sum) if sum.op == BinaryOp::Add && sum.number == Number::Double => {
                match (&sum.left, &sum.right) {
                    (Expr::ToDouble(offset), Expr::Clock(from)) => {
                        format!("{} + {}", self.int(offset)?, self.clock(from)?)
                    }
                    _ => return Err("this value of a clock".to_owned()),
                }
            }
            _ => self.int(value)?,
        };
        Ok(format!("{} = {value}", self.clock(clock)?))
    }
}

fn comparison(op: BinaryOp) -> Option<&'static str> {
    Some(match op {
        BinaryOp::Less => "<",
        BinaryOp::LessEqual => "<=",
        BinaryOp::Equal => "==",
        BinaryOp::NotEqual => "!=",
        BinaryOp::GreaterEqual => ">=",
        BinaryOp::Greater => ">",
        _ => return None,
    })
}

/// What an expression is, for people.
pub(super) fn construct(expr: &Expr) -> String {
    match expr {
        Expr::Double(_) | Expr::ToDouble(_) | Expr::Builtin(..) => "floating-point arithmetic",
        Expr::Clock(_) | Expr::ClockRate(_) => "the value of a clock",
        Expr::Unary(..) | Expr::Binary(_) => "a truth value that is used as a number",
        Expr::Assign { .. } | Expr::SetClock { .. } | Expr::Sequence(_) => {
            "an assignment inside of an expression"
        }
        Expr::Call { .. } => "a function call",
        Expr::Quantifier { .. } => "a quantifier",
        Expr::ClockConstraint(_) => "a clock constraint inside of an expression",
        _ => "this expression",
    }
    .to_owned()
}

/// Groups `x[0]`, `x[1]`, … into arrays.
fn clock_arrays(network: &Network) -> Result<Vec<ClockArray>, Unsupported> {
    let element = |id: usize| -> Option<(&str, usize)> {
        let name = network.clocks.get(ClockId::from_index(id))?.name.strip_suffix(']')?;
        let (root, index) = name.rsplit_once('[')?;
        Some((root, index.parse().ok()?))
    };
    let mut arrays = Vec::new();
    let mut at = 0;
    while at < network.clocks.len() {
        let name = &network.clocks[ClockId::from_index(at)].name;
        match element(at) {
            None => arrays.push(ClockArray { name: name.clone(), first: at, len: 1 }),
            Some((root, 0)) => {
                let mut len = 1;
                while element(at + len) == Some((root, len)) {
                    len += 1;
                }
                if len == 1 {
                    return Err(Unsupported::new(format!("the name `{name}`"), "a clock"));
                }
                arrays.push(ClockArray { name: root.to_owned(), first: at, len });
            }
            Some(_) => return Err(Unsupported::new(format!("the name `{name}`"), "a clock")),
        }
        at += arrays.last().map_or(1, |array| array.len);
    }
    Ok(arrays)
}
