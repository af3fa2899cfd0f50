//! Where the instructions of core programs come from.

use crate::program::SourceLoc;

use super::record::{HexField, LocField, record};
use super::{Fields, escape};

/// Where the instructions of a core's program come from. Instructions are counted from 0.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CoreMarks {
    /// Column, relative to the partition.
    pub column: u8,
    /// Row.
    pub row: u8,
    /// The program's checksum: a tile may get several programs.
    pub checksum: u32,
    /// Functions, by ascending first instruction.
    pub functions: Vec<FunctionMark>,
    /// Loops, outer ones first.
    pub loops: Vec<LoopMark>,
    /// Operations: each holds from its instruction to that of the next mark.
    pub operations: Vec<OperationMark>,
    /// Uses of object fifos, by ascending instruction; each holds for the instructions of its
    /// operation.
    pub fifo_uses: Vec<FifoUseMark>,
    /// Registers that machine code reads on purpose while results are under way to them.
    pub old_reads: Vec<OldReadMark>,
}

/// A register that a bundle reads on purpose while a result is under way to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OldReadMark {
    /// Byte address of the bundle.
    pub at: u32,
    /// The register as assembly names it.
    pub register: String,
}

/// The begin of a function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FunctionMark {
    /// Its first instruction.
    pub at: u32,
    /// Its symbol; `core` for the body of the core.
    pub name: String,
}

/// A loop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoopMark {
    /// First instruction.
    pub first: u32,
    /// The instruction after its last one.
    pub end: u32,
    /// Where it is.
    pub source: SourceLoc,
}

/// An operation of a core's body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OperationMark {
    /// Its first instruction.
    pub at: u32,
    /// Where it is.
    pub source: SourceLoc,
    /// Its name, for example `arith.addi`.
    pub name: String,
}

/// An acquire or a release of objects of a fifo.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FifoUseMark {
    /// Its first instruction.
    pub at: u32,
    /// It acquires, else it releases.
    pub acquires: bool,
    /// It is on the producer's side.
    pub produces: bool,
    /// Number of objects that the operation names.
    pub count: u32,
    /// Symbol of the fifo.
    pub fifo: String,
}

impl std::fmt::Display for FifoUseMark {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let action = if self.acquires { "acquire" } else { "release" };
        let port = if self.produces { "Produce" } else { "Consume" };
        write!(f, "{action} @{}({port}, {})", self.fifo, self.count)
    }
}

/// The part of an object fifo that a lock, buffer or channel is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FifoPart {
    /// Symbol of the fifo.
    pub fifo: String,
    /// It belongs to the producer's side.
    pub produces: bool,
    /// Objects on that side.
    pub depth: u32,
}

/// The last of the marks, which are in order, that is not after an instruction.
fn last_until<T>(marks: &[T], at: u32, of: impl Fn(&T) -> u32) -> Option<&T> {
    let behind = marks.partition_point(|mark| of(mark) <= at);
    marks.get(behind.checked_sub(1)?)
}

impl CoreMarks {
    /// The operation that an instruction belongs to.
    pub fn operation(&self, at: u32) -> Option<&OperationMark> {
        last_until(&self.operations, at, |mark| mark.at)
    }

    /// The function that an instruction belongs to.
    pub fn function(&self, at: u32) -> Option<&FunctionMark> {
        last_until(&self.functions, at, |mark| mark.at)
    }

    /// The acquire or release that an instruction belongs to.
    pub fn fifo_use(&self, at: u32) -> Option<&FifoUseMark> {
        let operation = self.operation(at)?;
        let mark = last_until(&self.fifo_uses, at, |mark| mark.at)?;
        (mark.at >= operation.at).then_some(mark)
    }

    /// The loops around an instruction, the outermost first.
    pub fn loops_around(&self, at: u32) -> impl Iterator<Item = &LoopMark> {
        let around = self.loops.iter();
        around.filter(move |mark| (mark.first..mark.end).contains(&at))
    }

