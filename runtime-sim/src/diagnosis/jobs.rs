//! Waits of jobs, from the state of the controllers.

use aiec_device::regmap::RegisterRef;
use aiec_device::{ChannelId, LockId, TileLoc};

use super::job_wait::{JobWait, JobWaitReason, WaitSite};
use super::names::{DebugNames, source_of};
use super::wait_record::{NodeWaitReason, WaitRecord};
use crate::array::{ActorId, ActorOrJob, Array, JobId};
use crate::cert::{InstructionSite, Job, JobBlock, JobState, Machine};
use crate::npu::{Firmware, FirmwareWait};

/// A blocked job, with its reason and its instruction.
struct BlockedJob<'a> {
    id: JobId,
    job: &'a Job,
    block: JobBlock,
    site: InstructionSite,
}

fn blocked_jobs(machine: &Machine) -> impl Iterator<Item = BlockedJob<'_>> {
    machine.controllers().iter().flat_map(|vm| {
        vm.running().iter().flat_map(move |run| {
            run.jobs.iter().filter_map(move |job| {
                let JobState::Blocked(block) = job.state else {
                    return None;
                };
                let op = job.waiting_op();
                let site = InstructionSite {
                    uc: vm.uc,
                    page: run.number,
                    offset: op.at as u16,
                    mnemonic: op.op.info().mnemonic,
                };
                let id = JobId {
                    uc: vm.uc as u8,
                    page: run.number,
                    job: job.id,
                };
                Some(BlockedJob {
                    id,
                    job,
                    block,
                    site,
                })
            })
        })
    })
}

/// The waits of all blocked jobs.
pub(super) fn waits(machine: &Machine, array: &Array, names: &DebugNames<'_>) -> Vec<WaitRecord> {
    let record = |blocked: BlockedJob<'_>| {
        let reason = job_wait_reason(machine, array, blocked.block);
        let site = blocked.site;
        WaitRecord {
            who: ActorOrJob::Job(blocked.id),
            name: None,
            by: resolvers((machine, array), &blocked, &reason),
            reason: NodeWaitReason::Job(JobWait {
                reason,
                site: WaitSite::Instruction(site),
            }),
            lock_name: None,
            operation: None,
            code_place: None,
            source: source_of(site, names.debug),
            since: blocked.job.since,
        }
    };
    blocked_jobs(machine).map(record).collect()
}

/// Wait of the firmware of an NPU.
pub(super) fn firmware_wait(
    firmware: &Firmware,
    array: &Array,
    names: &DebugNames<'_>,
) -> Option<WaitRecord> {
    let (wait, name, offset, since) = firmware.waiting()?;
    let mut by = Vec::new();
    let reason = match wait {
        FirmwareWait::Tokens(channels) => {
            let missing = channels.iter().find(|c| firmware.tokens_of(**c) == 0);
            let sender = *missing.or(channels.first())?;
            by.push(token_holder(array, sender));
            let kind = array.device().tile_kind(sender.tile);
            let actor = kind.and_then(|kind| {
                array
                    .device()
                    .arch()
                    .actor_id(kind, sender.dir, sender.index)
            });
            JobWaitReason::Tokens {
                tile: sender.tile,
                actor: actor.unwrap_or_default(),
                sender: Some(sender),
                need: 1,
                arrived: firmware.tokens_of(sender),
            }
        }
        FirmwareWait::Merged { columns, tokens } => JobWaitReason::MergedTokens {
            columns: *columns,
            need: *tokens,
            arrived: firmware.merged(*columns),
        },
        FirmwareWait::Poll {
            address,
            mask,
            value,
            ..
        } => {
            let (tile, offset) = array.device().split_address(*address);
            JobWaitReason::Poll {
                tile,
                offset,
                value: *value,
                mask: *mask,
            }
        }
    };
    let site = WaitSite::Operation { name, offset };
    Some(WaitRecord {
        who: ActorOrJob::Firmware,
        name: None,
        by,
        reason: NodeWaitReason::Job(JobWait { reason, site }),
        lock_name: None,
        operation: None,
        code_place: None,
        source: firmware
            .source()
            .and_then(|source| names.show(Some(source))),
        since,
    })
}

