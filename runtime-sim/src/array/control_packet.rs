//! Control packets: register accesses that arrive at a tile's TileControl master port.
//!
//! A packet is the stream header (unless the port drops it), a control header and the data, with
//! TLAST on its last word. The handler performs it on the tile's registers; a read sends a response
//! packet through the TileControl slave port. Control header: `[19:0]` offset in the tile,
//! `[21:20]` words - 1, `[23:22]` operation, `[28:24]` packet id of the response, `[31]` odd parity
//! (AM020; `mlir-aie: lib/Dialect/AIEX/Transforms/AIETxnToControlPacket.cpp`).
//!
//! Operation 2 is a write whose response is a header alone (mlir-aie calls it so; others read it
//! differently). Packets of one transfer, each with both headers, are performed one after the
//! other, except on AIE2, whose ports take one packet in a transfer (mlir-aie: AIECtrlPacketToDma).
//! Operation 3 has no agreed meaning and is refused. Tokens of the tile's DMA leave through the
//! same port.

use std::collections::VecDeque;

use aiec_device::{Arch, Bundle};

use super::Array;
use super::actor::ActorId;
use super::fault::FaultKind;
use super::hw_event::HwEvent;
use super::races::ThreadName;
use super::stream_switch::Route;
use super::stream_switch::packet::PacketHeader;
use super::token::Token;
use crate::race::Site;
use crate::time::{TICKS_PER_CYCLE, Tick, ticks};

/// Words of the longest packet: two headers and four data words.
const LONGEST: usize = 6;

/// The control header, decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Request {
    offset: u32,
    words: u32,
    operation: u32,
    answer_id: u8,
}

impl Request {
    fn from_word(word: u32) -> Request {
        Request {
            offset: word & 0xF_FFFF,
            words: (word >> 20 & 0x3) + 1,
            operation: word >> 22 & 0x3,
            answer_id: (word >> 24 & 0x1F) as u8,
        }
    }

    /// Data words after the header.
    fn data_words(self) -> usize {
        match self.operation {
            OPERATION_READ => 0,
            _ => self.words as usize,
        }
    }

    /// Whether a packet without its stream header has all its data words.
    fn is_whole(packet: &[u32]) -> bool {
        let header = packet.split_first();
        header.is_some_and(|(&word, data)| data.len() >= Request::from_word(word).data_words())
    }
}

/// The handler of one tile.
#[derive(Clone, Debug, Default)]
pub(crate) struct Handler {
    /// Words of the packet that is arriving.
    packet: Vec<u32>,
    /// It follows another one in the same transfer.
    follows: bool,
    /// Words of responses and tokens that wait for the stream.
    answer: VecDeque<Outgoing>,
    /// Tokens among them.
    tokens: usize,
    next: Tick,
    route: Route,
}

/// A word that leaves the tile.
#[derive(Clone, Copy, Debug)]
struct Outgoing {
    word: u32,
    last: bool,
    /// It is the last of a token.
    token: bool,
}

/// Tokens that a tile keeps until the stream takes them (xdna-emu: 8 or more).
const TOKEN_PLACES: usize = 8;

impl Handler {
    fn answer(&mut self, word: u32, last: bool, token: bool) {
        self.answer.push_back(Outgoing { word, last, token });
    }

    /// Queues a token after those that wait already.
    ///
    /// # Errors
    /// The token, if there is no place for it.
    pub fn queue_token(&mut self, token: Token) -> Result<(), Token> {
        if self.tokens >= TOKEN_PLACES {
            return Err(token);
        }
        self.tokens += 1;
        let head = [token.header(), token.word()];
        let words = head.into_iter().chain(token.counts);
        let words: Vec<u32> = words.collect();
        for (i, &word) in words.iter().enumerate() {
            let last = i + 1 == words.len();
            self.answer(word, last, last);
        }
        Ok(())
    }
}

