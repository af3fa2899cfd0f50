//! The trace as lines of text: `time=<ps>,event=<NAME>,key=value,…`, in order of time.
//!
//! Events and keys are those of the AI Engine simulator's table (UG1076, simulation event trace),
//! with rows counted from the shim, and events of our own for what a CERT machine does. Locks of
//! AIE-ML are semaphores that know no reader or writer: an acquire is told as
//! `ACQ_WRITE_LOCK_REQ` if the lock's name says that it counts free buffers (object fifos call it
//! `…_prod_lock…`), else as `ACQ_READ_LOCK_REQ`.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use aiec_device::{DmaDir, TileLoc};

use super::PICOSECONDS;
use super::names::Naming;
use crate::array::{Happening, LockNeed, Note, Noted, PacketHeader, Party, Stall};
use crate::run::SimResult;
use crate::time::Cycle;

/// Part of the names of locks that count free buffers.
const PRODUCER: &str = "_prod_";

/// The lines of a run.
pub fn write(result: &SimResult) -> String {
    let mut lines = Lines {
        names: Naming::new(result),
        lines: Vec::new(),
        transfers: BTreeMap::new(),
        bds: BTreeMap::new(),
        running: BTreeSet::new(),
    };
    for noted in &result.notes {
        lines.add(noted);
    }
    lines.lines.sort_by_key(|(at, _)| *at);
    let mut text = String::new();
    for (at, line) in lines.lines {
        let _ = writeln!(text, "time={},event={line}", at * PICOSECONDS);
    }
    text
}

struct Lines<'a> {
    names: Naming<'a>,
    lines: Vec<(Cycle, String)>,
    /// Transfers that began at each port.
    transfers: BTreeMap<(TileLoc, bool, u8), u32>,
    /// BD and address in progress in each channel.
    bds: BTreeMap<(TileLoc, DmaDir, u8), (u8, u64)>,
    /// Cores that were started and have not ended.
    running: BTreeSet<TileLoc>,
}

