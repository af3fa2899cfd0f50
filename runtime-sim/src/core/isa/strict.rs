//! Rules of the pipeline that nothing interlocks and that compilers keep: `--core-strict` refuses
//! code that breaks one, by name and with the way out.
//!
//! Registers that an instruction reads, writes and holds in a cycle are in the tables of timing
//! (`dialect/core/src/tables/*.timing`).

use std::collections::BTreeSet;
use std::sync::Arc;

use aiec_core::{Access, AddressMode, Bundle, Bypass, CoreArch, CoreIsa, OldRead, Operand, Port};
use aiec_core::{Register, RegisterFile, Slot, SlotInstruction};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use super::code::DELAY_SLOTS;
use super::parts::parts;
use super::pipeline::Pipeline;
use super::registers::{
    self, CONTROL, EXPONENTS, LC, LE, LR, LS, PIECES, Scalar, VECTOR_CELLS, Vector, is_accumulator,
};
use crate::core::strict_finding::{LOOP_SETUP, StrictFinding};

/// Cycles ahead that ports are held, a power of two above the longest latency.
const CYCLES: usize = 16;
/// Bytes that branch targets, starts and last bundles of hardware loops are multiples of, and that
/// the last bundle has: so in 77,712 of 77,712 direct branches and 18,132 of 18,132 loops of AMD's
/// compiler; a target within a line hung or corrupted a Strix Halo (hipfire: `isa/rules.rs`).
const LINE: u32 = 16;
/// A register's parts: a scalar's number, or [`VECTOR_CELLS`] and the piece of a vector.
type Cells = SmallVec<[u16; 4]>;

/// A register that an instruction reads or writes.
#[derive(Clone, Debug)]
struct CellAccess {
    register: Register,
    cells: Cells,
    cycle: u8,
    bypass: Bypass,
    /// Whether a value from before a result that is under way is meant.
    takes_old: bool,
}

/// An instruction as the rules see it.
#[derive(Clone, Debug)]
struct Rules {
    reads: Vec<CellAccess>,
    writes: Vec<CellAccess>,
    ports: SmallVec<[(Port, u8, u8); 4]>,
    stages: SmallVec<[u8; 2]>,
    is_lock: bool,
    acquires: bool,
    stores_part: bool,
    /// It saves registers to the stack, whatever is in them, or fills a vector step by step.
    takes_undefined: bool,
    /// It only copies a register: an unwritten value counts as read where the copy is used.
    /// Compilers save registers of callers so, and copy arguments that `main` isn't given.
    copies: bool,
    /// It calls a function.
    calls: bool,
    /// The register with the configuration of a product.
    configuration: Option<Scalar>,
}

/// A result on its way.
#[derive(Clone, Copy, Debug)]
struct Pending {
    cell: u16,
    issued: u64,
    lands: u64,
    bypass: Bypass,
    pc: u32,
    /// It is the return address of a call.
    is_return_address: bool,
}

/// State of earlier bundles that the rules need.
#[derive(Clone, Debug)]
pub(super) struct Checker {
    isa: &'static CoreIsa,
    bundles: FxHashMap<u32, Arc<[Rules]>>,
    pending: Vec<Pending>,
    /// Ports held in a cycle, with the bundles that hold them.
    ports: [Vec<(u64, Port, u32)>; CYCLES],
    defined: Vec<bool>,
    /// Accesses to memory of the last bundles: when, their last stage, where.
    accesses: Vec<(u64, u8, u32)>,
    acquired: Option<(u64, u32)>,
    /// The last bundle that set the hardware loop up; none if a branch was taken since.
    setup: Option<(u64, u32)>,
    /// The last call, when it was issued and where.
    called: Option<(u64, u32)>,
    /// Reads of old values that are meant.
    old_reads: BTreeSet<OldRead>,
}

fn slot(cycle: u64) -> usize {
    cycle as usize % CYCLES
}

/// The parts of a register; none of those that the engine doesn't keep.
fn cells(arch: CoreArch, register: Register) -> Cells {
    if let Some(low) = registers::pair(arch, register) {
        return [low.into(), u16::from(low) + 1].into_iter().collect();
    }
    if let Some(scalar) = registers::scalar(register) {
        return std::iter::once(scalar.into()).collect();
    }
    let of = |vector: Option<Vector>| {
        let pieces = vector.map_or(0..0, |vector| vector.pieces());
        pieces.map(|piece| VECTOR_CELLS + piece as u16)
    };
    match parts(register).filter(|_| arch == CoreArch::Aie2ps) {
        Some(parts) => {
            let words = parts.words().registers().iter();
            words
                .map(|word| u16::from(*word))
                .chain(of(parts.vector()))
                .collect()
        }
        None => of(registers::vector(register)).collect(),
    }
}

