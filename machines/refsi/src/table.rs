//! The ten commands as a set of instructions (oneAPI Construction Kit: RefSi command processor;
//! the format is PM4 type 3 with 64-bit chunks).

use std::sync::LazyLock;

use aiec_isa::{BitOrder, Field, Instruction, OperandKind, Set, Table};

use crate::memory_map::REGIONS;
use crate::register::{MODES, REGISTERS};
use crate::unit::Unit;
use crate::{dma, memory_map};

/// Bits of the opcode.
const OPCODE_BITS: u32 = 8;
/// Lowest bit of the opcode.
const OPCODE_POSITION: u32 = 8;
/// Lowest bit of the number of payload chunks, doubled.
pub const COUNT_POSITION: u32 = 16;
/// Bits of that number.
pub const COUNT_BITS: u32 = 14;
/// Most payload chunks.
pub const MAX_PAYLOAD: u64 = (1 << (COUNT_BITS - 1)) - 1;
/// The packet identifier of every command.
pub const PACKET_ID: u64 = 3;
/// Bits of a header that are the same in every command.
pub const HEADER_MASK: u64 = 0xC000_00FF;
/// Value of the bits in [`HEADER_MASK`].
pub const HEADER: u64 = 0xC000_0000;
/// Most arguments of RUN_INSTANCES beside the instance.
pub const MAX_ARGUMENTS: usize = 7;
/// Fields that every command has in front of its operands: reserved byte, count, identifier.
pub const HEADER_FIELDS: usize = 3;

aiec_diag::named_enum! {
    /// Kind of an operand: how it is read and printed.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Kind {
        /// A register of the CMP.
        Register => "register",
        /// The value of the register in front of it.
        RegisterValue => "register-value",
        /// An address that the CMP accesses.
        Address => "address",
        /// A unit.
        Unit => "unit",
        /// Caches.
        Flags => "flags",
        /// A count, printed in decimal.
        Count => "count",
        /// Any number.
        Number => "number",
    }
}

impl Kind {
    fn syntax(self) -> &'static str {
        match self {
            Kind::Register => "ENTRY_PT_FN, WINDOW_MODE3, or a number",
            Kind::RegisterValue => "a number, or FIELD=VALUE …",
            Kind::Address => "0x…, DMA_CTRL, PERF_COUNTERS, a label, sums of these",
            Kind::Unit => "any, external, cmp, hart:N, core:N",
            Kind::Flags => "DCACHE, ICACHE, DCACHE|ICACHE, or a number",
            Kind::Count | Kind::Number => "decimal or 0x…, a constant, sums of these",
        }
    }

    fn encoding(self) -> &'static str {
        match self {
            Kind::Register => "its number",
            Kind::RegisterValue => "fields at their bits, see the registers",
            Kind::Address => "bytes, physical or in a window",
            Kind::Unit => "kind << 24 | index",
            Kind::Flags => "DCACHE is 1, ICACHE is 2",
            Kind::Count | Kind::Number => "as written",
        }
    }
}

/// Names of the flags of SYNC_CACHE, from bit 0.
pub const FLAGS: [&str; 2] = ["DCACHE", "ICACHE"];

/// Opcodes.
pub mod opcode {
    /// Does nothing; only the driver has it.
    pub const NOP: u64 = 0;
    /// Ends the buffer.
    pub const FINISH: u64 = 1;
    /// Writes a register.
    pub const WRITE_REG64: u64 = 2;
    /// Loads a register from memory.
    pub const LOAD_REG64: u64 = 3;
    /// Stores a register to memory.
    pub const STORE_REG64: u64 = 4;
    /// Stores a number to memory.
    pub const STORE_IMM64: u64 = 5;
    /// Copies elements of 64 bits.
    pub const COPY_MEM64: u64 = 6;
    /// Runs a kernel with packed arguments.
    pub const RUN_KERNEL_SLICE: u64 = 7;
    /// Runs a function with arguments.
    pub const RUN_INSTANCES: u64 = 8;
    /// Writes back and drops what caches hold.
    pub const SYNC_CACHE: u64 = 9;
}