impl Lines<'_> {
    fn line(&mut self, at: Cycle, text: String) {
        self.lines.push((at, text));
    }

    fn add(&mut self, noted: &Noted) {
        let Noted { at, tile, what } = *noted;
        let place = format!("col={},row={}", tile.col, tile.row);
        let line = match what {
            Note::Event(happening) => return self.happening(at, tile, &place, happening),
            Note::LockAsked { by, lock, need } => return self.asked(at, tile, by, lock, need),
            Note::LockTaken { lock, value, .. } | Note::LockSet { lock, value } => {
                format!(
                    "LOCK_VALUE,{place},lockid={lock},value={value}{}",
                    self.lock(tile, lock)
                )
            }
            Note::LockReleased {
                by,
                lock,
                change,
                value,
            } => {
                let name = self.lock(tile, lock);
                if let Party::Core(core) = by {
                    let (at_core, dir) = (at_tile(core), side(core, tile));
                    let text = format!("REL_LOCK_REQ,{at_core},lockid={lock},dir={dir}");
                    self.line(at, format!("{text},change={change}{name}"));
                }
                format!("LOCK_VALUE,{place},lockid={lock},value={value}{name}")
            }
            Note::CoreStands { why, until } => {
                self.line(at, format!("CORE_WAIT,{place},cause={}", why.name()));
                return self.line(until, format!("CORE_READY,{place}"));
            }
            Note::TaskPushed {
                dir,
                channel,
                bd,
                runs,
                token,
                ..
            } => {
                let dma = dma(dir);
                let token = u8::from(token);
                format!("{dma}_PUSH_TASK,{place},bd={bd},ch={channel},runs={runs},token={token}")
            }
            Note::BdBegins {
                dir,
                channel,
                bd,
                address,
            } => {
                self.bds.insert((tile, dir, channel), (bd, address));
                return;
            }
            Note::BdMoves { dir, channel, bd } => {
                let begun = self.bds.get(&(tile, dir, channel));
                let address = begun.map_or(0, |(_, address)| *address);
                let dma = dma(dir);
                format!("{dma}_START,{place},bd={bd},ch={channel},address=0x{address:X}")
            }
            Note::BdEnds {
                dir,
                channel,
                bd,
                words,
            } => {
                let dma = dma(dir);
                format!("{dma}_DONE,{place},bd={bd},ch={channel},words={words}")
            }
            Note::StreamStall {
                dir,
                channel,
                until,
            } => {
                let dma = dma(dir);
                self.line(at, format!("{dma}_STREAMSTALL,{place},ch={channel}"));
                return self.line(
                    until,
                    format!("{dma}_STREAMSTALL_RELEASE,{place},ch={channel}"),
                );
            }
            Note::Idle { dir, channel } => format!("{}_IDLE,{place},ch={channel}", dma(dir)),
            Note::Access {
                dir,
                channel,
                address,
                words,
            } => {
                let request = match dir {
                    DmaDir::Mm2s => "DM_READ_REQ",
                    DmaDir::S2mm => "DM_WRITE_REQ",
                };
                let port = dma(dir).to_lowercase();
                format!(
                    "{request},{place},port={port}_{channel},address=0x{address:X},words={words}"
                )
            }
            Note::TokenSent {
                dir,
                channel,
                actor,
            } => format!("{}_TOKEN,{place},ch={channel},actor={actor}", dma(dir)),
            Note::TokenArrived { actor } => format!("TOKEN,{place},actor={actor}"),
            Note::Words { .. } | Note::Stood { .. } => return self.words(at, tile, &place, what),
            Note::Written { offset, value } => {
                format!("REG_WRITE,{place},offset=0x{offset:05X},value=0x{value:08X}")
            }
            _ => return self.controller(at, what),
        };
        self.line(at, line);
    }

    /// `,name=…` of a lock that has one.
    fn lock(&self, tile: TileLoc, lock: u8) -> String {
        let name = self.names.lock(tile, lock);
        name.map_or(String::new(), |name| format!(",name={name}"))
    }

    fn asked(&mut self, at: Cycle, tile: TileLoc, by: Party, lock: u8, need: LockNeed) {
        let name = self.names.lock(tile, lock);
        let producer = name.is_some_and(|name| name.contains(PRODUCER));
        let (key, n) = match need {
            LockNeed::AtLeast(n) => ("atleast", n),
            LockNeed::Equal(n) => ("equal", n),
        };
        let name = self.lock(tile, lock);
        let line = match by {
            Party::Channel { tile, dir, channel } => {
                let place = at_tile(tile);
                format!("{}_ACQ_LOCK,{place},ch={channel},lockid={lock}", dma(dir))
            }
            Party::Core(core) => {
                let sort = if producer { "WRITE" } else { "READ" };
                let (place, dir) = (at_tile(core), side(core, tile));
                format!("ACQ_{sort}_LOCK_REQ,{place},lockid={lock},dir={dir}")
            }
            _ => return,
        };
        self.line(at, format!("{line},{key}={n}{name}"));
    }

    fn happening(&mut self, at: Cycle, tile: TileLoc, place: &str, what: Happening) {
        let line = match what {
            Happening::CoreActive(true) => {
                self.running.insert(tile);
                format!("CORE_RESET,{place}")
            }
            Happening::CoreActive(false) if self.running.remove(&tile) => {
                format!("CORE_DONE,{place}")
            }
            Happening::CoreLockStall(on) => core_stall(place, Stall::Lock, on),
            Happening::CoreStreamStall(on) => core_stall(place, Stall::Stream, on),
            Happening::CoreCascadeStall(on) => core_stall(place, Stall::Cascade, on),
            Happening::Instruction(n) => format!("INSTR_EVENT_{n},{place}"),
            Happening::StartTask(dir, channel) => {
                format!("{}_START_TASK,{place},ch={channel}", dma(dir))
            }
            Happening::FinishedTask(dir, channel) => {
                format!("{}_FINISHED_TASK,{place},ch={channel}", dma(dir))
            }
            Happening::LockStall(dir, channel, on) => {
                let bd = self.bds.get(&(tile, dir, channel)).map_or(0, |(bd, _)| *bd);
                let end = if on { "" } else { "_RELEASE" };
                format!("{}_LOCKSTALL{end},{place},bd={bd},ch={channel}", dma(dir))
            }
            Happening::DmaError(dir, channel) => format!("{}_ERROR,{place},ch={channel}", dma(dir)),
            Happening::BankConflict(bank) => format!("DM_BANK_CONFLICT,{place},bankid={bank}"),
            Happening::LockError => format!("LOCK_ERROR,{place}"),
            Happening::ControlPacketError => format!("CONTROL_PACKET_ERROR,{place}"),
            // told by other notes, with more
            _ => return,
        };
        self.line(at, line);
    }

    fn words(&mut self, at: Cycle, tile: TileLoc, place: &str, what: Note) {
        let (slave, index) = match what {
            Note::Words { slave, index, .. } | Note::Stood { slave, index, .. } => (slave, index),
            _ => return,
        };
        let count = self.transfers.entry((tile, slave, index)).or_default();
        if matches!(what, Note::Words { first: true, .. }) {
            *count += 1;
        }
        let number = count.saturating_sub(1);
        let side = if slave { "slave" } else { "master" };
        let port = self.names.port(tile, slave, index);
        let port = port.map_or(String::new(), |p| format!("{}_{}", p.bundle, p.channel));
        let port = format!("{place},name=tile_{}_{}.{side}.{port}", tile.col, tile.row);
        match what {
            Note::Stood { until, .. } => {
                self.line(at, format!("DATA_STALL,{port},idx={number}"));
                self.line(until, format!("DATA_RESUME,{port},idx={number}"));
            }
            Note::Words {
                until,
                words,
                header,
                first,
                last,
                ..
            } => {
                let id = header.map(|word| PacketHeader::from_word(word).id);
                let id = id.map_or(String::new(), |id| format!(",pktid={id}"));
                if header.is_some() {
                    self.line(at, format!("DATA_HEAD,{port}{id},idx={number}"));
                }
                if first {
                    self.line(at, format!("DATA_START,{port}{id},idx={number}"));
                }
                if last {
                    self.line(until, format!("DATA_END,{port},idx={number},words={words}"));
                }
            }
            _ => {}
        }
    }

    fn controller(&mut self, at: Cycle, what: Note) {
        let job = |site: crate::array::JobSite| {
            format!("uc={},page={},job={}", site.uc, site.page, site.job)
        };
        let line = match what {
            Note::Page { uc, page, begins } => {
                let end = if begins { "BEGIN" } else { "END" };
                format!("UC_PAGE_{end},uc={uc},page={page}")
            }
            Note::Op {
                site,
                offset,
                mnemonic,
            } => format!("UC_OP,{},offset={offset},op={mnemonic}", job(site)),
            Note::JobRuns { site } => format!("UC_JOB_RUN,{}", job(site)),
            Note::JobWaits { site, on } => format!("UC_JOB_WAIT,{},for={}", job(site), on.name()),
            Note::JobWoken { site } => format!("UC_JOB_READY,{}", job(site)),
            Note::JobEnds { site } => format!("UC_JOB_END,{}", job(site)),
            Note::UcDma {
                uc,
                chain,
                words,
                until,
            } => {
                self.line(
                    at,
                    format!("UC_DMA_START,uc={uc},chain={chain},words={words}"),
                );
                return self.line(until, format!("UC_DMA_END,uc={uc},chain={chain}"));
            }
            _ => return,
        };
        self.line(at, line);
    }
}

fn core_stall(place: &str, why: Stall, on: bool) -> String {
    match on {
        true => format!("CORE_WAIT,{place},cause={}", why.name()),
        false => format!("CORE_READY,{place}"),
    }
}

fn at_tile(tile: TileLoc) -> String {
    format!("col={},row={}", tile.col, tile.row)
}

fn dma(dir: DmaDir) -> &'static str {
    match dir {
        DmaDir::S2mm => "DMA_S2MM",
        DmaDir::Mm2s => "DMA_MM2S",
    }
}

/// On which side of a core a memory module is; its own is in the east (AM020).
fn side(core: TileLoc, owner: TileLoc) -> char {
    match (owner.col.cmp(&core.col), owner.row.cmp(&core.row)) {
        (std::cmp::Ordering::Less, _) => 'W',
        (_, std::cmp::Ordering::Less) => 'S',
        (_, std::cmp::Ordering::Greater) => 'N',
        _ => 'E',
    }
}
