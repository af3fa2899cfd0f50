//! Whether packets stop forever because a destination doesn't take one before others have passed.
//!
//! The netlist is played with tokens and words instead of data: channels and cores go on as far as
//! locks and streams let them, and a packet has every arbiter on its way from its first word at the
//! switch until all its destinations have taken its last. In each game one stream has the bad luck
//! to get its arbiters only when nothing else can move. If then nothing moves although a packet is
//! only missing an arbiter, and all goes on when no stream needs arbiters, that is a finding.
//!
//! The host always gives and takes, in packets that are long, each channel one after the other: that
//! a packet has to wait for those in front of it is the design's matter, not the routing's.

use std::collections::{BTreeMap, BTreeSet};

use super::follow::Stream;
use super::programs::{Act, Programs};
use super::read::{Place, Tile};

/// Words under way before an arbiter.
const BEFORE_ARBITER: u64 = 16;
/// Transfers of a receiver that make one packet of the host.
const HOST_TRANSFERS: u64 = 10;
/// Rounds of a game; in each, every actor does all that it can.
const ROUNDS: usize = 400;
/// Acts of an actor in a round.
const ACTS: usize = 200;

/// A stream of packets or a circuit, as the game sees it.
struct Line {
    arbiters: BTreeSet<(Tile, u8)>,
    sender: Option<usize>,
    receivers: Vec<usize>,
    /// Lines of the host that come from the same channel, itself among them.
    beside: Vec<usize>,
}

#[derive(Clone, Default)]
struct Flowing {
    sent: u64,
    taken: Vec<u64>,
    /// Ends of the packets that have begun at the source.
    ends: Vec<u64>,
    /// The end of the packet that has the arbiters, or of the last one that had them.
    granted: u64,
}

#[derive(Clone, Default)]
struct Hand {
    at: usize,
    loops: Vec<(usize, usize, Option<u64>)>,
    left: u64,
    /// The line of the transfer under way.
    line: Option<usize>,
}

struct Game<'a> {
    programs: &'a Programs,
    lines: &'a [Line],
    /// Lines of each actor: those it sends by id, or those it receives.
    lines_of: &'a [Vec<(Option<u8>, usize)>],
    counting: bool,
    locks: Vec<Option<i64>>,
    hands: Vec<Hand>,
    flowing: Vec<Flowing>,
    holders: BTreeMap<(Tile, u8), usize>,
    /// No stream needs arbiters.
    lawless: bool,
}

/// The findings, one sentence each.
pub fn stops(
    programs: &Programs,
    streams: &[Stream],
    sources: &[Place],
    counting: bool,
) -> Vec<String> {
    let mut lines = Vec::new();
    let mut lines_of = vec![Vec::new(); programs.actors.len()];
    for (stream, source) in streams.iter().zip(sources) {
        let actor = |place: &Place, sends: bool| {
            let channel = (place.0, sends, place.1.channel);
            let mine = |actor: &super::programs::Actor| actor.channel == Some(channel);
            let found = programs.actors.iter().position(mine);
            found.filter(|_| place.1.bundle == "DMA")
        };
        let line = Line {
            arbiters: stream
                .hops
                .iter()
                .filter_map(|hop| Some((hop.tile, hop.arbiter?)))
                .collect(),
            sender: actor(source, true),
            receivers: stream
                .ends
                .iter()
                .filter_map(|end| actor(end, false))
                .collect(),
            beside: Vec::new(),
        };
        for actor in line.receivers.iter().chain(&line.sender) {
            lines_of[*actor].push((stream.packet, lines.len()));
        }
        lines.push(line);
    }
    for at in 0..lines.len() {
        let same = |other: &usize| lines[at].sender.is_none() && sources[*other] == sources[at];
        lines[at].beside = (0..lines.len()).filter(same).collect();
    }
    let mut findings = Vec::new();
    for victim in contested(&lines) {
        let game = |lawless| Game {
            programs,
            lines: &lines,
            lines_of: &lines_of,
            counting,
            locks: programs.locks.iter().copied().map(Some).collect(),
            hands: vec![Hand::default(); programs.actors.len()],
            flowing: lines
                .iter()
                .map(|line| Flowing {
                    taken: vec![0; line.receivers.len()],
                    ..Flowing::default()
                })
                .collect(),
            holders: BTreeMap::new(),
            lawless,
        };
        let mut played = game(false);
        let stopped = played.play(victim);
        if stopped.is_empty() {
            continue;
        }
        let mut free = game(true);
        free.play(victim);
        let missed = |line: &&usize| free.flowing[**line].granted > played.flowing[**line].granted;
        if let Some(line) = stopped.iter().find(missed) {
            let source = &sources[*line];
            findings.push(format!(
                "packets from {source:?} stop forever: memory waits for them while others have \
                 their arbiters"
            ));
        }
    }
    findings.dedup();
    findings
}

