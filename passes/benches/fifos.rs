//! Times of the object fifo lowering with the allocators after it, by number of cores.
//!
//! `cargo bench -p aiec-passes --bench fifos`

use std::fmt::Write;

use aiec_aie::ir::Module;
use aiec_aie::text::parse;
use aiec_diag::{Diags, SourceFile, SourceMap};
use aiec_passes::infra::manager::{PassStep, run};
use aiec_passes::pipelines::find_pass;

fn main() {
    divan::main();
}

/// A design of `cores` cores in columns of four. Each column takes a stream in through its mem
/// tile, which distributes it over the cores; neighbours in the column hand objects on; each
/// core's result is joined in the mem tile and goes out: ten fifos for four cores.
fn design(cores: u8) -> String {
    let mut text = String::from("module {\n  aie.device(xcve2802) {\n");
    let ty = "!aie.objectfifo<memref<256xi32>>";
    let small = "!aie.objectfifo<memref<64xi32>>";
    let view = "!aie.objectfifosubview<memref<64xi32>>";
    // Columns with a shim DMA, over and over if there are fewer.
    let shims = [2, 3, 6, 7, 14, 15, 22, 23, 30, 31, 34, 35];
    let mut made = 0;
    for col in 0..cores.div_ceil(8) {
        // Two groups of four cores in each column of eight core rows.
        for group in 0..2u8 {
            if made >= cores {
                break;
            }
            made += 4;
            let name = |what: &str| format!("{what}_{col}_{group}");
            let (mem_row, first) = (1 + group, 3 + 4 * group);
            let shim = shims[usize::from(col) % shims.len()];
            if group == 0 && usize::from(col) < shims.len() {
                let _ = writeln!(text, "    %s{shim} = aie.tile({shim}, 0)");
            }
            let mem = name("%m");
            let _ = writeln!(text, "    {mem} = aie.tile({col}, {mem_row})");
            for k in 0..4 {
                let _ = writeln!(
                    text,
                    "    %c_{col}_{group}_{k} = aie.tile({col}, {})",
                    first + k
                );
            }
            // Beyond the shim channels the streams come from and go to a core.
            let outside = usize::from(col) < shims.len();
            let (input, output) = (name("in"), name("out"));
            if outside {
                let _ = writeln!(
                    text,
                    "    aie.objectfifo @{input}(%s{shim}, {{{mem}}}, 2 : i32) : {ty}"
                );
                let _ = writeln!(
                    text,
                    "    aie.objectfifo @{output}({mem}, {{%s{shim}}}, 2 : i32) : {ty}"
                );
            }
            for k in 0..4 {
                let core = format!("%c_{col}_{group}_{k}");
                let _ = writeln!(
                    text,
                    "    aie.objectfifo @a_{col}_{group}_{k}({mem}, {{{core}}}, 2 : i32) : {small}"
                );
                let _ = writeln!(
                    text,
                    "    aie.objectfifo @b_{col}_{group}_{k}({core}, {{{mem}}}, 2 : i32) : {small}"
                );
            }
            if outside {
                let list = |letter: char| {
                    let names: Vec<String> = (0..4)
                        .map(|k| format!("@{letter}_{col}_{group}_{k}"))
                        .collect();
                    names.join(", ")
                };
                let (a, b) = (list('a'), list('b'));
                let _ = writeln!(
                    text,
                    "    aie.objectfifo.link [@{input}] -> [{a}]([] [0, 64, 128, 192])"
                );
                let _ = writeln!(
                    text,
                    "    aie.objectfifo.link [{b}] -> [@{output}]([0, 64, 128, 192] [])"
                );
            }
            for k in 0..4 {
                let _ = writeln!(
                    text,
                    "    %k_{col}_{group}_{k} = aie.core(%c_{col}_{group}_{k}) {{
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %n = arith.constant 100 : index
      scf.for %i = %c0 to %n step %c1 {{
        %a = aie.objectfifo.acquire @a_{col}_{group}_{k}(Consume, 1) : {view}
        %x = aie.objectfifo.subview.access %a[0] : {view} -> memref<64xi32>
        %b = aie.objectfifo.acquire @b_{col}_{group}_{k}(Produce, 1) : {view}
        %y = aie.objectfifo.subview.access %b[0] : {view} -> memref<64xi32>
        %v = memref.load %x[%c0] : memref<64xi32>
        memref.store %v, %y[%c1] : memref<64xi32>
        aie.objectfifo.release @a_{col}_{group}_{k}(Consume, 1)
        aie.objectfifo.release @b_{col}_{group}_{k}(Produce, 1)
      }}
      aie.end
    }}"
                );
            }
        }
    }
    text + "  }\n}\n"
}

fn module(cores: u8) -> Module {
    let mut sources = SourceMap::new();
    let file = sources.add(SourceFile::new("bench.mlir", design(cores)));
    let mut diags = Diags::new();
    let module = parse(file, &sources, &mut diags);
    assert!(diags.check().is_ok(), "{:?}", diags.into_vec());
    module
}

fn lower(bencher: divan::Bencher<'_, '_>, cores: u8, passes: &[&str]) {
    let steps: Vec<PassStep> = passes
        .iter()
        .map(|name| PassStep::new(find_pass(name).expect("a pass")))
        .collect();
    bencher
        .with_inputs(|| module(cores))
        .bench_values(|mut module| {
            let mut diags = Diags::new();
            let result = run(&mut module, &steps, &mut diags, &mut |_, _, _| {});
            assert!(result.is_ok(), "{:?}", diags.into_vec());
            module
        });
}

/// The lowering alone: 32 cores have 80 fifos.
#[divan::bench(args = [32, 64, 100, 200])]
fn objectfifos(bencher: divan::Bencher<'_, '_>, cores: u8) {
    lower(bencher, cores, &["aie-objectFifo-stateful-transform"]);
}

/// The lowering with locks, buffer descriptors and addresses.
#[divan::bench(args = [32, 64, 100, 200])]
fn with_allocation(bencher: divan::Bencher<'_, '_>, cores: u8) {
    lower(
        bencher,
        cores,
        &[
            "aie-objectFifo-stateful-transform",
            "aie-assign-lock-ids",
            "aie-assign-bd-ids",
            "aie-assign-buffer-addresses",
        ],
    );
}
