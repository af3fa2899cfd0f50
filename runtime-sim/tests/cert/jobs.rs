//! Jobs, barriers, registers, pages.

use aiec_device::regmap::RegisterRef;
use aiec_device::{LockId, TileLoc};
use aiec_sim::cert::RecordKind;
use aiec_sim::{SimFault, Status};

use super::support::*;

const A: TileLoc = TileLoc::new(0, 3);

/// Address of the n-th word of A's data memory, as text.
fn at(n: u32) -> String {
    format!("0x{:08x}", data(A, 4 * n))
}

fn value(result: &aiec_sim::SimResult, n: u32) -> u32 {
    memory(result, A, 4 * n)
}

fn fault(text: &str) -> String {
    match run(text).status {
        Status::Fault(fault) => fault.to_string(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn registers_and_writes() {
    let text = format!(
        "START_JOB 0\n  MOV $r1, 0xFFFFFFFF\n  ADD $r1, 3\n  MOV $g2, {a0}\n\
         WRITE_32_D 0, $g2, $r1\n  READ_32 $g3, {a0}\n  ADD $g3, 0x10\n\
         WRITE_32_D 1, {a1}, $g3\n  MASK_WRITE_32 {a1}, 0xF0, 0xA5\n  MOV $r0, {a1}\n\
         READ_32_D $r0, $r2\n  WRITE_32_D 1, {a2}, $r2\n  WRITE_32_D 3, {a3}, 7\n\
         SAVE_REGISTER {a3}, 9\n  SAVE_TIMESTAMPS 8\nEND_JOB\nEOF\n",
        a0 = at(0),
        a1 = at(1),
        a2 = at(2),
        a3 = at(3)
    );
    let result = run(&text);
    assert_eq!(result.status, Status::Completed);
    let values: Vec<u32> = (0..4).map(|n| value(&result, n)).collect();
    assert_eq!(values, [2, 0xA2, 0xA2, 7]);
    let records = &result.machine.shared.records;
    assert_eq!(
        (records[0].id, records[0].kind),
        (9, RecordKind::Register(7))
    );
    assert_eq!((records[1].id, records[1].kind), (8, RecordKind::Time));
}

#[test]
fn private_registers_are_private_and_global_ones_are_not() {
    let text = format!(
        "START_JOB 0\n  MOV $r0, 1\n  MOV $g0, 2\nEND_JOB\n\
         START_JOB 1\n  WRITE_32_D 1, {}, $r0\n  WRITE_32_D 1, {}, $g0\nEND_JOB\nEOF\n",
        at(0),
        at(1)
    );
    let result = run(&text);
    assert_eq!((value(&result, 0), value(&result, 1)), (0, 2));
}

#[test]
fn a_local_barrier_joins_jobs() {
    // job 1 reads what job 0 wrote before the barrier, though it starts first to wait
    let text = format!(
        "START_JOB 1\n  LOCAL_BARRIER $lb0, 2\n  READ_32 $r0, {a}\n  WRITE_32_D 1, {b}, $r0\n\
         END_JOB\nSTART_JOB 0\n  SLEEP 1\n  WRITE_32 {a}, 5\n  LOCAL_BARRIER $lb0, 2\n\
         END_JOB\nEOF\n",
        a = at(0),
        b = at(1)
    );
    let result = run(&text);
    assert_eq!(
        (result.status, memory(&run(&text), A, 4)),
        (Status::Completed, 5)
    );
}

#[test]
fn a_remote_barrier_joins_controllers() {
    let text = format!(
        ".attach_to_group 0\nSTART_JOB 0\n  SLEEP 3\n  WRITE_32 {a}, 5\n  \
         REMOTE_BARRIER $rb0, 0x5\nEND_JOB\nEOF\n\
         .attach_to_group 2\nSTART_JOB 0\n  REMOTE_BARRIER $rb0, 0x5\n  READ_32 $r0, {a}\n  \
         WRITE_32_D 1, {b}, $r0\nEND_JOB\nEOF\n",
        a = at(0),
        b = at(1)
    );
    let result = run(&text);
    assert_eq!(result.status, Status::Completed);
    assert_eq!(value(&result, 1), 5);
    assert_eq!(result.machine.controllers().len(), 2);
}

#[test]
fn deferred_jobs_run_when_launched_and_else_not() {
    let text = format!(
        "START_JOB 0\n  LAUNCH_JOB 2\n  WRITE_32 {a}, 1\nEND_JOB\n\
         START_JOB_DEFERRED 2\n  READ_32 $r0, {a}\n  WRITE_32_D 1, {b}, $r0\nEND_JOB\n\
         START_JOB_DEFERRED 3\n  WRITE_32 {b}, 9\nEND_JOB\n\
         START_COND_JOB_PREEMPT 4\n  WRITE_32 {b}, 8\nEND_JOB\nEOF\n",
        a = at(0),
        b = at(1)
    );
    let result = run(&text);
    assert_eq!(result.status, Status::Completed);
    assert_eq!(value(&result, 1), 1);
    let twice = "START_JOB 0\n LAUNCH_JOB 2\n LAUNCH_JOB 2\nEND_JOB\n\
                 START_JOB_DEFERRED 2\n NOP\nEND_JOB\nEOF\n";
    assert!(fault(twice).contains("job 2 was launched before"));
}

#[test]
fn polls_let_other_jobs_run() {
    let text = format!(
        "START_JOB 0\n  POLL_32 {a}, 3\n  MASK_POLL_32 {a}, 0x1, 0xFFFFFFFF\n  \
         WRITE_32 {b}, 1\nEND_JOB\n\
         START_JOB 1\n  YIELD\n  SLEEP 2\n  WRITE_32 {a}, 3\nEND_JOB\nEOF\n",
        a = at(0),
        b = at(1)
    );
    let result = run(&text);
    assert_eq!(result.status, Status::Completed);
    assert_eq!(value(&result, 1), 1);
}

#[test]
fn a_poll_looks_each_time_its_turn_comes() {
    // The value is there while job 1 gives the controller away, and gone before it ends.
    for yields in 1..6 {
        let text = format!(
            "START_JOB 0\n  POLL_32 {a}, 3\n  WRITE_32 {b}, 1\nEND_JOB\n\
             START_JOB 1\n  WRITE_32 {a}, 3\n{}  WRITE_32 {a}, 0\nEND_JOB\nEOF\n",
            "  YIELD\n".repeat(yields),
            a = at(0),
            b = at(1)
        );
        let result = run(&text);
        assert_eq!(result.status, Status::Completed);
        assert_eq!([value(&result, 0), value(&result, 1)], [0, 1]);
    }
    // Without giving it away there is no look between.
    let text = format!(
        "START_JOB 0\n  POLL_32 {a}, 3\nEND_JOB\n\
         START_JOB 1\n  WRITE_32 {a}, 3\n  WRITE_32 {a}, 0\nEND_JOB\nEOF\n",
        a = at(0)
    );
    assert!(matches!(run(&text).status, Status::Deadlock(_)));
}

#[test]
fn polls_have_turns_beside_one_another() {
    let text = format!(
        "START_JOB 0\n  POLL_32 {a}, 1\n  WRITE_32 {a}, 2\nEND_JOB\n\
         START_JOB 1\n  POLL_32 {a}, 2\n  WRITE_32 {a}, 3\nEND_JOB\n\
         START_JOB 2\n  WRITE_32 {a}, 1\n{}  WRITE_32 {b}, 4\nEND_JOB\nEOF\n",
        "  YIELD\n".repeat(8),
        a = at(0),
        b = at(1)
    );
    let result = run(&text);
    assert_eq!(result.status, Status::Completed);
    assert_eq!([value(&result, 0), value(&result, 1)], [3, 4]);
}

#[test]
fn chains_run_in_order_and_can_be_waited_for() {
    let text = format!(
        "START_JOB 0\n  UC_DMA_WRITE_DES $r1, @one\n  UC_DMA_WRITE_DES $r2, @two\n  \
         WAIT_UC_DMA $r2\n  READ_32 $r0, {a}\n  WRITE_32_D 1, {c}, $r0\nEND_JOB\nEOF\n\
         .align 16\none:\nUC_DMA_BD 0, {a}, @w, 1, 0, 1\nUC_DMA_BD 0, {b}, @w, 2, 0, 0\n\
         two:\nUC_DMA_BD 0, {a}, @v, 1, 0, 0\nw:\n.long 1\n.long 2\nv:\n.long 3\n",
        a = at(0),
        b = at(1),
        c = at(4)
    );
    let result = run(&text);
    assert_eq!(result.status, Status::Completed);
    let values: Vec<u32> = (0..5).map(|n| value(&result, n)).collect();
    assert_eq!(values, [3, 1, 2, 0, 3]);
}

#[test]
fn more_chains_than_the_queue_holds_just_wait() {
    let mut text = String::from("START_JOB 0\n");
    for _ in 0..40 {
        text.push_str("  UC_DMA_WRITE_DES $r1, @one\n");
    }
    text.push_str(&format!(
        "  WAIT_UC_DMA $r1\nEND_JOB\nEOF\n.align 16\none:\nUC_DMA_BD 0, {}, @w, 1, 0, 0\n\
         w:\n.long 1\n",
        at(0)
    ));
    let result = run(&text);
    assert_eq!(result.status, Status::Completed);
    assert_eq!(result.machine.controllers()[0].stats().dma_words, 40);
}

#[test]
fn pages_follow_one_another() {
    let text = format!(
        "START_JOB 0\n  WRITE_32 {a}, 1\nEND_JOB\n.eop\n\
         START_JOB 1\n  READ_32 $r0, {a}\n  ADD $r0, 1\n  WRITE_32_D 1, {a}, $r0\nEND_JOB\n\
         .eop\nSTART_JOB 2\n  READ_32 $r0, {a}\n  WRITE_32_D 1, {b}, $r0\nEND_JOB\nEOF\n",
        a = at(0),
        b = at(1)
    );
    let result = run(&text);
    assert_eq!(value(&result, 1), 2);
    assert_eq!(result.machine.controllers()[0].stats().counts.pages, 3);
}

#[test]
fn configurations_are_loaded_once() {
    let text = format!(
        "START_JOB 0\n  LOAD_PDI 7, @cfg\nEND_JOB\n.eop\nSTART_JOB 1\n  LOAD_PDI 7, @cfg\n\
         END_JOB\n.eop\nSTART_JOB 2\n  LOAD_LAST_PDI\n  LOAD_CORES 7, @prog\nEND_JOB\n\
         cfg:\nSTART_JOB 0\n  READ_32 $r0, {a}\n  ADD $r0, 1\n  WRITE_32_D 1, {a}, $r0\n\
         END_JOB\n.eop\nSTART_JOB 1\n  WRITE_32 {b}, 4\nEND_JOB\nEOF\n.endl cfg\n\
         prog:\nSTART_JOB 0\n  WRITE_32 {c}, 6\nEND_JOB\nEOF\n.endl prog\nEOF\n",
        a = at(0),
        b = at(1),
        c = at(2)
    );
    let result = run(&text);
    assert_eq!(result.status, Status::Completed);
    assert_eq!(
        (value(&result, 0), value(&result, 1), value(&result, 2)),
        (2, 4, 6)
    );
}

#[test]
fn core_programs_by_control_packets_are_skipped_when_loaded() {
    let text = format!(
        "START_JOB 0\n  LOAD_CORES_CP 1\n  WRITE_32 {a}, 1\nEND_JOB\n.eop\n\
         START_JOB 1\n  LOAD_CORES_CP 1\n  WRITE_32 {b}, 1\nEND_JOB\nEOF\n",
        a = at(0),
        b = at(1)
    );
    let result = run(&text);
    assert_eq!(
        (result.status, memory(&run(&text), A, 0)),
        (Status::Completed, 1)
    );
    assert_eq!(memory(&run(&text), A, 4), 0);
}

#[test]
fn rel_acq_sync_is_a_barrier_over_a_lock() {
    let ask = |id, acquire, value| {
        format!(
            "0x{:08x}",
            address(A, RegisterRef::LockRequest { id, acquire, value })
        )
    };
    // Three controllers count a lock up to 3 and wait for 3: acquire equal leaves the value.
    let group = |uc: u32, sleep: u32| {
        format!(
            ".attach_to_group {uc}\nSTART_JOB 0\n  SLEEP {sleep}\n  REL_ACQ_SYNC {}, {}\n  \
             WRITE_32 {}, {uc}\nEND_JOB\nEOF\n",
            ask(0, false, 1),
            ask(0, true, 3),
            at(uc)
        )
    };
    let text = group(0, 1) + &group(1, 5) + &group(2, 3);
    let result = run(&text);
    assert_eq!(result.status, Status::Completed);
    assert_eq!(result.array.lock_value(LockId::new(A, 0)), Some(3));
    assert!(matches!(run(&group(0, 1)).status, Status::Deadlock(_)));
    let two = format!(
        "START_JOB 0\n  REL_ACQ_SYNC {}, {}\nEND_JOB\nEOF\n",
        ask(0, false, 1),
        ask(1, true, -1)
    );
    assert!(fault(&two).contains("must be a release and an acquire request of one lock"));
}

#[test]
fn faults_name_page_and_offset() {
    let nothing = "START_JOB 0\n  NOP\nEND_JOB\n.eop\nSTART_JOB 1\n  WRITE_32 0x3EBEEF0, 1\n\
                   END_JOB\nEOF\n";
    let text = fault(nothing);
    assert!(
        text.starts_with("WRITE_32 at page 1 offset 0x18 of controller 0: address 0x03ebeef0"),
        "{text}"
    );
    let handle = "START_JOB 0\n MOV $r1, 4\n WAIT_UC_DMA $r1\nEND_JOB\nEOF\n";
    assert!(fault(handle).contains("4 isn't a wait handle"));
    let clash = "START_JOB 0\n WAIT_TCTS TILE_0_0, SHIM_S2MM_0, 1\nEND_JOB\n\
                 START_JOB 1\n WAIT_TCTS TILE_0_0, SHIM_S2MM_0, 1\nEND_JOB\nEOF\n";
    assert!(fault(clash).contains("another job already waits"));
    let register = format!("START_JOB 0\n WRITE_32_D 1, {}, 77\nEND_JOB\nEOF\n", at(0));
    // The assembler refuses such a register; other assemblers don't.
    let register = run_with(&assemble_as(&register, true), Vec::new());
    let Status::Fault(register) = register.status else {
        panic!("{:?}", register.status)
    };
    assert!(register.to_string().contains("there is no register 77"));
    let trace = "START_JOB 0\n TRACE 1\nEND_JOB\nEOF\n";
    assert!(fault(trace).contains("TRACE at page 0"));
}

#[test]
fn faults_name_the_source_line() {
    let text = "START_JOB 0\n  NOP\n  WRITE_32 0x3EBEEF0, 1\nEND_JOB\nEOF\n";
    let result = run_with(&assemble_debug(text, |_, _| {}), Vec::new());
    let Status::Fault(SimFault::Cert { source, .. }) = result.status else {
        panic!()
    };
    assert_eq!(source.as_deref(), Some("test.asm:3:3"));
}
