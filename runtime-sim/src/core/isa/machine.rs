//! A core that executes machine code.

mod bus;
mod scalar_run;

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use aiec_core::{CoreArch, OldRead, Register};

use super::code::{Code, DELAY_SLOTS, Refusal, ResolvedBundle};
use super::execute::{Executor, Issue};
use super::later::KnownProducts;
use super::op::{Condition, Op, Read, Source};
use super::pipeline::Pipeline;
use super::registers::{LC, LE, LR, LS, R, Scalar};
use super::strict::Checker;
use crate::core::bus::{CoreBus, CoreFault, CoreMemory, CoreStop};
use crate::core::engine::{CoreRun, RunningCore};
use crate::core::scopes::ScopeLog;
use crate::core::strict_finding::StrictFinding;
use crate::core::watch::{CoreProfile, Watch};

/// A branch whose delay slots execute.
#[derive(Clone, Copy, Debug)]
struct PendingBranch {
    kind: BranchKind,
    target: u32,
    /// Delay slots left.
    left: u8,
}

/// Effect of a branch on the stack of calls.
#[derive(Clone, Copy, Debug)]
enum BranchKind {
    Jump,
    /// The call at an address, which returns to another.
    Call {
        at: u32,
        return_to: u32,
    },
    Return,
}

/// A core with its machine code.
#[derive(Clone, Debug)]
pub struct MachineCodeCore {
    code: Code,
    pipeline: Pipeline,
    pc: u32,
    branch: Option<PendingBranch>,
    /// Operations of the bundle at `pc` that are done: those on the bus before one that waits.
    done: u8,
    issue: Issue,
    ended: Option<CoreStop>,
    /// Refuses violations of the rules of the pipeline.
    checker: Option<Box<Checker>>,
    /// Calls that led here: where they return to.
    calls: Vec<u32>,
    /// Cycles by bundle and addresses to stop in front of, if they are wanted.
    watch: Option<Box<Watch>>,
    /// The core has come to the bundle at `pc` in this run.
    has_arrived: bool,
}

/// Calls of which the report of a fault or deadlock speaks at most.
const MAX_CALLS: usize = 64;

/// Why the loop over bundles hands over.
enum Pause {
    Bus,
    Stop(CoreStop),
}

/// Effect of the end of a bundle.
#[derive(Default)]
struct BundleEnd {
    branch: Option<(u32, BranchKind)>,
    done: bool,
}

impl MachineCodeCore {
    /// A core at address 0 of its program memory.
    pub fn new(arch: CoreArch, program: Arc<[u8]>, strict: bool) -> MachineCodeCore {
        MachineCodeCore {
            code: Code::new(arch, program),
            pipeline: Pipeline::new(strict),
            pc: 0,
            branch: None,
            done: 0,
            issue: Issue {
                arch,
                issues: true,
                pc: 0,
                elapsed: 0,
                cycles: 0,
                part_word_until: 0,
                products: KnownProducts::default(),
            },
            ended: None,
            checker: strict.then(|| Box::new(Checker::new(arch))),
            calls: Vec::new(),
            watch: None,
            has_arrived: false,
        }
    }

    /// Takes reads of old values by these bundles as meant, which strict execution refuses otherwise.
    pub fn allow_old_reads(&mut self, reads: &[OldRead]) {
        if let Some(checker) = &mut self.checker {
            checker.allow_old_reads(reads);
        }
    }

    /// Another program is in program memory; registers keep their values.
    pub fn replace_program(&mut self, program: Arc<[u8]>) {
        self.code = Code::new(self.code.isa.arch, program);
        if let Some(checker) = &mut self.checker {
            checker.replace_program();
        }
        self.branch = None;
        self.done = 0;
        self.calls.clear();
        self.set_pc(0);
    }

    /// The byte address of the bundle that comes next.
    pub fn pc(&self) -> u32 {
        self.pc
    }

    /// Goes on at an address.
    pub fn set_pc(&mut self, pc: u32) {
        self.pc = pc;
        self.ended = None;
    }

    /// Continues after the next bundle, whatever it is.
    pub fn skip_bundle(&mut self) {
        let length = self.code.length(self.pc);
        self.set_pc(self.pc + length);
        self.done = 0;
    }

