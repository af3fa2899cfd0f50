//! `ctrl-elf` and `ctrl-asm`: control code operations to control code.
//!
//! The jobs, chains and data that `emit-jobs` leaves in the device become a
//! [`Program`] of `aiec-cert`, which lays out the pages. Pages directly in the device belong
//! to controller 0, those of an `aiex.cert.attach_to_group` to its controller. An ELF also gets a
//! debug section: names and source lines for the simulator's reports, which jobs configure the
//! device, and the sizes of the sequence's arguments.

use std::collections::{BTreeMap, BTreeSet};

use aiec_aie::ir::{Attr, Module, Op};
use aiec_aie::ops::{
    CertAdd, CertApplyOffset57, CertAttachToGroup, CertJob, CertLaunchJob, CertLoadPdi,
    CertLocalBarrier, CertMaskPoll32, CertMaskWrite32, CertPage, CertRead32, CertRemoteBarrier,
    CertSection, CertUcDmaBd, CertUcDmaChain, CertUcDmaWriteDes, CertUcDmaWriteDesSync,
    CertWaitTcts, CertWaitUcDma, CertWrite32, CertWrite32D, Device, MemrefGlobal, OpKind, OpView,
};
use aiec_cert::bd::UcDmaBd;
use aiec_cert::debug::DebugInfo;
use aiec_cert::finding::Finding;
use aiec_cert::isa::{ArgOffset, Barrier, Reg, SymOp};
use aiec_cert::names::{ActorId, Target, TileId};
use aiec_cert::pager::LayoutOptions;
use aiec_cert::program::{DataId, Job, JobKind, Phase, Program, Scope, ScopeId, SourceLoc};
use aiec_cert::{elf as file, image, print};
use aiec_diag::{Diag, Diags, Reported, SourceMap, codes};
use indexmap::IndexMap;

use super::debug_names;

codes! {
    /// Codes of the emission of control code.
    pub static CODES;
    NO_DEVICE = "emit::no-device",
        "Control code configures a device, and the file holds none. Put the design into an \
         aie.device.";
    SEVERAL_DEVICES = "emit::several-devices",
        "A control code file is made for one device and those that its runtime sequence loads with \
         `aiex.configure`. Of several devices that don't load one another, `--device-name` chooses.";
    NOT_CONTROL_CODE = "emit::not-control-code",
        "An operation inside a job has no form in control code that this version emits.";
    LAYOUT = "emit::layout",
        "The control code can't be laid out in pages of 8192 bytes, or a value doesn't fit its \
         field.";
}

/// Flag of WRITE_32_D: the address is a number, the value in a register
/// (`aiebu: specification/aie2ps/isa-spec.yaml`).
const ADDRESS_IS_IMMEDIATE: u8 = 1;

/// The controller of pages that stand in no group.
const DEFAULT_UC: u32 = 0;

/// Words of a BD image that APPLY_OFFSET_57 reads and writes: it adds to words 1, 2 and 8
/// (`aiebu: specification/aie2ps/isa-spec.yaml`), whatever the image's BD uses of them.
const PATCHED_IMAGE_WORDS: usize = 9;

/// The ELF.
pub fn elf(module: &Module, sources: &SourceMap, diags: &mut Diags) -> Result<Vec<u8>, Reported> {
    let device = the_device(module, diags)?;
    let program = program(module, device, sources, diags)?;
    let image = image::assemble(&program, LayoutOptions::default())
        .map_err(|errors| report_layout(errors, diags))?;
    let mut debug = DebugInfo::of_image(&image, program.files.clone());
    debug_names::fill(&mut debug, module, device, sources);
    file::write(&image, Some(&debug)).map_err(|error| {
        let diag = Diag::error(&LAYOUT, format!("the file can't be written: {error}"));
        diags.fail(diag.help("split the design into smaller ones"))
    })
}

/// The assembly.
pub fn asm(module: &Module, sources: &SourceMap, diags: &mut Diags) -> Result<Vec<u8>, Reported> {
    let device = the_device(module, diags)?;
    let program = program(module, device, sources, diags)?;
    Ok(print::print(&program).into_bytes())
}

