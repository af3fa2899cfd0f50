//! Jobs that others wait for, preemption, conditional jobs, saved records, probes.

use aiec_device::TileLoc;
use aiec_device::regmap::RegisterRef;
use aiec_sim::cert::{Probe, RecordKind};
use aiec_sim::{SimOptions, SimResult, Status, simulate};

use super::support::*;

const A: TileLoc = TileLoc::new(0, 3);
const MEM: TileLoc = TileLoc::new(0, 1);

/// Address of the n-th word of A's data memory, as text.
fn at(n: u32) -> String {
    format!("0x{:08x}", data(A, 4 * n))
}

fn values(result: &SimResult, count: u32) -> Vec<u32> {
    (0..count).map(|n| memory(result, A, 4 * n)).collect()
}

fn fault(text: &str) -> String {
    match run_with(&assemble_as(text, true), Vec::new()).status {
        Status::Fault(fault) => fault.to_string(),
        other => panic!("{other:?}"),
    }
}

fn preempting(text: &str, points: &[u16]) -> SimResult {
    let options = SimOptions {
        preempt: points.to_vec(),
        ..SimOptions::default()
    };
    simulate(&assemble(text), Vec::new(), &options).unwrap()
}

/// Adds `value` to word `n`.
fn add(n: u32, value: u32) -> String {
    let a = at(n);
    format!("  READ_32 $r0, {a}\n  ADD $r0, {value}\n  WRITE_32_D 1, {a}, $r0\n")
}

#[test]
fn jobs_behind_a_load_wait_until_it_is_over() {
    // Job 2 doubles word 0 by copying it; it must see what the configuration wrote.
    let text = format!(
        "START_JOB 0\n  WRITE_32 {a}, 1\nEND_JOB\nSTART_JOB 1\n  LOAD_PDI 1, @cfg\nEND_JOB\n\
         START_JOB 2\n  READ_32 $r0, {a}\n  WRITE_32_D 1, {b}, $r0\nEND_JOB\n\
         cfg:\nSTART_JOB 0\n  SLEEP 2\n  WRITE_32 {a}, 9\nEND_JOB\nEOF\n.endl cfg\nEOF\n",
        a = at(0),
        b = at(1)
    );
    let result = run(&text);
    assert_eq!(result.status, Status::Completed);
    assert_eq!(values(&result, 2), [9, 9]);
}

#[test]
fn jobs_before_a_load_need_not_be_over() {
    // Job 0 polls for the word that job 2 writes, which comes after the load.
    let text = format!(
        "START_JOB 0\n  POLL_32 {a}, 5\n  WRITE_32 {b}, 6\nEND_JOB\n\
         START_JOB 1\n  LOAD_CORES 1, @cfg\nEND_JOB\n\
         START_JOB 2\n  WRITE_32 {a}, 5\nEND_JOB\n\
         cfg:\nSTART_JOB 0\n  NOP\nEND_JOB\nEOF\n.endl cfg\nEOF\n",
        a = at(0),
        b = at(1)
    );
    let result = run(&text);
    assert_eq!(result.status, Status::Completed);
    assert_eq!(values(&result, 2), [5, 6]);
}

#[test]
fn the_last_load_is_done_again() {
    let text = format!(
        "START_JOB 0\n  LOAD_PDI 7, @cfg\nEND_JOB\n.eop\nSTART_JOB 1\n  LOAD_CORES 8, @prog\n\
         END_JOB\n.eop\nSTART_JOB 2\n  LOAD_LAST_PDI\nEND_JOB\n\
         cfg:\nSTART_JOB 0\n{}END_JOB\nEOF\n.endl cfg\n\
         prog:\nSTART_JOB 0\n{}END_JOB\nEOF\n.endl prog\nEOF\n",
        add(0, 1),
        add(1, 1)
    );
    let result = run(&text);
    assert_eq!(result.status, Status::Completed);
    assert_eq!(values(&result, 2), [2, 2]);
    let none = "START_JOB 0\n  LOAD_LAST_PDI\nEND_JOB\nEOF\n";
    assert!(fault(none).contains("no configuration was loaded before"));
}

