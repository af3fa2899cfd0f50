//! From the dependence graph to a plan: where controllers meet, which jobs a page has, and which
//! operations move up.
//!
//! This file decides the steps of each controller, and where it meets others; `page` divides a page
//! into jobs, `job` makes a job's instructions.

mod job;
mod page;

use std::collections::BTreeSet;

use aiec_aie::ir::Loc;
use aiec_cert::isa::Op;
use aiec_cert::program::{JobKind, Phase};
use aiec_device::DeviceModel;
use rustc_hash::FxHashMap;

use super::Jobs;
use super::barriers::{SyncPoint, missing, number, places, prune};
use super::graph::{BARRIER_PARTIES, Edge, Graph};
use super::pages::{PageItem, Pager, Placement};
use super::plan::{ControllerPlan, Page, Plan, PlanJob, Section};
use crate::regops::RegOp;
use job::{ORDERED_KIND, kind_of};

/// Numbers of remote barriers that are used. The ISA's texts document 64, then 8 (`$rb0` to
/// `$rb7`; aiebu: specification/aie2ps/isa-spec.yaml).
const REMOTE_BARRIERS: u8 = 8;

/// Numbers of remote barriers that are kept for meetings of all controllers, where there are any.
const SYNC_POINTS_OF_ALL: u8 = 2;

/// Lane of the configuration, and of pages that aren't divided.
const MAIN: u64 = 0;

/// Node of the writes that bring the array to where a configuration begins: it is in no graph.
const LEAVE: usize = usize::MAX;

/// Makes the plan.
pub fn schedule(model: &'static DeviceModel, graph: &Graph, jobs: Jobs) -> Plan {
    let phase = LoadPhase {
        graph,
        leave: &[],
        load: None,
    };
    schedule_phases(model, &[phase], jobs)
}

/// A device that is loaded, and the operations of that time.
pub struct LoadPhase<'a> {
    /// Its configuration and sequence.
    pub graph: &'a Graph,
    /// Writes that bring the array to where the configuration begins, by controller; all have done
    /// a stage before one begins the next, and the last one before the configuration begins.
    pub leave: &'a [Vec<Vec<RegOp>>],
    /// Whether LOAD_PDI does that and the configuration.
    pub load: Option<PdiLoad<'a>>,
}

/// LOAD_PDI instruction that loads a device.
#[derive(Clone, Copy)]
pub struct PdiLoad<'a> {
    /// Number of the load.
    pub pdi: u32,
    /// Name of the device: its section is made once.
    pub name: &'a str,
}

/// Makes the plan of several devices, one after the other.
pub fn schedule_phases(model: &'static DeviceModel, phases: &[LoadPhase<'_>], jobs: Jobs) -> Plan {
    // All controllers meet at numbers of their own, in turn.
    let ids = match phases.len() {
        0 | 1 => REMOTE_BARRIERS,
        _ => REMOTE_BARRIERS - SYNC_POINTS_OF_ALL,
    };
    let mut ucs: BTreeSet<u32> = BTreeSet::new();
    let mut prepared = Vec::with_capacity(phases.len());
    for phase in phases {
        ucs.extend(phase.graph.nodes.iter().map(|node| node.uc));
        for (uc, ops) in phase
            .leave
            .iter()
            .flat_map(|stage| stage.iter().enumerate())
        {
            ucs.extend((!ops.is_empty()).then_some(uc as u32));
        }
        prepared.push((
            remote_sync_points_below(phase.graph, ids),
            incoming(phase.graph),
        ));
    }
    // Where all meet, no controller is beyond the mask.
    let bits = ucs.iter().filter(|uc| **uc < BARRIER_PARTIES);
    let everyone = bits.fold(0, |mask, uc| mask | 1 << uc);
    let everyone = Some(everyone).filter(|_| ucs.len() > 1);
    let mut plan = Plan::default();
    for uc in ucs {
        let mut controller = ControllerPlan {
            uc,
            ..ControllerPlan::default()
        };
        let (mut local_used, mut met) = (0, 0);
        for (phase, (meetings, incoming)) in phases.iter().zip(&prepared) {
            let mut scheduler = Scheduler {
                model,
                graph: phase.graph,
                jobs,
                incoming,
                plan: std::mem::take(&mut plan),
                local_used,
                everyone,
                met,
            };
            scheduler.phase(&mut controller, phase, meetings);
            (local_used, met) = (scheduler.local_used, scheduler.met);
            plan = scheduler.plan;
        }
        number_jobs(&mut controller);
        plan.controllers.push(controller);
    }
    plan.name_chains();
    plan
}

