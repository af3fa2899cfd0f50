//! Chains of descriptors that are longer than a page.
//!
//! UC_DMA_WRITE_DES_SYNC runs a chain to its end before the job goes on, so a chain may be cut
//! into several that run one after the other. A descriptor moves its words to consecutive
//! addresses, so one that is too long may be cut as well.

use std::collections::{BTreeMap, BTreeSet};

use crate::bd::{UC_BD_BYTES, UcDmaBd};
use crate::isa::Op;
use crate::page::{DATA_ALIGN, END_JOB_BYTES, EOF_BYTES, HEADER_BYTES, START_JOB_BYTES};
use crate::program::{BodyItem, DataBlock, DataId, DataItem, Inst, Job, Scope, Word};

/// Bytes of a page that a job with one UC_DMA_WRITE_DES_SYNC leaves for its data.
const fn room(limit: usize) -> usize {
    const SYNC_BYTES: usize = 4;
    let frame = HEADER_BYTES + START_JOB_BYTES + SYNC_BYTES + END_JOB_BYTES + EOF_BYTES;
    limit.saturating_sub(frame + DATA_ALIGN)
}

/// Cuts the chains of a job that are longer than a page; new blocks go to the end of the scope's
/// data.
pub(super) fn split_chains(scope: &mut Scope, job: &mut Job, limit: usize) {
    let patched: BTreeSet<DataId> = job.insts().flat_map(Inst::patched_blocks).collect();
    let room = room(limit);
    let body = std::mem::take(&mut job.body);
    for item in body {
        let BodyItem::Inst(inst) = &item else {
            job.body.push(item);
            continue;
        };
        let Op::UcDmaWriteDesSync { descriptor } = inst.op else {
            job.body.push(item);
            continue;
        };
        match pieces(scope, descriptor, &patched, room) {
            Some(chains) => {
                for descriptor in chains {
                    job.body.push(BodyItem::Inst(Inst {
                        op: Op::UcDmaWriteDesSync { descriptor },
                        ..inst.clone()
                    }));
                }
            }
            None => job.body.push(item),
        }
    }
}

/// The chains that do the same as one that is too long; `None` if it is not, or cannot be cut.
fn pieces(
    scope: &mut Scope,
    chain: DataId,
    patched: &BTreeSet<DataId>,
    room: usize,
) -> Option<Vec<DataId>> {
    let block = scope.block(chain)?;
    let bds: Option<Vec<UcDmaBd<DataId>>> = block
        .items
        .iter()
        .map(|item| match item {
            DataItem::Bd(bd) => Some(*bd),
            DataItem::Word(_) => None,
        })
        .collect();
    let bds = bds?;
    let whole: BTreeSet<DataId> = bds.iter().map(|bd| bd.local).collect();
    let payload: usize = whole
        .iter()
        .filter_map(|&id| Some(scope.block(id)?.size()))
        .sum();
    let links = bds
        .iter()
        .enumerate()
        .all(|(i, bd)| bd.next == (i + 1 < bds.len()));
    if block.size() + payload <= room || !links || patched.contains(&chain) {
        return None;
    }
    let (name, unit, source) = (block.name.clone(), block.unit, block.source);
    let mut chains: Vec<Vec<UcDmaBd<DataId>>> = Vec::new();
    let mut used = 0;
    let mut present = BTreeSet::new();
    let mut cut = BTreeMap::new();
    for bd in bds {
        for bd in short(scope, bd, patched, room, &mut cut)? {
            let size = scope.block(bd.local)?.size();
            let more = if present.contains(&bd.local) {
                UC_BD_BYTES
            } else {
                UC_BD_BYTES + size
            };
            match chains.last_mut().filter(|_| used + more <= room) {
                Some(chain) => {
                    chain.push(bd);
                    used += more;
                }
                None => {
                    chains.push(vec![bd]);
                    present.clear();
                    used = UC_BD_BYTES + size;
                }
            }
            present.insert(bd.local);
        }
    }
    let ids = chains.into_iter().enumerate().map(|(part, bds)| {
        let id = scope.add_chain(format!("{name}_part_{part}"), bds);
        if let Some(block) = scope.data.last_mut() {
            (block.unit, block.source) = (unit, source);
        }
        id
    });
    Some(ids.collect())
}

/// Blocks that one block was cut into: their first words and ids.
type SplitBlocks = BTreeMap<DataId, Vec<(u32, DataId)>>;

/// A descriptor whose words fit a page, or several that do the same.
fn short(
    scope: &mut Scope,
    bd: UcDmaBd<DataId>,
    patched: &BTreeSet<DataId>,
    room: usize,
    cut: &mut SplitBlocks,
) -> Option<Vec<UcDmaBd<DataId>>> {
    let block = scope.block(bd.local)?;
    if UC_BD_BYTES + block.size() <= room {
        return Some(vec![bd]);
    }
    let plain = |item: &DataItem| matches!(item, DataItem::Word(Word::Value(_)));
    let sound = bd.words as usize * 4 <= block.size() && !patched.contains(&bd.local);
    if !sound || !block.items.iter().all(plain) {
        return None;
    }
    let step = room.checked_sub(UC_BD_BYTES)? / 4;
    if step == 0 {
        return None;
    }
    let parts = match cut.get(&bd.local) {
        Some(parts) => parts.clone(),
        None => {
            let parts = chop(scope, block.clone(), step);
            cut.insert(bd.local, parts.clone());
            parts
        }
    };
    let parts = parts.iter();
    let parts = parts.take_while(|(first, _)| *first < bd.words);
    Some(
        parts
            .map(|&(first, local)| UcDmaBd {
                remote: bd.remote + u64::from(first) * 4,
                local,
                words: (bd.words - first).min(step as u32),
                ..bd
            })
            .collect(),
    )
}

/// Blocks of at most `step` items each that hold together what one block holds.
fn chop(scope: &mut Scope, block: DataBlock, step: usize) -> Vec<(u32, DataId)> {
    let mut parts = Vec::new();
    for (part, items) in block.items.chunks(step).enumerate() {
        let id = scope.add_data(DataBlock {
            name: format!("{}_part_{part}", block.name),
            items: items.to_vec(),
            unit: block.unit,
            source: block.source,
        });
        parts.push(((part * step) as u32, id));
    }
    parts
}
