//! Who executes core programs.
//!
//! The array doesn't care how a core computes: it starts what an engine made of the program in
//! program memory ([`CoreEngine`]) and lets it run until it waits, ends or fails ([`RunningCore`]).
//! The built-in engine is the [`Interpreter`]; the driver brings another one where it is built with
//! upstream MLIR.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

pub use aiec_cert::debug::MACHINE_CODE;
use aiec_core::CoreArch;
use aiec_device::Arch;
use aiec_vcode::{CHECKSUM_WORD, CoreProgram, DecodeError, Opcode};

use super::bus::CoreBus;
use super::cost::Costs;
use super::isa::MachineCodeCore;
use super::kernels::{Bound, NoKernel};
use super::machine::{CoreMachine, CoreRun, CoreSettings, LoadError};
use super::scopes::ScopeLog;
use super::watch::CoreProfile;

/// A core at the start of what is in its program memory.
#[derive(Debug)]
pub struct StartedCore {
    /// The core.
    pub core: Box<dyn RunningCore>,
    /// The checksum of a core program's words, [`MACHINE_CODE`] for machine code.
    pub checksum: u32,
    /// The core's numbers of the locks that the program releases somewhere.
    pub releases: Vec<u8>,
    /// Names of the kernels that the program calls.
    pub kernels: Vec<String>,
}

impl StartedCore {
    /// Puts a core at the start of what is in program memory: a core program goes to the engine of
    /// the settings, anything else is machine code.
    ///
    /// # Errors
    /// Program memory is empty or holds a damaged core program, kernels have no body, the engine
    /// can't execute the program, or the architecture's machine code is unknown.
    pub fn start(words: &[u32], arch: Arch, settings: &CoreSettings) -> Result<Self, LoadError> {
        let loaded = LoadedProgram::load(words, arch, settings);
        if let (Err(LoadError::Program(DecodeError::Foreign { .. })), Some(arch)) =
            (&loaded, machine_code_of(arch))
        {
            let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
            let core = MachineCodeCore::new(arch, Arc::from(bytes), settings.strict);
            return Ok(StartedCore {
                checksum: MACHINE_CODE,
                releases: core.released_locks(),
                kernels: Vec::new(),
                core: Box::new(core),
            });
        }
        let loaded = loaded?;
        Ok(StartedCore {
            checksum: loaded.checksum,
            releases: loaded.released_locks().collect(),
            kernels: loaded
                .kernels
                .iter()
                .map(|kernel| kernel.name().to_string())
                .collect(),
            core: settings.engine.start(loaded).map_err(LoadError::Engine)?,
        })
    }
}

/// The machine code of an architecture's cores, if it is known.
pub fn machine_code_of(arch: Arch) -> Option<CoreArch> {
    match arch {
        Arch::Aie1 => None,
        Arch::Aie2 => Some(CoreArch::Aie2),
        Arch::Aie2p => Some(CoreArch::Aie2p),
        Arch::Aie2ps => Some(CoreArch::Aie2ps),
    }
}

/// Executes core programs in some way.
pub trait CoreEngine: fmt::Debug {
    /// Puts a core at the start of its program.
    ///
    /// # Errors
    /// The engine can't execute this program; a sentence for the user.
    fn start(&self, loaded: LoadedProgram) -> Result<Box<dyn RunningCore>, String>;

    /// Whether its cores must run on the thread that started them, one at a time.
    fn needs_one_thread(&self) -> bool {
        false
    }
}

/// A core in the middle of its program.
pub trait RunningCore: fmt::Debug + Send {
    /// Runs until the core waits, ends, fails, or has used about `budget` cycles: an engine says
    /// where it looks at them, but a program that never waits must come to such a place. An
    /// operation of the bus that was put off ([`super::Attempt::Later`]) is tried again by the next
    /// run, first of all. A core that has ended or failed stays so.
    fn run(&mut self, bus: &mut dyn CoreBus, budget: u64) -> CoreRun;

    /// The number of the instruction that comes next, and of the calls that led to it, the
    /// innermost first; `None` if the engine knows no instructions.
    fn position(&self) -> Option<(u32, Vec<u32>)> {
        None
    }

