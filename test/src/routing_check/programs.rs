//! Reads from printed netlists what DMA channels and cores do with locks and streams, line by line.

use std::collections::{BTreeMap, BTreeSet};

use super::read::Tile;

/// A thing done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    /// Takes units from a lock; `true`: waits for just this value.
    Take(usize, i64, bool),
    /// Gives units to a lock.
    Give(usize, i64),
    /// Sends words, with a packet id if the descriptor has one.
    Send(u64, Option<u8>),
    /// Receives words.
    Receive(u64),
    /// Repeats the acts that follow: how often (`None`: without end), and how many acts.
    Loop(Option<u64>, usize),
}

/// A DMA channel: tile, whether it sends, number.
pub type Channel = (Tile, bool, u8);

/// A DMA channel or a core.
#[derive(Clone, Debug, Default)]
pub struct Actor {
    /// The channel; `None` for a core.
    pub channel: Option<Channel>,
    /// Its program.
    pub acts: Vec<Act>,
}

/// Programs of a device's channels and cores.
#[derive(Clone, Debug, Default)]
pub struct Programs {
    /// Initial values.
    pub locks: Vec<i64>,
    /// Locks that an unknown program may give to.
    pub free: BTreeSet<usize>,
    /// The actors.
    pub actors: Vec<Actor>,
}

/// A DMA program or core being read.
#[derive(Default)]
struct Open {
    tile: Tile,
    is_core: bool,
    understood: bool,
    /// Acts by block; those of a core all in block 0.
    blocks: BTreeMap<u32, Vec<Act>>,
    next: BTreeMap<u32, u32>,
    starts: Vec<(bool, u8, u32, u64)>,
    block: u32,
    /// Depth of braces.
    depth: usize,
    /// Loops around: acts before, depth inside, times.
    loops: Vec<(usize, usize, Option<u64>)>,
    given: BTreeSet<usize>,
}

#[derive(Default)]
struct Reader {
    devices: Vec<Programs>,
    tiles: BTreeMap<String, Tile>,
    locks: BTreeMap<String, usize>,
    numbers: BTreeMap<String, i64>,
    open: Option<Open>,
}

/// The programs of all devices of a text.
pub fn programs(text: &str) -> Vec<Programs> {
    let mut reader = Reader::default();
    for line in text.lines() {
        let line = line.split("//").next().unwrap_or_default().trim();
        reader.line(line);
    }
    reader.devices
}

fn inside(text: &str) -> Vec<&str> {
    let open = text.find('(').map_or(0, |at| at + 1);
    let close = text[open..].find(')').map_or(text.len(), |at| open + at);
    text[open..close].split(',').map(str::trim).collect()
}

/// The number after a mark.
fn after(text: &str, mark: &str) -> Option<i64> {
    number(&text[text.find(mark)? + mark.len()..])
}

/// The number that a text begins with.
fn number(text: &str) -> Option<i64> {
    let digit = |c: char| c.is_ascii_digit() || c == '-';
    let end = text.find(|c| !digit(c)).unwrap_or(text.len());
    text[..end].parse().ok()
}

fn block(text: &str) -> Option<u32> {
    text.trim_start_matches("^bb")
        .trim_end_matches(':')
        .parse()
        .ok()
}

/// Bytes of an element of the memref type in a line.
fn elem_bytes(line: &str) -> Option<u64> {
    let memref = &line[line.find("memref<")? + 7..];
    let elem = memref.split(['>', ',']).next()?.rsplit('x').next()?;
    let bits: u64 = elem
        .trim_start_matches(|c: char| !c.is_ascii_digit())
        .parse()
        .ok()?;
    Some(bits.div_ceil(8))
}

impl Reader {
    fn line(&mut self, line: &str) {
        let named = line.split_once(" = ").filter(|_| line.starts_with('%'));
        let (name, op) = named.unwrap_or(("", line));
        if op.starts_with("aie.device(") {
            self.devices.push(Programs::default());
            self.tiles.clear();
            self.locks.clear();
        } else if op.starts_with("aie.tile(") {
            if let [col, row] = inside(op)[..]
                && let (Ok(col), Ok(row)) = (col.parse(), row.parse())
            {
                self.tiles.insert(name.to_string(), (col, row));
            }
        } else if op.starts_with("aie.lock(") {
            if let Some(device) = self.devices.last_mut() {
                self.locks.insert(name.to_string(), device.locks.len());
                device.locks.push(after(op, "init = ").unwrap_or(0));
            }
        } else if let Some(value) = op.strip_prefix("arith.constant ").and_then(number) {
            self.numbers.insert(name.to_string(), value);
        }
        let begins = ["aie.mem(", "aie.memtile_dma(", "aie.shim_dma(", "aie.core("];
        if self.open.is_none() && begins.iter().any(|begin| op.starts_with(begin)) {
            let tile = inside(op).first().and_then(|tile| self.tiles.get(*tile));
            self.open = tile.map(|tile| Open {
                tile: *tile,
                is_core: op.starts_with("aie.core("),
                understood: !op.starts_with("aie.shim_dma("),
                depth: 1,
                ..Open::default()
            });
        } else if let Some(mut open) = self.open.take() {
            self.part(&mut open, op);
            match open.depth {
                0 => self.close(open),
                _ => self.open = Some(open),
            }
        }
    }

