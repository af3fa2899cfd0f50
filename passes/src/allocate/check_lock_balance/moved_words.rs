//! Words that a runtime sequence moves through each channel.

use std::collections::BTreeMap;

use aiec_aie::ir::{Module, Op};
use aiec_device::{ChannelId, DeviceModel};

use crate::analysis::host_transfers::{HostStep, HostTransfer, host_steps};

/// Words that a sequence moves through a channel.
#[derive(Clone, Debug, Default)]
pub(super) struct MovedWords {
    /// 32-bit words.
    pub words: u64,
    /// Name of the channel in the sequence, if it has one.
    pub name: Option<String>,
    /// The operations that start transfers, or configure the tasks that are started.
    pub transfers: Vec<Op>,
}

/// The channels that a sequence uses; `None`: how many words isn't known.
pub(super) type WordsOfChannels = BTreeMap<ChannelId, Option<MovedWords>>;

/// Counts the words of the device's only sequence; `None`: channels may be used that aren't known.
pub(super) fn moved_words(
    module: &Module,
    device: Op,
    model: &DeviceModel,
) -> Option<WordsOfChannels> {
    let mut moved = WordsOfChannels::new();
    count(&host_steps(module, device, model)?, Some(1), &mut moved);
    Some(moved)
}

/// Counts steps that are done `times` times, if that is known.
fn count(steps: &[HostStep], times: Option<u64>, moved: &mut WordsOfChannels) {
    for step in steps {
        match step {
            HostStep::Start(transfer) => add(transfer, times, moved),
            HostStep::Wait(_) => {}
            HostStep::Repeat(trips, steps) => {
                let times = times
                    .zip(*trips)
                    .and_then(|(times, trips)| times.checked_mul(trips));
                count(steps, times, moved);
            }
        }
    }
}

fn add(transfer: &HostTransfer, times: Option<u64>, moved: &mut WordsOfChannels) {
    let more = transfer
        .words
        .zip(times)
        .and_then(|(words, times)| words.checked_mul(times));
    let all = moved
        .entry(transfer.channel)
        .or_insert_with(|| Some(MovedWords::default()));
    let sum = |all: MovedWords| {
        let mut transfers = all.transfers;
        transfers.push(transfer.op);
        Some(MovedWords {
            words: all.words.checked_add(more?)?,
            name: all.name.or_else(|| transfer.name.clone()),
            transfers,
        })
    };
    *all = all.take().and_then(sum);
}
