//! The start of cores: settings, and the choice between core program and machine code by the content of program memory.

use std::collections::BTreeMap;
use std::sync::Arc;

use aiec_core::{CoreArch, OldRead};
use aiec_device::{Arch, TileLoc};
use aiec_vcode::{CHECKSUM_WORD, CoreProgram, DecodeError};

use super::bound::BoundCore;
use super::cost::Costs;
use super::engine::{LoadError, LoadedProgram, MACHINE_CODE, StartedCore};
use super::isa::MachineCodeCore;
use super::kernels::{Kernels, NoKernel};
use super::machine::CoreMachine;

/// Settings of cores besides their programs.
#[derive(Clone, Debug)]
pub struct CoreSettings {
    /// Kernels that they can call.
    pub kernels: Kernels,
    /// Costs of operations.
    pub(crate) costs: Arc<Costs>,
    /// Machine code that depends on latencies, alignment or missing memory is a fault.
    pub strict: bool,
    /// Reads of old values that are meant, of the machine code of each tile: no fault.
    pub old_reads: BTreeMap<TileLoc, Vec<OldRead>>,
    /// Instructions are executed one by one, not in loops: slower, with the same outcome.
    pub no_loop_fusion: bool,
    /// Cores that don't execute the contents of their program memory.
    pub bound: BTreeMap<TileLoc, BoundCore>,
}

impl Default for CoreSettings {
    fn default() -> CoreSettings {
        CoreSettings::new(Kernels::default())
    }
}

impl CoreSettings {
    /// With the kernels and the cycles that the user named.
    pub fn new(kernels: Kernels) -> CoreSettings {
        let costs = kernels.costs();
        CoreSettings {
            kernels,
            costs,
            strict: false,
            old_reads: BTreeMap::new(),
            no_loop_fusion: false,
            bound: BTreeMap::new(),
        }
    }
}

impl StartedCore {
    /// Puts the core of a tile at the start of what is in program memory: a core program, or else machine
    /// code.
    ///
    /// # Errors
    /// Program memory is empty or holds a damaged core program, kernels have no body, or the
    /// architecture's machine code is unknown.
    pub fn start(
        tile: TileLoc,
        words: &[u32],
        arch: Arch,
        settings: &CoreSettings,
    ) -> Result<Self, LoadError> {
        let loaded = LoadedProgram::load(words, arch, settings);
        if let (Err(LoadError::Program(DecodeError::Foreign { .. })), Some(arch)) =
            (&loaded, machine_code_of(arch))
        {
            let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
            let mut core = MachineCodeCore::new(arch, Arc::from(bytes), settings.strict);
            if let Some(reads) = settings.old_reads.get(&tile) {
                core.allow_old_reads(reads);
            }
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
            core: Box::new(CoreMachine::new(loaded)),
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
            no_loop_fusion: cores.no_loop_fusion,
        })
    }
}

impl CoreMachine {
    /// Decodes the program in program memory, finds the kernels that it calls, and puts the core
    /// at its start.
    ///
    /// # Errors
    /// The words are not a core program, or kernels have no body.
    pub fn load(words: &[u32], arch: Arch, cores: &CoreSettings) -> Result<CoreMachine, LoadError> {
        Ok(Self::new(LoadedProgram::load(words, arch, cores)?))
    }
}
