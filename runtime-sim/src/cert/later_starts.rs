//! Channels that control code would still start if a wait ended.

use aiec_cert::isa::RawOp;
use aiec_cert::page::{HEADER_BYTES, PAGE_BYTES, PlacedOp, decode_page};
use aiec_device::ChannelId;
use aiec_device::regmap::RegisterRef;

use super::fault::InstructionSite;
use super::job::JobState;
use super::machine::Machine;
use super::ucdma::chain_writes;
use super::vm::Vm;
use crate::array::Array;

impl Machine {
    /// The first instruction that a blocked job, or a page after it, would push a task to a channel
    /// with.
    pub fn later_start(&self, array: &Array, channel: ChannelId) -> Option<InstructionSite> {
        let mut controllers = self.controllers().iter();
        controllers.find_map(|vm| vm.later_start(array, channel))
    }
}

impl Vm {
    fn later_start(&self, array: &Array, channel: ChannelId) -> Option<InstructionSite> {
        for run in self.running() {
            for job in &run.jobs {
                let rest = match job.state {
                    JobState::Blocked(_) => job.ops.get(job.last + 1..),
                    JobState::Gated | JobState::Deferred => Some(&job.ops[..]),
                    JobState::Ready | JobState::Ended => None,
                };
                let rest = rest.unwrap_or_default();
                let found = self.start_in(array, channel, (run.number, &run.bytes), rest);
                if found.is_some() {
                    return found;
                }
            }
        }
        let first = self.running().first()?.number.checked_add(1)?;
        (first..self.page_count()).find_map(|number| {
            let at = self.base + u64::from(number) * PAGE_BYTES as u64;
            let bytes = array.host.read(at, PAGE_BYTES as u64).ok()?;
            let page = decode_page(bytes).ok()?;
            let mut jobs = page.jobs.iter();
            jobs.find_map(|job| self.start_in(array, channel, (number, bytes), &job.ops))
        })
    }

    fn start_in(
        &self,
        array: &Array,
        channel: ChannelId,
        (page, bytes): (u16, &[u8]),
        ops: &[PlacedOp],
    ) -> Option<InstructionSite> {
        let device = array.device();
        let pushes = |address: u32, words: usize| {
            (0..words as u32).any(|word| {
                let written = device.register_at(address.wrapping_add(4 * word));
                written.is_some_and(|(tile, register)| match register {
                    RegisterRef::DmaQueue {
                        dir,
                        channel: index,
                    } => (tile, dir, index) == (channel.tile, channel.dir, channel.index),
                    _ => false,
                })
            })
        };
        let found = ops.iter().find(|op| match op.op {
            RawOp::Write32 { address, .. } => pushes(address, 1),
            RawOp::UcDmaWriteDes { descriptor, .. } | RawOp::UcDmaWriteDesSync { descriptor } => {
                let at = HEADER_BYTES + usize::from(descriptor);
                let mut writes = chain_writes(bytes, at).into_iter();
                writes.any(|(address, words)| pushes(address, words))
            }
            _ => false,
        })?;
        Some(InstructionSite {
            uc: self.uc,
            page,
            offset: found.at as u16,
            mnemonic: found.op.info().mnemonic,
        })
    }
}
