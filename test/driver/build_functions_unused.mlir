// RUN: aiec build %s -o %t | FileCheck %s
// RUN: FileCheck --input-file=%t/build_functions_unused.sequence.hpp %s --check-prefix=HEADER

// The call has all numbers of the function, those that the sequence doesn't use too; characters that no function's name has are underscores.
// CHECK: auto words = generate_txn_main_copy_1(arg1, arg2);
// CHECK: kernel(3, bo_instructions, number_of_words, bo0, 0, 0, bo3).wait();
// CHECK: instructions = generate_txn_main_copy_1(arg1, arg2)
// HEADER: generate_txn_main_copy_1(int64_t arg1, int32_t /* arg2 */)
aie.device(npu1) {
  %shim = aie.tile(0, 0)
  %mem = aie.tile(0, 1)
  aie.objectfifo @in(%shim, {%mem}, 2 : i32) : !aie.objectfifo<memref<64xi32>>
  aie.objectfifo @out(%mem, {%shim}, 2 : i32) : !aie.objectfifo<memref<64xi32>>
  aie.objectfifo.link [@in] -> [@out] ([] [])
  aie.runtime_sequence @"copy.1"(%a: memref<4096xi32>, %n: i64, %unused: i32, %b: memref<4096xi32>) {
    aiex.npu.dma_memcpy_nd(%a[0, 0, 0, 0][1, 1, 1, %n][0, 0, 0, 1]) {id = 0 : i64, metadata = @in} : memref<4096xi32>
    aiex.npu.dma_memcpy_nd(%b[0, 0, 0, 0][1, 1, 1, %n][0, 0, 0, 1]) {id = 1 : i64, metadata = @out, issue_token = true} : memref<4096xi32>
    aiex.npu.dma_wait {symbol = @out}
  }
}
