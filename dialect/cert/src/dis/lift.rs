//! Pages of an instance made into a program.

use std::collections::{BTreeMap, BTreeSet};

use aiec_diag::Diag;
use rustc_hash::FxHashMap;

use super::data::{Blocks, DataEnd, DataMap, PagePatches};
use super::decode::{self, FoundItem, FoundJob};
use super::raw_page;
use crate::asm;
use crate::elf::{Instance, Patch, PatchPlace, PatchSymbol, UcCode};
use crate::isa::{Op, RawOp};
use crate::names::Target;
use crate::page::{HEADER_BYTES, PAGE_BYTES, PageHeader};
use crate::patch::PatchKind;
use crate::program::{
    BodyItem, CtrlPacketBuffer, CtrlPacketPatch, Fixup, FixupValue, Group, Inst, Job, Pad, Program,
    RawPage, RawPatch, Scope, ScopeId, SourceLoc, Word,
};

/// Name of the pad that holds all pads of a controller.
pub(super) const PAD_NAME: &str = "pad";

/// Facts about pages that earlier rounds found, by controller and page.
#[derive(Default)]
pub(super) struct KnownPages {
    /// Pages that no jobs give, and why.
    pub raw: BTreeMap<(u32, u32), String>,
    /// Where data end, if not where they seem to.
    pub ends: BTreeMap<(u32, u32), DataEnd>,
}

/// Where a page is in the program that was made of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LiftedPage {
    /// Controller.
    pub uc: u32,
    /// Page number.
    pub page: u32,
    /// Scope it belongs to.
    pub scope: ScopeId,
    /// Its region in that scope.
    pub region: usize,
    /// Its data blocks in that scope, in the order of the page.
    pub blocks: std::ops::Range<u32>,
    /// Where its data begin, in bytes from the page's begin.
    pub data_at: usize,
    /// Why it is kept as words, if it is.
    pub raw: Option<String>,
}

/// A program and where its pages are.
pub(super) struct LiftedProgram {
    pub program: Program,
    pub pages: Vec<LiftedPage>,
}

/// Where a page is, as the source of everything on it.
pub(super) fn source_of(page: usize) -> SourceLoc {
    SourceLoc {
        file: 0,
        line: page as u32,
        column: 0,
    }
}

/// Makes a program of an instance.
pub(super) fn lift(
    instance: &Instance,
    target: Target,
    columns: u32,
    known: &KnownPages,
) -> LiftedProgram {
    let mut program = Program::new(target, columns);
    program.ctrl_packets = ctrl_packets(instance);
    let mut pages = Vec::new();
    let mut patches: FxHashMap<(u32, u32), Vec<&Patch>> = FxHashMap::default();
    for patch in &instance.patches {
        if let PatchPlace::Page { uc, page, .. } = patch.place {
            patches.entry((uc, page)).or_default().push(patch);
        }
    }
    for code in &instance.ucs {
        let lifter = GroupLifter {
            code,
            target,
            patches: &patches,
            known,
        };
        program.groups.push(lifter.lift(&mut pages));
    }
    LiftedProgram { program, pages }
}

fn ctrl_packets(instance: &Instance) -> Vec<CtrlPacketBuffer> {
    let mut buffers = Vec::new();
    for (&id, bytes) in &instance.ctrl_packets {
        let patches = instance.patches.iter().filter_map(|patch| {
            let PatchPlace::CtrlPacket { id: at, offset } = patch.place else {
                return None;
            };
            match patch.symbol {
                PatchSymbol::Argument(argument) if at == id => {
                    Some(CtrlPacketPatch { offset, argument })
                }
                _ => None,
            }
        });
        // the vendor writes a buffer, and its relocations, once for each controller
        let mut patches: Vec<CtrlPacketPatch> = patches.collect();
        let copies = instance.ucs.len().max(1);
        if patches.len().is_multiple_of(copies) {
            patches.truncate(patches.len() / copies);
        }
        buffers.push(CtrlPacketBuffer {
            id,
            bytes: bytes.clone(),
            patches,
        });
    }
    buffers
}

struct GroupLifter<'a> {
    code: &'a UcCode,
    target: Target,
    patches: &'a FxHashMap<(u32, u32), Vec<&'a Patch>>,
    known: &'a KnownPages,
}

