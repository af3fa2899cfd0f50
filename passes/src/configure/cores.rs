//! Cores: held in reset while everything is set up, loaded, and released at the end.

use aiec_aie::ops::{Core, OpView};
use aiec_device::TileLoc;
use aiec_device::regmap::{CoreControl, RegisterRef};

use super::{MemoryByte, Writer};
use crate::analysis::core_elf::{self, Memory};
use crate::regops::RegOp;

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
pub(super) fn assert_reset(writer: &mut Writer<'_>, cores: &[PlacedCore]) {
    let in_reset = CoreControl::IN_RESET;
    for (loc, core) in cores {
        writer.write(*loc, RegisterRef::CoreControl, in_reset.pack(), core.op());
    }
}

/// Loads their programs and the data that these expect: compiled bodies, or the machine code of
/// their files.
pub(super) fn programs(writer: &mut Writer<'_>, cores: &[PlacedCore]) {
    let program_byte: MemoryByte = |byte| RegisterRef::ProgramMemory { byte };
    let data_byte: MemoryByte = |byte| RegisterRef::DataMemory { byte };
    for &(loc, core) in cores {
        match core_elf::segments(writer.module, writer.model, core) {
            None => compiled(writer, loc, core),
            Some(Ok(segments)) => {
                for segment in &segments {
                    let memory = match segment.memory {
                        Memory::Program => (loc, program_byte),
                        Memory::Data(tile) => (tile, data_byte),
                    };
                    writer.bytes(memory, segment.offset, &segment.bytes, core.op());
                }
            }
            Some(Err(diag)) => writer.diags.push(diag),
        }
    }
}

/// The program of a core with a body.
fn compiled(writer: &mut Writer<'_>, loc: TileLoc, core: Core) {
    let programs = &mut writer.programs;
    let Ok(code) = programs.lower(writer.module, core.op(), writer.diags) else {
        return;
    };
    let mut contents = vec![(RegisterRef::ProgramMemory { byte: 0 }, code.words.clone())];
    for segment in &code.data {
        let byte = segment.offset;
        contents.push((RegisterRef::DataMemory { byte }, segment.words()));
    }
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
