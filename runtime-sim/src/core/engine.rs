//! The interface of engines, which execute core programs.
//!
//! The array doesn't care how a core computes: it starts what was made of the program in
//! program memory and lets it run until it waits, ends or fails ([`RunningCore`]); `start` chooses how.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

pub use aiec_cert::debug::MACHINE_CODE;
use aiec_vcode::{CoreProgram, DecodeError, Opcode};

use super::bus::{CoreBus, CoreStop};
use super::cost::Costs;
use super::kernels::{Bound, NoKernel};
use super::scopes::ScopeLog;
use super::watch::CoreProfile;

/// A core at the start of its program.
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

/// Why a core can't start.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LoadError {
    /// Program memory holds no program.
    #[error(transparent)]
    Program(#[from] DecodeError),
    /// The program calls functions that have no body.
    #[error("it calls functions that can't run")]
    NoKernels(Vec<NoKernel>),
}

/// Result of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CoreRun {
    /// Why it ended.
    pub stop: CoreStop,
    /// Cycles it took.
    pub cycles: u64,
}

/// A core in the middle of its program.
pub trait RunningCore: fmt::Debug + Send {
    /// A core that goes on as this one does, from where it is; of one that can't be copied
    /// ([`RunningCore::can_be_copied`]) one that fails.
    fn copied(&self) -> Box<dyn RunningCore>;

    /// Whether all of its state is in it, so that it can be copied.
    fn can_be_copied(&self) -> bool {
        true
    }

    /// Runs until the core waits, ends, fails, or has used about `budget` cycles: an implementation
    /// decides where it looks at them, but a program that never waits must come to such a place. An
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
    /// after its last, outer ones first) it records its calls and loops.
    fn watch(&mut self, _stops: &[u32], _loops: Option<&[Range<u32>]>) {}

    /// Stops in front of these instructions from now on, and no others, if the engine knows any. It has come already to the
    /// one that comes next.
    fn stop_at(&mut self, _stops: &[u32]) {}

    /// Its calls and loops, if they are recorded.
    fn scopes(&mut self) -> Option<&mut ScopeLog> {
        None
    }

    /// Cycles by instruction, if they are counted.
    fn profile(&self) -> Option<&CoreProfile> {
        None
    }

    /// It has waited for `cycles`.
    fn stalled(&mut self, _cycles: u64) {}

    /// The registers with their names and values; none if the engine has none.
    fn register_values(&self) -> Vec<(String, String)> {
        Vec::new()
    }

    /// The registers, a line for each few; `None` if the engine has none.
    fn registers(&self) -> Option<String> {
        None
    }
}

impl Clone for Box<dyn RunningCore> {
    fn clone(&self) -> Box<dyn RunningCore> {
        (**self).copied()
    }
}

/// Program found in a core's program memory, with all that it needs.
#[derive(Clone, Debug)]
pub struct LoadedProgram {
    /// The program.
    pub program: CoreProgram,
    /// The checksum of its words, by which its lines are found.
    pub checksum: u32,
    /// The implementation of each of the program's kernels.
    pub kernels: Box<[Bound]>,
    /// Costs of operations.
    pub costs: Arc<Costs>,
    /// Instructions are executed one by one, not in loops.
    pub no_loop_fusion: bool,
}

impl LoadedProgram {
    /// The core's numbers of the locks that the program releases somewhere.
    pub fn released_locks(&self) -> impl Iterator<Item = u8> + '_ {
        let releases = self.program.code.iter();
        releases.filter(|i| i.op == Opcode::Release).map(|i| i.a)
    }
}
