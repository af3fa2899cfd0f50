//! The data of a page: where blocks begin, and their contents.

use std::collections::{BTreeMap, BTreeSet};

use aiec_diag::Diag;

use super::decode::{self, FoundItem, FoundText};
use super::raw_page;
use crate::bd::{UC_BD_BYTES, UcDmaBd};
use crate::elf::PatchSymbol;
use crate::isa::{Op, Operand};
use crate::page::{DATA_ALIGN, HEADER_BYTES, PAGE_BYTES};
use crate::patch::PatchKind;
use crate::program::{DataBlock, DataId, DataItem, Scope, SourceLoc, Word};

/// Places of a page that the host patches: byte offset from the page's begin, kind and symbol.
pub(super) type PagePatches<'a> = BTreeMap<u32, (PatchKind, &'a PatchSymbol)>;

/// Where the last block of a page ends.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct DataEnd {
    /// Descriptors that reach further don't count, only bytes that are not zero.
    pub tight: bool,
    /// Words after that.
    pub more_words: usize,
}

/// Where the blocks of a page begin; offsets are bytes from the page's begin.
///
/// Labels are gone, but a block is only on the page because something refers to it: instructions
/// to chains and tables, descriptors to payloads, relocations to the images of a table. A block
/// reaches to the next one.
pub(super) struct DataMap<'a> {
    page: &'a [u8],
    /// Where data may begin.
    begin: usize,
    /// Begins of blocks.
    starts: BTreeSet<usize>,
    /// Descriptors by place, with their payload's place.
    descriptors: BTreeMap<usize, (UcDmaBd<u32>, usize)>,
    /// End of the data: one past their last byte.
    end: usize,
}

impl<'a> DataMap<'a> {
    /// Follows instructions, descriptors and relocations into the data. The error says why no blocks give these bytes.
    pub fn find(
        page: &'a [u8],
        text: &FoundText,
        patches: &PagePatches<'_>,
        data_end: DataEnd,
    ) -> Result<Self, Diag> {
        let begin = text.end.next_multiple_of(DATA_ALIGN);
        let mut map = Self {
            page,
            begin,
            starts: BTreeSet::new(),
            descriptors: BTreeMap::new(),
            end: begin,
        };
        for item in text.jobs.iter().flat_map(|job| &job.items) {
            if let FoundItem::Op { at, op } = item {
                map.follow_op(*at, op)?;
            }
        }
        for (&at, (kind, _)) in patches {
            let at = at as usize;
            if *kind == PatchKind::Scalar32 {
                continue;
            }
            if at >= PAGE_BYTES || !at.is_multiple_of(4) {
                return Err(raw_page(format!(
                    "the relocation at offset 0x{at:X} isn't a place in the page"
                )));
            }
            if at >= begin {
                map.starts.insert(at);
                map.reach(at + 4 * kind.words());
            }
        }
        map.complete_chains()?;
        map.find_end(text.end, data_end)?;
        Ok(map)
    }

    fn follow_op(&mut self, place: usize, op: &crate::isa::RawOp) -> Result<(), Diag> {
        let is_chain = matches!(op, Op::UcDmaWriteDes { .. } | Op::UcDmaWriteDesSync { .. });
        let mut label = None;
        op.for_each_field(|_, operand| {
            if let Operand::Label(position) = operand {
                label = Some(usize::from(position) + HEADER_BYTES);
            }
        });
        let Some(at) = label else { return Ok(()) };
        if at < self.begin || at >= PAGE_BYTES || !at.is_multiple_of(4) {
            return Err(raw_page(format!(
                "the operand of {} at offset 0x{place:X} isn't a place in the page's data",
                op.info().mnemonic
            )));
        }
        self.starts.insert(at);
        if is_chain {
            self.follow_chain(at)
        } else {
            self.reach(at + 4);
            Ok(())
        }
    }

    fn reach(&mut self, end: usize) {
        self.end = self.end.max(end.min(PAGE_BYTES));
    }

    /// Takes the descriptors of a chain and the places of their payloads.
    fn follow_chain(&mut self, start: usize) -> Result<(), Diag> {
        let mut at = start;
        while !self.descriptors.contains_key(&at) {
            let (bd, payload) = self.descriptor(at)?;
            self.starts.insert(payload);
            self.reach(payload.saturating_add(4 * bd.words as usize));
            self.reach(at + UC_BD_BYTES);
            self.descriptors.insert(at, (bd, payload));
            if !bd.next {
                break;
            }
            at += UC_BD_BYTES;
        }
        Ok(())
    }