fn the_device(module: &Module, diags: &mut Diags) -> Result<Device, Reported> {
    let devices = module.children::<Device>(module.top());
    match devices.as_slice() {
        [device] => Ok(*device),
        [] => {
            let diag = Diag::error(&NO_DEVICE, "there is no aie.device to configure");
            Err(diags.fail(diag.help("wrap the design in `aie.device(npu1) { … }`")))
        }
        [first, second, ..] => {
            // A device that loads the others, or that was named, is the only one with code.
            let holds_code = |device: &&Device| {
                let pages = module.children::<CertPage>(device.op());
                let groups = module.children::<CertAttachToGroup>(device.op());
                !pages.is_empty() || !groups.is_empty()
            };
            let mut compiled = devices.iter().filter(holds_code);
            if let (Some(device), None) = (compiled.next(), compiled.next()) {
                return Ok(*device);
            }
            let diag = Diag::error(&SEVERAL_DEVICES, "the file holds several devices")
                .label(module.span(second.op()), "a further one")
                .label(module.span(first.op()), "the first one")
                .help("choose one with `--device-name`, or load them from a sequence of `@main`");
            Err(diags.fail(diag))
        }
    }
}

fn report_layout(errors: Vec<Finding>, diags: &mut Diags) -> Reported {
    diags.extend(errors.into_iter().map(|finding| Diag {
        help: finding.diag.help.clone(),
        ..Diag::error(&LAYOUT, finding.to_string())
    }));
    Reported
}

fn program(
    module: &Module,
    device: Device,
    sources: &SourceMap,
    diags: &mut Diags,
) -> Result<Program, Reported> {
    let columns = device.model(module).map_or(1, |m| u32::from(m.columns()));
    let mut program = Program::new(Target::Aie2ps, columns);
    program.files = debug_names::file_names(sources);
    let mut emitter = Emitter {
        module,
        sources,
        diags,
        globals: BTreeMap::new(),
        chains: BTreeMap::new(),
        patched: BTreeSet::new(),
        data: IndexMap::new(),
        sections: BTreeMap::new(),
        failed: false,
    };
    let mut groups = vec![(DEFAULT_UC, device.op())];
    for group in module.children::<CertAttachToGroup>(device.op()) {
        match u32::try_from(group.group_id(module)) {
            Ok(uc) => groups.push((uc, group.op())),
            Err(_) => emitter.refuse(group.op(), "this is no number of a controller".to_string()),
        }
    }
    emitter.find_data(device);
    for (uc, owner) in groups {
        let pages = module.children::<CertPage>(owner);
        if pages.is_empty() {
            continue;
        }
        let sections = module.children::<CertSection>(owner);
        let group = program.group_mut(uc);
        emitter.sections.clear();
        for section in &sections {
            let name = section.sym_name(module).to_string();
            let id = group.add_scope(name.as_str());
            emitter.sections.insert(name, id);
        }
        emitter.pages(&pages, group.main_mut());
        for section in sections {
            let id = emitter.sections.get(&*section.sym_name(module)).copied();
            if let Some(scope) = id.and_then(|id| group.scope_mut(id)) {
                emitter.pages(&module.children::<CertPage>(section.op()), scope);
            }
        }
    }
    if emitter.failed {
        Err(Reported)
    } else {
        Ok(program)
    }
}

struct Emitter<'a> {
    module: &'a Module,
    sources: &'a SourceMap,
    diags: &'a mut Diags,
    /// Words by symbol.
    globals: BTreeMap<String, MemrefGlobal>,
    chains: BTreeMap<String, CertUcDmaChain>,
    /// Symbols of words that the loader patches.
    patched: BTreeSet<String>,
    /// Data blocks of the scope by symbol.
    data: IndexMap<String, DataId>,
    /// Scopes of the controller by symbol.
    sections: BTreeMap<String, ScopeId>,
    failed: bool,
}

