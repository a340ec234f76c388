//! Use cases as text, for goldens.

use std::fmt::Write;

use punctual_model::{
    OclId, Value,
    usecases::{
        ActionKind, AttributeType, Binary, Constraint, Domain, Expr, FlowKind, Iterator, Named,
        Next, Phrase, Purpose, StepKind, StepRef, Type, Unary, UseCase, UseCases,
    },
};

pub(super) fn kind_word(kind: &FlowKind) -> &'static str {
    match kind {
        FlowKind::Basic => "basic",
        FlowKind::Specific(_) => "specific",
        FlowKind::Bounded(_) => "bounded",
        FlowKind::Global(_) => "global",
    }
}

/// Everything that is known.
pub(super) fn all(it: &UseCases) -> String {
    let mut out = String::new();
    for use_case in &it.use_cases {
        self::use_case(&mut out, it, use_case).expect("a text");
    }
    domain(&mut out, &it.domain).expect("a text");
    for constraint in &it.constraints {
        let of = match &constraint.purpose {
            Purpose::Invariant => "invariant".to_owned(),
            Purpose::Sentences(ids) => {
                let texts = ids.iter().map(|id| format!("`{}`", it.sentences[*id].text));
                texts.collect::<Vec<_>>().join(", ")
            }
        };
        let class = &it.domain.classes[constraint.context].name;
        let text = ocl(&it.domain, constraint, constraint.root);
        writeln!(out, "{class} {}: {text}\n    for {of}", constraint.name).expect("a text");
    }
    if it.settings != Default::default() {
        writeln!(out, "{:?}", it.settings).expect("a text");
    }
    out
}

fn use_case(out: &mut String, all: &UseCases, it: &UseCase) -> std::fmt::Result {
    writeln!(out, "use case {} (line {})", it.name, it.place.line)?;
    for id in &it.preconditions {
        writeln!(out, "  before: {}", sentence(all, *id))?;
    }
    let actors = it.primary_actor.iter().chain(&it.secondary_actors);
    for actor in actors {
        writeln!(out, "  actor: {}", phrase(all, actor))?;
    }
    for (id, flow) in it.flows.enumerate() {
        let number = |at: StepRef| match at.flow == it.basic() {
            true => it.step(at).number.to_string(),
            false => format!("{}#{}", it.flows[at.flow].title, it.step(at).number),
        };
        let at = match &flow.kind {
            FlowKind::Basic | FlowKind::Global(_) => String::new(),
            FlowKind::Specific(at) => format!(" at {}", number(*at)),
            FlowKind::Bounded(at) => {
                let at = at.iter().map(|at| number(*at)).collect::<Vec<_>>();
                format!(" at {}", at.join(", "))
            }
        };
        writeln!(out, "  {}{at}: {}", kind_word(&flow.kind), flow.title)?;
        for (step_id, step) in flow.steps.enumerate() {
            let next = |next: Next| match next {
                Next::Step(id) => flow.steps[id].number.to_string(),
                Next::End => "end".to_owned(),
                Next::Declined => "declined".to_owned(),
            };
            let said = match &step.kind {
                StepKind::Act(actions) => {
                    let actions = actions.iter().map(|action| match &action.kind {
                        ActionKind::Input { actor, data } => {
                            let data = data.as_ref().map_or("?".to_owned(), |it| phrase(all, it));
                            format!("input {data} from {}", phrase(all, actor))
                        }
                        ActionKind::Output { actor, data } => {
                            format!("output {} to {}", phrase(all, data), phrase(all, actor))
                        }
                        ActionKind::Internal => {
                            format!("internal {}", sentence(all, action.sentence))
                        }
                        ActionKind::Include(id) => format!("include {}", all.use_cases[*id].name),
                        ActionKind::ExtendedBy(id) => {
                            format!("extended by {}", all.use_cases[*id].name)
                        }
                    });
                    actions.collect::<Vec<_>>().join(" | ")
                }
                StepKind::Validate(id) => format!("validate {}", sentence(all, *id)),
                StepKind::Branch(it) => {
                    let word = if it.is_loop { "until" } else { "if" };
                    let otherwise = next(it.otherwise);
                    format!("{word} {} else {otherwise}", sentence(all, it.sentence))
                }
                StepKind::Mark => "mark".to_owned(),
                StepKind::Abort => "abort".to_owned(),
                StepKind::Resume(at) => format!("resume {}", number(*at)),
            };
            let flows = it.flows_at(StepRef { flow: id, step: step_id });
            let flows: Vec<&str> = flows.iter().map(|id| it.flows[*id].title.as_str()).collect();
            let tried = match flows.is_empty() {
                true => String::new(),
                false => format!("  [{}]", flows.join("; ")),
            };
            writeln!(out, "    {} {said} → {}{tried}", step.number, next(step.next))?;
        }
        for id in &flow.postconditions {
            writeln!(out, "    after: {}", sentence(all, *id))?;
        }
    }
    Ok(())
}

fn sentence(all: &UseCases, id: punctual_model::SentenceId) -> String {
    let it = &all.sentences[id];
    let mark = match (it.is_open, it.constraints.len()) {
        (true, _) => " (open)".to_owned(),
        (false, 0) => String::new(),
        (false, n) => format!(" ({n})"),
    };
    format!("`{}`{mark}", it.text)
}

