//! Views of memory, traced to what they view.

use aiec_aie::ir::{DYNAMIC, Module, Op, Value};
use aiec_aie::ops::{ExternalBuffer, OpKind, OpView};
use aiec_diag::Diag;

use super::codes::*;
use super::values::KnownValue;
use super::{Lowering, LoweringResult};
use crate::analysis::transfer::{element_bytes, mixed_ints, not_constant};

/// A place in memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct MemoryLocation {
    /// Whose memory.
    pub(super) base: AddressBase,
    /// Bytes from its start.
    pub(super) offset: i64,
}

/// Base of an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AddressBase {
    /// An argument of the sequence.
    Argument(u32),
    /// A memref of the device: an `aie.buffer` or `aie.external_buffer`.
    Buffer(Value),
}

/// Unknown part of a view.
const OFFSET: &str = "the offset of this view";

impl MemoryLocation {
    /// The start of an argument.
    pub(super) fn argument(index: u32) -> MemoryLocation {
        MemoryLocation {
            base: AddressBase::Argument(index),
            offset: 0,
        }
    }
}

/// A cast that leaves the part of memory that its source views.
fn moved_view(module: &Module, op: Op, source: i64, cast: i64) -> Diag {
    let message = format!(
        "this cast begins at byte {cast} of the memory, its source at byte {source} of the same"
    );
    Diag::warning(&BAD_MEMORY, message)
        .label(
            module.span(op),
            "offsets of a cast count from the start of the memory",
        )
        .help(
            "transfer the source itself, or write its offset here; mlir-aie adds the two offsets, \
             MLIR doesn't",
        )
}

impl Lowering<'_> {
    /// Memory that a memref views.
    pub(super) fn place(
        &mut self,
        memref: Option<Value>,
        op: Op,
    ) -> LoweringResult<MemoryLocation> {
        let known = memref.and_then(|m| self.values.get(self.module, m));
        if let Some(KnownValue::Memory(place)) = known {
            return Ok(place);
        }
        let definition = memref.and_then(|m| Some((m, self.module.def_op(m)?)));
        if let Some((memref, definition)) = definition {
            let external = ExternalBuffer::cast(self.module, definition);
            let argument = external.and_then(|buffer| buffer.argument(self.module));
            if let Some(argument) = argument.and_then(|n| u32::try_from(n).ok()) {
                return Ok(MemoryLocation::argument(argument));
            }
            let kind = self.module.kind(definition);
            if matches!(kind, OpKind::Buffer | OpKind::ExternalBuffer) {
                return Ok(MemoryLocation {
                    base: AddressBase::Buffer(memref),
                    offset: 0,
                });
            }
        }
        let diag = Diag::error(&BAD_MEMORY, "this memory is no argument of the sequence")
            .help("transfer an argument of the sequence, or a buffer of the tile");
        self.refuse(op, diag)
    }

    /// Follows a subview or cast.
    pub(super) fn view(&mut self, op: Op) -> LoweringResult {
        let (module, result) = (self.module, self.module.result(op, 0));
        let Some(result) = result else {
            return Ok(());
        };
        let source = module.operand(op, 0);
        let mut place = self.place(source, op)?;
        match module.kind(op) {
            OpKind::MemrefSubview => {
                let elements = self.subview_offset(op);
                let bytes = elements.and_then(|n| n.checked_mul(self.elem_bytes(source)?));
                let Some(bytes) = bytes else {
                    return self.bd_error(op, not_constant(OFFSET));
                };
                place.offset = place.offset.saturating_add(bytes);
            }
            OpKind::MemrefReinterpretCast => {
                let values = &self.values;
                let ints = |v| values.int(module, v);
                let offsets = mixed_ints(module, op, "static_offsets", 1, &ints);
                let elements = offsets.and_then(|list| list.first().copied());
                let bytes = elements.and_then(|n| n.checked_mul(self.elem_bytes(source)?));
                let Some(bytes) = bytes else {
                    return self.bd_error(op, not_constant(OFFSET));
                };
                if bytes == 0 || self.is_for_runs(result) {
                    // Counted from what the source views: see `is_for_runs`. An offset of 0 is how
                    // designs for mlir-aie give a part another type; they mean the part.
                    place.offset = place.offset.saturating_add(bytes);
                } else {
                    // Counted from the start of the memory, whatever part the source views
                    // (MLIR: the result has the base of the source and the offset of the cast).
                    if place.offset != 0 && place.offset != bytes && self.reported.insert(op) {
                        self.diags.push(moved_view(module, op, place.offset, bytes));
                    }
                    place.offset = bytes;
                }
            }
            OpKind::MemrefView => {
                let shift = self.int(op, 1, "the byte offset of this view")?;
                place.offset = place.offset.saturating_add(shift);
            }
            _ => {}
        }
        self.values.set(result, KnownValue::Memory(place));
        Ok(())
    }

    fn elem_bytes(&self, memref: Option<Value>) -> Option<i64> {
        i64::try_from(element_bytes(self.module.ty(memref?))?).ok()
    }

    /// Elements from the start of the source to that of a subview.
    fn subview_offset(&self, op: Op) -> Option<i64> {
        let module = self.module;
        let ints = |v| self.values.int(module, v);
        let offsets = mixed_ints(module, op, "static_offsets", 1, &ints)?;
        let source = module.ty(module.operand(op, 0)?).as_memref()?;
        let (strides, _) = source.strides_and_offset()?;
        let mut sum = 0i64;
        for (offset, stride) in offsets.into_iter().zip(strides) {
            if offset != 0 {
                let stride = Some(stride).filter(|s| *s != DYNAMIC)?;
                sum = sum.checked_add(offset.checked_mul(stride)?)?;
            }
        }
        Some(sum)
    }
}
