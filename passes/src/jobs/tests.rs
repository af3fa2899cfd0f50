//! Plans of small programs, executed on a memory of words.

use std::collections::BTreeMap;

use aiec_aie::ir::Loc;
use aiec_cert::isa::{Barrier, Op, SymOp};
use aiec_cert::page::PAGE_BYTES;
use aiec_cert::program::JobKind;
use aiec_cert::timing::CertTiming;
use aiec_device::regmap::{QueueEntry, RegisterRef};
use aiec_device::{ChannelId, DeviceModel, DmaDir, TileKind, TileLoc};

use super::encode::PATCHED_WORDS;
use super::graph::{DepKind, Graph, GraphInput};
use super::partition::partition;
use super::plan::{Page, Plan};
use super::schedule::schedule;
use super::{Jobs, estimate};
use crate::regops::{RegAction, RegOp};
use aiec_regprog::network::CoreUses;

fn model() -> &'static DeviceModel {
    DeviceModel::by_name("npu2").unwrap()
}

fn plan(config: Vec<RegOp>, sequence: Vec<RegOp>, jobs: Jobs) -> Plan {
    let graph = Graph::of(model(), config, sequence, &CoreUses::new(), jobs);
    let plan = schedule(model(), &graph, jobs);
    for page in plan.controllers.iter().flat_map(|c| &c.pages) {
        assert!(plan.page_bytes(page) <= PAGE_BYTES);
    }
    plan
}

/// Same as [`plan`], with the division that is estimated to take the least.
fn divided(sequence: Vec<RegOp>, jobs: Jobs) -> Plan {
    let uses = CoreUses::new();
    let work = GraphInput::new(Vec::new(), sequence, &uses);
    schedule(model(), &partition(model(), &work, jobs), jobs)
}

/// The writes of a plan in the order of its text.
fn writes(plan: &Plan) -> Vec<(u32, u32)> {
    let mut writes = Vec::new();
    for instruction in plan.instructions() {
        match instruction {
            Op::Write32 { address, value } => writes.push((*address, *value)),
            other => {
                for bd in plan.chain_of(other) {
                    let words = plan.words(bd.local).iter().take(bd.words as usize);
                    let place = |n: usize| bd.remote as u32 + 4 * n as u32;
                    writes.extend(words.enumerate().map(|(n, word)| (place(n), *word)));
                }
            }
        }
    }
    writes
}

fn at(tile: TileLoc, what: RegisterRef) -> u32 {
    model().register_address(tile, what).unwrap()
}

fn shim(col: u8) -> TileLoc {
    TileLoc::new(col, 0)
}

fn core(col: u8) -> TileLoc {
    TileLoc::new(col, 2)
}

fn image(col: u8, bd: u8, argument: u32, offset: u32, words: u32) -> RegOp {
    let image = vec![words, offset, 0, 0, 0, 0, 0, 1 << 25];
    RegOp {
        action: RegAction::PatchedBd {
            address: at(shim(col), RegisterRef::BdWord { bd, word: 0 }),
            words: image,
            argument,
        },
        loc: Loc::UNKNOWN,
    }
}

fn push(col: u8, dir: DmaDir, bd: u8) -> RegOp {
    let entry = QueueEntry {
        bd,
        repeat: 0,
        token: true,
    };
    let word = entry.pack(model().arch(), TileKind::ShimNoc, dir);
    let queue = RegisterRef::DmaQueue { dir, channel: 0 };
    RegOp::write(at(shim(col), queue), word.unwrap().unwrap(), Loc::UNKNOWN)
}

fn wait(col: u8, dir: DmaDir) -> RegOp {
    RegOp::wait(ChannelId::new(shim(col), dir, 0), 1, Loc::UNKNOWN)
}

fn remote_barriers(plan: &Plan) -> Vec<u32> {
    let of = |op: &SymOp| match op {
        Op::RemoteBarrier { party_mask, .. } => Some(*party_mask),
        _ => None,
    };
    plan.instructions().filter_map(of).collect()
}

#[test]
fn thousands_of_writes_fit_their_pages_and_say_the_same() {
    let memory = |byte| at(core(1), RegisterRef::DataMemory { byte });
    let mut config = Vec::new();
    for n in 0..4000u32 {
        config.push(RegOp::write(memory(n * 16), n, Loc::UNKNOWN));
    }
    let words: Vec<u32> = (0..3000).collect();
    let program = at(core(2), RegisterRef::ProgramMemory { byte: 0 });
    config.push(RegOp::block(program, words, Loc::UNKNOWN));
    let expected: BTreeMap<u32, u32> = config
        .iter()
        .flat_map(aiec_regprog::known_values::words_of)
        .collect();
    for jobs in Jobs::ALL {
        let plan = plan(config.clone(), Vec::new(), jobs);
        let written: BTreeMap<u32, u32> = writes(&plan).into_iter().collect();
        assert_eq!(written, expected);
        let pages: usize = plan.controllers.iter().map(|c| c.pages.len()).sum();
        assert!(pages > 5);
    }
}

