//! Races in the words of the design: buffers, elements, locks, lines.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use aiec_cert::debug::{DebugInfo, Resource, ResourceKind};
use aiec_device::{LockId, TileLoc};
use indexmap::IndexMap;

use super::names::{CoreLine, DebugNames, source_of};
use crate::array::races::Races;
use crate::array::{ActorKind, Array, CorePosition, Hazard, JobPlace, ThreadName};
use crate::cert::{InstructionSite, Machine};
use crate::core::MACHINE_CODE;
use crate::host::BufferId;
use crate::race::{Memory, NotAcquired, RaceAccess, RaceRecord, Site, Span};
use crate::record::{column_and_row, record};
use crate::time::Cycle;

record! {
    /// Two accesses to the same bytes, one a write, that nothing but time puts in order.
    #[derive(Eq)]
    pub struct RaceReport {
        /// Column and row of the memory's tile; null for host memory.
        #[serde(serialize_with = "column_and_row")]
        pub tile: Option<TileLoc>,
        /// The bytes in words: buffer and elements, or addresses.
        pub place: String,
        /// The access that came first in this run, and the other.
        pub accesses: [AccessReport; 2],
        /// Missing synchronisation and remedy, in words.
        pub remedy: String,
        /// The order in this run, and which data it gave.
        pub this_run: String,
        /// Number of times that these two met.
        pub times: u64,
    }

    /// An access of a race, or to memory that nothing has written.
    #[derive(Eq)]
    pub struct AccessReport {
        /// Core, channel, controller or host.
        pub who: String,
        /// It writes.
        pub writes: bool,
        /// When; in a core, the last time of its instruction on these bytes until then.
        #[serde(rename = "cycle")]
        pub at: Cycle,
        /// `file:line:column`.
        pub source: Option<String>,
        /// Operation of a core, BD of a channel, page and offset of a controller.
        pub operation: Option<String>,
    }

    /// A read of memory that nothing has written.
    #[derive(Eq)]
    pub struct UnwrittenReport {
        /// Column and row of the memory's tile; null for host memory.
        #[serde(serialize_with = "column_and_row")]
        pub tile: Option<TileLoc>,
        /// The bytes in words: buffer and elements.
        pub place: String,
        /// Who reads.
        pub access: AccessReport,
        /// Number of times.
        pub times: u64,
    }

    /// Accesses of a core outside of all buffers: past the end of the memref that it names.
    #[derive(Eq)]
    pub struct OutsideReport {
        /// Column and row of the memory's tile.
        #[serde(serialize_with = "column_and_row")]
        pub tile: TileLoc,
        /// The element past the end of a buffer, in words.
        pub place: String,
        /// The first access.
        pub access: AccessReport,
        /// Ranges of bytes that were accessed so.
        pub times: u64,
    }

    /// Accesses of a core to an object of a fifo before it has acquired it, or after it has released it.
    #[derive(Eq)]
    pub struct NotAcquiredReport {
        /// Column and row of the memory's tile.
        #[serde(serialize_with = "column_and_row")]
        pub tile: TileLoc,
        /// Buffer and elements.
        pub place: String,
        /// The fifo.
        pub fifo: String,
        /// Number of the object, in the order in which they are acquired.
        pub object: usize,
        /// The core had released the object; otherwise it had not acquired it.
        pub is_released: bool,
        /// The first access.
        pub access: AccessReport,
        /// Ranges of bytes that were accessed so.
        pub times: u64,
    }
}

/// Findings about the order of accesses.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RaceFindings {
    /// Races, each pair of threads and buffer once.
    pub races: Vec<RaceReport>,
    /// Reads of what nothing has written.
    pub unwritten: Vec<UnwrittenReport>,
    /// Accesses of cores outside of all buffers, each operation and buffer once.
    pub outside: Vec<OutsideReport>,
    /// Accesses of cores to objects of fifos that weren't their own, except for races; each
    /// operation and object once.
    pub not_acquired: Vec<NotAcquiredReport>,
    /// Why another timing may give other data; empty: every timing gives these.
    pub doubts: Vec<String>,
}

impl fmt::Display for NotAcquiredReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let NotAcquiredReport {
            place,
            fifo,
            object,
            access,
            ..
        } = self;
        let when = if self.is_released {
            "after it has released that"
        } else {
            "before it has acquired that"
        };
        let what = access.what();
        write!(f, "{what} {place}, object {object} of @{fifo}, {when}")
    }
}

