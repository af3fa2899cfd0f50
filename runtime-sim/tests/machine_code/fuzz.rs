//! Any instruction that decodes executes or is refused by name and place, with whatever registers.

use std::sync::Arc;

use aiec_core::{Bundle, CoreArch, CoreIsa, Instruction, Slot, SlotInstruction, SlotSet};
use aiec_sim::core::CoreStop;
use aiec_sim::core::isa::MachineCodeCore;

use aiec_sim::core::CASCADE_WORDS;

use crate::support::{OWN, Tile, code};

/// Instructions drawn from each row of a table, without [`SIZE`].
const DRAWS: usize = 2;
/// The variable that gives another number.
const SIZE: &str = "AIEC_TEST_SIZE";
/// Most bundles of a program.
const BUDGET: u64 = 2_000;

/// Random registers: pointers into the own memory, configuration words among the general ones.
fn prelude(arch: CoreArch, random: &mut fastrand::Rng) -> Vec<u8> {
    let mut text = String::new();
    for number in 0..8 {
        let address = OWN + 0x8000 + 64 * random.u32(..16);
        text += &format!("movxm p{number}, #{address}\n");
        text += &format!("movxm m{number}, #{}\n", 64 * random.u32(..8));
    }
    text += &format!("movxm sp, #{}\n", OWN + 0xC000);
    for number in 0..32 {
        let word = match random.u8(..4) {
            0 => random.u32(..),
            1 => random.u32(..128),
            _ => random.u32(..0x400) & !1 | random.u32(..4) << 24,
        };
        text += &format!("movxm r{number}, #{}\n", word as i32);
    }
    code(arch, &text)
}

/// The bundle of one instruction.
fn bundle_of(isa: &CoreIsa, slot: Slot, instruction: SlotInstruction) -> Option<Vec<u8>> {
    let format = isa.exact_format(SlotSet::default().with(slot))?;
    let bundle = Bundle {
        format: format as u16,
        length: isa.formats[format].bytes,
        slots: [(slot, instruction)].into_iter().collect(),
    };
    Some(isa.encode(&bundle).ok()?.to_vec())
}

/// An instruction of a row with random fields.
fn drawn(isa: &CoreIsa, row: &Instruction, random: &mut fastrand::Rng) -> Option<SlotInstruction> {
    let slot_bits = (1 << isa.slot_width(row.slot)) - 1;
    (0..16).find_map(|_| {
        let word = (random.u64(..) & !row.mask | row.fixed) & slot_bits;
        isa.decode_slot(row.slot, word)
    })
}

#[test]
fn every_instruction_executes_or_is_refused_by_name_and_place() {
    let size = std::env::var(SIZE).ok().and_then(|size| size.parse().ok());
    let draws = size.unwrap_or(DRAWS);
    let mut random = fastrand::Rng::with_seed(29);
    for arch in CoreArch::ALL {
        let isa = CoreIsa::of(arch);
        for row in &isa.instructions {
            for _ in 0..draws {
                let Some(instruction) = drawn(isa, row, &mut random) else {
                    continue;
                };
                let text = isa.instruction_text(&instruction);
                let Some(bytes) = bundle_of(isa, row.slot, instruction) else {
                    continue;
                };
                let mut program = prelude(arch, &mut random);
                let at = program.len();
                program.extend(bytes);
                program.extend(code(arch, &format!("{}done\n", "nop\n".repeat(24))));
                let mut machine = MachineCodeCore::new(arch, Arc::from(program), false);
                let mut tile = Tile {
                    stream_in: [1, 2, 3, 4].into(),
                    cascade_in: [[5; CASCADE_WORDS]].into(),
                    ..Tile::default()
                };
                // Branches may go anywhere, locks and streams may wait.
                if let CoreStop::Fault(fault) = machine.run(&mut tile, BUDGET).stop {
                    let message = fault.to_string();
                    let is_branch = row.delay_slots > 0;
                    let names = message.contains("0x") || is_branch;
                    assert!(names, "{arch} {at:#x} {text}: {message}");
                }
            }
        }
    }
}
