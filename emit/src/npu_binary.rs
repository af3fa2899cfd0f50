//! `aiec translate --aie-npu-to-binary`: a runtime sequence of register writes as a transaction of
//! the NPUs' firmware, version 0.1 (`mlir-aie: lib/Targets/AIETargetNPU.cpp`).
//!
//! Words are little-endian. The header holds version, generation, size of the array, the number of
//! operations and that of bytes; each operation begins with its number. Control code takes the
//! place of transactions on devices with CERT.

use aiec_aie::ir::Module;
use aiec_aie::ops::{Device, OpKind, OpView, RuntimeSequence};
use aiec_device::{Arch, DeviceModel, TileKind};
use aiec_diag::{Diag, Diags, Reported, codes};
use aiec_passes::by_name::npu_read::{self, NpuItem};

codes! {
    /// Codes of transactions.
    pub static CODES;
    NO_SEQUENCE = "transaction::no-such-sequence",
        "A transaction is made of one runtime sequence of one device, named by --aie-device-name \
         and --aie-sequence-name where there are several.";
    LOWERED = "transaction::lowered",
        "A compilation turns a runtime sequence into control code for the controllers of the array. A \
         transaction for NPU firmware is made of the register operations before that.";
    EMPTY = "transaction::empty",
        "A transaction without operations does nothing. Only register operations (`aiex.npu.write32` \
         and the like) are written; transfers and tasks must be lowered to them first.";
    NO_FIRMWARE = "transaction::no-firmware",
        "Transactions are for the firmware of the NPUs (npu1, npu2 and their parts). Other devices \
         have none that reads them.";
}

/// Words of the header.
const HEADER: usize = 4;
/// Operations (`mlir-aie: include/aie/Runtime/TxnEncoding.h`).
const WRITE: u32 = 0;
const BLOCK_WRITE: u32 = 1;
const MASK_WRITE: u32 = 3;
const PREEMPT: u32 = 6;
const SYNC: u32 = 0x80;
const PATCH: u32 = 0x81;
/// Bytes of a word.
const WORD: u32 = 4;
/// Minor version; the major one is 0.
const MINOR_VERSION: u32 = 1;
/// Arguments that the firmware translates to the array's addresses itself; further ones get the
/// offset of host memory in the array's address space in their patches.
const TRANSLATED_ARGUMENTS: u32 = 5;
/// That offset.
const HOST_OFFSET: u32 = 0x8000_0000;

/// Which transaction is written, and how.
#[derive(Clone, Copy, Debug)]
pub struct TransactionOptions<'a> {
    /// Words instead of hexadecimal text.
    pub binary: bool,
    /// The device; without it the only one with such a sequence.
    pub device: Option<&'a str>,
    /// The runtime sequence; without it the only one.
    pub sequence: Option<&'a str>,
    /// Whether patches of arguments that the firmware doesn't translate get the offset of host memory.
    pub fold_host_offset: bool,
}

/// Writes the transaction of a sequence.
pub fn emit(
    module: &Module,
    options: &TransactionOptions<'_>,
    diags: &mut Diags,
) -> Result<Vec<u8>, Reported> {
    let (device, sequence) = chosen(module, options, diags)?;
    let Some(model) = device.model(module) else {
        // The verifier reports unknown devices.
        return Ok(Vec::new());
    };
    let generation = match model.arch() {
        Arch::Aie2 => 3,
        Arch::Aie2p => 4,
        _ => {
            let message = format!("{} has no firmware that reads transactions", model.name());
            let diag = Diag::error(&NO_FIRMWARE, message)
                .label(module.span(device.op()), "this device")
                .help("use control code: `aiec DESIGN.mlir -o design.elf`");
            return Err(diags.fail(diag));
        }
    };
    let items = npu_read::read(module, device.op(), sequence.op(), diags)?;
    if items.is_empty() {
        nothing_to_write(module, device, sequence, diags)?;
    }
    let mut words = vec![0; HEADER];
    for (item, _) in &items {
        append(&mut words, item, options.fold_host_offset);
    }
    let bytes = u32::try_from(words.len())
        .unwrap_or(u32::MAX)
        .saturating_mul(WORD);
    let (columns, rows) = (u32::from(model.columns()), u32::from(model.rows()));
    words[0] = rows << 24 | generation << 16 | MINOR_VERSION << 8;
    words[1] = mem_tile_rows(model) << 8 | columns;
    words[2] = u32::try_from(items.len()).unwrap_or(u32::MAX);
    words[3] = bytes;
    Ok(match options.binary {
        true => words.iter().flat_map(|word| word.to_le_bytes()).collect(),
        false => words
            .iter()
            .map(|word| format!("{word:08X}\n"))
            .collect::<String>()
            .into_bytes(),
    })
}

