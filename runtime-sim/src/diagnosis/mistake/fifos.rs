//! Rules for object fifos: never released, too few objects, cores that have ended.

use aiec_cert::debug::{CoreMarks, FifoUseMark};
use aiec_device::{LockId, TileLoc};

use super::super::wait_record::{NodeWaitReason, WaitRecord};
use super::{Evidence, Mistake, MistakeKind, at_line, line, objects};
use crate::array::{ActorKind, ActorOrJob, WaitReason};

/// A wait for objects of a fifo, or for room in it.
struct FifoWait<'a> {
    fifo: String,
    /// Objects on this side.
    depth: Option<u32>,
    /// It waits for room, else for an object.
    for_room: bool,
    lock: LockId,
    wait: &'a WaitRecord,
}

/// A core that uses one side of a fifo.
struct FifoUser {
    tile: TileLoc,
    /// Where it acquires first.
    acquire: Option<String>,
    /// Where it releases first.
    release: Option<String>,
}

impl Evidence<'_> {
    pub(super) fn fifo_never_released(&self) -> Option<Mistake> {
        for waits in self.fifo_waits() {
            // Room comes from consumers, objects from producers.
            let produces = !waits.for_room;
            for user in self.users(&waits.fifo, produces) {
                let (Some(acquire), None) = (&user.acquire, &user.release) else {
                    continue;
                };
                let fifo = &waits.fifo;
                let port = if produces { "Produce" } else { "Consume" };
                let tile = user.tile;
                return Some(Mistake {
                    kind: MistakeKind::FifoNeverReleased,
                    cause: format!(
                        "core {tile} acquires objects of @{fifo} ({}) and never releases one",
                        line(acquire)
                    ),
                    help: format!(
                        "add `aie.objectfifo.release @{fifo}({port}, 1)` after the last use of the \
                         object"
                    ),
                    source: Some(acquire.clone()),
                });
            }
        }
        None
    }

    /// Cores and channels wait for each other's fifos.
    pub(super) fn fifo_cycle(&self) -> Option<Mistake> {
        if !self.is_cycle {
            return None;
        }
        let waits = self.fifo_waits();
        let arbiter = |wait: &WaitRecord| {
            matches!(
                wait.reason,
                NodeWaitReason::Actor(WaitReason::Arbiter { .. })
            )
        };
        if waits.is_empty() || self.chain.iter().any(arbiter) {
            return None;
        }
        let full = self.full(&waits);
        if let Some(first) = full.first() {
            let names: Vec<String> = full
                .iter()
                .map(|wait| match wait.depth {
                    Some(depth) => format!("@{} ({})", wait.fifo, objects(depth.into())),
                    None => format!("@{}", wait.fifo),
                })
                .collect();
            let (are, them) = match names.len() {
                1 => ("is", "it"),
                _ => ("are", "them"),
            };
            let places = at_line(first.wait.place());
            return Some(Mistake {
                kind: MistakeKind::FifoTooShallow,
                cause: format!(
                    "{} {are} full, and what would empty {them} waits in turn{places}: too few objects \
                     for this order",
                    names.join(" and ")
                ),
                help: format!(
                    "give @{} a larger depth, or acquire in another order: take objects before more \
                     are sent",
                    first.fifo
                ),
                source: first.wait.source.clone(),
            });
        }
        let cores = waits
            .iter()
            .filter(|wait| self.core_use(wait.wait).is_some());
        let cores: Vec<String> = cores
            .map(|wait| {
                format!(
                    "{} for @{}{}",
                    wait.wait.who,
                    wait.fifo,
                    at_line(wait.wait.place())
                )
            })
            .collect();
        let first = waits.first()?;
        Some(Mistake {
            kind: MistakeKind::CircularFifos,
            cause: format!(
                "the cores wait for each other's objects before they send any: {}",
                cores.join(", ")
            ),
            help: "let one of them produce before it consumes, or give its fifo a first object \
                   (init_values)"
                .into(),
            source: first.wait.source.clone(),
        })
    }

    /// The fifos in which room is awaited, that of a core first: it tells more than the channel that follows.
    pub(in super::super) fn full_fifos(&self) -> Vec<String> {
        let waits = self.fifo_waits();
        let full = self.full(&waits).into_iter();
        full.map(|wait| wait.fifo.clone()).collect()
    }

    fn full<'w, 'f>(&self, waits: &'f [FifoWait<'w>]) -> Vec<&'f FifoWait<'w>> {
        let mut full: Vec<&FifoWait<'_>> = Vec::new();
        for wait in waits.iter().filter(|wait| wait.for_room) {
            if full.iter().all(|known| known.fifo != wait.fifo) {
                full.push(wait);
            }
        }
        full.sort_by_key(|wait| self.core_use(wait.wait).is_none());
        full
    }

    /// The chain ends at a fifo whose other side is a core that has ended.
    pub(super) fn core_has_ended(&self) -> Option<Mistake> {
        let wait = self.fifo_wait(self.chain.last()?)?;
        let produces = !wait.for_room;
        let users = self.users(&wait.fifo, produces).into_iter();
        let mut ended = users.filter(|user| self.array.view().core_has_ended(user.tile));
        let user = ended.next()?;
        let given = objects(self.array.view().lock_given(wait.lock));
        let (tile, fifo) = (user.tile, &wait.fifo);
        let (kind, verb) = if produces {
            (MistakeKind::ProducerEnded, "produced")
        } else {
            (MistakeKind::ConsumerEnded, "consumed")
        };
        // The transfer that wants more says how much.
        let wanted = self.chain.iter().find_map(|wait| {
            let ActorOrJob::Actor(actor) = wait.who else {
                return None;
            };
            self.array
                .view()
                .channel_progress(actor.as_channel()?)?
                .task
        });
        let wanted = wanted.map_or(String::new(), |(moved, wanted)| {
            format!("; the transfer has {moved} of {wanted} words")
        });
        Some(Mistake {
            kind,
            cause: format!("core {tile} has ended after it {verb} {given} of @{fifo}{wanted}"),
            help: "let the core loop as often as the other end wants, or make the transfer shorter"
                .into(),
            source: user.release.or(user.acquire),
        })
    }

    /// The lock waits of the chain that are for fifos.
    fn fifo_waits(&self) -> Vec<FifoWait<'_>> {
        let waits = self.chain.iter().filter_map(|wait| self.fifo_wait(wait));
        waits.collect()
    }

    fn fifo_wait<'w>(&self, wait: &'w WaitRecord) -> Option<FifoWait<'w>> {
        let NodeWaitReason::Actor(WaitReason::Lock { lock, .. }) = wait.reason else {
            return None;
        };
        let part = self.names.lock(lock)?.fifo.as_ref()?;
        let ActorOrJob::Actor(actor) = wait.who else {
            return None;
        };
        let for_room = match actor.kind() {
            ActorKind::Core => self.core_use(wait)?.produces,
            // A channel of a fifo fills its objects (S2MM) or empties them.
            ActorKind::Channel(id) => id.dir == aiec_device::DmaDir::S2mm,
            _ => return None,
        };
        Some(FifoWait {
            fifo: part.fifo.clone(),
            depth: Some(part.depth),
            for_room,
            lock,
            wait,
        })
    }

    /// The acquire that a core waits in.
    fn core_use(&self, wait: &WaitRecord) -> Option<FifoUseMark> {
        let ActorOrJob::Actor(actor) = wait.who else {
            return None;
        };
        self.names.core_line(self.array, actor.tile())?.fifo_use
    }

    /// The programs that cores have loaded, with their tiles.
    fn programs(&self) -> impl Iterator<Item = (TileLoc, &CoreMarks)> {
        let programs = self.names.debug.map_or(&[][..], |debug| &debug.programs);
        programs.iter().filter_map(|marks| {
            let tile = TileLoc::new(marks.column, marks.row);
            let position = self.array.core_position(tile)?;
            (position.checksum == marks.checksum).then_some((tile, marks))
        })
    }

    /// The cores that use one side of a fifo, with the first use of each sort.
    fn users(&self, fifo: &str, produces: bool) -> Vec<FifoUser> {
        let mut users = Vec::new();
        for (tile, marks) in self.programs() {
            let of_side = |used: &&FifoUseMark| used.fifo == fifo && used.produces == produces;
            let first = |acquires: bool| {
                let mut uses = marks.fifo_uses.iter().filter(of_side);
                let used = uses.find(|used| used.acquires == acquires)?;
                let operation = marks.operation(used.at)?;
                self.names.show(Some(operation.source))
            };
            let any = marks.fifo_uses.iter().any(|used| of_side(&used));
            if any {
                users.push(FifoUser {
                    tile,
                    acquire: first(true),
                    release: first(false),
                });
            }
        }
        users
    }
}
