//! Any text, by a template of the user's: Jinja, as `minijinja` has it.

use std::error::Error;

use minijinja::{
    Environment, ErrorKind, UndefinedBehavior, Value, syntax::SyntaxConfig, value::Serde,
};

use super::script::Script;

/// How many instructions a template takes at most, as the engine counts them: some seconds, and more than large suites need.
const FUEL: u64 = 20_000_000;

/// Fills in a template. It sees the script as JSON has it, as `model`, `interface`, `unit_ns` and `cases`. A name
/// that there is not is an error, not an empty text.
pub(super) fn fill(name: &str, text: &str, script: &Script) -> Result<String, String> {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    // A line that only says what to do leaves no line behind.
    let syntax = SyntaxConfig::builder()
        .trim_blocks(true)
        .lstrip_blocks(true)
        .keep_trailing_newline(true)
        .build();
    environment.set_syntax(syntax.map_err(|error| error.to_string())?);
    environment.set_fuel(Some(FUEL));
    environment.set_auto_escape_callback(|_| minijinja::AutoEscape::None);
    let told = |error: &minijinja::Error| {
        if error.kind() == ErrorKind::OutOfFuel {
            let line = error.line().map_or(String::new(), |line| format!(":{line}"));
            return format!(
                "{name}{line}: the template does not come to an end: it takes more than {} million steps",
                FUEL / 1_000_000
            );
        }
        let mut text = match error.line() {
            Some(line) => format!("{name}:{line}: {error}"),
            None => error.to_string(),
        };
        let mut source = error.source();
        while let Some(inner) = source {
            text += &format!(": {inner}");
            source = inner.source();
        }
        text
    };
    let filled = environment.render_named_str(name, text, Value::from(Serde(script)));
    filled.map_err(|error| told(&error))
}