#[test]
fn equal_contents_are_one_datum_of_a_page() {
    let words: Vec<u32> = (0..900).map(|n| n * 7).collect();
    let program = |col| at(core(col), RegisterRef::ProgramMemory { byte: 0 });
    let config = (0..8)
        .map(|col| RegOp::block(program(col), words.clone(), Loc::UNKNOWN))
        .collect();
    let plan = plan(config, Vec::new(), Jobs::Single);
    assert_eq!(plan.controllers[0].pages.len(), 1);
    assert_eq!(plan.data.len(), 2, "the words and a chain");
}

#[test]
fn patched_images_are_never_shared_and_patched_before_they_are_written() {
    let sequence = vec![image(0, 0, 0, 0, 8), image(0, 1, 1, 0, 8)];
    let plan = plan(Vec::new(), sequence, Jobs::Single);
    let code = &plan.controllers[0].pages[0][0].code;
    let patch = |n: usize| match code[n].0 {
        Op::ApplyOffset57 { table, offset, .. } => (table, offset.index()),
        _ => panic!("no patch"),
    };
    assert_eq!([patch(0).1, patch(1).1], [Some(0), Some(1)]);
    let chain = plan.chain_of(&code[2].0);
    assert_eq!([chain[0].local, chain[1].local], [patch(0).0, patch(1).0]);
    assert_ne!(chain[0].local, chain[1].local);
    assert_eq!(chain[0].words, 8);
    assert_eq!(plan.words(chain[0].local).len(), PATCHED_WORDS);
}

#[test]
fn waits_for_one_actor_join() {
    let sequence = vec![
        wait(0, DmaDir::S2mm),
        wait(0, DmaDir::S2mm),
        wait(0, DmaDir::Mm2s),
    ];
    let plan = plan(Vec::new(), sequence, Jobs::Single);
    let tokens: Vec<u8> = plan
        .instructions()
        .filter_map(|i| match i {
            Op::WaitTcts { target_tcts, .. } => Some(*target_tcts),
            _ => None,
        })
        .collect();
    assert_eq!(tokens, [2, 1]);
}

/// Column 0 writes 64 bytes of argument 0; column 1 then reads `words` words from byte `offset`.
fn written_then_read(offset: u32, words: u32) -> Vec<RegOp> {
    vec![
        image(0, 0, 0, 0, 16),
        push(0, DmaDir::S2mm, 0),
        wait(0, DmaDir::S2mm),
        image(1, 0, 0, offset, words),
        push(1, DmaDir::Mm2s, 0),
        wait(1, DmaDir::Mm2s),
    ]
}

#[test]
fn controllers_meet_where_one_reads_what_another_wrote() {
    for jobs in [Jobs::PerColumn, Jobs::Parallel] {
        let met = plan(Vec::new(), written_then_read(60, 4), jobs);
        assert_eq!(remote_barriers(&met), [0b11, 0b11]);
        let apart = plan(Vec::new(), written_then_read(64, 4), jobs);
        assert!(remote_barriers(&apart).is_empty());
    }
    let single = plan(Vec::new(), written_then_read(60, 4), Jobs::Single);
    assert!(remote_barriers(&single).is_empty());
}

#[test]
fn images_are_written_while_tokens_are_pending() {
    let sequence = vec![
        image(0, 0, 0, 0, 16),
        push(0, DmaDir::S2mm, 0),
        wait(0, DmaDir::S2mm),
        image(0, 1, 0, 64, 16),
        push(0, DmaDir::S2mm, 1),
        wait(0, DmaDir::S2mm),
        // Number 1 may only be rewritten after the wait for its task.
        image(0, 1, 0, 128, 16),
        push(0, DmaDir::S2mm, 1),
    ];
    let plan = plan(Vec::new(), sequence, Jobs::Parallel);
    let code = &plan.controllers[0].pages[0][0].code;
    let at = |wanted: &dyn Fn(&SymOp) -> bool| {
        let found = code.iter().enumerate();
        let found = found.filter(|(_, (i, _))| wanted(i)).map(|(n, _)| n);
        found.collect::<Vec<_>>()
    };
    let waits = at(&|i| matches!(i, Op::WaitTcts { .. }));
    let started = at(&|i| matches!(i, Op::UcDmaWriteDes { .. }));
    assert_eq!((waits.len(), started.len()), (2, 1));
    assert_eq!(started[0] + 1, waits[0]);
    assert!(matches!(code[waits[0] + 1].0, Op::WaitUcDma { .. }));
    let last = code.last().map(|(i, _)| plan.chain_of(i).len());
    assert_eq!(last, Some(2), "image and push of the last task");
}

