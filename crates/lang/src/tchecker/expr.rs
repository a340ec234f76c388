//! From trees to expressions and conditions of the model.
//!
//! A guard is a conjunction; its conjuncts are sorted into data and clock constraints. Clocks
//! can only be compared with integers, alone or as a difference of two.
//!
//! DIFFERENCE(tchecker): the tool accepts clock constraints as conditions of `if`, and then adds
//! them to the guard wherever they are met; we refuse them. Test: `it::tchecker::rejected`.

use punctual_model::{
    BinaryOp, ClockConstraint, ClockId, ClockRef, Condition, Expr, Id, Index, Indexed, Number,
    Place, Range, Relation, Storage, UnaryOp,
};

use super::{
    build::did_you_mean,
    syntax::{Arithmetic, Comparison, Node, Tree},
};
use crate::{
    Span,
    convert::fold,
    diagnostic::{Diagnostic, Diagnostics},
};

/// What a name stands for.
#[derive(Clone, Copy, Debug)]
pub(super) enum Symbol {
    Clocks { first: ClockId, len: u32 },
    Ints { base: u32, len: u32, range: Range },
    Locals { base: u32, len: u32 },
}

/// A declared name.
#[derive(Clone, Debug)]
pub(super) struct Named {
    pub(super) name: String,
    pub(super) span: Span,
    pub(super) symbol: Symbol,
}

/// The names that an expression can use.
pub(super) struct Scope<'a> {
    pub(super) globals: &'a rustc_hash::FxHashMap<String, Named>,
    pub(super) locals: Vec<Named>,
}

impl Scope<'_> {
    pub(super) fn find(&self, name: &str) -> Option<&Named> {
        self.locals.iter().rev().find(|local| local.name == name).or_else(|| self.globals.get(name))
    }
}

/// The value of a term.
enum Value {
    Int(Expr),
    Clock(ClockRef),
    Difference(ClockRef, ClockRef),
    /// An integer plus a clock.
    Sum(Expr, ClockRef),
    /// The truth value of a comparison, which is no number.
    Truth,
}

/// What an assignment sets.
pub(super) enum Target {
    Place(Place),
    Clock(ClockRef),
}

/// Translates expressions.
pub(super) struct Translator<'a, 'd> {
    pub(super) scope: Scope<'a>,
    pub(super) diagnostics: &'d mut Diagnostics,
}

impl Translator<'_, '_> {
    fn fail<T>(&mut self, diagnostic: Diagnostic) -> Option<T> {
        self.diagnostics.push(diagnostic);
        None
    }

    /// Adds the conjuncts of a formula to a condition; all of them are looked at.
    pub(super) fn condition(&mut self, node: &Node, into: &mut Condition) -> Option<()> {
        match &node.tree {
            Tree::And(parts) => {
                let mut good = Some(());
                for part in parts {
                    good = self.condition(part, into).and(good);
                }
                good
            }
            Tree::Not(inner) => {
                let mut condition = Condition::default();
                let before = inner.span;
                self.condition(inner, &mut condition)?;
                if !condition.clocks.is_empty() {
                    return self.fail(
                        Diagnostic::error(
                            "tchecker::type",
                            node.span,
                            "a clock constraint can not be negated",
                        )
                        .also(before, "this reads a clock")
                        .help("turn the comparison around: `x >= 3` instead of `!(x < 3)`"),
                    );
                }
                if matches!(inner.tree, Tree::And(_)) || condition.data.len() > 1 {
                    return self.fail(
                        Diagnostic::error(
                            "tchecker::type",
                            node.span,
                            "a conjunction can not be negated",
                        )
                        .help("write `(if a && b then 0 else 1)`"),
                    );
                }
                push_data(fold::unary(UnaryOp::Not, fold::conjunction(condition.data)), into);
                Some(())
            }
            Tree::Compare(operands, comparisons) => {
                let values: Vec<_> = operands.iter().map(|o| self.operand(o)).collect();
                let values: Vec<Value> = values.into_iter().collect::<Option<_>>()?;
                for (i, &comparison) in comparisons.iter().enumerate() {
                    self.compare(node, &values[i], comparison, &values[i + 1], into)?;
                }
                Some(())
            }
            _ => {
                let expr = self.int(node)?;
                push_data(expr, into);
                Some(())
            }
        }
    }

