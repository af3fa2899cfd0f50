//! Known values while a sequence is executed symbolically: numbers, views of memory traced to what they view, and
//! words that the sequence reads from the array when it runs.
//!
//! `memref.load` of a tile's buffer gives a value that isn't known when the design is compiled. A
//! controller reads it, adds a constant, and writes the sum into the memory of a tile (READ_32,
//! ADD, WRITE_32_D); registers have no further arithmetic
//! (`aiebu: specification/aie2ps/isa-spec.yaml`). It is read where it is written, so
//! that nothing that may change it can be between.

use aiec_aie::ir::{DYNAMIC, Module, Op, Type, Value};
use aiec_aie::ops::netlist::const_int;
use aiec_aie::ops::{Buffer, ExternalBuffer, OpKind, OpView};
use aiec_device::regmap::RegisterRef;
use aiec_diag::Diag;
use rustc_hash::FxHashMap;

use super::codes::*;
use super::{Lowering, LoweringResult};
use crate::analysis::integers;
use crate::analysis::transfer::{WORD_BYTES, element_bytes, mixed_ints, not_constant};
use crate::regops::{RegAction, RegOp};

/// Known contents of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum KnownValue {
    /// An integer, sign-extended.
    Int(i64),
    /// A view of memory.
    Memory(MemoryLocation),
    /// A task by its number.
    Task(usize),
    /// A word of the array when the sequence runs.
    Read(ArrayWord),
}

/// Known values. Values that are not in it are constants or unknown.
#[derive(Default)]
pub(super) struct Values {
    known: FxHashMap<Value, KnownValue>,
    /// Values that words of the array are assumed to have, by their addresses.
    supposed: Vec<(u32, i64)>,
}

impl Values {
    pub(super) fn set(&mut self, value: Value, known: KnownValue) {
        self.known.insert(value, known);
    }

    pub(super) fn forget(&mut self, value: Value) {
        self.known.remove(&value);
    }

    pub(super) fn get(&self, module: &Module, value: Value) -> Option<KnownValue> {
        match self.known.get(&value) {
            Some(known) => Some(known.clone()),
            None => const_int(module, value).map(KnownValue::Int),
        }
    }

    /// Supposes what words of the array are; their values count as known then.
    pub(super) fn suppose(&mut self, supposed: Vec<(u32, i64)>) {
        self.supposed = supposed;
    }

    pub(super) fn int(&self, module: &Module, value: Value) -> Option<i64> {
        match self.known.get(&value) {
            Some(KnownValue::Int(value)) => Some(*value),
            Some(KnownValue::Read(read)) => {
                let mut supposed = self.supposed.iter();
                let (_, word) = supposed.find(|(from, _)| *from == read.from)?;
                Some(word + i64::from(read.add as i32))
            }
            Some(_) => None,
            None => const_int(module, value),
        }
    }

    /// Computes the result of an operation of [`folds`] if its operands are known.
    pub(super) fn fold(&mut self, module: &Module, op: Op) {
        let Some(result) = module.result(op, 0) else {
            return;
        };
        let operands: Option<Vec<i64>> = module
            .operands(op)
            .map(|operand| self.int(module, operand))
            .collect();
        let width = |n: usize| {
            let value = module.operand(op, n)?;
            module.ty(value).bit_width()
        };
        let value = operands.and_then(|operands| {
            let known = compute(module, op, &operands, width(0).unwrap_or(64))?;
            Some(wrap(known, module.ty(result)))
        });
        match value {
            Some(value) => self.set(result, KnownValue::Int(value)),
            None => self.fold_read(module, op, result),
        }
    }

    /// Same as [`Values::fold`], for words that are read from the array.
    fn fold_read(&mut self, module: &Module, op: Op, result: Value) {
        let keeps = module.ty(result).bit_width().is_none_or(|bits| bits >= 32);
        let operands: Vec<Option<KnownValue>> = module
            .operands(op)
            .map(|operand| self.get(module, operand))
            .collect();
        match fold(module.kind(op), &operands).filter(|_| keeps) {
            Some(read) => self.set(result, KnownValue::Read(read)),
            None => self.forget(result),
        }
    }
}

/// Whether an operation is arithmetic that can be computed.
pub(super) fn folds(kind: OpKind) -> bool {
    use OpKind as K;
    matches!(
        kind,
        K::ArithConstant
            | K::ArithAddI
            | K::ArithSubI
            | K::ArithMulI
            | K::ArithDivSI
            | K::ArithDivUI
            | K::ArithCeilDivSI
            | K::ArithCeilDivUI
            | K::ArithFloorDivSI
            | K::ArithRemSI
            | K::ArithRemUI
            | K::ArithAndI
            | K::ArithOrI
            | K::ArithXOrI
            | K::ArithShLI
            | K::ArithShRSI
            | K::ArithShRUI
            | K::ArithMinSI
            | K::ArithMinUI
            | K::ArithMaxSI
            | K::ArithMaxUI
            | K::ArithCmpI
            | K::ArithSelect
            | K::ArithExtSI
            | K::ArithExtUI
            | K::ArithTruncI
            | K::ArithIndexCast
            | K::ArithIndexCastUI
    )
}

/// Sign-extends from the width of an integer type.
fn wrap(value: i64, ty: &Type) -> i64 {
    match ty.bit_width() {
        Some(bits @ 1..64) => (value << (64 - bits)) >> (64 - bits),
        _ => value,
    }
}

fn unsigned(value: i64, width: u32) -> u64 {
    match width {
        bits @ 1..64 => value as u64 & ((1 << bits) - 1),
        _ => value as u64,
    }
}

/// `width` is that of the first operand, in bits.
fn compute(module: &Module, op: Op, operands: &[i64], width: u32) -> Option<i64> {
    use OpKind as K;
    let kind = module.kind(op);
    if kind == K::ArithConstant {
        return module.int_attr(op, "value");
    }
    let a = *operands.first()?;
    match kind {
        K::ArithExtSI | K::ArithTruncI | K::ArithIndexCast => return Some(a),
        K::ArithExtUI | K::ArithIndexCastUI => return Some(unsigned(a, width) as i64),
        _ => {}
    }
    let b = *operands.get(1)?;
    match kind {
        K::ArithCmpI => {
            let (ua, ub) = (unsigned(a, width), unsigned(b, width));
            let holds = integers::compare(module.int_attr(op, "predicate")?, a, b, ua, ub);
            holds.map(i64::from)
        }
        K::ArithSelect => Some(if a != 0 { b } else { *operands.get(2)? }),
        // The caller wraps what leaves the width.
        _ => integers::compute(kind, a.into(), b.into(), width).map(|value| value as i64),
    }
}

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
        let diag = Diag::error(&BAD_MEMORY, "this memory isn't an argument of the sequence")
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

/// A word of the array, and what is added to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ArrayWord {
    /// Address of the word.
    pub(super) from: u32,
    /// Addend; the sum wraps.
    pub(super) add: u32,
    /// Number of operations that the sequence had made where it was read.
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
            // The message was reported already: a further help would hide it.
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

/// Result of arithmetic on a word that is read: sums with constants and changes of type keep it.
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
