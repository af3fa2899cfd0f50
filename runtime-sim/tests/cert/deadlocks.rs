//! Runs in which nothing moves, and the reports about them.

use aiec_cert::debug::{DebugInfo, Direction, Resource, ResourceKind};
use aiec_cert::program::SourceLoc;
use aiec_device::DmaDir::{Mm2s, S2mm};
use aiec_device::regmap::{BdFields, RegisterRef};
use aiec_device::{Bundle, TileLoc};
use aiec_sim::report::WaiterKind;
use aiec_sim::run::Ending;
use aiec_sim::{Deadlock, SimResult, Status};

use super::support::*;

const A: TileLoc = TileLoc::new(0, 3);

fn deadlock(result: &SimResult) -> &Deadlock {
    match &result.status {
        Status::Deadlock(deadlock) => deadlock,
        other => panic!("{other:?}"),
    }
}

fn text_of(deadlock: &Deadlock) -> Vec<String> {
    deadlock.chain.iter().map(ToString::to_string).collect()
}

#[test]
fn more_tokens_than_will_come() {
    let result = run("START_JOB 3\n  WAIT_TCTS TILE_1_0, SHIM_S2MM_0, 2\nEND_JOB\nEOF\n");
    let deadlock = deadlock(&result);
    assert!(!deadlock.is_cycle);
    assert_eq!(
        deadlock.mistake.cause,
        "job 3 of controller 0 (page 0) waits for DMA S2MM 0 of tile (1, 0), and no transfer was \
         started there"
    );
    let report = aiec_sim::report(&result);
    assert_eq!(report.status, Ending::Deadlock);
    assert_eq!(report.deadlock[0].kind, WaiterKind::Job);
    assert_eq!(report.deadlock[0].on[0], "DMA S2MM 0 of tile (1, 0)");
}

#[test]
fn a_barrier_that_somebody_misses() {
    let result = run("START_JOB 0\n  LOCAL_BARRIER $lb1, 2\nEND_JOB\n\
                      START_JOB 1\n  NOP\nEND_JOB\nEOF\n");
    assert!(
        deadlock(&result)
            .mistake
            .cause
            .contains("fewer than 2 jobs")
    );
    let result = run(
        ".attach_to_group 0\nSTART_JOB 0\n  REMOTE_BARRIER $rb1, 0x3\nEND_JOB\nEOF\n\
                      .attach_to_group 1\nSTART_JOB 0\n  NOP\nEND_JOB\nEOF\n",
    );
    let deadlock = deadlock(&result);
    assert!(text_of(deadlock)[0].contains("controller(s) 1 at remote barrier 1"));
}

#[test]
fn barriers_in_opposite_order_are_a_cycle() {
    let result = run(
        "START_JOB 0\n  LOCAL_BARRIER $lb0, 2\n  LOCAL_BARRIER $lb1, 2\nEND_JOB\n\
                      START_JOB 1\n  LOCAL_BARRIER $lb1, 2\n  LOCAL_BARRIER $lb0, 2\nEND_JOB\n\
                      EOF\n",
    );
    let deadlock = deadlock(&result);
    assert!(deadlock.is_cycle);
    assert!(
        deadlock
            .mistake
            .cause
            .starts_with("jobs come to barriers in opposite orders: job"),
        "{}",
        deadlock.mistake.cause
    );
    assert_eq!(deadlock.chain.len(), 2);
}

#[test]
fn a_poll_that_never_holds() {
    let text = format!(
        "START_JOB 0\n  POLL_32 0x{:08x}, 1\nEND_JOB\nEOF\n",
        data(A, 0)
    );
    let result = run(&text);
    assert!(
        deadlock(&result)
            .mistake
            .cause
            .contains("the register never gets that value")
    );
}

/// S2MM 0 of A waits for a lock before it takes what the shim sends it; the job waits for the
/// token of the shim's channel.
fn locked_sink() -> String {
    let mut lines = Lines::default();
    let from = lines.shim(0, Mm2s);
    lines.connect(TileLoc::new(0, 0), from, port(Bundle::North, 0));
    for row in 1..3 {
        let tile = TileLoc::new(0, row);
        lines.connect(tile, port(Bundle::South, 0), port(Bundle::North, 0));
    }
    lines.connect(A, port(Bundle::South, 0), port(Bundle::Dma, 0));
    let sink = BdFields {
        lock_acq_enable: true,
        lock_acq_id: 4,
        lock_acq_value: -1,
        ..bd(0, 512)
    };
    lines.bd(A, 0, &sink);
    lines.push(A, S2mm, 0, false);
    let shim = TileLoc::new(0, 0);
    let at = address(shim, RegisterRef::BdWord { bd: 0, word: 0 });
    lines
        .0
        .push_str("  APPLY_OFFSET_57 @in, 1, 0\n  UC_DMA_WRITE_DES_SYNC @bds\n");
    lines.push(shim, Mm2s, 0, true);
    format!(
        "START_JOB 0\n{}  WAIT_TCTS TILE_0_0, SHIM_MM2S_0, 1\nEND_JOB\nEOF\n.align 16\n\
         bds:\nUC_DMA_BD 0, 0x{at:08x}, @in, 9, 0, 0\nin:\n{}",
        lines.0,
        longs(&image_of(shim, &bd(0, 512)))
    )
}

#[test]
fn a_chain_leads_from_the_job_to_the_lock() {
    let elf = assemble_debug(&locked_sink(), |_, debug: &mut DebugInfo| {
        let source = Some(SourceLoc {
            file: 0,
            line: 2,
            column: 3,
        });
        let resource = |kind, name: &str| Resource {
            column: A.col,
            row: A.row,
            kind,
            name: name.into(),
            source,
            fifo: None,
            element_bytes: None,
            ty: None,
        };
        let channel = ResourceKind::Channel {
            direction: Direction::S2mm,
            channel: 0,
        };
        debug.resources = vec![
            resource(channel, "of_in"),
            resource(ResourceKind::Lock { id: 4 }, "of_prod"),
        ];
    });
    let result = run_with(&elf, vec![buffer(0, 0..512)]);
    let deadlock = deadlock(&result);
    let text = text_of(deadlock).join("\n");
    assert_eq!(deadlock.chain.len(), 3, "{text}");
    assert!(
        text.contains("job 0 of controller 0 (page 0) waits since"),
        "{text}"
    );
    assert!(
        text.contains("room in the stream to DMA S2MM 0 of tile (0, 3)"),
        "{text}"
    );
    assert!(text.contains("'of_in' waits since"), "{text}");
    assert!(
        text.contains("lock 4 of tile (0, 3) ≥ 1 (it is 0, never changed) 'of_prod'"),
        "{text}"
    );
    assert!(text.contains("[test.asm:2:3]"), "{text}");
    assert!(
        deadlock
            .mistake
            .cause
            .contains("waits for lock 'of_prod' (line 2), which no program that runs releases")
    );
}
