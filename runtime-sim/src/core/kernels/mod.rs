//! Kernels: functions that core programs call but don't contain.
//!
//! A core program names them with their types ([`Signature`]). What stands behind a name is looked
//! up when the core starts, in this order: what the user bound ([`Kernels::bind`], usually a
//! function of a host library, `library`), then the built-in set (`builtin`). A name with nothing
//! behind it is told before the core runs ([`NoKernel`]).

mod builtin;
mod elementwise;
mod library;
mod matrix;
mod number;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

use aiec_device::Arch;
use aiec_device::core_program::{Opcode, Signature};

use super::bus::{CoreFault, CoreMemory, KernelCall};
use super::cost::Costs;

pub use builtin::names as builtin_names;
pub use library::{HostFunction, LibraryError};

/// A function that cores call.
pub trait Kernel: fmt::Debug + Send + Sync {
    /// Runs it. The program has as many values as the signature has arguments.
    ///
    /// # Errors
    /// It failed; the core stops.
    fn call(&self, arguments: &mut KernelArguments<'_, '_>) -> Result<KernelCall, CoreFault>;

    /// Why it can't be called with these types.
    ///
    /// # Errors
    /// A sentence for the user.
    fn check(&self, signature: &Signature) -> Result<(), String> {
        let _ = signature;
        Ok(())
    }
}

/// What a kernel gets.
#[derive(Debug)]
pub struct KernelArguments<'c, 'm> {
    /// The memories that the core sees.
    pub memory: &'c mut CoreMemory<'m>,
    /// Name and types of the call.
    pub signature: &'c Signature,
    /// A value for each argument: integers sign-extended, floats of up to 32 bits as bits of an
    /// f32, f64 as its bits, buffers as the core-local byte address of their first element.
    pub values: &'c [u64],
}

/// What the user says of cores: kernels, and what things cost.
#[derive(Clone, Debug, Default)]
pub struct Kernels {
    bound: BTreeMap<String, Arc<dyn Kernel>>,
    cycles: BTreeMap<String, u64>,
}

impl Kernels {
    /// Lets a kernel stand behind a name, instead of the built-in one if there is one.
    pub fn bind(&mut self, name: &str, kernel: Arc<dyn Kernel>) {
        self.bound.insert(name.to_string(), kernel);
    }

    /// The cycles of each call of a kernel, or of an operation of core programs by its mnemonic
    /// (`add.i32`).
    pub fn set_cycles(&mut self, name: &str, cycles: u64) {
        self.cycles.insert(name.to_string(), cycles);
    }

    /// The cost of operations with what the user said of them.
    pub(crate) fn costs(&self) -> Arc<Costs> {
        let mut costs = Costs::default();
        for op in Opcode::ALL {
            if let Some(&cycles) = self.cycles.get(op.mnemonic()) {
                costs.set(*op, cycles);
            }
        }
        Arc::new(costs)
    }

    /// The names whose cycles were set that are neither operations nor among those.
    pub(crate) fn unknown_names(&self, called: &BTreeSet<String>) -> Vec<String> {
        let is_operation = |name: &str| Opcode::ALL.iter().any(|op| op.mnemonic() == name);
        let names = self.cycles.keys();
        names
            .filter(|name| !called.contains(*name) && !is_operation(name))
            .cloned()
            .collect()
    }

    /// What stands behind the text of a signature.
    ///
    /// # Errors
    /// Nothing, or something for other types.
    pub fn find(&self, text: &str, arch: Arch) -> Result<Bound, NoKernel> {
        let no = |name: &str, reason| NoKernel {
            name: name.to_string(),
            reason,
        };
        let Some(signature) = Signature::parse(text) else {
            return Err(no(text, Some("its types can't be read".to_string())));
        };
        let cycles = self.cycles.get(&signature.name).copied();
        let kernel: Arc<dyn Kernel> = match self.bound.get(&signature.name) {
            Some(kernel) => kernel.clone(),
            None => match builtin::find(&signature.name, arch) {
                Some(kernel) => Arc::new(kernel),
                None => return Err(no(&signature.name, None)),
            },
        };
        match kernel.check(&signature) {
            Ok(()) => Ok(Bound {
                signature,
                kernel,
                cycles,
            }),
            Err(reason) => Err(no(&signature.name, Some(reason))),
        }
    }
}

/// A kernel that stands behind a signature of a program.
#[derive(Clone, Debug)]
pub struct Bound {
    signature: Signature,
    kernel: Arc<dyn Kernel>,
    /// Cycles of each call, if the user says so.
    cycles: Option<u64>,
}

impl Bound {
    /// The name of the function.
    pub fn name(&self) -> &str {
        &self.signature.name
    }

    /// Runs the kernel.
    ///
    /// # Errors
    /// It failed.
    pub fn call(
        &self,
        memory: &mut CoreMemory<'_>,
        values: &[u64],
    ) -> Result<KernelCall, CoreFault> {
        if values.len() != self.signature.arguments.len() {
            let reason = "the call passes another number of arguments".to_string();
            return Err(failed(&self.signature, reason));
        }
        let mut arguments = KernelArguments {
            memory,
            signature: &self.signature,
            values,
        };
        let mut call = self.kernel.call(&mut arguments)?;
        if let Some(cycles) = self.cycles {
            call.cycles = cycles;
        }
        Ok(call)
    }
}

/// A function without a body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoKernel {
    /// Its name.
    pub name: String,
    /// Why what stands behind the name can't be called; `None` if nothing does.
    pub reason: Option<String>,
}

impl fmt::Display for NoKernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.reason {
            None => write!(f, "`{}` has no body anywhere", self.name),
            Some(reason) => write!(f, "`{}` can't be called: {reason}", self.name),
        }
    }
}

/// The fault of a kernel that failed.
fn failed(signature: &Signature, reason: String) -> CoreFault {
    CoreFault::Kernel {
        name: signature.name.clone(),
        reason,
    }
}

#[cfg(test)]
mod tests;
