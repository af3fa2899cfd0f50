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

use aiec_core::{CoreIsa, PART_WORD_BUNDLES, Port, Slot};

use super::frame::Inst;
use super::modulo_table::{Edge, Table};
use super::modulo_windows::{WindowWishes, by_windows};
use super::schedule::{
    Bank, Bundle, Effect, Node, graph, later_overlap, memory_distance, schedule_block,
};

/// Attempts to place an instruction, per instruction of the loop.
const BUDGET: usize = 6;
/// Instructions of a loop beyond which overlapping gains little and takes long.
const MAX_NODES: usize = 512;
/// Intervals that are tried from the bound on.
const MAX_INTERVALS: usize = 16;
/// Times that an instruction makes room for others around products, per instruction of the loop.
const MOVES: usize = 4;
/// Products of a loop from which on all else is placed around them.
pub(super) const MIN_PRODUCTS: usize = 16;
/// Bundles of an interval from which on not each one is tried, but each that is longer by such a part.
const LONG_INTERVAL: u32 = 32;
/// Times that instructions are moved nearer to the readers of their results.
const DELAY_ROUNDS: usize = 3;
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

/// Schedule of a hardware loop.
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
    /// The limit of the interval.
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
    /// When an iteration issues each of them, and in which form.
    pub nodes: Vec<Node>,
    pub times: Vec<i32>,
    pub forms: Vec<u8>,
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
    // Where the longest way of each node goes on.
    let mut next: Vec<Option<u32>> = vec![None; nodes];
    loop {
        let mut changed = false;
        for edge in edges {
            let way = heights[edge.to as usize] + edge.distance - interval * edge.omega;
            if way > heights[edge.from as usize] {
                heights[edge.from as usize] = way;
                next[edge.from as usize] = Some(edge.to);
                changed = true;
            }
        }
        if !changed {
            return Some(heights);
        }
        // A way that comes back to its own begin gets longer with each turn, without end.
        if has_circle(&next) {
            return None;
        }
    }
}

