//! Known part of an array's configuration while devices come and go.

use rustc_hash::{FxHashMap, FxHashSet};

use aiec_aie::ir::{Loc, Module, Op};
use aiec_device::regmap::{BdLayout, CoreControl, DmaCtrl, RegisterRef};
use aiec_device::{ChannelId, DeviceModel, TileLoc};

use super::memory_use::read_only;
use super::prologue::is_cleared;
use super::quiescence::ResumePlan;
use super::teardown::clear_controls;
use crate::analysis::transfer::WORD_BYTES;
use crate::regops::{MAX_GAP_WORDS, RegAction, RegOp};
use aiec_regprog::known_values::{reset_value, words_of};
use aiec_regprog::network::Network;

/// Words by address: those that are known, and those that may be anything (`None`). What was never
/// touched isn't in it.
#[derive(Clone, Debug, Default)]
pub(super) struct RegisterState {
    words: FxHashMap<u32, Option<u32>>,
}

/// Whether a register keeps what was written to it until it is written again; memory only where
/// nothing in the array writes it.
fn is_configuration(what: RegisterRef) -> bool {
    let is_memory = matches!(
        what,
        RegisterRef::BdWord { .. }
            | RegisterRef::ProgramMemory { .. }
            | RegisterRef::DataMemory { .. }
    );
    is_memory || is_cleared(what)
}

impl RegisterState {
    /// A word, if it is known.
    pub(super) fn word(&self, address: u32) -> Option<u32> {
        self.words.get(&address).copied().flatten()
    }

    /// Whether a register that isn't written again continues to have an effect, as far as is known.
    /// The receiver of a channel's tokens has none: each wait for tokens sets it first.
    pub(super) fn has_effect(&self, model: &DeviceModel, address: u32) -> bool {
        let Some(word) = self.word(address) else {
            return true;
        };
        let Some((tile, RegisterRef::DmaCtrl { dir, .. })) = model.register_at(address) else {
            return word != 0;
        };
        let kind = model.tile_kind(tile);
        let control = kind.and_then(|kind| DmaCtrl::unpack(model.arch(), kind, dir, word));
        control.is_none_or(|mut control| {
            control.controller_id = DmaCtrl::default().controller_id;
            control != DmaCtrl::default()
        })
    }

    /// Notes what a configuration writes.
    pub(super) fn load(&mut self, model: &DeviceModel, config: &[RegOp]) {
        for op in config {
            self.note(model, op);
        }
    }

    /// Notes what an operation writes.
    pub(super) fn note(&mut self, model: &DeviceModel, op: &RegOp) {
        if let RegAction::Mask {
            address,
            mask,
            value,
        } = op.action
        {
            let old = match self.words.get(&address) {
                Some(word) => *word,
                // A register that was never touched is as after the array's reset.
                None => model
                    .register_at(address)
                    .and_then(|(_, what)| reset_value(what)),
            };
            let new = old.map(|old| old & !mask | value & mask);
            self.set(model, address, new);
        }
        let patched = matches!(op.action, RegAction::PatchedBd { .. });
        for (address, word) in words_of(op) {
            self.set(model, address, Some(word).filter(|_| !patched));
        }
    }

    fn set(&mut self, model: &DeviceModel, address: u32, word: Option<u32>) {
        let what = model.register_at(address);
        if what.is_some_and(|(_, what)| is_configuration(what)) {
            self.words.insert(address, word);
        }
    }

    /// The registers of switches that were reset: whether a reset clears them isn't documented.
    pub(super) fn forget_switches(&mut self, model: &DeviceModel, tiles: &[TileLoc]) {
        let tiles: FxHashSet<TileLoc> = tiles.iter().copied().collect();
        for (address, word) in &mut self.words {
            // Most words are of other tiles, and which tile costs less than which register.
            let (tile, _) = model.split_address(*address);
            if tiles.contains(&tile)
                && let Some((
                    _,
                    RegisterRef::MasterConfig { .. }
                    | RegisterRef::SlaveConfig { .. }
                    | RegisterRef::SlaveSlot { .. },
                )) = model.register_at(*address)
            {
                *word = None;
            }
        }
    }

    /// Forgets what a device that runs may change: memory that it writes, the positions of
    /// descriptors that count their uses, and everything where control packets may arrive.
    pub(super) fn run(
        &mut self,
        module: &Module,
        device: Op,
        model: &'static DeviceModel,
        config: &[RegOp],
    ) {
        let keeps = read_only(module, device, model);
        let network = Network::of(model, config, &[], &Default::default());
        let counting = self.counting_descriptors(model);
        for (address, word) in &mut self.words {
            let Some((tile, what)) = model.register_at(*address) else {
                continue;
            };
            let changes = match what {
                RegisterRef::DataMemory { byte } => !keeps.contains(tile, byte),
                RegisterRef::BdWord { bd, .. } => counting.contains(&(tile, bd)),
                _ => false,
            };
            if changes || network.takes_control_packets(tile) {
                *word = None;
            }
        }
    }

