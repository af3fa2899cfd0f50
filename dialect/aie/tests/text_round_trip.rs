//! Text in, text out: what is printed for what was read, and that printing is a fixed point.

use aiec_aie::text::{PrintOptions, parse, print};
use aiec_diag::{Diags, Severity, SourceFile, SourceMap};
use expect_test::{Expect, expect};

/// Parses without findings and prints in custom and generic form; both must be fixed points.
fn printed(text: &str) -> (String, String) {
    let mut sources = SourceMap::new();
    let mut read = |text: &str| {
        let file = sources.add(SourceFile::new("t.mlir", text));
        let mut diags = Diags::new();
        let module = parse(file, &sources, &mut diags);
        // A device by its number, as the generic form has it, gets a note.
        let findings = diags.iter().filter(|d| d.severity != Severity::Note);
        let found: Vec<_> = findings.map(|d| d.one_line(&sources)).collect();
        assert!(found.is_empty(), "{}\n{text}", found.join("\n"));
        module
    };
    let module = read(text);
    let custom = print(&module, PrintOptions::default());
    assert_eq!(print(&read(&custom), PrintOptions::default()), custom);
    let generic = print(&module, PrintOptions { generic: true });
    let again = read(&generic);
    assert_eq!(print(&again, PrintOptions { generic: true }), generic);
    assert_eq!(print(&again, PrintOptions::default()), custom, "{generic}");
    (custom, generic)
}

fn check(text: &str, expected: Expect) {
    expected.assert_eq(&printed(text).0);
}

