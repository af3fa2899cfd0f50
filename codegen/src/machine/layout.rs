//! Layout: formats of bundles, their addresses, and the bytes.
//!
//! A branch target begins a line of 16 bytes, as in all code of AMD's compiler; the gap before it
//! is filled by longer formats of the bundles before it, and only if these are too few by bundles
//! that do nothing. Hardware loops keep what all loops of that compiler do: first and last bundle
//! begin a line, the last one has 16 bytes, and there are at least [`MIN_SETUP`] bundles and as
//! many lines from the last bundle that sets the loop up to the last one of the loop.

use std::ops::Range;

use aiec_aie::ir::Op;
use aiec_core::{Bundle as Encoded, CoreIsa, EncodeError, MAX_BUNDLE_BYTES, Slot, SlotSet};
use smallvec::SmallVec;

use super::frame::{Inst, Value};
use super::schedule::{Bundle, Region, slot_instruction};
use super::{BlockId, FunctionId};

/// Bytes that targets are multiples of.
pub(super) const LINE: u32 = MAX_BUNDLE_BYTES as u32;
/// Bundles, and lines, from the last bundle that sets a hardware loop up to the loop's last one.
pub(super) const MIN_SETUP: u32 = 7;

/// A scheduled block.
#[derive(Clone, Debug)]
pub(super) struct CodeBlock {
    /// Its instructions, in the slots that were chosen for them.
    pub insts: Vec<Inst>,
    /// Its instructions as the program has them, before the choice of slots.
    pub program: Vec<Inst>,
    pub regions: Vec<Region>,
    /// Whether it is the body of a hardware loop, which the block before it sets up.
    pub is_loop: bool,
    /// Bundles before and after the loop, where its iterations overlap, with what comes before and after it.
    pub prologue: Vec<Bundle>,
    pub epilogue: Vec<Bundle>,
    /// The first bundle of the loop among those before it.
    pub first: usize,
    /// Instructions of the loop before whose last iterations end among the bundles before this one: the first ones. Nothing may be
    /// inserted among these bundles.
    pub ended: usize,
    /// Instructions that come before and after the loop: the first and the last ones.
    pub around: [usize; 2],
    /// Iterations that overlap; 1 of other blocks.
    pub stages: u32,
    /// Whether no bundle may be added to the loop.
    pub is_exact: bool,
}

/// A bundle at its place.
#[derive(Clone, Debug)]
struct PlacedBundle {
    block: u32,
    bundle: Bundle,
    slots: SlotSet,
    bytes: u32,
    /// Whether it sets a hardware loop up.
    sets_up: bool,
}

/// The bundles of a function with their sizes.
#[derive(Clone, Debug, Default)]
pub(super) struct FunctionLayout {
    bundles: Vec<PlacedBundle>,
    /// Offset of each block from the function's start.
    blocks: Vec<u32>,
    /// Offset of the last bundle of each block, of loops of the last one that is repeated.
    ends: Vec<u32>,
    /// Of blocks that are loops the bundles that are repeated, counted from the function's first one.
    kernels: Vec<Option<Range<usize>>>,
    /// Bytes.
    pub size: u32,
}

impl FunctionLayout {
    fn push(&mut self, placed: PlacedBundle) {
        self.size += placed.bytes;
        self.bundles.push(placed);
    }

    /// The bundles of a block that a hardware loop repeats, counted from the function's first one.
    pub fn kernel(&self, block: usize) -> Option<Range<usize>> {
        self.kernels.get(block).cloned().flatten()
    }

    /// The bundles of each block in order, with the instructions in them: indices into the block.
    pub fn bundles(&self) -> impl Iterator<Item = (u32, &Bundle)> {
        let bundles = self.bundles.iter();
        bundles.map(|placed| (placed.block, &placed.bundle))
    }
}

/// Where functions begin, and how values that layout or the stack decide are numbers.
pub(super) struct Addresses<'a> {
    pub functions: &'a [u32],
    /// Index of the function.
    pub function: usize,
    pub stack: &'a dyn Fn(Value) -> Option<i64>,
    /// The operation that the function was made for.
    pub source: Op,
}

