//! The operations of the machine.
//!
//! Jumps are relative to the operation after them, so code can be moved.

use punctual_model::{BinaryOp, Builtin, Relation};

/// An operation. `[a, b]` are values on the stack, the topmost last; `<a, b>` are doubles on the
/// stack of doubles, which only stochastic code uses.
#[derive(Clone, Copy, Debug)]
pub(super) enum Op {
    /// Pushes a constant.
    Push(i32),
    /// Drops this many values.
    Pop(u32),
    /// Pushes a slot of the state.
    LoadState(u32),
    /// Pushes a slot of the frame.
    LoadLocal(u32),
    /// Pushes a slot of any memory.
    Load { space: Space, slot: u32 },
    /// `[index]` to the value there: a scalar with a single, small index.
    LoadAt { space: Space, stride: u8, lo: i16, len: u16, base: u32 },
    /// `[index]` to an address.
    AddressAt { stride: u8, lo: i16, len: u16, base: u32 },
    /// `[address, index]` to an address.
    Index { step: u32 },
    /// `[address]` to the value there.
    Fetch { space: Space },
    /// `[address]` to the values there.
    FetchBlock { space: Space, size: u32 },
    /// Pops into a slot of the state.
    PopState(u32),
    /// Pops into a slot of the frame.
    PopLocal(u32),
    /// `Check`, then `PopState`.
    SetState { slot: u32, lo: i16, hi: i16 },
    /// `Check`, then `PopLocal`.
    SetLocal { slot: u32, lo: i16, hi: i16 },
    /// Sets a slot of the state to a constant.
    PutState { slot: u32, value: i32 },
    /// Sets a slot of the frame to a constant.
    PutLocal { slot: u32, value: i32 },
    /// `[value, address]` are popped, checked and stored.
    Store { space: Space, keep: Keep, range: u32 },
    /// `[value, address]` are popped; what is at the address changes by the operator.
    Combine { space: Space, keep: Keep, op: BinaryOp, range: u32 },
    /// `[values.., address]` are popped and stored.
    StoreBlock { space: Space, keep: bool, size: u32 },
    /// `[value]` is popped and stored in all these slots.
    Fill { space: Space, slot: u32, size: u32 },
    /// A fault unless the topmost value lies between these.
    Check { lo: i32, hi: i32 },
    /// `[value]` to its negation.
    Negate,
    /// `[value]` to whether it is zero.
    Not,
    /// `[value]` to its absolute value.
    Abs,
    /// `[left, right]` to the value of an operator that evaluates both sides.
    Binary(BinaryOp),
    /// Pushes whether a slot of the state compares so.
    CompareState { compare: Compare, slot: u32, value: i32 },
    /// `[values.., values..]` to whether they are (un)equal.
    CompareBlocks { equal: bool, size: u32 },
    /// Skips operations.
    Jump(u32),
    /// Goes back.
    Back(u32),
    /// Pops, and skips operations if the truth of what was popped is this.
    JumpIf { sense: bool, skip: u32 },
    /// `[left, right]` are popped; skips operations if they compare so.
    JumpCompare { compare: Compare, skip: u32 },
    /// Skips operations if a slot of the state compares so.
    JumpState { compare: Compare, value: i16, slot: u32, skip: u32 },
    /// Skips the next operation if a slot of the frame has reached the end; else counts it up.
    Next { slot: u32, hi: i32 },
    /// Calls a function; the arguments are on the stack, and its values will be.
    Call(u32),
    /// Ends a function.
    Return,
    /// A function with a value ends without one.
    NoReturn,
    /// Pops; a fault if zero.
    Assert,
    /// `[clock]` to what it is now, as `[source, offset]`.
    ReadClock,
    /// `[source, offset, by]` to `[source, offset + by]`, or minus.
    ShiftClock { minus: bool },
    /// `[by, source, offset]` to `[source, offset + by]`.
    ShiftClockUnder,
    /// `[source, offset, clock]` are popped and the clock is set.
    SetClock { keep: bool },
    /// Sets a clock to a constant that was checked.
    ResetClock { clock: u32, value: i32 },
    /// Ends the run with a constant.
    Give(i32),
    /// Ends the run with the topmost value.
    Stop,
    /// Pushes the double of these bits, the higher half first.
    PushReal([u32; 2]),
    /// Drops this many doubles.
    PopReals(u32),
    /// Pushes a double.
    LoadReal { space: RealSpace, slot: u32 },
    /// `[index]` to `<value>`: a scalar with a single, small index.
    LoadRealAt { space: RealSpace, stride: u8, lo: i16, len: u16, base: u32 },
    /// `[address]` to `<value>`.
    FetchReal { space: RealSpace },
    /// `[address]` to `<values..>`.
    FetchReals { space: RealSpace, size: u32 },
    /// Pops into a slot.
    SetReal { space: RealSpace, slot: u32 },
    /// Sets a clock to a constant.
    PutClock { clock: u32, value: i32 },
    /// `<value>` and `[address]` are popped and stored.
    StoreReal { space: RealSpace, keep: Keep },
    /// `<value>` and `[address]` are popped; what is at the address changes by the operator.
    CombineReal { space: RealSpace, keep: Keep, op: BinaryOp },
    /// `<values..>` and `[address]` are popped and stored.
    StoreReals { space: RealSpace, keep: bool, size: u32 },
    /// Sets all these slots to zero.
    ZeroReals { space: RealSpace, slot: u32, size: u32 },
    /// `[value]` to `<value>`.
    ToReal,
    /// `<value>` to its negation.
    NegateReal,
    /// `<left, right>` to the value of an operator.
    BinaryReal(BinaryOp),
    /// `<left, right>` to `[whether they compare so]`.
    CompareReal(Compare),
    /// `<values.., values..>` to `[whether they are (un)equal]`.
    CompareReals { equal: bool, size: u32 },
    /// `<left, right>` are popped; skips operations if they compare so.
    JumpReal { compare: Compare, skip: u32 },
    /// Skips operations if a clock compares so.
    JumpClock { compare: Compare, value: i16, clock: u32, skip: u32 },
    /// `<arguments..>` to `<value>` of a function of the language.
    Function(Builtin),
    /// `<arguments..>` to `[value]` of a function of the language.
    Classify(Builtin),
    /// `<parameters..>` to `<a random number>`.
    Draw(Builtin),
}

