//! Calls of nodes.

use super::{
    super::{
        ast::{Activation, Ex, Ident, NodeKind},
        types::{Kind, Ty},
    },
    Checker, Variable,
};
use crate::{
    Span,
    diagnostic::{Diagnostic, closest},
};

impl Checker<'_, '_> {
    /// The node of a name; reports it if there is none.
    fn callee(&mut self, name: Ident) -> Option<usize> {
        let ast = self.out.ast;
        let text = self.name(name.name);
        match self.out.node_by_name.get(&name.name) {
            Some(index) if ast.nodes[*index].kind != NodeKind::Contract => Some(*index),
            Some(index) => {
                self.diagnostics.push(
                    Diagnostic::error(
                        "lustre::call",
                        name.span,
                        format!("`{text}` is a contract, which can not be called"),
                    )
                    .also(ast.nodes[*index].name.span, "declared here"),
                );
                None
            }
            None => {
                let names = ast.nodes.iter().map(|node| ast.text(node.name.name));
                let help = closest(text, names).map(|name| format!("did you mean `{name}`?"));
                self.diagnostics.push(
                    Diagnostic::error(
                        "lustre::unknown_node",
                        name.span,
                        format!("there is no node or function `{text}`"),
                    )
                    .maybe_help(help),
                );
                None
            }
        }
    }

    pub(super) fn call(&mut self, name: Ident, args: &[Ex], span: Span) -> Ty {
        let callee = self.callee(name);
        if callee.is_some() && !self.with_variables {
            let message = "a call is not a constant".to_owned();
            self.error("lustre::not_constant", span, message);
            return Ty::WRONG;
        }
        let inputs: Option<Vec<Variable>> =
            callee.map(|callee| self.out.nodes[callee].inputs().to_vec());
        self.arguments(name, args, inputs.as_deref(), span);
        let Some(callee) = callee else { return Ty::WRONG };
        self.scope.calls.push((callee, name.span));
        self.results(callee)
    }

    /// The type of what a node gives.
    fn results(&mut self, callee: usize) -> Ty {
        let outputs: Vec<Ty> =
            self.out.nodes[callee].outputs().iter().map(|output| output.ty).collect();
        let outputs: Vec<Ty> = outputs.into_iter().map(|ty| self.out.types.plain(ty)).collect();
        match outputs.as_slice() {
            [one] => *one,
            _ if outputs.contains(&Ty::WRONG) => Ty::WRONG,
            _ => self.out.types.add(Kind::Tuple(outputs)),
        }
    }

    /// Checks what is given for inputs. A call that gives several values stands for all of them.
    pub(super) fn arguments(
        &mut self,
        name: Ident,
        args: &[Ex],
        inputs: Option<&[Variable]>,
        span: Span,
    ) {
        let mut given: Vec<(Ex, Ty)> = Vec::with_capacity(args.len());
        let mut wrong = false;
        for arg in args {
            let ty = self.expr(*arg);
            wrong |= ty == Ty::WRONG;
            match self.out.types.kind(ty) {
                Kind::Tuple(parts) => given.extend(parts.iter().map(|part| (*arg, *part))),
                _ => given.push((*arg, ty)),
            }
        }
        let Some(inputs) = inputs else { return };
        if given.len() != inputs.len() {
            if !wrong {
                let count = |n: usize| match n {
                    1 => "1 value".to_owned(),
                    n => format!("{n} values"),
                };
                let message = format!(
                    "`{}` takes {}, and {} given",
                    self.name(name.name),
                    count(inputs.len()),
                    match given.len() {
                        1 => "1 is".to_owned(),
                        n => format!("{n} are"),
                    }
                );
                let declared: Vec<_> =
                    inputs.iter().map(|input| self.name(input.name).to_owned()).collect();
                let help =
                    (!declared.is_empty()).then(|| format!("it takes {}", declared.join(", ")));
                let error = Diagnostic::error("lustre::call", span, message).maybe_help(help);
                self.diagnostics.push(error);
            }
            return;
        }
        for ((arg, ty), input) in given.iter().zip(inputs) {
            if !self.fits(*ty, input.ty) {
                self.mismatch(*arg, *ty, input.ty);
            }
        }
    }

    pub(super) fn activation(&mut self, it: &Activation, span: Span) -> Ty {
        for condition in it.every.iter().chain(&it.restart) {
            self.expect(*condition, Ty::BOOL);
        }
        let ty = self.call(it.node, &it.args, span);
        let callee = self.out.node_by_name.get(&it.node.name).copied();
        if let (Some(initial), Some(callee)) = (&it.initial, callee) {
            let outputs = self.out.nodes[callee].outputs().to_vec();
            let mut found = Vec::new();
            for ex in initial {
                let ty = self.expr(*ex);
                match self.out.types.kind(ty) {
                    Kind::Tuple(parts) => found.extend(parts.iter().map(|part| (*ex, *part))),
                    _ => found.push((*ex, ty)),
                }
            }
            if found.len() != outputs.len() {
                let message = format!(
                    "`{}` gives {} values, and there are {} to begin with",
                    self.name(it.node.name),
                    outputs.len(),
                    found.len()
                );
                self.error("lustre::call", span, message);
            }
            for ((ex, ty), output) in found.iter().zip(&outputs) {
                if !self.fits(*ty, output.ty) {
                    self.mismatch(*ex, *ty, output.ty);
                }
            }
        }
        ty
    }
}
