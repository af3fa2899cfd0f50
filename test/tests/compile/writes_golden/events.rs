//! Writes of the golden vectors and of ours, in one form.

use std::path::Path;

use aiec_device::regmap::{BdLayout, RegisterRef};
use aiec_device::{ChannelId, DeviceModel, DmaDir, TileLoc};
use aiec_passes::regops::{RegAction, RegOp};

/// An operation of a golden file or of ours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    Write(u32, u32),
    /// Address, mask, value.
    Mask(u32, u32, u32),
    /// A whole BD with the argument that patches it, by the address of its first word.
    Bd(u32, Vec<u32>, Option<u32>),
    Wait(ChannelId),
}

/// The lines of a golden file with their section.
pub struct Golden {
    lines: Vec<(String, Vec<String>)>,
}

impl Golden {
    pub fn read(path: &Path) -> Golden {
        let text = std::fs::read_to_string(path).unwrap();
        let mut section = String::new();
        let mut lines = Vec::new();
        for line in text.lines() {
            let line = line.split(';').next().unwrap().trim();
            if let Some(name) = line.strip_prefix('[') {
                section = name.trim_end_matches(']').to_string();
            } else if !line.is_empty() && !line.starts_with("drop") {
                let words = line.split_whitespace().map(str::to_string).collect();
                lines.push((section.clone(), words));
            }
        }
        Golden { lines }
    }

    /// Events of the sections that `wanted` accepts.
    pub fn events(&self, model: &'static DeviceModel, wanted: impl Fn(&str) -> bool) -> Vec<Event> {
        let mut events = Vec::new();
        for (_, words) in self.lines.iter().filter(|(section, _)| wanted(section)) {
            golden_line(model, words, &mut events);
        }
        events
    }
}

pub fn hex(text: &str) -> u32 {
    u32::from_str_radix(text.trim_start_matches("0x"), 16).unwrap()
}

/// The part of `key=value` after the sign.
pub fn value<'a>(words: &'a [String], key: &str) -> &'a str {
    let found = words.iter().find_map(|w| w.strip_prefix(key));
    found.unwrap().trim_start_matches('=')
}

pub fn golden_line(model: &'static DeviceModel, words: &[String], events: &mut Vec<Event>) {
    match words[0].as_str() {
        "write" => events.push(Event::Write(hex(&words[1]), hex(&words[2]))),
        "mask" => {
            let (address, mask, bits) = (hex(&words[1]), hex(&words[2]), hex(&words[3]));
            if !change_bd(model, events, address, |word| *word = *word & !mask | bits) {
                events.push(Event::Mask(address, mask, bits & mask));
            }
        }
        "block" => {
            let data: Vec<u32> = words[2..].iter().map(|w| hex(w)).collect();
            push_block(model, hex(&words[1]), &data, events);
        }
        "patch" => {
            let argument: u32 = value(words, "arg").parse().unwrap();
            let plus: u32 = value(words, "plus").parse().unwrap();
            let address = hex(&words[1]);
            assert!(change_bd(model, events, address, |word| *word = plus));
            let Some(Event::Bd(_, _, patch)) = last_bd(model, events, address) else {
                panic!("patch without a BD");
            };
            *patch = Some(argument);
        }
        "sync" => {
            let number = |key| value(words, key).parse::<u8>().unwrap();
            let tile = TileLoc::new(number("col"), number("row"));
            let dir = DmaDir::by_name(value(words, "dir")).unwrap();
            events.push(Event::Wait(ChannelId::new(tile, dir, number("ch"))));
        }
        other => panic!("unknown line {other}"),
    }
}

/// The last BD event with a word at an address.
pub fn last_bd<'e>(
    model: &DeviceModel,
    events: &'e mut [Event],
    address: u32,
) -> Option<&'e mut Event> {
    let (tile, what) = model.register_at(address)?;
    let RegisterRef::BdWord { bd, .. } = what else {
        return None;
    };
    let start = model.register_address(tile, RegisterRef::BdWord { bd, word: 0 })?;
    let mut events = events.iter_mut().rev();
    events.find(|e| matches!(e, Event::Bd(at, ..) if *at == start))
}

pub fn change_bd(
    model: &DeviceModel,
    events: &mut [Event],
    address: u32,
    change: impl Fn(&mut u32),
) -> bool {
    match last_bd(model, events, address) {
        Some(Event::Bd(start, words, _)) => {
            change(&mut words[((address - *start) / 4) as usize]);
            true
        }
        _ => false,
    }
}

/// Cuts a block into BDs and words.
pub fn push_block(model: &DeviceModel, address: u32, data: &[u32], events: &mut Vec<Event>) {
    let mut at = 0;
    while at < data.len() {
        let here = address + 4 * at as u32;
        let (tile, what) = model.register_at(here).unwrap();
        if let RegisterRef::BdWord { word: 0, .. } = what {
            let layout = BdLayout::of(model.arch(), model.tile_kind(tile).unwrap()).unwrap();
            let count = usize::from(layout.words());
            if at + count <= data.len() {
                events.push(Event::Bd(here, data[at..at + count].to_vec(), None));
                at += count;
                continue;
            }
        }
        events.push(Event::Write(here, data[at]));
        at += 1;
    }
}

pub fn ours(model: &DeviceModel, ops: &[RegOp]) -> Vec<Event> {
    let mut events = Vec::new();
    for op in ops {
        match &op.action {
            RegAction::Write { address, value } => events.push(Event::Write(*address, *value)),
            RegAction::Mask {
                address,
                mask,
                value,
            } => events.push(Event::Mask(*address, *mask, *value)),
            // The program of an emptied core: the vectors have none.
            RegAction::Block { address, .. } if is_program(model, *address) => {}
            RegAction::Block { address, words } => {
                push_block(model, *address, words, &mut events);
            }
            RegAction::PatchedBd {
                address,
                words,
                argument,
            } => events.push(Event::Bd(*address, words.clone(), Some(*argument))),
            // Polls guard task queues; the reference has none, nor words that a sequence reads.
            RegAction::Poll { .. } | RegAction::Read { .. } | RegAction::Copy { .. } => {}
            RegAction::Wait { .. } | RegAction::Sync { .. } => {
                for (channel, tokens) in op.action.awaited() {
                    events.extend((0..tokens).map(|_| Event::Wait(channel)));
                }
            }
            // A compilation makes one operation of a BD and its patch, and keeps preemption points apart.
            RegAction::Patch { .. } | RegAction::Preempt { .. } => {}
            RegAction::CreateScratchpad { .. } | RegAction::UpdateFromScratchpad { .. } => {}
        }
    }
    events
}

/// Whether an address lies in a core's program memory.
pub fn is_program(model: &DeviceModel, address: u32) -> bool {
    let at = model.register_at(address).map(|(_, what)| what);
    matches!(at, Some(RegisterRef::ProgramMemory { .. }))
}
