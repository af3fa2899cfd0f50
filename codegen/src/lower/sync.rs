//! Locks, events, streams and the cascade.

use aiec_aie::ir::Op;
use aiec_aie::ops::enums::LockAction;
use aiec_aie::ops::{Event, Lock, OpView, UseLock};
use aiec_diag::Reported;
use aiec_vcode::{MemoryType, Opcode};

use super::Lowered;
use super::function::Function;
use super::pure::load_constant;
use super::value::{Elem, Val};
use crate::codes::{NOT_CONSTANT, NOT_PLACED, NOT_VISIBLE};
use crate::mir::{Arg, Imm};

impl Function<'_, '_, '_> {
    pub(crate) fn use_lock(&mut self, op: Op) -> Lowered<()> {
        let module = self.low.module;
        let number = match UseLock(op).lock_op(module) {
            Some(lock) => self.lock_number(op, lock)?,
            None => self.written_lock_number(op)?,
        };
        let action = UseLock(op).action(module);
        let value = match self.operand(op, 1)? {
            Val::Const(bits) => bits as i64,
            count if action != LockAction::Acquire => {
                return self.use_lock_repeatedly(number, action, &count);
            }
            _ => self.known(op, 1, "the value that a lock is awaited to be equal to")?,
        };
        let Some(operand) = action.core_operand(value) else {
            return Ok(());
        };
        let opcode = match action {
            LockAction::Release => Opcode::Release,
            LockAction::Acquire | LockAction::AcquireGreaterEqual => Opcode::Acquire,
        };
        let Some(operand) = i8::try_from(operand)
            .ok()
            .filter(|value| (-64..=63).contains(value))
        else {
            let message = format!("{value} is out of range for a lock operation: -64 to 63");
            let help = "use a smaller value";
            return Err(self.low.report(&NOT_CONSTANT, op, message, help));
        };
        let args = [Arg::Number(number), Arg::Number(operand as u8), Arg::None];
        self.code.op(opcode, args, Imm::None);
        Ok(())
    }

    /// Takes or gives a number of units that is known at run time, one by one: the instruction's
    /// value is part of it. No other core takes from a lock that this one waits for, so that it
    /// doesn't matter when each unit is taken.
    fn use_lock_repeatedly(&mut self, number: u8, action: LockAction, count: &Val) -> Lowered<()> {
        let count = self.scalar(count)?;
        let (opcode, unit) = match action {
            LockAction::Release => (Opcode::Release, 1i8),
            _ => (Opcode::Acquire, -1),
        };
        let done = self.code.scalar();
        self.code.nodes.extend(load_constant(done, 0));
        let (head, exit) = (self.code.label(), self.code.label());
        let (done, count) = (Arg::Scalar(done), Arg::Scalar(count));
        self.code
            .branch(Opcode::Bles, [count, done, Arg::None], exit);
        self.code.place(head);
        let args = [Arg::Number(number), Arg::Number(unit as u8), Arg::None];
        self.code.op(opcode, args, Imm::None);
        self.code
            .branch(Opcode::Loopi, [done, Arg::Number(1), count], head);
        self.code.place(exit);
        Ok(())
    }

    /// The core's number of a lock.
    fn lock_number(&mut self, op: Op, lock: Lock) -> Lowered<u8> {
        let module = self.low.module;
        let Some(loc) = lock.tile_loc(module) else {
            return Err(Reported);
        };
        let Some(window) = self.low.model.core_window_to(self.low.loc, loc) else {
            let here = self.low.loc;
            let message = format!("the core at {here} can't reach a lock of tile {loc}");
            let help = "use a lock of a tile whose memory the core sees";
            return Err(self.low.report(&NOT_VISIBLE, op, message, help));
        };
        let locks = self.low.model.arch_model().core.locks;
        let id = lock.lockID(module).and_then(|id| u8::try_from(id).ok());
        let Some(id) = id.filter(|id| *id < locks) else {
            let message = "the lock has no number of its tile yet".to_string();
            let help = "run aie-assign-lock-ids first";
            return Err(self.low.report(&NOT_PLACED, lock.op(), message, help));
        };
        Ok(window.lock_base + id)
    }

    /// A lock that is named by the core's number of it, as `aie-localize-locks` does.
    fn written_lock_number(&mut self, op: Op) -> Lowered<u8> {
        let number = self.known(op, 0, "the number of a lock")?;
        let (model, loc) = (self.low.model, self.low.loc);
        let lock = u8::try_from(number).ok();
        if let Some(lock) = lock.filter(|lock| model.resolve_core_lock(loc, *lock).is_some()) {
            return Ok(lock);
        }
        let locks = model.arch_model().core.locks;
        let windows = model.core_windows(loc).map(|window| {
            let (first, owner) = (window.lock_base, window.owner);
            format!("{first} to {} of tile {owner}", first + locks - 1)
        });
        let message = format!("the core at {loc} has no lock {number}");
        let help = format!("its locks are {}", windows.collect::<Vec<_>>().join(", "));
        Err(self.low.report(&NOT_VISIBLE, op, message, &help))
    }

    pub(crate) fn event(&mut self, op: Op) -> Lowered<()> {
        let event = Event(op).val(self.low.module);
        let args = [Arg::Number(event as u8), Arg::None, Arg::None];
        self.code.op(Opcode::Event, args, Imm::None);
        Ok(())
    }

    /// Shows a value; of a memref its address.
    pub(crate) fn debug(&mut self, op: Op) -> Lowered<()> {
        let value = self.low.module.operand(op, 0).ok_or(Reported)?;
        if let Val::MemRef(memref) = self.val(value)? {
            let address = self.address_scalar(memref.start)?;
            let kind = Arg::Number(MemoryType::I32.code());
            let args = [Arg::Scalar(address), kind, Arg::None];
            self.code.op(Opcode::Print, args, Imm::None);
            return Ok(());
        }
        let shape = self.shape(op, value)?;
        let kind = shape.elem.memory().unwrap_or(MemoryType::I64);
        let kind = Arg::Number(kind.code());
        let val = self.val(value)?;
        match shape.lanes {
            None => {
                let scalar = Arg::Scalar(self.scalar(&val)?);
                self.code
                    .op(Opcode::Print, [scalar, kind, Arg::None], Imm::None);
            }
            // 256 lanes are written as 0.
            Some(lanes @ 1..=256) => {
                let vector = Arg::Vector(self.vector(&val)?);
                let lanes = Arg::Number(lanes as u8);
                self.code
                    .op(Opcode::VPrint, [vector, kind, lanes], Imm::None);
            }
            Some(_) => return Err(self.unsupported(op)),
        }
        Ok(())
    }

    /// The stream channel that an operation names.
    pub(crate) fn channel(&mut self, op: Op) -> Lowered<u8> {
        let channel = self.known(op, 0, "the channel of a stream")?;
        u8::try_from(channel).map_err(|_| {
            let message = format!("a core has no stream channel {channel}");
            self.low
                .report(&NOT_CONSTANT, op, message, "channels count from 0")
        })
    }

    /// Whether a value is one word of a stream.
    fn is_stream_word(elem: Elem) -> bool {
        elem.memory()
            .is_some_and(|kind| matches!(kind, MemoryType::I32 | MemoryType::F32))
    }

    pub(crate) fn get_stream(&mut self, op: Op) -> Lowered<()> {
        let channel = self.channel(op)?;
        let shape = self.result_shape(op)?;
        if shape.lanes.is_some() || !Self::is_stream_word(shape.elem) {
            return Err(self.unsupported(op));
        }
        let word = self.code.scalar();
        let args = [Arg::Scalar(word), Arg::Number(channel), Arg::None];
        self.code.op(Opcode::StreamGet, args, Imm::None);
        let val = match shape.elem {
            Elem::Int(_) => Val::Scalar(word),
            Elem::Float(_) => self.unary(None, Opcode::Zext, &Val::Scalar(word), 32)?,
        };
        self.set_result(op, val);
        Ok(())
    }

    pub(crate) fn put_stream(&mut self, op: Op) -> Lowered<()> {
        let channel = self.channel(op)?;
        let value = self.low.module.operand(op, 1).ok_or(Reported)?;
        let shape = self.shape(op, value)?;
        if shape.lanes.is_some() || !Self::is_stream_word(shape.elem) {
            return Err(self.unsupported(op));
        }
        let val = self.val(value)?;
        let word = self.scalar(&val)?;
        let args = [Arg::Scalar(word), Arg::Number(channel), Arg::Number(0)];
        self.code.op(Opcode::StreamPut, args, Imm::None);
        Ok(())
    }

    /// Memory type and lanes of a vector that is one cascade transfer.
    fn transfer(&mut self, op: Op, elem: Elem, lanes: Option<u16>) -> Lowered<(MemoryType, u16)> {
        let bytes = self.low.model.arch_model().cascade_bits / 8;
        let kind = elem.memory();
        match (kind, lanes) {
            (Some(kind), Some(lanes)) if u32::from(lanes) * kind.bytes() <= bytes => {
                Ok((kind, lanes))
            }
            _ => Err(self.unsupported(op)),
        }
    }

    pub(crate) fn get_cascade(&mut self, op: Op) -> Lowered<()> {
        let shape = self.result_shape(op)?;
        let (kind, lanes) = self.transfer(op, shape.elem, shape.lanes)?;
        let vector = self.code.vector(lanes);
        let args = [
            Arg::Vector(vector),
            Arg::Number(kind.code()),
            Arg::Number(lanes as u8),
        ];
        self.code.op(Opcode::CascadeGet, args, Imm::None);
        self.set_result(op, Val::Vector(vector));
        Ok(())
    }

    pub(crate) fn put_cascade(&mut self, op: Op) -> Lowered<()> {
        let value = self.low.module.operand(op, 0).ok_or(Reported)?;
        let shape = self.shape(op, value)?;
        let (kind, lanes) = self.transfer(op, shape.elem, shape.lanes)?;
        let val = self.val(value)?;
        let vector = self.vector(&val)?;
        let args = [
            Arg::Vector(vector),
            Arg::Number(kind.code()),
            Arg::Number(lanes as u8),
        ];
        self.code.op(Opcode::CascadePut, args, Imm::None);
        Ok(())
    }
}
