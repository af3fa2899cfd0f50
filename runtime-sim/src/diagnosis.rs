//! Why nothing can go on: who waits for whom, and what to do about it.
//!
//! Jobs, cores, DMA channels and switch ports that wait are nodes; an edge leads to each part
//! that could end the wait. A cycle of edges is a deadlock; without one, a chain of waits ends at
//! something that nobody will ever do (a task that was not started, a route that is missing), and
//! that is the likely cause.

use std::collections::BTreeMap;
use std::fmt;

use aiec_ctrlcode::debug::{DebugInfo, Direction, Resource, ResourceKind};
use aiec_ctrlcode::program::SourceLoc;
use aiec_device::{DmaDir, TileLoc};

use crate::array::{Array, Cause, Fault, FaultKind, Party, Wait};
use crate::cert::{Block, Job, JobState, Machine, Site};
use crate::time::Cycle;

/// Most waits of a chain in a report.
const MAX_CHAIN: usize = 64;

/// A job that waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct JobName {
    /// Controller.
    pub uc: u32,
    /// Page number.
    pub page: u16,
    /// Number of the job.
    pub id: u16,
}

impl fmt::Display for JobName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "job {} of controller {} (page {})",
            self.id, self.uc, self.page
        )
    }
}

/// Somebody who waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Node {
    /// A job of a controller.
    Job(JobName),
    /// A part of the array.
    Part(Party),
}

impl fmt::Display for Node {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Job(job) => write!(f, "{job}"),
            Self::Part(party) => write!(f, "{party}"),
        }
    }
}

/// One wait with its names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Waiting {
    /// Who.
    pub who: Node,
    /// Name in the source, if known.
    pub name: Option<String>,
    /// For what, in words.
    pub on: String,
    /// `file:line:column`, if known.
    pub source: Option<String>,
    /// Since when.
    pub since: Cycle,
    /// Who could end the wait.
    pub by: Vec<Node>,
}

impl fmt::Display for Waiting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.who)?;
        if let Some(name) = &self.name {
            write!(f, " '{name}'")?;
        }
        write!(f, " waits since cycle {} for {}", self.since, self.on)?;
        match &self.source {
            Some(source) => write!(f, " [{source}]"),
            None => Ok(()),
        }
    }
}

/// Why a run stands still.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Deadlock {
    /// The waits that explain it: a cycle, or a chain from a job to its cause.
    pub chain: Vec<Waiting>,
    /// The chain closes: its last wait is for its first.
    pub is_cycle: bool,
    /// Likely cause, in words.
    pub cause: String,
    /// A way out, in words.
    pub help: String,
    /// All waits.
    pub all: Vec<Waiting>,
}

/// Explains a run in which nothing can go on.
pub fn diagnose(machine: &Machine, array: &Array, debug: Option<&DebugInfo>) -> Deadlock {
    let names = Names { debug };
    let waits = array.waits();
    let mut all = Vec::new();
    let mut facts: BTreeMap<Node, Fact> = BTreeMap::new();
    for (name, job, op) in blocked_jobs(machine) {
        let JobState::Blocked(block) = job.state else {
            continue;
        };
        let waiting = job_wait(machine, array, &names, name, block, job.since, op);
        facts.insert(waiting.who, Fact::Job(block));
        all.push(waiting);
    }
    for wait in &waits {
        facts.insert(Node::Part(wait.who), Fact::Part(wait.on.clone()));
        all.push(part_wait(&names, wait));
    }
    let index: BTreeMap<Node, usize> = all.iter().enumerate().map(|(i, w)| (w.who, i)).collect();
    let (path, is_cycle) = explain(&all, &index);
    let chain: Vec<Waiting> = path.iter().map(|&i| all[i].clone()).collect();
    let (cause, help) = judge(&chain, is_cycle, &facts, &names);
    Deadlock {
        chain,
        is_cycle,
        cause,
        help,
        all,
    }
}

/// What is known of a node besides its words.
enum Fact {
    Job(Block),
    Part(Cause),
}

/// Source line of an instruction.
pub fn source_of(site: Site, debug: Option<&DebugInfo>) -> Option<String> {
    let debug = debug?;
    let lines = &debug.page(site.uc, site.page)?.lines;
    let line = lines.iter().find(|line| line.at == site.offset)?;
    debug.show(line.source)
}

/// Names of the channel or core that a fault of the array concerns.
pub fn concerned(fault: &Fault, debug: Option<&DebugInfo>) -> Vec<String> {
    let names = Names { debug };
    let found = match fault.kind {
        FaultKind::Dma {
            tile, dir, channel, ..
        }
        | FaultKind::TaskQueueOverflow {
            tile, dir, channel, ..
        } => names.of_party(Party::Channel { tile, dir, channel }),
        FaultKind::LockRange { tile, lock, .. } => names.lock(tile, lock),
        FaultKind::Core { tile, .. } => names.of_party(Party::Core(tile)),
        FaultKind::ControlPacket { .. } => None,
    };
    let describe = |resource: &Resource| {
        let sort = crate::run::sort_of(resource.kind);
        match names.show(resource.source) {
            Some(source) => format!("{sort} '{}', {source}", resource.name),
            None => format!("{sort} '{}'", resource.name),
        }
    };
    found.map(describe).into_iter().collect()
}

