//! When instructions read and write their registers, which ports they hold and in which stage they
//! access memory: silicon doesn't interlock any of it. One table for each architecture
//! (`tables/*.timing`) has it, for the simulator as for the scheduler of bundles.
//!
//! Cycles are pipeline stages counted from 1, as llvm-aie's itineraries count them: a result of
//! cycle d is read by an operand of cycle u at least d − u + 1 bundles later, a bundle earlier if
//! both have the same bypass.

use smallvec::SmallVec;

use crate::register::{Register, RegisterFile};

aiec_diag::named_enum! {
    /// A path on which a result gets to a reader a bundle before it is in its register.
    #[derive(Clone, Copy, Default, PartialEq, Eq, Hash, Debug)]
    pub enum Bypass {
        /// None.
        #[default]
        None => "none",
        /// Among vector operations of the move slot.
        Move => "MV",
        /// Among products and sums of accumulators.
        Product => "VEC",
        /// From comparisons of 64 lanes to selections (AIE2PS).
        Mask => "MVL",
    }
}

/// A port or unit that one instruction at a time holds: an index into [`Timing::ports`].
pub type Port = u8;

/// A bypass that may depend on the operand's register.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum BypassRule {
    Always(Bypass),
    /// By the register's file: an index into [`Timing::bypasses`].
    ByFile(u8),
}

/// When an operand is read or written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct OperandCycle {
    pub cycle: u8,
    pub bypass: BypassRule,
}

impl OperandCycle {
    pub(crate) const fn plain(cycle: u8) -> OperandCycle {
        OperandCycle {
            cycle,
            bypass: BypassRule::Always(Bypass::None),
        }
    }
}

/// When an operand is read and when it is written.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(crate) struct OperandTiming {
    pub read: Option<OperandCycle>,
    pub written: Option<OperandCycle>,
}

/// A port that an instruction holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum PortRule {
    Always(Port),
    /// By the file of an operand's register: an index into [`Timing::port_families`] and the operand.
    ByFile(u8, u8),
}

/// The timing of an instruction.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub(crate) struct InstructionTiming {
    /// In the order of [`crate::Instruction::operands`].
    pub operands: SmallVec<[OperandTiming; 5]>,
    /// Implicit registers: read or written without being operands.
    pub registers: SmallVec<[(Register, OperandTiming); 4]>,
    /// Ports with the first and last bundle after the issue in which they are held.
    pub ports: SmallVec<[(PortRule, u8, u8); 4]>,
    /// Stages in which memory is accessed.
    pub stages: SmallVec<[u8; 2]>,
}

/// The timing of an instruction set.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Timing {
    /// Names of ports.
    pub ports: Vec<&'static str>,
    /// Ports for which the hardware waits until they are free.
    pub(crate) waited_for: Vec<Port>,
    pub(crate) bypasses: Vec<(&'static str, Vec<(RegisterFile, Bypass)>)>,
    pub(crate) port_families: Vec<(&'static str, Vec<(RegisterFile, Port)>)>,
    /// The cycle in which a pointer that walks, and the counts of its dimensions, are written.
    pub(crate) walk: u8,
    /// The stage in which a lock operation stops the core, and the first one that it doesn't.
    pub(crate) lock: (u8, u8),
    /// In the order of [`crate::CoreIsa::instructions`].
    pub(crate) rows: Vec<InstructionTiming>,
}

/// Bundles from a store of a part of a word on in which other accesses to memory wait: it reads the word first (`llvm-aie:
/// AIE2Schedule.td`, `PART_WORD_STORE`). The rows of timing that hold the port for which hardware waits say the same.
pub const PART_WORD_BUNDLES: u8 = 7;

/// A register that an instruction reads or writes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Access {
    /// The register.
    pub register: Register,
    /// The cycle, counted from 1.
    pub cycle: u8,
    /// The path that it may take.
    pub bypass: Bypass,
}

/// Resources that an instruction uses.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Accesses {
    /// Registers that it reads.
    pub reads: SmallVec<[Access; 8]>,
    /// Registers that it writes.
    pub writes: SmallVec<[Access; 4]>,
    /// Ports with the first and last bundle after the issue in which they are held; none for which
    /// the hardware waits.
    pub ports: SmallVec<[(Port, u8, u8); 4]>,
    /// Stages in which memory is accessed.
    pub stages: SmallVec<[u8; 2]>,
}

impl Timing {
    fn bypass(&self, rule: BypassRule, file: RegisterFile) -> Bypass {
        match rule {
            BypassRule::Always(bypass) => bypass,
            BypassRule::ByFile(family) => {
                let family = self.bypasses.get(usize::from(family));
                let known = family.and_then(|(_, files)| by_file(files, file));
                known.unwrap_or_default()
            }
        }
    }

    pub(crate) fn access(&self, register: Register, cycle: OperandCycle) -> Access {
        Access {
            register,
            cycle: cycle.cycle,
            bypass: self.bypass(cycle.bypass, register.file),
        }
    }

    /// The least number of bundles from an instruction whose last access to memory is in `stage` to
    /// a lock operation.
    pub fn before_lock(&self, stage: u8) -> u8 {
        (stage + 1).saturating_sub(self.lock.0)
    }

    /// The least number of bundles from an acquired lock to an instruction whose first access to
    /// memory is in `stage`.
    pub fn after_lock(&self, stage: u8) -> u8 {
        (self.lock.1 + 1).saturating_sub(stage).max(1)
    }

    /// The cycle in which a pointer that walks, and the counts of its dimensions, are written.
    pub fn walk(&self) -> u8 {
        self.walk
    }
}

/// The entry of a register file in a table of files.
pub(crate) fn by_file<T: Copy>(files: &[(RegisterFile, T)], file: RegisterFile) -> Option<T> {
    files
        .iter()
        .find(|(known, _)| *known == file)
        .map(|(_, value)| *value)
}
