//! Stream switches, shim multiplexers and cascade directions.

use std::collections::BTreeMap;

use aiec_aie::ir::{Attr, Op};
use aiec_aie::ops::netlist::tile_loc;
use aiec_aie::ops::{ConfigureCascade, Connect, OpView, ShimMux, Switchbox};
use aiec_device::regmap::{
    CascadeControl, RegisterRef, SwitchMaster, SwitchSlave, SwitchSlot, mux_word,
};
use aiec_device::switch::{MuxDir, MuxInput, PortSide};
use aiec_device::{Bundle, Port, TileLoc};
use aiec_diag::Diag;

use super::{BAD_SWITCH, Writer};
use crate::analysis::switches::{Connection, PacketMaster, PacketSlave, Switch};
use crate::regops::RegOp;

/// Settings of the ports of one switch.
type SwitchState = BTreeMap<Port, PortState>;

/// Settings of the output and the input of one name.
#[derive(Default)]
struct PortState {
    master: Option<(SwitchMaster, Op)>,
    slave: Option<(SwitchSlave, Op)>,
    slots: Vec<(SwitchSlot, Op)>,
}

/// Connects the streams of a switch: outputs before the inputs that feed them.
pub(super) fn connect(writer: &mut Writer<'_>, switchbox: Switchbox) {
    let Some(loc) = switchbox.tile_loc(writer.module) else {
        return;
    };
    let state = read_switch(writer, loc, switchbox);
    for (&port, PortState { master, .. }) in &state {
        if let Some((master, op)) = master {
            writer.write(loc, RegisterRef::MasterConfig { port }, master.pack(), *op);
        }
    }
    for (&port, PortState { slave, .. }) in &state {
        if let Some((slave, op)) = slave {
            writer.write(loc, RegisterRef::SlaveConfig { port }, slave.pack(), *op);
        }
    }
    for (&port, PortState { slots, .. }) in &state {
        for (at, (slot, op)) in slots.iter().enumerate() {
            let at = u8::try_from(at).unwrap_or(u8::MAX);
            let what = RegisterRef::SlaveSlot { port, slot: at };
            writer.write(loc, what, slot.pack(), *op);
        }
    }
}

fn read_switch(writer: &mut Writer<'_>, loc: TileLoc, switchbox: Switchbox) -> SwitchState {
    let mut switch = Switch::default();
    switch.add(writer.module, switchbox.op());
    let mut state = SwitchState::default();
    for Connection { from, to, op } in switch.connections {
        let Some(slave) = writer.model.port_index(loc, PortSide::Slave, from) else {
            // Writing the slave's register reports that there is none.
            let what = RegisterRef::SlaveConfig { port: from };
            let _ = writer.address(loc, what, op);
            continue;
        };
        let master = SwitchMaster::Circuit { slave };
        let output = &mut state.entry(to).or_default().master;
        set_port(writer, output, ("output", to), master, op);
        let input = &mut state.entry(from).or_default().slave;
        set_port(writer, input, ("input", from), SwitchSlave::Circuit, op);
    }
    for set in switch.masters {
        if let Some(master) = packet_master(writer, loc, &set) {
            let output = &mut state.entry(set.port).or_default().master;
            set_port(writer, output, ("output", set.port), master, set.op);
        }
    }
    for PacketSlave { port, rules, op } in switch.slaves {
        let PortState { slave, slots, .. } = state.entry(port).or_default();
        set_port(writer, slave, ("input", port), SwitchSlave::Packet, op);
        for rule in rules {
            let (arbiter, msel) = rule.amsel;
            let slot = SwitchSlot {
                enable: true,
                id: rule.value,
                mask: rule.mask,
                msel,
                arbiter,
            };
            slots.push((slot, rule.op));
        }
    }
    state
}

