//! Products of matrices by one instruction of the MAC array: which shapes each architecture has, and their configuration words
//! (`llvm-aie: aiev2_vmult.h`, `aie2p_vmult.h`, `aie2ps_vmult.h`; AM020, AM027 "Functional Overview" of the vector unit).

use aiec_core::{CoreArch, RegisterFile};
use aiec_vcode::MemoryType;

use super::format::{LaneFormat, SumFormat};
use crate::mir::MatrixProduct;
use crate::select::rows::Row;
use crate::ssa::ProductShape;

/// The first, the second operand has signed elements.
pub(super) const SIGNED_FIRST: u32 = 1 << 9;
pub(super) const SIGNED_SECOND: u32 = 1 << 8;
/// The accumulator is multiplied by 2^16 first.
pub(super) const SHIFTED_16: u32 = 1 << 10;
/// Both formats of AIE2PS are bf16 (`cmode_sel_x`, `cmode_sel_y`).
const BF16_OPERANDS: u32 = 3 << 24;

/// A shape that an instruction multiplies: rows and elements that are summed of the first operand, columns of the second one.
#[derive(Clone, Copy, Debug)]
struct ArrayShape {
    kinds: [MemoryType; 2],
    rows: u16,
    inner: u16,
    columns: u16,
    /// The configuration word without signs.
    word: u32,
    /// Bits of a sum, and where the sums are.
    bits: u32,
    file: RegisterFile,
}

const fn shape(
    kinds: [MemoryType; 2],
    [rows, inner, columns]: [u16; 3],
    word: u32,
    bits: u32,
    file: RegisterFile,
) -> ArrayShape {
    ArrayShape {
        kinds,
        rows,
        inner,
        columns,
        word,
        bits,
        file,
    }
}

const BYTES: [MemoryType; 2] = [MemoryType::I8, MemoryType::I8];
const MIXED: [MemoryType; 2] = [MemoryType::I16, MemoryType::I8];
const WORDS: [MemoryType; 2] = [MemoryType::I16, MemoryType::I16];
const FLOATS: [MemoryType; 2] = [MemoryType::Bf16, MemoryType::Bf16];

/// Sums of 32 bits come before those of 64, which take twice the room.
const AIE2: &[ArrayShape] = &[
    shape(BYTES, [4, 8, 8], 0x08, 32, RegisterFile::Cm),
    shape(MIXED, [4, 4, 8], 0x10, 32, RegisterFile::Cm),
    shape(WORDS, [4, 2, 8], 0x18, 32, RegisterFile::Cm),
    shape(WORDS, [4, 4, 4], 0x3A, 64, RegisterFile::Cm),
    shape(WORDS, [2, 4, 8], 0x1A, 64, RegisterFile::Cm),
    shape(FLOATS, [4, 8, 4], 0x1C, 32, RegisterFile::Bml),
];
const AIE2P: &[ArrayShape] = &[
    shape(BYTES, [8, 8, 8], 0x08, 32, RegisterFile::Dm),
    shape(MIXED, [8, 4, 8], 0x10, 32, RegisterFile::Dm),
    shape(MIXED, [4, 8, 8], 0x12, 64, RegisterFile::Dm),
    shape(WORDS, [8, 2, 8], 0x18, 32, RegisterFile::Dm),
    shape(WORDS, [4, 4, 8], 0x1A, 64, RegisterFile::Dm),
    // Lane by lane: the array has no product of matrices of bf16.
    shape(FLOATS, [4, 8, 8], 0x3C, 32, RegisterFile::Dm),
];
/// Products in blocks of 8 numbers with one exponent (`llvm-aie: test/CodeGen/AIE/aie2p/end-to-end`, gemm-bfp16).
const AIE2P_BLOCKS: ArrayShape = shape(FLOATS, [8, 8, 8], 0x30C, 32, RegisterFile::Dm);
const AIE2PS: &[ArrayShape] = &[
    shape(BYTES, [8, 8, 8], 0x00, 32, RegisterFile::Dm),
    shape(WORDS, [8, 2, 8], 0x08, 32, RegisterFile::Dm),
    shape(WORDS, [4, 4, 8], 0x0A, 64, RegisterFile::Dm),
    shape(
        FLOATS,
        [4, 8, 8],
        0x5C | BF16_OPERANDS,
        32,
        RegisterFile::Cml,
    ),
];

