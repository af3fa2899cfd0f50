// C = A * B for 32-bit integers, A of 64 x 16 and B of 16 x 16. A mem tile gives each of four cores
// 8 rows of a block of 32; every core has all of B.
// Devices: npu1, npu2, xcve2302, xcve2802, xcve3858

module {
  aie.device(npu1) {
    %shim = aie.tile(2, 0)
    %mem = aie.tile(2, 1)
    %w0 = aie.tile(0, 3)
    %w1 = aie.tile(1, 3)
    %w2 = aie.tile(2, 3)
    %w3 = aie.tile(3, 3)

    // A in blocks of 32 rows, 8 for each core
    aie.objectfifo @a(%shim, {%mem}, 2 : i32) : !aie.objectfifo<memref<32x16xi32>>
    aie.objectfifo @a0(%mem, {%w0}, 2 : i32) : !aie.objectfifo<memref<8x16xi32>>
    aie.objectfifo @a1(%mem, {%w1}, 2 : i32) : !aie.objectfifo<memref<8x16xi32>>
    aie.objectfifo @a2(%mem, {%w2}, 2 : i32) : !aie.objectfifo<memref<8x16xi32>>
    aie.objectfifo @a3(%mem, {%w3}, 2 : i32) : !aie.objectfifo<memref<8x16xi32>>
    aie.objectfifo.link [@a] -> [@a0, @a1, @a2, @a3] ([] [0, 128, 256, 384])

    // all of B to every core
    aie.objectfifo @b(%shim, {%w0, %w1, %w2, %w3}, 1 : i32) : !aie.objectfifo<memref<16x16xi32>>

    // C as A
    aie.objectfifo @c0(%w0, {%mem}, 2 : i32) : !aie.objectfifo<memref<8x16xi32>>
    aie.objectfifo @c1(%w1, {%mem}, 2 : i32) : !aie.objectfifo<memref<8x16xi32>>
    aie.objectfifo @c2(%w2, {%mem}, 2 : i32) : !aie.objectfifo<memref<8x16xi32>>
    aie.objectfifo @c3(%w3, {%mem}, 2 : i32) : !aie.objectfifo<memref<8x16xi32>>
    aie.objectfifo @c(%mem, {%shim}, 2 : i32) : !aie.objectfifo<memref<32x16xi32>>
    aie.objectfifo.link [@c0, @c1, @c2, @c3] -> [@c] ([0, 128, 256, 384] [])

    %core0 = aie.core(%w0) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %blocks = arith.constant 2 : index
      %rows = arith.constant 8 : index
      %n = arith.constant 16 : index
      %forever = arith.constant 9223372036854775807 : index
      %zero = arith.constant 0 : i32
      scf.for %round = %c0 to %forever step %c1 {
        %b_s = aie.objectfifo.acquire @b(Consume, 1) : !aie.objectfifosubview<memref<16x16xi32>>
        %b = aie.objectfifo.subview.access %b_s[0] : !aie.objectfifosubview<memref<16x16xi32>> -> memref<16x16xi32>
        scf.for %block = %c0 to %blocks step %c1 {
          %a_s = aie.objectfifo.acquire @a0(Consume, 1) : !aie.objectfifosubview<memref<8x16xi32>>
          %a = aie.objectfifo.subview.access %a_s[0] : !aie.objectfifosubview<memref<8x16xi32>> -> memref<8x16xi32>
          %c_s = aie.objectfifo.acquire @c0(Produce, 1) : !aie.objectfifosubview<memref<8x16xi32>>
          %c = aie.objectfifo.subview.access %c_s[0] : !aie.objectfifosubview<memref<8x16xi32>> -> memref<8x16xi32>
          scf.for %i = %c0 to %rows step %c1 {
            scf.for %j = %c0 to %n step %c1 {
              %dot = scf.for %l = %c0 to %n step %c1 iter_args(%sum = %zero) -> (i32) {
                %x = memref.load %a[%i, %l] : memref<8x16xi32>
                %y = memref.load %b[%l, %j] : memref<16x16xi32>
                %product = arith.muli %x, %y : i32
                %next = arith.addi %sum, %product : i32
                scf.yield %next : i32
              }
              memref.store %dot, %c[%i, %j] : memref<8x16xi32>
            }
          }
          aie.objectfifo.release @a0(Consume, 1)
          aie.objectfifo.release @c0(Produce, 1)
        }
        aie.objectfifo.release @b(Consume, 1)
      }
      aie.end
    }

    %core1 = aie.core(%w1) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %blocks = arith.constant 2 : index
      %rows = arith.constant 8 : index
      %n = arith.constant 16 : index
      %forever = arith.constant 9223372036854775807 : index
      %zero = arith.constant 0 : i32
      scf.for %round = %c0 to %forever step %c1 {
        %b_s = aie.objectfifo.acquire @b(Consume, 1) : !aie.objectfifosubview<memref<16x16xi32>>
        %b = aie.objectfifo.subview.access %b_s[0] : !aie.objectfifosubview<memref<16x16xi32>> -> memref<16x16xi32>
        scf.for %block = %c0 to %blocks step %c1 {
          %a_s = aie.objectfifo.acquire @a1(Consume, 1) : !aie.objectfifosubview<memref<8x16xi32>>
          %a = aie.objectfifo.subview.access %a_s[0] : !aie.objectfifosubview<memref<8x16xi32>> -> memref<8x16xi32>
          %c_s = aie.objectfifo.acquire @c1(Produce, 1) : !aie.objectfifosubview<memref<8x16xi32>>
          %c = aie.objectfifo.subview.access %c_s[0] : !aie.objectfifosubview<memref<8x16xi32>> -> memref<8x16xi32>
          scf.for %i = %c0 to %rows step %c1 {
            scf.for %j = %c0 to %n step %c1 {
              %dot = scf.for %l = %c0 to %n step %c1 iter_args(%sum = %zero) -> (i32) {
                %x = memref.load %a[%i, %l] : memref<8x16xi32>
                %y = memref.load %b[%l, %j] : memref<16x16xi32>
                %product = arith.muli %x, %y : i32
                %next = arith.addi %sum, %product : i32
                scf.yield %next : i32
              }
              memref.store %dot, %c[%i, %j] : memref<8x16xi32>
            }
          }
          aie.objectfifo.release @a1(Consume, 1)
          aie.objectfifo.release @c1(Produce, 1)
        }
        aie.objectfifo.release @b(Consume, 1)
      }
      aie.end
    }

    %core2 = aie.core(%w2) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %blocks = arith.constant 2 : index
      %rows = arith.constant 8 : index
      %n = arith.constant 16 : index
      %forever = arith.constant 9223372036854775807 : index
      %zero = arith.constant 0 : i32
      scf.for %round = %c0 to %forever step %c1 {
        %b_s = aie.objectfifo.acquire @b(Consume, 1) : !aie.objectfifosubview<memref<16x16xi32>>
        %b = aie.objectfifo.subview.access %b_s[0] : !aie.objectfifosubview<memref<16x16xi32>> -> memref<16x16xi32>
        scf.for %block = %c0 to %blocks step %c1 {
          %a_s = aie.objectfifo.acquire @a2(Consume, 1) : !aie.objectfifosubview<memref<8x16xi32>>
          %a = aie.objectfifo.subview.access %a_s[0] : !aie.objectfifosubview<memref<8x16xi32>> -> memref<8x16xi32>
          %c_s = aie.objectfifo.acquire @c2(Produce, 1) : !aie.objectfifosubview<memref<8x16xi32>>
          %c = aie.objectfifo.subview.access %c_s[0] : !aie.objectfifosubview<memref<8x16xi32>> -> memref<8x16xi32>
          scf.for %i = %c0 to %rows step %c1 {
            scf.for %j = %c0 to %n step %c1 {
              %dot = scf.for %l = %c0 to %n step %c1 iter_args(%sum = %zero) -> (i32) {
                %x = memref.load %a[%i, %l] : memref<8x16xi32>
                %y = memref.load %b[%l, %j] : memref<16x16xi32>
                %product = arith.muli %x, %y : i32
                %next = arith.addi %sum, %product : i32
                scf.yield %next : i32
              }
              memref.store %dot, %c[%i, %j] : memref<8x16xi32>
            }
          }
          aie.objectfifo.release @a2(Consume, 1)
          aie.objectfifo.release @c2(Produce, 1)
        }
        aie.objectfifo.release @b(Consume, 1)
      }
      aie.end
    }

    %core3 = aie.core(%w3) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %blocks = arith.constant 2 : index
      %rows = arith.constant 8 : index
      %n = arith.constant 16 : index
      %forever = arith.constant 9223372036854775807 : index
      %zero = arith.constant 0 : i32
      scf.for %round = %c0 to %forever step %c1 {
        %b_s = aie.objectfifo.acquire @b(Consume, 1) : !aie.objectfifosubview<memref<16x16xi32>>
        %b = aie.objectfifo.subview.access %b_s[0] : !aie.objectfifosubview<memref<16x16xi32>> -> memref<16x16xi32>
        scf.for %block = %c0 to %blocks step %c1 {
          %a_s = aie.objectfifo.acquire @a3(Consume, 1) : !aie.objectfifosubview<memref<8x16xi32>>
          %a = aie.objectfifo.subview.access %a_s[0] : !aie.objectfifosubview<memref<8x16xi32>> -> memref<8x16xi32>
          %c_s = aie.objectfifo.acquire @c3(Produce, 1) : !aie.objectfifosubview<memref<8x16xi32>>
          %c = aie.objectfifo.subview.access %c_s[0] : !aie.objectfifosubview<memref<8x16xi32>> -> memref<8x16xi32>
          scf.for %i = %c0 to %rows step %c1 {
            scf.for %j = %c0 to %n step %c1 {
              %dot = scf.for %l = %c0 to %n step %c1 iter_args(%sum = %zero) -> (i32) {
                %x = memref.load %a[%i, %l] : memref<8x16xi32>
                %y = memref.load %b[%l, %j] : memref<16x16xi32>
                %product = arith.muli %x, %y : i32
                %next = arith.addi %sum, %product : i32
                scf.yield %next : i32
              }
              memref.store %dot, %c[%i, %j] : memref<8x16xi32>
            }
          }
          aie.objectfifo.release @a3(Consume, 1)
          aie.objectfifo.release @c3(Produce, 1)
        }
        aie.objectfifo.release @b(Consume, 1)
      }
      aie.end
    }

    aie.runtime_sequence(%a: memref<64x16xi32>, %b: memref<16x16xi32>, %c: memref<64x16xi32>) {
      aiex.npu.dma_memcpy_nd(%a[0, 0, 0, 0][1, 1, 64, 16][0, 0, 16, 1]) {id = 0 : i64, metadata = @a} : memref<64x16xi32>
      aiex.npu.dma_memcpy_nd(%b[0, 0, 0, 0][1, 1, 16, 16][0, 0, 16, 1]) {id = 1 : i64, metadata = @b} : memref<16x16xi32>
      aiex.npu.dma_memcpy_nd(%c[0, 0, 0, 0][1, 1, 64, 16][0, 0, 16, 1]) {id = 2 : i64, metadata = @c, issue_token = true} : memref<64x16xi32>
      aiex.npu.dma_wait {symbol = @c}
    }
  }
}
