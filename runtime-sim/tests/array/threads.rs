//! Groups of columns on threads of their own: all is as with one thread.

use aiec_device::DeviceModel;
use aiec_sim::array::Timing;
use aiec_sim::host::BufferId;

use super::split_join::{self, Workers};
use super::support::*;

const COLUMNS: u8 = 4;
const OBJECTS: u32 = 24;
/// No scenario here lasts longer.
const LIMIT: u64 = 1_000_000;

fn build(workers: Workers, threads: usize) -> Bench {
    let device = DeviceModel::by_name("npu2").unwrap();
    let mut bench = Bench::with(device, Timing::of(device.arch()));
    bench.array.set_threads(threads);
    split_join::build(bench, COLUMNS, OBJECTS, workers)
}

/// Runs to the end; everything that can be seen then.
fn outcome(bench: &mut Bench) -> String {
    let mut seen = String::new();
    while bench.array.next_event().is_some() {
        bench.array.advance_until_news(LIMIT);
        for col in 0..COLUMNS {
            for token in bench.tokens(col) {
                seen += &format!("{}: {token:?}\n", bench.array.now());
            }
        }
    }
    assert!(!bench.array.has_to_repeat());
    let array = &bench.array;
    seen += &format!("{} {}\n", array.now(), array.last_movement());
    seen += &format!(
        "{:?}\n{:?}\n{:?}\n",
        array.view().stats(),
        array.view().waits(),
        array.faults()
    );
    for buffer in (0..2 * u32::from(COLUMNS)).map(BufferId) {
        seen += &format!(
            "{:?} {:?}\n",
            array.host.traffic(buffer),
            array.host.bytes(buffer)
        );
    }
    for tile in array.device().tiles() {
        let memory = array.data_memory(tile).map(|memory| memory.bytes());
        seen += &format!("{memory:?} {:?}\n", array.bank_conflicts(tile));
        seen += &format!(
            "{:?} {:?}\n",
            array.core_position(tile),
            array.core_registers(tile)
        );
    }
    seen
}

#[test]
fn the_outcome_is_that_of_one_thread() {
    for workers in [Workers::Idle, Workers::CoreProgram, Workers::MachineCode] {
        let wanted = outcome(&mut build(workers, 1));
        for threads in [2, 3] {
            let mut bench = build(workers, threads);
            assert!(outcome(&mut bench) == wanted, "with {threads} threads");
            let (cycles, used) = (bench.array.now(), bench.array.thread_use());
            // all but the end, where tokens may arrive
            assert!(used.cycles > cycles / 2, "{used:?} of {cycles} cycles");
        }
    }
}
