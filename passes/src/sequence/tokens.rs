//! Counts the tokens that are sent and awaited, so that a wait that never ends is found early.

use aiec_aie::ir::{Module, Op};
use aiec_aie::ops::netlist::dma_channels;
use aiec_device::{ChannelId, DeviceModel, DmaDir};
use aiec_diag::Diag;
use rustc_hash::FxHashMap;

use super::codes::*;
use super::queues::queue_entry;
use super::{Lowering, LoweringResult, channel_name};
use crate::analysis::budget::{dma_containers, tile_of_op};

/// Tokens sent and not yet awaited, by channel.
#[derive(Default)]
pub(super) struct TokenCounts {
    pending: FxHashMap<ChannelId, u64>,
    /// Whether tokens may be sent that aren't counted.
    open: bool,
}

impl TokenCounts {
    /// Tokens may be sent that nothing here counts.
    pub(super) fn leave_open(&mut self) {
        self.open = true;
    }

    /// Counts the tokens of shim DMA programs: their S2MM channels send them.
    pub(super) fn add_static(&mut self, module: &Module, device: Op) {
        for container in dma_containers(module, device) {
            let Some(tile) = tile_of_op(module, container).filter(|tile| tile.row == 0) else {
                continue;
            };
            for channel in dma_channels(module, container) {
                if channel.dir == DmaDir::S2mm {
                    let channel = ChannelId::new(tile, channel.dir, channel.channel);
                    *self.pending.entry(channel).or_default() += 1;
                }
            }
        }
    }

    /// Counts a push with a token, in whatever form it is written.
    pub(super) fn note_write(&mut self, model: &'static DeviceModel, address: u32, value: u32) {
        if let Some((channel, entry)) = queue_entry(model, address, value)
            && entry.token
        {
            *self.pending.entry(channel).or_default() += 1;
        }
    }
}

impl Lowering<'_> {
    /// Takes a token that a wait will take. If there is none: an error for waits whose channel is
    /// known by name or task, else a warning, as others may push to a channel too.
    pub(super) fn need_token(
        &mut self,
        channel: ChannelId,
        op: Op,
        certain: bool,
    ) -> LoweringResult {
        let pending = self.tokens.pending.entry(channel).or_default();
        if *pending > 0 {
            *pending -= 1;
            return Ok(());
        }
        if self.tokens.open {
            return Ok(());
        }
        let name = channel_name(channel);
        let message = format!("nothing sends the token that this waits for, from {name}");
        let help = match channel.dir {
            DmaDir::Mm2s => "give the transfer `issue_token = true`, or remove the wait",
            DmaDir::S2mm => "start a transfer on that channel before, or remove the wait",
        };
        if certain {
            return self.refuse(op, Diag::error(&NO_TOKEN, message).help(help));
        }
        if self.reported.insert(op) {
            let diag = Diag::warning(&NO_TOKEN, message).help(help);
            self.diags.push(diag.label(self.module.span(op), "here"));
        }
        Ok(())
    }
}
