//! What a run showed, written beside what moved and what waited: from the report of the simulator
//! (`aiec sim --report-schema` describes it).

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use serde_json::{Value, json};

use super::graph::{Dataflow, Link, LinkEnd, LinkKind};

/// Shares of a run, in percent of its cycles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shares {
    /// At work.
    pub busy: u64,
    /// Waiting for a lock, a stream or a cascade.
    pub stalled: u64,
}

/// How the part of a tile spent a run that says most of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TileShares {
    /// `core`, or a DMA channel such as `MM2S 0`.
    pub part: String,
    /// Its shares.
    pub shares: Shares,
}

/// Percent of a run in which a part works that makes its time.
const MIN_CRITICAL: u64 = 50;

/// The facts of a report by what they are of.
pub struct RunFacts<'a> {
    report: &'a Value,
    /// By column, row, direction (`mm2s`, `s2mm`) and channel.
    channels: BTreeMap<(u64, u64, String, u64), &'a Value>,
    cores: FxHashMap<(u64, u64), &'a Value>,
    cycles: u64,
}

fn number(value: &Value, key: &str) -> u64 {
    value[key].as_u64().unwrap_or(0)
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

impl<'a> RunFacts<'a> {
    /// Reads a report; `None` for null, where there was no run.
    pub fn read(report: &'a Value) -> Option<RunFacts<'a>> {
        let cycles = number(report, "run_cycles").max(1);
        let mut facts = RunFacts {
            report,
            channels: BTreeMap::new(),
            cores: FxHashMap::default(),
            cycles,
        };
        if report.is_null() {
            return None;
        }
        for tile in list(&report["tiles"]) {
            let at = (number(tile, "column"), number(tile, "row"));
            if !tile["core"].is_null() {
                facts.cores.insert(at, &tile["core"]);
            }
            for channel in list(&tile["channels"]) {
                let dir = channel["direction"].as_str().unwrap_or_default();
                let key = (at.0, at.1, dir.to_string(), number(channel, "channel"));
                facts.channels.insert(key, channel);
            }
        }
        Some(facts)
    }

    fn percent(&self, cycles: u64) -> u64 {
        (cycles * 100 / self.cycles).min(100)
    }

    /// How a core spent the run.
    pub fn core(&self, (col, row): (u64, u64)) -> Option<Shares> {
        let core = self.cores.get(&(col, row))?;
        let stalls = [
            "lock_stall_cycles",
            "stream_stall_cycles",
            "cascade_stall_cycles",
        ];
        Some(Shares {
            busy: self.percent(number(core, "busy_cycles")),
            stalled: self.percent(stalls.iter().map(|key| number(core, key)).sum()),
        })
    }

    /// How each tile spent the run, by column and row: its core; without one its DMA channel that was
    /// busiest.
    pub fn tiles(&self) -> BTreeMap<(u64, u64), TileShares> {
        let mut tiles = BTreeMap::new();
        for ((col, row, dir, channel), facts) in &self.channels {
            let shares = self.shares_of_channel(facts);
            let name = format!("{} {channel}", dir.to_uppercase());
            let of_tile = tiles
                .entry((*col, *row))
                .or_insert_with(TileShares::default);
            if of_tile.part.is_empty()
                || (shares.busy, shares.stalled) > (of_tile.shares.busy, of_tile.shares.stalled)
            {
                *of_tile = TileShares { part: name, shares };
            }
        }
        for at in self.cores.keys() {
            let shares = self.core(*at).unwrap_or_default();
            let part = "core".to_string();
            tiles.insert(*at, TileShares { part, shares });
        }
        tiles
    }

    fn channel(&self, end: LinkEnd) -> Option<&'a Value> {
        let LinkEnd::Port(tile, port, dir) = end else {
            return None;
        };
        let dir = dir.name().to_lowercase();
        let key = (tile.col.into(), tile.row.into(), dir, port.channel.into());
        self.channels.get(&key).copied()
    }

    /// How the channel at an end spent the run.
    fn channel_shares(&self, end: LinkEnd) -> Option<Shares> {
        let channel = self.channel(end)?;
        Some(self.shares_of_channel(channel))
    }

    fn shares_of_channel(&self, channel: &Value) -> Shares {
        let busy = number(channel, "move_cycles") + number(channel, "overhead_cycles");
        let stalled = number(channel, "lock_stall_cycles") + number(channel, "stream_stall_cycles");
        Shares {
            busy: self.percent(busy),
            stalled: self.percent(stalled),
        }
    }

    /// What a run showed of a link, in lines, and its throughput in few words.
    pub fn link(&self, link: &Link) -> (Vec<String>, Option<String>) {
        let mut lines = Vec::new();
        let mut rate = None;
        for end in link.from.iter().chain(&link.to) {
            let (Some(channel), Some(shares)) = (self.channel(*end), self.channel_shares(*end))
            else {
                continue;
            };
            let words = number(channel, "words");
            let bytes = channel["bytes_per_cycle"].as_f64().unwrap_or(0.0);
            rate.get_or_insert_with(|| format!("{bytes:.2} B/cycle"));
            let tile = end.tile().map_or(String::new(), |tile| tile.to_string());
            let lock = self.percent(number(channel, "lock_stall_cycles"));
            let stream = self.percent(number(channel, "stream_stall_cycles"));
            lines.push(format!(
                "{} of {tile}: {words} words, {bytes:.3} bytes/cycle; moves {} %, waits for locks \
                 {lock} %, for the stream {stream} %",
                end.port_name(),
                shares.busy
            ));
        }
        (lines, rate)
    }

    /// The part of a link that is busiest, with its share: a core that sends counts by its program, a channel of either end
    /// by what it moves.
    fn busiest_of(&self, link: &Link) -> Option<(u64, String)> {
        let cores = link.from.iter().filter_map(|end| {
            let tile = end.tile()?;
            let shares = self.core((tile.col.into(), tile.row.into()))?;
            Some((shares.busy, format!("core {tile}")))
        });
        let channels = link.from.iter().chain(&link.to).filter_map(|end| {
            let (shares, tile) = (self.channel_shares(*end)?, end.tile()?);
            Some((shares.busy, format!("{} of {tile}", end.port_name())))
        });
        // the first of those that are alike
        let all: Vec<(u64, String)> = cores.chain(channels).collect();
        all.into_iter().rev().max_by_key(|(share, _)| *share)
    }

    /// The links of what is busiest, and that part with its share.
    fn busiest(&self, flow: &Dataflow) -> (Vec<usize>, Option<(u64, String)>) {
        let inner = flow.links.iter().enumerate();
        let inner = inner.filter(|(_, link)| link.kind != LinkKind::Host);
        let parts: Vec<(usize, (u64, String))> = inner
            .filter_map(|(n, link)| Some((n, self.busiest_of(link)?)))
            .collect();
        let most = parts.iter().rev().map(|(_, part)| part);
        let most = most.max_by_key(|(share, _)| *share).cloned();
        let share = most.as_ref().map_or(0, |(share, _)| *share);
        let links = parts.iter().filter(|(_, part)| part.0 == share);
        (links.map(|(number, _)| *number).collect(), most)
    }

    /// The links of what is busiest, if that is at work most of the run: nothing before or after it can go faster. Where
    /// all wait more than they work no part makes the time, but the latency of what they wait for.
    pub fn critical(&self, flow: &Dataflow) -> Vec<usize> {
        match self.busiest(flow) {
            (links, Some((share, _))) if share >= MIN_CRITICAL => links,
            _ => Vec::new(),
        }
    }

    /// Tiles of the deadlock's circle or chain, as in the report.
    fn stuck_tiles(&self) -> Vec<(u64, u64)> {
        let chain = list(&self.report["diagnosis"]["chain"]).iter();
        let tile = |part: &Value| {
            let tile = list(&part["tile"]);
            Some((tile.first()?.as_u64()?, tile.get(1)?.as_u64()?))
        };
        chain.filter_map(tile).collect()
    }

    /// Links between the tiles that a deadlock holds, which its chain names.
    pub fn stuck_links(&self, flow: &Dataflow) -> Vec<usize> {
        let chain = list(&self.report["diagnosis"]["story"]).iter();
        let story: Vec<&str> = chain.filter_map(Value::as_str).collect();
        let named = |name: &str| {
            let mark = format!("@{name}");
            let is_end =
                |c: Option<char>| !c.is_some_and(|c| c.is_ascii_alphanumeric() || c == '_');
            story.iter().any(|line| {
                let mut found = line.match_indices(&mark);
                found.any(|(at, _)| is_end(line[at + mark.len()..].chars().next()))
            })
        };
        let inner = flow.links.iter().enumerate();
        let stuck = inner.filter(|(_, link)| link.is_fifo && named(&link.name));
        stuck.map(|(number, _)| number).collect()
    }

    /// The whole run for the page: what it says first, shares by tile, members of a deadlock.
    pub fn summary(&self, flow: &Dataflow) -> Value {
        let status = self.report["status"].as_str().unwrap_or_default();
        let mut lines = vec![format!(
            "{status} after {} cycles, {} of them in the runtime sequence",
            number(self.report, "cycles"),
            number(self.report, "run_cycles")
        )];
        let diagnosis = &self.report["diagnosis"];
        lines.extend(
            list(&diagnosis["story"])
                .iter()
                .filter_map(Value::as_str)
                .map(str::to_string),
        );
        if let Some(help) = diagnosis["help"].as_str() {
            lines.push(format!("way out: {help}"));
        }
        let critical = self.critical(flow);
        if status == "completed"
            && let (_, Some((share, part))) = self.busiest(flow)
            && share > 0
        {
            let names = critical.iter().map(|n| flow.links[*n].name.as_str());
            let names: Vec<&str> = names.collect();
            lines.push(if !names.is_empty() { format!(
                "critical: {}: {part} works {share} % of the run",
                names.join(", ")
            ) } else { format!(
                "nothing is critical: the busiest, {part}, works {share} % of the run; what the parts wait for makes \
                 its time"
            ) });
        }
        let waits = |link: &&Link| {
            let end = link
                .from
                .iter()
                .chain(&link.to)
                .find(|end| end.tile().is_some())?;
            let channel = self.channel(*end)?;
            Some((
                self.percent(number(channel, "stream_stall_cycles")),
                link.name.clone(),
            ))
        };
        let host = flow.links.iter().filter(|link| link.kind == LinkKind::Host);
        let starved = host
            .filter_map(|link| waits(&link))
            .max_by_key(|(share, _)| *share);
        if let Some((share, name)) = starved.filter(|(share, _)| *share > 0) {
            lines.push(format!(
                "most starved: {name}: its channel waits {share} % of the run"
            ));
        }
        let tiles = flow.tiles.keys().filter_map(|tile| {
            let shares = self.core((tile.col.into(), tile.row.into()))?;
            Some(json!({ "tile": [tile.col, tile.row], "busy": shares.busy, "stalled": shares.stalled }))
        });
        json!({
            "status": status,
            "lines": lines,
            "tiles": tiles.collect::<Vec<_>>(),
            "critical": critical,
            "stuck_links": self.stuck_links(flow),
            "stuck_tiles": self.stuck_tiles(),
        })
    }
}
