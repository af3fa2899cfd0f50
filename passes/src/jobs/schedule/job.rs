//! A job's instructions, and the work that it does while transfers are pending.

use aiec_aie::ir::Loc;
use aiec_cert::isa::{Barrier, Op, SymOp};
use aiec_cert::program::{JobKind, Phase};
use aiec_device::DeviceModel;
use aiec_device::regmap::RegisterRef;
use rustc_hash::FxHashSet;

use super::Scheduler;
use crate::jobs::Jobs;
use crate::jobs::barriers::SyncPoint;
use crate::jobs::encode::{JobBuilder, in_run, instructions};
use crate::jobs::graph::NodeKind;
use crate::jobs::pages::PageItem;
use crate::jobs::plan::PlanJob;
use crate::regops::{RegAction, RegOp};

impl Scheduler<'_> {
    /// The instructions of a job.
    pub(super) fn job(&mut self, mut elements: Vec<Element>, phase: Phase) -> PlanJob {
        let overlaps = self.jobs == Jobs::Parallel;
        let mut early = FxHashSet::default();
        if overlaps && phase == Phase::Run {
            early = self.move_up(&mut elements);
        }
        let (graph, model) = (self.graph, self.model);
        let kind = |node: usize| match graph.nodes.get(node).filter(|_| overlaps) {
            Some(node) => kind_of(node.kind),
            None => ORDERED_KIND,
        };
        let mut code = JobBuilder {
            plan: &mut self.plan,
            list: Vec::new(),
        };
        let mut elements = elements.into_iter().peekable();
        // A chain that was started for what comes after the next wait.
        let mut started: Option<Loc> = None;
        while let Some(element) = elements.next() {
            let (op, node) = match element {
                Element::Item(PageItem::Op { op, node }) if in_run(&op) => (op, node),
                other => {
                    let (ops, loc) = singles(model, other);
                    for op in ops {
                        let waits = matches!(op, Op::WaitTcts { .. } | Op::MaskPoll32 { .. });
                        if let Some(loc) = started.take_if(|_| !waits) {
                            code.wait_for_chain(loc);
                        }
                        code.push(op, loc);
                    }
                    continue;
                }
            };
            let (loc, mine, prefetch) = (op.loc, kind(node), early.contains(&node));
            let mut run = vec![op];
            let same = |element: &Element| match element {
                Element::Item(PageItem::Op { op, node }) => {
                    in_run(op) && early.contains(node) == prefetch && kind(*node) == mine
                }
                _ => false,
            };
            while let Some(Element::Item(PageItem::Op { op, .. })) = elements.next_if(same) {
                run.push(op);
            }
            if prefetch {
                code.start_run(run);
                started = Some(loc);
                continue;
            }
            if let Some(loc) = started.take() {
                code.wait_for_chain(loc);
            }
            if FREE_KINDS.contains(&mine) {
                code.shared_run(run, &|address| !is_switch(model, address))
            } else {
                code.run(run)
            }
        }
        if let Some(loc) = started {
            code.wait_for_chain(loc);
        }
        PlanJob {
            id: 0,
            kind: JobKind::Immediate,
            phase,
            loc: code.list.first().map_or(Loc::UNKNOWN, |(_, loc)| *loc),
            code: code.list,
        }
    }

    /// Moves images in front of the waits before them, as far as their edges let them: they are
    /// written while tokens are pending. Returns the nodes that moved.
    fn move_up(&self, elements: &mut Vec<Element>) -> FxHashSet<usize> {
        let mut moved = FxHashSet::default();
        let is_wait = |element: &Element| {
            matches!(
                element,
                Element::Item(PageItem::Op {
                    op: RegOp {
                        action: RegAction::Wait { .. } | RegAction::Poll { .. },
                        ..
                    },
                    ..
                })
            )
        };
        // Last place with a wait, and the first of the waits that end there.
        let mut waits: Option<(usize, usize)> = None;
        let mut at = 0;
        while at < elements.len() {
            if is_wait(&elements[at]) {
                waits = match waits {
                    Some((first, last)) if last + 1 == at => Some((first, at)),
                    _ => Some((at, at)),
                };
            } else if matches!(
                elements[at],
                Element::Local { .. }
                    | Element::Launch { .. }
                    | Element::Item(PageItem::Meet { .. })
            ) {
                waits = None;
            } else if let (Some((first, last)), Element::Item(PageItem::Op { node, .. })) =
                (waits, &elements[at])
                && self.graph.nodes[*node].hoistable
            {
                let node = *node;
                let before = self.incoming.get(&node).map_or(&[][..], Vec::as_slice);
                let free = elements[first..at].iter().all(|other| match other {
                    Element::Item(PageItem::Op { node, .. }) => !before.contains(node),
                    _ => false,
                });
                if free {
                    let image = elements.remove(at);
                    elements.insert(first, image);
                    moved.insert(node);
                    waits = Some((first + 1, last + 1));
                }
            }
            at += 1;
        }
        moved
    }
}

