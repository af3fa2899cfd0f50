//! Lifts an instance until its program gives the same pages again.
//!
//! A page that comes out otherwise is kept as words. What the bytes alone don't say is found by
//! trying: how many zeros the last block of a page ends with shows in the length that the page's
//! header states.

use std::collections::BTreeMap;

use super::data::DataEnd;
use super::lift::{self, KnownPages, LiftedProgram};
use crate::elf::{Instance, Patch, PatchPlace, UcCode};
use crate::finding::Finding;
use crate::image::{self, PageImage};
use crate::names::Target;
use crate::page::{HEADER_BYTES, PAGE_BYTES, PageHeader};
use crate::pager::LayoutOptions;

/// Most rounds before everything that is not settled is kept as words.
const MAX_ROUNDS: usize = 8;
/// Bytes of the header that hold this page's length, and the next page's.
const LENGTH: std::ops::Range<usize> = 8..10;
const NEXT_LENGTH: std::ops::Range<usize> = 10..12;

/// The program of an instance; assembled without strictness it gives the same pages.
pub(super) fn settle(
    instance: &Instance,
    target: Target,
    columns: u32,
    merged: bool,
    mut known: KnownPages,
) -> LiftedProgram {
    let mut settler = OperandResolver {
        instance,
        merged,
        patches: BTreeMap::new(),
        lengths: BTreeMap::new(),
    };
    for patch in &instance.patches {
        if let PatchPlace::Page { uc, page, .. } = patch.place {
            let patches = settler.patches.entry((uc, page)).or_default();
            patches.push(patch);
        }
    }
    for round in 0..MAX_ROUNDS {
        let lifted = lift::lift(instance, target, columns, &known);
        let found = settler.compare(&lifted);
        if found.is_empty() {
            return lifted;
        }
        let last = round + 2 >= MAX_ROUNDS;
        let mut new = false;
        for (key, what) in found {
            let why = match what {
                Difference::Length { made, wanted } if !last => {
                    let before = known.ends.get(&key).copied().unwrap_or_default();
                    match settler.other_end(key, before, made, wanted) {
                        Some(end) => {
                            new |= known.ends.insert(key, end) != Some(end);
                            continue;
                        }
                        None => "its header states another length".to_owned(),
                    }
                }
                // follows from the length of the next page
                Difference::NextLength if !last => continue,
                Difference::Length { .. } | Difference::NextLength => {
                    "its header states another length".to_owned()
                }
                Difference::Other(why) => why,
            };
            new |= known.raw.insert(key, why).is_none();
        }
        if !new {
            break;
        }
    }
    // nothing helps any more: all pages as they are
    for key in lift::all_pages(instance) {
        let why = || "the pages of this program do not come out the same".to_owned();
        known.raw.entry(key).or_insert_with(why);
    }
    lift::lift(instance, target, columns, &known)
}

/// Difference of a page that was assembled again.
enum Difference {
    /// Only in the length that its header states.
    Length { made: u16, wanted: u16 },
    /// Only in the length of the next page.
    NextLength,
    /// Otherwise; why.
    Other(String),
}

type Key = (u32, u32);

struct OperandResolver<'a> {
    instance: &'a Instance,
    merged: bool,
    patches: BTreeMap<Key, Vec<&'a Patch>>,
    /// Length of a page before its last block was made a word longer.
    lengths: BTreeMap<Key, u16>,
}

impl OperandResolver<'_> {
    /// Pages that come out otherwise.
    fn compare(&self, lifted: &LiftedProgram) -> Vec<(Key, Difference)> {
        let options = LayoutOptions { compat: true };
        let image = match image::assemble(&lifted.program, options) {
            Ok(image) => image,
            Err(errors) => {
                let of = |error: Finding| {
                    let page = error.place.source.map(|source| source.line);
                    let key = (error.place.uc, page.unwrap_or(0));
                    (key, Difference::Other(error.diag.message))
                };
                return errors.into_iter().map(of).collect();
            }
        };
        let mut found = Vec::new();
        for code in &self.instance.ucs {
            let made = image.ucs.iter().find(|made| made.uc == code.uc);
            let made = made.map_or(&[][..], |made| &made.pages);
            for number in 0..code.pages.len() {
                let key = (code.uc, number as u32);
                let difference = match made.get(number) {
                    Some(page) => self.difference(code, number, page),
                    None => Some(Difference::Other("it holds no jobs".to_owned())),
                };
                found.extend(difference.map(|difference| (key, difference)));
            }
        }
        found
    }

    fn difference(&self, code: &UcCode, number: usize, made: &PageImage) -> Option<Difference> {
        let mut wanted = code.pages.get(number)?.clone();
        wanted.resize(PAGE_BYTES, 0);
        let bytes = made.bytes();
        let differs = |at: &usize| bytes.get(*at) != wanted.get(*at);
        let compared = if bytes == wanted {
            0
        } else {
            PAGE_BYTES.max(bytes.len())
        };
        let other = |why: &str| Some(Difference::Other(why.to_owned()));
        if let Some(at) = (0..compared).find(differs) {
            let outside = |at: &usize| !LENGTH.contains(at) && !NEXT_LENGTH.contains(at);
            if (0..PAGE_BYTES).filter(outside).any(|at| differs(&at)) {
                return other(&format!(
                    "it differs at offset 0x{at:X} when assembled again"
                ));
            }
            let length = |bytes| PageHeader::parse(bytes).map_or(0, |header| header.length);
            let (made, wanted) = (length(&bytes), length(&wanted));
            return Some(if made == wanted {
                Difference::NextLength
            } else {
                Difference::Length { made, wanted }
            });
        }
        let split = code.text_bytes.get(number).copied();
        if !self.merged && split.is_some_and(|split| split != made.text.len()) {
            return other("its text section ends elsewhere");
        }
        let none = Vec::new();
        let key = (code.uc, number as u32);
        let patches = self.patches.get(&key).unwrap_or(&none).iter();
        let wanted = patches.map(|patch| match patch.place {
            PatchPlace::Page { offset, .. } => (offset, patch.kind, patch.symbol.to_string()),
            _ => (0, patch.kind, String::new()),
        });
        let relocs = made.relocs.iter().map(|reloc| {
            let offset = u32::from(reloc.position) + HEADER_BYTES as u32;
            (offset, reloc.kind, reloc.symbol.clone())
        });
        if wanted.eq(relocs) {
            None
        } else {
            other("its relocations are not those of its instructions")
        }
    }

    /// Where else the last block of a page may end. A first try of one word shows how often the
    /// header's length counts the block: once for each group of jobs that needs it.
    fn other_end(&mut self, key: Key, end: DataEnd, made: u16, wanted: u16) -> Option<DataEnd> {
        if made > wanted {
            // a descriptor reaches past the data
            self.lengths.remove(&key);
            let tight = DataEnd {
                tight: true,
                more_words: 0,
            };
            return (!end.tight).then_some(tight);
        }
        let more = |more_words| Some(DataEnd { more_words, ..end });
        let Some(&before) = self.lengths.get(&key) else {
            self.lengths.insert(key, made);
            return more(1);
        };
        let step = made.checked_sub(before).filter(|&step| step > 0)?;
        let missing = wanted.checked_sub(before)?;
        let words = usize::from(missing / step);
        if missing.is_multiple_of(step) && words > end.more_words {
            more(words)
        } else {
            None
        }
    }
}
