//! Values that edges select: all combinations, one after the other.

use crate::program::Machine;

/// A value chosen from a range.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Select {
    /// The local that holds it.
    pub(crate) slot: u32,
    pub(crate) lo: i32,
    pub(crate) hi: i32,
}

/// The selects of an edge or a branch.
pub(crate) fn compile(selects: &[punctual_model::Select]) -> Vec<Select> {
    let select =
        |it: &punctual_model::Select| Select { slot: it.slot, lo: it.range.lo, hi: it.range.hi };
    selects.iter().map(select).collect()
}

/// Puts selected values where code finds them.
#[inline]
pub(crate) fn set_selects(machine: &mut Machine, selects: &[Select], values: &[i32]) {
    if selects.is_empty() {
        return;
    }
    let locals = machine.locals();
    for (select, &value) in selects.iter().zip(values) {
        locals[select.slot as usize] = value;
    }
}

/// The next combination of values; false after the last.
pub(crate) fn next_selects(selects: &[Select], values: &mut [i32]) -> bool {
    for (select, value) in selects.iter().zip(values) {
        if *value < select.hi {
            *value += 1;
            return true;
        }
        *value = select.lo;
    }
    false
}
