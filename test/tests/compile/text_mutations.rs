//! Nothing that is put in makes the parser, the verifier or the printer panic or hang: tokens of
//! good texts are deleted, duplicated and exchanged at random.
//!
//! `AIEC_TEST_SIZE` multiplies how many mutants are tried, `AIEC_TEST_SEED` sets which ones; a run is
//! deterministic.

use aiec_aie::text::{PrintOptions, parse_text, print};
use aiec_aie::verify::verify;
use aiec_diag::{Diags, FileId};
use aiec_test::mutants::{mutate, tokens};
use aiec_test::seeds::{cases, first_seed};
use fastrand::Rng;

const SEEDS: [&str; 3] = [
    include_str!("../../../dialect/aie/tests/designs/fifos.mlir"),
    include_str!("../../../dialect/aie/tests/designs/dma.mlir"),
    include_str!("../../../dialect/aie/tests/designs/upstream.mlir"),
];

/// Runs all of it; a module without errors must also print to something that reads back. Where a
/// value is used that can't be seen there, two may be printed by one name.
fn exercise(text: &str) {
    let mut diags = Diags::new();
    let module = parse_text(FileId(0), text, &mut diags);
    let read = !diags.has_errors();
    verify(&module, &mut diags);
    let read = read && diags.iter().all(|d| d.code.id != "verify::dominance");
    let options = PrintOptions::default();
    let printed = print(&module, options);
    let generic = print(&module, PrintOptions { generic: true });
    if read {
        let mut again = Diags::new();
        let second = parse_text(FileId(0), &printed, &mut again);
        assert!(!again.has_errors(), "{text}\n---\n{printed}\n{:?}", again);
        assert_eq!(print(&second, options), printed, "{text}");
        let mut again = Diags::new();
        parse_text(FileId(0), &generic, &mut again);
        assert!(!again.has_errors(), "{text}\n---\n{generic}\n{:?}", again);
    }
}

#[test]
fn mutants_are_refused_or_read_but_never_crash() {
    let count = cases(2000);
    let mut random = Rng::with_seed(first_seed());
    let seeds: Vec<Vec<&str>> = SEEDS.iter().map(|s| tokens(s)).collect();
    for n in 0..count as usize {
        let text: String = mutate(&seeds[n % seeds.len()], &mut random).concat();
        exercise(&text);
    }
}

#[test]
fn deep_nesting_is_an_error() {
    let open = |s: &str, n: usize| s.repeat(n);
    for text in [
        open("module {\n", 5000),
        format!(
            "\"x.y\"() {{a = {}1{}}} : () -> ()",
            open("[", 5000),
            open("]", 5000)
        ),
        format!(
            "\"x.y\"() : () -> {}i32{}",
            open("tuple<", 5000),
            open(">", 5000)
        ),
        format!(
            "#m = affine_map<() -> ({}1{})>",
            open("(", 5000),
            open(")", 5000)
        ),
        format!(
            "\"x.y\"() {{a = dense<{}1{}> : tensor<1xi32>}} : () -> ()",
            open("[", 5000),
            open("]", 5000)
        ),
        format!("\"x.y\"() ({{\n{}", open("\"x.y\"() ({\n", 5000)),
        format!(
            "\"x.y\"() : {}i32{}",
            open("() -> (", 5000),
            open(")", 5000)
        ),
        format!(
            "\"x.y\"() {{a = {}}} : () -> ()",
            open("{a = ", 5000) + &open("}", 5000)
        ),
        format!(
            "\"x.y\"() {{a = #x.y{}{}}} : () -> ()",
            open("<", 5000),
            open(">", 5000)
        ),
        format!("#m = affine_map<() -> ({}1)>", open("-", 5000)),
        format!("#m = affine_map<() -> ({}1)>", open("(", 5000)),
    ] {
        let mut diags = Diags::new();
        parse_text(FileId(0), &text, &mut diags);
        let start = text.get(..40).unwrap_or("");
        let codes: Vec<_> = diags.iter().map(|d| d.code.id).collect();
        assert_eq!(codes, ["parse::nesting"], "{start}");
    }
}
