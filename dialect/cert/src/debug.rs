//! Names and source lines beside the code: the section `.aiec.debug`.
//!
//! The section is not loaded and its name is ours, so other loaders ignore it. It is text, one
//! record a line, blanks between fields, the name last:
//!
//! ```text
//! aiec-debug 1
//! device NAME
//! file PATH                          (numbered from 0 in order)
//! arg INDEX BYTES NAME
//! buffer COLUMN ROW ADDRESS BYTES LOC NAME
//! lock COLUMN ROW ID LOC NAME
//! channel COLUMN ROW s2mm|mm2s CHANNEL LOC NAME
//! core COLUMN ROW LOC NAME
//! of produce|consume DEPTH FIFO      (the object fifo that the last of the above is a part of)
//! elements BYTES [ELEMENT SHAPE]     (of each element of the last buffer; its type, as that of an argument)
//! type INDEX ELEMENT SHAPE           (of an argument; a shape as 4x16, or - for no dimension)
//! page UC PAGE                       (what follows is on that page)
//! job OFFSET ID configure|run LOC
//! op OFFSET LOC
//! program COLUMN ROW CHECKSUM        (what follows is in that core program; checksum 0: in machine
//!                                     code, whose instructions are counted in bytes)
//! function INSTRUCTION NAME
//! loop FIRST END LOC
//! at INSTRUCTION LOC OPERATION
//! fifo INSTRUCTION acquire|release produce|consume COUNT NAME
//! old-read INSTRUCTION REGISTER      (read on purpose while a result is under way to it)
//! ```
//!
//! LOC is `FILE:LINE:COLUMN` or `-`. Offsets are bytes from the page's begin, addresses and sizes
//! are bytes, columns are relative to the partition. In names and paths a backslash, newline or
//! carriage return is written `\\`, `\n`, `\r`.

mod core;
mod record;

use std::borrow::Cow;

use aiec_diag::{Diag, named_enum};

use crate::binary::malformed;
use crate::image::{Image, JobMark, LineMark};
use crate::program::{Phase, SourceLoc};
use record::{HexField, LocField, record};

pub use self::core::{
    CoreMarks, FifoPart, FifoUseMark, FunctionMark, LoopMark, OldReadMark, OperationMark,
};

/// Name of the section.
pub const SECTION: &str = ".aiec.debug";
/// Checksum in place of a program's, for machine code: a tile has one such program.
pub const MACHINE_CODE: u32 = 0;
const FIRST_LINE: &str = "aiec-debug 1";

named_enum! {
    /// Direction of a DMA channel.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Direction {
        /// Stream to memory.
        S2mm => "s2mm",
        /// Memory to stream.
        Mm2s => "mm2s",
    }
}

/// A host argument of the runtime sequence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Argument {
    /// Index.
    pub index: u32,
    /// Size in bytes.
    pub bytes: u64,
    /// Name.
    pub name: String,
    /// Its parts, if the file says so.
    pub ty: Option<ArgumentType>,
}

/// Element type and shape of a host argument or of a buffer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArgumentType {
    /// Element type as in MLIR, for example `bf16`.
    pub element: String,
    /// Extents, the outermost first.
    pub shape: Vec<u64>,
}

impl std::fmt::Display for ArgumentType {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for extent in &self.shape {
            write!(f, "{extent}x")?;
        }
        f.write_str(&self.element)
    }
}

/// Kind of a named thing of the array.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ResourceKind {
    /// A buffer in the tile's memory.
    Buffer {
        /// Byte address in the tile's own memory.
        address: u32,
        /// Size in bytes.
        bytes: u32,
    },
    /// A lock of the tile.
    Lock {
        /// Number.
        id: u8,
    },
    /// A DMA channel of the tile.
    Channel {
        /// Direction.
        direction: Direction,
        /// Number in its direction.
        channel: u8,
    },
    /// The core of the tile.
    Core,
}

