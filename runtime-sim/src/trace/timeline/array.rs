//! Tracks of cores, DMA channels and ports.

use aiec_device::{DmaDir, TileLoc};

use super::{Builder, Key, State};
use crate::array::{Happening, Note, PacketHeader, Party, Stall};
use crate::time::Cycle;

/// Depths of a channel's track.
const TASK: u8 = 0;
const BD: u8 = 1;
const PHASE: u8 = 2;

impl Builder<'_> {
    pub(super) fn array(&mut self, at: Cycle, tile: TileLoc, what: Note) {
        match what {
            Note::Event(happening) => self.happening(at, tile, happening),
            Note::LockAsked { by, lock, need } => {
                let words = self.names.need_words(tile, lock, need);
                self.asked.insert(by, words);
            }
            Note::LockTaken { by, lock, .. } => {
                let words = self.names.lock_words(tile, lock);
                self.mark(by, at, format!("acquires {words}"));
            }
            Note::LockReleased {
                by, lock, change, ..
            } => {
                let words = self.names.lock_words(tile, lock);
                self.mark(by, at, format!("releases {words} by {change:+}"));
            }
            Note::CoreStands { why, until } => {
                let text = self.why(tile, why);
                let row = self.row(Key::Core(tile));
                row.insert(0, at, until, stalled(why), text);
            }
            Note::TaskPushed {
                dir,
                channel,
                bd,
                runs,
                token,
                by,
            } => {
                let text = match runs {
                    1 => format!("task of BD {bd}"),
                    runs => format!("task of BD {bd}, {runs} times"),
                };
                let text = if token { text + ", token" } else { text };
                self.tasks.pushed((tile, dir, channel), at, text, by);
            }
            Note::StreamStall {
                dir,
                channel,
                until,
            } => {
                let text = match dir {
                    DmaDir::S2mm => "waits for words",
                    DmaDir::Mm2s => "waits for room in the stream",
                };
                let row = self.row(Key::Channel(tile, dir, channel));
                row.insert(PHASE, at, until, State::Stream, text.into());
            }
            Note::BdBegins {
                dir,
                channel,
                bd,
                address,
            } => {
                let row = self.row(Key::Channel(tile, dir, channel));
                row.open(BD, at, State::Part, format!("BD {bd} at 0x{address:X}"));
                row.open(PHASE, at, State::Setup, "loaded".into());
            }
            Note::BdMoves { dir, channel, .. } => {
                let row = self.row(Key::Channel(tile, dir, channel));
                row.open(PHASE, at, State::Move, "moves words".into());
            }
            Note::BdEnds { dir, channel, .. } => {
                let row = self.row(Key::Channel(tile, dir, channel));
                row.close(PHASE, at);
                row.close(BD, at);
            }
            Note::TokenSent {
                dir,
                channel,
                actor,
            } => {
                self.row(Key::Channel(tile, dir, channel))
                    .mark(at, "sends its token".into());
                self.tasks.sent((tile, dir, channel), actor, at);
            }
            Note::TokenArrived { actor } => self.tasks.arrived(tile, actor),
            Note::Words { .. } | Note::Stood { .. } => self.words(at, tile, what),
            _ => {}
        }
    }

    fn mark(&mut self, by: Party, at: Cycle, text: String) {
        let key = match by {
            Party::Core(tile) => Key::Core(tile),
            Party::Channel { tile, dir, channel } => Key::Channel(tile, dir, channel),
            _ => return,
        };
        self.row(key).mark(at, text);
    }

    /// What a core waits for, in words.
    fn why(&self, tile: TileLoc, why: Stall) -> String {
        match (why, self.asked.get(&Party::Core(tile))) {
            (Stall::Lock, Some(lock)) => format!("waits for {lock}"),
            (Stall::Lock, None) => "waits for a lock".into(),
            (Stall::Stream, _) => "waits for its stream".into(),
            (Stall::Cascade, _) => "waits for its cascade".into(),
        }
    }

    fn happening(&mut self, at: Cycle, tile: TileLoc, what: Happening) {
        match what {
            Happening::CoreActive(true) => {
                let row = self.row(Key::Core(tile));
                row.open(0, at, State::Run, "runs".into());
            }
            Happening::CoreActive(false) => self.row(Key::Core(tile)).close(0, at),
            Happening::CoreLockStall(on) => self.core_stall(at, tile, Stall::Lock, on),
            Happening::CoreStreamStall(on) => self.core_stall(at, tile, Stall::Stream, on),
            Happening::CoreCascadeStall(on) => self.core_stall(at, tile, Stall::Cascade, on),
            Happening::Instruction(n) => {
                let row = self.row(Key::Core(tile));
                row.mark(at, format!("INSTR_EVENT_{n}"));
            }
            Happening::StartTask(dir, channel) => {
                let text = self.tasks.begins((tile, dir, channel), at);
                let row = self.row(Key::Channel(tile, dir, channel));
                row.open(TASK, at, State::Part, text);
                row.open(PHASE, at, State::Setup, "loads its BD".into());
            }
            Happening::FinishedTask(dir, channel) => {
                let row = self.row(Key::Channel(tile, dir, channel));
                for depth in [PHASE, BD, TASK] {
                    row.close(depth, at);
                }
            }
            Happening::LockStall(dir, channel, on) => {
                let party = Party::Channel { tile, dir, channel };
                let lock = self.asked.get(&party).cloned().unwrap_or_default();
                let row = self.row(Key::Channel(tile, dir, channel));
                match on {
                    true => row.open(PHASE, at, State::Lock, format!("waits for {lock}")),
                    false => row.open(PHASE, at, State::Setup, "has its lock".into()),
                }
            }
            Happening::BankConflict(bank) if self.rows.contains_key(&Key::Core(tile)) => {
                let text = format!("conflict in bank {bank}");
                self.row(Key::Core(tile)).mark(at, text);
            }
            Happening::DmaError(dir, channel) => {
                let row = self.row(Key::Channel(tile, dir, channel));
                row.mark(at, "stops with a fault".into());
                for depth in [PHASE, BD, TASK] {
                    row.close(depth, at);
                }
            }
            _ => {}
        }
    }

    fn core_stall(&mut self, at: Cycle, tile: TileLoc, why: Stall, begins: bool) {
        let text = self.why(tile, why);
        let row = self.row(Key::Core(tile));
        match begins {
            true => row.open(0, at, stalled(why), text),
            false if row.state(0) == Some(stalled(why)) => {
                row.open(0, at, State::Run, "runs".into());
            }
            false => {}
        }
    }

    fn words(&mut self, at: Cycle, tile: TileLoc, what: Note) {
        match what {
            Note::Words {
                slave,
                index,
                until,
                words,
                header,
                ..
            } => {
                let packet = header.map(|word| PacketHeader::from_word(word).id);
                let text = match packet {
                    Some(id) => format!("{words} words, packet id {id}"),
                    None => format!("{words} words"),
                };
                let row = self.row(Key::Port(tile, slave, index));
                row.add(0, at, until.max(at + 1), State::Move, text);
            }
            Note::Stood {
                slave,
                index,
                until,
            } => {
                let row = self.row(Key::Port(tile, slave, index));
                row.add(0, at, until, State::Stood, "a word stands".into());
            }
            _ => {}
        }
    }
}

fn stalled(why: Stall) -> State {
    match why {
        Stall::Lock => State::Lock,
        Stall::Stream => State::Stream,
        Stall::Cascade => State::Cascade,
    }
}
