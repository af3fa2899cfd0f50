//! The state that writes leave, and the orders that hardware requires of them.

use std::collections::{BTreeMap, BTreeSet};

use aiec_device::DeviceModel;
use aiec_device::regmap::{QueueEntry, RegisterRef};

use super::events::Event;

/// Final contents of registers, as (bits that were written, their values), and the words pushed to
/// each queue.
#[derive(Default)]
pub struct Final {
    pub registers: BTreeMap<u32, (u32, u32)>,
    pub queues: BTreeMap<u32, Vec<u32>>,
}

impl Final {
    pub fn of(model: &DeviceModel, events: &[Event]) -> Final {
        let mut state = Final::default();
        for event in events {
            match event {
                Event::Write(address, value) => {
                    let what = model.register_at(*address).map(|(_, what)| what);
                    if matches!(what, Some(RegisterRef::DmaQueue { .. })) {
                        state.queues.entry(*address).or_default().push(*value);
                    } else {
                        state.registers.insert(*address, (u32::MAX, *value));
                    }
                }
                Event::Mask(address, mask, value) => {
                    let entry = state.registers.entry(*address).or_default();
                    *entry = (entry.0 | mask, entry.1 & !mask | value);
                }
                Event::Bd(start, words, _) => {
                    for (n, word) in words.iter().enumerate() {
                        let address = start + 4 * n as u32;
                        state.registers.insert(address, (u32::MAX, *word));
                    }
                }
                Event::Wait(..) => {}
            }
        }
        state
    }

    /// One line for each difference.
    pub fn differences(&self, golden: &Final, model: &DeviceModel) -> Vec<String> {
        let name = |address: u32| {
            let (tile, _) = model.split_address(address);
            let offset = address & (model.arch().tile_bytes() - 1);
            let name = model.register_map(tile).and_then(|m| m.name_at(offset));
            format!("{address:#010x} {tile} {}", name.unwrap_or_default())
        };
        // The reference zeroes all locks of a tile with a core, ours those that the design has.
        let is_zero_lock = |address: u32, value: u32| {
            let what = model.register_at(address).map(|(_, what)| what);
            value == 0 && matches!(what, Some(RegisterRef::LockValue { .. }))
        };
        let mut list = Vec::new();
        for (address, (mask, value)) in &golden.registers {
            if is_zero_lock(*address, *value) && !self.registers.contains_key(address) {
                continue;
            }
            let (known, have) = self.registers.get(address).copied().unwrap_or_default();
            if known & mask != *mask || have & mask != *value & mask {
                let have = format!("{have:#010x} (bits {known:#010x})");
                list.push(format!("{}: {have}, golden {value:#010x}", name(*address)));
            }
        }
        for (address, (_, value)) in &self.registers {
            if !golden.registers.contains_key(address) && !is_zero_lock(*address, *value) {
                list.push(format!(
                    "{}: {value:#010x}, golden has none",
                    name(*address)
                ));
            }
        }
        if self.queues != golden.queues {
            list.push(format!(
                "queues {:x?}, golden {:x?}",
                self.queues, golden.queues
            ));
        }
        list
    }
}

/// The orders that the hardware requires.
pub fn check_order(model: &'static DeviceModel, events: &[Event]) {
    let mut bds = BTreeSet::new();
    let mut pushed = BTreeSet::new();
    let mut enabled = BTreeSet::new();
    for event in events {
        let address = match event {
            Event::Write(address, _) | Event::Mask(address, ..) => *address,
            Event::Bd(address, ..) => *address,
            Event::Wait(..) => continue,
        };
        let (tile, what) = model.register_at(address).expect("a write to nothing");
        assert!(
            !enabled.contains(&tile),
            "{tile} is changed while its core runs"
        );
        match (what, event) {
            (RegisterRef::BdWord { bd, .. }, _) => {
                bds.insert((tile, bd));
            }
            (RegisterRef::DmaQueue { dir, .. }, Event::Write(_, word)) => {
                let kind = model.tile_kind(tile).unwrap();
                let entry = QueueEntry::unpack(model.arch(), kind, dir, *word).unwrap();
                assert!(
                    bds.contains(&(tile, entry.bd)),
                    "a push of a BD that isn't written"
                );
                pushed.insert(tile);
            }
            (RegisterRef::CoreControl, Event::Write(_, 1)) => {
                enabled.insert(tile);
            }
            _ => assert!(
                !pushed.contains(&tile),
                "{tile} is set up after its DMA started"
            ),
        }
    }
}
