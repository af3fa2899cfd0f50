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

// -----

module {
  aie.device(npu2) {
    %t = aie.tile(0, 2)
    // expected-error@below {{bank 1 of tile (0, 2) has 16384 bytes, but buffers of 12000 bytes ask for it beside the 8000 bytes of the stack and of written addresses}}
    // expected-note@below {{wants this bank}}
    %a = aie.buffer(%t) {sym_name = "a", mem_bank = 1 : i32} : memref<3000xi32>
    // expected-note@below {{its address is in this bank}}
    %b = aie.buffer(%t) {sym_name = "b", address = 20480 : i32} : memref<2000xi32>
  }
}

// -----

module {
  aie.device(npu2) {
    %t = aie.tile(0, 2)
    %core = aie.core(%t) {
      // expected-error@below {{buffer `a` is declared inside a core}}
      %a = aie.buffer(%t) {sym_name = "a"} : memref<16xi32>
      %b = aie.buffer(%t) {sym_name = "b"} : memref<2xi32> = dense<[1, 2]>
      aie.end
    }
  }
}

// -----

// Both ends of a conflict are shown, the one that reaches furthest for each that lies in it.
module {
  aie.device(npu2) {
    %t = aie.tile(0, 2)
    // expected-note@below {{the other one}}
    %a = aie.buffer(%t) {sym_name = "a", address = 2048 : i32} : memref<2048xi32>
    // expected-error@below {{buffer `b` at address 0x820 overlaps with `a` at 0x800}}
    %b = aie.buffer(%t) {sym_name = "b", address = 2080 : i32} : memref<8xi32>
    // expected-error@below {{buffer `c` at address 0x1000 overlaps with `a` at 0x800}}
    %c = aie.buffer(%t) {sym_name = "c", address = 4096 : i32} : memref<4096xi32>
    // expected-error@below {{buffer `d` at address 0x4000 overlaps with `c` at 0x1000}}
    %d = aie.buffer(%t) {sym_name = "d", address = 16384 : i32} : memref<8xi32>
  }
}
