//! `aie-legalize-ctrl-packet`: control packets with more words than one can carry become several,
//! at consecutive addresses.

use aiec_aie::ir::{Attr, InsertPoint, Module, Op};
use aiec_aie::ops::{ControlPacket, OpKind, OpView};
use aiec_diag::Reported;

use super::MAX_WORDS;
use crate::infra::pass::{PassContext, PassDef};

/// The pass.
pub static PASS: PassDef = PassDef::of_device("aie-legalize-ctrl-packet", run)
    .summary("Cut control packets to the words that one can carry")
    .postconditions(&["no aiex.control_packet has more than four words"]);

const WORD_BYTES: u32 = 4;

fn run(module: &mut Module, device: Op, context: &mut PassContext<'_>) -> Result<(), Reported> {
    for packet in module.find_all::<ControlPacket>(device) {
        let Some(words) = packet.data(module).filter(|words| words.len() > MAX_WORDS) else {
            continue;
        };
        let loc = module.derived_loc(context.pass, packet.op());
        let attrs: Vec<(String, Attr)> = module
            .attrs(packet.op())
            .map(|(key, value)| (key.to_string(), value.clone()))
            .collect();
        let mut address = packet.address(module);
        for part in words.chunks(MAX_WORDS) {
            let mut piece = module.build(OpKind::ControlPacket, loc);
            for (key, value) in &attrs {
                piece = piece.attr(key, value.clone());
            }
            let data = part.iter().map(|word| *word as i32);
            piece
                .attr("address", Attr::ui32(address))
                .attr("data", Attr::i32_array(data))
                .insert(InsertPoint::Before(packet.op()));
            address = address.wrapping_add(WORD_BYTES * part.len() as u32);
            context.count("packets", 1);
        }
        module.erase(packet.op());
    }
    Ok(())
}
