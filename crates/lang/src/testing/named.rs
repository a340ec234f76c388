//! Names for variables of a model, and for their values: `velocity: Standing | Driving = CarInfo_velocity`.

use crate::{
    Span,
    diagnostic::{Diagnostic, Diagnostics},
};

/// A variable, as a file names it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Named {
    /// What people call it.
    pub(super) name: String,
    /// Whether the name is another one than the variable's.
    pub(super) is_renamed: bool,
    /// What values are called, from 0 on.
    pub(super) members: Option<Vec<String>>,
    /// The variable, without spaces.
    pub(super) variable: String,
}

/// Reads `variable`, `name = variable`, `variable: A | B` and `name: A | B = variable`.
pub(super) fn named(text: &str, span: Span, diagnostics: &mut Diagnostics) -> Option<Named> {
    let mut wrong = |code: &'static str, message: String, help: &str| {
        diagnostics.push(Diagnostic::error(code, span, message).help(help));
        None
    };
    let form = "write `name = variable`, or `name: Off | On = variable` if its values have names";
    let (said, variable) = match text.split_once('=') {
        Some((said, variable)) => (said, Some(variable.split_whitespace().collect::<String>())),
        None => (text, None),
    };
    let (name, members) = match said.split_once(':') {
        Some((name, members)) => (name.trim(), Some(members)),
        None => (said.trim(), None),
    };
    let is_renamed = variable.is_some();
    let variable = variable.unwrap_or_else(|| name.split_whitespace().collect());
    if name.is_empty() || variable.is_empty() || variable.contains(['=', ':']) {
        let message = format!("`{}` is no variable with a name", text.trim());
        return wrong("interface::name", message, form);
    }
    let members: Option<Vec<String>> =
        members.map(|it| it.split('|').map(|it| it.trim().to_owned()).collect());
    if let Some(members) = &members {
        let twice = (0..members.len()).find(|at| members[..*at].contains(&members[*at]));
        if members.iter().any(String::is_empty) {
            let message = format!("a member of `{name}` has no name");
            return wrong("interface::members", message, form);
        }
        if let Some(at) = twice {
            let message = format!("`{}` is there twice", members[at]);
            return wrong("interface::members", message, "each member has a name of its own");
        }
    }
    let name = match is_renamed {
        true => name.to_owned(),
        false => variable.clone(),
    };
    Some(Named { name, is_renamed, members, variable })
}

/// The same as text: what [`named`] reads.
pub(super) fn written(name: &str, members: Option<&[String]>, variable: &str) -> String {
    let members = members.map(|it| format!(": {}", it.join(" | "))).unwrap_or_default();
    match name == variable {
        true => format!("{name}{members}"),
        false => format!("{name}{members} = {variable}"),
    }
}
