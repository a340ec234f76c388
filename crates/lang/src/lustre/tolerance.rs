//! Files of tolerances: conditions over what steering changes.
//!
//! A condition is a boolean expression over `x` (the new value of a variable of the program),
//! `concrete_oracle_x` (its value before steering) and `concrete_sut_x` (its value in the system).
//! Conditions follow each other without separators, on as many lines as they need; comments are
//! as in programs. Integers become real numbers where they meet them, so `real(x)` may be left out,
//! and may be written where `x` is real already.
//!
//! The short form is one line per variable: `x: [-1, +2]` for "from one less to two more than
//! before", `x: locked` for "as before", `x: free` for no condition.

use punctual_model::{
    ExprId, Id, IdVec, VarId,
    lustre::{Expr, Program, Seen, Tolerances, Type},
};
use rustc_hash::FxHashMap;

use super::{
    Reading,
    ast::{Ast, Binary, Ex, ExKind},
    check::{Checker, Role, Variable},
    flatten::{Flattener, Frame},
    lexer::TokenKind,
    parse::{Parsed, Parser},
    types::{Kind, Ty},
};
use crate::{
    Input, Span,
    decode::is_too_long,
    diagnostic::{Diagnostic, Diagnostics},
    values,
};

const ORIGINAL: &str = "concrete_oracle_";
const SYSTEM: &str = "concrete_sut_";

/// Reads a file of tolerances of a program.
pub fn tolerances(input: Input<'_>, program: &Program) -> Reading<Tolerances> {
    Reading::deep(input, |text, diagnostics| {
        if is_too_long(text, super::TEXT_MAX, diagnostics) {
            return None;
        }
        let (ast, conditions) = parse(text, diagnostics);
        let resolved = resolve(ast, text, program, true);
        conditions_of(&resolved, text, program, &conditions, diagnostics)
    })
}

/// Reads one expression over the variables of a program in one step, and adds it to the program's
/// expressions.
pub fn expression(input: Input<'_>, program: &mut Program) -> Reading<ExprId> {
    let mut reading = Reading::deep(input, |text, diagnostics| {
        let mut parser = Parser::new(text, diagnostics);
        parser.with_calls = false;
        let ex = parser.expr().ok()?;
        if parser.kind() != TokenKind::End {
            parser.expected("an operator, or the end");
        }
        let resolved = resolve(parser.ast, text, program, false);
        conditions_of(&resolved, text, program, &[(ex, Wanted::Value)], diagnostics)
    });
    let value = reading.value.take().and_then(|found| {
        let root = *found.conditions.first()?;
        let vars: Vec<VarId> = (found.seen.iter())
            .map(|seen| match seen {
                Seen::New(var) | Seen::Original(var) | Seen::System(var) => *var,
            })
            .collect();
        let ids = append(
            &found.exprs,
            |expr| match expr {
                Expr::Var(var) => Expr::Var(vars[var.index()]),
                other => other,
            },
            &mut program.exprs,
        );
        ids.get(root.index()).copied()
    });
    Reading { value, file: reading.file, diagnostics: reading.diagnostics }
}

/// Appends expressions to a table, with their operands renumbered.
fn append(
    exprs: &IdVec<ExprId, Expr>,
    leaf: impl Fn(Expr) -> Expr,
    into: &mut IdVec<ExprId, Expr>,
) -> Vec<ExprId> {
    let mut ids: Vec<ExprId> = Vec::with_capacity(exprs.len());
    for expr in exprs.iter() {
        let id = |operand: ExprId| ids[operand.index()];
        let expr = match *expr {
            Expr::Unary(op, a) => Expr::Unary(op, id(a)),
            Expr::Binary(op, a, b) => Expr::Binary(op, id(a), id(b)),
            Expr::If(a, b, c) => Expr::If(id(a), id(b), id(c)),
            other => leaf(other),
        };
        ids.push(into.push(expr));
    }
    ids
}

/// What an expression is for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wanted {
    /// To hold.
    Truth,
    /// To hold, if this is a number: the short form of it.
    Interval(Ex),
    /// To be known, and nothing else.
    Name,
    Value,
}

type Condition = (Ex, Wanted);

fn parse(text: &str, diagnostics: &mut Diagnostics) -> (Ast, Vec<Condition>) {
    let mut parser = Parser::new(text, diagnostics);
    parser.with_calls = false;
    let mut conditions = Vec::new();
    while parser.kind() != TokenKind::End {
        if parser.eat(TokenKind::Semicolon) {
            continue;
        }
        let found = match parser.is_short() {
            true => parser.short(),
            false => parser.expr().map(|ex| (ex, Wanted::Truth)),
        };
        match found {
            Ok(condition) => conditions.push(condition),
            Err(_) => parser.skip_line(),
        }
    }
    (parser.ast, conditions)
}

