//! Whether a network keeps what its types promise.
//!
//! Readers and passes build networks that do; a file may say anything. What is checked: ids,
//! slots, strides and sizes lie within bounds, operands are of the kind of their operator, calls
//! have the right arguments and are not recursive, frames are large enough and not absurd.

use std::fmt;

use punctual_model::{
    AssignOp, BinaryOp, Builtin, ClockConstraint, Condition, Expr, Frame, Function, FunctionBody,
    FunctionId, Id, Index, Memory, Network, Number, Place, Process, Quantifier, Range, Relation,
    ReturnType, Select, Statement, Storage, Sync, UnaryOp,
};

use crate::convert::print::places::size;

/// More local memory than this is a mistake.
const FRAME_MAX: u32 = 1 << 24;

/// What is wrong with a network.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Flaw {
    /// The path to the flaw: `processes[0].edges[2].guard`.
    pub path: String,
    /// What is wrong at this path, in words.
    pub problem: String,
}

impl fmt::Display for Flaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (at {})", self.problem, self.path)
    }
}

/// Checks a network; the first flaw is reported.
pub fn validate(network: &Network) -> Result<(), Flaw> {
    let checker = Checker { network, shared: shared_frames(network)? };
    checker.network()
}

/// The kind of value that an expression has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Int,
    Double,
    Block(Number, u32),
    Nothing,
}

impl Kind {
    fn of(number: Number, size: u32) -> Self {
        match (number, size) {
            (Number::Int, 1) => Self::Int,
            (Number::Double, 1) => Self::Double,
            _ => Self::Block(number, size),
        }
    }

    fn name(self) -> String {
        match self {
            Self::Int => "an integer".to_owned(),
            Self::Double => "a double".to_owned(),
            Self::Block(_, size) => format!("a block of {size} values"),
            Self::Nothing => "nothing".to_owned(),
        }
    }
}

struct Checker<'a> {
    network: &'a Network,
    /// What each function that shares the frame of its caller needs of it.
    shared: Vec<Frame>,
}

type Checked<T = ()> = Result<T, Flaw>;

fn flaw<T>(path: &str, problem: impl Into<String>) -> Checked<T> {
    Err(Flaw { path: path.to_owned(), problem: problem.into() })
}

fn within(path: &str, what: &str, index: usize, len: usize) -> Checked {
    match index < len {
        true => Ok(()),
        false => flaw(path, format!("{what} {index} does not exist; there are {len}")),
    }
}

fn range(path: &str, range: Range) -> Checked {
    match range.is_empty() {
        true => flaw(path, format!("the range {} to {} is empty", range.lo, range.hi)),
        false => Ok(()),
    }
}

fn frame(path: &str, frame: Frame) -> Checked {
    match frame.ints.max(frame.doubles) > FRAME_MAX {
        true => flaw(path, "the frame is too large"),
        false => Ok(()),
    }
}