#[test]
fn early_2025_spellings_become_todays() {
    check(
        r#"
aie.device(npu1_4col) {
  %tile02 = aie.tile(0, 2)
  %buf = aie.buffer(%tile02) {sym_name = "weird name-1"} : memref<64xi32>
  %lock = aie.lock(%tile02, 0x1) {init = 1 : i32}
  aie.shim_dma_allocation @of(MM2S, 0, 2)
  %m = aie.mem(%tile02) {
    %0 = aie.dma_start("S2MM", 0, ^bd0, ^end)
  ^bd0:
    aie.use_lock(%lock, "AcquireGreaterEqual")
    aie.dma_bd(%buf : memref<64xi32>, 16, 32, [<size = 4, stride = 8>, <stride = 1, size = 8>])
    aie.use_lock(%lock, Release, 2)
    aie.next_bd ^bd0
  ^end:
    aie.end
  }
  aiex.runtime_sequence(%a: memref<64xi32>) {
    aiex.npu.dma_memcpy_nd(0, 0, %a[0, 0, 0, 0][1, 1, 1, 64][0, 0, 0, 1])
      {metadata = @of, id = 0 : i64, issue_token = true} : memref<64xi32>
    aiex.npu.write32 {address = 0xfff : ui32, value = 5 : ui32, column = 1 : i32}
    aiex.npu.sync {column = 0 : i32, row = 0 : i32, direction = 1 : i32, channel = 0 : i32,
                   column_num = 1 : i32, row_num = 1 : i32}
    aiex.npu.push_queue(0, 0, MM2S:0) {issue_token = false, repeat_count = 3 : i32, bd_id = 3 : i32}
    aiex.npu.address_patch {addr = 119268 : ui32, arg_idx = 0 : i32, arg_plus = 4 : i32}
    aiex.npu.rtp_write(@rtp, 0, 50)
  }
}
"#,
        expect![[r#"
            module {
              aie.device(npu1) {
                %shim_noc_tile_2_0 = aie.tile(2, 0)
                %tile_0_2 = aie.tile(0, 2)
                %weird_name-1 = aie.buffer(%tile_0_2) {sym_name = "weird name-1"} : memref<64xi32> 
                %lock_0_2 = aie.lock(%tile_0_2, 1) {init = 1 : i32}
                aie.shim_dma_allocation @of(%shim_noc_tile_2_0, MM2S, 0)
                %mem_0_2 = aie.mem(%tile_0_2) {
                  %c1_i32 = arith.constant 1 : i32
                  %c2_i32 = arith.constant 2 : i32
                  %0 = aie.dma_start(S2MM, 0, ^bb1, ^bb2)
                ^bb1:  // 2 preds: ^bb0, ^bb1
                  aie.use_lock(%lock_0_2, AcquireGreaterEqual, %c1_i32)
                  aie.dma_bd(%weird_name-1 : memref<64xi32> offset = 16 len = 32 sizes = [4, 8] strides = [8, 1])
                  aie.use_lock(%lock_0_2, Release, %c2_i32)
                  aie.next_bd ^bb1
                ^bb2:  // pred: ^bb0
                  aie.end
                }
                aie.runtime_sequence(%arg0: memref<64xi32>) {
                  %c4095_i32 = arith.constant 4095 : i32
                  %c5_i32 = arith.constant 5 : i32
                  %c0_i32 = arith.constant 0 : i32
                  %c1_i32 = arith.constant 1 : i32
                  %c3_i32 = arith.constant 3 : i32
                  %c4_i32 = arith.constant 4 : i32
                  %c50_i32 = arith.constant 50 : i32
                  aiex.npu.dma_memcpy_nd(%arg0[0, 0, 0, 0][1, 1, 1, 64][0, 0, 0, 1]) {id = 0 : i64, issue_token = true, metadata = @of} : memref<64xi32>
                  aiex.npu.write32(%c4095_i32, %c5_i32) {column = 1 : i32} : i32, i32
                  aiex.npu.sync(%c0_i32, %c0_i32, %c1_i32, %c0_i32, %c1_i32, %c1_i32) : i32, i32, i32, i32, i32, i32
                  aiex.npu.push_queue(0, 0, MM2S : 0) bd_id %c3_i32 repeat %c3_i32 {issue_token = false} : i32, i32
                  aiex.npu.address_patch(%c4_i32 : i32) {addr = 119268 : ui32, arg_idx = 0 : i32}
                  aiex.npu.rtp_write(@rtp, 0, %c50_i32) : i32
                }
              }
            }
        "#]],
    );
}

#[test]
fn names_clash_as_in_the_reference() {
    check(
        r#"
module {
  aie.device(npu2) {
    %a = aie.tile(1, 3)
    %b = aie.tile(1, 3)
    %c = aie.tile(1, 1)
    %l0 = aie.lock(%a)
    %l1 = aie.lock(%b)
    %l2 = aie.lock(%c, 5) {sym_name = "lk"}
    %s = aie.switchbox(%a) {
      aie.connect<South : 0, DMA : 0>
      %x = aie.amsel<1> (2)
      %y = aie.masterset(North : 0, %x) {keep_pkt_header = true}
      aie.packet_rules(South : 2) { aie.rule(31, 1, %x) }
    }
    aie.packet_flow(0x3) {
      aie.packet_source<%a, DMA : 0>
      aie.packet_dest<%b, DMA : 0>
    } {keep_pkt_header = true}
    %k = aie.core(%a) {
      %c1 = arith.constant 1 : index
      %c1b = arith.constant 1 : index
      %t = arith.constant true
      %f = arith.constant 1.5 : f32
      scf.for %i = %c1 to %c1b step %c1 {
        %v:2 = scf.if %t -> (f32, f32) {
          scf.yield %f, %f : f32, f32
        } else {
          scf.yield %f, %f : f32, f32
        }
        %w = arith.addf %v#0, %v#1 : f32
      }
      aie.end
    } {elf_file = "x.elf", stack_size = 2048 : i32}
  }
}
"#,
        expect![[r#"
            module {
              aie.device(npu2) {
                %tile_1_3 = aie.tile(1, 3)
                %tile_1_3_0 = aie.tile(1, 3)
                %mem_tile_1_1 = aie.tile(1, 1)
                %lock_1_3 = aie.lock(%tile_1_3)
                %lock_1_3_1 = aie.lock(%tile_1_3_0)
                %lk = aie.lock(%mem_tile_1_1, 5) {sym_name = "lk"}
                %switchbox_1_3 = aie.switchbox(%tile_1_3) {
                  aie.connect<South : 0, DMA : 0>
                  %0 = aie.amsel<1> (2)
                  %1 = aie.masterset(North : 0, %0) {keep_pkt_header = true}
                  aie.packet_rules(South : 2) {
                    aie.rule(31, 1, %0)
                  }
                }
                aie.packet_flow(3) {
                  aie.packet_source<%tile_1_3, DMA : 0>
                  aie.packet_dest<%tile_1_3_0, DMA : 0>
                } {keep_pkt_header = true}
                %core_1_3 = aie.core(%tile_1_3) {
                  %c1 = arith.constant 1 : index
                  %c1_2 = arith.constant 1 : index
                  %true = arith.constant true
                  %cst = arith.constant 1.500000e+00 : f32
                  scf.for %arg0 = %c1 to %c1_2 step %c1 {
                    %0:2 = scf.if %true -> (f32, f32) {
                      scf.yield %cst, %cst : f32, f32
                    } else {
                      scf.yield %cst, %cst : f32, f32
                    }
                    %1 = arith.addf %0#0, %0#1 : f32
                  }
                  aie.end
                } {elf_file = "x.elf", stack_size = 2048 : i32}
              }
            }
        "#]],
    );
}

#[test]
fn object_fifos_print_with_the_references_blanks() {
    check(
        r#"
module {
  aie.device(npu1) @main {
    %p = aie.tile(0, 2)
    %q = aie.tile(0, 3)
    aie.objectfifo @of (%p dimensionsToStream [<size = 4, stride = 1>], {%q dimensionsFromStream [<size = 2, stride = 1>], %p}, [2, 2, 3]) {repeat_count = 2 : i32, via_DMA = true} : !aie.objectfifo<memref<16xi32>>
    aie.objectfifo @g (%p, {%q}, 2) : !aie.objectfifo<memref<16xi32>> -> !aie.objectfifo<memref<8xi32>>
    aie.objectfifo @h (%p, {%q}, 2 : i32) : !aie.objectfifo<memref<2xi32>> = [dense<0> : memref<2xi32>, dense<[1, 2]> : memref<2xi32>]
    aie.objectfifo.link [@g] -> [@h, @of] ([] [0, 8])
    aie.objectfifo.allocate @g (%p)
    %k = aie.core(%p) {
      %s = aie.objectfifo.acquire @of (Produce, 1) : !aie.objectfifosubview<memref<16xi32>>
      %e = aie.objectfifo.subview.access %s[0] : !aie.objectfifosubview<memref<16xi32>> -> memref<16xi32>
      aie.objectfifo.release @of (Produce, 1)
      aie.end
    }
  }
}
"#,
        expect![[r#"
            module {
              aie.device(npu1) {
                %tile_0_2 = aie.tile(0, 2)
                %tile_0_3 = aie.tile(0, 3)
                aie.objectfifo @of(%tile_0_2 dimensionsToStream [<size = 4, stride = 1>], {%tile_0_3 dimensionsFromStream [<size = 2, stride = 1>], %tile_0_2}, [2, 2, 3]) {repeat_count = 2 : i32, via_DMA = true} : !aie.objectfifo<memref<16xi32>>  
                aie.objectfifo @g(%tile_0_2, {%tile_0_3}, 2 : i32) : !aie.objectfifo<memref<16xi32>>  -> !aie.objectfifo<memref<8xi32>> 
                aie.objectfifo @h(%tile_0_2, {%tile_0_3}, 2 : i32) : !aie.objectfifo<memref<2xi32>>  = [dense<0> : memref<2xi32>, dense<[1, 2]> : memref<2xi32>]
                aie.objectfifo.link [@g] -> [@h, @of]([] [0, 8])
                aie.objectfifo.allocate @g(%tile_0_2)
                %core_0_2 = aie.core(%tile_0_2) {
                  %0 = aie.objectfifo.acquire @of(Produce, 1) : !aie.objectfifosubview<memref<16xi32>>
                  %1 = aie.objectfifo.subview.access %0[0] : !aie.objectfifosubview<memref<16xi32>> -> memref<16xi32>
                  aie.objectfifo.release @of(Produce, 1)
                  aie.end
                }
              }
            }
        "#]],
    );
}

#[test]
fn acquired_objects_are_counted_by_their_results_in_generic_form() {
    let generic = r#"
"builtin.module"() ({
  "aie.device"() ({
    %0 = "aie.tile"() {col = 0 : i32, row = 2 : i32} : () -> index
    "aie.objectfifo"(%0, %0) {elemNumber = 2 : i32, elemType = !aie.objectfifo<memref<8xi32>>, sym_name = "of"} : (index, index) -> ()
    "aie.core"(%0) ({
      %1:2 = "aie.objectfifo.acquire"() {objFifo_name = @of, port = 1 : i32} : () -> (memref<8xi32>, memref<8xi32>)
      "aie.objectfifo.release"() {objFifo_name = @of, port = 1 : i32, size = 2 : i32} : () -> ()
      %2 = "aie.objectfifo.acquire"() {objFifo_name = @end} : () -> memref<8xi32>
      "aie.objectfifo.release"() {objFifo_name = @end, size = 1 : i32} : () -> ()
      "aie.end"() : () -> ()
    }) : (index) -> index
    "aie.end"() : () -> ()
  }) {device = 4 : i32, sym_name = "main"} : () -> ()
}) : () -> ()
"#;
    let (custom, again) = printed(generic);
    for line in [
        "aie.objectfifo.acquire @of(Consume, 2) : memref<8xi32>, memref<8xi32>",
        "aie.objectfifo.release @of(Consume, 2)",
        "aie.objectfifo.acquire @end(1) : memref<8xi32>",
        "aie.objectfifo.release @end(1)",
    ] {
        assert!(custom.contains(line), "{custom}");
    }
    for line in [
        r#"acquire"() <{objFifo_name = @of, port = 1 : i32}>"#,
        r#"acquire"() <{objFifo_name = @end}>"#,
        r#"release"() <{objFifo_name = @end, size = 1 : i32}>"#,
    ] {
        assert!(again.contains(line), "{again}");
    }
}

#[test]
fn unknown_operations_stay_as_they_are_in_generic_form() {
    check(
        r##"
#map = affine_map<(d0, d1)[s0] -> (d0 * 4 + d1 - s0, d1 floordiv 2)>
!t = memref<4x?xf32, strided<[4, 1], offset: ?>, 2 : i32>
module attributes {aie.x = 1, "odd.key" = unit} {
  %0:2 = "my.op"() <{a = #my.attr<"x", [1]>}> ({
  ^bb0(%x: i32):
    "my.jump"(%x)[^bb1] : (i32) -> ()
  ^bb1:
    "my.end"() : () -> ()
  }) {m = #map, d = dense<[[1, 2], [3, 4]]> : tensor<2x2xi8>, f = 0.1 : f32, t = !t} : () -> (!my.type<f32>, index)
  "my.use"(%0#1, %0#0) : (index, !my.type<f32>) -> ()
}
"##,
        expect![[r##"
            #map = affine_map<(d0, d1)[s0] -> (d0 * 4 + d1 - s0, d1 floordiv 2)>
            module attributes {aie.x = 1 : i64, odd.key} {
              %0:2 = "my.op"() <{a = #my.attr<"x", [1]>}> ({
              ^bb0(%arg0: i32):
                "my.jump"(%arg0)[^bb1] : (i32) -> ()
              ^bb1:  // pred: ^bb0
                "my.end"() : () -> ()
              }) {d = dense<[[1, 2], [3, 4]]> : tensor<2x2xi8>, f = 1.000000e-01 : f32, m = #map, t = memref<4x?xf32, strided<[4, 1], offset: ?>, 2 : i32>} : () -> (!my.type<f32>, index)
              "my.use"(%0#1, %0#0) : (index, !my.type<f32>) -> ()
            }
        "##]],
    );
}
