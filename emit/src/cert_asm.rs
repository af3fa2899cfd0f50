//! `aiec translate --aie-cert-to-asm`: control code operations as assembly, in the words and order
//! of the reference (`mlir-aie: lib/Targets/AIETargetUcCert.cpp`). `aiec asm` and the vendor's
//! assembler read it; `--emit=ctrl-asm` writes what a compilation makes.
//!
//! Pages stand in front of the chains and words that they use, group by group; what stands in no
//! group belongs to group 0. Unlike the reference's, chains and words go to the groups that use
//! them, as names are known within a group only, and the image of a BD that is patched has at least
//! the nine words that the patch reaches.

use std::collections::BTreeSet;
use std::fmt::Write;

use aiec_aie::ir::{Attr, Module, Op, SymbolTable};
use aiec_aie::ops::{
    CertAdd, CertApplyOffset57, CertAttachToGroup, CertJob, CertLaunchJob, CertLoadPdi,
    CertLocalBarrier, CertMaskPoll32, CertMaskWrite32, CertPreempt, CertRead32, CertRemoteBarrier,
    CertUcDmaBd, CertUcDmaWriteDes, CertUcDmaWriteDesSync, CertWaitTcts, CertWaitUcDma,
    CertWrite32, CertWrite32D, Device, MemrefGlobal, OpKind, OpView,
};
use aiec_diag::{Diag, Diags, Reported};

use super::ctrl::{NO_DEVICE, NOT_CONTROL_CODE};

/// Words of a BD image that APPLY_OFFSET_57 reads and writes
/// (`aiebu: specification/aie2ps/isa-spec.yaml`).
const PATCHED_WORDS: usize = 9;

/// Writes the control code of the first device.
pub fn emit(module: &Module, diags: &mut Diags) -> Result<Vec<u8>, Reported> {
    let Some(device) = module.children::<Device>(module.top()).first().copied() else {
        let diag = Diag::error(&NO_DEVICE, "there is no aie.device to configure");
        return Err(diags.fail(diag.help("control code operations stand in an aie.device")));
    };
    let columns = device.model(module).map_or(1, |model| model.columns());
    let sections = module.find(device.op(), OpKind::CertSection);
    for section in &sections {
        let message = "sections go to files of their own, which a translation can't write";
        let diag = Diag::error(&NOT_CONTROL_CODE, message)
            .label(module.span(*section), "this section")
            .help("compile the device that it configures by itself");
        diags.push(diag);
    }
    if !sections.is_empty() {
        return Err(Reported);
    }
    let mut text = format!(";\n; Code\n;\n.partition {columns}column\n");
    let mut groups = vec![(0, device.op())];
    for group in module.children::<CertAttachToGroup>(device.op()) {
        groups.push((group.group_id(module), group.op()));
    }
    let mut writer = Writer {
        module,
        symbols: SymbolTable::of(module, device.op()),
        chains: Vec::new(),
        words: Vec::new(),
        patched: BTreeSet::new(),
        seen: BTreeSet::new(),
        text: &mut text,
        diags,
        failed: false,
    };
    let alone = groups.len() == 1;
    for (id, scope) in groups {
        // Writing to a string cannot fail.
        let _ = writer.group(id, scope, alone);
    }
    match writer.failed {
        true => Err(Reported),
        false => Ok(text.into_bytes()),
    }
}

struct Writer<'a> {
    module: &'a Module,
    symbols: SymbolTable,
    /// Chains that the group uses, in order.
    chains: Vec<Op>,
    /// Globals that the group uses, in order.
    words: Vec<Op>,
    /// Globals that are patched.
    patched: BTreeSet<Op>,
    seen: BTreeSet<Op>,
    text: &'a mut String,
    diags: &'a mut Diags,
    failed: bool,
}

