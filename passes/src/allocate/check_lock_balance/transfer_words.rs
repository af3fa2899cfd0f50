//! Comparison of the words that a runtime sequence transfers with those that the other ends of the
//! flows take and give.
//!
//! From the words that enter the array follows how often each buffer descriptor after a flow runs, from that the units
//! that its lock gets, from these how often the descriptors run that take them, and so on until a core. The same from
//! the units that cores give to the words that leave the array. Only totals are followed, as in a dataflow graph whose
//! buffers are large enough; what isn't known (endless cores, merged packets, locks that several take) is left out.
//! Transfers that don't fit the objects of their other end become findings, one for each channel.

use aiec_aie::ir::{Module, Op};
use aiec_aie::ops::enums::LockAction;
use aiec_aie::ops::netlist::{BdSlot, DmaChannel};
use aiec_aie::ops::{Flow, Lock, OpKind, OpView, PacketDest, PacketFlow, PacketSource, UseLock};
use aiec_device::{Bundle, ChannelId, DeviceModel, DmaDir};
use aiec_diag::{Diag, Diags};
use rustc_hash::{FxHashMap, FxHashSet};

use super::moved_words::{MovedWords, WordsOfChannels, moved_words};
use super::{
    BalanceRegion, ChannelsOfPrograms, LockUser, MAX_LABELS, OBJECT_COUNT, PARTIAL_OBJECT,
};
use crate::analysis::budget::tile_of_op;
use crate::analysis::host_transfers::bd_words;

/// Units of a lock from which on a core that takes or gives them counts as endless: no design
/// depends on the end of such a loop.
const ENDLESS_UNITS: u64 = 1 << 16;

/// Reports transfers that end within an object, or that move more or fewer objects than the other end takes or gives.
pub(super) fn check(
    module: &Module,
    device: Op,
    model: &DeviceModel,
    (channels, users, outside): (&ChannelsOfPrograms, &[LockUser], &FxHashSet<Op>),
    diags: &mut Diags,
) {
    let Some(moved) = moved_words(module, device, model) else {
        return;
    };
    if moved.is_empty() {
        return;
    }
    let mut totals = Totals {
        module,
        moved: &moved,
        channels: FxHashMap::default(),
        sources: flow_sources(module, device),
        givers: FxHashMap::default(),
        takers: FxHashMap::default(),
        users,
        outside,
        units: FxHashMap::default(),
    };
    totals.read_channels(channels);
    totals.read_lock_users();
    let mut findings = Findings::new(module, &moved, diags);
    totals.partial_objects(&mut findings);
    totals.objects_of_cores(&mut findings);
    totals.words_of_outputs(&mut findings);
}

/// The channel that sends to each channel; `None` where there are several, or other things than a channel.
fn flow_sources(module: &Module, device: Op) -> FxHashMap<ChannelId, Option<ChannelId>> {
    let mut sources: FxHashMap<ChannelId, Option<ChannelId>> = FxHashMap::default();
    let mut connect = |from: Option<ChannelId>, to: ChannelId| {
        let known = sources.entry(to).or_insert(from);
        if *known != from {
            *known = None;
        }
    };
    for flow in module.children::<Flow>(device) {
        if let Some((tile, port)) = flow.to(module)
            && port.bundle == Bundle::Dma
        {
            let from = flow.from(module);
            let from = from.filter(|(_, port)| port.bundle == Bundle::Dma);
            let from = from.map(|(tile, port)| ChannelId::new(tile, DmaDir::Mm2s, port.channel));
            connect(from, ChannelId::new(tile, DmaDir::S2mm, port.channel));
        }
    }
    // A channel of several packet flows sends some of its packets to each.
    let mut flows_of: FxHashMap<ChannelId, usize> = FxHashMap::default();
    let mut packets = Vec::new();
    for flow in module.children::<PacketFlow>(device) {
        let listed = module.children::<PacketSource>(flow.op());
        let all: Vec<Option<ChannelId>> = listed
            .iter()
            .map(|source| {
                let channel = u8::try_from(source.channel(module)).ok()?;
                let is_dma = source.bundle(module) == Some(Bundle::Dma);
                is_dma.then_some(ChannelId::new(
                    source.tile_loc(module)?,
                    DmaDir::Mm2s,
                    channel,
                ))
            })
            .collect();
        for source in all.iter().flatten() {
            *flows_of.entry(*source).or_default() += 1;
        }
        let keeps = flow.keep_pkt_header(module).unwrap_or(false);
        let only = match all.as_slice() {
            [only] if !keeps => *only,
            _ => None,
        };
        for dest in module.children::<PacketDest>(flow.op()) {
            let channel = u8::try_from(dest.channel(module)).ok();
            if let Some((tile, channel)) = dest.tile_loc(module).zip(channel)
                && dest.bundle(module) == Some(Bundle::Dma)
            {
                packets.push((only, ChannelId::new(tile, DmaDir::S2mm, channel)));
            }
        }
    }
    for (from, to) in packets {
        let whole = from.filter(|from| flows_of.get(from) == Some(&1));
        connect(whole, to);
    }
    sources
}

