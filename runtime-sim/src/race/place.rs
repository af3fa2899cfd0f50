//! Where accesses go and where they come from.

use aiec_device::TileLoc;

use super::Thread;

/// A memory that accesses go to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Memory {
    /// The data memory of a tile.
    Tile(TileLoc),
    /// Host memory.
    Host,
}

/// Where in what a thread executes an access is: the number of the instruction of a core's program;
/// the BD of a channel; page and byte offset in it of a job, see [`Site::of_page`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Site(pub u32);

impl Site {
    /// An instruction of control code.
    pub fn of_page(page: u16, offset: u16) -> Site {
        Site(u32::from(page) << 16 | u32::from(offset))
    }

    /// Page and byte offset of [`Site::of_page`].
    pub fn page(self) -> (u16, u16) {
        ((self.0 >> 16) as u16, self.0 as u16)
    }
}

/// A range of bytes that is accessed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// The memory.
    pub memory: Memory,
    /// First byte.
    pub start: u64,
    /// Bytes.
    pub bytes: u64,
}

/// Who writes on the register bus, and from where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Writer {
    /// The thread.
    pub thread: Thread,
    /// The instruction.
    pub site: Site,
}
