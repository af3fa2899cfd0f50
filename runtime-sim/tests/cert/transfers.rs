//! Host buffers through the array: patches, tokens, uC-DMA, phases.

use aiec_cert::debug::Argument;
use aiec_cert::program::Phase;
use aiec_device::DmaDir::{Mm2s, S2mm};
use aiec_device::TileLoc;
use aiec_device::regmap::RegisterRef;
use aiec_sim::run::Ending;
use aiec_sim::{Patching, SimOptions, Status, simulate};

use super::support::*;

pub const WORDS: u32 = 64;
const A: TileLoc = TileLoc::new(0, 3);

/// Configures the loop of a column in page 0; page 1 moves argument 0, from byte `offset` on, to
/// argument 1.
pub fn passthrough(column: u8, offset: u64) -> String {
    let shim = TileLoc::new(column, 0);
    let mut config = Lines::default();
    config.shim_loop(column);
    let bd_address = |bd| address(shim, RegisterRef::BdWord { bd, word: 0 });
    let mut start = Lines::default();
    start.push(shim, S2mm, 1, true);
    start.push(shim, Mm2s, 0, false);
    format!(
        "START_JOB 0\n{config}END_JOB\n.eop\n\
         START_JOB 1\n  APPLY_OFFSET_57 @in, 1, 0\n  APPLY_OFFSET_57 @out, 1, 1\n  \
         UC_DMA_WRITE_DES_SYNC @bds\n{start}  WAIT_TCTS TILE_{column}_0, SHIM_S2MM_0, 1\n\
         END_JOB\nEOF\n.align 16\nbds:\n\
         UC_DMA_BD 0, 0x{:08x}, @in, 9, 0, 1\nUC_DMA_BD 0, 0x{:08x}, @out, 9, 0, 0\n\
         .align 4\nin:\n{}out:\n{}",
        bd_address(0),
        bd_address(1),
        longs(&image_of(shim, &bd(offset, WORDS))),
        longs(&image_of(shim, &bd(0, WORDS))),
        config = config.0,
        start = start.0,
    )
}

#[test]
fn host_data_go_round() {
    let elf = assemble(&passthrough(0, 16));
    let result = run_with(&elf, vec![buffer(0, 0..WORDS + 4), buffer(1, [0; 64])]);
    assert_eq!(result.status, Status::Completed);
    assert_eq!(
        words(result.output(1).unwrap()),
        (4..WORDS + 4).collect::<Vec<_>>()
    );
    assert_eq!(
        words(result.output(0).unwrap()),
        (0..WORDS + 4).collect::<Vec<_>>()
    );
    let report = aiec_sim::report(&result);
    assert_eq!(report.status, Ending::Completed);
    assert_eq!(report.uc[0].dma_words, 18);
    assert!(report.deadlock.is_empty());
}

#[test]
fn tokens_of_another_column_reach_the_one_that_waits() {
    let elf = assemble(&passthrough(2, 0));
    let result = run_with(&elf, vec![buffer(0, 0..WORDS), buffer(1, [0; 64])]);
    assert_eq!(result.status, Status::Completed);
    assert_eq!(
        words(result.output(1).unwrap()),
        (0..WORDS).collect::<Vec<_>>()
    );
}

#[test]
fn controllers_patch_when_asked_to() {
    let elf = assemble(&passthrough(0, 16));
    let arguments = vec![buffer(0, 0..WORDS + 4), buffer(1, [0; 64])];
    let options = SimOptions {
        patching: Patching::Controllers,
        ..SimOptions::default()
    };
    let result = simulate(&elf, arguments, &options).unwrap();
    assert_eq!(result.status, Status::Completed);
    assert_eq!(
        words(result.output(1).unwrap()),
        (4..WORDS + 4).collect::<Vec<_>>()
    );
}

/// Copies a block whose words 8 and 9 the host sets to the address of argument 0 to the memory of
/// a tile; other controllers run `others`.
fn pl_block(others: &str) -> String {
    format!(
        "START_JOB 0\n  APPLY_OFFSET_PL @params, 0\n  UC_DMA_WRITE_DES_SYNC @chain\nEND_JOB\nEOF\n\
         .align 16\nchain:\nUC_DMA_BD 0, 0x{:08x}, @params, 10, 0, 0\n.align 4\nparams:\n{}{others}",
        data(A, 0),
        longs(&[1, 0, 4, 0, 0, 0, 1, 0, 16, 0]),
    )
}

/// The address of argument 0 as [`pl_block`] finds it.
fn argument_address() -> u64 {
    let result = run_with(&assemble(&pl_block("")), vec![buffer(0, [0; 8])]);
    assert_eq!(result.status, Status::Completed);
    assert_eq!(memory(&result, A, 0), 1);
    let [low, high] = [8, 9].map(|word| u64::from(memory(&result, A, 4 * word)));
    (high << 32 | low) - 16
}

#[test]
fn the_host_patches_blocks_of_programmable_logic() {
    // Both ways of patching: it is the host that knows the address.
    let options = SimOptions {
        patching: Patching::Controllers,
        ..SimOptions::default()
    };
    let result = simulate(&assemble(&pl_block("")), vec![buffer(0, [0; 8])], &options).unwrap();
    let word = |n: u32| u64::from(memory(&result, A, 4 * n));
    assert_eq!(word(9) << 32 | word(8), argument_address() + 16);
}