/// An amount, and the channels of the sequence that it comes from.
#[derive(Clone, Debug, Default)]
pub(super) struct Total {
    pub amount: u64,
    /// Ascending.
    pub origins: Vec<ChannelId>,
}

/// A channel's program with the words of each buffer descriptor.
pub(super) struct ChannelProgram {
    pub slots: Vec<BdSlot>,
    pub words: Vec<u64>,
    /// Runs of the whole chain at most; `None`: it restarts without end.
    cycles: Option<u64>,
}

/// Number of runs of buffer descriptors.
struct BdRuns {
    runs: Vec<u64>,
    /// Words of one that has begun.
    rest: u64,
}

impl ChannelProgram {
    /// The program, unless it has parts that are done once or can't be counted.
    fn of(module: &Module, channel: &DmaChannel) -> Option<Self> {
        let cycles = match channel.next_of_last {
            Some(0) => None,
            Some(_) => return None,
            None => Some(u64::try_from(channel.repeat_count).ok()? + 1),
        };
        let slots = channel.bds.clone();
        let words = slots.iter().map(|slot| bd_words(module, slot.bd));
        let words: Vec<u64> = words.collect::<Option<_>>()?;
        (!words.is_empty() && words.iter().all(|words| *words > 0)).then_some(ChannelProgram {
            slots,
            words,
            cycles,
        })
    }

    /// Runs until the given number of words has passed.
    fn runs_of_words(&self, words: u64) -> Option<BdRuns> {
        let cycle = self
            .words
            .iter()
            .try_fold(0u64, |sum, words| sum.checked_add(*words))?;
        let cycles = (words / cycle).min(self.cycles.unwrap_or(u64::MAX));
        let mut runs = vec![cycles; self.words.len()];
        let mut rest = words - cycles * cycle;
        if Some(cycles) == self.cycles {
            return Some(BdRuns { runs, rest: 0 });
        }
        for (runs, words) in runs.iter_mut().zip(&self.words) {
            if rest < *words {
                break;
            }
            rest -= words;
            *runs += 1;
        }
        Some(BdRuns { runs, rest })
    }

    /// Words of the given runs.
    fn words_of_runs(&self, runs: &[u64]) -> Option<u64> {
        let mut products = self.words.iter().zip(runs);
        products.try_fold(0u64, |sum, (words, runs)| {
            sum.checked_add(words.checked_mul(*runs)?)
        })
    }
}

/// Units that a channel's buffer descriptor takes or gives, or that a core does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LockUse {
    /// Buffer descriptor `slot` of a channel.
    Bd {
        channel: ChannelId,
        slot: usize,
        units: u64,
    },
    /// A user of the list of cores' code.
    Core(usize),
}

struct Totals<'a> {
    module: &'a Module,
    moved: &'a WordsOfChannels,
    channels: FxHashMap<ChannelId, ChannelProgram>,
    sources: FxHashMap<ChannelId, Option<ChannelId>>,
    givers: FxHashMap<Op, Vec<LockUse>>,
    takers: FxHashMap<Op, Vec<LockUse>>,
    users: &'a [LockUser],
    outside: &'a FxHashSet<Op>,
    /// Units that each lock gets; `None` if that isn't known, or while it is computed.
    units: FxHashMap<Op, Option<Total>>,
}

