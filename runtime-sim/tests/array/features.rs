//! Features of descriptors and channels that the other scenarios don't meet, and kernels of cores.

use aiec_device::regmap::{BdFields, CoreControl, DmaCtrl, RegisterRef};
use aiec_device::{Bundle, DmaDir::*, LockId, TileLoc};
use aiec_sim::array::{FaultKind, HwEvent};
use aiec_sim::core::{Kernels, NoKernel};
use aiec_vcode::{CoreProgram, Function, Instruction, Opcode};

use super::support::*;

const A: TileLoc = TileLoc::new(0, 2);
const M: TileLoc = TileLoc::new(0, 1);
const S: TileLoc = TileLoc::new(0, 0);
/// A mem tile channel's window on the tile's own memory.
const OWN_WINDOW: u64 = 0x8_0000;
/// A core's window on its own memory.
const OWN: u32 = 0x7_0000;

fn loopback() -> Bench {
    let mut bench = Bench::new("npu1");
    bench.connect(A, port(Bundle::Dma, 0), port(Bundle::Dma, 0));
    bench.fill(A, 0, 1..=16);
    bench
}

#[test]
fn a_descriptor_that_suppresses_tlast_goes_on_with_the_packet() {
    let mut bench = loopback();
    let first = BdFields {
        tlast_suppress: true,
        use_next: true,
        next_bd: 3,
        ..bd(0, 3)
    };
    bench.bd(A, 0, &first);
    bench.bd(A, 3, &bd(0x20, 2));
    // The receiver ends its descriptor with the packet, after the data of both.
    bench.bd(A, 1, &bd(0x1000, 100));
    let until_tlast = DmaCtrl {
        finish_on_tlast: 1,
        ..DmaCtrl::default()
    };
    bench.control(A, S2mm, 0, until_tlast);
    bench.push(A, S2mm, 0, once(1));
    bench.push(A, Mm2s, 0, once(0));
    bench.run_clean();
    assert_eq!(bench.words(A, 0x1000, 6), [1, 2, 3, 9, 10, 0]);
    let status = bench.status(A, S2mm, 0);
    assert!(!status.running && status.queue_size == 0, "{status:?}");
}

#[test]
fn an_equal_acquire_waits_for_the_value_and_leaves_it() {
    let mut bench = loopback();
    let waiting = BdFields {
        lock_acq_enable: true,
        lock_acq_id: 4,
        lock_acq_value: 2,
        ..bd(0, 2)
    };
    bench.bd(A, 0, &waiting);
    bench.bd(A, 1, &bd(0x1000, 2));
    bench.push(A, S2mm, 0, once(1));
    bench.push(A, Mm2s, 0, once(0));
    for value in [1, 3] {
        bench.lock(A, 4, value);
        bench.run_clean();
        assert_eq!(bench.words(A, 0x1000, 2), [0, 0], "{value}");
    }
    bench.lock(A, 4, 2);
    bench.run_clean();
    assert_eq!(bench.words(A, 0x1000, 2), [1, 2]);
    assert_eq!(bench.array.lock_value(LockId::new(A, 4)), Some(2));
}

#[test]
fn a_paused_channel_goes_on_when_it_is_let() {
    let pauses = [(true, false), (false, true)];
    for (pause_memory, pause_stream) in pauses {
        let mut bench = Bench::new("npu1");
        let into = bench.shim(0, Mm2s, 0);
        bench.connect(S, into, port(Bundle::North, 0));
        bench.connect(M, port(Bundle::South, 0), port(Bundle::Dma, 0));
        let bytes = [7u32, 8, 9]
            .into_iter()
            .flat_map(u32::to_le_bytes)
            .collect();
        let input = bench.array.host.map("in", bytes).base;
        let paused = DmaCtrl {
            pause_memory,
            pause_stream,
            ..DmaCtrl::default()
        };
        bench.control(S, Mm2s, 0, paused);
        bench.bd(S, 0, &bd(input, 3));
        bench.bd(M, 0, &bd(OWN_WINDOW, 3));
        bench.push(M, S2mm, 0, once(0));
        bench.push(S, Mm2s, 0, once(0));
        bench.run_clean();
        assert_eq!(bench.words(M, 0, 3), [0, 0, 0]);
        bench.control(S, Mm2s, 0, DmaCtrl::default());
        bench.run_clean();
        assert_eq!(bench.words(M, 0, 3), [7, 8, 9]);
    }
}

