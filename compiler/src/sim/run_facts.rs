//! Facts of a run by what they are of, from its report: for the summary on a terminal, and as remarks on the page of the
//! design.

use std::collections::BTreeMap;

use aiec_device::{DmaDir, TileLoc};
use aiec_emit::dataflow::graph::{Dataflow, Link, LinkEnd, LinkKind};
use aiec_emit::dataflow::{RunRemarks, RunSummary, Shares};
use aiec_sim::SimReport;
use aiec_sim::report::{ChannelReport, CoreReport};
use aiec_sim::run::Ending;

/// Shares of the run of the part that represents a tile.
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
    report: &'a SimReport,
    channels: BTreeMap<(TileLoc, Direction, u8), &'a ChannelReport>,
    cores: BTreeMap<TileLoc, &'a CoreReport>,
    /// Cycles that shares are of, at least 1.
    cycles: u64,
}

/// Direction of a channel, ordered by name: of channels that are equally busy the first counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Direction(DmaDir);

impl Ord for Direction {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.name().cmp(other.0.name())
    }
}

impl PartialOrd for Direction {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl<'a> RunFacts<'a> {
    /// Sorts the facts of a report.
    pub fn of(report: &'a SimReport) -> RunFacts<'a> {
        let mut facts = RunFacts {
            report,
            channels: BTreeMap::new(),
            cores: BTreeMap::new(),
            cycles: report.run_cycles.max(1),
        };
        for tile in &report.tiles {
            let at = TileLoc::new(tile.column, tile.row);
            facts.cores.extend(tile.core.iter().map(|core| (at, core)));
            for channel in &tile.channels {
                let key = (at, Direction(channel.direction), channel.channel);
                facts.channels.insert(key, channel);
            }
        }
        facts
    }

    fn percent(&self, cycles: u64) -> u64 {
        (cycles * 100 / self.cycles).min(100)
    }

    /// Shares of the run of a core.
    fn core(&self, tile: TileLoc) -> Option<Shares> {
        let times = self.cores.get(&tile)?.times;
        Some(Shares {
            busy: self.percent(times.busy),
            stalled: self.percent(times.total() - times.busy),
        })
    }

    /// Shares of the run of each tile, by column and row: those of its core; without one of its DMA
    /// channel that was busiest.
    pub fn tiles(&self) -> BTreeMap<TileLoc, TileShares> {
        let mut tiles = BTreeMap::new();
        for ((tile, dir, channel), facts) in &self.channels {
            let shares = self.shares_of_channel(facts);
            let name = format!("{} {channel}", dir.0);
            let of_tile = tiles.entry(*tile).or_insert_with(TileShares::default);
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

    fn channel(&self, end: LinkEnd) -> Option<&'a ChannelReport> {
        let LinkEnd::Port(tile, port, dir) = end else {
            return None;
        };
        let key = (tile, Direction(dir), port.channel);
        self.channels.get(&key).copied()
    }

    /// Shares of the run of the channel at an end.
    fn channel_shares(&self, end: LinkEnd) -> Option<Shares> {
        let channel = self.channel(end)?;
        Some(self.shares_of_channel(channel))
    }

    fn shares_of_channel(&self, channel: &ChannelReport) -> Shares {
        let times = channel.times;
        let busy = channel.move_cycles + times.overhead;
        let stalled = times.lock_stall + times.stream_stall;
        Shares {
            busy: self.percent(busy),
            stalled: self.percent(stalled),
        }
    }

    /// The part of a link that is busiest, with its share: a core that sends counts by its program, a channel of either end
    /// by what it moves.
    fn busiest_of(&self, link: &Link) -> Option<(u64, String)> {
        let cores = link.from.iter().filter_map(|end| {
            let tile = end.tile()?;
            let shares = self.core(tile)?;
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
    fn critical(&self, flow: &Dataflow) -> Vec<usize> {
        match self.busiest(flow) {
            (links, Some((share, _))) if share >= MIN_CRITICAL => links,
            _ => Vec::new(),
        }
    }

    /// Links between the tiles that a deadlock holds, which its chain names.
    fn stuck_links(&self, flow: &Dataflow) -> Vec<usize> {
        let diagnosis = self.report.diagnosis.iter();
        let story: Vec<&String> = diagnosis.flat_map(|diagnosis| &diagnosis.story).collect();
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
}

impl RunRemarks for RunFacts<'_> {
    fn link(&self, link: &Link) -> (Vec<String>, Option<String>) {
        let mut lines = Vec::new();
        let mut rate = None;
        for end in link.from.iter().chain(&link.to) {
            let (Some(channel), Some(shares)) = (self.channel(*end), self.channel_shares(*end))
            else {
                continue;
            };
            let words = channel.counts.words;
            let bytes = channel.bytes_per_cycle;
            rate.get_or_insert_with(|| format!("{bytes:.2} B/cycle"));
            let tile = end.tile().map_or(String::new(), |tile| tile.to_string());
            let lock = self.percent(channel.times.lock_stall);
            let stream = self.percent(channel.times.stream_stall);
            lines.push(format!(
                "{} of {tile}: {words} words, {bytes:.3} bytes/cycle; moves {} %, waits for locks \
                 {lock} %, for the stream {stream} %",
                end.port_name(),
                shares.busy
            ));
        }
        (lines, rate)
    }

    fn summary(&self, flow: &Dataflow) -> RunSummary {
        let status = self.report.status;
        let mut lines = vec![format!(
            "{status} after {} cycles, {} of them in the runtime sequence",
            self.report.cycles, self.report.run_cycles
        )];
        let run = self.report.run_cycles;
        let bound = self
            .report
            .bound_cycles
            .filter(|_| status == Ending::Completed);
        lines.extend(bound.map(|bound| aiec_sim::report::bound_line(bound, run)));
        let diagnosis = self.report.diagnosis.as_ref();
        if let Some(diagnosis) = diagnosis {
            lines.extend(diagnosis.story.iter().cloned());
            lines.push(format!("way out: {}", diagnosis.help));
        }
        let critical = self.critical(flow);
        if status == Ending::Completed
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
            Some((self.percent(channel.times.stream_stall), link.name.clone()))
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
        let tiles = flow.tiles.keys();
        let tiles = tiles.filter_map(|&tile| Some((tile, self.core(tile)?)));
        let chain = diagnosis.iter().flat_map(|diagnosis| &diagnosis.chain);
        RunSummary {
            status: status.to_string(),
            lines,
            tiles: tiles.collect(),
            critical,
            stuck_links: self.stuck_links(flow),
            stuck_tiles: chain.filter_map(|wait| wait.tile).collect(),
        }
    }
}
