//! No mutant of a good design makes the compiler panic: what parses and verifies goes through all
//! passes to an ELF, or is refused with a reason.
//!
//! `AIEC_TEST_SIZE` multiplies how many mutants are tried, `AIEC_TEST_SEED` sets which ones.

use aiec::Exit;
use aiec_test::driver::aiec;
use aiec_test::mutants::{mutate, tokens};
use aiec_test::seeds::{cases, first_seed};
use fastrand::Rng;

/// Small designs that compile, one for each part of the language that passes work on.
const DESIGNS: [&str; 11] = [
    "broadcast",
    "cascade",
    "deadlock",
    "hand-written",
    "packet-flows",
    "passthrough",
    "pipeline",
    "scale",
    "split-join",
    "transpose",
    "vector-add",
];

#[test]
fn mutants_compile_or_are_refused() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples");
    let read = |name: &&str| std::fs::read_to_string(folder.join(name).join("design.mlir"));
    let texts: Vec<String> = DESIGNS
        .iter()
        .map(|n| read(n).expect("the example"))
        .collect();
    let seeds: Vec<Vec<&str>> = texts.iter().map(|text| tokens(text)).collect();
    let mut random = Rng::with_seed(first_seed());
    let mut compiled = 0;
    let count = cases(200);
    for n in 0..count as usize {
        let text = mutate(&seeds[n % seeds.len()], &mut random).concat();
        let run = std::panic::catch_unwind(|| aiec(["-", "-o", "-"], text.as_bytes()));
        let Ok(run) = run else {
            panic!("this design makes the compiler panic:\n{text}");
        };
        match run.exit {
            Exit::Done => compiled += 1,
            _ => assert!(
                run.stderr.contains("::"),
                "refused without a reason:\n{text}"
            ),
        }
        assert!(!run.stderr.contains("internal::"), "{}\n{text}", run.stderr);
    }
    // Comments and names are most of a design: many mutants are as good as it.
    assert!(compiled * 20 > count, "{compiled} of {count} compile");
    println!("{compiled} of {count} mutants compile");
}
