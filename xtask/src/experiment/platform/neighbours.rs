//! The pump as a model that is steered: each input may be the value of the step before or after instead.
//!
//! Steering changes inputs within ranges. What an input was a step before is no range around what it is, so it becomes an input of its own, as does what it
//! will be a step later, and a choice among the three is what is steered: a change is an event that costs one unit, whatever the numbers are. A
//! neighbour with an equal value can not be chosen.

use punctual_model::lustre::{
    BinaryOp, Enumeration, Equation, Expr, Memory, Program, Role, Seen, Tolerances, Type, Var,
};
use punctual_model::{ExprId, Id, IdVec, Value, VarId};
use punctual_oracle::steering::Observation;

/// Members of the enumeration of choices. What is intended is in the middle, so that what may be chosen is one range.
const BEFORE: Value = Value::Enum(0);
const INTENDED: Value = Value::Enum(1);
const AFTER: Value = Value::Enum(2);

/// The model, what may be steered, and how.
pub(super) struct Neighbours {
    pub(super) program: Program,
    pub(super) choices: Vec<VarId>,
    pub(super) tolerances: Tolerances,
}

impl Neighbours {
    pub(super) fn new(pump: &Program) -> Neighbours {
        let mut program = Program { exprs: IdVec::default(), ..pump.clone() };
        let values = ["BEFORE", "INTENDED", "AFTER"].map(str::to_owned).to_vec();
        let which = program.enums.push(Enumeration { name: "Neighbour".to_owned(), values });
        let (mut choices, mut tolerances) = (Vec::new(), Tolerances::default());
        let mut chosen: Vec<Option<ExprId>> = vec![None; pump.vars.len()];
        for input in pump.inputs() {
            let of = &pump.vars[input];
            let mut add = |suffix: &str, ty: Type, range| {
                let name = format!("{}{suffix}", of.name);
                program.vars.push(Var { name, ty, range, role: Role::Input })
            };
            let before = add("~before", of.ty, of.range);
            let after = add("~after", of.ty, of.range);
            let choice = add("~which", Type::Enum(which), None);
            let exprs = &mut program.exprs;
            let [now, was, will] = [input, before, after].map(|it| exprs.push(Expr::Var(it)));
            let other = is(exprs, choice, BEFORE);
            let other = exprs.push(Expr::If(other, was, will));
            let intended = is(exprs, choice, INTENDED);
            chosen[input.index()] = Some(exprs.push(Expr::If(intended, now, other)));
            choices.push(choice);
            allow(&mut tolerances, choice, (input, before, after));
        }
        read(&mut program, pump, &chosen);
        Neighbours { program, choices, tolerances }
    }

    /// What the model is given when this was intended and seen in each step. Before the first step inputs are what they are in it, after
    /// the last one, too.
    pub(super) fn observations(rows: &[&[Value]], seen: &[Vec<Value>]) -> Vec<Observation> {
        let row = |number: usize| rows[number.min(rows.len() - 1)];
        let of = |(number, system): (usize, &Vec<Value>)| {
            let (now, after) = (row(number), row(number + 1));
            let before = row(number.saturating_sub(1));
            let added = before.iter().zip(after).flat_map(|(a, b)| [*a, *b, INTENDED]);
            Observation {
                inputs: now.iter().copied().chain(added).collect(),
                system: system.clone(),
            }
        };
        seen.iter().enumerate().map(of).collect()
    }
}

/// Whether a choice is this one.
fn is(exprs: &mut IdVec<ExprId, Expr>, choice: VarId, member: Value) -> ExprId {
    let (left, right) = (exprs.push(Expr::Var(choice)), exprs.push(Expr::Constant(member)));
    exprs.push(Expr::Binary(BinaryOp::Eq, left, right))
}

/// Allows a choice where its value is another one.
fn allow(made: &mut Tolerances, choice: VarId, (now, before, after): (VarId, VarId, VarId)) {
    let new = made.seen.push(Seen::New(choice));
    let [now, before, after] = [now, before, after].map(|var| {
        let seen = made.seen.push(Seen::Original(var));
        made.exprs.push(Expr::Var(seen))
    });
    let exprs = &mut made.exprs;
    let was_other = exprs.push(Expr::Binary(BinaryOp::Ne, before, now));
    let will_be_other = exprs.push(Expr::Binary(BinaryOp::Ne, after, now));
    let is_third = exprs.push(Expr::Binary(BinaryOp::Ne, after, before));
    let is_new = exprs.push(Expr::Binary(BinaryOp::And, will_be_other, is_third));
    for (member, condition) in [(BEFORE, was_other), (AFTER, is_new)] {
        let chosen = is(&mut made.exprs, new, member);
        made.conditions.push(made.exprs.push(Expr::Binary(BinaryOp::Implies, chosen, condition)));
    }
}

/// Adds the expressions of the pump, which read what is chosen instead of its inputs.
fn read(program: &mut Program, pump: &Program, chosen: &[Option<ExprId>]) {
    let mut place: Vec<ExprId> = Vec::with_capacity(pump.exprs.len());
    for expr in pump.exprs.iter() {
        let at = |id: ExprId| place[id.index()];
        let new = match *expr {
            Expr::Var(var) if chosen[var.index()].is_some() => None,
            Expr::Unary(op, it) => Some(Expr::Unary(op, at(it))),
            Expr::Binary(op, left, right) => Some(Expr::Binary(op, at(left), at(right))),
            Expr::If(condition, yes, no) => Some(Expr::If(at(condition), at(yes), at(no))),
            same => Some(same),
        };
        let known = match *expr {
            Expr::Var(var) => chosen[var.index()],
            _ => None,
        };
        let id = known.or_else(|| new.map(|it| program.exprs.push(it)));
        place.extend(id);
    }
    let at = |id: ExprId| place[id.index()];
    let equation = |it: &Equation| Equation { var: it.var, expr: at(it.expr) };
    program.equations = pump.equations.iter().map(equation).collect();
    program.memory = IdVec::default();
    for memory in pump.memory.iter() {
        program.memory.push(Memory { next: at(memory.next), ..memory.clone() });
    }
    program.assertions = pump.assertions.iter().map(|it| at(*it)).collect();
    program.properties = pump.properties.iter().map(|(name, it)| (name.clone(), at(*it))).collect();
}
