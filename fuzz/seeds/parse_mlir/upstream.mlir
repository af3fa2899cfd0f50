// Upstream operations, aliases, generic form.
#map = affine_map<(d0, d1)[s0] -> (d0 * 4 + d1 mod 3 - s0, d1 floordiv 2)>
!t = memref<4x?xf32, strided<[4, 1], offset: ?>, 2 : i32>
module attributes {aie.x = 1, "odd.key"} {
  memref.global "private" constant @g : memref<2x2xi32> = dense<[[1, 2], [3, 4]]>
  func.func @f(%m: memref<16xf32>, %n: index {a.b = 1 : i8}) -> (f32, index) attributes {k.l} {
    %z = arith.constant 0.1 : f32
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %v = arith.constant dense<1.5> : vector<4xf32>
    %sum, %i = scf.for %j = %c0 to %n step %c1 iter_args(%s = %z, %k = %c0) -> (f32, index) {
      %x = memref.load %m[%j] : memref<16xf32>
      %y = arith.addf %x, %s fastmath<fast> : f32
      %lt = arith.cmpi "slt", %j, %c1 : index
      %r = scf.if %lt -> (f32) {
        scf.yield %y : f32
      } else {
        %e = math.exp %y : f32
        scf.yield %e : f32
      }
      scf.yield %r, %k : f32, index
    }
    %w:2 = scf.while (%a = %z, %b = %c0) : (f32, index) -> (f32, index) {
      %go = arith.cmpf olt, %a, %z : f32
      scf.condition(%go) %a, %b : f32, index
    } do {
    ^bb0(%a: f32, %b: index):
      scf.yield %a, %b : f32, index
    }
    %sub = memref.subview %m[%c0] [4] [1] : memref<16xf32> to memref<4xf32, strided<[1], offset: ?>>
    %q = vector.transfer_read %m[%c0], %z {in_bounds = [true]} : memref<16xf32>, vector<4xf32>
    %fma = vector.fma %q, %v, %v : vector<4xf32>
    %red = vector.reduction <add>, %fma : vector<4xf32> into f32
    affine.for %l = 0 to 16 step 2 {
      %p = affine.load %m[%l + 1] : memref<16xf32>
      affine.store %p, %m[%l * 2 - 1] : memref<16xf32>
    }
    %h = index.add %c0, %c1
    %flag = arith.constant true
    cf.cond_br %flag, ^bb1(%c0 : index), ^bb2
  ^bb1(%u: index):
    cf.br ^bb2
  ^bb2:
    return %w#0, %w#1 : f32, index
  }
  %0:2 = "my.op"() <{a = #my.attr<"x", [1]>}> ({
  ^bb0(%x: i32):
    "my.jump"(%x)[^bb1] : (i32) -> ()
  ^bb1:
    "my.end"() : () -> ()
  }) {m = #map, h = dense<"0x01020304"> : tensor<4xi8>, t = !t} : () -> (!my.type<f32>, index)
  "my.use"(%0#1, %0#0) : (index, !my.type<f32>) -> ()
} loc("file":1:2)
