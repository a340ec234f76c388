//! Calls of nodes and functions.

use punctual_model::{
    ExprId,
    lustre::{Expr, Role},
};

use super::{CALLS_MAX, Flattener, Frame, Row, as_var, clocks::ClockId};
use crate::lustre::{
    ast::{Activation, Ex, Ident, NodeKind},
    check,
};

impl Flattener<'_, '_> {
    /// What stands before the names of a call's variables.
    fn call_path(&mut self, frame: &mut Frame, name: Ident) -> String {
        let node = self.text(name.name);
        let number = frame.n_calls.entry(name.name).or_insert(0);
        loop {
            *number += 1;
            let path = format!("{}{node}~{number}.", frame.path);
            // A program that was inlined before may have such names already.
            if !self.checked.ast.names.inlined().any(|name| name.starts_with(&path)) {
                return path;
            }
        }
    }

    /// The values that are given for the inputs of a node.
    fn given(&mut self, frame: &mut Frame, clock: ClockId, callee: usize, args: &[Ex]) -> Row {
        let inputs = self.checked.nodes[callee].inputs();
        let mut given = Row::new();
        let clocked = inputs.iter().any(|input| input.when.is_some());
        if !clocked || args.len() != inputs.len() {
            for arg in args {
                given.extend(self.row(frame, clock, *arg));
            }
            return given;
        }
        // An input may be on a clock that is another input: first those that are always there.
        let mut rows: Vec<Option<(Row, ClockId)>> = vec![None; args.len()];
        for _ in 0..args.len() {
            for (index, input) in inputs.iter().enumerate() {
                if rows[index].is_some() {
                    continue;
                }
                let own = match input.when {
                    None => clock,
                    Some(when) => match rows.get(when.on as usize) {
                        Some(Some((row, above))) => {
                            let (row, above) = (row.clone(), *above);
                            let condition = self.condition(&row, when.value);
                            self.sampled(above, condition)
                        }
                        _ => continue,
                    },
                };
                rows[index] = Some((self.row(frame, own, args[index]), own));
            }
        }
        rows.into_iter().flatten().for_each(|(row, _)| given.extend(row));
        given
    }

    pub(super) fn call(
        &mut self,
        frame: &mut Frame,
        clock: ClockId,
        (name, args): (Ident, &[Ex]),
    ) -> Row {
        let Some(callee) = self.checked.node_by_name.get(&name.name).copied() else {
            return Row::new();
        };
        let given = self.given(frame, clock, callee, args);
        self.instance(frame, clock, callee, given, name)
    }

    /// The outputs of a call whose inputs are known.
    fn instance(
        &mut self,
        frame: &mut Frame,
        clock: ClockId,
        callee: usize,
        given: Row,
        name: Ident,
    ) -> Row {
        let checked = self.checked;
        let info = &checked.nodes[callee];
        let syntax = &checked.ast.nodes[callee];
        if info.outputs().iter().any(|output| output.when.is_some()) {
            let message =
                format!("`{}` has outputs that are not always there", self.text(name.name));
            self.error("lustre::unsupported", name.span, message);
        }
        let is_function = syntax.kind == NodeKind::Function;
        if syntax.imported
            && is_function
            && let Some(row) = self.functions.get(&(callee, given.clone()))
        {
            return row.clone();
        }
        if frame.depth >= CALLS_MAX {
            let message = format!("more than {CALLS_MAX} calls are inside of each other here");
            self.error("lustre::too_deep", name.span, message);
            return self.free(frame, callee, name);
        }
        if syntax.imported {
            let row = self.free(frame, callee, name);
            if is_function {
                self.functions.insert((callee, given), row.clone());
            }
            return row;
        }
        let path = self.call_path(frame, name);
        let mut rows = self.bind(&path, info.inputs(), &given);
        let mut outputs = Row::new();
        for variable in &info.variables[info.n_inputs..] {
            let row = self.declare(&path, variable, Role::Local);
            if variable.role == check::Role::Output {
                outputs.extend(&row);
            }
            rows.push(row);
        }
        let mut callee = Frame {
            node: Some(callee),
            path,
            depth: frame.depth + 1,
            base: clock,
            ..Frame::outside(rows)
        };
        self.frame_clocks(&mut callee);
        self.queue.push_back(callee);
        outputs
    }

