//! Functions of the model, as declarations.
//!
//! The names of locals are not in a network, so they get new ones, and all of them are declared
//! at the start of the function. Where a local starts anew, an assignment says so, unless that
//! is at the very start.

use punctual_model::{
    Expr, Function, FunctionBody, FunctionId, Number, Place, Range, ReturnType, Statement, Storage,
};

use super::{
    Printer, expr, int_type,
    places::{Region, local_name},
};

impl Printer<'_> {
    /// The whole function.
    pub fn function(&self, id: FunctionId) -> String {
        let Some(function) = self.network.functions.get(id) else { return String::new() };
        let mut printer = self.clone();
        printer.regions = Vec::new();
        let params: Vec<String> = function
            .params
            .iter()
            .map(|param| {
                printer.regions.push(region(&param.place, param.name.clone()));
                declare(&param.place, &param.name)
            })
            .collect();
        let returns = match &function.returns {
            ReturnType::Void => "void".to_owned(),
            ReturnType::Int(range) => int_type(*range),
            ReturnType::Double => "double".to_owned(),
            ReturnType::Block(number, len) => format!("{}[{len}]", element(*number, Range::ALL)),
        };
        let head = format!("{returns} {}({})", self.function_name(id), params.join(", "));
        match &function.body {
            FunctionBody::External { library, symbol } => {
                format!("import \"{library}\" {{ {head}; }}  // {symbol}\n")
            }
            FunctionBody::Statements(body) => {
                let mut text = format!("{head} {{\n");
                for place in locals(function) {
                    let name = local_name(&self.tables.prefix, place.number, place.base);
                    text += &format!("    {};\n", declare(&place, &name));
                    printer.regions.push(region(&place, name));
                }
                let fresh = body
                    .iter()
                    .take_while(|s| matches!(s, Statement::Clear { value: 0, .. }))
                    .count();
                printer.block(&body[fresh..], 1, &mut text);
                text + "}\n"
            }
        }
    }

    fn block(&self, body: &[Statement], depth: usize, text: &mut String) {
        body.iter().for_each(|statement| self.statement(statement, depth, text));
    }

    fn statement(&self, statement: &Statement, depth: usize, text: &mut String) {
        let indent = "    ".repeat(depth);
        match statement {
            Statement::Expr(expr) => {
                // A sequence is two statements.
                let mut rest = expr;
                while let Expr::Sequence(parts) = rest {
                    *text += &format!("{indent}{};\n", self.expr_at(&parts[0], expr::ASSIGN));
                    rest = &parts[1];
                }
                *text += &format!("{indent}{};\n", self.expr_at(rest, expr::ASSIGN));
            }
            Statement::Clear { place, value } => {
                let name = self.place(place);
                let value = match place.number {
                    Number::Int => value.to_string(),
                    Number::Double => "0.0".to_owned(),
                };
                if place.size == 1 {
                    *text += &format!("{indent}{name} = {value};\n");
                } else {
                    let last = place.size - 1;
                    let i = format!("{}i", self.tables.prefix);
                    *text += &format!("{indent}for ({i} : int[0,{last}]) {name}[{i}] = {value};\n");
                }
            }
            Statement::If(condition, yes, no) => {
                *text += &format!("{indent}if ({}) {{\n", self.expr(condition));
                self.block(yes, depth + 1, text);
                if !no.is_empty() {
                    *text += &format!("{indent}}} else {{\n");
                    self.block(no, depth + 1, text);
                }
                *text += &format!("{indent}}}\n");
            }
            Statement::While(condition, body) => {
                *text += &format!("{indent}while ({}) {{\n", self.expr(condition));
                self.block(body, depth + 1, text);
                *text += &format!("{indent}}}\n");
            }
            Statement::DoWhile(body, condition) => {
                *text += &format!("{indent}do {{\n");
                self.block(body, depth + 1, text);
                *text += &format!("{indent}}} while ({});\n", self.expr(condition));
            }
            Statement::For { slot, range, body } => {
                let name = local_name(&self.tables.prefix, Number::Int, *slot);
                let mut inside = self.clone();
                inside.regions.push(Region {
                    number: Number::Int,
                    first: *slot,
                    len: 1,
                    name: name.clone(),
                });
                *text += &format!("{indent}for ({name} : int[{},{}]) {{\n", range.lo, range.hi);
                inside.block(body, depth + 1, text);
                *text += &format!("{indent}}}\n");
            }
            Statement::Return(None) => *text += &format!("{indent}return;\n"),
            Statement::Return(Some(value)) => {
                *text += &format!("{indent}return {};\n", self.expr(value));
            }
            Statement::Assert(condition) => {
                *text += &format!("{indent}assert({});\n", self.expr(condition));
            }
        }
    }
}

fn region(place: &Place, name: String) -> Region {
    Region { number: place.number, first: place.base, len: place.size, name }
}