    /// Gives the control and status registers their values after reset.
    pub fn reset_control(&mut self) {
        for register in super::registers::CONTROL..super::registers::EXPONENTS {
            self.pipeline.set(register, 0);
        }
    }

    /// Lets what is under way come to registers and memory, as bundles without effect would.
    ///
    /// # Errors
    /// A store has no memory to go to.
    pub fn finish(&mut self, bus: &mut dyn CoreBus) -> Result<(), CoreStop> {
        let memory = &mut bus.memory();
        while !self.pipeline.is_idle() {
            let done = self.step(memory, 0);
            done.map_err(|reason| self.fault(&reason))?;
        }
        Ok(())
    }

    /// Bundles that were issued.
    pub fn bundles(&self) -> u64 {
        self.pipeline.now - 1
    }

    /// Where the calls return to that led to the next bundle, the innermost first.
    pub fn calls(&self) -> Vec<u32> {
        self.calls.iter().rev().take(MAX_CALLS).copied().collect()
    }

    /// The core's numbers of the locks that the program releases somewhere.
    pub fn released_locks(&self) -> Vec<u8> {
        self.code.released_locks()
    }

    /// A general register.
    pub fn r(&self, number: u8) -> u32 {
        self.pipeline.scalar(R + number)
    }

    /// Sets a scalar register by its name; `None` if there is none of it.
    pub fn set_register(&mut self, name: &str, value: u32) -> Option<()> {
        let register = super::registers::scalar(Register::of_name(name)?)?;
        self.pipeline.set(register, value);
        if let Some(checker) = &mut self.checker {
            checker.define(register);
        }
        Some(())
    }

    /// The bytes of a vector, accumulator or mask by its name; `None` if there is none of it.
    pub fn vector_bytes(&self, name: &str) -> Option<Vec<u8>> {
        let vector = Read::plain(super::registers::vector(Register::of_name(name)?)?);
        Some(self.pipeline.vector(vector).to_vec())
    }

    /// Runs until the core waits, ends, fails, or has used `budget` cycles.
    pub fn run(&mut self, bus: &mut dyn CoreBus, budget: u64) -> CoreRun {
        let mut elapsed = 0;
        self.has_arrived = false;
        let stop = loop {
            if let Some(stop) = &self.ended {
                break stop.clone();
            }
            let memory = &mut bus.memory();
            let pause = match (&self.checker, &self.watch) {
                (None, None) => self.bundles_until_bus::<false>(memory, &mut elapsed, budget),
                _ => self.bundles_until_bus::<true>(memory, &mut elapsed, budget),
            };
            match pause {
                Pause::Stop(stop) => break stop,
                Pause::Bus => {
                    if let Err(stop) = self.bus_operations(bus, elapsed) {
                        break stop;
                    }
                }
            }
        };
        if matches!(stop, CoreStop::Done | CoreStop::Fault(_)) {
            self.ended = Some(stop.clone());
        }
        self.issue.cycles += elapsed;
        if let Some(watch) = &mut self.watch {
            watch.end_run(self.pc as usize, elapsed, self.has_arrived);
        }
        CoreRun {
            stop,
            cycles: elapsed,
        }
    }

    /// Executes bundles until one needs the bus or the run ends. `OBSERVED`: they are checked or watched.
    fn bundles_until_bus<const OBSERVED: bool>(
        &mut self,
        memory: &mut CoreMemory<'_>,
        elapsed: &mut u64,
        budget: u64,
    ) -> Pause {
        loop {
            if *elapsed >= budget {
                return Pause::Stop(CoreStop::Budget);
            }
            let bundle = match self.code.bundle(self.pc) {
                Ok(bundle) => *bundle,
                Err(refusal) => return Pause::Stop(self.refused(refusal)),
            };
            if !OBSERVED && bundle.is_scalar {
                match self.scalar_bundles(memory, elapsed, budget) {
                    Ok(true) => continue,
                    Ok(false) => {}
                    Err(fault) => return Pause::Stop(self.fault(&fault)),
                }
            }
            if OBSERVED && self.arrives_at_stop(*elapsed) {
                return Pause::Stop(CoreStop::Break);
            }
            if bundle.needs_care {
                if bundle.bus > self.done {
                    return Pause::Bus;
                }
                if bundle.accesses_memory {
                    while self.issue.part_word_until > self.pipeline.now {
                        *elapsed += 1;
                        if let Err(fault) = self.step(memory, *elapsed) {
                            return Pause::Stop(self.fault(&fault));
                        }
                    }
                    memory.set_instruction(self.pc, *elapsed);
                }
            }
            match self.execute::<OBSERVED>(bundle, memory, elapsed) {
                Ok(None) => {}
                Ok(Some(stop)) => return Pause::Stop(stop),
                Err(fault) => return Pause::Stop(self.fault(&fault)),
            }
        }
    }

