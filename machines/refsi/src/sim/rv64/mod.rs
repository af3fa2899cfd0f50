//! RV64IMAFDC: instructions as values, decoding of both lengths.
//!
//! RISC-V Unprivileged ISA, version 20191213: RV32I, RV64I, M, A, F, D, C. Whatever else the platform's
//! cores have (V, Zbc) is refused by name.

mod atomic;
mod compressed;
mod decode;
mod float;

pub use atomic::Atomic;
pub use decode::decode;
pub use float::{FloatRegisters, FloatResult};

/// Why a word that encodes nothing is refused.
const NONE: &str = "no instruction of RV64";

/// Operation of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[rustfmt::skip]
pub enum Op {
    Lui, Auipc, Jal, Jalr,
    Beq, Bne, Blt, Bge, Bltu, Bgeu,
    Lb, Lh, Lw, Ld, Lbu, Lhu, Lwu, Sb, Sh, Sw, Sd,
    Addi, Slti, Sltiu, Xori, Ori, Andi, Slli, Srli, Srai,
    Add, Sub, Sll, Slt, Sltu, Xor, Srl, Sra, Or, And,
    Addiw, Slliw, Srliw, Sraiw, Addw, Subw, Sllw, Srlw, Sraw,
    Mul, Mulh, Mulhsu, Mulhu, Div, Divu, Rem, Remu,
    Mulw, Divw, Divuw, Remw, Remuw,
    Fence, FenceI, Ecall, Ebreak, ReadCsr,
    // The immediate of these is the word, or of loads and stores the offset.
    Flw, Fld, Fsw, Fsd, Float, FloatMode, Atomic,
}

/// A decoded instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Instruction {
    /// Its effect.
    pub op: Op,
    /// Destination register.
    pub rd: u8,
    /// First source register.
    pub rs1: u8,
    /// Second source register.
    pub rs2: u8,
    /// Bytes: 2 or 4.
    pub bytes: u8,
    /// Immediate, extended; the number of a CSR.
    pub imm: i32,
}

impl Instruction {
    /// An instruction of 4 bytes.
    fn new(op: Op, rd: u32, rs1: u32, rs2: u32, imm: i32) -> Instruction {
        Instruction {
            op,
            rd: (rd & 31) as u8,
            rs1: (rs1 & 31) as u8,
            rs2: (rs2 & 31) as u8,
            bytes: 4,
            imm,
        }
    }
}