fn phrase(all: &UseCases, phrase: &Phrase) -> String {
    let names = phrase.meanings.iter().map(|it| match it {
        Named::Class(id) => all.domain.classes[*id].name.clone(),
        Named::Enumeration(id) => all.domain.enumerations[*id].name.clone(),
        Named::Feature(feature) => feature_name(&all.domain, *feature),
    });
    format!("`{}` = [{}]", phrase.text, names.collect::<Vec<_>>().join(", "))
}

fn feature_name(domain: &Domain, feature: punctual_model::usecases::Feature) -> String {
    use punctual_model::usecases::Feature;
    let (class, name) = match feature {
        Feature::Attribute(id) => (domain.attributes[id].class, &domain.attributes[id].name),
        Feature::End(at) => (domain.origin(at), &domain.end(at).name),
    };
    format!("{}.{name}", domain.classes[class].name)
}

fn domain(out: &mut String, domain: &Domain) -> std::fmt::Result {
    for (id, class) in domain.classes.enumerate() {
        let word = if class.is_abstract { "abstract class" } else { "class" };
        write!(out, "{word} {}", class.name)?;
        for parent in &class.parents {
            write!(out, " < {}", domain.classes[*parent].name)?;
        }
        writeln!(out)?;
        for attribute in domain.attributes.iter().filter(|it| it.class == id) {
            let ty = match attribute.ty {
                AttributeType::Boolean => "Boolean",
                AttributeType::Integer => "Integer",
                AttributeType::Real => "Real",
                AttributeType::Enumeration(id) => &domain.enumerations[id].name,
            };
            writeln!(out, "  {}: {ty}", attribute.name)?;
        }
    }
    for enumeration in &domain.enumerations {
        writeln!(out, "enum {}: {}", enumeration.name, enumeration.values.join(", "))?;
    }
    for association in &domain.associations {
        let ends = association.ends.iter().map(|end| {
            let mark = if end.is_navigable { ">" } else { "" };
            let most = end.multiplicity.most.map_or("*".to_owned(), |it| it.to_string());
            let class = &domain.classes[end.class].name;
            format!("{mark}{}: {class}[{}..{most}]", end.name, end.multiplicity.least)
        });
        writeln!(out, "association {}", ends.collect::<Vec<_>>().join(" — "))?;
    }
    Ok(())
}

/// An expression with all parentheses, in a form that is read again.
pub(super) fn ocl(domain: &Domain, constraint: &Constraint, id: OclId) -> String {
    let print = |id: OclId| ocl(domain, constraint, id);
    let node = constraint.nodes[id];
    match node.expr {
        Expr::Constant(value) => match (value, node.ty) {
            (Value::Bool(it), _) => it.to_string(),
            (Value::Int(it), _) => it.to_string(),
            (Value::Real(it), _) => punctual_lang::values::real(it),
            (Value::Enum(at), Type::Enumeration(id)) => {
                let enumeration = &domain.enumerations[id];
                format!("{}::{}", enumeration.name, enumeration.values[at as usize])
            }
            other => panic!("{other:?}"),
        },
        Expr::Context => "self".to_owned(),
        Expr::Binder(binder) => binder_name(constraint, binder),
        Expr::Attribute(of, attribute) => {
            format!("{}.{}", print(of), domain.attributes[attribute].name)
        }
        Expr::Navigate(of, at) => format!("{}.{}", print(of), domain.end(at).name),
        Expr::AllInstances(class) => format!("{}.allInstances()", domain.classes[class].name),
        Expr::Unary(Unary::Not, of) => format!("(not {})", print(of)),
        Expr::Unary(Unary::Neg, of) => format!("(- {})", print(of)),
        Expr::Unary(Unary::ToReal, of) => print(of),
        Expr::Binary(operator, left, right) => {
            let sign = match operator {
                Binary::And => "and",
                Binary::Or => "or",
                Binary::Xor => "xor",
                Binary::Implies => "implies",
                Binary::Eq => "=",
                Binary::Ne => "<>",
                Binary::Lt => "<",
                Binary::Le => "<=",
                Binary::Gt => ">",
                Binary::Ge => ">=",
                Binary::Add => "+",
                Binary::Sub => "-",
                Binary::Mul => "*",
                Binary::Div => "/",
            };
            format!("({} {sign} {})", print(left), print(right))
        }
        Expr::Iterate { iterator, source, binder, body } => {
            let name = match iterator {
                Iterator::ForAll => "forAll",
                Iterator::Exists => "exists",
                Iterator::Select => "select",
            };
            let variable = binder_name(constraint, binder);
            format!("{}->{name}({variable} | {})", print(source), print(body))
        }
        Expr::Size(of) => format!("{}->size()", print(of)),
    }
}

fn binder_name(constraint: &Constraint, binder: punctual_model::BinderId) -> String {
    use punctual_model::Id;
    match constraint.binders[binder].name.as_str() {
        "" => format!("it{}", binder.index()),
        name => name.to_owned(),
    }
}