/// Look-up of names and lines.
struct Names<'a> {
    debug: Option<&'a DebugInfo>,
}

impl<'a> Names<'a> {
    fn resource(&self, tile: TileLoc, test: impl Fn(ResourceKind) -> bool) -> Option<&'a Resource> {
        let here = |r: &&Resource| (r.column, r.row) == (tile.col, tile.row) && test(r.kind);
        self.debug?.resources.iter().find(here)
    }

    fn lock(&self, tile: TileLoc, lock: u8) -> Option<&'a Resource> {
        self.resource(tile, |kind| kind == ResourceKind::Lock { id: lock })
    }

    fn of_party(&self, party: Party) -> Option<&'a Resource> {
        match party {
            Party::Core(tile) => self.resource(tile, |kind| kind == ResourceKind::Core),
            Party::Channel { tile, dir, channel } => {
                let direction = match dir {
                    DmaDir::S2mm => Direction::S2mm,
                    DmaDir::Mm2s => Direction::Mm2s,
                };
                self.resource(tile, |kind| {
                    kind == ResourceKind::Channel { direction, channel }
                })
            }
            Party::Slave { .. } | Party::Master { .. } | Party::Bus => None,
        }
    }

    fn show(&self, loc: Option<SourceLoc>) -> Option<String> {
        self.debug?.show(loc?)
    }
}