#[test]
fn a_word_outside_the_array_is_polled() {
    let (high, low) = {
        let address = argument_address() + 8;
        (address >> 32, address as u32)
    };
    let poll = |mask: u32, value: u32| {
        format!(
            ".attach_to_group 1\nSTART_JOB 0\n  \
             UC_DMA_MASK_POLL_EXT 0x{high:x}, 0x{low:x}, 0x{mask:x}, 0x{value:x}\n  \
             WRITE_32 0x{:08x}, 7\nEND_JOB\nEOF\n",
            data(A, 0x40)
        )
    };
    let write = format!(
        ".attach_to_group 0\nSTART_JOB 0\n  SLEEP 3\n  UC_DMA_WRITE_DES_SYNC @chain\nEND_JOB\nEOF\n\
         .align 16\nchain:\nUC_DMA_BD 0x{high:x}, 0x{low:x}, @word, 1, 1, 0\n.align 4\nword:\n\
         .long 0x35\n"
    );
    let arguments = || vec![buffer(0, [0; 8])];
    let result = run_with(&assemble(&(write.clone() + &poll(0xF0, 0x30))), arguments());
    assert_eq!(result.status, Status::Completed);
    assert_eq!(
        words(result.output(0).unwrap()),
        [0, 0, 0x35, 0, 0, 0, 0, 0]
    );
    assert_eq!(memory(&result, A, 0x40), 7);
    assert!(result.cycles > 3000, "{}", result.cycles);

    let result = run_with(&assemble(&(write + &poll(0xF, 4))), arguments());
    let Status::Deadlock(deadlock) = result.status else {
        panic!("{:?}", result.status)
    };
    let text = deadlock.story.join("\n");
    assert!(text.contains("the word never gets that value"), "{text}");

    // A register of programmable logic.
    let outside = "START_JOB 0\n  UC_DMA_MASK_POLL_EXT 0x800, 0x30000, 2, 2\nEND_JOB\nEOF\n";
    let result = run_with(&assemble(outside), Vec::new());
    let Status::Fault(fault) = result.status else {
        panic!("{:?}", result.status)
    };
    let text = fault.to_string();
    assert!(text.starts_with("UC_DMA_MASK_POLL_EXT at page 0"), "{text}");
}

#[test]
fn without_timing_the_data_are_the_same() {
    let elf = assemble(&passthrough(0, 0));
    let arguments = || vec![buffer(0, 0..WORDS), buffer(1, [0; 64])];
    let timed = run_with(&elf, arguments());
    let options = SimOptions {
        timing: false,
        ..SimOptions::default()
    };
    let untimed = simulate(&elf, arguments(), &options).unwrap();
    assert_eq!(untimed.outputs, timed.outputs);
    assert!(untimed.cycles < timed.cycles);
    assert_eq!(run_with(&elf, arguments()).cycles, timed.cycles);
}

#[test]
fn phases_and_arguments_come_from_the_debug_section() {
    let elf = assemble_debug(&passthrough(0, 0), |program, debug| {
        program.groups[0].scopes[0].regions[0].jobs[0].phase = Phase::Configure;
        let argument = |index| Argument {
            index,
            bytes: u64::from(WORDS) * 4,
            name: String::new(),
            ty: None,
        };
        debug.arguments = vec![argument(0), argument(1)];
        debug.device = Some(DEVICE.into());
    });
    let result = run_with(&elf, vec![buffer(0, 0..WORDS)]);
    assert_eq!(
        words(result.output(1).unwrap()),
        (0..WORDS).collect::<Vec<_>>()
    );
    assert!(result.config_cycles > 0 && result.config_cycles < result.cycles);
    let wrong = simulate(&elf, vec![buffer(0, 0..3)], &SimOptions::default()).unwrap_err();
    assert_eq!(
        wrong.to_string(),
        "argument 0 has 12 bytes, the runtime sequence takes 256"
    );
}

#[test]
fn a_missing_argument_is_told() {
    let elf = assemble(&passthrough(0, 0));
    let error = simulate(&elf, vec![buffer(0, 0..WORDS)], &SimOptions::default()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the code uses argument 1, but no buffer was given for it"
    );
}

#[test]
fn an_argument_that_is_too_short_is_a_fault_of_the_channel() {
    let elf = assemble(&passthrough(0, 0));
    let result = run_with(&elf, vec![buffer(0, 0..WORDS - 1), buffer(1, [0; 64])]);
    let Status::Fault(fault) = &result.status else {
        panic!("{:?}", result.status)
    };
    assert!(fault.to_string().contains("argument 0"), "{fault}");
}

#[test]
fn the_limit_ends_a_run() {
    let elf = assemble(&passthrough(0, 0));
    let options = SimOptions {
        max_cycles: 500,
        ..SimOptions::default()
    };
    let arguments = vec![buffer(0, 0..WORDS), buffer(1, [0; 64])];
    let result = simulate(&elf, arguments, &options).unwrap();
    let Status::Limit(limit) = &result.status else {
        panic!("{:?}", result.status)
    };
    assert!(limit.waiting.is_empty() && limit.active.is_empty());
    assert!(limit.last_progress <= 500);
}