/// The shapes of products of integers that instructions of an architecture compute.
pub(in crate::select) fn product_shapes(arch: CoreArch) -> Vec<ProductShape> {
    let shapes = shapes(arch).iter().filter(|shape| shape.kinds != FLOATS);
    let shapes = shapes.map(|shape| ProductShape {
        kinds: shape.kinds,
        rows: shape.rows,
        inner: shape.inner,
        columns: shape.columns,
        sums: match arch {
            CoreArch::Aie2 => 9,
            CoreArch::Aie2p | CoreArch::Aie2ps => 5,
        },
    });
    shapes.collect()
}

fn shapes(arch: CoreArch) -> &'static [ArrayShape] {
    match arch {
        CoreArch::Aie2 => AIE2,
        CoreArch::Aie2p => AIE2P,
        CoreArch::Aie2ps => AIE2PS,
    }
}

/// Computation of a product by the array.
#[derive(Clone, Copy, Debug)]
pub(in crate::select) struct ArrayProduct {
    /// The configuration word.
    pub word: u32,
    /// Rows that one instruction multiplies; there may be more of them in the array than in the product.
    pub rows: u16,
    pub sums: SumFormat,
    pub left: LaneFormat,
    pub right: LaneFormat,
    /// The instruction that adds.
    pub add: Row,
    /// Whether it multiplies lane by lane, each column of the first operand by a row of the second one.
    pub is_by_lanes: bool,
    /// Whether it multiplies matrices in blocks.
    pub in_blocks: bool,
}

impl ArrayProduct {
    /// The instruction for a product; `None` if the architecture has none.
    pub(in crate::select) fn of(arch: CoreArch, product: &MatrixProduct) -> Option<ArrayProduct> {
        let in_blocks = product.in_blocks;
        let known = if !in_blocks {
            shapes(arch)
        } else if arch == CoreArch::Aie2p {
            std::slice::from_ref(&AIE2P_BLOCKS)
        } else {
            &[]
        };
        let fits = |shape: &&ArrayShape| {
            let rows = product.rows.is_multiple_of(shape.rows)
                || shape.rows.is_multiple_of(product.rows.max(1));
            rows && product.rows > 0
                && shape.kinds == [product.left.kind, product.right.kind]
                && (shape.inner, shape.columns) == (product.inner, product.columns)
        };
        let shape = known.iter().find(fits)?;
        let is_float = shape.kinds == FLOATS;
        let is_by_lanes = is_float && !in_blocks && arch == CoreArch::Aie2p;
        if is_by_lanes && !product.rows.is_multiple_of(shape.rows) {
            return None;
        }
        let sign = |is_signed, bit| if is_signed && !is_float { bit } else { 0 };
        Some(ArrayProduct {
            word: shape.word
                | sign(product.left.is_signed, SIGNED_FIRST)
                | sign(product.right.is_signed, SIGNED_SECOND),
            rows: shape.rows,
            sums: if is_by_lanes {
                SumFormat::floats(arch)
            } else {
                SumFormat::whole(shape.bits, shape.file, is_float)
            },
            left: LaneFormat::of(product.left.kind)?,
            right: LaneFormat::of(product.right.kind)?,
            add: match (is_float, is_by_lanes) {
                _ if in_blocks => Row::BlockProductAdd,
                (_, true) => Row::FloatProductAdd,
                (true, false) => Row::MatrixAddFloat,
                (false, false) => Row::VectorProductAdd,
            },
            is_by_lanes,
            in_blocks,
        })
    }
}

/// Multiplication lane by lane in the array.
#[derive(Clone, Copy, Debug)]
pub(super) struct LaneProducts {
    /// The accumulator's file.
    pub file: RegisterFile,
    /// Words for 32 signed lanes of 16 bits, and bits of their sums.
    pub word16: u32,
    pub bits16: u32,
    /// The word for unsigned lanes of 16 bits with sums of 64 bits.
    pub word32: u32,
}

impl LaneProducts {
    pub(super) fn of(arch: CoreArch) -> LaneProducts {
        let signs = SIGNED_FIRST | SIGNED_SECOND;
        match arch {
            CoreArch::Aie2 => LaneProducts {
                file: RegisterFile::Cm,
                word16: 0x38 | signs,
                bits16: 32,
                word32: 0x5A,
            },
            // 64 lanes with sums of 32 bits take pairs of registers.
            CoreArch::Aie2p => LaneProducts {
                file: RegisterFile::Dm,
                word16: 0x5A | signs,
                bits16: 64,
                word32: 0x5A,
            },
            CoreArch::Aie2ps => LaneProducts {
                file: RegisterFile::Dm,
                word16: 0x28 | signs,
                bits16: 32,
                word32: 0x4A,
            },
        }
    }
}
