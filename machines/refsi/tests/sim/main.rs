//! Command buffers on the model of RefSi M1, against plain references.

use std::path::Path;
use std::process::Command;
use std::rc::Rc;

use aiec_diag::{Diags, FileId};
use aiec_refsi::sim::{Refsi, RefsiOptions, event};
use aiec_refsi::{Reading, asm, bytes_of};
use aiec_run_loop::{EndStatus, Limits, MachineBreak, MachineOutcome, UnitRecording};
use aiec_sim::external_sort::{MemoryScratch, Scratch, ScratchFile};
use aiec_sim::trace::{Format, record_store, write_machine};

/// The kernels, as a cross compiler made them of `kernels.c`.
const KERNELS: &[u8] = include_bytes!("kernels.bin");
/// Where they lie; window 0 leads there from where they are linked.
const CODE: u64 = 0xBFF0_0000;
const IN: u64 = 0x4000_0000;
const OUT: u64 = 0x4100_0000;
/// Entries of the table at the beginning of the kernels.
const MIX: u64 = 0x10000;
const CRC: u64 = 0x10004;
const SLICE: u64 = 0x10008;
const LEAVE: u64 = 0x1000C;
const MEET: u64 = 0x10010;
const SHOUT: u64 = 0x10014;
const SPIN: u64 = 0x10018;
const WHERE: u64 = 0x1001C;

/// Commands that let kernels run: their window, and where they return to.
const PROLOGUE: &str = "\
    WRITE_REG64 WINDOW_BASE0, 0x10000\n\
    WRITE_REG64 WINDOW_TARGET0, 0xbff00000\n\
    WRITE_REG64 WINDOW_MODE0, ACTIVE=1 MODE=SHARED SIZE=0x10000\n\
    WRITE_REG64 STACK_TOP, 0x10400000\n\
    WRITE_REG64 RETURN_ADDR, 0x1fff0\n";

const FREE: Limits = Limits {
    max_cycles: 100_000_000,
    until: None,
};

fn machine(options: RefsiOptions) -> Refsi {
    let mut refsi = Refsi::new(options);
    refsi.write_memory(CODE, KERNELS).expect("memory");
    refsi
}

/// Chunks of a text; it need not pass the checker, as what it refuses is tested here.
fn chunks(text: &str, reading: Reading) -> Vec<u8> {
    let mut diags = Diags::new();
    let (assembly, failed) = asm::translate(text, FileId(0), reading, &mut diags);
    assert!(!failed, "{text}\n{diags:?}");
    bytes_of(&assembly.chunks)
}

fn run(refsi: &mut Refsi, text: &str) -> EndStatus {
    refsi
        .enqueue_below(CODE, &chunks(text, Reading::Published))
        .expect("memory");
    refsi.run(FREE, &mut |_| {})
}

/// Runs commands after the prologue; the machine, and how it ended.
fn kernel(commands: &str) -> (Refsi, EndStatus) {
    let mut refsi = machine(RefsiOptions::default());
    let status = run(&mut refsi, &format!("{PROLOGUE}{commands}FINISH\n"));
    (refsi, status)
}

fn fault(status: &EndStatus) -> &str {
    match status {
        EndStatus::Fault { message, help } => {
            assert!(!help.is_empty());
            message
        }
        other => panic!("no fault but {other:?}"),
    }
}

fn words(refsi: &mut Refsi, address: u64, count: usize) -> Vec<u64> {
    let bytes = refsi.read_memory(address, 8 * count).expect("memory");
    let (words, _) = aiec_refsi::chunks_of(&bytes);
    words
}

fn put(refsi: &mut Refsi, address: u64, words: &[u64]) {
    refsi
        .write_memory(address, &bytes_of(words))
        .expect("memory");
}

/// Reference for `mix` of kernels.c.
fn mixed(a: i64, b: i64) -> [i64; 16] {
    let (ua, ub) = (a as u64, b as u64);
    let (wa, wb) = (a as i32, b as i32);
    let (shift, wshift) = ((ub & 63) as u32, (wb & 31) as u32);
    [
        a.wrapping_add(b),
        a.wrapping_mul(b),
        if b == 0 { -1 } else { a.wrapping_div(b) },
        if b == 0 { a } else { a.wrapping_rem(b) },
        ua.checked_div(ub).unwrap_or(u64::MAX) as i64,
        ua.checked_rem(ub).unwrap_or(ua) as i64,
        ((i128::from(a) * i128::from(b)) >> 64) as i64,
        ((u128::from(ua) * u128::from(ub)) >> 64) as i64,
        if wb == 0 {
            -1
        } else {
            i64::from((i64::from(wa) / i64::from(wb)) as i32)
        },
        i64::from(wa.wrapping_mul(wb)),
        (a << shift) ^ (a >> shift) ^ (ua >> shift) as i64,
        i64::from(((wa as u32) << wshift) as i32 ^ (wa >> wshift)),
        i64::from(a < b) + 2 * i64::from(ua < ub) + 4 * i64::from(wa < wb),
        i64::from(a as i8) + i64::from(b as i16) + i64::from(b as u8) + i64::from(a as u16),
        (a & b) | (a ^ !b),
        if wb == 0 {
            0
        } else {
            i64::from(wa as u32 % wb as u32)
        },
    ]
}

