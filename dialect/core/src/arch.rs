//! The architectures whose machine code this crate knows.

use std::fmt;
use std::sync::OnceLock;

/// An architecture of AI Engine cores. No two of them run each other's machine code.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum CoreArch {
    /// AIE-ML: Versal AI Edge, npu1.
    Aie2,
    /// The cores of npu2.
    Aie2p,
    /// AIE-ML v2: Versal AI Edge Gen 2.
    Aie2ps,
}

/// Holder of a value for each architecture, made when it is first asked for: reading a table takes as long as compiling a
/// small core, and a run seldom has cores of two architectures.
#[derive(Debug)]
pub struct PerArch<T>([OnceLock<T>; CoreArch::ALL.len()]);

impl<T> PerArch<T> {
    /// Nothing made yet.
    pub const fn new() -> PerArch<T> {
        PerArch([const { OnceLock::new() }; CoreArch::ALL.len()])
    }

    /// That of an architecture, made if it isn't there.
    pub fn of(&self, arch: CoreArch, make: impl FnOnce(CoreArch) -> T) -> &T {
        self.0[arch as usize].get_or_init(|| make(arch))
    }
}

impl<T> Default for PerArch<T> {
    fn default() -> PerArch<T> {
        PerArch::new()
    }
}

/// The machine number of core ELF files (llvm-aie: `EM_AIE`).
pub const EM_AIE: u16 = 264;

impl CoreArch {
    /// All of them, oldest first.
    pub const ALL: [CoreArch; 3] = [CoreArch::Aie2, CoreArch::Aie2p, CoreArch::Aie2ps];

    /// The name in messages and options: `aie2`, `aie2p`, `aie2ps`.
    pub fn name(self) -> &'static str {
        match self {
            CoreArch::Aie2 => "aie2",
            CoreArch::Aie2p => "aie2p",
            CoreArch::Aie2ps => "aie2ps",
        }
    }

    /// The architecture of this name.
    pub fn of_name(name: &str) -> Option<CoreArch> {
        CoreArch::ALL.into_iter().find(|arch| arch.name() == name)
    }

    /// The flags of its ELF files (llvm-aie: `EF_AIE_*`). That of AIE2PS is unconfirmed: no public
    /// file shows it; the next number is taken.
    pub fn elf_flags(self) -> u32 {
        match self {
            CoreArch::Aie2 => 2,
            CoreArch::Aie2p => 3,
            CoreArch::Aie2ps => 4,
        }
    }

    /// The architecture of an ELF file with these flags.
    pub fn of_elf_flags(flags: u32) -> Option<CoreArch> {
        let all = CoreArch::ALL.into_iter();
        all.into_iter().find(|arch| arch.elf_flags() == flags)
    }
}

impl fmt::Display for CoreArch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
