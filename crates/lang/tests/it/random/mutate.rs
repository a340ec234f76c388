//! Small faults in texts, by chance. The fuzz targets use it too, so it needs nothing else.

use std::ops::Range;

/// Numbers by chance, the same for the same seed (xorshift64*).
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u32) -> Self {
        Self((u64::from(seed) << 32) ^ 0x9e37_79b9_7f4a_7c15)
    }

    /// A number below `end`, which is not 0.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let number = self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 32;
        usize::try_from(number).expect("32 bits") % end
    }
}

/// Texts that are rarely where they are expected.
const ODD: [&str; 32] = [
    "-1",
    "2147483647",
    "-2147483648",
    "99999999999",
    "1e400",
    "0",
    "[",
    "]",
    "(",
    ")",
    "{",
    "}",
    ";",
    "&&",
    "||",
    "!",
    "'",
    "\"",
    "<",
    "&",
    "&lt;",
    "-->",
    "]]>",
    "\\",
    "\r",
    "\0",
    "\u{e9}",
    "\u{1f600}",
    "/*",
    "//",
    "forall (i : int[0,9])",
    "int[0,1048576]",
];

/// Makes one to four changes; pieces that are put in come from the text itself, from `other`, or
/// are odd.
pub(crate) fn mutate(bytes: &mut Vec<u8>, other: &[u8], random: &mut Random) {
    for _ in 0..=random.below(4) {
        match random.below(9) {
            0 => flip(bytes, random),
            1 => bytes.truncate(random.below(bytes.len() + 1)),
            2 => drop(bytes.drain(range(bytes.len(), random))),
            3 => {
                let piece = bytes[range(bytes.len(), random)].to_vec();
                insert(bytes, &piece, random);
            }
            4 => insert(bytes, &other[range(other.len(), random)], random),
            5 => insert(bytes, ODD[random.below(ODD.len())].as_bytes(), random),
            6 => swap_tokens(bytes, random),
            7 => {
                let piece = other[token(other, random)].to_vec();
                let place = token(bytes, random);
                bytes.splice(place, piece);
            }
            _ => {
                let place = token(bytes, random);
                match random.below(3) {
                    0 => drop(bytes.drain(place)),
                    1 => drop(bytes.splice(place, ODD[random.below(ODD.len())].bytes())),
                    _ => {
                        let piece = bytes[token(bytes, random)].to_vec();
                        bytes.splice(place, piece);
                    }
                }
            }
        }
    }
}

fn flip(bytes: &mut [u8], random: &mut Random) {
    if !bytes.is_empty() {
        let at = random.below(bytes.len());
        bytes[at] ^= 1 << random.below(8);
    }
}

fn insert(bytes: &mut Vec<u8>, piece: &[u8], random: &mut Random) {
    let at = random.below(bytes.len() + 1);
    bytes.splice(at..at, piece.iter().copied());
}

/// A part of something that is `len` long: mostly a short one.
fn range(len: usize, random: &mut Random) -> Range<usize> {
    let start = random.below(len + 1);
    let longest = match random.below(4) {
        0 => len - start,
        _ => (len - start).min(40),
    };
    start..start + random.below(longest + 1)
}

/// A token: a word, a number, or a character that is no space.
fn token(bytes: &[u8], random: &mut Random) -> Range<usize> {
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let from = random.below(bytes.len() + 1);
    let skipped = bytes[from..].iter().position(|byte| !byte.is_ascii_whitespace());
    let at = from + skipped.unwrap_or(bytes.len() - from);
    let before = bytes[..at].iter().rev().take_while(|byte| is_word(byte)).count();
    match bytes[at..].iter().take_while(|byte| is_word(byte)).count() {
        0 => at..bytes.len().min(at + 1),
        after => at - before..at + after,
    }
}

fn swap_tokens(bytes: &mut Vec<u8>, random: &mut Random) {
    let (one, other) = (token(bytes, random), token(bytes, random));
    let (first, second) = if one.start <= other.start { (one, other) } else { (other, one) };
    if first.end <= second.start {
        let pieces = (bytes[first.clone()].to_vec(), bytes[second.clone()].to_vec());
        bytes.splice(second, pieces.0);
        bytes.splice(first, pieces.1);
    }
}
