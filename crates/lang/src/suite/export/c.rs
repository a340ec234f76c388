//! Suites in C: a header with all cases, and a runner that calls functions of the user's.

use std::fmt::Write;

use serde_json::{Map, Value as Json};

use super::{
    python::one_line,
    script::{Script, ScriptCase, What},
    text::text,
};

const RUNNER: &str = include_str!("assets/runner.h");

/// The header.
pub(super) fn header(name: &str, script: &Script) -> String {
    let mut out = format!(
        "/* The cases of `{}`. Made by `punctual convert`. */\n\n{RUNNER}\n",
        one_line(name).replace("*/", "* /")
    );
    for case in &script.cases {
        self::case(case, &mut out);
    }
    out += "static const punctual_case punctual_cases[] = {\n";
    for case in &script.cases {
        _ = writeln!(
            out,
            "    {{{}, punctual_steps_{}, {}, {}LL}},",
            quoted(&case.name),
            case.id,
            case.steps.len(),
            case.end_ns
        );
    }
    // C has no empty arrays.
    out += "    {0, 0, 0, 0},\n};\n";
    _ = writeln!(out, "static const int punctual_n_cases = {};\n\n#endif", script.cases.len());
    out
}

fn case(case: &ScriptCase, out: &mut String) {
    let mut steps = String::new();
    let mut sets = String::new();
    for (at, step) in case.steps.iter().enumerate() {
        let id = format!("{}_{at}", case.id);
        let mut fields = vec![format!(".at_ns = {}LL", step.at_ns)];
        let mut field = |name: &str, value: String| fields.push(format!(".{name} = {value}"));
        let values = |of: &[Json], sets: &mut String| {
            let texts: Vec<String> = of.iter().map(|it| quoted(&text(it))).collect();
            if !texts.is_empty() {
                let list = texts.join(", ");
                _ = writeln!(sets, "static const char *const punctual_values_{id}[] = {{{list}}};");
            }
            (!texts.is_empty()).then(|| (format!("punctual_values_{id}"), texts.len()))
        };
        match &step.what {
            What::Input { name, values: of, .. } => {
                field("kind", "PUNCTUAL_INPUT".to_owned());
                field("name", quoted(name));
                if let Some((list, n)) = values(of, &mut sets) {
                    field("values", list);
                    field("n_values", n.to_string());
                }
            }
            What::Output { name, values: of, from_ns, to_ns, requirement, .. } => {
                field("kind", "PUNCTUAL_OUTPUT".to_owned());
                field("name", quoted(name));
                if let Some((list, n)) = values(of, &mut sets) {
                    field("values", list);
                    field("n_values", n.to_string());
                }
                field("from_ns", format!("{from_ns}LL"));
                field("to_ns", format!("{to_ns}LL"));
                if let Some(requirement) = requirement {
                    field("requirement", quoted(requirement));
                }
            }
            What::Check { expected, allowed, requirement, .. } => {
                field("kind", "PUNCTUAL_CHECK".to_owned());
                field("expected", set(&format!("expected_{id}"), expected, &mut sets));
                let all: Vec<String> = allowed
                    .iter()
                    .enumerate()
                    .map(|(i, it)| set(&format!("allowed_{id}_{i}"), it, &mut sets))
                    .collect();
                _ = writeln!(
                    sets,
                    "static const punctual_set punctual_allowed_{id}[] = {{{}}};",
                    all.join(", ")
                );
                field("allowed", format!("punctual_allowed_{id}"));
                field("n_allowed", allowed.len().to_string());
                if let Some(requirement) = requirement {
                    field("requirement", quoted(requirement));
                }
            }
            What::Step { inputs, outputs, .. } => {
                field("kind", "PUNCTUAL_STEP".to_owned());
                field("inputs", set(&format!("inputs_{id}"), inputs, &mut sets));
                field("expected", set(&format!("expected_{id}"), outputs, &mut sets));
            }
        }
        _ = writeln!(steps, "    {{{}}},", fields.join(", "));
    }
    _ = writeln!(out, "/* {} */", one_line(&case.name).replace("*/", "* /"));
    *out += &sets;
    let id = &case.id;
    _ = write!(
        out,
        "static const punctual_step punctual_steps_{id}[] = {{\n{steps}    {{0}},\n}};\n\n"
    );
}

/// Names with values, as an initialiser; what it refers to is written before it.
fn set(id: &str, map: &Map<String, Json>, out: &mut String) -> String {
    if map.is_empty() {
        return "{0, 0}".to_owned();
    }
    let pair =
        |(name, value): (&String, &Json)| format!("{{{}, {}}}", quoted(name), quoted(&text(value)));
    let pairs: Vec<String> = map.iter().map(pair).collect();
    _ = writeln!(out, "static const punctual_pair punctual_{id}[] = {{{}}};", pairs.join(", "));
    format!("{{punctual_{id}, {}}}", pairs.len())
}

/// A string literal. Bytes that are no plain characters are octal, since those of hexadecimal escapes do not end.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for byte in text.bytes() {
        match byte {
            b'"' | b'\\' => {
                out.push('\\');
                out.push(byte.into());
            }
            // Two of them would begin a trigraph.
            b'?' => out += "\\?",
            b' '..=b'~' => out.push(byte.into()),
            _ => _ = write!(out, "\\{byte:03o}"),
        }
    }
    out + "\""
}
