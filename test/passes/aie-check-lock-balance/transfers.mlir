// RUN: aiec opt --aie-objectFifo-stateful-transform --aie-check-lock-balance --split-input-file --verify-diagnostics %s
// Transfers of runtime sequences that don't fit the objects of their other end.

// 40 words of objects of 16.
module {
  aie.device(npu2) {
    %shim = aie.tile(0, 0)
    %work = aie.tile(0, 2)
    aie.objectfifo @in(%shim, {%work}, 2 : i32) : !aie.objectfifo<memref<16xi32>>
    %core = aie.core(%work) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %many = arith.constant 9223372036854775807 : index
      scf.for %i = %c0 to %many step %c1 {
        %view = aie.objectfifo.acquire @in(Consume, 1) : !aie.objectfifosubview<memref<16xi32>>
        aie.objectfifo.release @in(Consume, 1)
      }
      aie.end
    }
    aie.runtime_sequence(%a: memref<64xi32>) {
      // expected-warning@below {{the 40 words that the transfers move into @in end within an object: 2 objects and 8 of 16 words}}
      aiex.npu.dma_memcpy_nd(%a[0, 0, 0, 0][1, 1, 1, 40][0, 0, 0, 1]) {id = 0 : i64, metadata = @in} : memref<64xi32>
    }
  }
}

// -----

// An object in two transfers, one of them in a loop, is whole.
module {
  aie.device(npu2) {
    %shim = aie.tile(0, 0)
    %work = aie.tile(0, 2)
    aie.objectfifo @in(%shim, {%work}, 2 : i32) : !aie.objectfifo<memref<16xi32>>
    %core = aie.core(%work) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c4 = arith.constant 4 : index
      scf.for %i = %c0 to %c4 step %c1 {
        %view = aie.objectfifo.acquire @in(Consume, 1) : !aie.objectfifosubview<memref<16xi32>>
        aie.objectfifo.release @in(Consume, 1)
      }
      aie.end
    }
    aie.runtime_sequence(%a: memref<64xi32>) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c3 = arith.constant 3 : index
      scf.for %i = %c0 to %c3 step %c1 {
        aiex.npu.dma_memcpy_nd(%a[0, 0, 0, 0][1, 1, 1, 8][0, 0, 0, 1]) {id = 0 : i64, metadata = @in} : memref<64xi32>
      }
      %task = aiex.dma_configure_task_for @in {
        aie.dma_bd(%a : memref<64xi32>, 0, 20)
        aie.end
      } {repeat_count = 1 : i32}
      aiex.dma_start_task(%task)
    }
  }
}

// -----

// Three objects for a core that takes four, and 48 of the 64 words that it gives.
module {
  aie.device(npu2) {
    %shim = aie.tile(0, 0)
    %work = aie.tile(0, 2)
    aie.objectfifo @in(%shim, {%work}, 2 : i32) : !aie.objectfifo<memref<16xi32>>
    aie.objectfifo @out(%work, {%shim}, 2 : i32) : !aie.objectfifo<memref<16xi32>>
    %core = aie.core(%work) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c4 = arith.constant 4 : index
      scf.for %i = %c0 to %c4 step %c1 {
        %x = aie.objectfifo.acquire @in(Consume, 1) : !aie.objectfifosubview<memref<16xi32>>
        %y = aie.objectfifo.acquire @out(Produce, 1) : !aie.objectfifosubview<memref<16xi32>>
        aie.objectfifo.release @in(Consume, 1)
        aie.objectfifo.release @out(Produce, 1)
      }
      aie.end
    }
    aie.runtime_sequence(%a: memref<64xi32>, %b: memref<64xi32>) {
      // expected-warning@below {{core (0, 2) takes 4 objects of @in, and the 48 words that the transfers move are 3 objects}}
      aiex.npu.dma_memcpy_nd(%a[0, 0, 0, 0][1, 1, 1, 48][0, 0, 0, 1]) {id = 0 : i64, metadata = @in} : memref<64xi32>
      // expected-warning@below {{64 words come to @out, and its transfers take 48}}
      aiex.npu.dma_memcpy_nd(%b[0, 0, 0, 0][1, 1, 1, 48][0, 0, 0, 1]) {id = 1 : i64, metadata = @out, issue_token = true} : memref<64xi32>
    }
  }
}

// -----

