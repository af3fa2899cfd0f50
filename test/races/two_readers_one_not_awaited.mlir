// Two cores read what a third writes
// RACES: none
module {
  aie.device(npu1) {
    %p = aie.tile(0, 4)
    %c = aie.tile(0, 3)
    %q = aie.tile(0, 2)
    %shim = aie.tile(0, 0)
    aie.objectfifo @over(%c, {%shim}, 1 : i32) : !aie.objectfifo<memref<16xi32>>
    %x = aie.buffer(%c) {sym_name = "x"} : memref<16xi32>
    %y = aie.buffer(%c) {sym_name = "y"} : memref<16xi32>
    %sink = aie.buffer(%c) {sym_name = "sink"} : memref<16xi32>
    %free = aie.lock(%c, 8) {init = 2 : i32, sym_name = "free"}
    %full = aie.lock(%c, 9) {init = 0 : i32, sym_name = "full"}
    %free2 = aie.lock(%c, 10) {init = 1 : i32, sym_name = "free2"}
    %p_core = aie.core(%p) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c4 = arith.constant 4 : index
      %n = arith.constant 16 : index
      %k = arith.constant 5 : i32
      scf.for %round = %c0 to %c4 step %c1 {
        aie.use_lock(%free, AcquireGreaterEqual, 2)
        scf.for %i = %c0 to %n step %c1 {
          memref.store %k, %x[%i] : memref<16xi32>
        }
        aie.use_lock(%full, Release, 2)
      }
      aie.end
    }
    %q_core = aie.core(%q) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c4 = arith.constant 4 : index
      %n = arith.constant 16 : index
      %k = arith.constant 5 : i32
      scf.for %round = %c0 to %c4 step %c1 {
        aie.use_lock(%full, AcquireGreaterEqual, 1)
        scf.for %i = %c0 to %n step %c1 {
          %vi = memref.load %x[%i] : memref<16xi32>
          %w = arith.addi %vi, %k : i32
        }
        aie.use_lock(%free, Release, 1)
      }
      aie.end
    }
    %c_core = aie.core(%c) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c4 = arith.constant 4 : index
      %n = arith.constant 16 : index
      %k = arith.constant 5 : i32
      scf.for %round = %c0 to %c4 step %c1 {
        aie.use_lock(%full, AcquireGreaterEqual, 1)
        scf.for %i = %c0 to %n step %c1 {
          %vi = memref.load %x[%i] : memref<16xi32>
          memref.store %vi, %sink[%i] : memref<16xi32>
        }
        aie.use_lock(%free, Release, 1)
        %os = aie.objectfifo.acquire @over(Produce, 1) : !aie.objectfifosubview<memref<16xi32>>
        %o = aie.objectfifo.subview.access %os[0] : !aie.objectfifosubview<memref<16xi32>> -> memref<16xi32>
        scf.for %j = %c0 to %n step %c1 {
          memref.store %k, %o[%j] : memref<16xi32>
        }
        aie.objectfifo.release @over(Produce, 1)
      }
      aie.end
    }
    aie.runtime_sequence(%a: memref<64xi32>, %b: memref<64xi32>) {
      aiex.npu.dma_memcpy_nd(%b[0, 0, 0, 0][1, 1, 1, 64][0, 0, 0, 1]) {id = 1 : i64, metadata = @over, issue_token = true} : memref<64xi32>
      aiex.npu.dma_wait {symbol = @over}
    }
  }
}
