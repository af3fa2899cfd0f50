// RUN: aiec opt --aie-assign-buffer-addresses --split-input-file --no-verify --verify-diagnostics %s

module {
  aie.device(npu2) {
    %t = aie.tile(0, 2)
    %a = aie.buffer(%t) {sym_name = "a", address = 2048 : i32} : memref<64xi32>
    // expected-error@below {{buffer `b` at address 0x820 overlaps with `a` at 0x800}}
    %b = aie.buffer(%t) {sym_name = "b", address = 2080 : i32} : memref<64xi32>
  }
}

// -----

module {
  aie.device(npu2) {
    %t = aie.tile(0, 2)
    // expected-error@below {{buffer `a` at address 0x200 overlaps with stack (size: 1024 bytes)}}
    %a = aie.buffer(%t) {sym_name = "a", address = 512 : i32} : memref<64xi32>
    %core = aie.core(%t) {
      aie.end
    }
  }
}

// -----

module {
  aie.device(npu2) {
    %t = aie.tile(0, 2)
    // expected-error@below {{the address 0x804 of buffer `a` must be aligned to tile load/store bus width when aligned attribute is set: 32 bytes}}
    %a = aie.buffer(%t) {sym_name = "a", address = 2052 : i32} : memref<64xi32>
  }
}

// -----

module {
  aie.device(npu2) {
    %t = aie.tile(0, 2)
    // expected-error@below {{the address 0x800 of buffer `a` is in bank 0: mem_bank attribute is inconsistent with address attribute}}
    %a = aie.buffer(%t) {sym_name = "a", address = 2048 : i32, mem_bank = 1 : i32} : memref<64xi32>
  }
}

// -----

module {
  aie.device(npu2) {
    %t = aie.tile(0, 2)
    // expected-error@below {{mem_bank attribute value is out of range}}
    %a = aie.buffer(%t) {sym_name = "a", mem_bank = 4 : i32} : memref<64xi32>
  }
}

// -----

module {
  aie.device(npu2) {
    %t = aie.tile(0, 2)
    %a = aie.buffer(%t) {sym_name = "a"} : memref<10000xi32>
    // expected-error@below {{no room for `b` of 32000 bytes; stack and buffers need 72000 of 65536 bytes}}
    %b = aie.buffer(%t) {sym_name = "b"} : memref<8000xi32>
  }
}
