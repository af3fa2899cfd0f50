//! Modulo scheduling: iterations of a loop overlap, a new one beginning every II bundles (Rau,
//! "Iterative modulo scheduling", 1996).
//!
//! It works on registers that allocation gave away, with no two values of the loop in one register.
//! Results that are under way need no register on these cores: of a load of seven bundles seven can be
//! in flight to one register, as long as each is read before the next one lands. So the loop isn't
//! unrolled to rename registers; that a value is read before its successor lands is an edge of the
//! graph like others, from the reader to the writer of the next iteration.
//!
//! Loops that can't: with branches, locks, streams or cascades inside, or of fewer iterations than
//! overlap. These are scheduled as blocks, with everything landed between iterations.

use std::collections::BinaryHeap;

use aiec_core::{CoreIsa, Port, Slot, SlotSet};
use smallvec::SmallVec;

use super::frame::Inst;
use super::schedule::{
    Bundle, Effect, Node, graph, later_overlap, memory_distance, schedule_block,
};

/// Attempts to place an instruction, per instruction of the loop.
const BUDGET: usize = 6;
/// Instructions of a loop beyond which overlapping gains little and takes long.
const MAX_NODES: usize = 512;
/// Intervals that are tried from the bound on.
const MAX_INTERVALS: usize = 16;
/// One bundle alone is in no loop of AMD's compiler.
const MIN_INTERVAL: u32 = 2;

/// Why a loop isn't quicker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoopLimit {
    /// The interval is the bound that slots and ports set.
    Resources,
    /// The interval is the bound that values from one iteration to the next set.
    Recurrence,
    /// No schedule at the bounds was found.
    Search,
    /// Iterations don't overlap: branches, calls, locks, streams or cascades are in the loop.
    Effects,
    /// Iterations don't overlap: how many there are isn't known, they are too few, or it wasn't asked for.
    Trips,
    /// Iterations don't overlap: registers are too few.
    Registers,
}

/// What became of a hardware loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoopReport {
    /// Bundles from the start of an iteration to that of the next one.
    pub interval: u32,
    /// Least interval that slots and ports allow.
    pub resource_bound: u32,
    /// Least interval that values from one iteration to the next allow.
    pub recurrence_bound: u32,
    /// Iterations that overlap.
    pub stages: u32,
    /// Whether results may be under way from one iteration to the next, and to registers whose values from
    /// before are still read.
    pub overlaps: bool,
    /// What the interval is limited by.
    pub limit: LoopLimit,
}

/// A loop whose iterations overlap.
#[derive(Clone, Debug)]
pub(super) struct Pipelined {
    pub prologue: Vec<Bundle>,
    pub kernel: Vec<Bundle>,
    pub epilogue: Vec<Bundle>,
    /// The loop's instructions in the slots that were chosen.
    pub insts: Vec<Inst>,
    pub report: LoopReport,
}

/// An edge: `to` of the iteration `omega` later is issued at least `distance` bundles after `from`.
#[derive(Clone, Copy, Debug)]
struct Edge {
    from: u32,
    to: u32,
    distance: i32,
    omega: i32,
}

/// The graph of a loop, made of that of two iterations one after another.
fn edges(isa: &CoreIsa, nodes: &[Node]) -> Vec<Edge> {
    let count = nodes.len() as u32;
    let next = nodes.iter().map(Node::in_next_iteration);
    let twice: Vec<Node> = nodes.iter().cloned().chain(next).collect();
    let graph = graph(isa, &twice, true);
    let mut edges = Vec::new();
    for (from, successors) in graph.successors[..nodes.len()].iter().enumerate() {
        for (to, distance) in successors {
            edges.push(Edge {
                from: from as u32,
                to: to % count,
                distance: *distance,
                omega: i32::from(*to >= count),
            });
        }
    }
    // Overlaps in the next iteration are in the graph; these are the later ones.
    for (from, first) in nodes.iter().enumerate() {
        for (to, second) in nodes.iter().enumerate() {
            if let Some(omega) = later_overlap(first, second) {
                edges.push(Edge {
                    from: from as u32,
                    to: to as u32,
                    distance: memory_distance(first, second),
                    omega: omega as i32,
                });
            }
        }
    }
    edges
}

