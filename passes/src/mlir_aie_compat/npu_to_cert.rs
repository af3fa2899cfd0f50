//! `aie-npu-to-cert`: the register writes of runtime sequences become control code operations, one
//! job for each sequence (`mlir-aie: lib/Dialect/AIEX/Transforms/AIENpuToCert.cpp`):
//!
//! | operation | becomes |
//! | --- | --- |
//! | `aiex.npu.write32`, `maskwrite32` | `aiex.cert.write32`, `maskwrite32` |
//! | `aiex.npu.blockwrite` | a chain of the uC-DMA and `aiex.cert.uc_dma_write_des_sync`; blocks of 8000 bytes and more are halved |
//! | `aiex.npu.address_patch` | `aiex.cert.apply_offset_57` of the block written before |
//! | `aiex.npu.sync` | `aiex.cert.wait_tcts` |
//! | `aiex.npu.maskpoll` | `aiex.cert.mask_poll_32` |
//!
//! The sequence `@configure` becomes job 1, on the first page, others the jobs after it. Chains that
//! follow one another in a job are joined as long as their data and descriptors stay below 8000 bytes.
//!
//! A compilation doesn't come along here: `emit-jobs` divides the work among controllers and jobs.
//! Where this differs from the reference:
//!
//! * the offset of an address patch is put into the image that is patched; the reference drops it;
//! * a block that is patched has an image of its own, also where others write the same global;
//! * actor ids are those of aie2ps (`aiebu: src/cpp/common/disassembler_state.h`); the reference's
//!   are AIE4's, by which waits for a shim's S2MM 1 and for mem tiles never end on aie2ps;
//! * anything between two chains keeps them apart, barriers and preemption points too;
//! * the array is configured before a sequence runs, wherever `@configure` is;
//! * descriptors count where chains are joined: they share the page with the data.

use aiec_aie::ir::{InsertPoint, Loc, Module, Op, SymbolTable};
use aiec_aie::ops::{
    CertJob, CertPage, CertUcDmaBd, CertUcDmaChain, CertUcDmaWriteDesSync, Device, OpKind, OpView,
    RuntimeSequence,
};
use aiec_cert::bd::UC_BD_BYTES;
use aiec_cert::isa::{ArgOffset, SymOp};
use aiec_cert::program::DataId;
use aiec_device::regmap::BdLayout;
use aiec_device::{ChannelId, DeviceModel, TileKind};
use aiec_diag::{Diag, MlirAieReport, Reported, codes, internal};
use rustc_hash::FxHashMap;

use super::body_ops;
use crate::analysis::transfer::WORD_BYTES;
use crate::infra::pass::{OptionDef, Options, PassContext, PassDef, pass_options};
use crate::infra::regions;
use crate::infra::word_globals;
use crate::jobs::{encode, operations};
use crate::mlir_aie_compat::npu_read::{self, ReadOp};
use crate::regops::{RegAction, Unsupported};

codes! {
    /// Codes of the reference's way to control code.
    pub static CODES;
    NO_DEVICE = "cert::no-such-device",
        "aie-npu-to-cert makes control code of the sequences of one device, named by its option \
         `device-name` (`main` if it isn't given), and there is none of that name.";
    NO_FORM = "cert::no-form",
        "This operation has no form in control code: it waits for a channel that the tile doesn't \
         have, it reads a register for the host, or it is a preemption point without sections that save and restore.";
    NOT_PATCHABLE = "cert::not-patchable",
        "An address patch adds the address of an argument to a shim BD that the same sequence wrote \
         before as a block; the low part of a BD's address is its word 1.";
    PAGE = "cert::page-too-large",
        "A page of control code has 8192 bytes, with the data that its jobs use, and jobs that meet at \
         a local barrier must be on one page.";
}

/// The pass.
pub static PASS: PassDef = PassDef::of_module("aie-npu-to-cert", |module, context| {
    run(module, &context.options()?, context)
})
.summary("Make a job of control code of each runtime sequence that holds register writes")
.postconditions(&["no aie.runtime_sequence remains in the device"])
.options(<CertOptions as Options>::DEFS);

pass_options! {
    /// Options of `aie-npu-to-cert`.
    pub(crate) struct CertOptions {
        /// Name of the device.
        pub(crate) device_name: String = OptionDef::text(
        "device-name",
        "main",
        "the device whose sequences become control code",
    ),
    }
}

