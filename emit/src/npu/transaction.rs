//! Runtime sequences as transactions.

use std::collections::BTreeSet;

use aiec_aie::ir::{Module, Op};
use aiec_aie::ops::{Device, OpKind, OpView, RuntimeSequence};
use aiec_codegen::CorePrograms;
use aiec_device::regmap::BdLayout;
use aiec_device::{ChannelId, DeviceModel, DmaDir};
use aiec_diag::{Diag, Diags, Reported, Span as TextSpan, internal};
use aiec_npu::txn::{Header, Operation, Transaction};
use aiec_passes::configure::device_configuration;
use aiec_passes::regops::RegOp;
use aiec_passes::sequence::{DeviceRegion, firmware_regions};
use aiec_regprog::{RegAction, Unsupported};
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

/// Mechanism by which devices are loaded.
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
    let spans = firmware_regions(module, sequence.op(), diags)?;
    let mut writer = SequenceWriter {
        module,
        model,
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
    if let DeviceLoading::Pdi(numbers) = loads {
        writer.end_elsewhere(numbers);
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
    model: &'static DeviceModel,
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
    fn refuse_load(&mut self, own: Device, span: &DeviceRegion) {
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
    fn load(&mut self, span: &DeviceRegion, numbers: &PdiNumbers) -> Result<(), Reported> {
        let nothing_done = span.ops.is_empty() && span.preemptions.is_empty();
        if span.load.is_none() && nothing_done {
            // the sequence begins with a load of its own
            return Ok(());
        }
        let written = span
            .load
            .is_some_and(|load| self.module.kind(load) == OpKind::NpuWriteConfig);
        if written {
            // The load of an empty device before it is the reset.
            return self.write_configuration(span.device);
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
            return self.write_configuration(span.device);
        }
        if self.loaded == Some(id) {
            self.reset(first);
        }
        self.load_pdi(id);
        Ok(())
    }

    fn write_configuration(&mut self, device: Op) -> Result<(), Reported> {
        let mut cores = CorePrograms::default();
        let writes = device_configuration(self.module, device, &mut cores, self.diags)?.join();
        writes.iter().for_each(|write| self.operation(write));
        Ok(())
    }

    /// Hosts run a sequence again and again: where loads are resets by empty PDIs, the last one mustn't be the first
    /// one too, which the firmware would pass over in the next run.
    fn end_elsewhere(&mut self, numbers: &PdiNumbers) {
        let first = self
            .operations
            .iter()
            .find_map(|operation| match operation {
                Operation::LoadPdi { id, .. } => Some(*id),
                _ => None,
            });
        let [one, other] = numbers.empty;
        if numbers.expanded && first.is_some() && first == self.loaded {
            self.reset(if first == Some(one) { other } else { one });
            self.set_source(None);
        }
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

    fn span(&mut self, span: &DeviceRegion) {
        let mut points = span.preemptions.iter().peekable();
        for (index, op) in span.ops.iter().enumerate() {
            while let Some(point) = points.next_if(|point| point.before <= index) {
                let level = point.level;
                self.operations.push(Operation::Preempt { level });
            }
            self.set_source(None);
            self.operation(op);
            self.set_source(self.module.locs.source_span(op.loc));
        }
        let rest = points.map(|point| Operation::Preempt { level: point.level });
        self.operations.extend(rest);
        self.set_source(None);
    }

    /// Sets the source of the operations that were added last.
    fn set_source(&mut self, span: Option<TextSpan>) {
        self.spans.resize(self.operations.len(), span);
    }

    fn operation(&mut self, op: &RegOp) {
        match operations(self.model, &op.action) {
            Ok(list) => self.operations.extend(list),
            Err(unsupported) => {
                let diag = refused(unsupported);
                let span = self.module.locs.source_span(op.loc);
                self.diags.push(diag.label(span, "needed here"));
            }
        }
    }
}

fn refused(unsupported: Unsupported) -> Diag {
    match unsupported {
        Unsupported::Copy => {
            let message = "the firmware can't add what a register holds to another";
            Diag::error(&NO_TRANSACTION, message)
                .help("only control code of CERT reads registers while it runs")
        }
        other => internal!("{other:?} has a form in transactions").into(),
    }
}

/// The operations of the firmware for a register operation.
///
/// # Errors
/// The firmware doesn't read registers to compute with them.
pub(crate) fn operations(
    model: &DeviceModel,
    action: &RegAction,
) -> Result<Vec<Operation>, Unsupported> {
    Ok(vec![match action {
        RegAction::Write { address, value } => Operation::Write {
            register: *address,
            value: *value,
        },
        RegAction::Mask {
            address,
            mask,
            value,
        } => Operation::MaskWrite {
            register: *address,
            value: *value,
            mask: *mask,
        },
        RegAction::Block { address, words } => Operation::BlockWrite {
            register: *address,
            words: words.clone(),
        },
        RegAction::PatchedBd {
            address,
            words,
            argument,
        } => return patched_bd(model, *address, words.clone(), *argument),
        RegAction::Patch {
            address,
            argument,
            plus,
        } => Operation::DdrPatch {
            register: *address,
            argument: *argument,
            plus: *plus,
        },
        RegAction::Poll {
            address,
            mask,
            value,
        } => Operation::MaskPoll {
            register: *address,
            value: *value,
            mask: *mask,
        },
        RegAction::Read { address } => Operation::ReadRegs {
            addresses: vec![u64::from(*address)],
        },
        RegAction::Wait { channel, tokens } => {
            let wait = wait(*channel, 1, 1);
            return Ok(vec![wait; usize::from(*tokens)]);
        }
        RegAction::Sync {
            first,
            columns,
            rows,
        } => wait(*first, *columns, *rows),
        RegAction::Preempt { level } => Operation::Preempt { level: *level },
        RegAction::CreateScratchpad { usage, bytes } => Operation::CreateScratchpad {
            usage: *usage,
            size: *bytes,
            address: 0,
        },
        RegAction::UpdateFromScratchpad {
            address,
            index,
            function,
            argument,
        } => Operation::UpdateReg {
            index: *index,
            function: *function,
            argument: *argument,
            register: *address,
        },
        RegAction::Copy { .. } => return Err(Unsupported::Copy),
    }])
}

fn wait(first: ChannelId, columns: u8, rows: u8) -> Operation {
    let ChannelId { tile, dir, index } = first;
    Operation::WaitTct {
        direction: u8::from(dir == DmaDir::Mm2s),
        row: tile.row,
        column: tile.col,
        rows,
        columns,
        channel: index,
    }
}

/// The descriptor with an empty address, and its patch. The offset into the buffer moves from the
/// image to the patch, because the firmware replaces the address field instead of adding to it.
fn patched_bd(
    model: &DeviceModel,
    register: u32,
    mut words: Vec<u32>,
    argument: u32,
) -> Result<Vec<Operation>, Unsupported> {
    let kind = model.tile_kind(model.split_address(register).0);
    let layout = kind.and_then(|kind| BdLayout::of(model.arch(), kind));
    let layout = layout.ok_or(Unsupported::HostAddress)?;
    let plus = layout.address(&words);
    layout.set_address(&mut words, 0);
    Ok(vec![
        Operation::BlockWrite { register, words },
        Operation::DdrPatch {
            register: register + layout.address_offset(),
            argument,
            plus,
        },
    ])
}
