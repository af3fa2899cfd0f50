//! Code around a loop whose iterations overlap: what comes before it is issued in the bundles too in which its first iterations
//! begin, what comes after it in those in which its last ones end.
//!
//! The bundles of the loop keep their distances from each other. What comes before has its last bundle each from those that wait
//! for it; the loop begins as early as all of that finds bundles. All of it has taken place when the loop's bundles are repeated for
//! the first time, so that it meets nothing that comes after the loop.
//!
//! Overlapping iterations read registers while later results are under way to them. So nothing that the core may wait in is
//! among these bundles: locks, streams, stores of a part of a word; nor are events, which say when the loop begins and ends.
//!
//! Where nothing but straight code is between two such loops, the end of the first one, that code and the begin of the second one are
//! issued together.

use aiec_core::{CoreIsa, PART_WORD_BUNDLES};

use super::layout::MIN_SETUP;
use super::pipeline::{Pipelined, hold_banks};
use super::schedule::{Bundle, Node, Scheduler, Waiting, graph, heights};

/// Instructions around a loop beyond which little of them is gained.
const MAX_AROUND: usize = 128;
/// Bundles that the loop begins later, at most, than what comes before allows if bundles had room for everything.
const MAX_LATER: u32 = 32;
/// Bundles after which nothing is under way any more.
const LONGEST: u32 = 16;

/// Bundles of a loop with what is around it.
pub(super) struct Joined {
    /// The bundles: indices into what comes before, the loop and what comes after, one after another.
    pub bundles: Vec<Bundle>,
    /// The first bundle of the loop among these.
    pub first: usize,
    /// The forms of the instructions around.
    pub forms: Vec<u8>,
}

/// Nodes of a region and of a loop in the order of the program.
fn in_order(first: &[Node], second: &[Node]) -> Vec<Node> {
    let all = first.iter().chain(second);
    all.map(Node::in_any_iteration).collect()
}

fn stores_part(nodes: &[Node]) -> bool {
    nodes.iter().any(Node::stores_part_of_word)
}

/// Issues what comes before a loop and the loop's bundles before the repeated ones.
pub(super) fn join_before(isa: &CoreIsa, before: &[Node], of: &Pipelined) -> Option<Joined> {
    let count = before.len();
    let has_end = before.iter().any(|node| node.is_branch);
    if count == 0 || count > MAX_AROUND || has_end || of.report.stages < 2 {
        return None;
    }
    let interval = of.report.interval as i32;
    // From the first bundle of the loop to the first one that is repeated.
    let begin = (of.report.stages as i32 - 1) * interval;
    let nodes = in_order(before, &of.nodes);
    let graph = graph(isa, &nodes, false);
    // Bundles before the loop's first one that each is issued at the latest.
    let mut lead = vec![0_i32; count];
    for at in (0..count).rev() {
        let node = &before[at];
        let mut least = (1 - begin).max(node.drain as i32 - begin - interval);
        if node.keeps_its_place() {
            least = least.max(1);
        }
        if node.stores_part_of_word() {
            least = least.max(i32::from(PART_WORD_BUNDLES));
        }
        if node.sets_loop_up() {
            least = least.max(MIN_SETUP as i32 - (begin + interval - 1));
        }
        for (to, distance) in &graph.successors[at] {
            let later = match (*to as usize).checked_sub(count) {
                None => lead[*to as usize],
                Some(of_loop) => -of.times[of_loop],
            };
            least = least.max(distance + later);
        }
        lead[at] = least;
    }
    let mut soonest = vec![0_i32; count];
    for at in 0..count {
        let here = soonest[at];
        for (to, distance) in &graph.successors[at] {
            if let Some(known) = soonest.get_mut(*to as usize) {
                *known = (*known).max(here + distance);
            }
        }
    }
    let least = soonest
        .iter()
        .zip(&lead)
        .map(|(soonest, lead)| soonest + lead);
    let least = least.max().unwrap_or(0).max(0) as u32;
    (least..=least + MAX_LATER).find_map(|first| {
        let mut scheduler = Scheduler::new(isa, &nodes);
        let end = first as i32 + begin;
        for iteration in 0..of.report.stages as i32 {
            for (node, (time, form)) in of.times.iter().zip(&of.forms).enumerate() {
                let at = first as i32 + iteration * interval + time;
                if at < end + interval {
                    scheduler.issue(count + node, *form, at as u32);
                }
            }
        }
        let latest: Vec<i32> = lead.iter().map(|lead| first as i32 - lead).collect();
        let mut waiting = Waiting {
            graph: &graph,
            rank: &lead,
            earliest: vec![0; nodes.len()],
            waits: graph.predecessors.clone(),
            latest: Some(&latest),
        };
        if !scheduler.fill(0..count, &mut waiting, 0) {
            return None;
        }
        scheduler.bundles.resize(end as usize, Bundle::new());
        scheduler.forms.truncate(count);
        Some(Joined {
            bundles: scheduler.bundles,
            first: first as usize,
            forms: scheduler.forms,
        })
    })
}

