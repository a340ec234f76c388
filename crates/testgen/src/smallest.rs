//! A small set of tests that cover as much as all.

/// Which tests to keep: again and again the one that covers most of what is not covered yet, the
/// first of equals. Each test comes with what it covers.
pub(crate) fn smallest(covers: &[Vec<usize>], n_obligations: usize) -> Vec<usize> {
    let mut is_covered = vec![false; n_obligations];
    let mut kept = Vec::new();
    loop {
        let gain = |test: &Vec<usize>| test.iter().filter(|at| !is_covered[**at]).count();
        let best = covers.iter().enumerate().map(|(at, test)| (gain(test), at));
        match best.max_by_key(|(gain, at)| (*gain, usize::MAX - at)) {
            Some((1.., at)) => {
                covers[at].iter().for_each(|obligation| is_covered[*obligation] = true);
                kept.push(at);
            }
            _ => {
                kept.sort_unstable();
                return kept;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::smallest;

    #[test]
    fn tests_that_add_nothing_are_dropped() {
        let covers = [vec![0], vec![0, 1], vec![2, 3], vec![1, 2], vec![]];
        assert_eq!(smallest(&covers, 5), [1, 2]);
    }
}
