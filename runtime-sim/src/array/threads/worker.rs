//! A thread with its own array, in which columns of another array run for a while.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use aiec_device::DeviceModel;

use super::barrier::{BarrierParticipant, CycleBarrier};
use super::column::ColumnParts;
use super::limits::GroupLimits;
use crate::array::sched::Event;
use crate::array::{Array, CorePrint, Timing};
use crate::host::HostMemory;
use crate::time::Cycle;

/// A group of columns on its way to a worker and back.
#[derive(Debug)]
pub(super) struct ColumnGroup {
    pub limits: GroupLimits,
    pub columns: Vec<ColumnParts>,
    pub events: Vec<Event>,
    /// Copies of the bytes that the group accesses.
    pub host: HostMemory,
    /// Values that its cores have shown.
    pub prints: Vec<CorePrint>,
    /// The cycle of its last event.
    pub now: Cycle,
    /// When something other than a core acted last.
    pub last_progress: Cycle,
}

/// How groups run beside each other.
#[derive(Debug, Clone)]
pub(super) struct GroupSession {
    pub barrier: Arc<CycleBarrier>,
    /// Their events before this cycle have happened.
    pub from: Cycle,
    /// They run up to and including this cycle at most.
    pub to: Cycle,
    /// Minimum cycles from one meeting to the next.
    pub least: Cycle,
    /// The number of the streams' configuration.
    pub epoch: u32,
    pub word_by_word: bool,
}

/// A thread that lets columns run.
#[derive(Debug)]
pub(super) struct ColumnWorker {
    groups: Sender<(GroupSession, Box<ColumnGroup>)>,
    done: Receiver<Box<ColumnGroup>>,
}

impl ColumnWorker {
    /// Begins a thread for arrays of a device; it ends when the worker is dropped. `None` if the system has no more
    /// threads.
    pub fn begin(device: &'static DeviceModel, timing: Timing) -> Option<ColumnWorker> {
        let (groups, received) = channel();
        let (returned, done) = channel();
        let work = move || work(Array::new(device, timing), &received, &returned);
        let thread = thread::Builder::new().name("columns".to_string());
        thread.spawn(work).ok()?;
        Some(ColumnWorker { groups, done })
    }

    /// Lets a group run; false if the thread is gone.
    pub fn run(&self, session: GroupSession, group: ColumnGroup) -> bool {
        self.groups.send((session, Box::new(group))).is_ok()
    }

    /// Waits for the group; `None` if the thread has panicked.
    pub fn take_back(&self) -> Option<Box<ColumnGroup>> {
        self.done.recv().ok()
    }
}

fn work(
    mut array: Array,
    groups: &Receiver<(GroupSession, Box<ColumnGroup>)>,
    returned: &Sender<Box<ColumnGroup>>,
) {
    while let Ok((session, mut group)) = groups.recv() {
        let _participant = BarrierParticipant(&session.barrier);
        array.net.epoch = session.epoch;
        array.net.fabric.word_by_word = session.word_by_word;
        let events = std::mem::take(&mut group.events);
        array.net.fabric.sched.put_events(events);
        for column in std::mem::take(&mut group.columns) {
            array.put_column(column);
        }
        std::mem::swap(&mut array.host, &mut group.host);
        (array.now, array.last_progress) = (group.now, group.last_progress);
        let limits = std::mem::take(&mut group.limits);
        (group.limits, _) = array.run_group(limits, &session);
        group.prints = std::mem::take(&mut array.prints.kept);
        group.events = array.net.fabric.sched.take_events(|_| true);
        let columns = group.limits.columns.iter();
        group.columns = columns.map(|&column| array.take_column(column)).collect();
        std::mem::swap(&mut array.host, &mut group.host);
        (group.now, group.last_progress) = (array.now, array.last_progress);
        if returned.send(group).is_err() {
            return;
        }
    }
}
