//! From program to bytes: pages with resolved labels, pads, and the places the host patches.

mod codes;
mod encode;
mod pads;

pub use codes::CODES;

use std::collections::HashSet;

use crate::finding::Finding;
use crate::names::Target;
use crate::page::PAGE_BYTES;
use crate::pager::{GroupPlan, LayoutOptions, plan};
use crate::patch::PatchKind;
use crate::program::{CtrlPacketBuffer, Group, Phase, Program, SourceLoc};
use encode::{PageEncoder, Positions};
use pads::PadLayout;

/// Encoded control code of one partition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Image {
    /// Family of controllers.
    pub target: Target,
    /// Columns of the partition.
    pub columns: u32,
    /// Controllers with code, ascending.
    pub ucs: Vec<UcImage>,
    /// Control packet buffers.
    pub ctrl_packets: Vec<CtrlPacketBuffer>,
}

/// Encoded code of one controller.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UcImage {
    /// Number of the controller.
    pub uc: u32,
    /// Pages, by number.
    pub pages: Vec<PageImage>,
    /// Scratch pads, one after the other.
    pub pad: Vec<u8>,
}

/// An encoded page.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PageImage {
    /// Header, jobs, EOF and filler.
    pub text: Vec<u8>,
    /// Data in use; the rest of the page is zero.
    pub data: Vec<u8>,
    /// Places the host patches, in instruction order.
    pub relocs: Vec<Reloc>,
    /// Jobs, in page order.
    pub jobs: Vec<JobMark>,
    /// Instructions whose source is known, in page order.
    pub lines: Vec<LineMark>,
    /// Blocks of data whose source is known, in page order.
    pub blocks: Vec<BlockMark>,
    /// Where EOF comes from.
    pub eof: Option<SourceLoc>,
}

impl PageImage {
    /// The whole page: text, data, zeros.
    pub fn bytes(&self) -> Vec<u8> {
        let mut page = self.text.clone();
        page.extend_from_slice(&self.data);
        page.resize(PAGE_BYTES, 0);
        page
    }
}

/// A place the host patches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reloc {
    /// Byte offset from the end of the page header.
    pub position: u16,
    /// Sort of address field.
    pub kind: PatchKind,
    /// The addend.
    pub symbol: String,
}

/// Where a job is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JobMark {
    /// Byte offset in the page.
    pub at: u16,
    /// Number.
    pub id: u16,
    /// Its purpose.
    pub phase: Phase,
    /// Where it comes from.
    pub source: Option<SourceLoc>,
    /// Where its END_JOB comes from; not in the debug section.
    pub end: Option<SourceLoc>,
}

/// Where an instruction comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LineMark {
    /// Byte offset in the page.
    pub at: u16,
    /// Source.
    pub source: SourceLoc,
}

/// Where a block of data is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BlockMark {
    /// Byte offset in the page.
    pub at: u16,
    /// Number of descriptors and words.
    pub items: u16,
    /// Where its label comes from.
    pub source: SourceLoc,
}

/// Symbol of the device address of a controller's page 0.
pub fn code_symbol(uc: u32) -> String {
    format!("control-code-{uc}")
}

/// Symbol of the device address of a control packet buffer.
pub fn ctrl_packet_symbol(id: u32) -> String {
    format!(".ctrlpkt-{id}")
}

/// Lays out and encodes a program. All findings are reported together.
pub fn assemble(program: &Program, options: LayoutOptions) -> Result<Image, Vec<Finding>> {
    let (plans, errors) = plan(program, options);
    if errors.is_empty() {
        encode(program, &plans, options)
    } else {
        Err(errors)
    }
}

/// Encodes a program that was laid out; `plans` holds the pages of its groups, in their order.
/// All findings are reported together.
pub fn encode(
    program: &Program,
    plans: &[GroupPlan],
    options: LayoutOptions,
) -> Result<Image, Vec<Finding>> {
    let mut errors = Vec::new();
    let mut ucs = Vec::new();
    for (group, plan) in program.groups.iter().zip(plans) {
        ucs.push(encode_group(program, group, plan, options, &mut errors));
    }
    if !errors.is_empty() {
        // what is wrong in data comes up on each page that holds them
        let mut seen = HashSet::new();
        errors.retain(|error| seen.insert((error.place.source, error.to_string())));
        return Err(errors);
    }
    Ok(Image {
        target: program.target,
        columns: program.columns,
        ucs,
        ctrl_packets: program.ctrl_packets.clone(),
    })
}

fn encode_group(
    program: &Program,
    group: &Group,
    plan: &GroupPlan,
    options: LayoutOptions,
    errors: &mut Vec<Finding>,
) -> UcImage {
    let pads = PadLayout::new(group, plan.pages.len());
    let mut pages = Vec::with_capacity(plan.pages.len());
    let firsts = plan.first_pages(group.scopes.len());
    // positions of blocks are those of the page that was encoded last; a page has only its own
    let most = group.scopes.iter().map(|scope| scope.data.len()).max();
    let mut positions = Positions::new(most.unwrap_or(0));
    for (number, page) in plan.pages.iter().enumerate() {
        let Some(scope) = group.scope(page.scope) else {
            continue;
        };
        positions.page = number as u32 + 1;
        let mut encoder = PageEncoder {
            program,
            group,
            scope,
            plan,
            firsts: &firsts,
            pads: &pads,
            positions: &mut positions,
            order: Vec::with_capacity(page.data.len()),
            job: None,
            image: PageImage::default(),
            pad_patches: Vec::new(),
            errors: Vec::new(),
            options,
        };
        encoder.encode(number, page);
        errors.append(&mut encoder.errors);
        pages.push(encoder.image);
    }
    UcImage {
        uc: group.uc,
        pages,
        pad: pads.bytes,
    }
}

/// Kind of the patches of a target's shim BD images.
pub fn patch_kind(target: Target) -> PatchKind {
    match target {
        Target::Aie2ps => PatchKind::ShimBd57,
        Target::Aie4 => PatchKind::ShimBd57Aie4,
    }
}
