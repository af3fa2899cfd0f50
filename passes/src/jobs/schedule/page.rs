//! A page's jobs: one for each independent part, with local barriers and launches between them.

use aiec_cert::isa::Barrier;
use aiec_cert::page::PAGE_BYTES;
use aiec_cert::program::{JobKind, Phase};
use rustc_hash::FxHashMap;

use super::Scheduler;
use super::job::Element;
use crate::jobs::Jobs;
use crate::jobs::barriers::{SyncPoint, launch, missing, number, places};
use crate::jobs::estimate;
use crate::jobs::graph::EVERYTHING;
use crate::jobs::pages::PageItem;
use crate::jobs::plan::{LocalSync, Page, PlanMark};

/// Numbers of local barriers that a controller uses. An assembler takes all users of a number for one group that shares
/// a page, so that a controller uses each on one page only.
const LOCAL_BARRIERS: u8 = Barrier::LOCAL_COUNT;

/// Which jobs of a page are launched by others instead of meeting them.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Launching {
    /// Those that have nothing to do before: it saves a barrier and time.
    Early,
    /// Those too that could do something before: it saves barriers, where there are too few.
    Late,
    /// None.
    No,
}

/// Why a page can't be divided in a way.
enum DivisionRefusal {
    /// There aren't enough local barriers.
    Numbers,
    /// An assembler might put a launched job on another page.
    Apart,
    /// The jobs don't fit the page.
    Room,
}