/// A row of the table: opcode, mnemonic, operands, what it does.
type Row = (u64, &'static str, &'static [Operand], &'static str);
/// An operand: name, width, position, kind, what it is. Positions count through the chunks.
type Operand = (&'static str, u32, u32, Kind, &'static str);

/// Lowest bit of the inline operands.
const INLINE: u32 = 32;

/// Lowest bit of a payload chunk, counted from 1.
const fn payload(chunk: u32) -> u32 {
    64 * chunk
}

const REGISTER: Operand = ("REG_IDX", 32, INLINE, Kind::Register, "the register");
const HARTS: Operand = ("MAX_HARTS", 8, INLINE, Kind::Count, "harts at most; 0: all");

/// The rows of the table: opcode, what it does, operands.
macro_rules! rows {
    ($($opcode:ident $doc:literal [$($operand:expr),*];)*) => {
        [$((opcode::$opcode, stringify!($opcode), &[$($operand),*], $doc)),*]
    };
}

const ROWS: [Row; 10] = rows! {
    NOP "Nothing; its payload is skipped. Only the reference driver has it (`--compat`)." [];
    FINISH "Ends the buffer: the host is signalled."
        [("DUMMY", 32, INLINE, Kind::Number, "not used")];
    WRITE_REG64 "Writes a register."
        [REGISTER, ("IMM_VAL", 64, payload(1), Kind::RegisterValue, "its value")];
    LOAD_REG64 "Loads a register from memory."
        [REGISTER, ("SRC_ADDR", 64, payload(1), Kind::Address, "where from")];
    STORE_REG64 "Stores a register to memory."
        [REGISTER, ("DST_ADDR", 64, payload(1), Kind::Address, "where to")];
    STORE_IMM64 "Stores a number to memory." [
        ("DST_ADDR_LO", 32, INLINE, Kind::Address, "where to, 32 bits"),
        ("IMM_VAL", 64, payload(1), Kind::Number, "what")
    ];
    COPY_MEM64 "Copies elements one by one, upwards; reads as a unit, writes as the CMP." [
        ("ELEMENTS", 32, INLINE, Kind::Count, "elements of 64 bits"),
        ("SRC_ADDR", 64, payload(1), Kind::Address, "where from"),
        ("DST_ADDR", 64, payload(2), Kind::Address, "where to"),
        ("UNIT", 64, payload(3), Kind::Unit, "who reads")
    ];
    RUN_KERNEL_SLICE
        "Runs the kernel at ENTRY_PT_FN NUM_INSTANCES times: a0 is the instance, a1 the slice, a2 the packed \
         arguments, a3 the hart's thread block. Caches are flushed after it." [
        HARTS,
        ("NUM_INSTANCES", 64, payload(1), Kind::Count, "instances"),
        ("SLICE_ID", 64, payload(2), Kind::Count, "argument a1")
    ];
    RUN_INSTANCES
        "Runs the function at ENTRY_PT_FN NUM_INSTANCES times: a0 is the instance, the arguments follow. Of the \
         EXTRA_ARGs there are as many as NUM_ARGS says; NUM_ARGS may be left out in text and is counted. \
         Caches are not flushed." [
        HARTS,
        ("NUM_ARGS", 3, INLINE + 8, Kind::Count, "further arguments"),
        ("NUM_INSTANCES", 64, payload(1), Kind::Count, "instances"),
        ("EXTRA_ARG_0", 64, payload(2), Kind::Number, "argument a1"),
        ("EXTRA_ARG_1", 64, payload(3), Kind::Number, "argument a2"),
        ("EXTRA_ARG_2", 64, payload(4), Kind::Number, "argument a3"),
        ("EXTRA_ARG_3", 64, payload(5), Kind::Number, "argument a4"),
        ("EXTRA_ARG_4", 64, payload(6), Kind::Number, "argument a5"),
        ("EXTRA_ARG_5", 64, payload(7), Kind::Number, "argument a6"),
        ("EXTRA_ARG_6", 64, payload(8), Kind::Number, "argument a7")
    ];
    SYNC_CACHE "What harts wrote reaches memory; what they hold for reading is dropped."
        [("FLAGS", 32, INLINE, Kind::Flags, "which caches")];
};

/// Operands of a command in text order, with their kinds.
#[derive(Debug)]
pub struct CommandInfo {
    /// The command.
    pub instruction: Instruction,
    /// Kinds of the operands.
    pub kinds: Vec<Kind>,
    /// Payload chunks: the fewest and the most.
    pub payload: (u64, u64),
}

impl CommandInfo {
    /// The operands in text order.
    pub fn operands(&self) -> &[Field] {
        self.instruction
            .fields()
            .get(HEADER_FIELDS..)
            .unwrap_or(&[])
    }
}

/// The commands.
pub static SET: LazyLock<Set> = LazyLock::new(set);

/// The commands by opcode.
pub static COMMANDS: LazyLock<Vec<CommandInfo>> = LazyLock::new(|| {
    let info = |instruction: &Instruction| {
        let instruction = instruction.clone();
        let operands = instruction.fields().get(HEADER_FIELDS..).unwrap_or(&[]);
        let kind = |field: &Field| Kind::by_name(field.kind.as_deref()?);
        let kinds = operands.iter().filter_map(kind).collect();
        let most = u64::from(instruction.longest()) - 1;
        let payload = match instruction.code {
            opcode::NOP => (0, MAX_PAYLOAD),
            opcode::RUN_INSTANCES => (most - MAX_ARGUMENTS as u64, most),
            _ => (most, most),
        };
        CommandInfo {
            instruction,
            kinds,
            payload,
        }
    };
    SET.instructions.iter().map(info).collect()
});

/// The command of an opcode.
pub fn command(opcode: u64) -> Option<&'static CommandInfo> {
    COMMANDS.get(usize::try_from(opcode).ok()?)
}

