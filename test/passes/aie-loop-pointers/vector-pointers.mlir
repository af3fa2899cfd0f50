// RUN: aiec opt --aie-vector-to-pointer-loops %s | FileCheck %s
// RUN: aiec opt --aie-vector-to-pointer-loops %s | aiec opt - | FileCheck %s

// An index that serves two memrefs becomes a pointer for each; bytes count, not elements.
// CHECK-DAG:  %[[X:.*]] = builtin.unrealized_conversion_cast %{{.*}} : memref<1024xi16> to memref<1024xi16, #ptr.generic_space>
// CHECK-DAG:  %[[P:.*]] = ptr.to_ptr %[[X]] : memref<1024xi16, #ptr.generic_space> -> !ptr.ptr<#ptr.generic_space>
// CHECK:      scf.for %{{.*}} iter_args(%[[SUM:.*]] = %{{.*}}, %[[A:.*]] = %{{.*}}, %[[B:.*]] = %{{.*}}) -> (vector<16xi16>, !ptr.ptr<#ptr.generic_space>, !ptr.ptr<#ptr.generic_space>)
// CHECK:        %[[META:.*]] = ptr.get_metadata %[[X]] : memref<1024xi16, #ptr.generic_space>
// CHECK-NEXT:   %[[M:.*]] = ptr.from_ptr %[[A]] metadata %[[META]] : !ptr.ptr<#ptr.generic_space> -> memref<1024xi16, #ptr.generic_space>
// CHECK-NEXT:   vector.load %[[M]][%c0]
// CHECK:        ptr.ptr_add %[[A]]
// CHECK:        ptr.ptr_add %[[B]]
// CHECK:        vector.store
// CHECK:        scf.yield %{{.*}}, %{{.*}}, %{{.*}} : vector<16xi16>, !ptr.ptr<#ptr.generic_space>, !ptr.ptr<#ptr.generic_space>
// An index that is used otherwise, and one that is used behind the loop, stay.
// CHECK:      scf.for %{{.*}} iter_args(%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}) -> (index, index)
// CHECK-NOT:    ptr.
aie.device(npu2) {
  %tile = aie.tile(0, 2)
  %x = aie.buffer(%tile) : memref<1024xi16>
  %y = aie.buffer(%tile) : memref<1024xi16>
  %core = aie.core(%tile) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %zero = arith.constant dense<0> : vector<16xi16>
    %r:2 = scf.for %i = %c0 to %c8 step %c1 iter_args(%sum = %zero, %at = %c8) -> (vector<16xi16>, index) {
      %v = vector.load %x[%at] : memref<1024xi16>, vector<16xi16>
      %next = arith.addi %at, %c8 : index
      %s = arith.addi %sum, %v : vector<16xi16>
      vector.store %s, %y[%next] : memref<1024xi16>, vector<16xi16>
      scf.yield %s, %next : vector<16xi16>, index
    }
    vector.store %r#0, %y[%c0] : memref<1024xi16>, vector<16xi16>
    %q:2 = scf.for %i = %c0 to %c8 step %c1 iter_args(%at = %c0, %to = %c0) -> (index, index) {
      %v = vector.load %x[%at] : memref<1024xi16>, vector<16xi16>
      vector.store %v, %y[%to] : memref<1024xi16>, vector<16xi16>
      %twice = arith.muli %at, %c8 : index
      %next = arith.addi %at, %twice : index
      %after = arith.addi %to, %c8 : index
      scf.yield %next, %after : index, index
    }
    %last = vector.load %x[%q#1] : memref<1024xi16>, vector<16xi16>
    vector.store %last, %y[%c0] : memref<1024xi16>, vector<16xi16>
    aie.end
  }
}
