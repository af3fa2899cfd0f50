//! From the dependence graph to a plan: who meets where, which jobs a page has, and what moves up.

use std::collections::{BTreeMap, BTreeSet};

use aiec_device::DeviceModel;
use aiec_device::regmap::RegisterRef;
use aiec_dialect::ir::Loc;
use rustc_hash::{FxHashMap, FxHashSet};

use super::Jobs;
use super::barriers::{Meeting, meetings, missing};
use super::encode::{Code, in_run, instruction};
use super::graph::{BARRIER_PARTIES, EVERYTHING, Edge, Graph, What};
use super::pages::{Pager, Place, Step};
use super::plan::{Group, Instruction, Job, Page, Plan, Section};
use super::size;
use crate::register_ops::{RegAction, RegOp};

/// Numbers of remote barriers that are used. The ISA's texts document 64, then 8 (`$rb0` to
/// `$rb7`; aiebu: specification/aie2ps/isa-spec.yaml).
const REMOTE_BARRIERS: u8 = 8;

/// Numbers of remote barriers that are kept for meetings of all controllers, where there are any.
const MEETINGS_OF_ALL: u8 = 2;

/// Numbers of local barriers. An assembler takes all users of a number for one group that shares
/// a page, so that a controller uses each on one page only.
const LOCAL_BARRIERS: u8 = 16;

/// Lane of the configuration, and of pages that aren't divided.
const MAIN: u64 = 0;

/// Node of what brings the array to where a configuration begins: it is in no graph.
const LEAVE: usize = usize::MAX;

/// Makes the plan.
pub fn schedule(model: &'static DeviceModel, graph: &Graph, jobs: Jobs) -> Plan {
    let phase = Phase {
        graph,
        leave: &[],
        load: None,
    };
    schedule_phases(model, &[phase], jobs)
}

/// A device that is loaded, and what is done then.
pub struct Phase<'a> {
    /// Its configuration and sequence.
    pub graph: &'a Graph,
    /// What brings the array to where the configuration begins, by controller; all have done a
    /// stage before one begins the next, and the last one before the configuration begins.
    pub leave: &'a [BTreeMap<u32, Vec<RegOp>>],
    /// Whether LOAD_PDI does that and the configuration.
    pub load: Option<Load<'a>>,
}

/// How a device is loaded.
#[derive(Clone, Copy)]
pub struct Load<'a> {
    /// Number of the load.
    pub pdi: u32,
    /// Name of the device: its section is made once.
    pub name: &'a str,
}

/// Makes the plan of several devices, one after the other.
pub fn schedule_phases(model: &'static DeviceModel, phases: &[Phase<'_>], jobs: Jobs) -> Plan {
    // All controllers meet at numbers of their own, in turn.
    let ids = match phases.len() {
        0 | 1 => REMOTE_BARRIERS,
        _ => REMOTE_BARRIERS - MEETINGS_OF_ALL,
    };
    let mut ucs: BTreeSet<u32> = BTreeSet::new();
    let mut prepared = Vec::with_capacity(phases.len());
    for phase in phases {
        ucs.extend(phase.graph.nodes.iter().map(|node| node.uc));
        ucs.extend(phase.leave.iter().flat_map(|stage| stage.keys()));
        prepared.push((
            remote_meetings_below(phase.graph, ids),
            incoming(phase.graph),
        ));
    }
    // Where all meet, no controller is beyond the mask.
    let bits = ucs.iter().filter(|uc| **uc < BARRIER_PARTIES);
    let everyone = bits.fold(0, |mask, uc| mask | 1 << uc);
    let everyone = Some(everyone).filter(|_| ucs.len() > 1);
    let mut plan = Plan::default();
    for uc in ucs {
        let mut group = Group {
            uc,
            ..Group::default()
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
            scheduler.phase(&mut group, phase, meetings);
            (local_used, met) = (scheduler.local_used, scheduler.met);
            plan = scheduler.plan;
        }
        plan.groups.push(group);
    }
    plan
}

/// Where controllers meet.
pub fn remote_meetings(graph: &Graph) -> Vec<Meeting> {
    remote_meetings_below(graph, REMOTE_BARRIERS)
}