/// Whether a register gathers flags: results to it aren't values that others replace.
fn gathers(register: Register) -> bool {
    let name = register.to_string();
    register.file == RegisterFile::Control
        && name.starts_with("sr")
        && !matches!(name.as_str(), "srCarry" | "srSS0" | "srMS0")
}

impl Rules {
    fn new(isa: &CoreIsa, slot: Slot, instruction: &SlotInstruction) -> Option<Rules> {
        let row = isa.instructions.get(usize::from(instruction.instruction))?;
        let accesses = isa.accesses(instruction);
        let of = |accesses: &[Access]| -> Vec<CellAccess> {
            let all = accesses.iter().filter(|access| !gathers(access.register));
            all.map(|access| CellAccess {
                register: access.register,
                cells: cells(isa.arch, access.register),
                cycle: access.cycle,
                bypass: access.bypass,
                takes_old: false,
            })
            .collect()
        };
        let configuration = ["c", "acc"].iter().find_map(|name| {
            let operand = instruction.operands.get(row.operand_index(name)?)?;
            match operand {
                Operand::Register(register) => registers::scalar(*register),
                _ => None,
            }
        });
        let stack = row
            .memory
            .is_some_and(|memory| memory.mode == AddressMode::Stack);
        let first = row.mnemonic.split('.').next();
        Some(Rules {
            reads: of(&accesses.reads),
            writes: of(&accesses.writes),
            ports: accesses.ports,
            stages: accesses.stages,
            is_lock: matches!(first, Some("acq" | "rel")),
            acquires: first == Some("acq"),
            stores_part: slot == Slot::LoadA && row.is_store,
            takes_undefined: row.is_store && stack
                || matches!(first, Some("vpush" | "vinsert" | "vshift")),
            copies: match first {
                Some("mov" | "movs" | "mova" | "movx" | "vmov" | "vmova" | "vmovs" | "vmovx") => {
                    true
                }
                Some("add") => instruction.operands.contains(&Operand::Immediate(0)),
                _ => false,
            },
            calls: first == Some("jl"),
            configuration: configuration.filter(|_| slot == Slot::Vector),
        })
    }
}

impl Checker {
    pub fn new(arch: CoreArch) -> Checker {
        let mut defined = vec![false; usize::from(VECTOR_CELLS) + PIECES];
        // Control and status registers are 0 after reset, the core's place is what it is.
        defined[usize::from(CONTROL) - 1..usize::from(EXPONENTS)].fill(true);
        Checker {
            isa: CoreIsa::of(arch),
            bundles: FxHashMap::default(),
            pending: Vec::new(),
            ports: Default::default(),
            defined,
            accesses: Vec::new(),
            acquired: None,
            setup: None,
            called: None,
            old_reads: BTreeSet::new(),
        }
    }

    /// Takes reads of old values by these bundles as meant.
    pub fn allow_old_reads(&mut self, reads: &[OldRead]) {
        self.old_reads.extend(reads.iter().cloned());
    }

    /// Another program is in program memory.
    pub fn replace_program(&mut self) {
        self.bundles.clear();
        self.old_reads.clear();
    }

    /// A register has a value from outside.
    pub fn define(&mut self, register: Scalar) {
        self.defined[usize::from(register)] = true;
    }

    /// Whether the instructions of the bundle at an address are known.
    pub fn knows(&self, pc: u32) -> bool {
        self.bundles.contains_key(&pc)
    }

    /// Learns the instructions of the bundle at an address.
    pub fn learn(&mut self, pc: u32, bundle: &Bundle) {
        let slots = bundle.slots.iter();
        let rules =
            slots.filter_map(|(slot, instruction)| Rules::new(self.isa, *slot, instruction));
        let mut rules: Vec<Rules> = rules.collect();
        for read in rules.iter_mut().flat_map(|rules| &mut rules.reads) {
            read.takes_old = self.old_reads.contains(&OldRead {
                address: pc,
                register: read.register.to_string(),
            });
        }
        self.bundles.insert(pc, rules.into());
    }

