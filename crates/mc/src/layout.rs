//! Discrete states in few bits.
//!
//! A discrete state is the location of each process and then each integer of the state. Every one
//! takes as many bits as its range needs.

use punctual_model::{Network, Range, Storage, Type};

/// How a discrete state is laid out.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    fields: Vec<Field>,
    bytes: usize,
}

#[derive(Clone, Copy, Debug)]
struct Field {
    lo: i32,
    bits: u32,
}

impl Layout {
    pub(crate) fn new(network: &Network) -> Layout {
        let locations = network.processes.iter().map(|process| {
            let last = i32::try_from(process.locations.len().max(1) - 1).expect("few locations");
            Field::new(Range { lo: 0, hi: last })
        });
        let ranges = int_ranges(network);
        let fields: Vec<Field> = locations.chain(ranges.into_iter().map(Field::new)).collect();
        let bits: usize = fields.iter().map(|field| field.bits as usize).sum();
        Layout { fields, bytes: bits.div_ceil(8).max(1) }
    }

    /// The bytes of a packed state.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Appends a packed state.
    pub(crate) fn pack(&self, state: &[i32], out: &mut Vec<u8>) {
        let start = out.len();
        let (mut word, mut used) = (0_u64, 0);
        for (field, &value) in self.fields.iter().zip(state) {
            let offset = value.wrapping_sub(field.lo).cast_unsigned();
            assert!(u64::from(offset) >> field.bits == 0, "a value is outside of its range");
            word |= u64::from(offset) << used;
            used += field.bits;
            while used >= 8 {
                out.push(word as u8);
                word >>= 8;
                used -= 8;
            }
        }
        if used > 0 || out.len() == start {
            out.push(word as u8);
        }
        debug_assert_eq!(out.len(), start + self.bytes);
    }

    /// Restores a packed state.
    pub(crate) fn unpack(&self, bytes: &[u8], state: &mut [i32]) {
        let (mut word, mut used) = (0_u64, 0);
        let mut bytes = bytes.iter();
        for (field, value) in self.fields.iter().zip(state) {
            while used < field.bits {
                word |= u64::from(*bytes.next().expect("a packed state")) << used;
                used += 8;
            }
            let offset = word & ((1_u64 << field.bits) - 1);
            *value = field.lo.wrapping_add((offset as u32).cast_signed());
            word >>= field.bits;
            used -= field.bits;
        }
    }
}

impl Field {
    fn new(range: Range) -> Field {
        let span = range.len().max(1) - 1;
        Field { lo: range.lo, bits: u64::BITS - span.leading_zeros() }
    }
}

/// What each integer of the state may hold.
pub(crate) fn int_ranges(network: &Network) -> Vec<Range> {
    let mut ranges = vec![Range::ALL; network.initial.ints.len()];
    for variable in network.variables.iter().filter(|it| it.storage == Storage::State) {
        let mut slot = variable.ints as usize;
        fill(&variable.ty, &mut ranges, &mut slot);
    }
    ranges
}

fn fill(ty: &Type, ranges: &mut [Range], slot: &mut usize) {
    let mut set = |range| {
        ranges[*slot] = range;
        *slot += 1;
    };
    match ty {
        Type::Int(range) => set(*range),
        Type::Bool => set(Range::BOOL),
        Type::Scalar { size } => set(Range { lo: 0, hi: size.saturating_sub(1).cast_signed() }),
        Type::Double | Type::Clock => {}
        Type::Array { len, element, .. } => {
            for _ in 0..*len {
                fill(element, ranges, slot);
            }
        }
        Type::Struct(fields) => {
            for field in fields {
                fill(&field.ty, ranges, slot);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packed_states_come_back() {
        let ranges = [(0, 0), (0, 1), (-3, 4), (i32::MIN, i32::MAX), (0, 2), (-32768, 32767)];
        let fields: Vec<Field> =
            ranges.iter().map(|&(lo, hi)| Field::new(Range { lo, hi })).collect();
        let bits: u32 = fields.iter().map(|field| field.bits).sum();
        let layout = Layout { fields, bytes: (bits as usize).div_ceil(8) };
        for pick in [|r: &(i32, i32)| r.0, |r: &(i32, i32)| r.1] {
            let state: Vec<i32> = ranges.iter().map(pick).collect();
            let (mut bytes, mut restored) = (vec![9], vec![7; state.len()]);
            layout.pack(&state, &mut bytes);
            layout.unpack(&bytes[1..], &mut restored);
            assert_eq!(restored, state);
        }
    }

    #[test]
    #[should_panic(expected = "outside of its range")]
    fn a_value_outside_of_its_range_is_not_stored() {
        let layout = Layout { fields: vec![Field::new(Range { lo: 0, hi: 5 })], bytes: 1 };
        layout.pack(&[9], &mut Vec::new());
    }
}
