// RUN: aiec build %s -o %t | FileCheck %s
// The host gives the parameters of a run before it starts it.

// CHECK: // C++ (XRT)
// CHECK: xrt::run run(kernel);
// CHECK: // words of start, in the places of --emit=scratchpad-parameters
// CHECK-NEXT: auto scratchpad = run.get_ctrl_scratchpad_bo();
// CHECK-NEXT: scratchpad.write(words); scratchpad.sync(XCL_BO_SYNC_BO_TO_DEVICE);
// CHECK-NEXT: run.start(); run.wait2();
// CHECK: # Python (pyxrt)
// CHECK: # words of start, in the places of --emit=scratchpad-parameters
// CHECK-NEXT: scratchpad = run.get_ctrl_scratchpad_bo()
// CHECK-NEXT: scratchpad.write(words, 0); scratchpad.sync(pyxrt.xclBOSyncDirection.XCL_BO_SYNC_BO_TO_DEVICE)
// CHECK-NEXT: run.start(); run.wait2()

aiex.scratchpad_parameter @start : i32
aie.device(npu2) {
  %shim = aie.tile(0, 0)
  %mem = aie.tile(0, 1)
  aie.objectfifo @in(%shim, {%mem}, 2 : i32) : !aie.objectfifo<memref<8xi32>>
  aie.objectfifo @out(%mem, {%shim}, 2 : i32) : !aie.objectfifo<memref<8xi32>>
  aie.objectfifo.link [@in] -> [@out]([] [])
  aie.runtime_sequence(%in: memref<256xi32>, %out: memref<8xi32>) {
    aiex.npu.dma_memcpy_nd(%in[0, 0, 0, 0][1, 1, 1, 8][0, 0, 0, 1]) {metadata = @in, id = 0 : i64, offset_parameter = @start} : memref<256xi32>
    aiex.npu.dma_memcpy_nd(%out[0, 0, 0, 0][1, 1, 1, 8][0, 0, 0, 1]) {metadata = @out, id = 1 : i64, issue_token = true} : memref<8xi32>
    aiex.npu.dma_wait {symbol = @out}
  }
}
