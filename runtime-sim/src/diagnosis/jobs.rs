//! What jobs wait for.

use aiec_device::TileLoc;
use aiec_device::regmap::RegisterRef;

use super::names::{Names, source_of};
use super::{JobName, Node, Waiting};
use crate::array::{Array, Party};
use crate::cert::{Block, Job, JobState, Machine, Site};
use crate::time::Cycle;

/// All blocked jobs with the site of the instruction they wait in.
pub(super) fn blocked_jobs(machine: &Machine) -> impl Iterator<Item = (JobName, &Job, Site)> {
    machine.controllers().iter().flat_map(|vm| {
        vm.running().iter().flat_map(move |run| {
            let blocked = |job: &&Job| matches!(job.state, JobState::Blocked(_));
            run.jobs.iter().filter(blocked).map(move |job| {
                let op = job.waiting_op();
                let site = Site {
                    uc: vm.uc,
                    page: run.number,
                    offset: op.at as u16,
                    mnemonic: op.op.info().mnemonic,
                };
                (
                    JobName {
                        uc: vm.uc,
                        page: run.number,
                        id: job.id,
                    },
                    job,
                    site,
                )
            })
        })
    })
}

pub(super) fn job_wait(
    machine: &Machine,
    array: &Array,
    names: &Names<'_>,
    name: JobName,
    block: Block,
    since: Cycle,
    site: Site,
) -> Waiting {
    let (on, by) = match block {
        Block::UcDma { .. } => ("a chain of uC-DMA descriptors".into(), Vec::new()),
        Block::UcDmaQueue => ("room in the queue of the uC-DMA".into(), Vec::new()),
        Block::Tokens { tile, actor, need } => {
            let loc = TileLoc::new(tile.column(), tile.row());
            let sender = sender_of(array, loc, actor);
            let left = machine.shared.tokens_left(tile, actor);
            let from = match sender {
                Some(party) => party.to_string(),
                None => format!("actor {actor} of tile {loc}, which is no DMA channel"),
            };
            let on = format!("{need} token(s) from {from} ({left} arrived)");
            (on, sender.map(Node::Part).into_iter().collect())
        }
        Block::LocalBarrier {
            barrier,
            participants,
        } => {
            let on = format!("{participants} jobs at local barrier {barrier}");
            (on, others_of_page(machine, name, block))
        }
        Block::RemoteBarrier { barrier, mask } => {
            let there = machine.shared.at_remote(barrier);
            let missing: Vec<u32> = (0..32)
                .filter(|uc| mask >> uc & 1 == 1 && !there.contains(uc))
                .collect();
            let on = format!(
                "controller(s) {} at remote barrier {}",
                list(&missing),
                barrier.wrapping_sub(1)
            );
            let jobs = blocked_jobs(machine).filter(|(job, _, _)| missing.contains(&job.uc));
            (on, jobs.map(|(job, _, _)| Node::Job(job)).collect())
        }
        Block::Poll {
            address,
            mask,
            value,
            ..
        } => {
            let (tile, offset) = array.device().split_address(address);
            let on = format!(
                "register 0x{offset:05x} of tile {tile} to become 0x{value:x} under mask 0x{mask:x}"
            );
            (on, Vec::new())
        }
        Block::Spin { address } => {
            let on = match array.device().register_at(address) {
                Some((tile, RegisterRef::LockRequest { id, value, .. })) => {
                    let now = array.lock_value(tile, id).unwrap_or(0);
                    format!("lock {id} of tile {tile} (operand {value}, it is {now})")
                }
                _ => format!("a lock at address 0x{address:x}"),
            };
            let others = blocked_jobs(machine).filter(|(job, _, _)| *job != name);
            (on, others.map(|(job, _, _)| Node::Job(job)).collect())
        }
        Block::SubProgram { page } => {
            let below = |job: &JobName| job.uc == name.uc && job.page >= page;
            let jobs = blocked_jobs(machine).map(|(job, _, _)| job).filter(below);
            (
                format!("the pages of a scope from page {page} on"),
                jobs.map(Node::Job).collect(),
            )
        }
        Block::Meeting => {
            let on = "all controllers to load as many configurations".into();
            let jobs = blocked_jobs(machine)
                .filter(|(_, job, _)| job.state != JobState::Blocked(Block::Meeting));
            (on, jobs.map(|(job, _, _)| Node::Job(job)).collect())
        }
    };
    let source = source_of(site, names.debug);
    let on = format!("{on} ({} at offset 0x{:X})", site.mnemonic, site.offset);
    Waiting {
        who: Node::Job(name),
        name: None,
        on,
        source,
        since,
        by,
    }
}

/// The channel that an actor id names.
pub(super) fn sender_of(array: &Array, tile: TileLoc, actor: u8) -> Option<Party> {
    let device = array.device();
    let kind = device.tile_kind(tile)?;
    let (dir, channel) = device.arch().actor_channel(kind, actor)?;
    Some(Party::Channel { tile, dir, channel })
}

/// Blocked jobs of the same page that are not at the same barrier.
fn others_of_page(machine: &Machine, name: JobName, block: Block) -> Vec<Node> {
    blocked_jobs(machine)
        .filter(|(job, state, _)| {
            (job.uc, job.page) == (name.uc, name.page) && state.state != JobState::Blocked(block)
        })
        .map(|(job, _, _)| Node::Job(job))
        .collect()
}

fn list(numbers: &[u32]) -> String {
    let texts: Vec<String> = numbers.iter().map(u32::to_string).collect();
    texts.join(", ")
}
