//! DMA transfers: from what the netlist says, in elements, to the fields of a buffer descriptor,
//! in 32-bit words.
//!
//! Device configuration (DMA programs) and runtime sequences (memcpys, tasks) share it. A
//! pattern is kept as it is written when the hardware can hold it; else neighbouring dimensions
//! that are contiguous are merged and large ones are split, and only what then still doesn't fit
//! is refused.

use std::fmt::Display;

use aiec_aie::ir::{
    Attr, BdDim, BdIteration, BdPad, Block, DYNAMIC, Module, Op, PacketInfo, Type, Value,
};
use aiec_aie::ops::netlist::operand_group;
use aiec_aie::ops::{DmaBd, DmaBdPacket, OpView};
use aiec_device::regmap::{BdFields, FieldLimit, FieldOverflow};
use aiec_device::{AccessPattern, DmaModel, PatternError};
use aiec_diag::{Code, Diag, Span};

pub use aiec_device::WORD_BYTES;

/// Words of mlir-aie's tools about a burst length elsewhere than in a shim tile.
const BURST_IN_MLIR_AIE: &str = "Burst length is only supported in Shim NOC tiles that are connected \
                             to the memory-mapped NOC.";

/// Returns the integer that a value is known to be.
pub type Ints<'a> = dyn Fn(Value) -> Option<i64> + 'a;

/// One run of a buffer descriptor over memory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Transfer {
    /// First byte, in the DMA's view of memory; an offset for host buffers that are patched.
    pub address: i64,
    /// Bytes of an element.
    pub elem_bytes: u64,
    /// Elements to transfer in one run, padding counted.
    pub length: i64,
    /// The pattern, outermost first, in elements; empty if linear.
    pub dims: Vec<BdDim>,
    /// Padding of each dimension, outermost first, in elements; empty if none.
    pub pads: Vec<BdPad>,
    /// Movement of the base from run to run, in elements.
    pub iteration: Option<BdIteration>,
}

impl Transfer {
    /// A pattern with one dimension more than the DMA has: its outermost becomes the iteration, and
    /// the task's repeat count says how many runs there are. A written length may be that of all runs.
    pub(crate) fn outermost_to_iteration(&mut self, hardware: usize, length_written: bool) {
        let run = |dims: &[BdDim]| dims.iter().fold(1i64, |n, dim| n.saturating_mul(dim.size));
        if self.dims.len() != hardware + 1 {
            if !length_written && !self.dims.is_empty() && self.pads.is_empty() {
                self.length = run(&self.dims);
            }
            return;
        }
        let (whole, outer) = (run(&self.dims), self.dims.remove(0));
        let inner = run(&self.dims);
        if !length_written || self.length == whole {
            self.length = inner;
        }
        if outer.size > 1 && outer.stride != 0 {
            self.iteration = Some(BdIteration::new(outer.size, outer.stride));
        }
    }
}

/// Why a transfer can't be a buffer descriptor, and the way out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BdError {
    /// One sentence.
    pub message: String,
    /// Way out.
    pub help: String,
    /// Words of mlir-aie's tools, if they find it too.
    pub in_mlir_aie: Option<String>,
    /// Whether a number isn't known, rather than wrong.
    pub is_unknown: bool,
}

impl BdError {
    /// An error with its way out.
    pub fn new(message: impl Into<String>, help: impl Into<String>) -> BdError {
        BdError {
            message: message.into(),
            help: help.into(),
            in_mlir_aie: None,
            is_unknown: false,
        }
    }

    /// With the words of mlir-aie's tools.
    pub fn in_mlir_aie(mut self, text: impl Into<String>) -> BdError {
        self.in_mlir_aie = Some(text.into());
        self
    }

    /// The finding at a place.
    pub fn diag(self, code: &'static Code, span: Option<Span>) -> Diag {
        Diag::error(code, self.message)
            .label(span, "this transfer")
            .help(self.help)
    }
}

