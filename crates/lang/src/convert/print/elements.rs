//! Elements of clock and channel arrays by name.
//!
//! A network stores each element on its own, with its indices in its name (`go[1][2]`). From the
//! names we learn which elements are neighbours, so that an element chosen by an expression is
//! printed as `go[1][i]`.

use punctual_model::Index;
use rustc_hash::FxHashMap;

/// The names of all elements of one table.
#[derive(Clone, Debug, Default)]
pub(super) struct Elements {
    names: Vec<Name>,
    /// Where each element is: its shape (`go[][]`) and its indices.
    positions: FxHashMap<(String, Vec<i64>), usize>,
}

#[derive(Clone, Debug)]
struct Name {
    /// The pieces around the indices.
    pieces: Vec<String>,
    indices: Vec<i64>,
}

impl Elements {
    pub(super) fn new<'a>(names: impl Iterator<Item = &'a str>) -> Self {
        let names: Vec<Name> = names.map(split).collect();
        let positions = names
            .iter()
            .enumerate()
            .map(|(at, name)| ((name.pieces.join("[]"), name.indices.clone()), at))
            .collect();
        Self { names, positions }
    }

    /// The name of an element; `print` gives the text of an index with something added to it.
    pub(super) fn name(
        &self,
        base: usize,
        indices: &[Index],
        print: &dyn Fn(&Index, i64) -> String,
    ) -> String {
        let Some(name) = self.names.get(base) else { return format!("?{base}") };
        let mut texts: Vec<Option<String>> = vec![None; name.indices.len()];
        let mut rest = String::new();
        for index in indices {
            let dimension = (0..texts.len()).filter(|d| texts[*d].is_none()).find(|&d| {
                let mut next = name.indices.clone();
                next[d] += 1;
                let next = self.positions.get(&(name.pieces.join("[]"), next));
                match index.len {
                    1 => next.is_none(),
                    _ => next.is_some_and(|at| *at == base + index.stride as usize),
                }
            });
            match dimension {
                Some(d) => texts[d] = Some(print(index, name.indices[d] - i64::from(index.lo))),
                // The names do not tell; say at least what is chosen.
                None => rest += &format!("[{}]", print(index, 0)),
            }
        }
        let mut text = name.pieces[0].clone();
        for ((piece, index), chosen) in name.pieces[1..].iter().zip(&name.indices).zip(texts) {
            text += &format!("[{}]{piece}", chosen.unwrap_or_else(|| index.to_string()));
        }
        text + &rest
    }
}

fn split(name: &str) -> Name {
    let mut pieces = vec![String::new()];
    let mut indices = Vec::new();
    let mut rest = name;
    while let Some(open) = rest.find('[') {
        let inside = &rest[open + 1..];
        let index = inside.find(']').and_then(|end| Some((inside[..end].parse().ok()?, end)));
        let last = pieces.last_mut().expect("there is always a piece");
        match index {
            Some((index, end)) => {
                last.push_str(&rest[..open]);
                indices.push(index);
                pieces.push(String::new());
                rest = &inside[end + 1..];
            }
            None => {
                last.push_str(&rest[..=open]);
                rest = inside;
            }
        }
    }
    pieces.last_mut().expect("there is always a piece").push_str(rest);
    Name { pieces, indices }
}
