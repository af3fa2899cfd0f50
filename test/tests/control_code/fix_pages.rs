//! `--fix-pages`: what was split does the same, as the simulator shows by running a program
//! before and after. To have a "before" that runs at all, pages are split at a lower limit than
//! the machine's.

use std::fmt::Write;

use aiec_cert::asm::{self, AsmOptions, NoFiles};
use aiec_cert::fix::{FixReport, NoCut, fix_pages_to};
use aiec_cert::names::Target;
use aiec_cert::pager::LayoutOptions;
use aiec_cert::program::Program;
use aiec_cert::{elf, image};
use aiec_device::regmap::RegisterRef;
use aiec_device::{DeviceModel, TileLoc};
use aiec_sim::{SimOptions, SimResult, simulate};

/// The device with controllers.
const DEVICE: &str = "xcve3858";
/// Words of its memory that are compared.
const WORDS: u32 = 512;

/// A core tile whose memory the programs write.
fn tile() -> TileLoc {
    TileLoc::new(1, 3)
}

fn address(word: u32) -> u32 {
    let device = DeviceModel::by_name(DEVICE).expect("the device");
    let byte = word * 4;
    device
        .register_address(tile(), RegisterRef::DataMemory { byte })
        .expect("an address")
}

fn parse(text: &str) -> Program {
    let options = AsmOptions {
        target: Target::Aie2ps,
        compat: false,
    };
    let assembled = asm::parse("test.asm", text.as_bytes(), &NoFiles, options);
    assembled
        .program
        .unwrap_or_else(|errors| panic!("{errors:?}\n{text}"))
}

fn run(program: &Program) -> SimResult {
    let image = image::assemble(program, LayoutOptions::default()).expect("it fits");
    let file = elf::write(&image, None).expect("a file");
    simulate(&file, Vec::new(), &SimOptions::default()).expect("it runs")
}

fn memory(program: &Program) -> Vec<u32> {
    let result = run(program);
    let memory = result.array.data_memory(tile()).expect("a memory");
    let word = |word| memory.word(word * 4).expect("a word");
    (0..WORDS).map(word).collect()
}

/// Splits at a limit and compares what the program leaves in memory; gives the number of pages.
fn same(text: &str, limit: usize) -> usize {
    let before = parse(text);
    let mut after = before.clone();
    let report = fix_pages_to(&mut after, LayoutOptions::default(), limit);
    assert_eq!(report.stuck, [], "{text}");
    assert!(!report.splits.is_empty(), "nothing was split\n{text}");
    let image = image::assemble(&after, LayoutOptions::default()).expect("it fits");
    let pages = &image.ucs[0].pages;
    for (number, page) in pages.iter().enumerate() {
        let used = page.text.len() + page.data.len();
        // the layout joins what fits 8192 bytes, but never over the page ends of a split
        assert!(
            used <= limit || number == 0,
            "page {number} has {used} bytes"
        );
    }
    let wanted = memory(&before);
    assert!(
        wanted.iter().any(|&word| word != 0),
        "the program does nothing"
    );
    assert_eq!(memory(&after), wanted, "{text}");
    pages.len()
}

fn stuck(text: &str, limit: usize) -> Vec<NoCut> {
    let mut program = parse(text);
    let before = program.clone();
    let FixReport { splits, stuck } = fix_pages_to(&mut program, LayoutOptions::default(), limit);
    assert_eq!(splits, []);
    assert_eq!(program, before, "what cannot be split stays as it is");
    stuck.into_iter().map(|stuck| stuck.why).collect()
}

#[test]
fn a_long_job_goes_over_several_pages() {
    let mut text = String::from("START_JOB 0\n");
    for i in 0..60 {
        let (to, from) = (address(i), address(i / 2));
        writeln!(text, "  WRITE_32 0x{to:x}, {}", i * 3 + 1).expect("a string");
        // a value goes through a register of the job and one of the controller
        writeln!(text, "  READ_32 $r1, 0x{from:x}\n  ADD $r1, 100").expect("a string");
        writeln!(text, "  WRITE_32_D 1, 0x{:x}, $r1", address(100 + i)).expect("a string");
        writeln!(text, "  READ_32 $g1, 0x{to:x}").expect("a string");
        writeln!(text, "  WRITE_32_D 1, 0x{:x}, $g1", address(200 + i)).expect("a string");
    }
    text += "END_JOB\nEOF\n";
    assert!(same(&text, 512) > 6);
}

#[test]
fn data_go_with_those_who_name_them() {
    let (mut text, mut data) = (String::from("START_JOB 0\n"), String::from("EOF\n"));
    for i in 0..12 {
        writeln!(text, "  UC_DMA_WRITE_DES $r0, @c{i}\n  WAIT_UC_DMA $r0").expect("a string");
        writeln!(text, "  UC_DMA_WRITE_DES_SYNC @c{}", i / 3).expect("a string");
        let to = address(20 * i);
        writeln!(
            data,
            "c{i}:\n  UC_DMA_BD 0, 0x{to:x}, @w{i}, 16, 0, 0\nw{i}:"
        )
        .expect("it");
        for word in 0..16 {
            writeln!(data, "  .long {}", 1000 * i + word).expect("a string");
        }
    }
    assert!(same(&(text + "END_JOB\n" + &data), 512) > 2);
}

