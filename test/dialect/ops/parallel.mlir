// RUN: aiec opt %s | FileCheck %s
// RUN: aiec opt %s -o %t.once && aiec opt %t.once -o %t.twice && diff %t.once %t.twice
// RUN: aiec opt --mlir-print-op-generic %s -o %t.generic && aiec opt %t.generic -o %t.back && diff %t.once %t.back
// Parallel loops, and operations that keep all bits.

func.func @loops(%m: memref<64x64xi32>, %n: index, %x: i32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: scf.parallel (%{{.*}}, %{{.*}}) = (%{{.*}}, %{{.*}}) to (%{{.*}}, %{{.*}}) step (%{{.*}}, %{{.*}}) {
  scf.parallel (%i, %j) = (%c0, %c0) to (%n, %n) step (%c1, %c1) {
    memref.store %x, %m[%i, %j] : memref<64x64xi32>
    scf.reduce
  }
  // CHECK: scf.parallel {{.*}} init (%{{.*}}) -> i32 {
  // CHECK: scf.reduce(%{{.*}} : i32) {
  // CHECK-NEXT: ^bb0(%{{.*}}: i32, %{{.*}}: i32):
  // CHECK: scf.reduce.return %{{.*}} : i32
  %r = scf.parallel (%i) = (%c0) to (%n) step (%c1) init (%x) -> i32 {
    scf.reduce(%x : i32) {
    ^bb0(%a: i32, %b: i32):
      %s = arith.xori %a, %b : i32
      scf.reduce.return %s : i32
    }
  }
  // CHECK: scf.forall (%{{.*}}, %{{.*}}) in (%{{.*}}, 4) {
  scf.forall (%i, %j) in (%n, 4) {
    memref.store %x, %m[%i, %j] : memref<64x64xi32>
  }
  // CHECK: scf.forall (%{{.*}}) = (1) to (%{{.*}}) step (2) {
  scf.forall (%i) = (1) to (%n) step (2) {
    memref.store %x, %m[%i, %i] : memref<64x64xi32>
  }
  // CHECK: affine.parallel (%[[I:.*]], %[[J:.*]]) = (0, max(1, %{{.*}})) to (8, min(%{{.*}} + 1, symbol(%{{.*}}))) step (1, 2) reduce ("addi") -> (i32) {
  %k = affine.parallel (%i, %j) = (0, max(1, %c1)) to (8, min(%n + 1, symbol(%n))) step (1, 2) reduce ("addi") -> (i32) {
    %v = affine.load %m[%i, %j] : memref<64x64xi32>
    affine.yield %v : i32
  }
  // CHECK: affine.parallel (%{{.*}}) = (0) to (8) {
  affine.parallel (%i) = (0) to (8) {
    affine.store %x, %m[%i, 0] : memref<64x64xi32>
  }
  return
}

func.func @outputs(%t: tensor<4xi32>) -> tensor<4xi32> {
  // CHECK: scf.forall (%{{.*}}) in (4) shared_outs(%{{.*}} = %{{.*}}) -> (tensor<4xi32>) {
  // CHECK: scf.forall.in_parallel {
  %r = scf.forall (%i) in (4) shared_outs(%o = %t) -> (tensor<4xi32>) {
    scf.forall.in_parallel {
    }
  }
  return %r : tensor<4xi32>
}

func.func @all_bits(%a: i32, %v: vector<8xi16>) {
  // CHECK: %{{.*}}:2 = arith.addui_extended %{{.*}}, %{{.*}} : i32, i1
  %s, %o = arith.addui_extended %a, %a : i32, i1
  // CHECK: arith.addui_extended %{{.*}}, %{{.*}} : vector<8xi16>, vector<8xi1>
  %w, %p = arith.addui_extended %v, %v : vector<8xi16>, vector<8xi1>
  // CHECK: arith.mulsi_extended %{{.*}}, %{{.*}} : i32
  %l, %h = arith.mulsi_extended %a, %a : i32
  // CHECK: arith.mului_extended %{{.*}}, %{{.*}} : vector<8xi16>
  %x, %y = arith.mului_extended %v, %v : vector<8xi16>
  return
}