fn element(number: Number, range: Range) -> String {
    match number {
        Number::Int => int_type(range),
        Number::Double => "double".to_owned(),
    }
}

fn declare(place: &Place, name: &str) -> String {
    let ty = element(place.number, place.range);
    match place.size {
        1 => format!("{ty} {name}"),
        len => format!("{ty} {name}[{len}]"),
    }
}

/// The local memory that is no parameter, and that no loop or quantifier names: what is cleared,
/// and single slots that are used without that.
pub(crate) fn locals(function: &Function) -> Vec<Place> {
    let FunctionBody::Statements(body) = &function.body else { return Vec::new() };
    let mut places: Vec<Place> = function.params.iter().map(|p| p.place.clone()).collect();
    let params = places.len();
    let mut loops = Vec::new();
    collect(body, &mut places, &mut loops);
    places.drain(..params);
    places.sort_by_key(|p| (p.number == Number::Double, p.base));
    // Clearing does not tell what a local may hold; using it does.
    let mut scalars = Vec::new();
    scalar_uses(body, &mut scalars);
    for place in &mut places {
        let mut found = scalars.iter().filter(|used| lies_in(used, place)).map(|used| used.range);
        if let Some(first) = found.next() {
            place.range = found.fold(first, |hull, range| Range {
                lo: hull.lo.min(range.lo),
                hi: hull.hi.max(range.hi),
            });
        }
    }
    places
}

/// Whether some local, as it would be declared, is checked for another range in the function: a
/// structure whose fields differ.
pub(crate) fn has_mixed_local(function: &Function) -> bool {
    let FunctionBody::Statements(body) = &function.body else { return false };
    let mut scalars = Vec::new();
    scalar_uses(body, &mut scalars);
    locals(function)
        .iter()
        .any(|place| scalars.iter().any(|used| lies_in(used, place) && used.range != place.range))
}

fn lies_in(used: &Place, local: &Place) -> bool {
    used.number == local.number && local.base <= used.base && used.base - local.base < local.size
}

/// The places of single local integers that something reads or assigns.
fn scalar_uses<'f>(body: &'f [Statement], found: &mut Vec<&'f Place>) {
    let mut note = |expr: &'f Expr| {
        expr.walk(&mut |part| {
            let place: &'f Place = match part {
                Expr::Load(place) => place,
                Expr::Assign { target, .. } => target,
                _ => return,
            };
            if (place.storage, place.number, place.size) == (Storage::Local, Number::Int, 1) {
                found.push(place);
            }
        });
    };
    let mut inner: Vec<&'f [Statement]> = Vec::new();
    for statement in body {
        match statement {
            Statement::Expr(expr) | Statement::Assert(expr) | Statement::Return(Some(expr)) => {
                note(expr);
            }
            Statement::If(condition, yes, no) => {
                note(condition);
                inner.extend([yes.as_slice(), no.as_slice()]);
            }
            Statement::While(condition, body) | Statement::DoWhile(body, condition) => {
                note(condition);
                inner.push(body);
            }
            Statement::For { body, .. } => inner.push(body),
            Statement::Clear { .. } | Statement::Return(None) => {}
        }
    }
    for body in inner {
        scalar_uses(body, found);
    }
}

fn collect(body: &[Statement], places: &mut Vec<Place>, loops: &mut Vec<u32>) {
    for statement in body {
        match statement {
            Statement::Clear { place, .. } => add(place, places, loops),
            Statement::Expr(expr) | Statement::Assert(expr) | Statement::Return(Some(expr)) => {
                used(expr, places, loops);
            }
            Statement::Return(None) => {}
            Statement::If(condition, yes, no) => {
                used(condition, places, loops);
                collect(yes, places, loops);
                collect(no, places, loops);
            }
            Statement::While(condition, body) | Statement::DoWhile(body, condition) => {
                used(condition, places, loops);
                collect(body, places, loops);
            }
            Statement::For { slot, body, .. } => {
                loops.push(*slot);
                collect(body, places, loops);
                loops.pop();
            }
        }
    }
}

fn used(expr: &Expr, places: &mut Vec<Place>, loops: &mut Vec<u32>) {
    let before = loops.len();
    let mut found = Vec::new();
    expr.walk(&mut |part| match part {
        Expr::Quantifier { slot, .. } => loops.push(*slot),
        Expr::Load(place) => found.push(place),
        Expr::Assign { target, .. } => found.push(target),
        _ => {}
    });
    for place in found.into_iter().filter(|p| p.storage == Storage::Local) {
        add(place, places, loops);
    }
    loops.truncate(before);
}

fn add(place: &Place, places: &mut Vec<Place>, loops: &[u32]) {
    let looped = place.number == Number::Int && loops.contains(&place.base);
    let known = places.iter().any(|other| {
        other.number == place.number
            && other.base <= place.base
            && place.base - other.base < other.size
    });
    if !looped && !known {
        places.push(Place { indices: Vec::new(), ..place.clone() });
    }
}
