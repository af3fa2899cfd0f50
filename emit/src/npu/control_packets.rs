//! The control packets of a runtime sequence as a host buffer holds them (mlir-aie: `aie-translate
//! --aie-ctrlpkt-to-bin`): what the transfers of `aie-ctrl-packet-to-dma` stream.

use aiec_aie::ir::{Attr, Module};
use aiec_aie::ops::{ControlPacket, Device, OpView, Tile};
use aiec_diag::{Diag, Diags, Reported};
use aiec_npu::control_packet::{self, PacketOperation};

use super::{CONTROL_PACKET, NpuOptions, chosen, firmware_model};

/// Most words of a packet (AM020: two bits for their number).
const MAX_WORDS: usize = 4;

/// The packets of the sequence that the choice means, one after the other.
///
/// # Errors
/// There are none, or a packet can't be encoded.
pub fn control_packets(
    module: &Module,
    choice: &NpuOptions,
    diags: &mut Diags,
) -> Result<Vec<u8>, Reported> {
    let (device, sequence) = chosen(module, choice, diags)?;
    firmware_model(module, device, diags)?;
    let packets = module.find_all::<ControlPacket>(sequence.op());
    if packets.is_empty() {
        let diag = Diag::error(&CONTROL_PACKET, "the sequence holds no control packets")
            .label(module.span(sequence.op()), "this sequence")
            .help(
                "write `aiex.control_packet` operations, or let `aiec opt --aie-txn-to-ctrl-packet` make \
                 them, and emit before `--aie-ctrl-packet-to-dma` takes them away",
            );
        return Err(diags.fail(diag));
    }
    let mut bytes = Vec::new();
    for packet in packets {
        match words(module, device, packet) {
            Ok(words) => bytes.extend(aiec_npu::word_bytes(&words)),
            Err((message, help)) => {
                let diag = Diag::error(&CONTROL_PACKET, message);
                diags.push(diag.label(module.span(packet.op()), "here").help(help));
            }
        }
    }
    diags.check()?;
    Ok(bytes)
}

/// The words of a packet; else what is wrong, and a way out.
fn words(
    module: &Module,
    device: Device,
    packet: ControlPacket,
) -> Result<Vec<u32>, (String, &'static str)> {
    let address = packet.address(module);
    let model = device.model(module);
    let (tile, offset) = match model.map(|model| model.split_address(address)) {
        Some((tile, offset)) if model.is_some_and(|model| model.contains(tile)) => (tile, offset),
        _ => {
            let message = format!("address {address:#x} lies in no tile of the device");
            return Err((message, "addresses are column << 25 | row << 20 | offset"));
        }
    };
    let mut tiles = module.children::<Tile>(device.op()).into_iter();
    let tile_op = tiles.find(|op| op.loc(module) == Some(tile));
    let written = match tile_op.and_then(|op| module.attr(op.op(), "controller_id")) {
        Some(Attr::Packet(id)) => Some((id.pkt_type, id.pkt_id)),
        _ => None,
    };
    let usual = || Some((0, i64::from(model?.controller_id(tile)?)));
    let id = written.or_else(usual).and_then(|(kind, id)| {
        Some((
            u8::try_from(kind).ok()?,
            u8::try_from(id).ok().filter(|id| *id < 32)?,
        ))
    });
    let Some((packet_type, packet_id)) = id else {
        let message = format!("tile {tile} has no controller id by which packets find it");
        return Err((message, "let `--aie-ctrl-packet-infer-tiles` give it one"));
    };
    let operation = match packet.opcode(module) {
        0 => PacketOperation::Write,
        1 => PacketOperation::Read,
        2 => PacketOperation::BlockWrite,
        other => {
            let message = format!("opcode {other} is none of a control packet");
            return Err((message, "0 writes, 1 reads, 2 writes a block"));
        }
    };
    let data = packet.data(module).unwrap_or_default();
    let count = match operation {
        PacketOperation::Read => packet.length(module).and_then(|n| usize::try_from(n).ok()),
        _ => Some(data.len()),
    };
    let beats = count.filter(|count| (1..=MAX_WORDS).contains(count));
    let Some(beats) = beats else {
        let message = format!("a control packet has one to {MAX_WORDS} words");
        return Err((
            message,
            "`aiec opt --aie-legalize-ctrl-packet` cuts longer ones",
        ));
    };
    let response_id = u8::try_from(packet.stream_id(module))
        .ok()
        .filter(|id| *id < 0x80);
    let Some(response_id) = response_id else {
        return Err(("the stream id has 7 bits".to_string(), "write 0 to 127"));
    };
    let packet = control_packet::ControlPacket {
        packet_type,
        packet_id,
        offset,
        beats: beats as u8,
        operation,
        response_id,
        data: match operation {
            PacketOperation::Read => Vec::new(),
            _ => data.iter().map(|word| *word as u32).collect(),
        },
    };
    Ok(packet.words())
}
