// RUN: not aiec %s -o %t 2>&1 | FileCheck %s
// RUN: not aiec %s -o %t --diagnostics=json 2>&1 | count 1
// RUN: not test -e %t
// Nine fifos of two locks in a memory with sixteen.

// CHECK: locks::none-left
// CHECK: tile (0, 2) has only 16 locks: f0_prod_lock_0, f0_cons_lock_0 not allocated a lock
// CHECK: let fewer object fifos end here, or move some to another tile
// CHECK: resources of tile (0, 2):
// CHECK: locks 18 of 16 (0 f8_prod_lock_0, 1 f8_cons_lock_0, {{.*}} 10 more)

module {
  aie.device(npu2) {
    %a = aie.tile(0, 2)
    %b = aie.tile(0, 3)
    aie.objectfifo @f0(%a, {%b}, 2 : i32) : !aie.objectfifo<memref<16xi32>>
    aie.objectfifo @f1(%a, {%b}, 2 : i32) : !aie.objectfifo<memref<16xi32>>
    aie.objectfifo @f2(%a, {%b}, 2 : i32) : !aie.objectfifo<memref<16xi32>>
    aie.objectfifo @f3(%a, {%b}, 2 : i32) : !aie.objectfifo<memref<16xi32>>
    aie.objectfifo @f4(%a, {%b}, 2 : i32) : !aie.objectfifo<memref<16xi32>>
    aie.objectfifo @f5(%a, {%b}, 2 : i32) : !aie.objectfifo<memref<16xi32>>
    aie.objectfifo @f6(%a, {%b}, 2 : i32) : !aie.objectfifo<memref<16xi32>>
    aie.objectfifo @f7(%a, {%b}, 2 : i32) : !aie.objectfifo<memref<16xi32>>
    aie.objectfifo @f8(%a, {%b}, 2 : i32) : !aie.objectfifo<memref<16xi32>>
    aie.core(%a) {
      %v0 = aie.objectfifo.acquire @f0 (Produce, 1) : !aie.objectfifosubview<memref<16xi32>>
      aie.objectfifo.release @f0 (Produce, 1)
      %v1 = aie.objectfifo.acquire @f1 (Produce, 1) : !aie.objectfifosubview<memref<16xi32>>
      aie.objectfifo.release @f1 (Produce, 1)
      %v2 = aie.objectfifo.acquire @f2 (Produce, 1) : !aie.objectfifosubview<memref<16xi32>>
      aie.objectfifo.release @f2 (Produce, 1)
      %v3 = aie.objectfifo.acquire @f3 (Produce, 1) : !aie.objectfifosubview<memref<16xi32>>
      aie.objectfifo.release @f3 (Produce, 1)
      %v4 = aie.objectfifo.acquire @f4 (Produce, 1) : !aie.objectfifosubview<memref<16xi32>>
      aie.objectfifo.release @f4 (Produce, 1)
      %v5 = aie.objectfifo.acquire @f5 (Produce, 1) : !aie.objectfifosubview<memref<16xi32>>
      aie.objectfifo.release @f5 (Produce, 1)
      %v6 = aie.objectfifo.acquire @f6 (Produce, 1) : !aie.objectfifosubview<memref<16xi32>>
      aie.objectfifo.release @f6 (Produce, 1)
      %v7 = aie.objectfifo.acquire @f7 (Produce, 1) : !aie.objectfifosubview<memref<16xi32>>
      aie.objectfifo.release @f7 (Produce, 1)
      %v8 = aie.objectfifo.acquire @f8 (Produce, 1) : !aie.objectfifosubview<memref<16xi32>>
      aie.objectfifo.release @f8 (Produce, 1)
      aie.end
    }
  }
}
