// RUN: aiec opt --aie-assign-buffer-addresses --split-input-file %s | FileCheck %s
// What a core's program keeps beside the buffers is reserved in its tile's memory: within the stack
// where it fits, else in a buffer of its own.

// CHECK-LABEL: module @beyond_the_stack
// CHECK: %out = {{.*}}address = 16384 : i32, mem_bank = 1 : i32
// CHECK: %core_0_2_data = aie.buffer(%tile_0_2) {address = 1024 : i32, mem_bank = 0 : i32, sym_name = "core_0_2_data"} : memref<2400xi8>
// CHECK: } {data_buffer = @core_0_2_data}
module @beyond_the_stack {
  aie.device(npu2) {
    memref.global "private" constant @table : memref<600xi32> = dense<7>
    %t = aie.tile(0, 2)
    %out = aie.buffer(%t) {sym_name = "out"} : memref<16xi32>
    %core = aie.core(%t) {
      %c0 = arith.constant 0 : index
      %table = memref.get_global @table : memref<600xi32>
      %v = memref.load %table[%c0] : memref<600xi32>
      memref.store %v, %out[%c0] : memref<16xi32>
      aie.end
    }
  }
}

// -----

// Data of functions count once for each core, whatever calls them how often.
// CHECK-LABEL: module @in_functions
// CHECK: sym_name = "core_0_2_data"} : memref<1632xi8>
// CHECK-NOT: core_0_3_data
module @in_functions {
  aie.device(npu2) {
    func.func private @scratch() {
      %a = memref.alloca() : memref<200xi32>
      func.return
    }
    func.func private @twice() {
      %b = memref.alloca() : memref<200xi32>
      func.call @scratch() : () -> ()
      func.call @scratch() : () -> ()
      func.return
    }
    %t = aie.tile(0, 2)
    %u = aie.tile(0, 3)
    %core = aie.core(%t) {
      func.call @twice() : () -> ()
      %c = arith.constant dense<[1, 2, 3, 4, 5, 6, 7, 8]> : vector<8xi32>
      aie.end
    }
    %small = aie.core(%u) {
      func.call @scratch() : () -> ()
      aie.end
    }
  }
}
