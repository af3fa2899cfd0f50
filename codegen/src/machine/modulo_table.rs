//! Bundles of an interval, in which each instruction of a loop has one place for all iterations.

use aiec_core::{CoreIsa, Port, SlotSet};
use smallvec::SmallVec;

use super::schedule::Node;

/// An edge: `to` of the iteration `omega` later is issued at least `distance` bundles after `from`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Edge {
    pub from: u32,
    pub to: u32,
    pub distance: i32,
    pub omega: i32,
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

/// The bundles of an interval with their instructions.
pub(super) struct Table<'a> {
    isa: &'a CoreIsa,
    pub nodes: &'a [Node],
    rows: Vec<Row>,
    /// Where each node is, with its form.
    placed: Vec<Option<(i32, u8)>>,
}

impl<'a> Table<'a> {
    pub fn new(isa: &'a CoreIsa, nodes: &'a [Node], interval: u32) -> Table<'a> {
        Table {
            isa,
            nodes,
            rows: vec![Row::default(); interval as usize],
            placed: vec![None; nodes.len()],
        }
    }

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

    pub fn is_free(&self, node: u32, form: u8, at: i32) -> bool {
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
    pub fn conflicts(&self, node: u32, form: u8, at: i32) -> Vec<u32> {
        let mut found = Vec::new();
        if !self.has_slot(node, form, at) {
            // All nodes of the row make room: to choose among them isn't worth a search.
            found.extend(
                self.rows[self.row(at)]
                    .nodes
                    .iter()
                    .map(|(other, _)| *other),
            );
        }
        if self.add_port_holders(node, form, at, &mut found) {
            found.push(node);
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Adds the nodes that hold a port which a form needs; returns whether it needs one of them twice in a row of the table.
    fn add_port_holders(&self, node: u32, form: u8, at: i32, found: &mut Vec<u32>) -> bool {
        let wanted = self.ports(node, form, at);
        let mut needs_twice = false;
        for (index, (port, row)) in wanted.iter().enumerate() {
            needs_twice |= wanted[..index].contains(&(*port, *row));
            let held = self.rows[*row].ports.iter();
            found.extend(
                held.filter(|(known, _)| known == port)
                    .map(|(_, other)| *other),
            );
        }
        needs_twice
    }

    /// The nodes that have the slot or a port that a form needs; none if it wouldn't fit without them either.
    pub fn holders(&self, node: u32, form: u8, at: i32) -> Option<Vec<u32>> {
        let row = &self.rows[self.row(at)];
        let slot = self.nodes[node as usize].forms[usize::from(form)].slot;
        let slot_of =
            |(other, form): &(u32, u8)| self.nodes[*other as usize].forms[usize::from(*form)].slot;
        let (same, others): (Vec<_>, Vec<_>) =
            row.nodes.iter().partition(|placed| slot_of(placed) == slot);
        let left = others.iter().fold(SlotSet::default(), |slots, placed| {
            slots.with(slot_of(placed))
        });
        self.isa.shortest_format(left.with(slot))?;
        let mut found: Vec<u32> = same.into_iter().map(|(other, _)| other).collect();
        if self.add_port_holders(node, form, at, &mut found) {
            return None;
        }
        found.sort_unstable();
        found.dedup();
        Some(found)
    }

    /// Takes a node out; returns where it was.
    pub fn remove(&mut self, node: u32) -> Option<i32> {
        let (at, form) = self.placed[node as usize].take()?;
        for (_, row) in self.ports(node, form, at) {
            self.rows[row].ports.retain(|(_, holder)| *holder != node);
        }
        let nodes = self.nodes;
        let slot_of =
            |(node, form): &(u32, u8)| nodes[*node as usize].forms[usize::from(*form)].slot;
        let row = self.row(at);
        let row = &mut self.rows[row];
        row.nodes.retain(|(known, _)| *known != node);
        let slots = row.nodes.iter().map(slot_of);
        row.slots = slots.fold(SlotSet::default(), SlotSet::with);
        Some(at)
    }

    /// Bundles of the interval.
    pub fn interval(&self) -> i32 {
        self.rows.len() as i32
    }

    /// Where a node is, if it has a place.
    pub fn time(&self, node: u32) -> Option<i32> {
        self.placed[node as usize].map(|(at, _)| at)
    }

    /// Times and forms of the nodes, if each has a place.
    pub fn places(&self) -> Option<(Vec<i32>, Vec<u8>)> {
        self.placed.iter().copied().collect()
    }

    pub fn add(&mut self, node: u32, form: u8, at: i32) {
        let slot = self.nodes[node as usize].forms[usize::from(form)].slot;
        for (port, row) in self.ports(node, form, at) {
            self.rows[row].ports.push((port, node));
        }
        let row = self.row(at);
        self.rows[row].nodes.push((node, form));
        self.rows[row].slots = self.rows[row].slots.with(slot);
        self.placed[node as usize] = Some((at, form));
    }
}
