//! The immediate of a memory access: a type in its upper 4 bits, an offset in bytes below.

use aiec_vcode::MemoryType;

/// The type in a memory immediate, which the decoder has checked.
#[inline(always)]
pub(super) fn access_type(imm: u32) -> MemoryType {
    memory_type((imm >> 28) as u8)
}

/// The type of a number in an instruction.
#[inline(always)]
pub(super) fn memory_type(code: u8) -> MemoryType {
    match code {
        0 => MemoryType::I1,
        1 => MemoryType::I8,
        2 => MemoryType::I16,
        3 => MemoryType::I32,
        4 => MemoryType::I64,
        5 => MemoryType::Bf16,
        6 => MemoryType::F16,
        7 => MemoryType::F32,
        _ => MemoryType::F64,
    }
}

/// The offset of an access, in bytes.
#[inline(always)]
pub(super) fn offset(imm: u32) -> i64 {
    i64::from((imm << 4) as i32 >> 4)
}

/// The access is of 32-bit integers, the usual one.
#[inline(always)]
pub(super) fn is_i32(imm: u32) -> bool {
    imm >> 28 == u32::from(MemoryType::I32.code())
}

/// Bytes of what an access moves.
#[inline(always)]
pub(super) fn size(imm: u32) -> u64 {
    if is_i32(imm) {
        4
    } else {
        access_type(imm).bytes().into()
    }
}

/// The address of a scalar access: the registers' part plus the offset in the instruction.
#[inline(always)]
pub(super) fn address(base: u64, imm: u32) -> u64 {
    base.wrapping_add_signed(offset(imm))
}
