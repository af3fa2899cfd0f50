//! Meaning of instructions, with fields read by their names.
//!
//! A description says how instructions are written and packed; what they do follows from their names
//! and those of their fields, or from the meaning that a user's description gives them (`meaning`). Instructions of
//! other names can be assembled but not executed.

use aiec_isa::Instruction;

use crate::layout::{DYNAMIC, EXTENSION, is_signed_field};
use crate::meaning::Meaning;

/// An instruction by its effect.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DrraOperation {
    /// The sequencer stops.
    Halt,
    /// A port of the register file walks addresses.
    Refi(RefiSetup),
    /// The mode of the DPU from now on.
    Dpu(DpuSetup),
    /// Connects a source to an input of this cell.
    Swb(SwitchSetup),
    /// Goes to a chunk.
    Jump(u8),
    /// The sequencer waits for this number of cycles and one more.
    Wait(Setting),
    /// Starts a loop.
    Loop(LoopSetup),
    /// Width of the DPU's data.
    Bw(u8),
    /// Computes a register.
    Raccu(RaccuSetup),
    /// Goes to a chunk unless the status of the DPU has a bit of the mode.
    Branch {
        /// The bits asked for.
        mode: u8,
        /// Where to go otherwise.
        false_pc: u8,
    },
    /// Reserves a way between this column and an SRAM.
    Route(RouteSetup),
    /// An SRAM walks addresses.
    Sram(SramSetup),
}

/// A value that is in the instruction or in a RACCU register.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Setting {
    /// The value.
    Static(i32),
    /// Number of the register.
    Register(u8),
}

/// REFI: the walk of a port of the register file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RefiSetup {
    /// 0 and 1 write, 2 and 3 read.
    pub port: u8,
    /// The walk.
    pub walk: WalkSetup,
    /// The sign of the inner step is minus.
    pub negative: bool,
    /// Whether blocks go to or come from DiMArch.
    pub dimarch: bool,
    /// Whether the data are compressed.
    pub compress: bool,
}

/// SRAM: the walk of an SRAM.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SramSetup {
    /// Whether rows are written.
    pub write: bool,
    /// The walk.
    pub walk: WalkSetup,
    /// Cycles that a row is under way, as the field says: the number of hops, less 1.
    pub hops: u8,
}

/// The values of an address walk before registers are read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WalkSetup {
    /// First address.
    pub first: Setting,
    /// Delay of the first address.
    pub initial_delay: Setting,
    /// Inner iterations, less 1.
    pub inner_iterations: Setting,
    /// Inner step.
    pub inner_step: Setting,
    /// Inner delay.
    pub inner_delay: Setting,
    /// Outer iterations, less 1.
    pub outer_iterations: Setting,
    /// Outer step.
    pub outer_step: Setting,
    /// Outer delay.
    pub outer_delay: Setting,
}

/// DPU.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DpuSetup {
    /// Mode, 0 to 31.
    pub mode: u8,
    /// Whether results saturate.
    pub saturate: bool,
    /// Whether numbers are fixed point (Q15).
    pub fixed_point: bool,
    /// After how many accumulations the accumulators clear, or the immediate value.
    pub acc_clear: u8,
    /// Negated inputs, or absolute values of results.
    pub io_change: u8,
}

/// SWB.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SwitchSetup {
    /// Row of the source.
    pub source_row: u8,
    /// Whether the source is a DPU.
    pub from_dpu: bool,
    /// Port of the source.
    pub source_port: u8,
    /// Column of the source, seen from the destination, plus 2.
    pub hb_index: u8,
    /// Whether the row of the source is another one.
    pub to_other_row: bool,
    /// The destination: 0 and 1 are write ports of the register file, 2 to 5 inputs of the DPU.
    pub v_index: u8,
}

