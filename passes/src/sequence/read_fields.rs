//! Buffer descriptors and pushes with numbers that the sequence reads from the array.
//!
//! A controller can read a word, add a constant and write the sum ([`super::values`]). So a number
//! can be read if it is at the lowest bits of a word of the descriptor and counts what the word
//! counts: then that word is the sum of the number and of a constant that holds all other fields.
//! Which numbers these are isn't listed here: the descriptor is made for several values of the
//! number, and if one word follows it step by step and no other changes, that is the one.

use aiec_aie::ir::Op;
use aiec_device::ChannelId;
use aiec_device::regmap::{BdLayout, QueueEntry, RegisterRef};
use aiec_diag::{Diag, Diags, Reported};

use super::codes::*;
use super::values::ArrayWord;
use super::values::KnownValue;
use super::{Lowering, LoweringResult};
use crate::analysis::transfer::WORD_BYTES;
use crate::regops::{RegAction, RegOp};

/// Values that are tried: large enough to make no pattern contiguous by chance, small enough to fit
/// every field, and whole words where bytes are counted.
const TRIED: [i64; 4] = [1012, 1016, 1020, 884];

/// A word of a descriptor that is the sum of a word of the array and a constant.
pub(super) struct ReadWord {
    /// Its place in the descriptor.
    word: usize,
    read: ArrayWord,
}

