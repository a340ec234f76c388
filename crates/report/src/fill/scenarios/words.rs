//! Values, expressions and claims of scenarios in the words of the domain model.

use punctual_model::{
    AttributeId, SentenceId, Value,
    usecases::{
        AttributeType, Binary, Claim, Claimed, Diagram, Ground, Place, Slot, Unary, UseCases,
    },
};

/// What everything is called.
pub(super) struct Words<'w> {
    pub(super) all: &'w UseCases,
}

impl Words<'_> {
    pub(super) fn file(&self, place: Place) -> String {
        self.all.files.get(place.file as usize).cloned().unwrap_or_default()
    }

    pub(super) fn sentence(&self, id: SentenceId) -> String {
        self.all.sentences[id].text.clone()
    }

    pub(super) fn sentences(&self, ids: &[SentenceId]) -> Vec<String> {
        ids.iter().map(|id| self.sentence(*id)).collect()
    }

    /// A value of an attribute: members of enumerations by their names, real numbers as fractions only where they must be.
    pub(super) fn value(&self, of: AttributeId, value: Value) -> String {
        match (self.all.domain.attributes[of].ty, value) {
            (AttributeType::Enumeration(id), Value::Enum(at)) => {
                let names = &self.all.domain.enumerations[id].values;
                names.get(at as usize).cloned().unwrap_or_else(|| at.to_string())
            }
            (_, Value::Real(it)) => real(it),
            (_, other) => other.to_string(),
        }
    }

    pub(super) fn slot(&self, diagram: &Diagram, slot: Slot) -> String {
        let attribute = &self.all.domain.attributes[slot.attribute].name;
        format!("{}.{attribute}", diagram.objects[slot.object].name)
    }

    /// An expression, with brackets only where they are needed.
    pub(super) fn ground(&self, diagram: &Diagram, it: &Ground) -> String {
        self.part(diagram, it, 0, None)
    }

    /// `least` is how strongly the expression has to bind to need no brackets. `beside` is the attribute that it is compared with.
    fn part(
        &self,
        diagram: &Diagram,
        it: &Ground,
        least: u8,
        beside: Option<AttributeId>,
    ) -> String {
        let (binds, text) = match it {
            Ground::Constant(value) => {
                let text = match (beside, *value) {
                    (Some(of), value) => self.value(of, value),
                    (None, Value::Real(it)) => real(it),
                    (None, value) => value.to_string(),
                };
                (9, text)
            }
            Ground::Slot(slot) => (9, self.slot(diagram, *slot)),
            Ground::Unary(Unary::Not, of) => {
                (7, format!("not {}", self.part(diagram, of, 7, None)))
            }
            Ground::Unary(Unary::Neg, of) => (7, format!("-{}", self.part(diagram, of, 8, None))),
            Ground::Unary(Unary::ToReal, of) => return self.part(diagram, of, least, beside),
            Ground::Binary(operator, left, right) => {
                let (binds, sign) = sign(*operator);
                let beside = attribute(left).or_else(|| attribute(right));
                let left = self.part(diagram, left, binds, beside);
                let right = self.part(diagram, right, binds + 1, beside);
                (binds, format!("{left} {sign} {right}"))
            }
            Ground::All(parts) => return self.list(diagram, parts, " and ", "true", least, 3),
            Ground::Any(parts) => return self.list(diagram, parts, " or ", "false", least, 2),
            Ground::If(parts) => {
                let [test, then, otherwise] =
                    [0, 1, 2].map(|i| self.part(diagram, &parts[i], 0, beside));
                (9, format!("if {test} then {then} else {otherwise} endif"))
            }
        };
        if binds < least { format!("({text})") } else { text }
    }

    fn list(
        &self,
        diagram: &Diagram,
        parts: &[Ground],
        between: &str,
        none: &str,
        least: u8,
        binds: u8,
    ) -> String {
        match parts {
            [] => none.to_owned(),
            [one] => self.part(diagram, one, least, None),
            several => {
                let texts = several.iter().map(|it| self.part(diagram, it, binds + 1, None));
                let text = texts.collect::<Vec<_>>().join(between);
                if binds < least { format!("({text})") } else { text }
            }
        }
    }

    /// What is claimed, and where it stands.
    pub(super) fn claim(&self, claim: &Claim) -> crate::view::scenarios::Claim {
        let (text, place) = match claim.what {
            Claimed::Sentence(id) => (self.sentence(id), Some(self.all.sentences[id].place)),
            Claimed::Invariant(id) => {
                let it = &self.all.constraints[id];
                let class = &self.all.domain.classes[it.context].name;
                (format!("{class}: {}", it.text), Some(it.place))
            }
            Claimed::Range(id) => {
                let it = &self.all.domain.attributes[id];
                let class = &self.all.domain.classes[it.class].name;
                (format!("{class}.{} is in its range", it.name), None)
            }
        };
        crate::view::scenarios::Claim {
            text,
            holds: claim.holds,
            file: place.map(|it| self.file(it)).unwrap_or_default(),
            line: place.map_or(0, |it| it.line),
        }
    }
}

fn attribute(it: &Ground) -> Option<AttributeId> {
    match it {
        Ground::Slot(slot) => Some(slot.attribute),
        _ => None,
    }
}

fn real(it: punctual_model::Rational) -> String {
    // Tenths, hundredths and so on are told as decimals.
    let mut scaled = it;
    for digits in 0..=6_usize {
        if scaled.is_integer() {
            let scale = 10_i128.pow(u32::try_from(digits).unwrap_or(0));
            let (whole, rest) = (it.numer() / it.denom(), (scaled.numer() % scale).abs());
            let minus = if *it.numer() < 0 && whole == 0 { "-" } else { "" };
            return match digits {
                0 => format!("{whole}.0"),
                _ => format!("{minus}{whole}.{rest:0digits$}"),
            };
        }
        scaled *= 10;
    }
    format!("{}/{}", it.numer(), it.denom())
}

/// How strongly an operator binds, and how it is written.
fn sign(operator: Binary) -> (u8, &'static str) {
    match operator {
        Binary::Implies => (0, "implies"),
        Binary::Xor => (1, "xor"),
        Binary::Or => (2, "or"),
        Binary::And => (3, "and"),
        Binary::Eq => (4, "="),
        Binary::Ne => (4, "<>"),
        Binary::Lt => (4, "<"),
        Binary::Le => (4, "<="),
        Binary::Gt => (4, ">"),
        Binary::Ge => (4, ">="),
        Binary::Add => (5, "+"),
        Binary::Sub => (5, "-"),
        Binary::Mul => (6, "*"),
        Binary::Div => (6, "/"),
    }
}