    /// Issues the bundle at an address.
    pub fn issue(&mut self, pc: u32, pipeline: &Pipeline) -> Result<(), StrictFinding> {
        let Some(bundle) = self.bundles.get(&pc).cloned() else {
            return Ok(());
        };
        let now = pipeline.now;
        self.pending.retain(|pending| pending.lands > now);
        self.accesses.retain(|(at, ..)| at + CYCLES as u64 > now);
        for rules in bundle.iter() {
            self.check_reads(now, rules, pipeline)?;
        }
        let copied: SmallVec<[bool; 8]> = bundle
            .iter()
            .map(|rules| self.is_copy_of_nothing(rules))
            .collect();
        for (rules, copies_nothing) in bundle.iter().zip(copied) {
            self.check_writes(now, pc, rules)?;
            self.check_ports(now, pc, rules)?;
            if copies_nothing {
                for cell in rules.writes.iter().flat_map(|write| &write.cells) {
                    self.defined[usize::from(*cell)] = false;
                }
            }
        }
        self.check_memory(now, pc, &bundle)
    }

    /// Whether an instruction copies a register that nothing has written.
    fn is_copy_of_nothing(&self, rules: &Rules) -> bool {
        let mut cells = rules.reads.iter().flat_map(|read| &read.cells).peekable();
        rules.copies
            && cells.peek().is_some()
            && cells.all(|cell| !self.defined[usize::from(*cell)])
    }

    fn check_reads(
        &self,
        now: u64,
        rules: &Rules,
        pipeline: &Pipeline,
    ) -> Result<(), StrictFinding> {
        let clears = rules
            .configuration
            .is_some_and(|register| pipeline.scalar(register) & 1 != 0);
        for read in &rules.reads {
            let at = now + u64::from(read.cycle) - 1;
            for pending in self.pending.iter().filter(|_| !read.takes_old) {
                let early = read.bypass != Bypass::None && read.bypass == pending.bypass;
                let seen = at + u64::from(early);
                if pending.lands > seen
                    && read.cells.contains(&pending.cell)
                    && !pending.is_return_address
                {
                    return Err(StrictFinding::OldValue {
                        register: read.register.to_string(),
                        writer: pending.pc,
                        bundles: pending.lands - seen,
                    });
                }
            }
            if let Some((issued, call)) = self.called
                && now - issued <= u64::from(DELAY_SLOTS)
                && now > issued
                && read.cells.contains(&LR.into())
                && !self.is_returning(at)
            {
                return Err(StrictFinding::OwnReturnAddress { call });
            }
            let is_defined = |cell: &u16| self.defined[usize::from(*cell)];
            let unused = clears && read.cells.iter().all(|cell| is_accumulator(*cell));
            // Operands that are read later may come from a bundle in between.
            if read.cycle <= 1
                && !read.cells.is_empty()
                && !read.cells.iter().any(is_defined)
                && !rules.takes_undefined
                && !rules.copies
                && !unused
                && !is_of_fifo(read.register)
            {
                return Err(StrictFinding::Undefined {
                    register: read.register.to_string(),
                });
            }
        }
        Ok(())
    }

    fn check_writes(&mut self, now: u64, pc: u32, rules: &Rules) -> Result<(), StrictFinding> {
        for write in &rules.writes {
            let lands = now + u64::from(write.cycle);
            for cell in &write.cells {
                for pending in self.pending.iter().filter(|pending| pending.cell == *cell) {
                    let register = write.register.to_string();
                    let other = pending.pc;
                    if pending.lands == lands {
                        return Err(StrictFinding::SameCycle { register, other });
                    }
                    if pending.lands > lands && pending.issued < now {
                        let bundles = pending.lands - lands + 1;
                        return Err(StrictFinding::Overtakes {
                            register,
                            other,
                            bundles,
                        });
                    }
                }
                self.defined[usize::from(*cell)] = true;
                if [LS, LE, LC].map(u16::from).contains(cell) {
                    self.setup = Some((now, pc));
                }
                self.pending.push(Pending {
                    cell: *cell,
                    issued: now,
                    lands,
                    bypass: write.bypass,
                    pc,
                    is_return_address: rules.calls && *cell == u16::from(LR),
                });
            }
        }
        if rules.calls {
            self.called = Some((now, pc));
        }
        Ok(())
    }

    /// Whether the return address of a call is still under way to lr in a cycle. What reads lr
    /// until then, in the delay slots of the call, means the caller's own (Peano's prologues save
    /// lr there): nothing before the call's target can mean the other.
    fn is_returning(&self, at: u64) -> bool {
        let mut pending = self.pending.iter();
        pending.any(|pending| pending.is_return_address && pending.lands > at)
    }

