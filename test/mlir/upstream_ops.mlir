// Operations of upstream MLIR whose custom syntax our parser doesn't know: with the feature `mlir`
// upstream reads each of them (see test/tests/mlir/main.rs, which counts them).

#row = affine_map<(d0, d1) -> (d0)>
!pair = tuple<i32, f32>

func.func @scalars(%a: i32, %b: i32, %f: f32, %x: index, %c: complex<f32>) {
  %sum, %carry = arith.addui_extended %a, %b : i32, i1
  %low, %high = arith.mulsi_extended %a, %b : i32
  %ulow, %uhigh = arith.mului_extended %a, %b : i32
  %is = math.isnan %f : f32
  %inf = math.isinf %f : f32
  %clamped = math.clampf %f to [%f, %f] : f32
  %s:2 = math.sincos %f : f32
  %size = index.sizeof
  %made = complex.create %f, %f : complex<f32>
  %re = complex.re %c : complex<f32>
  %im = complex.im %made : complex<f32>
  %csum = complex.add %c, %made : complex<f32>
  %cmul = complex.mul %c, %csum : complex<f32>
  %cabs = complex.abs %cmul : complex<f32>
  %used = arith.addf %cabs, %s#1 : f32
  return
}

func.func @vectors(%v: vector<8xf32>, %w: vector<4x8xf32>, %m: memref<64xf32>, %x: index,
                   %mask: vector<8xi1>, %idx: vector<8xi32>, %f: f32) {
  %outer = vector.outerproduct %v, %v : vector<8xf32>, vector<8xf32>
  %scaled = vector.outerproduct %v, %f : vector<8xf32>, f32
  %all = vector.constant_mask [4] : vector<8xi1>
  %some = vector.create_mask %x : vector<8xi1>
  %masked = vector.maskedload %m[%x], %mask, %v : memref<64xf32>, vector<8xi1>, vector<8xf32> into vector<8xf32>
  vector.maskedstore %m[%x], %mask, %masked : memref<64xf32>, vector<8xi1>, vector<8xf32>
  %gathered = vector.gather %m[%x] [%idx], %all, %masked : memref<64xf32>, vector<8xi32>, vector<8xi1>, vector<8xf32> into vector<8xf32>
  vector.scatter %m[%x] [%idx], %some, %gathered : memref<64xf32>, vector<8xi32>, vector<8xi1>, vector<8xf32>
  %expanded = vector.expandload %m[%x], %mask, %v : memref<64xf32>, vector<8xi1>, vector<8xf32> into vector<8xf32>
  vector.compressstore %m[%x], %mask, %expanded : memref<64xf32>, vector<8xi1>, vector<8xf32>
  %inter = vector.interleave %v, %v : vector<8xf32> -> vector<16xf32>
  %even, %odd = vector.deinterleave %inter : vector<16xf32> -> vector<8xf32>
  %scanned, %last = vector.scan <add>, %w, %v {inclusive = true, reduction_dim = 0} : vector<4x8xf32>, vector<8xf32>
  vector.print %scanned : vector<4x8xf32>
  %small = vector.from_elements %f, %f : vector<2xf32>
  %elements:2 = vector.to_elements %small : vector<2xf32>
  return
}

func.func @memory(%m: memref<16xi32>, %n: memref<4x4xf32>, %i: i32, %x: index, %f: f32, %p: memref<?xi32>) {
  %old = memref.atomic_rmw addi %i, %m[%x] : (i32, memref<16xi32>) -> i32
  %gen = memref.generic_atomic_rmw %m[%x] : memref<16xi32> {
  ^bb0(%current: i32):
    %one = arith.constant 1 : i32
    %next = arith.addi %current, %one : i32
    memref.atomic_yield %next : i32
  }
  memref.prefetch %m[%x], read, locality<3>, data : memref<16xi32>
  %flipped = memref.transpose %n (d0, d1) -> (d1, d0) : memref<4x4xf32> to memref<4x4xf32, strided<[1, 4]>>
  %rank = memref.rank %m : memref<16xi32>
  %base, %offset, %length, %stride = memref.extract_strided_metadata %m : memref<16xi32> -> memref<i32>, index, index, index
  %pointer = memref.extract_aligned_pointer_as_index %m : memref<16xi32> -> index
  %grown = memref.realloc %p (%x) : memref<?xi32> to memref<?xi32>
  %scoped = memref.alloca_scope -> (i32) {
    %local = memref.alloca() : memref<4xi32>
    %read = memref.load %local[%x] : memref<4xi32>
    memref.alloca_scope.return %read : i32
  }
  return
}

