// Arguments have types: `.npy` files are checked and written with them, and outputs are compared by
// value.
// RUN: aiec %s -o %t.elf
// RUN: aiec sim %t.elf --out 1=%t.npy --out 2=%t.wide.npy 2>&1 | FileCheck %s --check-prefix=MISSING
// RUN: FileCheck %s --check-prefix=NPY --input-file=%t.npy
// RUN: FileCheck %s --check-prefix=WIDE --input-file=%t.wide.npy
// RUN: aiec sim %t.elf --arg 0=%t.npy --expect 1=%t.npy
// RUN: echo 0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcde > %t.in
// RUN: not aiec sim %t.elf --arg 0=%t.in --expect 1=%t.npy 2>&1 | FileCheck %s --check-prefix=DIFFERS
// RUN: aiec sim %t.elf --arg 0=%t.in --expect 1=%t.npy --atol 1e9
// RUN: aiec sim %t.elf --arg 0=%t.in --expect 1=%t.in
// RUN: not aiec sim %t.elf --arg 0=%t.wide.npy 2>&1 | FileCheck %s --check-prefix=TYPE
// RUN: cat %t.in %t.in > %t.large
// RUN: aiec sim %t.elf --arg 0=%t.large --out 1=%t.out 2>&1 | FileCheck %s --check-prefix=LARGER
// RUN: cmp %t.in %t.out
// RUN: not aiec sim %t.elf --arg 0=%t.in --expect 7=%t.in 2>&1 | FileCheck %s --check-prefix=INDEX
// RUN: not aiec sim %t.elf --arg 0=%t.in --expect 1=%t.in --rtol -1 2>&1 | FileCheck %s --check-prefix=TOLERANCE

// MISSING: driver::argument-not-given
// MISSING: the run read argument 0 'in', which was not given: zeros
// MISSING-NOT: argument 1
// MISSING-NOT: argument 2

// NPY: {'descr': '<f2', 'fortran_order': False, 'shape': (4, 8), }
// WIDE: {'descr': '<f4', 'fortran_order': False, 'shape': (16,), }

// DIFFERS: completed after
// DIFFERS: driver::output-differs
// DIFFERS: argument 1 'result': 32 of 32 elements are not as expected
// DIFFERS: note: [0, 0] is 0.162109375, expected 0.0
// DIFFERS: note: [0, 7] is {{.*}}, expected 0.0
// DIFFERS: note: 24 more

// TYPE: driver::argument-file
// TYPE: arguments.mlir.tmp.wide.npy holds elements of type '<f4', and argument 0 is 4x8xf16
// TYPE: help: convert it to '<f2'

// LARGER: driver::argument-larger
// LARGER: has 128 bytes, more than the 64 of argument 0

// INDEX: the runtime sequence has no argument 7
// INDEX: help: its arguments are 0 'in' of 64 bytes (4x8xf16), 1 'result'
// TOLERANCE: it isn't a finite number from 0 on

module {
  aie.device(xcve3858) {
    %shim = aie.tile(0, 0)
    %mem = aie.tile(0, 1)
    aie.objectfifo @of_in(%shim, {%mem}, 2 : i32) : !aie.objectfifo<memref<8xf16>>
    aie.objectfifo @of_out(%mem, {%shim}, 2 : i32) : !aie.objectfifo<memref<8xf16>>
    aie.objectfifo.link [@of_in] -> [@of_out] ([] [])
    aie.runtime_sequence(%in: memref<4x8xf16>, %result: memref<4x8xf16>, %unused: memref<16xf32>) {
      aiex.npu.dma_memcpy_nd(%in[0, 0, 0, 0][1, 1, 4, 8][0, 0, 8, 1]) {id = 0 : i64, metadata = @of_in} : memref<4x8xf16>
      aiex.npu.dma_memcpy_nd(%result[0, 0, 0, 0][1, 1, 4, 8][0, 0, 8, 1]) {id = 1 : i64, metadata = @of_out, issue_token = true} : memref<4x8xf16>
      aiex.npu.dma_wait {symbol = @of_out}
    }
  }
}