/// Makes the words of a descriptor, and something that belongs to them.
type Make<'m, 'a, T> = dyn FnMut(&mut Lowering<'a>) -> LoweringResult<(Vec<u32>, T)> + 'm;

impl<'a> Lowering<'a> {
    /// The words that an operation reads from the array, each once.
    fn reads_of(&self, op: Op) -> Vec<ArrayWord> {
        let m = self.module;
        let mut list: Vec<ArrayWord> = Vec::new();
        for value in m.walk(op).flat_map(|op| m.operands(op)) {
            let Some(KnownValue::Read(read)) = self.values.get(m, value) else {
                continue;
            };
            match list.iter_mut().find(|other| other.from == read.from) {
                // The earliest read decides, as most may have changed since.
                Some(other) => other.after = other.after.min(read.after),
                None => list.push(read),
            }
        }
        list
    }

    /// The words of a descriptor, and those of them that are read when the sequence runs. `make`
    /// makes the words from the numbers of `op`.
    pub(super) fn words_with_reads<T: PartialEq>(
        &mut self,
        op: Op,
        make: &mut Make<'_, 'a, T>,
    ) -> LoweringResult<(Vec<u32>, T, Vec<ReadWord>)> {
        let reads = self.reads_of(op);
        if reads.is_empty() {
            let (words, more) = make(self)?;
            return Ok((words, more, Vec::new()));
        }
        let found = self.follow(&reads, make);
        self.values.suppose(Vec::new());
        if let Some(found) = found {
            return Ok(found);
        }
        let message = "a word that is read from the array can't be this number of a transfer";
        let diag = Diag::error(&BAD_READ, message).help(
            "controllers only add constants: it can be the length of a run, a stride, or the \
             offset in a mem tile's buffer, of elements of 32 bits",
        );
        self.refuse(op, diag)
    }

    /// Makes the words for several values of what is read.
    fn follow<T: PartialEq>(
        &mut self,
        reads: &[ArrayWord],
        make: &mut Make<'_, 'a, T>,
    ) -> Option<(Vec<u32>, T, Vec<ReadWord>)> {
        let [first, others @ ..] = &TRIED;
        let all: Vec<(u32, i64)> = reads.iter().map(|read| (read.from, *first)).collect();
        let (words, more) = self.supposing(all.clone(), make)?;
        let mut found: Vec<ReadWord> = Vec::new();
        for (at, read) in reads.iter().enumerate() {
            let mut place: Option<usize> = None;
            for value in others {
                let mut values = all.clone();
                values[at].1 = *value;
                let (tried, same) = self.supposing(values, make)?;
                let step = (value - first) as u32;
                let mut changed = (0..words.len()).filter(|n| tried.get(*n) != words.get(*n));
                let word = changed.next()?;
                let follows = tried.get(word)?.wrapping_sub(*words.get(word)?) == step;
                if changed.next().is_some() || !follows || same != more {
                    return None;
                }
                if place.is_some_and(|before| before != word) {
                    return None;
                }
                place = Some(word);
            }
            let word = place.filter(|word| !found.iter().any(|other| other.word == *word))?;
            let add = words.get(word)?.wrapping_sub(*first as u32);
            let read = ArrayWord { add, ..*read };
            found.push(ReadWord { word, read });
        }
        // The words stay those of the first value that was tried, as an example in reports.
        Some((words, more, found))
    }

    /// Makes the words for one value of each word that is read, without findings.
    fn supposing<T>(
        &mut self,
        values: Vec<(u32, i64)>,
        make: &mut Make<'_, 'a, T>,
    ) -> Option<(Vec<u32>, T)> {
        self.values.suppose(values);
        let said = std::mem::replace(self.diags, Diags::new());
        let reported = self.reported.clone();
        let made = make(self);
        *self.diags = said;
        self.reported = reported;
        made.ok()
    }

    /// Writes the words of a descriptor that are read, after the descriptor.
    pub(super) fn copy_fields(
        &mut self,
        op: Op,
        (channel, bd): (ChannelId, u8),
        is_patched: bool,
        reads: &[ReadWord],
    ) -> LoweringResult {
        let kind = self.kind(channel.tile, op)?;
        let address_word = BdLayout::of(self.model.arch(), kind).map(BdLayout::address_word);
        for field in reads {
            if is_patched && address_word.map(usize::from) == Some(field.word) {
                let message = "the offset into a buffer of the host can't be read from the array";
                let diag = Diag::error(&BAD_READ, message)
                    .help("the loader writes the address there: use a constant offset");
                return self.refuse(op, diag);
            }
            let what = RegisterRef::BdWord {
                bd,
                word: u8::try_from(field.word).unwrap_or(u8::MAX),
            };
            let name = format!("buffer descriptor {bd}");
            let to = self.address(channel.tile, what, op, &name)?;
            self.may_have_changed(op, &field.read)?;
            self.copy(op, field.read, to);
        }
        Ok(())
    }

    /// Pushes a task whose BD number is read from the array.
    pub(super) fn push_read(
        &mut self,
        op: Op,
        channel: ChannelId,
        read: ArrayWord,
        (repeat, token): (i64, bool),
    ) -> LoweringResult {
        let ChannelId { tile, dir, .. } = channel;
        let kind = self.kind(tile, op)?;
        if kind.is_shim() {
            let message = "the BD that a shim channel runs can't be read from the array";
            let diag = Diag::error(&BAD_READ, message).help(
                "which memory of the host it moves must be known: read the number of a core's or \
                 mem tile's BD, or the length of the transfer",
            );
            return self.refuse(op, diag);
        }
        let to = self.address(tile, channel.queue(), op, "such channel")?;
        let repeat = self.repeat(op, repeat)?;
        if token {
            self.set_controller(channel, op)?;
        }
        let entry = QueueEntry {
            bd: 0,
            repeat,
            token,
        };
        let Some(Ok(word)) = entry.pack(self.model.arch(), kind, dir) else {
            return Err(Reported);
        };
        self.may_have_changed(op, &read)?;
        let loc = self.module.loc(op);
        // Which BD it is changes nothing of what is counted.
        let wait = self.queues.before_write(self.model, to, word, loc);
        self.ops.extend(wait);
        self.tokens.note_write(self.model, to, word);
        self.ops.push(RegOp {
            action: RegAction::Copy {
                from: read.from,
                add: read.add.wrapping_add(word),
                to,
            },
            loc,
        });
        Ok(())
    }
}

/// Bytes of the words of a descriptor, from its start.
pub(super) fn covers(start: u32, words: usize, address: u32) -> bool {
    let bytes = words as u32 * WORD_BYTES as u32;
    (start..start.saturating_add(bytes)).contains(&address)
}
