//! Runtime sequences as transactions.

use std::collections::BTreeSet;

use aiec_aie::ir::{Module, Op};
use aiec_aie::ops::{Device, OpView, RuntimeSequence};
use aiec_codegen::CorePrograms;
use aiec_device::{ChannelId, DmaDir};
use aiec_diag::{Diag, Diags, Reported, Span as TextSpan};
use aiec_npu::txn::{Header, Operation, Transaction};
use aiec_passes::configure::device_writes;
use aiec_passes::regops::{RegAction, RegOp};
use aiec_passes::sequence::{Span, sequence_spans};
use rustc_hash::FxHashMap;

use super::{NO_TRANSACTION, SEVERAL_DEVICES, firmware_model};

/// Numbers of PDIs by device, and of the empty ones.
pub(super) struct PdiNumbers {
    pub(super) devices: FxHashMap<Op, u16>,
    /// Two, as the firmware passes over a load of what is loaded.
    pub(super) empty: [u16; 2],
    /// Devices are written, not loaded.
    pub(super) expanded: bool,
}

/// How devices are loaded.
pub(super) enum DeviceLoading<'a> {
    /// Not at all: the host has loaded the sequence's own.
    None,
    /// By these numbers.
    Pdi(&'a PdiNumbers),
}

/// A transaction, and the empty PDIs that it loads.
pub(super) struct SequenceTransaction {
    pub(super) transaction: Transaction,
    pub(super) resets: BTreeSet<u16>,
    /// For each operation what it was made of, if that has a place in the source.
    pub(super) spans: Vec<Option<TextSpan>>,
}

/// The transaction of a sequence.
pub(super) fn transaction(
    module: &Module,
    device: Device,
    sequence: RuntimeSequence,
    loads: &DeviceLoading<'_>,
    diags: &mut Diags,
) -> Result<SequenceTransaction, Reported> {
    let (model, generation) = firmware_model(module, device, diags)?;
    let spans = sequence_spans(module, sequence.op(), diags)?;
    let mut writer = SequenceWriter {
        module,
        diags,
        operations: Vec::new(),
        spans: Vec::new(),
        loaded: None,
        resets: BTreeSet::new(),
    };
    for span in &spans {
        match loads {
            DeviceLoading::None => writer.refuse_load(device, span),
            DeviceLoading::Pdi(numbers) => writer.load(span, numbers)?,
        }
        writer.span(span);
    }
    let SequenceWriter {
        operations,
        spans,
        resets,
        ..
    } = writer;
    diags.check()?;
    let header = Header::new(generation, model.columns());
    let transaction = Transaction::new(header, operations);
    Ok(SequenceTransaction {
        transaction,
        resets,
        spans,
    })
}

struct SequenceWriter<'a> {
    module: &'a Module,
    diags: &'a mut Diags,
    operations: Vec<Operation>,
    /// Where each of them comes from.
    spans: Vec<Option<TextSpan>>,
    /// The PDI that is loaded, as far as the sequence knows.
    loaded: Option<u16>,
    resets: BTreeSet<u16>,
}