/// Runs `mix` over corner cases and random numbers with these kernels.
fn mixes(kernels: &[u8]) {
    let corners = [
        0,
        1,
        -1,
        i64::MIN,
        i64::MAX,
        i64::from(i32::MIN),
        0x7FFF_FFFF,
        255,
        -128,
    ];
    let mut random = fastrand::Rng::with_seed(0x5C64);
    let mut pairs: Vec<(i64, i64)> = Vec::new();
    for a in corners {
        pairs.extend(corners.map(|b| (a, b)));
    }
    pairs.extend((0..200).map(|_| (random.i64(..), random.i64(..) >> random.u32(0..64))));
    let mut refsi = machine(RefsiOptions::default());
    refsi.write_memory(CODE, kernels).expect("memory");
    let input: Vec<u64> = pairs
        .iter()
        .flat_map(|(a, b)| [*a as u64, *b as u64])
        .collect();
    put(&mut refsi, IN, &input);
    let commands = format!("RUN_INSTANCES 0, 2, {}, {IN}, {OUT}\n", pairs.len());
    let text = format!("{PROLOGUE}WRITE_REG64 ENTRY_PT_FN, {MIX}\n{commands}FINISH\n");
    assert_eq!(run(&mut refsi, &text), EndStatus::Completed);
    let found = words(&mut refsi, OUT, 16 * pairs.len());
    for ((a, b), found) in pairs.iter().zip(found.chunks(16)) {
        let wanted = mixed(*a, *b).map(|v| v as u64);
        assert_eq!(found, wanted, "{a} {b}");
    }
}

#[test]
fn integers_of_all_widths_are_computed_as_c_does() {
    mixes(KERNELS);
}

#[test]
fn a_cross_compiler_where_there_is_one_makes_kernels_that_compute_the_same() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/sim");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let (elf, bin) = (folder.join("kernels.elf"), folder.join("kernels.bin"));
    for level in ["-O0", "-O2", "-Os"] {
        let built = Command::new("riscv64-unknown-elf-gcc")
            .args([
                "-march=rv64imc",
                "-mabi=lp64",
                "-mcmodel=medany",
                "-ffreestanding",
                "-nostdlib",
            ])
            .arg(level)
            .arg(format!("-Wl,-T,{}", source.join("kernels.ld").display()))
            .arg("-o")
            .args([&elf, &source.join("kernels.c")])
            .status();
        let Ok(built) = built else {
            eprintln!("skipped: there is no riscv64-unknown-elf-gcc");
            return;
        };
        assert!(built.success());
        let copied = Command::new("riscv64-unknown-elf-objcopy")
            .args(["-O", "binary"])
            .args([&elf, &bin])
            .status();
        assert!(copied.is_ok_and(|status| status.success()));
        mixes(&std::fs::read(&bin).expect("the kernels"));
    }
}

#[test]
fn bytes_and_branches_make_a_checksum() {
    let (mut refsi, blocks, bytes) = (machine(RefsiOptions::default()), 9usize, 1000usize);
    let mut random = fastrand::Rng::with_seed(3);
    let data: Vec<u8> = (0..blocks * bytes).map(|_| random.u8(..)).collect();
    refsi.write_memory(IN, &data).expect("memory");
    let commands = format!(
        "WRITE_REG64 ENTRY_PT_FN, {CRC}\nRUN_INSTANCES 3, 3, {blocks}, {IN}, {OUT}, {bytes}\n"
    );
    let status = run(&mut refsi, &format!("{PROLOGUE}{commands}FINISH\n"));
    assert_eq!(status, EndStatus::Completed);
    let out = refsi.read_memory(OUT, 4 * blocks).expect("memory");
    for (block, found) in data.chunks(bytes).zip(out.chunks(4)) {
        let mut sum = u32::MAX;
        for byte in block {
            sum ^= u32::from(*byte);
            for _ in 0..8 {
                sum = (sum >> 1) ^ (0xEDB8_8320 & (sum & 1).wrapping_neg());
            }
        }
        assert_eq!(found, (!sum).to_le_bytes());
    }
}

#[test]
fn slices_have_packed_arguments_and_thread_blocks_apart_for_harts() {
    let setup = |kargs: &str, tsd: &str| {
        let mut refsi = machine(RefsiOptions::default());
        put(&mut refsi, 0x4200_0000, &[OUT, 5, 7, 9]);
        let commands = format!(
            "WRITE_REG64 ENTRY_PT_FN, {SLICE}\nWRITE_REG64 KUB_DESC, KUB_ADDR=0x42000000 KUB_SIZE=256\n\
             WRITE_REG64 KARGS_INFO, {kargs}\nWRITE_REG64 TSD_INFO, {tsd}\nRUN_KERNEL_SLICE 0, 10, 3\n"
        );
        let status = run(&mut refsi, &format!("{PROLOGUE}{commands}FINISH\n"));
        (refsi, status)
    };
    let (mut refsi, status) = setup("KARGS_SIZE=16", "TSD_OFFSET=16 TSD_SIZE=16");
    assert_eq!(status, EndStatus::Completed);
    // instances 0 to 3 are the first of their harts, 4 to 7 the second, 8 and 9 the third
    let wanted: Vec<u64> = (0..10)
        .map(|i| 3000 + 5 + 7 + 100_000 * (9 + 1 + i / 4))
        .collect();
    assert_eq!(words(&mut refsi, OUT, 10), wanted);
    // the blocks of four harts, a quarter of the area apart
    assert_eq!(words(&mut refsi, 0x1020_0000, 2), [7, 12]);
    assert_eq!(words(&mut refsi, 0x1020_0000 + 3 * 0x8_0000, 2), [7, 11]);
    let (mut refsi, status) = setup("KARGS_SIZE=16", "0");
    assert_eq!(status, EndStatus::Completed);
    assert_eq!(words(&mut refsi, OUT, 2), [3005, 3005]);
    // without packed arguments a2 is 0
    let (_, status) = setup("0", "0");
    assert!(
        fault(&status).contains("load access fault at 0x"),
        "{status:?}"
    );
    let (_, status) = setup("KARGS_OFFSET=248 KARGS_SIZE=16", "0");
    assert!(
        fault(&status).contains("KARGS of 16 bytes at 248 is not in the KUB"),
        "{status:?}"
    );
}

