// Bytes, half words and bf16 in one core: y[i] = x[i] + 1 on i8, z[i] = x[i] * x[i] on i16, and
// the bf16 input halved.
// Devices: npu1, npu2, xcve3858

module {
  aie.device(npu2) {
    %shim = aie.tile(0, 0)
    %worker = aie.tile(0, 3)
    aie.objectfifo @x(%shim, {%worker}, 2 : i32) : !aie.objectfifo<memref<32xi8>>
    aie.objectfifo @f(%shim, {%worker}, 2 : i32) : !aie.objectfifo<memref<16xbf16>>
    aie.objectfifo @y(%worker, {%shim}, 2 : i32) : !aie.objectfifo<memref<32xi8>>
    aie.objectfifo @z(%worker, {%shim}, 2 : i32) : !aie.objectfifo<memref<32xi16>>
    %core = aie.core(%worker) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c32 = arith.constant 32 : index
      %one = arith.constant 1 : i8
      %half = arith.constant 0.5 : bf16
      %sx = aie.objectfifo.acquire @x(Consume, 1) : !aie.objectfifosubview<memref<32xi8>>
      %x = aie.objectfifo.subview.access %sx[0] : !aie.objectfifosubview<memref<32xi8>> -> memref<32xi8>
      %sf = aie.objectfifo.acquire @f(Consume, 1) : !aie.objectfifosubview<memref<16xbf16>>
      %f = aie.objectfifo.subview.access %sf[0] : !aie.objectfifosubview<memref<16xbf16>> -> memref<16xbf16>
      %sy = aie.objectfifo.acquire @y(Produce, 1) : !aie.objectfifosubview<memref<32xi8>>
      %y = aie.objectfifo.subview.access %sy[0] : !aie.objectfifosubview<memref<32xi8>> -> memref<32xi8>
      %sz = aie.objectfifo.acquire @z(Produce, 1) : !aie.objectfifosubview<memref<32xi16>>
      %z = aie.objectfifo.subview.access %sz[0] : !aie.objectfifosubview<memref<32xi16>> -> memref<32xi16>
      scf.for %i = %c0 to %c32 step %c1 {
        %v = memref.load %x[%i] : memref<32xi8>
        %w = arith.addi %v, %one : i8
        memref.store %w, %y[%i] : memref<32xi8>
        %wide = arith.extsi %v : i8 to i16
        %square = arith.muli %wide, %wide : i16
        %c16 = arith.constant 16 : index
        %small = arith.cmpi ult, %i, %c16 : index
        %sum = scf.if %small -> (i16) {
          %g = memref.load %f[%i] : memref<16xbf16>
          %h = arith.mulf %g, %half : bf16
          %n = arith.fptosi %h : bf16 to i16
          %t = arith.addi %square, %n : i16
          scf.yield %t : i16
        } else {
          scf.yield %square : i16
        }
        memref.store %sum, %z[%i] : memref<32xi16>
      }
      aie.objectfifo.release @x(Consume, 1)
      aie.objectfifo.release @f(Consume, 1)
      aie.objectfifo.release @y(Produce, 1)
      aie.objectfifo.release @z(Produce, 1)
      aie.end
    }
    aie.runtime_sequence(%x: memref<32xi8>, %f: memref<16xbf16>, %y: memref<32xi8>, %z: memref<32xi16>) {
      aiex.npu.dma_memcpy_nd(%x[0, 0, 0, 0][1, 1, 1, 32][0, 0, 0, 1]) {id = 0 : i64, metadata = @x} : memref<32xi8>
      aiex.npu.dma_memcpy_nd(%f[0, 0, 0, 0][1, 1, 1, 16][0, 0, 0, 1]) {id = 1 : i64, metadata = @f} : memref<16xbf16>
      aiex.npu.dma_memcpy_nd(%y[0, 0, 0, 0][1, 1, 1, 32][0, 0, 0, 1]) {id = 2 : i64, metadata = @y, issue_token = true} : memref<32xi8>
      aiex.npu.dma_memcpy_nd(%z[0, 0, 0, 0][1, 1, 1, 32][0, 0, 0, 1]) {id = 3 : i64, metadata = @z, issue_token = true} : memref<32xi16>
      aiex.npu.dma_wait {symbol = @y}
      aiex.npu.dma_wait {symbol = @z}
    }
  }
}
