//! Nodes of the configuration: passive state first, then what acts on it.

use std::collections::BTreeSet;

use aiec_device::regmap::{CoreControl, QueueEntry, RegisterRef};
use aiec_device::{ChannelId, DmaDir, TileLoc};
use rustc_hash::FxHashMap;

use super::{Builder, CONFIGURATION, DepKind, Node, NodeKind};
use crate::regops::{MAX_GAP_WORDS, RegAction, RegOp};
use aiec_regprog::known_values::{KnownRegisters, merge, pushed};
use aiec_regprog::network::CoreUses;

/// The steps of the configuration, in order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum ConfigStep {
    Hold,
    Setup,
    Start,
    Release,
    StartShim,
}

impl Builder<'_> {
    /// Adds the configuration, or what of it is to be written. Tiles of a row follow one another,
    /// as equal ones share data.
    pub(super) fn config(
        &mut self,
        ops: Vec<RegOp>,
        written: Option<Vec<RegOp>>,
        uses: &CoreUses,
        known: &KnownRegisters,
    ) {
        let mut groups: FxHashMap<(ConfigStep, u8, u8), Vec<RegOp>> = FxHashMap::default();
        for op in &ops {
            self.bookkeep(op);
        }
        let written = written.unwrap_or(ops);
        let pushed = pushed(self.model, &written);
        for op in written {
            let (tile, step) = self.step(&op, &pushed);
            groups
                .entry((step, tile.row, tile.col))
                .or_default()
                .push(op);
        }
        let mut groups: Vec<_> = groups.into_iter().collect();
        groups.sort_unstable_by_key(|(key, _)| *key);
        for ((step, row, col), ops) in groups {
            let tile = TileLoc::new(col, row);
            let before = self.before(step, tile, &ops, uses);
            let what = match step {
                ConfigStep::Hold => NodeKind::Hold(tile),
                ConfigStep::Setup => NodeKind::Setup(tile),
                ConfigStep::Start | ConfigStep::StartShim => NodeKind::Start(tile),
                ConfigStep::Release => NodeKind::Release(tile),
            };
            let node = self.node(Node {
                kind: what,
                uc: self.owners.of(col),
                component: CONFIGURATION,
                configures: true,
                hoistable: false,
                ops: merge(self.model, &ops, known, MAX_GAP_WORDS),
            });
            let uc = self.graph.nodes[node].uc;
            self.state.last_of_config.insert(uc, node);
            if step == ConfigStep::Setup {
                self.setups.insert(tile, node);
            }
            for (other, why) in before {
                if let Some(setup) = self.setups.get(&other).copied() {
                    self.edge(setup, node, why);
                }
            }
        }
    }

    fn step(&self, op: &RegOp, pushed: &BTreeSet<ChannelId>) -> (TileLoc, ConfigStep) {
        let (tile, address) = op.action.target(self.model);
        let Some(address) = address else {
            return (tile, ConfigStep::StartShim);
        };
        let step = match (self.model.register_at(address), &op.action) {
            (Some((_, RegisterRef::DmaQueue { .. })), _) if tile.row == 0 => ConfigStep::StartShim,
            (Some((_, RegisterRef::DmaQueue { .. })), _) => ConfigStep::Start,
            // Beside the queue: both are one write.
            (Some((_, RegisterRef::DmaCtrl { dir, channel })), _)
                if pushed.contains(&ChannelId::new(tile, dir, channel)) =>
            {
                ConfigStep::Start
            }
            (Some((_, RegisterRef::CoreControl)), RegAction::Write { value, .. }) => {
                if CoreControl::unpack(*value).enable {
                    ConfigStep::Release
                } else {
                    ConfigStep::Hold
                }
            }
            _ => ConfigStep::Setup,
        };
        (tile, step)
    }

    /// The tiles whose set-up must come before a step of a tile.
    fn before(
        &self,
        step: ConfigStep,
        tile: TileLoc,
        ops: &[RegOp],
        uses: &CoreUses,
    ) -> Vec<(TileLoc, DepKind)> {
        let mut before = Vec::new();
        match step {
            ConfigStep::Hold | ConfigStep::Setup => {}
            ConfigStep::Start | ConfigStep::StartShim => {
                for op in ops {
                    let streams = self.streams_of(op);
                    before.extend(streams.into_iter().map(|tile| (tile, DepKind::Stream)));
                }
                let neighbours = self.network.mem_neighbours(tile);
                before.extend(neighbours.map(|tile| (tile, DepKind::Memory)));
            }
            ConfigStep::Release => {
                let streams = self.network.reach_of_core(tile).tiles;
                before.extend(streams.into_iter().map(|tile| (tile, DepKind::Stream)));
                let used = uses.get(&tile).into_iter().flatten();
                before.extend(used.map(|tile| (*tile, DepKind::Memory)));
                before.extend(self.network.cascade_of(tile).map(|t| (t, DepKind::Cascade)));
            }
        }
        before
    }

    /// The tiles that data or tokens pass which an operation sets off: pushes of tasks.
    pub(super) fn streams_of(&self, op: &RegOp) -> Vec<TileLoc> {
        let mut tiles = Vec::new();
        let RegAction::Write { address, value } = op.action else {
            return tiles;
        };
        let Some((tile, RegisterRef::DmaQueue { dir, channel })) = self.model.register_at(address)
        else {
            return tiles;
        };
        if dir == DmaDir::Mm2s {
            tiles.extend(self.network.reach_of_channel(tile, channel).tiles);
        }
        let kind = self.model.tile_kind(tile);
        let entry = kind.and_then(|k| QueueEntry::unpack(self.model.arch(), k, dir, value));
        if entry.is_some_and(|entry| entry.token) {
            tiles.extend(self.network.reach_of_tokens(tile).tiles);
        }
        tiles
    }
}
