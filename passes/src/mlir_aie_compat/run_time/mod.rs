//! Transfers and tasks whose numbers are known at run time only, as register writes with arithmetic
//! around them: for users who lower step by step to mlir-aie's host programs, which compute them
//! (`mlir-aie: lib/Dialect/AIEX/Utils/BdLowering.cpp`).
//!
//! A shim BD is written as a whole first, with 0 where the pattern is, then the words of the
//! pattern one by one; a BD whose number is known at run time only word by word. Control code
//! can't compute: a compilation reads words of the array where it can, and refuses the rest.

pub(crate) mod arith;
pub(crate) mod bd;

use aiec_aie::ir::{Attr, DYNAMIC, Module, Op};
use aiec_aie::ops::netlist::operand_group;
use aiec_aie::ops::{NpuAddressPatch, NpuDmaMemcpyNd, NpuWrite32, OpView};
use aiec_device::regmap::{BdLayout, QueueEntry, RegisterRef};
use aiec_device::{AccessPattern, ChannelId, Count, DeviceModel, TileKind};
use aiec_diag::{MlirAieReport, Reported};

use crate::analysis::transfer::{BdError, WORD_BYTES, element_bytes};
use crate::infra::pass::PassContext;
use crate::sequence::codes::BAD_TRANSFER;
use crate::sequence::run_time::{HostMemory, TaskBd};
use arith::{Arith, Num};
use bd::{DIMS, Encoded, RunTimePattern};

/// A shim BD to write.
pub(crate) struct Descriptor {
    pub(crate) channel: ChannelId,
    /// Its number.
    pub(crate) number: Num,
    /// Its words without the pattern.
    pub(crate) template: Vec<u32>,
    /// The number of the BD that follows, where it is known at run time only.
    pub(crate) next: Option<Num>,
    pub(crate) pattern: RunTimePattern,
    /// The argument of the sequence that it moves.
    pub(crate) argument: u32,
    /// Bytes from the start of the argument.
    pub(crate) offset: Offset,
}

/// Where a transfer starts: a number of bytes, and elements of run-time numbers.
pub(crate) struct Offset {
    pub(crate) bytes: i64,
    /// Products of two numbers, in elements.
    pub(crate) terms: Vec<(Num, Num)>,
    pub(crate) elem_bytes: u64,
}

impl Offset {
    fn number(&self, arith: &mut Arith<'_>) -> Num {
        let mut sum = Num::Known(self.bytes);
        for (count, unit) in &self.terms {
            let elements = arith.mul(*count, *unit);
            let bytes = arith.mul(elements, Num::Known(self.elem_bytes as i64));
            sum = arith.add(sum, bytes);
        }
        sum
    }
}

/// Form of the write of a whole BD whose number is known.
pub(crate) enum WholeBdWrite<'a> {
    /// As a block, of a global that a function makes of its words.
    Block(&'a mut dyn FnMut(&mut Module, &[u32]) -> String),
    /// As `aiex.npu.writebd`, with this burst length in bytes.
    Fields(i32),
}

/// Reports the error of a BD.
pub(crate) fn refused(
    context: &mut PassContext<'_>,
    module: &Module,
    op: Op,
    mut bd_error: BdError,
) -> Reported {
    let mlir_aie = bd_error.in_mlir_aie.take();
    let diag = bd_error.diag(&BAD_TRANSFER, module.span(op));
    let diag = match mlir_aie {
        Some(text) => diag.mlir_aie(MlirAieReport::op(module.op_name(op), text)),
        None => diag,
    };
    context.fail(diag)
}

