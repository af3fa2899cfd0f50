//! Words that an S2MM channel admits to its FIFO.
//!
//! The FIFO of a channel takes the words of BDs that are loaded. Words beyond them, and all words while
//! the channel has no task, stay in the few places between the switch and the channel: a packet on NPU2
//! that is 5 words longer than its receiver's last BD leaves the switch, one that is 6 words longer
//! doesn't and keeps its arbiter (mlir-aie: test/create-packet-flows, `hw_verdicts/ovr_*`). A channel
//! whose BD waits for its lock fills its FIFO (measured by xdna-emu on NPU1).

use smallvec::SmallVec;

use crate::time::Tick;

/// The words that loaded BDs take, counted from the start of the run.
#[derive(Clone, Debug)]
pub(crate) struct Claims {
    /// Places that only words of loaded BDs get.
    reserved: u32,
    /// Words before this one belong to BDs that are or were loaded.
    claimed: u64,
    /// The word after the next one with TLAST belongs to no loaded BD.
    to_last: bool,
    /// The first word of each claim under which no word has entered yet or the last one has, and
    /// when it was made.
    made: SmallVec<[(u64, Tick); 2]>,
}

impl Claims {
    pub fn new(reserved: u32) -> Claims {
        Claims {
            reserved,
            claimed: 0,
            to_last: false,
            made: SmallVec::new(),
        }
    }

    /// Places in front of the FIFO in a chain of `depth` places.
    fn open(&self, depth: u32) -> u64 {
        u64::from(depth.saturating_sub(self.reserved))
    }

    /// Words that may enter after the first `pushed` without waiting for another claim than the first
    /// of them.
    pub fn space(&self, pushed: u64, depth: u32) -> usize {
        let open = self.open(depth);
        let mut end = self.claimed + open;
        for (from, _) in &self.made {
            if from + open > pushed {
                end = from + open;
                break;
            }
        }
        usize::try_from(end.saturating_sub(pushed)).unwrap_or(usize::MAX)
    }

    /// The tick before which the word after the first `pushed` doesn't enter.
    pub fn entry(&self, pushed: u64, depth: u32) -> Tick {
        let open = self.open(depth);
        let made = self
            .made
            .iter()
            .take_while(|(from, _)| from + open <= pushed);
        made.last().map_or(0, |&(_, at)| at)
    }

    /// Words have entered, the last of them perhaps with TLAST.
    pub fn entered(&mut self, pushed: u64, depth: u32, last: bool) {
        let open = self.open(depth);
        let used = self
            .made
            .iter()
            .take_while(|(from, _)| from + open < pushed);
        let used = used.count();
        if used > 0 {
            self.made.drain(..used);
        }
        if last && self.to_last && pushed < self.claimed {
            self.end(pushed);
        }
    }

    /// The reader has taken words up to a number, from a tick on: also words that it never claimed,
    /// such as headers.
    pub fn left(&mut self, popped: u64, at: Tick) {
        if popped > self.claimed {
            self.load(popped, false, at);
        }
    }

    /// Words up to a number are claimed from a tick on.
    pub fn load(&mut self, claimed: u64, to_last: bool, at: Tick) {
        if claimed > self.claimed {
            self.made.push((self.claimed, at));
        }
        self.claimed = claimed;
        self.to_last = to_last;
    }

    /// Words from a number on aren't claimed.
    pub fn end(&mut self, claimed: u64) {
        self.claimed = claimed;
        self.to_last = false;
        self.made.retain(|(from, _)| *from < claimed);
    }

    /// Words that were inside are lost; claims are of those that come after.
    pub fn skip(&mut self, words: u64) {
        self.claimed += words;
        for (from, _) in &mut self.made {
            *from += words;
        }
    }
}