    /// Inputs: what is more than a name or a constant becomes a variable.
    fn bind(&mut self, path: &str, inputs: &[check::Variable], given: &[ExprId]) -> Vec<Row> {
        let mut rows = Vec::with_capacity(inputs.len());
        let mut start = 0;
        for input in inputs {
            let end = start + self.checked.types.size(input.ty);
            let given = given.get(start..end).unwrap_or_default().to_vec();
            start = end;
            let is_atom = |expr: &ExprId| {
                matches!(self.builder.exprs[*expr], Expr::Var(_) | Expr::Constant(_) | Expr::First)
            };
            if given.iter().all(is_atom) {
                rows.push(given);
                continue;
            }
            let row = self.declare(path, input, Role::Local);
            for (expr, value) in row.iter().zip(given) {
                if let Some(var) = as_var(&self.builder, *expr) {
                    self.builder.defined[var] = Some(value);
                }
            }
            rows.push(row);
        }
        rows
    }

    /// Outputs that nobody says anything about.
    fn free(&mut self, frame: &mut Frame, callee: usize, name: Ident) -> Row {
        let path = self.call_path(frame, name);
        let info = &self.checked.nodes[callee];
        let mut row = Row::new();
        for output in info.outputs() {
            row.extend(self.declare(&path, output, Role::Free));
        }
        row
    }

    pub(super) fn activate(
        &mut self,
        frame: &mut Frame,
        clock: ClockId,
        ex: Ex,
        it: &Activation,
    ) -> Row {
        let Some(callee) = self.checked.node_by_name.get(&it.node.name).copied() else {
            return Row::new();
        };
        let every = it.every.map(|every| self.scalar(frame, clock, every));
        let mut own = match every {
            Some(every) => self.sampled(clock, every),
            None => clock,
        };
        if let Some(restart) = it.restart {
            let restart = self.scalar(frame, clock, restart);
            own = self.restarted(own, restart);
        }
        // Arguments are on the clock of the caller: the call is what is skipped.
        let given = self.given(frame, clock, callee, &it.args);
        let row = self.instance(frame, own, callee, given, it.node);
        let Some(every) = every else { return row };
        let before: Option<Row> = it
            .initial
            .as_ref()
            .map(|initial| initial.iter().flat_map(|ex| self.row(frame, clock, *ex)).collect());
        let span = self.checked.ast.span(ex);
        let names = &self.checked.ast.names;
        let outputs = self.checked.nodes[callee].outputs();
        let types = outputs.iter().flat_map(|output| self.checked.types.scalars(output.ty, names));
        let types: Vec<_> = types.map(|scalar| scalar.ty).collect();
        (row.into_iter().zip(types).enumerate())
            .map(|(index, (now, ty))| {
                let name = match as_var(&self.builder, now) {
                    Some(var) => self.builder.vars[var].name.clone(),
                    None => self.snippet(ex),
                };
                let before = before.as_ref().and_then(|before| before.get(index).copied());
                self.held(clock, every, (now, ty), before, (name, span))
            })
            .collect()
    }

    /// What a contract says about given inputs and outputs.
    pub(super) fn import(&mut self, frame: &mut Frame, contract: usize, given: Row, name: Ident) {
        let checked = self.checked;
        let info = &checked.nodes[contract];
        let path = self.call_path(frame, name);
        let interface = &info.variables[..info.n_inputs + info.n_outputs];
        let mut rows = self.bind(&path, interface, &given);
        for variable in &info.variables[interface.len()..] {
            rows.push(self.declare(&path, variable, Role::Local));
        }
        let mut imported = Frame {
            node: Some(contract),
            path,
            depth: frame.depth + 1,
            base: frame.base,
            contract_counts: true,
            ..Frame::outside(rows)
        };
        self.frame_clocks(&mut imported);
        self.queue.push_back(imported);
    }
}