#[test]
fn the_uniform_block_cannot_be_written_by_harts() {
    let mut refsi = machine(RefsiOptions::default());
    // the results would go into the block
    put(&mut refsi, 0x4200_0000, &[0x4200_0080, 5, 7, 9]);
    let commands = format!(
        "WRITE_REG64 ENTRY_PT_FN, {SLICE}\nWRITE_REG64 KUB_DESC, KUB_ADDR=0x42000000 KUB_SIZE=256\n\
         WRITE_REG64 KARGS_INFO, KARGS_SIZE=16\nRUN_KERNEL_SLICE 1, 1, 0\n"
    );
    let status = run(&mut refsi, &format!("{PROLOGUE}{commands}FINISH\n"));
    assert!(
        fault(&status).contains("Kernel Uniform Block can't be written"),
        "{status:?}"
    );
}

#[test]
fn instances_run_on_as_many_harts_as_wanted() {
    for (wanted, harts) in [(0, 4), (1, 1), (3, 3), (9, 4)] {
        let commands = format!(
            "WRITE_REG64 ENTRY_PT_FN, {WHERE}\nRUN_INSTANCES {wanted}, 2, 8, {OUT}, 0x40000000\n"
        );
        let (mut refsi, status) = kernel(&commands);
        assert_eq!(status, EndStatus::Completed);
        let last = words(&mut refsi, IN, 1)[0];
        assert_eq!(last, 0x107, "{wanted}");
        let outcome = refsi.outcome(status);
        let used = outcome.parts["harts"].as_array().expect("harts");
        let used = used.iter().filter(|hart| hart["counters"][2] != 0).count();
        assert_eq!(used, harts, "{wanted}");
        assert_eq!(outcome.parts["instances"], 8);
    }
    let (_, status) = kernel(&format!(
        "WRITE_REG64 ENTRY_PT_FN, {WHERE}\nRUN_INSTANCES 0, 0, 0\n"
    ));
    assert_eq!(status, EndStatus::Completed);
}

/// Window 2 at 0x3000_0000 onto words of memory, with a mode and a scale.
fn window(mode: &str, scale: &str) -> String {
    format!(
        "WRITE_REG64 WINDOW_BASE2, 0x30000000\nWRITE_REG64 WINDOW_TARGET2, 0x40000000\n\
         WRITE_REG64 WINDOW_SCALE2, {scale}\nWRITE_REG64 WINDOW_MODE2, ACTIVE=1 {mode} SIZE=0x1000\n"
    )
}

#[test]
fn windows_lead_each_hart_or_core_to_its_own_memory() {
    let cases = [
        ("MODE=SHARED", "0", [0, 0, 0, 0, 0, 0, 0, 0]),
        (
            "MODE=PER_HART",
            "SCALE_A=1 SCALE_B=64",
            [0, 64, 128, 192, 256, 320, 384, 448],
        ),
        (
            "MODE=PER_CORE",
            "SCALE_A=2 SCALE_B=64",
            [0, 0, 0, 0, 128, 128, 128, 128],
        ),
        ("MODE=PER_HART", "0", [0, 0, 0, 0, 0, 0, 0, 0]),
    ];
    for (mode, scale, offsets) in cases {
        let mut refsi = machine(RefsiOptions {
            cores: 2,
            ..RefsiOptions::default()
        });
        for (hart, offset) in offsets.iter().enumerate() {
            put(&mut refsi, IN + 16 + offset, &[1000 + hart as u64]);
        }
        let last: Vec<u64> = offsets
            .iter()
            .map(|o| words(&mut refsi, IN + 16 + o, 1)[0])
            .collect();
        let window = window(mode, scale);
        let text = format!(
            "{PROLOGUE}{window}WRITE_REG64 ENTRY_PT_FN, {WHERE}\nRUN_INSTANCES 0, 2, 8, {OUT}, 0x30000010\nFINISH\n"
        );
        assert_eq!(run(&mut refsi, &text), EndStatus::Completed, "{mode}");
        let found = words(&mut refsi, OUT, 16);
        for (hart, (found, offset)) in found.chunks(2).zip(offsets).enumerate() {
            // the last hart that used the word, or the number that was put there
            let shared = offsets
                .iter()
                .take(hart)
                .rposition(|other| *other == offset);
            let wanted = shared.map_or(last[hart], |before| 0x100 + before as u64);
            assert_eq!(found, [0x1040_0000, wanted], "{mode} hart {hart}");
        }
    }
}