/// Accesses to objects of fifos that a core had not acquired, except for races.
fn not_acquired(names: &RaceNames<'_>, races: &Races) -> Vec<NotAcquiredReport> {
    let key = |by: &RaceAccess| (by.thread, by.site, by.writes);
    let known: BTreeSet<_> = races
        .detector
        .races()
        .flat_map(|race| [key(&race.first), key(&race.second)])
        .collect();
    let found = races.detector.not_acquired();
    let found = found.filter(|found| !known.contains(&key(&found.by)));
    let report = |found: &NotAcquired| {
        let (tile, place) = names.place(found.at);
        Some(NotAcquiredReport {
            tile: tile?,
            place,
            fifo: found.fifo.clone(),
            object: found.object,
            is_released: found.is_released,
            access: names.access(&found.by),
            times: found.times,
        })
    };
    found.filter_map(report).collect()
}

/// The instruction of control code at which a job has accessed something.
fn instruction_site(machine: &Machine, job: JobPlace, site: Site) -> InstructionSite {
    let vm = machine.controllers().get(job.vm);
    let (page, offset) = site.page();
    InstructionSite {
        uc: vm.map_or(job.vm as u32, |vm| vm.uc),
        page,
        offset,
        mnemonic: "",
    }
}

/// `file:line:column` of the instruction whose register write was a hazard first, if it is known; of a chain of the
/// uC-DMA that is the first operation that it is for.
pub fn hazard_source(
    hazard: &Hazard,
    machine: &Machine,
    debug: Option<&DebugInfo>,
) -> Option<String> {
    let (writer, site) = hazard.writer?;
    let (ThreadName::Job(job) | ThreadName::Chains(job)) = writer else {
        return None;
    };
    source_of(instruction_site(machine, job, site), debug)
}

/// Findings of the race detector in a run; `None` if races were not looked for. `arguments` are the buffers
/// of the arguments, by index. `completed`: the run went to its end.
pub(crate) fn findings(
    machine: &Machine,
    array: &Array,
    arguments: &[(u32, BufferId)],
    debug: Option<&DebugInfo>,
    completed: bool,
) -> Option<RaceFindings> {
    let races = array.races()?;
    let teller = RaceNames {
        names: DebugNames { debug },
        machine,
        array,
        races,
        arguments,
    };
    let mut seen = Vec::new();
    let mut found = RaceFindings::default();
    for race in races.detector.races() {
        let key = teller.subject(race);
        if !seen.contains(&key) {
            seen.push(key);
            found.races.push(teller.race(race));
        }
    }
    let buffers = TileBuffers::of(debug);
    let mut outside: IndexMap<(TileLoc, u32, bool, &str), OutsideReport> = IndexMap::new();
    let unwritten = races.detector.unwritten().filter_map(|read| {
        let Memory::Tile(tile) = read.at.memory else {
            return None;
        };
        Some((
            tile,
            (read.at.start, read.at.start + read.at.bytes),
            read.by,
        ))
    });
    for (tile, range, by) in unwritten.chain(races.detector.last_writes()) {
        if let Some((buffer, place)) = teller.outside(&buffers, tile, range, &by) {
            let first = || OutsideReport {
                tile,
                place,
                access: teller.access(&by),
                times: 0,
            };
            let key = (tile, by.site.0, by.writes, buffer);
            outside.entry(key).or_insert_with(first).times += 1;
        }
    }
    found.outside = outside.into_values().collect();
    for read in races.detector.unwritten() {
        if let Memory::Tile(tile) = read.at.memory {
            let range = (read.at.start, read.at.start + read.at.bytes);
            if teller.outside(&buffers, tile, range, &read.by).is_some() {
                continue;
            }
        }
        let (tile, place) = teller.place(read.at);
        found.unwritten.push(UnwrittenReport {
            tile,
            place,
            access: teller.access(&read.by),
            times: read.times,
        });
    }
    found.not_acquired = not_acquired(&teller, races);
    if !completed {
        found.doubts.push("the run did not come to its end".into());
    }
    if !found.races.is_empty() {
        found.doubts.push("the run has races".into());
    }
    let doubts = races.detector.imprecisions();
    found.doubts.extend(doubts.map(ToString::to_string));
    Some(found)
}

/// Operations that load from and store to memrefs begin so.
const MEMREF_ACCESSES: [&str; 3] = ["memref.", "affine.", "vector."];

