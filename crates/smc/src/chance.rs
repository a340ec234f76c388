//! Random numbers: a stream of its own for each run, so that a run depends on nothing but the seed
//! and its number.

use punctual_semantics::program::Chance;

/// Xoshiro256++ (Blackman & Vigna 2019), started by SplitMix64 (Steele, Lea & Flood 2014).
#[derive(Clone, Debug)]
pub struct Stream([u64; 4]);

impl Stream {
    /// The stream of a run.
    #[must_use]
    pub fn of_run(seed: u64, run: u64) -> Stream {
        // Two rounds, so that neighbouring seeds and runs have nothing in common.
        let mut state = mix(seed).wrapping_add(mix(run ^ 0x5851_F42D_4C95_7F2D));
        Stream(std::array::from_fn(|_| {
            state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
            mix(state)
        }))
    }
}

fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

impl Chance for Stream {
    #[inline]
    fn bits(&mut self) -> u64 {
        let Stream([a, b, c, d]) = self;
        let bits = a.wrapping_add(*d).rotate_left(23).wrapping_add(*a);
        let shifted = *b << 17;
        *c ^= *a;
        *d ^= *b;
        *b ^= *c;
        *a ^= *d;
        *c ^= shifted;
        *d = d.rotate_left(45);
        bits
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn follows_the_published_generator() {
        // First numbers of xoshiro256++ from the state 1, 2, 3, 4.
        let mut stream = Stream([1, 2, 3, 4]);
        let first: Vec<u64> = (0..3).map(|_| stream.bits()).collect();
        assert_eq!(first, [41_943_041, 58_720_359, 3_588_806_011_781_223]);
    }

    #[test]
    fn neighbouring_runs_have_nothing_in_common() {
        let mut mean = 0.0;
        for run in 0..10_000 {
            let (mut a, mut b) = (Stream::of_run(7, run), Stream::of_run(7, run + 1));
            mean += (a.unit() - 0.5) * (b.unit() - 0.5);
        }
        // The covariance of independent units has a deviation of 1/12 for each.
        assert!((mean / 10_000.0).abs() < 5.0 / 12.0 / 100.0, "{mean}");
    }
}
