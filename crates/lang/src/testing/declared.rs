//! Signals and ports that a file declares itself, for systems without a model.

use punctual_model::{
    Carried, Direction, Interface, Port, PortRole, Signal, TimeScale, Uncertainty, ValueType, Wired,
};

use super::{config::Collects, signals::Signature, table::Word};
use crate::{
    Span,
    diagnostic::{Diagnostic, Diagnostics},
};

/// What a type looks like, for help lines.
const FORM: &str = "a type is `int`, `bool`, `real`, a range `0..9`, or names `Idle | Busy`";

/// Collects what a file declares.
#[derive(Default)]
pub(super) struct Declared {
    /// With the places of their names.
    signals: Vec<(Signal, Span)>,
    ports: Vec<Port>,
}

impl Collects for Declared {
    fn add(&mut self, signature: &Signature, direction: Direction, diagnostics: &mut Diagnostics) {
        let (name, place) = signature.channel.clone();
        if let Some((_, earlier)) = self.signals.iter().find(|(it, _)| it.name == name) {
            let message = format!("`{name}` is there twice");
            let twice = Diagnostic::error("interface::twice", place, message);
            diagnostics.push(twice.also(*earlier, "first here"));
            return;
        }
        let values = signature.values.iter();
        let values = values.filter_map(|(text, span)| typed(text, *span, diagnostics));
        let values = values.map(|(name, ty)| Carried { name, ty }).collect();
        self.signals.push((Signal { name, direction, values }, place));
    }

    fn observe(&mut self, word: &Word, diagnostics: &mut Diagnostics) {
        let Some((name, ty)) = typed(&word.text, word.span, diagnostics) else { return };
        if self.ports.iter().any(|port| port.name == name) {
            let message = format!("`{name}` is there twice");
            diagnostics.push(Diagnostic::error("interface::twice", word.span, message));
            return;
        }
        self.ports.push(Port { name, ty, role: PortRole::Observed });
    }

    fn finish(mut self, time: TimeScale, uncertainty: Uncertainty) -> Wired {
        self.signals.sort_by_key(|(signal, _)| signal.direction);
        let signals = self.signals.into_iter().map(|(signal, _)| signal).collect();
        let places = self.ports.iter().map(|_| None).collect();
        let ports = self.ports.into_iter().collect();
        let interface = Interface { signals, ports, uncertainty, ..Interface::new(time) };
        Wired { interface, wires: Vec::new().into_iter().collect(), places }
    }
}

/// A name with its type: `amount: 0..9`.
fn typed(text: &str, span: Span, diagnostics: &mut Diagnostics) -> Option<(String, ValueType)> {
    let (name, ty) = match text.split_once(':') {
        Some((name, ty)) => (name.trim(), value_type(ty.trim())),
        None => (text.trim(), Some(ValueType::INT)),
    };
    if name.is_empty() {
        let message = format!("a name is missing in `{text}`");
        diagnostics.push(Diagnostic::error("interface::signal", span, message));
        return None;
    }
    match ty {
        Some(ty) => Some((name.to_owned(), ty)),
        None => {
            let message = format!("`{}` has no type that is known here", text.trim());
            diagnostics.push(Diagnostic::error("interface::type", span, message).help(FORM));
            None
        }
    }
}

fn value_type(text: &str) -> Option<ValueType> {
    match text {
        "int" => return Some(ValueType::INT),
        "bool" => return Some(ValueType::Bool),
        "real" => return Some(ValueType::Real),
        _ => {}
    }
    if let Some((least, greatest)) = text.split_once("..") {
        let least: i64 = least.trim().parse().ok()?;
        let greatest: i64 = greatest.trim().parse().ok()?;
        return (least <= greatest).then_some(ValueType::Int { least, greatest });
    }
    let names: Vec<String> = text.split('|').map(|it| it.trim().to_owned()).collect();
    let is_name = |it: &String| it.chars().next().is_some_and(|c| c.is_alphabetic() || c == '_');
    let is_once = |at: usize| !names[..at].contains(&names[at]);
    let are_names = names.len() > 1 && names.iter().all(is_name) && (0..names.len()).all(is_once);
    are_names.then_some(ValueType::Enum(names))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_read() {
        assert_eq!(value_type("0..9"), Some(ValueType::Int { least: 0, greatest: 9 }));
        assert_eq!(value_type("-3 .. -1"), Some(ValueType::Int { least: -3, greatest: -1 }));
        let names = ["Idle", "Busy"].map(str::to_owned).to_vec();
        assert_eq!(value_type("Idle | Busy"), Some(ValueType::Enum(names)));
        for wrong in ["", "9..0", "double", "Idle |", "A | A", "1 | 2", "..", "0..x"] {
            assert_eq!(value_type(wrong), None, "{wrong}");
        }
    }
}
