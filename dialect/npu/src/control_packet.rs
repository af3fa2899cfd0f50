//! Control packets: stream data that write or read registers of the tile that they are routed to
//! (AM020, AM027: control packets; mlir-aie: `AIETargetNPU.cpp`).
//!
//! A packet is a stream header, a control header, and up to four data words. Which tile is meant
//! follows from the packet id in the stream header.

use std::fmt::Write;

use aiec_diag::Diag;

use crate::bytes::Bytes;
use crate::codes::CONTROL_PACKET_MALFORMED;

/// Operation of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PacketOperation {
    /// Writes consecutive registers.
    Write,
    /// Reads consecutive registers.
    Read,
    /// Writes all words to one register.
    BlockWrite,
}

/// A control packet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ControlPacket {
    /// Packet type of the stream header (3 bits).
    pub packet_type: u8,
    /// Packet id of the stream header (5 bits).
    pub packet_id: u8,
    /// Offset of the first register in the tile (20 bits).
    pub offset: u32,
    /// Number of words, 1 to 4.
    pub beats: u8,
    /// Action.
    pub operation: PacketOperation,
    /// Stream id of the answer (7 bits).
    pub response_id: u8,
    /// The words that are written.
    pub data: Vec<u32>,
}

const OPERATIONS: [PacketOperation; 3] = [
    PacketOperation::Write,
    PacketOperation::Read,
    PacketOperation::BlockWrite,
];

/// Sets bit 31 so that the word holds an odd number of ones.
fn with_odd_parity(word: u32) -> u32 {
    let low = word & 0x7FFF_FFFF;
    low | u32::from(low.count_ones().is_multiple_of(2)) << 31
}

impl ControlPacket {
    /// The words on the stream.
    pub fn words(&self) -> Vec<u32> {
        let operation = OPERATIONS.iter().position(|o| *o == self.operation);
        let stream = u32::from(self.packet_type) << 12 | u32::from(self.packet_id);
        let control = self.offset & 0xF_FFFF
            | u32::from(self.beats.wrapping_sub(1) & 3) << 20
            | (operation.unwrap_or(0) as u32) << 22
            | u32::from(self.response_id & 0x7F) << 24;
        let mut words = vec![with_odd_parity(stream), with_odd_parity(control)];
        words.extend(&self.data);
        words
    }
}

/// Reads the packets of a file.
///
/// # Errors
/// The first place at which the bytes aren't a control packet.
pub fn read(all: &[u8]) -> Result<Vec<ControlPacket>, Diag> {
    let bytes = Bytes::new(all, &CONTROL_PACKET_MALFORMED);
    let mut at = 0;
    let mut packets = Vec::new();
    while at < all.len() {
        // zeros that fill up to the next packet: no header, as their number of ones is even
        if bytes.u32(at)? == 0 {
            at += 4;
            continue;
        }
        let (stream, control) = (bytes.u32(at)?, bytes.u32(at + 4)?);
        for (word, place) in [(stream, at), (control, at + 4)] {
            if word != with_odd_parity(word) {
                let why = format!("the header 0x{word:08X} has an even number of ones");
                return Err(bytes.malformed(place, why));
            }
        }
        let number = (control >> 22 & 3) as usize;
        let Some(&operation) = OPERATIONS.get(number) else {
            return Err(bytes.malformed(at + 4, "operation 3 is none of a control packet"));
        };
        let beats = (control >> 20 & 3) as u8 + 1;
        let data = match operation {
            PacketOperation::Read => Vec::new(),
            _ => bytes.words(at + 8, 4 * usize::from(beats))?,
        };
        at += 8 + 4 * data.len();
        packets.push(ControlPacket {
            packet_type: (stream >> 12 & 7) as u8,
            packet_id: (stream & 0x1F) as u8,
            offset: control & 0xF_FFFF,
            beats,
            operation,
            response_id: (control >> 24 & 0x7F) as u8,
            data,
        });
    }
    Ok(packets)
}

/// The listing of packets, one a line.
pub fn print(packets: &[ControlPacket]) -> String {
    let mut out = String::new();
    for packet in packets {
        let name = match packet.operation {
            PacketOperation::Write => "WRITE",
            PacketOperation::Read => "READ",
            PacketOperation::BlockWrite => "BLOCKWRITE",
        };
        let _ = write!(
            out,
            "packet id {} type {}  {name:10} {:05x} [{}]",
            packet.packet_id, packet.packet_type, packet.offset, packet.beats
        );
        for word in &packet.data {
            let _ = write!(out, " {word:08x}");
        }
        if packet.operation == PacketOperation::Read {
            let _ = write!(out, " answers as {}", packet.response_id);
        }
        out.push('\n');
    }
    out
}