/// Job of the sequence `@configure`.
const CONFIGURE_JOB: i32 = 1;
/// Blocks of this many bytes are halved, and chains are joined up to it, as the reference does: a
/// page has 8192 bytes, with its head and the text of its jobs.
const MAX_BYTES: usize = 8000;

fn run(
    module: &mut Module,
    options: &CertOptions,
    context: &mut PassContext<'_>,
) -> Result<(), Reported> {
    let wanted = &options.device_name;
    let devices = module.children::<Device>(module.top());
    let device = devices.iter().find(|device| device.name(module) == *wanted);
    let Some(device) = device.copied() else {
        let message = format!("there is no device `@{wanted}`");
        let names: Vec<String> = devices
            .iter()
            .map(|device| format!("`{}`", device.name(module)))
            .collect();
        let help = if names.is_empty() {
            "wrap the design in an `aie.device`".to_string()
        } else {
            format!("choose with device-name=…: {}", names.join(", "))
        };
        let mlir_aie = format!("no device found matching --device-name \"{wanted}\"");
        let top = module.top();
        let diag = Diag::error(&NO_DEVICE, message)
            .label(module.span(top), "in this module")
            .help(help)
            .mlir_aie(MlirAieReport::plain(mlir_aie));
        return Err(context.fail(diag));
    };
    let Some(model) = device.model(module) else {
        // The verifier reports unknown devices.
        return Ok(());
    };
    let symbols = SymbolTable::of(module, device.op());
    let mut uses: FxHashMap<String, usize> = FxHashMap::default();
    for (kind, key) in [
        (OpKind::MemrefGetGlobal, "name"),
        (OpKind::CertUcDmaBd, "remote_address"),
    ] {
        for op in module.find(device.op(), kind) {
            let name = module.symbol_attr(op, key).unwrap_or_default();
            *uses.entry(name.to_string()).or_default() += 1;
        }
    }
    let mut converter = Converter {
        module,
        model,
        device: device.op(),
        symbols,
        chains: 0,
        uses,
        context,
    };
    let result = converter.sequences();
    merge_chains(module, device.op());
    result
}

struct Converter<'m, 'c> {
    module: &'m mut Module,
    model: &'static DeviceModel,
    device: Op,
    symbols: SymbolTable,
    chains: usize,
    /// Number of writes of each global.
    uses: FxHashMap<String, usize>,
    context: &'m mut PassContext<'c>,
}

impl Converter<'_, '_> {
    fn sequences(&mut self) -> Result<(), Reported> {
        let jobs = self.module.find_all::<CertJob>(self.device);
        let last = jobs.iter().map(|job| job.job_id(self.module)).max();
        let mut next = last.unwrap_or(CONFIGURE_JOB).max(CONFIGURE_JOB) + 1;
        let mut result = Ok(());
        let sequences = self.module.children::<RuntimeSequence>(self.device);
        let Some(first) = sequences.first().map(|sequence| sequence.op()) else {
            return Ok(());
        };
        let configures = |sequence: &RuntimeSequence, module: &Module| {
            let name = sequence.sym_name(module);
            name.is_some_and(|name| &*name == "configure")
        };
        let (configure, others): (Vec<_>, Vec<_>) =
            (sequences.into_iter()).partition(|sequence| configures(sequence, self.module));
        for sequence in configure.into_iter().chain(others) {
            let (id, before) = if configures(&sequence, self.module) {
                (CONFIGURE_JOB, first)
            } else {
                next += 1;
                (next - 1, sequence.op())
            };
            match self.operations(sequence.op()) {
                Ok(ops) => self.emit(sequence.op(), InsertPoint::Before(before), id, ops),
                Err(Reported) => result = Err(Reported),
            }
        }
        result
    }