/// Writes a BD in front of an operation; returns how many further runs its pattern asks for.
///
/// # Errors
/// Numbers that are known and don't fit.
pub(crate) fn write_descriptor(
    arith: &mut Arith<'_>,
    model: &'static DeviceModel,
    bd: &Descriptor,
    whole: WholeBdWrite<'_>,
) -> Result<Num, BdError> {
    if let Some(bd_error) = bd.pattern.bd_error(model.arch()) {
        return Err(bd_error);
    }
    let Some(layout) = BdLayout::of(model.arch(), TileKind::ShimNoc) else {
        return Ok(Num::Known(0));
    };
    let encode = |arith: &mut Arith<'_>| {
        let empty = Encoded {
            words: Vec::new(),
            of_pattern: Vec::new(),
            repeat: Num::Known(0),
        };
        let encoded = bd.pattern.encode(arith, model.arch(), &bd.template);
        let mut encoded = encoded.unwrap_or(Ok(empty))?;
        if let Some(next) = bd.next {
            bd::set_next(arith, model.arch(), &mut encoded, next);
        }
        Ok::<_, BdError>(encoded)
    };
    let what = |bd: u8| RegisterRef::BdWord { bd, word: 0 };
    let tile = bd.channel.tile;
    let address_of = |number: u8| model.register_address(tile, what(number)).unwrap_or(0);
    let field = layout.address_offset();
    let Num::Known(number) = bd.number else {
        let encoded = encode(arith)?;
        let base = base(arith, bd.number, address_of(0), layout);
        for (at, word) in encoded.words.iter().enumerate() {
            let address = arith.add(base, Num::Known(at as i64 * WORD_BYTES as i64));
            write(arith, address, *word);
        }
        let address = arith.add(base, Num::Known(field.into()));
        patch(arith, address, bd);
        return Ok(encoded.repeat);
    };
    let address = address_of(u8::try_from(number).unwrap_or(u8::MAX));
    let known = bd.pattern.is_known() && bd.next.is_none();
    let mut encoded = if known { Some(encode(arith)?) } else { None };
    let words: Vec<u32> = match &encoded {
        Some(encoded) => {
            let words = encoded.words.iter();
            words.map(|word| word.known().unwrap_or(0) as u32).collect()
        }
        None => bd.template.clone(),
    };
    match whole {
        WholeBdWrite::Block(global) => {
            let name = global(arith.module, &words);
            arith.ops().block(address, &name, words.len());
        }
        WholeBdWrite::Fields(burst) => {
            let (id, fields) = (
                u8::try_from(number).unwrap_or(u8::MAX),
                layout.unpack(&words),
            );
            arith.ops().write_bd(tile, id, &fields, 0, burst);
        }
    }
    if !known {
        let made = encode(arith)?;
        for at in &made.of_pattern {
            let place = address + *at as u32 * WORD_BYTES as u32;
            let word = made.words.get(*at).copied().unwrap_or(Num::Known(0));
            write(arith, Num::Known(place.into()), word);
        }
        encoded = Some(made);
    }
    patch(arith, Num::Known((address + field).into()), bd);
    Ok(encoded.map_or(Num::Known(0), |encoded| encoded.repeat))
}

/// The address of the first word of a BD whose number is known at run time only.
fn base(arith: &mut Arith<'_>, number: Num, first: u32, layout: &BdLayout) -> Num {
    let offset = arith.mul(number, Num::Known(layout.stride().into()));
    arith.add(Num::Known(first.into()), offset)
}

fn write(arith: &mut Arith<'_>, address: Num, word: Num) {
    let (address, word) = (arith.value(address), arith.value(word));
    NpuWrite32::build(arith.module, arith.loc, address, word).insert(arith.at);
}

/// Lets the BD receive the address of its argument.
fn patch(arith: &mut Arith<'_>, address: Num, bd: &Descriptor) {
    let plus = bd.offset.number(arith);
    let plus = arith.value(plus);
    let (at, fixed) = match address {
        Num::Known(address) => (None, address as u32),
        Num::Value(address) => (Some(address), 0),
    };
    NpuAddressPatch::build(arith.module, arith.loc, fixed, bd.argument as i32)
        .operand_groups([at.as_slice(), &[plus]])
        .insert(arith.at);
}

