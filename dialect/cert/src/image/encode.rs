//! A page to bytes.

use aiec_diag::Diag;

use super::pads::PadLayout;
use super::{
    BlockMark, JobMark, LineMark, PageImage, Reloc, code_symbol, codes, ctrl_packet_symbol,
    patch_kind,
};
use crate::bd::{UC_BD_MAX_WORDS, UcDmaBd};
use crate::finding::{CodePlace, Finding};
use crate::isa::{ArgOffset, FILLER, Op, RawOp, TargetSet};
use crate::names::Target;
use crate::page::{HEADER_BYTES, PAGE_BYTES, PageHeader, filler_bytes};
use crate::pager::{GroupPlan, LayoutOptions, PagePlan, job_bytes};
use crate::patch::PatchKind;
use crate::program::{
    BodyItem, DataBlock, DataId, DataItem, FixupValue, Group, Inst, Job, JobKind, PadId, Program,
    Scope, SourceLoc, Word,
};

/// Positions of blocks in a page, in bytes from the end of its header, by block number; kept from
/// page to page so that nothing has to be cleared.
pub(super) struct Positions {
    /// The page that is encoded, from 1.
    pub page: u32,
    /// Page and position.
    blocks: Vec<(u32, u16)>,
}

impl Positions {
    pub fn new(blocks: usize) -> Self {
        Self {
            page: 0,
            blocks: vec![(0, 0); blocks],
        }
    }

    fn get(&self, id: DataId) -> Option<u16> {
        let &(page, position) = self.blocks.get(id.0 as usize)?;
        (page == self.page).then_some(position)
    }

    fn set(&mut self, id: DataId, position: u16) {
        if let Some(block) = self.blocks.get_mut(id.0 as usize) {
            *block = (self.page, position);
        }
    }
}

pub(super) struct PageEncoder<'a> {
    pub program: &'a Program,
    pub group: &'a Group,
    pub scope: &'a Scope,
    pub plan: &'a GroupPlan,
    /// First page of each scope.
    pub firsts: &'a [Option<usize>],
    pub pads: &'a PadLayout,
    pub positions: &'a mut Positions,
    /// Blocks in page order.
    pub order: Vec<DataId>,
    pub job: Option<&'a Job>,
    pub image: PageImage,
    /// Pad addresses to add to images: position and address.
    pub pad_patches: Vec<(u16, u64)>,
    pub errors: Vec<Finding>,
    pub options: LayoutOptions,
}

impl<'a> PageEncoder<'a> {
    fn report(&mut self, source: Option<SourceLoc>, diag: Diag) {
        let place = CodePlace::new(self.group.uc, self.scope, self.job, source);
        self.errors.push(Finding::new(place, diag));
    }

    pub fn encode(&mut self, number: usize, page: &PagePlan) {
        if let Some((region, _)) = page.raw {
            return self.encode_raw(region);
        }
        let next = (!page.ends_scope)
            .then(|| self.plan.pages.get(number + 1))
            .flatten();
        let header = PageHeader {
            number: self.half("page number", number),
            length: self.half("page length", page.length()),
            next_length: self.half("page length", next.map_or(0, PagePlan::length)),
        };
        let text_start = HEADER_BYTES;
        let text_end = text_start + page.text_bytes + crate::page::EOF_BYTES;
        let filler = if page.data.is_empty() {
            0
        } else {
            filler_bytes(page.text_bytes)
        };
        self.place_data(page, text_end + filler - HEADER_BYTES);
        self.image.text.extend_from_slice(&header.to_bytes());
        for at in &page.jobs {
            self.job = self
                .scope
                .regions
                .get(at.region)
                .and_then(|r| r.jobs.get(at.index));
            if let Some(job) = self.job {
                self.encode_job(job);
            }
        }
        self.job = None;
        self.image.eof = self.scope.eof;
        RawOp::Eof {}.encode(&mut self.image.text);
        let end = self.image.text.len() + filler;
        self.image.text.resize(end, FILLER);
        for id in self.order.clone() {
            if let Some(block) = self.scope.block(id) {
                self.encode_block(block);
            }
        }
        for (position, address) in std::mem::take(&mut self.pad_patches) {
            let at = usize::from(position) + HEADER_BYTES - self.image.text.len();
            let kind = patch_kind(self.group_target());
            // the image's size was checked when the place was recorded
            let _ = kind.add(&mut self.image.data, at, address);
        }
    }

    /// A page that is given by its bytes.
    fn encode_raw(&mut self, region: usize) {
        let raw = self.scope.regions.get(region).and_then(|r| r.raw.as_ref());
        let Some(raw) = raw else { return };
        let bytes = raw.bytes.get(..PAGE_BYTES).unwrap_or(&raw.bytes);
        let split = raw.text_bytes.min(PAGE_BYTES);
        let (text, data) = bytes.split_at(split.min(bytes.len()));
        self.image.text.extend_from_slice(text);
        self.image.text.resize(split, 0);
        self.image.data.extend_from_slice(data);
        self.image.relocs = raw
            .patches
            .iter()
            .map(|patch| Reloc {
                position: patch.position,
                kind: patch.kind,
                symbol: patch.symbol.clone(),
            })
            .collect();
    }