/// A named thing of the array.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resource {
    /// Column, relative to the partition.
    pub column: u8,
    /// Row.
    pub row: u8,
    /// Its kind.
    pub kind: ResourceKind,
    /// Name in the source.
    pub name: String,
    /// Where it was declared.
    pub source: Option<SourceLoc>,
    /// The part of an object fifo that it is.
    pub fifo: Option<FifoPart>,
    /// Bytes of an element of a buffer.
    pub element_bytes: Option<u32>,
    /// Element type and shape of a buffer.
    pub ty: Option<ArgumentType>,
}

/// Part of the name of the lock that counts the objects that a consumer can take, as the lowering of object fifos names it.
const CONSUMER_LOCK: &str = "_cons_lock";

impl Resource {
    /// The symbol of the object fifo whose filled objects it counts, if it is such a lock.
    pub fn counts_filled_objects(&self) -> Option<&str> {
        let is_lock = matches!(self.kind, ResourceKind::Lock { .. });
        let fifo = self.fifo.as_ref()?;
        (is_lock && self.name.contains(CONSUMER_LOCK)).then_some(fifo.fifo.as_str())
    }
}

/// Jobs and instructions of a page.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PageMarks {
    /// Controller.
    pub uc: u32,
    /// Page number.
    pub page: u16,
    /// Jobs in page order.
    pub jobs: Vec<JobMark>,
    /// Instructions in page order.
    pub lines: Vec<LineMark>,
}

/// The contents of the section.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DebugInfo {
    /// Device the code was compiled for.
    pub device: Option<String>,
    /// Source files; locations refer to them by index.
    pub files: Vec<String>,
    /// Host arguments.
    pub arguments: Vec<Argument>,
    /// Buffers, locks, channels and cores.
    pub resources: Vec<Resource>,
    /// Pages.
    pub pages: Vec<PageMarks>,
    /// Core programs.
    pub programs: Vec<CoreMarks>,
}

impl DebugInfo {
    /// The marks of an encoded program; the rest is for the caller to add.
    pub fn of_image(image: &Image, files: Vec<String>) -> Self {
        let pages = image.ucs.iter().flat_map(|uc| {
            uc.pages.iter().enumerate().map(|(number, page)| PageMarks {
                uc: uc.uc,
                page: number as u16,
                jobs: page
                    .jobs
                    .iter()
                    .map(|j| JobMark { end: None, ..*j })
                    .collect(),
                lines: page.lines.clone(),
            })
        });
        Self {
            files,
            pages: pages.collect(),
            ..Self::default()
        }
    }

    /// The marks of a page.
    pub fn page(&self, uc: u32, page: u16) -> Option<&PageMarks> {
        self.pages.iter().find(|p| p.uc == uc && p.page == page)
    }

    /// The marks of the core program with a checksum in a tile.
    pub fn program(&self, (column, row): (u8, u8), checksum: u32) -> Option<&CoreMarks> {
        let wanted = (column, row, checksum);
        let mut programs = self.programs.iter();
        programs.find(|marks| (marks.column, marks.row, marks.checksum) == wanted)
    }

    /// `file:line:column` of a location.
    pub fn show(&self, loc: SourceLoc) -> Option<String> {
        let file = self.files.get(loc.file as usize)?;
        let column = if loc.column > 0 {
            format!(":{}", loc.column)
        } else {
            String::new()
        };
        Some(format!("{file}:{}{column}", loc.line))
    }

