//! Large designs, generated: many devices, each a full array of cores that work on object fifos.

use std::fmt::Write as _;

/// Columns of a device that are used.
const COLUMNS: usize = 8;

/// Cores in each column.
const CORES: usize = 4;

/// A module of this many devices of 32 cores; about 45 kB of text each.
pub fn design(devices: usize) -> String {
    let mut text = String::from("module {\n");
    for n in 0..devices {
        device(&mut text, n);
    }
    text.push_str("}\n");
    text
}

fn device(out: &mut String, n: usize) {
    let _ = writeln!(out, "  aie.device(npu2) @design{n} {{");
    let _ = writeln!(
        out,
        "    func.func private @kernel(memref<32xi32>, memref<32xi32>, i32) attributes {{link_with = \"kernel.o\"}}"
    );
    for c in 0..COLUMNS {
        let _ = writeln!(out, "    %shim_noc_tile_{c}_0 = aie.tile({c}, 0)");
        let _ = writeln!(out, "    %mem_tile_{c}_1 = aie.tile({c}, 1)");
        for r in 2..2 + CORES {
            let _ = writeln!(out, "    %tile_{c}_{r} = aie.tile({c}, {r})");
        }
    }
    for c in 0..COLUMNS {
        column(out, c);
    }
    let _ = writeln!(
        out,
        "    aie.runtime_sequence @run(%arg0: memref<1024xi32>, %arg1: memref<1024xi32>) {{"
    );
    for c in 0..COLUMNS {
        let offset = c * 128;
        let _ = writeln!(
            out,
            "      aiex.npu.dma_memcpy_nd(%arg0[0, 0, 0, {offset}][1, 1, 1, 128][0, 0, 0, 1]) {{id = 0 : i64, metadata = @in_{c}}} : memref<1024xi32>\n      \
             aiex.npu.dma_memcpy_nd(%arg1[0, 0, 0, {offset}][1, 1, 1, 128][0, 0, 0, 1]) {{id = 1 : i64, issue_token = true, metadata = @out_{c}}} : memref<1024xi32>"
        );
    }
    for c in 0..COLUMNS {
        let _ = writeln!(out, "      aiex.npu.dma_wait {{symbol = @out_{c}}}");
    }
    out.push_str("    }\n  }\n");
}

fn column(out: &mut String, c: usize) {
    let list = |prefix: &str| {
        let names: Vec<_> = (2..2 + CORES)
            .map(|r| format!("@{prefix}_{c}_{r}"))
            .collect();
        names.join(", ")
    };
    let offsets = "0, 32, 64, 96";
    let (ins, outs) = (list("in"), list("out"));
    let _ = writeln!(
        out,
        "    aie.objectfifo @in_{c}(%shim_noc_tile_{c}_0, {{%mem_tile_{c}_1}}, 2 : i32) : !aie.objectfifo<memref<128xi32>>\n    \
         aie.objectfifo @out_{c}(%mem_tile_{c}_1, {{%shim_noc_tile_{c}_0}}, 2 : i32) : !aie.objectfifo<memref<128xi32>>"
    );
    for r in 2..2 + CORES {
        let _ = writeln!(
            out,
            "    aie.objectfifo @in_{c}_{r}(%mem_tile_{c}_1, {{%tile_{c}_{r}}}, 2 : i32) : !aie.objectfifo<memref<32xi32>>\n    \
             aie.objectfifo @out_{c}_{r}(%tile_{c}_{r}, {{%mem_tile_{c}_1}}, 2 : i32) : !aie.objectfifo<memref<32xi32>>"
        );
    }
    let _ = writeln!(
        out,
        "    aie.objectfifo.link [@in_{c}] -> [{ins}]([] [{offsets}])\n    \
         aie.objectfifo.link [{outs}] -> [@out_{c}]([{offsets}] [])"
    );
    for r in 2..2 + CORES {
        let _ = writeln!(
            out,
            "    %scale_{c}_{r} = aie.buffer(%tile_{c}_{r}) {{sym_name = \"scale_{c}_{r}\"}} : memref<1xi32> = dense<{c}>\n    \
             %core_{c}_{r} = aie.core(%tile_{c}_{r}) {{\n      \
             %c0 = arith.constant 0 : index\n      \
             %c1 = arith.constant 1 : index\n      \
             %c32 = arith.constant 32 : index\n      \
             %c32_i32 = arith.constant 32 : i32\n      \
             scf.for %arg0 = %c0 to %c32 step %c1 {{\n        \
             %0 = aie.objectfifo.acquire @in_{c}_{r}(Consume, 1) : !aie.objectfifosubview<memref<32xi32>>\n        \
             %1 = aie.objectfifo.subview.access %0[0] : !aie.objectfifosubview<memref<32xi32>> -> memref<32xi32>\n        \
             %2 = aie.objectfifo.acquire @out_{c}_{r}(Produce, 1) : !aie.objectfifosubview<memref<32xi32>>\n        \
             %3 = aie.objectfifo.subview.access %2[0] : !aie.objectfifosubview<memref<32xi32>> -> memref<32xi32>\n        \
             %4 = memref.load %scale_{c}_{r}[%c0] : memref<1xi32>\n        \
             scf.for %arg1 = %c0 to %c32 step %c1 {{\n          \
             %5 = memref.load %1[%arg1] : memref<32xi32>\n          \
             %6 = arith.muli %5, %4 : i32\n          \
             memref.store %6, %3[%arg1] : memref<32xi32>\n        \
             }}\n        \
             func.call @kernel(%1, %3, %c32_i32) : (memref<32xi32>, memref<32xi32>, i32) -> ()\n        \
             aie.objectfifo.release @in_{c}_{r}(Consume, 1)\n        \
             aie.objectfifo.release @out_{c}_{r}(Produce, 1)\n      \
             }}\n      \
             aie.end\n    \
             }}"
        );
    }
}
