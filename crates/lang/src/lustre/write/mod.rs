//! Flat programs as text.
//!
//! What is written is one node that reads back to a program that does the same: names become legal
//! and stay different (`call~1.x` is `call_1_x`), memory that is more than `pre` of a variable
//! becomes a local variable, and so do large expressions that are used more than once.

mod expressions;
mod names;

use punctual_model::{
    EnumId, ExprId, Id, MemoryId,
    lustre::{Expr, Program, Role, Type, Value},
};

use crate::stack::with_stack;
use names::Names;

/// Expressions larger than this are not repeated.
const REPEATED_MAX: u32 = 24;
/// Deeper expressions than this are split.
const DEPTH_MAX: u32 = 500;

/// Writes a program as one node, with its enumerations before it.
pub fn write(program: &Program) -> String {
    with_stack(|| Writer::new(program).text())
}

/// How a memory is written.
enum MemoryText {
    /// `pre x`.
    Pre(String),
    /// A local variable.
    Local(String),
}

struct Writer<'p> {
    program: &'p Program,
    enums: Vec<String>,
    enum_values: Vec<Vec<String>>,
    vars: Vec<String>,
    memory: Vec<MemoryText>,
    /// The type of each expression; none for a value of an enumeration that could be any.
    types: Vec<Option<Type>>,
    /// The local variables that expressions have become.
    shared: Vec<Option<String>>,
    /// Those of imported nodes, with their variables.
    free: Vec<(String, usize)>,
    node: String,
}

impl<'p> Writer<'p> {
    fn new(program: &'p Program) -> Self {
        let mut names = Names::new();
        let enums = program.enums.iter().map(|it| names.legal(&it.name)).collect();
        let enum_values = (program.enums.iter())
            .map(|it| it.values.iter().map(|value| names.legal(value)).collect())
            .collect();
        let node = names.legal(&program.name);
        let vars: Vec<String> = program.vars.iter().map(|var| names.legal(&var.name)).collect();
        let free = program.vars.enumerate().filter(|(_, var)| var.role == Role::Free);
        let free =
            free.map(|(id, var)| (names.legal(&format!("imported_{}", var.name)), id.index()));
        let free = free.collect();
        let memory = (program.memory.iter())
            .map(|it| match (program.exprs[it.next], it.initial) {
                (Expr::Var(var), None) => MemoryText::Pre(vars[var.index()].clone()),
                (Expr::Var(var), Some(_)) => {
                    MemoryText::Local(names.legal(&format!("pre_{}", program.vars[var].name)))
                }
                _ => MemoryText::Local(names.legal("memory")),
            })
            .collect();
        let mut writer = Self {
            program,
            enums,
            enum_values,
            vars,
            memory,
            types: Vec::with_capacity(program.exprs.len()),
            shared: vec![None; program.exprs.len()],
            free,
            node,
        };
        writer.infer();
        writer.share(&mut names);
        writer
    }

    fn infer(&mut self) {
        for expr in self.program.exprs.iter() {
            let of = |id: ExprId| self.types[id.index()];
            let ty = match *expr {
                Expr::Constant(Value::Enum(_)) => None,
                Expr::Constant(Value::Bool(_)) | Expr::First => Some(Type::Bool),
                Expr::Constant(Value::Int(_)) => Some(Type::Int),
                Expr::Constant(Value::Real(_)) => Some(Type::Real),
                Expr::Var(var) => Some(self.program.vars[var].ty),
                Expr::Memory(memory) => Some(self.program.memory[memory].ty),
                Expr::Unary(op, a) => expressions::unary_type(op, of(a)),
                Expr::Binary(op, a, b) => expressions::binary_type(op, of(a).or(of(b))),
                Expr::If(_, a, b) => of(a).or(of(b)),
            };
            self.types.push(ty);
        }
    }

    /// Decides which expressions become variables.
    fn share(&mut self, names: &mut Names) {
        let program = self.program;
        let mut uses = vec![0_u32; program.exprs.len()];
        let mut used = |id: ExprId| uses[id.index()] += 1;
        for expr in program.exprs.iter() {
            match *expr {
                Expr::Unary(_, a) => used(a),
                Expr::Binary(_, a, b) => [a, b].into_iter().for_each(&mut used),
                Expr::If(a, b, c) => [a, b, c].into_iter().for_each(&mut used),
                _ => {}
            }
        }
        program.equations.iter().for_each(|it| used(it.expr));
        program.assertions.iter().for_each(|it| used(*it));
        program.properties.iter().for_each(|it| used(it.1));
        program.memory.iter().for_each(|it| used(it.next));
        // How much there is to write for each, and how deep it is.
        let mut sizes: Vec<(u32, u32)> = Vec::with_capacity(program.exprs.len());
        for (id, expr) in program.exprs.enumerate() {
            let of = |id: ExprId| sizes[id.index()];
            let (size, depth) = match *expr {
                Expr::Unary(_, a) => of(a),
                Expr::Binary(_, a, b) => join(of(a), of(b)),
                Expr::If(a, b, c) => join(of(a), join(of(b), of(c))),
                _ => (0, 0),
            };
            let (size, depth) = (size.saturating_add(1), depth + 1);
            let repeated = uses[id.index()] > 1 && size > REPEATED_MAX;
            if (repeated || depth > DEPTH_MAX) && self.types[id.index()].is_some() {
                self.shared[id.index()] = Some(names.legal("shared"));
                sizes.push((1, 1));
            } else {
                sizes.push((size, depth));
            }
        }
    }

