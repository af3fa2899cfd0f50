//! Counters over time: values of locks, which for the consumer's lock of an object fifo are its filled objects, and the
//! bytes that each DMA channel moves.

use std::collections::BTreeMap;

use aiec_device::ChannelId;
use rustc_hash::FxHashMap;

use super::Sample;
use crate::time::Cycle;

/// Cycles whose bytes are one sample of a rate: some ten bursts of a channel.
pub const RATE_WINDOW: Cycle = 64;

/// Bytes of a window.
#[derive(Clone, Copy, Debug)]
struct Window {
    number: Cycle,
    bytes: u64,
}

impl Window {
    fn sample(self) -> Sample {
        Sample {
            at: self.number * RATE_WINDOW,
            value: self.bytes,
        }
    }

    /// The sample after the window, if nothing follows it there.
    fn rest(self) -> Sample {
        Sample {
            at: (self.number + 1) * RATE_WINDOW,
            value: 0,
        }
    }
}

/// The windows that channels move words in.
#[derive(Debug, Default)]
pub(super) struct ByteRates {
    open: FxHashMap<ChannelId, Window>,
}

impl ByteRates {
    /// A channel moves bytes at a cycle, which is not before those of its earlier calls; the samples that this ends.
    pub fn add(
        &mut self,
        channel: ChannelId,
        at: Cycle,
        bytes: u64,
    ) -> impl Iterator<Item = Sample> + use<> {
        let number = at / RATE_WINDOW;
        let begun = Window { number, bytes: 0 };
        let open = self.open.entry(channel).or_insert(begun);
        let before = (number > open.number).then(|| std::mem::replace(open, begun));
        open.bytes += bytes;
        let rest = before.filter(|before| number > before.number + 1);
        let before = before.into_iter().map(Window::sample);
        before.chain(rest.map(Window::rest))
    }

    /// The last samples of each channel, in the order of channels.
    pub fn finish(&mut self) -> Vec<(ChannelId, [Sample; 2])> {
        let open: BTreeMap<_, _> = self.open.drain().collect();
        open.into_iter()
            .map(|(channel, window)| (channel, [window.sample(), window.rest()]))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use aiec_device::{DmaDir, TileLoc};

    #[test]
    fn windows_have_their_bytes_and_pauses_have_none() {
        let channel = ChannelId::new(TileLoc::new(0, 1), DmaDir::S2mm, 0);
        let mut rates = ByteRates::default();
        let mut samples = Vec::new();
        for (at, bytes) in [(3, 4), (63, 8), (64, 16), (300, 4)] {
            samples.extend(rates.add(channel, at, bytes));
        }
        for (_, last) in rates.finish() {
            samples.extend(last);
        }
        let samples: Vec<_> = samples.iter().map(|s| (s.at, s.value)).collect();
        assert_eq!(samples, [(0, 12), (64, 16), (128, 0), (256, 4), (320, 0)]);
    }
}