#[test]
fn windows_have_bounds_permissions_and_modes() {
    let cases = [
        (
            "PERMS=r MODE=SHARED",
            "STORE_IMM64 0x30000000, 1\n",
            "window 2 doesn't permit it",
        ),
        (
            "PERMS=w MODE=SHARED",
            "LOAD_REG64 SCRATCH, 0x30000000\n",
            "window 2 doesn't permit it",
        ),
        (
            "MODE=SHARED",
            "LOAD_REG64 SCRATCH, 0x30000ffc\n",
            "8 bytes go beyond the end of window 2",
        ),
        (
            "MODE=PER_HART",
            "LOAD_REG64 SCRATCH, 0x30000000\n",
            "window 2 is PER_HART, and cmp isn't a hart",
        ),
        (
            "MODE=PER_CORE",
            "LOAD_REG64 SCRATCH, 0x30000000\n",
            "window 2 is PER_CORE, and cmp is in no core",
        ),
        (
            "MODE=3",
            "LOAD_REG64 SCRATCH, 0x30000000\n",
            "reserved mode 3",
        ),
        (
            "INTERLEAVE=1",
            "LOAD_REG64 SCRATCH, 0x30000000\n",
            "interleaved, which is not modelled",
        ),
        (
            "MODE=SHARED",
            "WRITE_REG64 WINDOW_TARGET2, 0x10000\nLOAD_REG64 SCRATCH, 0x30000000\n",
            "a window can't lead into another",
        ),
        (
            "MODE=SHARED",
            "WRITE_REG64 WINDOW_MODE2, 0\nLOAD_REG64 SCRATCH, 0x30000000\n",
            "nothing is there",
        ),
    ];
    for (mode, command, wanted) in cases {
        let (_, status) = kernel(&format!("{}{command}", window(mode, "0")));
        assert!(fault(&status).contains(wanted), "{mode}: {status:?}");
    }
    let good = format!(
        "{}STORE_IMM64 0x30000ff8, 77\nLOAD_REG64 SCRATCH, 0x30000ff8\n\
         WRITE_REG64 WINDOW_MODE2, 0\nWRITE_REG64 WINDOW_MODE2, ACTIVE=1 SIZE=0x1000\n\
         STORE_REG64 SCRATCH, 0x30000000\n",
        window("PERMS=rw", "0")
    );
    let (mut refsi, status) = kernel(&good);
    assert_eq!(status, EndStatus::Completed);
    assert_eq!(words(&mut refsi, IN, 1), [77]);
    assert_eq!(words(&mut refsi, IN + 0xFF8, 1), [77]);
}

#[test]
fn the_driver_s_reading_differs_where_the_book_says() {
    let compat = |text: &str| {
        let mut refsi = machine(RefsiOptions {
            reading: Reading::Driver,
            ..RefsiOptions::default()
        });
        refsi
            .enqueue_below(CODE, &chunks(text, Reading::Driver))
            .expect("memory");
        let status = refsi.run(FREE, &mut |_| {});
        assert_eq!(status, EndStatus::Completed);
        let scratch = refsi.register(0);
        (scratch, refsi.outcome(status).remarks)
    };
    let window = window("PERMS=w", "0");
    // permissions are not looked at, the last byte of a window can't be reached
    let (scratch, remarks) = compat(&format!(
        "STORE_IMM64 0x40000000, 9\n{window}LOAD_REG64 SCRATCH, 0x30000000\n"
    ));
    assert_eq!((scratch, remarks.len()), (9, 0));
    let (_, remarks) = compat(&format!("{window}LOAD_REG64 SCRATCH, 0x30000ff8\n"));
    assert!(
        remarks[0].contains("dropped") && remarks[0].contains("end of window 2"),
        "{remarks:?}"
    );
    // a changed base unmaps the window until its mode is written
    let changed = format!("{window}WRITE_REG64 WINDOW_BASE2, 0x30000000\n");
    let (_, remarks) = compat(&format!("{changed}LOAD_REG64 SCRATCH, 0x30000000\n"));
    assert!(remarks[0].contains("nothing is there"), "{remarks:?}");
    let again = "WRITE_REG64 WINDOW_MODE2, ACTIVE=1 SIZE=0x1000\n";
    let (_, remarks) = compat(&format!("{changed}{again}LOAD_REG64 SCRATCH, 0x30000000\n"));
    assert!(remarks.is_empty(), "{remarks:?}");
    // no FINISH, NOP, register 7
    let (_, remarks) = compat("NOP 1, 2\nWRITE_REG64 7, 3\n");
    assert!(remarks.is_empty(), "{remarks:?}");
}

/// Data by a plain loop over slices, rows and bytes.
fn moved(sizes: [u64; 3], source: [u64; 2], destination: [u64; 2]) -> Vec<(u64, u64)> {
    let mut all = Vec::new();
    for slice in 0..sizes[2] {
        for row in 0..sizes[1] {
            for byte in 0..sizes[0] {
                let at = |strides: [u64; 2]| slice * strides[1] + row * strides[0] + byte;
                all.push((at(source), at(destination)));
            }
        }
    }
    all
}

