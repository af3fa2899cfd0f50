//! The page: size, header and walking its text.
//!
//! | byte | header field |
//! |---|---|
//! | 0..1 | 0xFF 0xFF |
//! | 2..3 | page number in this controller |
//! | 4..7 | lengths of out-of-order pages (older assemblers), else 0 |
//! | 8..9 | length of this page in bytes |
//! | 10..11 | length field of the next page of the same scope, 0 on the last |
//! | 12 | polling hint of newer assemblers, else 0 |
//!
//! After it come the jobs, EOF, filler up to a multiple of 16 if there is data, and the data.

use aiec_diag::Diag;

use crate::binary::malformed;
use crate::isa::{FILLER, FlowClass, RawOp};
use crate::program::JobKind;

/// Size of a page in bytes.
pub const PAGE_BYTES: usize = 8192;
/// Size of the page header in bytes. Positions (labels, relocations) are counted from its end.
pub const HEADER_BYTES: usize = 16;
/// Size of START_JOB and its variants in bytes.
pub const START_JOB_BYTES: usize = 8;
/// Size of END_JOB in bytes.
pub const END_JOB_BYTES: usize = 4;
/// Size of EOF in bytes.
pub const EOF_BYTES: usize = 4;
/// Alignment of a page's data in bytes.
pub const DATA_ALIGN: usize = 16;
/// First half-word of every page.
pub const MAGIC: u16 = 0xFFFF;

/// Filler bytes between the EOF that follows `text` bytes of jobs and the data.
pub const fn filler_bytes(text: usize) -> usize {
    (DATA_ALIGN - (text + EOF_BYTES) % DATA_ALIGN) % DATA_ALIGN
}

/// Bytes of a page that holds `text` bytes of jobs and `data` bytes of data, with header, EOF and the filler in front of
/// data.
pub const fn page_bytes(text: usize, data: usize) -> usize {
    HEADER_BYTES + text + EOF_BYTES + filler_bytes(text) + data
}

/// The fields of a page header.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PageHeader {
    /// Page number in this controller.
    pub number: u16,
    /// Length of this page in bytes. A hint: it may exceed what is in use.
    pub length: u16,
    /// Length of the next page of the same scope, 0 if this is the last.
    pub next_length: u16,
}

impl PageHeader {
    /// The header's bytes.
    pub fn to_bytes(self) -> [u8; HEADER_BYTES] {
        let mut bytes = [0; HEADER_BYTES];
        bytes[0..2].copy_from_slice(&MAGIC.to_le_bytes());
        bytes[2..4].copy_from_slice(&self.number.to_le_bytes());
        bytes[8..10].copy_from_slice(&self.length.to_le_bytes());
        bytes[10..12].copy_from_slice(&self.next_length.to_le_bytes());
        bytes
    }

    /// Reads a header; bytes 4..7 and 12..15 may hold anything.
    pub fn parse(page: &[u8]) -> Result<Self, Diag> {
        let bytes: &[u8; HEADER_BYTES] = page
            .first_chunk()
            .ok_or_else(|| malformed("the page is shorter than its header"))?;
        let half = |at: usize| u16::from_le_bytes([bytes[at], bytes[at + 1]]);
        if half(0) != MAGIC {
            let message = format!(
                "the page begins with 0x{:04X} instead of 0x{MAGIC:04X}",
                half(0)
            );
            return Err(malformed(message));
        }
        Ok(Self {
            number: half(2),
            length: half(8),
            next_length: half(10),
        })
    }
}

/// An instruction of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlacedOp {
    /// Byte offset from the page's begin.
    pub at: usize,
    /// The instruction.
    pub op: RawOp,
}

/// A job of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlacedJob {
    /// Byte offset of its start instruction from the page's begin.
    pub at: usize,
    /// Its start condition.
    pub kind: JobKind,
    /// Its number.
    pub id: u16,
    /// Instructions between start and end, and the end itself.
    pub ops: Vec<PlacedOp>,
}

/// A page, decoded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DecodedPage {
    /// Its header.
    pub header: PageHeader,
    /// Its jobs in text order.
    pub jobs: Vec<PlacedJob>,
    /// Byte offset of the end of EOF from the page's begin.
    pub text_end: usize,
}