    /// The core comes to the bundle at `pc`, if it hasn't yet in this run; whether it is to stop there.
    fn arrives_at_stop(&mut self, elapsed: u64) -> bool {
        if std::mem::replace(&mut self.has_arrived, true) {
            return false;
        }
        let watch = self.watch.as_mut();
        watch.is_some_and(|watch| watch.arrive(self.pc as usize, elapsed))
    }

    /// Executes the rest of a bundle; returns a stop if the program ends with it.
    #[inline(always)]
    fn execute<const OBSERVED: bool>(
        &mut self,
        bundle: ResolvedBundle,
        memory: &mut CoreMemory<'_>,
        elapsed: &mut u64,
    ) -> Result<Option<CoreStop>, String> {
        if OBSERVED && let Err(finding) = self.check_issue() {
            return Ok(Some(self.strict_fault(finding)));
        }
        let mut end = BundleEnd::default();
        let mut stall = 0;
        (self.issue.pc, self.issue.elapsed) = (self.pc, *elapsed);
        let mut executor = Executor {
            issue: &mut self.issue,
            pipeline: &mut self.pipeline,
            memory,
        };
        for op in &self.code.ops(bundle)[usize::from(self.done)..] {
            match *op {
                Op::Branch {
                    condition,
                    target,
                    latency,
                } => {
                    let pipeline = &mut *executor.pipeline;
                    let taken = match condition {
                        Condition::Always => true,
                        Condition::Zero(r) => pipeline.scalar(r) == 0,
                        Condition::NonZero(r) => pipeline.scalar(r) != 0,
                        Condition::Decrement(d, r) => {
                            let value = pipeline.scalar(r);
                            pipeline.write(d, value.wrapping_sub(1), latency);
                            value != 0
                        }
                    };
                    if taken {
                        let kind = match target {
                            Source::Register(LR) => BranchKind::Return,
                            _ => BranchKind::Jump,
                        };
                        end.branch = Some((pipeline.source(target), kind));
                    }
                }
                Op::Call {
                    target,
                    latency,
                    return_to,
                } => {
                    executor.pipeline.write(LR, return_to, latency);
                    let kind = BranchKind::Call {
                        at: self.pc,
                        return_to,
                    };
                    end.branch = Some((executor.pipeline.source(target), kind));
                }
                Op::Done => end.done = true,
                ref op => stall = executor.execute(op)?.max(stall),
            }
        }
        *elapsed += 1 + stall;
        self.done = 0;
        self.has_arrived = false;
        // A bundle that sets the counter doesn't end a loop itself: `le` may be 0 still, or that of
        // the loop before.
        let count = self.pipeline.loop_register(LC);
        self.step(memory, *elapsed)?;
        if OBSERVED && let Err(finding) = self.check_next(bundle.length, end.branch, count) {
            return Ok(Some(self.strict_fault(finding)));
        }
        let at = self.pc;
        self.next_pc(bundle.length, end.branch, count, *elapsed)?;
        if OBSERVED
            && self.pc != at.wrapping_add(bundle.length.into())
            && let Some(log) = &mut memory.accesses
        {
            log.jump(at, self.pc, *elapsed);
        }
        if end.done {
            while !self.pipeline.is_idle() {
                self.step(memory, *elapsed)?;
            }
            return Ok(Some(CoreStop::Done));
        }
        Ok(None)
    }

