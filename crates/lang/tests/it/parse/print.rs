//! Trees as text: every node in parentheses, so that what belongs together can be seen.

use punctual_lang::uppaal::ast::*;

pub(super) fn list<T>(items: &[T], separator: &str, print: impl Fn(&T) -> String) -> String {
    items.iter().map(print).collect::<Vec<_>>().join(separator)
}

fn exprs(items: &[Expr]) -> String {
    list(items, " ", expr)
}

pub(super) fn expr(e: &Expr) -> String {
    match &e.kind {
        ExprKind::Int(value) => value.to_string(),
        ExprKind::Double(value) => format!("{value:?}"),
        ExprKind::Bool(value) => value.to_string(),
        ExprKind::Str(value) => format!("{value:?}"),
        ExprKind::Name(name) => name.clone(),
        ExprKind::Index(array, index) => format!("{}[{}]", expr(array), expr(index)),
        ExprKind::Member(of, name) => format!("{}.{}", expr(of), name.text),
        ExprKind::Rate(of) => format!("{}'", expr(of)),
        ExprKind::Call(callee, arguments) => {
            format!("{}({})", expr(callee), list(arguments, ", ", expr))
        }
        ExprKind::Unary(op, of) => format!("({op:?} {})", expr(of)),
        ExprKind::Binary(op, left, right) => format!("({op:?} {} {})", expr(left), expr(right)),
        ExprKind::Conditional(condition, yes, no) => {
            format!("(if {} {} {})", expr(condition), expr(yes), expr(no))
        }
        ExprKind::Assign(None, left, right) => format!("(set {} {})", expr(left), expr(right)),
        ExprKind::Assign(Some(op), left, right) => {
            format!("(set {op:?} {} {})", expr(left), expr(right))
        }
        ExprKind::Step { target, increment, prefix } => {
            let op = if *increment { "++" } else { "--" };
            match prefix {
                true => format!("({op} {})", expr(target)),
                false => format!("({} {op})", expr(target)),
            }
        }
        ExprKind::Quantifier(quantifier, bound, body) => {
            format!("({quantifier:?} {} {})", binding(bound), expr(body))
        }
        ExprKind::Deadlock => "<deadlock>".to_owned(),
        ExprKind::Spawn(name, arguments) => format!("(spawn {} {})", name.text, exprs(arguments)),
        ExprKind::Exit => "<exit>".to_owned(),
        ExprKind::NumOf(name) => format!("(numOf {})", name.text),
        ExprKind::Error => "<error>".to_owned(),
    }
}

/// Every expression inside another, from the outside, without those of types.
pub(super) fn for_each<'a>(e: &'a Expr, visit: &mut dyn FnMut(&'a Expr)) {
    visit(e);
    match &e.kind {
        ExprKind::Index(a, b) | ExprKind::Binary(_, a, b) | ExprKind::Assign(_, a, b) => {
            for_each(a, visit);
            for_each(b, visit);
        }
        ExprKind::Member(a, _)
        | ExprKind::Rate(a)
        | ExprKind::Unary(_, a)
        | ExprKind::Step { target: a, .. }
        | ExprKind::Quantifier(_, _, a) => for_each(a, visit),
        ExprKind::Call(a, arguments) => {
            for_each(a, visit);
            arguments.iter().for_each(|argument| for_each(argument, visit));
        }
        ExprKind::Conditional(a, b, c) => {
            for_each(a, visit);
            for_each(b, visit);
            for_each(c, visit);
        }
        ExprKind::Spawn(_, arguments) => {
            arguments.iter().for_each(|argument| for_each(argument, visit));
        }
        _ => {}
    }
}

pub(super) fn binding(binding: &Binding) -> String {
    format!("{}:{}", binding.name.text, ty(&binding.ty))
}

