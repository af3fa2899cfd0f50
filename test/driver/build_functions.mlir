// RUN: aiec build %s -o %t | FileCheck %s
// RUN: FileCheck --input-file=%t/build_functions.sequence.hpp %s --check-prefix=HEADER
// RUN: aiec build %s --scalar 2=512 -o %t | FileCheck %s --check-prefix=FIXED

// A number of the host: one xclbin for all of its values, and functions that write the instructions for one.
// CHECK: wrote build_functions.xclbin, build_functions.sequence.hpp, build_functions.sequence.py to
// CHECK: #include "build_functions.sequence.hpp"
// CHECK: auto words = generate_txn_main_copy(arg2);
// CHECK: // instructions: what the function returns
// CHECK: kernel(3, bo_instructions, number_of_words, bo0, bo1, 0).wait();
// CHECK: # build_functions.sequence.py; ValueError
// CHECK: instructions = generate_txn_main_copy(arg2)
// HEADER: generate_txn_main_copy(int64_t arg2)

// FIXED: wrote build_functions.npu.elf
aie.device(npu2) {
  %shim = aie.tile(0, 0)
  %mem = aie.tile(0, 1)
  aie.objectfifo @in(%shim, {%mem}, 2 : i32) : !aie.objectfifo<memref<64xi32>>
  aie.objectfifo @out(%mem, {%shim}, 2 : i32) : !aie.objectfifo<memref<64xi32>>
  aie.objectfifo.link [@in] -> [@out] ([] [])
  aie.runtime_sequence @copy(%a: memref<4096xi32>, %b: memref<4096xi32>, %n: i64) {
    aiex.npu.dma_memcpy_nd(%a[0, 0, 0, 0][1, 1, 1, %n][0, 0, 0, 1]) {id = 0 : i64, metadata = @in} : memref<4096xi32>
    aiex.npu.dma_memcpy_nd(%b[0, 0, 0, 0][1, 1, 1, %n][0, 0, 0, 1]) {id = 1 : i64, metadata = @out, issue_token = true} : memref<4096xi32>
    aiex.npu.dma_wait {symbol = @out}
  }
}