/// The length of the shortest format with at least these slots, of those of at least some bytes.
fn format_of(isa: &CoreIsa, slots: SlotSet, bytes: u32) -> Option<usize> {
    let formats = isa.formats.iter().enumerate();
    formats
        .filter(|(_, format)| {
            u32::from(format.bytes) == bytes && format.slot_set.contains_all(slots)
        })
        .min_by_key(|(_, format)| format.slot_set.count())
        .map(|(index, _)| index)
}

fn shortest(isa: &CoreIsa, slots: SlotSet) -> u32 {
    let format = isa.shortest_format(slots);
    format.map_or(LINE, |format| u32::from(isa.formats[format].bytes))
}

/// Lengthens bundles until `bytes` more are taken, the last ones first; returns how many are left.
fn lengthen(isa: &CoreIsa, bundles: &mut [PlacedBundle], mut bytes: u32) -> u32 {
    for placed in bundles.iter_mut().rev() {
        let longest = LINE.min(placed.bytes + bytes);
        let lengths = (placed.bytes + 1..=longest).rev();
        let found = lengths
            .into_iter()
            .find(|length| format_of(isa, placed.slots, *length).is_some());
        if let Some(length) = found {
            bytes -= length - placed.bytes;
            placed.bytes = length;
        }
        if bytes == 0 {
            break;
        }
    }
    bytes
}

/// Lays the blocks of a function out.
pub(super) fn lay_out(isa: &CoreIsa, blocks: &[CodeBlock]) -> FunctionLayout {
    let mut layout = FunctionLayout::default();
    // Bundles before this one have their sizes.
    let mut segment = 0;
    for (index, block) in blocks.iter().enumerate() {
        let at = index as u32;
        if block.is_loop {
            place_loop(isa, &mut layout, &mut segment, at, block);
            continue;
        }
        for (index, region) in block.regions.iter().enumerate() {
            if region.is_target {
                align(isa, &mut layout, &mut segment, at);
            }
            if index == 0 {
                layout.blocks.push(layout.size);
            }
            for bundle in &region.bundles {
                layout.push(place(isa, at, block, bundle));
            }
        }
        let last = layout.bundles.last().map_or(0, |placed| placed.bytes);
        layout.ends.push(layout.size - last);
        layout.kernels.push(None);
    }
    let last = blocks.len().saturating_sub(1) as u32;
    align(isa, &mut layout, &mut segment, last);
    layout
}

