//! Nodes: what they declare, what they define, whom they call.

use rustc_hash::FxHashMap;

use super::{
    super::{
        ast::{Constant, Declared, Node, NodeKind},
        types::{Kind, Ty},
    },
    Checker, ConstantInfo, NodeInfo, Role, State, Variable,
};
use crate::{
    Span,
    diagnostic::{Diagnostic, closest},
};

impl Checker<'_, '_> {
    pub(super) fn nodes(&mut self) {
        let ast = self.out.ast;
        // Heads first: nodes may be called before they are declared.
        for (index, node) in ast.nodes.iter().enumerate() {
            let info = self.head(index, node);
            self.out.nodes.push(info);
        }
        for (index, node) in ast.nodes.iter().enumerate() {
            self.scope = std::mem::take(&mut self.out.nodes[index]);
            self.scope_node = Some(index);
            // The node itself can be called by mistake.
            self.out.nodes[index] = NodeInfo { calls: Vec::new(), ..self.scope.clone() };
            let context = format!("node {}", self.name(node.name.name));
            self.diagnostics.enter(context);
            self.body(node);
            self.diagnostics.leave();
            self.out.nodes[index] = std::mem::take(&mut self.scope);
        }
        self.scope_node = None;
        self.recursion();
    }

    fn head(&mut self, index: usize, node: &Node) -> NodeInfo {
        self.scope = NodeInfo::default();
        self.scope_node = Some(index);
        self.local_constants(index, &node.constants);
        for (role, list) in [
            (Role::Input, &node.inputs),
            (Role::Output, &node.outputs),
            (Role::Local, &node.locals),
        ] {
            for declared in list {
                self.variable(declared, role);
            }
        }
        self.scope.n_inputs = node.inputs.len();
        self.scope.n_outputs = node.outputs.len();
        self.scope_node = None;
        std::mem::take(&mut self.scope)
    }

    fn local_constants(&mut self, node: usize, constants: &[Constant]) {
        let mut added = Vec::new();
        for constant in constants {
            let index = self.out.constants.len() as u32;
            self.out.constants.push(ConstantInfo {
                name: constant.name,
                ty: constant.ty,
                value: constant.value,
                node: Some(node),
                state: State::Waiting,
            });
            match self.scope.constants.insert(constant.name.name, index) {
                Some(before) => {
                    let span = self.out.constants[before as usize].name.span;
                    self.twice(constant.name, span);
                }
                None => added.push(index),
            }
        }
        for index in added {
            self.constant(index);
        }
    }

    fn variable(&mut self, declared: &Declared, role: Role) {
        let ast = self.out.ast;
        let ty = self.ty(&ast.types[declared.ty]);
        let index = self.scope.variables.len() as u32;
        if let Some(before) = self.scope.by_name.insert(declared.name.name, index) {
            let span = self.scope.variables[before as usize].span;
            self.twice(declared.name, span);
        } else if let Some(constant) = self.scope.constants.get(&declared.name.name) {
            let span = self.out.constants[*constant as usize].name.span;
            self.twice(declared.name, span);
        }
        let (name, span) = (declared.name.name, declared.name.span);
        self.scope.variables.push(Variable { name, span, ty, role, when: None });
    }

    fn body(&mut self, node: &Node) {
        let declared = node.inputs.iter().chain(&node.outputs).chain(&node.locals);
        for (index, declared) in declared.enumerate() {
            if let Some(sampling) = declared.when {
                self.scope.variables[index].when = self.sampled(sampling.on, sampling.value);
            }
        }
        self.clock_cycles();
        let mut defined: FxHashMap<u32, Span> = FxHashMap::default();
        for equation in &node.equations {
            let mut left = Vec::with_capacity(equation.left.len());
            let mut expected = Vec::with_capacity(equation.left.len());
            for name in &equation.left {
                let Some(index) = self.scope.by_name.get(&name.name).copied() else {
                    self.undeclared(*name);
                    expected.push(Ty::WRONG);
                    continue;
                };
                let variable = &self.scope.variables[index as usize];
                let (ty, role, declared) = (variable.ty, variable.role, variable.span);
                expected.push(ty);
                left.push(index);
                if role == Role::Input {
                    let message = format!("the input `{}` is defined here", self.name(name.name));
                    self.diagnostics.push(
                        Diagnostic::error("lustre::defines_input", name.span, message)
                            .also(declared, "declared as an input here")
                            .help(
                                "whoever calls the node gives its inputs; define a local variable",
                            ),
                    );
                } else if let Some(first) = defined.insert(index, name.span) {
                    let message = format!("`{}` is defined twice", self.name(name.name));
                    self.diagnostics.push(
                        Diagnostic::error("lustre::defined_twice", name.span, message)
                            .also(first, "first defined here"),
                    );
                }
            }
            self.right_side(equation.right, &expected);
            self.scope.left.push(left);
        }
        for assertion in &node.assertions {
            self.expect(*assertion, Ty::BOOL);
        }
        for property in &node.properties {
            self.expect(property.expr, Ty::BOOL);
        }
        self.contract(node);
        if !node.imported && node.kind != NodeKind::Contract {
            self.undefined(&defined);
        }
    }

