//! The two engines that execute cores, on bodies that compute much.
//!
//! `cargo bench -p aiec-test --features mlir --bench core_engines`
//!
//! Each design is one core that works on its own memory. What is measured is a whole run of
//! `aiec sim`, compilation included, and the run of a design whose core does nothing beside it.

use std::time::{Duration, Instant};

use aiec_test::driver::aiec;

/// Runs of each, the fastest of which counts.
const RUNS: usize = 3;

fn main() {
    // `cargo test` runs benches with this to see that they start.
    if std::env::args().any(|arg| arg == "--test") {
        return;
    }
    ::aiec::mlir::install();
    println!(
        "{:<28}{:>12}{:>12}{:>10}",
        "body", "builtin", "mlir", "times"
    );
    for (name, body) in BODIES {
        let [builtin, mlir] = ["builtin", "mlir"].map(|engine| {
            let idle = fastest(&design(""), engine);
            (fastest(&design(body), engine), idle)
        });
        let times = builtin.0.as_secs_f64() / mlir.0.as_secs_f64();
        println!(
            "{name:<28}{:>12.3?}{:>12.3?}{times:>9.1}x",
            builtin.0, mlir.0
        );
        println!(
            "{:<28}{:>12.3?}{:>12.3?}",
            "  without the body", builtin.1, mlir.1
        );
    }
}

/// Loops over i32, a matrix product of f32, and one of vectors.
const BODIES: [(&str, &str); 3] = [
    (
        "10 million additions, i32",
        "scf.for %n = %c0 to %c10000 step %c1 {
           scf.for %i = %c0 to %c1000 step %c1 {
             %x = memref.load %a[%i] : memref<4096xi32>
             %y = arith.addi %x, %one : i32
             memref.store %y, %a[%i] : memref<4096xi32>
           }
         }",
    ),
    (
        "64 x 64 x 64 x 20, f32",
        "scf.for %n = %c0 to %c20 step %c1 {
           scf.for %i = %c0 to %c64 step %c1 {
             scf.for %j = %c0 to %c64 step %c1 {
               %sum = scf.for %k = %c0 to %c64 step %c1 iter_args(%s = %f0) -> (f32) {
                 %row = arith.muli %i, %c64 : index
                 %at = arith.addi %row, %k : index
                 %x = memref.load %p[%at] : memref<4096xf32>
                 %line = arith.muli %k, %c64 : index
                 %by = arith.addi %line, %j : index
                 %y = memref.load %q[%by] : memref<4096xf32>
                 %xy = arith.mulf %x, %y : f32
                 %t = arith.addf %s, %xy : f32
                 scf.yield %t : f32
               }
               %row = arith.muli %i, %c64 : index
               %at = arith.addi %row, %j : index
               memref.store %sum, %r[%at] : memref<4096xf32>
             }
           }
         }",
    ),
    (
        "vectors of 16 x 2 million",
        "scf.for %n = %c0 to %c10000 step %c1 {
           scf.for %i = %c0 to %c3200 step %c16 {
             %x = vector.load %a[%i] : memref<4096xi32>, vector<16xi32>
             %y = arith.addi %x, %x : vector<16xi32>
             vector.store %y, %a[%i] : memref<4096xi32>, vector<16xi32>
           }
         }",
    ),
];

/// A core with this body that tells the end of it by a word of a stream.
fn design(body: &str) -> String {
    let numbers = [0, 1, 16, 20, 64, 1000, 3200, 10000];
    let constants: String = numbers
        .iter()
        .map(|n| format!("%c{n} = arith.constant {n} : index\n"))
        .collect();
    format!(
        "aie.device(npu2) {{
           %shim = aie.tile(0, 0)
           %tile = aie.tile(0, 2)
           %a = aie.buffer(%tile) : memref<4096xi32>
           %p = aie.buffer(%tile) : memref<4096xf32>
           %q = aie.buffer(%tile) : memref<4096xf32>
           %north = aie.tile(0, 3)
           %r = aie.buffer(%north) : memref<4096xf32>
           aie.objectfifo @done(%tile, {{%shim}}, 2 : i32) : !aie.objectfifo<memref<1xi32>>
           aie.core(%tile) {{
             %one = arith.constant 1 : i32
             %f0 = arith.constant 0.0 : f32
             {constants}{body}
             %s = aie.objectfifo.acquire @done(Produce, 1) : !aie.objectfifosubview<memref<1xi32>>
             %e = aie.objectfifo.subview.access %s[0] : !aie.objectfifosubview<memref<1xi32>> -> memref<1xi32>
             memref.store %one, %e[%c0] : memref<1xi32>
             aie.objectfifo.release @done(Produce, 1)
             aie.end
           }}
           aie.runtime_sequence(%out: memref<1xi32>) {{
             aiex.npu.dma_memcpy_nd(%out[0, 0, 0, 0][1, 1, 1, 1][0, 0, 0, 1])
               {{id = 0 : i64, issue_token = true, metadata = @done}} : memref<1xi32>
             aiex.npu.dma_wait {{symbol = @done}}
           }}
         }}"
    )
}

fn fastest(design: &str, engine: &str) -> Duration {
    let engine = format!("--core-engine={engine}");
    let run = |_| {
        let begin = Instant::now();
        let run = aiec(["sim", "-", &engine], design.as_bytes());
        let took = begin.elapsed();
        if let Err(error) = run.output() {
            eprintln!("{error}");
            std::process::exit(1);
        }
        took
    };
    (0..RUNS).map(run).min().unwrap_or_default()
}
