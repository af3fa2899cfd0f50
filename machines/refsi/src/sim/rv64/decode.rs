//! Words to instructions.

use super::{Atomic, Instruction, NONE, Op, compressed, float};

/// The instruction of a word, of which the lower half counts where it is a compressed one.
///
/// # Errors
/// Why it isn't executed: "V (vectors)", "no instruction".
pub fn decode(word: u32) -> Result<Instruction, &'static str> {
    if word & 3 != 3 {
        return compressed::decode(word & 0xFFFF);
    }
    let (rd, rs1, rs2) = (word >> 7 & 31, word >> 15 & 31, word >> 20 & 31);
    let (funct3, funct7) = (word >> 12 & 7, word >> 25);
    let i = word as i32 >> 20;
    let s = (word as i32 >> 25 << 5) | rd as i32;
    let u = (word & 0xFFFF_F000) as i32;
    let op = |op, rs2, imm| Ok(Instruction::new(op, rd, rs1, rs2, imm));
    match word & 0x7F {
        0x37 => op(Op::Lui, 0, u),
        0x17 => op(Op::Auipc, 0, u),
        0x6F => op(Op::Jal, 0, jump(word)),
        0x67 if funct3 == 0 => op(Op::Jalr, 0, i),
        0x63 => op(branch(funct3)?, rs2, branch_offset(word)),
        0x03 => op(load(funct3)?, 0, i),
        0x23 => op(store(funct3)?, rs2, s),
        0x13 => immediate(word, funct3, i).and_then(|(kind, imm)| op(kind, 0, imm)),
        0x1B => immediate32(word, funct3, i).and_then(|(kind, imm)| op(kind, 0, imm)),
        0x33 => op(register(funct3, funct7)?, rs2, 0),
        0x3B => op(register32(funct3, funct7)?, rs2, 0),
        0x0F if funct3 == 0 => op(Op::Fence, 0, 0),
        0x0F if funct3 == 1 => op(Op::FenceI, 0, 0),
        // fflags, frm, fcsr
        0x73 if funct3 & 3 != 0 && (1..=3).contains(&(i & 0xFFF)) => {
            op(Op::FloatMode, 0, word as i32)
        }
        0x73 => system(word, funct3, rs1).and_then(|kind| op(kind, 0, i & 0xFFF)),
        0x07 | 0x27 if matches!(funct3, 0 | 5..=7) => Err(VECTOR),
        0x07 if funct3 == 2 => op(Op::Flw, 0, i),
        0x07 if funct3 == 3 => op(Op::Fld, 0, i),
        0x27 if funct3 == 2 => op(Op::Fsw, rs2, s),
        0x27 if funct3 == 3 => op(Op::Fsd, rs2, s),
        0x43 | 0x47 | 0x4B | 0x4F | 0x53 => {
            float::check(word).and_then(|()| op(Op::Float, rs2, word as i32))
        }
        0x2F => Atomic::of(word).and_then(|_| op(Op::Atomic, rs2, word as i32)),
        0x57 => Err(VECTOR),
        _ => Err(NONE),
    }
}

const VECTOR: &str = "V (vectors)";
const BITS: &str = "Zb (bit manipulation)";

fn jump(word: u32) -> i32 {
    let high = (word as i32 >> 31) << 20;
    let middle = word & 0xF_F000 | (word >> 20 & 1) << 11 | (word >> 21 & 0x3FF) << 1;
    high | middle as i32
}

fn branch_offset(word: u32) -> i32 {
    let high = (word as i32 >> 31) << 12;
    let low = (word >> 7 & 1) << 11 | (word >> 25 & 0x3F) << 5 | (word >> 8 & 0xF) << 1;
    high | low as i32
}

fn branch(funct3: u32) -> Result<Op, &'static str> {
    Ok(match funct3 {
        0 => Op::Beq,
        1 => Op::Bne,
        4 => Op::Blt,
        5 => Op::Bge,
        6 => Op::Bltu,
        7 => Op::Bgeu,
        _ => return Err(NONE),
    })
}

fn load(funct3: u32) -> Result<Op, &'static str> {
    let all = [Op::Lb, Op::Lh, Op::Lw, Op::Ld, Op::Lbu, Op::Lhu, Op::Lwu];
    all.get(funct3 as usize).copied().ok_or(NONE)
}

fn store(funct3: u32) -> Result<Op, &'static str> {
    let all = [Op::Sb, Op::Sh, Op::Sw, Op::Sd];
    all.get(funct3 as usize).copied().ok_or(NONE)
}

fn immediate(word: u32, funct3: u32, i: i32) -> Result<(Op, i32), &'static str> {
    let shift = i & 0x3F;
    Ok(match (funct3, word >> 26) {
        (0, _) => (Op::Addi, i),
        (2, _) => (Op::Slti, i),
        (3, _) => (Op::Sltiu, i),
        (4, _) => (Op::Xori, i),
        (6, _) => (Op::Ori, i),
        (7, _) => (Op::Andi, i),
        (1, 0) => (Op::Slli, shift),
        (5, 0) => (Op::Srli, shift),
        (5, 0x10) => (Op::Srai, shift),
        _ => return Err(BITS),
    })
}

fn immediate32(word: u32, funct3: u32, i: i32) -> Result<(Op, i32), &'static str> {
    let shift = i & 0x1F;
    Ok(match (funct3, word >> 25) {
        (0, _) => (Op::Addiw, i),
        (1, 0) => (Op::Slliw, shift),
        (5, 0) => (Op::Srliw, shift),
        (5, 0x20) => (Op::Sraiw, shift),
        _ => return Err(BITS),
    })
}

fn register(funct3: u32, funct7: u32) -> Result<Op, &'static str> {
    use Op::*;
    let plain = [Add, Sll, Slt, Sltu, Xor, Srl, Or, And];
    let multiply = [Mul, Mulh, Mulhsu, Mulhu, Div, Divu, Rem, Remu];
    let at = funct3 as usize;
    match (funct7, funct3) {
        (0, _) => plain.get(at).copied().ok_or(NONE),
        (1, _) => multiply.get(at).copied().ok_or(NONE),
        (0x20, 0) => Ok(Sub),
        (0x20, 5) => Ok(Sra),
        (5, 1..=3) => Err("Zbc (carry-less multiplication)"),
        _ => Err(BITS),
    }
}

fn register32(funct3: u32, funct7: u32) -> Result<Op, &'static str> {
    Ok(match (funct7, funct3) {
        (0, 0) => Op::Addw,
        (0x20, 0) => Op::Subw,
        (0, 1) => Op::Sllw,
        (0, 5) => Op::Srlw,
        (0x20, 5) => Op::Sraw,
        (1, 0) => Op::Mulw,
        (1, 4) => Op::Divw,
        (1, 5) => Op::Divuw,
        (1, 6) => Op::Remw,
        (1, 7) => Op::Remuw,
        _ => return Err(BITS),
    })
}

fn system(word: u32, funct3: u32, rs1: u32) -> Result<Op, &'static str> {
    match (word, funct3) {
        (0x73, _) => Ok(Op::Ecall),
        (0x10_0073, _) => Ok(Op::Ebreak),
        // CSRRS and CSRRC of x0 only read
        (_, 2 | 3) if rs1 == 0 => Ok(Op::ReadCsr),
        (_, 1..=3 | 5..=7) => Err("Zicsr (writes of control registers)"),
        _ => Err("privileged"),
    }
}
