// RUN: aiec %s --emit=insts -o %t.bin
// RUN: aiec dis %t.bin | FileCheck %s
// RUN: aiec sim %s --as=npu-elf --report %t.json && FileCheck %s --check-prefix=READ < %t.json
// RUN: not aiec sim %s 2>&1 | FileCheck %s --check-prefix=CERT
// RUN: not aiec opt --aie-dma-to-npu --aie-npu-to-cert %s 2>&1 | FileCheck %s --check-prefix=NPU-TO-CERT

// A word that the sequence polls, and that it reads for the host when the run is over.
// CHECK:      XAIE_IO_WRITE{{ +}}@0x200404, 0x2c
// CHECK-NEXT: XAIE_IO_MASKPOLL{{ +}}@0x200404, 0xc()==0xc
// CHECK-NEXT: XAIE_IO_CUSTOM_OP_READ_REGS{{ +}}@0x200404
// READ:      "records": [
// READ:        "kind": "register"
// READ-NEXT:   "id": 2098180
// READ-NEXT:   "value": 44
// CERT:        control code returns no words of registers to the host
// CERT:        --as=npu-elf
// NPU-TO-CERT: control code returns no words of registers to the host
aie.device(npu2) @main {
  %core = aie.tile(0, 2)
  %p = aie.buffer(%core) {sym_name = "p", address = 1024 : i32} : memref<4xi32>
  aie.runtime_sequence @sequence() {
    %one = arith.constant 1 : i32
    %value = arith.constant 44 : i32
    %bits = arith.constant 12 : i32
    aiex.npu.write32(%one, %value) {buffer = @p} : i32, i32
    aiex.npu.maskpoll(%one, %bits, %bits) {buffer = @p} : i32, i32, i32
    aiex.npu.read_reg(%core, 0x404)
  }
}