impl Totals<'_> {
    fn read_channels(&mut self, channels: &ChannelsOfPrograms) {
        let module = self.module;
        let mut unknown = Vec::new();
        for (container, channels) in channels {
            let Some(tile) = tile_of_op(module, *container) else {
                continue;
            };
            for channel in channels {
                let key = ChannelId::new(tile, channel.dir, channel.channel);
                let by_sequence = self.moved.contains_key(&key);
                let locks = channel
                    .bds
                    .iter()
                    .flat_map(|slot| [slot.acquire, slot.release]);
                let locks: Vec<Op> = locks
                    .flatten()
                    .filter_map(|used| Some(used.lock_op(module)?.op()))
                    .collect();
                let program = ChannelProgram::of(module, channel);
                let program =
                    program.filter(|_| !by_sequence && module.kind(*container) != OpKind::ShimDma);
                match program {
                    Some(program) if !self.channels.contains_key(&key) => {
                        self.channels.insert(key, program);
                    }
                    _ => unknown.extend(locks),
                }
            }
        }
        self.units
            .extend(unknown.into_iter().map(|lock| (lock, None)));
    }

    fn read_lock_users(&mut self) {
        let module = self.module;
        for (channel, program) in &self.channels {
            for (slot, bd) in program.slots.iter().enumerate() {
                let acquire = bd
                    .acquire
                    .filter(|used| used.acq_en(module).unwrap_or(true));
                for used in [acquire, bd.release].into_iter().flatten() {
                    let lock = used.lock_op(module).map(OpView::op);
                    let units = used
                        .const_value(module)
                        .and_then(|units| u64::try_from(units).ok());
                    // Others come to the locks that are outside.
                    if let Some((lock, units)) = lock.zip(units) {
                        let list = match used.action(module) {
                            LockAction::Release => &mut self.givers,
                            _ => &mut self.takers,
                        };
                        let channel = *channel;
                        list.entry(lock).or_default().push(LockUse::Bd {
                            channel,
                            slot,
                            units,
                        });
                    }
                }
            }
        }
        for (at, user) in self.users.iter().enumerate() {
            if matches!(
                user.what,
                BalanceRegion::Idle | BalanceRegion::Ring | BalanceRegion::Chain
            ) {
                continue;
            }
            for used in user.operations.iter().map(|op| UseLock(*op)) {
                let Some(lock) = used.lock_op(module).map(OpView::op) else {
                    continue;
                };
                let list = match used.action(module) {
                    LockAction::Release => &mut self.givers,
                    _ => &mut self.takers,
                };
                let list = list.entry(lock).or_default();
                if !list.contains(&LockUse::Core(at)) {
                    list.push(LockUse::Core(at));
                }
            }
        }
    }

    fn uses(list: &FxHashMap<Op, Vec<LockUse>>, lock: Op) -> &[LockUse] {
        list.get(&lock).map_or(&[], Vec::as_slice)
    }

    /// Units that a core that ends takes of a lock, or gives to it, if it doesn't do both.
    fn core_units(&self, user: usize, lock: Op) -> Option<u64> {
        let both = [&self.givers, &self.takers]
            .iter()
            .all(|list| Self::uses(list, lock).contains(&LockUse::Core(user)));
        let user = &self.users[user];
        let ends = user.what == BalanceRegion::WholeRun;
        let units = user
            .changes
            .get(&lock)
            .map_or(0, |units| units.unsigned_abs());
        (ends && !both && units < ENDLESS_UNITS).then_some(units)
    }

    /// Units that a lock gets in all, with its first ones.
    fn units_given(&mut self, lock: Op) -> Option<Total> {
        if self.outside.contains(&lock) {
            return None;
        }
        if let Some(known) = self.units.get(&lock) {
            return known.clone();
        }
        self.units.insert(lock, None);
        let total = self.sum_of_givers(lock);
        self.units.insert(lock, total.clone());
        total
    }

    fn sum_of_givers(&mut self, lock: Op) -> Option<Total> {
        let init = Lock(lock).init(self.module).unwrap_or(0);
        let mut total = Total {
            amount: u64::try_from(init).ok()?,
            ..Total::default()
        };
        for giver in Self::uses(&self.givers, lock).to_vec() {
            let more = match giver {
                LockUse::Core(user) => self.core_units(user, lock)?,
                LockUse::Bd {
                    channel,
                    slot,
                    units,
                } => {
                    let (runs, origins) = self.runs(channel)?;
                    total.origins.extend(origins);
                    runs.runs.get(slot)?.checked_mul(units)?
                }
            };
            total.amount = total.amount.checked_add(more)?;
        }
        total.origins.sort_unstable();
        total.origins.dedup();
        Some(total)
    }

    /// Number of runs of the buffer descriptors of an array channel, with the facts that decide it.
    fn runs(&mut self, channel: ChannelId) -> Option<(BdRuns, Vec<ChannelId>)> {
        if channel.dir == DmaDir::S2mm {
            let Total { amount, origins } = self.words_into(channel)?;
            return Some((self.channels.get(&channel)?.runs_of_words(amount)?, origins));
        }
        let program = self.channels.get(&channel)?;
        let mut taken: Vec<(Op, u64)> = Vec::new();
        for slot in &program.slots {
            let used = slot
                .acquire
                .filter(|used| used.acq_en(self.module).unwrap_or(true))?;
            let units = u64::try_from(used.const_value(self.module)?).ok()?;
            taken.push((used.lock_op(self.module)?.op(), units));
        }
        let cycles = program.cycles;
        let mut demand: FxHashMap<Op, u64> = FxHashMap::default();
        for (lock, units) in &taken {
            *demand.entry(*lock).or_default() += units;
        }
        let mut left: FxHashMap<Op, u64> = FxHashMap::default();
        let mut origins = Vec::new();
        let mut whole = cycles.unwrap_or(u64::MAX);
        for (lock, units) in &demand {
            let ours = |taker: &LockUse| matches!(taker, LockUse::Bd { channel: other, .. } if *other == channel);
            if *units == 0 || !Self::uses(&self.takers, *lock).iter().all(ours) {
                return None;
            }
            let given = self.units_given(*lock)?;
            origins.extend(given.origins);
            whole = whole.min(given.amount / units);
            left.insert(*lock, given.amount);
        }
        origins.sort_unstable();
        origins.dedup();
        let mut runs = vec![whole; taken.len()];
        for (lock, units) in &demand {
            *left.get_mut(lock)? -= whole * units;
        }
        if Some(whole) != cycles {
            for (runs, (lock, units)) in runs.iter_mut().zip(&taken) {
                let left = left.get_mut(lock)?;
                if *left < *units {
                    break;
                }
                *left -= units;
                *runs += 1;
            }
        }
        Some((BdRuns { runs, rest: 0 }, origins))
    }

    /// Words that come to a channel of the array.
    fn words_into(&mut self, channel: ChannelId) -> Option<Total> {
        let source = (*self.sources.get(&channel)?)?;
        match self.moved.get(&source) {
            Some(moved) => Some(Total {
                amount: moved.as_ref()?.words,
                origins: vec![source],
            }),
            None => self.words_sent(source),
        }
    }

    /// Words that a channel of the array sends.
    fn words_sent(&mut self, channel: ChannelId) -> Option<Total> {
        let (runs, origins) = self.runs(channel)?;
        let amount = self.channels.get(&channel)?.words_of_runs(&runs.runs)?;
        Some(Total { amount, origins })
    }

    /// Transfers that end within an object.
    fn partial_objects(&mut self, findings: &mut Findings<'_>) {
        let inputs = self.channels.keys().copied();
        let mut inputs: Vec<_> = inputs.filter(|key| key.dir == DmaDir::S2mm).collect();
        inputs.sort_unstable();
        for channel in inputs {
            let Some(Total { amount, origins }) = self.words_into(channel) else {
                continue;
            };
            let Some(program) = self.channels.get(&channel) else {
                continue;
            };
            // what no transfer of the sequence decides isn't for this check
            if let Some(BdRuns { runs, rest }) = program.runs_of_words(amount)
                && rest > 0
                && !origins.is_empty()
            {
                findings.partial(&origins, DmaDir::Mm2s, program, (amount, &runs, rest));
            }
        }
        for (channel, moved) in self.moved {
            let (DmaDir::S2mm, Some(moved)) = (channel.dir, moved) else {
                continue;
            };
            let source = self.sources.get(channel).copied().flatten();
            let Some(program) = source.and_then(|source| self.channels.get(&source)) else {
                continue;
            };
            if let Some(BdRuns { runs, rest }) = program.runs_of_words(moved.words)
                && rest > 0
            {
                findings.partial(
                    &[*channel],
                    DmaDir::S2mm,
                    program,
                    (moved.words, &runs, rest),
                );
            }
        }
    }

    /// Transfers out of the array of more or fewer words than are sent.
    fn words_of_outputs(&mut self, findings: &mut Findings<'_>) {
        for (channel, moved) in self.moved {
            let (DmaDir::S2mm, Some(moved)) = (channel.dir, moved) else {
                continue;
            };
            let source = self.sources.get(channel).copied().flatten();
            let Some(source) = source.filter(|source| !self.moved.contains_key(source)) else {
                continue;
            };
            let Some(sent) = self.words_sent(source) else {
                continue;
            };
            if let Some(program) = self.channels.get(&source)
                && sent.amount != moved.words
                && sent.amount > 0
            {
                findings.output(*channel, moved, (sent.amount, program));
            }
        }
    }

    /// Transfers into the array of more or fewer objects than a core takes.
    fn objects_of_cores(&mut self, findings: &mut Findings<'_>) {
        let mut locks: Vec<Op> = self.takers.keys().copied().collect();
        locks.sort_unstable();
        for lock in locks {
            let [LockUse::Core(user)] = *Self::uses(&self.takers, lock) else {
                continue;
            };
            let fills = |giver: &LockUse| matches!(giver, LockUse::Bd { channel, .. } if channel.dir == DmaDir::S2mm);
            let filled = Self::uses(&self.givers, lock).iter().all(fills);
            let is_empty = Lock(lock).init(self.module).unwrap_or(0) == 0;
            let taken = self.core_units(user, lock).filter(|_| filled && is_empty);
            let Some(taken) = taken.filter(|taken| *taken > 0) else {
                continue;
            };
            let Some(given) = self.units_given(lock) else {
                continue;
            };
            if given.amount != taken && !given.origins.is_empty() {
                findings.input(&given, (&self.users[user], taken));
            }
        }
    }
}