impl From<FieldOverflow> for BdError {
    fn from(overflow: FieldOverflow) -> BdError {
        let help = match overflow.limit {
            FieldLimit::Absent(_) => "leave it out, or use a tile whose DMA has it",
            FieldLimit::Range(..) if overflow.what.starts_with("length") => {
                "split the transfer into several"
            }
            FieldLimit::Range(..) if overflow.what.starts_with("step") => {
                "rearrange the buffer, or split the transfer; a repeat (stride 0) is only possible \
                 in the outermost dimension of a memcpy"
            }
            FieldLimit::Range(..) => "choose a value in that range, or split the transfer",
        };
        BdError::new(overflow.to_string(), help)
    }
}

impl From<PatternError> for BdError {
    fn from(error: PatternError) -> BdError {
        match error {
            PatternError::Size { size } => BdError::new(
                format!("a dimension of size {size} is not possible"),
                "sizes are 1 or more",
            ),
            PatternError::Stride { stride } => BdError::new(
                format!("a stride of {stride} elements is not possible"),
                "strides are 0 or more",
            ),
            PatternError::PartialStride { bytes } => BdError::new(
                format!("a stride of {bytes} bytes isn't a whole number of 32-bit words"),
                "DMAs step by 32-bit words: use strides of a multiple of 4 bytes",
            ),
            PatternError::InnermostStride { stride, elem_bytes } => BdError::new(
                format!(
                    "the innermost stride of {stride} is not possible for elements of \
                     {elem_bytes} bytes"
                ),
                "DMAs move 32-bit words: only elements of 4 bytes can be strided innermost",
            )
            .in_mlir_aie(innermost_in_mlir_aie(stride, elem_bytes)),
            PatternError::PartialRun { bytes } => BdError::new(
                format!("an innermost run of {bytes} bytes isn't a whole number of 32-bit words"),
                "DMAs move 32-bit words: make the innermost size a multiple of 4 bytes",
            ),
            PatternError::SizeLimit { size, limit } => BdError::new(
                format!("a dimension of size {size} exceeds {limit}"),
                format!("use sizes up to {limit}"),
            ),
            PatternError::Indivisible { size, limit } => BdError::new(
                format!("a dimension of size {size} exceeds {limit} and has no divisor that fits"),
                format!("use sizes up to {limit}, or products of such"),
            ),
            PatternError::TooManyDims { dims, hardware } => BdError::new(
                format!("{dims} dimensions are more than the {hardware} of this tile's DMA"),
                "merge dimensions, or split the transfer",
            ),
            PatternError::TooManySplitDims {
                dims,
                hardware,
                limit,
            } => BdError::new(
                format!(
                    "the pattern needs {dims} dimensions of at most {limit} steps; this tile's DMA \
                     has {hardware}"
                ),
                "merge dimensions that are contiguous, or split the transfer into several",
            ),
        }
    }
}

fn innermost_in_mlir_aie(stride: i64, elem_bytes: u64) -> String {
    if stride < 1 {
        return "Stride 0 must be a positive integer.".to_string();
    }
    let bytes = stride.saturating_mul(elem_bytes as i64);
    format!(
        "Stride 0 is {stride} elements * {elem_bytes} bytes = {bytes} bytes, which is not \
         divisible by 4. "
    )
}

/// Bytes of an element of a memref, ranked or not.
pub fn element_bytes(ty: &Type) -> Option<u64> {
    match ty {
        Type::UnrankedMemRef(elem) => elem.elem_bytes(),
        ty => ty.as_memref()?.elem.elem_bytes(),
    }
}

