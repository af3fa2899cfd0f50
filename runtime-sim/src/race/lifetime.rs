//! Accesses of cores to objects of fifos before they have acquired them, or after they have released them.
//!
//! A core acquires and releases the objects of a fifo in turn, so that from the units that it took of the locks of an
//! end and gave to them follows which objects are its own at the moment. Most accesses to others are races; those
//! before the first object is handed on, or after the last one, are not.

use aiec_device::{LockId, TileLoc};
use indexmap::IndexMap;
use rustc_hash::FxHashMap;

use super::Detector;
use super::clock::Thread;
use super::place::{Memory, Span};
use super::report::RaceAccess;
use super::shadow::Access;

/// Different accesses that are kept.
const MAX_FOUND: usize = 256;

/// One end of a fifo: the objects, their locks and who may use them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FifoEnd {
    /// Symbol of the fifo.
    pub fifo: String,
    /// The tile whose memory has the objects.
    pub tile: TileLoc,
    /// First byte of each object, and the byte after it, in the order in which they are acquired.
    pub objects: Vec<(u64, u64)>,
    /// The locks that count them: free ones and filled ones.
    pub locks: Vec<LockId>,
    /// Tiles of the cores that acquire and release.
    pub cores: Vec<TileLoc>,
}

/// Accesses of a core to an object that isn't its own.
#[derive(Debug, Clone)]
pub struct NotAcquired {
    /// The fifo's symbol.
    pub fifo: String,
    /// Which object, in the order in which they are acquired.
    pub object: usize,
    /// The first access.
    pub by: RaceAccess,
    /// The bytes of the first access.
    pub at: Span,
    /// The core had released the object; else it had not acquired it.
    pub is_released: bool,
    /// Ranges of bytes that were accessed so.
    pub times: u64,
}

/// An access that counts as one: who, the instruction, whether it writes, the end of a fifo and the object.
type NotAcquiredKey = (Thread, u32, bool, usize, usize);

/// The fifos whose objects are watched.
#[derive(Clone, Debug, Default)]
pub(super) struct Lifetimes {
    ends: Vec<FifoEnd>,
    /// Objects by tile in the order of addresses: first byte, byte after the last, end and number.
    objects: FxHashMap<TileLoc, Vec<(u64, u64, usize, usize)>>,
    found: IndexMap<NotAcquiredKey, NotAcquired>,
}

impl Lifetimes {
    /// The objects that a range of bytes touches: end and number, and the bytes.
    fn touched(&self, tile: TileLoc, (start, end): (u64, u64)) -> Vec<(usize, usize, (u64, u64))> {
        let Some(objects) = self.objects.get(&tile) else {
            return Vec::new();
        };
        let first = objects.partition_point(|(_, behind, ..)| *behind <= start);
        let touched = objects[first..].iter();
        let touched = touched.take_while(|(from, ..)| *from < end);
        let part = |(from, behind, fifo, number): &(u64, u64, usize, usize)| {
            (*fifo, *number, (start.max(*from), end.min(*behind)))
        };
        touched.map(part).collect()
    }
}

impl Detector {
    /// Watches the objects of these fifos from now on, in place of those before. None of them may share bytes with
    /// another.
    pub fn watch_fifos(&mut self, ends: Vec<FifoEnd>) {
        let mut objects: FxHashMap<TileLoc, Vec<_>> = FxHashMap::default();
        for (number, end) in ends.iter().enumerate() {
            let known = objects.entry(end.tile).or_default();
            let of_end = end.objects.iter().enumerate();
            known.extend(of_end.map(|(object, (start, behind))| (*start, *behind, number, object)));
        }
        objects
            .values_mut()
            .for_each(|objects| objects.sort_unstable());
        self.lifetimes = Lifetimes {
            ends,
            objects,
            found: IndexMap::new(),
        };
    }

    /// Keeps accesses of a core to objects that aren't its own.
    pub(super) fn check_lifetime(
        &mut self,
        core: TileLoc,
        span: Span,
        access: Access,
        writes: bool,
    ) {
        let Memory::Tile(tile) = span.memory else {
            return;
        };
        let range = (span.start, span.start + span.bytes);
        for (number, object, (start, behind)) in self.lifetimes.touched(tile, range) {
            let end = &self.lifetimes.ends[number];
            if !end.cores.contains(&core) {
                continue;
            }
            let Some(is_released) = self.is_released(end, access.thread, object) else {
                continue;
            };
            let key = (access.thread, access.site, writes, number, object);
            let found = NotAcquired {
                fifo: end.fifo.clone(),
                object,
                by: self.race_access(access, writes),
                at: Span {
                    start,
                    bytes: behind - start,
                    ..span
                },
                is_released,
                times: 0,
            };
            let known = &mut self.lifetimes.found;
            if known.len() < MAX_FOUND || known.contains_key(&key) {
                known.entry(key).or_insert(found).times += 1;
            }
        }
    }

    /// Whether a thread has released an object, or has not acquired it (false); `None`: it is its own, or that isn't
    /// known, as the locks don't count each object once.
    fn is_released(&self, end: &FifoEnd, thread: Thread, object: usize) -> Option<bool> {
        let depth = end.objects.len() as u64;
        let (mut units, mut taken, mut given) = (0, 0, 0);
        for lock in end.locks.iter().filter_map(|lock| self.locks.get(lock)) {
            if lock.is_restarted {
                return None;
            }
            units += u64::from(lock.initial);
            let (more_taken, more_given) = lock.exchanged(thread);
            taken += more_taken;
            given += more_given;
        }
        let object = object as u64;
        // The objects that are acquired and not released.
        let mut own = given..taken;
        if units != depth || given > taken || taken - given > depth {
            return None;
        }
        let is_own = own.any(|nth| nth % depth == object);
        (!is_own).then_some(given > object)
    }

    /// Accesses of cores to objects of fifos that weren't their own.
    pub fn not_acquired(&self) -> impl Iterator<Item = &NotAcquired> {
        self.lifetimes.found.values()
    }
}