    fn group_target(&self) -> Target {
        self.program.target
    }

    /// A value that goes to a half-word of the page.
    fn half(&mut self, what: &'static str, value: usize) -> u16 {
        u16::try_from(value).unwrap_or_else(|_| {
            let message = format!("{what} {value} does not fit 16 bits");
            let diag = Diag::error(&codes::OVERFLOW, message).help("use fewer pages");
            self.report(None, diag);
            0
        })
    }

    /// Chains first, then words, each in order of first use; no gaps.
    fn place_data(&mut self, page: &PagePlan, start: usize) {
        let chains = |&id: &DataId| self.scope.block(id).is_some_and(DataBlock::is_chain);
        let (chains, words): (Vec<DataId>, Vec<DataId>) =
            page.data.iter().copied().partition(chains);
        let mut at = start;
        for id in chains.into_iter().chain(words) {
            let position = self.half("label position", at);
            self.positions.set(id, position);
            self.order.push(id);
            at += self.scope.block(id).map_or(0, DataBlock::size);
        }
    }

    fn encode_job(&mut self, job: &'a Job) {
        let at = self.image.text.len();
        let job_id = job.id;
        let job_size = self.half("job size", job_bytes(job, at - HEADER_BYTES));
        let (phase, source) = (job.phase, job.source);
        self.image.jobs.push(JobMark {
            at: at as u16,
            id: job_id,
            phase,
            source,
            end: job.end,
        });
        match job.kind {
            JobKind::Immediate => RawOp::StartJob { job_id, job_size },
            JobKind::Deferred => RawOp::StartJobDeferred { job_id, job_size },
            JobKind::AfterPreemption => RawOp::StartCondJobPreempt { job_id, job_size },
        }
        .encode(&mut self.image.text);
        for item in &job.body {
            match item {
                BodyItem::Inst(inst) => self.encode_inst(inst),
                BodyItem::Word(word) => {
                    let word = self.word(*word);
                    self.image.text.extend_from_slice(&word.to_le_bytes());
                }
                BodyItem::Align(n) => {
                    let used = self.image.text.len() - HEADER_BYTES;
                    let end = used.next_multiple_of((*n).max(1) as usize) + HEADER_BYTES;
                    self.image.text.resize(end, FILLER);
                }
            }
        }
        RawOp::EndJob {}.encode(&mut self.image.text);
    }

    fn encode_inst(&mut self, inst: &Inst) {
        let at = self.image.text.len();
        if let Some(source) = inst.source.filter(|_| !inst.relocs_only) {
            self.image.lines.push(LineMark {
                at: at as u16,
                source,
            });
        }
        let info = inst.op.info();
        if info.targets == TargetSet::Aie4 && self.group_target() != Target::Aie4 {
            let (mnemonic, target) = (info.mnemonic, self.group_target());
            let message = format!("{mnemonic} does not exist on {target}");
            let diag = Diag::error(&codes::NOT_ON_TARGET, message);
            let help = "choose another target, or leave the instruction out";
            self.report(inst.source, diag.help(help));
        }
        let raw = inst.op.try_map(
            |id| {
                let position = self.positions.get(id);
                position.ok_or_else(|| dangling("data block", id.0))
            },
            |id| match self.firsts.get(id.0 as usize).copied().flatten() {
                Some(page) => Ok(page as u16),
                None => Err(match self.group.scope(id) {
                    Some(scope) => {
                        let message =
                            format!("refers to scope '{}', which has no jobs", scope.name);
                        Diag::error(&codes::DANGLING, message)
                            .help("add a job to the scope, or remove the reference")
                    }
                    None => dangling("scope", id.0),
                }),
            },
        );
        match raw {
            Ok(_) if inst.relocs_only => {}
            Ok(raw) => raw.encode(&mut self.image.text),
            Err(diag) => return self.report(inst.source, diag),
        }
        if !inst.relocs_only {
            self.apply_fixups(inst, at);
        }
        match inst.op {
            Op::ApplyOffset57 {
                table,
                num_entries,
                offset,
            } => self.patch_table(inst, table, num_entries, offset),
            Op::ApplyOffsetPl { table, buffer_id } => {
                let kind = PatchKind::PlAddress64;
                self.check_image(inst, table, kind);
                self.image.relocs.push(Reloc {
                    position: self.positions.get(table).unwrap_or(0),
                    kind,
                    symbol: buffer_id.to_string(),
                });
            }
            _ => {}
        }
    }

    fn apply_fixups(&mut self, inst: &Inst, at: usize) {
        for fixup in &inst.fixups {
            let Some(field) = inst.op.info().fields.get(fixup.field) else {
                continue;
            };
            let place = at + usize::from(field.offset);
            let value = match &fixup.value {
                FixupValue::Symbol(symbol) => {
                    let position = (place - HEADER_BYTES) as u16;
                    let (kind, symbol) = (PatchKind::Scalar32, symbol.clone());
                    self.image.relocs.push(Reloc {
                        position,
                        kind,
                        symbol,
                    });
                    continue;
                }
                FixupValue::Label(id) => self.word(Word::Label(*id)),
                FixupValue::Pad(id) => self.word(Word::Pad(*id)),
            };
            let width = usize::from(field.bits / 8);
            let bytes = value.to_le_bytes();
            self.image.text[place..place + width].copy_from_slice(&bytes[..width]);
        }
    }