    /// The section's bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = format!("{FIRST_LINE}\n");
        if let Some(device) = &self.device {
            record!(&mut out, "device", escape(device));
        }
        for file in &self.files {
            record!(&mut out, "file", escape(file));
        }
        for argument in &self.arguments {
            write_argument(&mut out, argument);
        }
        for resource in &self.resources {
            self.write_resource(&mut out, resource);
        }
        for page in &self.pages {
            record!(&mut out, "page", page.uc, page.page);
            for job in &page.jobs {
                let (phase, loc) = (job.phase.name(), LocField(job.source));
                record!(&mut out, "job", job.at, job.id, phase, loc);
            }
            for LineMark { at, source } in &page.lines {
                record!(&mut out, "op", at, LocField(Some(*source)));
            }
        }
        for program in &self.programs {
            program.write(&mut out);
        }
        out.into_bytes()
    }

    fn write_resource(&self, out: &mut String, resource: &Resource) {
        let Resource {
            column,
            row,
            kind,
            name,
            source,
            fifo,
            element_bytes,
            ty,
        } = resource;
        let (loc, name) = (LocField(*source), escape(name));
        match kind {
            ResourceKind::Buffer { address, bytes } => record!(
                out,
                "buffer",
                column,
                row,
                HexField(*address, 1),
                bytes,
                loc,
                name
            ),
            ResourceKind::Lock { id } => {
                record!(out, "lock", column, row, id, loc, name)
            }
            ResourceKind::Channel { direction, channel } => {
                let direction = direction.name();
                record!(out, "channel", column, row, direction, channel, loc, name)
            }
            ResourceKind::Core => record!(out, "core", column, row, loc, name),
        }
        if let Some(fifo) = fifo {
            fifo.write(out);
        }
        match (element_bytes, ty) {
            (Some(bytes), Some(ty)) => {
                record!(out, "elements", bytes, ty.element, shape_field(&ty.shape));
            }
            (Some(bytes), None) => record!(out, "elements", bytes),
            (None, _) => {}
        }
    }

    /// Reads the section. Records of unknown sorts are skipped, so that newer writers may add
    /// some.
    pub fn parse(bytes: &[u8]) -> Result<Self, Diag> {
        let text = std::str::from_utf8(bytes).map_err(|error| {
            let at = error.valid_up_to();
            malformed(format!("the debug section is not text at offset 0x{at:X}"))
        })?;
        let mut lines = text.lines().enumerate();
        if lines.next().map(|(_, l)| l) != Some(FIRST_LINE) {
            let message = format!("the debug section does not begin with '{FIRST_LINE}'");
            return Err(malformed(message));
        }
        let mut info = Self::default();
        for (number, line) in lines {
            info.read_line(line).ok_or_else(|| {
                let number = number + 1;
                malformed(format!("line {number} of the debug section is malformed"))
            })?;
        }
        info.programs.iter_mut().for_each(CoreMarks::sort);
        Ok(info)
    }

    fn read_line(&mut self, line: &str) -> Option<()> {
        let (sort, rest) = line.split_once(' ')?;
        let mut fields = Fields(rest);
        match sort {
            "device" => self.device = Some(unescape(rest)),
            "file" => self.files.push(unescape(rest)),
            "arg" => self.arguments.push(Argument {
                index: fields.number()?,
                bytes: fields.next()?.parse().ok()?,
                name: fields.name(),
                ty: None,
            }),
            "type" => {
                let (index, ty): (u32, _) = (fields.number()?, fields.argument_type()?);
                let mut arguments = self.arguments.iter_mut();
                arguments.find(|argument| argument.index == index)?.ty = Some(ty);
            }
            "buffer" | "lock" | "channel" | "core" => {
                let resource = fields.resource(sort)?;
                self.resources.push(resource);
            }
            "of" => self.resources.last_mut()?.fifo = Some(FifoPart::read(&mut fields)?),
            "elements" => {
                let buffer = self.resources.last_mut()?;
                buffer.element_bytes = Some(fields.number()?);
                // Files of earlier versions have no type here.
                buffer.ty = if fields.is_over() {
                    None
                } else {
                    Some(fields.argument_type()?)
                };
            }
            "program" => self.programs.push(CoreMarks {
                column: fields.number()?,
                row: fields.number()?,
                checksum: fields.number()?,
                ..CoreMarks::default()
            }),
            "function" | "loop" | "at" | "fifo" | "old-read" => {
                self.programs.last_mut()?.read(sort, &mut fields)?;
            }
            "page" => self.pages.push(PageMarks {
                uc: fields.number()?,
                page: fields.number()?,
                ..PageMarks::default()
            }),
            "job" => {
                let mark = JobMark {
                    at: fields.number()?,
                    id: fields.number()?,
                    phase: Phase::by_name(fields.next()?)?,
                    source: fields.loc()?,
                    end: None,
                };
                self.pages.last_mut()?.jobs.push(mark);
            }
            "op" => {
                let mark = LineMark {
                    at: fields.number()?,
                    source: fields.loc()??,
                };
                self.pages.last_mut()?.lines.push(mark);
            }
            _ => {}
        }
        Some(())
    }
}