#[test]
fn jobs_of_a_page_meet_where_one_needs_the_other() {
    // Two components of one column: the second reads what the first wrote, while that goes on.
    let (out, back) = (DmaDir::S2mm, DmaDir::Mm2s);
    let sequence = vec![
        image(0, 0, 0, 0, 16),
        push(0, out, 0),
        wait(0, out),
        image(0, 1, 0, 32, 4),
        push(0, back, 1),
        wait(0, back),
        image(0, 2, 1, 0, 16),
        push(0, out, 2),
        wait(0, out),
    ];
    let barriers = |page: &Page| -> Vec<usize> {
        let jobs = page.iter().map(|job| {
            let code = job.code.iter();
            let first = Op::LocalBarrier {
                barrier: Barrier::local(0),
                num_participants: 2,
            };
            code.filter(|(i, _)| *i == first).count()
        });
        jobs.collect()
    };
    let both = plan(Vec::new(), sequence.clone(), Jobs::Parallel);
    assert_eq!(barriers(&both.controllers[0].pages[0]), [1, 1]);
    // If there is nothing that could go on, one job does it.
    let serial = (0..10).flat_map(|_| sequence[..6].to_vec()).collect();
    let serial = plan(Vec::new(), serial, Jobs::Parallel);
    assert_eq!(barriers(&serial.controllers[0].pages[0]), [0]);
}

/// Reads a word of one column's memory and writes it into another's.
fn copy(from: u8, to: u8, byte: u32) -> RegOp {
    let memory = |col| at(core(col), RegisterRef::DataMemory { byte });
    RegOp {
        action: RegAction::Copy {
            from: memory(from),
            add: 1,
            to: memory(to),
        },
        loc: Loc::UNKNOWN,
    }
}

#[test]
fn steps_that_wait_for_another_column_stay_on_one_controller() {
    let serial: Vec<RegOp> = (0..20).map(|n| copy(n % 2, (n + 1) % 2, 0)).collect();
    for jobs in [Jobs::PerColumn, Jobs::Parallel] {
        let by_columns = plan(Vec::new(), serial.clone(), jobs);
        assert!(remote_barriers(&by_columns).len() >= 2 * 19);
        let together = divided(serial.clone(), jobs);
        assert!(remote_barriers(&together).is_empty());
        assert_eq!(together.controllers.len(), 1);
        let [few, many] = [&together, &by_columns].map(|plan| estimate::cycles(model(), plan));
        assert!(estimate::well_below(few, many));
    }
}

#[test]
fn what_another_controller_does_keeps_its_order() {
    let uses = CoreUses::new();
    let memory = at(core(1), RegisterRef::DataMemory { byte: 0 });
    let config = vec![RegOp::write(memory, 1, Loc::UNKNOWN)];
    let sequence = vec![
        image(1, 0, 0, 0, 16),
        push(1, DmaDir::S2mm, 0),
        wait(1, DmaDir::S2mm),
        push(1, DmaDir::S2mm, 0),
    ];
    let work = GraphInput::new(config, sequence, &uses);
    // The wait is done by controller 0.
    let moved = [(2, 0)].into_iter().collect();
    let graph = Graph::of_work(model(), &work, Jobs::Parallel, &moved);
    let first = graph.first_of_sequence();
    assert_eq!(graph.nodes[first + 2].uc, 0);
    let edges: Vec<(usize, usize, DepKind)> = graph
        .remote_edges()
        .map(|edge| (edge.from, edge.to, edge.kind))
        .collect();
    let wanted = [
        (first - 1, first + 2, DepKind::Column),
        (first + 1, first + 2, DepKind::Channel),
        (first + 2, first + 3, DepKind::Wait),
    ];
    for edge in wanted {
        let found = edges
            .iter()
            .any(|(from, to, _)| (*from, *to) == (edge.0, edge.1));
        assert!(found, "{edge:?} in {edges:?}");
    }
}