    pub(super) fn write(&self, out: &mut String) {
        let CoreMarks {
            column,
            row,
            checksum,
            ..
        } = self;
        record!(out, "program", column, row, HexField(*checksum, 8));
        for FunctionMark { at, name } in &self.functions {
            record!(out, "function", at, escape(name));
        }
        for LoopMark { first, end, source } in &self.loops {
            let loc = LocField(Some(*source));
            record!(out, "loop", first, end, loc);
        }
        for OperationMark { at, source, name } in &self.operations {
            let loc = LocField(Some(*source));
            record!(out, "at", at, loc, escape(name));
        }
        for mark in &self.fifo_uses {
            let action = if mark.acquires { "acquire" } else { "release" };
            let side = side_text(mark.produces);
            let (at, count, fifo) = (mark.at, mark.count, escape(&mark.fifo));
            record!(out, "fifo", at, action, side, count, fifo);
        }
        for OldReadMark { at, register } in &self.old_reads {
            record!(out, "old-read", at, escape(register));
        }
    }

    /// Reads a record that follows `program`; `None` if it is malformed.
    pub(super) fn read(&mut self, sort: &str, fields: &mut Fields<'_>) -> Option<()> {
        match sort {
            "function" => self.functions.push(FunctionMark {
                at: fields.number()?,
                name: fields.name(),
            }),
            "loop" => self.loops.push(LoopMark {
                first: fields.number()?,
                end: fields.number()?,
                source: fields.loc()??,
            }),
            "at" => self.operations.push(OperationMark {
                at: fields.number()?,
                source: fields.loc()??,
                name: fields.name(),
            }),
            "old-read" => self.old_reads.push(OldReadMark {
                at: fields.number()?,
                register: fields.name(),
            }),
            _ => self.fifo_uses.push(FifoUseMark {
                at: fields.number()?,
                acquires: match fields.next()? {
                    "acquire" => true,
                    "release" => false,
                    _ => return None,
                },
                produces: read_side(fields)?,
                count: fields.number()?,
                fifo: fields.name(),
            }),
        }
        Some(())
    }

    /// Puts marks that a file may have in any order into theirs.
    pub(super) fn sort(&mut self) {
        self.functions.sort_by_key(|mark| mark.at);
        self.operations.sort_by_key(|mark| mark.at);
        self.fifo_uses.sort_by_key(|mark| mark.at);
    }
}

impl FifoPart {
    pub(super) fn write(&self, out: &mut String) {
        let side = side_text(self.produces);
        let (depth, fifo) = (self.depth, escape(&self.fifo));
        record!(out, "of", side, depth, fifo);
    }

    pub(super) fn read(fields: &mut Fields<'_>) -> Option<FifoPart> {
        Some(FifoPart {
            produces: read_side(fields)?,
            depth: fields.number()?,
            fifo: fields.name(),
        })
    }
}

fn side_text(produces: bool) -> &'static str {
    if produces { "produce" } else { "consume" }
}

fn read_side(fields: &mut Fields<'_>) -> Option<bool> {
    match fields.next()? {
        "produce" => Some(true),
        "consume" => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(line: u32) -> SourceLoc {
        SourceLoc {
            file: 0,
            line,
            column: 7,
        }
    }

    #[test]
    fn instructions_find_their_marks() {
        let operation = |at_instruction, line_number, name: &str| OperationMark {
            at: at_instruction,
            source: at(line_number),
            name: name.into(),
        };
        let marks = CoreMarks {
            functions: vec![
                FunctionMark {
                    at: 0,
                    name: "core".into(),
                },
                FunctionMark {
                    at: 9,
                    name: "f".into(),
                },
            ],
            operations: vec![
                operation(1, 10, "aie.use_lock"),
                operation(4, 11, "arith.addi"),
            ],
            fifo_uses: vec![FifoUseMark {
                at: 2,
                acquires: true,
                produces: false,
                count: 1,
                fifo: "in".into(),
            }],
            loops: vec![LoopMark {
                first: 1,
                end: 5,
                source: at(9),
            }],
            ..CoreMarks::default()
        };
        let line_of = |at| marks.operation(at).map(|mark| mark.source.line);
        assert_eq!(
            [line_of(0), line_of(1), line_of(3)],
            [None, Some(10), Some(10)]
        );
        assert_eq!(line_of(400), Some(11));
        let fifo = |at| marks.fifo_use(at).map(ToString::to_string);
        assert_eq!(fifo(3).as_deref(), Some("acquire @in(Consume, 1)"));
        assert_eq!([fifo(1), fifo(4)], [None, None]);
        let name = |at| marks.function(at).map(|mark| mark.name.clone());
        assert_eq!(name(8).as_deref(), Some("core"));
        assert_eq!(name(9).as_deref(), Some("f"));
        assert_eq!(marks.loops_around(4).count(), 1);
        assert_eq!(marks.loops_around(5).count(), 0);
    }
}