fn ty(ty: &Type) -> String {
    let Prefixes { constant, meta, urgent, broadcast, hybrid } = ty.prefixes;
    let mut text = String::new();
    for (set, word) in [
        (constant, "const "),
        (meta, "meta "),
        (urgent, "urgent "),
        (broadcast, "broadcast "),
        (hybrid, "hybrid "),
    ] {
        text += if set { word } else { "" };
    }
    text + &match &ty.kind {
        TypeKind::Int(None) => "int".to_owned(),
        TypeKind::Int(Some(range)) => format!("int[{}, {}]", expr(&range.0), expr(&range.1)),
        TypeKind::Scalar(size) => format!("scalar[{}]", expr(size)),
        TypeKind::Struct(fields) => format!("struct {{{}}}", list(fields, "; ", variable)),
        TypeKind::Named(name) => format!("'{name}'"),
        simple => format!("{simple:?}").to_lowercase(),
    }
}

fn dimensions(dimensions: &[Dimension]) -> String {
    list(dimensions, "", |dimension| match dimension {
        Dimension::Size(size) => format!("[{}]", expr(size)),
        Dimension::Type(of) => format!("[type {}]", ty(of)),
    })
}

fn variable(variable: &Variable) -> String {
    let initial = match &variable.initial {
        Some(initial) => format!(" = {}", initialiser(initial)),
        None => String::new(),
    };
    format!(
        "{} {}{}{initial}",
        ty(&variable.ty),
        variable.name.text,
        dimensions(&variable.dimensions)
    )
}

fn initialiser(initial: &Initialiser) -> String {
    match initial {
        Initialiser::Expr(value) => expr(value),
        Initialiser::List(entries, _) => {
            let entries = list(entries, ", ", |(field, value)| match field {
                Some(field) => format!("{}: {}", field.text, initialiser(value)),
                None => initialiser(value),
            });
            format!("{{{entries}}}")
        }
    }
}

pub(super) fn param(param: &Param) -> String {
    let reference = if param.reference { "&" } else { "" };
    format!("{} {reference}{}{}", ty(&param.ty), param.name.text, dimensions(&param.dimensions))
}

pub(super) fn declaration(declaration: &Declaration) -> String {
    match declaration {
        Declaration::Variable(declared) => variable(declared),
        Declaration::Typedef(declared) => format!("typedef {}", variable(declared)),
        Declaration::Function(function) => format!(
            "{} {}({}) {}",
            ty(&function.returns),
            function.name.text,
            list(&function.params, ", ", param),
            block(&function.body)
        ),
        Declaration::ChanPriority(groups, _) => {
            let groups = list(groups, " < ", |group| {
                list(group, ", ", |member| match member {
                    ChanPriority::Channel(channel) => expr(channel),
                    ChanPriority::Default(_) => "<default>".to_owned(),
                })
            });
            format!("chan priority {groups}")
        }
        Declaration::BeforeUpdate(updates) => format!("before {}", exprs(updates)),
        Declaration::AfterUpdate(updates) => format!("after {}", exprs(updates)),
        Declaration::Dynamic(name, params) => {
            format!("dynamic {}({})", name.text, list(params, ", ", param))
        }
        Declaration::Import { library, functions, .. } => {
            let functions = list(functions, "; ", |function| {
                format!(
                    "{} {} is {}({})",
                    ty(&function.returns),
                    function.name.text,
                    function.symbol,
                    list(&function.params, ", ", param)
                )
            });
            format!("import {library:?} {{{functions}}}")
        }
    }
}

fn block(block: &Block) -> String {
    let parts = block.declarations.iter().map(declaration);
    let parts = parts.chain(block.statements.iter().map(statement));
    format!("{{{}}}", parts.collect::<Vec<_>>().join("; "))
}

fn statement(s: &Statement) -> String {
    match s {
        Statement::Block(inside) => block(inside),
        Statement::Empty => "<empty>".to_owned(),
        Statement::Expr(value) => expr(value),
        Statement::If(condition, yes, None) => {
            format!("(if {} {})", expr(condition), statement(yes))
        }
        Statement::If(condition, yes, Some(no)) => {
            format!("(if {} {} else {})", expr(condition), statement(yes), statement(no))
        }
        Statement::While(condition, body) => {
            format!("(while {} {})", expr(condition), statement(body))
        }
        Statement::DoWhile(body, condition) => {
            format!("(do {} while {})", statement(body), expr(condition))
        }
        Statement::For(init, condition, step, body) => {
            format!("(for {}; {}; {} {})", expr(init), expr(condition), expr(step), statement(body))
        }
        Statement::ForRange(bound, body) => format!("(for {} {})", binding(bound), statement(body)),
        Statement::Return(None, _) => "(return)".to_owned(),
        Statement::Return(Some(value), _) => format!("(return {})", expr(value)),
        Statement::Assert(condition) => format!("(assert {})", expr(condition)),
    }
}

