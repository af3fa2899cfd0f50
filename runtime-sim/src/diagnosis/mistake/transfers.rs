//! Rules for transfers of the sequence: missing, of another length than their other end wants, started
//! too late, without the token that is awaited.

use aiec_device::ChannelId;

use super::super::classify::held_up_token;
use super::super::job_wait::{JobWait, JobWaitReason};
use super::super::names::source_of;
use super::super::wait_record::NodeWaitReason;
use super::{Evidence, Mistake, MistakeKind, at_line, line};
use crate::array::{ActorId, ActorOrJob, WaitReason};

impl Evidence<'_> {
    /// A token shares a way with packets that wait.
    pub(super) fn token_is_held_up(&self) -> Option<Mistake> {
        let (job, port) = held_up_token(self.chain)?;
        let NodeWaitReason::Job(JobWait {
            reason: JobWaitReason::Tokens { sender, .. },
            ..
        }) = &job.reason
        else {
            return None;
        };
        let who = self.channel_words((*sender)?);
        let mut cause = format!(
            "the token of {who} is held up by other packets at {}: it waits for {}",
            port.who,
            port.on()
        );
        if let Some(last) = self.chain.last().filter(|last| last.who != port.who) {
            cause += &format!("; after that {} waits for {}", last.named(), last.on());
        }
        Some(Mistake {
            kind: MistakeKind::PacketPathShared,
            cause,
            help:
                "give tokens a way and arbiters of their own, apart from flows that can stall, or \
                   start what those flows wait for first"
                    .into(),
            source: job.source.clone(),
        })
    }

    /// A job waits for tokens of a channel that has nothing to do.
    pub(super) fn tokens(&self) -> Option<Mistake> {
        let last = self.chain.last()?;
        let waits = match &last.reason {
            NodeWaitReason::Actor(WaitReason::Task { pending: false }) => {
                self.chain.get(self.chain.len().checked_sub(2)?)?
            }
            NodeWaitReason::Job(_) => last,
            NodeWaitReason::Actor(_) => return None,
        };
        let NodeWaitReason::Job(JobWait {
            reason:
                JobWaitReason::Tokens {
                    sender,
                    need,
                    arrived,
                    ..
                },
            ..
        }) = &waits.reason
        else {
            return None;
        };
        let source = waits.source.clone();
        let Some(channel) = *sender else {
            return Some(Mistake {
                kind: MistakeKind::ExtraWait,
                cause: format!(
                    "{} waits for tokens of an actor that no tile has",
                    waits.who
                ),
                help: "use the actor id of a channel of this target".into(),
                source,
            });
        };
        let progress = self.array.view().channel_progress(channel)?;
        if self.array.view().is_channel_busy(channel) {
            return None;
        }
        let (who, wait) = (self.channel_words(channel), at_line(source.as_ref()));
        // Assembly without lines has no sequence to name.
        let job = match &source {
            Some(_) => "the sequence".to_string(),
            None => waits.who.to_string(),
        };
        if let Some(mistake) = self.wait_order(channel, source.as_ref()) {
            return Some(mistake);
        }
        let (kind, cause, help) = match (progress.tasks, progress.tokens) {
            (0, _) => (
                MistakeKind::TransferMissing,
                format!("{job} waits for {who}{wait}, and no transfer was started there"),
                "start a transfer with a token in front of the wait, or leave the wait out".into(),
            ),
            (tasks, 0) => (
                MistakeKind::TokenMissing,
                format!(
                    "{job} waits for {who}{wait}, whose {tasks} finished task(s) ask for no \
                     token"
                ),
                "write `issue_token = true` in the transfer that is waited for".into(),
            ),
            (_, tokens) => (
                MistakeKind::ExtraWait,
                format!(
                    "{job} waits for {need} token(s) of {who}{wait} once more: its transfers \
                     sent {tokens} in all, of which {arrived} are left"
                ),
                "wait once for each transfer with a token; where its tokens get lost, lead its \
                 TileControl port to the controller"
                    .into(),
            ),
        };
        Some(Mistake {
            kind,
            cause,
            help,
            source,
        })
    }

    /// The chain ends at a channel that has no task, or that never got one.
    pub(super) fn end_has_no_task(&self) -> Option<Mistake> {
        if self.is_cycle {
            return None;
        }
        let last = self.chain.last()?;
        let NodeWaitReason::Actor(reason) = &last.reason else {
            return None;
        };
        let actor = match (reason, last.who) {
            (WaitReason::Task { .. }, ActorOrJob::Actor(actor)) => actor,
            (WaitReason::StreamData { from }, _) => *from.first()?,
            (WaitReason::StreamSpace { to }, _) => *to.first()?,
            _ => return None,
        };
        let channel = actor.as_channel()?;
        if self.array.view().is_channel_busy(channel) {
            return None;
        }
        if let Some(mistake) = self.wait_order(channel, self.job_source()) {
            return Some(mistake);
        }
        let who = self.channel_words(channel);
        let progress = self.array.view().channel_progress(channel)?;
        if progress.tasks == 0 {
            let verb = match channel.dir {
                aiec_device::DmaDir::Mm2s => "sends",
                aiec_device::DmaDir::S2mm => "takes",
            };
            return Some(Mistake {
                kind: MistakeKind::TransferMissing,
                cause: format!("no transfer {verb} the words of {who}"),
                help: "start a transfer on it before the wait".into(),
                source: last.source.clone(),
            });
        }
        let done = progress.words;
        let other = self.chain.iter().rev().find_map(|wait| {
            let ActorOrJob::Actor(actor) = wait.who else {
                return None;
            };
            let id = actor.as_channel()?;
            let (moved, wanted) = self.array.view().channel_progress(id)?.task?;
            (id != channel && moved < wanted).then_some((id, moved, wanted, wait.source.clone()))
        });
        let cause = match &other {
            Some((id, moved, wanted, _)) => format!(
                "the transfers of {who} are over after {done} words, and that of {} has moved \
                 {moved} of {wanted} words",
                self.channel_words(*id)
            ),
            None => format!(
                "the transfers of {who} are over after {done} words, and its other end goes on"
            ),
        };
        Some(Mistake {
            kind: MistakeKind::TransferLength,
            cause,
            help: "make the transfers as long as the cores consume and produce, or start another"
                .into(),
            source: last.source.clone(),
        })
    }

    /// The control code would start the channel if it didn't wait.
    fn wait_order(&self, channel: ChannelId, waits: Option<&String>) -> Option<Mistake> {
        let site = self.machine.later_start(self.array, channel)?;
        let start = source_of(site, self.names.debug);
        let who = self.channel_words(channel);
        let (waited, started) = (at_line(waits), at_line(start.as_ref()));
        let help = match (waits, &start) {
            (Some(waits), Some(start)) => format!(
                "swap them: start the transfer of {} before the wait of {}",
                line(start),
                line(waits)
            ),
            _ => "start the transfer before the wait".to_string(),
        };
        Some(Mistake {
            kind: MistakeKind::WaitOrder,
            cause: format!(
                "the sequence waits{waited} before it starts the transfer of {who}{started} that \
                 the wait depends on"
            ),
            help,
            source: waits.cloned(),
        })
    }

    /// The fifo that a channel is an end of; else the channel itself.
    fn channel_words(&self, channel: ChannelId) -> String {
        let resource = self.names.of_actor(ActorId::channel(channel));
        let name = resource.map(|resource| resource.name.as_str());
        match name.and_then(|name| name.strip_suffix("_shim_alloc")) {
            Some(fifo) => format!("@{fifo}"),
            None => self.named(channel),
        }
    }

    fn named(&self, channel: ChannelId) -> String {
        self.names.with_name(ActorId::channel(channel))
    }

    /// Where the job of the chain waits.
    fn job_source(&self) -> Option<&String> {
        let jobs = self.chain.iter();
        let mut jobs = jobs.filter(|wait| matches!(wait.who, ActorOrJob::Job(_)));
        jobs.find_map(|wait| wait.source.as_ref())
    }
}
