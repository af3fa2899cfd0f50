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
//! page UC PAGE                       (what follows is on that page)
//! job OFFSET ID configure|run LOC
//! op OFFSET LOC
//! ```
//!
//! LOC is `FILE:LINE:COLUMN` or `-`. Offsets are bytes from the page's begin, addresses and sizes
//! are bytes, columns are relative to the partition. In names and paths a backslash, newline or
//! carriage return is written `\\`, `\n`, `\r`.

use std::fmt::Write;

use aiec_diag::Diag;

use crate::binary::malformed;
use crate::image::{Image, JobMark, LineMark};
use crate::program::{Phase, SourceLoc};

/// Name of the section.
pub const SECTION: &str = ".aiec.debug";
const FIRST_LINE: &str = "aiec-debug 1";

/// Direction of a DMA channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Direction {
    /// Stream to memory.
    S2mm,
    /// Memory to stream.
    Mm2s,
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
}

/// What a named thing of the array is.
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
    /// What it is.
    pub kind: ResourceKind,
    /// Name in the source.
    pub name: String,
    /// Where it was declared.
    pub source: Option<SourceLoc>,
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
            line(&mut out, format_args!("device {}", escape(device)));
        }
        for file in &self.files {
            line(&mut out, format_args!("file {}", escape(file)));
        }
        for Argument { index, bytes, name } in &self.arguments {
            line(
                &mut out,
                format_args!("arg {index} {bytes} {}", escape(name)),
            );
        }
        for resource in &self.resources {
            self.write_resource(&mut out, resource);
        }
        for page in &self.pages {
            line(&mut out, format_args!("page {} {}", page.uc, page.page));
            for job in &page.jobs {
                let phase = match job.phase {
                    Phase::Configure => "configure",
                    Phase::Run => "run",
                };
                let loc = loc_text(job.source);
                line(
                    &mut out,
                    format_args!("job {} {} {phase} {loc}", job.at, job.id),
                );
            }
            for LineMark { at, source } in &page.lines {
                line(
                    &mut out,
                    format_args!("op {at} {}", loc_text(Some(*source))),
                );
            }
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
        } = resource;
        let (loc, name) = (loc_text(*source), escape(name));
        match kind {
            ResourceKind::Buffer { address, bytes } => line(
                out,
                format_args!("buffer {column} {row} 0x{address:x} {bytes} {loc} {name}"),
            ),
            ResourceKind::Lock { id } => {
                line(out, format_args!("lock {column} {row} {id} {loc} {name}"))
            }
            ResourceKind::Channel { direction, channel } => {
                let direction = match direction {
                    Direction::S2mm => "s2mm",
                    Direction::Mm2s => "mm2s",
                };
                line(
                    out,
                    format_args!("channel {column} {row} {direction} {channel} {loc} {name}"),
                )
            }
            ResourceKind::Core => line(out, format_args!("core {column} {row} {loc} {name}")),
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
            }),
            "buffer" | "lock" | "channel" | "core" => {
                let resource = fields.resource(sort)?;
                self.resources.push(resource);
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
                    phase: match fields.next()? {
                        "configure" => Phase::Configure,
                        "run" => Phase::Run,
                        _ => return None,
                    },
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

    fn resource(&mut self, sort: &str) -> Option<Resource> {
        let (column, row) = (self.number()?, self.number()?);
        let kind = match sort {
            "buffer" => ResourceKind::Buffer {
                address: self.number()?,
                bytes: self.number()?,
            },
            "lock" => ResourceKind::Lock { id: self.number()? },
            "channel" => ResourceKind::Channel {
                direction: match self.next()? {
                    "s2mm" => Direction::S2mm,
                    "mm2s" => Direction::Mm2s,
                    _ => return None,
                },
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
        })
    }
}

fn line(out: &mut String, args: std::fmt::Arguments<'_>) {
    // writing to a string cannot fail
    let _ = writeln!(out, "{args}");
}

fn loc_text(loc: Option<SourceLoc>) -> String {
    loc.map_or_else(
        || "-".into(),
        |l| format!("{}:{}:{}", l.file, l.line, l.column),
    )
}

fn escape(name: &str) -> String {
    name.replace('\\', "\\\\")
        .replace('\n', "\\n")
        .replace('\r', "\\r")
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
mod tests {
    use super::*;

    fn sample() -> DebugInfo {
        let source = Some(SourceLoc {
            file: 0,
            line: 12,
            column: 5,
        });
        let resource = |kind, name: &str, source| Resource {
            column: 3,
            row: 1,
            kind,
            name: name.into(),
            source,
        };
        DebugInfo {
            device: Some("xcve3858".into()),
            files: vec!["a b\\c.mlir".into()],
            arguments: vec![Argument {
                index: 2,
                bytes: 1 << 33,
                name: "out".into(),
            }],
            resources: vec![
                resource(
                    ResourceKind::Buffer {
                        address: 0x400,
                        bytes: 64,
                    },
                    "b",
                    source,
                ),
                resource(ResourceKind::Lock { id: 5 }, "two words", None),
                resource(
                    ResourceKind::Channel {
                        direction: Direction::Mm2s,
                        channel: 1,
                    },
                    "line\nbreak",
                    source,
                ),
                resource(ResourceKind::Core, "", None),
            ],
            pages: vec![PageMarks {
                uc: 1,
                page: 2,
                jobs: vec![JobMark {
                    at: 16,
                    id: 9,
                    phase: Phase::Configure,
                    source: None,
                    end: None,
                }],
                lines: vec![LineMark {
                    at: 24,
                    source: SourceLoc {
                        file: 0,
                        line: 1,
                        column: 0,
                    },
                }],
            }],
        }
    }

    #[test]
    fn survives_a_round_trip() {
        let info = sample();
        assert_eq!(DebugInfo::parse(&info.to_bytes()), Ok(info));
    }

    #[test]
    fn shows_locations() {
        let info = sample();
        let loc = info.resources[0].source.unwrap();
        assert_eq!(info.show(loc).as_deref(), Some("a b\\c.mlir:12:5"));
        assert_eq!(info.show(SourceLoc { file: 7, ..loc }), None);
    }

    #[test]
    fn refuses_malformed_lines() {
        let why = |bytes: &[u8]| DebugInfo::parse(bytes).unwrap_err().message;
        assert_eq!(why(&[0xFF]), "the debug section is not text at offset 0x0");
        assert!(why(b"").contains("does not begin with"));
        for bad in [
            "lock 1 2 900 - x",
            "job 1 2 run -",
            "op 1 -",
            "page 1",
            "nonsense",
        ] {
            let text = format!("{FIRST_LINE}\n{bad}\n");
            let wanted = "line 2 of the debug section is malformed";
            assert_eq!(why(text.as_bytes()), wanted, "{bad}");
        }
        let newer = format!("{FIRST_LINE}\nfuture 1 2 3\n");
        assert_eq!(DebugInfo::parse(newer.as_bytes()), Ok(DebugInfo::default()));
    }
}