    /// A formula without clocks, as one expression.
    pub(super) fn test(&mut self, node: &Node) -> Option<Expr> {
        let mut condition = Condition::default();
        self.condition(node, &mut condition)?;
        if !condition.clocks.is_empty() {
            return self.fail(
                Diagnostic::error("tchecker::type", node.span, "a clock can not be tested here")
                    .help("test clocks in `provided:` of an edge or `invariant:` of a location"),
            );
        }
        if condition.data.len() > super::syntax::HEIGHT_MAX {
            return self.fail(Diagnostic::error(
                "tchecker::nesting",
                node.span,
                "conjunction too large",
            ));
        }
        Some(fold::conjunction(condition.data))
    }

    fn compare(
        &mut self,
        node: &Node,
        left: &Value,
        comparison: Comparison,
        right: &Value,
        into: &mut Condition,
    ) -> Option<()> {
        let (left, right, comparison) = match (left, right) {
            (Value::Int(l), Value::Int(r)) => {
                push_data(fold::binary(data_comparison(comparison), l.clone(), r.clone()), into);
                return Some(());
            }
            (Value::Int(_), _) => (right, left, reversed(comparison)),
            _ => (left, right, comparison),
        };
        let (first, second, bound) = match (left, right) {
            (Value::Clock(x), Value::Int(bound)) => (x, None, bound.clone()),
            (Value::Difference(x, y), Value::Int(bound)) => (x, Some(y.clone()), bound.clone()),
            (Value::Clock(x), Value::Clock(y)) => (x, Some(y.clone()), Expr::Int(0)),
            _ => {
                return self.fail(
                    Diagnostic::error(
                        "tchecker::type",
                        node.span,
                        "clocks can not be compared in this way",
                    )
                    .help("compare a clock `x` or a difference `x - y` with an integer"),
                );
            }
        };
        let Some(relation) = relation(comparison) else {
            return self.fail(
                Diagnostic::error(
                    "tchecker::type",
                    node.span,
                    "a clock can not be tested with `!=`",
                )
                .help("write two edges, one with `<` and one with `>`"),
            );
        };
        into.clocks.push(ClockConstraint {
            when: None,
            left: Some(first.clone()),
            right: second,
            relation,
            number: Number::Int,
            bound,
        });
        Some(())
    }

    /// An operand of a comparison.
    fn operand(&mut self, node: &Node) -> Option<Value> {
        match self.value(node)? {
            Value::Truth => self.truth_as_number(node),
            value => Some(value),
        }
    }

    fn truth_as_number<T>(&mut self, node: &Node) -> Option<T> {
        self.fail(
            Diagnostic::error("tchecker::type", node.span, "expected a number, found a condition")
                .help("write `(if condition then 1 else 0)`"),
        )
    }

    /// An integer.
    pub(super) fn int(&mut self, node: &Node) -> Option<Expr> {
        match self.value(node)? {
            Value::Int(expr) => Some(expr),
            Value::Truth => self.truth_as_number(node),
            _ => self.fail(
                Diagnostic::error(
                    "tchecker::type",
                    node.span,
                    "expected an integer, found a clock",
                )
                .help("clocks can be compared with integers, but have no integer value"),
            ),
        }
    }