/// Findings of the detector with the names of the design.
pub(super) struct RaceNames<'a> {
    names: DebugNames<'a>,
    machine: &'a Machine,
    array: &'a Array,
    races: &'a Races,
    arguments: &'a [(u32, BufferId)],
}

/// The buffers of each tile by address.
struct TileBuffers<'a>(BTreeMap<TileLoc, Vec<(u64, u64, &'a Resource)>>);

impl<'a> TileBuffers<'a> {
    fn of(debug: Option<&'a DebugInfo>) -> TileBuffers<'a> {
        let mut buffers: BTreeMap<TileLoc, Vec<(u64, u64, &Resource)>> = BTreeMap::new();
        for resource in debug.map_or(&[][..], |debug| &debug.resources) {
            if let ResourceKind::Buffer { address, bytes } = resource.kind {
                let tile = TileLoc::new(resource.column, resource.row);
                let (start, end) = (u64::from(address), u64::from(address) + u64::from(bytes));
                buffers
                    .entry(tile)
                    .or_default()
                    .push((start, end, resource));
            }
        }
        for buffers in buffers.values_mut() {
            buffers.sort_by_key(|(start, end, _)| (*start, *end));
        }
        TileBuffers(buffers)
    }

    /// The buffer that ends before a range that touches no buffer. Below the first one is the stack.
    fn before(&self, tile: TileLoc, (start, end): (u64, u64)) -> Option<(u64, &'a Resource)> {
        let buffers = self.0.get(&tile)?;
        let next = buffers.partition_point(|(first, _, _)| *first < end);
        // Designs that are loaded one after the other have buffers at the same addresses.
        let mut before = buffers[..next].iter();
        if before.any(|(_, behind, _)| *behind > start) {
            return None;
        }
        let (_, behind, resource) = buffers[..next].last()?;
        Some((*behind, resource))
    }
}

/// Key under which races are one for a reader: the threads, their operations, and the buffer (or where it begins).
type RaceSubject = ([(ThreadName, bool); 2], String);

impl RaceNames<'_> {
    fn subject(&self, race: &RaceRecord) -> RaceSubject {
        let who = |access: &RaceAccess| (self.races.name(access.thread), access.writes);
        let mut threads = [who(&race.first), who(&race.second)];
        threads.sort_unstable();
        let buffer = match race.at.memory {
            Memory::Tile(tile) => self.buffer(tile, race.at.start).map(|b| b.name.clone()),
            Memory::Host => self.argument(race.at.start).map(|(name, _)| name),
        };
        (threads, buffer.unwrap_or_default())
    }

    /// The buffer of a tile that holds a byte.
    fn buffer(&self, tile: TileLoc, at: u64) -> Option<&Resource> {
        self.names.resource(tile, |kind| match kind {
            ResourceKind::Buffer { address, bytes } => {
                (u64::from(address)..u64::from(address) + u64::from(bytes)).contains(&at)
            }
            _ => false,
        })
    }