/// A sequence without register operations: an error if they became control code, else a warning.
fn nothing_to_write(
    module: &Module,
    device: Device,
    sequence: RuntimeSequence,
    diags: &mut Diags,
) -> Result<(), Reported> {
    let code = module.find(device.op(), OpKind::CertPage);
    let span = module.span(sequence.op());
    if let Some(page) = code.first() {
        let diag = Diag::error(&LOWERED, "the sequence is control code already")
            .label(span, "nothing is left in this sequence")
            .label(module.span(*page), "its operations are in pages")
            .help("make the transaction before: `aiec opt --aie-dma-to-npu` leaves what it holds");
        return Err(diags.fail(diag));
    }
    let diag = Diag::warning(&EMPTY, "the transaction holds no operation")
        .label(span, "this sequence does nothing")
        .help("lower its transfers and tasks first: `aiec opt --aie-dma-tasks-to-npu --aie-dma-to-npu`");
    diags.push(diag);
    Ok(())
}

fn mem_tile_rows(model: &DeviceModel) -> u32 {
    let column = model.tiles().filter(|tile| tile.col == 0);
    let count = column
        .filter(|tile| model.tile_kind(*tile) == Some(TileKind::Mem))
        .count();
    u32::try_from(count).unwrap_or(0)
}

/// The sequence that the flags name, or the only one.
fn chosen(
    module: &Module,
    options: &TransactionOptions<'_>,
    diags: &mut Diags,
) -> Result<(Device, RuntimeSequence), Reported> {
    let mut found = Vec::new();
    for device in module.children::<Device>(module.top()) {
        if options
            .device
            .is_some_and(|name| name != device.name(module))
        {
            continue;
        }
        for sequence in module.children::<RuntimeSequence>(device.op()) {
            let name = sequence.sym_name(module).map(|name| name.to_string());
            if options
                .sequence
                .is_none_or(|wanted| name.as_deref() == Some(wanted))
            {
                found.push((device, sequence));
            }
        }
    }
    if let [one] = found.as_slice() {
        return Ok(*one);
    }
    let message = match found.is_empty() {
        true => "there is no such runtime sequence",
        false => "there are several runtime sequences",
    };
    let mut diag = Diag::error(&NO_SEQUENCE, message);
    for (_, sequence) in &found {
        diag = diag.label(module.span(sequence.op()), "this is one");
    }
    Err(diags.fail(diag.help("choose with --aie-device-name=NAME and --aie-sequence-name=NAME")))
}

fn append(words: &mut Vec<u32>, item: &NpuItem, fold: bool) {
    match item {
        NpuItem::Write { address, value } => {
            words.extend([WRITE, 0, *address, 0, *value, 6 * WORD]);
        }
        NpuItem::Mask {
            address,
            mask,
            value,
        } => {
            words.extend([MASK_WRITE, 0, *address, 0, *value, *mask, 7 * WORD]);
        }
        NpuItem::Block {
            address,
            words: data,
            ..
        } => {
            let size = u32::try_from(HEADER + data.len()).unwrap_or(u32::MAX);
            words.extend([BLOCK_WRITE, 0, *address, size.saturating_mul(WORD)]);
            words.extend(data);
        }
        NpuItem::Patch {
            address,
            argument,
            plus,
        } => {
            let further = fold && *argument >= TRANSLATED_ARGUMENTS;
            let plus = if further {
                plus.wrapping_add(HOST_OFFSET)
            } else {
                *plus
            };
            words.extend([
                PATCH,
                12 * WORD,
                0,
                0,
                0,
                0,
                *address,
                0,
                *argument,
                0,
                plus,
                0,
            ]);
        }
        NpuItem::Sync([col, row, direction, channel, cols, rows]) => {
            let byte = |value: &u32, shift: u32| (value & 0xFF) << shift;
            let tile = byte(col, 16) | byte(row, 8) | byte(direction, 0);
            words.extend([
                SYNC,
                4 * WORD,
                tile,
                byte(channel, 24) | byte(cols, 16) | byte(rows, 8),
            ]);
        }
        NpuItem::Preempt { level } => words.push(PREEMPT | level << 8),
    }
}
