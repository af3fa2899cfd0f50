//! Findings about transfers that don't fit the objects of their other end.

use aiec_aie::ir::Module;
use aiec_aie::ops::OpView;
use aiec_device::{ChannelId, DmaDir};
use aiec_diag::{Diag, Diags};
use rustc_hash::FxHashSet;

use super::moved_words::{MovedWords, WordsOfChannels};
use super::transfer_words::{ChannelProgram, Total};
use super::{LockUser, MAX_LABELS, OBJECT_COUNT, PARTIAL_OBJECT};

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
            user.name,
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
            "nobody takes the others, and the transfer may never end"
        };
        let diag = self.with_transfers(Diag::warning(&OBJECT_COUNT, message), origins);
        let diag = diag
            .label(self.module.span(user.at), format!("takes {taken}"))
            .help(format!("{length} the core's loops take {amount}: {why}"));
        self.diags.push(diag);
    }
}