/// Whether following `next` from some node comes back to it.
fn has_circle(next: &[Option<u32>]) -> bool {
    const UNSEEN: u32 = 0;
    let mut walks = vec![UNSEEN; next.len()];
    (1..).zip(0..next.len()).any(|(walk, start)| {
        let mut at = Some(start as u32);
        while let Some(node) = at {
            let seen = &mut walks[node as usize];
            if *seen != UNSEEN {
                return *seen == walk;
            }
            *seen = walk;
            at = next[node as usize];
        }
        false
    })
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
    let mut table = Table::new(isa, nodes, interval);
    let mut last: Vec<Option<i32>> = vec![None; nodes.len()];
    let mut queue: BinaryHeap<(i32, std::cmp::Reverse<u32>)> = (0..nodes.len() as u32)
        .map(|node| (heights[node as usize], std::cmp::Reverse(node)))
        .collect();
    let mut budget = BUDGET * nodes.len();
    while let Some((_, std::cmp::Reverse(node))) = queue.pop() {
        if table.time(node).is_some() {
            continue;
        }
        budget = budget.checked_sub(1)?;
        let earliest = incoming[node as usize].iter().filter_map(|edge| {
            let before = if edge.from == node {
                return None;
            } else {
                table.time(edge.from)?
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
            let violated = table
                .time(edge.to)
                .is_some_and(|time| time < at + edge.distance - step * edge.omega);
            if violated && edge.to != node && !removed.contains(&edge.to) {
                removed.push(edge.to);
            }
        }
        for other in removed {
            table.remove(other);
            queue.push((heights[other as usize], std::cmp::Reverse(other)));
        }
        table.add(node, form, at);
        last[node as usize] = Some(at);
    }
    let (times, forms) = table.places()?;
    let first = times.iter().copied().min().unwrap_or(0);
    // Whole intervals earlier, so that rows stay.
    let shift = first.div_euclid(step) * step;
    let times: Vec<i32> = times.into_iter().map(|time| time - shift).collect();
    let holds = edges.iter().all(|edge| {
        times[edge.to as usize] + step * edge.omega >= times[edge.from as usize] + edge.distance
    });
    holds.then_some((times, forms))
}

/// Choices of [`around_products`].
#[derive(Clone, Copy, Debug)]
struct AroundChoice {
    /// Whether users of products are placed before their operands.
    stores_first: bool,
    /// Whether the loads of each sum are right before the stores of the one that had its register.
    grouped: bool,
}

const AROUND: [AroundChoice; 4] = {
    const fn of(grouped: bool, stores_first: bool) -> AroundChoice {
        AroundChoice {
            stores_first,
            grouped,
        }
    }
    [
        of(true, false),
        of(false, false),
        of(false, true),
        of(true, true),
    ]
};

/// Places around products: the search of [`around_products`].
struct ProductSearch<'a> {
    table: Table<'a>,
    incoming: Vec<Vec<Edge>>,
    outgoing: Vec<Vec<Edge>>,
    /// Where a node was before it made room.
    last: Vec<Option<i32>>,
}

impl ProductSearch<'_> {
    fn is_product(&self, node: usize) -> bool {
        self.table.nodes[node].forms[0].slot == Slot::Vector
    }

    /// The bundles that a node may be in for the sake of those that have their places.
    fn window(&self, node: usize, late: bool) -> (i32, i32) {
        let step = self.table.interval();
        let before = self.incoming[node].iter().filter_map(|edge| {
            Some(self.table.time(edge.from)? + edge.distance - step * edge.omega)
        });
        let after = self.outgoing[node]
            .iter()
            .filter_map(|edge| Some(self.table.time(edge.to)? + step * edge.omega - edge.distance));
        match (before.max(), after.min()) {
            (Some(first), Some(last)) if late => (first.max(last - step + 1), last),
            (Some(first), Some(last)) => (first, last.min(first + step - 1)),
            (Some(first), None) => (first, first + step - 1),
            (None, Some(last)) => (last - step + 1, last),
            (None, None) => (0, step - 1),
        }
    }

    /// Places a node in a free bundle of its window, the latest or the earliest one.
    fn place(&mut self, node: usize, late: bool) -> bool {
        let (first, last) = self.window(node, late);
        let forms = self.table.nodes[node].forms.len() as u8;
        let fits = |at: i32| {
            let free = (0..forms).find(|form| self.table.is_free(node as u32, *form, at))?;
            Some((at, free))
        };
        let found = if late {
            (first..=last).rev().find_map(fits)
        } else {
            (first..=last).find_map(fits)
        };
        match found {
            Some((at, form)) => {
                self.table.add(node as u32, form, at);
                true
            }
            None => false,
        }
    }

    /// The last product of a chain.
    fn end_of(&self, mut product: usize) -> usize {
        for _ in 0..self.table.nodes.len() {
            let mut after = self.outgoing[product].iter().filter(|edge| edge.omega == 0);
            match after.find(|edge| self.is_product(edge.to as usize)) {
                Some(edge) => product = edge.to as usize,
                None => break,
            }
        }
        product
    }

    /// Places the loads of the sum that a chain of products begins with, and the stores of its last one of the iteration before, in
    /// bundles one after another: what is loaded lands after what was there is stored.
    fn place_sums(&mut self, first: usize) -> Option<()> {
        let last = self.end_of(first);
        let has_one_form = |node: &usize| self.table.nodes[*node].forms.len() == 1;
        let of = |edges: &[Edge], node: &dyn Fn(&Edge) -> u32| {
            let within = edges.iter().filter(|edge| edge.omega == 0);
            let nodes = within.map(|edge| node(edge) as usize);
            let mut nodes: Vec<usize> = nodes
                .filter(has_one_form)
                .filter(|node| !self.is_product(*node) && self.table.time(*node as u32).is_none())
                .filter(|node| self.table.nodes[*node].bank().is_some())
                .collect();
            nodes.sort_unstable();
            nodes
        };
        let mut all = of(&self.incoming[first], &|edge| edge.from);
        all.extend(of(&self.outgoing[last], &|edge| edge.to));
        let Some(begin) = all.first() else {
            return Some(());
        };
        let step = self.table.interval();
        let (from, to) = self.window(*begin, false);
        (from..=to).find_map(|start| {
            for (n, (at, node)) in (start..).zip(&all).enumerate() {
                let (from, to) = self.window(*node, false);
                // The same bundle of the interval, in the iteration in which the node can be there.
                let at = from + (at - from).rem_euclid(step);
                let is_in = (from..=to).contains(&at);
                if !is_in || !self.table.is_free(*node as u32, 0, at) {
                    for node in &all[..n] {
                        self.table.remove(*node as u32);
                    }
                    return None;
                }
                self.table.add(*node as u32, 0, at);
            }
            Some(())
        })
    }

    /// Places a node where others have to make room; returns these. None if one of them is a product.
    fn force(&mut self, node: usize, late: bool) -> Option<Vec<usize>> {
        let step = self.table.interval();
        let (first, last) = self.window(node, late);
        let at = match self.last[node] {
            // Products stay: others have to go.
            _ if first > last && late => {
                let least = self.incoming[node].iter().filter_map(|edge| {
                    let fixed = self.is_product(edge.from as usize);
                    Some(self.table.time(edge.from)? + edge.distance - step * edge.omega)
                        .filter(|_| fixed)
                });
                last.max(least.max().unwrap_or(last))
            }
            _ if first > last => {
                let most = self.outgoing[node].iter().filter_map(|edge| {
                    let fixed = self.is_product(edge.to as usize);
                    Some(self.table.time(edge.to)? + step * edge.omega - edge.distance)
                        .filter(|_| fixed)
                });
                first.min(most.min().unwrap_or(first))
            }
            Some(known) if late && (first..=last).contains(&(known - 1)) => known - 1,
            Some(known) if !late && (first..=last).contains(&(known + 1)) => known + 1,
            _ if late => last,
            _ => first,
        };
        let forms = self.table.nodes[node].forms.len() as u8;
        let (form, mut removed) = (0..forms).find_map(|form| {
            let others = self.table.holders(node as u32, form, at)?;
            let is_fixed = others.iter().any(|other| self.is_product(*other as usize));
            (!is_fixed).then_some((form, others))
        })?;
        for edge in &self.outgoing[node] {
            let time = self.table.time(edge.to);
            if time.is_some_and(|time| time + step * edge.omega < at + edge.distance) {
                removed.push(edge.to);
            }
        }
        for edge in &self.incoming[node] {
            let time = self.table.time(edge.from);
            if time.is_some_and(|time| time + edge.distance > at + step * edge.omega) {
                removed.push(edge.from);
            }
        }
        removed.sort_unstable();
        removed.dedup();
        if removed.iter().any(|other| self.is_product(*other as usize)) {
            return None;
        }
        for other in &removed {
            self.last[*other as usize] = self.table.remove(*other);
        }
        self.table.add(node as u32, form, at);
        self.last[node] = Some(at);
        Some(removed.into_iter().map(|other| other as usize).collect())
    }
}