impl Array {
    /// Takes control packets that have arrived, performs them and sends responses.
    pub(super) fn run_control(&mut self, tile: usize) {
        let me = ActorId::control_port(self.grid.loc(tile));
        let master = self.net.switches[tile].master(Bundle::TileControl, 0);
        let Some((pipe, drops)) = master.and_then(|m| Some((m.target?, m.drops_header()))) else {
            return;
        };
        let headless = drops == Some(true);
        let several = self.device.arch() != Arch::Aie2;
        loop {
            if !self.send_answers(tile) {
                return;
            }
            let Some(head) = self.net.fabric.take_word(pipe, me, self.now) else {
                return;
            };
            let (_, _, mut ctx) = self.split(tile, me);
            ctx.stamp_taken(pipe, 1);
            let handler = &mut self.control[tile];
            handler.packet.push(head.word);
            // the port drops the header of a transfer, not those of packets after the first
            let headers = usize::from(!headless || handler.follows).min(handler.packet.len());
            if head.last || several && Request::is_whole(&handler.packet[headers..]) {
                let packet = std::mem::take(&mut handler.packet);
                handler.follows = !head.last;
                self.act_as(Some((ThreadName::Actor(me), Site(0))));
                self.perform(tile, &packet[headers..]);
                self.act_as(None);
            } else if handler.packet.len() > LONGEST {
                handler.packet.pop();
            }
        }
    }

    /// Performs one packet without its stream header.
    fn perform(&mut self, tile: usize, packet: &[u32]) {
        let loc = self.grid.loc(tile);
        let Some((&header, data)) = packet.split_first() else {
            return;
        };
        let request = Request::from_word(header);
        let data_words = request.data_words();
        let (offset, words, operation) = (request.offset, request.words, request.operation);
        let problem = if header.count_ones().is_multiple_of(2) {
            Some("its parity is wrong".to_string())
        } else if operation > OPERATION_WRITE_ANSWER {
            Some(format!("operation {operation} is not simulated"))
        } else if data.len() != data_words {
            Some(format!(
                "it has {} data words, its header says {data_words}",
                data.len()
            ))
        } else {
            (0..words)
                .map(|i| offset + 4 * i)
                .find(|&at| self.decode_local(tile, at).is_none())
                .map(|at| format!("offset {at:#x} isn't a register or memory"))
        };
        if let Some(message) = problem {
            self.emit(tile, self.now, HwEvent::ControlPacketError);
            let kind = FaultKind::ControlPacket {
                tile: loc,
                header,
                message,
            };
            return self.log.fault(self.now, kind);
        }
        if operation != OPERATION_WRITE {
            let answer = PacketHeader::new(request.answer_id, 0, loc);
            let alone = operation == OPERATION_WRITE_ANSWER;
            self.control[tile].answer(answer.word(), alone, false);
        }
        for i in 0..words {
            let at = offset + 4 * i;
            let Some(register) = self.decode_local(tile, at) else {
                continue;
            };
            if let Some(&value) = data.get(i as usize) {
                self.write_register(tile, register, at, value);
            } else {
                let value = self.read_register(tile, register, at);
                self.control[tile].answer(value, i + 1 == words, false);
            }
        }
    }

    /// Sends the remaining words of responses. False if the stream is full.
    fn send_answers(&mut self, tile: usize) -> bool {
        let me = ActorId::control_port(self.grid.loc(tile));
        let Some(slave) = self.net.switches[tile].slave(Bundle::TileControl, 0) else {
            return true;
        };
        let start = slave.pipe;
        while let Some(&Outgoing { word, last, token }) = self.control[tile].answer.front() {
            let handler = &mut self.control[tile];
            let end = self.net.route(start, &mut handler.route);
            let Some(entry) = self.net.fabric.entry(end) else {
                self.net.fabric.sleep_for_space(end, me);
                return false;
            };
            let tick = entry.max(handler.next).max(ticks(self.now));
            self.net.fabric.push(end, me, tick, word, last);
            let (_, _, mut ctx) = self.split(tile, me);
            ctx.stamp_sent(end, 1);
            let handler = &mut self.control[tile];
            handler.next = tick + TICKS_PER_CYCLE;
            handler.answer.pop_front();
            if token {
                handler.tokens -= 1;
                // A channel may wait for the free place.
                for channel in &self.dma[tile].channels {
                    self.net.fabric.sched.wake(channel.actor());
                }
            }
        }
        true
    }
}

/// Operation codes of the control header.
const OPERATION_WRITE: u32 = 0;
const OPERATION_READ: u32 = 1;
const OPERATION_WRITE_ANSWER: u32 = 2;