/// LOOP.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LoopSetup {
    /// The slot.
    pub slot: u8,
    /// Address of the last instruction of the body.
    pub end: u8,
    /// First value of the iterator.
    pub start: Setting,
    /// Iterations.
    pub iterations: Setting,
    /// Increment of the iterator per iteration.
    pub step: Setting,
    /// One bit for the slot of the next outer loop with the same end; 0 if there is none.
    pub link: u8,
}

/// RACCU.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RaccuSetup {
    /// Mode, 0 to 7.
    pub mode: u8,
    /// First operand.
    pub operand1: Setting,
    /// Second operand.
    pub operand2: Setting,
    /// The register that takes the result.
    pub result: u8,
}

/// ROUTE.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RouteSetup {
    /// East, else west.
    pub east: bool,
    /// Hops east or west.
    pub horizontal_hops: u8,
    /// North, else south.
    pub north: bool,
    /// Hops north or south.
    pub vertical_hops: u8,
    /// From the register file to the SRAM, else back.
    pub write: bool,
    /// The row of cells that sends or receives.
    pub cell_row: u8,
}

impl DrraOperation {
    /// The name of the instruction.
    pub fn name(&self) -> &'static str {
        match self {
            DrraOperation::Halt => "HALT",
            DrraOperation::Refi(_) => "REFI",
            DrraOperation::Dpu(_) => "DPU",
            DrraOperation::Swb(_) => "SWB",
            DrraOperation::Jump(_) => "JUMP",
            DrraOperation::Wait(_) => "WAIT",
            DrraOperation::Loop(_) => "LOOP",
            DrraOperation::Bw(_) => "BW",
            DrraOperation::Raccu(_) => "RACCU",
            DrraOperation::Branch { .. } => "BRANCH",
            DrraOperation::Route(_) => "ROUTE",
            DrraOperation::Sram(_) => "SRAM",
        }
    }
}

/// Bits of RACCU's operand as a number: two's complement.
fn signed(bits: u64, width: u32) -> i32 {
    let shift = 64 - width.clamp(1, 32);
    ((bits << shift) as i64 >> shift) as i32
}

impl DrraOperation {
    /// The operation of an instruction of this name; `None` if the name has no known meaning.
    /// Fields that the description lacks count as 0.
    pub fn of(instruction: &Instruction, values: &[u64]) -> Option<DrraOperation> {
        let meaning = Meaning::of(instruction);
        let name = meaning.map_or(&instruction.name, |meaning| &meaning.published.name);
        let name = &*name.to_ascii_uppercase();
        let fields = Fields {
            name,
            instruction,
            values,
            meaning,
        };
        Some(match name {
            "HALT" => DrraOperation::Halt,
            "REFI" => DrraOperation::Refi(fields.refi()),
            "DPU" => DrraOperation::Dpu(DpuSetup {
                mode: fields.byte("mode"),
                saturate: fields.number("control") & 2 != 0,
                fixed_point: fields.number("control") & 1 != 0,
                acc_clear: fields.byte("acc_clear"),
                io_change: fields.byte("io_change"),
            }),
            "SWB" => DrraOperation::Swb(SwitchSetup {
                source_row: fields.byte("src_row"),
                from_dpu: fields.flag("src_block"),
                source_port: fields.byte("src_port"),
                hb_index: fields.byte("hb_index"),
                to_other_row: fields.flag("send_to_other_row"),
                v_index: fields.byte("v_index"),
            }),
            "JUMP" => DrraOperation::Jump(fields.byte("pc")),
            "WAIT" => DrraOperation::Wait(fields.setting("cycle")),
            "LOOP" => DrraOperation::Loop(LoopSetup {
                slot: fields.byte("loopid"),
                end: fields.byte("endpc"),
                start: fields.setting("start"),
                iterations: fields.setting("iter"),
                step: fields.setting("step"),
                link: fields.byte("link"),
            }),
            "BW" => DrraOperation::Bw(fields.byte("config")),
            "RACCU" => DrraOperation::Raccu(RaccuSetup {
                mode: fields.byte("mode"),
                operand1: fields.setting("operand1"),
                operand2: fields.setting("operand2"),
                result: fields.byte("result"),
            }),
            "BRANCH" => DrraOperation::Branch {
                mode: fields.byte("mode"),
                false_pc: fields.byte("false_pc"),
            },
            "ROUTE" => DrraOperation::Route(RouteSetup {
                east: fields.flag("horizontal_dir"),
                horizontal_hops: fields.byte("horizontal_hops"),
                north: fields.flag("vertical_dir"),
                vertical_hops: fields.byte("vertical_hops"),
                write: fields.flag("direction"),
                cell_row: fields.byte("select_drra_row"),
            }),
            "SRAM" => DrraOperation::Sram(fields.sram()),
            _ => return None,
        })
    }
}