/// Skips filler bytes.
fn skip_filler(page: &[u8], mut at: usize) -> usize {
    while page.get(at) == Some(&FILLER) {
        at += 1;
    }
    at
}

/// Decodes the header and the text of a page through EOF.
pub fn decode_page(page: &[u8]) -> Result<DecodedPage, Diag> {
    let header = PageHeader::parse(page)?;
    let mut jobs = Vec::new();
    let mut open: Option<(PlacedJob, u16)> = None;
    let mut at = HEADER_BYTES;
    loop {
        at = skip_filler(page, at);
        let (op, size) = RawOp::decode(page, at)?;
        let info = op.info();
        match (info.flow, &mut open) {
            (FlowClass::JobStart, None) => open = start_of(op, at),
            (FlowClass::PageEnd, None) => {
                return Ok(DecodedPage {
                    header,
                    jobs,
                    text_end: at + size,
                });
            }
            (_, None) => {
                let mnemonic = info.mnemonic;
                let message = format!("{mnemonic} at offset 0x{at:X} is outside a job");
                return Err(malformed(message));
            }
            (FlowClass::Body, Some((job, _))) => job.ops.push(PlacedOp { at, op }),
            (FlowClass::JobEnd, Some((job, stated))) => {
                job.ops.push(PlacedOp { at, op });
                let found = at + size - job.at;
                if usize::from(*stated) != found {
                    let message = format!(
                        "job {} at offset 0x{:X} states {stated} bytes but has {found}",
                        job.id, job.at
                    );
                    return Err(malformed(message));
                }
                jobs.extend(open.take().map(|(job, _)| job));
            }
            (_, Some((job, _))) => {
                let (mnemonic, job) = (info.mnemonic, job.id);
                let message = format!("{mnemonic} at offset 0x{at:X} is inside job {job}");
                return Err(malformed(message));
            }
        }
        at += size;
    }
}

/// The job that a start instruction begins, and the size it states.
fn start_of(op: RawOp, at: usize) -> Option<(PlacedJob, u16)> {
    let (kind, id, size) = op.job_start()?;
    Some((
        PlacedJob {
            at,
            kind,
            id,
            ops: Vec::new(),
        },
        size,
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(ops: &[RawOp]) -> Vec<u8> {
        let mut bytes = PageHeader {
            number: 3,
            length: 44,
            next_length: 0,
        }
        .to_bytes()
        .to_vec();
        for op in ops {
            op.encode(&mut bytes);
        }
        bytes
    }

    #[test]
    fn decodes_jobs() {
        let bytes = page(&[
            RawOp::StartJob {
                job_id: 7,
                job_size: 16,
            },
            RawOp::Nop {},
            RawOp::EndJob {},
            RawOp::Eof {},
        ]);
        let page = decode_page(&bytes).unwrap();
        assert_eq!(page.header.number, 3);
        assert_eq!(page.jobs.len(), 1);
        assert_eq!(
            (page.jobs[0].id, page.jobs[0].at, page.jobs[0].ops.len()),
            (7, 16, 2)
        );
        assert_eq!(page.text_end, 36);
    }

    #[test]
    fn refuses_nonsense() {
        let why = |bytes: &[u8]| decode_page(bytes).unwrap_err().message;
        assert_eq!(why(&[0; 4]), "the page is shorter than its header");
        assert_eq!(
            why(&[0; 16]),
            "the page begins with 0x0000 instead of 0xFFFF"
        );
        let outside = page(&[RawOp::Nop {}]);
        assert_eq!(why(&outside), "NOP at offset 0x10 is outside a job");
        let start = |job_size| RawOp::StartJob {
            job_id: 0,
            job_size,
        };
        let open = page(&[start(8), RawOp::Eof {}]);
        assert_eq!(why(&open), "EOF at offset 0x18 is inside job 0");
        let size = page(&[start(8), RawOp::EndJob {}]);
        let wanted = "job 0 at offset 0x10 states 8 bytes but has 12";
        assert_eq!(why(&size), wanted);
        let cut = page(&[start(12)]);
        let wanted = "no instruction at offset 0x18: the text ends before it";
        assert_eq!(why(&cut), wanted);
    }
}
