//! What tests are to cover.
//!
//! An obligation is a set of truths that must be seen in one step. It is about one place of one
//! equation; all of them include that the place is reached, which is that each `if` around it takes the
//! branch it is in.
//!
//! - **Branch**: each `if` takes both branches. `->` is none.
//! - **Condition**: each atom of each decision is true, and is false. A decision is a condition of an
//!   `if`, or a boolean value of an equation; an atom is a boolean part without boolean parts.
//! - **MC/DC**: each atom is true, and is false, while the other parts of its decision leave it to the
//!   atom what the decision is. This is masking MC/DC: the rest may differ between the two.
//!
//! Follows Whalen, Rajan, Heimdahl & Miller 2006. Only equations that outputs, assertions and
//! properties need are looked at; an atom is followed through its equation, not to an output.

use std::collections::HashSet;

use punctual_model::ExprId;
use punctual_model::Id;
use punctual_model::lustre::{BinaryOp, Expr, Program, Type, UnaryOp};

use super::{
    cone::Cone,
    text::text,
    types::{operands, types},
};

/// Expressions are shared, and their places are not: one with more places than this has no further
/// ones.
const PLACES_MAX: usize = 50_000;

/// A kind of structural coverage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Criterion {
    /// Each branch of each conditional is taken.
    Branch,
    /// Each atomic condition is true, and is false.
    Condition,
    /// Each atomic condition is true, and is false, where that alone decides the outcome of its decision.
    Mcdc,
}

impl Criterion {
    /// The name of the criterion, as people write it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Criterion::Branch => "branch",
            Criterion::Condition => "condition",
            Criterion::Mcdc => "MC/DC",
        }
    }

    /// The criterion of a name.
    #[must_use]
    pub fn named(name: &str) -> Option<Criterion> {
        let all = [Criterion::Branch, Criterion::Condition, Criterion::Mcdc];
        all.into_iter().find(|it| it.name() == name)
    }
}

/// Something that a test is to show in one of its steps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Obligation {
    /// The criterion that asks for it.
    pub criterion: Criterion,
    /// The equation that it is about: the name of its variable, or what is remembered.
    pub equation: String,
    /// The condition that it is about, as Lustre text.
    pub text: String,
    /// The value that the condition is to have.
    pub outcome: bool,
    /// Expressions and the values that they must have in one step to meet it.
    pub(crate) truths: Vec<(ExprId, bool)>,
}

/// All obligations of a program, in the order of its equations.
#[must_use]
pub fn obligations(program: &Program, criterion: Criterion) -> Vec<Obligation> {
    let properties = program.properties.iter().map(|(_, expr)| *expr);
    let cone = Cone::of(program, program.assertions.iter().copied().chain(properties));
    let types = types(program);
    let mut walk =
        Walk { program, types: &types, criterion, found: Vec::new(), known: HashSet::new() };
    for equation in &program.equations {
        if cone.vars[equation.var.index()] {
            let var = &program.vars[equation.var];
            walk.walk(&var.name, equation.expr, var.ty);
        }
    }
    for (id, memory) in program.memory.enumerate() {
        if cone.memory[id.index()] {
            walk.walk(&format!("pre {}", memory.name), memory.next, memory.ty);
        }
    }
    walk.found
}

type Truths = Vec<(ExprId, bool)>;

struct Walk<'a> {
    program: &'a Program,
    types: &'a [Option<Type>],
    criterion: Criterion,
    found: Vec<Obligation>,
    /// Conditions of the current equation with all that has to be so.
    known: HashSet<(ExprId, Truths)>,
}

/// A place that is still to be looked at.
struct Place {
    expr: ExprId,
    /// What has to be so for it to be reached.
    reached: Truths,
    /// In a decision: what has to be so for the decision to depend on it.
    decides: Option<Truths>,
}

fn with(truths: &Truths, expr: ExprId, truth: bool) -> Truths {
    let mut truths = truths.clone();
    truths.push((expr, truth));
    truths
}

impl Walk<'_> {
    fn walk(&mut self, equation: &str, root: ExprId, ty: Type) {
        self.known.clear();
        let decides = (ty == Type::Bool).then(Truths::new);
        let mut stack = vec![Place { expr: root, reached: Truths::new(), decides }];
        for _ in 0..PLACES_MAX {
            let Some(place) = stack.pop() else { return };
            let from = stack.len();
            self.place(equation, place, &mut stack);
            stack[from..].reverse();
        }
    }

    fn place(&mut self, equation: &str, place: Place, stack: &mut Vec<Place>) {
        let Place { expr: id, reached, decides } = place;
        let expr = self.program.exprs[id];
        if let Expr::If(condition, yes, no) = expr {
            if self.program.exprs[condition] != Expr::First {
                if self.criterion == Criterion::Branch {
                    self.add(equation, condition, &reached);
                }
                let inner = reached.clone();
                stack.push(Place {
                    expr: condition,
                    reached: inner,
                    decides: Some(reached.clone()),
                });
            }
            for (branch, truth) in [(yes, true), (no, false)] {
                let decides = decides.as_ref().map(|it| with(it, condition, truth));
                stack.push(Place {
                    expr: branch,
                    reached: with(&reached, condition, truth),
                    decides,
                });
            }
            return;
        }
        let Some(decides) = decides else {
            let places = operands(expr);
            stack.extend(places.map(|it| Place {
                expr: it,
                reached: reached.clone(),
                decides: None,
            }));
            return;
        };
        let inside = |expr: ExprId, decides: Truths| Place {
            expr,
            reached: reached.clone(),
            decides: Some(decides),
        };
        match expr {
            Expr::Unary(UnaryOp::Not, a) => stack.push(inside(a, decides)),
            Expr::Binary(op, a, b) if self.types[a.index()] == Some(Type::Bool) => {
                // What the other side has to be.
                let (for_a, for_b) = match op {
                    BinaryOp::And => (Some((b, true)), Some((a, true))),
                    BinaryOp::Or => (Some((b, false)), Some((a, false))),
                    BinaryOp::Implies => (Some((b, false)), Some((a, true))),
                    _ => (None, None),
                };
                for (side, other) in [(a, for_a), (b, for_b)] {
                    let mut decides = decides.clone();
                    decides.extend(other);
                    stack.push(inside(side, decides));
                }
            }
            Expr::Constant(_) | Expr::First => {}
            _ => {
                match self.criterion {
                    Criterion::Branch => {}
                    Criterion::Condition => self.add(equation, id, &reached),
                    Criterion::Mcdc => self.add(equation, id, &decides),
                }
                let places = operands(expr);
                stack.extend(places.map(|it| Place {
                    expr: it,
                    reached: reached.clone(),
                    decides: None,
                }));
            }
        }
    }

    /// A condition has to be true, and false, together with these truths.
    fn add(&mut self, equation: &str, condition: ExprId, truths: &Truths) {
        for outcome in [true, false] {
            let mut truths = with(truths, condition, outcome);
            truths.sort_unstable();
            truths.dedup();
            if self.known.insert((condition, truths.clone())) {
                self.found.push(Obligation {
                    criterion: self.criterion,
                    equation: equation.to_owned(),
                    text: text(self.program, self.types, condition, Some(Type::Bool)),
                    outcome,
                    truths,
                });
            }
        }
    }
}
