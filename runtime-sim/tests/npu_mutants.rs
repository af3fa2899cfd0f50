//! Changed files of Ryzen AI are refused or executed: nothing panics, and reading takes no more than four
//! times the file's bytes of memory, whatever numbers it holds.
#![expect(
    unsafe_code,
    reason = "an allocator that counts calls the unsafe functions of the system's"
)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::fs;
use std::ops::ControlFlow;
use std::path::Path;

use aiec_diag::Diag;
use aiec_npu::cdo::Cdo;
use aiec_npu::control_packet;
use aiec_npu::pdi;
use aiec_npu::txn::TransactionReader;
use aiec_npu::xclbin::{NpuXclbin, Xclbin};
use aiec_sim::npu::NpuInput;
use aiec_sim::{HostBuffer, Progress, SimOptions, simulate_npu};

/// The system's allocator, which counts what each thread has.
struct Counting;

thread_local! {
    /// Bytes that the thread has now, and had at most.
    static BYTES: Cell<(usize, usize)> = const { Cell::new((0, 0)) };
}

/// Counts bytes that a thread gets and gives back. At a thread's end there is nothing to count with.
fn count_bytes(more: usize, less: usize) {
    let _ = BYTES.try_with(|bytes| {
        let (now, most) = bytes.get();
        let now = (now + more).saturating_sub(less);
        bytes.set((now, most.max(now)));
    });
}

// SAFETY: all is done by the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count_bytes(layout.size(), 0);
        // SAFETY: the caller's promise.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        count_bytes(0, layout.size());
        // SAFETY: the caller's promise.
        unsafe { System.dealloc(at, layout) }
    }

    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count_bytes(size, layout.size());
        // SAFETY: the caller's promise.
        unsafe { System.realloc(at, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Memory that a reader may take for each byte of the file.
const MEMORY_FACTOR: usize = 4;
/// Memory that a reader may take of any file: for a finding, and for tables of the format.
const MEMORY_OF_ANY: usize = 4096;
/// Cycles that a changed file is executed.
const CYCLES: u64 = 30_000;

/// Reads a file with the memory that is allowed.
fn read_within<T>(bytes: &[u8], read: impl FnOnce(&[u8]) -> Result<T, Diag>) -> Option<T> {
    let before = BYTES.with(|bytes| {
        let (now, _) = bytes.get();
        bytes.set((now, now));
        now
    });
    let result = read(bytes);
    let most = BYTES.with(Cell::get).1 - before;
    let allowed = MEMORY_FACTOR * bytes.len() + MEMORY_OF_ANY;
    assert!(
        most <= allowed,
        "{most} bytes for a file of {}",
        bytes.len()
    );
    result.ok()
}

/// Mutants of each file; `AIEC_TEST_SIZE=N` draws N times as many.
fn count() -> usize {
    let size = std::env::var("AIEC_TEST_SIZE").ok();
    400 * size.and_then(|n| n.parse::<usize>().ok()).unwrap_or(1)
}

/// Changes, removes or adds a few bytes.
fn mutate(random: &mut fastrand::Rng, bytes: &mut Vec<u8>) {
    for _ in 0..random.usize(1..4) {
        let at = random.usize(..bytes.len());
        match random.u8(..8) {
            0 => bytes.truncate(at.max(1)),
            1 => bytes.extend((0..random.usize(..16)).map(|_| random.u8(..))),
            2 => bytes[at] = 0xFF,
            3..=4 => bytes[at] ^= 1 << random.u8(..8),
            _ => bytes[at] = random.u8(..),
        }
    }
}

fn vector(path: &str) -> Vec<u8> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../test/vectors/containers");
    fs::read(folder.join(path)).expect("a vector")
}

/// Takes a file and its mutants.
fn with_mutants(path: &str, mut take: impl FnMut(&[u8])) {
    let whole = vector(path);
    take(&whole);
    let mut random = fastrand::Rng::with_seed(3);
    for _ in 0..count() {
        let mut bytes = whole.clone();
        mutate(&mut random, &mut bytes);
        take(&bytes);
    }
}

/// Executes files with buffers for some arguments; whether they were executed.
fn execute(input: &NpuInput) -> bool {
    let buffers = (0..4).map(|index| HostBuffer {
        index,
        bytes: vec![0; 4096],
    });
    let options = SimOptions {
        max_cycles: CYCLES,
        ..SimOptions::default()
    };
    let mut never = |_: &Progress<'_>| ControlFlow::Continue(());
    simulate_npu(input, None, buffers.collect(), &options, &mut never).is_ok()
}

#[test]
fn mutants_of_transactions_run_beside_their_xclbin() {
    let xclbin = vector("design/passthrough_npu2_1col/aie.xclbin");
    let mut executed = 0;
    with_mutants("design/passthrough_npu2_1col/insts.bin", |bytes| {
        read_within(bytes, |bytes| {
            TransactionReader::new(bytes)?.try_for_each(|next| next.map(drop))
        });
        if let Ok(input) = NpuInput::read(Some(&xclbin), Some(bytes), None) {
            executed += usize::from(execute(&input));
        }
    });
    assert!(executed > count() / 10, "{executed}");
}

#[test]
fn mutants_of_xclbins_run_with_their_transaction() {
    let transaction = vector("design/passthrough_npu2_1col/insts.bin");
    let mut executed = 0;
    with_mutants("design/passthrough_npu2_1col/aie.xclbin", |bytes| {
        let read = |bytes: &[u8]| NpuXclbin::from_sections(&Xclbin::read(bytes)?);
        if read_within(bytes, read).is_none() {
            return;
        }
        if let Ok(input) = NpuInput::read(Some(bytes), Some(&transaction), None) {
            executed += usize::from(execute(&input));
        }
    });
    assert!(executed > count() / 10, "{executed}");
}

#[test]
fn mutants_of_elf_files_run() {
    let mut executed = 0;
    with_mutants("design/passthrough_npu2_1col_loadpdi/aie.elf", |bytes| {
        if let Some(input) = read_within(bytes, |bytes| NpuInput::read(None, Some(bytes), None)) {
            executed += usize::from(execute(&input));
        }
    });
    let xclbin = vector("design/passthrough_npu2_1col/aie.xclbin");
    with_mutants("design/passthrough_npu2_1col/insts.elf", |bytes| {
        let read = |bytes: &[u8]| NpuInput::read(None, Some(bytes), None);
        if read_within(bytes, read).is_none() {
            return;
        }
        if let Ok(input) = NpuInput::read(Some(&xclbin), Some(bytes), None) {
            executed += usize::from(execute(&input));
        }
    });
    assert!(executed > count() / 10, "{executed}");
}

#[test]
fn mutants_of_configurations_are_read_within_their_memory() {
    with_mutants("cdo/all_commands.cdo", |bytes| {
        read_within(bytes, Cdo::read);
    });
    for path in ["cdo/all.pdi", "pdi-transform/sample_transformed.pdi"] {
        with_mutants(path, |bytes| {
            read_within(bytes, pdi::read);
        });
    }
}

#[test]
fn control_packets_are_read_within_their_memory() {
    let packet = control_packet::ControlPacket {
        packet_type: 0,
        packet_id: 15,
        offset: 0x1_D000,
        beats: 1,
        operation: control_packet::PacketOperation::Write,
        response_id: 0,
        data: vec![0x100],
    };
    let whole = aiec_npu::word_bytes(&packet.words()).repeat(100);
    let mut random = fastrand::Rng::with_seed(4);
    for _ in 0..count() {
        let mut bytes = whole.clone();
        mutate(&mut random, &mut bytes);
        read_within(&bytes, control_packet::read);
    }
}
