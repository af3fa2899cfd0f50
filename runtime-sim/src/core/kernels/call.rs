//! Calls of kernels, in which a core may wait for the cascade.

use super::{Bound, CallOutcome, Transfer, Unfinished};
use crate::core::bus::{Attempt, CASCADE_WORDS, CoreBus, CoreStop, CoreWait};
use crate::core::cost::Costs;
use aiec_vcode::Opcode;

/// A call that waits: the transfer that it wants, and what comes after it.
#[derive(Clone, Debug)]
pub struct WaitingCall(Transfer, Box<dyn Unfinished>);

impl WaitingCall {
    /// Whether all of its state is in it.
    pub fn can_be_copied(&self) -> bool {
        self.1.can_be_copied()
    }
}

/// Calls a kernel, or goes on with the call that waits; counts its cycles as they pass. Returns the
/// result, in the form of an argument.
///
/// # Errors
/// The kernel failed, or the core waits inside it: then the call is in `waiting`.
pub fn call_kernel<B: CoreBus + ?Sized>(
    kernel: &Bound,
    values: &[u64],
    waiting: &mut Option<WaitingCall>,
    costs: &Costs,
    cycles: &mut u64,
    bus: &mut B,
) -> Result<u64, CoreStop> {
    let mut next = match waiting.take() {
        Some(WaitingCall(transfer, rest)) => CallOutcome::Transfer(transfer, rest),
        None => {
            if kernel.raises_events() {
                bus.event(*cycles, 0);
            }
            let step = if !kernel.takes_memories() {
                kernel.call(&mut bus.memory(), values)
            } else {
                let mut taken = Default::default();
                bus.swap_memories(&mut taken);
                let step = kernel.call_with_memories(&mut taken, &mut bus.memory(), values);
                bus.swap_memories(&mut taken);
                step
            };
            let step = step.map_err(CoreStop::Fault)?;
            *cycles += costs.of(Opcode::CallKernel) + step.cycles;
            step.then
        }
    };
    let result = loop {
        let (transfer, rest) = match next {
            CallOutcome::Return(result) => break result,
            CallOutcome::Transfer(transfer, rest) => (transfer, rest),
        };
        let (done, wait, op) = match &transfer {
            Transfer::Get => (
                bus.cascade_get(*cycles),
                CoreWait::CascadeGet,
                Opcode::CascadeGet,
            ),
            Transfer::Put(words) => (
                bus.cascade_put(*cycles, words).map(|()| [0; CASCADE_WORDS]),
                CoreWait::CascadePut,
                Opcode::CascadePut,
            ),
        };
        let Attempt::Done(received) = done else {
            *waiting = Some(WaitingCall(transfer, rest));
            return Err(CoreStop::Waiting(wait));
        };
        *cycles += costs.of(op);
        let step = kernel.resume(rest, &mut bus.memory(), values, &received);
        let step = step.map_err(CoreStop::Fault)?;
        *cycles += step.cycles;
        next = step.then;
    };
    if kernel.raises_events() {
        bus.event(*cycles, 1);
    }
    Ok(result)
}