/// The command of a mnemonic, in any letter case.
pub fn by_mnemonic(name: &str) -> Option<&'static CommandInfo> {
    let same = |info: &&CommandInfo| info.instruction.name.eq_ignore_ascii_case(name);
    COMMANDS.iter().find(same)
}

fn set() -> Set {
    let set = Set {
        platform: "refsi-m1".to_owned(),
        doc: INTRODUCTION.to_owned(),
        chunk_name: "chunk",
        chunk_bits: 64,
        code_bits: OPCODE_BITS,
        order: BitOrder::LsbFirst {
            code_position: OPCODE_POSITION,
        },
        instructions: ROWS.iter().map(instruction).collect(),
        kinds: Kind::ALL
            .into_iter()
            .map(|kind| OperandKind {
                name: kind.name().to_owned(),
                syntax: kind.syntax().to_owned(),
                encoding: kind.encoding().to_owned(),
            })
            .collect(),
        tables: tables(),
        ..Set::default()
    };
    // the rows are constants, which a test checks
    set.checked().unwrap_or_default()
}

const INTRODUCTION: &str = "\
Made from the table of commands; `aiec isa --target refsi-m1` prints it, with `--format=json` for programs.

A command buffer is an array of little-endian chunks of 64 bits. A command is a header and its payload chunks. \
Bits count from bit 0 of the header on; payload chunk n begins at bit 64 · n. Every header has 3 in bits 31:30, \
twice the number of payload chunks in bits 29:16, the opcode in bits 15:8 and 0 in bits 7:0. Fields in brackets are \
not written in text; bits that no field names are 0.";

