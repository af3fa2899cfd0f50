//! Compressed instructions (C), expanded to the instructions that they abbreviate.

use super::{Instruction, NONE, Op};

/// Register of a three-bit field: x8 to x15.
fn popular(bits: u32) -> u32 {
    8 + (bits & 7)
}

/// Puts bits of a half word together: from which bits the bits from `low` on come.
fn bits(half: u32, low: u32, from: &[u32]) -> i32 {
    let all = (low..).zip(from).map(|(to, from)| (half >> from & 1) << to);
    all.fold(0, |all, bit| all | bit) as i32
}

/// Sign-extends the lowest `width` bits.
fn signed(value: i32, width: u32) -> i32 {
    value << (32 - width) >> (32 - width)
}

/// The instruction of a half word.
pub(super) fn decode(half: u32) -> Result<Instruction, &'static str> {
    let mut instruction = match half & 3 {
        0 => quadrant0(half),
        1 => quadrant1(half),
        _ => quadrant2(half),
    }?;
    instruction.bytes = 2;
    Ok(instruction)
}

fn quadrant0(half: u32) -> Result<Instruction, &'static str> {
    let (rd, rs1) = (popular(half >> 2), popular(half >> 7));
    let word = bits(half, 2, &[6, 10, 11, 12, 5]);
    let double = bits(half, 3, &[10, 11, 12, 5, 6]);
    let make = Instruction::new;
    Ok(match half >> 13 {
        0 => {
            let imm = bits(half, 2, &[6, 5, 11, 12, 7, 8, 9, 10]);
            if imm == 0 {
                return Err(NONE);
            }
            make(Op::Addi, rd, 2, 0, imm)
        }
        2 => make(Op::Lw, rd, rs1, 0, word),
        3 => make(Op::Ld, rd, rs1, 0, double),
        6 => make(Op::Sw, 0, rs1, rd, word),
        7 => make(Op::Sd, 0, rs1, rd, double),
        1 => make(Op::Fld, rd, rs1, 0, double),
        5 => make(Op::Fsd, 0, rs1, rd, double),
        _ => return Err(NONE),
    })
}

/// The six-bit immediate of bits 12 and 6:2.
fn six(half: u32) -> i32 {
    signed(((half >> 12 & 1) as i32 * 32) | (half >> 2 & 31) as i32, 6)
}

fn quadrant1(half: u32) -> Result<Instruction, &'static str> {
    let rd = half >> 7 & 31;
    let imm = six(half);
    let make = Instruction::new;
    Ok(match half >> 13 {
        0 => make(Op::Addi, rd, rd, 0, imm),
        1 if rd != 0 => make(Op::Addiw, rd, rd, 0, imm),
        2 => make(Op::Addi, rd, 0, 0, imm),
        3 if rd == 2 => {
            let imm = bits(half, 4, &[6, 2, 5, 3, 4, 12]);
            if imm == 0 {
                return Err(NONE);
            }
            make(Op::Addi, 2, 2, 0, signed(imm, 10))
        }
        3 if imm != 0 => make(Op::Lui, rd, 0, 0, imm << 12),
        4 => arithmetic(half, imm)?,
        5 => {
            let places = [3, 4, 5, 11, 2, 7, 6, 9, 10, 8, 12];
            make(Op::Jal, 0, 0, 0, signed(bits(half, 1, &places), 12))
        }
        6 | 7 => {
            let places = [3, 4, 10, 11, 2, 5, 6, 12];
            let offset = signed(bits(half, 1, &places), 9);
            let op = if half >> 13 == 6 { Op::Beq } else { Op::Bne };
            make(op, 0, popular(half >> 7), 0, offset)
        }
        _ => return Err(NONE),
    })
}

fn arithmetic(half: u32, imm: i32) -> Result<Instruction, &'static str> {
    let rd = popular(half >> 7);
    let rs2 = popular(half >> 2);
    let shift = imm & 0x3F;
    let op = match (half >> 10 & 3, half >> 12 & 1, half >> 5 & 3) {
        (0, ..) => return Ok(Instruction::new(Op::Srli, rd, rd, 0, shift)),
        (1, ..) => return Ok(Instruction::new(Op::Srai, rd, rd, 0, shift)),
        (2, ..) => return Ok(Instruction::new(Op::Andi, rd, rd, 0, imm)),
        (_, 0, 0) => Op::Sub,
        (_, 0, 1) => Op::Xor,
        (_, 0, 2) => Op::Or,
        (_, 0, _) => Op::And,
        (_, _, 0) => Op::Subw,
        (_, _, 1) => Op::Addw,
        _ => return Err(NONE),
    };
    Ok(Instruction::new(op, rd, rd, rs2, 0))
}

fn quadrant2(half: u32) -> Result<Instruction, &'static str> {
    let (rd, rs2) = (half >> 7 & 31, half >> 2 & 31);
    let make = Instruction::new;
    Ok(match half >> 13 {
        0 => make(Op::Slli, rd, rd, 0, six(half) & 0x3F),
        2 if rd != 0 => {
            let imm = bits(half, 2, &[4, 5, 6, 12, 2, 3]);
            make(Op::Lw, rd, 2, 0, imm)
        }
        3 if rd != 0 => {
            let imm = bits(half, 3, &[5, 6, 12, 2, 3, 4]);
            make(Op::Ld, rd, 2, 0, imm)
        }
        4 => match (half >> 12 & 1, rd, rs2) {
            (0, 0, 0) => return Err(NONE),
            (0, _, 0) => make(Op::Jalr, 0, rd, 0, 0),
            (0, ..) => make(Op::Add, rd, 0, rs2, 0),
            (_, 0, 0) => make(Op::Ebreak, 0, 0, 0, 0),
            (_, _, 0) => make(Op::Jalr, 1, rd, 0, 0),
            _ => make(Op::Add, rd, rd, rs2, 0),
        },
        6 => {
            let imm = bits(half, 2, &[9, 10, 11, 12, 7, 8]);
            make(Op::Sw, 0, 2, rs2, imm)
        }
        7 => {
            let imm = bits(half, 3, &[10, 11, 12, 7, 8, 9]);
            make(Op::Sd, 0, 2, rs2, imm)
        }
        1 => {
            let imm = bits(half, 3, &[5, 6, 12, 2, 3, 4]);
            make(Op::Fld, rd, 2, 0, imm)
        }
        5 => {
            let imm = bits(half, 3, &[10, 11, 12, 7, 8, 9]);
            make(Op::Fsd, 0, 2, rs2, imm)
        }
        _ => return Err(NONE),
    })
}