func.func @loops(%m: memref<16xf32>, %x: index, %lower: index, %upper: index, %step: index, %flag: i32) {
  %zero = arith.constant 0.0 : f32
  %total = scf.parallel (%i) = (%lower) to (%upper) step (%step) init (%zero) -> f32 {
    %read = memref.load %m[%i] : memref<16xf32>
    scf.reduce(%read : f32) {
    ^bb0(%left: f32, %right: f32):
      %sum = arith.addf %left, %right : f32
      scf.reduce.return %sum : f32
    }
  }
  scf.forall (%j) in (%upper) {
    memref.store %total, %m[%j] : memref<16xf32>
  }
  affine.parallel (%k) = (0) to (16) {
    affine.store %zero, %m[%k] : memref<16xf32>
  }
  %parts:2 = affine.delinearize_index %x into (4, 4) : index, index
  %whole = affine.linearize_index [%parts#0, %parts#1] by (4, 4) : index
  cf.switch %flag : i32, [
    default: ^bb1,
    1: ^bb2
  ]
^bb1:
  cf.br ^bb2
^bb2:
  return
}

func.func @tensors(%t: tensor<4x8xf32>, %u: tensor<8x4xf32>, %r: tensor<4x4xf32>, %f: f32, %x: index, %s: tensor<8xf32>) {
  %padded = tensor.pad %t low[1, 1] high[1, 1] {
  ^bb0(%i: index, %j: index):
    tensor.yield %f : f32
  } : tensor<4x8xf32> to tensor<6x10xf32>
  %slice = tensor.extract_slice %t[0, 0] [2, 4] [1, 1] : tensor<4x8xf32> to tensor<2x4xf32>
  %back = tensor.insert_slice %slice into %t[0, 0] [2, 4] [1, 1] : tensor<2x4xf32> into tensor<4x8xf32>
  %made = tensor.from_elements %f, %f : tensor<2xf32>
  %generated = tensor.generate %x {
  ^bb0(%i: index):
    tensor.yield %f : f32
  } : tensor<?xf32>
  %splat = tensor.splat %f : tensor<4x4xf32>
  %rank = tensor.rank %t : tensor<4x8xf32>
  %same = tensor.concat dim(0) %t, %t : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<8x8xf32>
  %add = linalg.add ins(%r, %r : tensor<4x4xf32>, tensor<4x4xf32>) outs(%r : tensor<4x4xf32>) -> tensor<4x4xf32>
  %flip = linalg.transpose ins(%t : tensor<4x8xf32>) outs(%u : tensor<8x4xf32>) permutation = [1, 0]
  %wide = linalg.broadcast ins(%s : tensor<8xf32>) outs(%t : tensor<4x8xf32>) dimensions = [0]
  %sums = linalg.reduce ins(%t : tensor<4x8xf32>) outs(%s : tensor<8xf32>) dimensions = [0]
    (%in: f32, %out: f32) {
      %0 = arith.addf %in, %out : f32
      linalg.yield %0 : f32
    }
  %mapped = linalg.map { math.absf } ins(%r : tensor<4x4xf32>) outs(%r : tensor<4x4xf32>)
  %plus = tosa.add %t, %t : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %exp = tosa.exp %plus : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %relu = tosa.clamp %exp {min_val = 0.0 : f32, max_val = 6.0 : f32} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %buffer = bufferization.to_buffer %t : tensor<4x8xf32> to memref<4x8xf32>
  %alloc = bufferization.alloc_tensor() : tensor<4x4xf32>
  %shape = shape.shape_of %t : tensor<4x8xf32> -> tensor<2xindex>
  return
}

func.func @others(%p: !llvm.ptr, %i: i32, %e: i32) {
  %loaded = llvm.load %p : !llvm.ptr -> i32
  llvm.store %loaded, %p : i32, !llvm.ptr
  %sum = llvm.add %loaded, %i : i32
  %at = llvm.getelementptr %p[4] : (!llvm.ptr) -> !llvm.ptr, i32
  %null = llvm.mlir.zero : !llvm.ptr
  %c = emitc.add %e, %i : (i32, i32) -> i32
  %call = emitc.call_opaque "f"(%c) : (i32) -> i32
  %q = spirv.IAdd %i, %i : i32
  return
}

ml_program.global private mutable @weights(dense<4> : tensor<4xi32>) : tensor<4xi32>
llvm.func @external(i32, !llvm.ptr) -> i32

aie.device(npu2) {
  %tile = aie.tile(0, 2)
  %buffer = aie.buffer(%tile) {sym_name = "b"} : memref<16xi32>
  %core = aie.core(%tile) {
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : i32
    %old = memref.atomic_rmw addi %one, %buffer[%zero] : (i32, memref<16xi32>) -> i32
    aie.end
  }
}