impl Emitter<'_> {
    /// Where the device's chains and words are.
    fn find_data(&mut self, device: Device) {
        let m = self.module;
        for global in m.children::<MemrefGlobal>(device.op()) {
            self.globals.insert(global.sym_name(m).to_string(), global);
        }
        for chain in m.children::<CertUcDmaChain>(device.op()) {
            let name = chain.sym_name(m);
            let name = name.map_or_else(String::new, |n| n.to_string());
            self.chains.insert(name, chain);
        }
        let patched = m.find_all::<CertApplyOffset57>(device.op());
        let patched = patched.iter().map(|op| op.symbol(m).to_string());
        self.patched = patched.collect();
    }

    /// Adds pages with their data to a scope.
    fn pages(&mut self, pages: &[CertPage], scope: &mut Scope) {
        self.data.clear();
        for page in pages {
            self.data_of(page.op(), scope);
        }
        for page in pages {
            for job in self.module.children::<CertJob>(page.op()) {
                self.job(job, scope);
            }
            scope.end_page();
        }
    }

    /// Adds the words and chains that a page refers to, in the order of their use.
    fn data_of(&mut self, page: Op, scope: &mut Scope) {
        let m = self.module;
        for op in m.walk(page) {
            let symbol = match m.kind(op) {
                OpKind::CertUcDmaWriteDesSync => CertUcDmaWriteDesSync(op).symbol(m),
                OpKind::CertUcDmaWriteDes => CertUcDmaWriteDes(op).symbol(m),
                OpKind::CertApplyOffset57 => {
                    let symbol = CertApplyOffset57(op).symbol(m).to_string();
                    self.words(&symbol, scope);
                    continue;
                }
                _ => continue,
            };
            let name = symbol.to_string();
            if self.data.contains_key(&name) {
                continue;
            }
            let Some(chain) = self.chains.get(&name).copied() else {
                continue;
            };
            let mut descriptors = Vec::new();
            for bd in m.children::<CertUcDmaBd>(chain.op()) {
                let local = bd.remote_address(m).to_string();
                self.words(&local, scope);
                let Some(local) = self.block(bd.op(), &local) else {
                    continue;
                };
                let words = u32::try_from(bd.length(m)).unwrap_or(0);
                descriptors.push(UcDmaBd::write(bd.local_address(m), local, words));
            }
            let id = scope.add_chain(name.as_str(), descriptors);
            self.data.insert(name, id);
        }
    }

    /// Adds the words of a global, once.
    fn words(&mut self, name: &str, scope: &mut Scope) {
        let Some(global) = self.globals.get(name).copied() else {
            return;
        };
        if self.data.contains_key(name) {
            return;
        }
        let mut words = words_of(self.module, global);
        if self.patched.contains(name) && words.len() < PATCHED_IMAGE_WORDS {
            words.resize(PATCHED_IMAGE_WORDS, 0);
        }
        let id = scope.add_words(name, words);
        self.data.insert(name.to_string(), id);
    }

    fn block(&mut self, user: Op, symbol: &str) -> Option<DataId> {
        let found = self.data.get(symbol).copied();
        if found.is_none() {
            self.refuse(user, format!("`@{symbol}` isn't data of this device"));
        }
        found
    }

    fn refuse(&mut self, op: Op, message: String) {
        self.failed = true;
        let diag = Diag::error(&NOT_CONTROL_CODE, message)
            .label(self.module.span(op), self.module.op_name(op).to_string())
            .help("the passes before this one make what control code can hold");
        self.diags.push(diag);
    }

    fn job(&mut self, cert: CertJob, scope: &mut Scope) {
        let m = self.module;
        let Ok(id) = u16::try_from(cert.job_id(m)) else {
            return self.refuse(
                cert.op(),
                format!("job number {} is too large", cert.job_id(m)),
            );
        };
        let mut job = Job::new(id);
        job.source = self.source(cert.op());
        if m.flag(cert.op(), "configures") {
            job.phase = Phase::Configure;
        }
        if m.flag(cert.op(), "deferred") {
            job.kind = JobKind::Deferred;
        }
        let ops = m
            .entry(cert.op(), 0)
            .map(|b| m.ops_in(b))
            .unwrap_or_default();
        for op in ops.into_iter().filter(|op| m.kind(*op) != OpKind::End) {
            if let Some(instruction) = self.instruction(op) {
                job.push(instruction, self.source(op));
            }
        }
        scope.push_job(job);
    }

    /// A register of the controller.
    fn register(&mut self, op: Op, number: i32) -> Option<Reg> {
        let found = u8::try_from(number).ok().filter(|n| *n < Reg::COUNT);
        if found.is_none() {
            self.refuse(op, format!("there is no register {number}"));
        }
        found.map(Reg)
    }

    fn instruction(&mut self, op: Op) -> Option<SymOp> {
        let m = self.module;
        Some(match m.kind(op) {
            OpKind::CertWrite32 => {
                let write = CertWrite32(op);
                SymOp::Write32 {
                    address: write.address(m),
                    value: write.value(m),
                }
            }
            OpKind::CertMaskWrite32 => {
                let write = CertMaskWrite32(op);
                SymOp::MaskWrite32 {
                    address: write.address(m),
                    mask: write.mask(m),
                    value: write.value(m),
                }
            }
            OpKind::CertMaskPoll32 => {
                let poll = CertMaskPoll32(op);
                SymOp::MaskPoll32 {
                    address: poll.address(m),
                    mask: poll.mask(m),
                    value: poll.value(m),
                }
            }
            OpKind::CertRead32 => {
                let read = CertRead32(op);
                SymOp::Read32 {
                    value: self.register(op, read.register(m))?,
                    address: read.address(m),
                }
            }
            OpKind::CertAdd => {
                let add = CertAdd(op);
                SymOp::Add {
                    dest: self.register(op, add.register(m))?,
                    value: add.value(m),
                }
            }
            OpKind::CertWrite32D => {
                let write = CertWrite32D(op);
                SymOp::Write32D {
                    flags: ADDRESS_IS_IMMEDIATE,
                    address: write.address(m),
                    value: self.register(op, write.register(m))?.0.into(),
                }
            }
            OpKind::CertUcDmaWriteDesSync => {
                let symbol = CertUcDmaWriteDesSync(op).symbol(m);
                SymOp::UcDmaWriteDesSync {
                    descriptor: self.block(op, &symbol)?,
                }
            }
            OpKind::CertUcDmaWriteDes => {
                let write = CertUcDmaWriteDes(op);
                SymOp::UcDmaWriteDes {
                    wait_handle: self.register(op, write.wait_handle(m))?,
                    descriptor: self.block(op, &write.symbol(m))?,
                }
            }
            OpKind::CertWaitUcDma => SymOp::WaitUcDma {
                wait_handle: self.register(op, CertWaitUcDma(op).wait_handle(m))?,
            },
            OpKind::CertApplyOffset57 => {
                let apply = CertApplyOffset57(op);
                let entries = u16::try_from(apply.num_entries(m)).ok();
                let offset = match apply.offset(m) {
                    // All ones in 16 bits: the control code itself.
                    -1 | 0xFFFF => Some(ArgOffset::CODE),
                    n => u16::try_from(n).ok().map(ArgOffset::argument),
                };
                let (Some(num_entries), Some(offset)) = (entries, offset) else {
                    self.refuse(
                        op,
                        "an operand of APPLY_OFFSET_57 is out of range".to_string(),
                    );
                    return None;
                };
                SymOp::ApplyOffset57 {
                    table: self.block(op, &apply.symbol(m))?,
                    num_entries,
                    offset,
                }
            }
            OpKind::CertWaitTcts => {
                let wait = CertWaitTcts(op);
                let tile = u16::try_from(wait.tile_id(m)).ok();
                let actor = u8::try_from(wait.channel_id(m)).ok();
                let tokens = u8::try_from(wait.target_tcts(m)).ok();
                let (Some(tile), Some(actor), Some(tokens)) = (tile, actor, tokens) else {
                    self.refuse(op, "an operand of WAIT_TCTS is out of range".to_string());
                    return None;
                };
                SymOp::WaitTcts {
                    tile: TileId(tile),
                    actor: ActorId(actor),
                    target_tcts: tokens,
                }
            }
            OpKind::CertLocalBarrier => {
                let barrier = CertLocalBarrier(op);
                let id = u8::try_from(barrier.local_barrier_id(m)).ok();
                let id = id.filter(|id| *id < Barrier::LOCAL_COUNT);
                let jobs = u8::try_from(barrier.num_participants(m)).ok();
                let (Some(id), Some(num_participants)) = (id, jobs) else {
                    self.refuse(
                        op,
                        "an operand of LOCAL_BARRIER is out of range".to_string(),
                    );
                    return None;
                };
                SymOp::LocalBarrier {
                    barrier: Barrier::local(id),
                    num_participants,
                }
            }
            OpKind::CertLaunchJob => {
                let number = CertLaunchJob(op).job_id(m);
                let Ok(job_id) = u16::try_from(number) else {
                    self.refuse(op, format!("job number {number} is too large"));
                    return None;
                };
                SymOp::LaunchJob { job_id }
            }
            OpKind::CertRemoteBarrier => {
                let barrier = CertRemoteBarrier(op);
                let id = u8::try_from(barrier.remote_barrier_id(m)).ok();
                let Some(id) = id.filter(|id| *id < Barrier::REMOTE_MAX) else {
                    self.refuse(
                        op,
                        "the number of REMOTE_BARRIER is out of range".to_string(),
                    );
                    return None;
                };
                SymOp::RemoteBarrier {
                    barrier: Barrier::remote(id),
                    party_mask: barrier.party_mask(m) as u32,
                }
            }
            OpKind::CertLoadPdi => {
                let load = CertLoadPdi(op);
                let name = load.symbol(m).to_string();
                let Some(scope) = self.sections.get(&name).copied() else {
                    self.refuse(op, format!("`@{name}` is no section of this controller"));
                    return None;
                };
                SymOp::LoadPdi {
                    pdi_id: load.pdi_id(m),
                    scope,
                }
            }
            OpKind::CertNop => SymOp::Nop {},
            _ => {
                let message = format!("`{}` can't be emitted yet", m.op_name(op));
                self.refuse(op, message);
                return None;
            }
        })
    }

    fn source(&self, op: Op) -> Option<SourceLoc> {
        debug_names::source_loc(self.module.span(op)?, self.sources)
    }
}