impl Transfer {
    /// The transfer of an `aie.dma_bd`; its address is the byte offset into the buffer.
    pub fn of_bd(module: &Module, bd: DmaBd, ints: &Ints<'_>) -> Result<Transfer, BdError> {
        let ty = bd.buffer(module).map(|buffer| module.ty(buffer));
        let Some((ty, elem_bytes)) = ty.and_then(|ty| Some((ty, element_bytes(ty)?))) else {
            return Err(BdError::new(
                "the buffer's element type has no size in bytes",
                "use integers or floats",
            ));
        };
        let whole = ty.as_memref().and_then(|memref| memref.num_elements());
        let whole = whole.and_then(|n| i64::try_from(n).ok());
        let offset = one_int(module, bd.op(), "static_offset", 1, ints, Some(0))?;
        let length = one_int(module, bd.op(), "static_len", 2, ints, whole)?;
        let mut dims = Vec::new();
        if module.attr(bd.op(), "static_sizes").is_some() {
            let sizes = mixed_ints(module, bd.op(), "static_sizes", 3, ints);
            let strides = mixed_ints(module, bd.op(), "static_strides", 4, ints);
            let Some((sizes, strides)) = sizes.zip(strides) else {
                return Err(not_constant("the pattern of this transfer"));
            };
            let pairs = sizes.into_iter().zip(strides);
            dims = pairs.map(|(size, stride)| BdDim { size, stride }).collect();
        }
        Ok(Transfer {
            address: offset.saturating_mul(elem_bytes as i64),
            elem_bytes,
            length,
            dims,
            pads: bd.pad_dimensions(module).unwrap_or_default(),
            iteration: None,
        })
    }

    /// The fields that say where, how much and in which order. Locks, packets, chaining and bursts
    /// are for the caller to add.
    pub fn fields(&self, dma: &DmaModel) -> Result<BdFields, BdError> {
        let mut fields = BdFields {
            valid: true,
            base_address: self.base()?,
            length: self.words()?,
            ..BdFields::default()
        };
        let mut pattern = self.in_words()?;
        let hardware = usize::from(dma.bd.dims);
        if self.pads.is_empty() {
            pattern = pattern.split(dma)?;
        } else if pattern.dims.len() > hardware {
            let dims = pattern.dims.len();
            return Err(PatternError::TooManyDims { dims, hardware }.into());
        }
        let bounded = hardware - usize::from(dma.bd.outermost_unbounded);
        for (at, dim) in pattern.dims.iter().enumerate() {
            fields.steps[at] = narrow(dim.stride, "step (words)")?;
            if at < bounded {
                fields.wraps[at] = narrow(dim.size, "size")?;
            }
        }
        self.pad(&mut fields)?;
        if let Some(iteration) = self.iteration {
            let help = "use a number that isn't negative";
            fields.iteration_count = in_range(iteration.size, "iteration size", help)?;
            fields.iteration_current = in_range(iteration.current, "current iteration", help)?;
            let step = self.pattern().stride_in_words(iteration.stride)?;
            fields.iteration_step = narrow(step, "iteration step (words)")?;
        }
        Ok(fields)
    }

    /// The fields of a transfer to whose length multiples of `unit` elements are added when it runs. The length may be 0
    /// before that. The dimension that goes on is the outermost one of the descriptor, whose end is the length's alone.
    ///
    /// # Errors
    /// The pattern has no such dimension, or a unit isn't whole steps of it.
    pub(crate) fn growing_fields(&self, dma: &DmaModel, unit: i64) -> Result<BdFields, BdError> {
        let mut grown = self.clone();
        if grown.is_linear() {
            grown.dims.clear();
        } else {
            grown.expose_outermost(dma, unit)?;
        }
        let static_bytes = self.pattern().bytes(self.length).unwrap_or(u64::MAX);
        grown.length = unit;
        if let Err(error) = grown.in_words()?.fits(dma) {
            return Err(error.into());
        }
        let mut fields = grown.fields(dma)?;
        fields.length = narrow(static_bytes / WORD_BYTES, "length (words)")?;
        Ok(fields)
    }