    fn value(&mut self, node: &Node) -> Option<Value> {
        Some(match &node.tree {
            Tree::Int(value) => Value::Int(Expr::Int(match i32::try_from(*value) {
                Ok(value) => value,
                Err(_) => {
                    return self.fail(
                        Diagnostic::error("tchecker::number", node.span, "number out of range")
                            .help("numbers have 32 bits: -2147483648 to 2147483647"),
                    );
                }
            })),
            Tree::Negate(inner) => match inner.tree {
                Tree::Int(value) if value == 1 << 31 => Value::Int(Expr::Int(i32::MIN)),
                _ => Value::Int(fold::unary(UnaryOp::Negate, self.int(inner)?)),
            },
            Tree::Name(_) | Tree::Index(..) => match self.target(node)? {
                Target::Place(place) => Value::Int(Expr::Load(place)),
                Target::Clock(clock) => Value::Clock(clock),
            },
            Tree::Arithmetic(op, sides) => {
                let [left, right] = &**sides;
                let (l, r) = (self.operand(left), self.operand(right));
                match (op, l?, r?) {
                    (_, Value::Int(l), Value::Int(r)) => {
                        Value::Int(fold::binary(arithmetic(*op), l, r))
                    }
                    (Arithmetic::Subtract, Value::Clock(x), Value::Clock(y)) => {
                        Value::Difference(x, y)
                    }
                    (Arithmetic::Add, Value::Int(offset), Value::Clock(x))
                    | (Arithmetic::Add, Value::Clock(x), Value::Int(offset)) => {
                        Value::Sum(offset, x)
                    }
                    _ => {
                        return self.fail(
                            Diagnostic::error(
                                "tchecker::type",
                                node.span,
                                "clocks can not be combined in this way",
                            )
                            .help(
                                "there are differences of two clocks in comparisons, and an \
                                 integer plus a clock in assignments",
                            ),
                        );
                    }
                }
            }
            Tree::If(parts) => {
                let [condition, yes, no] = &**parts;
                let (condition, yes, no) = (self.test(condition), self.int(yes), self.int(no));
                Value::Int(fold::conditional(condition?, yes?, no?))
            }
            Tree::Compare(..) | Tree::And(_) | Tree::Not(_) => {
                // Look for errors inside of it, too.
                self.condition(node, &mut Condition::default())?;
                Value::Truth
            }
        })
    }

    /// What can stand on the left of an assignment.
    pub(super) fn target(&mut self, node: &Node) -> Option<Target> {
        let (name, at, index) = match &node.tree {
            Tree::Name(name) => (name, node.span, None),
            Tree::Index(name, at, index) => (name, *at, Some(index)),
            _ => {
                return self.fail(Diagnostic::error(
                    "tchecker::syntax",
                    node.span,
                    "expected a variable or an element of an array",
                ));
            }
        };
        let Some(named) = self.scope.find(name) else {
            if let Some(index) = index {
                self.int(index);
            }
            let locals = self.scope.locals.iter().map(|local| &local.name);
            let known = locals.chain(self.scope.globals.keys());
            let help = did_you_mean(name, known, self.diagnostics);
            return self.fail(
                Diagnostic::error(
                    "tchecker::unknown_name",
                    at,
                    format!("there is no variable or clock `{name}`"),
                )
                .maybe_help(help),
            );
        };
        let (symbol, declared) = (named.symbol, named.span);
        let (Symbol::Clocks { len, .. } | Symbol::Ints { len, .. } | Symbol::Locals { len, .. }) =
            symbol;
        let (offset, indices) = match index {
            None if len > 1 => {
                return self.fail(
                    Diagnostic::error(
                        "tchecker::type",
                        node.span,
                        format!("`{name}` is an array; say which element"),
                    )
                    .also(declared, format!("declared with {len} elements here"))
                    .help(format!("its elements are `{name}[0]` to `{name}[{}]`", len - 1)),
                );
            }
            None => (0, Vec::new()),
            Some(index) => {
                let value = self.int(index)?;
                match value.as_int() {
                    Some(constant) => match u32::try_from(constant).ok().filter(|c| *c < len) {
                        Some(offset) => (offset, Vec::new()),
                        None => {
                            return self.fail(
                                Diagnostic::error(
                                    "tchecker::index",
                                    index.span,
                                    format!("`{name}` has no element {constant}"),
                                )
                                .also(declared, "declared here")
                                .help(match len {
                                    1 => format!("the only element is `{name}[0]`"),
                                    _ => format!(
                                        "its elements are `{name}[0]` to `{name}[{}]`",
                                        len - 1
                                    ),
                                }),
                            );
                        }
                    },
                    None => (0, vec![Index { value, lo: 0, len, stride: 1 }]),
                }
            }
        };
        let place = |storage, base: u32, range| {
            let number = Number::Int;
            Target::Place(Place {
                storage,
                number,
                base: base + offset,
                indices: indices.clone(),
                size: 1,
                range,
            })
        };
        Some(match symbol {
            Symbol::Clocks { first, .. } => Target::Clock(Indexed {
                base: ClockId::from_index(first.index() + offset as usize),
                indices,
            }),
            Symbol::Ints { base, range, .. } => place(Storage::State, base, range),
            Symbol::Locals { base, .. } => place(Storage::Local, base, Range::ALL),
        })
    }