/// Where controllers meet.
pub fn remote_sync_points(graph: &Graph) -> Vec<SyncPoint> {
    remote_sync_points_below(graph, REMOTE_BARRIERS)
}

/// Same as [`remote_sync_points`], with a given number of barrier ids.
fn remote_sync_points_below(graph: &Graph, ids: u8) -> Vec<SyncPoint> {
    // A sequence comes after what its controller waits for in the configuration: before its
    // first node, whichever lane needs it.
    let mut first: FxHashMap<u32, usize> = FxHashMap::default();
    for (at, node) in graph.nodes.iter().enumerate() {
        if !node.configures {
            first.entry(node.uc).or_insert(at);
        }
    }
    let place = |edge: &Edge| {
        let (from, to) = (&graph.nodes[edge.from], &graph.nodes[edge.to]);
        let start = first.get(&to.uc).copied().unwrap_or(edge.to);
        if from.configures && !to.configures {
            (edge.from, start)
        } else {
            (edge.from, edge.to)
        }
    };
    let early: Vec<(usize, usize)> = graph.remote_edges().map(place).collect();
    let party = |node: usize| graph.nodes[node].uc;
    let mut list = places(&party, &early);
    // Where it meets later anyway, that may do for what it waits for.
    let edges = graph.remote_edges().map(|edge| (edge.from, edge.to));
    let edges: Vec<(usize, usize)> = edges.collect();
    prune(&party, &edges, &mut list);
    number(&mut list, ids);
    debug_assert_eq!(missing(&party, &edges, &list), [], "unmet edges");
    list
}

/// Edges by their end.
fn incoming(graph: &Graph) -> FxHashMap<usize, Vec<usize>> {
    let mut incoming: FxHashMap<usize, Vec<usize>> = FxHashMap::default();
    for edge in &graph.edges {
        incoming.entry(edge.to).or_default().push(edge.from);
    }
    incoming
}

struct Scheduler<'a> {
    model: &'static DeviceModel,
    graph: &'a Graph,
    jobs: Jobs,
    incoming: &'a FxHashMap<usize, Vec<usize>>,
    plan: Plan,
    /// Local barriers that the controller uses so far.
    local_used: u8,
    /// Bits of all controllers, if there are several.
    everyone: Option<u32>,
    /// Number of this controller's meetings with all others so far.
    met: usize,
}

