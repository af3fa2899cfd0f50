// GELU and rotary embeddings: machine code computes the functions of f32 to the same bits as the model.
// RUN: aiec sim %s --device npu1 --core=model --out 0=%t.gelu.npy --out 1=%t.rope.npy
// RUN: aiec sim %s --device npu1 --core=machine --expect 0=%t.gelu.npy --expect 1=%t.rope.npy
// RUN: aiec sim %s --device npu2 --core=machine --expect 0=%t.gelu.npy --expect 1=%t.rope.npy
// RUN: aiec sim %s --device xcve3858 --core=machine --expect 0=%t.gelu.npy --expect 1=%t.rope.npy
module {
  aie.device(npu2) {
    %shim = aie.tile(0, 0)
    %left = aie.tile(0, 3)
    %right = aie.tile(0, 4)
    aie.objectfifo @gelu(%left, {%shim}, 1 : i32) : !aie.objectfifo<memref<64xf32>>
    aie.objectfifo @rope(%right, {%shim}, 1 : i32) : !aie.objectfifo<memref<64xbf16>>

    // x / 2 * (1 + erf(x / sqrt(2)))
    %gelu = aie.core(%left) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %count = arith.constant 64 : index
      %middle = arith.constant 32 : index
      %step = arith.constant 0.17 : f32
      %one = arith.constant 1.0 : f32
      %half = arith.constant 0.5 : f32
      %root = arith.constant 0.70710678 : f32
      %out = aie.objectfifo.acquire @gelu(Produce, 1) : !aie.objectfifosubview<memref<64xf32>>
      %y = aie.objectfifo.subview.access %out[0] : !aie.objectfifosubview<memref<64xf32>> -> memref<64xf32>
      scf.for %i = %c0 to %count step %c1 {
        %from_middle = arith.subi %i, %middle : index
        %whole = arith.index_cast %from_middle : index to i32
        %steps = arith.sitofp %whole : i32 to f32
        %x = arith.mulf %steps, %step : f32
        %scaled = arith.mulf %x, %root : f32
        %erf = math.erf %scaled : f32
        %sum = arith.addf %erf, %one : f32
        %share = arith.mulf %sum, %half : f32
        %result = arith.mulf %x, %share : f32
        memref.store %result, %y[%i] : memref<64xf32>
      }
      aie.objectfifo.release @gelu(Produce, 1)
      aie.end
    }

    // Pairs of numbers of 8 positions, turned by the angle position * 10000^(-pair / 4).
    %rope = aie.core(%right) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %pairs = arith.constant 4 : index
      %positions = arith.constant 8 : index
      %base = arith.constant 10000.0 : f32
      %quarter = arith.constant -0.25 : f32
      %third = arith.constant 0.33 : f32
      %far = arith.constant 1000.0 : f32
      %out = aie.objectfifo.acquire @rope(Produce, 1) : !aie.objectfifosubview<memref<64xbf16>>
      %y = aie.objectfifo.subview.access %out[0] : !aie.objectfifosubview<memref<64xbf16>> -> memref<64xbf16>
      scf.for %p = %c0 to %positions step %c1 {
        %p32 = arith.index_cast %p : index to i32
        %pf = arith.sitofp %p32 : i32 to f32
        %position = arith.mulf %pf, %far : f32
        scf.for %j = %c0 to %pairs step %c1 {
          %j32 = arith.index_cast %j : index to i32
          %jf = arith.sitofp %j32 : i32 to f32
          %exponent = arith.mulf %jf, %quarter : f32
          %speed = math.powf %base, %exponent : f32
          %angle = arith.mulf %position, %speed : f32
          %cos = math.cos %angle : f32
          %sin = math.sin %angle : f32
          %a = arith.mulf %jf, %third : f32
          %b = arith.addf %pf, %a : f32
          %ac = arith.mulf %a, %cos : f32
          %bs = arith.mulf %b, %sin : f32
          %as = arith.mulf %a, %sin : f32
          %bc = arith.mulf %b, %cos : f32
          %first = arith.subf %ac, %bs : f32
          %second = arith.addf %as, %bc : f32
          %first_bf16 = arith.truncf %first : f32 to bf16
          %second_bf16 = arith.truncf %second : f32 to bf16
          %row = arith.muli %p, %positions : index
          %twice = arith.addi %j, %j : index
          %at = arith.addi %row, %twice : index
          %next = arith.addi %at, %c1 : index
          memref.store %first_bf16, %y[%at] : memref<64xbf16>
          memref.store %second_bf16, %y[%next] : memref<64xbf16>
        }
      }
      aie.objectfifo.release @rope(Produce, 1)
      aie.end
    }
    aie.runtime_sequence(%a: memref<64xf32>, %b: memref<64xbf16>) {
      aiex.npu.dma_memcpy_nd(%a[0, 0, 0, 0][1, 1, 1, 64][0, 0, 0, 1]) {id = 0 : i64, metadata = @gelu, issue_token = true} : memref<64xf32>
      aiex.npu.dma_memcpy_nd(%b[0, 0, 0, 0][1, 1, 1, 64][0, 0, 0, 1]) {id = 1 : i64, metadata = @rope, issue_token = true} : memref<64xbf16>
      aiex.npu.dma_wait {symbol = @gelu}
      aiex.npu.dma_wait {symbol = @rope}
    }
  }
}
