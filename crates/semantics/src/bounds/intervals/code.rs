//! What one look at all code of a network tells, before anything is evaluated.

use punctual_model::{
    ClockConstraint, Condition, Expr, FunctionBody, Id, Network, StateExpr, Statement, Storage,
};

/// Calls `visit` for the outermost expressions of statements.
pub(in crate::bounds) fn for_each_expr<'a>(
    statements: &'a [Statement],
    visit: &mut dyn FnMut(&'a Expr),
) {
    for statement in statements {
        match statement {
            Statement::Expr(expr) | Statement::Assert(expr) | Statement::Return(Some(expr)) => {
                visit(expr);
            }
            Statement::Clear { .. } | Statement::Return(None) => {}
            Statement::If(condition, then, otherwise) => {
                visit(condition);
                for_each_expr(then, visit);
                for_each_expr(otherwise, visit);
            }
            Statement::While(condition, body) | Statement::DoWhile(body, condition) => {
                visit(condition);
                for_each_expr(body, visit);
            }
            Statement::For { body, .. } => for_each_expr(body, visit),
        }
    }
}

/// For each function, whether `holds` for an expression in it or in a function that it calls.
pub(in crate::bounds) fn transitively(
    network: &Network,
    holds: &dyn Fn(&Expr) -> bool,
) -> Vec<bool> {
    let mut result = vec![false; network.functions.len()];
    let mut callers = vec![Vec::new(); network.functions.len()];
    let mut todo = Vec::new();
    for (id, function) in network.functions.enumerate() {
        let FunctionBody::Statements(body) = &function.body else { continue };
        let mut found = false;
        for_each_expr(body, &mut |expr| {
            expr.walk(&mut |expr| {
                found |= holds(expr);
                if let Expr::Call { function, .. } = expr {
                    callers[function.index()].push(id.index());
                }
            });
        });
        if found {
            result[id.index()] = true;
            todo.push(id.index());
        }
    }
    while let Some(function) = todo.pop() {
        for &caller in &callers[function] {
            if !result[caller] {
                result[caller] = true;
                todo.push(caller);
            }
        }
    }
    result
}

/// Whether each function changes anything outside of its frame.
pub(super) fn impure(network: &Network) -> Vec<bool> {
    transitively(
        network,
        &|expr| matches!(expr, Expr::Assign { target, .. } if target.storage != Storage::Local),
    )
}

/// Calls `visit` for every expression that bounds of clocks can depend on.
fn for_all(network: &Network, query: Option<&StateExpr>, visit: &mut dyn FnMut(&Expr)) {
    let constraints = |condition: &Condition, visit: &mut dyn FnMut(&Expr)| {
        condition.data.iter().for_each(|expr| expr.walk(&mut |expr| visit(expr)));
        condition.clocks.iter().for_each(|constraint| {
            constraint.walk(&mut |expr| visit(expr));
        });
    };
    for expr in network.before_update.iter().chain(&network.after_update) {
        expr.walk(&mut |expr| visit(expr));
    }
    for function in &network.functions {
        if let FunctionBody::Statements(body) = &function.body {
            for_each_expr(body, &mut |expr| expr.walk(&mut |expr| visit(expr)));
        }
    }
    for process in &network.processes {
        for location in &process.locations {
            constraints(&location.invariant, visit);
        }
        for edge in &process.edges {
            constraints(&edge.guard, visit);
            let branches = edge.branches.iter().flat_map(|branch| &branch.update);
            for expr in edge.update.iter().chain(branches) {
                expr.walk(&mut |expr| visit(expr));
            }
        }
    }
    if let Some(query) = query {
        query.expr.walk(&mut |expr| visit(expr));
    }
}

/// Whether a constant or an index at a clock is not constant.
pub(super) fn needed(network: &Network, query: Option<&StateExpr>) -> bool {
    let is_constant = |expr: &Expr| match expr {
        Expr::Int(_) | Expr::Double(_) => true,
        Expr::ToDouble(inner) => inner.as_int().is_some(),
        _ => false,
    };
    let constraint = |constraint: &ClockConstraint| {
        !is_constant(&constraint.bound) || constraint.clocks().any(|c| !c.indices.is_empty())
    };
    let mut needed = false;
    for_all(network, query, &mut |expr| {
        needed |= match expr {
            Expr::ClockConstraint(inner) => constraint(inner),
            Expr::SetClock { clock, value } => {
                let shifts =
                    !matches!(value.as_ref(), Expr::Clock(clock) if clock.indices.is_empty());
                !clock.indices.is_empty() || (shifts && value.reads_clock())
            }
            _ => false,
        };
    });
    let conditions = network.processes.iter().flat_map(|process| {
        let invariants = process.locations.iter().map(|location| &location.invariant);
        invariants.chain(process.edges.iter().map(|edge| &edge.guard))
    });
    needed || conditions.flat_map(|condition| &condition.clocks).any(constraint)
}

/// Constants of the model and their neighbours, sorted.
pub(super) fn stops(network: &Network, query: Option<&StateExpr>) -> Vec<i64> {
    let mut stops = Vec::new();
    for_all(network, query, &mut |expr| {
        if let Expr::Int(value) = expr {
            let value = i64::from(*value);
            stops.extend([value - 1, value, value + 1]);
        }
    });
    stops.sort_unstable();
    stops.dedup();
    stops
}