impl Parser<'_> {
    /// Whether a name and a colon follow.
    fn is_short(&self) -> bool {
        let mut at = 0;
        loop {
            match (self.kind_after(at), self.kind_after(at + 1), self.kind_after(at + 2)) {
                (TokenKind::Word, TokenKind::Colon, _) => return true,
                (TokenKind::Word, TokenKind::Dot, _) => at += 2,
                (TokenKind::Word, TokenKind::LeftBracket, TokenKind::Int) => at += 1,
                (TokenKind::LeftBracket, TokenKind::Int, TokenKind::RightBracket) => {
                    match self.kind_after(at + 3) {
                        TokenKind::Colon => return true,
                        TokenKind::Dot => at += 4,
                        TokenKind::LeftBracket => at += 3,
                        _ => return false,
                    }
                }
                _ => return false,
            }
        }
    }

    /// `x: [-1, +2]`, `x: locked`, `x: free`.
    fn short(&mut self) -> Parsed<Condition> {
        let start = self.span();
        while self.kind() != TokenKind::Colon {
            self.advance();
        }
        let span = start.to(self.span_before());
        self.advance();
        let name: String = self.slice(span).split_whitespace().collect();
        let new = self.ast.names.symbol(&name);
        let original = self.ast.names.symbol(&format!("{ORIGINAL}{name}"));
        let new = self.push(ExKind::Name(new), span);
        if self.eat_word("free") {
            return Ok((new, Wanted::Name));
        }
        let original = self.push(ExKind::Name(original), span);
        if self.eat_word("locked") {
            let same = self.push(ExKind::Binary(Binary::Eq, new, original), span);
            return Ok((same, Wanted::Truth));
        }
        self.expect(TokenKind::LeftBracket, "`[`, `free` or `locked`")?;
        self.eat(TokenKind::Plus);
        let low = self.expr()?;
        self.expect(TokenKind::Comma, "`,`")?;
        self.eat(TokenKind::Plus);
        let high = self.expr()?;
        let end = self.expect(TokenKind::RightBracket, "`]`")?;
        self.check_order(low, high);
        let span = span.to(end);
        let bound = |parser: &mut Self, op, distance| {
            let limit = parser.push(ExKind::Binary(Binary::Add, original, distance), span);
            parser.push(ExKind::Binary(op, new, limit), span)
        };
        let low = bound(self, Binary::Ge, low);
        let high = bound(self, Binary::Le, high);
        let both = self.push(ExKind::Binary(Binary::And, low, high), span);
        Ok((both, Wanted::Interval(new)))
    }

    /// Reports an interval without a number in it, which no test could ever keep. Only numbers are compared, not expressions.
    fn check_order(&mut self, low: Ex, high: Ex) {
        let span = self.ast.span(low).to(self.ast.span(high));
        let [low, high] = [low, high].map(|it| {
            let text: String = self.slice(self.ast.span(it)).split_whitespace().collect();
            text
        });
        let numbers = values::number(&low).zip(values::number(&high));
        if numbers.is_some_and(|(low, high)| low > high) {
            let message =
                format!("nothing is between {low} and {high}: the least number comes first");
            let error = Diagnostic::error("lustre::empty_range", span, message);
            self.diagnostics.push(error.help(format!("write `[{high}, {low}]`")));
        }
    }

    /// Goes to the first token of another line.
    fn skip_line(&mut self) {
        loop {
            let before = self.advance();
            let here = self.span();
            let between = Span::new(before.end as usize, here.start.max(before.end) as usize);
            if self.kind() == TokenKind::End || self.slice(between).contains('\n') {
                return;
            }
        }
    }
}

/// Conditions whose names are known.
struct Resolved {
    ast: Ast,
    seen: Vec<(super::ast::Symbol, Seen)>,
}

/// Finds the variables that are spoken of. `a.b` and `a[2]` are single variables here.
fn resolve(mut ast: Ast, text: &str, program: &Program, with_prefixes: bool) -> Resolved {
    let vars: FxHashMap<&str, VarId> =
        program.vars.enumerate().map(|(id, var)| (var.name.as_str(), id)).collect();
    let find = |name: &str| {
        let var = |name: &str| vars.get(name).copied();
        var(name).map(Seen::New).or_else(|| {
            let original = name.strip_prefix(ORIGINAL).and_then(var).map(Seen::Original);
            let system = || name.strip_prefix(SYSTEM).and_then(var).map(Seen::System);
            original.or_else(system).filter(|_| with_prefixes)
        })
    };
    let mut paths: Vec<Option<String>> = Vec::with_capacity(ast.len());
    let mut known: FxHashMap<super::ast::Symbol, Seen> = FxHashMap::default();
    let mut seen = Vec::new();
    for ex in ast.all() {
        let of = |ex: &Ex| paths[ex.index()].as_deref();
        let path = match ast.kind(ex) {
            ExKind::Name(name) => Some(ast.text(*name).to_owned()),
            ExKind::Field(whole, field) => {
                of(whole).map(|whole| format!("{whole}.{}", ast.text(field.name)))
            }
            ExKind::Index(whole, index) => {
                of(whole).zip(of(index)).map(|(whole, index)| format!("{whole}[{index}]"))
            }
            ExKind::Int => Some(text[ast.span(ex).range()].to_owned()),
            _ => None,
        };
        if let Some(path) = &path
            && let Some(found) = find(path)
        {
            let symbol = ast.names.symbol(path);
            ast.replace(ex, ExKind::Name(symbol));
            if known.insert(symbol, found).is_none() {
                seen.push((symbol, found));
            }
        }
        paths.push(path);
    }
    for value in program.enums.iter().flat_map(|it| &it.values) {
        ast.names.symbol(value);
    }
    Resolved { ast, seen }
}

