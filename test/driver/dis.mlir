// RUN: aiec %s -o %t.elf 2>/dev/null && aiec dis %t.elf --annotate | FileCheck %s
// RUN: aiec dis %t.elf -o %t.asm && aiec asm %t.asm -o %t.again && cmp %t.elf %t.again
// RUN: aiec dis %t.elf --json --annotate | FileCheck %s --check-prefix=JSON
// RUN: aiec dis %t.elf | FileCheck %s --check-prefix=PLAIN
// RUN: not aiec dis %s 2>&1 | FileCheck %s --check-prefix=ELF
// RUN: not aiec dis 2>&1 | FileCheck %s --check-prefix=NONE

// CHECK: ; aiec asm FILE.asm -o FILE.elf
// CHECK-NEXT: .target aie2ps
// CHECK: .attach_to_group 0
// CHECK: ; {{.*}}dis.mlir:{{[0-9]+}}:5
// CHECK-NEXT: START_JOB 1
// CHECK: EOF
// CHECK: UC_DMA_BD 0x0, 0x001a0000, @[[BDS:words_0_[0-9a-f]+]], 32, 0, 1 ; 32 words to tile (0,1) DMA BD 0 word 0
// CHECK: {{^}}[[BDS]]:
// CHECK-NEXT: .long 0x00000040 ; tile (0,1) DMA BD 0 word 0: buffer_length=64
// CHECK-NEXT: .long 0x001a0000 ; tile (0,1) DMA BD 0 word 1: next_bd=1 use_next_bd=1 base_address=131072
// CHECK: .long 0x8141ff40 ; tile (0,1) DMA BD 0 word 7: valid_bd=1 lock_rel_value=1 lock_rel_id=65 lock_acq_enable=1 lock_acq_value=-1 lock_acq_id=64
// CHECK: .eop
// CHECK-NEXT: ; page 1
// CHECK: START_JOB 2
// CHECK-NEXT: APPLY_OFFSET_57 @words_1_70, 1, 0
// CHECK: WAIT_TCTS TILE_0_0, SHIM_S2MM_0, 1
// CHECK: UC_DMA_BD 0x0, 0x00009300, @[[PUSH:words_1_[0-9a-f]+]], 2, 0, 0 ; 2 words to tile (0,0) DMA S2MM 0 control
// CHECK: {{^}}[[PUSH]]:
// CHECK: .long 0x80000001 ; tile (0,0) DMA S2MM 0 task queue: enable_token_issue=1 start_bd_id=1
// CHECK: ;@.aiec.debug aiec-debug 1

// PLAIN-NOT: task queue

// JSON: "form": 1
// JSON: "target": "aie2ps"
// JSON: "mnemonic": "WRITE_32"
// JSON: "remark": "tile (0,1) DMA

// ELF: dis::not-control-code
// ELF: it isn't an ELF file
// NONE: required arguments were not provided

module {
  aie.device(xcve3858) {
    %shim = aie.tile(0, 0)
    %mem = aie.tile(0, 1)
    aie.objectfifo @in(%shim, {%mem}, 2 : i32) : !aie.objectfifo<memref<64xi32>>
    aie.objectfifo @out(%mem, {%shim}, 2 : i32) : !aie.objectfifo<memref<64xi32>>
    aie.objectfifo.link [@in] -> [@out] ([] [])
    aie.runtime_sequence(%a: memref<64xi32>, %b: memref<64xi32>) {
      aiex.npu.dma_memcpy_nd(%a[0, 0, 0, 0][1, 1, 1, 64][0, 0, 0, 1]) {id = 0 : i64, metadata = @in} : memref<64xi32>
      aiex.npu.dma_memcpy_nd(%b[0, 0, 0, 0][1, 1, 1, 64][0, 0, 0, 1]) {id = 1 : i64, metadata = @out, issue_token = true} : memref<64xi32>
      aiex.npu.dma_wait {symbol = @out}
    }
  }
}