    /// Makes the outermost dimension that moves that of the descriptor without an end of its own.
    fn expose_outermost(&mut self, dma: &DmaModel, unit: i64) -> Result<(), BdError> {
        let hardware = usize::from(dma.bd.dims);
        let moves = self.dims.iter().position(|dim| dim.size != 1);
        self.dims.drain(..moves.unwrap_or(self.dims.len()));
        let refused = |message: String| {
            let help = "the length ends the outermost dimension of a descriptor, so that a pattern with gaps needs two \
                        or three dimensions, the outermost of a size above 1, and units of whole steps of it";
            BdError::new(message, help)
        };
        if !(2..=hardware).contains(&self.dims.len()) {
            let message = format!(
                "a pattern of {} dimensions has none that a length parameter continues",
                self.dims.len()
            );
            return Err(refused(message));
        }
        let inner = self.dims.iter().skip(1);
        let step = inner.fold(1i64, |n, dim| n.saturating_mul(dim.size.max(0)));
        if step == 0 || unit % step != 0 {
            let message = format!("a unit of {unit} elements isn't whole steps of {step} elements");
            return Err(refused(message));
        }
        // A dimension of size 1 takes no step.
        let word = (WORD_BYTES / self.elem_bytes.max(1)).max(1) as i64;
        let at = 1;
        while self.dims.len() < hardware {
            self.dims.insert(at, BdDim::new(1, word));
        }
        Ok(())
    }

    /// Whether it walks memory without gaps, each word once.
    pub fn is_linear(&self) -> bool {
        self.pads.is_empty() && self.in_words().is_ok_and(|pattern| pattern.is_linear())
    }

    /// The pattern as it is written.
    fn pattern(&self) -> AccessPattern<i64> {
        let dims = self.dims.iter().rev();
        AccessPattern::new(self.elem_bytes, dims.map(|dim| (dim.size, dim.stride)))
    }

    fn base(&self) -> Result<u64, BdError> {
        match u64::try_from(self.address) {
            Ok(address) if address.is_multiple_of(WORD_BYTES) => Ok(address),
            Ok(address) => Err(BdError::new(
                format!("the transfer begins at byte {address}, which isn't a multiple of 4"),
                "DMAs move 32-bit words: choose an offset of whole words",
            )
            .in_mlir_aie("Offset must be aligned to 4 byte boundary.")),
            Err(_) => Err(BdError::new(
                format!(
                    "the transfer begins {} bytes before its buffer",
                    -self.address
                ),
                "offsets count from the start of the buffer",
            )),
        }
    }

    fn words(&self) -> Result<u32, BdError> {
        match self.pattern().bytes(self.length).filter(|n| *n > 0) {
            Some(bytes) if bytes.is_multiple_of(WORD_BYTES) => {
                narrow(bytes / WORD_BYTES, "length (words)")
            }
            Some(bytes) => {
                let bd_error = BdError::new(
                    format!("{bytes} bytes aren't a whole number of 32-bit words"),
                    "DMAs move 32-bit words: transfer a multiple of 4 bytes",
                );
                Err(if bytes < WORD_BYTES {
                    bd_error.in_mlir_aie(format!(
                        "Transfer size of {bytes} bytes falls below minimum hardware transfer \
                     unit of 4 bytes."
                    ))
                } else {
                    bd_error
                })
            }
            None => Err(BdError::new(
                format!("a transfer of {} elements is not possible", self.length),
                "transfer at least one element",
            )),
        }
    }

    /// The pattern in words. Where the innermost dimension by itself isn't a run of whole words,
    /// those that together are one are merged first. Padding belongs to dimensions as they are
    /// written, so that padded ones stay.
    fn in_words(&self) -> Result<AccessPattern<u64>, PatternError> {
        let pattern = self.pattern();
        let is_whole = |dim: &BdDim| {
            let bytes = pattern.bytes(dim.size);
            dim.stride == 1 && bytes.is_some_and(|bytes| bytes.is_multiple_of(WORD_BYTES))
        };
        let can_merge = self.dims.iter().all(|dim| dim.size > 0) && self.pads.is_empty();
        if !can_merge || self.elem_bytes == WORD_BYTES || pattern.dims.first().is_none_or(is_whole)
        {
            return pattern.in_words();
        }
        let folded = pattern.fold();
        // No dimension takes a step: whether whole words are moved is said by the length alone.
        if folded.dims.is_empty() {
            let still = self.dims.iter().map(|_| (1, 1));
            return Ok(AccessPattern::new(WORD_BYTES, still));
        }
        folded.in_words()
    }

