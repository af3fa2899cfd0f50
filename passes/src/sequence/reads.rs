//! Words that the sequence reads from the array when it runs.
//!
//! `memref.load` of a tile's buffer gives a value that isn't known when the design is compiled. A
//! controller can read it, add a constant, and write the sum into the memory of a tile (READ_32,
//! ADD, WRITE_32_D), and that is all that can be done with it: there is no other arithmetic on
//! registers (`aiebu: specification/aie2ps/isa-spec.yaml`). It is read where it is written, so
//! that nothing that may change it can be between.

use aiec_aie::ir::{DYNAMIC, Op, Value};
use aiec_aie::ops::{Buffer, OpKind};
use aiec_device::regmap::RegisterRef;
use aiec_diag::Diag;

use super::codes::*;
use super::memory::{AddressBase, MemoryLocation};
use super::values::KnownValue;
use super::{Lowering, LoweringResult};
use crate::analysis::transfer::WORD_BYTES;
use crate::regops::{RegAction, RegOp};

/// A word of the array, and what is added to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ArrayWord {
    /// Address of the word.
    pub(super) from: u32,
    /// Addend; the sum wraps.
    pub(super) add: u32,
    /// How many operations the sequence had made where it was read.
    pub(super) after: usize,
}

impl ArrayWord {
    /// With something more added.
    fn plus(self, more: u32) -> ArrayWord {
        let add = self.add.wrapping_add(more);
        ArrayWord { add, ..self }
    }
}

