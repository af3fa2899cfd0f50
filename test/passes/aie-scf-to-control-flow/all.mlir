// RUN: aiec opt --aie-scf-to-control-flow %s | FileCheck %s
// RUN: aiec opt --aie-scf-to-control-flow %s -o %t.mlir && aiec sim %t.mlir --out 0=%t.flat && aiec sim %s --out 0=%t.structured && diff %t.flat %t.structured

// What cores compute stays, and so do loops of the sequence.
// CHECK:     aie.core
// CHECK-NOT: scf.
// CHECK:     aie.runtime_sequence
// CHECK:     scf.for
aie.device(npu2) {
  %shim = aie.tile(0, 0)
  %tile = aie.tile(0, 2)
  aie.objectfifo @out(%tile, {%shim}, 2 : i32) : !aie.objectfifo<memref<16xi32>>
  %core = aie.core(%tile) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %c16 = arith.constant 16 : index
    %zero = arith.constant 0 : i32
    %limit = arith.constant 40 : i32
    %view = aie.objectfifo.acquire @out(Produce, 1) : !aie.objectfifosubview<memref<16xi32>>
    %y = aie.objectfifo.subview.access %view[0] : !aie.objectfifosubview<memref<16xi32>> -> memref<16xi32>
    %sum = scf.for %i = %c0 to %c16 step %c1 iter_args(%s = %zero) -> (i32) {
      %n = arith.index_cast %i : index to i32
      %rest = arith.remui %i, %c3 : index
      %factor = scf.index_switch %rest -> i32
      case 0 {
        %seven = arith.constant 7 : i32
        scf.yield %seven : i32
      }
      case 2 {
        scf.yield %n : i32
      }
      default {
        %r = scf.execute_region -> i32 {
          %one = arith.constant 1 : i32
          scf.yield %one : i32
        }
        scf.yield %r : i32
      }
      %x = arith.muli %n, %factor : i32
      %less = arith.cmpi slt, %x, %limit : i32
      %z = scf.if %less -> (i32) {
        %d:2 = scf.while (%a = %x, %k = %i) : (i32, index) -> (i32, i32) {
          %small = arith.cmpi slt, %a, %limit : i32
          %twice = arith.addi %a, %a : i32
          scf.condition(%small) %twice, %a : i32, i32
        } do {
        ^bb0(%t: i32, %u: i32):
          %next = arith.addi %t, %limit : i32
          scf.yield %next, %c0 : i32, index
        }
        scf.yield %d#1 : i32
      } else {
        scf.yield %x : i32
      }
      scf.if %less {
        memref.store %z, %y[%i] : memref<16xi32>
      } else {
        memref.store %s, %y[%i] : memref<16xi32>
      }
      %next = arith.addi %s, %z : i32
      scf.yield %next : i32
    }
    memref.store %sum, %y[%c0] : memref<16xi32>
    aie.objectfifo.release @out(Produce, 1)
    aie.end
  }
  aie.runtime_sequence(%a: memref<16xi32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    scf.for %i = %c0 to %c1 step %c1 {
      aiex.npu.dma_memcpy_nd(%a[0, 0, 0, 0][1, 1, 1, 16][0, 0, 0, 1]) {metadata = @out, id = 0 : i64} : memref<16xi32>
      aiex.npu.dma_wait {symbol = @out}
    }
  }
}
