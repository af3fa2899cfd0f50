//! `aiec translate --aie-npu-to-binary`: a runtime sequence of register writes as a transaction of
//! the NPUs' firmware, version 0.1 (`mlir-aie: lib/Targets/AIETargetNPU.cpp`).
//!
//! Control code takes the place of transactions on devices with CERT.

use aiec_aie::ir::Module;
use aiec_aie::ops::{Device, OpKind, OpView, RuntimeSequence};
use aiec_device::Arch;
use aiec_diag::{Diag, Diags, Reported, codes, internal};
use aiec_npu::txn::{GENERATION_NPU1, GENERATION_NPU2, Header, Transaction, print_hex_words};
use aiec_passes::mlir_aie_compat::npu_read;

use crate::npu::operations;

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

/// Options of a transaction.
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
        Arch::Aie2 => GENERATION_NPU1,
        Arch::Aie2p => GENERATION_NPU2,
        _ => {
            let message = format!("{} has no firmware that reads transactions", model.name());
            let diag = Diag::error(&NO_FIRMWARE, message)
                .label(module.span(device.op()), "this device")
                .help("use control code: `aiec DESIGN.mlir -o design.elf`");
            return Err(diags.fail(diag));
        }
    };
    let read = npu_read::read(module, device.op(), sequence.op(), diags)?;
    if read.is_empty() {
        nothing_to_write(module, device, sequence, diags)?;
    }
    let header = Header::new(generation, model.columns());
    let mut list = Vec::with_capacity(read.len());
    for op in read {
        let made = operations(model, &op.action);
        let broken = |unsupported| internal!("{unsupported:?} was read from an operation");
        list.extend(made.map_err(|unsupported| diags.fail(broken(unsupported)))?);
    }
    let mut transaction = Transaction::new(header, list);
    if options.fold_host_offset {
        transaction = transaction.folded();
    }
    let bytes = transaction.write();
    Ok(if options.binary {
        bytes
    } else {
        print_hex_words(&bytes).into_bytes()
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
    let message = if found.is_empty() {
        "there is no such runtime sequence"
    } else {
        "there are several runtime sequences"
    };
    let mut diag = Diag::error(&NO_SEQUENCE, message);
    for (_, sequence) in &found {
        diag = diag.label(module.span(sequence.op()), "this is one");
    }
    Err(diags.fail(diag.help("choose with --aie-device-name=NAME and --aie-sequence-name=NAME")))
}
