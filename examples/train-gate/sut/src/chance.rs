//! Random numbers: `SplitMix64`, which is small and the same everywhere.

/// A stream of random numbers.
pub(crate) struct Chance {
    state: u64,
}

const GAMMA: u64 = 0x9e37_79b9_7f4a_7c15;

impl Chance {
    /// One of many streams of a seed.
    pub(crate) fn new(seed: u64, stream: u64) -> Self {
        let mut chance = Self { state: seed };
        // Streams start far from each other, also for seeds that follow each other.
        chance.state = chance.next() ^ stream.wrapping_mul(0xd6e8_feb8_6659_fd93);
        chance.next();
        chance
    }

    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(GAMMA);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number from 0 to `max`, each as likely as the others (but for one part in 2⁶⁴ / `max`).
    pub(crate) fn up_to(&mut self, max: u64) -> u64 {
        let n_values = u128::from(max) + 1;
        ((u128::from(self.next()) * n_values) >> 64) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::Chance;

    #[test]
    fn all_values_come_about_as_often() {
        let mut chance = Chance::new(1, 2);
        let mut counts = [0; 6];
        for _ in 0..6000 {
            counts[usize::try_from(chance.up_to(5)).unwrap()] += 1;
        }
        assert!(counts.iter().all(|count| (850..1150).contains(count)), "{counts:?}");
    }

    #[test]
    fn streams_and_seeds_differ() {
        let first = |seed, stream| Chance::new(seed, stream).next();
        let mut seen: Vec<u64> =
            (0..40).flat_map(|seed| (0..40).map(move |stream| first(seed, stream))).collect();
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen.len(), 1600);
    }
}
