//! The name that the modeller may have meant.

/// The candidate that is closest to a misspelt name, if one is close enough to be likely.
pub fn closest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let limit = match name.chars().count() {
        0..=2 => 1,
        3..=5 => 2,
        _ => 3,
    };
    candidates
        .into_iter()
        .filter(|candidate| !candidate.is_empty() && *candidate != name)
        .map(|candidate| (distance(name, candidate), candidate))
        .filter(|(distance, candidate)| *distance <= limit && *distance < candidate.chars().count())
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// Edits between two names: insert, delete, replace, swap of neighbours; case costs nothing
/// beyond breaking ties.
fn distance(left: &str, right: &str) -> usize {
    let left: Vec<char> = left.chars().take(64).flat_map(char::to_lowercase).collect();
    let right: Vec<char> = right.chars().take(64).flat_map(char::to_lowercase).collect();
    let mut rows = vec![vec![0; right.len() + 1]; left.len() + 1];
    for i in 0..=left.len() {
        for j in 0..=right.len() {
            rows[i][j] = if i == 0 || j == 0 {
                i + j
            } else {
                let replace = rows[i - 1][j - 1] + usize::from(left[i - 1] != right[j - 1]);
                let mut best = replace.min(rows[i - 1][j] + 1).min(rows[i][j - 1] + 1);
                if i > 1 && j > 1 && left[i - 1] == right[j - 2] && left[i - 2] == right[j - 1] {
                    best = best.min(rows[i - 2][j - 2] + 1);
                }
                best
            };
        }
    }
    rows[left.len()][right.len()]
}

#[cfg(test)]
mod tests {
    use super::closest;

    #[test]
    fn likely_names_are_suggested() {
        assert_eq!(closest("lenght", ["len", "length", "list"]), Some("length"));
        assert_eq!(closest("appr", ["Appr", "leave"]), Some("Appr"));
        assert_eq!(closest("x", ["counter", "speed"]), None);
    }
}