/// `aiex.npu.push_queue`.
pub(crate) fn push(arith: &mut Arith<'_>, channel: ChannelId, bd: Num, repeat: Num, token: bool) {
    let operands = [arith.value(repeat), arith.value(bd)];
    arith.ops().push_values(channel, operands, token);
}

/// The write of a push into a channel's queue.
pub(crate) fn push_word(
    arith: &mut Arith<'_>,
    model: &'static DeviceModel,
    channel: ChannelId,
    (bd, repeat, token): (Num, Num, bool),
) {
    let ChannelId { tile, dir, .. } = channel;
    let what = channel.queue();
    let queue = model
        .register_map(tile)
        .and_then(|map| Some(map.register(what)?.0));
    let field = |name: &str| queue.and_then(|queue| queue.field(name));
    let (Some(address), Some(bds), Some(repeats)) = (
        model.register_address(tile, what),
        field("Start_BD_ID"),
        field("Repeat_Count"),
    ) else {
        return;
    };
    arith.assert_fits(repeat, repeats.max());
    let repeat = arith.field(repeat, repeats.max(), repeats.low);
    arith.assert_fits(bd, bds.max());
    let bd = arith.field(bd, bds.max(), bds.low);
    let mut word = arith.or(repeat, bd);
    let entry = QueueEntry {
        token,
        ..QueueEntry::default()
    };
    let kind = model.tile_kind(tile);
    let flag = kind.and_then(|kind| entry.pack(model.arch(), kind, dir));
    if let Some(Ok(flag)) = flag.filter(|_| token) {
        word = arith.or(word, Num::Known(flag.into()));
    }
    write(arith, Num::Known(address.into()), word);
}

/// A list that is partly static, as numbers.
fn mixed(arith: &mut Arith<'_>, op: Op, attr: &str, group: usize) -> Option<Vec<Num>> {
    let Attr::DenseArray(fixed) = arith.module.attr(op, attr)? else {
        return None;
    };
    let fixed = fixed.values.clone();
    let mut dynamic = operand_group(arith.module, op, group)
        .unwrap_or_default()
        .into_iter();
    fixed
        .into_iter()
        .map(|n| match n {
            DYNAMIC => Some(arith.number(dynamic.next()?)),
            n => Some(Num::Known(n)),
        })
        .collect()
}

/// A memcpy's BD.
pub(crate) fn of_memcpy(
    arith: &mut Arith<'_>,
    op: Op,
    (channel, number): (ChannelId, u8),
    memory: &HostMemory,
    template: Vec<u32>,
) -> Option<Descriptor> {
    let memref = NpuDmaMemcpyNd(op).memref(arith.module)?;
    let elem_bytes = element_bytes(arith.module.ty(memref))?;
    let mut list = |attr, group| -> Option<[Num; DIMS]> {
        let mut list = mixed(arith, op, attr, group)?;
        list.reverse();
        list.try_into().ok()
    };
    let offsets = list("static_offsets", 1)?;
    let sizes = list("static_sizes", 2)?;
    let strides = list("static_strides", 3)?;
    let mut offset = Offset {
        bytes: memory.offset,
        terms: Vec::new(),
        elem_bytes,
    };
    for (count, unit) in offsets.into_iter().zip(strides) {
        match (count.known(), unit.known()) {
            (Some(count), Some(unit)) => {
                let bytes = count.saturating_mul(unit).saturating_mul(elem_bytes as i64);
                offset.bytes = offset.bytes.saturating_add(bytes);
            }
            (Some(0), _) => {}
            _ => offset.terms.push((count, unit)),
        }
    }
    Some(Descriptor {
        channel,
        number: Num::Known(number.into()),
        template,
        next: None,
        pattern: RunTimePattern {
            access: AccessPattern::new(elem_bytes, sizes.into_iter().zip(strides)),
            length: None,
        },
        argument: memory.argument,
        offset,
    })
}

