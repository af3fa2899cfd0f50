// RUN: aiec %s -o %t.elf
// RUN: echo 0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcde > %t.in
// RUN: aiec sim %t.elf --arg 0=%t.in --out 1=%t.out --report=%t.json 2>&1 | FileCheck %s --check-prefix=DONE
// RUN: cmp %t.in %t.out
// RUN: FileCheck %s --check-prefix=REPORT --input-file=%t.json
// RUN: aiec sim %s --arg 0=%t.in --out 1=- --timing=off | cmp - %t.in
// RUN: aiec %s --emit=memory-map --simulate --arg 0=%t.in --out 1=%t.out2 -o %t.map && cmp %t.in %t.out2
// RUN: aiec sim %t.elf --arg 0=%t.in --out 1=%t.npy && aiec sim %t.elf --arg 0=%t.npy --out 1=%t.out3 && cmp %t.in %t.out3
// RUN: not aiec sim %t.elf --arg 0=%t.in --out 1=%t.out4 --max-cycles 100 2>&1 | FileCheck %s --check-prefix=LIMIT
// RUN: not test -e %t.out4
// RUN: not aiec sim %t.elf --arg 0=%t.in --arg-size 1=12 2>&1 | FileCheck %s --check-prefix=SIZE
// More than the declared type has is allowed: transfers of others go beyond it.
// RUN: aiec sim %t.elf --arg 0=%t.in --arg-size 1=128

// DONE: completed after [[#CYCLES:]] cycles ([[#]] to configure, [[#]] to run)

// REPORT: "status": "completed",
// REPORT-NEXT: "cycles": [[#]],
// REPORT-NEXT: "config_cycles": [[#]],
// REPORT-NEXT: "run_cycles": [[#]],

// LIMIT: sim::limit
// LIMIT: help: allow more with --max-cycles

// SIZE: driver::argument-size
// SIZE: --arg-size 1=12 contradicts the ELF: argument 1 has 64 bytes

module {
  aie.device(xcve3858) {
    %shim = aie.tile(0, 0)
    %mem = aie.tile(0, 1)
    aie.objectfifo @in(%shim, {%mem}, 2 : i32) : !aie.objectfifo<memref<16xi8>>
    aie.objectfifo @out(%mem, {%shim}, 2 : i32) : !aie.objectfifo<memref<16xi8>>
    aie.objectfifo.link [@in] -> [@out] ([] [])
    aie.runtime_sequence(%a: memref<64xi8>, %b: memref<64xi8>) {
      aiex.npu.dma_memcpy_nd(%a[0, 0, 0, 0][1, 1, 1, 64][0, 0, 0, 1]) {id = 0 : i64, metadata = @in} : memref<64xi8>
      aiex.npu.dma_memcpy_nd(%b[0, 0, 0, 0][1, 1, 1, 64][0, 0, 0, 1]) {id = 1 : i64, metadata = @out, issue_token = true} : memref<64xi8>
      aiex.npu.dma_wait {symbol = @out}
    }
  }
}
