//! Results that must not depend on the table of latencies, and those that must not depend on
//! working ahead.

use aiec_device::DeviceModel;
use aiec_sim::array::Timing;
use aiec_sim::host::BufferId;

use super::split_join::{self, Workers};
use super::support::*;

const COLUMNS: u8 = 2;

fn run(device: &str, workers: Workers, change: impl Fn(&mut Timing)) -> Bench {
    let device = DeviceModel::by_name(device).unwrap();
    let mut timing = Timing::of(device.arch());
    change(&mut timing);
    let mut bench = split_join::build(Bench::with(device, timing), COLUMNS, 3, workers);
    bench.run_clean();
    bench
}

fn outputs(bench: &Bench) -> Vec<&[u8]> {
    let ids = (0..u32::from(COLUMNS)).map(|col| BufferId(2 * col + 1));
    ids.map(|id| bench.array.host.bytes(id)).collect()
}

#[test]
fn the_data_do_not_depend_on_latencies() {
    for device in ["npu1", "npu2"] {
        let reference = run(device, Workers::Idle, |_| {});
        let input = reference.array.host.bytes(BufferId(0));
        assert!(outputs(&reference).iter().all(|output| *output == input));
        let arch = reference.arch();
        let fast = run(device, Workers::Idle, |timing| *timing = Timing::fast(arch));
        assert_eq!(outputs(&fast), outputs(&reference));
        assert!(fast.array.now() < reference.array.now());
        let slow = run(device, Workers::Idle, |timing| {
            timing.slave_latency = 9;
            timing.bd_load = 40;
            timing.memory_read = 33;
            timing.lock_release = 21;
        });
        assert_eq!(outputs(&slow), outputs(&reference));
        assert!(slow.array.now() > reference.array.now());
    }
}

#[test]
fn neither_data_nor_cycles_depend_on_how_far_parts_work_ahead() {
    for (device, workers) in [
        ("npu1", Workers::Idle),
        ("npu2", Workers::Idle),
        ("npu1", Workers::CoreProgram),
        ("npu2", Workers::CoreProgram),
    ] {
        // The loser of a conflict in a bank is the actor that comes second in the simulation.
        let reference = run(device, workers, |timing| timing.bank_conflicts = false);
        for lookahead in [0, 1, 7, 64, 100_000] {
            let other = run(device, workers, |timing| {
                timing.bank_conflicts = false;
                timing.lookahead = lookahead;
            });
            assert_eq!(outputs(&other), outputs(&reference));
            let (other, reference) = (other.array.view().stats(), reference.array.view().stats());
            assert_eq!(other, reference, "{device}, {lookahead}");
        }
    }
}

#[test]
fn machine_code_adds_as_core_programs_do() {
    for device in ["npu1", "npu2"] {
        let reference = run(device, Workers::CoreProgram, |_| {});
        let machine = run(device, Workers::MachineCode, |_| {});
        assert_eq!(outputs(&machine), outputs(&reference));
        // A core takes at least its bundles.
        let words = 3 * 256;
        assert!(machine.array.now() > words * split_join::BUNDLES_PER_WORD);
    }
}