    /// The operations of a sequence, each with the instructions that it has by itself; address
    /// patches are joined with the blocks that they patch.
    fn operations(&mut self, sequence: Op) -> Result<Vec<(ReadOp, Vec<SymOp>)>, Reported> {
        let read = npu_read::read(self.module, self.device, sequence, self.context.diags)?;
        let mut ops: Vec<(ReadOp, Vec<SymOp>)> = Vec::with_capacity(read.len());
        let mut result = Ok(());
        for op in read {
            if let RegAction::Patch {
                address,
                argument,
                plus,
            } = op.action
            {
                if argument > ArgOffset::MAX_INDEX {
                    let message = "control code can't name this argument";
                    let help = format!("arguments are 0 to {}", ArgOffset::MAX_INDEX);
                    result = self.fail(op.loc, Diag::error(&NOT_PATCHABLE, message).help(help));
                } else if !patch(self.model, &mut ops, address, argument, plus) {
                    let message = format!(
                        "no buffer descriptor was written whose address is at {address:#010x}"
                    );
                    let help = "write the whole BD with `aiex.npu.blockwrite` before";
                    result = self.fail(op.loc, Diag::error(&NOT_PATCHABLE, message).help(help));
                }
                continue;
            }
            match encode::instructions(self.model, &op.action) {
                Ok(instructions) => ops.push((op, instructions)),
                Err(Unsupported::Data) => ops.push((op, Vec::new())),
                Err(unsupported) => result = self.refuse(op.loc, unsupported),
            }
        }
        result.map(|()| ops)
    }

    fn refuse(&mut self, op: Op, unsupported: Unsupported) -> Result<(), Reported> {
        let diag = match unsupported {
            Unsupported::Channel(ChannelId { tile, index, .. }) => {
                let (col, row) = (tile.col, tile.row);
                let message = format!("tile ({col}, {row}) has no such channel {index}");
                Diag::error(&NO_FORM, message)
                    .help("`aiec devices NAME` lists what each kind of tile has")
            }
            Unsupported::Preemption => {
                let message = "a preemption point needs sections that save and restore";
                Diag::error(&NO_FORM, message).help("write `aiex.cert.preempt`, or leave it out")
            }
            Unsupported::Read => {
                let message = "control code returns no words of registers to the host";
                Diag::error(&NO_FORM, message)
                    .help("write a transaction, whose firmware does: --emit=insts, --emit=npu-elf")
            }
            other => return Err(self.context.fail(internal!("{other:?} in a text"))),
        };
        self.fail(op, diag)
    }

    fn fail(&mut self, op: Op, diag: Diag) -> Result<(), Reported> {
        let diag = diag.label(self.module.span(op), "here");
        Err(self.context.fail(diag))
    }

    fn emit(&mut self, sequence: Op, place: InsertPoint, id: i32, ops: Vec<(ReadOp, Vec<SymOp>)>) {
        let loc = self.module.derived_loc(self.context.pass, sequence);
        let page = CertPage::build(self.module, loc).insert_ended(place);
        let inside = regions::inside(self.module, page);
        let job = CertJob::build(self.module, loc, id).insert_ended(inside);
        let at = regions::inside(self.module, job);
        for (ReadOp { action, loc: op }, instructions) in ops {
            let loc = self.module.derived_loc(self.context.pass, op);
            for instruction in instructions {
                operations::build(self.module, instruction, &|_| String::new(), loc, at);
            }
            let name = npu_read::block_data(self.module, op).unwrap_or_default();
            match action {
                RegAction::Block { address, words } => {
                    self.blocks(page, at, address, &words, name, loc);
                }
                RegAction::PatchedBd {
                    address,
                    words,
                    argument,
                } => {
                    let name = self.image(sequence, &words, name, loc);
                    let patch = encode::patch(DataId(0), argument);
                    operations::build(self.module, patch, &|_| name.clone(), loc, at);
                    self.blocks(page, at, address, &words, name, loc);
                }
                _ => {}
            }
        }
        self.module.erase(sequence);
        self.context.count("jobs", 1);
    }

    /// The global of a patched image: the one of the text with these words, or a new one if other
    /// writes use that too.
    fn image(&mut self, sequence: Op, image: &[u32], name: String, loc: Loc) -> String {
        let shared = self.uses.get(&name).is_some_and(|uses| *uses > 1);
        if let Some(own) = self.symbols.get(&name).filter(|_| !shared) {
            if word_globals::words_of(self.module, own).as_deref() != Some(image) {
                word_globals::set_words(self.module, own, image);
            }
            return name;
        }
        let base = format!("bd_image_{}", self.chains);
        let at = InsertPoint::Before(sequence);
        word_globals::build(self.module, &mut self.symbols, &base, image, at, loc)
    }