/// Saves a word of a mem tile in core memory (which a switch leaves alone) and restores it; then
/// a conditional job counts, and a job copies the word of the mem tile.
fn preemptible() -> String {
    let saved = format!("0x{:08x}", data(MEM, 0x40));
    let move_word =
        |from: &str, to: &str| format!("  READ_32 $r0, {from}\n  WRITE_32_D 1, {to}, $r0\n");
    format!(
        "START_JOB 0\n  WRITE_32 {saved}, 77\nEND_JOB\n.eop\n\
         START_JOB 1\n  PREEMPT 3, @save, @restore\nEND_JOB\n\
         START_COND_JOB_PREEMPT 2\n{count}END_JOB\n\
         START_JOB 3\n{copy}END_JOB\n\
         save:\nSTART_JOB 0\n{save}END_JOB\nEOF\n.endl save\n\
         restore:\nSTART_JOB 0\n{restore}END_JOB\nEOF\n.endl restore\nEOF\n",
        count = add(1, 1),
        copy = move_word(&saved, &at(0)),
        save = move_word(&saved, &at(8)) + &add(2, 1),
        restore = move_word(&at(8), &saved) + &add(3, 1),
    )
}

#[test]
fn a_preemption_point_without_request_only_meets() {
    let text = as_aie4(&preemptible());
    let result = simulate(&text, Vec::new(), &SimOptions::default()).unwrap();
    assert_eq!(result.status, Status::Completed);
    assert_eq!(values(&result, 4), [77, 0, 0, 0]);
}

/// Assembles for the target that has PREEMPT.
fn as_aie4(text: &str) -> Vec<u8> {
    assemble_for(text, aiec_cert::names::Target::Aie4)
}

#[test]
fn a_preemption_saves_switches_and_restores() {
    let options = SimOptions {
        preempt: vec![3],
        ..SimOptions::default()
    };
    let result = simulate(&as_aie4(&preemptible()), Vec::new(), &options).unwrap();
    assert_eq!(result.status, Status::Completed);
    // The word is back, the conditional job ran once, save and restore ran once each.
    assert_eq!(values(&result, 4), [77, 1, 1, 1]);
    // A word that was not saved is lost.
    assert_eq!(memory(&result, MEM, 0x44), 0xA5A5_A5A5);
    // Another point is not this one.
    let other = SimOptions {
        preempt: vec![4],
        ..SimOptions::default()
    };
    let result = simulate(&as_aie4(&preemptible()), Vec::new(), &other).unwrap();
    assert_eq!(values(&result, 4), [77, 0, 0, 0]);
}

#[test]
fn a_conditional_job_is_a_meeting_of_all_controllers() {
    // Controller 1 has no conditional job: controller 0 waits there without end.
    let text = "START_COND_JOB_PREEMPT 0\n  NOP\nEND_JOB\nSTART_JOB 1\n  NOP\nEND_JOB\nEOF\n";
    let result = preempting(text, &[]);
    assert_eq!(result.status, Status::Completed);
    let alone =
        format!(".attach_to_group 0\n{text}.attach_to_group 1\nSTART_JOB 0\n  NOP\nEND_JOB\nEOF\n");
    assert!(matches!(run(&alone).status, Status::Deadlock(_)));
    let both = format!(".attach_to_group 0\n{text}.attach_to_group 1\n{text}");
    assert_eq!(run(&both).status, Status::Completed);
}

#[test]
fn saved_records_are_moved_to_host_memory() {
    // 33 records: 32 fill the shared memory, the last is moved at the end.
    let mut text = format!("START_JOB 0\n  WRITE_32 {}, 42\n", at(0));
    for id in 0..32 {
        text.push_str(&format!("  SAVE_TIMESTAMPS {id}\n"));
    }
    text.push_str(&format!("  SAVE_REGISTER {}, 99\nEND_JOB\nEOF\n", at(0)));
    let result = run(&text);
    assert_eq!(result.status, Status::Completed);
    let vm = &result.machine.controllers()[0];
    let host = words(result.array.host.bytes(vm.saved().buffer().unwrap()));
    let entry = |n: usize| host[4 * n..4 * n + 4].to_vec();
    let records = &result.machine.shared.records;
    assert_eq!(entry(0), [0, 0, records[0].at as u32, 0]);
    assert_eq!(entry(31), [31, 0, records[31].at as u32, 0]);
    assert_eq!(entry(32), [99, 1, 42, 0]);
    assert_eq!(vm.stats().dma_words, 33 * 4);
}