/// Where findings go, one for each channel of the sequence.
pub(super) struct Findings<'a> {
    module: &'a Module,
    moved: &'a WordsOfChannels,
    /// Channels of the sequence with a finding.
    reported: FxHashSet<ChannelId>,
    diags: &'a mut Diags,
}

/// The sizes of a program's objects, in words.
fn objects_of(program: &ChannelProgram) -> String {
    let mut sizes: Vec<u64> = program.words.clone();
    sizes.sort_unstable();
    sizes.dedup();
    let sizes: Vec<String> = sizes.iter().take(MAX_LABELS).map(u64::to_string).collect();
    format!("objects of {} words", sizes.join(", "))
}

impl<'a> Findings<'a> {
    pub fn new(
        module: &'a Module,
        moved: &'a WordsOfChannels,
        diags: &'a mut Diags,
    ) -> Findings<'a> {
        Findings {
            module,
            moved,
            reported: FxHashSet::default(),
            diags,
        }
    }

    /// Whether none of these channels has a finding yet.
    fn is_first(&mut self, origins: &[ChannelId]) -> bool {
        let first = !origins.iter().any(|key| self.reported.contains(key));
        self.reported.extend(origins);
        first
    }

    fn name(&self, origins: &[ChannelId]) -> String {
        let of = |key: &ChannelId| match self.moved.get(key)?.as_ref()?.name.as_deref() {
            Some(name) => Some(format!(
                "@{}",
                name.strip_suffix("_shim_alloc").unwrap_or(name)
            )),
            None => Some(format!("{} {} of tile {}", key.dir, key.index, key.tile)),
        };
        let names: Vec<String> = origins.iter().filter_map(of).take(MAX_LABELS).collect();
        names.join(", ")
    }

    fn with_transfers(&self, mut diag: Diag, origins: &[ChannelId]) -> Diag {
        let all = origins
            .iter()
            .filter_map(|key| self.moved.get(key)?.as_ref());
        let all = all.flat_map(|moved| &moved.transfers);
        let mut spans: Vec<_> = all.map(|op| self.module.span(*op)).collect();
        spans.dedup();
        for span in spans.into_iter().take(MAX_LABELS) {
            diag = diag.label(span, "this transfer");
        }
        diag
    }

    /// Transfers that end within an object: `words` are whole runs of each buffer descriptor and a rest.
    pub fn partial(
        &mut self,
        origins: &[ChannelId],
        dir: DmaDir,
        program: &ChannelProgram,
        (words, runs, rest): (u64, &[u64], u64),
    ) {
        if !self.is_first(origins) {
            return;
        }
        let name = self.name(origins);
        let whole: u64 = runs.iter().sum();
        // The first that runs once less often than the others.
        let next = runs.iter().position(|run| *run < runs[0]).unwrap_or(0);
        let (below, above) = (words - rest, words - rest + program.words[next]);
        let object = program.words[next];
        let verb = match dir {
            DmaDir::Mm2s => "move into",
            DmaDir::S2mm => "take out of",
        };
        let message = format!(
            "the {words} words that the transfers {verb} {name} end within an object: {whole} objects and {rest} of \
             {object} words"
        );
        let ways = match below {
            0 => format!("{above}"),
            below => format!("{below} or {above}"),
        };
        let why = match dir {
            DmaDir::Mm2s => "an object that isn't full is never handed on",
            DmaDir::S2mm => {
                "the rest of the object stays in the stream, in front of the next run's"
            }
        };
        let diag = Diag::warning(&PARTIAL_OBJECT, message);
        let diag = self.with_transfers(diag, origins);
        let slot = program.slots.get(next);
        let diag = diag
            .label(
                slot.and_then(|slot| self.module.span(slot.bd.op())),
                objects_of(program),
            )
            .help(format!(
                "move a whole number of objects, {ways} words: {why}"
            ));
        self.diags.push(diag);
    }

    /// Transfers out of the array of more or fewer words than are sent.
    pub fn output(
        &mut self,
        channel: ChannelId,
        moved: &MovedWords,
        (sent, program): (u64, &ChannelProgram),
    ) {
        let origins = [channel];
        if !self.is_first(&origins) {
            return;
        }
        let name = self.name(&origins);
        let words = moved.words;
        let message = format!("{sent} words come to {name}, and its transfers take {words}");
        let (less, why) = if words < sent {
            (
                "less",
                "the rest stays in the array, in front of the next run's data",
            )
        } else {
            ("more", "the transfer never ends")
        };
        let diag = self.with_transfers(Diag::warning(&OBJECT_COUNT, message), &origins);
        let bd = program.slots.first().map(|slot| slot.bd.op());
        let diag = diag
            .label(bd.and_then(|bd| self.module.span(bd)), objects_of(program))
            .help(format!(
                "take {sent} words, or let {less} be produced: {why}"
            ));
        self.diags.push(diag);
    }

    /// Transfers into the array of more or fewer objects than a core takes.
    pub fn input(&mut self, given: &Total, (user, taken): (&LockUser, u64)) {
        if !self.is_first(&given.origins) {
            return;
        }
        let name = self.name(&given.origins);
        let words = given
            .origins
            .iter()
            .filter_map(|key| self.moved.get(key)?.as_ref());
        let words: u64 = words.map(|moved| moved.words).sum();
        let Total { amount, origins } = given;
        let objects = |count: u64| match count {
            1 => "1 object".to_string(),
            count => format!("{count} objects"),
        };
        let message = format!(
            "{} takes {} of {name}, and the {words} words that the transfers move are {}",
            user.id,
            objects(taken),
            objects(*amount)
        );
        let exact = words.checked_mul(taken).filter(|_| *amount > 0);
        let exact = exact.filter(|product| product.is_multiple_of(*amount));
        let length = match exact {
            Some(product) => format!("move {} words, or let", product / amount),
            None => "move as many objects as are taken, or let".to_string(),
        };
        let why = if *amount < taken {
            "it waits for the others"
        } else {
            "the others are never taken, and the transfer may never end"
        };
        let diag = self.with_transfers(Diag::warning(&OBJECT_COUNT, message), origins);
        let diag = diag
            .label(self.module.span(user.at), format!("takes {taken}"))
            .help(format!("{length} the core's loops take {amount}: {why}"));
        self.diags.push(diag);
    }
}