impl GroupLifter<'_> {
    fn lift(&self, pages: &mut Vec<LiftedPage>) -> Group {
        let uc = self.code.uc;
        let mut group = Group::new(uc);
        if !self.code.pad.is_empty() {
            group.pads.push(Pad {
                name: PAD_NAME.to_owned(),
                bytes: self.code.pad.clone(),
            });
        }
        let firsts = self.scopes(&mut group);
        for (number, bytes) in self.code.pages.iter().enumerate() {
            let Some((_, &scope)) = firsts.range(..=number).next_back() else {
                continue;
            };
            let mut page = bytes.clone();
            page.resize(PAGE_BYTES, 0);
            if let Some(target) = group.scope_mut(scope) {
                let lifted = self.page(&page, number, &firsts, scope, target);
                pages.push(lifted);
            }
        }
        group
    }

    /// The scopes by the number of their first page: a page whose header says that nothing
    /// follows ends one. The first is the main one, unless something refers to it, which only a
    /// named scope can be.
    fn scopes(&self, group: &mut Group) -> BTreeMap<usize, ScopeId> {
        let mut firsts = BTreeMap::new();
        let mut begins = true;
        for (number, page) in self.code.pages.iter().enumerate() {
            if begins {
                let id = if number == 0 && !self.refers_to_first() {
                    ScopeId::MAIN
                } else {
                    group.add_scope(format!("scope_{number}"))
                };
                firsts.insert(number, id);
            }
            let header = PageHeader::parse(page).unwrap_or_default();
            begins = header.next_length == 0;
        }
        if firsts.get(&0) != Some(&ScopeId::MAIN) {
            group.scope_order.retain(|&id| id != ScopeId::MAIN);
        }
        firsts
    }

    /// True if an instruction loads page 0 as a scope.
    fn refers_to_first(&self) -> bool {
        let refers = |op: &RawOp| match *op {
            Op::LoadCores { scope, .. } | Op::LoadPdi { scope, .. } => scope == 0,
            Op::Preempt { save, restore, .. } => save == 0 || restore == 0,
            _ => false,
        };
        self.code.pages.iter().any(|page| {
            let text = decode::text(page, self.target);
            text.is_ok_and(|text| {
                let mut items = text.jobs.iter().flat_map(|job| &job.items);
                items.any(|item| matches!(item, FoundItem::Op { op, .. } if refers(op)))
            })
        })
    }

    fn page(
        &self,
        page: &[u8],
        number: usize,
        firsts: &BTreeMap<usize, ScopeId>,
        scope: ScopeId,
        target: &mut Scope,
    ) -> LiftedPage {
        let key = (self.code.uc, number as u32);
        let patches = self.patches.get(&key).map_or(&[][..], Vec::as_slice);
        let blocks = target.data.len() as u32;
        let lifter = PageLifter {
            page,
            number,
            firsts,
            target: self.target,
            end: self.known.ends.get(&key).copied().unwrap_or_default(),
            patches: page_patches(patches),
        };
        let lifted = match self.known.raw.get(&key) {
            Some(why) => Err(why.clone()),
            None => lifter.lift(target).map_err(|diag| diag.message),
        };
        let (data_at, raw) = match lifted {
            Ok(data_at) => (data_at, None),
            Err(why) => {
                target.data.truncate(blocks as usize);
                target.push_raw_page(self.raw_page(page, number, patches));
                (PAGE_BYTES, Some(why))
            }
        };
        LiftedPage {
            uc: self.code.uc,
            page: number as u32,
            scope,
            region: target.regions.len() - 1,
            blocks: blocks..target.data.len() as u32,
            data_at,
            raw,
        }
    }

    fn raw_page(&self, page: &[u8], number: usize, patches: &[&Patch]) -> RawPage {
        let used = page.iter().rposition(|&byte| byte != 0);
        let used = used.map_or(0, |at| at + 1).max(HEADER_BYTES);
        let text_bytes = self.code.text_bytes.get(number).copied();
        RawPage {
            bytes: page[..used.next_multiple_of(4)].to_vec(),
            text_bytes: text_bytes.unwrap_or(PAGE_BYTES).max(HEADER_BYTES),
            patches: patches
                .iter()
                .filter_map(|patch| raw_patch(patch))
                .collect(),
        }
    }
}