pub(super) fn system(system: &System) -> String {
    let items = list(&system.items, "\n", |item| match item {
        SystemItem::Declaration(inner) => declaration(inner),
        SystemItem::Instance(instance) => format!(
            "{}({}) = {}({})",
            instance.name.text,
            list(&instance.params, ", ", param),
            instance.template.text,
            list(&instance.arguments, ", ", expr)
        ),
    });
    let processes = list(&system.processes, " < ", |group| {
        list(group, ", ", |process| match &process.arguments {
            Some(arguments) => format!("{}({})", process.name.text, list(arguments, ", ", expr)),
            None => process.name.text.clone(),
        })
    });
    let progress = list(&system.progress, "; ", |progress| {
        format!("{:?} : {}", progress.guard.as_ref().map(expr), expr(&progress.measure))
    });
    let gantt = list(&system.gantt, "; ", |line| {
        let bars = list(&line.bars, ", ", |(bindings, condition, colour)| {
            format!("[{}] {} -> {}", list(bindings, ", ", binding), expr(condition), expr(colour))
        });
        format!("{}({}): {bars}", line.name.text, list(&line.bindings, ", ", binding))
    });
    format!("{items}\nsystem {processes}\nprogress {progress}\ngantt {gantt}")
}

fn runs(runs: &Runs) -> String {
    let bound = match &runs.bound {
        Bound::Time => "time".to_owned(),
        Bound::Steps => "steps".to_owned(),
        Bound::Cost(cost) => expr(cost),
    };
    let count = runs.count.as_ref().map_or("some".to_owned(), expr);
    format!("[{count} runs, {bound} <= {}]", expr(&runs.limit))
}

fn path(path: &Path) -> String {
    match path {
        Path::Finally(p) => format!("<> {}", expr(p)),
        Path::Globally(p) => format!("[] {}", expr(p)),
        Path::Until(p, q) => format!("{} U {}", expr(p), expr(q)),
    }
}

pub(super) fn query(query: &Query) -> String {
    match query {
        Query::ExistsFinally(p) => format!("(E<> {})", expr(p)),
        Query::ExistsGlobally(p) => format!("(E[] {})", expr(p)),
        Query::AlwaysFinally(p) => format!("(A<> {})", expr(p)),
        Query::AlwaysGlobally(p) => format!("(A[] {})", expr(p)),
        Query::LeadsTo(p, q) => format!("(--> {} {})", expr(p), expr(q)),
        Query::Extremum(extremum, condition, of) => {
            format!("({extremum:?} {:?} {})", condition.as_ref().map(expr), exprs(of))
        }
        Query::Probability(bound, formula) => format!("(Pr {} {})", runs(bound), path(formula)),
        Query::Hypothesis(bound, formula, comparison, value) => {
            format!("(Pr {} {} {comparison:?} {})", runs(bound), path(formula), expr(value))
        }
        Query::Compare(left, comparison, right) => format!(
            "(Pr {} {} {comparison:?} {} {})",
            runs(&left.0),
            path(&left.1),
            runs(&right.0),
            path(&right.1)
        ),
        Query::Expectation(bound, maximum, of) => {
            format!("({} {} {})", if *maximum { "Emax" } else { "Emin" }, runs(bound), expr(of))
        }
        Query::Simulate { runs: bound, of, accepted, filter } => format!(
            "(simulate {} {{{}}} {:?} : {:?})",
            runs(bound),
            exprs(of),
            accepted.as_ref().map(expr),
            filter.as_ref().map(expr)
        ),
        Query::Unsupported(what, span) => format!("unsupported: {what} ({span:?})"),
    }
}