#[test]
fn transfers_move_what_a_plain_loop_moves() {
    let mut random = fastrand::Rng::with_seed(0xD3A);
    for _ in 0..300 {
        let dimension = random.u64(1..=3);
        let mode = if dimension == 1 { 0 } else { random.u64(0..4) };
        let mut sizes = [random.u64(1..40), random.u64(1..6), random.u64(1..5)];
        sizes
            .iter_mut()
            .skip(dimension as usize)
            .for_each(|size| *size = 1);
        let mut strides = || {
            let row = sizes[0] + random.u64(0..16);
            [row, row * sizes[1] + random.u64(0..16)]
        };
        let (mut source, destination) = (strides(), strides());
        if dimension == 2 && mode & 2 != 0 && random.bool() {
            // the same row again
            source[0] = 0;
        }
        let mut refsi = machine(RefsiOptions::default());
        let data: Vec<u8> = (0..8192).map(|_| random.u8(..)).collect();
        refsi.write_memory(IN, &data).expect("memory");
        let mut text = String::new();
        let registers = [
            ("SRC_ADDR", IN),
            ("DST_ADDR", OUT),
            ("XFER_SIZE0", sizes[0]),
            ("XFER_SIZE1", sizes[1]),
            ("XFER_SIZE2", sizes[2]),
            ("XFER_SRC_STRIDE0", source[0]),
            ("XFER_SRC_STRIDE1", source[1]),
            ("XFER_DST_STRIDE0", destination[0]),
            ("XFER_DST_STRIDE1", destination[1]),
            ("CTRL", 1 | dimension << 4 | mode << 6),
        ];
        for (name, value) in registers {
            text += &format!("STORE_IMM64 DMA_{name}, {value}\n");
        }
        text += "LOAD_REG64 SCRATCH, DMA_START_SEQ\nSTORE_REG64 SCRATCH, DMA_DONE_SEQ\nFINISH\n";
        assert_eq!(run(&mut refsi, &text), EndStatus::Completed, "{text}");
        assert_eq!(refsi.register(0), 1);
        let sequential = [sizes[0], sizes[0] * sizes[1]];
        let strided = |bit: u64, strides| if mode & bit != 0 { strides } else { sequential };
        let mut wanted = vec![0; 8192];
        for (from, to) in moved(sizes, strided(2, source), strided(1, destination)) {
            wanted[to as usize] = data[from as usize];
        }
        assert_eq!(
            refsi.read_memory(OUT, 8192).expect("memory"),
            wanted,
            "{text}"
        );
    }
}

#[test]
fn transfers_that_cannot_be_are_refused() {
    let cases = [
        ("STORE_IMM64 DMA_CTRL, 0x01\n", "dimension 0"),
        (
            "STORE_IMM64 DMA_CTRL, 0x51\n",
            "one dimension has no strides",
        ),
        (
            "STORE_IMM64 DMA_XFER_SIZE0, 8\nSTORE_IMM64 DMA_XFER_SIZE1, 2\nSTORE_IMM64 DMA_XFER_DST_STRIDE0, 4\n\
             STORE_IMM64 DMA_CTRL, 0x61\n",
            "stride 4 is smaller than a row of 8",
        ),
        (
            "STORE_IMM64 DMA_XFER_SIZE0, 0x800000000\nSTORE_IMM64 DMA_CTRL, 0x11\n",
            "larger than memory",
        ),
        (
            "STORE_IMM64 DMA_XFER_SIZE0, 8\nSTORE_IMM64 DMA_CTRL, 0x11\n",
            "nothing is there",
        ),
        (
            "STORE_IMM64 DMA_SRC_ADDR, 0x20100100\nSTORE_IMM64 DMA_DST_ADDR, 0x40000000\nSTORE_IMM64 DMA_XFER_SIZE0, 8\n\
             STORE_IMM64 DMA_CTRL, 0x11\n",
            "moves memory only",
        ),
        ("STORE_IMM64 0x20002004, 1\n", "accessed whole"),
    ];
    for (commands, wanted) in cases {
        let (_, status) = kernel(commands);
        assert!(fault(&status).contains(wanted), "{commands}: {status:?}");
    }
    // nothing to move gives no id
    let (refsi, status) = kernel("STORE_IMM64 DMA_CTRL, 0x11\nLOAD_REG64 SCRATCH, DMA_START_SEQ\n");
    assert_eq!((status, refsi.register(0)), (EndStatus::Completed, 0));
}

#[test]
fn counters_belong_to_harts() {
    let commands = format!(
        "WRITE_REG64 ENTRY_PT_FN, {WHERE}\nRUN_INSTANCES 2, 2, 4, {OUT}, 0x40000000\nSYNC_CACHE DCACHE\n\
         COPY_MEM64 32, PERF_COUNTERS, 0x43000000, hart:1\nCOPY_MEM64 32, PERF_COUNTERS, 0x43001000, hart:2\n\
         COPY_MEM64 4, PERF_COUNTERS + 0x100, 0x43002000, cmp\n"
    );
    let (mut refsi, status) = kernel(&commands);
    assert_eq!(status, EndStatus::Completed);
    let counters = words(&mut refsi, 0x4300_0000, 18);
    // two instances: three stores of 8 bytes and a load of 8 bytes each
    assert_eq!(
        (counters[6], counters[8], counters[12], counters[14]),
        (2, 2, 6, 6)
    );
    assert!(counters[2] > 10 && counters[0] >= counters[2]);
    assert_eq!(words(&mut refsi, 0x4300_1000, 18)[2], 0);
    let (_, status) = kernel("COPY_MEM64 1, PERF_COUNTERS, 0x43000000, cmp\n");
    assert!(
        fault(&status).contains("counter 0 is a hart's, and cmp is none"),
        "{status:?}"
    );
    let (_, status) = kernel("COPY_MEM64 1, PERF_COUNTERS, 0x43000000, hart:9\n");
    assert!(fault(&status).contains("there is no hart:9"), "{status:?}");
    let (_, status) = kernel("COPY_MEM64 1, 0x40000004, 0x43000000, cmp\n");
    assert!(
        fault(&status).contains("isn't a multiple of 8"),
        "{status:?}"
    );
}