fn packet_master(
    writer: &mut Writer<'_>,
    loc: TileLoc,
    set: &PacketMaster,
) -> Option<SwitchMaster> {
    let (module, port) = (writer.module, set.port);
    let arbiter = set.amsels.first()?.0;
    if set.amsels.len() < module.num_operands(set.op) {
        return None;
    }
    if set.amsels.iter().any(|(other, _)| *other != arbiter) {
        let message = format!("output {port} of tile {loc} listens to two arbiters");
        let help = "a switch output takes packets from the selects of one arbiter";
        writer.refuse(&BAD_SWITCH, message, (set.op, "this output"), help);
        return None;
    }
    let bit = |msel: u8| 1u8.checked_shl(msel.into()).unwrap_or(0);
    // DMAs don't want the header. A shim's South outputs lead to its DMA
    // (mlir-aie: lib/Targets/AIERT.cpp).
    let to_dma = port.bundle == Bundle::Dma || (loc.row == 0 && port.bundle == Bundle::South);
    Some(SwitchMaster::Packet {
        arbiter,
        msels: set.amsels.iter().fold(0, |all, (_, msel)| all | bit(*msel)),
        drop_header: !set.keep_header.unwrap_or(!to_dma),
    })
}

/// Sets up a port, an input or output; that it is set up in another way already is refused.
fn set_port<Setting: Copy + PartialEq>(
    writer: &mut Writer<'_>,
    state: &mut Option<(Setting, Op)>,
    (side, port): (&str, Port),
    setting: Setting,
    op: Op,
) {
    if let Some((before, first)) = state.replace((setting, op))
        && before != setting
    {
        let message = format!("stream {side} {port} is set up in two ways");
        writer.diags.push(
            Diag::error(&BAD_SWITCH, message)
                .label(writer.module.span(op), "here")
                .label(writer.module.span(first), "and here")
                .help("remove one of them, or use another port"),
        );
    }
}

/// Switches the shim multiplexers.
pub(super) fn muxes(writer: &mut Writer<'_>) {
    let module = writer.module;
    for mux in module.children::<ShimMux>(writer.device) {
        let Some(loc) = mux.tile_loc(module) else {
            continue;
        };
        // Address, mask and value of the multiplexer in each direction.
        let mut words: [Option<(u32, u32, u32)>; 2] = [None; 2];
        for connect in module.children::<Connect>(mux.op()) {
            let Some((from, to)) = connect.ports(module) else {
                continue;
            };
            let (dir, south, outer) = match from.bundle {
                Bundle::North => (MuxDir::Out, from.channel, to),
                _ => (MuxDir::In, to.channel, from),
            };
            let input = match outer.bundle {
                Bundle::Dma => MuxInput::Dma,
                Bundle::Noc => MuxInput::Noc,
                _ => MuxInput::Pl,
            };
            let legal = writer.model.arch().legal_mux_connection(from, to);
            let word = mux_word(writer.model.arch(), dir, south, input).filter(|_| legal);
            let Some((what, value, mask)) = word else {
                // Ports that are always programmable logic have no field.
                if !legal || input != MuxInput::Pl {
                    let message =
                        format!("the shim mux of tile {loc} can't connect {from} to {to}");
                    let help = "`aiec devices NAME` lists the wires of the shim mux";
                    let place = (connect.op(), "this connection");
                    writer.refuse(&BAD_SWITCH, message, place, help);
                }
                continue;
            };
            if let Some(address) = writer.address(loc, what, connect.op()) {
                let (_, bits, old) = words[dir as usize].unwrap_or_default();
                words[dir as usize] = Some((address, bits | mask, (old & !mask) | value));
            }
        }
        let at = writer.loc(mux.op());
        for (address, mask, value) in words.into_iter().flatten() {
            writer.ops.push(RegOp::mask(address, mask, value, at));
        }
    }
}

/// Sets the sides of the cascade ports.
pub(super) fn cascades(writer: &mut Writer<'_>) {
    let module = writer.module;
    for cascade in module.children::<ConfigureCascade>(writer.device) {
        let loc = cascade.tile(module).and_then(|tile| tile_loc(module, tile));
        let Some(loc) = loc else { continue };
        let side = |key| {
            let value = module.attr(cascade.op(), key).and_then(Attr::as_int);
            value.and_then(Bundle::by_value)
        };
        let word = CascadeControl {
            from_west: side("inputDir") == Some(Bundle::West),
            to_east: side("outputDir") == Some(Bundle::East),
        };
        writer.write(loc, RegisterRef::CascadeControl, word.pack(), cascade.op());
    }
}
