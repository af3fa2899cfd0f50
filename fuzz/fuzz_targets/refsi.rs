//! Command buffers of RefSi M1, as text and as bytes: nothing panics, what is disassembled gives the
//! same bytes, and a run ends within its limit. The first byte chooses the reading, and text or bytes.
#![no_main]

use aiec_diag::{Diags, FileId};
use aiec_refsi::dis::{DisOptions, disassemble};
use aiec_refsi::sim::{Refsi, RefsiOptions};
use aiec_refsi::{Reading, asm, bytes_of};
use aiec_run_loop::Limits;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    let Some((&choice, rest)) = input.split_first() else {
        return;
    };
    let reading = Reading::compat(choice & 1 != 0);
    let bytes = match choice & 2 != 0 {
        true => {
            let Ok(text) = std::str::from_utf8(rest) else {
                return;
            };
            let mut diags = Diags::new();
            let (assembly, failed) = asm::translate(text, FileId(0), reading, &mut diags);
            if failed {
                assert!(diags.has_errors());
                return;
            }
            bytes_of(&assembly.chunks)
        }
        false => rest[..rest.len() / 8 * 8].to_vec(),
    };
    let options = DisOptions {
        reading,
        annotate: choice & 4 != 0,
    };
    let (text, _) = disassemble(&bytes, options);
    let mut diags = Diags::new();
    let (assembly, failed) = asm::translate(&text, FileId(0), reading, &mut diags);
    assert!(!failed && bytes_of(&assembly.chunks) == bytes, "{text}");
    let mut refsi = Refsi::new(RefsiOptions {
        reading,
        ..RefsiOptions::default()
    });
    if refsi.enqueue_below(Refsi::DRAM_END, &bytes).is_ok() {
        let limits = Limits {
            max_cycles: 100_000,
            until: None,
        };
        let _ = refsi.run(limits, &mut |_| {});
    }
});