    /// Descriptors whose uses the hardware counts.
    fn counting_descriptors(&self, model: &DeviceModel) -> FxHashSet<(TileLoc, u8)> {
        let mut words: FxHashMap<(TileLoc, u8), Vec<u32>> = FxHashMap::default();
        for (address, word) in &self.words {
            if let Some((tile, RegisterRef::BdWord { bd, word: at })) = model.register_at(*address)
            {
                let words = words.entry((tile, bd)).or_default();
                words.resize(words.len().max(usize::from(at) + 1), 0);
                words[usize::from(at)] = word.unwrap_or(0);
            }
        }
        let counts = |(tile, _): &(TileLoc, u8), words: &[u32]| {
            let kind = model.tile_kind(*tile);
            let Some(layout) = kind.and_then(|kind| BdLayout::of(model.arch(), kind)) else {
                return true;
            };
            let mut words = words.to_vec();
            words.resize(usize::from(layout.words()), 0);
            layout.unpack(&words).iteration_count > 1
        };
        let list = words.into_iter().filter(|(key, words)| counts(key, words));
        list.map(|(key, _)| key).collect()
    }

    /// Writes of a load after a quiescent device: the part of the configuration that isn't there,
    /// and of the state only the values that must be set. Cores are in reset already, as are
    /// channels that restart.
    pub(super) fn changes(
        &self,
        model: &'static DeviceModel,
        config: &[RegOp],
        rest: &ResumePlan,
        loc: Loc,
    ) -> Vec<RegOp> {
        let mut list = self.missing(model, config);
        list.retain(|op| {
            let RegAction::Write { address, value } = op.action else {
                return true;
            };
            match model.register_at(address) {
                Some((_, RegisterRef::CoreControl)) => CoreControl::unpack(value).enable,
                Some((_, RegisterRef::LockValue { .. })) => false,
                Some((tile, RegisterRef::DmaQueue { dir, channel })) => {
                    tile.row == 0 || rest.restart.contains(&ChannelId::new(tile, dir, channel))
                }
                _ => true,
            }
        });
        clear_controls(model, rest.restart.iter().copied(), &mut list, loc);
        let locks = rest.locks.iter();
        list.extend(locks.map(|(lock, value)| RegOp::write(*lock, *value, loc)));
        list
    }

    /// The writes of a configuration whose values aren't there.
    pub(super) fn missing(&self, model: &DeviceModel, config: &[RegOp]) -> Vec<RegOp> {
        // A word that is written twice is there if the last value is.
        let mut last: FxHashMap<u32, u32> = FxHashMap::default();
        last.extend(config.iter().flat_map(words_of));
        let needed = |address: u32| {
            let known = self.word(address);
            let is_configuration = model
                .register_at(address)
                .is_some_and(|(_, what)| is_configuration(what));
            !is_configuration || known.is_none() || known != last.get(&address).copied()
        };
        let mut list = Vec::new();
        for op in config {
            match &op.action {
                RegAction::Write { address, .. } => {
                    list.extend(needed(*address).then(|| op.clone()));
                }
                RegAction::Mask {
                    address,
                    mask,
                    value,
                } => {
                    let known = self.word(*address).filter(|_| !last.contains_key(address));
                    let there = known.is_some_and(|old| old & mask == value & mask);
                    list.extend((!there).then(|| op.clone()));
                }
                RegAction::Block { address, words } => {
                    let place = |n: usize| address.wrapping_add((n as u64 * WORD_BYTES) as u32);
                    let wanted: Vec<usize> =
                        (0..words.len()).filter(|n| needed(place(*n))).collect();
                    for run in runs(&wanted) {
                        let words = words.get(run.clone()).unwrap_or_default().to_vec();
                        list.push(RegOp::block(place(run.start), words, op.loc));
                    }
                }
                RegAction::PatchedBd { .. }
                | RegAction::Copy { .. }
                | RegAction::Poll { .. }
                | RegAction::Read { .. }
                | RegAction::Wait { .. }
                | RegAction::Sync { .. }
                | RegAction::Patch { .. }
                | RegAction::CreateScratchpad { .. }
                | RegAction::UpdateFromScratchpad { .. }
                | RegAction::Preempt { .. } => {
                    list.push(op.clone());
                }
            }
        }
        list
    }
}

/// Ascending numbers as ranges. Words that are there already are written nevertheless where another
/// descriptor would cost more.
fn runs(numbers: &[usize]) -> Vec<std::ops::Range<usize>> {
    let mut list: Vec<std::ops::Range<usize>> = Vec::new();
    for n in numbers {
        match list.last_mut() {
            Some(last) if n - last.end <= MAX_GAP_WORDS as usize => last.end = n + 1,
            _ => list.push(*n..n + 1),
        }
    }
    list
}
