//! Kernels: functions that core programs call but don't contain.
//!
//! A core program names them with their types ([`Signature`]). The kernel of a name is looked
//! up when the core starts, in this order: what the user bound ([`Kernels::bind`], usually a
//! function of a host library, `library`), then the built-in set (`builtin`). A name with nothing
//! bound to it is reported before the core runs ([`NoKernel`]).
//!
//! A kernel works in the memory of its core. One that wants the cascade says so ([`Transfer`]) and
//! goes on when the core has done that for it, so that a core may wait inside a kernel.

mod activation;
mod builtin;
mod call;
mod cascade_product;
mod convolution;
mod elementwise;
mod library;
mod matrix;
mod number;
mod style;
mod vision;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

use aiec_device::Arch;
pub use aiec_vcode::plain_name;
use aiec_vcode::{Opcode, Signature};

use super::bus::{CASCADE_WORDS, CoreFault, CoreMemory, WINDOWS};
use super::cost::Costs;

pub use builtin::names as builtin_names;
pub use call::{WaitingCall, call_kernel};
pub use library::HostFunction;
pub(super) use library::{STACK_BYTES, load_function};

/// A function that cores call.
pub trait Kernel: fmt::Debug + Send + Sync {
    /// Begins a call and runs it to its end, or until it wants the cascade. The program has as
    /// many values as the signature has arguments.
    ///
    /// # Errors
    /// It failed; the core stops.
    fn call(&self, arguments: &mut KernelArguments<'_, '_>) -> Result<KernelStep, CoreFault>;

    /// Whether it raises instruction event 0 when it begins and 1 when it ends.
    fn raises_events(&self) -> bool {
        false
    }

    /// Whether it takes whole memories while a call lasts ([`KernelArguments::taken`]), to hand
    /// them to code that may keep them.
    fn takes_memories(&self) -> bool {
        false
    }

    /// Why it can't be called with these types.
    ///
    /// # Errors
    /// A sentence for the user.
    fn check(&self, signature: &Signature) -> Result<(), String> {
        let _ = signature;
        Ok(())
    }
}

/// A part of a call: up to the next transfer of the cascade, or the end.
#[derive(Debug)]
pub struct KernelStep {
    /// Cycles of this part.
    pub cycles: u64,
    /// The continuation.
    pub then: CallOutcome,
}

/// Continuation after a part of a call.
#[derive(Debug)]
pub enum CallOutcome {
    /// The call returns, with its scalar result in the form of an argument (0 if it has none).
    Return(u64),
    /// The cascade does this, then the call goes on.
    Transfer(Transfer, Box<dyn Unfinished>),
}

impl KernelStep {
    /// The end of a call after some more cycles.
    fn end(cycles: u64, result: u64) -> KernelStep {
        KernelStep {
            cycles,
            then: CallOutcome::Return(result),
        }
    }
}

/// A transfer of the cascade that a kernel asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transfer {
    /// Take one.
    Get,
    /// Send one.
    Put([u32; CASCADE_WORDS]),
}

/// The rest of a call that wants the cascade.
pub trait Unfinished: fmt::Debug + Send {
    /// Goes on to the end or the next transfer. `arguments` are those of the call; `received` is
    /// what the cascade brought, zeros after [`Transfer::Put`].
    ///
    /// # Errors
    /// It failed; the core stops.
    fn resume(
        self: Box<Self>,
        arguments: &mut KernelArguments<'_, '_>,
        received: &[u32; CASCADE_WORDS],
    ) -> Result<KernelStep, CoreFault>;

    /// A call that goes on as this one does; of one that can't be copied ([`Unfinished::can_be_copied`]) one that
    /// fails.
    fn copied(&self) -> Box<dyn Unfinished>;

    /// Whether all of its state is in it, so that it can be copied.
    fn can_be_copied(&self) -> bool {
        true
    }
}

impl Clone for Box<dyn Unfinished> {
    fn clone(&self) -> Box<dyn Unfinished> {
        (**self).copied()
    }
}

/// Arguments of a kernel.
#[derive(Debug)]
pub struct KernelArguments<'c, 'm> {
    /// The memories that the core sees.
    pub memory: &'c mut CoreMemory<'m>,
    /// Name and types of the call.
    pub signature: &'c Signature,
    /// A value for each argument: integers sign-extended, floats of up to 32 bits as bits of an
    /// f32, f64 as its bits, buffers as the core-local byte address of their first element.
    pub values: &'c [u64],
    /// The bytes of the memories by window, for a kernel that [takes them](Kernel::takes_memories); then
    /// `memory` has none. They are taken back when the call returns.
    pub taken: Option<&'c mut [Vec<u8>; WINDOWS]>,
}