impl Checker<'_> {
    fn network(&self) -> Checked {
        let network = self.network;
        for (i, variable) in network.variables.iter().enumerate() {
            let path = format!("variables[{i}]");
            self.owner(&path, variable.owner)?;
            let Some(memory) = self.memory(variable.storage) else {
                return flaw(&path, "a declared variable can not be local");
            };
            let (ints, doubles) = size(&variable.ty);
            let fits = |first: u32, len: u32, slots: usize| {
                len == 0 || u64::from(first) + u64::from(len) <= slots as u64
            };
            if !fits(variable.ints, ints, memory.ints.len())
                || !fits(variable.doubles, doubles, memory.doubles.len())
            {
                return flaw(&path, format!("`{}` lies outside of its memory", variable.name));
            }
        }
        for (i, clock) in network.clocks.iter().enumerate() {
            self.owner(&format!("clocks[{i}]"), clock.owner)?;
        }
        for (i, vector) in network.sync_vectors.iter().enumerate() {
            let path = format!("sync_vectors[{i}]");
            if vector.participants.is_empty() {
                return flaw(&path, "a vector needs a participant");
            }
            for (j, participant) in vector.participants.iter().enumerate() {
                within(&path, "process", participant.process.index(), network.processes.len())?;
                within(&path, "event", participant.event.index(), network.events.len())?;
                let mut others = vector.participants[..j].iter();
                if others.any(|other| other.process == participant.process) {
                    return flaw(&path, "a process takes part twice");
                }
            }
        }
        for (i, function) in network.functions.iter().enumerate() {
            self.function(&format!("functions[{i}]"), function)?;
        }
        for (i, process) in network.processes.iter().enumerate() {
            self.process(&format!("processes[{i}]"), process)?;
        }
        frame("update_frame", network.update_frame)?;
        let updates =
            [("before_update", &network.before_update), ("after_update", &network.after_update)];
        for (name, updates) in updates {
            self.update(name, updates, network.update_frame)?;
        }
        for (i, progress) in network.progress.iter().enumerate() {
            let path = format!("progress[{i}]");
            frame(&path, progress.frame)?;
            if let Some(guard) = &progress.guard {
                self.expect(&path, guard, progress.frame, Kind::Int)?;
            }
            self.expect(&path, &progress.measure, progress.frame, Kind::Int)?;
        }
        Ok(())
    }

    fn owner(&self, path: &str, owner: Option<punctual_model::ProcessId>) -> Checked {
        match owner {
            Some(id) => within(path, "process", id.index(), self.network.processes.len()),
            None => Ok(()),
        }
    }

    fn memory(&self, storage: Storage) -> Option<&Memory> {
        match storage {
            Storage::Constant => Some(&self.network.constants),
            Storage::State => Some(&self.network.initial),
            Storage::Meta => Some(&self.network.meta),
            Storage::Local => None,
        }
    }

    fn process(&self, path: &str, process: &Process) -> Checked {
        if process.initial.is_empty() {
            return flaw(path, format!("process `{}` starts nowhere", process.name));
        }
        for location in &process.initial {
            within(path, "location", location.index(), process.locations.len())?;
        }
        for (i, location) in process.locations.iter().enumerate() {
            let path = format!("{path}.locations[{i}]");
            frame(&path, location.frame)?;
            self.condition(&path, &location.invariant, location.frame)?;
            for rate in &location.rates {
                self.clocks(&path, rate.clock.base.index(), &rate.clock.indices, location.frame)?;
                self.expect(&path, &rate.value, location.frame, Kind::of(rate.number, 1))?;
            }
            if let Some(rate) = &location.exponential_rate {
                self.expect(&path, &rate.value, location.frame, Kind::Double)?;
                if let Some(divisor) = &rate.divisor {
                    self.expect(&path, divisor, location.frame, Kind::Double)?;
                }
            }
        }
        for (i, edge) in process.edges.iter().enumerate() {
            let path = format!("{path}.edges[{i}]");
            let locations = process.locations.len();
            within(&path, "location", edge.source.index(), locations)?;
            frame(&path, edge.frame)?;
            self.selects(&path, &edge.selects, edge.frame)?;
            self.condition(&format!("{path}.guard"), &edge.guard, edge.frame)?;
            match &edge.sync {
                Sync::Internal => {}
                Sync::Event(event) => {
                    within(&path, "event", event.index(), self.network.events.len())?;
                }
                Sync::Send(channel) | Sync::Receive(channel) | Sync::Csp(channel) => self.indexed(
                    &format!("{path}.sync"),
                    "channel",
                    channel.base.index(),
                    &channel.indices,
                    self.network.channels.len(),
                    edge.frame,
                )?,
            }
            self.update(&format!("{path}.update"), &edge.update, edge.frame)?;
            if edge.branches.is_empty() {
                return flaw(&path, "an edge needs a branch");
            }
            for (j, branch) in edge.branches.iter().enumerate() {
                let path = format!("{path}.branches[{j}]");
                within(&path, "location", branch.target.index(), locations)?;
                self.selects(&path, &branch.selects, edge.frame)?;
                if let Some(weight) = &branch.weight {
                    self.expect(&path, weight, edge.frame, Kind::Double)?;
                }
                self.update(&path, &branch.update, edge.frame)?;
            }
        }
        Ok(())
    }

    fn selects(&self, path: &str, selects: &[Select], frame: Frame) -> Checked {
        for select in selects {
            within(path, "slot", select.slot as usize, frame.ints as usize)?;
            range(path, select.range)?;
        }
        Ok(())
    }

    fn condition(&self, path: &str, condition: &Condition, frame: Frame) -> Checked {
        for data in &condition.data {
            self.expect(path, data, frame, Kind::Int)?;
        }
        for constraint in &condition.clocks {
            self.constraint(path, constraint, frame)?;
            if constraint.relation == Relation::NotEqual {
                return flaw(path, "a clock can not be tested with `!=` here");
            }
        }
        Ok(())
    }

    fn constraint(&self, path: &str, constraint: &ClockConstraint, frame: Frame) -> Checked {
        if constraint.clocks().next().is_none() {
            return flaw(path, "a clock constraint needs a clock");
        }
        for clock in constraint.clocks() {
            self.clocks(path, clock.base.index(), &clock.indices, frame)?;
        }
        if let Some(when) = &constraint.when {
            self.expect(path, when, frame, Kind::Int)?;
        }
        self.expect(path, &constraint.bound, frame, Kind::of(constraint.number, 1))
    }

    fn update(&self, path: &str, update: &[Expr], frame: Frame) -> Checked {
        update.iter().try_for_each(|expr| self.kind(path, expr, frame).map(drop))
    }

    fn clocks(&self, path: &str, base: usize, indices: &[Index], frame: Frame) -> Checked {
        self.indexed(path, "clock", base, indices, self.network.clocks.len(), frame)
    }

    fn indexed(
        &self,
        path: &str,
        what: &str,
        base: usize,
        indices: &[Index],
        len: usize,
        frame: Frame,
    ) -> Checked {
        let last = base as u128 + self.reach(path, indices, frame)?;
        within(path, what, usize::try_from(last).unwrap_or(usize::MAX), len)
    }

    /// How far indices can lead.
    fn reach(&self, path: &str, indices: &[Index], frame: Frame) -> Checked<u128> {
        let mut reach = 0;
        for index in indices {
            self.expect(path, &index.value, frame, Kind::Int)?;
            if index.len == 0 || i64::from(index.lo) + i64::from(index.len) > 1 << 31 {
                return flaw(path, "an index has no legal values");
            }
            reach += u128::from(index.len - 1) * u128::from(index.stride);
        }
        Ok(reach)
    }

    fn place(&self, path: &str, place: &Place, frame: Frame) -> Checked {
        let slots = match (self.memory(place.storage), place.number) {
            (Some(memory), Number::Int) => memory.ints.len(),
            (Some(memory), Number::Double) => memory.doubles.len(),
            (None, Number::Int) => frame.ints as usize,
            (None, Number::Double) => frame.doubles as usize,
        };
        range(path, place.range)?;
        let end = u128::from(place.base)
            + self.reach(path, &place.indices, frame)?
            + u128::from(place.size);
        match place.size == 0 || end > slots as u128 {
            true => flaw(path, format!("a place ends at slot {end}; there are {slots}")),
            false => Ok(()),
        }
    }

    fn expect(&self, path: &str, expr: &Expr, frame: Frame, kind: Kind) -> Checked {
        let found = self.kind(path, expr, frame)?;
        match found == kind {
            true => Ok(()),
            false => flaw(path, format!("expected {}, found {}", kind.name(), found.name())),
        }
    }

    fn kind(&self, path: &str, expr: &Expr, frame: Frame) -> Checked<Kind> {
        Ok(match expr {
            Expr::Int(_) => Kind::Int,
            Expr::Double(_) => Kind::Double,
            Expr::Load(place) => {
                self.place(path, place, frame)?;
                Kind::of(place.number, place.size)
            }
            Expr::Clock(clock) | Expr::ClockRate(clock) => {
                self.clocks(path, clock.base.index(), &clock.indices, frame)?;
                Kind::Double
            }
            Expr::ToDouble(inner) => {
                self.expect(path, inner, frame, Kind::Int)?;
                Kind::Double
            }
            Expr::Unary(op, number, inner) => {
                self.expect(path, inner, frame, Kind::of(*number, 1))?;
                match op {
                    UnaryOp::Negate => Kind::of(*number, 1),
                    UnaryOp::Not => Kind::Int,
                }
            }
            Expr::Binary(binary) => {
                let truth = binary.op.is_truth();
                let equality = matches!(binary.op, BinaryOp::Equal | BinaryOp::NotEqual);
                if binary.size != 1 && !(equality && binary.size > 1) {
                    return flaw(path, "only scalars can be combined");
                }
                if binary.number == Number::Double && only_ints(binary.op) {
                    return flaw(path, "an operator for integers is applied to doubles");
                }
                let kind = Kind::of(binary.number, binary.size);
                self.expect(path, &binary.left, frame, kind)?;
                self.expect(path, &binary.right, frame, kind)?;
                if truth { Kind::Int } else { kind }
            }
            Expr::Conditional(parts) => {
                self.expect(path, &parts[0], frame, Kind::Int)?;
                let kind = self.kind(path, &parts[1], frame)?;
                self.expect(path, &parts[2], frame, kind)?;
                kind
            }
            Expr::Assign { target, op, value, .. } => {
                self.place(path, target, frame)?;
                let kind = Kind::of(target.number, target.size);
                match op {
                    AssignOp::Set => {}
                    AssignOp::Combine(op) => {
                        let double = target.number == Number::Double && only_ints(*op);
                        if op.is_truth() || double || target.size != 1 {
                            return flaw(path, "an assignment uses an operator that it can not");
                        }
                    }
                }
                if target.storage == Storage::Constant {
                    return flaw(path, "a constant is assigned");
                }
                self.expect(path, value, frame, kind)?;
                kind
            }
            Expr::SetClock { clock, value } => {
                self.clocks(path, clock.base.index(), &clock.indices, frame)?;
                match self.kind(path, value, frame)? {
                    Kind::Int | Kind::Double => Kind::Nothing,
                    other => return flaw(path, format!("a clock is set to {}", other.name())),
                }
            }
            Expr::Sequence(parts) => {
                self.kind(path, &parts[0], frame)?;
                self.kind(path, &parts[1], frame)?
            }
            Expr::Call { function, arguments } => self.call(path, *function, arguments, frame)?,
            Expr::Builtin(builtin, arguments) => {
                let arity = arity(*builtin);
                if arguments.len() != arity {
                    return flaw(path, format!("{builtin:?} takes {arity} arguments"));
                }
                let int = *builtin == Builtin::Abs;
                for argument in arguments {
                    let kind = if int { Kind::Int } else { Kind::Double };
                    self.expect(path, argument, frame, kind)?;
                }
                let to_int = matches!(
                    builtin,
                    Builtin::Fint
                        | Builtin::IsFinite
                        | Builtin::IsInf
                        | Builtin::IsNan
                        | Builtin::IsNormal
                        | Builtin::SignBit
                        | Builtin::IsUnordered
                );
                if int || to_int { Kind::Int } else { Kind::Double }
            }
            Expr::Quantifier { quantifier, slot, range: over, number, body } => {
                within(path, "slot", *slot as usize, frame.ints as usize)?;
                range(path, *over)?;
                let kind = match quantifier {
                    Quantifier::Sum => Kind::of(*number, 1),
                    _ => Kind::Int,
                };
                self.expect(path, body, frame, kind)?;
                kind
            }
            Expr::ClockConstraint(constraint) => {
                self.constraint(path, constraint, frame)?;
                Kind::Int
            }
            Expr::InLocation(..) | Expr::Deadlock => {
                return flaw(path, "this can only be asked in queries");
            }
        })
    }

    fn call(&self, path: &str, id: FunctionId, arguments: &[Expr], frame: Frame) -> Checked<Kind> {
        within(path, "function", id.index(), self.network.functions.len())?;
        let function = &self.network.functions[id];
        if arguments.len() != function.params.len() {
            return flaw(
                path,
                format!("`{}` takes {} arguments", function.name, function.params.len()),
            );
        }
        for (argument, param) in arguments.iter().zip(&function.params) {
            self.expect(path, argument, frame, Kind::of(param.place.number, param.place.size))?;
        }
        let needs = self.shared[id.index()];
        if needs.ints > frame.ints || needs.doubles > frame.doubles {
            return flaw(path, format!("`{}` needs a larger frame of its caller", function.name));
        }
        Ok(match function.returns {
            ReturnType::Void => Kind::Nothing,
            ReturnType::Int(_) => Kind::Int,
            ReturnType::Double => Kind::Double,
            ReturnType::Block(number, size) => Kind::Block(number, size),
        })
    }

    fn function(&self, path: &str, function: &Function) -> Checked {
        frame(path, function.frame)?;
        if function.shares_frame && function.frame != Frame::default() {
            return flaw(path, "a function that shares a frame has none of its own");
        }
        let id = path; // Only for messages.
        let own = match function.shares_frame {
            // Its callers are checked against what it needs.
            true => Frame { ints: FRAME_MAX, doubles: FRAME_MAX },
            false => function.frame,
        };
        for param in &function.params {
            let place = &param.place;
            if place.storage != Storage::Local || !place.indices.is_empty() {
                return flaw(id, format!("parameter `{}` is not local", param.name));
            }
            self.place(path, place, own)?;
        }
        if let ReturnType::Int(values) = function.returns {
            range(path, values)?;
        }
        match &function.body {
            FunctionBody::External { .. } => Ok(()),
            FunctionBody::Statements(body) => self.block(path, body, function, own),
        }
    }

    fn block(&self, path: &str, body: &[Statement], function: &Function, frame: Frame) -> Checked {
        for (i, statement) in body.iter().enumerate() {
            let path = format!("{path}[{i}]");
            match statement {
                Statement::Expr(expr) => drop(self.kind(&path, expr, frame)?),
                Statement::Assert(expr) => self.expect(&path, expr, frame, Kind::Int)?,
                Statement::Clear { place, .. } => {
                    if !place.indices.is_empty() {
                        return flaw(&path, "what is cleared can not be indexed");
                    }
                    if place.storage == Storage::Constant {
                        return flaw(&path, "a constant is cleared");
                    }
                    self.place(&path, place, frame)?;
                }
                Statement::If(condition, yes, no) => {
                    self.expect(&path, condition, frame, Kind::Int)?;
                    self.block(&path, yes, function, frame)?;
                    self.block(&path, no, function, frame)?;
                }
                Statement::While(condition, body) | Statement::DoWhile(body, condition) => {
                    self.expect(&path, condition, frame, Kind::Int)?;
                    self.block(&path, body, function, frame)?;
                }
                Statement::For { slot, range: over, body } => {
                    within(&path, "slot", *slot as usize, frame.ints as usize)?;
                    range(&path, *over)?;
                    self.block(&path, body, function, frame)?;
                }
                Statement::Return(value) => match (value, &function.returns) {
                    (None, ReturnType::Void) => {}
                    (Some(value), ReturnType::Int(_)) => {
                        self.expect(&path, value, frame, Kind::Int)?;
                    }
                    (Some(value), ReturnType::Double) => {
                        self.expect(&path, value, frame, Kind::Double)?;
                    }
                    (Some(value), ReturnType::Block(number, size)) => {
                        self.expect(&path, value, frame, Kind::Block(*number, *size))?;
                    }
                    _ => return flaw(&path, "a function returns something else than it says"),
                },
            }
        }
        Ok(())
    }
}

