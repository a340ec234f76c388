//! Synchronous programs as view types.

use punctual_model::{
    VarId,
    lustre::{Program, Role, Type},
};

use crate::view::program as view;

/// A program at a glance.
#[must_use]
pub fn outline(file: &str, program: &Program) -> view::Program {
    let variables = |role: Role| -> Vec<view::Variable> {
        let of = program.vars.enumerate().filter(|(_, var)| var.role == role);
        of.map(|(id, _)| variable(program, id)).collect()
    };
    let memory = program.memory.iter().map(|it| view::Variable {
        name: it.name.clone(),
        ty: type_text(program, it.ty),
        range: None,
    });
    let (inputs, outputs) = (variables(Role::Input), variables(Role::Output));
    let enumerations = program.enums.iter();
    let enumerations = enumerations
        .map(|it| view::Enumeration { name: it.name.clone(), values: it.values.clone() });
    view::Program {
        file: file.to_owned(),
        format: "Lustre".to_owned(),
        node: program.name.clone(),
        totals: view::Totals {
            inputs: inputs.len(),
            outputs: outputs.len(),
            locals: program.vars.iter().filter(|var| var.role == Role::Local).count(),
            equations: program.equations.len(),
            expressions: program.exprs.len(),
            memory: program.memory.len(),
            assertions: program.assertions.len(),
            properties: program.properties.len(),
        },
        inputs,
        outputs,
        free: variables(Role::Free),
        memory: memory.collect(),
        enumerations: enumerations.collect(),
        properties: program.properties.iter().map(|(name, _)| name.clone()).collect(),
    }
}

fn variable(program: &Program, id: VarId) -> view::Variable {
    let var = &program.vars[id];
    view::Variable { name: var.name.clone(), ty: type_text(program, var.ty), range: var.range }
}

fn type_text(program: &Program, ty: Type) -> String {
    match ty {
        Type::Bool => "bool".to_owned(),
        Type::Int => "int".to_owned(),
        Type::Real => "real".to_owned(),
        Type::Enum(id) => program.enums[id].name.clone(),
    }
}