impl Writer<'_> {
    fn group(&mut self, id: i32, scope: Op, alone: bool) -> std::fmt::Result {
        let m = self.module;
        let body = m
            .entry(scope, 0)
            .map(|block| m.ops_in(block))
            .unwrap_or_default();
        let mut pages: Vec<Vec<CertJob>> = Vec::new();
        for op in body {
            match m.kind(op) {
                OpKind::CertPage => pages.push(m.children::<CertJob>(op)),
                OpKind::CertJob => pages.push(vec![CertJob(op)]),
                _ => {}
            }
        }
        if pages.is_empty() && !alone {
            return Ok(());
        }
        self.chains.clear();
        self.words.clear();
        self.patched.clear();
        self.seen.clear();
        writeln!(self.text, ".attach_to_group {id}")?;
        let count = pages.len();
        for (n, jobs) in pages.into_iter().enumerate() {
            writeln!(self.text, ".align 16")?;
            for job in jobs {
                let start = match m.flag(job.op(), "deferred") {
                    true => "START_JOB_DEFERRED",
                    false => "START_JOB",
                };
                writeln!(self.text, "{start} {}", job.job_id(m))?;
                let ops = m
                    .entry(job.op(), 0)
                    .map(|block| m.ops_in(block))
                    .unwrap_or_default();
                for op in ops {
                    self.instruction(op)?;
                }
                writeln!(self.text, "END_JOB\n")?;
            }
            if n + 1 < count {
                writeln!(self.text, ".eop")?;
            }
        }
        writeln!(self.text, "EOF\n")?;
        self.data()
    }

    fn data(&mut self) -> std::fmt::Result {
        let m = self.module;
        if self.chains.is_empty() && self.words.is_empty() {
            return Ok(());
        }
        writeln!(self.text, ";\n; Data\n;")?;
        for chain in std::mem::take(&mut self.chains) {
            let name = m.str_attr(chain, "sym_name").unwrap_or_default();
            writeln!(self.text, "  .align 16\n{name}:")?;
            for bd in m.children::<CertUcDmaBd>(chain) {
                let words = bd.remote_address(m);
                let (address, length) = (bd.local_address(m), bd.length(m));
                let next = u8::from(bd.next_bd(m));
                writeln!(
                    self.text,
                    "  {:<15} 0, 0x{address:08x}, @{words}, {length}, 0, {next}",
                    "UC_DMA_BD"
                )?;
            }
        }
        for global in std::mem::take(&mut self.words) {
            let name = m.str_attr(global, "sym_name").unwrap_or_default();
            writeln!(self.text, "  .align 16\n{name}:")?;
            let mut words = self.words_of(global);
            if self.patched.contains(&global) && words.len() < PATCHED_WORDS {
                words.resize(PATCHED_WORDS, 0);
            }
            for word in words {
                writeln!(self.text, "  {:<15} 0x{word:08x}", ".long")?;
            }
        }
        Ok(())
    }

    fn words_of(&self, global: Op) -> Vec<u32> {
        let Some(Attr::Dense(dense)) = self.module.attr(global, "initial_value") else {
            return Vec::new();
        };
        let bytes = dense.expand().unwrap_or_default();
        let (words, _) = bytes.as_chunks::<4>();
        words.iter().map(|word| u32::from_le_bytes(*word)).collect()
    }

    /// Notes that a group uses a chain, or words.
    fn needs(&mut self, user: Op, name: &str) {
        let found = self.symbols.get(name);
        let Some(op) = found else {
            return self.refuse(user, format!("`@{name}` isn't data of this device"));
        };
        if !self.seen.insert(op) {
            return;
        }
        if self.module.kind(op) == OpKind::CertUcDmaChain {
            self.chains.push(op);
            for bd in self.module.children::<CertUcDmaBd>(op) {
                let words = bd.remote_address(self.module).to_string();
                self.needs(bd.op(), &words);
            }
        } else if MemrefGlobal::cast(self.module, op).is_some() {
            self.words.push(op);
        }
    }

    fn refuse(&mut self, op: Op, message: String) {
        self.failed = true;
        let diag = Diag::error(&NOT_CONTROL_CODE, message)
            .label(self.module.span(op), "here")
            .help("`aiec isa` lists what control code can do");
        self.diags.push(diag);
    }

    fn line(&mut self, mnemonic: &str, operands: impl std::fmt::Display) -> std::fmt::Result {
        writeln!(self.text, "  {mnemonic:<22} {operands}")
    }

    fn instruction(&mut self, op: Op) -> std::fmt::Result {
        let m = self.module;
        match m.kind(op) {
            OpKind::CertWrite32 => {
                let write = CertWrite32(op);
                let operands = format!("0x{:08x}, 0x{:08x}", write.address(m), write.value(m));
                self.line("WRITE_32", operands)
            }
            OpKind::CertMaskWrite32 => {
                let write = CertMaskWrite32(op);
                self.masked(
                    "MASK_WRITE_32",
                    [write.address(m), write.mask(m), write.value(m)],
                )
            }
            OpKind::CertMaskPoll32 => {
                let poll = CertMaskPoll32(op);
                self.masked(
                    "MASK_POLL_32",
                    [poll.address(m), poll.mask(m), poll.value(m)],
                )
            }
            OpKind::CertRead32 => {
                let read = CertRead32(op);
                let operands = format!("$r{}, 0x{:08x}", read.register(m), read.address(m));
                self.line("READ_32", operands)
            }
            OpKind::CertAdd => {
                let add = CertAdd(op);
                let operands = format!("$r{}, 0x{:08x}", add.register(m), add.value(m));
                self.line("ADD", operands)
            }
            OpKind::CertWrite32D => {
                // Flag 1: the address is a number, the value in the register of this number.
                let write = CertWrite32D(op);
                let operands = format!("1, 0x{:08x}, {}", write.address(m), write.register(m));
                self.line("WRITE_32_D", operands)
            }
            OpKind::CertUcDmaWriteDesSync => {
                let name = CertUcDmaWriteDesSync(op).symbol(m).to_string();
                self.needs(op, &name);
                // The reference's spelling; mnemonics are read in any case.
                self.line("uC_DMA_WRITE_DES_SYNC", format!("@{name}"))
            }
            OpKind::CertUcDmaWriteDes => {
                let write = CertUcDmaWriteDes(op);
                let name = write.symbol(m).to_string();
                self.needs(op, &name);
                self.line(
                    "UC_DMA_WRITE_DES",
                    format!("$r{}, @{name}", write.wait_handle(m)),
                )
            }
            OpKind::CertWaitUcDma => self.line(
                "WAIT_UC_DMA",
                format!("$r{}", CertWaitUcDma(op).wait_handle(m)),
            ),
            OpKind::CertApplyOffset57 => {
                let apply = CertApplyOffset57(op);
                let name = apply.symbol(m).to_string();
                self.needs(op, &name);
                self.patched.extend(self.symbols.get(&name));
                let offset = match apply.offset(m) {
                    // All ones in 16 bits: the control code itself.
                    -1 => 0xFFFF,
                    offset => offset,
                };
                self.line(
                    "APPLY_OFFSET_57",
                    format!("@{name}, {}, {offset}", apply.num_entries(m)),
                )
            }
            OpKind::CertWaitTcts => {
                let wait = CertWaitTcts(op);
                let (tile, actor) = (wait.tile_id(m), wait.channel_id(m));
                self.line(
                    "WAIT_TCTS",
                    format!("{tile}, {actor}, {}", wait.target_tcts(m)),
                )
            }
            OpKind::CertLocalBarrier => {
                let barrier = CertLocalBarrier(op);
                let (id, jobs) = (barrier.local_barrier_id(m), barrier.num_participants(m));
                self.line("LOCAL_BARRIER", format!("$lb{id}, {jobs}"))
            }
            OpKind::CertLaunchJob => self.line("LAUNCH_JOB", CertLaunchJob(op).job_id(m)),
            OpKind::CertRemoteBarrier => {
                let barrier = CertRemoteBarrier(op);
                let (id, parties) = (barrier.remote_barrier_id(m), barrier.party_mask(m));
                self.line("REMOTE_BARRIER", format!("$rb{id}, 0x{parties:08x}"))
            }
            OpKind::CertLoadPdi => {
                let load = CertLoadPdi(op);
                let name = load.symbol(m).to_string();
                self.line("LOAD_PDI", format!("{}, @{name}", load.pdi_id(m)))
            }
            OpKind::CertPreempt => {
                let preempt = CertPreempt(op);
                let (save, restore) = (preempt.save_section(m), preempt.restore_section(m));
                self.line(
                    "PREEMPT",
                    format!("0x{:04x}, @{save}, @{restore}", preempt.id(m)),
                )
            }
            OpKind::CertNop => writeln!(self.text, "  NOP"),
            OpKind::End => Ok(()),
            _ => {
                self.refuse(
                    op,
                    format!("`{}` has no form in control code", m.op_name(op)),
                );
                Ok(())
            }
        }
    }

    fn masked(&mut self, mnemonic: &str, words: [u32; 3]) -> std::fmt::Result {
        let words = words.map(|word| format!("0x{word:08x}"));
        self.line(mnemonic, words.join(", "))
    }
}