    fn undeclared(&mut self, name: super::Ident) {
        let text = self.name(name.name);
        let names = self.scope.variables.iter().map(|variable| self.out.ast.text(variable.name));
        let help = match closest(text, names) {
            Some(name) => format!("did you mean `{name}`?"),
            None => "declare it as an output, or as a local variable behind `var`".to_owned(),
        };
        let message = format!("there is no variable `{text}`");
        let error = Diagnostic::error("lustre::unknown_name", name.span, message);
        self.diagnostics.push(error.help(help));
    }

    fn right_side(&mut self, right: super::Ex, expected: &[Ty]) {
        let found = self.expr(right);
        if found == Ty::WRONG {
            return;
        }
        if let [one] = expected {
            if !self.fits(found, *one) {
                self.mismatch(right, found, *one);
            }
            return;
        }
        let parts = match self.out.types.kind(found) {
            Kind::Tuple(parts) => parts.clone(),
            _ => vec![found],
        };
        if parts.len() != expected.len() {
            let message =
                format!("{} variables are defined by {} values", expected.len(), parts.len());
            self.error("lustre::tuple", self.out.ast.span(right), message);
            return;
        }
        for (found, expected) in parts.iter().zip(expected) {
            if !self.fits(*found, *expected) {
                self.mismatch(right, *found, *expected);
                return;
            }
        }
    }

    fn contract(&mut self, node: &Node) {
        let contract = &node.contract;
        let modes = contract.modes.iter();
        let claims = contract.guarantee.iter().chain(modes.clone().flat_map(|mode| &mode.ensure));
        let conditions = contract.assume.iter().chain(modes.flat_map(|mode| &mode.require));
        for expr in conditions.copied().chain(claims.map(|claim| claim.expr)) {
            self.expect(expr, Ty::BOOL);
        }
        for import in &contract.imports {
            let callee = self.out.node_by_name.get(&import.contract.name).copied();
            let is_contract = |index: &usize| self.out.ast.nodes[*index].kind == NodeKind::Contract;
            let Some(callee) = callee.filter(is_contract) else {
                let message = format!("there is no contract `{}`", self.name(import.contract.name));
                self.error("lustre::unknown_node", import.contract.span, message);
                continue;
            };
            self.scope.calls.push((callee, import.contract.span));
            let info = &self.out.nodes[callee];
            let (inputs, outputs) = (info.inputs().to_vec(), info.outputs().to_vec());
            let span = import.contract.span;
            self.arguments(import.contract, &import.inputs, Some(&inputs), span);
            self.arguments(import.contract, &import.outputs, Some(&outputs), span);
        }
    }

    fn undefined(&mut self, defined: &FxHashMap<u32, Span>) {
        for index in self.scope.n_inputs..self.scope.variables.len() {
            if defined.contains_key(&(index as u32)) {
                continue;
            }
            let variable = &self.scope.variables[index];
            let (name, span) = (self.name(variable.name), variable.span);
            // A second variable of the same name was reported.
            if self.scope.by_name.get(&variable.name) == Some(&(index as u32)) {
                self.diagnostics.push(
                    Diagnostic::error(
                        "lustre::undefined",
                        span,
                        format!("`{name}` is not defined"),
                    )
                    .help(format!("add an equation `{name} = …;`")),
                );
            }
        }
    }

    /// A variable must not be its own clock, whichever way around.
    fn clock_cycles(&mut self) {
        for start in 0..self.scope.variables.len() {
            let mut at = start;
            for _ in 0..=self.scope.variables.len() {
                match self.scope.variables[at].when {
                    Some(when) => at = when.on as usize,
                    None => break,
                }
                if at == start {
                    let variable = &mut self.scope.variables[start];
                    variable.when = None;
                    let (name, span) = (variable.name, variable.span);
                    let message = format!("`{}` is its own clock", self.name(name));
                    self.error("lustre::clock", span, message);
                    break;
                }
            }
        }
    }

    /// A node that calls itself would need memory without end.
    fn recursion(&mut self) {
        let n_nodes = self.out.nodes.len();
        let mut state = vec![0_u8; n_nodes];
        for start in 0..n_nodes {
            // Depth first, without recursion: a chain of calls may be long.
            let mut path: Vec<(usize, usize)> = vec![(start, 0)];
            if state[start] != 0 {
                continue;
            }
            state[start] = 1;
            while let Some((node, next)) = path.last_mut() {
                let node = *node;
                let Some((callee, span)) = self.out.nodes[node].calls.get(*next).copied() else {
                    state[node] = 2;
                    path.pop();
                    continue;
                };
                *next += 1;
                match state[callee] {
                    0 => {
                        state[callee] = 1;
                        path.push((callee, 0));
                    }
                    1 => {
                        let from = path.iter().position(|it| it.0 == callee).unwrap_or(0);
                        let names: Vec<_> = path[from..]
                            .iter()
                            .map(|it| it.0)
                            .chain([callee])
                            .map(|it| self.name(self.out.ast.nodes[it].name.name))
                            .collect();
                        let message = format!("calls go around: {}", names.join(" → "));
                        self.diagnostics.push(
                            Diagnostic::error("lustre::recursion", span, message)
                                .help("a node can not call itself; use `pre` to look back"),
                        );
                    }
                    _ => {}
                }
            }
        }
    }
}