/// What functions need of the frame they share, their own calls included. Recursion is refused
/// here, so all walks over calls end.
fn shared_frames(network: &Network) -> Checked<Vec<Frame>> {
    let mut frames = vec![None; network.functions.len()];
    let mut busy = vec![false; network.functions.len()];
    for start in network.functions.ids() {
        // Depth first, without recursion: a chain of calls may be long.
        let mut stack = vec![(start, false)];
        while let Some((id, done)) = stack.pop() {
            let at = id.index();
            let function = &network.functions[id];
            let (calls, mut needs) = usage(function);
            if done {
                busy[at] = false;
                for call in &calls {
                    let inner: Frame = frames[call.index()].unwrap_or_default();
                    needs.ints = needs.ints.max(inner.ints);
                    needs.doubles = needs.doubles.max(inner.doubles);
                }
                frames[at] = Some(if function.shares_frame { needs } else { Frame::default() });
                continue;
            }
            if frames[at].is_some() {
                continue;
            }
            let path = format!("functions[{at}]");
            if busy[at] {
                return flaw(&path, format!("`{}` calls itself", function.name));
            }
            busy[at] = true;
            stack.push((id, true));
            for call in calls {
                within(&path, "function", call.index(), network.functions.len())?;
                if busy[call.index()] {
                    return flaw(&path, format!("`{}` calls itself", function.name));
                }
                stack.push((call, false));
            }
        }
    }
    Ok(frames.into_iter().map(Option::unwrap_or_default).collect())
}

