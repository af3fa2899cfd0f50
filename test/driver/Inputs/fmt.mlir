// A comment.
aie.device( npu2 ){
%tile_0_2=aie.tile(0,2)      // the core
      %b = aie.buffer(%tile_0_2){ sym_name="b"} : memref<16xi32>


%core = aie.core(%tile_0_2) {
aie.end
}
}