impl Scheduler<'_> {
    /// Adds the steps of a controller for a device.
    fn phase(
        &mut self,
        controller: &mut ControllerPlan,
        phase: &LoadPhase<'_>,
        meetings: &[SyncPoint],
    ) {
        let uc = controller.uc;
        let (config, sequence) = self.steps(uc, meetings, phase.load.is_some());
        let mut load: Vec<PageItem> = Vec::new();
        for stage in phase.leave {
            let ops = stage.get(uc as usize).into_iter().flatten().cloned();
            load.extend(ops.map(|op| PageItem::Op { op, node: LEAVE }));
            load.extend(self.meet());
        }
        load.extend(config);
        match &phase.load {
            Some(wanted) => {
                let name = match self.jobs {
                    Jobs::Single => wanted.name.to_string(),
                    Jobs::PerColumn | Jobs::Parallel => format!("{}_{uc}", wanted.name),
                };
                let known = controller.sections.iter().position(|s| s.name == name);
                let section = known.unwrap_or_else(|| {
                    let pages = self.pages(load, Phase::Configure);
                    controller.sections.push(Section { name, pages });
                    controller.sections.len() - 1
                });
                let load = Op::LoadPdi {
                    pdi_id: wanted.pdi,
                    scope: ControllerPlan::section_scope(section),
                };
                controller.pages.push(vec![PlanJob {
                    id: 0,
                    kind: JobKind::Immediate,
                    phase: Phase::Configure,
                    code: vec![(load, Loc::UNKNOWN)],
                    loc: Loc::UNKNOWN,
                }]);
            }
            None => {
                let pages = self.pages(load, Phase::Configure);
                controller.pages.extend(pages);
            }
        }
        let pages = self.pages(sequence, Phase::Run);
        controller.pages.extend(pages);
    }

    /// A meeting of all controllers. Consecutive meetings have different numbers, so that no
    /// controller comes to the second while others still leave the first.
    fn meet(&mut self) -> Option<PageItem> {
        let parties = self.everyone?;
        let id = REMOTE_BARRIERS - 1 - (self.met % usize::from(SYNC_POINTS_OF_ALL)) as u8;
        self.met += 1;
        let loc = Loc::UNKNOWN;
        Some(PageItem::Meet { id, parties, loc })
    }

    fn pages(&mut self, steps: Vec<PageItem>, phase: Phase) -> Vec<Page> {
        let of = |node: usize| self.placement(node);
        let packed = Pager::new(self.model, &of).pack(steps);
        let pages = packed.into_iter().map(|steps| self.page(steps, phase));
        pages.collect()
    }

    /// Steps of a controller: configuration and sequence. Where they are `apart`, in different
    /// parts of the code, a meeting is in the same part for all.
    fn steps(
        &self,
        uc: u32,
        meetings: &[SyncPoint],
        apart: bool,
    ) -> (Vec<PageItem>, Vec<PageItem>) {
        let first = self.graph.first_of_sequence();
        let in_config = |meeting: &SyncPoint, none_yet: bool| {
            if apart {
                meeting.before < first
            } else {
                none_yet
            }
        };
        let mut config = Vec::new();
        let mut sequence = Vec::new();
        let mine = meetings.iter().filter(|m| m.parties.contains(&uc));
        let mut mine = mine.peekable();
        for (at, node) in self.graph.nodes.iter().enumerate() {
            if node.uc != uc {
                continue;
            }
            let loc = node.ops.first().map_or(Loc::UNKNOWN, |op| op.loc);
            // A meeting of the sequence before its first operation ends the configuration.
            while let Some(meeting) = mine.next_if(|m| m.before <= at) {
                let steps = if in_config(meeting, sequence.is_empty()) {
                    &mut config
                } else {
                    &mut sequence
                };
                steps.push(step_of(meeting, loc));
            }
            let steps = if node.configures {
                &mut config
            } else {
                &mut sequence
            };
            let ops = node.ops.iter().cloned();
            steps.extend(ops.map(|op| PageItem::Op { op, node: at }));
        }
        for meeting in mine {
            let steps = if in_config(meeting, sequence.is_empty()) {
                &mut config
            } else {
                &mut sequence
            };
            steps.push(step_of(meeting, Loc::UNKNOWN));
        }
        (config, sequence)
    }

    /// Facts about a node that the pager needs.
    fn placement(&self, node: usize) -> Placement {
        let Some(node) = self.graph.nodes.get(node) else {
            return Placement {
                lane: MAIN,
                kind: ORDERED_KIND,
                may_be_apart: false,
            };
        };
        let parallel = self.jobs == Jobs::Parallel;
        Placement {
            lane: if parallel && !node.configures {
                node.component as u64
            } else {
                MAIN
            },
            kind: kind_of(node.kind),
            may_be_apart: parallel && node.hoistable,
        }
    }
}

/// Numbers the jobs of each scope from 1, page after page, with those that others launch.
fn number_jobs(controller: &mut ControllerPlan) {
    let sections = controller
        .sections
        .iter_mut()
        .map(|section| &mut section.pages);
    for pages in std::iter::once(&mut controller.pages).chain(sections) {
        let mut first: u16 = 1;
        for page in pages {
            // Numbers are unique on a page: where they end, they begin again.
            let next = first.checked_add(page.len() as u16);
            first = next.map_or(1, |_| first);
            for (at, job) in page.iter_mut().enumerate() {
                job.id = first + at as u16;
                for (op, _) in &mut job.code {
                    if let Op::LaunchJob { job_id } = op {
                        *job_id += first;
                    }
                }
            }
            first += page.len() as u16;
        }
    }
}

fn step_of(meeting: &SyncPoint, loc: Loc) -> PageItem {
    let bits = meeting.parties.iter().filter(|uc| **uc < BARRIER_PARTIES);
    PageItem::Meet {
        id: meeting.id,
        parties: bits.fold(0, |mask, uc| mask | 1 << uc),
        loc,
    }
}
