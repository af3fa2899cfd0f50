//! Speed of the assembler: lines per second from text to ELF, and of its steps.
//! `cargo bench -p aiec-cert` runs it; items are lines.

use std::fmt::Write;

use aiec_cert::asm::{self, AsmOptions, NoFiles};
use aiec_cert::check;
use aiec_cert::finding::UnreadCounts;
use aiec_cert::names::Target;
use aiec_cert::pager::{self, LayoutOptions};
use aiec_cert::program::Program;
use aiec_cert::{elf, image};
use divan::Bencher;
use divan::counter::ItemsCount;

fn main() {
    divan::main();
}

const OPTIONS: AsmOptions = AsmOptions {
    target: Target::Aie2ps,
    compat: false,
};
/// Controllers of the program.
const CONTROLLERS: usize = 4;
/// Lines of a job and its data, comments and blank lines included.
const JOB_LINES: usize = 54;

/// A program like those that configure an array and run it, for several controllers: jobs that
/// write and poll registers, patch BD images, send blocks of words by descriptors and meet.
fn text(lines: usize) -> String {
    let mut text = String::from("; generated\n.target aie2ps\n.partition 4column\n");
    let jobs = lines / JOB_LINES / CONTROLLERS;
    for uc in 0..CONTROLLERS {
        let _ = writeln!(text, "\n.attach_to_group {uc}");
        let mut data = String::from("EOF\n  .align 16\n");
        for job in 0..jobs {
            write_job(&mut text, &mut data, job);
        }
        text += &data;
    }
    text
}

fn write_job(text: &mut String, data: &mut String, job: usize) {
    let (pair, partner) = (job / 2, job % 2);
    let _ = writeln!(text, "\n; job {job}\nSTART_JOB {job}");
    let _ = writeln!(text, "  SAVE_TIMESTAMPS\t\t{job}");
    for i in 0..5 {
        let address = 0x0021_D000 + 4 * i;
        let _ = writeln!(
            text,
            "  WRITE_32\t\t0x{address:08x}, 0x{:08x}",
            job * 17 + i
        );
        let _ = writeln!(
            text,
            "  MASK_WRITE_32\t0x{address:08X}, 0xFF00, 0x4200  ; enable"
        );
    }
    let _ = writeln!(text, "  UC_DMA_WRITE_DES\t$r0, @Chain_{job}");
    let _ = writeln!(text, "  APPLY_OFFSET_57\t@image_{job}, 1, {}", job % 5);
    let _ = writeln!(text, "  WAIT_UC_DMA\t$r0");
    let _ = writeln!(text, "  MASK_POLL_32\t0x0021DF00, 0x01F8003C, 0x0");
    // no two jobs of a page wait for one actor
    let (column, row, channel) = (job % 4, 1 + job / 4 % 2, job / 8 % 6);
    let _ = writeln!(
        text,
        "  WAIT_TCTS\tTILE_{column}_{row}, MEM_S2MM_{channel}, 1"
    );
    if pair % 8 == 0 {
        let _ = writeln!(text, "  WRITE_32_D\t3, 0x0021D100, {partner}");
    } else {
        let _ = writeln!(text, "  READ_32\t$g1, 0x0021D100");
    }
    let _ = writeln!(text, "END_JOB");
    if job % 16 == 15 {
        let _ = writeln!(text, ".eop");
    }
    let _ = writeln!(data, "chain_{job}:");
    for next in [1, 0] {
        let to = 0x0021_D000 + 0x20 * next;
        let _ = writeln!(
            data,
            "  UC_DMA_BD\t0, 0x{to:08x}, @image_{job}, 9, 0, {next}"
        );
    }
    let _ = writeln!(data, "image_{job}:");
    for i in 0..9 {
        let _ = writeln!(data, "  .long 0x{:08x}", job * 31 + i);
    }
    // data that no job of this page moves: tables of other jobs
    let _ = writeln!(data, "words_{job}:");
    for i in 0..17 {
        let _ = writeln!(data, "\t.long {}", job * 13 + i);
    }
}

fn parse(text: &str) -> Program {
    let assembled = asm::parse("bench.asm", text.as_bytes(), &NoFiles, OPTIONS);
    assembled.program.expect("a sound text")
}

/// All that `aiec asm` does between reading a file and writing one.
fn assemble(text: &str) -> Vec<u8> {
    let program = parse(text);
    let (plans, errors) = pager::plan(&program, LayoutOptions::default());
    assert!(errors.is_empty(), "it fits");
    let findings = check::check(&program, &plans, Some(4), UnreadCounts::default());
    assert!(findings.is_empty(), "{findings:?}");
    let image = image::encode(&program, &plans, LayoutOptions::default()).expect("it is sound");
    elf::write(&image, None).expect("a file")
}

fn count(text: &str) -> ItemsCount {
    ItemsCount::new(text.lines().count())
}

#[divan::bench(args = [50, 1_000, 10_000, 100_000, 1_000_000])]
fn text_to_elf(bencher: Bencher, lines: usize) {
    let text = text(lines.max(JOB_LINES * CONTROLLERS));
    bencher.counter(count(&text)).bench(|| assemble(&text));
}

#[divan::bench(args = [100_000])]
fn text_to_program(bencher: Bencher, lines: usize) {
    let text = text(lines);
    bencher.counter(count(&text)).bench(|| parse(&text));
}

#[divan::bench(args = [100_000])]
fn program_to_pages(bencher: Bencher, lines: usize) {
    let text = text(lines);
    let program = parse(&text);
    bencher
        .counter(count(&text))
        .bench(|| pager::plan(&program, LayoutOptions::default()));
}

#[divan::bench(args = [100_000])]
fn checks(bencher: Bencher, lines: usize) {
    let text = text(lines);
    let program = parse(&text);
    let (plans, _) = pager::plan(&program, LayoutOptions::default());
    bencher
        .counter(count(&text))
        .bench(|| check::check(&program, &plans, Some(4), UnreadCounts::default()));
}

#[divan::bench(args = [100_000])]
fn program_to_image(bencher: Bencher, lines: usize) {
    let text = text(lines);
    let program = parse(&text);
    bencher
        .counter(count(&text))
        .bench(|| image::assemble(&program, LayoutOptions::default()));
}

#[divan::bench(args = [100_000])]
fn image_to_elf(bencher: Bencher, lines: usize) {
    let text = text(lines);
    let image = image::assemble(&parse(&text), LayoutOptions::default()).expect("it fits");
    bencher
        .counter(count(&text))
        .bench(|| elf::write(&image, None));
}