    /// A chain for a block, or for each half of a large one.
    fn blocks(
        &mut self,
        page: Op,
        at: InsertPoint,
        address: u32,
        words: &[u32],
        name: String,
        loc: Loc,
    ) {
        if words.len() * WORD_BYTES as usize >= MAX_BYTES {
            let (first, second) = words.split_at(words.len() / 2);
            let mut address = address;
            for (n, half) in [first, second].into_iter().enumerate() {
                let base = format!("{name}_split_{n}");
                let before = InsertPoint::Before(page);
                let symbols = &mut self.symbols;
                let part = word_globals::build(self.module, symbols, &base, half, before, loc);
                self.blocks(page, at, address, half, part, loc);
                address = address.wrapping_add(half.len() as u32 * WORD_BYTES as u32);
            }
            return;
        }
        let mut chain = format!("chain_{}", self.chains);
        while self.symbols.get(&chain).is_some() {
            self.chains += 1;
            chain = format!("chain_{}", self.chains);
        }
        self.chains += 1;
        let op = CertUcDmaChain::build(self.module, loc).sym_name(chain.as_str());
        let op = op.insert_ended(InsertPoint::Before(page));
        self.symbols.insert(chain.as_str(), op);
        let inside = regions::inside(self.module, op);
        let length = i32::try_from(words.len()).unwrap_or(i32::MAX);
        CertUcDmaBd::build(self.module, loc, name, address, length, false).insert(inside);
        let send = SymOp::UcDmaWriteDesSync {
            descriptor: DataId(0),
        };
        operations::build(self.module, send, &|_| chain.clone(), loc, at);
    }
}

/// Joins an address patch with the last block that wrote a BD with its address field at `at`.
/// Returns whether there is one.
fn patch(
    model: &DeviceModel,
    ops: &mut [(ReadOp, Vec<SymOp>)],
    at: u32,
    argument: u32,
    plus: u64,
) -> bool {
    let Some(layout) = BdLayout::of(model.arch(), TileKind::ShimNoc) else {
        return false;
    };
    for (op, _) in ops.iter_mut().rev() {
        if let RegAction::Block { address, words } | RegAction::PatchedBd { address, words, .. } =
            &mut op.action
            && at == address.wrapping_add(layout.address_offset())
        {
            let (address, mut words) = (*address, std::mem::take(words));
            layout.set_address(&mut words, plus);
            op.action = RegAction::PatchedBd {
                address,
                words,
                argument,
            };
            return true;
        }
    }
    false
}

/// Joins chains that a job sends directly after one another, into the last of them.
fn merge_chains(module: &mut Module, device: Op) {
    let symbols = SymbolTable::of(module, device);
    let mut uses: FxHashMap<String, usize> = FxHashMap::default();
    for sync in module.find_all::<CertUcDmaWriteDesSync>(device) {
        *uses.entry(sync.symbol(module).to_string()).or_default() += 1;
    }
    for job in module.find_all::<CertJob>(device) {
        let mut last: Option<(Op, Op, usize)> = None;
        for op in body_ops(module, job.op()) {
            let chain = CertUcDmaWriteDesSync::cast(module, op).and_then(|sync| {
                let name = sync.symbol(module).to_string();
                let once = uses.get(&name) == Some(&1);
                symbols.get(&name).filter(|_| once)
            });
            let Some(chain) = chain else {
                last = None;
                continue;
            };
            let bytes = chain_bytes(module, chain);
            last = match last {
                Some((sync, before, sent)) if sent + bytes < MAX_BYTES => {
                    prepend(module, before, chain);
                    module.erase(sync);
                    module.erase(before);
                    Some((op, chain, sent + bytes))
                }
                _ => Some((op, chain, bytes)),
            };
        }
    }
}

/// Bytes that a chain takes of a page: its descriptors, and the data that they send.
fn chain_bytes(module: &Module, chain: Op) -> usize {
    let bds = module.children::<CertUcDmaBd>(chain).into_iter();
    let words = bds.map(|bd| usize::try_from(bd.length(module)).unwrap_or(0));
    words
        .map(|words| UC_BD_BYTES + words * WORD_BYTES as usize)
        .sum()
}

/// Moves the descriptors of a chain in front of those of another.
fn prepend(module: &mut Module, from: Op, to: Op) {
    let first = module.children::<CertUcDmaBd>(to).first().map(|bd| bd.op());
    let Some(first) = first else {
        return;
    };
    for bd in module.children::<CertUcDmaBd>(from) {
        bd.edit(module).next_bd(true);
        module.move_to(bd.op(), InsertPoint::Before(first));
    }
}