/// Settings of cores by the user: kernels and costs.
#[derive(Clone, Debug, Default)]
pub struct Kernels {
    bound: BTreeMap<String, Arc<dyn Kernel>>,
    cycles: BTreeMap<String, u64>,
}

impl Kernels {
    /// Binds a kernel to a name, instead of the built-in one if there is one.
    pub fn bind(&mut self, name: &str, kernel: Arc<dyn Kernel>) {
        self.bound.insert(name.to_string(), kernel);
    }

    /// The cycles of each call of a kernel, or of an operation of core programs by its mnemonic
    /// (`add.i32`).
    pub fn set_cycles(&mut self, name: &str, cycles: u64) {
        self.cycles.insert(name.to_string(), cycles);
    }

    /// The cost of operations with what the user said of them.
    pub fn costs(&self) -> Arc<Costs> {
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
            .filter(|name| !has_name(called, name) && !is_operation(name))
            .cloned()
            .collect()
    }

    /// Binding of the text of a signature.
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
        let plain = plain_name(&signature.name);
        let cycles = self.cycles.get(&signature.name);
        let cycles = cycles.or_else(|| self.cycles.get(plain)).copied();
        let bound = self.bound.get(&signature.name);
        let kernel: Arc<dyn Kernel> = match bound.or_else(|| self.bound.get(plain)) {
            Some(kernel) => kernel.clone(),
            None => match builtin::find(plain, arch) {
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

/// Whether a function of that name is among those, with or without a prefix.
pub(crate) fn has_name(called: &BTreeSet<String>, name: &str) -> bool {
    called.contains(name) || called.iter().any(|called| plain_name(called) == name)
}

/// The kernel that is bound to a signature of a program.
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

    /// Whether it raises instruction event 0 when it begins and 1 when it ends.
    pub fn raises_events(&self) -> bool {
        self.kernel.raises_events()
    }

    /// Whether it takes whole memories, see [`Kernel::takes_memories`].
    pub fn takes_memories(&self) -> bool {
        self.kernel.takes_memories()
    }

    /// Begins a call.
    ///
    /// # Errors
    /// It failed.
    pub fn call(
        &self,
        memory: &mut CoreMemory<'_>,
        values: &[u64],
    ) -> Result<KernelStep, CoreFault> {
        self.begin(self.arguments(memory, values))
    }

    /// Begins a call of a kernel that takes whole memories.
    ///
    /// # Errors
    /// It failed.
    pub fn call_with_memories(
        &self,
        taken: &mut [Vec<u8>; WINDOWS],
        memory: &mut CoreMemory<'_>,
        values: &[u64],
    ) -> Result<KernelStep, CoreFault> {
        self.begin(KernelArguments {
            taken: Some(taken),
            ..self.arguments(memory, values)
        })
    }

    fn begin(&self, mut arguments: KernelArguments<'_, '_>) -> Result<KernelStep, CoreFault> {
        let values = arguments.values;
        if values.len() != self.signature.arguments.len() {
            let reason = "the call passes another number of arguments".to_string();
            return Err(failed(&self.signature, reason));
        }
        let step = self.kernel.call(&mut arguments)?;
        Ok(self.with_cycles(step))
    }

    /// Goes on with a call that has had its transfer, see [`Unfinished::resume`].
    ///
    /// # Errors
    /// It failed.
    pub fn resume(
        &self,
        rest: Box<dyn Unfinished>,
        memory: &mut CoreMemory<'_>,
        values: &[u64],
        received: &[u32; CASCADE_WORDS],
    ) -> Result<KernelStep, CoreFault> {
        let step = rest.resume(&mut self.arguments(memory, values), received)?;
        Ok(self.with_cycles(step))
    }

    fn arguments<'c, 'm>(
        &'c self,
        memory: &'c mut CoreMemory<'m>,
        values: &'c [u64],
    ) -> KernelArguments<'c, 'm> {
        KernelArguments {
            memory,
            signature: &self.signature,
            values,
            taken: None,
        }
    }

    /// A step with the user's cycles, if there are: those of a call count at its end.
    fn with_cycles(&self, step: KernelStep) -> KernelStep {
        let Some(cycles) = self.cycles else {
            return step;
        };
        let cycles = match &step.then {
            CallOutcome::Return(_) => cycles,
            CallOutcome::Transfer(..) => 0,
        };
        KernelStep { cycles, ..step }
    }
}

/// A function without a body.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{name}` {}", match .reason {
    None => "has no body anywhere".to_string(),
    Some(reason) => format!("can't be called: {reason}"),
})]
pub struct NoKernel {
    /// Its name.
    pub name: String,
    /// Why the kernel of the name can't be called; `None` if it can.
    pub reason: Option<String>,
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