/// As [`remote_meetings`], with so many numbers of barriers.
fn remote_meetings_below(graph: &Graph, ids: u8) -> Vec<Meeting> {
    // A sequence comes behind what its controller waits for in the configuration: before its
    // first node, whichever lane needs it.
    let mut first: BTreeMap<u32, usize> = BTreeMap::new();
    for (at, node) in graph.nodes.iter().enumerate() {
        if !node.configures {
            first.entry(node.uc).or_insert(at);
        }
    }
    let place = |edge: &Edge| {
        let (from, to) = (&graph.nodes[edge.from], &graph.nodes[edge.to]);
        let start = first.get(&to.uc).copied().unwrap_or(edge.to);
        match from.configures && !to.configures {
            true => (edge.from, start),
            false => (edge.from, edge.to),
        }
    };
    let edges: Vec<(usize, usize)> = graph.remote_edges().map(place).collect();
    let party = |node: usize| graph.nodes[node].uc;
    let list = meetings(&party, &edges, ids);
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
    /// How often the controller met all others so far.
    met: usize,
}

impl Scheduler<'_> {
    /// Adds what a controller does for a device.
    fn phase(&mut self, group: &mut Group, phase: &Phase<'_>, meetings: &[Meeting]) {
        let uc = group.uc;
        let (config, sequence) = self.steps(uc, meetings, phase.load.is_some());
        let mut load: Vec<Step> = Vec::new();
        for stage in phase.leave {
            let ops = stage.get(&uc).into_iter().flatten().cloned();
            load.extend(ops.map(|op| Step::Op { op, node: LEAVE }));
            load.extend(self.meet());
        }
        load.extend(config);
        match &phase.load {
            Some(wanted) => {
                let known = group.sections.iter().position(|s| s.name == wanted.name);
                let section = known.unwrap_or_else(|| {
                    let pages = self.pages(load, true);
                    let name = wanted.name.to_string();
                    group.sections.push(Section { name, pages });
                    group.sections.len() - 1
                });
                let pdi = wanted.pdi;
                let code = vec![(Instruction::Load { pdi, section }, Loc::UNKNOWN)];
                let configures = true;
                group.pages.push(vec![Job { code, configures }]);
            }
            None => {
                let pages = self.pages(load, true);
                group.pages.extend(pages);
            }
        }
        let pages = self.pages(sequence, false);
        group.pages.extend(pages);
    }

    /// A meeting of all controllers. Two that follow one another have different numbers, so that
    /// nobody comes to the second while others still leave the first.
    fn meet(&mut self) -> Option<Step> {
        let parties = self.everyone?;
        let id = REMOTE_BARRIERS - 1 - (self.met % usize::from(MEETINGS_OF_ALL)) as u8;
        self.met += 1;
        let loc = Loc::UNKNOWN;
        Some(Step::Meet { id, parties, loc })
    }

    fn pages(&mut self, steps: Vec<Step>, configures: bool) -> Vec<Page> {
        let of = |node: usize| self.place(node);
        let packed = Pager::new(&of).pack(steps);
        let pages = packed.into_iter().map(|steps| self.page(steps, configures));
        pages.collect()
    }

    /// What a controller does: configuration and sequence. Where they stand `apart`, in different
    /// parts of the code, a meeting is in the same part for all.
    fn steps(&self, uc: u32, meetings: &[Meeting], apart: bool) -> (Vec<Step>, Vec<Step>) {
        let first = self.graph.first_of_sequence();
        let in_config = |meeting: &Meeting, none_yet: bool| match apart {
            true => meeting.before < first,
            false => none_yet,
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
            // What the sequence meets for before its first operation ends the configuration.
            while let Some(meeting) = mine.next_if(|m| m.before <= at) {
                let steps = match in_config(meeting, sequence.is_empty()) {
                    true => &mut config,
                    false => &mut sequence,
                };
                steps.push(step_of(meeting, loc));
            }
            let steps = match node.configures {
                true => &mut config,
                false => &mut sequence,
            };
            let ops = node.ops.iter().cloned();
            steps.extend(ops.map(|op| Step::Op { op, node: at }));
        }
        for meeting in mine {
            let steps = match in_config(meeting, sequence.is_empty()) {
                true => &mut config,
                false => &mut sequence,
            };
            steps.push(step_of(meeting, Loc::UNKNOWN));
        }
        (config, sequence)
    }

    /// What the pager needs to know of a node.
    fn place(&self, node: usize) -> Place {
        let Some(node) = self.graph.nodes.get(node) else {
            return Place {
                lane: MAIN,
                kind: ORDERED_KIND,
                extra: 0,
            };
        };
        let parallel = self.jobs == Jobs::Parallel;
        let moves = parallel && node.floats;
        Place {
            lane: match parallel && !node.configures {
                true => node.component as u64,
                false => MAIN,
            },
            kind: kind_of(node.what),
            extra: match moves {
                true => size::UC_DMA_WRITE_DES + size::WAIT_UC_DMA,
                false => 0,
            },
        }
    }

    fn page(&mut self, steps: Vec<Step>, configures: bool) -> Page {
        let lanes = self.lanes(&steps, configures);
        if lanes.iter().any(|lane| *lane != 0) {
            let before = (self.plan.mark(), self.local_used);
            let page = self.divided(&steps, &lanes);
            if let Some(page) = page.filter(|page| self.plan.page_bytes(page) <= size::PAGE) {
                return page;
            }
            self.plan.back_to(before.0);
            self.local_used = before.1;
        }
        let elements = steps.into_iter().map(Element::Step).collect();
        vec![self.job(elements, configures)]
    }

    /// The job of each step: one for each component, if the page can be divided.
    fn lanes(&self, steps: &[Step], configures: bool) -> Vec<u32> {
        let whole = vec![0; steps.len()];
        if self.jobs != Jobs::Parallel || configures {
            return whole;
        }
        let mut numbers: FxHashMap<usize, u32> = FxHashMap::default();
        let mut lanes = Vec::with_capacity(steps.len());
        for step in steps {
            let Step::Op { node, .. } = step else {
                return whole;
            };
            let component = self.graph.nodes[*node].component;
            if component == EVERYTHING {
                return whole;
            }
            let next = numbers.len() as u32;
            lanes.push(*numbers.entry(component).or_insert(next));
        }
        lanes
    }

    /// Several jobs with local barriers between them; `None` if there aren't enough.
    fn divided(&mut self, steps: &[Step], lanes: &[u32]) -> Option<Page> {
        let place: FxHashMap<usize, usize> = steps
            .iter()
            .enumerate()
            .filter_map(|(at, step)| match step {
                Step::Op { node, .. } => Some((*node, at)),
                Step::Meet { .. } => None,
            })
            .collect();
        let mut edges = Vec::new();
        for (node, to) in &place {
            let from = self.incoming.get(node).into_iter().flatten();
            edges.extend(from.filter_map(|from| Some((*place.get(from)?, *to))));
        }
        edges.sort_unstable();
        let party = |at: usize| lanes[at];
        let list = meetings(&party, &edges, LOCAL_BARRIERS);
        debug_assert_eq!(missing(&party, &edges, &list), [], "unmet edges");
        let numbers = list.iter().map(|m| m.id).collect::<BTreeSet<_>>();
        let taken = u8::try_from(numbers.len()).ok()?;
        if self.local_used + taken > LOCAL_BARRIERS {
            return None;
        }
        let base = self.local_used;
        self.local_used += taken;
        let id = |m: &Meeting| base + numbers.range(..m.id).count() as u8;
        let count = lanes.iter().max().map_or(1, |lane| lane + 1);
        let mut page = Page::new();
        for lane in 0..count {
            let mut elements = Vec::new();
            let mut mine = list.iter().filter(|m| m.parties.contains(&lane)).peekable();
            for (at, step) in steps
                .iter()
                .enumerate()
                .filter(|(at, _)| lanes[*at] == lane)
            {
                while let Some(meeting) = mine.next_if(|m| m.before <= at) {
                    elements.push(Element::local(meeting, id(meeting)));
                }
                elements.push(Element::Step(step.clone()));
            }
            elements.extend(mine.map(|meeting| Element::local(meeting, id(meeting))));
            page.push(self.job(elements, false));
        }
        Some(page)
    }

    /// The instructions of a job.
    fn job(&mut self, mut elements: Vec<Element>, configures: bool) -> Job {
        let overlaps = self.jobs == Jobs::Parallel;
        let mut early = FxHashSet::default();
        if overlaps && !configures {
            early = self.move_up(&mut elements);
        }
        let (graph, model) = (self.graph, self.model);
        let mut code = Code {
            plan: &mut self.plan,
            list: Vec::new(),
        };
        let mut elements = elements.into_iter().peekable();
        // A chain that was started for what comes behind the next wait.
        let mut started: Option<Loc> = None;
        while let Some(element) = elements.next() {
            match element {
                Element::Step(Step::Op { op, node }) if in_run(&op) => {
                    let prefetch = early.contains(&node);
                    let kind = |node: usize| match overlaps {
                        true => graph
                            .nodes
                            .get(node)
                            .map_or(ORDERED_KIND, |n| kind_of(n.what)),
                        false => ORDERED_KIND,
                    };
                    let mine = kind(node);
                    let shared = FREE_KINDS.contains(&mine);
                    let loc = op.loc;
                    let mut run = vec![op];
                    let same = |element: &Element| match element {
                        Element::Step(Step::Op { op, node }) => {
                            let same = early.contains(node) == prefetch;
                            in_run(op) && same && kind(*node) == mine
                        }
                        _ => false,
                    };
                    while let Some(Element::Step(Step::Op { op, .. })) = elements.next_if(same) {
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
                    match shared {
                        true => code.shared_run(run, &|address| !is_switch(model, address)),
                        false => code.run(run),
                    }
                }
                Element::Step(Step::Op { op, .. }) => {
                    let waits =
                        matches!(op.action, RegAction::Wait { .. } | RegAction::Poll { .. });
                    if let Some(loc) = started.take_if(|_| !waits) {
                        code.wait_for_chain(loc);
                    }
                    if let Some(instruction) = instruction(model, &op) {
                        code.plain(instruction, op.loc);
                    }
                }
                Element::Step(Step::Meet { id, parties, loc }) => {
                    if let Some(loc) = started.take() {
                        code.wait_for_chain(loc);
                    }
                    code.plain(Instruction::RemoteBarrier { id, parties }, loc);
                }
                Element::Local { id, jobs } => {
                    if let Some(loc) = started.take() {
                        code.wait_for_chain(loc);
                    }
                    code.plain(Instruction::LocalBarrier { id, jobs }, Loc::UNKNOWN);
                }
            }
        }
        if let Some(loc) = started {
            code.wait_for_chain(loc);
        }
        Job {
            code: code.list,
            configures,
        }
    }

    /// Moves images in front of the waits before them, as far as their edges let them: they are
    /// written while tokens are pending. Answers the nodes that moved.
    fn move_up(&self, elements: &mut Vec<Element>) -> FxHashSet<usize> {
        let mut moved = FxHashSet::default();
        let is_wait = |element: &Element| {
            matches!(
                element,
                Element::Step(Step::Op {
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
                Element::Local { .. } | Element::Step(Step::Meet { .. })
            ) {
                waits = None;
            } else if let (Some((first, last)), Element::Step(Step::Op { node, .. })) =
                (waits, &elements[at])
                && self.graph.nodes[*node].floats
            {
                let node = *node;
                let before = self.incoming.get(&node).map_or(&[][..], Vec::as_slice);
                let free = elements[first..at].iter().all(|other| match other {
                    Element::Step(Step::Op { node, .. }) => !before.contains(node),
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
enum Element {
    Step(Step),
    Local { id: u8, jobs: u8 },
}

impl Element {
    fn local(meeting: &Meeting, id: u8) -> Element {
        Element::Local {
            id,
            jobs: u8::try_from(meeting.parties.len()).unwrap_or(u8::MAX),
        }
    }
}

/// Kind of a node: operations of different kinds are never in one run.
fn kind_of(what: What) -> u8 {
    match what {
        What::Hold(_) => 0,
        What::Setup(_) => 1,
        What::Start(tile) if tile.row != 0 => 2,
        What::Release(_) => 2,
        _ => ORDERED_KIND,
    }
}

/// The kind of what is done in program order.
const ORDERED_KIND: u8 = 3;

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

fn step_of(meeting: &Meeting, loc: Loc) -> Step {
    let bits = meeting.parties.iter().filter(|uc| **uc < BARRIER_PARTIES);
    Step::Meet {
        id: meeting.id,
        parties: bits.fold(0, |mask, uc| mask | 1 << uc),
        loc,
    }
}
