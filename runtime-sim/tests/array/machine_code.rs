//! Machine code of cores on the array: registers of their own tile, streams that are looked at without
//! waiting.

use aiec_core::CoreArch;
use aiec_core::asm::assemble;
use aiec_core::link::{LinkOptions, link};
use aiec_device::regmap::{CoreControl, RegisterRef};
use aiec_device::{Bundle, DmaDir, TileLoc};
use aiec_diag::FileId;

use super::support::*;

const CORE: TileLoc = TileLoc::new(0, 2);

/// Puts a program of assembly into program memory; lines `wait N` are N bundles that do nothing.
fn start(bench: &mut Bench, text: &str) {
    let lines = text
        .lines()
        .map(|line| match line.trim().strip_prefix("wait ") {
            Some(count) => "nop\n".repeat(count.parse().unwrap()),
            None => format!("{line}\n"),
        });
    let text: String = lines.collect();
    let object = assemble(CoreArch::Aie2, "test", FileId::default(), &text).unwrap();
    let options = LinkOptions {
        start_code: false,
        ..LinkOptions::default()
    };
    let mut code = link(&[object], &options).unwrap().code();
    code.resize(code.len().next_multiple_of(4), 0);
    for (number, word) in code.as_chunks::<4>().0.iter().enumerate() {
        let byte = 4 * number as u32;
        let word = u32::from_le_bytes(*word);
        bench.write(CORE, RegisterRef::ProgramMemory { byte }, word);
    }
    let control = CoreControl {
        enable: true,
        reset: false,
    };
    bench.write(CORE, RegisterRef::CoreControl, control.pack());
}

#[test]
fn a_core_sets_a_lock_of_its_tile_by_its_register() {
    let mut bench = Bench::new("npu1_1col");
    let register = RegisterRef::LockValue { id: 14 };
    let address = 0x8_0000 + bench.offset(CORE, register);
    start(
        &mut bench,
        &format!(
            "movxm p0, #{address}
             movxm p1, #0x70400
             mova r0, #3
             mova r2, #-2
             lda.tm r1, [p0]
             wait 7
             st r1, [p1, #0]
             st.tm r0, [p0]
             acq #62, r2
             lda.tm r1, [p0]
             wait 7
             st r1, [p1, #4]
             wait 7
             done"
        ),
    );
    bench.run_clean();
    assert_eq!(bench.words(CORE, 0x400, 2), [0, 1]);
    assert_eq!(bench.read(CORE, register), 1);
}

#[test]
fn a_core_starts_a_transfer_of_its_own_tile() {
    let mut bench = Bench::new("npu1_1col");
    bench.connect(CORE, port(Bundle::Dma, 0), port(Bundle::Dma, 0));
    bench.fill(CORE, 0x800, [5, 6, 7, 8]);
    bench.bd(CORE, 0, &bd(0x800, 4));
    bench.bd(CORE, 1, &bd(0xC00, 4));
    bench.push(CORE, DmaDir::S2mm, 0, once(1));
    let queue = RegisterRef::DmaQueue {
        dir: DmaDir::Mm2s,
        channel: 0,
    };
    let address = 0x8_0000 + bench.offset(CORE, queue);
    start(
        &mut bench,
        &format!("movxm p0, #{address}\nmova r0, #0\nst.tm r0, [p0]\nwait 7\ndone"),
    );
    bench.run_clean();
    assert_eq!(bench.words(CORE, 0xC00, 4), [5, 6, 7, 8]);
}

#[test]
fn a_core_looks_for_a_word_until_it_comes() {
    let mut bench = Bench::new("npu1_1col");
    bench.connect(CORE, port(Bundle::Dma, 0), port(Bundle::Core, 0));
    bench.fill(CORE, 0x800, [42]);
    bench.bd(CORE, 0, &bd(0x800, 1));
    start(
        &mut bench,
        "    movxm p1, #0x70400
             mova r3, #2
             mova r4, #0
             .p2align 4
         look:
             mov.nb r0, SS
             wait 7
             mov r1, srSS0
             and r2, r1, r3
             jz r2, #look
             add r4, r4, #1
             wait 4
             st r0, [p1, #0]
             st r1, [p1, #4]
             st r4, [p1, #8]
             wait 7
             done",
    );
    bench.at += 400;
    bench.push(CORE, DmaDir::Mm2s, 0, once(0));
    bench.run_clean();
    let words = bench.words(CORE, 0x400, 3);
    // Taken, and the last of its transfer.
    assert_eq!(words[..2], [42, 3]);
    assert!(words[2] > 20, "looked {} times", words[2]);
}

#[test]
fn a_register_that_is_not_there_stops_the_core() {
    let mut bench = Bench::new("npu1_1col");
    start(
        &mut bench,
        "movxm p0, #0xBFFFC\nlda.tm r0, [p0]\nwait 7\ndone",
    );
    bench.run();
    let log = bench.array.faults();
    assert!(
        log.iter()
            .any(|fault| fault.to_string().contains("no register")),
        "{log:?}"
    );
}