#[test]
fn only_the_stretch_that_waits_stays_on_one_controller() {
    // Both columns have work of their own, then steps wait for one another.
    let own = |col: u8| {
        let memory = at(core(col), RegisterRef::DataMemory { byte: 64 });
        (0..200).map(move |n| RegOp::write(memory + 16 * n, n, Loc::UNKNOWN))
    };
    let mut sequence: Vec<RegOp> = own(0).chain(own(1)).collect();
    sequence.extend((0..20).map(|n| copy(n % 2, (n + 1) % 2, 0)));
    sequence.extend(own(0).chain(own(1)));
    let plan = divided(sequence, Jobs::Parallel);
    assert_eq!(plan.controllers.len(), 2, "their own work stays their own");
    let meetings = remote_barriers(&plan).len() / 2;
    assert!((1..=2).contains(&meetings), "{meetings} meetings");
}

#[test]
fn waits_stay_with_their_columns_unless_one_job_is_faster() {
    let waits = |plan: &Plan, uc: usize| {
        let code = plan.controllers[uc]
            .pages
            .iter()
            .flatten()
            .flat_map(|job| &job.code);
        code.filter(|(i, _)| matches!(i, Op::WaitTcts { .. }))
            .count()
    };
    // Nothing depends on the other column.
    let apart = divided(written_then_read(64, 4), Jobs::PerColumn);
    assert_eq!([waits(&apart, 0), waits(&apart, 1)], [1, 1]);
    // Each transfer waits for the one before in the other column.
    let mut sequence = Vec::new();
    for n in 0..40 {
        let (col, dir) = (
            n % 2,
            if n % 2 == 0 {
                DmaDir::S2mm
            } else {
                DmaDir::Mm2s
            },
        );
        sequence.extend([image(col, 0, 0, 0, 1), push(col, dir, 0), wait(col, dir)]);
    }
    let together = divided(sequence, Jobs::PerColumn);
    assert_eq!(together.controllers.len(), 1);
    assert_eq!(waits(&together, 0), 40);
}

#[test]
fn an_instruction_takes_what_the_table_says() {
    let register = at(core(0), RegisterRef::DataMemory { byte: 0 });
    let write = vec![RegOp::write(register, 1, Loc::UNKNOWN)];
    let plan = plan(Vec::new(), write, Jobs::Single);
    let timing = CertTiming::MODEL;
    let job = timing.job_switch + 2 * timing.instruction + timing.bus_write;
    assert_eq!(
        estimate::cycles(model(), &plan),
        timing.page_fetch(PAGE_BYTES as u64) + job
    );
}

/// A part that fills more than a page writes an argument, then another part reads it.
fn round(argument: u32) -> Vec<RegOp> {
    let (out, back) = (DmaDir::S2mm, DmaDir::Mm2s);
    let mut round = Vec::new();
    for _ in 0..110 {
        round.extend([image(0, 0, argument, 0, 16), push(0, out, 0), wait(0, out)]);
    }
    round.extend([
        image(0, 1, argument, 0, 16),
        push(0, back, 1),
        wait(0, back),
    ]);
    round
}

#[test]
fn where_barriers_run_out_jobs_are_launched_later_than_they_could_begin() {
    let rounds: Vec<RegOp> = (0..24).flat_map(round).collect();
    let plan = plan(Vec::new(), rounds, Jobs::Parallel);
    let of = |page: &Page, wanted: &dyn Fn(&SymOp) -> bool| {
        let code = page.iter().flat_map(|job| &job.code);
        code.filter(|(i, _)| wanted(i)).count()
    };
    let divided = plan.controllers[0]
        .pages
        .iter()
        .filter(|page| page.len() > 1);
    let kinds: Vec<(bool, bool)> = divided
        .map(|page| {
            let barrier = |i: &SymOp| matches!(i, Op::LocalBarrier { .. });
            let launch = |i: &SymOp| matches!(i, Op::LaunchJob { .. });
            (of(page, &barrier) > 0, of(page, &launch) > 0)
        })
        .collect();
    assert!(kinds.len() > 16, "{kinds:?}");
    let first = kinds.iter().position(|(_, launch)| *launch);
    assert!(
        first.is_some_and(|first| first > 0),
        "first barriers: {kinds:?}"
    );
    for page in plan.controllers[0].pages.iter() {
        let deferred = page
            .iter()
            .filter(|job| job.kind == JobKind::Deferred)
            .count();
        let launch = |i: &SymOp| matches!(i, Op::LaunchJob { .. });
        assert_eq!(
            deferred,
            of(page, &launch),
            "each deferred job is launched once"
        );
    }
}
