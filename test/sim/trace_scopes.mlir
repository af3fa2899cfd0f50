// Traces have the calls and loops of cores, inside each other, with their lines; a loop is one span with
// its rounds, and of many short ones without a wait between them the first few are shown.

// RUN: aiec sim %s --trace %t.txt
// RUN: FileCheck %s --input-file=%t.txt
// RUN: FileCheck %s --check-prefix=COUNT --input-file=%t.txt
// RUN: aiec sim %s --trace %t.json
// RUN: FileCheck %s --check-prefix=JSON --input-file=%t.json
// RUN: aiec sim %s --trace %t.html
// RUN: FileCheck %s --check-prefix=PAGE --input-file=%t.html
// RUN: aiec sim %s --trace %t.vcd
// RUN: FileCheck %s --check-prefix=WAVES --input-file=%t.vcd

// CHECK: event=CORE_LOOP_BEGIN,col=0,row=2,source={{.*}}trace_scopes.mlir:[[#@LINE+35]]
// CHECK: event=CORE_CALL_BEGIN,col=0,row=2,function=sum,source={{.*}}trace_scopes.mlir:
// CHECK: event=CORE_LOOP_BEGIN,col=0,row=2,source={{.*}}trace_scopes.mlir:[[#@LINE+22]]
// CHECK: event=CORE_LOOP_END,col=0,row=2,source={{.*}}trace_scopes.mlir:[[#@LINE+21]]:{{[0-9]+}},rounds=8
// CHECK: event=CORE_CALL_END,col=0,row=2,function=sum,source={{.*}}trace_scopes.mlir:
// CHECK: event=CORE_LOOP_END,col=0,row=2,source={{.*}}trace_scopes.mlir:[[#@LINE+30]]:{{[0-9]+}},rounds=40

// COUNT-COUNT-16: event=CORE_CALL_END
// COUNT-NOT: event=CORE_CALL_END

// JSON: calls and loops
// JSON: loop at {{.*}}trace_scopes.mlir:[[#@LINE+24]]:{{[0-9]+}}, 40 rounds; 24 calls and loops inside are left out
// PAGE: calls and loops
// WAVES-NOT: calls_and_loops

aie.device(npu1) {
  %shim = aie.tile(0, 0)
  %tile = aie.tile(0, 2)
  aie.objectfifo @out(%tile, {%shim}, 1 : i32) : !aie.objectfifo<memref<8xi32>>
  %data = aie.buffer(%tile) {sym_name = "data"} : memref<8xi32> = dense<1>
  func.func @sum(%a: memref<8xi32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    scf.for %i = %c0 to %c8 step %c1 {
      %x = memref.load %a[%i] : memref<8xi32>
      %y = arith.addi %x, %x : i32
      memref.store %y, %a[%i] : memref<8xi32>
    }
    return
  }
  %core = aie.core(%tile) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c40 = arith.constant 40 : index
    scf.for %i = %c0 to %c40 step %c1 {
      func.call @sum(%data) : (memref<8xi32>) -> ()
    }
    %view = aie.objectfifo.acquire @out(Produce, 1) : !aie.objectfifosubview<memref<8xi32>>
    aie.objectfifo.release @out(Produce, 1)
    aie.end
  }
  // The run goes on until the core has summed.
  aie.runtime_sequence(%b: memref<8xi32>) {
    aiex.npu.dma_memcpy_nd(%b[0, 0, 0, 0][1, 1, 1, 8][0, 0, 0, 1]) {id = 0 : i64, metadata = @out, issue_token = true} : memref<8xi32>
    aiex.npu.dma_wait {symbol = @out}
  }
}