    fn check_ports(&mut self, now: u64, pc: u32, rules: &Rules) -> Result<(), StrictFinding> {
        let isa = self.isa;
        let held = |ports: &[Vec<(u64, Port, u32)>; CYCLES], port, cycle| {
            let mut held = ports[slot(cycle)].iter();
            held.find(|(at, known, _)| *at == cycle && *known == port)
                .map(|(.., other)| *other)
        };
        for (port, first, last) in &rules.ports {
            for cycle in now + u64::from(*first)..=now + u64::from(*last) {
                if let Some(other) = held(&self.ports, *port, cycle) {
                    let name = isa.timing.ports.get(usize::from(*port));
                    return Err(StrictFinding::Port {
                        port: name.copied().unwrap_or_default(),
                        other,
                    });
                }
            }
        }
        for (port, first, last) in &rules.ports {
            for cycle in now + u64::from(*first)..=now + u64::from(*last) {
                let held = &mut self.ports[slot(cycle)];
                held.retain(|(at, ..)| *at == cycle);
                held.push((cycle, *port, pc));
            }
        }
        Ok(())
    }

    /// Locks and accesses to memory keep apart.
    fn check_memory(&mut self, now: u64, pc: u32, bundle: &[Rules]) -> Result<(), StrictFinding> {
        let timing = &self.isa.timing;
        for rules in bundle {
            let (Some(first), Some(last)) = (rules.stages.first(), rules.stages.last()) else {
                continue;
            };
            if let Some((at, lock)) = self.acquired {
                let (distance, least) = (now - at, timing.after_lock(*first));
                if distance < u64::from(least) {
                    return Err(StrictFinding::AccessAfterLock {
                        lock,
                        distance,
                        least,
                    });
                }
            }
            self.accesses.push((now, *last, pc));
        }
        if bundle.iter().any(|rules| rules.is_lock) {
            for (at, stage, access) in &self.accesses {
                let (distance, least) = (now - at, timing.before_lock(*stage));
                if distance < u64::from(least) {
                    return Err(StrictFinding::LockAfterAccess {
                        access: *access,
                        distance,
                        least,
                    });
                }
            }
        }
        if bundle.iter().any(|rules| rules.acquires) {
            self.acquired = Some((now, pc));
        }
        Ok(())
    }

    /// A branch takes place: the setup of the loop no longer comes before it in program memory.
    pub fn jump(&mut self) {
        self.setup = None;
    }

    /// A branch to a target is taken.
    pub fn branch(&self, target: u32) -> Result<(), StrictFinding> {
        if target.is_multiple_of(LINE) {
            Ok(())
        } else {
            Err(StrictFinding::BranchTarget { target })
        }
    }

    /// The bundle at `pc`, `bytes` long, is the last of a hardware loop and goes back or ends
    /// the loop.
    pub fn end_loop(&self, pc: u32, bytes: u8, pipeline: &Pipeline) -> Result<(), StrictFinding> {
        for (register, scalar) in [("ls", LS), ("le", LE)] {
            let address = pipeline.loop_register(scalar);
            if !address.is_multiple_of(LINE) {
                return Err(StrictFinding::LoopAlignment { register, address });
            }
        }
        if u32::from(bytes) != LINE {
            return Err(StrictFinding::LoopEnd { bytes });
        }
        if let Some((at, setup)) = self.setup {
            let late = |distance, unit| StrictFinding::LoopSetup {
                setup,
                distance,
                unit,
            };
            let bundles = pipeline.now - at;
            if bundles < LOOP_SETUP {
                return Err(late(bundles, "bundles"));
            }
            let lines = u64::from((pc / LINE).saturating_sub(setup / LINE));
            if setup < pc && lines < LOOP_SETUP {
                return Err(late(lines, "lines of 16 bytes"));
            }
        }
        let rules = self.bundles.get(&pc);
        if rules.is_some_and(|rules| rules.iter().any(|rules| rules.stores_part)) {
            return Err(StrictFinding::LoopPartWord);
        }
        Ok(())
    }
}

/// The position of a fifo says which of its bytes count: it may begin with any.
fn is_of_fifo(register: Register) -> bool {
    use RegisterFile::{Lfe, Lfh, Lfl, Sfh, Sfl};
    matches!(register.file, Lfe | Lfh | Lfl | Sfh | Sfl)
}