fn conditions_of<'a>(
    resolved: &'a Resolved,
    text: &'a str,
    program: &'a Program,
    conditions: &[Condition],
    diagnostics: &mut Diagnostics,
) -> Option<Tolerances> {
    let ast = &resolved.ast;
    let mut checker = Checker::new(ast, text, diagnostics);
    checker.tolerant = true;
    checker.suggestions = program.vars.iter().map(|var| var.name.as_str()).collect();
    checker.out.types.enums = program.enums.clone();
    for (id, it) in program.enums.enumerate() {
        for (position, value) in it.values.iter().enumerate() {
            if let Some(symbol) = ast.names.find(value) {
                checker.add_enum_value(symbol, id, position as u32);
            }
        }
    }
    for (index, (name, seen)) in resolved.seen.iter().enumerate() {
        let (Seen::New(var) | Seen::Original(var) | Seen::System(var)) = seen;
        let ty = match program.vars[*var].ty {
            Type::Bool => Ty::BOOL,
            Type::Int => Ty::INT,
            Type::Real => Ty::REAL,
            Type::Enum(id) => checker.out.types.add(Kind::Enum(id)),
        };
        let span = Span::default();
        checker.scope.by_name.insert(*name, index as u32);
        let variable = Variable { name: *name, span, ty, role: Role::Input, when: None };
        checker.scope.variables.push(variable);
    }
    for (ex, wanted) in conditions {
        match wanted {
            Wanted::Truth => checker.expect(*ex, Ty::BOOL),
            Wanted::Name | Wanted::Value => checker.expr(*ex),
            Wanted::Interval(name) => match checker.expr(*name) {
                Ty::WRONG => Ty::WRONG,
                Ty::INT | Ty::REAL => checker.expect(*ex, Ty::BOOL),
                other => {
                    let message = format!(
                        "an interval is for numbers, and this is `{}`",
                        checker.type_text(other)
                    );
                    let span = ast.span(*name);
                    let error = Diagnostic::error("lustre::type", span, message);
                    checker.diagnostics.push(error.help("write `free` or `locked`"));
                    Ty::WRONG
                }
            },
        };
    }
    let checked = checker.out;
    if diagnostics.has_errors() {
        return None;
    }
    let mut flattener = Flattener::new(&checked, diagnostics);
    let seen: IdVec<VarId, Seen> = resolved.seen.iter().map(|(_, seen)| *seen).collect();
    let rows = seen.ids().map(|id| vec![flattener.builder.add(Expr::Var(id))]).collect();
    let mut frame = Frame::outside(rows);
    let conditions = conditions.iter().filter(|(_, wanted)| *wanted != Wanted::Name);
    let roots: Vec<ExprId> = conditions.map(|(ex, _)| flattener.outside(&mut frame, *ex)).collect();
    let (exprs, conditions) = needed(&flattener.builder.exprs, &roots);
    Some(Tolerances { seen, exprs, conditions })
}

/// The expressions that some need, and what those are among them.
fn needed(exprs: &IdVec<ExprId, Expr>, roots: &[ExprId]) -> (IdVec<ExprId, Expr>, Vec<ExprId>) {
    let mut needed = vec![false; exprs.len()];
    roots.iter().for_each(|root| needed[root.index()] = true);
    for index in (0..exprs.len()).rev() {
        if !needed[index] {
            continue;
        }
        let mut mark = |id: ExprId| needed[id.index()] = true;
        match exprs[ExprId::from_index(index)] {
            Expr::Unary(_, a) => mark(a),
            Expr::Binary(_, a, b) => [a, b].into_iter().for_each(mark),
            Expr::If(a, b, c) => [a, b, c].into_iter().for_each(mark),
            Expr::Constant(_) | Expr::Var(_) | Expr::Memory(_) | Expr::First => {}
        }
    }
    let mut ids = vec![ExprId::from_index(0); exprs.len()];
    let mut kept = IdVec::new();
    for (id, expr) in exprs.enumerate().filter(|(id, _)| needed[id.index()]) {
        let new = |id: ExprId| ids[id.index()];
        ids[id.index()] = kept.push(match *expr {
            Expr::Unary(op, a) => Expr::Unary(op, new(a)),
            Expr::Binary(op, a, b) => Expr::Binary(op, new(a), new(b)),
            Expr::If(a, b, c) => Expr::If(new(a), new(b), new(c)),
            other => other,
        });
    }
    (kept, roots.iter().map(|root| ids[root.index()]).collect())
}