#[test]
fn the_fourth_step_of_a_mem_tile_may_be_zero() {
    let mut bench = Bench::new("xcve3858");
    bench.connect(M, port(Bundle::Dma, 0), port(Bundle::Dma, 0));
    bench.fill(M, 0, 1..=4);
    // Two words, three times: the outermost dimension repeats.
    let again = BdFields {
        steps: [1, 2, 4, 0],
        wraps: [2, 1, 1],
        ..bd(OWN_WINDOW, 6)
    };
    bench.bd(M, 0, &again);
    bench.bd(M, 1, &bd(OWN_WINDOW + 0x100, 6));
    bench.push(M, S2mm, 0, once(1));
    bench.push(M, Mm2s, 0, once(0));
    bench.run_clean();
    assert_eq!(bench.words(M, 0x100, 6), [1, 2, 1, 2, 1, 2]);
}

/// Starts a core that calls one kernel with arguments and ends.
fn start_call(bench: &mut Bench, kernel: &str, arguments: &[u32]) {
    let mut code: Vec<Instruction> = arguments
        .iter()
        .enumerate()
        .map(|(n, value)| Instruction::with(Opcode::Li, n as u8, 0, 0, *value))
        .collect();
    let count = arguments.len() as u8;
    code.push(Instruction::with(Opcode::CallKernel, 0, count, 0, 0));
    code.push(Instruction::new(Opcode::End, 0, 0, 0));
    let functions = vec![Function {
        entry: 0,
        registers: 16,
        granules: 0,
    }];
    let program = CoreProgram {
        functions,
        kernels: vec![kernel.to_string()],
        code,
    };
    for (i, word) in program.encode(0x4000).unwrap().into_iter().enumerate() {
        let byte = 4 * i as u32;
        bench.write(A, RegisterRef::ProgramMemory { byte }, word);
    }
    let on = CoreControl {
        enable: true,
        reset: false,
    };
    bench.write(A, RegisterRef::CoreControl, on.pack());
}

#[test]
fn a_kernel_works_in_the_tiles_memory_and_raises_its_events() {
    let mut bench = Bench::new("npu1");
    let mut kernels = Kernels::default();
    kernels.set_cycles("vector_scalar_mul_vector", 500);
    kernels.set_cycles("no_such_name", 1);
    bench.array.set_kernels(kernels);
    bench.observe();
    bench.fill(A, 0, [1, 2, 3, 4]);
    bench.fill(A, 0x80, [5]);
    let text = "vector_scalar_mul_vector(4xi32,4xi32,1xi32,i32)";
    start_call(&mut bench, text, &[OWN, OWN + 0x40, OWN + 0x80, 4]);
    bench.run_clean();
    assert_eq!(bench.words(A, 0x40, 4), [5, 10, 15, 20]);
    let seen = bench.take_observed();
    let at = |event| {
        let wanted = HwEvent::Instruction(event);
        let found = seen.iter().find(|seen| seen.event == wanted);
        found.map_or_else(|| panic!("no event {event}"), |seen| seen.at)
    };
    assert!((500..520).contains(&(at(1) - at(0))), "{} {}", at(0), at(1));
    assert!(bench.array.called_kernel("vector_scalar_mul_vector"));
    assert_eq!(bench.array.unknown_kernel_names(), ["no_such_name"]);
}

#[test]
fn a_core_that_calls_a_function_without_a_body_does_not_start() {
    let mut bench = Bench::new("npu1");
    start_call(&mut bench, "frobnicate(4xi32)", &[OWN]);
    bench.run();
    let missing = vec![NoKernel {
        name: "frobnicate".to_string(),
        reason: None,
    }];
    let kinds: Vec<&FaultKind> = bench
        .array
        .faults()
        .iter()
        .map(|fault| &fault.kind)
        .collect();
    assert_eq!(kinds, [&FaultKind::NoKernels { tile: A, missing }]);
}