/// Times and forms of all nodes at an interval, of a loop that many products are in: these have their places first, one after
/// another, then what they need is as late, and what follows them as early as possible; where these are in the way of each
/// other, one makes room. Where products fill their slot, little else is to be decided.
fn around_products(
    isa: &CoreIsa,
    nodes: &[Node],
    edges: &[Edge],
    interval: u32,
    choice: AroundChoice,
) -> Option<(Vec<i32>, Vec<u8>)> {
    let is_product = |node: &Node| node.forms[0].slot == Slot::Vector;
    if nodes.iter().filter(|node| is_product(node)).count() < MIN_PRODUCTS {
        return None;
    }
    let step = interval as i32;
    let mut search = ProductSearch {
        table: Table::new(isa, nodes, interval),
        incoming: vec![Vec::new(); nodes.len()],
        outgoing: vec![Vec::new(); nodes.len()],
        last: vec![None; nodes.len()],
    };
    for edge in edges.iter().filter(|edge| edge.from != edge.to) {
        search.incoming[edge.to as usize].push(*edge);
        search.outgoing[edge.from as usize].push(*edge);
    }
    // Nodes from which a product follows within an iteration.
    let mut leads = vec![false; nodes.len()];
    for node in (0..nodes.len()).rev() {
        let mut after = search.outgoing[node].iter().filter(|edge| edge.omega == 0);
        leads[node] = after.any(|edge| {
            let to = edge.to as usize;
            is_product(&nodes[to]) || leads[to]
        });
    }
    let begins = |node: usize| {
        let mut before = search.incoming[node].iter().filter(|edge| edge.omega == 0);
        is_product(&nodes[node]) && !before.any(|edge| is_product(&nodes[edge.from as usize]))
    };
    let begins: Vec<bool> = (0..nodes.len()).map(begins).collect();
    let mut now = i32::MIN;
    for node in (0..nodes.len()).filter(|node| is_product(&nodes[*node])) {
        let (first, last) = search.window(node, false);
        let mut places = first.max(now)..=last.max(now.saturating_add(step));
        let at = places.find(|at| search.table.is_free(node as u32, 0, *at))?;
        search.table.add(node as u32, 0, at);
        now = at;
    }
    if choice.grouped {
        for node in (0..nodes.len()).filter(|node| begins[*node]) {
            search.place_sums(node)?;
        }
    }
    // Nodes that lead to products and fit one slot only come before those with a choice.
    let of_kind = |lead: bool, choice: Option<bool>| {
        let table = &search.table;
        let of = (0..nodes.len()).filter(move |node| table.time(*node as u32).is_none());
        let leads = &leads;
        of.filter(move |node| {
            let has_choice = nodes[*node].forms.len() > 1;
            leads[*node] == lead && choice.is_none_or(|choice| choice == has_choice)
        })
    };
    let single: Vec<usize> = of_kind(true, Some(false)).collect();
    let several: Vec<usize> = of_kind(true, Some(true)).collect();
    // Moves of pointers for the next iteration have most room.
    let rest = of_kind(false, None);
    let (stores, moves): (Vec<usize>, Vec<usize>) =
        rest.partition(|node| nodes[*node].bank().is_some());
    // The next one is the last.
    let mut open: Vec<usize> = moves.into_iter().rev().chain(several).collect();
    if choice.stores_first {
        open.extend(single);
        open.extend(stores.into_iter().rev());
    } else {
        open.extend(stores.into_iter().rev());
        open.extend(single);
    }
    let mut budget = MOVES * nodes.len();
    while let Some(node) = open.pop() {
        if search.place(node, leads[node]) {
            continue;
        }
        budget = budget.checked_sub(1)?;
        let removed = search.force(node, leads[node])?;
        open.extend(removed.into_iter().rev());
    }
    let (times, forms) = search.table.places()?;
    let first = times.iter().copied().min().unwrap_or(0);
    let times: Vec<i32> = times.into_iter().map(|time| time - first).collect();
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

/// Puts the forms of each instruction in an order by how many others have no choice but the form's slot.
fn prefer_free_slots(nodes: &mut [Node]) {
    let mut bound: Vec<Slot> = Vec::new();
    for node in nodes.iter() {
        if let [form] = &node.forms[..] {
            bound.push(form.slot);
        }
    }
    for node in nodes {
        let count = |slot: Slot| bound.iter().filter(|known| **known == slot).count();
        node.forms.sort_by_key(|form| count(form.slot));
    }
}

/// The first number of a port that is a bank: those of the tables are below.
const FIRST_BANK: Port = 128;

/// Makes accesses by whole vectors hold their bank in the cycle in which they access it, and no other one.
pub(super) fn hold_banks(nodes: &mut [Node]) {
    let mut banks: Vec<Bank> = Vec::new();
    for node in nodes {
        for form in &mut node.forms {
            form.ports.retain(|(port, ..)| *port < FIRST_BANK);
        }
        let Some((bank, stage)) = node.bank() else {
            continue;
        };
        let at = banks.iter().position(|known| *known == bank);
        let at = at.unwrap_or_else(|| {
            banks.push(bank);
            banks.len() - 1
        });
        // A loop with more banks than numbers has few accesses to each.
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

/// A schedule of a loop: when each instruction of an iteration is issued, and in which form.
#[derive(Clone, Debug)]
pub(super) struct ModuloSchedule {
    pub times: Vec<i32>,
    pub forms: Vec<u8>,
    pub report: LoopReport,
}

/// A loop whose schedule is searched.
pub(super) struct ModuloSearch<'a> {
    isa: &'a CoreIsa,
    nodes: Vec<Node>,
    edges: Vec<Edge>,
    /// Bundles of an iteration that overlaps none.
    length: u32,
    trips: u32,
    report: LoopReport,
}

impl<'a> ModuloSearch<'a> {
    /// Begins a search. `length` are the bundles of an iteration alone. Otherwise returns why there is none.
    pub fn new(
        isa: &'a CoreIsa,
        mut nodes: Vec<Node>,
        length: u32,
        trips: Option<u32>,
    ) -> Result<ModuloSearch<'a>, LoopReport> {
        hold_banks(&mut nodes);
        prefer_free_slots(&mut nodes);
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
        Ok(ModuloSearch {
            isa,
            nodes,
            edges,
            length,
            trips,
            report,
        })
    }

    fn bound(&self) -> u32 {
        let LoopReport {
            resource_bound,
            recurrence_bound,
            ..
        } = self.report;
        resource_bound.max(recurrence_bound).max(MIN_INTERVAL)
    }

    /// The schedule with the least interval that is found, of those from `least` on.
    pub fn run(&self, least: u32) -> Result<ModuloSchedule, LoopReport> {
        let mut report = self.report;
        let bound = self.bound();
        // Long loops lose little by a bundle more.
        let step = (bound / LONG_INTERVAL).max(1);
        let intervals = (bound.max(least)..self.length).step_by(step as usize);
        for interval in intervals.take(MAX_INTERVALS) {
            let around = AROUND.into_iter().find_map(|choice| {
                around_products(self.isa, &self.nodes, &self.edges, interval, choice)
            });
            let found = around
                .or_else(|| attempt(self.isa, &self.nodes, &self.edges, interval))
                .or_else(|| by_windows(self.table(interval), &self.edges, WindowWishes::default()));
            match found {
                Some((times, forms)) => match self.accept(interval, times, forms) {
                    Ok(schedule) => return Ok(self.shortened(schedule)),
                    Err(limit) => report.limit = limit,
                },
                None => report.limit = LoopLimit::Search,
            }
        }
        Err(report)
    }

    /// A schedule of an interval in which results wait for their readers for `slack` bundles at most.
    pub fn close(&self, interval: u32, slack: i32) -> Option<ModuloSchedule> {
        let wishes = WindowWishes {
            slack: Some(slack),
            ..WindowWishes::default()
        };
        let (times, forms) = by_windows(self.table(interval), &self.edges, wishes)?;
        self.accept(interval, times, forms).ok()
    }

    /// A schedule of the same interval whose iterations take fewer bundles, so that the first ones begin and the last ones end sooner.
    fn shortened(&self, schedule: ModuloSchedule) -> ModuloSchedule {
        let interval = schedule.report.interval;
        let length_of = |times: &[i32]| times.iter().copied().max().unwrap_or(0) + 1;
        let Some(ways) = heights(self.nodes.len(), &self.edges, interval as i32) else {
            return schedule;
        };
        // No iteration is shorter than the longest way in it.
        let mut too_short = ways.into_iter().max().unwrap_or(0);
        let mut best = schedule;
        while length_of(&best.times) - too_short > 1 {
            let length = too_short + (length_of(&best.times) - too_short) / 2;
            let wishes = WindowWishes {
                length: Some(length),
                ..WindowWishes::default()
            };
            let found = by_windows(self.table(interval), &self.edges, wishes);
            let shorter = found.and_then(|(times, forms)| self.accept(interval, times, forms).ok());
            match shorter {
                Some(shorter) if length_of(&shorter.times) <= length => best = shorter,
                _ => too_short = length,
            }
        }
        best
    }

    /// The schedule that other instructions have, if it holds for these: time and slot of each.
    pub fn confirm(&self, known: &LoopReport, chosen: &[(i32, Slot)]) -> Option<ModuloSchedule> {
        let step = known.interval as i32;
        let mut table = self.table(known.interval);
        let mut forms = Vec::with_capacity(chosen.len());
        for (node, (time, slot)) in chosen.iter().enumerate() {
            let mut all = self.nodes[node].forms.iter().enumerate();
            let form = all.find(|(form, of)| {
                of.slot == *slot && table.is_free(node as u32, *form as u8, *time)
            });
            let form = form?.0 as u8;
            table.add(node as u32, form, *time);
            forms.push(form);
        }
        let holds = |edge: &Edge| {
            let (from, to) = (chosen[edge.from as usize].0, chosen[edge.to as usize].0);
            to + step * edge.omega >= from + edge.distance
        };
        let times: Vec<i32> = chosen.iter().map(|(time, _)| *time).collect();
        let is_complete = chosen.len() == self.nodes.len()
            && self.edges.iter().all(holds)
            && (0..chosen.len()).all(|node| !self.waits_for_store(node, &times, known.interval));
        is_complete.then_some(ModuloSchedule {
            times,
            forms,
            report: *known,
        })
    }

    /// Whether the core would wait in an access of memory, for the store of a part of a word that is before it in this
    /// iteration or an earlier one. Results that are under way arrive then, before those that read the registers' old values.
    fn waits_for_store(&self, access: usize, times: &[i32], interval: u32) -> bool {
        if !self.nodes[access].accesses_memory() {
            return false;
        }
        let row = |node: usize| times[node].rem_euclid(interval as i32) as u32;
        let soon = |store: usize| {
            let after = row(access) + interval - row(store);
            (after - 1) % interval + 1 < u32::from(PART_WORD_BUNDLES)
        };
        (0..self.nodes.len()).any(|node| self.nodes[node].stores_part_of_word() && soon(node))
    }

    /// Whether the core would wait in or for an instruction, of those that access memory.
    fn lets_wait(&self, node: usize, times: &[i32], interval: u32) -> bool {
        if self.nodes[node].stores_part_of_word() {
            (0..self.nodes.len()).any(|access| self.waits_for_store(access, times, interval))
        } else {
            self.waits_for_store(node, times, interval)
        }
    }

    fn table(&self, interval: u32) -> Table<'_> {
        Table::new(self.isa, &self.nodes, interval)
    }

    fn accept(
        &self,
        interval: u32,
        times: Vec<i32>,
        forms: Vec<u8>,
    ) -> Result<ModuloSchedule, LoopLimit> {
        let mut report = self.report;
        let last = times.iter().copied().max().unwrap_or(0);
        let stages = last as u32 / interval + 1;
        // Iterations that overlap are all there, and the way out, from the last one's begin to its end, pays.
        let way_out = (last as u32 + 1).saturating_sub(interval);
        let overlapped = u64::from(interval) * u64::from(self.trips) + u64::from(way_out);
        if stages > self.trips || overlapped >= u64::from(self.length) * u64::from(self.trips) {
            return Err(LoopLimit::Trips);
        }
        // The last bundle can't store a part of a word.
        let stores_part = |node: usize| self.nodes[node].stores_part_of_word();
        let last_row = |node: &usize| times[*node] as u32 % interval == interval - 1;
        if (0..self.nodes.len()).filter(last_row).any(stores_part) {
            return Err(LoopLimit::Search);
        }
        if (0..self.nodes.len()).any(|node| self.waits_for_store(node, &times, interval)) {
            return Err(LoopLimit::Search);
        }
        report.limit = if interval > self.bound() {
            LoopLimit::Search
        } else if report.recurrence_bound > report.resource_bound {
            LoopLimit::Recurrence
        } else {
            LoopLimit::Resources
        };
        report.interval = interval;
        report.stages = stages;
        report.overlaps = true;
        Ok(ModuloSchedule {
            times,
            forms,
            report,
        })
    }

    /// Moves instructions that begin values nearer to those that read them, so that registers are taken for less time.
    pub fn delay(&self, schedule: &mut ModuloSchedule, begins: impl Fn(usize) -> bool) {
        let interval = schedule.report.interval;
        let step = interval as i32;
        let mut table = self.table(interval);
        for (node, (time, form)) in schedule.times.iter().zip(&schedule.forms).enumerate() {
            table.add(node as u32, *form, *time);
        }
        let mut outgoing = vec![Vec::new(); self.nodes.len()];
        for edge in self.edges.iter().filter(|edge| edge.from != edge.to) {
            outgoing[edge.from as usize].push(*edge);
        }
        let end = (schedule.report.stages * interval) as i32 - 1;
        for _ in 0..DELAY_ROUNDS {
            let mut order: Vec<usize> =
                (0..self.nodes.len()).filter(|node| begins(*node)).collect();
            order.sort_by_key(|node| std::cmp::Reverse((schedule.times[*node], *node)));
            let mut changed = false;
            for node in order {
                let now = schedule.times[node];
                let latest = outgoing[node].iter().map(|edge| {
                    schedule.times[edge.to as usize] + step * edge.omega - edge.distance
                });
                let latest = latest.min().unwrap_or(now).min(end).min(now + step - 1);
                if latest <= now {
                    continue;
                }
                table.remove(node as u32);
                let forms = self.nodes[node].forms.len() as u8;
                let later = (now + 1..=latest).rev();
                let mut places = later.flat_map(|at| (0..forms).map(move |form| (at, form)));
                let found = places.find(|(at, form)| {
                    let is_last = at.rem_euclid(step) == step - 1;
                    if is_last && self.nodes[node].stores_part_of_word()
                        || !table.is_free(node as u32, *form, *at)
                    {
                        return false;
                    }
                    schedule.times[node] = *at;
                    !self.lets_wait(node, &schedule.times, interval)
                });
                schedule.times[node] = now;
                if let Some((at, form)) = found {
                    schedule.times[node] = at;
                    schedule.forms[node] = form;
                    changed = true;
                }
                table.add(node as u32, schedule.forms[node], schedule.times[node]);
            }
            if !changed {
                break;
            }
        }
    }

    /// Pairs of instructions of an iteration that keep their order.
    pub fn ordered_pairs(&self) -> impl Iterator<Item = (usize, usize)> {
        let within = self.edges.iter().filter(|edge| edge.omega == 0);
        within.map(|edge| (edge.from as usize, edge.to as usize))
    }

    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }
}