impl Scheduler<'_> {
    /// The jobs of a page.
    pub(super) fn page(&mut self, steps: Vec<PageItem>, phase: Phase) -> Page {
        let lanes = self.lanes(&steps, phase);
        let mark = (self.plan.mark(), self.local_used);
        let mut launching = Some(Launching::Early).filter(|_| lanes.iter().any(|lane| *lane != 0));
        while let Some(way) = launching {
            let divided = self.divided(&steps, &lanes, way);
            let apart = !self.plan.syncs_since(mark.0);
            launching = match (way, divided) {
                (_, Ok(page)) if apart => return page,
                (_, Ok(page)) => {
                    // Jobs that wait for one another all the time are better one.
                    let cycles = estimate::page_cycles(self.model, &self.plan, &page);
                    self.undo(mark);
                    let whole = self.whole(&steps, phase);
                    let other = estimate::page_cycles(self.model, &self.plan, &whole);
                    if estimate::well_below(other, cycles) {
                        return whole;
                    }
                    self.undo(mark);
                    if let Ok(page) = self.divided(&steps, &lanes, way) {
                        return page;
                    }
                    None
                }
                (Launching::Early, Err(DivisionRefusal::Numbers)) => Some(Launching::Late),
                (Launching::Early | Launching::Late, Err(DivisionRefusal::Apart)) => {
                    Some(Launching::No)
                }
                _ => None,
            };
            self.undo(mark);
        }
        self.whole(&steps, phase)
    }

    /// Drops everything made since a mark.
    fn undo(&mut self, (mark, local_used): (PlanMark, u8)) {
        self.plan.back_to(mark);
        self.local_used = local_used;
    }

    /// One job that does everything.
    fn whole(&mut self, steps: &[PageItem], phase: Phase) -> Page {
        let elements = steps.iter().cloned().map(Element::Item).collect();
        vec![self.job(elements, phase)]
    }

    /// The job of each step: one for each component, if the page can be divided.
    fn lanes(&self, steps: &[PageItem], phase: Phase) -> Vec<u32> {
        let whole = vec![0; steps.len()];
        if self.jobs != Jobs::Parallel || phase == Phase::Configure {
            return whole;
        }
        let mut numbers: FxHashMap<usize, u32> = FxHashMap::default();
        let mut lanes = Vec::with_capacity(steps.len());
        for step in steps {
            let PageItem::Op { node, .. } = step else {
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

    /// Several jobs with local barriers and launches between them.
    fn divided(
        &mut self,
        steps: &[PageItem],
        lanes: &[u32],
        launching: Launching,
    ) -> Result<Page, DivisionRefusal> {
        let mut list = self.sync_points_of(steps, lanes, launching);
        // Bits of the numbers, which are below `LOCAL_BARRIERS`.
        let barriers = list.iter().filter(|m| !m.launch);
        let numbers = barriers.fold(0u32, |bits, m| bits | 1 << m.id);
        let taken = numbers.count_ones() as u8;
        if self.local_used + taken > LOCAL_BARRIERS {
            return Err(DivisionRefusal::Numbers);
        }
        for meeting in &mut list {
            meeting.id = self.local_used + (numbers & ((1 << meeting.id) - 1)).count_ones() as u8;
        }
        self.local_used += taken;
        let count = lanes.iter().max().map_or(1, |lane| lane + 1);
        let mut page = Page::new();
        for lane in 0..count {
            let mut elements = Vec::new();
            let mut mine = list.iter().filter(|m| m.parties.contains(&lane)).peekable();
            for (at, step) in steps.iter().enumerate() {
                if lanes[at] != lane {
                    continue;
                }
                while let Some(meeting) = mine.next_if(|m| m.before <= at) {
                    elements.extend(Element::of_sync_point(meeting, lane));
                }
                elements.push(Element::Item(step.clone()));
            }
            elements.extend(mine.filter_map(|meeting| Element::of_sync_point(meeting, lane)));
            let mut job = self.job(elements, Phase::Run);
            job.id = lane as u16;
            let launched = |m: &SyncPoint| m.launch && m.parties.last() == Some(&lane);
            if list.iter().any(launched) {
                job.kind = JobKind::Deferred;
            }
            page.push(job);
        }
        if self.plan.page_bytes(&page) > PAGE_BYTES {
            return Err(DivisionRefusal::Room);
        }
        // An assembler takes launched jobs to the page of their launcher, but not those that a job
        // launches which it takes to a page as another one's partner at a barrier. These come
        // later, and count their data again: there must be room for that.
        let launches = list.iter().any(|meeting| meeting.launch);
        if launches && self.plan.unshared_bytes(&page) > PAGE_BYTES {
            return Err(DivisionRefusal::Apart);
        }
        let syncs = list.iter().map(|meeting| local_sync(steps, lanes, meeting));
        self.plan.local_syncs.extend(syncs);
        Ok(page)
    }

    /// Where the jobs of a page meet, or launch others.
    fn sync_points_of(
        &self,
        steps: &[PageItem],
        lanes: &[u32],
        launching: Launching,
    ) -> Vec<SyncPoint> {
        let mut place: FxHashMap<usize, usize> = FxHashMap::default();
        let mut first: FxHashMap<u32, usize> = FxHashMap::default();
        for (at, step) in steps.iter().enumerate() {
            first.entry(lanes[at]).or_insert(at);
            if let PageItem::Op { node, .. } = step {
                place.insert(*node, at);
            }
        }
        let mut edges = Vec::new();
        for (node, to) in &place {
            let from = self.incoming.get(node).into_iter().flatten();
            edges.extend(from.filter_map(|from| Some((*place.get(from)?, *to))));
        }
        edges.sort_unstable();
        let party = |at: usize| lanes[at];
        let mut list = places(&party, &edges);
        if launching != Launching::No {
            let late = launching == Launching::Late;
            launch(&mut list, &party, &edges, &first, late);
        }
        number(&mut list, LOCAL_BARRIERS);
        debug_assert_eq!(missing(&party, &edges, &list), [], "unmet edges");
        list
    }
}

/// Which nodes a meeting of jobs is between.
fn local_sync(steps: &[PageItem], lanes: &[u32], meeting: &SyncPoint) -> LocalSync {
    let node = |at: usize| match steps.get(at) {
        Some(PageItem::Op { node, .. }) => Some(*node),
        _ => None,
    };
    let of = |lane: u32| move |at: &usize| lanes[*at] == lane;
    let before = |lane: &u32| (0..meeting.before).rev().find(of(*lane)).and_then(node);
    let behind = |lane: &u32| (meeting.before..steps.len()).find(of(*lane)).and_then(node);
    let (from, to) = match (meeting.launch, &meeting.parties[..]) {
        (true, [by, party]) => (
            before(by).into_iter().collect(),
            lanes
                .iter()
                .position(|lane| lane == party)
                .and_then(node)
                .into_iter()
                .collect(),
        ),
        (_, parties) => (
            parties.iter().filter_map(before).collect(),
            parties.iter().filter_map(behind).collect(),
        ),
    };
    LocalSync {
        barrier: (!meeting.launch).then_some(meeting.id),
        from,
        to,
    }
}