    /// A line of a program.
    fn part(&self, open: &mut Open, op: &str) {
        if op.starts_with('}') {
            open.depth -= 1;
            if let Some((before, depth, times)) = open.loops.pop() {
                let acts = open.blocks.entry(0).or_default();
                match depth > open.depth {
                    false => open.loops.push((before, depth, times)),
                    true if acts.len() > before => {
                        let len = acts.len() - before;
                        // A loop of unknown length matters only if it does something.
                        open.understood &= times.is_some();
                        acts.insert(before, Act::Loop(times, len));
                    }
                    true => {}
                }
            }
        }
        if op.ends_with('{') {
            open.depth += 1;
            if open.is_core {
                let acts = open.blocks.entry(0).or_default().len();
                open.loops.push((acts, open.depth, self.trips(op)));
            } else {
                open.understood = false;
            }
        }
        if op.starts_with("^bb") {
            open.understood &= !open.is_core;
            open.block = op.split([':', '(']).next().and_then(block).unwrap_or(0);
        } else if op.starts_with("aie.dma_start(") {
            if let [dir, channel, first, _] = inside(op)[..]
                && let (Ok(channel), Some(first)) = (channel.parse(), block(first))
            {
                let runs = after(op, "repeat_count = ").unwrap_or(0) + 1;
                open.starts
                    .push((dir == "MM2S", channel, first, runs as u64));
            }
        } else if op.starts_with("aie.next_bd ") {
            if let Some(next) = op.split(' ').nth(1).and_then(block) {
                open.next.insert(open.block, next);
            }
        } else if op.starts_with("aie.use_lock(") || op.starts_with("aie.dma_bd(") {
            match self.act(open, op) {
                Some(act) => open.blocks.entry(open.block).or_default().push(act),
                None => open.understood = false,
            }
        }
    }

    fn trips(&self, op: &str) -> Option<u64> {
        let rest = op.strip_prefix("scf.for ")?;
        let words: Vec<&str> = rest.split_whitespace().collect();
        let number = |at: usize| self.numbers.get(*words.get(at)?).copied();
        let (from, to, step) = (number(2)?, number(4)?, number(6)?);
        u64::try_from((to - from).max(0).checked_add(step - 1)? / step.max(1)).ok()
    }

    fn act(&self, open: &mut Open, op: &str) -> Option<Act> {
        if op.starts_with("aie.dma_bd(") {
            let plain = !op.contains("pad_dimensions");
            let words = after(op, "len = ").filter(|_| plain)? as u64 * elem_bytes(op)?;
            // Which way it goes is known by the start that leads here.
            let id = after(op, "pkt_id = ").and_then(|id| u8::try_from(id).ok());
            return Some(Act::Send(words.div_ceil(4), id));
        }
        let [lock, action, value] = inside(op)[..] else {
            return None;
        };
        let lock = *self.locks.get(lock)?;
        if action == "Release" {
            open.given.insert(lock);
        }
        let value = *self.numbers.get(value)?;
        Some(match action {
            "Release" => Act::Give(lock, value),
            _ => Act::Take(lock, value, action == "Acquire"),
        })
    }

    fn close(&mut self, open: Open) {
        let Some(device) = self.devices.last_mut() else {
            return;
        };
        if !open.understood {
            device.free.extend(open.given);
            return;
        }
        if open.is_core {
            let acts = open.blocks.get(&0).cloned().unwrap_or_default();
            device.actors.push(Actor {
                channel: None,
                acts,
            });
        }
        for (sends, channel, first, runs) in &open.starts {
            device.actors.push(Actor {
                channel: Some((open.tile, *sends, *channel)),
                acts: chain(&open, *sends, *first, *runs),
            });
        }
    }
}

/// The acts of a chain of blocks.
fn chain(open: &Open, sends: bool, first: u32, runs: u64) -> Vec<Act> {
    let mut acts: Vec<Act> = Vec::new();
    let mut starts = BTreeMap::new();
    let mut at = Some(first);
    while let Some(block) = at {
        if let Some(start) = starts.get(&block) {
            let len = acts.len() - start;
            acts.insert(*start, Act::Loop(None, len));
            return acts;
        }
        starts.insert(block, acts.len());
        let list = open.blocks.get(&block).into_iter().flatten();
        acts.extend(list.map(|act| match *act {
            Act::Send(words, _) if !sends => Act::Receive(words),
            act => act,
        }));
        at = open.next.get(&block).copied();
    }
    let len = acts.len();
    acts.insert(0, Act::Loop(Some(runs), len));
    acts
}
