// RUN: not aiec translate --aie-npu-to-cpp --diagnostics=text %s 2>&1 | FileCheck %s

// All that has no form in a function is said at once.
aie.device(npu2) {
  %shim = aie.tile(0, 0)
  %t = aie.tile(0, 2)
  aie.shim_dma_allocation @in(%shim, MM2S, 0)
  %b = aie.buffer(%t) {sym_name = "b", address = 1024 : i32} : memref<4xi32>
  aie.runtime_sequence @s(%n: i32, %f: f32, %a: memref<64xi32>) {
    %address = arith.constant 0x200010 : i32
    // CHECK: `aiex.npu.dma_wait` isn't a register write
    // CHECK: lower tasks and transfers first
    aiex.npu.dma_wait {symbol = @in}
    // CHECK: the host can't compute `arith.fptosi`
    %whole = arith.fptosi %f : f32 to i32
    // CHECK: the host can't compute `memref.load`
    %c0 = arith.constant 0 : index
    %word = memref.load %b[%c0] : memref<4xi32>
    // CHECK: tile (9, 0) has no buffer descriptors
    %bd = aiex.dma_bd_pool_pop(9, 0) : i32
    // CHECK: the host can't compute `scf.while`
    %end = scf.while (%x = %n) : (i32) -> i32 {
      %yes = arith.constant true
      scf.condition(%yes) %x : i32
    } do {
    ^bb0(%y: i32):
      scf.yield %y : i32
    }
  }
}