/// Whether overlapping iterations may go on around an instruction: registers are read there while later results are under way to
/// them, so that the core must not wait in it.
fn may_be_between(node: &Node) -> bool {
    !(node.is_branch || node.keeps_its_place() || node.stores_part_of_word())
}

/// Issues the end of a loop, what comes between it and the next one, and the begin of that together: all bundles after the repeated
/// ones of the first loop and before those of the second one. Indices are into the first loop, what is between, and the second one.
pub(super) fn join_between(
    isa: &CoreIsa,
    ended: &Pipelined,
    between: &[Node],
    begun: &Pipelined,
) -> Option<Joined> {
    let count = between.len();
    if count > MAX_AROUND || ended.report.stages < 2 || begun.report.stages < 2 {
        return None;
    }
    let all = ended.nodes.iter().chain(between).chain(&begun.nodes);
    let mut nodes: Vec<Node> = all.cloned().collect();
    hold_banks(&mut nodes);
    let nodes: Vec<Node> = nodes.iter().map(Node::in_any_iteration).collect();
    if !nodes.iter().all(may_be_between) {
        return None;
    }
    let graph = graph(isa, &nodes, true);
    let (own, next) = (ended.nodes.len(), ended.nodes.len() + count);
    let [old, interval] = [ended, begun].map(|of| of.report.interval as i32);
    // Times are counted from the first bundle after the repeated ones. The last iteration of the first loop begins before.
    let time_of_old = |node: usize| ended.times[node] - old;
    let begin = (begun.report.stages as i32 - 1) * interval;
    // Bundles to the first one of the second loop that each has at least.
    let mut lead = vec![0_i32; count];
    for at in (0..count).rev() {
        let node = &between[at];
        let mut least = (1 - begin).max(node.drain as i32 - begin - interval);
        if node.sets_loop_up() {
            least = least.max(MIN_SETUP as i32 - (begin + interval - 1));
        }
        for (to, distance) in &graph.successors[own + at] {
            let to = *to as usize;
            let later = match to.checked_sub(next) {
                None => lead[to - own],
                Some(of_loop) => -begun.times[of_loop],
            };
            least = least.max(distance + later);
        }
        lead[at] = least;
    }
    let mut soonest = vec![0_i32; nodes.len()];
    let mut least = 0;
    for at in 0..next {
        if at < own {
            soonest[at] = time_of_old(at);
            let drained = soonest[at] + nodes[at].drain as i32;
            least = least.max(drained - begin - interval);
        } else {
            least = least.max(soonest[at] + lead[at - own]);
        }
        for (to, distance) in &graph.successors[at] {
            let to = *to as usize;
            if to < own {
                continue;
            }
            let here = soonest[at] + distance;
            match to.checked_sub(next) {
                None => soonest[to] = soonest[to].max(here),
                Some(of_loop) => least = least.max(here - begun.times[of_loop]),
            }
        }
    }
    // As many repetitions as something may be under way from.
    let repeated = LONGEST.div_ceil(old as u32) as i32;
    let start = repeated * old;
    let mut ending = Scheduler::new(isa, &nodes);
    for iteration in (1..repeated + ended.report.stages as i32).rev() {
        let from = start - iteration * old;
        for (node, form) in ended.forms.iter().enumerate() {
            let at = from + ended.times[node];
            if at >= 0 {
                ending.issue(node, *form, at as u32);
            }
        }
    }
    let rank: Vec<i32> = (0..nodes.len())
        .map(|node| {
            let place = node.checked_sub(own);
            place
                .and_then(|place| lead.get(place))
                .copied()
                .unwrap_or(0)
        })
        .collect();
    (least..=least + MAX_LATER as i32).find_map(|first| {
        let mut scheduler = ending.clone();
        let end = start + first + begin;
        for iteration in 0..begun.report.stages as i32 {
            for (node, (time, form)) in begun.times.iter().zip(&begun.forms).enumerate() {
                let at = start + first + iteration * interval + time;
                if at < end + interval {
                    if !scheduler.has_room(next + node, *form, at as u32) {
                        return None;
                    }
                    scheduler.issue(next + node, *form, at as u32);
                }
            }
        }
        let latest: Vec<i32> = (0..nodes.len())
            .map(|node| match node.checked_sub(own) {
                Some(place) if place < count => start + first - lead[place],
                _ => i32::MAX,
            })
            .collect();
        let mut waiting = Waiting {
            graph: &graph,
            rank: &rank,
            earliest: soonest.iter().map(|at| (start + at).max(start)).collect(),
            waits: graph.predecessors.clone(),
            latest: Some(&latest),
        };
        for to in graph.successors[..own].iter().flatten() {
            waiting.waits[to.0 as usize] -= 1;
        }
        if !scheduler.fill(own..next, &mut waiting, start as u32) {
            return None;
        }
        scheduler.bundles.truncate(end as usize);
        scheduler.bundles.resize(end as usize, Bundle::new());
        Some(Joined {
            bundles: scheduler.bundles.split_off(start as usize),
            first: 0,
            forms: scheduler.forms[own..next].to_vec(),
        })
    })
}