#[test]
fn a_probe_records_when_its_instruction_is_reached() {
    let text = format!(
        "START_JOB 0\n  NOP\n  WRITE_32 {}, 1\nEND_JOB\nEOF\n",
        at(0)
    );
    // Header 16, START_JOB 8, NOP 4.
    let probe = Probe {
        uc: 0,
        page: 0,
        offset: 28,
    };
    let options = SimOptions {
        probes: vec![probe],
        ..SimOptions::default()
    };
    let elf = assemble(&text);
    let with = simulate(&elf, Vec::new(), &options).unwrap();
    let records = &with.machine.shared.records;
    assert_eq!(records.len(), 1);
    assert_eq!((records[0].id, records[0].kind), (0, RecordKind::Probe));
    let without = run_with(&elf, Vec::new());
    assert_eq!(with.cycles, without.cycles + 16);
    assert!(without.machine.shared.records.is_empty());
}

#[test]
fn nop_yield_and_sleep_take_their_time() {
    let base = run("START_JOB 0\n  NOP\nEND_JOB\nEOF\n").cycles;
    let two = run("START_JOB 0\n  NOP\n  NOP\nEND_JOB\nEOF\n").cycles;
    assert_eq!(two - base, 8);
    let slept = run("START_JOB 0\n  SLEEP 3\nEND_JOB\nEOF\n").cycles;
    assert_eq!(slept - base, 3000);
    // A job that yields lets the other run first.
    let text = format!(
        "START_JOB 0\n  YIELD\n{}END_JOB\nSTART_JOB 1\n  WRITE_32 {}, 5\nEND_JOB\nEOF\n",
        add(0, 1),
        at(0)
    );
    assert_eq!(values(&run(&text), 1), [6]);
}

#[test]
fn undefined_uses_are_faults_with_their_place() {
    let barrier = |text: &str| fault(&format!("START_JOB 0\n  {text}\nEND_JOB\nEOF\n"));
    assert_eq!(
        barrier("LOCAL_BARRIER 16, 2"),
        "LOCAL_BARRIER at page 0 offset 0x18 of controller 0: 16 isn't a local barrier"
    );
    assert!(barrier("LOCAL_BARRIER $lb0, 0").contains("it is for no participants"));
    assert!(barrier("REMOTE_BARRIER 0, 1").contains("0 isn't a remote barrier"));
    assert!(barrier("REMOTE_BARRIER $rb0, 2").contains("controller 0 is not in the party mask"));
    assert!(barrier("LAUNCH_JOB 0").contains("job 0 isn't a deferred job of this page"));
    let differ = "START_JOB 0\n  LOCAL_BARRIER $lb1, 2\nEND_JOB\n\
                  START_JOB 1\n  LOCAL_BARRIER $lb1, 3\nEND_JOB\nEOF\n";
    assert!(fault(differ).contains("job 0 came for 2 participants"));
}

#[test]
fn masked_accesses_touch_only_their_bits() {
    let lock = address(A, RegisterRef::LockValue { id: 2 });
    let text = format!(
        "START_JOB 0\n  WRITE_32 {a}, 0xF0F0F0F0\n  MASK_WRITE_32 {a}, 0x0000FFFF, 0x12345678\n  \
         WRITE_32 0x{lock:08x}, 5\n  MASK_POLL_32 0x{lock:08x}, 0x4, 0xFF\nEND_JOB\nEOF\n",
        a = at(0)
    );
    let result = run(&text);
    assert_eq!(result.status, Status::Completed);
    assert_eq!(values(&result, 1), [0xF0F0_5678]);
}