    /// Records the relocations of an APPLY_OFFSET_57 and the pad address it adds.
    fn patch_table(&mut self, inst: &Inst, table: DataId, entries: u16, offset: ArgOffset) {
        let Some(first) = self.order.iter().position(|&id| id == table) else {
            return;
        };
        let label = self
            .scope
            .block(table)
            .map_or_else(String::new, |b| b.name.clone());
        let symbol = match offset.index() {
            None => code_symbol(self.group.uc),
            Some(index) => match self.ctrl_packet(u32::from(index)) {
                Some(symbol) => symbol,
                None => index.to_string(),
            },
        };
        let kind = patch_kind(self.group_target());
        let pad = inst.pad.map(|id| self.word(Word::Pad(id)));
        for i in 0..usize::from(entries) {
            let Some(&id) = self.order.get(first + i) else {
                let present = self.order.len() - first;
                let message = format!(
                    "a table of {entries} blocks begins at '{label}', but there are only {present}"
                );
                let diag = Diag::error(&codes::BD_TABLE, message)
                    .help("define the other images directly after the first");
                return self.report(inst.source, diag);
            };
            if id.0 as usize != table.0 as usize + i && !self.options.compat {
                let message = format!(
                    "the blocks of the table that begins at '{label}' are not side by side in the \
                     page"
                );
                let diag = Diag::error(&codes::BD_TABLE, message).help(
                    "refer to the table before its later blocks, or patch the images one by one",
                );
                return self.report(inst.source, diag);
            }
            self.check_image(inst, id, kind);
            let position = self.positions.get(id).unwrap_or(0);
            self.image.relocs.push(Reloc {
                position,
                kind,
                symbol: symbol.clone(),
            });
            if let Some(address) = pad {
                self.pad_patches.push((position, u64::from(address)));
            }
        }
    }

    fn ctrl_packet(&self, id: u32) -> Option<String> {
        let known = self.program.ctrl_packets.iter().any(|b| b.id == id);
        known.then(|| ctrl_packet_symbol(id))
    }

    fn check_image(&mut self, inst: &Inst, id: DataId, kind: PatchKind) {
        let Some(block) = self.scope.block(id) else {
            return;
        };
        let (bytes, needed) = (block.size(), kind.words() * 4);
        if bytes < needed && !self.options.compat {
            let message = format!(
                "'{}' has {bytes} bytes, a patched BD image needs {needed}",
                block.name
            );
            let help = "append zero words up to the length patching needs";
            let diag = Diag::error(&codes::BD_IMAGE, message).help(help);
            self.report(inst.source, diag);
        }
    }

    fn encode_block(&mut self, block: &DataBlock) {
        let at = self.image.text.len() + self.image.data.len();
        self.image
            .blocks
            .extend(block.source.map(|source| BlockMark {
                at: at as u16,
                items: block.items.len() as u16,
                source,
            }));
        for item in &block.items {
            match item {
                DataItem::Word(word) => {
                    let word = self.word(*word);
                    self.image.data.extend_from_slice(&word.to_le_bytes());
                }
                DataItem::Bd(bd) => self.encode_bd(block, bd),
            }
        }
    }

    fn encode_bd(&mut self, block: &DataBlock, bd: &UcDmaBd<DataId>) {
        let in_range = (1..=UC_BD_MAX_WORDS).contains(&bd.words);
        if !in_range && !self.options.compat {
            let message = format!(
                "a descriptor of '{}' moves {} words, allowed are 1 to {UC_BD_MAX_WORDS}",
                block.name, bd.words
            );
            let help = "split the transfer over several descriptors";
            let diag = Diag::error(&codes::DESCRIPTOR_LENGTH, message).help(help);
            self.report(block.source, diag);
        }
        let here = (self.image.text.len() + self.image.data.len() - HEADER_BYTES) as u32;
        let local = self.word(Word::Label(bd.local)).wrapping_sub(here);
        for word in bd.with_local(local).to_words() {
            self.image.data.extend_from_slice(&word.to_le_bytes());
        }
    }

    fn word(&mut self, word: Word) -> u32 {
        match word {
            Word::Value(value) => value,
            Word::Label(id) => match self.positions.get(id) {
                Some(position) => u32::from(position),
                None => self.report_dangling("data block", id.0),
            },
            Word::Pad(PadId(id)) => match self.pads.offsets.get(id as usize) {
                Some(&offset) => offset,
                None => self.report_dangling("pad", id),
            },
        }
    }

    fn report_dangling(&mut self, what: &str, id: u32) -> u32 {
        self.report(None, dangling(what, id));
        0
    }
}

fn dangling(what: &str, id: u32) -> Diag {
    let message = format!("refers to {what} number {id}, which does not exist");
    Diag::error(&codes::DANGLING, message).help("add what is referred to before layout")
}