const _: () = assert!(size_of::<Op>() == 12);

/// The memories.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Space {
    State,
    Local,
    Meta,
    Constant,
}

/// The memories of doubles.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum RealSpace {
    State,
    Local,
    Meta,
    Constant,
    Clock,
    /// The rates of clocks; read only.
    Rate,
}

/// What an assignment leaves on the stack.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Keep {
    Nothing,
    Old,
    New,
}

/// How an index counts: as `(index - lo) * stride`, if that is below `len` strides.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Step {
    pub(super) lo: i32,
    pub(super) len: u32,
    pub(super) stride: u32,
}

/// A comparison: which of less (1), equal (2), greater (4) and, of doubles, neither of these (8)
/// it accepts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Compare(u8);

impl Compare {
    pub(super) const EQUAL: Self = Self(2);
    pub(super) const UNEQUAL: Self = Self(13);

    /// The comparison that an operator makes, if it makes one.
    pub(super) fn of(op: BinaryOp) -> Option<Self> {
        Some(Self(match op {
            BinaryOp::Less => 1,
            BinaryOp::LessEqual => 3,
            BinaryOp::Equal => 2,
            BinaryOp::NotEqual => 13,
            BinaryOp::GreaterEqual => 6,
            BinaryOp::Greater => 4,
            _ => return None,
        }))
    }

    /// The comparison of a clock constraint.
    pub(super) fn from_relation(relation: Relation) -> Self {
        Self(match relation {
            Relation::Less => 1,
            Relation::LessEqual => 3,
            Relation::Equal => 2,
            Relation::NotEqual => 13,
            Relation::GreaterEqual => 6,
            Relation::Greater => 4,
        })
    }

    #[inline]
    pub(super) fn holds(self, left: i32, right: i32) -> bool {
        self.0 >> (left.cmp(&right) as i8 + 1) & 1 != 0
    }

    #[inline]
    pub(super) fn holds_real(self, left: f64, right: f64) -> bool {
        let order = left.partial_cmp(&right).map_or(3, |order| order as i8 + 1);
        self.0 >> order & 1 != 0
    }

    pub(super) fn negated(self) -> Self {
        Self(15 ^ self.0)
    }

    /// The same with its operands exchanged.
    pub(super) fn mirrored(self) -> Self {
        Self((self.0 & 1) << 2 | self.0 & 10 | (self.0 & 4) >> 2)
    }

    /// This comparison, or its negation.
    pub(super) fn sense(self, sense: bool) -> Self {
        if sense { self } else { self.negated() }
    }
}