    /// Whether the bundle at `pc` may be issued now by the rules of strict execution.
    #[inline]
    fn check_issue(&mut self) -> Result<(), StrictFinding> {
        let Some(checker) = &mut self.checker else {
            return Ok(());
        };
        if !checker.knows(self.pc)
            && let Some(bundle) = self.code.decoded(self.pc)
        {
            checker.learn(self.pc, &bundle);
        }
        checker.issue(self.pc, &self.pipeline)
    }

    /// Whether execution may go on after the bundle at `pc` as it does: to a branch's target, or
    /// back in a hardware loop.
    #[inline]
    fn check_next(
        &mut self,
        length: u8,
        taken: Option<(u32, BranchKind)>,
        count: u32,
    ) -> Result<(), StrictFinding> {
        let Some(checker) = &mut self.checker else {
            return Ok(());
        };
        if let Some((target, _)) = taken {
            return checker.branch(target);
        }
        if self.branch.is_some_and(|branch| branch.left == 1) {
            checker.jump();
        }
        let pipeline = &self.pipeline;
        if self.branch.is_none() && count != 0 && pipeline.loop_register(LE) == self.pc {
            return checker.end_loop(self.pc, length, pipeline);
        }
        Ok(())
    }

    /// Ends a bundle: results land, second halves of operations happen.
    #[inline(always)]
    fn step(&mut self, memory: &mut CoreMemory<'_>, elapsed: u64) -> Result<(), String> {
        if self.pipeline.step() {
            return self.finish_due(memory, elapsed);
        }
        Ok(())
    }

    /// Does the second halves of operations that are due.
    #[inline(never)]
    fn finish_due(&mut self, memory: &mut CoreMemory<'_>, elapsed: u64) -> Result<(), String> {
        let due = self.pipeline.take_due();
        let issued = self.issue.elapsed;
        memory.set_instruction(self.issue.pc, issued);
        (self.issue.issues, self.issue.elapsed) = (false, elapsed);
        let mut executor = Executor {
            issue: &mut self.issue,
            pipeline: &mut self.pipeline,
            memory,
        };
        let done = due.iter().try_for_each(|later| executor.finish(later));
        (self.issue.issues, self.issue.elapsed) = (true, issued);
        self.pipeline.return_due(due);
        done
    }

    #[inline(always)]
    fn next_pc(
        &mut self,
        length: u8,
        taken: Option<(u32, BranchKind)>,
        count: u32,
        elapsed: u64,
    ) -> Result<(), String> {
        let at = self.pc;
        self.pc = at.wrapping_add(length.into());
        if let Some(branch) = &mut self.branch {
            if taken.is_some() {
                return Err("it branches in the delay slots of another branch".to_string());
            }
            branch.left -= 1;
            if branch.left == 0 {
                let PendingBranch { kind, target, .. } = *branch;
                self.pc = target;
                self.branch = None;
                self.follow(kind, elapsed);
            }
            return Ok(());
        }
        if let Some((target, kind)) = taken {
            self.branch = Some(PendingBranch {
                kind,
                target,
                left: DELAY_SLOTS,
            });
            return Ok(());
        }
        if count != 0 && self.pipeline.loop_register(LE) == at {
            self.pipeline.set(LC, count - 1);
            if count != 1 {
                self.pc = self.pipeline.loop_register(LS);
            }
        }
        Ok(())
    }

    /// A branch has taken place: keeps count of the calls that led here.
    #[inline]
    fn follow(&mut self, kind: BranchKind, elapsed: u64) {
        match kind {
            BranchKind::Jump => {}
            BranchKind::Call { at, return_to } => {
                if self.calls.len() >= MAX_CALLS {
                    self.calls.remove(0);
                }
                self.calls.push(return_to);
                if let Some(watch) = &mut self.watch {
                    watch.enter(at as usize, elapsed);
                }
            }
            BranchKind::Return => {
                self.calls.pop();
                if let Some(watch) = &mut self.watch {
                    watch.leave(elapsed);
                }
            }
        }
    }

    #[cold]
    fn refused(&self, refusal: Refusal) -> CoreStop {
        CoreStop::Fault(CoreFault::MachineCode {
            pc: self.pc,
            bundle: refusal.text.unwrap_or_default(),
            reason: refusal.reason,
        })
    }