    /// The buffer whose end an access of a core has passed, and the element in words; `None` if it is in a buffer, or not by
    /// an operation that names a memref.
    fn outside<'b>(
        &self,
        buffers: &TileBuffers<'b>,
        tile: TileLoc,
        range: (u64, u64),
        by: &RaceAccess,
    ) -> Option<(&'b str, String)> {
        let ThreadName::Actor(actor) = self.races.name(by.thread) else {
            return None;
        };
        if actor.kind() != ActorKind::Core {
            return None;
        }
        let (end, buffer) = buffers.before(tile, range)?;
        let line = self.core_line(actor.tile(), by.site.0)?;
        if !MEMREF_ACCESSES
            .iter()
            .any(|dialect| line.operation.starts_with(dialect))
        {
            return None;
        }
        let ResourceKind::Buffer { bytes, .. } = buffer.kind else {
            return None;
        };
        let size = buffer.element_bytes.map_or(1, u64::from).max(1);
        let first = range.0 - end + u64::from(bytes);
        let what = elements(first, range.1 - range.0, size);
        let count = u64::from(bytes) / size;
        let name = &buffer.name;
        Some((
            name,
            format!("{what} of buffer '{name}' in tile {tile}, which has {count}"),
        ))
    }

    /// The host buffer that holds a byte: its name, and the offset in it.
    fn argument(&self, at: u64) -> Option<(String, u64)> {
        let (id, offset) = self.array.host.locate(at)?;
        let argument = self.arguments.iter().find(|(_, buffer)| *buffer == id);
        let name = match argument {
            Some((index, _)) => format!("argument {index}"),
            None => format!("host buffer '{}'", self.array.host.buffer(id)?.0),
        };
        Some((name, offset))
    }

    pub(super) fn place(&self, span: Span) -> (Option<TileLoc>, String) {
        let Span {
            memory,
            start,
            bytes,
        } = span;
        match memory {
            Memory::Tile(tile) => {
                let place = match self.buffer(tile, start) {
                    Some(buffer) => {
                        let first = match buffer.kind {
                            ResourceKind::Buffer { address, .. } => start - u64::from(address),
                            _ => start,
                        };
                        let size = buffer.element_bytes.map_or(1, u64::from);
                        let what = elements(first, bytes, size);
                        format!("{what} of buffer '{}'", buffer.name)
                    }
                    None => format!("bytes {start:#x} to {:#x}", start + bytes),
                };
                (Some(tile), format!("{place} in tile {tile}"))
            }
            Memory::Host => {
                let place = match self.argument(start) {
                    Some((name, offset)) => {
                        let size = self.argument_element(&name);
                        format!("{} of {name}", elements(offset, bytes, size))
                    }
                    None => format!("{bytes} bytes of host memory at {start:#x}"),
                };
                (None, place)
            }
        }
    }

    /// Bytes of an element of an argument; 1 if they aren't known.
    fn argument_element(&self, name: &str) -> u64 {
        let arguments = self.names.debug.map_or(&[][..], |debug| &debug.arguments);
        let index = name.strip_prefix("argument ").and_then(|n| n.parse().ok());
        let argument = arguments.iter().find(|a| Some(a.index) == index);
        let size = argument.and_then(|argument| {
            let count: u64 = argument.ty.as_ref()?.shape.iter().product();
            (count > 0 && argument.bytes.is_multiple_of(count)).then(|| argument.bytes / count)
        });
        size.unwrap_or(1)
    }

    pub(super) fn access(&self, access: &RaceAccess) -> AccessReport {
        let RaceAccess { writes, at, .. } = *access;
        let (who, source, operation) = match self.races.name(access.thread) {
            ThreadName::Host => ("the host".to_string(), None, None),
            ThreadName::Actor(actor) => match actor.kind() {
                ActorKind::Core => {
                    let line = self.core_line(actor.tile(), access.site.0);
                    let declared = self.names.of_actor(actor).and_then(|core| core.source);
                    let source = line.as_ref().map(|line| line.source).or(declared);
                    let number = || match self.array.core_position(actor.tile()) {
                        Some(position) if position.checksum == MACHINE_CODE => {
                            format!("machine code at {:#x}", access.site.0)
                        }
                        _ => format!("instruction {:#x}", access.site.0),
                    };
                    let operation = line.map_or_else(number, |line| line.to_string());
                    (actor.to_string(), self.names.show(source), Some(operation))
                }
                ActorKind::Channel(_) => {
                    let source = self
                        .names
                        .of_actor(actor)
                        .and_then(|channel| channel.source);
                    let bd = Some(format!("BD {}", access.site.0));
                    (self.names.with_name(actor), self.names.show(source), bd)
                }
                _ => (actor.to_string(), None, None),
            },
            ThreadName::Job(job) | ThreadName::Chains(job) => {
                let site = instruction_site(self.machine, job, access.site);
                let operation = format!("page {}, offset {:#x}", site.page, site.offset);
                let source = source_of(site, self.names.debug);
                (format!("controller {}", site.uc), source, Some(operation))
            }
            ThreadName::Pages(vm, _) => (format!("controller {vm}"), None, None),
            ThreadName::Firmware => ("the firmware".to_string(), None, None),
        };
        AccessReport {
            who,
            writes,
            at,
            source,
            operation,
        }
    }

    fn core_line(&self, tile: TileLoc, at: u32) -> Option<CoreLine> {
        let CorePosition {
            checksum, calls, ..
        } = self.array.core_position(tile)?;
        let position = CorePosition {
            checksum,
            at,
            calls,
        };
        CoreLine::of(self.names.debug?, tile, &position)
    }

    fn lock(&self, lock: LockId) -> String {
        match self.names.lock(lock) {
            Some(resource) => format!("lock '{}'", resource.name),
            None => lock.to_string(),
        }
    }

    fn race(&self, race: &RaceRecord) -> RaceReport {
        let (tile, place) = self.place(race.at);
        let (mut first, mut second) = (&race.first, &race.second);
        if second.at < first.at {
            (first, second) = (second, first);
        }
        let accesses = [self.access(first), self.access(second)];
        RaceReport {
            tile,
            place,
            remedy: self.remedy(first, second, &accesses),
            this_run: this_run(race, &accesses),
            accesses,
            times: race.times,
        }
    }

    /// Synchronisation that is missing between two accesses.
    fn remedy(
        &self,
        first: &RaceAccess,
        second: &RaceAccess,
        reports: &[AccessReport; 2],
    ) -> String {
        let verb = |access: &AccessReport| if access.writes { "writes" } else { "reads" };
        let pairs = [
            (first, second, &reports[0], &reports[1]),
            (second, first, &reports[1], &reports[0]),
        ];
        // One lets the other go on too early.
        for (early, late, by, other) in pairs {
            if let (Some(released), Some(acquired)) = (early.released_before, late.acquired)
                && released.lock == acquired.lock
            {
                let lock = self.lock(released.lock);
                let (at, does) = (released.at, verb(by));
                return format!(
                    "{} has released {lock} in cycle {at}, before it {does} here, and {} has \
                     acquired it: release it after the access",
                    by.who, other.who
                );
            }
        }
        // One doesn't wait for what the other releases.
        for (early, late, by, other) in pairs {
            if let Some(released) = early.released
                && late.acquired.map(|acquired| acquired.lock) != Some(released.lock)
            {
                let lock = self.lock(released.lock);
                return format!(
                    "{} releases {lock} when it has done this, but {} doesn't acquire that \
                     before it {} here",
                    by.who,
                    other.who,
                    verb(other)
                );
            }
        }
        for (late, early, by, other) in pairs {
            if let Some(acquired) = late.acquired {
                let lock = self.lock(acquired.lock);
                return format!(
                    "{} has acquired {lock}, but {} doesn't release that after it {} here",
                    by.who,
                    other.who,
                    verb(other)
                );
            }
            let _ = early;
        }
        "no lock, token, stream or barrier orders them: await the token of the first before the \
         second is started"
            .into()
    }
}