impl SequenceWriter<'_> {
    /// A load of the sequence's own device at its beginning is what the host does; others it can't.
    fn refuse_load(&mut self, own: Device, span: &Span) {
        let Some(load) = span.load else {
            return;
        };
        if span.device == own.op() && self.operations.is_empty() {
            return;
        }
        let message = "this sequence loads a device in its course";
        let diag = Diag::error(&SEVERAL_DEVICES, message)
            .label(self.module.span(load), "here")
            .help("write `--emit=npu-elf`, which holds the PDIs of all devices (npu2)");
        self.diags.push(diag);
    }

    /// Loads the span's device. The firmware passes over a load of what is loaded: between two of
    /// the same, an empty PDI resets the array.
    fn load(&mut self, span: &Span, numbers: &PdiNumbers) -> Result<(), Reported> {
        let nothing_done = span.ops.is_empty() && span.preemptions.is_empty();
        if span.load.is_none() && nothing_done {
            // the sequence begins with a load of its own
            return Ok(());
        }
        let Some(&id) = numbers.devices.get(&span.device) else {
            return Ok(());
        };
        let [first, second] = numbers.empty;
        if numbers.expanded {
            let empty = if self.loaded == Some(first) {
                second
            } else {
                first
            };
            self.reset(empty);
            let mut cores = CorePrograms::default();
            let writes = device_writes(self.module, span.device, &mut cores, self.diags)?;
            writes.iter().for_each(|write| self.operation(write));
            return Ok(());
        }
        if self.loaded == Some(id) {
            self.reset(first);
        }
        self.load_pdi(id);
        Ok(())
    }

    /// Loads an empty PDI.
    fn reset(&mut self, empty: u16) {
        self.load_pdi(empty);
        self.resets.insert(empty);
    }

    fn load_pdi(&mut self, id: u16) {
        let (size, address) = (0, 0);
        self.operations
            .push(Operation::LoadPdi { id, size, address });
        self.loaded = Some(id);
    }

    fn span(&mut self, span: &Span) {
        let mut points = span.preemptions.iter().peekable();
        for (index, op) in span.ops.iter().enumerate() {
            while let Some(point) = points.next_if(|point| point.before <= index) {
                let level = point.level;
                self.operations.push(Operation::Preempt { level });
            }
            self.come_from(None);
            self.operation(op);
            self.come_from(self.module.locs.source_span(op.loc));
        }
        let rest = points.map(|point| Operation::Preempt { level: point.level });
        self.operations.extend(rest);
        self.come_from(None);
    }

    /// The operations that were added last come from a place in the source.
    fn come_from(&mut self, span: Option<TextSpan>) {
        self.spans.resize(self.operations.len(), span);
    }

    fn operation(&mut self, op: &RegOp) {
        match &op.action {
            RegAction::Write { address, value } => self.operations.push(Operation::Write {
                register: *address,
                value: *value,
            }),
            RegAction::Mask {
                address,
                mask,
                value,
            } => {
                self.operations.push(Operation::MaskWrite {
                    register: *address,
                    value: *value,
                    mask: *mask,
                });
            }
            RegAction::Block { address, words } => self.operations.push(Operation::BlockWrite {
                register: *address,
                words: words.clone(),
            }),
            RegAction::PatchedBd {
                address,
                words,
                argument,
            } => {
                self.patched_bd(*address, words.clone(), *argument);
            }
            RegAction::Poll {
                address,
                mask,
                value,
            } => {
                self.operations.push(Operation::MaskPoll {
                    register: *address,
                    value: *value,
                    mask: *mask,
                });
            }
            RegAction::Wait { channel, tokens } => {
                let ChannelId { tile, dir, index } = channel;
                let wait = Operation::WaitTct {
                    direction: u8::from(*dir == DmaDir::Mm2s),
                    row: tile.row,
                    column: tile.col,
                    rows: 1,
                    columns: 1,
                    channel: *index,
                };
                let waits = std::iter::repeat_n(wait, usize::from(*tokens));
                self.operations.extend(waits);
            }
            RegAction::Copy { .. } => {
                let message = "the firmware can't add what a register holds to another";
                let span = self.module.locs.source_span(op.loc);
                let diag = Diag::error(&NO_TRANSACTION, message).label(span, "needed here");
                let help = "only control code of CERT reads registers while it runs";
                self.diags.push(diag.help(help));
            }
        }
    }

    /// The descriptor with an empty address, and the patch: the offset in the buffer moves from the
    /// image's address field (word 1, word 2 bits 15:0) to the patch.
    fn patched_bd(&mut self, register: u32, mut words: Vec<u32>, argument: u32) {
        const LOW: usize = 1;
        const HIGH: usize = 2;
        const HIGH_BITS: u32 = 0xFFFF;
        let word = |at: usize| words.get(at).copied().unwrap_or(0);
        let plus = u64::from(word(LOW)) | u64::from(word(HIGH) & HIGH_BITS) << 32;
        for (at, kept) in [(LOW, 0), (HIGH, !HIGH_BITS)] {
            if let Some(word) = words.get_mut(at) {
                *word &= kept;
            }
        }
        self.operations
            .push(Operation::BlockWrite { register, words });
        self.operations.push(Operation::DdrPatch {
            register: register + 4 * LOW as u32,
            argument,
            plus,
        });
    }
}
