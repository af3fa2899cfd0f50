//! Cores: held in reset while everything is set up, loaded, and released at the end.

use aiec_aie::ops::{Core, OpView};
use aiec_device::TileLoc;
use aiec_device::regmap::{CoreControl, RegisterRef};

use super::{MemoryByte, Writer};
use crate::analysis::core_elf::{self, Memory};
use crate::analysis::register_ops::RegOp;

/// A core with its tile.
pub(super) type PlacedCore = (TileLoc, Core);

/// The cores of the device in textual order.
pub(super) fn find(writer: &mut Writer<'_>) -> Vec<PlacedCore> {
    let cores = writer.module.children::<Core>(writer.device).into_iter();
    cores
        .filter_map(|core| Some((core.tile_loc(writer.module)?, core)))
        .collect()
}

/// Puts the cores into reset.
pub(super) fn hold(writer: &mut Writer<'_>, cores: &[PlacedCore]) {
    let in_reset = CoreControl::IN_RESET;
    for (loc, core) in cores {
        writer.write(*loc, RegisterRef::CoreControl, in_reset.pack(), core.op());
    }
}

/// Loads their programs and the data that these expect: compiled bodies, or the machine code of
/// their files.
pub(super) fn programs(writer: &mut Writer<'_>, cores: &[PlacedCore]) {
    for (loc, core) in cores {
        let core = *core;
        let machine_code = core_elf::segments(writer.module, writer.model, core);
        let Some(machine_code) = machine_code else {
            compiled(writer, *loc, core);
            continue;
        };
        match machine_code {
            Ok(segments) => {
                for segment in &segments {
                    let (tile, byte) = match segment.memory {
                        Memory::Program => (*loc, program_byte as MemoryByte),
                        Memory::Data(tile) => (tile, data_byte as MemoryByte),
                    };
                    writer.bytes((tile, byte), segment.offset, &segment.bytes, core.op());
                }
            }
            Err(diag) => writer.diags.push(diag),
        }
    }
}

fn program_byte(byte: u32) -> RegisterRef {
    RegisterRef::ProgramMemory { byte }
}

fn data_byte(byte: u32) -> RegisterRef {
    RegisterRef::DataMemory { byte }
}

/// The program of a core with a body.
fn compiled(writer: &mut Writer<'_>, loc: TileLoc, core: Core) {
    let code = writer
        .programs
        .lower(writer.module, core.op(), writer.diags);
    let Ok(code) = code else {
        return;
    };
    let program = (RegisterRef::ProgramMemory { byte: 0 }, code.words.clone());
    let data = code.data.iter().map(|segment| {
        let start = RegisterRef::DataMemory {
            byte: segment.offset,
        };
        (start, segment.words())
    });
    let contents: Vec<_> = std::iter::once(program).chain(data).collect();
    for (start, words) in contents {
        if let Some(address) = writer.address(loc, start, core.op()) {
            let at = writer.loc(core.op());
            writer.ops.push(RegOp::block(address, words, at));
        }
    }
}

/// Lets them run.
pub(super) fn release(writer: &mut Writer<'_>, cores: &[PlacedCore]) {
    let running = CoreControl {
        enable: true,
        reset: false,
    };
    for (loc, core) in cores {
        writer.write(*loc, RegisterRef::CoreControl, running.pack(), core.op());
    }
}