impl Lowering<'_> {
    /// `memref.load`: notes which word a value is.
    pub(super) fn load_word(&mut self, op: Op) -> LoweringResult {
        let module = self.module;
        let Some(result) = module.result(op, 0) else {
            return Ok(());
        };
        let memref = module.operand(op, 0);
        let place = self.place(memref, op)?;
        let Some(offset) = self.load_offset(op, memref) else {
            let diag = Diag::error(&NOT_CONSTANT, "it isn't known which word this reads")
                .help("use constant indices into memory whose elements have 32 bits");
            return self.refuse(op, diag);
        };
        let Some(from) = self.word_address(&place, offset) else {
            let diag = Diag::error(&BAD_MEMORY, "a sequence can't read this memory")
                .help("read an `aie.buffer` of a core or mem tile");
            return self.refuse(op, diag);
        };
        let read = ArrayWord {
            from,
            add: 0,
            after: self.ops.len(),
        };
        self.values.set(result, KnownValue::Read(read));
        Ok(())
    }

    /// Bytes from the start of a memref to the word that a load reads.
    fn load_offset(&self, op: Op, memref: Option<Value>) -> Option<i64> {
        let module = self.module;
        let ty = module.ty(memref?).as_memref()?;
        let (strides, _) = ty.strides_and_offset()?;
        if ty.elem.elem_bytes() != Some(WORD_BYTES) {
            return None;
        }
        let mut sum = 0i64;
        for (index, stride) in module.operands(op).skip(1).zip(strides) {
            let index = self.values.int(module, index)?;
            let stride = Some(stride).filter(|stride| *stride != DYNAMIC)?;
            sum = sum.checked_add(index.checked_mul(stride)?)?;
        }
        sum.checked_mul(WORD_BYTES as i64)
    }

    /// The address of a word in a buffer of a tile.
    fn word_address(&self, place: &MemoryLocation, offset: i64) -> Option<u32> {
        let AddressBase::Buffer(memref) = place.base else {
            return None;
        };
        let buffer = Buffer::of(self.module, memref)?;
        let tile = buffer.tile_loc(self.module)?;
        let start = i64::from(buffer.address(self.module)?);
        let bytes = i64::try_from(buffer.bytes(self.module)?).ok()?;
        let inside = place.offset.checked_add(offset)?;
        let fits = inside >= 0 && inside.checked_add(WORD_BYTES as i64)? <= bytes;
        let local = u32::try_from(start.checked_add(inside)?).ok();
        local
            .filter(|_| fits)
            .map(|local| self.model.tile_address(tile, local))
    }

    /// Word of the array that operand `n` reads, if it does.
    pub(super) fn read_operand(&self, op: Op, n: usize) -> Option<ArrayWord> {
        match self.values.get(self.module, self.module.operand(op, n)?) {
            Some(KnownValue::Read(read)) => Some(read),
            _ => None,
        }
    }

    /// Writes a word that is read from the array.
    pub(super) fn copy_word(&mut self, op: Op, read: ArrayWord, to: u32) -> LoweringResult {
        let what = self.model.register_at(to).map(|(_, what)| what);
        let takes = matches!(
            what,
            Some(RegisterRef::DataMemory { .. } | RegisterRef::LockValue { .. })
        );
        if !takes {
            let message = "a value that is read from the array can't be written there";
            let help = match what {
                Some(RegisterRef::DmaQueue { .. }) => {
                    "push with `aiex.npu.push_queue`, whose BD number may be read"
                }
                Some(RegisterRef::BdWord { .. }) => {
                    "configure a task or a memcpy, whose length or stride may be read"
                }
                _ => {
                    "write it into a buffer or a lock; registers of DMAs and switches need values \
                     that are known when the design is compiled"
                }
            };
            // The words are said already: a further help would hide them.
            let diag = Diag::error(&BAD_READ, message).help(help);
            return self.refuse(op, diag);
        }
        self.may_have_changed(op, &read)?;
        self.copy(op, read, to);
        Ok(())
    }

    /// Reads a word and writes it.
    pub(super) fn copy(&mut self, op: Op, read: ArrayWord, to: u32) {
        let ArrayWord { from, add, .. } = read;
        self.emit_action(op, RegAction::Copy { from, add, to });
    }

    /// Refuses a word that something between its load and an operation may have changed.
    pub(super) fn may_have_changed(&mut self, op: Op, read: &ArrayWord) -> LoweringResult {
        let between = self.ops.get(read.after..).unwrap_or_default();
        let what = |address| self.model.register_at(address).map(|(_, what)| what);
        // Descriptors and whom channels tell of their tasks move nothing.
        let is_setting = |address| {
            let what = what(address);
            matches!(
                what,
                Some(RegisterRef::BdWord { .. } | RegisterRef::DmaCtrl { .. })
            )
        };
        let harmless = |other: &RegOp| match other.action {
            RegAction::Copy { to, .. } => to != read.from,
            RegAction::Write { address, .. } => {
                let memory = matches!(what(address), Some(RegisterRef::DataMemory { .. }));
                (memory && address != read.from) || is_setting(address)
            }
            RegAction::Mask { address, .. }
            | RegAction::Block { address, .. }
            | RegAction::PatchedBd { address, .. } => is_setting(address),
            _ => false,
        };
        if let Some(other) = between.iter().find(|other| !harmless(other)) {
            let span = self.module.locs.source_span(other.loc);
            let message = "the word may have changed between where it is read and here";
            let diag = Diag::error(&BAD_READ, message)
                .label(self.module.span(op), "it is used here")
                .label(span, "this comes between")
                .help("read it just before: controllers read it where it is written");
            return self.refuse(op, diag);
        }
        Ok(())
    }
}

/// What arithmetic makes of a word that is read: sums with constants and changes of type keep it.
pub(super) fn fold(kind: OpKind, operands: &[Option<KnownValue>]) -> Option<ArrayWord> {
    use OpKind as K;
    match (kind, operands) {
        (K::ArithAddI, [Some(KnownValue::Read(read)), Some(KnownValue::Int(n))])
        | (K::ArithAddI, [Some(KnownValue::Int(n)), Some(KnownValue::Read(read))]) => {
            Some(read.plus(*n as u32))
        }
        (K::ArithSubI, [Some(KnownValue::Read(read)), Some(KnownValue::Int(n))]) => {
            Some(read.plus((*n as u32).wrapping_neg()))
        }
        (
            K::ArithIndexCast
            | K::ArithIndexCastUI
            | K::ArithExtSI
            | K::ArithExtUI
            | K::ArithTruncI,
            [Some(KnownValue::Read(read))],
        ) => Some(*read),
        _ => None,
    }
}