    fn pad(&self, fields: &mut BdFields) -> Result<(), BdError> {
        for (at, pad) in self.pads.iter().rev().enumerate() {
            let unit = if at == 0 { self.elem_bytes } else { WORD_BYTES };
            let words = |n: i64| match u64::try_from(n).ok().and_then(|n| n.checked_mul(unit)) {
                Some(bytes) if bytes.is_multiple_of(WORD_BYTES) => {
                    narrow(bytes / WORD_BYTES, "padding")
                }
                _ => Err(BdError::new(
                    format!("innermost padding by {n} elements isn't a whole number of words"),
                    "pad the innermost dimension by a multiple of 4 bytes",
                )),
            };
            let (Some(before), Some(after)) =
                (fields.pad_before.get_mut(at), fields.pad_after.get_mut(at))
            else {
                if (pad.before, pad.after) == (0, 0) {
                    continue;
                }
                return Err(BdError::new(
                    "only the three inner dimensions can be padded",
                    "leave the outermost dimension unpadded",
                ));
            };
            (*before, *after) = (words(pad.before)?, words(pad.after)?);
        }
        Ok(())
    }
}

/// A number as the type of its field.
fn in_range<N: Copy + Display, F: TryFrom<N>>(
    value: N,
    what: &str,
    help: &str,
) -> Result<F, BdError> {
    let out_of_range = |_| BdError::new(format!("{what} of {value} is out of range"), help);
    F::try_from(value).map_err(out_of_range)
}

fn narrow(value: u64, what: &str) -> Result<u32, BdError> {
    in_range(value, what, "split the transfer into several")
}

/// Adds the header that MM2S puts in front of the data.
pub fn set_packet(fields: &mut BdFields, packet: PacketInfo) -> Result<(), BdError> {
    let help = "packet ids are 0 to 31, packet types 0 to 7";
    fields.packet_enable = true;
    fields.packet_id = in_range(packet.pkt_id, "packet id", help)?;
    fields.packet_type = in_range(packet.pkt_type, "packet type", help)?;
    Ok(())
}

/// Sets the number of the receiver's descriptor that the header names, if the BD names one
/// (`mlir-aie: AIEOps.td`, `out_of_order_id`). A BD without a header has no place for it, which the verifier reports.
pub fn set_named_bd(fields: &mut BdFields, module: &Module, bd: DmaBd) -> Result<(), BdError> {
    if let Some(id) = bd.out_of_order_id(module) {
        let help = "descriptors that a header names are 0 to 63";
        fields.out_of_order_id = in_range(id, "descriptor in a header", help)?;
    }
    Ok(())
}

/// Sets the burst length of a shim BD: the longest if none is written (0 bytes).
pub fn set_burst(fields: &mut BdFields, dma: &DmaModel, bytes: i64) -> Result<(), BdError> {
    if dma.bursts.is_empty() {
        return match bytes {
            0 => Ok(()),
            _ => Err(BdError::new(
                "only shim DMAs have a burst length",
                "leave `burst_length` out",
            )
            .in_mlir_aie(BURST_IN_MLIR_AIE)),
        };
    }
    let code = u32::try_from(bytes).ok().and_then(|b| dma.burst_code(b));
    fields.burst = code.ok_or_else(|| {
        let list: Vec<String> = dma.bursts.iter().map(u32::to_string).collect();
        let message = format!("this device has no bursts of {bytes} bytes");
        let all = list.join(", ");
        let help = format!("its burst lengths are {all}; 0 is the longest");
        BdError::new(message, help).in_mlir_aie(format!(
            "Requested burst length is not supported by the target. Supported burst lengths: {}",
            list.join(" ")
        ))
    })?;
    Ok(())
}

