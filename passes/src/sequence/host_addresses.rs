//! Warns of shim BDs that are used with an address of the design's own making.
//!
//! Where a host buffer lies is known when the code is loaded. A BD that the sequence writes itself
//! needs an `aiex.npu.address_patch` for that; one without reads or writes wherever the number
//! in its address field leads.

use std::collections::BTreeMap;

use aiec_aie::ir::{Loc, Module};
use aiec_device::regmap::{BdLayout, QueueEntry, RegisterRef};
use aiec_device::{DeviceModel, TileKind, TileLoc};
use aiec_diag::{Diag, Diags};
use rustc_hash::FxHashMap;

use super::codes::HOST_ADDRESS;
use crate::analysis::transfer::WORD_BYTES;
use crate::regops::{RegAction, RegOp};

/// A shim BD as it was written last.
struct WrittenBd {
    words: Vec<u32>,
    /// Where, if no address of a host buffer was put into it.
    bare: Option<Loc>,
}

struct BdWalk<'a> {
    model: &'static DeviceModel,
    layout: &'a BdLayout,
    bds: FxHashMap<(TileLoc, u8), WrittenBd>,
    /// BDs that are used as they are: where they were written, and pushed.
    found: BTreeMap<Loc, (u8, Loc, u64)>,
}

/// Warns of each BD among `ops` that a task uses without a host buffer's address.
pub(super) fn check<'o>(
    module: &Module,
    model: &'static DeviceModel,
    ops: impl IntoIterator<Item = &'o RegOp>,
    diags: &mut Diags,
) {
    let Some(layout) = BdLayout::of(model.arch(), TileKind::ShimNoc) else {
        return;
    };
    let mut walk = BdWalk {
        model,
        layout,
        bds: FxHashMap::default(),
        found: BTreeMap::new(),
    };
    for op in ops {
        walk.op(op);
    }
    for (written, (bd, pushed, address)) in walk.found {
        let message = format!(
            "descriptor {bd} is used with host address {address:#x}, which no address patch replaces"
        );
        let diag = Diag::warning(&HOST_ADDRESS, message)
            .label(module.locs.source_span(written), "written here")
            .label(module.locs.source_span(pushed), "used here")
            .help(
                "let `aiex.npu.address_patch` put the address of an argument into it, between the \
                 two; the offset in the buffer is its `arg_plus`",
            );
        diags.push(diag);
    }
}

impl BdWalk<'_> {
    fn op(&mut self, op: &RegOp) {
        match &op.action {
            RegAction::Block { address, words } => self.written(*address, words, Some(op.loc)),
            RegAction::PatchedBd { address, words, .. } => self.written(*address, words, None),
            RegAction::Write { address, value } => match self.model.register_at(*address) {
                Some((tile, RegisterRef::DmaQueue { dir, .. })) => {
                    let kind = self.model.tile_kind(tile).filter(|kind| kind.is_shim());
                    let entry = kind
                        .and_then(|kind| QueueEntry::unpack(self.model.arch(), kind, dir, *value));
                    if let Some(entry) = entry {
                        self.used(tile, entry.bd, op.loc);
                    }
                }
                Some((tile, RegisterRef::BdWord { bd, .. })) => self.changed(tile, bd),
                _ => {}
            },
            RegAction::Mask { address, .. }
            | RegAction::Copy { to: address, .. }
            | RegAction::UpdateFromScratchpad { address, .. } => {
                if let Some((tile, RegisterRef::BdWord { bd, .. })) =
                    self.model.register_at(*address)
                {
                    self.changed(tile, bd);
                }
            }
            _ => {}
        }
    }

    /// Notes the whole shim BDs among words that are written from `address` on.
    fn written(&mut self, address: u32, words: &[u32], bare: Option<Loc>) {
        let count = usize::from(self.layout.words());
        let mut first = 0;
        while let Some(rest) = words.get(first..).filter(|rest| !rest.is_empty()) {
            let at = address.wrapping_add(first as u32 * WORD_BYTES as u32);
            first += 1;
            let Some((tile, RegisterRef::BdWord { bd, word })) = self.model.register_at(at) else {
                continue;
            };
            if !self.model.tile_kind(tile).is_some_and(TileKind::is_shim) {
                return;
            }
            let Some(words) = rest.get(..count).filter(|_| word == 0) else {
                self.changed(tile, bd);
                continue;
            };
            let words = words.to_vec();
            self.bds.insert((tile, bd), WrittenBd { words, bare });
            first += count - 1;
        }
    }

    /// Single words of a BD were written, perhaps its address: nothing is known of it.
    fn changed(&mut self, tile: TileLoc, bd: u8) {
        self.bds.remove(&(tile, bd));
    }

    /// A task begins at a BD.
    fn used(&mut self, tile: TileLoc, first: u8, pushed: Loc) {
        let mut next = Some(first);
        let mut seen = Vec::new();
        while let Some(bd) = next.filter(|bd| !seen.contains(bd)) {
            seen.push(bd);
            let Some(written) = self.bds.get(&(tile, bd)) else {
                return;
            };
            let fields = self.layout.unpack(&written.words);
            if let Some(loc) = written.bare {
                let use_of = (bd, pushed, fields.base_address);
                self.found.entry(loc).or_insert(use_of);
            }
            next = fields.use_next.then_some(fields.next_bd);
        }
    }
}
