//! Updates of edges, and the functions that hold their statements.

use punctual_model::{
    AssignOp, EdgeId, Expr, FunctionBody, Number, Process, ReturnType, Statement, Storage,
};

use super::expr::{Local, Terms, Text, construct};
use crate::tchecker::function_name;

/// The value of `do:`; empty if nothing is changed.
pub(super) fn update(terms: &Terms<'_>, process: &Process, edge: EdgeId, update: &[Expr]) -> Text {
    if let [Expr::Call { function, arguments }] = update {
        let function = &terms.network.functions[*function];
        let FunctionBody::Statements(body) = &function.body else {
            return Err("a function of a library".to_owned());
        };
        let shape = function.returns == ReturnType::Void
            && arguments.is_empty()
            && function.name == function_name(&process.name, edge);
        if !shape {
            return Err("a function call".to_owned());
        }
        let mut prefix = "l".to_owned();
        let taken = |prefix: &str| {
            let starts = |name: &str| {
                name.strip_prefix(prefix)
                    .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
            };
            terms.network.variables.iter().any(|v| starts(&v.name))
                || terms.clocks.iter().any(|c| starts(&c.name))
        };
        while taken(&prefix) {
            prefix.push('_');
        }
        let mut blocks = Blocks { terms: terms.clone(), prefix, count: 0 };
        return Ok(format!("\n{}", blocks.block(body, 1)?));
    }
    let texts: Result<Vec<String>, String> =
        update.iter().map(|expr| assignment(terms, expr)).collect();
    Ok(texts?.join("; "))
}

fn assignment(terms: &Terms<'_>, expr: &Expr) -> Text {
    match expr {
        Expr::Assign { target, op: AssignOp::Set, value, .. } => {
            Ok(format!("{} = {}", terms.place(target)?, terms.int(value)?))
        }
        Expr::SetClock { clock, value } => terms.set_clock(clock, value),
        Expr::Assign { .. } => Err("an assignment that combines".to_owned()),
        _ => Err(construct(expr)),
    }
}

struct Blocks<'a> {
    terms: Terms<'a>,
    prefix: String,
    count: usize,
}

impl Blocks<'_> {
    fn block(&mut self, body: &[Statement], depth: usize) -> Text {
        let indent = "  ".repeat(depth);
        let visible = self.terms.locals.len();
        let mut lines = Vec::new();
        for statement in body {
            lines.push(format!("{indent}{}", self.statement(statement, depth)?));
        }
        self.terms.locals.truncate(visible);
        Ok(match lines.is_empty() {
            true => format!("{indent}nop"),
            false => lines.join(";\n"),
        })
    }

    fn statement(&mut self, statement: &Statement, depth: usize) -> Text {
        let indent = "  ".repeat(depth);
        match statement {
            Statement::Expr(expr) => assignment(&self.terms, expr),
            // A variable that is visible already is only set again.
            Statement::Clear { place, value }
                if place.storage == Storage::Local && self.terms.place(place).is_ok() =>
            {
                Ok(format!("{} = {value}", self.terms.place(place)?))
            }
            Statement::Clear { place, value: 0 }
                if place.storage == Storage::Local && place.number == Number::Int =>
            {
                let name = format!("{}{}", self.prefix, self.count);
                self.count += 1;
                let text = match place.size {
                    1 => format!("local {name}"),
                    len => format!("local {name}[{len}]"),
                };
                self.terms.locals.push(Local { name, first: place.base, len: place.size });
                Ok(text)
            }
            Statement::If(condition, yes, no) => {
                let mut text = format!("if {} then\n", self.terms.formula(condition)?);
                text += &self.block(yes, depth + 1)?;
                if !no.is_empty() {
                    text += &format!("\n{indent}else\n{}", self.block(no, depth + 1)?);
                }
                Ok(format!("{text}\n{indent}end"))
            }
            Statement::While(condition, body) => {
                let text = format!("while {} do\n", self.terms.formula(condition)?);
                Ok(format!("{text}{}\n{indent}end", self.block(body, depth + 1)?))
            }
            Statement::Clear { .. } => Err("a local variable of this type".to_owned()),
            Statement::DoWhile(..) => Err("a loop with its test at the end".to_owned()),
            Statement::For { .. } => Err("a loop over a range".to_owned()),
            Statement::Return(_) => Err("`return`".to_owned()),
            Statement::Assert(_) => Err("`assert`".to_owned()),
        }
    }
}
