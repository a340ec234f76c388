//! Instructions with labels, made into instructions with positions.

use super::code::Instr;

/// A place to jump to.
pub(super) type Label = u32;

/// A region as far as inputs are read in it.
pub(super) type Slot = usize;

#[derive(Clone, Copy, Debug)]
enum Line {
    /// Jumps hold a label.
    Instr(Instr),
    Label(Label),
    /// Here begins a region.
    Slot(Slot),
}

/// Code that is being written.
#[derive(Debug, Default)]
pub(super) struct Assembly {
    lines: Vec<Line>,
    n_labels: Label,
    /// Which followed inputs each region reads, and the region around it.
    slots: Vec<(Vec<u64>, Option<Slot>)>,
}

impl Assembly {
    pub(super) fn push(&mut self, instr: Instr) {
        self.lines.push(Line::Instr(instr));
    }

    pub(super) fn label(&mut self) -> Label {
        self.n_labels += 1;
        self.n_labels - 1
    }

    pub(super) fn put(&mut self, label: Label) {
        self.lines.push(Line::Label(label));
    }

    /// Begins a region.
    pub(super) fn slot(&mut self, outer: Option<Slot>) -> Slot {
        self.slots.push((Vec::new(), outer));
        self.lines.push(Line::Slot(self.slots.len() - 1));
        self.slots.len() - 1
    }

    /// Notes that a region reads a followed input.
    pub(super) fn read(&mut self, slot: Slot, position: usize) {
        let words = &mut self.slots[slot].0;
        words.resize(words.len().max(position / 64 + 1), 0);
        words[position / 64] |= 1 << (position % 64);
    }

    /// The instructions, and the bits that they set of the inputs read.
    pub(super) fn finish(self) -> (Vec<Instr>, Vec<u64>) {
        let mut code = Vec::new();
        let mut masks = Vec::new();
        let mut positions = vec![0; self.n_labels as usize];
        for line in &self.lines {
            match line {
                Line::Instr(instr) => code.push(*instr),
                Line::Label(label) => positions[*label as usize] = position(code.len()),
                Line::Slot(slot) => {
                    for word in 0..self.slots[*slot].0.len() {
                        let (mask, at) = (self.mask(*slot, word), position(masks.len()));
                        if mask != 0 {
                            masks.push(mask);
                            code.push(Instr::Read(position(word), at));
                        }
                    }
                }
            }
        }
        code.push(Instr::End);
        for instr in &mut code {
            match instr {
                Instr::Jump(to)
                | Instr::JumpIf(_, to)
                | Instr::JumpUnless(_, to)
                | Instr::JumpEq(_, _, to)
                | Instr::JumpNe(_, _, to)
                | Instr::JumpLt(_, _, to)
                | Instr::JumpLe(_, _, to) => *to = positions[*to as usize],
                _ => {}
            }
        }
        (code, masks)
    }

    /// What a region reads that the regions around it do not.
    fn mask(&self, slot: Slot, word: usize) -> u64 {
        let bits = |slot: Slot| self.slots[slot].0.get(word).copied().unwrap_or(0);
        let mut mask = bits(slot);
        let mut outer = self.slots[slot].1;
        while let Some(slot) = outer.filter(|_| mask != 0) {
            mask &= !bits(slot);
            outer = self.slots[slot].1;
        }
        mask
    }
}

fn position(index: usize) -> u32 {
    u32::try_from(index).expect("code of fewer than 2^32 instructions")
}