    fn type_text(&self, ty: Type) -> &str {
        match ty {
            Type::Bool => "bool",
            Type::Int => "int",
            Type::Real => "real",
            Type::Enum(id) => &self.enums[id.index()],
        }
    }

    fn declaration(&self, index: usize) -> String {
        let var = &self.program.vars[punctual_model::VarId::from_index(index)];
        let ty = match var.range {
            Some((low, high)) => format!("subrange [{low}, {high}] of int"),
            None => self.type_text(var.ty).to_owned(),
        };
        format!("{}: {ty}", self.vars[index])
    }

    fn declarations(&self, role: Role) -> String {
        let of = self.program.vars.enumerate().filter(|(_, var)| var.role == role);
        let list: Vec<String> = of.map(|(id, _)| self.declaration(id.index())).collect();
        list.join("; ")
    }

    fn text(&self) -> String {
        let program = self.program;
        let mut text = String::new();
        for (name, values) in self.enums.iter().zip(&self.enum_values) {
            text += &format!("type {name} = enum {{ {} }};\n", values.join(", "));
        }
        for (name, var) in &self.free {
            let declaration = self.declaration(*var);
            text += &format!("node imported {name}() returns ({declaration});\n");
        }
        let (inputs, outputs) = (self.declarations(Role::Input), self.declarations(Role::Output));
        text += &format!("node {}({inputs}) returns ({outputs});\n", self.node);
        let mut locals: Vec<String> = (program.vars.enumerate())
            .filter(|(_, var)| matches!(var.role, Role::Local | Role::Free))
            .map(|(id, _)| self.declaration(id.index()))
            .collect();
        for (id, memory) in self.locals_of_memory() {
            locals.push(format!("{memory}: {}", self.type_text(program.memory[id].ty)));
        }
        for (id, name) in self.shared_exprs() {
            if let Some(ty) = self.types[id.index()] {
                locals.push(format!("{name}: {}", self.type_text(ty)));
            }
        }
        if !locals.is_empty() {
            text += "var\n";
            locals.iter().for_each(|local| text += &format!("  {local};\n"));
        }
        text += "let\n";
        for (name, var) in &self.free {
            text += &format!("  {} = {name}();\n", self.vars[*var]);
        }
        for equation in &program.equations {
            let hint = hint(Some(program.vars[equation.var].ty));
            let value = self.expr(equation.expr, hint);
            text += &format!("  {} = {value};\n", self.vars[equation.var.index()]);
        }
        for (id, name) in self.locals_of_memory() {
            let memory = &program.memory[id];
            let hint = hint(Some(memory.ty));
            let initial = match memory.initial {
                Some(value) => format!("{} -> ", self.constant(value, hint)),
                None => String::new(),
            };
            text += &format!("  {name} = {initial}pre ({});\n", self.expr(memory.next, hint));
        }
        for (id, name) in self.shared_exprs() {
            let value = self.definition(id, hint(self.types[id.index()]));
            text += &format!("  {name} = {value};\n");
        }
        for assertion in &program.assertions {
            text += &format!("  assert {};\n", self.expr(*assertion, None));
        }
        for (name, property) in &program.properties {
            let name: String =
                name.chars().map(|c| if c == '"' || c.is_control() { '\'' } else { c }).collect();
            text += &format!("  --%PROPERTY \"{name}\" {};\n", self.expr(*property, None));
        }
        text + "tel;\n"
    }

    fn locals_of_memory(&self) -> impl Iterator<Item = (MemoryId, &str)> {
        self.program.memory.ids().filter_map(|id| match &self.memory[id.index()] {
            MemoryText::Local(name) => Some((id, name.as_str())),
            MemoryText::Pre(_) => None,
        })
    }

    fn shared_exprs(&self) -> impl Iterator<Item = (ExprId, &str)> {
        self.program.exprs.ids().filter_map(|id| Some((id, self.shared[id.index()].as_deref()?)))
    }
}

fn join(a: (u32, u32), b: (u32, u32)) -> (u32, u32) {
    (a.0.saturating_add(b.0), a.1.max(b.1))
}

/// The enumeration that values of a type belong to.
fn hint(ty: Option<Type>) -> Option<EnumId> {
    match ty {
        Some(Type::Enum(id)) => Some(id),
        _ => None,
    }
}