/// The functions that a function calls, and the local memory it touches.
fn usage(function: &Function) -> (Vec<FunctionId>, Frame) {
    let mut calls = Vec::new();
    let mut needs = Frame::default();
    let mut visit = |expr: &Expr| match expr {
        Expr::Call { function, .. } => calls.push(*function),
        Expr::Load(place) => touch(place, &mut needs),
        Expr::Assign { target, .. } => touch(target, &mut needs),
        Expr::Quantifier { slot, .. } => needs.ints = needs.ints.max(slot.saturating_add(1)),
        _ => {}
    };
    let mut blocks = Vec::new();
    if let FunctionBody::Statements(body) = &function.body {
        blocks.push(body.as_slice());
    }
    let mut places = Vec::new();
    let mut loops = 0;
    while let Some(block) = blocks.pop() {
        for statement in block {
            match statement {
                Statement::Expr(expr) | Statement::Assert(expr) => expr.walk(&mut visit),
                Statement::Return(value) => value.iter().for_each(|value| value.walk(&mut visit)),
                Statement::Clear { place, .. } => places.push(place),
                Statement::If(condition, yes, no) => {
                    condition.walk(&mut visit);
                    blocks.extend([yes.as_slice(), no.as_slice()]);
                }
                Statement::While(condition, body) | Statement::DoWhile(body, condition) => {
                    condition.walk(&mut visit);
                    blocks.push(body);
                }
                Statement::For { slot, body, .. } => {
                    loops = loops.max(slot.saturating_add(1));
                    blocks.push(body);
                }
            }
        }
    }
    needs.ints = needs.ints.max(loops);
    places.into_iter().for_each(|place| touch(place, &mut needs));
    function.params.iter().for_each(|param| touch(&param.place, &mut needs));
    (calls, needs)
}