/// All blocked jobs with the site of the instruction they wait in.
fn blocked_jobs(machine: &Machine) -> impl Iterator<Item = (JobName, &Job, Site)> {
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

fn job_wait(
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
fn sender_of(array: &Array, tile: TileLoc, actor: u8) -> Option<Party> {
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

fn part_wait(names: &Names<'_>, wait: &Wait) -> Waiting {
    let resource = names.of_party(wait.who);
    let mut on = wait.on.to_string();
    let mut source = resource.and_then(|r| names.show(r.source));
    if let Cause::Lock { owner, lock, .. } = wait.on
        && let Some(lock) = names.lock(owner, lock)
    {
        on.push_str(&format!(" '{}'", lock.name));
        source = source.or_else(|| names.show(lock.source));
    }
    Waiting {
        who: Node::Part(wait.who),
        name: resource
            .map(|r| r.name.clone())
            .filter(|name| !name.is_empty()),
        on,
        source,
        since: wait.since,
        by: helpers(wait).into_iter().map(Node::Part).collect(),
    }
}

/// Who could end a wait of a part of the array.
fn helpers(wait: &Wait) -> Vec<Party> {
    match &wait.on {
        Cause::Lock { releasers, .. } => {
            let others = releasers.iter().filter(|party| **party != wait.who);
            others.copied().collect()
        }
        Cause::StreamData { from } => from.clone(),
        Cause::StreamSpace { to } => to.clone(),
        Cause::Arbiter { holder, .. } => holder.iter().copied().collect(),
        Cause::CascadeData { from: Some(core) } | Cause::CascadeSpace { to: Some(core) } => {
            vec![Party::Core(*core)]
        }
        _ => Vec::new(),
    }
}

/// A walk along first edges from the first waiting job: up to a node seen before (a cycle) or to
/// one that nobody can help.
fn explain(all: &[Waiting], index: &BTreeMap<Node, usize>) -> (Vec<usize>, bool) {
    let mut best: (Vec<usize>, bool) = (Vec::new(), false);
    let starts = (0..all.len()).filter(|&i| matches!(all[i].who, Node::Job(_)));
    for start in starts.chain(std::iter::once(0)).take(MAX_CHAIN) {
        let found = walk(all, index, start);
        let better = (found.1, found.0.len()) > (best.1, best.0.len());
        if better && !found.0.is_empty() {
            best = found;
        }
    }
    best
}

/// Depth-first search for a cycle; without one, the longest chain that the first edges give.
fn walk(all: &[Waiting], index: &BTreeMap<Node, usize>, start: usize) -> (Vec<usize>, bool) {
    if start >= all.len() {
        return (Vec::new(), false);
    }
    let edges = |i: usize| -> Vec<usize> {
        all[i]
            .by
            .iter()
            .filter_map(|node| index.get(node).copied())
            .collect()
    };
    let mut path = vec![start];
    let mut stack = vec![edges(start).into_iter()];
    let mut visited = vec![false; all.len()];
    visited[start] = true;
    let mut longest = path.clone();
    while let Some(top) = stack.last_mut() {
        match top.next() {
            Some(next) => {
                if let Some(at) = path.iter().position(|&i| i == next) {
                    return (path.split_off(at), true);
                }
                if !visited[next] && path.len() < MAX_CHAIN {
                    visited[next] = true;
                    path.push(next);
                    stack.push(edges(next).into_iter());
                    if path.len() > longest.len() {
                        longest.clone_from(&path);
                    }
                }
            }
            None => {
                stack.pop();
                path.pop();
            }
        }
    }
    (longest, false)
}

/// Likely cause and way out, from the end of the chain.
fn judge(
    chain: &[Waiting],
    is_cycle: bool,
    facts: &BTreeMap<Node, Fact>,
    names: &Names<'_>,
) -> (String, String) {
    let Some(last) = chain.last() else {
        let cause = "nothing waits, but not all jobs have ended".into();
        return (cause, "report this: the simulator lost a job".into());
    };
    if is_cycle {
        return judge_cycle(chain, facts);
    }
    let who = display(last);
    match facts.get(&last.who) {
        Some(Fact::Job(Block::Tokens { .. })) => judge_tokens(last),
        Some(Fact::Job(Block::LocalBarrier { participants, .. })) => (
            format!("{who}: fewer than {participants} jobs of the page come to the barrier"),
            "make the number of participants that of the jobs that use the barrier".into(),
        ),
        Some(Fact::Job(Block::RemoteBarrier { .. })) => (
            format!("{who}: a controller of the party mask never comes to the barrier"),
            "give each controller of the mask a job with that barrier, or take it out".into(),
        ),
        Some(Fact::Job(Block::Poll { .. })) => (
            format!("{who}: the register never gets that value"),
            "check address, mask and value".into(),
        ),
        Some(Fact::Job(_)) | None => (
            format!("{who} waits for {}", last.on),
            "see the list of all waits".into(),
        ),
        Some(Fact::Part(cause)) => judge_part(last, cause, names),
    }
}

fn display(waiting: &Waiting) -> String {
    match &waiting.name {
        Some(name) => format!("{} '{name}'", waiting.who),
        None => waiting.who.to_string(),
    }
}

fn judge_cycle(chain: &[Waiting], facts: &BTreeMap<Node, Fact>) -> (String, String) {
    let parties: Vec<String> = chain.iter().map(display).collect();
    let cause = format!("a cycle of waits: {} → {}", parties.join(" → "), parties[0]);
    let any =
        |test: &dyn Fn(&Fact) -> bool| chain.iter().any(|w| facts.get(&w.who).is_some_and(test));
    let locks = any(&|f| matches!(f, Fact::Part(Cause::Lock { .. })));
    let streams = any(&|f| {
        matches!(
            f,
            Fact::Part(Cause::StreamSpace { .. } | Cause::StreamData { .. })
        )
    });
    let help = match (locks, streams) {
        (true, true) => {
            "give the fifo more depth, or let the core release what it holds before it waits: a \
             stream is blocked by a buffer that is only freed when the stream goes on"
        }
        (true, false) => {
            "acquire the locks in the same order everywhere, give the producer's lock its initial \
             value (the depth), or use more buffers"
        }
        (false, true) => "more buffering between the two sides, or another order of transfers",
        (false, false) => "let one side of the cycle go first",
    };
    (cause, help.into())
}

fn judge_tokens(last: &Waiting) -> (String, String) {
    let cause = match last.by.first() {
        Some(sender) => format!(
            "{} waits for more tokens than {sender} sends: the channel is idle and all its tasks \
             are done",
            last.who
        ),
        None => format!("{} waits for tokens of an actor that no tile has", last.who),
    };
    let help = "start the task with a token (issue_token), wait once for each task, and use the \
                actor id of this target";
    (cause, help.into())
}

fn judge_part(last: &Waiting, cause: &Cause, names: &Names<'_>) -> (String, String) {
    let who = display(last);
    match cause {
        Cause::Lock {
            owner, lock, value, ..
        } => {
            let name = names.lock(*owner, *lock).map(|r| format!(" '{}'", r.name));
            let name = name.unwrap_or_default();
            (
                format!(
                    "{who} waits for lock {lock}{name} of tile {owner}, which stays at {value}: \
                     nobody who could release it is running"
                ),
                "check the lock's initial value, and that each acquire has its release; a core \
                 that has ended or was never enabled releases nothing"
                    .into(),
            )
        }
        Cause::Task { pending: true } => (
            format!("words stand at {who}, but no task was started on it"),
            "start a transfer that takes them, or send less".into(),
        ),
        Cause::Task { pending: false } => (
            format!("{who} has done all its tasks; whoever waits for it wants more"),
            "make the transfers of both sides equally long, or start another task".into(),
        ),
        Cause::StreamData { .. } => (
            format!("{who} waits for words that nobody sends"),
            "start the sender, or make the transfers of both sides equally long".into(),
        ),
        Cause::StreamSpace { .. } => (
            format!("{who} cannot send: nobody takes the words"),
            "start the receiver, or make the transfers of both sides equally long".into(),
        ),
        Cause::NoConnection | Cause::ShimMux | Cause::NoRule { .. } | Cause::NoMaster { .. } => (
            format!("the words of {who} have no way to go: it wants {cause}"),
            "route the flow, or check packet ids and masks".into(),
        ),
        _ => (
            format!("{who} waits for {cause}"),
            "see the list of all waits".into(),
        ),
    }
}

fn list(numbers: &[u32]) -> String {
    let texts: Vec<String> = numbers.iter().map(u32::to_string).collect();
    texts.join(", ")
}
