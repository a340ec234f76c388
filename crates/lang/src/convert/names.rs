//! Names that other formats accept.
//!
//! What a format does not allow in a name becomes `_` or is left out (`Train(3).x` becomes
//! `Train_3_x`). If two names become the same, or a word of the language, the later one gets a
//! number. So names stay different, and the same network always gets the same names.

use rustc_hash::FxHashSet;

/// Makes names legal and keeps them apart.
#[derive(Clone, Debug, Default)]
pub(crate) struct Mangler {
    taken: FxHashSet<String>,
}

impl Mangler {
    /// None of these names is given out.
    pub(crate) fn reserve<'a>(mut self, names: impl IntoIterator<Item = &'a str>) -> Self {
        self.taken.extend(names.into_iter().map(str::to_owned));
        self
    }

    /// A legal name that was not given out before.
    pub(crate) fn name(&mut self, wanted: &str) -> String {
        let legal = legal(wanted);
        let mut name = legal.clone();
        let mut count = 1;
        while !self.taken.insert(name.clone()) {
            count += 1;
            name = format!("{legal}_{count}");
        }
        name
    }
}

/// The name with what is not allowed in identifiers replaced.
fn legal(name: &str) -> String {
    let mut text = String::new();
    for c in name.chars() {
        match c {
            'a'..='z' | 'A'..='Z' | '0'..='9' | '_' => text.push(c),
            ')' | ']' => {}
            '-' => text.push('m'),
            _ => {
                if !text.ends_with('_') {
                    text.push('_');
                }
            }
        }
    }
    if !text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
        text.insert(0, '_');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::Mangler;

    #[test]
    fn names_become_legal_and_stay_apart() {
        let mut mangler = Mangler::default().reserve(["while"]);
        let names = ["Train(3).x", "Train_3_x", "x[-1][2]", "2nd", "", "größe", "while"];
        let given: Vec<String> = names.iter().map(|name| mangler.name(name)).collect();
        let expected = ["Train_3_x", "Train_3_x_2", "x_m1_2", "_2nd", "_", "gr_e", "while_2"];
        assert_eq!(given, expected);
    }
}