fn touch(place: &Place, needs: &mut Frame) {
    if place.storage != Storage::Local {
        return;
    }
    let reach = place.indices.iter().map(|index| {
        u64::from(index.len.saturating_sub(1)).saturating_mul(u64::from(index.stride))
    });
    let end = reach.fold(u64::from(place.base) + u64::from(place.size), u64::saturating_add);
    let end = u32::try_from(end).unwrap_or(u32::MAX);
    match place.number {
        Number::Int => needs.ints = needs.ints.max(end),
        Number::Double => needs.doubles = needs.doubles.max(end),
    }
}

fn only_ints(op: BinaryOp) -> bool {
    matches!(
        op,
        BinaryOp::Remainder
            | BinaryOp::BitAnd
            | BinaryOp::BitOr
            | BinaryOp::BitXor
            | BinaryOp::ShiftLeft
            | BinaryOp::ShiftRight
            | BinaryOp::And
            | BinaryOp::Or
            | BinaryOp::Xor
            | BinaryOp::Imply
    )
}

fn arity(builtin: Builtin) -> usize {
    match builtin {
        Builtin::Fma | Builtin::RandomTri => 3,
        Builtin::IsUnordered
        | Builtin::Fmod
        | Builtin::Fmax
        | Builtin::Fmin
        | Builtin::Fdim
        | Builtin::Pow
        | Builtin::Hypot
        | Builtin::Atan2
        | Builtin::NextAfter
        | Builtin::CopySign
        | Builtin::Ldexp
        | Builtin::RandomArcsine
        | Builtin::RandomBeta
        | Builtin::RandomGamma
        | Builtin::RandomNormal
        | Builtin::RandomWeibull => 2,
        _ => 1,
    }
}