/// Lines that share an arbiter with another one.
fn contested(lines: &[Line]) -> Vec<usize> {
    let mut users: BTreeMap<(Tile, u8), usize> = BTreeMap::new();
    for arbiter in lines.iter().flat_map(|line| &line.arbiters) {
        *users.entry(*arbiter).or_default() += 1;
    }
    let shared = |line: &Line| line.arbiters.iter().any(|arbiter| users[arbiter] > 1);
    (0..lines.len()).filter(|at| shared(&lines[*at])).collect()
}

impl Game<'_> {
    /// Plays; returns the lines that miss nothing but arbiters when nothing moves any more.
    fn play(&mut self, victim: usize) -> Vec<usize> {
        for _ in 0..ROUNDS {
            let mut moved = false;
            for actor in 0..self.hands.len() {
                for _ in 0..ACTS {
                    if !self.act(actor) {
                        break;
                    }
                    moved = true;
                }
            }
            for line in (0..self.lines.len()).filter(|line| *line != victim) {
                moved |= self.grant(line);
            }
            if !moved && !self.grant(victim) {
                return (0..self.lines.len())
                    .filter(|line| self.wants(*line))
                    .collect();
            }
        }
        Vec::new()
    }

    /// Words that all receivers have; words that no receiver can refuse pass at once.
    fn passed(&self, line: usize) -> u64 {
        let flowing = &self.flowing[line];
        flowing
            .taken
            .iter()
            .copied()
            .min()
            .unwrap_or(flowing.granted.min(flowing.sent))
    }

    /// Whether a packet waits for arbiters.
    fn wants(&self, line: usize) -> bool {
        let (flowing, about) = (&self.flowing[line], &self.lines[line]);
        let begun = flowing.sent > flowing.granted || about.sender.is_none();
        // Words of the host matter where there is a receiver.
        begun && self.done(line) && (about.sender.is_some() || !about.receivers.is_empty())
    }

    /// Whether the packet that had the arbiters last has arrived.
    fn done(&self, line: usize) -> bool {
        self.passed(line) >= self.flowing[line].granted
    }

    fn grant(&mut self, line: usize) -> bool {
        if !self.wants(line) {
            return false;
        }
        let holders = std::mem::take(&mut self.holders);
        self.holders = holders
            .into_iter()
            .filter(|(_, holder)| !self.done(*holder))
            .collect();
        let Line {
            arbiters, beside, ..
        } = &self.lines[line];
        if !beside.iter().all(|other| self.done(*other)) {
            return false;
        }
        if !self.lawless
            && arbiters
                .iter()
                .any(|arbiter| self.holders.contains_key(arbiter))
        {
            return false;
        }
        self.holders
            .extend(arbiters.iter().map(|arbiter| (*arbiter, line)));
        let host = self.host_packet(line);
        let flowing = &mut self.flowing[line];
        let granted = flowing.granted;
        let end = flowing.ends.iter().find(|end| **end > granted);
        flowing.granted = end.copied().unwrap_or(granted + host);
        true
    }

    /// Words of a packet that isn't from the netlist.
    fn host_packet(&self, line: usize) -> u64 {
        let words = |actor: &usize| {
            let acts = self.programs.actors[*actor].acts.iter();
            acts.filter_map(|act| match act {
                Act::Receive(words) => Some(words * HOST_TRANSFERS),
                _ => None,
            })
            .max()
        };
        self.lines[line]
            .receivers
            .iter()
            .filter_map(words)
            .max()
            .unwrap_or(1)
            .max(1)
    }

    fn act(&mut self, actor: usize) -> bool {
        let acts = &self.programs.actors[actor].acts;
        let hand = &mut self.hands[actor];
        while let Some((start, end, times)) = hand.loops.last_mut()
            && hand.at == *end
        {
            match times {
                Some(0 | 1) => {
                    hand.loops.pop();
                    continue;
                }
                Some(times) => *times -= 1,
                None => {}
            }
            hand.at = *start;
        }
        let moved = match acts.get(hand.at) {
            None => return false,
            Some(Act::Loop(Some(0), len)) => {
                hand.at += len;
                true
            }
            Some(Act::Loop(times, len)) => {
                hand.loops.push((hand.at + 1, hand.at + 1 + len, *times));
                true
            }
            Some(Act::Take(lock, value, equal)) => self.take(*lock, *value, *equal),
            Some(Act::Give(lock, value)) => {
                let state = &mut self.locks[*lock];
                *state = Some(if self.counting {
                    state.unwrap_or(0) + value
                } else {
                    *value
                });
                true
            }
            Some(Act::Send(words, id)) => return self.send(actor, *words, *id),
            Some(Act::Receive(words)) => return self.receive(actor, *words),
        };
        self.hands[actor].at += usize::from(moved);
        moved
    }

    fn take(&mut self, lock: usize, value: i64, equal: bool) -> bool {
        if self.programs.free.contains(&lock) {
            return true;
        }
        let state = &mut self.locks[lock];
        let ready = state.is_some_and(|now| {
            if equal || !self.counting {
                now == value
            } else {
                now >= value
            }
        });
        if ready {
            *state = state.filter(|_| self.counting).map(|now| now - value);
        }
        ready
    }

    fn send(&mut self, actor: usize, words: u64, id: Option<u8>) -> bool {
        let mine = &self.lines_of[actor];
        let found = mine.iter().find(|(of, _)| mine.len() == 1 || *of == id);
        let Some((_, line)) = found.copied() else {
            // Connected to nothing that is followed.
            self.hands[actor].at += 1;
            return true;
        };
        let passed = self.passed(line);
        let (hand, flowing) = (&mut self.hands[actor], &mut self.flowing[line]);
        if hand.line.is_none() {
            (hand.line, hand.left) = (Some(line), words);
            flowing.ends.push(flowing.sent + words);
        }
        let room = (passed + BEFORE_ARBITER).saturating_sub(flowing.sent);
        let now = room.min(hand.left);
        flowing.sent += now;
        hand.left -= now;
        let done = hand.left == 0;
        if done {
            hand.line = None;
            hand.at += 1;
        }
        done || now > 0
    }

    fn receive(&mut self, actor: usize, words: u64) -> bool {
        let ready = |game: &Self, line: usize| {
            let about = &game.lines[line];
            let place = about
                .receivers
                .iter()
                .position(|receiver| *receiver == actor)?;
            let flowing = &game.flowing[line];
            let sent = match about.sender {
                Some(_) => flowing.sent,
                None => u64::MAX,
            };
            let words = flowing
                .granted
                .min(sent)
                .saturating_sub(flowing.taken[place]);
            (words > 0).then_some((line, place, words))
        };
        let found = match self.hands[actor].line {
            Some(line) => ready(self, line),
            None => self.lines_of[actor]
                .iter()
                .find_map(|(_, line)| ready(self, *line)),
        };
        let Some((line, place, available)) = found else {
            return false;
        };
        let hand = &mut self.hands[actor];
        if hand.line.is_none() {
            (hand.line, hand.left) = (Some(line), words);
        }
        let now = available.min(hand.left);
        self.flowing[line].taken[place] += now;
        hand.left -= now;
        if hand.left == 0 {
            hand.line = None;
            hand.at += 1;
        }
        true
    }
}