    #[cold]
    fn fault(&self, reason: &str) -> CoreStop {
        CoreStop::Fault(CoreFault::MachineCode {
            pc: self.pc,
            bundle: self.code.text(self.pc).unwrap_or_default(),
            reason: reason.to_string(),
        })
    }

    #[cold]
    fn strict_fault(&self, finding: StrictFinding) -> CoreStop {
        CoreStop::Fault(CoreFault::Strict {
            pc: self.pc,
            bundle: self.code.text(self.pc).unwrap_or_default(),
            finding: Box::new(finding),
        })
    }

    /// The registers, a line for each file.
    pub fn write_registers(&self, f: &mut impl fmt::Write) -> fmt::Result {
        let scalar = |register: Scalar| self.pipeline.scalar(register);
        writeln!(f, "pc {:#07x}", self.pc)?;
        for row in 0..8 {
            let row = 4 * row;
            for r in row..row + 4 {
                write!(f, "{:>5} {:#010x}", format!("r{r}"), scalar(R + r))?;
            }
            writeln!(f)?;
        }
        for (name, first) in super::registers::ADDRESS_FILES {
            write!(f, "{name:>5}")?;
            for number in 0..8 {
                write!(f, " {:#07x}", scalar(first + number))?;
            }
            writeln!(f)?;
        }
        for (name, register) in super::registers::SINGLE {
            write!(f, "{name:>5} {:#07x}", scalar(register))?;
        }
        writeln!(f)?;
        self.pipeline.write_vectors(self.code.isa.arch, f)
    }
}

impl MachineCodeCore {
    /// The registers with their names and values in hexadecimal, scalars first.
    fn named_registers(&self) -> Vec<(String, String)> {
        let scalar = |register: Scalar| format!("{:#010x}", self.pipeline.scalar(register));
        let general = (0..32).map(|number| (format!("r{number}"), R + number));
        let files = super::registers::ADDRESS_FILES.into_iter();
        let files = files.flat_map(|(file, first)| {
            (0..8).map(move |number| (format!("{file}{number}"), first + number))
        });
        let single = super::registers::SINGLE.into_iter();
        let single = single.map(|(name, register)| (name.to_string(), register));
        let scalars = general.chain(files).chain(single);
        let mut all = vec![("pc".to_string(), format!("{:#07x}", self.pc))];
        all.extend(scalars.map(|(name, register)| (name, scalar(register))));
        let vectors = super::registers::shown_vectors(self.code.isa.arch).into_iter();
        all.extend(vectors.map(|(name, vector)| {
            let bytes = self.pipeline.vector(Read::plain(vector));
            let words = bytes.as_chunks::<4>().0.iter();
            let words = words.map(|word| format!("{:08x}", u32::from_le_bytes(*word)));
            (name, words.collect::<Vec<_>>().join(" "))
        }));
        all
    }
}

impl RunningCore for MachineCodeCore {
    fn copied(&self) -> Box<dyn RunningCore> {
        Box::new(self.clone())
    }

    fn run(&mut self, bus: &mut dyn CoreBus, budget: u64) -> CoreRun {
        MachineCodeCore::run(self, bus, budget)
    }

    fn position(&self) -> Option<(u32, Vec<u32>)> {
        Some((self.pc, self.calls()))
    }

    fn watch(&mut self, stops: &[u32], loops: Option<&[Range<u32>]>) {
        self.watch = Some(Box::new(Watch::new(stops, loops)));
    }

    fn stop_at(&mut self, stops: &[u32]) {
        Watch::set_stops(&mut self.watch, self.pc as usize, stops);
    }

    fn scopes(&mut self) -> Option<&mut ScopeLog> {
        self.watch.as_mut()?.scopes.as_mut()
    }

    fn profile(&self) -> Option<&CoreProfile> {
        self.watch.as_ref().map(|watch| watch.profile())
    }

    fn stalled(&mut self, cycles: u64) {
        self.issue.cycles += cycles;
        if let Some(watch) = &mut self.watch {
            watch.stalled(self.pc as usize, cycles);
        }
    }

    fn register_values(&self) -> Vec<(String, String)> {
        self.named_registers()
    }

    fn registers(&self) -> Option<String> {
        let mut text = String::new();
        self.write_registers(&mut text).ok()?;
        Some(text)
    }
}
