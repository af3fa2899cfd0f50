aie.device(npu2) {
  %shim = aie.tile(0, 0)
  %a = aie.tile(2, 3)
  %b = aie.tile(1, 2)
  aie.objectfifo @in(%shim, {%a}, 2 : i32) : !aie.objectfifo<memref<16xi32>>
  aie.objectfifo @same(%b, {%shim}, 2 : i32) : !aie.objectfifo<memref<16xi32>>
  aie.objectfifo @gone(%a, {%shim}, 2 : i32) : !aie.objectfifo<memref<16xi32>>
}
