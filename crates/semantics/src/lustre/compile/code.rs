//! Instructions, and what runs them.

use punctual_model::lustre::Rational;

use super::around::Observer;
use super::node::{Binary, Unary};
use crate::lustre::reads::Reads;
use crate::lustre::real::Real;
use crate::lustre::stepper::Registers;

/// A register of cells, or one of exact reals.
pub(super) type Reg = u32;

/// One instruction. The first register is the one that is written; jumps are to positions.
///
/// All fit 16 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Instr {
    Move(Reg, Reg),
    /// Copies the third if the second holds.
    MoveIf(Reg, Reg, Reg),
    Not(Reg, Reg),
    And(Reg, Reg, Reg),
    Or(Reg, Reg, Reg),
    Eq(Reg, Reg, Reg),
    Ne(Reg, Reg, Reg),
    Lt(Reg, Reg, Reg),
    Le(Reg, Reg, Reg),
    Add(Reg, Reg, Reg),
    Sub(Reg, Reg, Reg),
    Unary(Unary, Reg, Reg),
    Binary(Binary, Reg, Reg, Reg),
    RealMove(Reg, Reg),
    RealMoveIf(Reg, Reg, Reg),
    RealNeg(Reg, Reg),
    RealFromInt(Reg, Reg),
    RealFloor(Reg, Reg),
    RealCompare(Binary, Reg, Reg, Reg),
    RealBinary(Binary, Reg, Reg, Reg),
    Jump(u32),
    JumpIf(Reg, u32),
    JumpUnless(Reg, u32),
    JumpEq(Reg, Reg, u32),
    JumpNe(Reg, Reg, u32),
    JumpLt(Reg, Reg, u32),
    JumpLe(Reg, Reg, u32),
    /// Inputs are read: a word of the set, and the position of the bits to set there.
    Read(u32, u32),
    End,
}

/// A number that does not exist was computed, needed or not.
pub(in crate::lustre) struct Stuck;

/// Runs code to its end.
pub(super) fn run(
    code: &[Instr],
    masks: &[u64],
    registers: &mut Registers,
    reads: &mut Reads,
    observer: &mut impl Observer,
) -> Result<(), Stuck> {
    let cells = registers.cells.as_mut_slice();
    let reals = registers.reals.as_mut_slice();
    let mut at = 0;
    loop {
        let instr = code[at];
        at += 1;
        observer.see(instr, cells);
        match instr {
            Instr::Move(d, a) => cells[d as usize] = cells[a as usize],
            Instr::MoveIf(d, c, a) => {
                let value =
                    if cells[c as usize] == 0 { cells[d as usize] } else { cells[a as usize] };
                cells[d as usize] = value;
            }
            Instr::Not(d, a) => cells[d as usize] = cells[a as usize] ^ 1,
            Instr::And(d, a, b) => cells[d as usize] = cells[a as usize] & cells[b as usize],
            Instr::Or(d, a, b) => cells[d as usize] = cells[a as usize] | cells[b as usize],
            Instr::Eq(d, a, b) => {
                cells[d as usize] = i64::from(cells[a as usize] == cells[b as usize]);
            }
            Instr::Ne(d, a, b) => {
                cells[d as usize] = i64::from(cells[a as usize] != cells[b as usize]);
            }
            Instr::Lt(d, a, b) => {
                cells[d as usize] = i64::from(cells[a as usize] < cells[b as usize]);
            }
            Instr::Le(d, a, b) => {
                cells[d as usize] = i64::from(cells[a as usize] <= cells[b as usize]);
            }
            Instr::Add(d, a, b) => {
                cells[d as usize] =
                    cells[a as usize].checked_add(cells[b as usize]).ok_or(Stuck)?;
            }
            Instr::Sub(d, a, b) => {
                cells[d as usize] =
                    cells[a as usize].checked_sub(cells[b as usize]).ok_or(Stuck)?;
            }
            Instr::Unary(op, d, a) => {
                cells[d as usize] = op.cell(cells[a as usize]).ok_or(Stuck)?;
            }
            Instr::Binary(op, d, a, b) => {
                cells[d as usize] = op.cell(cells[a as usize], cells[b as usize]).ok_or(Stuck)?;
            }
            Instr::RealMove(d, a) => reals[d as usize] = reals[a as usize],
            Instr::RealMoveIf(d, c, a) => {
                if cells[c as usize] != 0 {
                    reals[d as usize] = reals[a as usize];
                }
            }
            Instr::RealNeg(d, a) => {
                reals[d as usize] = Real::neg(reals[a as usize]).ok_or(Stuck)?;
            }
            Instr::RealFromInt(d, a) => reals[d as usize] = Rational::from_int(cells[a as usize]),
            Instr::RealFloor(d, a) => {
                cells[d as usize] = Real::floor(reals[a as usize]).ok_or(Stuck)?;
            }
            Instr::RealCompare(op, d, a, b) => {
                let holds = op.compare(&reals[a as usize], &reals[b as usize]);
                cells[d as usize] = i64::from(holds);
            }
            Instr::RealBinary(op, d, a, b) => {
                reals[d as usize] = op.real(reals[a as usize], reals[b as usize]).ok_or(Stuck)?;
            }
            Instr::Jump(to) => at = to as usize,
            Instr::JumpIf(a, to) => {
                if cells[a as usize] != 0 {
                    at = to as usize;
                }
            }
            Instr::JumpUnless(a, to) => {
                if cells[a as usize] == 0 {
                    at = to as usize;
                }
            }
            Instr::JumpEq(a, b, to) => {
                if cells[a as usize] == cells[b as usize] {
                    at = to as usize;
                }
            }
            Instr::JumpNe(a, b, to) => {
                if cells[a as usize] != cells[b as usize] {
                    at = to as usize;
                }
            }
            Instr::JumpLt(a, b, to) => {
                if cells[a as usize] < cells[b as usize] {
                    at = to as usize;
                }
            }
            Instr::JumpLe(a, b, to) => {
                if cells[a as usize] <= cells[b as usize] {
                    at = to as usize;
                }
            }
            Instr::Read(word, mask) => reads.words[word as usize] |= masks[mask as usize],
            Instr::End => return Ok(()),
        }
    }
}
