//! A program: the code of cells, the initial contents of memories, and relations and dependencies
//! for a scheduler.

use aiec_diag::Span;

use crate::fabric::CellId;

/// A program of a fabric.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct DrraProgram {
    /// The code of each cell that has some, in order of cells.
    pub cells: Vec<CellProgram>,
    /// The initial contents of memories, in order of the text.
    pub variables: Vec<Variable>,
    /// The hierarchy for a scheduler.
    pub relations: Vec<Relation>,
    /// Constraints that a scheduler has to keep.
    pub dependencies: Vec<Dependency>,
}

/// The code of a cell.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CellProgram {
    /// The cell.
    pub cell: CellId,
    /// Its instructions in order.
    pub items: Vec<CodeItem>,
}

/// An instruction, or a chunk that doesn't decode.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CodeItem {
    /// Its name for others.
    pub label: Option<String>,
    /// The instruction or the raw chunk.
    pub content: ItemContent,
    /// Its place in the text, if it came from one.
    pub span: Option<Span>,
}

/// Contents of a [`CodeItem`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ItemContent {
    /// An instruction of the description.
    Instruction(InstructionValues),
    /// A chunk as it is.
    Raw(u64),
}

/// An instruction with the values of all its fields.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct InstructionValues {
    /// Its position in the description.
    pub instruction: usize,
    /// A value for each field.
    pub values: Vec<u64>,
    /// Chunks.
    pub chunks: u32,
}

impl CodeItem {
    /// Chunks.
    pub fn chunks(&self) -> u32 {
        match &self.content {
            ItemContent::Instruction(instruction) => instruction.chunks,
            ItemContent::Raw(_) => 1,
        }
    }
}

impl CellProgram {
    /// Chunks of all instructions.
    pub fn chunks(&self) -> u32 {
        self.items.iter().map(CodeItem::chunks).sum()
    }

    /// The instructions, each with the chunks before it.
    pub fn with_addresses(&self) -> impl Iterator<Item = (u32, &CodeItem)> {
        self.items.iter().scan(0, |at, item| {
            let address = *at;
            *at += item.chunks();
            Some((address, item))
        })
    }
}

/// Where a variable is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum MemoryKind {
    /// In the register file of a cell.
    RegisterFile,
    /// In an SRAM of DiMArch.
    Sram,
}

/// A variable of .DATA: the contents of a memory, one after the other in order of the text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Variable {
    /// Its name, without the `$`.
    pub name: String,
    /// The kind of memory.
    pub memory: MemoryKind,
    /// Whether its words are fixed point numbers (Q15).
    pub fixed_point: bool,
    /// The cell or SRAM.
    pub cell: CellId,
    /// The first word, counted from the beginning of the memory.
    pub address: usize,
    /// Its words.
    pub words: Vec<i16>,
}

/// A line of .RELATION.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Relation {
    /// The name of the node.
    pub name: String,
    /// Whether nothing else may overlap with it.
    pub bulk: bool,
    /// Names, or regular expressions of names, of what is in it; the second list is of the other
    /// way of a branch.
    pub children: [Vec<String>; 2],
    /// Whether iterations may overlap.
    pub expand: bool,
}

/// A line of .DEPENDENCY: cycles from one phase to another.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Dependency {
    /// The first phase.
    pub source: String,
    /// The second phase.
    pub destination: String,
    /// Cycles at least.
    pub low: i64,
    /// Cycles at most; `None` for +INF.
    pub high: Option<i64>,
}