    /// The descriptor at a place, and the place of its payload.
    fn descriptor(&self, at: usize) -> Result<(UcDmaBd<u32>, usize), Diag> {
        if at + UC_BD_BYTES > PAGE_BYTES {
            return Err(raw_page(format!(
                "the descriptor at offset 0x{at:X} leaves the page"
            )));
        }
        let words = [0, 4, 8, 12].map(|offset| decode::word(self.page, at + offset));
        let (bd, _) = UcDmaBd::from_words(words);
        if bd.to_words() != words {
            return Err(raw_page(format!(
                "the descriptor at offset 0x{at:X} has bits that no UC_DMA_BD gives"
            )));
        }
        let payload = (at as u32).wrapping_add(bd.local) as usize;
        if payload < self.begin || payload >= PAGE_BYTES || !payload.is_multiple_of(4) {
            return Err(raw_page(format!(
                "the payload of the descriptor at offset 0x{at:X} lies outside of the page's data"
            )));
        }
        Ok((bd, payload))
    }

    /// Chains come before words, so whatever begins in front of a chain is one, also when it is
    /// only named as a payload.
    fn complete_chains(&mut self) -> Result<(), Diag> {
        let Some(&last) = self.descriptors.keys().next_back() else {
            return Ok(());
        };
        // what is found on the way lies after, or is found again by the check of the bytes
        let before: Vec<usize> = self.starts.range(..last).copied().collect();
        for start in before {
            self.follow_chain(start)?;
        }
        Ok(())
    }

    /// Data end with the last byte that is not zero, or with the last byte that something reaches.
    fn find_end(&mut self, text_end: usize, wanted: DataEnd) -> Result<(), Diag> {
        let used = self.page.iter().rposition(|&byte| byte != 0);
        let used = used.map_or(0, |at| at + 1);
        let Some(&first) = self.starts.first() else {
            return if used > text_end {
                Err(raw_page("nothing refers to the page's data"))
            } else {
                Ok(())
            };
        };
        if first > self.begin {
            return Err(raw_page("nothing refers to the first of the page's data"));
        }
        if wanted.tight {
            let last = self.starts.last().map_or(first, |&last| last);
            let least = if self.descriptors.contains_key(&last) {
                UC_BD_BYTES
            } else {
                4
            };
            self.end = last + least;
        }
        self.reach(used.next_multiple_of(4));
        self.reach(self.end.saturating_add(4 * wanted.more_words));
        Ok(())
    }

    /// Where the page's data begin.
    pub fn begin(&self) -> usize {
        self.begin
    }

    /// Adds the blocks to a scope in the order of the page.
    pub fn add_to(&self, scope: &mut Scope, page: usize, source: SourceLoc) -> Blocks {
        let base = scope.data.len() as u32;
        let ids = (base..).map(DataId);
        let blocks = Blocks {
            by_place: self.starts.iter().copied().zip(ids).collect(),
        };
        let ends = self.starts.iter().skip(1).copied().chain([self.end]);
        for (&start, end) in self.starts.iter().zip(ends) {
            let sort = if self.descriptors.contains_key(&start) {
                "bd"
            } else {
                "words"
            };
            scope.data.push(DataBlock {
                name: format!("{sort}_{page}_{:x}", start - HEADER_BYTES),
                items: self.items(start, end, &blocks),
                unit: 0,
                source: Some(source),
            });
        }
        blocks
    }

    fn items(&self, start: usize, end: usize, blocks: &Blocks) -> Vec<DataItem> {
        let mut items = Vec::new();
        let mut at = start;
        while at < end {
            let descriptor = self.descriptors.get(&at);
            let label = descriptor.and_then(|(_, payload)| blocks.by_place.get(payload));
            match (descriptor, label) {
                (Some((bd, _)), Some(&local)) if at + UC_BD_BYTES <= end => {
                    items.push(DataItem::Bd(bd.with_local(local)));
                    at += UC_BD_BYTES;
                }
                _ => {
                    let word = decode::word(self.page, at);
                    items.push(DataItem::Word(Word::Value(word)));
                    at += 4;
                }
            }
        }
        items
    }
}

/// Block numbers by the place of the block.
pub(super) struct Blocks {
    by_place: BTreeMap<usize, DataId>,
}

impl Blocks {
    /// The block at a position, counted from the end of the page header.
    pub fn at(&self, position: u16) -> Option<DataId> {
        let place = usize::from(position) + HEADER_BYTES;
        self.by_place.get(&place).copied()
    }
}