/// Part of a job.
#[derive(Clone, Debug)]
pub(super) enum Element {
    /// An operation, or a meeting of controllers.
    Item(PageItem),
    /// A meeting of jobs.
    Local {
        /// Number of its barrier.
        id: u8,
        /// Number of jobs.
        jobs: u8,
    },
    /// Another job of the page begins.
    Launch {
        /// Which, by place on the page until all are numbered.
        job_id: u16,
    },
}

impl Element {
    /// A job's element for a meeting; none in the job that the meeting launches.
    pub(super) fn of_sync_point(meeting: &SyncPoint, lane: u32) -> Option<Element> {
        match (meeting.launch, meeting.parties.last()) {
            (true, Some(job)) if *job == lane => None,
            (true, Some(job)) => Some(Element::Launch {
                job_id: *job as u16,
            }),
            _ => Some(Element::Local {
                id: meeting.id,
                jobs: u8::try_from(meeting.parties.len()).unwrap_or(u8::MAX),
            }),
        }
    }
}

/// The instructions of an element that isn't a part of a run.
fn singles(model: &'static DeviceModel, element: Element) -> (Vec<SymOp>, Loc) {
    match element {
        Element::Item(PageItem::Op { op, .. }) => {
            // `sequence` and `configure` make only operations that have instructions.
            let instructions = instructions(model, &op.action).unwrap_or_default();
            (instructions, op.loc)
        }
        Element::Item(PageItem::Meet { id, parties, loc }) => {
            (vec![PageItem::remote_barrier(id, parties)], loc)
        }
        Element::Local { id, jobs } => {
            let barrier = Op::LocalBarrier {
                barrier: Barrier::local(id),
                num_participants: jobs,
            };
            (vec![barrier], Loc::UNKNOWN)
        }
        Element::Launch { job_id } => (vec![Op::LaunchJob { job_id }], Loc::UNKNOWN),
    }
}

/// Kind of a node: operations of different kinds are never in one run.
pub(super) fn kind_of(what: NodeKind) -> u8 {
    match what {
        NodeKind::Hold(_) => 0,
        NodeKind::Setup(_) => 1,
        NodeKind::Start(tile) if tile.row != 0 => 2,
        NodeKind::Release(_) => 2,
        _ => ORDERED_KIND,
    }
}

/// The kind of operations that are done in program order.
pub(super) const ORDERED_KIND: u8 = 3;

/// Kinds whose operations may be done in any order.
const FREE_KINDS: [u8; 2] = [1, 2];

/// Whether an address is a register of a switch. Outputs are connected before the inputs that
/// feed them, so that no word goes to some of them only.
fn is_switch(model: &DeviceModel, address: u32) -> bool {
    matches!(
        model.register_at(address),
        Some((
            _,
            RegisterRef::MasterConfig { .. }
                | RegisterRef::SlaveConfig { .. }
                | RegisterRef::SlaveSlot { .. }
        ))
    )
}