/// The blank-separated fields of a record.
struct Fields<'a>(&'a str);

impl<'a> Fields<'a> {
    fn next(&mut self) -> Option<&'a str> {
        let (field, rest) = self.0.split_once(' ').unwrap_or((self.0, ""));
        self.0 = rest;
        (!field.is_empty()).then_some(field)
    }

    fn number<T: TryFrom<u32>>(&mut self) -> Option<T> {
        let field = self.next()?;
        let value = match field.strip_prefix("0x") {
            Some(hex) => u32::from_str_radix(hex, 16).ok()?,
            None => field.parse().ok()?,
        };
        T::try_from(value).ok()
    }

    fn is_over(&self) -> bool {
        self.0.is_empty()
    }

    fn name(&mut self) -> String {
        unescape(std::mem::take(&mut self.0))
    }

    /// `None`: malformed; `Some(None)`: no location.
    fn loc(&mut self) -> Option<Option<SourceLoc>> {
        let field = self.next()?;
        if field == "-" {
            return Some(None);
        }
        let mut parts = field.split(':').map(|p| p.parse::<u32>().ok());
        let (file, line, column) = (parts.next()??, parts.next()??, parts.next()??);
        Some(Some(SourceLoc { file, line, column }))
    }

    fn argument_type(&mut self) -> Option<ArgumentType> {
        let element = self.next()?.to_string();
        let shape = match self.next()? {
            "-" => Vec::new(),
            text => {
                let extents = text.split('x').map(|extent| extent.parse().ok());
                extents.collect::<Option<_>>()?
            }
        };
        Some(ArgumentType { element, shape })
    }

    fn resource(&mut self, sort: &str) -> Option<Resource> {
        let (column, row) = (self.number()?, self.number()?);
        let kind = match sort {
            "buffer" => ResourceKind::Buffer {
                address: self.number()?,
                bytes: self.number()?,
            },
            "lock" => ResourceKind::Lock { id: self.number()? },
            "channel" => ResourceKind::Channel {
                direction: Direction::by_name(self.next()?)?,
                channel: self.number()?,
            },
            _ => ResourceKind::Core,
        };
        let source = self.loc()?;
        Some(Resource {
            column,
            row,
            kind,
            name: self.name(),
            source,
            fifo: None,
            element_bytes: None,
            ty: None,
        })
    }
}

fn write_argument(out: &mut String, argument: &Argument) {
    let Argument {
        index,
        bytes,
        name,
        ty,
    } = argument;
    record!(out, "arg", index, bytes, escape(name));
    if let Some(ArgumentType { element, shape }) = ty {
        record!(out, "type", index, element, shape_field(shape));
    }
}

fn shape_field(shape: &[u64]) -> String {
    let extents: Vec<String> = shape.iter().map(u64::to_string).collect();
    if extents.is_empty() {
        "-".to_string()
    } else {
        extents.join("x")
    }
}

fn escape(name: &str) -> Cow<'_, str> {
    let special = |byte: u8| matches!(byte, b'\\' | b'\n' | b'\r');
    if !name.bytes().any(special) {
        return Cow::Borrowed(name);
    }
    let escaped = name.replace('\\', "\\\\").replace('\n', "\\n");
    Cow::Owned(escaped.replace('\r', "\\r"))
}

fn unescape(name: &str) -> String {
    let mut out = String::new();
    let mut chars = name.chars();
    while let Some(c) = chars.next() {
        match (c, c == '\\') {
            (_, true) => match chars.next() {
                Some('n') => out.push('\n'),
                Some('r') => out.push('\r'),
                Some(other) => out.push(other),
                None => {}
            },
            (c, _) => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests;