#[test]
fn instances_end_by_return_by_call_or_by_a_trap() {
    let leave = |status: u64| {
        format!("WRITE_REG64 ENTRY_PT_FN, {LEAVE}\nRUN_INSTANCES 1, 1, 2, {status}\n")
    };
    assert_eq!(kernel(&leave(0)).1, EndStatus::Completed);
    let (_, status) = kernel(&leave(3));
    assert!(
        fault(&status).contains("hart 0, instance 0: it exited with status 3"),
        "{status:?}"
    );
    assert!(fault(&status).contains("chunk") || fault(&status).contains("instance"));
    let (_, status) = kernel("WRITE_REG64 ENTRY_PT_FN, 0x20\nRUN_INSTANCES 1, 0, 1\n");
    assert!(
        fault(&status).contains("instruction access fault at 0x20: nothing is there"),
        "{status:?}"
    );
    // what no kernel of this ISA has, by name
    let words = [
        (0x0400_0053u64, "Zfh or Q"),
        (0x0010_20F3, "accrued exceptions"),
        (0x0210_9053, "rounding mode 1"),
        (0x0000_0057, "V (vectors)"),
        (0x0A00_1033, "Zbc"),
        (0x3000_1073, "Zicsr"),
        (0x0000_0000, "no instruction of RV64"),
    ];
    for (word, wanted) in words {
        let mut refsi = machine(RefsiOptions::default());
        put(&mut refsi, 0x4200_0000, &[word]);
        let text = "WRITE_REG64 ENTRY_PT_FN, 0x42000000\nRUN_INSTANCES 1, 0, 1\nFINISH\n";
        let status = run(&mut refsi, text);
        assert!(fault(&status).contains(wanted), "{word:x}: {status:?}");
    }
}

#[test]
fn atomics_of_several_harts_lose_nothing() {
    // a0 is the instance, a1 an address of a sum and a largest, with a word that a lock guards.
    let code: [u32; 12] = [
        0x00A5_A62F, // amoadd.w a2, a0, (a1)
        0x0085_8693, // addi a3, a1, 8
        0xA0A6_B72F, // amomax.d a4, a0, (a3)
        0x0106_8693, // addi a3, a3, 16
        0x1006_B7AF, // lr.d a5, (a3)
        0x0037_8793, // addi a5, a5, 3
        0x18F6_B82F, // sc.d a6, a5, (a3)
        0xFE08_1AE3, // bnez a6, -12
        0x0000_0013, // nop
        0x0000_0893, // li a7, 0
        0x0000_0513, // li a0, 0
        0x0000_0073, // ecall
    ];
    let mut refsi = machine(RefsiOptions::default());
    let pairs: Vec<u64> = code
        .chunks(2)
        .map(|pair| u64::from(pair[1]) << 32 | u64::from(pair[0]))
        .collect();
    put(&mut refsi, 0x4200_0000, &pairs);
    let text =
        format!("WRITE_REG64 ENTRY_PT_FN, 0x42000000\nRUN_INSTANCES 0, 1, 100, {OUT}\nFINISH\n");
    assert_eq!(run(&mut refsi, &text), EndStatus::Completed);
    assert_eq!(words(&mut refsi, OUT, 4), [4950, 99, 0, 300]);
}

#[test]
fn kernels_compute_with_floats() {
    // a1: address of x and y; z = x / y + 0.5 as a double at 16, its integer by rounding to zero at 24.
    let code: [u32; 14] = [
        0x0005_B087, // fld ft1, 0(a1)
        0x0085_B107, // fld ft2, 8(a1)
        0x1A20_F1D3, // fdiv.d ft3, ft1, ft2
        0x0010_0613, // li a2, 1
        0xD206_0253, // fcvt.d.w ft4, a2
        0x0020_0613, // li a2, 2
        0xD206_02D3, // fcvt.d.w ft5, a2
        0x1A52_7253, // fdiv.d ft4, ft4, ft5
        0x0241_F1D3, // fadd.d ft3, ft3, ft4
        0x0035_B827, // fsd ft3, 16(a1)
        0xC221_96D3, // fcvt.l.d a3, ft3, rtz
        0x00D5_BC23, // sd a3, 24(a1)
        0x0000_0893, // li a7, 0
        0x0000_0513, // li a0, 0
    ];
    let mut refsi = machine(RefsiOptions::default());
    let mut pairs: Vec<u64> = code
        .chunks(2)
        .map(|pair| u64::from(pair[1]) << 32 | u64::from(pair[0]))
        .collect();
    pairs.push(0x73);
    put(&mut refsi, 0x4200_0000, &pairs);
    put(&mut refsi, OUT, &[10f64.to_bits(), 4f64.to_bits()]);
    let text =
        format!("WRITE_REG64 ENTRY_PT_FN, 0x42000000\nRUN_INSTANCES 0, 1, 1, {OUT}\nFINISH\n");
    assert_eq!(run(&mut refsi, &text), EndStatus::Completed);
    assert_eq!(words(&mut refsi, OUT + 16, 2), [3f64.to_bits(), 3]);
}

#[test]
fn barriers_join_harts_and_different_ones_are_a_deadlock() {
    let meet = |apart: u64| {
        format!("WRITE_REG64 ENTRY_PT_FN, {MEET}\nRUN_INSTANCES 0, 4, 4, {IN}, {OUT}, 4, {apart}\n")
    };
    let (mut refsi, status) = kernel(&meet(0));
    assert_eq!(status, EndStatus::Completed);
    assert_eq!(words(&mut refsi, OUT, 4), [1, 4, 9, 0]);
    let (_, status) = kernel(&meet(1));
    let EndStatus::Deadlock(waits) = status else {
        panic!("{status:?}");
    };
    assert_eq!(waits.len(), 4);
    assert!(
        waits[2].starts_with("instance 2 on hart 2 waits at barrier 2"),
        "{waits:?}"
    );
}