fn page_patches<'a>(patches: &[&'a Patch]) -> PagePatches<'a> {
    let of = |patch: &&'a Patch| match patch.place {
        PatchPlace::Page { offset, .. } => Some((offset, (patch.kind, &patch.symbol))),
        _ => None,
    };
    patches.iter().filter_map(of).collect()
}

fn raw_patch(patch: &Patch) -> Option<RawPatch> {
    let PatchPlace::Page { offset, .. } = patch.place else {
        return None;
    };
    Some(RawPatch {
        position: u16::try_from(offset.checked_sub(HEADER_BYTES as u32)?).ok()?,
        kind: patch.kind,
        symbol: patch.symbol.to_string(),
    })
}

struct PageLifter<'a> {
    /// All of the page.
    page: &'a [u8],
    number: usize,
    /// Scopes of the controller by first page.
    firsts: &'a BTreeMap<usize, ScopeId>,
    target: Target,
    end: DataEnd,
    patches: PagePatches<'a>,
}

impl PageLifter<'_> {
    /// Adds the page's jobs and data to its scope; where the data begin, or why no jobs give the
    /// page.
    fn lift(&self, scope: &mut Scope) -> Result<usize, Diag> {
        let text = decode::text(self.page, self.target)?;
        let data = DataMap::find(self.page, &text, &self.patches, self.end)?;
        let blocks = data.add_to(scope, self.number, source_of(self.number));
        let mut jobs = Vec::new();
        for job in &text.jobs {
            jobs.push(self.job(job, &blocks)?);
        }
        if !scope.is_empty() {
            scope.end_page();
        }
        for job in jobs {
            scope.push_job(job);
        }
        Ok(data.begin())
    }

    fn job(&self, found: &FoundJob, blocks: &Blocks) -> Result<Job, Diag> {
        let mut job = Job::with_kind(found.kind, found.id);
        job.source = Some(source_of(self.number));
        for item in &found.items {
            job.body.push(match *item {
                FoundItem::Op { at, op } => BodyItem::Inst(self.inst(at, op, blocks)?),
                FoundItem::Word(word) => BodyItem::Word(Word::Value(word)),
            });
        }
        Ok(job)
    }

    fn inst(&self, at: usize, op: RawOp, blocks: &Blocks) -> Result<Inst, Diag> {
        let mnemonic = op.info().mnemonic;
        let symbolic = op.try_map(
            |position| {
                blocks.at(position).ok_or_else(|| {
                    raw_page(format!(
                        "{mnemonic} at offset 0x{at:X} names no place in the page's data"
                    ))
                })
            },
            |page| {
                self.firsts.get(&usize::from(page)).copied().ok_or_else(|| {
                    raw_page(format!(
                        "{mnemonic} at offset 0x{at:X} names page {page}, which begins no scope"
                    ))
                })
            },
        )?;
        let mut inst = Inst::new(symbolic);
        for (index, field) in op.info().fields.iter().enumerate() {
            let place = (at + usize::from(field.offset)) as u32;
            if let Some((PatchKind::Scalar32, symbol)) = self.patches.get(&place) {
                let name = symbol.to_string();
                if !is_scalar_symbol(&name, self.target) {
                    return Err(raw_page(format!(
                        "{mnemonic} at offset 0x{at:X} has a symbol that no operand can be"
                    )));
                }
                inst.fixups.push(Fixup {
                    field: index,
                    value: FixupValue::Symbol(name),
                });
            }
        }
        inst.source = Some(source_of(self.number));
        Ok(inst)
    }
}

/// True if an operand of that name is a symbol to the assembler, which folds letters and drops
/// a comma at the end.
fn is_scalar_symbol(name: &str, target: Target) -> bool {
    let plain = |b: u8| b.is_ascii_graphic() && !b.is_ascii_uppercase() && b != b';';
    name.bytes().all(plain) && !name.ends_with(',') && asm::is_symbol(name, target)
}

/// Pages that a controller of an instance has.
pub(super) fn all_pages(instance: &Instance) -> BTreeSet<(u32, u32)> {
    let pages = instance.ucs.iter().flat_map(|code| {
        let numbers = 0..code.pages.len() as u32;
        numbers.map(|page| (code.uc, page))
    });
    pages.collect()
}