/// Places a hardware loop with the bundles around it. Between its first bundle and the last of the epilogue nothing may be
/// inserted.
fn place_loop(
    isa: &CoreIsa,
    layout: &mut FunctionLayout,
    segment: &mut usize,
    at: u32,
    block: &CodeBlock,
) {
    let (before, prologue) = block.prologue.split_at(block.first);
    for bundle in before {
        layout.push(place(isa, at, block, bundle));
    }
    let prologue = prologue.iter();
    let mut prologue: Vec<PlacedBundle> = prologue
        .map(|bundle| place(isa, at, block, bundle))
        .collect();
    let mut body = loop_body(isa, at, block);
    let size =
        |bundles: &[PlacedBundle]| -> u32 { bundles.iter().map(|placed| placed.bytes).sum() };
    let in_prologue = prologue.iter().rposition(|placed| placed.sets_up);
    if let Some(setup) = in_prologue {
        // There are enough bundles from there on: they take enough lines if each fills one.
        let wanted = MIN_SETUP * LINE;
        let after = &mut prologue[setup + 1..];
        let mut bytes = size(after) + size(&body) - LINE;
        for placed in after.iter_mut().rev() {
            if bytes >= wanted {
                break;
            }
            bytes += LINE - placed.bytes;
            placed.bytes = LINE;
        }
        if bytes < wanted {
            body.iter_mut().for_each(|placed| placed.bytes = LINE);
        }
    }
    let body_lines = size(&body) / LINE;
    let setup = layout.bundles.iter().rposition(|placed| placed.sets_up);
    let setup = setup.filter(|_| in_prologue.is_none());
    // Bundles up to the set-up keep their sizes: else it would come nearer to the loop's end.
    let after_setup = setup.map_or(0, |setup| setup + 1);
    if let Some(setup) = setup {
        let setup_line = size(&layout.bundles[..setup]) / LINE;
        let bundles = layout.bundles.len() - setup + prologue.len() + body.len() - 1;
        for _ in bundles..MIN_SETUP as usize {
            let bytes = shortest(isa, SlotSet::default());
            layout.push(empty(at, bytes));
        }
        let missing = |layout: &FunctionLayout, prologue: &[PlacedBundle]| {
            let start = (layout.size + size(prologue)).next_multiple_of(LINE);
            let last = start / LINE + body_lines - 1;
            MIN_SETUP.saturating_sub(last - setup_line)
        };
        let wanted = missing(layout, &prologue) * LINE;
        if wanted != 0 {
            let left = lengthen(isa, &mut prologue, wanted);
            let first = (*segment).max(setup + 1).min(layout.bundles.len());
            let more = lengthen(isa, &mut layout.bundles[first..], left);
            layout.size += left - more;
        }
        while missing(layout, &prologue) != 0 {
            layout.push(empty(at, LINE));
        }
    }
    let bytes = layout.size + size(&prologue);
    let gap = bytes.next_multiple_of(LINE) - bytes;
    let mut left = lengthen(isa, &mut prologue, gap);
    if left != 0 && block.ended != 0 {
        // Whole lines always fit.
        prologue.iter_mut().for_each(|placed| placed.bytes = LINE);
        left = 0;
    }
    let first = (*segment).max(after_setup).min(layout.bundles.len());
    let more = lengthen(isa, &mut layout.bundles[first..], left);
    layout.size += left - more;
    if more != 0 {
        layout.push(empty(at, more));
    }
    prologue.into_iter().for_each(|placed| layout.push(placed));
    layout.blocks.push(layout.size);
    let first = layout.bundles.len();
    body.into_iter().for_each(|placed| layout.push(placed));
    layout.kernels.push(Some(first..layout.bundles.len()));
    layout.ends.push(layout.size - LINE);
    *segment = layout.bundles.len();
    for bundle in &block.epilogue {
        layout.push(place(isa, at, block, bundle));
    }
}

fn place(isa: &CoreIsa, at: u32, block: &CodeBlock, bundle: &Bundle) -> PlacedBundle {
    let mut slots = SlotSet::default();
    let mut sets_up = false;
    for inst in bundle {
        let inst = &block.insts[*inst as usize];
        slots = slots.with(isa.instructions[usize::from(inst.row)].slot);
        sets_up |= super::hardware_loop::is_setup(isa, inst);
    }
    PlacedBundle {
        block: at,
        bundle: bundle.clone(),
        slots,
        bytes: shortest(isa, slots),
        sets_up,
    }
}

fn empty(at: u32, bytes: u32) -> PlacedBundle {
    PlacedBundle {
        block: at,
        bundle: Bundle::new(),
        slots: SlotSet::default(),
        bytes,
        sets_up: false,
    }
}

/// Fills the gap up to the next line.
fn align(isa: &CoreIsa, layout: &mut FunctionLayout, segment: &mut usize, at: u32) {
    let gap = layout.size.next_multiple_of(LINE) - layout.size;
    if gap != 0 {
        let left = lengthen(isa, &mut layout.bundles[*segment..], gap);
        layout.size += gap - left;
        if left != 0 {
            layout.push(empty(at, left));
        }
    }
    *segment = layout.bundles.len();
}