/// The order of the accesses in this run, and its effect on the data.
fn this_run(race: &RaceRecord, [first, second]: &[AccessReport; 2]) -> String {
    let apart = second.at - first.at;
    let cycles = if apart == 1 { "cycle" } else { "cycles" };
    // The model executed the accesses in the order of their records.
    let in_order = race.first.at <= race.second.at;
    match (first.writes, second.writes) {
        (true, true) => format!(
            "in this run the write of {} came last, {apart} {cycles} after the other",
            second.who
        ),
        (true, false) if in_order => format!(
            "in this run the read came {apart} {cycles} after the write and got what was written"
        ),
        (false, _) if in_order => format!(
            "in this run the read came {apart} {cycles} before the write and got what was there before"
        ),
        (true, false) => format!(
            "in this run the read came {apart} {cycles} after the write, but got what was there before"
        ),
        _ => format!(
            "in this run the read came {apart} {cycles} before the write, but got what was written"
        ),
    }
}

/// A range in words: elements of `size` bytes, or bytes.
fn elements(offset: u64, bytes: u64, size: u64) -> String {
    let size = size.max(1);
    let (first, last) = (offset / size, (offset + bytes - 1) / size);
    let unit = if size == 1 { "byte" } else { "element" };
    if first == last {
        format!("{unit} {first}")
    } else {
        format!("{unit}s {first} to {last}")
    }
}

impl std::fmt::Display for RaceReport {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let [first, second] = &self.accesses;
        write!(
            f,
            "race on {}: {} and {} in no order but that of time",
            self.place,
            first.what(),
            second.what()
        )
    }
}

impl AccessReport {
    /// Who does what, when.
    pub(super) fn what(&self) -> String {
        let verb = if self.writes { "writes" } else { "reads" };
        format!("{} {verb}", self.who)
    }

    /// Same with operation, cycle and line.
    pub fn details(&self) -> String {
        let operation = self.operation.iter();
        let operation: String = operation.map(|op| format!(" ({op})")).collect();
        let source = self.source.iter();
        let source: String = source.map(|source| format!(", {source}")).collect();
        format!("{}{operation} in cycle {}{source}", self.what(), self.at)
    }
}

impl std::fmt::Display for UnwrittenReport {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (what, place) = (self.access.what(), &self.place);
        write!(f, "{what} {place}, which nothing has written")
    }
}

impl std::fmt::Display for OutsideReport {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}", self.access.what(), self.place)
    }
}