/// Reads fields with 0 for those that are not there.
struct Fields<'a> {
    /// The instruction's name in capitals, or that of the one which it is by its meaning.
    name: &'a str,
    instruction: &'a Instruction,
    values: &'a [u64],
    meaning: Option<Meaning<'a>>,
}

impl Fields<'_> {
    fn bits(&self, field: &str) -> u64 {
        if let Some(meaning) = self.meaning {
            return meaning.bits(self.values, field);
        }
        let field = self.instruction.field(field);
        let value = field.and_then(|(at, _)| self.values.get(at));
        value.copied().unwrap_or(0)
    }

    fn width(&self, field: &str) -> Option<u32> {
        if let Some(meaning) = self.meaning {
            return meaning.width(field);
        }
        Some(self.instruction.field(field)?.1.bits)
    }

    fn number(&self, field: &str) -> i32 {
        i32::try_from(self.bits(field)).unwrap_or(i32::MAX)
    }

    fn byte(&self, field: &str) -> u8 {
        u8::try_from(self.number(field)).unwrap_or(u8::MAX)
    }

    fn flag(&self, field: &str) -> bool {
        self.number(field) != 0
    }

    /// A field beside the one that says whether it names a register.
    fn setting(&self, field: &str) -> Setting {
        if self.flag(&format!("{field}{DYNAMIC}")) {
            return Setting::Register(self.byte(field));
        }
        Setting::Static(if is_signed_field(self.name, field) {
            signed(self.bits(field), self.width(field).unwrap_or(1))
        } else {
            self.number(field)
        })
    }

    /// A value over two fields, the upper bits in the extension.
    fn extended(&self, field: &str) -> Setting {
        let width = self.width(field).unwrap_or(0).min(16);
        let upper = self.number(&format!("{field}{EXTENSION}"));
        match self.setting(field) {
            Setting::Static(low) => Setting::Static(low | (upper << width)),
            register => register,
        }
    }

    /// The walk of REFI, where some fields have extensions, or of SRAM.
    fn walk(&self) -> WalkSetup {
        let wide = |field| match self.name {
            "REFI" => self.extended(field),
            _ => self.setting(field),
        };
        WalkSetup {
            first: self.setting("init_addr"),
            initial_delay: self.setting("init_delay"),
            inner_iterations: self.setting("l1_iter"),
            inner_step: self.setting("l1_step"),
            inner_delay: wide("l1_delay"),
            outer_iterations: wide("l2_iter"),
            outer_step: wide("l2_step"),
            outer_delay: self.setting("l2_delay"),
        }
    }

    fn refi(&self) -> RefiSetup {
        RefiSetup {
            port: self.byte("port_no"),
            walk: self.walk(),
            negative: self.flag("l1_step_sign"),
            dimarch: self.flag("dimarch"),
            compress: self.flag("compress"),
        }
    }

    fn sram(&self) -> SramSetup {
        SramSetup {
            write: self.flag("rw"),
            walk: self.walk(),
            hops: self.byte("hops"),
        }
    }
}
