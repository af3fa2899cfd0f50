//! What a channel shows of itself.

use aiec_device::regmap::{DmaState, DmaStatus};

use super::{BdPredecessor, Channel, State};
use crate::array::fault::DmaFault;

impl Channel {
    /// The status register.
    pub fn status(&self, starved: bool) -> DmaStatus {
        let streaming = matches!(self.state, State::Stream | State::Header);
        let fault = self.fault.as_ref();
        DmaStatus {
            state: match (&self.state, self.follows) {
                (State::Idle | State::Stopped, _) => DmaState::Idle,
                (State::Load { .. }, BdPredecessor::Idle) => DmaState::Starting,
                _ => DmaState::Running,
            },
            stalled_lock_acquire: matches!(self.state, State::Acquire { .. }),
            stalled_stream: streaming && starved,
            stalled_token: matches!(self.state, State::CountFifo | State::Token),
            error_lock_unavailable: matches!(fault, Some(DmaFault::LockUnavailable { .. })),
            error_memory_unavailable: matches!(fault, Some(DmaFault::MemoryUnavailable { .. })),
            error_bd_unavailable: fault == Some(&DmaFault::BdUnavailable),
            error_bd_invalid: fault == Some(&DmaFault::BdInvalid),
            error_axi_decode: matches!(fault, Some(DmaFault::Host(_))),
            queue_overflow: self.overflow,
            running: !matches!(self.state, State::Idle | State::Stopped),
            queue_size: self.queue.len() as u8,
            current_bd: self.bd_id,
            ..DmaStatus::default()
        }
    }

    /// The units of a lock that the BD in progress has taken and not given.
    pub fn units_in_progress(&self) -> u64 {
        let taken = matches!(self.state, State::Stream | State::Finish { .. });
        let operand = self.bd.acquire().map_or(0, |(_, operand)| operand);
        match taken && operand < 0 {
            true => u64::from(operand.unsigned_abs()),
            false => 0,
        }
    }
}
