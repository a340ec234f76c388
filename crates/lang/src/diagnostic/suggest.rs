//! The name that the modeller may have meant.
//!
//! Files may have thousands of misspelt names among thousands of others, so candidates that can not be close are told by their lengths
//! and letters, and only a band of the table of distances is filled.

/// Longer names are compared by their beginnings.
const CHARS_MAX: usize = 64;
/// A letter has at most three in lower case.
const ROW: usize = 3 * CHARS_MAX + 1;
/// Nothing is close that differs by more edits.
const LIMIT_MAX: u8 = 3;

/// The candidate that is closest to a misspelt name, if one is close enough to be likely.
pub fn closest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let mut limit = match name.chars().count() {
        0..=2 => 1,
        3..=5 => 2,
        _ => LIMIT_MAX,
    };
    let word = Word::new(name);
    let mut other = Word::default();
    let mut best = None;
    for candidate in candidates {
        if candidate.is_empty() || candidate == name {
            continue;
        }
        other.set(candidate);
        if let Some(distance) = word.distance(&other, limit)
            && usize::from(distance) < candidate.chars().count()
        {
            best = Some(candidate);
            // The first of those that are equally close counts.
            let Some(closer) = distance.checked_sub(1) else { break };
            limit = closer;
        }
    }
    best
}

/// A name as it is compared: in lower case.
struct Word {
    chars: Vec<char>,
    /// How often letters are there, by classes of letters.
    letters: [u8; 32],
}

impl Default for Word {
    fn default() -> Self {
        Self { chars: Vec::with_capacity(ROW), letters: [0; 32] }
    }
}

impl Word {
    fn new(text: &str) -> Self {
        let mut word = Self::default();
        word.set(text);
        word
    }

    fn set(&mut self, text: &str) {
        self.chars.clear();
        self.chars.extend(text.chars().take(CHARS_MAX).flat_map(char::to_lowercase));
        self.letters = [0; 32];
        for c in &self.chars {
            self.letters[*c as usize % 32] += 1;
        }
    }

    /// Edits between two names: insert, delete, replace, swap of neighbours; case costs nothing. None if there are more than `limit`.
    fn distance(&self, other: &Self, limit: u8) -> Option<u8> {
        let (left, right, band) = (&self.chars, &other.chars, usize::from(limit));
        if left.len().abs_diff(right.len()) > band {
            return None;
        }
        // An edit changes the numbers of at most two classes by one.
        let classes = self.letters.iter().zip(&other.letters);
        if classes.map(|(a, b)| usize::from(a.abs_diff(*b))).sum::<usize>() > 2 * band {
            return None;
        }
        // `rows[i % 3][j]` is the distance of the first `i` letters from the first `j`; what is outside of the band is too far.
        let far = limit + 1;
        let mut rows = [[far; ROW]; 3];
        for i in 0..=left.len() {
            let [above, twice] = [rows[(i + 2) % 3], rows[(i + 1) % 3]];
            let row = &mut rows[i % 3];
            *row = [far; ROW];
            for j in i.saturating_sub(band)..=right.len().min(i + band) {
                row[j] = match (i, j) {
                    (0, n) | (n, 0) => n as u8,
                    _ => {
                        let replace = above[j - 1] + u8::from(left[i - 1] != right[j - 1]);
                        let mut least = replace.min(above[j] + 1).min(row[j - 1] + 1);
                        let (a, b) = (left[i - 1], right[j - 1]);
                        if i > 1 && j > 1 && a == right[j - 2] && left[i - 2] == b {
                            least = least.min(twice[j - 2] + 1);
                        }
                        least.min(far)
                    }
                };
            }
        }
        Some(rows[left.len() % 3][right.len()]).filter(|it| *it <= limit)
    }
}

#[cfg(test)]
mod tests {
    use super::{Word, closest};

    #[test]
    fn likely_names_are_suggested() {
        assert_eq!(closest("lenght", ["len", "length", "list"]), Some("length"));
        assert_eq!(closest("appr", ["Appr", "leave"]), Some("Appr"));
        assert_eq!(closest("x", ["counter", "speed"]), None);
    }

    /// The plain table of distances.
    fn plain(left: &str, right: &str) -> usize {
        let (left, right): (Vec<char>, Vec<char>) =
            (left.chars().collect(), right.chars().collect());
        let mut rows = vec![vec![0; right.len() + 1]; left.len() + 1];
        for i in 0..=left.len() {
            for j in 0..=right.len() {
                rows[i][j] = if i == 0 || j == 0 {
                    i + j
                } else {
                    let replace = rows[i - 1][j - 1] + usize::from(left[i - 1] != right[j - 1]);
                    let mut best = replace.min(rows[i - 1][j] + 1).min(rows[i][j - 1] + 1);
                    if i > 1 && j > 1 && left[i - 1] == right[j - 2] && left[i - 2] == right[j - 1]
                    {
                        best = best.min(rows[i - 2][j - 2] + 1);
                    }
                    best
                };
            }
        }
        rows[left.len()][right.len()]
    }

    #[test]
    fn the_band_has_the_distances_of_the_whole_table() {
        let words: Vec<String> = (0..400_usize)
            .map(|n| (0..n % 7).map(|i| ["a", "b", "c"][n / 3_usize.pow(i as u32) % 3]).collect())
            .collect();
        for left in &words {
            for right in words.iter().step_by(7) {
                for limit in 0..=3 {
                    let found = Word::new(left).distance(&Word::new(right), limit);
                    let distance = plain(left, right);
                    let expected = (distance <= usize::from(limit)).then_some(distance as u8);
                    assert_eq!(found, expected, "{left} {right} {limit}");
                }
            }
        }
    }
}