/// A task's BD.
///
/// # Errors
/// A pattern with more dimensions than shim BDs have, or without a length.
pub(crate) fn of_task(
    arith: &mut Arith<'_>,
    channel: ChannelId,
    number: Num,
    bd: &TaskBd,
    template: Vec<u32>,
) -> Result<Descriptor, BdError> {
    let op = bd.slot.bd.op();
    let buffer = bd.slot.bd.buffer(arith.module);
    let ty = buffer.map(|buffer| arith.module.ty(buffer).clone());
    let elem_bytes = ty.as_ref().and_then(element_bytes).unwrap_or(WORD_BYTES);
    let mut one = |attr: &str, group: usize| {
        let fixed = arith.module.int_attr(op, attr);
        let fixed = fixed.filter(|n| *n != i64::from(i32::MIN) && *n != DYNAMIC);
        match fixed {
            Some(n) => Some(Num::Known(n)),
            None => {
                let operand = operand_group(arith.module, op, group).unwrap_or_default();
                operand.first().map(|value| arith.number(*value))
            }
        }
    };
    let start = one("static_offset", 1).unwrap_or(Num::Known(0));
    let length = one("static_len", 2);
    let iteration = match bd.slot.bd.iteration_values(arith.module) {
        Some((size, stride)) => Some((arith.number(size), arith.number(stride))),
        None => bd
            .slot
            .bd
            .iteration(arith.module)
            .map(|iteration| (Num::Known(iteration.size), Num::Known(iteration.stride))),
    };
    let sizes = mixed(arith, op, "static_sizes", 3).unwrap_or_default();
    let strides = mixed(arith, op, "static_strides", 4).unwrap_or_default();
    if sizes.len() > DIMS {
        let (count, help) = (sizes.len(), "merge dimensions, or split the transfer");
        let message = format!("{count} dimensions are more than the {DIMS} of shim tiles");
        return Err(BdError::new(message, help));
    }
    let whole = ty.as_ref().and_then(|ty| ty.as_memref()?.num_elements());
    let length = if sizes.is_empty() {
        length.or(whole.map(|n| Num::Known(n as i64)))
    } else {
        length
    };
    let (mut all_sizes, mut all_strides) = ([Num::Known(1); DIMS], [Num::Known(0); DIMS]);
    all_strides[0] = Num::Known(1);
    for (at, (size, stride)) in sizes.iter().zip(&strides).rev().enumerate() {
        (all_sizes[at], all_strides[at]) = (*size, *stride);
    }
    if let Some((size, stride)) = iteration {
        (all_sizes[DIMS - 1], all_strides[DIMS - 1]) = (size, stride);
    }
    if sizes.is_empty() {
        let Some(length) = length else {
            let message = "this transfer has no length";
            return Err(BdError::new(message, "write `len`"));
        };
        all_sizes[0] = length;
    }
    let mut offset = Offset {
        bytes: bd.memory.offset,
        terms: Vec::new(),
        elem_bytes,
    };
    match start {
        Num::Known(n) => {
            let bytes = n.saturating_mul(elem_bytes as i64);
            offset.bytes = offset.bytes.saturating_add(bytes);
        }
        start => offset.terms.push((start, Num::Known(1))),
    }
    let next = bd.next.map(|value| arith.number(value));
    Ok(Descriptor {
        channel,
        number,
        template,
        next,
        pattern: RunTimePattern {
            access: AccessPattern::new(elem_bytes, all_sizes.into_iter().zip(all_strides)),
            length: length.filter(|_| !sizes.is_empty()),
        },
        argument: bd.memory.argument,
        offset,
    })
}

/// The words of a shim BD without a pattern.
pub(crate) fn template(
    model: &'static DeviceModel,
    fields: &aiec_device::regmap::BdFields,
) -> Result<Vec<u32>, BdError> {
    match BdLayout::of(model.arch(), TileKind::ShimNoc) {
        Some(layout) => layout.pack(fields).map_err(BdError::from),
        None => Ok(Vec::new()),
    }
}