#[test]
fn kernels_print_and_runs_have_limits() {
    let mut refsi = machine(RefsiOptions::default());
    refsi.write_memory(IN, b"hello\n\0").expect("memory");
    let text = format!(
        "{PROLOGUE}WRITE_REG64 ENTRY_PT_FN, {SHOUT}\nRUN_INSTANCES 1, 1, 2, {IN}\nFINISH\n"
    );
    let status = run(&mut refsi, &text);
    assert_eq!(refsi.outcome(status).printed, "hello\nhello\n");
    let spin =
        format!("{PROLOGUE}WRITE_REG64 ENTRY_PT_FN, {SPIN}\nRUN_INSTANCES 0, 0, 4\nFINISH\n");
    let bytes = chunks(&spin, Reading::Published);
    let limited = |limits| {
        let mut refsi = machine(RefsiOptions::default());
        refsi.enqueue_below(CODE, &bytes).expect("memory");
        let status = refsi.run(limits, &mut |_| {});
        (status.clone(), refsi.outcome(status).cycles)
    };
    let limit = Limits {
        max_cycles: 5000,
        until: None,
    };
    assert_eq!(limited(limit).0, EndStatus::Limit);
    let until = Limits {
        max_cycles: 50_000,
        until: Some(3000),
    };
    let (status, cycles) = limited(until);
    assert_eq!(
        status,
        EndStatus::Stopped(None, "after cycle 3000".to_owned())
    );
    assert!((3000..3002).contains(&cycles), "{cycles}");
}

/// A kernel of which nothing would run is a fault, however many instances it has; a function of the host at that address
/// runs.
#[test]
fn instances_that_end_before_they_begin_are_a_fault() {
    for command in [
        "RUN_INSTANCES 0, 0, 1",
        "RUN_INSTANCES 0, 0, 0xffffffffffffffff",
        "RUN_KERNEL_SLICE 0, 1000000000000, 0",
    ] {
        let mut refsi = machine(RefsiOptions::default());
        let status = run(&mut refsi, &format!("{command}\nFINISH\n"));
        let said = fault(&status);
        assert!(
            said.contains("ENTRY_PT_FN and RETURN_ADDR are not set"),
            "{said}"
        );
    }
    let (_, status) = kernel("WRITE_REG64 ENTRY_PT_FN, 0x1fff0\nRUN_INSTANCES 0, 0, 4\n");
    let said = fault(&status);
    assert!(
        said.contains("are both 0x1fff0: an instance would end"),
        "{said}"
    );
    let (refsi, status) = kernel("RUN_INSTANCES 0, 0, 0\n");
    assert_eq!((status, refsi.instructions()), (EndStatus::Completed, 0));
}

/// Instances that only leave take a cycle each: limits hold however many there are.
#[test]
fn runs_of_many_instances_have_limits() {
    let text = format!(
        "{PROLOGUE}WRITE_REG64 ENTRY_PT_FN, {LEAVE}\nRUN_INSTANCES 0, 1, 0xffffffffffffffff, 0\nFINISH\n"
    );
    let mut refsi = machine(RefsiOptions::default());
    refsi
        .enqueue_below(CODE, &chunks(&text, Reading::Published))
        .expect("memory");
    let limits = Limits {
        max_cycles: 20_000,
        until: None,
    };
    assert_eq!(refsi.run(limits, &mut |_| {}), EndStatus::Limit);
}

fn trace_bytes(outcome: &MachineOutcome, format: Format) -> Vec<u8> {
    let mut bytes = Vec::new();
    let scratch: Rc<dyn Scratch> = Rc::new(MemoryScratch);
    write_machine(outcome, format, &scratch, &mut bytes).expect("memory can be written");
    bytes
}

/// Scratch files in memory that sorters use soon.
#[derive(Debug)]
struct SmallScratch;

impl Scratch for SmallScratch {
    fn file(&self) -> std::io::Result<Box<dyn ScratchFile>> {
        MemoryScratch.file()
    }

    fn room(&self) -> usize {
        500
    }
}

#[test]
fn traces_in_scratch_files_are_those_in_memory() {
    let text = format!(
        "{PROLOGUE}WRITE_REG64 ENTRY_PT_FN, {WHERE}\nRUN_INSTANCES 0, 2, 200, {OUT}, 0x40000000\nFINISH\n"
    );
    let outcome = |scratch: Option<Rc<dyn Scratch>>| {
        let limit = if scratch.is_some() { 3 } else { 10_000 };
        let mut refsi = machine(RefsiOptions {
            recording: Some(UnitRecording {
                from: 100,
                store: scratch.as_ref().map(record_store),
                limit,
            }),
            ..RefsiOptions::default()
        });
        let status = run(&mut refsi, &text);
        refsi.outcome(status)
    };
    let (in_memory, in_files) = (outcome(None), outcome(Some(Rc::new(SmallScratch))));
    assert_eq!((in_memory.trace.full, in_files.trace.full), (None, None));
    for (format, ending, _) in Format::ALL {
        let (wanted, found) = (
            trace_bytes(&in_memory, format),
            trace_bytes(&in_files, format),
        );
        assert!(wanted.len() > 1000, "{ending}: {} bytes", wanted.len());
        assert!(wanted == found, "{ending}");
    }
}