/// Issues the loop's bundles after the repeated ones and what comes after it.
pub(super) fn join_after(isa: &CoreIsa, after: &[Node], of: &Pipelined) -> Option<Joined> {
    let count = of.nodes.len();
    if after.is_empty() || after.len() > MAX_AROUND || stores_part(&of.nodes) {
        return None;
    }
    let interval = of.report.interval;
    let nodes = in_order(&of.nodes, after);
    let graph = graph(isa, &nodes, false);
    let mut scheduler = Scheduler::new(isa, &nodes);
    // As many repetitions as something may be under way from.
    let repeated = LONGEST.div_ceil(interval);
    let end = repeated * interval;
    let stage = |node: usize| of.times[node] as u32 / interval;
    // In the order of iterations, as in the loop.
    let mut by_stage: Vec<usize> = (0..count).collect();
    by_stage.sort_by_key(|node| std::cmp::Reverse(stage(*node)));
    let (mut issued, mut drained) = (end, end);
    for pass in 0..repeated + of.report.stages - 1 {
        for node in &by_stage {
            // Iterations that began before the end.
            if pass < repeated || stage(*node) > pass - repeated {
                let at = pass * interval + of.times[*node] as u32 % interval;
                scheduler.issue(*node, of.forms[*node], at);
                issued = issued.max(at + 1);
                drained = drained.max(at + nodes[*node].drain);
            }
        }
    }
    let mut waiting = Waiting {
        graph: &graph,
        rank: &heights(&graph, &nodes),
        earliest: vec![end as i32; nodes.len()],
        waits: graph.predecessors.clone(),
        latest: None,
    };
    // The last iteration begins with the last repetition.
    let last = (end - interval) as i32;
    for (node, time) in of.times.iter().enumerate() {
        for (to, distance) in &graph.successors[node] {
            let to = *to as usize;
            waiting.waits[to] -= 1;
            waiting.earliest[to] = waiting.earliest[to].max(last + time + distance);
        }
    }
    for (at, node) in nodes.iter().enumerate().skip(count) {
        if node.keeps_its_place() || node.stores_part_of_word() {
            waiting.earliest[at] = waiting.earliest[at].max(issued as i32);
        }
    }
    scheduler.finish_region(count, &mut waiting, end, drained);
    Some(Joined {
        bundles: scheduler.bundles.split_off(end as usize),
        first: 0,
        forms: scheduler.forms.split_off(count),
    })
}

#[cfg(test)]
mod tests {
    use aiec_core::{CoreArch, CoreIsa};

    use crate::machine::assemble;
    use crate::test_cores::test_core;

    /// The text of each bundle of a core with a loop of 64 lanes of i32 and a store after it.
    fn bundles(arch: CoreArch) -> Vec<String> {
        let buffers = "%a = aie.buffer(%tile) {address = 8192 : i32} : memref<1024xi32>
           %b = aie.buffer(%tile) {address = 16384 : i32} : memref<1024xi32>
           %c = aie.buffer(%tile) {address = 24576 : i32} : memref<1xi32>";
        let body = "%c0 = arith.constant 0 : index
           %c1 = arith.constant 1 : index
           %c1024 = arith.constant 1024 : index
           %k = arith.constant 7 : i32
           scf.for %i = %c0 to %c1024 step %c1 {
             %x = memref.load %a[%i] : memref<1024xi32>
             %y = arith.addi %x, %k : i32
             memref.store %y, %b[%i] : memref<1024xi32>
           }
           memref.store %k, %c[%c0] : memref<1xi32>";
        let (made, diags) = test_core(arch, buffers, body, 4096);
        let made = made.unwrap_or_else(|_| panic!("{diags:?}"));
        let code = assemble(&made.program).expect("its code");
        let isa = CoreIsa::of(arch);
        let mut rest = &code.bytes[..];
        let mut bundles = Vec::new();
        while !rest.is_empty() {
            let bundle = isa.decode(rest).expect("a bundle");
            bundles.push(isa.bundle_text(&bundle));
            rest = &rest[usize::from(bundle.length)..];
        }
        bundles
    }

    #[test]
    fn a_loop_begins_while_it_is_set_up_and_ends_while_others_are_issued() {
        for arch in CoreArch::ALL {
            let bundles = bundles(arch);
            let first = |word: &str| bundles.iter().position(|text| text.contains(word));
            let last = |word: &str| bundles.iter().rposition(|text| text.contains(word));
            let (load, setup) = (first("vlda"), last(" ls, "));
            assert!(load.is_some() && load < setup, "{arch}: {bundles:#?}");
            let (other, store) = (last("movxm p"), last("vst"));
            assert!(
                first("vst") < other && other < store,
                "{arch}: {bundles:#?}"
            );
        }
    }
}
