//! `aie-ctrl-packet-infer-tiles`: each tile that a control packet goes to is declared and has a
//! controller id.

use aiec_aie::ir::{Attr, InsertPoint, Module, Op, Type};
use aiec_aie::ops::{ControlPacket, Device, OpView, Tile};
use aiec_diag::Reported;

use super::target;
use crate::flows::controller_ids::{self, ATTRIBUTE};
use crate::infra::pass::{PassContext, PassDef};

/// The pass.
pub static PASS: PassDef = PassDef::of_device("aie-ctrl-packet-infer-tiles", run)
    .summary("Declare the tiles that control packets go to, with their controller ids")
    .postconditions(&[
        "each address of an aiex.control_packet lies in a declared tile with a controller_id",
    ]);

fn run(module: &mut Module, device: Op, context: &mut PassContext<'_>) -> Result<(), Reported> {
    let Some(model) = Device(device).model(module) else {
        return Ok(());
    };
    for packet in module.find_all::<ControlPacket>(device) {
        let loc = match target(module, model, packet) {
            Ok(loc) => loc,
            Err(diag) => {
                context.report(*diag);
                continue;
            }
        };
        let tiles = module.children::<Tile>(device);
        let found = tiles.iter().find(|tile| tile.loc(module) == Some(loc));
        let tile = match (found, module.entry(device, 0)) {
            (Some(tile), _) => *tile,
            (None, Some(block)) => {
                // After the tiles that are there.
                let last = tiles.last().map(|tile| InsertPoint::After(tile.op()));
                let cause = module.derived_loc(context.pass, packet.op());
                let op = Tile::build(module, cause, loc.col, loc.row)
                    .result(Type::Index)
                    .insert(last.unwrap_or(InsertPoint::Start(block)));
                context.count("tiles", 1);
                Tile(op)
            }
            (None, None) => continue,
        };
        if module.attr(tile.op(), ATTRIBUTE).is_none()
            && let Some(id) = controller_ids::id_of(module, model, tile)
        {
            module.set_attr(tile.op(), ATTRIBUTE, Attr::Packet(id));
        }
    }
    context.diags.check()
}
