// RUN: aiec opt %s -o %t.once && aiec opt %t.once -o %t.twice && diff %t.once %t.twice
// RUN: aiec opt --mlir-print-op-generic %s -o %t.generic && aiec opt %t.generic -o %t.back && diff %t.once %t.back
// RUN: aiec opt --lower-affine --scf-parallel-for-to-nested-fors %s | FileCheck %s
// RUN: aiec sim %s
// RUN: aiec sim %s --core=machine

// The core traps if the numbers that its loops leave are others than those of their meaning.
// CHECK-NOT: {{parallel|forall}}
aie.device(npu2) {
  %tile = aie.tile(0, 2)
  %b = aie.buffer(%tile) {sym_name = "b"} : memref<8x8xi32> = dense<1>
  %core = aie.core(%tile) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c8 = arith.constant 8 : index
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    scf.parallel (%i, %j) = (%c0, %c1) to (%c8, %c8) step (%c1, %c2) {
      %k = arith.index_cast %i : index to i32
      memref.store %k, %b[%i, %j] : memref<8x8xi32>
    }
    // Even columns hold 1, odd ones their row.
    %sum, %most = scf.parallel (%i, %j) = (%c0, %c0) to (%c8, %c8) step (%c1, %c1) init (%zero, %zero) -> (i32, i32) {
      %v = memref.load %b[%i, %j] : memref<8x8xi32>
      %w = arith.muli %v, %v : i32
      scf.reduce(%v, %w : i32, i32) {
      ^bb0(%x: i32, %y: i32):
        %s = arith.addi %x, %y : i32
        scf.reduce.return %s : i32
      }, {
      ^bb0(%x: i32, %y: i32):
        %s = arith.maxsi %x, %y : i32
        scf.reduce.return %s : i32
      }
    }
    %c144 = arith.constant 144 : i32
    %c49 = arith.constant 49 : i32
    %right = arith.cmpi eq, %sum, %c144 : i32
    cf.assert %right, "sum"
    %largest = arith.cmpi eq, %most, %c49 : i32
    cf.assert %largest, "largest"
    %c4 = arith.constant 4 : index
    scf.forall (%i) in (%c4) {
      %v = memref.load %b[%i, %c1] : memref<8x8xi32>
      scf.forall (%j) = (2) to (8) step (%c3) {
        memref.store %v, %b[%i, %j] : memref<8x8xi32>
      } {mapping = []}
    }
    %rows = affine.parallel (%i, %j) = (0, max(%c1, 2)) to (4, min(symbol(%c8), %c4 + 2)) step (1, 3) reduce ("addi") -> (i32) {
      %v = affine.load %b[%i, %j] : memref<8x8xi32>
      affine.yield %v : i32
    }
    // Columns 2 and 5 of rows 0 to 3.
    %c12 = arith.constant 12 : i32
    %same = arith.cmpi eq, %rows, %c12 : i32
    cf.assert %same, "rows"
    affine.parallel (%i) = (0) to (8) {
      affine.store %one, %b[%i, 0] : memref<8x8xi32>
    }
    aie.end
  }
}
