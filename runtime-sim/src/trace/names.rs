//! Names of locks, channels, ports and jobs in a trace.

use aiec_device::{DmaDir, Port, TileKind, TileLoc};

use crate::array::{Happening, JobSite, JobWait, LockNeed, Note, Noted, Party};
use crate::diagnosis::Names;
use crate::run::SimResult;

/// What happened, in words.
pub fn describe(result: &SimResult, noted: &Noted) -> String {
    let names = Naming::new(result);
    let tile = noted.tile;
    let channel = |dir, channel| names.party_words(Party::Channel { tile, dir, channel });
    let job = |site: JobSite| format!("job {} of page {} of uC {}", site.job, site.page, site.uc);
    match noted.what {
        Note::LockTaken {
            by, lock, value, ..
        } => {
            let (who, lock) = (names.party_words(by), names.lock_words(tile, lock));
            format!("{who} acquired {lock}, which is {value} now")
        }
        Note::LockReleased {
            by,
            lock,
            change,
            value,
        } => {
            let (who, lock) = (names.party_words(by), names.lock_words(tile, lock));
            format!("{who} released {lock} by {change:+}, which is {value} now")
        }
        Note::LockSet { lock, value } => {
            let lock = names.lock_words(tile, lock);
            format!("a register write set {lock} to {value}")
        }
        Note::Event(Happening::StartTask(dir, n)) => format!("{} begins a task", channel(dir, n)),
        Note::Event(Happening::FinishedBd(dir, n)) => {
            format!("{} is over with a BD", channel(dir, n))
        }
        Note::Event(Happening::FinishedTask(dir, n)) => {
            format!("{} is over with its task", channel(dir, n))
        }
        Note::Event(Happening::LockStall(dir, n, _)) => {
            format!("{} waits for its lock", channel(dir, n))
        }
        Note::Event(Happening::DmaError(dir, n)) => format!("{} has a fault", channel(dir, n)),
        Note::Event(happening) => {
            let what = match happening {
                Happening::CoreActive(true) => "starts",
                Happening::CoreActive(false) => "is over or in reset",
                Happening::CoreLockStall(_) => "waits for a lock",
                Happening::CoreStreamStall(_) => "waits for its stream",
                _ => "waits for its cascade",
            };
            format!("{} {what}", names.party_words(Party::Core(tile)))
        }
        Note::Written { offset, value } => {
            format!("0x{value:08X} is written to 0x{offset:05X} of tile {tile}")
        }
        Note::TokenArrived { actor } => match names.sender(tile, actor) {
            Some(sender) => format!("a token of {sender} arrives"),
            None => format!("a token of actor {actor} of tile {tile} arrives"),
        },
        Note::JobRuns { site } => format!("{} runs", job(site)),
        Note::JobWaits { site, on } => {
            format!("{} begins to wait for {}", job(site), names.wait_words(on))
        }
        Note::JobEnds { site } => format!("{} ends", job(site)),
        Note::Page { uc, page, .. } => format!("uC {uc} begins page {page}"),
        Note::Op {
            site,
            offset,
            mnemonic,
        } => {
            let source = names.source(site, offset);
            let source = source.map_or(String::new(), |source| format!(" ({source})"));
            format!("{} executes {mnemonic}{source}", job(site))
        }
        _ => "it happened".to_string(),
    }
}

/// Look-up of names for a run.
pub(super) struct Naming<'a> {
    result: &'a SimResult,
    names: Names<'a>,
}

impl<'a> Naming<'a> {
    pub fn new(result: &'a SimResult) -> Naming<'a> {
        let names = Names {
            debug: result.debug.as_ref(),
        };
        Naming { result, names }
    }

    /// The name of a lock in the design.
    pub fn lock(&self, tile: TileLoc, lock: u8) -> Option<&'a str> {
        let name = self.names.lock(tile, lock)?.name.as_str();
        (!name.is_empty()).then_some(name)
    }

    /// A lock in words: its name, or its number and tile.
    pub fn lock_words(&self, tile: TileLoc, lock: u8) -> String {
        match self.lock(tile, lock) {
            Some(name) => format!("lock '{name}'"),
            None => format!("lock {lock} of {tile}"),
        }
    }

    /// What is asked of a lock, in words.
    pub fn need_words(&self, tile: TileLoc, lock: u8, need: LockNeed) -> String {
        let lock = self.lock_words(tile, lock);
        match need {
            LockNeed::AtLeast(n) => format!("{lock} ≥ {n}"),
            LockNeed::Equal(n) => format!("{lock} = {n}"),
        }
    }

    /// The name of a core or channel in the design, and where it stands.
    pub fn party(&self, party: Party) -> (Option<&'a str>, Option<String>) {
        let resource = self.names.of_party(party);
        let name = resource.map(|resource| resource.name.as_str());
        let source = resource.and_then(|resource| self.names.show(resource.source));
        (name.filter(|name| !name.is_empty()), source)
    }

    /// A core or channel in words, with its name in the design.
    pub fn party_words(&self, party: Party) -> String {
        match self.party(party).0 {
            Some(name) => format!("{party} '{name}'"),
            None => party.to_string(),
        }
    }

    /// A port of a switch, by index on its side.
    pub fn port(&self, tile: TileLoc, slave: bool, index: u8) -> Option<Port> {
        self.result.array.port(tile, slave, index)
    }

    /// What kind of tile, in words.
    pub fn kind(&self, tile: TileLoc) -> &'static str {
        match self.result.array.device().tile_kind(tile) {
            Some(TileKind::Core) | None => "tile",
            Some(TileKind::Mem) => "mem tile",
            Some(TileKind::ShimNoc | TileKind::ShimPl) => "shim tile",
        }
    }

    /// Where an instruction stands in the design.
    pub fn source(&self, site: JobSite, offset: u16) -> Option<String> {
        let site = crate::cert::Site {
            uc: site.uc.into(),
            page: site.page,
            offset,
            mnemonic: "",
        };
        crate::diagnosis::source_of(site, self.names.debug)
    }

    /// What a job waits for, in words.
    pub fn wait_words(&self, on: JobWait) -> String {
        match on {
            JobWait::UcDma => "uC-DMA".into(),
            JobWait::UcDmaQueue => "room in the queue of the uC-DMA".into(),
            JobWait::Tokens { tile, actor, need } => match self.sender(tile, actor) {
                Some(sender) => format!("{need} token(s) of {sender}"),
                None => format!("{need} token(s) of actor {actor} of {tile}"),
            },
            JobWait::LocalBarrier(n) => format!("local barrier {n}"),
            JobWait::RemoteBarrier(n) => format!("remote barrier {}", n.saturating_sub(1)),
            JobWait::Poll => "a register (polls)".into(),
            JobWait::SubProgram => "the pages it runs".into(),
            JobWait::Meeting => "all controllers".into(),
            JobWait::Controller => "the controller".into(),
        }
    }

    /// The channel behind an actor of a tile, in words.
    pub fn sender(&self, tile: TileLoc, actor: u8) -> Option<String> {
        let device = self.result.array.device();
        let kind = device.tile_kind(tile)?;
        let model = device.tile(tile)?.dma.as_ref()?;
        for dir in DmaDir::ALL {
            let mut channels = 0..model.channels.get(dir);
            let found = channels.find(|&c| device.arch().actor_id(kind, dir, c) == Some(actor));
            if let Some(channel) = found {
                return Some(Party::Channel { tile, dir, channel }.to_string());
            }
        }
        None
    }
}
