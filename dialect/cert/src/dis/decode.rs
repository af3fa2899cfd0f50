//! The text of a page, read so that nothing in it is lost: bytes that aren't an instruction of the
//! text form stay as words.

use aiec_diag::Diag;

use super::raw_page;
use crate::isa::{ArgOffset, FlowClass, Op, RawOp, Reg, TargetSet};
use crate::names::Target;
use crate::page::{END_JOB_BYTES, HEADER_BYTES, PageHeader, START_JOB_BYTES};
use crate::program::JobKind;

/// Jobs of a page.
pub(super) struct FoundText {
    pub jobs: Vec<FoundJob>,
    /// End of EOF, in bytes from the page's begin.
    pub end: usize,
}

/// A job.
pub(super) struct FoundJob {
    pub kind: JobKind,
    pub id: u16,
    pub items: Vec<FoundItem>,
}

/// A piece of a job; offsets are bytes from the page's begin.
pub(super) enum FoundItem {
    Op { at: usize, op: RawOp },
    Word(u32),
}

/// Reads the text of a page; the error says why no jobs give these bytes.
pub(super) fn text(page: &[u8], target: Target) -> Result<FoundText, Diag> {
    PageHeader::parse(page)?;
    let mut jobs = Vec::new();
    let mut at = HEADER_BYTES;
    loop {
        let (op, size) = RawOp::decode(page, at)?;
        let flow = op.info().flow;
        if flow == FlowClass::PageEnd && is_exact(page, at, &op) {
            let end = at + size;
            return if jobs.is_empty() {
                Err(raw_page("the page has no job"))
            } else {
                Ok(FoundText { jobs, end })
            };
        }
        if flow != FlowClass::JobStart || !is_exact(page, at, &op) {
            return Err(raw_page(format!(
                "a job or EOF is wanted at offset 0x{at:X}, but {} is there",
                op.info().mnemonic
            )));
        }
        let (job, end) = job(page, at, op, target)?;
        jobs.push(job);
        at = end;
    }
}

/// The job that begins at `at`, and where it ends.
fn job(page: &[u8], at: usize, start: RawOp, target: Target) -> Result<(FoundJob, usize), Diag> {
    let none = || raw_page("a job begins with no start instruction");
    let (kind, id, size) = start.job_start().ok_or_else(none)?;
    let size = usize::from(size);
    let end = at + size;
    let ends = size >= START_JOB_BYTES + END_JOB_BYTES
        && size.is_multiple_of(4)
        && page.len() >= end
        && is_exact(page, end - END_JOB_BYTES, &RawOp::EndJob {});
    if !ends {
        return Err(raw_page(format!(
            "job {id} at offset 0x{at:X} has no END_JOB where its size says, {size} bytes on"
        )));
    }
    let body_end = end - END_JOB_BYTES;
    let mut items = Vec::new();
    let mut next = at + START_JOB_BYTES;
    while next < body_end {
        match RawOp::decode(&page[..body_end], next) {
            Ok((op, size)) if is_text(&op, target) && is_exact(page, next, &op) => {
                items.push(FoundItem::Op { at: next, op });
                next += size;
            }
            _ => {
                items.push(FoundItem::Word(word(page, next)));
                next += 4;
            }
        }
    }
    Ok((FoundJob { kind, id, items }, end))
}

/// True if the bytes are the instruction's, those that no field names included.
fn is_exact(page: &[u8], at: usize, op: &RawOp) -> bool {
    let mut bytes = Vec::new();
    op.encode(&mut bytes);
    page.get(at..at + bytes.len()) == Some(&bytes[..])
}

/// True if an operation in a job's text gives the instruction.
fn is_text(op: &RawOp, target: Target) -> bool {
    let info = op.info();
    let known = info.targets != TargetSet::Aie4 || target == Target::Aie4;
    let argument = match *op {
        Op::ApplyOffset57 { offset, .. } => offset == ArgOffset::CODE || offset.0 % 2 == 0,
        _ => true,
    };
    let mut registers = true;
    op.for_each_field(|field, operand| {
        if let (crate::isa::FieldKind::Register, crate::isa::Operand::Number(n)) =
            (field.kind, operand)
        {
            registers &= n < u32::from(Reg::COUNT);
        }
    });
    info.flow == FlowClass::Body && known && argument && registers
}

/// The word at a byte offset; zero where the page ends.
pub(super) fn word(page: &[u8], at: usize) -> u32 {
    let bytes = page.get(at..).and_then(|rest| rest.first_chunk());
    u32::from_le_bytes(bytes.copied().unwrap_or_default())
}