fn instruction(row: &Row) -> Instruction {
    let (code, name, operands, doc) = *row;
    let mut fields = vec![
        Field::new("reserved", OPCODE_POSITION).at(0).fixed(0),
        Field::new("packet_count", COUNT_BITS)
            .at(COUNT_POSITION)
            .fixed(0),
        Field::new("packet_id", 2).at(30).fixed(PACKET_ID),
    ];
    let docs = ["0", "payload chunks, doubled", "of every command"];
    for (field, doc) in fields.iter_mut().zip(docs) {
        field.doc = doc.to_owned();
    }
    // the count follows from the operands
    if let Some(count) = fields.get_mut(1) {
        count.default = None;
    }
    let last = operands
        .last()
        .map_or(0, |operand| operand.2 + operand.1 - 1);
    let names: Vec<&str> = operands.iter().map(|operand| operand.0).collect();
    fields.extend(operands.iter().map(|(name, bits, position, kind, doc)| {
        Field::new(name, *bits)
            .at(*position)
            .kind(kind.name())
            .doc(doc)
    }));
    Instruction {
        max_chunks: Some(last / 64 + 1),
        syntax: Some(format!("{name} {}", names.join(", ")).trim_end().to_owned()),
        doc: doc.to_owned(),
        fields: Some(fields),
        ..Instruction::new(code, name)
    }
}

/// Registers, regions, units: what a page about the set lists beside the commands.
fn tables() -> Vec<Table> {
    let text = |cells: &[&str]| cells.iter().map(|c| (*c).to_owned()).collect::<Vec<_>>();
    let mut registers = Vec::new();
    for row in &REGISTERS {
        for (at, field) in row.fields.iter().enumerate() {
            let (id, name) = match (at, row.per_window) {
                (0, false) => (row.id.to_string(), row.name.to_owned()),
                (0, true) => (format!("{} + n", row.id), format!("{}n", row.name)),
                _ => (String::new(), String::new()),
            };
            let bits = format!("{}:{}", field.low + field.bits - 1, field.low);
            registers.push(text(&[&id, &name, field.name, &bits, field.doc]));
        }
    }
    let regions = REGIONS.iter().map(|region| {
        let (base, bytes) = (
            format!("0x{:08x}", region.base),
            format!("0x{:x}", region.bytes),
        );
        text(&[region.name, &base, &bytes, region.doc])
    });
    let units = Unit::KINDS.iter();
    let units = units.map(|(name, number, doc)| text(&[name, &number.to_string(), doc]));
    let registers_of_dma = dma::REGISTERS.iter().enumerate();
    let registers_of_dma = registers_of_dma
        .map(|(at, (name, doc))| text(&[name, &format!("0x{:08x}", dma::address(at)), doc]));
    let modes = MODES.iter().enumerate();
    let modes = modes.map(|(number, name)| text(&[name, &number.to_string()]));
    let table = |title: &str, doc: &str, columns: &[&str], rows: Vec<Vec<String>>| Table {
        title: title.to_owned(),
        doc: doc.to_owned(),
        columns: text(columns),
        rows,
    };
    vec![
        table(
            "Registers",
            "Of 64 bits; n is a window, 0 to 7. All are 0 after reset, bits without a field are reserved.",
            &["number", "register", "field", "bits", "meaning"],
            registers,
        ),
        table("Modes of windows", "", &["mode", "number"], modes.collect()),
        table(
            "Memory",
            "",
            &["region", "base", "bytes", ""],
            regions.collect(),
        ),
        table(
            "DMA registers",
            &format!("Of {} bytes, one set for each unit.", memory_map::DMA.bytes),
            &["register", "address", ""],
            registers_of_dma.collect(),
        ),
        table("Units", "", &["kind", "number", ""], units.collect()),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rows_make_a_set() {
        assert_eq!(SET.instructions.len(), ROWS.len());
        for (opcode, info) in COMMANDS.iter().enumerate() {
            assert_eq!(info.instruction.code, opcode as u64);
            assert_eq!(info.kinds.len(), info.operands().len());
        }
        assert_eq!(command(6).map(|c| c.payload), Some((3, 3)));
        assert_eq!(command(8).map(|c| c.payload), Some((1, 8)));
        assert_eq!(command(1).map(|c| c.payload), Some((0, 0)));
        assert!(command(10).is_none());
    }
}
