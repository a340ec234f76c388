//! Suites for Robot Framework.

use std::fmt::Write;

use punctual_model::Interface;
use serde_json::Value as Json;

use super::{
    File,
    python::{self, one_line, seconds},
    script::{Script, ScriptCase, What},
};

const KEYWORDS: &str = include_str!("assets/keywords.py");

/// The cases, their keywords, and an example of how the system is reached.
pub(super) fn files(name: &str, interface: &Interface, script: &Script) -> Vec<File> {
    let keywords = format!("{name}_keywords.py");
    let mut out = format!(
        "*** Settings ***\n\
         Documentation     Made by `punctual convert`. `rig.py` says how the system is reached.\n\
         Library           {}\n\
         Test Teardown     Close Rig\n\n\
         *** Test Cases ***\n",
        cell(&keywords)
    );
    for case in &script.cases {
        self::case(case, &mut out);
    }
    let about =
        "\"\"\"The keywords of a suite for Robot Framework. Made by `punctual convert`.\"\"\"\n\n";
    vec![
        (format!("{name}.robot"), out),
        (keywords, format!("{about}{}{KEYWORDS}", python::CASE)),
        ("rig.py".to_owned(), python::rig(interface)),
    ]
}

fn case(case: &ScriptCase, out: &mut String) {
    _ = writeln!(out, "{}", cell(&one_line(&case.name)));
    if !case.path.is_empty() {
        let path: Vec<String> = case.path.iter().map(|step| cell(&one_line(step))).collect();
        _ = writeln!(out, "    [Documentation]    {}", path.join("; "));
    }
    let mut tags: Vec<String> = Vec::new();
    for step in &case.steps {
        if let What::Check { requirement: Some(name), .. }
        | What::Output { requirement: Some(name), .. } = &step.what
            && !name.is_empty()
            && !tags.contains(&cell(name))
        {
            tags.push(cell(name));
        }
    }
    if !tags.is_empty() {
        _ = writeln!(out, "    [Tags]    {}", tags.join("    "));
    }
    out.push_str("    Start Case\n");
    for step in &case.steps {
        let at = seconds(step.at_ns);
        let about = |requirement: &Option<String>| match requirement.as_deref() {
            Some(name) if !name.is_empty() => format!("    {}", cell(name)),
            _ => String::new(),
        };
        let json = |value: &Json| cell(&value.to_string());
        let line = match &step.what {
            What::Input { name, values, .. } => {
                format!("Send    {at}    {}    {}", cell(name), json(&values.clone().into()))
            }
            What::Check { expected, allowed, requirement, .. } => format!(
                "Check Ports    {at}    {}    {}{}",
                json(&expected.clone().into()),
                json(&allowed.iter().cloned().map(Json::from).collect()),
                about(requirement)
            ),
            What::Output { name, values, from_ns, to_ns, requirement, .. } => format!(
                "Expect Output    {}    {}    {}    {}{}",
                seconds(*from_ns),
                seconds(*to_ns),
                cell(name),
                json(&values.clone().into()),
                about(requirement)
            ),
            What::Step { number, inputs, outputs } => format!(
                "Take Step    {at}    {number}    {}    {}",
                json(&inputs.clone().into()),
                json(&outputs.clone().into())
            ),
        };
        _ = writeln!(out, "    {line}");
    }
    _ = writeln!(out, "    End Case    {}\n", seconds(case.end_ns));
}

/// A cell: what means something to Robot Framework is taken as it is.
fn cell(text: &str) -> String {
    let mut out = String::new();
    let mut before = None;
    for (i, c) in text.chars().enumerate() {
        match c {
            '\\' => out += "\\\\",
            '\n' => out += "\\n",
            '\r' => out += "\\r",
            '\t' => out += "\\t",
            // Two spaces would end the cell.
            ' ' if before == Some(' ') || i == 0 => out += "\\ ",
            '$' | '@' | '%' | '&' | '=' | '|' => {
                out.push('\\');
                out.push(c);
            }
            '#' | '[' | '*' if i == 0 => {
                out.push('\\');
                out.push(c);
            }
            c => out.push(c),
        }
        before = Some(c);
    }
    match out.is_empty() {
        true => "${EMPTY}".to_owned(),
        false if text.ends_with(' ') => out + "\\",
        false => out,
    }
}