/// The words of a global's initial value.
fn words_of(module: &Module, global: MemrefGlobal) -> Vec<u32> {
    let Some(Attr::Dense(dense)) = module.attr(global.op(), "initial_value") else {
        return Vec::new();
    };
    let bytes = dense.expand().unwrap_or_default();
    bytes
        .chunks(4)
        .map(|chunk| {
            let mut word = [0; 4];
            for (to, from) in word.iter_mut().zip(chunk) {
                *to = *from;
            }
            u32::from_le_bytes(word)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use aiec_cert::bd::UC_BD_BYTES;
    use aiec_cert::isa::find_mnemonic;
    use aiec_cert::page;
    use aiec_passes::jobs::{cost, size};
    use aiec_sim::cert::CertTiming;

    #[test]
    fn the_costs_that_work_is_divided_by_are_those_of_the_simulator() {
        let timing = CertTiming::default();
        assert_eq!(cost::INSTRUCTION, timing.instruction);
        assert_eq!(cost::REGISTER_WRITE, timing.bus_write);
        assert_eq!(cost::REGISTER_READ, timing.bus_read);
        assert_eq!(cost::JOB_SWITCH, timing.job_switch);
        assert_eq!(cost::REMOTE_BARRIER, timing.remote_barrier);
        assert_eq!(cost::CHAIN_START, timing.dma_start);
        assert_eq!(cost::CHAIN_END, timing.dma_end);
        assert_eq!(cost::BURST, timing.dma_burst);
        assert_eq!(cost::BURST_WORDS, u64::from(timing.dma_burst_words));
        assert_eq!(cost::PAGE_LATENCY, timing.page_latency);
        assert_eq!(cost::PAGE_BYTES_PER_CYCLE, timing.page_bytes_per_cycle);
    }

    #[test]
    fn the_sizes_that_jobs_are_cut_by_are_those_of_the_encoding() {
        let of = |mnemonic| usize::from(find_mnemonic(mnemonic).unwrap().size);
        assert_eq!(size::WRITE_32, of("WRITE_32"));
        assert_eq!(size::MASK_WRITE_32, of("MASK_WRITE_32"));
        assert_eq!(size::WAIT_TCTS, of("WAIT_TCTS"));
        assert_eq!(size::APPLY_OFFSET_57, of("APPLY_OFFSET_57"));
        assert_eq!(size::UC_DMA_WRITE_DES_SYNC, of("UC_DMA_WRITE_DES_SYNC"));
        assert_eq!(size::UC_DMA_WRITE_DES, of("UC_DMA_WRITE_DES"));
        assert_eq!(size::WAIT_UC_DMA, of("WAIT_UC_DMA"));
        assert_eq!(size::LOCAL_BARRIER, of("LOCAL_BARRIER"));
        assert_eq!(size::REMOTE_BARRIER, of("REMOTE_BARRIER"));
        assert_eq!(size::LAUNCH_JOB, of("LAUNCH_JOB"));
        assert_eq!(size::MASK_POLL_32, of("MASK_POLL_32"));
        assert_eq!(size::READ_32, of("READ_32"));
        assert_eq!(size::ADD, of("ADD"));
        assert_eq!(size::WRITE_32_D, of("WRITE_32_D"));
        assert_eq!(size::LOAD_PDI, of("LOAD_PDI"));
        assert_eq!(size::UC_DMA_BD, UC_BD_BYTES);
        assert_eq!(size::PAGE, page::PAGE_BYTES);
        assert_eq!(size::PAGE_HEADER, page::HEADER_BYTES);
        assert_eq!(size::START_JOB, page::START_JOB_BYTES);
        assert_eq!(size::END_JOB, page::END_JOB_BYTES);
        assert_eq!(size::EOF, page::EOF_BYTES);
        assert_eq!(size::DATA_ALIGN, page::DATA_ALIGN);
        assert_eq!(size::PATCHED_WORDS, super::PATCHED_IMAGE_WORDS);
    }
}