// Through mem tiles: halves of objects of 32 words, each half sent on twice; the joined halves come back. The left core
// takes one window of two objects and then one object each pass, the right one three.
module {
  aie.device(npu2) {
    %shim = aie.tile(0, 0)
    %mem = aie.tile(0, 1)
    %left = aie.tile(0, 2)
    %right = aie.tile(0, 3)
    aie.objectfifo @in(%shim, {%mem}, 2 : i32) : !aie.objectfifo<memref<32xi32>>
    aie.objectfifo @in_left(%mem, {%left}, 3 : i32) {repeat_count = 2 : i32} : !aie.objectfifo<memref<16xi32>>
    aie.objectfifo @in_right(%mem, {%right}, 2 : i32) {repeat_count = 2 : i32} : !aie.objectfifo<memref<16xi32>>
    aie.objectfifo.link [@in] -> [@in_left, @in_right] ([] [0, 16])
    aie.objectfifo @out_left(%left, {%mem}, 2 : i32) : !aie.objectfifo<memref<16xi32>>
    aie.objectfifo @out_right(%right, {%mem}, 2 : i32) : !aie.objectfifo<memref<16xi32>>
    aie.objectfifo @out(%mem, {%shim}, 2 : i32) : !aie.objectfifo<memref<32xi32>>
    aie.objectfifo.link [@out_left, @out_right] -> [@out] ([0, 16] [])
    %core_left = aie.core(%left) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c3 = arith.constant 3 : index
      scf.for %i = %c0 to %c3 step %c1 {
        %x = aie.objectfifo.acquire @in_left(Consume, 2) : !aie.objectfifosubview<memref<16xi32>>
        %y = aie.objectfifo.acquire @out_left(Produce, 1) : !aie.objectfifosubview<memref<16xi32>>
        aie.objectfifo.release @in_left(Consume, 1)
        aie.objectfifo.release @out_left(Produce, 1)
      }
      aie.end
    }
    %core_right = aie.core(%right) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c3 = arith.constant 3 : index
      scf.for %i = %c0 to %c3 step %c1 {
        %x = aie.objectfifo.acquire @in_right(Consume, 1) : !aie.objectfifosubview<memref<16xi32>>
        %y = aie.objectfifo.acquire @out_right(Produce, 1) : !aie.objectfifosubview<memref<16xi32>>
        aie.objectfifo.release @in_right(Consume, 1)
        aie.objectfifo.release @out_right(Produce, 1)
      }
      aie.end
    }
    aie.runtime_sequence(%a: memref<64xi32>, %b: memref<128xi32>) {
      // expected-warning@below {{core (0, 3) takes 3 objects of @in, and the 64 words that the transfers move are 4 objects}}
      aiex.npu.dma_memcpy_nd(%a[0, 0, 0, 0][1, 1, 1, 64][0, 0, 0, 1]) {id = 0 : i64, metadata = @in} : memref<64xi32>
      // expected-warning@below {{96 words come to @out, and its transfers take 128}}
      aiex.npu.dma_memcpy_nd(%b[0, 0, 0, 0][1, 1, 1, 128][0, 0, 0, 1]) {id = 1 : i64, metadata = @out, issue_token = true} : memref<128xi32>
    }
  }
}

// -----

// What leaves the array ends within an object; how much comes isn't known.
module {
  aie.device(npu2) {
    %shim = aie.tile(0, 0)
    %work = aie.tile(0, 2)
    aie.objectfifo @out(%work, {%shim}, 2 : i32) : !aie.objectfifo<memref<16xi32>>
    %core = aie.core(%work) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %many = arith.constant 9223372036854775807 : index
      scf.for %i = %c0 to %many step %c1 {
        %view = aie.objectfifo.acquire @out(Produce, 1) : !aie.objectfifosubview<memref<16xi32>>
        aie.objectfifo.release @out(Produce, 1)
      }
      aie.end
    }
    aie.runtime_sequence(%a: memref<64xi32>) {
      // expected-warning@below {{the 12 words that the transfers take out of @out end within an object: 0 objects and 12 of 16 words}}
      aiex.npu.dma_memcpy_nd(%a[0, 0, 0, 0][1, 1, 1, 12][0, 0, 0, 1]) {id = 0 : i64, metadata = @out} : memref<64xi32>
    }
  }
}

// -----

// Words that come from initial units of locks within the array: no transfer of the sequence has a part in that.
module {
  aie.device(npu2) {
    %shim = aie.tile(0, 0)
    %mem = aie.tile(0, 1)
    %work = aie.tile(0, 2)
    %x = aie.buffer(%mem) : memref<16xi32>
    %y = aie.buffer(%work) : memref<64xi32>
    %full = aie.lock(%mem) {init = 2 : i32}
    %empty = aie.lock(%mem) {init = 0 : i32}
    %free = aie.lock(%work) {init = 1 : i32}
    %there = aie.lock(%work) {init = 0 : i32}
    aie.flow(%mem, DMA : 0, %work, DMA : 0)
    aie.objectfifo @in(%shim, {%work}, 2 : i32) : !aie.objectfifo<memref<16xi32>>
    aie.memtile_dma(%mem) {
      aie.dma_start(MM2S, 0, ^send, ^end)
    ^send:
      aie.use_lock(%full, AcquireGreaterEqual, 1)
      aie.dma_bd(%x : memref<16xi32>, 0, 16)
      aie.use_lock(%empty, Release, 1)
      aie.next_bd ^send
    ^end:
      aie.end
    }
    aie.mem(%work) {
      aie.dma_start(S2MM, 0, ^take, ^end)
    ^take:
      aie.use_lock(%free, AcquireGreaterEqual, 1)
      aie.dma_bd(%y : memref<64xi32>, 0, 64)
      aie.use_lock(%there, Release, 1)
      aie.next_bd ^take
    ^end:
      aie.end
    }
    %core = aie.core(%work) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %many = arith.constant 9223372036854775807 : index
      scf.for %i = %c0 to %many step %c1 {
        %view = aie.objectfifo.acquire @in(Consume, 1) : !aie.objectfifosubview<memref<16xi32>>
        aie.objectfifo.release @in(Consume, 1)
      }
      aie.end
    }
    aie.runtime_sequence(%a: memref<64xi32>) {
      aiex.npu.dma_memcpy_nd(%a[0, 0, 0, 0][1, 1, 1, 64][0, 0, 0, 1]) {id = 0 : i64, metadata = @in} : memref<64xi32>
    }
  }
}