/// Cause of a wait of a job, with what is there now.
pub fn job_wait_reason(machine: &Machine, array: &Array, block: JobBlock) -> JobWaitReason {
    match block {
        JobBlock::UcDma { .. } => JobWaitReason::UcDma,
        JobBlock::UcDmaQueue => JobWaitReason::UcDmaQueue,
        JobBlock::Tokens { tile, actor, need } => {
            let arrived = machine.shared.tokens_left(tile, actor);
            let tile = TileLoc::new(tile.column(), tile.row());
            JobWaitReason::Tokens {
                tile,
                actor,
                sender: array.token_sender(tile, actor),
                need,
                arrived,
            }
        }
        JobBlock::LocalBarrier {
            barrier,
            participants,
        } => JobWaitReason::LocalBarrier {
            barrier,
            participants,
        },
        JobBlock::RemoteBarrier { barrier, mask } => {
            let there = machine.shared.at_remote(barrier);
            let missing = (0..32).filter(|uc| mask >> uc & 1 == 1 && !there.contains(uc));
            JobWaitReason::RemoteBarrier {
                barrier: barrier.wrapping_sub(1),
                missing: missing.collect(),
            }
        }
        JobBlock::Poll {
            address,
            mask,
            value,
            ..
        } => {
            let (tile, offset) = array.device().split_address(address);
            JobWaitReason::Poll {
                tile,
                offset,
                value,
                mask,
            }
        }
        JobBlock::Spin { address } => {
            let lock = match array.device().register_at(address) {
                Some((tile, RegisterRef::LockRequest { id, value, .. })) => {
                    let lock = LockId::new(tile, id);
                    array.lock_value(lock).map(|now| (lock, value, now))
                }
                _ => None,
            };
            JobWaitReason::Spin { lock, address }
        }
        JobBlock::ExternalPoll {
            address,
            mask,
            value,
        } => JobWaitReason::ExternalPoll {
            address,
            value,
            mask,
        },
        JobBlock::SubProgram { page } => JobWaitReason::SubProgram { page },
        JobBlock::SyncPoint => JobWaitReason::SyncPoint,
    }
}

/// Who could let a token of a channel come: the port that holds it up, else the channel.
fn token_holder(array: &Array, sender: ChannelId) -> ActorOrJob {
    let port = array.view().stuck_token(sender);
    ActorOrJob::Actor(port.unwrap_or_else(|| ActorId::channel(sender)))
}

/// The nodes that could end the wait of a job.
fn resolvers(
    (machine, array): (&Machine, &Array),
    blocked: &BlockedJob<'_>,
    reason: &JobWaitReason,
) -> Vec<ActorOrJob> {
    let me = blocked.id;
    let jobs = |test: &dyn Fn(&BlockedJob<'_>) -> bool| {
        let jobs = blocked_jobs(machine).filter(test);
        jobs.map(|other| ActorOrJob::Job(other.id)).collect()
    };
    match reason {
        JobWaitReason::UcDma
        | JobWaitReason::UcDmaQueue
        | JobWaitReason::Poll { .. }
        | JobWaitReason::ExternalPoll { .. }
        | JobWaitReason::MergedTokens { .. } => Vec::new(),
        JobWaitReason::Tokens { sender, .. } => {
            let holders = sender.iter().map(|sender| token_holder(array, *sender));
            holders.collect()
        }
        // blocked jobs of the same page that are not at the same barrier
        JobWaitReason::LocalBarrier { .. } => jobs(&|other| {
            (other.id.uc, other.id.page) == (me.uc, me.page) && other.block != blocked.block
        }),
        JobWaitReason::RemoteBarrier { missing, .. } => {
            jobs(&|other| missing.contains(&other.id.uc.into()))
        }
        JobWaitReason::Spin { .. } => jobs(&|other| other.id != me),
        JobWaitReason::SubProgram { page } => {
            jobs(&|other| other.id.uc == me.uc && other.id.page >= *page)
        }
        JobWaitReason::SyncPoint => jobs(&|other| other.block != JobBlock::SyncPoint),
    }
}
