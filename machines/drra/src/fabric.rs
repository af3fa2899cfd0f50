//! The fabric as facts: how many cells of which size there are, and how they are named.
//!
//! Sources: the description of instruction set v2 of SiLago (`silagokth/SiLagoDoc`) and, for sizes,
//! the published hardware of the version before it.

use std::fmt;

/// Words of a register file.
pub const REGISTER_FILE_WORDS: usize = 64;
/// Words of 16 bits in a row of an SRAM, and in a block of a register file.
pub const BLOCK_WORDS: usize = 16;
/// Blocks of a register file.
pub const REGISTER_FILE_BLOCKS: usize = REGISTER_FILE_WORDS / BLOCK_WORDS;
/// Rows of an SRAM.
pub const SRAM_ROWS: usize = 128;
/// Chunks that the instruction memory of a cell holds.
pub const MEMORY_CHUNKS: usize = 64;
/// Loop slots of a cell.
pub const LOOP_SLOTS: usize = 4;
/// Registers that the field of a RACCU register can name; the last [`LOOP_SLOTS`] of them are the
/// iterators of loops, the one of slot 0 last.
pub const RACCU_REGISTERS: usize = 16;
/// Bits of a RACCU register, two's complement.
pub const RACCU_BITS: u32 = 7;
/// Bits of a data word.
pub const WORD_BITS: u32 = 16;
/// Largest column distance of a switchbox connection, to either side.
pub const SWITCH_REACH: i32 = 2;

/// The RACCU register that holds the iterator of a loop slot. Published programs read the
/// iterators of slots 0 and 1 as registers 15 and 14; assumed for the others.
pub fn iterator_register(slot: u8) -> u8 {
    (RACCU_REGISTERS as u8 - 1).wrapping_sub(slot)
}

/// A cell of the fabric: row and column, counted from 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct CellId {
    /// Row.
    pub row: u8,
    /// Column.
    pub column: u8,
}

impl fmt::Display for CellId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "<{}, {}>", self.row, self.column)
    }
}

/// Size of a fabric.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FabricShape {
    /// Rows of cells, 1 or 2: a switchbox names the row of a source with one bit.
    pub rows: u8,
    /// Columns of cells and of SRAMs.
    pub columns: u8,
    /// Rows of SRAMs, on the north side of the cells.
    pub sram_rows: u8,
}

impl FabricShape {
    /// Two rows of eight cells, and one row of SRAMs.
    pub const DEFAULT: FabricShape = FabricShape {
        rows: 2,
        columns: 8,
        sram_rows: 1,
    };

    /// Cells.
    pub fn cells(self) -> usize {
        usize::from(self.rows) * usize::from(self.columns)
    }

    /// The position of a cell in row-major order; `None` outside the fabric.
    pub fn cell_index(self, cell: CellId) -> Option<usize> {
        let inside = cell.row < self.rows && cell.column < self.columns;
        inside.then(|| usize::from(cell.row) * usize::from(self.columns) + usize::from(cell.column))
    }

    /// The cell at a position of [`FabricShape::cell_index`].
    pub fn cell_at(self, index: usize) -> CellId {
        let columns = usize::from(self.columns).max(1);
        CellId {
            row: (index / columns) as u8,
            column: (index % columns) as u8,
        }
    }

    /// The position of an SRAM in row-major order; `None` outside the fabric.
    pub fn sram_index(self, sram: CellId) -> Option<usize> {
        let inside = sram.row < self.sram_rows && sram.column < self.columns;
        inside.then(|| usize::from(sram.row) * usize::from(self.columns) + usize::from(sram.column))
    }
}

impl fmt::Display for FabricShape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} rows of {} cells", self.rows, self.columns)
    }
}