#[test]
fn runs_stop_at_breakpoints_and_have_traces() {
    let point = |event, key| MachineBreak {
        event,
        unit: None,
        key: Some(key),
        times: 1,
    };
    let text = format!(
        "{PROLOGUE}WRITE_REG64 ENTRY_PT_FN, {WHERE}\nRUN_INSTANCES 0, 2, 8, {OUT}, 0x40000000\nFINISH\n"
    );
    for (breakpoint, wanted) in [
        (
            point(event::COMMAND, 2),
            "cmp COMMAND chunk=2,command=WRITE_REG64 WINDOW_TARGET0",
        ),
        (
            point(event::PC, WHERE),
            "core 0 hart 0 PC pc=0x1001c,instance=0",
        ),
        (
            point(event::INSTANCE, 6),
            "core 0 hart 2 INSTANCE instance=6",
        ),
    ] {
        let mut refsi = machine(RefsiOptions {
            breakpoints: vec![breakpoint],
            ..RefsiOptions::default()
        });
        let status = run(&mut refsi, &text);
        let EndStatus::Stopped(Some(0), what) = &status else {
            panic!("{status:?}");
        };
        assert!(what.contains(wanted), "{what}");
    }
    let mut refsi = machine(RefsiOptions {
        recording: Some(UnitRecording {
            from: 0,
            store: None,
            limit: 10_000,
        }),
        ..RefsiOptions::default()
    });
    let status = run(&mut refsi, &text);
    let outcome = refsi.outcome(status);
    let lines = String::from_utf8(trace_bytes(&outcome, Format::Text)).expect("text");
    assert_eq!(lines.matches("event=INSTANCE").count(), 8);
    assert!(
        lines.contains("event=COMMAND,unit=cmp,chunk=16,command=FINISH,cycles=1"),
        "{lines}"
    );
    for (format, start) in [
        (Format::Vcd, "$comment"),
        (Format::Chrome, "["),
        (Format::Html, "<!DOCTYPE"),
    ] {
        let bytes = trace_bytes(&outcome, format);
        assert!(bytes.starts_with(start.as_bytes()), "{format:?}");
    }
}

#[test]
fn reading_what_harts_wrote_before_sync_cache_is_remarked() {
    let commands = |sync: &str| {
        format!(
            "WRITE_REG64 ENTRY_PT_FN, {WHERE}\nRUN_INSTANCES 1, 2, 1, {OUT}, {IN}\n{sync}LOAD_REG64 SCRATCH, {OUT}\n"
        )
    };
    let (mut refsi, status) = kernel(&commands(""));
    let remarks = refsi.outcome(status).remarks;
    assert!(
        remarks[0].contains("where hart 0 wrote without SYNC_CACHE"),
        "{remarks:?}"
    );
    let (mut refsi, status) = kernel(&commands("SYNC_CACHE DCACHE\n"));
    assert!(refsi.outcome(status).remarks.is_empty());
}

#[test]
fn commands_that_fail_name_themselves() {
    let cases: [(&str, &str); 7] = [
        (
            ".quad 0xc0000a00\n",
            "the command, chunk 0 (offset 0x0) of the buffer at 0xbfef",
        ),
        (".quad 0x1\n", "isn't a header"),
        (".quad 0xc0010100\n", "odd"),
        (".quad 0xc0000000\n", "opcode 0"),
        ("FINISH\n", ""),
        ("WRITE_REG64 7, 0\nFINISH\n", "WRITE_REG64, chunk 0"),
        ("SYNC_CACHE 0\n", "ends without FINISH"),
    ];
    for (text, wanted) in cases {
        let mut refsi = machine(RefsiOptions::default());
        let status = run(&mut refsi, text);
        match wanted {
            "" => assert_eq!(status, EndStatus::Completed),
            wanted => assert!(fault(&status).contains(wanted), "{text}: {status:?}"),
        }
    }
}

#[test]
fn the_log_is_that_of_the_reference_driver() {
    let mut refsi = machine(RefsiOptions {
        reading: Reading::Driver,
        ..RefsiOptions::default()
    });
    let text = "WRITE_REG64 ENTRY_PT_FN, 0x1001c\nFINISH\n";
    let at = refsi.enqueue_below(Refsi::DRAM_END, &chunks(text, Reading::Driver));
    assert_eq!(at, Ok(0xBFFF_FFE8));
    assert_eq!(refsi.run(FREE, &mut |_| {}), EndStatus::Completed);
    let wanted = "[CMP] Starting to execute command buffer at 0xbfffffe8.\n\
                  [CMP] CMP_WRITE_REG64(ENTRY_PT_FN, 0x1001c)\n[CMP] CMP_FINISH\n\
                  [CMP] Finished executing command buffer in 0.000 s\n";
    assert_eq!(refsi.command_log(), wanted);
}

#[test]
fn a_kernel_without_thread_block_faults_where_the_tutorial_s_does() {
    // ld a5, 72(a3)
    let load = 72u64 << 20 | 13 << 15 | 3 << 12 | 15 << 7 | 0x03;
    let mut refsi = machine(RefsiOptions::default());
    put(&mut refsi, 0x4200_0000, &[load]);
    let text = "WRITE_REG64 ENTRY_PT_FN, 0x42000000\nWRITE_REG64 RETURN_ADDR, 0x1006c\n\
                RUN_KERNEL_SLICE 1, 8, 0\nFINISH\n";
    let status = run(&mut refsi, text);
    assert!(
        fault(&status).contains("load access fault at 0x48"),
        "{status:?}"
    );
}