/// The longest ways to the end at an interval; none if a circle doesn't fit it.
fn heights(nodes: usize, edges: &[Edge], interval: i32) -> Option<Vec<i32>> {
    let mut heights = vec![0; nodes];
    for _ in 0..=nodes {
        let mut changed = false;
        for edge in edges {
            let way = heights[edge.to as usize] + edge.distance - interval * edge.omega;
            if way > heights[edge.from as usize] {
                heights[edge.from as usize] = way;
                changed = true;
            }
        }
        if !changed {
            return Some(heights);
        }
    }
    None
}

/// A bundle of the interval.
#[derive(Clone, Debug, Default)]
struct Row {
    slots: SlotSet,
    /// Nodes with their forms.
    nodes: SmallVec<[(u32, u8); 6]>,
    /// Ports that are held, by whom.
    ports: SmallVec<[(Port, u32); 8]>,
}

/// The bundles of an interval with what is in them.
struct Table<'a> {
    isa: &'a CoreIsa,
    nodes: &'a [Node],
    rows: Vec<Row>,
}

impl Table<'_> {
    fn row(&self, at: i32) -> usize {
        at.rem_euclid(self.rows.len() as i32) as usize
    }

    /// The ports that a form holds, with the bundles of the interval in which it does.
    fn ports(&self, node: u32, form: u8, at: i32) -> SmallVec<[(Port, usize); 8]> {
        let ports = &self.nodes[node as usize].forms[usize::from(form)].ports;
        let cycles = ports.iter().flat_map(|(port, first, last)| {
            (*first..=*last).map(|cycle| (*port, at + i32::from(cycle)))
        });
        cycles.map(|(port, at)| (port, self.row(at))).collect()
    }

    fn has_slot(&self, node: u32, form: u8, at: i32) -> bool {
        let taken = self.rows[self.row(at)].slots;
        let slot = self.nodes[node as usize].forms[usize::from(form)].slot;
        !taken.contains(slot) && self.isa.shortest_format(taken.with(slot)).is_some()
    }

    fn is_free(&self, node: u32, form: u8, at: i32) -> bool {
        if !self.has_slot(node, form, at) {
            return false;
        }
        let wanted = self.ports(node, form, at);
        wanted.iter().enumerate().all(|(index, (port, row))| {
            let held = self.rows[*row].ports.iter();
            !held.clone().any(|(known, _)| known == port)
                && !wanted[..index].contains(&(*port, *row))
        })
    }

    /// The nodes that are in the way of a form; itself, if the interval is too short for it.
    fn conflicts(&self, node: u32, form: u8, at: i32) -> Vec<u32> {
        let mut found = Vec::new();
        if !self.has_slot(node, form, at) {
            // Whoever is there makes room: which of them would do isn't worth a search.
            found.extend(
                self.rows[self.row(at)]
                    .nodes
                    .iter()
                    .map(|(other, _)| *other),
            );
        }
        let wanted = self.ports(node, form, at);
        for (index, (port, row)) in wanted.iter().enumerate() {
            if wanted[..index].contains(&(*port, *row)) {
                found.push(node);
            }
            let held = self.rows[*row].ports.iter();
            found.extend(
                held.filter(|(known, _)| known == port)
                    .map(|(_, other)| *other),
            );
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    fn remove(&mut self, node: u32) {
        for row in &mut self.rows {
            row.ports.retain(|(_, holder)| *holder != node);
            let before = row.nodes.len();
            row.nodes.retain(|(known, _)| *known != node);
            if row.nodes.len() != before {
                row.slots = row
                    .nodes
                    .iter()
                    .fold(SlotSet::default(), |slots, (node, form)| {
                        slots.with(self.nodes[*node as usize].forms[usize::from(*form)].slot)
                    });
            }
        }
    }

    fn add(&mut self, node: u32, form: u8, at: i32) {
        let slot = self.nodes[node as usize].forms[usize::from(form)].slot;
        for (port, row) in self.ports(node, form, at) {
            self.rows[row].ports.push((port, node));
        }
        let row = self.row(at);
        self.rows[row].nodes.push((node, form));
        self.rows[row].slots = self.rows[row].slots.with(slot);
    }
}

/// Times and forms of all nodes at an interval, if the search finds some.
fn attempt(
    isa: &CoreIsa,
    nodes: &[Node],
    edges: &[Edge],
    interval: u32,
) -> Option<(Vec<i32>, Vec<u8>)> {
    let step = interval as i32;
    let heights = heights(nodes.len(), edges, step)?;
    let mut incoming = vec![Vec::new(); nodes.len()];
    let mut outgoing = vec![Vec::new(); nodes.len()];
    for edge in edges {
        incoming[edge.to as usize].push(*edge);
        outgoing[edge.from as usize].push(*edge);
    }
    let mut table = Table {
        isa,
        nodes,
        rows: vec![Row::default(); interval as usize],
    };
    let mut times: Vec<Option<i32>> = vec![None; nodes.len()];
    let mut last: Vec<Option<i32>> = vec![None; nodes.len()];
    let mut forms = vec![0_u8; nodes.len()];
    let mut queue: BinaryHeap<(i32, std::cmp::Reverse<u32>)> = (0..nodes.len() as u32)
        .map(|node| (heights[node as usize], std::cmp::Reverse(node)))
        .collect();
    let mut budget = BUDGET * nodes.len();
    while let Some((_, std::cmp::Reverse(node))) = queue.pop() {
        if times[node as usize].is_some() {
            continue;
        }
        budget = budget.checked_sub(1)?;
        let earliest = incoming[node as usize].iter().filter_map(|edge| {
            let before = if edge.from == node {
                return None;
            } else {
                times[edge.from as usize]?
            };
            Some(before + edge.distance - step * edge.omega)
        });
        let earliest = earliest.max().unwrap_or(0).max(0);
        let candidates = (earliest..earliest + step)
            .flat_map(|at| (0..nodes[node as usize].forms.len() as u8).map(move |form| (at, form)));
        let free = candidates
            .into_iter()
            .find(|(at, form)| table.is_free(node, *form, *at));
        let (at, form) = match free {
            Some(found) => found,
            None => {
                let again = last[node as usize].map_or(earliest, |last| last + 1);
                (earliest.max(again), 0)
            }
        };
        let mut removed = table.conflicts(node, form, at);
        if removed.contains(&node) {
            return None;
        }
        for edge in &outgoing[node as usize] {
            let violated = times[edge.to as usize]
                .is_some_and(|time| time < at + edge.distance - step * edge.omega);
            if violated && edge.to != node && !removed.contains(&edge.to) {
                removed.push(edge.to);
            }
        }
        for other in removed {
            table.remove(other);
            times[other as usize] = None;
            queue.push((heights[other as usize], std::cmp::Reverse(other)));
        }
        table.add(node, form, at);
        times[node as usize] = Some(at);
        last[node as usize] = Some(at);
        forms[node as usize] = form;
    }
    let times: Vec<i32> = times.into_iter().collect::<Option<_>>()?;
    let first = times.iter().copied().min().unwrap_or(0);
    // Whole intervals earlier, so that rows stay.
    let shift = first.div_euclid(step) * step;
    let times: Vec<i32> = times.into_iter().map(|time| time - shift).collect();
    let holds = edges.iter().all(|edge| {
        times[edge.to as usize] + step * edge.omega >= times[edge.from as usize] + edge.distance
    });
    holds.then_some((times, forms))
}

/// The least interval that slots and ports allow.
fn resource_bound(nodes: &[Node]) -> u32 {
    let mut slots: Vec<(Slot, u32)> = Vec::new();
    let mut ports: Vec<(Port, u32)> = Vec::new();
    // Groups of slots that instructions of the loop may be in, with their number.
    let mut groups: Vec<(Vec<Slot>, u32)> = Vec::new();
    for node in nodes {
        let mut own: Vec<Slot> = node.forms.iter().map(|form| form.slot).collect();
        own.sort_unstable();
        own.dedup();
        if let [slot] = own[..] {
            match slots.iter_mut().find(|(known, _)| *known == slot) {
                Some((_, count)) => *count += 1,
                None => slots.push((slot, 1)),
            }
        }
        match groups.iter_mut().find(|(known, _)| *known == own) {
            Some((_, count)) => *count += 1,
            None => groups.push((own, 1)),
        }
        let always = node.forms[0].ports.iter().filter(|(port, ..)| {
            let mut others = node.forms[1..].iter();
            others.all(|form| form.ports.iter().any(|(other, ..)| other == port))
        });
        for (port, first, last) in always {
            let cycles = u32::from(last - first) + 1;
            match ports.iter_mut().find(|(known, _)| known == port) {
                Some((_, count)) => *count += cycles,
                None => ports.push((*port, cycles)),
            }
        }
    }
    let of_groups = groups.iter().map(|(own, _)| {
        let within = groups
            .iter()
            .filter(|(other, _)| other.iter().all(|slot| own.contains(slot)));
        let count: u32 = within.map(|(_, count)| *count).sum();
        count.div_ceil(own.len().max(1) as u32)
    });
    let of_slots = slots.iter().map(|(_, count)| *count);
    let of_ports = ports.iter().map(|(_, count)| *count);
    of_groups
        .chain(of_slots)
        .chain(of_ports)
        .max()
        .unwrap_or(1)
        .max(1)
}

/// The first number of a port that is a bank: those of the tables are below.
const FIRST_BANK: Port = 128;

/// Makes accesses by whole vectors hold the bank of their object in the cycle in which they access it.
fn hold_banks(nodes: &mut [Node]) {
    let mut objects: Vec<u32> = Vec::new();
    for node in nodes {
        let Some((object, stage)) = node.bank() else {
            continue;
        };
        let at = objects.iter().position(|known| *known == object);
        let at = at.unwrap_or_else(|| {
            objects.push(object);
            objects.len() - 1
        });
        // A loop with more objects than numbers has few accesses to each.
        let Some(bank) = Port::try_from(at)
            .ok()
            .and_then(|at| FIRST_BANK.checked_add(at))
        else {
            continue;
        };
        for form in &mut node.forms {
            form.ports.push((bank, stage, stage));
        }
    }
}

/// Overlaps the iterations of a loop of `trips` iterations. Otherwise returns why it doesn't.
pub(super) fn pipeline(
    isa: &CoreIsa,
    insts: &[Inst],
    trips: Option<u32>,
) -> Result<Pipelined, LoopReport> {
    let mut nodes: Vec<Node> = insts.iter().map(|inst| Node::new(isa, inst)).collect();
    hold_banks(&mut nodes);
    let mut alone = insts.to_vec();
    let regions = schedule_block(isa, &mut alone, true);
    let length: usize = regions.iter().map(|region| region.bundles.len()).sum();
    let length = length as u32;
    let mut report = LoopReport {
        interval: length,
        resource_bound: resource_bound(&nodes),
        recurrence_bound: 1,
        stages: 1,
        overlaps: false,
        limit: LoopLimit::Effects,
    };
    if nodes
        .iter()
        .any(|node| node.is_branch || node.effect != Effect::None)
    {
        return Err(report);
    }
    report.limit = LoopLimit::Trips;
    let Some(trips) = trips else {
        return Err(report);
    };
    if nodes.len() > MAX_NODES {
        report.limit = LoopLimit::Search;
        return Err(report);
    }
    let mut edges = edges(isa, &nodes);
    // Ways to the end grow from the end.
    edges.sort_by_key(|edge| std::cmp::Reverse(edge.from));
    // A larger interval fits whatever a smaller one does.
    let (mut too_small, mut fits) = (0, length);
    while fits - too_small > 1 {
        let middle = too_small + (fits - too_small) / 2;
        if heights(nodes.len(), &edges, middle as i32).is_some() {
            fits = middle;
        } else {
            too_small = middle;
        }
    }
    report.recurrence_bound = fits;
    let bound = report
        .resource_bound
        .max(report.recurrence_bound)
        .max(MIN_INTERVAL);
    for interval in (bound..length).take(MAX_INTERVALS) {
        let Some((times, forms)) = attempt(isa, &nodes, &edges, interval) else {
            report.limit = LoopLimit::Search;
            continue;
        };
        let last = times.iter().copied().max().unwrap_or(0);
        let stages = last as u32 / interval + 1;
        // Iterations that overlap are all there, and the way in and out pays.
        let overlapped = u64::from(interval) * u64::from(trips + stages - 1);
        if stages > trips || overlapped >= u64::from(length) * u64::from(trips) {
            report.limit = LoopLimit::Trips;
            continue;
        }
        // The last bundle can't store a part of a word.
        let stores_part = |node: usize| {
            let row = &isa.instructions[usize::from(insts[node].row)];
            row.slot == Slot::LoadA && row.is_store
        };
        let last_row = |node: &usize| times[*node] as u32 % interval == interval - 1;
        if (0..nodes.len()).filter(last_row).any(stores_part) {
            report.limit = LoopLimit::Search;
            continue;
        }
        report.limit = if interval > bound {
            LoopLimit::Search
        } else if report.recurrence_bound > report.resource_bound {
            LoopLimit::Recurrence
        } else {
            LoopLimit::Resources
        };
        report.interval = interval;
        report.stages = stages;
        report.overlaps = true;
        return Ok(unroll(insts, &nodes, &times, &forms, report));
    }
    Err(report)
}

/// Writes the bundles before, of and after the loop.
fn unroll(
    insts: &[Inst],
    nodes: &[Node],
    times: &[i32],
    forms: &[u8],
    report: LoopReport,
) -> Pipelined {
    let interval = report.interval;
    let stage = |node: usize| times[node] as u32 / interval;
    let row = |node: usize| times[node] as u32 % interval;
    // In the order of iterations, so that of two in one bundle the one of the earlier is first.
    let bundle = |at: u32, is_in: &dyn Fn(u32) -> bool| -> Bundle {
        let mut found: Vec<usize> = (0..nodes.len())
            .filter(|node| row(*node) == at && is_in(stage(*node)))
            .collect();
        found.sort_by_key(|node| std::cmp::Reverse(stage(*node)));
        found.into_iter().map(|node| node as u32).collect()
    };
    let mut prologue = Vec::new();
    for time in 0..(report.stages - 1) * interval {
        let begun = time / interval;
        prologue.push(bundle(time % interval, &|stage| stage <= begun));
    }
    let kernel = (0..interval).map(|at| bundle(at, &|_| true)).collect();
    let mut epilogue = Vec::new();
    for time in 0..(report.stages - 1) * interval {
        let ended = time / interval + 1;
        epilogue.push(bundle(time % interval, &|stage| stage >= ended));
    }
    let drained = nodes
        .iter()
        .zip(times)
        .map(|(node, time)| *time - interval as i32 + node.drain as i32)
        .max();
    let drained = drained.unwrap_or(0).max(0) as usize;
    if epilogue.len() < drained {
        epilogue.resize(drained, Bundle::new());
    }
    let insts = insts.iter().zip(nodes).zip(forms);
    let insts = insts
        .map(|((inst, node), form)| {
            let other = &node.forms[usize::from(*form)].other;
            other.as_ref().unwrap_or(inst).clone()
        })
        .collect();
    Pipelined {
        prologue,
        kernel,
        epilogue,
        insts,
        report,
    }
}