/// The bundles of a hardware loop, the last of which begins a line and fills it.
fn loop_body(isa: &CoreIsa, at: u32, block: &CodeBlock) -> Vec<PlacedBundle> {
    let bundles = block.regions.iter().flat_map(|region| &region.bundles);
    let mut body: Vec<PlacedBundle> = bundles
        .map(|bundle| place(isa, at, block, bundle))
        .collect();
    // A part of a word that is stored in the last bundle is lost (llvm-aie, issue 1012).
    let stores_part = |placed: &PlacedBundle| {
        placed.bundle.iter().any(|inst| {
            let row = &isa.instructions[usize::from(block.insts[*inst as usize].row)];
            row.slot == Slot::LoadA && row.is_store
        })
    };
    if !block.is_exact && body.last().is_none_or(stores_part) {
        body.push(empty(at, LINE));
    }
    let last = body.len() - 1;
    if format_of(isa, body[last].slots, LINE).is_some() {
        body[last].bytes = LINE;
    }
    let before: u32 = body[..last].iter().map(|placed| placed.bytes).sum();
    let gap = before.next_multiple_of(LINE) - before;
    if gap != 0 {
        let left = lengthen(isa, &mut body[..last], gap);
        if left != 0 && block.is_exact {
            // Whole lines always fit.
            body.iter_mut().for_each(|placed| placed.bytes = LINE);
        } else if left != 0 {
            body.insert(last, empty(at, left));
        }
    }
    body
}

/// A bundle without bytes: which one, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct NotEncoded {
    pub source: Op,
    pub error: EncodeError,
}

/// Writes the bytes of a function; `visit` gets each bundle's address and the operation that it was
/// made for.
pub(super) fn encode(
    isa: &CoreIsa,
    layout: &FunctionLayout,
    blocks: &[CodeBlock],
    addresses: &Addresses<'_>,
    bytes: &mut Vec<u8>,
    mut visit: impl FnMut(u32, Op),
) -> Result<(), NotEncoded> {
    let start = addresses.functions[addresses.function];
    let mut source = addresses.source;
    for placed in &layout.bundles {
        let insts = placed.bundle.iter().map(|inst| {
            let block = &blocks[placed.block as usize];
            &block.insts[*inst as usize]
        });
        let number = |value: Value| {
            let number = match value {
                Value::Block(BlockId(block)) => {
                    let offset = layout.blocks.get(block as usize);
                    offset.map(|offset| i64::from(start + offset))
                }
                Value::BlockEnd(BlockId(block)) => {
                    let offset = layout.ends.get(block as usize);
                    offset.map(|offset| i64::from(start + offset))
                }
                Value::Function(FunctionId(function)) => {
                    let address = addresses.functions.get(function as usize);
                    address.map(|address| i64::from(*address))
                }
                value => (addresses.stack)(value),
            };
            number
                .and_then(|number| i32::try_from(number).ok())
                .unwrap_or(0)
        };
        let mut chosen: SmallVec<[(Slot, aiec_core::SlotInstruction); 7]> = SmallVec::new();
        for inst in insts {
            let slot = isa.instructions[usize::from(inst.row)].slot;
            chosen.push((slot, slot_instruction(inst, number)));
            source = inst.source;
        }
        let not_encoded = |error| NotEncoded { source, error };
        let format = format_of(isa, placed.slots, placed.bytes)
            .or_else(|| isa.shortest_format(placed.slots))
            .unwrap_or(0);
        let mut slots: SmallVec<[(Slot, aiec_core::SlotInstruction); 7]> = SmallVec::new();
        for (slot, _) in &isa.formats[format].slots {
            let known = chosen.iter().find(|(known, _)| known == slot);
            let instruction = known.map(|(_, instruction)| instruction.clone());
            if let Some(instruction) = instruction.or_else(|| isa.nop(*slot)) {
                slots.push((*slot, instruction));
            }
        }
        let encoded = Encoded {
            format: format as u16,
            length: isa.formats[format].bytes,
            slots,
        };
        visit(bytes.len() as u32, source);
        bytes.extend(isa.encode(&encoded).map_err(not_encoded)?);
    }
    Ok(())
}
