//! The values that inputs may carry.

use punctual_model::testing::Wire;

/// All combinations of values that a signal may carry; none if there are more than so many.
pub(crate) fn combinations(wire: &Wire, most: u64) -> Option<Vec<Vec<i32>>> {
    let mut combinations = vec![Vec::new()];
    for slot in &wire.values {
        if slot.range.len() * combinations.len() as u64 > most {
            return None;
        }
        let longer = |values: &Vec<i32>| {
            let values = values.clone();
            (slot.range.lo..=slot.range.hi).map(move |value| {
                let mut values = values.clone();
                values.push(value);
                values
            })
        };
        combinations = combinations.iter().flat_map(longer).collect();
    }
    Some(combinations)
}