    /// Counts cycles by instruction from the start of the program on, and stops in front of some
    /// instructions, if the engine knows any. With the loops of the program (of each the first instruction and the one
    /// behind its last one, outer ones first) it records its calls and loops.
    fn watch(&mut self, _stops: &[u32], _loops: Option<&[Range<u32>]>) {}

    /// Its calls and loops, if they are recorded.
    fn scopes(&mut self) -> Option<&mut ScopeLog> {
        None
    }

    /// Cycles by instruction, if they are counted.
    fn profile(&self) -> Option<&CoreProfile> {
        None
    }

    /// Whether loads and stores go through [`super::CoreMemory`], which logs them for the race detector.
    fn logs_accesses(&self) -> bool {
        true
    }

    /// It has waited for so many cycles.
    fn stalled(&mut self, _cycles: u64) {}

    /// From now on, or no more, a load from where the core sees no memory is a fault, if the engine else gives
    /// something for it.
    fn refuse_missing_memory(&mut self, _refuse: bool) {}

    /// The registers, a line for each few; `None` if the engine has none.
    fn registers(&self) -> Option<String> {
        None
    }
}

/// What was found in a core's program memory, with all that it needs.
#[derive(Clone, Debug)]
pub struct LoadedProgram {
    /// The program.
    pub program: CoreProgram,
    /// The checksum of its words, by which its lines are found.
    pub checksum: u32,
    /// The implementation of each of the program's kernels.
    pub kernels: Box<[Bound]>,
    /// What operations cost.
    pub costs: Arc<Costs>,
    /// Instructions are executed one by one, not in loops.
    pub singly: bool,
}

impl LoadedProgram {
    /// Decodes the program in program memory and finds the kernels that it calls.
    ///
    /// # Errors
    /// The words are not a core program, or kernels have no body.
    pub fn load(words: &[u32], arch: Arch, cores: &CoreSettings) -> Result<Self, LoadError> {
        let program = CoreProgram::decode(words)?;
        let found = program
            .kernels
            .iter()
            .map(|text| cores.kernels.find(text, arch));
        let (kernels, missing): (Vec<_>, Vec<_>) = found.partition(Result::is_ok);
        let missing: Vec<NoKernel> = missing.into_iter().filter_map(Result::err).collect();
        if !missing.is_empty() {
            return Err(LoadError::NoKernels(missing));
        }
        Ok(LoadedProgram {
            program,
            checksum: words[CHECKSUM_WORD], // decoded, so it is there
            kernels: kernels.into_iter().flatten().collect(),
            costs: cores.costs.clone(),
            singly: cores.singly,
        })
    }

    /// The core's numbers of the locks that the program releases somewhere.
    pub fn released_locks(&self) -> impl Iterator<Item = u8> + '_ {
        let releases = self.program.code.iter();
        releases.filter(|i| i.op == Opcode::Release).map(|i| i.a)
    }
}

/// The built-in engine: executes the instructions of core programs one after another.
#[derive(Clone, Copy, Debug, Default)]
pub struct Interpreter;

impl CoreEngine for Interpreter {
    fn start(&self, loaded: LoadedProgram) -> Result<Box<dyn RunningCore>, String> {
        Ok(Box::new(CoreMachine::new(loaded)))
    }
}

impl RunningCore for CoreMachine {
    fn run(&mut self, bus: &mut dyn CoreBus, budget: u64) -> CoreRun {
        CoreMachine::run(self, bus, budget)
    }

    fn position(&self) -> Option<(u32, Vec<u32>)> {
        Some((CoreMachine::position(self), self.calls()))
    }

    fn watch(&mut self, stops: &[u32], loops: Option<&[Range<u32>]>) {
        CoreMachine::watch(self, stops, loops);
    }

    fn scopes(&mut self) -> Option<&mut ScopeLog> {
        CoreMachine::scopes(self)
    }

    fn profile(&self) -> Option<&CoreProfile> {
        CoreMachine::profile(self)
    }

    fn stalled(&mut self, cycles: u64) {
        CoreMachine::stalled(self, cycles);
    }
}