/// Overlaps the iterations of a loop of `trips` iterations; `known` is a schedule that was found before registers were given
/// away. Otherwise returns why it doesn't.
pub(super) fn pipeline(
    isa: &CoreIsa,
    insts: &[Inst],
    trips: Option<u32>,
    known: Option<(LoopReport, Vec<(i32, Slot)>)>,
) -> Result<Pipelined, LoopReport> {
    let nodes: Vec<Node> = insts.iter().map(|inst| Node::new(isa, inst)).collect();
    let mut alone = insts.to_vec();
    let regions = schedule_block(isa, &mut alone, true);
    let length: usize = regions.iter().map(|region| region.bundles.len()).sum();
    let search = ModuloSearch::new(isa, nodes, length as u32, trips)?;
    let confirmed = known.and_then(|(report, chosen)| search.confirm(&report, &chosen));
    let found = match confirmed {
        Some(schedule) => schedule,
        None => search.run(0)?,
    };
    Ok(unroll(insts, search.nodes, found))
}

/// Writes the bundles before, of and after the loop.
fn unroll(insts: &[Inst], nodes: Vec<Node>, schedule: ModuloSchedule) -> Pipelined {
    let ModuloSchedule {
        times,
        forms,
        report,
    } = schedule;
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
        .zip(&times)
        .map(|(node, time)| *time - interval as i32 + node.drain as i32)
        .max();
    // Ends when all of the last iteration has landed.
    let issued = epilogue.iter().rposition(|bundle| !bundle.is_empty());
    let drained = drained.unwrap_or(0).max(0) as usize;
    epilogue.resize(
        drained.max(issued.map_or(0, |last| last + 1)),
        Bundle::new(),
    );
    let insts = insts.iter().zip(&nodes).zip(&forms);
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
        nodes,
        times,
        forms,
    }
}