#[test]
fn a_long_chain_becomes_several() {
    let mut text = String::from("START_JOB 0\n  UC_DMA_WRITE_DES_SYNC @c\nEND_JOB\nEOF\nc:\n");
    let to = address(0);
    writeln!(text, "  UC_DMA_BD 0, 0x{to:x}, @w, 300, 0, 1").expect("a string");
    let to = address(310);
    writeln!(text, "  UC_DMA_BD 0, 0x{to:x}, @w, 120, 0, 1").expect("a string");
    let to = address(440);
    writeln!(text, "  UC_DMA_BD 0, 0x{to:x}, @v, 2, 0, 0").expect("a string");
    text += "w:\n";
    for word in 0..300 {
        writeln!(text, "  .long {}", word * 7 + 1).expect("a string");
    }
    text += "v:\n  .long 5\n  .long 6\n";
    assert!(same(&text, 512) > 3);
}

#[test]
fn jobs_that_meet_are_split_where_all_meet() {
    let (mut writer, mut reader) = (String::from("START_JOB 0\n"), String::from("START_JOB 1\n"));
    for i in 0..12 {
        let at = address(i);
        writeln!(writer, "  WRITE_32 0x{at:x}, {}", i + 50).expect("a string");
        writer += "  LOCAL_BARRIER $lb0, 2\n  LOCAL_BARRIER $lb1, 2\n";
        reader += "  LOCAL_BARRIER $lb0, 2\n";
        writeln!(reader, "  READ_32 $r2, 0x{at:x}\n  ADD $r2, {i}").expect("a string");
        writeln!(reader, "  WRITE_32_D 1, 0x{:x}, $r2", address(60 + i)).expect("a string");
        reader += "  LOCAL_BARRIER $lb1, 2\n";
    }
    let text = writer + "END_JOB\n" + &reader + "END_JOB\nEOF\n";
    assert!(same(&text, 300) > 2);
}

#[test]
fn other_jobs_stay_as_they_are() {
    let mut text = String::new();
    for job in 0..3 {
        let at = address(300 + job);
        writeln!(text, "START_JOB {job}\n  WRITE_32 0x{at:x}, 9\nEND_JOB").expect("a string");
    }
    text += "START_JOB 3\n";
    for i in 0..60 {
        writeln!(text, "  WRITE_32 0x{:x}, {i}", address(i)).expect("a string");
    }
    let (to, by) = (address(400), address(401));
    writeln!(
        text,
        "END_JOB\n.eop\nSTART_JOB 3\n  LAUNCH_JOB 4\n  WRITE_32 0x{to:x}, 1\nEND_JOB"
    )
    .expect("a string");
    writeln!(
        text,
        "START_JOB_DEFERRED 4\n  WRITE_32 0x{by:x}, 2\nEND_JOB\nEOF"
    )
    .expect("it");
    assert_eq!(same(&text, 400), 4);
}

#[test]
fn what_belongs_together_is_not_split() {
    let writes: String = (0..60)
        .map(|i| format!("  WRITE_32 0x{:x}, 1\n", 4 * i))
        .collect();
    let job =
        |before: &str, behind: &str| format!("START_JOB 0\n{before}{writes}{behind}END_JOB\nEOF\n");
    let chain = "c:\n  UC_DMA_BD 0, 0x10, @w, 9, 0, 0\nw:\n".to_owned() + &"  .long 1\n".repeat(9);
    let why = stuck(&job("  MOV $r3, 1\n", "  WRITE_32_D 1, 0x10, $r3\n"), 512);
    assert!(matches!(why[..], [NoCut::Register(_)]), "{why:?}");
    let text = job("  UC_DMA_WRITE_DES $r0, @c\n", "  WAIT_UC_DMA $r0\n") + &chain;
    let why = stuck(&text, 512);
    assert!(
        matches!(why[..], [NoCut::Chain | NoCut::Register(_)]),
        "{why:?}"
    );
    let text = job(
        "  APPLY_OFFSET_57 @w, 1, 0\n",
        "  UC_DMA_WRITE_DES_SYNC @c\n",
    ) + &chain;
    assert_eq!(stuck(&text, 512), [NoCut::Patched]);
    assert_eq!(
        stuck(&job("  LOAD_CORES_CP 1\n", ""), 512),
        [NoCut::CoresCp]
    );
    let deferred = format!(
        "START_JOB 0\n  LAUNCH_JOB 1\nEND_JOB\nSTART_JOB_DEFERRED 1\n{writes}END_JOB\nEOF\n"
    );
    assert_eq!(stuck(&deferred, 512), [NoCut::Launch]);
    let barrier = "  LOCAL_BARRIER $lb0, 2\n";
    let late =
        format!("START_JOB 0\n{writes}{barrier}END_JOB\nSTART_JOB 1\n{barrier}END_JOB\nEOF\n");
    assert_eq!(stuck(&late, 512), [NoCut::Barrier]);
    let conditional = format!("START_COND_JOB_PREEMPT 0\n{writes}END_JOB\nEOF\n");
    assert_eq!(stuck(&conditional, 512), [NoCut::Conditional]);
}