    /// An assignment.
    pub(super) fn assignment(&mut self, target: &Node, value: &Node) -> Option<Expr> {
        let to = self.target(target);
        let from = self.operand(value);
        match (to?, from?) {
            (Target::Place(place), Value::Int(value)) => Some(assign(place, value)),
            (Target::Clock(clock), Value::Int(value)) => {
                if let Some(negative) = value.as_int().filter(|value| *value < 0) {
                    return self.fail(Diagnostic::error(
                        "tchecker::type",
                        target.span,
                        format!("a clock can not be set to {negative}"),
                    ));
                }
                Some(Expr::SetClock { clock, value: Box::new(value) })
            }
            (Target::Clock(clock), Value::Clock(from)) => {
                Some(Expr::SetClock { clock, value: Box::new(Expr::Clock(from)) })
            }
            (Target::Clock(clock), Value::Sum(offset, from)) => {
                let sum = punctual_model::Binary {
                    op: BinaryOp::Add,
                    number: Number::Double,
                    size: 1,
                    left: Expr::ToDouble(Box::new(offset)),
                    right: Expr::Clock(from),
                };
                Some(Expr::SetClock { clock, value: Box::new(Expr::Binary(Box::new(sum))) })
            }
            (Target::Place(_), _) => self.fail(
                Diagnostic::error(
                    "tchecker::type",
                    value.span,
                    "an integer variable can not take the value of a clock",
                )
                .also(target.span, "this is an integer variable"),
            ),
            (Target::Clock(_), _) => self.fail(
                Diagnostic::error("tchecker::type", value.span, "a clock can not be set to this")
                    .help("set it to an integer, to a clock, or to an integer plus a clock"),
            ),
        }
    }
}

/// `place = value`
pub(super) fn assign(place: Place, value: Expr) -> Expr {
    Expr::Assign {
        target: Box::new(place),
        op: punctual_model::AssignOp::Set,
        value: Box::new(value),
        result: punctual_model::AssignResult::New,
    }
}

fn push_data(expr: Expr, into: &mut Condition) {
    if !matches!(expr, Expr::Int(value) if value != 0) {
        into.data.push(expr);
    }
}

fn arithmetic(op: Arithmetic) -> BinaryOp {
    match op {
        Arithmetic::Add => BinaryOp::Add,
        Arithmetic::Subtract => BinaryOp::Subtract,
        Arithmetic::Multiply => BinaryOp::Multiply,
        Arithmetic::Divide => BinaryOp::Divide,
        Arithmetic::Remainder => BinaryOp::Remainder,
    }
}

fn data_comparison(comparison: Comparison) -> BinaryOp {
    match comparison {
        Comparison::Less => BinaryOp::Less,
        Comparison::LessEqual => BinaryOp::LessEqual,
        Comparison::Equal => BinaryOp::Equal,
        Comparison::NotEqual => BinaryOp::NotEqual,
        Comparison::GreaterEqual => BinaryOp::GreaterEqual,
        Comparison::Greater => BinaryOp::Greater,
    }
}

fn relation(comparison: Comparison) -> Option<Relation> {
    Some(match comparison {
        Comparison::Less => Relation::Less,
        Comparison::LessEqual => Relation::LessEqual,
        Comparison::Equal => Relation::Equal,
        Comparison::NotEqual => return None,
        Comparison::GreaterEqual => Relation::GreaterEqual,
        Comparison::Greater => Relation::Greater,
    })
}

fn reversed(comparison: Comparison) -> Comparison {
    match comparison {
        Comparison::Less => Comparison::Greater,
        Comparison::LessEqual => Comparison::GreaterEqual,
        Comparison::GreaterEqual => Comparison::LessEqual,
        Comparison::Greater => Comparison::Less,
        same => same,
    }
}
