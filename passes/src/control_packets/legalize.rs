//! `aie-legalize-ctrl-packet`: control packets with more words than one can carry become several,
//! at consecutive addresses.

use aiec_aie::ir::{Attr, InsertPoint, Module, Op, ValueMap};
use aiec_aie::ops::{ControlPacket, OpView};
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
        let mut address = packet.address(module);
        for part in words.chunks(MAX_WORDS) {
            let before = InsertPoint::Before(packet.op());
            let piece = module.clone_op(packet.op(), &mut ValueMap::new(), before);
            module.set_loc(piece, loc);
            let data = part.iter().map(|word| *word as i32);
            module.set_attr(piece, "address", Attr::ui32(address));
            module.set_attr(piece, "data", Attr::i32_array(data));
            address = address.wrapping_add(WORD_BYTES * part.len() as u32);
            context.count("packets", 1);
        }
        module.erase(packet.op());
    }
    Ok(())
}