/// A number of a transfer to which NPU firmware adds a word of its scratchpad
/// (`mlir-aie: test/dialect/AIEX/length_parameter_lowering.mlir`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ScratchpadTerm {
    /// Its address, in elements.
    Offset,
    /// Its length, in units of [`LENGTH_UNIT`] elements.
    Length,
}

/// Elements that a transfer is longer by for each 1 of its length parameter.
pub(crate) const LENGTH_UNIT: &str = "length_unit";

impl ScratchpadTerm {
    pub(crate) const ALL: [ScratchpadTerm; 2] = [ScratchpadTerm::Offset, ScratchpadTerm::Length];

    /// Attribute of a transfer with the name of the parameter.
    pub(crate) const fn parameter(self) -> &'static str {
        match self {
            ScratchpadTerm::Offset => "offset_parameter",
            ScratchpadTerm::Length => "length_parameter",
        }
    }

    /// The same with the number of the parameter's word in the scratchpad.
    pub(crate) const fn index(self) -> &'static str {
        match self {
            ScratchpadTerm::Offset => "offset_state_table_idx",
            ScratchpadTerm::Length => "length_state_table_idx",
        }
    }

    /// The attribute by which a transfer asks for it, if it does.
    pub(crate) fn asked(self, module: &Module, op: Op) -> Option<&'static str> {
        let mut keys = [self.parameter(), self.index()].into_iter();
        keys.find(|key| module.attr(op, key).is_some())
    }
}

/// The first number of a transfer that comes from the scratchpad, if any.
pub(crate) fn scratchpad_term(module: &Module, op: Op) -> Option<ScratchpadTerm> {
    let mut terms = ScratchpadTerm::ALL.into_iter();
    terms.find(|term| term.asked(module, op).is_some())
}

/// The packet header that a BD asks for, itself or by an `aie.dma_bd_packet` in its block.
pub fn packet_of_bd(module: &Module, bd: DmaBd, block: Block) -> Option<PacketInfo> {
    bd.packet(module).or_else(|| {
        let mut ops = module.block_ops(block);
        let packet = ops.find_map(|op| DmaBdPacket::cast(module, op))?;
        Some(PacketInfo {
            pkt_type: packet.packet_type(module).into(),
            pkt_id: packet.packet_id(module).into(),
        })
    })
}

/// The error about a number that is only known at run time.
pub fn not_constant(what: &str) -> BdError {
    let message = format!("{what} isn't known when the design is compiled");
    let help = "use constants, or loops with constant bounds around constant arithmetic";
    BdError {
        is_unknown: true,
        ..BdError::new(message, help)
    }
}

/// A number that is an attribute, or an operand of `group`, or neither.
fn one_int(
    module: &Module,
    op: Op,
    attr: &str,
    group: usize,
    ints: &Ints<'_>,
    default: Option<i64>,
) -> Result<i64, BdError> {
    let fixed = module.int_attr(op, attr);
    if let Some(value) = fixed.filter(|v| *v != i64::from(i32::MIN) && *v != DYNAMIC) {
        return Ok(value);
    }
    let operand = operand_group(module, op, group).unwrap_or_default();
    match operand.first() {
        Some(operand) => ints(*operand),
        None => default,
    }
    .ok_or_else(|| not_constant("the offset or length of this transfer"))
}

/// A list that is partly static: its attribute, with the marks of dynamic entries replaced by
/// what the operands of `group` are known to be; `None` if one isn't known, or without attribute.
pub fn mixed_ints(
    module: &Module,
    op: Op,
    attr: &str,
    group: usize,
    ints: &Ints<'_>,
) -> Option<Vec<i64>> {
    let values = match module.attr(op, attr)? {
        Attr::DenseArray(list) => list.values.clone(),
        Attr::Array(list) => list.iter().map(Attr::as_int).collect::<Option<_>>()?,
        _ => return None,
    };
    let mut dynamic = operand_group(module, op, group)
        .unwrap_or_default()
        .into_iter();
    values
        .into_iter()
        .map(|value| match value {
            DYNAMIC => ints(dynamic.next()?),
            value => Some(value),
        })
        .collect()
}
