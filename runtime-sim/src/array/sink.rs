//! Where token packets end: the Controller32 port of a shim, or South 0 of an NPU's shim.
//!
//! Words that arrive there are put together to packets. A token reaches the column's
//! micro-controller; other packets (responses to control packets) are taken and dropped, as CERT
//! has no operation that reads them.

use aiec_device::Bundle;

use super::Array;
use super::actor::ActorId;
use super::pipe::PipeId;
use super::token::Token;

/// The packet that is arriving.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sink {
    words: Vec<u32>,
}

impl Array {
    /// Takes the words that have arrived.
    pub(super) fn run_sink(&mut self, tile: usize) {
        let ports = [(Bundle::Controller32, 0), (Bundle::South, 0)];
        for (bundle, channel) in ports {
            let master = self.net.switches[tile].master(bundle, channel);
            let me = ActorId::token_sink(self.grid.loc(tile));
            if let Some(pipe) = master.and_then(|master| master.target)
                && self.net.fabric.pipe(pipe).reader == Some(me)
            {
                self.drain(tile, pipe, me);
            }
        }
    }

    fn drain(&mut self, tile: usize, pipe: PipeId, me: ActorId) {
        while let Some(head) = self.net.fabric.take_word(pipe, me, self.now) {
            let fabric = &mut self.net.fabric;
            let taken = fabric.pipe(pipe).popped;
            if let Some(stamps) = &mut fabric.stamps {
                stamps.drop_before(pipe.0 as usize, taken);
            }
            self.sinks[tile].words.push(head.word);
            if !head.last {
                continue;
            }
            let words = std::mem::take(&mut self.sinks[tile].words);
            if let Some(token) = Token::from_packet(&words, self.now) {
                let column = self.grid.loc(tile).col;
                let packets = &mut self.net.fabric.token_packets;
                *packets = packets.saturating_sub(1);
                self.deliver_token(column, token);
            }
        }
    }
}
